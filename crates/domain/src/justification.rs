//! What people think of the reasons that a judge gives.

use crate::{Observations, Rubric, Unit, UnitKind};
use agreement::{Estimate, Inference, arithmetic_mean};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// The grades that people gave the reasons of one judge version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JustificationGrade {
    /// Id of the criterion by which the reasons were graded.
    pub criterion: String,
    /// Mean grade of a reason, several people's grades of it averaged first; n is the number of reasons.
    pub grade: Estimate,
    /// How many people graded.
    pub people: u64,
}

impl JustificationGrade {
    /// The grades of the judge `NAME@VERSION`, one for each criterion that is asked of justifications and has labels, in the order of the
    /// rubric. Reasons on conversations of one cluster are resampled together.
    #[must_use]
    pub fn all(rubric: &Rubric, observations: &Observations, judge: &str) -> Vec<JustificationGrade> {
        let asked = rubric.asked_of(UnitKind::Justification);
        asked
            .filter_map(|criterion| JustificationGrade::of(rubric, observations, judge, &criterion.id))
            .collect()
    }

    fn of(
        rubric: &Rubric,
        observations: &Observations,
        judge: &str,
        criterion: &str,
    ) -> Option<JustificationGrade> {
        let scale = rubric.scale_of(criterion)?;
        let mut people = std::collections::BTreeSet::new();
        let mut grades: BTreeMap<(u32, &str), Vec<f64>> = BTreeMap::new();
        for label in observations.labels.iter().filter(|label| *label.criterion == *criterion) {
            let unit = label.unit.parse::<Unit>().ok()?;
            let is_of = matches!(unit, Unit::Justification { judge_version, .. } if judge_version == judge);
            if is_of && scale.is_applicable(label.value) {
                people.insert(&*label.annotator);
                grades.entry((label.setting, &label.unit)).or_default().push(label.value);
            }
        }
        if grades.is_empty() {
            return None;
        }
        let mut clusters: HashMap<&str, u32> = HashMap::new();
        let (mut values, mut cluster_of) = (Vec::new(), Vec::new());
        for ((setting, _), of_reason) in &grades {
            let next = u32::try_from(clusters.len()).unwrap_or(u32::MAX);
            cluster_of.push(*clusters.entry(observations.cluster(*setting)).or_insert(next));
            values.push(arithmetic_mean(of_reason));
        }
        let grade = agreement::mean(&values, &cluster_of, &Inference::default());
        Some(JustificationGrade { criterion: criterion.to_owned(), grade, people: people.len() as u64 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{HumanValue, Setting};

    const RUBRIC: &str = r#"
        name = "shop"
        version = 1
        [[scale]]
        id = "five"
        kind = "ordinal"
        levels = [{ value = 1, name = "incoherent" }, { value = 2, name = "weak" }, { value = 3, name = "coherent" },
                  { value = 9, name = "no reason", not_applicable = true }]
        [[criterion]]
        id = "coherence"
        component = "generation"
        unit = "justification"
        scale = "five"
        question = "Does the reason carry the score?"
    "#;

    #[test]
    fn a_reason_counts_once_however_many_graded_it() {
        let setting = |number: u32| Setting {
            conversation: format!("c{number}").into(),
            cluster: format!("c{number}").into(),
            category: None,
            corpus: None,
            system: None,
            language: None,
        };
        let label = |annotator: &str, setting: u32, judge: &str, value: f64| HumanValue {
            annotator: annotator.into(),
            setting,
            unit: format!("justification:{judge}/0/conversation/helpfulness").into(),
            criterion: "coherence".into(),
            value,
        };
        let observations = Observations {
            settings: (0..3).map(setting).collect(),
            labels: vec![
                label("ada", 0, "strict@1", 1.0),
                label("ben", 0, "strict@1", 3.0),
                label("ada", 1, "strict@1", 3.0),
                label("ada", 2, "strict@1", 9.0),
                label("ada", 2, "strict@2", 1.0),
            ],
            ..Observations::default()
        };
        let rubric = Rubric::from_toml(RUBRIC).unwrap();
        let found = JustificationGrade::all(&rubric, &observations, "strict@1");
        assert_eq!((found.len(), found[0].people), (1, 2));
        assert_eq!((found[0].grade.value(), found[0].grade.n()), (Some(2.5), 2));
        assert!(JustificationGrade::all(&rubric, &observations, "strict@3").is_empty());
    }
}
