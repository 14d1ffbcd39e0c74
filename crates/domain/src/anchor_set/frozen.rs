//! Frozen items as reports are computed from them.

use super::{AnchorItem, Provenance};
use crate::{AnchorSource, HumanValue, Observations, ReferenceRule, ReferenceSource, Setting};
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

impl AnchorSource {
    /// Where the references of these items come from, as reports say it. The rule is the one that the provenance of the items tells of;
    /// the ceiling of people is computed with it.
    #[must_use]
    pub fn of_items(self, items: &[AnchorItem]) -> ReferenceSource {
        let has = |provenance| items.iter().any(|item| item.provenance == provenance);
        let rule = if has(Provenance::Majority) {
            ReferenceRule::Majority
        } else if has(Provenance::Median) || !has(Provenance::Unanimous) {
            ReferenceRule::Median
        } else {
            ReferenceRule::Unanimous
        };
        let annotators: BTreeSet<&str> =
            items.iter().flat_map(|item| &item.labels).map(|label| label.annotator.as_str()).collect();
        let annotators = annotators.into_iter().map(str::to_owned).collect();
        ReferenceSource { rule, annotators, anchor_set: Some(self) }
    }
}

impl Observations {
    /// The labels and references of frozen items. Verdicts are added by whoever has them.
    #[must_use]
    pub fn of_anchor_items(settings: Vec<Setting>, items: &[AnchorItem]) -> Observations {
        let positions: HashMap<Arc<str>, u32> =
            settings.iter().map(|setting| setting.conversation.clone()).zip(0..).collect();
        let (mut labels, mut references) = (Vec::new(), Vec::new());
        for item in items {
            let Some(setting) = positions.get(item.conversation.as_str()).copied() else { continue };
            let (unit, criterion): (Arc<str>, Arc<str>) =
                (item.unit.to_string().into(), item.criterion.as_str().into());
            let human = |annotator: &str, value| HumanValue {
                annotator: annotator.into(),
                setting,
                unit: unit.clone(),
                criterion: criterion.clone(),
                value,
            };
            labels.extend(item.labels.iter().map(|label| human(&label.annotator, label.value)));
            references.push(human("", item.reference));
        }
        Observations { settings, labels, references: Some(references), ..Observations::default() }
    }
}
