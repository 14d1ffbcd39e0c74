use crate::{ProjectId, RubricVersionId, Store, StoreError, Viewer, seal::unsealed, timestamp::Timestamp};
use domain::{ContentHash, Rubric};
use sqlx::SqliteConnection;
use time::OffsetDateTime;

/// A published rubric version.
#[derive(Clone, Debug, PartialEq)]
pub struct RubricVersion {
    /// Identity.
    pub id: RubricVersionId,
    /// What it asks.
    pub rubric: Rubric,
    /// Hash of what it asks.
    pub hash: ContentHash,
    /// When it was published.
    pub published_at: OffsetDateTime,
}

/// What became of a rubric that was to be published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Publication {
    /// It is a new version.
    Published(RubricVersionId),
    /// The same version with the same content was there.
    Unchanged(RubricVersionId),
}

impl Publication {
    /// The version, new or not.
    #[must_use]
    pub fn id(self) -> RubricVersionId {
        match self {
            Publication::Published(id) | Publication::Unchanged(id) => id,
        }
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    id: RubricVersionId,
    body: String,
    hash: String,
    published_at: Timestamp,
}

impl TryFrom<Row> for RubricVersion {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<RubricVersion, StoreError> {
        let rubric = serde_json::from_str(&row.body)
            .map_err(|error| StoreError::corrupt(format!("a rubric that cannot be read ({error})")))?;
        Ok(RubricVersion {
            id: row.id,
            rubric,
            hash: ContentHash(row.hash),
            published_at: row.published_at.time()?,
        })
    }
}

impl Store {
    /// Publishes a version of a rubric. Publishing the same again changes nothing.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] where the version was published with other content.
    pub async fn publish_rubric(
        &self,
        project: ProjectId,
        rubric: &Rubric,
        now: OffsetDateTime,
    ) -> Result<Publication, StoreError> {
        let mut transaction = self.write().await?;
        let publication = publish(&mut transaction, project, rubric, now).await?;
        transaction.commit().await?;
        Ok(publication)
    }

    /// The rubric of a project: the version that was published last.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn latest_rubric(&self, project: ProjectId) -> Result<Option<RubricVersion>, StoreError> {
        let sql = "select id, body, hash, published_at from rubric_version \
                   where project_id = $1 order by published_at desc, id desc limit 1";
        let row: Option<Row> = sqlx::query_as(sql).bind(project).fetch_optional(self.read()).await?;
        row.map(RubricVersion::try_from).transpose()
    }

    /// One version of a rubric.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub async fn rubric_version(
        &self,
        project: ProjectId,
        name: &str,
        version: u32,
    ) -> Result<RubricVersion, StoreError> {
        let sql = "select id, body, hash, published_at from rubric_version \
                   where project_id = $1 and name = $2 and version = $3";
        let row: Option<Row> =
            sqlx::query_as(sql).bind(project).bind(name).bind(version).fetch_optional(self.read()).await?;
        row.ok_or_else(|| StoreError::not_found(format!("rubric {name}@{version}")))?.try_into()
    }

    /// All rubric versions of a project, last published first.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn rubric_versions(&self, project: ProjectId) -> Result<Vec<RubricVersion>, StoreError> {
        let sql = "select id, body, hash, published_at from rubric_version \
                   where project_id = $1 order by published_at desc, id desc";
        let rows: Vec<Row> = sqlx::query_as(sql).bind(project).fetch_all(self.read()).await?;
        rows.into_iter().map(RubricVersion::try_from).collect()
    }
}

/// How many labels that count were given to a criterion under a version of the rubric.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct LabelsUnderVersion {
    /// The version.
    pub rubric_version: RubricVersionId,
    /// The criterion.
    pub criterion: String,
    /// How many labels.
    pub labels: u64,
}

impl Store {
    /// How many labels that count and are not sealed to the viewer were given to each criterion under each version of the rubric.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn labels_by_rubric_version(
        &self,
        project: ProjectId,
        viewer: Viewer,
    ) -> Result<Vec<LabelsUnderVersion>, StoreError> {
        const SQL: &str = concat!(
            "select l.rubric_version_id as rubric_version, l.criterion, count(*) as labels \
             from counted_label l where l.project_id = $1 and ",
            unsealed!("l.conversation_id", "$2"),
            " group by l.rubric_version_id, l.criterion order by l.criterion"
        );
        Ok(sqlx::query_as(SQL).bind(project).bind(viewer.user()).fetch_all(self.read()).await?)
    }
}

/// [`Store::publish_rubric`] within a transaction.
pub(crate) async fn publish(
    connection: &mut SqliteConnection,
    project: ProjectId,
    rubric: &Rubric,
    now: OffsetDateTime,
) -> Result<Publication, StoreError> {
    let unwritable = |error: String| StoreError::conflict(format!("the rubric cannot be stored: {error}"));
    let hash = domain::hash_of(rubric).map_err(|error| unwritable(error.to_string()))?;
    let body = serde_json::to_string(rubric).map_err(|error| unwritable(error.to_string()))?;
    let sql = "select id, hash from rubric_version where project_id = $1 and name = $2 and version = $3";
    let present: Option<(RubricVersionId, String)> = sqlx::query_as(sql)
        .bind(project)
        .bind(&rubric.name)
        .bind(rubric.version)
        .fetch_optional(&mut *connection)
        .await?;
    if let Some((id, present)) = present {
        if present == hash.0 {
            return Ok(Publication::Unchanged(id));
        }
        return Err(StoreError::conflict(format!(
            "{} version {} was published with other content and never changes: publish version {}",
            rubric.name,
            rubric.version,
            rubric.version.saturating_add(1)
        )));
    }
    let id = RubricVersionId::new(now);
    let sql = "insert into rubric_version (id, project_id, name, version, body, hash, published_at) \
               values ($1, $2, $3, $4, $5, $6, $7)";
    sqlx::query(sql)
        .bind(id)
        .bind(project)
        .bind(&rubric.name)
        .bind(rubric.version)
        .bind(body)
        .bind(hash.0)
        .bind(Timestamp::from(now))
        .execute(&mut *connection)
        .await?;
    Ok(Publication::Published(id))
}

#[cfg(test)]
mod tests;
