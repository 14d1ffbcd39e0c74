//! When a week is told to have fallen.

use super::{
    Day, Moved,
    series::{Series, WEEK},
};
use agreement::Estimate;
use serde::{Deserialize, Serialize};

/// Fewer scores than this in either week raise no alarm: so far out in the tails, where the level of an alarm lies, means of fewer are not
/// normal.
const FEWEST: u64 = 100;

/// Days after which a fall that is seen again is another one: until then both are of the same weeks.
const APART: i32 = WEEK;

/// A weekly mean that fell against the week before by more than its dimension allows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alert {
    /// The day on which it is told: the first whose week fell beyond noise; the first of all where none did.
    pub day: Day,
    /// The last day whose week fell.
    pub last: Day,
    /// The change of the week that ended with `day`, at the level of the alarms.
    pub change: Estimate,
    /// Whether the interval holds 0, or a week has too few scores: nothing is told then.
    pub within_noise: bool,
    /// What the change is made of; absent within noise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<Moved>,
}

/// How the week that ends with a day stands.
struct Fall {
    day: Day,
    change: Estimate,
    within_noise: bool,
}

impl Alert {
    /// Whether the fall was still seen on a day.
    #[must_use]
    pub fn is_on(&self, day: Day) -> bool {
        self.last >= day
    }

    /// The falls of a line, oldest first. `level` is that of the interval that an alarm asks.
    pub(super) fn all(series: &Series, fall: f64, level: f64) -> Vec<Alert> {
        let mut alerts: Vec<Alert> = Vec::new();
        let mut day = series.first() + WEEK;
        while day <= series.last() {
            if let Some(found) = seen(series, day, fall, level) {
                match alerts.last_mut() {
                    Some(alert) if found.day.since(alert.last) < APART => alert.go_on(found),
                    _ => alerts.push(found.begin()),
                }
            }
            day = day + 1;
        }
        alerts
    }

    fn go_on(&mut self, found: Fall) {
        self.last = found.day;
        if self.within_noise && !found.within_noise {
            let Fall { day, change, within_noise } = found;
            *self = Alert { day, last: day, change, within_noise, moved: None };
        }
    }
}

impl Fall {
    fn begin(self) -> Alert {
        let Fall { day, change, within_noise } = self;
        Alert { day, last: day, change, within_noise, moved: None }
    }
}

fn seen(series: &Series, day: Day, fall: f64, level: f64) -> Option<Fall> {
    let (week, before) = (series.week(day).count, series.week(day - WEEK).count);
    if week == 0 || before == 0 {
        return None;
    }
    let change = series.change(day, level);
    if change.value()? >= -fall {
        return None;
    }
    let is_below = change.interval().is_some_and(|interval| interval.high < 0.0);
    let within_noise = !is_below || week.min(before) < FEWEST;
    Some(Fall { day, change, within_noise })
}

/// The level of the interval that an alarm asks, so that a year in which nothing changes gives at most so many false alarms: one side of
/// `false_alarms` ÷ (lines · 365 days), by Bonferroni, whatever the lines have to do with each other.
pub(super) fn level(false_alarms: f64, lines: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "lines are some hundred at most")]
    let looks = lines.max(1) as f64 * 365.0;
    1.0 - 2.0 * (false_alarms / looks).clamp(1e-9, 0.25)
}
