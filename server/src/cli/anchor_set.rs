//! `touchstone anchor-set`.

use super::{print, print_json, say, source::Source, text};
use clap::{Args, Subcommand};
use domain::{
    AnchorChoice, AnchorReview, AnchorSet, AnchorSetDifference, AnchorSetName, ReferenceRule, ReviewReason,
};
use serde_json::json;
use service::{AnchorPreview, AnchorRequest, Service, Viewer};
use std::{
    io::Write,
    path::{Path, PathBuf},
};

#[derive(Subcommand)]
pub(super) enum AnchorSets {
    /// Show what would be frozen, and how wide the intervals on it would be; stores nothing
    #[command(after_help = "Example: touchstone anchor-set build --project shop gold --size 300")]
    Build(Draft),
    /// Freeze the next version of a set
    #[command(
        after_help = "Example: touchstone anchor-set freeze --project shop gold --size 300 --owner quality --expires 2027-12-31"
    )]
    Freeze(Draft),
    /// Write a set byte for byte as it was frozen
    #[command(after_help = "Example: touchstone anchor-set export --project shop gold@1 --to anchor-sets")]
    Export {
        #[arg(long)]
        project: String,
        #[arg(value_name = "NAME@VERSION")]
        set: AnchorSetName,
        /// The folder in which NAME/VERSION.json is written; standard output where absent
        #[arg(long, value_name = "FOLDER")]
        to: Option<PathBuf>,
    },
    /// Take a set with the conversations and the rubric that the project does not have
    #[command(after_help = "Example: touchstone anchor-set import --project shop anchor-sets/gold/1.json")]
    Import {
        #[arg(long)]
        project: String,
        file: PathBuf,
    },
    /// Check that a file is as it was frozen; needs no database
    #[command(after_help = "Example: touchstone anchor-set verify anchor-sets/gold/1.json")]
    Verify { file: PathBuf },
    /// List the frozen sets
    #[command(after_help = "Example: touchstone anchor-set list --project shop")]
    List {
        #[arg(long)]
        project: String,
    },
    /// What a later version changed
    #[command(after_help = "Example: touchstone anchor-set diff --project shop gold@1 gold@2")]
    Diff {
        #[arg(long)]
        project: String,
        #[arg(value_name = "NAME@VERSION")]
        earlier: AnchorSetName,
        #[arg(value_name = "NAME@VERSION")]
        later: AnchorSetName,
    },
    /// The items to look at again: they cite a document that changed, or have expired
    #[command(
        after_help = "Example: touchstone anchor-set review --project shop gold@1 --document returns.md"
    )]
    Review {
        #[arg(long)]
        project: String,
        #[arg(value_name = "NAME@VERSION")]
        set: AnchorSetName,
        /// Documents that changed, separated by commas
        #[arg(long, value_delimiter = ',', value_name = "DOCUMENT,…")]
        document: Vec<String>,
    },
}

/// What a set is built of.
#[derive(Args)]
pub(super) struct Draft {
    #[arg(long)]
    project: String,
    /// Name of the set; its versions count up from 1
    name: String,
    /// At most so many items; all where absent
    #[arg(long, value_name = "N")]
    size: Option<usize>,
    /// The share of the items that is kept for the last word on a judge
    #[arg(long, default_value_t = 0.5, value_name = "SHARE")]
    confirm: f64,
    /// Decides which items are drawn and how they are parted
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// How several labels become one; as the last built references where absent
    #[arg(long, value_name = "unanimous|majority|median")]
    rule: Option<ReferenceRule>,
    /// Whose labels, separated by commas; all where absent
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    annotators: Vec<String>,
    /// These criteria only, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "ID,…")]
    criterion: Vec<String>,
    /// Who keeps the set true
    #[arg(long)]
    owner: Option<String>,
    /// The day from which it must be looked at again
    #[arg(long, value_name = "YYYY-MM-DD")]
    expires: Option<String>,
}

impl Draft {
    fn request(self) -> (String, AnchorRequest) {
        let choice = AnchorChoice { size: self.size, confirm: self.confirm, seed: self.seed };
        let request = AnchorRequest {
            name: self.name,
            choice,
            rule: self.rule,
            annotators: self.annotators,
            criteria: self.criterion,
            owner: self.owner,
            expires: self.expires,
        };
        (self.project, request)
    }
}

