//! `touchstone policy`, `threshold`, `promote`, `rollback`, `slots` and `log`.

use super::{ReferenceChoice, print, print_json, read, source::Source, text};
use clap::{Args, Subcommand};
use domain::{
    PromotedJudge, Purpose, ReleaseEvent, ReleaseLogEntry, SlotAct, SlotChange, Split, ThresholdProposal,
    agreement::ThresholdPoint, visible,
};
use service::{PromotionRequest, Service, ThresholdChoice, ThresholdQuery, Viewer};
use std::path::PathBuf;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

#[derive(Subcommand)]
pub(super) enum Policies {
    /// Keep a file as the next version of the project's policy
    #[command(after_help = "Example: touchstone policy save --project shop policy.toml")]
    Save {
        #[arg(long)]
        project: String,
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Print the policy as it was saved last
    #[command(after_help = "Example: touchstone policy show --project shop > policy.toml")]
    Show {
        #[arg(long)]
        project: String,
    },
}

#[derive(Subcommand)]
pub(super) enum Thresholds {
    /// Show how far people and judge agree on what passes, at every threshold
    #[command(
        after_help = "Example: touchstone threshold propose --project shop --judge new --criterion helpful --anchor-set gold@1"
    )]
    Propose(Asked),
    /// Accept a threshold for the instrument that answered
    #[command(
        after_help = "Example: touchstone threshold accept --project shop --judge new --criterion helpful --anchor-set gold@1 --reason 'the new model is less strict'"
    )]
    Accept {
        #[command(flatten)]
        asked: Asked,
        /// The judge passes from here on; the proposed one where absent
        #[arg(long, value_name = "LEVEL")]
        threshold: Option<f64>,
        /// Why, for the log
        #[arg(long)]
        reason: String,
    },
}

/// Which threshold is asked about.
#[derive(Args)]
pub(super) struct Asked {
    #[arg(long)]
    project: String,
    #[arg(long, value_name = "JUDGE")]
    judge: String,
    #[arg(long, value_name = "ID")]
    criterion: String,
    #[command(flatten)]
    reference: ReferenceChoice,
}

impl Asked {
    fn query(self) -> (String, ThresholdQuery) {
        let reference = self.reference.or_split(Split::Tune);
        (self.project, ThresholdQuery { judge: self.judge, criterion: self.criterion, reference })
    }
}

#[derive(Args)]
pub(super) struct Promotion {
    #[arg(long)]
    project: String,
    /// Id of the decision
    decision: String,
    /// What the judge is to be used for
    #[arg(long, value_name = "inline|routine|release")]
    purpose: Purpose,
    /// These criteria only, separated by commas; all that were decided on where absent
    #[arg(long, value_delimiter = ',', value_name = "ID,…")]
    criterion: Vec<String>,
    /// Why, for the log
    #[arg(long)]
    reason: String,
    /// Why a model under a floating name, which the provider may point elsewhere, may stand all the same
    #[arg(long, value_name = "REASON")]
    floating_reason: Option<String>,
}

pub(super) async fn policy(service: &Service, command: Policies, json: bool) -> anyhow::Result<u8> {
    match command {
        Policies::Save { project, file } => {
            let project = service.project(&project).await?.id;
            let saved = service.save_policy(project, &read(&file)?, None).await?;
            if json {
                print_json(&saved)?;
            } else {
                print(&format!(
                    "policy {} version {}, hash {}",
                    visible(&saved.name),
                    saved.version,
                    saved.hash.short()
                ))?;
            }
        }
        Policies::Show { project } if json => {
            let id = service.project(&project).await?.id;
            print_json(&service.policies(id).await?)?;
        }
        Policies::Show { project } => {
            let id = service.project(&project).await?.id;
            print(&service.own_policy(id).await?)?;
        }
    }
    Ok(0)
}

pub(super) async fn threshold(service: &Service, command: Thresholds, json: bool) -> anyhow::Result<u8> {
    match command {
        Thresholds::Propose(asked) => {
            let (project, query) = asked.query();
            let project = service.project(&project).await?.id;
            let proposal = service.propose_threshold(project, &query, Viewer::Operator).await?;
            if json { print_json(&proposal)? } else { print(&proposed(&proposal))? }
        }
        Thresholds::Accept { asked, threshold, reason } => {
            let (project, query) = asked.query();
            let project = service.project(&project).await?.id;
            let choice = ThresholdChoice { query, threshold, seen: None, reason };
            let accepted = service.accept_threshold(project, &choice, None, Viewer::Operator).await?;
            if json {
                print_json(&accepted)?;
            } else {
                let judge = format!("{}@{}", visible(&accepted.judge), visible(&accepted.version));
                let (criterion, before, now) = (&accepted.criterion, accepted.before, accepted.threshold);
                print(&format!("{judge} passes {criterion} from {now} on, before from {before}"))?;
            }
        }
    }
    Ok(0)
}

pub(super) async fn promote(service: &Service, promotion: Promotion, json: bool) -> anyhow::Result<u8> {
    let project = service.project(&promotion.project).await?.id;
    let request = PromotionRequest {
        decision: promotion.decision,
        purpose: promotion.purpose,
        criteria: promotion.criterion,
        reason: promotion.reason,
        floating_reason: promotion.floating_reason,
    };
    shown(&service.promote(project, &request, None).await?, json)
}

