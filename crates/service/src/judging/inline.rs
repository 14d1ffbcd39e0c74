//! The inline gate: passes or fails an answer before it is given, in time or as the project declared.

use super::{
    instrument::{Instrument, Outcomes},
    line::Lines,
    units::Call,
};
use crate::{ProjectId, Service, ServiceError, Viewer};
use domain::{Answer, ContentHash, Conversation, Outcome, Passage, Purpose, ScaleShare, Unit, UnitKind};
use serde::Serialize;
use std::{
    collections::{HashMap, VecDeque},
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use store::{ConversationId, SlotChangeId, Standing};
use tokio::sync::Semaphore;

/// Answers that are being scored at the same time.
const MOST_AT_ONCE: usize = 128;

/// Scores that are remembered.
const MOST_REMEMBERED: usize = 10_000;

/// Longest text of a question, of the context together, and of a response, in bytes.
const LONGEST_TEXT: usize = 64 * 1024;

/// The threshold where neither the project nor a promotion says another, as a share of the range.
const USUAL_THRESHOLD: f64 = 0.82;

/// An answer that is to be scored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InlineRequest {
    /// Id of the criterion.
    pub criterion: String,
    /// What was asked.
    pub question: String,
    /// What the answer was made from.
    pub context: Vec<String>,
    /// The answer.
    pub response: String,
}

/// Whether an answer passes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InlineAnswer {
    /// Where the score stands on its scale, from 0 to 1; absent where no judge gave one.
    pub score: Option<f64>,
    /// Whether the answer passes.
    pub passed: bool,
    /// Scores pass from here on.
    pub threshold: f64,
    /// The judge, `NAME@VERSION`; absent where none stands in the slot.
    pub judge: Option<String>,
    /// Fingerprint of what answered; absent where nothing did.
    pub fingerprint: Option<String>,
    /// Whether that is the instrument that was promoted.
    pub as_promoted: Option<bool>,
    /// `judge`, `memory` (the same was scored before), or `declared`: what the project wants where its judge gives no score.
    pub by: &'static str,
    /// Why no judge gave it.
    pub reason: Option<String>,
    /// Time to the answer, in milliseconds.
    pub latency_ms: f64,
}

/// What the inline gate of this process holds.
pub(crate) struct InlineGate {
    free: Semaphore,
    /// Its own, so that a run of a judge on the same endpoint holds nobody up.
    lines: Lines,
    ready: Mutex<HashMap<(ProjectId, String), Arc<Ready>>>,
    remembered: Mutex<Memory>,
    log: Log,
}

impl Default for InlineGate {
    fn default() -> InlineGate {
        InlineGate {
            free: Semaphore::new(MOST_AT_ONCE),
            lines: Lines::default(),
            ready: Mutex::default(),
            remembered: Mutex::default(),
            log: Log::default(),
        }
    }
}

/// A promoted judge, ready to answer.
struct Ready {
    change: SlotChangeId,
    instrument: Instrument,
    judge: String,
    fingerprint: String,
    /// What it was promoted with, as a share of the range.
    threshold: Option<f64>,
}

/// What a judge said.
#[derive(Clone, Debug, PartialEq)]
struct Scored {
    share: f64,
    fingerprint: String,
}

/// The last scores, by hash of the judge version and of what it scored. The oldest goes first.
#[derive(Default)]
struct Memory {
    scores: HashMap<ContentHash, Scored>,
    order: VecDeque<ContentHash>,
}

impl Memory {
    fn keep(&mut self, hash: ContentHash, scored: Scored) {
        if self.scores.insert(hash.clone(), scored).is_none() {
            self.order.push_back(hash);
        }
        while self.order.len() > MOST_REMEMBERED {
            if let Some(oldest) = self.order.pop_front() {
                self.scores.remove(&oldest);
            }
        }
    }
}

/// Answers without a judge on their way to the disk: those that wait at the same time share one transaction.
#[derive(Default)]
struct Log {
    waiting: Mutex<Vec<store::InlineAnswer>>,
    turn: tokio::sync::Mutex<()>,
}

