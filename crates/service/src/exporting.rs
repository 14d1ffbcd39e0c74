//! Conversations and labels as files that other tools read.

use crate::{ProjectId, Service, ServiceError, Viewer};
use domain::{Conversation, Rubric, Scale};
use serde_json::{Map, Value, json};
use std::{collections::HashMap, fmt, str::FromStr};
use store::{ConversationId, StoredLabel};
use time::format_description::well_known::Rfc3339;

/// What reads an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// Label Studio: tasks with what each annotator said.
    LabelStudio,
    /// Ragas: a data set of questions, contexts, answers and reference answers, without labels.
    Ragas,
    /// JSON Lines with the same fields in each, as the `datasets` library of Hugging Face loads them.
    HuggingFace,
}

impl ExportFormat {
    /// All of them.
    pub const ALL: [ExportFormat; 3] =
        [ExportFormat::LabelStudio, ExportFormat::Ragas, ExportFormat::HuggingFace];

    /// Its name on the command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            ExportFormat::LabelStudio => "label-studio",
            ExportFormat::Ragas => "ragas",
            ExportFormat::HuggingFace => "huggingface",
        }
    }

    /// The name of a file of it.
    #[must_use]
    pub fn file_name(self) -> &'static str {
        match self {
            ExportFormat::LabelStudio => "label-studio.json",
            ExportFormat::Ragas => "ragas.json",
            ExportFormat::HuggingFace => "huggingface.jsonl",
        }
    }
}

impl fmt::Display for ExportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for ExportFormat {
    type Err = String;

    fn from_str(word: &str) -> Result<ExportFormat, String> {
        ExportFormat::ALL.into_iter().find(|format| format.word() == word).ok_or_else(|| {
            let known = ExportFormat::ALL.map(ExportFormat::word).join(", ");
            format!("`{}` is none of the formats that are written: {known}", domain::visible(word))
        })
    }
}

impl Service {
    /// The conversations of a project, with the labels that count, but for those that are sealed to the viewer. That it was taken is in the
    /// audit log.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn export(
        &self,
        project: ProjectId,
        format: ExportFormat,
        viewer: Viewer,
    ) -> Result<String, ServiceError> {
        let mut labels: HashMap<ConversationId, Vec<StoredLabel>> = HashMap::new();
        if format != ExportFormat::Ragas {
            for label in self.store.labels(project, None, viewer).await? {
                labels.entry(label.conversation).or_default().push(label);
            }
        }
        let rubric = self.rubric(project).await?;
        let mut records = Vec::new();
        let each = |stored: store::StoredConversation| {
            let labels = labels.remove(&stored.id).unwrap_or_default();
            records.push(match format {
                ExportFormat::LabelStudio => {
                    task(records.len() + 1, &stored.conversation, &labels, rubric.as_ref())
                }
                ExportFormat::Ragas => sample(&stored.conversation),
                ExportFormat::HuggingFace => line(&stored.conversation, &labels),
            });
        };
        self.store.visit_conversations(project, viewer, each).await?;
        self.record_export(project, &format!("{format}: {} conversations", records.len()), viewer).await?;
        Ok(match format {
            ExportFormat::HuggingFace => records.iter().map(|record| format!("{record}\n")).collect(),
            ExportFormat::LabelStudio | ExportFormat::Ragas => format!("{:#}\n", Value::Array(records)),
        })
    }

    /// Writes into the audit log that something was taken out of a project as a file.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn record_export(
        &self,
        project: ProjectId,
        what: &str,
        viewer: Viewer,
    ) -> Result<(), ServiceError> {
        self.record(viewer.user(), Some(project), "export", what).await
    }
}

