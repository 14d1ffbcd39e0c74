//! One κ as a function of sums over units.

use std::collections::HashMap;

use crate::input::scale::{Level, Scale};
use crate::measure::weights::{Basis, Disagreement, Weights};
use crate::resampling::sums::Lane;

/// A chance disagreement below this part of its scale is rounding, not variation.
const ROUNDING: f64 = 1e-13;
/// Positions up to this are kept as whole numbers, whose sums are exact.
const LARGEST_WHOLE: f64 = 1e6;

/// Which lanes a κ is made of.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// Quadratic weights by value need six sums only, whatever the number of levels: n, Σa, Σa², Σb, Σb², Σab.
    /// κ = 1 − n Σ(a−b)² / (n(Σa² + Σb²) − 2 Σa Σb), which is Lin's concordance with divisors n.
    Moments([usize; 6]),
    /// Other weights need the counts of the cells that occur: lane, row level, column level.
    Table(Vec<(usize, Level, Level)>),
    /// A κ without a value.
    Nothing,
}

impl Form {
    /// How many lanes it reads.
    pub(crate) fn width(&self) -> usize {
        match self {
            Form::Moments(lanes) => lanes.len(),
            Form::Table(cells) => cells.len(),
            Form::Nothing => 0,
        }
    }
}

/// The lanes of all terms; equal lanes are one.
#[derive(Debug)]
pub(crate) struct Lanes {
    weights: Weights,
    scale: Scale,
    values: Vec<f64>,
    /// Positions of the levels for the moments, as whole numbers where that is exact.
    position: Vec<f64>,
    lanes: Vec<Lane>,
    /// The lanes of each length and fingerprint.
    known: HashMap<(usize, u64), Vec<usize>>,
}

impl Lanes {
    pub(crate) fn new(weights: &Weights, scale: &Scale, values: &[f64]) -> Lanes {
        Lanes {
            position: whole(values),
            weights: weights.clone(),
            scale: scale.clone(),
            values: values.to_vec(),
            lanes: Vec::new(),
            known: HashMap::new(),
        }
    }

    pub(crate) fn all(&self) -> &[Lane] {
        &self.lanes
    }

    /// The lanes of matched answers whose items lie in these units.
    pub(crate) fn form(&mut self, units: &[u32], a: &[Level], b: &[Level]) -> Form {
        if self.weights != Weights::Quadratic(Basis::Value) {
            return self.table(units, a, b);
        }
        let position = self.position.clone();
        let at = |level: &Level| position[*level as usize];
        Form::Moments([
            self.lane(units, a.iter().map(|_| 1.0)),
            self.lane(units, a.iter().map(at)),
            self.lane(units, a.iter().map(|a| at(a) * at(a))),
            self.lane(units, b.iter().map(at)),
            self.lane(units, b.iter().map(|b| at(b) * at(b))),
            self.lane(units, a.iter().zip(b).map(|(a, b)| at(a) * at(b))),
        ])
    }

    fn table(&mut self, units: &[u32], a: &[Level], b: &[Level]) -> Form {
        let mut cells: Vec<(Level, Level)> = a.iter().copied().zip(b.iter().copied()).collect();
        cells.sort_unstable();
        cells.dedup();
        let mut entries: HashMap<(Level, Level), Vec<(u32, f64)>> = HashMap::new();
        for ((unit, a), b) in units.iter().zip(a).zip(b) {
            entries.entry((*a, *b)).or_default().push((*unit, 1.0));
        }
        let mut lane = |(a, b)| (self.intern(entries.remove(&(a, b)).unwrap_or_default()), a, b);
        Form::Table(cells.into_iter().map(&mut lane).collect())
    }

    fn lane(&mut self, units: &[u32], values: impl Iterator<Item = f64>) -> usize {
        self.intern(units.iter().copied().zip(values).collect())
    }

    /// The number of a lane, given item by item.
    fn intern(&mut self, mut entries: Lane) -> usize {
        entries.sort_by_key(|entry| entry.0);
        let mut lane: Lane = Vec::with_capacity(entries.len());
        for (unit, value) in entries {
            match lane.last_mut() {
                Some(last) if last.0 == unit => last.1 += value,
                _ => lane.push((unit, value)),
            }
        }
        lane.retain(|(_, value)| value.abs() > 0.0);
        let fingerprint: f64 = lane.iter().map(|(unit, value)| f64::from(unit + 1) * value).sum();
        let alike = self.known.entry((lane.len(), fingerprint.to_bits())).or_default();
        if let Some(number) = alike.iter().find(|number| self.lanes[**number] == lane) {
            return *number;
        }
        alike.push(self.lanes.len());
        self.lanes.push(lane);
        self.lanes.len() - 1
    }

    /// A form over fresh lanes from `first` on, for rows that are not interned but filled with [`Lanes::add`].
    pub(crate) fn layout(&self, answers: impl Iterator<Item = (Level, Level)>, first: usize) -> Form {
        if self.weights == Weights::Quadratic(Basis::Value) {
            return Form::Moments(std::array::from_fn(|lane| first + lane));
        }
        let mut cells: Vec<(Level, Level)> = answers.collect();
        cells.sort_unstable();
        cells.dedup();
        Form::Table((first..).zip(cells).map(|(lane, (a, b))| (lane, a, b)).collect())
    }

    /// Adds one item's answers to a row.
    pub(crate) fn add(&self, form: &Form, a: Level, b: Level, row: &mut [f64]) {
        match form {
            Form::Moments(lanes) => {
                let (a, b) = (self.position[a as usize], self.position[b as usize]);
                for (lane, value) in lanes.iter().zip([1.0, a, a * a, b, b * b, a * b]) {
                    row[*lane] += value;
                }
            }
            Form::Table(cells) => {
                if let Ok(at) = cells.binary_search_by_key(&(a, b), |cell| (cell.1, cell.2)) {
                    row[cells[at].0] += 1.0;
                }
            }
            Form::Nothing => {}
        }
    }

