use crate::{
    ConversationId, JudgeVersionId, ProjectId, Store, StoreError, Viewer, label::stored_unit, seal::unsealed,
    texts::Texts, timestamp::Timestamp,
};
use domain::{FailureKind, Outcome, Unit, VerdictRow};
use futures_util::TryStreamExt;
use sqlx::{Row as _, SqliteConnection, sqlite::SqliteRow};
use std::{collections::HashMap, sync::Arc};

/// A verdict as reports need it, without its reason and its raw answer. Texts are shared between verdicts.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredVerdict {
    /// Greater than that of every verdict that was stored before.
    pub id: i64,
    /// Name of the judge.
    pub judge: Arc<str>,
    /// Its version.
    pub version: Arc<str>,
    /// Of which conversation.
    pub conversation: ConversationId,
    /// Of which unit, in its text form.
    pub unit: Arc<str>,
    /// On which criterion.
    pub criterion: Arc<str>,
    /// Which repeat, from 0.
    pub repeat: u32,
    /// Hash of the judge version and the model version behind it.
    pub fingerprint: Arc<str>,
    /// The value, or why there is none.
    pub outcome: Result<f64, FailureKind>,
    /// Time to the answer, in milliseconds.
    pub latency_ms: Option<f64>,
    /// Price in US dollars.
    pub cost_usd: Option<f64>,
    /// Tokens in all.
    pub total_tokens: Option<u64>,
}

/// An instrument failure with what there is to read of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Id of the conversation in the source system.
    pub conversation: String,
    /// Of which unit.
    pub unit: Unit,
    /// On which criterion.
    pub criterion: String,
    /// Which repeat.
    pub repeat: u32,
    /// The kind.
    pub kind: FailureKind,
    /// What was wrong.
    pub says: String,
    /// The judge's reason.
    pub reason: Option<String>,
    /// The answer as the provider gave it.
    pub raw: Option<String>,
}

/// What names one verdict of a project.
#[derive(Clone, Copy, Debug)]
pub struct VerdictKey<'a> {
    /// Name of the judge.
    pub judge: &'a str,
    /// Its version.
    pub version: &'a str,
    /// Id of the conversation in the source system.
    pub conversation: &'a str,
    /// The unit.
    pub unit: &'a Unit,
    /// The criterion.
    pub criterion: &'a str,
    /// Which repeat.
    pub repeat: u32,
}

/// One verdict with all that is stored of it.
#[derive(Clone, Debug, PartialEq)]
pub struct VerdictDetail {
    /// The verdict as the interchange files write it.
    pub verdict: VerdictRow,
    /// Hash of the judge version and the model version behind it.
    pub fingerprint: String,
}

/// The versions of the judges of project `$1`.
const VERSIONS: &str = "select v.id, j.name, v.version from judge j join judge_version v on v.judge_id = j.id \
     where j.project_id = $1 order by j.name, v.created_at, v.id";

/// The verdicts of judge version `$1` that are not sealed to user `$2`.
macro_rules! verdicts {
    ($condition:literal) => {
        concat!(
            "select d.conversation_id, d.unit, d.criterion, d.repeat, d.fingerprint_id, d.value, d.failure, \
                 d.latency_ms, d.cost_usd, d.total_tokens, d.id \
             from verdict d where d.judge_version_id = $1 and ",
            unsealed!("d.conversation_id", "$2"),
            $condition
        )
    };
}

pub(crate) const VERDICTS: &str = verdicts!("");
pub(crate) const VERDICTS_OF_CRITERION: &str = verdicts!(" and d.criterion = $3");

/// The failures of version `$3` of judge `$2` in project `$1` that are not sealed to user `$4`, on criterion `$5` or on all.
const FAILURES: &str = concat!(
    "select c.external_id, d.unit, d.criterion, d.repeat, d.failure, d.failure_says, d.reason, d.raw \
     from judge j join judge_version v on v.judge_id = j.id join verdict d on d.judge_version_id = v.id \
     join conversation c on c.id = d.conversation_id \
     where j.project_id = $1 and j.name = $2 and v.version = $3 and d.failure is not null and ",
    unsealed!("d.conversation_id", "$4"),
    " and d.criterion = coalesce($5, d.criterion) order by d.criterion, c.position, d.unit, d.repeat"
);

