//! Where human values come from, and the labels and verdicts that stand beside them.

use crate::{ProjectId, Service, ServiceError, Viewer, reports::check_criterion};
use domain::{
    AnchorItem, AnchorSetName, FailureKind, HumanValue, Item, JudgeValue, Observations, Provenance,
    ReferenceRule, ReferenceSource, References, Rubric, Setting, Split, labels_by_item,
};
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};
use store::{AdjudicationId, ConversationId, ConversationSlices, NewReferenceSet, ReferenceRow};
use time::OffsetDateTime;

/// Where human values come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReferenceChoice {
    /// Labels as they are now.
    Labels {
        /// How several labels become one; that of the last built references where absent, and the median where there are none.
        rule: Option<ReferenceRule>,
        /// Whose labels; those of the last built references where empty, and all where there are none.
        annotators: Vec<String>,
    },
    /// One split of a frozen anchor set.
    AnchorSet {
        /// The set.
        name: AnchorSetName,
        /// The split.
        split: Split,
        /// Why `confirm` is opened, as whoever opens it says.
        why: Option<String>,
    },
}

impl Default for ReferenceChoice {
    fn default() -> ReferenceChoice {
        ReferenceChoice::Labels { rule: None, annotators: Vec::new() }
    }
}

impl ReferenceChoice {
    /// What a form or an address says: `NAME@VERSION SPLIT` with why it is looked at, or nothing for the labels as they are now, under the rule.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for what is no split of a set and no rule.
    pub fn asked(reference: &str, rule: &str, why: &str) -> Result<ReferenceChoice, ServiceError> {
        let invalid = |field: &str, reason: String| ServiceError::Invalid { field: field.to_owned(), reason };
        if reference.is_empty() {
            let rule = Some(rule).filter(|rule| !rule.is_empty()).map(str::parse).transpose();
            let rule = rule.map_err(|reason| invalid("rule", reason))?;
            return Ok(ReferenceChoice::Labels { rule, annotators: Vec::new() });
        }
        let wrong = |reason| invalid("reference", reason);
        let (name, split) =
            reference.rsplit_once(' ').ok_or_else(|| wrong("choose a split of a set".to_owned()))?;
        Ok(ReferenceChoice::AnchorSet {
            name: name.trim().parse().map_err(wrong)?,
            split: split.parse().map_err(wrong)?,
            why: Some(why.trim().to_owned()).filter(|why| !why.is_empty()),
        })
    }
}

/// What reports about judges are computed from.
#[derive(Debug)]
pub(crate) struct Observed {
    /// What was asked.
    pub(crate) rubric: Rubric,
    /// Labels, references where they are frozen, and verdicts.
    pub(crate) observations: Observations,
    /// Where the human values come from.
    pub(crate) reference: ReferenceSource,
}

impl Service {
    /// What people and judges said, on live labels under the `live` rubric, or on an anchor set under its own.
    pub(crate) async fn observed(
        &self,
        project: ProjectId,
        live: Rubric,
        choice: &ReferenceChoice,
        criterion: Option<&str>,
        viewer: Viewer,
    ) -> Result<Observed, ServiceError> {
        self.observed_through(project, live, choice, criterion, viewer, i64::MAX).await
    }

    /// [`Service::observed`] without the verdicts that came after `last`.
    pub(crate) async fn observed_through(
        &self,
        project: ProjectId,
        live: Rubric,
        choice: &ReferenceChoice,
        criterion: Option<&str>,
        viewer: Viewer,
        last: i64,
    ) -> Result<Observed, ServiceError> {
        match choice {
            ReferenceChoice::Labels { rule, annotators } => {
                check_criterion(&live, criterion)?;
                let mut observations = self.labels_seen(project, criterion, viewer).await?;
                let reference = self.reference_source(project, *rule, annotators, &observations).await?;
                keep_annotators(&mut observations, &reference);
                if reference.rule == ReferenceRule::Adjudicated {
                    let decided =
                        self.references_of(project, &live, &observations, &reference, viewer).await?;
                    observations.references = Some(decided.into_values());
                }
                self.add_verdicts(project, criterion, viewer, last, &mut observations).await?;
                Ok(Observed { rubric: live, observations, reference })
            }
            ReferenceChoice::AnchorSet { name, split, .. } => {
                let (source, mut items) = self.anchor_items(project, name, *split, viewer).await?;
                let set = self.store.anchor_set(project, name, viewer).await?.id;
                let rubric = self.store.anchor_set_rubric(set).await?;
                check_criterion(&rubric, criterion)?;
                items.retain(|item| criterion.is_none_or(|criterion| item.criterion == criterion));
                let in_set: HashSet<&str> = items.iter().map(|item| item.conversation.as_str()).collect();
                let slices = self.store.conversation_slices(project, viewer).await?.into_iter();
                let slices = slices.filter(|slice| in_set.contains(slice.external_id.as_str()));
                let mut observations = Observations::of_anchor_items(slices.map(setting).collect(), &items);
                self.add_verdicts(project, criterion, viewer, last, &mut observations).await?;
                keep_items(&mut observations, &items, &rubric);
                Ok(Observed { rubric, observations, reference: source.of_items(&items) })
            }
        }
    }

