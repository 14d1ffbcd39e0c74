//! Promoted judges are asked again about the anchor set that they were promoted on: a new model behind an alias, or a quiet change of one,
//! shows as drift, and what changes by itself as noise.

use super::{asking::Asking, instrument::Instrument, units::Call};
use crate::{ProjectId, ReferenceChoice, Service, ServiceError, UserId, Viewer, references::Observed};
use domain::{
    AnchorSetName, AnchorSource, Calibration, Conversation, JudgeValue, Observations, PromotedJudge, Purpose,
    Recalibrated, Recalibration, RunPlan, RunScope, Then,
};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
};
use store::{NewRecalibration, RecalibrationAnswer};
use time::Duration;

/// What was begun and came to no end is gone on with for so long: answers of different days are no one moment.
const GONE_ON_WITH: Duration = Duration::hours(24);

/// Which judges are asked again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecalibrationRequest {
    /// Those that stand on this criterion; on any where absent.
    pub criterion: Option<String>,
    /// Those that stand for this purpose; for any where absent.
    pub purpose: Option<Purpose>,
    /// How often each unit is asked about: twice or more tells the judge's noise.
    pub repeats: u32,
}

/// A judge that stands in slots, and the criteria of those.
struct Standing {
    judge: PromotedJudge,
    criteria: BTreeSet<String>,
}

impl Service {
    /// Asks every judge that stands in a slot again, and tells whether it still answers as when it was promoted. `progress` hears how many
    /// calls are answered, and of how many. What was answered before an interruption is kept, and not asked again within a day.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] where no judge stands in such a slot; [`ServiceError::Conflict`] for a judge whose verdicts came as a
    /// file, for a set that is not as it was frozen, and where nobody answers; [`ServiceError::Busy`] while another process runs judges.
    pub async fn recalibrate(
        &self,
        project: ProjectId,
        request: &RecalibrationRequest,
        by: Option<UserId>,
        progress: &(dyn Fn(u64, u64) + Send + Sync),
    ) -> Result<Vec<Recalibration>, ServiceError> {
        if !(1..=100).contains(&request.repeats) {
            let reason = format!("found {}, expected a number from 1 to 100", request.repeats);
            return Err(ServiceError::Invalid { field: "repeats".to_owned(), reason });
        }
        let mut reports = Vec::new();
        for standing in self.standing(project, request).await? {
            reports.push(self.recalibrate_one(project, standing, request.repeats, by, progress).await?);
        }
        Ok(reports)
    }

