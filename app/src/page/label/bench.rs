//! One conversation at work: reading on the left, the question in focus on the right.

use crate::page::label::{
    courier::{Courier, forget},
    desks::Desks,
    dialogs::{Guideline, Help, Skip},
    grid::{
        CitationGrid,
        layout::{Arrow, Layout, cell_id},
    },
    keys::{Command, command, value_of},
    marked::Marked,
    outbox::{Content, Letter, Outbox, Sender},
    panel::Panel,
    progress_in_words,
    save_state::SaveState,
    sheet::{Change, Question, Sheet, said_in},
    task::Task,
};
use domain::{LabelProgress, NewAnswer};
use leptos::{ev, prelude::*};
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
    /// From one conversation to the next.
    pub(crate) desks: Desks,
    /// Where the questions about paragraphs and citations stand.
    pub(crate) layout: StoredValue<Layout>,
    courier: Courier,
    sender: StoredValue<Sender>,
    task: StoredValue<Arc<Task>>,
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
    /// From one conversation to the next.
    desks: Desks,
    /// Whether this is the conversation that came with the page.
    first: bool,
) -> impl IntoView {
    let task = Arc::new(task);
    let work = Work::new(task.clone(), sender.clone(), desks);
    let reading = task.reading.clone();
    // Only where no program runs: the form is not carried along once one does.
    let plain = RwSignal::new(first);
    let project = sender.project;
    let grid = task.grid.clone().map(|grid| view! { <CitationGrid grid=grid work=work/> });
    let form = {
        let task = task.clone();
        let plain_form = move || plain_form(&task, &project);
        move || plain.get().then(|| view! { <div class="unscripted" inner_html=plain_form()></div> })
    };
    Effect::new(move || plain.set(false));
    work.follow_focus(first);
    work.listen();
    work.take_unsent();
    view! {
        <StatusLine progress=progress work=work/>
        <div class="bench">
            <div class="read">
                <Marked reading=reading work=work/>
                {grid}
            </div>
            <Panel work=work/>
            {form}
        </div>
        <Help work=work/>
        <Guideline work=work/>
        <Skip work=work/>
    }
}

/// The same questions as a form, for browsers in which no program runs. It is markup of the server, and no program makes it.
#[cfg(feature = "ssr")]
fn plain_form(task: &Arc<Task>, project: &str) -> String {
    use crate::page::label::form::PlainForm;
    view! { <PlainForm task=task.clone() project=project.to_owned()/> }.into_view().to_html()
}

#[cfg(not(feature = "ssr"))]
fn plain_form(_: &Arc<Task>, _: &str) -> &'static str {
    ""
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

impl Work {
    fn new(task: Arc<Task>, sender: Sender, desks: Desks) -> Work {
        let courier = Courier::here();
        courier.update(|outbox| outbox.learn(&sender, &task));
        let closed = || RwSignal::new(false);
        Work {
            sheet: RwSignal::new(Sheet::new(task.clone())),
            opened: Opened { help: closed(), guideline: closed(), skip: closed(), comment: closed() },
            shortcuts: RwSignal::new(true),
            notice: RwSignal::new(None),
            desks,
            layout: StoredValue::new(Layout::of(&task)),
            courier,
            sender: StoredValue::new(sender),
            task: StoredValue::new(task),
            last_answer: StoredValue::new(0.0),
        }
    }

    /// What was said before and is still on its way counts more than what the server has.
    fn take_unsent(self) {
        let is_open = self.courier.is_open();
        Effect::new(move || {
            if !is_open.get() {
                return;
            }
            let unsent = untrack(|| self.courier.with(|outbox| self.unsent_in(outbox)));
            if !unsent.is_empty() {
                self.sheet.update(|sheet| {
                    unsent.into_iter().for_each(|Change { question, said }| sheet.accept(&question, said));
                    sheet.resume();
                });
            }
        });
    }

