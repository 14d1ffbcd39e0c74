//! Generation, from the support of each citation, the need of each paragraph, and the answers about the whole.

use super::{
    Answer, Better, Measured, Metric, Range, Seen,
    fault::{self, Fault},
    seen::share,
};
use crate::{
    Component,
    trace::{CitedParagraph, CitedPassage},
};
use agreement::{Undefined, arithmetic_mean};

#[expect(clippy::too_many_arguments, reason = "a row of the registry, in the order of its columns")]
const fn metric(
    id: &'static str,
    inputs: &'static [&'static str],
    name: &'static str,
    formula: &'static str,
    edges: &'static str,
    better: Better,
    measure: fn(&Seen<'_>, &str) -> Measured,
    fault: fn(&Seen<'_>, &str) -> Option<Fault>,
) -> Metric {
    let (component, range) = (Component::Generation, Range::Share);
    Metric { id, component, name, formula, inputs, edges, better, range, measure, fault }
}

pub(super) const SUPPORT: &str = "support";
pub(super) const NEED: &str = "needs_source";

pub(super) const METRICS: &[Metric] = &[
    metric(
        "faithfulness_to_cited",
        &[SUPPORT, NEED],
        "faithfulness to cited references",
        "mean over the paragraphs that need a source and cite: 0 if a cited passage contradicts, else the best support of their citations (none 0, partial ½, full 1); a citation of no passage counts as none",
        "Paragraphs and citations that nobody judged are left out. Undefined where no paragraph that needs a source cites.",
        Better::High,
        |seen, _| faithfulness(seen),
        fault::in_claims,
    ),
    metric(
        "citation_correctness",
        &[SUPPORT],
        "citation correctness",
        "citations with partial or full support ÷ citations whose passage exists",
        "Citations that nobody judged are left out. Undefined where no citation has a passage.",
        Better::High,
        |seen, _| correctness(seen),
        fault::in_citations,
    ),
    metric(
        "citation_recall",
        &[SUPPORT, NEED],
        "citation recall",
        "paragraphs that need a source and have a citation with partial or full support ÷ paragraphs that need a source",
        "Paragraphs and citations that nobody judged are left out. Undefined where no paragraph needs a source.",
        Better::High,
        |seen, _| recall(seen),
        fault::in_needs,
    ),
    metric(
        "citation_precision",
        &[SUPPORT, NEED],
        "citation precision",
        "citations that a paragraph in need of a source needs ÷ all citations; needed is full support, or partial where no other citation of the paragraph gives full (after Gao et al. 2023)",
        "Paragraphs and citations that nobody judged are left out. Undefined where nothing is cited.",
        Better::High,
        |seen, _| precision(seen),
        fault::in_citations,
    ),
    metric(
        "hallucinated_citations",
        &[],
        "hallucinated citations",
        "citations of no passage ÷ all citations",
        "Needs the trace alone, and so is the same from everybody. Undefined where nothing is cited.",
        Better::Low,
        |seen, _| hallucinated(seen),
        fault::of_no_passage,
    ),
    metric(
        "language_compliance",
        &["language_compliance"],
        "language compliance",
        "1 if the answer is in the language of the question, else 0",
        "Undefined where nobody answered.",
        Better::High,
        |seen, _| super::routing::yes(seen, "language_compliance"),
        fault::nowhere,
    ),
    metric(
        "appropriate_abstention",
        &["should_abstain", "abstained"],
        "appropriate abstention",
        "1 if the assistant abstained where it should and answered where it should, else 0; the four cases are counted",
        "Undefined where one of the two was not answered.",
        Better::High,
        |seen, _| abstention(seen),
        fault::nowhere,
    ),
];

/// How far a passage supports a paragraph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Support {
    Contradicts,
    None,
    Partial,
    Full,
}

/// The four levels of the scale of `support`, least first.
const SUPPORTS: [Support; 4] = [Support::Contradicts, Support::None, Support::Partial, Support::Full];

/// The support of a citation; a citation of no passage has none, whoever judges.
pub(super) fn support(seen: &Seen<'_>, citation: &CitedPassage) -> Option<Support> {
    if !citation.exists {
        return Some(Support::None);
    }
    let criterion = seen.terms.criterion(SUPPORT)?;
    let value = seen.value(criterion, &citation.unit)?;
    let level = seen
        .terms
        .term(criterion)?
        .scale
        .applicable()
        .position(|level| (level.value - value).abs() < 1e-9)?;
    SUPPORTS.get(level).copied()
}

/// Whether the scale of `support` has its four levels.
fn is_graded(seen: &Seen<'_>) -> Result<(), Undefined> {
    let term = seen.terms.criterion(SUPPORT).and_then(|criterion| seen.terms.term(criterion));
    let four = term.is_some_and(|term| term.scale.applicable().count() == SUPPORTS.len());
    if four { Ok(()) } else { Err(Undefined::ScaleMismatch) }
}

/// The paragraphs that need a source.
fn in_need<'a>(seen: &Seen<'a>) -> Vec<&'a CitedParagraph> {
    let needs = |paragraph: &&CitedParagraph| seen.answer(NEED, &paragraph.unit) == Some(Answer::Yes);
    seen.trace.paragraphs.iter().filter(needs).collect()
}

