//! Pass and fail at a threshold: how often a judge passes what people pass, and fails what they fail.

use serde::{Deserialize, Serialize};

use crate::input::column::Column;
use crate::input::pairs::{Pairs, units_of};
use crate::input::ratings::Ratings;
use crate::input::scale::SNAP;
use crate::judge::comparison::Judge;
use crate::rate::mean::arithmetic_mean;
use crate::rate::proportion::{ProportionInterval, clustered_share, proportion};
use crate::result::estimate::{Estimate, Undefined};
use crate::result::inference::{Inference, flag_size};

/// Counts of judged items by what people and the judge said. The positive class is *pass*.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassFail {
    /// People pass, the judge passes.
    pub true_pass: u64,
    /// People pass, the judge fails.
    pub false_fail: u64,
    /// People fail, the judge fails.
    pub true_fail: u64,
    /// People fail, the judge passes.
    pub false_pass: u64,
}

impl PassFail {
    /// Counts matched answers, `a` being people: a value at or above the threshold passes. 0 is a threshold too.
    ///
    /// ```
    /// use agreement::{PassFail, Pairs, Scale};
    /// let scale = Scale::ordinal([1.0, 2.0, 3.0, 4.0, 5.0])?;
    /// let pairs = Pairs::from_values(scale, &[5.0, 4.0, 2.0, 1.0].map(Some), &[4.0, 3.0, 4.0, 1.0].map(Some))?;
    /// let counts = PassFail::at(&pairs, 4.0);
    /// assert_eq!(counts, PassFail { true_pass: 1, false_fail: 1, true_fail: 1, false_pass: 1 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at(pairs: &Pairs, threshold: f64) -> PassFail {
        let mut counts = PassFail::default();
        for (person, judge) in pairs.values() {
            match (passes(person, threshold), passes(judge, threshold)) {
                (true, true) => counts.true_pass += 1,
                (true, false) => counts.false_fail += 1,
                (false, false) => counts.true_fail += 1,
                (false, true) => counts.false_pass += 1,
            }
        }
        counts
    }

    /// Items that people pass.
    pub fn passes(&self) -> u64 {
        self.true_pass.saturating_add(self.false_fail)
    }

    /// Items that people fail.
    pub fn fails(&self) -> u64 {
        self.true_fail.saturating_add(self.false_pass)
    }

    /// Share of what people pass that the judge passes (sensitivity). Undefined [`Undefined::NoPositives`].
    pub fn true_pass_rate(&self, confidence: f64, interval: ProportionInterval) -> Estimate {
        proportion(self.true_pass, self.passes(), confidence, interval, Undefined::NoPositives)
    }

    /// Share of what people fail that the judge fails (specificity). Undefined [`Undefined::NoNegatives`].
    pub fn true_fail_rate(&self, confidence: f64, interval: ProportionInterval) -> Estimate {
        proportion(self.true_fail, self.fails(), confidence, interval, Undefined::NoNegatives)
    }
}

fn passes(value: f64, threshold: f64) -> bool {
    value >= threshold - SNAP
}

/// How often a judge passes what people pass, and fails what they fail.
#[derive(Clone, Debug, PartialEq)]
pub struct PassRates {
    /// Share of what people pass that the judge passes (sensitivity).
    pub true_pass_rate: Estimate,
    /// Share of what people fail that the judge fails (specificity).
    pub true_fail_rate: Estimate,
}