    /// κ of these sums; NaN where chance disagreement is 0.
    pub(crate) fn kappa(&self, form: &Form, sums: &[f64]) -> f64 {
        match form {
            Form::Moments(lanes) => {
                let [n, a, aa, b, bb, ab] = lanes.map(|lane| sums[lane]);
                let squares = aa + bb;
                let chance = n * squares - 2.0 * a * b;
                if chance <= ROUNDING * n * squares {
                    f64::NAN
                } else {
                    1.0 - n * (squares - 2.0 * ab) / chance
                }
            }
            Form::Table(cells) => match self.tabulated(cells, sums) {
                Some(table) => 1.0 - table.n * table.observed / table.expected,
                None => f64::NAN,
            },
            Form::Nothing => f64::NAN,
        }
    }

    /// The derivative of κ by each of its lanes; the influence of a unit is this times its row.
    pub(crate) fn gradient(&self, form: &Form, sums: &[f64]) -> Vec<(usize, f64)> {
        match form {
            Form::Moments(lanes) => {
                let [n, a, aa, b, bb, ab] = lanes.map(|lane| sums[lane]);
                let (squares, distance) = (aa + bb, aa + bb - 2.0 * ab);
                let chance = n * squares - 2.0 * a * b;
                if chance <= ROUNDING * n * squares {
                    return Vec::new();
                }
                let pull = n * distance / (chance * chance);
                let by_square = pull * n - n / chance;
                let slopes = [
                    pull * squares - distance / chance,
                    -2.0 * b * pull,
                    by_square,
                    -2.0 * a * pull,
                    by_square,
                    2.0 * n / chance,
                ];
                lanes.iter().copied().zip(slopes).collect()
            }
            Form::Table(cells) => match self.tabulated(cells, sums) {
                Some(table) => cells.iter().map(|(lane, a, b)| (*lane, table.slope(*a, *b))).collect(),
                None => Vec::new(),
            },
            Form::Nothing => Vec::new(),
        }
    }

    /// The influence of each unit on κ: the derivative by each lane times what the unit adds to it.
    pub(crate) fn influences(&self, form: &Form, sums: &[f64], units: usize) -> Vec<f64> {
        let mut influences = vec![0.0; units];
        for (lane, slope) in self.gradient(form, sums) {
            for (unit, value) in &self.lanes[lane] {
                influences[*unit as usize] += slope * value;
            }
        }
        influences
    }

    fn tabulated(&self, cells: &[(usize, Level, Level)], sums: &[f64]) -> Option<Tabulated<'_>> {
        let disagreement = self.weights.on(&self.scale, &self.values).ok()?;
        let (mut rows, mut columns) = (vec![0.0; self.values.len()], vec![0.0; self.values.len()]);
        let (mut n, mut observed) = (0.0, 0.0);
        for (lane, a, b) in cells {
            let count = sums[*lane];
            rows[*a as usize] += count;
            columns[*b as usize] += count;
            observed += count * disagreement.between(*a, *b);
            n += count;
        }
        let first = disagreement.of_first_with(&columns);
        let expected: f64 = rows.iter().zip(&first).map(|(count, mean)| count * mean).sum();
        if expected <= ROUNDING * n * n * disagreement.greatest() {
            return None;
        }
        let second = disagreement.of_second_with(&rows);
        Some(Tabulated { disagreement, n, observed, expected, first, second })
    }
}

/// The sums of a table of counts: n, Σ d c, Σ d r c, and each level's disagreement with the other side.
struct Tabulated<'t> {
    disagreement: Disagreement<'t>,
    n: f64,
    observed: f64,
    expected: f64,
    first: Vec<f64>,
    second: Vec<f64>,
}

impl Tabulated<'_> {
    /// Derivative of κ = 1 − n Σdc / Σdrc by the count of one cell.
    fn slope(&self, a: Level, b: Level) -> f64 {
        let change = self.observed + self.n * self.disagreement.between(a, b);
        let chance = self.first[a as usize] + self.second[b as usize];
        -change / self.expected + self.n * self.observed / self.expected * (chance / self.expected)
    }
}

/// Distances from the first level in units of the smallest gap, where they are whole numbers then; else of the range.
fn whole(values: &[f64]) -> Vec<f64> {
    let first = values.first().copied().unwrap_or(0.0);
    let distances: Vec<f64> = values.iter().map(|value| value - first).collect();
    let gap = values.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    let steps: Vec<f64> = distances.iter().map(|distance| (distance / gap).round()).collect();
    let exact = distances
        .iter()
        .zip(&steps)
        .all(|(distance, step)| (distance - step * gap).abs() <= 1e-9 * gap.max(1e-300));
    let small = steps.last().is_some_and(|step| *step <= LARGEST_WHOLE);
    if gap > 0.0 && gap.is_finite() && exact && small {
        return steps;
    }
    // As parts of the whole range: squares of very small distances would be 0.
    let range = distances.last().copied().unwrap_or(0.0);
    if range > 0.0 { distances.iter().map(|distance| distance / range).collect() } else { distances }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_become_whole_numbers_where_they_can() {
        assert_eq!(whole(&[0.0, 0.25, 0.5, 1.0]), [0.0, 1.0, 2.0, 4.0]);
        assert_eq!(whole(&[1.0, 2.0, 4.0, 8.0]), [0.0, 1.0, 3.0, 7.0]);
        assert_eq!(whole(&[0.0, 0.3, 1.0]), [0.0, 0.3, 1.0]);
    }
}