    /// Builds references by a rule from the labels that count, and keeps them. Gives how many items have one and how many do not.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for annotators that are not there.
    pub async fn build_references(
        &self,
        project: ProjectId,
        rule: ReferenceRule,
        annotators: &[String],
        criterion: Option<&str>,
    ) -> Result<References, ServiceError> {
        let version = self.rubric_version(project).await?;
        check_criterion(&version.rubric, criterion)?;
        let mut observations = self.labels_seen(project, criterion, Viewer::Operator).await?;
        let source =
            ReferenceSource { rule, annotators: chosen(rule, annotators, &observations)?, anchor_set: None };
        keep_annotators(&mut observations, &source);
        let references =
            self.references_of(project, &version.rubric, &observations, &source, Viewer::Operator).await?;
        let rows = self.reference_rows(project, &observations, &references).await?;
        let set = NewReferenceSet {
            rule,
            annotators: &source.annotators,
            rubric_version: version.id,
            data_hash: &references.data_hash,
            references: &rows,
            built_at: self.now(),
        };
        self.store.save_references(project, &set, self.now()).await?;
        self.record(None, Some(project), "build_references", rule.word()).await?;
        Ok(references)
    }

    /// The references as they are stored: each with the labels and the decision that it was made of.
    async fn reference_rows(
        &self,
        project: ProjectId,
        observations: &Observations,
        references: &References,
    ) -> Result<Vec<ReferenceRow>, ServiceError> {
        let ids = self.conversation_ids(project).await?;
        let mut decisions: HashMap<Item, AdjudicationId> = HashMap::new();
        for stored in self.store.adjudications(project, Viewer::Operator).await? {
            decisions.insert(stored.adjudication.item, stored.id);
        }
        let mut labels = labels_by_item(observations);
        let mut rows = Vec::with_capacity(references.items.len());
        for reference in &references.items {
            let internal = |error: domain::UnitError| ServiceError::Internal(error.to_string());
            let item = Item {
                conversation: observations.conversation(reference.setting).to_owned(),
                unit: reference.unit.parse().map_err(internal)?,
                criterion: reference.criterion.to_string(),
            };
            let Some(conversation) = ids.get(&item.conversation).copied() else { continue };
            let place = (reference.setting, &*reference.unit, &*reference.criterion);
            let is_decided = reference.provenance == Provenance::Adjudicated;
            rows.push(ReferenceRow {
                conversation,
                value: reference.value,
                provenance: reference.provenance,
                labels: labels.remove(&place).unwrap_or_default(),
                adjudication: decisions.get(&item).copied().filter(|_| is_decided),
                unit: item.unit,
                criterion: item.criterion,
            });
        }
        Ok(rows)
    }

    pub(crate) async fn labels_seen(
        &self,
        project: ProjectId,
        criterion: Option<&str>,
        viewer: Viewer,
    ) -> Result<Observations, ServiceError> {
        let (observations, _) = self.labels_with_times(project, criterion, viewer).await?;
        Ok(Observations { repeats: Vec::new(), ..observations })
    }

    /// The labels that count, those of hidden repeats apart, and in which period each conversation was labelled last.
    pub(crate) async fn labels_over_time(
        &self,
        project: ProjectId,
        criterion: Option<&str>,
        viewer: Viewer,
    ) -> Result<Observations, ServiceError> {
        let (observations, labelled) = self.labels_with_times(project, criterion, viewer).await?;
        Ok(Observations { periods: domain::periods(&labelled), ..observations })
    }

    /// The labels that count, and when each conversation was labelled last.
    async fn labels_with_times(
        &self,
        project: ProjectId,
        criterion: Option<&str>,
        viewer: Viewer,
    ) -> Result<(Observations, Vec<Option<OffsetDateTime>>), ServiceError> {
        let slices = self.store.conversation_slices(project, viewer).await?;
        let labels = self.store.labels(project, criterion, viewer).await?;
        let mut positions: HashMap<ConversationId, u32> = HashMap::with_capacity(slices.len());
        let mut settings = Vec::with_capacity(slices.len());
        for (position, slice) in (0..).zip(slices) {
            positions.insert(slice.id, position);
            settings.push(setting(slice));
        }
        let mut observations = Observations { settings, ..Observations::default() };
        let mut labelled: Vec<Option<OffsetDateTime>> = vec![None; observations.settings.len()];
        for label in labels {
            let Some(&setting) = positions.get(&label.conversation) else { continue };
            if let Some(last) = labelled.get_mut(setting as usize) {
                *last = (*last).max(label.labelled_at);
            }
            let said = match label.pass {
                0 => &mut observations.labels,
                1 => &mut observations.repeats,
                _ => continue,
            };
            said.push(HumanValue {
                setting,
                annotator: label.annotator,
                unit: label.unit,
                criterion: label.criterion,
                value: label.value,
            });
        }
        Ok((observations, labelled))
    }

