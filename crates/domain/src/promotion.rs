use crate::{AnchorSource, ContentHash};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// What a promoted judge is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Passes or fails an answer before it is given.
    Inline,
    /// Scores samples of every day.
    Routine,
    /// Decides whether a version of the assistant goes out.
    Release,
}

impl Purpose {
    /// All purposes, the least costly first.
    pub const ALL: [Purpose; 3] = [Purpose::Inline, Purpose::Routine, Purpose::Release];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Purpose::Inline => "inline",
            Purpose::Routine => "routine",
            Purpose::Release => "release",
        }
    }
}

impl fmt::Display for Purpose {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Purpose {
    type Err = String;

    fn from_str(text: &str) -> Result<Purpose, String> {
        let found = Purpose::ALL.into_iter().find(|purpose| purpose.word() == text);
        found.ok_or_else(|| format!("`{text}` is no purpose: expected inline, routine or release"))
    }
}

/// A judge in a slot, with the hashes of what it was promoted on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PromotedJudge {
    /// Name of the judge.
    pub judge: String,
    /// Its version.
    pub version: String,
    /// The instrument: hash of the judge version and of the model version that was reported.
    pub fingerprint: String,
    /// The model that is asked for, where one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The model that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported_model: Option<String>,
    /// The judge passes from here on; absent where the scale has no pass level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// The decision that it was promoted on.
    pub decision: String,
    /// Hash of that decision.
    pub decision_hash: ContentHash,
    /// Hash of the policy that it met.
    pub policy_hash: ContentHash,
    /// Hash of the data that it met the policy on.
    pub data_hash: ContentHash,
    /// The frozen anchor set that these are.
    pub anchor_set: AnchorSource,
}

impl PromotedJudge {
    /// `NAME@VERSION`.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}@{}", self.judge, self.version)
    }
}

/// What was done with a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlotAct {
    /// A judge was put in.
    Promote,
    /// What was put in last was taken out, and what stood before stands again.
    RollBack,
}

/// An entry in the history of a slot. What stands in the slot is what its last entry says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotChange {
    /// Identity.
    pub id: String,
    /// Id of the criterion.
    pub criterion: String,
    /// What the slot is for.
    pub purpose: Purpose,
    /// What was done.
    pub act: SlotAct,
    /// What stands since; absent where the slot is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands: Option<PromotedJudge>,
    /// Why.
    pub reason: String,
    /// Why a model that is asked for by a floating name may stand all the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floating_reason: Option<String>,
    /// Name of who did it; absent for whoever holds the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When, in UTC.
    #[serde(with = "time::serde::rfc3339")]
    pub at: time::OffsetDateTime,
}

/// The promotion that a roll-back of a slot would take out, and what would stand then. The history is of one slot, oldest first.
///
/// `None` where nothing stands there.
#[must_use]
pub fn to_roll_back(history: &[SlotChange]) -> Option<(&SlotChange, Option<&SlotChange>)> {
    let mut standing: Vec<&SlotChange> = Vec::new();
    for change in history {
        match change.act {
            SlotAct::Promote => standing.push(change),
            SlotAct::RollBack => {
                standing.pop();
            }
        }
    }
    let last = standing.pop()?;
    Some((last, standing.pop()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Split;

    fn change(id: &str, act: SlotAct) -> SlotChange {
        let hash = || ContentHash("h".to_owned());
        let stands = PromotedJudge {
            judge: id.to_owned(),
            version: "1".to_owned(),
            fingerprint: "f".to_owned(),
            model: None,
            reported_model: None,
            threshold: None,
            decision: "d".to_owned(),
            decision_hash: hash(),
            policy_hash: hash(),
            data_hash: hash(),
            anchor_set: AnchorSource {
                name: "gold".to_owned(),
                version: 1,
                hash: hash(),
                split: Split::Confirm,
            },
        };
        SlotChange {
            id: id.to_owned(),
            criterion: "helpful".to_owned(),
            purpose: Purpose::Routine,
            act,
            stands: Some(stands),
            reason: "r".to_owned(),
            floating_reason: None,
            by: None,
            at: time::OffsetDateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn each_roll_back_goes_one_promotion_further_back() {
        let [a, b, c] = ["a", "b", "c"].map(|id| change(id, SlotAct::Promote));
        let back = || change("back", SlotAct::RollBack);
        let names = |history: &[SlotChange]| {
            to_roll_back(history).map(|(out, then)| (out.id.clone(), then.map(|then| then.id.clone())))
        };
        let pair = |out: &str, then: Option<&str>| Some((out.to_owned(), then.map(str::to_owned)));
        assert_eq!(names(&[]), None);
        assert_eq!(names(std::slice::from_ref(&a)), pair("a", None));
        assert_eq!(names(&[a.clone(), b.clone()]), pair("b", Some("a")));
        assert_eq!(names(&[a.clone(), b.clone(), back()]), pair("a", None));
        assert_eq!(names(&[a.clone(), b.clone(), back(), c.clone()]), pair("c", Some("a")));
        assert_eq!(names(&[a, b, back(), back()]), None);
    }
}
