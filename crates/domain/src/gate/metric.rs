//! The rules of a policy about metrics: the judge's figure beside the same from people.

use super::{RuleVerdict, Ruling, bound, in_words};
use crate::{MetricFigures, MetricRules};
use agreement::{Estimate, Undefined};

/// Applies the rules of a metric to what a candidate says of it beside people.
pub(super) fn apply(
    rules: &MetricRules,
    figures: Option<&MetricFigures>,
    candidate: &str,
    mut ruling: Ruling<'_>,
) {
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
        ruling.add("minimum_n", format!("at least {minimum} conversations"), found, verdict, says);
    }
    let most = rules.difference_at_most;
    let required = format!("judge − people within ±{} by {}", most.value, bound::on(most));
    let verdict = bound::within(&difference, most);
    let says = format!("judge − people is {}, not shown to be within ±{}", in_words(&difference), most.value);
    ruling.add("difference_at_most", required, difference, verdict, says);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Applied, Bound, BoundOn};

    #[test]
    fn what_nobody_has_fails_closed() {
        let rules = MetricRules {
            minimum_n: Some(1),
            difference_at_most: Bound { value: 0.1, on: BoundOn::Interval },
        };
        let mut applied =
            Applied { decision: crate::Verdict::Promote, rules: Vec::new(), reasons: Vec::new() };
        apply(&rules, None, "j", Ruling { id: "citation_recall", applied: &mut applied });
        let verdicts: Vec<RuleVerdict> = applied.rules.iter().map(|rule| rule.verdict).collect();
        assert_eq!(verdicts, [RuleVerdict::Inconclusive, RuleVerdict::Undefined]);
        let says = &applied.reasons[1];
        assert!(says.starts_with("citation_recall: difference_at_most: "), "{says}");
    }
}
