//! `touchstone watch`.

use super::{print, print_json, say};
use clap::{Subcommand, ValueEnum};
use domain::{Cut, WatchReport, agreement::Estimate, visible};
use service::{Service, Viewer, WeeklyReport};

#[derive(Subcommand)]
pub(super) enum Watch {
    /// How production stands: means of the week, falls, and who moved
    #[command(after_help = "Example: touchstone watch show --project shop --json")]
    Show {
        #[arg(long)]
        project: String,
        /// Days of rolling means
        #[arg(long, default_value_t = 90)]
        days: u32,
    },
    /// The week in three numbers, with the conversations to read
    #[command(
        after_help = "Example, by cron on Mondays: touchstone watch report --project shop --send --public-origin https://touchstone.example"
    )]
    Report {
        #[arg(long)]
        project: String,
        #[arg(long, value_enum, default_value_t)]
        format: Format,
        /// Send it to the webhook (TOUCHSTONE_WEBHOOK) too
        #[arg(long)]
        send: bool,
        /// Where people find the pages
        #[arg(long, value_name = "https://HOST", default_value = "http://127.0.0.1:3000")]
        public_origin: String,
    },
    /// Look for falls, and tell new ones to the webhook (TOUCHSTONE_WEBHOOK); `touchstone serve` does it every quarter of an hour
    #[command(
        after_help = "Example: touchstone watch check --project shop --public-origin https://touchstone.example"
    )]
    Check {
        #[arg(long)]
        project: String,
        /// Where people find the pages
        #[arg(long, value_name = "https://HOST", default_value = "http://127.0.0.1:3000")]
        public_origin: String,
    },
    /// Have a sample of what was imported since the last one judged, by the judge that was promoted for routine
    #[command(after_help = "Example: touchstone watch sample --project shop --share 0.05")]
    Sample {
        #[arg(long)]
        project: String,
        /// The share of each corpus; the project's own where absent
        #[arg(long)]
        share: Option<f64>,
        /// Decides which conversations
        #[arg(long, default_value_t = 1)]
        seed: u32,
    },
}

/// How a weekly report is written.
#[derive(Clone, Copy, Default, ValueEnum)]
pub(super) enum Format {
    /// For people
    #[default]
    Text,
    /// For mails and chats
    Markdown,
    /// For machines
    Json,
}

impl Watch {
    /// Where people find the pages, for what is told to the webhook.
    pub(super) fn public_origin(&self) -> Option<&str> {
        match self {
            Watch::Report { public_origin, send: true, .. } | Watch::Check { public_origin, .. } => {
                Some(public_origin)
            }
            _ => None,
        }
    }
}

pub(super) async fn run(service: &Service, command: Watch, json: bool) -> anyhow::Result<u8> {
    match command {
        Watch::Show { project, days } => {
            let id = service.project(&project).await?.id;
            let report = service.watch_report(id, days, Viewer::Operator).await?;
            if json { print_json(&report)? } else { print(&shown(&report))? }
        }
        Watch::Report { project, format, send, .. } => {
            let id = service.project(&project).await?.id;
            let report = service.weekly_report(id, Viewer::Operator).await?;
            match format {
                Format::Json => print_json(&report)?,
                _ if json => print_json(&report)?,
                Format::Text => print(&weekly(&report, false))?,
                Format::Markdown => print(&weekly(&report, true))?,
            }
            if send {
                service.send_weekly_report(&report, &weekly(&report, false)).await?;
                say("sent to the webhook");
            }
        }
        Watch::Check { project, .. } => {
            let id = service.project(&project).await?.id;
            let standing = service.look_for_falls(id).await?;
            if json {
                print_json(&standing)?;
            } else if standing.is_empty() {
                print("nothing has fallen beyond noise this week")?;
            } else {
                print(&standing.join("\n"))?;
            }
        }
        Watch::Sample { project, share, seed } => {
            let id = service.project(&project).await?.id;
            let taken = service.take_sample(id, share, seed).await?;
            if json {
                print_json(&taken)?;
            } else {
                print(&format!(
                    "{} of {} conversations drawn, {} scores, {} failures",
                    taken.drawn, taken.imported, taken.scores, taken.failures
                ))?;
            }
        }
    }
    Ok(0)
}

