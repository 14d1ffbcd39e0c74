//! The gate: a policy applied to a comparison, and the answer on record.

use crate::{
    DiagnosisQuery, ProjectId, ReferenceChoice, Service, ServiceError, UserId, Viewer, references::Observed,
    reports::no_judge,
};
use domain::{
    AcceptedThreshold, AnchorSet, AnchorSetName, Applied, Comparison, ComparisonChoice, ContentHash,
    Decision, Evidence, GatedJudge, HashedInput, MetricFigures, Observations, Policy, ReferenceRule, hash_of,
};
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

/// What is asked of the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateRequest {
    /// The judge that would be promoted.
    pub candidate: String,
    /// The judge in place.
    pub incumbent: Option<String>,
    /// The policy, as its TOML file; the latest that the project keeps where there is none.
    pub policy: Option<String>,
    /// Where the human values come from.
    pub reference: ReferenceChoice,
}

/// Most decisions that a log shows.
const LOGGED: u32 = 500;

/// A judge that is gated, as the decision calls it and as the store does.
#[derive(Clone, Debug)]
pub(crate) struct Party {
    called: String,
    pub(crate) name: String,
    pub(crate) version: String,
}

/// What is put to the gate: all that the answer depends on.
#[derive(Debug)]
struct Case {
    policy: Policy,
    reference: ReferenceChoice,
    candidate: Party,
    incumbent: Option<Party>,
    verdicts_through: i64,
    thresholds: Vec<AcceptedThreshold>,
}

/// What comes of a case.
struct Weighed {
    comparison: Comparison,
    data_hash: ContentHash,
    applied: Applied,
    evidence: Evidence,
}

impl Service {
    /// Decides, and records the decision with the hashes of what it saw. On `confirm` the look is recorded as well.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for a policy that cannot stand, [`ServiceError::NotFound`] for a judge that is not there,
    /// [`ServiceError::Conflict`] for an anchor set that is not as it was frozen, or of which the viewer is labelling a conversation.
    pub async fn gate(
        &self,
        project: ProjectId,
        request: GateRequest,
        by: Option<UserId>,
        viewer: Viewer,
    ) -> Result<Decision, ServiceError> {
        let policy = self.checked_policy(project, &request).await?;
        self.check_set(project, &request.reference, viewer).await?;
        let candidate = self.party(project, &request.candidate).await?;
        let incumbent = match &request.incumbent {
            Some(judge) => Some(self.party(project, judge).await?),
            None => None,
        };
        let mut thresholds = self.store.thresholds(project).await?;
        thresholds
            .retain(|accepted| accepted.judge == candidate.name && accepted.version == candidate.version);
        let verdicts_through = self.store.last_verdict().await?;
        let reference = request.reference;
        let case = Case { policy, reference, candidate, incumbent, verdicts_through, thresholds };
        let Weighed { comparison, data_hash, applied, evidence } = self.weigh(project, &case, viewer).await?;
        let candidates = std::slice::from_ref(&case.candidate.called);
        let opening = self.open_confirm(project, &case.reference, candidates, viewer).await?;
        let decision = Decision {
            decision: applied.decision,
            id: String::new(),
            project: comparison.project,
            candidate: case.candidate.called,
            incumbent: case.incumbent.map(|judge| judge.called),
            policy_hash: hash_of(&case.policy).map_err(internal)?,
            data_hash,
            advice_only: comparison.reference.anchor_set.is_none(),
            reference: comparison.reference,
            opening,
            decided_at: self.now(),
            rules: applied.rules,
            reasons: applied.reasons,
            policy: case.policy,
            evidence: Some(evidence),
        };
        let decision = self.store.append_decision(project, by, decision, self.now()).await?;
        let detail = format!("{}: {} {}", decision.id, decision.decision.word(), decision.candidate);
        self.record(by, Some(project), "gate", &detail).await?;
        self.announce(project, &decision);
        Ok(decision)
    }

    /// Decides a recorded decision again, on the data as they were then. Gives the same record, or says why it is not the same: labels and
    /// rubrics of live data move on, and so do judges' later verdicts, which are left out.
    ///
    /// # Errors
    /// [`ServiceError::Conflict`], which names what has changed.
    pub async fn replay(&self, project: ProjectId, id: &str) -> Result<Decision, ServiceError> {
        let recorded = self.decision(project, id).await?;
        let conflict = |says: String| ServiceError::Conflict { what: format!("decision {id} {says}") };
        let Some(then) = &recorded.evidence else {
            return Err(conflict(
                "was recorded before its evidence was kept, and cannot be decided again".to_owned(),
            ));
        };
        let case = Case::of(&recorded, then);
        self.check_set(project, &case.reference, Viewer::Operator).await?;
        let Weighed { data_hash, applied, evidence, .. } =
            self.weigh(project, &case, Viewer::Operator).await?;
        let changed = then.changed(&evidence.inputs);
        if !changed.is_empty() {
            let says = format!("cannot be decided again: changed since then: {}", changed.join(", "));
            return Err(conflict(says));
        }
        let again = Decision {
            decision: applied.decision,
            rules: applied.rules,
            reasons: applied.reasons,
            data_hash,
            evidence: Some(evidence),
            ..recorded.clone()
        };
        if again == recorded {
            return Ok(again);
        }
        let (before, now) = (recorded.decision.word(), again.decision.word());
        Err(conflict(format!(
            "comes out differently on the same data ({before} then, {now} now): this version of touchstone computes in another way"
        )))
    }

