//! What opens over the label page: all keys, the guideline, the reasons for skipping.

use crate::{
    component::dialog::Dialog,
    page::label::{
        bench::Work,
        keys::{Digit, HELP, keyed},
        sheet::Sheet,
    },
};
use domain::visible;
use leptos::{ev, html, prelude::*};

/// Where the browser remembers that keys are off.
const KEYS_OFF: &str = "touchstone-shortcuts-off";

/// Whether keys do what is printed on them: they do, unless this browser was told otherwise.
pub(crate) fn shortcuts_are_on() -> bool {
    let storage = window().local_storage().ok().flatten();
    storage.and_then(|storage| storage.get_item(KEYS_OFF).ok().flatten()).is_none()
}

fn remember_shortcuts(on: bool) {
    let Some(storage) = window().local_storage().ok().flatten() else { return };
    // A browser that keeps nothing forgets this too; until then the choice holds.
    let _ = if on { storage.remove_item(KEYS_OFF) } else { storage.set_item(KEYS_OFF, "1") };
}

/// All keys, and the switch that turns them off.
#[component]
pub(crate) fn Help(
    /// The bench.
    work: Work,
) -> impl IntoView {
    let keys =
        HELP.into_iter().map(|(key, does)| view! { <dt><kbd>{key}</kbd></dt><dd>{does}</dd> }).collect_view();
    let levels = move || {
        work.sheet.with(|sheet| {
            let keys =
                sheet.question().and_then(|question| sheet.scale(question)).map(keyed).unwrap_or_default();
            keys.into_iter()
                .filter_map(|(key, level)| {
                    let key = key.map(Digit::printed)?;
                    Some(view! { <dt><kbd>{key}</kbd></dt><dd>{visible(&level.name)}</dd> })
                })
                .collect_view()
        })
    };
    let switch = move |event: ev::Event| {
        let on = event_target_checked(&event);
        work.shortcuts.set(on);
        remember_shortcuts(on);
    };
    view! {
        <Dialog open=work.opened.help title="All keys" id="all-keys">
            <dl class="pairs">{keys}</dl>
            <h3>"This question"</h3>
            <dl class="pairs">{levels}</dl>
            <label class="choice">
                <input type="checkbox" prop:checked=move || work.shortcuts.get() on:change=switch/>
                "Single keys are shortcuts"
            </label>
            <button type="button" class="button" on:click=move |_| work.opened.help.set(false)>"Close"</button>
        </Dialog>
    }
}

/// How the criterion in focus is to be answered.
#[component]
pub(crate) fn Guideline(
    /// The bench.
    work: Work,
) -> impl IntoView {
    let criterion = move || {
        work.sheet
            .with(|sheet: &Sheet| sheet.question().and_then(|question| sheet.criterion(question)).cloned())
    };
    let text = move || {
        let guideline = criterion().map(|criterion| visible(&criterion.guideline)).unwrap_or_default();
        if guideline.is_empty() { "There is no guideline for this criterion.".to_owned() } else { guideline }
    };
    view! {
        <Dialog open=work.opened.guideline title="Guideline" id="guideline">
            <p><strong>{move || criterion().map(|criterion| visible(&criterion.question))}</strong></p>
            <p class="text" dir="auto">{text}</p>
            <button type="button" class="button" on:click=move |_| work.opened.guideline.set(false)>"Close"</button>
        </Dialog>
    }
}

/// Why somebody leaves a conversation to others.
const REASONS: [&str; 4] = [
    "I do not speak the language well enough",
    "The text is broken or missing",
    "I know the person or the case",
    "I cannot decide with what is shown",
];

/// Asks why the conversation is skipped.
#[component]
pub(crate) fn Skip(
    /// The bench.
    work: Work,
) -> impl IntoView {
    let own = NodeRef::<html::Input>::new();
    let reasons = REASONS
        .into_iter()
        .map(|reason| view! {
            <button type="button" class="button" on:click=move |_| work.skip(reason.to_owned())>{reason}</button>
        })
        .collect_view();
    let other = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let reason = own.get_untracked().map(|own| own.value().trim().to_owned()).unwrap_or_default();
        if !reason.is_empty() {
            work.skip(reason);
        }
    };
    view! {
        <Dialog open=work.opened.skip title="Skip this conversation" id="skip">
            <p class="soft">"It goes to others, and does not come back to you. Answers given so far are kept, and do not count."</p>
            <div class="reasons">{reasons}</div>
            <form class="fields" on:submit=other>
                <div class="field">
                    <label for="skip-reason">"Another reason"</label>
                    <input id="skip-reason" node_ref=own autocomplete="off"/>
                </div>
                <div class="row">
                    <button type="submit" class="button">"Skip for this reason"</button>
                    <button type="button" class="button plain" on:click=move |_| work.opened.skip.set(false)>"Do not skip"</button>
                </div>
            </form>
        </Dialog>
    }
}
