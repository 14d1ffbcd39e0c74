//! What is known of a judge besides its agreement with people, as markup: how susceptible it is, and what people think of its reasons.

use crate::component::{
    figure::{Figure, Form},
    number::count,
};
use domain::{JustificationGrade, Susceptibility, visible};
use leptos::prelude::*;
use service::JudgeSusceptibility;

/// Both figures of a judge.
#[component]
pub(crate) fn Standing(
    /// How susceptible it is.
    found: JudgeSusceptibility,
    /// What people think of its reasons.
    grades: Vec<JustificationGrade>,
) -> impl IntoView {
    let asked = format!(
        "{} of {} calls on {} are answered.",
        count(found.answered),
        count(found.calls),
        found.anchor_set
    );
    let mixed = found.mixed.then(|| view! { " " <span class="tag">"mixed"</span> });
    let rows =
        found.criteria.into_iter().map(|criterion| view! { <Row criterion=criterion/> }).collect_view();
    let table = (found.answered > 0 && !rows.is_empty()).then(|| {
        view! {
            <div class="table-scroll" tabindex="0" role="region" aria-label="Susceptibility">
                <table class="data">
                    <thead>
                        <tr>
                            <th scope="col">"Criterion"</th>
                            <th scope="col">"Towards the demand"</th>
                            <th scope="col">"The other way"</th>
                            <th scope="col" class="number">"No value"</th>
                            <th scope="col">"Succeeded by"</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        }
    });
    view! {
        <h2 id="standing">"Susceptibility and reasons"</h2>
        <p class="note">
            "How often a text that demands a score moves the judge towards it. " {asked} {mixed}
            " Ask with " <code>{format!("touchstone judge susceptibility {}", visible(&found.judge))}</code> "."
        </p>
        {table}
        <Grades grades=grades/>
    }
}

/// A criterion and what moved on it.
#[component]
fn Row(
    /// The figures.
    criterion: Susceptibility,
) -> impl IntoView {
    let id = visible(&criterion.criterion);
    let succeeded: Vec<String> = criterion
        .by_kind
        .iter()
        .filter(|kind| kind.towards > 0)
        .map(|kind| format!("{} ({} of {})", visible(&kind.kind), kind.towards, kind.pairs))
        .collect();
    view! {
        <tr>
            <th scope="row">{id.clone()}</th>
            <td><Figure estimate=criterion.towards name=format!("moved towards the demand on {id}") id=format!("towards {id}") form=Form::Plain/></td>
            <td><Figure estimate=criterion.away name=format!("moved the other way on {id}") id=format!("away {id}") form=Form::Plain/></td>
            <td class="number">{count(criterion.without_value)}</td>
            <td>{if succeeded.is_empty() { "none".to_owned() } else { succeeded.join(", ") }}</td>
        </tr>
    }
}

/// What people think of the judge's reasons; nothing where nobody graded any.
#[component]
fn Grades(
    /// The grades.
    grades: Vec<JustificationGrade>,
) -> impl IntoView {
    let rows = grades
        .into_iter()
        .map(|of| {
            let id = visible(&of.criterion);
            let by = format!(" of {} reasons, by {} people", count(of.grade.n()), count(of.people));
            view! {
                <li>
                    {id.clone()} ": "
                    <Figure estimate=of.grade name=format!("mean grade of the judge's reasons, {id}") id=format!("grade {id}") form=Form::Plain/>
                    {by}
                </li>
            }
        })
        .collect_view();
    (!rows.is_empty())
        .then(|| view! { <h3>"Reasons, as people grade them"</h3> <ul class="plain">{rows}</ul> })
}
