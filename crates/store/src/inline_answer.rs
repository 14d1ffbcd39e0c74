//! What the inline gate answered in the place of a judge, and what stands in a slot, read quickly.

use crate::{ProjectId, SlotChangeId, Store, StoreError, timestamp::Timestamp};
use domain::Purpose;
use time::OffsetDateTime;

/// An answer of the inline gate that no judge gave.
#[derive(Clone, Debug, PartialEq)]
pub struct InlineAnswer {
    /// In which project.
    pub project: ProjectId,
    /// Id of the criterion.
    pub criterion: String,
    /// Hash of what was to be scored.
    pub content_hash: String,
    /// `failed`, `late`, `busy` or `no_judge`.
    pub reason: &'static str,
    /// What happened.
    pub says: String,
    /// What was answered.
    pub passed: bool,
    /// How long it took, in milliseconds.
    pub latency_ms: f64,
    /// When.
    pub at: OffsetDateTime,
}

/// What stands in a slot, without the decision behind it.
#[derive(Clone, Debug, PartialEq, sqlx::FromRow)]
pub struct Standing {
    /// The change that put it there.
    pub change: SlotChangeId,
    /// Name of the judge.
    pub judge: String,
    /// Its version.
    pub version: String,
    /// The instrument that was promoted.
    pub fingerprint: String,
    /// The judge passes from here on; `None` where the scale has no pass level.
    pub threshold: Option<f64>,
}

impl Store {
    /// Keeps answers of the inline gate.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn add_inline_answers(&self, answers: &[InlineAnswer]) -> Result<(), StoreError> {
        let sql = "insert into inline_answer (project_id, criterion, content_hash, reason, says, passed, latency_ms, answered_at) \
                   values ($1, $2, $3, $4, $5, $6, $7, $8)";
        let mut transaction = self.write().await?;
        for answer in answers {
            sqlx::query(sql)
                .bind(answer.project)
                .bind(&answer.criterion)
                .bind(&answer.content_hash)
                .bind(answer.reason)
                .bind(&answer.says)
                .bind(answer.passed)
                .bind(answer.latency_ms)
                .bind(Timestamp::from(answer.at))
                .execute(&mut *transaction)
                .await?;
        }
        Ok(transaction.commit().await?)
    }

    /// How many answers the inline gate gave without a judge since a moment, by reason.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn count_inline_answers(
        &self,
        project: ProjectId,
        since: OffsetDateTime,
    ) -> Result<Vec<(String, u64)>, StoreError> {
        let sql = "select reason, count(*) from inline_answer where project_id = $1 and answered_at >= $2 \
                   group by reason order by reason";
        let rows: Vec<(String, i64)> =
            sqlx::query_as(sql).bind(project).bind(Timestamp::from(since)).fetch_all(self.read()).await?;
        Ok(rows.into_iter().map(|(reason, count)| (reason, count.unsigned_abs())).collect())
    }

    /// What stands in a slot now.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn standing(
        &self,
        project: ProjectId,
        criterion: &str,
        purpose: Purpose,
    ) -> Result<Option<Standing>, StoreError> {
        let sql = "select s.id as change, j.name as judge, v.version, f.hash as fingerprint, s.threshold \
                   from (select id, fingerprint_id, threshold from slot_change \
                         where project_id = $1 and criterion = $2 and purpose = $3 \
                         order by changed_at desc, id desc limit 1) s \
                   join fingerprint f on f.id = s.fingerprint_id join judge_version v on v.id = f.judge_version_id \
                   join judge j on j.id = v.judge_id";
        let query = sqlx::query_as(sql).bind(project).bind(criterion).bind(purpose.word());
        Ok(query.fetch_optional(self.read()).await?)
    }
}
