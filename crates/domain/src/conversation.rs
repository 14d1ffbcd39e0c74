use crate::{ContentHash, Fault, NotCanonical, Unit, UnitKind, canonical::canonical_map};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
};
use time::OffsetDateTime;

/// Most passages that one conversation may carry: beyond it nobody reads them, and pages grow without bound.
pub const MAXIMUM_PASSAGES: usize = 2_000;

/// Longest id, in characters.
const LONGEST_ID: usize = 512;

/// One recorded exchange with its trace: question, routing, passages, answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// Stable id from the source system, unique in the project.
    pub id: String,
    /// What is resampled as one: the dialogue, the document, the customer that several conversations share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The golden case that this is a trial of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    /// Which trial of the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trial: Option<i64>,
    /// When it happened.
    #[serde(default, with = "time::serde::rfc3339::option", skip_serializing_if = "Option::is_none")]
    pub at: Option<OffsetDateTime>,
    /// To find it in the system's own logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// Slice for breakdowns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// The client or document base that it ran against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corpus: Option<String>,
    /// Which assistant or version answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// BCP 47 tag of the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Earlier turns; the question may be the last one.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "null_is_empty")]
    pub messages: Vec<Message>,
    /// What is being answered, where it is not the last message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The reformulated query that was sent to retrieval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refined_query: Option<String>,
    /// Absent where no routing was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub routing: Option<Routing>,
    /// In ranked order; absent where this is no retrieval path, empty where retrieval returned nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passages: Option<Vec<Passage>>,
    /// What was put before the model, where that is more than the passages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// What was answered; absent where nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// Golden expectations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<Expected>,
    /// Kept, shown on demand, never interpreted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
}

/// One turn of a dialogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// `user`, `assistant`, `system` or `tool`.
    pub role: String,
    /// What was said.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub content: String,
}

/// Which agent took the question, where it looked and what it called.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Routing {
    /// The agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The collections searched.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "null_is_empty")]
    pub collections: Vec<String>,
    /// The tools called, in order.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub tool_calls: Vec<ToolCall>,
}

/// One call of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Name of the tool.
    pub name: String,
    /// Any JSON value.
    #[serde(default)]
    pub arguments: Value,
    /// What it returned; empty where it was there and had nothing.
    #[serde(default)]
    pub result: Value,
    /// Set where the resource was unavailable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Value>,
}

/// One retrieved passage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Passage {
    /// Unique within the conversation.
    pub id: String,
    /// The document that it is from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
    /// The collection that it was found in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collection: Option<String>,
    /// Its place in the ranking; the position where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u32>,
    /// The retriever's score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Its text, which may be empty.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub text: String,
}

/// What the assistant answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The whole text.
    pub text: String,
    /// Its paragraphs with their citations; split on blank lines where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paragraphs: Option<Vec<Paragraph>>,
}

/// One paragraph of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paragraph {
    /// Unique within the answer.
    pub id: String,
    /// Its text.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub text: String,
    /// Ids of the passages that it cites; an id that is no passage is a hallucinated citation.
    #[serde(default, deserialize_with = "null_is_empty")]
    pub citations: Vec<String>,
}

/// What a golden case expects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Expected {
    /// The golden answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The behaviour, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behaviour: Option<String>,
    /// The calls that must be met; an empty list says that no tool may be called; absent = not checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<ExpectedTool>>,
    /// Short form of one expected tool; `Some(None)` (a JSON null) says that no tool may be called.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "null_is_said")]
    pub tool: Option<Option<String>>,
    /// Arguments of the short form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_arguments: Option<Value>,
    /// Documents that must all be among the passages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sources: Option<Vec<String>>,
    /// Short form of one source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Who keeps the case true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// When it must be looked at again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<String>,
}

/// One expected call of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpectedTool {
    /// Name of the tool.
    pub name: String,
    /// Arguments that must be equal as JSON; absent = any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
}

fn null_is_empty<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[expect(clippy::option_option, reason = "absent, null and a name are three different expectations")]
fn null_is_said<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// Fields of `conversations.jsonl`; what is none of these is kept as metadata.
const FIELDS: [&str; 19] = [
    "id",
    "cluster",
    "case",
    "trial",
    "at",
    "request_id",
    "category",
    "corpus",
    "system",
    "language",
    "messages",
    "question",
    "refined_query",
    "routing",
    "passages",
    "context",
    "answer",
    "expected",
    "metadata",
];

