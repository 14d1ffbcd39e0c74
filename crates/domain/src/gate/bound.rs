//! Figures read against bounds. A figure without width (a κ of exactly 1) is read on the point; any other without an interval can fail but
//! not pass.

use super::RuleVerdict;
use crate::{Bound, BoundOn};
use agreement::{Estimate, Flag, Undefined};

/// What must lie on the right side, in words.
pub(super) fn on(bound: Bound) -> &'static str {
    if bound.on == BoundOn::Point { "the point value" } else { "the whole interval" }
}

/// Whether a figure is at least the bound.
pub(super) fn at_least(found: &Estimate, bound: Bound) -> RuleVerdict {
    let Some((value, range)) = read(found, bound.on) else { return RuleVerdict::Undefined };
    match range {
        Some((low, _)) if low >= bound.value => RuleVerdict::Pass,
        Some((_, high)) if high < bound.value => RuleVerdict::Fail,
        Some(_) => RuleVerdict::Inconclusive,
        None if value < bound.value => RuleVerdict::Fail,
        None => RuleVerdict::Undefined,
    }
}

/// Whether a figure is at most the bound.
pub(super) fn at_most(found: &Estimate, bound: Bound) -> RuleVerdict {
    let Some((value, range)) = read(found, bound.on) else { return RuleVerdict::Undefined };
    match range {
        Some((_, high)) if high <= bound.value => RuleVerdict::Pass,
        Some((low, _)) if low > bound.value => RuleVerdict::Fail,
        Some(_) => RuleVerdict::Inconclusive,
        None if value > bound.value => RuleVerdict::Fail,
        None => RuleVerdict::Undefined,
    }
}

/// Whether a difference lies within the bound to both sides of 0.
pub(super) fn within(found: &Estimate, bound: Bound) -> RuleVerdict {
    let Some((value, range)) = read(found, bound.on) else { return RuleVerdict::Undefined };
    match range {
        Some((low, high)) if low >= -bound.value && high <= bound.value => RuleVerdict::Pass,
        Some((low, high)) if low > bound.value || high < -bound.value => RuleVerdict::Fail,
        Some(_) => RuleVerdict::Inconclusive,
        None if value.abs() > bound.value => RuleVerdict::Fail,
        None => RuleVerdict::Undefined,
    }
}

/// A number that is counted and not estimated; undefined, with what it says, where it is not known.
pub(super) fn counted(number: Option<f64>, n: u64, says: &str) -> Estimate {
    match number {
        Some(number) => Estimate::defined(number, n, 0),
        None => Estimate::undefined_because(Undefined::NoLabels, says, n, 0),
    }
}

/// Whether a number that is counted is at most so much.
pub(super) fn counted_at_most(found: &Estimate, most: f64) -> RuleVerdict {
    at_most(found, Bound { value: most, on: BoundOn::Point })
}

/// The value, and the range that is read.
fn read(found: &Estimate, on: BoundOn) -> Option<(f64, Option<(f64, f64)>)> {
    let value = found.value()?;
    if on == BoundOn::Point || found.flags().contains(&Flag::ZeroWidthInterval) {
        return Some((value, Some((value, value))));
    }
    Some((value, found.interval().map(|interval| (interval.low, interval.high))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use agreement::{Interval, Method, Unit};

    fn found(low: f64, high: f64) -> Estimate {
        Estimate::defined(f64::midpoint(low, high), 40, 0).with_interval(Interval {
            low,
            high,
            level: 0.95,
            method: Method::Bca,
            unit: Unit::Cluster,
            clusters: 40,
            resampling: None,
        })
    }

    #[test]
    fn a_bound_is_passed_and_failed_by_the_whole_interval() {
        let bound = Bound { value: 0.5, on: BoundOn::Interval };
        let point = Bound { value: 0.5, on: BoundOn::Point };
        for (low, high, least, most) in [
            (0.5, 0.7, RuleVerdict::Pass, RuleVerdict::Inconclusive),
            (0.4, 0.5, RuleVerdict::Inconclusive, RuleVerdict::Pass),
            (0.1, 0.4, RuleVerdict::Fail, RuleVerdict::Pass),
            (0.6, 0.9, RuleVerdict::Pass, RuleVerdict::Fail),
        ] {
            let found = found(low, high);
            assert_eq!((at_least(&found, bound), at_most(&found, bound)), (least, most), "[{low}, {high}]");
        }
        assert_eq!(at_least(&found(0.3, 0.9), point), RuleVerdict::Pass);
        assert_eq!(at_most(&found(0.3, 0.9), point), RuleVerdict::Fail);
    }

    #[test]
    fn a_difference_is_read_on_both_sides() {
        let bound = |on| Bound { value: 0.1, on };
        let whole = |low, high| within(&found(low, high), bound(BoundOn::Interval));
        assert_eq!(whole(-0.1, 0.1), RuleVerdict::Pass);
        assert_eq!(whole(-0.12, 0.05), RuleVerdict::Inconclusive);
        assert_eq!(whole(-0.2, 0.2), RuleVerdict::Inconclusive);
        assert_eq!(whole(0.11, 0.3), RuleVerdict::Fail);
        assert_eq!(whole(-0.3, -0.11), RuleVerdict::Fail);
        assert_eq!(within(&found(-0.12, 0.05), bound(BoundOn::Point)), RuleVerdict::Pass);
        assert_eq!(within(&found(-0.3, 0.0), bound(BoundOn::Point)), RuleVerdict::Fail);
    }

    #[test]
    fn without_an_interval_a_figure_can_fail_but_not_pass() {
        let bound = Bound { value: 0.1, on: BoundOn::Interval };
        let alone = |value| Estimate::defined(value, 1, 0);
        assert_eq!(within(&alone(0.05), bound), RuleVerdict::Undefined);
        assert_eq!(within(&alone(0.2), bound), RuleVerdict::Fail);
        assert_eq!(within(&alone(0.0).with_flag(Flag::ZeroWidthInterval), bound), RuleVerdict::Pass);
        assert_eq!(at_least(&alone(0.2), bound), RuleVerdict::Undefined);
        assert_eq!(at_least(&alone(0.0), bound), RuleVerdict::Fail);
        assert_eq!(at_most(&alone(0.0), bound), RuleVerdict::Undefined);
        assert_eq!(at_most(&alone(0.2), bound), RuleVerdict::Fail);
        let undefined = Estimate::undefined_because(Undefined::NoLabels, "none", 0, 0);
        for read in [at_least, at_most, within] {
            assert_eq!(read(&undefined, bound), RuleVerdict::Undefined);
        }
    }
}
