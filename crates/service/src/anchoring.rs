//! Anchor sets: what could be frozen and what it would be worth, freezing, files out and in, what changed, what to look at again.

use crate::{ProjectId, ReferenceChoice, Service, ServiceError, UserId, Viewer, references::keep_annotators};
use domain::{
    AnchorChoice, AnchorItem, AnchorReview, AnchorSet, AnchorSetDifference, AnchorSetError, AnchorSetName,
    AnchorSource, Candidate, ConfirmOpening, ContentHash, Precision, ReferenceRule, Rubric, Split, Stratum,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use store::{Admission, FrozenAnchorSet, NewAnchorSet, NewOpening, OnDesks};

/// What a set is to be built of.
#[derive(Clone, Debug, PartialEq)]
pub struct AnchorRequest {
    /// Name, shared by all versions.
    pub name: String,
    /// How many items, how they are parted, and the seed.
    pub choice: AnchorChoice,
    /// How several labels become one; that of the last built references where absent, and the median where there are none.
    pub rule: Option<ReferenceRule>,
    /// Whose labels; those of the last built references where empty, and all where there are none.
    pub annotators: Vec<String>,
    /// These criteria only; all where empty.
    pub criteria: Vec<String>,
    /// Who keeps the set true.
    pub owner: Option<String>,
    /// The day from which it must be looked at again, `2027-12-31`.
    pub expires: Option<String>,
}

/// What would be frozen, and what it would be worth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnchorPreview {
    /// `NAME@VERSION` that it would get.
    pub anchor_set: String,
    /// Items that would be in it.
    pub items: u64,
    /// Those of `tune`.
    pub tune: u64,
    /// Those of `confirm`.
    pub confirm: u64,
    /// Items whose labels give no reference under the rule: to adjudicate.
    pub without_reference: u64,
    /// Conversations that somebody is labelling, and that are left out.
    pub on_desks: u64,
    /// How many of each stratum there are, and how many would be taken.
    pub strata: Vec<Stratum>,
    /// The interval width and the power that each criterion would have.
    pub precision: Vec<Precision>,
}

/// A frozen set in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnchorSetEntry {
    /// Name.
    pub name: String,
    /// Version.
    pub version: u32,
    /// SHA-256 of what it holds.
    pub hash: ContentHash,
    /// When it was frozen, in UTC.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: time::OffsetDateTime,
    /// Who keeps it true.
    pub owner: Option<String>,
    /// The day from which it must be looked at again.
    pub expires: Option<String>,
    /// Items of `tune` that may be seen.
    pub tune: u64,
    /// Items of `confirm` that may be seen.
    pub confirm: u64,
}

/// What an import of a set brought.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImportedAnchorSet {
    /// `NAME@VERSION`.
    pub anchor_set: String,
    /// SHA-256 of what it holds.
    pub hash: ContentHash,
    /// Whether it was not there before.
    pub new: bool,
    /// Items.
    pub items: u64,
    /// Conversations that were not there before.
    pub new_conversations: u64,
}

/// What was drawn for a set.
struct Drawn {
    rubric: Rubric,
    version: u32,
    taken: Vec<(Candidate, Split)>,
    preview: AnchorPreview,
}

impl Service {
    /// What would be frozen, and how wide the intervals on it would be. Nothing is stored. Labels that are sealed to the viewer are not
    /// seen: their conversations are on a desk, and no item of them would be frozen.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for what cannot be asked.
    pub async fn preview_anchor_set(
        &self,
        project: ProjectId,
        request: &AnchorRequest,
        viewer: Viewer,
    ) -> Result<AnchorPreview, ServiceError> {
        Ok(self.drawn(project, request, viewer).await?.preview)
    }

