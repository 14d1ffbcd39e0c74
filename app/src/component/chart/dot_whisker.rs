//! A dot for the value and a line for its interval.

use crate::component::{
    chart::{axis::Axis, rem},
    figure::{Form, in_words},
    number::level,
};
use domain::agreement::Estimate;
use leptos::prelude::*;

/// Width of the picture, in units of the drawing.
pub(crate) const WIDTH: f64 = 240.0;

const HEIGHT: f64 = 28.0;

/// One figure on an axis. An undefined one has no dot; its reason is in the description.
#[component]
pub(crate) fn DotWhisker(
    /// The figure.
    estimate: Estimate,
    /// What it is, for those who listen.
    name: String,
    /// The axis that it shares with its neighbours; made for [`WIDTH`].
    axis: Axis,
) -> impl IntoView {
    let middle = HEIGHT / 2.0;
    view! {
        <svg class="chart dot-whisker" role="img" width=rem(WIDTH) height=rem(HEIGHT) viewBox=format!("0 0 {WIDTH} {HEIGHT}")>
            <title>{name}</title>
            <desc>{in_words(&estimate, Form::Plain)}</desc>
            <Grid axis=axis top=0.0 bottom=HEIGHT/>
            <Mark estimate=estimate axis=axis y=middle/>
        </svg>
    }
}

/// The scale of a column of figures: the values of its grid lines.
#[component]
pub(crate) fn AxisLabels(
    /// The axis.
    axis: Axis,
    /// Width of the picture.
    width: f64,
) -> impl IntoView {
    let labels = axis
        .ticks()
        .into_iter()
        .map(|tick| view! { <text x=axis.at(tick) y="11" text-anchor="middle">{level(tick)}</text> })
        .collect_view();
    view! {
        <svg class="chart" aria-hidden="true" width=rem(width) height="0.875rem" viewBox=format!("0 0 {width} 14")>{labels}</svg>
    }
}

/// Lines at the round values, the zero line a little stronger.
#[component]
pub(crate) fn Grid(
    /// The axis.
    axis: Axis,
    /// Where the lines begin.
    top: f64,
    /// Where they end.
    bottom: f64,
) -> impl IntoView {
    axis.ticks()
        .into_iter()
        .map(|tick| {
            let class = if tick.abs() < 1e-9 { "zero" } else { "grid" };
            view! { <line class=class x1=axis.at(tick) x2=axis.at(tick) y1=top y2=bottom></line> }
        })
        .collect_view()
}

/// The dot and the whisker themselves, at a height.
#[component]
pub(crate) fn Mark(
    /// The figure.
    estimate: Estimate,
    /// The axis.
    axis: Axis,
    /// The height.
    y: f64,
) -> impl IntoView {
    let whisker = estimate.interval().map(|interval| {
        view! { <line class="whisker" x1=axis.at(interval.low) x2=axis.at(interval.high) y1=y y2=y></line> }
    });
    let dot =
        estimate.value().map(|value| view! { <circle class="dot" cx=axis.at(value) cy=y r="4.5"></circle> });
    view! { {whisker} {dot} }
}
