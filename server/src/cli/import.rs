//! `touchstone import`.

use super::{print, print_json, read, say, source::Source};
use clap::Subcommand;
use domain::{FieldUse, ImportReport, Redacted, Rubric, visible};
use service::{
    DiagnosisQuery, ProjectId, Service, ServiceError, Viewer,
    import::{ImportRequest, Kind, Options, Progress, Summary, Turns, Writer},
};
use std::{
    io::{IsTerminal, Write},
    path::{Path, PathBuf},
};

const EXAMPLE: &str = "Examples:
  touchstone import --project shop traces.json --from langfuse --dry-run
  touchstone import --project shop faq.csv --from csv --column question=Frage --column answer=Antwort
  touchstone import labels --project shop labels.csv";

/// What is imported: all that a file of any tool holds, or files of ours of one kind.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = EXAMPLE)]
pub(super) struct Import {
    #[command(subcommand)]
    what: Option<What>,
    #[arg(long, required = true)]
    project: Option<String>,
    /// A file of Touchstone or of another tool
    #[arg(value_name = "FILE", required = true)]
    file: Option<PathBuf>,
    #[command(flatten)]
    written: Written,
    #[command(flatten)]
    how: How,
}

#[derive(Subcommand)]
enum What {
    /// What is asked: rubric.toml
    #[command(after_help = "Example: touchstone import rubric --project shop rubric.toml")]
    Rubric {
        #[arg(long)]
        project: String,
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
        /// Check everything, store nothing
        #[arg(long)]
        dry_run: bool,
    },
    /// Recorded exchanges: JSON Lines or CSV, or with --from those of another tool's file
    #[command(after_help = "Example: touchstone import conversations --project shop conversations.jsonl")]
    Conversations(Files),
    /// What people said: CSV or JSON Lines, or with --from the labels of another tool's file
    #[command(after_help = "Example: touchstone import labels --project shop labels.csv --dry-run")]
    Labels(Files),
    /// What judges said: CSV or JSON Lines, or with --from the verdicts of another tool's file
    #[command(after_help = "Example: touchstone import verdicts --project shop verdicts.csv --keep-going")]
    Verdicts(Files),
}

/// Files of ours of one kind, or the rows of one kind of another tool's file.
#[derive(clap::Args)]
pub(super) struct Files {
    #[arg(long)]
    project: String,
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    written: Written,
    #[command(flatten)]
    how: How,
}

#[derive(clap::Args)]
struct How {
    /// Check everything, store nothing
    #[arg(long)]
    dry_run: bool,
    /// Take the good rows, and write the others with their reasons to FILE.rejected.jsonl
    #[arg(long)]
    keep_going: bool,
}

/// What wrote a file, and how it is read.
#[derive(clap::Args)]
struct Written {
    /// What wrote the file; found out where absent: langfuse, otel, langsmith, ragas, promptfoo, inspect, deepeval, label-studio,
    /// inspectorraget, csv, or one of ours: conversations, labels, verdicts
    #[arg(long, value_name = "TOOL")]
    from: Option<Writer>,
    /// What becomes of a record of many turns: a conversation for each answered question, or one whose question is the last
    #[arg(long, value_name = "each|whole")]
    turns: Option<Turns>,
    /// In which column, or field of a task's data, a field of ours stands; once for each
    #[arg(long, value_name = "FIELD=COLUMN", value_parser = column)]
    column: Vec<(String, String)>,
    /// Remember the columns under this name; without --column, take those that were remembered
    #[arg(long, value_name = "NAME")]
    mapping: Option<String>,
}

impl Written {
    fn is_of_another_tool(&self) -> bool {
        self.from.is_some() || self.turns.is_some() || !self.column.is_empty() || self.mapping.is_some()
    }

    fn request(self, only: Option<Kind>, how: &How) -> ImportRequest {
        ImportRequest {
            from: self.from,
            only,
            turns: self.turns.unwrap_or_default(),
            columns: self.column.into_iter().collect(),
            mapping: self.mapping,
            options: how.options(),
        }
    }
}

