use crate::{ContentHash, SliceBy};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a judge must show before it may be promoted, as a TOML file says it.
///
/// ```
/// let policy = domain::Policy::from_toml(r#"
///     name = "upgrade"
///     [rules]
///     minimum_n = 200
///     failure_share = 0.02
///     kappa_at_least = 0.3
///     non_inferiority = 0.05
///     [criterion.fluency]
///     kappa_at_least = { value = 0.1, on = "point" }
///     [metric."ndcg_lin@5"]
///     difference_at_most = 0.05
/// "#)?;
/// assert_eq!(policy.rules_for("fluency").non_inferiority, Some(0.05));
/// # Ok::<(), domain::PolicyError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Name, for the record.
    pub name: String,
    /// The criteria that are gated; all that have references where absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<String>,
    /// Rules for each criterion.
    #[serde(default)]
    pub rules: Rules,
    /// What differs for one criterion: a rule that stands here replaces the general one.
    #[serde(default, rename = "criterion", skip_serializing_if = "BTreeMap::is_empty")]
    pub by_criterion: BTreeMap<String, Rules>,
    /// Rules for metrics of conversations, by their id with k.
    #[serde(default, rename = "metric", skip_serializing_if = "BTreeMap::is_empty")]
    pub by_metric: BTreeMap<String, MetricRules>,
}

/// A policy as a project keeps it. Saving it again makes the next version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyVersion {
    /// 1 for the first.
    pub version: u32,
    /// Its name.
    pub name: String,
    /// The TOML as it was written.
    pub text: String,
    /// SHA-256 of the policy's RFC 8785 form, as decisions name it.
    pub hash: ContentHash,
    /// Name of who saved it; absent for whoever holds the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When, in UTC.
    #[serde(with = "time::serde::rfc3339")]
    pub at: time::OffsetDateTime,
}

/// The rules of a metric: the judge's figure beside the same from people.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetricRules {
    /// Fewest conversations for which both have a value; below it nothing can be decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum_n: Option<u64>,
    /// Greatest distance of judge and people, to either side, in units of the metric.
    pub difference_at_most: Bound,
}

/// The rules of a policy. A rule that is absent is not asked, but for the fewest items.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Fewest items with a reference and a value; below it nothing can be decided. [`Rules::MINIMUM_N`] where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum_n: Option<u64>,
    /// Greatest share of items without a valid verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_share: Option<f64>,
    /// Least share of the items with a valid verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coverage_at_least: Option<f64>,
    /// How far people must agree with each other before any judge is gated: the κ of one person with the others on the same items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub human_agreement_at_least: Option<Bound>,
    /// Least quadratic κ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kappa_at_least: Option<Bound>,
    /// Least quadratic κ if every failure were the answer farthest from people's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pessimistic_kappa_at_least: Option<Bound>,
    /// How far κ may lie below the ceiling: the κ of one person with the others on the same items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceiling_distance_at_most: Option<Bound>,
    /// Least quadratic κ in every slice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst_slice: Option<WorstSlice>,
    /// How much worse than the incumbent still counts as no worse: the margin δ of Δκ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub non_inferiority: Option<f64>,
    /// How far the mean may move from the incumbent's, to either side, as a share of the range of the scale, before a re-anchored pass
    /// threshold must have been accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_shift: Option<f64>,
    /// Greatest distance of judge − people, to either side, in units of the scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bias_at_most: Option<Bound>,
    /// Least share of what people pass that the judge passes (TPR), at the judge's pass threshold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub true_pass_rate_at_least: Option<Bound>,
    /// Least share of what people fail that the judge fails (TNR), at the judge's pass threshold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub true_fail_rate_at_least: Option<Bound>,
    /// Greatest share of the items whose repeats are not all equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flip_rate_at_most: Option<Bound>,
    /// Most US dollars for a thousand verdicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_per_1000_at_most: Option<f64>,
    /// Most milliseconds within which 95 % of the answers must come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_p95_ms_at_most: Option<f64>,
}

