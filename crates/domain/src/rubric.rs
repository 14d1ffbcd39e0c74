mod difference;
mod template;
mod toml;

pub use difference::{CriterionChange, CriterionDifference, FieldChange, RubricDifference};
pub use template::RubricTemplate;

use crate::{Scale, UnitKind};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The questions asked and the answers declared for them. A published version never changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rubric {
    /// Name, shared by all versions.
    pub name: String,
    /// Counts up from 1.
    pub version: u32,
    /// The scales, written `[[scale]]` in TOML.
    #[serde(rename = "scale")]
    pub scales: Vec<Scale>,
    /// The questions, in the order in which they are asked; `[[criterion]]` in TOML.
    #[serde(rename = "criterion")]
    pub criteria: Vec<Criterion>,
}

/// One question of a rubric.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Criterion {
    /// Name within the rubric, as files write it.
    pub id: String,
    /// The part of the assistant that it is about.
    pub component: Component,
    /// What it is asked of.
    pub unit: UnitKind,
    /// Id of the scale that it is answered on.
    pub scale: String,
    /// The question itself.
    pub question: String,
    /// How to answer it, in Markdown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub guideline: String,
    /// Whether a conversation can be submitted without an answer.
    #[serde(default)]
    pub required: bool,
}

/// The part of the assistant that a criterion is about, in the order in which the assistant works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Component {
    /// Which agent, collections and tools were chosen.
    Routing,
    /// What was found.
    Retrieval,
    /// What was answered.
    Generation,
}

impl Component {
    /// The word that rubrics use.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Component::Routing => "routing",
            Component::Retrieval => "retrieval",
            Component::Generation => "generation",
        }
    }
}

/// Why a text is no rubric.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RubricError {
    /// Not TOML, or not of a rubric's shape; the message has line and column.
    #[error("not a rubric: {0}")]
    Shape(String),
    /// A field whose value cannot stand.
    #[error("{place}: {field}: found {found}, expected {expected}")]
    Field {
        /// The scale or criterion.
        place: String,
        /// The field in it.
        field: String,
        /// What stands there.
        found: String,
        /// What would have been right.
        expected: String,
    },
}

impl Rubric {
    /// Reads `rubric.toml` and checks what it declares.
    ///
    /// # Errors
    /// [`RubricError`], which names the place and what is expected there.
    pub fn from_toml(text: &str) -> Result<Rubric, RubricError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let rubric: Rubric = ::toml::from_str(text).map_err(|error| RubricError::Shape(error.to_string()))?;
        rubric.check()?;
        Ok(rubric)
    }

    /// Checks what the types cannot: unique ids, scales that exist and can weigh.
    ///
    /// # Errors
    /// [`RubricError::Field`].
    pub fn check(&self) -> Result<(), RubricError> {
        let wrong = |place: String, field: &str, found: &str, expected: &str| {
            Err(RubricError::Field {
                place,
                field: field.to_owned(),
                found: found.to_owned(),
                expected: expected.to_owned(),
            })
        };
        if !is_word(&self.name) {
            return wrong("rubric".to_owned(), "name", &self.name, "a name of 1 to 100 visible characters");
        }
        if self.version == 0 {
            return wrong("rubric".to_owned(), "version", "0", "a version from 1 on");
        }
        let mut ids = HashSet::new();
        for scale in &self.scales {
            let place = format!("scale `{}`", scale.id);
            if !is_word(&scale.id) || !ids.insert(&scale.id) {
                return wrong(place, "id", &scale.id, "an id of its own");
            }
            scale.check().map_err(|(field, found, expected)| RubricError::Field {
                place,
                field,
                found,
                expected,
            })?;
        }
        if self.criteria.is_empty() {
            return wrong("rubric".to_owned(), "criterion", "none", "at least one [[criterion]]");
        }
        let mut ids = HashSet::new();
        for criterion in &self.criteria {
            let place = format!("criterion `{}`", criterion.id);
            if !is_word(&criterion.id) || !ids.insert(&criterion.id) {
                return wrong(place, "id", &criterion.id, "an id of its own");
            }
            if criterion.question.trim().is_empty() {
                return wrong(place, "question", "nothing", "the question that annotators answer");
            }
            if self.scale(&criterion.scale).is_none() {
                let known: Vec<&str> = self.scales.iter().map(|scale| scale.id.as_str()).collect();
                return wrong(place, "scale", &criterion.scale, &format!("one of {}", known.join(", ")));
            }
        }
        Ok(())
    }

    /// The scale with this id.
    #[must_use]
    pub fn scale(&self, id: &str) -> Option<&Scale> {
        self.scales.iter().find(|scale| scale.id == id)
    }

    /// The criterion with this id.
    #[must_use]
    pub fn criterion(&self, id: &str) -> Option<&Criterion> {
        self.criteria.iter().find(|criterion| criterion.id == id)
    }

    /// The criteria that are asked of a kind of unit, in their order.
    pub fn asked_of(&self, kind: UnitKind) -> impl Iterator<Item = &Criterion> {
        self.criteria.iter().filter(move |criterion| criterion.unit == kind)
    }

    /// A criterion together with the scale that it is answered on.
    #[must_use]
    pub fn scale_of(&self, criterion: &str) -> Option<&Scale> {
        self.scale(&self.criterion(criterion)?.scale)
    }
}

fn is_word(text: &str) -> bool {
    let length = text.chars().count();
    (1..=100).contains(&length) && text.trim() == text && crate::visible(text) == text && !text.contains('\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUBRIC: &str = r#"
        name = "shop"
        version = 1
        [[scale]]
        id = "yes-no"
        kind = "binary"
        levels = [{ value = 0, name = "no" }, { value = 1, name = "yes" }]
        [[criterion]]
        id = "polite"
        component = "generation"
        unit = "conversation"
        scale = "yes-no"
        question = "Is the answer polite?"
        required = true
    "#;

    #[test]
    fn a_rubric_is_read_with_its_scale() {
        let rubric = Rubric::from_toml(RUBRIC).unwrap();
        assert_eq!(rubric.scale_of("polite").unwrap().levels.len(), 2);
        assert_eq!(rubric.criterion("polite").unwrap().unit, UnitKind::Conversation);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        for (from, to, says) in [
            (
                "scale = \"yes-no\"",
                "scale = \"no-yes\"",
                "criterion `polite`: scale: found no-yes, expected one of yes-no",
            ),
            ("unit = \"conversation\"", "unit = \"sentence\"", "unknown variant `sentence`"),
            ("version = 1", "version = 0", "rubric: version: found 0, expected a version from 1 on"),
            (
                "{ value = 1, name = \"yes\" }",
                "{ value = 0, name = \"yes\" }",
                "scale `yes-no`: levels.value",
            ),
            ("required = true", "requird = true", "unknown field `requird`"),
        ] {
            let message = Rubric::from_toml(&RUBRIC.replace(from, to)).unwrap_err().to_string();
            assert!(message.contains(says), "{message}");
        }
    }
}
