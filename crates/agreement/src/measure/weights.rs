//! How much a disagreement weighs.

use thiserror::Error;

use crate::input::scale::{Level, Scale};
use crate::result::estimate::Undefined;

/// Where distances between levels come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// The declared values of the levels.
    Value,
    /// The positions of the levels on the declared scale: 0, 1, 2, …
    Rank,
}

/// The weight of a disagreement between two levels. Its scaling is irrelevant to κ.
#[derive(Clone, Debug, PartialEq)]
pub enum Weights {
    /// Every disagreement weighs the same (Cohen 1960).
    Unweighted,
    /// By the distance |s − t| (Cicchetti & Allison 1971).
    Linear(Basis),
    /// By the squared distance (s − t)² (Fleiss & Cohen 1973).
    Quadratic(Basis),
    /// Any weights (Cohen 1968).
    Custom(CustomWeights),
}

/// Why a matrix holds no weights.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum WeightsError {
    /// A row of another length than there are rows.
    #[error("a weight matrix must be square: row {row} has {found} entries, expected {expected}")]
    NotSquare {
        /// The row, counted from 0.
        row: usize,
        /// Its length.
        found: usize,
        /// The number of rows.
        expected: usize,
    },
    /// A weight that is negative or not finite.
    #[error("weight ({row}, {column}) is {value}: weights must be finite, and a disagreement not negative")]
    OutOfRange {
        /// The row, counted from 0.
        row: usize,
        /// The column, counted from 0.
        column: usize,
        /// What was found.
        value: f64,
    },
    /// Agreement on a level that counts as disagreement.
    #[error("agreement on level {0} must have the weight of full agreement, as on every level")]
    Diagonal(usize),
}

/// A matrix of disagreement weights with a zero diagonal.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomWeights {
    levels: usize,
    disagreement: Vec<f64>,
}

impl CustomWeights {
    /// From disagreements: 0 on the diagonal, more where the levels are farther apart.
    ///
    /// # Errors
    /// A matrix that is not square, an entry that is negative or not finite, a diagonal entry other than 0.
    pub fn from_disagreement(rows: &[Vec<f64>]) -> Result<CustomWeights, WeightsError> {
        let levels = rows.len();
        for (row, entries) in rows.iter().enumerate() {
            if entries.len() != levels {
                return Err(WeightsError::NotSquare { row, found: entries.len(), expected: levels });
            }
            if let Some((column, value)) =
                entries.iter().copied().enumerate().find(|(_, v)| !(v.is_finite() && *v >= 0.0))
            {
                return Err(WeightsError::OutOfRange { row, column, value });
            }
            if entries[row] > 0.0 {
                return Err(WeightsError::Diagonal(row));
            }
        }
        // Their unit does not matter to any figure, but very large or small ones would leave the range of numbers.
        let greatest = rows.iter().flatten().copied().fold(0.0, f64::max);
        let unit = if greatest > 0.0 { greatest } else { 1.0 };
        Ok(CustomWeights { levels, disagreement: rows.iter().flatten().map(|value| value / unit).collect() })
    }

    /// From similarities: the greatest weight on the diagonal, less where the levels are farther apart.
    ///
    /// # Errors
    /// As for disagreements, after each entry is taken from the greatest one.
    pub fn from_similarity(rows: &[Vec<f64>]) -> Result<CustomWeights, WeightsError> {
        let most = rows.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
        let flipped: Vec<Vec<f64>> = rows.iter().map(|row| row.iter().map(|w| most - w).collect()).collect();
        CustomWeights::from_disagreement(&flipped)
    }
}

impl Weights {
    /// Linear weights by declared value.
    pub const fn linear() -> Weights {
        Weights::Linear(Basis::Value)
    }

    /// Quadratic weights by declared value: κ is then Lin's concordance.
    pub const fn quadratic() -> Weights {
        Weights::Quadratic(Basis::Value)
    }

    /// The disagreements on a scale whose levels have these values; refused where weights and scale do not fit.
    pub(crate) fn on<'a>(&'a self, scale: &Scale, values: &[f64]) -> Result<Disagreement<'a>, Undefined> {
        let fits = match self {
            Weights::Unweighted => true,
            Weights::Linear(basis) | Weights::Quadratic(basis) => {
                scale.is_ordered() && (*basis == Basis::Value || scale.has_levels())
            }
            Weights::Custom(custom) => scale.has_levels() && custom.levels == values.len(),
        };
        if !fits {
            return Err(Undefined::ScaleMismatch);
        }
        let position = match self {
            Weights::Linear(Basis::Rank) | Weights::Quadratic(Basis::Rank) => {
                (0..values.len()).map(|at| at as f64).collect()
            }
            // Measured from the first level, so that moments do not cancel on a scale far from 0.
            _ => values.iter().map(|value| value - values[0]).collect(),
        };
        Ok(Disagreement { weights: self, position })
    }
}

/// Weights laid on the levels of a scale.
#[derive(Clone, Debug)]
pub(crate) struct Disagreement<'a> {
    weights: &'a Weights,
    position: Vec<f64>,
}

