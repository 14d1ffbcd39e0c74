//! Krippendorff's α: any number of raters, missing ratings, four levels of measurement.

use crate::estimate::{Estimate, Undefined};
use crate::inference::Inference;
use crate::ratings::Ratings;
use crate::scale::Level;

/// How far apart two values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Equal or not.
    Nominal,
    /// By how many ratings lie between them.
    Ordinal,
    /// By the squared difference of their values.
    Interval,
    /// By the squared ratio of difference and sum; for scales with a true zero and no negative values.
    Ratio,
}

/// The levels given to each item that was rated twice at least: only such items can agree or disagree.
#[derive(Clone, Debug)]
pub(crate) struct Pairable {
    ends: Vec<usize>,
    levels: Vec<Level>,
    items: Vec<u32>,
}

impl Pairable {
    pub(crate) fn of(ratings: &Ratings) -> Pairable {
        let (all_ends, all_levels) = ratings.levels_by_item();
        let mut pairable =
            Pairable { ends: vec![0], levels: Vec::with_capacity(all_levels.len()), items: Vec::new() };
        for (item, ends) in (0..).zip(all_ends.windows(2)) {
            if ends[1] - ends[0] >= 2 {
                pairable.levels.extend_from_slice(&all_levels[ends[0]..ends[1]]);
                pairable.ends.push(pairable.levels.len());
                pairable.items.push(item);
            }
        }
        pairable
    }

    fn count(&self) -> usize {
        self.items.len()
    }

    fn iter(&self) -> impl Iterator<Item = &[Level]> + '_ {
        self.ends.windows(2).map(|ends| &self.levels[ends[0]..ends[1]])
    }

    fn totals(&self, levels: usize) -> Vec<f64> {
        let mut totals = vec![0_u64; levels];
        for level in &self.levels {
            totals[*level as usize] += 1;
        }
        totals.into_iter().map(|total| total as f64).collect()
    }
}

/// Krippendorff's α over all raters of `ratings`.
///
/// α = 1 − D_o/D_e. D_o is the mean squared distance of the values within items, each item's pairs divided by its
/// number of ratings less one; D_e is that of all pairable values, whatever their items, so that α = 0 is what chance
/// would give, corrected for small samples (Krippendorff 2011; Hayes & Krippendorff 2007). Only items rated at least
/// twice take part; levels that nobody uses have no effect.
///
/// Undefined: no item rated twice; only one value among those; fewer than two such items; an order asked of a nominal
/// scale, or ratios of negative values.
///
/// ```
/// use agreement::{Inference, Metric, Ratings, Scale, krippendorff_alpha};
/// let rows = [[1.0, 1.0], [2.0, 3.0], [3.0, 3.0], [1.0, 2.0]].map(|row| row.map(Some).to_vec());
/// let ratings = Ratings::from_table(Scale::ordinal([1.0, 2.0, 3.0])?, &rows)?;
/// let alpha = krippendorff_alpha(&ratings, Metric::Interval, &Inference::analytic());
/// assert!((alpha.value().unwrap() - 17.0 / 24.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn krippendorff_alpha(ratings: &Ratings, metric: Metric, _inference: &Inference) -> Estimate {
    let units = Pairable::of(ratings);
    let missing = (ratings.n_items() - units.count()) as u64;
    let n = units.count() as u64;
    if units.count() == 0 {
        return Estimate::undefined_because(
            Undefined::NoPairableUnits,
            "no item was rated twice",
            0,
            missing,
        );
    }
    let refused = match metric {
        Metric::Nominal => None,
        _ if !ratings.scale().is_ordered() => Some("the levels of a nominal scale have no order"),
        Metric::Ratio if ratings.scale().min() < 0.0 => Some("ratios need a scale without negative values"),
        _ => None,
    };
    if let Some(says) = refused {
        return Estimate::undefined_because(Undefined::ScaleMismatch, says, n, missing);
    }
    match alpha(&units, metric, ratings.level_values()) {
        Some(value) if units.count() >= 2 => Estimate::defined(value, n, missing),
        Some(_) => Estimate::undefined_because(
            Undefined::NTooSmall,
            "one item is too few for α: it needs two",
            n,
            missing,
        ),
        None => {
            let says = "one value only among the items that were rated twice; agreement on them is 1.00";
            Estimate::undefined_because(Undefined::NoVariation, says, n, missing)
        }
    }
}

fn alpha(units: &Pairable, metric: Metric, values: &[f64]) -> Option<f64> {
    let totals = units.totals(values.len());
    if totals.iter().filter(|total| **total > 0.0).count() < 2 {
        return None;
    }
    let n: f64 = totals.iter().sum();
    let (observed, expected) = match metric {
        Metric::Nominal => {
            let observed =
                units.iter().map(|unit| unequal_pairs(unit) / (unit.len() - 1) as f64).sum::<f64>();
            (observed, n * n - totals.iter().map(|total| total * total).sum::<f64>())
        }
        Metric::Interval => by_position(units, &totals, values),
        Metric::Ordinal => by_position(units, &totals, &midpoints(&totals)),
        Metric::Ratio => by_ratio(units, &totals, values),
    };
    Some(1.0 - observed * (n - 1.0) / expected)
}

