use super::*;
use crate::{
    Viewer,
    fixture::{Fixture, NOW, after, conversation, fingerprint, label_row, refusal, rubric, verdict_row},
};
use domain::{Outcome, Unit};

fn clash(stored: &str) -> Admission {
    Admission::Clash { stored: stored.to_owned() }
}

#[tokio::test]
async fn importing_conversations_twice_changes_nothing() {
    let fixture = Fixture::new(250).await;
    let mut import = fixture.import().await;
    for number in 1..=250 {
        let (given, hash, body) = conversation(&format!("c{number}"), "How long may I return it?");
        assert_eq!(import.conversation(&given, &hash, &body).await.unwrap(), Admission::Unchanged);
    }
    let (given, hash, body) = conversation("c7", "And without a receipt?");
    let Admission::Clash { stored } = import.conversation(&given, &hash, &body).await.unwrap() else {
        panic!("another text under the same id was taken");
    };
    let present = fixture.store.conversation(fixture.project, "c7").await.unwrap();
    assert!(stored.contains(&present.content_hash.0), "{stored}");
    let (given, hash, body) = conversation("c251", "A new one?");
    assert_eq!(import.conversation(&given, &hash, &body).await.unwrap(), Admission::New);
    assert_eq!(import.conversation(&given, &hash, &body).await.unwrap(), Admission::Unchanged);
    import.commit().await.unwrap();
    let slices = fixture.store.conversation_slices(fixture.project, Viewer::Operator).await.unwrap();
    assert_eq!((slices.len(), slices[250].external_id.as_str()), (251, "c251"));
}

#[tokio::test]
async fn an_import_that_is_not_committed_leaves_nothing() {
    let fixture = Fixture::new(0).await;
    for explicitly in [true, false] {
        let mut import = fixture.import().await;
        for number in 0..150 {
            let (given, hash, body) = conversation(&format!("n{number}"), "Why?");
            import.conversation(&given, &hash, &body).await.unwrap();
        }
        import.label(&label_row("ada", "n0", 3.0), fixture.rubric).await.unwrap();
        if explicitly {
            import.rollback().await.unwrap()
        } else {
            drop(import)
        }
        assert_eq!(fixture.store.count_conversations(fixture.project).await.unwrap(), 0);
    }
    // The writer is free again.
    fixture.user("Ada").await;
}

#[tokio::test]
async fn labels_may_name_conversations_of_the_same_import() {
    let fixture = Fixture::new(0).await;
    let mut import = fixture.import().await;
    let (given, hash, body) = conversation("new", "Why?");
    import.conversation(&given, &hash, &body).await.unwrap();
    let id = import.knows_conversation("new").unwrap();
    assert_eq!(import.knows_conversation("old"), None);
    let found = import.conversation_body(id).await.unwrap();
    assert!(found.has(&Unit::Passage("p1".to_owned())) && !found.has(&Unit::Passage("p2".to_owned())));
    assert!(Arc::ptr_eq(&found, &import.conversation_body(id).await.unwrap()), "kept at hand");
    for number in 0..1_200 {
        let row = LabelRow { pass: number, ..label_row("ada", "new", 3.0) };
        assert_eq!(import.label(&row, fixture.rubric).await.unwrap(), Admission::New);
    }
    let unknown = import.label(&label_row("ada", "old", 3.0), fixture.rubric).await;
    assert!(matches!(unknown, Err(StoreError::NotFound { .. })));
    import.commit().await.unwrap();
    let labels = fixture.store.labels(fixture.project, None, Viewer::Operator).await.unwrap();
    assert_eq!(labels.len(), 1_200);
}

#[tokio::test]
async fn importing_labels_twice_changes_nothing_and_another_value_is_a_clash() {
    let fixture = Fixture::new(2).await;
    for expected in [Admission::New, Admission::Unchanged] {
        let mut import = fixture.import().await;
        for row in [label_row("ada", "c1", 4.0), label_row("ben", "c1", 2.0), label_row("ada", "c2", 1.0)] {
            assert_eq!(import.label(&row, fixture.rubric).await.unwrap(), expected);
        }
        assert_eq!(import.label(&label_row("ada", "c1", 5.0), fixture.rubric).await.unwrap(), clash("4"));
        let repeat = LabelRow { pass: 1, ..label_row("ada", "c1", 5.0) };
        assert_eq!(import.label(&repeat, fixture.rubric).await.unwrap(), expected);
        import.commit().await.unwrap();
    }
    assert_eq!(fixture.number("select count(*) from label").await, 4);
    assert_eq!(fixture.number("select count(*) from annotator where user_id is null").await, 2);
}

