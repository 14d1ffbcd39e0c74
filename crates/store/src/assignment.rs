use crate::{
    AssignmentId, ConversationId, ProjectId, Store, StoreError, UserId, Viewer, timestamp::Timestamp,
};
use domain::LabelProgress;
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

/// How far one person is in a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonProgress {
    /// The person.
    pub user: UserId,
    /// The name that the person goes by.
    pub name: String,
    /// Conversations submitted.
    pub submitted: u64,
    /// Conversations skipped.
    pub skipped: u64,
    /// Conversations on the desk.
    pub open: u64,
}

/// The last submissions that say how long a conversation takes, and the least of them that say anything.
const PACE_WINDOW: u32 = 20;
const PACE_MINIMUM: usize = 3;

/// A pause is no work: what lay on the desk for longer says nothing of the pace.
const PACE_LONGEST_MILLISECONDS: i64 = 60 * 60 * 1_000;

/// The assignments of user `$2` in project `$1`, of which the rest of the query says more.
macro_rules! own_assignments {
    ($rest:literal) => {
        concat!(
            "select a.id, c.id as conversation, c.external_id, a.assigned_at \
             from assignment a join conversation c on c.id = a.conversation_id \
             where a.project_id = $1 and a.user_id = $2 and ",
            $rest
        )
    };
}

/// What lies on the desk, in the order in which it came there; the conversation `$3` is left out.
const ON_THE_DESK: &str = own_assignments!(
    "a.state = 'open' and ($3 is null or c.external_id <> $3) order by a.assigned_at, a.id limit 1"
);

/// The assignment on conversation `$3`.
const OF_CONVERSATION: &str = own_assignments!("c.project_id = $1 and c.external_id = $3");

/// A conversation of project `$1` that user `$2` never had and that has fewer takers than the project wants: those that most have
/// taken come first, so that pairs complete, then the order of import.
pub(crate) const NEXT: &str = "select q.conversation_id from queue q \
     where q.project_id = $1 and q.takers < (select overlap from project where id = $1) \
     and not exists (\
         select 1 from assignment own where own.conversation_id = q.conversation_id and own.user_id = $2) \
     order by q.takers desc, q.position limit 1";

/// Conversations of project `$1` that others have on their desks and user `$2` never had.
const WITH_OTHERS: &str = "select count(distinct a.conversation_id) from assignment a \
     where a.project_id = $1 and a.state = 'open' and not exists (\
         select 1 from assignment own where own.conversation_id = a.conversation_id and own.user_id = $2)";

/// How many conversations user `$2` has submitted, skipped and on the desk in project `$1`, and how many more there are to be had.
const PROGRESS: &str = "select \
     (select count(*) from assignment where project_id = $1 and user_id = $2 and state = 'submitted'), \
     (select count(*) from assignment where project_id = $1 and user_id = $2 and state = 'skipped'), \
     (select count(*) from assignment where project_id = $1 and user_id = $2 and state = 'open'), \
     (select count(*) from queue q \
      where q.project_id = $1 and q.takers < (select overlap from project where id = $1)) - \
     (select count(*) from assignment own join queue q on q.conversation_id = own.conversation_id \
      where own.project_id = $1 and own.user_id = $2 \
      and q.takers < (select overlap from project where id = $1))";

#[derive(sqlx::FromRow)]
struct Row {
    id: AssignmentId,
    conversation: ConversationId,
    external_id: String,
    assigned_at: Timestamp,
}

