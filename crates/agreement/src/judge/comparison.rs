//! Judges against the same reference on the same items: their κ, and paired differences.

use serde::{Deserialize, Serialize};

use crate::distributions::{normal_two_sided, normal_upper_tail};
use crate::input::column::Column;
use crate::input::ratings::Ratings;
use crate::judge::luck::Luck;
use crate::measure::panel::{Clustering, Matched, Panel, Solution};
use crate::measure::weights::Weights;
use crate::resampling::bootstrap::BootstrapDistribution;
use crate::result::estimate::{Estimate, Flag, Undefined, Unit};
use crate::result::inference::Inference;

/// A judge: its answers in each repeat of its run, one column for each repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judge {
    repeats: Vec<Column>,
}

impl Judge {
    /// A judge that ran once.
    pub fn once(answers: Column) -> Judge {
        Judge { repeats: vec![answers] }
    }

    /// A judge that ran several times. Its κ is the mean of the repeats' κ, and a bootstrap draw of an item carries
    /// all its repeats. (A vote over repeats is another judge.)
    pub fn repeated(repeats: Vec<Column>) -> Judge {
        Judge { repeats }
    }

    /// The answers of each repeat.
    pub fn repeats(&self) -> &[Column] {
        &self.repeats
    }

    /// Whether any repeat has an answer to an item.
    pub fn answered(&self, item: usize) -> bool {
        self.repeats.iter().any(|column| column.level(item).is_some())
    }

    /// Whether any repeat asked about an item.
    pub fn was_asked(&self, item: usize) -> bool {
        self.repeats.iter().any(|column| column.was_asked(item))
    }
}

/// Which judges of a family are compared with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// None.
    None,
    /// Every other judge minus this one (by position): the incumbent.
    Against(usize),
    /// Every judge minus every later one.
    All,
}

/// Judge a against judge b on the items that both answered and that have a reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Position of the judge that is compared.
    pub a: usize,
    /// Position of the judge that it is compared with.
    pub b: usize,
    /// κ of a minus κ of b, with its paired interval.
    pub difference: Estimate,
    /// κ of a on the shared items.
    pub kappa_a: Option<f64>,
    /// κ of b on the shared items.
    pub kappa_b: Option<f64>,
    /// Paired influence-function standard error of the difference, by item or by cluster.
    pub standard_error: Option<f64>,
    /// difference ÷ standard error.
    pub z: Option<f64>,
    /// Two-sided p of the difference being 0, from z. The default p of a report is that of the permutation test.
    pub p: Option<f64>,
}

/// Several judges against one reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// κ of each judge, on the items that it answered.
    pub kappas: Vec<Estimate>,
    /// The differences that were asked for.
    pub comparisons: Vec<Comparison>,
    /// How much of the lead of the best may be luck; only where the method resamples, and for two judges or more.
    pub luck: Option<Luck>,
}

/// Whether a candidate is shown to be no worse than an incumbent by more than a margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NonInferiority {
    /// The whole interval lies above −margin: no worse than the margin.
    NonInferior,
    /// The whole interval lies below 0, and reaches −margin: shown to be worse.
    Inferior,
    /// Neither is shown. "Not significantly different" is not "equal".
    Inconclusive,
}

/// Reads non-inferiority from the interval of a difference (candidate − incumbent) and a margin above 0, in this
/// order: low > −margin, then high < 0. An undefined difference, one without an interval, or a margin that is no
/// positive number is inconclusive.
///
/// ```
/// use agreement::{Estimate, NonInferiority, non_inferiority};
/// assert_eq!(non_inferiority(&Estimate::defined(0.0, 10, 0), 0.05), NonInferiority::Inconclusive);
/// ```
pub fn non_inferiority(difference: &Estimate, margin: f64) -> NonInferiority {
    match difference.interval() {
        Some(interval) if margin > 0.0 && margin.is_finite() => {
            if interval.low > -margin {
                NonInferiority::NonInferior
            } else if interval.high < 0.0 {
                NonInferiority::Inferior
            } else {
                NonInferiority::Inconclusive
            }
        }
        _ => NonInferiority::Inconclusive,
    }
}

impl Comparison {
    /// z and one-sided p of H0: difference ≤ −margin.
    pub fn non_inferiority_test(&self, margin: f64) -> Option<(f64, f64)> {
        let z = (self.difference.value()? + margin) / self.standard_error.filter(|error| *error > 0.0)?;
        z.is_finite().then(|| (z, normal_upper_tail(z)))
    }
}

