//! Who gave which item which value, compact inside.

use std::sync::Arc;

use crate::input::builder::{Names, RatingError, RatingsBuilder};
use crate::input::column::Column;
use crate::input::pairs::Pairs;
use crate::input::scale::{Level, Scale};

/// The level of a rating whose row is there and whose value is not.
pub(super) const MISSING: Level = Level::MAX;

/// Ratings of items by raters on one declared scale. Items keep their identity: nothing is matched by position.
///
/// ```
/// use agreement::{Ratings, Scale};
/// let mut rows = Ratings::builder(Scale::ordinal([1.0, 2.0, 3.0])?);
/// rows.push("ann", "a1", Some(3.0), Some("dialogue-1"))?;
/// rows.push("bob", "a1", Some(2.0), Some("dialogue-1"))?;
/// rows.push("ann", "a2", None, Some("dialogue-1"))?;
/// assert!(rows.push("ann", "a1", Some(3.0), None).is_err());
/// let ratings = rows.build();
/// assert_eq!(ratings.items(), ["a1", "a2"]);
/// assert_eq!(ratings.value(0, 0), Some(3.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ratings {
    pub(super) scale: Arc<Scale>,
    pub(super) values: Arc<[f64]>,
    pub(super) raters: Vec<String>,
    pub(super) items: Vec<String>,
    pub(super) clusters: Vec<String>,
    pub(super) cluster_of: Vec<u32>,
    /// For each rater, the items that have a row, in order of item.
    pub(super) cells: Vec<Vec<(u32, Level)>>,
}

impl Ratings {
    /// Starts to collect rows on a scale.
    pub fn builder(scale: Scale) -> RatingsBuilder {
        RatingsBuilder::new(scale)
    }

    /// Ratings from a rectangular table, one row for each item and one column for each rater, named by their numbers.
    ///
    /// # Errors
    /// A value that is not finite or not on the scale.
    pub fn from_table(scale: Scale, rows: &[Vec<Option<f64>>]) -> Result<Ratings, RatingError> {
        let mut builder = Ratings::builder(scale);
        for (item, row) in rows.iter().enumerate() {
            for (rater, value) in row.iter().enumerate() {
                builder.push(&rater.to_string(), &item.to_string(), *value, None)?;
            }
        }
        Ok(builder.build())
    }

    /// The declared scale.
    pub fn scale(&self) -> &Scale {
        &self.scale
    }

    /// The value of each level; on a continuous scale without a step, the distinct values that occur.
    pub fn level_values(&self) -> &[f64] {
        &self.values
    }

    /// The raters, in the order in which they came.
    pub fn raters(&self) -> &[String] {
        &self.raters
    }

    /// The items, in the order in which they came.
    pub fn items(&self) -> &[String] {
        &self.items
    }

    /// How many items there are, rated or not.
    pub fn n_items(&self) -> usize {
        self.items.len()
    }

    /// The clusters, in the order in which they came.
    pub fn clusters(&self) -> &[String] {
        &self.clusters
    }

    /// The cluster of an item, as a position in [`Ratings::clusters`].
    pub fn cluster_of(&self, item: usize) -> Option<usize> {
        self.cluster_of.get(item).map(|cluster| *cluster as usize)
    }

    /// How many ratings have a value.
    pub fn n_ratings(&self) -> usize {
        self.cells.iter().flatten().filter(|cell| cell.1 != MISSING).count()
    }

    /// The position of a rater by name.
    pub fn rater(&self, name: &str) -> Option<usize> {
        self.raters.iter().position(|rater| rater == name)
    }

    /// What a rater (by position) gave an item (by position); none without a row, or with a row without a value.
    pub fn value(&self, rater: usize, item: usize) -> Option<f64> {
        let column = self.cells.get(rater)?;
        let at = column.binary_search_by_key(&(item as u32), |cell| cell.0).ok()?;
        self.values.get(column[at].1 as usize).copied()
    }

    /// One rater's answers, one for each item. An unknown rater answered nothing.
    pub fn column(&self, rater: usize) -> Column {
        let mut column = Column::absent(self.n_items());
        for &(item, level) in self.cells.get(rater).into_iter().flatten() {
            column.set(item as usize, (level != MISSING).then_some(level));
        }
        column
    }

    /// The matched ratings of two raters (by position): items that both have a row for.
    pub fn pair(&self, a: usize, b: usize) -> Pairs {
        self.matched(&self.column(a), &self.column(b))
    }

    /// The matched answers of two columns over these items, for example a reference and a judge.
    pub fn matched(&self, a: &Column, b: &Column) -> Pairs {
        Pairs::matched(Arc::clone(&self.scale), Arc::clone(&self.values), &self.cluster_of, a, b)
    }

    /// The same items with some raters only, in the order asked for.
    #[must_use]
    pub fn with_raters(&self, raters: &[usize]) -> Ratings {
        let known = || raters.iter().filter(|rater| **rater < self.raters.len());
        Ratings {
            raters: known().map(|rater| self.raters[*rater].clone()).collect(),
            cells: known().map(|rater| self.cells[*rater].clone()).collect(),
            ..self.clone()
        }
    }