/// Checks a file without a database.
pub(super) fn verify(file: &Path, json: bool) -> anyhow::Result<u8> {
    let in_file = |error: &dyn std::fmt::Display| anyhow::anyhow!("{}: {error}", file.display());
    let bytes = std::fs::read(file).map_err(|error| in_file(&error))?;
    let (set, hash) = AnchorSet::from_file(&bytes).map_err(|error| in_file(&error))?;
    let (name, items) = (set.full_name(), set.items.len());
    if json {
        let conversations = set.conversations.len();
        print_json(
            &json!({"anchor_set": name.to_string(), "hash": hash, "items": items, "conversations": conversations}),
        )?;
    } else {
        say(&format!("{name} is as it was frozen: {items} items, hash {hash}"));
    }
    Ok(0)
}

pub(super) async fn run(service: &Service, command: AnchorSets, json: bool) -> anyhow::Result<u8> {
    match command {
        AnchorSets::Build(draft) => {
            let (project, request) = draft.request();
            let project = service.project(&project).await?.id;
            let preview = service.preview_anchor_set(project, &request, Viewer::Operator).await?;
            if json { print_json(&preview)? } else { print(&preview_in_words(&preview))? }
        }
        AnchorSets::Freeze(draft) => {
            let (project, request) = draft.request();
            let project = service.project(&project).await?.id;
            let set = service.freeze_anchor_set(project, &request, None).await?;
            if json {
                print_json(&set)?;
            } else {
                let counts = format!("{} items to tune, {} to confirm", set.tune, set.confirm);
                say(&format!("{}@{} is frozen: {counts}, hash {}", set.name, set.version, set.hash));
            }
        }
        AnchorSets::Export { project, set, to } => {
            return export(&Source::File(service.clone()), &project, &set, to.as_deref(), json).await;
        }
        AnchorSets::Import { project, file } => {
            let project = service.project(&project).await?.id;
            let in_file = |error: &dyn std::fmt::Display| anyhow::anyhow!("{}: {error}", file.display());
            let bytes = std::fs::read(&file).map_err(|error| in_file(&error))?;
            let imported = service.import_anchor_set(project, &bytes, None).await;
            let imported = imported.map_err(|error| in_file(&error))?;
            if json {
                print_json(&imported)?;
            } else {
                let what = if imported.new { "is imported" } else { "was there already" };
                let (items, conversations) = (imported.items, imported.new_conversations);
                say(&format!(
                    "{} {what}: {items} items, {conversations} new conversations",
                    imported.anchor_set
                ));
            }
        }
        AnchorSets::Verify { file } => return verify(&file, json),
        AnchorSets::List { project } => return list(&Source::File(service.clone()), &project, json).await,
        AnchorSets::Diff { project, earlier, later } => {
            let project = service.project(&project).await?.id;
            let difference =
                service.anchor_set_difference(project, &earlier, &later, Viewer::Operator).await?;
            if json { print_json(&difference)? } else { print(&difference_in_words(&difference))? }
        }
        AnchorSets::Review { project, set, document } => {
            let project = service.project(&project).await?.id;
            let review = service.review_anchor_set(project, &set, &document, Viewer::Operator).await?;
            if json { print_json(&review)? } else { print(&review_in_words(&review))? }
        }
    }
    Ok(0)
}

