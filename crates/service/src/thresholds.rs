//! Pass thresholds: where a judge's could stand, and which one was accepted.

use crate::{
    ProjectId, ReferenceChoice, Service, ServiceError, UserId, Viewer, references::Observed,
    releasing::check_reason,
};
use domain::{AcceptedThreshold, ContentHash, NoThreshold, ThresholdProposal};

/// Which threshold is asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThresholdQuery {
    /// The judge.
    pub judge: String,
    /// Id of the criterion.
    pub criterion: String,
    /// Where the human values come from.
    pub reference: ReferenceChoice,
}

/// A threshold that somebody accepts.
#[derive(Clone, Debug, PartialEq)]
pub struct ThresholdChoice {
    /// What was proposed.
    pub query: ThresholdQuery,
    /// The threshold, one of the sweep; the proposed one where absent.
    pub threshold: Option<f64>,
    /// Hash of the data of the proposal that was seen; absent where none was.
    pub seen: Option<ContentHash>,
    /// Why.
    pub reason: String,
}

impl Service {
    /// Where a judge's pass threshold could stand, with the sweep over all thresholds. A look at the `confirm` split is recorded.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] for a judge that is not there; [`ServiceError::Invalid`] where no threshold can be proposed.
    pub async fn propose_threshold(
        &self,
        project: ProjectId,
        query: &ThresholdQuery,
        viewer: Viewer,
    ) -> Result<ThresholdProposal, ServiceError> {
        let proposal = self.threshold_proposal(project, query, viewer).await?;
        self.open_confirm(project, &query.reference, std::slice::from_ref(&proposal.judge), viewer).await?;
        Ok(proposal)
    }

    /// Accepts a threshold for the instrument that answered, on one criterion. A mean shift of that instrument is no reason to hold then.
    ///
    /// # Errors
    /// As [`Service::propose_threshold`]; [`ServiceError::Conflict`] where the data are not those of the proposal that was seen.
    pub async fn accept_threshold(
        &self,
        project: ProjectId,
        choice: &ThresholdChoice,
        by: Option<UserId>,
        viewer: Viewer,
    ) -> Result<AcceptedThreshold, ServiceError> {
        check_reason(&choice.reason)?;
        let mut proposal = self.threshold_proposal(project, &choice.query, viewer).await?;
        if choice.seen.as_ref().is_some_and(|seen| *seen != proposal.data_hash) {
            let what = "the labels or verdicts have changed since the proposal was made: look at it again"
                .to_owned();
            return Err(ServiceError::Conflict { what });
        }
        if let Some(threshold) = choice.threshold {
            let at = |point: &&domain::agreement::ThresholdPoint| (point.threshold - threshold).abs() < 1e-9;
            let point = proposal.sweep.iter().find(at).copied();
            proposal.proposed = point.ok_or_else(|| {
                let tried: Vec<String> =
                    proposal.sweep.iter().map(|point| point.threshold.to_string()).collect();
                let reason = format!("found {threshold}, expected one of {}", tried.join(", "));
                ServiceError::Invalid { field: "threshold".to_owned(), reason }
            })?;
        }
        let version = self.party(project, &proposal.judge).await?;
        let named = (version.name.as_str(), version.version.as_str());
        let reason = choice.reason.trim();
        let accepted = self.store.accept_threshold(project, named, &proposal, reason, by, self.now()).await?;
        let detail = format!(
            "{}@{} on {}: {} → {}",
            accepted.judge, accepted.version, accepted.criterion, accepted.before, accepted.threshold
        );
        self.record(by, Some(project), "accept_threshold", &detail).await?;
        Ok(accepted)
    }

    async fn threshold_proposal(
        &self,
        project: ProjectId,
        query: &ThresholdQuery,
        viewer: Viewer,
    ) -> Result<ThresholdProposal, ServiceError> {
        let judge = self.judge_version(project, &query.judge).await?.1;
        let live = self.rubric_version(project).await?.rubric;
        let criterion = query.criterion.as_str();
        let observed = self.observed(project, live, &query.reference, Some(criterion), viewer).await?;
        let Observed { rubric, mut observations, reference } = observed;
        observations.verdicts.retain(|verdict| *verdict.judge == *judge);
        let fingerprint = observations.verdicts.first().map(|verdict| verdict.fingerprint.clone());
        let accepted = self.store.thresholds(project).await?;
        let before = accepted
            .into_iter()
            .find(|accepted| {
                accepted.criterion == criterion && Some(&*accepted.fingerprint) == fingerprint.as_deref()
            })
            .map(|accepted| accepted.threshold);
        ThresholdProposal::of(&rubric, &observations, reference, criterion, &judge, before).map_err(|error| {
            let field = match error {
                NoThreshold::Criterion(_) | NoThreshold::PassLevel(_) => "criterion",
                _ => "judge",
            };
            ServiceError::Invalid { field: field.to_owned(), reason: error.to_string() }
        })
    }
}
