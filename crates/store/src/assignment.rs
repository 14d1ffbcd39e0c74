mod progress;
mod queue;
mod reservation;

pub use progress::PersonProgress;

use crate::{
    AssignmentId, ConversationId, ProjectId, Store, StoreError, UserId, Viewer, timestamp::Timestamp,
};
use sqlx::SqliteConnection;
use time::OffsetDateTime;

/// A conversation on a person's desk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Identity.
    pub id: AssignmentId,
    /// The conversation.
    pub conversation: ConversationId,
    /// Its id in the source system.
    pub external_id: String,
    /// 0, or a hidden repeat.
    pub pass: u32,
    /// Since when it lies there.
    pub assigned_at: OffsetDateTime,
}

/// What a person is to label next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// This conversation.
    Assigned(Assignment),
    /// Nothing is left for this person.
    Nothing {
        /// Conversations that others have on their desks and this person never had: with a skip they may come back.
        with_others: u64,
    },
}

/// The assignments of user `$2` in project `$1`, of which the rest of the query says more.
macro_rules! own_assignments {
    ($rest:literal) => {
        concat!(
            "select a.id, c.id as conversation, c.external_id, a.pass, a.assigned_at \
             from assignment a join conversation c on c.id = a.conversation_id \
             where a.project_id = $1 and a.user_id = $2 and ",
            $rest
        )
    };
}

/// What lies on the desk, in the order in which it came there; the conversation `$3` is left out.
pub(crate) const ON_THE_DESK: &str = own_assignments!(
    "a.state = 'open' and ($3 is null or c.external_id <> $3) order by a.assigned_at, a.id limit 1"
);

/// The same, where the place is kept and was asked for lately: after `$4`.
pub(crate) const RESERVED: &str = own_assignments!(
    "a.state = 'open' and ($3 is null or c.external_id <> $3) and a.lapsed_at is null and a.reserved_at > $4 \
     order by a.assigned_at, a.id limit 1"
);

/// The last assignment on conversation `$3`.
const OF_CONVERSATION: &str =
    own_assignments!("c.project_id = $1 and c.external_id = $3 order by a.pass desc limit 1");

#[derive(sqlx::FromRow)]
struct Row {
    id: AssignmentId,
    conversation: ConversationId,
    external_id: String,
    pass: u32,
    assigned_at: Timestamp,
}

impl TryFrom<Row> for Assignment {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Assignment, StoreError> {
        Ok(Assignment {
            id: row.id,
            conversation: row.conversation,
            external_id: row.external_id,
            pass: row.pass,
            assigned_at: row.assigned_at.time()?,
        })
    }
}

/// What has lain longest on a person's desk, leaving out the conversation `beside`.
async fn on_the_desk(
    connection: &mut SqliteConnection,
    project: ProjectId,
    user: UserId,
    beside: Option<&str>,
) -> Result<Option<Assignment>, StoreError> {
    let open = sqlx::query_as(ON_THE_DESK).bind(project).bind(user).bind(beside);
    let row: Option<Row> = open.fetch_optional(connection).await?;
    row.map(Assignment::try_from).transpose()
}

/// Puts a conversation on a person's desk: for the first time, or again after it was returned.
async fn put_on_the_desk(
    connection: &mut SqliteConnection,
    project: ProjectId,
    user: UserId,
    (conversation, pass): (ConversationId, u32),
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let sql = "insert into assignment (id, project_id, conversation_id, user_id, pass, state, assigned_at, reserved_at) \
               values ($1, $2, $3, $4, $5, 'open', $6, $6) \
               on conflict (conversation_id, user_id, pass) do update \
               set state = 'open', assigned_at = $6, reserved_at = $6, lapsed_at = null, closed_at = null";
    sqlx::query(sql)
        .bind(AssignmentId::new(now))
        .bind(project)
        .bind(conversation)
        .bind(user)
        .bind(pass)
        .bind(Timestamp::from(now))
        .execute(connection)
        .await?;
    Ok(())
}

