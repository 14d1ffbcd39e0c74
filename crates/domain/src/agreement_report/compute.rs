//! From labels to figures.

use super::panel::{chance_agreement, panel};
use super::{
    AgreementReport, Alphas, AnnotatorSeverity, CoarseAlpha, CoarsePair, CriterionAgreement, PairAgreement,
    PairItem, PairItems, SelfAgreement, SliceAgreement,
};
use crate::observations::split_item;
use crate::{Criterion, HumanValue, Observations, Rubric, Scale, ScaleKind, SliceBy};
use agreement::{
    Estimate, Inference, Metric, Pairs, Ratings, Undefined, Weights, agreement_within, arithmetic_mean,
    exact_agreement, kappa, krippendorff_alpha, mean, mean_kappa,
};
use std::collections::BTreeMap;

impl AgreementReport {
    /// Computes the report. Items are matched by identity on the declared scale; intervals resample clusters.
    #[must_use]
    pub fn of(
        project: &str,
        rubric: &Rubric,
        observations: &Observations,
        only: Option<&str>,
        by: Option<SliceBy>,
    ) -> AgreementReport {
        let settings = format!("agreement {:?} {:?} {:?}", only, by, Inference::default());
        let criteria =
            rubric.criteria.iter().filter(|criterion| only.is_none_or(|only| criterion.id == only));
        AgreementReport {
            project: project.to_owned(),
            data_hash: observations.hash(rubric, &settings),
            criteria: criteria
                .filter_map(|criterion| of_criterion(rubric, criterion, observations, by))
                .collect(),
        }
    }
}

impl PairItems {
    /// Crosses two annotators on a criterion. `None` where the criterion has no labels of them on a scale with levels.
    #[must_use]
    pub fn of(
        rubric: &Rubric,
        observations: &Observations,
        criterion: &str,
        a: &str,
        b: &str,
    ) -> Option<PairItems> {
        let scale = rubric.scale_of(criterion)?;
        let labels = labels_on(observations, scale, criterion);
        let ratings = ratings_of(observations, &labels, scale.for_agreement().ok()?, Some);
        let (first, second) = (ratings.rater(a)?, ratings.rater(b)?);
        let pair = pair(
            &Both { fine: &ratings, coarse: coarse_ratings(observations, &labels, scale).as_ref() },
            first,
            second,
        );
        let levels = scale.level_names();
        let mut items: Vec<PairItem> = Vec::new();
        for (position, key) in ratings.items().iter().enumerate() {
            if let (Some(a), Some(b)) = (ratings.value(first, position), ratings.value(second, position)) {
                let (conversation, unit) = split_item(key);
                items.push(PairItem { conversation: conversation.to_owned(), unit: unit.to_owned(), a, b });
            }
        }
        let mut counts = vec![vec![0_u64; levels.len()]; levels.len()];
        let level = |value: f64| levels.iter().position(|level| (level.value - value).abs() < 1e-9);
        for item in &items {
            if let (Some(row), Some(column)) = (level(item.a), level(item.b)) {
                counts[row][column] += 1;
            }
        }
        let distance = |item: &PairItem| (item.a - item.b).abs();
        items.sort_by(|x, y| {
            distance(y)
                .total_cmp(&distance(x))
                .then_with(|| (&x.conversation, &x.unit).cmp(&(&y.conversation, &y.unit)))
        });
        Some(PairItems { criterion: criterion.to_owned(), agreement: pair, levels, counts, items })
    }
}

/// Labels of one criterion that take part in weights.
fn labels_on<'a>(observations: &'a Observations, scale: &Scale, criterion: &str) -> Vec<&'a HumanValue> {
    let mut labels: Vec<&HumanValue> = observations
        .labels
        .iter()
        .filter(|label| *label.criterion == *criterion && scale.is_applicable(label.value))
        .collect();
    // By name, so that the first of a pair is the first by name, whatever the order of reading.
    labels.sort_by(|x, y| x.annotator.cmp(&y.annotator));
    labels
}

