//! Any file, whoever wrote it: all that it holds, in one transaction, with a report of what was understood.

use super::{
    Form, Format, Kind, LARGEST_FILE, LONGEST_ROW, Load, Options, Progress, Target, Turns, in_file, in_words,
    load::Mapping, reader::Batches,
};
use crate::{ProjectId, Service, ServiceError, Viewer};
use domain::{Fault, FieldUse, ImportReport, visible};
use exchange::{Choice, Exchange};
use std::{
    collections::BTreeMap,
    fmt,
    fs::File,
    io::{BufRead, BufReader, Read, Seek},
    path::{Path, PathBuf},
    str::FromStr,
};

/// What wrote a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// Touchstone, or whoever writes its formats: rows of one kind.
    Ours(Kind),
    /// Another tool.
    Tool(Format),
}

impl Writer {
    /// All of them, ours first.
    pub fn all() -> impl Iterator<Item = Writer> {
        Kind::ALL.into_iter().map(Writer::Ours).chain(Format::ALL.into_iter().map(Writer::Tool))
    }

    /// Its name on the command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Writer::Ours(kind) => kind.word(),
            Writer::Tool(format) => format.word(),
        }
    }
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Writer {
    type Err = String;

    fn from_str(word: &str) -> Result<Writer, String> {
        Writer::all().find(|writer| writer.word() == word).ok_or_else(|| {
            let known: Vec<&str> = Writer::all().map(Writer::word).collect();
            format!("`{}` is none of the formats that are read: {}", visible(word), known.join(", "))
        })
    }
}

/// A file to import.
#[derive(Debug)]
pub struct ImportFile {
    name: String,
    /// Where it is, so that refused rows can be written beside it.
    path: Option<PathBuf>,
    file: File,
}

impl ImportFile {
    /// A file of this machine.
    ///
    /// # Errors
    /// [`ServiceError::File`].
    pub fn at(path: &Path) -> Result<ImportFile, ServiceError> {
        let file = File::open(path).map_err(in_file(path))?;
        Ok(ImportFile { name: path.display().to_string(), path: Some(path.to_owned()), file })
    }

    /// What somebody sent under a name.
    #[must_use]
    pub fn sent(name: &str, file: File) -> ImportFile {
        ImportFile { name: visible(name).chars().take(LONGEST_NAME).collect(), path: None, file }
    }
}

/// Longest name of a file that was sent, in characters.
const LONGEST_NAME: usize = 200;

/// How a file is to be imported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportRequest {
    /// What wrote it; found out where absent.
    pub from: Option<Writer>,
    /// Of another tool's file, the rows of one kind alone.
    pub only: Option<Kind>,
    /// What becomes of records of many turns.
    pub turns: Turns,
    /// For a field of ours the column, or the field of a task's data, that it stands in.
    pub columns: BTreeMap<String, String>,
    /// Name of a column mapping: with columns it is remembered under it, without them it is the remembered one.
    pub mapping: Option<String>,
    /// Whether anything is kept, and what becomes of bad rows.
    pub options: Options,
}

impl Service {
    /// Imports all that a file holds in one transaction; importing the same again changes nothing. Labels and verdicts of other tools that
    /// the rubric in force does not ask for are left out, and counted. A dry run reports refused rows beside what was understood.
    ///
    /// What is said of a conversation on the desk of whoever imports is refused: the answer would tell what others said.
    ///
    /// # Errors
    /// [`ServiceError::Faults`] for a file or rows that cannot be taken (nothing is stored then), [`ServiceError::File`] where it cannot be
    /// read.
    pub async fn import_file(
        &self,
        project: ProjectId,
        file: ImportFile,
        mut request: ImportRequest,
        viewer: Viewer,
        progress: impl FnMut(Progress),
    ) -> Result<ImportReport, ServiceError> {
        let ImportFile { name, path, mut file } = file;
        let mapping = self.mapping(project, &mut request).await?;
        let bytes = file.metadata().map_err(in_file(Path::new(&name)))?.len();
        let writer = writer(&name, &mut file, &request).map_err(in_file(Path::new(&name)))?;
        let options = request.options;
        let arrival = Arrival { service: self, project, viewer, name, path, bytes, options };
        let report = match writer {
            Some(Writer::Ours(kind)) => arrival.ours(kind, file, progress).await?,
            Some(Writer::Tool(format)) => {
                arrival.foreign(file, Some(format), request, mapping, progress).await?
            }
            None => arrival.foreign(file, None, request, mapping, progress).await?,
        };
        if report.refused > 0 && !options.keep_going && !options.dry_run {
            return Err(ServiceError::Faults(report.faults));
        }
        if !options.dry_run {
            self.record(viewer.user(), Some(project), "import", &in_words(&report)).await?;
        }
        Ok(report)
    }