impl Store {
    /// A person's last assignment on a conversation, named as in the source system, whatever became of it.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn assignment_of(
        &self,
        project: ProjectId,
        user: UserId,
        conversation: &str,
    ) -> Result<Option<Assignment>, StoreError> {
        let found = sqlx::query_as(OF_CONVERSATION).bind(project).bind(user).bind(conversation);
        let row: Option<Row> = found.fetch_optional(self.read()).await?;
        row.map(Assignment::try_from).transpose()
    }

    /// The conversations of a project that are sealed to a viewer, in an order that does not change: whatever is read for two viewers to
    /// whom the same is sealed is the same.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn sealed_to(
        &self,
        project: ProjectId,
        viewer: Viewer,
    ) -> Result<Vec<ConversationId>, StoreError> {
        let sql = "select a.conversation_id from assignment a join conversation c on c.id = a.conversation_id \
                   where a.user_id = $1 and a.state = 'open' and c.project_id = $2 order by a.conversation_id";
        Ok(sqlx::query_scalar(sql).bind(viewer.user()).bind(project).fetch_all(self.read()).await?)
    }

    /// What a person is to label next: what lies on the desk, or else a conversation that wants another annotator, which then lies there.
    /// However many ask at once, a conversation never gets more annotators than are wanted; one more only where a person comes back to
    /// work that was begun and whose place somebody else has got meanwhile.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn next_assignment(
        &self,
        project: ProjectId,
        user: UserId,
        now: OffsetDateTime,
    ) -> Result<Next, StoreError> {
        if let Some(taken) = self.take_beside(project, user, None, now).await? {
            return Ok(Next::Assigned(taken));
        }
        let with_others = queue::with_others(&mut *self.read().acquire().await?, project, user).await?;
        Ok(Next::Nothing { with_others })
    }

    /// What a person is to label after `conversation`, which lies on the desk: it lies there too from now on, and what others say of it
    /// is sealed. No more than two are ever given to one desk.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn assignment_ahead(
        &self,
        project: ProjectId,
        user: UserId,
        conversation: &str,
        now: OffsetDateTime,
    ) -> Result<Option<Assignment>, StoreError> {
        self.take_beside(project, user, Some(conversation), now).await
    }

    async fn take_beside(
        &self,
        project: ProjectId,
        user: UserId,
        beside: Option<&str>,
        now: OffsetDateTime,
    ) -> Result<Option<Assignment>, StoreError> {
        // Most calls come back to what lies there: they need not wait for the writer.
        let lately = Timestamp::from(now - reservation::RENEWED_AFTER);
        let reserved = sqlx::query_as(RESERVED).bind(project).bind(user).bind(beside).bind(lately);
        let reserved: Option<Row> = reserved.fetch_optional(self.read()).await?;
        if let Some(reserved) = reserved {
            return Ok(Some(reserved.try_into()?));
        }
        let mut transaction = self.write().await?;
        reservation::renew(&mut transaction, project, user, now).await?;
        let mut open = on_the_desk(&mut transaction, project, user, beside).await?;
        if open.is_none() {
            reservation::expire(&mut transaction, project, now).await?;
            if let Some(next) = queue::next(&mut transaction, project, user).await? {
                put_on_the_desk(&mut transaction, project, user, next, now).await?;
                open = on_the_desk(&mut transaction, project, user, beside).await?;
            }
        }
        transaction.commit().await?;
        Ok(open)
    }

    /// Submits a conversation: the seal opens for this person, and what the person said counts. Submitting twice is the same as once.
    /// Whether all required questions are answered is the caller's to check.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] for another person's assignment, [`StoreError::Conflict`] where it was skipped.
    pub async fn submit_assignment(
        &self,
        assignment: AssignmentId,
        user: UserId,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        self.close_assignment(assignment, user, "submitted", None, now).await
    }

    /// Skips a conversation, for a reason. It never comes back to this person.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] for another person's assignment, [`StoreError::Conflict`] where it was submitted.
    pub async fn skip_assignment(
        &self,
        assignment: AssignmentId,
        user: UserId,
        reason: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        self.close_assignment(assignment, user, "skipped", Some(reason), now).await
    }

    async fn close_assignment(
        &self,
        assignment: AssignmentId,
        user: UserId,
        state: &str,
        reason: Option<&str>,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        let present: Option<String> =
            sqlx::query_scalar("select state from assignment where id = $1 and user_id = $2")
                .bind(assignment)
                .bind(user)
                .fetch_optional(&mut *transaction)
                .await?;
        match present.as_deref() {
            None => return Err(StoreError::not_found("such conversation on your desk")),
            Some("open" | "returned") => {}
            Some(present) if present == state => return Ok(()),
            Some(present) => {
                let what = format!("this conversation was {present} before: reload the page");
                return Err(StoreError::conflict(what));
            }
        }
        let sql = "update assignment set state = $2, skip_reason = $3, closed_at = $4 where id = $1";
        sqlx::query(sql)
            .bind(assignment)
            .bind(state)
            .bind(reason)
            .bind(Timestamp::from(now))
            .execute(&mut *transaction)
            .await?;
        Ok(transaction.commit().await?)
    }
}

#[cfg(test)]
mod tests;
