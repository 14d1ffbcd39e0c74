//! Production: scores that come in, what is computed of them, what is told.

mod alarms;
mod scoring;
mod weekly;

pub use scoring::{MOST_SCORES, ScoreRequest};
pub use weekly::{WeeklyFigure, WeeklyReport, WorstConversation};

use crate::{ProjectId, ReferenceChoice, Service, ServiceError, UserId, Viewer};
use domain::{
    AnchorPairs, AnchorSetName, Calibration, Day, Rubric, ScoringJudge, Split, WatchInput, WatchReport,
    WatchSettings,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Days before the first that is shown which its first falls are compared with.
const LEAD: i32 = 49;

/// Most days that a report shows.
const MOST_DAYS: u32 = 731;

impl Service {
    /// How production stands, with the rolling means of so many days.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for a number of days that cannot be shown; where the store fails.
    pub async fn watch_report(
        &self,
        project: ProjectId,
        days: u32,
        viewer: Viewer,
    ) -> Result<WatchReport, ServiceError> {
        if !(7..=MOST_DAYS).contains(&days) {
            let reason = format!("found {days}, expected 7 to {MOST_DAYS}");
            return Err(ServiceError::Invalid { field: "days".to_owned(), reason });
        }
        let today = Day::of(self.now());
        let from = today - i32::try_from(days).unwrap_or(i32::MAX) + 1;
        let input = self.watch_input(project, from - LEAD, viewer).await?;
        // A year of many lines takes some hundredths of a second, in which nobody else should wait.
        tokio::task::spawn_blocking(move || WatchReport::of(&input, from, today))
            .await
            .map_err(|error| ServiceError::Internal(error.to_string()))
    }

    async fn watch_input(
        &self,
        project: ProjectId,
        from: Day,
        viewer: Viewer,
    ) -> Result<WatchInput, ServiceError> {
        let series = self.store.scored_series(project, from, viewer).await?;
        let judges = self.store.scoring_judges(project).await?;
        let anchors = match self.rubric(project).await? {
            Some(rubric) => self.anchor_pairs(project, &rubric, &series, &judges, viewer).await?,
            None => BTreeMap::new(),
        };
        Ok(WatchInput {
            series,
            judges,
            calibrations: self.store.calibrations(project).await?,
            anchors,
            settings: self.store.watch_settings(project).await?,
        })
    }

    /// What people and each judge that scored lately said of the items of an anchor set: of the one that it was promoted on, where it stands
    /// in a slot, else of the newest. Only `tune`: a look at `confirm` is for decisions.
    async fn anchor_pairs(
        &self,
        project: ProjectId,
        rubric: &Rubric,
        series: &[domain::ScoredSeries],
        judges: &[ScoringJudge],
        viewer: Viewer,
    ) -> Result<BTreeMap<(String, String), AnchorPairs>, ServiceError> {
        let newest = series.iter().flat_map(|part| part.days.iter().map(|(day, _)| *day)).max();
        let lately: BTreeSet<(&str, &str)> = series
            .iter()
            .filter(|part| part.days.last().map(|(day, _)| *day + 7) > newest)
            .map(|part| (part.dimension.as_str(), part.fingerprint.as_str()))
            .collect();
        let sets = self.store.anchor_sets(project, viewer).await?;
        let slots = if sets.is_empty() { Vec::new() } else { self.slots(project).await? };
        let thresholds = self.pass_thresholds(project).await?;
        let mut pairs = BTreeMap::new();
        for (dimension, fingerprint) in lately {
            let promoted_on = slots.iter().filter(|slot| slot.criterion == dimension).find_map(|slot| {
                let stands = slot.stands.as_ref().filter(|stands| stands.fingerprint == fingerprint)?;
                let (name, version) = (stands.anchor_set.name.clone(), stands.anchor_set.version);
                Some(AnchorSetName { name, version })
            });
            let newest = || sets.iter().max_by_key(|set| set.frozen_at).map(|set| set.name.clone());
            let Some(name) = promoted_on.or_else(newest) else { continue };
            let is_known = judges.iter().any(|judge| judge.fingerprint == fingerprint);
            let has_pass_level = rubric.scale_of(dimension).and_then(|scale| scale.relevant_from).is_some();
            if !is_known || !has_pass_level {
                continue;
            }
            let found =
                self.pairs_on(project, rubric, &name, (dimension, fingerprint), &thresholds, viewer).await;
            if let Some(found) = found? {
                pairs.insert((dimension.to_owned(), fingerprint.to_owned()), found);
            }
        }
        Ok(pairs)
    }

    async fn pairs_on(
        &self,
        project: ProjectId,
        rubric: &Rubric,
        name: &AnchorSetName,
        (dimension, fingerprint): (&str, &str),
        thresholds: &HashMap<(String, String), f64>,
        viewer: Viewer,
    ) -> Result<Option<AnchorPairs>, ServiceError> {
        let choice = ReferenceChoice::AnchorSet { name: name.clone(), split: Split::Tune, why: None };
        let observed = match self.observed(project, rubric.clone(), &choice, Some(dimension), viewer).await {
            // The set does not ask this criterion.
            Err(ServiceError::Invalid { .. } | ServiceError::NotFound { .. }) => return Ok(None),
            observed => observed?,
        };
        let Some(scale) = observed.rubric.scale_of(dimension) else { return Ok(None) };
        let Some(level) = scale.relevant_from else { return Ok(None) };
        let threshold =
            thresholds.get(&(dimension.to_owned(), fingerprint.to_owned())).copied().unwrap_or(level);
        let observations = observed.observations;
        let people: HashMap<(u32, &str), f64> = observations
            .references
            .iter()
            .flatten()
            .map(|reference| ((reference.setting, &*reference.unit), reference.value))
            .collect();
        let verdicts = observations.verdicts.iter();
        let verdicts = verdicts.filter(|verdict| *verdict.fingerprint == *fingerprint && verdict.repeat == 0);
        let passes = verdicts.filter_map(|verdict| {
            let person = *people.get(&(verdict.setting, &*verdict.unit))?;
            let judged = verdict.outcome.ok()?;
            let both_apply = scale.is_applicable(person) && scale.is_applicable(judged);
            both_apply.then_some((person >= level, judged >= threshold))
        });
        Ok(Some(AnchorPairs { anchor_set: name.to_string(), passes: passes.collect() }))
    }

    /// The accepted thresholds, by criterion and fingerprint.
    async fn pass_thresholds(
        &self,
        project: ProjectId,
    ) -> Result<HashMap<(String, String), f64>, ServiceError> {
        let mut thresholds = HashMap::new();
        for accepted in self.store.thresholds(project).await? {
            // The newest come first.
            thresholds.entry((accepted.criterion, accepted.fingerprint)).or_insert(accepted.threshold);
        }
        Ok(thresholds)
    }

    /// What a project wants to be told of.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn watch_settings(&self, project: ProjectId) -> Result<WatchSettings, ServiceError> {
        Ok(self.store.watch_settings(project).await?)
    }

    /// Changes what a project wants to be told of.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for what cannot stand.
    pub async fn save_watch_settings(
        &self,
        project: ProjectId,
        settings: &WatchSettings,
        by: Option<UserId>,
    ) -> Result<(), ServiceError> {
        let rubric = self.rubric_version(project).await?.rubric;
        if let Some(fault) = settings.fault(&rubric) {
            return Err(store::StoreError::from(fault).into());
        }
        self.store.save_watch_settings(project, settings, by, self.now()).await?;
        let detail = serde_json::to_string(settings).unwrap_or_default();
        self.record(by, Some(project), "save_watch_settings", &detail).await
    }

    /// Keeps what a calibration found: the judge's mean shift on its anchor set, with its interval.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for a criterion that the rubric does not have.
    pub async fn record_calibration(
        &self,
        project: ProjectId,
        calibration: &Calibration,
    ) -> Result<(), ServiceError> {
        let rubric = self.rubric_version(project).await?.rubric;
        if rubric.criterion(&calibration.dimension).is_none() {
            let reason = format!("the rubric has no criterion `{}`", domain::visible(&calibration.dimension));
            return Err(ServiceError::Invalid { field: "dimension".to_owned(), reason });
        }
        Ok(self.store.record_calibration(project, calibration, self.now()).await?)
    }

    /// Whether alarms can go anywhere: the operator has set a webhook.
    #[must_use]
    pub fn has_webhook(&self) -> bool {
        self.webhook.is_some()
    }
}
