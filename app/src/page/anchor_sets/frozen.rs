//! One frozen set as markup.

use crate::{
    address::{encoded, of_project},
    component::{
        number::{count, counted},
        table::NamedTable,
    },
};
use domain::{AnchorItem, AnchorReview, AnchorSetDifference, ReviewReason, Split, visible};
use leptos::prelude::*;
use service::AnchorSetEntry;
use std::collections::BTreeMap;

/// Items of a list, at most.
const SHOWN: usize = 200;

/// What is shown of a set.
pub(crate) struct Shown {
    /// The set.
    pub(crate) entry: AnchorSetEntry,
    /// Its items that are not sealed.
    pub(crate) items: Vec<AnchorItem>,
    /// What to look at again; none while a conversation of it is sealed to the visitor.
    pub(crate) review: Option<AnchorReview>,
    /// What it changed; none for a first version, and while it is sealed.
    pub(crate) difference: Option<AnchorSetDifference>,
    /// The documents that changed, as the form has them.
    pub(crate) documents: String,
}

/// The set: facts, file, strata, items to look at again, and what it changed.
#[component]
pub(crate) fn Frozen(
    /// The project.
    project: String,
    /// What is shown.
    shown: Shown,
) -> impl IntoView {
    let Shown { entry, items, review, difference, documents } = shown;
    let name = format!("{}@{}", entry.name, entry.version);
    let path = of_project(&project, &format!("anchor-sets/{}", encoded(&name)));
    let said = |text: Option<String>| text.map_or_else(|| "nobody".to_owned(), |text| visible(&text));
    let expires = entry
        .expires
        .map_or_else(|| "does not expire".to_owned(), |day| format!("expires {}", visible(&day)));
    let facts = format!(
        "{} to tune, {} to confirm. Kept by {}; {expires}.",
        count(entry.tune),
        count(entry.confirm),
        said(entry.owner)
    );
    let closed = review.is_none().then(|| {
        view! { <p class="note">"You are labelling a conversation of this set: its file and what would tell of its references open when you have submitted it."</p> }
    });
    view! {
        <h1 tabindex="-1">{visible(&name)}</h1>
        <p>{facts}</p>
        <p>"Hash " <code>{entry.hash.0.clone()}</code></p>
        {closed}
        <p><a class="button" href=format!("{path}/file") rel="external" download>"Export the file"</a></p>
        <Strata items=&items/>
        {review.map(|review| view! { <Review project=project.clone() path=path review=review documents=documents/> })}
        {difference.map(|difference| view! { <Difference difference=difference/> })}
        <Tune project=project items=items/>
    }
}

/// How many items of each stratum, by split.
#[component]
fn Strata<'a>(
    /// The items.
    items: &'a [AnchorItem],
) -> impl IntoView + use<> {
    let mut strata: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    for item in items {
        strata.entry(&item.stratum).or_default()[usize::from(item.split == Split::Confirm)] += 1;
    }
    let rows = strata
        .into_iter()
        .map(|(stratum, [tune, confirm])| {
            view! {
                <tr>
                    <th scope="row">{visible(stratum)}</th>
                    <td class="num">{count(tune)}</td>
                    <td class="num">{count(confirm)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="part">
            <h2>"Strata"</h2>
            <NamedTable label="Strata">
                <thead>
                    <tr>
                        <th scope="col">"Criterion · category · level"</th>
                        <th scope="col">"Tune"</th>
                        <th scope="col">"Confirm"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </NamedTable>
        </section>
    }
}

/// What to look at again.
#[component]
fn Review(
    /// The project.
    project: String,
    /// Address of the set.
    path: String,
    /// The list.
    review: AnchorReview,
    /// The documents that changed.
    documents: String,
) -> impl IntoView {
    let rows = review
        .items
        .iter()
        .take(SHOWN)
        .map(|item| {
            let reasons: Vec<String> = item.reasons.iter().map(reason).collect();
            let href = of_project(&project, &format!("conversation/{}", encoded(&item.conversation)));
            view! {
                <li>
                    <a href=href>{visible(&item.conversation)}</a> " " {visible(&item.unit.to_string())} " · "
                    {visible(&item.criterion)} ": " {reasons.join(", ")}
                </li>
            }
        })
        .collect_view();
    let expired = review
        .expired
        .then(|| view! { <p class="wrong">"The set has expired: all of it is to be looked at again."</p> });
    view! {
        <section class="part" aria-labelledby="review">
            <h2 id="review">"To look at again"</h2>
            <form method="get" action=path class="row">
                <label for="field-documents">"Documents that changed"</label>
                <input id="field-documents" name="documents" value=documents/>
                <button type="submit" class="button">"List"</button>
            </form>
            {expired}
            <p class="note">{counted(review.items.len() as u64, "item")}</p>
            <ul class="plain">{rows}</ul>
        </section>
    }
}

fn reason(reason: &ReviewReason) -> String {
    match reason {
        ReviewReason::Document { document } => format!("cites {}", visible(document)),
        ReviewReason::Expired { on, owner: None } => format!("expired on {}", visible(on)),
        ReviewReason::Expired { on, owner: Some(owner) } => {
            format!("expired on {}, kept by {}", visible(on), visible(owner))
        }
    }
}

/// What this version changed.
#[component]
fn Difference(
    /// What.
    difference: AnchorSetDifference,
) -> impl IntoView {
    let changed = difference
        .changed
        .iter()
        .take(SHOWN)
        .map(|item| view! { <li>{visible(&item.item)} ": " {item.before.to_string()} " → " {item.after.to_string()}</li> })
        .collect_view();
    let mut facts = vec![
        format!("{} added", count(difference.added.len() as u64)),
        format!("{} removed", count(difference.removed.len() as u64)),
        format!("{} with another reference", count(difference.changed.len() as u64)),
        format!("{} in the other split", count(difference.moved.len() as u64)),
        format!("{} rewritten", count(difference.rewritten.len() as u64)),
    ];
    if difference.rubric_changed {
        facts.push("another rubric".to_owned());
    }
    view! {
        <section class="part">
            <h2>"Since the version before"</h2>
            <p>{facts.join(" · ")}</p>
            <ul class="plain">{changed}</ul>
        </section>
    }
}

/// The items to work with. Those of `confirm` are not listed: whoever reads them one by one has looked.
#[component]
fn Tune(
    /// The project.
    project: String,
    /// The items.
    items: Vec<AnchorItem>,
) -> impl IntoView {
    let tune = items.iter().filter(|item| item.split == Split::Tune);
    let rows = tune
        .take(SHOWN)
        .map(|item| {
            let href = of_project(&project, &format!("conversation/{}", encoded(&item.conversation)));
            view! {
                <tr>
                    <th scope="row"><a href=href>{visible(&item.conversation)}</a></th>
                    <td>{visible(&item.unit.to_string())}</td>
                    <td>{visible(&item.criterion)}</td>
                    <td class="num">{item.reference.to_string()}</td>
                    <td>{item.provenance.word()}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="part">
            <h2>"Items of tune"</h2>
            <NamedTable label="Items of tune">
                <thead>
                    <tr>
                        <th scope="col">"Conversation"</th>
                        <th scope="col">"Unit"</th>
                        <th scope="col">"Criterion"</th>
                        <th scope="col">"Reference"</th>
                        <th scope="col">"How"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </NamedTable>
        </section>
    }
}
