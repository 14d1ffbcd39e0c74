//! The same judges on the coarser form of the scale.

use super::{
    CoarseFigures, ComparisonChoice,
    families::{Ceilings, family},
    table::Table,
};
use crate::{
    FailureKind, HumanValue, JudgeValue, Level, Observations, Scale, ScaleKind, observations::split_item,
};
use agreement::{Pairing, Rule, Weights};
use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

/// The figures of each judge, by name; none where the scale declares no coarser form.
pub(super) fn coarse_figures(
    fine: &Table<'_>,
    scale: &Scale,
    observations: &Observations,
    rule: Rule,
    choice: &ComparisonChoice,
) -> BTreeMap<String, CoarseFigures> {
    let Some(coarse) = coarse_scale(scale) else { return BTreeMap::new() };
    let observations = made_coarse(fine, scale, observations);
    let Some(table) = Table::new(&observations, "", &coarse, rule) else { return BTreeMap::new() };
    let judges: Vec<_> = table.judges.iter().map(|judge| judge.columns.clone()).collect();
    let position = |name: &str| table.judges.iter().position(|judge| judge.name == name);
    let pairing = choice.incumbent.as_deref().and_then(position).map_or(Pairing::None, Pairing::Against);
    let quadratic = family(&table, &judges, pairing, Weights::quadratic());
    let unweighted = family(&table, &judges, Pairing::None, Weights::Unweighted);
    let mut ceilings = Ceilings::of(&table, rule);
    let figures = table.judges.iter().enumerate().map(|(at, judge)| {
        let to_incumbent = quadratic.comparisons.iter().find(|comparison| comparison.a == at);
        let figures = CoarseFigures {
            quadratic: quadratic.kappas[at].clone(),
            unweighted: unweighted.kappas[at].clone(),
            ceiling: ceilings.on(&judge.columns),
            delta: to_incumbent.map(|comparison| comparison.difference.clone()),
        };
        (judge.name.to_owned(), figures)
    });
    figures.collect()
}

/// The coarser levels as a scale of their own.
fn coarse_scale(scale: &Scale) -> Option<Scale> {
    let mut values = scale.coarse.clone()?;
    values.sort_by(f64::total_cmp);
    values.dedup();
    let level = |value| Level { value, name: String::new(), means: None, not_applicable: false };
    let levels = values.into_iter().map(level).collect();
    let kind = if scale.kind == ScaleKind::Nominal { ScaleKind::Nominal } else { ScaleKind::Ordinal };
    Some(Scale { kind, levels, coarse: None, ..scale.clone() })
}

/// Everything that was said on the table's criterion, made coarse, under no name; the references are those of the table.
fn made_coarse(fine: &Table<'_>, scale: &Scale, observations: &Observations) -> Observations {
    let positions: HashMap<&str, u32> =
        observations.settings.iter().map(|setting| &*setting.conversation).zip(0..).collect();
    let references = fine.with_reference().filter_map(|item| {
        let (conversation, unit) = split_item(fine.ratings.items().get(item)?);
        let level = fine.reference.level(item)?;
        Some(HumanValue {
            annotator: "".into(),
            setting: *positions.get(conversation)?,
            unit: unit.into(),
            criterion: "".into(),
            value: scale.coarsen(*fine.ratings.level_values().get(level as usize)?)?,
        })
    });
    let verdicts = fine.judges.iter().flat_map(|judge| &judge.verdicts).map(|verdict| JudgeValue {
        criterion: "".into(),
        outcome: verdict.outcome.and_then(|value| scale.coarsen(value).ok_or(FailureKind::Missing)),
        ..(*verdict).clone()
    });
    let labels = fine.people.iter().flat_map(|person| {
        let column = fine.ratings.column(*person);
        let name: Arc<str> = fine.ratings.raters().get(*person).map_or("", String::as_str).into();
        let said = move |item: usize| {
            let (conversation, unit) = split_item(fine.ratings.items().get(item)?);
            let value = *fine.ratings.level_values().get(column.level(item)? as usize)?;
            Some((conversation, unit, scale.coarsen(value)?))
        };
        let positions = &positions;
        (0..fine.ratings.n_items()).filter_map(said).filter_map(move |(conversation, unit, value)| {
            Some(HumanValue {
                annotator: name.clone(),
                setting: *positions.get(conversation)?,
                unit: unit.into(),
                criterion: "".into(),
                value,
            })
        })
    });
    Observations {
        labels: labels.collect(),
        verdicts: verdicts.collect(),
        references: Some(references.collect()),
        settings: observations.settings.clone(),
        ..Observations::default()
    }
}
