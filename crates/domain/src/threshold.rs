use crate::{ContentHash, Observations, ReferenceSource, References, Rubric};
use agreement::{
    Estimate, Inference, Pairs, Ratings, ThresholdPoint, Weights, best_threshold, kappa, threshold_point,
    threshold_sweep,
};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

/// Where a judge's pass threshold on a criterion could stand, with the evidence. A judge that scores higher or lower than the one before
/// it passes other answers at the same threshold; the proposal is the threshold at which it passes what people pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ThresholdProposal {
    /// Id of the criterion.
    pub criterion: String,
    /// The judge, as reports name it.
    pub judge: String,
    /// Fingerprint of its verdicts.
    pub fingerprint: String,
    /// Where the human values come from.
    pub reference: ReferenceSource,
    /// Hash of the references and verdicts that the sweep is of.
    pub data_hash: ContentHash,
    /// People pass from here on: the pass level of the scale.
    pub pass_level: f64,
    /// The threshold that counts now.
    pub before: ThresholdPoint,
    /// The proposed one.
    pub proposed: ThresholdPoint,
    /// Every threshold that was tried, lowest first.
    pub sweep: Vec<ThresholdPoint>,
    /// κ of passing at each of them with its analytic interval by cluster; empty where it was kept before there were any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kappas: Vec<Estimate>,
}

/// A threshold that was accepted for one instrument on one criterion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AcceptedThreshold {
    /// Identity.
    pub id: String,
    /// Id of the criterion.
    pub criterion: String,
    /// Name of the judge.
    pub judge: String,
    /// Its version.
    pub version: String,
    /// The instrument that it holds for, and for no other.
    pub fingerprint: String,
    /// The threshold before.
    pub before: f64,
    /// The threshold since.
    pub threshold: f64,
    /// Hash of the references and verdicts that it was proposed on.
    pub data_hash: ContentHash,
    /// Why it was accepted.
    pub reason: String,
    /// Name of who accepted it; absent for whoever holds the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When, in UTC.
    #[serde(with = "time::serde::rfc3339")]
    pub at: time::OffsetDateTime,
}

/// Why no threshold can be proposed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoThreshold {
    /// The rubric has no such criterion.
    #[error("the rubric has no criterion `{0}`")]
    Criterion(String),
    /// People pass nothing and everything alike.
    #[error("the scale `{0}` has no pass level: declare `relevant_from` in the rubric")]
    PassLevel(String),
    /// Nothing to sweep over.
    #[error("the judge has no valid verdict on an item with a reference")]
    NoVerdict,
    /// The verdicts are of more than one instrument.
    #[error("the verdicts have more than one fingerprint: a threshold holds for one instrument")]
    Mixed,
    /// No threshold agrees with people better than chance can tell.
    #[error(
        "on these items people pass everything or nothing, or the judge does: no threshold can be told from another"
    )]
    NoVariation,
}

/// What a person and a judge say of one item in one repeat, and the conversation that it is of.
struct Both {
    setting: u32,
    person: f64,
    judge: f64,
}

/// What people or a judge say of items, one after another.
type Answers = Vec<Option<f64>>;

