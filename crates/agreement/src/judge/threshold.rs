//! Where a judge's pass threshold should stand, so that it passes what people pass.

use serde::{Deserialize, Serialize};

use crate::input::confusion::Confusion;
use crate::input::pairs::Pairs;
use crate::input::scale::{SNAP, Scale};
use crate::measure::kappa::KappaAnalysis;
use crate::measure::weights::Weights;
use crate::rate::pass_fail::PassFail;

/// Most thresholds that a sweep tries on a scale without levels.
const MOST_THRESHOLDS: usize = 100;

/// What passes, by people and by a judge, with the judge's threshold at one place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThresholdPoint {
    /// The judge passes from here on.
    pub threshold: f64,
    /// The counts of verdicts, people at their own pass level.
    pub counts: PassFail,
    /// Share of the verdicts on which people and judge agree whether it passes.
    pub agreement: f64,
    /// Cohen's κ of the two answers; none where both are always the same answer.
    pub kappa: Option<f64>,
    /// Share of the verdicts that the judge passes.
    pub pass_rate: f64,
    /// Share that people pass.
    pub human_pass_rate: f64,
}

impl ThresholdPoint {
    /// The point of these counts; none of no count.
    pub fn of(threshold: f64, counts: PassFail) -> Option<ThresholdPoint> {
        let passed = counts.true_pass.saturating_add(counts.false_pass);
        let n = counts.passes().saturating_add(counts.fails());
        if n == 0 {
            return None;
        }
        let share = |count: u64| count as f64 / n as f64;
        let table = Confusion::from_rows(&[
            vec![counts.true_fail, counts.false_pass],
            vec![counts.false_fail, counts.true_pass],
        ]);
        let kappa = Scale::ordinal([0.0, 1.0]).ok().and_then(|scale| {
            KappaAnalysis::of_table(table, &scale, &Weights::Unweighted).ok().map(|analysis| analysis.kappa())
        });
        Some(ThresholdPoint {
            threshold,
            counts,
            agreement: share(counts.true_pass.saturating_add(counts.true_fail)),
            kappa,
            pass_rate: share(passed),
            human_pass_rate: share(counts.passes()),
        })
    }
}

/// Tries every threshold of a judge: `a` of the pairs are people, who pass from `pass_level` on; each repeat of the judge is one list
/// of pairs, and all verdicts count alike. The thresholds are the levels of the scale but the lowest, at which everything passes; on a
/// scale without levels the values that the judge gave, at most 100 of them evenly chosen.
///
/// ```
/// use agreement::{Pairs, Scale, threshold_sweep};
/// let scale = Scale::ordinal([1.0, 2.0, 3.0, 4.0, 5.0])?;
/// let (people, judge) = ([5.0, 4.0, 2.0, 1.0].map(Some), [4.0, 3.0, 2.0, 1.0].map(Some));
/// let sweep = threshold_sweep(&[Pairs::from_values(scale, &people, &judge)?], 4.0);
/// let agreement: Vec<(f64, f64)> = sweep.iter().map(|point| (point.threshold, point.agreement)).collect();
/// assert_eq!(agreement, [(2.0, 0.75), (3.0, 1.0), (4.0, 0.75), (5.0, 0.5)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn threshold_sweep(repeats: &[Pairs], pass_level: f64) -> Vec<ThresholdPoint> {
    let Some(scale) = repeats.first().map(Pairs::scale).filter(|scale| scale.is_ordered()) else {
        return Vec::new();
    };
    let mut thresholds: Vec<f64> = if scale.has_levels() {
        scale.levels().to_vec()
    } else {
        repeats.iter().flat_map(|pairs| pairs.values().map(|(_, judge)| judge)).collect()
    };
    thresholds.sort_by(f64::total_cmp);
    thresholds.dedup_by(|a, b| (*a - *b).abs() <= SNAP);
    if scale.has_levels() {
        thresholds.drain(..1.min(thresholds.len()));
    }
    let step = thresholds.len().div_ceil(MOST_THRESHOLDS).max(1);
    thresholds
        .into_iter()
        .step_by(step)
        .filter_map(|threshold| threshold_point(repeats, pass_level, threshold))
        .collect()
}