/// Compares two judges that ran once; see [`compare_family`].
pub fn compare(
    ratings: &Ratings,
    reference: &Column,
    a: &Column,
    b: &Column,
    weights: &Weights,
    inference: &Inference,
) -> Comparison {
    let judges = [Judge::once(a.clone()), Judge::once(b.clone())];
    let family = compare_family(ratings, reference, &judges, Pairing::All, weights, inference);
    family.comparisons.into_iter().next().unwrap_or_else(|| no_comparison(0, 1, Undefined::NTooSmall, 0, 0))
}

/// κ of each judge against the reference, and the paired differences, all from the same draws.
///
/// A difference is taken on the items that both judges answered, so it need not be the difference of two columns of a
/// table. Its analytic standard error sums the differences of influences within clusters (Fleiss, Cohen & Everitt 1969
/// for each judge); its bootstrap draws each item (or cluster) for both judges at once. A constant judge is the point
/// 0 and a perfect one the point 1: the difference then has the other judge's spread.
///
/// ```
/// use agreement::{Inference, Judge, Pairing, Ratings, Rule, Scale, Weights, compare_family, reference_column};
/// let mut rows = Ratings::builder(Scale::ordinal([1.0, 2.0, 3.0])?);
/// for (item, values) in [[1.0, 1.0, 1.0], [2.0, 2.0, 3.0], [3.0, 3.0, 3.0], [1.0, 2.0, 1.0]].iter().enumerate() {
///     for (rater, value) in ["human", "judge", "other"].iter().zip(values) {
///         rows.push(rater, &item.to_string(), Some(*value), None)?;
///     }
/// }
/// let ratings = rows.build();
/// let reference = reference_column(&ratings, &[0], Rule::Majority);
/// let judges = [1, 2].map(|rater| Judge::once(ratings.column(rater)));
/// let family =
///     compare_family(&ratings, &reference, &judges, Pairing::All, &Weights::quadratic(), &Inference::analytic());
/// assert_eq!(family.kappas.len(), 2);
/// assert!(family.comparisons[0].difference.value().is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compare_family(
    ratings: &Ratings,
    reference: &Column,
    judges: &[Judge],
    pairing: Pairing,
    weights: &Weights,
    inference: &Inference,
) -> Family {
    let of_item = (inference.resampling.unit == Unit::Cluster).then(|| ratings.cluster_numbers());
    let mut panel = Panel::new(ratings.scale(), ratings.level_values(), weights, Clustering { of_item });
    let own: Vec<_> = judges.iter().map(|judge| panel.mean(matched(reference, judge, |_| true))).collect();
    let coverage: Vec<Coverage> = judges.iter().map(|judge| Coverage::of(reference, judge)).collect();
    let pairs: Vec<Paired> = pairs_of(judges.len(), pairing)
        .into_iter()
        .map(|pair| Paired::new(&mut panel, &own, reference, judges, &coverage, pair))
        .collect();
    let solution = panel.solve(inference);

    let solved: Vec<_> = own
        .iter()
        .map(|own| own.as_ref().map(|(statistic, flags)| (solution.of(*statistic), flags)))
        .collect();
    let kappas = solved.iter().zip(&coverage).map(|(solved, coverage)| {
        let (n, missing) = counts(&[coverage]);
        match solved {
            Ok((solved, flags)) => solved.kappa(flags, missing, inference),
            Err(reason) => undefined_kappa(**reason, n, missing),
        }
    });
    let distributions: Vec<Option<&BootstrapDistribution>> = solved
        .iter()
        .map(|solved| solved.as_ref().ok().and_then(|(solved, _)| solved.distribution.as_ref()))
        .collect();
    Family {
        kappas: kappas.collect(),
        comparisons: pairs.into_iter().map(|pair| pair.comparison(&solution, inference)).collect(),
        luck: Luck::of(&distributions),
    }
}

fn pairs_of(judges: usize, pairing: Pairing) -> Vec<(usize, usize)> {
    match pairing {
        Pairing::None => Vec::new(),
        Pairing::Against(incumbent) if incumbent < judges => {
            (0..judges).filter(|judge| *judge != incumbent).map(|judge| (judge, incumbent)).collect()
        }
        Pairing::Against(_) => Vec::new(),
        Pairing::All => (0..judges).flat_map(|a| (a + 1..judges).map(move |b| (a, b))).collect(),
    }
}

/// The statistics of one comparison within a panel.
struct Paired {
    a: usize,
    b: usize,
    n: u64,
    missing: u64,
    statistics: Result<[usize; 3], Undefined>,
}

