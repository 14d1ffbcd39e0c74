//! The ledger of verdicts that are no value, each with its raw text.

use crate::{
    address::{encoded, of_project, with_query},
    component::{announcer::Heading, loaded::PageData, number::counted},
    param::{project_param, query_param},
    rpc::comparison::{LedgerPage, load_ledger},
};
use domain::{LedgerEntry, visible};
use leptos::prelude::*;

/// The ledger of a judge on a criterion, or of all.
#[component]
pub(crate) fn FailuresPage() -> impl IntoView {
    let (project, judge, criterion) = (project_param(), query_param("judge"), query_param("criterion"));
    let data = PageData::new(
        move || (project.get(), judge.get(), criterion.get()),
        |(project, judge, criterion)| load_ledger(project, judge, criterion),
    );
    data.show(move |LedgerPage { entries, total }| {
        let project = project.get_untracked();
        let chosen =
            [judge.get_untracked(), criterion.get_untracked()].map(|text| text.map(|text| visible(&text)));
        let of = match &chosen {
            [Some(judge), Some(criterion)] => format!("{judge} on {criterion}"),
            [Some(only), None] | [None, Some(only)] => only.clone(),
            [None, None] => "all judges".to_owned(),
        };
        let back = with_query(
            &of_project(&project, "compare"),
            &[("criterion", criterion.get_untracked().as_deref().unwrap_or_default())],
        );
        let cut = ((entries.len() as u64) < total)
            .then(|| view! { <p class="note">{format!("The first {} are listed.", entries.len())}</p> });
        let cards = entries
            .into_iter()
            .map(|entry| view! { <Entry project=project.clone() entry=entry/> })
            .collect_view();
        view! {
            <div class="page narrow">
                <div class="head">
                    <div>
                        <a class="crumb" href=back>"← Compare"</a>
                        <Heading title="Instrument failures"/>
                        <p>{format!("{}, {of}. None of them counts as a label, as zero or as agreement.", counted(total, "verdict"))}</p>
                    </div>
                </div>
                {cut}
                <ul class="plain ledger">{cards}</ul>
            </div>
        }
    })
}

/// One verdict that is no value.
#[component]
fn Entry(
    /// The project.
    project: String,
    /// The verdict.
    entry: LedgerEntry,
) -> impl IntoView {
    let href = of_project(&project, &format!("conversation/{}", encoded(&entry.conversation)));
    let raw = visible(&entry.raw);
    let raw = if raw.is_empty() { "(the source gave no text)".to_owned() } else { raw };
    view! {
        <li class="card ledger-entry">
            <p class="row">
                <span class="tag">{entry.kind.to_string()}</span>
                <a href=href>{visible(&entry.conversation)}</a>
                <span class="soft small">{format!("{} · {} · {} · repeat {}", visible(&entry.unit), visible(&entry.criterion), visible(&entry.judge), entry.repeat)}</span>
            </p>
            <p>{visible(&entry.says)}</p>
            <details>
                <summary>"Raw text"</summary>
                <pre class="call" dir="auto">{raw}</pre>
            </details>
        </li>
    }
}
