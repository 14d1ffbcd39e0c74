//! Where the commands that read and decide find what they are about: a database file, or a server. Both give the same values, which the
//! same printers print.

use super::client::Server;
use crate::wire::{
    AgreementParameters, CheckParameters, ComparisonParameters, ContrastParameters, DiagnosisParameters,
    GateBody, ImportParameters, ReferenceParameters,
};
use domain::{
    AgreementReport, AnchorSetName, CheckReport, Comparison, Contrast, Decision, Diagnosis, ImportReport,
    ReleaseLogEntry, SlotChange,
};
use service::{
    AgreementQuery, AnchorSetEntry, CheckQuery, ComparisonQuery, ContrastQuery, DiagnosisQuery, GateRequest,
    JudgeEntry, ProjectId, RunEntry, Service, Viewer,
    import::{ImportFile, ImportRequest, Progress},
};

/// A database file, or a server.
pub(super) enum Source {
    /// Whoever holds the file sees everything.
    File(Service),
    /// By a token, and so for its person.
    Server(Server),
}

use Source::{File, Server as Remote};

async fn named(service: &Service, project: &str) -> anyhow::Result<ProjectId> {
    Ok(service.project(project).await?.id)
}

impl Source {
    pub(super) async fn agreement(
        &self,
        project: &str,
        query: &AgreementQuery,
    ) -> anyhow::Result<AgreementReport> {
        match self {
            File(service) => {
                Ok(service.agreement(named(service, project).await?, query, Viewer::Operator).await?)
            }
            Remote(server) => {
                let request = server.get(&["agreement"], project).query(&AgreementParameters::from(query));
                Ok(server.answer(request).await?)
            }
        }
    }

    pub(super) async fn comparison(
        &self,
        project: &str,
        query: &ComparisonQuery,
    ) -> anyhow::Result<Comparison> {
        match self {
            File(service) => {
                Ok(service.comparison(named(service, project).await?, query, Viewer::Operator).await?)
            }
            Remote(server) => {
                let request = server
                    .get(&["comparisons"], project)
                    .query(&ComparisonParameters::from(query))
                    .query(&ReferenceParameters::from(&query.reference));
                Ok(server.answer(request).await?)
            }
        }
    }

    pub(super) async fn contrast(&self, project: &str, query: &ContrastQuery) -> anyhow::Result<Contrast> {
        match self {
            File(service) => {
                Ok(service.contrast(named(service, project).await?, query, Viewer::Operator).await?.contrast)
            }
            Remote(server) => {
                let request = server
                    .get(&["contrasts"], project)
                    .query(&ContrastParameters::from(query))
                    .query(&ReferenceParameters::from(&query.reference));
                Ok(server.answer(request).await?)
            }
        }
    }

    pub(super) async fn diagnosis(&self, project: &str, query: &DiagnosisQuery) -> anyhow::Result<Diagnosis> {
        match self {
            File(service) => {
                Ok(service.diagnosis(named(service, project).await?, query, Viewer::Operator).await?)
            }
            Remote(server) => {
                let request = server
                    .get(&["diagnoses"], project)
                    .query(&DiagnosisParameters::from(query))
                    .query(&ReferenceParameters::from(&query.reference));
                Ok(server.answer(request).await?)
            }
        }
    }

    pub(super) async fn check(&self, project: &str, query: &CheckQuery) -> anyhow::Result<CheckReport> {
        match self {
            File(service) => {
                Ok(service.check(named(service, project).await?, query, Viewer::Operator).await?)
            }
            Remote(server) => {
                let request = server.get(&["checks"], project).query(&CheckParameters::from(query));
                Ok(server.answer(request).await?)
            }
        }
    }

    pub(super) async fn slots(&self, project: &str) -> anyhow::Result<Vec<SlotChange>> {
        match self {
            File(service) => Ok(service.slots(named(service, project).await?).await?),
            Remote(server) => Ok(server.answer(server.get(&["slots"], project)).await?),
        }
    }

    pub(super) async fn release_log(&self, project: &str) -> anyhow::Result<Vec<ReleaseLogEntry>> {
        match self {
            File(service) => Ok(service.release_log(named(service, project).await?).await?),
            Remote(server) => Ok(server.answer(server.get(&["log"], project)).await?),
        }
    }

    pub(super) async fn gate(&self, project: &str, request: GateRequest) -> anyhow::Result<Decision> {
        match self {
            File(service) => {
                Ok(service.gate(named(service, project).await?, request, None, Viewer::Operator).await?)
            }
            Remote(server) => {
                let request = server.post(&["gates"], &GateBody::new(project, request))?;
                Ok(server.answer(request).await?)
            }
        }
    }

    pub(super) async fn import(
        &self,
        project: &str,
        path: &std::path::Path,
        request: ImportRequest,
        progress: impl FnMut(Progress),
    ) -> anyhow::Result<ImportReport> {
        match self {
            File(service) => {
                let (id, file) = (named(service, project).await?, ImportFile::at(path)?);
                Ok(service.import_file(id, file, request, Viewer::Operator, progress).await?)
            }
            Remote(server) => {
                let bytes =
                    std::fs::read(path).map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
                let parameters = ImportParameters::new(project, path.display().to_string(), &request);
                Ok(server.answer(server.send(&["imports"], bytes).query(&parameters)).await?)
            }
        }
    }

    /// Newest first.
    pub(super) async fn decisions(&self, project: &str) -> anyhow::Result<Vec<Decision>> {
        match self {
            File(service) => Ok(service.decisions(named(service, project).await?).await?),
            Remote(server) => Ok(server.answer(server.get(&["decisions"], project)).await?),
        }
    }

    pub(super) async fn decision(&self, project: &str, id: &str) -> anyhow::Result<Decision> {
        match self {
            File(service) => Ok(service.decision(named(service, project).await?, id).await?),
            Remote(server) => Ok(server.answer(server.get(&["decisions", id], project)).await?),
        }
    }

    pub(super) async fn anchor_sets(&self, project: &str) -> anyhow::Result<Vec<AnchorSetEntry>> {
        match self {
            File(service) => {
                Ok(service.anchor_sets(named(service, project).await?, Viewer::Operator).await?)
            }
            Remote(server) => Ok(server.answer(server.get(&["anchor-sets"], project)).await?),
        }
    }

    /// The file of a set, byte for byte.
    pub(super) async fn anchor_set_file(&self, project: &str, set: &AnchorSetName) -> anyhow::Result<String> {
        match self {
            File(service) => {
                let id = named(service, project).await?;
                let file = service.anchor_set_file(id, set, Viewer::Operator).await?;
                service.record_export(id, &format!("anchor set {set}"), Viewer::Operator).await?;
                Ok(file)
            }
            Remote(server) => {
                Ok(server.text(server.get(&["anchor-sets", &set.to_string()], project)).await?)
            }
        }
    }

    pub(super) async fn judge_versions(&self, project: &str) -> anyhow::Result<Vec<JudgeEntry>> {
        match self {
            File(service) => {
                Ok(service.judge_versions(named(service, project).await?, Viewer::Operator).await?)
            }
            Remote(server) => Ok(server.answer(server.get(&["judges"], project)).await?),
        }
    }

    /// Newest first.
    pub(super) async fn runs(&self, project: &str) -> anyhow::Result<Vec<RunEntry>> {
        match self {
            File(service) => {
                let runs = service.runs(named(service, project).await?).await?;
                Ok(runs.into_iter().map(RunEntry::from).collect())
            }
            Remote(server) => Ok(server.answer(server.get(&["runs"], project)).await?),
        }
    }
}
