//! Figures whose standard error is known from elsewhere: from counts, sums and sums of squares, or from other figures.

use crate::distributions::normal_critical;
use crate::result::estimate::{Estimate, Flag, Unit};
use crate::result::inference::{Inference, IntervalMethod, flag_size};

/// Estimate ± z · standard error, of `n` items that are independent of each other.
///
/// Undefined where the value is not finite; without an interval where the error is not, where it is 0, or where `inference`
/// asks for none. Whatever other interval it asks for, this is Wald's.
///
/// ```
/// use agreement::{Inference, with_known_error};
/// let figure = with_known_error(0.5, 0.1, 40, &Inference::analytic());
/// assert!((figure.interval().unwrap().high - 0.696).abs() < 1e-4);
/// ```
pub fn with_known_error(value: f64, standard_error: f64, n: u64, inference: &Inference) -> Estimate {
    let units = usize::try_from(n).unwrap_or(usize::MAX);
    let estimate = flag_size(Estimate::defined(value, n, 0), units, Unit::Item, units);
    if inference.interval == IntervalMethod::None || !standard_error.is_finite() {
        return estimate;
    }
    if standard_error <= 0.0 {
        return estimate.with_flag(Flag::ZeroWidthInterval);
    }
    estimate.with_interval(inference.wald(value, standard_error, Unit::Item, units))
}

/// The standard error that an interval stands for, taken as normal: half its width ÷ z of its level. None without an interval.
///
/// ```
/// use agreement::{Inference, implied_standard_error, with_known_error};
/// let figure = with_known_error(0.5, 0.1, 40, &Inference::analytic());
/// assert!((implied_standard_error(&figure).unwrap() - 0.1).abs() < 1e-12);
/// ```
pub fn implied_standard_error(estimate: &Estimate) -> Option<f64> {
    let interval = estimate.interval()?;
    let error = (interval.high - interval.low) / (2.0 * normal_critical(interval.level));
    error.is_finite().then_some(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::estimate::Undefined;

    #[test]
    fn what_is_not_finite_has_no_interval() {
        let analytic = Inference::analytic();
        assert_eq!(with_known_error(f64::NAN, 0.1, 9, &analytic).undefined(), Some(Undefined::NotFinite));
        assert_eq!(with_known_error(0.2, f64::INFINITY, 9, &analytic).interval(), None);
        assert!(with_known_error(0.2, 0.0, 9, &analytic).has(Flag::ZeroWidthInterval));
        assert_eq!(with_known_error(0.2, 0.1, 9, &Inference::value_only()).interval(), None);
        assert_eq!(implied_standard_error(&Estimate::defined(0.2, 9, 0)), None);
    }
}
