//! Releases: which judge stands in which slot, on which decision; the policies that are asked; and the log of it all.

use crate::{ProjectId, Service, ServiceError, UserId, Viewer};
use domain::{
    AnchorSetName, Decision, Evidence, PolicyVersion, Purpose, ReleaseLogEntry, Rubric, SlotAct, SlotChange,
    Verdict, hash_of, is_floating, to_roll_back, visible,
};
use std::collections::BTreeMap;
use store::{NewSlotChange, NewStanding};

/// Most decisions and looks that a log shows.
const LOGGED: u32 = 500;

/// What is to be promoted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromotionRequest {
    /// The decision that allows it.
    pub decision: String,
    /// What the judge is to be used for.
    pub purpose: Purpose,
    /// On which criteria; all that the decision asked about where empty.
    pub criteria: Vec<String>,
    /// Why.
    pub reason: String,
    /// Why a model that is asked for by a floating name may stand all the same.
    pub floating_reason: Option<String>,
}

impl Service {
    /// Puts the candidate of a decision into slots.
    ///
    /// # Errors
    /// [`ServiceError::Conflict`] for a decision that is not PROMOTE or not on a frozen anchor set, for a slot in which another judge stands
    /// than the one that the candidate was decided against, and for a model under a floating name without a reason.
    pub async fn promote(
        &self,
        project: ProjectId,
        request: &PromotionRequest,
        by: Option<UserId>,
    ) -> Result<Vec<SlotChange>, ServiceError> {
        check_reason(&request.reason)?;
        let decision = self.decision(project, &request.decision).await?;
        let (evidence, rubric) = self.promotable(project, &decision).await?;
        let criteria = chosen_criteria(&decision, &request.criteria)?;
        let models = self.models_of(project, evidence).await?;
        let thresholds = self.store.thresholds(project).await?;
        let history = self.store.slot_changes(project).await?;
        let mut changes = Vec::with_capacity(criteria.len());
        for criterion in criteria {
            let fingerprint = evidence.candidate.fingerprints.get(criterion).ok_or_else(|| {
                conflict(format!(
                    "the verdicts on {criterion} are not of one instrument: they cannot be promoted"
                ))
            })?;
            let model = models.get(fingerprint).and_then(Option::as_deref);
            let floating_reason = floating_reason(model, request.floating_reason.as_deref())?;
            let last = history.iter().rev().find(|change| is_of(change, criterion, request.purpose));
            check_standing(last, evidence, criterion, fingerprint)?;
            let accepted = thresholds
                .iter()
                .find(|accepted| accepted.fingerprint == *fingerprint && accepted.criterion == criterion)
                .map(|accepted| accepted.threshold);
            let pass_level = || rubric.scale_of(criterion).and_then(|scale| scale.relevant_from);
            changes.push(NewSlotChange {
                criterion: criterion.to_owned(),
                purpose: request.purpose,
                act: SlotAct::Promote,
                stands: Some(NewStanding {
                    decision: decision.id.clone(),
                    judge: evidence.candidate.name.clone(),
                    version: evidence.candidate.version.clone(),
                    fingerprint: fingerprint.clone(),
                    threshold: accepted.or_else(pass_level),
                }),
                reason: request.reason.trim().to_owned(),
                floating_reason,
                supersedes: last.map(|last| last.id.clone()),
            });
        }
        self.change_slots(project, &changes, by, "promote").await
    }

    /// Takes the judge that was promoted last out of a slot; what stood before stands again, or nothing.
    ///
    /// # Errors
    /// [`ServiceError::Conflict`] where nothing stands in the slot.
    pub async fn roll_back(
        &self,
        project: ProjectId,
        criterion: &str,
        purpose: Purpose,
        reason: &str,
        by: Option<UserId>,
    ) -> Result<SlotChange, ServiceError> {
        check_reason(reason)?;
        let mut history = self.store.slot_changes(project).await?;
        history.retain(|change| is_of(change, criterion, purpose));
        let Some((_, before)) = to_roll_back(&history) else {
            let slot = format!("{} for {purpose}", visible(criterion));
            return Err(conflict(format!(
                "nothing stands in the slot {slot}: there is nothing to roll back"
            )));
        };
        let stands = before.and_then(|before| before.stands.as_ref()).map(|judge| NewStanding {
            decision: judge.decision.clone(),
            judge: judge.judge.clone(),
            version: judge.version.clone(),
            fingerprint: judge.fingerprint.clone(),
            threshold: judge.threshold,
        });
        let change = NewSlotChange {
            criterion: criterion.to_owned(),
            purpose,
            act: SlotAct::RollBack,
            stands,
            reason: reason.trim().to_owned(),
            floating_reason: None,
            supersedes: history.last().map(|last| last.id.clone()),
        };
        let changed = self.change_slots(project, std::slice::from_ref(&change), by, "roll_back").await?;
        changed.into_iter().next().ok_or_else(|| ServiceError::Internal("no slot was changed".to_owned()))
    }

