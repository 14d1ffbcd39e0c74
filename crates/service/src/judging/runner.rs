//! Runs: calls under way at the same time, each answer kept before anything is computed from it. A run can be paused, given up, and gone on
//! with by another process after this one was killed.

use super::{
    instrument::{Instrument, Outcomes},
    run_id,
    units::Call,
};
use crate::{ProjectId, Service, ServiceError, UserId, Viewer};
use domain::{Conversation, Declaration, RunCounts, RunPlan, RunState, Spending};
use serde::Serialize;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use store::{ConversationId, DeclaredVersion, JudgeRun, JudgedCall, NewRun, ProcessLock, RunId};
use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
};

/// Answers in one commit at most.
const LARGEST_COMMIT: usize = 256;

/// Calls in a row that nobody answered, after which the provider counts as gone.
const GONE_AFTER: usize = 10;

/// How often a process that ends looks whether its answers are kept.
const LEAVING_PAUSE: Duration = Duration::from_millis(20);

/// Tokens of an answer where nothing is known yet.
const USUAL_ANSWER: u64 = 300;

/// Prompts that an estimate renders.
const ESTIMATED_ON: usize = 20;

/// The runs of this process. While there is one, the process holds the file's lock for judging.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    active: Mutex<Active>,
    leaving: AtomicBool,
}

#[derive(Debug, Default)]
struct Active {
    stops: HashMap<RunId, watch::Sender<Option<Stop>>>,
    lock: Weak<ProcessLock>,
}

/// What lets a run be driven by this process: it hears when to stop, and nobody else drives it meanwhile.
struct Claim {
    stopped: watch::Receiver<Option<Stop>>,
    _lock: Arc<ProcessLock>,
}

/// How a run is to stop.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stop {
    Pause(String),
    Cancel,
    /// The process ends: another goes on.
    Leave,
}

/// What a run would take, before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RunEstimate {
    /// Calls that have no verdict yet.
    pub calls: u64,
    /// Tokens that they send, about.
    pub input_tokens: u64,
    /// Tokens that they receive, about.
    pub output_tokens: u64,
    /// US dollars, about; none where the endpoint has no price.
    pub cost_usd: Option<f64>,
}

impl Runs {
    fn active(&self) -> MutexGuard<'_, Active> {
        // Whoever panicked left a whole map behind: each change of it is one step.
        self.active.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The file's lock for judging, which the runs of this process share.
    pub(super) fn lock(&self, service: &Service) -> Result<Arc<ProcessLock>, ServiceError> {
        let mut active = self.active();
        if let Some(held) = active.lock.upgrade() {
            return Ok(held);
        }
        let taken = Arc::new(service.store.lock_for_judging()?);
        active.lock = Arc::downgrade(&taken);
        Ok(taken)
    }

    fn claim(&self, run: RunId, lock: Arc<ProcessLock>) -> Result<Claim, ServiceError> {
        let mut active = self.active();
        if active.stops.contains_key(&run) {
            return Err(ServiceError::Conflict { what: "the run is under way".to_owned() });
        }
        let (stop, stopped) = watch::channel(None);
        active.stops.insert(run, stop);
        Ok(Claim { stopped, _lock: lock })
    }

    fn release(&self, run: RunId) {
        self.active().stops.remove(&run);
    }

    /// Asks a run of this process to stop; whether there is one.
    fn stop(&self, run: RunId, how: Stop) -> bool {
        self.active().stops.get(&run).is_some_and(|stop| stop.send(Some(how)).is_ok())
    }
}

