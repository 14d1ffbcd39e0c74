use crate::{Conversation, Fault};
use serde::{Deserialize, Serialize};

/// What an import understood of a file, what became of it, and what was left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ImportReport {
    /// Name of the file, redacted.
    pub file: String,
    /// What wrote the file, by its name on the command line; `touchstone` for our own formats.
    pub from: String,
    /// Records that the file holds: traces, rows, tasks, samples, in the words of its tool.
    pub records: u64,
    /// Conversations.
    pub conversations: Taken,
    /// Conversations among them that nobody answered.
    pub unanswered: u64,
    /// Passages of these conversations.
    pub passages: u64,
    /// Calls of tools in these conversations.
    pub tool_calls: u64,
    /// What people said.
    pub labels: Taken,
    /// Labels without a value: missing, and not stored.
    pub missing: u64,
    /// What judges said.
    pub verdicts: Taken,
    /// Verdicts among them that are instrument failures.
    pub failures: u64,
    /// For each field that was read: what it became, and how often.
    pub read: Vec<FieldUse>,
    /// For each thing that was left out: why, and how often.
    pub left_out: Vec<FieldUse>,
    /// What redaction took out.
    pub redacted: Vec<Redacted>,
    /// The first conversation, redacted, as it would be shown.
    pub first: Option<Conversation>,
    /// Rows that were refused. Where there are any nothing is stored, unless the good rows were asked for.
    pub refused: u64,
    /// The first thousand of them, each with its place and reason.
    pub faults: Vec<Fault>,
    /// Files that hold the refused rows, where they were asked for.
    pub refused_to: Vec<String>,
    /// Whether nothing was stored on purpose.
    pub dry_run: bool,
}

/// How many rows of a kind a file holds, and what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// Rows that were not there before.
    pub new: u64,
    /// Rows that were there already.
    pub unchanged: u64,
}

impl Taken {
    /// All rows that can be taken.
    #[must_use]
    pub fn total(self) -> u64 {
        self.new + self.unchanged
    }
}

/// One field of a file's records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldUse {
    /// Its name, as the tool calls it.
    pub field: String,
    /// What it became, or why it was left out.
    pub what: String,
    /// How many times.
    pub count: u64,
}

/// What one redaction rule took out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redacted {
    /// Name of the rule, as placeholders say it.
    pub rule: String,
    /// Different values.
    pub values: u64,
    /// Places in which they stood.
    pub places: u64,
}
