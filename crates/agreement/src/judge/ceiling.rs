//! How well one person agrees with the others: what a judge can be expected to reach.

use crate::input::column::Column;
use crate::input::ratings::Ratings;
use crate::judge::reference::{Rule, reference_of};
use crate::measure::panel::{Clustering, Matched, Panel};
use crate::measure::weights::Weights;
use crate::result::estimate::{Estimate, Flag, Undefined, Unit};
use crate::result::inference::Inference;

/// The ceiling of a judge whose reference is made by `rule` from `annotators` (by position): each annotator's κ with
/// the reference that the same rule makes of the others, averaged over annotators, with one interval for the mean
/// whose draws carry all annotators.
///
/// Under the median with an even number of others, where the middle two may differ, each annotator's figure is the
/// mean over the sub-panels that leave one of the others out. With `on`, only items that this column answered count:
/// show a ceiling on the same items as the judge beside it. Undefined [`Undefined::SingleAnnotator`] below two
/// annotators.
///
/// ```
/// use agreement::{Inference, Ratings, Rule, Scale, Weights, ceiling};
/// let rows = [[1.0, 1.0, 2.0], [2.0, 2.0, 2.0], [3.0, 3.0, 3.0], [1.0, 2.0, 1.0]].map(|row| row.map(Some).to_vec());
/// let ratings = Ratings::from_table(Scale::ordinal([1.0, 2.0, 3.0])?, &rows)?;
/// let ceiling = ceiling(&ratings, &[0, 1, 2], Rule::Median, &Weights::quadratic(), None, &Inference::analytic());
/// assert!(ceiling.value().unwrap() > 0.5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ceiling(
    ratings: &Ratings,
    annotators: &[usize],
    rule: Rule,
    weights: &Weights,
    on: Option<&Column>,
    inference: &Inference,
) -> Estimate {
    let labelled =
        (0..ratings.n_items()).filter(|item| on.is_none_or(|on| on.level(*item).is_some())).count() as u64;
    if annotators.len() < 2 {
        let says = "one annotator: there is nobody to be compared with";
        return Estimate::undefined_because(Undefined::SingleAnnotator, says, labelled, 0);
    }
    let columns: Vec<Column> = annotators
        .iter()
        .map(|annotator| {
            ratings.column(*annotator).restricted(|item| on.is_none_or(|on| on.level(item).is_some()))
        })
        .collect();
    let of_item = (inference.resampling.unit == Unit::Cluster).then(|| ratings.cluster_numbers());
    let mut panel = Panel::new(ratings.scale(), ratings.level_values(), weights, Clustering { of_item });
    let own: Vec<_> =
        (0..columns.len()).map(|annotator| panel.mean(with_the_others(&columns, annotator, rule))).collect();
    let defined: Vec<usize> = own.iter().filter_map(|own| Some(own.as_ref().ok()?.0)).collect();
    let Some(reason) = own.iter().find_map(|own| own.as_ref().err()) else {
        return mean_of(&mut panel, &defined, &own, inference);
    };
    if defined.is_empty() {
        let says = "no annotator's κ with the others is defined";
        return Estimate::undefined_because(*reason, says, labelled, 0);
    }
    mean_of(&mut panel, &defined, &own, inference).with_flag(Flag::PartlyUndefined)
}

fn mean_of(
    panel: &mut Panel<'_>,
    statistics: &[usize],
    own: &[Result<(usize, Vec<Flag>), Undefined>],
    inference: &Inference,
) -> Estimate {
    let share = 1.0 / statistics.len() as f64;
    let parts = statistics
        .iter()
        .flat_map(|statistic| panel.parts(*statistic))
        .map(|(term, weight)| (*term, weight * share))
        .collect();
    let mean = panel.statistic(parts);
    let perfect = own.iter().flatten().all(|(_, flags)| flags.contains(&Flag::ZeroWidthInterval));
    let flags: &[Flag] = if perfect { &[Flag::ZeroWidthInterval] } else { &[] };
    panel.solve(inference).of(mean).kappa(flags, 0, inference)
}

/// One annotator matched with the reference of the others; several where the others are split into sub-panels.
fn with_the_others(columns: &[Column], annotator: usize, rule: Rule) -> Vec<Matched> {
    let others: Vec<Column> =
        (0..columns.len()).filter(|other| *other != annotator).map(|other| columns[other].clone()).collect();
    let items = columns[annotator].len();
    let panels: Vec<Vec<Column>> = if rule == Rule::Median && others.len().is_multiple_of(2) {
        (0..others.len()).map(|out| without(&others, out)).collect()
    } else {
        vec![others]
    };
    let matched = |panel: &Vec<Column>| -> Matched {
        let reference = reference_of(panel, items, rule);
        (0..items)
            .filter_map(|item| Some((item as u32, reference.level(item)?, columns[annotator].level(item)?)))
            .collect()
    };
    panels.iter().map(matched).collect()
}

fn without(columns: &[Column], out: usize) -> Vec<Column> {
    (0..columns.len()).filter(|at| *at != out).map(|at| columns[at].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::scale::Scale;
    use crate::measure::kappa::kappa;

    #[test]
    fn three_annotators_under_the_median_are_the_mean_of_the_pairs() {
        let rows = [[1.0, 1.0, 2.0], [2.0, 2.0, 3.0], [3.0, 3.0, 3.0], [1.0, 2.0, 1.0], [3.0, 2.0, 2.0]]
            .map(|row| row.map(Some).to_vec());
        let ratings = Ratings::from_table(Scale::ordinal([1.0, 2.0, 3.0]).unwrap(), &rows).unwrap();
        let (weights, inference) = (Weights::quadratic(), Inference::analytic());
        let found = ceiling(&ratings, &[0, 1, 2], Rule::Median, &weights, None, &inference).value().unwrap();
        let pair = |a, b| kappa(&ratings.pair(a, b), &weights, &inference).value().unwrap();
        assert!((found - (pair(0, 1) + pair(0, 2) + pair(1, 2)) / 3.0).abs() < 1e-12);
    }

    #[test]
    fn one_annotator_has_no_ceiling() {
        let ratings = Ratings::from_table(Scale::nominal(2).unwrap(), &[vec![Some(0.0)]]).unwrap();
        let found =
            ceiling(&ratings, &[0], Rule::Majority, &Weights::Unweighted, None, &Inference::default());
        assert_eq!(found.undefined(), Some(Undefined::SingleAnnotator));
    }
}
