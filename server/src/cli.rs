//! The command line. Data goes to standard output, progress and messages to standard error.

mod anchor_set;
mod assign;
mod calibrate;
pub(crate) mod check;
mod check_up;
pub(crate) mod ci;
mod client;
mod contrast;
mod decisions;
mod demo;
pub(crate) mod diagnose;
pub(crate) mod gate;
mod import;
mod judge;
mod people;
mod projects;
mod redaction;
mod release;
pub(crate) mod reports;
mod rubrics;
mod serve;
mod source;
mod text;
mod tokens;
mod watch;

use ::judge::Endpoints;
use clap::{Parser, Subcommand};
use client::Server;
use domain::{AnchorSetName, ReferenceRule, SliceBy, Split};
use service::Service;
use source::Source;
use std::{
    io::Write,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitCode,
};
use store::Store;
use time::OffsetDateTime;

/// Exit code where something broke: bad input, wrong usage, a file that cannot be read. A gate that broke never looks like one that
/// decided.
const BROKEN: u8 = 3;

const EXAMPLE: &str = "Example, from files to a decision:
  touchstone project create shop --rubric rubric.toml
  touchstone import conversations --project shop conversations.jsonl
  touchstone import labels --project shop labels.csv
  touchstone import verdicts --project shop verdicts.csv
  touchstone agreement --project shop
  touchstone gate --project shop --candidate new --incumbent old --policy policy.toml";

