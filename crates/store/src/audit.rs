use crate::{AuditId, ProjectId, Store, StoreError, UserId, timestamp::Timestamp};
use time::OffsetDateTime;

/// What someone did, to be kept for good.
#[derive(Clone, Copy, Debug)]
pub struct NewAuditEntry<'a> {
    /// Who; `None` for whoever holds the file.
    pub user: Option<UserId>,
    /// In which project; `None` for the installation.
    pub project: Option<ProjectId>,
    /// What, as a dotted name: `member.invited`.
    pub action: &'a str,
    /// The particulars, for people. Never a secret, never a conversation's text.
    pub detail: &'a str,
}

/// What someone did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditEntry {
    /// Identity.
    pub id: AuditId,
    /// When.
    pub at: OffsetDateTime,
    /// Name of who did it; `None` for whoever holds the file.
    pub user: Option<String>,
    /// What, as a dotted name.
    pub action: String,
    /// The particulars.
    pub detail: String,
}

impl Store {
    /// Writes an entry of the audit log.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn append_audit(
        &self,
        entry: &NewAuditEntry<'_>,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let sql =
            "insert into audit (id, at, user_id, project_id, action, detail) values ($1, $2, $3, $4, $5, $6)";
        let mut transaction = self.write().await?;
        sqlx::query(sql)
            .bind(AuditId::new(now))
            .bind(Timestamp::from(now))
            .bind(entry.user)
            .bind(entry.project)
            .bind(entry.action)
            .bind(entry.detail)
            .execute(&mut *transaction)
            .await?;
        Ok(transaction.commit().await?)
    }

    /// Writes an entry unless the same person did the same with the same in the project since then; whether it was written.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn append_audit_once_since(
        &self,
        entry: &NewAuditEntry<'_>,
        since: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let stands = "select count(*) from audit where project_id = $1 and at >= $2 and user_id = $3 and action = $4 and detail = $5";
        let stands: i64 = sqlx::query_scalar(stands)
            .bind(entry.project)
            .bind(Timestamp::from(since))
            .bind(entry.user)
            .bind(entry.action)
            .bind(entry.detail)
            .fetch_one(self.read())
            .await?;
        if stands == 0 {
            self.append_audit(entry, now).await?;
        }
        Ok(stands == 0)
    }

    /// The last entries of a project, newest first.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn audit(&self, project: ProjectId, limit: u32) -> Result<Vec<AuditEntry>, StoreError> {
        type Row = (AuditId, Timestamp, Option<String>, String, String);
        let sql = "select a.id, a.at, u.name, a.action, a.detail \
                   from audit a left join user u on u.id = a.user_id \
                   where a.project_id = $1 order by a.at desc, a.id desc limit $2";
        let rows: Vec<Row> = sqlx::query_as(sql).bind(project).bind(limit).fetch_all(self.read()).await?;
        rows.into_iter()
            .map(|(id, at, user, action, detail)| Ok(AuditEntry { id, at: at.time()?, user, action, detail }))
            .collect()
    }
}

#[cfg(test)]
mod tests;
