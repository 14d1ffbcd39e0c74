//! Where conversations fail: metrics from people and from a judge, side by side.

use crate::{ProjectId, ReferenceChoice, Service, ServiceError, Viewer, references::Observed};
use domain::{
    ContentHash, Diagnosis, DiagnosisChoice, DiagnosisInput, LABELS, MetricFigures, Observations, Rubric,
    SliceBy, Trace, WorstConversation, agreement::Inference,
};
use std::collections::{BTreeMap, HashMap};

/// From how many conversations on a diagnosis takes seconds: all of them are read.
const DIAGNOSED_AHEAD: u64 = 20_000;

/// What a diagnosis is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagnosisQuery {
    /// Whose word the figures are: `labels`, or a judge.
    pub from: String,
    /// The judge beside the labels; where absent the one with the most values, of several the first by name.
    pub judge: Option<String>,
    /// Where the human values come from.
    pub reference: ReferenceChoice,
    /// Cut into slices.
    pub by: Option<SliceBy>,
    /// How many passages `@k` considers.
    pub k: u32,
    /// A judge by whose grades the passages are ordered; as they were retrieved where absent.
    pub ranked_by: Option<String>,
}

impl Default for DiagnosisQuery {
    fn default() -> DiagnosisQuery {
        DiagnosisQuery {
            from: LABELS.to_owned(),
            judge: None,
            reference: ReferenceChoice::default(),
            by: None,
            k: 5,
            ranked_by: None,
        }
    }
}

impl DiagnosisQuery {
    /// What the address of a page or file asks; what is empty counts as absent. Figures from a judge stand beside the labels, whatever
    /// judge is named as well.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for what cannot be read.
    pub fn asked(
        from: Option<String>,
        judge: Option<String>,
        by: Option<&str>,
        k: Option<&str>,
    ) -> Result<DiagnosisQuery, ServiceError> {
        let invalid = |field: &str, reason: String| ServiceError::Invalid { field: field.to_owned(), reason };
        let usual = DiagnosisQuery::default();
        let from = from.filter(|from| !from.is_empty()).unwrap_or(usual.from);
        let judge = judge.filter(|judge| !judge.is_empty() && from == LABELS);
        let by = by.filter(|by| !by.is_empty()).map(str::parse).transpose();
        let by = by.map_err(|reason: String| invalid("by", reason))?;
        let k = match k.filter(|k| !k.is_empty()) {
            None => usual.k,
            Some(k) => k.parse().map_err(|_| {
                let expected = "expected a number of passages from 1 on";
                invalid("k", format!("found {}, {expected}", domain::visible(k)))
            })?,
        };
        Ok(DiagnosisQuery { from, judge, by, k, ..DiagnosisQuery::default() })
    }
}

impl Service {
    /// Every metric of a project, and where its conversations fail first. Without a rubric the checks alone speak. A look at the `confirm`
    /// split of an anchor set is recorded.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] for a judge that is not there, [`ServiceError::Invalid`] for what cannot be asked.
    pub async fn diagnosis(
        &self,
        project: ProjectId,
        query: &DiagnosisQuery,
        viewer: Viewer,
    ) -> Result<Diagnosis, ServiceError> {
        let report = self.diagnosed(project, query, viewer).await?;
        let judge = if query.from == LABELS { &query.judge } else { &Some(query.from.clone()) };
        let candidates: Vec<String> = judge.iter().cloned().collect();
        self.open_confirm(project, &query.reference, &candidates, viewer).await?;
        Ok(report)
    }

    /// [`Service::diagnosis`] without a record of the look.
    pub(crate) async fn diagnosed(
        &self,
        project: ProjectId,
        query: &DiagnosisQuery,
        viewer: Viewer,
    ) -> Result<Diagnosis, ServiceError> {
        check(query)?;
        let question = self.question(project, viewer, &format!("diagnosis {query:?}")).await?;
        if let Some(report) = self.answered(&question).await? {
            return Ok(report);
        }
        let nothing = || Rubric { name: String::new(), version: 0, scales: Vec::new(), criteria: Vec::new() };
        let live = self.rubric(project).await?.unwrap_or_else(nothing);
        let observed = self.observed(project, live, &query.reference, None, viewer).await?;
        let Observed { rubric, mut observations, reference } = observed;
        let choice = DiagnosisChoice {
            reference,
            from_judge: query.from != LABELS,
            judge: self.other_side(project, query, viewer).await?,
            by: query.by,
            k: query.k,
            ranked_by: match &query.ranked_by {
                Some(judge) => Some(self.judge_version(project, judge).await?.1),
                None => None,
            },
        };
        let wanted: Vec<&str> = choice.judge.iter().chain(&choice.ranked_by).map(String::as_str).collect();
        observations.verdicts.retain(|verdict| wanted.contains(&&*verdict.judge));
        let (traces, content) = self.traces(project, &observations, viewer).await?;
        let name = self.store.project_name(project).await?;
        let key = format!("diagnosis {choice:?} {content} {name} {:?}", Inference::default());
        let data_hash = observations.hash(&rubric, &key);
        self.kept(&question, &key, data_hash.clone(), move || {
            Diagnosis::of(&DiagnosisInput {
                project: &name,
                rubric: &rubric,
                observations: &observations,
                traces: &traces,
                data_hash: &data_hash,
                choice: &choice,
            })
        })
        .await
    }

