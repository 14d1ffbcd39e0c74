//! Small bars: how often each level, or each step of a scale, occurs.

use crate::component::{chart::rem, number::counted};
use leptos::prelude::*;

const WIDTH: f64 = 14.0;
const HEIGHT: f64 = 28.0;

/// The shares as bars of one height scale; the counts stand in the description.
#[component]
pub(crate) fn Bars(
    /// What is counted, for those who listen.
    name: String,
    /// The name of each bar and its count, in the order of the scale.
    bars: Vec<(String, u64)>,
    /// What is counted.
    noun: &'static str,
) -> impl IntoView {
    let total: u64 = bars.iter().map(|(_, number)| number).sum();
    let width = (WIDTH + 2.0) * f64::from(u32::try_from(bars.len()).unwrap_or(u32::MAX));
    let description: Vec<String> =
        bars.iter().map(|(bar, number)| format!("{bar}: {}", counted(*number, noun))).collect();
    let bars = bars
        .into_iter()
        .enumerate()
        .map(|(index, (_, number))| {
            let height = bar_height(number, total);
            let x = (WIDTH + 2.0) * f64::from(u32::try_from(index).unwrap_or(u32::MAX));
            view! { <rect class="bar" x=x y=HEIGHT - height width=WIDTH height=height></rect> }
        })
        .collect_view();
    view! {
        <svg class="chart bars" role="img" width=rem(width) height=rem(HEIGHT) viewBox=format!("0 0 {width} {HEIGHT}")>
            <title>{name}</title>
            <desc>{description.join(", ")}</desc>
            {bars}
        </svg>
    }
}

/// The height of a bar: the whole picture for all labels, and a trace where there is one at least.
fn bar_height(number: u64, total: u64) -> f64 {
    if number == 0 || total == 0 {
        return 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of labels, far below 2^53")]
    let share = number as f64 / total as f64;
    (2.0 + (HEIGHT - 2.0) * share).round()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_high_as_its_share() {
        assert!((bar_height(10, 10) - HEIGHT).abs() < 1e-9);
        assert!((bar_height(0, 10) - 1.0).abs() < 1e-9);
        assert!(bar_height(1, 10_000) > bar_height(0, 10_000));
    }
}
