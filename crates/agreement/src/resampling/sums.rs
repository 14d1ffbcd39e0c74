//! Statistics that depend on the data through sums over independent units: what a bootstrap draw adds up.
//!
//! Each unit (an item or a cluster) has one row of numbers, its *lanes*. A resample draws units with replacement and
//! adds their rows; leaving a unit out subtracts its row. Nothing else of the data is looked at again.

use crate::resampling::cells::Cells;
use crate::resampling::couple_rows::CoupleRows;
use crate::resampling::couples::Couples;
use crate::resampling::draws::Draws;
use crate::resampling::kinds::Kinds;
use crate::resampling::packed::Packed;

/// The lanes of one quantity: what each unit adds to its sum. Units that add nothing are left out.
pub(crate) type Lane = Vec<(u32, f64)>;

/// With fewer numbers that are not 0 than one in so many, rows without their zeros are shorter than packed ones.
const SPARSE: usize = 3;

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

impl Sums {
    /// Rows of `units` units from the lanes of each quantity.
    pub(crate) fn new(units: usize, lanes: &[Lane]) -> Sums {
        let rows = Rows::transposed(units, lanes);
        let totals = lanes.iter().map(|lane| lane.iter().map(|(_, value)| value).sum()).collect();
        Sums { units, totals, packed: packed(units, lanes), rows }
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
        if let Some(kinds) = Kinds::of(self) {
            return kinds.resample(resamples, seed, visit);
        }
        let packed = self.packed.as_ref().filter(|packed| CoupleRows::pay(packed));
        if let Some((packed, couples)) = packed.zip(Couples::of(self.units)) {
            return match Cells::of(self) {
                Some(cells) => couples.resample(cells, resamples, seed, visit),
                None => couples.resample(CoupleRows::of(packed), resamples, seed, visit),
            };
        }
        let mut draws = Draws::new(seed, self.units);
        let mut positions = vec![0; self.units];
        let mut sums = vec![0.0; self.packed.as_ref().map_or(self.totals.len(), Packed::room)];
        for _ in 0..resamples {
            draws.fill(&mut positions);
            sums.fill(0.0);
            match &self.packed {
                Some(packed) => packed.add(&positions, &mut sums),
                None => self.rows.add(&positions, &mut sums),
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
            sums.fill(0.0);
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
        for position in positions {
            let ends = self.offsets[*position as usize]..self.offsets[*position as usize + 1];
            for (lane, value) in self.lanes[ends.clone()].iter().zip(&self.values[ends]) {
                sums[*lane as usize] += value;
            }
        }
    }
}

/// The rows packed; none where they are sparse, or do not fit.
fn packed(units: usize, lanes: &[Lane]) -> Option<Packed> {
    let filled = lanes.iter().map(Vec::len).sum::<usize>();
    if filled * SPARSE < units * lanes.len() {
        return None;
    }
    Packed::of(units, lanes)
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
            sums.resample(20, 5, |sums| all.extend_from_slice(&sums[..83]));
            all
        };
        assert_eq!(collect(&sums), collect(&plain));
    }

    #[test]
    fn cells_and_rows_add_up_to_the_same_sums() {
        for units in [64_u32, 65, 301] {
            // A reference of five levels, and judges that differ from it for one item in three.
            let level = |judge: u32, unit: u32| match (unit * 7 + judge * 11) % 3 {
                0 if judge > 0 => (unit * 13 + judge) % 5,
                _ => unit * 5 % 7 % 5,
            };
            let lane = |of: &dyn Fn(u32) -> u32| -> Lane {
                (0..units).map(|unit| (unit, f64::from(of(unit)))).filter(|(_, value)| *value > 0.0).collect()
            };
            let mut lanes = vec![lane(&|_| 1)];
            for judge in 0..8 {
                lanes.push(lane(&|unit| level(judge, unit)));
                lanes.push(lane(&|unit| level(judge, unit).pow(2)));
                lanes.push(lane(&|unit| level(judge, unit) * level(0, unit)));
            }
            let sums = Sums::new(units as usize, &lanes);
            let couples = Couples::of(sums.units()).unwrap();
            let (mut by_cells, mut by_rows) = (Vec::new(), Vec::new());
            let cells = Cells::of(&sums).unwrap();
            couples.resample(cells, 300, 5, |sums| by_cells.extend_from_slice(&sums[..lanes.len()]));
            let rows = CoupleRows::of(sums.packed.as_ref().unwrap());
            couples.resample(rows, 300, 5, |sums| by_rows.extend_from_slice(&sums[..lanes.len()]));
            assert_eq!(by_cells.len(), 300 * lanes.len());
            assert!(by_cells.chunks(lanes.len()).all(|sums| sums[0] as u32 == units));
            assert_eq!(by_cells, by_rows, "{units}");
        }
    }

    #[test]
    fn many_kinds_of_units_are_not_cells() {
        let lane =
            |of: fn(u32) -> u32| -> Lane { (0..100).map(|unit| (unit, f64::from(of(unit)))).collect() };
        assert!(Cells::of(&Sums::new(100, &[lane(|unit| unit % 64)])).is_some());
        assert!(Cells::of(&Sums::new(100, &[lane(|unit| unit % 65)])).is_none());
        // 100 times 328 is more than a sum may be.
        assert!(Cells::of(&Sums::new(100, &[lane(|_| 327)])).is_some());
        assert!(Cells::of(&Sums::new(100, &[lane(|_| 328)])).is_none());
    }

    #[test]
    fn couples_draw_as_many_units_with_the_right_spread() {
        for units in [64, 301] {
            let value = |unit: u32| f64::from(unit * 7 % 31);
            let lane = |of: &dyn Fn(u32) -> f64| (0..units).map(|unit| (unit, of(unit))).collect::<Lane>();
            let lanes: Vec<Lane> =
                (0..60).map(|power| lane(&|unit| if power == 59 { value(unit) } else { 1.0 })).collect();
            let sums = Sums::new(units as usize, &lanes);
            let n = f64::from(units);
            let mean = (0..units).map(value).sum::<f64>() / n;
            let variance = (0..units).map(|unit| (value(unit) - mean).powi(2)).sum::<f64>() / n;
            const DRAWS: u32 = 20_000;
            let (mut sum, mut square) = (0.0, 0.0);
            sums.resample(DRAWS, 3, |sums| {
                assert!((sums[0] - n).abs() < 0.5 && (sums[58] - n).abs() < 0.5);
                let found = sums[59] / n - mean;
                sum += found;
                square += found * found;
            });
            let draws = f64::from(DRAWS);
            assert!((sum / draws).abs() < 5.0 * (variance / n / draws).sqrt(), "{}", sum / draws);
            let ratio = square / draws / (variance / n);
            assert!((ratio - 1.0).abs() < 5.0 * (2.0 / draws).sqrt(), "{ratio}");
        }
    }

    #[test]
    fn leaving_out_restores() {
        let lanes: Vec<Lane> = vec![vec![(0, 1.0), (2, 4.0)], vec![(1, 0.5)]];
        let mut seen = Vec::new();
        Sums::new(3, &lanes).leave_one_out(|sums| seen.push((sums[0], sums[1])));
        assert_eq!(seen, [(4.0, 0.5), (5.0, 0.0), (1.0, 0.5)]);
    }
}
