//! How production stands: what fell, and whether the assistant or the judge is what moved.

#[cfg(feature = "ssr")]
pub(crate) mod report;

use crate::{
    component::{
        form::{Choice, ErrorSummary, Field, PostForm, Sending},
        loaded::PageData,
        markup::Fragment,
    },
    param::{project_param, query_param},
    rpc::watch::{SetDimension, SetWatch, WatchPage as Shown, load_watch},
};
use domain::{DimensionSettings, OnFailure, WatchSettings, visible};
use leptos::prelude::*;

/// The watch page.
#[component]
pub(crate) fn WatchPage() -> impl IntoView {
    let project = project_param();
    let days = query_param("days");
    let (whole, one) = (Sending::to::<SetWatch>(), Sending::to::<SetDimension>());
    let data = PageData::new(
        move || (project.get(), days.get(), whole.done(), one.done()),
        |(project, days, ..)| load_watch(project, days),
    );
    data.show(move |shown| {
        let project = project.get_untracked();
        let Shown { report, settings, dimensions, may_settle, has_webhook } = shown;
        let forms = may_settle.then(|| {
            view! {
                <section class="part" aria-labelledby="settings">
                    <h2 id="settings">"What is told"</h2>
                    <Whole project=project.clone() settings=settings.clone() has_webhook=has_webhook sending=whole/>
                    <OneDimension project=project settings=settings dimensions=dimensions sending=one/>
                </section>
            }
        });
        view! {
            <Fragment markup=report/>
            <div class="page">{forms}</div>
        }
    })
}

/// What holds for the whole project.
#[component]
fn Whole(
    /// The project.
    project: String,
    /// As they are.
    settings: WatchSettings,
    /// Whether the operator has set a webhook.
    has_webhook: bool,
    /// Saves them.
    sending: Sending,
) -> impl IntoView {
    let error = sending.error();
    let tells = [("yes".to_owned(), "yes".to_owned()), (String::new(), "no".to_owned())].to_vec();
    let answers = [OnFailure::Open, OnFailure::Closed].map(|answer| {
        let says =
            if answer.passes() { "open: the answer passes" } else { "closed: the answer does not pass" };
        (answer.word().to_owned(), says.to_owned())
    });
    let hint = if has_webhook {
        "The operator has set a webhook; each alarm goes out once."
    } else {
        "The operator has set no webhook (TOUCHSTONE_WEBHOOK): nothing goes out yet."
    };
    view! {
        <ErrorSummary error=error/>
        <PostForm sending=sending>
            <input type="hidden" name="project" value=project/>
            <div class="card gate-form">
                <div class="fields">
                    <Field name="false_alarms" label="False alarms in a quiet year, at most" hint="Over all lines together. Fewer make alarms come later." value=settings.false_alarms.to_string() error=error/>
                    <Choice name="tells" label="Tell the webhook of alarms" options=tells chosen=if settings.tells { "yes" } else { "" } hint=hint error=error/>
                    <Field name="sample" label="Share of imported conversations judged here" hint="By `touchstone watch sample`. 0.05 is 5 %." value=settings.sample.to_string() error=error/>
                    <Choice name="on_failure" label="Inline gate without its judge" options=answers.to_vec() chosen=settings.on_failure.word() error=error/>
                    <Field name="budget_ms" label="Inline gate answers within, in milliseconds" value=settings.budget_ms.to_string() error=error/>
                </div>
            </div>
            <p class="row"><button type="submit" class="button" disabled=move || sending.is_pending()>"Save"</button></p>
        </PostForm>
    }
}

/// What holds for one dimension.
#[component]
fn OneDimension(
    /// The project.
    project: String,
    /// As they are.
    settings: WatchSettings,
    /// The criteria.
    dimensions: Vec<String>,
    /// Saves them.
    sending: Sending,
) -> impl IntoView {
    let error = sending.error();
    let usual = DimensionSettings::default();
    let options = dimensions.iter().map(|dimension| {
        let DimensionSettings { fall, inline, .. } = settings.of(dimension);
        let bound = settings.of(dimension).bound_share();
        let inline = inline.map(|inline| format!(", inline {inline}")).unwrap_or_default();
        (dimension.clone(), format!("{} (now: fall {fall}, bound {bound}{inline})", visible(dimension)))
    });
    let options: Vec<(String, String)> = options.collect();
    view! {
        <ErrorSummary error=error/>
        <PostForm sending=sending>
            <input type="hidden" name="project" value=project/>
            <div class="card gate-form">
                <div class="fields">
                    <Choice name="dimension" label="Dimension" options=options error=error/>
                    <Field name="fall" label="Tell a fall of more than" hint="Of the weekly mean against the week before, as a share of the range." value=usual.fall.to_string() error=error/>
                    <Field name="bound" label="The tail is below" hint="As a share of the range, in steps of 0.05." value=usual.bound_share().to_string() error=error/>
                    <Field name="inline" label="The inline gate passes from" hint="As a share of the range. Empty: as the judge was promoted, else 0.82." optional=true error=error/>
                </div>
            </div>
            <p class="row"><button type="submit" class="button" disabled=move || sending.is_pending()>"Save the dimension"</button></p>
        </PostForm>
    }
}
