//! Statistics that depend on the data through sums over independent units: what a bootstrap draw adds up.
//!
//! Each unit (an item or a cluster) has one row of numbers, its *lanes*. A resample draws units with replacement and
//! adds their rows; leaving a unit out subtracts its row. Nothing else of the data is looked at again.

use std::collections::HashMap;

use crate::draws::Draws;
use crate::multinomial::Multinomial;

/// The lanes of one quantity: what each unit adds to its sum. Units that add nothing are left out.
pub(crate) type Lane = Vec<(u32, f64)>;

/// 16-bit lanes in one 64-bit word.
const LANES: usize = 4;
/// Bits of a lane.
const BITS: usize = 16;
/// With at least so many units of each kind on average, the numbers of each kind are drawn, not units.
const UNITS_PER_KIND: usize = 8;
/// Whole numbers up to this size are packed into 16 bits.
const LARGEST_PACKED: f64 = 1023.0;

/// One row for each unit.
#[derive(Clone, Debug)]
pub(crate) struct Sums {
    units: usize,
    totals: Vec<f64>,
    rows: Rows,
    packed: Option<Packed>,
}

/// The rows without their zeros.
#[derive(Clone, Debug)]
struct Rows {
    offsets: Vec<usize>,
    lanes: Vec<u32>,
    values: Vec<f64>,
}

/// The rows as small whole numbers, zeros included, where most are not zero: one addition adds four lanes.
#[derive(Clone, Debug)]
struct Packed {
    /// Words in a row.
    stride: usize,
    words: Vec<u64>,
    /// Rows that can be added before a lane overflows into the next.
    block: usize,
}

impl Sums {
    /// Rows of `units` units from the lanes of each quantity.
    pub(crate) fn new(units: usize, lanes: &[Lane]) -> Sums {
        let rows = Rows::transposed(units, lanes);
        let totals = lanes.iter().map(|lane| lane.iter().map(|(_, value)| value).sum()).collect();
        Sums { units, totals, packed: Packed::of(units, lanes), rows }
    }

    /// How many units there are.
    pub(crate) fn units(&self) -> usize {
        self.units
    }

    /// The sums over all units.
    pub(crate) fn totals(&self) -> &[f64] {
        &self.totals
    }

    /// The lanes of a unit that are not 0.
    pub(crate) fn row(&self, unit: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let ends = self.rows.offsets[unit]..self.rows.offsets[unit + 1];
        ends.map(|at| (self.rows.lanes[at] as usize, self.rows.values[at]))
    }

    /// Calls `visit` with the sums of each of `resamples` draws of as many units as there are.
    pub(crate) fn resample(&self, resamples: u32, seed: u64, mut visit: impl FnMut(&[f64])) {
        if self.units == 0 {
            return;
        }
        if let Some(kinds) = self.kinds() {
            return self.resample_kinds(&kinds, resamples, seed, visit);
        }
        let mut draws = Draws::new(seed, self.units);
        let mut positions = vec![0; self.units];
        let mut sums = vec![0.0; self.totals.len()];
        for _ in 0..resamples {
            draws.fill(&mut positions);
            match &self.packed {
                Some(packed) => packed.add(&positions, &mut sums),
                None => self.rows.add(&positions, &mut sums),
            }
            visit(&sums);
        }
    }

    /// Units with equal rows, with how many of each there are, where the kinds are few enough that drawing their numbers
    /// is quicker than drawing units.
    fn kinds(&self) -> Option<Vec<(usize, usize)>> {
        let most = self.units / UNITS_PER_KIND;
        let mut known: HashMap<Vec<(usize, u64)>, usize> = HashMap::new();
        let mut kinds: Vec<(usize, usize)> = Vec::new();
        for unit in 0..self.units {
            let key = self.row(unit).map(|(lane, value)| (lane, value.to_bits())).collect();
            let kind = *known.entry(key).or_insert(kinds.len());
            if kind == kinds.len() {
                kinds.push((unit, 0));
            }
            if kinds.len() > most {
                return None;
            }
            kinds[kind].1 += 1;
        }
        // The frequent ones first: the sooner nothing is left to draw.
        kinds.sort_by_key(|(unit, times)| (std::cmp::Reverse(*times), *unit));
        Some(kinds)
    }

    fn resample_kinds(
        &self,
        kinds: &[(usize, usize)],
        resamples: u32,
        seed: u64,
        mut visit: impl FnMut(&[f64]),
    ) {
        let times: Vec<usize> = kinds.iter().map(|(_, times)| *times).collect();
        let mut multinomial = Multinomial::new(seed, &times);
        let mut drawn = vec![0; kinds.len()];
        let mut sums = vec![0.0; self.totals.len()];
        for _ in 0..resamples {
            multinomial.draw(&mut drawn);
            sums.fill(0.0);
            for ((unit, _), times) in kinds.iter().zip(&drawn) {
                for (lane, value) in self.row(*unit) {
                    sums[lane] += value * f64::from(*times);
                }
            }
            visit(&sums);
        }
    }

    /// Calls `visit` with the sums of each possible draw, all n^n of them: for very small n.
    #[cfg(test)]
    pub(crate) fn enumerate(&self, mut visit: impl FnMut(&[f64])) {
        let mut positions = vec![0_u32; self.units];
        let mut sums = vec![0.0; self.totals.len()];
        loop {
            self.rows.add(&positions, &mut sums);
            visit(&sums);
            let Some(at) = positions.iter().rposition(|position| (*position as usize) < self.units - 1)
            else {
                return;
            };
            positions[at] += 1;
            positions[at + 1..].fill(0);
        }
    }

