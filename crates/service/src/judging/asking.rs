//! Calls outside of a run: as many at the same time as the endpoint allows, each answer handed over as it comes.

use super::{
    instrument::{Instrument, Outcomes},
    runner::said,
    units::Call,
};
use crate::ServiceError;
use domain::Conversation;
use std::{sync::Arc, vec::IntoIter};
use store::JudgedCall;
use tokio::task::JoinSet;

/// Calls under way and calls to come. Whoever holds it keeps each answer before asking for the next.
pub(super) struct Asking {
    instrument: Arc<Instrument>,
    left: IntoIter<(Conversation, Call)>,
    under_way: JoinSet<(String, Outcomes)>,
    unanswered: Option<JudgedCall>,
}

impl Asking {
    pub(super) fn new(instrument: Instrument, calls: Vec<(Conversation, Call)>) -> Asking {
        Asking {
            instrument: Arc::new(instrument),
            left: calls.into_iter(),
            under_way: JoinSet::new(),
            unanswered: None,
        }
    }

    /// The next answer with the id of its conversation; none once all are in. After a call that nobody answered no other begins.
    ///
    /// # Errors
    /// [`ServiceError::Conflict`] at the end where nobody answered one.
    pub(super) async fn next(&mut self) -> Result<Option<(String, JudgedCall)>, ServiceError> {
        loop {
            self.fill();
            let Some(answered) = self.under_way.join_next().await else { break };
            match answered.map_err(|error| ServiceError::Internal(error.to_string()))? {
                (conversation, Outcomes::Judged(call)) => return Ok(Some((conversation, call))),
                (_, Outcomes::Unanswered(call)) => self.unanswered = Some(call),
            }
        }
        match self.unanswered.as_ref().and_then(said) {
            None => Ok(None),
            Some(says) => Err(ServiceError::Conflict {
                what: format!("nobody answers: {says}; what was answered is kept, ask again for the rest"),
            }),
        }
    }

    fn fill(&mut self) {
        while self.unanswered.is_none() && self.under_way.len() < self.instrument.concurrency() {
            let Some((conversation, call)) = self.left.next() else { break };
            let instrument = self.instrument.clone();
            self.under_way.spawn(async move {
                let outcome = instrument.answer(&call, &conversation).await;
                (conversation.id, outcome)
            });
        }
    }
}
