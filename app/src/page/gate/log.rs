//! The log of decisions as markup.

use crate::{
    address::{encoded, of_project},
    component::{number::minute, table::NamedTable},
};
use domain::{Decision, Verdict, visible};
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
