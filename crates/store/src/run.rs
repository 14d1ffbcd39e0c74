//! Runs of judges through a provider: what they cover, how far they came, and what was answered.

mod answers;

pub use answers::JudgedCall;

use crate::{
    ConversationId, JudgeVersionId, ProjectId, RunId, Store, StoreError, UserId, timestamp::Timestamp,
};
use domain::{RunCounts, RunPlan, RunState};
use sqlx::{FromRow, SqliteConnection};
use std::collections::HashMap;
use time::OffsetDateTime;

/// A run as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeRun {
    /// Identity.
    pub id: RunId,
    /// Its project.
    pub project: ProjectId,
    /// The judge version that is run.
    pub judge_version: JudgeVersionId,
    /// Name of the judge.
    pub judge: String,
    /// Its version.
    pub version: String,
    /// What it covers.
    pub plan: RunPlan,
    /// How it stands.
    pub state: RunState,
    /// Why it stands still, in words.
    pub says: Option<String>,
    /// How far it came.
    pub counts: RunCounts,
    /// Who asked for it; nobody: whoever holds the file.
    pub requested_by: Option<String>,
    /// When it was asked for.
    pub started_at: OffsetDateTime,
    /// When it last went a step on.
    pub changed_at: OffsetDateTime,
}

/// A run to begin.
#[derive(Clone, Debug)]
pub struct NewRun<'a> {
    /// In which project.
    pub project: ProjectId,
    /// Of which judge version.
    pub judge_version: JudgeVersionId,
    /// What it covers.
    pub plan: &'a RunPlan,
    /// The calls that it needs.
    pub calls: u64,
    /// Who asks for it.
    pub requested_by: Option<UserId>,
}

/// The runs of project `$1`, or run `$2` alone, newest first.
const RUNS: &str = "select r.id, r.project_id, r.judge_version_id, j.name, v.version, s.plan, s.state, s.says, s.calls, \
         s.answered, s.failures, s.attempts, s.cost_usd, s.input_tokens, s.output_tokens, s.active_ms, \
         u.name as requested_by, r.started_at, s.changed_at \
     from run r join judge_run s on s.run_id = r.id join judge_version v on v.id = r.judge_version_id \
     join judge j on j.id = v.judge_id left join user u on u.id = s.requested_by \
     where r.project_id = $1 and r.id = coalesce($2, r.id) order by r.started_at desc, r.id desc";

#[derive(FromRow)]
struct Row {
    id: RunId,
    project_id: ProjectId,
    judge_version_id: JudgeVersionId,
    name: String,
    version: String,
    plan: String,
    state: String,
    says: Option<String>,
    calls: i64,
    answered: i64,
    failures: i64,
    attempts: i64,
    cost_usd: f64,
    input_tokens: i64,
    output_tokens: i64,
    active_ms: i64,
    requested_by: Option<String>,
    started_at: Timestamp,
    changed_at: Timestamp,
}

impl TryFrom<Row> for JudgeRun {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<JudgeRun, StoreError> {
        let plan = serde_json::from_str(&row.plan)
            .map_err(|error| StoreError::corrupt(format!("a run whose plan cannot be read ({error})")))?;
        Ok(JudgeRun {
            id: row.id,
            project: row.project_id,
            judge_version: row.judge_version_id,
            judge: row.name,
            version: row.version,
            plan,
            state: row.state.parse().map_err(StoreError::corrupt)?,
            says: row.says,
            counts: RunCounts {
                calls: row.calls.unsigned_abs(),
                answered: row.answered.unsigned_abs(),
                failures: row.failures.unsigned_abs(),
                attempts: row.attempts.unsigned_abs(),
                cost_usd: row.cost_usd,
                input_tokens: row.input_tokens.unsigned_abs(),
                output_tokens: row.output_tokens.unsigned_abs(),
                active_ms: row.active_ms.unsigned_abs(),
            },
            requested_by: row.requested_by,
            started_at: row.started_at.time()?,
            changed_at: row.changed_at.time()?,
        })
    }
}

