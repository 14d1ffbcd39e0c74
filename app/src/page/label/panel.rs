//! The question in focus, with its answers as keys.

use crate::{
    component::number::level,
    page::label::{
        bench::Work,
        keys::{Command, Digit, keyed},
        outbox::{Conflict, State},
        sheet::{Question, Sheet},
    },
};
use domain::{Criterion, Level, Scale, ScaleKind, visible};
use leptos::{ev, html, prelude::*};

/// The panel beside the reading.
#[component]
pub(crate) fn Panel(
    /// The bench.
    work: Work,
) -> impl IntoView {
    let question = work.question();
    let asked = move || {
        question.get().and_then(|question| {
            work.sheet.with_untracked(|sheet| {
                let criterion = sheet.criterion(&question)?.clone();
                let scale = sheet.scale(&question)?.clone();
                let name = sheet.task().name_of(&question.unit);
                Some(view! { <Asked work=work question=question criterion=criterion scale=scale unit=name/> })
            })
        })
    };
    let label = move || {
        let open = work.sheet.with(Sheet::open_required);
        if work.is_leaving() {
            "Submitting…".to_owned()
        } else if open == 0 {
            "Submit and next".to_owned()
        } else {
            format!("Submit and next ({open} open)")
        }
    };
    view! {
        <aside class="panel" aria-label="Questions">
            <ConflictCard work=work/>
            <div class="card asked">{asked}</div>
            <div class="row">
                <button type="button" class="button primary" disabled=move || work.is_leaving() on:click=move |_| work.submit()>
                    {label} " " <kbd>"⏎"</kbd>
                </button>
                <PanelButton work=work command=Command::Skip key="s" name="Skip"/>
            </div>
            <div class="foot">
                <PanelButton work=work command=Command::Undo key="u" name="Undo"/>
                <PanelButton work=work command=Command::Comment key="c" name="Comment"/>
                <PanelButton work=work command=Command::Flag key="f" name="Flag"/>
                <PanelButton work=work command=Command::Guideline key="g" name="Guideline"/>
                <PanelButton work=work command=Command::Help key="?" name="All keys"/>
            </div>
        </aside>
    }
}

/// A command as a button with its key.
#[component]
fn PanelButton(
    /// The bench.
    work: Work,
    /// What it does.
    command: Command,
    /// The key that does the same.
    key: &'static str,
    /// Its name.
    name: &'static str,
) -> impl IntoView {
    view! {
        <button type="button" class="button plain" on:click=move |_| work.run(command)>
            <kbd aria-hidden="true">{key}</kbd> {name}
        </button>
    }
}

/// The question itself, the criteria of its unit, and the answers.
#[component]
fn Asked(
    /// The bench.
    work: Work,
    /// The question.
    question: Question,
    /// Its criterion.
    criterion: Criterion,
    /// Its scale.
    scale: Scale,
    /// What people call its unit.
    unit: String,
) -> impl IntoView {
    let required = if criterion.required { "" } else { " · optional" };
    let answers = if scale.kind == ScaleKind::Continuous {
        view! { <NumberField work=work scale=scale/> }.into_any()
    } else {
        let keys = keyed(&scale)
            .into_iter()
            .map(|(key, level)| view! { <Key work=work key=key level=level/> })
            .collect_view();
        view! { <div class="keys" role="group" aria-labelledby="question">{keys}</div> }.into_any()
    };
    view! {
        <p class="unit-name">{unit} <span class="soft">{required}</span></p>
        <Criteria work=work question=question/>
        <h2 class="question" id="question" tabindex="-1" dir="auto">{visible(&criterion.question)}</h2>
        {answers}
        <Remarks work=work/>
    }
}

/// The criteria that the unit is asked about, where there are several.
#[component]
fn Criteria(
    /// The bench.
    work: Work,
    /// The question in focus.
    question: Question,
) -> impl IntoView {
    let questions: Vec<Question> = work.sheet.with_untracked(|sheet| {
        sheet.of_unit(&question.unit).map(|(question, _)| question.clone()).collect()
    });
    let several = questions.len() > 1;
    let tabs = questions
        .into_iter()
        .map(|other| {
            let current = (other == question).then_some("true");
            let asked = other.clone();
            let said = move || {
                work.sheet.with(|sheet| sheet.said_to(&asked).and_then(|said| said.value)).map(|value| format!(" {}", level(value)))
            };
            let name = visible(&other.criterion);
            view! {
                <button type="button" class="criterion" aria-current=current on:click=move |_| work.choose(&other)>
                    {name} <b>{said}</b>
                </button>
            }
        })
        .collect_view();
    several
        .then(|| view! { <div class="criteria" role="group" aria-label="Criteria of this unit">{tabs}</div> })
}

