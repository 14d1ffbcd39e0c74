//! The rules of a policy about metrics: the judge's figure beside the same from people.

use super::{Applied, RuleOutcome, RuleVerdict, in_words};
use crate::{Bound, BoundOn, MetricFigures, MetricRules};
use agreement::{Estimate, Flag, Undefined};

/// Applies the rules of a metric to what a candidate says of it beside people.
pub(super) fn apply(
    rules: &MetricRules,
    id: &str,
    figures: Option<&MetricFigures>,
    candidate: &str,
    applied: &mut Applied,
) {
    let mut add = |rule: &str, required: String, found: Estimate, verdict: RuleVerdict, says: String| {
        if verdict != RuleVerdict::Pass {
            applied.reasons.push(format!("{id}: {rule}: {says}"));
        }
        let (rule, criterion) = (rule.to_owned(), id.to_owned());
        applied.rules.push(RuleOutcome { rule, criterion, required, found, verdict });
    };
    let difference = figures.and_then(|figures| figures.paired.as_ref()).map_or_else(
        || {
            let says = format!("people and `{candidate}` have it for no conversation in common");
            Estimate::undefined_because(Undefined::NoLabels, says, 0, 0)
        },
        |paired| paired.difference.clone(),
    );
    let n = difference.n();
    if let Some(minimum) = rules.minimum_n {
        let verdict = if n >= minimum { RuleVerdict::Pass } else { RuleVerdict::Inconclusive };
        let says = format!("{n} conversations, about {} more needed", minimum.saturating_sub(n));
        #[expect(clippy::cast_precision_loss, reason = "counts of conversations are far below 2^53")]
        let found = Estimate::defined(n as f64, n, difference.missing());
        add("minimum_n", format!("at least {minimum} conversations"), found, verdict, says);
    }
    let bound = rules.difference_at_most;
    let on = if bound.on == BoundOn::Point { "the point value" } else { "the whole interval" };
    let required = format!("judge − people within ±{} by {on}", bound.value);
    let verdict = within(&difference, bound);
    let says =
        format!("judge − people is {}, not shown to be within ±{}", in_words(&difference), bound.value);
    add("difference_at_most", required, difference, verdict, says);
}

/// Whether a difference lies within a distance to both sides of 0. One without width is read on the point; any other without an interval
/// can fail but not pass.
fn within(found: &Estimate, bound: Bound) -> RuleVerdict {
    let Some(value) = found.value() else { return RuleVerdict::Undefined };
    let (low, high) = match found.interval() {
        _ if bound.on == BoundOn::Point || found.flags().contains(&Flag::ZeroWidthInterval) => (value, value),
        Some(interval) => (interval.low, interval.high),
        None if value.abs() > bound.value => return RuleVerdict::Fail,
        None => return RuleVerdict::Undefined,
    };
    if low >= -bound.value && high <= bound.value {
        RuleVerdict::Pass
    } else if low > bound.value || high < -bound.value {
        RuleVerdict::Fail
    } else {
        RuleVerdict::Inconclusive
    }
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
    fn without_an_interval_it_fails_closed() {
        let bound = Bound { value: 0.1, on: BoundOn::Interval };
        let alone = |value| Estimate::defined(value, 1, 0);
        assert_eq!(within(&alone(0.05), bound), RuleVerdict::Undefined);
        assert_eq!(within(&alone(0.2), bound), RuleVerdict::Fail);
        assert_eq!(within(&alone(0.0).with_flag(Flag::ZeroWidthInterval), bound), RuleVerdict::Pass);
        let undefined = Estimate::undefined_because(Undefined::NoLabels, "none", 0, 0);
        assert_eq!(within(&undefined, bound), RuleVerdict::Undefined);
        let rules = MetricRules { minimum_n: Some(1), difference_at_most: bound };
        let mut applied =
            Applied { decision: crate::Verdict::Promote, rules: Vec::new(), reasons: Vec::new() };
        apply(&rules, "citation_recall", None, "j", &mut applied);
        let verdicts: Vec<RuleVerdict> = applied.rules.iter().map(|rule| rule.verdict).collect();
        assert_eq!(verdicts, [RuleVerdict::Inconclusive, RuleVerdict::Undefined]);
        assert!(
            applied.reasons[1].starts_with("citation_recall: difference_at_most: "),
            "{:?}",
            applied.reasons
        );
    }
}
