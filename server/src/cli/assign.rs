//! `touchstone assign`: who labels what.

use super::{print, print_json, read, say, text};
use clap::Subcommand;
use domain::{AnchorSetName, BatchChoice, LabellingRules, SliceBy};
use service::{BatchRequest, Rounds, Service, Viewer};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(super) enum Assignments {
    /// Give conversations to people as a batch; from the first one on, nothing is given out beside batches
    #[command(
        after_help = "Example: touchstone assign new --project shop pilot --people ada,ben --by category --each 10
         touchstone assign new --project shop second --people ada,chloe --conversation c1,c7
         touchstone assign new --project shop entry --people dora --anchor-set gold@1"
    )]
    New {
        #[arg(long)]
        project: String,
        /// Name of the batch
        name: String,
        /// Accounts of those who label it, separated by commas
        #[arg(long, required = true, value_delimiter = ',', value_name = "ACCOUNT,…")]
        people: Vec<String>,
        /// How many of them each conversation wants; all where absent
        #[arg(long, value_name = "N")]
        overlap: Option<u32>,
        /// Decides what is drawn, and each person's own order
        #[arg(long, default_value_t = 1)]
        seed: u32,
        #[command(flatten)]
        choice: Choice,
    },
    /// Take a person into a batch; what was labelled before counts
    #[command(after_help = "Example: touchstone assign add --project shop pilot chloe")]
    Add {
        #[arg(long)]
        project: String,
        batch: String,
        account: String,
    },
    /// Take a person out of a batch; what was labelled counts
    #[command(after_help = "Example: touchstone assign remove --project shop pilot ben")]
    Remove {
        #[arg(long)]
        project: String,
        batch: String,
        account: String,
    },
    /// Give nothing of a batch out any more
    #[command(after_help = "Example: touchstone assign close --project shop pilot")]
    Close {
        #[arg(long)]
        project: String,
        batch: String,
    },
    /// Say how conversations are given out
    #[command(
        after_help = "Example: touchstone assign rules --project shop --order-seed 1 --repeat-every 10"
    )]
    Rules {
        #[arg(long)]
        project: String,
        /// How many annotators each conversation wants, where no batch says otherwise
        #[arg(long, value_name = "N")]
        overlap: Option<u32>,
        /// How long a place is kept for whoever has a conversation on the desk and says nothing
        #[arg(long, value_name = "HOURS")]
        reservation_hours: Option<u32>,
        /// Gives each annotator an order of their own; `import` for the order of import
        #[arg(long, value_name = "SEED|import", value_parser = seed_or_import)]
        order_seed: Option<OrderSeed>,
        /// After so many conversations one comes again, unmarked; 0 for never
        #[arg(long, value_name = "N")]
        repeat_every: Option<u32>,
        /// Show people what others said of what they submitted
        #[arg(long, value_name = "true|false")]
        show_others: Option<bool>,
    },
    /// How far batches and people are
    #[command(after_help = "Example: touchstone assign list --project shop --json")]
    List {
        #[arg(long)]
        project: String,
    },
}

/// What decides the order in which conversations come; none: the order of import.
pub(super) type OrderSeed = Option<u32>;

pub(super) fn seed_or_import(text: &str) -> Result<OrderSeed, String> {
    match text {
        "import" => Ok(None),
        _ => text.parse().map(Some).map_err(|_| "expected a whole number, or `import`".to_owned()),
    }
}

/// Which conversations.
#[derive(clap::Args)]
#[group(required = true, multiple = true)]
pub(super) struct Choice {
    /// These, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "ID,…", conflicts_with_all = ["list", "by", "rest", "anchor_set"])]
    conversation: Vec<String>,
    /// Those in a file, one id a line
    #[arg(long, value_name = "FILE", conflicts_with_all = ["by", "rest", "anchor_set"])]
    list: Option<PathBuf>,
    /// So many of each slice, of those in no batch
    #[arg(long, value_name = "category|corpus|system|language", requires = "each", conflicts_with_all = ["rest", "anchor_set"])]
    by: Option<SliceBy>,
    /// How many of each slice
    #[arg(long, value_name = "N", requires = "by")]
    each: Option<u32>,
    /// All that are in no batch
    #[arg(long, conflicts_with = "anchor_set")]
    rest: bool,
    /// Those of a frozen set: a qualification round, at whose end each person sees the references
    #[arg(long, value_name = "NAME@VERSION")]
    anchor_set: Option<AnchorSetName>,
}

