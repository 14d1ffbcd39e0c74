//! One answer, or none, for each item: a rater's, a judge's, or the reference.

use crate::input::scale::Level;

/// No row.
const ABSENT: Level = Level::MAX;
/// A row without a value.
const MISSING: Level = Level::MAX - 1;

/// One answer, or none, for each item of a [`Ratings`](crate::Ratings).
///
/// "Absent" (nobody was asked) differs from "missing" (asked, and no valid answer came): only the second is counted
/// as missing beside a figure.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Column {
    levels: Vec<Level>,
}

impl Column {
    /// A column in which nobody was asked.
    pub fn absent(items: usize) -> Column {
        Column { levels: vec![ABSENT; items] }
    }

    /// The answer to an item, or that it is missing. Positions beyond the column are ignored.
    pub fn set(&mut self, item: usize, level: Option<Level>) {
        if let Some(cell) = self.levels.get_mut(item) {
            *cell = level.unwrap_or(MISSING);
        }
    }

    /// The level at an item, if there is an answer.
    pub fn level(&self, item: usize) -> Option<Level> {
        self.levels.get(item).copied().filter(|level| *level < MISSING)
    }

    /// Whether an answer was asked for, whether or not it came.
    pub fn was_asked(&self, item: usize) -> bool {
        self.levels.get(item).is_some_and(|level| *level != ABSENT)
    }

    /// How many items it covers.
    pub fn len(&self) -> usize {
        self.levels.len()
    }

    /// Whether it covers no item.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    /// How many answers there are.
    pub fn answered(&self) -> usize {
        self.levels.iter().filter(|level| **level < MISSING).count()
    }

    /// The same column on some items only; elsewhere nobody was asked.
    #[must_use]
    pub fn restricted(&self, keep: impl Fn(usize) -> bool) -> Column {
        let levels = self.levels.iter().enumerate();
        Column { levels: levels.map(|(item, level)| if keep(item) { *level } else { ABSENT }).collect() }
    }
}
