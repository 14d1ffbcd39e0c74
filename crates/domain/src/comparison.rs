mod coarse;
mod compute;
mod contrast;
mod families;
mod figures;
mod one_judge;
mod slices;
mod table;
#[cfg(test)]
mod tests;

pub use contrast::{
    Answers, Contrast, ContrastChoice, ContrastCounts, ContrastItem, ContrastOutcome, RepeatAnswer,
};
pub use figures::{
    AltTestFigures, AnnotatorKappa, BestOfSeveral, CoarseFigures, CriterionComparison, Delta, Filled,
    JudgeFigures, OverBaseline, PassFailFigures, SliceComparison, SliceFigures, Stability,
};

use crate::{ConfirmOpening, ContentHash, FailureKind, SliceBy, Split};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

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

/// What a comparison is asked to show beside each judge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComparisonChoice {
    /// The judge that the others are compared with.
    pub incumbent: Option<String>,
    /// The judges that are baselines without a model, which every other must beat.
    pub baselines: BTreeSet<String>,
    /// Cut into slices by this.
    pub by: Option<SliceBy>,
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
