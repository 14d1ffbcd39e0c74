//! Judges against people, and the ledger of verdicts that are no value.

use crate::{component::markup::Markup, error::AppError, rpc::packed::Packed};
use leptos::{prelude::*, server_fn::codec::Json};

#[cfg(feature = "ssr")]
use crate::{
    door,
    page::{
        compare::report::{self, Chosen, Report},
        failures::entries::{self, Entries},
    },
    rpc::agreement::chosen_criterion,
};
#[cfg(feature = "ssr")]
use domain::{Diagnosis, Permission, ReferenceRule};

/// Most entries that one page of the ledger lists.
#[cfg(feature = "ssr")]
const LISTED: usize = 500;

/// The comparison on the chosen criterion, else on the first; where `metrics` are asked for, with those of each judge.
#[server(input = Json)]
pub(crate) async fn load_comparison(
    project: String,
    criterion: Option<String>,
    incumbent: Option<String>,
    rule: Option<String>,
    metrics: Option<String>,
) -> Result<Packed<Markup>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let service = door::service()?;
    let reference = service::ReferenceChoice::Labels { rule: rule_of(rule.clone())?, annotators: Vec::new() };
    let query = service::ComparisonQuery {
        reference: reference.clone(),
        incumbent: incumbent.clone(),
        ..Default::default()
    };
    let mut comparison =
        service.comparison(pass.project, &query, pass.viewer()).await.map_err(door::refused)?;
    let judges = service.judges(pass.project, pass.viewer()).await.map_err(door::refused)?;
    let criteria: Vec<String> = comparison.criteria.iter().map(|found| found.id.clone()).collect();
    let criterion = chosen_criterion(criteria.iter().map(String::as_str), criterion).unwrap_or_default();
    comparison.criteria.retain(|found| found.id == criterion);
    let diagnoses = match &metrics {
        None => None,
        Some(_) => Some(beside_people(&service, pass, &reference, &judges).await?),
    };
    let [incumbent, rule, metrics] = [incumbent, rule, metrics].map(Option::unwrap_or_default);
    let chosen = Chosen { project, criterion, incumbent, rule, metrics };
    let view = view! {
        <Report comparison=comparison criteria=criteria judges=judges diagnoses=diagnoses chosen=chosen/>
    };
    Packed::new(&Markup::of_page(report::TITLE, view))
}

/// The metrics of people beside each judge.
#[cfg(feature = "ssr")]
async fn beside_people(
    service: &service::Service,
    pass: door::Pass,
    reference: &service::ReferenceChoice,
    judges: &[String],
) -> Result<Vec<Diagnosis>, AppError> {
    let mut diagnoses = Vec::with_capacity(judges.len());
    for judge in judges {
        let (judge, reference) = (Some(judge.clone()), reference.clone());
        let query = service::DiagnosisQuery { judge, reference, ..Default::default() };
        let report = service.diagnosis(pass.project, &query, pass.viewer()).await;
        diagnoses.push(report.map_err(door::refused)?);
    }
    Ok(diagnoses)
}

/// The instrument failures of a judge on a criterion; of all where none is named.
#[server(input = Json)]
pub(crate) async fn load_ledger(
    project: String,
    judge: Option<String>,
    criterion: Option<String>,
) -> Result<Packed<Markup>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let found =
        door::service()?.ledger(pass.project, judge.as_deref(), criterion.as_deref(), pass.viewer()).await;
    let mut entries = found.map_err(door::refused)?;
    let total = entries.len() as u64;
    entries.truncate(LISTED);
    let view =
        view! { <Entries project=project entries=entries total=total judge=judge criterion=criterion/> };
    Packed::new(&Markup::of_page(entries::TITLE, view))
}

/// The rule that a form or an address names; none is the service's own choice.
#[cfg(feature = "ssr")]
pub(crate) fn rule_of(text: Option<String>) -> Result<Option<ReferenceRule>, AppError> {
    let text = text.filter(|text| !text.is_empty());
    let rule = text.map(|text| text.parse()).transpose();
    rule.map_err(|reason: String| AppError::Invalid { field: "rule".to_owned(), reason })
}
