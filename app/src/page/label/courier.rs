//! Takes letters from the outbox to the server, and tries again when they are lost.

use crate::{
    error::AppError,
    page::label::{
        kept,
        outbox::{Content, Letter, Outbox, Sender, State},
    },
    rpc::label::{save_answer, skip_conversation, submit_conversation},
};
use domain::SaveOutcome;
use leptos::{ev, prelude::*, task::spawn_local};

/// The outbox of this window. It outlives the label page: what was not sent goes on being sent elsewhere in the site.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Courier(RwSignal<Outbox>);

/// Makes the outbox, with what the browser kept from before. Must be called above the label page. Closing the window asks first only
/// while something waits that the browser does not keep.
pub(crate) fn provide_outbox() {
    let courier = Courier(RwSignal::new(Outbox::default()));
    provide_context(courier);
    Effect::new(move || {
        spawn_local(async move {
            // A browser that keeps nothing has kept nothing.
            let kept = kept::kept().await.unwrap_or_default();
            courier.update(|outbox| outbox.open(kept));
        });
        let warn = window_event_listener(ev::beforeunload, move |event| {
            if courier.0.with_untracked(Outbox::is_unkept) {
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

    /// Whether what the browser kept from before has been read.
    pub(crate) fn is_open(self) -> Memo<bool> {
        Memo::new(move |_| self.with(|outbox| *outbox.state() != State::Opening))
    }

    /// Looks at the outbox, and is told when it changes.
    pub(crate) fn with<T>(self, look: impl FnOnce(&Outbox) -> T) -> T {
        self.0.with(look)
    }

    /// Changes the outbox.
    pub(crate) fn update<T>(self, change: impl FnOnce(&mut Outbox) -> T) -> Option<T> {
        self.0.try_update(change)
    }

    /// A key for a letter that is to be posted: no other window makes the same, and keys sort by when they were made.
    pub(crate) fn new_key(self) -> String {
        let number = self.update(Outbox::next_number).unwrap_or_default();
        let unique = window().crypto().map(|crypto| crypto.random_uuid()).unwrap_or_default();
        format!("{:013.0}-{number:06}-{unique}", js_sys::Date::now())
    }

    /// Takes a letter, has the browser keep it, and sends it when its turn comes.
    pub(crate) fn post(self, letter: Letter) {
        let user = letter.sender.user.clone();
        self.update(|outbox| outbox.push(letter.clone()));
        spawn_local(async move {
            // Where the browser does not keep it, closing the window asks first.
            if kept::keep(&letter).await.is_ok() {
                self.update(|outbox| outbox.is_kept(&letter.key));
            }
        });
        self.deliver(user);
    }

    /// Sends what waits of a person, one letter after another.
    pub(crate) fn deliver(self, user: String) {
        let Some(letter) = self.update(|outbox| outbox.begin(&user)).flatten() else { return };
        spawn_local(async move {
            let outcome = sent(letter).await;
            if let Some(done) = self.update(|outbox| outbox.settle(outcome)).flatten() {
                forget(done);
            }
            let seen = self.0.try_with_untracked(|outbox| (outbox.state().clone(), outbox.retry_after()));
            match seen {
                Some((State::Idle, _)) => self.deliver(user),
                Some((_, Some(delay))) => {
                    // Without a timer the person still has the button.
                    let _ = set_timeout(move || self.deliver(user), delay);
                }
                _ => {}
            }
        });
    }
}

/// Lets the browser forget a letter. What it does not forget is sent again, and stored once.
pub(crate) fn forget(key: String) {
    spawn_local(async move {
        let _ = kept::forget(&key).await;
    });
}

async fn sent(letter: Letter) -> Result<Option<SaveOutcome>, AppError> {
    let Letter { sender: Sender { user, project }, conversation, content, .. } = letter;
    match content {
        Content::Answer(answer) => save_answer(project, user, answer).await.map(Some),
        Content::Submit => submit_conversation(project, user, conversation).await.map(|()| None),
        Content::Skip(reason) => skip_conversation(project, user, conversation, reason).await.map(|()| None),
    }
}
