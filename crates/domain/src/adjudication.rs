//! Adjudication: a person decides an item on which the labels do not agree, and the decision says what it saw.

mod anonymous;
mod file;
mod gap;
mod queue;
mod references;
#[cfg(test)]
mod tests;

pub use anonymous::{AnonymousLabel, ItemLabel};
pub use file::{Decided, ReferenceEntry, ReferenceFile, ReferenceFileError};
pub use gap::GuidelineGap;
pub use queue::{AdjudicationQueue, ContestedItem, QueueOrder};

use crate::{ContentHash, Conversation, Criterion, Observations, Scale, Unit};
use serde::{Deserialize, Serialize};
use std::{cmp::Ordering, collections::HashMap, fmt, str::FromStr};
use time::OffsetDateTime;

/// What is labelled, judged and agreed on: a criterion asked of a unit of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Item {
    /// Id of the conversation in the source system.
    pub conversation: String,
    /// The unit.
    pub unit: Unit,
    /// Id of the criterion.
    pub criterion: String,
}

/// Why people did not agree, as whoever decides sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdjudicationReason {
    /// The guideline does not say what to do here: the next rubric version must.
    GuidelineGap,
    /// The guideline says it, and was read otherwise.
    GuidelineMisread,
    /// A wrong key, or something overlooked.
    Slip,
    /// The conversation can be read in more than one way.
    AmbiguousConversation,
    /// What one would have to know is not in the conversation.
    MissingContext,
    /// More than one answer can be defended.
    Judgement,
}

impl AdjudicationReason {
    /// All of them, in the order in which they are offered.
    pub const ALL: [AdjudicationReason; 6] = [
        AdjudicationReason::GuidelineGap,
        AdjudicationReason::GuidelineMisread,
        AdjudicationReason::Slip,
        AdjudicationReason::AmbiguousConversation,
        AdjudicationReason::MissingContext,
        AdjudicationReason::Judgement,
    ];

    /// The word for it, as files write it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            AdjudicationReason::GuidelineGap => "guideline_gap",
            AdjudicationReason::GuidelineMisread => "guideline_misread",
            AdjudicationReason::Slip => "slip",
            AdjudicationReason::AmbiguousConversation => "ambiguous_conversation",
            AdjudicationReason::MissingContext => "missing_context",
            AdjudicationReason::Judgement => "judgement",
        }
    }

    /// What it means, in a sentence.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            AdjudicationReason::GuidelineGap => {
                "The guideline has a gap: the next rubric version must say it"
            }
            AdjudicationReason::GuidelineMisread => "The guideline says it, and was read otherwise",
            AdjudicationReason::Slip => "A slip: a wrong key, or something overlooked",
            AdjudicationReason::AmbiguousConversation => "The conversation can be read in more than one way",
            AdjudicationReason::MissingContext => "What one would have to know is not in the conversation",
            AdjudicationReason::Judgement => "A matter of judgement: more than one answer can be defended",
        }
    }
}

impl fmt::Display for AdjudicationReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for AdjudicationReason {
    type Err = String;

    fn from_str(text: &str) -> Result<AdjudicationReason, String> {
        AdjudicationReason::ALL.into_iter().find(|reason| reason.word() == text).ok_or_else(|| {
            let known: Vec<&str> = AdjudicationReason::ALL.iter().map(|reason| reason.word()).collect();
            format!("`{}` is no reason: expected one of {}", crate::visible(text), known.join(", "))
        })
    }
}

/// A label as a reference was made of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeenLabel {
    /// Name of the annotator.
    pub annotator: String,
    /// The value.
    pub value: f64,
}

impl SeenLabel {
    /// By annotator; who labelled an item twice stands by value.
    pub(crate) fn order(&self, other: &SeenLabel) -> Ordering {
        self.annotator.cmp(&other.annotator).then(self.value.total_cmp(&other.value))
    }
}

/// What was decided of an item.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Adjudication {
    /// The item.
    pub item: Item,
    /// The agreed value.
    pub value: f64,
    /// Why people did not agree.
    pub reason: AdjudicationReason,
    /// What else there is to say; empty where nothing is.
    pub note: String,
    /// The labels that were seen, by annotator.
    pub labels: Vec<SeenLabel>,
    /// The rubric version in force, `name@version`.
    pub rubric: String,
    /// Name of the person who decided.
    pub by: String,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
}

impl Adjudication {
    /// Whether a label was added, changed or withdrawn since: what was decided was decided of something else. `labels` by annotator.
    #[must_use]
    pub fn is_stale(&self, labels: &[SeenLabel]) -> bool {
        self.labels != labels
    }

    /// Who decided, when and why.
    #[must_use]
    pub fn decided(&self) -> Decided {
        let Adjudication { by, at, reason, note, rubric, .. } = self.clone();
        Decided { by, at, reason, note, rubric }
    }
}

/// An item with everything that whoever decides it may see. Nobody's name is among it, and no judge's verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdjudicationCase {
    /// The item.
    pub item: Item,
    /// The conversation.
    pub conversation: Conversation,
    /// The question.
    pub criterion: Criterion,
    /// What it is answered on.
    pub scale: Scale,
    /// The rubric version in force.
    pub rubric_version: u32,
    /// What people said.
    pub labels: Vec<AnonymousLabel>,
    /// What was decided before.
    pub before: Option<DecidedBefore>,
    /// Stands for what is seen here; the decision brings it back.
    pub seen: ContentHash,
}

/// What was decided of an item before, without the labels that it saw: they have names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DecidedBefore {
    /// The agreed value.
    pub value: f64,
    /// Who decided, when and why.
    pub decided: Decided,
    /// Whether the labels have changed since.
    pub stale: bool,
}

/// A decision on its way to the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewDecision {
    /// The item.
    pub item: Item,
    /// The agreed value.
    pub value: f64,
    /// Why people did not agree.
    pub reason: AdjudicationReason,
    /// What else there is to say.
    pub note: String,
    /// The rubric version that was shown.
    pub rubric_version: u32,
    /// What was seen ([`AdjudicationCase::seen`]).
    pub seen: ContentHash,
}

/// An item by the position of its conversation, as [`Observations`] name it.
pub(crate) type Place<'a> = (u32, &'a str, &'a str);

/// The labels of each item, by annotator.
#[must_use]
pub fn labels_by_item(observations: &Observations) -> HashMap<(u32, &str, &str), Vec<SeenLabel>> {
    let mut labels: HashMap<Place<'_>, Vec<SeenLabel>> = HashMap::new();
    for label in &observations.labels {
        let seen = SeenLabel { annotator: label.annotator.to_string(), value: label.value };
        labels.entry((label.setting, &label.unit, &label.criterion)).or_default().push(seen);
    }
    labels.values_mut().for_each(|labels| labels.sort_by(SeenLabel::order));
    labels
}

/// The decisions by the item that they are of, under the text form of its unit; those of conversations that are not there are left out.
pub(crate) fn by_item<'a>(
    observations: &Observations,
    decisions: &'a [Adjudication],
) -> HashMap<(u32, String, &'a str), &'a Adjudication> {
    let positions: HashMap<&str, u32> =
        observations.settings.iter().map(|setting| &*setting.conversation).zip(0..).collect();
    let placed = decisions.iter().filter_map(|decision| {
        let position = *positions.get(decision.item.conversation.as_str())?;
        Some(((position, decision.item.unit.to_string(), decision.item.criterion.as_str()), decision))
    });
    placed.collect()
}
