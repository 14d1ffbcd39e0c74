use domain::Fault;
use std::path::PathBuf;

/// Why the store could not do what it was asked. Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// What was asked for is not there.
    #[error("there is no {what}")]
    NotFound {
        /// What, with its name.
        what: String,
    },
    /// What stands there already does not allow it.
    #[error("{what}")]
    Conflict {
        /// What stands there, as a sentence.
        what: String,
    },
    /// A value that cannot stand.
    #[error(transparent)]
    Invalid(#[from] Fault),
    /// No file where one was expected.
    #[error("no database at {}: run `touchstone serve` or `touchstone project create`", path.display())]
    NoDatabase {
        /// The file.
        path: PathBuf,
    },
    /// A file that is something else.
    #[error("{} is not a Touchstone database: name another file with --db", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// A file that another process holds.
    #[error("{} {held}: stop that one, or name another file with --db", path.display())]
    Locked {
        /// The database file.
        path: PathBuf,
        /// For what, as the rest of a sentence about the file.
        held: &'static str,
    },
    /// Another process wrote for longer than this one may wait.
    #[error("another process is writing to the database: try again when it has finished")]
    Busy,
    /// The transaction that the write shared with others failed.
    #[error("nothing was stored: {reason}: send it again")]
    NotCommitted {
        /// What failed.
        reason: String,
    },
    /// The schema of the file could not be brought up to this version's.
    #[error(
        "the database cannot be brought up to date: {0}; if a newer version of touchstone wrote it, use that one"
    )]
    Migration(#[source] sqlx::migrate::MigrateError),
    /// A stored value that this version cannot read.
    #[error("the database holds {what}: run `touchstone doctor`")]
    Corrupt {
        /// The value and where it stands.
        what: String,
    },
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// SQLite refused.
    #[error("the database failed: {0}")]
    Database(#[source] sqlx::Error),
}

impl StoreError {
    pub(crate) fn not_found(what: impl Into<String>) -> StoreError {
        StoreError::NotFound { what: what.into() }
    }

    pub(crate) fn conflict(what: impl Into<String>) -> StoreError {
        StoreError::Conflict { what: what.into() }
    }

    /// Why a group of writes failed, for each of them.
    pub(crate) fn not_committed(error: &StoreError) -> StoreError {
        match error {
            StoreError::Busy => StoreError::Busy,
            other => StoreError::NotCommitted { reason: other.to_string() },
        }
    }

    pub(crate) fn corrupt(what: impl Into<String>) -> StoreError {
        StoreError::Corrupt { what: what.into() }
    }
}

/// SQLite's primary result code for a lock that was waited for in vain.
const SQLITE_BUSY: i32 = 5;

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> StoreError {
        match result_code(&error) {
            Some(SQLITE_BUSY) => StoreError::Busy,
            _ if matches!(error, sqlx::Error::PoolTimedOut) => StoreError::Busy,
            _ => StoreError::Database(error),
        }
    }
}

/// The primary result code of SQLite, without its extension.
pub(crate) fn result_code(error: &sqlx::Error) -> Option<i32> {
    let code: i32 = error.as_database_error()?.code()?.parse().ok()?;
    Some(code & 0xff)
}

/// Says in our words what a violated unique constraint means.
pub(crate) trait OnUnique<T> {
    fn on_unique(self, what: impl FnOnce() -> String) -> Result<T, StoreError>;
}

impl<T> OnUnique<T> for Result<T, sqlx::Error> {
    fn on_unique(self, what: impl FnOnce() -> String) -> Result<T, StoreError> {
        self.map_err(|error| match error.as_database_error() {
            Some(violation) if violation.is_unique_violation() => StoreError::conflict(what()),
            _ => error.into(),
        })
    }
}
