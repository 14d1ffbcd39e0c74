//! One item: what is read, what people said, and the form of the decision. It works without a program; with one, digits choose.

use crate::{
    component::{
        form::{About, Choice, ErrorSummary, PostForm, Sending, wrong_with},
        markup::Markup,
    },
    page::label::{
        is_typing,
        keys::{Command, Digit, command, keyed, value_of},
        shortcuts_are_on,
    },
    rpc::adjudicate::Case,
};
use domain::{AdjudicationReason, Scale, ScaleKind, visible};
use leptos::{ev, html, prelude::*};
use wasm_bindgen::JsCast;

/// An item that waits for a decision.
#[component]
pub(crate) fn Decide(
    /// The project.
    project: String,
    /// The item.
    case: Case,
    /// Where the decision is sent.
    sending: Sending,
    /// The way to other items.
    places: AnyView,
) -> impl IntoView {
    let Case { item, places: units, reading, said, scale, rubric_version, seen } = case;
    // What is made of three texts always has a JSON form.
    let item = serde_json::to_string(&item).unwrap_or_default();
    let reasons = reasons();
    listen(scale.clone());
    let root = NodeRef::<html::Div>::new();
    Effect::new(move || {
        if root.get().is_some() {
            units.iter().for_each(|unit| mark(unit));
        }
    });
    view! {
        <div class="bench adjudication">
            <div class="reading" node_ref=root inner_html=reading.into_html()></div>
            <aside class="decision" aria-label="Decision">
                <Said said=said/>
                <ErrorSummary error=sending.error()/>
                <PostForm sending=sending>
                    <input type="hidden" name="project" value=project/>
                    <input type="hidden" name="item" value=item/>
                    <input type="hidden" name="rubric_version" value=rubric_version.to_string()/>
                    <input type="hidden" name="seen" value=seen/>
                    <div class="fields">
                        <Levels scale=scale sending=sending/>
                        <Choice name="reason" label="Why people did not agree" options=reasons error=sending.error()/>
                        <Note sending=sending/>
                        <button type="submit" class="button primary" disabled=move || sending.is_pending()>
                            {move || if sending.is_pending() { "Storing…" } else { "Decide and next" }}
                        </button>
                    </div>
                </PostForm>
                {places}
            </aside>
        </div>
    }
}

/// The reasons with an empty one first: nothing is decided by leaving a choice as it stands.
fn reasons() -> Vec<(String, String)> {
    let mut reasons = vec![(String::new(), "choose a reason".to_owned())];
    reasons
        .extend(AdjudicationReason::ALL.map(|reason| (reason.word().to_owned(), reason.says().to_owned())));
    reasons
}

/// The question and what people said. The question takes the focus when another item has taken the place of this one.
#[component]
fn Said(
    /// The markup.
    said: Markup,
) -> impl IntoView {
    view! { <div class="card asked" inner_html=said.into_html()></div> }
}

/// What can be decided.
#[component]
fn Levels(
    /// The scale.
    scale: Scale,
    /// Where the decision is sent.
    sending: Sending,
) -> impl IntoView {
    let wrong = wrong_with(sending.error(), "value");
    let choices = if scale.kind == ScaleKind::Continuous {
        let (min, max) = scale.bounds();
        let step = scale.step.map_or_else(|| "any".to_owned(), |step| step.to_string());
        let label = format!("A number from {min} to {max}");
        view! {
            <input type="number" name="value" min=min.to_string() max=max.to_string() step=step required aria-label=label/>
        }
        .into_any()
    } else {
        keyed(&scale)
            .into_iter()
            .map(|(key, level)| {
                let means = level.means.as_ref().map(|means| format!(": {}", visible(means)));
                view! {
                    <label class="choice">
                        <input type="radio" name="value" id=id_of(level.value) value=level.value.to_string() required/>
                        <kbd aria-hidden="true">{key.map(Digit::printed)}</kbd>
                        <span><strong>{visible(&level.name)}</strong><span class="soft">{means}</span></span>
                    </label>
                }
            })
            .collect_view()
            .into_any()
    };
    view! {
        <fieldset id="field-value" aria-describedby="about-value">
            <legend>"The agreed value"</legend>
            {choices}
            <About id="about-value".to_owned() hint=None wrong=wrong/>
        </fieldset>
    }
}

/// What else there is to say.
#[component]
fn Note(
    /// Where the decision is sent.
    sending: Sending,
) -> impl IntoView {
    let wrong = wrong_with(sending.error(), "note");
    let hint = "Where the guideline has a gap: what the next rubric version should say.";
    view! {
        <div class="field">
            <label for="field-note">"Note (optional)"</label>
            <textarea id="field-note" name="note" rows="3" aria-describedby="about-note"></textarea>
            <About id="about-note".to_owned() hint=Some(hint) wrong=wrong/>
        </div>
    }
}

fn id_of(value: f64) -> String {
    format!("value-{value}")
}

/// A digit chooses the level that it is printed on, except in a text field.
fn listen(scale: Scale) {
    Effect::new(move || {
        let scale = scale.clone();
        let heard = window_event_listener(ev::keydown, move |event| {
            let is_taken =
                event.default_prevented() || event.ctrl_key() || event.alt_key() || event.meta_key();
            if is_taken || is_typing(&event) || !shortcuts_are_on() {
                return;
            }
            if let Some(Command::Digit(digit)) = command(&event.key(), &event.code(), event.shift_key())
                && let Some(value) = value_of(&scale, digit)
                && choose(&id_of(value))
            {
                event.prevent_default();
            }
        });
        on_cleanup(move || heard.remove());
    });
}

/// Chooses a level and brings the focus there, so that Enter decides.
fn choose(id: &str) -> bool {
    let found =
        document().get_element_by_id(id).and_then(|found| found.dyn_into::<web_sys::HtmlInputElement>().ok());
    if let Some(level) = &found {
        level.set_checked(true);
        // An element that cannot take the focus keeps it where it was: the choice stands.
        let _ = level.focus();
    }
    found.is_some()
}

fn mark(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        // The name of the class is a valid one, and only an invalid one is refused.
        let _ = element.class_list().add_1("here");
    }
}
