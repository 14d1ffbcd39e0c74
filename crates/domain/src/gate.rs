mod bound;
mod criterion;
mod metric;

use crate::{
    AcceptedThreshold, Comparison, ContentHash, MetricFigures, NotCanonical, Policy, SliceBy, hash_of,
};
use agreement::Estimate;
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
    /// The rule as the policy calls it; `one_fingerprint`, which every policy asks.
    pub rule: String,
    /// Id of the criterion, or of the metric.
    pub criterion: String,
    /// What the policy asks, in words.
    pub required: String,
    /// What there was.
    pub found: Estimate,
    /// Whether that is enough.
    pub verdict: RuleVerdict,
    /// The slice that the figure is of; absent where it is of all items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slice: Option<SliceNamed>,
}

/// A slice of the conversations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SliceNamed {
    /// What it is cut by.
    pub by: SliceBy,
    /// Which one; empty for conversations that do not say.
    pub value: String,
}

/// Who is gated, against whom, and which thresholds were accepted for the candidate.
struct Parties<'a> {
    candidate: &'a str,
    incumbent: Option<&'a str>,
    thresholds: &'a [AcceptedThreshold],
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
            let compared = comparison.criteria.iter().find(|criterion| criterion.id == id);
            let parties = Parties { candidate, incumbent, thresholds };
            criterion::apply(&self.rules_for(id), compared, &parties, Ruling { id, applied: &mut applied });
        }
        for (id, rules) in &self.by_metric {
            let figures = metrics.iter().find(|metric| metric.id == *id);
            metric::apply(rules, figures, candidate, Ruling { id, applied: &mut applied });
        }
        let says = |verdict: RuleVerdict| applied.rules.iter().any(|rule| rule.verdict == verdict);
        if says(RuleVerdict::Fail) {
            applied.decision = Verdict::Hold;
        } else if says(RuleVerdict::Inconclusive) || says(RuleVerdict::Undefined) {
            applied.decision = Verdict::Inconclusive;
        }
        let left_out = self.asks_of_the_incumbent();
        if incumbent.is_none() && !left_out.is_empty() {
            let (rules, were) = (left_out.join(" and "), if left_out.len() == 1 { "was" } else { "were" });
            applied.reasons.push(format!("no incumbent: {rules} {were} left out"));
        }
        applied
    }

    /// The rules that need an incumbent.
    fn asks_of_the_incumbent(&self) -> Vec<&'static str> {
        let all = || std::iter::once(&self.rules).chain(self.by_criterion.values());
        let asked = [
            ("non_inferiority", all().any(|rules| rules.non_inferiority.is_some())),
            ("mean_shift", all().any(|rules| rules.mean_shift.is_some())),
        ];
        asked.into_iter().filter(|(_, is_asked)| *is_asked).map(|(rule, _)| rule).collect()
    }
}

/// Where the outcomes of the rules on one criterion or metric are collected.
struct Ruling<'a> {
    id: &'a str,
    applied: &'a mut Applied,
}

impl Ruling<'_> {
    /// Adds a rule. `says` is why it did not pass.
    fn add(
        &mut self,
        rule: &str,
        required: impl Into<String>,
        found: Estimate,
        verdict: RuleVerdict,
        says: impl Into<String>,
    ) -> &mut RuleOutcome {
        if verdict != RuleVerdict::Pass {
            self.applied.reasons.push(format!("{}: {rule}: {}", self.id, says.into()));
        }
        self.applied.rules.push(RuleOutcome {
            rule: rule.to_owned(),
            criterion: self.id.to_owned(),
            required: required.into(),
            found,
            verdict,
            slice: None,
        });
        let last = self.applied.rules.len() - 1;
        &mut self.applied.rules[last]
    }
}

fn in_words(figure: &Estimate) -> String {
    match (figure.value(), figure.interval()) {
        (Some(value), Some(interval)) => format!("{value:.2} [{:.2}, {:.2}]", interval.low, interval.high),
        (Some(value), None) => format!("{value:.2}"),
        (None, _) => format!("undefined ({})", figure.says().unwrap_or_default()),
    }
}
