//! The start page: one's own projects, or how to begin.

use crate::{
    address::of_project,
    component::{announcer::Heading, loaded::PageData},
    rpc::project::load_projects,
};
use domain::{Permission, ProjectMembership, visible};
use leptos::prelude::*;

/// The projects of whoever is here.
#[component]
pub(crate) fn ProjectsPage() -> impl IntoView {
    let data = PageData::new(|| (), |()| load_projects());
    data.show(|projects| {
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
            <div class="page narrow">
                <Heading title="Your projects"/>
                {body}
            </div>
        }
    })
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
