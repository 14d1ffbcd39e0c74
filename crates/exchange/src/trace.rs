//! A trace of spans, whatever wrote it, as conversations.

use crate::{
    Findings, Place,
    dialogue::{Asked, ToolCall, asked},
    messages::{Speaker, Turn, messages},
    value::{shown, text},
};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashSet};

/// What a span did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Model,
    Tool,
    Retriever,
    Reranker,
    Agent,
    Other,
}

impl Kind {
    /// By the words that tools use.
    pub(crate) fn of(word: &str) -> Kind {
        match word.to_ascii_lowercase().as_str() {
            "llm" | "generation" | "chat" | "chat_model" | "text_completion" | "generate_content"
            | "completion" => Kind::Model,
            "tool" | "execute_tool" => Kind::Tool,
            "retriever" | "retrieval" => Kind::Retriever,
            "reranker" => Kind::Reranker,
            "agent" | "invoke_agent" | "create_agent" => Kind::Agent,
            _ => Kind::Other,
        }
    }
}

/// One step of a trace.
#[derive(Clone, Debug)]
pub(crate) struct Span {
    pub(crate) id: String,
    pub(crate) parent: Option<String>,
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Sorts by time: nanoseconds, or a text of equal length.
    pub(crate) start: String,
    /// What went in and what came out, as messages.
    pub(crate) turns: Vec<Turn>,
    /// What went in, as recorded.
    pub(crate) input: Value,
    /// What came out, as recorded.
    pub(crate) output: Value,
    /// The tool that was called, where one was.
    pub(crate) tool: Option<String>,
    /// Retrieved passages, in ranked order.
    pub(crate) passages: Vec<Value>,
    pub(crate) error: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) agent: Option<String>,
    /// The provider's id of the answer: two spans with one id recorded one answer.
    pub(crate) response: Option<String>,
}

/// One trace.
#[derive(Debug)]
pub(crate) struct Trace {
    pub(crate) place: Place,
    pub(crate) id: String,
    pub(crate) session: Option<String>,
    pub(crate) system: Option<String>,
    /// When it began, in RFC 3339.
    pub(crate) at: Option<String>,
    pub(crate) input: Value,
    pub(crate) output: Value,
    pub(crate) spans: Vec<Span>,
    pub(crate) metadata: Map<String, Value>,
}

/// A dialogue of a trace, with the spans that belong to it.
struct Part<'a> {
    turns: Vec<Turn>,
    spans: Vec<&'a Span>,
}

impl Trace {
    /// Adds its conversations. Gives the id of the last one, which the scores of the trace are about.
    pub(crate) fn conversations(&mut self, findings: &mut Findings) -> Option<String> {
        self.spans.sort_by(|a, b| a.start.cmp(&b.start));
        let mut found: Vec<(Asked, Vec<&Span>)> = Vec::new();
        for part in self.parts() {
            for turn in &part.turns {
                turn.left_out.iter().for_each(|what| findings.tally.left_out("messages", what));
            }
            let mut all = asked(&part.turns, findings.turns);
            if let Some(last) = all.pop() {
                found.extend(all.into_iter().map(|asked| (asked, Vec::new())));
                found.push((last, part.spans));
            }
        }
        let told = found.iter().map(|(asked, _)| asked.key()).collect::<Vec<_>>();
        let mut seen = HashSet::new();
        found.retain(|(asked, _)| {
            let is_told_further = asked.answer.is_none()
                && told.iter().any(|(history, question, answer)| {
                    answer.is_some() && *history == asked.key().0 && *question == asked.question
                });
            !is_told_further && seen.insert(asked.key())
        });
        let several = found.len() > 1;
        if found.is_empty() {
            findings.tally.left_out("trace", "no question and answer can be read from it");
            return None;
        }
        let answers: Vec<String> = self.spans.iter().filter_map(|span| span.response.clone()).collect();
        if findings.recorded_before(&answers) {
            findings.tally.left_out("trace", "its answer stands in an earlier record as well");
            return None;
        }
        let mut last = None;
        for (index, (asked, spans)) in found.into_iter().enumerate() {
            let id = if several { format!("{}#{}", self.id, index + 1) } else { self.id.clone() };
            let session = self.session.clone().or_else(|| several.then(|| self.id.clone()));
            let row = self.row(&id, session, &asked, &spans, findings);
            if findings.is_repeated(&row) {
                findings
                    .tally
                    .left_out("trace", "its question and answer stand in an earlier record as well");
                continue;
            }
            findings.conversation(self.place.clone(), row);
            last = Some(id);
        }
        last
    }

