//! Who labels what: rules, batches and their people.

use crate::{ProjectId, Service, ServiceError, UserId, Viewer};
use domain::{
    BatchChoice, BatchProgress, LabellingRules, PersonPace, SliceBy, draw_by_slice, in_drawn_order,
};
use serde::Serialize;
use std::collections::{BTreeSet, HashMap};
use store::{ConversationId, ConversationSlices, NewBatch};

/// Conversations for named people.
#[derive(Clone, Debug)]
pub struct BatchRequest {
    /// Its name, unique in the project.
    pub name: String,
    /// Which conversations.
    pub choice: BatchChoice,
    /// Accounts of members of the project.
    pub people: Vec<String>,
    /// How many of the people each conversation wants; all of them where absent.
    pub overlap: Option<u32>,
    /// Decides what is drawn, and each person's own order.
    pub seed: u32,
}

/// How the labelling of a project stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rounds {
    /// How conversations are given out.
    pub rules: LabellingRules,
    /// Batches, oldest first.
    pub batches: Vec<BatchProgress>,
    /// Everyone who ever had a conversation on the desk, by account.
    pub people: Vec<PersonPace>,
}

impl Service {
    /// How the labelling of a project stands. Times leave out the conversations that are sealed to the viewer.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn rounds(&self, project: ProjectId, viewer: Viewer) -> Result<Rounds, ServiceError> {
        let people = self.store.progress_by_person(project, viewer).await?;
        let pace = |person: store::PersonProgress| PersonPace {
            name: person.name,
            account: person.account,
            submitted: person.submitted,
            skipped: person.skipped,
            open: person.open,
            timed_labels: person.timed_labels,
            active_seconds: person.active_seconds,
        };
        Ok(Rounds {
            rules: self.store.labelling_rules(project).await?,
            batches: self.store.batches(project).await?,
            people: people.into_iter().map(pace).collect(),
        })
    }

    /// How a project's conversations are given out.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn labelling_rules(&self, project: ProjectId) -> Result<LabellingRules, ServiceError> {
        Ok(self.store.labelling_rules(project).await?)
    }

    /// Sets how a project's conversations are given out.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for a rule that cannot stand.
    pub async fn set_labelling_rules(
        &self,
        project: ProjectId,
        rules: &LabellingRules,
        by: Option<UserId>,
    ) -> Result<(), ServiceError> {
        self.store.set_labelling_rules(project, rules).await?;
        let detail =
            serde_json::to_string(rules).map_err(|error| ServiceError::Internal(error.to_string()))?;
        self.record(by, Some(project), "set_labelling_rules", &detail).await
    }

    /// Makes a batch; how many conversations are in it.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for people or conversations that are not there, or none; [`ServiceError::Conflict`] where the name is
    /// taken.
    pub async fn assign(
        &self,
        project: ProjectId,
        request: &BatchRequest,
        by: Option<UserId>,
    ) -> Result<u64, ServiceError> {
        let mut people = Vec::new();
        for account in request.people.iter().map(|account| account.trim()).collect::<BTreeSet<&str>>() {
            people.push(self.labeller(project, account).await?);
        }
        if people.is_empty() {
            return Err(invalid("people", "name who labels it"));
        }
        let overlap = request.overlap.unwrap_or(u32::try_from(people.len()).unwrap_or(u32::MAX));
        if !(1..=100).contains(&overlap) {
            return Err(invalid("annotators", "expected 1 to 100 annotators"));
        }
        let conversations = self.chosen_conversations(project, request).await?;
        let anchor_set = match &request.choice {
            BatchChoice::AnchorSet(name) => {
                Some(self.store.anchor_set(project, name, Viewer::Operator).await?.id)
            }
            _ => None,
        };
        let batch = NewBatch {
            project,
            name: &request.name,
            overlap,
            seed: request.seed,
            anchor_set,
            conversations: &conversations,
            people: &people,
        };
        self.store.create_batch(&batch, self.now()).await?;
        let detail = format!(
            "{}: {} conversations for {}",
            request.name,
            conversations.len(),
            request.people.join(", ")
        );
        self.record(by, Some(project), "assign", &detail).await?;
        Ok(conversations.len() as u64)
    }

    /// Takes a member into a batch.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] for a batch, [`ServiceError::Invalid`] for a member that is not there.
    pub async fn join_batch(
        &self,
        project: ProjectId,
        batch: &str,
        account: &str,
        by: Option<UserId>,
    ) -> Result<(), ServiceError> {
        let user = self.labeller(project, account).await?;
        self.store.join_batch(project, batch, user).await?;
        self.record(by, Some(project), "join_batch", &format!("{batch}: {account}")).await
    }

    /// Takes a person out of a batch. What was submitted counts, and what lies on the desk can be submitted.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] for a batch or a person that is not there.
    pub async fn leave_batch(
        &self,
        project: ProjectId,
        batch: &str,
        account: &str,
        by: Option<UserId>,
    ) -> Result<(), ServiceError> {
        let user = self.labeller(project, account).await?;
        self.store.leave_batch(project, batch, user, self.now()).await?;
        self.record(by, Some(project), "leave_batch", &format!("{batch}: {account}")).await
    }

    /// Closes a batch for good. What lies on desks can be submitted.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`].
    pub async fn close_batch(
        &self,
        project: ProjectId,
        batch: &str,
        by: Option<UserId>,
    ) -> Result<(), ServiceError> {
        self.store.close_batch(project, batch, self.now()).await?;
        self.record(by, Some(project), "close_batch", batch).await
    }

    async fn labeller(&self, project: ProjectId, account: &str) -> Result<UserId, ServiceError> {
        match self.member(project, account).await {
            Err(ServiceError::NotFound { what }) => Err(invalid("people", &what)),
            found => found,
        }
    }

    /// The conversations of a batch, in the order of their lots.
    async fn chosen_conversations(
        &self,
        project: ProjectId,
        request: &BatchRequest,
    ) -> Result<Vec<ConversationId>, ServiceError> {
        let all = self.store.conversation_slices(project, Viewer::Operator).await?;
        let ids: HashMap<&str, ConversationId> =
            all.iter().map(|slices| (slices.external_id.as_str(), slices.id)).collect();
        let taken = self.store.conversations_in_batches(project).await?;
        let free = || all.iter().filter(|slices| !taken.contains(&slices.id));
        let in_set: Vec<String>;
        let names = match &request.choice {
            BatchChoice::Listed(listed) => {
                listed.iter().map(String::as_str).collect::<BTreeSet<_>>().into_iter().collect()
            }
            BatchChoice::Drawn { by: SliceBy::Annotator, .. } => {
                return Err(invalid("by", "expected category, corpus, system or language"));
            }
            BatchChoice::Drawn { by, each } => draw_by_slice(
                free().map(|slices| (&*slices.external_id, slice_of(*by, slices))),
                *each,
                request.seed,
            ),
            BatchChoice::Rest => free().map(|slices| slices.external_id.as_str()).collect(),
            BatchChoice::AnchorSet(name) => {
                let set = self.store.anchor_set(project, name, Viewer::Operator).await?.id;
                let items = self.store.anchor_items(set, Viewer::Operator).await?;
                in_set = items
                    .into_iter()
                    .map(|item| item.conversation)
                    .collect::<BTreeSet<_>>()
                    .into_iter()
                    .collect();
                in_set.iter().map(String::as_str).collect()
            }
        };
        if names.is_empty() {
            return Err(invalid(
                "conversations",
                "there is no conversation to assign: those in other batches are not drawn again",
            ));
        }
        let missing = |name: &str| {
            let name = domain::visible(name);
            invalid("conversations", &format!("there is no conversation `{name}` in this project"))
        };
        in_drawn_order(names, request.seed)
            .into_iter()
            .map(|name| ids.get(name).copied().ok_or_else(|| missing(name)))
            .collect()
    }
}

/// The slice that a conversation is in; empty for none.
fn slice_of(by: SliceBy, slices: &ConversationSlices) -> &str {
    let slice = match by {
        SliceBy::Category => &slices.category,
        SliceBy::Corpus => &slices.corpus,
        SliceBy::System => &slices.system,
        SliceBy::Language => &slices.language,
        SliceBy::Annotator => &None,
    };
    slice.as_deref().unwrap_or_default()
}

fn invalid(field: &str, reason: &str) -> ServiceError {
    ServiceError::Invalid { field: field.to_owned(), reason: reason.to_owned() }
}
