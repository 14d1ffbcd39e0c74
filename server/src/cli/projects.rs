//! `touchstone project`.

use super::{
    assign::{OrderSeed, seed_or_import},
    print, print_json, read, say,
};
use clap::Subcommand;
use domain::{LabellingRules, Rubric};
use serde_json::json;
use service::Service;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(super) enum Projects {
    /// Make a project
    #[command(after_help = "Example: touchstone project create shop --rubric rubric.toml
         touchstone project create shop --template generation")]
    Create {
        name: String,
        /// What is asked, in TOML
        #[arg(long, value_name = "FILE")]
        rubric: Option<PathBuf>,
        /// A rubric to begin with, as `touchstone rubric list` names them
        #[arg(long, value_name = "TEMPLATE", conflicts_with = "rubric")]
        template: Option<String>,
        /// Gives each annotator an order of their own; `import` for the order of import
        #[arg(long, value_name = "SEED|import", default_value = "1", value_parser = seed_or_import)]
        order_seed: OrderSeed,
    },
    /// List the projects
    List,
    /// How many annotators each conversation wants
    #[command(after_help = "Example: touchstone project overlap shop 3")]
    Overlap { name: String, annotators: u32 },
}

pub(super) async fn run(service: &Service, command: Projects, json: bool) -> anyhow::Result<u8> {
    match command {
        Projects::Create { name, rubric, template, order_seed } => {
            let rubric = match (rubric, template) {
                (None, None) => None,
                (None, Some(template)) => Some(super::rubrics::template(&template)?.rubric),
                (Some(path), _) => {
                    let parsed = Rubric::from_toml(&read(&path)?);
                    Some(parsed.map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?)
                }
            };
            let project = service.create_project(&name, rubric.as_ref(), None).await?;
            let rules = service.labelling_rules(project.id).await?;
            service.set_labelling_rules(project.id, &LabellingRules { order_seed, ..rules }, None).await?;
            say(&format!("Project `{}` is made.", project.name));
        }
        Projects::List => {
            let projects = service.projects().await?;
            if json {
                let rows: Vec<_> = projects
                    .iter()
                    .map(|project| json!({"name": project.name, "overlap": project.overlap}))
                    .collect();
                print_json(&rows)?;
            } else {
                for project in projects {
                    print(&project.name)?;
                }
            }
        }
        Projects::Overlap { name, annotators } => {
            let project = service.project(&name).await?;
            service.set_overlap(project.id, annotators, None).await?;
            say(&format!("Each conversation of `{name}` now wants {annotators} annotators."));
        }
    }
    Ok(0)
}