/// A figure with its interval.
fn figure(estimate: &Estimate) -> String {
    match (estimate.value(), estimate.interval()) {
        (Some(value), Some(interval)) => format!("{value:.2} [{:.2}, {:.2}]", interval.low, interval.high),
        (Some(value), None) => format!("{value:.2}"),
        (None, _) => format!("undefined ({})", estimate.says().unwrap_or_default()),
    }
}

/// A difference with its sign.
fn difference(estimate: &Estimate) -> String {
    let text = figure(estimate);
    if estimate.value().is_some_and(|value| value > 0.0) { format!("+{text}") } else { text }
}

fn shown(report: &WatchReport) -> String {
    let Some(through) = report.through else { return "no score of production yet".to_owned() };
    let mut text = format!("production through {through}\n");
    for dimension in &report.dimensions {
        for line in &dimension.lines {
            text.push_str(&format!(
                "{}{}: {}, against the week before {}, tail {}\n",
                visible(&dimension.dimension),
                line.cut.in_words(),
                figure(&line.week),
                difference(&line.change),
                figure(&line.tail)
            ));
            for alert in &line.alerts {
                text.push_str(&format!("  {}\n", alert.in_words(&dimension.dimension, &line.cut)));
            }
            if line.cut == Cut::All {
                text.push_str(&format!("  {}\n", line.moved.in_words()));
            }
        }
    }
    text
}

fn weekly(report: &WeeklyReport, markdown: bool) -> String {
    let project = written(&report.project, markdown);
    let Some(through) = report.through else { return format!("{project}: no score of production yet") };
    let (title, item) = if markdown { ("## ", "- ") } else { ("", "  ") };
    let mut text = format!("{title}{project}, week to {through}\n\n");
    for figure in &report.figures {
        text.push_str(&format!(
            "{item}{} {} {}, against the week before {}\n",
            written(&figure.dimension, markdown),
            sparkline(&figure.rolling),
            self::figure(&figure.week),
            difference(&figure.change)
        ));
    }
    text.push('\n');
    if report.alarms.is_empty() {
        text.push_str("Nothing has fallen beyond noise.\n");
    }
    for alarm in &report.alarms {
        text.push_str(&format!("{item}{}\n", written(alarm, markdown)));
    }
    if !report.worst.is_empty() {
        text.push_str(&format!("\n{title}Lowest of the week\n\n"));
    }
    for worst in &report.worst {
        let excerpt: String = worst.text.as_deref().unwrap_or_default().chars().take(120).collect();
        text.push_str(&format!(
            "{item}{} {:.2} on {} {}\n",
            written(&worst.conversation, markdown),
            worst.share,
            written(&worst.dimension, markdown),
            written(&excerpt, markdown)
        ));
    }
    text
}

/// Strangers' text as text of one line: no markup, no mention, no link.
fn written(text: &str, markdown: bool) -> String {
    let text = visible(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    if !markdown {
        return text;
    }
    let special = |character: char| "\\`*_{}[]()<>#+!|~@".contains(character);
    text.chars()
        .flat_map(|character| special(character).then_some('\\').into_iter().chain([character]))
        .collect()
}

/// Eight heights, from the least to the greatest of the values, over a span of 0.1 at least.
fn sparkline(values: &[f64]) -> String {
    const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let span = (high - low).max(0.1);
    let height = |value: &f64| {
        let share = (value - low) / span * 7.0;
        let at = (0..7).filter(|step| share >= f64::from(*step) + 0.5).count();
        HEIGHTS.get(at).copied().unwrap_or('█')
    };
    values.iter().map(height).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_has_a_height_for_each_value_and_noise_is_flat() {
        assert_eq!(sparkline(&[0.0, 0.5, 1.0]), "▁▅█");
        assert_eq!(sparkline(&[0.7, 0.7, 0.701]), "▁▁▁");
        assert_eq!(sparkline(&[]), "");
    }

    #[test]
    fn strangers_text_makes_no_markup() {
        assert_eq!(written("[a](http://x) <b> @all", true), "\\[a\\]\\(http://x\\) \\<b\\> \\@all");
        assert_eq!(written("a_b", false), "a_b");
        assert_eq!(written("ok\n\n- helpfulness fell\n---", false), "ok - helpfulness fell ---");
    }
}
