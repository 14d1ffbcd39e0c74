use crate::{ProjectId, Store, StoreError, ThresholdId, UserId, timestamp::Timestamp};
use domain::{AcceptedThreshold, ContentHash, ThresholdProposal};
use time::OffsetDateTime;

#[derive(sqlx::FromRow)]
struct Row {
    id: ThresholdId,
    criterion: String,
    judge: String,
    version: String,
    fingerprint: String,
    before: f64,
    threshold: f64,
    data_hash: String,
    reason: String,
    accepted_by: Option<String>,
    accepted_at: Timestamp,
}

impl TryFrom<Row> for AcceptedThreshold {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<AcceptedThreshold, StoreError> {
        Ok(AcceptedThreshold {
            id: row.id.to_string(),
            criterion: row.criterion,
            judge: row.judge,
            version: row.version,
            fingerprint: row.fingerprint,
            before: row.before,
            threshold: row.threshold,
            data_hash: ContentHash(row.data_hash),
            reason: row.reason,
            by: row.accepted_by,
            at: row.accepted_at.time()?,
        })
    }
}

impl Store {
    /// Accepts a threshold for the instrument that its proposal names. `judge` and `version` name the judge version.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where that judge version never answered under the fingerprint.
    pub async fn accept_threshold(
        &self,
        project: ProjectId,
        (judge, version): (&str, &str),
        proposal: &ThresholdProposal,
        reason: &str,
        by: Option<UserId>,
        now: OffsetDateTime,
    ) -> Result<AcceptedThreshold, StoreError> {
        let body = serde_json::to_string(proposal)
            .map_err(|error| StoreError::conflict(format!("the proposal cannot be written down: {error}")))?;
        let sql = "insert into threshold (id, project_id, criterion, fingerprint_id, before, threshold, proposal, \
                       reason, accepted_by, accepted_at) \
                   select $1, $2, $3, f.id, $4, $5, $6, $7, $8, $9 \
                   from judge j join judge_version v on v.judge_id = j.id join fingerprint f on f.judge_version_id = v.id \
                   where j.project_id = $2 and j.name = $10 and v.version = $11 and f.hash = $12";
        let id = ThresholdId::new(now);
        let mut transaction = self.write().await?;
        let written = sqlx::query(sql)
            .bind(id)
            .bind(project)
            .bind(&proposal.criterion)
            .bind(proposal.before.threshold)
            .bind(proposal.proposed.threshold)
            .bind(body)
            .bind(reason)
            .bind(by)
            .bind(Timestamp::from(now))
            .bind(judge)
            .bind(version)
            .bind(&proposal.fingerprint)
            .execute(&mut *transaction)
            .await?;
        if written.rows_affected() != 1 {
            return Err(StoreError::not_found(format!("such instrument of judge {judge}@{version}")));
        }
        transaction.commit().await?;
        let accepted =
            self.thresholds(project).await?.into_iter().find(|accepted| accepted.id == id.to_string());
        accepted.ok_or_else(|| StoreError::not_found("such threshold in this project"))
    }

    /// The thresholds that were accepted in a project, newest first.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn thresholds(&self, project: ProjectId) -> Result<Vec<AcceptedThreshold>, StoreError> {
        let sql = "select t.id, t.criterion, j.name as judge, v.version, f.hash as fingerprint, t.before, t.threshold, \
                       json_extract(t.proposal, '$.data_hash') as data_hash, t.reason, u.name as accepted_by, \
                       t.accepted_at \
                   from threshold t join fingerprint f on f.id = t.fingerprint_id \
                   join judge_version v on v.id = f.judge_version_id join judge j on j.id = v.judge_id \
                   left join user u on u.id = t.accepted_by \
                   where t.project_id = $1 order by t.accepted_at desc, t.id desc";
        let rows: Vec<Row> = sqlx::query_as(sql).bind(project).fetch_all(self.read()).await?;
        rows.into_iter().map(AcceptedThreshold::try_from).collect()
    }
}

#[cfg(test)]
mod tests;