const DETAIL: &str = concat!(
    "select d.value, d.failure, d.failure_says, d.reason, d.raw, d.latency_ms, d.input_tokens, \
         d.output_tokens, d.total_tokens, d.cost_usd, d.judged_at, f.hash, f.model, f.reported_model \
     from judge j join judge_version v on v.judge_id = j.id \
     join conversation c on c.project_id = j.project_id and c.external_id = $4 \
     join verdict d on d.judge_version_id = v.id and d.conversation_id = c.id \
     join fingerprint f on f.id = d.fingerprint_id \
     where j.project_id = $1 and j.name = $2 and v.version = $3 \
     and d.unit = $5 and d.criterion = $6 and d.repeat = $7 and ",
    unsealed!("c.id", "$8")
);

/// A judge version with its names.
struct Version {
    id: JudgeVersionId,
    judge: Arc<str>,
    version: Arc<str>,
}

/// The kind of a failure as the database writes it.
pub(crate) fn stored_failure(word: &str) -> Result<FailureKind, StoreError> {
    FailureKind::ALL
        .into_iter()
        .find(|kind| kind.word() == word)
        .ok_or_else(|| StoreError::corrupt(format!("`{word}`, which is no kind of failure")))
}

/// The word for a failure and what it says, as the database keeps them; neither where there is a value.
pub(crate) fn failure_columns(outcome: &Outcome) -> (Option<&'static str>, Option<&str>) {
    match outcome {
        Outcome::Value(_) => (None, None),
        Outcome::Failure { kind, says } => (Some(kind.word()), Some(says)),
    }
}

/// A value or a failure as the database writes it.
pub(crate) fn stored_outcome(
    value: Option<f64>,
    failure: Option<&str>,
) -> Result<Result<f64, FailureKind>, StoreError> {
    match (value, failure) {
        (Some(value), _) => Ok(Ok(value)),
        (None, Some(word)) => Ok(Err(stored_failure(word)?)),
        (None, None) => Err(StoreError::corrupt("a verdict without a value or a failure")),
    }
}

async fn versions(connection: &mut SqliteConnection, project: ProjectId) -> Result<Vec<Version>, StoreError> {
    let rows: Vec<(JudgeVersionId, String, String)> =
        sqlx::query_as(VERSIONS).bind(project).fetch_all(connection).await?;
    let mut texts = Texts::default();
    let version = |(id, judge, version): (JudgeVersionId, String, String)| Version {
        id,
        judge: texts.shared(&judge),
        version: texts.shared(&version),
    };
    Ok(rows.into_iter().map(version).collect())
}

/// The hashes of the instruments of a judge version.
async fn hashes(
    connection: &mut SqliteConnection,
    version: JudgeVersionId,
) -> Result<HashMap<i64, Arc<str>>, StoreError> {
    let rows: Vec<(i64, String)> =
        sqlx::query_as("select id, hash from fingerprint where judge_version_id = $1")
            .bind(version)
            .fetch_all(connection)
            .await?;
    Ok(rows.into_iter().map(|(id, hash)| (id, hash.into())).collect())
}

fn stored_verdict(
    row: &SqliteRow,
    version: &Version,
    hashes: &HashMap<i64, Arc<str>>,
    texts: &mut Texts,
) -> Result<StoredVerdict, StoreError> {
    let fingerprint = hashes
        .get(&row.try_get(4)?)
        .ok_or_else(|| StoreError::corrupt("a verdict under the fingerprint of another judge version"))?;
    let total_tokens: Option<i64> = row.try_get(9)?;
    Ok(StoredVerdict {
        id: row.try_get(10)?,
        judge: version.judge.clone(),
        version: version.version.clone(),
        conversation: row.try_get(0)?,
        unit: texts.shared(row.try_get(1)?),
        criterion: texts.shared(row.try_get(2)?),
        repeat: row.try_get(3)?,
        fingerprint: fingerprint.clone(),
        outcome: stored_outcome(row.try_get(5)?, row.try_get(6)?)?,
        latency_ms: row.try_get(7)?,
        cost_usd: row.try_get(8)?,
        total_tokens: total_tokens.map(i64::unsigned_abs),
    })
}