    async fn weigh(&self, project: ProjectId, case: &Case, viewer: Viewer) -> Result<Weighed, ServiceError> {
        let live = self.rubric_version(project).await?.rubric;
        let through = case.verdicts_through;
        let observed = self.observed_through(project, live, &case.reference, None, viewer, through).await?;
        let Observed { rubric, mut observations, reference } = observed;
        self.keep_parties(project, case, &mut observations).await?;
        if !case.policy.criteria.is_empty() {
            observations.keep_criteria(&case.policy.criteria);
        }
        let mut inputs =
            vec![HashedInput { part: "the rubric".to_owned(), hash: hash_of(&rubric).map_err(internal)? }];
        let parts = observations.hashes_by_part().into_iter();
        inputs.extend(parts.map(|(part, hash)| HashedInput { part: format!("the {part}"), hash }));
        let name = self.store.project_name(project).await?;
        let choice = ComparisonChoice {
            incumbent: case.incumbent.as_ref().map(|judge| judge.called.clone()),
            baselines: BTreeSet::new(),
            by: case.policy.sliced_by(),
        };
        let comparison = {
            let _turn = self.computing.lock().await;
            let compared = tokio::task::spawn_blocking(move || {
                Comparison::of(&name, &rubric, &observations, reference, &choice)
            });
            compared.await.map_err(internal)?
        };
        let (metrics, hashes) = self.metrics_asked(project, case, viewer).await?;
        inputs.extend(
            hashes.iter().map(|hash| HashedInput { part: "the metrics".to_owned(), hash: hash.clone() }),
        );
        let data_hash = if hashes.is_empty() {
            comparison.data_hash.clone()
        } else {
            hash_of(&(&comparison.data_hash, &hashes)).map_err(internal)?
        };
        let incumbent = case.incumbent.as_ref();
        let applied = case.policy.apply(
            &comparison,
            &metrics,
            &case.thresholds,
            &case.candidate.called,
            incumbent.map(|judge| judge.called.as_str()),
        );
        let evidence = Evidence {
            candidate: case.candidate.gated(&comparison),
            incumbent: incumbent.map(|judge| judge.gated(&comparison)),
            verdicts_through: through,
            inputs,
            thresholds: case.thresholds.clone(),
        };
        Ok(Weighed { comparison, data_hash, applied, evidence })
    }

    /// Leaves the verdicts of the judges of a case, under the names that the decision has for them: reports name a judge by its version
    /// as soon as it has a second one.
    async fn keep_parties(
        &self,
        project: ProjectId,
        case: &Case,
        observations: &mut Observations,
    ) -> Result<(), ServiceError> {
        let names = self.judge_names(project).await?;
        let mut called: HashMap<Arc<str>, Arc<str>> = HashMap::new();
        for party in [Some(&case.candidate), case.incumbent.as_ref()].into_iter().flatten() {
            let now = names.get(&(party.name.clone(), party.version.clone()));
            let now = now.ok_or_else(|| no_judge(&party.called, names.values().map(|name| &**name)))?;
            called.insert(now.clone(), party.called.as_str().into());
        }
        observations.verdicts.retain_mut(|verdict| match called.get(&verdict.judge) {
            Some(name) => {
                verdict.judge = name.clone();
                true
            }
            None => false,
        });
        Ok(())
    }

    /// The judge that reports call by this name.
    pub(crate) async fn party(&self, project: ProjectId, judge: &str) -> Result<Party, ServiceError> {
        let names = self.judge_names(project).await?;
        let found = names.iter().find(|(_, called)| ***called == *judge);
        let ((name, version), called) =
            found.ok_or_else(|| no_judge(judge, names.values().map(|name| &**name)))?;
        Ok(Party { called: called.to_string(), name: name.clone(), version: version.clone() })
    }

