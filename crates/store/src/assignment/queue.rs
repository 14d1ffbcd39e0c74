//! What a person is given next: a hidden repeat where one is due, else a conversation that wants another annotator.

use crate::{BatchId, ConversationId, ProjectId, StoreError, UserId};
use domain::ContentHash;
use sqlx::SqliteConnection;

/// Conversations that stand together in the queue come in an order of each person's own; block follows block for all, so that conversations
/// get all their annotators soon after one another.
const BLOCK: i64 = 50;

/// The open batches of user `$2` in project `$1`, oldest first, each with its seed.
const BATCHES: &str = "select b.id, b.seed from batch_person p join batch b on b.id = p.batch_id \
     where p.user_id = $2 and p.left_at is null and b.project_id = $1 and b.closed_at is null order by b.id";

/// The seed of project `$1`, where it has no batches.
const POOL: &str = "select order_seed from project \
     where id = $1 and not exists (select 1 from batch where project_id = $1)";

/// Conversations of batch `$3` of project `$1` (none: the project as a whole) that want another annotator and that user `$2` does not
/// have or had, by name, in the order of the queue, at most `$4`.
pub(crate) const NEXT: &str = "select q.conversation_id, q.position, c.external_id \
     from queue q cross join conversation c on c.id = q.conversation_id \
     where q.project_id = $1 and q.batch_id is $3 and q.takers < q.wanted \
     and not exists (\
         select 1 from assignment own where own.conversation_id = q.conversation_id and own.user_id = $2 \
         and own.state <> 'returned') \
     order by q.position limit $4";

/// Whether an entry `q` of the queue of project `$1` is for user `$2`.
macro_rules! offered {
    () => {
        "q.project_id = $1 and (\
            (q.batch_id is null and not exists (select 1 from batch where project_id = $1)) \
            or q.batch_id in (\
                select b.id from batch_person p join batch b on b.id = p.batch_id \
                where p.user_id = $2 and p.left_at is null and b.project_id = $1 and b.closed_at is null))"
    };
}

/// How many conversations there are to be had for user `$2`.
pub(crate) const AVAILABLE: &str = concat!(
    "select count(distinct q.conversation_id) from queue q where q.takers < q.wanted and ",
    offered!(),
    " and not exists (\
         select 1 from assignment own where own.conversation_id = q.conversation_id and own.user_id = $2 \
         and own.state <> 'returned')"
);

/// Conversations for user `$2` that others have on their desks and this person never had.
pub(crate) const WITH_OTHERS: &str = concat!(
    "select count(distinct a.conversation_id) from assignment a \
     where a.project_id = $1 and a.state = 'open' and a.lapsed_at is null and a.pass = 0 and not exists (\
         select 1 from assignment own where own.conversation_id = a.conversation_id and own.user_id = $2 \
         and own.state <> 'returned') \
     and exists (select 1 from queue q where q.conversation_id = a.conversation_id and ",
    offered!(),
    ")"
);

/// How many conversations user `$2` began since the last repeat, and after how many one is to come again; no row where none ever is.
pub(crate) const SINCE_REPEAT: &str = "select p.repeat_every, \
         count(a.id) filter (where a.state = 'submitted'), count(a.id) filter (where a.state = 'open') \
     from project p left join assignment a \
         on a.project_id = p.id and a.user_id = $2 and a.pass = 0 and a.id > coalesce((\
             select max(last.id) from assignment last \
             where last.project_id = $1 and last.user_id = $2 and last.pass > 0), x'') \
     where p.id = $1 and p.repeat_every is not null group by p.id";

/// What user `$2` submitted in project `$1` and has not been given again, but for the last `$3`, by name.
pub(crate) const REPEATABLE: &str = "select a.conversation_id, c.external_id \
     from assignment a join conversation c on c.id = a.conversation_id \
     where a.project_id = $1 and a.user_id = $2 and a.state = 'submitted' and a.pass = 0 \
     and not exists (\
         select 1 from assignment again where again.conversation_id = a.conversation_id and again.user_id = $2 \
         and again.pass > 0) \
     and a.id not in (\
         select late.id from assignment late \
         where late.project_id = $1 and late.user_id = $2 and late.state = 'submitted' and late.pass = 0 \
         order by late.id desc limit $3)";

/// Where conversations come from, and what decides their order; without a seed it is that of the queue.
struct Source {
    batch: Option<BatchId>,
    seed: Option<i64>,
}

/// Repeats of a person in a project.
pub(super) struct Repeats {
    /// After so many conversations one comes again.
    pub(super) every: i64,
    /// Conversations submitted since the last one.
    pub(super) submitted: i64,
    /// Conversations on the desk since the last one.
    pub(super) open: i64,
}

