//! Projects, their people and their rubric.

use crate::{ProjectId, Service, ServiceError, UserId, Viewer};
use domain::{Member, ProjectFigures, ProjectMembership, Role, Rubric};
use store::{Project, Publication};

impl Service {
    /// Makes a project, with a rubric where one is given.
    ///
    /// # Errors
    /// [`ServiceError::Conflict`] where the name is taken, [`ServiceError::Invalid`] where it cannot stand.
    pub async fn create_project(
        &self,
        name: &str,
        rubric: Option<&Rubric>,
        by: Option<UserId>,
    ) -> Result<Project, ServiceError> {
        let project = self.store.create_project(name, self.now()).await?;
        if let Some(rubric) = rubric {
            self.store.publish_rubric(project.id, rubric, self.now()).await?;
        }
        self.record(by, Some(project.id), "create_project", name).await?;
        Ok(project)
    }

    /// The project with this name.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`].
    pub async fn project(&self, name: &str) -> Result<Project, ServiceError> {
        Ok(self.store.project(name).await?)
    }

    /// All projects, by name.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn projects(&self) -> Result<Vec<Project>, ServiceError> {
        Ok(self.store.projects().await?)
    }

    /// The projects that a person belongs to.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn projects_of(&self, user: UserId) -> Result<Vec<ProjectMembership>, ServiceError> {
        let projects = self.store.projects_of(user).await?;
        Ok(projects
            .into_iter()
            .map(|(project, role)| ProjectMembership { project: project.name, role })
            .collect())
    }

    /// What a person is in a project. A stranger is told the same as for a project that is not there.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`].
    pub async fn role_in(&self, project: &str, user: UserId) -> Result<(ProjectId, Role), ServiceError> {
        let missing =
            || ServiceError::NotFound { what: format!("there is no project `{project}` that you belong to") };
        let project = match self.store.project(project).await {
            Err(store::StoreError::NotFound { .. }) => return Err(missing()),
            found => found?,
        };
        let role = self.store.role(project.id, user).await?.ok_or_else(missing)?;
        Ok((project.id, role))
    }

    /// The state of the loop.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn figures(&self, project: ProjectId, viewer: Viewer) -> Result<ProjectFigures, ServiceError> {
        Ok(self.store.project_figures(project, viewer).await?)
    }

    /// The members of a project, by account.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn members(&self, project: ProjectId) -> Result<Vec<Member>, ServiceError> {
        Ok(self.store.members(project).await?)
    }

    /// Gives a member another role.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] where there is no such member.
    pub async fn set_role(
        &self,
        project: ProjectId,
        account: &str,
        role: Role,
        by: UserId,
    ) -> Result<(), ServiceError> {
        let user = self.member(project, account).await?;
        self.store.set_role(project, user, role, self.now()).await?;
        self.record(Some(by), Some(project), "set_role", &format!("{account}: {role}")).await
    }

    /// Takes a member out of a project. Labels stay.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] where there is no such member.
    pub async fn remove_member(
        &self,
        project: ProjectId,
        account: &str,
        by: UserId,
    ) -> Result<(), ServiceError> {
        let user = self.member(project, account).await?;
        self.store.remove_member(project, user, self.now()).await?;
        self.record(Some(by), Some(project), "remove_member", account).await
    }

    /// The member who signs in under this name.
    pub(crate) async fn member(&self, project: ProjectId, account: &str) -> Result<UserId, ServiceError> {
        let missing = || ServiceError::NotFound { what: format!("`{account}` is no member of this project") };
        let user = self.store.credentials(account).await?.ok_or_else(missing)?.user.id;
        self.store.role(project, user).await?.ok_or_else(missing)?;
        Ok(user)
    }

    /// How many annotators each conversation of a project wants.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] outside 1 to 100.
    pub async fn set_overlap(
        &self,
        project: ProjectId,
        overlap: u32,
        by: Option<UserId>,
    ) -> Result<(), ServiceError> {
        self.store.set_overlap(project, overlap).await?;
        self.record(by, Some(project), "set_overlap", &overlap.to_string()).await
    }

    /// Publishes a rubric version; whether it is new.
    ///
    /// # Errors
    /// [`ServiceError::Conflict`] where the version was published with other content.
    pub async fn publish_rubric(
        &self,
        project: ProjectId,
        rubric: &Rubric,
        by: Option<UserId>,
    ) -> Result<bool, ServiceError> {
        rubric.check().map_err(|error| ServiceError::Invalid {
            field: "rubric".to_owned(),
            reason: error.to_string(),
        })?;
        let publication = self.store.publish_rubric(project, rubric, self.now()).await?;
        let is_new = matches!(publication, Publication::Published(_));
        if is_new {
            let what = format!("{}@{}", rubric.name, rubric.version);
            self.record(by, Some(project), "publish_rubric", &what).await?;
        }
        Ok(is_new)
    }

    /// The rubric in force: the latest version published.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn rubric(&self, project: ProjectId) -> Result<Option<Rubric>, ServiceError> {
        Ok(self.store.latest_rubric(project).await?.map(|version| version.rubric))
    }

    /// The rubric in force, or what to do where there is none.
    pub(crate) async fn rubric_version(
        &self,
        project: ProjectId,
    ) -> Result<store::RubricVersion, ServiceError> {
        self.store.latest_rubric(project).await?.ok_or_else(|| ServiceError::NotFound {
            what: "this project has no rubric: `touchstone import rubric --project NAME rubric.toml`"
                .to_owned(),
        })
    }
}
