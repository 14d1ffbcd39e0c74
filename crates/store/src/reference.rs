use crate::{
    AdjudicationId, ConversationId, ProjectId, ReferenceSetId, RubricVersionId, Store, StoreError, Viewer,
    adjudication::{stored_labels, written_labels},
    error::OnUnique,
    label::stored_unit,
    seal::unsealed,
    timestamp::Timestamp,
};
use domain::{
    ContentHash, Decided, Provenance, ReferenceEntry, ReferenceFile, ReferenceRule, SeenLabel, Unit,
};
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};
use time::OffsetDateTime;

/// The agreed human value of an item.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceRow {
    /// The conversation.
    pub conversation: ConversationId,
    /// The unit.
    pub unit: Unit,
    /// The criterion.
    pub criterion: String,
    /// The value.
    pub value: f64,
    /// Where it comes from.
    pub provenance: Provenance,
    /// The labels that it was made of, by annotator.
    pub labels: Vec<SeenLabel>,
    /// The decision, where there was one.
    pub adjudication: Option<AdjudicationId>,
}

/// References that were built by one rule at one time, to be stored.
#[derive(Clone, Copy, Debug)]
pub struct NewReferenceSet<'a> {
    /// The rule.
    pub rule: ReferenceRule,
    /// Whose labels; empty: everyone's.
    pub annotators: &'a [String],
    /// The rubric version in force.
    pub rubric_version: RubricVersionId,
    /// Hash of the labels behind them.
    pub data_hash: &'a ContentHash,
    /// The references, one for each item.
    pub references: &'a [ReferenceRow],
    /// When they were built.
    pub built_at: OffsetDateTime,
}

/// References that were built by one rule at one time, without their values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceSet {
    /// Identity.
    pub id: ReferenceSetId,
    /// The rule.
    pub rule: ReferenceRule,
    /// Whose labels; empty: everyone's.
    pub annotators: Vec<String>,
    /// Hash of the labels behind them.
    pub data_hash: ContentHash,
    /// When they were built.
    pub built_at: OffsetDateTime,
}

/// The references of set `$1` that are not sealed to user `$2`, each with its decision.
const ENTRIES: &str = concat!(
    "select c.external_id, r.unit, r.criterion, r.labels, r.value, r.provenance, \
         a.decided_by, a.decided_at, a.reason, a.note, v.name || '@' || v.version as rubric \
     from reference r join conversation c on c.id = r.conversation_id \
     left join adjudication a on a.id = r.adjudication_id left join rubric_version v on v.id = a.rubric_version_id \
     where r.reference_set_id = $1 and ",
    unsealed!("r.conversation_id", "$2"),
    " order by c.external_id, r.criterion, r.unit"
);

#[derive(sqlx::FromRow)]
struct EntryRow {
    external_id: String,
    unit: String,
    criterion: String,
    labels: String,
    value: f64,
    provenance: String,
    decided_by: Option<String>,
    decided_at: Option<Timestamp>,
    reason: Option<String>,
    note: Option<String>,
    rubric: Option<String>,
}

impl TryFrom<EntryRow> for ReferenceEntry {
    type Error = StoreError;

    fn try_from(row: EntryRow) -> Result<ReferenceEntry, StoreError> {
        let adjudicated = match (row.decided_by, row.decided_at, row.reason, row.note, row.rubric) {
            (Some(by), Some(at), Some(reason), Some(note), Some(rubric)) => {
                let reason = reason.parse().map_err(StoreError::corrupt)?;
                Some(Decided { by, at: at.time()?, reason, note, rubric })
            }
            _ => None,
        };
        Ok(ReferenceEntry {
            conversation: row.external_id,
            unit: stored_unit(&row.unit)?,
            criterion: row.criterion,
            labels: stored_labels(&row.labels)?,
            reference: row.value,
            provenance: row.provenance.parse().map_err(StoreError::corrupt)?,
            adjudicated,
        })
    }
}

/// Rows of one statement.
const BATCH: usize = 500;

impl Store {
    /// Stores references that were built together, all of them or none.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] where an item stands twice, [`StoreError::Invalid`] for a value that is no number.
    pub async fn save_references(
        &self,
        project: ProjectId,
        set: &NewReferenceSet<'_>,
        now: OffsetDateTime,
    ) -> Result<ReferenceSetId, StoreError> {
        let mut transaction = self.write().await?;
        let id = save(&mut transaction, project, set, now).await?;
        transaction.commit().await?;
        Ok(id)
    }

