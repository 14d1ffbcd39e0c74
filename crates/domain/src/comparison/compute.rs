//! From labels and verdicts to figures.

use super::{Comparison, CriterionComparison, Delta, JudgeFigures, ReferenceSource};
use crate::{Criterion, FailureKind, JudgeValue, Observations, Rubric, Scale};
use agreement::{
    Column, Estimate, Family, Inference, Judge, Metric, Pairing, Pairs, Ratings, Rule, Studentised,
    Undefined, Weights, arithmetic_mean, bias, compare_family, exact_agreement, holm, krippendorff_alpha,
    mean_absolute_error, median, permutation_test, reference_column,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

impl Comparison {
    /// Compares every judge in `observations` with the references that `source` makes of the labels in it.
    #[must_use]
    pub fn of(
        project: &str,
        rubric: &Rubric,
        observations: &Observations,
        source: ReferenceSource,
        incumbent: Option<&str>,
    ) -> Comparison {
        let settings = format!("comparison {source:?} {incumbent:?} {:?}", Inference::default());
        // No rule makes the references of the others that the ceiling needs from decisions: there the median stands for it.
        let decided = observations.references.is_some().then_some(Rule::Median);
        let criteria = match source.rule.from_labels().or(decided) {
            Some(rule) => rubric
                .criteria
                .iter()
                .filter_map(|c| of_criterion(rubric, c, observations, rule, incumbent))
                .collect(),
            None => Vec::new(),
        };
        Comparison {
            project: project.to_owned(),
            data_hash: observations.hash(rubric, &settings),
            reference: source,
            incumbent: incumbent.map(str::to_owned),
            opening: None,
            criteria,
        }
    }
}

/// Everything of one criterion, matched by item: people and each repeat of each judge are columns over the same items.
struct Table<'a> {
    ratings: Ratings,
    people: Vec<usize>,
    reference: Column,
    judges: Vec<JudgeRows<'a>>,
    /// Position of each verdict's item, by (conversation, unit).
    positions: HashMap<(u32, &'a str), usize>,
}

/// One judge's verdicts on the criterion.
struct JudgeRows<'a> {
    name: &'a str,
    verdicts: Vec<&'a JudgeValue>,
    columns: Judge,
}

/// No annotator's name begins like this: names have no control characters.
const JUDGE: char = '\u{1d}';

/// The frozen references of an anchor set, as one more rater.
const FROZEN: char = '\u{1c}';

