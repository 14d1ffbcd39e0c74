mod declare;

pub use declare::DeclaredVersion;
pub(crate) use declare::judge_named;

use crate::{
    JudgeId, JudgeVersionId, ProjectId, Store, StoreError, Viewer, seal::unsealed, timestamp::Timestamp,
};
use domain::Declaration;
use std::collections::HashMap;
use time::OffsetDateTime;

/// A judge with its versions.
#[derive(Clone, Debug, PartialEq)]
pub struct Judge {
    /// Identity.
    pub id: JudgeId,
    /// Name, unique in the project.
    pub name: String,
    /// Its versions, last made first.
    pub versions: Vec<JudgeVersion>,
}

/// What was declared as one version of a judge, and what answered for it.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgeVersion {
    /// Identity.
    pub id: JudgeVersionId,
    /// The version as files name it.
    pub version: String,
    /// What was declared.
    pub declared: serde_json::Value,
    /// When it was made.
    pub created_at: OffsetDateTime,
    /// The instruments that answered for it; more than one: mixed.
    pub fingerprints: Vec<Fingerprint>,
}

impl JudgeVersion {
    /// What was declared here; none where its verdicts came as a file.
    #[must_use]
    pub fn declaration(&self) -> Option<Declaration> {
        serde_json::from_value(self.declared.get("declaration")?.clone()).ok()
    }

    /// Whether it is a baseline without a model, which every other judge must beat.
    #[must_use]
    pub fn is_baseline(&self) -> bool {
        self.declaration().is_some_and(|declared| declared.model().is_none())
    }
}

/// One instrument: a judge version as one model version that the provider reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// Hash that verdicts carry.
    pub hash: String,
    /// The model that was asked for.
    pub model: Option<String>,
    /// The model version that the provider reported.
    pub reported_model: Option<String>,
}

/// How much a judge version said on a criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriterionVerdicts {
    /// Id of the criterion.
    pub criterion: String,
    /// Verdicts, failures included.
    pub verdicts: u64,
    /// Of them, instrument failures.
    pub failures: u64,
}

const VERSIONS: &str = "select j.id as judge_id, j.name, v.id, v.version, v.declared, v.created_at \
     from judge j join judge_version v on v.judge_id = j.id \
     where j.project_id = $1 order by j.name, v.created_at desc, v.id desc";

const FINGERPRINTS: &str = "select f.judge_version_id, f.hash, f.model, f.reported_model \
     from judge j join judge_version v on v.judge_id = j.id join fingerprint f on f.judge_version_id = v.id \
     where j.project_id = $1 order by f.id";

const COUNTS: &str = concat!(
    "select d.judge_version_id, d.criterion, count(*), count(d.failure) \
     from judge j join judge_version v on v.judge_id = j.id join verdict d on d.judge_version_id = v.id \
     where j.project_id = $1 and ",
    unsealed!("d.conversation_id", "$2"),
    " group by d.judge_version_id, d.criterion order by d.judge_version_id, d.criterion"
);

#[derive(sqlx::FromRow)]
struct VersionRow {
    judge_id: JudgeId,
    name: String,
    id: JudgeVersionId,
    version: String,
    declared: String,
    created_at: Timestamp,
}

impl Store {
    /// The instruments of a project: judge, version, and what answered for it; none yet where nothing has.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn instruments(
        &self,
        project: ProjectId,
    ) -> Result<Vec<(String, String, Option<Fingerprint>)>, StoreError> {
        let sql = "select j.name, v.version, f.hash, f.model, f.reported_model \
                   from judge j join judge_version v on v.judge_id = j.id left join fingerprint f on f.judge_version_id = v.id \
                   where j.project_id = $1 order by j.name, v.created_at, v.id, f.id";
        type Row = (String, String, Option<String>, Option<String>, Option<String>);
        let rows: Vec<Row> = sqlx::query_as(sql).bind(project).fetch_all(self.read()).await?;
        let instrument = |(judge, version, hash, model, reported_model): Row| {
            (judge, version, hash.map(|hash| Fingerprint { hash, model, reported_model }))
        };
        Ok(rows.into_iter().map(instrument).collect())
    }

    /// The judges of a project by name, with their versions. No verdict is read for it.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn judges(&self, project: ProjectId) -> Result<Vec<Judge>, StoreError> {
        let mut snapshot = self.snapshot().await?;
        let versions: Vec<VersionRow> =
            sqlx::query_as(VERSIONS).bind(project).fetch_all(&mut *snapshot).await?;
        let seen: Vec<(JudgeVersionId, String, Option<String>, Option<String>)> =
            sqlx::query_as(FINGERPRINTS).bind(project).fetch_all(&mut *snapshot).await?;
        let mut fingerprints: HashMap<JudgeVersionId, Vec<Fingerprint>> = HashMap::new();
        for (version, hash, model, reported_model) in seen {
            fingerprints.entry(version).or_default().push(Fingerprint { hash, model, reported_model });
        }
        let mut judges: Vec<Judge> = Vec::new();
        for row in versions {
            let version = JudgeVersion {
                fingerprints: fingerprints.remove(&row.id).unwrap_or_default(),
                id: row.id,
                version: row.version,
                declared: serde_json::from_str(&row.declared).map_err(|error| {
                    StoreError::corrupt(format!("a judge version that cannot be read ({error})"))
                })?,
                created_at: row.created_at.time()?,
            };
            match judges.last_mut() {
                Some(judge) if judge.id == row.judge_id => judge.versions.push(version),
                _ => judges.push(Judge { id: row.judge_id, name: row.name, versions: vec![version] }),
            }
        }
        Ok(judges)
    }

    /// How much each judge version of a project said, by criterion, without what is sealed to the viewer. Every verdict is read for it.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn verdict_counts(
        &self,
        project: ProjectId,
        viewer: Viewer,
    ) -> Result<HashMap<JudgeVersionId, Vec<CriterionVerdicts>>, StoreError> {
        let rows: Vec<(JudgeVersionId, String, i64, i64)> =
            sqlx::query_as(COUNTS).bind(project).bind(viewer.user()).fetch_all(self.read()).await?;
        let mut counts: HashMap<JudgeVersionId, Vec<CriterionVerdicts>> = HashMap::new();
        for (version, criterion, verdicts, failures) in rows {
            let (verdicts, failures) = (verdicts.unsigned_abs(), failures.unsigned_abs());
            counts.entry(version).or_default().push(CriterionVerdicts { criterion, verdicts, failures });
        }
        Ok(counts)
    }
}

#[cfg(test)]
mod tests;
