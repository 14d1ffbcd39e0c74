//! From one conversation to the next: the one after this is fetched while this one is labelled, so that moving on takes no time.

use crate::{
    error::AppError,
    page::label::{
        courier::Courier,
        outbox::{Outbox, Sender},
    },
    rpc::{
        label::{Desk, load_ahead, load_desk},
        packed::Packed,
    },
};
use leptos::{ev, prelude::*, task::spawn_local};

/// The conversation at work, and the one after it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Desks {
    /// What is at work.
    pub(crate) current: RwSignal<Desk>,
    /// Whether the person waits for the next conversation.
    pub(crate) waiting: RwSignal<bool>,
    /// Why the next conversation does not come.
    pub(crate) failed: RwSignal<Option<AppError>>,
    ahead: StoredValue<Option<Desk>>,
    fetching: RwSignal<bool>,
    sender: StoredValue<Sender>,
    courier: Courier,
}

impl Desks {
    /// The desks of a person, with what lies on the first.
    pub(crate) fn new(sender: Sender, first: Desk) -> Desks {
        Desks {
            current: RwSignal::new(first),
            waiting: RwSignal::new(false),
            failed: RwSignal::new(None),
            ahead: StoredValue::new(None),
            fetching: RwSignal::new(false),
            sender: StoredValue::new(sender),
            courier: Courier::here(),
        }
    }

    /// Goes to the next conversation: at once where it is here, else as soon as the server gives it.
    pub(crate) fn move_on(self) {
        match self.ahead.try_update_value(Option::take).flatten() {
            Some(mut desk) if desk.task.is_some() => {
                // It was counted while the one before it was still open.
                desk.progress.submitted += 1;
                desk.progress.left = desk.progress.left.saturating_sub(1);
                self.current.set(desk);
                self.waiting.set(false);
            }
            _ => self.waiting.set(true),
        }
    }

    /// Keeps the outbox going out and the next conversation coming in, for as long as the page is open.
    pub(crate) fn keep_going(self) {
        let is_open = self.courier.is_open();
        Effect::new(move || {
            if is_open.get() {
                untrack(|| self.take_up_what_was_left());
            }
        });
        Effect::new(move || {
            let online = window_event_listener(ev::online, move |_| self.deliver());
            on_cleanup(move || online.remove());
        });
        Effect::new(move || self.fetch_next());
        Effect::new(move || self.fetch_ahead());
    }

    /// Sends what waits, and asks again for what did not come.
    pub(crate) fn deliver(self) {
        self.failed.set(None);
        self.courier.deliver(self.sender.with_value(|sender| sender.user.clone()));
    }

    /// What was left unsent, also by a session that ended, goes out. The conversation that came with the page may have been submitted
    /// before, and only the word of it is still on its way.
    fn take_up_what_was_left(self) {
        let here = self.conversation();
        let is_left = |outbox: &Outbox| {
            self.sender.with_value(|sender| here.is_some() && outbox.is_leaving(sender, here.as_deref()))
        };
        if self.courier.with(is_left) {
            self.move_on();
        }
        self.deliver();
    }

    /// With nothing more to be submitted, the server knows what comes next.
    fn fetch_next(self) {
        let is_stopped = self.failed.with(Option::is_some);
        if !self.waiting.get() || is_stopped || self.is_leaving() || self.fetching.get() {
            return;
        }
        let project = self.sender.with_value(|sender| sender.project.clone());
        self.fetch(load_desk(project), move |found| match found {
            Ok(desk) => {
                self.current.set(desk);
                self.waiting.set(false);
            }
            Err(error) => self.failed.set(Some(error)),
        });
    }

    /// The next conversation can be had as soon as the one before this is submitted: nobody has more than two.
    fn fetch_ahead(self) {
        let Some(conversation) = self.conversation() else { return };
        let is_here = self.ahead.with_value(Option::is_some);
        // Not told when a fetch has ended: one that failed is tried again when something else happens, and not at once.
        if self.is_leaving() || self.waiting.get() || is_here || self.fetching.get_untracked() {
            return;
        }
        let project = self.sender.with_value(|sender| sender.project.clone());
        self.fetch(load_ahead(project, conversation), move |found| {
            // What does not come ahead comes when it is needed.
            self.ahead.set_value(found.ok());
            if self.waiting.get_untracked() {
                self.move_on();
            }
        });
    }

    fn conversation(self) -> Option<String> {
        self.current.with(|desk| desk.task.as_ref().map(|task| task.conversation.clone()))
    }

    fn is_leaving(self) -> bool {
        self.courier.with(|outbox| self.sender.with_value(|sender| outbox.is_leaving(sender, None)))
    }

    /// Fetches a desk, of which there is one on its way at a time, and forgets it where the page has been left.
    fn fetch(
        self,
        desk: impl Future<Output = Result<Packed<Desk>, AppError>> + 'static,
        take: impl FnOnce(Result<Desk, AppError>) + 'static,
    ) {
        self.fetching.set(true);
        spawn_local(async move {
            let found = desk.await.and_then(Packed::open);
            if !self.fetching.is_disposed() {
                take(found);
                self.fetching.set(false);
            }
        });
    }
}
