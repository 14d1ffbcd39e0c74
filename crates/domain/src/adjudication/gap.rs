//! What the guideline does not say, for the next rubric version.

use super::{Adjudication, AdjudicationReason, Item};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A criterion whose guideline has a gap, with the items that showed it: they are to be labelled again under the next rubric version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GuidelineGap {
    /// Id of the criterion.
    pub criterion: String,
    /// The rubric version with the gap, `name@version`.
    pub rubric: String,
    /// The items, each with what was noted.
    pub items: Vec<(Item, String)>,
}

impl GuidelineGap {
    /// The gaps that decisions tell of, by criterion, the items in their own order.
    #[must_use]
    pub fn of(decisions: &[Adjudication]) -> Vec<GuidelineGap> {
        let mut gaps: BTreeMap<(&str, &str), Vec<(Item, String)>> = BTreeMap::new();
        let found = decisions.iter().filter(|decision| decision.reason == AdjudicationReason::GuidelineGap);
        for decision in found {
            let items = gaps.entry((&decision.item.criterion, &decision.rubric)).or_default();
            items.push((decision.item.clone(), decision.note.clone()));
        }
        let gap = |((criterion, rubric), mut items): ((&str, &str), Vec<(Item, String)>)| {
            items.sort();
            GuidelineGap { criterion: criterion.to_owned(), rubric: rubric.to_owned(), items }
        };
        gaps.into_iter().map(gap).collect()
    }
}