impl TryFrom<Row> for Assignment {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Assignment, StoreError> {
        Ok(Assignment {
            id: row.id,
            conversation: row.conversation,
            external_id: row.external_id,
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

/// Puts a conversation that wants another annotator on a person's desk, where there is one.
async fn take_next(
    connection: &mut SqliteConnection,
    project: ProjectId,
    user: UserId,
    now: OffsetDateTime,
) -> Result<bool, StoreError> {
    let free: Option<ConversationId> =
        sqlx::query_scalar(NEXT).bind(project).bind(user).fetch_optional(&mut *connection).await?;
    let Some(conversation) = free else { return Ok(false) };
    let sql = "insert into assignment (id, project_id, conversation_id, user_id, state, assigned_at) \
               values ($1, $2, $3, $4, 'open', $5)";
    sqlx::query(sql)
        .bind(AssignmentId::new(now))
        .bind(project)
        .bind(conversation)
        .bind(user)
        .bind(Timestamp::from(now))
        .execute(connection)
        .await?;
    Ok(true)
}

impl Store {
    /// A person's assignment on a conversation, named as in the source system, whatever became of it.
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
    /// A conversation never gets more annotators than the project wants, however many ask at once.
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
        let count: i64 =
            sqlx::query_scalar(WITH_OTHERS).bind(project).bind(user).fetch_one(self.read()).await?;
        Ok(Next::Nothing { with_others: count.unsigned_abs() })
    }

    /// What a person is to label after `conversation`, which lies on the desk: it lies there too from now on, and what others say of it
    /// is sealed. No more than two are ever on one desk.
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
        let mut reader = self.read().acquire().await?;
        if let Some(open) = on_the_desk(&mut reader, project, user, beside).await? {
            return Ok(Some(open));
        }
        drop(reader);
        let mut transaction = self.write().await?;
        let mut open = on_the_desk(&mut transaction, project, user, beside).await?;
        if open.is_none() && take_next(&mut transaction, project, user, now).await? {
            open = on_the_desk(&mut transaction, project, user, beside).await?;
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
            Some("open") => {}
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

    /// How far a person is in a project.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn label_progress(
        &self,
        project: ProjectId,
        user: UserId,
    ) -> Result<LabelProgress, StoreError> {
        let mut snapshot = self.snapshot().await?;
        let (submitted, skipped, open, available): (i64, i64, i64, i64) =
            sqlx::query_as(PROGRESS).bind(project).bind(user).fetch_one(&mut *snapshot).await?;
        let with_others: i64 =
            sqlx::query_scalar(WITH_OTHERS).bind(project).bind(user).fetch_one(&mut *snapshot).await?;
        let pace = "select closed_at - assigned_at from assignment \
                    where project_id = $1 and user_id = $2 and state = 'submitted' \
                    order by closed_at desc limit $3";
        let milliseconds: Vec<i64> = sqlx::query_scalar(pace)
            .bind(project)
            .bind(user)
            .bind(PACE_WINDOW)
            .fetch_all(&mut *snapshot)
            .await?;
        Ok(LabelProgress {
            submitted: submitted.unsigned_abs(),
            skipped: skipped.unsigned_abs(),
            left: (open + available).unsigned_abs(),
            with_others: with_others.unsigned_abs(),
            median_seconds: median_seconds(milliseconds),
        })
    }

    /// How far everyone is who ever had a conversation of a project on the desk, by name.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn progress_by_person(&self, project: ProjectId) -> Result<Vec<PersonProgress>, StoreError> {
        let sql = "select u.id, u.name, \
                       count(*) filter (where a.state = 'submitted'), \
                       count(*) filter (where a.state = 'skipped'), \
                       count(*) filter (where a.state = 'open') \
                   from assignment a join user u on u.id = a.user_id \
                   where a.project_id = $1 group by u.id, u.name, u.account order by u.account";
        let rows: Vec<(UserId, String, i64, i64, i64)> =
            sqlx::query_as(sql).bind(project).fetch_all(self.read()).await?;
        let person =
            |(user, name, submitted, skipped, open): (UserId, String, i64, i64, i64)| PersonProgress {
                user,
                name,
                submitted: submitted.unsigned_abs(),
                skipped: skipped.unsigned_abs(),
                open: open.unsigned_abs(),
            };
        Ok(rows.into_iter().map(person).collect())
    }
}

fn median_seconds(mut milliseconds: Vec<i64>) -> Option<u32> {
    milliseconds.retain(|spent| (0..=PACE_LONGEST_MILLISECONDS).contains(spent));
    if milliseconds.len() < PACE_MINIMUM {
        return None;
    }
    milliseconds.sort_unstable();
    u32::try_from(milliseconds.get(milliseconds.len() / 2)? / 1_000).ok()
}

#[cfg(test)]
mod tests;
