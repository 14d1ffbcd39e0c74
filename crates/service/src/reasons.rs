//! The reasons of judges, graded by people who have answered the same question before.

use crate::{ProjectId, Service, ServiceError, UserId, labelling::invalid};
use domain::{Conversation, NewAnswer, Rubric, SaveOutcome, Unit, UnitKind};

/// How a person stands with the reasons of judges.
#[derive(Clone, Debug)]
pub struct Reasons {
    /// The questions.
    pub rubric: Rubric,
    /// The reason to grade next; absent where none is left.
    pub task: Option<ReasonTask>,
    /// How many grades the person has given.
    pub graded: u64,
}

/// A reason that a judge gave, with what it is about.
#[derive(Clone, Debug)]
pub struct ReasonTask {
    /// The conversation, which the person has labelled and submitted.
    pub conversation: Conversation,
    /// The reason as a unit.
    pub unit: Unit,
    /// The value that it is given for.
    pub value: f64,
    /// The reason, as the judge wrote it.
    pub text: String,
}

impl Service {
    /// Whether the rubric in force asks about the reasons of judges.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn asks_reasons(&self, project: ProjectId) -> Result<bool, ServiceError> {
        let rubric = self.rubric(project).await?;
        Ok(rubric.is_some_and(|rubric| rubric.asked_of(UnitKind::Justification).next().is_some()))
    }

    /// The reason that a person is to grade next, after leaving `behind` for later. It is for a verdict on an item that the person has
    /// labelled and submitted; before that nothing of it is told.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] where the rubric asks nothing about reasons.
    pub async fn reasons(
        &self,
        project: ProjectId,
        user: UserId,
        behind: usize,
    ) -> Result<Reasons, ServiceError> {
        let rubric = self.rubric_version(project).await?.rubric;
        if rubric.asked_of(UnitKind::Justification).next().is_none() {
            let what = "The rubric asks nothing about the reasons of judges.".to_owned();
            return Err(ServiceError::NotFound { what });
        }
        let (next, graded) = self.store.next_reason(project, user, behind).await?;
        let task = match next {
            None => None,
            Some(reason) => {
                let stored = self.store.conversation_by_id(project, reason.conversation).await?;
                let store::Reason { unit, value, text, .. } = reason;
                Some(ReasonTask { conversation: stored.conversation, unit, value, text })
            }
        };
        Ok(Reasons { rubric, task, graded })
    }

    /// Stores what a person says of one reason.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] that names a required question without an answer, or an answer that the rubric does not have;
    /// [`ServiceError::Conflict`] where the reason is not the person's to grade, was graded before, or the rubric has changed.
    pub async fn grade_reason(
        &self,
        project: ProjectId,
        user: UserId,
        answers: Vec<NewAnswer>,
    ) -> Result<(), ServiceError> {
        let rubric = self.rubric_version(project).await?.rubric;
        let mut required = rubric.asked_of(UnitKind::Justification).filter(|criterion| criterion.required);
        let is_open =
            |id: &str| !answers.iter().any(|answer| answer.criterion == id && answer.value.is_some());
        if let Some(criterion) = required.find(|criterion| is_open(&criterion.id)) {
            return Err(invalid("answers", &format!("`{}` has no answer yet", criterion.id)));
        }
        for answer in answers {
            if answer.unit.kind() != UnitKind::Justification {
                return Err(invalid("unit", "only reasons of judges are graded here"));
            }
            if let SaveOutcome::Conflict { .. } = self.save_answer(project, user, answer).await? {
                let what = "You have graded this reason in another tab or on another device.".to_owned();
                return Err(ServiceError::Conflict { what });
            }
        }
        Ok(())
    }
}
