//! The loop as markup: six steps, each with its state, one figure and the next action.

use crate::{
    address::of_project,
    component::number::{count, counted},
};
use domain::{Permission, ProjectFigures, Role, Verdict, visible};
use leptos::prelude::*;

/// The loop of a project, for a member of that role.
#[component]
pub(crate) fn Loop(
    /// The state of the project.
    figures: ProjectFigures,
    /// The role: it decides which next actions are offered.
    role: Role,
) -> impl IntoView {
    let name = visible(&figures.project);
    let steps = steps(&figures, role)
        .into_iter()
        .enumerate()
        .map(|(index, step)| step.view(index + 1))
        .collect_view();
    view! {
        <h1 tabindex="-1">{name}</h1>
        <ol class="plain loop">{steps}</ol>
    }
}

/// How far a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    Begun,
    Done,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            State::Waiting => "to do",
            State::Begun => "begun",
            State::Done => "done",
        }
    }

    fn class(self) -> &'static str {
        match self {
            State::Waiting => "waiting",
            State::Begun => "begun",
            State::Done => "done",
        }
    }
}

/// One step of the loop.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    name: &'static str,
    state: State,
    figure: String,
    says: String,
    action: Action,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Action {
    Nothing,
    Page { href: String, text: &'static str },
    Command(String),
}

impl Step {
    fn view(self, number: usize) -> impl IntoView {
        let action = match self.action {
            Action::Nothing => ().into_any(),
            Action::Page { href, text } => view! { <a class="button" href=href>{text}</a> }.into_any(),
            Action::Command(command) => view! { <code class="command">{command}</code> }.into_any(),
        };
        view! {
            <li class=format!("card loop-step {}", self.state.class())>
                <div class="loop-name">
                    <span class="number" aria-hidden="true">{number}</span>
                    <h2>{self.name}</h2>
                    <span class="tag">{self.state.word()}</span>
                </div>
                <p class="loop-figure num">{self.figure}</p>
                <p class="soft">{self.says}</p>
                <div class="loop-action">{action}</div>
            </li>
        }
    }
}

fn steps(figures: &ProjectFigures, role: Role) -> [Step; 6] {
    [
        import(figures),
        label(figures),
        agree(figures),
        reference(figures),
        judge(figures),
        gate(figures, role.may(Permission::Gate)),
    ]
}

fn page(figures: &ProjectFigures, page: &str, text: &'static str) -> Action {
    Action::Page { href: of_project(&figures.project, page), text }
}

fn command(figures: &ProjectFigures, verb: &str, rest: &str) -> Action {
    Action::Command(format!("touchstone {verb} --project {} {rest}", visible(&figures.project)))
}

fn import(figures: &ProjectFigures) -> Step {
    let rubric = match &figures.rubric {
        Some(rubric) => format!(
            "Rubric {} with {}.",
            visible(rubric),
            counted(figures.criteria, "criterion").replace("criterions", "criteria")
        ),
        None => "No rubric is published yet.".to_owned(),
    };
    let (state, action) = match (figures.conversations, &figures.rubric) {
        (0, _) => (State::Waiting, command(figures, "import conversations", "conversations.jsonl")),
        (_, None) => (State::Begun, command(figures, "import rubric", "rubric.toml")),
        _ => (State::Done, Action::Nothing),
    };
    Step {
        name: "Import",
        state,
        figure: counted(figures.conversations, "conversation"),
        says: rubric,
        action,
    }
}

fn label(figures: &ProjectFigures) -> Step {
    let state = match figures.labelled_twice {
        0 if figures.labelled_once == 0 => State::Waiting,
        twice if twice >= figures.conversations && figures.conversations > 0 => State::Done,
        _ => State::Begun,
    };
    let says = format!(
        "{} by {}. {} on people's desks, {} submitted here.",
        counted(figures.labels, "label"),
        counted(figures.annotators, "annotator"),
        count(figures.assignments_open),
        count(figures.assignments_submitted)
    );
    Step {
        name: "Label",
        state,
        figure: format!(
            "{} of {} labelled twice",
            count(figures.labelled_twice),
            count(figures.conversations)
        ),
        says,
        action: page(figures, "label", "Label"),
    }
}

fn agree(figures: &ProjectFigures) -> Step {
    let (state, says, action) = match figures.labelled_twice {
        0 => (State::Waiting, "It needs conversations that two people labelled.", Action::Nothing),
        _ => (
            State::Done,
            "Where people do not agree, no judge can be asked to.",
            page(figures, "agreement", "See agreement"),
        ),
    };
    Step {
        name: "Agree",
        state,
        figure: format!("{} shared", counted(figures.labelled_twice, "conversation")),
        says: says.to_owned(),
        action,
    }
}

fn reference(figures: &ProjectFigures) -> Step {
    let frozen = match figures.anchor_sets {
        0 => "No anchor set is frozen; reports use the live labels.".to_owned(),
        sets => format!("{} frozen.", counted(sets, "anchor set")),
    };
    match &figures.references {
        Some((number, rule)) => Step {
            name: "Reference",
            state: State::Done,
            figure: counted(*number, "reference"),
            says: format!("By the rule {}. {frozen}", visible(rule)),
            action: Action::Nothing,
        },
        None => Step {
            name: "Reference",
            state: State::Waiting,
            figure: "No references stored".to_owned(),
            says: frozen,
            action: command(figures, "reference build", "--rule median"),
        },
    }
}

fn judge(figures: &ProjectFigures) -> Step {
    let says = format!(
        "{}, {} of them failures of the instrument.",
        counted(figures.verdicts, "verdict"),
        count(figures.failures)
    );
    let (state, action) = match figures.judge_versions {
        0 => (State::Waiting, command(figures, "import verdicts", "verdicts.csv")),
        _ => (State::Done, page(figures, "compare", "Compare")),
    };
    Step { name: "Judge", state, figure: counted(figures.judge_versions, "judge version"), says, action }
}

fn gate(figures: &ProjectFigures, may_decide: bool) -> Step {
    let action = page(figures, "gate", if may_decide { "Decide" } else { "See decisions" });
    match &figures.last_decision {
        None => Step {
            name: "Gate",
            state: State::Waiting,
            figure: "Nothing decided".to_owned(),
            says: "A gate answers PROMOTE, HOLD or INCONCLUSIVE, on record.".to_owned(),
            action,
        },
        Some((verdict, candidate, day)) => Step {
            name: "Gate",
            state: if *verdict == Verdict::Inconclusive { State::Begun } else { State::Done },
            figure: verdict.word().to_owned(),
            says: format!("{}, {day}.", visible(candidate)),
            action,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures() -> ProjectFigures {
        ProjectFigures { project: "my shop".into(), overlap: 2, ..ProjectFigures::default() }
    }

    #[test]
    fn an_empty_project_says_what_to_do_first() {
        let step = import(&figures());
        assert_eq!(step.state, State::Waiting);
        assert_eq!(
            step.action,
            Action::Command("touchstone import conversations --project my shop conversations.jsonl".into())
        );
    }

    #[test]
    fn each_step_has_the_state_of_its_figures() {
        let full = ProjectFigures {
            conversations: 50,
            labelled_once: 50,
            labelled_twice: 38,
            rubric: Some("shop@1".into()),
            criteria: 3,
            judge_versions: 4,
            last_decision: Some((Verdict::Hold, "b".into(), "2026-11-30".into())),
            ..figures()
        };
        assert_eq!(import(&full).state, State::Done);
        assert_eq!(label(&full).figure, "38 of 50 labelled twice");
        assert_eq!(label(&full).state, State::Begun);
        assert_eq!(judge(&full).figure, "4 judge versions");
        assert_eq!(gate(&full, true).figure, "HOLD");
        assert_eq!(agree(&figures()).state, State::Waiting);
    }
}
