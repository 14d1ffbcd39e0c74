//! Paragraphs against what they cite, as a grid: arrow keys move, digits answer, and the two texts stand side by side.

mod compared;
pub(crate) mod layout;

use crate::{
    component::number::level,
    page::label::{
        bench::Work,
        sheet::{Question, Sheet},
        task::{Grid, Shown},
    },
};
use compared::Compared;
use domain::{Unit, UnitKind, visible};
use layout::{Arrow, Cell, Layout, cell_id};
use leptos::{ev, prelude::*};

/// Where the question in focus stands in the grid.
type Focus = Memo<Option<(usize, usize)>>;

/// The grid of a conversation, with the texts of the cell in focus.
#[component]
pub(crate) fn CitationGrid(
    /// What its rows and columns are.
    grid: Grid,
    /// The bench.
    work: Work,
) -> impl IntoView {
    let criteria = work.sheet.with_untracked(columns_of_paragraphs);
    let heads = criteria
        .iter()
        .map(|criterion| view! { <th role="columnheader" scope="col">{visible(criterion)}</th> })
        .collect_view();
    let cited = grid.passages.iter().map(passage_head).collect_view();
    let columns = criteria.len() + grid.passages.len();
    let focus = work.place_in_grid();
    let rows = grid.paragraphs.iter().enumerate();
    let rows = rows.map(|(row, paragraph)| row_view(work, focus, row, paragraph, columns)).collect_view();
    let move_on = move |event: ev::KeyboardEvent| {
        if let Some(arrow) = Arrow::of_key(&event.key())
            && !event.ctrl_key()
            && !event.alt_key()
            && !event.meta_key()
        {
            event.prevent_default();
            work.step_in_grid(arrow);
        }
    };
    view! {
        <section class="step citations-step" id="citations" aria-labelledby="citations-title">
            <h2 id="citations-title">"What the answer cites"</h2>
            <div class="grid-frame">
                <table class="citation-grid" role="grid" aria-labelledby="citations-title" on:keydown=move_on>
                    <thead role="rowgroup">
                        <tr role="row"><th role="columnheader" scope="col">"Paragraph"</th>{heads}{cited}</tr>
                    </thead>
                    <tbody role="rowgroup">{rows}</tbody>
                </table>
            </div>
            <p class="small soft">"Arrow keys move, the digits of the question answer."</p>
            {move || compared(work, &grid)}
        </section>
    }
}

/// The criteria of paragraphs, each with a column of its own.
fn columns_of_paragraphs(sheet: &Sheet) -> Vec<String> {
    let criteria = sheet.task().rubric.asked_of(UnitKind::Paragraph);
    criteria.map(|criterion| criterion.id.clone()).collect()
}

/// The head of a column; what is cited and is not there says so.
pub(crate) fn passage_head(passage: &Shown) -> impl IntoView + use<> {
    let gone = (!passage.is_there).then(|| view! { <small class="bad">" is no passage"</small> });
    view! { <th role="columnheader" scope="col"><span class:bad=!passage.is_there>{passage.name.clone()}</span>{gone}</th> }
}

fn row_view(
    work: Work,
    focus: Focus,
    row: usize,
    paragraph: &Shown,
    columns: usize,
) -> impl IntoView + use<> {
    let cells = work.layout.with_value(|layout| layout.row(row).to_vec());
    let mut cells = cells.into_iter().enumerate().peekable();
    let places = (0..columns)
        .map(|column| match cells.next_if(|(_, cell)| cell.column == column) {
            Some((index, cell)) => cell_view(work, focus, (row, index), cell).into_any(),
            None => view! { <td role="gridcell" class="void" aria-label="not cited"></td> }.into_any(),
        })
        .collect_view();
    view! {
        <tr role="row">
            <th role="rowheader" scope="row"><span>{paragraph.name.clone()}</span><small dir="auto">{beginning(&paragraph.text)}</small></th>
            {places}
        </tr>
    }
}

/// One place of the grid: the level that was chosen, by name.
fn cell_view(work: Work, focus: Focus, place: (usize, usize), cell: Cell) -> impl IntoView {
    let Cell { questions, .. } = cell;
    let name = work.sheet.with_untracked(|sheet| name_of(sheet, &questions));
    let asked = questions.clone();
    let said = Memo::new(move |_| work.sheet.with(|sheet| said_in_cell(sheet, &asked)));
    let is_here = move || focus.get() == Some(place);
    let is_first = work.layout.with_value(Layout::first) == Some(place);
    // One cell can be reached by Tab: the one in focus, or the first while the focus is elsewhere.
    let tabindex = move || {
        if is_here() || (is_first && focus.get().is_none()) { "0" } else { "-1" }
    };
    let label = {
        let name = name.clone();
        move || {
            format!(
                "{name}: {}",
                said.with(|said| if said.is_empty() { "no answer".to_owned() } else { said.join(", ") })
            )
        }
    };
    view! {
        <td
            role="gridcell"
            id=cell_id(place)
            class:here=is_here
            aria-selected=move || if is_here() { "true" } else { "false" }
            aria-label=label
            tabindex=tabindex
            on:click=move |_| work.choose_open_of(&questions)
        >
            <span class="cell-name" aria-hidden="true">{name.clone()}</span>
            {move || said.get().into_iter().map(|said| view! { <b>{said}</b> }).collect_view()}
        </td>
    }
}

/// `needs_source` of a paragraph, or what people call the citation.
fn name_of(sheet: &Sheet, questions: &[Question]) -> String {
    let Some(first) = questions.first() else { return String::new() };
    let unit = sheet.task().name_of(&first.unit);
    match first.unit {
        Unit::Citation { .. } => unit,
        _ => format!("{unit}, {}", visible(&first.criterion)),
    }
}

/// What was said at a cell: the names of the levels, or the numbers.
fn said_in_cell(sheet: &Sheet, questions: &[Question]) -> Vec<String> {
    let named = |question: &Question| {
        let value = sheet.said_to(question)?.value?;
        let named =
            sheet.scale(question).and_then(|scale| scale.level(value)).map(|level| visible(&level.name));
        Some(named.unwrap_or_else(|| level(value)))
    };
    questions.iter().filter_map(named).collect()
}

/// The texts behind the cell in focus.
fn compared(work: Work, grid: &Grid) -> Option<impl IntoView + use<>> {
    let Unit::Citation { paragraph, passage } = work.question().get()?.unit else { return None };
    let found = |side: &[Shown], id: &str| side.iter().find(|shown| shown.id == id).cloned();
    let (paragraph, passage) = (found(&grid.paragraphs, &paragraph)?, found(&grid.passages, &passage)?);
    let text = passage.is_there.then_some(passage.text);
    Some(view! { <Compared paragraph=(paragraph.name, paragraph.text) passage=(passage.name, text)/> })
}

/// How a paragraph begins, for whoever looks for it.
pub(crate) fn beginning(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}
