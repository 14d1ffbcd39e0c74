//! The bench: a judge is written, tried on one item, kept, run over many and watched, all on one page.

use crate::{
    component::{
        announcer::Heading,
        form::{About, Choice, ErrorSummary, Field, PostForm, Sending, wrong_with},
        loaded::PageData,
        markup::{Fragment, Markup},
        sentence::sentence,
    },
    error::AppError,
    page::judges::watched::WatchedRun,
    param::{project_param, query_param},
    rpc::{
        judge::{BenchPage as Shown, DeclareJudge, Draft, StartRun, estimate_run, load_bench, preview_judge},
        packed::Packed,
    },
};
use domain::visible;
use leptos::{html, prelude::*};

/// What an answer of the server shows when it has come.
type Answer = RwSignal<Option<Result<Markup, AppError>>>;

/// The bench page.
#[component]
pub(crate) fn BenchPage() -> impl IntoView {
    let (project, judge, library) = (project_param(), query_param("judge"), query_param("library"));
    let declare = Sending::to::<DeclareJudge>();
    let start = Sending::to::<StartRun>();
    let data = PageData::new(
        // What was kept or begun meanwhile is shown as well.
        move || (project.get(), judge.get(), library.get(), declare.done(), start.done()),
        |(project, judge, library, _, _)| load_bench(project, judge, library),
    );
    data.show(move |shown| {
        let project = project.get_untracked();
        let Shown { draft, judge, endpoints, conversations, anchor_sets, run, standing } = shown;
        let title = judge.as_deref().map_or_else(|| "New judge".to_owned(), visible);
        let editor = draft.map(|draft| {
            view! { <Editor project=project.clone() draft=draft endpoints=endpoints conversations=conversations declare=declare/> }
        });
        let running = judge.map(|judge| {
            view! { <RunForm project=project.clone() judge=judge anchor_sets=anchor_sets start=start/> }
        });
        let standing = standing.map(|markup| {
            view! { <section class="part" aria-labelledby="standing" inner_html=markup.into_html()></section> }
        });
        let watched = run.map(|run| view! { <WatchedRun project=project.clone() run=run/> });
        view! {
            <div class="page">
                <Heading title=title/>
                {running}
                {watched}
                {standing}
                {editor}
            </div>
        }
    })
}

/// The form of a judge, and what it would say about one item.
#[component]
fn Editor(
    /// The project.
    project: String,
    /// What stands in it at first.
    draft: Draft,
    /// The endpoints that there are.
    endpoints: Vec<String>,
    /// Conversations to try it on.
    conversations: Vec<String>,
    /// Where the form is sent.
    declare: Sending,
) -> impl IntoView {
    let error = declare.error();
    let place = NodeRef::<html::Div>::new();
    let shown: Answer = RwSignal::new(None);
    let of_project = project.clone();
    let preview = move |_| {
        let Some(place) = place.get() else { return };
        let of = |name: &str| value_of(&place, name);
        let draft = Draft {
            name: of("name"),
            version: of("version"),
            criteria: of("criteria"),
            endpoint: of("endpoint"),
            model: of("model"),
            parser: of("parser"),
            parameters: of("parameters"),
            system: of("system"),
            prompt: of("prompt"),
            examples: of("examples"),
            example_set: of("example_set"),
        };
        let (conversation, unit, ask) = (of("conversation"), of("unit"), of("ask") == "on");
        fetch(shown, preview_judge(of_project.clone(), draft, conversation, unit, ask));
    };
    let named =
        |names: Vec<String>| names.into_iter().map(|name| (name.clone(), visible(&name))).collect::<Vec<_>>();
    let endpoints = if endpoints.is_empty() {
        vec![(String::new(), "none is configured".to_owned())]
    } else {
        named(endpoints)
    };
    let parsers = vec![
        ("scores".to_owned(), "a reason and a score for each criterion".to_owned()),
        ("claims".to_owned(), "claims, each supported or not; the score is their share".to_owned()),
    ];
    view! {
        <section class="part" aria-labelledby="write">
            <h2 id="write">"Prompt"</h2>
            <ErrorSummary error=error/>
            <div node_ref=place>
                <PostForm sending=declare>
                    <input type="hidden" name="project" value=project/>
                    <div class="card bench-form">
                        <div class="fields">
                            <Field name="name" label="Name" value=draft.name error=error/>
                            <Field name="version" label="Version" value=draft.version hint="A version never changes: an edit is another version." error=error/>
                            <Field name="criteria" label="Criteria" value=draft.criteria hint="Ids with commas between them; all of one kind of unit." error=error/>
                            <Choice name="endpoint" label="Endpoint" options=endpoints chosen=draft.endpoint error=error/>
                            <Field name="model" label="Model" value=draft.model hint="With its date or hash: an alias may be another model tomorrow." error=error/>
                            <Field name="parameters" label="Parameters (JSON)" value=draft.parameters optional=true error=error/>
                            <Field name="examples" label="Examples" value=draft.examples optional=true hint="Conversations to show with their references, with commas between them; the template names {% for example in examples %}." error=error/>
                            <Field name="example_set" label="Anchor set of the examples" value=draft.example_set optional=true hint="Its tune split has them, such as gold@1." error=error/>
                            <Choice name="parser" label="Answer" options=parsers chosen=draft.parser error=error/>
                        </div>
                        <div class="templates">
                            <Template name="system" label="System message" rows="4" value=draft.system error=error/>
                            <Template name="prompt" label="Message" rows="16" value=draft.prompt error=error/>
                        </div>
                    </div>
                    <p class="row">
                        <button type="submit" class="button primary" disabled=move || declare.is_pending()>"Keep as a version"</button>
                    </p>
                </PostForm>
                <div class="card bench-try">
                    <h3>"Try it on one item"</h3>
                    <div class="fields">
                        <Choice name="conversation" label="Conversation" options=named(conversations)/>
                        <Field name="unit" label="Unit" optional=true hint="Such as passage:p1; the first of its kind where nothing stands here." error=Signal::stored(None)/>
                    </div>
                    <p class="row">
                        <label><input type="checkbox" name="ask"/> " Ask the model, which costs one call"</label>
                        <button type="button" class="button" on:click=preview>"Preview"</button>
                    </p>
                    <Answered answer=shown/>
                </div>
            </div>
        </section>
    }
}

