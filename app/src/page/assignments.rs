//! Who labels what: batches, rules, and how far and how fast people are.

use crate::{
    address::{of_project, with_query},
    component::{
        announcer::Heading,
        form::{Choice, ErrorSummary, Field, PostForm, Sending},
        loaded::PageData,
        number::{count, fixed},
        table::NamedTable,
    },
    param::project_param,
    rpc::assign::{
        Assign, AssignmentsPage as Shown, CloseBatch, JoinBatch, LeaveBatch, SetLabellingRules,
        load_assignments,
    },
};
use domain::{BatchMember, BatchProgress, LabellingRules, PersonPace, visible};
use leptos::prelude::*;

/// The assignments page, for leads.
#[component]
pub(crate) fn AssignmentsPage() -> impl IntoView {
    let project = project_param();
    let acts = Acts {
        assign: Sending::to::<Assign>(),
        join: Sending::to::<JoinBatch>(),
        leave: Sending::to::<LeaveBatch>(),
        close: Sending::to::<CloseBatch>(),
        set_rules: Sending::to::<SetLabellingRules>(),
    };
    let data = PageData::new(move || (project.get(), acts.done()), |(project, _)| load_assignments(project));
    data.show(move |shown| view! { <Assignments project=project.get_untracked() shown=shown acts=acts/> })
}

/// What a lead may do here.
#[derive(Clone, Copy)]
struct Acts {
    assign: Sending,
    join: Sending,
    leave: Sending,
    close: Sending,
    set_rules: Sending,
}

impl Acts {
    /// How often something was done.
    fn done(self) -> u32 {
        self.assign.done() + self.join.done() + self.leave.done() + self.close.done() + self.set_rules.done()
    }
}

/// The whole page.
#[component]
fn Assignments(
    /// The project.
    project: String,
    /// What there is to show.
    shown: Shown,
    /// What can be done.
    acts: Acts,
) -> impl IntoView {
    let Shown { rules, batches, people, accounts } = shown;
    let overlap = rules.overlap;
    let none = batches.is_empty().then(|| {
        view! {
            <p class="soft">
                {format!("There are no batches: every annotator is given every conversation until it has {overlap}. From the first batch on, people are given what their batches hold, and nothing else.")}
            </p>
        }
    });
    let listed = batches
        .into_iter()
        .map(|batch| view! { <Batch project=project.clone() batch=batch acts=acts/> })
        .collect_view();
    view! {
        <div class="page">
            <Heading title="Assignments"/>
            <People project=project.clone() people=people/>
            <section class="part" aria-labelledby="batches">
                <h2 id="batches">"Batches"</h2>
                <ErrorSummary error=acts.join.error()/>
                <ErrorSummary error=acts.leave.error()/>
                <ErrorSummary error=acts.close.error()/>
                {none}
                {listed}
            </section>
            <NewBatch project=project.clone() accounts=accounts acts=acts/>
            <Rules project=project rules=rules acts=acts/>
        </div>
    }
}

