//! Golden cases: the checks on each trace and, where a judge is named, its scores.

use crate::{ProjectId, Service, ServiceError, Viewer};
use domain::{CaseRule, CaseScores, CheckReport, ContentHash, Conversation, Rubric, UnitKind, visible};
use std::{
    collections::{BTreeMap, HashMap},
    str::FromStr,
};
use store::ConversationId;

/// Which golden cases are checked, and on what beside their traces.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckQuery {
    /// These categories only; all where empty.
    pub categories: Vec<String>,
    /// The judge whose scores count.
    pub judge: Option<String>,
    /// The criteria on which they count; with a judge at least one.
    pub criteria: Vec<CriterionAsked>,
}

/// A criterion on which a case must reach a level: `faithfulness`, or `faithfulness=5`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriterionAsked {
    /// Id of the criterion.
    pub id: String,
    /// The least level that passes, by value or name; that of [`CaseRule::default_threshold`] where absent.
    pub at_least: Option<String>,
}

impl FromStr for CriterionAsked {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<CriterionAsked, Self::Err> {
        let (id, at_least) =
            text.split_once('=').map_or((text, None), |(id, level)| (id, Some(level.to_owned())));
        Ok(CriterionAsked { id: id.to_owned(), at_least })
    }
}

impl Service {
    /// Checks the golden cases of a project.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] for a judge that is not there, [`ServiceError::Invalid`] for a criterion or level that is not.
    pub async fn check(
        &self,
        project: ProjectId,
        query: &CheckQuery,
        viewer: Viewer,
    ) -> Result<CheckReport, ServiceError> {
        let rule = self.case_rule(project, query).await?;
        let mut golden: Vec<(Conversation, ContentHash)> = Vec::new();
        let mut ids: HashMap<ConversationId, String> = HashMap::new();
        let each = |stored: store::StoredConversation| {
            if stored.conversation.expected.is_some() {
                ids.insert(stored.id, stored.conversation.id.clone());
                golden.push((stored.conversation, stored.content_hash));
            }
        };
        self.store.visit_conversations(project, viewer, each).await?;
        let scores = self.scores(project, &rule, &ids, viewer).await?;
        let name = self.store.project_name(project).await?;
        Ok(CheckReport::of(&name, &golden, &query.categories, rule, &scores, self.now()))
    }

    async fn case_rule(&self, project: ProjectId, query: &CheckQuery) -> Result<CaseRule, ServiceError> {
        if query.judge.is_some() == query.criteria.is_empty() {
            let reason = "a judge and the criteria on which its scores count go together".to_owned();
            return Err(ServiceError::Invalid { field: "judge".to_owned(), reason });
        }
        let mut rule = CaseRule { judge: query.judge.clone(), ..CaseRule::default() };
        if !query.criteria.is_empty() {
            let rubric = self.rubric_version(project).await?.rubric;
            for asked in &query.criteria {
                rule.thresholds.insert(asked.id.clone(), threshold(&rubric, asked)?);
            }
        }
        Ok(rule)
    }

    /// The judge's scores of whole conversations, by conversation and criterion, one for each repeat.
    async fn scores(
        &self,
        project: ProjectId,
        rule: &CaseRule,
        ids: &HashMap<ConversationId, String>,
        viewer: Viewer,
    ) -> Result<BTreeMap<String, CaseScores>, ServiceError> {
        let Some(judge) = &rule.judge else { return Ok(BTreeMap::new()) };
        let version = self.judge_version(project, judge).await?.0;
        let rubric = self.rubric_version(project).await?.rubric;
        let applicable = |criterion: &str, value: f64| {
            rubric.scale_of(criterion).is_some_and(|scale| scale.is_applicable(value))
        };
        let mut verdicts = self.store.verdicts(project, None, Some(&[version]), viewer).await?;
        verdicts.sort_by_key(|verdict| verdict.repeat);
        let mut scores: BTreeMap<String, CaseScores> = BTreeMap::new();
        for verdict in verdicts {
            let Some(conversation) = ids.get(&verdict.conversation) else { continue };
            if &*verdict.unit == "conversation" && rule.thresholds.contains_key(&*verdict.criterion) {
                let value = verdict.outcome.ok().filter(|value| applicable(&verdict.criterion, *value));
                let of_case = scores.entry(conversation.clone()).or_default();
                of_case.entry(verdict.criterion.to_string()).or_default().push(value);
            }
        }
        Ok(scores)
    }
}

fn threshold(rubric: &Rubric, asked: &CriterionAsked) -> Result<f64, ServiceError> {
    let invalid = |reason: String| ServiceError::Invalid { field: "criterion".to_owned(), reason };
    let whole = |id: &str| rubric.criterion(id).is_some_and(|own| own.unit == UnitKind::Conversation);
    let Some(scale) = rubric.scale_of(&asked.id).filter(|_| whole(&asked.id)) else {
        let known: Vec<&str> =
            rubric.criteria.iter().map(|own| own.id.as_str()).filter(|id| whole(id)).collect();
        return Err(invalid(format!(
            "found {}, expected one that is asked of whole conversations: {}",
            visible(&asked.id),
            known.join(", ")
        )));
    };
    match &asked.at_least {
        Some(level) => scale.parse(level).map_err(|fault| invalid(format!("{}: {fault}", asked.id))),
        None => CaseRule::default_threshold(scale).ok_or_else(|| {
            let expected = scale.expectation();
            invalid(format!("{0} has no pass level: write {0}=LEVEL with {expected}", asked.id))
        }),
    }
}
