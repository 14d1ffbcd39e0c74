use super::{AnchorSet, Split};
use crate::ContentHash;
use serde::Serialize;
use std::collections::BTreeMap;

/// What changed from one version to another. Items are named `conversation unit criterion`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AnchorSetDifference {
    /// Items that are new.
    pub added: Vec<String>,
    /// Items that are gone.
    pub removed: Vec<String>,
    /// Items with another reference.
    pub changed: Vec<ChangedReference>,
    /// Items that moved between `tune` and `confirm`.
    pub moved: Vec<String>,
    /// Conversations whose text differs.
    pub rewritten: Vec<String>,
    /// Whether another rubric is asked.
    pub rubric_changed: bool,
}

/// An item whose reference differs between two versions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangedReference {
    /// The item.
    pub item: String,
    /// Its reference in the earlier version.
    pub before: f64,
    /// Its reference in the later version.
    pub after: f64,
}

impl AnchorSet {
    /// What a later version changed.
    #[must_use]
    pub fn difference(&self, later: &AnchorSet) -> AnchorSetDifference {
        let by_key = |set: &AnchorSet| -> BTreeMap<String, (f64, Split)> {
            set.items.iter().map(|item| (item.key(), (item.reference, item.split))).collect()
        };
        let (old, new) = (by_key(self), by_key(later));
        let mut difference =
            AnchorSetDifference { rubric_changed: self.rubric != later.rubric, ..Default::default() };
        for (item, (after, split)) in &new {
            let Some((before, split_before)) = old.get(item) else {
                difference.added.push(item.clone());
                continue;
            };
            if before.total_cmp(after).is_ne() {
                let (before, after) = (*before, *after);
                difference.changed.push(ChangedReference { item: item.clone(), before, after });
            }
            if split_before != split {
                difference.moved.push(item.clone());
            }
        }
        difference.removed = old.into_keys().filter(|item| !new.contains_key(item)).collect();
        let texts = |set: &AnchorSet| -> BTreeMap<String, ContentHash> {
            let read = set.read_conversations().unwrap_or_default();
            read.into_iter().map(|(id, (_, hash))| (id, hash)).collect()
        };
        let before = texts(self);
        let rewritten = |(id, hash): &(String, ContentHash)| before.get(id).is_some_and(|old| old != hash);
        difference.rewritten = texts(later).into_iter().filter(rewritten).map(|(id, _)| id).collect();
        difference
    }
}