fn ratings_of(
    observations: &Observations,
    labels: &[&HumanValue],
    scale: agreement::Scale,
    value_of: impl Fn(f64) -> Option<f64>,
) -> Ratings {
    let mut builder = Ratings::builder(scale);
    for label in labels {
        let item = observations.item(label.setting, &label.unit);
        // The store admits one label for each rater and item, on the scale; a row that is refused here could only be a defect there.
        let refused = builder.push(
            &label.annotator,
            &item,
            value_of(label.value),
            Some(observations.cluster(label.setting)),
        );
        debug_assert!(refused.is_ok(), "{refused:?}");
    }
    builder.build()
}

fn coarse_ratings(observations: &Observations, labels: &[&HumanValue], scale: &Scale) -> Option<Ratings> {
    Some(ratings_of(observations, labels, scale.coarse_for_agreement()?, |value| scale.coarsen(value)))
}

/// The same labels on the declared scale and on its coarser form.
struct Both<'a> {
    fine: &'a Ratings,
    coarse: Option<&'a Ratings>,
}

fn of_criterion(
    rubric: &Rubric,
    criterion: &Criterion,
    observations: &Observations,
    by: Option<SliceBy>,
) -> Option<CriterionAgreement> {
    let scale = rubric.scale(&criterion.scale)?;
    let all = observations.labels.iter().filter(|label| *label.criterion == *criterion.id).count() as u64;
    if all == 0 {
        return None;
    }
    let labels = labels_on(observations, scale, &criterion.id);
    let fine = ratings_of(observations, &labels, scale.for_agreement().ok()?, Some);
    let coarse = coarse_ratings(observations, &labels, scale);
    let both = Both { fine: &fine, coarse: coarse.as_ref() };
    Some(CriterionAgreement {
        id: criterion.id.clone(),
        component: criterion.component,
        scale: scale.id.clone(),
        labels: all,
        shared_items: (0..fine.n_items()).filter(|item| raters_of(&fine, *item) > 1).count() as u64,
        alpha: alphas(&fine),
        panel: panel(&fine),
        chance: chance_agreement(&fine, scale),
        coarse: coarse.as_ref().map(|coarse| CoarseAlpha {
            alpha_nominal: krippendorff_alpha(coarse, Metric::Nominal, &inference()),
            alpha_ordinal: krippendorff_alpha(coarse, Metric::Ordinal, &inference()),
            panel: panel(coarse),
        }),
        pairs: pairs(&both),
        annotators: severities(observations, &fine, scale, &criterion.id),
        slices: by.map(|by| slices(observations, &labels, scale, by)).unwrap_or_default(),
        trend: trend(observations, &labels, scale),
    })
}

/// The default of every figure: BCa by cluster.
fn inference() -> Inference {
    Inference::default()
}

fn raters_of(ratings: &Ratings, item: usize) -> usize {
    (0..ratings.raters().len()).filter(|rater| ratings.value(*rater, item).is_some()).count()
}

fn alphas(ratings: &Ratings) -> Alphas {
    let alpha = |metric| krippendorff_alpha(ratings, metric, &inference());
    Alphas {
        nominal: alpha(Metric::Nominal),
        ordinal: alpha(Metric::Ordinal),
        interval: alpha(Metric::Interval),
        ratio: alpha(Metric::Ratio),
    }
}

fn pairs(both: &Both<'_>) -> Vec<PairAgreement> {
    let raters = both.fine.raters().len();
    let all = (0..raters).flat_map(|a| (a + 1..raters).map(move |b| (a, b)));
    all.map(|(a, b)| pair(both, a, b)).filter(|pair| pair.n > 0).collect()
}