    /// The column mappings of a project, by name.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn column_mappings(
        &self,
        project: ProjectId,
    ) -> Result<BTreeMap<String, BTreeMap<String, String>>, ServiceError> {
        Ok(self.store.column_mappings(project).await?)
    }

    /// Fills the columns in from the mapping that is named; or gives the mapping that is to be remembered.
    async fn mapping(
        &self,
        project: ProjectId,
        request: &mut ImportRequest,
    ) -> Result<Option<Mapping>, ServiceError> {
        let Some(name) = request.mapping.take() else { return Ok(None) };
        let invalid = |reason: String| ServiceError::Invalid { field: "mapping".to_owned(), reason };
        if name.trim().is_empty() || name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control)
        {
            return Err(invalid(format!(
                "found {}, expected a name of 1 to {LONGEST_NAME} characters",
                visible(&name)
            )));
        }
        if !request.columns.is_empty() {
            return Ok(Some((name, request.columns.clone())));
        }
        let mut known = self.column_mappings(project).await?;
        request.columns = known.remove(&name).ok_or_else(|| {
            let names: Vec<String> = known.keys().map(|name| visible(name)).collect();
            let known = if names.is_empty() { "there are none yet".to_owned() } else { names.join(", ") };
            invalid(format!("found {}, expected a mapping that was remembered: {known}", visible(&name)))
        })?;
        Ok(None)
    }
}

/// A file on its way in.
struct Arrival<'a> {
    service: &'a Service,
    project: ProjectId,
    viewer: Viewer,
    name: String,
    path: Option<PathBuf>,
    bytes: u64,
    options: Options,
}

impl Arrival<'_> {
    /// Rows of one kind, a batch at a time: the file may be of any size.
    async fn ours(
        &self,
        kind: Kind,
        file: File,
        progress: impl FnMut(Progress),
    ) -> Result<ImportReport, ServiceError> {
        let target = self.service.target(self.project, kind, self.viewer).await?;
        let load = Load::begin(self.service, target, self.options).await?;
        let rows = BufReader::with_capacity(1 << 16, file);
        let batches = load.reader().begin(kind, Form::of(&self.name), rows);
        let (records, report) = self.load(load, batches, progress).await?;
        Ok(ImportReport { from: "touchstone".to_owned(), records, ..report })
    }

    /// What another tool's file holds. It is understood before the transaction begins: nobody waits for that.
    async fn foreign(
        &self,
        file: File,
        format: Option<Format>,
        request: ImportRequest,
        mapping: Option<Mapping>,
        progress: impl FnMut(Progress),
    ) -> Result<ImportReport, ServiceError> {
        let ImportRequest { only, turns, columns, .. } = request;
        let choice = Choice { format, turns, columns };
        let mut found = understood(self.name.clone(), self.bytes, file, choice).await?;
        if let Some(only) = only {
            leave(&mut found, only);
        }
        let rubric = self.service.store.latest_rubric(self.project).await?;
        let target = Target { project: self.project, viewer: self.viewer, rubric, leaves_out: true };
        let mut load = Load::begin(self.service, target, self.options).await?;
        load.remember(mapping);
        let understood = std::mem::take(&mut found.report);
        let batches = load.reader().begin_foreign(found, self.bytes);
        let (_, report) = self.load(load, batches, progress).await?;
        let left_out = [understood.left_out, report.left_out].concat();
        Ok(ImportReport {
            from: understood.format,
            records: understood.records,
            read: understood.read,
            left_out,
            ..report
        })
    }

    async fn load(
        &self,
        mut load: Load,
        batches: Batches,
        mut progress: impl FnMut(Progress),
    ) -> Result<(u64, ImportReport), ServiceError> {
        let report = |rows, read| progress(Progress { rows, read, total: self.bytes });
        load.file(&self.name, batches, report).await?;
        load.finish(self.path.as_slice()).await
    }
}

