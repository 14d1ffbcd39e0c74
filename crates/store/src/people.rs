use crate::{
    ProjectId, Store, StoreError, UserId, error::OnUnique, project::stored_role, timestamp::Timestamp,
};
use domain::{Fault, Member, Role};
use sqlx::SqliteConnection;
use std::fmt;
use time::OffsetDateTime;

/// A person with an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Identity.
    pub id: UserId,
    /// The name that the person goes by.
    pub name: String,
    /// The name in lower case: what signing in looks up.
    pub account: String,
    /// Whether the person administers the installation, and so every project.
    pub is_admin: bool,
    /// Whether the person has been shut out.
    pub disabled: bool,
}

/// What an account is made of.
#[derive(Clone)]
pub struct NewUser {
    /// The name that the person goes by; in lower case it is the account.
    pub name: String,
    /// Hash of the password, in the PHC string format.
    pub password_hash: String,
}

/// A user with what signing in compares. It is apart from [`User`], so that a hash travels only where it is needed.
#[derive(Clone)]
pub struct Credentials {
    /// Whose they are.
    pub user: User,
    /// Hash of the password, in the PHC string format.
    pub password_hash: String,
}

impl fmt::Debug for NewUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewUser").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("user", &self.user).finish_non_exhaustive()
    }
}

#[derive(sqlx::FromRow)]
struct Row {
    id: UserId,
    name: String,
    account: String,
    is_admin: bool,
    disabled: bool,
}

impl From<Row> for User {
    fn from(row: Row) -> User {
        User {
            id: row.id,
            name: row.name,
            account: row.account,
            is_admin: row.is_admin,
            disabled: row.disabled,
        }
    }
}

/// What signing in looks up: the name without outer spaces, in lower case.
fn account_of(name: &str) -> String {
    name.trim().to_lowercase()
}

/// Names stand in lists and messages: they must be readable there.
pub(crate) fn check_name(field: &str, name: &str) -> Result<(), StoreError> {
    let readable = domain::visible(name) == name && !name.contains(['\n', '\t']) && name.trim() == name;
    if readable && (1..=100).contains(&name.chars().count()) {
        return Ok(());
    }
    Err(Fault::new(field, name, "1 to 100 visible characters without spaces around them").into())
}

/// Makes an account within a transaction.
pub(crate) async fn insert_user(
    connection: &mut SqliteConnection,
    user: &NewUser,
    is_admin: bool,
    now: OffsetDateTime,
) -> Result<User, StoreError> {
    let name = user.name.trim();
    check_name("name", name)?;
    let sql = "insert into user (id, name, account, password_hash, is_admin, created_at) \
               values ($1, $2, $3, $4, $5, $6) \
               returning id, name, account, is_admin, disabled_at is not null as disabled";
    let row: Row = sqlx::query_as(sql)
        .bind(UserId::new(now))
        .bind(name)
        .bind(account_of(name))
        .bind(&user.password_hash)
        .bind(is_admin)
        .bind(Timestamp::from(now))
        .fetch_one(connection)
        .await
        .on_unique(|| format!("the account `{}` exists: choose another name", account_of(name)))?;
    Ok(row.into())
}

/// Gives a role within a transaction, in place of the one before.
pub(crate) async fn put_membership(
    connection: &mut SqliteConnection,
    project: ProjectId,
    user: UserId,
    role: Role,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    let sql = "insert into membership (project_id, user_id, role, created_at) values ($1, $2, $3, $4) \
               on conflict (project_id, user_id) do update set role = excluded.role";
    sqlx::query(sql)
        .bind(project)
        .bind(user)
        .bind(role.word())
        .bind(Timestamp::from(now))
        .execute(connection)
        .await?;
    Ok(())
}

/// Ends all sessions of a user within a transaction.
async fn end_sessions(connection: &mut SqliteConnection, user: UserId) -> Result<(), StoreError> {
    sqlx::query("delete from session where user_id = $1").bind(user).execute(connection).await?;
    Ok(())
}

impl Store {
    /// Makes an account.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] for a name that is not 1 to 100 visible characters, [`StoreError::Conflict`] where the account exists.
    pub async fn create_user(
        &self,
        user: &NewUser,
        is_admin: bool,
        now: OffsetDateTime,
    ) -> Result<User, StoreError> {
        let mut transaction = self.write().await?;
        let user = insert_user(&mut transaction, user, is_admin, now).await?;
        transaction.commit().await?;
        Ok(user)
    }

