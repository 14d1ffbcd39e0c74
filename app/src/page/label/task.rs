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
    /// This person's answers.
    pub(crate) answers: Vec<OwnAnswer>,
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
        let units = task.units().into_iter().map(|unit| AskedUnit {
            name: unit_name(&task.conversation, &unit),
            places: places(&task.conversation, &unit),
            unit,
        });
        let (units, id) = (units.collect(), task.conversation.id.clone());
        let reading = Markup::of_part(view! { <Asked conversation=task.conversation/> });
        Task { conversation: id, reading, rubric: task.rubric, units, answers: task.answers }
    }
}
