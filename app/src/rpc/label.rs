//! Labelling: the conversation on the desk, each answer as it is given, and moving on.

use crate::{error::AppError, page::label::task::Task, rpc::packed::Packed};
use domain::{LabelProgress, NewAnswer, SaveOutcome};
use leptos::{prelude::*, server_fn::codec::Json};
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use crate::{door, door::Pass};
#[cfg(feature = "ssr")]
use domain::Permission;

/// What an annotator has on the desk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Desk {
    /// Who the annotator is: an answer is stored for this person or not at all.
    pub(crate) user: String,
    /// The conversation with its questions; absent when nothing is left.
    pub(crate) task: Option<Task>,
    /// How far the annotator is.
    pub(crate) progress: LabelProgress,
}

/// One answer of the form that works without JavaScript.
#[cfg_attr(not(feature = "ssr"), allow(dead_code, reason = "where a program runs, nobody sends it"))]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FormAnswer {
    /// The unit, in its text form.
    pub(crate) unit: String,
    /// Id of the criterion.
    pub(crate) criterion: String,
    /// The value as the form sends it; absent or empty where nothing was chosen.
    #[serde(default)]
    pub(crate) value: Option<String>,
    /// The label that this one replaces; empty for the first.
    #[serde(default)]
    pub(crate) supersedes: Option<String>,
    /// The value that stands already; empty for none.
    #[serde(default)]
    pub(crate) stored: Option<String>,
}

/// The desk of whoever asks.
#[server(input = Json)]
pub(crate) async fn load_desk(project: String) -> Result<Packed<Desk>, AppError> {
    let pass = door::authorise(&project, Permission::Label).await?;
    let task = door::service()?.label_task(pass.project, pass.user).await.map_err(door::refused)?;
    desk_with(&pass, task).await
}

/// The conversation that comes after this one, so that moving on takes no time.
#[server(input = Json)]
pub(crate) async fn load_ahead(project: String, conversation: String) -> Result<Packed<Desk>, AppError> {
    let pass = door::authorise(&project, Permission::Label).await?;
    let ahead = door::service()?.label_task_ahead(pass.project, pass.user, &conversation).await;
    desk_with(&pass, ahead.map_err(door::refused)?).await
}

/// Stores one answer of `user`, who must be signed in: what one person left unsent is never stored for another.
#[server(input = Json)]
pub(crate) async fn save_answer(
    project: String,
    user: String,
    answer: NewAnswer,
) -> Result<SaveOutcome, AppError> {
    let pass = door::authorise(&project, Permission::Label).await?;
    only_for(&user, &pass)?;
    door::service()?.save_answer(pass.project, pass.user, answer).await.map_err(door::refused)
}

/// Submits a conversation of `user`, who must be signed in.
#[server(input = Json)]
pub(crate) async fn submit_conversation(
    project: String,
    user: String,
    conversation: String,
) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Label).await?;
    only_for(&user, &pass)?;
    door::service()?.submit(pass.project, pass.user, &conversation).await.map_err(door::refused)
}

/// Leaves a conversation of `user`, who must be signed in, to others.
#[server(input = Json)]
pub(crate) async fn skip_conversation(
    project: String,
    user: String,
    conversation: String,
    reason: String,
) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Label).await?;
    only_for(&user, &pass)?;
    door::service()?.skip(pass.project, pass.user, &conversation, &reason).await.map_err(door::refused)
}

/// Stores what a whole form says and submits the conversation. What could be stored is kept when something is still unanswered.
#[server]
pub(crate) async fn submit_form(
    project: String,
    conversation: String,
    rubric_version: u32,
    #[server(default)] answers: Vec<FormAnswer>,
) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Label).await?;
    let service = door::service()?;
    for given in answers.into_iter().filter(FormAnswer::is_new) {
        let answer = given.into_answer(&conversation, rubric_version)?;
        let unit = answer.unit.to_string();
        match service.save_answer(pass.project, pass.user, answer).await.map_err(door::refused)? {
            SaveOutcome::Saved { .. } => {}
            SaveOutcome::Conflict { .. } => return Err(conflict(&unit)),
        }
    }
    service.submit(pass.project, pass.user, &conversation).await.map_err(door::refused)
}

#[cfg(feature = "ssr")]
async fn desk_with(pass: &Pass, task: Option<domain::LabelTask>) -> Result<Packed<Desk>, AppError> {
    let progress = match &task {
        Some(task) => task.progress,
        None => door::service()?.label_progress(pass.project, pass.user).await.map_err(door::refused)?,
    };
    Packed::new(&Desk { user: pass.user.to_string(), task: task.map(Task::from), progress })
}

/// What was done in the browser under one account is never stored under another.
#[cfg(feature = "ssr")]
fn only_for(user: &str, pass: &Pass) -> Result<(), AppError> {
    if pass.user.to_string() == user {
        return Ok(());
    }
    let what = "Somebody else is signed in here now. Sign in again as yourself to send this.";
    Err(AppError::Conflict { what: what.to_owned() })
}

#[cfg(feature = "ssr")]
fn conflict(unit: &str) -> AppError {
    AppError::Conflict {
        what: format!(
            "Another tab or device of yours has answered {unit} since this page was made. Nothing was overwritten: \
             the page now shows what stands there."
        ),
    }
}

#[cfg(feature = "ssr")]
impl FormAnswer {
    /// Whether it says something that is not stored yet.
    pub(crate) fn is_new(&self) -> bool {
        let value = self.value.as_deref().unwrap_or_default().trim();
        !value.is_empty() && value != self.stored.as_deref().unwrap_or_default()
    }

    /// The same as the browser's program would send. The key is made of what is said, so that a form that is sent twice is stored once.
    pub(crate) fn into_answer(self, conversation: &str, rubric_version: u32) -> Result<NewAnswer, AppError> {
        let invalid = |reason: String| AppError::Invalid { field: self.criterion.clone(), reason };
        let text = self.value.as_deref().unwrap_or_default().trim();
        let value: f64 = text.parse().map_err(|_| invalid(format!("`{text}` is no number.")))?;
        let unit: domain::Unit =
            self.unit.parse().map_err(|error: domain::UnitError| invalid(error.to_string()))?;
        let supersedes = self.supersedes.filter(|label| !label.is_empty());
        let before = supersedes.as_deref().unwrap_or("first");
        let said = format!("{conversation}\n{unit}\n{}\n{before}\n{value}", self.criterion);
        Ok(NewAnswer {
            conversation: conversation.to_owned(),
            unit,
            criterion: self.criterion,
            value: Some(value),
            comment: None,
            flag: false,
            seconds: None,
            rubric_version,
            supersedes,
            client_key: format!("form-{}", domain::ContentHash::of_bytes(said.as_bytes())),
        })
    }
}