impl Service {
    /// What a run would take.
    ///
    /// # Errors
    /// As [`Service::start_run`].
    pub async fn estimate_run(
        &self,
        project: ProjectId,
        judge: &str,
        plan: &RunPlan,
    ) -> Result<RunEstimate, ServiceError> {
        let (declared, instrument, calls) = self.ready(project, judge, plan).await?;
        let Some(model) = declared.declaration.model() else {
            let calls = calls.len() as u64;
            return Ok(RunEstimate { calls, input_tokens: 0, output_tokens: 0, cost_usd: Some(0.0) });
        };
        let every = calls.len().div_ceil(ESTIMATED_ON).max(1);
        let (mut tokens, mut rendered) = (0_u64, 0_u64);
        for call in calls.iter().step_by(every) {
            let conversation = self.store.conversation_by_id(project, call.conversation).await?.conversation;
            if let Ok(prompt) = instrument.prompt(model, &conversation, &call.unit) {
                tokens += prompt.tokens();
                rendered += 1;
            }
        }
        let calls = calls.len() as u64;
        let input_tokens = calls * tokens / rendered.max(1);
        let limit = ["max_completion_tokens", "max_tokens"]
            .iter()
            .find_map(|parameter| model.parameters.get(*parameter)?.as_u64());
        let output_tokens = calls * limit.unwrap_or(USUAL_ANSWER).min(USUAL_ANSWER);
        let endpoint = self.endpoints.get(&model.endpoint).ok();
        let cost_usd = endpoint.and_then(|endpoint| endpoint.cost(input_tokens, output_tokens));
        Ok(RunEstimate { calls, input_tokens, output_tokens, cost_usd })
    }

    /// Begins a run and gives it back as it stands at the start; it goes on in the background.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for a plan that cannot stand; [`ServiceError::NotFound`] for a judge or an anchor set that is not there;
    /// [`ServiceError::Busy`] while another process runs judges on this file.
    pub async fn start_run(
        &self,
        project: ProjectId,
        judge: &str,
        plan: &RunPlan,
        by: Option<UserId>,
    ) -> Result<JudgeRun, ServiceError> {
        let (declared, instrument, calls) = self.ready(project, judge, plan).await?;
        let new =
            NewRun { project, judge_version: declared.id, plan, calls: calls.len() as u64, requested_by: by };
        // Locked before it is written down: a run that nobody may drive must not stand as running.
        let lock = self.runs.lock(self)?;
        let run = self.store.begin_run(&new, self.now()).await?;
        let detail = format!("{run}: {} on {}", declared.declaration.full_name(), plan.scope);
        self.record(by, Some(project), "start_run", &detail).await?;
        let claim = self.runs.claim(run, lock)?;
        let begun = self.store.run(project, run).await?;
        self.drive(begun.clone(), instrument, calls, claim);
        Ok(begun)
    }

    /// Goes on with a run that stands still, or that a process left behind when it ended.
    ///
    /// # Errors
    /// As [`Service::start_run`]; [`ServiceError::Conflict`] for a run that has ended or is under way.
    pub async fn resume_run(
        &self,
        project: ProjectId,
        run: &str,
        by: Option<UserId>,
    ) -> Result<JudgeRun, ServiceError> {
        let found = self.store.run(project, run_id(run)?).await?;
        let claim = self.runs.claim(found.id, self.runs.lock(self)?)?;
        let resumed = self.resume_claimed(&found).await;
        let (instrument, calls) = resumed.inspect_err(|_| self.runs.release(found.id))?;
        self.record(by, Some(project), "resume_run", run).await?;
        let resumed = self.store.run(project, found.id).await?;
        self.drive(resumed.clone(), instrument, calls, claim);
        Ok(resumed)
    }

    async fn resume_claimed(&self, run: &JudgeRun) -> Result<(Instrument, Vec<Call>), ServiceError> {
        self.store.set_run_state(run.id, RunState::Running, None, self.now()).await?;
        let judge = format!("{}@{}", run.judge, run.version);
        let (_, instrument, calls) = self.ready(run.project, &judge, &run.plan).await?;
        Ok((instrument, calls))
    }

