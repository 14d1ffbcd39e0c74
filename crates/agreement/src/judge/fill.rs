//! What a judge's figure would be if its failures had been answers: as bad, or as good, as they could be.

use crate::input::column::Column;
use crate::input::ratings::Ratings;
use crate::input::scale::Level;

/// How a failure is filled in. The two are no bounds: for κ the farthest level is not always the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fill {
    /// The level farthest from the reference; of two equally far, the lower.
    Pessimistic,
    /// The reference itself.
    Optimistic,
}

/// The judge's column with each failure (asked, no value) filled in where there is a reference. On a scale without
/// levels the farthest of the values that occur is taken.
pub fn fill(ratings: &Ratings, reference: &Column, answers: &Column, how: Fill) -> Column {
    let mut filled = answers.clone();
    for item in 0..answers.len() {
        if let Some(level) =
            reference.level(item).filter(|_| answers.was_asked(item) && answers.level(item).is_none())
        {
            filled.set(
                item,
                Some(match how {
                    Fill::Optimistic => level,
                    Fill::Pessimistic => farthest(ratings, level),
                }),
            );
        }
    }
    filled
}

fn farthest(ratings: &Ratings, from: Level) -> Level {
    let values = ratings.level_values();
    let ordered = ratings.scale().is_ordered();
    let distance = |level: usize| {
        if ordered {
            (values[level] - values[from as usize]).abs()
        } else {
            f64::from(level as Level != from)
        }
    };
    let mut best = from as usize;
    for level in 0..values.len() {
        if distance(level) > distance(best) {
            best = level;
        }
    }
    best as Level
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::scale::Scale;

    #[test]
    fn failures_are_filled_and_nothing_else() {
        let rows = [[Some(1.0), None], [Some(2.0), None], [Some(3.0), Some(2.0)], [None, None]]
            .map(|row| row.to_vec());
        let ratings = Ratings::from_table(Scale::ordinal([1.0, 2.0, 3.0]).unwrap(), &rows).unwrap();
        let levels = |how| {
            let filled = fill(&ratings, &ratings.column(0), &ratings.column(1), how);
            (0..4).map(|item| filled.level(item)).collect::<Vec<_>>()
        };
        assert_eq!(levels(Fill::Pessimistic), [Some(2), Some(0), Some(1), None]);
        assert_eq!(levels(Fill::Optimistic), [Some(0), Some(1), Some(1), None]);
    }
}
