//! Agreement between people.

use crate::{component::markup::Markup, error::AppError, rpc::packed::Packed};
use leptos::{prelude::*, server_fn::codec::Json};

#[cfg(feature = "ssr")]
use crate::{
    door,
    page::{
        agreement::report::{Report, TITLE},
        pair::crossed::{Crossed, title},
    },
};
#[cfg(feature = "ssr")]
use domain::Permission;

/// Most items that one page lists.
#[cfg(feature = "ssr")]
const LISTED: usize = 200;

/// The report. The figures of each criterion, and of the chosen one (else the first) its pairs, annotators and slices.
#[server(input = Json)]
pub(crate) async fn load_agreement(
    project: String,
    criterion: Option<String>,
    by: Option<String>,
) -> Result<Packed<Markup>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let slices = by.as_deref().map(str::parse).transpose();
    let slices = slices.map_err(|reason| AppError::Invalid { field: "by".to_owned(), reason })?;
    let query = service::AgreementQuery { criterion: None, by: slices };
    let mut report =
        door::service()?.agreement(pass.project, &query, pass.viewer()).await.map_err(door::refused)?;
    let chosen = chosen_criterion(report.criteria.iter().map(|found| found.id.as_str()), criterion);
    for other in report.criteria.iter_mut().filter(|found| Some(&found.id) != chosen.as_ref()) {
        other.pairs.clear();
        other.annotators.clear();
        other.slices.clear();
    }
    let by = by.unwrap_or_default();
    Packed::new(&Markup::of_page(TITLE, view! { <Report report=report by=by/> }))
}

/// Two annotators' answers crossed, with the items of the cell (`a_said`, `b_said`), or all where none is chosen.
#[server(input = Json)]
pub(crate) async fn load_pair(
    project: String,
    criterion: String,
    a: String,
    b: String,
    a_said: Option<String>,
    b_said: Option<String>,
) -> Result<Packed<Markup>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let found = door::service()?.pair_items(pass.project, &criterion, &a, &b, pass.viewer()).await;
    let mut pair = found.map_err(door::refused)?;
    let [a_said, b_said] = [a_said, b_said].map(|said| said.and_then(|said| said.parse::<f64>().ok()));
    let is = |wanted: Option<f64>, said: f64| wanted.is_none_or(|wanted| (wanted - said).abs() < 1e-9);
    pair.items.retain(|item| is(a_said, item.a) && is(b_said, item.b));
    let chosen = pair.items.len() as u64;
    pair.items.truncate(LISTED);
    let (name, cell) = (title(&pair.agreement), a_said.zip(b_said));
    let view = view! { <Crossed project=project pair=pair chosen=chosen cell=cell/> };
    Packed::new(&Markup::of_page(name, view))
}

/// The wanted criterion where it is there, else the first.
#[cfg(feature = "ssr")]
pub(crate) fn chosen_criterion<'a>(
    mut criteria: impl Iterator<Item = &'a str> + Clone,
    wanted: Option<String>,
) -> Option<String> {
    let wanted = wanted.filter(|wanted| criteria.clone().any(|criterion| criterion == wanted));
    wanted.or_else(|| criteria.next().map(str::to_owned))
}
