//! Labelling: one conversation after another, by keyboard or by hand.

mod bench;
mod courier;
mod desks;
mod dialogs;
#[cfg(feature = "ssr")]
pub(crate) mod form;
mod grid;
mod kept;
pub(crate) mod keys;
mod marked;
mod outbox;
mod panel;
mod save_state;
mod sheet;
pub(crate) mod task;

pub(crate) use bench::is_typing;
pub(crate) use courier::provide_outbox;
pub(crate) use dialogs::shortcuts_are_on;

use crate::{
    component::{announcer::Heading, loaded::PageData, number::about_minutes},
    param::project_param,
    rpc::label::{Desk, load_desk},
};
use bench::Bench;
use desks::Desks;
use domain::LabelProgress;
use leptos::prelude::*;
use outbox::Sender;

/// The label page.
#[component]
pub(crate) fn LabelPage() -> impl IntoView {
    let project = project_param();
    let data = PageData::new(move || project.get(), load_desk);
    data.show(move |desk| view! { <Labelling project=project.get_untracked() desk=desk/> })
}

/// The conversation on the desk; when it is submitted, the next one takes its place.
#[component]
fn Labelling(
    /// The project.
    project: String,
    /// What is on the desk at first.
    desk: Desk,
) -> impl IntoView {
    let sender = Sender { user: desk.user.clone(), project };
    let desks = Desks::new(sender.clone(), desk);
    let is_first = StoredValue::new(true);
    let content = move || {
        let Desk { task, progress, .. } = desks.current.get();
        let first = is_first.try_update_value(|first| std::mem::replace(first, false)).unwrap_or(false);
        match task {
            Some(task) => view! {
                <Bench task=task progress=progress sender=sender.clone() desks=desks first=first/>
            }
            .into_any(),
            None => view! { <NothingLeft progress=progress/> }.into_any(),
        }
    };
    desks.keep_going();
    view! {
        <Heading title="Label" hidden=true/>
        {content}
    }
}

/// An honest end.
#[component]
fn NothingLeft(
    /// How far the person is.
    progress: LabelProgress,
) -> impl IntoView {
    let LabelProgress { submitted, skipped, with_others, .. } = progress;
    let others = match with_others {
        0 => "Nothing is on anyone else's desk either: this round is done.".to_owned(),
        1 => "One conversation is on somebody else's desk; it may come back to you.".to_owned(),
        many => format!("{many} conversations are on other people's desks; some may come back to you."),
    };
    view! {
        <section class="card empty">
            <h2>"Nothing is left for you"</h2>
            <p>{format!("You submitted {submitted} and skipped {skipped}.")} " " {others}</p>
            <p><a class="button" href="/">"To your projects"</a></p>
        </section>
    }
}

/// How far the person is: `12 of 50`, and about how long is left.
fn progress_in_words(progress: &LabelProgress) -> (u64, u64, String) {
    let done = progress.submitted + progress.skipped;
    let all = done + progress.left;
    let left = match progress.median_seconds {
        Some(seconds) if progress.left > 0 => {
            format!(" · {} left", about_minutes(u64::from(seconds) * progress.left))
        }
        _ => String::new(),
    };
    (done, all, format!("{done} of {all}{left}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_told_with_what_is_left() {
        let progress =
            LabelProgress { submitted: 11, skipped: 1, left: 38, with_others: 0, median_seconds: Some(40) };
        assert_eq!(progress_in_words(&progress), (12, 50, "12 of 50 · about 26 min left".to_owned()));
        let begun = LabelProgress { left: 2, ..LabelProgress::default() };
        assert_eq!(progress_in_words(&begun).2, "0 of 2");
    }
}
