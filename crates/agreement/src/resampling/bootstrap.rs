//! Intervals from resamples: percentile, basic, BCa; and the jackknife.

use crate::distributions::{normal_cdf, normal_quantile, t_critical};
use crate::input::pairs::Units;
use crate::resampling::quantile::quantiles;
use crate::resampling::sums::Sums;
use crate::result::estimate::{Estimate, Flag, Interval, Method, Resamples, Unit};
use crate::result::inference::{Inference, IntervalMethod};

/// A greater share of resamples without a value than this, and there is no interval.
const MOST_UNDEFINED: f64 = 0.05;
/// Resampled values this near to the estimate are ties with it: κ of few items takes few values.
const TIE: f64 = 1e-12;
/// Values that stay in the nearest cache while column after column is added to them.
const NEAR: usize = 1024;

/// The bootstrap and jackknife distributions of one statistic.
///
/// Built by the estimates of this crate, and from replicates that were made elsewhere.
///
/// ```
/// use agreement::{BootstrapDistribution, Inference};
/// let distribution = BootstrapDistribution::new(0.5, vec![0.4, 0.5, 0.6, 0.7], vec![0.45, 0.5, 0.55]);
/// let (low, high) = distribution.percentile(0.5).unwrap();
/// assert!((low - 0.475).abs() < 1e-12 && (high - 0.625).abs() < 1e-12);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BootstrapDistribution {
    estimate: f64,
    /// In the order of the draws, NaN where undefined, so that statistics of the same draws can be set side by side.
    replicates: Vec<f64>,
    undefined: usize,
    left_out: Vec<f64>,
}

/// Mean, spread and bias of the leave-one-out values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jackknife {
    /// sqrt((n − 1)/n · Σ(θ₍ᵢ₎ − θ̄)²).
    pub standard_error: f64,
    /// (n − 1)(θ̄ − θ̂).
    pub bias: f64,
    /// ΣU³ / (6 (ΣU²)^1.5) with U = θ̄ − θ₍ᵢ₎: the acceleration of BCa.
    pub acceleration: f64,
}

impl BootstrapDistribution {
    /// From an estimate, its resampled values and its leave-one-out values; those that are not finite are undefined.
    pub fn new(estimate: f64, mut replicates: Vec<f64>, left_out: Vec<f64>) -> BootstrapDistribution {
        let undefined = sum_of(&replicates, |value| i64::from(!value.is_finite())) as usize;
        if undefined > 0 {
            // Infinite is undefined too, and would pass for above or below.
            replicates.iter_mut().filter(|value| !value.is_finite()).for_each(|value| *value = f64::NAN);
        }
        BootstrapDistribution { estimate, undefined, replicates, left_out }
    }

    /// The distribution of a weighted sum of statistics of the same draws.
    pub(crate) fn weighted_sum(parts: &[(&BootstrapDistribution, f64)]) -> BootstrapDistribution {
        let sum = |of: fn(&BootstrapDistribution) -> &[f64]| {
            weighted_sum(&parts.iter().map(|(part, weight)| (of(part), *weight)).collect::<Vec<_>>())
        };
        let estimate = parts.iter().map(|(part, weight)| weight * part.estimate).sum();
        let (replicates, left_out) = (sum(|part| &part.replicates), sum(|part| &part.left_out));
        if parts.iter().all(|(part, _)| part.undefined == 0) {
            // Nothing to look for: a sum of what is defined is defined.
            return BootstrapDistribution { estimate, replicates, undefined: 0, left_out };
        }
        BootstrapDistribution::new(estimate, replicates, left_out)
    }

    /// The estimate itself.
    pub(crate) fn estimate(&self) -> f64 {
        self.estimate
    }

    /// The resampled values in the order of the draws, NaN where undefined.
    pub(crate) fn replicates(&self) -> &[f64] {
        &self.replicates
    }

