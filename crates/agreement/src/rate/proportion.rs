//! A share of successes, and intervals for it.

use crate::distributions::{beta_quantile, normal_critical};
use crate::input::pairs::Units;
use crate::resampling::bootstrap::of_mean;
use crate::result::estimate::{Estimate, Flag, Method, Undefined, Unit};
use crate::result::inference::{Inference, IntervalMethod};

/// Which interval of a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProportionInterval {
    /// Score interval of Wilson (1927), without continuity correction.
    Wilson,
    /// The exact, conservative one of Clopper & Pearson (1934).
    ClopperPearson,
}

/// `successes` of `n` as an estimate. Undefined with `reason` if `n` is 0; more successes than items are cut to `n`.
///
/// ```
/// use agreement::{ProportionInterval, Undefined, proportion};
/// let share = proportion(38, 38, 0.95, ProportionInterval::Wilson, Undefined::NoLabels);
/// assert!((share.interval().unwrap().low - 0.9081901317744162).abs() < 1e-12);
/// assert_eq!(proportion(0, 0, 0.95, ProportionInterval::Wilson, Undefined::NoPositives).value(), None);
/// ```
pub fn proportion(
    successes: u64,
    n: u64,
    confidence: f64,
    interval: ProportionInterval,
    reason: Undefined,
) -> Estimate {
    if n == 0 {
        return Estimate::undefined_because(reason, "there is no item to take the share of", 0, 0);
    }
    let successes = successes.min(n);
    let (bounds, method) = match interval {
        ProportionInterval::Wilson => {
            (wilson(successes as f64 / n as f64, n as f64, confidence), Method::Wilson)
        }
        ProportionInterval::ClopperPearson => {
            (clopper_pearson(successes, n, confidence), Method::ClopperPearson)
        }
    };
    let inference = Inference { confidence, ..Inference::default() };
    Estimate::defined(successes as f64 / n as f64, n, 0).with_interval(inference.between(
        bounds.0,
        bounds.1,
        method,
        Unit::Item,
        n as usize,
    ))
}

/// Wilson's interval for a share of `n` items; `n` need not be whole.
pub(crate) fn wilson(share: f64, n: f64, confidence: f64) -> (f64, f64) {
    let z = normal_critical(confidence);
    let z2 = z * z;
    let centre = share + z2 / (2.0 * n);
    let half = z * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z2 / n;
    let low = if share <= 0.0 { 0.0 } else { ((centre - half) / scale).max(0.0) };
    let high = if share >= 1.0 { 1.0 } else { ((centre + half) / scale).min(1.0) };
    (low, high)
}

fn clopper_pearson(successes: u64, n: u64, confidence: f64) -> (f64, f64) {
    let tail = (1.0 - confidence) / 2.0;
    let (x, m) = (successes as f64, n as f64);
    let low = if successes == 0 { 0.0 } else { beta_quantile(tail, x, m - x + 1.0) };
    let high = if successes == n { 1.0 } else { beta_quantile(1.0 - tail, x + 1.0, m - x) };
    (low, high)
}

/// A share of items in units that may be clusters: Wilson's interval with the number of items divided by the design
/// effect (clustered variance ÷ variance of independent items; Kish 1965). At a share of 0 or 1, where the design
/// effect cannot be seen, each cluster counts as one item.
pub(crate) fn clustered_share(hits: &[f64], missing: u64, units: &Units, inference: &Inference) -> Estimate {
    let n = hits.len();
    if n == 0 {
        return Estimate::undefined_because(Undefined::NTooSmall, "no item has both answers", 0, missing);
    }
    let share = hits.iter().sum::<f64>() / n as f64;
    let estimate = Estimate::defined(share, n as u64, missing);
    if units.unit == Unit::Cluster && units.count < 2 {
        return estimate.with_flag(Flag::SingleCluster);
    }
    if inference.interval == IntervalMethod::None {
        return estimate;
    }
    if inference.resamples_data() {
        let distribution = of_mean(hits, units, inference, |mean| mean);
        return estimate.with_distribution(&distribution, inference, units.unit, units.count);
    }
    let error = crate::measure::kappa::clustered_error(
        &hits.iter().map(|hit| hit - share).collect::<Vec<_>>(),
        units,
    );
    if inference.interval == IntervalMethod::Wald {
        return estimate.with_interval(inference.wald(share, error, units.unit, units.count));
    }
    let variance = share * (1.0 - share);
    let effective = match units.unit {
        Unit::Item => n as f64,
        Unit::Cluster if variance > 0.0 => (variance / (error * error)).min(n as f64),
        Unit::Cluster => units.count as f64,
    };
    let (low, high) = wilson(share, effective, inference.confidence);
    estimate.with_interval(inference.between(low, high, Method::Wilson, units.unit, units.count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_bounds_at_the_ends() {
        assert!(clopper_pearson(0, 77, 0.95).0.abs() < 1e-300);
        assert!((clopper_pearson(0, 77, 0.95).1 - 0.04677806816040411).abs() < 1e-12);
        assert!((clopper_pearson(450, 1000, 0.95).0 - 0.41885170967995056).abs() < 1e-12);
        assert!((clopper_pearson(450, 1000, 0.95).1 - 0.4814434666234064).abs() < 1e-12);
    }
}
