use crate::{ConversationId, ProjectId, Store, StoreError, Viewer, seal::unsealed};
use domain::{ContentHash, Conversation};
use futures_util::TryStreamExt;

/// A conversation with what the store knows of it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredConversation {
    /// Identity.
    pub id: ConversationId,
    /// Hash of what people and judges read.
    pub content_hash: ContentHash,
    /// The conversation.
    pub conversation: Conversation,
}

/// What a conversation is broken down by, without its text.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct ConversationSlices {
    /// Identity.
    pub id: ConversationId,
    /// Id in the source system.
    pub external_id: String,
    /// What is resampled as one.
    pub cluster: String,
    /// Slice for breakdowns.
    pub category: Option<String>,
    /// The client or document base.
    pub corpus: Option<String>,
    /// Which assistant or version answered.
    pub system: Option<String>,
    /// BCP 47 tag of the question.
    pub language: Option<String>,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: ConversationId,
    content_hash: String,
    body: String,
}

impl TryFrom<Row> for StoredConversation {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<StoredConversation, StoreError> {
        Ok(StoredConversation {
            conversation: stored_body(row.id, &row.body)?,
            id: row.id,
            content_hash: ContentHash(row.content_hash),
        })
    }
}

/// A conversation as the database keeps it.
pub(crate) fn stored_body(id: ConversationId, body: &str) -> Result<Conversation, StoreError> {
    serde_json::from_str(body).map_err(|error| unreadable(id, &error))
}

fn unreadable(id: ConversationId, error: &dyn std::fmt::Display) -> StoreError {
    StoreError::corrupt(format!("a conversation ({id}) that cannot be read: {error}"))
}

impl Store {
    /// The conversation that the source system knows by this id.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub async fn conversation(
        &self,
        project: ProjectId,
        external_id: &str,
    ) -> Result<StoredConversation, StoreError> {
        let sql =
            "select id, content_hash, body from conversation where project_id = $1 and external_id = $2";
        let row: Option<Row> =
            sqlx::query_as(sql).bind(project).bind(external_id).fetch_optional(self.read()).await?;
        row.ok_or_else(|| {
            let id = domain::visible(external_id);
            StoreError::not_found(format!("conversation `{id}` in this project"))
        })?
        .try_into()
    }

    /// The conversation with this id.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], also for a conversation of another project.
    pub async fn conversation_by_id(
        &self,
        project: ProjectId,
        id: ConversationId,
    ) -> Result<StoredConversation, StoreError> {
        let sql = "select id, content_hash, body from conversation where project_id = $1 and id = $2";
        let row: Option<Row> = sqlx::query_as(sql).bind(project).bind(id).fetch_optional(self.read()).await?;
        row.ok_or_else(|| StoreError::not_found("such conversation in this project"))?.try_into()
    }

    /// The conversations of a project that are not sealed to the viewer, in order of import, without their texts.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn conversation_slices(
        &self,
        project: ProjectId,
        viewer: Viewer,
    ) -> Result<Vec<ConversationSlices>, StoreError> {
        let sql = concat!(
            "select c.id, c.external_id, c.cluster, c.category, c.corpus, c.system, c.language \
             from conversation c where c.project_id = $1 and ",
            unsealed!("c.id", "$2"),
            " order by c.position"
        );
        Ok(sqlx::query_as(sql).bind(project).bind(viewer.user()).fetch_all(self.read()).await?)
    }

    /// Calls `each` with the conversations of a project that are not sealed to the viewer, in order of import. One is read at a time, so
    /// that memory does not grow with their texts.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn visit_conversations(
        &self,
        project: ProjectId,
        viewer: Viewer,
        mut each: impl FnMut(StoredConversation) + Send,
    ) -> Result<(), StoreError> {
        let sql = concat!(
            "select c.id, c.content_hash, c.body from conversation c where c.project_id = $1 and ",
            unsealed!("c.id", "$2"),
            " order by c.position"
        );
        let mut rows = sqlx::query_as::<_, Row>(sql).bind(project).bind(viewer.user()).fetch(self.read());
        while let Some(row) = rows.try_next().await? {
            // What the import checked and hashed is not checked and hashed again for each of many rows.
            let conversation = stored_body(row.id, &row.body)?;
            each(StoredConversation {
                id: row.id,
                content_hash: ContentHash(row.content_hash),
                conversation,
            });
        }
        Ok(())
    }

    /// How many conversations a project has.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn count_conversations(&self, project: ProjectId) -> Result<u64, StoreError> {
        let sql = "select count(*) from conversation where project_id = $1";
        let count: i64 = sqlx::query_scalar(sql).bind(project).fetch_one(self.read()).await?;
        Ok(count.unsigned_abs())
    }
}

#[cfg(test)]
mod tests;
