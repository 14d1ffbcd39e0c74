//! Which of the two moved: the assistant, or the judge that scores it.

use super::{
    Calibration, Day,
    report::ScoringJudge,
    series::{Series, WEEK},
};
use agreement::{Estimate, Interval, Method, Undefined, Unit, implied_standard_error, with_known_error};
use serde::{Deserialize, Serialize};

/// The level of the intervals by which something is said to have moved.
const LEVEL: f64 = 0.99;

/// What a change from one week to the next is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moved {
    /// Which of the two is shown to have moved.
    pub mover: Mover,
    /// How much more lenient the judge became, by its calibrations on the anchor set.
    pub judge: Estimate,
    /// What is left of the change: the assistant's.
    pub assistant: Estimate,
    /// The last calibration that this rests on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibrated: Option<Day>,
}

/// Which of the two moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mover {
    /// Neither is shown to have.
    Neither,
    /// The judge alone.
    Judge,
    /// The assistant alone.
    Assistant,
    /// Both.
    Both,
    /// There is no calibration that tells.
    Unknown,
}

/// A bound of the judge's part: its value, and the squared standard error of the calibrations in it.
#[derive(Clone, Copy, Debug, Default)]
struct Bound {
    value: f64,
    variance: f64,
}

impl Bound {
    fn error(self) -> f64 {
        self.variance.sqrt()
    }
}

impl Moved {
    /// What the change between the week that ends with `last` and the week before is made of.
    ///
    /// The judge's part is Σ over judges and days of (share of this week − share of the week before) · the judge's shift on that day. A
    /// shift is known on the days of calibrations; between two of them it changes at an unknown moment, and the part is given from the
    /// least to the greatest that any moment allows.
    pub(super) fn of(
        series: &Series,
        last: Day,
        judges: &[ScoringJudge],
        calibrations: &[&Calibration],
    ) -> Moved {
        let change = series.change(last, LEVEL);
        let weights = weights(series, last);
        let mut bounds = [Bound::default(); 2];
        let mut calibrated = None;
        let mut n = 0;
        let scoring: std::collections::BTreeSet<usize> = weights.iter().map(|(_, judge, _)| *judge).collect();
        for judge in scoring {
            let Some(known) = judges.get(judge) else {
                return Moved::unknown(change, "a judge is not known");
            };
            let own: Vec<&Calibration> =
                calibrations.iter().copied().filter(|found| found.fingerprint == known.fingerprint).collect();
            let of_judge: Vec<(Day, f64)> = weights
                .iter()
                .filter(|(_, by, _)| *by == judge)
                .map(|(day, _, weight)| (*day, *weight))
                .collect();
            let newest = own.last().map(|newest| newest.day());
            let is_current =
                series.shares_of_week(last).iter().any(|(_, by, share)| *by == judge && *share > 0.0);
            match newest {
                None => {
                    let says = format!("{} was never calibrated", known.in_words());
                    return Moved::unknown(change, &says);
                }
                Some(day) if is_current && day < last + (1 - WEEK) => {
                    let says = format!("{} was calibrated last on {day}, before this week", known.in_words());
                    return Moved::unknown(change, &says);
                }
                Some(day) => calibrated = calibrated.max(Some(day)),
            }
            let Some(found) = part(&of_judge, &own) else {
                let says = format!("a calibration of {} has no interval", known.in_words());
                return Moved::unknown(change, &says);
            };
            for (bound, found) in bounds.iter_mut().zip(found) {
                bound.value += found.value;
                bound.variance += found.variance;
            }
            n += own.iter().map(|calibration| calibration.shift.n()).sum::<u64>();
        }
        Moved::between(change, bounds, n, calibrated)
    }

    fn between(change: Estimate, [low, high]: [Bound; 2], n: u64, calibrated: Option<Day>) -> Moved {
        let middle = f64::midpoint(low.value, high.value);
        let judge = spanning(middle, low, high, n);
        let (Some(value), Some(error)) = (change.value(), implied_standard_error(&change)) else {
            return Moved { mover: Mover::Unknown, judge, assistant: change, calibrated };
        };
        let rest =
            |bound: Bound| Bound { value: value - bound.value, variance: bound.variance + error * error };
        let assistant = spanning(value - middle, rest(high), rest(low), change.n());
        let mover = match (is_moved(&judge), is_moved(&assistant)) {
            (true, true) => Mover::Both,
            (true, false) => Mover::Judge,
            (false, true) => Mover::Assistant,
            (false, false) => Mover::Neither,
        };
        Moved { mover, judge, assistant, calibrated }
    }

