//! Files of other tools as conversations, labels and verdicts of the interchange formats.
//!
//! Each format stands in one file. A reader gives rows as `conversations.jsonl`, `labels.jsonl` and `verdicts.jsonl` hold them, each with
//! its place in the file, and a [`Report`] of what each field became and what was left out. Nothing here does I/O.
#![deny(missing_docs)]

mod deepeval;
mod dialogue;
mod input;
mod inspect;
mod inspectorraget;
mod label_studio;
mod langfuse;
mod langsmith;
mod messages;
mod otel;
mod promptfoo;
mod python;
mod ragas;
mod report;
mod table;
mod trace;
mod value;

pub use input::LARGEST_FILE;
pub use report::Report;
pub use table::MAPPED_FIELDS;

use domain::Fault;
use input::Input;
use report::Tally;
use serde_json::{Map, Value};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fmt,
    str::FromStr,
};

/// What wrote a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Langfuse: traces with observations and scores.
    Langfuse,
    /// OpenTelemetry spans, by the OpenInference or the GenAI conventions.
    OpenTelemetry,
    /// LangSmith runs.
    LangSmith,
    /// Ragas: data sets, results and annotated metrics.
    Ragas,
    /// promptfoo results.
    Promptfoo,
    /// Inspect logs, as JSON.
    Inspect,
    /// DeepEval test runs.
    DeepEval,
    /// Label Studio exports.
    LabelStudio,
    /// InspectorRAGet files.
    InspectorRaget,
    /// A CSV whose columns are mapped.
    Csv,
}

impl Format {
    /// All of them, as the command line lists them.
    pub const ALL: [Format; 10] = [
        Format::Langfuse,
        Format::OpenTelemetry,
        Format::LangSmith,
        Format::Ragas,
        Format::Promptfoo,
        Format::Inspect,
        Format::DeepEval,
        Format::LabelStudio,
        Format::InspectorRaget,
        Format::Csv,
    ];

    /// Its name on the command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Format::Langfuse => "langfuse",
            Format::OpenTelemetry => "otel",
            Format::LangSmith => "langsmith",
            Format::Ragas => "ragas",
            Format::Promptfoo => "promptfoo",
            Format::Inspect => "inspect",
            Format::DeepEval => "deepeval",
            Format::LabelStudio => "label-studio",
            Format::InspectorRaget => "inspectorraget",
            Format::Csv => "csv",
        }
    }

    fn wrote(self, input: &Input) -> bool {
        match self {
            Format::Langfuse => langfuse::wrote(input),
            Format::OpenTelemetry => otel::wrote(input),
            Format::LangSmith => langsmith::wrote(input),
            Format::Ragas => ragas::wrote(input),
            Format::Promptfoo => promptfoo::wrote(input),
            Format::Inspect => inspect::wrote(input),
            Format::DeepEval => deepeval::wrote(input),
            Format::LabelStudio => label_studio::wrote(input),
            Format::InspectorRaget => inspectorraget::wrote(input),
            // Only a mapping makes a table ours, and that is said by name.
            Format::Csv => false,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(word: &str) -> Result<Format, String> {
        let known = Format::ALL.map(Format::word).join(", ");
        let found = Format::ALL.into_iter().find(|format| format.word() == word);
        found.ok_or_else(|| format!("`{word}` is none of the formats that are read: {known}"))
    }
}

/// What becomes of a record of many turns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Turns {
    /// One conversation for each answered question.
    #[default]
    Each,
    /// One conversation, whose question is the last.
    Whole,
}

impl FromStr for Turns {
    type Err = String;

    fn from_str(word: &str) -> Result<Turns, String> {
        match word {
            "each" => Ok(Turns::Each),
            "whole" => Ok(Turns::Whole),
            _ => Err(format!("`{word}` is neither `each` nor `whole`")),
        }
    }
}

/// How a file is to be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// What wrote it; found out where absent.
    pub format: Option<Format>,
    /// What becomes of records of many turns.
    pub turns: Turns,
    /// For a field of ours the column, or the field of a task's data, that it stands in.
    pub columns: BTreeMap<String, String>,
}

/// Where a record stands in its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Its line, from 1; 0 where a record has none of its own.
    pub line: u64,
    /// Its number or id; empty where the line says it.
    pub record: String,
}