/// What the content hash leaves out: it says nothing of what people and judges read.
const NOT_CONTENT: [&str; 3] = ["metadata", "at", "request_id"];

impl Conversation {
    /// Reads one line of `conversations.jsonl` that has been parsed as JSON. Fields that the format does not know are moved to
    /// `metadata`. Gives the conversation and its content hash: SHA-256 of the RFC 8785 form of what was given, but for `metadata`,
    /// `at` and `request_id`.
    ///
    /// # Errors
    /// A [`Fault`] that names the field.
    pub fn from_json(value: Value) -> Result<(Conversation, ContentHash), Fault> {
        let Value::Object(mut fields) = value else {
            return Err(Fault::new("", value.to_string(), "a JSON object, one conversation a line"));
        };
        keep_unknown_as_metadata(&mut fields)?;
        let hash = content_hash(&fields)?;
        let value = Value::Object(fields);
        let conversation = Conversation::deserialize(&value).map_err(|_| shape_fault(&value))?;
        conversation.check()?;
        Ok((conversation, hash))
    }

    /// What people and judges read of it: all but `metadata`, `at` and `request_id`.
    #[must_use]
    pub fn content(&self) -> Conversation {
        Conversation { metadata: None, at: None, request_id: None, ..self.clone() }
    }

    /// What is being answered: `question`, or the last message where it is the user's.
    #[must_use]
    pub fn question(&self) -> &str {
        match (&self.question, self.messages.last()) {
            (Some(question), _) => question,
            (None, Some(last)) if last.role == "user" => &last.content,
            _ => "",
        }
    }

    /// The turns before the question.
    #[must_use]
    pub fn history(&self) -> &[Message] {
        match (&self.question, self.messages.split_last()) {
            (None, Some((last, before))) if last.role == "user" => before,
            // Some systems repeat the question as the last message.
            (Some(question), Some((last, before))) if last.role == "user" && last.content == *question => {
                before
            }
            _ => &self.messages,
        }
    }

    /// What is resampled as one.
    #[must_use]
    pub fn cluster(&self) -> &str {
        self.cluster.as_deref().unwrap_or(&self.id)
    }

    /// The passages, none where this is no retrieval path.
    #[must_use]
    pub fn passages(&self) -> &[Passage] {
        self.passages.as_deref().unwrap_or_default()
    }

    /// The passage with this id.
    #[must_use]
    pub fn passage(&self, id: &str) -> Option<&Passage> {
        self.passages().iter().find(|passage| passage.id == id)
    }

    /// The paragraphs of the answer; where the source gave none, its text split on blank lines, with ids `a1`, `a2`, …
    #[must_use]
    pub fn paragraphs(&self) -> Cow<'_, [Paragraph]> {
        match &self.answer {
            None => Cow::Borrowed(&[]),
            Some(Answer { paragraphs: Some(paragraphs), .. }) => Cow::Borrowed(paragraphs),
            Some(Answer { text, paragraphs: None }) => Cow::Owned(split_paragraphs(text)),
        }
    }

    /// The units of a kind, in reading order. Justifications belong to verdicts, so a conversation has none.
    #[must_use]
    pub fn units(&self, kind: UnitKind) -> Vec<Unit> {
        match kind {
            UnitKind::Conversation => vec![Unit::Conversation],
            UnitKind::Passage => {
                self.passages().iter().map(|passage| Unit::Passage(passage.id.clone())).collect()
            }
            UnitKind::Paragraph => {
                self.paragraphs().iter().map(|paragraph| Unit::Paragraph(paragraph.id.clone())).collect()
            }
            UnitKind::Citation => {
                let mut seen = HashSet::new();
                let paragraphs = self.paragraphs();
                let pairs = paragraphs.iter().flat_map(|paragraph| {
                    paragraph.citations.iter().map(|passage| Unit::Citation {
                        paragraph: paragraph.id.clone(),
                        passage: passage.clone(),
                    })
                });
                pairs.filter(|pair| seen.insert(pair.clone())).collect()
            }
            UnitKind::Justification => Vec::new(),
        }
    }

    /// Whether the conversation has this unit.
    #[must_use]
    pub fn has(&self, unit: &Unit) -> bool {
        match unit {
            Unit::Conversation => true,
            Unit::Passage(id) => self.passage(id).is_some(),
            Unit::Paragraph(id) => self.paragraphs().iter().any(|paragraph| paragraph.id == *id),
            Unit::Citation { paragraph, passage } => {
                self.paragraphs().iter().any(|p| p.id == *paragraph && p.citations.contains(passage))
            }
            Unit::Justification { unit, .. } => self.has(unit),
        }
    }

    fn check(&self) -> Result<(), Fault> {
        check_id("id", &self.id)?;
        for (field, id) in [("cluster", &self.cluster), ("case", &self.case)] {
            if let Some(id) = id {
                check_id(field, id)?;
            }
        }
        if self.question().trim().is_empty() {
            return Err(Fault::new(
                "question",
                self.question(),
                "a question, or `messages` that end in one of the user's",
            ));
        }
        let passages = self.passages();
        if passages.len() > MAXIMUM_PASSAGES {
            let expected = format!("at most {MAXIMUM_PASSAGES} passages in a conversation");
            return Err(Fault::new("passages", format!("{} passages", passages.len()), expected));
        }
        check_unique("passages", passages.iter().map(|passage| passage.id.as_str()))?;
        check_unique("answer.paragraphs", self.paragraphs().iter().map(|paragraph| paragraph.id.as_str()))
    }
}