    /// The last change of every slot that was ever filled, by criterion and purpose: what stands now.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn slots(&self, project: ProjectId) -> Result<Vec<SlotChange>, ServiceError> {
        let mut last: BTreeMap<(String, Purpose), SlotChange> = BTreeMap::new();
        for change in self.store.slot_changes(project).await? {
            last.insert((change.criterion.clone(), change.purpose), change);
        }
        Ok(last.into_values().collect())
    }

    /// What was asked, decided, moved and promoted, newest first.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn release_log(&self, project: ProjectId) -> Result<Vec<ReleaseLogEntry>, ServiceError> {
        Ok(self.store.release_log(project, LOGGED).await?)
    }

    /// Keeps a policy as the next version of the project's. The same text again changes nothing.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for a policy that cannot stand.
    pub async fn save_policy(
        &self,
        project: ProjectId,
        text: &str,
        by: Option<UserId>,
    ) -> Result<PolicyVersion, ServiceError> {
        let policy = self.policy_of(project, text).await?;
        let hash = hash_of(&policy).map_err(|error| ServiceError::Internal(error.to_string()))?;
        let saved = self.store.save_policy(project, text, &hash, by, self.now()).await?;
        self.record(by, Some(project), "save_policy", &format!("{} {}", saved.version, saved.hash)).await?;
        Ok(saved)
    }

    /// The versions of the project's policy, last saved first.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn policies(&self, project: ProjectId) -> Result<Vec<PolicyVersion>, ServiceError> {
        Ok(self.store.policies(project).await?)
    }

    /// The policy that the project has: the text last saved.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] where none was ever saved.
    pub async fn own_policy(&self, project: ProjectId) -> Result<String, ServiceError> {
        let latest = self.policies(project).await?.into_iter().next().map(|latest| latest.text);
        latest.ok_or_else(|| ServiceError::NotFound {
            what: "the project has no policy yet: name one with --policy FILE, or keep one with `touchstone policy save`"
                .to_owned(),
        })
    }

    /// What a promotion on a decision rests on: the evidence, and the rubric of its anchor set.
    async fn promotable<'d>(
        &self,
        project: ProjectId,
        decision: &'d Decision,
    ) -> Result<(&'d Evidence, Rubric), ServiceError> {
        if decision.decision != Verdict::Promote {
            let says = decision.decision.word();
            return Err(conflict(format!(
                "decision {} is {says}: only PROMOTE can be followed by a promotion",
                decision.id
            )));
        }
        let (Some(evidence), Some(source)) = (&decision.evidence, &decision.reference.anchor_set) else {
            return Err(conflict(format!(
                "decision {} is advice: only a decision on a frozen anchor set can be followed by a promotion",
                decision.id
            )));
        };
        let name = AnchorSetName { name: source.name.clone(), version: source.version };
        let set = self.store.anchor_set(project, &name, Viewer::Operator).await?;
        Ok((evidence, self.store.anchor_set_rubric(set.id).await?))
    }

    /// The model that was asked for, by the fingerprints of the candidate.
    async fn models_of(
        &self,
        project: ProjectId,
        evidence: &Evidence,
    ) -> Result<BTreeMap<String, Option<String>>, ServiceError> {
        let judges = self.store.judges(project).await?;
        let versions = judges
            .into_iter()
            .filter(|judge| judge.name == evidence.candidate.name)
            .flat_map(|judge| judge.versions)
            .filter(|version| version.version == evidence.candidate.version);
        let fingerprints = versions.flat_map(|version| version.fingerprints);
        Ok(fingerprints.map(|fingerprint| (fingerprint.hash, fingerprint.model)).collect())
    }

    /// Changes slots, and gives them as they stand then.
    async fn change_slots(
        &self,
        project: ProjectId,
        changes: &[NewSlotChange],
        by: Option<UserId>,
        action: &str,
    ) -> Result<Vec<SlotChange>, ServiceError> {
        self.store.change_slots(project, changes, by, self.now()).await?;
        let slots = self.slots(project).await?.into_iter();
        let changed: Vec<SlotChange> = slots
            .filter(|slot| changes.iter().any(|change| is_of(slot, &change.criterion, change.purpose)))
            .collect();
        for slot in &changed {
            let stands =
                slot.stands.as_ref().map_or_else(|| "nothing".to_owned(), domain::PromotedJudge::full_name);
            let detail = format!("{} for {}: {stands}", slot.criterion, slot.purpose);
            self.record(by, Some(project), action, &detail).await?;
        }
        Ok(changed)
    }
}

