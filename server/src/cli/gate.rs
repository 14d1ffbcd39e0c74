//! `touchstone gate`: the exit code is the answer.

use super::{
    ci::{Format, cell, escaped},
    print,
    source::Source,
    text,
};
use domain::{Decision, RuleVerdict, Verdict};
use service::{GateRequest, Service};

pub(super) async fn run(
    source: &Source,
    project: &str,
    request: GateRequest,
    format: Format,
) -> anyhow::Result<u8> {
    answer(&source.gate(project, request).await?, format)
}

/// Decides a recorded decision again, and answers with the same bytes.
pub(super) async fn replay(
    service: &Service,
    project: &str,
    decision: &str,
    format: Format,
) -> anyhow::Result<u8> {
    let project = service.project(project).await?.id;
    answer(&service.replay(project, decision).await?, format)
}

fn answer(decision: &Decision, format: Format) -> anyhow::Result<u8> {
    print(&written(decision, format)?)?;
    Ok(match decision.decision {
        Verdict::Promote => 0,
        Verdict::Hold => 1,
        Verdict::Inconclusive => 2,
    })
}

/// The decision as it is printed and answered.
pub(crate) fn written(decision: &Decision, format: Format) -> anyhow::Result<String> {
    Ok(match format {
        Format::Json => serde_json::to_string_pretty(decision)?,
        Format::Text => in_words(decision),
        Format::Junit => junit(decision),
        Format::Markdown => markdown(decision),
    })
}

fn rule_word(verdict: RuleVerdict) -> &'static str {
    match verdict {
        RuleVerdict::Pass => "pass",
        RuleVerdict::Fail => "FAIL",
        RuleVerdict::Inconclusive => "inconclusive",
        RuleVerdict::Undefined => "undefined",
    }
}

fn in_words(decision: &Decision) -> String {
    let against =
        decision.incumbent.as_ref().map(|incumbent| format!(" against {incumbent}")).unwrap_or_default();
    let mut words = format!("{}   {}{against}\n\n", decision.decision.word(), decision.candidate);
    let rows: Vec<Vec<String>> = decision
        .rules
        .iter()
        .map(|rule| {
            vec![
                format!("  {}", rule_word(rule.verdict)),
                rule.criterion.clone(),
                rule.rule.clone(),
                text::figure(&rule.found),
            ]
        })
        .collect();
    words.push_str(&text::columns(&rows));
    if !decision.reasons.is_empty() {
        words.push('\n');
    }
    for reason in &decision.reasons {
        words.push_str(&format!("  - {reason}\n"));
    }
    if let Some(set) = &decision.reference.anchor_set {
        words.push_str(&format!("\nanchor set {set}, hash {}", set.hash.short()));
        words.push_str(&decision.opening.as_ref().map(text::opening).unwrap_or_default());
        words.push('\n');
    }
    if decision.advice_only {
        words.push_str("\nOn live labels this is advice: only a decision on a frozen anchor set can be followed by a promotion.\n");
    }
    let hashes = format!("policy {}   data {}", decision.policy_hash.short(), decision.data_hash.short());
    words.push_str(&format!("\ndecision {}   {hashes}\n", decision.id));
    words
}

fn markdown(decision: &Decision) -> String {
    let against = decision
        .incumbent
        .as_ref()
        .map(|incumbent| format!(" against `{}`", cell(incumbent)))
        .unwrap_or_default();
    let mut text = format!("## {}: `{}`{against}\n\n", decision.decision.word(), cell(&decision.candidate));
    text.push_str("| criterion | rule | required | found | verdict |\n|---|---|---|---|---|\n");
    for rule in &decision.rules {
        let found = cell(&text::figure(&rule.found));
        let row =
            [&*cell(&rule.criterion), &rule.rule, &cell(&rule.required), &found, rule_word(rule.verdict)];
        text.push_str(&format!("| {} |\n", row.join(" | ")));
    }
    for reason in &decision.reasons {
        text.push_str(&format!("\n- {}", cell(reason)));
    }
    if let Some(set) = &decision.reference.anchor_set {
        let opening = decision.opening.as_ref().map(text::opening).unwrap_or_default();
        text.push_str(&format!("\n\nAnchor set `{set}`, hash `{}`{}", set.hash.short(), cell(&opening)));
    }
    let hashes = format!("policy `{}`, data `{}`", decision.policy_hash.short(), decision.data_hash.short());
    text.push_str(&format!("\n\nDecision `{}`, {hashes}\n", decision.id));
    text
}

/// One test case for each rule; what did not pass is a failure, since a gate fails closed.
fn junit(decision: &Decision) -> String {
    let failed = decision.rules.iter().filter(|rule| rule.verdict != RuleVerdict::Pass).count();
    let held = usize::from(decision.rules.is_empty() && decision.decision != Verdict::Promote);
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml.push_str(&format!(
        "<testsuite name=\"touchstone gate: {}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"0\">\n",
        escaped(&format!("{} {}", decision.project, decision.candidate)),
        decision.rules.len() + held,
        failed + held,
    ));
    for rule in &decision.rules {
        let found = text::figure(&rule.found);
        xml.push_str(&format!(
            "  <testcase classname=\"{}\" name=\"{}\">",
            escaped(&rule.criterion),
            escaped(&rule.rule)
        ));
        if rule.verdict == RuleVerdict::Pass {
            xml.push_str(&format!("<system-out>{}</system-out>", escaped(&found)));
        } else {
            let says = format!("required: {}; found: {found}", rule.required);
            let kind = rule_word(rule.verdict).to_lowercase();
            xml.push_str(&format!("<failure type=\"{kind}\" message=\"{}\"/>", escaped(&says)));
        }
        xml.push_str("</testcase>\n");
    }
    if held == 1 {
        let says = escaped(&decision.reasons.join("; "));
        xml.push_str(&format!(
            "  <testcase classname=\"gate\" name=\"decision\"><failure message=\"{says}\"/></testcase>\n"
        ));
    }
    xml.push_str("</testsuite>\n");
    xml
}
