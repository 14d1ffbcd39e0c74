//! A judge version ready to answer: a model behind an endpoint, or a baseline without one.

use super::{line::Line, units::Call};
use crate::ServiceError;
use domain::{
    Asked, ContentHash, Conversation, Declaration, FailureKind, Instrument as Declared, JudgeAnswer, Model,
    Outcome, Parser, Reading, Rubric, Scale, Unit, fingerprint, read_answer,
};
use judge::{Answered, Example, Failed, Prompt};
use std::sync::Arc;
use store::JudgedCall;
use time::OffsetDateTime;

/// What answers for a judge version.
pub(super) struct Instrument {
    pub(super) declaration: Declaration,
    pub(super) rubric: Rubric,
    examples: Vec<Shown>,
    version_hash: ContentHash,
    line: Option<Arc<Line>>,
    clock: fn() -> OffsetDateTime,
}

/// An item that is shown to a model with its references.
pub(super) struct Shown {
    pub(super) conversation: Conversation,
    pub(super) unit: Unit,
    /// Criterion and reference.
    pub(super) values: Vec<(String, f64)>,
}

impl Shown {
    fn example(&self) -> Example<'_> {
        Example { conversation: &self.conversation, unit: &self.unit, values: &self.values }
    }
}

/// What came of a call.
pub(super) enum Outcomes {
    /// It is to be kept: an answer, or a failure of the instrument.
    Judged(JudgedCall),
    /// Nobody answered. It is a failure only if the provider answers other calls.
    Unanswered(JudgedCall),
}

impl Outcomes {
    /// The call, whether somebody answered it or not.
    pub(super) fn into_judged(self) -> JudgedCall {
        match self {
            Outcomes::Judged(call) | Outcomes::Unanswered(call) => call,
        }
    }
}

impl Instrument {
    /// A judge version with its examples, and with the line on which it is asked, where it is a model.
    pub(super) fn new(
        declaration: Declaration,
        rubric: Rubric,
        examples: Vec<Shown>,
        line: Option<Arc<Line>>,
        clock: fn() -> OffsetDateTime,
    ) -> Result<Instrument, ServiceError> {
        let version_hash = declaration.hash().map_err(|error| ServiceError::Internal(error.to_string()))?;
        Ok(Instrument { declaration, rubric, examples, version_hash, line, clock })
    }

    /// How many calls may be under way at the same time.
    pub(super) fn concurrency(&self) -> usize {
        self.line.as_ref().map_or(1, |line| line.concurrency())
    }

    /// What is said to the model about a unit.
    pub(super) fn prompt(
        &self,
        model: &Model,
        conversation: &Conversation,
        unit: &Unit,
    ) -> Result<Prompt, String> {
        let lot = format!("{} {} {unit}", self.version_hash, conversation.id);
        let examples: Vec<Example<'_>> = self.examples.iter().map(Shown::example).collect();
        judge::render(model, &self.rubric, &self.declaration.criteria, conversation, unit, &examples, &lot)
            .map_err(|error| error.to_string())
    }

    /// Answers one call.
    pub(super) async fn answer(&self, call: &Call, conversation: &Conversation) -> Outcomes {
        match (&self.declaration.instrument, &self.line) {
            (Declared::Model(model), Some(line)) => self.ask(model, line, call, conversation).await,
            (Declared::MajorityLevel { levels }, _) => {
                let level = |asked: &Asked<'_>| majority(levels.get(asked.criterion).copied(), asked.scale);
                Outcomes::Judged(self.computed(call, "the level that most references have", level))
            }
            _ => {
                let overlap =
                    |asked: &Asked<'_>| judge::lexical_overlap(conversation, &call.unit, asked.scale);
                Outcomes::Judged(self.computed(
                    call,
                    "the share of the question's words that stand in it",
                    overlap,
                ))
            }
        }
    }

