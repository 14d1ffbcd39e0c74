//! `touchstone demo`: a project of illustrative conversations, people and judges, so that every page has something to show.

mod production;

use super::say;
use domain::{ReferenceRule, Rubric};
use service::{Service, ServiceError, import::Kind};

const NAME: &str = "demo";
const RUBRIC: &str = include_str!("../../demo/rubric.toml");
const CONVERSATIONS: &str = include_str!("../../demo/conversations.jsonl");
const LABELS: &str = include_str!("../../demo/labels.csv");
const VERDICTS: &str = include_str!("../../demo/verdicts.csv");

pub(super) async fn seed(service: &Service) -> anyhow::Result<u8> {
    match service.project(NAME).await {
        Ok(_) => {
            say("The demo project is there already.");
            return Ok(0);
        }
        Err(ServiceError::NotFound { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let rubric = Rubric::from_toml(RUBRIC)?;
    let project = service.create_project(NAME, Some(&rubric), None).await?.id;
    for (kind, name, text) in [
        (Kind::Conversations, "conversations.jsonl", CONVERSATIONS),
        (Kind::Labels, "labels.csv", LABELS),
        (Kind::Verdicts, "verdicts.csv", VERDICTS),
    ] {
        service.import_text(project, kind, name, text).await?;
    }
    service.build_references(project, ReferenceRule::Median, &[], None).await?;
    production::send(service, project).await?;
    say("The demo project is seeded. Its people and judges are illustrative.");
    Ok(0)
}
