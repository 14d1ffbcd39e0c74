use crate::{ContentHash, Observations, Provenance, ReferenceRule, ReferenceSource, Rubric, Scale};
use agreement::{Ratings, Rule};
use std::sync::Arc;

/// The agreed human values of a project's items under one rule.
#[derive(Clone, Debug)]
pub struct References {
    /// Hash of the labels and settings that they are of.
    pub data_hash: ContentHash,
    /// The items that have one.
    pub items: Vec<ReferenceItem>,
    /// Items with labels whose rule gives none: to adjudicate.
    pub without: u64,
}

/// The agreed value of one item.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceItem {
    /// Position of the conversation in [`Observations::settings`].
    pub setting: u32,
    /// The unit in its text form.
    pub unit: Arc<str>,
    /// Id of the criterion.
    pub criterion: Arc<str>,
    /// The value.
    pub value: f64,
    /// How it came about.
    pub provenance: Provenance,
}

impl References {
    /// Applies a rule to the labels. `Adjudicated` gives none from labels alone ([`References::adjudicated`]).
    #[must_use]
    pub fn of(rubric: &Rubric, observations: &Observations, source: &ReferenceSource) -> References {
        let data_hash = observations.hash(rubric, &format!("references {source:?}"));
        let mut references = References { data_hash, items: Vec::new(), without: 0 };
        let Some(rule) = source.rule.from_labels() else { return references };
        for criterion in &rubric.criteria {
            let Some(scale) = rubric.scale(&criterion.scale) else { continue };
            references.add(observations, &criterion.id, scale, rule);
        }
        references
    }

    fn add(&mut self, observations: &Observations, criterion: &str, scale: &Scale, rule: Rule) {
        let Ok(declared) = scale.for_agreement() else { return };
        let mut builder = Ratings::builder(declared);
        let mut first_of: std::collections::HashMap<String, &crate::HumanValue> =
            std::collections::HashMap::new();
        let labels = observations
            .labels
            .iter()
            .filter(|label| *label.criterion == *criterion && scale.is_applicable(label.value));
        for label in labels {
            let item = observations.item(label.setting, &label.unit);
            let refused = builder.push(&label.annotator, &item, Some(label.value), None);
            debug_assert!(refused.is_ok(), "{refused:?}");
            first_of.entry(item).or_insert(label);
        }
        let ratings = builder.build();
        let raters: Vec<usize> = (0..ratings.raters().len()).collect();
        for (item, reference) in ratings.items().iter().zip(agreement::references(&ratings, &raters, rule)) {
            let (Some(label), Some(reference)) = (first_of.get(item), reference) else {
                self.without += 1;
                continue;
            };
            let Some(value) = ratings.level_values().get(reference.level as usize).copied() else { continue };
            self.items.push(ReferenceItem {
                setting: label.setting,
                unit: label.unit.clone(),
                criterion: label.criterion.clone(),
                value,
                provenance: reference.provenance.into(),
            });
        }
    }
}

impl ReferenceRule {
    /// The rule as the statistics know it; none for what only people decide.
    #[must_use]
    pub fn from_labels(self) -> Option<Rule> {
        match self {
            ReferenceRule::Unanimous => Some(Rule::Unanimous),
            ReferenceRule::Majority => Some(Rule::Majority),
            ReferenceRule::Median => Some(Rule::Median),
            ReferenceRule::Adjudicated => None,
        }
    }
}
