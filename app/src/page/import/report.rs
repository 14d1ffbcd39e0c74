//! What was understood of a file, as markup.

use crate::component::{
    number::{count, counted},
    reading::Reading,
    table::NamedTable,
    text::Text,
};
use domain::{FieldUse, ImportReport, Redacted, Taken, visible};
use leptos::prelude::*;

/// Most rows of a list that are shown.
const MOST_ROWS: usize = 100;

/// What was understood of a file, or came in.
#[component]
pub(crate) fn Understood(
    /// The report.
    report: ImportReport,
) -> impl IntoView {
    let taken =
        [("conversations", report.conversations), ("labels", report.labels), ("verdicts", report.verdicts)];
    let rows = taken.into_iter().map(|(what, taken)| row(what, taken)).collect_view();
    let read_as = format!("Read as {}: {}.", report.from, counted(report.records, "record"));
    let facts = facts(&report);
    let redacted = redacted(&report.redacted);
    let left_out = fields("left-out", "Left out", &report.left_out);
    let read = fields("read", "Read", &report.read);
    let refused = refused(&report);
    let first = report.first.map(|conversation| {
        let question = conversation.question().to_owned();
        view! {
            <details>
                <summary>{format!("The first conversation: {}", visible(&conversation.id))}</summary>
                <div class="reading">
                    <section class="step" aria-label="Question"><Text text=question/></section>
                    <Reading conversation=conversation fault=None/>
                </div>
            </details>
        }
    });
    view! {
        <p>{read_as}</p>
        <NamedTable label="What the file holds" caption="What the file holds">
            <thead>
                <tr>
                    <th scope="col">"What"</th>
                    <th scope="col" class="right">"New"</th>
                    <th scope="col" class="right">"There already"</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </NamedTable>
        <p class="note">{facts}</p>
        {redacted.map(|says| view! { <p>{says}</p> })}
        {refused}
        {left_out}
        {read}
        {first}
    }
}

fn row(what: &'static str, taken: Taken) -> impl IntoView {
    view! {
        <tr>
            <th scope="row">{what}</th>
            <td class="right num">{count(taken.new)}</td>
            <td class="right num">{count(taken.unchanged)}</td>
        </tr>
    }
}

fn facts(report: &ImportReport) -> String {
    let mut facts = vec![counted(report.passages, "passage"), counted(report.tool_calls, "tool call")];
    for (number, says) in [
        (report.unanswered, "conversations that nobody answered"),
        (report.missing, "labels without a value, which are not stored"),
        (report.failures, "instrument failures among the verdicts"),
    ] {
        if number > 0 {
            facts.push(format!("{} {says}", count(number)));
        }
    }
    format!("{}.", facts.join(", "))
}

fn redacted(redacted: &[Redacted]) -> Option<String> {
    let rules: Vec<String> = redacted
        .iter()
        .map(|Redacted { rule, values, places }| {
            format!("{rule}: {} in {}", counted(*values, "value"), counted(*places, "place"))
        })
        .collect();
    (!rules.is_empty()).then(|| format!("Taken out: {}.", rules.join("; ")))
}

fn refused(report: &ImportReport) -> Option<impl IntoView + use<>> {
    let listed = report.faults.iter().take(MOST_ROWS).map(|fault| view! { <li>{fault.to_string()}</li> });
    let listed = listed.collect_view();
    let says = format!(
        "{} refused; nothing is stored unless the good rows are taken.",
        counted(report.refused, "row")
    );
    (report.refused > 0).then(|| view! { <p class="bad">{says}</p> <ul>{listed}</ul> })
}

fn fields(id: &'static str, heading: &'static str, fields: &[FieldUse]) -> Option<impl IntoView + use<>> {
    if fields.is_empty() {
        return None;
    }
    let more = fields.len().saturating_sub(MOST_ROWS);
    let rows = fields
        .iter()
        .take(MOST_ROWS)
        .map(|FieldUse { field, what, count: times }| {
            view! {
                <tr>
                    <th scope="row" class="wrap">{visible(field)}</th>
                    <td class="wrap">{visible(what)}</td>
                    <td class="right num">{count(*times)}</td>
                </tr>
            }
        })
        .collect_view();
    let what = if id == "read" { "What it became" } else { "Why" };
    Some(view! {
        <h3 id=id>{heading}</h3>
        <NamedTable label=heading caption=heading>
            <thead>
                <tr>
                    <th scope="col">"Field"</th>
                    <th scope="col">{what}</th>
                    <th scope="col" class="right">"Times"</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </NamedTable>
        {(more > 0).then(|| view! { <p class="note">{format!("and {} more", count(more as u64))}</p> })}
    })
}
