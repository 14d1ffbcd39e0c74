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
    (quantile(values, low), quantile(values, high))
}

fn quantile(values: &[f64], probability: f64) -> f64 {
    let position = probability * (values.len() - 1) as f64;
    let (rank, fraction) = (position.floor() as usize, position.fract());
    // Of the upper half, the negatives in descending order are looked at: one tail is as the other.
    if probability <= 0.5 {
        let (below, above) = neighbours(values, rank, |value| value);
        between(below, above, fraction)
    } else {
        let from_above = (values.len() - 1 - rank).saturating_sub(1);
        let (above, below) = neighbours(values, from_above, |value| -value);
        if rank + 1 < values.len() { between(-below, -above, fraction) } else { -above }
    }
}

fn between(below: f64, above: f64, fraction: f64) -> f64 {
    if fraction > 0.0 { below + fraction * (above - below) } else { below }
}

/// The values of a rank, from 0, and of the next rank (or the same, if it is the last).
fn neighbours(values: &[f64], rank: usize, sign: impl Fn(f64) -> f64) -> (f64, f64) {
    let wanted = (rank + 2).min(values.len());
    let mut tail = tail(values, wanted, &sign);
    if tail.len() < wanted {
        tail = values.iter().map(|value| sign(*value)).collect();
    }
    let (smaller, last, _) = tail.select_nth_unstable_by(wanted - 1, f64::total_cmp);
    let last = *last;
    match smaller.iter().copied().reduce(f64::max) {
        Some(before) if rank + 1 < values.len() => (before, last),
        _ => (last, last),
    }
}

/// The smallest values, hopefully at least as many as wanted, and few more.
fn tail(values: &[f64], wanted: usize, sign: impl Fn(f64) -> f64) -> Vec<f64> {
    let mut sample: Vec<f64> = values.iter().take(SAMPLE).map(|value| sign(*value)).collect();
    let expected = wanted as f64 / values.len() as f64 * sample.len() as f64;
    let rank = (expected + MARGIN * expected.sqrt() + 1.0) as usize;
    if rank >= sample.len() {
        return Vec::new();
    }
    let end = *sample.select_nth_unstable_by(rank, f64::total_cmp).1;
    let mut tail = Vec::with_capacity(2 * wanted + BLOCK);
    let mut kept = [0.0; BLOCK];
    for block in values.chunks(BLOCK) {
        let mut filled = 0;
        for value in block {
            // Written always and kept only sometimes: a branch would be guessed wrongly too often.
            kept[filled % BLOCK] = sign(*value);
            filled += usize::from(sign(*value) <= end);
        }
        tail.extend_from_slice(&kept[..filled]);
    }
    tail
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
        between(sorted[below], above, position.fract())
    }

    #[test]
    fn quantiles_are_of_type_seven() {
        let values = [4.0, 1.0, 3.0, 2.0];
        for (probability, expected) in [(0.5, 2.5), (0.0, 1.0), (1.0, 4.0), (0.1, 1.3), (0.9, 3.7)] {
            assert!((quantile(&values, probability) - expected).abs() < 1e-12, "{probability}");
        }
    }

    #[test]
    fn tails_are_found_wherever_they_stand() {
        let rising: Vec<f64> = (0..3000).map(f64::from).collect();
        let falling: Vec<f64> = rising.iter().rev().copied().collect();
        let mixed: Vec<f64> = (0..3000).map(|at| f64::from(at * 7919 % 3001)).collect();
        let tied: Vec<f64> = (0..3000).map(|at| f64::from(at % 3)).collect();
        for values in [&rising[..], &falling, &mixed, &tied, &mixed[..1], &mixed[..2], &mixed[..513]] {
            for probability in [0.0, 0.001, 0.025, 0.3, 0.5, 0.7, 0.975, 0.999, 1.0] {
                let (found, expected) = (quantile(values, probability), sorted_quantile(values, probability));
                assert!((found - expected).abs() < 1e-12, "{probability}: {found}, not {expected}");
            }
        }
    }
}
