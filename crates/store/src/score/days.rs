//! The sums of days, and the worst scores.

use crate::{ProjectId, Store, StoreError, Viewer, timestamp::Timestamp};
use domain::{BINS, Day, ScaleShare, ScoredSeries, ScoringJudge, Sums};
use sqlx::SqliteConnection;
use std::collections::{BTreeMap, HashMap};
use time::OffsetDateTime;

/// A low score of production.
#[derive(Clone, Debug, PartialEq)]
pub struct WorstScore {
    /// Id of the conversation in the source system.
    pub conversation: String,
    /// Whether it was imported too, and so can be opened.
    pub is_imported: bool,
    /// Id of the criterion.
    pub dimension: String,
    /// The client or document base; empty where none was said.
    pub corpus: String,
    /// Where the score stands on its scale.
    pub share: ScaleShare,
    /// What to show of it.
    pub excerpt: Option<String>,
    /// When it was given.
    pub at: OffsetDateTime,
}

#[derive(sqlx::FromRow)]
struct DayRow {
    series_id: i64,
    day: i32,
    scores: i64,
    sum: i64,
    squares: i64,
    passed: i64,
    decided: i64,
    bins: String,
}

impl DayRow {
    fn sums(&self) -> Result<Sums, StoreError> {
        let bins: [u64; BINS] = serde_json::from_str(&self.bins)
            .map_err(|error| StoreError::corrupt(format!("sums of a day that cannot be read ({error})")))?;
        Ok(Sums {
            count: self.scores.unsigned_abs(),
            sum: self.sum.unsigned_abs(),
            squares: self.squares.unsigned_abs(),
            passed: self.passed.unsigned_abs(),
            decided: self.decided.unsigned_abs(),
            bins,
        })
    }
}

/// Adds to the sums of a day.
pub(super) async fn add(
    connection: &mut SqliteConnection,
    series: i64,
    day: Day,
    more: &Sums,
) -> Result<(), StoreError> {
    let find = "select series_id, day, scores, sum, squares, passed, decided, bins from score_day \
                where series_id = $1 and day = $2";
    let found: Option<DayRow> =
        sqlx::query_as(find).bind(series).bind(day.0).fetch_optional(&mut *connection).await?;
    let mut sums = found.map(|row| row.sums()).transpose()?.unwrap_or_default();
    sums.add(more);
    let sql = "insert into score_day (series_id, day, scores, sum, squares, passed, decided, bins) \
               values ($1, $2, $3, $4, $5, $6, $7, $8) \
               on conflict (series_id, day) do update set scores = excluded.scores, sum = excluded.sum, \
                   squares = excluded.squares, passed = excluded.passed, decided = excluded.decided, bins = excluded.bins";
    sqlx::query(sql)
        .bind(series)
        .bind(day.0)
        .bind(stored(sums.count))
        .bind(stored(sums.sum))
        .bind(stored(sums.squares))
        .bind(stored(sums.passed))
        .bind(stored(sums.decided))
        .bind(serde_json::to_string(&sums.bins).map_err(|error| StoreError::corrupt(error.to_string()))?)
        .execute(&mut *connection)
        .await?;
    Ok(())
}

