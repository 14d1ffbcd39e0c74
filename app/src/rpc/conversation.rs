//! One conversation, to read.

use crate::{component::markup::Markup, error::AppError, rpc::packed::Packed};
use leptos::{prelude::*, server_fn::codec::Json};

#[cfg(feature = "ssr")]
use crate::{
    door,
    page::{
        conversation::whole::{Low, Whole, title},
        diagnose::report::Asked,
    },
};
#[cfg(feature = "ssr")]
use domain::Permission;
#[cfg(feature = "ssr")]
use service::DiagnosisQuery;

/// A conversation by its id in the source system. Where a metric is named that it lowers, with what a diagnosis is asked, the unit at fault
/// is marked.
#[server(input = Json)]
pub(crate) async fn load_conversation(
    project: String,
    id: String,
    metric: Option<String>,
    from: Option<String>,
    judge: Option<String>,
    by: Option<String>,
    k: Option<String>,
) -> Result<Packed<Markup>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let service = door::service()?;
    let found = service.view_conversation(pass.project, &id, pass.user).await.map_err(door::refused)?;
    let low = match metric {
        None => None,
        Some(metric) => {
            let query = DiagnosisQuery::asked(from, judge, by.as_deref(), k.as_deref());
            let query = query.map_err(door::refused)?;
            let worst = service.worst_of(pass.project, &query, &metric, &id, pass.viewer()).await;
            let back = Asked::new(project, &query).here();
            worst.map_err(door::refused)?.map(|(metric, worst)| Low::new(&metric, worst, back))
        }
    };
    let name = title(&found);
    Packed::new(&Markup::of_page(name, view! { <Whole conversation=found low=low/> }))
}
