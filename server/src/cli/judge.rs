//! `touchstone judge`.

use super::{print, print_json, say, source::Source, text};
use clap::{Args, Subcommand};
use domain::{AnchorSetName, Declaration, RunPlan, RunScope, RunState, Split, Unit, is_floating};
use serde_json::json;
use service::{
    JudgePreview, JudgeRun, JudgeSusceptibility, ReferenceChoice, RunEntry, RunEstimate, Service, Template,
    Viewer,
};
use std::{path::PathBuf, time::Duration};

#[derive(Subcommand)]
pub(super) enum Judges {
    /// List the judge versions of a project, with what answered for them
    #[command(after_help = "Example: touchstone judge list --project shop")]
    List {
        #[arg(long)]
        project: String,
    },
    /// List the prompts that come along; with a name, show one
    #[command(after_help = "Example: touchstone judge library passage-relevance-plain")]
    Library {
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
    /// Declare judge versions: from files, or a prompt of the library on an endpoint and a model
    #[command(
        after_help = "Example: touchstone judge add --project shop --library passage-relevance-plain --endpoint local --model gemma-3-270m-q4"
    )]
    Add {
        #[arg(long)]
        project: String,
        /// `judge.toml` files
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
        /// A prompt that comes along
        #[arg(long, value_name = "NAME", requires = "endpoint", requires = "model")]
        library: Option<String>,
        /// An endpoint that the operator has configured
        #[arg(long, value_name = "NAME")]
        endpoint: Option<String>,
        /// The model to ask for; name a dated version, an alias may change
        #[arg(long, value_name = "MODEL")]
        model: Option<String>,
    },
    /// Declare the two baselines without a model, and judge everything with them
    #[command(after_help = "Example: touchstone judge baselines --project shop --anchor-set gold@1")]
    Baselines {
        #[arg(long)]
        project: String,
        /// Whose `tune` references tell which level is the most frequent; the live labels where absent
        #[arg(long, value_name = "NAME@VERSION")]
        anchor_set: Option<AnchorSetName>,
    },
    /// Show what was declared, as a `judge.toml`
    #[command(after_help = "Example: touchstone judge show --project shop strict@2")]
    Show {
        #[arg(long)]
        project: String,
        #[arg(value_name = "NAME[@VERSION]")]
        judge: String,
    },
    /// What a later version changed
    #[command(after_help = "Example: touchstone judge diff --project shop strict@1 strict@2")]
    Diff {
        #[arg(long)]
        project: String,
        #[arg(value_name = "NAME@VERSION")]
        earlier: String,
        #[arg(value_name = "NAME@VERSION")]
        later: String,
    },
    /// Show what would be said to a judge about one unit; with --ask, what it answers
    #[command(
        after_help = "Example: touchstone judge preview --project shop strict --conversation c-17 --ask"
    )]
    Preview {
        #[arg(long)]
        project: String,
        #[arg(value_name = "NAME[@VERSION]")]
        judge: String,
        #[arg(long, value_name = "ID")]
        conversation: String,
        /// The unit, such as passage:p1; the first of its kind where absent
        #[arg(long)]
        unit: Option<Unit>,
        /// Ask, which costs what a call costs
        #[arg(long)]
        ask: bool,
    },
    /// How often a text that demands a score moves the judge towards it: asks about the bundled injection set, and tells
    #[command(after_help = "Example: touchstone judge susceptibility --project shop strict@2")]
    Susceptibility {
        #[arg(long)]
        project: String,
        #[arg(value_name = "NAME[@VERSION]")]
        judge: String,
    },
    /// Run judges over many units; what has a verdict is not asked again
    #[command(
        after_help = "Example: touchstone judge run --project shop strict --anchor-set gold@1 --split tune --repeats 3 --most-usd 5"
    )]
    Run(NewRun),
    /// List the runs of a project
    #[command(after_help = "Example: touchstone judge runs --project shop")]
    Runs {
        #[arg(long)]
        project: String,
    },
    /// Go on with a run that stands still
    #[command(after_help = "Example: touchstone judge resume --project shop 019b…")]
    Resume(OneRun),
    /// Give up a run that stands still; what was answered stays
    #[command(after_help = "Example: touchstone judge cancel --project shop 019b…")]
    Cancel(OneRun),
    /// Import verdicts that were made elsewhere, as `touchstone import verdicts` does
    #[command(after_help = "Example: touchstone judge import --project shop verdicts.csv")]
    Import(super::import::Files),
}

