//! A conversation, to be read: earlier turns, routing, passages, answer, each unit in its place.

use crate::component::{number::fixed, text::Text};
use domain::{Conversation, Expected, Message, Paragraph, Passage, Routing, ToolCall, Unit, visible};
use leptos::prelude::*;
use serde_json::Value;

/// The unit that lowers a metric, where a conversation is read for that.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    /// The unit.
    pub(crate) unit: Unit,
    /// Why, in a sentence.
    pub(crate) says: String,
}

impl Fault {
    /// Why, where the fault is in this passage, paragraph or answer.
    fn within(fault: Option<&Fault>, place: &Unit) -> Option<String> {
        let fault = fault?;
        let is_here = match (&fault.unit, place) {
            (Unit::Citation { paragraph, .. }, Unit::Paragraph(place)) => paragraph == place,
            (unit, place) => unit == place,
        };
        is_here.then(|| fault.says.clone())
    }
}

/// Ids of the elements that show a unit, the one to look at first: a citation is shown by its paragraph and its passage, the
/// conversation as a whole by the answer.
pub(crate) fn places(conversation: &Conversation, unit: &Unit) -> Vec<String> {
    let passage = |id: &str| number_of_passage(conversation, id).map(|number| format!("passage-{number}"));
    let paragraph =
        |id: &str| number_of_paragraph(conversation, id).map(|number| format!("paragraph-{number}"));
    match unit {
        Unit::Passage(id) => passage(id).into_iter().collect(),
        Unit::Paragraph(id) => paragraph(id).into_iter().collect(),
        Unit::Citation { paragraph: citing, passage: cited } => {
            paragraph(citing).into_iter().chain(passage(cited)).collect()
        }
        Unit::Conversation => vec!["answer".to_owned()],
        Unit::Justification { unit, .. } => places(conversation, unit),
    }
}

/// What people call a unit of this conversation: `Passage 3`.
pub(crate) fn unit_name(conversation: &Conversation, unit: &Unit) -> String {
    let passage = |id: &str| match number_of_passage(conversation, id) {
        Some(number) => format!("passage {number}"),
        None => format!("“{}”, which is no passage", visible(id)),
    };
    let paragraph = |id: &str| match number_of_paragraph(conversation, id) {
        Some(number) => format!("Paragraph {number}"),
        None => "Paragraph".to_owned(),
    };
    match unit {
        Unit::Conversation => "The whole conversation".to_owned(),
        Unit::Passage(id) => match number_of_passage(conversation, id) {
            Some(number) => format!("Passage {number}"),
            None => "Passage".to_owned(),
        },
        Unit::Paragraph(id) => paragraph(id),
        Unit::Citation { paragraph: id, passage: cited } => {
            format!("{} and {}", paragraph(id), passage(cited))
        }
        Unit::Justification { .. } => "A judge's reason".to_owned(),
    }
}

fn number_of_passage(conversation: &Conversation, id: &str) -> Option<usize> {
    conversation.passages().iter().position(|passage| passage.id == id).map(|index| index + 1)
}

fn number_of_paragraph(conversation: &Conversation, id: &str) -> Option<usize> {
    conversation.paragraphs().iter().position(|paragraph| paragraph.id == id).map(|index| index + 1)
}

/// A conversation that questions are asked about: each unit with a place for what is said of it.
#[component]
pub(crate) fn Asked(
    /// The conversation.
    conversation: Conversation,
) -> impl IntoView {
    view! {
        <div class="ask" id="asked" tabindex="-1" role="region" aria-label="Question">
            <Text text=conversation.question().to_owned()/>
        </div>
        <Reading conversation=conversation asked=true/>
    }
}

/// Everything but the question, in reading order.
#[component]
pub(crate) fn Reading(
    /// The conversation.
    conversation: Conversation,
    /// Whether questions are asked about it, and not only read.
    #[prop(optional)]
    asked: bool,
    /// What is at fault in it, and takes the focus.
    #[prop(optional_no_strip)]
    fault: Option<Fault>,
) -> impl IntoView {
    let history = conversation.history().to_vec();
    let passages = passages(&conversation, asked, fault.as_ref());
    let answer = answer(&conversation, asked, fault.as_ref());
    let Conversation { routing, refined_query, context, expected, .. } = conversation;
    view! {
        {(!history.is_empty()).then(|| view! { <History messages=history/> })}
        <RoutingRecord routing=routing refined_query=refined_query/>
        {context.map(|context| view! {
            <details class="aside">
                <summary>"Context as the model was given it"</summary>
                <Text text=context/>
            </details>
        })}
        {passages}
        {answer}
        {expected.map(|expected| view! { <Expectation expected=expected/> })}
    }
}