    /// The dialogue of the whole trace where it tells one; else those of its agents; else what can be read of its ends.
    fn parts(&self) -> Vec<Part<'_>> {
        let root = self.spans.iter().find(|span| self.parent_of(span).is_none());
        let input =
            if self.input.is_null() { root.map_or(&Value::Null, |span| &span.input) } else { &self.input };
        let output =
            if self.output.is_null() { root.map_or(&Value::Null, |span| &span.output) } else { &self.output };
        let whole = ends(input, output);
        if is_dialogue(&whole) {
            return vec![Part { turns: whole, spans: self.spans.iter().collect() }];
        }
        let parts = self.parts_of_models();
        if !parts.is_empty() {
            return parts;
        }
        let question = called_with(input);
        let answer = messages(output, Speaker::Assistant);
        let answer =
            if answer.is_empty() { vec![Turn::of_text(Speaker::Assistant, shown(output))] } else { answer };
        match question {
            Some(question) => {
                let turns = std::iter::once(Turn::of_text(Speaker::User, question)).chain(answer).collect();
                vec![Part { turns, spans: self.spans.iter().collect() }]
            }
            None => Vec::new(),
        }
    }

    /// For each agent the longest dialogue that its calls of a model tell.
    fn parts_of_models(&self) -> Vec<Part<'_>> {
        let mut longest: BTreeMap<Option<&str>, &Span> = BTreeMap::new();
        let mut order = Vec::new();
        let readable = |span: &&Span| {
            span.kind == Kind::Model && span.turns.iter().any(|turn| turn.speaker == Speaker::User)
        };
        for span in self.spans.iter().filter(readable) {
            let agent = self.agent_of(span);
            match longest.get(&agent) {
                Some(known) if known.turns.len() > span.turns.len() => {}
                known => {
                    if known.is_none() {
                        order.push(agent);
                    }
                    longest.insert(agent, span);
                }
            }
        }
        let is_last = |agent: Option<&str>| order.last() == Some(&agent);
        let owner = |span: &Span| order.iter().rev().find(|agent| self.is_under(span, **agent)).copied();
        let part = |agent: &Option<&str>| {
            let span = longest.get(agent)?;
            // What belongs to no agent belongs to the last answer.
            let belongs = |other: &&Span| owner(other).map_or(is_last(*agent), |owner| owner == *agent);
            Some(Part { turns: span.turns.clone(), spans: self.spans.iter().filter(belongs).collect() })
        };
        order.iter().filter_map(part).collect()
    }

    fn parent_of(&self, span: &Span) -> Option<&Span> {
        let parent = span.parent.as_ref()?;
        self.spans.iter().find(|other| other.id == *parent && other.id != span.id)
    }

    /// The nearest span above that is no call of a model.
    fn agent_of(&self, span: &Span) -> Option<&str> {
        let mut above = self.parent_of(span);
        for _ in 0..self.spans.len() {
            match above {
                Some(span) if span.kind == Kind::Model => above = self.parent_of(span),
                _ => break,
            }
        }
        above.map(|span| span.id.as_str())
    }

    fn is_under(&self, span: &Span, agent: Option<&str>) -> bool {
        let mut here = Some(span);
        for _ in 0..=self.spans.len() {
            match here {
                None => return agent.is_none(),
                Some(span) if Some(span.id.as_str()) == agent => return true,
                Some(span) => here = self.parent_of(span),
            }
        }
        false
    }

    fn row(
        &self,
        id: &str,
        session: Option<String>,
        asked: &Asked,
        spans: &[&Span],
        findings: &mut Findings,
    ) -> Map<String, Value> {
        let mut row = asked.fields();
        row.insert("id".to_owned(), id.into());
        row.insert("request_id".to_owned(), self.id.clone().into());
        for (name, value) in [("cluster", session), ("system", self.system.clone()), ("at", self.at.clone())]
        {
            if let Some(value) = value {
                row.insert(name.to_owned(), value.into());
            }
        }
        let mut metadata = self.metadata.clone();
        if let Some(model) = spans.iter().rev().find_map(|span| span.model.clone()) {
            metadata.insert("model".to_owned(), model.into());
        }
        if !metadata.is_empty() {
            row.insert("metadata".to_owned(), Value::Object(metadata));
        }
        route(&mut row, asked, spans, findings);
        retrieve(&mut row, asked, spans);
        row
    }
}

