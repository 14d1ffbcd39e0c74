//! Draws of many units with replacement, two units at a look, many draws at a time.
//!
//! How often two neighbours are drawn takes one look in a table of Poisson numbers (see [`crate::resampling::poisson`]). What is drawn is
//! then added up by [`Cells`](crate::resampling::cells::Cells) or [`CoupleRows`](crate::resampling::couple_rows::CoupleRows).

use crate::resampling::draws::Draws;
use crate::resampling::poisson::{NOBODY, Table, expected_first, poisson};

/// Draws made together.
pub(crate) const DRAWS: usize = 128;
/// Numbers of one unit that have codes: 0 to 4. Larger ones are drawn one by one.
pub(crate) const NUMBERS: usize = 5;
/// Couples are drawn in groups of so many; those beyond the last unit are nobody's.
pub(crate) const GROUP: usize = 8;
/// Couples that are looked up for all draws before the next ones, so that what is read and written stays near.
const TILE: usize = 32;
/// Bytes between the counts of two units.
const APART: usize = 16;
/// Fewer units are drawn as quickly one by one.
const FEWEST: usize = 64;
/// Of sixteen codes, the bit that is set in nobody's alone.
const NOBODYS: u128 = u128::from_le_bytes([NOBODY & !(NOBODY >> 1); 16]);

/// Something for each draw of a batch.
pub(crate) type OfDraws<T> = [T; DRAWS];

/// How often a unit is drawn, in each draw. Between the counts of two units are some bytes that are not used: those of
/// one draw would lie a power of two apart, and a processor takes one for another then.
pub(crate) type Counts = [u8; DRAWS + APART];

/// How the numbers of units are drawn.
#[derive(Clone, Debug)]
pub(crate) struct Couples {
    units: usize,
    table: Table,
    /// Numbers of the two, for each outcome of the table.
    numbers: Vec<[u8; 2]>,
}

/// Draws that are made together.
#[derive(Debug)]
pub(crate) struct Batch {
    /// Bits of each couple, draw by draw.
    bits: Vec<[u8; 2]>,
    /// The codes of each couple: [`NUMBERS`] times the number of the first unit, plus that of the second.
    pub(crate) codes: Vec<OfDraws<u8>>,
    /// The couples of each draw whose entries are nobody's; their codes are 0.
    open: Vec<Vec<u32>>,
    /// The units of each draw that are drawn beside the codes, each as often as it stands there.
    pub(crate) singles: Vec<Vec<u32>>,
    /// How often each unit is drawn: by code, and one by one.
    pub(crate) counts: Vec<Counts>,
    /// None of the counts is greater.
    pub(crate) greatest: u8,
    /// The draws that have as many units as they should.
    pub(crate) kept: Vec<usize>,
}

/// What adds up the rows of the units that are drawn.
pub(crate) trait Adding {
    /// Numbers that it writes for a draw.
    fn room(&self) -> usize;

    /// Writes the sums of each draw that is kept, one draw after another.
    fn add(&mut self, batch: &Batch, sums: &mut [f64]);
}

impl Couples {
    /// How to draw so many units; none where it would not pay.
    pub(crate) fn of(units: usize) -> Option<Couples> {
        if units < FEWEST {
            return None;
        }
        let (_, probabilities) = poisson(expected_first(units) / units as f64);
        let mut outcomes: Vec<[u8; 2]> = Vec::new();
        let most = probabilities.len() as u8;
        (0..most).for_each(|first| outcomes.extend((0..most).map(|second| [first, second])));
        // Those with a code come first, in the order of the codes.
        outcomes.sort_by_key(|numbers| numbers.iter().any(|number| usize::from(*number) >= NUMBERS));
        let joint: Vec<f64> = outcomes
            .iter()
            .map(|[first, second]| probabilities[usize::from(*first)] * probabilities[usize::from(*second)])
            .collect();
        Some(Couples { units, table: Table::new(&joint, NUMBERS * NUMBERS), numbers: outcomes })
    }

    /// Calls `visit` with the sums of each of `resamples` draws.
    pub(crate) fn resample(
        &self,
        mut adding: impl Adding,
        resamples: u32,
        seed: u64,
        mut visit: impl FnMut(&[f64]),
    ) {
        let mut draws = Draws::new(seed, self.units);
        let mut batch = Batch::new(self.units);
        let room = adding.room();
        let mut sums = vec![0.0; DRAWS * room];
        let mut left = resamples as usize;
        while left > 0 {
            draws.bytes(batch.bits.as_flattened_mut());
            self.look(&mut batch);
            batch.note_open();
            let coupled = batch.count();
            self.draw_singles(&coupled, left, &mut draws, &mut batch);
            adding.add(&batch, &mut sums);
            batch.kept.iter().for_each(|draw| visit(&sums[draw * room..][..room]));
            left -= batch.kept.len();
        }
    }

    /// Looks up the codes of a batch.
    fn look(&self, batch: &mut Batch) {
        let couples = batch.codes.len();
        for (tile, codes) in batch.codes.chunks_mut(TILE).enumerate() {
            for (draw, bits) in batch.bits.chunks(couples).enumerate().take(DRAWS) {
                for (codes, bits) in codes.iter_mut().zip(&bits[tile * TILE..]) {
                    codes[draw] = self.table.look(*bits);
                }
            }
        }
    }

