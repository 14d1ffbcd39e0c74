//! How often each of a few kinds of units is drawn, without drawing the units one by one.
//!
//! A draw of n units with replacement has a multinomial number of each kind: binomial of the first, then binomial of
//! what is left of the second, and so on. Each binomial is looked up in its cumulated probabilities, which are kept,
//! because resamples meet the same few numbers left again and again.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Units drawn together. A larger draw is a sum of independent ones, whose tables stay small.
const BLOCK: usize = 1024;
/// Where a search in a table begins.
const GUIDES: usize = 64;
/// Probabilities below this part of the greatest one are beyond what a double can add.
const NEGLIGIBLE: f64 = 1e-18;

/// Draws the numbers of each kind.
#[derive(Clone, Debug)]
pub(crate) struct Multinomial {
    generator: ChaCha8Rng,
    units: usize,
    /// For each kind but the last: the probability that a unit that is none of the kinds before is of this kind.
    share: Vec<f64>,
    /// For each of these kinds, and each number of units left, the table of the binomial.
    tables: Vec<Vec<Option<Box<Binomial>>>>,
}

impl Multinomial {
    /// Draws of as many units as there are, of kinds that occur so many times.
    pub(crate) fn new(seed: u64, times: &[usize]) -> Multinomial {
        let units: usize = times.iter().sum();
        let mut left = units as f64;
        let share: Vec<f64> = times
            .iter()
            .take(times.len().saturating_sub(1))
            .map(|times| {
                let share = *times as f64 / left;
                left -= *times as f64;
                share
            })
            .collect();
        let tables = vec![vec![None; units.min(BLOCK) + 1]; share.len()];
        Multinomial { generator: ChaCha8Rng::seed_from_u64(seed), units, share, tables }
    }

    /// Fills in how often each kind is drawn.
    pub(crate) fn draw(&mut self, drawn: &mut [u32]) {
        drawn.fill(0);
        let mut left = self.units;
        while left > 0 {
            let block = left.min(BLOCK);
            self.draw_block(block, drawn);
            left -= block;
        }
    }

    fn draw_block(&mut self, block: usize, drawn: &mut [u32]) {
        let mut left = block;
        for (kind, share) in self.share.iter().enumerate() {
            if left == 0 {
                return;
            }
            let table = self.tables[kind][left].get_or_insert_with(|| Box::new(Binomial::new(left, *share)));
            let uniform = (self.generator.next_u64() >> 11) as f64 * 0.5_f64.powi(53);
            let found = table.at(uniform);
            drawn[kind] += found as u32;
            left -= found;
        }
        if let Some(last) = drawn.last_mut() {
            *last += left as u32;
        }
    }
}

/// Cumulated probabilities of a binomial, from the first value that matters on.
#[derive(Clone, Debug)]
struct Binomial {
    first: usize,
    cumulated: Vec<f64>,
    guides: [u16; GUIDES],
}

impl Binomial {
    fn new(trials: usize, share: f64) -> Binomial {
        let mode = (((trials + 1) as f64 * share) as usize).min(trials);
        let odds = share / (1.0 - share);
        let up = |k: usize| (trials - k) as f64 / (k + 1) as f64 * odds;
        let mut below = Vec::new();
        let mut weight = 1.0;
        for k in (0..mode).rev() {
            weight /= up(k);
            if weight < NEGLIGIBLE {
                break;
            }
            below.push(weight);
        }
        let first = mode - below.len();
        let mut cumulated: Vec<f64> = below.into_iter().rev().chain([1.0]).collect();
        weight = 1.0;
        for k in mode..trials {
            weight *= up(k);
            if weight < NEGLIGIBLE {
                break;
            }
            cumulated.push(weight);
        }
        let total: f64 = cumulated.iter().sum();
        let mut sum = 0.0;
        for value in &mut cumulated {
            sum += *value / total;
            *value = sum;
        }
        if let Some(last) = cumulated.last_mut() {
            *last = 1.0;
        }
        let guides = std::array::from_fn(|guide| {
            cumulated.partition_point(|below| *below <= guide as f64 / GUIDES as f64) as u16
        });
        Binomial { first, cumulated, guides }
    }

    /// The value at a uniform number in [0, 1).
    fn at(&self, uniform: f64) -> usize {
        let mut at = usize::from(self.guides[(uniform * GUIDES as f64) as usize % GUIDES]);
        while self.cumulated[at] <= uniform {
            at += 1;
        }
        self.first + at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_variances_are_multinomial() {
        let times = [700, 200, 90, 10, 1500];
        let units: usize = times.iter().sum();
        let mut multinomial = Multinomial::new(11, &times);
        const DRAWS: usize = 20_000;
        let (mut sums, mut squares, mut drawn) = ([0.0; 5], [0.0; 5], [0; 5]);
        for _ in 0..DRAWS {
            multinomial.draw(&mut drawn);
            assert_eq!(drawn.iter().sum::<u32>() as usize, units);
            for (kind, drawn) in drawn.iter().enumerate() {
                sums[kind] += f64::from(*drawn);
                squares[kind] += f64::from(*drawn).powi(2);
            }
        }
        for (kind, times) in times.iter().enumerate() {
            let share = *times as f64 / units as f64;
            let variance = units as f64 * share * (1.0 - share);
            let mean = sums[kind] / DRAWS as f64;
            assert!((mean - *times as f64).abs() < 5.0 * (variance / DRAWS as f64).sqrt(), "{kind}: {mean}");
            let found = squares[kind] / DRAWS as f64 - mean * mean;
            assert!((found / variance - 1.0).abs() < 0.06, "{kind}: {found} beside {variance}");
        }
    }

    #[test]
    fn one_kind_is_always_drawn() {
        let mut drawn = [0];
        Multinomial::new(1, &[40]).draw(&mut drawn);
        assert_eq!(drawn, [40]);
    }
}
