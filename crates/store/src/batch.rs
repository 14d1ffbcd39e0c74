use crate::{
    AnchorSetId, BatchId, ConversationId, ProjectId, Store, StoreError, UserId, error::OnUnique,
    people::check_name, timestamp::Timestamp,
};
use domain::{BatchMember, BatchProgress, LabellingRules};
use sqlx::{QueryBuilder, Row as _, SqliteConnection};
use std::collections::HashSet;
use time::OffsetDateTime;

/// Conversations to be given to named people.
#[derive(Clone, Debug)]
pub struct NewBatch<'a> {
    /// The project.
    pub project: ProjectId,
    /// Its name, unique in the project.
    pub name: &'a str,
    /// How many of its people each conversation wants.
    pub overlap: u32,
    /// Decides each person's own order.
    pub seed: u32,
    /// The anchor set of a qualification round.
    pub anchor_set: Option<AnchorSetId>,
    /// The conversations, in the order in which they are given out.
    pub conversations: &'a [ConversationId],
    /// Who labels them.
    pub people: &'a [UserId],
}

/// Rows of one statement.
const ROWS: usize = 500;

/// The batches of project `$1`, oldest first.
pub(crate) const BATCHES: &str = "select b.id, b.name, b.overlap, b.closed_at is not null as closed, s.name as set_name, \
         s.version as set_version, \
         (select count(*) from queue q where q.batch_id = b.id) as conversations, \
         (select count(*) from queue q where q.batch_id = b.id and b.overlap <= (\
             select count(*) from assignment a join batch_person p on p.user_id = a.user_id and p.batch_id = b.id \
             where a.conversation_id = q.conversation_id and a.state = 'submitted' and a.pass = 0)) as complete \
     from batch b left join anchor_set s on s.id = b.anchor_set_id where b.project_id = $1 order by b.id";

/// The people of batch `$1`, by account.
pub(crate) const MEMBERS: &str = "select u.name, u.account, p.left_at is not null, \
         (select count(*) from queue q join assignment a on a.conversation_id = q.conversation_id \
          where q.batch_id = $1 and a.user_id = p.user_id and a.state = 'submitted' and a.pass = 0) \
     from batch_person p join user u on u.id = p.user_id where p.batch_id = $1 order by u.account";

#[derive(sqlx::FromRow)]
struct Row {
    id: BatchId,
    name: String,
    overlap: u32,
    closed: bool,
    set_name: Option<String>,
    set_version: Option<u32>,
    conversations: i64,
    complete: i64,
}

