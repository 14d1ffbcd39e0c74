//! The versions of a rubric as markup: what differs, what became stale, and how a text looks on a conversation.

use crate::{
    address::{of_project, with_query},
    component::number::count,
    page::label::{form::Questions, task::Task},
};
use domain::{
    CriterionChange, CriterionDifference, FieldChange, LabelTask, Rubric, RubricDifference, RubricTemplate,
    visible,
};
use leptos::prelude::*;
use service::{RubricVersion, StaleLabels};
use std::sync::Arc;

/// The text to be changed: the template that was asked for, else the version in force with the next number; else the first template.
pub(crate) fn to_begin_with(
    versions: &[RubricVersion],
    templates: &[RubricTemplate],
    template: Option<&str>,
) -> String {
    let asked = template.and_then(|name| templates.iter().find(|template| template.name == name));
    let asked = asked.map(|template| template.rubric.clone());
    let current = versions.first().map(|current| current.rubric.clone());
    let text = asked.or(current).or_else(|| templates.first().map(|template| template.rubric.clone()));
    let next = |rubric: Rubric| {
        let published = versions.iter().filter(|version| version.rubric.name == rubric.name);
        let last = published.map(|version| version.rubric.version).max().unwrap_or(0);
        Rubric { version: last.saturating_add(1), ..rubric }
    };
    text.map(next).map(|rubric| rubric.to_toml()).unwrap_or_default()
}

/// All versions, two of them compared, and the labels that the one in force made stale.
#[component]
pub(crate) fn History(
    /// The project.
    project: String,
    /// The versions, last published first.
    versions: Vec<RubricVersion>,
    /// What the version in force made stale.
    stale: Vec<StaleLabels>,
    /// The older version of the comparison; the one before the newer where absent.
    from: Option<String>,
    /// The newer version of the comparison; the one in force where absent.
    to: Option<String>,
) -> impl IntoView {
    let Some(current) = versions.first() else {
        return view! { <p class="note">"Nothing is published yet: what stands above is a template to begin with."</p> }
            .into_any();
    };
    let newer =
        to.and_then(|name| versions.iter().position(|version| full_name(version) == name)).unwrap_or(0);
    let older = from.and_then(|name| versions.iter().position(|version| full_name(version) == name));
    let older = older.or_else(|| (newer + 1 < versions.len()).then_some(newer + 1));
    let compared =
        older.and_then(|older| versions.get(older)).zip(versions.get(newer)).map(|(older, newer)| {
            let difference = RubricDifference::between(&older.rubric, &newer.rubric);
            let title = format!("From {} to {}", visible(&full_name(older)), visible(&full_name(newer)));
            view! { <h3>{title}</h3> <Difference difference=difference/> }
        });
    let choice = (versions.len() > 1).then(|| {
        let (from, to) = (older.and_then(|older| versions.get(older)), versions.get(newer));
        view! {
            <form method="get" action=of_project(&project, "rubric")>
                <div class="controls">
                    <VersionChoice name="from" label="From" versions=versions.clone() chosen=from.map(full_name)/>
                    <VersionChoice name="to" label="To" versions=versions.clone() chosen=to.map(full_name)/>
                    <button type="submit" class="button">"Compare"</button>
                </div>
            </form>
        }
    });
    let title = format!("In force: {}", visible(&full_name(current)));
    view! {
        <section class="part" aria-labelledby="stale">
            <h2 id="stale">{title}</h2>
            <Stale project=project.clone() stale=stale/>
        </section>
        <section class="part" aria-labelledby="versions">
            <h2 id="versions">"Versions"</h2>
            {choice}
            {compared}
            <ul class="plain">
                {versions.iter().map(|version| {
                    let criteria = version.rubric.criteria.len();
                    let says = format!("{} · {criteria} criteria · published {}", visible(&full_name(version)), version.published_at.date());
                    let text = version.rubric.to_toml();
                    view! {
                        <li>
                            <details class="aside">
                                <summary>{says}</summary>
                                <pre class="call" tabindex="0" role="region" aria-label="Text of the version" dir="auto">{visible(&text)}</pre>
                            </details>
                        </li>
                    }
                }).collect_view()}
            </ul>
        </section>
    }
    .into_any()
}

