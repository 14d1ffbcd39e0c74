//! Who gave which item which value: built row by row on a declared scale, compact inside.

use std::collections::HashMap;
use std::sync::Arc;

use thiserror::Error;

use crate::column::Column;
use crate::pairs::Pairs;
use crate::scale::{Level, Scale};

/// The level of a rating whose row is there and whose value is not.
const MISSING: Level = Level::MAX;

/// Why a row cannot be taken. Rows are counted from 1 in the order in which they were pushed.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RatingError {
    /// NaN or infinite.
    #[error("row {row}: {rater} gave {item} the value {value}, which is not a finite number")]
    NotFinite {
        /// The row.
        row: usize,
        /// Who.
        rater: String,
        /// What was rated.
        item: String,
        /// The value found.
        value: f64,
    },
    /// A value that the scale does not have.
    #[error("row {row}: {rater} gave {item} the value {value}, which is not on the scale ({expected})")]
    OffScale {
        /// The row.
        row: usize,
        /// Who.
        rater: String,
        /// What was rated.
        item: String,
        /// The value found.
        value: f64,
        /// The values of the scale.
        expected: String,
    },
    /// The same rater rated the same item before.
    #[error(
        "row {row}: {rater} rated {item} already in row {first_row} (now {value:?}); give each rater and item one row"
    )]
    Duplicate {
        /// The row.
        row: usize,
        /// The row that came first.
        first_row: usize,
        /// Who.
        rater: String,
        /// What was rated.
        item: String,
        /// The value found in the second row.
        value: Option<f64>,
    },
    /// The item stood in another cluster before.
    #[error(
        "row {row}: {rater} on {item}: the item is in cluster {cluster} here and in {first_cluster} before"
    )]
    ClusterConflict {
        /// The row.
        row: usize,
        /// Who.
        rater: String,
        /// What was rated.
        item: String,
        /// The cluster found.
        cluster: String,
        /// The cluster of the earlier rows.
        first_cluster: String,
    },
}

/// Names in the order in which they came, and their numbers.
#[derive(Clone, Debug, Default)]
struct Names {
    list: Vec<String>,
    index: HashMap<String, u32>,
}

impl Names {
    fn intern(&mut self, name: &str) -> u32 {
        if let Some(&at) = self.index.get(name) {
            return at;
        }
        let at = self.list.len() as u32;
        self.list.push(name.to_owned());
        self.index.insert(name.to_owned(), at);
        at
    }
}

/// Collects rows; see [`Ratings::builder`].
#[derive(Clone, Debug)]
pub struct RatingsBuilder {
    scale: Scale,
    raters: Names,
    items: Names,
    clusters: Names,
    cluster_of: Vec<Option<u32>>,
    cells: Vec<Vec<(u32, f64)>>,
    first_row: HashMap<(u32, u32), u32>,
    rows: usize,
}

impl RatingsBuilder {
    /// Takes one row: `rater` gave `item` this value; none is a missing value, which is never a category.
    ///
    /// `cluster` names what is independent of the rest (the dialogue, the document); none leaves the item by itself.
    ///
    /// # Errors
    /// A value that is not finite or not on the scale, a second row of the same rater and item, or another cluster
    /// than before for the item. A refused row changes nothing.
    pub fn push(
        &mut self,
        rater: &str,
        item: &str,
        value: Option<f64>,
        cluster: Option<&str>,
    ) -> Result<(), RatingError> {
        let row = self.rows + 1;
        let snapped = value.map(|value| self.snapped(row, rater, item, value)).transpose()?;
        self.check_repeat(row, rater, item, value)?;
        self.check_cluster(row, rater, item, cluster)?;

        let rater = self.raters.intern(rater);
        let item = self.items.intern(item);
        if self.cells.len() <= rater as usize {
            self.cells.push(Vec::new());
        }
        if self.cluster_of.len() <= item as usize {
            self.cluster_of.push(None);
        }
        if let Some(cluster) = cluster {
            self.cluster_of[item as usize] = Some(self.clusters.intern(cluster));
        }
        self.cells[rater as usize].push((item, snapped.unwrap_or(f64::NAN)));
        self.first_row.insert((rater, item), row as u32);
        self.rows = row;
        Ok(())
    }

