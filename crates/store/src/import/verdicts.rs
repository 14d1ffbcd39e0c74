use super::{Admission, Numbers};
use crate::{
    ConversationId, JudgeVersionId, ProjectId, RunId, StoreError,
    judge::judge_named,
    label::check_finite,
    timestamp::Timestamp,
    verdict::{failure_columns, stored_outcome},
};
use domain::{ContentHash, FailureKind, Outcome, VerdictRow};
use futures_util::TryStreamExt;
use sqlx::{QueryBuilder, Row, SqliteConnection};
use std::{cmp::Ordering, collections::HashMap};
use time::OffsetDateTime;

/// Rows after which what was taken is written.
const BATCH: usize = 500;

/// The judge versions that an import names, with what they have said, and the verdicts that were taken but not written.
#[derive(Debug)]
pub(super) struct Verdicts {
    project: ProjectId,
    now: OffsetDateTime,
    texts: Numbers,
    positions: HashMap<(String, String), usize>,
    versions: Vec<Version>,
    pending: Vec<Pending>,
}

#[derive(Debug)]
struct Version {
    id: JudgeVersionId,
    /// Made with the first new verdict.
    run: Option<RunId>,
    fingerprints: HashMap<String, i64>,
    stored: HashMap<Identity, Stored>,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Identity {
    conversation: ConversationId,
    unit: u32,
    criterion: u32,
    repeat: u32,
}

#[derive(Clone, Copy, Debug)]
struct Stored {
    outcome: Result<f64, FailureKind>,
    fingerprint: i64,
}

/// Which instrument said something, and in which run.
#[derive(Clone, Copy, Debug)]
struct Origin {
    run: RunId,
    judge_version: JudgeVersionId,
    fingerprint: i64,
}

#[derive(Debug)]
struct Pending {
    origin: Origin,
    conversation: ConversationId,
    criterion: String,
    unit: String,
    repeat: u32,
    value: Option<f64>,
    failure: Option<&'static str>,
    failure_says: Option<String>,
    reason: Option<String>,
    raw: Option<String>,
    latency_ms: Option<f64>,
    input_tokens: Option<i64>,
    output_tokens: Option<i64>,
    total_tokens: Option<i64>,
    cost_usd: Option<f64>,
    judged_at: Option<Timestamp>,
}

impl Verdicts {
    pub(super) fn new(project: ProjectId, now: OffsetDateTime) -> Verdicts {
        Verdicts {
            project,
            now,
            texts: Numbers::default(),
            positions: HashMap::new(),
            versions: Vec::new(),
            pending: Vec::new(),
        }
    }

    pub(super) async fn admit(
        &mut self,
        connection: &mut SqliteConnection,
        row: &VerdictRow,
        conversation: ConversationId,
        fingerprint: &ContentHash,
    ) -> Result<Admission, StoreError> {
        check_finite(row.outcome.value())?;
        let outcome = match &row.outcome {
            Outcome::Value(value) => Ok(*value),
            Outcome::Failure { kind, .. } => Err(*kind),
        };
        let unit = row.unit.to_string();
        let identity = Identity {
            conversation,
            unit: self.texts.of(&unit),
            criterion: self.texts.of(&row.criterion),
            repeat: row.repeat,
        };
        let position = self.version(connection, row).await?;
        let version = &mut self.versions[position];
        if let Some(stored) = version.stored.get(&identity) {
            return Ok(version.compare(*stored, outcome, fingerprint));
        }
        let origin = Origin {
            fingerprint: version.fingerprint(connection, row, fingerprint).await?,
            run: version.run(connection, self.project, self.now).await?,
            judge_version: version.id,
        };
        version.stored.insert(identity, Stored { outcome, fingerprint: origin.fingerprint });
        self.pending.push(Pending::new(row, unit, conversation, origin));
        Ok(Admission::New)
    }

    /// Position of the judge version that a row names, read or made on first sight.
    async fn version(
        &mut self,
        connection: &mut SqliteConnection,
        row: &VerdictRow,
    ) -> Result<usize, StoreError> {
        let names = (row.judge.clone(), row.judge_version.clone());
        if let Some(position) = self.positions.get(&names) {
            return Ok(*position);
        }
        let id = declare(connection, self.project, row, self.now).await?;
        let version = Version::load(connection, id, &mut self.texts).await?;
        let position = self.versions.len();
        self.versions.push(version);
        self.positions.insert(names, position);
        Ok(position)
    }

    pub(super) fn is_full(&self) -> bool {
        self.pending.len() >= BATCH
    }

