//! `touchstone project`.

use super::{print, print_json, read, say};
use clap::Subcommand;
use domain::Rubric;
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
    },
    /// List the projects
    List,
    /// How many annotators each conversation wants
    #[command(after_help = "Example: touchstone project overlap shop 3")]
    Overlap { name: String, annotators: u32 },
}

pub(super) async fn run(service: &Service, command: Projects, json: bool) -> anyhow::Result<u8> {
    match command {
        Projects::Create { name, rubric, template } => {
            let rubric = match (rubric, template) {
                (None, None) => None,
                (None, Some(template)) => Some(super::rubrics::template(&template)?.rubric),
                (Some(path), _) => {
                    let parsed = Rubric::from_toml(&read(&path)?);
                    Some(parsed.map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?)
                }
            };
            let project = service.create_project(&name, rubric.as_ref(), None).await?;
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
