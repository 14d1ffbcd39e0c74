//! The mean κ of pairs of raters.

use crate::input::ratings::Ratings;
use crate::measure::panel::{Clustering, Matched, Panel};
use crate::measure::weights::Weights;
use crate::result::estimate::{Estimate, Undefined, Unit};
use crate::result::inference::Inference;

/// The mean of the κ of these pairs of raters (by position), each on the items that both rated, with one interval for the mean: its draws,
/// or its influences, carry all pairs, since pairs that share a rater or an item are no independent figures. Pairs without a common
/// item take no part; those whose κ is undefined are left out and flagged. n is the number of distinct items.
///
/// ```
/// use agreement::{Inference, Ratings, Scale, Weights, mean_kappa};
/// let rows = [[1.0, 1.0, 2.0], [2.0, 2.0, 2.0], [3.0, 3.0, 3.0], [1.0, 2.0, 1.0]].map(|row| row.map(Some).to_vec());
/// let ratings = Ratings::from_table(Scale::ordinal([1.0, 2.0, 3.0])?, &rows)?;
/// let mean = mean_kappa(&ratings, &[(0, 1), (0, 2), (1, 2)], &Weights::quadratic(), &Inference::analytic());
/// assert_eq!(mean.n(), 4);
/// assert!(mean.interval().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn mean_kappa(
    ratings: &Ratings,
    pairs: &[(usize, usize)],
    weights: &Weights,
    inference: &Inference,
) -> Estimate {
    let of_item = (inference.resampling.unit == Unit::Cluster).then(|| ratings.cluster_numbers());
    let mut panel = Panel::new(ratings.scale(), ratings.level_values(), weights, Clustering { of_item });
    let matched: Vec<Matched> =
        pairs.iter().map(|(a, b)| on_both(ratings, *a, *b)).filter(|matched| !matched.is_empty()).collect();
    match panel.mean(matched) {
        Ok((mean, flags)) => panel.solve(inference).of(mean).kappa(&flags, 0, inference),
        Err(reason) => {
            let reason = if reason == Undefined::NTooSmall { Undefined::NoPairableUnits } else { reason };
            let says = "no pair of annotators has a κ here";
            Estimate::undefined_because(reason, says, 0, ratings.n_items() as u64)
        }
    }
}

fn on_both(ratings: &Ratings, a: usize, b: usize) -> Matched {
    let (a, b) = (ratings.column(a), ratings.column(b));
    let level = |item: usize| Some((item as u32, a.level(item)?, b.level(item)?));
    (0..ratings.n_items()).filter_map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::scale::Scale;
    use crate::measure::kappa::kappa;

    fn ratings(rows: &[[Option<f64>; 3]]) -> Ratings {
        let rows: Vec<Vec<Option<f64>>> = rows.iter().map(|row| row.to_vec()).collect();
        Ratings::from_table(Scale::ordinal([1.0, 2.0, 3.0]).unwrap(), &rows).unwrap()
    }

    #[test]
    fn it_is_the_mean_of_the_pairs_and_one_pair_is_its_own_kappa() {
        let found = ratings(&[
            [Some(1.0), Some(1.0), Some(2.0)],
            [Some(2.0), Some(2.0), None],
            [Some(3.0), Some(3.0), Some(3.0)],
            [Some(1.0), Some(2.0), Some(1.0)],
            [Some(3.0), Some(2.0), Some(2.0)],
        ]);
        let (weights, inference) = (Weights::quadratic(), Inference::analytic());
        let pair = |a, b| kappa(&found.pair(a, b), &weights, &inference);
        let mean = mean_kappa(&found, &[(0, 1), (0, 2), (1, 2)], &weights, &inference);
        let expected =
            [pair(0, 1), pair(0, 2), pair(1, 2)].iter().filter_map(Estimate::value).sum::<f64>() / 3.0;
        assert!((mean.value().unwrap() - expected).abs() < 1e-12);
        assert_eq!(mean.n(), 5);
        let (one, alone) = (mean_kappa(&found, &[(0, 1)], &weights, &inference), pair(0, 1));
        let bounds =
            |estimate: &Estimate| estimate.interval().map(|interval| (interval.low, interval.high)).unwrap();
        let ((low, high), (own_low, own_high)) = (bounds(&one), bounds(&alone));
        assert!((low - own_low).abs() < 1e-12 && (high - own_high).abs() < 1e-12);
    }

    #[test]
    fn where_no_pair_shares_an_item_it_is_undefined() {
        let found = ratings(&[[Some(1.0), None, None], [None, Some(2.0), None]]);
        let mean = mean_kappa(&found, &[(0, 1), (0, 2)], &Weights::quadratic(), &Inference::default());
        assert_eq!(mean.undefined(), Some(Undefined::NoPairableUnits));
    }
}
