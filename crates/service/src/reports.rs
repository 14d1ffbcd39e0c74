//! Reports: what may be seen is read, the figures are computed once and kept under the hash of what they are of.

use crate::{ProjectId, Service, ServiceError, Viewer};
use domain::{
    AgreementReport, Comparison, ContentHash, Conversation, HumanValue, JudgeValue, LedgerEntry, Observations, PairItems,
    ReferenceRule, ReferenceSource, Rubric, Setting, SliceBy,
};
use serde::{Serialize, de::DeserializeOwned};
use std::{collections::HashMap, sync::Arc};
use store::{ConversationId, StoredOutcome};

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

/// Changes when a report is computed in another way, so that kept ones are not taken for new ones.
const REVISION: u32 = 1;

impl Service {
    /// How far people agree.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for a criterion that the rubric does not have.
    pub async fn agreement(&self, project: ProjectId, query: &AgreementQuery, viewer: Viewer) -> Result<AgreementReport, ServiceError> {
        let rubric = self.rubric_version(project).await?.rubric;
        check_criterion(&rubric, query.criterion.as_deref())?;
        let observations = self.labels_seen(project, query.criterion.as_deref(), viewer).await?;
        let name = self.store.project_name(project).await?;
        let query = query.clone();
        let key = format!("agreement {query:?} {name}");
        self.kept(&key, observations.hash(&rubric, &key), move || {
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
            what: format!("`{}` and `{}` share no label on `{criterion}`", domain::visible(a), domain::visible(b)),
        };
        PairItems::of(&rubric, &observations, criterion, a, b).ok_or_else(missing)
    }

    /// Judges against people.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] for a judge that is not there, [`ServiceError::Invalid`] for annotators or a criterion that are not.
    pub async fn comparison(&self, project: ProjectId, query: &ComparisonQuery, viewer: Viewer) -> Result<Comparison, ServiceError> {
        let rubric = self.rubric_version(project).await?.rubric;
        check_criterion(&rubric, query.criterion.as_deref())?;
        let mut observations = self.labels_seen(project, query.criterion.as_deref(), viewer).await?;
        self.add_verdicts(project, query.criterion.as_deref(), viewer, &mut observations).await?;
        let reference = self.reference_source(project, query, &observations).await?;
        keep_asked(&mut observations, query, &reference)?;
        let name = self.store.project_name(project).await?;
        let incumbent = query.incumbent.clone();
        let key = format!("comparison {reference:?} {:?} {incumbent:?} {name}", query.criterion);
        self.kept(&key, observations.hash(&rubric, &key), move || {
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
        let failures = self.store.failures(project, criterion, viewer).await?;
        let mut entries: Vec<LedgerEntry> = failures
            .into_iter()
            .filter_map(|failure| {
                let name = names.get(&(failure.judge.clone(), failure.version.clone()))?;
                (judge.is_none_or(|judge| **name == *judge)).then(|| LedgerEntry {
                    judge: name.to_string(),
                    criterion: failure.criterion,
                    conversation: failure.conversation,
                    unit: failure.unit.to_string(),
                    repeat: failure.repeat,
                    kind: failure.kind,
                    says: failure.says,
                    raw: failure.raw.unwrap_or_default(),
                })
            })
            .collect();
        entries.sort_by(|x, y| {
            (&x.judge, &x.criterion, &x.conversation, &x.unit, x.repeat).cmp(&(&y.judge, &y.criterion, &y.conversation, &y.unit, y.repeat))
        });
        Ok(entries)
    }

    /// The judges of a project as reports name them.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn judges(&self, project: ProjectId, viewer: Viewer) -> Result<Vec<String>, ServiceError> {
        let mut names: Vec<String> = self.judge_names(project, viewer).await?.into_values().map(|name| name.to_string()).collect();
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
    ) -> Result<domain::References, ServiceError> {
        let rubric = self.rubric_version(project).await?.rubric;
        check_criterion(&rubric, criterion)?;
        let mut observations = self.labels_seen(project, criterion, Viewer::Operator).await?;
        let query = ComparisonQuery { annotators: annotators.to_vec(), ..ComparisonQuery::default() };
        let source = ReferenceSource { rule, annotators: chosen(annotators, &observations)?, anchor_set: None };
        keep_asked(&mut observations, &query, &source)?;
        let references = domain::References::of(&rubric, &observations, &source);
        self.store.save_references(project, &source, &references, annotators, self.now()).await?;
        self.record(None, Some(project), "build_references", rule.word()).await?;
        Ok(references)
    }

    /// The report under this key if it was computed before, or else computed now, off the async threads, and kept.
    async fn kept<T: Serialize + DeserializeOwned + Send + 'static>(
        &self,
        key: &str,
        data: ContentHash,
        compute: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ServiceError> {
        let key = ContentHash::of_bytes(format!("{REVISION} {key} {data}").as_bytes()).0;
        // One that cannot be read (written by another version) is computed again.
        if let Some(body) = self.store.report(&key).await?
            && let Ok(report) = serde_json::from_str(&body)
        {
            return Ok(report);
        }
        let report = tokio::task::spawn_blocking(compute).await.map_err(|error| ServiceError::Internal(error.to_string()))?;
        let body = serde_json::to_string(&report).map_err(|error| ServiceError::Internal(error.to_string()))?;
        self.store.keep_report(&key, &body, self.now()).await?;
        Ok(report)
    }

    async fn labels_seen(&self, project: ProjectId, criterion: Option<&str>, viewer: Viewer) -> Result<Observations, ServiceError> {
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

    async fn add_verdicts(
        &self,
        project: ProjectId,
        criterion: Option<&str>,
        viewer: Viewer,
        observations: &mut Observations,
    ) -> Result<(), ServiceError> {
        let names = self.judge_names(project, viewer).await?;
        let positions: HashMap<Arc<str>, u32> =
            observations.settings.iter().zip(0..).map(|(setting, position)| (setting.conversation.clone(), position)).collect();
        let ids: HashMap<ConversationId, u32> = self
            .store
            .conversation_slices(project, viewer)
            .await?
            .into_iter()
            .filter_map(|slice| Some((slice.id, *positions.get(slice.external_id.as_str())?)))
            .collect();
        let verdicts = self.store.verdicts(project, criterion, viewer).await?;
        observations.verdicts = verdicts
            .into_iter()
            .filter_map(|verdict| {
                Some(JudgeValue {
                    judge: names.get(&(verdict.judge.to_string(), verdict.version.to_string()))?.clone(),
                    setting: *ids.get(&verdict.conversation)?,
                    unit: verdict.unit,
                    criterion: verdict.criterion,
                    repeat: verdict.repeat,
                    outcome: match verdict.outcome {
                        StoredOutcome::Value(value) => Ok(value),
                        StoredOutcome::Failure(kind) => Err(kind),
                    },
                    fingerprint: verdict.fingerprint,
                    cost_usd: verdict.cost_usd,
                    latency_ms: verdict.latency_ms,
                })
            })
            .collect();
        Ok(())
    }
}
