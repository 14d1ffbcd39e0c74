//! Figures as people read them in a terminal.

use domain::{ConfirmOpening, agreement::Estimate};

/// `0.71 [0.62, 0.78]`, or why there is none.
pub(super) fn figure(estimate: &Estimate) -> String {
    match (estimate.value(), estimate.interval()) {
        (Some(value), Some(interval)) => format!("{value:.2} [{:.2}, {:.2}]", interval.low, interval.high),
        (Some(value), None) => format!("{value:.2}"),
        (None, _) => format!("undefined: {}", estimate.says().unwrap_or_default()),
    }
}

/// A number or a dash.
pub(super) fn number(number: Option<f64>, decimals: usize) -> String {
    number.map_or_else(|| "–".to_owned(), |number| format!("{number:.decimals$}"))
}

/// A p value: never 0.
pub(super) fn p_value(p: Option<f64>) -> String {
    match p {
        Some(p) if p < 0.0001 => "< 0.0001".to_owned(),
        p => number(p, 4),
    }
}

/// Rows as aligned columns, the first to the left, the others to the right.
pub(super) fn columns(rows: &[Vec<String>]) -> String {
    let width =
        |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..).map_while(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let padding = " ".repeat(width.saturating_sub(cell.chars().count()));
            line.push_str(&if column == 0 {
                format!("{cell}{padding}")
            } else {
                format!("  {padding}{cell}")
            });
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// A look at `confirm`; later ones are marked.
pub(super) fn opening(opening: &ConfirmOpening) -> String {
    let why = opening.why.as_deref().map_or_else(|| "no reason given".to_owned(), domain::visible);
    match opening.look {
        1 => ", opened for the first time".to_owned(),
        look => format!(", look {look} at the same candidate ({why})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_p_value_is_never_nothing() {
        assert_eq!([Some(0.000_01), Some(0.25), None].map(p_value), ["< 0.0001", "0.2500", "–"]);
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [vec!["a".to_owned(), "1".to_owned()], vec!["bcd".to_owned(), "200".to_owned()]];
        assert_eq!(columns(&rows), "a      1\nbcd  200\n");
    }
}