impl Disagreement<'_> {
    /// d between a level of the first rater and one of the second.
    pub(crate) fn between(&self, a: Level, b: Level) -> f64 {
        let distance = (self.position[a as usize] - self.position[b as usize]).abs();
        match self.weights {
            Weights::Unweighted => f64::from(a != b),
            Weights::Linear(_) => distance,
            Weights::Quadratic(_) => distance * distance,
            Weights::Custom(custom) => custom.disagreement[a as usize * custom.levels + b as usize],
        }
    }

    /// The greatest disagreement that the declared levels allow.
    pub(crate) fn greatest(&self) -> f64 {
        match self.weights {
            Weights::Unweighted => 1.0,
            Weights::Custom(custom) => custom.disagreement.iter().copied().fold(0.0, f64::max),
            Weights::Linear(_) => self.span(),
            Weights::Quadratic(_) => self.span().powi(2),
        }
    }

    fn span(&self) -> f64 {
        self.position.last().copied().unwrap_or(0.0)
    }

    /// For each level of the first rater, its mean disagreement with the second rater's shares: Σ_j d_ij p_j.
    pub(crate) fn of_first_with(&self, second: &[f64]) -> Vec<f64> {
        self.mean_with(second, |own, other| self.between(own, other))
    }

    /// For each level of the second rater, its mean disagreement with the first rater's shares: Σ_i d_ij p_i.
    pub(crate) fn of_second_with(&self, first: &[f64]) -> Vec<f64> {
        self.mean_with(first, |own, other| self.between(other, own))
    }

    fn mean_with(&self, shares: &[f64], custom: impl Fn(Level, Level) -> f64) -> Vec<f64> {
        match self.weights {
            Weights::Unweighted => {
                let total: f64 = shares.iter().sum();
                shares.iter().map(|share| total - share).collect()
            }
            Weights::Linear(_) => linear_means(&self.position, shares),
            Weights::Quadratic(_) => quadratic_means(&self.position, shares),
            Weights::Custom(_) => (0..shares.len() as Level)
                .map(|own| shares.iter().zip(0..).map(|(share, other)| share * custom(own, other)).sum())
                .collect(),
        }
    }
}

/// Σ_j |s_i − s_j| p_j for every i, in one pass up and one down.
fn linear_means(position: &[f64], shares: &[f64]) -> Vec<f64> {
    let mut means = vec![0.0; position.len()];
    let (mut below, mut gap) = (0.0, 0.0);
    for at in 1..position.len() {
        below += shares[at - 1];
        gap += below * (position[at] - position[at - 1]);
        means[at] += gap;
    }
    let (mut above, mut gap) = (0.0, 0.0);
    for at in (0..position.len().saturating_sub(1)).rev() {
        above += shares[at + 1];
        gap += above * (position[at + 1] - position[at]);
        means[at] += gap;
    }
    means
}

/// Σ_j (s_i − s_j)² p_j for every i, from the first two moments.
fn quadratic_means(position: &[f64], shares: &[f64]) -> Vec<f64> {
    let moment = |power| position.iter().zip(shares).map(|(s, share)| s.powi(power) * share).sum::<f64>();
    let (total, first, second) = (moment(0), moment(1), moment(2));
    position.iter().map(|s| (s * s * total - 2.0 * s * first + second).max(0.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_equal_their_definition() {
        let scale = Scale::ordinal([1.0, 2.0, 4.0, 8.0]).unwrap();
        let shares = [0.1, 0.4, 0.3, 0.2];
        for weights in
            [Weights::Unweighted, Weights::linear(), Weights::quadratic(), Weights::Linear(Basis::Rank)]
        {
            let d = weights.on(&scale, scale.levels()).unwrap();
            for (own, mean) in (0..).zip(d.of_first_with(&shares)) {
                let expected: f64 = shares.iter().zip(0..).map(|(p, other)| p * d.between(own, other)).sum();
                assert!((mean - expected).abs() < 1e-14, "{weights:?}");
            }
        }
    }

    #[test]
    fn order_is_refused_where_there_is_none() {
        let scale = Scale::nominal(3).unwrap();
        assert!(Weights::linear().on(&scale, scale.levels()).is_err());
        assert!(Weights::Unweighted.on(&scale, scale.levels()).is_ok());
    }

    #[test]
    fn a_matrix_must_be_one_of_weights() {
        assert_eq!(
            CustomWeights::from_disagreement(&[vec![0.0, 1.0], vec![1.0]]),
            Err(WeightsError::NotSquare { row: 1, found: 1, expected: 2 })
        );
        assert!(CustomWeights::from_similarity(&[vec![1.0, 0.5], vec![0.5, 0.9]]).is_err());
        assert!(CustomWeights::from_disagreement(&[vec![0.0, f64::NAN], vec![1.0, 0.0]]).is_err());
        assert!(CustomWeights::from_disagreement(&[vec![0.0, -1.0], vec![1.0, 0.0]]).is_err());
    }
}
