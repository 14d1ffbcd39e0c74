//! The pages and their addresses.

#[cfg(not(feature = "desk"))]
use crate::page::{
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
    import::ImportPage,
    invitation::InvitationPage,
    judge::JudgePage,
    judges::{JudgesPage, bench::BenchPage},
    label::LabelPage,
    not_found::NotFoundPage,
    pair::PairPage,
    people::PeoplePage,
    projects::ProjectsPage,
    reasons::ReasonsPage,
    rubric::RubricPage,
    sign_in::SignInPage,
    threshold::ThresholdPage,
    watch::WatchPage,
};
#[cfg(feature = "desk")]
use crate::page::{
    invitation::InvitationPage, label::LabelPage, not_found::NotFoundPage, sign_in::SignInPage,
};
use leptos::prelude::*;
use leptos_router::{
    SsrMode,
    components::{Route, Routes},
    path,
};

/// All pages. A page that decides the status of the response, or leads elsewhere, must be complete before it is sent: all do.
#[cfg(not(feature = "desk"))]
#[component]
pub(crate) fn Pages() -> impl IntoView {
    view! {
        <Routes fallback=NotFoundPage>
            <Route path=path!("/sign-in") view=SignInPage ssr=SsrMode::Async/>
            <Route path=path!("/invitation/:token") view=InvitationPage ssr=SsrMode::Async/>
            <Route path=path!("/") view=ProjectsPage ssr=SsrMode::Async/>
            <Route path=path!("/account") view=AccountPage ssr=SsrMode::Async/>
            <Route path=path!("/p/:project") view=HomePage ssr=SsrMode::Async/>
            <Route path=path!("/p/:project/label") view=LabelPage ssr=SsrMode::Async/>
            <Route path=path!("/p/:project/reasons") view=ReasonsPage ssr=SsrMode::Async/>
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
            <Route path=path!("/p/:project/compare/judge") view=JudgePage ssr=SsrMode::Async/>
            <Route path=path!("/p/:project/compare/failures") view=FailuresPage ssr=SsrMode::Async/>
            <Route path=path!("/p/:project/diagnose") view=DiagnosePage ssr=SsrMode::Async/>
            <Route path=path!("/p/:project/gate") view=GatePage ssr=SsrMode::Async/>
            <Route path=path!("/p/:project/gate/:decision") view=DecisionPage ssr=SsrMode::Async/>
            <Route path=path!("/p/:project/threshold") view=ThresholdPage ssr=SsrMode::Async/>
            <Route path=path!("/p/:project/watch") view=WatchPage ssr=SsrMode::Async/>
            <Route path=path!("/p/:project/rubric") view=RubricPage ssr=SsrMode::Async/>
            <Route path=path!("/p/:project/import") view=ImportPage ssr=SsrMode::Async/>
            <Route path=path!("/p/:project/people") view=PeoplePage ssr=SsrMode::Async/>
        </Routes>
    }
}

/// The pages of the desk: those that [`crate::program`] says it has.
#[cfg(feature = "desk")]
#[component]
pub(crate) fn Pages() -> impl IntoView {
    view! {
        <Routes fallback=NotFoundPage>
            <Route path=path!("/sign-in") view=SignInPage ssr=SsrMode::Async/>
            <Route path=path!("/invitation/:token") view=InvitationPage ssr=SsrMode::Async/>
            <Route path=path!("/p/:project/label") view=LabelPage ssr=SsrMode::Async/>
        </Routes>
    }
}
