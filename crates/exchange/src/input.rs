//! A file as JSON or as a table, with the place of every record.

use crate::Place;
use domain::Fault;
use serde_json::{Map, Value};

/// Largest file that is taken: its JSON must stand in memory whole.
pub const LARGEST_FILE: usize = 256 * 1024 * 1024;

/// A file that has been parsed.
#[derive(Debug)]
pub(crate) enum Input {
    /// One JSON document.
    Document(Value),
    /// One JSON value a line.
    Lines(Vec<(u64, Value)>),
    /// A CSV with a header row.
    Table(Table),
}

/// A CSV.
#[derive(Debug)]
pub(crate) struct Table {
    /// Its columns.
    pub(crate) header: Vec<String>,
    /// Its rows: the line on which each begins, and its cells that are not empty.
    pub(crate) rows: Vec<(u64, Map<String, Value>)>,
}

impl Input {
    /// Parses a file.
    ///
    /// # Errors
    /// A [`Fault`] with the place for what is empty, too large, no UTF-8, cut off or no JSON.
    pub(crate) fn parse(name: &str, bytes: &[u8]) -> Result<Input, Fault> {
        let whole = |found: String, expected: &str| Fault::new("", found, expected).at(name, 0);
        if bytes.len() > LARGEST_FILE {
            let expected = format!("at most {LARGEST_FILE} bytes: export it in parts");
            return Err(whole(format!("{} bytes", bytes.len()), &expected));
        }
        if bytes.starts_with(b"PK\x03\x04") {
            let expected = "text: a zip archive must be unpacked, and an Inspect log written as JSON (`inspect log dump FILE`)";
            return Err(whole("a zip archive".to_owned(), expected));
        }
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let line = 1 + bytes.iter().take(error.valid_up_to()).filter(|byte| **byte == b'\n').count();
            Fault::new("", "bytes that are no text", "UTF-8").at(name, line as u64)
        })?;
        if text.trim().is_empty() {
            return Err(whole("an empty file".to_owned(), "at least one record"));
        }
        if name.to_ascii_lowercase().ends_with(".csv") { table(name, text) } else { json(name, text) }
    }

    /// The records: the elements of an array, the lines, the rows, or the document itself.
    pub(crate) fn records(self) -> Vec<(Place, Value)> {
        let numbered = |(index, value)| (Place::record(index + 1), value);
        match self {
            Input::Document(Value::Array(values)) => values.into_iter().enumerate().map(numbered).collect(),
            Input::Document(value) => vec![(Place::record(1), value)],
            Input::Lines(lines) => {
                lines.into_iter().map(|(line, value)| (Place::line(line), value)).collect()
            }
            Input::Table(table) => {
                table.rows.into_iter().map(|(line, row)| (Place::line(line), Value::Object(row))).collect()
            }
        }
    }

    /// The first record, by which the format is known.
    pub(crate) fn first(&self) -> Option<&Value> {
        match self {
            Input::Document(Value::Array(values)) => values.first(),
            Input::Document(value) => Some(value),
            Input::Lines(lines) => lines.first().map(|(_, value)| value),
            Input::Table(_) => None,
        }
    }
}

/// One document, or else one value a line.
fn json(name: &str, text: &str) -> Result<Input, Fault> {
    let document = match serde_json::from_str(text) {
        Ok(value) => return Ok(Input::Document(value)),
        Err(error) => error,
    };
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match serde_json::from_str(line) {
            Ok(value) => lines.push((index as u64 + 1, value)),
            // A document over several lines: its own error says where it is broken.
            Err(_) if lines.is_empty() => return Err(fault(name, text, &document, 0)),
            Err(error) => return Err(fault(name, line, &error, index)),
        }
    }
    Ok(Input::Lines(lines))
}

fn fault(name: &str, text: &str, error: &serde_json::Error, lines_before: usize) -> Fault {
    let says = error.to_string();
    let says = says.split(" at line ").next().unwrap_or_default();
    let line = text.lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
    let (found, expected) = if error.is_eof() {
        ("the end of the file".to_owned(), format!("the rest of the JSON: the file was cut off ({says})"))
    } else {
        let found = line.chars().skip(error.column().saturating_sub(21)).take(40).collect();
        (found, format!("valid JSON ({says})"))
    };
    let field = format!("column {}", error.column());
    Fault::new(field, found, expected).at(name, (error.line() + lines_before) as u64)
}

fn table(name: &str, text: &str) -> Result<Input, Fault> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
    let broken = |line, error: &csv::Error| {
        Fault::new("", error.to_string(), "a row of an RFC 4180 table").at(name, line)
    };
    let header: Vec<String> = reader
        .headers()
        .map_err(|error| broken(1, &error))?
        .iter()
        .map(|name| name.trim().to_owned())
        .collect();
    for (index, column) in header.iter().enumerate() {
        if !column.is_empty() && header.iter().skip(index + 1).any(|other| other == column) {
            return Err(Fault::new("header", column, "a name of its own for each column").at(name, 1));
        }
    }
    let mut rows = Vec::new();
    for record in reader.records() {
        let record =
            record.map_err(|error| broken(error.position().map_or(0, csv::Position::line), &error))?;
        let line = record.position().map_or(0, csv::Position::line);
        if record.len() > header.len() {
            let expected = format!("{} cells, as the header has", header.len());
            return Err(Fault::new("", format!("{} cells", record.len()), expected).at(name, line));
        }
        let cells = header.iter().zip(&record).filter(|(_, cell)| !cell.is_empty());
        rows.push((line, cells.map(|(name, cell)| (name.clone(), Value::String(cell.to_owned()))).collect()));
    }
    Ok(Input::Table(Table { header, rows }))
}
