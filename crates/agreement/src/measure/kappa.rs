//! Cohen's κ with any weights: two raters, chance agreement from each rater's own shares.

use crate::distributions::normal_two_sided;
use crate::input::confusion::Confusion;
use crate::input::pairs::{Pairs, Units};
use crate::input::scale::{Level, Scale};
use crate::measure::panel::{Clustering, Panel, Solved};
use crate::measure::weights::{Disagreement, Weights};
use crate::result::estimate::{Estimate, Flag, Undefined, Unit};
use crate::result::inference::Inference;

/// Everything about one κ that its confusion matrix tells.
///
/// With disagreement weights d and p_ij the share of items that the raters put on levels i and j:
/// Q = Σ d_ij p_ij, E = Σ d_ij p_i. p_.j, κ = 1 − Q/E (Cohen 1960, 1968).
#[derive(Clone, Debug)]
pub struct KappaAnalysis<'w> {
    disagreement: Disagreement<'w>,
    table: Confusion,
    observed: f64,
    expected: f64,
    /// Mean disagreement of each level of the first rater with the second rater's shares, and the other way round.
    first: Vec<f64>,
    second: Vec<f64>,
    rows: Vec<f64>,
    columns: Vec<f64>,
}

/// The test of κ = 0. That κ is not 0 is no evidence of good agreement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NullTest {
    /// Standard error if κ were 0; never to be used for an interval.
    pub se: f64,
    /// κ ÷ its null standard error.
    pub z: f64,
    /// Two-sided p.
    pub p: f64,
}

