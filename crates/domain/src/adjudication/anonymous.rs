//! Labels without names: A, B, C, in an order that says nothing of who gave them.

use super::{Item, SeenLabel};
use crate::ContentHash;
use serde::{Deserialize, Serialize};

/// A label that counts, with who gave it.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemLabel {
    /// Who said what.
    pub label: SeenLabel,
    /// A remark.
    pub comment: Option<String>,
    /// Marked for a second look.
    pub flag: bool,
}

/// A label as whoever adjudicates sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnonymousLabel {
    /// A, B, C, …: of this item alone, so that nobody can be followed from one item to the next.
    pub letter: String,
    /// The value.
    pub value: f64,
    /// A remark.
    pub comment: Option<String>,
    /// Marked for a second look.
    pub flag: bool,
}

impl Item {
    /// Text that tells items apart, also where ids have spaces.
    fn key(&self) -> String {
        format!("{:?} {:?} {:?}", self.conversation, self.unit.to_string(), self.criterion)
    }

    /// A number that orders items of equal rank: it depends on the seed and on the item, and on nothing else.
    pub(super) fn lot(&self, seed: &str) -> ContentHash {
        ContentHash::of_bytes(format!("{seed} {}", self.key()).as_bytes())
    }

    /// The labels in an order drawn from the seed for this item, under letters.
    #[must_use]
    pub fn anonymous(&self, seed: &str, labels: Vec<ItemLabel>) -> Vec<AnonymousLabel> {
        let lot = |label: &ItemLabel| {
            let SeenLabel { annotator, value } = &label.label;
            ContentHash::of_bytes(format!("{seed} {} {annotator:?} {value}", self.key()).as_bytes())
        };
        let mut drawn: Vec<(ContentHash, ItemLabel)> =
            labels.into_iter().map(|label| (lot(&label), label)).collect();
        drawn.sort_by(|a, b| a.0.cmp(&b.0));
        let lettered = drawn.into_iter().enumerate().map(|(index, (_, label))| AnonymousLabel {
            letter: letter(index),
            value: label.label.value,
            comment: label.comment,
            flag: label.flag,
        });
        lettered.collect()
    }

    /// Stands for the labels of this item and for the decision that they would replace. Without the seed it tells nothing of them.
    #[must_use]
    pub fn seen(&self, seed: &str, labels: &[SeenLabel], previous: Option<&str>) -> ContentHash {
        let labels: Vec<String> =
            labels.iter().map(|label| format!("{:?} {}", label.annotator, label.value)).collect();
        let text = format!("{seed} seen {} {labels:?} {previous:?}", self.key());
        ContentHash::of_bytes(text.as_bytes())
    }
}

/// A … Z, AA, AB, …
fn letter(index: usize) -> String {
    let last = char::from(b'A' + u8::try_from(index % 26).unwrap_or(0));
    match index / 26 {
        0 => last.to_string(),
        more => format!("{}{last}", letter(more - 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_go_on_after_z() {
        assert_eq!([0, 25, 26, 52, 701, 702].map(letter), ["A", "Z", "AA", "BA", "ZZ", "AAA"]);
    }
}
