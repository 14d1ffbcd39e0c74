//! One conversation, to read.

use crate::{
    component::{announcer::Heading, loaded::PageData, reading::Reading, text::Text},
    param::{path_param, project_param},
    rpc::conversation::load_conversation,
};
use domain::{Conversation, visible};
use leptos::prelude::*;

/// The conversation page.
#[component]
pub(crate) fn ConversationPage() -> impl IntoView {
    let (project, id) = (project_param(), path_param("id"));
    let data =
        PageData::new(move || (project.get(), id.get()), |(project, id)| load_conversation(project, id));
    data.show(|conversation| {
        let name = visible(&conversation.id);
        let question = conversation.question().to_owned();
        let (facts, metadata) = (facts(&conversation), metadata(&conversation));
        view! {
            <div class="page">
                <div class="head">
                    <div>
                        <Heading title=format!("Conversation {name}")/>
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
            </div>
        }
    })
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
