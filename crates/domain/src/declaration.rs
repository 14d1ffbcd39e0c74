use crate::{AnchorSetName, ContentHash, NotCanonical, Rubric, ScaleKind, UnitKind, hash_of};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What is declared as one version of a judge. Immutable once stored: an edit makes another version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Declaration {
    /// Name of the judge, shared by its versions.
    pub name: String,
    /// The version.
    pub version: String,
    /// The criteria that it answers, all of one kind of unit; several are one structured answer.
    pub criteria: Vec<String>,
    /// The rubric version whose questions and scales it is given; filled in when the version is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rubric: Option<RubricUsed>,
    /// Who answers.
    pub instrument: Instrument,
}

/// A rubric version with the hash of what it asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RubricUsed {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: u32,
    /// Hash of its content, scales included.
    pub hash: ContentHash,
}

/// Who answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Instrument {
    /// A model behind an endpoint that the operator has configured.
    Model(Model),
    /// A baseline without a model: always the level that most references of `tune` have.
    MajorityLevel {
        /// The level by criterion; filled in from the anchor set where absent.
        #[serde(default)]
        levels: BTreeMap<String, f64>,
    },
    /// A baseline without a model: the share of the question's words that the unit holds, cut into levels.
    LexicalOverlap {},
}

/// A model with all that is said to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    /// The operator's name of the endpoint.
    pub endpoint: String,
    /// The model that is asked for.
    pub model: String,
    /// Template of the system message.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub system: String,
    /// Template of the user message.
    pub prompt: String,
    /// How its answer is read.
    #[serde(default)]
    pub parser: Parser,
    /// Sent along as they are: temperature, token limits, seed.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub parameters: Map<String, Value>,
    /// Conversations whose items are shown to it with their references, and so can take no part in measuring it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
    /// The frozen set whose `tune` split has the examples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub example_set: Option<AnchorSetName>,
}

/// How a judge's answer is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parser {
    /// A reason and a score, for each criterion.
    #[default]
    Scores,
    /// Claims, each marked as supported or not; the score is the share that is.
    Claims,
}

/// Changes when templates are rendered or answers are read in another way: the same declaration is then another instrument.
const READING: u32 = 1;

/// Why a declaration cannot stand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeclarationError {
    /// Not TOML, or not of a declaration's shape; the message has line and column.
    #[error("not a judge: {0}")]
    Shape(String),
    /// A field whose value cannot stand.
    #[error("judge: {field}: found {found}, expected {expected}")]
    Field {
        /// The field.
        field: &'static str,
        /// What stands there.
        found: String,
        /// What would have been right.
        expected: String,
    },
}

fn wrong<T>(field: &'static str, found: &str, expected: impl Into<String>) -> Result<T, DeclarationError> {
    Err(DeclarationError::Field { field, found: crate::visible(found), expected: expected.into() })
}

/// What is no parameter: what is said, by whom it is answered and in which form. A judge has no tools and gives one answer.
const NOT_PARAMETERS: [&str; 12] = [
    "functions",
    "function_call",
    "messages",
    "model",
    "n",
    "prompt",
    "response_format",
    "stream",
    "stream_options",
    "system",
    "tool_choice",
    "tools",
];

/// Most conversations that are shown as examples.
const MOST_EXAMPLES: usize = 100;

/// Longest template, in bytes.
const LONGEST_TEMPLATE: usize = 256 * 1024;