/// Tells whether a language model that grades an assistant can be believed, and keeps a worse one from being promoted.
#[derive(Parser)]
#[command(name = "touchstone", version, after_help = EXAMPLE)]
struct Cli {
    /// The database file
    #[arg(long, global = true, env = "TOUCHSTONE_DB", default_value = "touchstone.db", value_name = "FILE")]
    db: PathBuf,
    /// A server to ask instead of a file, by the commands that docs/API.md lists, with the API token in TOUCHSTONE_TOKEN
    #[arg(long, global = true, value_name = "URL")]
    server: Option<String>,
    /// Print JSON for machines
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the pages
    #[command(after_help = "Example: touchstone serve --listen 127.0.0.1:3000")]
    Serve {
        /// Address to listen on; plain http is for loopback alone
        #[arg(long, default_value = "127.0.0.1:3000", value_name = "ADDRESS")]
        listen: SocketAddr,
        /// What people type, where a server that speaks https stands in front
        #[arg(long, value_name = "https://HOST")]
        public_origin: Option<String>,
    },
    /// Seed the demo project; does nothing if it is there
    #[command(after_help = "Example: touchstone demo && touchstone serve")]
    Demo,
    /// Make and list projects
    #[command(subcommand, after_help = "Example: touchstone project create shop --rubric rubric.toml")]
    Project(projects::Projects),
    /// Rubrics to begin with
    #[command(subcommand, after_help = "Example: touchstone rubric show generation > rubric.toml")]
    Rubric(rubrics::Rubrics),
    /// Import files; all or nothing unless told otherwise
    Import(import::Import),
    /// Write conversations and the labels that count for another tool
    #[command(after_help = "Example: touchstone export --project shop --format label-studio > tasks.json")]
    Export {
        #[arg(long)]
        project: String,
        #[arg(long, value_name = "label-studio|ragas|huggingface")]
        format: service::ExportFormat,
    },
    /// What is taken out of everything that is imported
    #[command(
        subcommand,
        after_help = "Example: touchstone redaction set --project shop --kind e-mail,phone"
    )]
    Redaction(redaction::Redaction),
    /// Who labels what: batches, rules, how far people are
    #[command(
        subcommand,
        after_help = "Example: touchstone assign new --project shop pilot --people ada,ben --by category --each 10"
    )]
    Assign(assign::Assignments),
    /// How far people agree
    #[command(
        after_help = "Example: touchstone agreement --project shop --criterion helpfulness --by category --json"
    )]
    Agreement {
        #[arg(long)]
        project: String,
        /// One criterion only
        #[arg(long, value_name = "ID")]
        criterion: Option<String>,
        /// Cut into slices
        #[arg(long, value_name = "category|corpus|system|language|annotator")]
        by: Option<SliceBy>,
        #[arg(long, value_enum, default_value_t)]
        format: reports::Format,
    },
    /// Build references from labels
    #[command(subcommand, after_help = "Example: touchstone reference build --project shop --rule median")]
    Reference(Reference),
    /// Freeze references, and what to do with them
    #[command(
        subcommand,
        after_help = "Example: touchstone anchor-set freeze --project shop gold --size 300"
    )]
    AnchorSet(anchor_set::AnchorSets),
    /// Declare judges and run them
    #[command(
        subcommand,
        after_help = "Example: touchstone judge run --project shop strict --anchor-set gold@1"
    )]
    Judge(judge::Judges),
    /// Judges against people
    #[command(after_help = "Example: touchstone compare --project shop --rule median --incumbent old --json")]
    Compare {
        #[arg(long)]
        project: String,
        #[command(flatten)]
        reference: ReferenceChoice,
        /// One criterion only
        #[arg(long, value_name = "ID")]
        criterion: Option<String>,
        /// These judges only, separated by commas
        #[arg(long, value_delimiter = ',', value_name = "JUDGE,…")]
        judges: Vec<String>,
        /// The judge that the others are compared with
        #[arg(long, value_name = "JUDGE")]
        incumbent: Option<String>,
        /// Cut into slices: category, corpus, system or language
        #[arg(long)]
        by: Option<SliceBy>,
        #[arg(long, value_enum, default_value_t)]
        format: reports::Format,
    },
    /// The items that a judge wins and loses against another, with the reasons; alone, those on which it is furthest from people
    #[command(
        after_help = "Example: touchstone contrast --project shop --judge new --against old --criterion helpful --outcome lost"
    )]
    Contrast {
        #[arg(long)]
        project: String,
        #[arg(long, value_name = "JUDGE")]
        judge: String,
        #[arg(long, value_name = "ID")]
        criterion: String,
        /// The judge that it is held against
        #[arg(long, value_name = "JUDGE")]
        against: Option<String>,
        /// Only items that it won, lost, answered as near, or on which one of the two has no value
        #[arg(long, value_name = "won|lost|even|unanswered")]
        outcome: Option<domain::ContrastOutcome>,
        /// Only items of one slice, as category=NAME
        #[arg(long, value_name = "BY=NAME", value_parser = slice_named)]
        slice: Option<domain::SliceNamed>,
        /// At most so many items
        #[arg(long, value_name = "N", default_value_t = 40)]
        most: usize,
        #[command(flatten)]
        reference: ReferenceChoice,
    },
    /// May a judge be promoted? Exit 0 promote, 1 hold, 2 inconclusive, 3 broken
    #[command(
        after_help = "Example: touchstone gate --project shop --candidate new --incumbent old --policy policy.toml --format junit"
    )]
    Gate {
        #[arg(long)]
        project: String,
        /// The judge that would be promoted
        #[arg(long, value_name = "JUDGE", required_unless_present = "replay")]
        candidate: Option<String>,
        /// The judge in place; rules that need one are left out without it
        #[arg(long, value_name = "JUDGE")]
        incumbent: Option<String>,
        /// The rules, in TOML; the project's own policy where absent
        #[arg(long, value_name = "FILE")]
        policy: Option<PathBuf>,
        #[command(flatten)]
        reference: ReferenceChoice,
        /// Decide a recorded decision again, on the data as they were then: the same record, or what has changed
        #[arg(long, value_name = "DECISION", conflicts_with_all = ["candidate", "incumbent", "policy", "rule", "annotators", "anchor_set"])]
        replay: Option<String>,
        #[arg(long, value_enum, default_value_t)]
        format: ci::Format,
    },
    /// The policy that gates ask by default
    #[command(subcommand, after_help = "Example: touchstone policy save --project shop policy.toml")]
    Policy(release::Policies),
    /// Move a judge's pass threshold to where it passes what people pass
    #[command(
        subcommand,
        after_help = "Example: touchstone threshold propose --project shop --judge new --criterion helpful --anchor-set gold@1"
    )]
    Threshold(release::Thresholds),
    /// Put the candidate of a PROMOTE decision on a frozen anchor set into slots
    #[command(
        after_help = "Example: touchstone promote --project shop DECISION --purpose routine --reason 'closer to people at half the price'"
    )]
    Promote(release::Promotion),
    /// Do promoted judges still answer as they did? Asks them again about their anchor sets. Exit 0 steady, 1 drifted, 2 cannot say, 3 broken
    #[command(after_help = "Example: touchstone calibrate --project shop --purpose routine")]
    Calibrate {
        #[arg(long)]
        project: String,
        /// Judges that stand on this criterion only
        #[arg(long, value_name = "ID")]
        criterion: Option<String>,
        /// Judges that stand for this purpose only
        #[arg(long, value_name = "inline|routine|release")]
        purpose: Option<domain::Purpose>,
        /// How often each item is asked about: twice or more tells drift from noise
        #[arg(long, value_name = "N", default_value_t = 2)]
        repeats: u32,
    },
    /// Take the judge that was promoted last out of a slot; what stood before stands again
    #[command(
        after_help = "Example: touchstone rollback --project shop --criterion helpful --purpose routine --reason 'drifts since Monday'"
    )]
    Rollback {
        #[arg(long)]
        project: String,
        #[arg(long, value_name = "ID")]
        criterion: String,
        #[arg(long, value_name = "inline|routine|release")]
        purpose: domain::Purpose,
        /// Why, for the log
        #[arg(long)]
        reason: String,
    },
    /// Which judge stands where
    #[command(after_help = "Example: touchstone slots --project shop --json")]
    Slots {
        #[arg(long)]
        project: String,
    },
    /// What was asked, decided, moved and promoted, newest first
    #[command(after_help = "Example: touchstone log --project shop --json")]
    Log {
        #[arg(long)]
        project: String,
    },
    /// Do the golden cases pass? Exit 0 all pass, 1 a case fails, 2 there is nothing to check, 3 broken
    #[command(
        after_help = "Example: touchstone check --project shop --category tool --judge strict --criterion correctness --criterion faithfulness=5 --format junit"
    )]
    Check {
        #[arg(long)]
        project: String,
        /// These categories only, separated by commas
        #[arg(long, value_delimiter = ',', value_name = "CATEGORY,…")]
        category: Vec<String>,
        /// The judge whose scores a case must reach too; a missing or invalid one fails it
        #[arg(long, value_name = "JUDGE", requires = "criterion")]
        judge: Option<String>,
        /// A criterion that the judge scores, with its least level; the pass level of its scale where absent, 4 on a scale of 1 to 5
        #[arg(long, value_name = "ID[=LEVEL]", requires = "judge")]
        criterion: Vec<service::CriterionAsked>,
        #[arg(long, value_enum, default_value_t)]
        format: ci::Format,
    },
    /// Where conversations fail: metrics from people and from a judge, first stage that breaks, worst conversations
    #[command(after_help = "Example: touchstone diagnose --project shop --by corpus
         touchstone diagnose --project shop --from strict --json")]
    Diagnose {
        #[arg(long)]
        project: String,
        /// Whose word the figures are
        #[arg(long, default_value = domain::LABELS, value_name = "labels|JUDGE")]
        from: String,
        /// The judge that stands beside the labels; the one with the most values where absent
        #[arg(long, value_name = "JUDGE")]
        judge: Option<String>,
        /// Cut into slices
        #[arg(long, value_name = "category|corpus|system|language")]
        by: Option<SliceBy>,
        /// How many passages `@k` considers
        #[arg(long, default_value_t = 5)]
        k: u32,
        /// Order the passages by this judge's grades, and not as they were retrieved
        #[arg(long, value_name = "JUDGE")]
        ranked_by: Option<String>,
        #[command(flatten)]
        reference: ReferenceChoice,
        #[arg(long, value_enum, default_value_t)]
        format: reports::Format,
    },
    /// What was decided, newest first; with an id, one decision
    #[command(after_help = "Example: touchstone decisions --project shop --json")]
    Decisions {
        #[arg(long)]
        project: String,
        #[arg(value_name = "DECISION")]
        id: Option<String>,
        #[arg(long, value_enum, default_value_t)]
        format: ci::Format,
    },
    /// Production: how it stands, what fell, samples of it
    #[command(subcommand, after_help = "Example: touchstone watch report --project shop")]
    Watch(watch::Watch),
    /// Tokens that let programs in
    #[command(subcommand, after_help = "Example: touchstone token create ci --user ada --scope read,gate")]
    Token(tokens::Tokens),
    /// Accounts and invitations
    #[command(subcommand, after_help = "Example: touchstone user invite --project shop --role annotator")]
    User(people::People),
    /// Copy the database to a new file, while it is in use
    #[command(after_help = "Example: touchstone backup monday.db")]
    Backup {
        /// The copy; it must not be there yet
        #[arg(value_name = "FILE")]
        to: PathBuf,
    },
    /// Look the database over
    #[command(after_help = "Example: touchstone doctor --json")]
    Doctor,
}

