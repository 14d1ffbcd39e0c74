use crate::{Store, StoreError, UserId, timestamp::Timestamp};
use async_trait::async_trait;
use sha2::{Digest, Sha256};
use std::fmt;
use time::{Duration, OffsetDateTime};
use tower_sessions_core::{
    SessionStore,
    session::{Id, Record},
    session_store,
};

/// A session that nobody uses for so long is over.
const IDLE: Duration = Duration::hours(8);

/// However it is used, a session ends after this time.
const LIFETIME: Duration = Duration::days(7);

/// How exactly the last use is known: a page that asks often does not write often.
const SEEN_TO: Duration = Duration::minutes(1);

/// The key under which a session's data names its user, as the text of a [`UserId`].
const USER: &str = "user";

/// The key under which a session's data keeps the browser's name of itself.
const USER_AGENT: &str = "user_agent";

/// What holds for a session at `$1`, the present, when `$2` is the earliest last use and `$3` the earliest start that still count.
/// The sessions of a disabled user are over.
macro_rules! alive {
    () => {
        "s.expires_at > $1 and s.last_seen_at > $2 and s.created_at > $3 \
         and not exists (select 1 from user off where off.id = s.user_id and off.disabled_at is not null)"
    };
}

/// The sessions of the browsers, kept in the store for `tower-sessions`. An id is known to the browser alone: here stands its hash.
#[derive(Clone)]
pub struct Sessions {
    store: Store,
    clock: fn() -> OffsetDateTime,
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions").field("store", &self.store).finish_non_exhaustive()
    }
}

/// SHA-256 of a session's id: names a session without giving it away.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SessionKey([u8; 32]);

impl SessionKey {
    /// The key of a session.
    #[must_use]
    pub fn of(id: &Id) -> SessionKey {
        SessionKey(Sha256::digest(id.0.to_le_bytes()).into())
    }

    fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionKey(…)")
    }
}

/// One place where a person is signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveSession {
    /// Which.
    pub key: SessionKey,
    /// The browser, in its own words.
    pub user_agent: Option<String>,
    /// Since when.
    pub created_at: OffsetDateTime,
    /// Last use, to the minute.
    pub last_seen_at: OffsetDateTime,
}

impl Store {
    /// The sessions as `tower-sessions` wants them. Its trait has no `now`, so this one is given the clock.
    #[must_use]
    pub fn sessions(&self, clock: fn() -> OffsetDateTime) -> Sessions {
        Sessions { store: self.clone(), clock }
    }

    /// Where a user is signed in, last used first.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn sessions_of(
        &self,
        user: UserId,
        now: OffsetDateTime,
    ) -> Result<Vec<ActiveSession>, StoreError> {
        type Row = (Vec<u8>, Option<String>, Timestamp, Timestamp);
        let sql = concat!(
            "select s.id_hash, s.user_agent, s.created_at, s.last_seen_at from session s \
             where s.user_id = $4 and ",
            alive!(),
            " order by s.last_seen_at desc"
        );
        let rows: Vec<Row> = sqlx::query_as(sql)
            .bind(Timestamp::from(now))
            .bind(Timestamp::from(now - IDLE))
            .bind(Timestamp::from(now - LIFETIME))
            .bind(user)
            .fetch_all(self.read())
            .await?;
        rows.into_iter()
            .map(|(hash, user_agent, created_at, last_seen_at)| {
                let hash = hash.try_into().map_err(|_| StoreError::corrupt("a session under no hash"))?;
                Ok(ActiveSession {
                    key: SessionKey(hash),
                    user_agent,
                    created_at: created_at.time()?,
                    last_seen_at: last_seen_at.time()?,
                })
            })
            .collect()
    }

    /// Ends one session of a user.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where the user has no such session.
    pub async fn revoke_session(&self, user: UserId, session: &SessionKey) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        let done = sqlx::query("delete from session where id_hash = $1 and user_id = $2")
            .bind(session.bytes())
            .bind(user)
            .execute(&mut *transaction)
            .await?;
        if done.rows_affected() == 0 {
            return Err(StoreError::not_found("such session"));
        }
        Ok(transaction.commit().await?)
    }

    /// Ends all sessions of a user, but for the one that is to stay. Gives how many ended.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn revoke_sessions(
        &self,
        user: UserId,
        except: Option<&SessionKey>,
    ) -> Result<u64, StoreError> {
        let mut transaction = self.write().await?;
        let done = sqlx::query("delete from session where user_id = $1 and id_hash is not $2")
            .bind(user)
            .bind(except.map(SessionKey::bytes))
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(done.rows_affected())
    }

    /// Deletes the sessions that are over. Gives how many there were.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn delete_expired_sessions(&self, now: OffsetDateTime) -> Result<u64, StoreError> {
        let sql = "delete from session where expires_at <= $1 or last_seen_at <= $2 or created_at <= $3";
        let mut transaction = self.write().await?;
        let done = sqlx::query(sql)
            .bind(Timestamp::from(now))
            .bind(Timestamp::from(now - IDLE))
            .bind(Timestamp::from(now - LIFETIME))
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(done.rows_affected())
    }
}