    /// The same raters on some items only; `keep` is asked with each item's position and name.
    #[must_use]
    pub fn filter_items(&self, keep: impl Fn(usize, &str) -> bool) -> Ratings {
        let kept: Vec<usize> = (0..self.n_items()).filter(|&item| keep(item, &self.items[item])).collect();
        let mut position = vec![None; self.n_items()];
        for (new, &old) in kept.iter().enumerate() {
            position[old] = Some(new as u32);
        }
        let mut clusters = Names::default();
        let cluster_of = kept
            .iter()
            .map(|&item| clusters.intern(&self.clusters[self.cluster_of[item] as usize]))
            .collect();
        let cells = self
            .cells
            .iter()
            .map(|column| {
                column.iter().filter_map(|&(item, level)| Some((position[item as usize]?, level))).collect()
            })
            .collect();
        Ratings {
            items: kept.iter().map(|&item| self.items[item].clone()).collect(),
            clusters: clusters.list,
            cluster_of,
            cells,
            scale: Arc::clone(&self.scale),
            values: Arc::clone(&self.values),
            raters: self.raters.clone(),
        }
    }

    /// The levels that each item was given, one item after another, and where each item begins and ends; missing
    /// values are left out.
    pub(crate) fn levels_by_item(&self) -> (Vec<usize>, Vec<Level>) {
        let mut ends = vec![0; self.n_items() + 1];
        for column in &self.cells {
            for (item, level) in column {
                ends[*item as usize + 1] += usize::from(*level != MISSING);
            }
        }
        for item in 0..self.n_items() {
            ends[item + 1] += ends[item];
        }
        let mut next = ends.clone();
        let mut levels = vec![0; ends[self.n_items()]];
        for column in &self.cells {
            for (item, level) in column.iter().filter(|cell| cell.1 != MISSING) {
                let at = &mut next[*item as usize];
                levels[*at] = *level;
                *at += 1;
            }
        }
        (ends, levels)
    }

    /// The cluster of each item, as a number.
    pub(crate) fn cluster_numbers(&self) -> &[u32] {
        &self.cluster_of
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale() -> Scale {
        Scale::ordinal([1.0, 2.0, 3.0]).unwrap()
    }

    #[test]
    fn a_bad_row_is_named_and_changes_nothing() {
        let mut rows = Ratings::builder(scale());
        rows.push("ann", "x", Some(1.0), Some("c")).unwrap();
        let text = rows.push("ann", "y", Some(7.0), None).unwrap_err().to_string();
        assert_eq!(text, "row 2: ann gave y the value 7, which is not on the scale (1, 2, 3)");
        assert!(matches!(
            rows.push("ann", "x", None, None),
            Err(RatingError::Duplicate { row: 2, first_row: 1, .. })
        ));
        assert!(matches!(
            rows.push("bob", "x", Some(1.0), Some("d")),
            Err(RatingError::ClusterConflict { .. })
        ));
        assert!(matches!(rows.push("bob", "x", Some(f64::NAN), None), Err(RatingError::NotFinite { .. })));
        let ratings = rows.build();
        assert_eq!((ratings.raters().len(), ratings.n_items(), ratings.n_ratings()), (1, 1, 1));
    }

    #[test]
    fn items_without_a_cluster_are_their_own() {
        let mut rows = Ratings::builder(scale());
        rows.push("ann", "x", Some(1.0), None).unwrap();
        rows.push("ann", "y", Some(1.0), None).unwrap();
        rows.push("bob", "x", Some(1.0), Some("c")).unwrap();
        let ratings = rows.build();
        assert_eq!(ratings.clusters(), ["c", "y"]);
        assert_eq!(ratings.cluster_of(1), Some(1));
    }

    #[test]
    fn a_scale_without_levels_takes_the_values_that_occur() {
        let mut rows = Ratings::builder(Scale::continuous(0.0, 1.0, None).unwrap());
        rows.push("ann", "x", Some(0.7), None).unwrap();
        rows.push("bob", "x", Some(0.2), None).unwrap();
        rows.push("bob", "y", None, None).unwrap();
        let ratings = rows.build();
        assert_eq!(ratings.level_values(), [0.2, 0.7]);
        assert_eq!(ratings.value(0, 0), Some(0.7));
        assert_eq!(ratings.value(1, 1), None);
    }

    #[test]
    fn a_slice_keeps_names_and_clusters() {
        let mut rows = Ratings::builder(scale());
        for (item, cluster) in [("x", "c"), ("y", "d"), ("z", "c")] {
            rows.push("ann", item, Some(2.0), Some(cluster)).unwrap();
        }
        let slice = rows.build().filter_items(|_, name| name != "x");
        assert_eq!(slice.items(), ["y", "z"]);
        assert_eq!(slice.clusters(), ["d", "c"]);
        assert_eq!(slice.value(0, 1), Some(2.0));
    }
}