/// The turns before the question.
#[component]
fn History(
    /// The turns.
    messages: Vec<Message>,
) -> impl IntoView {
    let turns = messages
        .into_iter()
        .map(|message| view! { <li><span class="who">{visible(&message.role)}</span><Text text=message.content/></li> })
        .collect_view();
    view! {
        <section class="step" aria-labelledby="history">
            <h2 id="history">"Earlier turns"</h2>
            <ol class="plain history">{turns}</ol>
        </section>
    }
}

/// Which agent took the question, where it looked and what it called.
#[component]
fn RoutingRecord(
    /// The record; absent where none was made.
    routing: Option<Routing>,
    /// The reformulated query.
    refined_query: Option<String>,
) -> impl IntoView {
    let agent = routing.as_ref().and_then(|routing| routing.agent.clone());
    let collections = routing.as_ref().map(|routing| routing.collections.clone()).unwrap_or_default();
    let calls = match routing {
        None => view! { <p class="soft small">"No routing was recorded."</p> }.into_any(),
        Some(routing) if routing.tool_calls.is_empty() => {
            view! { <p class="soft small">"No tool was called."</p> }.into_any()
        }
        Some(routing) => {
            routing.tool_calls.into_iter().map(|call| view! { <Call call=call/> }).collect_view().into_any()
        }
    };
    let tags = agent
        .into_iter()
        .chain(collections)
        .map(|name| view! { <span class="tag">{visible(&name)}</span> })
        .collect_view();
    view! {
        <section class="step" aria-labelledby="routing">
            <h2 id="routing">"Routing " {tags}</h2>
            {refined_query.map(|query| view! {
                <p class="small"><span class="soft">"Searched for "</span><q dir="auto">{visible(&query)}</q></p>
            })}
            {calls}
        </section>
    }
}

/// One call of a tool: arguments, and what came back.
#[component]
fn Call(
    /// The call.
    call: ToolCall,
) -> impl IntoView {
    let result = match (&call.error, &call.result) {
        (Some(error), _) => view! { <pre class="bad">{format!("error: {}", json(error))}</pre> }.into_any(),
        (None, Value::Null) => view! { <pre class="soft">"→ nothing"</pre> }.into_any(),
        (None, result) => view! { <pre>{format!("→ {}", json(result))}</pre> }.into_any(),
    };
    view! {
        <div class="call" dir="auto">
            <pre><strong>{visible(&call.name)}</strong>" "{json(&call.arguments)}</pre>
            {result}
        </div>
    }
}

/// JSON on one line where it fits, else indented.
fn json(value: &Value) -> String {
    const ONE_LINE: usize = 90;
    let line = value.to_string();
    let text =
        if line.len() <= ONE_LINE { line } else { serde_json::to_string_pretty(value).unwrap_or(line) };
    visible(&text)
}

fn passages(conversation: &Conversation, asked: bool, fault: Option<&Fault>) -> impl IntoView + use<> {
    let body = match conversation.passages.as_deref() {
        None => view! { <p class="soft small">"Nothing was retrieved on this path."</p> }.into_any(),
        Some([]) => view! { <p class="soft small">"Retrieval returned nothing."</p> }.into_any(),
        Some(passages) => passages
            .iter()
            .enumerate()
            .map(|(index, passage)| {
                let why = Fault::within(fault, &Unit::Passage(passage.id.clone()));
                view! { <PassageCard passage=passage.clone() number=index + 1 asked=asked why=why/> }
            })
            .collect_view()
            .into_any(),
    };
    view! {
        <section class="step" aria-labelledby="passages">
            <h2 id="passages">"Passages"</h2>
            {body}
        </section>
    }
}

/// One retrieved passage.
#[component]
fn PassageCard(
    /// The passage.
    passage: Passage,
    /// Its number on the page, from 1.
    number: usize,
    /// Whether questions are asked about it.
    asked: bool,
    /// Why it is at fault.
    why: Option<String>,
) -> impl IntoView {
    let unit = Unit::Passage(passage.id.clone());
    let mut source: Vec<String> =
        passage.document.iter().chain(&passage.collection).map(|text| visible(text)).collect();
    source.extend(passage.score.map(|score| format!("score {}", fixed(score, 2))));
    let (place, blamed) = (format!("passage-{number}"), why.is_some());
    view! {
        <article class="unit" class:fault=blamed tabindex=blamed.then_some("-1") autofocus=blamed id=place>
            <UnitNumber number=number unit=unit asked=asked/>
            <div>
                {why.map(|why| view! { <p class="why">{why}</p> })}
                <p class="source">{source.join(" · ")}</p>
                <Text text=passage.text/>
            </div>
            <SaidOf place=place.clone() asked=asked/>
        </article>
    }
}

