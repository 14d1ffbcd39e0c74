//! Draws of many units with replacement, two units at a look.
//!
//! How often two neighbours are drawn takes one look in a table of Poisson numbers (see [`crate::resampling::poisson`]), and what they
//! add for each outcome is known beforehand: one row is added for two units, whether they are drawn never or eight times.

use crate::resampling::draws::Draws;
use crate::resampling::packed::{LANES, Packed, Strip, Vector, WIDEST, unpack};
use crate::resampling::poisson::{NOBODY, Table, expected_first, poisson};

/// Numbers of one unit that have rows: 0 to 4. Larger ones are drawn one by one.
const NUMBERS: usize = 5;
/// Rows of a couple: 25 outcomes, and zeros up to the code of nobody.
const ROWS: usize = 32;
/// Draws made together.
const DRAWS: usize = 128;
/// Couples whose rows, and the sums of a batch, stay in the nearest cache.
const NEAR: usize = 8;
/// Fewer units are drawn as quickly one by one.
const FEWEST: usize = 64;
/// With fewer rows than this between overflows, emptying the lanes takes longer than filling them.
const SHORTEST_BLOCK: usize = 32;

/// The rows of each couple, and how outcomes are drawn.
#[derive(Clone, Debug)]
pub(crate) struct Couples<'p> {
    packed: &'p Packed,
    strips: Vec<Strip>,
    block: usize,
    table: Table,
    /// Numbers of the two, for each outcome of the table.
    numbers: Vec<[u8; 2]>,
}

/// Draws that are made together, so that the rows of a few couples serve all of them while they are near at hand.
struct Batch {
    /// Bits of each couple, draw by draw.
    bits: Vec<[[u8; 2]; NEAR]>,
    /// Codes at these bits, group by group, so that what a group is added with lies side by side.
    codes: Vec<[u8; NEAR]>,
    /// Sums, draw by draw.
    sums: Vec<f64>,
    accumulated: Vec<Vector>,
    /// For each draw, the couples whose entries are nobody's.
    open: Vec<Vec<u32>>,
    singles: Vec<u32>,
}

