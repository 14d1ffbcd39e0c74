//! Could the difference of two judges be chance? Swap them within items, or within whole clusters, and see.

use crate::input::column::Column;
use crate::input::ratings::Ratings;
use crate::judge::comparison::Judge;
use crate::measure::term::{Form, Lanes};
use crate::measure::weights::Weights;
use crate::resampling::draws::Draws;
use crate::result::estimate::Unit;
use crate::result::inference::Resampling;

/// Up to this many units that differ between the judges all arrangements are gone through: 2¹⁶.
const EXACT_UNITS: usize = 16;
/// Differences this near are equal: rounding must not decide a tie.
const TIE: f64 = 1e-12;

/// What is compared between arrangements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Studentised {
    /// Δκ ÷ its standard error by unit, computed anew in each arrangement: right also where units differ in size.
    Yes,
    /// Δκ itself.
    No,
}

/// The result of a permutation test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Permutation {
    /// Two-sided p: twice the smaller tail, at most 1.
    pub p: f64,
    /// One-sided p of a being better than b.
    pub p_greater: f64,
    /// Whether all arrangements were gone through; otherwise p = (b + 1)/(B + 1).
    pub exact: bool,
    /// How many arrangements were looked at.
    pub arrangements: u64,
    /// Units in which the judges could be swapped.
    pub units: usize,
}

/// Permutation test of κ(a) − κ(b) = 0 on the items that both judges answered.
///
/// Under the null hypothesis the two are exchangeable within each unit: an item, or a whole cluster, because what a
/// cluster shares is not independent. Exact up to 16 units that differ; else `resampling.resamples` arrangements drawn
/// at random. None where a κ is undefined, or where the judges differ in the number of their repeats.
///
/// An arrangement whose κ is undefined counts as more extreme than what was observed: it can only weaken a claim.
pub fn permutation_test(
    ratings: &Ratings,
    reference: &Column,
    a: &Judge,
    b: &Judge,
    weights: &Weights,
    studentised: Studentised,
    resampling: &Resampling,
) -> Option<Permutation> {
    if a.repeats().len() != b.repeats().len() {
        return None;
    }
    let sides = Sides::new(ratings, reference, a, b, weights, resampling.unit);
    let differing: Vec<usize> = (0..sides.units).filter(|unit| sides.differ(*unit)).collect();
    let mut swapped = vec![false; sides.units];
    let observed = sides.statistic(&swapped, studentised)?;
    let mut tails = Tails::default();
    let exact = differing.len() <= EXACT_UNITS;
    if exact {
        for arrangement in 0_u32..1 << differing.len() {
            for (bit, unit) in differing.iter().enumerate() {
                swapped[*unit] = arrangement >> bit & 1 == 1;
            }
            tails.count(sides.statistic(&swapped, studentised), observed);
        }
    } else {
        let mut draws = Draws::new(resampling.seed, sides.units);
        for _ in 0..resampling.resamples {
            draws.coins(&mut swapped);
            tails.count(sides.statistic(&swapped, studentised), observed);
        }
        // The observed arrangement is one of them.
        tails.count(Some(observed), observed);
    }
    let share = |count: u64| count as f64 / tails.all as f64;
    Some(Permutation {
        p: (2.0 * share(tails.greater.min(tails.less))).min(1.0),
        p_greater: share(tails.greater),
        exact,
        arrangements: tails.all,
        units: sides.units,
    })
}

/// Arrangements at least as extreme as the observed one.
#[derive(Default)]
struct Tails {
    greater: u64,
    less: u64,
    all: u64,
}

impl Tails {
    fn count(&mut self, found: Option<f64>, observed: f64) {
        let equal = |found: f64| found.total_cmp(&observed).is_eq() || (found - observed).abs() <= TIE;
        self.all += 1;
        self.greater += u64::from(found.is_none_or(|found| found > observed || equal(found)));
        self.less += u64::from(found.is_none_or(|found| found < observed || equal(found)));
    }
}

/// What each unit adds to the sums of the two judges, in the same lanes.
struct Sides {
    lanes: Lanes,
    forms: Vec<Form>,
    width: usize,
    units: usize,
    a: Vec<f64>,
    b: Vec<f64>,
}

