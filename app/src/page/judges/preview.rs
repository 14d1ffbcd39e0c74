//! A judge on one item as markup, and what a run of it would take.

use crate::component::number::{count, fixed};
use domain::{Outcome, visible};
use leptos::prelude::*;
use service::{JudgePreview, PreviewedAnswer, RunEstimate};

/// What is said to the judge, and what it answered.
#[component]
pub(crate) fn Preview(
    /// What there is to show.
    preview: JudgePreview,
) -> impl IntoView {
    let place = format!(
        "{} · {} · about {} tokens",
        visible(&preview.conversation),
        visible(&preview.unit.to_string()),
        count(preview.tokens)
    );
    let system = (!preview.system.is_empty()).then(|| {
        view! {
            <h3>"System message"</h3>
            <pre class="call" tabindex="0" role="region" aria-label="System message" dir="auto">{visible(&preview.system)}</pre>
        }
    });
    let answer = preview.answer.map(|answer| view! { <Answer answer=answer/> });
    view! {
        {answer}
        <p class="note">{place}</p>
        {system}
        <h3>"Message"</h3>
        <pre class="call" tabindex="0" role="region" aria-label="Message" dir="auto">{visible(&preview.prompt)}</pre>
    }
}

/// What the judge answered.
#[component]
fn Answer(
    /// The answer.
    answer: PreviewedAnswer,
) -> impl IntoView {
    let readings = answer
        .readings
        .into_iter()
        .map(|reading| {
            let outcome = match reading.outcome {
                Outcome::Value(value) => view! { <strong>{value.to_string()}</strong> }.into_any(),
                Outcome::Failure { kind, says } => {
                    view! { <span class="tag">{kind.to_string()}</span> " " {visible(&says)} }.into_any()
                }
            };
            view! {
                <p>{visible(&reading.criterion)} ": " {outcome}</p>
                {reading.reason.map(|reason| view! { <p class="soft" dir="auto">{visible(&reason)}</p> })}
            }
        })
        .collect_view();
    let mut facts = Vec::new();
    facts.extend(answer.reported_model.as_deref().map(visible));
    facts.extend(answer.latency_ms.map(|latency| format!("{} ms", fixed(latency, 0))));
    facts.extend(answer.cost_usd.map(|cost| format!("${cost:.4}")));
    let raw = answer.raw.map(|raw| {
        view! {
            <details>
                <summary>"As it came"</summary>
                <pre class="call" dir="auto">{visible(&raw)}</pre>
            </details>
        }
    });
    view! {
        <div class="card">
            <h3>"Answer"</h3>
            {readings}
            <p class="soft small">{facts.join(" · ")}</p>
            {raw}
        </div>
    }
}

/// What a run would take, in a sentence.
pub(crate) fn estimate(estimate: &RunEstimate) -> impl IntoView + use<> {
    let cost = match estimate.cost_usd {
        Some(usd) => format!("about ${usd:.2}"),
        None => "at a price that is not configured".to_owned(),
    };
    let tokens = format!(
        "about {} tokens to send and {} to receive",
        count(estimate.input_tokens),
        count(estimate.output_tokens)
    );
    let says = if estimate.calls == 0 {
        "Everything has its verdict already: there is nothing to ask.".to_owned()
    } else {
        format!("{} calls, {tokens}: {cost}.", count(estimate.calls))
    };
    view! { <p class="note" role="status">{says}</p> }
}