    /// Calls `visit` with the sums without each unit in turn.
    pub(crate) fn leave_one_out(&self, mut visit: impl FnMut(&[f64])) {
        let mut sums = self.totals.clone();
        for unit in 0..self.units {
            for (lane, value) in self.row(unit) {
                sums[lane] -= value;
            }
            visit(&sums);
            for (lane, _) in self.row(unit) {
                sums[lane] = self.totals[lane];
            }
        }
    }
}

impl Rows {
    fn transposed(units: usize, lanes: &[Lane]) -> Rows {
        let mut offsets = vec![0; units + 1];
        for (unit, _) in lanes.iter().flatten() {
            offsets[*unit as usize + 1] += 1;
        }
        for unit in 0..units {
            offsets[unit + 1] += offsets[unit];
        }
        let mut next = offsets.clone();
        let mut rows = Rows { lanes: vec![0; offsets[units]], values: vec![0.0; offsets[units]], offsets };
        for (lane, entries) in (0..).zip(lanes) {
            for (unit, value) in entries {
                let at = &mut next[*unit as usize];
                rows.lanes[*at] = lane;
                rows.values[*at] = *value;
                *at += 1;
            }
        }
        rows
    }

    fn add(&self, positions: &[u32], sums: &mut [f64]) {
        sums.fill(0.0);
        for position in positions {
            let ends = self.offsets[*position as usize]..self.offsets[*position as usize + 1];
            for (lane, value) in self.lanes[ends.clone()].iter().zip(&self.values[ends]) {
                sums[*lane as usize] += value;
            }
        }
    }
}

impl Packed {
    fn of(units: usize, lanes: &[Lane]) -> Option<Packed> {
        let fits = |value: f64| (0.0..=LARGEST_PACKED).contains(&value) && value.fract() <= 0.0;
        let filled = lanes.iter().map(Vec::len).sum::<usize>();
        if filled * 3 < units * lanes.len() || !lanes.iter().flatten().all(|(_, value)| fits(*value)) {
            return None;
        }
        let stride = lanes.len().div_ceil(LANES);
        let mut words = vec![0; stride * units];
        let mut largest = 1;
        for (lane, entries) in lanes.iter().enumerate() {
            for (unit, value) in entries {
                let value = *value as u16;
                words[*unit as usize * stride + lane / LANES] |= u64::from(value) << (lane % LANES * BITS);
                largest = largest.max(value);
            }
        }
        Some(Packed { stride, words, block: usize::from(u16::MAX / largest) })
    }

    fn add(&self, positions: &[u32], sums: &mut [f64]) {
        sums.fill(0.0);
        let mut first = 0;
        while first < self.stride {
            let sums = &mut sums[first * LANES..];
            first += match self.stride - first {
                1 => self.add_words::<1>(first, positions, sums),
                2 => self.add_words::<2>(first, positions, sums),
                3 => self.add_words::<3>(first, positions, sums),
                4 | 5 => self.add_words::<4>(first, positions, sums),
                6 | 7 => self.add_words::<6>(first, positions, sums),
                8 | 9 => self.add_words::<8>(first, positions, sums),
                10 | 11 => self.add_words::<10>(first, positions, sums),
                _ => self.add_words::<12>(first, positions, sums),
            };
        }
    }

    /// Adds `W` neighbouring words of the drawn rows: a number known when compiled, so that they stay in registers.
    /// Returns `W`.
    fn add_words<const W: usize>(&self, first: usize, positions: &[u32], sums: &mut [f64]) -> usize {
        for block in positions.chunks(self.block) {
            let mut accumulated = [0_u64; W];
            for position in block {
                let at = *position as usize * self.stride + first;
                for (sum, word) in accumulated.iter_mut().zip(&self.words[at..at + W]) {
                    *sum = sum.wrapping_add(*word);
                }
            }
            for (sums, word) in sums.chunks_mut(LANES).zip(accumulated) {
                for (lane, sum) in sums.iter_mut().enumerate() {
                    *sum += f64::from((word >> (lane * BITS)) as u16);
                }
            }
        }
        W
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawing_tends_to_enumerating() {
        let lanes: Vec<Lane> = vec![(0..5).map(|unit| (unit, f64::from(unit * unit))).collect()];
        let sums = Sums::new(5, &lanes);
        let (mut all, mut count) = (0.0, 0.0);
        sums.enumerate(|sums| {
            all += sums[0].sqrt();
            count += 1.0;
        });
        assert!((count - 3125.0_f64).abs() < 0.5);
        let mut drawn = 0.0;
        sums.resample(100_000, 7, |sums| drawn += sums[0].sqrt());
        assert!((all / count - drawn / 100_000.0).abs() < 0.02, "{} {}", all / count, drawn / 100_000.0);
    }

    #[test]
    fn packed_rows_add_up_to_the_same_sums() {
        let lanes: Vec<Lane> = (0..83)
            .map(|lane| (0..50).map(|unit| (unit, f64::from((unit * 7 + lane) % 900 + 1))).collect())
            .collect();
        let sums = Sums::new(50, &lanes);
        assert!(sums.packed.is_some());
        let plain = Sums { packed: None, ..sums.clone() };
        let collect = |sums: &Sums| {
            let mut all = Vec::new();
            sums.resample(20, 5, |sums| all.extend_from_slice(sums));
            all
        };
        assert_eq!(collect(&sums), collect(&plain));
    }

    #[test]
    fn leaving_out_restores() {
        let lanes: Vec<Lane> = vec![vec![(0, 1.0), (2, 4.0)], vec![(1, 0.5)]];
        let mut seen = Vec::new();
        Sums::new(3, &lanes).leave_one_out(|sums| seen.push((sums[0], sums[1])));
        assert_eq!(seen, [(4.0, 0.5), (5.0, 0.0), (1.0, 0.5)]);
    }
}
