use super::*;
use crate::{
    NewUser,
    fixture::{Fixture, NOW},
};
use tempfile::TempDir;

#[tokio::test]
async fn a_new_file_is_set_up_to_survive_a_power_cut() {
    let fixture = Fixture::new(0).await;
    let mut writer = fixture.store.writer.acquire().await.unwrap();
    for (pragma, expected) in [
        ("pragma synchronous", 2_i64),
        ("pragma foreign_keys", 1),
        ("pragma auto_vacuum", 2),
        ("pragma temp_store", 2),
        ("pragma busy_timeout", 5_000),
    ] {
        let value: i64 = sqlx::query_scalar(pragma).fetch_one(&mut *writer).await.unwrap();
        assert_eq!(value, expected, "{pragma}");
    }
    let mode: String = sqlx::query_scalar("pragma journal_mode").fetch_one(&mut *writer).await.unwrap();
    assert_eq!(mode, "wal");
}

#[tokio::test]
async fn a_reader_cannot_write() {
    let fixture = Fixture::new(0).await;
    let written = sqlx::query("delete from project").execute(fixture.store.read()).await;
    assert!(written.unwrap_err().to_string().contains("readonly"));
}

#[tokio::test]
async fn a_file_that_must_be_there_is_not_made() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("none.db");
    let error = Store::open_existing(&path).await.unwrap_err();
    assert!(error.to_string().ends_with("run `touchstone serve` or `touchstone project create`"), "{error}");
    assert!(!path.exists());
    Store::open(&path).await.unwrap().close().await;
    assert!(Store::open_existing(&path).await.is_ok());
}

#[tokio::test]
async fn what_is_no_database_is_refused_and_left_alone() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("notes.txt");
    let text = "Buy milk. ".repeat(500);
    std::fs::write(&path, &text).unwrap();
    let error = Store::open(&path).await.unwrap_err();
    assert!(matches!(error, StoreError::NotADatabase { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    assert!(Store::open(directory.path().join("no/such/folder.db")).await.is_err());
}

#[tokio::test]
async fn a_file_of_a_newer_version_is_refused() {
    let fixture = Fixture::new(0).await;
    let sql = "insert into _sqlx_migrations (version, description, success, checksum, execution_time) \
               values (9999, 'later', 1, x'00', 0)";
    fixture.execute(sql).await.unwrap();
    let error = Store::open(fixture.store.path()).await.unwrap_err();
    assert!(matches!(error, StoreError::Migration(_)), "{error}");
    assert!(error.to_string().contains("newer version"));
}

#[tokio::test]
async fn migrations_keep_what_an_older_version_wrote() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("old.db");
    let pool = SqlitePoolOptions::new().connect_with(options(&path).create_if_missing(true)).await.unwrap();
    MIGRATIONS.run_to(1, &pool).await.unwrap();
    let sql = "insert into user (id, name, account, password_hash, created_at) \
               values (x'00000000000070008000000000000001', 'Ada', 'ada', 'hash', 0)";
    sqlx::query(sql).execute(&pool).await.unwrap();
    pool.close().await;
    let store = Store::open(&path).await.unwrap();
    assert_eq!(store.credentials("ada").await.unwrap().unwrap().user.name, "Ada");
    let health = store.check().await.unwrap();
    assert_eq!(health.migration, health.newest_migration);
}

#[tokio::test]
async fn two_processes_may_make_the_same_file() {
    let directory = TempDir::new().unwrap();
    for attempt in 0..20 {
        let path = directory.path().join(format!("{attempt}.db"));
        let (one, other) = tokio::join!(Store::open(&path), Store::open(&path));
        assert!(one.unwrap().check().await.unwrap().integrity.is_empty());
        other.unwrap();
    }
}

#[tokio::test]
async fn one_process_serves_a_file() {
    let fixture = Fixture::new(0).await;
    let lock = fixture.store.lock_for_serving().unwrap();
    let other = Store::open(fixture.store.path()).await.unwrap();
    assert!(matches!(other.lock_for_serving(), Err(StoreError::Locked { .. })));
    drop(lock);
    other.lock_for_serving().unwrap();
}

#[tokio::test]
async fn another_name_for_the_same_file_is_locked_too() {
    let fixture = Fixture::new(0).await;
    let _lock = fixture.store.lock_for_serving().unwrap();
    let link = fixture.directory.path().join("link.db");
    std::os::unix::fs::symlink(fixture.store.path(), &link).unwrap();
    let other = Store::open(&link).await.unwrap();
    assert!(matches!(other.lock_for_serving(), Err(StoreError::Locked { .. })));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_stores_write_to_one_file_in_turn() {
    let fixture = Fixture::new(0).await;
    let other = Store::open(fixture.store.path()).await.unwrap();
    let write = |store: Store, who: &'static str| async move {
        for number in 0..20 {
            let user = NewUser { name: format!("{who} {number}"), password_hash: String::new() };
            store.create_user(&user, false, NOW).await.unwrap();
        }
    };
    let (one, two) =
        tokio::join!(tokio::spawn(write(fixture.store.clone(), "a")), tokio::spawn(write(other, "b")));
    one.unwrap();
    two.unwrap();
    assert_eq!(fixture.store.users().await.unwrap().len(), 40);
}

#[tokio::test]
async fn a_backup_is_a_whole_file_and_never_replaces_one() {
    let fixture = Fixture::new(3).await;
    let to = fixture.directory.path().join("copy.db");
    fixture.store.backup(&to).await.unwrap();
    let copy = Store::open_existing(&to).await.unwrap();
    let project = copy.project("shop").await.unwrap().id;
    assert_eq!(copy.count_conversations(project).await.unwrap(), 3);
    let error = fixture.store.backup(&to).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict { .. }), "{error}");
}

