//! Prompts to begin with, written for this product: each is a judge but for the endpoint and the model that it is to run on. The
//! rubrics that they were written for are `domain::RubricTemplate`s; a rubric of one's own with the same criteria fits as well.

use domain::{Declaration, DeclarationError, Instrument, Model, Parser, Rubric, ScaleKind, UnitKind};
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
    /// The kind of scale that it is worded for.
    pub scale: ScaleKind,
    /// The criteria that it answers.
    pub criteria: Vec<String>,
    /// How its answer is read.
    #[serde(default)]
    pub parser: Parser,
    /// Template of the system message.
    pub system: String,
    /// Template of the user message.
    pub prompt: String,
}

/// All templates: relevance of passages first, the plain one before its variants.
///
/// # Errors
/// [`DeclarationError::Shape`] where the program was built with a file that is no template.
pub fn templates() -> Result<Vec<Template>, DeclarationError> {
    let read = |text: &&str| toml::from_str(text).map_err(|error| DeclarationError::Shape(error.to_string()));
    TEMPLATES.iter().map(read).collect()
}

const TEMPLATES: [&str; 23] = [
    include_str!("../library/relevance-plain.toml"),
    include_str!("../library/relevance-brief.toml"),
    include_str!("../library/relevance-claims.toml"),
    include_str!("../library/relevance-descending.toml"),
    include_str!("../library/relevance-ends.toml"),
    include_str!("../library/relevance-golden.toml"),
    include_str!("../library/relevance-passage-first.toml"),
    include_str!("../library/relevance-quote.toml"),
    include_str!("../library/relevance-steps.toml"),
    include_str!("../library/relevance-strict.toml"),
    include_str!("../library/relevance-topical.toml"),
    include_str!("../library/relevance-usefulness.toml"),
    include_str!("../library/relevance-coarse.toml"),
    include_str!("../library/abstention.toml"),
    include_str!("../library/answer-completeness.toml"),
    include_str!("../library/answer-quality.toml"),
    include_str!("../library/citation-support.toml"),
    include_str!("../library/context-relevance.toml"),
    include_str!("../library/faithfulness-claims.toml"),
    include_str!("../library/five-metrics.toml"),
    include_str!("../library/language-compliance.toml"),
    include_str!("../library/needs-source.toml"),
    include_str!("../library/routing.toml"),
];

impl Template {
    /// Whether a rubric asks its criteria, of its kind of unit and on its kind of scale.
    #[must_use]
    pub fn fits(&self, rubric: &Rubric) -> bool {
        let judge = self.declaration("any", "any");
        let is_worded_for = |id: &String| rubric.scale_of(id).is_some_and(|scale| scale.kind == self.scale);
        judge.check(rubric).is_ok()
            && judge.unit(rubric) == Some(self.unit)
            && self.criteria.iter().all(is_worded_for)
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
                system: self.system.trim().to_owned(),
                prompt: self.prompt.trim().to_owned(),
                parser: self.parser,
                parameters: Map::from_iter([("temperature".to_owned(), json!(0))]),
                examples: Vec::new(),
                example_set: None,
            }),
        }
    }
}

#[cfg(test)]
mod tests;
