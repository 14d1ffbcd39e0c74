//! Plain agreement of any number of raters.

use crate::input::pairs::units_of;
use crate::input::ratings::Ratings;
use crate::input::scale::SNAP;
use crate::rate::proportion::clustered_share;
use crate::result::estimate::{Estimate, Undefined};
use crate::result::inference::{Inference, flag_size};

/// Share of the items, among those that every rater rated, on which all values lie within `tolerance` of each other.
/// Not the same as [`pairwise_agreement`].
pub fn all_raters_agree(ratings: &Ratings, tolerance: f64, inference: &Inference) -> Estimate {
    let raters = ratings.raters().len().max(2);
    over_items(ratings, raters, inference, |values| {
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        f64::from(most - least <= tolerance + SNAP)
    })
}

/// Mean over items rated at least twice of the share of pairs of ratings that lie within `tolerance` of each other.
pub fn pairwise_agreement(ratings: &Ratings, tolerance: f64, inference: &Inference) -> Estimate {
    over_items(ratings, 2, inference, |values| {
        let agree = |at: usize| {
            values[..at].iter().filter(|other| (values[at] - **other).abs() <= tolerance + SNAP).count()
        };
        let pairs = values.len() * (values.len() - 1) / 2;
        (0..values.len()).map(agree).sum::<usize>() as f64 / pairs as f64
    })
}

fn over_items(
    ratings: &Ratings,
    at_least: usize,
    inference: &Inference,
    of: impl Fn(&[f64]) -> f64,
) -> Estimate {
    let (ends, levels) = ratings.levels_by_item();
    let values = ratings.level_values();
    let mut items = Vec::new();
    let mut shares = Vec::new();
    for (item, ends) in ends.windows(2).enumerate() {
        let given: Vec<f64> = levels[ends[0]..ends[1]].iter().map(|level| values[*level as usize]).collect();
        if given.len() >= at_least {
            items.push(item);
            shares.push(of(&given));
        }
    }
    let missing = (ratings.n_items() - items.len()) as u64;
    if items.is_empty() {
        return Estimate::undefined_because(
            Undefined::NoPairableUnits,
            "no item was rated often enough",
            0,
            missing,
        );
    }
    let units = units_of(ratings, items.into_iter(), inference.resampling.unit);
    flag_size(clustered_share(&shares, missing, &units, inference), shares.len(), units.unit, units.count)
}
