//! Samples of imported conversations that are judged as production.

use crate::{ConversationId, ProjectId, SamplingId, Store, StoreError, timestamp::Timestamp};
use time::OffsetDateTime;

/// A sample of the conversations between two places in the order of import.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// Identity.
    pub id: SamplingId,
    /// The share that is drawn.
    pub share: f64,
    /// The seed of the lots.
    pub seed: u32,
    /// What it is drawn from, in order of import.
    pub conversations: Vec<SampledConversation>,
}

/// A conversation that a sample may draw.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct SampledConversation {
    /// Identity.
    pub id: ConversationId,
    /// Id in the source system.
    pub external_id: String,
    /// The client or document base.
    pub corpus: Option<String>,
}

impl Store {
    /// The sample to be taken: one that was begun and not ended, else a new one of all conversations that were imported since the last.
    /// `None` where nothing was imported since.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn begin_sampling(
        &self,
        project: ProjectId,
        share: f64,
        seed: u32,
        now: OffsetDateTime,
    ) -> Result<Option<Sampling>, StoreError> {
        let mut transaction = self.write().await?;
        let open =
            "select id, share, seed, after, through from sampling where project_id = $1 and done_at is null";
        let begun: Option<(SamplingId, f64, u32, i64, i64)> =
            sqlx::query_as(open).bind(project).fetch_optional(&mut *transaction).await?;
        let (id, share, seed, after, through) = match begun {
            Some(begun) => begun,
            None => {
                let last = "select coalesce(max(through), -1) from sampling where project_id = $1";
                let after: i64 = sqlx::query_scalar(last).bind(project).fetch_one(&mut *transaction).await?;
                let newest = "select coalesce(max(position), -1) from conversation where project_id = $1";
                let through: i64 =
                    sqlx::query_scalar(newest).bind(project).fetch_one(&mut *transaction).await?;
                if through <= after {
                    return Ok(None);
                }
                let id = SamplingId::new(now);
                let sql = "insert into sampling (id, project_id, share, seed, after, through, begun_at) \
                           values ($1, $2, $3, $4, $5, $6, $7)";
                sqlx::query(sql)
                    .bind(id)
                    .bind(project)
                    .bind(share)
                    .bind(seed)
                    .bind(after)
                    .bind(through)
                    .bind(Timestamp::from(now))
                    .execute(&mut *transaction)
                    .await?;
                (id, share, seed, after, through)
            }
        };
        let sql = "select id, external_id, corpus from conversation \
                   where project_id = $1 and position > $2 and position <= $3 order by position";
        let conversations =
            sqlx::query_as(sql).bind(project).bind(after).bind(through).fetch_all(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(Some(Sampling { id, share, seed, conversations }))
    }

    /// Ends a sample: what was imported until then is not drawn from again.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn end_sampling(&self, id: SamplingId, now: OffsetDateTime) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        let sql = "update sampling set done_at = $2 where id = $1";
        sqlx::query(sql).bind(id).bind(Timestamp::from(now)).execute(&mut *transaction).await?;
        Ok(transaction.commit().await?)
    }

    /// Which of some client keys have a score.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn scored_keys(&self, project: ProjectId, keys: &[String]) -> Result<Vec<String>, StoreError> {
        let list = serde_json::to_string(keys).map_err(|error| StoreError::corrupt(error.to_string()))?;
        let sql = "select client_key from score where project_id = $1 and client_key in (select value from json_each($2))";
        Ok(sqlx::query_scalar(sql).bind(project).bind(list).fetch_all(self.read()).await?)
    }
}
