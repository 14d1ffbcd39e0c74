//! The pass rate of unlabelled items, corrected for the errors that a judge makes on labelled ones.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::distributions::normal_critical;
use crate::rate::pass_fail::PassFail;
use crate::resampling::bootstrap::BootstrapDistribution;
use crate::resampling::draws::Draws;
use crate::result::estimate::{Estimate, Flag, Interval, Method, Resamples, Undefined, Unit};
use crate::result::inference::Inference;

/// A greater share of resamples without a value than this, and there is no interval.
const MOST_UNDEFINED: f64 = 0.05;
/// With more items in either set the bootstrap is the delta method, at a price.
const MOST_DRAWN: u64 = 1 << 20;

/// A corrected pass rate and its parts.
#[derive(Clone, Debug, PartialEq)]
pub struct RoganGladen {
    /// The corrected rate, cut to [0, 1], with the percentile interval of resampling both sets. Its n is that of the
    /// unlabelled items.
    pub estimate: Estimate,
    /// What the judge passes of the unlabelled items.
    pub observed: Option<f64>,
    /// The corrected rate before it is cut.
    pub unclipped: Option<f64>,
    /// Standard error by the delta method, both sets counted (Rogan & Gladen 1978).
    pub standard_error: Option<f64>,
}

impl RoganGladen {
    /// The delta-method interval, cut to [0, 1]: wider than needed, see the crate's coverage study.
    pub fn delta_bounds(&self, confidence: f64) -> Option<(f64, f64)> {
        let half = normal_critical(confidence) * self.standard_error?;
        let unclipped = self.unclipped?;
        Some(((unclipped - half).clamp(0.0, 1.0), (unclipped + half).clamp(0.0, 1.0)))
    }
}

/// θ = (p̂ + TNR − 1) / (TPR + TNR − 1), where p̂ is the judge's pass rate on `unlabelled` items of which it passed
/// `passed` (Rogan & Gladen 1978). The rates are assumed to be the same on the unlabelled items as on the labelled.
///
/// The interval resamples the labelled *and* the unlabelled set; resampling the labelled set alone covers 75–93 %.
/// Undefined where people pass none or fail none of the labelled items, where TPR + TNR ≤ 1, and without unlabelled
/// items. Where more than 5 % of the resamples are undefined no interval is given. With more than 1,048,576
/// items in a set the interval is that of the delta method.
///
/// ```
/// use agreement::{Inference, PassFail, rogan_gladen};
/// let labelled = PassFail { true_pass: 90, false_fail: 10, true_fail: 80, false_pass: 20 };
/// let rate = rogan_gladen(&labelled, 600, 1000, &Inference::default());
/// assert!((rate.estimate.value().unwrap() - 0.4 / 0.7).abs() < 1e-12);
/// ```
pub fn rogan_gladen(labelled: &PassFail, passed: u64, unlabelled: u64, inference: &Inference) -> RoganGladen {
    let observed = (unlabelled > 0).then(|| passed.min(unlabelled) as f64 / unlabelled as f64);
    let undefined = |reason, says: &str| RoganGladen {
        estimate: Estimate::undefined_because(reason, says, unlabelled, 0),
        observed,
        unclipped: None,
        standard_error: None,
    };
    let Some(rate) = observed else {
        return undefined(Undefined::NTooSmall, "there is no unlabelled item");
    };
    if labelled.passes() == 0 {
        return undefined(Undefined::NoPositives, "people pass none of the labelled items");
    }
    if labelled.fails() == 0 {
        return undefined(Undefined::NoNegatives, "people fail none of the labelled items");
    }
    let counts = [labelled.true_pass, labelled.false_fail, labelled.true_fail, labelled.false_pass];
    let Some(unclipped) = corrected(&counts, rate) else {
        return undefined(
            Undefined::JudgeNotBetterThanRandom,
            "TPR + TNR is at most 1: the judge tells nothing",
        );
    };
    let (tpr, tnr) =
        (counts[0] as f64 / labelled.passes() as f64, counts[2] as f64 / labelled.fails() as f64);
    let variance = rate * (1.0 - rate) / unlabelled as f64
        + unclipped.powi(2) * tpr * (1.0 - tpr) / labelled.passes() as f64
        + (1.0 - unclipped).powi(2) * tnr * (1.0 - tnr) / labelled.fails() as f64;
    let estimate = Estimate::defined(unclipped.clamp(0.0, 1.0), unlabelled, 0);
    let estimate =
        if (0.0..=1.0).contains(&unclipped) { estimate } else { estimate.with_flag(Flag::Clipped) };
    let found = RoganGladen {
        estimate,
        observed,
        unclipped: Some(unclipped),
        standard_error: Some(variance.sqrt() / (tpr + tnr - 1.0)),
    };
    let estimate = if labelled.passes().saturating_add(labelled.fails()).max(unlabelled) > MOST_DRAWN {
        by_delta(&found, unlabelled, inference)
    } else {
        with_interval(found.estimate.clone(), &counts, rate, unlabelled, inference)
    };
    RoganGladen { estimate, ..found }
}

