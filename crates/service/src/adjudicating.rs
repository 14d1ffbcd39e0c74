//! Deciding items on which people, or people and judges, do not agree; and references taken elsewhere and back.

use crate::{
    ProjectId, Service, ServiceError, UserId, Viewer, labelling::LONGEST_COMMENT, reports::no_judge,
};
use domain::{
    Adjudication, AdjudicationCase, AdjudicationQueue, DecidedBefore, GuidelineGap, Item, ItemLabel,
    NewDecision, Observations, QueueOrder, ReferenceFile, ReferenceRule, ReferenceSource, References, Rubric,
    SeenLabel,
};
use std::collections::HashMap;
use store::{Adjudicated, NewAdjudication, StoredAdjudication, StoredConversation};

/// Which queue is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AdjudicationQuery {
    /// By what items come first.
    pub order: QueueOrder,
    /// The judge that people are compared with; all of them where absent.
    pub judge: Option<String>,
}

/// What became of a file of references.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportedReferences {
    /// References in the file.
    pub references: u64,
    /// Whether they are new here.
    pub new: bool,
}

impl Service {
    /// The items that wait for a decision, without those that are sealed to the viewer.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] for a judge that is not there, or where the project has no rubric.
    pub async fn adjudication_queue(
        &self,
        project: ProjectId,
        query: &AdjudicationQuery,
        viewer: Viewer,
    ) -> Result<AdjudicationQueue, ServiceError> {
        let question = self.question(project, viewer, &format!("adjudication {query:?}")).await?;
        if let Some(queue) = self.answered(&question).await? {
            return Ok(queue);
        }
        let rubric = self.rubric_version(project).await?.rubric;
        let mut observations = self.labels_seen(project, None, viewer).await?;
        if query.order == QueueOrder::Judges {
            self.add_verdicts(project, None, viewer, i64::MAX, &mut observations).await?;
            self.keep_judge(project, query.judge.as_deref(), &mut observations).await?;
        }
        let decisions = self.adjudications(project, viewer).await?;
        let on_desks = self.store.conversations_on_desks(project).await?;
        let (order, seed) = (query.order, project.to_string());
        let mut waiting: Vec<&String> = on_desks.iter().collect();
        waiting.sort_unstable();
        let key = format!("adjudication {query:?} {seed} {decisions:?} {waiting:?}");
        let data = observations.hash(&rubric, &key);
        self.kept(&question, &key, data, move || {
            AdjudicationQueue::of(&rubric, &observations, &decisions, &on_desks, order, &seed)
        })
        .await
    }

    /// An item with all that whoever decides it may see: labels without names.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] where nobody has labelled it, or where it is sealed to the viewer.
    pub async fn adjudication_case(
        &self,
        project: ProjectId,
        item: &Item,
        viewer: Viewer,
    ) -> Result<AdjudicationCase, ServiceError> {
        let rubric = self.rubric_version(project).await?.rubric;
        let Evidence { conversation, labels, before } = self.evidence(project, item, viewer).await?;
        let (criterion, scale) = rubric
            .criterion(&item.criterion)
            .cloned()
            .zip(rubric.scale_of(&item.criterion).cloned())
            .ok_or_else(|| nothing_to_decide(item))?;
        let seed = project.to_string();
        let said = said(&labels);
        Ok(AdjudicationCase {
            seen: item.seen(&seed, &said, before.as_ref().map(|before| before.id.to_string()).as_deref()),
            labels: item.anonymous(&seed, labels),
            before: before.map(|before| DecidedBefore {
                value: before.adjudication.value,
                stale: before.adjudication.is_stale(&said),
                decided: before.adjudication.decided(),
            }),
            item: item.clone(),
            conversation: conversation.conversation,
            criterion,
            scale,
            rubric_version: rubric.version,
        })
    }

