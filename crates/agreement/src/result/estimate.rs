//! A result as a value: a number with its interval, or the reason why there is none.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a figure has no value. Never 0, 1 or NaN in its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Undefined {
    /// A ceiling needs somebody to be compared with.
    SingleAnnotator,
    /// One cluster says nothing about how clusters vary.
    SingleCluster,
    /// Precision of citations, where nothing was cited.
    NothingCited,
    /// There is nothing to average.
    NoLabels,
    /// No item was answered twice.
    TooFewRepeats,
    /// Only one value occurs, so that chance agreement is complete and the figure is 0/0.
    NoVariation,
    /// Fewer items than the figure needs.
    NTooSmall,
    /// No item was rated twice.
    NoPairableUnits,
    /// TPR + TNR ≤ 1: its verdicts cannot be corrected.
    JudgeNotBetterThanRandom,
    /// No judged document is relevant, so that the ideal gain is 0.
    IdealDcgZero,
    /// No item that people pass.
    NoPositives,
    /// No item that people fail.
    NoNegatives,
    /// Too many resamples had no value.
    ResamplesUndefined,
    /// The measure does not fit the scale: an order on a nominal scale, or weights for another number of levels.
    ScaleMismatch,
    /// The arithmetic left the range of numbers.
    NotFinite,
}

/// What a reader must know about a value that is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// One of the two raters used one level only: κ is 0 whatever the other did.
    OneRaterConstant,
    /// Both raters used one level only, and not the same.
    BothRatersConstant,
    /// Nothing varies, so that the interval would have no width; none is given.
    ZeroWidthInterval,
    /// Fewer than 30 clusters: the interval may be too narrow.
    FewClusters,
    /// One cluster only: no interval can be given.
    SingleCluster,
    /// One value occurs only; the figure is defined but says little.
    NoVariation,
    /// Fewer than 30 items.
    SmallSample,
    /// Fewer than 100 items: the true coverage of a nominal 95 % interval is nearer 80–90 %.
    LowCoverage,
    /// BCa had no value here; the interval is the percentile one.
    BcaUndefined,
    /// More than 5 % of the resamples had no value; no interval is given.
    ResamplesUndefined,
    /// The value or a bound was cut to the possible range.
    Clipped,
    /// Raters differ in how many items they rated, and the form for missing ratings was used.
    MissingRatings,
    /// The mean over repeats or annotators leaves out some whose figure is undefined.
    PartlyUndefined,
}

/// How an interval was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Estimate ± z · standard error.
    Wald,
    /// Wald on Fisher's z = atanh scale.
    FisherZ,
    /// Estimate ± t · standard error.
    StudentT,
    /// Quantiles of the F distribution (intraclass correlation).
    F,
    /// Wilson (1927) score interval.
    Wilson,
    /// Clopper & Pearson (1934) exact interval.
    ClopperPearson,
    /// Quantiles of the bootstrap distribution.
    Percentile,
    /// The bootstrap distribution mirrored at the estimate.
    Basic,
    /// Bias-corrected and accelerated (Efron 1987).
    Bca,
    /// Jackknife pseudo-values with t quantiles.
    Jackknife,
}

/// What counts as independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Each item by itself.
    Item,
    /// All items of a cluster (a dialogue, a document, a customer) together.
    Cluster,
}

/// How the resamples were drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resamples {
    /// How many.
    pub resamples: u32,
    /// Seed of the generator (ChaCha, 8 rounds).
    pub seed: u64,
    /// Share of the resamples in which the figure was undefined; they are left out.
    pub undefined_share: f64,
}

/// Where the truth may lie.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// Nominal confidence, for example 0.95.
    pub level: f64,
    /// How it was made.
    pub method: Method,
    /// What was taken as independent.
    pub unit: Unit,
    /// How many independent units there were.
    pub clusters: u64,
    /// Only where the method resamples.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub resampling: Option<Resamples>,
}

