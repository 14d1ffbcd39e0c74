//! The best of several: how much of its lead chance alone would give.

use crate::distributions::normal_cdf;
use crate::resampling::bootstrap::BootstrapDistribution;

/// What chance does to the best of several judges, from the draws that they share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Luck {
    /// Position of the judge with the greatest κ, among all that were compared.
    pub best: usize,
    /// How many judges take part: those whose κ varies over the resamples. A constant judge has no luck.
    pub judges: usize,
    /// Mean over resamples of the greatest excess of a resampled κ over its estimate: what the best of so many judges
    /// gains by being picked, if all are equally good.
    pub expected: f64,
    /// Share of the resamples in which the best one stays first.
    pub stays_first: f64,
}

impl Luck {
    /// From the distributions of the judges over the same draws, absent where κ is undefined. At least two must vary.
    pub(crate) fn of(judges: &[Option<&BootstrapDistribution>]) -> Option<Luck> {
        let varies = |judge: &&BootstrapDistribution| judge.standard_error().is_some_and(|error| error > 0.0);
        let (positions, varying): (Vec<usize>, Vec<&BootstrapDistribution>) =
            judges.iter().enumerate().filter_map(|(at, judge)| Some((at, judge.filter(varies)?))).unzip();
        Luck::of_varying(&varying).map(|luck| Luck { best: positions[luck.best], ..luck })
    }

    fn of_varying(judges: &[&BootstrapDistribution]) -> Option<Luck> {
        let best = (0..judges.len())
            .max_by(|left, right| judges[*left].estimate().total_cmp(&judges[*right].estimate()))?;
        let draws = judges.iter().map(|judge| judge.replicates().len()).min()?;
        let of_best = &judges[best].replicates()[..draws];
        let mut greatest = vec![f64::NEG_INFINITY; draws];
        let mut next = greatest.clone();
        // A draw in which any judge is undefined does not count: this sum is then not finite either.
        let mut all = vec![0.0; draws];
        for (at, judge) in judges.iter().enumerate() {
            let estimate = judge.estimate();
            for (((value, greatest), next), all) in
                judge.replicates().iter().zip(&mut greatest).zip(&mut next).zip(&mut all)
            {
                *greatest = larger(*greatest, value - estimate);
                *next = if at == best { *next } else { larger(*next, *value) };
                *all += value;
            }
        }
        let (mut excess, mut first, mut defined) = (0.0, 0_usize, 0_usize);
        for (((best, greatest), next), _) in
            of_best.iter().zip(&greatest).zip(&next).zip(&all).filter(|(_, all)| all.is_finite())
        {
            defined += 1;
            excess += greatest;
            first += usize::from(best >= next);
        }
        (judges.len() >= 2 && defined > 0).then(|| Luck {
            best,
            judges: judges.len(),
            expected: excess / defined as f64,
            stays_first: first as f64 / defined as f64,
        })
    }
}

/// The larger of two numbers; unlike [`f64::max`] one instruction, and of no use where one is undefined.
fn larger(left: f64, right: f64) -> f64 {
    if left > right { left } else { right }
}

/// Expected lead by luck of the best of `judges` equally good judges, from the paired standard error of a difference
/// between two of them: the expected greatest of m independent normals with standard deviation se/√2.
///
/// ```
/// // The greatest of twelve standard normals is 1.63 on average (Harter 1961).
/// let lead = agreement::expected_luck(12, 0.05).unwrap();
/// assert!((lead - 1.62923 * 0.05 / 2.0_f64.sqrt()).abs() < 1e-5);
/// ```
pub fn expected_luck(judges: usize, paired_standard_error: f64) -> Option<f64> {
    let luck = expected_greatest(judges) * paired_standard_error / std::f64::consts::SQRT_2;
    (judges >= 1 && paired_standard_error >= 0.0 && luck.is_finite()).then_some(luck)
}

/// E max of m standard normals = ∫ (1 − Φ(z)^m) dz over z > 0 − ∫ Φ(z)^m dz over z < 0, by Simpson's rule.
fn expected_greatest(count: usize) -> f64 {
    const STEPS: u32 = 4000;
    const REACH: f64 = 10.0;
    let power = count.min(1_000_000) as f64;
    let step = REACH / f64::from(STEPS);
    let integrand = |z: f64| 1.0 - normal_cdf(z).powf(power) - normal_cdf(-z).powf(power);
    (0..=STEPS)
        .map(|at| {
            let weight = if at == 0 || at == STEPS {
                1.0
            } else if at % 2 == 1 {
                4.0
            } else {
                2.0
            };
            weight * integrand(f64::from(at) * step)
        })
        .sum::<f64>()
        * step
        / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_named_by_its_place_among_all_and_a_constant_judge_has_no_luck() {
        let of = |estimate: f64, moves: [f64; 4]| {
            BootstrapDistribution::new(estimate, moves.iter().map(|by| estimate + by).collect(), Vec::new())
        };
        let constant = of(0.0, [0.0; 4]);
        let [low, high] = [of(0.4, [0.3, -0.3, 0.1, -0.1]), of(0.6, [-0.2, 0.2, -0.2, 0.2])];
        let luck = Luck::of(&[Some(&constant), None, Some(&low), Some(&high)]).unwrap();
        assert_eq!((luck.best, luck.judges), (3, 2));
        // The greatest excess of each draw is 0.3, 0.2, 0.1 and 0.2; the best stays first in all but the first two: 0.7 > 0.4, 0.5 > 0.4.
        assert!((luck.expected - 0.2).abs() < 1e-12, "{luck:?}");
        assert!((luck.stays_first - 0.5).abs() < 1e-12, "{luck:?}");
        assert_eq!(Luck::of(&[Some(&constant), Some(&low)]), None);
    }
}
