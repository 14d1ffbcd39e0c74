//! Agreement of any number of raters corrected for chance: Fleiss, Conger, Gwet's AC1 and AC2, Brennan & Prediger,
//! and Krippendorff's α in the same form, each with Gwet's linearised standard error.
//!
//! They share the observed agreement and differ in what they take chance to be. Missing ratings need no care: an item
//! counts with the ratings that it has (Gwet 2014, chapters 2, 3, 5 and 6).

mod counts;
mod similarity;

use self::counts::{Counts, Item};
use self::similarity::Similarity;
use crate::distributions::{normal_two_sided, t_critical, t_two_sided, t_upper_tail};
use crate::input::pairs::units_of;
use crate::input::ratings::Ratings;
use crate::input::scale::Level;
use crate::measure::weights::Weights;
use crate::result::estimate::{Estimate, Flag, Method, Undefined, Unit};
use crate::result::inference::{Inference, IntervalMethod, flag_size};

/// What chance agreement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Chance {
    /// All raters draw from the shares of levels pooled over raters (Scott 1955, Fleiss 1971).
    Fleiss,
    /// Each rater draws from their own shares (Conger 1980): Cohen's κ where there are two.
    Conger,
    /// Gwet (2008): AC1 unweighted, AC2 with weights. Hardly moved by a level that nearly everybody uses.
    Gwet,
    /// Every declared level is equally likely (Brennan & Prediger 1981).
    BrennanPrediger,
    /// Krippendorff's α: as Fleiss, with a correction for small samples, over items rated twice.
    Krippendorff,
}

/// A chance-corrected coefficient and its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct ChanceCorrected {
    /// The coefficient with its interval: Student's t with n − 1 degrees of freedom, upper bound at most 1.
    pub estimate: Estimate,
    /// Weighted observed agreement.
    pub observed: Option<f64>,
    /// Weighted agreement expected by chance.
    pub expected: Option<f64>,
    /// Linearised standard error.
    pub standard_error: Option<f64>,
    /// Two-sided p of the coefficient being 0, from t.
    pub p: Option<f64>,
    /// One-sided p of the coefficient not being above 0.
    pub p_greater: Option<f64>,
}

/// The test of Fleiss' κ = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FleissNullTest {
    /// Standard error if κ were 0 (Fleiss, Nee & Landis 1979); more than twice too narrow for an interval.
    pub se: f64,
    /// κ ÷ its null standard error.
    pub z: f64,
    /// Two-sided p.
    pub p: f64,
}

