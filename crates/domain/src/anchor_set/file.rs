//! The file of an anchor set: equal sets are equal bytes, and a changed byte is noticed.

use super::{AnchorSet, AnchorSetName};
use crate::{ContentHash, NotCanonical, canonical_json, hash_of};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};

/// Most bytes of a file: beyond it nothing else fits into memory.
const LARGEST_FILE: usize = 256 << 20;

/// Why a file is no anchor set, or a set cannot be frozen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnchorSetError {
    /// Not JSON, or not of an anchor set's shape.
    #[error("not an anchor set: {0}")]
    Shape(String),
    /// The content is not the content that was hashed.
    #[error(
        "the anchor set was changed after it was frozen: the hash in the file is {said}, that of what it holds is {found}; take the original file, or freeze a new version"
    )]
    Hash {
        /// The hash that the file carries.
        said: String,
        /// The hash of what it holds.
        found: ContentHash,
    },
    /// The content is the one that was hashed, written in another way.
    #[error(
        "the anchor set is not written as it was frozen (from byte {at} on); take the original file, or export it again"
    )]
    Bytes {
        /// The first byte that differs.
        at: usize,
    },
    /// Something in it that cannot stand.
    #[error("anchor set: {place}: found {found}, expected {expected}")]
    Field {
        /// Where.
        place: String,
        /// What stands there.
        found: String,
        /// What would have been right.
        expected: String,
    },
    /// A number that JSON cannot hold exactly.
    #[error(transparent)]
    NotCanonical(#[from] NotCanonical),
}

fn wrong<T>(place: impl Into<String>, found: &str, expected: impl Into<String>) -> Result<T, AnchorSetError> {
    Err(AnchorSetError::Field {
        place: place.into(),
        found: crate::visible(found),
        expected: expected.into(),
    })
}

impl AnchorSet {
    /// The form of file that this version writes and reads.
    pub const FORMAT: u32 = 1;

    /// SHA-256 of the RFC 8785 form.
    ///
    /// # Errors
    /// [`NotCanonical`] for numbers that would be rounded.
    pub fn hash(&self) -> Result<ContentHash, NotCanonical> {
        hash_of(self)
    }

    /// The file: the RFC 8785 form with the hash, and one newline.
    ///
    /// # Errors
    /// [`NotCanonical`] for numbers that would be rounded.
    pub fn to_file(&self) -> Result<String, NotCanonical> {
        let hash = self.hash()?;
        let mut value =
            serde_json::to_value(self).map_err(|error| NotCanonical::Unserialisable(error.to_string()))?;
        if let Value::Object(fields) = &mut value {
            fields.insert("hash".to_owned(), hash.0.into());
        }
        written(&value)
    }

    /// Reads a file, and refuses one in which a byte was changed.
    ///
    /// # Errors
    /// [`AnchorSetError`], which says what is wrong and what to do.
    pub fn from_file(bytes: &[u8]) -> Result<(AnchorSet, ContentHash), AnchorSetError> {
        let shape = |error: serde_json::Error| AnchorSetError::Shape(error.to_string());
        if bytes.len() > LARGEST_FILE {
            return Err(AnchorSetError::Shape(format!("more than {} MiB", LARGEST_FILE >> 20)));
        }
        let mut value: Value = serde_json::from_slice(bytes).map_err(shape)?;
        let canonical = written(&value)?;
        let said = match value.as_object_mut().and_then(|fields| fields.remove("hash")) {
            Some(Value::String(said)) => said,
            _ => return Err(AnchorSetError::Shape("no `hash`".to_owned())),
        };
        let found = hash_of(&value)?;
        if said != found.0 {
            return Err(AnchorSetError::Hash { said, found });
        }
        if let Some(at) = first_difference(bytes, canonical.as_bytes()) {
            return Err(AnchorSetError::Bytes { at });
        }
        let set: AnchorSet = serde_json::from_value(value).map_err(shape)?;
        set.check()?;
        Ok((set, found))
    }

    /// Checks what the types cannot: items of conversations and units that are there, references on their scale, clusters in one split.
    ///
    /// # Errors
    /// [`AnchorSetError::Field`].
    pub fn check(&self) -> Result<(), AnchorSetError> {
        if self.format != AnchorSet::FORMAT {
            return wrong(
                "format",
                &self.format.to_string(),
                format!("{}: another version of touchstone wrote it", AnchorSet::FORMAT),
            );
        }
        if !AnchorSetName::is_allowed(&self.name) {
            return wrong("name", &self.name, AnchorSetName::EXPECTED);
        }
        if self.version == 0 {
            return wrong("version", "0", "a version from 1 on");
        }
        if let Some(expires) = &self.expires
            && time::Date::parse(expires, &time::format_description::well_known::Iso8601::DATE).is_err()
        {
            return wrong("expires", expires, "a day like 2027-12-31");
        }
        self.rubric
            .check()
            .or_else(|error| wrong("rubric", &error.to_string(), "a rubric that can stand"))?;
        self.check_items()
    }

    fn check_items(&self) -> Result<(), AnchorSetError> {
        let conversations = self
            .read_conversations()
            .or_else(|fault| wrong("conversations", &fault.to_string(), "conversations that can be read"))?;
        if conversations.len() < self.conversations.len() {
            return wrong("conversations", "an id twice", "each conversation once");
        }
        let mut seen = HashSet::new();
        let mut splits = BTreeMap::new();
        for item in &self.items {
            let place = || format!("item {}", item.key());
            let Some((conversation, _)) = conversations.get(&item.conversation) else {
                return wrong(place(), &item.conversation, "a conversation of the set");
            };
            if !conversation.has(&item.unit) {
                return wrong(place(), &item.unit.to_string(), "a unit of its conversation");
            }
            if !seen.insert(item.key()) {
                return wrong(place(), "the item twice", "each item once");
            }
            let Some(scale) = self.rubric.scale_of(&item.criterion) else {
                return wrong(place(), &item.criterion, "a criterion of the rubric");
            };
            let mut values = item.labels.iter().map(|label| label.value).chain([item.reference]);
            if let Some(value) = values.find(|value| scale.admit(*value).is_none()) {
                return wrong(place(), &value.to_string(), scale.expectation());
            }
            if *splits.entry(conversation.cluster()).or_insert(item.split) != item.split {
                return wrong(place(), item.split.word(), "all items of a cluster in one split");
            }
        }
        Ok(())
    }
}

fn written(value: &Value) -> Result<String, NotCanonical> {
    let mut text = String::from_utf8(canonical_json(value)?)
        .map_err(|error| NotCanonical::Unserialisable(error.to_string()))?;
    text.push('\n');
    Ok(text)
}

fn first_difference(a: &[u8], b: &[u8]) -> Option<usize> {
    let shared = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    (shared < a.len() || shared < b.len()).then_some(shared)
}
