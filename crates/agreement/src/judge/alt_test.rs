//! May the judge stand in for an annotator? The alternative annotator test (Calderon, Reichart & Dror 2025).

use crate::distributions::t_upper_tail;
use crate::input::column::Column;
use crate::input::ratings::Ratings;
use crate::result::adjust::benjamini_yekutieli;
use crate::result::estimate::{Estimate, Undefined};

/// How near an answer is to those of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Alignment {
    /// Share of the others who gave the same value.
    Accuracy,
    /// Minus the root mean square distance to the others' values.
    NegativeRmse,
}

/// The settings of the test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AltTestSettings {
    /// How answers are compared.
    pub alignment: Alignment,
    /// What the judge saves, as an advantage that it need not have: 0.2 against experts, 0.15 against skilled
    /// annotators, 0.1 against crowd workers.
    pub epsilon: f64,
    /// The false discovery rate over annotators.
    pub q: f64,
    /// Annotators with fewer items are left out.
    pub least_items: usize,
    /// Items with fewer annotators are left out; at least 2.
    pub least_annotators: usize,
}

impl Default for AltTestSettings {
    fn default() -> AltTestSettings {
        AltTestSettings {
            alignment: Alignment::Accuracy,
            epsilon: 0.15,
            q: 0.05,
            least_items: 30,
            least_annotators: 2,
        }
    }
}

/// The judge against one annotator.
#[derive(Clone, Debug, PartialEq)]
pub struct AltTestAnnotator {
    /// The annotator, by position.
    pub annotator: usize,
    /// Items on which the two were compared with the others.
    pub n: usize,
    /// Share of the items on which the judge is at least as near to the others.
    pub advantage_of_judge: f64,
    /// Share of the items on which the annotator is at least as near to the others. Ties count for both.
    pub advantage_of_annotator: f64,
    /// One-sided p of the judge being no worse by ε.
    pub p: f64,
    /// p adjusted by Benjamini & Yekutieli.
    pub p_adjusted: f64,
    /// Whether the judge holds against this annotator.
    pub holds: bool,
    /// Whether all differences were equal, so that p is 0 or 1 without a test.
    pub without_variation: bool,
}

/// The result of the test.
#[derive(Clone, Debug, PartialEq)]
pub struct AltTest {
    /// Winning rate ω: share of the annotators against whom the judge holds. Its n is the number of annotators.
    pub winning_rate: Estimate,
    /// Mean over annotators of the judge's advantage probability.
    pub advantage_probability: Estimate,
    /// Each annotator that has items enough.
    pub annotators: Vec<AltTestAnnotator>,
    /// ω ≥ 0.5: the judge may stand in.
    pub passes: bool,
}

/// Tests whether `judge` may stand in for one of the annotators (by position), by comparing how near each is to the
/// others.
///
/// Undefined [`Undefined::SingleAnnotator`] below two annotators, [`Undefined::NTooSmall`] where nobody has items enough.
pub fn alt_test(
    ratings: &Ratings,
    annotators: &[usize],
    judge: &Column,
    settings: &AltTestSettings,
) -> AltTest {
    let columns: Vec<Column> = annotators.iter().map(|annotator| ratings.column(*annotator)).collect();
    let mut found: Vec<AltTestAnnotator> = (0..columns.len())
        .filter_map(|at| against(ratings, &columns, at, judge, settings))
        .map(|found| AltTestAnnotator { annotator: annotators[found.annotator], ..found })
        .collect();
    let p: Vec<f64> = found.iter().map(|found| found.p).collect();
    for (found, adjusted) in found.iter_mut().zip(benjamini_yekutieli(&p).unwrap_or_default()) {
        found.p_adjusted = adjusted;
        found.holds = adjusted <= settings.q;
    }
    let n = found.len() as u64;
    let missing = annotators.len() as u64 - n;
    if found.is_empty() {
        let (reason, says) = if annotators.len() < 2 {
            (Undefined::SingleAnnotator, "the test needs at least two annotators, better three")
        } else {
            (Undefined::NTooSmall, "no annotator has items enough that others labelled too")
        };
        let undefined = Estimate::undefined_because(reason, says, 0, missing);
        return AltTest {
            winning_rate: undefined.clone(),
            advantage_probability: undefined,
            annotators: found,
            passes: false,
        };
    }
    let rate = found.iter().filter(|found| found.holds).count() as f64 / n as f64;
    let advantage = found.iter().map(|found| found.advantage_of_judge).sum::<f64>() / n as f64;
    AltTest {
        winning_rate: Estimate::defined(rate, n, missing),
        advantage_probability: Estimate::defined(advantage, n, missing),
        annotators: found,
        passes: rate >= 0.5,
    }
}