impl<'a> Table<'a> {
    fn new(observations: &'a Observations, criterion: &str, scale: &Scale, rule: Rule) -> Option<Table<'a>> {
        let mut builder = Ratings::builder(scale.for_agreement().ok()?);
        let applicable = |value: f64| scale.is_applicable(value).then_some(value);
        let mut people = BTreeSet::new();
        for label in observations.labels.iter().filter(|label| *label.criterion == *criterion) {
            let Some(value) = applicable(label.value) else { continue };
            let item = observations.item(label.setting, &label.unit);
            let refused =
                builder.push(&label.annotator, &item, Some(value), Some(observations.cluster(label.setting)));
            debug_assert!(refused.is_ok(), "{refused:?}");
            people.insert(&*label.annotator);
        }
        let frozen = observations.references.iter().flatten();
        for reference in frozen.filter(|reference| *reference.criterion == *criterion) {
            let item = observations.item(reference.setting, &reference.unit);
            let cluster = observations.cluster(reference.setting);
            let refused =
                builder.push(&FROZEN.to_string(), &item, applicable(reference.value), Some(cluster));
            debug_assert!(refused.is_ok(), "{refused:?}");
        }
        let mut by_judge: BTreeMap<&str, Vec<&JudgeValue>> = BTreeMap::new();
        for verdict in observations.verdicts.iter().filter(|verdict| *verdict.criterion == *criterion) {
            let item = observations.item(verdict.setting, &verdict.unit);
            let value = verdict.outcome.ok().and_then(applicable);
            let rater = rater_name(&verdict.judge, verdict.repeat);
            let refused = builder.push(&rater, &item, value, Some(observations.cluster(verdict.setting)));
            debug_assert!(refused.is_ok(), "{refused:?}");
            by_judge.entry(&verdict.judge).or_default().push(verdict);
        }
        let ratings = builder.build();
        let by_name: HashMap<&str, usize> =
            ratings.items().iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        let positions = by_judge.values().flatten().filter_map(|verdict| {
            let position = by_name.get(observations.item(verdict.setting, &verdict.unit).as_str())?;
            Some(((verdict.setting, &*verdict.unit), *position))
        });
        let positions = positions.collect();
        let people: Vec<usize> = people.into_iter().filter_map(|name| ratings.rater(name)).collect();
        let reference = match &observations.references {
            None => reference_column(&ratings, &people, rule),
            Some(_) => ratings
                .rater(&FROZEN.to_string())
                .map_or_else(|| Column::absent(ratings.n_items()), |rater| ratings.column(rater)),
        };
        let judges = by_judge
            .into_iter()
            .map(|(name, verdicts)| JudgeRows::new(&ratings, &reference, name, verdicts))
            .collect();
        Some(Table { ratings, people, reference, judges, positions })
    }

    fn position_of(&self, verdict: &JudgeValue) -> Option<usize> {
        self.positions.get(&(verdict.setting, &*verdict.unit)).copied()
    }
}

fn rater_name(judge: &str, repeat: u32) -> String {
    format!("{JUDGE}{judge}{JUDGE}{repeat}")
}

impl<'a> JudgeRows<'a> {
    fn new(
        ratings: &Ratings,
        reference: &Column,
        name: &'a str,
        verdicts: Vec<&'a JudgeValue>,
    ) -> JudgeRows<'a> {
        let repeats: BTreeSet<u32> = verdicts.iter().map(|verdict| verdict.repeat).collect();
        let column = |repeat: &u32| {
            let mut column = ratings
                .rater(&rater_name(name, *repeat))
                .map_or_else(|| Column::absent(ratings.n_items()), |r| ratings.column(r));
            // An item that has a reference and no verdict at all is a verdict that is missing, not one that nobody asked for.
            for item in 0..ratings.n_items() {
                if reference.level(item).is_some() && !column.was_asked(item) {
                    column.set(item, None);
                }
            }
            column
        };
        let columns = Judge::repeated(repeats.iter().map(column).collect());
        JudgeRows { name, verdicts, columns }
    }
}

fn of_criterion(
    rubric: &Rubric,
    criterion: &Criterion,
    observations: &Observations,
    rule: Rule,
    incumbent: Option<&str>,
) -> Option<CriterionComparison> {
    let scale = rubric.scale(&criterion.scale)?;
    let table = Table::new(observations, &criterion.id, scale, rule)?;
    if table.judges.is_empty() || table.reference.answered() == 0 {
        return None;
    }
    let judges: Vec<Judge> = table.judges.iter().map(|judge| judge.columns.clone()).collect();
    let incumbent = incumbent.and_then(|name| table.judges.iter().position(|judge| judge.name == name));
    let pairing = incumbent.map_or(Pairing::None, Pairing::Against);
    let family = |weights: Weights, pairing| {
        compare_family(&table.ratings, &table.reference, &judges, pairing, &weights, &Inference::default())
    };
    let quadratic = family(Weights::quadratic(), pairing);
    let linear = family(Weights::linear(), Pairing::None);
    let unweighted = family(Weights::Unweighted, Pairing::None);
    let deltas = deltas(&table, &judges, &quadratic);
    let mut ceilings = Ceilings { table: &table, rule, known: HashMap::new() };
    let mut figures: Vec<JudgeFigures> = (0..judges.len())
        .map(|position| JudgeFigures {
            quadratic: quadratic.kappas[position].clone(),
            linear: linear.kappas[position].clone(),
            unweighted: unweighted.kappas[position].clone(),
            ceiling: ceilings.on(&judges[position]),
            delta: deltas.iter().find(|(of, _)| *of == position).map(|(_, delta)| delta.clone()),
            ..figures_of(&table, &table.judges[position])
        })
        .collect();
    let kappa = |figures: &JudgeFigures| figures.quadratic.value().unwrap_or(f64::NEG_INFINITY);
    figures.sort_by(|x, y| kappa(y).total_cmp(&kappa(x)).then_with(|| x.judge.cmp(&y.judge)));
    let with_reference = |item: &usize| table.reference.level(*item).is_some();
    let clusters: BTreeSet<Option<usize>> = (0..table.ratings.n_items())
        .filter(with_reference)
        .map(|item| table.ratings.cluster_of(item))
        .collect();
    Some(CriterionComparison {
        id: criterion.id.clone(),
        references: table.reference.answered() as u64,
        without_reference: (0..table.ratings.n_items())
            .filter(|item| table.reference.was_asked(*item) && table.reference.level(*item).is_none())
            .count() as u64,
        clusters: clusters.len() as u64,
        judges: figures,
    })
}

