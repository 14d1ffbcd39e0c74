mod freeze;

pub use freeze::{NewAnchorSet, OnDesks};

use crate::{
    AnchorSetId, ProjectId, Store, StoreError, UserId, Viewer, label::stored_unit, seal::unsealed,
    timestamp::Timestamp,
};
use domain::{AnchorItem, AnchorSetName, ContentHash, Rubric};
use std::collections::HashSet;
use time::OffsetDateTime;

/// A frozen anchor set, without what people said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrozenAnchorSet {
    /// Identity.
    pub id: AnchorSetId,
    /// Name and version.
    pub name: AnchorSetName,
    /// Hash of what it holds.
    pub hash: ContentHash,
    /// When it was frozen.
    pub frozen_at: OffsetDateTime,
    /// Who keeps it true.
    pub owner: Option<String>,
    /// The day from which it must be looked at again.
    pub expires: Option<String>,
    /// Items of `tune` that are not sealed to the viewer.
    pub tune: u64,
    /// Items of `confirm` that are not sealed to the viewer.
    pub confirm: u64,
}

/// A look at `confirm`, to be recorded.
#[derive(Clone, Copy, Debug)]
pub struct NewOpening<'a> {
    /// The judges that it is at.
    pub candidates: &'a [String],
    /// Why, as whoever opens it says.
    pub why: Option<&'a str>,
    /// Who; `None` for whoever holds the file.
    pub by: Option<UserId>,
}

/// The sets of project `$1`, counted without items that are sealed to user `$2`.
macro_rules! sets {
    ($condition:literal) => {
        concat!(
            "select s.id, s.name, s.version, s.hash, s.frozen_at, \
                 json_extract(s.body, '$.owner') as owner, json_extract(s.body, '$.expires') as expires, \
                 count(*) filter (where i.split = 'tune') as tune, \
                 count(*) filter (where i.split = 'confirm') as confirm \
             from anchor_set s left join anchor_item i on i.anchor_set_id = s.id and ",
            unsealed!("i.conversation_id", "$2"),
            " where s.project_id = $1 ",
            $condition,
            " group by s.id order by s.name, s.version"
        )
    };
}

#[derive(sqlx::FromRow)]
struct Row {
    id: AnchorSetId,
    name: String,
    version: u32,
    hash: String,
    frozen_at: Timestamp,
    owner: Option<String>,
    expires: Option<String>,
    tune: i64,
    confirm: i64,
}

impl TryFrom<Row> for FrozenAnchorSet {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<FrozenAnchorSet, StoreError> {
        Ok(FrozenAnchorSet {
            id: row.id,
            name: AnchorSetName { name: row.name, version: row.version },
            hash: ContentHash(row.hash),
            frozen_at: row.frozen_at.time()?,
            owner: row.owner,
            expires: row.expires,
            tune: row.tune.unsigned_abs(),
            confirm: row.confirm.unsigned_abs(),
        })
    }
}

#[derive(sqlx::FromRow)]
struct ItemRow {
    external_id: String,
    unit: String,
    criterion: String,
    stratum: String,
    labels: String,
    reference: f64,
    provenance: String,
    split: String,
}

impl TryFrom<ItemRow> for AnchorItem {
    type Error = StoreError;

    fn try_from(row: ItemRow) -> Result<AnchorItem, StoreError> {
        let unreadable = |error| StoreError::corrupt(format!("labels of an anchor set ({error})"));
        Ok(AnchorItem {
            conversation: row.external_id,
            unit: stored_unit(&row.unit)?,
            criterion: row.criterion,
            stratum: row.stratum,
            labels: serde_json::from_str(&row.labels).map_err(unreadable)?,
            reference: row.reference,
            provenance: row.provenance.parse().map_err(StoreError::corrupt)?,
            split: row.split.parse().map_err(StoreError::corrupt)?,
        })
    }
}

