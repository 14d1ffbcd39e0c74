//! Judges against people, and the ledger of verdicts that are no value.

use crate::{component::markup::Markup, error::AppError, param::Query, rpc::packed::Packed};
use leptos::{prelude::*, server_fn::codec::Json};

#[cfg(feature = "ssr")]
use crate::{
    address::Here,
    door,
    page::{
        compare::report::{self, Report},
        failures::entries::{self, Entries},
        judge::whole::{self, Whole},
    },
    rpc::agreement::chosen_criterion,
    typed::{number, word},
};
#[cfg(feature = "ssr")]
use domain::{ContrastChoice, Diagnosis, Permission, SliceBy, SliceNamed};
#[cfg(feature = "ssr")]
use service::ReferenceChoice;

/// Most entries that one page of the ledger lists.
#[cfg(feature = "ssr")]
const LISTED: usize = 500;

/// Most items of a judge that one page shows with their texts.
#[cfg(feature = "ssr")]
const SHOWN: usize = 40;

/// The comparison on the chosen criterion, else on the first; where `metrics` are asked for, with those of each judge.
#[server(input = Json)]
pub(crate) async fn load_comparison(
    project: String,
    #[server(default)] query: Query,
) -> Result<Packed<Markup>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let service = door::service()?;
    let here = Here::new(project, "compare", query, &report::ASKED);
    let reference = reference_of(&here)?;
    let said = |name: &str| Some(here.said(name).to_owned()).filter(|said| !said.is_empty());
    let query = service::ComparisonQuery {
        reference: reference.clone(),
        incumbent: said("incumbent"),
        by: slices_of(&here)?,
        ..Default::default()
    };
    let mut comparison =
        service.comparison(pass.project, &query, pass.viewer()).await.map_err(door::refused)?;
    let judges = service.judges(pass.project).await.map_err(door::refused)?;
    let sets = service.anchor_sets(pass.project, pass.viewer()).await.map_err(door::refused)?;
    let sets = sets.into_iter().map(|set| format!("{}@{}", set.name, set.version)).collect();
    let criteria: Vec<String> = comparison.criteria.iter().map(|found| found.id.clone()).collect();
    let criterion = chosen_criterion(criteria.iter().map(String::as_str), said("criterion"));
    comparison.criteria.retain(|found| Some(&found.id) == criterion.as_ref());
    let diagnoses = match said("metrics") {
        None => None,
        Some(_) => Some(beside_people(&service, pass, &reference, &judges).await?),
    };
    let view = view! {
        <Report comparison=comparison criteria=criteria judges=judges sets=sets diagnoses=diagnoses here=here/>
    };
    Packed::new(&Markup::of_page(report::TITLE, view))
}

/// Everything about one judge on a criterion: its figures, and the items behind them.
#[server(input = Json)]
pub(crate) async fn load_judge(
    project: String,
    #[server(default)] query: Query,
) -> Result<Packed<Markup>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let service = door::service()?;
    let here = Here::new(project, "compare/judge", query, &whole::ASKED);
    let said = |name: &str| Some(here.said(name).to_owned()).filter(|said| !said.is_empty());
    let (by, judge) = (slices_of(&here)?, here.said("judge").to_owned());
    let slice = said("value").or(said("unsaid").map(|_| String::new()));
    let query = service::ContrastQuery {
        reference: reference_of(&here)?,
        choice: ContrastChoice {
            criterion: here.said("criterion").to_owned(),
            judge: judge.clone(),
            against: said("against"),
            slice: by.zip(slice).map(|(by, value)| SliceNamed { by, value }),
        },
        outcome: said("outcome").map(|outcome| word("outcome", &outcome)).transpose()?,
        cell: number("people", here.said("people"))?.zip(number("said", here.said("said"))?),
        most: SHOWN,
    };
    let contrasted = service.contrast(pass.project, &query, pass.viewer()).await.map_err(door::refused)?;
    let incumbent = query.choice.against.clone().filter(|against| *against != judge);
    let query = service::ComparisonQuery { reference: query.reference, incumbent, by, ..Default::default() };
    let comparison = service.comparison(pass.project, &query, pass.viewer()).await.map_err(door::refused)?;
    let judges = service.judges(pass.project).await.map_err(door::refused)?;
    let title = domain::visible(&judge);
    let view = view! { <Whole comparison=comparison contrasted=contrasted judges=judges here=here/> };
    Packed::new(&Markup::of_page(title, view))
}

/// Where the human values come from, as the address says.
#[cfg(feature = "ssr")]
fn reference_of(here: &Here) -> Result<ReferenceChoice, AppError> {
    ReferenceChoice::asked(here.said("reference"), here.said("rule"), here.said("why")).map_err(door::refused)
}

/// What the address cuts by.
#[cfg(feature = "ssr")]
fn slices_of(here: &Here) -> Result<Option<SliceBy>, AppError> {
    Some(here.said("by")).filter(|by| !by.is_empty()).map(|by| word("by", by)).transpose()
}

/// The metrics of people beside each judge.
#[cfg(feature = "ssr")]
async fn beside_people(
    service: &service::Service,
    pass: door::Pass,
    reference: &ReferenceChoice,
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
