use crate::{
    DecisionId, ProjectId, SlotChangeId, Store, StoreError, UserId, decision::stored_decision,
    timestamp::Timestamp,
};
use domain::{PromotedJudge, Purpose, SlotAct, SlotChange};
use time::OffsetDateTime;

/// What is to be done with a slot.
#[derive(Clone, Debug, PartialEq)]
pub struct NewSlotChange {
    /// Id of the criterion.
    pub criterion: String,
    /// What the slot is for.
    pub purpose: Purpose,
    /// What is done.
    pub act: SlotAct,
    /// What is to stand there; `None` where the slot is emptied.
    pub stands: Option<NewStanding>,
    /// Why.
    pub reason: String,
    /// Why a model that is asked for by a floating name may stand all the same.
    pub floating_reason: Option<String>,
    /// The last change of the slot, which this one follows; `None` for the first.
    pub supersedes: Option<String>,
}

/// What is to stand in a slot.
#[derive(Clone, Debug, PartialEq)]
pub struct NewStanding {
    /// The decision behind it.
    pub decision: String,
    /// Name of the judge.
    pub judge: String,
    /// Its version.
    pub version: String,
    /// Fingerprint of the verdicts that were decided on.
    pub fingerprint: String,
    /// The judge passes from here on; `None` where the scale has no pass level.
    pub threshold: Option<f64>,
}

const CHANGES: &str = "select s.id, s.criterion, s.purpose, s.act, s.threshold, s.reason, s.floating_reason, \
         u.name as changed_by, s.changed_at, d.body, d.hash as decision_hash, j.name as judge, v.version, \
         f.hash as fingerprint, f.model, f.reported_model \
     from slot_change s left join user u on u.id = s.changed_by left join decision d on d.id = s.decision_id \
     left join fingerprint f on f.id = s.fingerprint_id left join judge_version v on v.id = f.judge_version_id \
     left join judge j on j.id = v.judge_id \
     where s.project_id = $1 order by s.changed_at, s.id";

#[derive(sqlx::FromRow)]
struct Row {
    id: SlotChangeId,
    criterion: String,
    purpose: String,
    act: String,
    threshold: Option<f64>,
    reason: String,
    floating_reason: Option<String>,
    changed_by: Option<String>,
    changed_at: Timestamp,
    body: Option<String>,
    decision_hash: Option<String>,
    judge: Option<String>,
    version: Option<String>,
    fingerprint: Option<String>,
    model: Option<String>,
    reported_model: Option<String>,
}

impl TryFrom<Row> for SlotChange {
    type Error = StoreError;

    fn try_from(mut row: Row) -> Result<SlotChange, StoreError> {
        let stands = row.standing()?;
        Ok(SlotChange {
            id: row.id.to_string(),
            criterion: row.criterion,
            purpose: row.purpose.parse().map_err(StoreError::corrupt)?,
            act: match row.act.as_str() {
                "promote" => SlotAct::Promote,
                _ => SlotAct::RollBack,
            },
            stands,
            reason: row.reason,
            floating_reason: row.floating_reason,
            by: row.changed_by,
            at: row.changed_at.time()?,
        })
    }
}

impl Row {
    fn standing(&mut self) -> Result<Option<PromotedJudge>, StoreError> {
        let (Some(body), Some(judge), Some(version), Some(fingerprint)) =
            (self.body.take(), self.judge.take(), self.version.take(), self.fingerprint.take())
        else {
            return Ok(None);
        };
        let decision = stored_decision(&body, self.decision_hash.as_deref())?;
        let wrong =
            |what: &str| StoreError::corrupt(format!("a promotion on decision {}, {what}", decision.id));
        let decision_hash = decision.hash().map_err(|_| wrong("which has no hash"))?;
        let anchor_set = decision.reference.anchor_set.clone();
        Ok(Some(PromotedJudge {
            judge,
            version,
            fingerprint,
            model: self.model.take(),
            reported_model: self.reported_model.take(),
            threshold: self.threshold,
            anchor_set: anchor_set.ok_or_else(|| wrong("which is on no anchor set"))?,
            decision: decision.id,
            decision_hash,
            policy_hash: decision.policy_hash,
            data_hash: decision.data_hash,
        }))
    }
}

