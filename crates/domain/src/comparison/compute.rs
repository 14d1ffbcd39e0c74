//! From labels and verdicts to figures.

use super::{
    Comparison, ComparisonChoice, CriterionComparison, JudgeFigures, ReferenceSource, coarse::coarse_figures,
    families::Families, one_judge::figures_of, slices::slices_of, table::Table,
};
use crate::{Criterion, Observations, Rubric};
use agreement::{Inference, Rule};

impl Comparison {
    /// Compares every judge in `observations` with the references that `source` makes of the labels in it.
    #[must_use]
    pub fn of(
        project: &str,
        rubric: &Rubric,
        observations: &Observations,
        source: ReferenceSource,
        choice: &ComparisonChoice,
    ) -> Comparison {
        let settings = format!("comparison {source:?} {choice:?} {:?}", Inference::default());
        // No rule makes the references of the others that the ceiling needs from decisions: there the median stands for it.
        let decided = observations.references.is_some().then_some(Rule::Median);
        let criteria = match source.rule.from_labels().or(decided) {
            Some(rule) => rubric
                .criteria
                .iter()
                .filter_map(|c| of_criterion(rubric, c, observations, rule, choice))
                .collect(),
            None => Vec::new(),
        };
        Comparison {
            project: project.to_owned(),
            data_hash: observations.hash(rubric, &settings),
            reference: source,
            incumbent: choice.incumbent.clone(),
            opening: None,
            criteria,
        }
    }
}

fn of_criterion(
    rubric: &Rubric,
    criterion: &Criterion,
    observations: &Observations,
    rule: Rule,
    choice: &ComparisonChoice,
) -> Option<CriterionComparison> {
    let scale = rubric.scale(&criterion.scale)?;
    let table = Table::new(observations, &criterion.id, scale, rule)?;
    if table.judges.is_empty() || table.reference.answered() == 0 {
        return None;
    }
    let families = Families::new(&table, rule, choice);
    let mut coarse = coarse_figures(&table, scale, observations, rule, choice);
    let mut judges: Vec<JudgeFigures> = (0..table.judges.len())
        .filter_map(|position| figures_of(&table, scale, &families, position))
        .map(|figures| JudgeFigures { coarse: coarse.remove(&figures.judge), ..figures })
        .collect();
    let kappa = |figures: &JudgeFigures| figures.quadratic.value().unwrap_or(f64::NEG_INFINITY);
    judges.sort_by(|x, y| kappa(y).total_cmp(&kappa(x)).then_with(|| x.judge.cmp(&y.judge)));
    let mut slices = choice.by.map(|by| slices_of(&table, observations, rule, by)).unwrap_or_default();
    let rank = |judge: &str| judges.iter().position(|figures| figures.judge == judge);
    for slice in &mut slices {
        slice.judges.sort_by_key(|figures| rank(&figures.judge));
    }
    Some(CriterionComparison {
        id: criterion.id.clone(),
        references: table.reference.answered() as u64,
        without_reference: (0..table.ratings.n_items())
            .filter(|item| table.reference.was_asked(*item) && table.reference.level(*item).is_none())
            .count() as u64,
        clusters: table.clusters_of(table.with_reference()),
        levels: scale.level_names(),
        luck: families.luck,
        judges,
        slices,
    })
}
