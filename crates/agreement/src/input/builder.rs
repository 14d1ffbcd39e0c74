//! Rows of ratings, taken one by one and checked.

use std::collections::HashMap;
use std::sync::Arc;

use thiserror::Error;

use crate::input::ratings::{MISSING, Ratings};
use crate::input::scale::{Level, Scale};

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
pub(super) struct Names {
    pub(super) list: Vec<String>,
    index: HashMap<String, u32>,
}

impl Names {
    pub(super) fn intern(&mut self, name: &str) -> u32 {
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
    pub(super) fn new(scale: Scale) -> RatingsBuilder {
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
