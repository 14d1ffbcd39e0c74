//! Rows into the store, one import at a time.

use super::{
    Options,
    reader::{Batches, Content, ReadRow, Reader, Reject},
    redactor::Redactor,
    row,
};
use crate::{ProjectId, Service, ServiceError, Viewer};
use domain::{ContentHash, Conversation, Fault, FieldUse, ImportReport, Rubric, Taken, Unit};
use serde_json::{Map, Value};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs::File,
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
};
use store::{Admission, ConversationId, Import, RubricVersion};

/// Most faults that are kept in memory and reported.
pub(crate) const MOST_FAULTS: usize = 1_000;

/// One import on its way.
pub(super) struct Load {
    import: Import,
    rubric: Option<RubricVersion>,
    options: Options,
    redactor: Option<Arc<Redactor>>,
    /// The mapping that is remembered once the import stands.
    mapping: Option<Mapping>,
    /// The conversations on the desk of whoever imports: what is said of them would tell what others said.
    sealed: HashSet<ConversationId>,
    /// Whether labels and verdicts that the rubric does not ask for are left out, and not refused.
    leaves_out: bool,
    left_out: BTreeMap<(String, String), u64>,
    fingerprints: HashMap<row::Declared, ContentHash>,
    rows: u64,
    report: ImportReport,
    /// Refused rows with their reasons, one list for each file that has some.
    rejects: Vec<(String, Vec<Reject>)>,
}

/// A name, and for a field of ours the column that it stands in.
pub(super) type Mapping = (String, BTreeMap<String, String>);

/// What an import is into.
pub(super) struct Target {
    pub(super) project: ProjectId,
    /// Who imports.
    pub(super) viewer: Viewer,
    /// The rubric in force.
    pub(super) rubric: Option<RubricVersion>,
    /// Whether labels and verdicts that the rubric does not ask for are left out, and not refused.
    pub(super) leaves_out: bool,
}

impl Load {
    /// Begins an import.
    pub(super) async fn begin(
        service: &Service,
        target: Target,
        options: Options,
    ) -> Result<Load, ServiceError> {
        let redaction = service.store.redaction(target.project).await?;
        let mut import = service.store.begin_import(target.project, service.now()).await?;
        let redactor = match redaction.filter(|redaction| !redaction.rules.is_empty()) {
            Some(redaction) => Some(Arc::new(Redactor::new(&redaction, import.placeholders().await?)?)),
            None => None,
        };
        Ok(Load {
            sealed: import.sealed_to(target.viewer).await?,
            import,
            rubric: target.rubric,
            options,
            redactor,
            mapping: None,
            leaves_out: target.leaves_out,
            left_out: BTreeMap::new(),
            fingerprints: HashMap::new(),
            rows: 0,
            report: ImportReport { dry_run: options.dry_run, ..ImportReport::default() },
            rejects: Vec::new(),
        })
    }

    /// Remembers a mapping with the import.
    pub(super) fn remember(&mut self, mapping: Option<Mapping>) {
        self.mapping = mapping;
    }

    /// What reads rows for this import.
    pub(super) fn reader(&self) -> Reader {
        Reader { keeps_rejects: self.options.keep_going, redactor: self.redactor.clone() }
    }

