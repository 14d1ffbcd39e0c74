//! Where each question stands in the grid, and which one an arrow key leads to. No browser is known here.

use crate::page::label::{
    sheet::Question,
    task::{Grid, Task},
};
use domain::{Unit, UnitKind};

/// The grid: for each paragraph its cells, from left to right.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Layout {
    rows: Vec<Vec<Cell>>,
}

/// One place of the grid that something is asked at.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cell {
    /// Which column, from 0: first the criteria of paragraphs, then the cited passages.
    pub(crate) column: usize,
    /// What is asked here: one criterion of the paragraph, or all criteria of the citation.
    pub(crate) questions: Vec<Question>,
}

/// An arrow key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrow {
    /// To the cell before.
    Left,
    /// To the cell after.
    Right,
    /// To the row above.
    Up,
    /// To the row below.
    Down,
    /// To the first cell of the row.
    Home,
    /// To the last cell of the row.
    End,
}

impl Arrow {
    /// The arrow of a key as browsers report it.
    pub(crate) fn of_key(key: &str) -> Option<Arrow> {
        Some(match key {
            "ArrowLeft" => Arrow::Left,
            "ArrowRight" => Arrow::Right,
            "ArrowUp" => Arrow::Up,
            "ArrowDown" => Arrow::Down,
            "Home" => Arrow::Home,
            "End" => Arrow::End,
            _ => return None,
        })
    }
}

impl Layout {
    /// The layout of a task; without rows where it has no grid.
    pub(crate) fn of(task: &Task) -> Layout {
        let rows =
            task.grid.as_ref().map(|grid| grid.paragraphs.iter().map(|row| cells(task, grid, &row.id)));
        Layout { rows: rows.into_iter().flatten().collect() }
    }

    /// The cells of a row.
    pub(crate) fn row(&self, row: usize) -> &[Cell] {
        self.rows.get(row).map(Vec::as_slice).unwrap_or_default()
    }

    /// The first place that something is asked at.
    pub(crate) fn first(&self) -> Option<(usize, usize)> {
        self.rows.iter().position(|cells| !cells.is_empty()).map(|row| (row, 0))
    }

    /// The row of a question, and which cell of the row.
    pub(crate) fn place(&self, question: &Question) -> Option<(usize, usize)> {
        self.rows.iter().enumerate().find_map(|(row, cells)| {
            let cell = cells.iter().position(|cell| cell.questions.contains(question))?;
            Some((row, cell))
        })
    }

    /// The cell that an arrow leads to; none at the edge. Up and down lead to the nearest column that something is asked in.
    pub(crate) fn step(&self, (row, index): (usize, usize), arrow: Arrow) -> Option<&Cell> {
        let here = self.row(row);
        let column = here.get(index)?.column;
        match arrow {
            Arrow::Left => here.get(index.checked_sub(1)?),
            Arrow::Right => here.get(index + 1),
            Arrow::Home => here.first(),
            Arrow::End => here.last(),
            Arrow::Up => nearest(self.rows.get(..row)?.iter().rev().find(|row| !row.is_empty())?, column),
            Arrow::Down => nearest(self.rows.get(row + 1..)?.iter().find(|row| !row.is_empty())?, column),
        }
    }
}

/// Id of the element that shows a cell.
pub(crate) fn cell_id((row, cell): (usize, usize)) -> String {
    format!("cell-{row}-{cell}")
}

fn nearest(row: &[Cell], column: usize) -> Option<&Cell> {
    row.iter().min_by_key(|cell| cell.column.abs_diff(column))
}