    /// Stores a decision of a person on an item. What is sent twice is stored once.
    ///
    /// # Errors
    /// [`ServiceError::Conflict`] where a label, a decision or the rubric has changed since the item was shown, or somebody is labelling
    /// it; [`ServiceError::Invalid`] for a value that the scale does not have.
    pub async fn adjudicate(
        &self,
        project: ProjectId,
        decision: NewDecision,
        user: UserId,
    ) -> Result<(), ServiceError> {
        let version = self.rubric_version(project).await?;
        if version.rubric.version != decision.rubric_version {
            return Err(conflict(
                "the rubric has a new version since this page was made: load the page again to see it",
            ));
        }
        let value = admitted(&version.rubric, &decision)?;
        let NewDecision { item, reason, note, seen, .. } = decision;
        let evidence = self.evidence(project, &item, Viewer::Member(user)).await?;
        let (seed, labels) = (project.to_string(), said(&evidence.labels));
        let head = evidence.before.as_ref().map(|before| before.id);
        let by = self.store.user(user).await?.name;
        let rubric = format!("{}@{}", version.rubric.name, version.rubric.version);
        let before = evidence.before.map(|before| before.adjudication);
        let at = self.now();
        let adjudication = Adjudication { item, value, reason, note, labels, rubric, by, at };
        // Sent twice, by a second press or a second try.
        if before.is_some_and(|before| Adjudication { at: before.at, ..adjudication.clone() } == before) {
            return Ok(());
        }
        let item = &adjudication.item;
        if item.seen(&seed, &adjudication.labels, head.map(|id| id.to_string()).as_deref()) != seen {
            return Err(changed());
        }
        let detail = format!("{} {} {}: {value} ({reason})", item.conversation, item.unit, item.criterion);
        let new = NewAdjudication {
            project,
            conversation: evidence.conversation.id,
            adjudication,
            rubric_version: version.id,
            user: Some(user),
            supersedes: head,
        };
        match self.store.adjudicate(&new).await? {
            Adjudicated::Stored(_) => self.record(Some(user), Some(project), "adjudicate", &detail).await,
            Adjudicated::Changed => Err(changed()),
            Adjudicated::OnADesk => {
                Err(conflict("somebody is labelling this conversation now: decide when it is submitted"))
            }
        }
    }

