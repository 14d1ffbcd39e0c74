//! The annotator's desk.

use crate::{ProjectId, Service, ServiceError, UserId};
use domain::{LabelProgress, LabelTask, NewAnswer, OwnAnswer, Rubric, SaveOutcome, UnitKind};
use store::{Assignment, ConversationId, NewLabel, Next, OwnLabel, Saved};

/// Longest remark, in characters.
pub(crate) const LONGEST_COMMENT: usize = 10_000;

impl Service {
    /// What a person is to label now: what lies on the desk, or the next conversation that wants another annotator. `None`: nothing is
    /// left ([`Service::label_progress`] says what others still have).
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] where the project has no rubric.
    pub async fn label_task(
        &self,
        project: ProjectId,
        user: UserId,
    ) -> Result<Option<LabelTask>, ServiceError> {
        let rubric = self.rubric_version(project).await?.rubric;
        let assignment = match self.store.next_assignment(project, user, self.now()).await? {
            Next::Assigned(assignment) => assignment,
            Next::Nothing { .. } => return Ok(None),
        };
        Ok(Some(self.task_with_progress(project, user, &assignment, rubric).await?))
    }

    /// What a person is to label after `conversation`, so that moving on takes no time: it lies on the desk from now on.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] where the project has no rubric.
    pub async fn label_task_ahead(
        &self,
        project: ProjectId,
        user: UserId,
        conversation: &str,
    ) -> Result<Option<LabelTask>, ServiceError> {
        let rubric = self.rubric_version(project).await?.rubric;
        match self.store.assignment_ahead(project, user, conversation, self.now()).await? {
            None => Ok(None),
            Some(assignment) => Ok(Some(self.task_with_progress(project, user, &assignment, rubric).await?)),
        }
    }

    async fn task_with_progress(
        &self,
        project: ProjectId,
        user: UserId,
        assignment: &Assignment,
        rubric: Rubric,
    ) -> Result<LabelTask, ServiceError> {
        let progress = self.label_progress(project, user).await?;
        Ok(LabelTask { progress, ..self.task(project, user, assignment, rubric).await? })
    }

    async fn task(
        &self,
        project: ProjectId,
        user: UserId,
        assignment: &Assignment,
        rubric: Rubric,
    ) -> Result<LabelTask, ServiceError> {
        let stored = self.store.conversation_by_id(project, assignment.conversation).await?;
        let answers = self.answers(user, assignment.conversation, assignment.pass).await?;
        let progress = LabelProgress::default();
        Ok(LabelTask { conversation: stored.conversation, rubric, answers, progress })
    }

    /// How far a person is.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn label_progress(
        &self,
        project: ProjectId,
        user: UserId,
    ) -> Result<LabelProgress, ServiceError> {
        Ok(self.store.label_progress(project, user).await?)
    }

    /// Saves one answer of a person about a conversation on the person's desk, or about a judge's reason after that.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for an answer that the rubric does not have, [`ServiceError::Conflict`] where the rubric has changed or
    /// the conversation is not on the desk.
    pub async fn save_answer(
        &self,
        project: ProjectId,
        user: UserId,
        answer: NewAnswer,
    ) -> Result<SaveOutcome, ServiceError> {
        if answer.unit.kind() == UnitKind::Justification {
            return self.store_answer(project, user, answer, 0, false).await;
        }
        let pass = self.store.assignment_of(project, user, &answer.conversation).await?;
        self.store_answer(project, user, answer, pass.map_or(0, |last| last.pass), false).await
    }

    /// Saves what a person says of a conversation after having submitted it, when the seal is open: it is kept, marked, and takes no part in
    /// agreement; what was said before still does.
    ///
    /// # Errors
    /// As [`Service::save_answer`]; [`ServiceError::Conflict`] where the person has not submitted the conversation.
    pub async fn correct_answer(
        &self,
        project: ProjectId,
        user: UserId,
        answer: NewAnswer,
    ) -> Result<SaveOutcome, ServiceError> {
        self.store_answer(project, user, answer, 0, true).await
    }

    async fn store_answer(
        &self,
        project: ProjectId,
        user: UserId,
        answer: NewAnswer,
        pass: u32,
        correction: bool,
    ) -> Result<SaveOutcome, ServiceError> {
        let version = self.rubric_version(project).await?;
        if version.rubric.version != answer.rubric_version {
            let what = format!(
                "the rubric is now version {}: load the page again to see it",
                version.rubric.version
            );
            return Err(ServiceError::Conflict { what });
        }
        let stored = self.store.conversation(project, &answer.conversation).await?;
        let value = checked(&answer, &version.rubric, &stored.conversation)?;
        let supersedes = match &answer.supersedes {
            None => None,
            Some(id) => {
                Some(id.parse().map_err(|_| invalid("supersedes", "this is not the identity of a label"))?)
            }
        };
        let is_reason = answer.unit.kind() == UnitKind::Justification;
        let label = NewLabel {
            project,
            user,
            conversation: stored.id,
            rubric_version: version.id,
            unit: answer.unit,
            criterion: answer.criterion,
            pass,
            value,
            comment: answer.comment.filter(|comment| !comment.trim().is_empty()),
            flag: answer.flag,
            seconds: answer.seconds.filter(|seconds| seconds.is_finite() && *seconds >= 0.0),
            supersedes,
            client_key: answer.client_key,
            correction,
        };
        match self.store.save_label(&label, self.now()).await? {
            Saved::Stored { id, .. } => Ok(SaveOutcome::Saved { label: id.to_string() }),
            Saved::Conflict { current } => Ok(SaveOutcome::Conflict { current: current.map(own_answer) }),
            Saved::NotAssigned if is_reason => Err(ServiceError::Conflict {
                what: "this reason is graded after your own answer to the same question is submitted"
                    .to_owned(),
            }),
            Saved::NotAssigned => Err(not_on_the_desk(&answer.conversation)),
        }
    }

    /// Submits a conversation: its seal opens for this person, and what the person said counts. Submitting twice is the same as once.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] that names the required questions without an answer.
    pub async fn submit(
        &self,
        project: ProjectId,
        user: UserId,
        conversation: &str,
    ) -> Result<(), ServiceError> {
        let assignment = self.assignment(project, user, conversation).await?;
        let rubric = self.rubric_version(project).await?.rubric;
        let open = self.task(project, user, &assignment, rubric).await?.unanswered();
        if let Some((unit, criterion)) = open.first() {
            let reason = format!(
                "{} required questions have no answer yet, first `{criterion}` of {unit}",
                open.len()
            );
            return Err(invalid("answers", &reason));
        }
        self.store.submit_assignment(assignment.id, user, self.now()).await?;
        Ok(())
    }

    /// Puts a conversation aside for good, with a reason; another annotator gets it. Skipping twice is the same as once.
    ///
    /// # Errors
    /// [`ServiceError::Conflict`] where it was never on the person's desk, or was submitted.
    pub async fn skip(
        &self,
        project: ProjectId,
        user: UserId,
        conversation: &str,
        reason: &str,
    ) -> Result<(), ServiceError> {
        let assignment = self.assignment(project, user, conversation).await?;
        let reason: String = reason.trim().chars().take(LONGEST_COMMENT).collect();
        self.store.skip_assignment(assignment.id, user, &reason, self.now()).await?;
        Ok(())
    }

    async fn assignment(
        &self,
        project: ProjectId,
        user: UserId,
        conversation: &str,
    ) -> Result<Assignment, ServiceError> {
        let found = self.store.assignment_of(project, user, conversation).await?;
        found.ok_or_else(|| not_on_the_desk(conversation))
    }

    async fn answers(
        &self,
        user: UserId,
        conversation: ConversationId,
        pass: u32,
    ) -> Result<Vec<OwnAnswer>, ServiceError> {
        Ok(self.store.own_labels(user, conversation, pass).await?.into_iter().map(own_answer).collect())
    }
}

