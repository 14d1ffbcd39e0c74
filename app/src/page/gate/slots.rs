//! Which judge stands where, and taking one out.

use crate::{
    address::{encoded, of_project},
    component::{
        form::{Choice, ErrorSummary, Field, PostForm, Sending},
        table::NamedTable,
    },
};
use domain::{SlotChange, visible};
use leptos::prelude::*;

/// The slots of a project.
#[component]
pub(crate) fn Slots(
    /// The project.
    project: String,
    /// The last change of each slot.
    slots: Vec<SlotChange>,
    /// Rolls back, where the visitor may.
    roll_back: Option<Sending>,
) -> impl IntoView {
    if slots.is_empty() {
        return ().into_any();
    }
    let standing: Vec<(String, String)> = slots
        .iter()
        .filter(|slot| slot.stands.is_some())
        .map(|slot| {
            (
                format!("{} {}", slot.criterion, slot.purpose),
                format!("{} for {}", visible(&slot.criterion), slot.purpose),
            )
        })
        .collect();
    let form = roll_back.filter(|_| !standing.is_empty()).map(|roll_back| {
        view! { <RollBackForm project=project.clone() slots=standing roll_back=roll_back/> }
    });
    let rows = slots
        .into_iter()
        .map(|change| view! { <SlotRow project=project.clone() change=change/> })
        .collect_view();
    view! {
        <section class="part" aria-labelledby="slots">
            <h2 id="slots">"In place"</h2>
            <NamedTable label="Slots">
                <thead>
                    <tr>
                        <th scope="col">"Criterion"</th>
                        <th scope="col">"For"</th>
                        <th scope="col">"Judge"</th>
                        <th scope="col" class="right">"Passes from"</th>
                        <th scope="col">"Reason"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </NamedTable>
            {form}
        </section>
    }
    .into_any()
}

/// One slot.
#[component]
fn SlotRow(
    /// The project.
    project: String,
    /// Its last change.
    change: SlotChange,
) -> impl IntoView {
    let judge = match &change.stands {
        Some(judge) => {
            let href = of_project(&project, &format!("gate/{}", encoded(&judge.decision)));
            view! { <a href=href>{visible(&judge.full_name())}</a> }.into_any()
        }
        None => view! { <span class="soft">"nothing"</span> }.into_any(),
    };
    let threshold = change.stands.as_ref().and_then(|judge| judge.threshold);
    view! {
        <tr>
            <th scope="row">{visible(&change.criterion)}</th>
            <td>{change.purpose.word()}</td>
            <td>{judge}</td>
            <td class="right num">{threshold.map_or_else(|| "–".to_owned(), |threshold| threshold.to_string())}</td>
            <td class="wrap">{visible(&change.reason)}</td>
        </tr>
    }
}

/// Takes the judge that was promoted last out of a slot.
#[component]
fn RollBackForm(
    /// The project.
    project: String,
    /// The slots in which a judge stands, with their texts.
    slots: Vec<(String, String)>,
    /// Rolls back.
    roll_back: Sending,
) -> impl IntoView {
    let error = roll_back.error();
    view! {
        <details open=move || error.get().is_some()>
            <summary>"Roll back"</summary>
            <ErrorSummary error=error/>
            <PostForm sending=roll_back>
                <input type="hidden" name="project" value=project/>
                <div class="card gate-form">
                    <div class="fields">
                        <Choice name="slot" label="Slot" options=slots error=error/>
                        <Field name="reason" label="Reason" hint="What stood before stands again. The reason stays in the log." error=error/>
                    </div>
                </div>
                <p class="row">
                    <button type="submit" class="button" disabled=move || roll_back.is_pending()>"Roll back"</button>
                </p>
            </PostForm>
        </details>
    }
}
