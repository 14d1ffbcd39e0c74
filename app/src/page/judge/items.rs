//! Items won and lost: the text, what people said, and what each judge said and why.

use crate::{
    address::{Here, encoded, of_project},
    component::{
        number::{counted, level},
        reading::unit_name,
        slice::slice_name,
        text::Text,
    },
};
use domain::{
    Answers, ContrastCounts, ContrastItem, ContrastOutcome, Conversation, RepeatAnswer, Scale, Unit, visible,
};
use leptos::prelude::*;
use service::Contrasted;

/// The items, those that are lost by most first.
#[component]
pub(super) fn Items(
    /// The items with their conversations.
    contrasted: Contrasted,
    /// What the address says.
    here: Here,
) -> impl IntoView {
    let Contrasted { contrast, wanted, scale, conversations } = contrasted;
    let slice = contrast.slice.as_ref().map(|slice| slice_name(slice.by.word(), &slice.value));
    let said = |name: &str| here.said(name).parse::<f64>().ok();
    let cell = said("people")
        .zip(said("said"))
        .map(|(people, judge)| format!("people said {}, the judge {}", level(people), level(judge)));
    let only: Vec<String> = slice.into_iter().chain(cell).collect();
    let whole = here.with(&[("outcome", ""), ("people", ""), ("said", ""), ("value", ""), ("unsaid", "")]);
    let only = (!only.is_empty()).then(|| {
        view! { <p class="row small"><span>{format!("Only {}.", only.join(", "))}</span> <a href=format!("{whole}#items")>"Show all"</a></p> }
    });
    let tabs = contrast.against.is_some().then(|| tabs(contrast.counts, &here));
    let title = match &contrast.against {
        None => format!("{}, furthest from people first", counted(wanted, "item")),
        Some(against) => format!("{} beside {}", counted(wanted, "item"), visible(against)),
    };
    let shown = contrast.items.len() as u64;
    let cut = (shown < wanted).then(|| view! { <p class="note">{format!("The first {shown} are shown, those lost by most first: choose an outcome, a cell or a slice for fewer.")}</p> });
    let judges = Judges { own: contrast.judge, other: contrast.against };
    let cards = contrast
        .items
        .into_iter()
        .map(|item| {
            // One conversation may have several items.
            let conversation = conversations.get(&item.conversation).cloned();
            view! { <Item project=here.project().to_owned() item=item judges=judges.clone() scale=scale.clone() conversation=conversation/> }
        })
        .collect_view();
    view! {
        <section class="part" aria-labelledby="items">
            <h2 id="items" tabindex="-1">{title}</h2>
            {tabs}
            {only}
            {cut}
            <ul class="plain ledger">{cards}</ul>
        </section>
    }
}

/// The names of the two judges.
#[derive(Clone)]
struct Judges {
    own: String,
    other: Option<String>,
}

/// The outcomes with their counts, each a link to its items.
fn tabs(counts: ContrastCounts, here: &Here) -> impl IntoView + use<> {
    let ContrastCounts { won, lost, even, unanswered } = counts;
    let chosen = here.said("outcome").to_owned();
    let all = [
        (None, "all", won + lost + even + unanswered),
        (Some(ContrastOutcome::Lost), "lost", lost),
        (Some(ContrastOutcome::Won), "won", won),
        (Some(ContrastOutcome::Even), "as near", even),
        (Some(ContrastOutcome::Unanswered), "one has no value", unanswered),
    ];
    let links = all
        .into_iter()
        .map(|(outcome, name, number)| {
            let word = outcome.map_or("", ContrastOutcome::word);
            let href = format!("{}#items", here.with(&[("outcome", word)]));
            let current = (word == chosen).then_some("page");
            view! { <a href=href aria-current=current>{format!("{name} {number}")}</a> }
        })
        .collect_view();
    view! { <nav class="tabs" aria-label="Outcome">{links}</nav> }
}

