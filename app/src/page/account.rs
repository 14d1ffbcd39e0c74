//! One's own account: where one is signed in, API tokens, and the password.

mod tokens;

use crate::{
    component::{
        announcer::Heading,
        form::{ErrorSummary, Field, PostForm, Sending},
        loaded::PageData,
        number::minute,
        table::NamedTable,
    },
    rpc::account::{
        AccountPage as Own, ChangePassword, CreateApiToken, RevokeApiToken, SignOutEverywhere, load_account,
    },
};
use domain::{OwnSession, visible};
use leptos::prelude::*;
use tokens::{TokenActs, Tokens};

/// The account page.
#[component]
pub(crate) fn AccountPage() -> impl IntoView {
    let change = Sending::to::<ChangePassword>();
    let acts = TokenActs { create: Sending::to::<CreateApiToken>(), revoke: Sending::to::<RevokeApiToken>() };
    let data = PageData::new(move || change.done() + acts.done(), |_| load_account());
    let error = change.error();
    let changed = move || {
        (change.done() > 0)
            .then(|| view! { <p class="said" role="status">"The password is changed. Everywhere else you are signed out."</p> })
    };
    view! {
        <div class="page narrow">
            {data.show(move |own| {
                view! {
                    <Sessions own=own.clone()/>
                    <Tokens tokens=own.tokens new_token=own.new_token projects=own.projects acts=acts/>
                }
            })}
            <section class="part">
                <h2>"Change password"</h2>
                <ErrorSummary error=error/>
                {changed}
                <PostForm sending=change>
                    <div class="fields">
                        <Field name="old" label="Present password" kind="password" autocomplete="current-password" error=error/>
                        <Field
                            name="password"
                            label="New password"
                            kind="password"
                            autocomplete="new-password"
                            hint="At least 12 characters. A sentence is a good password."
                            error=error
                        />
                        <div><button type="submit" class="button primary">"Change password"</button></div>
                    </div>
                </PostForm>
            </section>
        </div>
    }
}

/// Where one is signed in, and the way to end it all.
#[component]
fn Sessions(
    /// The account.
    own: Own,
) -> impl IntoView {
    let everywhere = Sending::to::<SignOutEverywhere>();
    let rows = own.sessions.into_iter().map(session_row).collect_view();
    view! {
        <div class="head">
            <div>
                <Heading title="Account"/>
                <p>{format!("{}, signed in as {}", visible(&own.name), visible(&own.account))}</p>
            </div>
        </div>
        <section class="part">
            <h2>"Where you are signed in"</h2>
            <NamedTable label="Sessions" class="">
                <thead><tr><th scope="col">"Browser"</th><th scope="col">"Since (UTC)"</th><th scope="col">"Last used (UTC)"</th></tr></thead>
                <tbody>{rows}</tbody>
            </NamedTable>
            <ErrorSummary error=everywhere.error()/>
            <PostForm sending=everywhere>
                <button type="submit" class="button">"Sign out everywhere"</button>
            </PostForm>
        </section>
    }
}

fn session_row(session: OwnSession) -> impl IntoView {
    let here = session.current.then(|| view! { " " <span class="tag gold">"this one"</span> });
    view! {
        <tr>
            <th scope="row" class="wrap">{visible(&session.user_agent)} {here}</th>
            <td class="num">{minute(&session.since)}</td>
            <td class="num">{minute(&session.last_seen)}</td>
        </tr>
    }
}
