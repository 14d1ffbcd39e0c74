//! What a server function answers when it does not do what was asked.

use domain::Role;
use leptos::{
    prelude::{FromServerFnError, ServerFnErrorErr},
    server_fn::codec::JsonEncoding,
};
use serde::{Deserialize, Serialize};

/// Why something was not done, in words that may be shown. Internal text never stands in it: it is in the log, under `id`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum AppError {
    /// Nobody is signed in.
    #[error("You are not signed in. Sign in and try again; what stands here is kept.")]
    Unauthenticated,
    /// The person may not do that.
    #[error("This needs the role {needs} in the project. Ask one of its admins.")]
    Forbidden {
        /// The least role that may.
        needs: Role,
    },
    /// What was named is not there.
    #[error("{what}")]
    NotFound {
        /// What was looked for.
        what: String,
    },
    /// Something stands in the way.
    #[error("{what}")]
    Conflict {
        /// What stands there.
        what: String,
    },
    /// Input that cannot be taken.
    #[error("{reason}")]
    Invalid {
        /// The name of the field.
        field: String,
        /// What is wrong with it and what would be right.
        reason: String,
    },
    /// Too many attempts, or too much at once.
    #[error("{what}")]
    Busy {
        /// What to wait for.
        what: String,
    },
    /// The server cannot be reached.
    #[error("The server cannot be reached. Check the connection and try again.")]
    Unreachable,
    /// A fault of the server.
    #[error("Something went wrong on the server ({id}). What it was stands in the server's log.")]
    Internal {
        /// Where in the log: `fault …`.
        id: String,
    },
}

impl AppError {
    /// Whether the same request may succeed later.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        matches!(self, AppError::Unreachable | AppError::Busy { .. } | AppError::Internal { .. })
    }

    /// The field that it is about.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        match self {
            AppError::Invalid { field, .. } => Some(field),
            _ => None,
        }
    }

    /// The HTTP status that says the same.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            AppError::Unauthenticated => 401,
            AppError::Forbidden { .. } => 403,
            AppError::NotFound { .. } => 404,
            AppError::Conflict { .. } => 409,
            AppError::Invalid { .. } => 422,
            AppError::Busy { .. } => 429,
            AppError::Unreachable => 503,
            AppError::Internal { .. } => 500,
        }
    }
}

impl FromServerFnError for AppError {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(error: ServerFnErrorErr) -> AppError {
        match error {
            ServerFnErrorErr::Request(_) | ServerFnErrorErr::Response(_) => AppError::Unreachable,
            ServerFnErrorErr::Args(_) | ServerFnErrorErr::MissingArg(_) => not_understood(),
            // What the server cannot read is the request, what the browser cannot read is the answer.
            ServerFnErrorErr::Deserialization(_) if cfg!(feature = "ssr") => not_understood(),
            // Also an answer that is none of ours: a proxy's error page, say.
            _ => AppError::Internal { id: "an answer that cannot be read".to_owned() },
        }
    }

    #[cfg(feature = "ssr")]
    fn status_code(&self) -> axum::http::StatusCode {
        axum::http::StatusCode::from_u16(self.status())
            .unwrap_or(axum::http::StatusCode::INTERNAL_SERVER_ERROR)
    }
}

/// A request that no page of this version sends.
fn not_understood() -> AppError {
    let reason = "The request is not of the form that the server expects. Reload the page and try again.";
    AppError::Invalid { field: String::new(), reason: reason.to_owned() }
}
