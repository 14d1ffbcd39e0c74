use crate::{AnchorSetId, ConversationId, Import, StoreError, error::OnUnique, timestamp::Timestamp};
use domain::{AnchorItem, AnchorSet, ContentHash};
use sqlx::{QueryBuilder, Sqlite};

/// A set to be stored, with its file and the hash that stands in it.
#[derive(Clone, Copy, Debug)]
pub struct NewAnchorSet<'a> {
    /// The set.
    pub set: &'a AnchorSet,
    /// Its file.
    pub file: &'a str,
    /// Hash of what it holds.
    pub hash: &'a ContentHash,
}

/// What becomes of a set while a conversation of it is on somebody's desk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDesks {
    /// It cannot be frozen: its labels are not all there.
    Refused,
    /// It was frozen elsewhere, and is sealed to whoever has the desk.
    Sealed,
}

/// Rows of one statement.
const BATCH: usize = 500;

impl Import {
    /// Stores a frozen set and its items; whether it is new. The same again is unchanged.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] where the version stands there with other content, or where [`OnDesks::Refused`] says so;
    /// [`StoreError::NotFound`] for a conversation that the project does not have.
    pub async fn anchor_set(
        &mut self,
        new: &NewAnchorSet<'_>,
        on_desks: OnDesks,
    ) -> Result<bool, StoreError> {
        let set = new.set;
        let name = set.full_name();
        let sql = "select hash from anchor_set where project_id = $1 and name = $2 and version = $3";
        let present: Option<String> = sqlx::query_scalar(sql)
            .bind(self.project)
            .bind(&set.name)
            .bind(set.version)
            .fetch_optional(&mut *self.transaction)
            .await?;
        if let Some(present) = present {
            if present == new.hash.0 {
                return Ok(false);
            }
            return Err(StoreError::conflict(format!(
                "{name} was frozen with other content (hash {present}) and never changes: freeze another version"
            )));
        }
        let mut items: Vec<(ConversationId, &AnchorItem)> = Vec::with_capacity(set.items.len());
        for item in &set.items {
            items.push((self.known(&item.conversation)?, item));
        }
        self.conversations.flush(&mut self.transaction, self.project, self.now).await?;
        let id = AnchorSetId::new(self.now);
        let sql = "insert into anchor_set (id, project_id, name, version, body, hash, frozen_at) \
                   values ($1, $2, $3, $4, $5, $6, $7)";
        sqlx::query(sql)
            .bind(id)
            .bind(self.project)
            .bind(&set.name)
            .bind(set.version)
            .bind(new.file)
            .bind(&new.hash.0)
            .bind(Timestamp::from(set.created_at))
            .execute(&mut *self.transaction)
            .await?;
        for batch in items.chunks(BATCH) {
            insert(id, batch)
                .build()
                .execute(&mut *self.transaction)
                .await
                .on_unique(|| format!("{name} has an item twice"))?;
        }
        if on_desks == OnDesks::Refused {
            self.refuse_open_desks(id).await?;
        }
        Ok(true)
    }

    async fn refuse_open_desks(&mut self, set: AnchorSetId) -> Result<(), StoreError> {
        let sql = "select c.external_id from anchor_item i join conversation c on c.id = i.conversation_id \
                       join assignment a on a.conversation_id = c.id and a.state = 'open' and a.lapsed_at is null \
                   where i.anchor_set_id = $1 limit 1";
        let open: Option<String> =
            sqlx::query_scalar(sql).bind(set).fetch_optional(&mut *self.transaction).await?;
        match open {
            None => Ok(()),
            Some(open) => Err(StoreError::conflict(format!(
                "somebody is labelling conversation `{}`: freeze when it is submitted, or build again without it",
                domain::visible(&open)
            ))),
        }
    }
}

fn insert(set: AnchorSetId, batch: &[(ConversationId, &AnchorItem)]) -> QueryBuilder<Sqlite> {
    let mut query = QueryBuilder::new(
        "insert into anchor_item (anchor_set_id, conversation_id, criterion, unit, stratum, labels, reference, \
             provenance, split) ",
    );
    query.push_values(batch, |mut row, (conversation, item)| {
        let labels = serde_json::to_string(&item.labels).unwrap_or_default();
        row.push_bind(set)
            .push_bind(*conversation)
            .push_bind(&item.criterion)
            .push_bind(item.unit.to_string())
            .push_bind(&item.stratum)
            .push_bind(labels)
            .push_bind(item.reference)
            .push_bind(item.provenance.word())
            .push_bind(item.split.word());
    });
    query
}