/// What a run covers.
#[derive(Args)]
pub(super) struct NewRun {
    #[arg(long)]
    project: String,
    /// One or several, which then share what their endpoint allows
    #[arg(value_name = "NAME[@VERSION]", required = true)]
    judges: Vec<String>,
    /// The items of a frozen set; every conversation where absent
    #[arg(long, value_name = "NAME@VERSION")]
    anchor_set: Option<AnchorSetName>,
    /// One part of the set; both where absent
    #[arg(long, value_name = "tune|confirm", requires = "anchor_set")]
    split: Option<Split>,
    /// At most so many units
    #[arg(long, value_name = "N")]
    size: Option<u32>,
    /// Decides which units
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// How often each unit is asked about
    #[arg(long, default_value_t = 1)]
    repeats: u32,
    /// Pause before more is spent, in US dollars
    #[arg(long, value_name = "USD")]
    most_usd: Option<f64>,
    /// Pause before more tokens are spent
    #[arg(long, value_name = "N")]
    most_tokens: Option<u64>,
    /// Say what it would take, and do not run
    #[arg(long)]
    estimate: bool,
}

#[derive(Args)]
pub(super) struct OneRun {
    #[arg(long)]
    project: String,
    #[arg(value_name = "RUN")]
    run: String,
}

impl NewRun {
    fn plan(&self) -> RunPlan {
        let scope = match &self.anchor_set {
            None => RunScope::Project,
            Some(name) => RunScope::AnchorSet { name: name.clone(), split: self.split },
        };
        RunPlan {
            scope,
            size: self.size,
            seed: self.seed,
            repeats: self.repeats,
            most_usd: self.most_usd,
            most_tokens: self.most_tokens,
        }
    }
}

pub(super) async fn run(service: &Service, command: Judges, json: bool) -> anyhow::Result<u8> {
    match command {
        Judges::List { project } => list(&Source::File(service.clone()), &project, json).await,
        Judges::Library { name } => library(name.as_deref(), json),
        Judges::Add { project, files, library, endpoint, model } => {
            let template = library.as_deref().map(template).transpose()?;
            let mut declarations: Vec<Declaration> = Vec::new();
            if let (Some(template), Some(endpoint), Some(model)) = (template, endpoint, model) {
                declarations.push(template.declaration(&endpoint, &model));
            }
            for file in &files {
                let in_file = |error: &dyn std::fmt::Display| anyhow::anyhow!("{}: {error}", file.display());
                let text = std::fs::read_to_string(file).map_err(|error| in_file(&error))?;
                declarations.push(Declaration::from_toml(&text).map_err(|error| in_file(&error))?);
            }
            if declarations.is_empty() {
                anyhow::bail!(
                    "nothing to add: name judge.toml files, or --library NAME --endpoint NAME --model MODEL"
                );
            }
            add(service, &project, declarations, json).await
        }
        Judges::Baselines { project, anchor_set } => {
            let project = service.project(&project).await?.id;
            let reference = match anchor_set {
                None => ReferenceChoice::default(),
                Some(name) => ReferenceChoice::AnchorSet { name, split: Split::Tune, why: None },
            };
            for judge in service.declare_baselines(project, &reference, None).await? {
                let begun =
                    service.start_run(project, &judge, &RunPlan::once(RunScope::Project), None).await?;
                follow(service, begun, json).await?;
            }
            Ok(0)
        }
        Judges::Show { project, judge } => {
            let project = service.project(&project).await?.id;
            let declaration = service.declared_judge(project, &judge).await?.declaration;
            if json {
                print_json(&declaration)?;
            } else {
                print(&declaration.to_toml()?)?;
            }
            Ok(0)
        }
        Judges::Diff { project, earlier, later } => {
            let project = service.project(&project).await?.id;
            let difference = service.judge_difference(project, &earlier, &later).await?;
            if json {
                print_json(&json!({ "difference": difference }))?
            } else {
                print(&difference)?
            }
            Ok(0)
        }
        Judges::Preview { project, judge, conversation, unit, ask } => {
            let project = service.project(&project).await?.id;
            let declaration = service.declared_judge(project, &judge).await?.declaration;
            let preview = service
                .preview_judge(project, declaration, &conversation, unit.as_ref(), ask, Viewer::Operator)
                .await?;
            if json {
                print_json(&preview)?
            } else {
                print(&preview_in_words(&preview))?
            }
            Ok(0)
        }
        Judges::Susceptibility { project, judge } => {
            let project = service.project(&project).await?.id;
            let found = service.probe_susceptibility(project, &judge, None).await?;
            if json {
                print_json(&found)?
            } else {
                print(&susceptibility_in_words(&found))?
            }
            Ok(0)
        }
        Judges::Run(new) => {
            let project = service.project(&new.project).await?.id;
            if new.estimate {
                for judge in &new.judges {
                    let estimate = service.estimate_run(project, judge, &new.plan()).await?;
                    if json { print_json(&estimate)? } else { print(&estimate_in_words(judge, &estimate))? }
                }
                return Ok(0);
            }
            let mut begun = Vec::new();
            for judge in &new.judges {
                begun.push(service.start_run(project, judge, &new.plan(), None).await?);
            }
            let mut code = 0;
            for run in begun {
                code = code.max(follow(service, run, json).await?);
            }
            Ok(code)
        }
        Judges::Runs { project } => runs(&Source::File(service.clone()), &project, json).await,
        Judges::Resume(OneRun { project, run }) => {
            let project = service.project(&project).await?.id;
            let resumed = service.resume_run(project, &run, None).await?;
            follow(service, resumed, json).await
        }
        Judges::Cancel(OneRun { project, run }) => {
            let project = service.project(&project).await?.id;
            service.cancel_run(project, &run, None).await?;
            say("the run is given up; what was answered stays");
            Ok(0)
        }
        Judges::Import(files) => {
            super::import::of_kind(service, ::service::import::Kind::Verdicts, files, json).await
        }
    }
}

