//! The week in three numbers, for people who do not open pages.

use crate::{ProjectId, Service, ServiceError, Viewer, webhook::plain};
use domain::{Cut, Day, Moved, WatchReport, agreement::Estimate};
use serde::{Deserialize, Serialize};
use serde_json::json;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// Days behind a sparkline.
const SPARKLINE: u32 = 28;

/// Conversations to read.
const WORST: usize = 5;

/// Dimensions that the report names.
const FIGURES: usize = 3;

/// A week of production.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeeklyReport {
    /// Name of the project.
    pub project: String,
    /// The last day with a score; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<Day>,
    /// Three dimensions, those that fell most first.
    pub figures: Vec<WeeklyFigure>,
    /// The alarms that stand, in words.
    pub alarms: Vec<String>,
    /// The conversations with the lowest scores of the week.
    pub worst: Vec<WorstConversation>,
}

/// A dimension in a week.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeeklyFigure {
    /// Id of the criterion.
    pub dimension: String,
    /// The mean of the week, as a share of the range.
    pub week: Estimate,
    /// Against the week before.
    pub change: Estimate,
    /// The rolling means of four weeks, oldest first.
    pub rolling: Vec<f64>,
    /// What the change is made of.
    pub moved: Moved,
}

/// A conversation that scored low.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstConversation {
    /// Id in the source system.
    pub conversation: String,
    /// Whether it was imported too, and so can be opened.
    pub is_imported: bool,
    /// The criterion of its lowest score.
    pub dimension: String,
    /// The client or document base; empty where none was said.
    pub corpus: String,
    /// Where the score stands on its scale.
    pub share: f64,
    /// When it was scored, in UTC.
    pub at: String,
    /// What to show of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Service {
    /// The last week of production in three numbers, with the alarms that stand and the conversations to read.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn weekly_report(
        &self,
        project: ProjectId,
        viewer: Viewer,
    ) -> Result<WeeklyReport, ServiceError> {
        let report = self.watch_report(project, SPARKLINE, viewer).await?;
        let worst = match report.through {
            Some(through) => self.worst_conversations(project, through, viewer).await?,
            None => Vec::new(),
        };
        Ok(WeeklyReport {
            project: self.store.project_name(project).await?,
            through: report.through,
            alarms: standing(&report),
            figures: figures(report),
            worst,
        })
    }

    /// Sends a weekly report to the webhook: its text for chats, and the report itself for programs.
    ///
    /// # Errors
    /// [`ServiceError::Conflict`] where there is no webhook, and where it does not take the report.
    pub async fn send_weekly_report(&self, report: &WeeklyReport, text: &str) -> Result<(), ServiceError> {
        let conflict = |what: String| ServiceError::Conflict { what };
        let webhook = self.webhook.clone();
        let webhook =
            webhook.ok_or_else(|| conflict("set TOUCHSTONE_WEBHOOK to send the report".to_owned()))?;
        let page = webhook.page(&["p", &report.project, "watch"]);
        let body =
            json!({ "text": format!("{}\n{page}", plain_lines(text)), "page": page, "report": report });
        let sent = webhook.deliver(&body.to_string()).await;
        sent.map_err(|says| conflict(format!("the report could not be sent to the webhook: {says}")))
    }

    /// The conversations with the lowest scores in the week that ends with a day.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn worst_conversations(
        &self,
        project: ProjectId,
        through: Day,
        viewer: Viewer,
    ) -> Result<Vec<WorstConversation>, ServiceError> {
        let worst = self.store.worst_scores(project, (through - 6, through), WORST, viewer).await?;
        let conversation = |score: store::WorstScore| WorstConversation {
            conversation: score.conversation,
            is_imported: score.is_imported,
            dimension: score.dimension,
            corpus: score.corpus,
            share: score.share.value(),
            at: in_utc(score.at),
            text: score.excerpt,
        };
        Ok(worst.into_iter().map(conversation).collect())
    }
}

/// Text of several lines for a chat.
fn plain_lines(text: &str) -> String {
    text.lines().map(plain).collect::<Vec<_>>().join("\n")
}

fn in_utc(at: OffsetDateTime) -> String {
    at.format(&Rfc3339).unwrap_or_default()
}

fn standing(report: &WatchReport) -> Vec<String> {
    let Some(through) = report.through else { return Vec::new() };
    let alarms = report.alarms().filter(|(_, _, alert)| alert.is_on(through));
    alarms.map(|(dimension, line, alert)| alert.in_words(&dimension.dimension, &line.cut)).collect()
}

fn figures(report: WatchReport) -> Vec<WeeklyFigure> {
    let mut figures: Vec<WeeklyFigure> = report
        .dimensions
        .into_iter()
        .filter_map(|dimension| {
            let line = dimension.lines.into_iter().find(|line| line.cut == Cut::All)?;
            Some(WeeklyFigure {
                dimension: dimension.dimension,
                week: line.week,
                change: line.change,
                rolling: line.points.iter().map(|point| point.mean).collect(),
                moved: line.moved,
            })
        })
        .collect();
    let fall = |figure: &WeeklyFigure| figure.change.value().unwrap_or(0.0);
    figures.sort_by(|a, b| fall(a).total_cmp(&fall(b)).then_with(|| a.dimension.cmp(&b.dimension)));
    figures.truncate(FIGURES);
    figures
}