    /// Freezes the next version of a set.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for what cannot be frozen, [`ServiceError::Conflict`] where somebody began to label a conversation of it
    /// or froze the same version meanwhile.
    pub async fn freeze_anchor_set(
        &self,
        project: ProjectId,
        request: &AnchorRequest,
        by: Option<UserId>,
    ) -> Result<AnchorSetEntry, ServiceError> {
        let drawn = self.drawn(project, request, Viewer::Operator).await?;
        check_parts(&drawn.preview, request.choice.confirm)?;
        let ids: BTreeSet<&str> = drawn.taken.iter().map(|(item, _)| item.conversation.as_str()).collect();
        let mut conversations = Vec::with_capacity(ids.len());
        for id in ids {
            let content = self.store.conversation(project, id).await?.conversation.content();
            conversations.push(serde_json::to_value(content).map_err(internal)?);
        }
        let created_at = self.now().replace_nanosecond(0).map_err(internal)?;
        let set = AnchorSet {
            format: AnchorSet::FORMAT,
            name: request.name.clone(),
            version: drawn.version,
            created_at,
            owner: request.owner.clone(),
            expires: request.expires.clone(),
            seed: request.choice.seed,
            rubric: drawn.rubric,
            conversations,
            items: drawn.taken.into_iter().map(AnchorItem::from).collect(),
        };
        set.check().map_err(refused)?;
        let (file, hash) = (set.to_file().map_err(internal)?, set.hash().map_err(internal)?);
        let mut import = self.store.begin_import(project, self.now()).await?;
        import.anchor_set(&NewAnchorSet { set: &set, file: &file, hash: &hash }, OnDesks::Refused).await?;
        import.commit().await?;
        let name = set.full_name();
        self.record(by, Some(project), "freeze_anchor_set", &format!("{name} {hash}")).await?;
        Ok(self.store.anchor_set(project, &name, Viewer::Operator).await?.into())
    }

