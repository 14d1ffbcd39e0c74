use super::*;
use crate::fixture::{Fixture, NOW, after};
use std::{cell::Cell, collections::HashMap};

thread_local! {
    /// Each test runs on a thread of its own.
    static ELAPSED: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

fn clock() -> OffsetDateTime {
    NOW + ELAPSED.get()
}

fn record(user: Option<UserId>) -> Record {
    let mut data = HashMap::new();
    if let Some(user) = user {
        data.insert("user".to_owned(), serde_json::json!(user));
        data.insert("user_agent".to_owned(), serde_json::json!("Firefox"));
    }
    Record { id: Id::default(), data, expiry_date: NOW + Duration::days(30) }
}

async fn signed_in(fixture: &Fixture, sessions: &Sessions, name: &str) -> (UserId, Record) {
    let user = fixture.user(name).await;
    let mut record = record(Some(user));
    sessions.create(&mut record).await.unwrap();
    (user, record)
}

#[tokio::test]
async fn a_session_is_loaded_as_it_was_saved() {
    let fixture = Fixture::new(0).await;
    let sessions = fixture.store.sessions(clock);
    let (_, mut record) = signed_in(&fixture, &sessions, "Ada").await;
    assert_eq!(sessions.load(&record.id).await.unwrap().as_ref(), Some(&record));
    record.data.insert("theme".to_owned(), serde_json::json!("dark"));
    sessions.save(&record).await.unwrap();
    assert_eq!(sessions.load(&record.id).await.unwrap().as_ref(), Some(&record));
    sessions.delete(&record.id).await.unwrap();
    assert_eq!(sessions.load(&record.id).await.unwrap(), None);
}

#[tokio::test]
async fn a_taken_id_is_replaced() {
    let fixture = Fixture::new(0).await;
    let sessions = fixture.store.sessions(clock);
    let (_, first) = signed_in(&fixture, &sessions, "Ada").await;
    let mut second = Record { id: first.id, ..record(None) };
    sessions.create(&mut second).await.unwrap();
    assert_ne!(second.id, first.id);
    assert_eq!(sessions.load(&first.id).await.unwrap(), Some(first));
}

#[tokio::test]
async fn no_id_is_in_the_file() {
    let fixture = Fixture::new(0).await;
    let sessions = fixture.store.sessions(clock);
    let (_, record) = signed_in(&fixture, &sessions, "Ada").await;
    let copy = fixture.directory.path().join("copy.db");
    fixture.store.backup(&copy).await.unwrap();
    let bytes = std::fs::read(copy).unwrap();
    let holds = |needle: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
    assert!(!holds(&record.id.0.to_le_bytes()) && !holds(&record.id.0.to_be_bytes()));
    assert!(!holds(record.id.to_string().as_bytes()));
}

#[tokio::test]
async fn an_idle_session_ends_after_eight_hours() {
    let fixture = Fixture::new(0).await;
    let sessions = fixture.store.sessions(clock);
    let (user, record) = signed_in(&fixture, &sessions, "Ada").await;
    ELAPSED.set(Duration::minutes(8 * 60 - 1));
    assert!(sessions.load(&record.id).await.unwrap().is_some());
    ELAPSED.set(Duration::minutes(16 * 60 - 2));
    assert!(sessions.load(&record.id).await.unwrap().is_some(), "the use at 7:59 counts");
    ELAPSED.set(Duration::minutes(24 * 60 - 2));
    assert!(sessions.load(&record.id).await.unwrap().is_none());
    assert!(fixture.store.sessions_of(user, clock()).await.unwrap().is_empty());
    assert_eq!(fixture.store.delete_expired_sessions(clock()).await.unwrap(), 1);
}

#[tokio::test]
async fn a_session_in_use_ends_after_seven_days() {
    let fixture = Fixture::new(0).await;
    let sessions = fixture.store.sessions(clock);
    let (_, record) = signed_in(&fixture, &sessions, "Ada").await;
    for hours in (4..7 * 24).step_by(4) {
        ELAPSED.set(Duration::minutes(hours * 60));
        assert!(sessions.load(&record.id).await.unwrap().is_some(), "{hours} hours");
        sessions.save(&record).await.unwrap();
    }
    ELAPSED.set(Duration::minutes(7 * 24 * 60));
    assert!(sessions.load(&record.id).await.unwrap().is_none());
}

#[tokio::test]
async fn an_expired_record_is_not_loaded() {
    let fixture = Fixture::new(0).await;
    let sessions = fixture.store.sessions(clock);
    let mut short = Record { expiry_date: after(5), ..record(None) };
    sessions.create(&mut short).await.unwrap();
    ELAPSED.set(Duration::minutes(5));
    assert!(sessions.load(&short.id).await.unwrap().is_none());
}

#[tokio::test]
async fn the_last_use_is_known_to_the_minute() {
    let fixture = Fixture::new(0).await;
    let sessions = fixture.store.sessions(clock);
    let (user, record) = signed_in(&fixture, &sessions, "Ada").await;
    for (seconds, seen) in [(59, 0), (60, 60), (119, 60), (300, 300)] {
        ELAPSED.set(Duration::seconds(seconds));
        sessions.load(&record.id).await.unwrap();
        let active = fixture.store.sessions_of(user, clock()).await.unwrap();
        assert_eq!(active[0].last_seen_at, NOW + Duration::seconds(seen), "{seconds} s");
    }
}

#[tokio::test]
async fn a_session_is_revoked_alone_or_with_all_others() {
    let fixture = Fixture::new(0).await;
    let sessions = fixture.store.sessions(clock);
    let (user, first) = signed_in(&fixture, &sessions, "Ada").await;
    let mut others = [record(Some(user)), record(Some(user)), record(Some(user))];
    for other in &mut others {
        sessions.create(other).await.unwrap();
    }
    let (stranger, _) = signed_in(&fixture, &sessions, "Ben").await;
    let key = SessionKey::of(&others[0].id);
    assert!(matches!(fixture.store.revoke_session(stranger, &key).await, Err(StoreError::NotFound { .. })));
    fixture.store.revoke_session(user, &key).await.unwrap();
    assert_eq!(fixture.store.revoke_sessions(user, Some(&SessionKey::of(&first.id))).await.unwrap(), 2);
    let left = fixture.store.sessions_of(user, NOW).await.unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!((left[0].key, left[0].user_agent.as_deref()), (SessionKey::of(&first.id), Some("Firefox")));
    assert_eq!(fixture.store.revoke_sessions(user, None).await.unwrap(), 1);
    assert_eq!(fixture.store.sessions_of(stranger, NOW).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_revoked_session_does_not_come_back_when_its_last_request_saves() {
    let fixture = Fixture::new(0).await;
    let sessions = fixture.store.sessions(clock);
    let (user, record) = signed_in(&fixture, &sessions, "Ada").await;
    fixture.store.revoke_sessions(user, None).await.unwrap();
    sessions.save(&record).await.unwrap();
    assert!(sessions.load(&record.id).await.unwrap().is_none());
}

#[tokio::test]
async fn who_is_shut_out_has_no_session() {
    let fixture = Fixture::new(0).await;
    let sessions = fixture.store.sessions(clock);
    let (user, record) = signed_in(&fixture, &sessions, "Ada").await;
    fixture.store.disable_user(user, NOW).await.unwrap();
    assert!(sessions.load(&record.id).await.unwrap().is_none());
    let mut late = super::tests::record(Some(user));
    sessions.create(&mut late).await.unwrap();
    assert!(sessions.load(&late.id).await.unwrap().is_none());
}
