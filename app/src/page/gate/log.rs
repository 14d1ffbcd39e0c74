//! The log of decisions as markup.

use crate::{
    address::{encoded, of_project},
    component::{number::minute, table::NamedTable},
};
use domain::{
    Decision, PromotedJudge, ReleaseEvent, ReleaseLogEntry, RuleVerdict, SlotAct, Steadiness, Verdict,
    visible,
};
use leptos::prelude::*;

/// What was decided, newest first.
#[component]
pub(crate) fn Log(
    /// The project.
    project: String,
    /// The decisions.
    decisions: Vec<Decision>,
) -> impl IntoView {
    if decisions.is_empty() {
        return view! { <p class="soft">"Nothing has been decided yet."</p> }.into_any();
    }
    let rows = decisions
        .into_iter()
        .map(|decision| {
            let href = of_project(&project, &format!("gate/{}", encoded(&decision.id)));
            let class = verdict_class(decision.decision);
            let incumbent = decision.incumbent.map_or_else(|| "–".to_owned(), |judge| visible(&judge));
            view! {
                <tr>
                    <th scope="row"><a href=href class=class>{decision.decision.word()}</a></th>
                    <td>{visible(&decision.candidate)}</td>
                    <td>{incumbent}</td>
                    <td>{visible(&decision.policy.name)} " " <code class="hash">{decision.policy_hash.short().to_owned()}</code></td>
                    <td class="num">{minute(&rfc3339(&decision.decided_at))}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="part">
            <h2>"Decisions"</h2>
            <NamedTable label="Decisions">
                <thead>
                    <tr>
                        <th scope="col">"Decision"</th>
                        <th scope="col">"Candidate"</th>
                        <th scope="col">"Incumbent"</th>
                        <th scope="col">"Policy"</th>
                        <th scope="col">"When (UTC)"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </NamedTable>
        </section>
    }
    .into_any()
}

/// What was asked, decided, moved and promoted, newest first.
#[component]
pub(crate) fn ReleaseLog(
    /// The project.
    project: String,
    /// The entries.
    log: Vec<ReleaseLogEntry>,
) -> impl IntoView {
    if log.is_empty() {
        return ().into_any();
    }
    let rows = log
        .into_iter()
        .map(|entry| {
            let by = entry.by.as_deref().map_or_else(|| "command line".to_owned(), visible);
            let (what, detail) = in_words(&project, &entry.event);
            view! {
                <tr>
                    <td class="num">{minute(&rfc3339(&entry.at))}</td>
                    <td>{by}</td>
                    <th scope="row">{what}</th>
                    <td class="wrap">{detail}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="part">
            <h2>"Log"</h2>
            <NamedTable label="Log">
                <thead>
                    <tr>
                        <th scope="col">"When (UTC)"</th>
                        <th scope="col">"Who"</th>
                        <th scope="col">"What"</th>
                        <th scope="col">"Particulars"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </NamedTable>
        </section>
    }
    .into_any()
}

/// What it was in a word, and the particulars.
fn in_words(project: &str, event: &ReleaseEvent) -> (&'static str, AnyView) {
    match event {
        ReleaseEvent::Gate { decision, outcome, candidate, incumbent, .. } => {
            let href = of_project(project, &format!("gate/{}", encoded(decision)));
            let against = incumbent.as_ref().map(|judge| format!(" against {}", visible(judge)));
            let text = format!(" {}{}", visible(candidate), against.unwrap_or_default());
            (
                "gate",
                view! { <a href=href class=verdict_class(*outcome)>{outcome.word()}</a> {text} }.into_any(),
            )
        }
        ReleaseEvent::Slot(change) => {
            let stands =
                change.stands.as_ref().map_or_else(|| "nothing".to_owned(), PromotedJudge::full_name);
            let what = if change.act == SlotAct::Promote { "promotion" } else { "roll-back" };
            let floating =
                change.floating_reason.as_deref().map(|why| format!("; floating model: {}", visible(why)));
            let text = format!(
                "{} for {}: {}. {}{}",
                visible(&change.criterion),
                change.purpose,
                visible(&stands),
                visible(&change.reason),
                floating.unwrap_or_default()
            );
            (what, text.into_any())
        }
        ReleaseEvent::Threshold(accepted) => {
            let judge =
                visible(&format!("{}@{} on {}", accepted.judge, accepted.version, accepted.criterion));
            let text = format!(
                "{judge}: {} → {}. {}",
                accepted.before,
                accepted.threshold,
                visible(&accepted.reason)
            );
            ("threshold", text.into_any())
        }
        ReleaseEvent::Confirm { anchor_set, candidates, look, why } => {
            let why = why.as_deref().map_or_else(|| "no reason given".to_owned(), visible);
            let text = format!("look {look} at {} on {anchor_set}: {why}", visible(&candidates.join(", ")));
            ("confirm opened", text.into_any())
        }
        ReleaseEvent::Recalibration(found) => {
            let class = match found.verdict {
                Steadiness::Steady => "good",
                Steadiness::Drifted => "bad",
                Steadiness::Unclear => "unsure",
            };
            let judge = visible(&format!("{}@{}", found.judge, found.version));
            let mut told = found.criteria.iter().flat_map(|criterion| {
                let not_passed = criterion.checks.iter().filter(|check| check.verdict != RuleVerdict::Pass);
                not_passed.map(|check| format!("{}: {}", visible(&criterion.criterion), visible(&check.says)))
            });
            let why = told.next().map(|why| format!(". {why}")).unwrap_or_default();
            let text = format!(" {judge} on {}{why}", found.anchor_set);
            ("calibration", view! { <span class=class>{found.verdict.word()}</span> {text} }.into_any())
        }
        ReleaseEvent::Policy { version, name, hash } => {
            let text = format!("{} version {version}, hash {}", visible(name), hash.short());
            ("policy", text.into_any())
        }
    }
}

/// The colour that goes with the word of a verdict.
pub(crate) fn verdict_class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Promote => "good",
        Verdict::Hold => "bad",
        Verdict::Inconclusive => "unsure",
    }
}

/// A moment as RFC 3339 writes it.
pub(crate) fn rfc3339(at: &time::OffsetDateTime) -> String {
    at.format(&time::format_description::well_known::Rfc3339).unwrap_or_default()
}