/// The differences to the incumbent, with p adjusted over the family of those that have one.
fn deltas(table: &Table<'_>, judges: &[Judge], family: &Family) -> Vec<(usize, Delta)> {
    let tested: Vec<Option<f64>> =
        family.comparisons.iter().map(|comparison| p_of(table, judges, comparison)).collect();
    let p: Vec<f64> = tested.iter().copied().flatten().collect();
    let mut adjusted = holm(&p).unwrap_or_default().into_iter();
    family
        .comparisons
        .iter()
        .zip(tested)
        .map(|(comparison, p)| {
            let delta = Delta {
                against: table.judges[comparison.b].name.to_owned(),
                quadratic: comparison.difference.clone(),
                p,
                p_holm: p.and_then(|_| adjusted.next()),
            };
            (comparison.a, delta)
        })
        .collect()
}

/// By permutation of the two judges within clusters, studentised; where the two ran a different number of times they cannot be
/// swapped, and p is that of the paired z test.
fn p_of(table: &Table<'_>, judges: &[Judge], comparison: &agreement::Comparison) -> Option<f64> {
    let resampling = Inference::default().resampling;
    let test = permutation_test(
        &table.ratings,
        &table.reference,
        &judges[comparison.a],
        &judges[comparison.b],
        &Weights::quadratic(),
        Studentised::Yes,
        &resampling,
    );
    test.map_or(comparison.p, |test| Some(test.p))
}

/// All figures of a judge but κ and ceiling, which are computed for the whole family at once.
fn figures_of(table: &Table<'_>, judge: &JudgeRows<'_>) -> JudgeFigures {
    let pairs: Vec<Pairs> = judge
        .columns
        .repeats()
        .iter()
        .map(|column| table.ratings.matched(&table.reference, column))
        .collect();
    let mean = |figure: fn(&Pairs, &Inference) -> Estimate| {
        mean_over_repeats(pairs.iter().map(|pairs| figure(pairs, &Inference::default())).collect())
    };
    // What nobody answered carries no model version: it makes no mixture.
    let valued = judge.verdicts.iter().filter(|verdict| verdict.outcome.is_ok());
    let fingerprints: BTreeSet<&str> = valued.map(|verdict| &*verdict.fingerprint).collect();
    let with_reference =
        || (0..table.ratings.n_items()).filter(|item| table.reference.level(*item).is_some());
    let answered = with_reference().filter(|item| judge.columns.answered(*item)).count() as u64;
    let placeholder = Estimate::undefined_because(Undefined::NoLabels, "not computed", 0, 0);
    JudgeFigures {
        judge: judge.name.to_owned(),
        fingerprint: if fingerprints.len() == 1 {
            fingerprints.first().map(|&one| one.to_owned())
        } else {
            None
        },
        mixed: fingerprints.len() > 1,
        n: answered,
        failures: with_reference().count() as u64 - answered,
        failures_by_kind: failures_by_kind(table, judge),
        ceiling: placeholder.clone(),
        quadratic: placeholder.clone(),
        linear: placeholder.clone(),
        unweighted: placeholder,
        alpha_ordinal: mean_over_repeats(
            judge.columns.repeats().iter().map(|column| alpha_ordinal(table, column)).collect(),
        ),
        bias: mean(bias),
        mae: mean(mean_absolute_error),
        exact: mean(exact_agreement),
        repeats: u32::try_from(judge.columns.repeats().len()).unwrap_or(u32::MAX),
        cost_per_1000: arithmetic_mean(&of_verdicts(judge, |verdict| verdict.cost_usd))
            .map(|cost| 1000.0 * cost),
        latency_p50_ms: median(&of_verdicts(judge, |verdict| verdict.latency_ms)),
        delta: None,
    }
}