/// One end of a comparison of versions.
#[component]
fn VersionChoice(
    /// Name of the field.
    name: &'static str,
    /// Its label.
    label: &'static str,
    /// The versions.
    versions: Vec<RubricVersion>,
    /// The one that is chosen.
    chosen: Option<String>,
) -> impl IntoView {
    use crate::component::form::Choice;
    let options: Vec<(String, String)> =
        versions.iter().map(full_name).map(|name| (name.clone(), visible(&name))).collect();
    view! { <Choice name=name label=label options=options chosen=chosen.unwrap_or_default()/> }
}

fn full_name(version: &RubricVersion) -> String {
    format!("{}@{}", version.rubric.name, version.rubric.version)
}

/// What differs, criterion by criterion.
#[component]
fn Difference(
    /// What differs.
    difference: RubricDifference,
) -> impl IntoView {
    if difference.criteria.is_empty() {
        return view! { <p class="soft">"They ask the same."</p> }.into_any();
    }
    let rows = difference.criteria.into_iter().map(|CriterionDifference { criterion, change }| {
        let what = match change {
            CriterionChange::Added => view! { <p>"new"</p> }.into_any(),
            CriterionChange::Removed => view! { <p>"asked no longer"</p> }.into_any(),
            CriterionChange::Changed(fields) => {
                fields.into_iter().map(field_change).collect_view().into_any()
            }
        };
        view! { <dt><code>{visible(&criterion)}</code></dt><dd>{what}</dd> }
    });
    view! { <dl class="pairs differences">{rows.collect_view()}</dl> }.into_any()
}

fn field_change(FieldChange { field, before, after }: FieldChange) -> impl IntoView {
    let shown = |text: String| if text.is_empty() { "(empty)".to_owned() } else { visible(&text) };
    view! {
        <p class="soft small">{field}</p>
        <p class="text" dir="auto"><del>{shown(before)}</del></p>
        <p class="text" dir="auto"><ins>{shown(after)}</ins></p>
    }
}

/// The labels that answer another question than is asked now.
#[component]
fn Stale(
    /// The project.
    project: String,
    /// By criterion.
    stale: Vec<StaleLabels>,
) -> impl IntoView {
    if stale.is_empty() {
        return view! { <p class="soft">"Every label that you may see answers what is asked now."</p> }
            .into_any();
    }
    let rows = stale.into_iter().map(|StaleLabels { criterion, labels, is_asked }| {
        let says = match labels {
            1 => "1 label was given to another wording or scale".to_owned(),
            labels => format!("{} labels were given to another wording or scale", count(labels)),
        };
        let gone = if is_asked { "." } else { "; the criterion is asked no longer." };
        let address = with_query(&of_project(&project, "agreement"), &[("criterion", &criterion)]);
        view! { <li><a href=address>{visible(&criterion)}</a> ": " {says} {gone}</li> }
    });
    view! { <ul>{rows.collect_view()}</ul> }.into_any()
}

/// What a text would change, and how it looks on a conversation.
#[component]
pub(crate) fn Trial(
    /// The version in force.
    current: Option<Rubric>,
    /// The text, read.
    rubric: Rubric,
    /// What it would make stale.
    stale: Vec<StaleLabels>,
    /// The conversation to look at it on.
    task: Option<LabelTask>,
    /// The project.
    project: String,
) -> impl IntoView {
    let difference = current.map(|current| RubricDifference::between(&current, &rubric));
    let says =
        format!("This is a rubric: {} criteria on {} scales.", rubric.criteria.len(), rubric.scales.len());
    let looks = task.map(|task| {
        let task = Arc::new(Task::from(task));
        let reading = task.reading.clone().into_html();
        view! {
            <h3>"As annotators see it"</h3>
            <div class="preview">
                <div class="reading" inner_html=reading></div>
                <div class="fields"><Questions task=task/></div>
            </div>
        }
    });
    view! {
        <p>{says}</p>
        <h3>"What changes"</h3>
        {difference.map(|difference| view! { <Difference difference=difference/> })}
        <h3>"What becomes stale"</h3>
        <Stale project=project stale=stale/>
        {looks}
    }
}