    /// The frozen sets of a project, by name and version.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn anchor_sets(
        &self,
        project: ProjectId,
        viewer: Viewer,
    ) -> Result<Vec<AnchorSetEntry>, ServiceError> {
        let sets = self.store.anchor_sets(project, viewer).await?;
        Ok(sets.into_iter().map(AnchorSetEntry::from).collect())
    }

    /// The items of one split of a set, but for those of conversations that are sealed to the viewer. No look at `confirm` is recorded:
    /// whoever shows figures of these items records it by [`Service::comparison`], [`Service::diagnosis`] or [`Service::gate`].
    ///
    /// # Errors
    /// [`ServiceError::NotFound`].
    pub async fn anchor_items(
        &self,
        project: ProjectId,
        name: &AnchorSetName,
        split: Split,
        viewer: Viewer,
    ) -> Result<(AnchorSource, Vec<AnchorItem>), ServiceError> {
        let set = self.store.anchor_set(project, name, viewer).await?;
        let mut items = self.store.anchor_items(set.id, viewer).await?;
        items.retain(|item| item.split == split);
        let AnchorSetName { name, version } = set.name;
        Ok((AnchorSource { name, version, hash: set.hash, split }, items))
    }

    /// The file of a set, byte for byte as it was frozen or imported.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`]; [`ServiceError::Forbidden`] while the viewer has an open assignment on a conversation of it.
    pub async fn anchor_set_file(
        &self,
        project: ProjectId,
        name: &AnchorSetName,
        viewer: Viewer,
    ) -> Result<String, ServiceError> {
        let set = self.store.anchor_set(project, name, viewer).await?;
        self.store.anchor_set_file(set.id, viewer).await?.ok_or_else(|| ServiceError::Forbidden {
            what: format!(
                "{name} is sealed to you while you are labelling a conversation of it: submit that first"
            ),
        })
    }

    /// Takes a set from a file, with the conversations and the rubric that the project does not have.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for a file that is not as it was frozen; [`ServiceError::Conflict`] where a conversation, the rubric
    /// version or the set stands there with other content. Nothing is stored then.
    pub async fn import_anchor_set(
        &self,
        project: ProjectId,
        file: &[u8],
        by: Option<UserId>,
    ) -> Result<ImportedAnchorSet, ServiceError> {
        let (set, hash) = AnchorSet::from_file(file).map_err(refused)?;
        let text = std::str::from_utf8(file).map_err(internal)?;
        let name = set.full_name();
        let mut import = self.store.begin_import(project, self.now()).await?;
        import.rubric(&set.rubric).await?;
        let mut new_conversations = 0;
        for (conversation, hash) in set.read_conversations().map_err(internal)?.into_values() {
            let body = serde_json::to_string(&conversation).map_err(internal)?;
            match import.conversation(&conversation, &hash, &body).await? {
                Admission::New => new_conversations += 1,
                Admission::Unchanged | Admission::OfAnAccount => {}
                // What was written in another way when it was imported may be the same to whoever reads it.
                Admission::Clash { stored } => {
                    let known = import.knows_conversation(&conversation.id);
                    let stands = match known {
                        Some(id) => import.conversation_body(id).await?.content() == conversation.content(),
                        None => false,
                    };
                    if !stands {
                        let id = domain::visible(&conversation.id);
                        let what = format!("conversation `{id}` of {name} has {stored} in this project");
                        return Err(ServiceError::Conflict { what });
                    }
                }
            }
        }
        let new = NewAnchorSet { set: &set, file: text, hash: &hash };
        let is_new = import.anchor_set(&new, OnDesks::Sealed).await?;
        import.commit().await?;
        if is_new {
            self.record(by, Some(project), "import_anchor_set", &format!("{name} {hash}")).await?;
        }
        let (anchor_set, items) = (name.to_string(), set.items.len() as u64);
        Ok(ImportedAnchorSet { anchor_set, hash, new: is_new, items, new_conversations })
    }

    /// What a later version of a set changed.
    ///
    /// # Errors
    /// As [`Service::anchor_set_file`].
    pub async fn anchor_set_difference(
        &self,
        project: ProjectId,
        earlier: &AnchorSetName,
        later: &AnchorSetName,
        viewer: Viewer,
    ) -> Result<AnchorSetDifference, ServiceError> {
        let earlier = self.whole_set(project, earlier, viewer).await?;
        Ok(earlier.difference(&self.whole_set(project, later, viewer).await?))
    }

    /// The items of a set to look at again: those that cite one of these documents, which changed, and those that have expired.
    ///
    /// # Errors
    /// As [`Service::anchor_set_file`].
    pub async fn review_anchor_set(
        &self,
        project: ProjectId,
        name: &AnchorSetName,
        documents: &[String],
        viewer: Viewer,
    ) -> Result<AnchorReview, ServiceError> {
        let set = self.whole_set(project, name, viewer).await?;
        set.review(documents, self.now().date()).map_err(internal)
    }

    /// Records a look at `confirm`, where the choice is one.
    pub(crate) async fn open_confirm(
        &self,
        project: ProjectId,
        choice: &ReferenceChoice,
        candidates: &[String],
        viewer: Viewer,
    ) -> Result<Option<ConfirmOpening>, ServiceError> {
        let ReferenceChoice::AnchorSet { name, split: Split::Confirm, why } = choice else { return Ok(None) };
        let by = match viewer {
            Viewer::Operator => None,
            Viewer::Member(user) => Some(user),
        };
        let set = self.store.anchor_set(project, name, viewer).await?;
        let opening = NewOpening { candidates, why: why.as_deref(), by };
        let look = self.store.open_confirm(set.id, &opening, self.now()).await?;
        Ok(Some(ConfirmOpening { look, why: why.clone() }))
    }

    async fn whole_set(
        &self,
        project: ProjectId,
        name: &AnchorSetName,
        viewer: Viewer,
    ) -> Result<AnchorSet, ServiceError> {
        let file = self.anchor_set_file(project, name, viewer).await?;
        Ok(AnchorSet::from_file(file.as_bytes()).map_err(internal)?.0)
    }

    async fn drawn(
        &self,
        project: ProjectId,
        request: &AnchorRequest,
        viewer: Viewer,
    ) -> Result<Drawn, ServiceError> {
        check_request(request)?;
        let rubric = self.rubric_version(project).await?.rubric;
        for criterion in &request.criteria {
            crate::reports::check_criterion(&rubric, Some(criterion))?;
        }
        let mut observations = self.labels_seen(project, None, viewer).await?;
        let source = self.reference_source(project, request.rule, &request.annotators, &observations).await?;
        keep_annotators(&mut observations, &source);
        observations.labels.retain(|label| {
            request.criteria.is_empty() || request.criteria.iter().any(|id| **id == *label.criterion)
        });
        let references = self.references_of(project, &rubric, &observations, &source, viewer).await?;
        let on_desks = self.store.conversations_on_desks(project).await?;
        let key = project.to_string();
        let candidates = Candidate::all(&rubric, &observations, &references, &on_desks, &key);
        let (taken, strata) = request.choice.of(candidates);
        let versions = self.store.anchor_sets(project, Viewer::Operator).await?;
        let versions = versions.into_iter().filter(|set| set.name.name == request.name);
        let version = versions.map(|set| set.name.version).max().unwrap_or(0).saturating_add(1);
        let of = |split: Split| taken.iter().filter(|(_, of)| *of == split).count() as u64;
        let preview = AnchorPreview {
            anchor_set: AnchorSetName { name: request.name.clone(), version }.to_string(),
            items: taken.len() as u64,
            tune: of(Split::Tune),
            confirm: of(Split::Confirm),
            without_reference: references.without,
            on_desks: on_desks.len() as u64,
            strata,
            precision: Precision::of(&rubric, &taken),
        };
        Ok(Drawn { rubric, version, taken, preview })
    }
}

