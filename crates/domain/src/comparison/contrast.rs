//! The items behind the figures of a judge: what people said, what it said, and what another judge said, side by side.

use super::{
    ReferenceSource,
    table::{JudgeRows, Table},
};
use crate::{FailureKind, Observations, Rubric, Scale, ScaleKind, SliceNamed, observations::split_item};
use agreement::{Rule, arithmetic_mean};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// The items of one judge on one criterion beside people, and beside another judge where one is named.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contrast {
    /// Name of the project.
    pub project: String,
    /// Where the human values come from.
    pub reference: ReferenceSource,
    /// Id of the criterion.
    pub criterion: String,
    /// The judge.
    pub judge: String,
    /// The judge that it is held against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<String>,
    /// The slice that the items are of; absent for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slice: Option<SliceNamed>,
    /// How many items fall to each side, whatever `items` shows of them.
    pub counts: ContrastCounts,
    /// The items: those that the judge loses by most first, and without another judge those furthest from people first.
    pub items: Vec<ContrastItem>,
}

/// How many items fall to each side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContrastCounts {
    /// The judge is nearer to people than the other.
    pub won: u64,
    /// The other is nearer to people.
    pub lost: u64,
    /// Both are as near.
    pub even: u64,
    /// One of the two has no value.
    pub unanswered: u64,
}

/// Who is nearer to people on an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContrastOutcome {
    /// The judge.
    Won,
    /// The one that it is held against.
    Lost,
    /// Neither.
    Even,
    /// One of them has no value, or there is nobody to hold it against.
    Unanswered,
}

impl ContrastOutcome {
    /// All of them.
    pub const ALL: [ContrastOutcome; 4] =
        [ContrastOutcome::Won, ContrastOutcome::Lost, ContrastOutcome::Even, ContrastOutcome::Unanswered];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            ContrastOutcome::Won => "won",
            ContrastOutcome::Lost => "lost",
            ContrastOutcome::Even => "even",
            ContrastOutcome::Unanswered => "unanswered",
        }
    }
}

impl std::str::FromStr for ContrastOutcome {
    type Err = String;

    fn from_str(text: &str) -> Result<ContrastOutcome, String> {
        ContrastOutcome::ALL
            .into_iter()
            .find(|outcome| outcome.word() == text)
            .ok_or_else(|| format!("`{text}` is no outcome: expected won, lost, even or unanswered"))
    }
}

/// One item with everything that was said of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContrastItem {
    /// Id of the conversation in the source system.
    pub conversation: String,
    /// The unit, in its text form.
    pub unit: String,
    /// The human value.
    pub reference: f64,
    /// What each annotator said, by name.
    pub labels: Vec<(String, f64)>,
    /// What the judge said.
    pub judge: Answers,
    /// What the one said that it is held against.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<Answers>,
    /// Who is nearer.
    pub outcome: ContrastOutcome,
}

/// What one judge said of one item.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answers {
    /// Each repeat.
    pub repeats: Vec<RepeatAnswer>,
    /// Mean distance of the repeats with a value from the reference, in units of the scale; on a nominal scale the share of them that differ.
    /// Null where no repeat has a value.
    pub distance: Option<f64>,
}

/// What a judge said once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RepeatAnswer {
    /// Which repeat, from 0.
    pub repeat: u32,
    /// The value; null for a failure.
    pub value: Option<f64>,
    /// Why there is no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureKind>,
    /// The judge's reason, where it was looked up and there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What is held against what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContrastChoice {
    /// Id of the criterion.
    pub criterion: String,
    /// The judge.
    pub judge: String,
    /// The one that it is held against.
    pub against: Option<String>,
    /// Items of this slice only.
    pub slice: Option<SliceNamed>,
}

impl Contrast {
    /// Every item that has a reference, with what was said of it. None where the criterion has no references, or the judge no verdict on it.
    #[must_use]
    pub fn of(
        project: &str,
        rubric: &Rubric,
        observations: &Observations,
        source: ReferenceSource,
        choice: &ContrastChoice,
    ) -> Option<Contrast> {
        let criterion = rubric.criteria.iter().find(|criterion| criterion.id == choice.criterion)?;
        let scale = rubric.scale(&criterion.scale)?;
        let rule = source.rule.from_labels().unwrap_or(Rule::Median);
        let table = Table::new(observations, &criterion.id, scale, rule)?;
        let by_item = |name: &str| {
            let found = table.judges.iter().find(|judge| judge.name == name)?;
            Some(answers_by_item(&table, scale, found))
        };
        let judge = by_item(&choice.judge)?;
        let against = choice.against.as_deref().map(|name| by_item(name).unwrap_or_default());
        let is_chosen = in_slice(observations, choice.slice.as_ref());
        let mut items: Vec<ContrastItem> = table
            .with_reference()
            .filter(|item| is_chosen(table.item_name(*item).0))
            .filter_map(|item| {
                let answers = judge.get(&item).cloned().unwrap_or_default();
                let other = against.as_ref().map(|all| all.get(&item).cloned().unwrap_or_default());
                table.contrast(item, answers, other)
            })
            .collect();
        let mut counts = ContrastCounts::default();
        for item in &items {
            *counts.of(item.outcome) += 1;
        }
        // Ties stand in the order of the conversations, which is that of the table: the sort is stable.
        items.sort_by(|x, y| y.lost_by().total_cmp(&x.lost_by()));
        Some(Contrast {
            project: project.to_owned(),
            reference: source,
            criterion: choice.criterion.clone(),
            judge: choice.judge.clone(),
            against: choice.against.clone(),
            slice: choice.slice.clone(),
            counts,
            items,
        })
    }
}

