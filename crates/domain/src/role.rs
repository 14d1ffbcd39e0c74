use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// What a person is in a project. Each role may do what those before it may, but for labelling by assignment, which all may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Labels what is assigned, and sees own work.
    Annotator,
    /// Sees agreement, runs and compares judges.
    Engineer,
    /// Runs the labelling, adjudicates, gates and promotes.
    Lead,
    /// Invites people and settles the project.
    Admin,
}

/// What a role may be asked for. Sealing is no permission: it is in the store's queries and holds whatever the role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Permission {
    /// Label the conversations that one is assigned.
    Label,
    /// See agreement, comparisons and conversations.
    Analyse,
    /// Declare judges and run them, which costs money.
    Judge,
    /// Say who labels what.
    Assign,
    /// Import files, and say what is taken out of them.
    Import,
    /// Decide items on which people do not agree.
    Adjudicate,
    /// Write the rubric, and publish its versions.
    WriteRubric,
    /// Decide a gate, and keep the policy that it asks.
    Gate,
    /// Promote judges, roll them back, and accept their pass thresholds.
    Promote,
    /// Invite and dismiss people.
    ManagePeople,
}

impl Role {
    /// Whether this role may do that.
    #[must_use]
    pub fn may(self, permission: Permission) -> bool {
        self >= match permission {
            Permission::Label => Role::Annotator,
            Permission::Analyse | Permission::Judge => Role::Engineer,
            Permission::Assign
            | Permission::Import
            | Permission::Adjudicate
            | Permission::WriteRubric
            | Permission::Gate
            | Permission::Promote => Role::Lead,
            Permission::ManagePeople => Role::Admin,
        }
    }

    /// The word for it, as files and pages write it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Role::Annotator => "annotator",
            Role::Engineer => "engineer",
            Role::Lead => "lead",
            Role::Admin => "admin",
        }
    }

    /// All roles, least first.
    pub const ALL: [Role; 4] = [Role::Annotator, Role::Engineer, Role::Lead, Role::Admin];
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Role, String> {
        Role::ALL
            .into_iter()
            .find(|role| role.word() == text)
            .ok_or_else(|| format!("`{text}` is no role: expected annotator, engineer, lead or admin"))
    }
}
