//! Reports: what may be seen is read, the figures are computed once and kept under the hash of what they are of.

use crate::{ProjectId, ReferenceChoice, Service, ServiceError, UserId, Viewer, references::Observed};
use domain::{
    AgreementReport, Comparison, ComparisonChoice, ContentHash, Conversation, LedgerEntry, Observations,
    PairItems, Rubric, SliceBy,
};
use serde::{Serialize, de::DeserializeOwned};
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};
use store::{JudgeVersion, JudgeVersionId, NewAuditEntry};

/// What an agreement report is of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgreementQuery {
    /// One criterion only.
    pub criterion: Option<String>,
    /// Cut into slices.
    pub by: Option<SliceBy>,
}

/// What a comparison is of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComparisonQuery {
    /// Where the human values come from.
    pub reference: ReferenceChoice,
    /// One criterion only.
    pub criterion: Option<String>,
    /// These judges only; all where empty.
    pub judges: Vec<String>,
    /// The judge that the others are compared with.
    pub incumbent: Option<String>,
    /// Cut into slices of conversations.
    pub by: Option<SliceBy>,
}

/// A question that a report answers.
#[derive(Debug)]
pub(crate) struct Question {
    project: ProjectId,
    /// The revision of the project when it was asked.
    revision: u64,
    /// Hash of what was asked, and of what was sealed to whoever asked.
    hash: String,
}

/// Changes when a report is computed in another way, so that kept ones are not taken for new ones.
const COMPUTATION: u32 = 4;

impl Service {
    /// How far people agree.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for a criterion that the rubric does not have.
    pub async fn agreement(
        &self,
        project: ProjectId,
        query: &AgreementQuery,
        viewer: Viewer,
    ) -> Result<AgreementReport, ServiceError> {
        let question = self.question(project, viewer, &format!("agreement {query:?}")).await?;
        if let Some(report) = self.answered(&question).await? {
            return Ok(report);
        }
        let rubric = self.rubric_version(project).await?.rubric;
        check_criterion(&rubric, query.criterion.as_deref())?;
        let observations = self.labels_over_time(project, query.criterion.as_deref(), viewer).await?;
        let name = self.store.project_name(project).await?;
        let query = query.clone();
        let key = format!("agreement {query:?} {name}");
        self.kept(&question, &key, observations.hash(&rubric, &key), move || {
            AgreementReport::of(&name, &rubric, &observations, query.criterion.as_deref(), query.by)
        })
        .await
    }

    /// Two annotators on one criterion: their figures, the heat map and the items behind it.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] where they share no label on it.
    pub async fn pair_items(
        &self,
        project: ProjectId,
        criterion: &str,
        a: &str,
        b: &str,
        viewer: Viewer,
    ) -> Result<PairItems, ServiceError> {
        let rubric = self.rubric_version(project).await?.rubric;
        check_criterion(&rubric, Some(criterion))?;
        let observations = self.labels_seen(project, Some(criterion), viewer).await?;
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        let missing = || ServiceError::NotFound {
            what: format!(
                "`{}` and `{}` share no label on `{criterion}`",
                domain::visible(a),
                domain::visible(b)
            ),
        };
        PairItems::of(&rubric, &observations, criterion, a, b).ok_or_else(missing)
    }

    /// Judges against people. A look at the `confirm` split of an anchor set is recorded.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] for a judge or an anchor set that is not there, [`ServiceError::Invalid`] for annotators or a criterion
    /// that are not.
    pub async fn comparison(
        &self,
        project: ProjectId,
        query: &ComparisonQuery,
        viewer: Viewer,
    ) -> Result<Comparison, ServiceError> {
        let comparison = self.compared(project, query, viewer).await?;
        let mut candidates = query.judges.clone();
        if candidates.is_empty() {
            candidates = self.judges(project).await?;
        }
        candidates.retain(|judge| query.incumbent.as_ref() != Some(judge));
        let opening = self.open_confirm(project, &query.reference, &candidates, viewer).await?;
        Ok(Comparison { opening, ..comparison })
    }

    /// [`Service::comparison`] without a record of the look.
    pub(crate) async fn compared(
        &self,
        project: ProjectId,
        query: &ComparisonQuery,
        viewer: Viewer,
    ) -> Result<Comparison, ServiceError> {
        let question = self.question(project, viewer, &format!("comparison {query:?}")).await?;
        if let Some(report) = self.answered(&question).await? {
            return Ok(report);
        }
        if query.by == Some(SliceBy::Annotator) {
            let reason = "each annotator stands beside each judge already: expected category, corpus, system or language";
            return Err(ServiceError::Invalid { field: "by".to_owned(), reason: reason.to_owned() });
        }
        let criterion = query.criterion.as_deref();
        let live = self.rubric_version(project).await?.rubric;
        let observed = self.observed(project, live, &query.reference, criterion, viewer).await?;
        let Observed { rubric, mut observations, reference } = observed;
        check_criterion(&rubric, criterion)?;
        self.keep_judges(project, query, &mut observations).await?;
        self.leave_out_examples(project, &mut observations).await?;
        let name = self.store.project_name(project).await?;
        let choice = ComparisonChoice {
            incumbent: query.incumbent.clone(),
            baselines: self.baselines(project).await?,
            by: query.by,
        };
        let key = format!("comparison {reference:?} {:?} {choice:?} {name}", query.criterion);
        self.kept(&question, &key, observations.hash(&rubric, &key), move || {
            Comparison::of(&name, &rubric, &observations, reference, &choice)
        })
        .await
    }

