//! Anchor sets: a frozen, hashed list of items with references.

mod candidate;
mod choose;
mod difference;
mod file;
mod frozen;
mod name;
mod precision;
mod review;
#[cfg(test)]
mod tests;

pub use candidate::{Candidate, pseudonym};
pub use choose::{AnchorChoice, Stratum};
pub use difference::{AnchorSetDifference, ChangedReference};
pub use file::AnchorSetError;
pub use name::AnchorSetName;
pub use precision::Precision;
pub use review::{AnchorReview, ReviewItem, ReviewReason};

use crate::{ContentHash, Conversation, Rubric, Unit};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use time::OffsetDateTime;

/// A list of items with references, whole: rubric and conversations stand in it. Once frozen it never changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnchorSet {
    /// Version of the file's form: 1.
    pub format: u32,
    /// Name, shared by all versions.
    pub name: String,
    /// Counts up from 1.
    pub version: u32,
    /// When it was frozen, in UTC.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// Who keeps it true.
    pub owner: Option<String>,
    /// The day from which it must be looked at again, `2027-12-31`.
    pub expires: Option<String>,
    /// Seed of the choice and of the split.
    pub seed: u32,
    /// What was asked.
    pub rubric: Rubric,
    /// Each conversation once, as it was imported, without its metadata.
    pub conversations: Vec<Value>,
    /// The items, by conversation, criterion and unit.
    pub items: Vec<AnchorItem>,
}

/// An item with its reference.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnchorItem {
    /// Id of the conversation.
    pub conversation: String,
    /// The unit.
    pub unit: Unit,
    /// Id of the criterion.
    pub criterion: String,
    /// From which stratum it was drawn.
    pub stratum: String,
    /// What people said, under pseudonyms.
    pub labels: Vec<AnchorLabel>,
    /// The agreed value.
    pub reference: f64,
    /// How it came about.
    pub provenance: Provenance,
    /// For working on judges, or for the last word on one.
    pub split: Split,
}

/// What one person said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnchorLabel {
    /// A stable pseudonym.
    pub annotator: String,
    /// The value.
    pub value: f64,
}

/// Where a reference value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// One label only: that label.
    Single,
    /// All labels were equal.
    Unanimous,
    /// Most labels.
    Majority,
    /// The middle label.
    Median,
    /// As a lead decided.
    Adjudicated,
}

impl Provenance {
    /// The word for it, as anchor sets write it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Provenance::Single => "single",
            Provenance::Unanimous => "unanimous",
            Provenance::Majority => "majority",
            Provenance::Median => "median",
            Provenance::Adjudicated => "adjudicated",
        }
    }
}

impl std::str::FromStr for Provenance {
    type Err = String;

    fn from_str(text: &str) -> Result<Provenance, String> {
        use Provenance::{Adjudicated, Majority, Median, Single, Unanimous};
        [Single, Unanimous, Majority, Median, Adjudicated]
            .into_iter()
            .find(|provenance| provenance.word() == text)
            .ok_or_else(|| format!("`{text}` is no provenance"))
    }
}

/// The part of an anchor set that an item is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Split {
    /// For working on judges.
    Tune,
    /// For the last word on one: opened once for each decision.
    Confirm,
}

impl Split {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Split::Tune => "tune",
            Split::Confirm => "confirm",
        }
    }
}

impl std::str::FromStr for Split {
    type Err = String;

    fn from_str(text: &str) -> Result<Split, String> {
        [Split::Tune, Split::Confirm]
            .into_iter()
            .find(|split| split.word() == text)
            .ok_or_else(|| format!("`{text}` is no split: expected tune or confirm"))
    }
}

impl From<(Candidate, Split)> for AnchorItem {
    fn from((item, split): (Candidate, Split)) -> AnchorItem {
        AnchorItem {
            conversation: item.conversation,
            unit: item.unit,
            criterion: item.criterion,
            stratum: item.stratum,
            labels: item.labels,
            reference: item.reference,
            provenance: item.provenance,
            split,
        }
    }
}

impl AnchorItem {
    /// What names the item in the set.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{} {} {}", self.conversation, self.unit, self.criterion)
    }
}

impl AnchorSet {
    /// `NAME@VERSION`.
    #[must_use]
    pub fn full_name(&self) -> AnchorSetName {
        AnchorSetName { name: self.name.clone(), version: self.version }
    }

    /// The conversations as they are read, by id, with their content hashes.
    ///
    /// # Errors
    /// A [`crate::Fault`] for one that cannot be read, which no set that was read from a file has.
    pub fn read_conversations(&self) -> Result<BTreeMap<String, (Conversation, ContentHash)>, crate::Fault> {
        let read = |value: &Value| {
            Conversation::from_json(value.clone())
                .map(|(conversation, hash)| (conversation.id.clone(), (conversation, hash)))
        };
        self.conversations.iter().map(read).collect()
    }

    /// The items of one split.
    pub fn items_of(&self, split: Split) -> impl Iterator<Item = &AnchorItem> {
        self.items.iter().filter(move |item| item.split == split)
    }
}
