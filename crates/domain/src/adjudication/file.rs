//! The file of references: each with what it was made of.

use super::{AdjudicationReason, Item, SeenLabel};
use crate::{ContentHash, NotCanonical, Provenance, ReferenceRule, Rubric, Unit, canonical_json, visible};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use time::OffsetDateTime;

/// References that were built by one rule at one time, whole, so that they can be taken elsewhere and back without a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferenceFile {
    /// Version of the file's form: 1.
    pub format: u32,
    /// The rule.
    pub rule: ReferenceRule,
    /// Whose labels; empty: everyone's.
    pub annotators: Vec<String>,
    /// The rubric version under which they were built, `name@version`.
    pub rubric: String,
    /// Hash of the labels and decisions behind them.
    pub data_hash: ContentHash,
    /// When they were built.
    #[serde(with = "time::serde::rfc3339")]
    pub built_at: OffsetDateTime,
    /// The references, by conversation, criterion and unit.
    pub references: Vec<ReferenceEntry>,
}

/// The agreed value of an item and how it came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReferenceEntry {
    /// Id of the conversation.
    pub conversation: String,
    /// The unit.
    pub unit: Unit,
    /// Id of the criterion.
    pub criterion: String,
    /// The labels that it was made of, by annotator.
    pub labels: Vec<SeenLabel>,
    /// The agreed value.
    pub reference: f64,
    /// How it came about.
    pub provenance: Provenance,
    /// Who decided, where somebody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adjudicated: Option<Decided>,
}

/// Who decided an item, when and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decided {
    /// Name of the person.
    pub by: String,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// Why people did not agree.
    pub reason: AdjudicationReason,
    /// What else there is to say; empty where nothing is.
    pub note: String,
    /// The rubric version under which it was decided, `name@version`.
    pub rubric: String,
}

/// Why a file is no list of references.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceFileError {
    /// Not JSON, or not of the shape.
    #[error("not a file of references: {0}")]
    Shape(String),
    /// Something in it that cannot stand.
    #[error("references: {place}: found {found}, expected {expected}")]
    Field {
        /// Where.
        place: String,
        /// What stands there.
        found: String,
        /// What would have been right.
        expected: String,
    },
}

fn wrong(place: String, found: &str, expected: impl Into<String>) -> ReferenceFileError {
    ReferenceFileError::Field { place, found: visible(found), expected: expected.into() }
}

impl ReferenceEntry {
    /// The item.
    #[must_use]
    pub fn item(&self) -> Item {
        Item {
            conversation: self.conversation.clone(),
            unit: self.unit.clone(),
            criterion: self.criterion.clone(),
        }
    }
}

impl ReferenceFile {
    /// The form of file that this version writes and reads.
    pub const FORMAT: u32 = 1;

    /// The file: the RFC 8785 form and one newline, so that equal references are equal bytes.
    ///
    /// # Errors
    /// [`NotCanonical`] for numbers that would be rounded.
    pub fn to_file(&self) -> Result<String, NotCanonical> {
        let mut text = String::from_utf8(canonical_json(self)?)
            .map_err(|error| NotCanonical::Unserialisable(error.to_string()))?;
        text.push('\n');
        Ok(text)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// [`ReferenceFileError`], which says what is wrong.
    pub fn from_file(text: &str) -> Result<ReferenceFile, ReferenceFileError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let file: ReferenceFile =
            serde_json::from_str(text).map_err(|error| ReferenceFileError::Shape(error.to_string()))?;
        if file.format != ReferenceFile::FORMAT {
            let expected = format!("{}: another version of touchstone wrote it", ReferenceFile::FORMAT);
            return Err(wrong("format".to_owned(), &file.format.to_string(), expected));
        }
        Ok(file)
    }

    /// Checks what the types cannot, against the rubric that the file names: each item once, values on their scale, and who decided where
    /// somebody did.
    ///
    /// # Errors
    /// [`ReferenceFileError::Field`].
    pub fn check(&self, rubric: &Rubric) -> Result<(), ReferenceFileError> {
        let mut seen = HashSet::new();
        for entry in &self.references {
            let item = entry.item();
            let place =
                || format!("{} {} {}", visible(&item.conversation), item.unit, visible(&item.criterion));
            let Some((criterion, scale)) =
                rubric.criterion(&entry.criterion).zip(rubric.scale_of(&entry.criterion))
            else {
                return Err(wrong(place(), &entry.criterion, "a criterion of the rubric"));
            };
            if entry.unit.kind() != criterion.unit {
                return Err(wrong(place(), &entry.unit.to_string(), "a unit that the criterion is asked of"));
            }
            let mut values = entry.labels.iter().map(|label| label.value).chain([entry.reference]);
            if let Some(value) = values.find(|value| scale.admit(*value) != Some(*value)) {
                return Err(wrong(place(), &value.to_string(), scale.expectation()));
            }
            if (entry.provenance == Provenance::Adjudicated) != entry.adjudicated.is_some() {
                let expected =
                    "`adjudicated`, who decided, where the provenance is adjudicated, and nowhere else";
                return Err(wrong(place(), entry.provenance.word(), expected));
            }
            if !entry.labels.is_sorted_by(|a, b| a.order(b).is_le()) {
                return Err(wrong(place(), "labels in another order", "labels by annotator"));
            }
            if !seen.insert(item.clone()) {
                return Err(wrong(place(), "the item twice", "each item once"));
            }
        }
        Ok(())
    }
}