/// The items with a reference for which no repeat has a value, by what the first verdict on each says.
fn failures_by_kind(table: &Table<'_>, judge: &JudgeRows<'_>) -> Vec<(FailureKind, u64)> {
    let mut kinds: BTreeMap<usize, FailureKind> = BTreeMap::new();
    for verdict in &judge.verdicts {
        if let (Err(kind), Some(item)) = (verdict.outcome, table.position_of(verdict)) {
            kinds.entry(item).or_insert(kind);
        }
    }
    let failed = |item: &usize| table.reference.level(*item).is_some() && !judge.columns.answered(*item);
    let mut counts: BTreeMap<FailureKind, u64> = BTreeMap::new();
    for item in (0..table.ratings.n_items()).filter(failed) {
        *counts.entry(kinds.get(&item).copied().unwrap_or(FailureKind::Missing)).or_default() += 1;
    }
    counts.into_iter().collect()
}

/// Reference and judge as two raters.
fn alpha_ordinal(table: &Table<'_>, column: &Column) -> Estimate {
    let mut builder = Ratings::builder(table.ratings.scale().clone());
    let value = |column: &Column, item: usize| {
        column.level(item).and_then(|level| table.ratings.level_values().get(level as usize).copied())
    };
    for (item, name) in table.ratings.items().iter().enumerate() {
        let cluster = table
            .ratings
            .cluster_of(item)
            .and_then(|cluster| table.ratings.clusters().get(cluster))
            .map(String::as_str);
        if let (Some(human), Some(judge)) = (value(&table.reference, item), value(column, item)) {
            for (rater, value) in [("reference", human), ("judge", judge)] {
                let refused = builder.push(rater, name, Some(value), cluster);
                debug_assert!(refused.is_ok(), "{refused:?}");
            }
        }
    }
    krippendorff_alpha(&builder.build(), Metric::Ordinal, &Inference::default())
}

/// A figure over repeats is the mean of the repeats' figures; of one repeat it is that one, with its interval.
fn mean_over_repeats(mut figures: Vec<Estimate>) -> Estimate {
    if figures.len() == 1 {
        return figures.remove(0);
    }
    let values: Vec<f64> = figures.iter().filter_map(Estimate::value).collect();
    match figures.first().zip(arithmetic_mean(&values)) {
        Some((first, mean)) if values.len() == figures.len() => {
            Estimate::defined(mean, first.n(), first.missing())
        }
        _ => {
            let undefined = figures.into_iter().find(|figure| figure.value().is_none());
            undefined.unwrap_or_else(|| {
                Estimate::undefined_because(Undefined::NoLabels, "there is no verdict", 0, 0)
            })
        }
    }
}

/// What the verdicts of a judge that have it say of themselves.
fn of_verdicts(judge: &JudgeRows<'_>, of: impl Fn(&JudgeValue) -> Option<f64>) -> Vec<f64> {
    judge.verdicts.iter().filter_map(|verdict| of(verdict)).collect()
}

/// The ceilings, each on the items that a judge answered; judges that answered the same items share one.
struct Ceilings<'a> {
    table: &'a Table<'a>,
    rule: Rule,
    known: HashMap<Vec<bool>, Estimate>,
}

impl Ceilings<'_> {
    fn on(&mut self, judge: &Judge) -> Estimate {
        let ratings = &self.table.ratings;
        let answered: Vec<bool> = (0..ratings.n_items()).map(|item| judge.answered(item)).collect();
        let mut on = Column::absent(ratings.n_items());
        for (item, _) in answered.iter().enumerate().filter(|(_, answered)| **answered) {
            on.set(item, Some(0));
        }
        let compute = || {
            let people = &self.table.people;
            agreement::ceiling(
                ratings,
                people,
                self.rule,
                &Weights::quadratic(),
                Some(&on),
                &Inference::default(),
            )
        };
        self.known.entry(answered).or_insert_with(compute).clone()
    }
}
