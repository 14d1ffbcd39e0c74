//! The members of a project, invitations, and how many annotators a conversation wants.

use crate::{
    component::{
        announcer::Heading,
        form::{Choice, ErrorSummary, Field, PostForm, Sending},
        loaded::PageData,
        number::count,
        table::NamedTable,
    },
    origin::public_origin,
    param::project_param,
    rpc::people::{Invite, PeoplePage as Shown, RemoveMember, SetOverlap, SetRole, load_people},
};
use domain::{Member, Role, visible};
use leptos::prelude::*;

/// The people page, for admins.
#[component]
pub(crate) fn PeoplePage() -> impl IntoView {
    let project = project_param();
    let acts = Acts {
        invite: Sending::to::<Invite>(),
        set_role: Sending::to::<SetRole>(),
        remove: Sending::to::<RemoveMember>(),
        set_overlap: Sending::to::<SetOverlap>(),
    };
    let data = PageData::new(move || (project.get(), acts.done()), |(project, _)| load_people(project));
    data.show(move |shown| view! { <People project=project.get_untracked() shown=shown acts=acts/> })
}

/// What an admin may do here.
#[derive(Clone, Copy)]
struct Acts {
    invite: Sending,
    set_role: Sending,
    remove: Sending,
    set_overlap: Sending,
}

impl Acts {
    /// How often something was done.
    fn done(self) -> u32 {
        self.invite.done() + self.set_role.done() + self.remove.done() + self.set_overlap.done()
    }
}

/// The whole page.
#[component]
fn People(
    /// The project.
    project: String,
    /// What there is to show.
    shown: Shown,
    /// What can be done.
    acts: Acts,
) -> impl IntoView {
    let nobody = shown.members.is_empty().then(|| {
        view! { <tr><td colspan="5" class="soft">"Nobody has joined yet: make a link below."</td></tr> }
    });
    let rows = shown
        .members
        .into_iter()
        .map(|member| view! { <MemberRow project=project.clone() member=member acts=acts/> })
        .collect_view();
    view! {
        <div class="page">
            <Heading title="People"/>
            <ErrorSummary error=acts.set_role.error()/>
            <ErrorSummary error=acts.remove.error()/>
            <NamedTable label="Members" caption="Members of the project">
                <thead>
                    <tr>
                        <th scope="col">"Name"</th>
                        <th scope="col">"Account"</th>
                        <th scope="col" class="right">"Submitted"</th>
                        <th scope="col">"Role"</th>
                        <th scope="col">"Remove"</th>
                    </tr>
                </thead>
                <tbody>{nobody} {rows}</tbody>
            </NamedTable>
            <InviteForm project=project.clone() invitation=shown.invitation acts=acts/>
            <OverlapForm project=project overlap=shown.overlap acts=acts/>
        </div>
    }
}

/// The roles, for a choice.
fn roles() -> Vec<(String, String)> {
    Role::ALL.into_iter().map(|role| (role.word().to_owned(), role.word().to_owned())).collect()
}

/// One member with what can be done.
#[component]
fn MemberRow(
    /// The project.
    project: String,
    /// The member.
    member: Member,
    /// What can be done.
    acts: Acts,
) -> impl IntoView {
    let name = visible(&member.name);
    let account = visible(&member.account);
    let disabled = member.disabled.then(|| view! { " " <span class="tag">"disabled"</span> });
    view! {
        <tr>
            <th scope="row">{name} {disabled}</th>
            <td>{account}</td>
            <td class="right num">{count(member.submitted)}</td>
            <td><RoleForm project=project.clone() member=member.clone() act=acts.set_role/></td>
            <td><RemoveForm project=project member=member act=acts.remove/></td>
        </tr>
    }
}

/// Gives a member another role.
#[component]
fn RoleForm(
    /// The project.
    project: String,
    /// The member.
    member: Member,
    /// Does it.
    act: Sending,
) -> impl IntoView {
    let name = visible(&member.name);
    let options = roles()
        .into_iter()
        .map(|(value, text)| {
            let selected = value == member.role.word();
            view! { <option value=value selected=selected>{text}</option> }
        })
        .collect_view();
    view! {
        <PostForm sending=act>
            <div class="row tight">
                <input type="hidden" name="project" value=project/>
                <input type="hidden" name="account" value=member.account/>
                <select name="role" aria-label=format!("Role of {name}")>{options}</select>
                <button type="submit" class="button plain" aria-label=format!("Set the role of {name}")>"Set"</button>
            </div>
        </PostForm>
    }
}

/// Takes a member out of the project.
#[component]
fn RemoveForm(
    /// The project.
    project: String,
    /// The member.
    member: Member,
    /// Does it.
    act: Sending,
) -> impl IntoView {
    let label = format!("Remove {}", visible(&member.name));
    view! {
        <PostForm sending=act>
            <input type="hidden" name="project" value=project/>
            <input type="hidden" name="account" value=member.account/>
            <button type="submit" class="button plain" aria-label=label>"Remove"</button>
        </PostForm>
    }
}

/// Makes a one-time link, and shows it once.
#[component]
fn InviteForm(
    /// The project.
    project: String,
    /// The path of the link that was just made.
    invitation: Option<String>,
    /// What can be done.
    acts: Acts,
) -> impl IntoView {
    let error = acts.invite.error();
    let link = invitation.map(|path| {
        let link = format!("{}{path}", public_origin());
        view! {
            <div class="said" role="status">
                <label for="invitation-link">"One-time link. It is shown only now; give it to one person."</label>
                <input id="invitation-link" readonly value=link/>
            </div>
        }
    });
    view! {
        <section class="part">
            <h2>"Invite"</h2>
            <ErrorSummary error=error/>
            {link}
            <PostForm sending=acts.invite>
                <input type="hidden" name="project" value=project/>
                <div class="controls">
                    <Choice name="role" label="Role" options=roles() chosen="annotator" error=error/>
                    <button type="submit" class="button primary">"Make a link"</button>
                </div>
            </PostForm>
            <p class="note">"Annotators label. Engineers also see agreement and judges. Leads also decide gates. Admins also manage people."</p>
        </section>
    }
}

/// How many annotators each conversation wants.
#[component]
fn OverlapForm(
    /// The project.
    project: String,
    /// As it stands.
    overlap: u32,
    /// What can be done.
    acts: Acts,
) -> impl IntoView {
    let error = acts.set_overlap.error();
    view! {
        <section class="part">
            <h2>"Annotators for each conversation"</h2>
            <ErrorSummary error=error/>
            <PostForm sending=acts.set_overlap>
                <input type="hidden" name="project" value=project/>
                <div class="controls">
                    <Field name="overlap" label="Overlap" kind="number" value=overlap.to_string() hint="Two or more show how far people agree." error=error/>
                    <button type="submit" class="button">"Set"</button>
                </div>
            </PostForm>
        </section>
    }
}
