//! The gate: a policy applied to a comparison, and the answer on record.

use crate::{
    ComparisonQuery, DiagnosisQuery, ProjectId, ReferenceChoice, Service, ServiceError, UserId, Viewer,
};
use domain::{ContentHash, Decision, MetricFigures, Policy, hash_of};
use std::collections::BTreeSet;

/// What is asked of the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateRequest {
    /// The judge that would be promoted.
    pub candidate: String,
    /// The judge in place.
    pub incumbent: Option<String>,
    /// The policy, as its TOML file.
    pub policy: String,
    /// Where the human values come from.
    pub reference: ReferenceChoice,
}

/// Most decisions that a log shows.
const LOGGED: u32 = 500;

impl Service {
    /// Decides, and records the decision with the hashes of what it saw. On `confirm` the look is recorded as well.
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
            reference: request.reference.clone(),
            criterion: None,
            judges: [Some(request.candidate.clone()), request.incumbent.clone()]
                .into_iter()
                .flatten()
                .collect(),
            incumbent: request.incumbent.clone(),
        };
        let comparison = self.compared(project, &query, viewer).await?;
        let (metrics, hashes) = self.metrics_asked(project, &policy, &request, viewer).await?;
        let applied = policy.apply(&comparison, &metrics, &request.candidate, request.incumbent.as_deref());
        let internal = |error: domain::NotCanonical| ServiceError::Internal(error.to_string());
        let data_hash = if hashes.is_empty() {
            comparison.data_hash
        } else {
            hash_of(&(&comparison.data_hash, &hashes)).map_err(internal)?
        };
        let candidates = std::slice::from_ref(&request.candidate);
        let opening = self.open_confirm(project, &request.reference, candidates, viewer).await?;
        let decision = Decision {
            decision: applied.decision,
            id: String::new(),
            project: comparison.project,
            candidate: request.candidate,
            incumbent: request.incumbent,
            policy_hash: hash_of(&policy).map_err(internal)?,
            data_hash,
            advice_only: comparison.reference.anchor_set.is_none(),
            reference: comparison.reference,
            opening,
            decided_at: self.now(),
            rules: applied.rules,
            reasons: applied.reasons,
            policy,
        };
        let decision = self.store.append_decision(project, by, decision, self.now()).await?;
        let detail = format!("{}: {} {}", decision.id, decision.decision.word(), decision.candidate);
        self.record(by, Some(project), "gate", &detail).await?;
        self.announce(project, &decision);
        Ok(decision)
    }

    /// The metrics that a policy asks for, of people beside the candidate, and the hashes of what they are of.
    async fn metrics_asked(
        &self,
        project: ProjectId,
        policy: &Policy,
        request: &GateRequest,
        viewer: Viewer,
    ) -> Result<(Vec<MetricFigures>, Vec<ContentHash>), ServiceError> {
        let usual = DiagnosisQuery::default();
        let k_of = |id: &String| id.split_once('@').and_then(|(_, k)| k.parse().ok()).unwrap_or(usual.k);
        let asked: BTreeSet<u32> = policy.by_metric.keys().map(k_of).collect();
        let (mut metrics, mut hashes): (Vec<MetricFigures>, Vec<ContentHash>) = (Vec::new(), Vec::new());
        for k in asked {
            let query = DiagnosisQuery {
                judge: Some(request.candidate.clone()),
                reference: request.reference.clone(),
                k,
                ..DiagnosisQuery::default()
            };
            let report = self.diagnosed(project, &query, viewer).await?;
            metrics.extend(report.metrics);
            hashes.push(report.data_hash);
        }
        if let Some(unknown) =
            policy.by_metric.keys().find(|id| metrics.iter().all(|metric| metric.id != **id))
        {
            let known: BTreeSet<&str> = metrics.iter().map(|metric| metric.id.as_str()).collect();
            let known: Vec<&str> = known.into_iter().collect();
            let reason = format!(
                "the project has no metric `{}`; it has {}",
                domain::visible(unknown),
                known.join(", ")
            );
            return Err(ServiceError::Invalid { field: "policy".to_owned(), reason });
        }
        Ok((metrics, hashes))
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
