//! One reason as markup: the conversation, what the judge said of it and why, and the questions.

use crate::{
    address::{of_project, with_query},
    component::{
        form::{ErrorSummary, Sending},
        number::{counted, level},
        reading::{Reading, unit_name},
        text::Text,
    },
    page::label::form::choices,
    rpc::reason::GradeReason,
};
use domain::{Criterion, Rubric, Unit, UnitKind, visible};
use leptos::{prelude::*, server_fn::ServerFn};
use service::{ReasonTask, Reasons};

/// The name of the page.
pub(crate) const TITLE: &str = "Reasons of judges";

/// The page: the reason to grade next, or an honest end.
#[component]
pub(crate) fn ReasonsToGrade(
    /// The project.
    project: String,
    /// How many were left for later.
    behind: usize,
    /// What there is.
    reasons: Reasons,
) -> impl IntoView {
    let Reasons { rubric, task, graded } = reasons;
    let body = match task {
        Some(task) => view! { <Grade project=project behind=behind task=task rubric=rubric/> }.into_any(),
        None => view! { <NothingLeft project=project behind=behind/> }.into_any(),
    };
    view! {
        <div class="head">
            <div>
                <h1 tabindex="-1">{TITLE}</h1>
                <p role="status">{format!("{} given.", counted(graded, "grade"))}</p>
            </div>
        </div>
        {body}
    }
}

/// One reason with the form of its grade.
#[component]
fn Grade(
    /// The project.
    project: String,
    /// How many were left for later.
    behind: usize,
    /// The reason.
    task: ReasonTask,
    /// The questions.
    rubric: Rubric,
) -> impl IntoView {
    let ReasonTask { conversation, unit, value, text } = task;
    let sending = Sending::to::<GradeReason>();
    let later = with_query(&of_project(&project, "reasons"), &[("behind", &(behind + 1).to_string())]);
    let about = about(&conversation, &rubric, &unit, value);
    let questions = rubric.asked_of(UnitKind::Justification).enumerate();
    let questions =
        questions.filter_map(|(index, asked)| question(&rubric, asked, &unit, index)).collect_view();
    let id = conversation.id.clone();
    let version = rubric.version.to_string();
    view! {
        <div class="bench adjudication">
            <div class="reading">
                <section class="step" aria-labelledby="asked">
                    <h2 id="asked">"Question"</h2>
                    <Text text=conversation.question().to_owned()/>
                </section>
                <Reading conversation=conversation/>
            </div>
            <aside class="decision" aria-label="Grade">
                <div class="card asked">
                    {about}
                    <h3>"Its reason"</h3>
                    <Text text=text/>
                </div>
                <ErrorSummary error=sending.error()/>
                <form method="post" action=GradeReason::url()>
                    <input type="hidden" name="project" value=project/>
                    <input type="hidden" name="conversation" value=id/>
                    <input type="hidden" name="rubric_version" value=version/>
                    <div class="fields" id="field-answers">
                        {questions}
                        <button type="submit" class="button primary">"Save and next"</button>
                    </div>
                </form>
                <p class="row small"><a href=later>"Leave it for later →"</a></p>
            </aside>
        </div>
    }
}

/// What the judge was asked, and what it said.
fn about(
    conversation: &domain::Conversation,
    rubric: &Rubric,
    unit: &Unit,
    value: f64,
) -> Option<impl IntoView + use<>> {
    let Unit::Justification { unit, criterion, .. } = unit else { return None };
    let asked = rubric.criterion(criterion).map(|asked| visible(&asked.question));
    let name = rubric.scale_of(criterion).and_then(|scale| Some(visible(&scale.level(value)?.name)));
    let said = name.map_or_else(|| level(value), |name| format!("{} · {name}", level(value)));
    Some(view! {
        <p class="unit-name">{unit_name(conversation, unit)}" · "{visible(criterion)}</p>
        <h2 class="question" dir="auto">{asked}</h2>
        <p>"You have answered this. A judge said: "<strong>{said}</strong></p>
    })
}

/// One question about the reason, with its levels.
fn question(rubric: &Rubric, asked: &Criterion, unit: &Unit, index: usize) -> Option<impl IntoView + use<>> {
    let scale = rubric.scale_of(&asked.id)?;
    let name = |field: &str| format!("answers[{index}][{field}]");
    let optional = if asked.required { "" } else { " (optional)" };
    let guideline = (!asked.guideline.is_empty())
        .then(|| view! { <p class="small soft" dir="auto">{visible(&asked.guideline)}</p> });
    Some(view! {
        <fieldset>
            <legend>{visible(&asked.question)} {optional}</legend>
            {guideline}
            <input type="hidden" name=name("unit") value=unit.to_string()/>
            <input type="hidden" name=name("criterion") value=asked.id.clone()/>
            {choices(scale, &name("value"), None)}
        </fieldset>
    })
}

/// An honest end.
#[component]
fn NothingLeft(
    /// The project.
    project: String,
    /// How many were left for later.
    behind: usize,
) -> impl IntoView {
    let page = of_project(&project, "reasons");
    let again =
        (behind > 0).then(|| view! { <p><a class="button" href=page>"Back to those left for later"</a></p> });
    view! {
        <section class="card empty">
            <h2>"No reason is left for you"</h2>
            <p>"Reasons come here once you have submitted your own answer to the same question."</p>
            {again}
            <p><a class="button" href=of_project(&project, "label")>"To labelling"</a></p>
        </section>
    }
}
