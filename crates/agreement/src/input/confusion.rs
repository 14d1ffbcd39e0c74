//! How often each pair of answers occurred.

use crate::input::pairs::Pairs;
use crate::input::scale::Level;

/// Tables of at most this many cells are counted directly; larger ones are sorted together.
const DENSE_CELLS: usize = 1 << 16;

/// Most combined cells of the items that are counted at once: their counters fit a processor's nearest cache.
const GROUPED_CELLS: usize = 1 << 14;
/// Below this many items the larger table costs more than it saves.
const WORTH_GROUPING: usize = 1 << 16;

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
    let cells = levels * levels;
    let mut counts = vec![0_u64; cells];
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let fits = |together: u32| {
        let combined = cells.checked_pow(together);
        n >= WORTH_GROUPING && combined.is_some_and(|combined| (1..=GROUPED_CELLS).contains(&combined))
    };
    let counted = if fits(3) {
        count_together::<3, L>(levels, a, b, &mut counts)
    } else if fits(2) {
        count_together::<2, L>(levels, a, b, &mut counts)
    } else {
        0
    };
    count_each(levels, &a[counted..], &b[counted..], &mut counts);
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

/// Counts `TOGETHER` items at once, one from each of as many equal stretches of the lists: their cells make one combined
/// cell, so that there are fewer increments, and they seldom wait for each other. Returns how many items it counted.
fn count_together<const TOGETHER: usize, L: Copy + Into<u32>>(
    levels: usize,
    a: &[L],
    b: &[L],
    counts: &mut [u64],
) -> usize {
    const CHUNK: usize = 2048;
    let cells = counts.len();
    let stretch = a.len() / TOGETHER / CHUNK * CHUNK;
    let mut combined = vec![0_u32; GROUPED_CELLS];
    for at in (0..stretch).step_by(CHUNK) {
        let mut codes = [0_u16; CHUNK];
        let mut on_scale = true;
        for part in 0..TOGETHER {
            let here = part * stretch + at..part * stretch + at + CHUNK;
            on_scale &= append_cells(levels, &a[here.clone()], &b[here], &mut codes);
        }
        if on_scale {
            codes.iter().for_each(|code| combined[usize::from(*code) % GROUPED_CELLS] += 1);
        } else {
            for part in 0..TOGETHER {
                let here = part * stretch + at..part * stretch + at + CHUNK;
                count_each(levels, &a[here.clone()], &b[here], counts);
            }
        }
    }
    for (code, count) in combined.into_iter().enumerate().filter(|(_, count)| *count > 0) {
        (0..TOGETHER as u32).for_each(|part| counts[code / cells.pow(part) % cells] += u64::from(count));
    }
    stretch * TOGETHER
}

/// Appends the cell of each item to its code, as one more digit; false where a level is not on the scale.
fn append_cells<L: Copy + Into<u32>>(levels: usize, a: &[L], b: &[L], codes: &mut [u16]) -> bool {
    // Of numbers this small a processor takes many at once; what 16 bits cut off is kept apart.
    let (levels, cells) = (levels as u16, (levels * levels) as u16);
    let (mut beyond, mut cut) = (0_u16, 0_u32);
    for ((code, a), b) in codes.iter_mut().zip(a).zip(b) {
        let (a, b): (u32, u32) = ((*a).into(), (*b).into());
        cut |= (a | b) >> u16::BITS;
        beyond |= (a as u16).saturating_sub(levels - 1) | (b as u16).saturating_sub(levels - 1);
        let cell = (a as u16).wrapping_mul(levels).wrapping_add(b as u16);
        *code = code.wrapping_mul(cells).wrapping_add(cell);
    }
    cut == 0 && beyond == 0
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

    /// Answers that are on the scale but for one in the middle.
    fn bytes(list: &[u32], levels: usize) -> Vec<u8> {
        let mut bytes: Vec<u8> =
            list.iter().map(|level| level.checked_rem(levels as u32).unwrap_or(0) as u8).collect();
        bytes[list.len() / 2] = 255;
        bytes
    }

    #[test]
    fn both_ways_of_counting_agree() {
        let a: Vec<u32> = (0..500).map(|i| i * 7 % 11).collect();
        let b: Vec<u32> = (0..500).map(|i| i * 5 % 11).collect();
        assert_eq!(dense(11, &a, &b), sorted(11, &a, &b));
        // Under Miri a hundred thousand items take an hour and show no more than a thousand.
        let length = if cfg!(miri) { 1_001 } else { 100_001 };
        let many = |list: &[u32]| list.iter().copied().cycle().take(length).collect::<Vec<u32>>();
        assert_eq!(dense(11, &many(&a), &many(&b)), sorted(11, &many(&a), &many(&b)));
        // The fewer the levels, the more items are counted at once and the more answers are off the scale.
        for levels in [0, 1, 2, 5, 7] {
            let (a, b) = (many(&a), many(&b));
            assert_eq!(dense(levels, &a, &b), sorted(levels, &a, &b));
            let (a, b) = (bytes(&a, levels), bytes(&b, levels));
            assert_eq!(dense(levels, &a, &b), sorted(levels, &a, &b));
        }
        let table = Confusion::from_levels(11, &a, &b);
        assert_eq!(table.n(), 500);
        assert_eq!(Confusion::from_rows(&table.rows()), table);
    }
}