    /// What the guideline does not say, with the items to label again under the next rubric version.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn guideline_gaps(
        &self,
        project: ProjectId,
        viewer: Viewer,
    ) -> Result<Vec<GuidelineGap>, ServiceError> {
        Ok(GuidelineGap::of(&self.adjudications(project, viewer).await?))
    }

    /// The references that were stored last, as a file: equal references are equal bytes.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] where there are none.
    pub async fn reference_file(&self, project: ProjectId, viewer: Viewer) -> Result<String, ServiceError> {
        let file = self.store.reference_file(project, viewer).await?;
        file.to_file().map_err(|error| ServiceError::Internal(error.to_string()))
    }

    /// Takes a file of references, with the decisions behind them. The same file twice changes nothing.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for a file that cannot stand, [`ServiceError::NotFound`] for conversations or rubric versions that are not
    /// here, [`ServiceError::Conflict`] where an item was decided otherwise here.
    pub async fn import_references(
        &self,
        project: ProjectId,
        text: &str,
    ) -> Result<ImportedReferences, ServiceError> {
        let refused = |error: domain::ReferenceFileError| ServiceError::Invalid {
            field: "file".to_owned(),
            reason: error.to_string(),
        };
        let file = ReferenceFile::from_file(text).map_err(refused)?;
        let references = file.references.len() as u64;
        if self.store.reference_file(project, Viewer::Operator).await.is_ok_and(|stored| stored == file) {
            return Ok(ImportedReferences { references, new: false });
        }
        let mut rubrics = HashMap::new();
        for version in self.store.rubric_versions(project).await? {
            let name = format!("{}@{}", version.rubric.name, version.rubric.version);
            if name == file.rubric {
                file.check(&version.rubric).map_err(refused)?;
            }
            rubrics.insert(name, version.id);
        }
        self.check_units(project, &file).await?;
        self.store.import_references(project, &file, &rubrics, self.now()).await?;
        self.record(None, Some(project), "import_references", file.rule.word()).await?;
        Ok(ImportedReferences { references, new: true })
    }

    /// The references that a rule makes of what is seen.
    pub(crate) async fn references_of(
        &self,
        project: ProjectId,
        rubric: &Rubric,
        observations: &Observations,
        source: &ReferenceSource,
        viewer: Viewer,
    ) -> Result<References, ServiceError> {
        if source.rule != ReferenceRule::Adjudicated {
            return Ok(References::of(rubric, observations, source));
        }
        let decisions = self.adjudications(project, viewer).await?;
        if decisions.is_empty() {
            let reason = "nothing has been adjudicated yet: choose unanimous, majority or median".to_owned();
            return Err(ServiceError::Invalid { field: "rule".to_owned(), reason });
        }
        Ok(References::adjudicated(rubric, observations, source, &decisions))
    }

    async fn adjudications(
        &self,
        project: ProjectId,
        viewer: Viewer,
    ) -> Result<Vec<Adjudication>, ServiceError> {
        let stored = self.store.adjudications(project, viewer).await?;
        Ok(stored.into_iter().map(|stored| stored.adjudication).collect())
    }

    /// What there is to decide an item by. Nothing of what is sealed to the viewer.
    async fn evidence(
        &self,
        project: ProjectId,
        item: &Item,
        viewer: Viewer,
    ) -> Result<Evidence, ServiceError> {
        let conversation = self.store.conversation(project, &item.conversation).await?;
        let labels = self.store.labels_of_item(conversation.id, item, viewer).await?;
        if labels.is_empty() {
            return Err(nothing_to_decide(item));
        }
        let before = self.store.adjudications(project, viewer).await?;
        let before = before.into_iter().find(|stored| stored.adjudication.item == *item);
        Ok(Evidence { conversation, labels, before })
    }

    async fn keep_judge(
        &self,
        project: ProjectId,
        judge: Option<&str>,
        observations: &mut Observations,
    ) -> Result<(), ServiceError> {
        let Some(judge) = judge else { return Ok(()) };
        let known = self.judges(project).await?;
        if !known.iter().any(|name| name == judge) {
            return Err(no_judge(judge, known.iter().map(String::as_str)));
        }
        observations.verdicts.retain(|verdict| &*verdict.judge == judge);
        Ok(())
    }

    async fn check_units(&self, project: ProjectId, file: &ReferenceFile) -> Result<(), ServiceError> {
        let mut at_hand: Option<StoredConversation> = None;
        for entry in &file.references {
            let conversation = match at_hand.take() {
                Some(same) if same.conversation.id == entry.conversation => same,
                _ => self.store.conversation(project, &entry.conversation).await?,
            };
            if !conversation.conversation.has(&entry.unit) {
                let reason = format!(
                    "conversation `{}` has no unit {}",
                    domain::visible(&entry.conversation),
                    entry.unit
                );
                return Err(ServiceError::Invalid { field: "unit".to_owned(), reason });
            }
            at_hand = Some(conversation);
        }
        Ok(())
    }
}

/// What an item is decided by.
struct Evidence {
    conversation: StoredConversation,
    labels: Vec<ItemLabel>,
    before: Option<StoredAdjudication>,
}

fn said(labels: &[ItemLabel]) -> Vec<SeenLabel> {
    labels.iter().map(|label| label.label.clone()).collect()
}

/// The value on the scale, after all that can be wrong with a decision was looked for.
fn admitted(rubric: &Rubric, decision: &NewDecision) -> Result<f64, ServiceError> {
    let invalid = |field: &str, reason: String| ServiceError::Invalid { field: field.to_owned(), reason };
    let scale = rubric.scale_of(&decision.item.criterion).ok_or_else(|| nothing_to_decide(&decision.item))?;
    if decision.note.chars().count() > LONGEST_COMMENT {
        return Err(invalid("note", format!("a note has at most {LONGEST_COMMENT} characters")));
    }
    scale.admit(decision.value).ok_or_else(|| invalid("value", format!("expected {}", scale.expectation())))
}

fn nothing_to_decide(item: &Item) -> ServiceError {
    let (criterion, conversation) = (domain::visible(&item.criterion), domain::visible(&item.conversation));
    let what = format!(
        "there is nothing to decide on `{criterion}` of {} in conversation `{conversation}`",
        item.unit
    );
    ServiceError::NotFound { what }
}

fn conflict(what: &str) -> ServiceError {
    ServiceError::Conflict { what: what.to_owned() }
}

fn changed() -> ServiceError {
    conflict(
        "a label or a decision has come since this page was made. Nothing was stored: the page now shows what stands there",
    )
}
