//! `touchstone import`.

use super::{print_json, read, say};
use clap::Subcommand;
use domain::Rubric;
use service::{
    DiagnosisQuery, Service, Viewer,
    import::{Kind, Options, Progress, Summary, no_redaction},
};
use std::{
    io::{IsTerminal, Write},
    path::PathBuf,
};

#[derive(Subcommand)]
pub(super) enum What {
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
    /// Recorded exchanges: JSON Lines or CSV
    #[command(after_help = "Example: touchstone import conversations --project shop conversations.jsonl")]
    Conversations(Files),
    /// What people said: CSV or JSON Lines
    #[command(after_help = "Example: touchstone import labels --project shop labels.csv --dry-run")]
    Labels(Files),
    /// What judges said: CSV or JSON Lines
    #[command(after_help = "Example: touchstone import verdicts --project shop verdicts.csv --keep-going")]
    Verdicts(Files),
}

#[derive(clap::Args)]
pub(super) struct Files {
    #[arg(long)]
    project: String,
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Check everything, store nothing
    #[arg(long)]
    dry_run: bool,
    /// Take the good rows, and write the others with their reasons to FILE.rejected.jsonl
    #[arg(long)]
    keep_going: bool,
}

pub(super) async fn run(service: &Service, what: What, json: bool) -> anyhow::Result<u8> {
    let (kind, files) = match what {
        What::Rubric { project, files, dry_run } => return rubrics(service, &project, &files, dry_run).await,
        What::Conversations(files) => (Kind::Conversations, files),
        What::Labels(files) => (Kind::Labels, files),
        What::Verdicts(files) => (Kind::Verdicts, files),
    };
    let project = service.project(&files.project).await?.id;
    let options = Options { dry_run: files.dry_run, keep_going: files.keep_going };
    let bar = std::io::stderr().is_terminal();
    let report = |progress| {
        if bar {
            show(progress);
        }
    };
    let summary = service.import(project, kind, &files.files, options, no_redaction(), report).await;
    if bar {
        say("");
    }
    let summary = summary?;
    if json {
        print_json(&summary)?;
    } else {
        say(&in_words(&summary));
    }
    if !files.dry_run && summary.new > 0 && service.is_diagnosed_ahead(project).await? {
        say("reading all conversations, so that the diagnosis waits for whoever opens it …");
        service.diagnosis(project, &DiagnosisQuery::default(), Viewer::Operator).await?;
    }
    Ok(0)
}

/// A line that is written over.
fn show(progress: Progress) {
    let percent = progress.read.saturating_mul(100) / progress.total.max(1);
    // Where standard error is closed nobody watches.
    let _ = write!(std::io::stderr().lock(), "\r{percent:3} %  {} rows", progress.rows);
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
        let files: Vec<String> = summary.rejected_to.iter().map(|path| path.display().to_string()).collect();
        let to = if files.is_empty() { String::new() } else { format!(", written to {}", files.join(", ")) };
        words.push(format!("{} refused{to}", summary.rejected));
    }
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