/// One answer as a key: digit, name and meaning.
#[component]
fn Key(
    /// The bench.
    work: Work,
    /// The digit that chooses it.
    key: Option<Digit>,
    /// The level.
    level: Level,
) -> impl IntoView {
    let value = level.value;
    let is_chosen =
        move || work.sheet.with(|sheet| sheet.here().value.is_some_and(|said| (said - value).abs() < 1e-9));
    view! {
        <button
            type="button"
            class="key"
            aria-pressed=move || if is_chosen() { "true" } else { "false" }
            on:click=move |_| work.answer(value)
        >
            <b>{key.map(Digit::printed)}</b>
            <span>
                <strong>{visible(&level.name)}</strong>
                {level.means.map(|means| view! { <small>{visible(&means)}</small> })}
            </span>
        </button>
    }
}

/// A number on a continuous scale: Enter takes it and moves on.
#[component]
fn NumberField(
    /// The bench.
    work: Work,
    /// The scale.
    scale: Scale,
) -> impl IntoView {
    let field = NodeRef::<html::Input>::new();
    let wrong = RwSignal::new(None::<String>);
    let expectation = scale.expectation();
    let hint = format!("Expected: {expectation}.");
    let stored = work
        .sheet
        .with_untracked(|sheet| sheet.here().value)
        .map(|value| value.to_string())
        .unwrap_or_default();
    let (min, max) = scale.bounds();
    let step = scale.step.map_or_else(|| "any".to_owned(), |step| step.to_string());
    let take = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let text = field.get_untracked().map(|field| field.value()).unwrap_or_default();
        let value = text.trim().parse().ok().and_then(|value| scale.admit(value));
        wrong.set(
            value.is_none().then(|| format!("`{}` was not taken: expected {expectation}.", visible(&text))),
        );
        if let Some(value) = value {
            work.answer(value);
        }
    };
    view! {
        <form class="number-field" on:submit=take novalidate>
            <input
                node_ref=field
                type="number"
                inputmode="decimal"
                min=min.to_string()
                max=max.to_string()
                step=step
                value=stored
                aria-labelledby="question"
                aria-describedby="number-hint"
            />
            <button type="submit" class="button">"Take"</button>
            <p class="small soft" id="number-hint">{move || wrong.get().unwrap_or_else(|| hint.clone())}</p>
        </form>
    }
}

/// The flag and the comment of the answer in focus.
#[component]
fn Remarks(
    /// The bench.
    work: Work,
) -> impl IntoView {
    let field = NodeRef::<html::Textarea>::new();
    let here = move || work.sheet.with(Sheet::here);
    Effect::new(move || {
        if work.opened.comment.get()
            && let Some(field) = field.get()
        {
            // A field that has gone since cannot be focused: nothing is lost by that.
            let _ = field.focus();
        }
    });
    let save = move || work.comment(&field.get_untracked().map(|field| field.value()).unwrap_or_default());
    let keys = move |event: ev::KeyboardEvent| match event.key().as_str() {
        "Escape" => work.opened.comment.set(false),
        "Enter" if event.ctrl_key() || event.meta_key() => save(),
        _ => {}
    };
    view! {
        {move || here().flag.then(|| view! { <p class="tag gold">"flagged"</p> })}
        {move || match (work.opened.comment.get(), here().comment) {
            (true, comment) => view! {
                <div class="field">
                    <label for="comment">"Comment on this answer"</label>
                    <textarea id="comment" rows="3" node_ref=field prop:value=comment.unwrap_or_default() on:keydown=keys></textarea>
                    <div class="row">
                        <button type="button" class="button" on:click=move |_| save()>"Keep comment"</button>
                        <span class="small soft">"Ctrl+Enter keeps, Esc closes"</span>
                    </div>
                </div>
            }
            .into_any(),
            (false, Some(comment)) => view! { <p class="remark" dir="auto">{visible(&comment)}</p> }.into_any(),
            (false, None) => ().into_any(),
        }}
    }
}

/// Two answers of one person, given in two places: the person decides.
#[component]
fn ConflictCard(
    /// The bench.
    work: Work,
) -> impl IntoView {
    let conflict = Memo::new(move |_| {
        work.outbox(|outbox| match outbox.state() {
            State::Conflict(conflict) => Some(conflict.clone()),
            _ => None,
        })
    });
    move || {
        conflict.get().map(|conflict| {
            let Conflict { question, mine, stored, .. } = *conflict;
            let value = |value: Option<f64>| value.map_or_else(|| "no answer".to_owned(), level);
            let name = work.sheet.with_untracked(|sheet| sheet.task().name_of(&question.unit));
            let stored = value(stored.and_then(|stored| stored.value));
            view! {
                <div class="summary-of-errors" role="alert">
                    <h2>"You answered this in another tab or on another device"</h2>
                    <p>{format!("{name}, {}: here {}, there {stored}.", visible(&question.criterion), value(mine.value))}</p>
                    <div class="row">
                        <button type="button" class="button" on:click=move |_| work.keep_mine()>{format!("Keep {}", value(mine.value))}</button>
                        <button type="button" class="button" on:click=move |_| work.take_stored()>{format!("Let {stored} stand")}</button>
                    </div>
                </div>
            }
        })
    }
}
