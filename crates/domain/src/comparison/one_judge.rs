//! All figures of one judge.

use super::{
    AltTestFigures, JudgeFigures, PassFailFigures, Stability,
    families::Families,
    table::{JudgeRows, Table},
};
use crate::{FailureKind, JudgeValue, Scale, ScaleKind};
use agreement::{
    Alignment, AltTestSettings, Column, Confusion, Estimate, Inference, Judge, Metric, Pairs, PassFail,
    ProportionInterval, Ratings, Undefined, Weights, alt_test, arithmetic_mean, bias, exact_agreement,
    flip_rate, intra_judge_kappa, krippendorff_alpha, mean_absolute_error, median, pass_rates, proportion,
    quantile, spread,
};
use std::collections::{BTreeMap, BTreeSet};

/// The figures of the judge at this position of the table.
pub(super) fn figures_of(
    table: &Table<'_>,
    scale: &Scale,
    families: &Families,
    position: usize,
) -> Option<JudgeFigures> {
    let judge = table.judges.get(position)?;
    let pairs: Vec<Pairs> = judge
        .columns
        .repeats()
        .iter()
        .map(|column| table.ratings.matched(&table.reference, column))
        .collect();
    let mean = |figure: fn(&Pairs, &Inference) -> Estimate| {
        mean_over_repeats(pairs.iter().map(|pairs| figure(pairs, &Inference::default())).collect())
    };
    let alphas = judge.columns.repeats().iter().map(|column| alpha_ordinal(table, column)).collect();
    // What nobody answered carries no model version: it makes no mixture.
    let valued = judge.verdicts.iter().filter(|verdict| verdict.outcome.is_ok());
    let fingerprints: BTreeSet<&str> = valued.map(|verdict| &*verdict.fingerprint).collect();
    let references = table.with_reference().count() as u64;
    let answered = table.with_reference().filter(|item| judge.columns.answered(*item)).count() as u64;
    let latencies = of_verdicts(judge, |verdict| verdict.latency_ms);
    let family = families.of(position)?;
    Some(JudgeFigures {
        judge: judge.name.to_owned(),
        fingerprint: match fingerprints.first() {
            Some(one) if fingerprints.len() == 1 => Some((*one).to_owned()),
            _ => None,
        },
        mixed: fingerprints.len() > 1,
        baseline: family.baseline,
        n: answered,
        failures: references - answered,
        failures_by_kind: failures_by_kind(table, judge),
        coverage: proportion(
            answered,
            references,
            Inference::default().confidence,
            ProportionInterval::Wilson,
            Undefined::NoLabels,
        ),
        ceiling: family.ceiling,
        quadratic: family.quadratic,
        linear: family.linear,
        unweighted: family.unweighted,
        alpha_ordinal: mean_over_repeats(alphas),
        bias: mean(bias),
        mae: mean(mean_absolute_error),
        exact: mean(exact_agreement),
        annotators: family.annotators,
        coarse: None,
        alt_test: may_stand_in(table, scale, judge),
        pass_fail: scale.relevant_from.map(|level| pass_fail(table, judge, &pairs, level)),
        confusion: if scale.can_be_shown() { confusion(&pairs) } else { Vec::new() },
        stability: stability(table, judge),
        fill: family.fill,
        over_baselines: family.over_baselines,
        repeats: u32::try_from(judge.columns.repeats().len()).unwrap_or(u32::MAX),
        cost_per_1000: arithmetic_mean(&of_verdicts(judge, |verdict| verdict.cost_usd))
            .map(|cost| 1000.0 * cost),
        latency_p50_ms: median(&latencies),
        latency_p95_ms: quantile(&latencies, 0.95),
        delta: family.delta,
    })
}

/// The items with a reference for which no repeat has a value, by what the first verdict on each says.
fn failures_by_kind(table: &Table<'_>, judge: &JudgeRows<'_>) -> Vec<(FailureKind, u64)> {
    let mut kinds: BTreeMap<usize, FailureKind> = BTreeMap::new();
    for verdict in &judge.verdicts {
        if let (Err(kind), Some(item)) = (verdict.outcome, table.position_of(verdict)) {
            kinds.entry(item).or_insert(kind);
        }
    }
    let mut counts: BTreeMap<FailureKind, u64> = BTreeMap::new();
    for item in table.with_reference().filter(|item| !judge.columns.answered(*item)) {
        *counts.entry(kinds.get(&item).copied().unwrap_or(FailureKind::Missing)).or_default() += 1;
    }
    counts.into_iter().collect()
}

/// The test of the judge against the annotators, by nearness where the levels have distances and by equality where they do not.
fn may_stand_in(table: &Table<'_>, scale: &Scale, judge: &JudgeRows<'_>) -> AltTestFigures {
    let alignment = match scale.kind {
        ScaleKind::Nominal | ScaleKind::Binary => Alignment::Accuracy,
        ScaleKind::Ordinal | ScaleKind::Continuous => Alignment::NegativeRmse,
    };
    let settings = AltTestSettings { alignment, ..AltTestSettings::default() };
    let repeats = judge.columns.repeats().iter();
    let (rates, advantages): (Vec<Estimate>, Vec<Estimate>) = repeats
        .map(|column| alt_test(&table.ratings, &table.people, column, &settings))
        .map(|found| (found.winning_rate, found.advantage_probability))
        .unzip();
    let winning_rate = mean_over_repeats(rates);
    AltTestFigures {
        passes: winning_rate.value().is_some_and(|rate| rate >= 0.5),
        winning_rate,
        advantage_probability: mean_over_repeats(advantages),
        epsilon: settings.epsilon,
    }
}

fn pass_fail(table: &Table<'_>, judge: &JudgeRows<'_>, pairs: &[Pairs], level: f64) -> PassFailFigures {
    let mut counts = PassFail::default();
    for repeat in pairs.iter().map(|pairs| PassFail::at(pairs, level)) {
        counts.true_pass += repeat.true_pass;
        counts.false_fail += repeat.false_fail;
        counts.true_fail += repeat.true_fail;
        counts.false_pass += repeat.false_pass;
    }
    let rates = pass_rates(&table.ratings, &table.reference, &judge.columns, level, &Inference::analytic());
    PassFailFigures {
        pass_level: level,
        counts,
        true_pass_rate: rates.true_pass_rate,
        true_fail_rate: rates.true_fail_rate,
    }
}

/// The confusion matrices of the repeats, added up.
fn confusion(pairs: &[Pairs]) -> Vec<Vec<u64>> {
    let mut repeats = pairs.iter().map(|pairs| Confusion::of(pairs).rows());
    let mut sum = repeats.next().unwrap_or_default();
    for rows in repeats {
        for (total, count) in sum.iter_mut().flatten().zip(rows.into_iter().flatten()) {
            *total += count;
        }
    }
    sum
}

fn stability(table: &Table<'_>, judge: &JudgeRows<'_>) -> Stability {
    let has_reference = |item: usize| table.reference.level(item).is_some();
    let repeats = judge.columns.repeats().iter();
    let on_references = Judge::repeated(repeats.map(|column| column.restricted(has_reference)).collect());
    let spread = spread(&table.ratings, &on_references);
    Stability {
        flip_rate: flip_rate(&table.ratings, &on_references, &Inference::analytic()),
        intra_judge_kappa: intra_judge_kappa(
            &table.ratings,
            &on_references,
            &Weights::quadratic(),
            &Inference::default(),
        ),
        range: spread.map(|spread| spread.range),
        standard_deviation: spread.map(|spread| spread.standard_deviation),
    }
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
