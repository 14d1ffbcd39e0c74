//! What is told of production: settings, calibrations, alarms.

use crate::{
    AlarmId, CalibrationId, ProjectId, Store, StoreError, UserId, WatchSettingsId, score::scoring_judge,
    timestamp::Timestamp,
};
use domain::{Calibration, Cut, Day, ScoringJudge, WatchSettings};
use time::OffsetDateTime;

/// Days within which an alarm of the same line is the same.
const SAME_WITHIN: i32 = 7;

/// An alarm to be raised.
#[derive(Clone, Debug, PartialEq)]
pub struct NewAlarm {
    /// Id of the criterion.
    pub dimension: String,
    /// Which scores fell.
    pub cut: Cut,
    /// The day on which it is told.
    pub day: Day,
    /// In words.
    pub says: String,
}

/// An alarm that was raised.
#[derive(Clone, Debug, PartialEq)]
pub struct Alarm {
    /// Identity.
    pub id: AlarmId,
    /// What it says.
    pub says: String,
    /// When a webhook took it.
    pub told_at: Option<OffsetDateTime>,
}

impl Store {
    /// The settings that count: those that were saved last, else the usual ones.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn watch_settings(&self, project: ProjectId) -> Result<WatchSettings, StoreError> {
        let sql =
            "select body from watch_settings where project_id = $1 order by saved_at desc, id desc limit 1";
        let body: Option<String> = sqlx::query_scalar(sql).bind(project).fetch_optional(self.read()).await?;
        match body {
            None => Ok(WatchSettings::default()),
            Some(body) => serde_json::from_str(&body)
                .map_err(|error| StoreError::corrupt(format!("settings that cannot be read ({error})"))),
        }
    }

    /// Keeps settings, which count from now on.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn save_watch_settings(
        &self,
        project: ProjectId,
        settings: &WatchSettings,
        by: Option<UserId>,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let body = serde_json::to_string(settings)
            .map_err(|error| StoreError::conflict(format!("the settings cannot be written down: {error}")))?;
        let sql = "insert into watch_settings (id, project_id, body, saved_by, saved_at) values ($1, $2, $3, $4, $5)";
        let mut transaction = self.write().await?;
        sqlx::query(sql)
            .bind(WatchSettingsId::new(now))
            .bind(project)
            .bind(body)
            .bind(by)
            .bind(Timestamp::from(now))
            .execute(&mut *transaction)
            .await?;
        Ok(transaction.commit().await?)
    }

    /// Keeps what a calibration found.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn record_calibration(
        &self,
        project: ProjectId,
        calibration: &Calibration,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let shift = serde_json::to_string(&calibration.shift)
            .map_err(|error| StoreError::conflict(format!("the shift cannot be written down: {error}")))?;
        let judge = ScoringJudge {
            fingerprint: calibration.fingerprint.clone(),
            judge: calibration.judge.clone(),
            version: calibration.version.clone(),
            reported_model: calibration.reported_model.clone(),
        };
        let sql = "insert into calibration (id, project_id, dimension, judge_id, anchor_set, shift, calibrated_at, recorded_at) \
                   values ($1, $2, $3, $4, $5, $6, $7, $8)";
        let mut transaction = self.write().await?;
        let judge = scoring_judge(&mut transaction, project, &judge).await?;
        sqlx::query(sql)
            .bind(CalibrationId::new(now))
            .bind(project)
            .bind(&calibration.dimension)
            .bind(judge)
            .bind(&calibration.anchor_set)
            .bind(shift)
            .bind(Timestamp::from(calibration.at))
            .bind(Timestamp::from(now))
            .execute(&mut *transaction)
            .await?;
        Ok(transaction.commit().await?)
    }

    /// The calibrations of a project, oldest first.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn calibrations(&self, project: ProjectId) -> Result<Vec<Calibration>, StoreError> {
        type Row = (String, String, String, Option<String>, String, String, String, Timestamp);
        let sql = "select c.dimension, j.judge, j.version, j.reported_model, j.fingerprint, c.anchor_set, c.shift, \
                       c.calibrated_at \
                   from calibration c join scoring_judge j on j.id = c.judge_id \
                   where c.project_id = $1 order by c.calibrated_at, c.id";
        let rows: Vec<Row> = sqlx::query_as(sql).bind(project).fetch_all(self.read()).await?;
        let calibration = |row: Row| {
            let (dimension, judge, version, reported_model, fingerprint, anchor_set, shift, at) = row;
            let shift = serde_json::from_str(&shift).map_err(|error| {
                StoreError::corrupt(format!("a calibration that cannot be read ({error})"))
            })?;
            let at = at.time()?;
            Ok(Calibration { dimension, judge, version, reported_model, fingerprint, anchor_set, shift, at })
        };
        rows.into_iter().map(calibration).collect()
    }

    /// Raises an alarm, unless the same fall was raised within the week. Gives the one that stands for it.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn raise_alarm(
        &self,
        project: ProjectId,
        alarm: &NewAlarm,
        now: OffsetDateTime,
    ) -> Result<Alarm, StoreError> {
        let cut = serde_json::to_string(&alarm.cut)
            .map_err(|error| StoreError::conflict(format!("the alarm cannot be written down: {error}")))?;
        let find = "select id, says, told_at from alarm \
                    where project_id = $1 and dimension = $2 and cut = $3 and day > $4 and day < $5 \
                    order by day limit 1";
        let mut transaction = self.write().await?;
        let found: Option<(AlarmId, String, Option<Timestamp>)> = sqlx::query_as(find)
            .bind(project)
            .bind(&alarm.dimension)
            .bind(&cut)
            .bind(alarm.day.0 - SAME_WITHIN)
            .bind(alarm.day.0 + SAME_WITHIN)
            .fetch_optional(&mut *transaction)
            .await?;
        if let Some((id, says, told_at)) = found {
            return Ok(Alarm { id, says, told_at: told_at.map(Timestamp::time).transpose()? });
        }
        let id = AlarmId::new(now);
        let sql = "insert into alarm (id, project_id, dimension, cut, day, says, raised_at) \
                   values ($1, $2, $3, $4, $5, $6, $7)";
        sqlx::query(sql)
            .bind(id)
            .bind(project)
            .bind(&alarm.dimension)
            .bind(cut)
            .bind(alarm.day.0)
            .bind(&alarm.says)
            .bind(Timestamp::from(now))
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(Alarm { id, says: alarm.says.clone(), told_at: None })
    }

    /// Takes an alarm for telling: true for one caller alone, however many ask at the same time.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn claim_alarm(&self, alarm: AlarmId, now: OffsetDateTime) -> Result<bool, StoreError> {
        let sql = "update alarm set told_at = $2 where id = $1 and told_at is null";
        let mut transaction = self.write().await?;
        let done = sqlx::query(sql).bind(alarm).bind(Timestamp::from(now)).execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(done.rows_affected() == 1)
    }

    /// Gives an alarm back that could not be told, so that the next look tells it.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn release_alarm(&self, alarm: AlarmId) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        sqlx::query("update alarm set told_at = null where id = $1")
            .bind(alarm)
            .execute(&mut *transaction)
            .await?;
        Ok(transaction.commit().await?)
    }
}

#[cfg(test)]
mod tests;
