//! Judges against people, and the ledger of verdicts that are no value.

use crate::{error::AppError, rpc::packed::Packed};
use domain::{Comparison, LedgerEntry};
use leptos::{prelude::*, server_fn::codec::Json};
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use crate::{door, rpc::agreement::chosen_criterion};
#[cfg(feature = "ssr")]
use domain::{Permission, ReferenceRule};

/// What the compare page shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ComparePage {
    /// The report, cut down to the chosen criterion.
    pub(crate) comparison: Comparison,
    /// Every criterion that could be chosen.
    pub(crate) criteria: Vec<String>,
    /// Every judge, for the choice of the incumbent.
    pub(crate) judges: Vec<String>,
}

/// What the ledger shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LedgerPage {
    /// The first entries.
    pub(crate) entries: Vec<LedgerEntry>,
    /// How many there are.
    pub(crate) total: u64,
}

/// Most entries that one page of the ledger lists.
#[cfg(feature = "ssr")]
const LISTED: usize = 500;

/// The comparison on the chosen criterion, else on the first.
#[server(input = Json)]
pub(crate) async fn load_comparison(
    project: String,
    criterion: Option<String>,
    incumbent: Option<String>,
    rule: Option<String>,
) -> Result<Packed<ComparePage>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let service = door::service()?;
    let rule = rule_of(rule)?;
    let query = service::ComparisonQuery { rule, incumbent, ..Default::default() };
    let mut comparison =
        service.comparison(pass.project, &query, pass.viewer()).await.map_err(door::refused)?;
    let criteria: Vec<String> = comparison.criteria.iter().map(|found| found.id.clone()).collect();
    let chosen = chosen_criterion(criteria.iter().map(String::as_str), criterion);
    comparison.criteria.retain(|found| Some(&found.id) == chosen.as_ref());
    let judges = service.judges(pass.project, pass.viewer()).await.map_err(door::refused)?;
    Packed::new(&ComparePage { comparison, criteria, judges })
}

/// The instrument failures of a judge on a criterion; of all where none is named.
#[server(input = Json)]
pub(crate) async fn load_ledger(
    project: String,
    judge: Option<String>,
    criterion: Option<String>,
) -> Result<Packed<LedgerPage>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let found =
        door::service()?.ledger(pass.project, judge.as_deref(), criterion.as_deref(), pass.viewer()).await;
    let mut entries = found.map_err(door::refused)?;
    let total = entries.len() as u64;
    entries.truncate(LISTED);
    Packed::new(&LedgerPage { entries, total })
}

/// The rule that a form or an address names; none is the service's own choice.
#[cfg(feature = "ssr")]
pub(crate) fn rule_of(text: Option<String>) -> Result<Option<ReferenceRule>, AppError> {
    let text = text.filter(|text| !text.is_empty());
    let rule = text.map(|text| text.parse()).transpose();
    rule.map_err(|reason: String| AppError::Invalid { field: "rule".to_owned(), reason })
}
