//! API tokens: those that there are, and a new one, which is shown once.

use crate::component::{
    form::{Choice, ErrorSummary, Field, PostForm, Sending},
    number::minute,
    table::NamedTable,
};
use domain::{ApiTokenEntry, Scope, visible};
use leptos::prelude::*;

/// What can be done with tokens.
#[derive(Clone, Copy)]
pub(super) struct TokenActs {
    pub(super) create: Sending,
    pub(super) revoke: Sending,
}

impl TokenActs {
    /// How often something was done.
    pub(super) fn done(self) -> u32 {
        self.create.done() + self.revoke.done()
    }
}

/// The tokens of the account.
#[component]
pub(super) fn Tokens(
    /// Those that were not revoked.
    tokens: Vec<ApiTokenEntry>,
    /// The one that was just made.
    new_token: Option<String>,
    /// The projects that one can be for.
    projects: Vec<String>,
    /// What can be done.
    acts: TokenActs,
) -> impl IntoView {
    let new_token = new_token.map(|token| {
        view! {
            <div class="said" role="status">
                <label for="new-token">"Your token. It is shown only now: keep it where programs keep secrets."</label>
                <input id="new-token" readonly value=token/>
            </div>
        }
    });
    let none = tokens.is_empty().then(|| view! { <tr><td colspan="6" class="soft">"None yet."</td></tr> });
    let rows = tokens.into_iter().map(|token| row(token, acts.revoke)).collect_view();
    view! {
        <section class="part">
            <h2>"API tokens"</h2>
            <p class="note">"A token lets a program in, in your name: never for more than you may do yourself, and only for what it says."</p>
            {new_token}
            <ErrorSummary error=acts.revoke.error()/>
            <NamedTable label="API tokens" class="">
                <thead>
                    <tr>
                        <th scope="col">"Token"</th>
                        <th scope="col">"Project"</th>
                        <th scope="col">"For"</th>
                        <th scope="col">"Expires (UTC)"</th>
                        <th scope="col">"Last used (UTC)"</th>
                        <th scope="col">"Revoke"</th>
                    </tr>
                </thead>
                <tbody>{none} {rows}</tbody>
            </NamedTable>
            <NewToken projects=projects create=acts.create/>
        </section>
    }
}

fn row(token: ApiTokenEntry, revoke: Sending) -> impl IntoView {
    let name = visible(&token.name);
    let label = format!("Revoke {name}");
    let scopes: Vec<&str> = token.scopes.iter().map(|scope| scope.word()).collect();
    let used = token.last_used.map_or_else(|| "never".to_owned(), |last| minute(&last));
    view! {
        <tr>
            <th scope="row" class="wrap">{name} " " <span class="soft">{format!("ts_{}…", token.prefix)}</span></th>
            <td>{token.project.map_or_else(|| "all of yours".to_owned(), |project| visible(&project))}</td>
            <td>{scopes.join(", ")}</td>
            <td class="num">{minute(&token.expires)}</td>
            <td class="num">{used}</td>
            <td>
                <PostForm sending=revoke>
                    <input type="hidden" name="prefix" value=token.prefix/>
                    <button type="submit" class="button plain" aria-label=label>"Revoke"</button>
                </PostForm>
            </td>
        </tr>
    }
}

/// The form for a new token.
#[component]
fn NewToken(
    /// The projects that it can be for.
    projects: Vec<String>,
    /// Makes it.
    create: Sending,
) -> impl IntoView {
    let error = create.error();
    let mut options = vec![(String::new(), "All of yours".to_owned())];
    options.extend(projects.into_iter().map(|project| (project.clone(), visible(&project))));
    let boxes = Scope::ALL.into_iter().map(scope_box).collect_view();
    view! {
        <h3>"New token"</h3>
        <ErrorSummary error=error/>
        <PostForm sending=create>
            <div class="fields">
                <Field name="name" label="What it is for" hint="Such as: nightly gate." error=error/>
                <Choice name="project" label="Project" options=options error=error/>
                <fieldset id="field-scopes" class="field">
                    <legend>"What it may be used for"</legend>
                    {boxes}
                </fieldset>
                <Field name="days" label="Days until it expires" kind="number" value="90" hint="366 at most." error=error/>
                <div><button type="submit" class="button primary">"Make a token"</button></div>
            </div>
        </PostForm>
    }
}

fn scope_box(scope: Scope) -> impl IntoView {
    let says = match scope {
        Scope::Read => "Read reports, judges, anchor sets and decisions",
        Scope::Gate => "Decide gates",
        Scope::Judge => "Run judges, which costs money",
        Scope::Score => "Send production scores, and ask the inline gate",
        Scope::Import => "Import files",
    };
    let checked = scope == Scope::Read;
    view! { <label><input type="checkbox" name=scope.word() value="on" checked=checked/> " " {says}</label> }
}