/// How many paragraphs and citations with a passage were judged, of how many.
fn judged(seen: &Seen<'_>) -> (usize, usize) {
    let existing = || seen.trace.citations().filter(|citation| citation.exists);
    let paragraphs = &seen.trace.paragraphs;
    let citations = existing().filter(|citation| support(seen, citation).is_some()).count();
    let needs = paragraphs.iter().filter(|paragraph| seen.answer(NEED, &paragraph.unit).is_some()).count();
    (citations + needs, existing().count() + paragraphs.len())
}

/// What is computed from both criteria; a conversation of which no paragraph was judged has no labels.
fn of_both(seen: &Seen<'_>, value: impl Fn(&[&CitedParagraph]) -> Result<f64, Undefined>) -> Measured {
    let known = seen.trace.paragraphs.iter().any(|paragraph| seen.answer(NEED, &paragraph.unit).is_some());
    let (judged, needed) = judged(seen);
    let value =
        if known { is_graded(seen).and_then(|()| value(&in_need(seen))) } else { Err(Undefined::NoLabels) };
    Measured::new(value, judged, needed)
}

fn faithfulness(seen: &Seen<'_>) -> Measured {
    of_both(seen, |in_need| {
        let supports = in_need.iter().map(|paragraph| {
            paragraph.citations.iter().filter_map(|citation| support(seen, citation)).collect::<Vec<_>>()
        });
        let faithful: Vec<f64> =
            supports.filter(|supports| !supports.is_empty()).map(|s| faithful(&s)).collect();
        let cites = in_need.iter().any(|paragraph| !paragraph.citations.is_empty());
        arithmetic_mean(&faithful).ok_or(if cites { Undefined::NoLabels } else { Undefined::NothingCited })
    })
}

/// A paragraph's faithfulness: one contradiction undoes every support.
pub(super) fn faithful(supports: &[Support]) -> f64 {
    match (supports.contains(&Support::Contradicts), supports.iter().max()) {
        (false, Some(Support::Full)) => 1.0,
        (false, Some(Support::Partial)) => 0.5,
        _ => 0.0,
    }
}

fn correctness(seen: &Seen<'_>) -> Measured {
    let existing: Vec<&CitedPassage> = seen.trace.citations().filter(|citation| citation.exists).collect();
    let supports: Vec<Support> = existing.iter().filter_map(|citation| support(seen, citation)).collect();
    let right = supports.iter().filter(|support| **support >= Support::Partial).count();
    let value = is_graded(seen).and_then(|()| share(right, supports.len(), Undefined::NothingCited));
    Measured::new(value, supports.len(), existing.len())
}

fn recall(seen: &Seen<'_>) -> Measured {
    of_both(seen, |in_need| {
        let supported = in_need.iter().filter_map(|paragraph| {
            let supports: Vec<Support> =
                paragraph.citations.iter().filter_map(|citation| support(seen, citation)).collect();
            // Of a paragraph whose citations nobody judged nothing is known.
            let known = paragraph.citations.is_empty() || !supports.is_empty();
            known.then(|| supports.iter().any(|support| *support >= Support::Partial))
        });
        let supported: Vec<bool> = supported.collect();
        let otherwise = if in_need.is_empty() { Undefined::NoPositives } else { Undefined::NoLabels };
        share(supported.iter().filter(|supported| **supported).count(), supported.len(), otherwise)
    })
}

fn precision(seen: &Seen<'_>) -> Measured {
    of_both(seen, |_| {
        let (mut needed, mut all) = (0, 0);
        for paragraph in &seen.trace.paragraphs {
            let Some(need) = seen.answer(NEED, &paragraph.unit) else { continue };
            let supports: Vec<Support> =
                paragraph.citations.iter().filter_map(|citation| support(seen, citation)).collect();
            all += supports.len();
            if need == Answer::Yes {
                let count = |level: Support| supports.iter().filter(|support| **support == level).count();
                needed += match count(Support::Full) {
                    0 => count(Support::Partial),
                    full => full,
                };
            }
        }
        let cites = seen.trace.citations().next().is_some();
        share(needed, all, if cites { Undefined::NoLabels } else { Undefined::NothingCited })
    })
}

fn hallucinated(seen: &Seen<'_>) -> Measured {
    let citations: Vec<&CitedPassage> = seen.trace.citations().collect();
    let of_none = citations.iter().filter(|citation| !citation.exists).count();
    Measured::new(share(of_none, citations.len(), Undefined::NothingCited), 0, 0)
}

fn abstention(seen: &Seen<'_>) -> Measured {
    let should = seen.answer("should_abstain", "conversation");
    let did = seen.answer("abstained", "conversation");
    let judged = usize::from(should.is_some()) + usize::from(did.is_some());
    let measured = |value| Measured::new(value, judged, 2);
    match (should, did) {
        (Some(Answer::No), Some(Answer::No)) => measured(Ok(1.0)).in_cell("right_answer"),
        (Some(Answer::Yes), Some(Answer::Yes)) => measured(Ok(1.0)).in_cell("right_abstention"),
        (Some(Answer::No), Some(Answer::Yes)) => measured(Ok(0.0)).in_cell("wrong_abstention"),
        (Some(Answer::Yes), Some(Answer::No)) => measured(Ok(0.0)).in_cell("wrong_answer"),
        (Some(Answer::NotApplicable), _) | (_, Some(Answer::NotApplicable)) => Measured::NOT_ASKED,
        _ => measured(Err(Undefined::NoLabels)),
    }
}