#[tokio::test]
async fn a_check_finds_nothing_in_a_sound_file_and_orphans_in_a_broken_one() {
    let fixture = Fixture::new(2).await;
    let health = fixture.store.check().await.unwrap();
    assert!(health.integrity.is_empty());
    assert_eq!((health.orphans, health.journal_mode.as_str()), (0, "wal"));
    assert!(health.rows.contains(&("conversations", 2)));

    let mut connection = options(fixture.store.path()).foreign_keys(false).connect().await.unwrap();
    let sql = "update conversation set project_id = x'00' where external_id = 'c1'";
    sqlx::query(sql).execute(&mut connection).await.unwrap();
    assert_eq!(fixture.store.check().await.unwrap().orphans, 1);
}

#[tokio::test]
async fn what_is_kept_for_good_cannot_be_changed_or_deleted() {
    let fixture = Fixture::new(1).await;
    fixture.imported_label("ada", "c1", 4.0).await;
    let verdict = crate::fixture::verdict_row("j", "c1", domain::Outcome::Value(4.0));
    fixture.imported_verdicts(&[verdict]).await;
    let p = "(select id from project)";
    for (table, made) in [
        ("audit", format!("insert into audit select x'01', 0, null, {p}, 'a', 'b'")),
        ("reference_set", format!("insert into reference_set select x'02', {p}, 'median', '[]', 'h', 0, null")),
        (
            "adjudication",
            format!(
                "insert into adjudication select x'05', {p}, c.id, 'helpfulness', 'conversation', 4, 'slip', '', '[]', \
                     r.id, 'Lea', null, 0, null from conversation c join rubric_version r"
            ),
        ),
        (
            "reference",
            "insert into reference \
             select x'02', id, 'helpfulness', 'conversation', 4, 'adjudicated', '[]', x'05' from conversation"
                .to_owned(),
        ),
        ("anchor_set", format!("insert into anchor_set select x'03', {p}, 'set', 1, '{{}}', 'h', 0")),
        (
            "anchor_item",
            "insert into anchor_item select x'03', id, 'helpfulness', 'conversation', 's', '[]', 4, 'single', 'tune' \
             from conversation"
                .to_owned(),
        ),
        ("confirm_opening", "insert into confirm_opening values (1, x'03', null, 0, 1, null)".to_owned()),
        ("confirm_candidate", "insert into confirm_candidate values (1, 'j')".to_owned()),
        (
            "decision",
            format!("insert into decision select x'04', {p}, 'hold', 'j', null, 'h', 'h', '{{}}', null, 0, 'h'"),
        ),
        ("policy_version", format!("insert into policy_version select x'06', {p}, 1, '', 'h', null, 0")),
        (
            "threshold",
            format!(
                "insert into threshold select x'07', {p}, 'helpfulness', id, 4, 3, '{{}}', 'r', null, 0 from fingerprint"
            ),
        ),
        (
            "slot_change",
            format!(
                "insert into slot_change select x'08', {p}, 'helpfulness', 'inline', 'promote', x'04', id, 4, 'r', null, \
                     null, 0, null from fingerprint"
            ),
        ),
    ] {
        assert_eq!(fixture.execute(made).await.unwrap(), 1, "{table}");
    }
    for (table, column) in [
        ("audit", "detail"),
        ("rubric_version", "body"),
        ("label", "value"),
        ("reference", "value"),
        ("adjudication", "value"),
        ("anchor_set", "body"),
        ("anchor_item", "reference"),
        ("confirm_opening", "look"),
        ("confirm_candidate", "judge"),
        ("judge_version", "declared"),
        ("fingerprint", "hash"),
        ("verdict", "value"),
        ("decision", "body"),
        ("policy_version", "body"),
        ("threshold", "threshold"),
        ("slot_change", "reason"),
    ] {
        assert_ne!(fixture.number(format!("select count(*) from {table}")).await, 0, "{table}");
        for sql in [format!("update {table} set {column} = null"), format!("delete from {table}")] {
            let error = fixture.execute(sql.clone()).await.unwrap_err().to_string();
            assert!(error.contains("append-only") || error.contains("never changes"), "{sql}: {error}");
        }
    }
}
