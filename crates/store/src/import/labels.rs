use super::{Admission, Numbers};
use crate::{
    AnnotatorId, ConversationId, LabelId, ProjectId, RubricVersionId, StoreError, label::check_finite,
    timestamp::Timestamp,
};
use domain::LabelRow;
use futures_util::TryStreamExt;
use sqlx::{QueryBuilder, Row, SqliteConnection};
use std::{cmp::Ordering, collections::HashMap};
use time::OffsetDateTime;

/// Rows after which what was taken is written.
const BATCH: usize = 500;

/// The last labels of a project by their identities, and those that were taken but not written.
#[derive(Debug, Default)]
pub(super) struct Labels {
    annotators: HashMap<String, Annotator>,
    texts: Numbers,
    /// `None` where a user withdrew the label.
    values: HashMap<Identity, Option<f64>>,
    pending_annotators: Vec<(AnnotatorId, String)>,
    pending: Vec<Pending>,
}

#[derive(Clone, Copy, Debug)]
struct Annotator {
    id: AnnotatorId,
    has_account: bool,
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Identity {
    annotator: AnnotatorId,
    conversation: ConversationId,
    unit: u32,
    criterion: u32,
    pass: u32,
}

#[derive(Debug)]
struct Pending {
    id: LabelId,
    conversation: ConversationId,
    annotator: AnnotatorId,
    rubric_version: RubricVersionId,
    unit: String,
    criterion: String,
    pass: u32,
    value: f64,
    comment: Option<String>,
    flag: bool,
    seconds: Option<f64>,
    labelled_at: Option<Timestamp>,
}

/// The last label of each chain of project `$1`, withdrawn ones too.
const HEADS: &str = "select l.annotator_id, l.conversation_id, l.unit, l.criterion, l.pass, l.value from label l \
     where l.project_id = $1 and not exists (select 1 from label later where later.supersedes = l.id)";

impl Labels {
    pub(super) async fn load(
        connection: &mut SqliteConnection,
        project: ProjectId,
    ) -> Result<Labels, StoreError> {
        let sql = "select name, id, user_id is not null from annotator where project_id = $1";
        let annotators: Vec<(String, AnnotatorId, bool)> =
            sqlx::query_as(sql).bind(project).fetch_all(&mut *connection).await?;
        let annotator = |(name, id, has_account)| (name, Annotator { id, has_account });
        let mut labels =
            Labels { annotators: annotators.into_iter().map(annotator).collect(), ..Labels::default() };
        let mut rows = sqlx::query(HEADS).bind(project).fetch(connection);
        while let Some(row) = rows.try_next().await? {
            let identity = Identity {
                annotator: row.try_get(0)?,
                conversation: row.try_get(1)?,
                unit: labels.texts.of(row.try_get(2)?),
                criterion: labels.texts.of(row.try_get(3)?),
                pass: row.try_get(4)?,
            };
            labels.values.insert(identity, row.try_get(5)?);
        }
        Ok(labels)
    }

    pub(super) fn admit(
        &mut self,
        row: &LabelRow,
        conversation: ConversationId,
        rubric_version: RubricVersionId,
        now: OffsetDateTime,
    ) -> Result<Admission, StoreError> {
        check_finite(Some(row.value))?;
        let annotator = self.annotator(&row.annotator, now);
        let unit = row.unit.to_string();
        let identity = Identity {
            annotator: annotator.id,
            conversation,
            unit: self.texts.of(&unit),
            criterion: self.texts.of(&row.criterion),
            pass: row.pass,
        };
        match self.values.get(&identity) {
            Some(Some(stored)) if stored.partial_cmp(&row.value) == Some(Ordering::Equal) => {
                return Ok(Admission::Unchanged);
            }
            _ if annotator.has_account => return Ok(Admission::OfAnAccount),
            Some(stored) => {
                let stored = stored.map_or_else(|| "withdrawn".to_owned(), |value| value.to_string());
                return Ok(Admission::Clash { stored });
            }
            None => {}
        }
        self.values.insert(identity, Some(row.value));
        self.pending.push(Pending {
            id: LabelId::new(now),
            conversation,
            annotator: annotator.id,
            rubric_version,
            unit,
            criterion: row.criterion.clone(),
            pass: row.pass,
            value: row.value,
            comment: row.comment.clone(),
            flag: row.flag,
            seconds: row.seconds,
            labelled_at: row.labelled_at.map(Timestamp::from),
        });
        Ok(Admission::New)
    }

    /// The name under which a label stands, made where it is new.
    fn annotator(&mut self, name: &str, now: OffsetDateTime) -> Annotator {
        if let Some(known) = self.annotators.get(name) {
            return *known;
        }
        let new = Annotator { id: AnnotatorId::new(now), has_account: false };
        self.annotators.insert(name.to_owned(), new);
        self.pending_annotators.push((new.id, name.to_owned()));
        new
    }

    pub(super) fn is_full(&self) -> bool {
        self.pending.len() >= BATCH
    }

    pub(super) async fn flush(
        &mut self,
        connection: &mut SqliteConnection,
        project: ProjectId,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        for (id, name) in self.pending_annotators.drain(..) {
            sqlx::query("insert into annotator (id, project_id, name) values ($1, $2, $3)")
                .bind(id)
                .bind(project)
                .bind(name)
                .execute(&mut *connection)
                .await?;
        }
        if self.pending.is_empty() {
            return Ok(());
        }
        let now = Timestamp::from(now);
        let mut query = QueryBuilder::new(
            "insert into label (id, project_id, conversation_id, annotator_id, rubric_version_id, unit, \
                 criterion, pass, value, comment, flag, seconds, labelled_at, recorded_at) ",
        );
        query.push_values(self.pending.drain(..), |mut row, new| {
            row.push_bind(new.id)
                .push_bind(project)
                .push_bind(new.conversation)
                .push_bind(new.annotator)
                .push_bind(new.rubric_version)
                .push_bind(new.unit)
                .push_bind(new.criterion)
                .push_bind(new.pass)
                .push_bind(new.value)
                .push_bind(new.comment)
                .push_bind(new.flag)
                .push_bind(new.seconds)
                .push_bind(new.labelled_at)
                .push_bind(now);
        });
        query.build().execute(connection).await?;
        Ok(())
    }
}