/// The rates of a judge at a threshold; a value at or above it passes. An item counts with the share of its valid
/// repeats that agree. The analytic interval is Wilson's, by cluster where items share one.
///
/// Undefined [`Undefined::NoPositives`] or [`Undefined::NoNegatives`] where the judge answered no such item.
///
/// ```
/// use agreement::{Inference, Judge, Ratings, Scale, pass_rates};
/// let rows = [[5.0, 4.0], [4.0, 3.0], [2.0, 4.0], [1.0, 1.0], [2.0, 1.0]].map(|row| row.map(Some).to_vec());
/// let ratings = Ratings::from_table(Scale::ordinal([1.0, 2.0, 3.0, 4.0, 5.0])?, &rows)?;
/// let judge = Judge::once(ratings.column(1));
/// let rates = pass_rates(&ratings, &ratings.column(0), &judge, 4.0, &Inference::analytic());
/// assert_eq!(rates.true_pass_rate.value(), Some(0.5));
/// assert_eq!(rates.true_fail_rate.value(), Some(2.0 / 3.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pass_rates(
    ratings: &Ratings,
    reference: &Column,
    judge: &Judge,
    threshold: f64,
    inference: &Inference,
) -> PassRates {
    let value = |column: &Column, item: usize| {
        column.level(item).and_then(|level| ratings.level_values().get(level as usize)).copied()
    };
    let rate = |pass: bool, reason: Undefined| {
        let (mut items, mut hits, mut missing) = (Vec::new(), Vec::new(), 0);
        for item in 0..ratings.n_items() {
            if value(reference, item).map(|value| passes(value, threshold)) != Some(pass) {
                continue;
            }
            let answers = judge.repeats().iter().filter_map(|column| value(column, item));
            let agreeing: Vec<f64> =
                answers.map(|value| f64::from(passes(value, threshold) == pass)).collect();
            match arithmetic_mean(&agreeing) {
                Some(share) => {
                    items.push(item);
                    hits.push(share);
                }
                None => missing += u64::from(judge.was_asked(item)),
            }
        }
        if hits.is_empty() {
            return Estimate::undefined_because(reason, "there is no item to take the share of", 0, missing);
        }
        let units = units_of(ratings, items.into_iter(), inference.resampling.unit);
        let share = clustered_share(&hits, missing, &units, inference);
        flag_size(share, hits.len(), units.unit, units.count)
    };
    PassRates {
        true_pass_rate: rate(true, Undefined::NoPositives),
        true_fail_rate: rate(false, Undefined::NoNegatives),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::scale::Scale;

    fn ratings(rows: &[Vec<Option<f64>>]) -> Ratings {
        Ratings::from_table(Scale::ordinal([1.0, 2.0, 3.0]).unwrap(), rows).unwrap()
    }

    #[test]
    fn one_run_of_independent_items_has_the_interval_of_the_counts() {
        let rows: Vec<Vec<Option<f64>>> = (0..90)
            .map(|item| [item % 3, item % 7 % 3].map(|level| Some(f64::from(level) + 1.0)).to_vec())
            .collect();
        let ratings = ratings(&rows);
        let judge = Judge::once(ratings.column(1));
        let rates = pass_rates(&ratings, &ratings.column(0), &judge, 2.0, &Inference::analytic());
        let counts = PassFail::at(&ratings.pair(0, 1), 2.0);
        for (found, expected) in [
            (&rates.true_pass_rate, counts.true_pass_rate(0.95, ProportionInterval::Wilson)),
            (&rates.true_fail_rate, counts.true_fail_rate(0.95, ProportionInterval::Wilson)),
        ] {
            assert_eq!((found.value(), found.n()), (expected.value(), expected.n()));
            let bounds = |estimate: &Estimate| {
                estimate.interval().map(|interval| (interval.low, interval.high)).unwrap()
            };
            let ((low, high), (expected_low, expected_high)) = (bounds(found), bounds(&expected));
            assert!((low - expected_low).abs() < 1e-12 && (high - expected_high).abs() < 1e-12);
        }
    }

    #[test]
    fn repeats_count_in_shares_and_failures_are_missing() {
        let ratings = ratings(&[
            vec![Some(3.0), Some(3.0), Some(1.0)],
            vec![Some(2.0), Some(2.0), None],
            vec![Some(3.0), None, None],
        ]);
        let judge = Judge::repeated(vec![ratings.column(1), ratings.column(2)]);
        let rates = pass_rates(&ratings, &ratings.column(0), &judge, 2.0, &Inference::analytic());
        let found = &rates.true_pass_rate;
        assert_eq!((found.value(), found.n(), found.missing()), (Some(0.75), 2, 1));
        assert_eq!(rates.true_fail_rate.undefined(), Some(Undefined::NoNegatives));
    }
}
