//! Charts as SVG: each has a title and a description, takes its colours from classes, and stands beside the same numbers as text.

pub(crate) mod axis;
pub(crate) mod bars;
pub(crate) mod dot_whisker;
pub(crate) mod forest;
pub(crate) mod heat_map;
pub(crate) mod rolling;
pub(crate) mod stages;

/// A length of the drawing as one that follows the font size: 16 units are 1 rem, so that charts and the tables around them grow alike.
fn rem(units: f64) -> String {
    format!("{}rem", units / 16.0)
}
