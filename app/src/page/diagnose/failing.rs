//! The likely causes, each with what to look at and the conversations behind it.

use super::report::Asked;
use crate::component::{number::counted, sentence::sentence};
use domain::{Cause, CauseCount, FailedConversation, Stage, visible};
use leptos::prelude::*;

/// How many conversations of a cause are listed.
const LISTED: usize = 8;

/// The causes stage by stage, most frequent first.
#[component]
pub(super) fn Causes(
    /// The causes.
    causes: Vec<CauseCount>,
    /// The conversations that fail.
    failures: Vec<FailedConversation>,
    /// What the address says.
    asked: Asked,
) -> impl IntoView {
    let of = |cause: Cause| -> Vec<&str> {
        let own = failures.iter().filter(|failure| failure.cause == cause);
        own.take(LISTED).map(|failure| failure.conversation.as_str()).collect()
    };
    let rows = causes
        .iter()
        .map(|cause| {
            let listed = of(cause.cause);
            let more = usize::try_from(cause.count).unwrap_or(usize::MAX).saturating_sub(listed.len());
            let links = listed
                .into_iter()
                .map(|id| view! { <li><a href=asked.conversation(id)>{visible(id)}</a></li> })
                .collect_view();
            let more = (more > 0).then(|| view! { <li class="soft">{format!("and {more} more, in the JSON file")}</li> });
            view! {
                <li class="card cause">
                    <p><span class="tag">{stage_name(cause.stage)}</span> " " <strong>{sentence(&cause.pattern)}</strong></p>
                    <p class="soft">"Look at " {cause.look_at.clone()} "."</p>
                    <p class="num">{counted(cause.count, "conversation")}</p>
                    <ul class="plain row small">{links} {more}</ul>
                </li>
            }
        })
        .collect_view();
    if causes.is_empty() {
        return view! { <p class="note">"No conversation is known to have failed."</p> }.into_any();
    }
    view! {
        <section class="part" aria-labelledby="causes">
            <h2 id="causes">"Likely causes"</h2>
            <ul class="plain causes">{rows}</ul>
        </section>
    }
    .into_any()
}

/// The word for a stage.
fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Routing => "routing",
        Stage::Retrieval => "retrieval",
        Stage::Generation => "generation",
    }
}