impl<'w> KappaAnalysis<'w> {
    /// Analyses a table of counts on a scale.
    ///
    /// # Errors
    /// [`Undefined::NTooSmall`] for fewer than two items, [`Undefined::NoVariation`] where chance disagreement is 0,
    /// [`Undefined::ScaleMismatch`] where weights and scale do not fit.
    pub fn of_table(
        table: Confusion,
        scale: &Scale,
        weights: &'w Weights,
    ) -> Result<KappaAnalysis<'w>, Undefined> {
        KappaAnalysis::new(table, scale, scale.levels(), weights)
    }

    /// Analyses matched answers.
    ///
    /// # Errors
    /// As for a table.
    pub fn of_pairs(pairs: &Pairs, weights: &'w Weights) -> Result<KappaAnalysis<'w>, Undefined> {
        KappaAnalysis::new(Confusion::of(pairs), pairs.scale(), pairs.level_values(), weights)
    }

    pub(crate) fn new(
        table: Confusion,
        scale: &Scale,
        values: &[f64],
        weights: &'w Weights,
    ) -> Result<KappaAnalysis<'w>, Undefined> {
        if table.n() < 2 {
            return Err(Undefined::NTooSmall);
        }
        if table.levels() != values.len() {
            return Err(Undefined::ScaleMismatch);
        }
        let disagreement = weights.on(scale, values)?;
        let n = table.n() as f64;
        let share = |totals: Vec<u64>| totals.into_iter().map(|count| count as f64 / n).collect::<Vec<f64>>();
        let (rows, columns) = (share(table.row_totals()), share(table.column_totals()));
        let observed = table
            .cells()
            .iter()
            .map(|cell| disagreement.between(cell.a, cell.b) * cell.count as f64)
            .sum::<f64>()
            / n;
        let first = disagreement.of_first_with(&columns);
        let second = disagreement.of_second_with(&rows);
        let expected = rows.iter().zip(&first).map(|(share, mean)| share * mean).sum::<f64>();
        let analysis =
            KappaAnalysis { disagreement, table, observed, expected, first, second, rows, columns };
        if analysis.only_level().is_some() || expected <= 0.0 {
            return Err(Undefined::NoVariation);
        }
        Ok(analysis)
    }

    /// κ itself; exactly 0 where a rater used one level only.
    pub fn kappa(&self) -> f64 {
        if self.constant_flag().is_some() {
            return 0.0;
        }
        1.0 - self.observed / self.expected
    }

    /// Weighted observed agreement p_o = 1 − Q / max d.
    pub fn observed_agreement(&self) -> f64 {
        1.0 - self.observed / self.disagreement.greatest()
    }

    /// Weighted agreement expected by chance, p_e = 1 − E / max d.
    pub fn expected_agreement(&self) -> f64 {
        1.0 - self.expected / self.disagreement.greatest()
    }

    /// The greatest κ that these shares of levels allow, for the unweighted κ: Σ min(p_i., p_.i) in the place of p_o.
    pub fn greatest_unweighted(&self) -> f64 {
        let possible: f64 = self.rows.iter().zip(&self.columns).map(|(row, column)| row.min(*column)).sum();
        let chance: f64 = self.rows.iter().zip(&self.columns).map(|(row, column)| row * column).sum();
        // Beside very many items of one level, a few others are lost in rounding.
        if chance < 1.0 { (possible - chance) / (1.0 - chance) } else { 1.0 }
    }

    /// The influence of one item with these levels on κ; the influences of all items add up to 0.
    ///
    /// −(d_ij − Q)/E + (Q/E²)(d̄_i. + d̄_.j − 2E): the delta method of Fleiss, Cohen & Everitt (1969) item by item.
    pub fn influence(&self, a: Level, b: Level) -> f64 {
        let (q, e) = (self.observed, self.expected);
        let pull = self.first[a as usize] + self.second[b as usize] - 2.0 * e;
        -(self.disagreement.between(a, b) - q) / e + q / e * (pull / e)
    }

    /// Standard error for intervals, items independent (Fleiss, Cohen & Everitt 1969).
    pub fn standard_error(&self) -> f64 {
        let square =
            |cell: &crate::input::confusion::Cell| cell.count as f64 * self.influence(cell.a, cell.b).powi(2);
        self.table.cells().iter().map(square).sum::<f64>().sqrt() / self.table.n() as f64
    }

    /// Standard error for the test of κ = 0 only, with its z and p (Fleiss, Cohen & Everitt 1969).
    ///
    /// Written with disagreements, se² = Σ p_i. p_.j ((d̄_i. + d̄_.j − d_ij)/E − 1)² / n: the same, and free of 1 − p_e,
    /// which is lost in rounding where the scale reaches much farther than the answers.
    pub fn null_test(&self) -> NullTest {
        let mut square = 0.0;
        for (a, row) in (0..).zip(&self.rows).filter(|(_, row)| **row > 0.0) {
            for (b, column) in (0..).zip(&self.columns).filter(|(_, column)| **column > 0.0) {
                let by_chance =
                    self.first[a as usize] + self.second[b as usize] - self.disagreement.between(a, b);
                square += row * column * (by_chance / self.expected - 1.0).powi(2);
            }
        }
        let se = (square / self.table.n() as f64).sqrt();
        // Without a spread under the null there is nothing to test.
        let z = if se > 0.0 { self.kappa() / se } else { 0.0 };
        NullTest { se, z, p: normal_two_sided(z) }
    }

    /// The only level in use, if both raters used the same one throughout.
    fn only_level(&self) -> Option<Level> {
        match self.table.cells() {
            [cell] if cell.a == cell.b => Some(cell.a),
            _ => None,
        }
    }

    /// Why κ has no interval although it has a value: the raters agree throughout, or one used a single level only.
    pub fn flag(&self) -> Option<Flag> {
        if self.observed <= 0.0 { Some(Flag::ZeroWidthInterval) } else { self.constant_flag() }
    }

    /// Which raters used one level only.
    pub(crate) fn constant_flag(&self) -> Option<Flag> {
        let constant = |shares: &[f64]| shares.iter().filter(|share| **share > 0.0).count() == 1;
        match (constant(&self.rows), constant(&self.columns)) {
            (true, true) => Some(Flag::BothRatersConstant),
            (false, false) => None,
            _ => Some(Flag::OneRaterConstant),
        }
    }
}

