//! Alarms: raised once for each fall, and told once.

use crate::{ProjectId, Service, ServiceError, Viewer, webhook::plain};
use domain::{Day, WatchReport};
use serde_json::json;
use store::NewAlarm;

/// Days that a look at all lines goes back.
const LOOKED_AT: u32 = 30;

/// A fall that is found later than this is on record, and no news.
const NEWS: i32 = 7;

impl Service {
    /// Looks at all lines of a project, raises what is new, and tells the webhook where there is one and the project wants it. Gives what
    /// stands, in words.
    ///
    /// # Errors
    /// Where the store fails. That a webhook could not be reached is in the audit log, and the next look tells it again.
    pub async fn look_for_falls(&self, project: ProjectId) -> Result<Vec<String>, ServiceError> {
        let report = self.watch_report(project, LOOKED_AT, Viewer::Operator).await?;
        let settings = self.store.watch_settings(project).await?;
        let today = Day::of(self.now());
        let mut standing = Vec::new();
        for (new, is_on) in new_alarms(&report) {
            let alarm = self.store.raise_alarm(project, &new, self.now()).await?;
            if is_on {
                standing.push(alarm.says.clone());
            }
            let is_news = today.since(new.day) <= NEWS;
            if is_news && alarm.told_at.is_none() && settings.tells && self.webhook.is_some() {
                self.tell_alarm(project, alarm.id, &new).await?;
            }
        }
        Ok(standing)
    }

    /// The same for every project that has scores.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn look_for_falls_everywhere(&self) -> Result<(), ServiceError> {
        for project in self.store.projects().await? {
            self.look_for_falls(project.id).await?;
        }
        Ok(())
    }

    async fn tell_alarm(
        &self,
        project: ProjectId,
        id: store::AlarmId,
        alarm: &NewAlarm,
    ) -> Result<(), ServiceError> {
        let Some(webhook) = self.webhook.clone() else { return Ok(()) };
        if !self.store.claim_alarm(id, self.now()).await? {
            return Ok(());
        }
        let name = self.store.project_name(project).await?;
        let page = webhook.page(&["p", &name, "watch"]);
        let text = format!("{}: {}\n{page}", plain(&name), plain(&alarm.says));
        let body = json!({ "text": text, "page": page, "alarm": {
            "project": name, "dimension": alarm.dimension, "cut": alarm.cut, "day": alarm.day, "says": alarm.says } });
        let Err(says) = webhook.deliver(&body.to_string()).await else { return Ok(()) };
        tracing::warn!(alarm = %id, says, "an alarm could not be told to the webhook");
        self.store.release_alarm(id).await?;
        self.record(None, Some(project), "webhook_failed", &format!("alarm {id}: {says}")).await
    }
}

/// The alarms of a report with whether each still stands.
fn new_alarms(report: &WatchReport) -> Vec<(NewAlarm, bool)> {
    let alarm =
        |(dimension, line, alert): (&domain::DimensionWatch, &domain::SeriesWatch, &domain::Alert)| {
            let mut says = alert.in_words(&dimension.dimension, &line.cut);
            if let Some(moved) = &alert.moved {
                says.push_str(&format!(". {}", moved.in_words()));
            }
            let new = NewAlarm {
                dimension: dimension.dimension.clone(),
                cut: line.cut.clone(),
                day: alert.day,
                says,
            };
            (new, report.through.is_some_and(|through| alert.is_on(through)))
        };
    report.alarms().map(alarm).collect()
}
