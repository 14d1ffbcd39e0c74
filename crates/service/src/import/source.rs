//! A file as rows, whatever its form: JSON Lines or CSV, each row with its line number.

use super::unique::Unique;
use domain::Fault;
use serde_json::{Map, Value};
use std::io::{BufRead, Read};

/// Longest line or record, in bytes. A conversation that is longer is no conversation that people read.
pub const LONGEST_ROW: usize = 4 * 1024 * 1024;

/// The two forms of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One JSON object a line.
    JsonLines,
    /// RFC 4180 with a header row.
    Csv,
}

impl Form {
    /// By the ending of the name: `.csv` is CSV, all else JSON Lines.
    #[must_use]
    pub fn of(name: &str) -> Form {
        if name.to_ascii_lowercase().ends_with(".csv") { Form::Csv } else { Form::JsonLines }
    }
}

/// One row: its line, and its fields or why they cannot be read.
#[derive(Debug)]
pub(super) struct Row {
    /// Line on which it begins, from 1.
    pub(super) line: u64,
    /// Bytes of the file up to the end of the row.
    pub(super) read: u64,
    /// The fields. In a CSV every value is text, and an empty cell is absent.
    pub(super) fields: Result<Map<String, Value>, Fault>,
}

/// The rows of a file, read one at a time: memory does not grow with the file.
pub(super) enum Rows<R: BufRead> {
    /// Of JSON Lines.
    JsonLines(JsonLines<R>),
    /// Of a CSV.
    Csv(CsvRows<R>),
}

impl<R: BufRead> Rows<R> {
    /// Begins to read.
    ///
    /// # Errors
    /// A [`Fault`] of the header of a CSV.
    pub(super) fn new(mut reader: R, form: Form) -> Result<Rows<R>, Fault> {
        skip_byte_order_mark(&mut reader);
        match form {
            Form::JsonLines => {
                Ok(Rows::JsonLines(JsonLines { reader, line: 0, read: 0, buffer: Vec::new() }))
            }
            Form::Csv => CsvRows::new(reader).map(Rows::Csv),
        }
    }
}

impl<R: BufRead> Iterator for Rows<R> {
    type Item = std::io::Result<Row>;

    fn next(&mut self) -> Option<std::io::Result<Row>> {
        match self {
            Rows::JsonLines(rows) => rows.next(),
            Rows::Csv(rows) => rows.next(),
        }
    }
}

fn skip_byte_order_mark(reader: &mut impl BufRead) {
    if reader.fill_buf().is_ok_and(|start| start.starts_with(b"\xEF\xBB\xBF")) {
        reader.consume(3);
    }
}

/// Rows of JSON Lines.
pub(super) struct JsonLines<R> {
    reader: R,
    line: u64,
    read: u64,
    buffer: Vec<u8>,
}

impl<R: BufRead> JsonLines<R> {
    fn next(&mut self) -> Option<std::io::Result<Row>> {
        loop {
            let length = match read_line(&mut self.reader, &mut self.buffer) {
                Ok(0) => return None,
                Ok(length) => length,
                Err(error) => return Some(Err(error)),
            };
            self.line += 1;
            self.read += length;
            if length as usize > LONGEST_ROW {
                let found = format!("a line of {length} bytes");
                let fault = Fault::new("", found, format!("at most {LONGEST_ROW} bytes in a line"));
                return Some(Ok(Row { line: self.line, read: self.read, fields: Err(fault) }));
            }
            if self.buffer.trim_ascii().is_empty() {
                continue;
            }
            return Some(Ok(Row { line: self.line, read: self.read, fields: parse_object(&self.buffer) }));
        }
    }
}

/// Reads one line without its end, keeping at most [`LONGEST_ROW`] bytes. Gives the bytes consumed.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<u64> {
    line.clear();
    let mut consumed = 0;
    loop {
        let available = reader.fill_buf()?;
        if available.is_empty() {
            return Ok(consumed);
        }
        let (taken, ended) = match available.iter().position(|byte| *byte == b'\n') {
            Some(end) => (end + 1, true),
            None => (available.len(), false),
        };
        let keep = taken.min(LONGEST_ROW.saturating_sub(line.len()));
        line.extend_from_slice(&available[..keep]);
        reader.consume(taken);
        consumed += taken as u64;
        if ended {
            return Ok(consumed);
        }
    }
}