impl How {
    fn options(&self) -> Options {
        Options { dry_run: self.dry_run, keep_going: self.keep_going }
    }
}

fn column(text: &str) -> Result<(String, String), String> {
    let pair = text.split_once('=').filter(|(field, column)| !field.is_empty() && !column.is_empty());
    let pair = pair.ok_or_else(|| "expected FIELD=COLUMN, as in question=Frage".to_owned())?;
    Ok((pair.0.to_owned(), pair.1.to_owned()))
}

impl Import {
    /// Whether a server can be asked for it: a file with all that it holds.
    pub(super) fn is_served(&self) -> bool {
        self.what.is_none()
    }
}

/// Imports, into a database file or, with all that a file holds, by a server.
pub(super) async fn run(source: &Source, import: Import, json: bool) -> anyhow::Result<u8> {
    let Import { what, project, file, written, how } = import;
    let Some(what) = what else {
        // Both are required without a kind.
        let (project, file) = (project.unwrap_or_default(), file.unwrap_or_default());
        return whole(source, &project, &file, written.request(None, &how), json).await;
    };
    let Source::File(service) = source else {
        anyhow::bail!("a server takes one file with all that it holds")
    };
    match what {
        What::Rubric { project, files, dry_run } => rubrics(service, &project, &files, dry_run).await,
        What::Conversations(files) => of_kind(service, Kind::Conversations, files, json).await,
        What::Labels(files) => of_kind(service, Kind::Labels, files, json).await,
        What::Verdicts(files) => of_kind(service, Kind::Verdicts, files, json).await,
    }
}

/// Imports rows of one kind.
pub(super) async fn of_kind(service: &Service, kind: Kind, files: Files, json: bool) -> anyhow::Result<u8> {
    let project = service.project(&files.project).await?.id;
    if files.written.is_of_another_tool() {
        let [file] = files.files.as_slice() else { anyhow::bail!("name one file of another tool at a time") };
        let request = files.written.request(Some(kind), &files.how);
        return whole(&Source::File(service.clone()), &files.project, file, request, json).await;
    }
    let options = files.how.options();
    let summary = service.import(project, kind, &files.files, options, show).await;
    end_of_progress();
    let summary = summary?;
    if json {
        print_json(&summary)?;
    } else {
        say(&in_words(&summary));
    }
    diagnose_ahead(service, project, summary.new > 0 && !summary.dry_run).await?;
    Ok(0)
}

/// Imports one file with all that it holds, or with its rows of one kind.
async fn whole(
    source: &Source,
    project: &str,
    file: &Path,
    request: ImportRequest,
    json: bool,
) -> anyhow::Result<u8> {
    let report = source.import(project, file, request, show).await;
    end_of_progress();
    let report = report?;
    if json {
        print_json(&report)?;
    } else {
        print(&understood(&report))?;
    }
    if report.dry_run && report.refused > 0 {
        return Err(ServiceError::Faults(report.faults).into());
    }
    let is_new = [report.conversations, report.labels, report.verdicts].iter().any(|taken| taken.new > 0);
    if let Source::File(service) = source {
        let project = service.project(project).await?.id;
        diagnose_ahead(service, project, is_new && !report.dry_run).await?;
    }
    Ok(0)
}

async fn diagnose_ahead(service: &Service, project: ProjectId, is_new: bool) -> anyhow::Result<()> {
    if is_new && service.is_diagnosed_ahead(project).await? {
        say("reading all conversations, so that the diagnosis waits for whoever opens it …");
        service.diagnosis(project, &DiagnosisQuery::default(), Viewer::Operator).await?;
    }
    Ok(())
}

/// A line that is written over, where somebody watches.
fn show(progress: Progress) {
    if std::io::stderr().is_terminal() {
        let percent = progress.read.saturating_mul(100) / progress.total.max(1);
        // Where standard error is closed nobody watches.
        let _ = write!(std::io::stderr().lock(), "\r{percent:3} %  {} rows", progress.rows);
    }
}

fn end_of_progress() {
    if std::io::stderr().is_terminal() {
        say("");
    }
}

