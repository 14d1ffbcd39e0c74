//! All annotators together, beside α.

use super::{ChanceAgreement, LevelName, Panel};
use crate::Scale;
use agreement::{
    Chance, Estimate, IccForm, Inference, Ratings, Weights, chance_corrected, icc, pairwise_agreement,
};

/// The measures of all annotators, with intervals that need no resampling.
pub(super) fn panel(ratings: &Ratings) -> Panel {
    let inference = Inference::analytic();
    let corrected =
        |chance, weights: &Weights| chance_corrected(ratings, chance, weights, &inference).estimate;
    Panel {
        fleiss: corrected(Chance::Fleiss, &Weights::Unweighted),
        ac1: corrected(Chance::Gwet, &Weights::Unweighted),
        ac2: corrected(Chance::Gwet, &Weights::quadratic()),
        icc: icc(ratings, IccForm::AgreementSingle, inference.confidence).estimate,
        exact: pairwise_agreement(ratings, 0.0, &inference),
        within_one: within_one(ratings, &inference),
    }
}

/// Levels without an order have no neighbours.
fn within_one(ratings: &Ratings, inference: &Inference) -> Estimate {
    if ratings.scale().is_ordered() {
        return pairwise_agreement(ratings, 1.0, inference);
    }
    let says = "the levels of a nominal scale have no neighbours";
    Estimate::undefined_because(agreement::Undefined::ScaleMismatch, says, 0, ratings.n_items() as u64)
}

/// How much of the agreement chance would give; `None` where nothing was labelled twice, or on a scale without levels.
pub(super) fn chance_agreement(ratings: &Ratings, scale: &Scale) -> Option<ChanceAgreement> {
    let fleiss = chance_corrected(ratings, Chance::Fleiss, &Weights::Unweighted, &Inference::value_only());
    let (observed, expected, kappa) = (fleiss.observed?, fleiss.expected?, fleiss.estimate.value()?);
    let values: Vec<f64> = (0..ratings.n_items())
        .flat_map(|item| (0..ratings.raters().len()).filter_map(move |rater| ratings.value(rater, item)))
        .collect();
    let uses = |level: f64| values.iter().filter(|value| (**value - level).abs() < 1e-9).count();
    let commonest = scale.applicable().max_by_key(|level| uses(level.value))?;
    Some(ChanceAgreement {
        observed,
        expected,
        kappa,
        commonest: LevelName { value: commonest.value, name: commonest.name.clone() },
        share: uses(commonest.value) as f64 / values.len() as f64,
    })
}
