//! What is taken out of the rows of every import of a project, and of the texts of its scores.

use crate::{
    ProjectId, Service, ServiceError, UserId,
    import::{Redactor, check_redaction},
};
use domain::{ORDER, PrivateKind, RedactionRules};
use store::{StoreError, StoredRedaction};

/// How often texts are redacted anew because others gave placeholders meanwhile.
const ATTEMPTS: usize = 5;

impl Service {
    /// The rules of a project.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn redaction_rules(&self, project: ProjectId) -> Result<RedactionRules, ServiceError> {
        let stored = self.store.redaction(project).await?;
        Ok(stored.map(|stored| stored.rules).unwrap_or_default())
    }

    /// Sets the rules of a project. They hold for what is imported from then on; what is there stays as it is.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for an expression, pattern or name that cannot stand.
    pub async fn set_redaction_rules(
        &self,
        project: ProjectId,
        rules: &RedactionRules,
        by: Option<UserId>,
    ) -> Result<(), ServiceError> {
        check_redaction(rules)?;
        let mut secret = [0; 32];
        // Of a project that has a secret the store keeps that one.
        getrandom::fill(&mut secret).map_err(|error| ServiceError::Internal(error.to_string()))?;
        let redaction = StoredRedaction { rules: rules.clone(), secret };
        self.store.set_redaction(project, &redaction, self.now()).await?;
        self.record(by, Some(project), "set_redaction", &in_words(rules)).await
    }

    /// Takes private data out of texts by the rules of a project. What it puts in their place is kept before they are given back.
    pub(crate) async fn redacted(
        &self,
        project: ProjectId,
        texts: Vec<Option<String>>,
    ) -> Result<Vec<Option<String>>, ServiceError> {
        let redaction = self.store.redaction(project).await?.filter(|redaction| !redaction.rules.is_empty());
        let Some(redaction) = redaction.filter(|_| texts.iter().any(Option::is_some)) else {
            return Ok(texts);
        };
        for _ in 0..ATTEMPTS {
            let redactor = Redactor::new(&redaction, self.store.placeholders(project).await?)?;
            let originals = texts.clone();
            let (clean, new) = tokio::task::spawn_blocking(move || {
                let clean = |text: Option<String>| text.map(|text| redactor.text(&text).unwrap_or(text));
                let clean: Vec<Option<String>> = originals.into_iter().map(clean).collect();
                (clean, redactor.finish().0)
            })
            .await
            .map_err(|error| ServiceError::Internal(error.to_string()))?;
            if new.is_empty() {
                return Ok(clean);
            }
            match self.store.keep_placeholders(project, &new).await {
                Ok(()) => return Ok(clean),
                Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let what = "others send so much at the same time that nothing could be taken out of the texts: send it again";
        Err(ServiceError::Conflict { what: what.to_owned() })
    }
}

/// The names of the rules: expressions may tell what they look for.
fn in_words(rules: &RedactionRules) -> String {
    let mut names: Vec<&str> = rules.kinds.iter().copied().map(PrivateKind::word).collect();
    names.extend((!rules.orders.is_empty()).then_some(ORDER));
    names.extend(rules.own.iter().map(|own| own.name.as_str()));
    if names.is_empty() { "nothing is taken out".to_owned() } else { names.join(", ") }
}
