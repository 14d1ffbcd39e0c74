use super::Day;
use agreement::Estimate;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

/// A promoted judge that was run on its anchor set again: how much higher it scores there than when it was promoted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Id of the criterion.
    pub dimension: String,
    /// Name of the judge.
    pub judge: String,
    /// Its version.
    pub version: String,
    /// The model that answered now, by the provider's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported_model: Option<String>,
    /// The instrument that answered now, as production scores name it.
    pub fingerprint: String,
    /// The anchor set, `NAME@VERSION`.
    pub anchor_set: String,
    /// Its mean on the anchor set now, minus that at its promotion, as a share of the scale's range, with an interval by item.
    pub shift: Estimate,
    /// When it was run.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
}

impl Calibration {
    /// The day on which it was run.
    #[must_use]
    pub fn day(&self) -> Day {
        Day::of(self.at)
    }

    /// `NAME@VERSION`.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}@{}", self.judge, self.version)
    }
}
