//! What is computed for all judges at once, from the same draws.

use super::{AnnotatorKappa, BestOfSeveral, ComparisonChoice, Delta, Filled, OverBaseline, table::Table};
use agreement::{
    Column, Estimate, Family, Fill, Inference, Judge, Pairing, Rule, Studentised, Weights, compare_family,
    fill, holm, mean_shift, permutation_test,
};
use std::collections::HashMap;

/// What is computed for all judges at once, one entry for each judge of the table in every list.
pub(super) struct Families {
    judges: Vec<OfFamily>,
    /// How much of the lead of the best is luck.
    pub(super) luck: Option<BestOfSeveral>,
}

/// The figures of one judge that come from a family.
#[derive(Clone)]
pub(super) struct OfFamily {
    pub(super) baseline: bool,
    pub(super) ceiling: Estimate,
    pub(super) quadratic: Estimate,
    pub(super) linear: Estimate,
    pub(super) unweighted: Estimate,
    pub(super) annotators: Vec<AnnotatorKappa>,
    pub(super) fill: Filled,
    pub(super) over_baselines: Vec<OverBaseline>,
    pub(super) delta: Option<Delta>,
}

impl Families {
    pub(super) fn new(table: &Table<'_>, rule: Rule, choice: &ComparisonChoice) -> Families {
        let judges: Vec<Judge> = table.judges.iter().map(|judge| judge.columns.clone()).collect();
        let position = |name: &str| table.judges.iter().position(|judge| judge.name == name);
        let incumbent = choice.incumbent.as_deref().and_then(position);
        let pairing = incumbent.map_or(Pairing::None, Pairing::Against);
        let quadratic = family(table, &judges, pairing, Weights::quadratic());
        let linear = family(table, &judges, Pairing::None, Weights::linear());
        let unweighted = family(table, &judges, Pairing::None, Weights::Unweighted);
        let annotators = annotators(table, &judges, &quadratic);
        let [pessimistic, optimistic] =
            [Fill::Pessimistic, Fill::Optimistic].map(|how| filled(table, &judges, &quadratic, how));
        let mut ceilings = Ceilings::of(table, rule);
        let baselines: Vec<usize> = choice.baselines.iter().filter_map(|name| position(name)).collect();
        let mut found: Vec<OfFamily> = (0..judges.len())
            .map(|at| OfFamily {
                baseline: baselines.contains(&at),
                ceiling: ceilings.on(&judges[at]),
                quadratic: quadratic.kappas[at].clone(),
                linear: linear.kappas[at].clone(),
                unweighted: unweighted.kappas[at].clone(),
                annotators: annotators.iter().map(|of_judges| of_judges[at].clone()).collect(),
                fill: Filled { pessimistic: pessimistic[at].clone(), optimistic: optimistic[at].clone() },
                over_baselines: Vec::new(),
                delta: None,
            })
            .collect();
        for (at, delta) in deltas(table, &judges, &quadratic) {
            found[at].delta = Some(delta);
        }
        for baseline in &baselines {
            for comparison in
                family(table, &judges, Pairing::Against(*baseline), Weights::quadratic()).comparisons
            {
                if !baselines.contains(&comparison.a) {
                    let name = table.judges[*baseline].name.to_owned();
                    let over = OverBaseline { baseline: name, quadratic: comparison.difference };
                    found[comparison.a].over_baselines.push(over);
                }
            }
        }
        Families { judges: found, luck: luck(table, &quadratic) }
    }

    /// The figures of the judge at a position.
    pub(super) fn of(&self, position: usize) -> Option<OfFamily> {
        self.judges.get(position).cloned()
    }
}

pub(super) fn family(table: &Table<'_>, judges: &[Judge], pairing: Pairing, weights: Weights) -> Family {
    compare_family(&table.ratings, &table.reference, judges, pairing, &weights, &Inference::default())
}

/// κ of every judge against each annotator in turn.
fn annotators(table: &Table<'_>, judges: &[Judge], against_reference: &Family) -> Vec<Vec<AnnotatorKappa>> {
    let against = |rater: &usize| {
        let own = table.ratings.column(*rater);
        let kappas = if own == table.reference {
            against_reference.kappas.clone()
        } else {
            let (ratings, weights) = (&table.ratings, Weights::quadratic());
            compare_family(ratings, &own, judges, Pairing::None, &weights, &Inference::default()).kappas
        };
        let name = table.ratings.raters().get(*rater).cloned().unwrap_or_default();
        kappas.into_iter().map(|quadratic| AnnotatorKappa { annotator: name.clone(), quadratic }).collect()
    };
    table.people.iter().map(against).collect()
}

/// κ with the failures filled in; of judges without failures it is κ as it stands.
fn filled(table: &Table<'_>, judges: &[Judge], as_it_stands: &Family, how: Fill) -> Vec<Estimate> {
    let mut kappas = as_it_stands.kappas.clone();
    let (mut failing, mut with_fill) = (Vec::new(), Vec::new());
    for (at, judge) in judges.iter().enumerate() {
        let repeats = judge.repeats();
        let filled: Vec<Column> =
            repeats.iter().map(|column| fill(&table.ratings, &table.reference, column, how)).collect();
        if filled != repeats {
            failing.push(at);
            with_fill.push(Judge::repeated(filled));
        }
    }
    let of_failing = family(table, &with_fill, Pairing::None, Weights::quadratic()).kappas;
    for (at, kappa) in failing.into_iter().zip(of_failing) {
        kappas[at] = kappa;
    }
    kappas
}

/// What chance does to the best; judges that never vary, as a constant one, take no part.
fn luck(table: &Table<'_>, family: &Family) -> Option<BestOfSeveral> {
    let luck = family.luck?;
    Some(BestOfSeveral {
        judges: luck.judges as u64,
        best: table.judges.get(luck.best)?.name.to_owned(),
        expected: luck.expected,
        stays_first: luck.stays_first,
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
                mean_shift: mean_shift(
                    &table.ratings,
                    &table.reference,
                    &judges[comparison.a],
                    &judges[comparison.b],
                    &Inference::default(),
                ),
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

/// The ceilings, each on the items that a judge answered; judges that answered the same items share one.
pub(super) struct Ceilings<'a> {
    table: &'a Table<'a>,
    rule: Rule,
    known: HashMap<Vec<bool>, Estimate>,
}

impl<'a> Ceilings<'a> {
    pub(super) fn of(table: &'a Table<'a>, rule: Rule) -> Ceilings<'a> {
        Ceilings { table, rule, known: HashMap::new() }
    }

    pub(super) fn on(&mut self, judge: &Judge) -> Estimate {
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
