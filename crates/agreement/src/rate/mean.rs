//! Means: of one value for each item, with an interval; and of a few numbers that need none.

use crate::input::pairs::Units;
use crate::measure::kappa::clustered_error;
use crate::resampling::bootstrap::of_mean;
use crate::resampling::quantile::quantiles;
use crate::result::estimate::{Estimate, Flag, Undefined, Unit};
use crate::result::inference::{Inference, IntervalMethod, flag_size};

/// Σx / n: the mean of a few numbers that need no interval, as the figures of a judge's repeats. None of no number, and
/// where a number or the sum is not finite.
///
/// ```
/// assert_eq!(agreement::arithmetic_mean(&[1.0, 2.0, 6.0]), Some(3.0));
/// assert_eq!(agreement::arithmetic_mean(&[]), None);
/// ```
pub fn arithmetic_mean(values: &[f64]) -> Option<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    mean.is_finite().then_some(mean)
}

/// The middle one of some numbers, or the mean of the two in the middle. None of no number, and where one is not finite.
///
/// ```
/// assert_eq!(agreement::median(&[9.0, 1.0, 2.0, 4.0]), Some(3.0));
/// ```
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// The value below which a share of some numbers lies, linear between two of them (type 7 of Hyndman & Fan 1996). None of no number,
/// where one is not finite, and for a share outside [0, 1].
///
/// ```
/// assert_eq!(agreement::quantile(&[9.0, 1.0, 2.0], 0.75), Some(5.5));
/// ```
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let sound =
        !values.is_empty() && values.iter().all(|value| value.is_finite()) && (0.0..=1.0).contains(&share);
    sound.then(|| quantiles(values, share, share).0)
}

/// Mean of the values that are there, with an interval by cluster.
///
/// `values` has one entry for each item, none where it is missing, and `clusters` the cluster of each item by any
/// number; items beyond the end of `clusters` are clusters of their own. A paired difference is the mean of the
/// differences. The analytic interval is Wald's.
///
/// Undefined [`Undefined::NoLabels`] where every value is missing, and where a value is not finite.
///
/// ```
/// use agreement::{Inference, mean};
/// let relevance = [Some(1.0), Some(0.0), None, Some(0.5)];
/// let figure = mean(&relevance, &[7, 7, 8, 9], &Inference::default());
/// assert_eq!((figure.value(), figure.n(), figure.missing()), (Some(0.5), 3, 1));
/// ```
pub fn mean(values: &[Option<f64>], clusters: &[u32], inference: &Inference) -> Estimate {
    let present: Vec<f64> = values.iter().copied().flatten().collect();
    let missing = (values.len() - present.len()) as u64;
    if present.is_empty() {
        return Estimate::undefined_because(Undefined::NoLabels, "there is no value to average", 0, missing);
    }
    let units = units(values, clusters, inference.resampling.unit);
    function_of_mean(&present, missing, &units, |mean| mean, |_| 1.0, inference)
}

/// The independent unit of each item that has a value.
fn units(values: &[Option<f64>], clusters: &[u32], asked: Unit) -> Units {
    let mut numbered = std::collections::HashMap::new();
    let mut of = Vec::new();
    for (item, _) in values.iter().enumerate().filter(|(_, value)| value.is_some()) {
        let next = numbered.len() as u32;
        let cluster = clusters.get(item).copied().ok_or(item);
        of.push(*numbered.entry(cluster).or_insert(next));
    }
    if asked == Unit::Cluster && numbered.len() < of.len() {
        return Units { unit: Unit::Cluster, count: numbered.len(), of };
    }
    // Clusters of one item each are items.
    Units { unit: Unit::Item, count: of.len(), of: (0..of.len() as u32).collect() }
}

/// A function of the mean of some values, at least one; its slope carries the standard error (the delta method).
pub(crate) fn function_of_mean(
    values: &[f64],
    missing: u64,
    units: &Units,
    function: impl Fn(f64) -> f64,
    slope: impl Fn(f64) -> f64,
    inference: &Inference,
) -> Estimate {
    // Of what is not finite the estimate says so.
    let mean = arithmetic_mean(values).unwrap_or(f64::NAN);
    let estimate = Estimate::defined(function(mean), values.len() as u64, missing);
    let estimate = flag_size(estimate, values.len(), units.unit, units.count);
    if units.count < 2 || inference.interval == IntervalMethod::None {
        return estimate;
    }
    let error = clustered_error(&values.iter().map(|value| value - mean).collect::<Vec<_>>(), units);
    if error <= 0.0 {
        return estimate.with_flag(Flag::ZeroWidthInterval);
    }
    if inference.resamples_data() {
        let distribution = of_mean(values, units, inference, function);
        return estimate.with_distribution(&distribution, inference, units.unit, units.count);
    }
    estimate.with_interval(inference.wald(function(mean), slope(mean) * error, units.unit, units.count))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::estimate::Method;

    #[test]
    #[cfg_attr(miri, ignore = "thrice ten thousand resamples take Miri an hour")]
    fn clusters_widen_the_interval_and_their_numbers_mean_nothing() {
        let values: Vec<Option<f64>> = (0..60).map(|item| Some(f64::from(item / 3 % 4))).collect();
        let of = |number: &dyn Fn(u32) -> u32| {
            let clusters: Vec<u32> = (0..60).map(number).collect();
            mean(&values, &clusters, &Inference::default())
        };
        let (items, clusters) = (of(&|item| item), of(&|item| item / 3));
        let width =
            |figure: &Estimate| figure.interval().map(|interval| interval.high - interval.low).unwrap();
        assert!(width(&clusters) > 1.4 * width(&items));
        assert_eq!(clusters.interval().unwrap().clusters, 20);
        assert_eq!(clusters, of(&|item| 1000 - item / 3));
        assert_eq!(items.interval().unwrap().unit, Unit::Item);
    }

    #[test]
    fn nothing_to_average_is_undefined_and_one_cluster_has_no_interval() {
        let inference = Inference::analytic();
        assert_eq!(mean(&[None, None], &[], &inference).undefined(), Some(Undefined::NoLabels));
        let one = mean(&[Some(1.0), Some(3.0)], &[4, 4], &inference);
        assert_eq!((one.value(), one.interval()), (Some(2.0), None));
        let two = mean(&[Some(1.0), Some(3.0)], &[4, 5], &inference);
        assert_eq!(two.interval().unwrap().method, Method::Wald);
        assert!(mean(&[Some(f64::NAN)], &[], &inference).value().is_none());
    }
}
