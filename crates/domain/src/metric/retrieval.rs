//! Retrieval, from the graded relevance of each passage.

use super::{Better, Measured, Metric, RELEVANCE, Range, Seen, fault};
use crate::Component;
use agreement::{Citations, Gain, Ranking, Undefined, Unjudged, arithmetic_mean};
use std::collections::BTreeSet;

const fn grade(
    id: &'static str,
    name: &'static str,
    formula: &'static str,
    edges: &'static str,
    measure: fn(&Seen<'_>, &str) -> Measured,
) -> Metric {
    Metric { range: Range::Grade, ..rate(id, name, formula, edges, measure) }
}

const fn rate(
    id: &'static str,
    name: &'static str,
    formula: &'static str,
    edges: &'static str,
    measure: fn(&Seen<'_>, &str) -> Measured,
) -> Metric {
    let (component, better, range) = (Component::Retrieval, Better::High, Range::Share);
    let fault = fault::in_passages;
    Metric { id, component, name, formula, inputs: &[RELEVANCE], edges, better, range, measure, fault }
}

/// A metric of the passages that the answer cites.
const fn of_citations(metric: Metric) -> Metric {
    Metric { fault: fault::in_cited, ..metric }
}

const LEFT_OUT: &str = "Passages that nobody judged are taken out. Undefined where nothing was retrieved.";
const AS_ZERO: &str = "A variant by name: passages that nobody judged count as of grade 0.";

pub(super) const METRICS: &[Metric] = &[
    grade("mean_relevance", "context relevance", "mean grade of the passages", LEFT_OUT, |seen, _| {
        everything(seen, Unjudged::Removed, Ranking::mean_relevance)
    }),
    grade("max_relevance", "maximum relevance", "greatest grade of the passages", LEFT_OUT, |seen, _| {
        everything(seen, Unjudged::Removed, Ranking::max_relevance)
    }),
    of_citations(grade(
        "mean_relevance_of_cited",
        "mean relevance of the cited",
        "mean grade of the passages that the answer cites, each counted once",
        "Cited passages that nobody judged, and citations of no passage, are left out. Undefined where no passage is cited.",
        of_cited,
    )),
    rate(
        "precision@k",
        "precision at k",
        "relevant passages among the first k ÷ k; places beyond the end of the list are no hits",
        "Passages that nobody judged are taken out, and k falls by those among the first k. 0 where nothing was retrieved.",
        |seen, _| at_k(seen, Unjudged::Removed, Ranking::precision),
    ),
    rate(
        "precision_over_returned@k",
        "precision at k, over the returned",
        "relevant passages among the first k ÷ passages among the first k",
        LEFT_OUT,
        |seen, _| at_k(seen, Unjudged::Removed, Ranking::precision_over_returned),
    ),
    rate(
        "recall@k",
        "recall at k",
        "relevant passages among the first k ÷ all that were judged relevant",
        "Undefined where none was judged relevant.",
        |seen, _| at_k(seen, Unjudged::Zero, |ranking, k, from, _| ranking.recall(k, from)),
    ),
    rate(
        "ndcg_lin@k",
        "nDCG at k, linear gain",
        "Σ grade ÷ log2(place + 1) over the first k ÷ the same in the best order of all judged passages (Järvelin & Kekäläinen 2002)",
        "Passages that nobody judged are taken out, and k falls by those among the first k. Undefined where no judged passage has a grade above 0.",
        |seen, _| gained(seen, Gain::Linear, Unjudged::Removed),
    ),
    rate(
        "ndcg_exp@k",
        "nDCG at k, exponential gain",
        "as `ndcg_lin@k` with a gain of 2^grade − 1 (Burges et al. 2005)",
        "As `ndcg_lin@k`.",
        |seen, _| gained(seen, Gain::Exponential, Unjudged::Removed),
    ),
    of_citations(rate(
        "cited_precision",
        "cited precision",
        "cited and relevant ÷ cited passages, each counted once; a citation of no passage counts as not relevant",
        "Passages that nobody judged are left out. Undefined where nothing is cited.",
        |seen, _| cited(seen, Citations::precision),
    )),
    rate(
        "cited_precision_of_retrieved",
        "cited precision, of the retrieved",
        "cited and relevant ÷ retrieved passages",
        LEFT_OUT,
        |seen, _| cited(seen, Citations::precision_of_retrieved),
    ),
    of_citations(rate(
        "cited_recall",
        "cited recall",
        "cited and relevant ÷ relevant among the retrieved",
        "Passages that nobody judged are left out. Undefined where nothing relevant was retrieved; 0 where nothing is cited.",
        |seen, _| cited(seen, Citations::recall),
    )),
    grade(
        "mean_relevance_unjudged_as_zero",
        "context relevance, unjudged as 0",
        "as `mean_relevance`",
        AS_ZERO,
        |seen, _| everything(seen, Unjudged::Zero, Ranking::mean_relevance),
    ),
    grade(
        "max_relevance_unjudged_as_zero",
        "maximum relevance, unjudged as 0",
        "as `max_relevance`",
        AS_ZERO,
        |seen, _| everything(seen, Unjudged::Zero, Ranking::max_relevance),
    ),
    rate(
        "precision_unjudged_as_zero@k",
        "precision at k, unjudged as 0",
        "as `precision@k`",
        AS_ZERO,
        |seen, _| at_k(seen, Unjudged::Zero, Ranking::precision),
    ),
    rate(
        "ndcg_lin_unjudged_as_zero@k",
        "nDCG at k, linear gain, unjudged as 0",
        "as `ndcg_lin@k`",
        AS_ZERO,
        |seen, _| gained(seen, Gain::Linear, Unjudged::Zero),
    ),
    rate(
        "ndcg_exp_unjudged_as_zero@k",
        "nDCG at k, exponential gain, unjudged as 0",
        "as `ndcg_exp@k`",
        AS_ZERO,
        |seen, _| gained(seen, Gain::Exponential, Unjudged::Zero),
    ),
];

/// Of the first k passages; how many of them were judged stands beside it.
fn considered(
    seen: &Seen<'_>,
    k: usize,
    unjudged: Unjudged,
    of: impl Fn(&Ranking) -> Result<f64, Undefined>,
) -> Measured {
    let Some(passages) = &seen.trace.passages else { return Measured::NOT_ASKED };
    let top = passages.iter().take(k);
    let judged = top.clone().filter(|passage| seen.grade(passage).is_some()).count();
    let value = seen.ranking().and_then(of);
    match unjudged {
        // Of what is taken for 0 nothing is missing, as long as anybody looked at the conversation.
        Unjudged::Zero if seen.is_graded() => Measured::complete(value, judged, top.count()),
        _ => Measured::new(value, judged, top.count()),
    }
}

fn everything(
    seen: &Seen<'_>,
    unjudged: Unjudged,
    of: fn(&Ranking, usize, Unjudged) -> Result<f64, Undefined>,
) -> Measured {
    considered(seen, usize::MAX, unjudged, |ranking| of(ranking, ranking.returned(), unjudged))
}

fn at_k(
    seen: &Seen<'_>,
    unjudged: Unjudged,
    of: fn(&Ranking, usize, f64, Unjudged) -> Result<f64, Undefined>,
) -> Measured {
    let (k, from) = (seen.terms.k, relevant_from(seen));
    considered(seen, k, unjudged, |ranking| of(ranking, k, from.ok_or(Undefined::ScaleMismatch)?, unjudged))
}

fn gained(seen: &Seen<'_>, gain: Gain, unjudged: Unjudged) -> Measured {
    considered(seen, seen.terms.k, unjudged, |ranking| ranking.ndcg(seen.terms.k, gain, unjudged))
}

/// From which grade a passage is relevant, where the scale says so.
fn relevant_from(seen: &Seen<'_>) -> Option<f64> {
    seen.terms.term(seen.terms.relevance()?)?.pass_from
}

/// The cited passages as units, each once.
fn cited_units<'a>(seen: &Seen<'a>) -> BTreeSet<&'a str> {
    seen.trace.citations().map(|citation| &*citation.passage).collect()
}