    /// Goes on with every run that a process left behind when it ended; says what could not be gone on with in the run itself.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn resume_runs(&self) -> Result<(), ServiceError> {
        for (project, run) in self.store.running_runs().await? {
            if let Err(error) = self.resume_run(project, &run.to_string(), None).await {
                tracing::warn!(%run, %error, "a run is not gone on with");
                if !matches!(error, ServiceError::Busy { .. } | ServiceError::Conflict { .. }) {
                    let says = error.to_string();
                    self.store.set_run_state(run, RunState::Paused, Some(&says), self.now()).await?;
                }
            }
        }
        Ok(())
    }

    /// Stops a run after the answers that are under way; it can be gone on with.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`]; [`ServiceError::Conflict`] for a run that has ended or that another process drives.
    pub async fn pause_run(
        &self,
        project: ProjectId,
        run: &str,
        by: Option<UserId>,
    ) -> Result<(), ServiceError> {
        self.stop_run(project, run, by, Stop::Pause("paused by hand".to_owned())).await
    }

    /// Gives a run up after the answers that are under way. What was answered stays.
    ///
    /// # Errors
    /// As [`Service::pause_run`].
    pub async fn cancel_run(
        &self,
        project: ProjectId,
        run: &str,
        by: Option<UserId>,
    ) -> Result<(), ServiceError> {
        self.stop_run(project, run, by, Stop::Cancel).await
    }

    /// Whether this process is about to end, so that nobody should wait for news of a run.
    #[must_use]
    pub fn is_leaving(&self) -> bool {
        self.runs.leaving.load(Ordering::Relaxed)
    }

    /// Lets no further call begin: the process is about to end. Its runs stand as running, and the next process goes on with them.
    pub fn begin_leaving(&self) {
        self.runs.leaving.store(true, Ordering::Relaxed);
        for stop in self.runs.active().stops.values() {
            // Who no longer listens has ended.
            let _ = stop.send(Some(Stop::Leave));
        }
    }

    /// Waits for the answers that are under way, which are paid for.
    pub async fn leave(&self) {
        self.begin_leaving();
        while !self.runs.active().stops.is_empty() {
            tokio::time::sleep(LEAVING_PAUSE).await;
        }
    }

    async fn stop_run(
        &self,
        project: ProjectId,
        run: &str,
        by: Option<UserId>,
        how: Stop,
    ) -> Result<(), ServiceError> {
        let found = self.store.run(project, run_id(run)?).await?;
        let action = if how == Stop::Cancel { "cancel_run" } else { "pause_run" };
        self.record(by, Some(project), action, run).await?;
        if self.runs.stop(found.id, how.clone()) {
            return Ok(());
        }
        // Nobody drives it here: it stands still already, or a process left it behind.
        let _lock = self.runs.lock(self)?;
        let (state, says) = ended(how);
        Ok(self.store.set_run_state(found.id, state, says.as_deref(), self.now()).await?)
    }

    /// A judge with all that a run of it needs.
    async fn ready(
        &self,
        project: ProjectId,
        judge: &str,
        plan: &RunPlan,
    ) -> Result<(DeclaredVersion, Instrument, Vec<Call>), ServiceError> {
        plan.check().map_err(|(field, reason)| ServiceError::Invalid { field: field.to_owned(), reason })?;
        let declared = self.declared_judge(project, judge).await?;
        let rubric = self.rubric_declared(project, &declared.declaration).await?;
        let instrument =
            self.instrument(project, declared.declaration.clone(), rubric, Viewer::Operator).await?;
        self.check_budget(&declared.declaration, plan)?;
        let calls = self.calls_left(project, declared.id, &instrument, plan).await?;
        Ok((declared, instrument, calls))
    }

    /// A limit in money needs a price: without one nothing would ever be spent.
    fn check_budget(&self, declaration: &Declaration, plan: &RunPlan) -> Result<(), ServiceError> {
        let (Some(model), Some(_)) = (declaration.model(), plan.most_usd) else { return Ok(()) };
        let endpoint = self.endpoints.get(&model.endpoint);
        if endpoint.is_ok_and(|endpoint| endpoint.cost(0, 0).is_some()) {
            return Ok(());
        }
        let reason = format!(
            "the endpoint `{}` has no price, so that no spending in money can be counted: set a limit in tokens, or have the operator \
             configure its price",
            model.endpoint
        );
        Err(ServiceError::Invalid { field: "most_usd".to_owned(), reason })
    }

    /// Runs in the background until there is nothing left to ask, a limit is reached, or somebody says stop.
    fn drive(&self, run: JudgeRun, instrument: Instrument, calls: Vec<Call>, claim: Claim) {
        let service = self.clone();
        tokio::spawn(async move {
            let id = run.id;
            let driver = Driver::new(&service, run, Arc::new(instrument), claim.stopped.clone());
            let driven = driver.run(calls).await;
            let (state, says) = match driven {
                Ok(Some(stop)) => ended(stop),
                Ok(None) => (RunState::Done, None),
                Err(error) => (RunState::Paused, Some(error.to_string())),
            };
            if state == RunState::Running {
                service.runs.release(id);
                return;
            }
            if let Err(error) = service.store.set_run_state(id, state, says.as_deref(), service.now()).await {
                tracing::error!(run = %id, %error, "how a run ended is not written down");
            }
            service.runs.release(id);
            drop(claim);
        });
    }
}

