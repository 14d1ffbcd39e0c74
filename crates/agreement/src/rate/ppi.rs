//! The mean of a human score over many items of which only a few are labelled, with a judge's scores as a help.

use crate::result::estimate::{Estimate, Flag, Undefined, Unit};
use crate::result::inference::Inference;

/// Below this many labelled items the interval is flagged.
const SMALL_SAMPLE: usize = 30;

/// How much the judge's scores are trusted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lambda {
    /// This much: 0 is the mean of the labels alone, 1 is prediction-powered inference (Angelopoulos et al. 2023).
    Fixed(f64),
    /// As much as makes the variance least, between 0 and 1 (PPI++; Angelopoulos, Duchi & Zrnic 2023).
    Tuned,
}

/// Prediction-powered mean of the human score.
///
/// θ = λ·mean(f_unlabelled) + mean(Y − λf), variance λ²var(f_unlabelled)/N + var(Y − λf)/n with divisors n; a z
/// interval. `human` and `judge` are scores of the same labelled items, in the same order; the surplus of a longer one is
/// ignored. Undefined below two labelled items or without an unlabelled one, and where a score is not finite.
///
/// ```
/// use agreement::{Inference, Lambda, prediction_powered_mean};
/// let (human, judge) = ([1.0, 0.0, 1.0, 1.0], [1.0, 0.0, 0.0, 1.0]);
/// let classic = prediction_powered_mean(&human, &judge, &[1.0, 0.0], Lambda::Fixed(0.0), &Inference::analytic());
/// assert_eq!(classic.value(), Some(0.75));
/// ```
pub fn prediction_powered_mean(
    human: &[f64],
    judge: &[f64],
    unlabelled: &[f64],
    lambda: Lambda,
    inference: &Inference,
) -> Estimate {
    let n = human.len().min(judge.len());
    let (human, judge) = (&human[..n], &judge[..n]);
    let all = n as u64 + unlabelled.len() as u64;
    if n < 2 || unlabelled.is_empty() {
        let says = "it needs two labelled items and one unlabelled";
        return Estimate::undefined_because(Undefined::NTooSmall, says, all, 0);
    }
    let weight = match lambda {
        Lambda::Fixed(weight) => weight,
        Lambda::Tuned => tuned(human, judge, unlabelled),
    };
    let residual: Vec<f64> = human.iter().zip(judge).map(|(y, f)| y - weight * f).collect();
    let value = weight * mean(unlabelled) + mean(&residual);
    let variance =
        weight * weight * variance(unlabelled) / unlabelled.len() as f64 + variance(&residual) / n as f64;
    let estimate = Estimate::defined(value, all, 0);
    let estimate = if n < SMALL_SAMPLE { estimate.with_flag(Flag::SmallSample) } else { estimate };
    if variance <= 0.0 {
        return estimate.with_flag(Flag::ZeroWidthInterval);
    }
    estimate.with_interval(inference.wald(value, variance.sqrt(), Unit::Item, n))
}

/// cov(Y, f) / (var(f over all items, divisor n − 1) · (1 + n/N)), cut to [0, 1]; 0 for a constant judge.
fn tuned(human: &[f64], judge: &[f64], unlabelled: &[f64]) -> f64 {
    let (n, others) = (human.len() as f64, unlabelled.len() as f64);
    let (mean_y, mean_f) = (mean(human), mean(judge));
    let covariance = human.iter().zip(judge).map(|(y, f)| (y - mean_y) * (f - mean_f)).sum::<f64>() / n;
    let together: Vec<f64> = judge.iter().chain(unlabelled).copied().collect();
    let spread = variance(&together) * (n + others) / (n + others - 1.0);
    let weight = covariance / (spread * (1.0 + n / others));
    if weight.is_finite() { weight.clamp(0.0, 1.0) } else { 0.0 }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// With divisor n.
fn variance(values: &[f64]) -> f64 {
    let centre = mean(values);
    values.iter().map(|value| (value - centre).powi(2)).sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_judge_is_not_trusted() {
        let human = [1.0, 0.0, 1.0, 0.0];
        let of =
            |lambda| prediction_powered_mean(&human, &[1.0; 4], &[1.0; 9], lambda, &Inference::analytic());
        // Close and not equal: some machines round the last digit of a quantile in another way.
        let close = |one: f64, other: f64| assert!((one - other).abs() < 1e-12, "{one} and {other}");
        let (tuned, fixed) = (of(Lambda::Tuned), of(Lambda::Fixed(0.0)));
        close(tuned.value().unwrap(), fixed.value().unwrap());
        let (tuned, fixed) = (tuned.interval().unwrap(), fixed.interval().unwrap());
        close(tuned.low, fixed.low);
        close(tuned.high, fixed.high);
    }

    #[test]
    fn what_is_not_finite_is_undefined() {
        let found = prediction_powered_mean(
            &[1.0, f64::NAN],
            &[1.0, 1.0],
            &[1.0],
            Lambda::Tuned,
            &Inference::analytic(),
        );
        assert_eq!(found.undefined(), Some(Undefined::NotFinite));
    }
}
