//! A mean that rolls through time: a line with its band, marks where it fell, and rules where another model began.

use crate::component::{chart::rem, number::fixed};
use domain::{Alert, Day, ModelEvent, RollingPoint};
use leptos::prelude::*;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 40.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 22.0;
const BOTTOM: f64 = 24.0;

const SMALL_WIDTH: f64 = 132.0;
const SMALL_HEIGHT: f64 = 30.0;

/// The least span of values that a picture shows: noise must not look like a mountain.
const LEAST_SPAN: f64 = 0.2;

/// Where days and values are put.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Frame {
    days: (Day, Day),
    values: (f64, f64),
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    /// A frame that holds all points with their bands; the values reach to tenths, and not beyond the scale from 0 to 1.
    fn of(points: &[RollingPoint], x: (f64, f64), y: (f64, f64)) -> Option<Frame> {
        let days = (points.first()?.day, points.last()?.day);
        let low = points.iter().map(|point| point.low.unwrap_or(point.mean)).fold(1.0, f64::min);
        let high = points.iter().map(|point| point.high.unwrap_or(point.mean)).fold(0.0, f64::max);
        let mut low = ((low * 10.0 + 1e-9).floor() / 10.0).max(0.0);
        let mut high = ((high * 10.0 - 1e-9).ceil() / 10.0).min(1.0);
        while high - low < LEAST_SPAN - 1e-9 {
            high = (high + 0.1).min(1.0);
            low = (low - 0.1).max(0.0);
        }
        Some(Frame { days, values: (low, high), x, y })
    }

    fn x(&self, day: Day) -> f64 {
        let span = f64::from(self.days.1.since(self.days.0).max(1));
        round(self.x.0 + f64::from(day.since(self.days.0)) / span * (self.x.1 - self.x.0))
    }

    fn y(&self, value: f64) -> f64 {
        let (low, high) = self.values;
        let share = (value.clamp(low, high) - low) / (high - low);
        round(self.y.1 - share * (self.y.1 - self.y.0))
    }

    fn holds(&self, day: Day) -> bool {
        self.days.0 <= day && day <= self.days.1
    }

    /// Values to mark, from low to high.
    fn ticks(&self) -> Vec<f64> {
        let (low, high) = self.values;
        let step = if high - low > 0.55 { 0.2 } else { 0.1 };
        (0..=10).map(|at| low + step * f64::from(at)).take_while(|tick| *tick <= high + 1e-9).collect()
    }

    /// Days to mark: about six, evenly.
    fn days(&self) -> Vec<Day> {
        let step = (self.days.1.since(self.days.0) / 5).max(1);
        (0..=5).map(|at| self.days.0 + at * step).filter(|day| self.holds(*day)).collect()
    }
}

fn round(place: f64) -> f64 {
    (place * 10.0).round() / 10.0
}

/// Runs of days that follow each other: a gap is no line.
fn runs(points: &[RollingPoint]) -> impl Iterator<Item = &[RollingPoint]> {
    points.chunk_by(|a, b| b.day.since(a.day) <= 1)
}

fn line(frame: &Frame, run: &[RollingPoint]) -> String {
    let places: Vec<String> =
        run.iter().map(|point| format!("{},{}", frame.x(point.day), frame.y(point.mean))).collect();
    places.join(" ")
}

fn band(frame: &Frame, run: &[RollingPoint]) -> String {
    let high = run.iter().map(|point| (point.day, point.high.unwrap_or(point.mean)));
    let low = run.iter().rev().map(|point| (point.day, point.low.unwrap_or(point.mean)));
    let places: Vec<String> =
        high.chain(low).map(|(day, value)| format!("{},{}", frame.x(day), frame.y(value))).collect();
    places.join(" ")
}

/// A triangle that points down at a place.
fn triangle(x: f64, y: f64) -> String {
    let top = y - 9.0;
    format!("{x},{y} {},{top} {},{top}", x - 5.5, x + 5.5)
}