impl Store {
    /// The frozen anchor sets of a project, by name and version.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn anchor_sets(
        &self,
        project: ProjectId,
        viewer: Viewer,
    ) -> Result<Vec<FrozenAnchorSet>, StoreError> {
        let query = sqlx::query_as::<_, Row>(sets!("")).bind(project).bind(viewer.user());
        query.fetch_all(self.read()).await?.into_iter().map(FrozenAnchorSet::try_from).collect()
    }

    /// One version of an anchor set.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub async fn anchor_set(
        &self,
        project: ProjectId,
        name: &AnchorSetName,
        viewer: Viewer,
    ) -> Result<FrozenAnchorSet, StoreError> {
        let query = sqlx::query_as::<_, Row>(sets!("and s.name = $3 and s.version = $4"))
            .bind(project)
            .bind(viewer.user())
            .bind(&name.name)
            .bind(name.version);
        let row = query.fetch_optional(self.read()).await?;
        row.ok_or_else(|| StoreError::not_found(format!("anchor set {name} in this project")))?.try_into()
    }

    /// The rubric that stands in a set.
    ///
    /// # Errors
    /// [`StoreError::NotFound`].
    pub async fn anchor_set_rubric(&self, set: AnchorSetId) -> Result<Rubric, StoreError> {
        let sql = "select json_extract(body, '$.rubric') from anchor_set where id = $1";
        let rubric: Option<String> = sqlx::query_scalar(sql).bind(set).fetch_optional(self.read()).await?;
        let rubric = rubric.ok_or_else(|| StoreError::not_found("such anchor set"))?;
        serde_json::from_str(&rubric)
            .map_err(|error| StoreError::corrupt(format!("a rubric that cannot be read ({error})")))
    }

    /// The items of a set, by conversation, criterion and unit, but for those of conversations that are sealed to the viewer.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn anchor_items(
        &self,
        set: AnchorSetId,
        viewer: Viewer,
    ) -> Result<Vec<AnchorItem>, StoreError> {
        let sql = concat!(
            "select c.external_id, i.unit, i.criterion, i.stratum, i.labels, i.reference, i.provenance, i.split \
             from anchor_item i join conversation c on c.id = i.conversation_id where i.anchor_set_id = $1 and ",
            unsealed!("i.conversation_id", "$2"),
            " order by c.external_id, i.criterion, i.unit"
        );
        let query = sqlx::query_as::<_, ItemRow>(sql).bind(set).bind(viewer.user());
        query.fetch_all(self.read()).await?.into_iter().map(AnchorItem::try_from).collect()
    }

    /// The file of a set; `None` while a conversation of it is sealed to the viewer.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn anchor_set_file(
        &self,
        set: AnchorSetId,
        viewer: Viewer,
    ) -> Result<Option<String>, StoreError> {
        let sql = concat!(
            "select s.body from anchor_set s where s.id = $1 and not exists (\
                 select 1 from anchor_item i where i.anchor_set_id = s.id and not (",
            unsealed!("i.conversation_id", "$2"),
            "))"
        );
        Ok(sqlx::query_scalar(sql).bind(set).bind(viewer.user()).fetch_optional(self.read()).await?)
    }

    /// Records a look at `confirm`. Gives how many looks at one of the candidates that makes: 1 for the first.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn open_confirm(
        &self,
        set: AnchorSetId,
        opening: &NewOpening<'_>,
        now: OffsetDateTime,
    ) -> Result<u32, StoreError> {
        let candidates = serde_json::Value::from(opening.candidates).to_string();
        let before = "select count(distinct o.id) from confirm_opening o \
                          join confirm_candidate c on c.confirm_opening_id = o.id \
                      where o.anchor_set_id = $1 and c.judge in (select value from json_each($2))";
        let open = "insert into confirm_opening (anchor_set_id, opened_by, opened_at, look, why) \
                    values ($1, $2, $3, $4, $5) returning id";
        let name = "insert into confirm_candidate (confirm_opening_id, judge) \
                    select distinct $1, value from json_each($2)";
        let mut transaction = self.write().await?;
        let looks: u32 =
            sqlx::query_scalar(before).bind(set).bind(&candidates).fetch_one(&mut *transaction).await?;
        let look = looks.saturating_add(1);
        let id: i64 = sqlx::query_scalar(open)
            .bind(set)
            .bind(opening.by)
            .bind(Timestamp::from(now))
            .bind(look)
            .bind(opening.why)
            .fetch_one(&mut *transaction)
            .await?;
        sqlx::query(name).bind(id).bind(&candidates).execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(look)
    }

    /// The conversations of a project that are on somebody's desk and whose place is kept, by their ids in the source system.
    ///
    /// # Errors
    /// Where the database fails.
    pub async fn conversations_on_desks(&self, project: ProjectId) -> Result<HashSet<String>, StoreError> {
        let sql = "select distinct c.external_id from assignment a join conversation c on c.id = a.conversation_id \
                   where a.project_id = $1 and a.state = 'open' and a.lapsed_at is null";
        let ids: Vec<String> = sqlx::query_scalar(sql).bind(project).fetch_all(self.read()).await?;
        Ok(ids.into_iter().collect())
    }
}

#[cfg(test)]
mod tests;
