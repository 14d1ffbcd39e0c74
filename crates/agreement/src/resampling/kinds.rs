//! Units with equal rows: where they are few kinds, how often each kind is drawn tells the sums.

use std::collections::HashMap;

use crate::resampling::multinomial::Multinomial;
use crate::resampling::sums::Sums;

/// With at least so many units of each kind on average, drawing the numbers of kinds is quicker than drawing units.
const UNITS_PER_KIND: usize = 8;
/// Lanes that are summed at once.
const LANES: usize = 8;

/// The rows of the kinds, and how many units have each.
#[derive(Clone, Debug)]
pub(crate) struct Kinds {
    times: Vec<usize>,
    lanes: usize,
    /// The rows with their zeros, in strips of neighbouring lanes.
    strips: Vec<Vec<[f64; LANES]>>,
}

impl Kinds {
    /// The kinds of the units of some sums; none where they are too many.
    pub(crate) fn of(sums: &Sums) -> Option<Kinds> {
        let most = sums.units() / UNITS_PER_KIND;
        let mut known: HashMap<Vec<(usize, u64)>, usize> = HashMap::new();
        let mut kinds: Vec<(usize, usize)> = Vec::new();
        for unit in 0..sums.units() {
            let key = sums.row(unit).map(|(lane, value)| (lane, value.to_bits())).collect();
            let kind = *known.entry(key).or_insert(kinds.len());
            if kind == kinds.len() {
                kinds.push((unit, 0));
            }
            if kinds.len() > most {
                return None;
            }
            kinds[kind].1 += 1;
        }
        let lanes = sums.totals().len();
        let mut strips = vec![vec![[0.0; LANES]; kinds.len()]; lanes.div_ceil(LANES)];
        for (kind, (unit, _)) in kinds.iter().enumerate() {
            for (lane, value) in sums.row(*unit) {
                strips[lane / LANES][kind][lane % LANES] = value;
            }
        }
        Some(Kinds { times: kinds.into_iter().map(|(_, times)| times).collect(), lanes, strips })
    }

    /// Calls `visit` with the sums of each of `resamples` draws.
    pub(crate) fn resample(&self, resamples: u32, seed: u64, mut visit: impl FnMut(&[f64])) {
        let mut multinomial = Multinomial::new(seed, &self.times);
        let mut drawn = vec![0; self.times.len()];
        let mut sums = vec![[0.0; LANES]; self.strips.len()];
        for _ in 0..resamples {
            multinomial.draw(&mut drawn);
            for (sums, rows) in sums.iter_mut().zip(&self.strips) {
                *sums = added(rows, &drawn);
            }
            visit(&sums.as_flattened()[..self.lanes]);
        }
    }
}

/// The sum of rows, each as often as it was drawn.
fn added(rows: &[[f64; LANES]], drawn: &[u32]) -> [f64; LANES] {
    let mut sums = [0.0; LANES];
    for (row, times) in rows.iter().zip(drawn) {
        let times = f64::from(*times);
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += times * value);
    }
    sums
}
