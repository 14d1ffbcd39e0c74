//! `touchstone diagnose`.

use super::{print, reports::Format, source::Source, text};
use crate::table;
use domain::{Better, Diagnosis, FailedAt, MetricFigures};
use service::DiagnosisQuery;

pub(super) async fn run(
    source: &Source,
    project: &str,
    query: &DiagnosisQuery,
    format: Format,
) -> anyhow::Result<u8> {
    print(&written(&source.diagnosis(project, query).await?, format)?)?;
    Ok(0)
}

/// The report as it is printed and answered.
pub(crate) fn written(report: &Diagnosis, format: Format) -> anyhow::Result<String> {
    Ok(match format {
        Format::Json => serde_json::to_string_pretty(report)?,
        Format::Csv => table::diagnosis(report)?,
        Format::Text => in_words(report),
    })
}

fn in_words(report: &Diagnosis) -> String {
    let other = report.metrics.iter().find_map(|metric| metric.paired.as_ref());
    let beside = other.map(|paired| format!(" beside {}", paired.judge)).unwrap_or_default();
    let ranked = report.ranked_by.as_ref().map(|judge| format!("   ranked by {judge}")).unwrap_or_default();
    let mut words = format!(
        "{}   {} conversations   from {}{beside}{ranked}   data {}\n\n",
        report.project,
        report.conversations,
        report.from,
        report.data_hash.short()
    );
    words.push_str(&flow(report));
    let header = ["  metric", "n", "mean", "judged", "other side", "judge − people", "beyond", "worst"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    for metric in &report.metrics {
        rows.push(row(metric));
        for (by, slices) in metric.by.iter().filter(|(by, _)| *by != "path") {
            for (slice, figure) in slices {
                let name = if slice.is_empty() { "(none)" } else { slice };
                rows.push(vec![format!("    {by} {name}"), figure.n().to_string(), text::figure(figure)]);
            }
        }
    }
    words.push('\n');
    words.push_str(&text::columns(&rows));
    words.push_str("\nbeyond: the share of conversations on the bad side of the pass level, or of a half; * less is better\n");
    words
}

/// Where the conversations fail, with the likely causes.
fn flow(report: &Diagnosis) -> String {
    let FailedAt { routing, retrieval, generation, none, unjudged } = report.failed_at;
    let mut words = format!(
        "fails first at: routing {routing} → retrieval {retrieval} → generation {generation}   none {none}, not judged {unjudged}\n"
    );
    for cause in &report.causes {
        let of: Vec<&str> = report
            .failures
            .iter()
            .filter(|failure| failure.cause == cause.cause)
            .map(|failure| failure.conversation.as_str())
            .collect();
        words.push_str(&format!("  {} {}: {}\n", cause.count, cause.pattern, listed(&of)));
        words.push_str(&format!("    look at {}\n", cause.look_at));
    }
    words
}

/// The first few names.
fn listed(names: &[&str]) -> String {
    const LISTED: usize = 8;
    let shown: Vec<String> = names.iter().take(LISTED).map(|name| domain::visible(name)).collect();
    let more = names.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

fn row(metric: &MetricFigures) -> Vec<String> {
    let star = if metric.better == Better::Low { " *" } else { "" };
    let paired = metric.paired.as_ref();
    let worst: Vec<&str> =
        metric.tail.worst.iter().take(3).map(|worst| worst.conversation.as_str()).collect();
    vec![
        format!("  {}{star}", metric.id),
        metric.estimate.n().to_string(),
        text::figure(&metric.estimate),
        text::number(metric.judged_share, 2),
        text::number(paired.and_then(|paired| paired.estimate.value()), 2),
        paired
            .filter(|paired| paired.difference.value().is_some())
            .map_or_else(|| "–".to_owned(), |paired| text::figure(&paired.difference)),
        text::number(metric.tail.beyond.value(), 2),
        listed(&worst),
    ]
}