/// The interval of the delta method.
fn by_delta(found: &RoganGladen, unlabelled: u64, inference: &Inference) -> Estimate {
    let estimate = found.estimate.clone();
    match found.delta_bounds(inference.confidence) {
        Some((low, high)) => {
            let units = usize::try_from(unlabelled).unwrap_or(usize::MAX);
            estimate.with_interval(inference.between(low, high, Method::Wald, Unit::Item, units))
        }
        None => estimate,
    }
}

/// θ before it is cut; none where it is undefined.
fn corrected(counts: &[u64; 4], rate: f64) -> Option<f64> {
    let [true_pass, false_fail, true_fail, false_pass] = counts.map(|count| count as f64);
    let tpr = true_pass / (true_pass + false_fail);
    let tnr = true_fail / (true_fail + false_pass);
    let youden = tpr + tnr - 1.0;
    (youden > 1e-12).then(|| (rate + tnr - 1.0) / youden)
}

fn with_interval(
    estimate: Estimate,
    counts: &[u64; 4],
    rate: f64,
    unlabelled: u64,
    inference: &Inference,
) -> Estimate {
    let value = estimate.value().unwrap_or_default();
    let mut draws = Draws::new(inference.resampling.seed, counts.iter().sum::<u64>() as usize);
    let mut second = ChaCha8Rng::seed_from_u64(inference.resampling.seed);
    second.set_stream(1);
    let mut positions = vec![0; counts.iter().sum::<u64>() as usize];
    // The unlabelled pass rate of a resample is binomial: one uniform number looks it up.
    let cumulated: Vec<f64> = binomial(unlabelled, rate)
        .into_iter()
        .scan(0.0, |below, p| {
            *below += p;
            Some(*below)
        })
        .collect();
    let ends = [counts[0], counts[0] + counts[1], counts[0] + counts[1] + counts[2]];
    let replicates = (0..inference.resampling.resamples).map(|_| {
        draws.fill(&mut positions);
        let mut drawn = [0_u64; 4];
        positions.iter().for_each(|at| drawn[ends.iter().filter(|end| u64::from(*at) >= **end).count()] += 1);
        let point = uniform(&mut second);
        let passed = cumulated.partition_point(|below| *below <= point).min(unlabelled as usize);
        corrected(&drawn, passed as f64 / unlabelled as f64).map_or(f64::NAN, |theta| theta.clamp(0.0, 1.0))
    });
    let distribution = BootstrapDistribution::new(value, replicates.collect(), Vec::new());
    let undefined_share = distribution.undefined_share();
    if undefined_share > MOST_UNDEFINED {
        return estimate.with_flag(Flag::ResamplesUndefined);
    }
    let Some((low, high)) = distribution.percentile(inference.confidence) else {
        return estimate;
    };
    let resampling = Resamples {
        resamples: inference.resampling.resamples,
        seed: inference.resampling.seed,
        undefined_share,
    };
    estimate.with_interval(Interval {
        resampling: Some(resampling),
        ..inference.between(low, high, Method::Percentile, Unit::Item, unlabelled as usize)
    })
}

/// A number in [0, 1) with 53 random bits.
fn uniform(random: &mut ChaCha8Rng) -> f64 {
    (random.next_u64() >> 11) as f64 * (0.5_f64).powi(53)
}

