mod metric;

use crate::{
    AcceptedThreshold, Bound, BoundOn, Comparison, ContentHash, CriterionComparison, JudgeFigures,
    MetricFigures, NotCanonical, Policy, hash_of,
};
use agreement::{Estimate, Flag, Interval, Undefined, items_for_non_inferiority};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The recorded answer of a gate, with everything that it was based on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The answer.
    pub decision: Verdict,
    /// Identity of the record.
    pub id: String,
    /// Name of the project.
    pub project: String,
    /// The judge that would be promoted.
    pub candidate: String,
    /// The judge in place; absent on a first promotion.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incumbent: Option<String>,
    /// SHA-256 of the policy's RFC 8785 form.
    pub policy_hash: ContentHash,
    /// Hash of the labels, verdicts and settings that the figures are of.
    pub data_hash: ContentHash,
    /// Where the human values come from.
    pub reference: crate::ReferenceSource,
    /// When, in UTC.
    #[serde(with = "time::serde::rfc3339")]
    pub decided_at: time::OffsetDateTime,
    /// On live labels the decision is advice: only one on a frozen anchor set can be followed by a promotion.
    pub advice_only: bool,
    /// How often `confirm` was opened for this candidate; absent where the decision is not on `confirm`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<ConfirmOpening>,
    /// Each rule with what was required and what was found.
    pub rules: Vec<RuleOutcome>,
    /// Every rule that did not pass, and what could not be asked, in sentences.
    pub reasons: Vec<String>,
    /// The policy as it was applied.
    pub policy: Policy,
    /// What it takes to decide the same again; absent where it was decided before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// What it takes to decide the same again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The version of the candidate, and what answered for it.
    pub candidate: GatedJudge,
    /// The same of the incumbent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incumbent: Option<GatedJudge>,
    /// The last verdict that was there: those that came later are left out when it is decided again.
    pub verdicts_through: i64,
    /// Hash of each part of the data.
    pub inputs: Vec<HashedInput>,
    /// The thresholds that had been accepted for the candidate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thresholds: Vec<AcceptedThreshold>,
}

/// A judge version that was gated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GatedJudge {
    /// Name of the judge.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Fingerprint of its verdicts by criterion; absent where they have more than one.
    pub fingerprints: BTreeMap<String, String>,
}

/// A part of the data of a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HashedInput {
    /// What it is: the rubric, the references, the labels, the verdicts of a judge, the metrics.
    pub part: String,
    /// Its SHA-256.
    pub hash: ContentHash,
}

impl Decision {
    /// SHA-256 of the RFC 8785 form of the whole record.
    ///
    /// # Errors
    /// [`NotCanonical`] for a number beyond 2⁵³.
    pub fn hash(&self) -> Result<ContentHash, NotCanonical> {
        hash_of(self)
    }

    /// The criteria that were asked about.
    #[must_use]
    pub fn criteria(&self) -> BTreeSet<&str> {
        let metrics = &self.policy.by_metric;
        let asked = self.rules.iter().map(|rule| rule.criterion.as_str());
        asked.filter(|id| !metrics.contains_key(*id)).collect()
    }
}

impl Evidence {
    /// The parts of the data that are not as they were, in words.
    #[must_use]
    pub fn changed(&self, now: &[HashedInput]) -> Vec<String> {
        let hash_in = |inputs: &[HashedInput], part: &str| {
            inputs.iter().find(|input| input.part == part).map(|input| input.hash.clone())
        };
        let parts: BTreeSet<&str> = self.inputs.iter().chain(now).map(|input| input.part.as_str()).collect();
        let changed = parts.into_iter().filter(|part| hash_in(&self.inputs, part) != hash_in(now, part));
        changed.map(str::to_owned).collect()
    }
}

/// A look at `confirm`. Whoever looks again until a candidate passes has chosen it by chance: later looks are marked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConfirmOpening {
    /// 1 for the first look at one of the candidates, and so on.
    pub look: u32,
    /// Why it was opened, as whoever opened it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// PROMOTE, HOLD or INCONCLUSIVE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every rule passed.
    Promote,
    /// A rule failed.
    Hold,
    /// No rule failed, but the data cannot show that all pass.
    Inconclusive,
}

impl Verdict {
    /// The word that pages and logs show.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Promote => "PROMOTE",
            Verdict::Hold => "HOLD",
            Verdict::Inconclusive => "INCONCLUSIVE",
        }
    }
}