    fn unknown(change: Estimate, says: &str) -> Moved {
        let n = change.n();
        let none = || Estimate::undefined_because(Undefined::NoLabels, says, n, 0);
        Moved { mover: Mover::Unknown, judge: none(), assistant: none(), calibrated: None }
    }
}

/// Day, judge, and how much more that day's scores of that judge weigh in this week than in the week before.
fn weights(series: &Series, last: Day) -> Vec<(Day, usize, f64)> {
    let before = series.shares_of_week(last - WEEK).into_iter();
    let now = series.shares_of_week(last).into_iter();
    now.chain(before.map(|(day, judge, share)| (day, judge, -share))).collect()
}

/// The least and the greatest part that one judge's shifts can have in a change. `days` are its weights, `calibrations` its own, oldest
/// first and one at least.
fn part(days: &[(Day, f64)], calibrations: &[&Calibration]) -> Option<[Bound; 2]> {
    let shifts: Vec<(Day, f64, f64)> = calibrations
        .iter()
        .map(|found| Some((found.day(), found.shift.value()?, error_of(&found.shift)?)))
        .collect::<Option<_>>()?;
    // Before the first calibration the judge is as that one found it.
    let whole: f64 = days.iter().map(|(_, weight)| weight).sum();
    let mut of_shift = [vec![0.0; shifts.len()], vec![0.0; shifts.len()]];
    of_shift.iter_mut().for_each(|of| of[0] = whole);
    for (at, pair) in shifts.windows(2).enumerate() {
        let (earlier, later) = (pair[0].0, pair[1].0);
        let step = pair[1].1 - pair[0].1;
        // The weight of the days since a change that came on a day, for each day on which it may have come.
        let since =
            |came: Day| days.iter().filter(|(day, _)| *day >= came).map(|(_, weight)| weight).sum::<f64>();
        let bounds = days.iter().map(|(day, _)| *day).filter(|day| *day > earlier && *day <= later);
        let moments = bounds.chain([earlier + 1, later]).map(since);
        let (least, most) = moments.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), weight| {
            (low.min(weight * step), high.max(weight * step))
        });
        for (of, extreme) in of_shift.iter_mut().zip([least, most]) {
            let weight = if step.abs() > 0.0 { extreme / step } else { 0.0 };
            of[at] -= weight;
            of[at + 1] += weight;
        }
    }
    Some(of_shift.map(|of| {
        let each = || of.iter().zip(&shifts);
        Bound {
            value: each().map(|(weight, (_, shift, _))| weight * shift).sum(),
            variance: each().map(|(weight, (_, _, error))| (weight * error).powi(2)).sum(),
        }
    }))
}

/// The standard error of a shift; 0 where every item shifted alike, and so nothing varies.
fn error_of(shift: &Estimate) -> Option<f64> {
    if shift.has(agreement::Flag::ZeroWidthInterval) { Some(0.0) } else { implied_standard_error(shift) }
}

/// A figure between two bounds that each have an error of their own.
fn spanning(value: f64, low: Bound, high: Bound, n: u64) -> Estimate {
    // The least and the greatest end of the intervals around both.
    let end = |bound: Bound| {
        let around = with_known_error(bound.value, bound.error(), n, &super::series::wald(LEVEL));
        around.interval().map_or((bound.value, bound.value), |interval| (interval.low, interval.high))
    };
    let ((low, _), (_, high)) = (end(low), end(high));
    Estimate::defined(value, n, 0).with_interval(Interval {
        low: low.min(value),
        high: high.max(value),
        level: LEVEL,
        method: Method::Wald,
        unit: Unit::Item,
        clusters: n,
        resampling: None,
    })
}

fn is_moved(estimate: &Estimate) -> bool {
    estimate.interval().is_some_and(|interval| interval.low > 0.0 || interval.high < 0.0)
}
