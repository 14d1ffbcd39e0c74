//! A judge on one real item, before it is run over many: what would be said to it, and what it answers.

use super::units::Call;
use crate::{ProjectId, Service, ServiceError, Viewer};
use domain::{Declaration, Reading, Unit};
use serde::Serialize;

/// What a judge would be told about a unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JudgePreview {
    /// The conversation.
    pub conversation: String,
    /// The unit.
    pub unit: Unit,
    /// The system message; empty where there is none, as for a baseline.
    pub system: String,
    /// The user message.
    pub prompt: String,
    /// About how many tokens both are.
    pub tokens: u64,
    /// What it answered, where it was asked.
    pub answer: Option<PreviewedAnswer>,
}

/// What a judge answered in a preview. It is no verdict: nothing of it is kept.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PreviewedAnswer {
    /// What is read from it, one for each criterion.
    pub readings: Vec<Reading>,
    /// The answer as it came.
    pub raw: Option<String>,
    /// The model version that answered, by the provider's word.
    pub reported_model: Option<String>,
    /// Time to the answer, in milliseconds.
    pub latency_ms: Option<f64>,
    /// Its price in US dollars.
    pub cost_usd: Option<f64>,
}

impl Service {
    /// Renders a declaration, which need not be kept yet, on one unit of a conversation; the first of its kind where none is named. With
    /// `ask` the judge is asked as well, which costs what a call costs. Examples that are sealed to the viewer are not shown: there is no
    /// preview then.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for a declaration or a template that cannot stand; [`ServiceError::NotFound`] for a conversation that is
    /// not there.
    pub async fn preview_judge(
        &self,
        project: ProjectId,
        declaration: Declaration,
        conversation: &str,
        unit: Option<&Unit>,
        ask: bool,
        viewer: Viewer,
    ) -> Result<JudgePreview, ServiceError> {
        let declaration = self.checked_declaration(project, declaration).await?;
        let rubric = self.rubric_version(project).await?.rubric;
        let stored = self.store.conversation(project, conversation).await?;
        let first = || stored.conversation.units(declaration.unit(&rubric)?).into_iter().next();
        let unit = unit.cloned().or_else(first).ok_or_else(|| ServiceError::Invalid {
            field: "conversation".to_owned(),
            reason: format!("`{}` has no unit that this judge is asked about", domain::visible(conversation)),
        })?;
        let model = declaration.model().cloned();
        let instrument = self.instrument(project, declaration, rubric, viewer).await?;
        let prompt = match &model {
            None => None,
            Some(model) => {
                let prompt = instrument.prompt(model, &stored.conversation, &unit);
                Some(prompt.map_err(|reason| ServiceError::Invalid { field: "prompt".to_owned(), reason })?)
            }
        };
        let answer = if ask {
            let call = Call { conversation: stored.id, unit: unit.clone(), repeat: 0 };
            let judged = instrument.answer(&call, &stored.conversation).await.into_judged();
            Some(PreviewedAnswer {
                readings: judged.readings,
                raw: judged.raw,
                reported_model: judged.reported_model,
                latency_ms: judged.latency_ms,
                cost_usd: judged.cost_usd,
            })
        } else {
            None
        };
        let tokens = prompt.as_ref().map_or(0, judge::Prompt::tokens);
        let (system, prompt) = prompt.map(|prompt| (prompt.system, prompt.user)).unwrap_or_default();
        Ok(JudgePreview { conversation: conversation.to_owned(), unit, system, prompt, tokens, answer })
    }
}
