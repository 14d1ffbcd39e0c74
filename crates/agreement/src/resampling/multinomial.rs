//! How often each of a few kinds of units is drawn, without drawing the units one by one.

use crate::resampling::draws::Draws;
use crate::resampling::poisson::{NOBODY, Table, expected_first, poisson};

/// Greatest mean of one table: from here on a number is a sum of several, so that its outcomes fit a byte.
const LARGEST_MEAN: f64 = 192.0;

/// Draws the numbers of each kind: Poisson numbers first, then the units that are wanting (see [`crate::resampling::poisson`]).
#[derive(Clone, Debug)]
pub(crate) struct Multinomial {
    draws: Draws,
    steps: Vec<Step>,
    /// The kind of each unit.
    kind_of: Vec<u32>,
    bytes: Vec<u8>,
    wanting: Vec<u32>,
}

/// The Poisson number of one kind, or one of several that add up to it.
#[derive(Clone, Debug)]
struct Step {
    kind: usize,
    smallest: u32,
    table: Table,
}

impl Multinomial {
    /// Draws of as many units as there are, of kinds that occur so many times.
    pub(crate) fn new(seed: u64, times: &[usize]) -> Multinomial {
        let kind_of: Vec<u32> =
            (0..).zip(times).flat_map(|(kind, times)| std::iter::repeat_n(kind, *times)).collect();
        let units = kind_of.len();
        let rate = expected_first(units) / units.max(1) as f64;
        let mut steps = Vec::new();
        for (kind, times) in times.iter().enumerate() {
            let mean = *times as f64 * rate;
            let parts = (mean / LARGEST_MEAN).ceil().max(1.0);
            let (smallest, probabilities) = poisson(mean / parts);
            let table = Table::new(&probabilities, probabilities.len());
            let step = Step { kind, smallest: smallest as u32, table };
            steps.extend(std::iter::repeat_n(step, parts as usize));
        }
        let (bytes, wanting) = (vec![0; 2 * steps.len()], vec![0; units]);
        Multinomial { draws: Draws::new(seed, units), steps, kind_of, bytes, wanting }
    }

    /// Fills in how often each kind is drawn.
    pub(crate) fn draw(&mut self, drawn: &mut [u32]) {
        let units = self.kind_of.len();
        let mut first = self.draw_first(drawn);
        while first > units {
            first = self.draw_first(drawn);
        }
        let wanting = &mut self.wanting[..units - first];
        self.draws.fill(wanting);
        for unit in wanting {
            drawn[self.kind_of[*unit as usize] as usize] += 1;
        }
    }

    /// Fills in independent Poisson numbers, and returns their sum.
    fn draw_first(&mut self, drawn: &mut [u32]) -> usize {
        drawn.fill(0);
        self.draws.bytes(&mut self.bytes);
        let mut sum = 0;
        for (step, bits) in self.steps.iter().zip(self.bytes.as_chunks().0) {
            let outcome = match step.table.look(*bits) {
                NOBODY => step.table.remainder(self.draws.uniform()) as u32,
                code => u32::from(code),
            };
            drawn[step.kind] += step.smallest + outcome;
            sum += step.smallest + outcome;
        }
        sum as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_covariances_are_multinomial() {
        let times = [700, 200, 90, 10, 1500];
        let units: usize = times.iter().sum();
        let mut multinomial = Multinomial::new(11, &times);
        const DRAWS: usize = 20_000;
        let (mut sums, mut products, mut drawn) = ([0.0; 5], [[0.0; 5]; 5], [0; 5]);
        for _ in 0..DRAWS {
            multinomial.draw(&mut drawn);
            assert_eq!(drawn.iter().sum::<u32>() as usize, units);
            for (kind, count) in drawn.iter().enumerate() {
                sums[kind] += f64::from(*count);
                for (other, with) in drawn.iter().enumerate() {
                    products[kind][other] += f64::from(*count) * f64::from(*with);
                }
            }
        }
        let share = |kind: usize| times[kind] as f64 / units as f64;
        let deviation = |kind: usize| (units as f64 * share(kind) * (1.0 - share(kind))).sqrt();
        let draws = DRAWS as f64;
        for kind in 0..5 {
            let mean = sums[kind] / draws;
            assert!(
                (mean - times[kind] as f64).abs() < 5.0 * deviation(kind) / draws.sqrt(),
                "{kind}: {mean}"
            );
            for other in 0..5 {
                let equal = if kind == other { share(kind) } else { 0.0 };
                let expected = units as f64 * (equal - share(kind) * share(other));
                let found = products[kind][other] / draws - mean * sums[other] / draws;
                let error = (found - expected) / (deviation(kind) * deviation(other));
                assert!(error.abs() < 0.06, "{kind}, {other}: {found} beside {expected}");
            }
        }
    }

    #[test]
    fn one_kind_is_always_drawn() {
        for times in [1, 2, 40] {
            let mut drawn = [0];
            Multinomial::new(1, &[times]).draw(&mut drawn);
            assert_eq!(drawn, [times as u32]);
        }
    }

    #[test]
    fn nothing_to_draw_from_draws_nothing() {
        Multinomial::new(1, &[]).draw(&mut []);
    }
}
