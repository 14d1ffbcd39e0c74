//! Rows read ahead on a thread of its own: while some are being stored, the next are read, redacted, checked and hashed.

use super::{
    Kind, Redaction, row,
    source::{Form, Row, Rows},
};
use domain::{ContentHash, Conversation, Fault};
use serde_json::{Map, Value};
use std::io::{BufRead, Result};
use tokio::sync::mpsc::{self, Receiver};

/// Bytes of a file after which its rows are handed over.
const BATCH_BYTES: u64 = 1 << 18;

/// Batches that may wait to be stored.
const AHEAD: usize = 2;

/// A row as it came off the file.
pub(super) struct ReadRow {
    /// Line on which it begins, from 1.
    pub(super) line: u64,
    /// Bytes of the file up to the end of the row.
    pub(super) read: u64,
    /// What it holds, or why it cannot be taken.
    pub(super) content: std::result::Result<Content, Box<Reject>>,
}

/// What a row holds.
pub(super) enum Content {
    /// A conversation, its hash, and its text as it is kept.
    Conversation(Box<Conversation>, ContentHash, String),
    /// Fields of a label, which only the project's rubric can check.
    Label(Map<String, Value>),
    /// Fields of a verdict, likewise.
    Verdict(Map<String, Value>),
}

/// A refused row as it was read, with its reason.
pub(super) struct Reject {
    /// The row, as far as it could be read.
    pub(super) fields: Map<String, Value>,
    /// Why it was refused.
    pub(super) fault: Fault,
}

impl Reject {
    /// A refused row.
    pub(super) fn new(fields: Map<String, Value>, fault: Fault) -> Box<Reject> {
        Box::new(Reject { fields, fault })
    }
}

/// How the rows of a file are read.
pub(super) struct Reader {
    /// What the file holds.
    pub(super) kind: Kind,
    /// Its form.
    pub(super) form: Form,
    /// Whether refused rows are wanted as they were read.
    pub(super) keeps_rejects: bool,
    /// What takes private data out.
    pub(super) redact: Redaction,
}

impl Reader {
    /// Begins to read; ends early when nobody takes the rows any more.
    pub(super) fn begin(self, file: impl BufRead + Send + 'static) -> Receiver<Result<Vec<ReadRow>>> {
        let (sender, receiver) = mpsc::channel(AHEAD);
        tokio::task::spawn_blocking(move || {
            let mut handed_over = 0;
            let mut batch = Vec::new();
            let rows = match Rows::new(file, self.form) {
                Ok(rows) => rows,
                Err(fault) => {
                    let header = ReadRow { line: 1, read: 0, content: Err(Reject::new(Map::new(), fault)) };
                    // Whoever no longer listens needs no header.
                    let _ = sender.blocking_send(Ok(vec![header]));
                    return;
                }
            };
            for row in rows {
                let row = match row {
                    Ok(row) => self.check(row),
                    Err(error) => {
                        batch.clear();
                        // As above.
                        let _ = sender.blocking_send(Err(error));
                        return;
                    }
                };
                let is_full = row.read - handed_over >= BATCH_BYTES;
                handed_over = if is_full { row.read } else { handed_over };
                batch.push(row);
                if is_full && sender.blocking_send(Ok(std::mem::take(&mut batch))).is_err() {
                    return;
                }
            }
            // As above.
            let _ = sender.blocking_send(Ok(batch));
        });
        receiver
    }

    fn check(&self, Row { line, read, fields }: Row) -> ReadRow {
        let is_table_of_conversations = self.kind == Kind::Conversations && self.form == Form::Csv;
        let fields =
            if is_table_of_conversations { fields.and_then(row::conversation_of_cells) } else { fields };
        let content = match fields {
            Err(fault) => Err(Reject::new(Map::new(), fault)),
            Ok(mut fields) => {
                (self.redact)(&mut fields);
                match self.kind {
                    Kind::Conversations => self.conversation(fields),
                    Kind::Labels => Ok(Content::Label(fields)),
                    Kind::Verdicts => Ok(Content::Verdict(fields)),
                }
            }
        };
        ReadRow { line, read, content }
    }

    fn conversation(&self, fields: Map<String, Value>) -> std::result::Result<Content, Box<Reject>> {
        let as_read = if self.keeps_rejects { fields.clone() } else { Map::new() };
        let read = Conversation::from_json(Value::Object(fields)).and_then(|(conversation, hash)| {
            let text = serde_json::to_string(&conversation);
            let text = text.map_err(|error| Fault::new("", error.to_string(), "plain JSON"))?;
            Ok(Content::Conversation(Box::new(conversation), hash, text))
        });
        read.map_err(|fault| Reject::new(as_read, fault))
    }
}
