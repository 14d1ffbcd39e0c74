use super::*;
use crate::fixture::{Fixture, NOW, after};

async fn save(fixture: &Fixture, label: &NewLabel) -> Saved {
    fixture.store.save_label(label, NOW).await.unwrap()
}

#[tokio::test]
async fn a_label_is_stored_and_read_back_by_its_author() {
    let fixture = Fixture::new(1).await;
    let ada = fixture.user("Ada").await;
    let conversation = fixture.assign(ada).await.conversation;
    let label = NewLabel {
        unit: Unit::Passage("p1".to_owned()),
        comment: Some("off topic".to_owned()),
        flag: true,
        ..fixture.new_label(ada, conversation, 2.0)
    };
    let id = fixture.save(&label).await;
    let own = OwnLabel {
        id,
        unit: Unit::Passage("p1".to_owned()),
        criterion: "helpfulness".to_owned(),
        pass: 0,
        value: Some(2.0),
        comment: Some("off topic".to_owned()),
        flag: true,
        corrected: false,
    };
    assert_eq!(fixture.store.own_labels(ada, conversation, 0).await.unwrap(), [own]);
    let ben = fixture.user("Ben").await;
    assert_eq!(fixture.store.own_labels(ben, conversation, 0).await.unwrap(), []);
}

#[tokio::test]
async fn a_save_that_is_sent_twice_is_stored_once() {
    let fixture = Fixture::new(1).await;
    let ada = fixture.user("Ada").await;
    let assignment = fixture.assign(ada).await;
    let label = fixture.new_label(ada, assignment.conversation, 4.0);
    let id = fixture.save(&label).await;
    assert_eq!(save(&fixture, &label).await, Saved::Stored { id, replayed: true });
    fixture.store.submit_assignment(assignment.id, ada, NOW).await.unwrap();
    assert_eq!(save(&fixture, &label).await, Saved::Stored { id, replayed: true });
    assert_eq!(fixture.number("select count(*) from label").await, 1);
}

#[tokio::test]
async fn one_client_key_never_stands_for_two_answers() {
    let fixture = Fixture::new(1).await;
    let ada = fixture.user("Ada").await;
    let conversation = fixture.assign(ada).await.conversation;
    let label = fixture.new_label(ada, conversation, 4.0);
    let id = fixture.save(&label).await;
    let other = NewLabel { value: Some(1.0), supersedes: Some(id), ..label };
    assert!(matches!(save(&fixture, &other).await, Saved::Conflict { current: Some(_) }));
}

#[tokio::test]
async fn a_label_replaces_the_last_one_and_no_other() {
    let fixture = Fixture::new(1).await;
    let ada = fixture.user("Ada").await;
    let conversation = fixture.assign(ada).await.conversation;
    let first = fixture.save(&fixture.new_label(ada, conversation, 4.0)).await;
    let blind = fixture.new_label(ada, conversation, 3.0);
    let Saved::Conflict { current: Some(current) } = save(&fixture, &blind).await else {
        panic!("a second first label was taken");
    };
    assert_eq!((current.id, current.value), (first, Some(4.0)));

    let second = fixture.save(&NewLabel { supersedes: Some(first), ..blind }).await;
    let stale = NewLabel { supersedes: Some(first), ..fixture.new_label(ada, conversation, 1.0) };
    assert!(
        matches!(save(&fixture, &stale).await, Saved::Conflict { current: Some(current) } if current.id == second)
    );
    let withdrawn = NewLabel {
        value: None,
        supersedes: Some(second),
        client_key: "undo".to_owned(),
        ..fixture.new_label(ada, conversation, 1.0)
    };
    let withdrawn = fixture.save(&withdrawn).await;
    let own = fixture.store.own_labels(ada, conversation, 0).await.unwrap();
    assert_eq!((own.len(), own[0].id, own[0].value), (1, withdrawn, None));
    let again = NewLabel { supersedes: Some(withdrawn), ..fixture.new_label(ada, conversation, 5.0) };
    fixture.save(&again).await;
    assert_eq!(fixture.number("select count(*) from label").await, 4);
}

#[tokio::test]
async fn what_a_label_replaces_must_be_there() {
    let fixture = Fixture::new(1).await;
    let ada = fixture.user("Ada").await;
    let conversation = fixture.assign(ada).await.conversation;
    let label = NewLabel { supersedes: Some(LabelId::new(NOW)), ..fixture.new_label(ada, conversation, 4.0) };
    assert_eq!(save(&fixture, &label).await, Saved::Conflict { current: None });
}

