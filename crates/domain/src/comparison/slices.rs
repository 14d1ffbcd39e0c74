//! The same judges on the items of one slice at a time.

use super::{SliceComparison, SliceFigures, table::Table};
use crate::{Observations, SliceBy, observations::split_item};
use agreement::{Column, Inference, Judge, Pairing, Rule, Weights, ceiling, compare_family};
use std::collections::{BTreeMap, HashMap};

/// κ of every judge within each slice that has references, by the name of the slice.
pub(super) fn slices_of(
    table: &Table<'_>,
    observations: &Observations,
    rule: Rule,
    by: SliceBy,
) -> Vec<SliceComparison> {
    let settings: HashMap<&str, &str> = observations
        .settings
        .iter()
        .map(|setting| (&*setting.conversation, by.of(setting).map_or("", |slice| &**slice)))
        .collect();
    let mut slices: BTreeMap<&str, Column> = BTreeMap::new();
    for item in table.with_reference() {
        let conversation = table.ratings.items().get(item).map_or("", |key| split_item(key).0);
        let slice = settings.get(conversation).copied().unwrap_or_default();
        let column = slices.entry(slice).or_insert_with(|| Column::absent(table.ratings.n_items()));
        column.set(item, table.reference.level(item));
    }
    slices.into_iter().map(|(value, reference)| slice(table, rule, by, value, &reference)).collect()
}

fn slice(table: &Table<'_>, rule: Rule, by: SliceBy, value: &str, reference: &Column) -> SliceComparison {
    let (weights, inference) = (Weights::quadratic(), Inference::default());
    let judges: Vec<Judge> = table.judges.iter().map(|judge| judge.columns.clone()).collect();
    let family = compare_family(&table.ratings, reference, &judges, Pairing::None, &weights, &inference);
    let figures = table.judges.iter().zip(family.kappas).map(|(judge, quadratic)| SliceFigures {
        judge: judge.name.to_owned(),
        n: quadratic.n(),
        quadratic,
    });
    let items = || (0..table.ratings.n_items()).filter(|item| reference.level(*item).is_some());
    SliceComparison {
        by: by.word().to_owned(),
        value: value.to_owned(),
        references: reference.answered() as u64,
        clusters: table.clusters_of(items()),
        ceiling: ceiling(&table.ratings, &table.people, rule, &weights, Some(reference), &inference),
        judges: figures.collect(),
    }
}
