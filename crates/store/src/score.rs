mod days;

pub use days::WorstScore;

use crate::{ProjectId, Store, StoreError, timestamp::Timestamp};
use domain::{Day, ScaleShare, ScoringJudge, Sums};
use sqlx::SqliteConnection;
use std::collections::{BTreeMap, HashMap};
use time::OffsetDateTime;

/// Dimensions, corpora, systems and judges that a project may have apart, so that a field that holds something else (a request id) is
/// noticed before the sums are as many as the scores.
const MOST_SERIES: i64 = 5_000;

/// A production score to be kept.
#[derive(Clone, Debug, PartialEq)]
pub struct NewScore {
    /// Given by whoever sends it, unique in the project.
    pub client_key: String,
    /// Id of the criterion.
    pub dimension: String,
    /// The client or document base; empty where none was said.
    pub corpus: String,
    /// Which assistant or version answered; empty where none was said.
    pub system: String,
    /// What scored it.
    pub judge: ScoringJudge,
    /// On the scale of the criterion.
    pub value: f64,
    /// Its share of the scale's range.
    pub share: ScaleShare,
    /// Whether it reached the judge's threshold; `None` where the scale has no pass level.
    pub passed: Option<bool>,
    /// When it was given.
    pub at: OffsetDateTime,
    /// Whether its sender said when; else it is when it came, which another sending does not repeat.
    pub is_dated: bool,
    /// Id of the conversation in the source system.
    pub conversation: Option<String>,
    /// What to show of it.
    pub excerpt: Option<String>,
}

/// What became of some scores.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScoresStored {
    /// New ones.
    pub stored: u64,
    /// Those that were there.
    pub known: u64,
}

/// A score as it is compared with one that is sent again.
#[derive(PartialEq, sqlx::FromRow)]
struct Row {
    series_id: i64,
    parts: u32,
    scored_at: Timestamp,
    conversation: Option<String>,
}

impl Store {
    /// Keeps scores, all or none, with the sums of their days. What is there already under its client key is not stored again.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] where another score stands under a client key, and where the project would have too many series.
    pub async fn add_scores(
        &self,
        project: ProjectId,
        scores: &[NewScore],
        now: OffsetDateTime,
    ) -> Result<ScoresStored, StoreError> {
        let mut transaction = self.write().await?;
        let mut known: HashMap<(&str, &str, &str, &str), i64> = HashMap::new();
        let mut sums: BTreeMap<(i64, Day), Sums> = BTreeMap::new();
        let mut done = ScoresStored::default();
        for score in scores {
            let NewScore { dimension, corpus, system, judge, .. } = score;
            let name = (dimension.as_str(), corpus.as_str(), system.as_str(), judge.fingerprint.as_str());
            let series = match known.get(&name) {
                Some(series) => *series,
                None => {
                    let series = series(&mut transaction, project, score).await?;
                    known.insert(name, series);
                    series
                }
            };
            if insert(&mut transaction, project, series, score, now).await? {
                sums.entry((series, Day::of(score.at)))
                    .or_default()
                    .add(&Sums::of(score.share, score.passed));
                done.stored += 1;
            } else {
                done.known += 1;
            }
        }
        for ((series, day), more) in &sums {
            days::add(&mut transaction, *series, *day, more).await?;
        }
        transaction.commit().await?;
        Ok(done)
    }
}

/// Writes a score, unless it is there.
async fn insert(
    connection: &mut SqliteConnection,
    project: ProjectId,
    series: i64,
    score: &NewScore,
    now: OffsetDateTime,
) -> Result<bool, StoreError> {
    let sql = "insert into score (project_id, series_id, client_key, day, scored_at, value, parts, passed, \
                   conversation, excerpt, received_at) \
               values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict (project_id, client_key) do nothing";
    let written = sqlx::query(sql)
        .bind(project)
        .bind(series)
        .bind(&score.client_key)
        .bind(Day::of(score.at).0)
        .bind(Timestamp::from(score.at))
        .bind(score.value)
        .bind(score.share.parts())
        .bind(score.passed)
        .bind(&score.conversation)
        .bind(&score.excerpt)
        .bind(Timestamp::from(now))
        .execute(&mut *connection)
        .await?;
    if written.rows_affected() == 1 {
        return Ok(true);
    }
    let sql = "select series_id, parts, scored_at, conversation from score \
               where project_id = $1 and client_key = $2";
    let stored: Row =
        sqlx::query_as(sql).bind(project).bind(&score.client_key).fetch_one(&mut *connection).await?;
    let sent = Row {
        series_id: series,
        parts: score.share.parts(),
        scored_at: if score.is_dated { score.at.into() } else { stored.scored_at },
        conversation: score.conversation.clone(),
    };
    if stored == sent {
        return Ok(false);
    }
    let key = domain::visible(&score.client_key);
    Err(StoreError::conflict(format!("another score stands under the key `{key}`: nothing was stored")))
}

/// The series of a score, made where it is not there.
async fn series(
    connection: &mut SqliteConnection,
    project: ProjectId,
    score: &NewScore,
) -> Result<i64, StoreError> {
    let judge = scoring_judge(connection, project, &score.judge).await?;
    let find = "select id from score_series \
                where project_id = $1 and dimension = $2 and corpus = $3 and system = $4 and judge_id = $5";
    let found: Option<i64> = sqlx::query_scalar(find)
        .bind(project)
        .bind(&score.dimension)
        .bind(&score.corpus)
        .bind(&score.system)
        .bind(judge)
        .fetch_optional(&mut *connection)
        .await?;
    if let Some(found) = found {
        return Ok(found);
    }
    let count = "select count(*) from score_series where project_id = $1";
    let series: i64 = sqlx::query_scalar(count).bind(project).fetch_one(&mut *connection).await?;
    if series >= MOST_SERIES {
        return Err(StoreError::conflict(format!(
            "the project has {MOST_SERIES} combinations of dimension, corpus, system and judge, which is all that are kept \
             apart: send names of corpora and systems, and nothing that is new with each score"
        )));
    }
    let insert = "insert into score_series (project_id, dimension, corpus, system, judge_id) \
                  values ($1, $2, $3, $4, $5) returning id";
    Ok(sqlx::query_scalar(insert)
        .bind(project)
        .bind(&score.dimension)
        .bind(&score.corpus)
        .bind(&score.system)
        .bind(judge)
        .fetch_one(&mut *connection)
        .await?)
}

/// The row of a judge that scores, made where it is not there.
pub(crate) async fn scoring_judge(
    connection: &mut SqliteConnection,
    project: ProjectId,
    judge: &ScoringJudge,
) -> Result<i64, StoreError> {
    let insert = "insert into scoring_judge (project_id, fingerprint, judge, version, reported_model) \
                  values ($1, $2, $3, $4, $5) on conflict (project_id, fingerprint) do nothing";
    sqlx::query(insert)
        .bind(project)
        .bind(&judge.fingerprint)
        .bind(&judge.judge)
        .bind(&judge.version)
        .bind(&judge.reported_model)
        .execute(&mut *connection)
        .await?;
    let find = "select id from scoring_judge where project_id = $1 and fingerprint = $2";
    Ok(sqlx::query_scalar(find).bind(project).bind(&judge.fingerprint).fetch_one(&mut *connection).await?)
}

#[cfg(test)]
mod tests;
