//! Files into the store: conversations, labels and verdicts, all or nothing.

mod reader;
mod row;
mod source;
mod unique;

pub use source::{Form, LONGEST_ROW};

use crate::{ProjectId, Service, ServiceError};
use domain::{ContentHash, Conversation, Fault, Rubric, Unit};
use reader::{Content, ReadRow, Reader, Reject};
use serde_json::{Map, Value};
use std::{
    collections::HashMap,
    fs::File,
    io::{BufRead, BufReader, Cursor, Write},
    path::{Path, PathBuf},
    sync::Arc,
};
use store::{Admission, Import, RubricVersion};

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Recorded exchanges.
    Conversations,
    /// What people said.
    Labels,
    /// What judges said.
    Verdicts,
}

/// How to import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Check everything, store nothing.
    pub dry_run: bool,
    /// Take the good rows and write the others, each with its reason, to a file beside the input.
    pub keep_going: bool,
}

/// How far an import is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Rows read so far.
    pub rows: u64,
    /// Bytes read so far, of all files.
    pub read: u64,
    /// Bytes of all files.
    pub total: u64,
}

/// What became of the rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Summary {
    /// Rows read.
    pub rows: u64,
    /// Rows that brought something new.
    pub new: u64,
    /// Rows that were there already.
    pub unchanged: u64,
    /// Labels without a value: missing, and not stored.
    pub missing: u64,
    /// Verdicts that are instrument failures; they are among the new or unchanged rows.
    pub failures: u64,
    /// Rows that were refused (with `keep_going` alone).
    pub rejected: u64,
    /// Where the refused rows were written.
    pub rejected_to: Vec<PathBuf>,
    /// Whether nothing was stored on purpose.
    pub dry_run: bool,
}

/// Runs on every row before anything of it is stored or hashed: here redaction rules take private data out.
pub type Redaction = Arc<dyn Fn(&mut Map<String, Value>) + Send + Sync>;

/// No rules: the row stays as it is.
#[must_use]
pub fn no_redaction() -> Redaction {
    Arc::new(|_row| {})
}

/// Most faults that are kept in memory and reported.
const MOST_FAULTS: usize = 1_000;

impl Service {
    /// Imports files of one kind in one transaction. Importing the same again changes nothing.
    ///
    /// # Errors
    /// [`ServiceError::Faults`] for rows that cannot be taken (nothing is stored then), [`ServiceError::File`] for files that cannot be
    /// read.
    pub async fn import(
        &self,
        project: ProjectId,
        kind: Kind,
        files: &[PathBuf],
        options: Options,
        redact: Redaction,
        mut progress: impl FnMut(Progress),
    ) -> Result<Summary, ServiceError> {
        let rubric = match kind {
            Kind::Conversations => None,
            Kind::Labels | Kind::Verdicts => Some(self.rubric_version(project).await?),
        };
        let mut total = 0;
        for path in files {
            total += std::fs::metadata(path).map_err(in_file(path))?.len();
        }
        let mut load = Load {
            import: self.store.begin_import(project, self.now()).await?,
            kind,
            rubric,
            keep_going: options.keep_going,
            fingerprints: HashMap::new(),
            summary: Summary { dry_run: options.dry_run, ..Summary::default() },
            faults: Vec::new(),
            rejects: Vec::new(),
        };
        let mut before = 0;
        for path in files {
            let file = File::open(path).map_err(in_file(path))?;
            let reader = BufReader::with_capacity(1 << 16, file);
            let report = |rows, read| progress(Progress { rows, read: before + read, total });
            before += load.file(&path.display().to_string(), reader, redact.clone(), report).await?;
        }
        load.finish(files, options).await
    }

    /// Imports texts that are part of the program, for the demo.
    ///
    /// # Errors
    /// As [`Service::import`].
    pub async fn import_text(
        &self,
        project: ProjectId,
        kind: Kind,
        name: &str,
        text: &str,
    ) -> Result<Summary, ServiceError> {
        let rubric = match kind {
            Kind::Conversations => None,
            Kind::Labels | Kind::Verdicts => Some(self.rubric_version(project).await?),
        };
        let mut load = Load {
            import: self.store.begin_import(project, self.now()).await?,
            kind,
            rubric,
            keep_going: false,
            fingerprints: HashMap::new(),
            summary: Summary::default(),
            faults: Vec::new(),
            rejects: Vec::new(),
        };
        load.file(name, Cursor::new(text.to_owned()), no_redaction(), |_, _| {}).await?;
        load.finish(&[], Options::default()).await
    }
}