fn parse_object(line: &[u8]) -> Result<Map<String, Value>, Fault> {
    let text = std::str::from_utf8(line).map_err(|error| not_utf8(line, &error))?;
    match serde_json::from_str(text) {
        Ok(Unique(Value::Object(fields))) => Ok(fields),
        Ok(Unique(other)) => Err(Fault::new("", other.to_string(), "a JSON object on each line")),
        Err(error) => {
            let found: String = text.chars().skip(error.column().saturating_sub(21)).take(40).collect();
            Err(Fault::new(format!("column {}", error.column()), found, json_expectation(&error)))
        }
    }
}

fn json_expectation(error: &serde_json::Error) -> String {
    let says = error.to_string();
    let says = says.split(" at line ").next().unwrap_or_default();
    if says.contains("number out of range") {
        return "a finite number (number out of range)".to_owned();
    }
    format!("valid JSON ({says})")
}

fn not_utf8(bytes: &[u8], error: &std::str::Utf8Error) -> Fault {
    let at = error.valid_up_to();
    let found: Vec<String> = bytes.iter().skip(at).take(4).map(|byte| format!("{byte:02x}")).collect();
    Fault::new(format!("byte {}", at + 1), format!("the bytes {}", found.join(" ")), "UTF-8 text")
}

/// Rows of a CSV.
pub(super) struct CsvRows<R: Read> {
    reader: csv::Reader<R>,
    header: Vec<String>,
    record: csv::ByteRecord,
}

impl<R: BufRead> CsvRows<R> {
    fn new(reader: R) -> Result<CsvRows<R>, Fault> {
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(reader);
        let header = reader
            .byte_headers()
            .map_err(|error| Fault::new("", error.to_string(), "a header row").at("", 1))?;
        let mut names = Vec::with_capacity(header.len());
        for name in header {
            let name = std::str::from_utf8(name)
                .map_err(|error| not_utf8(name, &error).at("", 1))?
                .trim()
                .to_owned();
            if name.is_empty() || names.contains(&name) {
                return Err(Fault::new("header", name, "a name of its own for each column").at("", 1));
            }
            names.push(name);
        }
        if names.is_empty() {
            return Err(Fault::new("header", "", "a header row that names the columns").at("", 1));
        }
        Ok(CsvRows { reader, header: names, record: csv::ByteRecord::new() })
    }

    fn next(&mut self) -> Option<std::io::Result<Row>> {
        match self.reader.read_byte_record(&mut self.record) {
            Ok(false) => None,
            Ok(true) => {
                let line = self.record.position().map_or(0, csv::Position::line);
                let read = self.reader.position().byte();
                Some(Ok(Row { line, read, fields: self.fields() }))
            }
            Err(error) => match error.into_kind() {
                csv::ErrorKind::Io(error) => Some(Err(error)),
                kind => {
                    let line = self.reader.position().line();
                    let read = self.reader.position().byte();
                    Some(Ok(Row {
                        line,
                        read,
                        fields: Err(Fault::new("", format!("{kind:?}"), "a row of an RFC 4180 table")),
                    }))
                }
            },
        }
    }

    fn fields(&self) -> Result<Map<String, Value>, Fault> {
        if self.record.len() != self.header.len() {
            let found = format!("{} cells", self.record.len());
            return Err(Fault::new("", found, format!("{} cells, as the header has", self.header.len())));
        }
        let mut fields = Map::new();
        for (name, cell) in self.header.iter().zip(&self.record) {
            if cell.len() > LONGEST_ROW {
                let found = format!("{} bytes", cell.len());
                return Err(Fault::new(name, found, format!("at most {LONGEST_ROW} bytes in a cell")));
            }
            let text = std::str::from_utf8(cell).map_err(|error| {
                let fault = not_utf8(cell, &error);
                Fault::new(format!("{name}, {}", fault.field), fault.found, fault.expected)
            })?;
            if !text.is_empty() {
                fields.insert(name.clone(), Value::String(text.to_owned()));
            }
        }
        Ok(fields)
    }
}

impl<R: BufRead> std::fmt::Debug for Rows<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Rows::JsonLines(_) => "JsonLines",
            Rows::Csv(_) => "Csv",
        })
    }
}
