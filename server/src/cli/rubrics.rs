//! `touchstone rubric`.

use super::{print, print_json, text};
use clap::Subcommand;
use domain::RubricTemplate;
use serde_json::json;

#[derive(Subcommand)]
pub(super) enum Rubrics {
    /// List the rubrics to begin with; needs no database
    #[command(after_help = "Example: touchstone rubric list")]
    List,
    /// Print one of them, as TOML to be changed and published; needs no database
    #[command(after_help = "Example: touchstone rubric show generation > rubric.toml")]
    Show { template: String },
}

pub(super) fn run(command: Rubrics, json: bool) -> anyhow::Result<u8> {
    match command {
        Rubrics::List => list(json)?,
        Rubrics::Show { template: name } => {
            let rubric = template(&name)?.rubric;
            if json { print_json(&rubric)? } else { print(&rubric.to_toml())? }
        }
    }
    Ok(0)
}

fn list(json: bool) -> anyhow::Result<()> {
    let all = RubricTemplate::all()?;
    let criteria = |template: &RubricTemplate| -> Vec<String> {
        template.rubric.criteria.iter().map(|criterion| criterion.id.clone()).collect()
    };
    if json {
        let list = all.iter().map(
            |template| json!({ "name": template.name, "about": template.about, "criteria": criteria(template) }),
        );
        return print_json(&list.collect::<Vec<_>>());
    }
    let mut rows = vec![["name", "criteria", "what it asks"].map(str::to_owned).to_vec()];
    rows.extend(all.iter().map(|template| {
        let count = template.rubric.criteria.len().to_string();
        vec![template.name.to_owned(), count, template.about.to_owned()]
    }));
    Ok(print(&text::columns(&rows))?)
}

/// The template with this name.
pub(super) fn template(name: &str) -> anyhow::Result<RubricTemplate> {
    if let Some(template) = RubricTemplate::named(name)? {
        return Ok(template);
    }
    let all = RubricTemplate::all()?;
    let names: Vec<&str> = all.iter().map(|template| template.name).collect();
    anyhow::bail!("there is no template `{}`; there are: {}", domain::visible(name), names.join(", "))
}
