//! Judges that are run here: declared, previewed on a real item, run over many, and watched meanwhile.

mod asking;
mod baselines;
mod examples;
mod inline;
mod instrument;
mod line;
mod preview;
mod recalibrating;
mod runner;
mod sampling;
mod susceptibility;
mod units;

pub(crate) use inline::InlineGate;
pub use inline::{InlineAnswer, InlineRequest};
pub(crate) use line::Lines;
pub use preview::{JudgePreview, PreviewedAnswer};
pub use recalibrating::RecalibrationRequest;
pub use runner::RunEstimate;
pub(crate) use runner::Runs;
pub use sampling::SampleTaken;
pub use susceptibility::JudgeSusceptibility;

use crate::{ProjectId, Service, ServiceError, UserId, Viewer};
use domain::{
    Declaration, DeclarationError, Instrument, JustificationGrade, Observations, Rubric, RubricUsed,
    RunCounts, RunPlan, RunState, UnitKind, hash_of, is_floating,
};
use judge::Endpoints;
pub use judge::library::Template;
use serde::{Deserialize, Serialize};
use similar::TextDiff;
use std::{collections::BTreeSet, sync::Arc};
pub use store::{DeclaredVersion, JudgeRun};
use store::{Failure, RunId};

/// Failures beside a run; the ledger has all.
const FAILURES_SHOWN: usize = 50;

/// A judge version as lists show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgeEntry {
    /// As reports name it: the version stands in it where the judge has several.
    pub name: String,
    /// Name of the judge.
    pub judge: String,
    /// The version.
    pub version: String,
    /// `declared` here, or `import`: its verdicts came as a file.
    pub source: String,
    /// The model that is asked for.
    pub model: Option<String>,
    /// Whether that is an alias that the provider may point at another model.
    pub floating: bool,
    /// Verdicts, failures included.
    pub verdicts: u64,
    /// Instrument failures.
    pub failures: u64,
    /// The criteria that it has verdicts on.
    pub criteria: Vec<String>,
    /// What answered for it.
    pub instruments: Vec<InstrumentEntry>,
    /// Whether more than one model version answered: it is not one instrument then, and not to be gated.
    pub mixed: bool,
    /// What people think of its reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grades: Vec<JustificationGrade>,
}

/// One instrument behind a judge version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstrumentEntry {
    /// Hash of the judge version and the model version that answered.
    pub fingerprint: String,
    /// The model version, by the provider's word.
    pub reported_model: Option<String>,
}

/// A run as lists show it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunEntry {
    /// Identity.
    pub run: String,
    /// The judge version that is run, `NAME@VERSION`.
    pub judge: String,
    /// What it covers.
    pub plan: RunPlan,
    /// How it stands.
    pub state: RunState,
    /// Why it stands still, in words.
    pub says: Option<String>,
    /// How far it came.
    pub counts: RunCounts,
}

impl From<JudgeRun> for RunEntry {
    fn from(run: JudgeRun) -> RunEntry {
        RunEntry {
            run: run.id.to_string(),
            judge: format!("{}@{}", run.judge, run.version),
            plan: run.plan,
            state: run.state,
            says: run.says,
            counts: run.counts,
        }
    }
}

impl Service {
    /// The same service, with the endpoints that its judges may call.
    #[must_use]
    pub fn with_endpoints(self, endpoints: Endpoints) -> Service {
        Service { endpoints: Arc::new(endpoints), ..self }
    }

    /// The names of the endpoints that the operator has configured.
    #[must_use]
    pub fn endpoints(&self) -> Vec<String> {
        self.endpoints.names().map(str::to_owned).collect()
    }

    /// Declares a judge version against the project's rubric of today, which becomes part of it. Declaring the same again changes nothing.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for a declaration that does not fit the rubric or names an endpoint that is not configured;
    /// [`ServiceError::Conflict`] where another declaration stands under this name and version.
    pub async fn declare_judge(
        &self,
        project: ProjectId,
        declaration: Declaration,
        by: Option<UserId>,
    ) -> Result<DeclaredVersion, ServiceError> {
        let declaration = self.checked_declaration(project, declaration).await?;
        let rubric = self.rubric_version(project).await?.rubric;
        self.examples(project, &declaration, &rubric, Viewer::Operator).await?;
        let declared = self.store.declare_judge(project, &declaration, self.now()).await?;
        if declared.new {
            self.record(by, Some(project), "declare_judge", &declaration.full_name()).await?;
        }
        Ok(declared)
    }

