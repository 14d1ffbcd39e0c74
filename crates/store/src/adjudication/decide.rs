use super::{labels_of_item, of_item, written_labels};
use crate::{
    AdjudicationId, ConversationId, ProjectId, RubricVersionId, Store, StoreError, UserId, Viewer,
    label::check_finite, timestamp::Timestamp,
};
use domain::Adjudication;
use sqlx::SqliteConnection;
use time::OffsetDateTime;

/// A decision to be stored.
#[derive(Clone, Debug)]
pub struct NewAdjudication {
    /// The project.
    pub project: ProjectId,
    /// The conversation of the item.
    pub conversation: ConversationId,
    /// What is decided, of which labels, by whom.
    pub adjudication: Adjudication,
    /// The rubric version that it names.
    pub rubric_version: RubricVersionId,
    /// The account of the person; `None` where it was decided elsewhere.
    pub user: Option<UserId>,
    /// The decision that it replaces; `None` for the first.
    pub supersedes: Option<AdjudicationId>,
}

/// What became of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adjudicated {
    /// It is stored.
    Stored(AdjudicationId),
    /// A label or a decision has come since. Nothing was stored.
    Changed,
    /// The conversation is on somebody's desk. Nothing was stored.
    OnADesk,
}

impl Store {
    /// Stores a decision, in a transaction that checks that it is of what stands there and that nobody is labelling the conversation.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] for a value that is no number.
    pub async fn adjudicate(&self, new: &NewAdjudication) -> Result<Adjudicated, StoreError> {
        let NewAdjudication { conversation, adjudication, supersedes, .. } = new;
        let mut transaction = self.write().await?;
        let before = of_item(&mut transaction, *conversation, &adjudication.item).await?.into_iter().next();
        if before.as_ref().map(|before| before.id) != *supersedes {
            return Ok(Adjudicated::Changed);
        }
        if is_on_a_desk(&mut transaction, *conversation).await? {
            return Ok(Adjudicated::OnADesk);
        }
        let stand =
            labels_of_item(&mut transaction, *conversation, &adjudication.item, Viewer::Operator).await?;
        if !stand.iter().map(|label| &label.label).eq(&adjudication.labels) {
            return Ok(Adjudicated::Changed);
        }
        let id = insert(&mut transaction, new, adjudication.at).await?;
        transaction.commit().await?;
        Ok(Adjudicated::Stored(id))
    }
}

pub(super) async fn insert(
    connection: &mut SqliteConnection,
    new: &NewAdjudication,
    now: OffsetDateTime,
) -> Result<AdjudicationId, StoreError> {
    let Adjudication { item, value, reason, note, labels, by, at, .. } = &new.adjudication;
    check_finite(Some(*value))?;
    let id = AdjudicationId::new(now);
    let sql = "insert into adjudication (id, project_id, conversation_id, criterion, unit, value, reason, note, \
                   labels, rubric_version_id, decided_by, user_id, decided_at, supersedes) \
               values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";
    sqlx::query(sql)
        .bind(id)
        .bind(new.project)
        .bind(new.conversation)
        .bind(&item.criterion)
        .bind(item.unit.to_string())
        .bind(value)
        .bind(reason.word())
        .bind(note)
        .bind(written_labels(labels)?)
        .bind(new.rubric_version)
        .bind(by)
        .bind(new.user)
        .bind(Timestamp::from(*at))
        .bind(new.supersedes)
        .execute(connection)
        .await?;
    Ok(id)
}

async fn is_on_a_desk(
    connection: &mut SqliteConnection,
    conversation: ConversationId,
) -> Result<bool, StoreError> {
    let sql = "select exists (\
                   select 1 from assignment where conversation_id = $1 and state = 'open' and lapsed_at is null)";
    Ok(sqlx::query_scalar(sql).bind(conversation).fetch_one(connection).await?)
}
