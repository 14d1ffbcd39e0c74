//! How far a run is, as markup.

use crate::{
    address::{encoded, of_project},
    component::number::{count, counted, fixed},
};
use domain::{RunState, visible};
use leptos::prelude::*;
use service::JudgeRun;
use store::Failure;

/// Counts, rate, spend and, once it stands still, the failures.
#[component]
pub(crate) fn Progress(
    /// The project.
    project: String,
    /// The run.
    run: JudgeRun,
    /// Its first instrument failures.
    failures: Vec<Failure>,
) -> impl IntoView {
    let counts = run.counts;
    let mut facts = vec![
        format!("{} of {} calls", count(counts.answered), count(counts.calls)),
        counted(counts.failures, "failure"),
        format!("{} tokens", count(counts.input_tokens + counts.output_tokens)),
        format!("${:.4}", counts.cost_usd),
    ];
    if let Some(rate) = counts.rate() {
        facts.push(format!("{} calls a second", fixed(rate, 1)));
    }
    if let (RunState::Running, Some(left)) = (run.state, counts.seconds_left()) {
        facts.push(format!("about {} left", duration(left)));
    }
    let says = run.says.map(|says| view! { <p class="wrong">{visible(&says)}</p> });
    let title = format!(
        "{}@{} on {}",
        visible(&run.judge),
        visible(&run.version),
        visible(&run.plan.scope.to_string())
    );
    let entries = failures
        .into_iter()
        .map(|failure| view! { <Entry project=project.clone() failure=failure/> })
        .collect_view();
    let ledger =
        (!entries.is_empty()).then(|| view! { <h3>"Failures"</h3> <ul class="plain ledger">{entries}</ul> });
    view! {
        <p><strong>{run.state.word()}</strong> " " <span class="soft">{title}</span></p>
        <progress max=counts.calls.max(1).to_string() value=counts.answered.to_string() aria-label="Calls answered"></progress>
        <p class="note">{facts.join(" · ")}</p>
        {says}
        {ledger}
    }
}

/// One call that gave no value.
#[component]
fn Entry(
    /// The project.
    project: String,
    /// The failure.
    failure: Failure,
) -> impl IntoView {
    let href = of_project(&project, &format!("conversation/{}", encoded(&failure.conversation)));
    let place = format!(
        "{} · {} · repeat {}",
        visible(&failure.unit.to_string()),
        visible(&failure.criterion),
        failure.repeat
    );
    let raw = failure.raw.as_deref().map_or_else(|| "(nothing came back)".to_owned(), visible);
    view! {
        <li class="card ledger-entry">
            <p class="row">
                <span class="tag">{failure.kind.to_string()}</span>
                <a href=href>{visible(&failure.conversation)}</a>
                <span class="soft small">{place}</span>
            </p>
            <p>{visible(&failure.says)}</p>
            <details>
                <summary>"Raw text"</summary>
                <pre class="call" dir="auto">{raw}</pre>
            </details>
        </li>
    }
}

fn duration(seconds: f64) -> String {
    if seconds < 90.0 {
        format!("{} s", fixed(seconds, 0))
    } else {
        format!("{} min", fixed(seconds / 60.0, 0))
    }
}
