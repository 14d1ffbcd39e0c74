use super::*;
use crate::fixture::{Fixture, NOW, after};
use domain::PrivateKind;

fn redaction(kinds: &[PrivateKind], secret: u8) -> StoredRedaction {
    StoredRedaction {
        rules: RedactionRules { kinds: kinds.to_vec(), ..RedactionRules::default() },
        secret: [secret; 32],
    }
}

#[tokio::test]
async fn rules_change_and_the_secret_stays() {
    let fixture = Fixture::new(0).await;
    assert_eq!(fixture.store.redaction(fixture.project).await.unwrap(), None);
    let first = redaction(&[PrivateKind::EMail], 1);
    fixture.store.set_redaction(fixture.project, &first, NOW).await.unwrap();
    assert_eq!(fixture.store.redaction(fixture.project).await.unwrap(), Some(first));
    fixture.store.set_redaction(fixture.project, &redaction(&[], 2), after(1)).await.unwrap();
    assert_eq!(fixture.store.redaction(fixture.project).await.unwrap(), Some(redaction(&[], 1)));
    let changed = fixture.execute("update redaction set secret = zeroblob(32)".to_owned()).await;
    assert!(changed.unwrap_err().to_string().contains("never changes"));
    assert!(!format!("{:?}", redaction(&[], 1)).contains("secret"), "a secret is in no log");
}

#[tokio::test]
async fn placeholders_and_mappings_stand_with_their_import_alone() {
    let fixture = Fixture::new(0).await;
    let placeholder = Placeholder { rule: "e-mail".to_owned(), value_hash: [3; 32], number: 1 };
    let columns: BTreeMap<String, String> = [("question".to_owned(), "Frage".to_owned())].into();
    for keeps in [false, true] {
        let mut import = fixture.import().await;
        assert_eq!(import.placeholders().await.unwrap(), []);
        import.keep_placeholders(std::slice::from_ref(&placeholder)).await.unwrap();
        import.keep_mapping("faq", &columns).await.unwrap();
        if keeps {
            import.commit().await.unwrap()
        } else {
            import.rollback().await.unwrap()
        }
        let known = fixture.store.column_mappings(fixture.project).await.unwrap();
        assert_eq!(known.get("faq"), keeps.then_some(&columns));
    }
    let mut import = fixture.import().await;
    assert_eq!(import.placeholders().await.unwrap(), [placeholder]);
    let other: BTreeMap<String, String> = [("question".to_owned(), "Q".to_owned())].into();
    import.keep_mapping("faq", &other).await.unwrap();
    import.commit().await.unwrap();
    assert_eq!(fixture.store.column_mappings(fixture.project).await.unwrap()["faq"], other);
    for sql in ["update placeholder set number = 2", "delete from placeholder"] {
        assert!(fixture.execute(sql.to_owned()).await.unwrap_err().to_string().contains("append-only"));
    }
}
