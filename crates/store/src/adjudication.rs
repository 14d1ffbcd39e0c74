mod decide;
mod import;

pub use decide::{Adjudicated, NewAdjudication};

use crate::{
    AdjudicationId, ConversationId, ProjectId, Store, StoreError, Viewer, label::stored_unit, seal::unsealed,
    timestamp::Timestamp,
};
use domain::{Adjudication, Item, ItemLabel, SeenLabel};
use sqlx::SqliteConnection;

/// A decision on an item that nothing has replaced.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredAdjudication {
    /// Identity.
    pub id: AdjudicationId,
    /// The decision.
    pub adjudication: Adjudication,
}

/// The decisions of which the rest of the query says more.
macro_rules! adjudications {
    ($rest:expr) => {
        concat!(
            "select a.id, c.external_id, a.unit, a.criterion, a.value, a.reason, a.note, a.labels, \
                 r.name || '@' || r.version as rubric, a.decided_by, a.decided_at \
             from adjudication a join conversation c on c.id = a.conversation_id \
             join rubric_version r on r.id = a.rubric_version_id where ",
            $rest
        )
    };
}

/// The decisions of project `$1` that nothing has replaced and that are not sealed to user `$2`.
pub(crate) const HEADS: &str = adjudications!(concat!(
    "a.project_id = $1 and not exists (select 1 from adjudication later where later.supersedes = a.id) and ",
    unsealed!("a.conversation_id", "$2"),
    " order by c.external_id, a.criterion, a.unit"
));

/// All decisions on criterion `$2` of unit `$3` of conversation `$1`, the last one first.
const OF_ITEM: &str = adjudications!(
    "a.conversation_id = $1 and a.criterion = $2 and a.unit = $3 \
     order by exists (select 1 from adjudication later where later.supersedes = a.id), a.id desc"
);

/// The labels that count on criterion `$2` of unit `$3` of conversation `$1` and are not sealed to user `$4`, by annotator.
pub(crate) const LABELS_OF_ITEM: &str = concat!(
    "select n.name, l.value, l.comment, l.flag from counted_label l join annotator n on n.id = l.annotator_id \
     where l.conversation_id = $1 and l.criterion = $2 and l.unit = $3 and l.pass = 0 and ",
    unsealed!("l.conversation_id", "$4"),
    " order by n.name, l.value"
);

#[derive(sqlx::FromRow)]
struct Row {
    id: AdjudicationId,
    external_id: String,
    unit: String,
    criterion: String,
    value: f64,
    reason: String,
    note: String,
    labels: String,
    rubric: String,
    decided_by: String,
    decided_at: Timestamp,
}

impl TryFrom<Row> for StoredAdjudication {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<StoredAdjudication, StoreError> {
        let unit = stored_unit(&row.unit)?;
        let adjudication = Adjudication {
            item: Item { conversation: row.external_id, unit, criterion: row.criterion },
            value: row.value,
            reason: row.reason.parse().map_err(StoreError::corrupt)?,
            note: row.note,
            labels: stored_labels(&row.labels)?,
            rubric: row.rubric,
            by: row.decided_by,
            at: row.decided_at.time()?,
        };
        Ok(StoredAdjudication { id: row.id, adjudication })
    }
}

/// Labels as the database writes them beside what was made of them.
pub(crate) fn stored_labels(text: &str) -> Result<Vec<SeenLabel>, StoreError> {
    serde_json::from_str(text)
        .map_err(|error| StoreError::corrupt(format!("labels that cannot be read ({error})")))
}

/// Labels as the database is to write them.
pub(crate) fn written_labels(labels: &[SeenLabel]) -> Result<String, StoreError> {
    serde_json::to_string(labels)
        .map_err(|error| StoreError::conflict(format!("labels that cannot be stored: {error}")))
}

impl Store {
    /// The decisions of a project that nothing has replaced and that are not sealed to the viewer, by item.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn adjudications(
        &self,
        project: ProjectId,
        viewer: Viewer,
    ) -> Result<Vec<StoredAdjudication>, StoreError> {
        let rows: Vec<Row> =
            sqlx::query_as(HEADS).bind(project).bind(viewer.user()).fetch_all(self.read()).await?;
        rows.into_iter().map(StoredAdjudication::try_from).collect()
    }

    /// The labels that count on an item and are not sealed to the viewer, by annotator.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn labels_of_item(
        &self,
        conversation: ConversationId,
        item: &Item,
        viewer: Viewer,
    ) -> Result<Vec<ItemLabel>, StoreError> {
        labels_of_item(&mut *self.read().acquire().await?, conversation, item, viewer).await
    }
}

async fn labels_of_item(
    connection: &mut SqliteConnection,
    conversation: ConversationId,
    item: &Item,
    viewer: Viewer,
) -> Result<Vec<ItemLabel>, StoreError> {
    let rows: Vec<(String, f64, Option<String>, bool)> = sqlx::query_as(LABELS_OF_ITEM)
        .bind(conversation)
        .bind(&item.criterion)
        .bind(item.unit.to_string())
        .bind(viewer.user())
        .fetch_all(connection)
        .await?;
    let label = |(annotator, value, comment, flag)| ItemLabel {
        label: SeenLabel { annotator, value },
        comment,
        flag,
    };
    Ok(rows.into_iter().map(label).collect())
}

/// All decisions on an item, the one that stands first.
async fn of_item(
    connection: &mut SqliteConnection,
    conversation: ConversationId,
    item: &Item,
) -> Result<Vec<StoredAdjudication>, StoreError> {
    let rows: Vec<Row> = sqlx::query_as(OF_ITEM)
        .bind(conversation)
        .bind(&item.criterion)
        .bind(item.unit.to_string())
        .fetch_all(connection)
        .await?;
    rows.into_iter().map(StoredAdjudication::try_from).collect()
}

#[cfg(test)]
mod tests;
