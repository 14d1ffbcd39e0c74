//! The forest plot: one figure a row, and behind all rows the band of what people reach.

use crate::component::{
    chart::{
        axis::Axis,
        dot_whisker::{Grid, Mark},
        rem,
    },
    figure::{Form, in_words},
};
use domain::agreement::Estimate;
use leptos::prelude::*;

/// One row of the plot.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ForestRow {
    /// What the figure is of.
    pub(crate) name: String,
    /// The figure.
    pub(crate) estimate: Estimate,
    /// How well one person agrees with the others on the same items.
    pub(crate) ceiling: Estimate,
    /// Whether this is what the others are compared with.
    pub(crate) incumbent: bool,
}

/// Height of a row, in units of the drawing: `--row` of the tokens at the usual font size.
const ROW: f64 = 44.0;

/// The rows as one picture, each as high as a row of the table that it stands in.
#[component]
pub(crate) fn Forest(
    /// The rows, in the order of the table.
    rows: Vec<ForestRow>,
    /// The axis.
    axis: Axis,
    /// Width of the picture.
    width: f64,
    /// Whether each row has its name above the mark, where no table stands beside it.
    #[prop(optional)]
    named: bool,
) -> impl IntoView {
    let height = ROW * f64::from(u32::try_from(rows.len()).unwrap_or(u32::MAX));
    let ceilings: Vec<Option<(f64, f64)>> = rows.iter().map(|row| extent(&row.ceiling)).collect();
    let band = bands(&ceilings, &axis)
        .into_iter()
        .map(|path| view! { <path class="band" d=path></path> })
        .collect_view();
    let line = ceiling_lines(&rows, &axis)
        .into_iter()
        .map(|path| view! { <path class="ceiling" d=path></path> })
        .collect_view();
    let description = description(&rows);
    let marks = rows
        .into_iter()
        .enumerate()
        .map(|(index, row)| {
            let top = row_top(index);
            let label = named.then(
                || view! { <text class="label" x="4" y=top + 14.0>{domain::visible(&row.name)}</text> },
            );
            let y = top + if named { 30.0 } else { ROW / 2.0 };
            view! {
                <g class:incumbent=row.incumbent>
                    {label}
                    <Mark estimate=row.estimate axis=axis y=y/>
                </g>
            }
        })
        .collect_view();
    view! {
        <svg class="chart forest" role="img" width=rem(width) height=rem(height) viewBox=format!("0 0 {width} {height}")>
            <title>"κ of each judge with its interval, and what people reach"</title>
            <desc>{description}</desc>
            <Grid axis=axis top=0.0 bottom=height/>
            {band}
            {line}
            {marks}
        </svg>
    }
}

fn row_top(index: usize) -> f64 {
    ROW * f64::from(u32::try_from(index).unwrap_or(u32::MAX))
}

/// The interval of a ceiling; none where it is undefined or has no interval.
fn extent(ceiling: &Estimate) -> Option<(f64, f64)> {
    ceiling.interval().map(|interval| (interval.low, interval.high))
}

/// One closed path for each run of rows that have a ceiling: down the upper bounds, and back up the lower ones. Where every row has
/// the same ceiling that is one plain band.
fn bands(ceilings: &[Option<(f64, f64)>], axis: &Axis) -> Vec<String> {
    let mut paths = Vec::new();
    let mut run: Vec<(f64, f64, f64)> = Vec::new();
    for (index, ceiling) in ceilings.iter().enumerate() {
        match ceiling {
            Some((low, high)) => run.push((row_top(index), axis.at(*low), axis.at(*high))),
            None => close(&mut run, &mut paths),
        }
    }
    close(&mut run, &mut paths);
    paths
}

fn close(run: &mut Vec<(f64, f64, f64)>, paths: &mut Vec<String>) {
    let Some((first, low, _)) = run.first().copied() else { return };
    let mut path = format!("M{low} {first}");
    for (top, _, high) in run.iter() {
        path.push_str(&format!("L{high} {top}L{high} {}", top + ROW));
    }
    for (top, low, _) in run.iter().rev() {
        path.push_str(&format!("L{low} {}L{low} {top}", top + ROW));
    }
    path.push('Z');
    paths.push(path);
    run.clear();
}

/// A line down the ceilings themselves, broken where one is undefined.
fn ceiling_lines(rows: &[ForestRow], axis: &Axis) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let mut open = false;
    for (index, row) in rows.iter().enumerate() {
        let (top, bottom) = (row_top(index), row_top(index) + ROW);
        match row.ceiling.value().map(|value| axis.at(value)) {
            Some(x) if open => {
                if let Some(path) = paths.last_mut() {
                    path.push_str(&format!("L{x} {top}L{x} {bottom}"));
                }
            }
            Some(x) => paths.push(format!("M{x} {top}L{x} {bottom}")),
            None => {}
        }
        open = row.ceiling.value().is_some();
    }
    paths
}

fn description(rows: &[ForestRow]) -> String {
    let mut sentences = Vec::new();
    for row in rows {
        let incumbent = if row.incumbent { " (incumbent)" } else { "" };
        let figure = in_words(&row.estimate, Form::Plain);
        sentences.push(format!("{}{incumbent}: {figure}.", domain::visible(&row.name)));
    }
    if let Some(first) = rows.first() {
        sentences.push(format!("People reach {}.", in_words(&first.ceiling, Form::Plain)));
    }
    sentences.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::agreement::Undefined;

    fn axis() -> Axis {
        Axis::of_coefficients(std::iter::empty(), 128.0)
    }

    #[test]
    fn equal_ceilings_are_one_band() {
        let paths = bands(&[Some((0.5, 1.0)), Some((0.5, 1.0))], &axis());
        assert_eq!(paths, ["M64 0L114 0L114 44L114 44L114 88L64 88L64 44L64 44L64 0Z"]);
    }

    #[test]
    fn a_row_without_a_ceiling_breaks_the_band() {
        let paths = bands(&[Some((0.5, 1.0)), None, Some((0.0, 0.5))], &axis());
        assert_eq!(paths.len(), 2);
        assert!(paths[1].starts_with("M14 88L64 88"));
        assert!(bands(&[None], &axis()).is_empty());
    }

    #[test]
    fn the_picture_is_told_in_words() {
        let row = |name: &str, incumbent, estimate| ForestRow {
            name: name.to_owned(),
            estimate,
            ceiling: Estimate::defined(0.8, 10, 0),
            incumbent,
        };
        let rows = [
            row("a", false, Estimate::defined(0.6, 10, 0)),
            row("b", true, Estimate::undefined_because(Undefined::NoVariation, "one level only", 10, 0)),
        ];
        assert_eq!(
            description(&rows),
            "a: 0.60. b (incumbent): undefined: one level only. People reach 0.80."
        );
        assert_eq!(ceiling_lines(&rows, &axis()), ["M94 0L94 44L94 44L94 88"]);
    }
}