    /// The verdicts that are no values, each with its raw text.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] for a judge that is not there.
    pub async fn ledger(
        &self,
        project: ProjectId,
        judge: Option<&str>,
        criterion: Option<&str>,
        viewer: Viewer,
    ) -> Result<Vec<LedgerEntry>, ServiceError> {
        let names = self.judge_names(project).await?;
        if let Some(judge) = judge
            && !names.values().any(|name| **name == *judge)
        {
            return Err(no_judge(judge, names.values().map(|name| &**name)));
        }
        let mut entries: Vec<LedgerEntry> = Vec::new();
        for ((judge_name, version), name) in
            names.iter().filter(|(_, name)| judge.is_none_or(|judge| ***name == *judge))
        {
            let failures = self.store.failures(project, judge_name, version, criterion, viewer).await?;
            entries.extend(failures.into_iter().map(|failure| LedgerEntry {
                judge: name.to_string(),
                criterion: failure.criterion,
                conversation: failure.conversation,
                unit: failure.unit.to_string(),
                repeat: failure.repeat,
                kind: failure.kind,
                says: failure.says,
                raw: failure.raw.unwrap_or_default(),
            }));
        }
        entries.sort_by(|x, y| {
            (&x.judge, &x.criterion, &x.conversation, &x.unit, x.repeat).cmp(&(
                &y.judge,
                &y.criterion,
                &y.conversation,
                &y.unit,
                y.repeat,
            ))
        });
        Ok(entries)
    }

