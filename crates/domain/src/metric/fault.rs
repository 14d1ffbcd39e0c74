//! What lowers a metric of one conversation: the unit that a reader goes to, and why.

use super::{
    Answer, Seen,
    generation::{NEED, SUPPORT, Support, faithful, support},
};
use crate::trace::CitedParagraph;
use std::sync::Arc;

/// The unit that lowers a metric most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The unit.
    pub(crate) unit: Arc<str>,
    /// What is wrong with it, as a clause: `the cited passage does not support it`.
    pub(crate) says: String,
}

/// Of the passages the one with the least grade below the pass level, the first of equals.
pub(super) fn in_passages(seen: &Seen<'_>, _: &str) -> Option<Fault> {
    least_relevant(seen, |_| true)
}

/// The same among the passages that the answer cites.
pub(super) fn in_cited(seen: &Seen<'_>, _: &str) -> Option<Fault> {
    least_relevant(seen, |passage| seen.trace.citations().any(|citation| *citation.passage == *passage))
        .or_else(|| of_no_passage(seen, ""))
}

fn least_relevant(seen: &Seen<'_>, is_asked: impl Fn(&str) -> bool) -> Option<Fault> {
    let from = seen.terms.term(seen.terms.relevance()?)?.bounds().0;
    let passages = seen.trace.passages.iter().flatten().filter(|passage| is_asked(passage));
    let graded = passages.filter_map(|passage| Some((passage, seen.grade(passage)?)));
    let (passage, grade) = graded.min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let says = format!("its relevance is {grade}, and {from} would pass");
    (grade < from).then(|| Fault { unit: passage.clone(), says })
}

/// The first citation of a passage that does not exist.
pub(super) fn of_no_passage(seen: &Seen<'_>, _: &str) -> Option<Fault> {
    let citation = seen.trace.citations().find(|citation| !citation.exists)?;
    Some(Fault { unit: citation.unit.clone(), says: NO_PASSAGE.to_owned() })
}

/// The citation with the least support.
pub(super) fn in_citations(seen: &Seen<'_>, _: &str) -> Option<Fault> {
    let faults = seen.trace.paragraphs.iter().filter_map(|paragraph| weakest(seen, paragraph));
    faults.min_by_key(|(support, _)| *support).map(|(_, fault)| fault)
}

/// Of the paragraphs that need a source and cite the least faithful one, at its weakest citation.
pub(super) fn in_claims(seen: &Seen<'_>, _: &str) -> Option<Fault> {
    let needy = seen.trace.paragraphs.iter().filter(|paragraph| needs_source(seen, paragraph));
    let known = needy.filter_map(|paragraph| {
        let supports: Vec<Support> =
            paragraph.citations.iter().filter_map(|citation| support(seen, citation)).collect();
        Some((faithful(&supports), weakest(seen, paragraph)?.1))
    });
    known.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, fault)| fault)
}

/// The first paragraph that needs a source and cites none, else as [`in_claims`].
pub(super) fn in_needs(seen: &Seen<'_>, _: &str) -> Option<Fault> {
    let bare = |paragraph: &&CitedParagraph| paragraph.citations.is_empty() && needs_source(seen, paragraph);
    let says = "it needs a source and cites none";
    let first = seen.trace.paragraphs.iter().find(bare);
    first
        .map(|paragraph| Fault { unit: paragraph.unit.clone(), says: says.to_owned() })
        .or_else(|| in_claims(seen, ""))
}

/// Of a score: where it asks whether everything is supported the least supported claim, else the answer with its score.
pub(super) fn of_score(seen: &Seen<'_>, criterion: &str) -> Option<Fault> {
    let claim = super::UNFAITHFUL.contains(&criterion).then(|| in_claims(seen, "")).flatten();
    claim.or_else(|| {
        let value = seen.value(seen.terms.criterion(criterion)?, "conversation")?;
        Some(Fault { unit: "conversation".into(), says: format!("its {criterion} is {value}") })
    })
}

/// Nothing within the conversation: it is about what was not done, or about all of it.
pub(super) fn nowhere(_: &Seen<'_>, _: &str) -> Option<Fault> {
    None
}

fn needs_source(seen: &Seen<'_>, paragraph: &CitedParagraph) -> bool {
    seen.answer(NEED, &paragraph.unit) == Some(Answer::Yes)
}

const NO_PASSAGE: &str = "it cites a passage that does not exist";

/// The weakest citation of a paragraph, unless all are fully supported.
fn weakest(seen: &Seen<'_>, paragraph: &CitedParagraph) -> Option<(Support, Fault)> {
    seen.terms.criterion(SUPPORT)?;
    let judged = paragraph.citations.iter().filter_map(|citation| Some((support(seen, citation)?, citation)));
    let (support, citation) = judged.min_by_key(|(support, _)| *support)?;
    let says = match support {
        Support::Full => return None,
        _ if !citation.exists => NO_PASSAGE,
        Support::Contradicts => "the cited passage contradicts it",
        Support::None => "the cited passage does not support it",
        Support::Partial => "the cited passage supports it in part only",
    };
    Some((support, Fault { unit: citation.unit.clone(), says: says.to_owned() }))
}