    /// What signing in under a name compares; `None` where there is no such account. Spaces around the name and its case do not matter.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn credentials(&self, name: &str) -> Result<Option<Credentials>, StoreError> {
        #[derive(sqlx::FromRow)]
        struct WithHash {
            #[sqlx(flatten)]
            user: Row,
            password_hash: String,
        }
        let sql = "select id, name, account, is_admin, disabled_at is not null as disabled, password_hash \
                   from user where account = $1";
        let row: Option<WithHash> =
            sqlx::query_as(sql).bind(account_of(name)).fetch_optional(self.read()).await?;
        Ok(row.map(|row| Credentials { user: row.user.into(), password_hash: row.password_hash }))
    }

    /// The user with this id.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub async fn user(&self, id: UserId) -> Result<User, StoreError> {
        let sql = "select id, name, account, is_admin, disabled_at is not null as disabled \
                   from user where id = $1";
        let row: Option<Row> = sqlx::query_as(sql).bind(id).fetch_optional(self.read()).await?;
        row.map(User::from).ok_or_else(|| StoreError::not_found("such user"))
    }

    /// All accounts, by name.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn users(&self) -> Result<Vec<User>, StoreError> {
        let sql = "select id, name, account, is_admin, disabled_at is not null as disabled \
                   from user order by account";
        let rows: Vec<Row> = sqlx::query_as(sql).fetch_all(self.read()).await?;
        Ok(rows.into_iter().map(User::from).collect())
    }

    /// Whether anyone administers the installation; until then the first start offers a link that makes one.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn admin_exists(&self) -> Result<bool, StoreError> {
        let sql = "select exists (select 1 from user where is_admin and disabled_at is null)";
        Ok(sqlx::query_scalar(sql).fetch_one(self.read()).await?)
    }

    /// Replaces the hash of a password. Which sessions end is the caller's to say ([`Store::revoke_sessions`]).
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub async fn set_password_hash(&self, user: UserId, password_hash: &str) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        let done = sqlx::query("update user set password_hash = $2 where id = $1")
            .bind(user)
            .bind(password_hash)
            .execute(&mut *transaction)
            .await?;
        if done.rows_affected() == 0 {
            return Err(StoreError::not_found("such user"));
        }
        Ok(transaction.commit().await?)
    }

    /// Shuts a user out and ends all sessions. Labels and memberships stay.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub async fn disable_user(&self, user: UserId, now: OffsetDateTime) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        let sql = "update user set disabled_at = coalesce(disabled_at, $2) where id = $1";
        let done = sqlx::query(sql).bind(user).bind(Timestamp::from(now)).execute(&mut *transaction).await?;
        if done.rows_affected() == 0 {
            return Err(StoreError::not_found("such user"));
        }
        end_sessions(&mut transaction, user).await?;
        Ok(transaction.commit().await?)
    }

    /// Lets a user in again.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub async fn enable_user(&self, user: UserId) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        let sql = "update user set disabled_at = null where id = $1";
        let done = sqlx::query(sql).bind(user).execute(&mut *transaction).await?;
        if done.rows_affected() == 0 {
            return Err(StoreError::not_found("such user"));
        }
        Ok(transaction.commit().await?)
    }

    /// What a user is in a project: admin in every project for an admin of the installation, `None` for strangers and the disabled.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn role(&self, project: ProjectId, user: UserId) -> Result<Option<Role>, StoreError> {
        let sql = "select case when u.is_admin then 'admin' else m.role end \
                   from user u left join membership m on m.user_id = u.id and m.project_id = $1 \
                   where u.id = $2 and u.disabled_at is null";
        let role: Option<Option<String>> =
            sqlx::query_scalar(sql).bind(project).bind(user).fetch_optional(self.read()).await?;
        role.flatten().map(|word| stored_role(&word)).transpose()
    }

    /// The members of a project, by account, with the conversations that each has submitted.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn members(&self, project: ProjectId) -> Result<Vec<Member>, StoreError> {
        type Row = (String, String, String, i64, bool);
        let sql = "select u.name, u.account, m.role, \
                       (select count(*) from assignment a \
                        where a.project_id = m.project_id and a.user_id = u.id and a.state = 'submitted' and a.pass = 0), \
                       u.disabled_at is not null \
                   from membership m join user u on u.id = m.user_id \
                   where m.project_id = $1 order by u.account";
        let rows: Vec<Row> = sqlx::query_as(sql).bind(project).fetch_all(self.read()).await?;
        rows.into_iter()
            .map(|(name, account, role, submitted, disabled)| {
                let role = stored_role(&role)?;
                Ok(Member { name, account, role, submitted: submitted.unsigned_abs(), disabled })
            })
            .collect()
    }

    /// Makes a user a member of a project, or gives a member another role.
    ///
    /// # Errors
    /// Where the database fails, or where there is no such user or project.
    pub async fn set_role(
        &self,
        project: ProjectId,
        user: UserId,
        role: Role,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        put_membership(&mut transaction, project, user, role, now).await?;
        Ok(transaction.commit().await?)
    }

    /// Takes a user out of a project. Labels stay; of what the user had open others get the place, and what was said stays
    /// on the desk, should the user come back.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where the user is no member.
    pub async fn remove_member(
        &self,
        project: ProjectId,
        user: UserId,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        let done = sqlx::query("delete from membership where project_id = $1 and user_id = $2")
            .bind(project)
            .bind(user)
            .execute(&mut *transaction)
            .await?;
        if done.rows_affected() == 0 {
            return Err(StoreError::not_found("such member of the project"));
        }
        let sql = "update assignment set lapsed_at = $3 \
                   where project_id = $1 and user_id = $2 and state = 'open' and lapsed_at is null";
        sqlx::query(sql)
            .bind(project)
            .bind(user)
            .bind(Timestamp::from(now))
            .execute(&mut *transaction)
            .await?;
        Ok(transaction.commit().await?)
    }
}

#[cfg(test)]
mod tests;
