use super::Admission;
use crate::{ConversationId, ProjectId, StoreError, conversation::stored_body, timestamp::Timestamp};
use domain::{ContentHash, Conversation};
use sqlx::{QueryBuilder, SqliteConnection};
use std::{collections::HashMap, sync::Arc};
use time::OffsetDateTime;

/// Rows and bytes after which what was taken is written.
const BATCH_ROWS: usize = 100;
const BATCH_BYTES: usize = 1 << 20;

/// Bytes of text whose conversations are kept at hand.
const AT_HAND_BYTES: usize = 4 << 20;

/// The conversations of a project by their ids in the source system, and those that were taken but not written.
#[derive(Debug)]
pub(crate) struct Conversations {
    known: HashMap<Box<str>, Known>,
    next_position: i64,
    pending: Vec<Pending>,
    pending_bytes: usize,
    at_hand: HashMap<ConversationId, Arc<Conversation>>,
    at_hand_bytes: usize,
}

#[derive(Debug)]
struct Known {
    id: ConversationId,
    content_hash: Box<str>,
}

#[derive(Debug)]
struct Pending {
    id: ConversationId,
    external_id: String,
    position: i64,
    cluster: String,
    category: Option<String>,
    corpus: Option<String>,
    system: Option<String>,
    language: Option<String>,
    occurred_at: Option<Timestamp>,
    content_hash: String,
    body: String,
}

impl Conversations {
    pub(super) async fn load(
        connection: &mut SqliteConnection,
        project: ProjectId,
    ) -> Result<Conversations, StoreError> {
        let rows: Vec<(String, ConversationId, String)> =
            sqlx::query_as("select external_id, id, content_hash from conversation where project_id = $1")
                .bind(project)
                .fetch_all(&mut *connection)
                .await?;
        let sql = "select coalesce(max(position), 0) + 1 from conversation where project_id = $1";
        let next_position = sqlx::query_scalar(sql).bind(project).fetch_one(connection).await?;
        let known = |(external_id, id, hash): (String, ConversationId, String)| {
            (external_id.into_boxed_str(), Known { id, content_hash: hash.into_boxed_str() })
        };
        Ok(Conversations {
            known: rows.into_iter().map(known).collect(),
            next_position,
            pending: Vec::new(),
            pending_bytes: 0,
            at_hand: HashMap::new(),
            at_hand_bytes: 0,
        })
    }

    pub(super) fn id(&self, external_id: &str) -> Option<ConversationId> {
        self.known.get(external_id).map(|known| known.id)
    }

    pub(super) fn admit(
        &mut self,
        conversation: &Conversation,
        hash: &ContentHash,
        body: &str,
        now: OffsetDateTime,
    ) -> Admission {
        if let Some(known) = self.known.get(conversation.id.as_str()) {
            return if *known.content_hash == *hash.0 {
                Admission::Unchanged
            } else {
                let stored = format!("another text (content hash {})", known.content_hash);
                Admission::Clash { stored }
            };
        }
        let id = ConversationId::new(now);
        let content_hash = hash.0.as_str().into();
        self.known.insert(conversation.id.as_str().into(), Known { id, content_hash });
        self.pending_bytes += body.len();
        self.pending.push(Pending {
            id,
            external_id: conversation.id.clone(),
            position: self.next_position,
            cluster: conversation.cluster().to_owned(),
            category: conversation.category.clone(),
            corpus: conversation.corpus.clone(),
            system: conversation.system.clone(),
            language: conversation.language.clone(),
            occurred_at: conversation.at.map(Timestamp::from),
            content_hash: hash.0.clone(),
            body: body.to_owned(),
        });
        self.next_position += 1;
        Admission::New
    }

    pub(super) fn is_full(&self) -> bool {
        self.pending.len() >= BATCH_ROWS || self.pending_bytes >= BATCH_BYTES
    }

    pub(crate) async fn flush(
        &mut self,
        connection: &mut SqliteConnection,
        project: ProjectId,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let now = Timestamp::from(now);
        let mut query = QueryBuilder::new(
            "insert into conversation (id, project_id, external_id, position, cluster, category, corpus, \
                 system, language, occurred_at, content_hash, body, imported_at) ",
        );
        query.push_values(self.pending.drain(..), |mut row, new| {
            row.push_bind(new.id)
                .push_bind(project)
                .push_bind(new.external_id)
                .push_bind(new.position)
                .push_bind(new.cluster)
                .push_bind(new.category)
                .push_bind(new.corpus)
                .push_bind(new.system)
                .push_bind(new.language)
                .push_bind(new.occurred_at)
                .push_bind(new.content_hash)
                .push_bind(new.body)
                .push_bind(now);
        });
        self.pending_bytes = 0;
        query.build().execute(connection).await?;
        Ok(())
    }

    pub(super) fn at_hand(&self, id: ConversationId) -> Option<Arc<Conversation>> {
        self.at_hand.get(&id).cloned()
    }

    pub(super) async fn fetch(
        &mut self,
        connection: &mut SqliteConnection,
        id: ConversationId,
    ) -> Result<Arc<Conversation>, StoreError> {
        let body: Option<String> = sqlx::query_scalar("select body from conversation where id = $1")
            .bind(id)
            .fetch_optional(connection)
            .await?;
        let body = body.ok_or_else(|| StoreError::not_found("such conversation"))?;
        let conversation = Arc::new(stored_body(id, &body)?);
        // Starting afresh when there are too many needs no order of use, and files name one conversation many times in a row.
        if self.at_hand_bytes + body.len() > AT_HAND_BYTES {
            self.at_hand.clear();
            self.at_hand_bytes = 0;
        }
        self.at_hand_bytes += body.len();
        self.at_hand.insert(id, conversation.clone());
        Ok(conversation)
    }
}
