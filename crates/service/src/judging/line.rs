//! The line to an endpoint: whoever asks there shares its pace and the number of calls at the same time.

use crate::ServiceError;
use domain::Model;
use judge::{Answered, Call, Caller, Endpoints, Failed, Prompt};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::sync::Semaphore;

/// The lines that this process has opened, by endpoint.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    open: Mutex<HashMap<String, Arc<Line>>>,
}

/// One line.
#[derive(Debug)]
pub(super) struct Line {
    caller: Caller,
    free: Semaphore,
}

impl Lines {
    /// The line to the endpoint of this name, opened where it is not.
    pub(super) fn to(&self, endpoints: &Endpoints, name: &str) -> Result<Arc<Line>, ServiceError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = open.get(name) {
            return Ok(line.clone());
        }
        let caller = Caller::new(endpoints, name).map_err(|error| ServiceError::Invalid {
            field: "endpoint".to_owned(),
            reason: error.to_string(),
        })?;
        let free = Semaphore::new(concurrency(&caller));
        let line = Arc::new(Line { caller, free });
        open.insert(name.to_owned(), line.clone());
        Ok(line)
    }
}

fn concurrency(caller: &Caller) -> usize {
    (caller.endpoint().concurrency as usize).clamp(1, Semaphore::MAX_PERMITS)
}

impl Line {
    /// How many calls may be under way at the same time.
    pub(super) fn concurrency(&self) -> usize {
        concurrency(&self.caller)
    }

    /// Asks, when it is this call's turn.
    pub(super) async fn ask(&self, model: &Model, prompt: &Prompt, lot: &str) -> Result<Answered, Failed> {
        // Nobody closes it; a line without turns would still ask.
        let _turn = self.free.acquire().await.ok();
        self.caller.call(&Call { model, prompt, lot }).await
    }
}