impl Command {
    /// Whether a server can be asked for it; the others work on a file.
    fn is_served(&self) -> bool {
        use anchor_set::AnchorSets::{Export, List as ListSets};
        use judge::Judges::{List as ListJudges, Runs};
        match self {
            Command::Agreement { .. }
            | Command::Compare { .. }
            | Command::Contrast { .. }
            | Command::Slots { .. }
            | Command::Log { .. }
            | Command::Gate { .. }
            | Command::Check { .. }
            | Command::Diagnose { .. }
            | Command::Decisions { .. } => true,
            Command::Import(import) => import.is_served(),
            Command::AnchorSet(command) => matches!(command, Export { .. } | ListSets { .. }),
            Command::Judge(command) => matches!(command, ListJudges { .. } | Runs { .. }),
            _ => false,
        }
    }
}

#[derive(Subcommand)]
enum Reference {
    /// Apply a rule to the labels and keep the outcome
    #[command(
        after_help = "Example: touchstone reference build --project shop --rule majority --annotators ada,ben,chloe"
    )]
    Build {
        #[arg(long)]
        project: String,
        /// How several labels become one
        #[arg(long, value_name = "unanimous|majority|median|adjudicated")]
        rule: ReferenceRule,
        /// Whose labels, separated by commas; all where absent
        #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
        annotators: Vec<String>,
        /// One criterion only
        #[arg(long, value_name = "ID")]
        criterion: Option<String>,
    },
    /// Write the references that were stored last, each with what it was made of
    #[command(after_help = "Example: touchstone reference export --project shop > references.json")]
    Export {
        #[arg(long)]
        project: String,
    },
    /// Take references that were exported, with the decisions behind them
    #[command(after_help = "Example: touchstone reference import --project shop references.json")]
    Import {
        #[arg(long)]
        project: String,
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

/// Where the human values come from.
#[derive(clap::Args)]
struct ReferenceChoice {
    /// How several labels become one; as the last built references where absent
    #[arg(long, value_name = "unanimous|majority|median|adjudicated")]
    rule: Option<ReferenceRule>,
    /// Whose labels, separated by commas; all where absent
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    annotators: Vec<String>,
    /// A frozen anchor set instead of live labels
    #[arg(long, value_name = "NAME@VERSION", conflicts_with_all = ["rule", "annotators"])]
    anchor_set: Option<AnchorSetName>,
    /// The part of the anchor set; confirm for a gate, tune for everything else where absent. Each look at confirm is recorded
    #[arg(long, value_name = "tune|confirm", requires = "anchor_set")]
    split: Option<Split>,
    /// Why confirm is opened, for the record
    #[arg(long, requires = "anchor_set")]
    why: Option<String>,
}

impl ReferenceChoice {
    /// What was chosen; of an anchor set the `usual` split where none was named.
    fn or_split(self, usual: Split) -> service::ReferenceChoice {
        let ReferenceChoice { rule, annotators, anchor_set, split, why } = self;
        match anchor_set {
            None => service::ReferenceChoice::Labels { rule, annotators },
            Some(name) => service::ReferenceChoice::AnchorSet { name, split: split.unwrap_or(usual), why },
        }
    }
}

/// Runs the program with the arguments of the process, and gives its exit code.
#[must_use]
pub fn run() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are answers; everything else is wrong usage.
            let broken = error.use_stderr();
            // Where not even a message can be written there is nothing left to do.
            let _ = error.print();
            return if broken { ExitCode::from(BROKEN) } else { ExitCode::SUCCESS };
        }
    };
    // Streams of pages and reports share the workers: fewer than four can wait on each other.
    let workers = std::thread::available_parallelism().map_or(4, |cores| cores.get().max(4));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(workers).enable_all().build();
    let done = match runtime {
        Ok(runtime) => runtime.block_on(execute(cli)),
        Err(error) => Err(error.into()),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            say(&format!("touchstone: {error}"));
            ExitCode::from(BROKEN)
        }
    }
}

