use crate::{PolicyVersionId, ProjectId, Store, StoreError, UserId, timestamp::Timestamp};
use domain::{ContentHash, Policy, PolicyVersion};
use time::OffsetDateTime;

#[derive(sqlx::FromRow)]
struct Row {
    version: u32,
    body: String,
    hash: String,
    saved_by: Option<String>,
    saved_at: Timestamp,
}

impl TryFrom<Row> for PolicyVersion {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<PolicyVersion, StoreError> {
        let policy = Policy::from_toml(&row.body)
            .map_err(|error| StoreError::corrupt(format!("a policy that cannot be read ({error})")))?;
        Ok(PolicyVersion {
            version: row.version,
            name: policy.name,
            text: row.body,
            hash: ContentHash(row.hash),
            by: row.saved_by,
            at: row.saved_at.time()?,
        })
    }
}

const VERSIONS: &str = "select v.version, v.body, v.hash, u.name as saved_by, v.saved_at \
     from policy_version v left join user u on u.id = v.saved_by \
     where v.project_id = $1 order by v.version desc";

impl Store {
    /// Keeps a policy as the next version of the project's, unless the last one has the same text. `hash` is that of its canonical form.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn save_policy(
        &self,
        project: ProjectId,
        text: &str,
        hash: &ContentHash,
        by: Option<UserId>,
        now: OffsetDateTime,
    ) -> Result<PolicyVersion, StoreError> {
        let sql = "insert into policy_version (id, project_id, version, body, hash, saved_by, saved_at) \
                   values ($1, $2, $3, $4, $5, $6, $7)";
        let mut transaction = self.write().await?;
        let last: Option<Row> =
            sqlx::query_as(VERSIONS).bind(project).fetch_optional(&mut *transaction).await?;
        let number = match last {
            Some(last) if last.body == text => return last.try_into(),
            Some(last) => last.version.saturating_add(1),
            None => 1,
        };
        sqlx::query(sql)
            .bind(PolicyVersionId::new(now))
            .bind(project)
            .bind(number)
            .bind(text)
            .bind(&hash.0)
            .bind(by)
            .bind(Timestamp::from(now))
            .execute(&mut *transaction)
            .await?;
        let kept: Row = sqlx::query_as(VERSIONS).bind(project).fetch_one(&mut *transaction).await?;
        transaction.commit().await?;
        kept.try_into()
    }

    /// The versions of a project's policy, last saved first.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn policies(&self, project: ProjectId) -> Result<Vec<PolicyVersion>, StoreError> {
        let rows: Vec<Row> = sqlx::query_as(VERSIONS).bind(project).fetch_all(self.read()).await?;
        rows.into_iter().map(PolicyVersion::try_from).collect()
    }
}

#[cfg(test)]
mod tests;