    /// Whether a project is so large that its diagnosis is better computed before somebody opens the page and waits for it.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn is_diagnosed_ahead(&self, project: ProjectId) -> Result<bool, ServiceError> {
        Ok(self.store.count_conversations(project).await? >= DIAGNOSED_AHEAD)
    }

    /// A metric with a conversation that is among its worst, and what lowers it there.
    ///
    /// # Errors
    /// As [`Service::diagnosis`].
    pub async fn worst_of(
        &self,
        project: ProjectId,
        query: &DiagnosisQuery,
        metric: &str,
        conversation: &str,
        viewer: Viewer,
    ) -> Result<Option<(MetricFigures, WorstConversation)>, ServiceError> {
        let report = self.diagnosis(project, query, viewer).await?;
        let metric = report.metrics.into_iter().find(|figures| figures.id == metric);
        Ok(metric.and_then(|metric| {
            let worst = metric.tail.worst.iter().find(|worst| worst.conversation == conversation)?.clone();
            Some((metric, worst))
        }))
    }

    /// The judge of one of the two sides, as reports name it.
    async fn other_side(
        &self,
        project: ProjectId,
        query: &DiagnosisQuery,
        viewer: Viewer,
    ) -> Result<Option<String>, ServiceError> {
        let asked = if query.from == LABELS { query.judge.as_ref() } else { Some(&query.from) };
        if let Some(asked) = asked {
            return Ok(Some(self.judge_version(project, asked).await?.1));
        }
        let mut values: BTreeMap<String, u64> = BTreeMap::new();
        let mut counts = self.store.verdict_counts(project, viewer).await?;
        for judge in self.store.judges(project).await? {
            let several = judge.versions.len() > 1;
            for version in &judge.versions {
                let name =
                    if several { format!("{}@{}", judge.name, version.version) } else { judge.name.clone() };
                let counted = counts.remove(&version.id).unwrap_or_default();
                values.insert(name, counted.iter().map(|counted| counted.verdicts - counted.failures).sum());
            }
        }
        // Of equals the last stands first when turned round.
        Ok(values.into_iter().rev().max_by_key(|(_, count)| *count).map(|(name, _)| name))
    }

    /// The trace of each conversation in the order of the observations, and the hash of what they are of.
    async fn traces(
        &self,
        project: ProjectId,
        observations: &Observations,
        viewer: Viewer,
    ) -> Result<(Vec<Trace>, ContentHash), ServiceError> {
        let mut by_id: HashMap<String, Trace> = HashMap::new();
        let mut content: Vec<String> = Vec::new();
        let each = |stored: store::StoredConversation| {
            content.push(format!("{} {}", stored.conversation.id, stored.content_hash));
            by_id.insert(stored.conversation.id.clone(), Trace::of(&stored.conversation));
        };
        self.store.visit_conversations(project, viewer, each).await?;
        content.sort_unstable();
        let of = |setting: &domain::Setting| by_id.remove(&*setting.conversation).unwrap_or_default();
        let traces = observations.settings.iter().map(of).collect();
        Ok((traces, ContentHash::of_bytes(content.join("\n").as_bytes())))
    }
}

fn check(query: &DiagnosisQuery) -> Result<(), ServiceError> {
    let invalid = |field: &str, reason: &str| ServiceError::Invalid {
        field: field.to_owned(),
        reason: reason.to_owned(),
    };
    if query.k == 0 {
        return Err(invalid("k", "found 0, expected a number of passages from 1 on"));
    }
    if query.by == Some(SliceBy::Annotator) {
        return Err(invalid(
            "by",
            "a metric of conversations has no annotator: category, corpus, system or language",
        ));
    }
    if query.from != LABELS && query.judge.is_some() {
        return Err(invalid(
            "judge",
            "figures from a judge stand beside the labels: leave the other judge out",
        ));
    }
    Ok(())
}
