//! The sweep over thresholds as markup.

use crate::component::{figure::Figure, number::count, table::NamedTable};
use domain::{ThresholdProposal, agreement::ThresholdPoint, visible};
use leptos::prelude::*;

/// Every threshold with how far people and judge agree there.
#[component]
pub(crate) fn Sweep(
    /// What is proposed.
    proposal: ThresholdProposal,
) -> impl IntoView {
    let is_at =
        |point: &ThresholdPoint, other: &ThresholdPoint| point.threshold.total_cmp(&other.threshold).is_eq();
    let rows = proposal
        .sweep
        .iter()
        .enumerate()
        .map(|(index, point)| {
            let mark = match (is_at(point, &proposal.proposed), is_at(point, &proposal.before)) {
                (true, true) => "now and proposed",
                (true, false) => "proposed",
                (false, true) => "now",
                (false, false) => "",
            };
            let counts = point.counts;
            let from = point.threshold;
            let kappa = proposal.kappas.get(index).cloned().map(|kappa| {
                view! { <Figure estimate=kappa name=format!("κ of passing from {from} on") id=format!("passing-{from}")/> }
            });
            view! {
                <tr>
                    <th scope="row">{format!("from {}", point.threshold)}</th>
                    <td class="right">{kappa}</td>
                    <td class="right num">{count(counts.passes() + counts.fails())}</td>
                    <td class="right num">{format!("{:.3}", point.agreement)}</td>
                    <td class="right num">{format!("{:.3}", point.pass_rate)}</td>
                    <td class="right num">{counts.false_pass}</td>
                    <td class="right num">{counts.false_fail}</td>
                    <td>{mark}</td>
                </tr>
            }
        })
        .collect_view();
    let lead = format!(
        "{} on {}: people pass {:.1} % of the verdicts, from {} on. The proposal is where what the judge passes agrees best with what people pass.",
        visible(&proposal.judge),
        visible(&proposal.criterion),
        100.0 * proposal.before.human_pass_rate,
        proposal.pass_level
    );
    let source = match &proposal.reference.anchor_set {
        Some(set) => format!("anchor set {}", visible(&set.to_string())),
        None => format!("{} of the live labels", proposal.reference.rule.word()),
    };
    view! {
        <p>{lead}</p>
        <NamedTable label="Thresholds" caption="How far people and judge agree on what passes, at every threshold">
            <thead>
                <tr>
                    <th scope="col">"Judge passes"</th>
                    <th scope="col" class="right">"κ of passing"</th>
                    <th scope="col" class="right">"n"</th>
                    <th scope="col" class="right">"Agreement"</th>
                    <th scope="col" class="right">"Pass rate"</th>
                    <th scope="col" class="right">"Passed wrongly"</th>
                    <th scope="col" class="right">"Failed wrongly"</th>
                    <th scope="col">"Note"</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </NamedTable>
        <p class="note">{source} ", data " <code class="hash">{proposal.data_hash.short().to_owned()}</code></p>
    }
}