    fn unsent_in(self, outbox: &Outbox) -> Vec<Change> {
        self.sender.with_value(|sender| self.task.with_value(|task| outbox.unsent(sender, task)))
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

    /// Goes to the first of some questions that has no answer; to the first of all where each has one.
    pub(crate) fn choose_open_of(self, questions: &[Question]) {
        self.sheet.update(|sheet| {
            let is_open =
                |question: &&Question| sheet.said_to(question).is_none_or(|said| said.value.is_none());
            let chosen = questions.iter().find(is_open).or(questions.first()).cloned();
            if let Some(question) = chosen {
                sheet.choose_question(&question);
            }
        });
    }

    /// Where the question in focus stands in the grid.
    pub(crate) fn place_in_grid(self) -> Memo<Option<(usize, usize)>> {
        let question = self.question();
        Memo::new(move |_| {
            question.with(|question| self.layout.with_value(|layout| layout.place(question.as_ref()?)))
        })
    }

    /// Follows an arrow key in the grid.
    pub(crate) fn step_in_grid(self, arrow: Arrow) {
        let here = self.sheet.with_untracked(|sheet| sheet.question().cloned());
        let next: Option<Vec<Question>> = self
            .layout
            .with_value(|layout| Some(layout.step(layout.place(here.as_ref()?)?, arrow)?.questions.clone()));
        if let Some(questions) = next {
            self.choose_open_of(&questions);
        }
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
            self.leave(Content::Submit);
        }
    }

    /// Leaves the conversation to others.
    pub(crate) fn skip(self, reason: String) {
        self.opened.skip.set(false);
        self.leave(Content::Skip(reason));
    }

    /// Whether the person waits for the next conversation.
    pub(crate) fn is_leaving(self) -> bool {
        self.desks.waiting.get()
    }

    /// Sends the answer given here again, to replace the one given elsewhere.
    pub(crate) fn keep_mine(self) {
        self.courier.update(Outbox::keep_mine);
        self.desks.deliver();
    }

    /// Lets the answer given elsewhere stand.
    pub(crate) fn take_stored(self) {
        let Some((conflict, dropped)) = self.courier.update(Outbox::take_stored).flatten() else { return };
        dropped.into_iter().for_each(forget);
        if self.task.with_value(|task| task.conversation == conflict.conversation) {
            let said = conflict.stored.as_ref().map(said_in).unwrap_or_default();
            self.sheet.update(|sheet| sheet.accept(&conflict.question, said));
        }
        self.desks.deliver();
    }

    /// Gives up what the server refuses: all that was done to that conversation.
    pub(crate) fn drop_refused(self) {
        self.courier.update(Outbox::drop_refused).unwrap_or_default().into_iter().for_each(forget);
        self.desks.deliver();
    }

    /// Whose work it is.
    pub(crate) fn user(self) -> String {
        self.sender.with_value(|sender| sender.user.clone())
    }

    fn leave(self, content: Content) {
        self.post(self.courier.new_key(), content);
        self.desks.move_on();
    }

    fn change(self, act: impl FnOnce(&mut Sheet) -> Option<Change>) {
        let Some(Change { question, said }) = self.sheet.try_update(act).flatten() else { return };
        let key = self.courier.new_key();
        let answer = self.task.with_value(|task| NewAnswer {
            conversation: task.conversation.clone(),
            unit: question.unit,
            criterion: question.criterion,
            value: said.value,
            comment: said.comment,
            flag: said.flag,
            seconds: self.seconds_since_last_answer(),
            rubric_version: task.rubric.version,
            // Known only when its predecessor has been stored: filled in when it is sent.
            supersedes: None,
            client_key: key.clone(),
        });
        self.post(key, Content::Answer(answer));
    }

    fn post(self, key: String, content: Content) {
        let conversation = self.task.with_value(|task| task.conversation.clone());
        self.courier.post(Letter {
            sender: self.sender.get_value(),
            key,
            conversation,
            content,
            kept: false,
        });
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
        let (question, in_grid) = (self.question(), self.place_in_grid());
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
            if let Some(cell) = in_grid.get() {
                show("citations");
                show(&cell_id(cell));
                focus(&cell_id(cell));
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
                let is_busy =
                    open.iter().any(|open| open.get_untracked()) || self.desks.waiting.get_untracked();
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
pub(crate) fn is_typing(event: &web_sys::KeyboardEvent) -> bool {
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
