//! Takes answers from the outbox to the server, and tries again when they are lost.

use crate::{
    page::label::outbox::{Outbox, Sender, State},
    rpc::label::save_answer,
};
use leptos::{prelude::*, task::spawn_local};

/// The outbox of this window. It outlives the label page: what was not sent goes on being sent elsewhere in the site.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Courier(RwSignal<Outbox>);

/// Makes the outbox. Must be called above the label page. Closing the window while answers wait asks first.
pub(crate) fn provide_outbox() {
    let courier = Courier(RwSignal::new(Outbox::default()));
    provide_context(courier);
    Effect::new(move || {
        let warn = window_event_listener(leptos::ev::beforeunload, move |event| {
            if courier.0.with_untracked(Outbox::waiting) > 0 {
                event.prevent_default();
            }
        });
        on_cleanup(move || warn.remove());
    });
}

impl Courier {
    /// The outbox of this window.
    pub(crate) fn here() -> Courier {
        use_context().unwrap_or_else(|| Courier(RwSignal::new(Outbox::default())))
    }

    /// Looks at the outbox, and is told when it changes.
    pub(crate) fn with<T>(self, look: impl FnOnce(&Outbox) -> T) -> T {
        self.0.with(look)
    }

    /// Changes the outbox.
    pub(crate) fn update<T>(self, change: impl FnOnce(&mut Outbox) -> T) -> Option<T> {
        self.0.try_update(change)
    }

    /// Sends what waits, one answer after another.
    pub(crate) fn deliver(self, sender: Sender) {
        let Some(answer) = self.update(|outbox| outbox.begin(&sender)).flatten() else { return };
        spawn_local(async move {
            let outcome = save_answer(sender.project.clone(), sender.user.clone(), answer).await;
            self.update(|outbox| outbox.settle(outcome));
            let Some((state, retry)) =
                self.0.try_with_untracked(|outbox| (outbox.state().clone(), outbox.retry_after()))
            else {
                return;
            };
            match (state, retry) {
                (State::Idle, _) => self.deliver(sender),
                (_, Some(delay)) => {
                    // Without a timer the person still has the button.
                    let _ = set_timeout(move || self.deliver(sender), delay);
                }
                _ => {}
            }
        });
    }
}
