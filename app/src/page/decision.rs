//! One decision: the word, then each rule with what was required and what was found.

#[cfg(feature = "ssr")]
pub(crate) mod record;

use crate::{
    component::{
        form::{Choice, ErrorSummary, Field, PostForm, Sending},
        loaded::PageData,
        markup::Fragment,
    },
    param::{path_param, project_param},
    rpc::{
        gate::{DecisionPage as Shown, load_decision},
        release::Promote,
    },
};
use domain::Purpose;
use leptos::prelude::*;

/// The page of a decision.
#[component]
pub(crate) fn DecisionPage() -> impl IntoView {
    let (project, id) = (project_param(), path_param("decision"));
    let data = PageData::new(move || (project.get(), id.get()), |(project, id)| load_decision(project, id));
    data.show(move |shown| {
        let Shown { record, may_promote } = shown;
        let (project, decision) = (project.get_untracked(), id.get_untracked());
        let form = may_promote.then(|| {
            view! { <div class="page"><PromoteForm project=project decision=decision/></div> }
        });
        view! {
            <Fragment markup=record/>
            {form}
        }
    })
}

/// Puts the candidate into slots.
#[component]
fn PromoteForm(
    /// The project.
    project: String,
    /// The decision.
    decision: String,
) -> impl IntoView {
    let promote = Sending::to::<Promote>();
    let error = promote.error();
    let purposes = Purpose::ALL.map(|purpose| {
        let used = match purpose {
            Purpose::Inline => "inline: passes or fails answers before they are given",
            Purpose::Routine => "routine: scores samples of every day",
            Purpose::Release => "release: decides whether a version goes out",
        };
        (purpose.word().to_owned(), used.to_owned())
    });
    view! {
        <section class="part" aria-labelledby="promote">
            <h2 id="promote">"Promote"</h2>
            <ErrorSummary error=error/>
            <PostForm sending=promote>
                <input type="hidden" name="project" value=project/>
                <input type="hidden" name="decision" value=decision/>
                <div class="card gate-form">
                    <div class="fields">
                        <Choice name="purpose" label="Purpose" options=purposes.to_vec() error=error/>
                        <Field name="criteria" label="Criteria" optional=true hint="Ids with commas between them; all that were decided on, where nothing stands here." error=error/>
                        <Field name="reason" label="Reason" hint="It stays in the log." error=error/>
                        <Field name="floating_reason" label="Why a floating model may stand" optional=true hint="Needed only where the model is asked for by a name that the provider may point elsewhere." error=error/>
                    </div>
                </div>
                <p class="row">
                    <button type="submit" class="button primary" disabled=move || promote.is_pending()>"Promote"</button>
                    <span class="note">"What stands in the slot now can be brought back by a roll-back."</span>
                </p>
            </PostForm>
        </section>
    }
}