fn of_cited(seen: &Seen<'_>, _: &str) -> Measured {
    let Some(passages) = &seen.trace.passages else { return Measured::NOT_ASKED };
    let cited = cited_units(seen);
    let there: Vec<&str> =
        passages.iter().map(|passage| &**passage).filter(|id| cited.contains(id)).collect();
    let grades: Vec<f64> = there.iter().filter_map(|passage| seen.grade(passage)).collect();
    Measured::new(arithmetic_mean(&grades).ok_or(Undefined::NothingCited), grades.len(), there.len())
}

fn cited(seen: &Seen<'_>, of: fn(&Citations) -> Result<f64, Undefined>) -> Measured {
    let Some(passages) = &seen.trace.passages else { return Measured::NOT_ASKED };
    let judged: BTreeSet<&str> =
        passages.iter().map(|passage| &**passage).filter(|passage| seen.grade(passage).is_some()).collect();
    let is_unjudged = |id: &str| !judged.contains(id) && passages.iter().any(|passage| **passage == *id);
    let cited = cited_units(seen).into_iter().filter(|id| !is_unjudged(id));
    let from = relevant_from(seen);
    let relevant = judged
        .iter()
        .copied()
        .filter(|passage| seen.grade(passage).zip(from).is_some_and(|(grade, from)| grade >= from));
    let citations = Citations::new(cited, judged.iter().copied(), relevant);
    let value = from.ok_or(Undefined::ScaleMismatch).and_then(|_| of(&citations));
    Measured::new(value, judged.len(), passages.len())
}