    /// The references of a project that were stored last, without their values.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn latest_reference_set(&self, project: ProjectId) -> Result<Option<ReferenceSet>, StoreError> {
        type Row = (ReferenceSetId, String, String, String, Timestamp);
        let sql = "select id, rule, annotators, data_hash, built_at from reference_set \
                   where project_id = $1 order by id desc limit 1";
        let row: Option<Row> = sqlx::query_as(sql).bind(project).fetch_optional(self.read()).await?;
        let Some((id, rule, annotators, data_hash, built_at)) = row else { return Ok(None) };
        Ok(Some(ReferenceSet {
            id,
            rule: rule.parse().map_err(StoreError::corrupt)?,
            annotators: serde_json::from_str(&annotators)
                .map_err(|error| StoreError::corrupt(format!("annotators that are no list ({error})")))?,
            data_hash: ContentHash(data_hash),
            built_at: built_at.time()?,
        }))
    }

    /// The references of a project that were stored last, with all that they were made of, by conversation, criterion and unit. What is
    /// sealed to the viewer is left out.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where none were built, or were by a version that did not keep what they were made of.
    pub async fn reference_file(
        &self,
        project: ProjectId,
        viewer: Viewer,
    ) -> Result<ReferenceFile, StoreError> {
        let missing = || {
            StoreError::not_found(
                "references that can be taken elsewhere in this project: build them with `touchstone reference build`",
            )
        };
        let set = self.latest_reference_set(project).await?.ok_or_else(missing)?;
        let sql = "select r.name || '@' || r.version from reference_set s \
                   join rubric_version r on r.id = s.rubric_version_id where s.id = $1";
        let rubric: Option<String> = sqlx::query_scalar(sql).bind(set.id).fetch_optional(self.read()).await?;
        let rows: Vec<EntryRow> =
            sqlx::query_as(ENTRIES).bind(set.id).bind(viewer.user()).fetch_all(self.read()).await?;
        Ok(ReferenceFile {
            format: ReferenceFile::FORMAT,
            rule: set.rule,
            annotators: set.annotators,
            rubric: rubric.ok_or_else(missing)?,
            data_hash: set.data_hash,
            built_at: set.built_at,
            references: rows.into_iter().map(ReferenceEntry::try_from).collect::<Result<_, _>>()?,
        })
    }

    /// The values of a set that are not sealed to the viewer, by conversation.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn references(
        &self,
        set: ReferenceSetId,
        viewer: Viewer,
    ) -> Result<Vec<ReferenceRow>, StoreError> {
        type Row = (ConversationId, String, String, f64, String, String, Option<AdjudicationId>);
        let sql = concat!(
            "select r.conversation_id, r.unit, r.criterion, r.value, r.provenance, r.labels, r.adjudication_id \
             from reference r where r.reference_set_id = $1 and ",
            unsealed!("r.conversation_id", "$2"),
            " order by r.conversation_id, r.criterion, r.unit"
        );
        let rows: Vec<Row> = sqlx::query_as(sql).bind(set).bind(viewer.user()).fetch_all(self.read()).await?;
        rows.into_iter()
            .map(|(conversation, unit, criterion, value, provenance, labels, adjudication)| {
                let unit = stored_unit(&unit)?;
                let provenance = provenance.parse().map_err(StoreError::corrupt)?;
                let labels = stored_labels(&labels)?;
                Ok(ReferenceRow { conversation, unit, criterion, value, provenance, labels, adjudication })
            })
            .collect()
    }
}

/// [`Store::save_references`] within a transaction.
pub(crate) async fn save(
    connection: &mut SqliteConnection,
    project: ProjectId,
    set: &NewReferenceSet<'_>,
    now: OffsetDateTime,
) -> Result<ReferenceSetId, StoreError> {
    let id = ReferenceSetId::new(now);
    let annotators = serde_json::Value::from(set.annotators).to_string();
    let sql = "insert into reference_set (id, project_id, rule, annotators, data_hash, built_at, rubric_version_id) \
               values ($1, $2, $3, $4, $5, $6, $7)";
    sqlx::query(sql)
        .bind(id)
        .bind(project)
        .bind(set.rule.word())
        .bind(annotators)
        .bind(&set.data_hash.0)
        .bind(Timestamp::from(set.built_at))
        .bind(set.rubric_version)
        .execute(&mut *connection)
        .await?;
    for batch in set.references.chunks(BATCH) {
        let labels: Result<Vec<String>, StoreError> =
            batch.iter().map(|reference| written_labels(&reference.labels)).collect();
        for reference in batch {
            crate::label::check_finite(Some(reference.value))?;
        }
        insert(id, batch, &labels?)
            .build()
            .execute(&mut *connection)
            .await
            .on_unique(|| "an item has two references: build the references again".to_owned())?;
    }
    Ok(id)
}

fn insert(set: ReferenceSetId, batch: &[ReferenceRow], labels: &[String]) -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new(
        "insert into reference (reference_set_id, conversation_id, criterion, unit, value, provenance, labels, \
             adjudication_id) ",
    );
    query.push_values(batch.iter().zip(labels), |mut row, (reference, labels)| {
        row.push_bind(set)
            .push_bind(reference.conversation)
            .push_bind(&reference.criterion)
            .push_bind(reference.unit.to_string())
            .push_bind(reference.value)
            .push_bind(reference.provenance.word())
            .push_bind(labels.clone())
            .push_bind(reference.adjudication);
    });
    query
}

#[cfg(test)]
mod tests;