impl Sides {
    fn new(
        ratings: &Ratings,
        reference: &Column,
        a: &Judge,
        b: &Judge,
        weights: &Weights,
        unit: Unit,
    ) -> Sides {
        let shared: Vec<usize> = (0..reference.len())
            .filter(|item| reference.level(*item).is_some() && a.answered(*item) && b.answered(*item))
            .collect();
        let units = crate::input::pairs::units_of(ratings, shared.iter().copied(), unit);
        let lanes = Lanes::new(weights, ratings.scale(), ratings.level_values());
        let mut sides =
            Sides { lanes, forms: Vec::new(), width: 0, units: units.count, a: Vec::new(), b: Vec::new() };
        let mut rows = Vec::new();
        for (column_a, column_b) in a.repeats().iter().zip(b.repeats()) {
            let entries = |column: &Column| -> Vec<(usize, u32, u32)> {
                let entry = |(at, item): (usize, &usize)| {
                    Some((units.of[at] as usize, reference.level(*item)?, column.level(*item)?))
                };
                shared.iter().enumerate().filter_map(entry).collect()
            };
            let (of_a, of_b) = (entries(column_a), entries(column_b));
            let form = sides.lanes.layout(of_a.iter().chain(&of_b).map(|(_, a, b)| (*a, *b)), sides.width);
            sides.width += form.width();
            sides.forms.push(form);
            rows.push((of_a, of_b));
        }
        sides.a = vec![0.0; sides.units * sides.width];
        sides.b = sides.a.clone();
        for (form, (of_a, of_b)) in sides.forms.iter().zip(rows) {
            for (into, entries) in [(&mut sides.a, of_a), (&mut sides.b, of_b)] {
                for (unit, level_a, level_b) in entries {
                    let row = &mut into[unit * sides.width..(unit + 1) * sides.width];
                    sides.lanes.add(form, level_a, level_b, row);
                }
            }
        }
        sides
    }

    fn rows(&self, unit: usize, swapped: bool) -> (&[f64], &[f64]) {
        let range = unit * self.width..(unit + 1) * self.width;
        let (a, b) = (&self.a[range.clone()], &self.b[range]);
        if swapped { (b, a) } else { (a, b) }
    }

    fn differ(&self, unit: usize) -> bool {
        let (a, b) = self.rows(unit, false);
        a != b
    }

    fn statistic(&self, swapped: &[bool], studentised: Studentised) -> Option<f64> {
        let (mut a, mut b) = (vec![0.0; self.width], vec![0.0; self.width]);
        for (unit, swapped) in swapped.iter().enumerate() {
            let (row_a, row_b) = self.rows(unit, *swapped);
            a.iter_mut().zip(row_a).for_each(|(sum, value)| *sum += value);
            b.iter_mut().zip(row_b).for_each(|(sum, value)| *sum += value);
        }
        let difference = self.kappa(&a) - self.kappa(&b);
        if difference.is_nan() {
            return None;
        }
        if studentised == Studentised::No {
            return Some(difference);
        }
        let (slope_a, slope_b) = (self.slope(&a), self.slope(&b));
        let mut square = 0.0;
        for (unit, swapped) in swapped.iter().enumerate() {
            let (row_a, row_b) = self.rows(unit, *swapped);
            square += (dot(&slope_a, row_a) - dot(&slope_b, row_b)).powi(2);
        }
        // Without a spread any difference is beyond every other one.
        let spread = square.sqrt();
        Some(if difference.abs() <= TIE {
            0.0
        } else if spread > TIE {
            difference / spread
        } else {
            difference.signum() * f64::INFINITY
        })
    }

    fn kappa(&self, sums: &[f64]) -> f64 {
        self.forms.iter().map(|form| self.lanes.kappa(form, sums)).sum::<f64>() / self.forms.len() as f64
    }

    fn slope(&self, sums: &[f64]) -> Vec<f64> {
        let mut slope = vec![0.0; self.width];
        for form in &self.forms {
            for (lane, by) in self.lanes.gradient(form, sums) {
                slope[lane] += by / self.forms.len() as f64;
            }
        }
        slope
    }
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::scale::Scale;

    #[test]
    fn twelve_items_exactly() {
        let human = [2.0, 3.0, 1.0, 3.0, 2.0, 1.0, 2.0, 1.0, 1.0, 1.0, 2.0, 3.0];
        let other = [2.0, 1.0, 2.0, 3.0, 2.0, 1.0, 2.0, 2.0, 2.0, 3.0, 1.0, 3.0];
        let rows: Vec<Vec<Option<f64>>> =
            human.iter().zip(other).map(|(h, o)| vec![Some(*h), Some(*h), Some(o)]).collect();
        let ratings = Ratings::from_table(Scale::ordinal([1.0, 2.0, 3.0]).unwrap(), &rows).unwrap();
        let judge = |rater| Judge::once(ratings.column(rater));
        let test = |a, b, studentised| {
            let weights = Weights::quadratic();
            permutation_test(
                &ratings,
                &ratings.column(0),
                &judge(a),
                &judge(b),
                &weights,
                studentised,
                &Resampling::default(),
            )
            .unwrap()
        };
        let found = test(1, 2, Studentised::No);
        assert!(found.exact && found.arrangements == 64);
        assert!((found.p - 0.03125).abs() < 1e-12 && (found.p_greater - 0.015625).abs() < 1e-12);
        assert!((test(2, 1, Studentised::Yes).p - test(1, 2, Studentised::Yes).p).abs() < 1e-12);
        assert!((test(1, 1, Studentised::Yes).p - 1.0).abs() < 1e-12);
    }
}
