//! What a run asks about, in its order.

use super::instrument::Instrument;
use crate::{ProjectId, Service, ServiceError, Viewer};
use domain::{ContentHash, RunPlan, RunScope, Unit, UnitKind};
use std::collections::{BTreeSet, HashMap};
use store::{ConversationId, JudgeVersionId};

/// One call: a unit and its repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) conversation: ConversationId,
    pub(super) unit: Unit,
    pub(super) repeat: u32,
}

impl Service {
    /// The calls of a plan that have no verdict yet: a first pass over every unit before the second begins.
    pub(super) async fn calls_left(
        &self,
        project: ProjectId,
        version: JudgeVersionId,
        instrument: &Instrument,
        plan: &RunPlan,
    ) -> Result<Vec<Call>, ServiceError> {
        let answered = self.store.answered_units(version).await?;
        let units = self.units_of(project, instrument, plan).await?;
        let mut calls = Vec::new();
        for repeat in 0..plan.repeats {
            for (conversation, unit) in &units {
                if !answered.contains_key(&(*conversation, unit.to_string(), repeat)) {
                    calls.push(Call { conversation: *conversation, unit: unit.clone(), repeat });
                }
            }
        }
        Ok(calls)
    }

    /// The units of a plan in the order of import. What is shown to the judge as an example is no unit to measure it on.
    pub(super) async fn units_of(
        &self,
        project: ProjectId,
        instrument: &Instrument,
        plan: &RunPlan,
    ) -> Result<Vec<(ConversationId, Unit)>, ServiceError> {
        let declaration = &instrument.declaration;
        let Some(kind) = declaration.unit(&instrument.rubric) else { return Ok(Vec::new()) };
        let mut found = match &plan.scope {
            RunScope::Project => self.units_of_project(project, kind).await?,
            RunScope::AnchorSet { name, split } => {
                let set = self.store.anchor_set(project, name, Viewer::Operator).await?;
                let mut items = self.store.anchor_items(set.id, Viewer::Operator).await?;
                items.retain(|item| {
                    split.is_none_or(|split| item.split == split)
                        && declaration.criteria.contains(&item.criterion)
                });
                let wanted: BTreeSet<(String, Unit)> =
                    items.into_iter().map(|item| (item.conversation, item.unit)).collect();
                let slices = self.store.conversation_slices(project, Viewer::Operator).await?;
                let ids: HashMap<&str, ConversationId> =
                    slices.iter().map(|slice| (slice.external_id.as_str(), slice.id)).collect();
                let known = wanted.into_iter().filter_map(|(conversation, unit)| {
                    let id = *ids.get(conversation.as_str())?;
                    Some((conversation, id, unit))
                });
                known.collect()
            }
        };
        let examples = declaration.model().map(|model| model.examples.as_slice()).unwrap_or_default();
        found.retain(|(conversation, _, _)| !examples.contains(conversation));
        if let Some(size) = plan.size {
            draw(&mut found, size as usize, plan.seed);
        }
        Ok(found.into_iter().map(|(_, id, unit)| (id, unit)).collect())
    }

    async fn units_of_project(
        &self,
        project: ProjectId,
        kind: UnitKind,
    ) -> Result<Vec<(String, ConversationId, Unit)>, ServiceError> {
        let mut units = Vec::new();
        self.store
            .visit_conversations(project, Viewer::Operator, |stored| {
                let of = stored.conversation.units(kind).into_iter();
                units.extend(of.map(|unit| (stored.conversation.id.clone(), stored.id, unit)));
            })
            .await?;
        Ok(units)
    }
}

/// Keeps so many units, by lots, in the order in which they stood.
fn draw(units: &mut Vec<(String, ConversationId, Unit)>, size: usize, seed: u32) {
    let lot = |conversation: &str, unit: &Unit| {
        ContentHash::of_bytes(format!("{seed} unit {conversation} {unit}").as_bytes()).0
    };
    let mut lots: Vec<String> = units.iter().map(|(conversation, _, unit)| lot(conversation, unit)).collect();
    lots.sort_unstable();
    if let Some(last) = size.checked_sub(1).and_then(|last| lots.get(last)) {
        units.retain(|(conversation, _, unit)| lot(conversation, unit) <= *last);
    }
}
