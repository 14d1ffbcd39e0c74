use crate::{Store, StoreError, timestamp::Timestamp};
use time::OffsetDateTime;

impl Store {
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
