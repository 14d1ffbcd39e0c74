//! The registry: the one place where a metric is declared. Pages, reports, files and `docs/METHODS.md` take it from here.

mod fault;
mod generation;
mod retrieval;
mod routing;
mod scored;
mod seen;

pub(crate) use fault::Fault;
pub(crate) use seen::{Answer, Measured, Reading, Said, Seen, Term, Terms};

use crate::{Component, ScaleKind, UnitKind};
use serde::{Deserialize, Serialize};

/// Arithmetic over what people or a judge said of one conversation and over its trace. A metric of a project is its mean over the
/// conversations that have a value.
pub struct Metric {
    /// Its name in reports. `@k` stands for the number of passages considered, `<criterion>` for a criterion of the rubric.
    pub id: &'static str,
    /// The part of the assistant that it is about.
    pub component: Component,
    /// What people call it.
    pub name: &'static str,
    /// The formula of one conversation, in words.
    pub formula: &'static str,
    /// The criteria that it is computed from. `passage relevance` is the criterion of component retrieval that is asked of passages.
    pub inputs: &'static [&'static str],
    /// When a conversation has no value, and what becomes of what nobody judged.
    pub edges: &'static str,
    /// Which way is better.
    pub better: Better,
    /// Between which values it lies.
    pub(crate) range: Range,
    /// What of it is computed for one conversation.
    pub(crate) measure: fn(&Seen<'_>, &str) -> Measured,
    /// The unit of one conversation that lowers it most, where there is one to go to.
    pub(crate) fault: fn(&Seen<'_>, &str) -> Option<Fault>,
}

impl std::fmt::Debug for Metric {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Metric").field("id", &self.id).finish_non_exhaustive()
    }
}

/// Which way a metric is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// The more the better.
    High,
    /// The less the better.
    Low,
}

/// Between which values a metric lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Range {
    /// From 0 to 1.
    Share,
    /// On the scale of passage relevance.
    Grade,
    /// On the scale of its own criterion.
    Score,
}

/// The place of a criterion of the rubric in the id of a metric.
const EACH: &str = "<criterion>";

/// A share is bad below a half; it lies between 0 and 1.
const SHARE: (f64, (f64, f64)) = (0.5, (0.0, 1.0));

/// Criteria that say whether everything is supported.
pub(crate) const UNFAITHFUL: [&str; 3] = ["faithfulness", "hallucinationFree", "hallucination_free"];

/// The input of the retrieval metrics.
const RELEVANCE: &str = "passage relevance";

impl Metric {
    /// Every metric that is declared, in the order in which an assistant works.
    pub fn all() -> impl Iterator<Item = &'static Metric> {
        routing::METRICS.iter().chain(retrieval::METRICS).chain(generation::METRICS).chain(scored::METRICS)
    }

    /// Whether a rubric has what the metric is computed from.
    fn is_declared(&self, terms: &Terms) -> bool {
        self.inputs.iter().all(|input| match *input {
            RELEVANCE => terms.relevance().is_some(),
            input => terms.criterion(input).is_some(),
        })
    }
}

/// A metric as a project has it: with k chosen, and for one criterion where it is one of each.
#[derive(Debug)]
pub(crate) struct ProjectMetric {
    pub(crate) metric: &'static Metric,
    pub(crate) id: String,
    pub(crate) component: Component,
    /// The criterion that it is of; empty where the metric names its inputs itself.
    pub(crate) subject: String,
    /// From here on a conversation is good; a worse one is in the tail.
    pub(crate) bound: f64,
    /// Least and greatest value.
    pub(crate) range: (f64, f64),
}

impl ProjectMetric {
    /// The metrics whose inputs a rubric has.
    pub(crate) fn all(terms: &Terms) -> Vec<ProjectMetric> {
        let mut metrics = Vec::new();
        for metric in Metric::all() {
            if metric.id.starts_with(EACH) {
                metrics.extend(ProjectMetric::of_each(metric, terms));
            } else if metric.is_declared(terms) {
                let id = metric.id.replace("@k", &format!("@{}", terms.k));
                let (bound, range) = match (metric.range, metric.better) {
                    (Range::Grade, _) => terms.relevance_bounds(),
                    (_, Better::High) => SHARE,
                    // Of what should not be there, anything is too much.
                    (_, Better::Low) => (0.0, SHARE.1),
                };
                let subject = String::new();
                metrics.push(ProjectMetric {
                    metric,
                    id,
                    component: metric.component,
                    subject,
                    bound,
                    range,
                });
            }
        }
        metrics
    }

    /// A metric of each criterion that is scored for whole conversations and that no other metric speaks of.
    fn of_each(metric: &'static Metric, terms: &Terms) -> Vec<ProjectMetric> {
        let named: Vec<&str> = Metric::all().flat_map(|metric| metric.inputs).copied().collect();
        let scored = terms.criteria.iter().filter(|term| {
            let (kind, levels) = (term.scale.kind, term.scale.applicable().count());
            term.unit == UnitKind::Conversation
                && kind != ScaleKind::Nominal
                && !named.contains(&term.id.as_str())
                && match metric.range {
                    Range::Score => kind == ScaleKind::Continuous || levels > 2,
                    Range::Share | Range::Grade => term.pass_from.is_some(),
                }
        });
        let metric_of = |term: &Term| {
            let (bound, range) = match metric.range {
                Range::Score => term.bounds(),
                Range::Share | Range::Grade => SHARE,
            };
            let id = metric.id.replace(EACH, &term.id);
            ProjectMetric { metric, id, component: term.component, subject: term.id.clone(), bound, range }
        };
        scored.map(metric_of).collect()
    }

    pub(crate) fn measure(&self, seen: &Seen<'_>) -> Measured {
        (self.metric.measure)(seen, &self.subject)
    }

    /// What people call it, with the criterion where it is one of each.
    pub(crate) fn label(&self) -> String {
        let name = self.metric.name;
        if self.subject.is_empty() { name.to_owned() } else { format!("{}, {name}", self.subject) }
    }

    pub(crate) fn fault(&self, seen: &Seen<'_>) -> Option<Fault> {
        (self.metric.fault)(seen, &self.subject)
    }
}

#[cfg(test)]
mod tests;