impl Interval {
    /// Whether every number in it is finite and the bounds are in order.
    fn is_sound(&self) -> bool {
        let resampling = self.resampling.is_none_or(|r| (0.0..=1.0).contains(&r.undefined_share));
        self.low.is_finite()
            && self.high.is_finite()
            && self.low <= self.high
            && self.level > 0.0
            && self.level < 1.0
            && resampling
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    Defined { value: f64, interval: Option<Interval> },
    Undefined { reason: Undefined, says: String },
}

/// A figure: its value with an interval, or why it has none; the items behind it; what to know about it.
///
/// It cannot hold NaN or infinity. Its JSON is the same everywhere.
///
/// ```
/// use agreement::{Estimate, Undefined};
/// let figure = Estimate::defined(0.5, 20, 1);
/// assert_eq!(figure.value(), Some(0.5));
/// assert_eq!(Estimate::defined(f64::NAN, 20, 1).undefined(), Some(Undefined::NotFinite));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "Wire", try_from = "Wire")]
pub struct Estimate {
    outcome: Outcome,
    n: u64,
    missing: u64,
    flags: Vec<Flag>,
}

impl Estimate {
    /// A value over `n` items, with `missing` items left out for want of a value. Not finite becomes undefined.
    pub fn defined(value: f64, n: u64, missing: u64) -> Estimate {
        if !value.is_finite() {
            return Estimate::undefined_because(
                Undefined::NotFinite,
                "the arithmetic left the range of numbers",
                n,
                missing,
            );
        }
        // Negative zero would print as "-0".
        let outcome = Outcome::Defined { value: value + 0.0, interval: None };
        Estimate { outcome, n, missing, flags: Vec::new() }
    }

    /// No value, for a reason, with a sentence that a reader understands.
    pub fn undefined_because(reason: Undefined, says: impl Into<String>, n: u64, missing: u64) -> Estimate {
        Estimate { outcome: Outcome::Undefined { reason, says: says.into() }, n, missing, flags: Vec::new() }
    }

    /// The same figure with an interval. An interval that is not finite, or an undefined figure, takes none.
    #[must_use]
    pub fn with_interval(mut self, found: Interval) -> Estimate {
        if let Outcome::Defined { interval, .. } = &mut self.outcome {
            *interval = found.is_sound().then_some(found);
        }
        self
    }

    /// The same figure with one more flag; flags are kept sorted and once each.
    #[must_use]
    pub fn with_flag(mut self, flag: Flag) -> Estimate {
        if let Err(at) = self.flags.binary_search(&flag) {
            self.flags.insert(at, flag);
        }
        self
    }

    /// The value, or none if the figure is undefined.
    pub fn value(&self) -> Option<f64> {
        match self.outcome {
            Outcome::Defined { value, .. } => Some(value),
            Outcome::Undefined { .. } => None,
        }
    }

    /// Why there is no value.
    pub fn undefined(&self) -> Option<Undefined> {
        match self.outcome {
            Outcome::Defined { .. } => None,
            Outcome::Undefined { reason, .. } => Some(reason),
        }
    }

    /// The reason as a sentence.
    pub fn says(&self) -> Option<&str> {
        match &self.outcome {
            Outcome::Defined { .. } => None,
            Outcome::Undefined { says, .. } => Some(says),
        }
    }

    /// The interval, where there is one.
    pub fn interval(&self) -> Option<&Interval> {
        match &self.outcome {
            Outcome::Defined { interval, .. } => interval.as_ref(),
            Outcome::Undefined { .. } => None,
        }
    }

    /// How many items it is made of.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// How many items were left out for want of a value.
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// What to know about it, sorted.
    pub fn flags(&self) -> &[Flag] {
        &self.flags
    }

