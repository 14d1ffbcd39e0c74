//! References by the rule `adjudicated`.

use super::{Adjudication, by_item, labels_by_item};
use crate::{
    HumanValue, Observations, Provenance, ReferenceItem, ReferenceRule, ReferenceSource, References, Rubric,
};
use std::collections::HashMap;

impl References {
    /// What was decided; of items that nobody had to decide, the label on which all agree. An item whose labels have changed since it was
    /// decided has no reference.
    #[must_use]
    pub fn adjudicated(
        rubric: &Rubric,
        observations: &Observations,
        source: &ReferenceSource,
        decisions: &[Adjudication],
    ) -> References {
        let decided = by_item(observations, decisions);
        let labels = labels_by_item(observations);
        let source = ReferenceSource { rule: ReferenceRule::Unanimous, ..source.clone() };
        let agreed = References::of(rubric, observations, &source);
        let contested = agreed.without;
        let key = |item: &ReferenceItem| (item.setting, item.unit.to_string(), item.criterion.to_string());
        let mut items: HashMap<(u32, String, String), ReferenceItem> =
            agreed.items.into_iter().map(|item| (key(&item), item)).collect();
        let all = items.len() as u64 + contested;
        let mut not_applicable = 0;
        for ((setting, unit, criterion), decision) in decided {
            let Some(labels) = labels.get(&(setting, unit.as_str(), criterion)) else { continue };
            let Some(scale) = rubric.scale_of(criterion) else { continue };
            let place = (setting, unit.clone(), criterion.to_owned());
            if decision.is_stale(labels) {
                items.remove(&place);
            } else if scale.is_applicable(decision.value) {
                let item = ReferenceItem {
                    setting,
                    unit: unit.into(),
                    criterion: criterion.into(),
                    value: decision.value,
                    provenance: Provenance::Adjudicated,
                };
                items.insert(place, item);
            } else {
                items.remove(&place);
                not_applicable += u64::from(labels.iter().any(|label| scale.is_applicable(label.value)));
            }
        }
        let mut items: Vec<ReferenceItem> = items.into_values().collect();
        items.sort_by(|a, b| (a.setting, &a.criterion, &a.unit).cmp(&(b.setting, &b.criterion, &b.unit)));
        let without = all.saturating_sub(items.len() as u64 + not_applicable);
        References { data_hash: hash(rubric, observations, decisions), items, without }
    }

    /// The items as values that stand whatever a rule would make of the labels.
    #[must_use]
    pub fn into_values(self) -> Vec<HumanValue> {
        let value = |item: ReferenceItem| HumanValue {
            annotator: "".into(),
            setting: item.setting,
            unit: item.unit,
            criterion: item.criterion,
            value: item.value,
        };
        self.items.into_iter().map(value).collect()
    }
}

/// Hash of the labels and of what was decided of them.
fn hash(rubric: &Rubric, observations: &Observations, decisions: &[Adjudication]) -> crate::ContentHash {
    let mut decided: Vec<String> = decisions.iter().map(|decision| format!("{decision:?}")).collect();
    decided.sort_unstable();
    observations.hash(rubric, &format!("references adjudicated {decided:?}"))
}