fn cells(task: &Task, grid: &Grid, paragraph: &str) -> Vec<Cell> {
    let asked = |unit: Unit, criterion: &str| Question { unit, criterion: criterion.to_owned() };
    let of_paragraph = task
        .rubric
        .asked_of(UnitKind::Paragraph)
        .map(|criterion| vec![asked(Unit::Paragraph(paragraph.to_owned()), &criterion.id)]);
    let of_citation = grid.passages.iter().map(|passage| {
        let unit = Unit::Citation { paragraph: paragraph.to_owned(), passage: passage.id.clone() };
        let criteria = task.rubric.asked_of(UnitKind::Citation).filter(|_| task.asked(&unit).is_some());
        criteria.map(|criterion| asked(unit.clone(), &criterion.id)).collect()
    });
    let cells = of_paragraph.chain(of_citation).enumerate();
    let cells = cells.map(|(column, questions): (usize, Vec<Question>)| Cell { column, questions });
    cells.filter(|cell| !cell.questions.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        component::markup::Markup,
        page::label::task::{AskedUnit, Shown},
    };
    use domain::Rubric;

    const RUBRIC: &str = r#"
        name = "r"
        version = 1
        [[scale]]
        id = "two"
        kind = "binary"
        levels = [{ value = 0, name = "no" }, { value = 1, name = "yes" }]
        [[criterion]]
        id = "needs_source"
        component = "generation"
        unit = "paragraph"
        scale = "two"
        question = "Needs a source?"
        [[criterion]]
        id = "support"
        component = "generation"
        unit = "citation"
        scale = "two"
        question = "Supported?"
    "#;

    /// `a` cites 1 and 3, `b` nothing, `d` 2.
    fn layout() -> Layout {
        let units =
            ["paragraph:a", "citation:a/1", "citation:a/3", "paragraph:b", "paragraph:d", "citation:d/2"];
        let unit = |unit: &str| AskedUnit { unit: unit.parse().unwrap(), name: unit.into(), places: vec![] };
        let shown = |id: &str| Shown { id: id.into(), name: id.into(), text: String::new(), is_there: true };
        Layout::of(&Task {
            conversation: "c".into(),
            reading: Markup::default(),
            rubric: Rubric::from_toml(RUBRIC).unwrap(),
            units: units.map(unit).into(),
            grid: Some(Grid {
                paragraphs: ["a", "b", "d"].map(shown).into(),
                passages: ["1", "2", "3"].map(shown).into(),
            }),
            answers: Vec::new(),
        })
    }

    fn question(unit: &str) -> Question {
        let criterion = if unit.starts_with('p') { "needs_source" } else { "support" };
        Question { unit: unit.parse().unwrap(), criterion: criterion.into() }
    }

    fn led(from: &str, arrow: Arrow) -> Option<String> {
        let layout = layout();
        let cell = layout.step(layout.place(&question(from)).unwrap(), arrow)?;
        Some(cell.questions[0].unit.to_string())
    }

    #[test]
    fn what_is_not_cited_has_no_cell() {
        let columns = |row| layout().row(row).iter().map(|cell| cell.column).collect::<Vec<_>>();
        assert_eq!((columns(0), columns(1), columns(2)), (vec![0, 1, 3], vec![0], vec![0, 2]));
        assert_eq!(layout().place(&question("citation:d/1")), None);
    }

    #[test]
    fn left_and_right_pass_over_what_is_not_cited() {
        assert_eq!(led("citation:a/1", Arrow::Right).as_deref(), Some("citation:a/3"));
        assert_eq!(led("citation:a/1", Arrow::Left).as_deref(), Some("paragraph:a"));
        assert_eq!(led("paragraph:a", Arrow::Left), None);
        assert_eq!(led("paragraph:a", Arrow::End).as_deref(), Some("citation:a/3"));
        assert_eq!(led("citation:d/2", Arrow::Home).as_deref(), Some("paragraph:d"));
    }

    #[test]
    fn up_and_down_lead_to_the_nearest_column() {
        assert_eq!(led("citation:a/3", Arrow::Down).as_deref(), Some("paragraph:b"));
        assert_eq!(led("paragraph:b", Arrow::Down).as_deref(), Some("paragraph:d"));
        assert_eq!(led("citation:d/2", Arrow::Up).as_deref(), Some("paragraph:b"));
        assert_eq!(led("paragraph:d", Arrow::Down), None);
        assert_eq!(led("citation:a/1", Arrow::Up), None);
    }
}