/// A coefficient over all raters of `ratings`.
///
/// Weights are similarities 1 − d / max d over the *declared* levels: AC and Brennan–Prediger depend on how many levels
/// were possible, not on how many were used. Undefined for fewer than two items, without an item rated twice, where
/// only one level occurs (Fleiss, Conger, Krippendorff), or on a scale without levels. AC and Brennan–Prediger are 1
/// where only one level occurs, with the flag that this carries no information, and without an interval.
///
/// ```
/// use agreement::{Chance, Inference, Ratings, Scale, Weights, chance_corrected};
/// let rows: Vec<Vec<Option<f64>>> = [(1.0, 1.0, 80), (1.0, 2.0, 10), (2.0, 1.0, 5), (2.0, 2.0, 5)]
///     .iter()
///     .flat_map(|(a, b, times)| vec![vec![Some(*a), Some(*b)]; *times])
///     .collect();
/// let ratings = Ratings::from_table(Scale::ordinal([1.0, 2.0])?, &rows)?;
/// let ac1 = chance_corrected(&ratings, Chance::Gwet, &Weights::Unweighted, &Inference::analytic());
/// assert!((ac1.estimate.value().unwrap() - 0.808).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn chance_corrected(
    ratings: &Ratings,
    chance: Chance,
    weights: &Weights,
    inference: &Inference,
) -> ChanceCorrected {
    let counts = Counts::of(ratings, if chance == Chance::Krippendorff { 2 } else { 1 });
    let missing = (ratings.n_items() - counts.items.len()) as u64;
    let n = counts.items.len() as u64;
    let undefined = |reason, says: &str| {
        let estimate = Estimate::undefined_because(reason, says, n, missing);
        ChanceCorrected {
            estimate,
            observed: None,
            expected: None,
            standard_error: None,
            p: None,
            p_greater: None,
        }
    };
    let disagreement = match weights.on(ratings.scale(), ratings.level_values()) {
        Ok(disagreement) if ratings.scale().has_levels() => disagreement,
        _ => {
            return undefined(
                Undefined::ScaleMismatch,
                "these weights and this measure need a scale of ordered levels",
            );
        }
    };
    if counts.pairable() == 0 {
        return undefined(Undefined::NoPairableUnits, "no item was rated twice");
    }
    if counts.items.len() < 2 {
        return undefined(Undefined::NTooSmall, "one item is too few: it needs two");
    }
    let constant = counts.only_level();
    if constant && !matches!(chance, Chance::Gwet | Chance::BrennanPrediger) {
        return undefined(Undefined::NoVariation, "one level only was used; agreement on it is 1.00");
    }
    let similarity = Similarity::new(disagreement, ratings.level_values().len());
    let parts = match chance {
        Chance::Krippendorff => krippendorff(&counts, &similarity),
        Chance::Conger => conger(ratings, &counts, &similarity),
        _ => pooled(&counts, &similarity, chance),
    };
    if parts.expected >= 1.0 {
        return undefined(Undefined::NoVariation, "chance agreement is complete");
    }
    parts.finish(ratings, &counts, missing, constant, inference)
}

/// Fleiss' κ tested against 0, for complete ratings: every item rated by the same number of raters, two at least, and
/// more than one level in use. None otherwise.
pub fn fleiss_null_test(ratings: &Ratings) -> Option<FleissNullTest> {
    let counts = Counts::of(ratings, 1);
    let m = counts.items.first()?.total;
    if m < 2.0 || counts.items.len() < 2 || counts.items.iter().any(|item| (item.total - m).abs() > 0.5) {
        return None;
    }
    let shares = counts.pooled_shares(ratings.level_values().len());
    let spread: f64 = shares.iter().map(|p| p * (1.0 - p)).sum();
    let skew: f64 = shares.iter().map(|p| p * (1.0 - p) * (1.0 - 2.0 * p)).sum();
    let n = counts.items.len() as f64;
    let variance = (2.0 * (spread * spread - skew)).max(0.0) / (spread * spread * n * m * (m - 1.0));
    let (se, kappa) = (variance.sqrt(), fleiss_value(&counts, &shares));
    (se > 0.0 && kappa.is_finite()).then(|| FleissNullTest {
        se,
        z: kappa / se,
        p: normal_two_sided(kappa / se),
    })
}

fn fleiss_value(counts: &Counts, shares: &[f64]) -> f64 {
    let agree = |item: &Item| item.levels.iter().map(|(_, count)| count * (count - 1.0)).sum::<f64>();
    let observed =
        counts.items.iter().map(|item| agree(item) / (item.total * (item.total - 1.0))).sum::<f64>()
            / counts.items.len() as f64;
    let expected: f64 = shares.iter().map(|share| share * share).sum();
    (observed - expected) / (1.0 - expected)
}

/// The coefficient and what each item contributes to it.
struct Parts {
    observed: f64,
    expected: f64,
    /// What the linearised items average to: the coefficient itself, but for the small-sample correction of α.
    centre: f64,
    linearised: Vec<f64>,
}

