//! What was computed for a case, by the names that the cases use.

use std::collections::{BTreeMap, BTreeSet};

use agreement::{Estimate, Flag, Undefined};
use serde_json::Value;

#[derive(Debug, Default)]
pub(crate) struct Found {
    values: BTreeMap<String, Value>,
    flags: BTreeSet<String>,
}

#[derive(Debug)]
pub(crate) enum Comparison {
    Equal,
    Different(String),
    Unknown,
}

impl Found {
    pub(crate) fn number(&mut self, name: impl Into<String>, value: impl Into<Option<f64>>) {
        self.values.insert(name.into(), value.into().map_or(Value::Null, Value::from));
    }

    pub(crate) fn count(&mut self, name: impl Into<String>, value: u64) {
        self.values.insert(name.into(), Value::from(value));
    }

    pub(crate) fn truth(&mut self, name: impl Into<String>, value: bool) {
        self.values.insert(name.into(), Value::from(value));
    }

    pub(crate) fn flags(&mut self, flags: &[Flag]) {
        self.flags.extend(flags.iter().map(snake));
    }

    /// That the figure has no value, and why.
    pub(crate) fn undefined(&mut self, reason: Undefined) {
        self.number("value", None);
        self.truth("undefined", true);
        self.values.insert("reason".to_owned(), Value::from(snake(&reason)));
    }

    /// The value of what a case is about, or why there is none.
    pub(crate) fn outcome(&mut self, name: &str, outcome: Result<f64, Undefined>) {
        self.number(name, outcome.ok());
        if let Err(reason) = outcome {
            self.undefined(reason);
        }
    }

    /// The value of an estimate, or why there is none; with its flags.
    pub(crate) fn estimate(&mut self, name: &str, estimate: &Estimate) {
        self.number(name, estimate.value());
        self.flags(estimate.flags());
        if let Some(reason) = estimate.undefined() {
            self.undefined(reason);
        }
    }

    /// The bounds of an interval, if any.
    pub(crate) fn bounds(&mut self, prefix: &str, bounds: Option<(f64, f64)>) {
        if let Some((low, high)) = bounds {
            self.number(format!("{prefix}_lower"), low);
            self.number(format!("{prefix}_upper"), high);
        }
    }

    pub(crate) fn compare(&self, path: &str, expected: &Value, tolerance: f64) -> Comparison {
        if path == "flag" || path.starts_with("flags.") {
            let flag = expected.as_str().unwrap_or_default();
            return if self.flags.contains(flag) {
                Comparison::Equal
            } else {
                Comparison::Different(format!("{:?}", self.flags))
            };
        }
        let Some(found) = self.values.get(path) else {
            // Of an undefined figure nothing else has a value either.
            let nothing = expected.is_null() && self.values.contains_key("undefined");
            return if nothing { Comparison::Equal } else { Comparison::Unknown };
        };
        if path == "reason" {
            return same_reason(expected, found);
        }
        let equal = match (expected, found) {
            (Value::Number(expected), Value::Number(found)) => {
                let (expected, found) =
                    (expected.as_f64().unwrap_or(f64::NAN), found.as_f64().unwrap_or(f64::NAN));
                (expected - found).abs() <= tolerance
            }
            (expected, found) => expected == found,
        };
        if equal { Comparison::Equal } else { Comparison::Different(found.to_string()) }
    }
}

/// A reason is written as a code, which may be followed by an explanation.
fn same_reason(expected: &Value, found: &Value) -> Comparison {
    let expected = expected.as_str().unwrap_or_default();
    let code: String =
        expected.chars().take_while(|letter| letter.is_ascii_alphanumeric() || *letter == '_').collect();
    let code = match code.as_str() {
        "tnr_undefined" => "no_negatives",
        "tpr_undefined" => "no_positives",
        code => code,
    };
    let known = serde_json::from_value::<Undefined>(Value::from(code)).is_ok();
    if found.as_str() == Some(code) {
        Comparison::Equal
    } else if known {
        Comparison::Different(found.to_string())
    } else {
        Comparison::Unknown
    }
}

fn snake(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
