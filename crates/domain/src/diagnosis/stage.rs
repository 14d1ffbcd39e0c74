//! The first stage of a conversation that broke, by rules on checks, labels and verdicts, and its likely cause.

use super::side::Vote;
use crate::{
    Trace,
    metric::{Terms, UNFAITHFUL},
};
use serde::{Deserialize, Serialize};

/// The stages of an assistant, in the order in which it works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Which agent, collections and tools were chosen.
    Routing,
    /// What was found.
    Retrieval,
    /// What was answered.
    Generation,
}

/// Why a conversation failed, as far as its labels, verdicts and checks tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// A tool was called though none was expected.
    NeedlessTool,
    /// The answer is right though the tool that it needs was not called.
    Guessed,
    /// A tool that the answer needs was not called, or another one was.
    WrongTool,
    /// The right tool was called with wrong arguments.
    WrongArgument,
    /// The wrong collections were searched.
    WrongCollection,
    /// A tool or collection that the answer needs was never called.
    MissingResource,
    /// The question was not reformulated for retrieval.
    QueryNotRefined,
    /// A document that the answer needs is not among the passages.
    WrongSource,
    /// No passage is relevant.
    NothingRelevant,
    /// There is no answer.
    NoAnswer,
    /// A tool was unavailable, and the answer does not say so.
    HiddenOutage,
    /// It should have abstained, and answered.
    InventedAnswer,
    /// It had the evidence, and abstained.
    WrongAbstention,
    /// It is in another language than the question.
    WrongLanguage,
    /// It had the evidence, and the answer is wrong.
    WrongAnswer,
    /// It says something that nothing supports.
    UnsupportedAddition,
    /// It cites a passage that does not exist.
    HallucinatedCitation,
    /// It leaves out a part of the question, or is not clear.
    Incomplete,
}

impl Cause {
    /// The stage that broke.
    #[must_use]
    pub fn stage(self) -> Stage {
        if self <= Cause::QueryNotRefined {
            Stage::Routing
        } else if self <= Cause::NothingRelevant {
            Stage::Retrieval
        } else {
            Stage::Generation
        }
    }

    /// What happened, and what to look at.
    #[must_use]
    pub fn in_words(self) -> (&'static str, &'static str) {
        match self {
            Cause::NeedlessTool => {
                ("a tool was called where none was expected", "the routing prompt: when no tool is needed")
            }
            Cause::Guessed => (
                "right answer without the tool that it needs",
                "whether the tool call is a condition of the answer: it was guessed",
            ),
            Cause::WrongTool => {
                ("a needed tool was not called", "the descriptions of the tools, and the routing prompt")
            }
            Cause::WrongArgument => (
                "the right tool with wrong arguments",
                "how identifiers are taken from the question, and the schema of the arguments",
            ),
            Cause::WrongCollection => (
                "the wrong collections were searched",
                "the descriptions of the collections, and the routing prompt",
            ),
            Cause::MissingResource => (
                "a needed tool or collection was never called",
                "the plan of calls: is one call taken for enough?",
            ),
            Cause::QueryNotRefined => (
                "the question was not reformulated for retrieval",
                "the step that rewrites the query with the turns before",
            ),
            Cause::WrongSource => {
                ("the document that holds the answer was not retrieved", "the query, the chunking and top-k")
            }
            Cause::NothingRelevant => {
                ("no passage is relevant", "the query, the chunking, top-k, and whether the corpus holds it")
            }
            Cause::NoAnswer => ("there is no answer", "limits, time-outs and filters after the model"),
            Cause::HiddenOutage => (
                "a tool was unavailable and the answer does not say so",
                "how errors of tools are put before the model",
            ),
            Cause::InventedAnswer => (
                "it should have abstained and answered",
                "the instruction to abstain, and what the model sees when there is no evidence",
            ),
            Cause::WrongAbstention => (
                "it had the evidence and abstained",
                "an instruction to abstain that is too strict, and the place of the evidence in the context",
            ),
            Cause::WrongLanguage => (
                "the answer is in another language",
                "the instruction about language, and the language of the passages",
            ),
            Cause::WrongAnswer => ("right evidence, wrong answer", "the prompt or the model"),
            Cause::UnsupportedAddition => (
                "something that nothing supports was added",
                "the instruction to stay with the evidence, the temperature, the length",
            ),
            Cause::HallucinatedCitation => (
                "a cited passage does not exist",
                "how passages are numbered for the model, and a check of citations after it",
            ),
            Cause::Incomplete => (
                "a part of the question was left out, or the answer is not clear",
                "questions of several parts, and the limit of length",
            ),
        }
    }
}

/// What is known of one conversation: its trace with its checks, and what most say of each item.
pub(super) struct Known<'a> {
    pub(super) terms: &'a Terms,
    pub(super) trace: &'a Trace,
    /// Sorted by criterion and unit.
    pub(super) votes: &'a [Vote],
}