/// The report of an import, for people.
fn understood(report: &ImportReport) -> String {
    let mut lines = vec![format!("read as {}: {} records", report.from, report.records)];
    for (what, taken) in
        [("conversations", report.conversations), ("labels", report.labels), ("verdicts", report.verdicts)]
    {
        lines.push(format!("{what:13} {:6} new, {} unchanged", taken.new, taken.unchanged));
    }
    let mut counted = |count: u64, what: &str| {
        if count > 0 {
            lines.push(format!("{count} {what}"));
        }
    };
    counted(report.passages, "passages");
    counted(report.tool_calls, "tool calls");
    counted(report.unanswered, "conversations that nobody answered");
    counted(report.missing, "labels without a value (missing, not stored)");
    counted(report.failures, "instrument failures among the verdicts");
    if let Some(first) = &report.first {
        lines.push(format!("the first conversation: {}", visible(&first.id)));
        lines.push(format!("  asked     {}", excerpt(first.question())));
        let answer = first.answer.as_ref().map(|answer| answer.text.as_str());
        lines.push(format!("  answered  {}", answer.map_or_else(|| "nothing".to_owned(), excerpt)));
    }
    listed(&mut lines, "read", &report.read);
    listed(&mut lines, "left out", &report.left_out);
    lines.extend(redacted(&report.redacted));
    if report.refused > 0 {
        let to = if report.refused_to.is_empty() {
            String::new()
        } else {
            format!(", written to {}", report.refused_to.join(", "))
        };
        lines.push(format!("{} refused{to}", report.refused));
    }
    if report.dry_run {
        lines.push("nothing was stored (--dry-run)".to_owned());
    }
    lines.join("\n")
}

/// What was taken out, in a line.
fn redacted(redacted: &[Redacted]) -> Option<String> {
    let rules: Vec<String> = redacted
        .iter()
        .map(|Redacted { rule, values, places }| format!("{rule} {values} in {places} places"))
        .collect();
    (!rules.is_empty()).then(|| format!("taken out by redaction: {}", rules.join(", ")))
}

fn listed(lines: &mut Vec<String>, heading: &str, fields: &[FieldUse]) {
    if !fields.is_empty() {
        lines.push(format!("{heading}:"));
    }
    for FieldUse { field, what, count } in fields {
        lines.push(format!("  {count:6} × {}: {}", visible(field), visible(what)));
    }
}

/// The beginning of a text, in one line.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 100;
    let text = visible(text).replace('\n', " ");
    let short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

fn in_words(summary: &Summary) -> String {
    let mut words =
        vec![format!("{} rows: {} new, {} unchanged", summary.rows, summary.new, summary.unchanged)];
    if summary.missing > 0 {
        words.push(format!("{} without a value (missing, not stored)", summary.missing));
    }
    if summary.failures > 0 {
        words.push(format!("{} instrument failures among them", summary.failures));
    }
    if summary.rejected > 0 {
        let files = summary.rejected_to.join(", ");
        let to = if files.is_empty() { String::new() } else { format!(", written to {files}") };
        words.push(format!("{} refused{to}", summary.rejected));
    }
    words.extend(redacted(&summary.redacted));
    if summary.dry_run {
        words.push("nothing was stored (--dry-run)".to_owned());
    } else if summary.new == 0 && summary.rejected == 0 {
        words.push("nothing has changed".to_owned());
    }
    words.join("; ")
}

async fn rubrics(service: &Service, project: &str, files: &[PathBuf], dry_run: bool) -> anyhow::Result<u8> {
    let project = service.project(project).await?.id;
    for path in files {
        let rubric = Rubric::from_toml(&read(path)?)
            .map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
        let name = format!("{}@{}", rubric.name, rubric.version);
        if dry_run {
            say(&format!("{name} can be published; nothing was stored (--dry-run)"));
        } else if service.publish_rubric(project, &rubric, None).await? {
            say(&format!("{name} is published"));
        } else {
            say(&format!("{name} is published already; nothing has changed"));
        }
    }
    Ok(0)
}
