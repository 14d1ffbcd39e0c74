//! Quantiles of many values: two tails, without sorting what lies between.

/// So many of the values foretell where a tail begins.
const SAMPLE: usize = 512;
/// The tail is begun so many standard deviations of the sample's rank further in, so that it seldom comes out too short.
const MARGIN: f64 = 3.0;

/// Values that are gone through before those of the tail among them are put away.
const BLOCK: usize = 256;

/// The type-7 quantiles (linear between order statistics) of finite values, in any order, at two probabilities in [0, 1].
/// There must be a value.
pub(crate) fn quantiles(values: &[f64], low: f64, high: f64) -> (f64, f64) {
    let (low, high) = (Tail::new(values, low), Tail::new(values, high));
    // One look at each value serves both tails.
    let below = low.end_below().max(high.end_below());
    let above = low.end_above().min(high.end_above());
    let outer = kept(values, |value| (value <= below) | (value >= above));
    (low.quantile(&outer, values), high.quantile(&outer, values))
}

/// The values that are kept, in their order: few of many.
fn kept(values: &[f64], keep: impl Fn(f64) -> bool) -> Vec<f64> {
    let mut kept = Vec::with_capacity(values.len() / 8);
    let mut room = [0.0; BLOCK];
    for block in values.chunks(BLOCK) {
        let mut filled = 0;
        for value in block {
            // Written always and kept only sometimes: a branch would be guessed wrongly too often.
            room[filled % BLOCK] = *value;
            filled += usize::from(keep(*value));
        }
        kept.extend_from_slice(&room[..filled]);
    }
    kept
}

/// What a quantile is read from: values from the least on; or, for the upper half, negatives from the least on, so that
/// one tail is as the other.
#[derive(Clone, Copy, Debug)]
struct Tail {
    sign: f64,
    /// The rank, from 0, between which and the next one the quantile lies (or which is the last).
    rank: usize,
    /// How far it lies from the lower towards the higher of the two.
    fraction: f64,
    /// Where it is thought to end.
    end: f64,
}

impl Tail {
    fn new(values: &[f64], probability: f64) -> Tail {
        let last = values.len() - 1;
        let position = probability * last as f64;
        let (rank, fraction) = (position.floor() as usize, position.fract());
        let (sign, rank) =
            if probability > 0.5 && rank < last { (-1.0, last - rank - 1) } else { (1.0, rank) };
        let mut sample: Vec<f64> = values.iter().take(SAMPLE).map(|value| sign * value).collect();
        let expected = (rank + 2) as f64 / values.len() as f64 * sample.len() as f64;
        let at = (expected + MARGIN * expected.sqrt() + 1.0) as usize;
        let end = if at < sample.len() {
            *sample.select_nth_unstable_by(at, f64::total_cmp).1
        } else {
            f64::INFINITY
        };
        Tail { sign, rank, fraction, end }
    }

    /// Values up to this one are needed.
    fn end_below(&self) -> f64 {
        if self.sign > 0.0 { self.end } else { f64::NEG_INFINITY }
    }

    /// Values from this one on are needed.
    fn end_above(&self) -> f64 {
        if self.sign > 0.0 { f64::INFINITY } else { -self.end }
    }

    /// The quantile, from a part of the values that this tail reaches all of; from all of them, if it ends too early.
    fn quantile(&self, outer: &[f64], values: &[f64]) -> f64 {
        let wanted = (self.rank + 2).min(values.len());
        let mut tail = kept(outer, |value| self.sign * value <= self.end);
        if tail.len() < wanted {
            tail = values.to_vec();
        }
        tail.iter_mut().for_each(|value| *value *= self.sign);
        let (smaller, last, _) = tail.select_nth_unstable_by(wanted - 1, f64::total_cmp);
        let next = *last;
        let at = match smaller.iter().copied().reduce(f64::max) {
            Some(before) if wanted == self.rank + 2 => before,
            _ => next,
        };
        let (below, above) = if self.sign > 0.0 { (at, next) } else { (-next, -at) };
        if self.fraction > 0.0 { below + self.fraction * (above - below) } else { below }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted_quantile(values: &[f64], probability: f64) -> f64 {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let position = probability * (sorted.len() - 1) as f64;
        let below = position.floor() as usize;
        let above = sorted[(below + 1).min(sorted.len() - 1)];
        sorted[below] + position.fract() * (above - sorted[below])
    }

    #[test]
    fn quantiles_are_of_type_seven() {
        let values = [4.0, 1.0, 3.0, 2.0];
        for (probability, expected) in [(0.5, 2.5), (0.0, 1.0), (1.0, 4.0), (0.1, 1.3), (0.9, 3.7)] {
            let (found, other) = quantiles(&values, probability, 0.5);
            assert!(
                (found - expected).abs() < 1e-12 && (other - 2.5).abs() < 1e-12,
                "{probability}: {found}"
            );
        }
    }

    #[test]
    fn tails_are_found_wherever_they_stand() {
        let rising: Vec<f64> = (0..3000).map(f64::from).collect();
        let falling: Vec<f64> = rising.iter().rev().copied().collect();
        let mixed: Vec<f64> = (0..3000).map(|at| f64::from(at * 7919 % 3001)).collect();
        let tied: Vec<f64> = (0..3000).map(|at| f64::from(at % 3)).collect();
        for values in [&rising[..], &falling, &mixed, &tied, &mixed[..1], &mixed[..2], &mixed[..513]] {
            let probabilities = [0.0, 0.001, 0.025, 0.3, 0.5, 0.7, 0.975, 0.999, 1.0];
            for (low, high) in probabilities.iter().flat_map(|low| probabilities.map(|high| (*low, high))) {
                let found = quantiles(values, low, high);
                let expected = (sorted_quantile(values, low), sorted_quantile(values, high));
                let error = (found.0 - expected.0).abs().max((found.1 - expected.1).abs());
                assert!(error < 1e-12, "{low}, {high}: {found:?}, not {expected:?}");
            }
        }
    }
}
