//! Adjudication: one item after another on which people, or people and judges, do not agree.

mod decide;
#[cfg(feature = "ssr")]
pub(crate) mod shown;

use crate::{
    address::of_project,
    component::{
        announcer::Heading,
        form::{Choice, Sending},
        loaded::PageData,
        markup::Fragment,
        number::count,
    },
    param::{project_param, query_param},
    rpc::adjudicate::{Adjudicate, AdjudicationPage as Shown, load_adjudication},
};
use decide::Decide;
use domain::{QueueOrder, visible};
use leptos::prelude::*;

/// The adjudication page.
#[component]
pub(crate) fn AdjudicatePage() -> impl IntoView {
    let project = project_param();
    let asked = ["order", "judge", "place"].map(query_param);
    let sending = Sending::to::<Adjudicate>();
    let data = PageData::new(
        move || (project.get(), asked.map(|asked| asked.get()), sending.done()),
        |(project, [order, judge, place], _)| load_adjudication(project, order, judge, place),
    );
    data.show(
        move |shown| view! { <Adjudication project=project.get_untracked() shown=shown sending=sending/> },
    )
}

/// The whole page.
#[component]
fn Adjudication(
    /// The project.
    project: String,
    /// What there is to show.
    shown: Shown,
    /// Where a decision is sent.
    sending: Sending,
) -> impl IntoView {
    let says = queue_in_words(&shown);
    let gaps = shown.gaps.clone();
    let queue = view! { <QueueChoice project=project.clone() shown=shown.clone()/> };
    let places = view! { <Places project=project.clone() shown=shown.clone()/> };
    let body = match shown.case {
        Some(case) => {
            view! { <Decide project=project case=case sending=sending places=places.into_any()/> }.into_any()
        }
        None => view! { <NothingWaits order=shown.order decided=shown.decided on_desks=shown.on_desks/> }
            .into_any(),
    };
    view! {
        <div class="page">
            <div class="head">
                <div>
                    <Heading title="Adjudicate"/>
                    <p role="status">{says}</p>
                </div>
                {queue}
            </div>
            {body}
            <Fragment markup=gaps/>
        </div>
    }
}

/// How many wait, are decided, or cannot be decided yet.
fn queue_in_words(shown: &Shown) -> String {
    let waiting = match shown.waiting {
        0 => "Nothing waits.".to_owned(),
        waiting => format!("{} of {} to decide.", count(shown.place + 1), count(waiting)),
    };
    let decided = format!("{} decided.", count(shown.decided));
    let on_desks = match shown.on_desks {
        0 => String::new(),
        items => format!(" {} more when somebody has submitted the conversation.", count(items)),
    };
    format!("{waiting} {decided}{on_desks}")
}

/// By what items come first.
#[component]
fn QueueChoice(
    /// The project.
    project: String,
    /// What is shown.
    shown: Shown,
) -> impl IntoView {
    let orders =
        QueueOrder::ALL.map(|order| (order.word().to_owned(), order_in_words(order).to_owned())).to_vec();
    let mut judges = vec![(String::new(), "all".to_owned())];
    judges.extend(shown.judges.iter().map(|judge| (judge.clone(), visible(judge))));
    let no_judges = shown.judges.is_empty();
    view! {
        <form method="get" action=of_project(&project, "adjudicate")>
            <div class="controls">
                <Choice name="order" label="First" options=orders chosen=shown.order.word()/>
                {(!no_judges).then(|| view! { <Choice name="judge" label="Judge" options=judges chosen=shown.judge/> })}
                <button type="submit" class="button">"Show"</button>
            </div>
        </form>
    }
}

fn order_in_words(order: QueueOrder) -> &'static str {
    match order {
        QueueOrder::People => "where people lie farthest apart",
        QueueOrder::Judges => "where judges lie farthest from people",
    }
}

/// The way to the items before and after this one.
#[component]
fn Places(
    /// The project.
    project: String,
    /// What is shown.
    shown: Shown,
) -> impl IntoView {
    let address = move |place: u64| {
        let (order, judge) = (shown.order.word(), crate::address::encoded(&shown.judge));
        let page = of_project(&project, "adjudicate");
        format!("{page}?order={order}&judge={judge}&place={place}")
    };
    let before = shown.place.checked_sub(1).map(&address);
    let after = (shown.place + 1 < shown.waiting).then(|| address(shown.place + 1));
    view! {
        <p class="row small">
            {before.map(|href| view! { <a href=href>"← The one before"</a> })}
            {after.map(|href| view! { <a href=href>"Leave it for later →"</a> })}
        </p>
    }
}

/// An honest end.
#[component]
fn NothingWaits(
    /// By what items would come first.
    order: QueueOrder,
    /// Items whose decision stands.
    decided: u64,
    /// Items that wait for somebody who labels their conversation.
    on_desks: u64,
) -> impl IntoView {
    let why = match order {
        QueueOrder::People => "Wherever two people labelled the same, they agree or it is decided.",
        QueueOrder::Judges => "No judge lies away from everything that people said, or it is decided.",
    };
    let desks = match on_desks {
        0 => "",
        _ => " What is on somebody's desk comes when it is submitted.",
    };
    view! {
        <section class="card empty">
            <h2>"Nothing is left to decide"</h2>
            <p>{why} {desks} " What you are labelling yourself is never shown here."</p>
            {(decided > 0).then(|| view! {
                <p>"References that hold the decisions: "<code class="command">"touchstone reference build --rule adjudicated"</code></p>
            })}
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::markup::Markup;

    fn shown(waiting: u64, on_desks: u64) -> Shown {
        Shown {
            order: QueueOrder::People,
            judge: String::new(),
            judges: Vec::new(),
            waiting,
            place: 0,
            on_desks,
            decided: 3,
            case: None,
            gaps: Markup::default(),
        }
    }

    #[test]
    fn the_queue_is_told_in_words() {
        assert_eq!(queue_in_words(&shown(7, 0)), "1 of 7 to decide. 3 decided.");
        let waits = "Nothing waits. 3 decided. 2 more when somebody has submitted the conversation.";
        assert_eq!(queue_in_words(&shown(0, 2)), waits);
    }
}
