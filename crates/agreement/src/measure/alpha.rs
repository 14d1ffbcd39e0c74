//! Krippendorff's α: any number of raters, missing ratings, four levels of measurement.

use std::collections::HashMap;

use crate::input::pairs::Units;
use crate::input::pairs::units_of;
use crate::input::ratings::Ratings;
use crate::input::scale::Level;
use crate::resampling::bootstrap::{BootstrapDistribution, distributions};
use crate::resampling::sums::{Lane, Sums};
use crate::result::estimate::{Estimate, Flag, Undefined};
use crate::result::inference::{Inference, IntervalMethod, flag_size};

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
        if all_ends.windows(2).all(|ends| ends[1] - ends[0] >= 2) {
            let items = (0..ratings.n_items() as u32).collect();
            return Pairable { ends: all_ends, levels: all_levels, items };
        }
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
        // Two counts in turn, so that equal neighbours do not wait for each other.
        let mut totals = vec![[0_u64; 2]; levels];
        for (at, level) in self.levels.iter().enumerate() {
            totals[*level as usize][at % 2] += 1;
        }
        totals.into_iter().map(|[even, odd]| (even + odd) as f64).collect()
    }
}

/// Krippendorff's α over all raters of `ratings`.
///
/// α = 1 − D_o/D_e. D_o is the mean squared distance of the values within items, each item's pairs divided by its
/// number of ratings less one; D_e is that of all pairable values, whatever their items, so that α = 0 is what chance
/// would give, corrected for small samples (Krippendorff 2011; Hayes & Krippendorff 2007). Only items rated at least
/// twice take part; levels that nobody uses have no effect.
///
/// The bootstrap draws items, or clusters, and computes all coincidences anew. (Hayes' bootstrap keeps the expected
/// disagreement fixed and is narrower; it is not this one.) The analytic interval is the jackknife's over the same units.
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
pub fn krippendorff_alpha(ratings: &Ratings, metric: Metric, inference: &Inference) -> Estimate {
    let pairable = Pairable::of(ratings);
    let missing = (ratings.n_items() - pairable.count()) as u64;
    let n = pairable.count();
    let undefined = |reason, says: &str| Estimate::undefined_because(reason, says, n as u64, missing);
    if n == 0 {
        return undefined(Undefined::NoPairableUnits, "no item was rated twice");
    }
    match metric {
        Metric::Nominal => {}
        _ if !ratings.scale().is_ordered() => {
            return undefined(Undefined::ScaleMismatch, "the levels of a nominal scale have no order");
        }
        Metric::Ratio if ratings.scale().min() < 0.0 => {
            return undefined(Undefined::ScaleMismatch, "ratios need a scale without negative values");
        }
        _ => {}
    }
    let Some(value) = alpha(&pairable, metric, ratings.level_values()) else {
        let says = "one value only among the items that were rated twice; agreement on them is 1.00";
        return undefined(Undefined::NoVariation, says);
    };
    if n < 2 {
        return undefined(Undefined::NTooSmall, "one item is too few for α: it needs two");
    }
    if inference.interval == IntervalMethod::None {
        return Estimate::defined(value, n as u64, missing);
    }
    let items = pairable.items.iter().map(|item| *item as usize);
    let units = units_of(ratings, items, inference.resampling.unit);
    let estimate = flag_size(Estimate::defined(value, n as u64, missing), n, units.unit, units.count);
    if value >= 1.0 {
        return estimate.with_flag(Flag::ZeroWidthInterval);
    }
    // Ordinal distances depend on the margins, so there is no simple linearisation for all four metrics.
    let analytic = !inference.resamples_data();
    let inference = if analytic { inference.with_interval(IntervalMethod::Jackknife) } else { *inference };
    let distribution = resampled(&pairable, &units, metric, ratings.level_values(), &inference);
    estimate.with_distribution(&distribution, &inference, units.unit, units.count)
}

/// The distribution of α over resamples of units: the coincidences of each unit are added, and everything else,
/// the ordinal distances too, is computed anew from the sums.
fn resampled(
    pairable: &Pairable,
    units: &Units,
    metric: Metric,
    values: &[f64],
    inference: &Inference,
) -> BootstrapDistribution {
    // Levels that nobody uses have no effect: a scale may have thousands of them.
    let used: Vec<Level> = (0..)
        .zip(pairable.totals(values.len()))
        .filter(|(_, total)| *total > 0.0)
        .map(|(level, _)| level)
        .collect();
    let values: Vec<f64> = used.iter().map(|level| values[*level as usize]).collect();
    let levels = used.len();
    let mut lanes: Vec<HashMap<u32, f64>> = vec![HashMap::new(); levels];
    let mut cells: HashMap<(Level, Level), usize> = HashMap::new();
    for (unit, given) in units.of.iter().zip(pairable.iter()) {
        let weight = 2.0 / (given.len() - 1) as f64;
        let given: Vec<Level> =
            given.iter().map(|level| used.partition_point(|other| other < level) as Level).collect();
        for (at, c) in given.iter().enumerate() {
            *lanes[*c as usize].entry(*unit).or_default() += 1.0;
            for k in given[..at].iter().filter(|k| *k != c) {
                let next = lanes.len();
                let lane = *cells.entry((*c.min(k), *c.max(k))).or_insert(next);
                if lane == next {
                    lanes.push(HashMap::new());
                }
                *lanes[lane].entry(*unit).or_default() += weight;
            }
        }
    }
    let mut cells: Vec<((Level, Level), usize)> = cells.into_iter().collect();
    cells.sort_unstable();
    let lanes: Vec<Lane> = lanes.into_iter().map(sorted).collect();
    let sums = Sums::new(units.count, &lanes);
    distributions(&sums, 1, inference, |sums, out| {
        out[0] = alpha_of_sums(&sums[..levels], &cells, sums, metric, &values).unwrap_or(f64::NAN);
    })
    .remove(0)
}

