//! A decision as markup.

use crate::{
    address::{of_project, with_query},
    component::{
        figure::{Figure, Form},
        number::minute,
        slice::{in_slice, slice_name},
        table::NamedTable,
    },
    page::gate::log::{rfc3339, verdict_class},
};
use domain::{Decision, RuleOutcome, RuleVerdict, Verdict, visible};
use leptos::prelude::*;

/// The name of the page.
pub(crate) const TITLE: &str = "Decision";

/// The whole decision.
#[component]
pub(crate) fn Record(
    /// The decision.
    decision: Decision,
) -> impl IntoView {
    let class = format!("word {}", verdict_class(decision.decision));
    let candidate = visible(&decision.candidate);
    let against = match &decision.incumbent {
        Some(incumbent) => format!("{candidate}, against {}", visible(incumbent)),
        None => format!("{candidate}, with no incumbent: rules that need one were not asked"),
    };
    let reasons = decision.reasons.iter().map(|reason| view! { <li>{visible(reason)}</li> }).collect_view();
    let why = (!decision.reasons.is_empty()).then(|| view! { <ul class="reasons">{reasons}</ul> });
    let advice = decision.advice_only.then(|| view! {
        <p class="note">"Advice: it was decided on live labels. Only a decision on a frozen anchor set can be followed by a promotion."</p>
    });
    let project = decision.project.clone();
    let rows = decision
        .rules
        .iter()
        .enumerate()
        .map(|(index, rule)| view! { <RuleRow decision=decision.clone() rule=rule.clone() index=index/> })
        .collect_view();
    view! {
            <div class="head">
                <div>
                    <a class="crumb" href=of_project(&project, "gate")>"← Gate"</a>
                    <h1 tabindex="-1">{TITLE}</h1>
                    <p>{against}</p>
                </div>
            </div>
            <section class="card verdict" aria-label="Answer">
                <p class=class>{decision.decision.word()}</p>
                <div>
                    <p>{meaning(decision.decision)}</p>
                    {why}
                    {advice}
                </div>
            </section>
            <section class="part">
                <h2>"Rules"</h2>
                <NamedTable label="Rules" caption="Each rule with what was required and what was found">
                    <thead>
                        <tr>
                            <th scope="col">"Rule"</th>
                            <th scope="col">"Criterion or metric"</th>
                            <th scope="col">"Required"</th>
                            <th scope="col" class="right">"Found"</th>
                            <th scope="col">"Verdict"</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </NamedTable>
            </section>
            <Evidence decision=decision/>
    }
}

/// What the word means.
fn meaning(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Promote => "Every rule of the policy is shown to be met.",
        Verdict::Hold => "At least one rule is shown not to be met.",
        Verdict::Inconclusive => "No rule is shown to fail, but the data cannot show that all are met.",
    }
}

/// One rule.
#[component]
fn RuleRow(
    /// The decision, for the links.
    decision: Decision,
    /// The rule.
    rule: RuleOutcome,
    /// Its place in the list.
    index: usize,
) -> impl IntoView {
    let (class, word) = match rule.verdict {
        RuleVerdict::Pass => ("good", "✓ pass"),
        RuleVerdict::Fail => ("bad", "✗ fail"),
        RuleVerdict::Inconclusive => ("unsure", "? inconclusive"),
        RuleVerdict::Undefined => ("unsure", "∅ undefined"),
    };
    let is_difference =
        ["non_inferiority", "difference_at_most", "bias_at_most", "mean_shift"].contains(&rule.rule.as_str());
    let form = if is_difference { Form::Difference } else { Form::Plain };
    let href = evidence_of(&decision, &rule);
    let slice = rule.slice.as_ref().map(|slice| {
        view! { <span class="soft">{format!(" · {}", slice_name(slice.by.word(), &slice.value))}</span> }
    });
    let threshold = (rule.rule == "mean_shift" && rule.verdict == RuleVerdict::Fail).then(|| {
        let href = threshold_page(&decision, &rule.criterion);
        view! { " " <a href=href>"Re-anchor the threshold"</a> }
    });
    let name = rule.rule.replace('_', " ");
    view! {
        <tr>
            <th scope="row">{name.clone()}</th>
            <td><a href=href>{visible(&rule.criterion)}</a> {slice}</td>
            <td class="wrap">{visible(&rule.required)} {threshold}</td>
            <td class="right">
                <Figure estimate=rule.found name=format!("{name} on {}", visible(&rule.criterion)) id=format!("rule-{index}") form=form/>
            </td>
            <td class=class>{word}</td>
        </tr>
    }
}

