use super::*;
use crate::{
    Next,
    fixture::{Fixture, NOW},
};

/// A batch of these conversations for these people.
async fn batch(fixture: &Fixture, name: &str, conversations: &[&str], people: &[UserId], overlap: u32) {
    let mut ids = Vec::new();
    for conversation in conversations {
        ids.push(fixture.id(conversation).await);
    }
    let (project, conversations) = (fixture.project, ids.as_slice());
    let new = NewBatch { project, name, overlap, seed: 1, anchor_set: None, conversations, people };
    fixture.store.create_batch(&new, NOW).await.unwrap();
}

/// Submits all that a person is given; gives what it was, by name.
async fn labelled(fixture: &Fixture, user: UserId) -> Vec<String> {
    let mut names = Vec::new();
    while let Next::Assigned(assignment) =
        fixture.store.next_assignment(fixture.project, user, NOW).await.unwrap()
    {
        fixture.store.submit_assignment(assignment.id, user, NOW).await.unwrap();
        names.push(assignment.external_id);
    }
    names.sort_unstable();
    names
}

#[tokio::test]
async fn a_batch_is_given_to_its_people_and_to_nobody_else() {
    let fixture = Fixture::new(4).await;
    let [ada, ben, chloe] =
        [fixture.user("Ada").await, fixture.user("Ben").await, fixture.user("Chloe").await];
    batch(&fixture, "first", &["c2", "c4"], &[ada, ben], 2).await;
    assert_eq!(labelled(&fixture, ada).await, ["c2", "c4"]);
    assert_eq!(labelled(&fixture, chloe).await, [""; 0]);
    let progress = fixture.store.label_progress(fixture.project, ben).await.unwrap();
    assert_eq!((progress.left, progress.with_others), (2, 0));
    assert_eq!(labelled(&fixture, ben).await, ["c2", "c4"]);
    let batches = fixture.store.batches(fixture.project).await.unwrap();
    let member = |name: &str, account: &str| BatchMember {
        name: name.to_owned(),
        account: account.to_owned(),
        submitted: 2,
        left: false,
    };
    let expected = BatchProgress {
        name: "first".to_owned(),
        anchor_set: None,
        conversations: 2,
        overlap: 2,
        complete: 2,
        closed: false,
        people: vec![member("Ada", "ada"), member("Ben", "ben")],
    };
    assert_eq!(batches, [expected]);
}

#[tokio::test]
async fn people_who_come_and_go_half_way_lose_no_work() {
    let fixture = Fixture::new(3).await;
    let [ada, ben, chloe] =
        [fixture.user("Ada").await, fixture.user("Ben").await, fixture.user("Chloe").await];
    batch(&fixture, "round", &["c1", "c2", "c3"], &[ada, ben], 2).await;
    let begun = fixture.assign(ben).await;
    let (store, project) = (&fixture.store, fixture.project);
    store.submit_assignment(begun.id, ben, NOW).await.unwrap();
    let second = fixture.assign(ben).await;
    store.leave_batch(project, "round", ben, NOW).await.unwrap();
    store.submit_assignment(second.id, ben, NOW).await.unwrap();
    assert!(matches!(store.next_assignment(project, ben, NOW).await.unwrap(), Next::Nothing { .. }));
    store.join_batch(project, "round", chloe).await.unwrap();
    assert_eq!(labelled(&fixture, ada).await.len(), 3);
    let rest = labelled(&fixture, chloe).await;
    assert_eq!(rest.len(), 1, "what Ben submitted counts: {rest:?}");
    assert_eq!(store.batches(project).await.unwrap()[0].complete, 3);
    store.join_batch(project, "round", ben).await.unwrap();
    assert!(matches!(store.leave_batch(project, "none", ben, NOW).await, Err(StoreError::NotFound { .. })));
}

#[tokio::test]
async fn what_was_labelled_before_counts_and_a_closed_batch_gives_nothing() {
    let fixture = Fixture::new(2).await;
    let [ada, ben] = [fixture.user("Ada").await, fixture.user("Ben").await];
    let first = fixture.assign(ada).await;
    fixture.store.submit_assignment(first.id, ada, NOW).await.unwrap();
    batch(&fixture, "round", &["c1", "c2"], &[ada, ben], 1).await;
    assert_eq!(labelled(&fixture, ben).await, ["c2"], "c1 has its annotator");
    batch(&fixture, "again", &["c1"], &[ben], 1).await;
    fixture.store.close_batch(fixture.project, "again", NOW).await.unwrap();
    assert_eq!(labelled(&fixture, ben).await, [""; 0]);
    let (project, people) = (fixture.project, [ben]);
    let taken = NewBatch {
        project,
        name: "again",
        overlap: 1,
        seed: 1,
        anchor_set: None,
        conversations: &[],
        people: &people,
    };
    assert!(matches!(fixture.store.create_batch(&taken, NOW).await, Err(StoreError::Conflict { .. })));
}
