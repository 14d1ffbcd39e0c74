use crate::{
    NewLabel, NewReferenceSet,
    fixture::{Fixture, NOW, after, conversation, rubric, verdict_row},
};
use domain::{ContentHash, Outcome, ReferenceRule};

#[tokio::test]
async fn a_report_is_kept_under_its_key() {
    let fixture = Fixture::new(0).await;
    assert_eq!(fixture.store.report("k").await.unwrap(), None);
    fixture.store.put_report("k", "{}", NOW).await.unwrap();
    fixture.store.put_report("k", "[1]", after(1)).await.unwrap();
    assert_eq!(fixture.store.report("k").await.unwrap().as_deref(), Some("[1]"));
}

/// The answer to the question of the tests, which stands at the present revision afterwards; whether it stood before.
async fn still_stands(fixture: &Fixture) -> bool {
    let (store, project) = (&fixture.store, fixture.project);
    let revision = store.revision(project).await.unwrap();
    let stood = store.answer(project, "q", revision).await.unwrap().is_some();
    store.put_answer(project, "q", revision, "k").await.unwrap();
    assert_eq!(store.answer(project, "q", revision).await.unwrap().as_deref(), Some("{}"));
    stood
}

#[tokio::test]
async fn an_answer_stands_until_something_is_written_that_a_report_could_see() {
    let fixture = Fixture::new(2).await;
    let (store, project) = (&fixture.store, fixture.project);
    store.put_report("k", "{}", NOW).await.unwrap();
    assert!(!still_stands(&fixture).await, "nothing was answered yet");
    let user = fixture.user("Chloe").await;
    assert!(still_stands(&fixture).await, "accounts are in no report");

    let assignment = fixture.assign(user).await;
    assert!(!still_stands(&fixture).await, "what is sealed to whom has changed");
    fixture.save(&fixture.new_label(user, assignment.conversation, 5.0)).await;
    assert!(!still_stands(&fixture).await, "the name of the annotator is new");
    let other = NewLabel {
        criterion: "faithfulness".to_owned(),
        client_key: "other".to_owned(),
        ..fixture.new_label(user, assignment.conversation, 4.0)
    };
    fixture.save(&other).await;
    assert!(still_stands(&fixture).await, "an open desk is in no report");
    store.submit_assignment(assignment.id, user, NOW).await.unwrap();
    assert!(!still_stands(&fixture).await, "the seal has opened");

    fixture.imported_label("ada", "c1", 3.0).await;
    assert!(!still_stands(&fixture).await, "a label");
    fixture.imported_verdicts(&[verdict_row("a", "c1", Outcome::Value(4.0))]).await;
    assert!(!still_stands(&fixture).await, "a verdict");
    store.publish_rubric(project, &rubric(2), NOW).await.unwrap();
    assert!(!still_stands(&fixture).await, "a rubric");
    let set = NewReferenceSet {
        rule: ReferenceRule::Median,
        annotators: &[],
        data_hash: &ContentHash("h".to_owned()),
        references: &[],
        rubric_version: fixture.rubric,
        built_at: NOW,
    };
    store.save_references(project, &set, NOW).await.unwrap();
    assert!(!still_stands(&fixture).await, "references");
    let mut import = fixture.import().await;
    let (conversation, hash, body) = conversation("c3", "And now?");
    import.conversation(&conversation, &hash, &body).await.unwrap();
    import.commit().await.unwrap();
    assert!(!still_stands(&fixture).await, "a conversation");
    let other = store.create_project("other", NOW).await.unwrap().id;
    store.publish_rubric(other, &rubric(1), NOW).await.unwrap();
    assert!(still_stands(&fixture).await, "another project is another matter");
}

#[tokio::test]
async fn an_answer_that_came_late_is_not_given() {
    let fixture = Fixture::new(1).await;
    let (store, project) = (&fixture.store, fixture.project);
    store.put_report("old", "1", NOW).await.unwrap();
    store.put_report("new", "2", NOW).await.unwrap();
    let before = store.revision(project).await.unwrap();
    fixture.imported_label("ada", "c1", 3.0).await;
    let now = store.revision(project).await.unwrap();
    store.put_answer(project, "q", now, "new").await.unwrap();
    store.put_answer(project, "q", before, "old").await.unwrap();
    assert_eq!(store.answer(project, "q", now).await.unwrap().as_deref(), Some("2"));
    assert_eq!(store.answer(project, "q", before).await.unwrap(), None);
    let other = store.create_project("other", NOW).await.unwrap().id;
    assert_eq!(store.answer(other, "q", now).await.unwrap(), None);
}