#[tokio::test]
async fn nobody_labels_what_is_not_on_the_desk() {
    let fixture = Fixture::new(2).await;
    let [ada, ben] = [fixture.user("Ada").await, fixture.user("Ben").await];
    let assignment = fixture.assign(ada).await;
    let foreign = fixture.new_label(ben, assignment.conversation, 4.0);
    assert_eq!(save(&fixture, &foreign).await, Saved::NotAssigned);
    let other = fixture.store.create_project("other", NOW).await.unwrap().id;
    let elsewhere = NewLabel { project: other, ..fixture.new_label(ada, assignment.conversation, 4.0) };
    assert_eq!(save(&fixture, &elsewhere).await, Saved::NotAssigned);
    fixture.store.submit_assignment(assignment.id, ada, NOW).await.unwrap();
    let late = fixture.new_label(ada, assignment.conversation, 4.0);
    assert_eq!(save(&fixture, &late).await, Saved::NotAssigned);
    assert_eq!(fixture.number("select count(*) from annotator").await, 0);
}

#[tokio::test]
async fn a_label_is_a_number_under_a_rubric_of_the_project() {
    let fixture = Fixture::new(1).await;
    let ada = fixture.user("Ada").await;
    let conversation = fixture.assign(ada).await.conversation;
    for value in [f64::NAN, f64::INFINITY] {
        let label = fixture.new_label(ada, conversation, value);
        assert!(matches!(fixture.store.save_label(&label, NOW).await, Err(StoreError::Invalid(_))));
    }
    let other = fixture.store.create_project("other", NOW).await.unwrap().id;
    let foreign = fixture.store.publish_rubric(other, &crate::fixture::rubric(1), NOW).await.unwrap().id();
    let label = NewLabel { rubric_version: foreign, ..fixture.new_label(ada, conversation, 4.0) };
    assert!(matches!(fixture.store.save_label(&label, NOW).await, Err(StoreError::NotFound { .. })));
}

#[tokio::test]
async fn a_user_counts_once_the_conversation_is_submitted_and_an_import_always() {
    let fixture = Fixture::new(1).await;
    let ada = fixture.user("Ada").await;
    fixture.imported_label("ben", "c1", 3.0).await;
    let assignment = fixture.assign(ada).await;
    let first = fixture.save(&fixture.new_label(ada, assignment.conversation, 4.0)).await;
    let second = NewLabel { supersedes: Some(first), ..fixture.new_label(ada, assignment.conversation, 5.0) };
    fixture.save(&second).await;
    let values = async || {
        let labels = fixture.store.labels(fixture.project, None, Viewer::Operator).await.unwrap();
        let mut said: Vec<_> = labels.iter().map(|l| (l.annotator.to_string(), l.value)).collect();
        said.sort_by(|a, b| a.0.cmp(&b.0));
        said
    };
    assert_eq!(values().await, [("ben".to_owned(), 3.0)]);
    fixture.store.submit_assignment(assignment.id, ada, after(1)).await.unwrap();
    assert_eq!(values().await, [("ada".to_owned(), 5.0), ("ben".to_owned(), 3.0)]);
    let of = async |criterion| {
        fixture.store.labels(fixture.project, Some(criterion), Viewer::Operator).await.unwrap().len()
    };
    assert_eq!((of("helpfulness").await, of("faithfulness").await), (2, 0));
}

#[tokio::test]
async fn what_was_skipped_or_withdrawn_does_not_count() {
    let fixture = Fixture::new(2).await;
    let ada = fixture.user("Ada").await;
    let first = fixture.assign(ada).await;
    fixture.save(&fixture.new_label(ada, first.conversation, 4.0)).await;
    fixture.store.skip_assignment(first.id, ada, "unreadable", NOW).await.unwrap();
    let second = fixture.assign(ada).await;
    let given = fixture.save(&fixture.new_label(ada, second.conversation, 4.0)).await;
    let withdrawn = NewLabel {
        value: None,
        supersedes: Some(given),
        client_key: "undo".to_owned(),
        ..fixture.new_label(ada, second.conversation, 4.0)
    };
    fixture.save(&withdrawn).await;
    fixture.store.submit_assignment(second.id, ada, NOW).await.unwrap();
    assert_eq!(fixture.store.labels(fixture.project, None, Viewer::Operator).await.unwrap(), []);
}

