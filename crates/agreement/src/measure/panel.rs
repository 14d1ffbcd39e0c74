//! Several κ on the same items at once: judges against one reference, annotators against each other, repeats of one
//! judge; their means and differences, from the same draws.
//!
//! A [`Term`] is the κ of two columns of answers, a statistic a weighted sum of terms. Everything is computed from
//! sums over independent units, so that twelve judges and their sixty-six differences cost little more than one.

use std::collections::HashMap;

use crate::distributions::normal_critical;
use crate::input::confusion::Confusion;
use crate::input::scale::{Level, Scale};
use crate::measure::kappa::KappaAnalysis;
use crate::measure::term::{Form, Lanes};
use crate::measure::weights::Weights;
use crate::resampling::bootstrap::{BootstrapDistribution, distributions, weighted_sum};
use crate::resampling::sums::Sums;
use crate::result::estimate::{Estimate, Flag, Method, Undefined, Unit};
use crate::result::inference::{Inference, IntervalMethod, flag_size};

/// An item and the levels that the two sides gave it.
pub(crate) type Matched = Vec<(u32, Level, Level)>;

/// What is independent among the items.
#[derive(Clone, Debug)]
pub(crate) struct Clustering<'c> {
    /// The cluster of each item, or none: each item by itself.
    pub(crate) of_item: Option<&'c [u32]>,
}

impl Clustering<'_> {
    fn unit_of(&self, item: u32) -> u32 {
        self.of_item.map_or(item, |of_item| of_item[item as usize])
    }
}

/// One κ and what is known of it without resampling.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    form: Form,
    /// Why it has no value.
    pub(crate) undefined: Option<Undefined>,
    /// Whether a side used one level only.
    pub(crate) constant: Option<Flag>,
    /// Whether all answers were equal.
    pub(crate) perfect: bool,
}

/// A weighted sum of terms.
#[derive(Clone, Debug)]
struct Statistic {
    parts: Vec<(usize, f64)>,
    size: Size,
}

/// How much a figure rests on: distinct items, and independent units among them.
#[derive(Clone, Copy, Debug)]
struct Size {
    n: usize,
    units: usize,
}

/// Collects terms and statistics; see [`Panel::solve`].
#[derive(Debug)]
pub(crate) struct Panel<'p> {
    scale: &'p Scale,
    values: &'p [f64],
    weights: &'p Weights,
    clustering: Clustering<'p>,
    unit_numbers: HashMap<u32, u32>,
    lanes: Lanes,
    terms: Vec<Term>,
    matched: Vec<Matched>,
    sizes: Vec<Size>,
    known: HashMap<Matched, usize>,
    statistics: Vec<Statistic>,
}

/// The figures of one statistic.
#[derive(Clone, Debug)]
pub(crate) struct Solved {
    pub(crate) value: f64,
    /// Influence-function standard error, sums of influences within units (CR0).
    pub(crate) standard_error: f64,
    /// Only where the method resamples.
    pub(crate) distribution: Option<BootstrapDistribution>,
    /// Distinct items behind it.
    pub(crate) n: usize,
    /// Independent units behind it.
    pub(crate) units: usize,
    pub(crate) unit: Unit,
}

impl Solved {
    /// This κ (or mean of κ) as an estimate. A constant side and a κ of exactly 1 have no interval.
    pub(crate) fn kappa(&self, flags: &[Flag], missing: u64, inference: &Inference) -> Estimate {
        let estimate = flags.iter().fold(self.sized(missing), |estimate, flag| estimate.with_flag(*flag));
        let no_width = [Flag::OneRaterConstant, Flag::BothRatersConstant, Flag::ZeroWidthInterval];
        if self.units < 2 || no_width.iter().any(|flag| flags.contains(flag)) {
            return estimate;
        }
        match (&self.distribution, inference.interval) {
            (Some(distribution), _) => {
                estimate.with_distribution(distribution, inference, self.unit, self.units)
            }
            (None, IntervalMethod::Analytic) if self.value.abs() < 1.0 => {
                let (low, high) = self.fisher_bounds(inference.confidence);
                estimate.with_interval(inference.between(low, high, Method::FisherZ, self.unit, self.units))
            }
            (None, IntervalMethod::None) => estimate,
            (None, _) => {
                estimate.with_interval(inference.wald(self.value, self.standard_error, self.unit, self.units))
            }
        }
    }

