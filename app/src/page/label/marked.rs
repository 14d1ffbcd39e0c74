//! The conversation with the unit in focus marked, and beside each unit what was said of it.

use crate::{
    component::{markup::Markup, number::level},
    page::label::{bench::Work, sheet::Sheet},
};
use domain::Unit;
use leptos::{ev, html, prelude::*};
use wasm_bindgen::JsCast;

/// The reading of the conversation on the desk. It is markup of the server: what changes in it is written into its elements.
#[component]
pub(crate) fn Marked(
    /// The conversation.
    reading: Markup,
    /// The bench.
    work: Work,
) -> impl IntoView {
    let root = NodeRef::<html::Div>::new();
    let question = work.question();
    Effect::new(move || {
        if let Some(root) = root.get() {
            mark(&root, &question.with(|question| question.as_ref().map(|question| work.places(question))));
        }
    });
    Effect::new(move |before: Option<Vec<String>>| {
        let said = work.sheet.with(said_at_each_place);
        let before = before.unwrap_or_default();
        for (index, (place, said)) in said.iter().enumerate() {
            if before.get(index).map_or("", String::as_str) != said {
                write(place, said);
            }
        }
        said.into_iter().map(|(_, said)| said).collect()
    });
    let choose = move |event: ev::MouseEvent| {
        if let Some(unit) = unit_under(&event) {
            work.sheet.update(|sheet| sheet.choose(&unit));
        }
    };
    view! { <div class="reading" node_ref=root on:click=choose inner_html=reading.into_html()></div> }
}

/// Marks the elements with these ids, and no others.
fn mark(root: &web_sys::Element, places: &Option<Vec<String>>) {
    let marked = root.get_elements_by_class_name("here");
    while let Some(element) = marked.item(0) {
        set_marked(&element, false);
    }
    for place in places.iter().flatten() {
        if let Some(element) = document().get_element_by_id(place) {
            set_marked(&element, true);
        }
    }
}

fn set_marked(element: &web_sys::Element, marked: bool) {
    // The name of the class is a valid one, and only an invalid one is refused.
    let _ = element.class_list().toggle_with_force("here", marked);
}

/// What was said of each unit that has a place of its own: citations share that of their paragraph.
fn said_at_each_place(sheet: &Sheet) -> Vec<(String, String)> {
    let units = sheet.task().units.iter().filter(|asked| !matches!(asked.unit, Unit::Citation { .. }));
    let said = units.filter_map(|asked| Some((asked.places.first()?.clone(), said_of(sheet, &asked.unit))));
    said.collect()
}

/// What was said of a unit, criterion by criterion: `3`, `4 · 2`; nothing where nothing was said.
fn said_of(sheet: &Sheet, unit: &Unit) -> String {
    let values: Vec<String> =
        sheet.of_unit(unit).map(|(_, said)| said.value.map_or_else(|| "·".to_owned(), level)).collect();
    // Many dots tell nothing: a unit with many questions shows how many have an answer.
    if values.len() > 4 {
        let answered = values.iter().filter(|value| *value != "·").count();
        return format!("{answered} of {} answered", values.len());
    }
    values.join(" ")
}

fn write(place: &str, said: &str) {
    if let Some(element) = document().get_element_by_id(&format!("said-{place}")) {
        element.set_text_content(Some(said));
    }
}

/// The unit whose number was pressed.
fn unit_under(event: &ev::MouseEvent) -> Option<Unit> {
    let target = event.target()?.dyn_into::<web_sys::Element>().ok()?;
    target.closest("[data-unit]").ok()??.get_attribute("data-unit")?.parse().ok()
}