#[tokio::test]
async fn nobody_imports_labels_under_the_name_of_an_account() {
    let fixture = Fixture::new(2).await;
    let ada = fixture.user("Ada").await;
    let assignment = fixture.assign(ada).await;
    fixture.save(&fixture.new_label(ada, assignment.conversation, 4.0)).await;
    let mut import = fixture.import().await;
    let mut admit = async |row| import.label(&row, fixture.rubric).await.unwrap();
    assert_eq!(admit(label_row("ada", "c1", 4.0)).await, Admission::Unchanged);
    assert_eq!(admit(label_row("ada", "c1", 3.0)).await, Admission::OfAnAccount);
    assert_eq!(admit(label_row("ada", "c2", 3.0)).await, Admission::OfAnAccount);
}

#[tokio::test]
async fn a_value_that_is_no_number_is_refused() {
    let fixture = Fixture::new(1).await;
    let mut import = fixture.import().await;
    let label = import.label(&label_row("ada", "c1", f64::NAN), fixture.rubric).await;
    assert!(matches!(label, Err(StoreError::Invalid(_))));
    let row = verdict_row("j", "c1", Outcome::Value(f64::INFINITY));
    assert!(matches!(import.verdict(&row, &fingerprint(&row)).await, Err(StoreError::Invalid(_))));
}

#[tokio::test]
async fn importing_verdicts_twice_changes_nothing_and_makes_one_run() {
    let fixture = Fixture::new(2).await;
    let rows = [
        verdict_row("a", "c1", Outcome::Value(4.0)),
        verdict_row("a", "c2", refusal()),
        VerdictRow { repeat: 1, ..verdict_row("a", "c1", Outcome::Value(3.0)) },
        VerdictRow { judge_version: "2".to_owned(), ..verdict_row("a", "c1", Outcome::Value(4.0)) },
    ];
    for expected in [Admission::New, Admission::Unchanged] {
        let mut import = fixture.import().await;
        for row in &rows {
            assert_eq!(import.verdict(row, &fingerprint(row)).await.unwrap(), expected);
        }
        import.commit().await.unwrap();
    }
    assert_eq!(fixture.number("select count(*) from verdict").await, 4);
    assert_eq!(fixture.number("select count(*) from run where source = 'import'").await, 2);
    assert_eq!(fixture.number("select count(*) from judge_version").await, 2);
}

#[tokio::test]
async fn another_verdict_under_the_same_identity_is_a_clash() {
    let fixture = Fixture::new(2).await;
    let value = verdict_row("a", "c1", Outcome::Value(4.0));
    let failure = verdict_row("a", "c2", refusal());
    fixture.imported_verdicts(&[value.clone(), failure.clone()]).await;
    let mut import = fixture.import().await;
    let mut admit = async |row: VerdictRow| import.verdict(&row, &fingerprint(&row)).await.unwrap();
    let other_value = VerdictRow { outcome: Outcome::Value(5.0), ..value.clone() };
    assert_eq!(admit(other_value).await, clash("4"));
    let recovered = VerdictRow { outcome: Outcome::Value(5.0), ..failure };
    assert_eq!(admit(recovered).await, clash("an instrument failure (refused)"));
    let other_model = VerdictRow { reported_model: Some("m-2".to_owned()), ..value };
    assert_eq!(
        admit(other_model).await,
        clash("4 of another model, rubric or scale: give it another judge version")
    );
    import.commit().await.unwrap();
    assert_eq!(fixture.number("select count(*) from verdict").await, 2);
    assert_eq!(fixture.number("select count(*) from run").await, 1, "nothing new, no run");
}

#[tokio::test]
async fn people_read_while_an_import_runs() {
    let fixture = Fixture::new(1).await;
    let mut import = fixture.import().await;
    let (given, hash, body) = conversation("new", "Why?");
    import.conversation(&given, &hash, &body).await.unwrap();
    assert_eq!(fixture.store.count_conversations(fixture.project).await.unwrap(), 1);
    import.commit().await.unwrap();
    assert_eq!(fixture.store.count_conversations(fixture.project).await.unwrap(), 2);
}

#[tokio::test]
async fn projects_do_not_see_each_other() {
    let fixture = Fixture::new(1).await;
    fixture.imported_label("ada", "c1", 4.0).await;
    let other = fixture.store.create_project("other", NOW).await.unwrap().id;
    let rubric = fixture.store.publish_rubric(other, &rubric(1), NOW).await.unwrap().id();
    let mut import = fixture.store.begin_import(other, after(1)).await.unwrap();
    assert_eq!(import.knows_conversation("c1"), None);
    let (given, hash, body) = conversation("c1", "Another text under the same id?");
    assert_eq!(import.conversation(&given, &hash, &body).await.unwrap(), Admission::New);
    assert_eq!(import.label(&label_row("ada", "c1", 1.0), rubric).await.unwrap(), Admission::New);
    import.commit().await.unwrap();
    let value = fixture.store.labels(other, None, Viewer::Operator).await.unwrap()[0].value;
    assert!((value - 1.0).abs() < f64::EPSILON);
    let labels = fixture.store.labels(fixture.project, None, Viewer::Operator).await.unwrap();
    assert_eq!((labels.len(), labels[0].value), (1, 4.0));
}
