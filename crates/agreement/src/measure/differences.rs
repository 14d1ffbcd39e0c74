//! How far apart two raters' values are: exact agreement, agreement within a distance, bias, MAE, RMSE.

use crate::input::pairs::Pairs;
use crate::input::scale::SNAP;
use crate::rate::proportion::clustered_share;
use crate::result::estimate::{Estimate, Undefined};
use crate::result::inference::{Inference, flag_size};

/// Share of items on which both gave the same value. Chance is not taken out: read it beside κ.
///
/// The analytic interval is Wilson's, by cluster where items share one. Undefined without a shared item.
pub fn exact_agreement(pairs: &Pairs, inference: &Inference) -> Estimate {
    agreement_where(pairs, |a, b| (a - b).abs() <= SNAP, inference)
}

/// Share of items whose two values are at most `distance` apart, the distance itself included.
///
/// Undefined without a shared item, and on a nominal scale, where distances mean nothing.
pub fn agreement_within(pairs: &Pairs, distance: f64, inference: &Inference) -> Estimate {
    match unordered(pairs) {
        Some(undefined) => undefined,
        None => agreement_where(pairs, |a, b| (a - b).abs() <= distance + SNAP, inference),
    }
}

fn agreement_where(pairs: &Pairs, agrees: impl Fn(f64, f64) -> bool, inference: &Inference) -> Estimate {
    let hits: Vec<f64> = pairs.values().map(|(a, b)| f64::from(agrees(a, b))).collect();
    let units = pairs.units(inference.resampling.unit);
    flag_size(clustered_share(&hits, pairs.missing(), &units, inference), pairs.n(), units.unit, units.count)
}

/// Mean of b − a: with the reference as `a`, how much too generous `b` is, in units of the scale.
///
/// ```
/// use agreement::{Inference, Pairs, Scale, bias};
/// let scale = Scale::ordinal([1.0, 2.0, 3.0])?;
/// let pairs = Pairs::from_values(scale, &[1.0, 2.0, 1.0].map(Some), &[2.0, 3.0, 1.0].map(Some))?;
/// assert_eq!(bias(&pairs, &Inference::analytic()).value(), Some(2.0 / 3.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn bias(pairs: &Pairs, inference: &Inference) -> Estimate {
    mean(pairs, |a, b| b - a, inference)
}

/// Mean of |b − a|, in units of the scale.
pub fn mean_absolute_error(pairs: &Pairs, inference: &Inference) -> Estimate {
    mean(pairs, |a, b| (b - a).abs(), inference)
}

/// Root of the mean of (b − a)², in units of the scale.
pub fn root_mean_square_error(pairs: &Pairs, inference: &Inference) -> Estimate {
    function_of_mean(pairs, |a, b| (b - a).powi(2), f64::sqrt, |mean| 0.5 / mean.sqrt(), inference)
}

fn mean(pairs: &Pairs, of: impl Fn(f64, f64) -> f64, inference: &Inference) -> Estimate {
    function_of_mean(pairs, of, |mean| mean, |_| 1.0, inference)
}

/// A function of the mean of something over items; its slope carries the standard error (the delta method).
fn function_of_mean(
    pairs: &Pairs,
    of: impl Fn(f64, f64) -> f64,
    function: impl Fn(f64) -> f64,
    slope: impl Fn(f64) -> f64,
    inference: &Inference,
) -> Estimate {
    if let Some(undefined) = unordered(pairs).or_else(|| too_few(pairs)) {
        return undefined;
    }
    let values: Vec<f64> = pairs.values().map(|(a, b)| of(a, b)).collect();
    let units = pairs.units(inference.resampling.unit);
    crate::rate::mean::function_of_mean(&values, pairs.missing(), &units, function, slope, inference)
}

fn too_few(pairs: &Pairs) -> Option<Estimate> {
    (pairs.n() == 0).then(|| {
        Estimate::undefined_because(Undefined::NTooSmall, "no item has both answers", 0, pairs.missing())
    })
}

fn unordered(pairs: &Pairs) -> Option<Estimate> {
    (!pairs.scale().is_ordered()).then(|| {
        let says = "the levels of a nominal scale have no distances";
        Estimate::undefined_because(Undefined::ScaleMismatch, says, pairs.n() as u64, pairs.missing())
    })
}
