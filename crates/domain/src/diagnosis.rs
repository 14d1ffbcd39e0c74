mod compute;
mod side;
mod stage;
mod tail;

pub use stage::{Cause, Stage};
pub use tail::{Bin, Tail, WorstConversation};

use crate::{Better, Component, ContentHash, Observations, ReferenceSource, Rubric, SliceBy, Trace};
use agreement::Estimate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Every metric of a project from one side, beside the same from the other, and where its conversations fail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Diagnosis {
    /// Name of the project.
    pub project: String,
    /// Hash of the traces, labels, verdicts and settings that the figures are of.
    pub data_hash: ContentHash,
    /// Whose word the figures are: `labels`, or a judge.
    pub from: String,
    /// How several labels became one.
    pub reference: ReferenceSource,
    /// The judge by whose grades the passages were ordered; absent where they stand as they were retrieved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ranked_by: Option<String>,
    /// How many passages `@k` considers.
    pub k: u32,
    /// Conversations in all.
    pub conversations: u64,
    /// The metrics whose inputs the rubric has, in the order of the registry.
    pub metrics: Vec<MetricFigures>,
    /// At which stage the conversations fail first.
    pub failed_at: FailedAt,
    /// The same within slices: by path, and by what was asked for.
    pub failed_at_by: BTreeMap<String, BTreeMap<String, FailedAt>>,
    /// The likely causes, most frequent first within a stage.
    pub causes: Vec<CauseCount>,
    /// The conversations that fail, stage by stage.
    pub failures: Vec<FailedConversation>,
}

/// One metric of a project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MetricFigures {
    /// Its name, with k.
    pub id: String,
    /// The part of the assistant that it is about.
    pub component: Component,
    /// What people call it.
    pub name: String,
    /// The formula of one conversation, in words.
    pub formula: String,
    /// When a conversation has no value, and what becomes of what nobody judged.
    pub edges: String,
    /// Which way is better.
    pub better: Better,
    /// Mean over the conversations that have a value.
    pub estimate: Estimate,
    /// Share of the units that it needs that were judged; absent where it needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_share: Option<f64>,
    /// Conversations that it is about and that have no value, by reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub undefined: BTreeMap<String, u64>,
    /// Conversations in each cell of its table: yes, no and not applicable, or the four cases of abstention.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cells: BTreeMap<String, u64>,
    /// The mean within slices, by what they are cut by; routing always by path.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by: BTreeMap<String, BTreeMap<String, Estimate>>,
    /// The other side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paired: Option<Paired>,
    /// How the conversations are distributed, and the worst of them.
    pub tail: Tail,
}

/// A metric from the other side, on the conversations for which both have a value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Paired {
    /// The other side: a judge, or `labels`.
    pub judge: String,
    /// Its mean on these conversations.
    pub estimate: Estimate,
    /// Mean of judge minus people, with its paired interval.
    pub difference: Estimate,
    /// Spearman's ρ of the two over these conversations.
    pub correlation: Estimate,
}

/// How many conversations fail first at each stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedAt {
    /// The wrong agent, collection, tool or argument.
    pub routing: u64,
    /// The evidence was not found.
    pub retrieval: u64,
    /// The answer is at fault.
    pub generation: u64,
    /// Nothing is known to have broken.
    pub none: u64,
    /// Nothing was said of it, and no check failed.
    pub unjudged: u64,
}

/// How often a cause was the first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CauseCount {
    /// The cause.
    pub cause: Cause,
    /// Its stage.
    pub stage: Stage,
    /// Conversations.
    pub count: u64,
    /// What happened, in words.
    pub pattern: String,
    /// What to look at.
    pub look_at: String,
}

/// A conversation that fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedConversation {
    /// Id in the source system.
    pub conversation: String,
    /// The first stage that broke.
    pub stage: Stage,
    /// The likely cause.
    pub cause: Cause,
}

/// What a diagnosis is made of.
#[derive(Clone, Debug)]
pub struct DiagnosisInput<'a> {
    /// Name of the project.
    pub project: &'a str,
    /// The rubric.
    pub rubric: &'a Rubric,
    /// Conversations, labels and verdicts.
    pub observations: &'a Observations,
    /// The trace of each conversation, in the order of [`Observations::settings`].
    pub traces: &'a [Trace],
    /// Hash of all of it.
    pub data_hash: &'a ContentHash,
    /// What is asked.
    pub choice: &'a DiagnosisChoice,
}

/// What is asked of a diagnosis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagnosisChoice {
    /// How several labels become one, and whose.
    pub reference: ReferenceSource,
    /// Whether the figures are the judge's, and not people's.
    pub from_judge: bool,
    /// The judge of one of the two sides.
    pub judge: Option<String>,
    /// Cut into slices.
    pub by: Option<SliceBy>,
    /// How many passages `@k` considers.
    pub k: u32,
    /// A judge by whose grades the passages are ordered, those of equal grade as they were retrieved.
    pub ranked_by: Option<String>,
}

/// What the side of people is called.
pub const LABELS: &str = "labels";

impl FailedAt {
    /// Conversations of which something is known: the whole of every share.
    #[must_use]
    pub fn judged(&self) -> u64 {
        self.routing + self.retrieval + self.generation + self.none
    }

    fn count(&mut self, stage: Option<Stage>, judged: bool) {
        *match stage {
            Some(Stage::Routing) => &mut self.routing,
            Some(Stage::Retrieval) => &mut self.retrieval,
            Some(Stage::Generation) => &mut self.generation,
            None if judged => &mut self.none,
            None => &mut self.unjudged,
        } += 1;
    }
}
