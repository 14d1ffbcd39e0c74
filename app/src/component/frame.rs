//! The frame around every page: where one is, where one can go, who one is.

use crate::{
    address::{of_project, project_of},
    component::loaded::PageData,
    rpc::account::{SignOut, Visitor, load_visitor},
};
use domain::{Permission, Role};
use leptos::{prelude::*, server_fn::ServerFn};
use leptos_router::{hooks::use_location, location::Url};

/// Black stone, gold streak, and the name.
#[component]
fn Brand() -> impl IntoView {
    view! {
        <a class="brand" href="/">
            <svg viewBox="0 0 20 20" aria-hidden="true">
                <rect class="stone" x="1" y="1" width="18" height="18" rx="4.5"></rect>
                <line class="streak" x1="5.5" y1="12.7" x2="14.5" y2="7.3"></line>
            </svg>
            "Touchstone"
        </a>
    }
}

/// The head of every page. Who is here is asked anew when the project changes, and when signing in or out.
#[component]
pub(crate) fn Frame() -> impl IntoView {
    let path = use_location().pathname;
    let project = Memo::new(move |_| path.with(|path| project_of(path).map(Url::unescape)));
    let at_door = Memo::new(move |_| {
        path.with(|path| path.starts_with("/sign-in") || path.starts_with("/invitation/"))
    });
    let who = PageData::new(move || (project.get(), at_door.get()), |(project, _)| load_visitor(project));
    let inside = who.show_or_nothing(move |visitor| {
        let project = project.get_untracked();
        let role = visitor.as_ref().and_then(|visitor| visitor.role);
        let reasons = visitor.as_ref().is_some_and(|visitor| visitor.asks_reasons);
        view! {
            {project.zip(role).map(|(project, role)| view! { <Navigation project=project role=role reasons=reasons/> })}
            {visitor.map(|visitor| view! { <Account visitor=visitor/> })}
        }
    });
    view! {
        <header class="top">
            <Brand/>
            {inside}
        </header>
    }
}

/// The pages of a project that a role may see.
#[component]
fn Navigation(
    /// The project.
    project: String,
    /// What the visitor is in it.
    role: Role,
    /// Whether people grade the reasons of judges here.
    reasons: bool,
) -> impl IntoView {
    let pages = [
        ("label", "Label", Permission::Label),
        ("reasons", "Reasons", Permission::Label),
        ("assignments", "Assignments", Permission::Assign),
        ("agreement", "Agreement", Permission::Analyse),
        ("adjudicate", "Adjudicate", Permission::Adjudicate),
        ("anchor-sets", "Anchor sets", Permission::Judge),
        ("judges", "Judges", Permission::Analyse),
        ("compare", "Compare", Permission::Analyse),
        ("diagnose", "Diagnose", Permission::Analyse),
        ("gate", "Gate", Permission::Analyse),
        ("watch", "Watch", Permission::Analyse),
        ("rubric", "Rubric", Permission::WriteRubric),
        ("import", "Import", Permission::Import),
        ("people", "People", Permission::ManagePeople),
    ];
    let home = role.may(Permission::Analyse).then(|| {
        let href = of_project(&project, "");
        let name = domain::visible(&project);
        view! { <li><NavigationLink href=href class="project" exact=true>{name}</NavigationLink></li> }
    });
    let links = pages
        .into_iter()
        .filter(|(page, _, permission)| role.may(*permission) && (reasons || *page != "reasons"))
        .map(|(page, name, _)| {
            let href = of_project(&project, page);
            view! { <li><NavigationLink href=href>{name}</NavigationLink></li> }
        })
        .collect_view();
    view! {
        <nav aria-label="Project">
            <ul class="plain">{home} {links}</ul>
        </nav>
    }
}

/// A link that says whether it leads to where one is.
#[component]
fn NavigationLink(
    /// The address.
    href: String,
    /// A class of its own.
    #[prop(optional)]
    class: &'static str,
    /// Whether only this address counts as being there, and not those below it.
    #[prop(optional)]
    exact: bool,
    /// Its text.
    children: Children,
) -> impl IntoView {
    let path = use_location().pathname;
    let target = href.clone();
    let current = move || {
        path.with(|path| {
            let below =
                !exact && path.strip_prefix(target.as_str()).is_some_and(|rest| rest.starts_with('/'));
            if *path == target {
                Some("page")
            } else if below {
                Some("true")
            } else {
                None
            }
        })
    };
    view! { <a class=class href=href aria-current=current>{children()}</a> }
}

/// Who is here, and the way out: by a whole new page, so that nothing of this person stays behind in the window.
#[component]
fn Account(
    /// Who is here.
    visitor: Visitor,
) -> impl IntoView {
    view! {
        <div class="account">
            <NavigationLink href="/account".to_owned()>{domain::visible(&visitor.name)}</NavigationLink>
            <form method="post" action=SignOut::url()>
                <button type="submit">"Sign out"</button>
            </form>
        </div>
    }
}
