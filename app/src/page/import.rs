//! Import: a file is sent, shown as it was understood, and taken; what is taken out of all files; what other tools can have.

#[cfg(feature = "ssr")]
pub(crate) mod report;

use crate::{
    address::of_project,
    component::{
        announcer::Heading,
        form::{About, Choice, ErrorSummary, Field, PostForm, Sending, wrong_with},
        loaded::PageData,
        markup::Fragment,
        number::count,
        sentence::sentence,
    },
    param::{project_param, query_param},
    rpc::import::{ChooseImport, ImportFile, ImportPage as Shown, SentFile, SetRedaction, load_import},
};
use domain::{PrivateKind, RedactionRules, visible};
use leptos::prelude::*;

/// The import page, for leads.
#[component]
pub(crate) fn ImportPage() -> impl IntoView {
    let project = project_param();
    let [file, refused] = ["file", "refused"].map(query_param);
    let acts = Acts {
        choose: Sending::to::<ChooseImport>(),
        import: Sending::to::<ImportFile>(),
        redact: Sending::to::<SetRedaction>(),
    };
    let data = PageData::new(
        move || (project.get(), file.get(), acts.done()),
        |(project, file, _)| load_import(project, file),
    );
    data.show(move |shown| {
        let project = project.get_untracked();
        let Shown { file, rules, exports } = shown;
        let exports = exports
            .into_iter()
            .map(|name| {
                let href = format!("{}/{name}", of_project(&project, "exports"));
                view! { <li><a href=href rel="external" download>{name}</a></li> }
            })
            .collect_view();
        view! {
            <div class="page">
                <Heading title="Import"/>
                <Send project=project.clone() refused=refused.get_untracked() again=file.is_some()/>
                {file.map(|file| view! { <Sent project=project.clone() file=file acts=acts/> })}
                <Redaction project=project.clone() rules=rules act=acts.redact/>
                <section class="part" aria-labelledby="exports">
                    <h2 id="exports">"For other tools"</h2>
                    <p class="note">"All conversations with the labels that count, but for what is sealed to you. Each file that is taken is in the audit log."</p>
                    <ul class="plain">{exports}</ul>
                </section>
            </div>
        }
    })
}

/// What can be done here.
#[derive(Clone, Copy)]
struct Acts {
    choose: Sending,
    import: Sending,
    redact: Sending,
}

impl Acts {
    /// How often something was done.
    fn done(self) -> u32 {
        self.choose.done() + self.import.done() + self.redact.done()
    }
}

/// Sends a file: by the browser itself, so that it works without a program.
#[component]
fn Send(
    /// The project.
    project: String,
    /// Why the last file was not taken.
    refused: Option<String>,
    /// Whether a file was sent already.
    again: bool,
) -> impl IntoView {
    let action = format!("{}/file", of_project(&project, "import"));
    let says = refused.map(|why| {
        if why == "empty" { "The file is empty: choose one that holds something." } else { "Choose a file." }
    });
    let wrong = says.map(|says| view! { <p class="wrong" role="alert">{says}</p> });
    let is_wrong = says.map(|_| "true");
    let button = if again { "Send another" } else { "Send" };
    view! {
        <section class="part" aria-labelledby="send">
            <h2 id="send">"A file"</h2>
            <form method="post" action=action enctype="multipart/form-data">
                <div class="controls">
                    <div class="field">
                        <label for="field-file">"File"</label>
                        <input id="field-file" name="file" type="file" required aria-describedby="about-file" aria-invalid=is_wrong/>
                        <div id="about-file">
                            <p class="hint">"Of Langfuse, OpenTelemetry, LangSmith, Ragas, promptfoo, Inspect, DeepEval, Label Studio or InspectorRAGet, any table, or conversations, labels and verdicts of ours; up to 64 MiB."</p>
                            {wrong}
                        </div>
                    </div>
                    <button type="submit" class="button">{button}</button>
                </div>
            </form>
            <p class="note">"Nothing is stored yet: what was understood is shown first. The file waits for an hour, without a name, and is gone with the server's process."</p>
        </section>
    }
}