fn answer(conversation: &Conversation, asked: bool, fault: Option<&Fault>) -> impl IntoView + use<> {
    let why = Fault::within(fault, &Unit::Conversation);
    let blamed = why.is_some();
    let paragraphs = conversation.paragraphs();
    let body = if conversation.answer.is_none() {
        view! { <p class="soft small">"No answer was given."</p> }.into_any()
    } else {
        paragraphs
            .iter()
            .enumerate()
            .map(|(index, paragraph)| {
                let why = Fault::within(fault, &Unit::Paragraph(paragraph.id.clone()));
                paragraph_view(conversation, paragraph, index + 1, asked, why)
            })
            .collect_view()
            .into_any()
    };
    view! {
        <section class="step" aria-labelledby="answer-title">
            <h2><span id="answer-title">"Answer"</span> " " <SaidOf place="answer" asked=asked/></h2>
            <div class="answer card" class:fault=blamed tabindex=blamed.then_some("-1") autofocus=blamed id="answer">
                {why.map(|why| view! { <p class="why">{why}</p> })}
                {body}
            </div>
        </section>
    }
}

fn paragraph_view(
    conversation: &Conversation,
    paragraph: &Paragraph,
    number: usize,
    asked: bool,
    why: Option<String>,
) -> impl IntoView + use<> {
    let citations = paragraph
        .citations
        .iter()
        .map(|id| match number_of_passage(conversation, id) {
            Some(number) => {
                let name = format!("cites passage {number}");
                view! { <a href=format!("#passage-{number}") aria-label=name rel="external">{format!("[{number}]")}</a> }.into_any()
            }
            None => {
                let text = format!("[{} is no passage]", visible(id));
                view! { <span class="bad">{text}</span> }.into_any()
            }
        })
        .collect_view();
    let (place, blamed) = (format!("paragraph-{number}"), why.is_some());
    view! {
        <div class="paragraph" class:fault=blamed tabindex=blamed.then_some("-1") autofocus=blamed id=place>
            {why.map(|why| view! { <p class="why">{why}</p> })}
            <Text text=paragraph.text.clone()/>
            <p class="citations">{citations} " " <SaidOf place=place.clone() asked=asked/></p>
        </div>
    }
}

/// Where it is written what was said of a unit so far.
#[component]
fn SaidOf(
    /// Id of the element that shows the unit.
    #[prop(into)]
    place: String,
    /// Whether questions are asked about it.
    asked: bool,
) -> impl IntoView {
    asked.then(|| view! { <span class="said-of" id=format!("said-{place}")></span> })
}

/// The number of a passage, which brings it into focus where questions are asked about it.
#[component]
fn UnitNumber(
    /// The number.
    number: usize,
    /// The unit.
    unit: Unit,
    /// Whether questions are asked about it.
    asked: bool,
) -> impl IntoView {
    if asked {
        let name = format!("Go to passage {number}");
        view! { <button type="button" class="number" data-unit=unit.to_string() aria-label=name>{number}</button> }
            .into_any()
    } else {
        view! { <span class="number" aria-hidden="true">{number}</span> }.into_any()
    }
}

/// What a golden case expects.
#[component]
fn Expectation(
    /// The expectation.
    expected: Expected,
) -> impl IntoView {
    let sources = expected.sources.clone().unwrap_or_default().join(", ");
    view! {
        <details class="aside">
            <summary>"Expected"</summary>
            {expected.answer.map(|answer| view! { <Text text=answer/> })}
            {expected.behaviour.map(|behaviour| view! { <Text text=behaviour/> })}
            {(!sources.is_empty()).then(|| view! { <p class="small soft">"Sources: " {visible(&sources)}</p> })}
        </details>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn conversation() -> Conversation {
        let row = json!({"id": "c", "question": "q", "passages": [{"id": "x/1"}, {"id": "y"}],
            "answer": {"text": "t", "paragraphs": [{"id": "a1", "text": "t", "citations": ["y", "z"]}]}});
        Conversation::from_json(row).unwrap().0
    }

    #[test]
    fn units_are_called_by_their_place() {
        let conversation = conversation();
        let name = |unit: &str| unit_name(&conversation, &unit.parse().unwrap());
        assert_eq!(name("passage:y"), "Passage 2");
        assert_eq!(name("conversation"), "The whole conversation");
        assert_eq!(name("citation:a1/y"), "Paragraph 1 and passage 2");
        assert_eq!(name("citation:a1/z"), "Paragraph 1 and “z”, which is no passage");
    }

    #[test]
    fn each_unit_has_its_places_on_the_page() {
        let conversation = conversation();
        let places = |unit: &str| places(&conversation, &unit.parse().unwrap());
        assert_eq!(places("passage:x%2F1"), ["passage-1"]);
        assert_eq!(places("citation:a1/y"), ["paragraph-1", "passage-2"]);
        assert_eq!(places("citation:a1/z"), ["paragraph-1"]);
        assert_eq!(places("conversation"), ["answer"]);
    }

    #[test]
    fn long_json_is_indented() {
        assert_eq!(json(&json!({"order": "ORD-102"})), r#"{"order":"ORD-102"}"#);
        assert!(json(&json!({"text": "x".repeat(100)})).contains('\n'));
    }
}