impl Place {
    pub(crate) fn line(line: u64) -> Place {
        Place { line, record: String::new() }
    }

    pub(crate) fn record(number: usize) -> Place {
        Place { line: 0, record: format!("record {number}") }
    }

    pub(crate) fn within(&self, what: &str) -> Place {
        let record =
            if self.record.is_empty() { what.to_owned() } else { format!("{}, {what}", self.record) };
        Place { line: self.line, record }
    }

    /// A fault of the record here.
    #[must_use]
    pub fn fault(&self, file: &str, fault: Fault) -> Fault {
        let parts = [self.record.as_str(), fault.field.as_str()];
        let field = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ");
        Fault { field, ..fault }.at(file, self.line)
    }
}

/// One row of an interchange format.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Where it comes from.
    pub place: Place,
    /// Its fields, or why the record gives none.
    pub fields: Result<Map<String, Value>, Fault>,
}

/// What a file holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exchange {
    /// Rows of `conversations.jsonl`.
    pub conversations: Vec<Row>,
    /// Rows of `labels.jsonl`.
    pub labels: Vec<Row>,
    /// Rows of `verdicts.jsonl`.
    pub verdicts: Vec<Row>,
    /// What was understood.
    pub report: Report,
}

/// Whether the beginning of a file is ours: a table with our columns, or lines of our fields. Only what is not ours is read here.
#[must_use]
pub fn is_ours(name: &str, beginning: &[u8]) -> bool {
    let beginning = beginning.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(beginning);
    let text = String::from_utf8_lossy(beginning);
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    if name.to_ascii_lowercase().ends_with(".csv") {
        let header: Vec<&str> = line.split(',').map(|column| column.trim().trim_matches('"')).collect();
        return table::is_ours(&|column| header.contains(&column));
    }
    match serde_json::from_str::<Value>(line) {
        Ok(Value::Object(fields)) => table::is_ours(&|field| fields.contains_key(field)),
        Ok(_) => false,
        // A line of ours that is broken; a document over several lines begins with a brace alone.
        Err(_) => line.starts_with('{') && line != "{",
    }
}

/// Reads a file. A file of which the format is not named is recognised.
///
/// # Errors
/// A [`Fault`] for what cannot be parsed, what no format or several formats claim, and what its format does not hold together.
pub fn read(name: &str, bytes: &[u8], choice: &Choice) -> Result<Exchange, Fault> {
    let input = Input::parse(name, bytes)?;
    let format = match choice.format {
        Some(format) => format,
        None => recognise(name, &input)?,
    };
    let mut findings =
        Findings { turns: choice.turns, columns: choice.columns.clone(), ..Findings::default() };
    match format {
        Format::Langfuse => langfuse::read(input, &mut findings),
        Format::OpenTelemetry => otel::read(input, &mut findings),
        Format::LangSmith => langsmith::read(input, &mut findings),
        Format::Ragas => ragas::read(input, &mut findings),
        Format::Promptfoo => promptfoo::read(input, &mut findings),
        Format::Inspect => inspect::read(input, &mut findings),
        Format::DeepEval => deepeval::read(input, &mut findings),
        Format::LabelStudio => label_studio::read(input, &mut findings),
        Format::InspectorRaget => inspectorraget::read(input, &mut findings),
        Format::Csv => table::read(input, &mut findings),
    }
    .map_err(|fault| fault.at(name, 0))?;
    Ok(findings.finish(format))
}

fn recognise(name: &str, input: &Input) -> Result<Format, Fault> {
    let candidates: Vec<Format> = Format::ALL.into_iter().filter(|format| format.wrote(input)).collect();
    let known = Format::ALL.map(Format::word).join(", ");
    match candidates.as_slice() {
        [format] => Ok(*format),
        [] => {
            let found = match input {
                Input::Table(table) => format!("the columns {}", table.header.join(", ")),
                other => {
                    let names = other.first().map(value::fields).into_iter().flat_map(|fields| fields.keys());
                    format!("the fields {}", names.take(12).cloned().collect::<Vec<_>>().join(", "))
                }
            };
            let expected = format!(
                "a question and its answer, as files of Touchstone and of {known} hold them; where a table holds both, say in which \
                 columns: --from csv --column question=COLUMN --column answer=COLUMN"
            );
            Err(Fault::new("", found, expected).at(name, 0))
        }
        several => {
            let words = several.iter().map(|format| format.word()).collect::<Vec<_>>().join(" or ");
            Err(Fault::new("", format!("a file that could be of {words}"), "its format, named with --from")
                .at(name, 0))
        }
    }
}