    fn defined(&self) -> impl Iterator<Item = f64> + '_ {
        self.replicates.iter().copied().filter(|value| value.is_finite())
    }

    /// Share of the resamples that have no value.
    pub fn undefined_share(&self) -> f64 {
        let drawn = self.replicates.len();
        if drawn == 0 { 0.0 } else { self.undefined as f64 / drawn as f64 }
    }

    /// Standard deviation of the resampled values, with divisor B − 1.
    pub fn standard_error(&self) -> Option<f64> {
        let drawn = (self.replicates.len() - self.undefined) as f64;
        let mean = self.defined().sum::<f64>() / drawn;
        let squares = self.defined().map(|value| (value - mean).powi(2)).sum::<f64>();
        let error = (squares / (drawn - 1.0)).sqrt();
        (drawn >= 2.0 && error.is_finite()).then_some(error)
    }

    /// Quantiles of the bootstrap distribution, type 7 (linear between order statistics).
    pub fn percentile(&self, confidence: f64) -> Option<(f64, f64)> {
        let tail = (1.0 - confidence) / 2.0;
        self.between(tail, 1.0 - tail)
    }

    /// The quantiles mirrored at the estimate: 2θ̂ − q.
    pub fn basic(&self, confidence: f64) -> Option<(f64, f64)> {
        let (low, high) = self.percentile(confidence)?;
        finite((2.0 * self.estimate - high, 2.0 * self.estimate - low))
    }

    /// Bias-corrected and accelerated (Efron 1987). None where the estimate lies at the edge of the distribution, or
    /// leaving units out changes nothing.
    pub fn bca(&self, confidence: f64) -> Option<(f64, f64)> {
        let (z0, acceleration) = (self.bias_correction()?, self.jackknife()?.acceleration);
        let z = normal_quantile((1.0 - confidence) / 2.0);
        let shifted = |z: f64| {
            let denominator = 1.0 - acceleration * (z0 + z);
            (denominator > 0.0).then(|| normal_cdf(z0 + (z0 + z) / denominator))
        };
        self.between(shifted(z)?, shifted(-z)?)
    }

    /// z₀ of BCa: how far the estimate lies from the median of the distribution, ties counted half.
    pub fn bias_correction(&self) -> Option<f64> {
        let (low, high) = (self.estimate - TIE, self.estimate + TIE);
        let side = |value| i64::from(value < low) - i64::from(value > high);
        let more_below = sum_of(&self.replicates, side) as f64;
        let defined = (self.replicates.len() - self.undefined) as f64;
        let share = 0.5 * (defined + more_below) / defined;
        (share > 0.0 && share < 1.0).then(|| normal_quantile(share))
    }

    /// The jackknife. None for fewer than two units, where a leave-one-out value is undefined, or where all are equal.
    pub fn jackknife(&self) -> Option<Jackknife> {
        let n = self.left_out.len() as f64;
        if n < 2.0 || self.left_out.iter().any(|value| !value.is_finite()) {
            return None;
        }
        let mean = self.left_out.iter().sum::<f64>() / n;
        let (squares, cubes) = self.left_out.iter().fold((0.0, 0.0), |(squares, cubes), value| {
            let distance = mean - value;
            let square = distance * distance;
            (squares + square, cubes + square * distance)
        });
        (squares > n * TIE * TIE && squares.is_finite() && cubes.is_finite()).then(|| Jackknife {
            standard_error: ((n - 1.0) / n * squares).sqrt(),
            bias: (n - 1.0) * (mean - self.estimate),
            acceleration: cubes / (6.0 * squares.powf(1.5)),
        })
    }

    /// Mean of the jackknife's pseudo-values ± t with n − 1 degrees of freedom (Tukey 1958).
    pub fn jackknife_interval(&self, confidence: f64) -> Option<(f64, f64)> {
        let jackknife = self.jackknife()?;
        let half = t_critical(confidence, self.left_out.len() as f64 - 1.0) * jackknife.standard_error;
        let centre = self.estimate - jackknife.bias;
        finite((centre - half, centre + half))
    }

    /// Type-7 quantiles at two probabilities.
    fn between(&self, low: f64, high: f64) -> Option<(f64, f64)> {
        if self.undefined == self.replicates.len()
            || !(0.0..=1.0).contains(&low)
            || !(0.0..=1.0).contains(&high)
        {
            return None;
        }
        if self.undefined == 0 {
            return finite(quantiles(&self.replicates, low, high));
        }
        finite(quantiles(&self.defined().collect::<Vec<f64>>(), low, high))
    }

    /// Whether all resamples gave the estimate.
    fn is_point(&self) -> bool {
        self.defined().all(|value| (value - self.estimate).abs() <= TIE)
    }
}

/// Bounds, where both are numbers.
fn finite(bounds: (f64, f64)) -> Option<(f64, f64)> {
    (bounds.0.is_finite() && bounds.1.is_finite()).then_some(bounds)
}

/// The sum of a whole number for each value; as wide as a value, so that several are added at a time.
fn sum_of(values: &[f64], number: impl Fn(f64) -> i64) -> i64 {
    values.iter().map(|value| number(*value)).sum()
}

/// The sum of several columns, each times its weight.
pub(crate) fn weighted_sum(columns: &[(&[f64], f64)]) -> Vec<f64> {
    let Some(((first, weight), others)) = columns.split_first() else {
        return Vec::new();
    };
    let mut sum: Vec<f64> = Vec::with_capacity(first.len());
    for (at, block) in first.chunks(NEAR).enumerate() {
        let from = sum.len();
        sum.extend(block.iter().map(|value| weight * value));
        for (column, weight) in others {
            let column = column.chunks(NEAR).nth(at).unwrap_or_default();
            sum[from..].iter_mut().zip(column).for_each(|(sum, value)| *sum += weight * value);
        }
    }
    sum
}