fn pair(both: &Both<'_>, a: usize, b: usize) -> PairAgreement {
    let name = |rater: usize| both.fine.raters()[rater].clone();
    let matched = both.fine.pair(a, b);
    let weighted = |weights: &Weights| kappa(&matched, weights, &inference());
    PairAgreement {
        a: name(a),
        b: name(b),
        n: matched.n() as u64,
        quadratic: weighted(&Weights::quadratic()),
        linear: weighted(&Weights::linear()),
        unweighted: weighted(&Weights::Unweighted),
        exact: exact_agreement(&matched, &inference()),
        within_one: agreement_within(&matched, 1.0, &inference()),
        coarse: both.coarse.and_then(|coarse| {
            Some(coarse_pair(&coarse.pair(coarse.rater(&name(a))?, coarse.rater(&name(b))?)))
        }),
    }
}

fn coarse_pair(matched: &Pairs) -> CoarsePair {
    CoarsePair {
        quadratic: kappa(matched, &Weights::quadratic(), &inference()),
        unweighted: kappa(matched, &Weights::Unweighted, &inference()),
        exact: exact_agreement(matched, &inference()),
    }
}

fn severities(
    observations: &Observations,
    ratings: &Ratings,
    scale: &Scale,
    criterion: &str,
) -> Vec<AnnotatorSeverity> {
    let of = |rater: usize| {
        let mine: Vec<(usize, f64)> =
            (0..ratings.n_items()).filter_map(|item| Some((item, ratings.value(rater, item)?))).collect();
        let by_level =
            |level: f64| mine.iter().filter(|(_, value)| (value - level).abs() < 1e-9).count() as u64;
        AnnotatorSeverity {
            annotator: ratings.raters()[rater].clone(),
            labels: mine.len() as u64,
            mean: arithmetic_mean(&mine.iter().map(|(_, value)| *value).collect::<Vec<_>>()).unwrap_or(0.0),
            by_level: scale.applicable().map(|level| by_level(level.value)).collect(),
            severity: severity(ratings, rater, &mine),
            own: self_agreement(observations, &ratings.raters()[rater], scale, criterion),
        }
    };
    (0..ratings.raters().len()).map(of).collect()
}

/// Own value minus the mean of the others' on the same item, on average over the items that others labelled too.
fn severity(ratings: &Ratings, rater: usize, mine: &[(usize, f64)]) -> Estimate {
    let (mut differences, mut clusters) = (Vec::new(), Vec::new());
    for &(item, value) in mine {
        let others: Vec<f64> = (0..ratings.raters().len())
            .filter(|other| *other != rater)
            .filter_map(|other| ratings.value(other, item))
            .collect();
        if let Some(mean) = arithmetic_mean(&others) {
            differences.push(Some(value - mean));
            let cluster = ratings.cluster_of(item).and_then(|cluster| u32::try_from(cluster).ok());
            clusters.push(cluster.unwrap_or(u32::MAX));
        }
    }
    if differences.is_empty() {
        let says = "nobody else labelled an item of this annotator";
        return Estimate::undefined_because(Undefined::SingleAnnotator, says, 0, 0);
    }
    mean(&differences, &clusters, &inference())
}

/// What an annotator said of the same items twice, crossed; `None` where nothing came again.
fn self_agreement(
    observations: &Observations,
    annotator: &str,
    scale: &Scale,
    criterion: &str,
) -> Option<SelfAgreement> {
    let is_own = |label: &&HumanValue| {
        *label.annotator == *annotator && *label.criterion == *criterion && scale.is_applicable(label.value)
    };
    let mut builder = Ratings::builder(scale.for_agreement().ok()?);
    for (pass, said) in [("first", &observations.labels), ("again", &observations.repeats)] {
        for label in said.iter().filter(is_own) {
            let item = observations.item(label.setting, &label.unit);
            let cluster = Some(observations.cluster(label.setting));
            // As in `ratings_of`.
            let refused = builder.push(pass, &item, Some(label.value), cluster);
            debug_assert!(refused.is_ok(), "{refused:?}");
        }
    }
    let ratings = builder.build();
    let pair = ratings.pair(ratings.rater("first")?, ratings.rater("again")?);
    let weights = if scale.kind == ScaleKind::Nominal { Weights::Unweighted } else { Weights::quadratic() };
    (pair.n() > 0).then(|| SelfAgreement {
        kappa: kappa(&pair, &weights, &inference()),
        exact: exact_agreement(&pair, &inference()),
    })
}

