//! The rubric: changed as text, tried on a conversation, published as the next version, and compared with those before.

#[cfg(feature = "ssr")]
pub(crate) mod shown;

use crate::{
    address::of_project,
    component::{
        announcer::Heading,
        form::{About, Choice, ErrorSummary, PostForm, Sending, wrong_with},
        loaded::PageData,
        markup::{Fragment, Markup},
        sentence::sentence,
    },
    error::AppError,
    param::{project_param, query_param},
    rpc::{
        packed::Packed,
        rubric::{PublishRubric, RubricPage as Shown, load_rubric, try_rubric},
    },
};
use domain::visible;
use leptos::{html, prelude::*, task::spawn_local};

/// The rubric page.
#[component]
pub(crate) fn RubricPage() -> impl IntoView {
    let project = project_param();
    let asked = ["template", "from", "to"].map(query_param);
    let publish = Sending::to::<PublishRubric>();
    let data = PageData::new(
        move || (project.get(), asked.map(|asked| asked.get()), publish.done()),
        |(project, [template, from, to], _)| load_rubric(project, template, from, to),
    );
    data.show(move |shown| {
        let project = project.get_untracked();
        let Shown { text, templates, conversations, history } = shown;
        view! {
            <div class="page">
                <div class="head">
                    <Heading title="Rubric"/>
                    <BeginWith project=project.clone() templates=templates/>
                </div>
                <Editor project=project text=text conversations=conversations publish=publish/>
                <Fragment markup=history/>
            </div>
        }
    })
}

/// Puts a template in the place of the text.
#[component]
fn BeginWith(
    /// The project.
    project: String,
    /// The templates.
    templates: Vec<(String, String)>,
) -> impl IntoView {
    view! {
        <form method="get" action=of_project(&project, "rubric")>
            <div class="controls">
                <Choice name="template" label="Begin with" options=templates/>
                <button type="submit" class="button">"Take this text"</button>
            </div>
        </form>
    }
}

/// The text with its two buttons, and what comes of trying it.
#[component]
fn Editor(
    /// The project.
    project: String,
    /// What stands in it at first.
    text: String,
    /// Conversations to try it on.
    conversations: Vec<String>,
    /// Where it is published.
    publish: Sending,
) -> impl IntoView {
    let error = publish.error();
    let wrong = wrong_with(error, "rubric");
    let field = NodeRef::<html::Textarea>::new();
    let tried_on = NodeRef::<html::Div>::new();
    let trial = RwSignal::new(None::<Result<Markup, AppError>>);
    let of_project = project.clone();
    let look = move |_| {
        let Some((field, tried_on)) = field.get_untracked().zip(tried_on.get_untracked()) else { return };
        let chosen = tried_on.query_selector("select").ok().flatten();
        let chosen = chosen
            .and_then(|chosen| wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlSelectElement>(chosen).ok());
        let conversation = chosen.map(|chosen| chosen.value()).unwrap_or_default();
        let answer = try_rubric(of_project.clone(), field.value(), conversation);
        spawn_local(async move {
            // The page may be gone by now, and then nobody waits for the answer.
            let _ = trial.try_set(Some(answer.await.and_then(Packed::open)));
        });
    };
    let mut options = vec![(String::new(), "no conversation".to_owned())];
    options.extend(conversations.into_iter().map(|id| (id.clone(), visible(&id))));
    let first = options.get(1).map(|(id, _)| id.clone()).unwrap_or_default();
    view! {
        <section class="part" aria-labelledby="write">
            <h2 id="write">"The next version"</h2>
            <ErrorSummary error=error/>
            <PostForm sending=publish>
                <input type="hidden" name="project" value=project/>
                <div class="field">
                    <label for="field-rubric">"Rubric, in TOML"</label>
                    <textarea
                        id="field-rubric"
                        name="rubric"
                        class="code"
                        rows="24"
                        spellcheck="false"
                        node_ref=field
                        aria-describedby="about-rubric"
                        aria-invalid=move || wrong.get().is_some().then_some("true")
                    >
                        {format!("\n{text}")}
                    </textarea>
                    <About id="about-rubric".to_owned() hint=Some("A published version never changes: this becomes the next one.") wrong=wrong/>
                </div>
                <p class="row">
                    <button type="submit" class="button primary" disabled=move || publish.is_pending()>"Publish"</button>
                </p>
            </PostForm>
            <div class="needs-script" node_ref=tried_on>
                <div class="controls">
                    <Choice name="conversation" label="Try it on" options=options chosen=first/>
                    <button type="button" class="button" on:click=look>"Check and preview"</button>
                </div>
                <div role="status">
                    {move || trial.get().map(|trial| match trial {
                        Ok(markup) => view! { <Fragment markup=markup/> }.into_any(),
                        Err(error) => view! { <p class="bad">{sentence(&error.to_string())}</p> }.into_any(),
                    })}
                </div>
            </div>
        </section>
    }
}
