use crate::{ProjectId, Store, StoreError, timestamp::Timestamp};
use time::OffsetDateTime;

impl Store {
    /// The revision of a project: it grows with every write that a report could see, be it data or what is sealed to whom.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub async fn revision(&self, project: ProjectId) -> Result<u64, StoreError> {
        let sql = "select revision from project where id = $1";
        let revision: Option<i64> = sqlx::query_scalar(sql).bind(project).fetch_optional(self.read()).await?;
        Ok(revision.ok_or_else(|| StoreError::not_found("such project"))?.unsigned_abs())
    }

    /// The report that answered a question at a revision. `question` is a hash of what was asked and of what was sealed to whoever asked.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn answer(
        &self,
        project: ProjectId,
        question: &str,
        revision: u64,
    ) -> Result<Option<String>, StoreError> {
        let sql = "select r.body from answered a join report r on r.key = a.report_key \
                   where a.question = $1 and a.project_id = $2 and a.revision = $3";
        let query = sqlx::query_scalar(sql).bind(question).bind(project).bind(revision.cast_signed());
        Ok(query.fetch_optional(self.read()).await?)
    }

    /// Notes which kept report answers a question at a revision, which must have been read before anything that the report is of.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn put_answer(
        &self,
        project: ProjectId,
        question: &str,
        revision: u64,
        report: &str,
    ) -> Result<(), StoreError> {
        let sql = "insert into answered (question, project_id, revision, report_key) values ($1, $2, $3, $4) \
                   on conflict (question) do update \
                   set revision = excluded.revision, report_key = excluded.report_key \
                   where excluded.revision > answered.revision";
        let mut transaction = self.write().await?;
        sqlx::query(sql)
            .bind(question)
            .bind(project)
            .bind(revision.cast_signed())
            .bind(report)
            .execute(&mut *transaction)
            .await?;
        Ok(transaction.commit().await?)
    }

    /// A report that was computed before, under the hash of its data and settings.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn report(&self, key: &str) -> Result<Option<String>, StoreError> {
        let sql = "select body from report where key = $1";
        Ok(sqlx::query_scalar(sql).bind(key).fetch_optional(self.read()).await?)
    }

    /// Keeps a report under the hash of its data and settings, which must cover the seal of whoever it was computed for.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn put_report(&self, key: &str, body: &str, now: OffsetDateTime) -> Result<(), StoreError> {
        let sql = "insert into report (key, body, computed_at) values ($1, $2, $3) \
                   on conflict (key) do update set body = excluded.body, computed_at = excluded.computed_at";
        let mut transaction = self.write().await?;
        sqlx::query(sql).bind(key).bind(body).bind(Timestamp::from(now)).execute(&mut *transaction).await?;
        Ok(transaction.commit().await?)
    }
}

#[cfg(test)]
mod tests;
