//! Files into the store: conversations, labels and verdicts, all or nothing.

mod foreign;
mod load;
mod reader;
mod redactor;
mod row;
mod source;
mod staged;
mod unique;

pub use exchange::{Format, LARGEST_FILE, MAPPED_FIELDS, Turns};
pub use foreign::{ImportFile, ImportRequest, Writer};
pub(crate) use load::MOST_FAULTS;
pub(crate) use redactor::{Redactor, check as check_redaction};
pub use source::{Form, LONGEST_ROW};
pub(crate) use staged::Stage;
pub use staged::{LARGEST_UPLOAD, StagedFile};

use crate::{ProjectId, Service, ServiceError, Viewer};
use domain::{ImportReport, Redacted};
use load::{Load, Target};
use std::{
    fs::File,
    io::{BufReader, Cursor},
    path::{Path, PathBuf},
};

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

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 3] = [Kind::Conversations, Kind::Labels, Kind::Verdicts];

    /// The word for it on the command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Kind::Conversations => "conversations",
            Kind::Labels => "labels",
            Kind::Verdicts => "verdicts",
        }
    }
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
    pub rejected_to: Vec<String>,
    /// What redaction took out.
    pub redacted: Vec<Redacted>,
    /// Whether nothing was stored on purpose.
    pub dry_run: bool,
}

impl Summary {
    fn new(rows: u64, report: ImportReport) -> Summary {
        let taken = [report.conversations, report.labels, report.verdicts];
        Summary {
            rows,
            new: taken.iter().map(|taken| taken.new).sum(),
            unchanged: taken.iter().map(|taken| taken.unchanged).sum(),
            missing: report.missing,
            failures: report.failures,
            rejected: report.refused,
            rejected_to: report.refused_to,
            redacted: report.redacted,
            dry_run: report.dry_run,
        }
    }
}

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
        mut progress: impl FnMut(Progress),
    ) -> Result<Summary, ServiceError> {
        let target = self.target(project, kind, Viewer::Operator).await?;
        let mut total = 0;
        for path in files {
            total += std::fs::metadata(path).map_err(in_file(path))?.len();
        }
        let mut load = Load::begin(self, target, options).await?;
        let mut before = 0;
        for path in files {
            let file = File::open(path).map_err(in_file(path))?;
            let name = path.display().to_string();
            let rows = BufReader::with_capacity(1 << 16, file);
            let batches = load.reader().begin(kind, Form::of(&name), rows);
            let report = |rows, read| progress(Progress { rows, read: before + read, total });
            before += load.file(&name, batches, report).await?;
        }
        let (rows, report) = load.finish(files).await?;
        if report.refused > 0 && !options.keep_going {
            return Err(ServiceError::Faults(report.faults));
        }
        if !options.dry_run {
            self.record(None, Some(project), "import", &in_words(&report)).await?;
        }
        Ok(Summary::new(rows, report))
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
        let target = self.target(project, kind, Viewer::Operator).await?;
        let mut load = Load::begin(self, target, Options::default()).await?;
        let batches = load.reader().begin(kind, Form::of(name), Cursor::new(text.to_owned()));
        load.file(name, batches, |_, _| {}).await?;
        let (rows, report) = load.finish(&[]).await?;
        if report.refused > 0 {
            return Err(ServiceError::Faults(report.faults));
        }
        Ok(Summary::new(rows, report))
    }

    /// What files of a kind are imported into; labels and verdicts need a rubric.
    async fn target(&self, project: ProjectId, kind: Kind, viewer: Viewer) -> Result<Target, ServiceError> {
        let rubric = match kind {
            Kind::Conversations => None,
            Kind::Labels | Kind::Verdicts => Some(self.rubric_version(project).await?),
        };
        Ok(Target { project, viewer, rubric, leaves_out: false })
    }
}

/// What came in, for the audit log.
fn in_words(report: &ImportReport) -> String {
    let ImportReport { file, from, conversations, labels, verdicts, .. } = report;
    let file: String = domain::visible(file).chars().take(200).collect();
    let from = if from.is_empty() { "touchstone" } else { from };
    format!(
        "{file} from {from}: {} new conversations, {} new labels, {} new verdicts",
        conversations.new, labels.new, verdicts.new
    )
}

fn in_file(path: &Path) -> impl Fn(std::io::Error) -> ServiceError {
    let path = path.display().to_string();
    move |error| ServiceError::File { path: path.clone(), error }
}