/// One place of a [`threshold_sweep`]; none where no verdict has a person's value beside it.
pub fn threshold_point(repeats: &[Pairs], pass_level: f64, threshold: f64) -> Option<ThresholdPoint> {
    let mut counts = PassFail::default();
    for (person, judge) in repeats.iter().flat_map(Pairs::values) {
        let counted = match (person >= pass_level - SNAP, judge >= threshold - SNAP) {
            (true, true) => &mut counts.true_pass,
            (true, false) => &mut counts.false_fail,
            (false, false) => &mut counts.true_fail,
            (false, true) => &mut counts.false_pass,
        };
        *counted += 1;
    }
    ThresholdPoint::of(threshold, counts)
}

/// The threshold of a sweep at which people and judge agree most: the greatest κ, of equals the one whose pass rate is nearest to that
/// of people, then the lowest. None where κ is defined nowhere: where people pass everything or nothing, or the judge does.
pub fn best_threshold(sweep: &[ThresholdPoint]) -> Option<&ThresholdPoint> {
    let distance = |point: &ThresholdPoint| (point.pass_rate - point.human_pass_rate).abs();
    sweep
        .iter()
        .filter_map(|point| Some((point, point.kappa?)))
        .min_by(|(x, x_kappa), (y, y_kappa)| {
            y_kappa
                .total_cmp(x_kappa)
                .then(distance(x).total_cmp(&distance(y)))
                .then(x.threshold.total_cmp(&y.threshold))
        })
        .map(|(point, _)| point)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(people: &[f64], judge: &[f64]) -> Pairs {
        let values = |values: &[f64]| values.iter().copied().map(Some).collect::<Vec<_>>();
        let scale = Scale::ordinal([1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        Pairs::from_values(scale, &values(people), &values(judge)).unwrap()
    }

    #[test]
    fn a_judge_that_is_one_level_too_strict_passes_one_level_lower() {
        let shifted = [pairs(&[5.0, 4.0, 4.0, 3.0, 2.0, 1.0], &[4.0, 3.0, 3.0, 2.0, 1.0, 1.0])];
        let sweep = threshold_sweep(&shifted, 4.0);
        let best = best_threshold(&sweep).unwrap();
        assert_eq!((best.threshold, best.agreement, best.kappa), (3.0, 1.0, Some(1.0)));
        assert_eq!((best.pass_rate, best.human_pass_rate), (0.5, 0.5));
    }

    #[test]
    fn passing_all_is_no_agreement_however_rare_a_failure_is() {
        let people = [5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 1.0];
        let judge = [5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0, 3.0, 3.0, 2.0];
        let sweep = threshold_sweep(&[pairs(&people, &judge)], 4.0);
        let all = (sweep[0].agreement, sweep[0].kappa);
        assert_eq!(all, (0.9, Some(0.0)), "from 2 on the judge passes all");
        assert_eq!(best_threshold(&sweep).map(|best| best.threshold), Some(3.0));
    }

    #[test]
    fn where_people_pass_everything_nothing_can_be_anchored() {
        let sweep = threshold_sweep(&[pairs(&[5.0, 4.0], &[5.0, 4.0])], 1.0);
        assert_eq!(best_threshold(&sweep[..1]), None);
        assert!(threshold_sweep(&[], 4.0).is_empty());
        assert_eq!(ThresholdPoint::of(1.0, PassFail::default()), None);
    }

    #[test]
    fn repeats_count_alike() {
        let people = [5.0, 1.0];
        let repeats = [pairs(&people, &[4.0, 1.0]), pairs(&people, &[3.0, 1.0])];
        let found = threshold_point(&repeats, 4.0, 4.0).unwrap();
        let counts = PassFail { true_pass: 1, false_fail: 1, true_fail: 2, false_pass: 0 };
        assert_eq!((found.counts, found.agreement), (counts, 0.75));
    }

    #[test]
    fn without_levels_the_thresholds_are_what_the_judge_gave() {
        let scale = Scale::continuous(0.0, 1.0, None).unwrap();
        let values: Vec<Option<f64>> = (0..1000).map(|at| Some(f64::from(at) / 1000.0)).collect();
        let sweep = threshold_sweep(&[Pairs::from_values(scale, &values, &values).unwrap()], 0.5);
        assert_eq!(sweep.len(), 100);
        assert_eq!(best_threshold(&sweep).map(|best| best.threshold), Some(0.5));
    }
}
