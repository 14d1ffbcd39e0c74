//! How often each pair of answers occurred.

use crate::input::pairs::Pairs;
use crate::input::scale::Level;

/// Tables of at most this many cells are counted directly; larger ones are sorted together.
const DENSE_CELLS: usize = 1 << 16;

/// Cells that one byte can tell apart.
const CODES: usize = 256;
/// Below this many items the larger table costs more than it saves.
const WORTH_PAIRING: usize = 1 << 16;

/// One cell of a confusion matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Level of the first rater (row).
    pub a: Level,
    /// Level of the second rater (column).
    pub b: Level,
    /// Items in it.
    pub count: u64,
}

/// The confusion matrix of two raters: rows are the first rater's levels, columns the second's, levels as declared.
///
/// ```
/// use agreement::{Confusion, Pairs, Scale};
/// let values = |list: [f64; 4]| list.map(Some);
/// let scale = Scale::ordinal([1.0, 2.0, 3.0])?;
/// let pairs = Pairs::from_values(scale, &values([1.0, 1.0, 2.0, 2.0]), &values([1.0, 2.0, 2.0, 2.0]))?;
/// let table = Confusion::of(&pairs);
/// assert_eq!(table.rows(), [[1, 1, 0], [0, 2, 0], [0, 0, 0]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confusion {
    levels: usize,
    cells: Vec<Cell>,
    n: u64,
}

impl Confusion {
    /// Counts matched answers.
    pub fn of(pairs: &Pairs) -> Confusion {
        Confusion::from_levels(pairs.level_values().len(), pairs.a(), pairs.b())
    }

    /// Counts pairs of levels on a scale of `levels` levels. Levels that are not on it are ignored; where one list is
    /// longer, its surplus is ignored. Small unsigned integers (`u8`) are counted fastest.
    pub fn from_levels<L: Copy + Into<u32>>(levels: usize, a: &[L], b: &[L]) -> Confusion {
        let cells = if levels.saturating_mul(levels) <= DENSE_CELLS {
            dense(levels, a, b)
        } else {
            sorted(levels, a, b)
        };
        let n = cells.iter().map(|cell| cell.count).sum();
        Confusion { levels, cells, n }
    }

    /// From counts, one row for each level of the first rater. Rows and columns beyond the square are ignored.
    pub fn from_rows(rows: &[Vec<u64>]) -> Confusion {
        let levels = rows.len();
        let cells: Vec<Cell> = rows
            .iter()
            .zip(0..)
            .flat_map(|(row, a)| {
                row.iter().take(levels).zip(0..).map(move |(count, b)| Cell { a, b, count: *count })
            })
            .filter(|cell| cell.count > 0)
            .collect();
        let n = cells.iter().fold(0_u64, |n, cell| n.saturating_add(cell.count));
        Confusion { levels, cells, n }
    }

    /// How many levels the scale has.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// How many items there are.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// The cells that are not empty, by row and then by column.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Items with these two levels.
    pub fn count(&self, a: Level, b: Level) -> u64 {
        self.cells.binary_search_by_key(&(a, b), |cell| (cell.a, cell.b)).map_or(0, |at| self.cells[at].count)
    }

    /// The whole table, for showing.
    pub fn rows(&self) -> Vec<Vec<u64>> {
        let mut rows = vec![vec![0; self.levels]; self.levels];
        for cell in &self.cells {
            rows[cell.a as usize][cell.b as usize] = cell.count;
        }
        rows
    }

    /// Items at each level of the first rater.
    pub fn row_totals(&self) -> Vec<u64> {
        self.totals(|cell| cell.a)
    }

    /// Items at each level of the second rater.
    pub fn column_totals(&self) -> Vec<u64> {
        self.totals(|cell| cell.b)
    }

    fn totals(&self, level: impl Fn(&Cell) -> Level) -> Vec<u64> {
        let mut totals = vec![0_u64; self.levels];
        for cell in &self.cells {
            let total = &mut totals[level(cell) as usize];
            *total = total.saturating_add(cell.count);
        }
        totals
    }

    /// Items on which the two said the same.
    pub fn equal(&self) -> u64 {
        let equal = self.cells.iter().filter(|cell| cell.a == cell.b);
        equal.fold(0, |sum, cell| sum.saturating_add(cell.count))
    }
}

