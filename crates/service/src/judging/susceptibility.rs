//! How susceptible a judge is to texts that demand a score. They come along and are no conversations of a project: nobody labels them, and
//! no other figure sees them.

use super::{asking::Asking, units::Call};
use crate::{ProjectId, Service, ServiceError, UserId, Viewer};
use domain::{
    AnchorSet, AnchorSetName, ContentHash, Conversation, InjectionPair, Rubric, Susceptibility, Unit,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashSet};
use store::{ConversationId, DeclaredVersion};

/// The injection set that comes along.
const INJECTION: &[u8] = include_bytes!("../../../../anchor-sets/injection/1.json");

/// How susceptible a judge is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgeSusceptibility {
    /// `NAME@VERSION` of the judge.
    pub judge: String,
    /// The set whose texts it was asked about.
    pub anchor_set: AnchorSetName,
    /// SHA-256 of what that holds.
    pub hash: ContentHash,
    /// Calls that the set asks for.
    pub calls: u64,
    /// Of them, those that were answered.
    pub answered: u64,
    /// Whether more than one model version answered: it is not one instrument then.
    pub mixed: bool,
    /// The figures, for each criterion with an order.
    pub criteria: Vec<Susceptibility>,
}

/// The set, read.
struct Injection {
    name: AnchorSetName,
    hash: ContentHash,
    pairs: Vec<InjectionPair>,
}

impl Injection {
    fn bundled() -> Result<Injection, ServiceError> {
        let internal = |error: &dyn std::fmt::Display| ServiceError::Internal(error.to_string());
        let (set, hash) = AnchorSet::from_file(INJECTION).map_err(|error| internal(&error))?;
        let pairs = InjectionPair::all(&set).map_err(|error| internal(&error))?;
        Ok(Injection { name: AnchorSetName { name: set.name, version: set.version }, hash, pairs })
    }

    /// What a judge is asked: each unit of its kind, of both twins.
    fn calls(&self, declared: &DeclaredVersion, rubric: &Rubric) -> Vec<(Conversation, Unit)> {
        let Some(kind) = declared.declaration.unit(rubric) else { return Vec::new() };
        let of_pair = |pair: &InjectionPair| -> Vec<(Conversation, Unit)> {
            let twins = |unit: &Unit| [&pair.clean, &pair.attacked].map(|twin| (twin.clone(), unit.clone()));
            pair.units_of(kind).flat_map(twins).collect()
        };
        self.pairs.iter().flat_map(of_pair).collect()
    }
}

impl Service {
    /// Asks a judge about every text of the injection set that it was not asked about before, and gives the figures.
    ///
    /// # Errors
    /// As [`Service::declared_judge`]; [`ServiceError::Conflict`] where nobody answers, with what was answered kept;
    /// [`ServiceError::Busy`] while another process runs judges on this file.
    pub async fn probe_susceptibility(
        &self,
        project: ProjectId,
        judge: &str,
        by: Option<UserId>,
    ) -> Result<JudgeSusceptibility, ServiceError> {
        let declared = self.declared_judge(project, judge).await?;
        let rubric = self.rubric_declared(project, &declared.declaration).await?;
        let injection = Injection::bundled()?;
        let instrument =
            self.instrument(project, declared.declaration.clone(), rubric.clone(), Viewer::Operator).await?;
        let _lock = self.runs.lock(self)?;
        let kept = self.store.injection_answers(declared.id, &injection.hash).await?;
        let answered: HashSet<(&str, &Unit)> =
            kept.iter().map(|answer| (answer.conversation.as_str(), &answer.unit)).collect();
        let mut calls = injection.calls(&declared, &rubric);
        calls.retain(|(conversation, unit)| !answered.contains(&(conversation.id.as_str(), unit)));
        if !calls.is_empty() {
            let detail = format!("{} on {}", declared.declaration.full_name(), injection.name);
            self.record(by, Some(project), "probe_susceptibility", &detail).await?;
        }
        // The texts are no conversations of the project: each has an identity for its call only.
        let identified = |(conversation, unit)| {
            (conversation, Call { conversation: ConversationId::new(self.now()), unit, repeat: 0 })
        };
        let mut asking = Asking::new(instrument, calls.into_iter().map(identified).collect());
        while let Some((conversation, call)) = asking.next().await? {
            self.store.save_injection_call(declared.id, &injection.hash, &conversation, &call).await?;
        }
        self.susceptibility(project, judge).await
    }

    /// How susceptible a judge is, as far as it was asked.
    ///
    /// # Errors
    /// As [`Service::declared_judge`].
    pub async fn susceptibility(
        &self,
        project: ProjectId,
        judge: &str,
    ) -> Result<JudgeSusceptibility, ServiceError> {
        let declared = self.declared_judge(project, judge).await?;
        let rubric = self.rubric_declared(project, &declared.declaration).await?;
        let injection = Injection::bundled()?;
        let answers = self.store.injection_answers(declared.id, &injection.hash).await?;
        let asked: HashSet<(&str, &Unit)> =
            answers.iter().map(|answer| (answer.conversation.as_str(), &answer.unit)).collect();
        let models: BTreeSet<&str> =
            answers.iter().filter_map(|answer| answer.reported_model.as_deref()).collect();
        let of = |criterion: &String| Susceptibility::of(&rubric, criterion, &injection.pairs, &answers);
        Ok(JudgeSusceptibility {
            judge: declared.declaration.full_name(),
            calls: injection.calls(&declared, &rubric).len() as u64,
            answered: asked.len() as u64,
            mixed: models.len() > 1,
            criteria: declared.declaration.criteria.iter().filter_map(of).collect(),
            anchor_set: injection.name,
            hash: injection.hash,
        })
    }
}
