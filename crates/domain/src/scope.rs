use crate::Permission;
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// What an API token may be used for. It never allows more than its person may do: both are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Read reports, judges, anchor sets and decisions.
    Read,
    /// Decide a gate.
    Gate,
    /// Run judges, which costs money.
    Judge,
    /// Send production scores, and ask the inline gate, which costs money.
    Score,
    /// Import files.
    Import,
}

impl Scope {
    /// All scopes.
    pub const ALL: [Scope; 5] = [Scope::Read, Scope::Gate, Scope::Judge, Scope::Score, Scope::Import];

    /// What the token's person must be permitted in the project.
    #[must_use]
    pub fn permission(self) -> Permission {
        match self {
            Scope::Read => Permission::Analyse,
            Scope::Gate => Permission::Gate,
            Scope::Judge | Scope::Score => Permission::Judge,
            Scope::Import => Permission::Import,
        }
    }

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Scope::Read => "read",
            Scope::Gate => "gate",
            Scope::Judge => "judge",
            Scope::Score => "score",
            Scope::Import => "import",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Scope, String> {
        Scope::ALL.into_iter().find(|scope| scope.word() == text).ok_or_else(|| {
            format!("`{}` is no scope: expected read, gate, judge, score or import", crate::visible(text))
        })
    }
}