fn dense<L: Copy + Into<u32>>(levels: usize, a: &[L], b: &[L]) -> Vec<Cell> {
    let mut counts = vec![0_u64; levels * levels];
    let mut rest = 0;
    if levels * levels <= CODES && a.len().min(b.len()) >= WORTH_PAIRING {
        rest = count_pairwise(levels, a, b, &mut counts);
    }
    count_each(levels, &a[rest.min(a.len())..], &b[rest.min(b.len())..], &mut counts);
    let cell =
        |(at, count)| Cell { a: (at / levels.max(1)) as Level, b: (at % levels.max(1)) as Level, count };
    counts.into_iter().enumerate().filter(|(_, count)| *count > 0).map(cell).collect()
}

fn count_each<L: Copy + Into<u32>>(levels: usize, a: &[L], b: &[L], counts: &mut [u64]) {
    for (a, b) in a.iter().zip(b) {
        let (a, b): (u32, u32) = ((*a).into(), (*b).into());
        if (a as usize) < levels && (b as usize) < levels {
            counts[a as usize * levels + b as usize] += 1;
        }
    }
}

/// Counts two items at once: their two one-byte cells make one two-byte cell, so that there are half as many
/// increments, and they seldom wait for each other. Returns how many items it counted.
fn count_pairwise<L: Copy + Into<u32>>(levels: usize, a: &[L], b: &[L], counts: &mut [u64]) -> usize {
    const CHUNK: usize = 4096;
    let mut twos = [vec![0_u32; CODES * CODES], vec![0_u32; CODES * CODES]];
    let mut codes = [0_u8; CHUNK];
    let mut counted = 0;
    for (a, b) in a.as_chunks::<CHUNK>().0.iter().zip(b.as_chunks::<CHUNK>().0) {
        counted += CHUNK;
        if !encode(levels, a, b, &mut codes) {
            count_each(levels, a, b, counts);
            continue;
        }
        for eight in codes.as_chunks::<8>().0 {
            let eight = u64::from_le_bytes(*eight);
            for two in 0..4 {
                // Two tables in turn, so that equal neighbours do not wait for each other.
                twos[two % 2][usize::from((eight >> (16 * two)) as u16)] += 1;
            }
        }
    }
    // The last two-byte cell is that of the last cell twice; what lies beyond was never touched.
    let last = (levels * levels).saturating_sub(1) * (CODES + 1);
    for twos in &twos {
        for (two, count) in twos[..=last].iter().enumerate().filter(|(_, count)| **count > 0) {
            counts[two % CODES] += u64::from(*count);
            counts[two / CODES] += u64::from(*count);
        }
    }
    counted
}

/// Writes the cell of each item as one byte; false where a level is not on the scale.
fn encode<L: Copy + Into<u32>>(levels: usize, a: &[L], b: &[L], codes: &mut [u8]) -> bool {
    // In bytes, of which a processor takes many at once; what a byte cuts off is kept apart.
    let (mut greatest, mut cut) = (0_u8, 0_u32);
    for ((code, a), b) in codes.iter_mut().zip(a).zip(b) {
        let (a, b): (u32, u32) = ((*a).into(), (*b).into());
        cut |= (a | b) >> u8::BITS;
        greatest = greatest.max(a as u8).max(b as u8);
        *code = (a as u8).wrapping_mul(levels as u8).wrapping_add(b as u8);
    }
    cut == 0 && usize::from(greatest) < levels
}

fn sorted<L: Copy + Into<u32>>(levels: usize, a: &[L], b: &[L]) -> Vec<Cell> {
    let mut codes: Vec<(Level, Level)> = a
        .iter()
        .zip(b)
        .map(|(a, b)| ((*a).into(), (*b).into()))
        .filter(|(a, b)| (*a as usize) < levels && (*b as usize) < levels)
        .collect();
    codes.sort_unstable();
    codes
        .chunk_by(|left, right| left == right)
        .map(|run| Cell { a: run[0].0, b: run[0].1, count: run.len() as u64 })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_counting_agree() {
        let a: Vec<u32> = (0..500).map(|i| i * 7 % 11).collect();
        let b: Vec<u32> = (0..500).map(|i| i * 5 % 11).collect();
        assert_eq!(dense(11, &a, &b), sorted(11, &a, &b));
        let many = |list: &[u32]| list.iter().copied().cycle().take(100_001).collect::<Vec<u32>>();
        assert_eq!(dense(11, &many(&a), &many(&b)), sorted(11, &many(&a), &many(&b)));
        assert_eq!(dense(7, &many(&a), &many(&b)), sorted(7, &many(&a), &many(&b)));
        let table = Confusion::from_levels(11, &a, &b);
        assert_eq!(table.n(), 500);
        assert_eq!(Confusion::from_rows(&table.rows()), table);
    }
}
