//! Several κ on the same items at once: judges against one reference, annotators against each other, repeats of one
//! judge; their means and differences, from the same draws.
//!
//! A [`Term`] is the κ of two columns of answers, a statistic a weighted sum of terms. Everything is computed from
//! sums over independent units, so that twelve judges and their sixty-six differences cost little more than one.

use std::collections::HashMap;

use crate::bootstrap::{BootstrapDistribution, distributions};
use crate::confusion::Confusion;
use crate::distributions::normal_critical;
use crate::estimate::{Estimate, Flag, Method, Undefined, Unit};
use crate::inference::{Inference, IntervalMethod, flag_size};
use crate::kappa::KappaAnalysis;
use crate::scale::{Level, Scale};
use crate::sums::Sums;
use crate::term::{Form, Lanes};
use crate::weights::Weights;

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
        self.known.insert(matched.clone(), self.terms.len() - 1);
        self.matched.push(matched);
        self.terms.len() - 1
    }

    /// A weighted sum of defined terms, to be computed by [`Panel::solve`]; its number.
    pub(crate) fn statistic(&mut self, parts: Vec<(usize, f64)>) -> usize {
        let mut items: Vec<u32> = match parts.as_slice() {
            [(only, _)] => self.matched[*only].iter().map(|(item, _, _)| *item).collect(),
            _ => parts.iter().flat_map(|(term, _)| &self.matched[*term]).map(|(item, _, _)| *item).collect(),
        };
        items.sort_unstable();
        items.dedup();
        let n = items.len();
        let mut units: Vec<u32> = items.into_iter().map(|item| self.clustering.unit_of(item)).collect();
        units.sort_unstable();
        units.dedup();
        self.statistics.push(Statistic { parts, n, units: units.len() });
        self.statistics.len() - 1
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

    /// Computes every statistic, with its standard error, and its distribution where `inference` resamples.
    pub(crate) fn solve(&self, inference: &Inference) -> Vec<Solved> {
        let sums = Sums::new(self.unit_numbers.len(), self.lanes.all());
        let mut values = vec![0.0; self.statistics.len()];
        self.evaluate(sums.totals(), &mut vec![0.0; self.terms.len()], &mut values);
        let drawn = inference.resamples_data().then(|| {
            let kappas = std::cell::RefCell::new(vec![0.0; self.terms.len()]);
            distributions(&sums, self.statistics.len(), inference, |sums, out| {
                self.evaluate(sums, &mut kappas.borrow_mut(), out);
            })
        });
        let mut drawn = drawn.map(Vec::into_iter);
        let errors = self.standard_errors(&sums);
        let figures = self.statistics.iter().zip(values).zip(errors);
        figures
            .map(|((statistic, value), standard_error)| Solved {
                value,
                standard_error,
                distribution: drawn.as_mut().and_then(Iterator::next),
                n: statistic.n,
                units: statistic.units,
                unit: if statistic.units < statistic.n { Unit::Cluster } else { Unit::Item },
            })
            .collect()
    }

    fn evaluate(&self, sums: &[f64], kappas: &mut [f64], out: &mut [f64]) {
        for (term, kappa) in self.terms.iter().zip(kappas.iter_mut()) {
            *kappa = self.lanes.kappa(&term.form, sums);
        }
        for (statistic, out) in self.statistics.iter().zip(out) {
            *out = statistic.parts.iter().map(|(term, weight)| weight * kappas[*term]).sum();
        }
    }

    /// sqrt(Σ over units of (gradient · row)²): the delta method, units independent.
    fn standard_errors(&self, sums: &Sums) -> Vec<f64> {
        let gradients: Vec<Vec<(usize, f64)>> =
            self.terms.iter().map(|term| self.lanes.gradient(&term.form, sums.totals())).collect();
        let mut slope = vec![0.0; sums.totals().len()];
        let mut error = |statistic: &Statistic| {
            slope.fill(0.0);
            for (term, weight) in &statistic.parts {
                gradients[*term].iter().for_each(|(lane, by)| slope[*lane] += weight * by);
            }
            let influence = |unit| sums.row(unit).map(|(lane, value)| slope[lane] * value).sum::<f64>();
            (0..sums.units()).map(|unit| influence(unit).powi(2)).sum::<f64>().sqrt()
        };
        self.statistics.iter().map(&mut error).collect()
    }
}