impl Declaration {
    /// Reads `judge.toml`. Whether it fits a rubric, [`Declaration::check`] says.
    ///
    /// # Errors
    /// [`DeclarationError::Shape`].
    pub fn from_toml(text: &str) -> Result<Declaration, DeclarationError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        toml::from_str(text).map_err(|error| DeclarationError::Shape(error.to_string()))
    }

    /// The declaration as `judge.toml` has it.
    ///
    /// # Errors
    /// [`DeclarationError::Shape`] for parameters that TOML cannot hold, such as null.
    pub fn to_toml(&self) -> Result<String, DeclarationError> {
        toml::to_string_pretty(self).map_err(|error| DeclarationError::Shape(error.to_string()))
    }

    /// Checks the declaration against the rubric whose criteria it answers.
    ///
    /// # Errors
    /// [`DeclarationError::Field`], which names the field and what would have been right.
    pub fn check(&self, rubric: &Rubric) -> Result<(), DeclarationError> {
        check_name("name", &self.name)?;
        check_name("version", &self.version)?;
        if self.name.contains('@') {
            return wrong("name", &self.name, "a name without `@`, which separates name and version");
        }
        if self.criteria.is_empty() {
            return wrong("criteria", "none", "one criterion of the rubric, or several of one kind of unit");
        }
        let mut kinds = Vec::new();
        for (position, id) in self.criteria.iter().enumerate() {
            let Some(criterion) = rubric.criterion(id) else {
                let known: Vec<&str> = rubric.criteria.iter().map(|known| known.id.as_str()).collect();
                return wrong("criteria", id, format!("one of {}", known.join(", ")));
            };
            if self.criteria[..position].contains(id) {
                return wrong("criteria", id, "each criterion once");
            }
            kinds.push(criterion.unit);
        }
        if kinds.iter().any(|kind| *kind != kinds[0]) {
            return wrong(
                "criteria",
                &self.criteria.join(", "),
                "criteria that are asked of one kind of unit",
            );
        }
        match &self.instrument {
            Instrument::Model(model) => self.check_model(model, rubric),
            Instrument::MajorityLevel { .. } | Instrument::LexicalOverlap {} => Ok(()),
        }
    }

    fn check_model(&self, model: &Model, rubric: &Rubric) -> Result<(), DeclarationError> {
        check_name("endpoint", &model.endpoint)?;
        check_name("model", &model.model)?;
        if model.prompt.trim().is_empty() {
            return wrong("prompt", "nothing", "the template of what is said to the model");
        }
        if model.prompt.len() + model.system.len() > LONGEST_TEMPLATE {
            let found = format!("{} bytes", model.prompt.len() + model.system.len());
            return wrong("prompt", &found, format!("templates of at most {LONGEST_TEMPLATE} bytes"));
        }
        if let Some(name) = model.parameters.keys().find(|name| NOT_PARAMETERS.contains(&name.as_str())) {
            return wrong(
                "parameters",
                name,
                "settings such as temperature, token limits and seed: what is said and in which form it is answered stands elsewhere",
            );
        }
        check_examples(model)?;
        if model.parser == Parser::Scores {
            return Ok(());
        }
        let is_share = |id: &String| {
            rubric.scale_of(id).is_some_and(|scale| {
                scale.kind == ScaleKind::Continuous && scale.step.is_none() && scale.bounds() == (0.0, 1.0)
            })
        };
        match self.criteria.as_slice() {
            [one] if is_share(one) => Ok(()),
            _ => wrong(
                "parser",
                "claims",
                "one criterion on a continuous scale from 0 to 1 without steps: the score is a share",
            ),
        }
    }

    /// What the criteria are asked of.
    #[must_use]
    pub fn unit(&self, rubric: &Rubric) -> Option<UnitKind> {
        rubric.criterion(self.criteria.first()?).map(|criterion| criterion.unit)
    }

    /// The model, where there is one.
    #[must_use]
    pub fn model(&self) -> Option<&Model> {
        match &self.instrument {
            Instrument::Model(model) => Some(model),
            Instrument::MajorityLevel { .. } | Instrument::LexicalOverlap {} => None,
        }
    }

    /// `NAME@VERSION`.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }

    /// SHA-256 of what was declared and of how it is read.
    ///
    /// # Errors
    /// [`NotCanonical`] for parameters that JSON cannot hold exactly.
    pub fn hash(&self) -> Result<ContentHash, NotCanonical> {
        hash_of(&(READING, self))
    }
}

