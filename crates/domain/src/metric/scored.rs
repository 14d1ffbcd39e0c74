//! The criteria that are scored for a whole conversation, each by itself.

use super::{Better, EACH, Measured, Metric, Range, Seen, fault};
use crate::Component;
use agreement::Undefined;

pub(super) const METRICS: &[Metric] = &[
    Metric {
        id: EACH,
        component: Component::Generation,
        name: "mean score",
        formula: "the score, on the scale of the criterion: question understanding, coherence, completeness, and every other criterion that is scored for whole conversations",
        inputs: &[],
        edges: "Undefined where nobody scored it. Not for a scale with two levels, whose mean is the share below.",
        better: Better::High,
        range: Range::Score,
        measure: score,
        fault: fault::of_score,
    },
    Metric {
        id: "<criterion>_passed",
        component: Component::Generation,
        name: "share at or above the pass level",
        formula: "1 if the score is at or above the pass level of the scale, else 0",
        inputs: &[],
        edges: "Undefined where nobody scored it. Only for scales with a pass level or two levels.",
        better: Better::High,
        range: Range::Share,
        measure: super::routing::yes,
        fault: fault::of_score,
    },
];

fn score(seen: &Seen<'_>, criterion: &str) -> Measured {
    let value = seen.terms.criterion(criterion).and_then(|position| {
        let value = seen.value(position, "conversation")?;
        seen.terms.term(position).map(|term| (value, term.scale.is_applicable(value)))
    });
    match value {
        Some((value, true)) => Measured::new(Ok(value), 1, 1),
        Some((_, false)) => Measured::NOT_ASKED,
        None => Measured::new(Err(Undefined::NoLabels), 0, 1),
    }
}
