use crate::{Checked, Conversation, Unit};
use std::{collections::HashSet, sync::Arc};

/// What metrics need of a conversation: its ids and what was called, none of its texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The passages as units, in ranked order; absent where this is no retrieval path.
    pub passages: Option<Vec<Arc<str>>>,
    /// The paragraphs of the answer.
    pub paragraphs: Vec<CitedParagraph>,
    /// Whether a tool was called.
    pub tool_path: bool,
    /// Whether a tool that was called was unavailable.
    pub outage: bool,
    /// Whether the question asks several things: it has two question marks or more.
    pub multi_part: bool,
    /// The deterministic checks, where this is a golden case.
    pub checked: Option<Checked>,
    /// Whether a golden case expects that no tool is called.
    pub no_tool_expected: bool,
}

/// A paragraph with what it cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitedParagraph {
    /// The paragraph as a unit.
    pub unit: Arc<str>,
    /// Its citations, each once.
    pub citations: Vec<CitedPassage>,
}

/// A citation of a paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CitedPassage {
    /// The pair of paragraph and passage as a unit.
    pub unit: Arc<str>,
    /// The passage as a unit.
    pub passage: Arc<str>,
    /// Whether there is such a passage; if not, the citation is hallucinated.
    pub exists: bool,
}

impl Trace {
    /// What metrics need of a conversation.
    #[must_use]
    pub fn of(conversation: &Conversation) -> Trace {
        let unit = |unit: Unit| -> Arc<str> { unit.to_string().into() };
        let passage = |id: &str| unit(Unit::Passage(id.to_owned()));
        let ids: HashSet<&str> = conversation.passages().iter().map(|passage| passage.id.as_str()).collect();
        let paragraphs = conversation.paragraphs();
        let cited = |paragraph: &crate::Paragraph| {
            let mut seen = HashSet::new();
            let distinct = paragraph.citations.iter().filter(|id| seen.insert(id.as_str()));
            let citations = distinct.map(|id| CitedPassage {
                unit: unit(Unit::Citation { paragraph: paragraph.id.clone(), passage: id.clone() }),
                passage: passage(id),
                exists: ids.contains(id.as_str()),
            });
            CitedParagraph {
                unit: unit(Unit::Paragraph(paragraph.id.clone())),
                citations: citations.collect(),
            }
        };
        let calls =
            conversation.routing.as_ref().map(|routing| routing.tool_calls.as_slice()).unwrap_or_default();
        let tools = conversation.expected.as_ref().and_then(|expected| expected.expected_tools());
        Trace {
            passages: conversation
                .passages
                .as_ref()
                .map(|passages| passages.iter().map(|own| passage(&own.id)).collect()),
            paragraphs: paragraphs.iter().map(cited).collect(),
            tool_path: !calls.is_empty(),
            outage: calls.iter().any(|call| call.error.as_ref().is_some_and(|error| !error.is_null())),
            multi_part: conversation.question().matches(['?', '？', '؟']).count() > 1,
            checked: Checked::of(conversation),
            no_tool_expected: tools.is_some_and(|tools| tools.is_empty()),
        }
    }

    /// Every citation of the answer, paragraph by paragraph.
    pub(crate) fn citations(&self) -> impl Iterator<Item = &CitedPassage> {
        self.paragraphs.iter().flat_map(|paragraph| &paragraph.citations)
    }
}
