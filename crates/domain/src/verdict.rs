use crate::Unit;
use serde::{Deserialize, Serialize};
use std::fmt;
use time::OffsetDateTime;

/// What a judge said of a unit on a criterion, as `verdicts.csv` and `verdicts.jsonl` carry it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VerdictRow {
    /// Name of the judge.
    pub judge: String,
    /// Its declared version; `1` where the file names none.
    pub judge_version: String,
    /// The model that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The model version that the provider reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported_model: Option<String>,
    /// Id of the conversation in the source system.
    pub conversation: String,
    /// What the verdict is about.
    pub unit: Unit,
    /// Id of the criterion.
    pub criterion: String,
    /// Which repeat, from 0.
    #[serde(default)]
    pub repeat: u32,
    /// A value on the scale, or why there is none.
    pub outcome: Outcome,
    /// The judge's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The answer as the provider gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// Time to the answer, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<f64>,
    /// Tokens sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// Tokens in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<u64>,
    /// Price in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// When it was said.
    #[serde(default, with = "time::serde::rfc3339::option", skip_serializing_if = "Option::is_none")]
    pub judged_at: Option<OffsetDateTime>,
}

/// A value, or an instrument failure: never clamped, never zero, never dropped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A value on the criterion's scale.
    Value(f64),
    /// No value: the kind, and what exactly was wrong.
    Failure {
        /// The kind, for counting.
        kind: FailureKind,
        /// What was wrong, in the source's words or in ours.
        says: String,
    },
}

impl Outcome {
    /// The value, where there is one.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        match self {
            Outcome::Value(value) => Some(*value),
            Outcome::Failure { .. } => None,
        }
    }
}

/// Why a verdict is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// A number that the scale does not have.
    OffScale,
    /// No value can be read from the answer.
    Unparsable,
    /// The model declined.
    Refused,
    /// The answer was cut off.
    Truncated,
    /// No answer in time.
    TimedOut,
    /// No answer at all.
    Missing,
    /// What the source called an error and is none of these.
    Other,
}

impl FailureKind {
    /// All kinds, as the ledger lists them.
    pub const ALL: [FailureKind; 7] = [
        FailureKind::OffScale,
        FailureKind::Unparsable,
        FailureKind::Refused,
        FailureKind::Truncated,
        FailureKind::TimedOut,
        FailureKind::Missing,
        FailureKind::Other,
    ];

    /// The kind that an `error` of an imported file speaks of, by the words in it.
    #[must_use]
    pub fn of_error(error: &str) -> FailureKind {
        let error = error.to_lowercase();
        let speaks_of = |words: &[&str]| words.iter().any(|word| error.contains(word));
        if speaks_of(&["off_scale", "off-scale", "off scale", "out of range", "out-of-range"]) {
            FailureKind::OffScale
        } else if speaks_of(&["timeout", "timed out", "timed_out"]) {
            FailureKind::TimedOut
        } else if speaks_of(&["refus", "declin", "content_filter"]) {
            FailureKind::Refused
        } else if speaks_of(&["truncat", "cut off", "max_tokens"]) {
            FailureKind::Truncated
        } else if speaks_of(&["pars", "json", "schema"]) {
            FailureKind::Unparsable
        } else if speaks_of(&["missing", "empty", "no answer"]) {
            FailureKind::Missing
        } else {
            FailureKind::Other
        }
    }

    /// The word for it in files and the database.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            FailureKind::OffScale => "off_scale",
            FailureKind::Unparsable => "unparsable",
            FailureKind::Refused => "refused",
            FailureKind::Truncated => "truncated",
            FailureKind::TimedOut => "timed_out",
            FailureKind::Missing => "missing",
            FailureKind::Other => "other",
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.word().replace('_', " "))
    }
}
