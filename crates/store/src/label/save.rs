use super::{OwnLabel, OwnRow, own_heads};
use crate::{
    AnnotatorId, AssignmentId, ConversationId, LabelId, ProjectId, RubricVersionId, Store, StoreError,
    UserId, justification, timestamp::Timestamp,
};
use domain::{Fault, Unit, UnitKind};
use sqlx::SqliteConnection;
use time::OffsetDateTime;

/// A label that a person gives in the browser.
#[derive(Clone, Debug)]
pub struct NewLabel {
    /// The project.
    pub project: ProjectId,
    /// Who says it.
    pub user: UserId,
    /// Of which conversation.
    pub conversation: ConversationId,
    /// The rubric version that was shown.
    pub rubric_version: RubricVersionId,
    /// Of which unit.
    pub unit: Unit,
    /// On which criterion.
    pub criterion: String,
    /// Which deliberate repeat, from 0.
    pub pass: u32,
    /// The value of the level; `None` withdraws what it supersedes.
    pub value: Option<f64>,
    /// A remark.
    pub comment: Option<String>,
    /// Marked for a second look.
    pub flag: bool,
    /// Seconds of activity.
    pub seconds: Option<f64>,
    /// The label that it replaces; `None` for the first.
    pub supersedes: Option<LabelId>,
    /// Made by the browser, so that a save that is sent twice is stored once.
    pub client_key: String,
    /// Whether it corrects what was submitted: it is marked, and no part of agreement.
    pub correction: bool,
}

/// What became of a label that was to be saved.
#[derive(Clone, Debug, PartialEq)]
pub enum Saved {
    /// It is stored, and survives a power cut.
    Stored {
        /// Its identity.
        id: LabelId,
        /// Whether it had been stored before, under the same client key.
        replayed: bool,
    },
    /// Another label of the same person stands there. Nothing was stored.
    Conflict {
        /// What stands there; `None` where nothing does.
        current: Option<OwnLabel>,
    },
    /// The person has no open assignment on the conversation, or for a correction none that was submitted. Nothing was stored.
    NotAssigned,
}

impl Store {
    /// Saves what a person says in the browser, in a transaction that checks the open assignment and the label that this one replaces.
    /// Saves that wait at the same time share the transaction; none is answered before it is on the disk.
    /// A save that is repeated under its client key is answered as the first one was.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] for a rubric version that is not the project's, [`StoreError::Invalid`] for a value that is no number,
    /// [`StoreError::Busy`] and [`StoreError::NotCommitted`] where the transaction failed.
    pub async fn save_label(&self, label: &NewLabel, now: OffsetDateTime) -> Result<Saved, StoreError> {
        check_finite(label.value)?;
        self.save_in_group(label.clone(), now).await
    }
}

/// Checks and writes one label inside a transaction that the caller commits.
pub(super) async fn save_in(
    connection: &mut SqliteConnection,
    label: &NewLabel,
    now: OffsetDateTime,
) -> Result<Saved, StoreError> {
    match key_holder(connection, label).await? {
        Some((id, true)) => return Ok(Saved::Stored { id, replayed: true }),
        // One key for two different answers: nothing may be lost, so the person is asked.
        Some((_, false)) => return Ok(Saved::Conflict { current: current(connection, label).await? }),
        None => {}
    }
    if !is_assigned(connection, label, now).await? {
        return Ok(Saved::NotAssigned);
    }
    let current = current(connection, label).await?;
    if current.as_ref().map(|label| label.id) != label.supersedes {
        return Ok(Saved::Conflict { current });
    }
    check_rubric_version(connection, label).await?;
    let annotator = annotator_of(connection, label.project, label.user, now).await?;
    let id = insert(connection, label, annotator, now).await?;
    Ok(Saved::Stored { id, replayed: false })
}

/// SQLite keeps NaN as null, which would withdraw a label.
pub(crate) fn check_finite(value: Option<f64>) -> Result<(), StoreError> {
    match value {
        Some(value) if !value.is_finite() => {
            Err(Fault::new("value", value.to_string(), "a finite number").into())
        }
        _ => Ok(()),
    }
}

/// The label that was stored under the client key, and whether it says the same.
async fn key_holder(
    connection: &mut SqliteConnection,
    label: &NewLabel,
) -> Result<Option<(LabelId, bool)>, StoreError> {
    let sql = "select l.id, l.conversation_id = $4 and l.unit = $5 and l.criterion = $6 \
                   and l.value is $7 \
               from annotator a join label l on l.annotator_id = a.id \
               where a.project_id = $1 and a.user_id = $2 and l.client_key = $3";
    Ok(sqlx::query_as(sql)
        .bind(label.project)
        .bind(label.user)
        .bind(&label.client_key)
        .bind(label.conversation)
        .bind(label.unit.to_string())
        .bind(&label.criterion)
        .bind(label.value)
        .fetch_optional(connection)
        .await?)
}

