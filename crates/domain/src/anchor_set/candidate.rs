//! What may be taken into a set: every item with a reference whose conversation nobody is labelling.

use super::{AnchorLabel, Provenance};
use crate::{ContentHash, Observations, References, Rubric, Scale, ScaleKind, Unit};
use std::collections::{HashMap, HashSet};

/// An item that has a reference, and so may be taken.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Id of the conversation.
    pub conversation: String,
    /// What shares nothing with another.
    pub cluster: String,
    /// The unit.
    pub unit: Unit,
    /// Id of the criterion.
    pub criterion: String,
    /// Criterion × category × level.
    pub stratum: String,
    /// What people said, under pseudonyms.
    pub labels: Vec<AnchorLabel>,
    /// The agreed value.
    pub reference: f64,
    /// How it came about.
    pub provenance: Provenance,
}

/// The name under which a set shows an annotator: the same in every set of a project, and telling nothing to those who do not know the
/// project's key.
#[must_use]
pub fn pseudonym(key: &str, annotator: &str) -> String {
    format!("annotator-{}", ContentHash::of_bytes(format!("{key} {annotator}").as_bytes()).short())
}

impl Candidate {
    /// The items with references, but for those of conversations that are on somebody's desk. `key` makes the pseudonyms.
    #[must_use]
    pub fn all(
        rubric: &Rubric,
        observations: &Observations,
        references: &References,
        on_a_desk: &HashSet<String>,
        key: &str,
    ) -> Vec<Candidate> {
        let mut labels: HashMap<(u32, &str, &str), Vec<AnchorLabel>> = HashMap::new();
        for label in &observations.labels {
            let value = AnchorLabel { annotator: pseudonym(key, &label.annotator), value: label.value };
            labels.entry((label.setting, &label.unit, &label.criterion)).or_default().push(value);
        }
        let candidates = references.items.iter().filter_map(|item| {
            let setting = observations.settings.get(item.setting as usize)?;
            if on_a_desk.contains(&*setting.conversation) {
                return None;
            }
            let scale = rubric.scale_of(&item.criterion)?;
            let mut labels = labels.remove(&(item.setting, &item.unit, &item.criterion)).unwrap_or_default();
            labels.sort_by(|a, b| a.annotator.cmp(&b.annotator));
            let category = setting.category.as_deref().unwrap_or("-");
            Some(Candidate {
                conversation: setting.conversation.to_string(),
                cluster: setting.cluster.to_string(),
                unit: item.unit.parse().ok()?,
                criterion: item.criterion.to_string(),
                stratum: format!("{} · {category} · {}", item.criterion, level(scale, item.value)),
                labels,
                reference: item.value,
                provenance: item.provenance.into(),
            })
        });
        candidates.collect()
    }

    pub(super) fn key(&self) -> String {
        format!("{} {} {}", self.conversation, self.unit, self.criterion)
    }
}

/// The level of a value; a fifth of the range where the scale has no levels.
fn level(scale: &Scale, value: f64) -> String {
    let (ScaleKind::Continuous, Some(min), Some(max)) = (scale.kind, scale.min, scale.max) else {
        return value.to_string();
    };
    let fifth = (5.0 * (value - min) / (max - min)).floor().clamp(0.0, 4.0);
    let bound = |fifths: f64| min + (max - min) * fifths / 5.0;
    format!("{:.2}–{:.2}", bound(fifth), bound(fifth + 1.0))
}

impl From<agreement::Provenance> for Provenance {
    fn from(provenance: agreement::Provenance) -> Provenance {
        match provenance {
            agreement::Provenance::Single => Provenance::Single,
            agreement::Provenance::Unanimous => Provenance::Unanimous,
            agreement::Provenance::Majority => Provenance::Majority,
            agreement::Provenance::Median => Provenance::Median,
        }
    }
}