#[tokio::test]
async fn a_user_whose_name_an_import_has_stands_under_a_number() {
    let fixture = Fixture::new(1).await;
    for (name, value) in [("ada", 1.0), ("ada (2)", 2.0)] {
        fixture.imported_label(name, "c1", value).await;
    }
    let ada = fixture.user("Ada").await;
    let assignment = fixture.assign(ada).await;
    fixture.save(&fixture.new_label(ada, assignment.conversation, 4.0)).await;
    fixture.store.submit_assignment(assignment.id, ada, NOW).await.unwrap();
    let labels = fixture.store.labels(fixture.project, None, Viewer::Operator).await.unwrap();
    assert!(
        labels.iter().any(|label| &*label.annotator == "ada (3)" && (label.value - 4.0).abs() < f64::EPSILON)
    );
    assert_eq!(labels.len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_answers_at_once_one_is_a_conflict() {
    let fixture = Fixture::new(1).await;
    let ada = fixture.user("Ada").await;
    let conversation = fixture.assign(ada).await.conversation;
    let spawn = |value| {
        let (store, label) = (fixture.store.clone(), fixture.new_label(ada, conversation, value));
        tokio::spawn(async move { store.save_label(&label, NOW).await.unwrap() })
    };
    let (one, other) = tokio::join!(spawn(1.0), spawn(2.0));
    let saved = [one.unwrap(), other.unwrap()];
    let count = |wanted: fn(&Saved) -> bool| saved.iter().filter(|saved| wanted(saved)).count();
    assert_eq!(count(|saved| matches!(saved, Saved::Stored { .. })), 1);
    assert_eq!(count(|saved| matches!(saved, Saved::Conflict { .. })), 1);
}

#[tokio::test]
async fn labels_are_read_by_their_indexes() {
    let fixture = Fixture::new(1).await;
    for sql in [LABELS, LABELS_OF_CRITERION] {
        let plan = fixture.plan(sql).await.join("\n");
        for index in [
            "SEARCH l USING INDEX label_by_project (project_id=?",
            "SEARCH later USING INDEX label_is_superseded_once (supersedes=?)",
            "SEARCH done USING INDEX sqlite_autoindex_assignment_2 (conversation_id=? AND user_id=? AND pass=?)",
            "SEARCH sealed USING COVERING INDEX assignment_open_by_user (user_id=?",
        ] {
            assert!(plan.contains(index), "{index} is not in\n{plan}");
        }
        assert!(!plan.contains("SCAN"), "{plan}");
    }
    assert!(fixture.plan(LABELS_OF_CRITERION).await.join("\n").contains("criterion=?"));
}

#[tokio::test]
async fn a_persons_own_labels_are_read_by_their_index() {
    let fixture = Fixture::new(1).await;
    let plan = fixture.plan(OWN_LABELS).await.join("\n");
    for index in [
        "annotator_of_user (project_id=? AND user_id=?)",
        "label_by_conversation (conversation_id=? AND annotator_id=?)",
    ] {
        assert!(plan.contains(index) && !plan.contains("SCAN"), "{plan}");
    }
}

#[tokio::test]
async fn a_correction_after_the_seal_opened_is_kept_and_no_part_of_agreement() {
    let fixture = Fixture::new(1).await;
    let ada = fixture.user("Ada").await;
    let assignment = fixture.assign(ada).await;
    let conversation = assignment.conversation;
    let first = fixture.save(&fixture.new_label(ada, conversation, 4.0)).await;
    let correction = |value: f64, supersedes| NewLabel {
        correction: true,
        supersedes: Some(supersedes),
        client_key: format!("correction {value}"),
        ..fixture.new_label(ada, conversation, value)
    };
    assert_eq!(save(&fixture, &correction(2.0, first)).await, Saved::NotAssigned, "the desk is still open");
    fixture.store.submit_assignment(assignment.id, ada, NOW).await.unwrap();
    let late = NewLabel { supersedes: Some(first), ..fixture.new_label(ada, conversation, 1.0) };
    assert_eq!(
        save(&fixture, &late).await,
        Saved::NotAssigned,
        "what comes late by accident is no correction"
    );

    let second = fixture.save(&correction(2.0, first)).await;
    fixture.save(&correction(3.0, second)).await;
    let own = fixture.store.own_labels(ada, conversation, 0).await.unwrap();
    assert_eq!(own.iter().map(|own| (own.value, own.corrected)).collect::<Vec<_>>(), [(Some(3.0), true)]);
    let counted = fixture.store.labels(fixture.project, None, Viewer::Operator).await.unwrap();
    assert_eq!(counted.iter().map(|label| label.value).collect::<Vec<_>>(), [4.0]);
    assert_eq!(fixture.number("select count(*) from label").await, 3);
}