/// Most periods that a trend shows: the last ones.
const PERIODS: usize = 24;

/// Agreement by when conversations were labelled last; nothing where that was within one period.
fn trend(observations: &Observations, labels: &[&HumanValue], scale: &Scale) -> Vec<SliceAgreement> {
    let Ok(declared) = scale.for_agreement() else { return Vec::new() };
    let mut groups: BTreeMap<&str, Vec<&HumanValue>> = BTreeMap::new();
    for label in labels {
        if let Some(Some(period)) = observations.periods.get(label.setting as usize) {
            groups.entry(period).or_default().push(label);
        }
    }
    if groups.len() < 2 {
        return Vec::new();
    }
    let beyond = groups.len().saturating_sub(PERIODS);
    let of = |(period, labels): (&str, Vec<&HumanValue>)| {
        let ratings = ratings_of(observations, &labels, declared.clone(), Some);
        slice("period", period, labels.len(), &ratings)
    };
    groups.into_iter().skip(beyond).map(of).collect()
}

fn slices(
    observations: &Observations,
    labels: &[&HumanValue],
    scale: &Scale,
    by: SliceBy,
) -> Vec<SliceAgreement> {
    let Ok(declared) = scale.for_agreement() else { return Vec::new() };
    if by == SliceBy::Annotator {
        return annotator_slices(observations, labels, &declared);
    }
    let mut groups: BTreeMap<&str, Vec<&HumanValue>> = BTreeMap::new();
    for label in labels {
        let value = observations.settings.get(label.setting as usize).and_then(|setting| by.of(setting));
        groups.entry(value.map_or("", |value| value)).or_default().push(label);
    }
    groups
        .into_iter()
        .map(|(value, labels)| {
            slice(by.word(), value, labels.len(), &ratings_of(observations, &labels, declared.clone(), Some))
        })
        .collect()
}

/// An annotator's slice: the items that this annotator labelled, and the pairs that this annotator is in.
fn annotator_slices(
    observations: &Observations,
    labels: &[&HumanValue],
    scale: &agreement::Scale,
) -> Vec<SliceAgreement> {
    let ratings = ratings_of(observations, labels, scale.clone(), Some);
    let of = |rater: usize| {
        let own = ratings.filter_items(|item, _| ratings.value(rater, item).is_some());
        let name = ratings.raters()[rater].as_str();
        let others = own.rater(name).map_or_else(Vec::new, |me| {
            (0..own.raters().len()).filter(|other| *other != me).map(|other| (me, other)).collect()
        });
        let n = (0..ratings.n_items()).filter(|item| ratings.value(rater, *item).is_some()).count();
        SliceAgreement {
            by: SliceBy::Annotator.word().to_owned(),
            value: name.to_owned(),
            labels: n as u64,
            alpha: alphas(&own),
            mean_quadratic: mean_kappa(&own, &others, &Weights::quadratic(), &Inference::analytic()),
        }
    };
    (0..ratings.raters().len()).map(of).collect()
}

fn slice(by: &str, value: &str, labels: usize, ratings: &Ratings) -> SliceAgreement {
    let raters = ratings.raters().len();
    let pairs: Vec<(usize, usize)> = (0..raters).flat_map(|a| (a + 1..raters).map(move |b| (a, b))).collect();
    SliceAgreement {
        by: by.to_owned(),
        value: value.to_owned(),
        labels: labels as u64,
        alpha: alphas(ratings),
        mean_quadratic: mean_kappa(ratings, &pairs, &Weights::quadratic(), &Inference::analytic()),
    }
}
