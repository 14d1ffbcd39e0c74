mod conversations;
mod labels;
mod verdicts;

use crate::{ConversationId, ProjectId, Publication, RubricVersionId, Store, StoreError, Viewer};
use conversations::Conversations;
use domain::{ContentHash, Conversation, LabelRow, Rubric, VerdictRow};
use labels::Labels;
use sqlx::{Sqlite, Transaction};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};
use time::OffsetDateTime;
use verdicts::Verdicts;

/// One import: a write transaction that takes rows one by one and keeps all of them or none. Dropped without
/// [`Import::commit`], it leaves nothing behind. Others can read meanwhile; others who write wait.
///
/// What is stored already is looked up in memory, and new rows are written many at a time: a row costs no round trip. Texts of
/// conversations are not held.
#[derive(Debug)]
pub struct Import {
    pub(crate) transaction: Transaction<'static, Sqlite>,
    pub(crate) project: ProjectId,
    pub(crate) now: OffsetDateTime,
    pub(crate) conversations: Conversations,
    labels: Option<Labels>,
    verdicts: Option<Verdicts>,
}

/// What became of a row of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is new, and will be stored.
    New,
    /// The same is stored already.
    Unchanged,
    /// Something else is stored under this identity; the row was not taken.
    Clash {
        /// What is stored, in words.
        stored: String,
    },
    /// The annotator's name is a user's, whose labels are given in the browser only; the row was not taken.
    OfAnAccount,
}

impl Store {
    /// Begins an import into a project.
    ///
    /// # Errors
    /// [`StoreError::Busy`] while another process writes.
    pub async fn begin_import(&self, project: ProjectId, now: OffsetDateTime) -> Result<Import, StoreError> {
        let mut transaction = self.write().await?;
        let conversations = Conversations::load(&mut transaction, project).await?;
        Ok(Import { transaction, project, now, conversations, labels: None, verdicts: None })
    }
}

impl Import {
    /// Takes a conversation, with the hash of its content and the text as it was given, redacted.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn conversation(
        &mut self,
        conversation: &Conversation,
        hash: &ContentHash,
        body: &str,
    ) -> Result<Admission, StoreError> {
        let admission = self.conversations.admit(conversation, hash, body, self.now);
        if self.conversations.is_full() {
            self.conversations.flush(&mut self.transaction, self.project, self.now).await?;
        }
        Ok(admission)
    }

    /// Publishes a rubric version. Publishing the same again changes nothing.
    ///
    /// # Errors
    /// As [`Store::publish_rubric`].
    pub async fn rubric(&mut self, rubric: &Rubric) -> Result<Publication, StoreError> {
        crate::rubric::publish(&mut self.transaction, self.project, rubric, self.now).await
    }

    /// Takes a label of someone who gave it elsewhere. The same value again is unchanged, whatever stands beside it.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] for a conversation that the project does not have, [`StoreError::Invalid`] for a value that is no number.
    pub async fn label(
        &mut self,
        row: &LabelRow,
        rubric_version: RubricVersionId,
    ) -> Result<Admission, StoreError> {
        let conversation = self.known(&row.conversation)?;
        let labels = match &mut self.labels {
            Some(labels) => labels,
            none => none.insert(Labels::load(&mut self.transaction, self.project).await?),
        };
        let admission = labels.admit(row, conversation, rubric_version, self.now)?;
        if labels.is_full() {
            self.conversations.flush(&mut self.transaction, self.project, self.now).await?;
            labels.flush(&mut self.transaction, self.project, self.now).await?;
        }
        Ok(admission)
    }

    /// Takes a verdict with the fingerprint of the instrument behind it. The same outcome of the same instrument again is unchanged.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] for a conversation that the project does not have, [`StoreError::Invalid`] for a value that is no number.
    pub async fn verdict(
        &mut self,
        row: &VerdictRow,
        fingerprint: &ContentHash,
    ) -> Result<Admission, StoreError> {
        let conversation = self.known(&row.conversation)?;
        let verdicts = self.verdicts.get_or_insert_with(|| Verdicts::new(self.project, self.now));
        let admission = verdicts.admit(&mut self.transaction, row, conversation, fingerprint).await?;
        if verdicts.is_full() {
            self.conversations.flush(&mut self.transaction, self.project, self.now).await?;
            verdicts.flush(&mut self.transaction).await?;
        }
        Ok(admission)
    }

    /// The conversation that the source system knows by this id, stored before or taken by this import.
    #[must_use]
    pub fn knows_conversation(&self, external_id: &str) -> Option<ConversationId> {
        self.conversations.id(external_id)
    }

    /// The conversations on the desk of a person: what others say of them is sealed to that person.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn sealed_to(&mut self, viewer: Viewer) -> Result<HashSet<ConversationId>, StoreError> {
        let sql = "select conversation_id from assignment where project_id = $1 and user_id = $2 and state = 'open'";
        let desk: Vec<ConversationId> = sqlx::query_scalar(sql)
            .bind(self.project)
            .bind(viewer.user())
            .fetch_all(&mut *self.transaction)
            .await?;
        Ok(desk.into_iter().collect())
    }

    /// A conversation of the project, stored before or taken by this import, so that units can be looked up in it. The last ones are
    /// kept at hand.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub async fn conversation_body(&mut self, id: ConversationId) -> Result<Arc<Conversation>, StoreError> {
        if let Some(at_hand) = self.conversations.at_hand(id) {
            return Ok(at_hand);
        }
        self.conversations.flush(&mut self.transaction, self.project, self.now).await?;
        self.conversations.fetch(&mut self.transaction, id).await
    }

    /// Keeps all that was taken: once this returns, it survives a power cut.
    ///
    /// # Errors
    /// Where the database fails; nothing is kept then.
    pub async fn commit(mut self) -> Result<(), StoreError> {
        self.conversations.flush(&mut self.transaction, self.project, self.now).await?;
        if let Some(labels) = &mut self.labels {
            labels.flush(&mut self.transaction, self.project, self.now).await?;
        }
        if let Some(verdicts) = &mut self.verdicts {
            verdicts.flush(&mut self.transaction).await?;
        }
        Ok(self.transaction.commit().await?)
    }

    /// Keeps nothing.
    ///
    /// # Errors
    /// Where the database fails; nothing is kept then either.
    pub async fn rollback(self) -> Result<(), StoreError> {
        Ok(self.transaction.rollback().await?)
    }

    pub(crate) fn known(&self, external_id: &str) -> Result<ConversationId, StoreError> {
        self.conversations.id(external_id).ok_or_else(|| {
            let id = domain::visible(external_id);
            StoreError::not_found(format!("conversation `{id}` in this project: import it first"))
        })
    }
}

/// Small numbers for texts that occur many times: keys of four bytes instead of copies.
#[derive(Debug, Default)]
struct Numbers(HashMap<Box<str>, u32>);

impl Numbers {
    fn of(&mut self, text: &str) -> u32 {
        if let Some(number) = self.0.get(text) {
            return *number;
        }
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        self.0.insert(text.into(), next);
        next
    }
}

#[cfg(test)]
mod tests;
