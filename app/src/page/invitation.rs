//! Coming in by a one-time link.

use crate::{
    component::{
        announcer::Heading,
        form::{ErrorSummary, Field, PostForm, Sending},
        loaded::PageData,
    },
    param::path_param,
    rpc::invitation::{AcceptInvitation, InvitationPage as Offer, JoinProject, load_invitation},
};
use domain::visible;
use leptos::prelude::*;

/// What the link offers, and the forms that take it.
#[component]
pub(crate) fn InvitationPage() -> impl IntoView {
    let token = path_param("token");
    let data = PageData::new(move || token.get(), load_invitation);
    data.show(move |offer| view! { <Accept token=token.get_untracked() offer=offer/> })
}

/// Joining with the account that is signed in, or with a new one.
#[component]
fn Accept(
    /// The token of the link.
    token: String,
    /// What it offers.
    offer: Offer,
) -> impl IntoView {
    let accept = Sending::to::<AcceptInvitation>();
    let error = accept.error();
    let what = match &offer.project {
        Some(project) => format!("You are invited to {} as {}.", visible(project), offer.role),
        None => "This link makes the admin of this installation.".to_owned(),
    };
    let join = offer
        .signed_in_as
        .filter(|_| offer.project.is_some())
        .map(|name| view! { <Join token=token.clone() name=name/> });
    view! {
        <div class="page door">
            <Heading title="Invitation"/>
            <p>{what}</p>
            {join}
            <ErrorSummary error=error/>
            <PostForm sending=accept>
                <div class="fields">
                    <input type="hidden" name="token" value=token/>
                    <Field name="name" label="Your name" autocomplete="username" hint="Your colleagues see it, and you sign in with it." error=error/>
                    <Field
                        name="password"
                        label="Password"
                        kind="password"
                        autocomplete="new-password"
                        hint="At least 12 characters. A sentence is a good password."
                        error=error
                    />
                    <button type="submit" class="button primary" disabled=move || accept.is_pending()>"Make the account"</button>
                </div>
            </PostForm>
        </div>
    }
}

/// Joining with the account that is signed in.
#[component]
fn Join(
    /// The token of the link.
    token: String,
    /// Who is signed in.
    name: String,
) -> impl IntoView {
    let join = Sending::to::<JoinProject>();
    view! {
        <section class="part">
            <ErrorSummary error=join.error()/>
            <PostForm sending=join>
                <input type="hidden" name="token" value=token/>
                <button type="submit" class="button primary">{format!("Join as {}", visible(&name))}</button>
            </PostForm>
            <p class="soft">"Or make another account:"</p>
        </section>
    }
}
