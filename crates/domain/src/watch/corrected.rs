use super::Sums;
use agreement::{
    Estimate, Inference, Lambda, PassFail, ProportionInterval, Undefined, prediction_powered_mean,
    proportion, rogan_gladen,
};
use serde::{Deserialize, Serialize};

/// Resamples of a corrected rate: a page waits for them.
const RESAMPLES: u32 = 2_000;

/// What people and a judge said of the items of an anchor set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnchorPairs {
    /// The anchor set, `NAME@VERSION`.
    pub anchor_set: String,
    /// Whether people pass an item, and whether the judge does.
    pub passes: Vec<(bool, bool)>,
}

/// The pass rate of production as people would see it, from a judge's passes there and its errors on the anchor set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CorrectedRate {
    /// The judge, `NAME@VERSION`.
    pub judge: String,
    /// The anchor set that its errors were counted on.
    pub anchor_set: String,
    /// Items of the set that both people and the judge answered.
    pub items: u64,
    /// What the judge passes in production.
    pub observed: Estimate,
    /// By Rogan & Gladen: undoes the judge's errors as the anchor set counts them.
    pub rogan_gladen: Estimate,
    /// Prediction-powered: the rate of people on the anchor set, moved by what the judge sees in production.
    pub prediction_powered: Estimate,
}

impl CorrectedRate {
    /// Of the scores of one judge in production, and its answers on an anchor set.
    #[must_use]
    pub fn of(judge: &str, production: &Sums, anchor: &AnchorPairs) -> CorrectedRate {
        let mut counted = PassFail::default();
        for pair in &anchor.passes {
            *match pair {
                (true, true) => &mut counted.true_pass,
                (true, false) => &mut counted.false_fail,
                (false, false) => &mut counted.true_fail,
                (false, true) => &mut counted.false_pass,
            } += 1;
        }
        let (passed, decided) = (production.passed, production.decided);
        let inference = Inference::default().resamples(RESAMPLES);
        let as_number = |pass: bool| if pass { 1.0 } else { 0.0 };
        let people: Vec<f64> = anchor.passes.iter().map(|(people, _)| as_number(*people)).collect();
        let judged: Vec<f64> = anchor.passes.iter().map(|(_, judge)| as_number(*judge)).collect();
        let unlabelled: Vec<f64> = (0..decided).map(|at| as_number(at < passed)).collect();
        CorrectedRate {
            judge: judge.to_owned(),
            anchor_set: anchor.anchor_set.clone(),
            items: anchor.passes.len() as u64,
            observed: proportion(passed, decided, 0.95, ProportionInterval::Wilson, Undefined::NTooSmall),
            rogan_gladen: rogan_gladen(&counted, passed, decided, &inference).estimate,
            prediction_powered: prediction_powered_mean(
                &people,
                &judged,
                &unlabelled,
                Lambda::Tuned,
                &Inference::analytic(),
            ),
        }
    }
}
