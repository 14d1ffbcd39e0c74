use crate::{Conversation, Rubric, Unit, UnitKind};
use serde::{Deserialize, Serialize};

/// What an annotator has on the desk: one conversation, the questions, and what this person said of it so far. Nobody else's opinion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelTask {
    /// The conversation.
    pub conversation: Conversation,
    /// The questions.
    pub rubric: Rubric,
    /// This person's answers.
    pub answers: Vec<OwnAnswer>,
    /// How far this person is.
    pub progress: LabelProgress,
}

/// One answer of the person who asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnAnswer {
    /// Identity of the label, to be superseded by the next one.
    pub label: String,
    /// What it is about.
    pub unit: Unit,
    /// Id of the criterion.
    pub criterion: String,
    /// The value; absent where the answer was withdrawn.
    pub value: Option<f64>,
    /// A remark.
    pub comment: Option<String>,
    /// Marked for a second look.
    pub flag: bool,
}

/// How far a person is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelProgress {
    /// Conversations submitted.
    pub submitted: u64,
    /// Conversations skipped.
    pub skipped: u64,
    /// Conversations still to do, the open one included.
    pub left: u64,
    /// Conversations that others have on their desks; with nothing left, these may come back.
    pub with_others: u64,
    /// Median seconds from assignment to submission of this person's last conversations; absent before the third.
    pub median_seconds: Option<u32>,
}

/// An answer on its way to the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewAnswer {
    /// Id of the conversation in the source system.
    pub conversation: String,
    /// What it is about.
    pub unit: Unit,
    /// Id of the criterion.
    pub criterion: String,
    /// The value; absent to withdraw the answer.
    pub value: Option<f64>,
    /// A remark.
    pub comment: Option<String>,
    /// Marked for a second look.
    pub flag: bool,
    /// Seconds of activity on this answer.
    pub seconds: Option<f64>,
    /// The rubric version that was shown.
    pub rubric_version: u32,
    /// The label that this one replaces; absent for the first.
    pub supersedes: Option<String>,
    /// Made by the browser, so that an answer that is sent twice is stored once.
    pub client_key: String,
}

/// What became of a new answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SaveOutcome {
    /// Stored; or it had been stored before.
    Saved {
        /// Identity of the label.
        label: String,
    },
    /// Another answer of the same person stands there: another tab or device was quicker. Nothing was stored.
    Conflict {
        /// What stands there; absent where nothing does.
        current: Option<OwnAnswer>,
    },
}

impl LabelTask {
    /// The units that questions are asked about, in reading order of the page: passages, then each paragraph followed by its citations, then
    /// the conversation as a whole.
    #[must_use]
    pub fn units(&self) -> Vec<Unit> {
        let asked = |kind| self.rubric.asked_of(kind).next().is_some();
        let of = |kind| if asked(kind) { self.conversation.units(kind) } else { Vec::new() };
        let mut units = of(UnitKind::Passage);
        let (paragraphs, citations) = (of(UnitKind::Paragraph), of(UnitKind::Citation));
        for unit in self.conversation.units(UnitKind::Paragraph) {
            let Unit::Paragraph(id) = &unit else { continue };
            let cites = |pair: &&Unit| matches!(pair, Unit::Citation { paragraph, .. } if paragraph == id);
            let cited = citations.iter().filter(cites);
            units.extend(paragraphs.contains(&unit).then(|| unit.clone()).into_iter().chain(cited.cloned()));
        }
        units.extend(of(UnitKind::Conversation));
        units
    }

    /// The questions in the order in which they are asked: for each unit its criteria.
    #[must_use]
    pub fn questions(&self) -> Vec<(Unit, String)> {
        let mut questions = Vec::new();
        for unit in self.units() {
            let criteria = self.rubric.asked_of(unit.kind());
            questions.extend(criteria.map(|criterion| (unit.clone(), criterion.id.clone())));
        }
        questions
    }

    /// This person's answer to a question.
    #[must_use]
    pub fn answer(&self, unit: &Unit, criterion: &str) -> Option<&OwnAnswer> {
        self.answers.iter().find(|answer| answer.unit == *unit && answer.criterion == criterion)
    }

    /// The required questions that have no answer yet.
    #[must_use]
    pub fn unanswered(&self) -> Vec<(Unit, String)> {
        let required = |id: &str| self.rubric.criterion(id).is_some_and(|criterion| criterion.required);
        let mut open = self.questions();
        open.retain(|(unit, id)| {
            required(id) && self.answer(unit, id).is_none_or(|answer| answer.value.is_none())
        });
        open
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const RUBRIC: &str = r#"
        name = "r"
        version = 1
        [[scale]]
        id = "two"
        kind = "binary"
        levels = [{ value = 0, name = "no" }, { value = 1, name = "yes" }]
        [[criterion]]
        id = "support"
        component = "generation"
        unit = "citation"
        scale = "two"
        question = "Supported?"
        [[criterion]]
        id = "needs_source"
        component = "generation"
        unit = "paragraph"
        scale = "two"
        question = "Needs a source?"
    "#;

    #[test]
    fn each_paragraph_is_followed_by_its_citations() {
        let row = json!({"id": "c", "question": "q", "passages": [{"id": "p"}],
            "answer": {"text": "t", "paragraphs": [{"id": "a", "text": "t", "citations": ["p", "gone", "p"]},
                {"id": "b", "text": "t"}, {"id": "d", "text": "t", "citations": ["p"]}]}});
        let task = LabelTask {
            conversation: Conversation::from_json(row).unwrap().0,
            rubric: Rubric::from_toml(RUBRIC).unwrap(),
            answers: Vec::new(),
            progress: LabelProgress::default(),
        };
        let units: Vec<String> = task.units().iter().map(Unit::to_string).collect();
        let expected =
            ["paragraph:a", "citation:a/p", "citation:a/gone", "paragraph:b", "paragraph:d", "citation:d/p"];
        assert_eq!(units, expected);
    }
}