impl Parts {
    /// From each item's observed agreement (already scaled to average to `observed`) and chance agreement.
    fn new(
        observed: f64,
        expected: f64,
        centre_observed: f64,
        items: impl Iterator<Item = (f64, f64)>,
    ) -> Parts {
        let centre = (centre_observed - expected) / (1.0 - expected);
        let linearised = items
            .map(|(agreement, chance)| {
                agreement / (1.0 - expected) - 2.0 * (1.0 - centre) * (chance - expected) / (1.0 - expected)
            })
            .collect();
        Parts { observed, expected, centre, linearised }
    }

    fn coefficient(&self) -> f64 {
        (self.observed - self.expected) / (1.0 - self.expected)
    }

    fn finish(
        self,
        ratings: &Ratings,
        counts: &Counts,
        missing: u64,
        constant: bool,
        inference: &Inference,
    ) -> ChanceCorrected {
        let n = counts.items.len();
        let units =
            units_of(ratings, counts.items.iter().map(|item| item.position), inference.resampling.unit);
        let estimate =
            flag_size(Estimate::defined(self.coefficient(), n as u64, missing), n, units.unit, units.count);
        let estimate = if counts.items.iter().any(|item| (item.total - counts.items[0].total).abs() > 0.5) {
            estimate.with_flag(Flag::MissingRatings)
        } else {
            estimate
        };
        let (observed, expected) = (Some(self.observed), Some(self.expected));
        if constant || units.count < 2 {
            let flag = if constant { Flag::NoVariation } else { Flag::SingleCluster };
            let estimate = estimate.with_flag(flag);
            return ChanceCorrected {
                estimate,
                observed,
                expected,
                // Agreement on one level does not vary from item to item.
                standard_error: (units.count >= 2).then_some(0.0),
                p: None,
                p_greater: None,
            };
        }
        let sums = units.sums(|item| self.linearised[item] - self.centre);
        let groups = units.count as f64;
        let se = (sums.iter().map(|sum| sum * sum).sum::<f64>() * groups / (groups - 1.0)).sqrt() / n as f64;
        let t = self.coefficient() / se;
        ChanceCorrected {
            estimate: interval(estimate, self.coefficient(), se, units.unit, units.count, inference),
            observed,
            expected,
            standard_error: Some(se),
            p: (se > 0.0).then(|| t_two_sided(t, groups - 1.0)),
            p_greater: (se > 0.0).then(|| t_upper_tail(t, groups - 1.0)),
        }
    }
}

fn interval(
    estimate: Estimate,
    value: f64,
    se: f64,
    unit: Unit,
    units: usize,
    inference: &Inference,
) -> Estimate {
    if inference.interval == IntervalMethod::None {
        return estimate;
    }
    if se <= 0.0 || !(inference.confidence > 0.0 && inference.confidence < 1.0) {
        return estimate.with_flag(Flag::ZeroWidthInterval);
    }
    let half = t_critical(inference.confidence, units as f64 - 1.0) * se;
    let estimate = if value + half > 1.0 { estimate.with_flag(Flag::Clipped) } else { estimate };
    estimate.with_interval(inference.between(
        value - half,
        (value + half).min(1.0),
        Method::StudentT,
        unit,
        units,
    ))
}

/// Fleiss, Gwet and Brennan–Prediger: chance from the pooled shares of levels, or from none.
fn pooled(counts: &Counts, similarity: &Similarity<'_>, chance: Chance) -> Parts {
    let levels = similarity.levels as f64;
    let shares = counts.pooled_shares(similarity.levels);
    let (expected, of_level): (f64, Vec<f64>) = match chance {
        Chance::Fleiss => {
            let with = similarity.with(&shares);
            (shares.iter().zip(&with).map(|(share, mean)| share * mean).sum(), with)
        }
        Chance::Gwet => {
            let scale = similarity.total() / (levels * (levels - 1.0));
            let of_level: Vec<f64> = shares.iter().map(|share| scale * (1.0 - share)).collect();
            (shares.iter().zip(&of_level).map(|(share, rest)| share * rest).sum(), of_level)
        }
        _ => {
            let even = similarity.total() / (levels * levels);
            (even, vec![even; similarity.levels])
        }
    };
    let (observed, agreement) = observed_agreement(counts, similarity, expected);
    let chance_of = |item: &Item| {
        item.levels.iter().map(|(level, count)| count / item.total * of_level[*level as usize]).sum::<f64>()
    };
    Parts::new(observed, expected, observed, agreement.into_iter().zip(counts.items.iter().map(chance_of)))
}

