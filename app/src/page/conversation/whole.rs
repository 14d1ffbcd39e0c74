//! A conversation as markup.

use crate::component::{reading::Reading, text::Text};
use domain::{Conversation, visible};
use leptos::prelude::*;

/// The name of the page.
pub(crate) fn title(conversation: &Conversation) -> String {
    format!("Conversation {}", visible(&conversation.id))
}

/// Everything that is known of a conversation.
#[component]
pub(crate) fn Whole(
    /// The conversation.
    conversation: Conversation,
) -> impl IntoView {
    let question = conversation.question().to_owned();
    let (title, facts, metadata) = (title(&conversation), facts(&conversation), metadata(&conversation));
    view! {
        <div class="head">
            <div>
                <h1 tabindex="-1">{title}</h1>
                <p>{facts}</p>
            </div>
        </div>
        <div class="reading">
            <section class="step" aria-labelledby="asked">
                <h2 id="asked">"Question"</h2>
                <Text text=question/>
            </section>
            <Reading conversation=conversation/>
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
