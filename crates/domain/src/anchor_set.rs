//! Anchor sets: a frozen, hashed list of items with references.

mod choose;
mod file;
#[cfg(test)]
mod tests;

pub use choose::{AnchorChoice, Candidate, Stratum};
pub use file::AnchorSetError;

use crate::{
    ContentHash, Conversation, HumanValue, Observations, ReferenceRule, ReferenceSource, Rubric, Setting,
    Unit,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::Arc,
};
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

/// What changed from one version to another. Items are named `conversation unit criterion`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AnchorSetDifference {
    /// Items that are new.
    pub added: Vec<String>,
    /// Items that are gone.
    pub removed: Vec<String>,
    /// Items with another reference, with the old and the new value.
    pub changed: Vec<(String, f64, f64)>,
    /// Items that moved between `tune` and `confirm`.
    pub moved: Vec<String>,
    /// Conversations whose text differs.
    pub rewritten: Vec<String>,
    /// Whether another rubric is asked.
    pub rubric_changed: bool,
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
    pub fn full_name(&self) -> String {
        format!("{}@{}", self.name, self.version)
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

    /// The items of one split, or of both.
    pub fn items_of(&self, split: Option<Split>) -> impl Iterator<Item = &AnchorItem> {
        self.items.iter().filter(move |item| split.is_none_or(|split| item.split == split))
    }

    /// Items whose conversation shows, or should have shown, a passage of this document: to be looked at when it changes.
    #[must_use]
    pub fn citing(&self, document: &str) -> Vec<&AnchorItem> {
        let Ok(conversations) = self.read_conversations() else { return Vec::new() };
        let cites = |conversation: &Conversation| {
            let expected = conversation.expected.as_ref();
            let sources = expected.and_then(|expected| expected.sources.as_deref()).unwrap_or_default();
            let source = expected.and_then(|expected| expected.source.as_deref());
            conversation.passages().iter().any(|passage| passage.document.as_deref() == Some(document))
                || sources.iter().any(|source| source == document)
                || source == Some(document)
        };
        let citing: BTreeSet<&str> = conversations
            .iter()
            .filter(|(_, (conversation, _))| cites(conversation))
            .map(|(id, _)| id.as_str())
            .collect();
        self.items.iter().filter(|item| citing.contains(item.conversation.as_str())).collect()
    }

    /// What a later version changed.
    #[must_use]
    pub fn difference(&self, later: &AnchorSet) -> AnchorSetDifference {
        let by_key = |set: &AnchorSet| -> BTreeMap<String, (f64, Split)> {
            set.items.iter().map(|item| (item.key(), (item.reference, item.split))).collect()
        };
        let (old, new) = (by_key(self), by_key(later));
        let mut difference =
            AnchorSetDifference { rubric_changed: self.rubric != later.rubric, ..Default::default() };
        for (key, (reference, split)) in &new {
            match old.get(key) {
                None => difference.added.push(key.clone()),
                Some((before, _)) if before.total_cmp(reference).is_ne() => {
                    difference.changed.push((key.clone(), *before, *reference));
                }
                Some((_, before)) if before != split => difference.moved.push(key.clone()),
                Some(_) => {}
            }
        }
        difference.removed = old.into_keys().filter(|key| !new.contains_key(key)).collect();
        let texts = |set: &AnchorSet| -> BTreeMap<String, ContentHash> {
            let read = set.read_conversations().unwrap_or_default();
            read.into_iter().map(|(id, (_, hash))| (id, hash)).collect()
        };
        let before = texts(self);
        difference.rewritten = texts(later)
            .into_iter()
            .filter(|(id, hash)| before.get(id).is_some_and(|before| before != hash))
            .map(|(id, _)| id)
            .collect();
        difference
    }

    /// The labels and references of a split as reports are computed from them. Verdicts are added by whoever has them.
    ///
    /// # Errors
    /// As [`AnchorSet::read_conversations`].
    pub fn observations(&self, split: Option<Split>) -> Result<Observations, crate::Fault> {
        let mut observations = Observations { references: Some(Vec::new()), ..Observations::default() };
        let mut positions: HashMap<String, u32> = HashMap::new();
        let text = |text: Option<String>| text.map(Arc::from);
        for (position, (id, (conversation, _))) in (0..).zip(self.read_conversations()?) {
            observations.settings.push(Setting {
                conversation: id.as_str().into(),
                cluster: conversation.cluster().into(),
                category: text(conversation.category),
                corpus: text(conversation.corpus),
                system: text(conversation.system),
                language: text(conversation.language),
            });
            positions.insert(id, position);
        }
        for item in self.items_of(split) {
            let Some(setting) = positions.get(&item.conversation).copied() else { continue };
            let (unit, criterion): (Arc<str>, Arc<str>) =
                (item.unit.to_string().into(), item.criterion.as_str().into());
            let human = |annotator: &str, value| HumanValue {
                annotator: annotator.into(),
                setting,
                unit: unit.clone(),
                criterion: criterion.clone(),
                value,
            };
            observations.labels.extend(item.labels.iter().map(|label| human(&label.annotator, label.value)));
            observations.references.get_or_insert_default().push(human("", item.reference));
        }
        Ok(observations)
    }

    /// Where the references come from, as reports say it. The rule is the one that the items' provenance tells of.
    #[must_use]
    pub fn source(&self) -> ReferenceSource {
        let has = |provenance| self.items.iter().any(|item| item.provenance == provenance);
        let rule = if has(Provenance::Majority) {
            ReferenceRule::Majority
        } else if has(Provenance::Median) || !has(Provenance::Unanimous) {
            ReferenceRule::Median
        } else {
            ReferenceRule::Unanimous
        };
        let annotators: BTreeSet<&str> =
            self.items.iter().flat_map(|item| &item.labels).map(|label| label.annotator.as_str()).collect();
        let annotators = annotators.into_iter().map(str::to_owned).collect();
        ReferenceSource { rule, annotators, anchor_set: Some(self.full_name()) }
    }
}