    /// What came of recalibrations, newest first.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn recalibrations(&self, project: ProjectId) -> Result<Vec<Recalibration>, ServiceError> {
        let found = self.store.recalibrations(project, u32::MAX).await?;
        Ok(found.into_iter().map(|(report, _)| report).collect())
    }

    /// The judges that stand, each once with all its criteria.
    async fn standing(
        &self,
        project: ProjectId,
        request: &RecalibrationRequest,
    ) -> Result<Vec<Standing>, ServiceError> {
        let mut found: BTreeMap<(String, String), Standing> = BTreeMap::new();
        for slot in self.slots(project).await? {
            let is_asked = request.criterion.as_ref().is_none_or(|criterion| *criterion == slot.criterion)
                && request.purpose.is_none_or(|purpose| purpose == slot.purpose);
            let (true, Some(judge)) = (is_asked, slot.stands) else { continue };
            let key = (judge.full_name(), judge.anchor_set.to_string());
            let standing = found.entry(key).or_insert(Standing { judge, criteria: BTreeSet::new() });
            standing.criteria.insert(slot.criterion);
        }
        if found.is_empty() {
            let what = "no judge stands in such a slot: `touchstone slots` lists them, `touchstone promote` fills them";
            return Err(ServiceError::NotFound { what: what.to_owned() });
        }
        Ok(found.into_values().collect())
    }

    async fn recalibrate_one(
        &self,
        project: ProjectId,
        Standing { judge, criteria }: Standing,
        repeats: u32,
        by: Option<UserId>,
        progress: &(dyn Fn(u64, u64) + Send + Sync),
    ) -> Result<Recalibration, ServiceError> {
        let name = judge.full_name();
        let AnchorSource { name: set, version, split, .. } = judge.anchor_set.clone();
        let set = AnchorSetName { name: set, version };
        let why = Some(format!("{name} is asked again"));
        let choice = ReferenceChoice::AnchorSet { name: set.clone(), split, why };
        self.check_set(project, &choice, Viewer::Operator).await?;
        let declared = self.declared_judge(project, &name).await?;
        let rubric = self.rubric_declared(project, &declared.declaration).await?;
        let instrument = self.instrument(project, declared.declaration, rubric, Viewer::Operator).await?;
        let _lock = self.runs.lock(self)?;
        let new = NewRecalibration {
            project,
            judge_version: declared.id,
            anchor_set: &judge.anchor_set,
            repeats,
            requested_by: by,
        };
        let now = self.now();
        let id = self.store.begin_recalibration(&new, now - GONE_ON_WITH, now).await?;
        self.record(by, Some(project), "recalibrate", &format!("{name} on {}", judge.anchor_set)).await?;
        let answered = self.store.recalibration_answers(id).await?;
        let plan =
            RunPlan { repeats, ..RunPlan::once(RunScope::AnchorSet { name: set, split: Some(split) }) };
        let calls = self.calls_again(project, &instrument, &plan, &answered).await?;
        let (mut done, total) = (0, calls.len() as u64);
        let mut asking = Asking::new(instrument, calls);
        while let Some((_, call)) = asking.next().await? {
            self.store.save_recalibration_call(id, &call).await?;
            done += 1;
            progress(done, total);
        }
        let answers = self.store.recalibration_answers(id).await?;
        let report = self.compared_with_then(project, judge, criteria, &choice, answers).await?;
        self.open_confirm(project, &choice, &[name], Viewer::Operator).await?;
        self.store.finish_recalibration(id, &report, self.now()).await?;
        self.tell_the_watch(project, &report).await?;
        Ok(report)
    }

    /// Says how far the judge moved to whoever watches production: a fall of its scores may be the judge's.
    async fn tell_the_watch(&self, project: ProjectId, report: &Recalibration) -> Result<(), ServiceError> {
        // Answers of several instruments are no shift of one.
        let Some(fingerprint) = report.fingerprints.now.clone() else { return Ok(()) };
        for found in &report.criteria {
            let calibration = Calibration {
                dimension: found.criterion.clone(),
                judge: report.judge.clone(),
                version: report.version.clone(),
                reported_model: report.models.now.clone(),
                fingerprint: fingerprint.clone(),
                anchor_set: format!("{}@{}", report.anchor_set.name, report.anchor_set.version),
                shift: found.shift.clone(),
                at: report.at,
            };
            self.record_calibration(project, &calibration).await?;
        }
        Ok(())
    }

    /// What is still to be asked, with its conversations.
    async fn calls_again(
        &self,
        project: ProjectId,
        instrument: &Instrument,
        plan: &RunPlan,
        answered: &[RecalibrationAnswer],
    ) -> Result<Vec<(Conversation, Call)>, ServiceError> {
        let answered: HashSet<_> = answered
            .iter()
            .map(|answer| (answer.conversation, answer.unit.as_str(), answer.repeat))
            .collect();
        let mut calls = Vec::new();
        let units = self.units_of(project, instrument, plan).await?;
        for repeat in 0..plan.repeats {
            for (conversation, unit) in &units {
                if !answered.contains(&(*conversation, unit.to_string().as_str(), repeat)) {
                    let text = self.store.conversation_by_id(project, *conversation).await?.conversation;
                    calls.push((text, Call { conversation: *conversation, unit: unit.clone(), repeat }));
                }
            }
        }
        Ok(calls)
    }

    async fn compared_with_then(
        &self,
        project: ProjectId,
        judge: PromotedJudge,
        criteria: BTreeSet<String>,
        choice: &ReferenceChoice,
        answers: Vec<RecalibrationAnswer>,
    ) -> Result<Recalibration, ServiceError> {
        let live = self.rubric_version(project).await?.rubric;
        let observed = self.observed(project, live, choice, None, Viewer::Operator).await?;
        let Observed { rubric, mut observations, reference } = observed;
        let (_, name) = self.judge_version(project, &judge.full_name()).await?;
        observations
            .verdicts
            .retain(|verdict| *verdict.judge == *name && *verdict.fingerprint == *judge.fingerprint);
        let reported: BTreeSet<&String> =
            answers.iter().filter_map(|answer| answer.reported_model.as_ref()).collect();
        let now = match reported.len() {
            0 => None,
            _ => Some(reported.into_iter().cloned().collect::<Vec<String>>().join(", ")),
        };
        let asked = Recalibrated {
            project: self.store.project_name(project).await?,
            models: Then { then: judge.reported_model.clone(), now },
            judge: judge.judge,
            version: judge.version,
            anchor_set: judge.anchor_set,
            at: self.now(),
        };
        let answers = as_verdicts(&observations, answers);
        let computed = tokio::task::spawn_blocking(move || {
            Recalibration::of(asked, &rubric, reference, observations, answers, &criteria)
        });
        computed.await.map_err(|error| ServiceError::Internal(error.to_string()))
    }
}

/// The answers as verdicts on the conversations of `observations`.
fn as_verdicts(observations: &Observations, answers: Vec<RecalibrationAnswer>) -> Vec<JudgeValue> {
    let positions: HashMap<&str, u32> =
        observations.settings.iter().map(|setting| &*setting.conversation).zip(0..).collect();
    let value = |answer: RecalibrationAnswer| {
        Some(JudgeValue {
            judge: Arc::from(""),
            setting: *positions.get(answer.external_id.as_str())?,
            unit: answer.unit.into(),
            criterion: answer.criterion.into(),
            repeat: answer.repeat,
            outcome: answer.outcome,
            fingerprint: answer.fingerprint.into(),
            cost_usd: None,
            latency_ms: None,
        })
    };
    answers.into_iter().filter_map(value).collect()
}
