//! How many items a decision needs, from the standard error that some items gave.

use crate::distributions::{normal_cdf, normal_quantile};

/// Items that give `power` to show non-inferiority at `margin` if the true difference is 0, given the standard error
/// of the difference on `n` items and a one-sided test at `alpha`: n · (se (z₁₋α + z_power) / margin)².
///
/// The observed difference takes no part: it would make a lucky candidate look nearly proven. None where an argument
/// is no number in its range.
///
/// ```
/// use agreement::items_for_non_inferiority;
/// // se 0.03 on 200 items, margin 0.05: 200 · (0.03 · 2.80 / 0.05)² = 565.1
/// assert_eq!(items_for_non_inferiority(0.03, 200, 0.05, 0.8, 0.025), Some(566));
/// ```
pub fn items_for_non_inferiority(
    standard_error: f64,
    n: u64,
    margin: f64,
    power: f64,
    alpha: f64,
) -> Option<u64> {
    let inside = |share: f64| share > 0.0 && share < 1.0;
    if !(standard_error >= 0.0 && margin > 0.0 && inside(power) && inside(alpha)) {
        return None;
    }
    let reach = normal_quantile(1.0 - alpha) + normal_quantile(power);
    let items = (n as f64 * (standard_error * reach.max(0.0) / margin).powi(2)).ceil();
    (items.is_finite() && items < 1e18).then_some(items as u64)
}

/// The power to show non-inferiority at `margin` with `items` items if the true difference is 0, given the standard
/// error of the difference on `n` items: Φ(margin / se′ − z₁₋α), where se′ = se √(n / items).
///
/// None where an argument is no number in its range.
pub fn non_inferiority_power(
    standard_error: f64,
    n: u64,
    items: u64,
    margin: f64,
    alpha: f64,
) -> Option<f64> {
    if !(standard_error > 0.0 && standard_error.is_finite() && margin > 0.0 && alpha > 0.0 && alpha < 1.0)
        || n == 0
        || items == 0
    {
        return None;
    }
    let error = standard_error * (n as f64 / items as f64).sqrt();
    let power = normal_cdf(margin / error - normal_quantile(1.0 - alpha));
    power.is_finite().then_some(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_agree() {
        let items = items_for_non_inferiority(0.04, 150, 0.05, 0.8, 0.025).unwrap();
        let power = |items| non_inferiority_power(0.04, 150, items, 0.05, 0.025).unwrap();
        assert!(power(items) >= 0.8 && power(items - 1) < 0.8);
        assert_eq!(items_for_non_inferiority(f64::NAN, 150, 0.05, 0.8, 0.025), None);
        assert_eq!(items_for_non_inferiority(0.04, 150, 0.0, 0.8, 0.025), None);
    }
}
