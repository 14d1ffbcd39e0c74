//! What a metric sees of one conversation: its trace, and what one side said of it.

use crate::{Component, Rubric, Scale, ScaleKind, Trace, UnitKind};
use agreement::{Ranking, Undefined};
use std::{cell::OnceCell, collections::HashMap, sync::Arc};

/// One value that a side gave: people by their reference, a judge by a verdict.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Said {
    /// Position of the criterion in [`Terms::criteria`].
    pub(crate) criterion: u32,
    /// What it is about.
    pub(crate) unit: Arc<str>,
    /// The value.
    pub(crate) value: f64,
}

/// The rubric as metrics read it.
#[derive(Debug)]
pub(crate) struct Terms {
    pub(crate) criteria: Vec<Term>,
    positions: HashMap<String, u32>,
    /// How many passages `@k` considers.
    pub(crate) k: usize,
}

/// A criterion with its scale.
#[derive(Debug)]
pub(crate) struct Term {
    pub(crate) id: String,
    pub(crate) component: Component,
    pub(crate) unit: UnitKind,
    pub(crate) scale: Scale,
    /// Passed, relevant or *yes* from here on: the declared pass level, else the upper of two levels.
    pub(crate) pass_from: Option<f64>,
}

impl Terms {
    pub(crate) fn new(rubric: &Rubric, k: usize) -> Terms {
        let term = |criterion: &crate::Criterion| {
            let scale = rubric.scale(&criterion.scale)?.clone();
            let upper = (scale.kind == ScaleKind::Binary).then(|| scale.bounds().1);
            Some(Term {
                id: criterion.id.clone(),
                component: criterion.component,
                unit: criterion.unit,
                pass_from: scale.relevant_from.or(upper),
                scale,
            })
        };
        let criteria: Vec<Term> = rubric.criteria.iter().filter_map(term).collect();
        let positions = (0..).zip(&criteria).map(|(position, term)| (term.id.clone(), position)).collect();
        Terms { criteria, positions, k }
    }

    /// Position of the criterion with this id.
    pub(crate) fn criterion(&self, id: &str) -> Option<u32> {
        self.positions.get(id).copied()
    }

    pub(crate) fn term(&self, criterion: u32) -> Option<&Term> {
        self.criteria.get(criterion as usize)
    }

    /// The criterion that is asked of passages for retrieval.
    pub(crate) fn relevance(&self) -> Option<u32> {
        let of_passages =
            |term: &Term| term.component == Component::Retrieval && term.unit == UnitKind::Passage;
        (0..).zip(&self.criteria).find(|(_, term)| of_passages(term)).map(|(position, _)| position)
    }

    /// The bounds of the criterion that is asked of passages.
    pub(crate) fn relevance_bounds(&self) -> (f64, (f64, f64)) {
        self.relevance().and_then(|position| self.term(position)).map_or(super::SHARE, Term::bounds)
    }
}

impl Term {
    /// From where on it is good (the pass level, else the middle), and the least and greatest value.
    pub(crate) fn bounds(&self) -> (f64, (f64, f64)) {
        let (low, high) = self.scale.bounds();
        (self.pass_from.unwrap_or_else(|| f64::midpoint(low, high)), (low, high))
    }
}

/// How a yes-or-no criterion was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Yes,
    No,
    NotApplicable,
}

/// One conversation as a metric sees it.
pub(crate) struct Seen<'a> {
    pub(crate) trace: &'a Trace,
    pub(crate) terms: &'a Terms,
    /// Sorted by criterion and unit.
    said: &'a [Said],
    ranking: OnceCell<Result<Ranking, Undefined>>,
}