/// What wrote the file: what is said, else ours where its first line is, else to be found out from the whole.
fn writer(name: &str, file: &mut File, request: &ImportRequest) -> std::io::Result<Option<Writer>> {
    if request.from.is_some() {
        return Ok(request.from);
    }
    if !request.columns.is_empty() {
        // Only a table needs its columns mapped.
        return Ok((Form::of(name) == Form::Csv).then_some(Writer::Tool(Format::Csv)));
    }
    let mut line = Vec::new();
    let whole_line = LONGEST_ROW as u64 + 1;
    BufReader::new(&mut *file).take(whole_line).read_until(b'\n', &mut line)?;
    file.rewind()?;
    // No row of ours is as long as that; nor is an empty file anybody's.
    if line.len() > LONGEST_ROW || line.trim_ascii().is_empty() || !exchange::is_ours(name, &line) {
        return Ok(None);
    }
    let fields = names(name, &String::from_utf8_lossy(&line));
    let holds = |field: &str| fields.iter().any(|name| name == field);
    let kind = match holds("conversation") && holds("criterion") {
        true if holds("judge") => Kind::Verdicts,
        true => Kind::Labels,
        false => Kind::Conversations,
    };
    Ok(Some(Writer::Ours(kind)))
}

/// The columns or fields that the first line of a file names.
fn names(name: &str, line: &str) -> Vec<String> {
    match Form::of(name) {
        Form::Csv => line.split(',').map(|column| column.trim().trim_matches('"').to_owned()).collect(),
        Form::JsonLines => {
            serde_json::from_str::<serde_json::Map<_, serde_json::Value>>(line.trim_start_matches('\u{feff}'))
                .map(|fields| fields.into_iter().map(|(name, _)| name).collect())
                .unwrap_or_default()
        }
    }
}

/// Reads and understands a file on a thread of its own.
async fn understood(
    name: String,
    bytes: u64,
    mut file: File,
    choice: Choice,
) -> Result<Exchange, ServiceError> {
    if bytes > LARGEST_FILE as u64 {
        let expected = format!("at most {LARGEST_FILE} bytes: export it in parts");
        return Err(ServiceError::Faults(vec![
            Fault::new("", format!("{bytes} bytes"), expected).at(&name, 0),
        ]));
    }
    let understand = move || {
        let mut text = Vec::new();
        let read = file.by_ref().take(LARGEST_FILE as u64 + 1).read_to_end(&mut text);
        read.map_err(in_file(Path::new(&name)))?;
        exchange::read(&name, &text, &choice).map_err(|fault| ServiceError::Faults(vec![fault]))
    };
    let done = tokio::task::spawn_blocking(understand).await;
    done.map_err(|error| ServiceError::Internal(error.to_string()))?
}

/// Leaves the rows of one kind. What labels and verdicts are about must be there already.
fn leave(found: &mut Exchange, only: Kind) {
    for (kind, rows) in [
        (Kind::Conversations, &mut found.conversations),
        (Kind::Labels, &mut found.labels),
        (Kind::Verdicts, &mut found.verdicts),
    ] {
        if kind != only && !rows.is_empty() {
            let what = format!("only {} were asked for", only.word());
            let count = rows.len() as u64;
            found.report.left_out.push(FieldUse { field: kind.word().to_owned(), what, count });
            rows.clear();
        }
    }
}
