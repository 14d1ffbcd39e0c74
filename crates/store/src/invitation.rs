use crate::{
    NewUser, ProjectId, Store, StoreError, TokenHash, User, UserId,
    people::{insert_user, put_membership},
    project::stored_role,
    timestamp::Timestamp,
};
use domain::Role;
use sqlx::SqliteConnection;
use time::OffsetDateTime;

/// A one-time link to be made.
#[derive(Clone, Copy, Debug)]
pub struct NewInvitation {
    /// Hash of the token in the link.
    pub token: TokenHash,
    /// The project and the role in it; `None` makes an admin of the installation.
    pub membership: Option<(ProjectId, Role)>,
    /// Who invites; `None` for whoever holds the file.
    pub invited_by: Option<UserId>,
    /// Until when the link works.
    pub expires_at: OffsetDateTime,
}

/// A one-time link that can still be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// Hash of the token in the link.
    pub token: TokenHash,
    /// The project, its name and the role in it; `None` makes an admin of the installation.
    pub membership: Option<(ProjectId, String, Role)>,
    /// Name of who invited; `None` for whoever holds the file.
    pub invited_by: Option<String>,
    /// When it was made.
    pub created_at: OffsetDateTime,
    /// Until when it works.
    pub expires_at: OffsetDateTime,
}

#[derive(sqlx::FromRow)]
struct Row {
    token_hash: Vec<u8>,
    project_id: Option<ProjectId>,
    project: Option<String>,
    role: String,
    invited_by: Option<String>,
    created_at: Timestamp,
    expires_at: Timestamp,
}

impl TryFrom<Row> for Invitation {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Invitation, StoreError> {
        let role = stored_role(&row.role)?;
        Ok(Invitation {
            token: TokenHash::stored(&row.token_hash)?,
            membership: row.project_id.zip(row.project).map(|(id, name)| (id, name, role)),
            invited_by: row.invited_by,
            created_at: row.created_at.time()?,
            expires_at: row.expires_at.time()?,
        })
    }
}

/// Invitations that can still be used at `$1`, to be narrowed by a condition.
macro_rules! open_invitations {
    ($condition:literal) => {
        concat!(
            "select i.token_hash, i.project_id, p.name as project, i.role, u.name as invited_by, \
                 i.created_at, i.expires_at \
             from invitation i left join project p on p.id = i.project_id \
             left join user u on u.id = i.invited_by \
             where i.used_at is null and i.expires_at > $1 and ",
            $condition,
            " order by i.created_at"
        )
    };
}

fn not_open() -> StoreError {
    StoreError::not_found(
        "invitation behind this link any more: it was used, taken back or has expired; ask for a new one",
    )
}

/// The invitation behind a link within a transaction.
async fn open_invitation(
    connection: &mut SqliteConnection,
    token: &TokenHash,
    now: OffsetDateTime,
) -> Result<Invitation, StoreError> {
    let row: Option<Row> = sqlx::query_as(open_invitations!("i.token_hash = $2"))
        .bind(Timestamp::from(now))
        .bind(token.bytes())
        .fetch_optional(connection)
        .await?;
    row.ok_or_else(not_open)?.try_into()
}

async fn mark_used(
    connection: &mut SqliteConnection,
    token: &TokenHash,
    user: UserId,
    now: OffsetDateTime,
) -> Result<(), StoreError> {
    sqlx::query("update invitation set used_at = $2, used_by = $3 where token_hash = $1")
        .bind(token.bytes())
        .bind(Timestamp::from(now))
        .bind(user)
        .execute(connection)
        .await?;
    Ok(())
}

