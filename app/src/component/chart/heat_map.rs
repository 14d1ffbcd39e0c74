//! The confusion heat map: what two annotators said, crossed. Every cell shows its count and leads to its items.

use crate::component::{
    chart::rem,
    number::{count, counted, level},
};
use domain::LevelName;
use leptos::prelude::*;

/// Side of a cell, in units of the drawing.
const CELL: f64 = 52.0;

/// Room for the names of the levels, on the left and above.
const LEFT: f64 = 130.0;
const ABOVE: f64 = 46.0;

/// Steps of the ramp above the empty one.
const STEPS: u64 = 8;

/// The counts as cells. Colour repeats what the number in the cell says.
#[component]
pub(crate) fn HeatMap(
    /// The first annotator, by rows.
    a: String,
    /// The second, by columns.
    b: String,
    /// The levels, least first.
    levels: Vec<LevelName>,
    /// `counts[i][j]`: items that `a` put on level i and `b` on level j.
    counts: Vec<Vec<u64>>,
    /// The address of the items of a cell.
    href: Callback<(f64, f64), String>,
    /// The cell whose items are shown.
    chosen: Option<(f64, f64)>,
) -> impl IntoView {
    let greatest = counts.iter().flatten().copied().max().unwrap_or(0);
    let side = CELL * f64::from(u32::try_from(levels.len()).unwrap_or(u32::MAX));
    let (width, height) = (LEFT + side + 2.0, ABOVE + side + 2.0);
    let is_chosen = |row: f64, column: f64| {
        chosen.is_some_and(|(a, b)| (a - row).abs() < 1e-9 && (b - column).abs() < 1e-9)
    };
    let mut cells = Vec::new();
    for (i, row) in levels.iter().enumerate() {
        for (j, column) in levels.iter().enumerate() {
            let number = counts.get(i).and_then(|counts| counts.get(j)).copied().unwrap_or(0);
            let name = format!(
                "{a} said {} {}, {b} said {} {}: {}",
                level(row.value),
                row.name,
                level(column.value),
                column.name,
                counted(number, "item")
            );
            cells.push(Cell {
                x: LEFT + CELL * place(j),
                y: ABOVE + CELL * place(i),
                number,
                step: step(number, greatest),
                name,
                href: href.run((row.value, column.value)),
                chosen: is_chosen(row.value, column.value),
            });
        }
    }
    view! {
        <svg class="chart heat-map" role="group" width=rem(width) height=rem(height) viewBox=format!("0 0 {width} {height}")>
            <title>{format!("What {a} and {b} said of the same items")}</title>
            <desc>"Rows are the first annotator's levels, columns the second's. Equal answers lie on the diagonal. Each cell leads to its items."</desc>
            <text x=LEFT y="12">{format!("{b} →")}</text>
            <text x=LEFT - 10.0 y="12" text-anchor="end">{format!("{a} ↓")}</text>
            {level_names(&levels)}
            {cells.into_iter().map(Cell::view).collect_view()}
        </svg>
    }
}

struct Cell {
    x: f64,
    y: f64,
    number: u64,
    step: u64,
    name: String,
    href: String,
    chosen: bool,
}

impl Cell {
    fn view(self) -> impl IntoView {
        let square = view! {
            <rect x=self.x + 1.0 y=self.y + 1.0 width=CELL - 2.0 height=CELL - 2.0 rx="3"></rect>
            <text x=self.x + CELL / 2.0 y=self.y + CELL / 2.0 + 5.0 text-anchor="middle">{count(self.number)}</text>
        };
        let class = format!("cell level-{}", self.step);
        if self.number == 0 {
            view! { <g class=class role="img" aria-label=self.name>{square}</g> }.into_any()
        } else {
            let current = self.chosen.then_some("true");
            view! {
                <g class=class>
                    <a href=self.href aria-label=self.name aria-current=current>{square}</a>
                </g>
            }
            .into_any()
        }
    }
}

fn level_names(levels: &[LevelName]) -> impl IntoView + use<> {
    levels
        .iter()
        .enumerate()
        .map(|(index, named)| {
            let middle = CELL * place(index) + CELL / 2.0;
            view! {
                <text x=LEFT - 10.0 y=ABOVE + middle + 4.0 text-anchor="end">{shortened(&named.name, named.value)}</text>
                <text x=LEFT + middle y=ABOVE - 8.0 text-anchor="middle">{level(named.value)}</text>
            }
        })
        .collect_view()
}

fn place(index: usize) -> f64 {
    f64::from(u32::try_from(index).unwrap_or(u32::MAX))
}

/// The name of a level where it fits beside the map, with its value.
fn shortened(name: &str, value: f64) -> String {
    let value = level(value);
    if name.is_empty() || name == value {
        return value;
    }
    let short: String = name.chars().take(14).collect();
    let cut = if short.len() < name.len() { "…" } else { "" };
    format!("{short}{cut} {value}")
}

/// The step of the ramp: 0 for an empty cell only, the last for the fullest.
fn step(number: u64, greatest: u64) -> u64 {
    if number == 0 || greatest == 0 { 0 } else { (number * STEPS).div_ceil(greatest).clamp(1, STEPS) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_empty_cell_has_no_colour() {
        assert_eq!(step(0, 100), 0);
        assert_eq!(step(1, 1_000), 1);
        assert_eq!(step(100, 100), 8);
        assert_eq!(step(50, 100), 4);
        assert_eq!(step(0, 0), 0);
    }

    #[test]
    fn a_level_is_named_once() {
        assert_eq!(shortened("irrelevant", 0.0), "irrelevant 0");
        assert_eq!(shortened("mostly grounded in it", 4.0), "mostly grounde… 4");
        assert_eq!(shortened("3", 3.0), "3");
    }
}
