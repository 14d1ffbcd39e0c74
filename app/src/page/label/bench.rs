//! One conversation at work: reading on the left, the question in focus on the right.

use crate::{
    error::AppError,
    page::label::{
        courier::Courier,
        dialogs::{Guideline, Help, Skip},
        form::PlainForm,
        keys::{Command, command, value_of},
        marked::Marked,
        outbox::{Outbox, Sender, State},
        panel::Panel,
        progress_in_words,
        sheet::{Change, Question, Sheet},
        task::Task,
    },
    rpc::{
        label::{Desk, skip_conversation, submit_conversation},
        packed::Packed,
    },
};
use domain::LabelProgress;
use leptos::{ev, prelude::*, task::spawn_local};
use std::sync::Arc;
use wasm_bindgen::JsCast;

/// What is open over the page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opened {
    /// All keys.
    pub(crate) help: RwSignal<bool>,
    /// The guideline of the criterion in focus.
    pub(crate) guideline: RwSignal<bool>,
    /// The reasons for skipping.
    pub(crate) skip: RwSignal<bool>,
    /// The comment on the answer in focus.
    pub(crate) comment: RwSignal<bool>,
}

/// How the person wants to leave the conversation, once everything is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Leaving {
    Submit,
    Skip(String),
}

/// Everything that the parts of the bench act on.
#[derive(Clone, Copy)]
pub(crate) struct Work {
    /// The answers, and where the person is.
    pub(crate) sheet: RwSignal<Sheet>,
    /// What is open over the page.
    pub(crate) opened: Opened,
    /// Whether keys do what is printed on them.
    pub(crate) shortcuts: RwSignal<bool>,
    /// What the person is told.
    pub(crate) notice: RwSignal<Option<String>>,
    courier: Courier,
    sender: StoredValue<Sender>,
    task: StoredValue<Arc<Task>>,
    leaving: RwSignal<Option<Leaving>>,
    asked_for_next: RwSignal<bool>,
    next: Callback<Desk>,
    last_answer: StoredValue<f64>,
}

/// The bench of one conversation.
#[component]
pub(crate) fn Bench(
    /// The conversation with its questions.
    task: Task,
    /// How far the person is.
    progress: LabelProgress,
    /// Whose answers these are.
    sender: Sender,
    /// Takes the next desk.
    next: Callback<Desk>,
    /// Whether this is the conversation that came with the page.
    first: bool,
) -> impl IntoView {
    let task = Arc::new(task);
    let work = Work::new(task.clone(), sender.clone(), next);
    let reading = task.reading.clone();
    // Only where no program runs: the form is not carried along once one does.
    let plain = RwSignal::new(first);
    let project = sender.project;
    let form = {
        let task = task.clone();
        move || plain.get().then(|| view! { <PlainForm task=task.clone() project=project.clone()/> })
    };
    Effect::new(move || plain.set(false));
    work.follow_focus(first);
    work.listen();
    work.leave_when_stored();
    view! {
        <StatusLine progress=progress work=work/>
        <div class="bench">
            <Marked reading=reading work=work/>
            <Panel work=work/>
            {form}
        </div>
        <Help work=work/>
        <Guideline work=work/>
        <Skip work=work/>
    }
}

/// How far the person is, and whether everything is stored.
#[component]
fn StatusLine(
    /// How far the person is.
    progress: LabelProgress,
    /// The bench.
    work: Work,
) -> impl IntoView {
    let (done, all, words) = progress_in_words(&progress);
    view! {
        <div class="status-line">
            <progress value=done.to_string() max=all.max(1).to_string() aria-label="Conversations done"></progress>
            <span class="num">{words}</span>
            <SaveState work=work/>
            <p class="notice" role="status">{move || work.notice.get()}</p>
        </div>
    }
}

/// `Saved`, `Saving…`, or what stands in the way with what can be done.
#[component]
fn SaveState(
    /// The bench.
    work: Work,
) -> impl IntoView {
    let courier = work.courier;
    let retry = move |_| work.deliver();
    move || {
        let (state, waiting) = courier.with(|outbox| (outbox.state().clone(), outbox.waiting()));
        match state {
            State::Conflict(_) => {
                view! { <span class="save wrong">"Not saved: answered elsewhere"</span> }.into_any()
            }
            State::Refused(error) => {
                let count = if waiting > 1 { format!(" ({waiting} waiting)") } else { String::new() };
                let sign_in = (error == AppError::Unauthenticated).then(|| {
                    view! {
                        <a href="/sign-in" target="_blank" rel="external">"Sign in in another tab"</a>
                    }
                });
                view! {
                    <span class="save wrong" role="alert">{format!("Not saved: {error}{count}")}</span>
                    {sign_in}
                    <button type="button" class="button plain" on:click=retry>"Try again"</button>
                }
                .into_any()
            }
            State::Idle if waiting == 0 => view! { <span class="save">"Saved"</span> }.into_any(),
            State::Idle | State::Sending => {
                view! { <span class="save on-its-way">"Saving…"</span> }.into_any()
            }
        }
    }
}

