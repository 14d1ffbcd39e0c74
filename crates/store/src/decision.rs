use crate::{DecisionId, ProjectId, Store, StoreError, UserId, timestamp::Timestamp};
use domain::{Decision, Verdict};
use time::OffsetDateTime;

impl Store {
    /// Writes a decision into the log, under an identity that is given to it here, and at `now`. Gives the decision as it stands there.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn append_decision(
        &self,
        project: ProjectId,
        decided_by: Option<UserId>,
        decision: Decision,
        now: OffsetDateTime,
    ) -> Result<Decision, StoreError> {
        let id = DecisionId::new(now);
        let decision = Decision { id: id.to_string(), decided_at: now, ..decision };
        let body = serde_json::to_string(&decision)
            .map_err(|error| StoreError::conflict(format!("the decision cannot be written down: {error}")))?;
        let hash = decision
            .hash()
            .map_err(|error| StoreError::conflict(format!("the decision cannot be hashed: {error}")))?;
        let sql = "insert into decision (id, project_id, outcome, candidate, incumbent, policy_hash, data_hash, \
                       body, decided_by, decided_at, hash) \
                   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
        let mut transaction = self.write().await?;
        sqlx::query(sql)
            .bind(id)
            .bind(project)
            .bind(outcome(decision.decision))
            .bind(&decision.candidate)
            .bind(&decision.incumbent)
            .bind(&decision.policy_hash.0)
            .bind(&decision.data_hash.0)
            .bind(body)
            .bind(decided_by)
            .bind(Timestamp::from(now))
            .bind(hash.0)
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(decision)
    }

    /// The last decisions of a project, newest first.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn decisions(&self, project: ProjectId, limit: u32) -> Result<Vec<Decision>, StoreError> {
        let sql = "select body, hash from decision where project_id = $1 \
                   order by decided_at desc, id desc limit $2";
        let rows: Vec<(String, Option<String>)> =
            sqlx::query_as(sql).bind(project).bind(limit).fetch_all(self.read()).await?;
        rows.iter().map(|(body, hash)| stored_decision(body, hash.as_deref())).collect()
    }

    /// One decision of a project.
    ///
    /// # Errors
    /// [`StoreError::NotFound`]; [`StoreError::Corrupt`] for one that is not as it was recorded.
    pub async fn decision(&self, project: ProjectId, id: DecisionId) -> Result<Decision, StoreError> {
        let sql = "select body, hash from decision where project_id = $1 and id = $2";
        let row: Option<(String, Option<String>)> =
            sqlx::query_as(sql).bind(project).bind(id).fetch_optional(self.read()).await?;
        let (body, hash) = row.ok_or_else(|| StoreError::not_found("such decision in this project"))?;
        stored_decision(&body, hash.as_deref())
    }
}

pub(crate) fn stored_decision(body: &str, hash: Option<&str>) -> Result<Decision, StoreError> {
    let decision: Decision = serde_json::from_str(body)
        .map_err(|error| StoreError::corrupt(format!("a decision that cannot be read ({error})")))?;
    match hash {
        // Only what was decided before hashes were kept has none.
        Some(hash) if decision.hash().ok().is_none_or(|found| found.0 != hash) => {
            Err(StoreError::corrupt(format!("decision {}, which is not as it was recorded", decision.id)))
        }
        _ => Ok(decision),
    }
}

fn outcome(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Promote => "promote",
        Verdict::Hold => "hold",
        Verdict::Inconclusive => "inconclusive",
    }
}

#[cfg(test)]
pub(crate) mod tests;
