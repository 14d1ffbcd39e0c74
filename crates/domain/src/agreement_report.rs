mod compute;
mod panel;
mod period;

pub use period::periods;

use crate::{Component, ContentHash};
use agreement::Estimate;
use serde::{Deserialize, Serialize};

/// How far people agree with each other: for each criterion all annotators together, then each pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AgreementReport {
    /// Name of the project.
    pub project: String,
    /// Hash of the labels and settings that the figures are of.
    pub data_hash: ContentHash,
    /// One entry for each criterion that has labels, in the order of the rubric.
    pub criteria: Vec<CriterionAgreement>,
}

/// Agreement on one criterion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CriterionAgreement {
    /// Id of the criterion.
    pub id: String,
    /// The part of the assistant that it is about.
    pub component: Component,
    /// Id of the scale.
    pub scale: String,
    /// How many labels there are.
    pub labels: u64,
    /// Items that two annotators or more labelled.
    pub shared_items: u64,
    /// Krippendorff's α over all annotators.
    pub alpha: Alphas,
    /// Other measures of all annotators together.
    pub panel: Panel,
    /// How much of their agreement chance would give, where two annotators or more labelled an item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chance: Option<ChanceAgreement>,
    /// The same figures on the coarser scale, where one is declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coarse: Option<CoarseAlpha>,
    /// Each pair of annotators who share an item, by name.
    pub pairs: Vec<PairAgreement>,
    /// Each annotator's labels by level, for severity.
    pub annotators: Vec<AnnotatorSeverity>,
    /// The same figures within each slice, where slices were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<SliceAgreement>,
    /// The same figures by when the conversations were labelled last, where that was at different times.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trend: Vec<SliceAgreement>,
}

/// Measures of all annotators together, beside α.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Panel {
    /// Fleiss' κ, unweighted.
    pub fleiss: Estimate,
    /// Gwet's AC1: unweighted.
    pub ac1: Estimate,
    /// Gwet's AC2 with quadratic weights.
    pub ac2: Estimate,
    /// ICC(A,1) over the items that everyone labelled.
    pub icc: Estimate,
    /// Share of pairs of labels of one item that are equal.
    pub exact: Estimate,
    /// Share of pairs of labels of one item that are at most one apart.
    pub within_one: Estimate,
}

/// Why κ can be low where agreement is high: how often chance alone would agree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChanceAgreement {
    /// Share of pairs of labels that are equal.
    pub observed: f64,
    /// The share that chance would give, with as many labels on each level (Fleiss).
    pub expected: f64,
    /// Fleiss' κ: what is left when chance is taken out.
    pub kappa: f64,
    /// The level that is used most.
    pub commonest: LevelName,
    /// Its share of the labels.
    pub share: f64,
}

impl ChanceAgreement {
    /// Agreement that is called high.
    const HIGH: f64 = 0.75;
    /// So much of it is lost when chance is taken out.
    const LOST: f64 = 0.25;

    /// Whether agreement is high and κ is low beside it, which surprises readers.
    #[must_use]
    pub fn hides_disagreement(&self) -> bool {
        self.observed >= ChanceAgreement::HIGH && self.observed - self.kappa >= ChanceAgreement::LOST
    }

    /// Why a low κ beside a high agreement is no error, in plain words.
    #[must_use]
    pub fn in_words(&self) -> String {
        let percent = |share: f64| format!("{:.0} %", share * 100.0);
        format!(
            "Two labels of one item are equal in {}, and κ is only {:.2}: {} of all labels are \u{201c}{}\u{201d}, so that chance alone would \
             give {}. People agree on the common level; on the rare ones, which are what one looks for, they agree less. Look at the items off \
             the diagonal, label more items of the rare levels, and read AC1 beside κ.",
            percent(self.observed),
            self.kappa,
            percent(self.share),
            crate::visible(&self.commonest.name),
            percent(self.expected)
        )
    }
}

/// How well an annotator agrees with what the same annotator said before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SelfAgreement {
    /// Quadratic weighted κ of the first and the second answer; unweighted on a nominal scale.
    pub kappa: Estimate,
    /// Share of equal answers.
    pub exact: Estimate,
}

/// Krippendorff's α at four levels of measurement; on a nominal scale only the first is defined.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alphas {
    /// Any two different answers differ alike.
    pub nominal: Estimate,
    /// Answers differ by how many ranks lie between them.
    pub ordinal: Estimate,
    /// Answers differ by the square of their distance.
    pub interval: Estimate,
    /// Answers differ by their distance relative to their sum; for scales that begin at 0.
    pub ratio: Estimate,
}

/// α on the coarser scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoarseAlpha {
    /// Any two different answers differ alike.
    pub alpha_nominal: Estimate,
    /// Answers differ by how many ranks lie between them.
    pub alpha_ordinal: Estimate,
    /// Other measures of all annotators together.
    pub panel: Panel,
}

/// Agreement of two annotators on the items that both labelled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairAgreement {
    /// The first annotator by name.
    pub a: String,
    /// The second.
    pub b: String,
    /// How many items both labelled.
    pub n: u64,
    /// Quadratic weighted κ.
    pub quadratic: Estimate,
    /// Linear weighted κ.
    pub linear: Estimate,
    /// Cohen's κ.
    pub unweighted: Estimate,
    /// Share of equal answers.
    pub exact: Estimate,
    /// Share of answers at most one apart.
    pub within_one: Estimate,
    /// The same on the coarser scale, where one is declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coarse: Option<CoarsePair>,
}

/// Agreement of two annotators on the coarser scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CoarsePair {
    /// Quadratic weighted κ.
    pub quadratic: Estimate,
    /// Cohen's κ.
    pub unweighted: Estimate,
    /// Share of equal answers.
    pub exact: Estimate,
}

/// How severe one annotator is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnnotatorSeverity {
    /// The annotator's name.
    pub annotator: String,
    /// How many labels.
    pub labels: u64,
    /// Mean of the labels.
    pub mean: f64,
    /// Labels on each level, in the order of the scale; empty on a continuous one.
    pub by_level: Vec<u64>,
    /// Own label minus the mean of the others' on the same item, on average.
    pub severity: Estimate,
    /// Agreement with the own answers of before, where items came again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<SelfAgreement>,
}

/// Agreement within one slice of the conversations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SliceAgreement {
    /// What the slice is by: `category`, `corpus`, `system`, `language`, `annotator` or `period`.
    pub by: String,
    /// Its value.
    pub value: String,
    /// Labels in it.
    pub labels: u64,
    /// α within it.
    pub alpha: Alphas,
    /// Mean over pairs of quadratic κ within it.
    pub mean_quadratic: Estimate,
}

/// Two annotators' answers crossed: the heat map and the items of each cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairItems {
    /// Id of the criterion.
    pub criterion: String,
    /// The figures of the pair.
    pub agreement: PairAgreement,
    /// The levels, least first.
    pub levels: Vec<LevelName>,
    /// `counts[i][j]`: items that `a` put on level i and `b` on level j.
    pub counts: Vec<Vec<u64>>,
    /// The items, those furthest apart first.
    pub items: Vec<PairItem>,
}

/// A level as a chart writes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelName {
    /// Its value.
    pub value: f64,
    /// Its name.
    pub name: String,
}

/// One item that both annotators labelled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairItem {
    /// Id of the conversation in the source system.
    pub conversation: String,
    /// The unit, in its text form.
    pub unit: String,
    /// What `a` said.
    pub a: f64,
    /// What `b` said.
    pub b: f64,
}