/// Input and output of a trace as one dialogue; an output that repeats the question is the whole.
fn ends(input: &Value, output: &Value) -> Vec<Turn> {
    let asked = messages(input, Speaker::User);
    let answered = messages(output, Speaker::Assistant);
    let question = asked.iter().rfind(|turn| turn.speaker == Speaker::User);
    let repeats =
        |turn: &Turn| turn.speaker == Speaker::User && Some(&turn.text) == question.map(|turn| &turn.text);
    if answered.iter().any(repeats) {
        return answered;
    }
    asked.into_iter().chain(answered).collect()
}

fn is_dialogue(turns: &[Turn]) -> bool {
    let asks = |turn: &Turn| turn.speaker == Speaker::User && !turn.text.trim().is_empty();
    turns.iter().any(asks) && turns.iter().any(|turn| turn.speaker == Speaker::Assistant)
}

/// The one text that a traced function was called with.
fn called_with(input: &Value) -> Option<String> {
    let input = crate::value::opened(input);
    let args = input.get("args").and_then(Value::as_array).map(Vec::as_slice);
    match args {
        Some([Value::String(text)]) => Some(text.clone()),
        _ => input.get("kwargs").and_then(Value::as_object).and_then(|kwargs| {
            text(kwargs, &["question", "query", "input", "user_input", "message", "prompt"])
        }),
    }
}

/// The calls of tools: as the messages tell them, or as the spans do, whichever tells more.
fn route(row: &mut Map<String, Value>, asked: &Asked, spans: &[&Span], findings: &mut Findings) {
    let recorded = tool_calls(spans, findings);
    let replied = |calls: &[ToolCall]| calls.iter().filter(|call| call.is_answered).count();
    let told = &asked.calls;
    let calls =
        if (recorded.len(), replied(&recorded)) > (told.len(), replied(told)) { &recorded } else { told };
    let agent = spans.iter().find_map(|span| span.agent.clone());
    let is_agent = spans.iter().any(|span| span.kind == Kind::Agent);
    if calls.is_empty() && agent.is_none() && !is_agent {
        return;
    }
    let calls: Vec<Value> = calls.iter().map(ToolCall::to_json).collect();
    let mut routing = json!({ "tool_calls": calls });
    if let (Some(agent), Value::Object(fields)) = (agent, &mut routing) {
        fields.insert("agent".to_owned(), agent.into());
    }
    row.insert("routing".to_owned(), routing);
}

fn tool_calls(spans: &[&Span], findings: &mut Findings) -> Vec<ToolCall> {
    let mut calls: Vec<ToolCall> = Vec::new();
    let some_are_named = spans.iter().any(|span| span.tool.is_some());
    for span in spans {
        let name = match &span.tool {
            Some(name) => name.clone(),
            None if span.kind != Kind::Tool => continue,
            None if some_are_named => {
                findings.tally.left_out("tool span", "it names no tool, and others of the trace do");
                continue;
            }
            None => span.name.clone(),
        };
        let error = span.error.clone().map(Value::String);
        let call = ToolCall {
            id: None,
            name,
            arguments: span.input.clone(),
            result: span.output.clone(),
            is_answered: !span.output.is_null() || error.is_some(),
            error,
        };
        // A span that is no tool tells of one only with what the tool returned, and may tell it again.
        if span.kind != Kind::Tool && (!call.is_answered || calls.contains(&call)) {
            continue;
        }
        calls.push(call);
    }
    calls
}

/// The passages: what the last reranker kept, or else what the retrievers found.
fn retrieve(row: &mut Map<String, Value>, asked: &Asked, spans: &[&Span]) {
    let of = |kind: Kind| spans.iter().filter(move |span| span.kind == kind);
    let chosen: Vec<&&Span> = match of(Kind::Reranker).next_back() {
        Some(reranker) => vec![reranker],
        None => of(Kind::Retriever).collect(),
    };
    if chosen.is_empty() {
        return;
    }
    let mut ids = HashSet::new();
    let mut passages = Vec::new();
    for passage in chosen.iter().flat_map(|span| &span.passages) {
        let mut passage = passage.clone();
        let place = format!("p{}", passages.len() + 1);
        let id = passage.get("id").and_then(Value::as_str).map_or(place.clone(), str::to_owned);
        let id = if ids.contains(&id) { format!("{id}-{place}") } else { id };
        ids.insert(id.clone());
        if let Value::Object(fields) = &mut passage {
            fields.insert("id".to_owned(), id.into());
        }
        passages.push(passage);
    }
    row.insert("passages".to_owned(), Value::Array(passages));
    let query = of(Kind::Retriever).next_back().and_then(|span| messages(&span.input, Speaker::User).pop());
    if let Some(query) = query.filter(|query| query.text != asked.question) {
        row.insert("refined_query".to_owned(), query.text.into());
    }
}
