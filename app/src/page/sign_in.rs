//! Signing in.

use crate::{
    component::{
        announcer::Heading,
        form::{ErrorSummary, Field, PostForm, Sending},
    },
    param::query_param,
    rpc::account::SignIn,
};
use leptos::prelude::*;

/// Name and password, and back to where one came from.
#[component]
pub(crate) fn SignInPage() -> impl IntoView {
    let next = query_param("next");
    let sign_in = Sending::to::<SignIn>();
    let error = sign_in.error();
    view! {
        <div class="page door">
            <Heading title="Sign in"/>
            <ErrorSummary error=error/>
            <PostForm sending=sign_in>
                <div class="fields">
                    <Field name="account" label="Name" autocomplete="username" error=error/>
                    <Field name="password" label="Password" kind="password" autocomplete="current-password" error=error/>
                    <input type="hidden" name="next" value=move || next.get().unwrap_or_default()/>
                    <button type="submit" class="button primary" disabled=move || sign_in.is_pending()>"Sign in"</button>
                </div>
            </PostForm>
            <p class="note">"No account yet? An admin of your project makes a one-time link for you. The first admin's link is printed when the server starts for the first time."</p>
        </div>
    }
}