impl Paired {
    fn new(
        panel: &mut Panel<'_>,
        own: &[Result<(usize, Vec<Flag>), Undefined>],
        reference: &Column,
        judges: &[Judge],
        coverage: &[Coverage],
        (a, b): (usize, usize),
    ) -> Paired {
        let (n, missing) = counts(&[&coverage[a], &coverage[b]]);
        let mut shared = |judge: usize, other: usize| {
            if coverage[judge].is_within(&coverage[other]) {
                return own[judge].clone();
            }
            panel.mean(matched(reference, &judges[judge], |item| judges[other].answered(item)))
        };
        let (of_a, of_b) = (shared(a, b), shared(b, a));
        let statistics = match (of_a, of_b) {
            (Ok((of_a, _)), Ok((of_b, _))) => {
                let negative = panel.parts(of_b).iter().map(|(term, weight)| (*term, -weight));
                let parts = panel.parts(of_a).iter().copied().chain(negative).collect();
                Ok([panel.statistic(parts), of_a, of_b])
            }
            (Err(reason), _) | (_, Err(reason)) => Err(reason),
        };
        Paired { a, b, n, missing, statistics }
    }

    fn comparison(self, solution: &Solution<'_>, inference: &Inference) -> Comparison {
        let Paired { a, b, n, missing, statistics } = self;
        let [difference, of_a, of_b] = match statistics {
            Ok(statistics) => statistics,
            Err(reason) => return no_comparison(a, b, reason, n, missing),
        };
        let difference = solution.of(difference);
        let standard_error = (difference.units >= 2).then_some(difference.standard_error);
        let z = standard_error.filter(|error| *error > 0.0).map(|error| difference.value / error);
        Comparison {
            a,
            b,
            difference: difference.difference(missing, inference),
            kappa_a: Some(solution.value(of_a)),
            kappa_b: Some(solution.value(of_b)),
            standard_error,
            z,
            p: z.map(normal_two_sided),
        }
    }
}

/// The matched answers of each repeat, on the items that also fulfil a condition.
pub(crate) fn matched(reference: &Column, judge: &Judge, also: impl Fn(usize) -> bool) -> Vec<Matched> {
    let of_repeat = |column: &Column| {
        (0..reference.len())
            .filter(|item| also(*item))
            .filter_map(|item| Some((item as u32, reference.level(item)?, column.level(item)?)))
            .collect()
    };
    judge.repeats.iter().map(of_repeat).collect()
}

/// For each item, whether reference and judge were both asked, and whether both answered.
struct Coverage {
    asked: Vec<bool>,
    answered: Vec<bool>,
}

impl Coverage {
    fn of(reference: &Column, judge: &Judge) -> Coverage {
        let items = 0..reference.len();
        Coverage {
            asked: items.clone().map(|item| reference.was_asked(item) && judge.was_asked(item)).collect(),
            answered: items.map(|item| reference.level(item).is_some() && judge.answered(item)).collect(),
        }
    }

    /// Whether `other` answered every item on which this judge is measured, so that sharing items changes nothing.
    fn is_within(&self, other: &Coverage) -> bool {
        self.answered.iter().zip(&other.answered).all(|(own, other)| !own | other)
    }
}

/// Items that all sides answered, and items that all were asked about and some gave no value for.
fn counts(judges: &[&Coverage]) -> (u64, u64) {
    let shared = |of: fn(&Coverage) -> &[bool]| {
        let mut all = judges.first().map_or(Vec::new(), |first| of(first).to_vec());
        for judge in judges {
            all.iter_mut().zip(of(judge)).for_each(|(all, own)| *all &= own);
        }
        all.into_iter().filter(|item| *item).count() as u64
    };
    let answered = shared(|coverage| &coverage.answered);
    (answered, shared(|coverage| &coverage.asked) - answered)
}

pub(crate) fn undefined_kappa(reason: Undefined, n: u64, missing: u64) -> Estimate {
    let says = match reason {
        Undefined::NTooSmall => format!("{n} items are too few for κ: it needs two"),
        Undefined::NoVariation => "both used one level only; exact agreement is 1.00".to_owned(),
        _ => "these weights do not fit the scale: an order on a nominal scale, or another number of levels"
            .to_owned(),
    };
    Estimate::undefined_because(reason, says, n, missing)
}

fn no_comparison(a: usize, b: usize, reason: Undefined, n: u64, missing: u64) -> Comparison {
    let says = "κ of one of the two judges is undefined on the items that both answered";
    Comparison {
        a,
        b,
        difference: Estimate::undefined_because(reason, says, n, missing),
        kappa_a: None,
        kappa_b: None,
        standard_error: None,
        z: None,
        p: None,
    }
}