fn split_paragraphs(text: &str) -> Vec<Paragraph> {
    let mut blocks: Vec<String> = Vec::new();
    let mut open = false;
    for line in text.lines() {
        if line.trim().is_empty() {
            open = false;
        } else if open && let Some(block) = blocks.last_mut() {
            block.push('\n');
            block.push_str(line);
        } else {
            blocks.push(line.to_owned());
            open = true;
        }
    }
    blocks
        .into_iter()
        .enumerate()
        .map(|(index, text)| Paragraph { id: format!("a{}", index + 1), text, citations: Vec::new() })
        .collect()
}

fn check_id(field: &str, id: &str) -> Result<(), Fault> {
    let length = id.chars().count();
    if length == 0 || length > LONGEST_ID || id.chars().any(char::is_control) {
        return Err(Fault::new(
            field,
            id,
            format!("an id of 1 to {LONGEST_ID} characters without control characters"),
        ));
    }
    Ok(())
}

fn check_unique<'a>(list: &str, ids: impl Iterator<Item = &'a str>) -> Result<(), Fault> {
    let mut seen = HashSet::new();
    for (index, id) in ids.enumerate() {
        let field = format!("{list}[{index}].id");
        check_id(&field, id)?;
        if !seen.insert(id) {
            return Err(Fault::new(field, id, "an id that stands once in the conversation"));
        }
    }
    Ok(())
}

fn keep_unknown_as_metadata(fields: &mut Map<String, Value>) -> Result<(), Fault> {
    let unknown: Vec<String> =
        fields.keys().filter(|name| !FIELDS.contains(&name.as_str())).cloned().collect();
    if unknown.is_empty() {
        return Ok(());
    }
    let mut metadata = match fields.remove("metadata") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(metadata)) => metadata,
        Some(other) => return Err(Fault::new("metadata", other.to_string(), "a JSON object")),
    };
    for name in unknown {
        if let Some(value) = fields.remove(&name) {
            metadata.entry(name).or_insert(value);
        }
    }
    fields.insert("metadata".to_owned(), Value::Object(metadata));
    Ok(())
}

fn content_hash(fields: &Map<String, Value>) -> Result<ContentHash, Fault> {
    let content: BTreeMap<&String, &Value> =
        fields.iter().filter(|(name, _)| !NOT_CONTENT.contains(&name.as_str())).collect();
    canonical_map(&content).map(|bytes| ContentHash::of_bytes(&bytes)).map_err(|error| match error {
        NotCanonical::NumberTooLarge { field, number } => Fault::new(
            field,
            number,
            "a number within ±2^53, which is not rounded; write larger ones as text",
        ),
        NotCanonical::Unserialisable(says) => Fault::new("", says, "plain JSON"),
    })
}

