//! What one side said: people by their references, or a judge by its verdicts.

use crate::{
    Observations,
    metric::{Said, Term, Terms},
};
use agreement::Rule;
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

/// Everything that one side said, by conversation.
pub(super) struct Side {
    /// For each repeat and conversation what was said, sorted by criterion and unit; people have one repeat.
    pub(super) repeats: Vec<Vec<Vec<Said>>>,
    /// For each conversation what most labels or repeats say of each item.
    pub(super) votes: Vec<Vec<Vote>>,
}

/// Whether most labels, or most repeats, put an item at or above its pass level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Vote {
    pub(super) criterion: u32,
    pub(super) unit: Arc<str>,
    /// None where as many say yes as no.
    pub(super) passes: Option<bool>,
}

impl Side {
    /// People: each item's reference, which is the frozen one where there is one, and how most of them would pass it.
    pub(super) fn people(observations: &Observations, terms: &Terms, rule: Option<Rule>) -> Side {
        let mut given: Vec<Vec<Said>> = vec![Vec::new(); observations.settings.len()];
        for label in &observations.labels {
            push(&mut given, terms, label.setting, &label.criterion, &label.unit, label.value);
        }
        let mut side = Side { repeats: vec![Vec::new()], votes: Vec::new() };
        for said in &mut given {
            let references = match observations.references {
                None => items(said).filter_map(|item| reference(item, terms, rule)).collect(),
                Some(_) => Vec::new(),
            };
            side.votes.push(items(said).filter_map(|item| vote(item, terms)).collect());
            side.repeats[0].push(references);
        }
        for frozen in observations.references.iter().flatten() {
            let to = &mut side.repeats[0];
            push(to, terms, frozen.setting, &frozen.criterion, &frozen.unit, frozen.value);
        }
        side.repeats[0].iter_mut().for_each(|said| sort(said));
        side
    }

    /// A judge: its verdicts, repeat by repeat, and what most repeats say.
    pub(super) fn judge(observations: &Observations, terms: &Terms, judge: &str) -> Side {
        let verdicts = || observations.verdicts.iter().filter(|verdict| *verdict.judge == *judge);
        let numbers: BTreeSet<u32> = verdicts().map(|verdict| verdict.repeat).collect();
        let position: HashMap<u32, usize> = numbers.iter().copied().zip(0..).collect();
        let nothing = vec![Vec::new(); observations.settings.len()];
        let mut repeats: Vec<Vec<Vec<Said>>> = vec![nothing.clone(); numbers.len().max(1)];
        let mut all = nothing;
        for verdict in verdicts() {
            let (Ok(value), Some(repeat)) = (verdict.outcome, position.get(&verdict.repeat)) else {
                continue;
            };
            for to in [&mut repeats[*repeat], &mut all] {
                push(to, terms, verdict.setting, &verdict.criterion, &verdict.unit, value);
            }
        }
        repeats.iter_mut().flatten().for_each(|said| sort(said));
        let votes =
            all.iter_mut().map(|said| items(said).filter_map(|item| vote(item, terms)).collect()).collect();
        Side { repeats, votes }
    }

    /// Whether anything was said of a conversation.
    pub(super) fn speaks_of(&self, setting: usize) -> bool {
        let votes = self.votes.get(setting).is_some_and(|votes| !votes.is_empty());
        votes || self.repeats.iter().any(|of| of.get(setting).is_some_and(|said| !said.is_empty()))
    }

    /// The mean grade of each passage over the repeats, where there is one.
    pub(super) fn mean(&self, setting: usize, criterion: u32, unit: &str) -> Option<f64> {
        let said = self.repeats.iter().filter_map(|of| of.get(setting)).flatten();
        let of_unit = said.filter(|said| said.criterion == criterion && *said.unit == *unit);
        let (sum, count) = of_unit.fold((0.0, 0.0), |(sum, count), said| (sum + said.value, count + 1.0));
        (count > 0.0).then(|| sum / count)
    }
}

fn push(to: &mut [Vec<Said>], terms: &Terms, setting: u32, criterion: &str, unit: &Arc<str>, value: f64) {
    if let (Some(criterion), Some(said)) = (terms.criterion(criterion), to.get_mut(setting as usize)) {
        said.push(Said { criterion, unit: unit.clone(), value });
    }
}

fn sort(said: &mut [Said]) {
    said.sort_by(|a, b| (a.criterion, &a.unit).cmp(&(b.criterion, &b.unit)));
}

/// What was said of each item, item by item.
fn items(said: &mut [Said]) -> impl Iterator<Item = &[Said]> {
    sort(said);
    said.chunk_by(|a, b| a.criterion == b.criterion && a.unit == b.unit)
}

/// What takes part in rates.
fn applicable(item: &[Said], term: &Term) -> Vec<f64> {
    item.iter().map(|said| said.value).filter(|value| term.scale.is_applicable(*value)).collect()
}

/// The reference of an item: by the rule, or that it is not applicable where most say so.
fn reference(item: &[Said], terms: &Terms, rule: Option<Rule>) -> Option<Said> {
    let (first, rule) = (item.first()?, rule?);
    let mut values = applicable(item, terms.term(first.criterion)?);
    if item.len() > 2 * values.len() {
        let is_not = |said: &&Said| !values.contains(&said.value);
        return item.iter().find(is_not).cloned();
    }
    let given = values.clone();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let level = |value: &f64| values.partition_point(|other| other < value);
    let levels: Vec<u32> = given.iter().filter_map(|value| u32::try_from(level(value)).ok()).collect();
    let decided = rule.decide(&levels)?;
    Some(Said { value: *values.get(decided.level as usize)?, ..first.clone() })
}

fn vote(item: &[Said], terms: &Terms) -> Option<Vote> {
    let first = item.first()?;
    let term = terms.term(first.criterion)?;
    let (pass_from, values) = (term.pass_from?, applicable(item, term));
    let yes = values.iter().filter(|value| **value >= pass_from).count();
    let passes = match yes.cmp(&(values.len() - yes)) {
        std::cmp::Ordering::Greater => Some(true),
        std::cmp::Ordering::Less => Some(false),
        std::cmp::Ordering::Equal => None,
    };
    Some(Vote { criterion: first.criterion, unit: first.unit.clone(), passes })
}