impl Store {
    /// The verdicts of a project that are not sealed to the viewer: of all judge versions or of some, on all criteria or on one; judge by
    /// judge, in no particular order within.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn verdicts(
        &self,
        project: ProjectId,
        criterion: Option<&str>,
        judge_versions: Option<&[JudgeVersionId]>,
        viewer: Viewer,
    ) -> Result<Vec<StoredVerdict>, StoreError> {
        let mut snapshot = self.snapshot().await?;
        let mut wanted = versions(&mut snapshot, project).await?;
        wanted.retain(|version| judge_versions.is_none_or(|ids| ids.contains(&version.id)));
        let mut texts = Texts::default();
        let mut verdicts = Vec::new();
        for version in wanted {
            let hashes = hashes(&mut snapshot, version.id).await?;
            let query = match criterion {
                None => sqlx::query(VERDICTS),
                Some(_) => sqlx::query(VERDICTS_OF_CRITERION),
            };
            let mut rows = query.bind(version.id).bind(viewer.user()).bind(criterion).fetch(&mut *snapshot);
            while let Some(row) = rows.try_next().await? {
                verdicts.push(stored_verdict(&row, &version, &hashes, &mut texts)?);
            }
        }
        Ok(verdicts)
    }

    /// The last verdict that was stored: [`StoredVerdict::id`]; 0 where there is none.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn last_verdict(&self) -> Result<i64, StoreError> {
        Ok(sqlx::query_scalar("select coalesce(max(id), 0) from verdict").fetch_one(self.read()).await?)
    }

    /// The instrument failures of a judge version that are not sealed to the viewer, on one criterion or on all, with all there is to read.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn failures(
        &self,
        project: ProjectId,
        judge: &str,
        version: &str,
        criterion: Option<&str>,
        viewer: Viewer,
    ) -> Result<Vec<Failure>, StoreError> {
        #[derive(sqlx::FromRow)]
        struct Row {
            external_id: String,
            unit: String,
            criterion: String,
            repeat: u32,
            failure: String,
            failure_says: Option<String>,
            reason: Option<String>,
            raw: Option<String>,
        }
        let rows: Vec<Row> = sqlx::query_as(FAILURES)
            .bind(project)
            .bind(judge)
            .bind(version)
            .bind(viewer.user())
            .bind(criterion)
            .fetch_all(self.read())
            .await?;
        rows.into_iter()
            .map(|row| {
                Ok(Failure {
                    conversation: row.external_id,
                    unit: stored_unit(&row.unit)?,
                    criterion: row.criterion,
                    repeat: row.repeat,
                    kind: stored_failure(&row.failure)?,
                    says: row.failure_says.unwrap_or_default(),
                    reason: row.reason,
                    raw: row.raw,
                })
            })
            .collect()
    }

    /// One verdict with all that is stored of it.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], also for one that is sealed to the viewer.
    pub async fn verdict(
        &self,
        project: ProjectId,
        key: &VerdictKey<'_>,
        viewer: Viewer,
    ) -> Result<VerdictDetail, StoreError> {
        let row: Option<DetailRow> = sqlx::query_as(DETAIL)
            .bind(project)
            .bind(key.judge)
            .bind(key.version)
            .bind(key.conversation)
            .bind(key.unit.to_string())
            .bind(key.criterion)
            .bind(key.repeat)
            .bind(viewer.user())
            .fetch_optional(self.read())
            .await?;
        row.ok_or_else(|| StoreError::not_found("such verdict in this project"))?.detail(key)
    }
}

#[derive(sqlx::FromRow)]
struct DetailRow {
    value: Option<f64>,
    failure: Option<String>,
    failure_says: Option<String>,
    reason: Option<String>,
    raw: Option<String>,
    latency_ms: Option<f64>,
    input_tokens: Option<i64>,
    output_tokens: Option<i64>,
    total_tokens: Option<i64>,
    cost_usd: Option<f64>,
    judged_at: Option<Timestamp>,
    hash: String,
    model: Option<String>,
    reported_model: Option<String>,
}

impl DetailRow {
    fn detail(self, key: &VerdictKey<'_>) -> Result<VerdictDetail, StoreError> {
        let outcome = match stored_outcome(self.value, self.failure.as_deref())? {
            Ok(value) => Outcome::Value(value),
            Err(kind) => Outcome::Failure { kind, says: self.failure_says.unwrap_or_default() },
        };
        let verdict = VerdictRow {
            judge: key.judge.to_owned(),
            judge_version: key.version.to_owned(),
            model: self.model,
            reported_model: self.reported_model,
            conversation: key.conversation.to_owned(),
            unit: key.unit.clone(),
            criterion: key.criterion.to_owned(),
            repeat: key.repeat,
            outcome,
            reason: self.reason,
            raw: self.raw,
            latency_ms: self.latency_ms,
            input_tokens: self.input_tokens.map(i64::unsigned_abs),
            output_tokens: self.output_tokens.map(i64::unsigned_abs),
            total_tokens: self.total_tokens.map(i64::unsigned_abs),
            cost_usd: self.cost_usd,
            judged_at: self.judged_at.map(Timestamp::time).transpose()?,
        };
        Ok(VerdictDetail { verdict, fingerprint: self.hash })
    }
}

#[cfg(test)]
mod tests;