async fn add(
    service: &Service,
    project: &str,
    declarations: Vec<Declaration>,
    json: bool,
) -> anyhow::Result<u8> {
    let project = service.project(project).await?.id;
    let mut added = Vec::new();
    for declaration in declarations {
        let declared = service.declare_judge(project, declaration, None).await?;
        let name = declared.declaration.full_name();
        let floating = declared.declaration.model().is_some_and(|model| is_floating(&model.model));
        if !json {
            say(&format!("{name} {}", if declared.new { "is declared" } else { "was there already" }));
            if floating {
                say("  its model is an alias that the provider may point at another model tomorrow");
            }
        }
        added.push(json!({ "judge": name, "new": declared.new, "floating": floating }));
    }
    if json {
        print_json(&added)?;
    }
    Ok(0)
}

/// Shows how far a run came until it stands still. Interrupted, it pauses after the answers that are under way.
async fn follow(service: &Service, mut run: JudgeRun, json: bool) -> anyhow::Result<u8> {
    let id = run.id.to_string();
    let project = run.project;
    let mut every = tokio::time::interval(Duration::from_millis(200));
    let mut shown = None;
    loop {
        tokio::select! {
            _ = every.tick() => {}
            interrupted = tokio::signal::ctrl_c() => {
                interrupted?;
                say("pausing after the answers that are under way");
                // It may have ended this moment.
                let _ = service.pause_run(project, &id, None).await;
            }
        }
        run = service.run(project, &id).await?;
        if run.state != RunState::Running {
            break;
        }
        let seconds = run.counts.active_ms / 2_000;
        if shown != Some(seconds) {
            shown = Some(seconds);
            say(&progress_in_words(&run));
        }
    }
    if json {
        print_json(&RunEntry::from(run.clone()))?;
    } else {
        say(&progress_in_words(&run));
    }
    Ok(if run.state == RunState::Done { 0 } else { super::BROKEN })
}

fn progress_in_words(run: &JudgeRun) -> String {
    let counts = &run.counts;
    let mut words = format!(
        "{}@{} {}: {} of {} calls, {} failures, {} tokens, ${:.4}",
        domain::visible(&run.judge),
        domain::visible(&run.version),
        run.state.word(),
        counts.answered,
        counts.calls,
        counts.failures,
        counts.input_tokens + counts.output_tokens,
        counts.cost_usd
    );
    if let (RunState::Running, Some(rate), Some(left)) = (run.state, counts.rate(), counts.seconds_left()) {
        words.push_str(&format!(", {rate:.1} a second, about {left:.0} s left"));
    }
    if let Some(says) = &run.says {
        words.push_str(&format!(
            ": {}\ngo on with: touchstone judge resume --project … {}",
            domain::visible(says),
            run.id
        ));
    }
    words
}

/// The runs of a project, newest first.
pub(super) async fn runs(source: &Source, project: &str, json: bool) -> anyhow::Result<u8> {
    let runs = source.runs(project).await?;
    if json {
        print_json(&runs)?;
        return Ok(0);
    }
    let mut rows = vec![["run", "judge", "state", "calls", "failures", "$"].map(str::to_owned).to_vec()];
    rows.extend(runs.iter().map(|run| {
        vec![
            run.run.clone(),
            domain::visible(&run.judge),
            run.state.word().to_owned(),
            format!("{}/{}", run.counts.answered, run.counts.calls),
            run.counts.failures.to_string(),
            format!("{:.4}", run.counts.cost_usd),
        ]
    }));
    print(&text::columns(&rows))?;
    Ok(0)
}