/// Draws the distributions of several statistics of the same sums at once, from the same draws.
///
/// `evaluate` writes each statistic of some sums, NaN where it is undefined.
pub(crate) fn distributions(
    sums: &Sums,
    statistics: usize,
    inference: &Inference,
    evaluate: impl Fn(&[f64], &mut [f64]),
) -> Vec<BootstrapDistribution> {
    let mut values = vec![0.0; statistics];
    evaluate(sums.totals(), &mut values);
    let mut left_out: Vec<Vec<f64>> = vec![Vec::with_capacity(sums.units()); statistics];
    let mut replicates: Vec<Vec<f64>> = vec![Vec::new(); statistics];
    let mut current = vec![0.0; statistics];
    sums.leave_one_out(|sums| {
        evaluate(sums, &mut current);
        left_out.iter_mut().zip(&current).for_each(|(column, value)| column.push(*value));
    });
    if inference.interval != IntervalMethod::Jackknife {
        let resamples = inference.resampling.resamples;
        replicates.iter_mut().for_each(|column| column.reserve_exact(resamples as usize));
        sums.resample(resamples, inference.resampling.seed, |sums| {
            evaluate(sums, &mut current);
            replicates.iter_mut().zip(&current).for_each(|(column, value)| column.push(*value));
        });
    }
    let columns = replicates.into_iter().zip(left_out);
    values
        .into_iter()
        .zip(columns)
        .map(|(value, (drawn, left))| BootstrapDistribution::new(value, drawn, left))
        .collect()
}

/// The distribution of a function of the mean of some values, one for each item.
pub(crate) fn of_mean(
    values: &[f64],
    units: &Units,
    inference: &Inference,
    function: impl Fn(f64) -> f64,
) -> BootstrapDistribution {
    let lane = |of: &dyn Fn(usize) -> f64| (0..).zip(units.sums(of)).collect();
    let sums = Sums::new(units.count, &[lane(&|_| 1.0), lane(&|item| values[item])]);
    distributions(&sums, 1, inference, |sums, out| out[0] = function(sums[1] / sums[0])).remove(0)
}

impl Estimate {
    /// The same figure with the interval that `inference` asks of its bootstrap distribution, or the flag that says
    /// why there is none.
    pub(crate) fn with_distribution(
        self,
        distribution: &BootstrapDistribution,
        inference: &Inference,
        unit: Unit,
        units: usize,
    ) -> Estimate {
        let confidence = inference.confidence;
        if units < 2 || !(confidence > 0.0 && confidence < 1.0) {
            return self;
        }
        if inference.interval == IntervalMethod::Jackknife {
            return match distribution.jackknife_interval(confidence) {
                Some((low, high)) => {
                    self.with_interval(inference.between(low, high, Method::Jackknife, unit, units))
                }
                None => self.with_flag(Flag::ZeroWidthInterval),
            };
        }
        if distribution.undefined_share() > MOST_UNDEFINED {
            return self.with_flag(Flag::ResamplesUndefined);
        }
        if distribution.is_point() {
            return self.with_flag(Flag::ZeroWidthInterval);
        }
        let (estimate, bounds, method) = match inference.interval {
            IntervalMethod::Percentile => (self, distribution.percentile(confidence), Method::Percentile),
            IntervalMethod::Basic => (self, distribution.basic(confidence), Method::Basic),
            _ => match distribution.bca(confidence) {
                Some(bounds) => (self, Some(bounds), Method::Bca),
                None => (
                    self.with_flag(Flag::BcaUndefined),
                    distribution.percentile(confidence),
                    Method::Percentile,
                ),
            },
        };
        let resampling = Resamples {
            resamples: inference.resampling.resamples,
            seed: inference.resampling.seed,
            undefined_share: distribution.undefined_share(),
        };
        match bounds {
            Some((low, high)) => estimate.with_interval(Interval {
                resampling: Some(resampling),
                ..inference.between(low, high, method, unit, units)
            }),
            None => estimate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_at_the_edge_has_no_bca() {
        let distribution = BootstrapDistribution::new(1.0, vec![0.5; 100], vec![1.0; 5]);
        assert_eq!(distribution.bca(0.95), None);
        let figure = Estimate::defined(1.0, 5, 0).with_distribution(
            &distribution,
            &Inference::default(),
            Unit::Item,
            5,
        );
        assert!(figure.has(Flag::BcaUndefined));
        assert_eq!(figure.interval().unwrap().method, Method::Percentile);
    }

    #[test]
    fn too_many_undefined_resamples_give_no_interval() {
        let mut replicates = vec![f64::NAN; 6];
        replicates.extend((0..94).map(f64::from));
        let distribution = BootstrapDistribution::new(50.0, replicates, vec![49.0, 51.0]);
        let figure = Estimate::defined(50.0, 5, 0).with_distribution(
            &distribution,
            &Inference::default(),
            Unit::Item,
            5,
        );
        assert!(figure.has(Flag::ResamplesUndefined) && figure.interval().is_none());
    }
}
