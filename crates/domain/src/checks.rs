mod report;

pub use report::{
    CaseOutcome, CaseRule, CaseScores, CaseTotals, CheckAnswer, CheckReport, ExpiredCase, UnstableCase,
};

use crate::{Conversation, Expected, ExpectedTool, Routing, visible};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{borrow::Cow, cmp::Ordering};

/// What the trace of a golden case was checked for, without a judge. `None`: not checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checks {
    /// The answer has a text that is more than white space.
    pub answer_present: Option<bool>,
    /// Every expected tool was called; where none is expected, none was.
    pub tool_choice: Option<bool>,
    /// Every expected call is met by an actual one with equal arguments, and several may be met by the same.
    pub tool_argument: Option<bool>,
    /// Every expected document is among the passages.
    pub source: Option<bool>,
}

impl Checks {
    /// Each check by the name that reports give it.
    #[must_use]
    pub fn named(&self) -> [(&'static str, Option<bool>); 4] {
        [
            ("answer_present", self.answer_present),
            ("tool_choice", self.tool_choice),
            ("tool_argument", self.tool_argument),
            ("source", self.source),
        ]
    }
}

/// The checks of one golden case, and in a sentence each what did not hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// The checks.
    pub checks: Checks,
    /// What did not hold, or could not be checked though it is expected; empty where the trace is as expected.
    pub reasons: Vec<String>,
}

impl Checked {
    /// Checks a trace against its golden expectations. `None` where it has none: no golden case.
    #[must_use]
    pub fn of(conversation: &Conversation) -> Option<Checked> {
        let expected = conversation.expected.as_ref()?;
        let mut checked = Checked::default();
        checked.check_answer(conversation);
        if let Some(tools) = expected.expected_tools() {
            checked.check_tools(&tools, conversation.routing.as_ref());
        }
        checked.check_sources(&expected.expected_sources(), conversation);
        Some(checked)
    }

    fn check_answer(&mut self, conversation: &Conversation) {
        let present = conversation.answer.as_ref().is_some_and(|answer| !answer.text.trim().is_empty());
        self.checks.answer_present = Some(present);
        if !present {
            self.reasons.push("there is no answer".to_owned());
        }
    }

    fn check_tools(&mut self, expected: &[ExpectedTool], routing: Option<&Routing>) {
        let Some(routing) = routing else {
            self.reasons
                .push("the trace has no routing record, so its tool calls cannot be checked".to_owned());
            return;
        };
        let called = |name: &str| routing.tool_calls.iter().any(|call| call.name == name);
        if expected.is_empty() {
            self.checks.tool_choice = Some(routing.tool_calls.is_empty());
            for call in &routing.tool_calls {
                self.reasons.push(format!("{} was called, and no tool was expected", visible(&call.name)));
            }
            return;
        }
        self.checks.tool_choice = Some(expected.iter().all(|tool| called(&tool.name)));
        self.checks.tool_argument = Some(expected.iter().all(|tool| is_met(tool, routing)));
        for tool in expected.iter().filter(|tool| !is_met(tool, routing)) {
            self.reasons.push(unmet(tool, routing));
        }
    }

    fn check_sources(&mut self, expected: &[&str], conversation: &Conversation) {
        if expected.is_empty() {
            return;
        }
        let retrieved = |source: &str| {
            conversation.passages().iter().any(|passage| passage.document.as_deref() == Some(source))
        };
        self.checks.source = Some(expected.iter().all(|source| retrieved(source)));
        for source in expected.iter().filter(|source| !retrieved(source)) {
            self.reasons.push(format!("{} is not among the passages", visible(source)));
        }
    }
}

/// Whether some actual call is the expected one.
fn is_met(expected: &ExpectedTool, routing: &Routing) -> bool {
    routing.tool_calls.iter().any(|call| {
        call.name == expected.name
            && expected.arguments.as_ref().is_none_or(|arguments| same_json(arguments, &call.arguments))
    })
}

/// What was called in place of an expected call.
fn unmet(expected: &ExpectedTool, routing: &Routing) -> String {
    let name = visible(&expected.name);
    let mut others = routing.tool_calls.iter().filter(|call| call.name == expected.name);
    match (&expected.arguments, others.next()) {
        (Some(arguments), Some(call)) => {
            let more = match others.count() {
                0 => String::new(),
                count => format!(" and {count} more"),
            };
            format!("{name} was expected with {arguments}, and called with {}{more}", call.arguments)
        }
        _ => format!("{name} was expected, and not called"),
    }
}

/// Whether two JSON values are equal: objects without order, arrays in order, numbers by value (1 is 1.0; `true` is not 1).
fn same_json(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (a.as_f64(), b.as_f64()) {
            // Numbers that a double would round are refused at import.
            (Some(a), Some(b)) => a.partial_cmp(&b) == Some(Ordering::Equal),
            _ => a == b,
        },
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_json(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same_json(a, b)))
        }
        _ => a == b,
    }
}

impl Expected {
    /// The calls that must be met, with the short form spelt out; empty: no tool may be called; `None`: not checked.
    #[must_use]
    pub fn expected_tools(&self) -> Option<Cow<'_, [ExpectedTool]>> {
        match (&self.tools, &self.tool) {
            (Some(tools), _) => Some(Cow::Borrowed(tools)),
            (None, Some(None)) => Some(Cow::Borrowed(&[])),
            (None, Some(Some(name))) => Some(Cow::Owned(vec![ExpectedTool {
                name: name.clone(),
                arguments: self.tool_arguments.clone(),
            }])),
            (None, None) => None,
        }
    }

    /// The documents that must all be among the passages, with the short form; empty: not checked.
    #[must_use]
    pub fn expected_sources(&self) -> Vec<&str> {
        match (&self.sources, &self.source) {
            (Some(sources), _) => sources.iter().map(String::as_str).collect(),
            (None, source) => source.iter().map(String::as_str).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
