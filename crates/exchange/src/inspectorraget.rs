//! InspectorRAGet: `{models, metrics, documents, tasks, evaluations}`; an evaluation is a conversation with what people and algorithms said.

use crate::{
    Findings, Place,
    input::Input,
    row,
    value::{elements, fields, first, text},
};
use domain::Fault;
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// Whether the file is one of InspectorRAGet.
pub(crate) fn wrote(input: &Input) -> bool {
    input.first().is_some_and(|first| {
        ["tasks", "evaluations", "models"].iter().all(|name| first.get(*name).is_some_and(Value::is_array))
    })
}

/// Reads evaluations.
pub(crate) fn read(input: Input, findings: &mut Findings) -> Result<(), Fault> {
    for (place, file) in input.records() {
        let file = fields(&file);
        findings.tally.record("", file, &FILE);
        let by_id = |list: &str, names: &[&str]| -> HashMap<String, Map<String, Value>> {
            let items = file.get(list).map(elements).unwrap_or_default();
            items.iter().filter_map(|item| Some((text(fields(item), names)?, fields(item).clone()))).collect()
        };
        let known = Known {
            tasks: by_id("tasks", &["taskId", "task_id"]),
            models: by_id("models", &["modelId", "model_id"]),
            metrics: by_id("metrics", &["name"]),
            documents: by_id("documents", &["documentId", "document_id"]),
        };
        for (index, evaluation) in
            file.get("evaluations").map(elements).unwrap_or_default().iter().enumerate()
        {
            known.one(&place.within(&format!("evaluations[{index}]")), fields(evaluation), findings);
        }
    }
    findings.must_hold("`evaluations` of `tasks` with their `input`")
}

const FILE: [(&str, &str); 6] = [
    ("name", "name of the file"),
    ("models", "system"),
    ("metrics", "criteria; whether people or algorithms measured them"),
    ("documents", "passages"),
    ("tasks", "question, passages, expected.answer"),
    ("evaluations", "answer, labels, verdicts"),
];

const TASK: [(&str, &str); 7] = [
    ("taskId", "case"),
    ("task_id", "case"),
    ("taskType", "category"),
    ("task_type", "category"),
    ("contexts", "passages"),
    ("input", "messages, question"),
    ("targets", "expected.answer"),
];

const EVALUATION: [(&str, &str); 8] = [
    ("taskId", "id, case"),
    ("task_id", "id, case"),
    ("modelId", "id, system"),
    ("model_id", "id, system"),
    ("modelResponse", "answer"),
    ("model_response", "answer"),
    ("annotations", "labels, verdicts"),
    ("contexts", "passages"),
];

/// What evaluations refer to.
struct Known {
    tasks: HashMap<String, Map<String, Value>>,
    models: HashMap<String, Map<String, Value>>,
    metrics: HashMap<String, Map<String, Value>>,
    documents: HashMap<String, Map<String, Value>>,
}

impl Known {
    fn one(&self, place: &Place, map: &Map<String, Value>, findings: &mut Findings) {
        findings.records += 1;
        findings.tally.record("evaluation", map, &EVALUATION);
        let task_id = text(map, &["taskId", "task_id"]).unwrap_or_default();
        let model = text(map, &["modelId", "model_id"]).unwrap_or_default();
        let answer = text(map, &["modelResponse", "model_response"]);
        let (Some(task), Some(answer)) = (self.tasks.get(&task_id), answer) else {
            let found = format!("task `{task_id}`, model `{model}`");
            let expected =
                "a `taskId` that stands among the tasks, and a `modelResponse`, to be a conversation";
            return findings.refuse(place.clone(), Fault::new("", found, expected));
        };
        findings.tally.record("task", task, &TASK);
        let id = format!("{task_id}/{model}");
        let contexts =
            first(map, &["contexts"]).or_else(|| task.get("contexts")).filter(|contexts| contexts.is_array());
        let target = task
            .get("targets")
            .and_then(|targets| targets.get(0))
            .and_then(|target| text(fields(target), &["text"]));
        let system =
            self.models.get(&model).and_then(|model| text(model, &["name"])).unwrap_or_else(|| model.clone());
        let mut conversation = asked(task);
        conversation.extend(row([
            ("id", Some(id.clone().into())),
            ("cluster", Some(task_id.clone().into())),
            ("case", Some(task_id.into())),
            ("category", text(task, &["taskType", "task_type"]).map(Value::from)),
            ("system", Some(system.into())),
            ("answer", Some(json!({ "text": answer }))),
            ("expected", target.map(|answer| json!({ "answer": answer }))),
            ("passages", contexts.map(|contexts| self.passages(contexts))),
        ]));
        findings.conversation(place.clone(), conversation);
        for (metric, said) in map.get("annotations").map(fields).into_iter().flatten() {
            for (who, said) in fields(said) {
                self.said(&place.within(metric), &id, metric, who, fields(said), findings);
            }
        }
    }

    fn passages(&self, contexts: &Value) -> Value {
        let passage = |(index, context): (usize, &Value)| {
            let context = fields(context);
            let id = text(context, &["documentId", "document_id"]);
            let document = id.as_ref().and_then(|id| self.documents.get(id)).unwrap_or(context);
            let names = ["text", "content"];
            Value::Object(row([
                ("id", Some(id.clone().unwrap_or_else(|| format!("p{}", index + 1)).into())),
                ("document", text(document, &["title", "url"]).or(id).map(Value::from)),
                (
                    "text",
                    Some(text(document, &names).or_else(|| text(context, &names)).unwrap_or_default().into()),
                ),
                ("score", context.get("score").filter(|score| score.is_number()).cloned()),
            ]))
        };
        elements(contexts).iter().enumerate().map(passage).collect()
    }

    fn said(
        &self,
        place: &Place,
        id: &str,
        metric: &str,
        who: &str,
        said: &Map<String, Value>,
        findings: &mut Findings,
    ) {
        let author = self.metrics.get(metric).and_then(|metric| text(metric, &["author"]));
        let about = [
            ("conversation", Some(id.into())),
            ("criterion", Some(metric.into())),
            ("value", said.get("value").cloned()),
        ];
        let mut fields = row(about);
        if author.as_deref() == Some("human") {
            findings.tally.read("annotations of people", "labels");
            let seconds = said.get("duration").filter(|seconds| seconds.is_number()).cloned();
            fields.extend(row([("annotator", Some(who.into())), ("seconds", seconds)]));
            findings.label(place.clone(), fields);
        } else {
            findings.tally.read("annotations of algorithms", "verdicts");
            let error =
                (!fields.contains_key("value")).then(|| "missing: the annotation has no value".into());
            fields.extend(row([("judge", Some(format!("inspectorraget {who}").into())), ("error", error)]));
            findings.verdict(place.clone(), fields);
        }
    }
}

/// The turns of a task's input, or its one text.
fn asked(task: &Map<String, Value>) -> Map<String, Value> {
    match task.get("input") {
        Some(Value::String(question)) => row([("question", Some(question.clone().into()))]),
        Some(turns) => {
            let message = |turn: &Value| {
                let turn = fields(turn);
                let is_user = text(turn, &["speaker", "role"]).is_none_or(|speaker| speaker == "user");
                json!({ "role": if is_user { "user" } else { "assistant" }, "content": text(turn, &["text", "content"]).unwrap_or_default() })
            };
            row([("messages", Some(elements(turns).iter().map(message).collect()))])
        }
        None => row([("question", text(task, &["question"]).map(Value::from))]),
    }
}