    /// Takes the rows of one file. Gives its bytes.
    pub(super) async fn file(
        &mut self,
        name: &str,
        mut batches: Batches,
        mut progress: impl FnMut(u64, u64),
    ) -> Result<u64, ServiceError> {
        let clean = self.redactor.as_ref().and_then(|redactor| redactor.text(name));
        if !self.report.file.is_empty() {
            self.report.file.push_str(", ");
        }
        self.report.file.push_str(clean.as_deref().unwrap_or(name));
        let mut so_far = 0;
        while let Some(batch) = batches.recv().await {
            let rows = batch.map_err(|error| ServiceError::File { path: name.to_owned(), error })?;
            for ReadRow { place, read, content } in rows {
                so_far = read;
                self.rows += 1;
                let taken = match content {
                    Ok(content) => self.row(content).await?,
                    Err(rejected) => Err(rejected),
                };
                if let Err(rejected) = taken {
                    let Reject { fields, fault } = *rejected;
                    self.reject(name, Reject { fields, fault: place.fault(name, fault) });
                }
            }
            progress(self.rows, so_far);
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
        let report = &mut self.report;
        let taken = count(&mut report.conversations, admission, |stored| {
            let expected = format!("one text for one id: {stored} stands under it already");
            Fault::new("id", &conversation.id, expected)
        });
        if taken.is_ok() {
            report.unanswered += u64::from(conversation.answer.is_none());
            report.passages += conversation.passages().len() as u64;
            let calls = conversation.routing.as_ref().map_or(0, |routing| routing.tool_calls.len());
            report.tool_calls += calls as u64;
            report.first.get_or_insert_with(|| conversation.clone());
        }
        Ok(taken)
    }

    async fn label(&mut self, fields: &Map<String, Value>) -> Result<Result<(), Fault>, ServiceError> {
        if self.is_left_out("label", fields) {
            return Ok(Ok(()));
        }
        let Some(version) = &self.rubric else { return Ok(Ok(())) };
        let label = match row::label(fields, &version.rubric) {
            Ok(Some(label)) => label,
            Ok(None) => {
                self.report.missing += 1;
                return Ok(Ok(()));
            }
            Err(fault) => return Ok(Err(fault)),
        };
        let version = version.id;
        if let Err(fault) = self.unit_exists(&label.conversation, &label.unit).await? {
            return Ok(Err(fault));
        }
        let admission = self.import.label(&label, version).await?;
        Ok(count(&mut self.report.labels, admission, |stored| {
            let expected =
                format!("{stored}, which this annotator gave before; a second value needs another `pass`");
            Fault::new("value", label.value.to_string(), expected)
        }))
    }

    async fn verdict(&mut self, fields: &Map<String, Value>) -> Result<Result<(), Fault>, ServiceError> {
        if self.is_left_out("verdict", fields) {
            return Ok(Ok(()));
        }
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
        let taken = count(&mut self.report.verdicts, admission, |stored| {
            let found =
                verdict.outcome.value().map_or_else(|| "a failure".to_owned(), |value| value.to_string());
            let expected = format!("{stored}, which this judge version gave to this unit and repeat before");
            Fault::new("value", found, expected)
        });
        if taken.is_ok() && verdict.outcome.value().is_none() {
            self.report.failures += 1;
        }
        Ok(taken)
    }

    /// Whether the rubric does not ask for what another tool's file says; counted, so that it is said.
    fn is_left_out(&mut self, kind: &str, fields: &Map<String, Value>) -> bool {
        if !self.leaves_out {
            return false;
        }
        let rubric = self.rubric.as_ref().map(|version| &version.rubric);
        let Some((criterion, why)) = row::not_asked(fields, rubric) else { return false };
        *self.left_out.entry((format!("{kind} of `{criterion}`"), why)).or_default() += 1;
        true
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

    /// Whether the conversation is there, is not sealed to whoever imports, and has the unit.
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
        if self.sealed.contains(&id) {
            let expected = "a conversation that you have not on your desk: what others say of it is sealed to you until you submit it";
            return Ok(Err(Fault::new("conversation", conversation, expected)));
        }
        if *unit == Unit::Conversation || self.import.conversation_body(id).await?.has(unit) {
            return Ok(Ok(()));
        }
        Ok(Err(Fault::new(
            "unit",
            unit.to_string(),
            format!("a unit that conversation `{conversation}` has"),
        )))
    }

    fn reject(&mut self, file: &str, reject: Reject) {
        self.report.refused += 1;
        if self.report.faults.len() < MOST_FAULTS {
            self.report.faults.push(reject.fault.clone());
        }
        if self.options.keep_going {
            match self.rejects.last_mut() {
                Some((last, rows)) if last == file => rows.push(reject),
                _ => self.rejects.push((file.to_owned(), vec![reject])),
            }
        }
    }

    /// Keeps what was taken, or nothing where rows were refused or nothing was to be kept. Refused rows are written beside their files.
    pub(super) async fn finish(mut self, files: &[PathBuf]) -> Result<(u64, ImportReport), ServiceError> {
        let what_was_left_out = std::mem::take(&mut self.left_out).into_iter();
        self.report.left_out =
            what_was_left_out.map(|((field, what), count)| FieldUse { field, what, count }).collect();
        let (placeholders, redacted) =
            self.redactor.as_ref().map(|redactor| redactor.finish()).unwrap_or_default();
        self.report.redacted = redacted;
        let is_refused = self.report.refused > 0 && !self.options.keep_going;
        if is_refused || self.options.dry_run {
            self.import.rollback().await?;
            return Ok((self.rows, self.report));
        }
        self.import.keep_placeholders(&placeholders).await?;
        if let Some((name, columns)) = &self.mapping {
            self.import.keep_mapping(name, columns).await?;
        }
        self.import.commit().await?;
        for (file, rows) in &self.rejects {
            if let Some(path) = files.iter().find(|path| path.display().to_string() == *file) {
                self.report.refused_to.push(write_rejects(path, rows)?.display().to_string());
            }
        }
        Ok((self.rows, self.report))
    }
}

fn count(taken: &mut Taken, admission: Admission, clash: impl FnOnce(&str) -> Fault) -> Result<(), Fault> {
    match admission {
        Admission::New => taken.new += 1,
        Admission::Unchanged => taken.unchanged += 1,
        Admission::Clash { stored } => return Err(clash(&stored)),
        Admission::OfAnAccount => {
            let expected =
                "the name of somebody who has no account here: what people say here is not imported over";
            return Err(Fault::new("annotator", "the name of an account", expected));
        }
    }
    Ok(())
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
    let mut file = std::io::BufWriter::new(File::create(&path).map_err(super::in_file(&path))?);
    for Reject { fields, fault } in rows {
        let line = serde_json::json!({ "line": fault.line, "reason": fault.to_string(), "row": fields });
        writeln!(file, "{line}").map_err(super::in_file(&path))?;
    }
    file.flush().map_err(super::in_file(&path))?;
    Ok(path)
}