    /// A frozen set is decided on whole, and as it was frozen.
    pub(crate) async fn check_set(
        &self,
        project: ProjectId,
        choice: &ReferenceChoice,
        viewer: Viewer,
    ) -> Result<(), ServiceError> {
        let ReferenceChoice::AnchorSet { name, .. } = choice else { return Ok(()) };
        let conflict = |what: String| ServiceError::Conflict { what };
        let stored = self.store.anchor_set(project, name, viewer).await?;
        let file = self.store.anchor_set_file(stored.id, viewer).await?.ok_or_else(|| {
            conflict(format!(
                "{name} is sealed to you while you are labelling a conversation of it: submit that first, or let somebody else decide"
            ))
        })?;
        let (mut set, hash) = AnchorSet::from_file(file.as_bytes())
            .map_err(|error| conflict(format!("{name} is not as it was frozen: {error}")))?;
        let mut items = self.store.anchor_items(stored.id, viewer).await?;
        for items in [&mut set.items, &mut items] {
            items.sort_by_cached_key(|item| {
                (item.conversation.clone(), item.criterion.clone(), item.unit.to_string())
            });
        }
        if hash != stored.hash || items != set.items {
            let what = format!(
                "{name} is not as it was frozen: what stands in the database is not what {} is the hash of",
                stored.hash
            );
            return Err(conflict(what));
        }
        Ok(())
    }

    /// The metrics that a policy asks for, of people beside the candidate, and the hashes of what they are of.
    async fn metrics_asked(
        &self,
        project: ProjectId,
        case: &Case,
        viewer: Viewer,
    ) -> Result<(Vec<MetricFigures>, Vec<ContentHash>), ServiceError> {
        let policy = &case.policy;
        let usual = DiagnosisQuery::default();
        let k_of = |id: &String| id.split_once('@').and_then(|(_, k)| k.parse().ok()).unwrap_or(usual.k);
        let asked: BTreeSet<u32> = policy.by_metric.keys().map(k_of).collect();
        let (mut metrics, mut hashes): (Vec<MetricFigures>, Vec<ContentHash>) = (Vec::new(), Vec::new());
        for k in asked {
            let query = DiagnosisQuery {
                judge: Some(case.candidate.called.clone()),
                reference: case.reference.clone(),
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
        match &request.policy {
            Some(text) => self.policy_of(project, text).await,
            None => self.policy_of(project, &self.own_policy(project).await?).await,
        }
    }

    /// The policy that a text is, for the rubric of a project.
    pub(crate) async fn policy_of(&self, project: ProjectId, text: &str) -> Result<Policy, ServiceError> {
        let invalid = |reason: String| ServiceError::Invalid { field: "policy".to_owned(), reason };
        let policy = Policy::from_toml(text).map_err(|error| invalid(error.to_string()))?;
        let rubric = self.rubric_version(project).await?.rubric;
        let mut named = policy.criteria.iter().chain(policy.by_criterion.keys());
        if let Some(unknown) = named.find(|id| rubric.criterion(id).is_none()) {
            return Err(invalid(format!(
                "the rubric {}@{} has no criterion `{unknown}`",
                rubric.name, rubric.version
            )));
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

impl Party {
    /// The judge with what answered for it.
    fn gated(&self, comparison: &Comparison) -> GatedJudge {
        let figures = comparison.criteria.iter().filter_map(|criterion| {
            let figures = criterion.judges.iter().find(|figures| figures.judge == self.called)?;
            Some((criterion.id.clone(), figures.fingerprint.clone()?))
        });
        GatedJudge { name: self.name.clone(), version: self.version.clone(), fingerprints: figures.collect() }
    }
}

impl Case {
    /// The case of a recorded decision.
    fn of(recorded: &Decision, evidence: &Evidence) -> Case {
        let party = |called: &str, judge: &GatedJudge| Party {
            called: called.to_owned(),
            name: judge.name.clone(),
            version: judge.version.clone(),
        };
        let incumbent = recorded.incumbent.as_deref().zip(evidence.incumbent.as_ref());
        let source = &recorded.reference;
        let reference = match &source.anchor_set {
            Some(set) => ReferenceChoice::AnchorSet {
                name: AnchorSetName { name: set.name.clone(), version: set.version },
                split: set.split,
                why: None,
            },
            None => ReferenceChoice::Labels {
                rule: Some(source.rule),
                annotators: match source.rule {
                    ReferenceRule::Adjudicated => Vec::new(),
                    _ => source.annotators.clone(),
                },
            },
        };
        Case {
            policy: recorded.policy.clone(),
            reference,
            candidate: party(&recorded.candidate, &evidence.candidate),
            incumbent: incumbent.map(|(called, judge)| party(called, judge)),
            verdicts_through: evidence.verdicts_through,
            thresholds: evidence.thresholds.clone(),
        }
    }
}

fn internal(error: impl std::fmt::Display) -> ServiceError {
    ServiceError::Internal(error.to_string())
}
