//! Promoted judges that are asked again about their anchor sets.

use crate::{
    ConversationId, JudgeVersionId, JudgedCall, ProjectId, RecalibrationId, Store, StoreError, UserId,
    label::check_finite,
    timestamp::Timestamp,
    verdict::{failure_columns, stored_outcome},
};
use domain::{AnchorSource, FailureKind, Recalibration};
use time::OffsetDateTime;

/// Who is to be asked again.
#[derive(Clone, Debug)]
pub struct NewRecalibration<'a> {
    /// In which project.
    pub project: ProjectId,
    /// Which judge version.
    pub judge_version: JudgeVersionId,
    /// About the items of which split of which set.
    pub anchor_set: &'a AnchorSource,
    /// How often each unit is asked about.
    pub repeats: u32,
    /// Who wants to know; nobody: whoever holds the file.
    pub requested_by: Option<UserId>,
}

/// What a judge answered when it was asked again.
#[derive(Clone, Debug, PartialEq)]
pub struct RecalibrationAnswer {
    /// About which conversation.
    pub conversation: ConversationId,
    /// Its id in the source system.
    pub external_id: String,
    /// About which unit, in its text form.
    pub unit: String,
    /// On which criterion.
    pub criterion: String,
    /// Which repeat.
    pub repeat: u32,
    /// The instrument that answered.
    pub fingerprint: String,
    /// The model version that the provider reported.
    pub reported_model: Option<String>,
    /// The value, or why there is none.
    pub outcome: Result<f64, FailureKind>,
}

#[derive(sqlx::FromRow)]
struct Row {
    conversation_id: ConversationId,
    external_id: String,
    unit: String,
    criterion: String,
    repeat: u32,
    fingerprint: String,
    reported_model: Option<String>,
    value: Option<f64>,
    failure: Option<String>,
}

/// The last recalibration of judge version `$1` about split `$3` of set `$2`, so many repeats each, that was begun after `$5` and has no
/// report.
const UNFINISHED: &str = "select r.id from recalibration r left join recalibration_report t on t.recalibration_id = r.id \
     where r.judge_version_id = $1 and r.anchor_hash = $2 and r.split = $3 and r.repeats = $4 and r.begun_at > $5 \
     and t.recalibration_id is null order by r.begun_at desc limit 1";

const ANSWERS: &str = "select a.conversation_id, c.external_id, a.unit, a.criterion, a.repeat, a.fingerprint, a.reported_model, \
         a.value, a.failure \
     from recalibration_answer a join conversation c on c.id = a.conversation_id where a.recalibration_id = $1 order by a.id";

impl Store {
    /// Begins to ask again, or goes on with what was begun after `since` and never came to an end.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn begin_recalibration(
        &self,
        new: &NewRecalibration<'_>,
        since: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<RecalibrationId, StoreError> {
        let mut transaction = self.write().await?;
        let found: Option<RecalibrationId> = sqlx::query_scalar(UNFINISHED)
            .bind(new.judge_version)
            .bind(&new.anchor_set.hash.0)
            .bind(new.anchor_set.split.word())
            .bind(new.repeats)
            .bind(Timestamp::from(since))
            .fetch_optional(&mut *transaction)
            .await?;
        if let Some(found) = found {
            return Ok(found);
        }
        let id = RecalibrationId::new(now);
        let sql = "insert into recalibration (id, project_id, judge_version_id, anchor_hash, split, repeats, requested_by, begun_at) \
                   values ($1, $2, $3, $4, $5, $6, $7, $8)";
        sqlx::query(sql)
            .bind(id)
            .bind(new.project)
            .bind(new.judge_version)
            .bind(&new.anchor_set.hash.0)
            .bind(new.anchor_set.split.word())
            .bind(new.repeats)
            .bind(new.requested_by)
            .bind(Timestamp::from(now))
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(id)
    }

    /// Keeps what was answered to one call, whole. What was answered before stays as it is.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] for a value that is no number; where the database fails.
    pub async fn save_recalibration_call(
        &self,
        recalibration: RecalibrationId,
        call: &JudgedCall,
    ) -> Result<(), StoreError> {
        let sql = "insert into recalibration_answer (recalibration_id, conversation_id, unit, criterion, repeat, fingerprint, \
                       reported_model, value, failure, failure_says, reason, raw, latency_ms, cost_usd, judged_at) \
                   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) on conflict do nothing";
        let mut transaction = self.write().await?;
        for (position, reading) in call.readings.iter().enumerate() {
            check_finite(reading.outcome.value())?;
            let (failure, says) = failure_columns(&reading.outcome);
            sqlx::query(sql)
                .bind(recalibration)
                .bind(call.conversation)
                .bind(&call.unit)
                .bind(&reading.criterion)
                .bind(call.repeat)
                .bind(&call.fingerprint.0)
                .bind(&call.reported_model)
                .bind(reading.outcome.value())
                .bind(failure)
                .bind(says)
                .bind(&reading.reason)
                .bind(&call.raw)
                .bind(call.latency_ms)
                // A structured call is one price: the first criterion carries it.
                .bind(call.cost_usd.filter(|_| position == 0))
                .bind(Timestamp::from(call.judged_at))
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// What was answered so far.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn recalibration_answers(
        &self,
        recalibration: RecalibrationId,
    ) -> Result<Vec<RecalibrationAnswer>, StoreError> {
        let rows: Vec<Row> = sqlx::query_as(ANSWERS).bind(recalibration).fetch_all(self.read()).await?;
        rows.into_iter()
            .map(|row| {
                Ok(RecalibrationAnswer {
                    conversation: row.conversation_id,
                    external_id: row.external_id,
                    unit: row.unit,
                    criterion: row.criterion,
                    repeat: row.repeat,
                    fingerprint: row.fingerprint,
                    reported_model: row.reported_model,
                    outcome: stored_outcome(row.value, row.failure.as_deref())?,
                })
            })
            .collect()
    }

    /// Keeps what came of it.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn finish_recalibration(
        &self,
        recalibration: RecalibrationId,
        report: &Recalibration,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let body = serde_json::to_string(report)
            .map_err(|error| StoreError::corrupt(format!("a report that cannot be written ({error})")))?;
        let mut transaction = self.write().await?;
        sqlx::query("insert into recalibration_report (recalibration_id, body, told_at) values ($1, $2, $3)")
            .bind(recalibration)
            .bind(&body)
            .bind(Timestamp::from(now))
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(())
    }

    /// What came of recalibrations, newest first, each with the name of who wanted to know.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn recalibrations(
        &self,
        project: ProjectId,
        limit: u32,
    ) -> Result<Vec<(Recalibration, Option<String>)>, StoreError> {
        let sql = "select t.body, u.name from recalibration r join recalibration_report t on t.recalibration_id = r.id \
                   left join user u on u.id = r.requested_by where r.project_id = $1 order by t.told_at desc limit $2";
        let rows: Vec<(String, Option<String>)> =
            sqlx::query_as(sql).bind(project).bind(limit).fetch_all(self.read()).await?;
        rows.into_iter()
            .map(|(body, by)| {
                let report = serde_json::from_str(&body).map_err(|error| {
                    StoreError::corrupt(format!("a recalibration that cannot be read ({error})"))
                })?;
                Ok((report, by))
            })
            .collect()
    }
}