/// What has been found so far.
#[derive(Debug, Default)]
struct Findings {
    turns: Turns,
    columns: BTreeMap<String, String>,
    tally: Tally,
    records: u64,
    conversations: Vec<Row>,
    labels: Vec<Row>,
    verdicts: Vec<Row>,
    seen: HashSet<String>,
    said: HashMap<String, u64>,
}

impl Findings {
    fn conversation(&mut self, place: Place, fields: Map<String, Value>) {
        self.conversations.push(Row { place, fields: Ok(fields) });
    }

    /// A second label of one person on one item is another pass, unless it says itself which one it is.
    fn label(&mut self, place: Place, mut fields: Map<String, Value>) {
        let before = self.said_before(["annotator", "conversation", "unit", "criterion"], &fields);
        if before > 0 && !fields.contains_key("pass") {
            fields.insert("pass".to_owned(), before.into());
        }
        self.labels.push(Row { place, fields: Ok(fields) });
    }

    /// A second verdict of one judge on one item is a repeat.
    fn verdict(&mut self, place: Place, mut fields: Map<String, Value>) {
        let before = self.said_before(["judge", "conversation", "unit", "criterion"], &fields);
        if before > 0 {
            fields.insert("repeat".to_owned(), before.into());
        }
        self.verdicts.push(Row { place, fields: Ok(fields) });
    }

    fn said_before(&mut self, names: [&str; 4], fields: &Map<String, Value>) -> u64 {
        let key = names.map(|name| fields.get(name).map(Value::to_string));
        let count = self.said.entry(format!("{names:?} {key:?}")).or_default();
        *count += 1;
        *count - 1
    }

    /// Nothing at all in the file is a fault: it says what would have been something.
    fn must_hold(&self, expected: &str) -> Result<(), Fault> {
        if !self.conversations.is_empty() || !self.labels.is_empty() || !self.verdicts.is_empty() {
            return Ok(());
        }
        let found = format!("{} records without a question that can be read", self.records);
        Err(Fault::new("", found, format!("{expected}, to be a conversation")))
    }

    /// A record that lacks what makes a conversation.
    fn refuse(&mut self, place: Place, fault: Fault) {
        self.conversations.push(Row { place, fields: Err(fault) });
    }

    /// Whether an earlier record told of one of these answers, by the provider's ids of them.
    fn recorded_before(&mut self, answers: &[String]) -> bool {
        let keys: Vec<String> = answers.iter().map(|id| format!("answer {id}")).collect();
        self.seen_before(keys)
    }

    /// Whether an earlier record of the same session told this question and answer: some systems record with each trace all that went
    /// before.
    fn is_repeated(&mut self, row: &Map<String, Value>) -> bool {
        let parts =
            ["cluster", "messages", "question", "answer"].map(|name| row.get(name).map(Value::to_string));
        row.contains_key("cluster") && self.seen_before(vec![format!("{parts:?}")])
    }

    fn seen_before(&mut self, keys: Vec<String>) -> bool {
        let is_seen = keys.iter().any(|key| self.seen.contains(key));
        self.seen.extend(keys);
        is_seen
    }

    fn finish(self, format: Format) -> Exchange {
        let (read, left_out) = self.tally.finish();
        let good = |rows: &[Row]| rows.iter().filter(|row| row.fields.is_ok()).count() as u64;
        let is_unanswered =
            |row: &&Row| row.fields.as_ref().is_ok_and(|fields| !fields.contains_key("answer"));
        let report = Report {
            format: format.word().to_owned(),
            records: self.records,
            conversations: good(&self.conversations),
            unanswered: self.conversations.iter().filter(is_unanswered).count() as u64,
            verdicts: good(&self.verdicts),
            labels: good(&self.labels),
            read,
            left_out,
        };
        Exchange { conversations: self.conversations, labels: self.labels, verdicts: self.verdicts, report }
    }
}

/// A row from names and values; what is absent stays absent.
fn row<const N: usize>(fields: [(&str, Option<Value>); N]) -> Map<String, Value> {
    let held = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    held.filter(|(_, value)| !value.is_null()).collect()
}
