use crate::{
    ConversationId, ProjectId, ReferenceSetId, Store, StoreError, Viewer, error::OnUnique,
    label::stored_unit, seal::unsealed, timestamp::Timestamp,
};
use domain::{ContentHash, Provenance, ReferenceRule, Unit};
use sqlx::{QueryBuilder, Sqlite};
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
}

/// References that were built by one rule at one time, to be stored.
#[derive(Clone, Copy, Debug)]
pub struct NewReferenceSet<'a> {
    /// The rule.
    pub rule: ReferenceRule,
    /// Whose labels; empty: everyone's.
    pub annotators: &'a [String],
    /// Hash of the labels behind them.
    pub data_hash: &'a ContentHash,
    /// The references, one for each item.
    pub references: &'a [ReferenceRow],
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
        for reference in set.references {
            crate::label::check_finite(Some(reference.value))?;
        }
        let id = ReferenceSetId::new(now);
        let annotators = serde_json::Value::from(set.annotators).to_string();
        let mut transaction = self.write().await?;
        let sql = "insert into reference_set (id, project_id, rule, annotators, data_hash, built_at) \
                   values ($1, $2, $3, $4, $5, $6)";
        sqlx::query(sql)
            .bind(id)
            .bind(project)
            .bind(set.rule.word())
            .bind(annotators)
            .bind(&set.data_hash.0)
            .bind(Timestamp::from(now))
            .execute(&mut *transaction)
            .await?;
        for batch in set.references.chunks(BATCH) {
            insert(id, batch)
                .build()
                .execute(&mut *transaction)
                .await
                .on_unique(|| "an item has two references: build the references again".to_owned())?;
        }
        transaction.commit().await?;
        Ok(id)
    }

    /// The references of a project that were built last, without their values.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn latest_reference_set(&self, project: ProjectId) -> Result<Option<ReferenceSet>, StoreError> {
        type Row = (ReferenceSetId, String, String, String, Timestamp);
        let sql = "select id, rule, annotators, data_hash, built_at from reference_set \
                   where project_id = $1 order by built_at desc, id desc limit 1";
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

    /// The values of a set that are not sealed to the viewer, by conversation.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn references(
        &self,
        set: ReferenceSetId,
        viewer: Viewer,
    ) -> Result<Vec<ReferenceRow>, StoreError> {
        type Row = (ConversationId, String, String, f64, String);
        let sql = concat!(
            "select r.conversation_id, r.unit, r.criterion, r.value, r.provenance from reference r \
             where r.reference_set_id = $1 and ",
            unsealed!("r.conversation_id", "$2"),
            " order by r.conversation_id, r.criterion, r.unit"
        );
        let rows: Vec<Row> = sqlx::query_as(sql).bind(set).bind(viewer.user()).fetch_all(self.read()).await?;
        rows.into_iter()
            .map(|(conversation, unit, criterion, value, provenance)| {
                let unit = stored_unit(&unit)?;
                let provenance = provenance.parse().map_err(StoreError::corrupt)?;
                Ok(ReferenceRow { conversation, unit, criterion, value, provenance })
            })
            .collect()
    }
}

fn insert(set: ReferenceSetId, batch: &[ReferenceRow]) -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new(
        "insert into reference (reference_set_id, conversation_id, criterion, unit, value, provenance) ",
    );
    query.push_values(batch, |mut row, reference| {
        row.push_bind(set)
            .push_bind(reference.conversation)
            .push_bind(&reference.criterion)
            .push_bind(reference.unit.to_string())
            .push_bind(reference.value)
            .push_bind(reference.provenance.word());
    });
    query
}

#[cfg(test)]
mod tests;