/// Mean pairwise agreement over items rated twice, and each item's part in it less chance: items that were rated once
/// take no part.
fn observed_agreement(counts: &Counts, similarity: &Similarity<'_>, expected: f64) -> (f64, Vec<f64>) {
    let scale = counts.items.len() as f64 / counts.pairable() as f64;
    let share = |item: &Item| similarity.agreeing(item) / (item.total * (item.total - 1.0));
    let paired = || counts.items.iter().filter(|item| item.total >= 2.0);
    let observed = paired().map(share).sum::<f64>() / counts.pairable() as f64;
    let part = |item: &Item| if item.total >= 2.0 { scale * (share(item) - expected) } else { 0.0 };
    (observed, counts.items.iter().map(part).collect())
}

fn krippendorff(counts: &Counts, similarity: &Similarity<'_>) -> Parts {
    let n = counts.items.len() as f64;
    let all: f64 = counts.items.iter().map(|item| item.total).sum();
    let mean = all / n;
    let mut shares = vec![0.0; similarity.levels];
    for (level, count) in counts.items.iter().flat_map(|item| &item.levels) {
        shares[*level as usize] += count / all;
    }
    let with = similarity.with(&shares);
    let expected: f64 = shares.iter().zip(&with).map(|(share, mean)| share * mean).sum();
    let part = |item: &Item| similarity.agreeing(item) / (mean * (item.total - 1.0));
    let raw = counts.items.iter().map(part).sum::<f64>() / n;
    let observed = (1.0 - 1.0 / all) * raw + 1.0 / all;
    let items = counts.items.iter().map(|item| {
        let surplus = (item.total - mean) / mean;
        let chance: f64 = item.levels.iter().map(|(level, count)| count / mean * with[*level as usize]).sum();
        (part(item) - observed * surplus - expected, chance - expected * surplus)
    });
    Parts::new(observed, expected, raw, items)
}

/// Conger: chance from each rater's own shares, averaged over pairs of different raters.
fn conger(ratings: &Ratings, counts: &Counts, similarity: &Similarity<'_>) -> Parts {
    let n = counts.items.len() as f64;
    let raters: Vec<Vec<Option<Level>>> = (0..ratings.raters().len())
        .map(|rater| ratings.column(rater))
        .map(|column| counts.items.iter().map(|item| column.level(item.position)).collect())
        .filter(|given: &Vec<Option<Level>>| given.iter().any(Option::is_some))
        .collect();
    let shares: Vec<Vec<f64>> = raters.iter().map(|given| shares_of(given, similarity.levels)).collect();
    let with: Vec<Vec<f64>> = shares.iter().map(|own| similarity.with(own)).collect();
    let all: Vec<f64> = (0..similarity.levels).map(|level| with.iter().map(|own| own[level]).sum()).collect();
    let pairs = (raters.len() * (raters.len() - 1)) as f64;
    let chance_with_others =
        |rater: usize, level: usize| -> f64 { (all[level] - with[rater][level]) / pairs };
    let of_rater = |rater: usize| -> f64 {
        shares[rater].iter().enumerate().map(|(level, share)| share * chance_with_others(rater, level)).sum()
    };
    let means: Vec<f64> = (0..raters.len()).map(of_rater).collect();
    let expected: f64 = means.iter().sum();
    let mut chance = vec![expected; counts.items.len()];
    for (rater, given) in raters.iter().enumerate() {
        let scale = n / given.iter().flatten().count() as f64;
        for (chance, level) in chance.iter_mut().zip(given) {
            if let Some(level) = level {
                *chance += scale * (chance_with_others(rater, *level as usize) - means[rater]);
            }
        }
    }
    let (observed, agreement) = observed_agreement(counts, similarity, expected);
    Parts::new(observed, expected, observed, agreement.into_iter().zip(chance))
}

