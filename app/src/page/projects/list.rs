//! The projects of a person as markup.

use crate::address::of_project;
use domain::{Permission, ProjectMembership, visible};
use leptos::prelude::*;

/// The name of the page.
pub(crate) const TITLE: &str = "Your projects";

/// The projects, or how to begin where there is none.
#[component]
pub(crate) fn ProjectList(
    /// The projects.
    projects: Vec<ProjectMembership>,
) -> impl IntoView {
    let body = if projects.is_empty() {
        view! { <HowToBegin/> }.into_any()
    } else {
        let cards = projects
            .into_iter()
            .map(|membership| view! { <ProjectCard membership=membership/> })
            .collect_view();
        view! { <ul class="plain projects">{cards}</ul> }.into_any()
    };
    view! {
        <h1 tabindex="-1">{TITLE}</h1>
        {body}
    }
}

/// A project: annotators go straight to their work.
#[component]
fn ProjectCard(
    /// The project and the role in it.
    membership: ProjectMembership,
) -> impl IntoView {
    let ProjectMembership { project, role } = membership;
    let page = if role.may(Permission::Analyse) { "" } else { "label" };
    view! {
        <li>
            <a class="card project" href=of_project(&project, page)>
                <strong>{visible(&project)}</strong>
                <span class="tag">{role.word()}</span>
            </a>
        </li>
    }
}

/// What to do where there is no project.
#[component]
fn HowToBegin() -> impl IntoView {
    const COMMANDS: &str = "touchstone demo\n\ntouchstone project create shop --rubric rubric.toml\ntouchstone import conversations --project shop conversations.jsonl";
    view! {
        <section class="card empty">
            <h2>"No project yet"</h2>
            <p>"An admin can invite you to one. Whoever holds the server makes one from the command line: the demo to look around, or your own conversations."</p>
            <pre tabindex="0" role="region" aria-label="Commands">{COMMANDS}</pre>
        </section>
    }
}
