//! How much higher one judge scores than another: what moves under a pass threshold that stays where it was.

use crate::input::column::Column;
use crate::input::pairs::units_of;
use crate::input::ratings::Ratings;
use crate::judge::comparison::Judge;
use crate::rate::mean::{arithmetic_mean, function_of_mean};
use crate::result::estimate::{Estimate, Undefined};
use crate::result::inference::Inference;

/// Mean of judge a minus judge b over the items that have a reference and that both answered, as a share of the
/// range of the scale. An item's value is the mean of its valid repeats; the interval is by cluster.
///
/// Undefined [`Undefined::ScaleMismatch`] on a nominal scale, [`Undefined::NTooSmall`] without a shared item.
///
/// ```
/// use agreement::{Inference, Judge, Ratings, Scale, mean_shift};
/// let rows = [[1.0, 2.0, 1.0], [3.0, 5.0, 3.0], [2.0, 2.0, 2.0]].map(|row| row.map(Some).to_vec());
/// let ratings = Ratings::from_table(Scale::ordinal([1.0, 2.0, 3.0, 4.0, 5.0])?, &rows)?;
/// let [reference, a, b] = [0, 1, 2].map(|rater| ratings.column(rater));
/// let shift = mean_shift(&ratings, &reference, &Judge::once(a), &Judge::once(b), &Inference::analytic());
/// assert_eq!(shift.value(), Some(1.0 / 4.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn mean_shift(
    ratings: &Ratings,
    reference: &Column,
    a: &Judge,
    b: &Judge,
    inference: &Inference,
) -> Estimate {
    let with_reference: Vec<usize> =
        (0..ratings.n_items()).filter(|item| reference.level(*item).is_some()).collect();
    let mut items = Vec::new();
    let mut differences = Vec::new();
    for item in &with_reference {
        if let (Some(a), Some(b)) = (a.mean_at(ratings, *item), b.mean_at(ratings, *item)) {
            items.push(*item);
            differences.push(a - b);
        }
    }
    let missing = (with_reference.len() - items.len()) as u64;
    if !ratings.scale().is_ordered() {
        let says = "the levels of a nominal scale have no distances";
        return Estimate::undefined_because(Undefined::ScaleMismatch, says, items.len() as u64, missing);
    }
    if items.is_empty() {
        let says = "the two answered no item in common";
        return Estimate::undefined_because(Undefined::NTooSmall, says, 0, missing);
    }
    let units = units_of(ratings, items.into_iter(), inference.resampling.unit);
    let range = ratings.scale().range();
    function_of_mean(&differences, missing, &units, |mean| mean / range, |_| 1.0 / range, inference)
}

impl Judge {
    /// The mean of the valid repeats at an item.
    fn mean_at(&self, ratings: &Ratings, item: usize) -> Option<f64> {
        let values = ratings.level_values();
        let levels = self.repeats().iter().filter_map(|column| column.level(item));
        arithmetic_mean(&levels.filter_map(|level| values.get(level as usize).copied()).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::scale::Scale;

    #[test]
    fn repeats_are_averaged_and_what_one_did_not_answer_is_missing() {
        let rows = [
            vec![Some(1.0), Some(1.0), Some(3.0), Some(1.0)],
            vec![Some(2.0), Some(2.0), None, Some(3.0)],
            vec![Some(3.0), None, None, Some(3.0)],
            vec![None, Some(3.0), Some(3.0), Some(1.0)],
        ];
        let ratings = Ratings::from_table(Scale::ordinal([1.0, 2.0, 3.0]).unwrap(), &rows).unwrap();
        let [reference, first, second, other] = [0, 1, 2, 3].map(|rater| ratings.column(rater));
        let (a, b) = (Judge::repeated(vec![first, second]), Judge::once(other));
        let shift = mean_shift(&ratings, &reference, &a, &b, &Inference::default());
        assert_eq!((shift.value(), shift.n(), shift.missing()), (Some(0.0), 2, 1));
    }

    #[test]
    fn names_have_no_mean() {
        let ratings = Ratings::from_table(Scale::nominal(2).unwrap(), &vec![vec![Some(1.0); 3]; 4]).unwrap();
        let judge = Judge::once(ratings.column(1));
        let shift = mean_shift(&ratings, &ratings.column(0), &judge, &judge, &Inference::default());
        assert_eq!(shift.undefined(), Some(Undefined::ScaleMismatch));
    }
}
