//! A judge against itself: how steady its answers are over repeats.

use crate::input::pairs::units_of;
use crate::input::ratings::Ratings;
use crate::judge::comparison::Judge;
use crate::measure::panel::{Clustering, Matched, Panel};
use crate::measure::weights::Weights;
use crate::rate::proportion::clustered_share;
use crate::result::estimate::{Estimate, Undefined, Unit};
use crate::result::inference::{Inference, flag_size};

/// How much a judge's answers to one item vary, averaged over the items with at least two valid repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Mean of greatest minus least value, in units of the scale.
    pub range: f64,
    /// Mean standard deviation (divisor repeats − 1), in units of the scale.
    pub standard_deviation: f64,
}

/// Share of the items, among those with two valid repeats or more, whose repeats are not all equal.
///
/// Undefined [`Undefined::TooFewRepeats`] where no item has two valid repeats.
pub fn flip_rate(ratings: &Ratings, judge: &Judge, inference: &Inference) -> Estimate {
    let repeated = repeated_items(ratings, judge);
    let missing = (0..ratings.n_items()).filter(|item| judge.was_asked(*item)).count() - repeated.len();
    if repeated.is_empty() {
        return too_few(missing);
    }
    let flipped: Vec<f64> = repeated
        .iter()
        .map(|(_, values)| f64::from(values.iter().any(|value| value.total_cmp(&values[0]).is_ne())))
        .collect();
    let units = units_of(ratings, repeated.iter().map(|(item, _)| *item), inference.resampling.unit);
    let estimate = clustered_share(&flipped, missing as u64, &units, inference);
    flag_size(estimate, flipped.len(), units.unit, units.count)
}

/// Mean within-item range and standard deviation over repeats; none where no item has two valid repeats.
pub fn spread(ratings: &Ratings, judge: &Judge) -> Option<Spread> {
    let repeated = repeated_items(ratings, judge);
    let n = repeated.len() as f64;
    let mean = |of: fn(&[f64]) -> f64| repeated.iter().map(|(_, values)| of(values)).sum::<f64>() / n;
    (n > 0.0).then(|| Spread { range: mean(range), standard_deviation: mean(deviation) })
}

fn range(values: &[f64]) -> f64 {
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most - values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn deviation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt()
}

/// κ of a judge with itself: the mean over all pairs of repeats, with one interval for the mean.
///
/// Undefined [`Undefined::TooFewRepeats`] where no item has two valid repeats.
pub fn intra_judge_kappa(
    ratings: &Ratings,
    judge: &Judge,
    weights: &Weights,
    inference: &Inference,
) -> Estimate {
    let repeated = repeated_items(ratings, judge).len();
    let missing = (0..ratings.n_items()).filter(|item| judge.was_asked(*item)).count() - repeated;
    if repeated == 0 {
        return too_few(missing);
    }
    let columns = judge.repeats();
    let matched = |a: usize, b: usize| -> Matched {
        (0..ratings.n_items())
            .filter_map(|item| Some((item as u32, columns[a].level(item)?, columns[b].level(item)?)))
            .collect()
    };
    let pairs = (0..columns.len()).flat_map(|a| (a + 1..columns.len()).map(move |b| (a, b)));
    let of_item = (inference.resampling.unit == Unit::Cluster).then(|| ratings.cluster_numbers());
    let mut panel = Panel::new(ratings.scale(), ratings.level_values(), weights, Clustering { of_item });
    match panel.mean(pairs.map(|(a, b)| matched(a, b)).collect()) {
        Ok((statistic, flags)) => {
            panel.solve(inference).of(statistic).kappa(&flags, missing as u64, inference)
        }
        Err(reason) => crate::judge::comparison::undefined_kappa(reason, repeated as u64, missing as u64),
    }
}

/// Items with at least two valid repeats, and their values.
fn repeated_items(ratings: &Ratings, judge: &Judge) -> Vec<(usize, Vec<f64>)> {
    let values = ratings.level_values();
    let at = |item: usize| -> Vec<f64> {
        let levels = judge.repeats().iter().filter_map(|column| column.level(item));
        levels.filter_map(|level| values.get(level as usize).copied()).collect()
    };
    (0..ratings.n_items()).map(|item| (item, at(item))).filter(|(_, values)| values.len() >= 2).collect()
}

fn too_few(missing: usize) -> Estimate {
    let says = "no item has two valid repeats";
    Estimate::undefined_because(Undefined::TooFewRepeats, says, 0, missing as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::scale::Scale;

    fn judge(rows: &[[Option<f64>; 3]]) -> (Ratings, Judge) {
        let rows: Vec<Vec<Option<f64>>> = rows.iter().map(|row| row.to_vec()).collect();
        let ratings = Ratings::from_table(Scale::ordinal([1.0, 2.0, 3.0]).unwrap(), &rows).unwrap();
        let judge = Judge::repeated((0..3).map(|repeat| ratings.column(repeat)).collect());
        (ratings, judge)
    }

    #[test]
    fn flips_are_counted_among_items_that_were_repeated() {
        let (ratings, judge) = judge(&[
            [Some(1.0), Some(1.0), Some(1.0)],
            [Some(2.0), Some(3.0), None],
            [Some(2.0), None, None],
        ]);
        let rate = flip_rate(&ratings, &judge, &Inference::analytic());
        assert_eq!((rate.value(), rate.n(), rate.missing()), (Some(0.5), 2, 1));
        let spread = spread(&ratings, &judge).unwrap();
        assert!((spread.range - 0.5).abs() < 1e-15);
        assert!((spread.standard_deviation - 0.5_f64.sqrt() / 2.0).abs() < 1e-15);
    }

    #[test]
    fn one_run_says_nothing_of_steadiness() {
        let (ratings, judge) = judge(&[[Some(1.0), None, None], [Some(2.0), None, None]]);
        let inference = Inference::analytic();
        assert_eq!(flip_rate(&ratings, &judge, &inference).undefined(), Some(Undefined::TooFewRepeats));
        let own = intra_judge_kappa(&ratings, &judge, &Weights::quadratic(), &inference);
        assert_eq!(own.undefined(), Some(Undefined::TooFewRepeats));
    }
}