/// What κ must be in every slice of the conversations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorstSlice {
    /// What the slices are cut by: `category`, `corpus`, `system` or `language`.
    pub by: SliceBy,
    /// Least quadratic κ.
    pub kappa_at_least: Bound,
    /// Slices with fewer items are left out, and said to be.
    #[serde(default = "WorstSlice::usual_minimum")]
    pub minimum_n: u64,
}

impl WorstSlice {
    /// Below so many items an interval says nothing.
    fn usual_minimum() -> u64 {
        20
    }
}

/// A bound on a figure: on its whole interval, or by name on the point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "BoundText", into = "BoundText")]
pub struct Bound {
    /// The bound.
    pub value: f64,
    /// What must lie on its right side.
    pub on: BoundOn,
}

/// What a bound is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundOn {
    /// The whole interval.
    #[default]
    Interval,
    /// The point value.
    Point,
}

/// `0.3`, or `{ value = 0.3, on = "point" }`.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum BoundText {
    Plain(f64),
    Named {
        value: f64,
        #[serde(default)]
        on: BoundOn,
    },
}

impl From<BoundText> for Bound {
    fn from(text: BoundText) -> Bound {
        match text {
            BoundText::Plain(value) => Bound { value, on: BoundOn::Interval },
            BoundText::Named { value, on } => Bound { value, on },
        }
    }
}

impl From<Bound> for BoundText {
    fn from(bound: Bound) -> BoundText {
        match bound.on {
            BoundOn::Interval => BoundText::Plain(bound.value),
            BoundOn::Point => BoundText::Named { value: bound.value, on: bound.on },
        }
    }
}

/// Why a text is no policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// Not TOML, or not of a policy's shape; the message has line and column.
    #[error("not a policy: {0}")]
    Shape(String),
    /// A number that cannot stand.
    #[error("policy: {rule}: found {found}, expected {expected}")]
    Value {
        /// The rule.
        rule: String,
        /// What stands there.
        found: String,
        /// What would have been right.
        expected: &'static str,
    },
}

impl Rules {
    /// The fewest items that decide anything where a policy does not say: with fewer, intervals cover too seldom, and a judge that is worse by the
    /// whole margin would be promoted more often than in one case of twenty.
    pub const MINIMUM_N: u64 = 100;
}

