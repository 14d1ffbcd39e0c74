mod compute;

use crate::{ConfirmOpening, ContentHash, FailureKind, Split};
use agreement::Estimate;
use serde::{Deserialize, Serialize};

/// Judges against people, on the same items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Name of the project.
    pub project: String,
    /// Hash of the labels, verdicts and settings that the figures are of.
    pub data_hash: ContentHash,
    /// Where the human values come from.
    pub reference: ReferenceSource,
    /// The judge that the others are compared with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incumbent: Option<String>,
    /// How often `confirm` was opened for these judges; absent where the comparison is not on `confirm`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<ConfirmOpening>,
    /// One entry for each criterion that has references and verdicts, in the order of the rubric.
    pub criteria: Vec<CriterionComparison>,
}

/// Where the human values of a comparison come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReferenceSource {
    /// How several labels become one value.
    pub rule: ReferenceRule,
    /// Whose labels.
    pub annotators: Vec<String>,
    /// The frozen anchor set; absent on live labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor_set: Option<AnchorSource>,
}

/// The split of a frozen anchor set that references are from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnchorSource {
    /// Name of the set.
    pub name: String,
    /// Its version.
    pub version: u32,
    /// SHA-256 of what it holds.
    pub hash: ContentHash,
    /// The split.
    pub split: Split,
}

impl std::fmt::Display for AnchorSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}@{} ({})", self.name, self.version, self.split.word())
    }
}

/// How several labels of an item become its reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceRule {
    /// All equal; otherwise none.
    Unanimous,
    /// The value with the most labels; a tie gives none.
    Majority,
    /// The middle level; where two middle labels differ, none.
    Median,
    /// As a lead decided.
    Adjudicated,
}

impl ReferenceRule {
    /// All rules.
    pub const ALL: [ReferenceRule; 4] = [
        ReferenceRule::Unanimous,
        ReferenceRule::Majority,
        ReferenceRule::Median,
        ReferenceRule::Adjudicated,
    ];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            ReferenceRule::Unanimous => "unanimous",
            ReferenceRule::Majority => "majority",
            ReferenceRule::Median => "median",
            ReferenceRule::Adjudicated => "adjudicated",
        }
    }
}

impl std::str::FromStr for ReferenceRule {
    type Err = String;

    fn from_str(text: &str) -> Result<ReferenceRule, String> {
        ReferenceRule::ALL.into_iter().find(|rule| rule.word() == text).ok_or_else(|| {
            format!("`{text}` is no rule: expected unanimous, majority, median or adjudicated")
        })
    }
}

impl Comparison {
    /// Whether a judge has figures on a criterion.
    pub(crate) fn answered(&self, criterion: &str, judge: &str) -> bool {
        let of = |found: &&CriterionComparison| found.id == criterion;
        let judges = self.criteria.iter().find(of).map(|found| found.judges.as_slice());
        judges.unwrap_or_default().iter().any(|figures| figures.judge == judge)
    }
}

/// All judges on one criterion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CriterionComparison {
    /// Id of the criterion.
    pub id: String,
    /// Items that have a reference.
    pub references: u64,
    /// Items whose labels give none under the rule.
    pub without_reference: u64,
    /// What shares nothing with another: the clusters of the items.
    pub clusters: u64,
    /// The judges, closest to people first.
    pub judges: Vec<JudgeFigures>,
}

/// One judge against the reference; each figure is on the items that it answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgeFigures {
    /// The judge: its name, or `NAME@VERSION` where it has several versions.
    pub judge: String,
    /// Fingerprint of its verdicts; absent where they have more than one.
    pub fingerprint: Option<String>,
    /// Verdicts of more than one fingerprint: not one instrument, and not to be gated.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub mixed: bool,
    /// Items with a reference and a value.
    pub n: u64,
    /// Items with a reference and an instrument failure, or no verdict at all.
    pub failures: u64,
    /// The failures by kind.
    pub failures_by_kind: Vec<(FailureKind, u64)>,
    /// How well one person agrees with the others on the same items.
    pub ceiling: Estimate,
    /// Quadratic weighted κ.
    pub quadratic: Estimate,
    /// Linear weighted κ.
    pub linear: Estimate,
    /// Cohen's κ.
    pub unweighted: Estimate,
    /// Krippendorff's α with reference and judge as two raters, ordinal.
    pub alpha_ordinal: Estimate,
    /// Mean of judge minus reference.
    pub bias: Estimate,
    /// Mean absolute error.
    pub mae: Estimate,
    /// Share of equal values.
    pub exact: Estimate,
    /// Repeats per item, at most.
    pub repeats: u32,
    /// US dollars for a thousand verdicts, where costs are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_per_1000: Option<f64>,
    /// Median time to an answer, in milliseconds, where times are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_p50_ms: Option<f64>,
    /// Against the incumbent, on the items that both answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<Delta>,
}

/// A judge minus the incumbent on the items that both answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delta {
    /// The incumbent.
    pub against: String,
    /// Difference of quadratic κ, with its paired interval.
    pub quadratic: Estimate,
    /// Two-sided p of no difference; null where it is undefined.
    pub p: Option<f64>,
    /// The same, adjusted for the family of judges on this criterion (Holm 1979).
    pub p_holm: Option<f64>,
}

/// A verdict that is no value, as the ledger lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LedgerEntry {
    /// The judge.
    pub judge: String,
    /// Id of the criterion.
    pub criterion: String,
    /// Id of the conversation in the source system.
    pub conversation: String,
    /// The unit, in its text form.
    pub unit: String,
    /// Which repeat.
    pub repeat: u32,
    /// Why there is no value.
    pub kind: FailureKind,
    /// What exactly was wrong.
    pub says: String,
    /// The answer as the provider gave it.
    pub raw: String,
}
