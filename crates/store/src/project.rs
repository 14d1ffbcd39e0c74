use crate::{
    ProjectId, Store, StoreError, UserId, error::OnUnique, people::check_name, timestamp::Timestamp,
};
use domain::{Fault, Role};
use time::OffsetDateTime;

/// One assistant under evaluation: its conversations, rubric, people and judges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// Identity.
    pub id: ProjectId,
    /// Name, unique in the file.
    pub name: String,
    /// How many annotators each conversation wants.
    pub overlap: u32,
    /// When it was made.
    pub created_at: OffsetDateTime,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: ProjectId,
    name: String,
    overlap: u32,
    created_at: Timestamp,
}

impl TryFrom<Row> for Project {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Project, StoreError> {
        Ok(Project { id: row.id, name: row.name, overlap: row.overlap, created_at: row.created_at.time()? })
    }
}

impl Store {
    /// Makes a project that wants two annotators for each conversation.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] unless the name has 1 to 100 visible characters and no `/` (names stand in addresses);
    /// [`StoreError::Conflict`] where the name is taken.
    pub async fn create_project(&self, name: &str, now: OffsetDateTime) -> Result<Project, StoreError> {
        check_name("name", name)?;
        if name.contains('/') || name == "." || name == ".." {
            return Err(Fault::new("name", name, "a name without `/`").into());
        }
        let sql = "insert into project (id, name, created_at) values ($1, $2, $3) \
                   returning id, name, overlap, created_at";
        let mut transaction = self.write().await?;
        let row: Row = sqlx::query_as(sql)
            .bind(ProjectId::new(now))
            .bind(name)
            .bind(Timestamp::from(now))
            .fetch_one(&mut *transaction)
            .await
            .on_unique(|| format!("the project `{name}` exists: choose another name"))?;
        transaction.commit().await?;
        row.try_into()
    }

    /// The project with this name.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub async fn project(&self, name: &str) -> Result<Project, StoreError> {
        let sql = "select id, name, overlap, created_at from project where name = $1";
        let row: Option<Row> = sqlx::query_as(sql).bind(name).fetch_optional(self.read()).await?;
        row.ok_or_else(|| {
            let name = domain::visible(name);
            StoreError::not_found(format!("project `{name}`: make it with `touchstone project create`"))
        })?
        .try_into()
    }

    /// The name of a project.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub async fn project_name(&self, project: ProjectId) -> Result<String, StoreError> {
        let sql = "select name from project where id = $1";
        let name = sqlx::query_scalar(sql).bind(project).fetch_optional(self.read()).await?;
        name.ok_or_else(|| StoreError::not_found("such project"))
    }

    /// All projects, by name.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn projects(&self) -> Result<Vec<Project>, StoreError> {
        let sql = "select id, name, overlap, created_at from project order by name";
        let rows: Vec<Row> = sqlx::query_as(sql).fetch_all(self.read()).await?;
        rows.into_iter().map(Project::try_from).collect()
    }

    /// The projects that a user belongs to, with the role in each, by name. An admin of the installation is admin of all.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn projects_of(&self, user: UserId) -> Result<Vec<(Project, Role)>, StoreError> {
        let sql = "select p.id, p.name, p.overlap, p.created_at, \
                       case when u.is_admin then 'admin' else m.role end as role \
                   from user u cross join project p \
                   left join membership m on m.project_id = p.id and m.user_id = u.id \
                   where u.id = $1 and u.disabled_at is null and (u.is_admin or m.role is not null) \
                   order by p.name";
        #[derive(sqlx::FromRow)]
        struct WithRole {
            #[sqlx(flatten)]
            project: Row,
            role: String,
        }
        let rows: Vec<WithRole> = sqlx::query_as(sql).bind(user).fetch_all(self.read()).await?;
        rows.into_iter().map(|row| Ok((row.project.try_into()?, stored_role(&row.role)?))).collect()
    }

    /// Sets how many annotators each conversation of a project wants. Assignments that exist stay.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] outside 1 to 100, [`StoreError::NotFound`].
    pub async fn set_overlap(&self, project: ProjectId, overlap: u32) -> Result<(), StoreError> {
        if !(1..=100).contains(&overlap) {
            return Err(Fault::new("overlap", overlap.to_string(), "1 to 100 annotators").into());
        }
        let mut transaction = self.write().await?;
        let done = sqlx::query("update project set overlap = $2 where id = $1")
            .bind(project)
            .bind(overlap)
            .execute(&mut *transaction)
            .await?;
        if done.rows_affected() == 0 {
            return Err(StoreError::not_found("such project"));
        }
        Ok(transaction.commit().await?)
    }
}

/// A role as the database writes it.
pub(crate) fn stored_role(word: &str) -> Result<Role, StoreError> {
    word.parse().map_err(StoreError::corrupt)
}

#[cfg(test)]
mod tests;