    /// Whether it carries that flag.
    pub fn has(&self, flag: Flag) -> bool {
        self.flags.contains(&flag)
    }
}

/// The estimate as it is written: the keys of both shapes side by side.
#[derive(Clone, Serialize, Deserialize)]
struct Wire {
    value: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    undefined: Option<Undefined>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    says: Option<String>,
    n: u64,
    missing: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    interval: Option<Interval>,
    #[serde(default)]
    flags: Vec<Flag>,
}

impl From<Estimate> for Wire {
    fn from(estimate: Estimate) -> Wire {
        let Estimate { outcome, n, missing, flags } = estimate;
        match outcome {
            Outcome::Defined { value, interval } => {
                Wire { value: Some(value), undefined: None, says: None, n, missing, interval, flags }
            }
            Outcome::Undefined { reason, says } => Wire {
                value: None,
                undefined: Some(reason),
                says: Some(says),
                n,
                missing,
                interval: None,
                flags,
            },
        }
    }
}

/// Why written text is no estimate.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EstimateError {
    /// Both a value and a reason for having none, or neither.
    #[error("an estimate has either a finite `value`, or `value: null` with `undefined`: the reason")]
    ValueOrReason,
    /// Bounds that are not finite, or not in order, or a level outside (0, 1).
    #[error("the interval of an estimate needs finite bounds with low ≤ high, and a level between 0 and 1")]
    Interval,
}

impl TryFrom<Wire> for Estimate {
    type Error = EstimateError;

    fn try_from(wire: Wire) -> Result<Estimate, EstimateError> {
        if wire.interval.as_ref().is_some_and(|interval| !interval.is_sound()) {
            return Err(EstimateError::Interval);
        }
        let base = match (wire.value, wire.undefined) {
            (Some(value), None) if value.is_finite() => Estimate::defined(value, wire.n, wire.missing),
            (None, Some(reason)) => {
                Estimate::undefined_because(reason, wire.says.unwrap_or_default(), wire.n, wire.missing)
            }
            _ => return Err(EstimateError::ValueOrReason),
        };
        let base = wire.flags.into_iter().fold(base, Estimate::with_flag);
        Ok(match wire.interval {
            Some(interval) => base.with_interval(interval),
            None => base,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_is_the_contract() {
        let interval = Interval {
            low: 0.62,
            high: 0.78,
            level: 0.95,
            method: Method::Bca,
            unit: Unit::Cluster,
            clusters: 20,
            resampling: Some(Resamples { resamples: 10_000, seed: 1, undefined_share: 0.0 }),
        };
        let figure = Estimate::defined(0.7131, 114, 0).with_interval(interval);
        let text = serde_json::to_string(&figure).unwrap();
        assert_eq!(
            text,
            r#"{"value":0.7131,"n":114,"missing":0,"interval":{"low":0.62,"high":0.78,"level":0.95,"method":"bca","unit":"cluster","clusters":20,"resamples":10000,"seed":1,"undefined_share":0.0},"flags":[]}"#
        );
        assert_eq!(serde_json::from_str::<Estimate>(&text).unwrap(), figure);
    }

    #[test]
    fn undefined_says_why() {
        let figure =
            Estimate::undefined_because(Undefined::NoVariation, "both used one level only (4)", 24, 0);
        let text = serde_json::to_string(&figure).unwrap();
        assert_eq!(
            text,
            r#"{"value":null,"undefined":"no_variation","says":"both used one level only (4)","n":24,"missing":0,"flags":[]}"#
        );
        assert_eq!(serde_json::from_str::<Estimate>(&text).unwrap(), figure);
    }

    #[test]
    fn text_that_is_no_estimate_is_refused() {
        assert!(serde_json::from_str::<Estimate>(r#"{"value":null,"n":1,"missing":0}"#).is_err());
        assert!(
            serde_json::from_str::<Estimate>(r#"{"value":1.0,"undefined":"no_variation","n":1,"missing":0}"#)
                .is_err()
        );
    }

    #[test]
    fn an_interval_that_is_not_finite_is_not_kept() {
        let interval = Interval {
            low: f64::NAN,
            high: 1.0,
            level: 0.95,
            method: Method::Wald,
            unit: Unit::Item,
            clusters: 3,
            resampling: None,
        };
        assert_eq!(Estimate::defined(0.5, 3, 0).with_interval(interval).interval(), None);
    }
}
