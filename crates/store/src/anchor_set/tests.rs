use super::*;
use crate::fixture::{Fixture, NOW, after, conversation, rubric};
use domain::{AnchorLabel, AnchorSet, Provenance, Split, Unit};

fn set(version: u32, conversations: &[&str]) -> AnchorSet {
    let item = |id: &&str| AnchorItem {
        conversation: (*id).to_owned(),
        unit: Unit::Conversation,
        criterion: "helpfulness".to_owned(),
        stratum: "helpfulness · policy · 4".to_owned(),
        labels: vec![AnchorLabel { annotator: "annotator-1".to_owned(), value: 4.0 }],
        reference: 4.0,
        provenance: Provenance::Single,
        split: Split::Tune,
    };
    let text = |id: &&str| serde_json::to_value(conversation(id, "How long may I return it?").0).unwrap();
    AnchorSet {
        format: 1,
        name: "gold".to_owned(),
        version,
        created_at: NOW,
        owner: Some("quality".to_owned()),
        expires: None,
        seed: 1,
        rubric: rubric(1),
        conversations: conversations.iter().map(text).collect(),
        items: conversations.iter().map(item).collect(),
    }
}

async fn freeze(fixture: &Fixture, set: &AnchorSet, on_desks: OnDesks) -> Result<bool, StoreError> {
    let (file, hash) = (set.to_file().unwrap(), set.hash().unwrap());
    let mut import = fixture.import().await;
    let is_new = import.anchor_set(&NewAnchorSet { set, file: &file, hash: &hash }, on_desks).await?;
    import.commit().await?;
    Ok(is_new)
}

async fn found(fixture: &Fixture, version: u32, viewer: Viewer) -> FrozenAnchorSet {
    let name = AnchorSetName { name: "gold".to_owned(), version };
    fixture.store.anchor_set(fixture.project, &name, viewer).await.unwrap()
}

#[tokio::test]
async fn a_frozen_set_is_read_as_it_was_frozen() {
    let fixture = Fixture::new(2).await;
    let before = fixture.store.revision(fixture.project).await.unwrap();
    let set = set(1, &["c1", "c2"]);
    assert!(freeze(&fixture, &set, OnDesks::Refused).await.unwrap());
    assert!(fixture.store.revision(fixture.project).await.unwrap() > before, "reports see it");
    let stored = found(&fixture, 1, Viewer::Operator).await;
    assert_eq!((stored.tune, stored.confirm, stored.frozen_at), (2, 0, NOW));
    assert_eq!((&stored.owner, &stored.expires, &stored.hash), (&set.owner, &None, &set.hash().unwrap()));
    assert_eq!(
        fixture.store.anchor_sets(fixture.project, Viewer::Operator).await.unwrap(),
        std::slice::from_ref(&stored)
    );
    assert_eq!(fixture.store.anchor_set_rubric(stored.id).await.unwrap(), set.rubric);
    assert_eq!(fixture.store.anchor_items(stored.id, Viewer::Operator).await.unwrap(), set.items);
    let file = fixture.store.anchor_set_file(stored.id, Viewer::Operator).await.unwrap();
    assert_eq!(file, Some(set.to_file().unwrap()));
}

#[tokio::test]
async fn a_version_is_frozen_once() {
    let fixture = Fixture::new(2).await;
    assert!(freeze(&fixture, &set(1, &["c1"]), OnDesks::Refused).await.unwrap());
    assert!(!freeze(&fixture, &set(1, &["c1"]), OnDesks::Refused).await.unwrap(), "the same again");
    let other = freeze(&fixture, &set(1, &["c1", "c2"]), OnDesks::Refused).await;
    assert!(matches!(other, Err(StoreError::Conflict { .. })), "{other:?}");
    let unknown = freeze(&fixture, &set(2, &["c1", "c9"]), OnDesks::Refused).await;
    assert!(matches!(unknown, Err(StoreError::NotFound { .. })), "{unknown:?}");
    assert_eq!(fixture.store.anchor_sets(fixture.project, Viewer::Operator).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_set_is_sealed_with_its_conversations() {
    let fixture = Fixture::new(2).await;
    let chloe = fixture.user("Chloe").await;
    let desk = fixture.assign(chloe).await;
    let set = set(1, &["c1", "c2"]);
    let refused = freeze(&fixture, &set, OnDesks::Refused).await;
    assert!(matches!(&refused, Err(StoreError::Conflict { what }) if what.contains("`c1`")), "{refused:?}");
    let none = fixture.store.anchor_sets(fixture.project, Viewer::Operator).await.unwrap();
    assert_eq!(none, [], "nothing is left of what was refused");
    assert!(freeze(&fixture, &set, OnDesks::Sealed).await.unwrap());
    let viewer = Viewer::Member(chloe);
    let stored = found(&fixture, 1, viewer).await;
    assert_eq!(stored.tune, 1);
    let items = fixture.store.anchor_items(stored.id, viewer).await.unwrap();
    assert_eq!(items.iter().map(|item| item.conversation.as_str()).collect::<Vec<_>>(), ["c2"]);
    assert_eq!(fixture.store.anchor_set_file(stored.id, viewer).await.unwrap(), None);
    let on_desks = fixture.store.conversations_on_desks(fixture.project).await.unwrap();
    assert_eq!(on_desks, HashSet::from(["c1".to_owned()]));
    let other = Viewer::Member(fixture.user("Dora").await);
    assert_eq!(fixture.store.anchor_items(stored.id, other).await.unwrap().len(), 2);
    fixture.save(&fixture.new_label(chloe, desk.conversation, 4.0)).await;
    fixture.store.submit_assignment(desk.id, chloe, after(1)).await.unwrap();
    assert_eq!(fixture.store.anchor_items(stored.id, viewer).await.unwrap().len(), 2);
    assert!(fixture.store.anchor_set_file(stored.id, viewer).await.unwrap().is_some());
}

#[tokio::test]
async fn each_look_at_a_candidate_is_counted() {
    let fixture = Fixture::new(1).await;
    freeze(&fixture, &set(1, &["c1"]), OnDesks::Refused).await.unwrap();
    let id = found(&fixture, 1, Viewer::Operator).await.id;
    let open = async |candidates: &[&str], why: Option<&str>| {
        let candidates: Vec<String> = candidates.iter().map(|name| (*name).to_owned()).collect();
        let opening = NewOpening { candidates: &candidates, why, by: None };
        fixture.store.open_confirm(id, &opening, NOW).await.unwrap()
    };
    assert_eq!(open(&["a", "b"], None).await, 1);
    assert_eq!(open(&["c"], None).await, 1, "another candidate");
    assert_eq!(open(&["a"], Some("the parser was mended")).await, 2);
    assert_eq!(open(&["b", "a"], None).await, 3, "a look at two is one look");
    assert_eq!(fixture.number("select count(*) from confirm_opening where why is not null").await, 1);
    assert_eq!(fixture.number("select count(*) from confirm_candidate").await, 6);
}
