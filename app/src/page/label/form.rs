//! The same questions as a plain form, for browsers in which no program runs: all at once, one button.

use crate::{
    component::form::{ErrorSummary, Sending},
    page::label::{
        grid::{beginning, layout::Layout, passage_head},
        sheet::{Question, Sheet},
        task::{Grid, Task},
    },
    rpc::label::SubmitForm,
};
use domain::{OwnAnswer, Scale, ScaleKind, Unit, UnitKind, visible};
use leptos::{prelude::*, server_fn::ServerFn};
use std::sync::Arc;

/// All questions of a conversation.
#[component]
pub(crate) fn PlainForm(
    /// The conversation with its questions.
    task: Arc<Task>,
    /// The project.
    project: String,
) -> impl IntoView {
    let submit = Sending::to::<SubmitForm>();
    view! {
        <form class="plain-form fields" method="post" action=SubmitForm::url()>
            <ErrorSummary error=submit.error()/>
            <input type="hidden" name="project" value=project/>
            <input type="hidden" name="conversation" value=task.conversation.clone()/>
            <input type="hidden" name="rubric_version" value=task.rubric.version.to_string()/>
            <div class="fields" id="field-answers"><Questions task=task/></div>
            <button type="submit" class="button primary">"Save all and submit"</button>
        </form>
    }
}

/// All questions at once, those about paragraphs and citations as a grid.
#[component]
pub(crate) fn Questions(
    /// The conversation with its questions.
    task: Arc<Task>,
) -> impl IntoView {
    let sheet = Sheet::new(task.clone());
    let layout = Layout::of(&task);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (index, question) in sheet.questions().iter().enumerate() {
        if layout.place(question).is_none() {
            // Passages come before what cites them, and the conversation as a whole last.
            let side = if question.unit == Unit::Conversation { &mut after } else { &mut before };
            side.push(plain_question(&task, index, question));
        }
    }
    let grid = task.grid.as_ref().map(|grid| plain_grid(&task, grid, &layout, sheet.questions()));
    view! { {before} {grid} {after} }
}

fn plain_question(task: &Task, index: usize, question: &Question) -> Option<impl IntoView + use<>> {
    let scale = task.rubric.scale_of(&question.criterion)?;
    Some(view! {
        <fieldset class="card">
            <legend>{in_words(task, question)?}</legend>
            {identity(task, index, question)}
            {choices(scale, &value_name(index), stored_value(task, question))}
        </fieldset>
    })
}

/// The grid of paragraphs and what they cite, with a field to choose from in each place.
fn plain_grid(task: &Task, grid: &Grid, layout: &Layout, questions: &[Question]) -> impl IntoView + use<> {
    let of_paragraphs = task.rubric.asked_of(UnitKind::Paragraph);
    let of_paragraphs: Vec<String> = of_paragraphs.map(|criterion| visible(&criterion.id)).collect();
    let columns = of_paragraphs.len() + grid.passages.len();
    let heads = of_paragraphs.into_iter().map(|id| view! { <th scope="col">{id}</th> }).collect_view();
    let cited = grid.passages.iter().map(passage_head).collect_view();
    let rows = grid.paragraphs.iter().enumerate().map(|(row, paragraph)| {
        let cell = |column: usize| {
            let cell = layout.row(row).iter().find(|cell| cell.column == column);
            let asked = cell.into_iter().flat_map(|cell| &cell.questions);
            let fields = asked.filter_map(|question| {
                let index = questions.iter().position(|other| other == question)?;
                plain_field(task, index, question)
            });
            let class = if cell.is_some() { "" } else { "void" };
            view! { <td class=class>{fields.collect_view()}</td> }
        };
        view! {
            <tr>
                <th scope="row"><span>{paragraph.name.clone()}</span><small dir="auto">{beginning(&paragraph.text)}</small></th>
                {(0..columns).map(cell).collect_view()}
            </tr>
        }
    });
    view! {
        <div class="grid-frame" tabindex="0" role="region" aria-label="What the answer cites">
            <table class="citation-grid">
                <thead><tr><th scope="col">"Paragraph"</th>{heads}{cited}</tr></thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
}

/// One question as a list to choose from, small enough for a place of the grid.
fn plain_field(task: &Task, index: usize, question: &Question) -> Option<impl IntoView + use<>> {
    let scale = task.rubric.scale_of(&question.criterion)?;
    let (words, stored) = (in_words(task, question)?, stored_value(task, question));
    let field = if scale.kind == ScaleKind::Continuous {
        choices(scale, &value_name(index), stored)
    } else {
        let options = scale.levels.iter().map(|level| {
            let selected = stored.is_some_and(|stored| (stored - level.value).abs() < 1e-9);
            view! { <option value=level.value.to_string() selected=selected>{visible(&level.name)}</option> }
        });
        let options = options.collect_view();
        view! { <select name=value_name(index) aria-label=words.clone()><option value="">"…"</option>{options}</select> }
            .into_any()
    };
    Some(view! {
        <div class="cell-field">
            <span class="cell-name" aria-hidden="true">{words}</span>
            {identity(task, index, question)}
            {field}
        </div>
    })
}

fn in_words(task: &Task, question: &Question) -> Option<String> {
    let asked = task.rubric.criterion(&question.criterion)?;
    let optional = if asked.required { "" } else { " (optional)" };
    Some(format!("{}: {}{optional}", task.name_of(&question.unit), visible(&asked.question)))
}

fn value_name(index: usize) -> String {
    format!("answers[{index}][value]")
}

fn stored_value(task: &Task, Question { unit, criterion }: &Question) -> Option<f64> {
    task.answer(unit, criterion).and_then(|answer| answer.value)
}

/// Which question a field answers, and what stood there when the page was made.
fn identity(task: &Task, index: usize, question: &Question) -> impl IntoView + use<> {
    let name = |field: &str| format!("answers[{index}][{field}]");
    let Question { unit, criterion } = question;
    let label =
        task.answer(unit, criterion).map(|answer: &OwnAnswer| answer.label.clone()).unwrap_or_default();
    let stored = stored_value(task, question).map(|value| value.to_string()).unwrap_or_default();
    view! {
        <input type="hidden" name=name("unit") value=unit.to_string()/>
        <input type="hidden" name=name("criterion") value=criterion.to_owned()/>
        <input type="hidden" name=name("supersedes") value=label/>
        <input type="hidden" name=name("stored") value=stored/>
    }
}

/// The levels of a scale to choose from, or a number where it has none.
pub(crate) fn choices(scale: &Scale, name: &str, stored: Option<f64>) -> AnyView {
    if scale.kind == ScaleKind::Continuous {
        let (min, max) = scale.bounds();
        let step = scale.step.map_or_else(|| "any".to_owned(), |step| step.to_string());
        let value = stored.map(|value| value.to_string()).unwrap_or_default();
        let label = format!("A number from {min} to {max}");
        return view! {
            <input type="number" name=name.to_owned() min=min.to_string() max=max.to_string() step=step value=value aria-label=label/>
        }
        .into_any();
    }
    let radios = scale.levels.iter().map(|level| {
        let checked = stored.is_some_and(|stored| (stored - level.value).abs() < 1e-9);
        let means = level.means.as_ref().map(|means| format!(": {}", visible(means)));
        view! {
            <label class="choice">
                <input type="radio" name=name.to_owned() value=level.value.to_string() checked=checked/>
                <span><strong>{visible(&level.name)}</strong> <span class="soft">{means}</span></span>
            </label>
        }
    });
    radios.collect_view().into_any()
}