/// The whole picture of a line.
#[component]
pub(crate) fn Rolling(
    /// What it is, for those who listen.
    name: String,
    /// The rolling means.
    points: Vec<RollingPoint>,
    /// Where it fell.
    alerts: Vec<Alert>,
    /// Where another judge or model began.
    events: Vec<ModelEvent>,
) -> impl IntoView {
    let frame = Frame::of(&points, (LEFT, WIDTH - RIGHT), (TOP, HEIGHT - BOTTOM))?;
    let mean_on = |day: Day| points.iter().find(|point| point.day == day).map(|point| point.mean);
    let (first, last) = (points.first()?, points.last()?);
    let description = format!(
        "From {} on {} to {} on {}. {} falls are marked, and {} rules where another judge or model began.",
        fixed(first.mean, 2),
        first.day,
        fixed(last.mean, 2),
        last.day,
        alerts.iter().filter(|alert| frame.holds(alert.day)).count(),
        events.iter().filter(|event| frame.holds(event.day)).count(),
    );
    let values = frame
        .ticks()
        .into_iter()
        .map(|tick| {
            let y = frame.y(tick);
            view! {
                <line class="grid" x1=LEFT x2=WIDTH - RIGHT y1=y y2=y></line>
                <text x=LEFT - 6.0 y=y + 4.0 text-anchor="end">{fixed(tick, 1)}</text>
            }
        })
        .collect_view();
    let days = frame
        .days()
        .into_iter()
        .map(|day| {
            let anchor = match day {
                day if day == frame.days.0 => "start",
                day if day == frame.days.1 => "end",
                _ => "middle",
            };
            view! { <text x=frame.x(day) y=HEIGHT - 8.0 text-anchor=anchor>{day.to_string().split_off(5)}</text> }
        })
        .collect_view();
    let rules = events
        .iter()
        .filter(|event| frame.holds(event.day))
        .map(|event| {
            let x = frame.x(event.day);
            let model = event.judge.reported_model.clone().unwrap_or_else(|| event.judge.full_name());
            let model: String = domain::visible(&model).chars().take(28).collect();
            let anchor = if x > WIDTH / 2.0 { "end" } else { "start" };
            let beside = if x > WIDTH / 2.0 { x - 4.0 } else { x + 4.0 };
            view! {
                <line class="rule" x1=x x2=x y1=TOP - 8.0 y2=HEIGHT - BOTTOM></line>
                <text class="label" x=beside y=TOP - 10.0 text-anchor=anchor>{model}</text>
            }
        })
        .collect_view();
    let drawn = runs(&points)
        .map(|run| {
            view! {
                <polygon class="band" points=band(&frame, run)></polygon>
                <polyline class="line" points=line(&frame, run)></polyline>
            }
        })
        .collect_view();
    let marks = alerts
        .iter()
        .filter_map(|alert| {
            let mean = mean_on(alert.day)?;
            let class = if alert.within_noise { "fall noise" } else { "fall" };
            let points = triangle(frame.x(alert.day), frame.y(mean) - 4.0);
            Some(view! { <polygon class=class points=points></polygon> })
        })
        .collect_view();
    Some(view! {
        <svg class="chart rolling" role="img" width="100%" viewBox=format!("0 0 {WIDTH} {HEIGHT}")>
            <title>{name}</title>
            <desc>{description}</desc>
            {values} {days} {rules} {drawn} {marks}
        </svg>
    })
}

/// The same as a word among words.
#[component]
pub(crate) fn Sparkline(
    /// What it is, for those who listen.
    name: String,
    /// The rolling means.
    points: Vec<RollingPoint>,
    /// Where it fell.
    alerts: Vec<Alert>,
) -> impl IntoView {
    let frame = Frame::of(&points, (3.0, SMALL_WIDTH - 3.0), (9.0, SMALL_HEIGHT - 3.0))?;
    let (first, last) = (points.first()?, points.last()?);
    let description = format!("From {} to {}.", fixed(first.mean, 2), fixed(last.mean, 2));
    let drawn = runs(&points)
        .map(|run| view! { <polyline class="line" points=line(&frame, run)></polyline> })
        .collect_view();
    let marks = alerts
        .iter()
        .filter(|alert| !alert.within_noise)
        .filter_map(|alert| {
            let mean = points.iter().find(|point| point.day == alert.day)?.mean;
            Some(
                view! { <polygon class="fall" points=triangle(frame.x(alert.day), frame.y(mean))></polygon> },
            )
        })
        .collect_view();
    let (x, y) = (frame.x(last.day), frame.y(last.mean));
    Some(view! {
        <svg class="chart rolling" role="img" width=rem(SMALL_WIDTH) height=rem(SMALL_HEIGHT) viewBox=format!("0 0 {SMALL_WIDTH} {SMALL_HEIGHT}")>
            <title>{name}</title>
            <desc>{description}</desc>
            {drawn}
            <circle class="dot" cx=x cy=y r="2.5"></circle>
            {marks}
        </svg>
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(day: i32, mean: f64) -> RollingPoint {
        RollingPoint { day: Day(day), n: 100, mean, low: Some(mean - 0.01), high: Some(mean + 0.01) }
    }

    #[test]
    fn noise_does_not_fill_the_picture_and_gaps_are_no_line() {
        let points = [point(0, 0.751), point(1, 0.752), point(5, 0.75)];
        let frame = Frame::of(&points, (0.0, 50.0), (0.0, 100.0)).unwrap();
        assert!(frame.values.1 - frame.values.0 >= 0.2 - 1e-9, "{frame:?}");
        assert_eq!(runs(&points).map(<[_]>::len).collect::<Vec<_>>(), [2, 1]);
        assert!((frame.x(Day(5)) - 50.0).abs() < 1e-9);
        assert!(Frame::of(&[], (0.0, 1.0), (0.0, 1.0)).is_none());
        let ends = Frame::of(&[point(0, 0.0), point(1, 1.0)], (0.0, 50.0), (0.0, 100.0)).unwrap();
        assert!((ends.y(1.0) - 0.0).abs() < 1e-9 && ends.ticks().len() == 6, "{ends:?}");
    }
}
