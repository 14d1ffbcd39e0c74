//! The rules of a policy about one criterion.

use super::{Parties, RuleVerdict, Ruling, SliceNamed, bound, in_words};
use crate::{AcceptedThreshold, Bound, CriterionComparison, JudgeFigures, Rules, WorstSlice};
use agreement::{Estimate, Flag, PassFail, ProportionInterval, Undefined, items_for_non_inferiority};

/// Normal quantile of a two-sided 95 % interval, which is as wide as twice this many standard errors.
const Z_INTERVAL: f64 = 1.959_963_984_540_054;

/// What the rules of a criterion are asked of.
struct Asked<'a> {
    rules: &'a Rules,
    compared: &'a CriterionComparison,
    figures: &'a JudgeFigures,
    incumbent: Option<&'a str>,
    /// What was accepted for this instrument on this criterion.
    accepted: Option<&'a AcceptedThreshold>,
}

/// Applies the rules to what a comparison says of the candidate on one criterion.
pub(super) fn apply(
    rules: &Rules,
    compared: Option<&CriterionComparison>,
    parties: &Parties<'_>,
    mut ruling: Ruling<'_>,
) {
    let Parties { candidate, incumbent, thresholds } = *parties;
    let of = |name: &str| compared?.judges.iter().find(|figures| figures.judge == name);
    let (Some(compared), Some(figures)) = (compared, of(candidate)) else {
        let says = format!("`{candidate}` has no verdict on an item with a reference");
        let found = Estimate::undefined_because(Undefined::NoLabels, says.clone(), 0, 0);
        ruling.add("minimum_n", "verdicts on items with references", found, RuleVerdict::Undefined, says);
        return;
    };
    one_fingerprint([Some(figures), incumbent.and_then(of)].into_iter().flatten(), &mut ruling);
    let is_of = |accepted: &&AcceptedThreshold| {
        accepted.criterion == compared.id && Some(&accepted.fingerprint) == figures.fingerprint.as_ref()
    };
    let accepted = thresholds.iter().find(is_of);
    let asked = Asked { rules, compared, figures, incumbent, accepted };
    asked.of_counts(&mut ruling);
    asked.of_people(&mut ruling);
    asked.of_agreement(&mut ruling);
    asked.of_slices(&mut ruling);
    asked.of_the_incumbent(&mut ruling);
    asked.of_passing(&mut ruling);
    asked.of_steadiness_and_price(&mut ruling);
}

fn one_fingerprint<'f>(judges: impl Iterator<Item = &'f JudgeFigures>, ruling: &mut Ruling<'_>) {
    for judge in judges.filter(|judge| judge.mixed) {
        let says = format!(
            "the verdicts of `{}` have more than one fingerprint: they are not one instrument",
            judge.judge
        );
        let found = Estimate::undefined_because(Undefined::NotFinite, says.clone(), judge.n, judge.failures);
        ruling.add(
            "one_fingerprint",
            "one model version behind all verdicts",
            found,
            RuleVerdict::Undefined,
            says,
        );
    }
}