fn is_of(change: &SlotChange, criterion: &str, purpose: Purpose) -> bool {
    change.criterion == criterion && change.purpose == purpose
}

/// The criteria that are asked for, or all that the decision was about.
fn chosen_criteria<'d>(decision: &'d Decision, asked: &[String]) -> Result<Vec<&'d str>, ServiceError> {
    let decided = decision.criteria();
    if let Some(unknown) = asked.iter().find(|asked| !decided.contains(asked.as_str())) {
        let known: Vec<&str> = decided.into_iter().collect();
        let reason =
            format!("the decision is not about `{}`; it is about {}", visible(unknown), known.join(", "));
        return Err(ServiceError::Invalid { field: "criterion".to_owned(), reason });
    }
    let is_asked = |criterion: &&str| asked.is_empty() || asked.iter().any(|asked| asked == criterion);
    let chosen: Vec<&str> = decided.into_iter().filter(is_asked).collect();
    if chosen.is_empty() {
        return Err(conflict(format!(
            "decision {} is about no criterion: there is no slot for it",
            decision.id
        )));
    }
    Ok(chosen)
}

/// A slot is given to a judge that was decided against the one in it.
fn check_standing(
    last: Option<&SlotChange>,
    evidence: &Evidence,
    criterion: &str,
    fingerprint: &str,
) -> Result<(), ServiceError> {
    let Some(standing) = last.and_then(|last| last.stands.as_ref()) else { return Ok(()) };
    let name = standing.full_name();
    if standing.fingerprint == *fingerprint {
        return Err(conflict(format!("{name} stands there already on {criterion}")));
    }
    let incumbent = evidence.incumbent.as_ref().and_then(|judge| judge.fingerprints.get(criterion));
    if incumbent == Some(&standing.fingerprint) {
        return Ok(());
    }
    Err(conflict(format!(
        "{name} stands there on {criterion}, and the decision was not against it: decide again with `{name}` as incumbent"
    )))
}

/// A name that the provider may point at another model tomorrow needs a reason, which is recorded; any other needs none.
fn floating_reason(model: Option<&str>, reason: Option<&str>) -> Result<Option<String>, ServiceError> {
    let Some(model) = model.filter(|model| is_floating(model)) else { return Ok(None) };
    match reason.map(str::trim).filter(|reason| !reason.is_empty()) {
        Some(reason) => Ok(Some(reason.to_owned())),
        None => Err(ServiceError::Invalid {
            field: "floating_reason".to_owned(),
            reason: format!(
                "`{}` is a floating name, which the provider may point at another model tomorrow: pin the model, or say why it may stand",
                visible(model)
            ),
        }),
    }
}

pub(crate) fn check_reason(reason: &str) -> Result<(), ServiceError> {
    /// Longest reason, in characters.
    const LONGEST: usize = 2_000;
    let says = match reason.trim().chars().count() {
        0 => "say why: the reason stays in the log",
        1..=LONGEST => return Ok(()),
        _ => "at most 2,000 characters",
    };
    Err(ServiceError::Invalid { field: "reason".to_owned(), reason: says.to_owned() })
}

fn conflict(what: String) -> ServiceError {
    ServiceError::Conflict { what }
}