impl Policy {
    /// Reads and checks a policy.
    ///
    /// # Errors
    /// [`PolicyError`], which names the rule.
    pub fn from_toml(text: &str) -> Result<Policy, PolicyError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let policy: Policy = toml::from_str(text).map_err(|error| PolicyError::Shape(error.to_string()))?;
        policy.rules.check("rules")?;
        for (criterion, rules) in &policy.by_criterion {
            rules.check(&format!("criterion.{criterion}"))?;
        }
        for (metric, rules) in &policy.by_metric {
            rules.check(metric)?;
        }
        policy.check_slices()?;
        if !policy.asks_of_criteria() && policy.by_metric.is_empty() {
            let expected = "at least one rule: a policy that asks nothing would promote anything";
            return Err(PolicyError::Value { rule: "rules".to_owned(), found: "none".to_owned(), expected });
        }
        Ok(policy)
    }

    /// Whether anything is asked of criteria, and not of metrics alone.
    pub(crate) fn asks_of_criteria(&self) -> bool {
        let asks = |rules: &Rules| *rules != Rules::default();
        asks(&self.rules) || self.by_criterion.values().any(asks)
    }

    /// The rules that hold for a criterion.
    #[must_use]
    pub fn rules_for(&self, criterion: &str) -> Rules {
        let own = self.by_criterion.get(criterion).cloned().unwrap_or_default();
        let general = &self.rules;
        let asked = Rules {
            minimum_n: own.minimum_n.or(general.minimum_n),
            failure_share: own.failure_share.or(general.failure_share),
            coverage_at_least: own.coverage_at_least.or(general.coverage_at_least),
            human_agreement_at_least: own.human_agreement_at_least.or(general.human_agreement_at_least),
            kappa_at_least: own.kappa_at_least.or(general.kappa_at_least),
            pessimistic_kappa_at_least: own.pessimistic_kappa_at_least.or(general.pessimistic_kappa_at_least),
            ceiling_distance_at_most: own.ceiling_distance_at_most.or(general.ceiling_distance_at_most),
            worst_slice: own.worst_slice.or_else(|| general.worst_slice.clone()),
            non_inferiority: own.non_inferiority.or(general.non_inferiority),
            mean_shift: own.mean_shift.or(general.mean_shift),
            bias_at_most: own.bias_at_most.or(general.bias_at_most),
            true_pass_rate_at_least: own.true_pass_rate_at_least.or(general.true_pass_rate_at_least),
            true_fail_rate_at_least: own.true_fail_rate_at_least.or(general.true_fail_rate_at_least),
            flip_rate_at_most: own.flip_rate_at_most.or(general.flip_rate_at_most),
            cost_per_1000_at_most: own.cost_per_1000_at_most.or(general.cost_per_1000_at_most),
            latency_p95_ms_at_most: own.latency_p95_ms_at_most.or(general.latency_p95_ms_at_most),
        };
        if asked == Rules::default() {
            return asked;
        }
        Rules { minimum_n: asked.minimum_n.or(Some(Rules::MINIMUM_N)), ..asked }
    }

    /// What the policy cuts conversations into slices by, if it asks for slices.
    #[must_use]
    pub fn sliced_by(&self) -> Option<SliceBy> {
        self.slices().next()
    }

    fn slices(&self) -> impl Iterator<Item = SliceBy> {
        let rules = std::iter::once(&self.rules).chain(self.by_criterion.values());
        rules.filter_map(|rules| Some(rules.worst_slice.as_ref()?.by))
    }

    fn check_slices(&self) -> Result<(), PolicyError> {
        let wrong = |found: String, expected: &'static str| {
            Err(PolicyError::Value { rule: "worst_slice.by".to_owned(), found, expected })
        };
        let first = self.sliced_by();
        if first == Some(SliceBy::Annotator) {
            return wrong("annotator".to_owned(), "category, corpus, system or language");
        }
        match self.slices().find(|by| Some(*by) != first) {
            Some(other) => wrong(other.word().to_owned(), "the same slices for every criterion"),
            None => Ok(()),
        }
    }
}

impl Rules {
    fn check(&self, place: &str) -> Result<(), PolicyError> {
        let within = |rule: &str, value: Option<f64>, low: f64, high: f64, expected: &'static str| match value
        {
            Some(value) if !(low..=high).contains(&value) => Err(PolicyError::Value {
                rule: format!("{place}.{rule}"),
                found: value.to_string(),
                expected,
            }),
            _ => Ok(()),
        };
        let share = |rule: &str, value: Option<f64>| within(rule, value, 0.0, 1.0, "a share from 0 to 1");
        let kappa = |rule: &str, bound: Option<Bound>| {
            within(rule, bound.map(|bound| bound.value), -1.0, 1.0, "a κ from -1 to 1")
        };
        let from_zero =
            |rule: &str, value: Option<f64>| within(rule, value, 0.0, f64::MAX, "a number from 0 on");
        let value = |bound: Option<Bound>| bound.map(|bound| bound.value);
        share("failure_share", self.failure_share)?;
        share("coverage_at_least", self.coverage_at_least)?;
        share("mean_shift", self.mean_shift)?;
        share("true_pass_rate_at_least", value(self.true_pass_rate_at_least))?;
        share("true_fail_rate_at_least", value(self.true_fail_rate_at_least))?;
        share("flip_rate_at_most", value(self.flip_rate_at_most))?;
        kappa("kappa_at_least", self.kappa_at_least)?;
        kappa("human_agreement_at_least", self.human_agreement_at_least)?;
        kappa("pessimistic_kappa_at_least", self.pessimistic_kappa_at_least)?;
        kappa("worst_slice.kappa_at_least", self.worst_slice.as_ref().map(|slice| slice.kappa_at_least))?;
        from_zero("ceiling_distance_at_most", value(self.ceiling_distance_at_most))?;
        from_zero("bias_at_most", value(self.bias_at_most))?;
        from_zero("cost_per_1000_at_most", self.cost_per_1000_at_most)?;
        from_zero("latency_p95_ms_at_most", self.latency_p95_ms_at_most)?;
        let margin = self.non_inferiority.filter(|margin| *margin != 0.0);
        within("non_inferiority", margin, f64::MIN_POSITIVE, 2.0, "a margin above 0")?;
        if self.non_inferiority.is_some() && margin.is_none() {
            let expected = "a margin above 0: with 0 no finite number of items can show it";
            return Err(PolicyError::Value {
                rule: format!("{place}.non_inferiority"),
                found: "0".to_owned(),
                expected,
            });
        }
        Ok(())
    }
}

