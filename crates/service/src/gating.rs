//! The gate: a policy applied to a comparison, and the answer on record.

use crate::{ComparisonQuery, ProjectId, Service, ServiceError, UserId, Viewer};
use domain::{Decision, Policy, ReferenceRule, hash_of};

/// What is asked of the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateRequest {
    /// The judge that would be promoted.
    pub candidate: String,
    /// The judge in place.
    pub incumbent: Option<String>,
    /// The policy, as its TOML file.
    pub policy: String,
    /// How several labels become one; the last built references where absent.
    pub rule: Option<ReferenceRule>,
    /// Whose labels; all where empty.
    pub annotators: Vec<String>,
}

/// Most decisions that a log shows.
const LOGGED: u32 = 500;

impl Service {
    /// Decides, and records the decision with the hashes of what it saw.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for a policy that cannot stand, [`ServiceError::NotFound`] for a judge that is not there.
    pub async fn gate(
        &self,
        project: ProjectId,
        request: GateRequest,
        by: Option<UserId>,
        viewer: Viewer,
    ) -> Result<Decision, ServiceError> {
        let policy = self.checked_policy(project, &request).await?;
        let query = ComparisonQuery {
            rule: request.rule,
            annotators: request.annotators,
            criterion: None,
            judges: [Some(request.candidate.clone()), request.incumbent.clone()]
                .into_iter()
                .flatten()
                .collect(),
            incumbent: request.incumbent.clone(),
        };
        let comparison = self.comparison(project, &query, viewer).await?;
        let applied = policy.apply(&comparison, &request.candidate, request.incumbent.as_deref());
        let internal = |error: domain::NotCanonical| ServiceError::Internal(error.to_string());
        let decision = Decision {
            decision: applied.decision,
            id: String::new(),
            project: comparison.project,
            candidate: request.candidate,
            incumbent: request.incumbent,
            policy_hash: hash_of(&policy).map_err(internal)?,
            data_hash: comparison.data_hash,
            advice_only: comparison.reference.anchor_set.is_none(),
            reference: comparison.reference,
            decided_at: self.now(),
            rules: applied.rules,
            reasons: applied.reasons,
            policy,
        };
        let decision = self.store.append_decision(project, by, decision, self.now()).await?;
        let detail = format!("{}: {} {}", decision.id, decision.decision.word(), decision.candidate);
        self.record(by, Some(project), "gate", &detail).await?;
        Ok(decision)
    }

    async fn checked_policy(
        &self,
        project: ProjectId,
        request: &GateRequest,
    ) -> Result<Policy, ServiceError> {
        let invalid = |field: &str, reason: String| ServiceError::Invalid { field: field.to_owned(), reason };
        if request.incumbent.as_deref() == Some(request.candidate.as_str()) {
            return Err(invalid(
                "incumbent",
                "candidate and incumbent are the same judge: name two, or no incumbent".to_owned(),
            ));
        }
        let policy =
            Policy::from_toml(&request.policy).map_err(|error| invalid("policy", error.to_string()))?;
        let rubric = self.rubric_version(project).await?.rubric;
        let mut named = policy.criteria.iter().chain(policy.by_criterion.keys());
        if let Some(unknown) = named.find(|id| rubric.criterion(id).is_none()) {
            return Err(invalid(
                "policy",
                format!("the rubric {}@{} has no criterion `{unknown}`", rubric.name, rubric.version),
            ));
        }
        Ok(policy)
    }

    /// The decisions of a project, newest first.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn decisions(&self, project: ProjectId) -> Result<Vec<Decision>, ServiceError> {
        Ok(self.store.decisions(project, LOGGED).await?)
    }

    /// One decision, as it was recorded.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`].
    pub async fn decision(&self, project: ProjectId, id: &str) -> Result<Decision, ServiceError> {
        let missing =
            || ServiceError::NotFound { what: format!("there is no decision `{}`", domain::visible(id)) };
        Ok(self.store.decision(project, id.parse().map_err(|_| missing())?).await?)
    }
}