impl ThresholdProposal {
    /// Sweeps the thresholds of the one judge whose verdicts are in `observations`. `before` is the threshold that counts now; the pass
    /// level of the scale where absent.
    ///
    /// # Errors
    /// [`NoThreshold`].
    pub fn of(
        rubric: &Rubric,
        observations: &Observations,
        reference: ReferenceSource,
        criterion: &str,
        judge: &str,
        before: Option<f64>,
    ) -> Result<ThresholdProposal, NoThreshold> {
        let scale = rubric.scale_of(criterion).ok_or_else(|| NoThreshold::Criterion(criterion.to_owned()))?;
        let pass_level = scale.relevant_from.ok_or_else(|| NoThreshold::PassLevel(scale.id.clone()))?;
        let verdicts = || {
            observations
                .verdicts
                .iter()
                .filter(|verdict| *verdict.judge == *judge && *verdict.criterion == *criterion)
        };
        let fingerprint = verdicts().next().ok_or(NoThreshold::NoVerdict)?.fingerprint.to_string();
        if verdicts().any(|verdict| *verdict.fingerprint != *fingerprint) {
            return Err(NoThreshold::Mixed);
        }
        let people = reference_values(rubric, observations, &reference, criterion);
        let mut repeats: BTreeMap<u32, (Answers, Answers)> = BTreeMap::new();
        let mut both = Vec::new();
        for verdict in verdicts() {
            let Some(person) = people.get(&(verdict.setting, verdict.unit.clone())) else { continue };
            let (persons, values) = repeats.entry(verdict.repeat).or_default();
            let person = scale.is_applicable(*person).then_some(*person);
            let judge = verdict.outcome.ok().filter(|value| scale.is_applicable(*value));
            if let (Some(person), Some(judge)) = (person, judge) {
                both.push(Both { setting: verdict.setting, person, judge });
            }
            persons.push(person);
            values.push(judge);
        }
        let pairs: Vec<Pairs> = repeats
            .into_values()
            .filter_map(|(persons, values)| {
                Pairs::from_values(scale.for_agreement().ok()?, &persons, &values).ok()
            })
            .collect();
        let sweep = threshold_sweep(&pairs, pass_level);
        let before = threshold_point(&pairs, pass_level, before.unwrap_or(pass_level))
            .ok_or(NoThreshold::NoVerdict)?;
        let proposed = *best_threshold(&sweep).ok_or(NoThreshold::NoVariation)?;
        let kappas = sweep
            .iter()
            .map(|point| kappa_of_passing(observations, &both, pass_level, point.threshold))
            .collect();
        let settings = format!("threshold {reference:?} {criterion} {judge}");
        Ok(ThresholdProposal {
            criterion: criterion.to_owned(),
            judge: judge.to_owned(),
            fingerprint,
            data_hash: observations.hash(rubric, &settings),
            reference,
            pass_level,
            before,
            proposed,
            sweep,
            kappas,
        })
    }
}

/// κ of whether people and the judge pass an answer. Repeats of one item and items of one conversation fall into its cluster, so that they
/// are not taken for independent.
fn kappa_of_passing(observations: &Observations, both: &[Both], pass_level: f64, threshold: f64) -> Estimate {
    let Ok(scale) = agreement::Scale::ordinal([0.0, 1.0]) else {
        let (reason, says) = (agreement::Undefined::ScaleMismatch, "passing and failing are no scale");
        return Estimate::undefined_because(reason, says, both.len() as u64, 0);
    };
    let mut builder = Ratings::builder(scale);
    for (number, Both { setting, person, judge }) in both.iter().enumerate() {
        let (item, cluster) = (number.to_string(), observations.cluster(*setting));
        let passes = |value: f64, from: f64| Some(f64::from(u8::from(value >= from - SNAP)));
        let pushed = builder
            .push("people", &item, passes(*person, pass_level), Some(cluster))
            .and_then(|()| builder.push("judge", &item, passes(*judge, threshold), Some(cluster)));
        debug_assert!(pushed.is_ok(), "{pushed:?}");
    }
    let ratings = builder.build();
    kappa(&ratings.pair(0, 1), &Weights::Unweighted, &Inference::analytic())
}

/// As near to a threshold counts as at it.
const SNAP: f64 = 1e-9;

/// The agreed value of each item of a criterion: what is frozen or decided, or else what the rule makes of the labels.
fn reference_values(
    rubric: &Rubric,
    observations: &Observations,
    source: &ReferenceSource,
    criterion: &str,
) -> HashMap<(u32, Arc<str>), f64> {
    match &observations.references {
        Some(frozen) => {
            let of_criterion = frozen.iter().filter(|reference| *reference.criterion == *criterion);
            of_criterion.map(|frozen| ((frozen.setting, frozen.unit.clone()), frozen.value)).collect()
        }
        None => {
            let built = References::of(rubric, observations, source).items.into_iter();
            let of_criterion = built.filter(|reference| *reference.criterion == *criterion);
            of_criterion.map(|built| ((built.setting, built.unit), built.value)).collect()
        }
    }
}