/// A template of the form.
#[component]
fn Template(
    /// Name of the field.
    name: &'static str,
    /// Its label.
    label: &'static str,
    /// How high it is.
    rows: &'static str,
    /// What stands in it at first.
    value: String,
    /// Why the form was refused.
    error: Signal<Option<AppError>>,
) -> impl IntoView {
    let (id, about) = (format!("field-{name}"), format!("about-{name}"));
    let wrong = wrong_with(error, name);
    view! {
        <div class="field">
            <label for=id.clone()>{label}</label>
            <textarea
                id=id
                name=name
                class="code"
                rows=rows
                spellcheck="false"
                aria-describedby=about.clone()
                aria-invalid=move || wrong.get().is_some().then_some("true")
            >
                {value}
            </textarea>
            <About id=about hint=None wrong=wrong/>
        </div>
    }
}

/// What a run covers.
#[component]
fn RunForm(
    /// The project.
    project: String,
    /// The judge.
    judge: String,
    /// The frozen sets.
    anchor_sets: Vec<String>,
    /// Where the form is sent.
    start: Sending,
) -> impl IntoView {
    let error = start.error();
    let place = NodeRef::<html::Div>::new();
    let shown: Answer = RwSignal::new(None);
    let (of_project, of_judge) = (project.clone(), judge.clone());
    let estimate = move |_| {
        let Some(place) = place.get() else { return };
        let of = |name: &str| value_of(&place, name);
        fetch(
            shown,
            estimate_run(of_project.clone(), of_judge.clone(), of("scope"), of("size"), of("repeats")),
        );
    };
    let mut scopes = vec![(String::new(), "all conversations".to_owned())];
    for set in anchor_sets {
        let name = visible(&set);
        scopes.push((set.clone(), name.clone()));
        scopes
            .extend(["tune", "confirm"].map(|split| (format!("{set} {split}"), format!("{name}, {split}"))));
    }
    view! {
        <section class="part" aria-labelledby="go">
            <h2 id="go">"Run it"</h2>
            <ErrorSummary error=error/>
            <div node_ref=place>
                <PostForm sending=start>
                    <input type="hidden" name="project" value=project/>
                    <input type="hidden" name="judge" value=judge/>
                    <div class="card run-form">
                        <Choice name="scope" label="On" options=scopes error=error/>
                        <Field name="size" label="At most so many units" kind="number" optional=true error=error/>
                        <Field name="repeats" label="Repeats" kind="number" value="1" error=error/>
                        <Field name="most_usd" label="Budget (US dollars)" optional=true error=error/>
                        <Field name="most_tokens" label="Budget (tokens)" optional=true error=error/>
                    </div>
                    <p class="row">
                        <button type="submit" class="button primary" disabled=move || start.is_pending()>"Run"</button>
                        <button type="button" class="button" on:click=estimate>"Estimate"</button>
                        <span class="note">"What has its verdict is not asked again."</span>
                    </p>
                </PostForm>
                <Answered answer=shown/>
            </div>
        </section>
    }
}

/// What came of a question to the server, or why nothing did.
#[component]
fn Answered(
    /// The answer.
    answer: Answer,
) -> impl IntoView {
    move || {
        answer.get().map(|answer| match answer {
            Ok(markup) => view! { <Fragment markup=markup/> }.into_any(),
            Err(error) => {
                view! { <p class="wrong" role="alert">{sentence(&error.to_string())}</p> }.into_any()
            }
        })
    }
}

/// Asks the server, and shows the answer when it comes.
fn fetch(shown: Answer, asked: impl Future<Output = Result<Packed<Markup>, AppError>> + 'static) {
    leptos::task::spawn_local(async move {
        let answer = asked.await.and_then(Packed::open);
        // The page may be gone by now, and then nobody waits for the answer.
        let _ = shown.try_set(Some(answer));
    });
}

/// What stands in the field of that name.
fn value_of(place: &web_sys::HtmlElement, name: &str) -> String {
    use wasm_bindgen::JsCast;
    use web_sys::{HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};
    let found = place.query_selector(&format!("[name=\"{name}\"]")).ok().flatten();
    let Some(found) = found else { return String::new() };
    if let Some(input) = found.dyn_ref::<HtmlInputElement>() {
        let is_off = input.type_() == "checkbox" && !input.checked();
        return if is_off { String::new() } else { input.value() };
    }
    if let Some(select) = found.dyn_ref::<HtmlSelectElement>() {
        return select.value();
    }
    found.dyn_ref::<HtmlTextAreaElement>().map(HtmlTextAreaElement::value).unwrap_or_default()
}