    pub(super) async fn flush(&mut self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let mut query = QueryBuilder::new(
            "insert into verdict (run_id, judge_version_id, conversation_id, criterion, unit, repeat, \
                 fingerprint_id, value, failure, failure_says, reason, raw, latency_ms, input_tokens, \
                 output_tokens, total_tokens, cost_usd, judged_at) ",
        );
        query.push_values(self.pending.drain(..), |mut row, new| {
            row.push_bind(new.origin.run)
                .push_bind(new.origin.judge_version)
                .push_bind(new.conversation)
                .push_bind(new.criterion)
                .push_bind(new.unit)
                .push_bind(new.repeat)
                .push_bind(new.origin.fingerprint)
                .push_bind(new.value)
                .push_bind(new.failure)
                .push_bind(new.failure_says)
                .push_bind(new.reason)
                .push_bind(new.raw)
                .push_bind(new.latency_ms)
                .push_bind(new.input_tokens)
                .push_bind(new.output_tokens)
                .push_bind(new.total_tokens)
                .push_bind(new.cost_usd)
                .push_bind(new.judged_at);
        });
        query.build().execute(connection).await?;
        Ok(())
    }
}

impl Pending {
    fn new(row: &VerdictRow, unit: String, conversation: ConversationId, origin: Origin) -> Pending {
        let count = |tokens: Option<u64>| tokens.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
        let (failure, failure_says) = failure_columns(&row.outcome);
        Pending {
            origin,
            conversation,
            criterion: row.criterion.clone(),
            unit,
            repeat: row.repeat,
            value: row.outcome.value(),
            failure,
            failure_says: failure_says.map(str::to_owned),
            reason: row.reason.clone(),
            raw: row.raw.clone(),
            latency_ms: row.latency_ms,
            input_tokens: count(row.input_tokens),
            output_tokens: count(row.output_tokens),
            total_tokens: count(row.total_tokens),
            cost_usd: row.cost_usd,
            judged_at: row.judged_at.map(Timestamp::from),
        }
    }
}

impl Version {
    /// What a judge version has said so far.
    async fn load(
        connection: &mut SqliteConnection,
        id: JudgeVersionId,
        texts: &mut Numbers,
    ) -> Result<Version, StoreError> {
        let fingerprints: Vec<(String, i64)> =
            sqlx::query_as("select hash, id from fingerprint where judge_version_id = $1")
                .bind(id)
                .fetch_all(&mut *connection)
                .await?;
        let sql = "select conversation_id, unit, criterion, repeat, value, failure, fingerprint_id \
                   from verdict where judge_version_id = $1";
        let mut rows = sqlx::query(sql).bind(id).fetch(connection);
        let mut stored = HashMap::new();
        while let Some(row) = rows.try_next().await? {
            let identity = Identity {
                conversation: row.try_get(0)?,
                unit: texts.of(row.try_get(1)?),
                criterion: texts.of(row.try_get(2)?),
                repeat: row.try_get(3)?,
            };
            let outcome = stored_outcome(row.try_get(4)?, row.try_get(5)?)?;
            stored.insert(identity, Stored { outcome, fingerprint: row.try_get(6)? });
        }
        Ok(Version { id, run: None, fingerprints: fingerprints.into_iter().collect(), stored })
    }

    fn compare(
        &self,
        stored: Stored,
        outcome: Result<f64, FailureKind>,
        fingerprint: &ContentHash,
    ) -> Admission {
        let same_outcome = match (stored.outcome, outcome) {
            (Ok(stored), Ok(new)) => stored.partial_cmp(&new) == Some(Ordering::Equal),
            (Err(stored), Err(new)) => stored == new,
            _ => false,
        };
        let same_instrument = self.fingerprints.get(&fingerprint.0) == Some(&stored.fingerprint);
        if same_outcome && same_instrument {
            return Admission::Unchanged;
        }
        let mut stored = match stored.outcome {
            Ok(value) => value.to_string(),
            Err(kind) => format!("an instrument failure ({kind})"),
        };
        if same_outcome {
            stored.push_str(" of another model, rubric or scale: give it another judge version");
        }
        Admission::Clash { stored }
    }

    /// Number of the instrument, which is made where it is new.
    async fn fingerprint(
        &mut self,
        connection: &mut SqliteConnection,
        row: &VerdictRow,
        hash: &ContentHash,
    ) -> Result<i64, StoreError> {
        if let Some(number) = self.fingerprints.get(&hash.0) {
            return Ok(*number);
        }
        let sql = "insert into fingerprint (judge_version_id, hash, model, reported_model) \
                   values ($1, $2, $3, $4) returning id";
        let number = sqlx::query_scalar(sql)
            .bind(self.id)
            .bind(&hash.0)
            .bind(&row.model)
            .bind(&row.reported_model)
            .fetch_one(connection)
            .await?;
        self.fingerprints.insert(hash.0.clone(), number);
        Ok(number)
    }

    async fn run(
        &mut self,
        connection: &mut SqliteConnection,
        project: ProjectId,
        now: OffsetDateTime,
    ) -> Result<RunId, StoreError> {
        if let Some(run) = self.run {
            return Ok(run);
        }
        let run = RunId::new(now);
        let sql = "insert into run (id, project_id, judge_version_id, source, started_at, ended_at) \
                   values ($1, $2, $3, 'import', $4, $4)";
        sqlx::query(sql)
            .bind(run)
            .bind(project)
            .bind(self.id)
            .bind(Timestamp::from(now))
            .execute(connection)
            .await?;
        self.run = Some(run);
        Ok(run)
    }
}

/// The judge version that a row names; the judge and the version are made where they are new.
async fn declare(
    connection: &mut SqliteConnection,
    project: ProjectId,
    row: &VerdictRow,
    now: OffsetDateTime,
) -> Result<JudgeVersionId, StoreError> {
    let judge = judge_named(connection, project, &row.judge, now).await?;
    let declared = serde_json::json!({ "source": "import", "model": row.model });
    let sql = "insert into judge_version (id, judge_id, version, declared, created_at) \
               values ($1, $2, $3, $4, $5) on conflict (judge_id, version) do nothing";
    sqlx::query(sql)
        .bind(JudgeVersionId::new(now))
        .bind(judge)
        .bind(&row.judge_version)
        .bind(declared.to_string())
        .bind(Timestamp::from(now))
        .execute(&mut *connection)
        .await?;
    Ok(sqlx::query_scalar("select id from judge_version where judge_id = $1 and version = $2")
        .bind(judge)
        .bind(&row.judge_version)
        .fetch_one(connection)
        .await?)
}
