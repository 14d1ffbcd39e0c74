use crate::import::MOST_FAULTS;
use domain::Fault;
use store::StoreError;

/// Why something was not done. The message may be shown to whoever asked; what is internal is in [`ServiceError::Internal`] alone,
/// whose text belongs in the log.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// What was named is not there.
    #[error("{what}")]
    NotFound {
        /// What was looked for, and what to do.
        what: String,
    },
    /// Something stands in the way that was not known to whoever asked.
    #[error("{what}")]
    Conflict {
        /// What stands there.
        what: String,
    },
    /// Input that cannot be taken.
    #[error("{field}: {reason}")]
    Invalid {
        /// The field.
        field: String,
        /// What is wrong with it and what would be right.
        reason: String,
    },
    /// The person may not do that.
    #[error("{what}")]
    Forbidden {
        /// What is not allowed.
        what: String,
    },
    /// Too many attempts, or another process holds what is needed.
    #[error("{what}")]
    Busy {
        /// What to wait for.
        what: String,
    },
    /// Rows of a file that cannot be taken; nothing was stored.
    #[error("{}", faults_in_words(.0))]
    Faults(Vec<Fault>),
    /// A file could not be read or written.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// A fault of ours or of the machine.
    #[error("internal error: {0}")]
    Internal(String),
}

/// Most faults that one message lists.
const LISTED: usize = 20;

fn faults_in_words(faults: &[Fault]) -> String {
    let mut lines: Vec<String> = faults.iter().take(LISTED).map(Fault::to_string).collect();
    if faults.len() > LISTED {
        let at_least = if faults.len() < MOST_FAULTS { "" } else { "at least " };
        lines.push(format!("… and {at_least}{} more", faults.len() - LISTED));
    }
    let rows = if faults.len() == 1 { "1 row was refused" } else { "rows were refused" };
    lines.push(format!("{rows}; nothing was stored (--keep-going takes the good rows)"));
    lines.join("\n")
}

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> ServiceError {
        match error {
            StoreError::NotFound { .. } => ServiceError::NotFound { what: error.to_string() },
            StoreError::Conflict { what } => ServiceError::Conflict { what },
            StoreError::Invalid(fault) => {
                let reason = format!("found {}, expected {}", fault.found, fault.expected);
                ServiceError::Invalid { field: fault.field, reason }
            }
            StoreError::Locked { .. } | StoreError::Busy => ServiceError::Busy { what: error.to_string() },
            other => ServiceError::Internal(other.to_string()),
        }
    }
}