/// One import on its way.
struct Load {
    import: Import,
    kind: Kind,
    rubric: Option<RubricVersion>,
    keep_going: bool,
    fingerprints: HashMap<row::Declared, ContentHash>,
    summary: Summary,
    faults: Vec<Fault>,
    /// Refused rows with their reasons, one list for each file that has some.
    rejects: Vec<(String, Vec<Reject>)>,
}

impl Load {
    /// Takes the rows of one file. Gives its bytes.
    async fn file(
        &mut self,
        name: &str,
        file: impl BufRead + Send + 'static,
        redact: Redaction,
        mut progress: impl FnMut(u64, u64),
    ) -> Result<u64, ServiceError> {
        let reader = Reader { kind: self.kind, form: Form::of(name), keeps_rejects: self.keep_going, redact };
        let mut batches = reader.begin(file);
        let mut so_far = 0;
        while let Some(batch) = batches.recv().await {
            let rows = batch.map_err(|error| ServiceError::File { path: name.to_owned(), error })?;
            for ReadRow { line, read, content } in rows {
                so_far = read;
                self.summary.rows += 1;
                let taken = match content {
                    Ok(content) => self.row(content).await?,
                    Err(rejected) => Err(rejected),
                };
                if let Err(rejected) = taken {
                    self.reject(name, line, *rejected);
                }
            }
            progress(self.summary.rows, so_far);
        }
        Ok(so_far)
    }

    /// Takes one row. The outer error is the store's, the inner one the row's.
    async fn row(&mut self, content: Content) -> Result<Result<(), Box<Reject>>, ServiceError> {
        let (taken, fields) = match content {
            Content::Conversation(conversation, hash, text) => {
                let taken = self.conversation(&conversation, &hash, &text).await?;
                return Ok(taken.map_err(|fault| Reject::new(fields_of(&text), fault)));
            }
            Content::Label(fields) => (self.label(&fields).await?, fields),
            Content::Verdict(fields) => (self.verdict(&fields).await?, fields),
        };
        Ok(taken.map_err(|fault| Reject::new(fields, fault)))
    }

    async fn conversation(
        &mut self,
        conversation: &Conversation,
        hash: &ContentHash,
        text: &str,
    ) -> Result<Result<(), Fault>, ServiceError> {
        let admission = self.import.conversation(conversation, hash, text).await?;
        Ok(self.count(admission, |stored| {
            let expected = format!("one text for one id: {stored} stands under it already");
            Fault::new("id", &conversation.id, expected)
        }))
    }

    async fn label(&mut self, fields: &Map<String, Value>) -> Result<Result<(), Fault>, ServiceError> {
        let Some(version) = &self.rubric else { return Ok(Ok(())) };
        let label = match row::label(fields, &version.rubric) {
            Ok(Some(label)) => label,
            Ok(None) => {
                self.summary.missing += 1;
                return Ok(Ok(()));
            }
            Err(fault) => return Ok(Err(fault)),
        };
        if let Err(fault) = self.unit_exists(&label.conversation, &label.unit).await? {
            return Ok(Err(fault));
        }
        let version = self.rubric.as_ref().map(|version| version.id);
        let Some(version) = version else { return Ok(Ok(())) };
        let admission = self.import.label(&label, version).await?;
        Ok(self.count(admission, |stored| {
            let expected =
                format!("{stored}, which this annotator gave before; a second value needs another `pass`");
            Fault::new("value", label.value.to_string(), expected)
        }))
    }

    async fn verdict(&mut self, fields: &Map<String, Value>) -> Result<Result<(), Fault>, ServiceError> {
        let Some(version) = &self.rubric else { return Ok(Ok(())) };
        let (verdict, declared) = match row::verdict(fields, &version.rubric) {
            Ok(read) => read,
            Err(fault) => return Ok(Err(fault)),
        };
        let fingerprint = match self.fingerprint(declared) {
            Ok(fingerprint) => fingerprint,
            Err(fault) => return Ok(Err(fault)),
        };
        if let Err(fault) = self.unit_exists(&verdict.conversation, &verdict.unit).await? {
            return Ok(Err(fault));
        }
        let admission = self.import.verdict(&verdict, &fingerprint).await?;
        if verdict.outcome.value().is_none() {
            self.summary.failures += 1;
        }
        Ok(self.count(admission, |stored| {
            let found =
                verdict.outcome.value().map_or_else(|| "a failure".to_owned(), |value| value.to_string());
            Fault::new(
                "value",
                found,
                format!("{stored}, which this judge version gave to this unit and repeat before"),
            )
        }))
    }

