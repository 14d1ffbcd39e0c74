//! Random positions: exactly uniform, cheap, and the same for a seed on every machine.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Draws positions below a bound with replacement.
///
/// Several positions are taken out of one 64-bit word: multiplying by the bound moves one digit in base `bound` in
/// front of the point. A word whose remainder falls into the incomplete last block is thrown away, so that every
/// sequence is exactly equally likely (Lemire 2019; Brackett-Rozinsky & Lemire 2024).
#[derive(Clone, Debug)]
pub(crate) struct Draws {
    generator: ChaCha8Rng,
    bound: u64,
    /// Positions taken from one word.
    digits: usize,
    /// 2⁶⁴ modulo `bound` to the power of `digits`: remainders below it belong to the incomplete block.
    incomplete: u64,
}

impl Draws {
    /// Positions 0, …, `bound` − 1 from a seed; a bound of 0 counts as 1.
    pub(crate) fn new(seed: u64, bound: usize) -> Draws {
        const LARGEST_BLOCK: u64 = 1 << 60;
        let bound = bound.max(1) as u64;
        let (mut digits, mut block) = (1, bound);
        while digits < 8 && bound > 1 && block <= LARGEST_BLOCK / bound {
            block *= bound;
            digits += 1;
        }
        let incomplete = block.wrapping_neg() % block;
        Draws { generator: ChaCha8Rng::seed_from_u64(seed), bound, digits, incomplete }
    }

    /// Fills `positions` with fresh draws.
    pub(crate) fn fill(&mut self, positions: &mut [u32]) {
        match self.digits {
            1 => self.fill_by::<1>(positions),
            2 => self.fill_by::<2>(positions),
            3 => self.fill_by::<3>(positions),
            4 => self.fill_by::<4>(positions),
            5 => self.fill_by::<5>(positions),
            6 => self.fill_by::<6>(positions),
            7 => self.fill_by::<7>(positions),
            _ => self.fill_by::<8>(positions),
        }
    }

    /// `D` digits from each word: a number known when compiled, so that the loop over them is unrolled.
    fn fill_by<const D: usize>(&mut self, positions: &mut [u32]) {
        let (whole, rest) = positions.as_chunks_mut::<D>();
        for chunk in whole {
            *chunk = self.word();
        }
        if !rest.is_empty() {
            let last: [u32; D] = self.word();
            rest.copy_from_slice(&last[..rest.len()]);
        }
    }

    fn word<const D: usize>(&mut self) -> [u32; D] {
        loop {
            let mut rest = self.generator.next_u64();
            let digits = std::array::from_fn(|_| {
                let product = u128::from(rest) * u128::from(self.bound);
                rest = product as u64;
                (product >> 64) as u32
            });
            if rest >= self.incomplete {
                return digits;
            }
        }
    }

    /// Random bytes.
    pub(crate) fn bytes(&mut self, bytes: &mut [u8]) {
        self.generator.fill_bytes(bytes);
    }

    /// A uniform number in [0, 1).
    pub(crate) fn uniform(&mut self) -> f64 {
        (self.generator.next_u64() >> 11) as f64 * 0.5_f64.powi(53)
    }

    /// A random bit for each position.
    pub(crate) fn coins(&mut self, coins: &mut [bool]) {
        for chunk in coins.chunks_mut(64) {
            let word = self.generator.next_u64();
            for (bit, coin) in chunk.iter_mut().enumerate() {
                *coin = word >> bit & 1 == 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_equally_likely() {
        for bound in [1_usize, 2, 3, 7, 500, 70_000] {
            let mut draws = Draws::new(3, bound);
            let mut positions = vec![0; 200_000];
            draws.fill(&mut positions);
            let mean = positions.iter().map(|at| f64::from(*at)).sum::<f64>() / positions.len() as f64;
            let expected = (bound - 1) as f64 / 2.0;
            let error = bound as f64 / 12.0_f64.sqrt() / (positions.len() as f64).sqrt();
            assert!((mean - expected).abs() <= 4.0 * error, "{bound}: {mean}");
            assert!(positions.iter().all(|at| (*at as usize) < bound));
        }
    }

    #[test]
    fn a_seed_is_a_promise() {
        let mut positions = [0; 6];
        Draws::new(1, 500).fill(&mut positions);
        let mut again = [0; 6];
        Draws::new(1, 500).fill(&mut again);
        assert_eq!(positions, again);
        Draws::new(2, 500).fill(&mut again);
        assert_ne!(positions, again);
    }
}