fn own_answer(label: OwnLabel) -> OwnAnswer {
    OwnAnswer {
        label: label.id.to_string(),
        unit: label.unit,
        criterion: label.criterion,
        value: label.value,
        comment: label.comment,
        flag: label.flag,
    }
}

pub(crate) fn invalid(field: &str, reason: &str) -> ServiceError {
    ServiceError::Invalid { field: field.to_owned(), reason: reason.to_owned() }
}

fn not_on_the_desk(conversation: &str) -> ServiceError {
    let id = domain::visible(conversation);
    ServiceError::Conflict {
        what: format!("conversation `{id}` is not on your desk (any more): load the page again"),
    }
}

/// The value on the scale, after all that can be wrong with an answer was looked for.
fn checked(
    answer: &NewAnswer,
    rubric: &domain::Rubric,
    conversation: &domain::Conversation,
) -> Result<Option<f64>, ServiceError> {
    let (Some(criterion), Some(scale)) =
        (rubric.criterion(&answer.criterion), rubric.scale_of(&answer.criterion))
    else {
        return Err(invalid("criterion", "the rubric has no such criterion"));
    };
    if answer.unit.kind() != criterion.unit || !conversation.has(&answer.unit) {
        return Err(invalid("unit", "the conversation has no such unit for this criterion"));
    }
    if answer.comment.as_ref().is_some_and(|comment| comment.chars().count() > LONGEST_COMMENT) {
        return Err(invalid("comment", &format!("a comment has at most {LONGEST_COMMENT} characters")));
    }
    if answer.client_key.is_empty() || answer.client_key.len() > 100 {
        return Err(invalid("client_key", "a key of 1 to 100 characters"));
    }
    let admit = |value| {
        scale.admit(value).ok_or_else(|| invalid("value", &format!("expected {}", scale.expectation())))
    };
    answer.value.map(admit).transpose()
}