impl Store {
    /// Begins a run, which stands as running.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn begin_run(&self, new: &NewRun<'_>, now: OffsetDateTime) -> Result<RunId, StoreError> {
        let plan = serde_json::to_string(new.plan)
            .map_err(|error| StoreError::conflict(format!("the plan cannot be written down: {error}")))?;
        let id = RunId::new(now);
        let mut transaction = self.write().await?;
        let run = "insert into run (id, project_id, judge_version_id, source, started_at) \
                   values ($1, $2, $3, 'provider', $4)";
        sqlx::query(run)
            .bind(id)
            .bind(new.project)
            .bind(new.judge_version)
            .bind(Timestamp::from(now))
            .execute(&mut *transaction)
            .await?;
        let state = "insert into judge_run (run_id, plan, state, calls, requested_by, changed_at) \
                     values ($1, $2, 'running', $3, $4, $5)";
        sqlx::query(state)
            .bind(id)
            .bind(plan)
            .bind(counted(new.calls))
            .bind(new.requested_by)
            .bind(Timestamp::from(now))
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(id)
    }

    /// The runs of a project, newest first.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn runs(&self, project: ProjectId) -> Result<Vec<JudgeRun>, StoreError> {
        let rows: Vec<Row> =
            sqlx::query_as(RUNS).bind(project).bind(None::<RunId>).fetch_all(self.read()).await?;
        rows.into_iter().map(JudgeRun::try_from).collect()
    }

    /// One run of a project.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub async fn run(&self, project: ProjectId, id: RunId) -> Result<JudgeRun, StoreError> {
        let row: Option<Row> =
            sqlx::query_as(RUNS).bind(project).bind(id).fetch_optional(self.read()).await?;
        row.ok_or_else(|| StoreError::not_found("such run in this project"))?.try_into()
    }

    /// The runs of all projects that stand as running: those that a process left behind when it ended.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn running_runs(&self) -> Result<Vec<(ProjectId, RunId)>, StoreError> {
        let sql = "select r.project_id, r.id from judge_run s join run r on r.id = s.run_id \
                   where s.state = 'running' order by r.id";
        Ok(sqlx::query_as(sql).fetch_all(self.read()).await?)
    }

    /// Writes how a run stands. One that is done or cancelled stays so.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] for a run that has ended.
    pub async fn set_run_state(
        &self,
        run: RunId,
        state: RunState,
        says: Option<&str>,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        let changed = sqlx::query(
            "update judge_run set state = $2, says = $3, changed_at = $4 \
             where run_id = $1 and state in ('running', 'paused')",
        )
        .bind(run)
        .bind(state.word())
        .bind(says)
        .bind(Timestamp::from(now))
        .execute(&mut *transaction)
        .await?;
        if changed.rows_affected() == 0 {
            return Err(StoreError::conflict("the run has ended: begin another"));
        }
        if matches!(state, RunState::Done | RunState::Cancelled) {
            let ended = "update run set ended_at = $2 where id = $1";
            sqlx::query(ended).bind(run).bind(Timestamp::from(now)).execute(&mut *transaction).await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// How many verdicts a judge version has on each (conversation, unit, repeat): what was asked before is not asked again.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn answered_units(
        &self,
        version: JudgeVersionId,
    ) -> Result<HashMap<(ConversationId, String, u32), u32>, StoreError> {
        let sql = "select conversation_id, unit, repeat, count(*) from verdict where judge_version_id = $1 \
                   group by conversation_id, unit, repeat";
        let rows: Vec<(ConversationId, String, u32, u32)> =
            sqlx::query_as(sql).bind(version).fetch_all(self.read()).await?;
        Ok(rows
            .into_iter()
            .map(|(conversation, unit, repeat, count)| ((conversation, unit, repeat), count))
            .collect())
    }
}

fn counted(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The instrument of a judge version, made where it is new.
async fn fingerprint_number(
    connection: &mut SqliteConnection,
    version: JudgeVersionId,
    instrument: (&str, Option<&str>, Option<&str>),
) -> Result<i64, StoreError> {
    let (hash, model, reported_model) = instrument;
    let find = "select id from fingerprint where judge_version_id = $1 and hash = $2";
    let found: Option<i64> =
        sqlx::query_scalar(find).bind(version).bind(hash).fetch_optional(&mut *connection).await?;
    if let Some(number) = found {
        return Ok(number);
    }
    let make = "insert into fingerprint (judge_version_id, hash, model, reported_model) \
                values ($1, $2, $3, $4) returning id";
    Ok(sqlx::query_scalar(make)
        .bind(version)
        .bind(hash)
        .bind(model)
        .bind(reported_model)
        .fetch_one(connection)
        .await?)
}

#[cfg(test)]
mod tests;