    /// The units that the codes leave out. Draws whose codes are too many units already are not kept: it is as if they
    /// had not been made.
    fn draw_singles(&self, coupled: &OfDraws<u32>, most: usize, draws: &mut Draws, batch: &mut Batch) {
        let Batch { open, singles, counts, greatest, kept, .. } = batch;
        kept.clear();
        let mut most_drawn = *greatest;
        for (draw, ((open, singles), coupled)) in open.iter().zip(singles).zip(coupled).enumerate() {
            if kept.len() == most {
                break;
            }
            singles.clear();
            open.iter().for_each(|couple| self.remainder(*couple, draws.uniform(), singles));
            let drawn = singles.len();
            if let Some(wanting) = self.units.checked_sub(*coupled as usize + drawn) {
                singles.resize(drawn + wanting, 0);
                draws.fill(&mut singles[drawn..]);
                kept.push(draw);
                for unit in singles {
                    let count = &mut counts[*unit as usize][draw];
                    *count = count.saturating_add(1);
                    most_drawn = most_drawn.max(*count);
                }
            }
        }
        *greatest = most_drawn;
    }

    /// Each of two units as often as the remainders of the table say.
    fn remainder(&self, couple: u32, uniform: f64, singles: &mut Vec<u32>) {
        let numbers = self.numbers[self.table.remainder(uniform)];
        for (unit, number) in (2 * couple..).zip(numbers) {
            // The last couples may be short of units.
            if (unit as usize) < self.units {
                singles.extend(std::iter::repeat_n(unit, usize::from(number)));
            }
        }
    }
}

impl Batch {
    fn new(units: usize) -> Batch {
        let couples = units.div_ceil(2 * GROUP) * GROUP;
        Batch {
            bits: vec![[0; 2]; DRAWS * couples],
            codes: vec![[0; DRAWS]; couples],
            open: vec![Vec::new(); DRAWS],
            singles: vec![Vec::new(); DRAWS],
            counts: vec![[0; DRAWS + APART]; units],
            greatest: 0,
            kept: Vec::with_capacity(DRAWS),
        }
    }

    /// Notes where codes are nobody's, and puts 0 in their place.
    fn note_open(&mut self) {
        self.open.iter_mut().for_each(Vec::clear);
        for (couple, codes) in (0..).zip(&mut self.codes) {
            for (some, open) in codes.as_chunks_mut::<16>().0.iter_mut().zip(self.open.chunks_mut(16)) {
                let mut nobodys = u128::from_le_bytes(*some) & NOBODYS;
                while nobodys > 0 {
                    let at = nobodys.trailing_zeros() as usize / 8;
                    some[at] = 0;
                    open[at].push(couple);
                    nobodys &= nobodys - 1;
                }
            }
        }
    }

    /// Reads the counts off the codes; returns how many units each draw has by them.
    fn count(&mut self) -> OfDraws<u32> {
        self.greatest = NUMBERS as u8 - 1;
        let block = usize::from(u8::MAX / (2 * self.greatest));
        let mut total = [0; DRAWS];
        for (counts, codes) in self.counts.chunks_mut(2 * block).zip(self.codes.chunks(block)) {
            let mut narrow = [0; DRAWS];
            for (counts, codes) in counts.chunks_mut(2).zip(codes) {
                split(codes, counts, &mut narrow);
            }
            total.iter_mut().zip(narrow).for_each(|(total, sum)| *total += u32::from(sum));
        }
        total
    }
}

/// The counts of one couple, or of one unit that has no neighbour; adds them to a total.
fn split(codes: &OfDraws<u8>, counts: &mut [Counts], total: &mut OfDraws<u8>) {
    const STEP: u8 = NUMBERS as u8;
    match counts {
        [first, second] => {
            for (((code, first), second), total) in
                codes.iter().zip(first.iter_mut()).zip(second.iter_mut()).zip(total)
            {
                *first = code / STEP;
                *second = code - *first * STEP;
                *total += *first + *second;
            }
        }
        others => {
            for counts in others {
                for ((code, count), total) in codes.iter().zip(counts.iter_mut()).zip(&mut *total) {
                    *count = code / STEP;
                    *total += *count;
                }
            }
        }
    }
}

/// How often any of some units is drawn: as many are added at a time as a byte can hold.
pub(crate) fn add_up(counts: &[Counts], units: &[u32], greatest: u8) -> OfDraws<i16> {
    let block = usize::from(u8::MAX / greatest.max(1));
    let mut total = [0; DRAWS];
    for units in units.chunks(block) {
        let mut narrow = [0_u8; DRAWS];
        for unit in units {
            let counts = &counts[*unit as usize];
            narrow.iter_mut().zip(counts).for_each(|(sum, count)| *sum = sum.wrapping_add(*count));
        }
        total.iter_mut().zip(narrow).for_each(|(total, sum)| *total += i16::from(sum));
    }
    total
}