fn against(
    ratings: &Ratings,
    columns: &[Column],
    annotator: usize,
    judge: &Column,
    settings: &AltTestSettings,
) -> Option<AltTestAnnotator> {
    let values = ratings.level_values();
    let value = |column: &Column, item: usize| column.level(item).map(|level| values[level as usize]);
    let (mut judge_wins, mut annotator_wins) = (Vec::new(), Vec::new());
    for item in 0..ratings.n_items() {
        let (Some(own), Some(judged)) = (value(&columns[annotator], item), value(judge, item)) else {
            continue;
        };
        let others: Vec<f64> = (0..columns.len())
            .filter(|other| *other != annotator)
            .filter_map(|other| value(&columns[other], item))
            .collect();
        if others.len() + 1 < settings.least_annotators.max(2) {
            continue;
        }
        let (of_judge, of_annotator) =
            (settings.alignment.of(judged, &others), settings.alignment.of(own, &others));
        judge_wins.push(f64::from(of_judge >= of_annotator));
        annotator_wins.push(f64::from(of_annotator >= of_judge));
    }
    let n = judge_wins.len();
    if n < settings.least_items.max(2) {
        return None;
    }
    let mean = |wins: &[f64]| wins.iter().sum::<f64>() / n as f64;
    let differences: Vec<f64> =
        annotator_wins.iter().zip(&judge_wins).map(|(own, judge)| own - judge).collect();
    let (p, without_variation) = less_than(&differences, settings.epsilon);
    Some(AltTestAnnotator {
        annotator,
        n,
        advantage_of_judge: mean(&judge_wins),
        advantage_of_annotator: mean(&annotator_wins),
        p,
        p_adjusted: p,
        holds: false,
        without_variation,
    })
}

impl Alignment {
    fn of(self, value: f64, others: &[f64]) -> f64 {
        let n = others.len() as f64;
        match self {
            Alignment::Accuracy => {
                others.iter().filter(|other| other.total_cmp(&value).is_eq()).count() as f64 / n
            }
            Alignment::NegativeRmse => {
                -(others.iter().map(|other| (value - other).powi(2)).sum::<f64>() / n).sqrt()
            }
        }
    }
}

/// One-sided p of the mean being below `bound` (Student's t), and whether there was no variation to test.
fn less_than(values: &[f64], bound: f64) -> (f64, bool) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let spread = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    if spread <= 0.0 {
        return (if mean < bound { 0.0 } else { 1.0 }, true);
    }
    let t = (mean - bound) / (spread / n.sqrt());
    // A setting that is no number must not make a judge pass.
    if t.is_nan() { (1.0, true) } else { (t_upper_tail(-t, n - 1.0), false) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::scale::Scale;

    #[test]
    fn one_annotator_cannot_be_replaced_by_comparison() {
        let ratings =
            Ratings::from_table(Scale::nominal(2).unwrap(), &vec![vec![Some(1.0), Some(1.0)]; 40]).unwrap();
        let found = alt_test(&ratings, &[0], &ratings.column(1), &AltTestSettings::default());
        assert_eq!(found.winning_rate.undefined(), Some(Undefined::SingleAnnotator));
        assert!(!found.passes);
    }

    #[test]
    fn a_judge_that_equals_everybody_passes_without_a_test() {
        let ratings = Ratings::from_table(Scale::nominal(2).unwrap(), &vec![vec![Some(1.0); 3]; 40]).unwrap();
        let found = alt_test(&ratings, &[0, 1], &ratings.column(2), &AltTestSettings::default());
        assert!(found.passes && found.annotators.iter().all(|found| found.without_variation));
    }
}
