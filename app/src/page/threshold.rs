//! Moving a judge's pass threshold to where it passes what people pass.

#[cfg(feature = "ssr")]
pub(crate) mod sweep;

use crate::{
    address::of_project,
    component::{
        announcer::Heading,
        form::{Choice, ErrorSummary, Field, PostForm, Sending},
        loaded::PageData,
        markup::Fragment,
    },
    param::{project_param, query_param},
    rpc::release::{AcceptThreshold, ThresholdPage as Shown, load_threshold},
};
use domain::visible;
use leptos::prelude::*;

/// The page of a threshold.
#[component]
pub(crate) fn ThresholdPage() -> impl IntoView {
    let (project, judge) = (project_param(), query_param("judge"));
    let (criterion, reference) = (query_param("criterion"), query_param("reference"));
    let data = PageData::new(
        move || (project.get(), judge.get(), criterion.get(), reference.get()),
        |(project, judge, criterion, reference)| load_threshold(project, judge, criterion, reference),
    );
    data.show(move |shown| {
        let [judge, criterion, reference] =
            [judge, criterion, reference].map(|of| of.get_untracked().unwrap_or_default());
        let project = project.get_untracked();
        let form = shown.may_accept.then(|| {
            view! { <AcceptForm project=project.clone() judge=judge criterion=criterion reference=reference shown=shown.clone()/> }
        });
        view! {
            <div class="page">
                <a class="crumb" href=of_project(&project, "gate")>"← Gate"</a>
                <Heading title="Pass threshold"/>
                <Fragment markup=shown.sweep/>
                {form}
            </div>
        }
    })
}

/// Accepts one of the thresholds, with a reason.
#[component]
fn AcceptForm(
    /// The project.
    project: String,
    /// The judge.
    judge: String,
    /// The criterion.
    criterion: String,
    /// Where the human values come from.
    reference: String,
    /// What was proposed.
    shown: Shown,
) -> impl IntoView {
    let accept = Sending::to::<AcceptThreshold>();
    let error = accept.error();
    let offered = |threshold: &f64| {
        let proposed = if threshold.total_cmp(&shown.proposed).is_eq() { " (proposed)" } else { "" };
        (threshold.to_string(), format!("{threshold}{proposed}"))
    };
    let options: Vec<(String, String)> = shown.thresholds.iter().map(offered).collect();
    view! {
        <section class="part" aria-labelledby="accept">
            <h2 id="accept">"Accept"</h2>
            <ErrorSummary error=error/>
            <PostForm sending=accept>
                <input type="hidden" name="project" value=project/>
                <input type="hidden" name="judge" value=judge.clone()/>
                <input type="hidden" name="criterion" value=criterion/>
                <input type="hidden" name="reference" value=reference/>
                <input type="hidden" name="seen" value=shown.data_hash/>
                <div class="card gate-form">
                    <div class="fields">
                        <Choice
                            name="threshold"
                            label="The judge passes from"
                            options=options
                            chosen=shown.proposed.to_string()
                            error=error
                        />
                        <Field name="reason" label="Reason" hint="It stays in the log." error=error/>
                    </div>
                </div>
                <p class="row">
                    <button type="submit" class="button primary" disabled=move || accept.is_pending()>"Accept this threshold"</button>
                    <span class="note">{format!("It holds for the model version that answered as {}, and for no other.", visible(&judge))}</span>
                </p>
            </PostForm>
        </section>
    }
}