async fn execute(cli: Cli) -> anyhow::Result<u8> {
    let Cli { db, server, json, command } = cli;
    if server.is_some() && !command.is_served() {
        anyhow::bail!("this works on a database file: leave --server out, and name the file with --db");
    }
    let source = async || match &server {
        Some(address) => anyhow::Ok(Source::Server(Server::at(address)?)),
        None => Ok(Source::File(open(&db).await?)),
    };
    match command {
        Command::Serve { listen, public_origin } => {
            serve::serve(&db, listen, public_origin, Endpoints::configured()?).await
        }
        Command::Demo => demo::seed(&open_or_create(&db).await?).await,
        Command::Project(command) => projects::run(&open_or_create(&db).await?, command, json).await,
        Command::Rubric(command) => rubrics::run(command, json),
        Command::Import(import) => import::run(&source().await?, import, json).await,
        Command::Export { project, format } => {
            let service = open(&db).await?;
            let project = service.project(&project).await?.id;
            print(&service.export(project, format, service::Viewer::Operator).await?)?;
            Ok(0)
        }
        Command::Redaction(command) => redaction::run(&open(&db).await?, command, json).await,
        Command::Assign(command) => assign::run(&open(&db).await?, command, json).await,
        Command::Agreement { project, criterion, by, format } => {
            reports::agreement(&source().await?, &project, criterion, by, format.or_json(json)).await
        }
        Command::Reference(Reference::Build { project, rule, annotators, criterion }) => {
            reports::build_references(
                &open(&db).await?,
                &project,
                rule,
                &annotators,
                criterion.as_deref(),
                json,
            )
            .await
        }
        Command::Reference(Reference::Export { project }) => {
            reports::export_references(&open(&db).await?, &project).await
        }
        Command::Reference(Reference::Import { project, file }) => {
            reports::import_references(&open(&db).await?, &project, &read(&file)?, json).await
        }
        Command::AnchorSet(anchor_set::AnchorSets::List { project }) => {
            anchor_set::list(&source().await?, &project, json).await
        }
        Command::AnchorSet(anchor_set::AnchorSets::Export { project, set, to }) => {
            anchor_set::export(&source().await?, &project, &set, to.as_deref(), json).await
        }
        Command::AnchorSet(anchor_set::AnchorSets::Verify { file }) => anchor_set::verify(&file, json),
        Command::AnchorSet(command) => anchor_set::run(&open(&db).await?, command, json).await,
        Command::Judge(judge::Judges::List { project }) => {
            judge::list(&source().await?, &project, json).await
        }
        Command::Judge(judge::Judges::Runs { project }) => {
            judge::runs(&source().await?, &project, json).await
        }
        Command::Judge(judge::Judges::Library { name }) => judge::library(name.as_deref(), json),
        Command::Judge(command) => {
            let service = open(&db).await?.with_endpoints(Endpoints::configured()?);
            let done = judge::run(&service, command, json).await;
            // What is still under way, as after one of several runs that could not begin, is paid for.
            service.leave().await;
            done
        }
        Command::Compare { project, reference, criterion, judges, incumbent, by, format } => {
            let reference = reference.or_split(Split::Tune);
            let query = service::ComparisonQuery { reference, criterion, judges, incumbent, by };
            reports::comparison(&source().await?, &project, &query, format.or_json(json)).await
        }
        Command::Contrast { project, judge, criterion, against, outcome, slice, most, reference } => {
            let choice = domain::ContrastChoice { criterion, judge, against, slice };
            let reference = reference.or_split(Split::Tune);
            let query = service::ContrastQuery { reference, choice, outcome, cell: None, most };
            contrast::run(&source().await?, &project, &query, json).await
        }
        Command::Gate { project, replay: Some(decision), format, .. } => {
            gate::replay(&open(&db).await?, &project, &decision, format.or_json(json)).await
        }
        Command::Gate { project, candidate, incumbent, policy, reference, replay: None, format } => {
            let (candidate, reference) = (candidate.unwrap_or_default(), reference.or_split(Split::Confirm));
            let policy = policy.as_deref().map(read).transpose()?;
            let request = service::GateRequest { candidate, incumbent, policy, reference };
            gate::run(&source().await?, &project, request, format.or_json(json)).await
        }
        Command::Policy(command) => release::policy(&open(&db).await?, command, json).await,
        Command::Threshold(command) => release::threshold(&open(&db).await?, command, json).await,
        Command::Promote(promotion) => release::promote(&open(&db).await?, promotion, json).await,
        Command::Calibrate { project, criterion, purpose, repeats } => {
            let request = service::RecalibrationRequest { criterion, purpose, repeats };
            calibrate::run(
                &open(&db).await?.with_endpoints(Endpoints::configured()?),
                &project,
                &request,
                json,
            )
            .await
        }
        Command::Rollback { project, criterion, purpose, reason } => {
            release::roll_back(&open(&db).await?, &project, &criterion, purpose, &reason, json).await
        }
        Command::Slots { project } => release::slots(&source().await?, &project, json).await,
        Command::Log { project } => release::log(&source().await?, &project, json).await,
        Command::Check { project, category, judge, criterion, format } => {
            let query = service::CheckQuery { categories: category, judge, criteria: criterion };
            check::run(&source().await?, &project, &query, format.or_json(json)).await
        }
        Command::Diagnose { project, from, judge, by, k, ranked_by, reference, format } => {
            let reference = reference.or_split(Split::Tune);
            let query = service::DiagnosisQuery { from, judge, reference, by, k, ranked_by };
            diagnose::run(&source().await?, &project, &query, format.or_json(json)).await
        }
        Command::Decisions { project, id, format } => {
            decisions::run(&source().await?, &project, id.as_deref(), format.or_json(json)).await
        }
        Command::Watch(command) => {
            let mut service = open(&db).await?.with_endpoints(Endpoints::configured()?);
            if let Some(public_origin) = command.public_origin() {
                service = service.with_webhook(service::Webhook::configured(public_origin)?);
            }
            watch::run(&service, command, json).await
        }
        Command::Token(command) => tokens::run(&open(&db).await?, command, json).await,
        Command::User(command) => people::run(&open_or_create(&db).await?, command, json).await,
        Command::Backup { to } => check_up::backup(&open(&db).await?, &to).await,
        Command::Doctor => check_up::doctor(&open(&db).await?, json).await,
    }
}

async fn open(db: &Path) -> anyhow::Result<Service> {
    Ok(Service::new(Store::open_existing(db).await?, OffsetDateTime::now_utc))
}

async fn open_or_create(db: &Path) -> anyhow::Result<Service> {
    Ok(Service::new(Store::open(db).await?, OffsetDateTime::now_utc))
}

fn read(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))
}

/// Writes data to standard output. That whoever reads it had enough of it changes nothing, the exit code of a gate least of all.
fn print(text: &str) -> std::io::Result<()> {
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let mut out = std::io::stdout().lock();
    let written =
        [text, end].iter().try_for_each(|part| out.write_all(part.as_bytes())).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes a value as JSON to standard output.
fn print_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    Ok(print(&serde_json::to_string_pretty(value)?)?)
}

/// Writes a message to standard error; where that is closed, nobody wants it.
fn say(message: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{message}");
}

/// `BY=NAME` as a slice; what stands behind the sign may be empty.
fn slice_named(text: &str) -> Result<domain::SliceNamed, String> {
    let (by, value) = text.split_once('=').ok_or("expected BY=NAME, such as category=policy")?;
    Ok(domain::SliceNamed { by: by.parse()?, value: value.to_owned() })
}