impl Store {
    /// Keeps a new invitation.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn create_invitation(
        &self,
        invitation: &NewInvitation,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let role = invitation.membership.map_or(Role::Admin, |(_, role)| role);
        let sql = "insert into invitation (token_hash, project_id, role, invited_by, created_at, expires_at) \
                   values ($1, $2, $3, $4, $5, $6)";
        let mut transaction = self.write().await?;
        sqlx::query(sql)
            .bind(invitation.token.bytes())
            .bind(invitation.membership.map(|(project, _)| project))
            .bind(role.word())
            .bind(invitation.invited_by)
            .bind(Timestamp::from(now))
            .bind(Timestamp::from(invitation.expires_at))
            .execute(&mut *transaction)
            .await?;
        Ok(transaction.commit().await?)
    }

    /// The invitation behind a link, if the link still works.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn invitation(
        &self,
        token: &TokenHash,
        now: OffsetDateTime,
    ) -> Result<Option<Invitation>, StoreError> {
        let row: Option<Row> = sqlx::query_as(open_invitations!("i.token_hash = $2"))
            .bind(Timestamp::from(now))
            .bind(token.bytes())
            .fetch_optional(self.read())
            .await?;
        row.map(Invitation::try_from).transpose()
    }

    /// The links to a project (`None`: those that make admins of the installation) that still work, oldest first.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn invitations(
        &self,
        project: Option<ProjectId>,
        now: OffsetDateTime,
    ) -> Result<Vec<Invitation>, StoreError> {
        let rows: Vec<Row> = sqlx::query_as(open_invitations!("i.project_id is $2"))
            .bind(Timestamp::from(now))
            .bind(project)
            .fetch_all(self.read())
            .await?;
        rows.into_iter().map(Invitation::try_from).collect()
    }

    /// Makes the account of a person who was invited, with what the invitation grants, and uses the link up: all of it or nothing.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] for a link that does not work (any more), [`StoreError::Conflict`] where the account exists,
    /// [`StoreError::Invalid`] for a name that cannot stand.
    pub async fn accept_invitation(
        &self,
        token: &TokenHash,
        user: &NewUser,
        now: OffsetDateTime,
    ) -> Result<User, StoreError> {
        let mut transaction = self.write().await?;
        let invitation = open_invitation(&mut transaction, token, now).await?;
        let user = insert_user(&mut transaction, user, invitation.membership.is_none(), now).await?;
        if let Some((project, _, role)) = invitation.membership {
            put_membership(&mut transaction, project, user.id, role, now).await?;
        }
        mark_used(&mut transaction, token, user.id, now).await?;
        transaction.commit().await?;
        Ok(user)
    }

    /// Gives a person who is signed in what an invitation grants, and uses the link up. A greater role that the person has already stays.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] for a link that does not work (any more).
    pub async fn accept_invitation_as(
        &self,
        token: &TokenHash,
        user: UserId,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        let invitation = open_invitation(&mut transaction, token, now).await?;
        match invitation.membership {
            None => {
                sqlx::query("update user set is_admin = 1 where id = $1")
                    .bind(user)
                    .execute(&mut *transaction)
                    .await?;
            }
            Some((project, _, role)) => {
                let sql = "select role from membership where project_id = $1 and user_id = $2";
                let present: Option<String> = sqlx::query_scalar(sql)
                    .bind(project)
                    .bind(user)
                    .fetch_optional(&mut *transaction)
                    .await?;
                let present = present.map(|word| stored_role(&word)).transpose()?;
                let role = present.map_or(role, |present| present.max(role));
                put_membership(&mut transaction, project, user, role, now).await?;
            }
        }
        mark_used(&mut transaction, token, user, now).await?;
        Ok(transaction.commit().await?)
    }

    /// Takes an invitation back that was not used.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub async fn revoke_invitation(&self, token: &TokenHash) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        let done = sqlx::query("delete from invitation where token_hash = $1 and used_at is null")
            .bind(token.bytes())
            .execute(&mut *transaction)
            .await?;
        if done.rows_affected() == 0 {
            return Err(not_open());
        }
        Ok(transaction.commit().await?)
    }
}

#[cfg(test)]
mod tests;
