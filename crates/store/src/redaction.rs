use crate::{Import, ProjectId, Store, StoreError, error::OnUnique, timestamp::Timestamp};
use domain::RedactionRules;
use sqlx::SqliteConnection;
use std::{collections::BTreeMap, fmt};
use time::OffsetDateTime;

/// What is taken out of the rows of a project's imports, and what keys the hashes of what is taken out.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredRedaction {
    /// The rules.
    pub rules: RedactionRules,
    /// Never changes.
    pub secret: [u8; 32],
}

impl fmt::Debug for StoredRedaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredRedaction").field("rules", &self.rules).finish_non_exhaustive()
    }
}

/// The number that stands for a value in the placeholders of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    /// Name of the rule.
    pub rule: String,
    /// Keyed hash of the value.
    pub value_hash: [u8; 32],
    /// From 1, in the order in which values came.
    pub number: u64,
}

impl Store {
    /// The redaction of a project; `None` where no rules were ever set.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] for rules that this version cannot read.
    pub async fn redaction(&self, project: ProjectId) -> Result<Option<StoredRedaction>, StoreError> {
        let sql = "select rules, secret from redaction where project_id = $1";
        let row: Option<(String, Vec<u8>)> =
            sqlx::query_as(sql).bind(project).fetch_optional(self.read()).await?;
        row.map(|(rules, secret)| {
            let corrupt =
                |what: String| StoreError::corrupt(format!("redaction rules that cannot be read ({what})"));
            Ok(StoredRedaction {
                rules: serde_json::from_str(&rules).map_err(|error| corrupt(error.to_string()))?,
                secret: secret.try_into().map_err(|_| corrupt("its secret".to_owned()))?,
            })
        })
        .transpose()
    }

    /// The placeholders of a project.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn placeholders(&self, project: ProjectId) -> Result<Vec<Placeholder>, StoreError> {
        placeholders(&mut *self.snapshot().await?, project).await
    }

    /// Keeps new placeholders outside an import, all or none.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] where one of them was given meanwhile: read them again.
    pub async fn keep_placeholders(&self, project: ProjectId, new: &[Placeholder]) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        keep_placeholders(&mut transaction, project, new).await?;
        Ok(transaction.commit().await?)
    }

    /// Sets the rules. The secret is kept where there is none yet.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn set_redaction(
        &self,
        project: ProjectId,
        redaction: &StoredRedaction,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let sql = "insert into redaction (project_id, rules, secret, changed_at) values ($1, $2, $3, $4) \
                   on conflict (project_id) do update set rules = excluded.rules, changed_at = excluded.changed_at";
        let rules = serde_json::to_string(&redaction.rules)
            .map_err(|error| StoreError::corrupt(format!("rules that cannot be written ({error})")))?;
        let mut transaction = self.write().await?;
        sqlx::query(sql)
            .bind(project)
            .bind(rules)
            .bind(&redaction.secret[..])
            .bind(Timestamp::from(now))
            .execute(&mut *transaction)
            .await?;
        Ok(transaction.commit().await?)
    }

    /// The column mappings of a project, by name.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] for one that this version cannot read.
    pub async fn column_mappings(
        &self,
        project: ProjectId,
    ) -> Result<BTreeMap<String, BTreeMap<String, String>>, StoreError> {
        let sql = "select name, columns from column_mapping where project_id = $1";
        let rows: Vec<(String, String)> = sqlx::query_as(sql).bind(project).fetch_all(self.read()).await?;
        rows.into_iter()
            .map(|(name, columns)| {
                let columns = serde_json::from_str(&columns).map_err(|error| {
                    StoreError::corrupt(format!("a column mapping that cannot be read ({error})"))
                })?;
                Ok((name, columns))
            })
            .collect()
    }
}

async fn placeholders(
    connection: &mut SqliteConnection,
    project: ProjectId,
) -> Result<Vec<Placeholder>, StoreError> {
    let sql = "select rule, value_hash, number from placeholder where project_id = $1";
    let rows: Vec<(String, Vec<u8>, i64)> =
        sqlx::query_as(sql).bind(project).fetch_all(&mut *connection).await?;
    rows.into_iter()
        .map(|(rule, hash, number)| {
            let value_hash =
                hash.try_into().map_err(|_| StoreError::corrupt("a placeholder without a hash"))?;
            Ok(Placeholder { rule, value_hash, number: number.unsigned_abs() })
        })
        .collect()
}

async fn keep_placeholders(
    connection: &mut SqliteConnection,
    project: ProjectId,
    new: &[Placeholder],
) -> Result<(), StoreError> {
    let sql = "insert into placeholder (project_id, rule, value_hash, number) values ($1, $2, $3, $4)";
    for Placeholder { rule, value_hash, number } in new {
        sqlx::query(sql)
            .bind(project)
            .bind(rule)
            .bind(&value_hash[..])
            .bind(i64::try_from(*number).unwrap_or(i64::MAX))
            .execute(&mut *connection)
            .await
            .on_unique(|| "another value has this placeholder already".to_owned())?;
    }
    Ok(())
}

impl Import {
    /// The placeholders of the project.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn placeholders(&mut self) -> Result<Vec<Placeholder>, StoreError> {
        placeholders(&mut self.transaction, self.project).await
    }

    /// Keeps placeholders that are new.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn keep_placeholders(&mut self, new: &[Placeholder]) -> Result<(), StoreError> {
        keep_placeholders(&mut self.transaction, self.project, new).await
    }

    /// Remembers a column mapping under a name, in the place of what stood under it.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn keep_mapping(
        &mut self,
        name: &str,
        columns: &BTreeMap<String, String>,
    ) -> Result<(), StoreError> {
        let sql = "insert into column_mapping (project_id, name, columns, changed_at) values ($1, $2, $3, $4) \
                   on conflict (project_id, name) do update set columns = excluded.columns, changed_at = excluded.changed_at";
        let columns = serde_json::to_string(columns)
            .map_err(|error| StoreError::corrupt(format!("a mapping that cannot be written ({error})")))?;
        sqlx::query(sql)
            .bind(self.project)
            .bind(name)
            .bind(columns)
            .bind(Timestamp::from(self.now))
            .execute(&mut *self.transaction)
            .await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
