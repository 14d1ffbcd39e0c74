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
        let sql = "insert into decision (id, project_id, outcome, candidate, incumbent, policy_hash, data_hash, \
                       body, decided_by, decided_at) \
                   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
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
        let sql =
            "select body from decision where project_id = $1 order by decided_at desc, id desc limit $2";
        let bodies: Vec<String> =
            sqlx::query_scalar(sql).bind(project).bind(limit).fetch_all(self.read()).await?;
        bodies.iter().map(|body| stored_decision(body)).collect()
    }

    /// One decision of a project.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub async fn decision(&self, project: ProjectId, id: DecisionId) -> Result<Decision, StoreError> {
        let sql = "select body from decision where project_id = $1 and id = $2";
        let body: Option<String> =
            sqlx::query_scalar(sql).bind(project).bind(id).fetch_optional(self.read()).await?;
        stored_decision(&body.ok_or_else(|| StoreError::not_found("such decision in this project"))?)
    }
}

fn stored_decision(body: &str) -> Result<Decision, StoreError> {
    serde_json::from_str(body)
        .map_err(|error| StoreError::corrupt(format!("a decision that cannot be read ({error})")))
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
