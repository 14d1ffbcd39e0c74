//! `touchstone calibrate`: promoted judges are asked again about the anchor set that they were promoted on.

use super::{print, print_json, say, text};
use domain::{Recalibration, RuleVerdict, Steadiness, visible};
use service::{RecalibrationRequest, Service};
use std::sync::Mutex;

/// Between two lines of progress at least so many calls are answered.
const PROGRESS_EVERY: u64 = 50;

pub(super) async fn run(
    service: &Service,
    project: &str,
    request: &RecalibrationRequest,
    json: bool,
) -> anyhow::Result<u8> {
    let project = service.project(project).await?.id;
    let told = Mutex::new(0);
    let progress = |done: u64, total: u64| {
        // A line of progress is no reason to stop.
        let Ok(mut told) = told.lock() else { return };
        if done == total || done >= *told + PROGRESS_EVERY {
            *told = done;
            say(&format!("{done} of {total} calls answered"));
        }
    };
    let reports = service.recalibrate(project, request, None, &progress).await?;
    if json {
        print_json(&reports)?;
    } else {
        print(&reports.iter().map(in_words).collect::<Vec<String>>().join("\n"))?;
    }
    Ok(exit_code(&reports))
}

/// 0 all are steady, 1 one has drifted, 2 of one it cannot be said.
fn exit_code(reports: &[Recalibration]) -> u8 {
    let any = |verdict| reports.iter().any(|report| report.verdict == verdict);
    match () {
        () if any(Steadiness::Drifted) => 1,
        () if any(Steadiness::Unclear) => 2,
        () => 0,
    }
}

fn in_words(report: &Recalibration) -> String {
    let judge = visible(&format!("{}@{}", report.judge, report.version));
    let mut words = format!(
        "{}  {judge} on anchor set {}, hash {}\n",
        report.verdict.word(),
        visible(&report.anchor_set.to_string()),
        report.anchor_set.hash.short()
    );
    if let (Some(then), Some(now)) = (&report.models.then, &report.models.now)
        && then != now
    {
        words.push_str(&format!(
            "  {} answers where {} did: its verdicts have another fingerprint, and stand apart until it is promoted\n",
            visible(now),
            visible(then)
        ));
    }
    for found in &report.criteria {
        words.push_str(&format!("\n{}\n", visible(&found.criterion)));
        let figures = [
            ("κ then", &found.kappa.then),
            ("κ now", &found.kappa.now),
            ("change of κ", &found.kappa_change),
            ("mean shift", &found.shift),
            ("changed", &found.changed),
            ("noise", &found.noise),
            ("coverage", &found.coverage),
        ];
        let rows: Vec<Vec<String>> =
            figures.iter().map(|(name, figure)| vec![format!("  {name}"), text::figure(figure)]).collect();
        words.push_str(&text::columns(&rows));
        for check in &found.checks {
            let word = match check.verdict {
                RuleVerdict::Pass => "ok",
                RuleVerdict::Fail => "DRIFT",
                RuleVerdict::Inconclusive | RuleVerdict::Undefined => "?",
            };
            words.push_str(&format!("  {word:<6}{}\n", check.says));
        }
    }
    words
}