    fn snapped(&self, row: usize, rater: &str, item: &str, value: f64) -> Result<f64, RatingError> {
        if !value.is_finite() {
            return Err(RatingError::NotFinite {
                row,
                rater: rater.to_owned(),
                item: item.to_owned(),
                value,
            });
        }
        self.scale.snap(value).ok_or_else(|| RatingError::OffScale {
            row,
            rater: rater.to_owned(),
            item: item.to_owned(),
            value,
            expected: self.expected(),
        })
    }

    fn expected(&self) -> String {
        const SHOWN: usize = 12;
        if !self.scale.has_levels() {
            return format!("{} to {}", self.scale.min(), self.scale.max());
        }
        let levels: Vec<String> = self.scale.levels().iter().take(SHOWN).map(f64::to_string).collect();
        let more = if self.scale.levels().len() > SHOWN { ", …" } else { "" };
        format!("{}{more}", levels.join(", "))
    }

    fn check_repeat(
        &self,
        row: usize,
        rater: &str,
        item: &str,
        value: Option<f64>,
    ) -> Result<(), RatingError> {
        let key = self.raters.index.get(rater).zip(self.items.index.get(item)).map(|(r, i)| (*r, *i));
        match key.and_then(|key| self.first_row.get(&key)) {
            None => Ok(()),
            Some(&first_row) => Err(RatingError::Duplicate {
                row,
                first_row: first_row as usize,
                rater: rater.to_owned(),
                item: item.to_owned(),
                value,
            }),
        }
    }

    fn check_cluster(
        &self,
        row: usize,
        rater: &str,
        item: &str,
        cluster: Option<&str>,
    ) -> Result<(), RatingError> {
        let known = self.items.index.get(item).and_then(|&item| self.cluster_of[item as usize]);
        match (known.map(|at| &self.clusters.list[at as usize]), cluster) {
            (Some(first), Some(cluster)) if first != cluster => Err(RatingError::ClusterConflict {
                row,
                rater: rater.to_owned(),
                item: item.to_owned(),
                cluster: cluster.to_owned(),
                first_cluster: first.clone(),
            }),
            _ => Ok(()),
        }
    }

    /// The ratings, ready to be read. An item that no row gave a cluster is a cluster by itself, named as the item.
    pub fn build(self) -> Ratings {
        let RatingsBuilder { scale, raters, items, mut clusters, cluster_of, cells, .. } = self;
        let cluster_of = cluster_of
            .into_iter()
            .zip(&items.list)
            .map(|(cluster, item)| cluster.unwrap_or_else(|| clusters.intern(item)))
            .collect();
        let values = if scale.has_levels() { scale.levels().to_vec() } else { distinct(&cells) };
        let cells = cells.into_iter().map(|column| levels_of(&scale, &values, column)).collect();
        Ratings {
            scale: Arc::new(scale),
            values: values.into(),
            raters: raters.list,
            items: items.list,
            clusters: clusters.list,
            cluster_of,
            cells,
        }
    }
}

/// The distinct values that occur, in increasing order.
fn distinct(cells: &[Vec<(u32, f64)>]) -> Vec<f64> {
    let mut values: Vec<f64> =
        cells.iter().flatten().map(|cell| cell.1 + 0.0).filter(|value| !value.is_nan()).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    values
}

fn levels_of(scale: &Scale, values: &[f64], column: Vec<(u32, f64)>) -> Vec<(u32, Level)> {
    let level = |value: f64| {
        if value.is_nan() {
            MISSING
        } else if scale.has_levels() {
            scale.locate(value).unwrap_or(MISSING)
        } else {
            values.partition_point(|other| *other < value) as Level
        }
    };
    let mut column: Vec<(u32, Level)> =
        column.into_iter().map(|(item, value)| (item, level(value))).collect();
    column.sort_unstable_by_key(|cell| cell.0);
    column
}

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
    scale: Arc<Scale>,
    values: Arc<[f64]>,
    raters: Vec<String>,
    items: Vec<String>,
    clusters: Vec<String>,
    cluster_of: Vec<u32>,
    /// For each rater, the items that have a row, in order of item.
    cells: Vec<Vec<(u32, Level)>>,
}

impl Ratings {
    /// Starts to collect rows on a scale.
    pub fn builder(scale: Scale) -> RatingsBuilder {
        RatingsBuilder {
            scale,
            raters: Names::default(),
            items: Names::default(),
            clusters: Names::default(),
            cluster_of: Vec::new(),
            cells: Vec::new(),
            first_row: HashMap::new(),
            rows: 0,
        }
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