/// What a person is given next, and in which pass; nothing where nothing is left.
pub(super) async fn next(
    connection: &mut SqliteConnection,
    project: ProjectId,
    user: UserId,
) -> Result<Option<(ConversationId, u32)>, StoreError> {
    if let Some(again) = repeat(connection, project, user).await? {
        return Ok(Some((again, 1)));
    }
    for source in sources(connection, project, user).await? {
        if let Some(found) = from_source(connection, project, user, &source).await? {
            return Ok(Some((found, 0)));
        }
    }
    Ok(None)
}

/// Conversations that others have on their desks and that may come to this person.
pub(super) async fn with_others(
    connection: &mut SqliteConnection,
    project: ProjectId,
    user: UserId,
) -> Result<u64, StoreError> {
    let count: i64 = sqlx::query_scalar(WITH_OTHERS).bind(project).bind(user).fetch_one(connection).await?;
    Ok(count.unsigned_abs())
}

/// How a person stands with repeats, where the project wants them.
pub(super) async fn repeats(
    connection: &mut SqliteConnection,
    project: ProjectId,
    user: UserId,
) -> Result<Option<Repeats>, StoreError> {
    let row: Option<(i64, i64, i64)> =
        sqlx::query_as(SINCE_REPEAT).bind(project).bind(user).fetch_optional(connection).await?;
    Ok(row.map(|(every, submitted, open)| Repeats { every, submitted, open }))
}

/// What comes again, where something is due: of what was submitted a while ago, by lot.
async fn repeat(
    connection: &mut SqliteConnection,
    project: ProjectId,
    user: UserId,
) -> Result<Option<ConversationId>, StoreError> {
    let Some(Repeats { every, submitted, .. }) = repeats(connection, project, user).await? else {
        return Ok(None);
    };
    if submitted < every {
        return Ok(None);
    }
    let repeatable: Vec<(ConversationId, String)> = sqlx::query_as(REPEATABLE)
        .bind(project)
        .bind(user)
        .bind(every / 2)
        .fetch_all(&mut *connection)
        .await?;
    let account = account_of(connection, user).await?;
    let lot = |name: &str| lot("repeat", &account, name);
    Ok(repeatable.into_iter().min_by_key(|(_, name)| lot(name)).map(|(conversation, _)| conversation))
}

async fn sources(
    connection: &mut SqliteConnection,
    project: ProjectId,
    user: UserId,
) -> Result<Vec<Source>, StoreError> {
    let pool: Option<Option<i64>> =
        sqlx::query_scalar(POOL).bind(project).fetch_optional(&mut *connection).await?;
    if let Some(seed) = pool {
        return Ok(vec![Source { batch: None, seed }]);
    }
    let batches: Vec<(BatchId, i64)> =
        sqlx::query_as(BATCHES).bind(project).bind(user).fetch_all(connection).await?;
    Ok(batches.into_iter().map(|(id, seed)| Source { batch: Some(id), seed: Some(seed) }).collect())
}

/// The first conversation of a source in a person's own order: of the first block in which one is left.
async fn from_source(
    connection: &mut SqliteConnection,
    project: ProjectId,
    user: UserId,
    source: &Source,
) -> Result<Option<ConversationId>, StoreError> {
    let most = if source.seed.is_some() { BLOCK } else { 1 };
    let left: Vec<(ConversationId, i64, String)> = sqlx::query_as(NEXT)
        .bind(project)
        .bind(user)
        .bind(source.batch)
        .bind(most)
        .fetch_all(&mut *connection)
        .await?;
    let Some(block) = left.first().map(|(_, position, _)| position / BLOCK) else { return Ok(None) };
    let account = account_of(connection, user).await?;
    let seed = source.seed.map(|seed| seed.to_string()).unwrap_or_default();
    let drawn = left
        .into_iter()
        .filter(|(_, position, _)| position / BLOCK == block)
        .min_by_key(|(.., name)| lot(&seed, &account, name));
    Ok(drawn.map(|(conversation, ..)| conversation))
}

async fn account_of(connection: &mut SqliteConnection, user: UserId) -> Result<String, StoreError> {
    let sql = "select account from user where id = $1";
    Ok(sqlx::query_scalar(sql).bind(user).fetch_one(connection).await?)
}

/// A lot that depends on the seed, the person and the conversation alone: what else is there moves nothing.
fn lot(seed: &str, account: &str, conversation: &str) -> String {
    ContentHash::of_bytes(format!("{seed} order {account} {conversation}").as_bytes()).0
}