    /// What was declared under a name: `NAME`, the last version, or `NAME@VERSION`.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`]; [`ServiceError::Conflict`] for a judge whose verdicts came as a file.
    pub async fn declared_judge(
        &self,
        project: ProjectId,
        judge: &str,
    ) -> Result<DeclaredVersion, ServiceError> {
        // A judge that came as a file may have an `@` in its name, one that was declared cannot.
        let (name, version) = match judge.split_once('@') {
            Some((name, version)) => (name, Some(version)),
            None => (judge, None),
        };
        Ok(self.store.declared_judge(project, name, version).await?)
    }

    /// The judge versions of a project, by name, with counts of what is not sealed to the viewer.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn judge_versions(
        &self,
        project: ProjectId,
        viewer: Viewer,
    ) -> Result<Vec<JudgeEntry>, ServiceError> {
        let (rubric, graded) = self.graded_justifications(project, viewer).await?;
        let mut counts = self.store.verdict_counts(project, viewer).await?;
        let mut entries = Vec::new();
        for judge in self.store.judges(project).await? {
            let several = judge.versions.len() > 1;
            for version in judge.versions {
                let shown =
                    |name: &str| version.declared.get(name).and_then(|text| text.as_str()).map(str::to_owned);
                let model = shown("model");
                // Of imported verdicts the scale is part of the fingerprint: several of one model are no mixture. What nobody answered
                // tells of no model.
                let mut models: BTreeSet<_> =
                    version.fingerprints.iter().map(|found| (&found.model, &found.reported_model)).collect();
                if models.iter().any(|(_, reported)| reported.is_some()) {
                    models.retain(|(_, reported)| reported.is_some());
                }
                let mixed = models.len() > 1;
                let counted = counts.remove(&version.id).unwrap_or_default();
                entries.push(JudgeEntry {
                    name: if several {
                        format!("{}@{}", judge.name, version.version)
                    } else {
                        judge.name.clone()
                    },
                    judge: judge.name.clone(),
                    version: version.version.clone(),
                    source: shown("source").unwrap_or_default(),
                    floating: shown("source").as_deref() == Some("declared")
                        && model.as_deref().is_some_and(is_floating),
                    model,
                    verdicts: counted.iter().map(|counted| counted.verdicts).sum(),
                    failures: counted.iter().map(|counted| counted.failures).sum(),
                    criteria: counted.into_iter().map(|counted| counted.criterion).collect(),
                    instruments: version
                        .fingerprints
                        .into_iter()
                        .map(|found| InstrumentEntry {
                            fingerprint: found.hash,
                            reported_model: found.reported_model,
                        })
                        .collect(),
                    mixed,
                    grades: rubric.as_ref().map_or_else(Vec::new, |rubric| {
                        let full_name = format!("{}@{}", judge.name, version.version);
                        JustificationGrade::all(rubric, &graded, &full_name)
                    }),
                });
            }
        }
        Ok(entries)
    }

    /// The labels on justifications that the viewer may see; no rubric where none is asked for.
    async fn graded_justifications(
        &self,
        project: ProjectId,
        viewer: Viewer,
    ) -> Result<(Option<Rubric>, Observations), ServiceError> {
        let Some(rubric) = self.rubric(project).await? else {
            return Ok((None, Observations::default()));
        };
        let mut graded = Observations::default();
        for criterion in rubric.asked_of(UnitKind::Justification) {
            let labels = std::mem::take(&mut graded.labels);
            graded = self.labels_seen(project, Some(&criterion.id), viewer).await?;
            graded.labels.extend(labels);
        }
        Ok((Some(rubric), graded))
    }

    /// What a version changed: the lines of both declarations, with `-` before those of the earlier and `+` before those of the later.
    ///
    /// # Errors
    /// As [`Service::declared_judge`].
    pub async fn judge_difference(
        &self,
        project: ProjectId,
        earlier: &str,
        later: &str,
    ) -> Result<String, ServiceError> {
        let mut texts = Vec::new();
        for judge in [earlier, later] {
            texts.push(self.declared_judge(project, judge).await?.declaration.to_toml().map_err(refused)?);
        }
        let difference = TextDiff::from_lines(&texts[0], &texts[1]);
        Ok(difference.unified_diff().context_radius(3).header(earlier, later).to_string())
    }

    /// The runs of a project, newest first.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn runs(&self, project: ProjectId) -> Result<Vec<JudgeRun>, ServiceError> {
        Ok(self.store.runs(project).await?)
    }

    /// Names of conversations that a judge can be tried on, the first so many.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn conversation_names(
        &self,
        project: ProjectId,
        most: usize,
        viewer: Viewer,
    ) -> Result<Vec<String>, ServiceError> {
        let slices = self.store.conversation_slices(project, viewer).await?;
        Ok(slices.into_iter().take(most).map(|slice| slice.external_id).collect())
    }

    /// The first instrument failures of the judge of a run that are not sealed to the viewer.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn run_failures(
        &self,
        project: ProjectId,
        run: &JudgeRun,
        viewer: Viewer,
    ) -> Result<Vec<Failure>, ServiceError> {
        let mut failures = self.store.failures(project, &run.judge, &run.version, None, viewer).await?;
        failures.truncate(FAILURES_SHOWN);
        Ok(failures)
    }

    /// A run as it stands.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`].
    pub async fn run(&self, project: ProjectId, run: &str) -> Result<JudgeRun, ServiceError> {
        Ok(self.store.run(project, run_id(run)?).await?)
    }

    /// A judge version, ready to answer, as far as its examples are not sealed to the viewer.
    async fn instrument(
        &self,
        project: ProjectId,
        declaration: Declaration,
        rubric: Rubric,
        viewer: Viewer,
    ) -> Result<instrument::Instrument, ServiceError> {
        let examples = self.examples(project, &declaration, &rubric, viewer).await?;
        let model = declaration.model().map(|model| model.endpoint.clone());
        let line = model.map(|endpoint| self.lines.to(&self.endpoints, &endpoint)).transpose()?;
        instrument::Instrument::new(declaration, rubric, examples, line, self.clock)
    }

    /// The rubric that a judge was declared against, as it was.
    pub(crate) async fn rubric_declared(
        &self,
        project: ProjectId,
        declaration: &Declaration,
    ) -> Result<Rubric, ServiceError> {
        match &declaration.rubric {
            None => Ok(self.rubric_version(project).await?.rubric),
            Some(used) => Ok(self.store.rubric_version(project, &used.name, used.version).await?.rubric),
        }
    }

    /// The declaration with the rubric that it is declared against.
    pub(crate) async fn checked_declaration(
        &self,
        project: ProjectId,
        mut declaration: Declaration,
    ) -> Result<Declaration, ServiceError> {
        let published = self.rubric_version(project).await?;
        declaration.check(&published.rubric).map_err(refused)?;
        if let Instrument::Model(model) = &declaration.instrument {
            self.endpoints.get(&model.endpoint).map_err(|error| ServiceError::Invalid {
                field: "endpoint".to_owned(),
                reason: error.to_string(),
            })?;
        }
        let hash = hash_of(&published.rubric).map_err(|error| ServiceError::Internal(error.to_string()))?;
        let (name, version) = (published.rubric.name.clone(), published.rubric.version);
        declaration.rubric = Some(RubricUsed { name, version, hash });
        Ok(declaration)
    }
}

/// The prompts that come along.
///
/// # Errors
/// [`ServiceError::Internal`] for a file of the library that cannot be read, which its tests rule out.
pub fn library() -> Result<Vec<Template>, ServiceError> {
    judge::library::templates().map_err(|error| ServiceError::Internal(error.to_string()))
}

fn run_id(run: &str) -> Result<RunId, ServiceError> {
    run.parse().map_err(|_| ServiceError::NotFound {
        what: format!("there is no run `{}`: `touchstone judge runs` lists them", domain::visible(run)),
    })
}

fn refused(error: DeclarationError) -> ServiceError {
    match error {
        DeclarationError::Field { field, found, expected } => ServiceError::Invalid {
            field: field.to_owned(),
            reason: format!("found {found}, expected {expected}"),
        },
        DeclarationError::Shape(reason) => ServiceError::Invalid { field: "judge".to_owned(), reason },
    }
}