fn sorted(lane: HashMap<u32, f64>) -> Lane {
    let mut lane: Lane = lane.into_iter().collect();
    lane.sort_unstable_by_key(|entry| entry.0);
    lane
}

/// α from the margins and the coincidences of different levels.
fn alpha_of_sums(
    totals: &[f64],
    cells: &[((Level, Level), usize)],
    sums: &[f64],
    metric: Metric,
    values: &[f64],
) -> Option<f64> {
    if totals.iter().filter(|total| **total > 0.5).count() < 2 {
        return None;
    }
    let n: f64 = totals.iter().sum();
    let position = if metric == Metric::Ordinal { midpoints(totals) } else { values.to_vec() };
    let distance = |c: Level, k: Level| match metric {
        Metric::Nominal => 1.0,
        Metric::Ratio => ratio_distance(values[c as usize], values[k as usize]),
        Metric::Interval | Metric::Ordinal => (position[c as usize] - position[k as usize]).powi(2),
    };
    let observed: f64 = cells.iter().map(|((c, k), lane)| sums[*lane] * distance(*c, *k)).sum();
    Some(1.0 - observed * (n - 1.0) / expected_of(totals, metric, &position))
}

fn alpha(units: &Pairable, metric: Metric, values: &[f64]) -> Option<f64> {
    let totals = units.totals(values.len());
    if totals.iter().filter(|total| **total > 0.0).count() < 2 {
        return None;
    }
    let n: f64 = totals.iter().sum();
    let position = if metric == Metric::Ordinal { midpoints(&totals) } else { values.to_vec() };
    let within = |unit: &[Level]| match metric {
        Metric::Nominal => unequal_pairs(unit),
        Metric::Interval | Metric::Ordinal => squared_distances(unit, &position),
        Metric::Ratio => {
            let with = |c: &Level| -> f64 {
                unit.iter().map(|k| ratio_distance(values[*c as usize], values[*k as usize])).sum()
            };
            unit.iter().map(with).sum()
        }
    };
    let observed: f64 = units.iter().map(|unit| within(unit) / (unit.len() - 1) as f64).sum();
    Some(1.0 - observed * (n - 1.0) / expected_of(&totals, metric, &position))
}

/// Σ n_c n_k δ²_ck over all ordered pairs of levels.
fn expected_of(totals: &[f64], metric: Metric, position: &[f64]) -> f64 {
    let n: f64 = totals.iter().sum();
    match metric {
        Metric::Nominal => n * n - totals.iter().map(|total| total * total).sum::<f64>(),
        Metric::Interval | Metric::Ordinal => {
            let mean = position.iter().zip(totals).map(|(at, total)| at * total).sum::<f64>() / n;
            2.0 * n * position.iter().zip(totals).map(|(at, total)| (at - mean).powi(2) * total).sum::<f64>()
        }
        Metric::Ratio => {
            let used: Vec<usize> = (0..totals.len()).filter(|level| totals[*level] > 0.0).collect();
            let with = |c: usize| -> f64 {
                used.iter().map(|k| totals[c] * totals[*k] * ratio_distance(position[c], position[*k])).sum()
            };
            used.iter().map(|c| with(*c)).sum()
        }
    }
}

/// ((c − k)/(c + k))², 0 for two zeros.
fn ratio_distance(c: f64, k: f64) -> f64 {
    if c + k > 0.0 { ((c - k) / (c + k)).powi(2) } else { 0.0 }
}

/// Squared distances over all ordered pairs of an item's ratings: 2m times their squared deviations from their mean.
fn squared_distances(unit: &[Level], position: &[f64]) -> f64 {
    let m = unit.len() as f64;
    let mean = unit.iter().map(|level| position[*level as usize]).sum::<f64>() / m;
    2.0 * m * unit.iter().map(|level| (position[*level as usize] - mean).powi(2)).sum::<f64>()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::scale::Scale;

    fn alpha_of(rows: &[Vec<Option<f64>>], metric: Metric) -> Estimate {
        let scale = Scale::ordinal([1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        krippendorff_alpha(&Ratings::from_table(scale, rows).unwrap(), metric, &Inference::analytic())
    }

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
