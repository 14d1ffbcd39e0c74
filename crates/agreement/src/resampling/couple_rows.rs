//! Sums of rows of small whole numbers: what a couple adds for each of its outcomes is known beforehand, so one row is
//! added for two units, whether they are drawn never or eight times.

use crate::resampling::couples::{Adding, Batch, DRAWS, GROUP, NUMBERS, OfDraws};
use crate::resampling::packed::{LANES, Packed, Strip, Vector, WIDEST, unpack};

/// Rows of a couple: 25 outcomes, and zeros up to a power of two.
const ROWS: usize = 32;
/// With fewer rows than this between overflows, emptying the lanes takes longer than filling them.
const SHORTEST_BLOCK: usize = 32;

/// The rows of each couple. Those of a group, and the sums of a batch, stay in the nearest cache.
#[derive(Clone, Debug)]
pub(crate) struct CoupleRows<'p> {
    packed: &'p Packed,
    strips: Vec<Strip>,
    block: usize,
    accumulated: Vec<Vector>,
}

impl<'p> CoupleRows<'p> {
    /// Whether so many rows can be added before a lane overflows that it pays.
    pub(crate) fn pay(packed: &Packed) -> bool {
        block(packed) >= SHORTEST_BLOCK
    }

    /// The rows of couples of units.
    pub(crate) fn of(packed: &'p Packed) -> CoupleRows<'p> {
        CoupleRows {
            packed,
            strips: packed.strips().iter().map(coupled).collect(),
            block: block(packed),
            accumulated: vec![Vector::default(); DRAWS * WIDEST],
        }
    }

    /// Adds the rows of one strip, whose first lane is `first`: of a width that is known when compiled, so that the sums
    /// stay in registers.
    fn add_strip<const W: usize>(
        &mut self,
        strip: usize,
        first: usize,
        codes: &[OfDraws<u8>],
        sums: &mut [f64],
    ) {
        let room = self.packed.room();
        let rows = self.strips[strip].rows.as_chunks::<W>().0.as_chunks::<ROWS>().0.as_chunks::<GROUP>().0;
        let block = self.block / GROUP;
        let codes = codes.as_chunks::<GROUP>().0;
        for (rows, codes) in rows.chunks(block).zip(codes.chunks(block)) {
            self.accumulated.fill(Vector::default());
            for (rows, codes) in rows.iter().zip(codes) {
                for (draw, sums) in self.accumulated.as_chunks_mut::<W>().0.iter_mut().enumerate().take(DRAWS)
                {
                    add_rows(rows, codes.each_ref().map(|codes| codes[draw]), sums);
                }
            }
            for (vectors, sums) in self.accumulated.chunks(W).zip(sums.chunks_mut(room)) {
                unpack(vectors, &mut sums[first..first + W * LANES]);
            }
        }
    }
}

impl Adding for CoupleRows<'_> {
    fn room(&self) -> usize {
        self.packed.room()
    }

    fn add(&mut self, batch: &Batch, sums: &mut [f64]) {
        sums.fill(0.0);
        let mut first = 0;
        for strip in 0..self.strips.len() {
            let width = self.strips[strip].width;
            match width {
                1 => self.add_strip::<1>(strip, first, &batch.codes, sums),
                2 => self.add_strip::<2>(strip, first, &batch.codes, sums),
                3 => self.add_strip::<3>(strip, first, &batch.codes, sums),
                4 => self.add_strip::<4>(strip, first, &batch.codes, sums),
                5 => self.add_strip::<5>(strip, first, &batch.codes, sums),
                _ => self.add_strip::<WIDEST>(strip, first, &batch.codes, sums),
            }
            first += width * LANES;
        }
        let room = self.packed.room();
        for draw in &batch.kept {
            self.packed.add(&batch.singles[*draw], &mut sums[draw * room..][..room]);
        }
    }
}

/// Rows of couples that can be added before a lane overflows.
fn block(packed: &Packed) -> usize {
    packed.block(2 * (NUMBERS as u16 - 1))
}

/// Adds the rows of some couples at these codes.
#[inline(always)]
fn add_rows<const W: usize>(
    couples: &[[[Vector; W]; ROWS]; GROUP],
    codes: [u8; GROUP],
    sums: &mut [Vector; W],
) {
    let mut accumulated = *sums;
    for (rows, code) in couples.iter().zip(codes) {
        let row = &rows[usize::from(code) % ROWS];
        accumulated.iter_mut().zip(row).for_each(|(sum, vector)| sum.add(vector));
    }
    *sums = accumulated;
}

/// The rows of couples, from those of units.
fn coupled(units: &Strip) -> Strip {
    let width = units.width;
    let couples = (units.rows.len() / width).div_ceil(2 * GROUP) * GROUP;
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