/// Ordered pairs of different values within an item.
fn unequal_pairs(unit: &[Level]) -> f64 {
    let unequal = |level: &Level| unit.iter().filter(|other| *other != level).count();
    unit.iter().map(unequal).sum::<usize>() as f64
}

/// Where each level lies among all ratings: those below it and half of its own. Krippendorff's ordinal distance
/// Σ_{g=c..k} n_g − (n_c + n_k)/2 is the difference of two of these.
fn midpoints(totals: &[f64]) -> Vec<f64> {
    let mut below = 0.0;
    let mut midpoint = |total: &f64| {
        below += total;
        below - total / 2.0
    };
    totals.iter().map(&mut midpoint).collect()
}

/// Observed and expected sums of squared differences of positions, through deviations from means.
fn by_position(units: &Pairable, totals: &[f64], position: &[f64]) -> (f64, f64) {
    let observed = units.iter().map(|unit| {
        let m = unit.len() as f64;
        let mean = unit.iter().map(|level| position[*level as usize]).sum::<f64>() / m;
        let spread = unit.iter().map(|level| (position[*level as usize] - mean).powi(2)).sum::<f64>();
        2.0 * m * spread / (m - 1.0)
    });
    let n: f64 = totals.iter().sum();
    let mean = position.iter().zip(totals).map(|(at, total)| at * total).sum::<f64>() / n;
    let spread = position.iter().zip(totals).map(|(at, total)| (at - mean).powi(2) * total).sum::<f64>();
    (observed.sum(), 2.0 * n * spread)
}

fn by_ratio(units: &Pairable, totals: &[f64], values: &[f64]) -> (f64, f64) {
    let distance = |c: usize, k: usize| {
        let sum = values[c] + values[k];
        if sum > 0.0 { ((values[c] - values[k]) / sum).powi(2) } else { 0.0 }
    };
    let observed = units.iter().map(|unit| {
        let pairs = unit.iter().flat_map(|c| unit.iter().map(move |k| distance(*c as usize, *k as usize)));
        pairs.sum::<f64>() / (unit.len() - 1) as f64
    });
    let used: Vec<usize> = (0..totals.len()).filter(|level| totals[*level] > 0.0).collect();
    let expected = used
        .iter()
        .flat_map(|&c| used.iter().map(move |&k| totals[c] * totals[k] * distance(c, k)))
        .sum::<f64>();
    (observed.sum(), expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alpha_of(rows: &[Vec<Option<f64>>], metric: Metric) -> Estimate {
        let scale = Scale::ordinal([1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        krippendorff_alpha(&Ratings::from_table(scale, rows).unwrap(), metric, &Inference::analytic())
    }
    use crate::scale::Scale;

    /// Krippendorff (2011), four observers and twelve units; the table of his example C and D.
    fn krippendorff_table() -> Vec<Vec<Option<f64>>> {
        let text = [
            "1 1 . 1", "2 2 3 2", "3 3 3 3", "3 3 3 3", "2 2 2 2", "1 2 3 4", "4 4 4 4", "1 1 2 1",
            "2 2 2 2", ". 5 5 5", ". . 1 1", ". 3 . .",
        ];
        text.iter().map(|row| row.split(' ').map(|cell| cell.parse().ok()).collect()).collect()
    }

    #[test]
    fn published_values() {
        let close = |metric, expected: f64| {
            let found = alpha_of(&krippendorff_table(), metric).value().unwrap();
            assert!((found - expected).abs() < 5e-4, "{metric:?}: {found}");
        };
        close(Metric::Nominal, 0.743);
        close(Metric::Ordinal, 0.815);
        close(Metric::Interval, 0.849);
        close(Metric::Ratio, 0.797);
    }

    #[test]
    fn edges() {
        let some = |rows: &[[f64; 2]]| rows.iter().map(|row| row.map(Some).to_vec()).collect::<Vec<_>>();
        assert_eq!(alpha_of(&some(&[[1.0, 2.0], [2.0, 1.0]]), Metric::Nominal).value(), Some(-0.5));
        assert_eq!(alpha_of(&some(&[[1.0, 2.0]]), Metric::Nominal).undefined(), Some(Undefined::NTooSmall));
        assert_eq!(
            alpha_of(&some(&[[1.0, 1.0], [1.0, 1.0]]), Metric::Nominal).undefined(),
            Some(Undefined::NoVariation)
        );
        let lonely = vec![vec![Some(1.0), None], vec![None, Some(2.0)]];
        assert_eq!(alpha_of(&lonely, Metric::Nominal).undefined(), Some(Undefined::NoPairableUnits));
    }
}