fn ended(stop: Stop) -> (RunState, Option<String>) {
    match stop {
        Stop::Pause(why) => (RunState::Paused, Some(why)),
        Stop::Cancel => (RunState::Cancelled, None),
        Stop::Leave => (RunState::Running, None),
    }
}

/// One run under way.
struct Driver<'a> {
    service: &'a Service,
    run: JudgeRun,
    instrument: Arc<Instrument>,
    stopped: watch::Receiver<Option<Stop>>,
    /// The conversation that was read last: its units follow each other.
    at_hand: Option<(ConversationId, Arc<Conversation>)>,
    /// Calls in a row that nobody answered.
    unanswered: Vec<JudgedCall>,
    begun: u64,
}

impl<'a> Driver<'a> {
    fn new(
        service: &'a Service,
        run: JudgeRun,
        instrument: Arc<Instrument>,
        stopped: watch::Receiver<Option<Stop>>,
    ) -> Driver<'a> {
        Driver { service, run, instrument, stopped, at_hand: None, unanswered: Vec::new(), begun: 0 }
    }

    /// Asks until the calls are through; gives why it stopped before.
    async fn run(mut self, calls: Vec<Call>) -> Result<Option<Stop>, ServiceError> {
        let concurrency = self.instrument.concurrency();
        let (keep, kept) = mpsc::channel(2 * concurrency);
        let (tell, counts) = watch::channel(self.run.counts);
        let store = self.service.store.clone();
        let (run, version, clock) = (self.run.id, self.run.judge_version, self.service.clock);
        let writer = tokio::spawn(write_answers(store, run, version, clock, kept, tell));
        let stopped = self.ask_all(calls, concurrency, &keep, &counts).await;
        drop(keep);
        let written = writer.await.map_err(|error| ServiceError::Internal(error.to_string()))?;
        written?;
        stopped
    }

    async fn ask_all(
        &mut self,
        calls: Vec<Call>,
        concurrency: usize,
        keep: &mpsc::Sender<JudgedCall>,
        counts: &watch::Receiver<RunCounts>,
    ) -> Result<Option<Stop>, ServiceError> {
        let mut left = calls.into_iter();
        let mut under_way: JoinSet<Outcomes> = JoinSet::new();
        let (mut stop, mut anything) = (None, false);
        loop {
            stop = stop.or_else(|| self.must_stop(counts));
            while stop.is_none() && under_way.len() < concurrency {
                let Some(call) = left.next() else { break };
                let conversation = self.conversation(call.conversation).await?;
                let instrument = self.instrument.clone();
                under_way.spawn(async move { instrument.answer(&call, &conversation).await });
                self.begun += 1;
                stop = self.must_stop(counts);
            }
            match under_way.join_next().await {
                None => break,
                Some(outcome) => {
                    let outcome = outcome.map_err(|error| ServiceError::Internal(error.to_string()))?;
                    anything |= self.keep(outcome, keep).await?;
                }
            }
        }
        // Of a run that stops, what nobody answered is asked again when it goes on.
        if stop.is_none() && !self.unanswered.is_empty() {
            if anything {
                for call in self.unanswered.drain(..) {
                    send(keep, call).await?;
                }
            } else {
                let says = self.unanswered.first().and_then(said).unwrap_or_default();
                stop = Some(Stop::Pause(format!("nobody answers: {says}")));
            }
        }
        Ok(stop)
    }

    /// Why no further call may begin.
    fn must_stop(&self, counts: &watch::Receiver<RunCounts>) -> Option<Stop> {
        if let Some(stop) = self.stopped.borrow().clone() {
            return Some(stop);
        }
        if self.unanswered.len() >= GONE_AFTER {
            let says = self.unanswered.last().and_then(said).unwrap_or_default();
            return Some(Stop::Pause(format!("{GONE_AFTER} calls in a row were not answered: {says}")));
        }
        let spent = *counts.borrow();
        let under_way = self.begun.saturating_sub(spent.answered - self.run.counts.answered);
        self.run.plan.limit_reached(&spent, likely(&spent, under_way)).map(Stop::Pause)
    }

    /// Hands an answer to the writer; whether somebody answered. A call that nobody answered is kept once another was answered after it: then
    /// it failed, and not the provider.
    async fn keep(
        &mut self,
        outcome: Outcomes,
        keep: &mpsc::Sender<JudgedCall>,
    ) -> Result<bool, ServiceError> {
        match outcome {
            Outcomes::Unanswered(call) => {
                self.unanswered.push(call);
                Ok(false)
            }
            Outcomes::Judged(call) => {
                for failed in self.unanswered.drain(..) {
                    send(keep, failed).await?;
                }
                send(keep, call).await?;
                Ok(true)
            }
        }
    }

    async fn conversation(&mut self, id: ConversationId) -> Result<Arc<Conversation>, ServiceError> {
        if let Some((at_hand, conversation)) = &self.at_hand
            && *at_hand == id
        {
            return Ok(conversation.clone());
        }
        let stored = self.service.store.conversation_by_id(self.run.project, id).await?;
        let conversation = Arc::new(stored.conversation);
        self.at_hand = Some((id, conversation.clone()));
        Ok(conversation)
    }
}

