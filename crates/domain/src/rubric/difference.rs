use super::{Criterion, Rubric};
use crate::Scale;
use serde::{Deserialize, Serialize};

/// What one version of a rubric asks otherwise than another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RubricDifference {
    /// The criteria that differ: those of the newer version in its order, then those that it dropped.
    pub criteria: Vec<CriterionDifference>,
}

/// What became of a criterion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CriterionDifference {
    /// Its id.
    pub criterion: String,
    /// What became of it.
    pub change: CriterionChange,
}

/// What became of a criterion from one version of a rubric to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CriterionChange {
    /// It is new.
    Added,
    /// It is asked no longer.
    Removed,
    /// It reads otherwise.
    Changed(Vec<FieldChange>),
}

/// One field of a criterion, before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldChange {
    /// The field, as `rubric.toml` calls it; `scale` stands for all that the scale declares.
    pub field: String,
    /// What stood there.
    pub before: String,
    /// What stands there.
    pub after: String,
}

impl RubricDifference {
    /// What `newer` asks otherwise than `older`.
    #[must_use]
    pub fn between(older: &Rubric, newer: &Rubric) -> RubricDifference {
        let of = |criterion: &Criterion| {
            let change = match older.criterion(&criterion.id) {
                None => CriterionChange::Added,
                Some(before) => CriterionChange::Changed(changes((older, before), (newer, criterion))),
            };
            let is_same = matches!(&change, CriterionChange::Changed(fields) if fields.is_empty());
            (!is_same).then(|| CriterionDifference { criterion: criterion.id.clone(), change })
        };
        let removed = older.criteria.iter().filter(|criterion| newer.criterion(&criterion.id).is_none());
        let removed = removed.map(|criterion| CriterionDifference {
            criterion: criterion.id.clone(),
            change: CriterionChange::Removed,
        });
        RubricDifference { criteria: newer.criteria.iter().filter_map(of).chain(removed).collect() }
    }

    /// Whether an answer that was given to a criterion of `older` answers another question than `newer` asks: its question, guideline,
    /// unit or scale differs, or it is asked no longer. Whether it is required, and of which component it is, says nothing of the answer.
    #[must_use]
    pub fn is_stale(older: &Rubric, newer: &Rubric, criterion: &str) -> bool {
        match (older.criterion(criterion), newer.criterion(criterion)) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(before), Some(after)) => {
                let of_answers = ["question", "guideline", "unit", "scale"];
                let changes = changes((older, before), (newer, after));
                changes.iter().any(|change| of_answers.contains(&change.field.as_str()))
            }
        }
    }
}

fn changes(older: (&Rubric, &Criterion), newer: (&Rubric, &Criterion)) -> Vec<FieldChange> {
    let (before, after) = (fields(older), fields(newer));
    let pairs = before.into_iter().zip(after).filter(|(before, after)| before != after);
    let change = |((field, before), (_, after)): ((&str, String), (&str, String))| FieldChange {
        field: field.to_owned(),
        before,
        after,
    };
    let mut changes: Vec<FieldChange> = pairs.map(change).collect();
    let scales = (older.0.scale(&older.1.scale), newer.0.scale(&newer.1.scale));
    if scales.0.map(without_id) != scales.1.map(without_id) {
        let declared = |scale: Option<&Scale>| scale.map(Scale::to_toml).unwrap_or_default();
        changes.push(FieldChange {
            field: "scale".to_owned(),
            before: declared(scales.0),
            after: declared(scales.1),
        });
    }
    changes
}

/// Two scales that declare the same under different ids are one.
fn without_id(scale: &Scale) -> Scale {
    Scale { id: String::new(), ..scale.clone() }
}

fn fields((_, criterion): (&Rubric, &Criterion)) -> [(&'static str, String); 5] {
    [
        ("question", criterion.question.clone()),
        ("guideline", criterion.guideline.clone()),
        ("unit", criterion.unit.word().to_owned()),
        ("component", criterion.component.word().to_owned()),
        ("required", criterion.required.to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RubricTemplate;

    fn routing() -> Rubric {
        RubricTemplate::named("routing").unwrap().unwrap().rubric
    }

    #[test]
    fn what_differs_is_told_field_by_field() {
        let (older, mut newer) = (routing(), routing());
        assert_eq!(RubricDifference::between(&older, &newer), RubricDifference::default());
        newer.criteria[0].question = "Other?".to_owned();
        newer.criteria[1].required = false;
        newer.criteria[2].id = "renamed".to_owned();
        let difference = RubricDifference::between(&older, &newer);
        let told: Vec<(&str, String)> = difference
            .criteria
            .iter()
            .map(|one| {
                let change = match &one.change {
                    CriterionChange::Added => "added".to_owned(),
                    CriterionChange::Removed => "removed".to_owned(),
                    CriterionChange::Changed(fields) => {
                        fields.iter().map(|change| change.field.clone()).collect::<Vec<_>>().join(" ")
                    }
                };
                (one.criterion.as_str(), change)
            })
            .collect();
        let expected = [
            ("collections_ok", "question"),
            ("tools_ok", "required"),
            ("renamed", "added"),
            ("arguments_ok", "removed"),
        ];
        assert_eq!(told, expected.map(|(id, change)| (id, change.to_owned())));
    }

    #[test]
    fn a_label_is_stale_where_the_question_or_the_scale_is_another() {
        let (older, mut newer) = (routing(), routing());
        newer.criteria[0].guideline = "Other.".to_owned();
        newer.criteria[1].required = false;
        newer.criteria.pop();
        let is_stale = |criterion: &str| RubricDifference::is_stale(&older, &newer, criterion);
        assert!(is_stale("collections_ok") && is_stale("refined_query_used"));
        assert!(!is_stale("tools_ok") && !is_stale("arguments_ok"));
        newer.scales[0].levels.pop();
        assert!(RubricDifference::is_stale(&older, &newer, "tools_ok"), "the scale lost a level");
        let mut renamed = routing();
        renamed.scales[0].id = "renamed".to_owned();
        renamed.criteria.iter_mut().for_each(|criterion| criterion.scale = "renamed".to_owned());
        assert_eq!(RubricDifference::between(&older, &renamed), RubricDifference::default());
    }
}