fn shares_of(given: &[Option<Level>], levels: usize) -> Vec<f64> {
    let total = given.iter().flatten().count() as f64;
    let mut shares = vec![0.0; levels];
    for level in given.iter().flatten() {
        shares[*level as usize] += 1.0 / total;
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::scale::Scale;

    fn of(rows: &[Vec<Option<f64>>], chance: Chance) -> ChanceCorrected {
        let ratings = Ratings::from_table(Scale::ordinal([1.0, 2.0, 3.0]).unwrap(), rows).unwrap();
        chance_corrected(&ratings, chance, &Weights::Unweighted, &Inference::analytic())
    }

    #[test]
    fn one_level_only() {
        let rows = vec![vec![Some(2.0), Some(2.0)]; 4];
        for chance in [Chance::Fleiss, Chance::Conger, Chance::Krippendorff] {
            assert_eq!(of(&rows, chance).estimate.undefined(), Some(Undefined::NoVariation), "{chance:?}");
        }
        for chance in [Chance::Gwet, Chance::BrennanPrediger] {
            let ChanceCorrected { estimate, standard_error, p, .. } = of(&rows, chance);
            assert_eq!((estimate.value(), estimate.has(Flag::NoVariation)), (Some(1.0), true), "{chance:?}");
            assert_eq!((estimate.interval(), standard_error, p), (None, Some(0.0), None), "{chance:?}");
        }
    }

    #[test]
    fn conger_of_two_is_cohen() {
        let rows: Vec<Vec<Option<f64>>> =
            (0..30).map(|i| vec![Some(f64::from(i % 3) + 1.0), Some(f64::from(i * i % 3) + 1.0)]).collect();
        let ratings = Ratings::from_table(Scale::ordinal([1.0, 2.0, 3.0]).unwrap(), &rows).unwrap();
        let cohen =
            crate::measure::kappa::kappa(&ratings.pair(0, 1), &Weights::Unweighted, &Inference::analytic());
        let conger = of(&rows, Chance::Conger).estimate;
        assert!((conger.value().unwrap() - cohen.value().unwrap()).abs() < 1e-12);
    }

    #[test]
    fn many_levels_need_no_table_of_their_pairs() {
        // Under Miri so many levels take an hour and show no more than a thousand.
        let many = if cfg!(miri) { 1_024 } else { 65_536 };
        let levels: Vec<f64> = (0..many).map(f64::from).collect();
        let between = many / 41;
        let rows: Vec<Vec<Option<f64>>> = (0..40)
            .map(|item| [0, 1, 3].map(|step| Some(f64::from(item * between + step))).to_vec())
            .collect();
        let ratings = Ratings::from_table(Scale::ordinal(levels).unwrap(), &rows).unwrap();
        for chance in
            [Chance::Fleiss, Chance::Conger, Chance::Gwet, Chance::BrennanPrediger, Chance::Krippendorff]
        {
            for weights in [Weights::Unweighted, Weights::linear(), Weights::quadratic()] {
                let found = chance_corrected(&ratings, chance, &weights, &Inference::analytic());
                let near = if weights == Weights::Unweighted { 0.0 } else { 1.0 };
                let value = found.estimate.value().unwrap();
                assert!((value - near).abs() < 0.02, "{chance:?}, {weights:?}: {value}");
            }
        }
    }

    #[test]
    fn two_items_in_full_disagreement() {
        let rows = vec![vec![Some(1.0), Some(2.0), Some(3.0)]; 2];
        assert!((of(&rows, Chance::Fleiss).estimate.value().unwrap() + 0.5).abs() < 1e-12);
    }
}
