//! Poisson numbers, and tables to draw from any few outcomes with one look.
//!
//! A draw of n units with replacement is n independent Poisson numbers, one for each unit, given that they add up to n.
//! So: draw them with a mean slightly below 1, and draw the units that are still wanting one by one. Both parts are
//! multinomial, hence so is their sum; where the first part is more than n already, it is drawn again.

/// Bits that a look takes.
const BITS: u32 = 12;
const ENTRIES: usize = 1 << BITS;
/// Steps of the guide to the remainders.
const GUIDES: u32 = 256;
/// The code of entries that belong to no outcome.
pub(crate) const NOBODY: u8 = u8::MAX;
/// Probabilities below this part of the greatest one are beyond what a double can add.
const NEGLIGIBLE: f64 = 1e-18;
/// The first part of a draw is short of its whole by so many standard deviations: at 2 it is too large one time in 40.
const SHORTFALL: f64 = 2.0;

/// Expected number of units of the first part, of `units` in the whole.
pub(crate) fn expected_first(units: usize) -> f64 {
    let units = units as f64;
    (units - SHORTFALL * units.sqrt()).max(0.0)
}

/// The smallest number that matters, and the probabilities from it on.
pub(crate) fn poisson(mean: f64) -> (usize, Vec<f64>) {
    let mode = mean.floor() as usize;
    let mut below = Vec::new();
    let mut weight = 1.0;
    for number in (1..=mode).rev() {
        weight *= number as f64 / mean;
        if weight < NEGLIGIBLE {
            break;
        }
        below.push(weight);
    }
    let first = mode - below.len();
    let mut weights: Vec<f64> = below.into_iter().rev().chain([1.0]).collect();
    weight = 1.0;
    for number in mode + 1.. {
        weight *= mean / number as f64;
        if weight < NEGLIGIBLE {
            break;
        }
        weights.push(weight);
    }
    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= total);
    (first, weights)
}

/// A condensed table (Marsaglia, Tsang & Wang 2004): each outcome fills as many of 4096 entries as its probability
/// holds whole ones; what is left of all of them is drawn from, exactly, where a look falls on an entry of nobody.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    codes: Box<[u8; ENTRIES]>,
    /// Cumulated remainders of all outcomes.
    rest: Vec<f64>,
    /// The first outcome at each of [`GUIDES`] equal steps from 0 to 1: the one that is looked for is not far (Chen & Asau 1974).
    guide: Vec<usize>,
}

impl Table {
    /// Outcomes with these probabilities. Those from `coded` on are only among the remainders; at most 255 have entries.
    pub(crate) fn new(probabilities: &[f64], coded: usize) -> Table {
        let coded = coded.min(usize::from(NOBODY));
        let mut codes = Box::new([NOBODY; ENTRIES]);
        let (mut filled, mut sum) = (0, 0.0);
        let mut rest = Vec::with_capacity(probabilities.len());
        for (outcome, probability) in probabilities.iter().enumerate() {
            let share = probability * ENTRIES as f64;
            let whole = if outcome < coded { (share as usize).min(ENTRIES - filled) } else { 0 };
            codes[filled..filled + whole].fill(outcome as u8);
            filled += whole;
            sum += share - whole as f64;
            rest.push(sum);
        }
        rest.iter_mut().for_each(|value| *value /= sum);
        let guide = (0..GUIDES).map(|step| f64::from(step) / f64::from(GUIDES));
        let guide = guide.map(|from| rest.partition_point(|below| *below <= from)).collect();
        Table { codes, rest, guide }
    }

    /// The code at sixteen random bits, of which it uses twelve; [`NOBODY`] where the remainders decide.
    #[inline(always)]
    pub(crate) fn look(&self, bits: [u8; 2]) -> u8 {
        self.codes[usize::from(u16::from_le_bytes(bits) >> (u16::BITS - BITS))]
    }

    /// The outcome among the remainders at a uniform number in [0, 1).
    pub(crate) fn remainder(&self, uniform: f64) -> usize {
        let from = self.guide[(uniform * f64::from(GUIDES)) as usize];
        let beyond = self.rest[from..].iter().take_while(|below| **below <= uniform).count();
        (from + beyond).min(self.rest.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_those_of_poisson() {
        for mean in [0.0, 0.3, 1.0, 7.5, 190.0] {
            let (first, probabilities) = poisson(mean);
            let at = |power: i32| -> f64 {
                (first..).zip(&probabilities).map(|(number, p)| (number as f64).powi(power) * p).sum()
            };
            assert!((at(0) - 1.0).abs() < 1e-12 && (at(1) - mean).abs() < 1e-9);
            assert!((at(2) - mean - mean * mean).abs() < 1e-7, "{mean}: {}", at(2));
        }
    }

    #[test]
    fn entries_and_remainders_add_up_to_the_probabilities() {
        let probabilities = [0.3, 0.00001, 0.5, 0.19999];
        let table = Table::new(&probabilities, 3);
        let entries = |code: u8| table.codes.iter().filter(|found| **found == code).count() as f64;
        let open = entries(NOBODY);
        let mut below = 0.0;
        for (outcome, probability) in probabilities.iter().enumerate() {
            let coded = if outcome < 3 { entries(outcome as u8) } else { 0.0 };
            let found = (coded + open * (table.rest[outcome] - below)) / ENTRIES as f64;
            assert!((found - probability).abs() < 1e-12, "{outcome}: {found}");
            below = table.rest[outcome];
        }
        assert_eq!((table.remainder(0.0), table.remainder(0.999_999)), (0, 3));
    }
}
