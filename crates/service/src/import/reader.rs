//! Rows read ahead on a thread of its own: while some are being stored, the next are read, redacted, checked and hashed.

use super::{
    Kind,
    redactor::Redactor,
    row,
    source::{Form, Row, Rows},
};
use domain::{ContentHash, Conversation, Fault};
use exchange::{Exchange, Place};
use serde_json::{Map, Value};
use std::{
    io::{BufRead, Result},
    sync::Arc,
};
use tokio::sync::mpsc::{self, Receiver};

/// Bytes of a file after which its rows are handed over.
const BATCH_BYTES: u64 = 1 << 18;

/// Batches that may wait to be stored.
const AHEAD: usize = 2;

/// Rows as they come, until a file can be read no further.
pub(super) type Batches = Receiver<Result<Vec<ReadRow>>>;

/// A row as it came off the file.
pub(super) struct ReadRow {
    /// Where it stands.
    pub(super) place: Place,
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

/// What becomes of the rows of a file before they are stored.
pub(super) struct Reader {
    /// Whether refused rows are wanted as they were read.
    pub(super) keeps_rejects: bool,
    /// What takes private data out, where the project has rules.
    pub(super) redactor: Option<Arc<Redactor>>,
}

impl Reader {
    /// Begins to read a file of ours; ends early when nobody takes the rows any more.
    pub(super) fn begin(self, kind: Kind, form: Form, file: impl BufRead + Send + 'static) -> Batches {
        let (sender, receiver) = mpsc::channel(AHEAD);
        tokio::task::spawn_blocking(move || match Rows::new(file, form) {
            Ok(rows) => hand_over(rows.map(|row| row.map(|row| self.of_ours(kind, form, row))), &sender),
            Err(fault) => {
                let place = Place { line: 1, ..Place::default() };
                let header = ReadRow { place, read: 0, content: Err(Reject::new(Map::new(), fault)) };
                hand_over(std::iter::once(Ok(header)), &sender);
            }
        });
        receiver
    }

    /// Begins to hand over what was understood of another tool's file of so many bytes.
    pub(super) fn begin_foreign(self, found: Exchange, bytes: u64) -> Batches {
        let (sender, receiver) = mpsc::channel(AHEAD);
        tokio::task::spawn_blocking(move || {
            let Exchange { conversations, labels, verdicts, report: _ } = found;
            let count = (conversations.len() + labels.len() + verdicts.len()).max(1) as u64;
            let of = |kind, rows: Vec<exchange::Row>| rows.into_iter().map(move |row| (kind, row));
            let rows = of(Kind::Conversations, conversations)
                .chain(of(Kind::Labels, labels))
                .chain(of(Kind::Verdicts, verdicts));
            let read = rows.zip(1..).map(|((kind, exchange::Row { place, fields }), number)| {
                Ok(ReadRow { place, read: bytes * number / count, content: self.check(kind, fields) })
            });
            hand_over(read, &sender);
        });
        receiver
    }

    fn of_ours(&self, kind: Kind, form: Form, Row { line, read, fields }: Row) -> ReadRow {
        let is_table_of_conversations = kind == Kind::Conversations && form == Form::Csv;
        let fields =
            if is_table_of_conversations { fields.and_then(row::conversation_of_cells) } else { fields };
        ReadRow { place: Place { line, ..Place::default() }, read, content: self.check(kind, fields) }
    }

    fn check(
        &self,
        kind: Kind,
        fields: std::result::Result<Map<String, Value>, Fault>,
    ) -> std::result::Result<Content, Box<Reject>> {
        let mut fields = fields.map_err(|fault| Reject::new(Map::new(), fault))?;
        if let Some(redactor) = &self.redactor {
            redactor.row(kind, &mut fields);
        }
        match kind {
            Kind::Conversations => self.conversation(fields),
            Kind::Labels => Ok(Content::Label(fields)),
            Kind::Verdicts => Ok(Content::Verdict(fields)),
        }
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

/// Sends rows in batches; ends early when nobody takes them any more.
fn hand_over(rows: impl Iterator<Item = Result<ReadRow>>, sender: &mpsc::Sender<Result<Vec<ReadRow>>>) {
    let mut handed_over = 0;
    let mut batch = Vec::new();
    for row in rows {
        let row = match row {
            Ok(row) => row,
            Err(error) => {
                // Whoever no longer listens needs no error.
                let _ = sender.blocking_send(Err(error));
                return;
            }
        };
        let is_full = row.read.saturating_sub(handed_over) >= BATCH_BYTES;
        handed_over = if is_full { row.read } else { handed_over };
        batch.push(row);
        if is_full && sender.blocking_send(Ok(std::mem::take(&mut batch))).is_err() {
            return;
        }
    }
    // As above.
    let _ = sender.blocking_send(Ok(batch));
}