impl<'a> Seen<'a> {
    /// `said` is sorted by criterion and unit.
    pub(crate) fn new(terms: &'a Terms, trace: &'a Trace, said: &'a [Said]) -> Seen<'a> {
        Seen { trace, terms, said, ranking: OnceCell::new() }
    }

    /// What was said of a unit on a criterion.
    pub(crate) fn value(&self, criterion: u32, unit: &str) -> Option<f64> {
        let found = self
            .said
            .binary_search_by(|said| said.criterion.cmp(&criterion).then_with(|| (*said.unit).cmp(unit)));
        found.ok().and_then(|position| self.said.get(position)).map(|said| said.value)
    }

    /// Everything said on a criterion.
    pub(crate) fn all(&self, criterion: u32) -> &'a [Said] {
        let from = self.said.partition_point(|said| said.criterion < criterion);
        let to = self.said.partition_point(|said| said.criterion <= criterion);
        self.said.get(from..to).unwrap_or_default()
    }

    /// The answer to a yes-or-no criterion, by its id.
    pub(crate) fn answer(&self, criterion: &str, unit: &str) -> Option<Answer> {
        let position = self.terms.criterion(criterion)?;
        let (term, value) = (self.terms.term(position)?, self.value(position, unit)?);
        Some(if !term.scale.is_applicable(value) {
            Answer::NotApplicable
        } else if value >= term.pass_from? {
            Answer::Yes
        } else {
            Answer::No
        })
    }

    /// The grade of a passage's relevance.
    pub(crate) fn grade(&self, passage: &str) -> Option<f64> {
        self.value(self.terms.relevance()?, passage)
    }

    /// Whether any passage was graded.
    pub(crate) fn is_graded(&self) -> bool {
        self.terms.relevance().is_some_and(|criterion| !self.all(criterion).is_empty())
    }

    /// The passages in ranked order with the grades of all that were judged.
    pub(crate) fn ranking(&self) -> Result<&Ranking, Undefined> {
        let rank = || {
            let grades = self.terms.relevance().map(|criterion| self.all(criterion)).unwrap_or_default();
            let ranked = self.trace.passages.iter().flatten().map(|passage| &**passage);
            // A scale with negative grades has no gains.
            Ranking::new(ranked, grades.iter().map(|said| (&*said.unit, said.value)))
                .map_err(|_| Undefined::ScaleMismatch)
        };
        self.ranking.get_or_init(rank).as_ref().map_err(|reason| *reason)
    }
}

/// A metric of one conversation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Measured {
    pub(crate) reading: Reading,
    /// How many of the units that it needs were judged, of how many.
    pub(crate) judged: (u32, u32),
    /// The cell of the metric's table that the conversation is in.
    pub(crate) cell: Option<&'static str>,
}

/// The value of a metric of one conversation, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reading {
    Value(f64),
    Undefined(Undefined),
    /// The metric is not about this conversation.
    NotAsked,
}

impl Measured {
    /// Not about this conversation.
    pub(crate) const NOT_ASKED: Measured =
        Measured { reading: Reading::NotAsked, judged: (0, 0), cell: None };

    /// A value or why there is none; where something was needed and nothing of it judged, that is why.
    pub(crate) fn new(value: Result<f64, Undefined>, judged: usize, needed: usize) -> Measured {
        let value = if judged == 0 && needed > 0 { Err(Undefined::NoLabels) } else { value };
        Measured::complete(value, judged, needed)
    }

    /// A value or why there is none, however much was judged.
    pub(crate) fn complete(value: Result<f64, Undefined>, judged: usize, needed: usize) -> Measured {
        let reading = match value {
            Ok(value) => Reading::Value(value),
            Err(reason) => Reading::Undefined(reason),
        };
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Measured { reading, judged: (count(judged), count(needed)), cell: None }
    }

    /// The same in a cell of the metric's table.
    pub(crate) fn in_cell(self, cell: &'static str) -> Measured {
        Measured { cell: Some(cell), ..self }
    }

    pub(crate) fn value(&self) -> Option<f64> {
        match self.reading {
            Reading::Value(value) => Some(value),
            Reading::Undefined(_) | Reading::NotAsked => None,
        }
    }
}

/// `part` of `whole`, which must not be empty.
#[expect(clippy::cast_precision_loss, reason = "paragraphs and passages of one conversation")]
pub(crate) fn share(part: usize, whole: usize, otherwise: Undefined) -> Result<f64, Undefined> {
    if whole == 0 { Err(otherwise) } else { Ok(part as f64 / whole as f64) }
}