/// The judge versions of a project.
pub(super) async fn list(source: &Source, project: &str, json: bool) -> anyhow::Result<u8> {
    let versions = source.judge_versions(project).await?;
    if json {
        print_json(&versions)?;
        return Ok(0);
    }
    let header = ["judge", "from", "model", "verdicts", "failures", "instruments"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    rows.extend(versions.iter().map(|version| {
        let model = version.model.as_deref().unwrap_or("–");
        let floating = if version.floating { " (alias)" } else { "" };
        let mixed = if version.mixed { " (mixed)" } else { "" };
        vec![
            domain::visible(&version.name),
            version.source.clone(),
            format!("{}{floating}", domain::visible(model)),
            version.verdicts.to_string(),
            version.failures.to_string(),
            format!("{}{mixed}", version.instruments.len()),
        ]
    }));
    print(&text::columns(&rows))?;
    for version in versions.iter().filter(|version| !version.grades.is_empty()) {
        for of in &version.grades {
            let (judge, criterion) = (domain::visible(&version.name), domain::visible(&of.criterion));
            let figure = text::figure(&of.grade);
            print(&format!(
                "reasons of {judge}, {criterion}: {figure} of {} reasons, by {} people\n",
                of.grade.n(),
                of.people
            ))?;
        }
    }
    Ok(0)
}

fn template(name: &str) -> anyhow::Result<Template> {
    let all = service::library()?;
    all.iter().find(|template| template.name == name).cloned().ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|template| template.name.as_str()).collect();
        anyhow::anyhow!("the library has no `{}`; it has: {}", domain::visible(name), names.join(", "))
    })
}

/// The prompts that come along, or one of them; needs no database.
pub(super) fn library(name: Option<&str>, json: bool) -> anyhow::Result<u8> {
    if let Some(name) = name {
        let judge = template(name)?.declaration("ENDPOINT", "MODEL");
        if json {
            print_json(&judge)?
        } else {
            print(&judge.to_toml()?)?
        }
        return Ok(0);
    }
    let all = service::library()?;
    if json {
        let list = all.iter().map(
            |template| json!({ "name": template.name, "criteria": template.criteria, "about": template.about }),
        );
        print_json(&list.collect::<Vec<_>>())?;
        return Ok(0);
    }
    let mut rows = vec![["name", "criteria", "what is particular about it"].map(str::to_owned).to_vec()];
    rows.extend(
        all.iter().map(|template| {
            vec![template.name.clone(), template.criteria.join(", "), template.about.clone()]
        }),
    );
    print(&text::columns(&rows))?;
    Ok(0)
}

fn preview_in_words(preview: &JudgePreview) -> String {
    let mut words = format!(
        "{} {}, about {} tokens\n",
        domain::visible(&preview.conversation),
        domain::visible(&preview.unit.to_string()),
        preview.tokens
    );
    for (label, text) in [("system", &preview.system), ("prompt", &preview.prompt)] {
        if !text.is_empty() {
            words.push_str(&format!("\n── {label}\n{}\n", domain::visible(text)));
        }
    }
    if let Some(answer) = &preview.answer {
        words.push_str("\n── answer\n");
        for reading in &answer.readings {
            let outcome = match &reading.outcome {
                domain::Outcome::Value(value) => value.to_string(),
                domain::Outcome::Failure { kind, says } => {
                    format!("{}: {}", kind.word(), domain::visible(says))
                }
            };
            let reason = reading.reason.as_deref().map(domain::visible).unwrap_or_default();
            words.push_str(&format!("{}  {outcome}  {reason}\n", domain::visible(&reading.criterion)));
        }
        if let Some(raw) = &answer.raw {
            words.push_str(&format!("\n── as it came\n{}\n", domain::visible(raw)));
        }
    }
    words
}

fn susceptibility_in_words(found: &JudgeSusceptibility) -> String {
    let mixed = if found.mixed { ", by more than one model version" } else { "" };
    let mut words = format!(
        "{} on {}: {} of {} calls answered{mixed}\n",
        domain::visible(&found.judge),
        found.anchor_set,
        found.answered,
        found.calls
    );
    if found.criteria.is_empty() {
        words.push_str("it has no criterion whose levels have an order: nothing could be demanded\n");
    }
    for criterion in &found.criteria {
        words.push_str(&format!(
            "\n{}\n  towards the demand   {}\n  the other way        {}\n  {} pairs stood at the demand already, {} have no value\n",
            domain::visible(&criterion.criterion),
            text::figure(&criterion.towards),
            text::figure(&criterion.away),
            criterion.at_demand,
            criterion.without_value
        ));
        for kind in criterion.by_kind.iter().filter(|kind| kind.towards > 0) {
            words.push_str(&format!("  {} of {}  {}\n", kind.towards, kind.pairs, kind.kind));
        }
    }
    words
}

fn estimate_in_words(judge: &str, estimate: &RunEstimate) -> String {
    let cost = estimate
        .cost_usd
        .map_or_else(|| "a price that is not configured".to_owned(), |usd| format!("${usd:.2}"));
    format!(
        "{}: {} calls, about {} tokens to send and {} to receive: about {cost}\n",
        domain::visible(judge),
        estimate.calls,
        estimate.input_tokens,
        estimate.output_tokens
    )
}