impl ContrastCounts {
    fn of(&mut self, outcome: ContrastOutcome) -> &mut u64 {
        match outcome {
            ContrastOutcome::Won => &mut self.won,
            ContrastOutcome::Lost => &mut self.lost,
            ContrastOutcome::Even => &mut self.even,
            ContrastOutcome::Unanswered => &mut self.unanswered,
        }
    }
}

impl ContrastItem {
    /// How much further from people the judge is than the other; alone, how far it is. What has no value comes last.
    fn lost_by(&self) -> f64 {
        match (self.judge.distance, &self.against) {
            (Some(own), None) => own,
            (Some(own), Some(other)) => other.distance.map_or(f64::NEG_INFINITY, |other| own - other),
            (None, _) => f64::NEG_INFINITY,
        }
    }
}

/// Two distances that differ by less are equal: means over repeats are sums of rounded numbers.
const EQUAL: f64 = 1e-9;

impl Table<'_> {
    /// Conversation and unit of an item.
    fn item_name(&self, item: usize) -> (&str, &str) {
        self.ratings.items().get(item).map_or(("", ""), |key| split_item(key))
    }

    fn value(&self, level: Option<u32>) -> Option<f64> {
        self.ratings.level_values().get(level? as usize).copied()
    }

    fn contrast(&self, item: usize, judge: Answers, against: Option<Answers>) -> Option<ContrastItem> {
        let (conversation, unit) = self.item_name(item);
        let label = |person: &usize| {
            let name = self.ratings.raters().get(*person)?;
            Some((name.clone(), self.value(self.ratings.column(*person).level(item))?))
        };
        let both = judge.distance.zip(against.as_ref().and_then(|other| other.distance));
        Some(ContrastItem {
            conversation: conversation.to_owned(),
            unit: unit.to_owned(),
            reference: self.value(self.reference.level(item))?,
            labels: self.people.iter().filter_map(label).collect(),
            outcome: match both {
                None => ContrastOutcome::Unanswered,
                Some((own, other)) if (own - other).abs() < EQUAL => ContrastOutcome::Even,
                Some((own, other)) if own < other => ContrastOutcome::Won,
                Some(_) => ContrastOutcome::Lost,
            },
            judge,
            against,
        })
    }
}

/// What a judge said of each item that has a reference.
fn answers_by_item(table: &Table<'_>, scale: &Scale, judge: &JudgeRows<'_>) -> HashMap<usize, Answers> {
    let mut said: HashMap<usize, BTreeMap<u32, RepeatAnswer>> = HashMap::new();
    for verdict in &judge.verdicts {
        let Some(item) = table.position_of(verdict) else { continue };
        let answer = RepeatAnswer {
            repeat: verdict.repeat,
            value: verdict.outcome.ok(),
            failure: verdict.outcome.err(),
            reason: None,
        };
        said.entry(item).or_default().insert(verdict.repeat, answer);
    }
    let answers = said.into_iter().map(|(item, repeats)| {
        let repeats: Vec<RepeatAnswer> = repeats.into_values().collect();
        let reference = table.value(table.reference.level(item));
        let apart = |answer: &RepeatAnswer| {
            let value = answer.value.filter(|value| scale.is_applicable(*value))?;
            Some(distance(scale, value, reference?))
        };
        let distances: Vec<f64> = repeats.iter().filter_map(apart).collect();
        (item, Answers { distance: arithmetic_mean(&distances), repeats })
    });
    answers.collect()
}

fn distance(scale: &Scale, value: f64, reference: f64) -> f64 {
    let apart = (value - reference).abs();
    match scale.kind {
        ScaleKind::Nominal | ScaleKind::Binary => f64::from(u8::from(apart > EQUAL)),
        ScaleKind::Ordinal | ScaleKind::Continuous => apart,
    }
}

/// Whether a conversation is in the slice.
fn in_slice<'a>(
    observations: &'a Observations,
    slice: Option<&'a SliceNamed>,
) -> impl Fn(&str) -> bool + use<'a> {
    let values: HashMap<&str, &str> = slice
        .map(|slice| {
            let settings = observations.settings.iter();
            let value = |setting| slice.by.of(setting).map_or("", |value| &**value);
            settings.map(|setting| (&*setting.conversation, value(setting))).collect()
        })
        .unwrap_or_default();
    move |conversation| {
        slice.is_none_or(|slice| values.get(conversation).is_some_and(|value| **value == *slice.value))
    }
}