    /// Wald on the scale of atanh κ, where the standard error is se ÷ (1 − κ²).
    fn fisher_bounds(&self, confidence: f64) -> (f64, f64) {
        let half = normal_critical(confidence) * self.standard_error / (1.0 - self.value * self.value);
        ((self.value.atanh() - half).tanh(), (self.value.atanh() + half).tanh())
    }

    /// This difference of κ as an estimate.
    pub(crate) fn difference(&self, missing: u64, inference: &Inference) -> Estimate {
        let estimate = self.sized(missing);
        if self.units < 2 || inference.interval == IntervalMethod::None {
            return estimate;
        }
        match &self.distribution {
            Some(distribution) => estimate.with_distribution(distribution, inference, self.unit, self.units),
            None if self.standard_error <= 0.0 => estimate.with_flag(Flag::ZeroWidthInterval),
            None => {
                estimate.with_interval(inference.wald(self.value, self.standard_error, self.unit, self.units))
            }
        }
    }

    fn sized(&self, missing: u64) -> Estimate {
        flag_size(Estimate::defined(self.value, self.n as u64, missing), self.n, self.unit, self.units)
    }
}

impl<'p> Panel<'p> {
    pub(crate) fn new(
        scale: &'p Scale,
        values: &'p [f64],
        weights: &'p Weights,
        clustering: Clustering<'p>,
    ) -> Self {
        Panel {
            scale,
            values,
            weights,
            clustering,
            unit_numbers: HashMap::new(),
            lanes: Lanes::new(weights, scale, values),
            terms: Vec::new(),
            matched: Vec::new(),
            sizes: Vec::new(),
            known: HashMap::new(),
            statistics: Vec::new(),
        }
    }

    /// The κ of these matched answers; equal answers are the same term.
    pub(crate) fn term(&mut self, matched: Matched) -> usize {
        if let Some(&known) = self.known.get(&matched) {
            return known;
        }
        let (a, b): (Vec<Level>, Vec<Level>) = matched.iter().map(|(_, a, b)| (*a, *b)).unzip();
        let table = Confusion::from_levels(self.values.len(), &a, &b);
        let perfect = table.equal() == table.n();
        let units: Vec<u32> = matched
            .iter()
            .map(|(item, _, _)| {
                let next = self.unit_numbers.len() as u32;
                *self.unit_numbers.entry(self.clustering.unit_of(*item)).or_insert(next)
            })
            .collect();
        let analysis = KappaAnalysis::new(table, self.scale, self.values, self.weights);
        let form = if analysis.is_ok() { self.lanes.form(&units, &a, &b) } else { Form::Nothing };
        let constant = analysis.as_ref().ok().and_then(KappaAnalysis::constant_flag);
        self.terms.push(Term { form, undefined: analysis.err(), constant, perfect });
        self.sizes.push(self.distinct(matched.iter().map(|(item, _, _)| *item).collect()));
        self.known.insert(matched.clone(), self.terms.len() - 1);
        self.matched.push(matched);
        self.terms.len() - 1
    }

    /// A weighted sum of defined terms, to be computed by [`Panel::solve`]; its number.
    pub(crate) fn statistic(&mut self, parts: Vec<(usize, f64)>) -> usize {
        let size = self.size(&parts);
        self.statistics.push(Statistic { parts, size });
        self.statistics.len() - 1
    }

    fn size(&self, parts: &[(usize, f64)]) -> Size {
        let items = |part: &(usize, f64)| self.matched[part.0].iter().map(|(item, _, _)| *item);
        match parts {
            [first, others @ ..] if others.iter().all(|other| items(other).eq(items(first))) => {
                self.sizes[first.0]
            }
            _ => self.distinct(parts.iter().flat_map(items).collect()),
        }
    }

    fn distinct(&self, mut items: Vec<u32>) -> Size {
        items.sort_unstable();
        items.dedup();
        let n = items.len();
        let mut units: Vec<u32> = items.into_iter().map(|item| self.clustering.unit_of(item)).collect();
        units.sort_unstable();
        units.dedup();
        Size { n, units: units.len() }
    }