/// What the published `judgy` package's bootstrap tends to as its draws grow without bound: it resamples the labelled
/// set only, leaves resamples without a value out in silence, and so covers too little. For comparison with reports
/// made by it, never for a decision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgyCompatible {
    /// Lower percentile bound.
    pub low: f64,
    /// Upper percentile bound.
    pub high: f64,
    /// Probability of a resample being left out.
    pub skipped: f64,
}

/// Goes through every possible resample of the labelled set. None where θ itself is undefined, or where the set has
/// more than 200 items.
pub fn judgy_compatible(labelled: &PassFail, observed_rate: f64, confidence: f64) -> Option<JudgyCompatible> {
    const MOST_ITEMS: u64 = 200;
    let (passes, fails) = (labelled.passes(), labelled.fails());
    let n = passes.saturating_add(fails);
    if passes == 0 || fails == 0 || n > MOST_ITEMS || !(0.0..=1.0).contains(&observed_rate) {
        return None;
    }
    let (tpr, tnr) = (labelled.true_pass as f64 / passes as f64, labelled.true_fail as f64 / fails as f64);
    let mut values: Vec<(f64, f64)> = Vec::new();
    let split = binomial(n, passes as f64 / n as f64);
    for (drawn_passes, split) in (0..=n).zip(split) {
        if drawn_passes == 0 || drawn_passes == n || split < 1e-18 {
            continue;
        }
        let of_fails = binomial(n - drawn_passes, tnr);
        for (true_pass, p) in (0..).zip(binomial(drawn_passes, tpr)) {
            for (true_fail, q) in (0..).zip(&of_fails) {
                let drawn = [true_pass, drawn_passes - true_pass, true_fail, n - drawn_passes - true_fail];
                if let Some(theta) = corrected(&drawn, observed_rate) {
                    values.push((theta.clamp(0.0, 1.0), split * p * q));
                }
            }
        }
    }
    values.sort_by(|left, right| left.0.total_cmp(&right.0));
    let kept: f64 = values.iter().map(|value| value.1).sum();
    let quantile = |probability: f64| {
        let mut below = 0.0;
        values
            .iter()
            .find(|value| {
                below += value.1;
                below >= probability * kept
            })
            .or(values.last())
            .map(|value| value.0)
    };
    let tail = (1.0 - confidence) / 2.0;
    Some(JudgyCompatible {
        low: quantile(tail)?,
        high: quantile(1.0 - tail)?,
        skipped: (1.0 - kept).max(0.0),
    })
}

/// P(X = k) of a binomial for k = 0, …, n.
fn binomial(n: u64, p: f64) -> Vec<f64> {
    use statrs::function::gamma::ln_gamma;
    let trials = n as f64;
    let at = |k: f64| {
        if p <= 0.0 || p >= 1.0 {
            let only = if p >= 1.0 { trials } else { 0.0 };
            return f64::from((k - only).abs() < 0.5);
        }
        let ways = ln_gamma(trials + 1.0) - ln_gamma(k + 1.0) - ln_gamma(trials - k + 1.0);
        (ways + k * p.ln() + (trials - k) * (-p).ln_1p()).exp()
    };
    (0..=n).map(|k| at(k as f64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_said() {
        let of = |true_pass, false_fail, true_fail, false_pass| {
            let labelled = PassFail { true_pass, false_fail, true_fail, false_pass };
            rogan_gladen(&labelled, 30, 50, &Inference::default()).estimate.undefined()
        };
        assert_eq!(of(8, 2, 0, 0), Some(Undefined::NoNegatives));
        assert_eq!(of(0, 0, 8, 2), Some(Undefined::NoPositives));
        assert_eq!(of(5, 5, 5, 5), Some(Undefined::JudgeNotBetterThanRandom));
    }

    #[test]
    fn too_small_a_set_gets_no_interval() {
        let labelled = PassFail { true_pass: 2, false_fail: 1, true_fail: 2, false_pass: 1 };
        let found = rogan_gladen(&labelled, 3, 5, &Inference::default()).estimate;
        assert!(found.has(Flag::ResamplesUndefined) && found.interval().is_none());
        let judgy = judgy_compatible(&labelled, 0.6, 0.95).unwrap();
        assert!((judgy.skipped - 0.33367626886145435).abs() < 1e-12);
    }
}
