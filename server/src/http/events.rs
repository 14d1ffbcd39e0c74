//! How far a run of a judge is, as it goes on: server-sent events.

use super::download::{Refusal, authorise};
use axum::{
    extract::{Path, State},
    response::sse::{Event, KeepAlive, Sse},
};
use domain::RunState;
use futures_util::{Stream, stream};
use service::{JudgeRun, ProjectId, Service};
use std::{convert::Infallible, time::Duration};
use tower_sessions::Session;

/// How often is looked, also at a run that another process drives.
const EVERY: Duration = Duration::from_millis(500);

/// One event for each step that a run has gone on, and a last one, `ended`, when it stands still. An event holds counts of calls and no
/// verdict: nothing in it is sealed to anyone.
pub(super) async fn of_run(
    session: Session,
    State(service): State<Service>,
    Path((project, run)): Path<(String, String)>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Refusal> {
    let (project, _) = authorise(&session, &service, &project).await?;
    let first = service.run(project, &run).await?;
    let watch = Watch { service, project, run, seen: None, next: Some(first), ended: false };
    Ok(Sse::new(stream::unfold(watch, Watch::step)).keep_alive(KeepAlive::default()))
}

struct Watch {
    service: Service,
    project: ProjectId,
    run: String,
    seen: Option<JudgeRun>,
    next: Option<JudgeRun>,
    ended: bool,
}

impl Watch {
    async fn step(mut self) -> Option<(Result<Event, Infallible>, Watch)> {
        if self.ended {
            return None;
        }
        let run = loop {
            let run = match self.next.take() {
                Some(run) => run,
                None => {
                    tokio::time::sleep(EVERY).await;
                    if self.service.is_leaving() {
                        return None;
                    }
                    self.service.run(self.project, &self.run).await.ok()?
                }
            };
            if self.seen.as_ref() != Some(&run) {
                break run;
            }
        };
        self.ended = run.state != RunState::Running;
        let event = Event::default().event(if self.ended { "ended" } else { "step" });
        // Counts are numbers: they can always be written down.
        let event = event.json_data(run.counts).ok()?;
        self.seen = Some(run);
        Some((Ok(event), self))
    }
}
