//! What the adjudication page shows, as the server makes it.

use crate::{
    address::{encoded, of_project},
    component::{
        markup::Markup,
        number::{counted, level, minute},
        reading::{Reading, places, unit_name},
        text::Text,
    },
    door::{self, Pass},
    error::AppError,
    page::gate::log::rfc3339,
    rpc::adjudicate::{AdjudicationPage, Case},
};
use domain::{
    AdjudicationCase, AnonymousLabel, ContentHash, DecidedBefore, GuidelineGap, Item, NewDecision,
    QueueOrder, Scale, visible,
};
use leptos::prelude::*;
use service::AdjudicationQuery;

/// Which item is asked for.
pub(crate) struct Asked {
    query: AdjudicationQuery,
    place: usize,
}

impl Asked {
    /// Reads what an address says.
    pub(crate) fn parse(
        order: Option<String>,
        judge: Option<String>,
        place: Option<String>,
    ) -> Result<Asked, AppError> {
        let order = match order {
            None => QueueOrder::default(),
            Some(order) => order.parse().map_err(|reason| invalid("order", reason))?,
        };
        let number = "a place is a number from 0 on".to_owned();
        let place = place.map_or(Ok(0), |place| place.parse().map_err(|_| invalid("place", number)))?;
        let judge = judge.filter(|judge| !judge.is_empty());
        Ok(Asked { query: AdjudicationQuery { order, judge }, place })
    }
}

/// The page for whoever passed. Past the end of the queue stands its last item.
pub(crate) async fn page(project: &str, pass: &Pass, asked: Asked) -> Result<AdjudicationPage, AppError> {
    let service = door::service()?;
    let queue =
        service.adjudication_queue(pass.project, &asked.query, pass.viewer()).await.map_err(door::refused)?;
    let place = asked.place.min(queue.items.len().saturating_sub(1));
    let case = match queue.items.get(place) {
        None => None,
        Some(contested) => {
            let found = service.adjudication_case(pass.project, &contested.item, pass.viewer()).await;
            Some(case(found.map_err(door::refused)?))
        }
    };
    let gaps = service.guideline_gaps(pass.project, pass.viewer()).await.map_err(door::refused)?;
    let gaps = Markup::of_part(view! { <Gaps project=project.to_owned() gaps=gaps/> });
    Ok(AdjudicationPage {
        order: asked.query.order,
        judge: asked.query.judge.unwrap_or_default(),
        judges: service.judges(pass.project).await.map_err(door::refused)?,
        waiting: queue.items.len() as u64,
        place: place as u64,
        on_desks: queue.on_desks,
        decided: queue.decided,
        case,
        gaps,
    })
}

fn case(case: AdjudicationCase) -> Case {
    let AdjudicationCase { item, conversation, criterion, scale, rubric_version, labels, before, seen } =
        case;
    let unit = unit_name(&conversation, &item.unit);
    let said = view! {
        <p class="unit-name">{unit}" · "{visible(&criterion.id)}</p>
        <h2 class="question" dir="auto">{visible(&criterion.question)}</h2>
        {(!criterion.guideline.is_empty()).then(|| view! {
            <details>
                <summary>"Guideline"</summary>
                <p class="text" dir="auto">{visible(&criterion.guideline)}</p>
            </details>
        })}
        <h3>"What people said"</h3>
        <ul class="plain said">{labels.into_iter().map(|label| said_view(label, &scale)).collect_view()}</ul>
        {before.map(|before| before_view(before, &scale))}
    };
    let said = Markup::of_part(said);
    let places = places(&conversation, &item.unit);
    let reading = Markup::of_part(view! {
        <section class="step" aria-labelledby="asked">
            <h2 id="asked">"Question"</h2>
            <Text text=conversation.question().to_owned()/>
        </section>
        <Reading conversation=conversation/>
    });
    Case { item, places, reading, said, scale, rubric_version, seen: seen.0 }
}

fn said_view(label: AnonymousLabel, scale: &Scale) -> impl IntoView + use<> {
    let value = value_in_words(scale, label.value);
    view! {
        <li>
            <strong class="letter">{label.letter}</strong>
            " "{value}" "
            {label.flag.then(|| view! { <span class="tag gold">"flagged"</span> })}
            {label.comment.map(|comment| view! { <p class="remark" dir="auto">{visible(&comment)}</p> })}
        </li>
    }
}

/// The value with the name of its level: `3 · rather yes`.
fn value_in_words(scale: &Scale, value: f64) -> String {
    match scale.level(value) {
        Some(found) => format!("{} · {}", level(value), visible(&found.name)),
        None => level(value),
    }
}

fn before_view(before: DecidedBefore, scale: &Scale) -> impl IntoView + use<> {
    let DecidedBefore { value, decided, stale } = before;
    let why = if stale { " A label has changed since, so that it stands no longer." } else { "" };
    let says = format!(
        "Decided before: {}, by {}, {} UTC. {}.{why}",
        value_in_words(scale, value),
        visible(&decided.by),
        minute(&rfc3339(&decided.at)),
        decided.reason.says()
    );
    view! {
        <p class="small">{says}</p>
        {(!decided.note.is_empty()).then(|| view! { <p class="remark" dir="auto">{visible(&decided.note)}</p> })}
    }
}

/// What the guideline does not say, for whoever writes the next rubric version.
#[component]
fn Gaps(
    /// The project.
    project: String,
    /// The gaps.
    gaps: Vec<GuidelineGap>,
) -> impl IntoView {
    let sections = gaps
        .into_iter()
        .map(|gap| {
            let title = format!("{} ({})", visible(&gap.criterion), visible(&gap.rubric));
            let count = counted(gap.items.len() as u64, "item");
            let items = gap.items.into_iter().map(|(item, note)| {
                let page = format!("conversation/{}", encoded(&item.conversation));
                let href = of_project(&project, &page);
                let note = if note.is_empty() { String::new() } else { format!(": {}", visible(&note)) };
                let unit = item.unit.to_string();
                view! { <li><a href=href>{visible(&item.conversation)}</a>" "<span class="soft">{visible(&unit)}</span><span dir="auto">{note}</span></li> }
            });
            view! {
                <h3>{title}</h3>
                <p>{format!("{count} to label again under the next rubric version.")}</p>
                <ul>{items.collect_view()}</ul>
            }
        })
        .collect::<Vec<_>>();
    (!sections.is_empty()).then(|| {
        view! {
            <section class="part" aria-labelledby="gaps">
                <h2 id="gaps">"Gaps in the guideline"</h2>
                {sections}
            </section>
        }
    })
}

/// A decision as a form says it.
pub(crate) fn decision(
    item: &str,
    value: &str,
    reason: &str,
    note: String,
    rubric_version: u32,
    seen: String,
) -> Result<NewDecision, AppError> {
    let item: Item = serde_json::from_str(item).map_err(|error| invalid("item", error.to_string()))?;
    let chosen = value.trim().parse().map_err(|_| {
        let says = if value.trim().is_empty() {
            "Choose the agreed value."
        } else {
            "The agreed value is no number."
        };
        invalid("value", says.to_owned())
    });
    let reason = match reason {
        "" => Err(invalid("reason", "Choose why people did not agree.".to_owned())),
        word => word.parse().map_err(|says| invalid("reason", says)),
    };
    let note = note.trim().replace("\r\n", "\n");
    Ok(NewDecision { item, value: chosen?, reason: reason?, note, rubric_version, seen: ContentHash(seen) })
}

fn invalid(field: &str, reason: String) -> AppError {
    AppError::Invalid { field: field.to_owned(), reason }
}
