//! The items behind the figures of a judge, with what was written about them.

use crate::{
    ProjectId, ReferenceChoice, Service, ServiceError, Viewer,
    references::Observed,
    reports::{check_criterion, no_judge},
};
use domain::{Answers, Contrast, ContrastChoice, ContrastItem, ContrastOutcome, Conversation, Scale};
use std::{collections::HashMap, sync::Arc};
use store::{StoreError, VerdictKey};

/// Which items of a judge are wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct ContrastQuery {
    /// Where the human values come from.
    pub reference: ReferenceChoice,
    /// What is held against what.
    pub choice: ContrastChoice,
    /// Only items of this outcome.
    pub outcome: Option<ContrastOutcome>,
    /// Only items that people put on the first level and the judge, in any repeat, on the second.
    pub cell: Option<(f64, f64)>,
    /// How many at most are given, with their texts.
    pub most: usize,
}

/// The items of a judge and what they are of.
#[derive(Clone, Debug, PartialEq)]
pub struct Contrasted {
    /// The counts of all items, and the wanted ones with the reasons of the judges.
    pub contrast: Contrast,
    /// How many items were wanted, of which the first are given.
    pub wanted: u64,
    /// The scale of the criterion.
    pub scale: Scale,
    /// The conversations of the given items, by id.
    pub conversations: HashMap<String, Conversation>,
}

/// Judge and version by the name that reports use.
type VersionsByName = HashMap<Arc<str>, (String, String)>;

impl Service {
    /// The items of one judge beside people, and beside another judge where one is named. A look at the `confirm` split is recorded.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] for a judge or an anchor set that is not there, [`ServiceError::Invalid`] for a criterion that is not.
    pub async fn contrast(
        &self,
        project: ProjectId,
        query: &ContrastQuery,
        viewer: Viewer,
    ) -> Result<Contrasted, ServiceError> {
        let choice = &query.choice;
        let names = self.judge_names(project).await?;
        let versions: VersionsByName = names.into_iter().map(|(version, name)| (name, version)).collect();
        for judge in std::iter::once(&choice.judge).chain(&choice.against) {
            if !versions.contains_key(judge.as_str()) {
                return Err(no_judge(judge, versions.keys().map(|name| &**name)));
            }
        }
        let live = self.rubric_version(project).await?.rubric;
        let criterion = choice.criterion.as_str();
        let observed = self.observed(project, live, &query.reference, Some(criterion), viewer).await?;
        let Observed { rubric, mut observations, reference } = observed;
        check_criterion(&rubric, Some(criterion))?;
        self.leave_out_examples(project, &mut observations).await?;
        let shown = [Some(&choice.judge), choice.against.as_ref()];
        observations.verdicts.retain(|verdict| shown.iter().flatten().any(|name| ***name == *verdict.judge));
        let name = self.store.project_name(project).await?;
        let found = Contrast::of(&name, &rubric, &observations, reference, choice);
        let nothing = || {
            let judge = domain::visible(&choice.judge);
            format!("`{judge}` has no verdict on `{criterion}`, or nobody labelled it")
        };
        let mut contrast = found.ok_or_else(|| ServiceError::NotFound { what: nothing() })?;
        contrast.items.retain(|item| is_wanted(query, item));
        let wanted = contrast.items.len() as u64;
        contrast.items.truncate(query.most);
        self.add_reasons(project, &versions, viewer, &mut contrast).await?;
        let conversations = self.conversations_of(project, &contrast).await?;
        self.open_confirm(project, &query.reference, std::slice::from_ref(&choice.judge), viewer).await?;
        let scale = rubric.scale_of(criterion).cloned();
        let scale = scale.ok_or_else(|| ServiceError::NotFound { what: nothing() })?;
        Ok(Contrasted { contrast, wanted, scale, conversations })
    }

    /// Puts beside each answer the reason that the judge gave for it.
    async fn add_reasons(
        &self,
        project: ProjectId,
        versions: &VersionsByName,
        viewer: Viewer,
        contrast: &mut Contrast,
    ) -> Result<(), ServiceError> {
        let Contrast { criterion, judge, against, items, .. } = contrast;
        for item in items {
            let ContrastItem { conversation, unit, judge: own, against: other, .. } = item;
            let unit = unit.parse().map_err(|error: domain::UnitError| ServiceError::Internal(error.0))?;
            let said = std::iter::once((judge.as_str(), own)).chain(against.as_deref().zip(other.as_mut()));
            for (name, Answers { repeats, .. }) in said {
                let Some((judge, version)) = versions.get(name) else { continue };
                for answer in repeats {
                    let repeat = answer.repeat;
                    let key = VerdictKey { judge, version, conversation, unit: &unit, criterion, repeat };
                    answer.reason = match self.store.verdict(project, &key, viewer).await {
                        Ok(detail) => detail.verdict.reason,
                        Err(StoreError::NotFound { .. }) => None,
                        Err(error) => return Err(error.into()),
                    };
                }
            }
        }
        Ok(())
    }

    async fn conversations_of(
        &self,
        project: ProjectId,
        contrast: &Contrast,
    ) -> Result<HashMap<String, Conversation>, ServiceError> {
        let mut conversations = HashMap::new();
        for item in &contrast.items {
            if !conversations.contains_key(&item.conversation) {
                let found = self.conversation(project, &item.conversation).await?;
                conversations.insert(item.conversation.clone(), found);
            }
        }
        Ok(conversations)
    }
}

fn is_wanted(query: &ContrastQuery, item: &ContrastItem) -> bool {
    let near = |x: f64, y: f64| (x - y).abs() < 1e-9;
    let said = |value: f64| {
        item.judge.repeats.iter().filter_map(|answer| answer.value).any(|given| near(given, value))
    };
    query.outcome.is_none_or(|outcome| outcome == item.outcome)
        && query.cell.is_none_or(|(people, judge)| near(item.reference, people) && said(judge))
}