/// Why no judge gave a score.
struct NoScore {
    reason: &'static str,
    says: String,
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Whoever panicked left it whole: each change is one step.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Service {
    /// Passes or fails an answer by the judge that was promoted for `inline`, within the project's time. Where the judge fails or is late, the
    /// answer is what the project declared, and that is on record.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for a criterion that cannot be asked of one answer, and for texts that are too long.
    pub async fn score_inline(
        &self,
        project: ProjectId,
        request: InlineRequest,
    ) -> Result<InlineAnswer, ServiceError> {
        let begun = Instant::now();
        check(&request)?;
        let settings = self.store.watch_settings(project).await?;
        let own = settings.of(&request.criterion).inline;
        let standing = self.store.standing(project, &request.criterion, Purpose::Inline).await?;
        let hash = domain::hash_of(&request).map_err(|error| ServiceError::Internal(error.to_string()))?;
        let answer = InlineAnswer {
            score: None,
            passed: settings.on_failure.passes(),
            threshold: own.unwrap_or(USUAL_THRESHOLD),
            judge: None,
            fingerprint: None,
            as_promoted: None,
            by: "declared",
            reason: None,
            latency_ms: 0.0,
        };
        let Some(standing) = standing else {
            self.inline_criterion(project, &request.criterion).await?;
            let criterion = domain::visible(&request.criterion);
            let says = format!(
                "no judge is promoted for inline on {criterion}: `touchstone promote --purpose inline`"
            );
            let none = NoScore { reason: "no_judge", says };
            return Ok(self.declared(project, &request, hash, answer, none, begun).await);
        };
        let ready = match self.ready_inline(project, &request.criterion, standing).await {
            Ok(ready) => ready,
            Err(ServiceError::Invalid { field, reason }) if field == "criterion" => {
                return Err(ServiceError::Invalid { field, reason });
            }
            // Its verdicts came as a file, or its endpoint is not configured here: it cannot be asked.
            Err(error) => {
                let none = NoScore { reason: "failed", says: error.to_string() };
                return Ok(self.declared(project, &request, hash, answer, none, begun).await);
            }
        };
        let threshold = own.or(ready.threshold).unwrap_or(USUAL_THRESHOLD);
        let answer = InlineAnswer { threshold, judge: Some(ready.judge.clone()), ..answer };
        let memory_hash = ContentHash::of_bytes(format!("{}\n{hash}", ready.change).as_bytes());
        let passing = |scored: Scored, by| InlineAnswer {
            score: Some(scored.share),
            passed: scored.share >= threshold - 1e-9,
            as_promoted: Some(scored.fingerprint == ready.fingerprint),
            fingerprint: Some(scored.fingerprint),
            by,
            latency_ms: milliseconds(begun),
            ..answer.clone()
        };
        if let Some(scored) = held(&self.inline.remembered).scores.get(&memory_hash).cloned() {
            return Ok(passing(scored, "memory"));
        }
        let budget = Duration::from_millis(settings.budget_ms.into());
        match self.asked(&ready, &request, budget.saturating_sub(begun.elapsed())).await {
            Ok(scored) => {
                held(&self.inline.remembered).keep(memory_hash, scored.clone());
                Ok(passing(scored, "judge"))
            }
            Err(none) => Ok(self.declared(project, &request, hash, answer, none, begun).await),
        }
    }

    /// How many answers the inline gate gave without a judge in the last week, by reason.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn inline_without_judge(&self, project: ProjectId) -> Result<Vec<(String, u64)>, ServiceError> {
        Ok(self.store.count_inline_answers(project, self.now() - time::Duration::days(7)).await?)
    }

    async fn asked(&self, ready: &Ready, request: &InlineRequest, left: Duration) -> Result<Scored, NoScore> {
        let failed = |says: String| NoScore { reason: "failed", says };
        let Ok(_place) = self.inline.free.try_acquire() else {
            let says = format!("{MOST_AT_ONCE} answers are being scored already");
            return Err(NoScore { reason: "busy", says });
        };
        let conversation = conversation(request);
        let kind = ready.instrument.declaration.unit(&ready.instrument.rubric);
        let unit = kind.and_then(|kind| only_unit(&conversation, kind));
        let unit = unit.ok_or_else(|| failed("the judge is not asked about one unit".to_owned()))?;
        let call = Call { conversation: ConversationId::new(self.now()), unit, repeat: 0 };
        let answered = tokio::time::timeout(left, ready.instrument.answer(&call, &conversation)).await;
        let late = |_| NoScore { reason: "late", says: format!("no answer within {} ms", left.as_millis()) };
        let judged = match answered.map_err(late)? {
            Outcomes::Judged(judged) | Outcomes::Unanswered(judged) => judged,
        };
        let reading = judged.readings.iter().find(|reading| reading.criterion == request.criterion);
        let scale = ready.instrument.rubric.scale_of(&request.criterion);
        match (reading.map(|reading| &reading.outcome), scale) {
            (Some(Outcome::Value(value)), Some(scale)) => match ScaleShare::on(scale, *value) {
                Some(share) => Ok(Scored { share: share.value(), fingerprint: judged.fingerprint.0 }),
                None => Err(failed("the judge says that the question does not apply".to_owned())),
            },
            (Some(Outcome::Failure { says, .. }), _) => Err(failed(says.clone())),
            _ => Err(failed("the judge is not asked about this criterion".to_owned())),
        }
    }

    async fn declared(
        &self,
        project: ProjectId,
        request: &InlineRequest,
        hash: ContentHash,
        answer: InlineAnswer,
        none: NoScore,
        begun: Instant,
    ) -> InlineAnswer {
        let NoScore { reason, says } = none;
        let latency_ms = milliseconds(begun);
        self.log(store::InlineAnswer {
            project,
            criterion: request.criterion.clone(),
            content_hash: hash.0,
            reason,
            says: says.chars().take(500).collect(),
            passed: answer.passed,
            latency_ms,
            at: self.now(),
        })
        .await;
        InlineAnswer {
            passed: answer.passed,
            reason: Some(format!("{reason}: {}", domain::visible(&says))),
            latency_ms,
            ..answer
        }
    }

