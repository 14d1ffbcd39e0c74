use crate::{DecisionId, ProjectId, Store, StoreError, figures::stored_verdict, timestamp::Timestamp};
use domain::{AnchorSetName, ContentHash, ReleaseEvent, ReleaseLogEntry};

/// Gates of project `$1`, at most `$2`, newest first.
const GATES: &str = "select d.id, d.outcome, d.candidate, d.incumbent, json_extract(d.body, '$.policy.name') as policy, \
         d.policy_hash, d.data_hash, u.name as decided_by, d.decided_at \
     from decision d left join user u on u.id = d.decided_by \
     where d.project_id = $1 order by d.decided_at desc, d.id desc limit $2";

/// Looks at `confirm` in project `$1`, at most `$2`, newest first.
const OPENINGS: &str = "select s.name, s.version, o.look, o.why, u.name as opened_by, o.opened_at, \
         (select json_group_array(c.judge) from confirm_candidate c where c.confirm_opening_id = o.id) as candidates \
     from confirm_opening o join anchor_set s on s.id = o.anchor_set_id left join user u on u.id = o.opened_by \
     where s.project_id = $1 order by o.opened_at desc, o.id desc limit $2";

#[derive(sqlx::FromRow)]
struct Gate {
    id: DecisionId,
    outcome: String,
    candidate: String,
    incumbent: Option<String>,
    policy: String,
    policy_hash: String,
    data_hash: String,
    decided_by: Option<String>,
    decided_at: Timestamp,
}

impl TryFrom<Gate> for ReleaseLogEntry {
    type Error = StoreError;

    fn try_from(gate: Gate) -> Result<ReleaseLogEntry, StoreError> {
        let event = ReleaseEvent::Gate {
            decision: gate.id.to_string(),
            outcome: stored_verdict(&gate.outcome)?,
            candidate: gate.candidate,
            incumbent: gate.incumbent,
            policy: gate.policy,
            policy_hash: ContentHash(gate.policy_hash),
            data_hash: ContentHash(gate.data_hash),
        };
        Ok(ReleaseLogEntry { at: gate.decided_at.time()?, by: gate.decided_by, event })
    }
}

#[derive(sqlx::FromRow)]
struct Opening {
    name: String,
    version: u32,
    look: u32,
    why: Option<String>,
    opened_by: Option<String>,
    opened_at: Timestamp,
    candidates: String,
}

impl TryFrom<Opening> for ReleaseLogEntry {
    type Error = StoreError;

    fn try_from(opening: Opening) -> Result<ReleaseLogEntry, StoreError> {
        let unreadable = |error| StoreError::corrupt(format!("candidates of an opening ({error})"));
        let event = ReleaseEvent::Confirm {
            anchor_set: AnchorSetName { name: opening.name, version: opening.version },
            candidates: serde_json::from_str(&opening.candidates).map_err(unreadable)?,
            look: opening.look,
            why: opening.why,
        };
        Ok(ReleaseLogEntry { at: opening.opened_at.time()?, by: opening.opened_by, event })
    }
}

impl Store {
    /// What was asked, decided, moved and promoted in a project, newest first; of each kind at most so many.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn release_log(
        &self,
        project: ProjectId,
        limit: u32,
    ) -> Result<Vec<ReleaseLogEntry>, StoreError> {
        let gates: Vec<Gate> = sqlx::query_as(GATES).bind(project).bind(limit).fetch_all(self.read()).await?;
        let openings: Vec<Opening> =
            sqlx::query_as(OPENINGS).bind(project).bind(limit).fetch_all(self.read()).await?;
        let mut entries = Vec::with_capacity(gates.len() + openings.len());
        for gate in gates {
            entries.push(gate.try_into()?);
        }
        for opening in openings {
            entries.push(opening.try_into()?);
        }
        for change in self.slot_changes(project).await? {
            let (at, by) = (change.at, change.by.clone());
            entries.push(ReleaseLogEntry { at, by, event: ReleaseEvent::Slot(Box::new(change)) });
        }
        for accepted in self.thresholds(project).await? {
            let (at, by) = (accepted.at, accepted.by.clone());
            entries.push(ReleaseLogEntry { at, by, event: ReleaseEvent::Threshold(accepted) });
        }
        for saved in self.policies(project).await? {
            let event = ReleaseEvent::Policy { version: saved.version, name: saved.name, hash: saved.hash };
            entries.push(ReleaseLogEntry { at: saved.at, by: saved.by, event });
        }
        for (found, by) in self.recalibrations(project, limit).await? {
            entries.push(ReleaseLogEntry {
                at: found.at,
                by,
                event: ReleaseEvent::Recalibration(found.into()),
            });
        }
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.at));
        Ok(entries)
    }
}