    /// The mean of the κ of several matched answers, or why none of them has a value; and the flags that it needs.
    pub(crate) fn mean(&mut self, several: Vec<Matched>) -> Result<(usize, Vec<Flag>), Undefined> {
        let terms: Vec<usize> = several.into_iter().map(|matched| self.term(matched)).collect();
        let defined: Vec<usize> =
            terms.iter().copied().filter(|term| self.terms[*term].undefined.is_none()).collect();
        if defined.is_empty() {
            return Err(terms
                .first()
                .and_then(|term| self.terms[*term].undefined)
                .unwrap_or(Undefined::NTooSmall));
        }
        let mut flags = Vec::new();
        if defined.len() < terms.len() {
            flags.push(Flag::PartlyUndefined);
        }
        if let Some(flag) =
            self.terms[defined[0]].constant.filter(|_| self.all(&defined, |term| term.constant.is_some()))
        {
            flags.push(flag);
        } else if self.all(&defined, |term| term.perfect) {
            flags.push(Flag::ZeroWidthInterval);
        }
        let weight = 1.0 / defined.len() as f64;
        Ok((self.statistic(defined.into_iter().map(|term| (term, weight)).collect()), flags))
    }

    fn all(&self, terms: &[usize], holds: impl Fn(&Term) -> bool) -> bool {
        terms.iter().all(|term| holds(&self.terms[*term]))
    }

    /// The terms and weights of a statistic.
    pub(crate) fn parts(&self, statistic: usize) -> &[(usize, f64)] {
        &self.statistics[statistic].parts
    }

    /// Computes every term, with its influences, and its distribution where `inference` resamples.
    pub(crate) fn solve(&self, inference: &Inference) -> Solution<'_> {
        let sums = Sums::new(self.unit_numbers.len(), self.lanes.all());
        let evaluate = |sums: &[f64], out: &mut [f64]| {
            for (term, out) in self.terms.iter().zip(out) {
                *out = self.lanes.kappa(&term.form, sums);
            }
        };
        let mut values = vec![0.0; self.terms.len()];
        evaluate(sums.totals(), &mut values);
        let distributions =
            inference.resamples_data().then(|| distributions(&sums, self.terms.len(), inference, evaluate));
        let influence = |term: &Term| self.lanes.influences(&term.form, sums.totals(), sums.units());
        let influences = self.terms.iter().map(influence).collect();
        Solution { statistics: &self.statistics, values, influences, distributions }
    }
}

/// What is known of each term, from which each statistic follows.
#[derive(Debug)]
pub(crate) struct Solution<'p> {
    statistics: &'p [Statistic],
    values: Vec<f64>,
    /// For each term, the influence of each unit.
    influences: Vec<Vec<f64>>,
    distributions: Option<Vec<BootstrapDistribution>>,
}

impl Solution<'_> {
    /// The figures of a statistic.
    pub(crate) fn of(&self, statistic: usize) -> Solved {
        let Statistic { parts, size } = &self.statistics[statistic];
        let distribution = self.distributions.as_ref().map(|terms| {
            let parts: Vec<_> = parts.iter().map(|(term, weight)| (&terms[*term], *weight)).collect();
            BootstrapDistribution::weighted_sum(&parts)
        });
        Solved {
            value: self.value(statistic),
            standard_error: self.standard_error(parts),
            distribution,
            n: size.n,
            units: size.units,
            unit: if size.units < size.n { Unit::Cluster } else { Unit::Item },
        }
    }

    /// The value alone.
    pub(crate) fn value(&self, statistic: usize) -> f64 {
        self.statistics[statistic].parts.iter().map(|(term, weight)| weight * self.values[*term]).sum()
    }

    /// sqrt(Σ over units of influence²): the delta method, units independent.
    fn standard_error(&self, parts: &[(usize, f64)]) -> f64 {
        let terms: Vec<_> =
            parts.iter().map(|(term, weight)| (&self.influences[*term][..], *weight)).collect();
        weighted_sum(&terms).iter().map(|influence| influence * influence).sum::<f64>().sqrt()
    }
}
