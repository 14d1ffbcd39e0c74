//! What is to be decided, and in which order.

use super::{Adjudication, Item, by_item, labels_by_item};
use crate::{ContentHash, JudgeValue, Observations, Rubric, Scale, ScaleKind};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    str::FromStr,
};

/// By what items come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueOrder {
    /// How far the labels lie apart.
    #[default]
    People,
    /// How far the judges lie from the labels.
    Judges,
}

impl QueueOrder {
    /// Both orders.
    pub const ALL: [QueueOrder; 2] = [QueueOrder::People, QueueOrder::Judges];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            QueueOrder::People => "people",
            QueueOrder::Judges => "judges",
        }
    }
}

impl FromStr for QueueOrder {
    type Err = String;

    fn from_str(text: &str) -> Result<QueueOrder, String> {
        QueueOrder::ALL
            .into_iter()
            .find(|order| order.word() == text)
            .ok_or_else(|| format!("`{}` is no order: expected people or judges", crate::visible(text)))
    }
}

/// An item that waits for a decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContestedItem {
    /// The item.
    pub item: Item,
    /// Distance of the two labels that lie farthest apart, as a share of the scale's range.
    pub distance: f64,
    /// Mean distance of two labels, as a share of the scale's range.
    pub mean_distance: f64,
    /// Mean over the judges of the distance from a verdict to the nearest label; absent without valid verdicts.
    pub judges_distance: Option<f64>,
    /// Whether it was decided before, of other labels.
    pub stale: bool,
}

/// The items that wait for a decision, first things first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AdjudicationQueue {
    /// The items.
    pub items: Vec<ContestedItem>,
    /// Items that would wait too, but whose conversation is on somebody's desk.
    pub on_desks: u64,
    /// Items whose decision stands.
    pub decided: u64,
}

impl AdjudicationQueue {
    /// The items on which labels differ, or judges from all labels, and those whose decision is stale. Items of equal rank stand in an
    /// order drawn from the seed: neither who labelled first nor how a conversation is called decides.
    #[must_use]
    pub fn of(
        rubric: &Rubric,
        observations: &Observations,
        decisions: &[Adjudication],
        on_desks: &HashSet<String>,
        order: QueueOrder,
        seed: &str,
    ) -> AdjudicationQueue {
        let decided = by_item(observations, decisions);
        let verdicts = values_by_item(observations);
        let mut queue = AdjudicationQueue::default();
        let mut ranked: Vec<(ContentHash, ContestedItem)> = Vec::new();
        for ((setting, unit, criterion), labels) in labels_by_item(observations) {
            let (Some(scale), Ok(parsed)) = (rubric.scale_of(criterion), unit.parse()) else { continue };
            let decision = decided.get(&(setting, unit.to_owned(), criterion));
            let stale = decision.is_some_and(|decision| decision.is_stale(&labels));
            if decision.is_some() && !stale {
                queue.decided += 1;
                continue;
            }
            let conversation = observations.conversation(setting);
            let mut values: Vec<f64> = labels.iter().map(|label| label.value).collect();
            values.sort_by(f64::total_cmp);
            let (distance, mean_distance) = spread(scale, &values);
            let judges_distance =
                verdicts.get(&(setting, unit, criterion)).and_then(|judges| away(scale, &values, judges));
            let differs = match order {
                QueueOrder::People => distance > 0.0,
                QueueOrder::Judges => judges_distance.is_some_and(|distance| distance > 0.0),
            };
            if !differs && !stale {
                continue;
            }
            if on_desks.contains(conversation) {
                queue.on_desks += 1;
                continue;
            }
            let item =
                Item { conversation: conversation.to_owned(), unit: parsed, criterion: criterion.to_owned() };
            let lot = item.lot(seed);
            ranked.push((lot, ContestedItem { item, distance, mean_distance, judges_distance, stale }));
        }
        let rank = |item: &ContestedItem| match order {
            QueueOrder::People => [item.distance, item.mean_distance],
            QueueOrder::Judges => [item.judges_distance.unwrap_or(0.0), item.distance],
        };
        ranked.sort_by(|(lot_a, a), (lot_b, b)| {
            let ([a1, a2], [b1, b2]) = (rank(a), rank(b));
            b1.total_cmp(&a1).then(b2.total_cmp(&a2)).then_with(|| lot_a.cmp(lot_b))
        });
        queue.items = ranked.into_iter().map(|(_, item)| item).collect();
        queue
    }
}

/// The valid verdicts of each judge on each item.
fn values_by_item(observations: &Observations) -> HashMap<(u32, &str, &str), BTreeMap<&str, Vec<f64>>> {
    let mut values: HashMap<(u32, &str, &str), BTreeMap<&str, Vec<f64>>> = HashMap::new();
    for JudgeValue { judge, setting, unit, criterion, outcome, .. } in &observations.verdicts {
        if let Ok(value) = outcome {
            let judges = values.entry((*setting, unit, criterion)).or_default();
            judges.entry(judge).or_default().push(*value);
        }
    }
    values
}

/// Greatest and mean distance of two of the values, which are in order.
fn spread(scale: &Scale, values: &[f64]) -> (f64, f64) {
    let mut distances = Vec::new();
    for (index, a) in values.iter().enumerate() {
        distances.extend(values.iter().skip(index + 1).map(|b| scale.distance(*a, *b)));
    }
    (distances.iter().copied().fold(0.0, f64::max), mean(distances).unwrap_or(0.0))
}

/// Mean over the judges of the mean distance from a verdict to the nearest label.
fn away(scale: &Scale, labels: &[f64], judges: &BTreeMap<&str, Vec<f64>>) -> Option<f64> {
    let nearest = |verdict: f64| labels.iter().map(|label| scale.distance(*label, verdict)).reduce(f64::min);
    let of_judge = |verdicts: &Vec<f64>| mean(verdicts.iter().filter_map(|value| nearest(*value)).collect());
    mean(judges.values().filter_map(of_judge).collect())
}

/// The mean, added up in one order whatever the order of the values: what is equal must not differ in the last digit.
fn mean(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    agreement::arithmetic_mean(&values)
}

impl Scale {
    /// How far two answers lie apart, as a share of the scale's range: 0 for equal ones, 1 for any two different ones where levels have no
    /// order, and between an answer and "not applicable".
    #[must_use]
    pub fn distance(&self, a: f64, b: f64) -> f64 {
        let is_ordered = self.kind != ScaleKind::Nominal && self.is_applicable(a) && self.is_applicable(b);
        match (a - b).abs() {
            apart if apart <= 1e-9 => 0.0,
            apart if is_ordered => (apart / self.range()).min(1.0),
            _ => 1.0,
        }
    }
}
