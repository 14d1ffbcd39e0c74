use crate::{Bound, BoundOn, Comparison, ContentHash, JudgeFigures, Policy, Rules};
use agreement::Estimate;
use serde::{Deserialize, Serialize};

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
    /// Each rule with what was required and what was found.
    pub rules: Vec<RuleOutcome>,
    /// Every rule that did not pass, and what could not be asked, in sentences.
    pub reasons: Vec<String>,
    /// The policy as it was applied.
    pub policy: Policy,
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
    /// `minimum_n`, `failure_share`, `kappa_at_least` or `non_inferiority`.
    pub rule: String,
    /// Id of the criterion.
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
