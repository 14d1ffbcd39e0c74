//! Correlations of two raters. They ignore bias: a judge that is always two points too generous has r = 1.

use crate::distributions::{normal_critical, normal_two_sided, t_two_sided};
use crate::input::pairs::Pairs;
use crate::result::estimate::{Estimate, Flag, Method, Undefined, Unit};
use crate::result::inference::{Inference, flag_size};

/// Spearman's p is computed over all orders up to this many items.
const EXACT_ITEMS: usize = 9;

/// A correlation with the p of its being 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Correlation {
    /// The correlation.
    pub estimate: Estimate,
    /// Two-sided p by the usual approximation: t for Pearson and Spearman, normal with tie correction for Kendall.
    pub p: Option<f64>,
    /// Two-sided p over all orders, for Spearman up to nine items, where the approximation is absurd.
    pub p_exact: Option<f64>,
}

/// Pearson's r, with Fisher's interval for more than three items.
///
/// Undefined below three items, where a rater is constant, and on a nominal scale.
///
/// ```
/// use agreement::{Pairs, Scale, pearson};
/// let scale = Scale::continuous(0.0, 10.0, None)?;
/// let pairs = Pairs::from_values(scale, &[1.0, 2.0, 3.0, 4.0].map(Some), &[3.0, 4.0, 5.0, 6.0].map(Some))?;
/// assert!((pearson(&pairs, 0.95).estimate.value().unwrap() - 1.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pearson(pairs: &Pairs, confidence: f64) -> Correlation {
    if let Some(undefined) = refused(pairs) {
        return undefined;
    }
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.values().unzip();
    let r = product_moment(&a, &b);
    let estimate = with_fisher_interval(defined(pairs, r), r, pairs.n(), confidence);
    // Where squares of very small deviations are 0, there is no r and no p.
    let p = r.is_finite().then(|| t_approximation(r, pairs.n()));
    Correlation { estimate, p, p_exact: None }
}

/// Spearman's ρ: Pearson's r of mid-ranks.
///
/// Undefined as [`pearson`].
pub fn spearman(pairs: &Pairs) -> Correlation {
    if let Some(undefined) = refused(pairs) {
        return undefined;
    }
    let (a, b): (Vec<f64>, Vec<f64>) = pairs.values().unzip();
    let (a, b) = (mid_ranks(&a), mid_ranks(&b));
    let rho = product_moment(&a, &b);
    let p_exact = (pairs.n() <= EXACT_ITEMS).then(|| over_all_orders(&a, &b, rho));
    Correlation { estimate: defined(pairs, rho), p: Some(t_approximation(rho, pairs.n())), p_exact }
}

/// Kendall's τ-b: concordant less discordant pairs, corrected for ties (Kendall 1945).
///
/// Undefined as [`pearson`].
pub fn kendall_tau_b(pairs: &Pairs) -> Correlation {
    kendall(pairs, |order| order.balance / (order.untied_a * order.untied_b).sqrt())
}

/// Stuart's τ-c, for tables that are not square.
///
/// Undefined as [`pearson`].
pub fn kendall_tau_c(pairs: &Pairs) -> Correlation {
    kendall(pairs, |order| 2.0 * order.balance / (order.n * order.n * (order.levels - 1.0) / order.levels))
}

fn kendall(pairs: &Pairs, tau: impl Fn(&Order) -> f64) -> Correlation {
    if let Some(undefined) = refused(pairs) {
        return undefined;
    }
    let order = Order::of(pairs);
    Correlation { estimate: defined(pairs, tau(&order)), p: order.p(), p_exact: None }
}

fn defined(pairs: &Pairs, value: f64) -> Estimate {
    flag_size(Estimate::defined(value, pairs.n() as u64, pairs.missing()), pairs.n(), Unit::Item, pairs.n())
}

fn refused(pairs: &Pairs) -> Option<Correlation> {
    let constant = |levels: &[u32]| levels.iter().all(|level| *level == levels[0]);
    let (reason, says) = if !pairs.scale().is_ordered() {
        (Undefined::ScaleMismatch, "the levels of a nominal scale have no order")
    } else if pairs.n() < 3 {
        (Undefined::NTooSmall, "a correlation needs three items")
    } else if constant(pairs.a()) || constant(pairs.b()) {
        (Undefined::NoVariation, "one of the two used one value only")
    } else {
        return None;
    };
    let estimate = Estimate::undefined_because(reason, says, pairs.n() as u64, pairs.missing());
    Some(Correlation { estimate, p: None, p_exact: None })
}

fn product_moment(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let (mean_a, mean_b) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (a - mean_a, b - mean_b);
        ab += a * b;
        aa += a * a;
        bb += b * b;
    }
    (ab / (aa.sqrt() * bb.sqrt())).clamp(-1.0, 1.0)
}

fn t_approximation(r: f64, n: usize) -> f64 {
    let df = n as f64 - 2.0;
    if r.abs() >= 1.0 { 0.0 } else { t_two_sided(r * (df / (1.0 - r * r)).sqrt(), df) }
}

fn with_fisher_interval(estimate: Estimate, r: f64, n: usize, confidence: f64) -> Estimate {
    if r.abs() >= 1.0 {
        return estimate.with_flag(Flag::ZeroWidthInterval);
    }
    if n <= 3 {
        return estimate;
    }
    let half = normal_critical(confidence) / (n as f64 - 3.0).sqrt();
    let inference = Inference { confidence, ..Inference::default() };
    let (low, high) = ((r.atanh() - half).tanh(), (r.atanh() + half).tanh());
    estimate.with_interval(inference.between(low, high, Method::FisherZ, Unit::Item, n))
}

