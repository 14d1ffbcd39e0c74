use super::*;
use crate::fixture::{Fixture, NOW, after};

#[tokio::test]
async fn the_last_entries_come_first() {
    let fixture = Fixture::new(0).await;
    let ada = fixture.user("Ada").await;
    let entry = NewAuditEntry {
        user: Some(ada),
        project: Some(fixture.project),
        action: "member.invited",
        detail: "ben as lead",
    };
    fixture.store.append_audit(&entry, NOW).await.unwrap();
    let entry = NewAuditEntry { user: None, action: "conversations.imported", ..entry };
    fixture.store.append_audit(&entry, after(1)).await.unwrap();
    let elsewhere = NewAuditEntry { project: None, ..entry };
    fixture.store.append_audit(&elsewhere, after(2)).await.unwrap();
    let entries = fixture.store.audit(fixture.project, 10).await.unwrap();
    let said: Vec<_> = entries.iter().map(|entry| (entry.user.as_deref(), entry.action.as_str())).collect();
    assert_eq!(said, [(None, "conversations.imported"), (Some("Ada"), "member.invited")]);
    assert_eq!((entries[1].at, entries[1].detail.as_str()), (NOW, "ben as lead"));
    assert_eq!(fixture.store.audit(fixture.project, 1).await.unwrap(), entries[..1]);
}
