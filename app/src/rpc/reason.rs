//! Grading the reasons of judges.

use crate::{
    component::markup::Markup,
    error::AppError,
    rpc::{label::FormAnswer, packed::Packed},
};
use leptos::{prelude::*, server_fn::codec::Json};

#[cfg(feature = "ssr")]
use crate::{
    door,
    page::reasons::graded::{ReasonsToGrade, TITLE},
    typed::number,
};
#[cfg(feature = "ssr")]
use domain::Permission;

/// The reason that whoever asks is to grade next, after leaving so many for later.
#[server(input = Json)]
pub(crate) async fn load_reasons(
    project: String,
    behind: Option<String>,
) -> Result<Packed<Markup>, AppError> {
    let pass = door::authorise(&project, Permission::Label).await?;
    let behind: usize = number("behind", &behind.unwrap_or_default())?.unwrap_or(0);
    let reasons = door::service()?.reasons(pass.project, pass.user, behind).await.map_err(door::refused)?;
    let page = view! { <ReasonsToGrade project=project behind=behind reasons=reasons/> };
    Packed::new(&Markup::of_page(TITLE, page))
}

/// Stores the grades of one reason.
#[server]
pub(crate) async fn grade_reason(
    project: String,
    conversation: String,
    rubric_version: u32,
    #[server(default)] answers: Vec<FormAnswer>,
) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Label).await?;
    let given = answers.into_iter().filter(FormAnswer::is_new);
    let given = given.map(|answer| answer.into_answer(&conversation, rubric_version));
    let given = given.collect::<Result<_, _>>()?;
    door::service()?.grade_reason(pass.project, pass.user, given).await.map_err(door::refused)
}