impl Work {
    fn new(task: Arc<Task>, sender: Sender, next: Callback<Desk>) -> Work {
        let courier = Courier::here();
        let mut sheet = Sheet::new(task.clone());
        courier.update(|outbox| outbox.learn(&sender, &task));
        // What was said before and is still on its way counts more than what the server has.
        let unsent = courier.update(|outbox| outbox.unsent(&sender, &task)).unwrap_or_default();
        for Change { question, said } in unsent {
            sheet.accept(&question, said);
        }
        let closed = || RwSignal::new(false);
        Work {
            sheet: RwSignal::new(sheet),
            opened: Opened { help: closed(), guideline: closed(), skip: closed(), comment: closed() },
            shortcuts: RwSignal::new(true),
            notice: RwSignal::new(None),
            courier,
            sender: StoredValue::new(sender),
            task: StoredValue::new(task),
            leaving: RwSignal::new(None),
            asked_for_next: RwSignal::new(false),
            next,
            last_answer: StoredValue::new(0.0),
        }
    }

    /// The outbox, for whoever shows a conflict.
    pub(crate) fn outbox<T>(self, look: impl FnOnce(&Outbox) -> T) -> T {
        self.courier.with(look)
    }

    /// The question in focus, told when it changes.
    pub(crate) fn question(self) -> Memo<Option<Question>> {
        Memo::new(move |_| self.sheet.with(|sheet| sheet.question().cloned()))
    }

    /// Ids of the elements that show what a question is asked of.
    pub(crate) fn places(self, question: &Question) -> Vec<String> {
        self.task
            .with_value(|task| task.asked(&question.unit).map(|asked| asked.places.clone()))
            .unwrap_or_default()
    }

    /// Answers the question in focus.
    pub(crate) fn answer(self, value: f64) {
        self.change(|sheet| sheet.answer(value));
        if self.sheet.with_untracked(|sheet| sheet.answered() == sheet.len()) {
            self.notice.set(Some("Everything is answered. Enter submits.".to_owned()));
        }
    }

    /// Puts a comment on the answer in focus.
    pub(crate) fn comment(self, text: &str) {
        self.change(|sheet| sheet.comment(text));
        self.opened.comment.set(false);
        focus("question");
    }

    /// Goes to a question.
    pub(crate) fn choose(self, question: &Question) {
        self.sheet.update(|sheet| sheet.choose_question(question));
    }

    /// Does what a key asks for.
    pub(crate) fn run(self, command: Command) {
        self.notice.set(None);
        match command {
            Command::Digit(digit) => {
                let value =
                    self.sheet.with_untracked(|sheet| value_of(sheet.scale(sheet.question()?)?, digit));
                if let Some(value) = value {
                    self.answer(value);
                }
            }
            Command::Unit(step) => self.sheet.update(|sheet| sheet.step_unit(step)),
            Command::Criterion(step) => self.sheet.update(|sheet| sheet.step_criterion(step)),
            Command::Undo => self.change(Sheet::undo),
            Command::Flag => self.change(Sheet::flag),
            Command::Comment => self.opened.comment.update(|open| *open = !*open),
            Command::Guideline => self.opened.guideline.set(true),
            Command::Skip => self.opened.skip.set(true),
            Command::Help => self.opened.help.set(true),
            Command::Submit => self.submit(),
        }
    }

    /// Submits, or goes to what is still open.
    pub(crate) fn submit(self) {
        let open = self.sheet.with_untracked(Sheet::open_required);
        if open > 0 {
            let questions = if open == 1 { "1 question is" } else { &format!("{open} questions are") };
            self.notice.set(Some(format!("{questions} still open.")));
            self.sheet.update(Sheet::choose_open);
        } else {
            self.leaving.set(Some(Leaving::Submit));
        }
    }

    /// Leaves the conversation to others.
    pub(crate) fn skip(self, reason: String) {
        self.opened.skip.set(false);
        self.leaving.set(Some(Leaving::Skip(reason)));
    }

    /// Whether the next conversation is being fetched.
    pub(crate) fn is_leaving(self) -> bool {
        self.leaving.with(Option::is_some)
    }

    /// Sends the answer given here again, to replace the one given elsewhere.
    pub(crate) fn keep_mine(self) {
        self.courier.update(Outbox::keep_mine);
        self.deliver();
    }

    /// Lets the answer given elsewhere stand.
    pub(crate) fn take_stored(self) {
        if let Some((question, said)) = self.courier.update(Outbox::take_stored).flatten() {
            self.sheet.update(|sheet| sheet.accept(&question, said));
        }
        self.deliver();
    }