impl Asked<'_> {
    fn of_counts(&self, ruling: &mut Ruling<'_>) {
        let JudgeFigures { n, failures, .. } = *self.figures;
        let all = n + failures;
        if let Some(minimum) = self.rules.minimum_n {
            let verdict = if n >= minimum { RuleVerdict::Pass } else { RuleVerdict::Inconclusive };
            let says = format!("{n} items, about {} more needed", minimum.saturating_sub(n));
            #[expect(clippy::cast_precision_loss, reason = "counts of items are far below 2^53")]
            let found = Estimate::defined(n as f64, n, failures);
            ruling.add("minimum_n", format!("at least {minimum} items"), found, verdict, says);
        }
        #[expect(clippy::cast_precision_loss, reason = "counts of items are far below 2^53")]
        let share = |count: u64| (all > 0).then(|| count as f64 / all as f64);
        let says = format!("{failures} of {all} items have no valid verdict");
        if let Some(most) = self.rules.failure_share {
            let found = bound::counted(share(failures), all, "no item has a reference");
            let required = format!("at most {most} of the items without a valid verdict");
            let verdict = bound::counted_at_most(&found, most);
            ruling.add("failure_share", required, found, verdict, says.clone());
        }
        if let Some(least) = self.rules.coverage_at_least {
            let found = bound::counted(share(n), all, "no item has a reference");
            let verdict = bound::at_least(&found, on_the_point(least));
            ruling.add(
                "coverage_at_least",
                format!("a valid verdict on at least {least} of the items"),
                found,
                verdict,
                says,
            );
        }
    }

    /// Where people do not agree there is nothing that a judge could be held to.
    fn of_people(&self, ruling: &mut Ruling<'_>) {
        if let Some(least) = self.rules.human_agreement_at_least {
            let found = &self.figures.ceiling;
            let required =
                format!("one person with the others: κ at least {} by {}", least.value, bound::on(least));
            let says = format!(
                "people agree with each other by κ {}, not shown to be at least {}: mend the guideline before a judge is gated",
                in_words(found),
                least.value
            );
            ruling.add(
                "human_agreement_at_least",
                required,
                found.clone(),
                bound::at_least(found, least),
                says,
            );
        }
    }

    fn of_agreement(&self, ruling: &mut Ruling<'_>) {
        let kappa = &self.figures.quadratic;
        if let Some(least) = self.rules.kappa_at_least {
            let required = format!("κ at least {} by {}", least.value, bound::on(least));
            let says = format!("κ is {}, not shown to be at least {}", in_words(kappa), least.value);
            ruling.add("kappa_at_least", required, kappa.clone(), bound::at_least(kappa, least), says);
        }
        if let Some(least) = self.rules.pessimistic_kappa_at_least {
            let filled = &self.figures.fill.pessimistic;
            let required = format!(
                "κ at least {} by {}, each failure farthest from people",
                least.value,
                bound::on(least)
            );
            let says = format!(
                "κ is {} if each failure is the answer farthest from people, not shown to be at least {}",
                in_words(filled),
                least.value
            );
            ruling.add(
                "pessimistic_kappa_at_least",
                required,
                filled.clone(),
                bound::at_least(filled, least),
                says,
            );
        }
        if let Some(most) = self.rules.ceiling_distance_at_most {
            self.of_the_ceiling(most, ruling);
        }
        if let Some(most) = self.rules.bias_at_most {
            let bias = &self.figures.bias;
            let required = format!("judge − people within ±{} by {}", most.value, bound::on(most));
            let says =
                format!("judge − people is {}, not shown to be within ±{}", in_words(bias), most.value);
            ruling.add("bias_at_most", required, bias.clone(), bound::within(bias, most), says);
        }
    }

    fn of_the_ceiling(&self, most: Bound, ruling: &mut Ruling<'_>) {
        let (kappa, ceiling) = (&self.figures.quadratic, &self.figures.ceiling);
        let (found, required, verdict) = match ceiling.value() {
            Some(top) => {
                let least = Bound { value: top - most.value, on: most.on };
                let required = format!(
                    "κ at least {:.2} by {}: the ceiling {top:.2} less {}",
                    least.value,
                    bound::on(most),
                    most.value
                );
                (kappa, required, bound::at_least(kappa, least))
            }
            None => {
                let required = format!("κ at most {} below the ceiling by {}", most.value, bound::on(most));
                (ceiling, required, RuleVerdict::Undefined)
            }
        };
        let says = format!(
            "κ is {} and the ceiling is {}: not shown to lie at most {} below it",
            in_words(kappa),
            in_words(ceiling),
            most.value
        );
        ruling.add("ceiling_distance_at_most", required, found.clone(), verdict, says);
    }

    fn of_slices(&self, ruling: &mut Ruling<'_>) {
        let Some(WorstSlice { by, kappa_at_least: least, minimum_n }) = &self.rules.worst_slice else {
            return;
        };
        let mut worst: Option<(RuleVerdict, &str, &Estimate)> = None;
        let mut small = 0;
        for slice in &self.compared.slices {
            let Some(figures) = slice.judges.iter().find(|figures| figures.judge == self.figures.judge)
            else {
                continue;
            };
            if slice.references < *minimum_n {
                small += 1;
                continue;
            }
            let verdict = bound::at_least(&figures.quadratic, *least);
            let rank = |verdict: RuleVerdict, kappa: &Estimate| {
                (severity(verdict), kappa.value().map_or(f64::INFINITY, |kappa| -kappa))
            };
            let found = (verdict, slice.value.as_str(), &figures.quadratic);
            if worst.is_none_or(|worst| rank(worst.0, worst.2) < rank(verdict, &figures.quadratic)) {
                worst = Some(found);
            }
        }
        let left_out = match small {
            0 => String::new(),
            1 => format!("; 1 slice has fewer than {minimum_n} items and is left out"),
            _ => format!("; {small} slices have fewer than {minimum_n} items and are left out"),
        };
        let required = format!(
            "κ at least {} by {} in every {} of {minimum_n} items or more{left_out}",
            least.value,
            bound::on(*least),
            by.word()
        );
        let Some((verdict, value, kappa)) = worst else {
            let says = format!("no {} has {minimum_n} items: label more of each", by.word());
            let found = Estimate::undefined_because(Undefined::NTooSmall, says.clone(), 0, 0);
            ruling.add("worst_slice", required, found, RuleVerdict::Undefined, says);
            return;
        };
        let named = if value.is_empty() { "(none)" } else { value };
        let more = if verdict == RuleVerdict::Inconclusive { "; label more of it" } else { "" };
        let says = format!(
            "κ is {} in {} {named}, not shown to be at least {}{more}",
            in_words(kappa),
            by.word(),
            least.value
        );
        let outcome = ruling.add("worst_slice", required, kappa.clone(), verdict, says);
        outcome.slice = Some(SliceNamed { by: *by, value: value.to_owned() });
    }

    fn of_the_incumbent(&self, ruling: &mut Ruling<'_>) {
        let Some(incumbent) = self.incumbent else { return };
        let candidate = &self.figures.judge;
        let nothing = || {
            let says = format!("`{candidate}` and `{incumbent}` answered no item in common");
            Estimate::undefined_because(Undefined::NoPairableUnits, says, 0, 0)
        };
        if let Some(margin) = self.rules.non_inferiority {
            let required = format!(
                "no worse than `{incumbent}` by more than {margin}: lower bound of Δκ above −{margin}"
            );
            let found = self.figures.delta.as_ref().map_or_else(nothing, |delta| delta.quadratic.clone());
            let (verdict, says) = non_inferior(&found, margin);
            ruling.add("non_inferiority", required, found, verdict, says);
        }
        if let Some(most) = self.rules.mean_shift {
            let found = self.figures.delta.as_ref().map_or_else(nothing, |delta| delta.mean_shift.clone());
            self.of_the_shift(most, found, ruling);
        }
    }

    /// A shift is no harm in itself; a threshold that did not move with it is.
    fn of_the_shift(&self, most: f64, found: Estimate, ruling: &mut Ruling<'_>) {
        let mut required =
            format!("mean shift within ±{most} of the range, or a re-anchored pass threshold accepted");
        let mut verdict = bound::within(&found, on_the_point(most));
        if let (RuleVerdict::Fail, Some(accepted)) = (verdict, self.accepted) {
            required.push_str(&format!(": {} since it was {}", accepted.threshold, accepted.before));
            verdict = RuleVerdict::Pass;
        }
        let says = match found.value() {
            Some(shift) => format!(
                "the mean moved by {shift:+.2} of the range, {}: accept a re-anchored pass threshold first (`touchstone threshold propose`)",
                self.direction(shift)
            ),
            None => format!("the mean shift is {}", in_words(&found)),
        };
        ruling.add("mean_shift", required, found, verdict, says);
    }

    /// Whether a shift leads towards people: bias is the judge minus people, and what it was before is that less the shift.
    fn direction(&self, shift: f64) -> &'static str {
        let (low, high) = match (self.compared.levels.first(), self.compared.levels.last()) {
            (Some(low), Some(high)) => (low.value, high.value),
            _ => return if shift > 0.0 { "upwards" } else { "downwards" },
        };
        match self.figures.bias.value() {
            Some(bias) if bias.abs() < (bias - shift * (high - low)).abs() => "towards people",
            Some(_) => "away from people",
            None => "where people stand is not known",
        }
    }

    fn of_passing(&self, ruling: &mut Ruling<'_>) {
        let asked = [
            (
                "true_pass_rate_at_least",
                self.rules.true_pass_rate_at_least,
                "of what people pass, the judge passes",
            ),
            (
                "true_fail_rate_at_least",
                self.rules.true_fail_rate_at_least,
                "of what people fail, the judge fails",
            ),
        ];
        for (position, (rule, least, what)) in asked.into_iter().enumerate() {
            let Some(least) = least else { continue };
            let (found, threshold) = self.passing(position == 0);
            let at = threshold.map(|threshold| format!(" from {threshold} on")).unwrap_or_default();
            let required = format!("{what} at least {} by {}{at}", least.value, bound::on(least));
            let says = format!("{what} {}{at}, not shown to be at least {}", in_words(&found), least.value);
            let verdict = bound::at_least(&found, least);
            ruling.add(rule, required, found, verdict, says);
        }
    }

    /// The share of what people pass, or fail, of which the judge says the same at its threshold; and that threshold.
    fn passing(&self, passes: bool) -> (Estimate, Option<f64>) {
        let Some(figures) = &self.figures.pass_fail else {
            let says = "the scale has no pass level: declare `relevant_from` in the rubric";
            return (Estimate::undefined_because(Undefined::ScaleMismatch, says, 0, 0), None);
        };
        let threshold = self.accepted.map_or(figures.pass_level, |accepted| accepted.threshold);
        if (threshold - figures.pass_level).abs() < 1e-9 {
            let found = if passes { &figures.true_pass_rate } else { &figures.true_fail_rate };
            return (found.clone(), Some(threshold));
        }
        let Some(counts) = self.counts_at(figures.pass_level, threshold) else {
            let says = "passing at a re-anchored threshold cannot be counted on a scale without levels";
            return (Estimate::undefined_because(Undefined::ScaleMismatch, says, 0, 0), Some(threshold));
        };
        let wilson = ProportionInterval::Wilson;
        let found =
            if passes { counts.true_pass_rate(0.95, wilson) } else { counts.true_fail_rate(0.95, wilson) };
        (found, Some(threshold))
    }

    /// Counts of the table of people and judge, people from the pass level on and the judge from its threshold on.
    fn counts_at(&self, pass_level: f64, threshold: f64) -> Option<PassFail> {
        let levels = &self.compared.levels;
        if levels.is_empty() || self.figures.confusion.is_empty() {
            return None;
        }
        let mut counts = PassFail::default();
        for (person, row) in levels.iter().zip(&self.figures.confusion) {
            for (judge, count) in levels.iter().zip(row) {
                let cell = match (person.value >= pass_level - 1e-9, judge.value >= threshold - 1e-9) {
                    (true, true) => &mut counts.true_pass,
                    (true, false) => &mut counts.false_fail,
                    (false, false) => &mut counts.true_fail,
                    (false, true) => &mut counts.false_pass,
                };
                *cell += count;
            }
        }
        Some(counts)
    }

    fn of_steadiness_and_price(&self, ruling: &mut Ruling<'_>) {
        let JudgeFigures { stability, n, .. } = self.figures;
        if let Some(most) = self.rules.flip_rate_at_most {
            let found = &stability.flip_rate;
            let required = format!(
                "at most {} of the items answered differently over repeats, by {}",
                most.value,
                bound::on(most)
            );
            let says =
                format!("the flip rate is {}, not shown to be at most {}", in_words(found), most.value);
            ruling.add("flip_rate_at_most", required, found.clone(), bound::at_most(found, most), says);
        }
        if let Some(most) = self.rules.cost_per_1000_at_most {
            let found =
                bound::counted(self.figures.cost_per_1000, *n, "the costs of the verdicts are not known");
            let says =
                format!("a thousand verdicts cost {} US dollars, not at most {most}", in_words(&found));
            let verdict = bound::counted_at_most(&found, most);
            ruling.add(
                "cost_per_1000_at_most",
                format!("at most {most} US dollars for a thousand verdicts"),
                found,
                verdict,
                says,
            );
        }
        if let Some(most) = self.rules.latency_p95_ms_at_most {
            let found =
                bound::counted(self.figures.latency_p95_ms, *n, "the times of the verdicts are not known");
            let says =
                format!("95 % of the answers came within {} ms, not within {most} ms", in_words(&found));
            let verdict = bound::counted_at_most(&found, most);
            ruling.add(
                "latency_p95_ms_at_most",
                format!("95 % of the answers within {most} ms"),
                found,
                verdict,
                says,
            );
        }
    }
}