fn check_examples(model: &Model) -> Result<(), DeclarationError> {
    let named = model.examples.join(", ");
    if model.examples.is_empty() {
        return match &model.example_set {
            None => Ok(()),
            Some(_) => wrong("examples", "none", "the conversations of example_set that are to be shown"),
        };
    }
    if model.example_set.is_none() {
        return wrong(
            "example_set",
            "none",
            "the frozen set, NAME@VERSION, whose tune split has the examples",
        );
    }
    if model.examples.len() > MOST_EXAMPLES {
        let found = format!("{} conversations", model.examples.len());
        return wrong("examples", &found, format!("at most {MOST_EXAMPLES}"));
    }
    if let Some(again) = (1..model.examples.len())
        .find(|&position| model.examples[..position].contains(&model.examples[position]))
    {
        return wrong("examples", &model.examples[again], "each conversation once");
    }
    if !model.prompt.contains("examples") && !model.system.contains("examples") {
        return wrong("examples", &named, "a template that shows them: {% for example in examples %}");
    }
    Ok(())
}

fn check_name(field: &'static str, name: &str) -> Result<(), DeclarationError> {
    let length = name.chars().count();
    if (1..=200).contains(&length)
        && name.trim() == name
        && crate::visible(name) == name
        && !name.contains('\n')
    {
        return Ok(());
    }
    wrong(field, name, "1 to 200 visible characters")
}

/// The fingerprint of a verdict: hash of the judge version and of the model version that the provider reported.
#[must_use]
pub fn fingerprint(version: &ContentHash, reported_model: Option<&str>) -> ContentHash {
    let reported = reported_model.map_or_else(|| "none".to_owned(), |model| format!("model {model}"));
    ContentHash::of_bytes(format!("{version}\n{reported}").as_bytes())
}

/// Whether a model is asked for by a name that the provider may point at another model tomorrow: `latest`, or a name that carries
/// neither a date nor a hash.
#[must_use]
pub fn is_floating(model: &str) -> bool {
    let model = model.to_lowercase();
    if model.split(['-', ':', '/', '@', '_', '.']).any(|word| word == "latest") {
        return true;
    }
    !model.split(['-', ':', '/', '@', '_', '.']).any(is_pin) && !holds_date(&model)
}

/// Month and day, year and month, a whole date in digits, or a hash.
fn is_pin(word: &str) -> bool {
    let digits = word.bytes().all(|byte| byte.is_ascii_digit());
    let within = |at: usize, low: u32, high: u32| {
        let number = word.get(at..at + 2).and_then(|part| part.parse::<u32>().ok());
        number.is_some_and(|number| (low..=high).contains(&number))
    };
    let is_day = |at: usize| within(at, 1, 12) && within(at + 2, 1, 31);
    match word.len() {
        4 if digits => is_day(0) || (within(0, 20, 99) && within(2, 1, 12)),
        6 if digits => is_day(2),
        8 if digits => word.starts_with("20") && is_day(4),
        12.. => {
            word.bytes().all(|byte| byte.is_ascii_hexdigit())
                && word.bytes().any(|byte| byte.is_ascii_digit())
        }
        _ => false,
    }
}

