use crate::Scale;

/// The parts into which the range of a scale is cut: sums of whole parts are the same in whatever order scores arrive.
pub const PARTS: u32 = 100_000;

/// The bins of the histogram: twenty of equal width, and one for the greatest value alone.
pub const BINS: usize = 21;

/// Where a value stands on its scale: 0 is the least value, 1 the greatest; to a hundred-thousandth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ScaleShare(u32);

impl ScaleShare {
    /// The share of a value that is on the scale and takes part in means; none of any other.
    #[must_use]
    pub fn on(scale: &Scale, value: f64) -> Option<ScaleShare> {
        let value = scale.admit(value).filter(|value| scale.is_applicable(*value))?;
        let (low, _) = scale.bounds();
        ScaleShare::near((value - low) / scale.range())
    }

    /// The share next to a number from 0 to 1.
    #[must_use]
    pub fn near(share: f64) -> Option<ScaleShare> {
        if !(-1e-9..=1.0 + 1e-9).contains(&share) {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number from 0 to PARTS, rounded"
        )]
        let parts = (share.clamp(0.0, 1.0) * f64::from(PARTS)).round() as u32;
        Some(ScaleShare(parts))
    }

    /// So many parts.
    #[must_use]
    pub fn of_parts(parts: u32) -> Option<ScaleShare> {
        (parts <= PARTS).then_some(ScaleShare(parts))
    }

    /// How many parts it is.
    #[must_use]
    pub fn parts(self) -> u32 {
        self.0
    }

    /// The number from 0 to 1.
    #[must_use]
    pub fn value(self) -> f64 {
        f64::from(self.0) / f64::from(PARTS)
    }
}

/// What is kept of many scores: enough for their mean, its error, their tails and their pass rate. Whole numbers, so that adding and
/// taking away are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// How many scores.
    pub count: u64,
    /// Sum of their parts.
    pub sum: u64,
    /// Sum of the squares of their parts.
    pub squares: u64,
    /// Those that passed their judge's threshold.
    pub passed: u64,
    /// Those on a scale with a pass level.
    pub decided: u64,
    /// How many lie in each twentieth of the range, and how many are its greatest value.
    pub bins: [u64; BINS],
}

impl Sums {
    /// Of one score.
    #[must_use]
    pub fn of(share: ScaleShare, passed: Option<bool>) -> Sums {
        let parts = u64::from(share.parts());
        let mut bins = [0; BINS];
        let bin = share.parts() as usize * (BINS - 1) / PARTS as usize;
        bins[bin.min(BINS - 1)] = 1;
        Sums {
            count: 1,
            sum: parts,
            squares: parts * parts,
            passed: u64::from(passed == Some(true)),
            decided: u64::from(passed.is_some()),
            bins,
        }
    }

    /// Adds others.
    pub fn add(&mut self, others: &Sums) {
        self.combine(others, u64::saturating_add);
    }

    /// Takes others away, which were added before.
    pub fn take_away(&mut self, others: &Sums) {
        self.combine(others, u64::saturating_sub);
    }

    fn combine(&mut self, others: &Sums, with: fn(u64, u64) -> u64) {
        self.count = with(self.count, others.count);
        self.sum = with(self.sum, others.sum);
        self.squares = with(self.squares, others.squares);
        self.passed = with(self.passed, others.passed);
        self.decided = with(self.decided, others.decided);
        for (bin, other) in self.bins.iter_mut().zip(others.bins) {
            *bin = with(*bin, other);
        }
    }

    /// Mean share of the range; none of no score.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| number(self.sum) / number(self.count) / f64::from(PARTS))
    }

    /// Variance of the scores, with divisor n − 1; none of fewer than two.
    #[must_use]
    pub fn variance(&self) -> Option<f64> {
        if self.count < 2 {
            return None;
        }
        // n Σx² − (Σx)² is exact in 128 bits, where a difference of doubles would lose what is asked for.
        let (n, sum, squares) = (u128::from(self.count), u128::from(self.sum), u128::from(self.squares));
        let spread = (n * squares).saturating_sub(sum * sum);
        #[expect(clippy::cast_precision_loss, reason = "rounded once, at the end")]
        let spread = spread as f64;
        let n = number(self.count);
        Some(spread / (n * (n - 1.0)) / (f64::from(PARTS) * f64::from(PARTS)))
    }

    /// How many lie below so many twentieths of the range.
    #[must_use]
    pub fn below(&self, twentieths: u32) -> u64 {
        self.bins.iter().take((twentieths as usize).min(BINS - 1)).sum()
    }
}

/// A count as a number.
#[expect(clippy::cast_precision_loss, reason = "counts and sums of counts, far below 2^53 in use")]
pub(super) fn number(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(shares: &[u32]) -> Sums {
        let mut sums = Sums::default();
        for parts in shares {
            sums.add(&Sums::of(ScaleShare::of_parts(*parts).unwrap(), Some(parts % 2 == 0)));
        }
        sums
    }

    #[test]
    fn the_bins_are_half_open_and_the_greatest_value_has_its_own() {
        let sums = all(&[0, 4_999, 5_000, 49_999, 50_000, 99_999, 100_000]);
        assert_eq!((sums.below(1), sums.below(2), sums.below(10)), (2, 3, 4));
        assert_eq!((sums.below(20), sums.below(99)), (6, 6));
    }

    #[test]
    fn shares_are_those_of_the_range() {
        assert_eq!(ScaleShare::near(0.82).map(ScaleShare::parts), Some(82_000));
        assert_eq!(ScaleShare::near(1.01), None);
        assert_eq!(ScaleShare::near(f64::NAN), None);
        assert_eq!(Sums::default().mean(), None);
        assert_eq!(all(&[7]).variance(), None);
    }

    proptest! {
        #[test]
        fn the_order_of_arrival_does_not_matter(
            mut shares in proptest::collection::vec(0..=PARTS, 0..60),
            at in any::<prop::sample::Index>(),
        ) {
            let sums = all(&shares);
            shares.reverse();
            if !shares.is_empty() {
                let middle = at.index(shares.len());
                shares.rotate_left(middle);
            }
            prop_assert_eq!(all(&shares), sums);
            let mut halves = all(&shares[..shares.len() / 2]);
            let rest = all(&shares[shares.len() / 2..]);
            halves.add(&rest);
            prop_assert_eq!(halves, sums);
            halves.take_away(&rest);
            prop_assert_eq!(halves, all(&shares[..shares.len() / 2]));
        }

        #[test]
        fn mean_and_variance_are_those_of_the_scores(shares in proptest::collection::vec(0..=PARTS, 2..60)) {
            let sums = all(&shares);
            let values: Vec<f64> = shares.iter().map(|parts| f64::from(*parts) / 100_000.0).collect();
            let n = number(values.len() as u64);
            let mean = values.iter().sum::<f64>() / n;
            let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
            prop_assert!((sums.mean().unwrap() - mean).abs() < 1e-9);
            prop_assert!((sums.variance().unwrap() - variance).abs() < 1e-9);
        }
    }
}
