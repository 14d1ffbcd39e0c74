mod group_commit;
mod save;

pub(crate) use group_commit::SaveQueue;
pub(crate) use save::check_finite;
pub use save::{NewLabel, Saved};

use crate::{
    AnnotatorId, ConversationId, LabelId, ProjectId, Store, StoreError, UserId, Viewer, seal::unsealed,
    texts::Texts, timestamp::Timestamp,
};
use domain::Unit;
use futures_util::TryStreamExt;
use sqlx::{Row as _, SqliteConnection, sqlite::SqliteRow};
use std::{collections::HashMap, sync::Arc};
use time::OffsetDateTime;

/// A person's last word on a unit and a criterion.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnLabel {
    /// Identity, to be superseded.
    pub id: LabelId,
    /// Of which unit.
    pub unit: Unit,
    /// On which criterion.
    pub criterion: String,
    /// Which deliberate repeat.
    pub pass: u32,
    /// The value; `None` where it was withdrawn.
    pub value: Option<f64>,
    /// A remark.
    pub comment: Option<String>,
    /// Marked for a second look.
    pub flag: bool,
    /// Given after the seal had opened: no part of agreement.
    pub corrected: bool,
}

/// A label that counts. Names and units are shared between labels.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredLabel {
    /// Name of the annotator.
    pub annotator: Arc<str>,
    /// Of which conversation.
    pub conversation: ConversationId,
    /// Of which unit, in its text form.
    pub unit: Arc<str>,
    /// On which criterion.
    pub criterion: Arc<str>,
    /// Which deliberate repeat.
    pub pass: u32,
    /// The value of the level.
    pub value: f64,
    /// A remark.
    pub comment: Option<String>,
    /// Marked for a second look.
    pub flag: bool,
    /// When it was said, where that is known.
    pub labelled_at: Option<OffsetDateTime>,
}

/// The last labels of user `$1` on conversation `$2`, withdrawn ones too.
macro_rules! own_heads {
    ($condition:literal) => {
        concat!(
            "select l.id, l.unit, l.criterion, l.pass, l.value, l.comment, l.flag, l.corrected \
             from conversation c join annotator a on a.project_id = c.project_id \
             join label l on l.conversation_id = c.id and l.annotator_id = a.id \
             where a.user_id = $1 and c.id = $2 \
             and not exists (select 1 from label later where later.supersedes = l.id)",
            $condition
        )
    };
}
use own_heads;

/// The labels of project `$1` that count and are not sealed to user `$2`.
macro_rules! counted {
    ($condition:literal) => {
        concat!(
            "select l.annotator_id, l.conversation_id, l.unit, l.criterion, l.pass, l.value, l.comment, l.flag, l.labelled_at \
             from counted_label l where l.project_id = $1 and ",
            unsealed!("l.conversation_id", "$2"),
            $condition
        )
    };
}

pub(crate) const OWN_LABELS: &str = own_heads!(" and l.pass = $3 order by l.id");
pub(crate) const LABELS: &str = counted!("");
pub(crate) const LABELS_OF_CRITERION: &str = counted!(" and l.criterion = $3");

#[derive(sqlx::FromRow)]
struct OwnRow {
    id: LabelId,
    unit: String,
    criterion: String,
    pass: u32,
    value: Option<f64>,
    comment: Option<String>,
    flag: bool,
    corrected: bool,
}

impl TryFrom<OwnRow> for OwnLabel {
    type Error = StoreError;

    fn try_from(row: OwnRow) -> Result<OwnLabel, StoreError> {
        Ok(OwnLabel {
            id: row.id,
            unit: stored_unit(&row.unit)?,
            criterion: row.criterion,
            pass: row.pass,
            value: row.value,
            comment: row.comment,
            flag: row.flag,
            corrected: row.corrected,
        })
    }
}

/// A unit as the database writes it.
pub(crate) fn stored_unit(text: &str) -> Result<Unit, StoreError> {
    text.parse().map_err(|error: domain::UnitError| StoreError::corrupt(error.to_string()))
}

/// The names of the annotators of a project.
async fn annotator_names(
    connection: &mut SqliteConnection,
    project: ProjectId,
) -> Result<HashMap<AnnotatorId, Arc<str>>, StoreError> {
    let rows: Vec<(AnnotatorId, String)> =
        sqlx::query_as("select id, name from annotator where project_id = $1")
            .bind(project)
            .fetch_all(connection)
            .await?;
    Ok(rows.into_iter().map(|(id, name)| (id, name.into())).collect())
}

fn stored_label(
    row: &SqliteRow,
    names: &HashMap<AnnotatorId, Arc<str>>,
    texts: &mut Texts,
) -> Result<StoredLabel, StoreError> {
    let annotator = names
        .get(&row.try_get(0)?)
        .ok_or_else(|| StoreError::corrupt("a label under an annotator of another project"))?;
    Ok(StoredLabel {
        annotator: annotator.clone(),
        conversation: row.try_get(1)?,
        unit: texts.shared(row.try_get(2)?),
        criterion: texts.shared(row.try_get(3)?),
        pass: row.try_get(4)?,
        value: row.try_get(5)?,
        comment: row.try_get(6)?,
        flag: row.try_get(7)?,
        labelled_at: row.try_get::<Option<Timestamp>, _>(8)?.map(Timestamp::time).transpose()?,
    })
}

impl Store {
    /// What a person said of a conversation so far in one pass: the last label of each unit and criterion, withdrawn ones without a value.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn own_labels(
        &self,
        user: UserId,
        conversation: ConversationId,
        pass: u32,
    ) -> Result<Vec<OwnLabel>, StoreError> {
        let own = sqlx::query_as(OWN_LABELS).bind(user).bind(conversation).bind(pass);
        let rows: Vec<OwnRow> = own.fetch_all(self.read()).await?;
        rows.into_iter().map(OwnLabel::try_from).collect()
    }

    /// The labels of a project, or of one of its criteria, that count and are not sealed to the viewer, in no particular order.
    /// What a user gave counts once the user has submitted the conversation; what was imported always.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn labels(
        &self,
        project: ProjectId,
        criterion: Option<&str>,
        viewer: Viewer,
    ) -> Result<Vec<StoredLabel>, StoreError> {
        let mut snapshot = self.snapshot().await?;
        let names = annotator_names(&mut snapshot, project).await?;
        let mut texts = Texts::default();
        let query = match criterion {
            None => sqlx::query(LABELS),
            Some(_) => sqlx::query(LABELS_OF_CRITERION),
        };
        let mut rows = query.bind(project).bind(viewer.user()).bind(criterion).fetch(&mut *snapshot);
        let mut labels = Vec::new();
        while let Some(row) = rows.try_next().await? {
            labels.push(stored_label(&row, &names, &mut texts)?);
        }
        Ok(labels)
    }
}

#[cfg(test)]
mod tests;