/// κ of two raters with its interval.
///
/// The analytic interval is Fisher's z of the influence-function standard error, by cluster where items share one
/// (sums of influences within clusters, CR0). A κ of exactly 1, and one of a rater who used a single level, has no
/// interval: it would have no width. Undefined if both raters used the same single level, or for fewer than two items.
///
/// ```
/// use agreement::{Inference, Pairs, Scale, Weights, kappa};
/// let scale = Scale::ordinal([1.0, 2.0, 3.0])?;
/// let a = [1.0, 1.0, 2.0, 3.0, 3.0].map(Some);
/// let b = [1.0, 2.0, 2.0, 3.0, 3.0].map(Some);
/// let pairs = Pairs::from_values(scale, &a, &b)?;
/// let figure = kappa(&pairs, &Weights::quadratic(), &Inference::analytic());
/// assert!((figure.value().unwrap() - 6.0 / 7.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn kappa(pairs: &Pairs, weights: &Weights, inference: &Inference) -> Estimate {
    let analysis = match KappaAnalysis::of_pairs(pairs, weights) {
        Ok(analysis) => analysis,
        Err(reason) => return undefined(pairs, reason),
    };
    let units = pairs.units(inference.resampling.unit);
    let flag = analysis.flag();
    let solved = if inference.resamples_data() && flag.is_none() {
        resampled(pairs, weights, inference)
    } else {
        Solved {
            value: analysis.kappa(),
            standard_error: standard_error(&analysis, pairs, &units),
            distribution: None,
            n: pairs.n(),
            units: units.count,
            unit: units.unit,
        }
    };
    solved.kappa(flag.as_slice(), pairs.missing(), inference)
}

/// The influence-function standard error of κ, by item or by cluster (sums of influences within clusters, CR0; times
/// √(G/(G−1)) for CR1). None where κ is undefined, or where there is one unit only.
pub fn kappa_standard_error(pairs: &Pairs, weights: &Weights, unit: Unit) -> Option<f64> {
    let analysis = KappaAnalysis::of_pairs(pairs, weights).ok()?;
    let units = pairs.units(unit);
    (units.count >= 2).then(|| standard_error(&analysis, pairs, &units))
}

fn resampled(pairs: &Pairs, weights: &Weights, inference: &Inference) -> Solved {
    let of_item = (inference.resampling.unit == Unit::Cluster).then(|| pairs.cluster());
    let mut panel = Panel::new(pairs.scale(), pairs.level_values(), weights, Clustering { of_item });
    let matched = (0..).zip(pairs.a().iter().zip(pairs.b())).map(|(item, (a, b))| (item, *a, *b)).collect();
    let term = panel.term(matched);
    let statistic = panel.statistic(vec![(term, 1.0)]);
    panel.solve(inference).of(statistic)
}

/// The influence of each item on κ.
pub(crate) fn influences(analysis: &KappaAnalysis<'_>, pairs: &Pairs) -> Vec<f64> {
    pairs.a().iter().zip(pairs.b()).map(|(a, b)| analysis.influence(*a, *b)).collect()
}

/// sqrt(Σ over units of (sum of influences)²) / n: CR0; by item the one of Fleiss, Cohen & Everitt.
pub(crate) fn standard_error(analysis: &KappaAnalysis<'_>, pairs: &Pairs, units: &Units) -> f64 {
    let influences = influences(analysis, pairs);
    clustered_error(&influences, units)
}

/// sqrt(Σ over units of (sum of influences)²) / n.
pub(crate) fn clustered_error(influences: &[f64], units: &Units) -> f64 {
    let sums = units.sums(|item| influences[item]);
    sums.iter().map(|sum| sum * sum).sum::<f64>().sqrt() / influences.len() as f64
}

