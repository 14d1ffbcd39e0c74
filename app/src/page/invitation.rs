//! Coming in by a one-time link.

use crate::{
    component::{
        announcer::Heading,
        form::{ErrorSummary, Field, refused},
        loaded::loaded,
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
    let data = Resource::new(move || token.get(), load_invitation);
    loaded(data, move |offer| view! { <Accept token=token.get_untracked() offer=offer/> })
}

/// Joining with the account that is signed in, or with a new one.
#[component]
fn Accept(
    /// The token of the link.
    token: String,
    /// What it offers.
    offer: Offer,
) -> impl IntoView {
    let accept = ServerAction::<AcceptInvitation>::new();
    let error = refused(accept.value());
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
            <ActionForm action=accept>
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
                    <button type="submit" class="button primary" disabled=move || accept.pending().get()>"Make the account"</button>
                </div>
            </ActionForm>
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
    let join = ServerAction::<JoinProject>::new();
    view! {
        <section class="part">
            <ErrorSummary error=refused(join.value())/>
            <ActionForm action=join>
                <input type="hidden" name="token" value=token/>
                <button type="submit" class="button primary">{format!("Join as {}", visible(&name))}</button>
            </ActionForm>
            <p class="soft">"Or make another account:"</p>
        </section>
    }
}
