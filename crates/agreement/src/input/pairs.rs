//! The answers of two raters to the same items.

use std::sync::Arc;

use crate::input::builder::RatingError;
use crate::input::column::Column;
use crate::input::ratings::Ratings;
use crate::input::scale::{Level, Scale};
use crate::result::estimate::Unit;

/// Matched answers of two raters, `a` and `b`, with the cluster of each item.
///
/// `a` is the reference where there is one, so that a bias is `b − a`: judge minus reference.
#[derive(Clone, Debug)]
pub struct Pairs {
    scale: Arc<Scale>,
    values: Arc<[f64]>,
    a: Vec<Level>,
    b: Vec<Level>,
    cluster: Vec<u32>,
    clusters: usize,
    missing: u64,
}

impl Pairs {
    /// Two raters' values in the order of the items, each item by itself.
    ///
    /// # Errors
    /// A value that is not finite or not on the scale. Where one list is longer, its surplus has no partner and is missing.
    pub fn from_values(scale: Scale, a: &[Option<f64>], b: &[Option<f64>]) -> Result<Pairs, RatingError> {
        let rows: Vec<Vec<Option<f64>>> = (0..a.len().max(b.len()))
            .map(|item| vec![a.get(item).copied().flatten(), b.get(item).copied().flatten()])
            .collect();
        Ok(Ratings::from_table(scale, &rows)?.pair(0, 1))
    }

    pub(crate) fn matched(
        scale: Arc<Scale>,
        values: Arc<[f64]>,
        cluster_of: &[u32],
        a: &Column,
        b: &Column,
    ) -> Pairs {
        let mut pairs = Pairs {
            scale,
            values,
            a: Vec::new(),
            b: Vec::new(),
            cluster: Vec::new(),
            clusters: 0,
            missing: 0,
        };
        let mut renumbered = std::collections::HashMap::new();
        for (item, cluster) in cluster_of.iter().enumerate() {
            if !(a.was_asked(item) && b.was_asked(item)) {
                continue;
            }
            let Some((level_a, level_b)) = a.level(item).zip(b.level(item)) else {
                pairs.missing += 1;
                continue;
            };
            let next = renumbered.len() as u32;
            pairs.cluster.push(*renumbered.entry(*cluster).or_insert(next));
            pairs.a.push(level_a);
            pairs.b.push(level_b);
        }
        pairs.clusters = renumbered.len();
        pairs
    }

    /// The declared scale.
    pub fn scale(&self) -> &Scale {
        &self.scale
    }

    /// The value of each level.
    pub fn level_values(&self) -> &[f64] {
        &self.values
    }

    /// How many items both answered.
    pub fn n(&self) -> usize {
        self.a.len()
    }

    /// How many items both were asked about, and one gave no value.
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// Levels of the first rater.
    pub fn a(&self) -> &[Level] {
        &self.a
    }

    /// Levels of the second rater.
    pub fn b(&self) -> &[Level] {
        &self.b
    }

    /// The values of both, item by item.
    pub fn values(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.a.iter().zip(&self.b).map(|(a, b)| (self.values[*a as usize], self.values[*b as usize]))
    }

    /// The cluster of each item, numbered from 0.
    pub fn cluster(&self) -> &[u32] {
        &self.cluster
    }

    /// How many clusters the items fall into.
    pub fn n_clusters(&self) -> usize {
        self.clusters
    }

    /// Whether any two items share a cluster.
    pub fn is_clustered(&self) -> bool {
        self.clusters < self.a.len()
    }

    /// The independent unit of each item, and how many there are: clusters if they are asked for, else items.
    /// Clusters of one item each are items.
    pub(crate) fn units(&self, asked: Unit) -> Units {
        if asked == Unit::Cluster && self.is_clustered() {
            Units { unit: Unit::Cluster, of: self.cluster.clone(), count: self.clusters }
        } else {
            Units { unit: Unit::Item, of: (0..self.n() as u32).collect(), count: self.n() }
        }
    }
}

/// What is independent: the unit of each item.
#[derive(Clone, Debug)]
pub(crate) struct Units {
    pub(crate) unit: Unit,
    pub(crate) of: Vec<u32>,
    pub(crate) count: usize,
}

impl Units {
    /// What each unit adds up to.
    pub(crate) fn sums(&self, of_item: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.count];
        for (item, unit) in self.of.iter().enumerate() {
            sums[*unit as usize] += of_item(item);
        }
        sums
    }
}

/// The units of some items: their clusters, where two of them share one and clusters are asked for; else themselves.
pub(crate) fn units_of(ratings: &Ratings, items: impl Iterator<Item = usize>, asked: Unit) -> Units {
    let mut numbers = std::collections::HashMap::new();
    let mut clusters: Vec<u32> = Vec::new();
    for item in items {
        let next = numbers.len() as u32;
        clusters.push(*numbers.entry(ratings.cluster_numbers()[item]).or_insert(next));
    }
    if asked == Unit::Cluster && numbers.len() < clusters.len() {
        Units { unit: Unit::Cluster, count: numbers.len(), of: clusters }
    } else {
        Units { unit: Unit::Item, count: clusters.len(), of: (0..clusters.len() as u32).collect() }
    }
}
