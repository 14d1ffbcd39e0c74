//! The judges of a project as markup: what there is, what comes along, what was run.

use crate::{
    address::{encoded, of_project, with_query},
    component::{
        number::{count, minute},
        table::NamedTable,
    },
    page::gate::log::rfc3339,
};
use domain::{Rubric, visible};
use leptos::prelude::*;
use service::{JudgeEntry, JudgeRun, Template};

/// The name of the page.
pub(crate) const TITLE: &str = "Judges";

/// Judges, library and runs.
#[component]
pub(crate) fn Lists(
    /// The project.
    project: String,
    /// The judge versions.
    judges: Vec<JudgeEntry>,
    /// The runs, newest first.
    runs: Vec<JudgeRun>,
    /// What is asked.
    rubric: Option<Rubric>,
    /// The prompts that come along.
    library: Vec<Template>,
    /// The endpoints that the operator has configured.
    endpoints: Vec<String>,
) -> impl IntoView {
    let new = of_project(&project, "judges/bench");
    let where_to = if endpoints.is_empty() {
        view! {
            <p class="note">
                "No endpoint is configured, so no model can be asked. The operator writes "
                <code>"touchstone-judges.toml"</code> " beside the database; verdicts that were made elsewhere can be imported meanwhile."
            </p>
        }
        .into_any()
    } else {
        let names: Vec<String> = endpoints.iter().map(|name| visible(name)).collect();
        view! { <p class="note">{format!("Endpoints: {}.", names.join(", "))}</p> }.into_any()
    };
    view! {
        <div class="head">
            <div>
                <h1 tabindex="-1">{TITLE}</h1>
                {where_to}
            </div>
            <p><a class="button primary" href=new>"New judge"</a></p>
        </div>
        <Versions project=project.clone() judges=judges/>
        <Runs project=project.clone() runs=runs/>
        <Library project=project rubric=rubric library=library/>
    }
}

/// The judge versions.
#[component]
fn Versions(
    /// The project.
    project: String,
    /// The versions.
    judges: Vec<JudgeEntry>,
) -> impl IntoView {
    if judges.is_empty() {
        return view! { <p class="soft">"No judge yet: begin with a prompt of the library, or import verdicts."</p> }.into_any();
    }
    let rows = judges
        .into_iter()
        .map(|judge| {
            let full = format!("{}@{}", judge.judge, judge.version);
            let href = if judge.source == "declared" {
                with_query(&of_project(&project, "judges/bench"), &[("judge", &full)])
            } else {
                of_project(&project, "compare")
            };
            let model = judge.model.as_deref().map_or_else(|| "–".to_owned(), visible);
            let floating = judge.floating.then(|| {
                view! { " " <span class="tag" title="An alias: the provider may point it at another model tomorrow.">"alias"</span> }
            });
            let mixed = judge.mixed.then(|| {
                view! { " " <span class="tag" title="Verdicts of more than one model version: not one instrument, and not to be gated.">"mixed"</span> }
            });
            let failures = with_query(&of_project(&project, "compare/failures"), &[("judge", &judge.name)]);
            let failed = count(judge.failures);
            let failed = if judge.failures == 0 { failed.into_any() } else { view! { <a href=failures>{failed}</a> }.into_any() };
            view! {
                <tr>
                    <th scope="row"><a href=href>{visible(&full)}</a> {mixed}</th>
                    <td>{judge.source}</td>
                    <td>{model} {floating}</td>
                    <td class="wrap">{judge.criteria.iter().map(|id| visible(id)).collect::<Vec<_>>().join(", ")}</td>
                    <td class="num">{count(judge.verdicts)}</td>
                    <td class="num">{failed}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="part">
            <h2>"Versions"</h2>
            <NamedTable label="Judge versions">
                <thead>
                    <tr>
                        <th scope="col">"Judge"</th>
                        <th scope="col">"From"</th>
                        <th scope="col">"Model"</th>
                        <th scope="col">"Criteria"</th>
                        <th scope="col" class="num">"Verdicts"</th>
                        <th scope="col" class="num">"Failures"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </NamedTable>
        </section>
    }
    .into_any()
}

/// The runs.
#[component]
fn Runs(
    /// The project.
    project: String,
    /// The runs, newest first.
    runs: Vec<JudgeRun>,
) -> impl IntoView {
    if runs.is_empty() {
        return ().into_any();
    }
    let rows = runs
        .into_iter()
        .map(|run| {
            let judge = format!("{}@{}", run.judge, run.version);
            let href = format!("{}?judge={}", of_project(&project, "judges/bench"), encoded(&judge));
            view! {
                <tr>
                    <th scope="row"><a href=href>{visible(&judge)}</a></th>
                    <td>{visible(&run.plan.scope.to_string())}</td>
                    <td>{run.state.word()}</td>
                    <td class="num">{format!("{} of {}", count(run.counts.answered), count(run.counts.calls))}</td>
                    <td class="num">{count(run.counts.failures)}</td>
                    <td class="num">{format!("${:.2}", run.counts.cost_usd)}</td>
                    <td class="num">{minute(&rfc3339(&run.started_at))}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="part">
            <h2>"Runs"</h2>
            <NamedTable label="Runs">
                <thead>
                    <tr>
                        <th scope="col">"Judge"</th>
                        <th scope="col">"On"</th>
                        <th scope="col">"State"</th>
                        <th scope="col" class="num">"Calls"</th>
                        <th scope="col" class="num">"Failures"</th>
                        <th scope="col" class="num">"Cost"</th>
                        <th scope="col" class="num">"Begun (UTC)"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </NamedTable>
        </section>
    }
    .into_any()
}

/// The prompts that come along, those that fit the rubric first.
#[component]
fn Library(
    /// The project.
    project: String,
    /// What is asked.
    rubric: Option<Rubric>,
    /// The prompts.
    library: Vec<Template>,
) -> impl IntoView {
    let fits = |template: &Template| rubric.as_ref().is_some_and(|rubric| template.fits(rubric));
    let mut templates: Vec<(bool, Template)> =
        library.into_iter().map(|template| (fits(&template), template)).collect();
    templates.sort_by_key(|(fits, _)| !fits);
    let rows = templates
        .into_iter()
        .map(|(fits, template)| {
            let name = template.name.clone();
            let href = with_query(&of_project(&project, "judges/bench"), &[("library", &name)]);
            let name = if fits { view! { <a href=href>{name}</a> }.into_any() } else { name.into_any() };
            let rest = (!fits).then(|| view! { " " <span class="tag" title="The rubric does not ask these criteria on a scale that this prompt answers on.">"does not fit"</span> });
            view! {
                <tr>
                    <th scope="row">{name} {rest}</th>
                    <td class="wrap">{template.criteria.join(", ")}</td>
                    <td class="wrap">{template.about}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="part">
            <h2>"Library"</h2>
            <p class="note">"Prompts to begin with: reasoning before the score, no examples. Clone one, change a sentence, and compare."</p>
            <NamedTable label="Library">
                <thead>
                    <tr>
                        <th scope="col">"Prompt"</th>
                        <th scope="col">"Criteria"</th>
                        <th scope="col">"What is particular about it"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </NamedTable>
        </section>
    }
}