impl Store {
    /// The history of all slots of a project, oldest first.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn slot_changes(&self, project: ProjectId) -> Result<Vec<SlotChange>, StoreError> {
        let rows: Vec<Row> = sqlx::query_as(CHANGES).bind(project).fetch_all(self.read()).await?;
        rows.into_iter().map(SlotChange::try_from).collect()
    }

    /// Changes slots, all or none.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] where a slot was changed meanwhile; [`StoreError::NotFound`] for an instrument that never answered.
    pub async fn change_slots(
        &self,
        project: ProjectId,
        changes: &[NewSlotChange],
        by: Option<UserId>,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let last = "select id from slot_change where project_id = $1 and criterion = $2 and purpose = $3 \
                    order by changed_at desc, id desc limit 1";
        let mut transaction = self.write().await?;
        for change in changes {
            let stands: Option<SlotChangeId> = sqlx::query_scalar(last)
                .bind(project)
                .bind(&change.criterion)
                .bind(change.purpose.word())
                .fetch_optional(&mut *transaction)
                .await?;
            if stands.map(|id| id.to_string()) != change.supersedes {
                let slot = format!("{} for {}", change.criterion, change.purpose);
                return Err(StoreError::conflict(format!(
                    "the slot {slot} was changed meanwhile: look at it again"
                )));
            }
            insert(&mut transaction, project, change, stands, by, now).await?;
        }
        Ok(transaction.commit().await?)
    }
}

async fn insert(
    connection: &mut sqlx::SqliteConnection,
    project: ProjectId,
    change: &NewSlotChange,
    supersedes: Option<SlotChangeId>,
    by: Option<UserId>,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let instrument = match &change.stands {
        Some(standing) => Some(instrument(connection, project, standing).await?),
        None => None,
    };
    let sql = "insert into slot_change (id, project_id, criterion, purpose, act, decision_id, fingerprint_id, \
                   threshold, reason, floating_reason, changed_by, changed_at, supersedes) \
               values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
    sqlx::query(sql)
        .bind(SlotChangeId::new(now))
        .bind(project)
        .bind(&change.criterion)
        .bind(change.purpose.word())
        .bind(match change.act {
            SlotAct::Promote => "promote",
            SlotAct::RollBack => "roll_back",
        })
        .bind(instrument.map(|(decision, _)| decision))
        .bind(instrument.map(|(_, fingerprint)| fingerprint))
        .bind(change.stands.as_ref().and_then(|standing| standing.threshold))
        .bind(&change.reason)
        .bind(&change.floating_reason)
        .bind(by)
        .bind(Timestamp::from(now))
        .bind(supersedes)
        .execute(connection)
        .await?;
    Ok(())
}

/// The decision of a project, and the instrument that it was about.
async fn instrument(
    connection: &mut sqlx::SqliteConnection,
    project: ProjectId,
    standing: &NewStanding,
) -> Result<(DecisionId, i64), StoreError> {
    let missing = || {
        let NewStanding { judge, version, decision, .. } = standing;
        StoreError::not_found(format!("decision {decision} on such an instrument of judge {judge}@{version}"))
    };
    let decision: DecisionId = standing.decision.parse().map_err(|_| missing())?;
    let sql = "select f.id from decision d join judge j on j.project_id = d.project_id \
                   join judge_version v on v.judge_id = j.id join fingerprint f on f.judge_version_id = v.id \
               where d.project_id = $1 and d.id = $2 and j.name = $3 and v.version = $4 and f.hash = $5";
    let fingerprint: Option<i64> = sqlx::query_scalar(sql)
        .bind(project)
        .bind(decision)
        .bind(&standing.judge)
        .bind(&standing.version)
        .bind(&standing.fingerprint)
        .fetch_optional(connection)
        .await?;
    Ok((decision, fingerprint.ok_or_else(missing)?))
}

#[cfg(test)]
mod tests;
