use crate::{Role, Scope, Verdict};
use serde::{Deserialize, Serialize};

/// The state of a project's loop: what its home page and `doctor` say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProjectFigures {
    /// Name of the project.
    pub project: String,
    /// Conversations imported.
    pub conversations: u64,
    /// Of them, those that at least one annotator labelled.
    pub labelled_once: u64,
    /// Of them, those that at least two annotators labelled.
    pub labelled_twice: u64,
    /// Labels that count.
    pub labels: u64,
    /// People under whose names labels stand.
    pub annotators: u64,
    /// How many annotators each conversation wants.
    pub overlap: u32,
    /// Conversations that are assigned and not yet submitted.
    pub assignments_open: u64,
    /// Conversations submitted here.
    pub assignments_submitted: u64,
    /// The published rubric, `name@version`.
    pub rubric: Option<String>,
    /// Its criteria.
    pub criteria: u64,
    /// Judge versions that have verdicts.
    pub judge_versions: u64,
    /// Verdicts, failures included.
    pub verdicts: u64,
    /// Of them, instrument failures.
    pub failures: u64,
    /// How many references the last built set has, and by which rule.
    pub references: Option<(u64, String)>,
    /// Frozen anchor sets.
    pub anchor_sets: u64,
    /// The last decision of a gate: its word, the candidate and the day (`2026-11-30`).
    pub last_decision: Option<(Verdict, String, String)>,
}

/// A project that a person belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectMembership {
    /// Name of the project.
    pub project: String,
    /// What the person is in it.
    pub role: Role,
}

/// A person as members of a project see each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// The name that the person goes by.
    pub name: String,
    /// The name that the person signs in with.
    pub account: String,
    /// What the person is in the project.
    pub role: Role,
    /// Conversations submitted.
    pub submitted: u64,
    /// Whether the person has been shut out.
    pub disabled: bool,
}

/// One place where a person is signed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnSession {
    /// The browser, in its own words.
    pub user_agent: String,
    /// Since when, RFC 3339 UTC.
    pub since: String,
    /// Last use, RFC 3339 UTC.
    pub last_seen: String,
    /// Whether it is the session that asks.
    pub current: bool,
}

/// An API token in a list; its secret is known to whoever made it alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiTokenEntry {
    /// What names it: `ts_PREFIX_…`.
    pub prefix: String,
    /// What it is for, as its person says.
    pub name: String,
    /// Account of the person in whose name it speaks.
    pub account: String,
    /// The project that it is for; absent: every project of the person.
    pub project: Option<String>,
    /// What it may be used for.
    pub scopes: Vec<Scope>,
    /// Since when, RFC 3339 UTC.
    pub since: String,
    /// Until when it works, RFC 3339 UTC.
    pub expires: String,
    /// Last use to the minute, RFC 3339 UTC.
    pub last_used: Option<String>,
}
