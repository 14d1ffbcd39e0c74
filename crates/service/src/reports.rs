//! Reports: what may be seen is read, the figures are computed once and kept under the hash of what they are of.

use crate::{ProjectId, Service, ServiceError, Viewer};
use domain::{
    AgreementReport, Comparison, ContentHash, Conversation, HumanValue, JudgeValue, LedgerEntry,
    Observations, PairItems, ReferenceRule, ReferenceSource, References, Rubric, Setting, SliceBy,
};
use serde::{Serialize, de::DeserializeOwned};
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};
use store::{ConversationId, JudgeVersion, JudgeVersionId, NewReferenceSet, ReferenceRow};

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
    /// How several labels become one; that of the last built references where absent, and the median where there are none.
    pub rule: Option<ReferenceRule>,
    /// Whose labels; those of the last built references where empty, and all where there are none.
    pub annotators: Vec<String>,
    /// One criterion only.
    pub criterion: Option<String>,
    /// These judges only; all where empty.
    pub judges: Vec<String>,
    /// The judge that the others are compared with.
    pub incumbent: Option<String>,
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
const COMPUTATION: u32 = 2;

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
        let observations = self.labels_seen(project, query.criterion.as_deref(), viewer).await?;
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

    /// Judges against people.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] for a judge that is not there, [`ServiceError::Invalid`] for annotators or a criterion that are not.
    pub async fn comparison(
        &self,
        project: ProjectId,
        query: &ComparisonQuery,
        viewer: Viewer,
    ) -> Result<Comparison, ServiceError> {
        let question = self.question(project, viewer, &format!("comparison {query:?}")).await?;
        if let Some(report) = self.answered(&question).await? {
            return Ok(report);
        }
        let rubric = self.rubric_version(project).await?.rubric;
        check_criterion(&rubric, query.criterion.as_deref())?;
        let criterion = query.criterion.as_deref();
        let mut observations = self.labels_seen(project, criterion, viewer).await?;
        let reference = self.reference_source(project, query, &observations).await?;
        keep_annotators(&mut observations, &reference);
        self.add_verdicts(project, criterion, viewer, &mut observations).await?;
        self.keep_judges(project, query, viewer, &mut observations).await?;
        let name = self.store.project_name(project).await?;
        let incumbent = query.incumbent.clone();
        let key = format!("comparison {reference:?} {:?} {incumbent:?} {name}", query.criterion);
        self.kept(&question, &key, observations.hash(&rubric, &key), move || {
            Comparison::of(&name, &rubric, &observations, reference, incumbent.as_deref())
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
        let names = self.judge_names(project, viewer).await?;
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
    pub async fn judges(&self, project: ProjectId, viewer: Viewer) -> Result<Vec<String>, ServiceError> {
        let mut names: Vec<String> =
            self.judge_names(project, viewer).await?.into_values().map(|name| name.to_string()).collect();
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

    /// Builds references by a rule from the labels that count, and keeps them. Gives how many items have one and how many do not.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for annotators that are not there.
    pub async fn build_references(
        &self,
        project: ProjectId,
        rule: ReferenceRule,
        annotators: &[String],
        criterion: Option<&str>,
    ) -> Result<References, ServiceError> {
        let rubric = self.rubric_version(project).await?.rubric;
        check_criterion(&rubric, criterion)?;
        let mut observations = self.labels_seen(project, criterion, Viewer::Operator).await?;
        let source =
            ReferenceSource { rule, annotators: chosen(annotators, &observations)?, anchor_set: None };
        keep_annotators(&mut observations, &source);
        let references = References::of(&rubric, &observations, &source);
        let mut rows = Vec::with_capacity(references.items.len());
        let ids = self.conversation_ids(project).await?;
        for item in &references.items {
            let unit = item
                .unit
                .parse()
                .map_err(|error: domain::UnitError| ServiceError::Internal(error.to_string()))?;
            let Some(conversation) = ids.get(observations.conversation(item.setting)).copied() else {
                continue;
            };
            let provenance = stored_provenance(item.provenance);
            rows.push(ReferenceRow {
                conversation,
                unit,
                criterion: item.criterion.to_string(),
                value: item.value,
                provenance,
            });
        }
        let set = NewReferenceSet {
            rule,
            annotators: &source.annotators,
            data_hash: &references.data_hash,
            references: &rows,
        };
        self.store.save_references(project, &set, self.now()).await?;
        self.record(None, Some(project), "build_references", rule.word()).await?;
        Ok(references)
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

    pub(crate) async fn labels_seen(
        &self,
        project: ProjectId,
        criterion: Option<&str>,
        viewer: Viewer,
    ) -> Result<Observations, ServiceError> {
        let slices = self.store.conversation_slices(project, viewer).await?;
        let labels = self.store.labels(project, criterion, viewer).await?;
        let mut positions: HashMap<ConversationId, u32> = HashMap::with_capacity(slices.len());
        let mut settings = Vec::with_capacity(slices.len());
        let text = |text: Option<String>| text.map(Arc::from);
        for (position, slice) in (0..).zip(slices) {
            positions.insert(slice.id, position);
            settings.push(Setting {
                conversation: slice.external_id.into(),
                cluster: slice.cluster.into(),
                category: text(slice.category),
                corpus: text(slice.corpus),
                system: text(slice.system),
                language: text(slice.language),
            });
        }
        let labels = labels.into_iter().filter(|label| label.pass == 0).filter_map(|label| {
            Some(HumanValue {
                setting: *positions.get(&label.conversation)?,
                annotator: label.annotator,
                unit: label.unit,
                criterion: label.criterion,
                value: label.value,
            })
        });
        Ok(Observations { labels: labels.collect(), settings, verdicts: Vec::new() })
    }

    pub(crate) async fn add_verdicts(
        &self,
        project: ProjectId,
        criterion: Option<&str>,
        viewer: Viewer,
        observations: &mut Observations,
    ) -> Result<(), ServiceError> {
        let names = self.judge_names(project, viewer).await?;
        let ids: HashMap<ConversationId, u32> = self
            .store
            .conversation_slices(project, viewer)
            .await?
            .into_iter()
            .map(|slice| slice.id)
            .zip(0..)
            .collect();
        let verdicts = self.store.verdicts(project, criterion, None, viewer).await?;
        observations.verdicts = verdicts
            .into_iter()
            .filter_map(|verdict| {
                Some(JudgeValue {
                    judge: names.get(&(verdict.judge.to_string(), verdict.version.to_string()))?.clone(),
                    setting: *ids.get(&verdict.conversation)?,
                    unit: verdict.unit,
                    criterion: verdict.criterion,
                    repeat: verdict.repeat,
                    outcome: verdict.outcome,
                    fingerprint: verdict.fingerprint,
                    cost_usd: verdict.cost_usd,
                    latency_ms: verdict.latency_ms,
                })
            })
            .collect();
        Ok(())
    }

    /// Which labels make the references: what the query says, else what the last built references used, else the median of all.
    pub(crate) async fn reference_source(
        &self,
        project: ProjectId,
        query: &ComparisonQuery,
        observations: &Observations,
    ) -> Result<ReferenceSource, ServiceError> {
        let built = self.store.latest_reference_set(project).await?;
        let rule = query.rule.or(built.as_ref().map(|set| set.rule)).unwrap_or(ReferenceRule::Median);
        if rule == ReferenceRule::Adjudicated {
            let reason = "nothing has been adjudicated yet: choose unanimous, majority or median".to_owned();
            return Err(ServiceError::Invalid { field: "rule".to_owned(), reason });
        }
        let annotators = match (&built, query.annotators.is_empty() && query.rule.is_none()) {
            (Some(built), true) => &built.annotators,
            _ => &query.annotators,
        };
        Ok(ReferenceSource { rule, annotators: chosen(annotators, observations)?, anchor_set: None })
    }

    /// Leaves the judges that were asked for, the incumbent among them.
    async fn keep_judges(
        &self,
        project: ProjectId,
        query: &ComparisonQuery,
        viewer: Viewer,
        observations: &mut Observations,
    ) -> Result<(), ServiceError> {
        let known = self.judges(project, viewer).await?;
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

    /// Each judge version as reports name it: by the judge's name, and as `NAME@VERSION` where it has several versions.
    async fn judge_names(
        &self,
        project: ProjectId,
        viewer: Viewer,
    ) -> Result<HashMap<(String, String), Arc<str>>, ServiceError> {
        let mut names = HashMap::new();
        for judge in self.store.judges(project, viewer).await? {
            let several = judge.versions.len() > 1;
            for version in judge.versions {
                let name =
                    if several { format!("{}@{}", judge.name, version.version) } else { judge.name.clone() };
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
        viewer: Viewer,
    ) -> Result<(JudgeVersionId, String), ServiceError> {
        let judges = self.store.judges(project, viewer).await?;
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

    async fn conversation_ids(
        &self,
        project: ProjectId,
    ) -> Result<HashMap<String, ConversationId>, ServiceError> {
        let slices = self.store.conversation_slices(project, Viewer::Operator).await?;
        Ok(slices.into_iter().map(|slice| (slice.external_id, slice.id)).collect())
    }
}

fn check_criterion(rubric: &Rubric, criterion: Option<&str>) -> Result<(), ServiceError> {
    match criterion {
        Some(id) if rubric.criterion(id).is_none() => {
            let known: Vec<&str> = rubric.criteria.iter().map(|criterion| criterion.id.as_str()).collect();
            let reason = format!("found {}, expected one of {}", domain::visible(id), known.join(", "));
            Err(ServiceError::Invalid { field: "criterion".to_owned(), reason })
        }
        _ => Ok(()),
    }
}

/// The annotators named, or all who labelled, by name.
fn chosen(named: &[String], observations: &Observations) -> Result<Vec<String>, ServiceError> {
    let known: BTreeSet<&str> = observations.labels.iter().map(|label| &*label.annotator).collect();
    if named.is_empty() {
        return Ok(known.into_iter().map(str::to_owned).collect());
    }
    if let Some(unknown) = named.iter().find(|name| !known.contains(name.as_str())) {
        let known: Vec<&str> = known.into_iter().collect();
        let reason = format!(
            "`{}` has no labels here; those who have: {}",
            domain::visible(unknown),
            known.join(", ")
        );
        return Err(ServiceError::Invalid { field: "annotators".to_owned(), reason });
    }
    let mut chosen = named.to_vec();
    chosen.sort_unstable();
    chosen.dedup();
    Ok(chosen)
}

pub(crate) fn keep_annotators(observations: &mut Observations, source: &ReferenceSource) {
    observations.labels.retain(|label| source.annotators.iter().any(|name| **name == *label.annotator));
}

fn no_judge<'a>(asked: &str, known: impl Iterator<Item = &'a str>) -> ServiceError {
    let mut known: Vec<&str> = known.collect();
    known.sort_unstable();
    let known = if known.is_empty() {
        "there are none yet".to_owned()
    } else {
        format!("there are: {}", known.join(", "))
    };
    ServiceError::NotFound { what: format!("there is no judge `{}`; {known}", domain::visible(asked)) }
}

fn stored_provenance(provenance: domain::agreement::Provenance) -> store::Provenance {
    use domain::agreement::Provenance;
    match provenance {
        Provenance::Single => store::Provenance::Single,
        Provenance::Unanimous => store::Provenance::Unanimous,
        Provenance::Majority => store::Provenance::Majority,
        Provenance::Median => store::Provenance::Median,
    }
}