impl From<FrozenAnchorSet> for AnchorSetEntry {
    fn from(set: FrozenAnchorSet) -> AnchorSetEntry {
        AnchorSetEntry {
            name: set.name.name,
            version: set.name.version,
            hash: set.hash,
            created_at: set.frozen_at,
            owner: set.owner,
            expires: set.expires,
            tune: set.tune,
            confirm: set.confirm,
        }
    }
}

fn internal(error: impl std::fmt::Display) -> ServiceError {
    ServiceError::Internal(error.to_string())
}

fn refused(error: AnchorSetError) -> ServiceError {
    ServiceError::Invalid { field: "anchor set".to_owned(), reason: error.to_string() }
}

fn check_request(request: &AnchorRequest) -> Result<(), ServiceError> {
    let invalid = |field: &str, found: &str, expected: &str| {
        let reason = format!("found {}, expected {expected}", domain::visible(found));
        Err(ServiceError::Invalid { field: field.to_owned(), reason })
    };
    if !AnchorSetName::is_allowed(&request.name) {
        return invalid("name", &request.name, AnchorSetName::EXPECTED);
    }
    if request.choice.size == Some(0) {
        return invalid("size", "0", "a number of items from 1 on");
    }
    let confirm = request.choice.confirm;
    if !(0.0..=1.0).contains(&confirm) {
        return invalid("confirm", &confirm.to_string(), "a share from 0 to 1");
    }
    Ok(())
}

/// A part that was asked for and is empty would be found out when a judge is to be decided on.
fn check_parts(preview: &AnchorPreview, confirm: f64) -> Result<(), ServiceError> {
    let invalid =
        |field: &str, reason: String| Err(ServiceError::Invalid { field: field.to_owned(), reason });
    if preview.items == 0 {
        let reason = format!(
            "no item can be frozen: {} without a reference, {} conversations on somebody's desk",
            preview.without_reference, preview.on_desks
        );
        return invalid("anchor set", reason);
    }
    if (confirm > 0.0 && preview.confirm == 0) || (confirm < 1.0 && preview.tune == 0) {
        let reason = format!(
            "found {confirm}, which gives {} items to tune and {} to confirm: clusters stay whole, and these are too few; take more items",
            preview.tune, preview.confirm
        );
        return invalid("confirm", reason);
    }
    Ok(())
}
