//! Routing, from the answers to its yes-or-no criteria.

use super::{Answer, Better, Measured, Metric, Range, Seen, fault};
use crate::Component;
use agreement::Undefined;

const fn rate(
    id: &'static str,
    inputs: &'static [&'static str],
    name: &'static str,
    formula: &'static str,
    better: Better,
    measure: fn(&Seen<'_>, &str) -> Measured,
) -> Metric {
    let edges = "Conversations for which it is not applicable are left out and counted. Undefined where nobody answered.";
    Metric {
        id,
        component: Component::Routing,
        name,
        formula,
        inputs,
        edges,
        better,
        range: Range::Share,
        measure,
        fault: fault::nowhere,
    }
}

pub(super) const METRICS: &[Metric] = &[
    rate(
        "collections_ok",
        &["collections_ok"],
        "collections OK",
        "1 if the right collections were searched, else 0",
        Better::High,
        |seen, _| yes(seen, "collections_ok"),
    ),
    rate(
        "tools_ok",
        &["tools_ok"],
        "tools OK",
        "1 if the right tools were called and no others, else 0",
        Better::High,
        |seen, _| yes(seen, "tools_ok"),
    ),
    rate(
        "arguments_ok",
        &["arguments_ok"],
        "arguments OK",
        "1 if the tools were called with the right arguments, else 0",
        Better::High,
        |seen, _| yes(seen, "arguments_ok"),
    ),
    rate(
        "missing_resource",
        &["missing_resource"],
        "missing resource",
        "1 if a tool or collection that the answer needed was never called, else 0; a resource that was called and was unavailable is not missing",
        Better::Low,
        |seen, _| yes(seen, "missing_resource"),
    ),
    rate(
        "refined_query_used",
        &["refined_query_used"],
        "refined query used",
        "1 if the question was reformulated for retrieval, else 0",
        Better::High,
        |seen, _| yes(seen, "refined_query_used"),
    ),
];

/// 1 for yes and 0 for no, so that the mean is yes ÷ (yes + no).
pub(super) fn yes(seen: &Seen<'_>, criterion: &str) -> Measured {
    match seen.answer(criterion, "conversation") {
        Some(Answer::Yes) => Measured::new(Ok(1.0), 1, 1).in_cell("yes"),
        Some(Answer::No) => Measured::new(Ok(0.0), 1, 1).in_cell("no"),
        Some(Answer::NotApplicable) => Measured::NOT_ASKED.in_cell("not_applicable"),
        None => Measured::new(Err(Undefined::NoLabels), 0, 1),
    }
}