/// Ranks from 1; equal values share the mean of their ranks.
fn mid_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|left, right| values[*left].total_cmp(&values[*right]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for run in order.chunk_by(|left, right| values[*left].total_cmp(&values[*right]).is_eq()) {
        let rank = before as f64 + (run.len() as f64 + 1.0) / 2.0;
        run.iter().for_each(|at| ranks[*at] = rank);
        before += run.len();
    }
    ranks
}

/// Share of all orders of `b` whose |correlation| is at least the observed one (Heap's algorithm).
fn over_all_orders(a: &[f64], b: &[f64], observed: f64) -> f64 {
    let mut b = b.to_vec();
    let mut counters = vec![0; b.len()];
    let extreme = |b: &[f64]| u64::from(product_moment(a, b).abs() >= observed.abs() - 1e-12);
    let (mut hits, mut all, mut at) = (extreme(&b), 1_u64, 1);
    while at < b.len() {
        if counters[at] < at {
            b.swap(if at % 2 == 0 { 0 } else { counters[at] }, at);
            hits += extreme(&b);
            all += 1;
            counters[at] += 1;
            at = 1;
        } else {
            counters[at] = 0;
            at += 1;
        }
    }
    hits as f64 / all as f64
}

/// What Kendall's coefficients are made of.
struct Order {
    n: f64,
    /// Concordant less discordant pairs.
    balance: f64,
    untied_a: f64,
    untied_b: f64,
    /// Distinct values of the rater that used fewer.
    levels: f64,
    ties_a: Ties,
    ties_b: Ties,
}

/// Sums over groups of t tied values.
#[derive(Default)]
struct Ties {
    pairs: f64,
    triples: f64,
    skew: f64,
    groups: f64,
}

impl Ties {
    fn of(mut levels: Vec<u32>) -> Ties {
        levels.sort_unstable();
        levels.chunk_by(|left, right| left == right).fold(Ties::default(), |ties, run| {
            let t = run.len() as f64;
            Ties {
                pairs: ties.pairs + t * (t - 1.0) / 2.0,
                triples: ties.triples + t * (t - 1.0) * (t - 2.0),
                skew: ties.skew + t * (t - 1.0) * (2.0 * t + 5.0),
                groups: ties.groups + 1.0,
            }
        })
    }
}

impl Order {
    /// In n log n (Knight 1966): with the items sorted by a, discordant pairs are the inversions of b.
    fn of(pairs: &Pairs) -> Order {
        let mut items: Vec<(u32, u32)> = pairs.a().iter().copied().zip(pairs.b().iter().copied()).collect();
        items.sort_unstable();
        let both: f64 = items
            .chunk_by(|left, right| left == right)
            .map(|run| run.len() as f64 * (run.len() as f64 - 1.0) / 2.0)
            .sum();
        let (ties_a, ties_b) = (Ties::of(pairs.a().to_vec()), Ties::of(pairs.b().to_vec()));
        let n = items.len() as f64;
        let all = n * (n - 1.0) / 2.0;
        let discordant = inversions(&mut items.iter().map(|item| item.1).collect::<Vec<u32>>()) as f64;
        Order {
            n,
            balance: all - ties_a.pairs - ties_b.pairs + both - 2.0 * discordant,
            untied_a: all - ties_a.pairs,
            untied_b: all - ties_b.pairs,
            levels: ties_a.groups.min(ties_b.groups),
            ties_a,
            ties_b,
        }
    }

    /// Normal approximation with the variance corrected for ties (Kendall 1970).
    fn p(&self) -> Option<f64> {
        let (n, a, b) = (self.n, &self.ties_a, &self.ties_b);
        let m = n * (n - 1.0);
        let variance = (m * (2.0 * n + 5.0) - a.skew - b.skew) / 18.0
            + 2.0 * a.pairs * b.pairs / m
            + a.triples * b.triples / (9.0 * m * (n - 2.0));
        (variance > 0.0).then(|| normal_two_sided(self.balance / variance.sqrt()))
    }
}

/// Pairs that stand in decreasing order, counted while sorting.
fn inversions(values: &mut [u32]) -> u64 {
    if values.len() < 2 {
        return 0;
    }
    let middle = values.len() / 2;
    let (left, right) = values.split_at_mut(middle);
    let mut count = inversions(left) + inversions(right);
    let mut merged = Vec::with_capacity(values.len());
    let (mut i, mut j) = (0, middle);
    while i < middle || j < values.len() {
        if j == values.len() || (i < middle && values[i] <= values[j]) {
            merged.push(values[i]);
            i += 1;
        } else {
            merged.push(values[j]);
            count += (middle - i) as u64;
            j += 1;
        }
    }
    values.copy_from_slice(&merged);
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::scale::Scale;

    fn pairs(a: &[f64], b: &[f64]) -> Pairs {
        let some = |list: &[f64]| list.iter().copied().map(Some).collect::<Vec<_>>();
        Pairs::from_values(Scale::continuous(0.0, 10.0, None).unwrap(), &some(a), &some(b)).unwrap()
    }

    #[test]
    fn ties_are_no_shortcut() {
        let found = spearman(&pairs(&[1.0, 1.0, 1.0, 1.0, 2.0], &[5.0, 4.0, 3.0, 2.0, 1.0]));
        assert!((found.estimate.value().unwrap() + 0.5_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn five_in_order_are_no_miracle() {
        let found = spearman(&pairs(&[1.0, 2.0, 3.0, 4.0, 5.0], &[1.0, 2.0, 3.0, 4.0, 5.0]));
        assert!((found.p_exact.unwrap() - 2.0 / 120.0).abs() < 1e-12);
    }

    #[test]
    fn inversions_are_counted() {
        assert_eq!(inversions(&mut [3, 1, 2, 2, 0]), 7);
    }
}
