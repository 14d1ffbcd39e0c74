//! Sums over few kinds of rows: how often the units of each kind are drawn, in many draws at once, tells them.
//!
//! A judge that rates on five levels has at most 25 kinds of items, the cells of its table with the reference. Where it
//! agrees with the reference, its sums are those of the reference; so only the items on which it differs are gone through.

use crate::resampling::couples::{Adding, Batch, DRAWS, OfDraws, add_up};
use crate::resampling::sums::Sums;

/// More kinds than these in one quantity, and it is quicker to add rows.
const MOST_CELLS: usize = 64;
/// Quantities among the first that others may be kept as differences from: those of a reference.
const BASES: usize = 6;

/// Units with equal numbers in some lanes, and these numbers.
#[derive(Clone, Debug)]
struct Cell {
    units: Vec<u32>,
    row: Vec<(usize, i16)>,
}

/// The cells of neighbouring lanes. A lane that is equal to an earlier one for most units is kept as the difference.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    cells: Vec<Cell>,
    bases: Vec<Option<usize>>,
    /// Sums, lane by lane.
    sums: Vec<OfDraws<i16>>,
}

impl Cells {
    /// The cells of the lanes of some sums; none where there are too many, or where a sum may not fit.
    pub(crate) fn of(sums: &Sums) -> Option<Cells> {
        let lanes = sums.totals().len();
        let mut columns = columns(sums)?;
        let bases: Vec<Option<usize>> = (0..lanes).map(|lane| base(&columns, lane)).collect();
        // From the last on: a base is an earlier lane, and is needed as it was.
        for (lane, base) in bases.iter().enumerate().rev() {
            if let Some(base) = base {
                let (earlier, later) = columns.split_at_mut(lane);
                later[0].iter_mut().zip(&earlier[*base]).for_each(|(value, base)| *value -= base);
            }
        }
        let mut cells = Vec::new();
        let mut first = 0;
        while first < lanes {
            let block = Block::of(&columns[first..]);
            if block.lanes == 0 {
                return None;
            }
            cells.extend(block.cells(first));
            first += block.lanes;
        }
        Some(Cells { cells, bases, sums: vec![[0; DRAWS]; lanes] })
    }
}

impl Adding for Cells {
    fn room(&self) -> usize {
        self.bases.len()
    }

    fn add(&mut self, batch: &Batch, sums: &mut [f64]) {
        self.sums.fill([0; DRAWS]);
        for cell in &self.cells {
            let drawn = add_up(&batch.counts, &cell.units, batch.greatest);
            for (lane, value) in &cell.row {
                let of_lane = self.sums[*lane].iter_mut().zip(drawn);
                // Sums on the way may leave the range of a number; the last one comes back.
                of_lane.for_each(|(sum, drawn)| *sum = sum.wrapping_add(drawn.wrapping_mul(*value)));
            }
        }
        for (lane, base) in self.bases.iter().enumerate() {
            if let Some(base) = base {
                let (earlier, later) = self.sums.split_at_mut(lane);
                later[0].iter_mut().zip(earlier[*base]).for_each(|(sum, base)| *sum = sum.wrapping_add(base));
            }
        }
        for (draw, sums) in sums.chunks_mut(self.sums.len()).enumerate().take(DRAWS) {
            sums.iter_mut().zip(&self.sums).for_each(|(sum, of_lane)| *sum = f64::from(of_lane[draw]));
        }
    }
}

/// The numbers of each lane, unit by unit; none where a draw's sum of them might not fit.
fn columns(sums: &Sums) -> Option<Vec<Vec<i16>>> {
    let most = f64::from(i16::MAX) / sums.units() as f64;
    let mut columns = vec![vec![0; sums.units()]; sums.totals().len()];
    let entries =
        (0..sums.units()).flat_map(|unit| sums.row(unit).map(move |(lane, value)| (lane, unit, value)));
    for (lane, unit, value) in entries {
        if !(0.0..=most).contains(&value) || value.fract() > 0.0 {
            return None;
        }
        columns[lane][unit] = value as i16;
    }
    Some(columns)
}

/// The earlier lane from which one differs for the fewest units, if for fewer than it differs from 0.
fn base(columns: &[Vec<i16>], lane: usize) -> Option<usize> {
    let own = &columns[lane];
    let differing = |base: &Vec<i16>| own.iter().zip(base).filter(|(own, base)| own != base).count();
    let best = (0..lane.min(BASES)).map(|base| (differing(&columns[base]), base)).min()?;
    (best.0 < own.iter().filter(|value| **value != 0).count()).then_some(best.1)
}

/// Lanes from one on that have few kinds of units between them.
struct Block {
    lanes: usize,
    kind_of: Vec<usize>,
    kinds: Vec<Vec<i16>>,
}

impl Block {
    fn of(columns: &[Vec<i16>]) -> Block {
        let units = columns.first().map_or(0, Vec::len);
        let mut block = Block { lanes: 0, kind_of: vec![0; units], kinds: vec![Vec::new()] };
        while let Some((kind_of, kinds)) = columns.get(block.lanes).and_then(|column| block.with(column)) {
            block = Block { lanes: block.lanes + 1, kind_of, kinds };
        }
        block
    }

    /// The kinds with one more lane, unless they are too many.
    fn with(&self, column: &[i16]) -> Option<(Vec<usize>, Vec<Vec<i16>>)> {
        let least = column.iter().copied().min().unwrap_or(0);
        let width = column.iter().map(|value| usize::from(value.abs_diff(least))).max().unwrap_or(0) + 1;
        let mut known = vec![usize::MAX; self.kinds.len() * width];
        let mut kinds = Vec::new();
        let mut kind_of = Vec::with_capacity(column.len());
        for (kind, value) in self.kind_of.iter().zip(column) {
            let number = &mut known[kind * width + usize::from(value.abs_diff(least))];
            if *number == usize::MAX {
                *number = kinds.len();
                kinds.push([&self.kinds[*kind][..], &[*value]].concat());
            }
            kind_of.push(*number);
        }
        (kinds.len() <= MOST_CELLS).then_some((kind_of, kinds))
    }

    /// Its cells, whose first lane is `first`; without the units that add nothing.
    fn cells(&self, first: usize) -> Vec<Cell> {
        let row =
            |kind: &Vec<i16>| (first..).zip(kind.iter().copied()).filter(|(_, value)| *value != 0).collect();
        let mut cells: Vec<Cell> =
            self.kinds.iter().map(|kind| Cell { units: Vec::new(), row: row(kind) }).collect();
        for (unit, kind) in (0..).zip(&self.kind_of) {
            cells[*kind].units.push(unit);
        }
        cells.retain(|cell| !cell.row.is_empty());
        cells
    }
}
