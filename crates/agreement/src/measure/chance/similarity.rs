//! How much of an agreement two levels are.

use super::counts::Item;
use crate::input::scale::Level;
use crate::measure::weights::Disagreement;

/// Agreement weights 1 − d / max d between the declared levels. They are computed where they are asked for: a table of
/// them would grow with the square of the levels.
pub(super) struct Similarity<'w> {
    pub(super) levels: usize,
    disagreement: Disagreement<'w>,
    most: f64,
}

impl<'w> Similarity<'w> {
    pub(super) fn new(disagreement: Disagreement<'w>, levels: usize) -> Similarity<'w> {
        Similarity { levels, most: disagreement.greatest(), disagreement }
    }

    fn at(&self, a: Level, b: Level) -> f64 {
        1.0 - self.disagreement.between(a, b) / self.most
    }

    /// Sum over all pairs of levels.
    pub(super) fn total(&self) -> f64 {
        self.with(&vec![1.0; self.levels]).iter().sum()
    }

    /// Mean similarity of each level with these shares; the mean of both directions where the weights have one.
    pub(super) fn with(&self, shares: &[f64]) -> Vec<f64> {
        let all: f64 = shares.iter().sum();
        let (first, second) =
            (self.disagreement.of_first_with(shares), self.disagreement.of_second_with(shares));
        first.iter().zip(second).map(|(first, second)| all - (first + second) / 2.0 / self.most).collect()
    }

    /// Σ_k r_k (Σ_l w_kl r_l − 1): weighted agreeing ordered pairs of an item's ratings.
    pub(super) fn agreeing(&self, item: &Item) -> f64 {
        let with = |a: &Level| item.levels.iter().map(|(b, count)| self.at(*a, *b) * count).sum::<f64>();
        item.levels.iter().map(|(level, count)| count * (with(level) - 1.0)).sum()
    }
}
