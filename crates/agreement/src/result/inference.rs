//! How an interval is to be made: the one choice that every measure takes.

use crate::distributions::normal_critical;
use crate::result::estimate::{Estimate, Flag, Interval, Method, Unit};

/// Below this many clusters an interval may be too narrow, and is flagged [`Flag::FewClusters`].
pub const FEW_CLUSTERS: usize = 30;
/// Below this many items a figure is flagged as from a small sample.
const SMALL_SAMPLE: usize = 30;
/// Below this many items nominal 95 % intervals of κ cover 80–90 %.
const LOW_COVERAGE: usize = 100;

/// Which interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntervalMethod {
    /// None: the value alone.
    None,
    /// From the standard error, on the scale that suits the measure: Fisher's z for κ, Wilson for a share.
    Analytic,
    /// Estimate ± z · standard error. For κ it can leave the possible range.
    Wald,
    /// Quantiles of the bootstrap.
    Percentile,
    /// The mirrored quantiles of the bootstrap.
    Basic,
    /// Bias-corrected and accelerated bootstrap (Efron 1987).
    Bca,
    /// Jackknife pseudo-values.
    Jackknife,
}

/// How many resamples of what, and from which seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resampling {
    /// How many; 10,000 by default.
    pub resamples: u32,
    /// Seed of the generator. The same seed gives the same interval, on every machine.
    pub seed: u64,
    /// What is drawn: items, or whole clusters. Where no two items share a cluster the two are the same.
    pub unit: Unit,
}

impl Default for Resampling {
    fn default() -> Resampling {
        Resampling { resamples: 10_000, seed: 1, unit: Unit::Cluster }
    }
}

/// How the interval of an estimate is made. The default is BCa at 95 %, 10,000 resamples of clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inference {
    /// Which interval.
    pub interval: IntervalMethod,
    /// Nominal confidence, between 0 and 1. Out of that range no interval is given.
    pub confidence: f64,
    /// How resamples are drawn; its unit is also that of the analytic standard errors.
    pub resampling: Resampling,
}

impl Default for Inference {
    fn default() -> Inference {
        Inference { interval: IntervalMethod::Bca, confidence: 0.95, resampling: Resampling::default() }
    }
}

impl Inference {
    /// The analytic interval at 95 %, by cluster where items share one.
    pub fn analytic() -> Inference {
        Inference { interval: IntervalMethod::Analytic, ..Inference::default() }
    }

    /// The value alone, without an interval.
    pub fn value_only() -> Inference {
        Inference { interval: IntervalMethod::None, ..Inference::default() }
    }

    /// The same with another interval.
    #[must_use]
    pub fn with_interval(self, interval: IntervalMethod) -> Inference {
        Inference { interval, ..self }
    }

    /// The same with another unit of independence.
    #[must_use]
    pub fn by(self, unit: Unit) -> Inference {
        Inference { resampling: Resampling { unit, ..self.resampling }, ..self }
    }

    /// The same from another seed.
    #[must_use]
    pub fn seed(self, seed: u64) -> Inference {
        Inference { resampling: Resampling { seed, ..self.resampling }, ..self }
    }

    /// The same with another number of resamples.
    #[must_use]
    pub fn resamples(self, resamples: u32) -> Inference {
        Inference { resampling: Resampling { resamples, ..self.resampling }, ..self }
    }

    /// Whether the interval needs resamples or leave-one-out values.
    pub(crate) fn resamples_data(&self) -> bool {
        !matches!(self.interval, IntervalMethod::None | IntervalMethod::Analytic | IntervalMethod::Wald)
    }

    /// Estimate ± z · standard error.
    pub(crate) fn wald(&self, value: f64, se: f64, unit: Unit, units: usize) -> Interval {
        let half = normal_critical(self.confidence) * se;
        self.between(value - half, value + half, Method::Wald, unit, units)
    }

    /// An analytic interval with these bounds.
    pub(crate) fn between(&self, low: f64, high: f64, method: Method, unit: Unit, units: usize) -> Interval {
        Interval { low, high, level: self.confidence, method, unit, clusters: units as u64, resampling: None }
    }
}

/// Says of a figure over `n` items in `units` independent units what its size asks for.
pub(crate) fn flag_size(estimate: Estimate, n: usize, unit: Unit, units: usize) -> Estimate {
    let conditions = [
        (n < SMALL_SAMPLE, Flag::SmallSample),
        (n < LOW_COVERAGE, Flag::LowCoverage),
        (unit == Unit::Cluster && units < FEW_CLUSTERS, Flag::FewClusters),
        (unit == Unit::Cluster && units < 2, Flag::SingleCluster),
    ];
    conditions
        .into_iter()
        .filter(|(holds, _)| *holds)
        .fold(estimate, |estimate, (_, flag)| estimate.with_flag(flag))
}