/// One rule on one criterion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleOutcome {
    /// `minimum_n`, `failure_share`, `kappa_at_least`, `non_inferiority`, or `difference_at_most` of a metric.
    pub rule: String,
    /// Id of the criterion, or of the metric.
    pub criterion: String,
    /// What the policy asks, in words.
    pub required: String,
    /// What there was.
    pub found: Estimate,
    /// Whether that is enough.
    pub verdict: RuleVerdict,
}

/// Whether a rule is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleVerdict {
    /// Shown to be met.
    Pass,
    /// Shown not to be met.
    Fail,
    /// Neither is shown.
    Inconclusive,
    /// The figure has no value.
    Undefined,
}

/// What a policy says of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// The answer.
    pub decision: Verdict,
    /// Each rule on each criterion.
    pub rules: Vec<RuleOutcome>,
    /// What did not pass or was not asked, in sentences.
    pub reasons: Vec<String>,
}

/// Normal quantile of a two-sided 95 % interval, which is as wide as twice this many standard errors.
const Z_INTERVAL: f64 = 1.959_963_984_540_054;

impl Policy {
    /// Applies the policy to a candidate: any rule failed → HOLD; else any inconclusive or undefined → INCONCLUSIVE; else PROMOTE.
    /// Without an incumbent the rules that need one are left out, and said to be. `metrics` are those of people beside the candidate.
    #[must_use]
    pub fn apply(
        &self,
        comparison: &Comparison,
        metrics: &[MetricFigures],
        thresholds: &[AcceptedThreshold],
        candidate: &str,
        incumbent: Option<&str>,
    ) -> Applied {
        let mut applied = Applied { decision: Verdict::Promote, rules: Vec::new(), reasons: Vec::new() };
        let mut named: Vec<&str> = if self.criteria.is_empty() {
            comparison.criteria.iter().map(|criterion| criterion.id.as_str()).collect()
        } else {
            self.criteria.iter().map(String::as_str).collect()
        };
        let is_asked = self.asks_of_criteria();
        if !is_asked {
            // That the verdicts are of one instrument is asked of metrics as well.
            named.retain(|id| comparison.answered(id, candidate));
        }
        if named.is_empty() && is_asked {
            applied.reasons.push(
                "no criterion has both references and verdicts: there is nothing to decide on".to_owned(),
            );
            applied.decision = Verdict::Inconclusive;
        }
        for id in named {
            let criterion = comparison.criteria.iter().find(|criterion| criterion.id == id);
            self.apply_to(id, criterion, candidate, incumbent, &mut applied);
        }
        for (id, rules) in &self.by_metric {
            let figures = metrics.iter().find(|metric| metric.id == *id);
            metric::apply(rules, id, figures, candidate, &mut applied);
        }
        let says = |verdict: RuleVerdict| applied.rules.iter().any(|rule| rule.verdict == verdict);
        if says(RuleVerdict::Fail) {
            applied.decision = Verdict::Hold;
        } else if says(RuleVerdict::Inconclusive) || says(RuleVerdict::Undefined) {
            applied.decision = Verdict::Inconclusive;
        }
        if incumbent.is_none() && self.asks_for_an_incumbent() {
            applied.reasons.push("no incumbent: non_inferiority was left out".to_owned());
        }
        applied
    }

    fn asks_for_an_incumbent(&self) -> bool {
        self.rules.non_inferiority.is_some()
            || self.by_criterion.values().any(|rules| rules.non_inferiority.is_some())
    }