impl MetricRules {
    fn check(&self, metric: &str) -> Result<(), PolicyError> {
        let value = self.difference_at_most.value;
        if value.is_finite() && value >= 0.0 {
            return Ok(());
        }
        Err(PolicyError::Value {
            rule: format!("metric.{metric}.difference_at_most"),
            found: value.to_string(),
            expected: "a distance from 0 on",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_are_policies() {
        let every = Policy::from_toml(include_str!("../../../docs/examples/policy.toml")).unwrap();
        let serde_json::Value::Object(rules) = serde_json::to_value(&every.rules).unwrap() else { panic!() };
        assert_eq!(rules.len(), 16, "the example has every rule");
        Policy::from_toml(include_str!("../../../docs/examples/summeval-policy.toml")).unwrap();
    }

    #[test]
    fn what_is_asked_of_a_criterion_is_asked_of_a_hundred_items_unless_the_policy_says_otherwise() {
        let minimum = |text: &str, criterion: &str| {
            Policy::from_toml(&format!("name = \"x\"\n{text}")).unwrap().rules_for(criterion).minimum_n
        };
        assert_eq!(minimum("[rules]\nmean_shift = 0.1", "a"), Some(100));
        assert_eq!(minimum("[rules]\nminimum_n = 7\nmean_shift = 0.1", "a"), Some(7));
        assert_eq!(minimum("[criterion.a]\nmean_shift = 0.1", "a"), Some(100));
        assert_eq!(minimum("[criterion.a]\nmean_shift = 0.1", "b"), None, "nothing is asked of b");
        assert_eq!(
            minimum("[metric.m]\ndifference_at_most = 0.1", "a"),
            None,
            "nothing is asked of criteria"
        );
    }

    #[test]
    fn a_policy_that_asks_nothing_or_nonsense_is_refused() {
        for (text, says) in [
            ("name = \"x\"", "at least one rule"),
            ("name = \"x\"\n[rules]\nnon_inferiority = 0", "a margin above 0"),
            ("name = \"x\"\n[rules]\nfailure_share = 1.5", "rules.failure_share: found 1.5"),
            ("name = \"x\"\n[rules]\nkappa = 0.5", "unknown field `kappa`"),
            ("name = \"x\"\n[metric.a]\nminimum_n = 3", "missing field `difference_at_most`"),
            (
                "name = \"x\"\n[metric.a]\ndifference_at_most = -0.1",
                "metric.a.difference_at_most: found -0.1",
            ),
            ("name = \"x\"\n[rules]\nmean_shift = -0.1", "rules.mean_shift: found -0.1"),
            (
                "name = \"x\"\n[rules]\nworst_slice = { by = \"annotator\", kappa_at_least = 0.2 }",
                "worst_slice.by: found annotator",
            ),
            (
                "name = \"x\"\n[rules]\nworst_slice = { by = \"corpus\", kappa_at_least = 0.2 }\n\
                 [criterion.a]\nworst_slice = { by = \"category\", kappa_at_least = 0.2 }",
                "the same slices for every criterion",
            ),
            ("name = \"x\"\n[criterion.a]\nkappa_at_least = nan", "criterion.a.kappa_at_least: found NaN"),
        ] {
            let message = Policy::from_toml(text).unwrap_err().to_string();
            assert!(message.contains(says), "{message}");
        }
    }
}
