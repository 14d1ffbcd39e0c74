use crate::{ProjectId, Store, StoreError, Viewer, seal::unsealed, timestamp::Timestamp};
use domain::{ProjectFigures, Rubric, Verdict};
use sqlx::SqliteConnection;

/// Counts of project `$1` for user `$2`, to whom open assignments seal what hangs on labels and verdicts.
pub(crate) const COUNTS: &str = concat!(
    "with said as (\
         select l.conversation_id, l.annotator_id, count(*) as labels \
         from counted_label l where l.project_id = $1 and ",
    unsealed!("l.conversation_id", "$2"),
    "    group by l.conversation_id, l.annotator_id), \
     labelled as (\
         select conversation_id, count(*) as annotators, sum(labels) as labels from said group by conversation_id), \
     judged as (\
         select d.judge_version_id, count(*) as verdicts, count(d.failure) as failures \
         from judge j join judge_version v on v.judge_id = j.id join verdict d on d.judge_version_id = v.id \
         where j.project_id = $1 and ",
    unsealed!("d.conversation_id", "$2"),
    "    group by d.judge_version_id) \
     select p.name, p.overlap, \
         (select count(*) from conversation where project_id = $1) as conversations, \
         (select count(*) from labelled) as labelled_once, \
         (select count(*) from labelled where annotators >= 2) as labelled_twice, \
         (select coalesce(sum(labels), 0) from labelled) as labels, \
         (select count(distinct annotator_id) from said) as annotators, \
         (select count(*) from assignment where project_id = $1 and state = 'open') as assignments_open, \
         (select count(*) from assignment where project_id = $1 and state = 'submitted') as assignments_submitted, \
         (select count(*) from judged) as judge_versions, \
         (select coalesce(sum(verdicts), 0) from judged) as verdicts, \
         (select coalesce(sum(failures), 0) from judged) as failures, \
         (select count(*) from anchor_set where project_id = $1) as anchor_sets \
     from project p where p.id = $1"
);

/// The references of project `$1` that were stored last, counted without those that are sealed to user `$2`.
pub(crate) const REFERENCES: &str = concat!(
    "select (select count(*) from reference r where r.reference_set_id = s.id and ",
    unsealed!("r.conversation_id", "$2"),
    "), s.rule from reference_set s where s.project_id = $1 order by s.id desc limit 1"
);

#[derive(sqlx::FromRow)]
struct Counts {
    name: String,
    overlap: u32,
    conversations: i64,
    labelled_once: i64,
    labelled_twice: i64,
    labels: i64,
    annotators: i64,
    assignments_open: i64,
    assignments_submitted: i64,
    judge_versions: i64,
    verdicts: i64,
    failures: i64,
    anchor_sets: i64,
}

impl Store {
    /// The state of a project's loop. What hangs on labels and verdicts leaves out the conversations that are sealed to the viewer.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub async fn project_figures(
        &self,
        project: ProjectId,
        viewer: Viewer,
    ) -> Result<ProjectFigures, StoreError> {
        let mut snapshot = self.snapshot().await?;
        let counts: Option<Counts> =
            sqlx::query_as(COUNTS).bind(project).bind(viewer.user()).fetch_optional(&mut *snapshot).await?;
        let counts = counts.ok_or_else(|| StoreError::not_found("such project"))?;
        let references: Option<(i64, String)> = sqlx::query_as(REFERENCES)
            .bind(project)
            .bind(viewer.user())
            .fetch_optional(&mut *snapshot)
            .await?;
        let (rubric, criteria) = rubric(&mut snapshot, project).await?;
        Ok(ProjectFigures {
            project: counts.name,
            conversations: counts.conversations.unsigned_abs(),
            labelled_once: counts.labelled_once.unsigned_abs(),
            labelled_twice: counts.labelled_twice.unsigned_abs(),
            labels: counts.labels.unsigned_abs(),
            annotators: counts.annotators.unsigned_abs(),
            overlap: counts.overlap,
            assignments_open: counts.assignments_open.unsigned_abs(),
            assignments_submitted: counts.assignments_submitted.unsigned_abs(),
            rubric,
            criteria,
            judge_versions: counts.judge_versions.unsigned_abs(),
            verdicts: counts.verdicts.unsigned_abs(),
            failures: counts.failures.unsigned_abs(),
            references: references.map(|(count, rule)| (count.unsigned_abs(), rule)),
            anchor_sets: counts.anchor_sets.unsigned_abs(),
            last_decision: last_decision(&mut snapshot, project).await?,
        })
    }
}

/// The published rubric as `name@version`, and how many criteria it has.
async fn rubric(
    connection: &mut SqliteConnection,
    project: ProjectId,
) -> Result<(Option<String>, u64), StoreError> {
    let sql = "select body from rubric_version where project_id = $1 \
               order by published_at desc, id desc limit 1";
    let body: Option<String> = sqlx::query_scalar(sql).bind(project).fetch_optional(connection).await?;
    let Some(body) = body else { return Ok((None, 0)) };
    let rubric: Rubric = serde_json::from_str(&body)
        .map_err(|error| StoreError::corrupt(format!("a rubric that cannot be read ({error})")))?;
    Ok((Some(format!("{}@{}", rubric.name, rubric.version)), rubric.criteria.len() as u64))
}

async fn last_decision(
    connection: &mut SqliteConnection,
    project: ProjectId,
) -> Result<Option<(Verdict, String, String)>, StoreError> {
    let sql = "select outcome, candidate, decided_at from decision where project_id = $1 \
               order by decided_at desc, id desc limit 1";
    let row: Option<(String, String, Timestamp)> =
        sqlx::query_as(sql).bind(project).fetch_optional(connection).await?;
    row.map(|(outcome, candidate, decided_at)| {
        Ok((stored_verdict(&outcome)?, candidate, decided_at.time()?.date().to_string()))
    })
    .transpose()
}

pub(crate) fn stored_verdict(word: &str) -> Result<Verdict, StoreError> {
    match word {
        "promote" => Ok(Verdict::Promote),
        "hold" => Ok(Verdict::Hold),
        "inconclusive" => Ok(Verdict::Inconclusive),
        _ => Err(StoreError::corrupt(format!("`{word}`, which is no decision"))),
    }
}

#[cfg(test)]
mod tests;
