//! A dialogue as conversations: one for each answered question, or one whole.

use crate::{
    Turns,
    messages::{Call, Reply, Speaker, Turn},
    value::shown,
};
use serde_json::{Map, Value, json};

/// A question with what led to it and what came of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Asked {
    /// The turns before the question, as role and text.
    pub(crate) history: Vec<(&'static str, String)>,
    /// What was asked.
    pub(crate) question: String,
    /// What was answered, where anything was.
    pub(crate) answer: Option<String>,
    /// The tools that were called for it.
    pub(crate) calls: Vec<ToolCall>,
}

/// A call of a tool with its reply.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ToolCall {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) arguments: Value,
    pub(crate) result: Value,
    pub(crate) error: Option<Value>,
    /// Whether a reply has come.
    pub(crate) is_answered: bool,
}

impl ToolCall {
    /// As `routing.tool_calls` holds it.
    pub(crate) fn to_json(&self) -> Value {
        let mut call = json!({ "name": self.name, "arguments": self.arguments, "result": self.result });
        if let (Some(error), Value::Object(fields)) = (&self.error, &mut call) {
            fields.insert("error".to_owned(), error.clone());
        }
        call
    }
}

impl Asked {
    /// Whether anything came of the question.
    pub(crate) fn is_answered(&self) -> bool {
        self.answer.is_some() || !self.calls.is_empty()
    }

    /// What makes it the same exchange as another.
    pub(crate) fn key(&self) -> (String, String, Option<String>) {
        (format!("{:?}", self.history), self.question.clone(), self.answer.clone())
    }

    /// The fields of a conversation that a dialogue gives.
    pub(crate) fn fields(&self) -> Map<String, Value> {
        let mut fields = Map::new();
        if !self.history.is_empty() {
            let messages = self.history.iter().map(|(role, text)| json!({ "role": role, "content": text }));
            fields.insert("messages".to_owned(), messages.collect());
        }
        fields.insert("question".to_owned(), self.question.clone().into());
        if let Some(answer) = &self.answer {
            fields.insert("answer".to_owned(), json!({ "text": answer }));
        }
        if !self.calls.is_empty() {
            let calls: Vec<Value> = self.calls.iter().map(ToolCall::to_json).collect();
            fields.insert("routing".to_owned(), json!({ "tool_calls": calls }));
        }
        fields
    }
}

/// The questions of a dialogue, as chosen: each that was answered (and the last, answered or not), or the whole under its last.
pub(crate) fn asked(turns: &[Turn], choice: Turns) -> Vec<Asked> {
    let mut each = each(turns);
    match choice {
        Turns::Each => {
            let last = each.len().saturating_sub(1);
            let mut index = 0;
            each.retain(|asked| {
                index += 1;
                asked.is_answered() || index - 1 == last
            });
            each
        }
        Turns::Whole => {
            let calls: Vec<ToolCall> = each.iter().flat_map(|asked| asked.calls.clone()).collect();
            each.pop().map(|last| Asked { calls, ..last }).into_iter().collect()
        }
    }
}

fn each(turns: &[Turn]) -> Vec<Asked> {
    let mut done: Vec<Asked> = Vec::new();
    let mut history: Vec<(&'static str, String)> = Vec::new();
    let mut open: Option<Asked> = None;
    for turn in turns {
        if turn.speaker == Speaker::User && !turn.text.trim().is_empty() {
            if let Some(asked) = open.take() {
                close(asked, &mut history, &mut done);
            }
            open = Some(Asked { history: history.clone(), question: turn.text.clone(), ..Asked::default() });
            continue;
        }
        match (&mut open, turn.speaker) {
            (Some(asked), _) => take(asked, turn),
            (None, Speaker::System | Speaker::Assistant) if !turn.text.trim().is_empty() => {
                history.push((turn.speaker.word(), turn.text.clone()));
            }
            (None, _) => {}
        }
    }
    if let Some(asked) = open {
        close(asked, &mut history, &mut done);
    }
    done
}

fn close(asked: Asked, history: &mut Vec<(&'static str, String)>, done: &mut Vec<Asked>) {
    history.push(("user", asked.question.clone()));
    if let Some(answer) = &asked.answer {
        history.push(("assistant", answer.clone()));
    }
    done.push(asked);
}

fn take(asked: &mut Asked, turn: &Turn) {
    if turn.speaker == Speaker::Assistant && !turn.text.trim().is_empty() {
        let answer = asked.answer.get_or_insert_default();
        if !answer.is_empty() {
            answer.push_str("\n\n");
        }
        answer.push_str(&turn.text);
    }
    for Call { id, name, arguments } in turn.calls.iter().cloned() {
        let call = ToolCall { id, name, arguments, result: Value::Null, error: None, is_answered: false };
        asked.calls.push(call);
    }
    for reply in &turn.replies {
        answer_call(&mut asked.calls, reply);
    }
}

fn answer_call(calls: &mut [ToolCall], reply: &Reply) {
    let by_id = calls.iter().position(|call| reply.call.is_some() && call.id == reply.call);
    let in_turn = || {
        calls
            .iter()
            .position(|call| !call.is_answered && reply.name.as_ref().is_none_or(|name| *name == call.name))
    };
    let Some(call) = by_id.or_else(in_turn).and_then(|index| calls.get_mut(index)) else { return };
    call.is_answered = true;
    if reply.is_error {
        call.error = Some(Value::String(shown(&reply.value)));
    } else {
        call.result = reply.value.clone();
    }
}