fn on_the_point(value: f64) -> Bound {
    Bound { value, on: crate::BoundOn::Point }
}

/// What counts most when several slices are asked.
fn severity(verdict: RuleVerdict) -> u8 {
    match verdict {
        RuleVerdict::Pass => 0,
        RuleVerdict::Inconclusive => 1,
        RuleVerdict::Undefined => 2,
        RuleVerdict::Fail => 3,
    }
}

/// Non-inferiority with margin δ: shown if the lower bound of Δ is above −δ, refuted if the upper bound is below 0.
fn non_inferior(delta: &Estimate, margin: f64) -> (RuleVerdict, String) {
    let figure = in_words(delta);
    let Some(value) = delta.value() else { return (RuleVerdict::Undefined, format!("Δκ is {figure}")) };
    let (low, high) = match delta.interval() {
        Some(interval) => (interval.low, interval.high),
        None if delta.flags().contains(&Flag::ZeroWidthInterval) => (value, value),
        None => return (RuleVerdict::Undefined, format!("Δκ is {figure} without an interval")),
    };
    if low > -margin {
        (RuleVerdict::Pass, String::new())
    } else if high < 0.0 {
        (RuleVerdict::Fail, format!("Δκ is {figure}: shown to be worse than the incumbent"))
    } else {
        let more = match more_items(delta.n(), low, high, margin) {
            0 => {
                format!("these {} items would do if there were no difference, so there may be one", delta.n())
            }
            more => format!(
                "about {more} more items needed, of the strata in which the present ones are (80 % power if the true Δ is 0)"
            ),
        };
        (
            RuleVerdict::Inconclusive,
            format!("Δκ is {figure}: neither no worse than {margin} nor worse is shown; {more}"),
        )
    }
}

/// Items beyond `n` that would show non-inferiority with 80 % power if the true Δ were 0. Never extrapolated from the observed Δ.
fn more_items(n: u64, low: f64, high: f64, margin: f64) -> u64 {
    let standard_error = (high - low) / (2.0 * Z_INTERVAL);
    let needed = items_for_non_inferiority(standard_error, n, margin, 0.8, 0.025);
    needed.unwrap_or(n).saturating_sub(n)
}