impl Known<'_> {
    /// The first thing that broke. Routing comes before retrieval, and retrieval before generation: what breaks first makes the rest
    /// fail. Where as many say yes as no, nothing is known.
    pub(super) fn cause(&self) -> Option<Cause> {
        self.routing().or_else(|| self.retrieval()).or_else(|| self.generation())
    }

    fn vote(&self, criterion: u32, unit: &str) -> Option<bool> {
        let found = self
            .votes
            .binary_search_by(|vote| vote.criterion.cmp(&criterion).then_with(|| (*vote.unit).cmp(unit)));
        self.votes.get(found.ok()?)?.passes
    }

    /// What most say of the conversation on a criterion: yes, or at or above the pass level.
    fn says(&self, criterion: &str) -> Option<bool> {
        self.vote(self.terms.criterion(criterion)?, "conversation")
    }

    fn is(&self, criterion: &str) -> bool {
        self.says(criterion) == Some(true)
    }

    fn is_not(&self, criterion: &str) -> bool {
        self.says(criterion) == Some(false)
    }

    fn checks(&self) -> crate::Checks {
        self.trace.checked.as_ref().map(|checked| checked.checks).unwrap_or_default()
    }

    fn routing(&self) -> Option<Cause> {
        let checks = self.checks();
        let wrong_tool = checks.tool_choice == Some(false) || self.is_not("tools_ok");
        let needless = self.trace.no_tool_expected && self.trace.tool_path;
        let guessed = !self.trace.tool_path && self.is("correctness") && !self.is("abstained");
        let wrong_argument = checks.tool_argument == Some(false) || self.is_not("arguments_ok");
        first([
            (wrong_tool && needless, Cause::NeedlessTool),
            (wrong_tool && guessed, Cause::Guessed),
            (wrong_tool, Cause::WrongTool),
            (wrong_argument, Cause::WrongArgument),
            (self.is_not("collections_ok"), Cause::WrongCollection),
            (self.is("missing_resource"), Cause::MissingResource),
            (self.is_not("refined_query_used"), Cause::QueryNotRefined),
        ])
    }

    fn retrieval(&self) -> Option<Cause> {
        if self.checks().source == Some(false) {
            return Some(Cause::WrongSource);
        }
        let relevance = self.terms.relevance()?;
        let passages = self.trace.passages.as_deref().unwrap_or_default();
        let irrelevant = |passage: &std::sync::Arc<str>| self.vote(relevance, passage) == Some(false);
        // Where nothing was retrieved there may be nothing to retrieve, and whoever says so is right.
        let right_abstention = self.is("should_abstain") && self.is("abstained");
        (!passages.is_empty() && passages.iter().all(irrelevant) && !right_abstention)
            .then_some(Cause::NothingRelevant)
    }

    fn generation(&self) -> Option<Cause> {
        let wrong = self.is_not("correctness");
        let invented = self.is("should_abstain") && self.is_not("abstained");
        let (supported, unsupported) = self.support();
        first([
            (self.checks().answer_present == Some(false), Cause::NoAnswer),
            (self.trace.outage && (wrong || invented), Cause::HiddenOutage),
            (invented, Cause::InventedAnswer),
            (self.is_not("should_abstain") && self.is("abstained"), Cause::WrongAbstention),
            (self.is_not("language_compliance"), Cause::WrongLanguage),
            (wrong && !(supported && unsupported), Cause::WrongAnswer),
            (unsupported, Cause::UnsupportedAddition),
            (self.trace.citations().any(|citation| !citation.exists), Cause::HallucinatedCitation),
            (INCOMPLETE.iter().any(|criterion| self.is_not(criterion)), Cause::Incomplete),
        ])
    }

    /// Whether a citation is supported, and whether something is not: another citation, or the answer as a whole.
    fn support(&self) -> (bool, bool) {
        let criterion = self.terms.criterion("support");
        let existing = self.trace.citations().filter(|citation| citation.exists);
        let votes: Vec<bool> =
            existing.filter_map(|citation| self.vote(criterion?, &citation.unit)).collect();
        let unfaithful = UNFAITHFUL.iter().any(|criterion| self.is_not(criterion));
        (votes.contains(&true), votes.contains(&false) || unfaithful)
    }
}

/// The cause of the first rule that holds.
fn first<const RULES: usize>(rules: [(bool, Cause); RULES]) -> Option<Cause> {
    rules.into_iter().find(|(holds, _)| *holds).map(|(_, cause)| cause)
}

/// Criteria that say whether the whole question is answered, and clearly.
const INCOMPLETE: [&str; 4] = ["completeness", "answer_completeness", "question_understanding", "coherence"];