/// How far and how fast people are.
#[component]
fn People(
    /// The project.
    project: String,
    /// The people.
    people: Vec<PersonPace>,
) -> impl IntoView {
    if people.is_empty() {
        return view! { <p class="soft">"Nobody has had a conversation on the desk yet."</p> }.into_any();
    }
    let severity = with_query(&of_project(&project, "agreement"), &[("by", "annotator")]);
    let rows = people
        .into_iter()
        .map(|person| {
            let pace = person.labels_per_hour();
            view! {
                <tr>
                    <th scope="row">{visible(&person.name)}</th>
                    <td class="right num">{count(person.submitted)}</td>
                    <td class="right num">{count(person.skipped)}</td>
                    <td class="right num">{count(person.open)}</td>
                    <td class="right num">{pace.map_or_else(|| "–".to_owned(), |pace| fixed(pace, 0))}</td>
                    <td class="right num">{fixed(person.active_seconds / 3_600.0, 1)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <NamedTable label="Progress and pace" caption="How far and how fast each annotator is">
            <thead>
                <tr>
                    <th scope="col">"Annotator"</th>
                    <th scope="col" class="right">"Submitted"</th>
                    <th scope="col" class="right">"Skipped"</th>
                    <th scope="col" class="right">"On the desk"</th>
                    <th scope="col" class="right">"Labels an hour"</th>
                    <th scope="col" class="right">"Active hours"</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </NamedTable>
        <p class="note">
            "Time counts while somebody is active at the page, and leaves out what is sealed to you. "
            <a href=severity>"Who is severe, and how well people agree with themselves"</a>
        </p>
    }
    .into_any()
}

/// One batch with its people.
#[component]
fn Batch(
    /// The project.
    project: String,
    /// The batch.
    batch: BatchProgress,
    /// What can be done.
    acts: Acts,
) -> impl IntoView {
    let name = visible(&batch.name);
    let what =
        batch.anchor_set.as_ref().map(|set| format!("Qualification against {set}. ")).unwrap_or_default();
    let progress = format!(
        "{what}{} of {} conversations have {} annotators.",
        count(batch.complete),
        count(batch.conversations),
        batch.overlap
    );
    let closed = batch.closed.then(|| view! { " " <span class="tag">"closed"</span> });
    let change = (!batch.closed)
        .then(|| view! { <ChangeBatch project=project.clone() batch=batch.name.clone() acts=acts/> });
    let (conversations, named) = (batch.conversations, batch.name);
    let rows = batch
        .people
        .into_iter()
        .map(|person| {
            view! {
                <MemberRow
                    project=project.clone()
                    batch=named.clone()
                    person=person
                    conversations=conversations
                    acts=acts
                />
            }
        })
        .collect_view();
    view! {
        <h3>{name.clone()} {closed}</h3>
        <p>{progress}</p>
        <NamedTable label=format!("People of {name}") caption=format!("How far the people of {name} are")>
            <thead>
                <tr>
                    <th scope="col">"Annotator"</th>
                    <th scope="col" class="right">"Submitted"</th>
                    <th scope="col">"Change"</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </NamedTable>
        {change}
    }
}

/// One of the people of a batch.
#[component]
fn MemberRow(
    /// The project.
    project: String,
    /// Name of the batch.
    batch: String,
    /// The person.
    person: BatchMember,
    /// How many conversations the batch has.
    conversations: u64,
    /// What can be done.
    acts: Acts,
) -> impl IntoView {
    let who = visible(&person.name);
    let out = person.left.then(|| view! { " " <span class="tag">"taken out"</span> });
    let (act, says) = if person.left { (acts.join, "Take in again") } else { (acts.leave, "Take out") };
    let label = format!("{says}: {who} ({})", visible(&batch));
    let submitted = format!("{} of {}", count(person.submitted), count(conversations));
    view! {
        <tr>
            <th scope="row">{who} {out}</th>
            <td class="right num">{submitted}</td>
            <td>
                <PostForm sending=act>
                    <input type="hidden" name="project" value=project/>
                    <input type="hidden" name="batch" value=batch/>
                    <input type="hidden" name="account" value=person.account/>
                    <button type="submit" class="button plain" aria-label=label>{says}</button>
                </PostForm>
            </td>
        </tr>
    }
}

/// Takes somebody in, or closes the batch.
#[component]
fn ChangeBatch(
    /// The project.
    project: String,
    /// Name of the batch.
    batch: String,
    /// What can be done.
    acts: Acts,
) -> impl IntoView {
    let name = visible(&batch);
    let (project_too, batch_too) = (project.clone(), batch.clone());
    let (account, take_in) = (format!("Account to take into {name}"), format!("Take in ({name})"));
    view! {
        <div class="row">
            <PostForm sending=acts.join>
                <div class="row tight">
                    <input type="hidden" name="project" value=project/>
                    <input type="hidden" name="batch" value=batch/>
                    <input name="account" required=true aria-label=account placeholder="account"/>
                    <button type="submit" class="button" aria-label=take_in>"Take in"</button>
                </div>
            </PostForm>
            <PostForm sending=acts.close>
                <input type="hidden" name="project" value=project_too/>
                <input type="hidden" name="batch" value=batch_too/>
                <button type="submit" class="button plain" aria-label=format!("Close {name}")>"Close"</button>
            </PostForm>
        </div>
    }
}

/// Makes a batch.
#[component]
fn NewBatch(
    /// The project.
    project: String,
    /// The accounts of the members.
    accounts: Vec<String>,
    /// What can be done.
    acts: Acts,
) -> impl IntoView {
    let error = acts.assign.error();
    let option = |value: &str, text: &str| (value.to_owned(), text.to_owned());
    let options = vec![
        option("category", "so many of each category"),
        option("corpus", "so many of each corpus"),
        option("language", "so many of each language"),
        option("system", "so many of each system"),
        option("rest", "all that are in no batch"),
        option("list", "a list of conversations"),
        option("anchor_set", "an anchor set, to qualify"),
    ];
    view! {
        <section class="part" aria-labelledby="new-batch">
            <h2 id="new-batch">"New batch"</h2>
            <ErrorSummary error=error/>
            <PostForm sending=acts.assign>
                <input type="hidden" name="project" value=project/>
                <div class="controls">
                    <Field name="name" label="Name" error=error/>
                    <Field name="people" label="People" value=accounts.join(", ") hint="Accounts, separated by commas." error=error/>
                    <Field name="annotators" label="Annotators for each conversation" kind="number" optional=true hint="Empty: all of the people." error=error/>
                </div>
                <div class="controls">
                    <Choice name="how" label="Conversations" options=options chosen="category" error=error/>
                    <Field name="each" label="Of each" kind="number" value="10" optional=true error=error/>
                    <Field name="conversations" label="List" optional=true hint="Ids, separated by commas." error=error/>
                    <Field name="anchor_set" label="Anchor set" optional=true hint="NAME@VERSION" error=error/>
                    <Field name="seed" label="Seed" kind="number" value="1" error=error/>
                    <button type="submit" class="button primary">"Assign"</button>
                </div>
            </PostForm>
            <p class="note">"What is in a batch is not drawn again. Each person has an own order, which the seed and the account decide; whoever stops early has labelled a random sample."</p>
        </section>
    }
}

/// How conversations are given out.
#[component]
fn Rules(
    /// The project.
    project: String,
    /// As they stand.
    rules: LabellingRules,
    /// What can be done.
    acts: Acts,
) -> impl IntoView {
    let error = acts.set_rules.error();
    let text = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
    let yes_no = vec![("no".to_owned(), "no".to_owned()), ("yes".to_owned(), "yes".to_owned())];
    view! {
        <section class="part" aria-labelledby="rules">
            <h2 id="rules">"Rules"</h2>
            <ErrorSummary error=error/>
            <PostForm sending=acts.set_rules>
                <input type="hidden" name="project" value=project/>
                <div class="controls">
                    <Field name="overlap" label="Annotators for each conversation" kind="number" value=rules.overlap.to_string() hint="Where no batch says otherwise." error=error/>
                    <Field name="reservation_hours" label="Hours that a place is kept" kind="number" value=rules.reservation_hours.to_string() hint="Then somebody else may have it; drafts stay." error=error/>
                    <Field name="order_seed" label="Seed of the order" kind="number" value=text(rules.order_seed) optional=true hint="Empty: the order of import for all." error=error/>
                    <Field name="repeat_every" label="Repeat one after" kind="number" value=text(rules.repeat_every) optional=true hint="Conversations; empty: never. Repeats are not marked." error=error/>
                    <Choice name="shows_others" label="Show others' labels after submission" options=yes_no chosen=if rules.shows_others { "yes" } else { "no" } error=error/>
                    <button type="submit" class="button">"Set"</button>
                </div>
            </PostForm>
        </section>
    }
}
