use crate::{AcceptedThreshold, AnchorSetName, ContentHash, Recalibration, SlotChange, Verdict};
use serde::{Deserialize, Serialize};

/// An entry of the log of releases: what was asked, decided, moved and promoted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReleaseLogEntry {
    /// When, in UTC.
    #[serde(with = "time::serde::rfc3339")]
    pub at: time::OffsetDateTime,
    /// Name of who did it; absent for whoever holds the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// What it was.
    pub event: ReleaseEvent,
}

/// What the log of releases is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ReleaseEvent {
    /// A gate decided.
    Gate {
        /// Identity of the decision.
        decision: String,
        /// The answer.
        outcome: Verdict,
        /// The judge that would be promoted.
        candidate: String,
        /// The judge in place.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        incumbent: Option<String>,
        /// Name of the policy.
        policy: String,
        /// Hash of the policy.
        policy_hash: ContentHash,
        /// Hash of the data.
        data_hash: ContentHash,
    },
    /// The judge in a slot changed.
    Slot(Box<SlotChange>),
    /// A pass threshold was accepted.
    Threshold(AcceptedThreshold),
    /// A promoted judge was asked again about its anchor set.
    Recalibration(Box<Recalibration>),
    /// The `confirm` split of an anchor set was opened.
    Confirm {
        /// The set.
        anchor_set: AnchorSetName,
        /// The judges that were looked at.
        candidates: Vec<String>,
        /// 1 for the first look at one of them, and so on.
        look: u32,
        /// Why, as whoever opened it says.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// A version of the policy was saved.
    Policy {
        /// Its version.
        version: u32,
        /// Its name.
        name: String,
        /// Its hash.
        hash: ContentHash,
    },
}
