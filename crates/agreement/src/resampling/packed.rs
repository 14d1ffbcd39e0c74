//! Rows of small whole numbers side by side: one instruction adds eight lanes.

use crate::resampling::sums::Lane;

/// Lanes that are added together.
pub(crate) const LANES: usize = 8;
/// Larger numbers would overflow a lane after too few additions.
const LARGEST: f64 = 4095.0;
/// Vectors that are summed in registers at once.
pub(crate) const WIDEST: usize = 6;

/// Eight lanes, where a processor wants them.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(16))]
pub(crate) struct Vector([u16; LANES]);

impl Vector {
    /// Adds lane by lane.
    #[inline(always)]
    pub(crate) fn add(&mut self, other: &Vector) {
        for (sum, value) in self.0.iter_mut().zip(other.0) {
            *sum = sum.wrapping_add(value);
        }
    }

    /// Every lane so many times.
    pub(crate) fn times(self, times: u16) -> Vector {
        Vector(self.0.map(|value| value.wrapping_mul(times)))
    }
}

/// One row for each unit, zeros included. The lanes are kept in strips of as many vectors as are summed at once.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    lanes: usize,
    largest: u16,
    strips: Vec<Strip>,
}

/// Some neighbouring vectors of all rows.
#[derive(Clone, Debug)]
pub(crate) struct Strip {
    /// Vectors in a row.
    pub(crate) width: usize,
    /// The rows, one after another.
    pub(crate) rows: Vec<Vector>,
}

impl Packed {
    /// The rows of these lanes, if all numbers are whole, small and not below 0.
    pub(crate) fn of(units: usize, lanes: &[Lane]) -> Option<Packed> {
        let fits = |value: f64| (0.0..=LARGEST).contains(&value) && value.fract() <= 0.0;
        if !lanes.iter().flatten().all(|(_, value)| fits(*value)) {
            return None;
        }
        let mut strips = Vec::new();
        let mut largest = 1;
        for some in lanes.chunks(WIDEST * LANES) {
            let width = some.len().div_ceil(LANES);
            let mut rows = vec![Vector::default(); width * units];
            for (lane, entries) in some.iter().enumerate() {
                for (unit, value) in entries {
                    rows[*unit as usize * width + lane / LANES].0[lane % LANES] = *value as u16;
                    largest = largest.max(*value as u16);
                }
            }
            strips.push(Strip { width, rows });
        }
        Some(Packed { lanes: lanes.len(), largest, strips })
    }

    /// Room for the sums of a row: its lanes, and what fills the last vector.
    pub(crate) fn room(&self) -> usize {
        self.lanes.next_multiple_of(LANES)
    }

    /// Rows that can be added, each at most so many times the greatest number, before a lane overflows.
    pub(crate) fn block(&self, times: u16) -> usize {
        usize::from(u16::MAX / self.largest.saturating_mul(times))
    }

    /// The strips, in the order of the lanes.
    pub(crate) fn strips(&self) -> &[Strip] {
        &self.strips
    }

    /// Adds the rows at these positions to `sums`, which has [`Packed::room`].
    pub(crate) fn add(&self, positions: &[u32], sums: &mut [f64]) {
        let block = self.block(1);
        for (strip, sums) in self.strips.iter().zip(sums.chunks_mut(WIDEST * LANES)) {
            for some in positions.chunks(block) {
                match strip.width {
                    1 => strip.add::<1>(some, sums),
                    2 => strip.add::<2>(some, sums),
                    3 => strip.add::<3>(some, sums),
                    4 => strip.add::<4>(some, sums),
                    5 => strip.add::<5>(some, sums),
                    _ => strip.add::<WIDEST>(some, sums),
                }
            }
        }
    }
}

impl Strip {
    /// Rows of a width that is known when compiled, so that the sums stay in registers.
    fn add<const W: usize>(&self, positions: &[u32], sums: &mut [f64]) {
        let rows = self.rows.as_chunks::<W>().0;
        let mut accumulated = [Vector::default(); W];
        for position in positions {
            let row = &rows[*position as usize];
            accumulated.iter_mut().zip(row).for_each(|(sum, vector)| sum.add(vector));
        }
        unpack(&accumulated, sums);
    }
}

/// Adds the lanes of vectors to sums.
pub(crate) fn unpack(vectors: &[Vector], sums: &mut [f64]) {
    for (sums, vector) in sums.as_chunks_mut::<LANES>().0.iter_mut().zip(vectors) {
        for (sum, value) in sums.iter_mut().zip(vector.0) {
            *sum += f64::from(value);
        }
    }
}
