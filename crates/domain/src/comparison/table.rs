//! Labels, references and verdicts of one criterion side by side.

use crate::{JudgeValue, Observations, Scale};
use agreement::{Column, Judge, Ratings, Rule, reference_column};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Everything of one criterion, matched by item: people and each repeat of each judge are columns over the same items.
pub(super) struct Table<'a> {
    pub(super) ratings: Ratings,
    /// The annotators, as raters.
    pub(super) people: Vec<usize>,
    pub(super) reference: Column,
    pub(super) judges: Vec<JudgeRows<'a>>,
    /// Position of each verdict's item, by (conversation, unit).
    positions: HashMap<(u32, &'a str), usize>,
}

/// One judge's verdicts on the criterion.
pub(super) struct JudgeRows<'a> {
    pub(super) name: &'a str,
    pub(super) verdicts: Vec<&'a JudgeValue>,
    pub(super) columns: Judge,
}

/// No annotator's name begins like this: names have no control characters.
const JUDGE: char = '\u{1d}';

/// The frozen references of an anchor set, as one more rater.
const FROZEN: char = '\u{1c}';

impl<'a> Table<'a> {
    pub(super) fn new(
        observations: &'a Observations,
        criterion: &str,
        scale: &Scale,
        rule: Rule,
    ) -> Option<Table<'a>> {
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

    /// The item that a verdict is of.
    pub(super) fn position_of(&self, verdict: &JudgeValue) -> Option<usize> {
        self.positions.get(&(verdict.setting, &*verdict.unit)).copied()
    }

    /// The items that have a reference.
    pub(super) fn with_reference(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.ratings.n_items()).filter(|item| self.reference.level(*item).is_some())
    }

    /// How many clusters some items fall into.
    pub(super) fn clusters_of(&self, items: impl Iterator<Item = usize>) -> u64 {
        items.map(|item| self.ratings.cluster_of(item)).collect::<BTreeSet<_>>().len() as u64
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