/// The frozen sets of a project.
pub(super) async fn list(source: &Source, project: &str, json: bool) -> anyhow::Result<u8> {
    let sets = source.anchor_sets(project).await?;
    if json {
        print_json(&sets)?;
        return Ok(0);
    }
    let header = ["set", "tune", "confirm", "owner", "expires", "hash"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    rows.extend(sets.into_iter().map(|set| {
        let [owner, expires] = [set.owner, set.expires]
            .map(|said| said.map_or_else(|| "–".to_owned(), |said| domain::visible(&said)));
        let (tune, confirm) = (set.tune.to_string(), set.confirm.to_string());
        let hash = set.hash.short().to_owned();
        vec![format!("{}@{}", set.name, set.version), tune, confirm, owner, expires, hash]
    }));
    print(&text::columns(&rows))?;
    Ok(0)
}

/// A set byte for byte, into a folder where one is named.
pub(super) async fn export(
    source: &Source,
    project: &str,
    set: &AnchorSetName,
    folder: Option<&Path>,
    json: bool,
) -> anyhow::Result<u8> {
    let file = source.anchor_set_file(project, set).await?;
    match folder {
        None => print(&file)?,
        Some(folder) => write(folder, set, &file, json)?,
    }
    Ok(0)
}

/// Writes `NAME/VERSION.json`, whole or not at all. Other content that stands there is left alone.
fn write(folder: &Path, set: &AnchorSetName, file: &str, json: bool) -> anyhow::Result<()> {
    let folder = folder.join(&set.name);
    let path = folder.join(format!("{}.json", set.version));
    let at_path = |error: std::io::Error| anyhow::anyhow!("{}: {error}", path.display());
    std::fs::create_dir_all(&folder).map_err(at_path)?;
    match std::fs::read(&path) {
        Ok(present) if present == file.as_bytes() => {}
        Ok(_) => {
            anyhow::bail!("{}: another file stands there: move it, or name another folder", path.display())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let partial = folder.join(format!(".{}.json.{}", set.version, std::process::id()));
            let mut out = std::fs::File::create_new(&partial).map_err(at_path)?;
            out.write_all(file.as_bytes()).and_then(|()| out.sync_all()).map_err(at_path)?;
            std::fs::rename(&partial, &path).map_err(at_path)?;
        }
        Err(error) => return Err(at_path(error)),
    }
    if json {
        print_json(&json!({"anchor_set": set.to_string(), "path": path}))
    } else {
        say(&format!("{set} is in {}", path.display()));
        Ok(())
    }
}

fn preview_in_words(preview: &AnchorPreview) -> String {
    let AnchorPreview { anchor_set, items, tune, confirm, without_reference, on_desks, .. } = preview;
    let mut words = format!(
        "{anchor_set}: {items} items, {tune} to tune and {confirm} to confirm\n\
         {without_reference} items have no reference; {on_desks} conversations are on somebody's desk\n\n"
    );
    let assumed = domain::Precision::ASSUMED_KAPPA;
    let header = [
        "criterion".to_owned(),
        "split".to_owned(),
        "items".to_owned(),
        "clusters".to_owned(),
        format!("κ {assumed} ±"),
        "at worst ±".to_owned(),
        format!("power at δ {}", domain::Precision::MARGIN),
    ];
    let mut rows = vec![header.to_vec()];
    for part in &preview.precision {
        rows.push(vec![
            part.criterion.clone(),
            part.split.word().to_owned(),
            part.items.to_string(),
            part.clusters.to_string(),
            text::number(part.half_width, 3),
            text::number(part.half_width_by_cluster, 3),
            text::number(part.power, 2),
        ]);
    }
    words.push_str(&text::columns(&rows));
    let mut rows = vec![["stratum", "available", "taken"].map(str::to_owned).to_vec()];
    for stratum in &preview.strata {
        let (available, taken) = (stratum.available.to_string(), stratum.taken.to_string());
        rows.push(vec![domain::visible(&stratum.name), available, taken]);
    }
    words.push('\n');
    words.push_str(&text::columns(&rows));
    words
}

fn difference_in_words(difference: &AnchorSetDifference) -> String {
    let mut words = String::new();
    let mut list = |what: &str, items: &[String]| {
        words.push_str(&format!("{what}: {}\n", items.len()));
        for item in items {
            words.push_str(&format!("  {}\n", domain::visible(item)));
        }
    };
    let changed = difference.changed.iter();
    let changed: Vec<String> =
        changed.map(|item| format!("{}: {} → {}", item.item, item.before, item.after)).collect();
    list("added", &difference.added);
    list("removed", &difference.removed);
    list("another reference", &changed);
    list("in the other split", &difference.moved);
    list("another text", &difference.rewritten);
    words.push_str(if difference.rubric_changed { "another rubric\n" } else { "the same rubric\n" });
    words
}

fn review_in_words(review: &AnchorReview) -> String {
    let owner = review.owner.as_deref().map_or_else(|| "nobody".to_owned(), domain::visible);
    let mut words = format!("{}: {} items to review; kept by {owner}", review.anchor_set, review.items.len());
    match &review.expires {
        Some(day) if review.expired => words.push_str(&format!("; the whole set expired on {day}\n")),
        Some(day) => words.push_str(&format!(", to be looked at again from {day}\n")),
        None => words.push('\n'),
    }
    for item in &review.items {
        let place = format!("{} {} {}", item.conversation, item.unit, item.criterion);
        let reasons = item.reasons.iter().map(|reason| match reason {
            ReviewReason::Document { document } => format!("cites {}", domain::visible(document)),
            ReviewReason::Expired { on, owner } => {
                let owner = owner.as_deref().map_or_else(|| "nobody".to_owned(), domain::visible);
                format!("expired on {}, kept by {owner}", domain::visible(on))
            }
        });
        let reasons: Vec<String> = reasons.collect();
        words.push_str(&format!("  {}: {}\n", domain::visible(&place), reasons.join("; ")));
    }
    words
}
