//! A conversation as markup.

use crate::component::{
    number::fixed,
    reading::{Fault, Reading},
    text::Text,
};
use domain::{Conversation, MetricFigures, WorstConversation, visible};
use leptos::prelude::*;

/// The name of the page.
pub(crate) fn title(conversation: &Conversation) -> String {
    format!("Conversation {}", visible(&conversation.id))
}

/// A metric that the conversation lowers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Low {
    /// What the metric is here, in a sentence.
    says: String,
    /// The unit that lowers it most, where there is one to go to.
    fault: Option<Fault>,
    /// The address of the diagnosis.
    back: String,
}

impl Low {
    /// A metric with this conversation among its worst.
    pub(crate) fn new(metric: &MetricFigures, worst: WorstConversation, back: String) -> Low {
        let name = visible(&metric.name);
        let says = format!("Among the worst of “{name}”, with {}.", fixed(worst.value, 2));
        let fault = worst.unit.and_then(|unit| unit.parse().ok()).zip(worst.says);
        let fault =
            fault.map(|(unit, why)| Fault { unit, says: format!("Lowers “{name}”: {}.", visible(&why)) });
        Low { says, fault, back }
    }
}

/// Everything that is known of a conversation.
#[component]
pub(crate) fn Whole(
    /// The conversation.
    conversation: Conversation,
    /// The metric that it lowers, where that was asked.
    low: Option<Low>,
) -> impl IntoView {
    let fault = low.as_ref().and_then(|low| low.fault.clone());
    let (says, back) = low.map(|low| (low.says, low.back)).unzip();
    let question = conversation.question().to_owned();
    let (title, facts, metadata) = (title(&conversation), facts(&conversation), metadata(&conversation));
    view! {
        <div class="head">
            <div>
                {back.map(|back| view! { <a class="crumb" href=back>"← Diagnose"</a> })}
                <h1 tabindex="-1">{title}</h1>
                <p>{facts}</p>
                {says.map(|says| view! { <p>{says}</p> })}
            </div>
        </div>
        <div class="reading">
            <section class="step" aria-labelledby="asked">
                <h2 id="asked">"Question"</h2>
                <Text text=question/>
            </section>
            <Reading conversation=conversation fault=fault/>
            {metadata.map(|text| view! {
                <details class="aside">
                    <summary>"Metadata"</summary>
                    <pre class="call">{text}</pre>
                </details>
            })}
        </div>
    }
}

/// What is known of the conversation, in a line.
fn facts(conversation: &Conversation) -> String {
    let named = [
        ("category", &conversation.category),
        ("corpus", &conversation.corpus),
        ("system", &conversation.system),
        ("language", &conversation.language),
        ("request", &conversation.request_id),
    ];
    let mut facts = vec![format!("cluster {}", visible(conversation.cluster()))];
    facts.extend(
        named
            .iter()
            .filter_map(|(name, value)| value.as_ref().map(|value| format!("{name} {}", visible(value)))),
    );
    facts.join(" · ")
}

fn metadata(conversation: &Conversation) -> Option<String> {
    let metadata = conversation.metadata.as_ref().filter(|metadata| !metadata.is_empty())?;
    serde_json::to_string_pretty(metadata).ok().map(|text| visible(&text))
}
