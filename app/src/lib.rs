//! The browser UI: pages, components and server functions.
//!
//! The same code makes the first page on the server (feature `ssr`) and takes it over in the browser (feature `hydrate`).
#![expect(unreachable_pub, reason = "#[component] writes `pub` beside a component of any visibility")]

pub mod address;
mod component;
#[cfg(feature = "ssr")]
mod door;
pub mod error;
mod next;
pub mod origin;
mod page;
mod param;
mod rpc;
#[cfg(feature = "ssr")]
mod typed;

use component::{
    announcer::{RouteAnnouncer, provide_announcer},
    frame::Frame,
    loaded::Busy,
};
use leptos::{hydration::HydrationScripts, prelude::*};
use leptos_meta::{MetaTags, Title, provide_meta_context};
use leptos_router::{
    SsrMode,
    components::{Route, Router, Routes},
    path,
};
use page::{
    account::AccountPage,
    adjudicate::AdjudicatePage,
    agreement::AgreementPage,
    anchor_sets::{AnchorSetPage, AnchorSetsPage},
    assignments::AssignmentsPage,
    compare::ComparePage,
    conversation::ConversationPage,
    decision::DecisionPage,
    diagnose::DiagnosePage,
    failures::FailuresPage,
    gate::GatePage,
    home::HomePage,
    invitation::InvitationPage,
    judges::{JudgesPage, bench::BenchPage},
    label::{LabelPage, provide_outbox},
    not_found::NotFoundPage,
    pair::PairPage,
    people::PeoplePage,
    projects::ProjectsPage,
    rubric::RubricPage,
    sign_in::SignInPage,
    threshold::ThresholdPage,
};

/// The document around every page.
#[must_use]
pub fn shell(options: LeptosOptions) -> impl IntoView {
    let style = format!("/{}/{}.css", options.site_pkg_dir, options.output_name);
    view! {
        <!DOCTYPE html>
        <html lang="en">
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 20 20'%3E%3Crect width='20' height='20' rx='4.5' fill='%231c1a17'/%3E%3Cpath d='M5.5 12.7 14.5 7.3' stroke='%23e5b23a' stroke-width='4' stroke-linecap='round'/%3E%3C/svg%3E"/>
                <link rel="stylesheet" href=style/>
                <HydrationScripts options=options/>
                <MetaTags/>
            </head>
            <body>
                <App/>
            </body>
        </html>
    }
}

/// All pages. A page that decides the status of the response, or leads elsewhere, must be complete before it is sent: all do.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    provide_announcer();
    provide_outbox();
    let busy = RwSignal::new(false);
    let routing = RwSignal::new(false);
    provide_context(Busy(busy));
    let line =
        move || (busy.get() || routing.get()).then(|| view! { <div class="busy" aria-hidden="true"></div> });
    view! {
        <Title formatter=|title: String| if title.is_empty() { "Touchstone".to_owned() } else { format!("{title} · Touchstone") }/>
        <a class="skip" href="#main" rel="external">"Skip to the page"</a>
        <Router set_is_routing=routing>
            <Frame/>
            {line}
            <main id="main" tabindex="-1">
                <Routes fallback=NotFoundPage>
                    <Route path=path!("/sign-in") view=SignInPage ssr=SsrMode::Async/>
                    <Route path=path!("/invitation/:token") view=InvitationPage ssr=SsrMode::Async/>
                    <Route path=path!("/") view=ProjectsPage ssr=SsrMode::Async/>
                    <Route path=path!("/account") view=AccountPage ssr=SsrMode::Async/>
                    <Route path=path!("/p/:project") view=HomePage ssr=SsrMode::Async/>
                    <Route path=path!("/p/:project/label") view=LabelPage ssr=SsrMode::Async/>
                    <Route path=path!("/p/:project/adjudicate") view=AdjudicatePage ssr=SsrMode::Async/>
                    <Route path=path!("/p/:project/assignments") view=AssignmentsPage ssr=SsrMode::Async/>
                    <Route path=path!("/p/:project/agreement") view=AgreementPage ssr=SsrMode::Async/>
                    <Route path=path!("/p/:project/agreement/pair") view=PairPage ssr=SsrMode::Async/>
                    <Route path=path!("/p/:project/conversation/:id") view=ConversationPage ssr=SsrMode::Async/>
                    <Route path=path!("/p/:project/judges") view=JudgesPage ssr=SsrMode::Async/>
                    <Route path=path!("/p/:project/judges/bench") view=BenchPage ssr=SsrMode::Async/>
                    <Route path=path!("/p/:project/anchor-sets") view=AnchorSetsPage ssr=SsrMode::Async/>
                    <Route path=path!("/p/:project/anchor-sets/:set") view=AnchorSetPage ssr=SsrMode::Async/>
                    <Route path=path!("/p/:project/compare") view=ComparePage ssr=SsrMode::Async/>
                    <Route path=path!("/p/:project/compare/failures") view=FailuresPage ssr=SsrMode::Async/>
                    <Route path=path!("/p/:project/diagnose") view=DiagnosePage ssr=SsrMode::Async/>
                    <Route path=path!("/p/:project/gate") view=GatePage ssr=SsrMode::Async/>
                    <Route path=path!("/p/:project/gate/:decision") view=DecisionPage ssr=SsrMode::Async/>
                    <Route path=path!("/p/:project/threshold") view=ThresholdPage ssr=SsrMode::Async/>
                    <Route path=path!("/p/:project/rubric") view=RubricPage ssr=SsrMode::Async/>
                    <Route path=path!("/p/:project/people") view=PeoplePage ssr=SsrMode::Async/>
                </Routes>
            </main>
            <RouteAnnouncer/>
        </Router>
    }
}

/// Takes the page over in the browser, and says so on the document.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    leptos::mount::hydrate_body(App);
    if let Some(root) = document().document_element()
        && let Ok(root) = wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(root)
    {
        // A document without a data set has nobody who waits for this either.
        let _ = root.dataset().set("hydrated", "true");
    }
}
