//! A conversation on the desk as the browser gets it: what is read is markup, what is asked is data.

use crate::component::markup::Markup;
use domain::{OwnAnswer, Rubric, Unit};
use serde::{Deserialize, Serialize};

/// A conversation with its questions, and what this person said of it so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Task {
    /// Id of the conversation.
    pub(crate) conversation: String,
    /// The conversation, to be read.
    pub(crate) reading: Markup,
    /// The questions.
    pub(crate) rubric: Rubric,
    /// What they are asked of, in reading order.
    pub(crate) units: Vec<AskedUnit>,
    /// Paragraphs against what they cite; absent where nothing is asked of citations.
    pub(crate) grid: Option<Grid>,
    /// This person's answers.
    pub(crate) answers: Vec<OwnAnswer>,
}

/// The rows and columns that support is asked in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Grid {
    /// The paragraphs of the answer.
    pub(crate) paragraphs: Vec<Shown>,
    /// What they cite: the passages in their order, then what is no passage.
    pub(crate) passages: Vec<Shown>,
}

/// A paragraph or a cited passage as the grid shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Shown {
    /// Its id.
    pub(crate) id: String,
    /// What people call it.
    pub(crate) name: String,
    /// Its text.
    pub(crate) text: String,
    /// Whether the conversation has it: an answer can cite what was never retrieved.
    pub(crate) is_there: bool,
}

/// A unit that questions are asked about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AskedUnit {
    /// The unit.
    pub(crate) unit: Unit,
    /// What people call it: `Passage 3`.
    pub(crate) name: String,
    /// Ids of the elements that show it; the first is brought into view.
    pub(crate) places: Vec<String>,
}

impl Task {
    /// This person's answer to a question.
    pub(crate) fn answer(&self, unit: &Unit, criterion: &str) -> Option<&OwnAnswer> {
        self.answers.iter().find(|answer| answer.unit == *unit && answer.criterion == criterion)
    }

    /// A unit as it is asked about.
    pub(crate) fn asked(&self, unit: &Unit) -> Option<&AskedUnit> {
        self.units.iter().find(|asked| asked.unit == *unit)
    }

    /// What people call a unit.
    pub(crate) fn name_of(&self, unit: &Unit) -> String {
        self.asked(unit).map(|asked| asked.name.clone()).unwrap_or_default()
    }
}

#[cfg(feature = "ssr")]
impl From<domain::LabelTask> for Task {
    fn from(task: domain::LabelTask) -> Task {
        use crate::component::reading::{Asked, places, unit_name};
        use leptos::prelude::*;
        let units = task.units();
        let grid = Grid::of(&task.conversation, &units);
        let units = units.into_iter().map(|unit| AskedUnit {
            name: unit_name(&task.conversation, &unit),
            places: places(&task.conversation, &unit),
            unit,
        });
        let (units, id) = (units.collect(), task.conversation.id.clone());
        let reading = Markup::of_part(view! { <Asked conversation=task.conversation/> });
        Task { conversation: id, reading, rubric: task.rubric, units, grid, answers: task.answers }
    }
}

#[cfg(feature = "ssr")]
impl Grid {
    fn of(conversation: &domain::Conversation, units: &[Unit]) -> Option<Grid> {
        use crate::component::reading::unit_name;
        let cited: Vec<&str> = units.iter().filter_map(Unit::cited).collect();
        if cited.is_empty() {
            return None;
        }
        let named = |id: &str, unit: Unit, text: &str, is_there| {
            let name = if is_there {
                unit_name(conversation, &unit)
            } else {
                format!("“{}”", domain::visible(id))
            };
            Shown { id: id.to_owned(), name, text: text.to_owned(), is_there }
        };
        let paragraphs = conversation.paragraphs();
        let paragraphs = paragraphs
            .iter()
            .map(|paragraph| {
                named(&paragraph.id, Unit::Paragraph(paragraph.id.clone()), &paragraph.text, true)
            })
            .collect();
        let present = conversation.passages().iter().filter(|passage| cited.contains(&passage.id.as_str()));
        let mut passages: Vec<Shown> = present
            .map(|passage| named(&passage.id, Unit::Passage(passage.id.clone()), &passage.text, true))
            .collect();
        for id in cited {
            if passages.iter().all(|shown| shown.id != id) {
                passages.push(named(id, Unit::Passage(id.to_owned()), "", false));
            }
        }
        Some(Grid { paragraphs, passages })
    }
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_cited_and_is_no_passage_stands_last_and_says_so() {
        let row = json!({"id": "c", "question": "q", "passages": [{"id": "p"}, {"id": "q"}, {"id": "r"}],
            "answer": {"text": "t", "paragraphs": [{"id": "a", "text": "t", "citations": ["gone", "r", "p"]}]}});
        let conversation = domain::Conversation::from_json(row).unwrap().0;
        let units = conversation.units(domain::UnitKind::Citation);
        let grid = Grid::of(&conversation, &units).unwrap();
        let named: Vec<(&str, bool)> =
            grid.passages.iter().map(|shown| (shown.name.as_str(), shown.is_there)).collect();
        assert_eq!(named, [("Passage 1", true), ("Passage 3", true), ("“gone”", false)]);
        assert_eq!(Grid::of(&conversation, &[Unit::Conversation]), None);
    }
}