pub(super) async fn roll_back(
    service: &Service,
    project: &str,
    criterion: &str,
    purpose: Purpose,
    reason: &str,
    json: bool,
) -> anyhow::Result<u8> {
    let project = service.project(project).await?.id;
    let changed = service.roll_back(project, criterion, purpose, reason, None).await?;
    if json {
        print_json(&changed)?
    } else {
        print(&slots_in_words(&[changed]))?
    }
    Ok(0)
}

pub(super) async fn slots(source: &Source, project: &str, json: bool) -> anyhow::Result<u8> {
    shown(&source.slots(project).await?, json)
}

pub(super) async fn log(source: &Source, project: &str, json: bool) -> anyhow::Result<u8> {
    let log = source.release_log(project).await?;
    if json {
        print_json(&log)?;
    } else if log.is_empty() {
        print("nothing has been decided yet")?;
    } else {
        print(&log.iter().map(line).collect::<String>())?;
    }
    Ok(0)
}

fn shown(slots: &[SlotChange], json: bool) -> anyhow::Result<u8> {
    if json {
        print_json(&slots)?;
    } else if slots.is_empty() {
        print("no judge has been promoted yet")?;
    } else {
        print(&slots_in_words(slots))?;
    }
    Ok(0)
}

fn slots_in_words(slots: &[SlotChange]) -> String {
    let rows: Vec<Vec<String>> = slots
        .iter()
        .map(|slot| {
            let stands = slot.stands.as_ref();
            vec![
                slot.criterion.clone(),
                slot.purpose.to_string(),
                stands.map_or_else(|| "nothing".to_owned(), |judge| visible(&judge.full_name())),
                text::number(stands.and_then(|judge| judge.threshold), 2),
                moment(slot.at),
            ]
        })
        .collect();
    let head = ["criterion", "purpose", "judge", "passes from", "since (UTC)"].map(str::to_owned).to_vec();
    text::columns(&[vec![head], rows].concat())
}

fn proposed(proposal: &ThresholdProposal) -> String {
    let row = |point: &ThresholdPoint| {
        let mark = match point.threshold {
            threshold if threshold.total_cmp(&proposal.proposed.threshold).is_eq() => "proposed",
            threshold if threshold.total_cmp(&proposal.before.threshold).is_eq() => "now",
            _ => "",
        };
        vec![
            point.threshold.to_string(),
            text::number(point.kappa, 2),
            text::number(Some(point.agreement), 2),
            text::number(Some(point.pass_rate), 2),
            mark.to_owned(),
        ]
    };
    let head = ["threshold", "κ of passing", "agreement", "pass rate", ""].map(str::to_owned).to_vec();
    let rows: Vec<Vec<String>> = proposal.sweep.iter().map(row).collect();
    format!(
        "{} on {}: people pass {:.2} from {} on\n\n{}\ndata {}\n",
        visible(&proposal.judge),
        proposal.criterion,
        proposal.before.human_pass_rate,
        proposal.pass_level,
        text::columns(&[vec![head], rows].concat()),
        proposal.data_hash.short()
    )
}

fn line(entry: &ReleaseLogEntry) -> String {
    let by = entry.by.as_deref().map_or_else(|| "–".to_owned(), visible);
    let (what, detail) = event(&entry.event);
    format!("{}  {by}  {what:<9}  {detail}\n", moment(entry.at))
}

/// What it was in a word, and the particulars.
fn event(event: &ReleaseEvent) -> (&'static str, String) {
    match event {
        ReleaseEvent::Gate { decision, outcome, candidate, incumbent, .. } => {
            let against =
                incumbent.as_ref().map(|judge| format!(" against {}", visible(judge))).unwrap_or_default();
            ("gate", format!("{} {}{against}, decision {decision}", outcome.word(), visible(candidate)))
        }
        ReleaseEvent::Slot(change) => {
            let stands =
                change.stands.as_ref().map_or_else(|| "nothing".to_owned(), PromotedJudge::full_name);
            let slot = format!("{} for {}: {}", change.criterion, change.purpose, visible(&stands));
            let what = if change.act == SlotAct::Promote { "promote" } else { "rollback" };
            (what, format!("{slot} ({})", visible(&change.reason)))
        }
        ReleaseEvent::Threshold(accepted) => {
            let judge = format!("{}@{} on {}", accepted.judge, accepted.version, accepted.criterion);
            let moved = format!("{} → {}", accepted.before, accepted.threshold);
            ("threshold", format!("{}: {moved} ({})", visible(&judge), visible(&accepted.reason)))
        }
        ReleaseEvent::Confirm { anchor_set, candidates, look, why } => {
            let why = why.as_deref().map_or_else(|| "no reason given".to_owned(), visible);
            ("confirm", format!("look {look} at {} on {anchor_set} ({why})", visible(&candidates.join(", "))))
        }
        ReleaseEvent::Recalibration(found) => {
            let judge = visible(&format!("{}@{}", found.judge, found.version));
            ("calibrate", format!("{}: {judge} on {}", found.verdict.word(), found.anchor_set))
        }
        ReleaseEvent::Policy { version, name, hash } => {
            ("policy", format!("{} version {version}, hash {}", visible(name), hash.short()))
        }
    }
}

fn moment(at: OffsetDateTime) -> String {
    let text = at.format(&Rfc3339).unwrap_or_default();
    text.get(..16).map(|minute| minute.replace('T', " ")).unwrap_or(text)
}
