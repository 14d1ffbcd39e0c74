//! The same questions as a plain form, for browsers in which no program runs: all at once, one button.

use crate::{
    component::form::{ErrorSummary, Sending},
    page::label::{
        sheet::{Question, Sheet},
        task::Task,
    },
    rpc::label::SubmitForm,
};
use domain::{OwnAnswer, Scale, ScaleKind, visible};
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
    let sheet = Sheet::new(task.clone());
    let questions = sheet.questions().iter().enumerate();
    let questions = questions.map(|(index, question)| plain_question(&task, index, question)).collect_view();
    view! {
        <form class="plain-form fields" method="post" action=SubmitForm::url()>
            <ErrorSummary error=submit.error()/>
            <input type="hidden" name="project" value=project/>
            <input type="hidden" name="conversation" value=task.conversation.clone()/>
            <input type="hidden" name="rubric_version" value=task.rubric.version.to_string()/>
            <div class="fields" id="field-answers">{questions}</div>
            <button type="submit" class="button primary">"Save all and submit"</button>
        </form>
    }
}

fn plain_question(task: &Task, index: usize, question: &Question) -> Option<impl IntoView + use<>> {
    let Question { unit, criterion } = question;
    let asked = task.rubric.criterion(criterion)?;
    let scale = task.rubric.scale_of(criterion)?;
    let stored = task.answer(unit, criterion);
    let value = stored.and_then(|answer| answer.value);
    let name = |field: &str| format!("answers[{index}][{field}]");
    let optional = if asked.required { "" } else { " (optional)" };
    let legend = format!("{}: {}{optional}", task.name_of(unit), visible(&asked.question));
    Some(view! {
        <fieldset class="card">
            <legend>{legend}</legend>
            <input type="hidden" name=name("unit") value=unit.to_string()/>
            <input type="hidden" name=name("criterion") value=criterion.to_owned()/>
            <input type="hidden" name=name("supersedes") value=stored.map(|answer: &OwnAnswer| answer.label.clone()).unwrap_or_default()/>
            <input type="hidden" name=name("stored") value=value.map(|value| value.to_string()).unwrap_or_default()/>
            {choices(scale, &name("value"), value)}
        </fieldset>
    })
}

fn choices(scale: &Scale, name: &str, stored: Option<f64>) -> AnyView {
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