/// What calls that are under way are likely to cost.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an estimate of tokens, which are few"
)]
fn likely(spent: &RunCounts, under_way: u64) -> Spending {
    let (usd, tokens) = spent.usual().unwrap_or_default();
    Spending { usd: usd * under_way as f64, tokens: (tokens * under_way as f64) as u64 }
}

pub(super) fn said(call: &JudgedCall) -> Option<String> {
    match &call.readings.first()?.outcome {
        domain::Outcome::Failure { says, .. } => Some(says.clone()),
        domain::Outcome::Value(_) => None,
    }
}

async fn send(keep: &mpsc::Sender<JudgedCall>, call: JudgedCall) -> Result<(), ServiceError> {
    let stopped = |_| ServiceError::Internal("the answers of the run could not be kept".to_owned());
    keep.send(call).await.map_err(stopped)
}

/// Keeps answers as they come, those that came meanwhile in one commit.
async fn write_answers(
    store: store::Store,
    run: RunId,
    version: store::JudgeVersionId,
    clock: fn() -> time::OffsetDateTime,
    mut answers: mpsc::Receiver<JudgedCall>,
    counts: watch::Sender<RunCounts>,
) -> Result<(), ServiceError> {
    let mut since = Instant::now();
    let mut batch = Vec::new();
    while answers.recv_many(&mut batch, LARGEST_COMMIT).await > 0 {
        let active = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
        since = Instant::now();
        let now = store.save_judged_calls(run, version, &batch, active, clock()).await?;
        counts.send_replace(now);
        batch.clear();
    }
    Ok(())
}
