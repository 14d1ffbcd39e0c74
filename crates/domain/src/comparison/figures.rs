use crate::{FailureKind, LevelName};
use agreement::{Estimate, PassFail};
use serde::{Deserialize, Serialize};

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
    /// The levels of the scale, least first; empty on a scale without levels, or with more than a table can show.
    pub levels: Vec<LevelName>,
    /// How much of the lead of the first judge chance alone would give; absent below two judges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub luck: Option<BestOfSeveral>,
    /// The judges, closest to people first.
    pub judges: Vec<JudgeFigures>,
    /// The same within slices, where that was asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<SliceComparison>,
}

/// What chance does to the best of several judges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestOfSeveral {
    /// How many judges were compared: those whose κ varies over the resamples.
    pub judges: u64,
    /// The one with the greatest κ.
    pub best: String,
    /// By how much κ of the best of so many equally good judges would exceed its true one.
    pub expected: f64,
    /// Share of the resamples in which the best one stays first.
    pub stays_first: f64,
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
    /// Whether it is a baseline without a model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub baseline: bool,
    /// Items with a reference and a value.
    pub n: u64,
    /// Items with a reference and an instrument failure, or no verdict at all.
    pub failures: u64,
    /// The failures by kind.
    pub failures_by_kind: Vec<(FailureKind, u64)>,
    /// Share of the items with a reference that have a value.
    pub coverage: Estimate,
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
    /// Quadratic κ against each annotator, on the items that both answered.
    pub annotators: Vec<AnnotatorKappa>,
    /// The same on the coarser form of the scale; absent where none is declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coarse: Option<CoarseFigures>,
    /// Whether it may stand in for an annotator.
    pub alt_test: AltTestFigures,
    /// Pass and fail at the pass level; absent on a scale that declares none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_fail: Option<PassFailFigures>,
    /// `confusion[i][j]`: items that people put on level i and the judge on level j, all repeats together; empty on a scale without levels,
    /// or with more than a table can show.
    pub confusion: Vec<Vec<u64>>,
    /// How steady its answers are over repeats.
    pub stability: Stability,
    /// Quadratic κ if its failures had been answers.
    pub fill: Filled,
    /// By how much its κ exceeds that of each baseline, on the items that both answered; empty for a baseline.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub over_baselines: Vec<OverBaseline>,
    /// Repeats per item, at most.
    pub repeats: u32,
    /// US dollars for a thousand verdicts, where costs are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_per_1000: Option<f64>,
    /// Median time to an answer, in milliseconds, where times are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_p50_ms: Option<f64>,
    /// The time within which 95 % of the answers came, in milliseconds, where times are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_p95_ms: Option<f64>,
    /// Against the incumbent, on the items that both answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<Delta>,
}

/// One judge on the coarser form of the scale: its values and the references, each made coarse.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoarseFigures {
    /// Quadratic weighted κ; on two levels Cohen's κ.
    pub quadratic: Estimate,
    /// Cohen's κ.
    pub unweighted: Estimate,
    /// How well one person agrees with the others on the same items.
    pub ceiling: Estimate,
    /// Difference of quadratic κ to the incumbent, on the items that both answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<Estimate>,
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
    /// Mean of judge minus incumbent, as a share of the range of the scale.
    pub mean_shift: Estimate,
}

/// A judge against one annotator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnnotatorKappa {
    /// The annotator.
    pub annotator: String,
    /// Quadratic κ.
    pub quadratic: Estimate,
}

/// The alternative annotator test (Calderon, Reichart & Dror 2025); over repeats, the mean of the repeats' tests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AltTestFigures {
    /// Share of the annotators against whom the judge holds; n is the number of annotators.
    pub winning_rate: Estimate,
    /// Mean over annotators of the share of items on which the judge is at least as near to the others.
    pub advantage_probability: Estimate,
    /// What the judge saves, as an advantage that it need not have.
    pub epsilon: f64,
    /// Whether the winning rate is at least a half.
    pub passes: bool,
}

/// Pass and fail: a value at or above the pass level passes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PassFailFigures {
    /// The pass level of the scale.
    pub pass_level: f64,
    /// What people and the judge said, all repeats together.
    pub counts: PassFail,
    /// Share of what people pass that the judge passes (TPR).
    pub true_pass_rate: Estimate,
    /// Share of what people fail that the judge fails (TNR).
    pub true_fail_rate: Estimate,
}

/// How steady a judge's answers are over repeats, on the items with a reference and two valid repeats or more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stability {
    /// Share of the items whose repeats are not all equal.
    pub flip_rate: Estimate,
    /// Quadratic κ of the judge with itself, the mean over pairs of repeats.
    pub intra_judge_kappa: Estimate,
    /// Mean of greatest minus least value of an item, in units of the scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<f64>,
    /// Mean standard deviation within an item, in units of the scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub standard_deviation: Option<f64>,
}

/// Quadratic κ with each failure filled in. The two are no bounds: for κ the farthest level is not always the worst.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Filled {
    /// Each failure on the level farthest from the reference.
    pub pessimistic: Estimate,
    /// Each failure on the reference.
    pub optimistic: Estimate,
}

/// A judge minus a baseline on the items that both answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OverBaseline {
    /// The baseline.
    pub baseline: String,
    /// Difference of quadratic κ, with its paired interval.
    pub quadratic: Estimate,
}

impl OverBaseline {
    /// Whether the judge is shown to be above the baseline: a worthless judge is not.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        self.quadratic.interval().is_some_and(|interval| interval.low > 0.0)
    }
}

/// All judges on the items of one slice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SliceComparison {
    /// What it is cut by: `category`, `corpus`, `system` or `language`.
    pub by: String,
    /// Which slice; empty for conversations that do not say.
    pub value: String,
    /// Items with a reference in it.
    pub references: u64,
    /// Clusters of them.
    pub clusters: u64,
    /// How well one person agrees with the others on them.
    pub ceiling: Estimate,
    /// The judges, in the order of the criterion.
    pub judges: Vec<SliceFigures>,
}

/// One judge on the items of one slice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SliceFigures {
    /// The judge.
    pub judge: String,
    /// Items with a reference and a value.
    pub n: u64,
    /// Quadratic κ.
    pub quadratic: Estimate,
}