/// The columns that are drawn from a session's data.
struct Drawn {
    user: Option<UserId>,
    user_agent: Option<String>,
    data: String,
}

fn drawn(record: &Record) -> session_store::Result<Drawn> {
    let encode = |error: serde_json::Error| session_store::Error::Encode(error.to_string());
    let user = record.data.get(USER).map(|user| serde_json::from_value(user.clone())).transpose();
    let user_agent = record.data.get(USER_AGENT).and_then(|text| text.as_str()).map(str::to_owned);
    let data = serde_json::to_string(&record.data).map_err(encode)?;
    Ok(Drawn { user: user.map_err(encode)?, user_agent, data })
}

fn backend(error: impl Into<StoreError>) -> session_store::Error {
    session_store::Error::Backend(error.into().to_string())
}

#[async_trait]
impl SessionStore for Sessions {
    async fn create(&self, record: &mut Record) -> session_store::Result<()> {
        let now = Timestamp::from((self.clock)());
        let Drawn { user, user_agent, data } = drawn(record)?;
        let sql = "insert into session \
                       (id_hash, user_id, data, user_agent, created_at, last_seen_at, expires_at) \
                   values ($1, $2, $3, $4, $5, $5, $6) on conflict do nothing";
        let mut transaction = self.store.write().await.map_err(backend)?;
        loop {
            let done = sqlx::query(sql)
                .bind(SessionKey::of(&record.id).bytes())
                .bind(user)
                .bind(&data)
                .bind(&user_agent)
                .bind(now)
                .bind(Timestamp::from(record.expiry_date))
                .execute(&mut *transaction)
                .await
                .map_err(backend)?;
            if done.rows_affected() > 0 {
                return transaction.commit().await.map_err(backend);
            }
            record.id = Id::default();
        }
    }

    /// Changes a session that is there; one that was revoked in the meantime does not come back.
    async fn save(&self, record: &Record) -> session_store::Result<()> {
        let now = Timestamp::from((self.clock)());
        let Drawn { user, user_agent, data } = drawn(record)?;
        let sql = "update session set user_id = $2, data = $3, user_agent = coalesce($4, user_agent), \
                       last_seen_at = $5, expires_at = $6 where id_hash = $1";
        let mut transaction = self.store.write().await.map_err(backend)?;
        sqlx::query(sql)
            .bind(SessionKey::of(&record.id).bytes())
            .bind(user)
            .bind(data)
            .bind(user_agent)
            .bind(now)
            .bind(Timestamp::from(record.expiry_date))
            .execute(&mut *transaction)
            .await
            .map_err(backend)?;
        transaction.commit().await.map_err(backend)
    }

    async fn load(&self, id: &Id) -> session_store::Result<Option<Record>> {
        let now = (self.clock)();
        let key = SessionKey::of(id);
        let sql = concat!(
            "select s.data, s.expires_at, s.last_seen_at from session s where s.id_hash = $4 and ",
            alive!()
        );
        let row: Option<(String, Timestamp, Timestamp)> = sqlx::query_as(sql)
            .bind(Timestamp::from(now))
            .bind(Timestamp::from(now - IDLE))
            .bind(Timestamp::from(now - LIFETIME))
            .bind(key.bytes())
            .fetch_optional(self.store.read())
            .await
            .map_err(backend)?;
        let Some((data, expires_at, last_seen_at)) = row else { return Ok(None) };
        if last_seen_at <= Timestamp::from(now - SEEN_TO) {
            self.touch(&key, now).await.map_err(backend)?;
        }
        let data =
            serde_json::from_str(&data).map_err(|error| session_store::Error::Decode(error.to_string()))?;
        Ok(Some(Record { id: *id, data, expiry_date: expires_at.time().map_err(backend)? }))
    }

    async fn delete(&self, id: &Id) -> session_store::Result<()> {
        let mut transaction = self.store.write().await.map_err(backend)?;
        sqlx::query("delete from session where id_hash = $1")
            .bind(SessionKey::of(id).bytes())
            .execute(&mut *transaction)
            .await
            .map_err(backend)?;
        transaction.commit().await.map_err(backend)
    }
}

impl Sessions {
    async fn touch(&self, key: &SessionKey, now: OffsetDateTime) -> Result<(), StoreError> {
        let mut transaction = self.store.write().await?;
        sqlx::query("update session set last_seen_at = $2 where id_hash = $1")
            .bind(key.bytes())
            .bind(Timestamp::from(now))
            .execute(&mut *transaction)
            .await?;
        Ok(transaction.commit().await?)
    }
}

#[cfg(test)]
mod tests;