    fn fingerprint(&mut self, declared: row::Declared) -> Result<ContentHash, Fault> {
        if let Some(known) = self.fingerprints.get(&declared) {
            return Ok(known.clone());
        }
        let empty = Rubric { name: String::new(), version: 0, scales: Vec::new(), criteria: Vec::new() };
        let rubric = self.rubric.as_ref().map_or(&empty, |version| &version.rubric);
        let fingerprint = declared.fingerprint(rubric)?;
        self.fingerprints.insert(declared, fingerprint.clone());
        Ok(fingerprint)
    }

    /// Whether the conversation is there and has the unit.
    async fn unit_exists(
        &mut self,
        conversation: &str,
        unit: &Unit,
    ) -> Result<Result<(), Fault>, ServiceError> {
        let Some(id) = self.import.knows_conversation(conversation) else {
            return Ok(Err(Fault::new(
                "conversation",
                conversation,
                "the id of a conversation of the project; import it first",
            )));
        };
        if *unit == Unit::Conversation || self.import.conversation_body(id).await?.has(unit) {
            return Ok(Ok(()));
        }
        Ok(Err(Fault::new(
            "unit",
            unit.to_string(),
            format!("a unit that conversation `{conversation}` has"),
        )))
    }

    fn count(&mut self, admission: Admission, clash: impl FnOnce(&str) -> Fault) -> Result<(), Fault> {
        match admission {
            Admission::New => self.summary.new += 1,
            Admission::Unchanged => self.summary.unchanged += 1,
            Admission::Clash { stored } => return Err(clash(&stored)),
            Admission::OfAnAccount => {
                let expected =
                    "the name of somebody who has no account here: what people say here is not imported over";
                return Err(Fault::new("annotator", "the name of an account", expected));
            }
        }
        Ok(())
    }

    fn reject(&mut self, file: &str, line: u64, Reject { fields, fault }: Reject) {
        let fault = fault.at(file, line);
        self.summary.rejected += 1;
        if self.keep_going {
            match self.rejects.last_mut() {
                Some((last, rows)) if last == file => rows.push(Reject { fields, fault }),
                _ => self.rejects.push((file.to_owned(), vec![Reject { fields, fault }])),
            }
        } else if self.faults.len() < MOST_FAULTS {
            self.faults.push(fault);
        }
    }

    async fn finish(mut self, files: &[PathBuf], options: Options) -> Result<Summary, ServiceError> {
        if !self.faults.is_empty() {
            self.import.rollback().await?;
            return Err(ServiceError::Faults(self.faults));
        }
        if options.dry_run {
            self.import.rollback().await?;
            return Ok(self.summary);
        }
        self.import.commit().await?;
        for (file, rows) in &self.rejects {
            if let Some(path) = files.iter().find(|path| path.display().to_string() == *file) {
                self.summary.rejected_to.push(write_rejects(path, rows)?);
            }
        }
        Ok(self.summary)
    }
}

/// A conversation as fields again.
fn fields_of(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}

/// Writes refused rows beside their file, one JSON object a line: the line, what was wrong, and the row as it was read.
fn write_rejects(input: &Path, rows: &[Reject]) -> Result<PathBuf, ServiceError> {
    let mut name = input.file_name().unwrap_or_default().to_owned();
    name.push(".rejected.jsonl");
    let path = input.with_file_name(name);
    let mut file = std::io::BufWriter::new(File::create(&path).map_err(in_file(&path))?);
    for Reject { fields, fault } in rows {
        let line = serde_json::json!({ "line": fault.line, "reason": fault.to_string(), "row": fields });
        writeln!(file, "{line}").map_err(in_file(&path))?;
    }
    file.flush().map_err(in_file(&path))?;
    Ok(path)
}

fn in_file(path: &Path) -> impl Fn(std::io::Error) -> ServiceError {
    let path = path.display().to_string();
    move |error| ServiceError::File { path: path.clone(), error }
}
