use crate::Unit;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// What an annotator said of a unit on a criterion, as `labels.csv` and `labels.jsonl` carry it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelRow {
    /// Name of the annotator.
    pub annotator: String,
    /// Id of the conversation in the source system.
    pub conversation: String,
    /// What the label is about.
    pub unit: Unit,
    /// Id of the criterion.
    pub criterion: String,
    /// The value of the level chosen, or a number on a continuous scale.
    pub value: f64,
    /// Which deliberate repeat by the same person, from 0.
    #[serde(default)]
    pub pass: u32,
    /// A remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// Whether the annotator marked the unit for a second look.
    #[serde(default)]
    pub flag: bool,
    /// When it was said.
    #[serde(default, with = "time::serde::rfc3339::option", skip_serializing_if = "Option::is_none")]
    pub labelled_at: Option<OffsetDateTime>,
    /// How long it took, in seconds of activity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}