/// A file that was sent: how it is read, what would come of it, and the button that takes it.
#[component]
fn Sent(
    /// The project.
    project: String,
    /// The file.
    file: SentFile,
    /// What can be done.
    acts: Acts,
) -> impl IntoView {
    let name = format!("{} ({} bytes)", file.name, count(file.bytes));
    let wrong = file.wrong.clone().map(|wrong| {
        view! { <p class="bad">{sentence(&wrong)}</p> }
    });
    let done = file.is_done.then(|| view! { <p class="said" role="status">"This file was imported."</p> });
    let take = file.is_ready.then(|| {
        let (project, id) = (project.clone(), file.id.clone());
        view! {
            <PostForm sending=acts.import>
                <input type="hidden" name="project" value=project/>
                <input type="hidden" name="file" value=id/>
                <button type="submit" class="button primary" disabled=move || acts.import.is_pending()>"Import"</button>
            </PostForm>
        }
    });
    let report = file.report.clone().map(|report| view! { <Fragment markup=report/> });
    let reading = (!file.is_done).then(|| view! { <Reading project=project file=file act=acts.choose/> });
    view! {
        <section class="part" aria-labelledby="sent">
            <h2 id="sent">{name}</h2>
            {done}
            {reading}
            {wrong}
            <ErrorSummary error=acts.import.error()/>
            {report}
            {take}
        </section>
    }
}

/// How a file is read.
#[component]
fn Reading(
    /// The project.
    project: String,
    /// The file.
    file: SentFile,
    /// Chooses it.
    act: Sending,
) -> impl IntoView {
    let error = act.error();
    let same = |word: String| (word.clone(), word);
    let found_out = vec![(String::new(), "found out".to_owned())];
    let writers: Vec<(String, String)> =
        found_out.into_iter().chain(file.writers.into_iter().map(same)).collect();
    let turns = vec![
        ("each".to_owned(), "a conversation for each answered question".to_owned()),
        ("whole".to_owned(), "one conversation, whose question is the last".to_owned()),
    ];
    let mapping = (!file.columns.is_empty()).then(|| {
        view! {
            <Mapping columns=file.columns.clone() fields=file.fields.clone() mappings=file.mappings.clone() mapping=file.mapping.clone() error=error/>
        }
    });
    view! {
        <ErrorSummary error=error/>
        <PostForm sending=act>
            <input type="hidden" name="project" value=project/>
            <input type="hidden" name="file" value=file.id/>
            <div class="controls">
                <Choice name="from" label="Written by" options=writers chosen=file.from error=error/>
                <Choice name="turns" label="Records of many turns" options=turns chosen=file.turns error=error/>
                <label><input type="checkbox" name="keep_going" value="on" checked=file.keeps_going/> " Take the good rows where others are refused"</label>
            </div>
            {mapping}
            <p class="row"><button type="submit" class="button">"Look at it"</button></p>
        </PostForm>
    }
}