impl<'p> Couples<'p> {
    /// The couples of units whose rows hold, in their last lane, a 1 for each unit. None where it would not pay.
    pub(crate) fn of(packed: &'p Packed) -> Option<Couples<'p>> {
        let units = packed.units();
        let block = packed.block(2 * (NUMBERS as u16 - 1));
        if units < FEWEST || block < SHORTEST_BLOCK {
            return None;
        }
        let (_, probabilities) = poisson(expected_first(units) / units as f64);
        let mut outcomes: Vec<[u8; 2]> = Vec::new();
        let most = probabilities.len() as u8;
        (0..most).for_each(|first| outcomes.extend((0..most).map(|second| [first, second])));
        // Those with a row come first, in the order of the rows.
        outcomes.sort_by_key(|numbers| numbers.iter().any(|number| usize::from(*number) >= NUMBERS));
        let joint: Vec<f64> = outcomes
            .iter()
            .map(|[first, second]| probabilities[usize::from(*first)] * probabilities[usize::from(*second)])
            .collect();
        Some(Couples {
            packed,
            strips: packed.strips().iter().map(coupled).collect(),
            block,
            table: Table::new(&joint, NUMBERS * NUMBERS),
            numbers: outcomes,
        })
    }

    /// Calls `visit` with the sums of each of `resamples` draws.
    pub(crate) fn resample(&self, resamples: u32, seed: u64, mut visit: impl FnMut(&[f64])) {
        let mut draws = Draws::new(seed, self.packed.units());
        let mut batch = Batch::new(self.groups(), self.packed.room());
        let mut left = resamples;
        while left > 0 {
            self.draw_couples(&mut draws, &mut batch);
            for at in 0..DRAWS {
                // Too many units: as if it had not been drawn.
                if left > 0 && self.complete(at, &mut draws, &mut batch) {
                    visit(&batch.sums[at * self.packed.room()..][..self.packed.room()]);
                    left -= 1;
                }
            }
        }
    }

    /// Groups of near couples; the last may have couples of nobody.
    fn groups(&self) -> usize {
        groups(self.packed.units())
    }

    /// The first part of each draw of a batch.
    fn draw_couples(&self, draws: &mut Draws, batch: &mut Batch) {
        draws.bytes(batch.bits.as_flattened_mut().as_flattened_mut());
        batch.sums.fill(0.0);
        self.look(batch);
        let mut first = 0;
        for strip in &self.strips {
            match strip.width {
                1 => self.add::<1>(strip, first, batch),
                2 => self.add::<2>(strip, first, batch),
                3 => self.add::<3>(strip, first, batch),
                4 => self.add::<4>(strip, first, batch),
                5 => self.add::<5>(strip, first, batch),
                _ => self.add::<WIDEST>(strip, first, batch),
            }
            first += strip.width * LANES;
        }
    }

    /// Looks up the codes of a batch, and notes where they are nobody's.
    fn look(&self, batch: &mut Batch) {
        let Batch { bits, codes, open, .. } = batch;
        for (draw, (bits, open)) in bits.chunks(self.groups()).zip(open).enumerate() {
            open.clear();
            for (group, bits) in bits.iter().enumerate() {
                let found = &mut codes[group * DRAWS + draw];
                let mut all = 0;
                for (code, bits) in found.iter_mut().zip(bits) {
                    *code = self.table.look(*bits);
                    all |= *code;
                }
                if usize::from(all) >= ROWS {
                    let nobody = (0..NEAR).filter(|near| found[*near] == NOBODY);
                    open.extend(nobody.map(|near| (group * NEAR + near) as u32));
                }
            }
        }
    }

    /// Adds the rows of one strip, whose first lane is `first`: of a width that is known when compiled, so that the sums
    /// stay in registers.
    fn add<const W: usize>(&self, strip: &Strip, first: usize, batch: &mut Batch) {
        let room = self.packed.room();
        let rows = strip.rows.as_chunks::<W>().0.as_chunks::<ROWS>().0.as_chunks::<NEAR>().0;
        let block = self.block / NEAR;
        for (from, groups) in (0..).step_by(block).zip(rows.chunks(block)) {
            batch.accumulated.fill(Vector::default());
            for (rows, codes) in groups.iter().zip(batch.codes[from * DRAWS..].chunks(DRAWS)) {
                for (sums, codes) in batch.accumulated.as_chunks_mut::<W>().0.iter_mut().zip(codes) {
                    add_rows(rows, codes, sums);
                }
            }
            for (vectors, sums) in batch.accumulated.chunks(W).zip(batch.sums.chunks_mut(room)) {
                unpack(vectors, &mut sums[first..first + W * LANES]);
            }
        }
    }

    /// The second part of one draw of a batch; false where the first part is too large already.
    fn complete(&self, at: usize, draws: &mut Draws, batch: &mut Batch) -> bool {
        let Batch { sums, open, singles, .. } = batch;
        let sums = &mut sums[at * self.packed.room()..][..self.packed.room()];
        singles.clear();
        for couple in &open[at] {
            self.remainder(*couple, draws.uniform(), singles);
        }
        let coupled = sums[self.packed.lanes() - 1] as usize;
        let drawn = singles.len();
        let Some(wanting) = self.packed.units().checked_sub(coupled + drawn) else {
            return false;
        };
        singles.resize(drawn + wanting, 0);
        draws.fill(&mut singles[drawn..]);
        self.packed.add(singles, sums);
        true
    }

    /// Each of two units as often as the remainders of the table say.
    fn remainder(&self, couple: u32, uniform: f64, singles: &mut Vec<u32>) {
        let numbers = self.numbers[self.table.remainder(uniform)];
        for (unit, number) in (2 * couple..).zip(numbers) {
            // The last couples may be short of units.
            if (unit as usize) < self.packed.units() {
                singles.extend(std::iter::repeat_n(unit, usize::from(number)));
            }
        }
    }
}

fn groups(units: usize) -> usize {
    units.div_ceil(2 * NEAR)
}

impl Batch {
    fn new(groups: usize, room: usize) -> Batch {
        Batch {
            bits: vec![[[0; 2]; NEAR]; DRAWS * groups],
            codes: vec![[0; NEAR]; DRAWS * groups],
            sums: vec![0.0; DRAWS * room],
            accumulated: vec![Vector::default(); DRAWS * WIDEST],
            open: vec![Vec::new(); DRAWS],
            singles: Vec::new(),
        }
    }
}

/// Adds the rows of some couples at these codes.
#[inline(always)]
fn add_rows<const W: usize>(
    couples: &[[[Vector; W]; ROWS]; NEAR],
    codes: &[u8; NEAR],
    sums: &mut [Vector; W],
) {
    let mut accumulated = *sums;
    for (rows, code) in couples.iter().zip(codes) {
        let row = &rows[usize::from(*code) % ROWS];
        accumulated.iter_mut().zip(row).for_each(|(sum, vector)| sum.add(vector));
    }
    *sums = accumulated;
}

/// The rows of couples, from those of units.
fn coupled(units: &Strip) -> Strip {
    let width = units.width;
    let couples = groups(units.rows.len() / width) * NEAR;
    let mut rows = vec![Vector::default(); couples * ROWS * width];
    for (couple, rows) in units.rows.chunks(2 * width).zip(rows.chunks_mut(ROWS * width)) {
        let (first, second) = couple.split_at(width);
        for (outcome, row) in rows.chunks_mut(width).take(NUMBERS * NUMBERS).enumerate() {
            for (at, sum) in row.iter_mut().enumerate() {
                *sum = first[at].times((outcome / NUMBERS) as u16);
                if let Some(second) = second.get(at) {
                    sum.add(&second.times((outcome % NUMBERS) as u16));
                }
            }
        }
    }
    Strip { width, rows }
}