/// Where the items behind a figure are.
fn evidence_of(decision: &Decision, rule: &RuleOutcome) -> String {
    let page = |page: &str| of_project(&decision.project, page);
    let (candidate, criterion) = (decision.candidate.as_str(), rule.criterion.as_str());
    match rule.rule.as_str() {
        "difference_at_most" => with_query(&page("diagnose"), &[("judge", candidate)]),
        "failure_share" | "coverage_at_least" => {
            with_query(&page("compare/failures"), &[("judge", candidate), ("criterion", criterion)])
        }
        "human_agreement_at_least" => with_query(&page("agreement"), &[("criterion", criterion)]),
        _ => items_of(decision, rule),
    }
}

/// The candidate's items on what was decided, in the slice of the rule, held against the incumbent.
fn items_of(decision: &Decision, rule: &RuleOutcome) -> String {
    let set = decision.reference.anchor_set.as_ref();
    let reference = set.map(|set| format!("{}@{} {}", set.name, set.version, set.split.word()));
    let rule_of_labels = if set.is_none() { decision.reference.rule.word() } else { "" };
    let why = set.map(|_| format!("reading decision {}", decision.id));
    let query = [
        ("judge", decision.candidate.as_str()),
        ("criterion", rule.criterion.as_str()),
        ("against", decision.incumbent.as_deref().unwrap_or_default()),
        ("reference", reference.as_deref().unwrap_or_default()),
        ("rule", rule_of_labels),
        ("why", why.as_deref().unwrap_or_default()),
        ("by", rule.slice.as_ref().map_or("", |slice| slice.by.word())),
    ];
    let slice = rule.slice.as_ref().map(|slice| in_slice(&slice.value));
    let query = [&query[..], slice.as_ref().map_or(&[][..], |slice| &slice[..])].concat();
    with_query(&of_project(&decision.project, "compare/judge"), &query)
}

/// Where the threshold of the candidate is moved: on the items of the decision, or those to tune on of the same set.
fn threshold_page(decision: &Decision, criterion: &str) -> String {
    let set = decision.reference.anchor_set.as_ref();
    let reference = set.map(|set| format!("{}@{} tune", set.name, set.version)).unwrap_or_default();
    let query = [("judge", decision.candidate.as_str()), ("criterion", criterion), ("reference", &reference)];
    with_query(&of_project(&decision.project, "threshold"), &query)
}

/// What the decision was made on.
#[component]
fn Evidence(
    /// The decision.
    decision: Decision,
) -> impl IntoView {
    let source = &decision.reference;
    let names: Vec<String> = source.annotators.iter().map(|name| visible(name)).collect();
    let reference = match &source.anchor_set {
        Some(set) => {
            format!("anchor set {}, hash {}, {}", visible(&set.to_string()), set.hash, source.rule.word())
        }
        None => format!("{} of the live labels of {}", source.rule.word(), names.join(", ")),
    };
    let hash = decision.hash().map_or_else(|error| error.to_string(), |hash| hash.0);
    let policy = serde_json::to_string_pretty(&decision.policy).unwrap_or_default();
    view! {
        <section class="part" aria-labelledby="evidence">
            <h2 id="evidence">"Evidence"</h2>
            <dl class="pairs small">
                <dt>"Decided"</dt>
                <dd class="num">{format!("{} UTC", minute(&rfc3339(&decision.decided_at)))}</dd>
                <dt>"Reference"</dt>
                <dd>{reference}</dd>
                <dt>"Data"</dt>
                <dd><code class="hash">{decision.data_hash.0.clone()}</code></dd>
                <dt>"Policy"</dt>
                <dd>{visible(&decision.policy.name)} " " <code class="hash">{decision.policy_hash.0.clone()}</code></dd>
                <dt>"Record"</dt>
                <dd><code class="hash">{decision.id.clone()}</code></dd>
                <dt>"Hash of the record"</dt>
                <dd><code class="hash">{hash}</code></dd>
            </dl>
            <details>
                <summary>"The policy as it was applied"</summary>
                <pre class="call">{visible(&policy)}</pre>
            </details>
        </section>
    }
}
