//! How much of an agreement two levels are.

use super::counts::Item;
use crate::input::scale::Level;
use crate::measure::weights::Disagreement;

/// Agreement weights 1 − d / max d between all declared levels.
pub(super) struct Similarity {
    pub(super) levels: usize,
    weights: Vec<f64>,
}

impl Similarity {
    pub(super) fn new(disagreement: &Disagreement<'_>, levels: usize) -> Similarity {
        let most = disagreement.greatest();
        let of = |a: usize, b: usize| 1.0 - disagreement.between(a as Level, b as Level) / most;
        let weights =
            (0..levels).flat_map(|a| (0..levels).map(move |b| (a, b))).map(|(a, b)| of(a, b)).collect();
        Similarity { levels, weights }
    }

    pub(super) fn at(&self, a: usize, b: usize) -> f64 {
        self.weights[a * self.levels + b]
    }

    pub(super) fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Mean similarity of each level with these shares; the mean of both directions where the weights have one.
    pub(super) fn with(&self, shares: &[f64]) -> Vec<f64> {
        let mean = |a: usize| {
            shares
                .iter()
                .enumerate()
                .map(|(b, share)| share * (self.at(a, b) + self.at(b, a)) / 2.0)
                .sum::<f64>()
        };
        (0..self.levels).map(mean).collect()
    }

    /// Σ_k r_k (Σ_l w_kl r_l − 1): weighted agreeing ordered pairs of an item's ratings.
    pub(super) fn agreeing(&self, item: &Item) -> f64 {
        let with = |a: &Level| {
            item.levels.iter().map(|(b, count)| self.at(*a as usize, *b as usize) * count).sum::<f64>()
        };
        item.levels.iter().map(|(level, count)| count * (with(level) - 1.0)).sum()
    }
}
