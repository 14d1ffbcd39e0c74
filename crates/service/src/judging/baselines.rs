//! The two judges without a model that every other must beat.

use crate::{ProjectId, ReferenceChoice, Service, ServiceError, UserId, Viewer};
use domain::{Criterion, Declaration, Instrument, References, Rubric, ScaleKind, UnitKind, hash_of};
use std::collections::BTreeMap;

/// How lexical overlap is computed and cut; another way is another version.
const OVERLAP: &str = "1";

impl Service {
    /// Declares the majority level and lexical overlap for every kind of unit that the rubric asks about. The majority level is that of the
    /// references of the choice, and its version is named after the levels. Gives the names of the judges.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] for an anchor set that is not there; where the store fails.
    pub async fn declare_baselines(
        &self,
        project: ProjectId,
        choice: &ReferenceChoice,
        by: Option<UserId>,
    ) -> Result<Vec<String>, ServiceError> {
        let rubric = self.rubric_version(project).await?.rubric;
        let observed = self.observed(project, rubric.clone(), choice, None, Viewer::Operator).await?;
        let references = References::of(&observed.rubric, &observed.observations, &observed.reference);
        let mut names = Vec::new();
        for kind in [UnitKind::Conversation, UnitKind::Passage, UnitKind::Paragraph, UnitKind::Citation] {
            for declaration in baselines(&rubric, kind, &references)? {
                names.push(self.declare_judge(project, declaration, by).await?.declaration.full_name());
            }
        }
        Ok(names)
    }
}

fn baselines(
    rubric: &Rubric,
    kind: UnitKind,
    references: &References,
) -> Result<Vec<Declaration>, ServiceError> {
    let asked = |criterion: &&Criterion| criterion.unit == kind;
    let declared = |name: &str, version: &str, criteria: Vec<String>, instrument| Declaration {
        name: format!("{name}-{}", kind.word()),
        version: version.to_owned(),
        criteria,
        rubric: None,
        instrument,
    };
    let levels: BTreeMap<String, f64> = rubric
        .criteria
        .iter()
        .filter(asked)
        .filter_map(|criterion| {
            let values = references.items.iter().filter(|item| *item.criterion == *criterion.id);
            let level =
                judge::majority_level(values.map(|item| item.value), rubric.scale_of(&criterion.id)?)?;
            Some((criterion.id.clone(), level))
        })
        .collect();
    let ordered = rubric.criteria.iter().filter(asked).filter(|criterion| {
        rubric.scale_of(&criterion.id).is_some_and(|scale| scale.kind != ScaleKind::Nominal)
    });
    let ordered: Vec<String> = ordered.map(|criterion| criterion.id.clone()).collect();
    let mut baselines = Vec::new();
    if !levels.is_empty() {
        let hash = hash_of(&levels).map_err(|error| ServiceError::Internal(error.to_string()))?;
        let criteria = levels.keys().cloned().collect();
        baselines.push(declared(
            "majority-level",
            hash.short(),
            criteria,
            Instrument::MajorityLevel { levels },
        ));
    }
    if !ordered.is_empty() {
        baselines.push(declared("lexical-overlap", OVERLAP, ordered, Instrument::LexicalOverlap {}));
    }
    Ok(baselines)
}