    fn deliver(self) {
        self.courier.deliver(self.sender.get_value());
    }

    fn change(self, act: impl FnOnce(&mut Sheet) -> Option<Change>) {
        let Some(change) = self.sheet.try_update(act).flatten() else { return };
        let (task, sender) = (self.task.get_value(), self.sender.get_value());
        let seconds = self.seconds_since_last_answer();
        let key = window().crypto().map(|crypto| crypto.random_uuid()).unwrap_or_default();
        self.courier.update(|outbox| outbox.push(&sender, &task, change, seconds, key));
        self.deliver();
    }

    /// Seconds since the last answer; absent where the person was away in between.
    fn seconds_since_last_answer(self) -> Option<f64> {
        const AWAY: f64 = 120.0;
        let now = js_sys::Date::now() / 1_000.0;
        let before = self.last_answer.try_update_value(|last| std::mem::replace(last, now))?;
        Some(now - before).filter(|seconds| (0.0..AWAY).contains(seconds))
    }

    /// Brings the unit in focus into view and the question to whoever listens, whenever another question comes into focus.
    fn follow_focus(self, first: bool) {
        let question = self.question();
        Effect::new(move |before: Option<()>| {
            let place = question.with(|question| self.places(question.as_ref()?).into_iter().next());
            if before.is_none() {
                self.last_answer.set_value(js_sys::Date::now() / 1_000.0);
                if !first {
                    window().scroll_to_with_x_and_y(0.0, 0.0);
                    focus("asked");
                }
                return;
            }
            if let Some(place) = place {
                show(&place);
            }
            focus("question");
        });
    }

    /// Hears keys, except in a text field, on a control of its own, and while a dialog is open.
    fn listen(self) {
        Effect::new(move || {
            self.shortcuts.set(crate::page::label::dialogs::shortcuts_are_on());
            let heard = window_event_listener(ev::keydown, move |event| {
                let open = [self.opened.help, self.opened.guideline, self.opened.skip];
                let is_taken =
                    event.default_prevented() || event.ctrl_key() || event.alt_key() || event.meta_key();
                let is_busy = open.iter().any(|open| open.get_untracked())
                    || self.leaving.with_untracked(Option::is_some);
                if is_taken || is_busy || !self.shortcuts.get_untracked() || is_typing(&event) {
                    return;
                }
                if let Some(command) = command(&event.key(), &event.code(), event.shift_key())
                    && !(command == Command::Submit && is_on_control(&event))
                {
                    event.prevent_default();
                    self.run(command);
                }
            });
            on_cleanup(move || heard.remove());
        });
    }

    /// Leaves for the next conversation as soon as nothing waits to be stored.
    fn leave_when_stored(self) {
        Effect::new(move || {
            let Some(leaving) = self.leaving.get() else { return };
            let waiting = self.courier.with(Outbox::waiting);
            if waiting > 0 || self.asked_for_next.get_untracked() {
                return;
            }
            self.asked_for_next.set(true);
            let project = self.sender.with_value(|sender| sender.project.clone());
            let conversation = self.task.with_value(|task| task.conversation.clone());
            spawn_local(async move {
                let answer = match leaving {
                    Leaving::Submit => submit_conversation(project, conversation).await,
                    Leaving::Skip(reason) => skip_conversation(project, conversation, reason).await,
                };
                match answer.and_then(Packed::open) {
                    Ok(desk) => {
                        self.next.try_run(desk);
                    }
                    Err(error) => {
                        // The bench may be gone by now, and then nobody has to be told.
                        let _ = self.notice.try_set(Some(format!("Not submitted: {error}")));
                        let _ = self.leaving.try_set(None);
                        let _ = self.asked_for_next.try_set(false);
                    }
                }
            });
        });
    }
}

fn focus(id: &str) {
    if let Some(element) = document().get_element_by_id(id)
        && let Ok(element) = element.dyn_into::<web_sys::HtmlElement>()
    {
        let options = web_sys::FocusOptions::new();
        options.set_prevent_scroll(true);
        // An element that cannot take the focus keeps it where it was.
        let _ = element.focus_with_options(&options);
    }
}

fn show(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// Whether the key goes into a text.
fn is_typing(event: &web_sys::KeyboardEvent) -> bool {
    is_within(event, "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]")
}

/// Whether Enter has a meaning of its own where the focus is.
fn is_on_control(event: &web_sys::KeyboardEvent) -> bool {
    is_within(event, "a, button, summary, input")
}

fn is_within(event: &web_sys::KeyboardEvent, selector: &str) -> bool {
    let element = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    element.is_some_and(|element| element.closest(selector).ok().flatten().is_some())
}