    fn apply_to(
        &self,
        id: &str,
        criterion: Option<&CriterionComparison>,
        candidate: &str,
        incumbent: Option<&str>,
        applied: &mut Applied,
    ) {
        let judges = criterion.map(|criterion| criterion.judges.as_slice()).unwrap_or_default();
        let figures_of = |name: &str| judges.iter().find(|figures| figures.judge == name);
        let mut add = |rule: &str, required: String, found: Estimate, verdict: RuleVerdict, says: String| {
            if verdict != RuleVerdict::Pass {
                applied.reasons.push(format!("{id}: {rule}: {says}"));
            }
            applied.rules.push(RuleOutcome {
                rule: rule.to_owned(),
                criterion: id.to_owned(),
                required,
                found,
                verdict,
            });
        };
        let Some(figures) = figures_of(candidate) else {
            let says = format!("`{candidate}` has no verdict on an item with a reference");
            let found = Estimate::undefined_because(Undefined::NoLabels, says.clone(), 0, 0);
            return add(
                "minimum_n",
                "verdicts on items with references".to_owned(),
                found,
                RuleVerdict::Undefined,
                says,
            );
        };
        for judge in
            [Some(figures), incumbent.and_then(figures_of)].into_iter().flatten().filter(|judge| judge.mixed)
        {
            let says = format!(
                "the verdicts of `{}` have more than one fingerprint: they are not one instrument",
                judge.judge
            );
            let found =
                Estimate::undefined_because(Undefined::NotFinite, says.clone(), judge.n, judge.failures);
            add(
                "one_fingerprint",
                "one model version behind all verdicts".to_owned(),
                found,
                RuleVerdict::Undefined,
                says,
            );
        }
        let rules = self.rules_for(id);
        if let Some(minimum) = rules.minimum_n {
            let verdict = if figures.n >= minimum { RuleVerdict::Pass } else { RuleVerdict::Inconclusive };
            let says =
                format!("{} items, about {} more needed", figures.n, minimum.saturating_sub(figures.n));
            add("minimum_n", format!("at least {minimum} items"), count(figures.n, figures), verdict, says);
        }
        if let Some(most) = rules.failure_share {
            let (found, verdict) = failure_share(figures, most);
            let says = format!(
                "{} of {} items have no valid verdict",
                figures.failures,
                figures.n + figures.failures
            );
            add(
                "failure_share",
                format!("at most {most} of the items without a valid verdict"),
                found,
                verdict,
                says,
            );
        }
        if let Some(bound) = rules.kappa_at_least {
            let on = if bound.on == BoundOn::Point { "the point value" } else { "the whole interval" };
            let verdict = at_least(&figures.quadratic, bound);
            let says =
                format!("κ is {}, not shown to be at least {}", in_words(&figures.quadratic), bound.value);
            let required = format!("κ at least {} by {on}", bound.value);
            add("kappa_at_least", required, figures.quadratic.clone(), verdict, says);
        }
        if let (Some(margin), Some(incumbent)) = (rules.non_inferiority, incumbent) {
            let required = format!(
                "no worse than `{incumbent}` by more than {margin}: lower bound of Δκ above −{margin}"
            );
            let found = match &figures.delta {
                Some(delta) => delta.quadratic.clone(),
                None => {
                    let says = format!("`{candidate}` and `{incumbent}` answered no item in common");
                    Estimate::undefined_because(Undefined::NoPairableUnits, says, 0, 0)
                }
            };
            let (verdict, says) = non_inferior(&found, margin);
            add("non_inferiority", required, found, verdict, says);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of items are far below 2^53")]
fn count(n: u64, figures: &JudgeFigures) -> Estimate {
    Estimate::defined(n as f64, n, figures.failures)
}

#[expect(clippy::cast_precision_loss, reason = "counts of items are far below 2^53")]
fn failure_share(figures: &JudgeFigures, most: f64) -> (Estimate, RuleVerdict) {
    let all = figures.n + figures.failures;
    if all == 0 {
        let found = Estimate::undefined_because(Undefined::NTooSmall, "no item has a reference", 0, 0);
        return (found, RuleVerdict::Undefined);
    }
    let share = figures.failures as f64 / all as f64;
    (Estimate::defined(share, all, 0), if share <= most { RuleVerdict::Pass } else { RuleVerdict::Fail })
}

/// Whether a figure is on the right side of a lower bound. A figure without width (a κ of exactly 1) is read on the point; any other
/// without an interval can fail but not pass.
fn at_least(found: &Estimate, bound: Bound) -> RuleVerdict {
    let Some(value) = found.value() else { return RuleVerdict::Undefined };
    let on_the_point = bound.on == BoundOn::Point || found.flags().contains(&Flag::ZeroWidthInterval);
    match found.interval() {
        _ if on_the_point => {
            if value >= bound.value {
                RuleVerdict::Pass
            } else {
                RuleVerdict::Fail
            }
        }
        Some(Interval { low, .. }) if *low >= bound.value => RuleVerdict::Pass,
        Some(Interval { high, .. }) if *high < bound.value => RuleVerdict::Fail,
        Some(_) => RuleVerdict::Inconclusive,
        None if value < bound.value => RuleVerdict::Fail,
        None => RuleVerdict::Undefined,
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
            more => format!("about {more} more items needed (80 % power if the true Δ is 0)"),
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

fn in_words(figure: &Estimate) -> String {
    match (figure.value(), figure.interval()) {
        (Some(value), Some(interval)) => format!("{value:.2} [{:.2}, {:.2}]", interval.low, interval.high),
        (Some(value), None) => format!("{value:.2}"),
        (None, _) => format!("undefined ({})", figure.says().unwrap_or_default()),
    }
}