    /// Returns when the answer is on record. One that cannot be written down is given all the same.
    async fn log(&self, answer: store::InlineAnswer) {
        held(&self.inline.log.waiting).push(answer);
        let _turn = self.inline.log.turn.lock().await;
        // Whoever had the turn before may have taken this one's along.
        let group = mem::take(&mut *held(&self.inline.log.waiting));
        if !group.is_empty()
            && let Err(error) = self.store.add_inline_answers(&group).await
        {
            tracing::error!(%error, answers = group.len(), "answers of the inline gate could not be recorded");
        }
    }

    /// The judge that stands in the slot, made ready once.
    async fn ready_inline(
        &self,
        project: ProjectId,
        criterion: &str,
        standing: Standing,
    ) -> Result<Arc<Ready>, ServiceError> {
        let key = (project, criterion.to_owned());
        let known = held(&self.inline.ready).get(&key).cloned();
        if let Some(ready) = known.filter(|ready| ready.change == standing.change) {
            return Ok(ready);
        }
        self.inline_criterion(project, criterion).await?;
        let declared =
            self.store.declared_judge(project, &standing.judge, Some(&standing.version)).await?.declaration;
        let rubric = self.rubric_declared(project, &declared).await?;
        let examples = self.examples(project, &declared, &rubric, Viewer::Operator).await?;
        let line = declared.model().map(|model| self.inline.lines.to(&self.endpoints, &model.endpoint));
        let threshold = rubric.scale_of(criterion).zip(standing.threshold);
        let threshold = threshold.and_then(|(scale, threshold)| ScaleShare::on(scale, threshold));
        let ready = Arc::new(Ready {
            change: standing.change,
            judge: declared.full_name(),
            fingerprint: standing.fingerprint,
            threshold: threshold.map(ScaleShare::value),
            instrument: Instrument::new(declared, rubric, examples, line.transpose()?, self.clock)?,
        });
        held(&self.inline.ready).insert(key, ready.clone());
        Ok(ready)
    }

    /// Refuses a criterion that is not there, or that is not asked of one thing in an answer.
    async fn inline_criterion(&self, project: ProjectId, criterion: &str) -> Result<(), ServiceError> {
        let rubric = self.rubric_version(project).await?.rubric;
        let invalid = |reason: String| ServiceError::Invalid { field: "criterion".to_owned(), reason };
        let Some(found) = rubric.criterion(criterion) else {
            return Err(invalid(format!("the rubric has no criterion `{}`", domain::visible(criterion))));
        };
        if found.unit != UnitKind::Conversation {
            let unit = found.unit.word();
            return Err(invalid(format!("it is asked of each {unit}: inline asks about the whole answer")));
        }
        Ok(())
    }
}

fn check(request: &InlineRequest) -> Result<(), ServiceError> {
    let context = request.context.iter().map(String::len).sum();
    let texts =
        [("question", request.question.len()), ("context", context), ("response", request.response.len())];
    for (field, length) in texts {
        if length > LONGEST_TEXT {
            let reason = format!("found {length} bytes, expected at most {LONGEST_TEXT}");
            return Err(ServiceError::Invalid { field: field.to_owned(), reason });
        }
    }
    Ok(())
}

/// What is to be scored, as judges know it.
fn conversation(request: &InlineRequest) -> Conversation {
    let passage = |(at, text): (usize, &String)| Passage {
        id: format!("p{}", at + 1),
        document: None,
        collection: None,
        rank: None,
        score: None,
        text: text.clone(),
    };
    Conversation {
        id: "inline".to_owned(),
        cluster: None,
        case: None,
        trial: None,
        at: None,
        request_id: None,
        category: None,
        corpus: None,
        system: None,
        language: None,
        messages: Vec::new(),
        question: Some(request.question.clone()),
        refined_query: None,
        routing: None,
        passages: Some(request.context.iter().enumerate().map(passage).collect()),
        context: None,
        answer: Some(Answer { text: request.response.clone(), paragraphs: None }),
        expected: None,
        metadata: None,
    }
}

fn only_unit(conversation: &Conversation, kind: UnitKind) -> Option<Unit> {
    let mut units = conversation.units(kind).into_iter();
    let only = units.next();
    only.filter(|_| units.next().is_none())
}

fn milliseconds(begun: Instant) -> f64 {
    (begun.elapsed().as_secs_f64() * 1e5).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_forgets_the_oldest() {
        let mut memory = Memory::default();
        let hash = |at: usize| ContentHash::of_bytes(at.to_string().as_bytes());
        let scored = Scored { share: 0.5, fingerprint: "f".to_owned() };
        for at in 0..MOST_REMEMBERED + 3 {
            memory.keep(hash(at), scored.clone());
            memory.keep(hash(at), scored.clone());
        }
        assert_eq!((memory.scores.len(), memory.order.len()), (MOST_REMEMBERED, MOST_REMEMBERED));
        assert!(!memory.scores.contains_key(&hash(2)) && memory.scores.contains_key(&hash(3)));
    }
}
