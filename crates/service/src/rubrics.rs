//! The versions of a rubric: written, compared, published, and what each leaves behind.

use crate::{ProjectId, Service, ServiceError, UserId, Viewer};
use domain::{Rubric, RubricDifference};
use std::collections::BTreeMap;
use store::RubricVersion;

/// Labels that answer another question than a rubric asks now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleLabels {
    /// The criterion.
    pub criterion: String,
    /// How many labels that count, and that are not sealed to whoever asked.
    pub labels: u64,
    /// Whether the rubric still asks the criterion.
    pub is_asked: bool,
}

impl Service {
    /// All rubric versions of a project, last published first.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn rubric_versions(&self, project: ProjectId) -> Result<Vec<RubricVersion>, ServiceError> {
        Ok(self.store.rubric_versions(project).await?)
    }

    /// The labels that a rubric makes stale, by criterion: they were given under a version in which the criterion reads otherwise.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn stale_labels(
        &self,
        project: ProjectId,
        rubric: &Rubric,
        viewer: Viewer,
    ) -> Result<Vec<StaleLabels>, ServiceError> {
        let versions = self.store.rubric_versions(project).await?;
        let mut stale = BTreeMap::new();
        for given in self.store.labels_by_rubric_version(project, viewer).await? {
            let older = versions.iter().find(|version| version.id == given.rubric_version);
            if older.is_some_and(|older| RubricDifference::is_stale(&older.rubric, rubric, &given.criterion))
            {
                *stale.entry(given.criterion).or_insert(0) += given.labels;
            }
        }
        let entry = |(criterion, labels): (String, u64)| {
            let is_asked = rubric.criterion(&criterion).is_some();
            StaleLabels { criterion, labels, is_asked }
        };
        Ok(stale.into_iter().map(entry).collect())
    }

    /// Publishes what somebody wrote as the next version of the rubric.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] of the field `rubric` that says where the text is wrong, or that it asks what the version in force asks;
    /// [`ServiceError::Conflict`] where the version was published with other content.
    pub async fn publish_rubric_text(
        &self,
        project: ProjectId,
        text: &str,
        by: UserId,
    ) -> Result<Rubric, ServiceError> {
        let rubric = read_rubric(text)?;
        let current = self.rubric(project).await?;
        let same = current.filter(|current| Rubric { version: rubric.version, ..current.clone() } == rubric);
        if let Some(current) = same {
            let reason = format!("this asks what version {} asks: change something first", current.version);
            return Err(ServiceError::Invalid { field: "rubric".to_owned(), reason });
        }
        self.publish_rubric(project, &rubric, Some(by)).await?;
        Ok(rubric)
    }
}

/// Reads a rubric as a form sends it, whose line ends are not those of files.
///
/// # Errors
/// [`ServiceError::Invalid`] of the field `rubric` that says where the text is wrong.
pub fn read_rubric(text: &str) -> Result<Rubric, ServiceError> {
    let invalid = |reason: String| ServiceError::Invalid { field: "rubric".to_owned(), reason };
    Rubric::from_toml(&text.replace("\r\n", "\n")).map_err(|error| invalid(error.to_string()))
}