fn undefined(pairs: &Pairs, reason: Undefined) -> Estimate {
    let says = match (reason, pairs.a().first()) {
        (Undefined::NTooSmall, _) => format!("{} items are too few for κ: it needs two", pairs.n()),
        (Undefined::NoVariation, Some(level)) => {
            let exact =
                pairs.values().filter(|(a, b)| a.total_cmp(b).is_eq()).count() as f64 / pairs.n() as f64;
            let level = pairs.level_values()[*level as usize];
            format!("both used one level only ({level}); exact agreement is {exact:.2}")
        }
        _ => "these weights do not fit the scale: an order on a nominal scale, or another number of levels"
            .to_owned(),
    };
    Estimate::undefined_because(reason, says, pairs.n() as u64, pairs.missing())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    fn levels(count: usize) -> Scale {
        Scale::ordinal((1..=count).map(|level| level as f64).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_test_of_zero_does_not_ask_how_far_the_scale_reaches() {
        let test = |most: f64| {
            let scale = Scale::continuous(0.0, most, None).unwrap();
            let (a, b) = ([0.0, 0.0, 1.0, 1.0].map(Some), [0.0, 1.0, 1.0, 1.0].map(Some));
            let pairs = Pairs::from_values(scale, &a, &b).unwrap();
            KappaAnalysis::of_pairs(&pairs, &Weights::quadratic()).unwrap().null_test()
        };
        // p_e + p_e² − Σ p_i. p_.i (p_i. + p_.i) = 3/16, and n (1 − p_e)² = 1.
        close(test(1.0).se, 0.1875_f64.sqrt());
        close(test(1e16).se, test(1.0).se);
    }

    #[test]
    fn a_table_says_why_it_has_no_interval() {
        let flag = |rows: &[Vec<u64>]| {
            let table = Confusion::from_rows(rows);
            KappaAnalysis::of_table(table, &levels(2), &Weights::Unweighted).unwrap().flag()
        };
        assert_eq!(flag(&[vec![3, 4], vec![0, 0]]), Some(Flag::OneRaterConstant));
        assert_eq!(flag(&[vec![0, 4], vec![0, 0]]), Some(Flag::BothRatersConstant));
        assert_eq!(flag(&[vec![3, 0], vec![0, 2]]), Some(Flag::ZeroWidthInterval));
        assert_eq!(flag(&[vec![3, 1], vec![0, 2]]), None);
    }

    #[test]
    fn published_tables() {
        // Cohen (1968): .492 unweighted, .348 weighted.
        let rows = [vec![88, 14, 18], vec![10, 40, 10], vec![2, 6, 12]];
        let table = || Confusion::from_rows(&rows);
        let unweighted = Weights::Unweighted;
        close(KappaAnalysis::of_table(table(), &levels(3), &unweighted).unwrap().kappa(), 0.4915254237288136);
        let weights = crate::measure::weights::CustomWeights::from_disagreement(&[
            vec![0.0, 1.0, 3.0],
            vec![1.0, 0.0, 6.0],
            vec![3.0, 6.0, 0.0],
        ]);
        let weights = Weights::Custom(weights.unwrap());
        let analysis = KappaAnalysis::of_table(table(), &levels(3), &weights).unwrap();
        close(analysis.kappa(), 0.34782608695652173);
        close(analysis.standard_error(), 0.07550401525482295);
        close(analysis.null_test().z, 5.824282057395484);
    }

    #[test]
    fn an_inner_level_that_is_never_used_still_counts() {
        let a = [1.0, 1.0, 2.0, 4.0, 5.0, 5.0, 2.0, 4.0].map(Some);
        let b = [1.0, 2.0, 2.0, 5.0, 5.0, 4.0, 1.0, 2.0].map(Some);
        let with = |scale: Scale| {
            let pairs = Pairs::from_values(scale, &a, &b).unwrap();
            kappa(&pairs, &Weights::linear(), &Inference::analytic()).value().unwrap()
        };
        assert!((with(levels(5)) - with(Scale::ordinal([1.0, 2.0, 4.0, 5.0]).unwrap())).abs() < 1e-15);
        assert!((with(levels(5)) - with(levels(9))).abs() < 1e-15);
    }

    #[test]
    fn edges_are_said() {
        let of = |a: &[f64], b: &[f64]| {
            let some = |list: &[f64]| list.iter().copied().map(Some).collect::<Vec<_>>();
            let pairs = Pairs::from_values(levels(5), &some(a), &some(b)).unwrap();
            kappa(&pairs, &Weights::quadratic(), &Inference::analytic())
        };
        let same = of(&[4.0; 4], &[4.0; 4]);
        assert_eq!(same.undefined(), Some(Undefined::NoVariation));
        assert_eq!(same.says(), Some("both used one level only (4); exact agreement is 1.00"));
        let different = of(&[3.0; 3], &[4.0; 3]);
        assert_eq!((different.value(), different.has(Flag::BothRatersConstant)), (Some(0.0), true));
        let constant = of(&[3.0, 3.0, 3.0], &[4.0, 3.0, 2.0]);
        assert_eq!((constant.value(), constant.has(Flag::OneRaterConstant)), (Some(0.0), true));
        assert_eq!(constant.interval(), None);
        let perfect = of(&[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]);
        assert_eq!((perfect.value(), perfect.has(Flag::ZeroWidthInterval)), (Some(1.0), true));
        assert_eq!(perfect.interval(), None);
        assert_eq!(of(&[1.0], &[1.0]).undefined(), Some(Undefined::NTooSmall));
        assert_eq!(of(&[], &[]).undefined(), Some(Undefined::NTooSmall));
    }
}
