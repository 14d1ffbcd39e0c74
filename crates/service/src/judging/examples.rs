//! The items that a judge is shown with their references: of the `tune` split of a frozen set, so that `confirm` stays unseen.

use super::instrument::Shown;
use crate::{ProjectId, Service, ServiceError, Viewer};
use domain::{AnchorItem, AnchorSetName, Declaration, Observations, Rubric, Split, Unit, visible};
use std::collections::{BTreeMap, HashSet};

impl Service {
    /// The examples of a judge, in the order of its declaration.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for an example that is no item of `tune` on the judge's criteria, or is sealed to the viewer;
    /// [`ServiceError::NotFound`] for a set that is not there.
    pub(super) async fn examples(
        &self,
        project: ProjectId,
        declaration: &Declaration,
        rubric: &Rubric,
        viewer: Viewer,
    ) -> Result<Vec<Shown>, ServiceError> {
        let Some(model) = declaration.model().filter(|model| !model.examples.is_empty()) else {
            return Ok(Vec::new());
        };
        let Some(name) = &model.example_set else {
            let reason = "found none, expected the frozen set whose tune split has the examples".to_owned();
            return Err(ServiceError::Invalid { field: "example_set".to_owned(), reason });
        };
        let set = self.store.anchor_set(project, name, viewer).await?.id;
        check_scales(rubric, &self.store.anchor_set_rubric(set).await?, &declaration.criteria, name)?;
        let mut items = self.store.anchor_items(set, viewer).await?;
        items.retain(|item| item.split == Split::Tune && declaration.criteria.contains(&item.criterion));
        let mut shown = Vec::new();
        for example in &model.examples {
            let units = units_of(&items, example);
            if units.is_empty() {
                let reason = format!(
                    "found {}, expected conversations with an item of {name}, tune, on {}, that you are not labelling",
                    visible(example),
                    declaration.criteria.join(", ")
                );
                return Err(ServiceError::Invalid { field: "examples".to_owned(), reason });
            }
            let conversation = self.store.conversation(project, example).await?.conversation;
            shown.extend(units.into_iter().map(|(unit, values)| Shown {
                conversation: conversation.clone(),
                unit,
                values,
            }));
        }
        Ok(shown)
    }

    /// Takes the conversations that one of the judges was shown as examples out of what is measured, for all judges: they are compared on
    /// the same items.
    pub(crate) async fn leave_out_examples(
        &self,
        project: ProjectId,
        observations: &mut Observations,
    ) -> Result<(), ServiceError> {
        let judges: HashSet<&str> = observations.verdicts.iter().map(|verdict| &*verdict.judge).collect();
        let mut shown: HashSet<String> = HashSet::new();
        for judge in self.store.judges(project).await? {
            let several = judge.versions.len() > 1;
            for version in judge.versions {
                let full = format!("{}@{}", judge.name, version.version);
                if judges.contains(if several { full.as_str() } else { judge.name.as_str() }) {
                    shown.extend(declared_examples(&version.declared));
                }
            }
        }
        if !shown.is_empty() {
            observations.without_conversations(&shown);
        }
        Ok(())
    }
}

/// The units of one conversation with the references of each.
fn units_of(items: &[AnchorItem], conversation: &str) -> Vec<(Unit, Vec<(String, f64)>)> {
    let mut units: BTreeMap<Unit, Vec<(String, f64)>> = BTreeMap::new();
    for item in items.iter().filter(|item| item.conversation == conversation) {
        units.entry(item.unit.clone()).or_default().push((item.criterion.clone(), item.reference));
    }
    units.into_iter().collect()
}

/// A reference is shown on the scale on which the judge is to answer.
fn check_scales(
    rubric: &Rubric,
    frozen: &Rubric,
    criteria: &[String],
    set: &AnchorSetName,
) -> Result<(), ServiceError> {
    let differs = |id: &&String| frozen.criterion(id).is_some() && rubric.scale_of(id) != frozen.scale_of(id);
    match criteria.iter().find(differs) {
        None => Ok(()),
        Some(id) => {
            let reason = format!("{set} has `{id}` on another scale than the rubric of today");
            Err(ServiceError::Invalid { field: "example_set".to_owned(), reason })
        }
    }
}

fn declared_examples(declared: &serde_json::Value) -> Vec<String> {
    let examples = declared.pointer("/declaration/instrument/model/examples");
    let names = examples.and_then(serde_json::Value::as_array).into_iter().flatten();
    names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
}