    /// Adds what judges said of the conversations in `observations`, without the verdicts that came after `last`.
    pub(crate) async fn add_verdicts(
        &self,
        project: ProjectId,
        criterion: Option<&str>,
        viewer: Viewer,
        last: i64,
        observations: &mut Observations,
    ) -> Result<(), ServiceError> {
        let names = self.judge_names(project).await?;
        let positions: HashMap<&str, u32> =
            observations.settings.iter().map(|setting| &*setting.conversation).zip(0..).collect();
        let slices = self.store.conversation_slices(project, viewer).await?.into_iter();
        let ids: HashMap<ConversationId, u32> = slices
            .filter_map(|slice| Some((slice.id, *positions.get(slice.external_id.as_str())?)))
            .collect();
        let verdicts = self.store.verdicts(project, criterion, None, viewer).await?;
        observations.verdicts = verdicts
            .into_iter()
            .filter(|verdict| verdict.id <= last)
            .filter_map(|verdict| {
                Some(JudgeValue {
                    judge: names.get(&(verdict.judge.to_string(), verdict.version.to_string()))?.clone(),
                    setting: *ids.get(&verdict.conversation)?,
                    unit: verdict.unit,
                    criterion: verdict.criterion,
                    repeat: verdict.repeat,
                    outcome: verdict.outcome,
                    fingerprint: verdict.fingerprint,
                    cost_usd: verdict.cost_usd,
                    latency_ms: verdict.latency_ms,
                })
            })
            .collect();
        Ok(())
    }

    /// Which labels make the references: what the query says, else what the last built references used, else the median of all.
    pub(crate) async fn reference_source(
        &self,
        project: ProjectId,
        rule: Option<ReferenceRule>,
        annotators: &[String],
        observations: &Observations,
    ) -> Result<ReferenceSource, ServiceError> {
        let built = self.store.latest_reference_set(project).await?;
        let asked_rule = rule;
        let rule = rule.or(built.as_ref().map(|set| set.rule)).unwrap_or(ReferenceRule::Median);
        let annotators = match &built {
            // A decision is of everyone's labels, also of those that have come since.
            Some(built)
                if annotators.is_empty() && asked_rule.is_none() && rule != ReferenceRule::Adjudicated =>
            {
                &built.annotators
            }
            _ => annotators,
        };
        Ok(ReferenceSource { rule, annotators: chosen(rule, annotators, observations)?, anchor_set: None })
    }

    async fn conversation_ids(
        &self,
        project: ProjectId,
    ) -> Result<HashMap<String, ConversationId>, ServiceError> {
        let slices = self.store.conversation_slices(project, Viewer::Operator).await?;
        Ok(slices.into_iter().map(|slice| (slice.external_id, slice.id)).collect())
    }
}

fn setting(slice: ConversationSlices) -> Setting {
    let text = |text: Option<String>| text.map(Arc::from);
    Setting {
        conversation: slice.external_id.into(),
        cluster: slice.cluster.into(),
        category: text(slice.category),
        corpus: text(slice.corpus),
        system: text(slice.system),
        language: text(slice.language),
    }
}

/// Leaves the verdicts on frozen items. One that was given on another scale than theirs is a failure.
fn keep_items(observations: &mut Observations, items: &[AnchorItem], rubric: &Rubric) {
    let frozen: HashSet<(&str, String, &str)> = items
        .iter()
        .map(|item| (item.conversation.as_str(), item.unit.to_string(), item.criterion.as_str()))
        .collect();
    let settings = &observations.settings;
    observations.verdicts.retain(|verdict| {
        let setting = settings.get(verdict.setting as usize);
        setting.is_some_and(|setting| {
            frozen.contains(&(&*setting.conversation, verdict.unit.to_string(), &*verdict.criterion))
        })
    });
    for verdict in &mut observations.verdicts {
        let scale = rubric.scale_of(&verdict.criterion);
        if let Ok(value) = verdict.outcome
            && scale.is_none_or(|scale| scale.admit(value).is_none())
        {
            verdict.outcome = Err(FailureKind::OffScale);
        }
    }
}

/// The annotators named, or all who labelled, by name.
fn chosen(
    rule: ReferenceRule,
    named: &[String],
    observations: &Observations,
) -> Result<Vec<String>, ServiceError> {
    if rule == ReferenceRule::Adjudicated && !named.is_empty() {
        let reason = "what was adjudicated is of everyone's labels: name no annotators".to_owned();
        return Err(ServiceError::Invalid { field: "annotators".to_owned(), reason });
    }
    let known: BTreeSet<&str> = observations.labels.iter().map(|label| &*label.annotator).collect();
    if named.is_empty() {
        return Ok(known.into_iter().map(str::to_owned).collect());
    }
    if let Some(unknown) = named.iter().find(|name| !known.contains(name.as_str())) {
        let known: Vec<&str> = known.into_iter().collect();
        let reason = format!(
            "`{}` has no labels here; those who have: {}",
            domain::visible(unknown),
            known.join(", ")
        );
        return Err(ServiceError::Invalid { field: "annotators".to_owned(), reason });
    }
    let mut chosen = named.to_vec();
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

pub(crate) fn keep_annotators(observations: &mut Observations, source: &ReferenceSource) {
    observations.labels.retain(|label| source.annotators.iter().any(|name| **name == *label.annotator));
}
