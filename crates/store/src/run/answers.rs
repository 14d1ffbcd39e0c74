use super::{counted, fingerprint_number};
use crate::{
    ConversationId, JudgeVersionId, RunId, Store, StoreError, label::check_finite, timestamp::Timestamp,
    verdict::failure_columns,
};
use domain::{ContentHash, Outcome, Reading, RunCounts};
use sqlx::SqliteConnection;
use time::OffsetDateTime;

/// A call that was answered, or that failed for good, with a reading for each criterion that it asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedCall {
    /// About which conversation.
    pub conversation: ConversationId,
    /// About which unit, in its text form.
    pub unit: String,
    /// Which repeat.
    pub repeat: u32,
    /// Hash of the judge version and the model version that answered.
    pub fingerprint: ContentHash,
    /// The model that was asked for.
    pub model: Option<String>,
    /// The model version that the provider reported.
    pub reported_model: Option<String>,
    /// What was read, one for each criterion.
    pub readings: Vec<Reading>,
    /// The answer as the provider gave it.
    pub raw: Option<String>,
    /// Time to the answer, in milliseconds.
    pub latency_ms: Option<f64>,
    /// Tokens sent.
    pub input_tokens: Option<u64>,
    /// Tokens received.
    pub output_tokens: Option<u64>,
    /// Price of the call in US dollars.
    pub cost_usd: Option<f64>,
    /// Requests made.
    pub attempts: u32,
    /// When it was answered.
    pub judged_at: OffsetDateTime,
}

impl JudgedCall {
    fn failed(&self) -> bool {
        self.readings.iter().any(|reading| matches!(reading.outcome, Outcome::Failure { .. }))
    }
}

/// Part `position` of `total` in `parts` whole parts that add up to it.
fn part(total: Option<u64>, parts: u64, position: u64) -> Option<i64> {
    total.map(|total| counted(total / parts + u64::from(position < total % parts)))
}

impl Store {
    /// Keeps calls with their verdicts and counts them, all of them or none. A structured call is one price for several verdicts: each
    /// carries an equal part of the price and of the tokens, so that sums stay true. `active_ms` is the time since the last such write.
    /// Gives how the run stands then.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] for a value that is no number; where the database fails.
    pub async fn save_judged_calls(
        &self,
        run: RunId,
        version: JudgeVersionId,
        calls: &[JudgedCall],
        active_ms: u64,
        now: OffsetDateTime,
    ) -> Result<RunCounts, StoreError> {
        let mut transaction = self.write().await?;
        for call in calls {
            save_call(&mut transaction, run, version, call).await?;
        }
        let sum = |of: fn(&JudgedCall) -> u64| counted(calls.iter().map(of).sum());
        let counts: (i64, i64, i64, i64, f64, i64, i64, i64) = sqlx::query_as(
            "update judge_run set answered = answered + $2, failures = failures + $3, attempts = attempts + $4, \
                 cost_usd = cost_usd + $5, input_tokens = input_tokens + $6, output_tokens = output_tokens + $7, \
                 active_ms = active_ms + $8, changed_at = $9 \
             where run_id = $1 \
             returning calls, answered, failures, attempts, cost_usd, input_tokens, output_tokens, active_ms",
        )
        .bind(run)
        .bind(counted(calls.len() as u64))
        .bind(sum(|call| u64::from(call.failed())))
        .bind(sum(|call| u64::from(call.attempts)))
        .bind(calls.iter().filter_map(|call| call.cost_usd).sum::<f64>())
        .bind(sum(|call| call.input_tokens.unwrap_or(0)))
        .bind(sum(|call| call.output_tokens.unwrap_or(0)))
        .bind(counted(active_ms))
        .bind(Timestamp::from(now))
        .fetch_one(&mut *transaction)
        .await?;
        transaction.commit().await?;
        let (calls, answered, failures, attempts, cost_usd, input_tokens, output_tokens, active_ms) = counts;
        Ok(RunCounts {
            calls: calls.unsigned_abs(),
            answered: answered.unsigned_abs(),
            failures: failures.unsigned_abs(),
            attempts: attempts.unsigned_abs(),
            cost_usd,
            input_tokens: input_tokens.unsigned_abs(),
            output_tokens: output_tokens.unsigned_abs(),
            active_ms: active_ms.unsigned_abs(),
        })
    }
}

async fn save_call(
    connection: &mut SqliteConnection,
    run: RunId,
    version: JudgeVersionId,
    call: &JudgedCall,
) -> Result<(), StoreError> {
    let instrument = (&*call.fingerprint.0, call.model.as_deref(), call.reported_model.as_deref());
    let fingerprint = fingerprint_number(&mut *connection, version, instrument).await?;
    let parts = call.readings.len() as u64;
    #[expect(clippy::cast_precision_loss, reason = "a call asks about a handful of criteria")]
    let cost = call.cost_usd.map(|cost| cost / parts as f64);
    let total = match (call.input_tokens, call.output_tokens) {
        (None, None) => None,
        (sent, received) => Some(sent.unwrap_or(0) + received.unwrap_or(0)),
    };
    for (position, reading) in (0..).zip(&call.readings) {
        check_finite(reading.outcome.value())?;
        let (failure, says) = failure_columns(&reading.outcome);
        sqlx::query(
            "insert into verdict (run_id, judge_version_id, conversation_id, criterion, unit, repeat, fingerprint_id, \
                 value, failure, failure_says, reason, raw, latency_ms, input_tokens, output_tokens, total_tokens, \
                 cost_usd, judged_at) \
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
        )
        .bind(run)
        .bind(version)
        .bind(call.conversation)
        .bind(&reading.criterion)
        .bind(&call.unit)
        .bind(call.repeat)
        .bind(fingerprint)
        .bind(reading.outcome.value())
        .bind(failure)
        .bind(says)
        .bind(&reading.reason)
        .bind(&call.raw)
        .bind(call.latency_ms)
        .bind(part(call.input_tokens, parts, position))
        .bind(part(call.output_tokens, parts, position))
        .bind(part(total, parts, position))
        .bind(cost)
        .bind(Timestamp::from(call.judged_at))
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}
