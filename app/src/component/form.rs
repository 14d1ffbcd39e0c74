//! Forms that say what was wrong, beside what was typed.

#[cfg(feature = "hydrate")]
mod post;

use crate::{component::sentence::sentence, error::AppError};
use leptos::{
    html,
    prelude::*,
    server_fn::{ServerFn, error::ServerFnUrlError},
};

/// Why the last attempt was refused, if it was.
pub(crate) type Refused = Signal<Option<AppError>>;

/// A form on its way to a server function, and what became of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sending {
    url: &'static str,
    refused: RwSignal<Option<AppError>>,
    pending: RwSignal<bool>,
    done: RwSignal<u32>,
}

impl Sending {
    /// Sends to this server function. Where no program runs in the browser, the address of the page says why a form was refused.
    pub(crate) fn to<F: ServerFn>() -> Sending {
        let before = use_context::<ServerActionError>().filter(|error| error.path() == F::PATH);
        let refused = before.map(|error| ServerFnUrlError::<AppError>::decode_err(error.err()));
        Sending {
            url: F::PATH,
            refused: RwSignal::new(refused),
            pending: RwSignal::new(false),
            done: RwSignal::new(0),
        }
    }

    /// Why the form was refused last.
    pub(crate) fn error(self) -> Refused {
        self.refused.into()
    }

    /// Whether the answer is still awaited.
    pub(crate) fn is_pending(self) -> bool {
        self.pending.get()
    }

    /// How often the form was taken.
    pub(crate) fn done(self) -> u32 {
        self.done.get()
    }

    #[cfg(feature = "hydrate")]
    fn send(self, event: &web_sys::SubmitEvent) {
        event.prevent_default();
        let Ok(fields) = leptos::form::form_data_from_event(event) else { return };
        let Ok(fields) = web_sys::UrlSearchParams::new_with_str_sequence_sequence(&fields) else { return };
        let body: String = fields.to_string().into();
        self.pending.set(true);
        leptos::task::spawn_local(async move {
            let answer = post::post(self.url, body).await;
            // The page may be gone by now, and then nobody waits for the answer.
            let _ = self.pending.try_set(false);
            let _ = self.refused.try_set(answer.as_ref().err().cloned());
            if let Ok(redirect) = answer {
                let _ = self.done.try_update(|done| *done += 1);
                if let Some(target) = redirect {
                    crate::program::go(&target);
                }
            }
        });
    }

    /// The server's half of a page sends nothing.
    #[cfg(not(feature = "hydrate"))]
    fn send(self, _: &web_sys::SubmitEvent) {}
}

/// A form that is sent to a server function: by the browser itself, or without leaving the page where a program runs. One path for all
/// forms, so that it is compiled once.
#[component]
pub(crate) fn PostForm(
    /// Where it is sent, and what becomes of it.
    sending: Sending,
    /// Its fields and buttons.
    children: Children,
) -> impl IntoView {
    view! {
        <form method="post" action=sending.url on:submit=move |event| sending.send(&event)>
            {children()}
        </form>
    }
}

/// What was wrong, at the head of a form. It takes the focus when it appears.
#[component]
pub(crate) fn ErrorSummary(
    /// Why the form was refused.
    error: Refused,
) -> impl IntoView {
    let place = NodeRef::<html::Div>::new();
    Effect::new(move || {
        if error.get().is_some()
            && let Some(element) = place.get()
        {
            // Focusing an element that has gone since fails, and then there is nothing to tell.
            let _ = element.focus();
        }
    });
    move || {
        error.get().map(|error| {
            let says = sentence(&error.to_string());
            let link = error.field().filter(|field| !field.is_empty()).map(|field| format!("#field-{field}"));
            view! {
                <div class="summary-of-errors" role="alert" tabindex="-1" node_ref=place>
                    <h2>"This was not taken"</h2>
                    <p>
                        {match link {
                            Some(link) => view! { <a href=link rel="external">{says}</a> }.into_any(),
                            None => says.into_any(),
                        }}
                    </p>
                </div>
            }
        })
    }
}

/// A labelled input of a form, with what is wrong with it.
#[component]
pub(crate) fn Field(
    /// Name of the field, as the server function has it.
    name: &'static str,
    /// Its label.
    label: &'static str,
    /// The type of the input.
    #[prop(default = "text")]
    kind: &'static str,
    /// What browsers and password managers fill in.
    #[prop(default = "off")]
    autocomplete: &'static str,
    /// What is expected.
    #[prop(optional)]
    hint: Option<&'static str>,
    /// What stands in it at first.
    #[prop(optional, into)]
    value: String,
    /// Whether the form may be sent without it.
    #[prop(optional)]
    optional: bool,
    /// Why the form was refused.
    error: Refused,
) -> impl IntoView {
    let id = format!("field-{name}");
    let about = format!("about-{name}");
    let wrong = wrong_with(error, name);
    view! {
        <div class="field">
            <label for=id.clone()>{label}</label>
            <input
                id=id
                name=name
                type=kind
                value=value
                autocomplete=autocomplete
                required=!optional
                aria-describedby=about.clone()
                aria-invalid=move || wrong.get().is_some().then_some("true")
            />
            <About id=about hint=hint wrong=wrong/>
        </div>
    }
}

/// A labelled choice of a form.
#[component]
pub(crate) fn Choice(
    /// Name of the field, as the server function or the address has it.
    name: &'static str,
    /// Its label.
    label: &'static str,
    /// The values with their texts.
    options: Vec<(String, String)>,
    /// The value that is chosen at first.
    #[prop(optional, into)]
    chosen: String,
    /// What is expected.
    #[prop(optional)]
    hint: Option<&'static str>,
    /// Why the form was refused.
    #[prop(optional, into)]
    error: Refused,
) -> impl IntoView {
    let id = format!("field-{name}");
    let about = format!("about-{name}");
    let wrong = wrong_with(error, name);
    let options = options
        .into_iter()
        .map(|(value, text)| {
            let selected = value == chosen;
            view! { <option value=value selected=selected>{text}</option> }
        })
        .collect_view();
    view! {
        <div class="field">
            <label for=id.clone()>{label}</label>
            <select id=id name=name aria-describedby=about.clone() aria-invalid=move || wrong.get().is_some().then_some("true")>
                {options}
            </select>
            <About id=about hint=hint wrong=wrong/>
        </div>
    }
}

/// What is wrong with the field of that name.
pub(crate) fn wrong_with(error: Refused, name: &'static str) -> Signal<Option<String>> {
    Signal::derive(move || {
        error.get().filter(|error| error.field() == Some(name)).map(|error| sentence(&error.to_string()))
    })
}

/// What is expected in a field, and what is wrong with it.
#[component]
pub(crate) fn About(
    /// The id by which the field refers to it.
    id: String,
    /// What is expected.
    hint: Option<&'static str>,
    /// What is wrong.
    wrong: Signal<Option<String>>,
) -> impl IntoView {
    view! {
        <div id=id>
            {hint.map(|hint| view! { <p class="hint">{hint}</p> })}
            {move || wrong.get().map(|wrong| view! { <p class="wrong">{wrong}</p> })}
        </div>
    }
}
