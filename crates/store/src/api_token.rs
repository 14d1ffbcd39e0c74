use crate::{
    ProjectId, Store, StoreError, TokenHash, UserId, error::OnUnique, people::check_name,
    timestamp::Timestamp,
};
use domain::Scope;
use time::{Duration, OffsetDateTime};

/// How exactly the last use is known: a program that asks often does not write often.
const SEEN_TO: Duration = Duration::minutes(1);

/// An API token to be made.
#[derive(Clone, Debug)]
pub struct NewApiToken<'a> {
    /// What names it, unique in the file.
    pub prefix: &'a str,
    /// Hash of the whole token.
    pub hash: TokenHash,
    /// In whose name it speaks.
    pub user: UserId,
    /// The project that it is for; `None`: every project of the user.
    pub project: Option<ProjectId>,
    /// What it is for, in the words of whoever makes it.
    pub name: &'a str,
    /// What it may be used for.
    pub scopes: &'a [Scope],
    /// Until when it works.
    pub expires_at: OffsetDateTime,
}

/// An API token that has not been revoked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiToken {
    /// What names it.
    pub prefix: String,
    /// Hash of the whole token.
    pub hash: TokenHash,
    /// In whose name it speaks.
    pub user: UserId,
    /// Account of that user.
    pub account: String,
    /// The project that it is for, with its name; `None`: every project of the user.
    pub project: Option<(ProjectId, String)>,
    /// What it is for.
    pub name: String,
    /// What it may be used for.
    pub scopes: Vec<Scope>,
    /// When it was made.
    pub created_at: OffsetDateTime,
    /// Until when it works.
    pub expires_at: OffsetDateTime,
    /// Last use, to the minute.
    pub last_used_at: Option<OffsetDateTime>,
}

#[derive(sqlx::FromRow)]
struct Row {
    prefix: String,
    token_hash: Vec<u8>,
    user_id: UserId,
    account: String,
    project_id: Option<ProjectId>,
    project: Option<String>,
    name: String,
    scopes: String,
    created_at: Timestamp,
    expires_at: Timestamp,
    last_used_at: Option<Timestamp>,
}

impl TryFrom<Row> for ApiToken {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<ApiToken, StoreError> {
        let scopes = row.scopes.split(' ').map(|word| word.parse().map_err(StoreError::corrupt));
        Ok(ApiToken {
            prefix: row.prefix,
            hash: TokenHash::stored(&row.token_hash)?,
            user: row.user_id,
            account: row.account,
            project: row.project_id.zip(row.project),
            name: row.name,
            scopes: scopes.collect::<Result<_, _>>()?,
            created_at: row.created_at.time()?,
            expires_at: row.expires_at.time()?,
            last_used_at: row.last_used_at.map(Timestamp::time).transpose()?,
        })
    }
}

/// Tokens that have not been revoked, to be narrowed by a condition.
macro_rules! api_tokens {
    ($condition:literal) => {
        concat!(
            "select t.prefix, t.token_hash, t.user_id, u.account, t.project_id, p.name as project, t.name, \
                 t.scopes, t.created_at, t.expires_at, t.last_used_at \
             from api_token t join user u on u.id = t.user_id left join project p on p.id = t.project_id \
             where t.revoked_at is null and ",
            $condition,
            " order by t.created_at, t.prefix"
        )
    };
}

impl Store {
    /// Keeps a new API token.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] for a name that is not 1 to 100 visible characters, [`StoreError::Conflict`] where the prefix is taken.
    pub async fn create_api_token(
        &self,
        token: &NewApiToken<'_>,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        check_name("name", token.name)?;
        let scopes: Vec<&str> = token.scopes.iter().map(|scope| scope.word()).collect();
        let sql = "insert into api_token (prefix, token_hash, user_id, project_id, name, scopes, created_at, expires_at) \
                   values ($1, $2, $3, $4, $5, $6, $7, $8)";
        let mut transaction = self.write().await?;
        sqlx::query(sql)
            .bind(token.prefix)
            .bind(token.hash.bytes())
            .bind(token.user)
            .bind(token.project)
            .bind(token.name)
            .bind(scopes.join(" "))
            .bind(Timestamp::from(now))
            .bind(Timestamp::from(token.expires_at))
            .execute(&mut *transaction)
            .await
            .on_unique(|| "a token has this prefix already: make another".to_owned())?;
        Ok(transaction.commit().await?)
    }

    /// The token of this prefix, unless it was revoked. Whether it has expired is the caller's to ask.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn api_token(&self, prefix: &str) -> Result<Option<ApiToken>, StoreError> {
        let row: Option<Row> =
            sqlx::query_as(api_tokens!("t.prefix = $1")).bind(prefix).fetch_optional(self.read()).await?;
        row.map(ApiToken::try_from).transpose()
    }

    /// The tokens that have not been revoked, oldest first; those of one user where one is named.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn api_tokens(&self, user: Option<UserId>) -> Result<Vec<ApiToken>, StoreError> {
        let rows: Vec<Row> = sqlx::query_as(api_tokens!("($1 is null or t.user_id = $1)"))
            .bind(user)
            .fetch_all(self.read())
            .await?;
        rows.into_iter().map(ApiToken::try_from).collect()
    }

    /// Keeps that a token was used, unless that is known to the minute.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn touch_api_token(&self, token: &ApiToken, now: OffsetDateTime) -> Result<(), StoreError> {
        if token.last_used_at.is_some_and(|last| now - last < SEEN_TO) {
            return Ok(());
        }
        let mut transaction = self.write().await?;
        sqlx::query("update api_token set last_used_at = $2 where prefix = $1")
            .bind(&token.prefix)
            .bind(Timestamp::from(now))
            .execute(&mut *transaction)
            .await?;
        Ok(transaction.commit().await?)
    }

    /// Revokes a token for good; of one user where one is named.
    ///
    /// # Errors
    /// [`StoreError::NotFound`], also for a token of somebody else.
    pub async fn revoke_api_token(
        &self,
        prefix: &str,
        user: Option<UserId>,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let sql = "update api_token set revoked_at = $3 \
                   where prefix = $1 and ($2 is null or user_id = $2) and revoked_at is null";
        let mut transaction = self.write().await?;
        let done = sqlx::query(sql)
            .bind(prefix)
            .bind(user)
            .bind(Timestamp::from(now))
            .execute(&mut *transaction)
            .await?;
        if done.rows_affected() == 0 {
            let prefix = domain::visible(prefix);
            return Err(StoreError::not_found(format!("API token `{prefix}`, or it was revoked before")));
        }
        Ok(transaction.commit().await?)
    }
}

#[cfg(test)]
mod tests;