    /// The judges of a project as reports name them.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn judges(&self, project: ProjectId) -> Result<Vec<String>, ServiceError> {
        let mut names: Vec<String> =
            self.judge_names(project).await?.into_values().map(|name| name.to_string()).collect();
        names.sort_unstable();
        Ok(names)
    }

    /// One conversation as it was imported.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`].
    pub async fn conversation(&self, project: ProjectId, id: &str) -> Result<Conversation, ServiceError> {
        Ok(self.store.conversation(project, id).await?.conversation)
    }

    /// One conversation for a person who reads it as a whole: once a day that is in the audit log.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`].
    pub async fn view_conversation(
        &self,
        project: ProjectId,
        id: &str,
        user: UserId,
    ) -> Result<Conversation, ServiceError> {
        let conversation = self.conversation(project, id).await?;
        let (user, now) = (Some(user), self.now());
        let entry = NewAuditEntry { user, project: Some(project), action: "view_conversation", detail: id };
        let midnight = now.replace_time(time::Time::MIDNIGHT);
        self.store.append_audit_once_since(&entry, midnight, now).await?;
        Ok(conversation)
    }

    /// What is asked, and what is sealed to whoever asks: people to whom the same is sealed share the answer. To be made before anything
    /// is read that the answer is of: what is written or sealed later then makes another revision.
    pub(crate) async fn question(
        &self,
        project: ProjectId,
        viewer: Viewer,
        asked: &str,
    ) -> Result<Question, ServiceError> {
        let revision = self.store.revision(project).await?;
        let sealed = self.store.sealed_to(project, viewer).await?;
        let hash = ContentHash::of_bytes(format!("{COMPUTATION} {project} {sealed:?} {asked}").as_bytes()).0;
        Ok(Question { project, revision, hash })
    }

    /// The report that answered a question, where nothing that it could see was written since. Nothing else is read.
    pub(crate) async fn answered<T: DeserializeOwned>(
        &self,
        question: &Question,
    ) -> Result<Option<T>, ServiceError> {
        let body = self.store.answer(question.project, &question.hash, question.revision).await?;
        Ok(body.and_then(|body| serde_json::from_str(&body).ok()))
    }

    /// The report under this key if it was computed before, or else computed now, off the async threads, and kept.
    pub(crate) async fn kept<T: Serialize + DeserializeOwned + Send + 'static>(
        &self,
        question: &Question,
        key: &str,
        data: ContentHash,
        compute: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ServiceError> {
        let key = ContentHash::of_bytes(format!("{COMPUTATION} {key} {data}").as_bytes()).0;
        let report = self.kept_or_computed(&key, compute).await?;
        self.store.put_answer(question.project, &question.hash, question.revision, &key).await?;
        Ok(report)
    }

    async fn kept_or_computed<T: Serialize + DeserializeOwned + Send + 'static>(
        &self,
        key: &str,
        compute: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ServiceError> {
        if let Some(report) = self.kept_report(key).await? {
            return Ok(report);
        }
        // One at a time: whoever waited for the same report finds it kept.
        let _turn = self.computing.lock().await;
        if let Some(report) = self.kept_report(key).await? {
            return Ok(report);
        }
        let report = tokio::task::spawn_blocking(compute)
            .await
            .map_err(|error| ServiceError::Internal(error.to_string()))?;
        let body =
            serde_json::to_string(&report).map_err(|error| ServiceError::Internal(error.to_string()))?;
        self.store.put_report(key, &body, self.now()).await?;
        Ok(report)
    }

    /// The report that is kept under a key. One that cannot be read was written by another version, and counts for none.
    async fn kept_report<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, ServiceError> {
        Ok(self.store.report(key).await?.and_then(|body| serde_json::from_str(&body).ok()))
    }

    /// Leaves the judges that were asked for, the incumbent among them.
    async fn keep_judges(
        &self,
        project: ProjectId,
        query: &ComparisonQuery,
        observations: &mut Observations,
    ) -> Result<(), ServiceError> {
        let known = self.judges(project).await?;
        let mut resolved = Vec::new();
        for asked in query.judges.iter().chain(&query.incumbent) {
            if !known.contains(asked) {
                return Err(no_judge(asked, known.iter().map(String::as_str)));
            }
            resolved.push(asked.as_str());
        }
        if !query.judges.is_empty() {
            observations.verdicts.retain(|verdict| resolved.contains(&&*verdict.judge));
        }
        Ok(())
    }

    /// The judges without a model, as reports name them.
    async fn baselines(&self, project: ProjectId) -> Result<BTreeSet<String>, ServiceError> {
        let mut baselines = BTreeSet::new();
        for judge in self.store.judges(project).await? {
            let several = judge.versions.len() > 1;
            for version in judge.versions.iter().filter(|version| version.is_baseline()) {
                baselines.insert(name_in_reports(&judge.name, &version.version, several));
            }
        }
        Ok(baselines)
    }

    /// Each judge version as reports name it: by the judge's name, and as `NAME@VERSION` where it has several versions.
    pub(crate) async fn judge_names(
        &self,
        project: ProjectId,
    ) -> Result<HashMap<(String, String), Arc<str>>, ServiceError> {
        let mut names = HashMap::new();
        for judge in self.store.judges(project).await? {
            let several = judge.versions.len() > 1;
            for version in judge.versions {
                let name = name_in_reports(&judge.name, &version.version, several);
                names.insert((judge.name.clone(), version.version), name.into());
            }
        }
        Ok(names)
    }

    /// The judge version that a person means by `NAME` (its latest version) or `NAME@VERSION`, with its name in reports.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], which lists the judges that are there.
    pub(crate) async fn judge_version(
        &self,
        project: ProjectId,
        asked: &str,
    ) -> Result<(JudgeVersionId, String), ServiceError> {
        let judges = self.store.judges(project).await?;
        for judge in &judges {
            let in_full = |version: &JudgeVersion| format!("{}@{}", judge.name, version.version);
            // The latest version comes first.
            let found =
                judge.versions.iter().find(|version| asked == judge.name || asked == in_full(version));
            if let Some(version) = found {
                let name = if judge.versions.len() > 1 { in_full(version) } else { judge.name.clone() };
                return Ok((version.id, name));
            }
        }
        Err(no_judge(asked, judges.iter().map(|judge| judge.name.as_str())))
    }
}

fn name_in_reports(judge: &str, version: &str, several: bool) -> String {
    if several { format!("{judge}@{version}") } else { judge.to_owned() }
}

pub(crate) fn check_criterion(rubric: &Rubric, criterion: Option<&str>) -> Result<(), ServiceError> {
    match criterion {
        Some(id) if rubric.criterion(id).is_none() => {
            let known: Vec<&str> = rubric.criteria.iter().map(|criterion| criterion.id.as_str()).collect();
            let reason = format!("found {}, expected one of {}", domain::visible(id), known.join(", "));
            Err(ServiceError::Invalid { field: "criterion".to_owned(), reason })
        }
        _ => Ok(()),
    }
}

pub(crate) fn no_judge<'a>(asked: &str, known: impl Iterator<Item = &'a str>) -> ServiceError {
    let mut known: Vec<&str> = known.collect();
    known.sort_unstable();
    let known = if known.is_empty() {
        "there are none yet".to_owned()
    } else {
        format!("there are: {}", known.join(", "))
    };
    ServiceError::NotFound { what: format!("there is no judge `{}`; {known}", domain::visible(asked)) }
}