    async fn ask(&self, model: &Model, line: &Line, call: &Call, conversation: &Conversation) -> Outcomes {
        let prompt = match self.prompt(model, conversation, &call.unit) {
            Ok(prompt) => prompt,
            Err(says) => {
                let readings = self.failures(FailureKind::Other, &says);
                return Outcomes::Judged(JudgedCall { attempts: 0, ..self.judged(call, None, readings) });
            }
        };
        let lot = format!("{} {} {} {}", self.version_hash, conversation.id, call.unit, call.repeat);
        match line.ask(model, &prompt, &lot).await {
            Ok(answered) => Outcomes::Judged(self.read(model.parser, call, answered)),
            Err(failed) => self.failed(call, failed),
        }
    }

    fn read(&self, parser: Parser, call: &Call, answered: Answered) -> JudgedCall {
        let readings = self.readings(parser, &answered);
        JudgedCall {
            raw: Some(answered.raw),
            latency_ms: Some(answered.latency.as_secs_f64() * 1_000.0),
            input_tokens: answered.input_tokens,
            output_tokens: answered.output_tokens,
            cost_usd: answered.cost,
            attempts: answered.attempts,
            ..self.judged(call, answered.reported_model, readings)
        }
    }

    /// What is read from an answer, by code.
    pub(super) fn readings(&self, parser: Parser, answered: &Answered) -> Vec<Reading> {
        let answer = JudgeAnswer {
            text: &answered.text,
            cut_off: answered.cut_off,
            refusal: answered.refusal.as_deref(),
        };
        read_answer(&answer, parser, &self.asked())
    }

    fn failed(&self, call: &Call, failed: Failed) -> Outcomes {
        let readings = self.failures(failed.kind, &failed.says);
        let judged = JudgedCall {
            raw: failed.raw,
            attempts: failed.attempts,
            latency_ms: Some(failed.latency.as_secs_f64() * 1_000.0),
            ..self.judged(call, None, readings)
        };
        if failed.is_final { Outcomes::Judged(judged) } else { Outcomes::Unanswered(judged) }
    }

    fn failures(&self, kind: FailureKind, says: &str) -> Vec<Reading> {
        let failure = |asked: Asked<'_>| Reading {
            criterion: asked.criterion.to_owned(),
            outcome: Outcome::Failure { kind, says: says.to_owned() },
            reason: None,
        };
        self.asked().into_iter().map(failure).collect()
    }

    fn computed(&self, call: &Call, reason: &str, outcome: impl Fn(&Asked<'_>) -> Outcome) -> JudgedCall {
        let reading = |asked: Asked<'_>| Reading {
            criterion: asked.criterion.to_owned(),
            outcome: outcome(&asked),
            reason: Some(reason.to_owned()),
        };
        let readings = self.asked().into_iter().map(reading).collect();
        JudgedCall { attempts: 0, ..self.judged(call, None, readings) }
    }

    /// The criteria with their scales; the declaration was checked against the rubric.
    fn asked(&self) -> Vec<Asked<'_>> {
        let asked = |criterion| Some(Asked { criterion, scale: self.rubric.scale_of(criterion)? });
        self.declaration.criteria.iter().map(String::as_str).filter_map(asked).collect()
    }

    fn judged(&self, call: &Call, reported_model: Option<String>, readings: Vec<Reading>) -> JudgedCall {
        JudgedCall {
            conversation: call.conversation,
            unit: call.unit.to_string(),
            repeat: call.repeat,
            fingerprint: fingerprint(&self.version_hash, reported_model.as_deref()),
            model: self.declaration.model().map(|model| model.model.clone()),
            reported_model,
            readings,
            raw: None,
            latency_ms: None,
            input_tokens: None,
            output_tokens: None,
            cost_usd: None,
            attempts: 1,
            judged_at: (self.clock)(),
        }
    }
}

fn majority(level: Option<f64>, scale: &Scale) -> Outcome {
    match level.and_then(|level| scale.admit(level)) {
        Some(level) => Outcome::Value(level),
        None => Outcome::Failure {
            kind: FailureKind::Missing,
            says: "no reference tells which level most have".to_owned(),
        },
    }
}