/// Says which field does not fit: its path, what stands there, and what serde expected. Reading once more with the path is for those
/// who need it: it takes a copy of every name on the way.
fn shape_fault(value: &Value) -> Fault {
    let error = match serde_path_to_error::deserialize::<_, Conversation>(value) {
        Ok(_) => return Fault::new("", value.to_string(), "a conversation"),
        Err(error) => error,
    };
    let path = error.path().to_string();
    let mut found = Some(value);
    for segment in error.path() {
        found = match segment {
            serde_path_to_error::Segment::Seq { index } => found.and_then(|value| value.get(*index)),
            serde_path_to_error::Segment::Map { key } => found.and_then(|value| value.get(key)),
            _ => found,
        };
    }
    let says = error.inner().to_string();
    // `invalid type: string "x", expected a sequence` repeats what `found` shows already.
    let expected = match (says.split_once(", expected "), says.strip_prefix("missing field ")) {
        (Some((_, expected)), _) => expected.to_owned(),
        (None, Some(field)) => format!("the field {field}"),
        (None, None) => says,
    };
    let field = if path == "." { String::new() } else { path };
    Fault::new(field, found.map(Value::to_string).unwrap_or_default(), expected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: Value) -> Result<Conversation, String> {
        Conversation::from_json(value)
            .map(|(conversation, _)| conversation)
            .map_err(|fault| fault.to_string())
    }

    #[test]
    fn the_question_may_be_the_last_message() {
        let conversation = read(json!({"id": "1", "messages": [
            {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}, {"role": "user", "content": "Where is it?"}]}))
        .unwrap();
        assert_eq!(conversation.question(), "Where is it?");
        assert_eq!(conversation.history().len(), 2);
        assert_eq!(conversation.cluster(), "1");
        assert!(conversation.passages.is_none());
    }

    #[test]
    fn paragraphs_are_split_on_blank_lines_and_citations_pair_up() {
        let conversation =
            read(json!({"id": "1", "question": "q", "answer": {"text": "one\nstill one\n\n \n\ntwo"}}))
                .unwrap();
        let texts: Vec<String> =
            conversation.paragraphs().iter().map(|p| format!("{}={}", p.id, p.text)).collect();
        assert_eq!(texts, ["a1=one\nstill one", "a2=two"]);
        let cited = read(json!({"id": "1", "question": "q", "passages": [{"id": "p1"}],
            "answer": {"text": "x", "paragraphs": [{"id": "a1", "text": "x", "citations": ["p1", "p1", "p9"]}]}}))
        .unwrap();
        let units: Vec<String> = cited.units(UnitKind::Citation).iter().map(Unit::to_string).collect();
        assert_eq!(units, ["citation:a1/p1", "citation:a1/p9"]);
    }

    #[test]
    fn a_row_that_cannot_be_taken_names_field_value_and_expectation() {
        for (row, says) in [
            (json!([1]), "found [1], expected a JSON object"),
            (json!({"question": "q"}), "expected the field `id`"),
            (json!({"id": "", "question": "q"}), "id: found nothing, expected an id"),
            (json!({"id": "1"}), "question: found nothing"),
            (
                json!({"id": "1", "question": "q", "passages": [{"id": "a"}, {"id": "a"}]}),
                "passages[1].id: found a,",
            ),
            (
                json!({"id": "1", "question": "q", "passages": [{"id": "a", "rank": "first"}]}),
                "passages[0].rank: found \"first\", expected u32",
            ),
            (json!({"id": "1", "question": "q", "at": "yesterday"}), "at: found \"yesterday\""),
            (
                json!({"id": "1", "question": "q", "routing": {"tool_calls": [{"name": "f", "arguments": {"n": 1e300}}]}}),
                "routing.tool_calls[0].arguments.n: found 1e+300",
            ),
            (json!({"id": "1\0", "question": "q"}), "id: found 1⟨U+0000⟩"),
        ] {
            let message = read(row).unwrap_err();
            assert!(message.contains(says), "{message}");
        }
    }

    #[test]
    fn the_hash_is_of_what_is_read_and_unknown_fields_are_metadata() {
        let hash = |value| Conversation::from_json(value).unwrap().1;
        let plain = hash(json!({"id": "1", "question": "q"}));
        assert_eq!(
            plain,
            hash(
                json!({"question": "q", "id": "1", "at": "2026-01-01T00:00:00Z", "request_id": "r", "colour": "red"})
            )
        );
        assert_ne!(plain, hash(json!({"id": "1", "question": "Q"})));
        let kept =
            read(json!({"id": "1", "question": "q", "colour": "red", "metadata": {"size": 1}})).unwrap();
        assert_eq!(kept.metadata.unwrap(), *json!({"size": 1, "colour": "red"}).as_object().unwrap());
    }

    #[test]
    fn no_tool_allowed_differs_from_not_checked() {
        let expected = |value: Value| {
            read(json!({"id": "1", "question": "q", "expected": value})).unwrap().expected.unwrap()
        };
        assert_eq!(expected(json!({"tool": null})).tool, Some(None));
        assert_eq!(expected(json!({})).tool, None);
        assert_eq!(expected(json!({"tools": []})).tools, Some(vec![]));
    }
}
