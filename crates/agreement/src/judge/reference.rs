//! The agreed value of an item from several labels, by a rule that is stated.

use serde::{Deserialize, Serialize};

use crate::input::column::Column;
use crate::input::ratings::Ratings;
use crate::input::scale::Level;

/// How several labels become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// All are equal; otherwise there is none.
    Unanimous,
    /// The level that more people chose than any other; a tie gives none.
    Majority,
    /// The middle level; where an even number of labels has two different middle ones, none: never a half level.
    Median,
}

/// Where a reference value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// One label only: that label.
    Single,
    /// All labels were equal, under the rule that asks for it.
    Unanimous,
    /// Most labels.
    Majority,
    /// The middle label.
    Median,
}

/// A reference level and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The level on the scale.
    pub level: Level,
    /// By which rule.
    pub provenance: Provenance,
}

impl Rule {
    /// The reference of one item from its labels; none where the rule gives none ("to adjudicate"), or without labels.
    ///
    /// ```
    /// use agreement::{Provenance, Rule};
    /// assert_eq!(Rule::Median.decide(&[0, 3, 3]).map(|found| found.level), Some(3));
    /// assert_eq!(Rule::Median.decide(&[1, 2]), None);
    /// assert_eq!(Rule::Majority.decide(&[2]).map(|found| found.provenance), Some(Provenance::Single));
    /// ```
    pub fn decide(self, labels: &[Level]) -> Option<Reference> {
        let mut sorted = labels.to_vec();
        sorted.sort_unstable();
        match sorted.as_slice() {
            [] => None,
            [level] => Some(Reference { level: *level, provenance: Provenance::Single }),
            several => self.decide_sorted(several),
        }
    }

    fn decide_sorted(self, sorted: &[Level]) -> Option<Reference> {
        match self {
            Rule::Unanimous => {
                let level = sorted[0];
                sorted
                    .iter()
                    .all(|other| *other == level)
                    .then_some(Reference { level, provenance: Provenance::Unanimous })
            }
            Rule::Majority => {
                strict_plurality(sorted).map(|level| Reference { level, provenance: Provenance::Majority })
            }
            Rule::Median => {
                let (low, high) = (sorted[(sorted.len() - 1) / 2], sorted[sorted.len() / 2]);
                (low == high).then_some(Reference { level: low, provenance: Provenance::Median })
            }
        }
    }
}

fn strict_plurality(sorted: &[Level]) -> Option<Level> {
    let runs = || sorted.chunk_by(|left, right| left == right);
    let most = runs().map(<[Level]>::len).max()?;
    let mut winners = runs().filter(|run| run.len() == most);
    let winner = winners.next()?[0];
    winners.next().is_none().then_some(winner)
}

/// The reference of every item from some raters' labels (raters by position). Items that nobody of them was asked
/// about have none and are not missing; items with labels but without a decision are missing.
pub fn references(ratings: &Ratings, raters: &[usize], rule: Rule) -> Vec<Option<Reference>> {
    let columns: Vec<Column> = raters.iter().map(|rater| ratings.column(*rater)).collect();
    (0..ratings.n_items()).map(|item| rule.decide(&labels_at(&columns, item))).collect()
}

/// The references as a column, to be matched with judges.
pub fn reference_column(ratings: &Ratings, raters: &[usize], rule: Rule) -> Column {
    let columns: Vec<Column> = raters.iter().map(|rater| ratings.column(*rater)).collect();
    reference_of(&columns, ratings.n_items(), rule)
}

/// The reference of every item from several columns.
pub(crate) fn reference_of(columns: &[Column], items: usize, rule: Rule) -> Column {
    let mut reference = Column::absent(items);
    for item in 0..items {
        if columns.iter().any(|column| column.was_asked(item)) {
            reference.set(item, rule.decide(&labels_at(columns, item)).map(|found| found.level));
        }
    }
    reference
}

fn labels_at(columns: &[Column], item: usize) -> Vec<Level> {
    columns.iter().filter_map(|column| column.level(item)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_give_none() {
        let level = |rule: Rule, labels: &[Level]| rule.decide(labels).map(|found| found.level);
        assert_eq!(level(Rule::Majority, &[1, 1, 2, 2]), None);
        assert_eq!(level(Rule::Majority, &[1, 2, 2, 3]), Some(2));
        assert_eq!(level(Rule::Majority, &[1, 2, 3]), None);
        assert_eq!(level(Rule::Median, &[0, 1, 1, 4]), Some(1));
        assert_eq!(level(Rule::Median, &[0, 1, 2, 4]), None);
        assert_eq!(level(Rule::Unanimous, &[2, 2, 3]), None);
        assert_eq!(level(Rule::Unanimous, &[]), None);
    }
}