impl Choice {
    fn made(self) -> anyhow::Result<BatchChoice> {
        Ok(match (self.by, self.each, self.anchor_set, self.list) {
            (_, _, Some(set), _) => BatchChoice::AnchorSet(set),
            (Some(by), Some(each), ..) => BatchChoice::Drawn { by, each },
            (_, _, _, Some(file)) => BatchChoice::Listed(lines(&read(&file)?)),
            _ if self.rest => BatchChoice::Rest,
            _ => BatchChoice::Listed(self.conversation),
        })
    }
}

/// The ids in a file, one a line.
fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

pub(super) async fn run(service: &Service, command: Assignments, json: bool) -> anyhow::Result<u8> {
    match command {
        Assignments::New { project, name, people, overlap, seed, choice } => {
            let project = service.project(&project).await?.id;
            let request = BatchRequest { name, choice: choice.made()?, people, overlap, seed };
            let count = service.assign(project, &request, None).await?;
            say(&format!("`{}` gives {count} conversations to {}.", request.name, request.people.join(", ")));
        }
        Assignments::Add { project, batch, account } => {
            let project = service.project(&project).await?.id;
            service.join_batch(project, &batch, &account, None).await?;
            say(&format!("`{account}` labels `{batch}` too."));
        }
        Assignments::Remove { project, batch, account } => {
            let project = service.project(&project).await?.id;
            service.leave_batch(project, &batch, &account, None).await?;
            say(&format!("`{account}` gets nothing more of `{batch}`; what was labelled counts."));
        }
        Assignments::Close { project, batch } => {
            let project = service.project(&project).await?.id;
            service.close_batch(project, &batch, None).await?;
            say(&format!("Nothing of `{batch}` is given out any more."));
        }
        Assignments::Rules { project, overlap, reservation_hours, order_seed, repeat_every, show_others } => {
            let project = service.project(&project).await?.id;
            let before = service.labelling_rules(project).await?;
            let rules = LabellingRules {
                overlap: overlap.unwrap_or(before.overlap),
                reservation_hours: reservation_hours.unwrap_or(before.reservation_hours),
                order_seed: order_seed.unwrap_or(before.order_seed),
                repeat_every: repeat_every
                    .map_or(before.repeat_every, |every| Some(every).filter(|every| *every > 0)),
                shows_others: show_others.unwrap_or(before.shows_others),
            };
            if rules != before {
                service.set_labelling_rules(project, &rules, None).await?;
            }
            print_json(&rules)?;
        }
        Assignments::List { project } => {
            let project = service.project(&project).await?.id;
            let rounds = service.rounds(project, Viewer::Operator).await?;
            if json { print_json(&rounds)? } else { print(&in_words(&rounds))? }
        }
    }
    Ok(0)
}

fn in_words(rounds: &Rounds) -> String {
    let mut words = String::new();
    for batch in &rounds.batches {
        let closed = if batch.closed { ", closed" } else { "" };
        words.push_str(&format!(
            "{}: {} of {} conversations have {} annotators{closed}\n",
            batch.name, batch.complete, batch.conversations, batch.overlap
        ));
        let rows: Vec<Vec<String>> = batch
            .people
            .iter()
            .map(|person| {
                let left = if person.left { "taken out" } else { "" };
                vec![
                    format!("  {}", person.account),
                    format!("{} submitted", person.submitted),
                    left.to_owned(),
                ]
            })
            .collect();
        words.push_str(&text::columns(&rows));
    }
    let header = ["account", "submitted", "skipped", "on the desk", "labels an hour"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for person in &rounds.people {
        rows.push(vec![
            person.account.clone(),
            person.submitted.to_string(),
            person.skipped.to_string(),
            person.open.to_string(),
            text::number(person.labels_per_hour(), 0),
        ]);
    }
    words.push_str(&text::columns(&rows));
    words
}