/// `2024-08-06` anywhere.
fn holds_date(model: &str) -> bool {
    model.as_bytes().windows(10).any(|window| {
        window.starts_with(b"20")
            && window.iter().enumerate().all(|(at, byte)| match at {
                4 | 7 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUBRIC: &str = r#"
        name = "shop"
        version = 1
        [[scale]]
        id = "share"
        kind = "continuous"
        min = 0.0
        max = 1.0
        [[scale]]
        id = "yes-no"
        kind = "binary"
        levels = [{ value = 0, name = "no" }, { value = 1, name = "yes" }]
        [[criterion]]
        id = "faithfulness"
        component = "generation"
        unit = "conversation"
        scale = "share"
        question = "Is it supported?"
        [[criterion]]
        id = "polite"
        component = "generation"
        unit = "conversation"
        scale = "yes-no"
        question = "Is it polite?"
        [[criterion]]
        id = "relevance"
        component = "retrieval"
        unit = "passage"
        scale = "yes-no"
        question = "Is it relevant?"
    "#;

    const JUDGE: &str = r#"
        name = "strict"
        version = "1"
        criteria = ["polite"]
        [instrument.model]
        endpoint = "local"
        model = "m-2026-08-01"
        prompt = "{{ question }}"
        parameters = { temperature = 0 }
    "#;

    #[test]
    fn a_declaration_is_read_and_hashed() {
        let rubric = Rubric::from_toml(RUBRIC).unwrap();
        let judge = Declaration::from_toml(JUDGE).unwrap();
        assert_eq!(judge.check(&rubric), Ok(()));
        assert_eq!(judge.unit(&rubric), Some(UnitKind::Conversation));
        let edited = Declaration::from_toml(&JUDGE.replace("{{ question }}", "{{ question }}.")).unwrap();
        assert_ne!(judge.hash(), edited.hash());
        let hash = judge.hash().unwrap();
        assert_ne!(fingerprint(&hash, Some("m-1")), fingerprint(&hash, Some("m-2")));
        assert_ne!(fingerprint(&hash, None), fingerprint(&hash, Some("none")));
        let baseline = "name = \"b\"\nversion = \"1\"\ncriteria = [\"polite\"]\n[instrument.lexical_overlap]";
        assert_eq!(Declaration::from_toml(baseline).unwrap().check(&rubric), Ok(()));
    }

    #[test]
    fn what_cannot_stand_is_named() {
        let rubric = Rubric::from_toml(RUBRIC).unwrap();
        for (from, to, says) in [
            (
                "\"polite\"",
                "\"rude\"",
                "criteria: found rude, expected one of faithfulness, polite, relevance",
            ),
            ("\"polite\"", "\"polite\", \"relevance\"", "one kind of unit"),
            ("\"polite\"", "\"polite\", \"polite\"", "each criterion once"),
            ("\"strict\"", "\"strict@2\"", "without `@`"),
            ("{{ question }}", " ", "prompt: found nothing"),
            ("temperature = 0", "tools = []", "parameters: found tools"),
            ("prompt =", "parser = \"claims\"\nprompt =", "a continuous scale from 0 to 1"),
            ("prompt =", "examples = [\"c1\"]\nprompt =", "example_set: found none"),
            ("prompt =", "example_set = \"gold@1\"\nprompt =", "examples: found none"),
            (
                "prompt =",
                "example_set = \"gold@1\"\nexamples = [\"c1\", \"c1\"]\nprompt =",
                "each conversation once",
            ),
            (
                "prompt =",
                "example_set = \"gold@1\"\nexamples = [\"c1\"]\nprompt =",
                "examples: found c1, expected a template that shows them",
            ),
        ] {
            let judge = Declaration::from_toml(&JUDGE.replace(from, to)).unwrap();
            let message = judge.check(&rubric).unwrap_err().to_string();
            assert!(message.contains(says), "{message}");
        }
        for (from, to) in
            [("prompt =", "promt ="), ("name =", "nam ="), ("[instrument.model]", "[instrument.oracle]")]
        {
            assert!(Declaration::from_toml(&JUDGE.replace(from, to)).is_err(), "{to}");
        }
        let baseline =
            "name = \"b\"\nversion = \"1\"\ncriteria = [\"polite\"]\n[instrument.majority_level]\nlevel = 1";
        assert!(Declaration::from_toml(baseline).is_err());
    }

    #[test]
    fn a_name_without_a_date_or_a_hash_floats() {
        for pinned in [
            "gpt-4o-2024-08-06",
            "gpt-4-0314",
            "claude-sonnet-4-20250514",
            "models/qwen@sha256:9f3b7c1d2e4a5b60",
            "mistral-large-2407",
        ] {
            assert!(!is_floating(pinned), "{pinned}");
        }
        for floating in
            ["gpt-4o", "llama3:latest", "claude-3-5-sonnet-latest", "gemma3-270m", "model-9999", ""]
        {
            assert!(is_floating(floating), "{floating}");
        }
    }
}
