//! Prompts to begin with, written for this product: each is a judge but for the endpoint and the model that it is to run on.

use domain::{Declaration, Instrument, Model, Parser, Rubric, UnitKind};
use serde::Deserialize;
use serde_json::{Map, json};

/// A judge without a model.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Template {
    /// Name of the judge that it makes.
    pub name: String,
    /// Version of the prompt.
    pub version: String,
    /// What is particular about it, in a line.
    pub about: String,
    /// What its criteria are asked of.
    pub unit: UnitKind,
    /// The criteria that it is written for.
    pub criteria: Vec<String>,
    /// How its answer is read.
    #[serde(default)]
    pub parser: Parser,
    /// Template of the system message.
    pub system: String,
    /// Template of the user message.
    pub prompt: String,
}

impl Template {
    /// Whether a rubric asks its criteria, of its kind of unit and on scales that its answer can be read on.
    #[must_use]
    pub fn fits(&self, rubric: &Rubric) -> bool {
        let judge = self.declaration("any", "any");
        judge.check(rubric).is_ok() && judge.unit(rubric) == Some(self.unit)
    }

    /// The judge that it makes of a model.
    #[must_use]
    pub fn declaration(&self, endpoint: &str, model: &str) -> Declaration {
        Declaration {
            name: self.name.clone(),
            version: self.version.clone(),
            criteria: self.criteria.clone(),
            rubric: None,
            instrument: Instrument::Model(Model {
                endpoint: endpoint.to_owned(),
                model: model.to_owned(),
                system: self.system.clone(),
                prompt: self.prompt.clone(),
                parser: self.parser,
                parameters: Map::from_iter([("temperature".to_owned(), json!(0))]),
                examples: Vec::new(),
            }),
        }
    }
}