/// One item.
#[component]
fn Item(
    /// The project.
    project: String,
    /// The item.
    item: ContrastItem,
    /// Who said what.
    judges: Judges,
    /// The scale of the criterion.
    scale: Scale,
    /// The conversation that it is of.
    conversation: Option<Conversation>,
) -> impl IntoView {
    let href = of_project(&project, &format!("conversation/{}", encoded(&item.conversation)));
    let unit: Option<Unit> = item.unit.parse().ok();
    let found = conversation.as_ref().zip(unit);
    let name = found
        .as_ref()
        .map_or_else(|| visible(&item.unit), |(conversation, unit)| unit_name(conversation, unit));
    let texts = found.map(|(conversation, unit)| read(conversation, &unit));
    let outcome = match item.outcome {
        ContrastOutcome::Won => Some(view! { <span class="tag good">"won"</span> }.into_any()),
        ContrastOutcome::Lost => Some(view! { <span class="tag bad">"lost"</span> }.into_any()),
        ContrastOutcome::Even => Some(view! { <span class="tag">"as near"</span> }.into_any()),
        ContrastOutcome::Unanswered => None,
    };
    let labels: Vec<String> =
        item.labels.iter().map(|(name, value)| format!("{} {}", visible(name), level(*value))).collect();
    let labels = (!labels.is_empty()).then(|| view! { <p class="soft small">{labels.join(" · ")}</p> });
    let people = in_words(&scale, item.reference);
    let own = view! { <Said judge=judges.own answers=item.judge scale=scale.clone()/> };
    let other = judges
        .other
        .zip(item.against)
        .map(|(judge, answers)| view! { <Said judge=judge answers=answers scale=scale/> });
    view! {
        <li class="card ledger-entry">
            <p class="row">
                {outcome}
                <a href=href>{visible(&item.conversation)}</a>
                <span class="soft small">{name}</span>
            </p>
            {texts}
            <div class="beside">
                <div>
                    <h3>"People"</h3>
                    <p>{people}</p>
                    {labels}
                </div>
                {own}
                {other}
            </div>
        </li>
    }
}

/// What a judge said, repeat by repeat.
#[component]
fn Said(
    /// The judge.
    judge: String,
    /// Its answers.
    answers: Answers,
    /// The scale of the criterion.
    scale: Scale,
) -> impl IntoView {
    let several = answers.repeats.len() > 1;
    let none = answers.repeats.is_empty().then(|| view! { <p class="soft">"no verdict"</p> });
    let answers = answers
        .repeats
        .into_iter()
        .map(|RepeatAnswer { repeat, value, failure, reason }| {
            let said = match (value, failure) {
                (Some(value), _) => in_words(&scale, value),
                (None, Some(failure)) => format!("no value: {failure}"),
                (None, None) => "no value".to_owned(),
            };
            let said = if several { format!("{}: {said}", repeat + 1) } else { said };
            let reason = reason
                .filter(|reason| !reason.trim().is_empty())
                .map(|reason| view! { <div class="small"><Text text=reason/></div> });
            view! { <p>{said}</p> {reason} }
        })
        .collect_view();
    view! { <div><h3>{visible(&judge)}</h3>{none}{answers}</div> }
}

/// The value with the name of its level: `3 · rather yes`.
fn in_words(scale: &Scale, value: f64) -> String {
    match scale.level(value).map(|found| visible(&found.name)).filter(|name| *name != level(value)) {
        Some(name) => format!("{} · {name}", level(value)),
        None => level(value),
    }
}

/// The question, and the text that the unit is.
fn read(conversation: &Conversation, unit: &Unit) -> impl IntoView + use<> {
    let mut texts = vec![("Question".to_owned(), conversation.question().to_owned())];
    texts.extend(text_of(conversation, unit));
    let texts =
        texts.into_iter().map(|(name, text)| view! { <h3>{name}</h3> <Text text=text/> }).collect_view();
    view! {
        <details>
            <summary>"Question and text"</summary>
            {texts}
        </details>
    }
}

/// The text of a unit under its name: both of a citation, the answer for a conversation.
fn text_of(conversation: &Conversation, unit: &Unit) -> Vec<(String, String)> {
    let named = |unit: Unit, text: String| (unit_name(conversation, &unit), text);
    let passage = |id: &str| {
        let text = conversation.passage(id).map(|passage| passage.text.clone()).unwrap_or_default();
        named(Unit::Passage(id.to_owned()), text)
    };
    let paragraph = |id: &str| {
        let found = conversation.paragraphs().iter().find(|paragraph| paragraph.id == id).cloned();
        named(Unit::Paragraph(id.to_owned()), found.map(|paragraph| paragraph.text).unwrap_or_default())
    };
    match unit {
        Unit::Conversation => {
            let paragraphs = conversation.paragraphs();
            let texts: Vec<&str> = paragraphs.iter().map(|paragraph| paragraph.text.as_str()).collect();
            vec![("Answer".to_owned(), texts.join("\n\n"))]
        }
        Unit::Passage(id) => vec![passage(id)],
        Unit::Paragraph(id) => vec![paragraph(id)],
        Unit::Citation { paragraph: citing, passage: cited } => vec![paragraph(citing), passage(cited)],
        Unit::Justification { unit, .. } => text_of(conversation, unit),
    }
}
