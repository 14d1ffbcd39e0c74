//! Judge versions that are declared here, to be run through a provider.

use crate::{JudgeId, JudgeVersionId, ProjectId, Store, StoreError, timestamp::Timestamp};
use domain::Declaration;
use serde_json::{Value, json};
use sqlx::SqliteConnection;
use time::OffsetDateTime;

/// A judge version that can be run.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredVersion {
    /// Identity.
    pub id: JudgeVersionId,
    /// What was declared.
    pub declaration: Declaration,
    /// Whether it was made just now.
    pub new: bool,
}

const VERSION: &str = "select v.id, v.declared from judge j join judge_version v on v.judge_id = j.id \
     where j.project_id = $1 and j.name = $2 and v.version = coalesce($3, v.version) \
     order by v.created_at desc, v.id desc limit 1";

/// The judge of this name, made where it is new.
pub(crate) async fn judge_named(
    connection: &mut SqliteConnection,
    project: ProjectId,
    name: &str,
    now: OffsetDateTime,
) -> Result<JudgeId, StoreError> {
    let make = "insert into judge (id, project_id, name, created_at) values ($1, $2, $3, $4) \
                on conflict (project_id, name) do nothing";
    sqlx::query(make)
        .bind(JudgeId::new(now))
        .bind(project)
        .bind(name)
        .bind(Timestamp::from(now))
        .execute(&mut *connection)
        .await?;
    Ok(sqlx::query_scalar("select id from judge where project_id = $1 and name = $2")
        .bind(project)
        .bind(name)
        .fetch_one(connection)
        .await?)
}

/// The declaration in what is stored of a version; none where its verdicts came as a file.
fn stored_declaration(declared: &str) -> Result<Option<Declaration>, StoreError> {
    let corrupt = |error| StoreError::corrupt(format!("a judge version that cannot be read ({error})"));
    let declared: Value = serde_json::from_str(declared).map_err(corrupt)?;
    let declaration = declared.get("declaration").cloned();
    declaration.map(serde_json::from_value).transpose().map_err(corrupt)
}

impl Store {
    /// Keeps a judge version. Declaring the same again changes nothing.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] where another declaration stands under this name and version, which never changes.
    pub async fn declare_judge(
        &self,
        project: ProjectId,
        declaration: &Declaration,
        now: OffsetDateTime,
    ) -> Result<DeclaredVersion, StoreError> {
        let mut transaction = self.write().await?;
        let found: Option<(JudgeVersionId, String)> = sqlx::query_as(VERSION)
            .bind(project)
            .bind(&declaration.name)
            .bind(&declaration.version)
            .fetch_optional(&mut *transaction)
            .await?;
        if let Some((id, declared)) = found {
            if stored_declaration(&declared)?.as_ref() == Some(declaration) {
                return Ok(DeclaredVersion { id, declaration: declaration.clone(), new: false });
            }
            let name = domain::visible(&declaration.full_name());
            let what = format!(
                "{name} is another judge, and a version never changes: give this one another version"
            );
            return Err(StoreError::conflict(what));
        }
        let judge = judge_named(&mut transaction, project, &declaration.name, now).await?;
        let model = declaration.model().map(|model| &model.model);
        let declared = json!({ "source": "declared", "model": model, "declaration": declaration });
        let id = JudgeVersionId::new(now);
        let make = "insert into judge_version (id, judge_id, version, declared, created_at) \
                    values ($1, $2, $3, $4, $5)";
        sqlx::query(make)
            .bind(id)
            .bind(judge)
            .bind(&declaration.version)
            .bind(declared.to_string())
            .bind(Timestamp::from(now))
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(DeclaredVersion { id, declaration: declaration.clone(), new: true })
    }

    /// A declared judge version; the last that was made where none is named.
    ///
    /// # Errors
    /// [`StoreError::NotFound`]; [`StoreError::Conflict`] for one whose verdicts came as a file.
    pub async fn declared_judge(
        &self,
        project: ProjectId,
        name: &str,
        version: Option<&str>,
    ) -> Result<DeclaredVersion, StoreError> {
        let found: Option<(JudgeVersionId, String)> = sqlx::query_as(VERSION)
            .bind(project)
            .bind(name)
            .bind(version)
            .fetch_optional(self.read())
            .await?;
        let asked =
            || domain::visible(&version.map_or(name.to_owned(), |version| format!("{name}@{version}")));
        let (id, declared) =
            found.ok_or_else(|| StoreError::not_found(format!("judge `{}` in this project", asked())))?;
        let declaration = stored_declaration(&declared)?.ok_or_else(|| {
            let what = format!(
                "the verdicts of `{}` came as a file: there is no prompt to run; declare a judge of your own",
                asked()
            );
            StoreError::conflict(what)
        })?;
        Ok(DeclaredVersion { id, declaration, new: false })
    }
}
