//! Places that are kept for whoever has a conversation on the desk, and given back when nothing happens there for long.

use crate::{ProjectId, StoreError, UserId, timestamp::Timestamp};
use sqlx::SqliteConnection;
use time::{Duration, OffsetDateTime};

/// A place is kept anew when its person asks for it after so long. Shorter than the shortest reservation.
pub(super) const RENEWED_AFTER: Duration = Duration::minutes(20);

/// Places of project `$1` that were kept for longer than the project says at `$2`, while their people said nothing.
pub(crate) const EXPIRE: &str = "update assignment set lapsed_at = $2 \
     where project_id = $1 and state = 'open' and lapsed_at is null \
     and reserved_at <= $2 - (select reservation_hours * 3600000 from project where id = $1) \
     and not exists (\
         select 1 from annotator n join label l on l.annotator_id = n.id \
         where n.project_id = $1 and n.user_id = assignment.user_id \
         and l.conversation_id = assignment.conversation_id \
         and l.recorded_at > $2 - (select reservation_hours * 3600000 from project where id = $1))";

/// What lies on the desk of user `$2` without a word said of it, and whose place somebody else has got.
pub(crate) const RETURN: &str = "update assignment set state = 'returned', closed_at = $3 \
     where project_id = $1 and user_id = $2 and state = 'open' and lapsed_at is not null and pass = 0 \
     and not exists (\
         select 1 from annotator n join label l on l.annotator_id = n.id \
         where n.project_id = $1 and n.user_id = $2 and l.conversation_id = assignment.conversation_id) \
     and not exists (\
         select 1 from queue q where q.conversation_id = assignment.conversation_id and q.takers < q.wanted \
         and (q.batch_id is not null or not exists (select 1 from batch where project_id = $1)))";

/// What lies on the desk of user `$2`: the place is kept again from `$3` on.
pub(crate) const KEEP: &str = "update assignment set reserved_at = $3, lapsed_at = null \
     where project_id = $1 and user_id = $2 and state = 'open'";

/// Gives the places of a project back that were kept for too long. What lies on the desks stays there, with all that was said, and sealed:
/// only somebody else may have the conversation now.
pub(super) async fn expire(
    connection: &mut SqliteConnection,
    project: ProjectId,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    sqlx::query(EXPIRE).bind(project).bind(Timestamp::from(now)).execute(connection).await?;
    Ok(())
}

/// Keeps the places of a person who is here. Work that was begun is gone on with whether its place is free or not; what was not begun is
/// returned where it is not.
pub(super) async fn renew(
    connection: &mut SqliteConnection,
    project: ProjectId,
    user: UserId,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    for sql in [RETURN, KEEP] {
        sqlx::query(sql)
            .bind(project)
            .bind(user)
            .bind(Timestamp::from(now))
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}
