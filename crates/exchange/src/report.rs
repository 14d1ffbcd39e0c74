//! What was understood of a file, and what was left out.

use domain::FieldUse;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What was understood of a file: for each field what it became, and each field that was left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The format, by its name on the command line.
    pub format: String,
    /// Records that the file holds: traces, rows, tasks, samples, in the words of its tool.
    pub records: u64,
    /// Conversations found.
    pub conversations: u64,
    /// Conversations among them that nobody answered.
    pub unanswered: u64,
    /// Verdicts found.
    pub verdicts: u64,
    /// Labels found.
    pub labels: u64,
    /// For each field that was read: what it became, and in how many records.
    pub read: Vec<FieldUse>,
    /// For each thing that was left out: why, and how often.
    pub left_out: Vec<FieldUse>,
}

/// Counts while a file is read.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    read: BTreeMap<(String, String), u64>,
    left_out: BTreeMap<(String, String), u64>,
}

/// Why a field that no format table names is left out.
const NO_PLACE: &str = "a conversation has no place for it";

impl Tally {
    /// A field that was read.
    pub(crate) fn read(&mut self, field: &str, what: &str) {
        *self.read.entry((field.to_owned(), what.to_owned())).or_default() += 1;
    }

    /// Something that was left out.
    pub(crate) fn left_out(&mut self, field: &str, why: &str) {
        *self.left_out.entry((field.to_owned(), why.to_owned())).or_default() += 1;
    }

    /// The fields of a record: those that the table names are read, all others that hold something are left out.
    pub(crate) fn record(&mut self, of: &str, fields: &Map<String, Value>, table: &[(&str, &str)]) {
        for (name, value) in fields {
            if is_empty(value) {
                continue;
            }
            let field = if of.is_empty() { name.clone() } else { format!("{of}.{name}") };
            match table.iter().find(|(known, _)| known == name) {
                Some((_, what)) => self.read(&field, what),
                None => self.left_out(&field, NO_PLACE),
            }
        }
    }

    /// The counts, in the order of the fields.
    pub(crate) fn finish(self) -> (Vec<FieldUse>, Vec<FieldUse>) {
        let list = |counts: BTreeMap<(String, String), u64>| {
            counts.into_iter().map(|((field, what), count)| FieldUse { field, what, count }).collect()
        };
        (list(self.read), list(self.left_out))
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}