/// A count as the database keeps it.
fn stored(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

const SERIES: &str = "select s.id, s.dimension, s.corpus, s.system, j.fingerprint \
     from score_series s join scoring_judge j on j.id = s.judge_id where s.project_id = $1 order by s.id";

const DAYS: &str = "select d.series_id, d.day, d.scores, d.sum, d.squares, d.passed, d.decided, d.bins \
     from score_series s join score_day d on d.series_id = s.id \
     where s.project_id = $1 and d.day >= $2 order by d.series_id, d.day";

/// The scores of conversations that are sealed to a person. A desk holds few, and production has millions: the order and the index are
/// said, since the database would begin with the days.
const SEALED: &str = "select s.series_id, s.day, s.parts, s.passed \
     from assignment a cross join conversation c on c.id = a.conversation_id \
     cross join score s indexed by score_by_conversation on s.project_id = c.project_id and s.conversation = c.external_id and s.conversation is not null \
     where a.user_id = $2 and a.state = 'open' and c.project_id = $1 and s.day >= $3";

impl Store {
    /// The sums of a project's days since `from`, without the scores of conversations that are sealed to the viewer: those are few, and are
    /// taken away from the sums.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn scored_series(
        &self,
        project: ProjectId,
        from: Day,
        viewer: Viewer,
    ) -> Result<Vec<ScoredSeries>, StoreError> {
        let mut snapshot = self.snapshot().await?;
        let series: Vec<(i64, String, String, String, String)> =
            sqlx::query_as(SERIES).bind(project).fetch_all(&mut *snapshot).await?;
        let rows: Vec<DayRow> =
            sqlx::query_as(DAYS).bind(project).bind(from.0).fetch_all(&mut *snapshot).await?;
        let mut sealed: HashMap<(i64, i32), Sums> = HashMap::new();
        if let Some(user) = viewer.user() {
            let scores: Vec<(i64, i32, u32, Option<bool>)> = sqlx::query_as(SEALED)
                .bind(project)
                .bind(user)
                .bind(from.0)
                .fetch_all(&mut *snapshot)
                .await?;
            for (series, day, parts, passed) in scores {
                let share = ScaleShare::of_parts(parts).ok_or_else(|| off_range(parts))?;
                sealed.entry((series, day)).or_default().add(&Sums::of(share, passed));
            }
        }
        let mut days: BTreeMap<i64, Vec<(Day, Sums)>> = BTreeMap::new();
        for row in rows {
            let mut sums = row.sums()?;
            if let Some(sealed) = sealed.get(&(row.series_id, row.day)) {
                sums.take_away(sealed);
            }
            if sums.count > 0 {
                days.entry(row.series_id).or_default().push((Day(row.day), sums));
            }
        }
        let named = |(id, dimension, corpus, system, fingerprint)| {
            let days = days.remove(&id)?;
            Some(ScoredSeries { dimension, corpus, system, fingerprint, days })
        };
        Ok(series.into_iter().filter_map(named).collect())
    }

    /// The judges that score production.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn scoring_judges(&self, project: ProjectId) -> Result<Vec<ScoringJudge>, StoreError> {
        let sql = "select fingerprint, judge, version, reported_model from scoring_judge \
                   where project_id = $1 order by id";
        let rows: Vec<(String, String, String, Option<String>)> =
            sqlx::query_as(sql).bind(project).fetch_all(self.read()).await?;
        let judge = |(fingerprint, judge, version, reported_model)| ScoringJudge {
            fingerprint,
            judge,
            version,
            reported_model,
        };
        Ok(rows.into_iter().map(judge).collect())
    }

    /// The conversations with the lowest scores of the days from `from` through `through`, each with its lowest, lowest first; those that
    /// are sealed to the viewer are left out.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn worst_scores(
        &self,
        project: ProjectId,
        (from, through): (Day, Day),
        most: usize,
        viewer: Viewer,
    ) -> Result<Vec<WorstScore>, StoreError> {
        // Day by day: the index gives the lowest of each, and nothing else is read.
        let sql = "select s.conversation, exists (select 1 from conversation c \
                           where c.project_id = s.project_id and c.external_id = s.conversation), \
                       r.dimension, r.corpus, s.parts, s.excerpt, s.scored_at \
                   from score s join score_series r on r.id = s.series_id \
                   where s.project_id = $1 and s.day = $2 and s.conversation is not null and not exists ( \
                       select 1 from conversation c join assignment sealed on sealed.conversation_id = c.id \
                       where c.project_id = s.project_id and c.external_id = s.conversation \
                           and sealed.user_id = $3 and sealed.state = 'open') \
                   order by s.parts limit $4";
        let mut found: Vec<WorstScore> = Vec::new();
        // A conversation is scored on several dimensions.
        let read = i64::try_from(most.saturating_mul(8)).unwrap_or(i64::MAX);
        for day in from.0..=through.0 {
            type Row = (String, bool, String, String, u32, Option<String>, Timestamp);
            let rows: Vec<Row> = sqlx::query_as(sql)
                .bind(project)
                .bind(day)
                .bind(viewer.user())
                .bind(read)
                .fetch_all(self.read())
                .await?;
            for (conversation, is_imported, dimension, corpus, parts, excerpt, at) in rows {
                let share = ScaleShare::of_parts(parts).ok_or_else(|| off_range(parts))?;
                found.push(WorstScore {
                    conversation,
                    is_imported,
                    dimension,
                    corpus,
                    share,
                    excerpt,
                    at: at.time()?,
                });
            }
        }
        found.sort_by(|a, b| (a.share, b.at, &a.conversation).cmp(&(b.share, a.at, &b.conversation)));
        let mut seen = std::collections::HashSet::new();
        found.retain(|score| seen.insert(score.conversation.clone()));
        found.truncate(most);
        Ok(found)
    }
}

fn off_range(parts: u32) -> StoreError {
    StoreError::corrupt(format!("a score of {parts} hundred-thousandths"))
}