/// In which columns of a table the fields of a conversation stand.
#[component]
fn Mapping(
    /// The columns.
    columns: Vec<String>,
    /// Fields of ours, each with its column.
    fields: Vec<(String, String)>,
    /// Names of the mappings that are remembered.
    mappings: Vec<String>,
    /// Name of the mapping that was chosen.
    mapping: String,
    /// Why the form was refused.
    error: crate::component::form::Refused,
) -> impl IntoView {
    let known = (!mappings.is_empty()).then(|| {
        let none = vec![(String::new(), "as chosen below".to_owned())];
        let known = mappings.into_iter().map(|name| (name.clone(), visible(&name)));
        let options: Vec<(String, String)> = none.into_iter().chain(known).collect();
        view! { <Choice name="known" label="Remembered mapping" options=options error=error/> }
    });
    let fields = fields
        .into_iter()
        .map(|(field, chosen)| {
            let id = format!("field-column-{field}");
            let options = columns
                .iter()
                .map(|column| {
                    let selected = *column == chosen;
                    view! { <option value=column.clone() selected=selected>{visible(column)}</option> }
                })
                .collect_view();
            view! {
                <div class="field">
                    <label for=id.clone()>{field.clone()}</label>
                    <select id=id name=format!("columns[{field}]")>
                        <option value="">"–"</option>
                        {options}
                    </select>
                </div>
            }
        })
        .collect_view();
    view! {
        <fieldset class="fields">
            <legend>"Columns"</legend>
            <div class="controls">{known}</div>
            <div class="controls">{fields}</div>
            <Field name="mapping" label="Remember the columns as" value=mapping optional=true hint="With the import; the next table with these columns is read by it." error=error/>
        </fieldset>
    }
}

/// What is taken out of everything that is imported.
#[component]
fn Redaction(
    /// The project.
    project: String,
    /// The rules as they stand.
    rules: RedactionRules,
    /// Sets them.
    act: Sending,
) -> impl IntoView {
    let error = act.error();
    let boxes = PrivateKind::ALL
        .into_iter()
        .map(|kind| {
            let (name, says) = match kind {
                PrivateKind::EMail => ("email", "e-mail addresses"),
                PrivateKind::Phone => ("phone", "telephone numbers"),
                PrivateKind::Iban => ("iban", "IBANs with right check digits"),
                PrivateKind::Card => ("card", "card numbers with a right check digit"),
            };
            let checked = rules.kinds.contains(&kind);
            view! { <label><input type="checkbox" name=name value="on" checked=checked/> " " {says}</label> }
        })
        .collect_view();
    let own: Vec<String> = rules.own.iter().map(ToString::to_string).collect();
    view! {
        <section class="part" aria-labelledby="redaction">
            <h2 id="redaction">"What is taken out"</h2>
            <p class="note">"Before anything of a row is stored, each of these becomes a placeholder, as [e-mail 3]: the same value the same one in the whole project. The value itself is not kept. What was imported before stays as it is."</p>
            <ErrorSummary error=error/>
            {move || (act.done() > 0).then(|| view! { <p class="note" role="status">"Set. It holds for what is imported from now on."</p> })}
            <PostForm sending=act>
                <input type="hidden" name="project" value=project/>
                <div class="fields">
                    <fieldset class="field">
                        <legend>"Kinds"</legend>
                        {boxes}
                    </fieldset>
                    <Lines name="orders" label="Numbers of orders" value=rules.orders.join("\n") hint="One pattern a line: # is a digit, ? a letter, as in ORD-######." error=error/>
                    <Lines name="own" label="Own expressions" value=own.join("\n") hint="One a line, as in customer = K[0-9]{6}." error=error/>
                    <div><button type="submit" class="button">"Set"</button></div>
                </div>
            </PostForm>
        </section>
    }
}

/// A labelled field of several lines.
#[component]
fn Lines(
    /// Name of the field.
    name: &'static str,
    /// Its label.
    label: &'static str,
    /// What stands in it at first.
    value: String,
    /// What is expected.
    hint: &'static str,
    /// Why the form was refused.
    error: crate::component::form::Refused,
) -> impl IntoView {
    let (id, about) = (format!("field-{name}"), format!("about-{name}"));
    let wrong = wrong_with(error, name);
    view! {
        <div class="field">
            <label for=id.clone()>{label}</label>
            <textarea id=id name=name class="code" rows="3" spellcheck="false" aria-describedby=about.clone() aria-invalid=move || wrong.get().is_some().then_some("true")>
                {format!("\n{value}")}
            </textarea>
            <About id=about hint=Some(hint) wrong=wrong/>
        </div>
    }
}
