use super::{
    decide::{NewAdjudication, insert},
    of_item,
};
use crate::{
    AdjudicationId, ConversationId, NewReferenceSet, ProjectId, ReferenceRow, ReferenceSetId,
    RubricVersionId, Store, StoreError, reference::save,
};
use domain::{Adjudication, Decided, ReferenceEntry, ReferenceFile};
use sqlx::SqliteConnection;
use std::collections::HashMap;
use time::OffsetDateTime;

impl Store {
    /// Takes references that were built elsewhere, with the decisions behind them, all or none. `rubrics` are the versions that the file
    /// names.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] for a conversation or rubric version that the project does not have, [`StoreError::Conflict`] where an item
    /// was decided otherwise here.
    pub async fn import_references(
        &self,
        project: ProjectId,
        file: &ReferenceFile,
        rubrics: &HashMap<String, RubricVersionId>,
        now: OffsetDateTime,
    ) -> Result<ReferenceSetId, StoreError> {
        let rubric = |name: &str| {
            let missing =
                || StoreError::not_found(format!("rubric {} in this project", domain::visible(name)));
            rubrics.get(name).copied().ok_or_else(missing)
        };
        let mut transaction = self.write().await?;
        let mut rows = Vec::with_capacity(file.references.len());
        for entry in &file.references {
            let conversation = conversation_of(&mut transaction, project, &entry.conversation).await?;
            let adjudication = match &entry.adjudicated {
                None => None,
                Some(decided) => {
                    let new = NewAdjudication {
                        project,
                        conversation,
                        adjudication: adjudication(entry, decided),
                        rubric_version: rubric(&decided.rubric)?,
                        user: None,
                        supersedes: None,
                    };
                    Some(decided_here(&mut transaction, &new, now).await?)
                }
            };
            rows.push(ReferenceRow {
                conversation,
                unit: entry.unit.clone(),
                criterion: entry.criterion.clone(),
                value: entry.reference,
                provenance: entry.provenance,
                labels: entry.labels.clone(),
                adjudication,
            });
        }
        let set = NewReferenceSet {
            rule: file.rule,
            annotators: &file.annotators,
            rubric_version: rubric(&file.rubric)?,
            data_hash: &file.data_hash,
            references: &rows,
            built_at: file.built_at,
        };
        let id = save(&mut transaction, project, &set, now).await?;
        transaction.commit().await?;
        Ok(id)
    }
}

fn adjudication(entry: &ReferenceEntry, decided: &Decided) -> Adjudication {
    Adjudication {
        item: entry.item(),
        value: entry.reference,
        reason: decided.reason,
        note: decided.note.clone(),
        labels: entry.labels.clone(),
        rubric: decided.rubric.clone(),
        by: decided.by.clone(),
        at: decided.at,
    }
}

/// The decision, if it was taken or made here before; else it is stored.
async fn decided_here(
    connection: &mut SqliteConnection,
    new: &NewAdjudication,
    now: OffsetDateTime,
) -> Result<AdjudicationId, StoreError> {
    let item = &new.adjudication.item;
    let before = of_item(connection, new.conversation, item).await?;
    if let Some(same) = before.iter().find(|before| before.adjudication == new.adjudication) {
        return Ok(same.id);
    }
    if let Some(other) = before.first() {
        let Adjudication { value, by, .. } = &other.adjudication;
        return Err(StoreError::conflict(format!(
            "`{}` of {} in conversation `{}` was decided otherwise here ({value}, by {}): nothing was stored",
            domain::visible(&item.criterion),
            item.unit,
            domain::visible(&item.conversation),
            domain::visible(by)
        )));
    }
    insert(connection, new, now).await
}

async fn conversation_of(
    connection: &mut SqliteConnection,
    project: ProjectId,
    external_id: &str,
) -> Result<ConversationId, StoreError> {
    let sql = "select id from conversation where project_id = $1 and external_id = $2";
    let id = sqlx::query_scalar(sql).bind(project).bind(external_id).fetch_optional(connection).await?;
    id.ok_or_else(|| {
        let id = domain::visible(external_id);
        StoreError::not_found(format!("conversation `{id}` in this project: import it first"))
    })
}