/// Whether the person may say it. What was returned because nothing was said comes back to the desk when something was said after all.
async fn is_assigned(
    connection: &mut SqliteConnection,
    label: &NewLabel,
    now: OffsetDateTime,
) -> Result<bool, StoreError> {
    let sql = "select id, state from assignment \
               where project_id = $1 and user_id = $2 and conversation_id = $3 and pass = $4";
    let found: Option<(AssignmentId, String)> = sqlx::query_as(sql)
        .bind(label.project)
        .bind(label.user)
        .bind(label.conversation)
        .bind(label.pass)
        .fetch_optional(&mut *connection)
        .await?;
    let is_reason = label.unit.kind() == UnitKind::Justification;
    match found.as_ref().map(|(id, state)| (id, state.as_str())) {
        // What a judge says is read after one's own answer, and so graded after it.
        Some((_, "submitted")) if is_reason && !label.correction => {
            let NewLabel { project, user, conversation, unit, .. } = label;
            justification::is_offered(connection, *project, *user, *conversation, unit).await
        }
        _ if is_reason => Ok(false),
        Some((_, "open")) => Ok(!label.correction),
        Some((_, "submitted")) => Ok(label.correction),
        Some((id, "returned")) if !label.correction => {
            let sql = "update assignment set state = 'open', lapsed_at = $2, closed_at = null where id = $1";
            sqlx::query(sql).bind(id).bind(Timestamp::from(now)).execute(connection).await?;
            Ok(true)
        }
        _ => Ok(false),
    }
}

/// The last label of the chain that the new one continues.
async fn current(
    connection: &mut SqliteConnection,
    label: &NewLabel,
) -> Result<Option<OwnLabel>, StoreError> {
    let row: Option<OwnRow> =
        sqlx::query_as(own_heads!(" and l.criterion = $3 and l.unit = $4 and l.pass = $5"))
            .bind(label.user)
            .bind(label.conversation)
            .bind(&label.criterion)
            .bind(label.unit.to_string())
            .bind(label.pass)
            .fetch_optional(connection)
            .await?;
    row.map(OwnLabel::try_from).transpose()
}

async fn check_rubric_version(connection: &mut SqliteConnection, label: &NewLabel) -> Result<(), StoreError> {
    let sql = "select exists (select 1 from rubric_version where id = $1 and project_id = $2)";
    let known: bool =
        sqlx::query_scalar(sql).bind(label.rubric_version).bind(label.project).fetch_one(connection).await?;
    if known { Ok(()) } else { Err(StoreError::not_found("such rubric version in this project")) }
}

/// The name under which a user's labels stand: made on first use, after the account; numbered where an imported annotator has that name.
async fn annotator_of(
    connection: &mut SqliteConnection,
    project: ProjectId,
    user: UserId,
    now: OffsetDateTime,
) -> Result<AnnotatorId, StoreError> {
    let sql = "select id from annotator where project_id = $1 and user_id = $2";
    let present: Option<AnnotatorId> =
        sqlx::query_scalar(sql).bind(project).bind(user).fetch_optional(&mut *connection).await?;
    if let Some(present) = present {
        return Ok(present);
    }
    let account: String = sqlx::query_scalar("select account from user where id = $1")
        .bind(user)
        .fetch_one(&mut *connection)
        .await?;
    let id = AnnotatorId::new(now);
    let sql = "insert into annotator (id, project_id, name, user_id) values ($1, $2, $3, $4) \
               on conflict (project_id, name) do nothing";
    let mut name = account.clone();
    for number in 2_u64.. {
        let done =
            sqlx::query(sql).bind(id).bind(project).bind(&name).bind(user).execute(&mut *connection).await?;
        if done.rows_affected() > 0 {
            break;
        }
        name = format!("{account} ({number})");
    }
    Ok(id)
}

async fn insert(
    connection: &mut SqliteConnection,
    label: &NewLabel,
    annotator: AnnotatorId,
    now: OffsetDateTime,
) -> Result<LabelId, StoreError> {
    let id = LabelId::new(now);
    let sql = "insert into label (id, project_id, conversation_id, annotator_id, rubric_version_id, unit, \
                   criterion, pass, value, comment, flag, seconds, supersedes, client_key, labelled_at, \
                   recorded_at, corrected) \
               values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15, $16)";
    sqlx::query(sql)
        .bind(id)
        .bind(label.project)
        .bind(label.conversation)
        .bind(annotator)
        .bind(label.rubric_version)
        .bind(label.unit.to_string())
        .bind(&label.criterion)
        .bind(label.pass)
        .bind(label.value)
        .bind(&label.comment)
        .bind(label.flag)
        .bind(label.seconds)
        .bind(label.supersedes)
        .bind(&label.client_key)
        .bind(Timestamp::from(now))
        .bind(label.correction)
        .execute(connection)
        .await?;
    Ok(id)
}
