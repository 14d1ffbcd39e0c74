//! Two judges against the same reference on the same items: the difference of their κ, paired.

use serde::{Deserialize, Serialize};

use crate::column::Column;
use crate::distributions::{normal_two_sided, normal_upper_tail};
use crate::estimate::{Estimate, Flag, Undefined};
use crate::inference::{Inference, flag_size};
use crate::kappa::{KappaAnalysis, clustered_error, influences};
use crate::ratings::Ratings;
use crate::weights::Weights;

/// Judge a against judge b on the items that both answered and that have a reference.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// κ of a minus κ of b, with its paired interval.
    pub difference: Estimate,
    /// κ of a on the shared items.
    pub kappa_a: Option<f64>,
    /// κ of b on the shared items.
    pub kappa_b: Option<f64>,
    /// Paired standard error of the difference, by item or by cluster.
    pub standard_error: Option<f64>,
    /// difference ÷ standard error.
    pub z: Option<f64>,
    /// Two-sided p of the difference being 0, from z.
    pub p: Option<f64>,
}

/// Whether a candidate is shown to be no worse than an incumbent by more than a margin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NonInferiority {
    /// The whole interval lies above −margin: no worse than the margin.
    NonInferior,
    /// The whole interval lies below 0 and reaches −margin: shown to be worse.
    Inferior,
    /// Neither is shown. "Not significantly different" is not "equal".
    Inconclusive,
}

/// Reads non-inferiority from the interval of a difference (candidate − incumbent) and a margin above 0, in the order:
/// low > −margin, then high < 0. An undefined difference, one without an interval, or a margin that is no positive
/// number is inconclusive.
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

/// Compares judges `a` and `b` with one reference: Δκ with its influence-function standard error, paired by item, and
/// by cluster where items share one (STATISTICS: sd of IF_a − IF_b; Fleiss, Cohen & Everitt 1969 for each of the two).
///
/// A constant judge is the point 0, a perfect one the point 1: the difference then has the other judge's spread.
pub fn compare(
    ratings: &Ratings,
    reference: &Column,
    a: &Column,
    b: &Column,
    weights: &Weights,
    inference: &Inference,
) -> Comparison {
    let shared =
        |item: usize| reference.level(item).is_some() && a.level(item).is_some() && b.level(item).is_some();
    let missing = (0..ratings.n_items())
        .filter(|&item| reference.was_asked(item) && a.was_asked(item) && b.was_asked(item) && !shared(item))
        .count() as u64;
    let reference = reference.restricted(shared);
    let (pairs_a, pairs_b) = (ratings.matched(&reference, a), ratings.matched(&reference, b));
    let (of_a, of_b) =
        match (KappaAnalysis::of_pairs(&pairs_a, weights), KappaAnalysis::of_pairs(&pairs_b, weights)) {
            (Ok(a), Ok(b)) => (a, b),
            (a, b) => {
                return undefined(
                    a.as_ref().err().or(b.as_ref().err()).copied(),
                    a.ok(),
                    b.ok(),
                    pairs_a.n(),
                    missing,
                );
            }
        };
    let units = pairs_a.units(inference.resampling.unit);
    let paired: Vec<f64> =
        influences(&of_a, &pairs_a).iter().zip(influences(&of_b, &pairs_b)).map(|(a, b)| a - b).collect();
    let (kappa_a, kappa_b) = (of_a.kappa(), of_b.kappa());
    let value = kappa_a - kappa_b;
    let estimate = Estimate::defined(value, pairs_a.n() as u64, missing);
    let estimate = flag_size(estimate, pairs_a.n(), units.unit, units.count);
    let error = (units.count >= 2).then(|| clustered_error(&paired, &units));
    let difference = match error {
        None => estimate,
        Some(error) if error <= 0.0 => estimate.with_flag(Flag::ZeroWidthInterval),
        Some(error) => estimate.with_interval(inference.wald(value, error, units.unit, units.count)),
    };
    let z = error.filter(|error| *error > 0.0).map(|error| value / error);
    Comparison {
        difference,
        kappa_a: Some(kappa_a),
        kappa_b: Some(kappa_b),
        standard_error: error,
        z,
        p: z.map(normal_two_sided),
    }
}

fn undefined(
    reason: Option<Undefined>,
    a: Option<KappaAnalysis<'_>>,
    b: Option<KappaAnalysis<'_>>,
    n: usize,
    missing: u64,
) -> Comparison {
    let reason = reason.unwrap_or(Undefined::NTooSmall);
    let says = "κ of one of the two judges is undefined on the items that both answered";
    Comparison {
        difference: Estimate::undefined_because(reason, says, n as u64, missing),
        kappa_a: a.map(|analysis| analysis.kappa()),
        kappa_b: b.map(|analysis| analysis.kappa()),
        standard_error: None,
        z: None,
        p: None,
    }
}
