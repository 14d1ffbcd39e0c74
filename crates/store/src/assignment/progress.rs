//! How far people are, and how fast.

use super::queue::{self, AVAILABLE, Repeats};
use crate::{ProjectId, Store, StoreError, UserId, Viewer, seal::unsealed};
use domain::LabelProgress;

/// How far one person is in a project.
#[derive(Clone, Debug, PartialEq)]
pub struct PersonProgress {
    /// The person.
    pub user: UserId,
    /// The name that the person goes by.
    pub name: String,
    /// The name that the person signs in with.
    pub account: String,
    /// Conversations submitted.
    pub submitted: u64,
    /// Conversations skipped.
    pub skipped: u64,
    /// Conversations on the desk.
    pub open: u64,
    /// Labels that count and whose time is known.
    pub timed_labels: u64,
    /// Seconds of activity in which they were given, corrections included.
    pub active_seconds: f64,
}

/// The last submissions that say how long a conversation takes, and the least of them that say anything.
const PACE_WINDOW: u32 = 20;
const PACE_MINIMUM: usize = 3;

/// A pause is no work: what lay on the desk for longer says nothing of the pace.
const PACE_LONGEST_MILLISECONDS: i64 = 60 * 60 * 1_000;

/// How many conversations user `$2` has submitted, skipped and on the desk in project `$1`.
pub(crate) const DONE: &str = "select \
     (select count(*) from assignment where project_id = $1 and user_id = $2 and state = 'submitted'), \
     (select count(*) from assignment where project_id = $1 and user_id = $2 and state = 'skipped'), \
     (select count(*) from assignment where project_id = $1 and user_id = $2 and state = 'open')";

/// What everyone did in project `$1`, without the conversations that are sealed to user `$2`.
pub(crate) const BY_PERSON: &str = concat!(
    "with done as (\
         select a.user_id, count(*) filter (where a.state = 'submitted') as submitted, \
             count(*) filter (where a.state = 'skipped') as skipped, \
             count(*) filter (where a.state = 'open') as open \
         from assignment a where a.project_id = $1 group by a.user_id), \
     timed as (\
         select n.user_id, count(*) filter (where l.value is not null and not exists (\
                 select 1 from label later where later.supersedes = l.id)) as labels, \
             sum(l.seconds) as seconds \
         from label l join annotator n on n.id = l.annotator_id \
         join assignment a on a.conversation_id = l.conversation_id and a.user_id = n.user_id and a.pass = l.pass \
             and a.state = 'submitted' \
         where l.project_id = $1 and n.user_id is not null and l.seconds is not null and l.corrected = 0 and ",
    unsealed!("l.conversation_id", "$2"),
    "    group by n.user_id) \
     select u.id, u.name, u.account, d.submitted, d.skipped, d.open, coalesce(t.labels, 0), coalesce(t.seconds, 0.0) \
     from done d join user u on u.id = d.user_id left join timed t on t.user_id = d.user_id order by u.account"
);

impl Store {
    /// How far a person is in a project. Repeats that are to come are counted among what is left, so that nothing tells them apart.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn label_progress(
        &self,
        project: ProjectId,
        user: UserId,
    ) -> Result<LabelProgress, StoreError> {
        let mut snapshot = self.snapshot().await?;
        let (submitted, skipped, open): (i64, i64, i64) =
            sqlx::query_as(DONE).bind(project).bind(user).fetch_one(&mut *snapshot).await?;
        let available: i64 =
            sqlx::query_scalar(AVAILABLE).bind(project).bind(user).fetch_one(&mut *snapshot).await?;
        let to_come = match queue::repeats(&mut snapshot, project, user).await? {
            None => 0,
            Some(Repeats { every, submitted, open }) => (submitted + open + available) / every,
        };
        let with_others = queue::with_others(&mut snapshot, project, user).await?;
        let pace = "select closed_at - assigned_at from assignment \
                    where project_id = $1 and user_id = $2 and state = 'submitted' \
                    order by closed_at desc limit $3";
        let milliseconds: Vec<i64> = sqlx::query_scalar(pace)
            .bind(project)
            .bind(user)
            .bind(PACE_WINDOW)
            .fetch_all(&mut *snapshot)
            .await?;
        Ok(LabelProgress {
            submitted: submitted.unsigned_abs(),
            skipped: skipped.unsigned_abs(),
            left: (open + available + to_come).unsigned_abs(),
            with_others,
            median_seconds: median_seconds(milliseconds),
        })
    }

    /// How far everyone is who ever had a conversation of a project on the desk, by account, and how long labels took; times leave out the
    /// conversations that are sealed to the viewer.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn progress_by_person(
        &self,
        project: ProjectId,
        viewer: Viewer,
    ) -> Result<Vec<PersonProgress>, StoreError> {
        type Row = (UserId, String, String, i64, i64, i64, i64, f64);
        let rows: Vec<Row> =
            sqlx::query_as(BY_PERSON).bind(project).bind(viewer.user()).fetch_all(self.read()).await?;
        let person =
            |(user, name, account, submitted, skipped, open, labels, active_seconds): Row| PersonProgress {
                user,
                name,
                account,
                submitted: submitted.unsigned_abs(),
                skipped: skipped.unsigned_abs(),
                open: open.unsigned_abs(),
                timed_labels: labels.unsigned_abs(),
                active_seconds,
            };
        Ok(rows.into_iter().map(person).collect())
    }
}

fn median_seconds(mut milliseconds: Vec<i64>) -> Option<u32> {
    milliseconds.retain(|spent| (0..=PACE_LONGEST_MILLISECONDS).contains(spent));
    if milliseconds.len() < PACE_MINIMUM {
        return None;
    }
    milliseconds.sort_unstable();
    u32::try_from(milliseconds.get(milliseconds.len() / 2)? / 1_000).ok()
}