/// A task of Label Studio: the conversation as its data, and one annotation for each annotator and pass. Units and remarks stand in `meta`,
/// where Label Studio keeps them untouched.
fn task(
    number: usize,
    conversation: &Conversation,
    labels: &[StoredLabel],
    rubric: Option<&Rubric>,
) -> Value {
    let mut data = fields(conversation);
    let answer = conversation.answer.as_ref().map(|answer| answer.text.clone());
    data.insert("question".to_owned(), conversation.question().into());
    data.insert("answer".to_owned(), answer.into());
    let mut annotations: Vec<(&str, u32, Vec<&StoredLabel>)> = Vec::new();
    for label in labels {
        match annotations.iter_mut().find(|(who, pass, _)| *who == &*label.annotator && *pass == label.pass) {
            Some((_, _, said)) => said.push(label),
            None => annotations.push((&label.annotator, label.pass, vec![label])),
        }
    }
    let annotations: Vec<Value> = annotations
        .into_iter()
        .zip(1..)
        .map(|((who, _, said), id)| {
            let at = said.iter().filter_map(|label| label.labelled_at).max();
            let results: Vec<Value> = said.into_iter().map(|label| result(label, rubric)).collect();
            json!({ "id": number * 1_000 + id, "completed_by": who, "was_cancelled": false, "created_at": at.and_then(|at| at.format(&Rfc3339).ok()),
                "result": results })
        })
        .collect();
    json!({ "id": number, "data": data, "annotations": annotations })
}

fn result(label: &StoredLabel, rubric: Option<&Rubric>) -> Value {
    let scale = rubric.and_then(|rubric| rubric.scale_of(&label.criterion));
    let (kind, value) = match scale.and_then(|scale| level_name(scale, label.value)) {
        Some(name) => ("choices", json!({ "choices": [name] })),
        None => ("number", json!({ "number": label.value })),
    };
    json!({ "from_name": &*label.criterion, "to_name": "answer", "type": kind, "value": value,
        "meta": { "unit": &*label.unit, "pass": label.pass, "comment": label.comment, "flag": label.flag } })
}

/// The name of a level, where it is read as that level again.
fn level_name(scale: &Scale, value: f64) -> Option<&str> {
    let name = scale.level(value)?.name.as_str();
    scale.parse(name).is_ok_and(|read| read.total_cmp(&value).is_eq()).then_some(name)
}

/// A row of a data set of Ragas.
fn sample(conversation: &Conversation) -> Value {
    let contexts: Vec<&str> = conversation.passages().iter().map(|passage| passage.text.as_str()).collect();
    let reference = conversation.expected.as_ref().and_then(|expected| expected.answer.as_deref());
    json!({
        "user_input": conversation.question(),
        "response": conversation.answer.as_ref().map(|answer| answer.text.as_str()),
        "retrieved_contexts": contexts,
        "reference": reference,
    })
}

/// A line with the same fields for every conversation: loaders take the types from the first ones.
fn line(conversation: &Conversation, labels: &[StoredLabel]) -> Value {
    let labels: Vec<Value> = labels
        .iter()
        .map(|label| {
            json!({ "annotator": &*label.annotator, "unit": &*label.unit, "criterion": &*label.criterion, "value": label.value,
                "pass": label.pass, "comment": label.comment })
        })
        .collect();
    let passages: Vec<Value> = conversation
        .passages()
        .iter()
        .map(|passage| json!({ "id": passage.id, "document": passage.document, "text": passage.text }))
        .collect();
    json!({
        "id": conversation.id,
        "cluster": conversation.cluster(),
        "category": conversation.category,
        "corpus": conversation.corpus,
        "system": conversation.system,
        "language": conversation.language,
        "history": conversation.history(),
        "question": conversation.question(),
        "passages": passages,
        "answer": conversation.answer.as_ref().map(|answer| answer.text.as_str()),
        "expected_answer": conversation.expected.as_ref().and_then(|expected| expected.answer.as_deref()),
        "labels": labels,
    })
}

fn fields(conversation: &Conversation) -> Map<String, Value> {
    match serde_json::to_value(conversation) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}