impl Store {
    /// How a project's conversations are given out.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub async fn labelling_rules(&self, project: ProjectId) -> Result<LabellingRules, StoreError> {
        let sql = "select overlap, reservation_hours, order_seed, repeat_every, shows_others \
                   from project where id = $1";
        let row = sqlx::query(sql).bind(project).fetch_optional(self.read()).await?;
        let row = row.ok_or_else(|| StoreError::not_found("such project"))?;
        Ok(LabellingRules {
            overlap: row.try_get("overlap")?,
            reservation_hours: row.try_get("reservation_hours")?,
            order_seed: row.try_get("order_seed")?,
            repeat_every: row.try_get("repeat_every")?,
            shows_others: row.try_get("shows_others")?,
        })
    }

    /// Sets how a project's conversations are given out. What lies on desks stays there.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] for a rule that cannot stand, [`StoreError::NotFound`].
    pub async fn set_labelling_rules(
        &self,
        project: ProjectId,
        rules: &LabellingRules,
    ) -> Result<(), StoreError> {
        if let Some(fault) = rules.fault() {
            return Err(fault.into());
        }
        let sql = "update project set overlap = $2, reservation_hours = $3, order_seed = $4, repeat_every = $5, \
                       shows_others = $6 where id = $1";
        let mut transaction = self.write().await?;
        let done = sqlx::query(sql)
            .bind(project)
            .bind(rules.overlap)
            .bind(rules.reservation_hours)
            .bind(rules.order_seed)
            .bind(rules.repeat_every)
            .bind(rules.shows_others)
            .execute(&mut *transaction)
            .await?;
        if done.rows_affected() == 0 {
            return Err(StoreError::not_found("such project"));
        }
        Ok(transaction.commit().await?)
    }

    /// Makes a batch. From the first one on, a project gives nothing out beside its batches.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] where the name is taken, [`StoreError::Invalid`] for a name or an overlap that cannot stand.
    pub async fn create_batch(&self, batch: &NewBatch<'_>, now: OffsetDateTime) -> Result<(), StoreError> {
        check_name("name", batch.name)?;
        let mut transaction = self.write().await?;
        let id = BatchId::new(now);
        let sql = "insert into batch (id, project_id, name, overlap, seed, anchor_set_id, created_at) \
                   values ($1, $2, $3, $4, $5, $6, $7)";
        sqlx::query(sql)
            .bind(id)
            .bind(batch.project)
            .bind(batch.name)
            .bind(batch.overlap)
            .bind(batch.seed)
            .bind(batch.anchor_set)
            .bind(Timestamp::from(now))
            .execute(&mut *transaction)
            .await
            .on_unique(|| format!("the batch `{}` exists: choose another name", batch.name))?;
        let placed: Vec<(i64, ConversationId)> = (0..).zip(batch.conversations.iter().copied()).collect();
        for rows in placed.chunks(ROWS) {
            let sql = "insert into queue (project_id, batch_id, conversation_id, position, wanted) ";
            let mut query = QueryBuilder::new(sql);
            query.push_values(rows, |mut row, (position, conversation)| {
                row.push_bind(batch.project)
                    .push_bind(id)
                    .push_bind(*conversation)
                    .push_bind(*position)
                    .push_bind(batch.overlap);
            });
            query.build().execute(&mut *transaction).await?;
        }
        for person in batch.people {
            join(&mut transaction, id, *person).await?;
        }
        Ok(transaction.commit().await?)
    }

    /// The batches of a project, oldest first, each with how far it and its people are.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn batches(&self, project: ProjectId) -> Result<Vec<BatchProgress>, StoreError> {
        let mut snapshot = self.snapshot().await?;
        let rows: Vec<Row> = sqlx::query_as(BATCHES).bind(project).fetch_all(&mut *snapshot).await?;
        let mut batches = Vec::with_capacity(rows.len());
        for row in rows {
            let people: Vec<(String, String, bool, i64)> =
                sqlx::query_as(MEMBERS).bind(row.id).fetch_all(&mut *snapshot).await?;
            let member = |(name, account, left, submitted): (String, String, bool, i64)| BatchMember {
                name,
                account,
                submitted: submitted.unsigned_abs(),
                left,
            };
            let anchor_set = row.set_name.zip(row.set_version);
            batches.push(BatchProgress {
                name: row.name,
                anchor_set: anchor_set.map(|(name, version)| domain::AnchorSetName { name, version }),
                conversations: row.conversations.unsigned_abs(),
                overlap: row.overlap,
                complete: row.complete.unsigned_abs(),
                closed: row.closed,
                people: people.into_iter().map(member).collect(),
            });
        }
        Ok(batches)
    }

    /// The conversations of a project that are in some batch.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn conversations_in_batches(
        &self,
        project: ProjectId,
    ) -> Result<HashSet<ConversationId>, StoreError> {
        let sql = "select conversation_id from queue where project_id = $1 and batch_id is not null";
        let ids: Vec<ConversationId> = sqlx::query_scalar(sql).bind(project).fetch_all(self.read()).await?;
        Ok(ids.into_iter().collect())
    }

    /// The conversations of a batch.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub async fn batch_conversations(
        &self,
        project: ProjectId,
        batch: &str,
    ) -> Result<HashSet<ConversationId>, StoreError> {
        let mut snapshot = self.snapshot().await?;
        let id = batch_id(&mut snapshot, project, batch).await?;
        let sql = "select conversation_id from queue where batch_id = $1";
        let ids: Vec<ConversationId> = sqlx::query_scalar(sql).bind(id).fetch_all(&mut *snapshot).await?;
        Ok(ids.into_iter().collect())
    }

    /// Takes a person into a batch, or in again. What the person labelled before counts.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where there is no such batch.
    pub async fn join_batch(&self, project: ProjectId, batch: &str, user: UserId) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        let id = batch_id(&mut transaction, project, batch).await?;
        join(&mut transaction, id, user).await?;
        Ok(transaction.commit().await?)
    }

    /// Takes a person out of a batch: nothing more is given out; what was labelled counts, and what lies on the desk can be submitted.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where there is no such batch, or the person is not in it.
    pub async fn leave_batch(
        &self,
        project: ProjectId,
        batch: &str,
        user: UserId,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        let id = batch_id(&mut transaction, project, batch).await?;
        let sql =
            "update batch_person set left_at = $3 where batch_id = $1 and user_id = $2 and left_at is null";
        let done = sqlx::query(sql)
            .bind(id)
            .bind(user)
            .bind(Timestamp::from(now))
            .execute(&mut *transaction)
            .await?;
        if done.rows_affected() == 0 {
            return Err(StoreError::not_found(format!("such person in the batch `{batch}`")));
        }
        Ok(transaction.commit().await?)
    }

    /// Closes a batch for good: nothing more of it is given out. What lies on desks can be submitted.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where there is no such batch.
    pub async fn close_batch(
        &self,
        project: ProjectId,
        batch: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        let id = batch_id(&mut transaction, project, batch).await?;
        sqlx::query("update batch set closed_at = coalesce(closed_at, $2) where id = $1")
            .bind(id)
            .bind(Timestamp::from(now))
            .execute(&mut *transaction)
            .await?;
        Ok(transaction.commit().await?)
    }
}

async fn batch_id(
    connection: &mut SqliteConnection,
    project: ProjectId,
    name: &str,
) -> Result<BatchId, StoreError> {
    let sql = "select id from batch where project_id = $1 and name = $2";
    let id = sqlx::query_scalar(sql).bind(project).bind(name).fetch_optional(connection).await?;
    id.ok_or_else(|| StoreError::not_found(format!("batch `{}` in this project", domain::visible(name))))
}

async fn join(connection: &mut SqliteConnection, batch: BatchId, user: UserId) -> Result<(), StoreError> {
    let sql = "insert into batch_person (batch_id, user_id) values ($1, $2) \
               on conflict (batch_id, user_id) do update set left_at = null";
    sqlx::query(sql).bind(batch).bind(user).execute(connection).await?;
    Ok(())
}

#[cfg(test)]
mod tests;
