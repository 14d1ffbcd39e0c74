//! The reasons of judges that a person may grade: those for verdicts on what the person has labelled and submitted.

use crate::{ConversationId, ProjectId, Store, StoreError, UserId, label::stored_unit, seal::unsealed};
use domain::{ContentHash, Unit};
use futures_util::TryStreamExt;
use sqlx::{FromRow as _, SqliteConnection};
use std::collections::HashSet;

/// The reason that a judge gave for a verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The conversation of the verdict.
    pub conversation: ConversationId,
    /// The reason as a unit to be labelled.
    pub unit: Unit,
    /// The value that the reason is for.
    pub value: f64,
    /// The reason, as the judge wrote it.
    pub text: String,
}

/// The reasons that user `$2` may grade in project `$1`, of conversation `$3` or of all, what was submitted first first. A person's own label
/// on the same item must count, and no assignment of the person on the conversation may be open.
pub(crate) const OFFERED: &str = concat!(
    "select l.conversation_id, j.name || '@' || v.version as judge_version, d.unit, d.criterion, d.repeat, d.value, d.reason \
     from assignment a \
     cross join annotator n on n.project_id = a.project_id and n.user_id = a.user_id \
     cross join counted_label l on l.conversation_id = a.conversation_id and l.annotator_id = n.id and l.pass = 0 \
     cross join judge j on j.project_id = a.project_id \
     cross join judge_version v on v.judge_id = j.id \
     cross join verdict d on d.judge_version_id = v.id and d.criterion = l.criterion \
         and d.conversation_id = l.conversation_id and d.unit = l.unit and d.repeat = 0 \
     where a.project_id = $1 and a.user_id = $2 and a.state = 'submitted' and a.pass = 0 \
     and ($3 is null or a.conversation_id = $3) and d.value is not null and trim(d.reason) <> '' and ",
    unsealed!("a.conversation_id", "$2"),
    " order by a.closed_at, a.id"
);

/// What user `$2` has graded in project `$1`.
pub(crate) const GRADED: &str = "select l.conversation_id, l.unit from annotator n \
     cross join assignment a on a.project_id = n.project_id and a.user_id = n.user_id and a.state = 'submitted' and a.pass = 0 \
     cross join label l on l.conversation_id = a.conversation_id and l.annotator_id = n.id \
     where n.project_id = $1 and n.user_id = $2 and l.unit >= 'justification:' and l.unit < 'justification;' \
     and l.value is not null and not exists (select 1 from label later where later.supersedes = l.id)";

#[derive(sqlx::FromRow)]
struct Row {
    conversation_id: ConversationId,
    judge_version: String,
    unit: String,
    criterion: String,
    repeat: u32,
    value: f64,
    reason: String,
}

impl TryFrom<Row> for Reason {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Reason, StoreError> {
        let unit = Unit::Justification {
            judge_version: row.judge_version,
            repeat: row.repeat,
            unit: Box::new(stored_unit(&row.unit)?),
            criterion: row.criterion,
        };
        Ok(Reason { conversation: row.conversation_id, unit, value: row.value, text: row.reason })
    }
}

/// Whether a person may grade that reason.
pub(crate) async fn is_offered(
    connection: &mut SqliteConnection,
    project: ProjectId,
    user: UserId,
    conversation: ConversationId,
    unit: &Unit,
) -> Result<bool, StoreError> {
    let rows: Vec<Row> =
        sqlx::query_as(OFFERED).bind(project).bind(user).bind(conversation).fetch_all(connection).await?;
    for row in rows {
        if Reason::try_from(row)?.unit == *unit {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Store {
    /// The reason that a person is to grade next, after leaving `behind` for later, and how many the person has graded. Conversations come in
    /// the order in which the person submitted them; within one a lot decides, so that no judge always comes first.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn next_reason(
        &self,
        project: ProjectId,
        user: UserId,
        behind: usize,
    ) -> Result<(Option<Reason>, u64), StoreError> {
        let mut snapshot = self.snapshot().await?;
        let graded: Vec<(ConversationId, String)> =
            sqlx::query_as(GRADED).bind(project).bind(user).fetch_all(&mut *snapshot).await?;
        let graded: HashSet<(ConversationId, String)> = graded.into_iter().collect();
        let mut left = Vec::new();
        let none: Option<ConversationId> = None;
        let mut rows = sqlx::query(OFFERED).bind(project).bind(user).bind(none).fetch(&mut *snapshot);
        while let Some(row) = rows.try_next().await? {
            let reason = Reason::try_from(Row::from_row(&row)?)?;
            let is_another =
                left.last().is_some_and(|last: &Reason| last.conversation != reason.conversation);
            if is_another && left.len() > behind {
                break;
            }
            if !graded.contains(&(reason.conversation, reason.unit.to_string())) {
                left.push(reason);
            }
        }
        for of_one in left.chunk_by_mut(|one, other| one.conversation == other.conversation) {
            of_one.sort_by_cached_key(|reason| lot(user, &reason.unit));
        }
        let next = (behind < left.len()).then(|| left.swap_remove(behind));
        Ok((next, graded.len() as u64))
    }
}

fn lot(user: UserId, unit: &Unit) -> String {
    ContentHash::of_bytes(format!("reason {user} {unit}").as_bytes()).0
}

#[cfg(test)]
mod tests;
