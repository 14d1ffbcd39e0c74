use super::*;
use crate::fixture::{Fixture, NOW, conversation};

#[tokio::test]
async fn a_conversation_is_read_as_it_was_given() {
    let fixture = Fixture::new(2).await;
    let (given, hash, _) = conversation("c2", "How long may I return it?");
    let stored = fixture.store.conversation(fixture.project, "c2").await.unwrap();
    assert_eq!((&stored.conversation, &stored.content_hash), (&given, &hash));
    assert_eq!(fixture.store.conversation_by_id(fixture.project, stored.id).await.unwrap(), stored);
    assert_eq!(fixture.store.count_conversations(fixture.project).await.unwrap(), 2);
}

#[tokio::test]
async fn a_conversation_of_another_project_is_not_there() {
    let fixture = Fixture::new(1).await;
    let other = fixture.store.create_project("other", NOW).await.unwrap().id;
    let id = fixture.id("c1").await;
    assert!(matches!(fixture.store.conversation(other, "c1").await, Err(StoreError::NotFound { .. })));
    assert!(matches!(fixture.store.conversation_by_id(other, id).await, Err(StoreError::NotFound { .. })));
    assert_eq!(fixture.store.count_conversations(other).await.unwrap(), 0);
}

#[tokio::test]
async fn slices_come_in_order_of_import() {
    let fixture = Fixture::new(12).await;
    let slices = fixture.store.conversation_slices(fixture.project, Viewer::Operator).await.unwrap();
    assert_eq!(slices.len(), 12);
    assert_eq!(slices[9].external_id, "c10");
    assert_eq!(
        (slices[0].cluster.as_str(), slices[0].category.as_deref(), slices[0].corpus.as_deref()),
        ("customer-1", Some("policy"), None)
    );
}

#[tokio::test]
async fn a_visit_keeps_the_order_and_the_seal() {
    let fixture = Fixture::new(3).await;
    let ada = fixture.user("Ada").await;
    let open = fixture.assign(ada).await.conversation;
    let visited = async |viewer| {
        let mut ids = Vec::new();
        let each = |stored: StoredConversation| ids.push(stored.conversation.id);
        fixture.store.visit_conversations(fixture.project, viewer, each).await.unwrap();
        ids
    };
    assert_eq!(visited(Viewer::Operator).await, ["c1", "c2", "c3"]);
    let sealed = visited(Viewer::Member(ada)).await;
    assert_eq!(sealed.len(), 2);
    for id in sealed {
        assert_ne!(fixture.id(&id).await, open);
    }
}
