//! `touchstone check`: the exit code is the answer.

use super::{
    ci::{Format, cell, escaped},
    print,
    source::Source,
    text,
};
use domain::{CaseOutcome, CheckAnswer, CheckReport};
use service::CheckQuery;

pub(super) async fn run(
    source: &Source,
    project: &str,
    query: &CheckQuery,
    format: Format,
) -> anyhow::Result<u8> {
    let report = source.check(project, query).await?;
    print(&written(&report, format)?)?;
    Ok(match report.answer() {
        CheckAnswer::Passed => 0,
        CheckAnswer::Failed => 1,
        CheckAnswer::NothingToCheck => 2,
    })
}

/// The report as it is printed and answered.
pub(crate) fn written(report: &CheckReport, format: Format) -> anyhow::Result<String> {
    Ok(match format {
        Format::Json => serde_json::to_string_pretty(report)?,
        Format::Text => in_words(report),
        Format::Junit => junit(report),
        Format::Markdown => markdown(report),
    })
}

/// What holds in one line: how many passed, and where there was nothing to check.
fn summary(report: &CheckReport) -> String {
    let totals = &report.totals;
    let mut line =
        format!("{} golden cases: {} passed, {} failed", totals.cases, totals.passed, totals.failed);
    for (category, _) in report.by_category.iter().filter(|(_, totals)| totals.cases == 0) {
        line.push_str(&format!("; there is none in {}", domain::visible(category)));
    }
    line
}

/// What the rule asks of the judge; nothing where no judge is named.
fn judge_in_words(report: &CheckReport) -> Option<String> {
    let judge = report.rule.judge.as_ref()?;
    let thresholds: Vec<String> = report
        .rule
        .thresholds
        .iter()
        .map(|(criterion, threshold)| format!("{criterion} at least {threshold}"))
        .collect();
    Some(format!("{judge}: {}", thresholds.join(", ")))
}

fn check_word(check: Option<bool>) -> &'static str {
    match check {
        Some(true) => "ok",
        Some(false) => "no",
        None => "–",
    }
}

fn category_word(category: &str) -> &str {
    if category.is_empty() { "(none)" } else { category }
}

fn row(outcome: &CaseOutcome) -> Vec<String> {
    let mut cells = vec![
        format!(
            "  {} {}",
            if outcome.passed { "pass" } else { "FAIL" },
            domain::visible(&outcome.conversation)
        ),
        category_word(outcome.category.as_deref().unwrap_or_default()).to_owned(),
    ];
    cells.extend(outcome.checks.named().iter().map(|(_, check)| check_word(*check).to_owned()));
    cells.extend(outcome.scores.values().map(|score| text::number(*score, 2)));
    cells
}

fn header(report: &CheckReport) -> Vec<String> {
    let fixed = ["  case", "category", "answer", "tools", "arguments", "source"].map(str::to_owned);
    fixed.into_iter().chain(report.rule.thresholds.keys().cloned()).collect()
}

fn in_words(report: &CheckReport) -> String {
    let mut words = format!("{}   {}   data {}\n", report.project, summary(report), report.data_hash.short());
    if let Some(judge) = judge_in_words(report) {
        words.push_str(&format!("{judge}\n"));
    }
    words.push('\n');
    let mut rows = vec![header(report)];
    rows.extend(report.cases.iter().map(row));
    words.push_str(&text::columns(&rows));
    for outcome in report.cases.iter().filter(|outcome| !outcome.passed) {
        words.push_str(&format!("\n  {}: {}", domain::visible(&outcome.conversation), outcome.reason));
    }
    words.push_str("\n\n");
    let mut rows = vec![["  category", "cases", "passed", "failed", "pass rate"].map(str::to_owned).to_vec()];
    for (category, totals) in &report.by_category {
        let mut row = vec![format!("  {}", category_word(category))];
        row.extend([totals.cases, totals.passed, totals.failed].map(|count| count.to_string()));
        row.push(text::figure(&totals.pass_rate));
        rows.push(row);
    }
    words.push_str(&text::columns(&rows));
    for line in notes(report) {
        words.push_str(&format!("\n{line}"));
    }
    words
}

/// What is to be known beside the outcome: unstable cases, and those whose expectations are to be looked at again.
fn notes(report: &CheckReport) -> Vec<String> {
    let mut notes = Vec::new();
    for unstable in &report.unstable {
        let case = domain::visible(&unstable.case);
        notes.push(format!("unstable: {case} passed {} of {} trials", unstable.passed, unstable.trials));
    }
    for (check, cases) in &report.disagreements {
        notes.push(format!("trials disagree on {check}, by case ({}): {}", cases.len(), cases.join(", ")));
    }
    for expired in &report.expired {
        let owner = expired.owner.as_deref().unwrap_or("nobody");
        let case = domain::visible(&expired.conversation);
        notes.push(format!("expired: {case} on {}, kept by {owner}", expired.expires));
    }
    notes
}

fn markdown(report: &CheckReport) -> String {
    let mut text = format!("## {}\n", cell(&summary(report)));
    if let Some(judge) = judge_in_words(report) {
        text.push_str(&format!("\n{}\n", cell(&judge)));
    }
    text.push_str("\n| category | cases | passed | failed |\n|---|---|---|---|\n");
    for (category, totals) in &report.by_category {
        let category = cell(category_word(category));
        text.push_str(&format!(
            "| {category} | {} | {} | {} |\n",
            totals.cases, totals.passed, totals.failed
        ));
    }
    if report.totals.failed > 0 {
        text.push_str("\n| failed | why |\n|---|---|\n");
    }
    for outcome in report.cases.iter().filter(|outcome| !outcome.passed) {
        text.push_str(&format!("| {} | {} |\n", cell(&outcome.conversation), cell(&outcome.reason)));
    }
    for note in notes(report) {
        text.push_str(&format!("\n- {}", cell(&note)));
    }
    text.push_str(&format!("\n\nData `{}`\n", report.data_hash.short()));
    text
}

/// One test case for each golden case. Where there was nothing to check, that is a failure of its own: a check fails closed.
fn junit(report: &CheckReport) -> String {
    let empty = usize::from(report.answer() == CheckAnswer::NothingToCheck);
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml.push_str(&format!(
        "<testsuite name=\"touchstone check: {}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\">\n",
        escaped(&report.project),
        report.cases.len() + empty,
        report.totals.failed + empty as u64,
    ));
    for outcome in &report.cases {
        let category = outcome.category.as_deref().unwrap_or_default();
        xml.push_str(&format!(
            "  <testcase classname=\"{}\" name=\"{}\">",
            escaped(category_word(category)),
            escaped(&outcome.conversation)
        ));
        if !outcome.passed {
            xml.push_str(&format!("<failure message=\"{}\"/>", escaped(&outcome.reason)));
        }
        xml.push_str("</testcase>\n");
    }
    if empty == 1 {
        let says = escaped(&summary(report));
        xml.push_str(&format!(
            "  <testcase classname=\"check\" name=\"cases\"><failure message=\"{says}\"/></testcase>\n"
        ));
    }
    xml.push_str("</testsuite>\n");
    xml
}
