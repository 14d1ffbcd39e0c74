use super::*;
use crate::fixture::{Fixture, NOW, after};
use std::collections::HashSet;

async fn next(fixture: &Fixture, user: UserId) -> Next {
    fixture.store.next_assignment(fixture.project, user, NOW).await.unwrap()
}

#[tokio::test]
async fn a_person_has_one_conversation_on_the_desk() {
    let fixture = Fixture::new(3).await;
    let ada = fixture.user("Ada").await;
    let of_first = async || fixture.store.assignment_of(fixture.project, ada, "c1").await.unwrap();
    assert_eq!(of_first().await, None);
    let first = fixture.assign(ada).await;
    assert_eq!((first.external_id.as_str(), first.assigned_at), ("c1", NOW));
    assert_eq!(fixture.assign(ada).await, first);
    assert_eq!(of_first().await, Some(first));
}

#[tokio::test]
async fn the_conversation_after_this_one_lies_on_the_desk_too_and_never_a_third() {
    let fixture = Fixture::new(4).await;
    let ada = fixture.user("Ada").await;
    let ahead = async |of: &str| {
        let found = fixture.store.assignment_ahead(fixture.project, ada, of, after(1)).await.unwrap();
        found.map(|assignment| assignment.external_id)
    };
    let first = fixture.assign(ada).await;
    for _ in 0..2 {
        assert_eq!(ahead("c1").await.as_deref(), Some("c2"));
        assert_eq!(ahead("c2").await.as_deref(), Some("c1"));
        assert_eq!(ahead("none").await.as_deref(), Some("c1"));
    }
    assert_eq!(fixture.number("select count(*) from assignment where state = 'open'").await, 2);
    assert_eq!(fixture.assign(ada).await, first, "what came first is first");
    fixture.store.submit_assignment(first.id, ada, after(2)).await.unwrap();
    assert_eq!(fixture.assign(ada).await.external_id, "c2");
    assert_eq!(ahead("c2").await.as_deref(), Some("c3"));
}

#[tokio::test]
async fn an_assignment_is_found_whatever_became_of_it_and_only_ones_own() {
    let fixture = Fixture::new(2).await;
    let [ada, ben] = [fixture.user("Ada").await, fixture.user("Ben").await];
    let first = fixture.assign(ada).await;
    fixture.store.submit_assignment(first.id, ada, NOW).await.unwrap();
    let of = async |user| fixture.store.assignment_of(fixture.project, user, "c1").await.unwrap();
    assert_eq!(of(ada).await, Some(first));
    assert_eq!(of(ben).await, None);
}

#[tokio::test]
async fn pairs_complete_before_new_conversations_begin() {
    let fixture = Fixture::new(3).await;
    let [ada, ben] = [fixture.user("Ada").await, fixture.user("Ben").await];
    for _ in 0..2 {
        let assignment = fixture.assign(ada).await;
        fixture.store.submit_assignment(assignment.id, ada, NOW).await.unwrap();
    }
    let mut order = Vec::new();
    while let Next::Assigned(assignment) = next(&fixture, ben).await {
        fixture.store.submit_assignment(assignment.id, ben, NOW).await.unwrap();
        order.push(assignment.external_id);
    }
    assert_eq!(order, ["c1", "c2", "c3"]);
    assert_eq!(fixture.assign(ada).await.external_id, "c3");
}

#[tokio::test]
async fn a_skipped_conversation_goes_to_others_only() {
    let fixture = Fixture::new(1).await;
    fixture.store.set_overlap(fixture.project, 1).await.unwrap();
    let [ada, ben] = [fixture.user("Ada").await, fixture.user("Ben").await];
    let assignment = fixture.assign(ada).await;
    assert_eq!(next(&fixture, ben).await, Next::Nothing { with_others: 1 });
    fixture.store.skip_assignment(assignment.id, ada, "in Welsh", NOW).await.unwrap();
    assert_eq!(next(&fixture, ada).await, Next::Nothing { with_others: 0 });
    assert_eq!(fixture.assign(ben).await.external_id, "c1");
    assert_eq!(fixture.number("select takers from queue").await, 1);
    let reason = "select count(*) from assignment where skip_reason = 'in Welsh' and closed_at is not null";
    assert_eq!(fixture.number(reason).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_conversation_gets_more_annotators_than_the_project_wants() {
    let fixture = Fixture::new(7).await;
    fixture.store.set_overlap(fixture.project, 3).await.unwrap();
    let mut people = Vec::new();
    for number in 0..10 {
        let (store, project, user) =
            (fixture.store.clone(), fixture.project, fixture.user(&format!("p{number}")).await);
        people.push(tokio::spawn(async move {
            let mut had = HashSet::new();
            while let Next::Assigned(assignment) = store.next_assignment(project, user, NOW).await.unwrap() {
                assert!(had.insert(assignment.conversation));
                store.submit_assignment(assignment.id, user, NOW).await.unwrap();
            }
            had.len()
        }));
    }
    let mut all = 0;
    for person in people {
        all += person.await.unwrap();
    }
    assert_eq!(all, 7 * 3);
    let over =
        "select count(*) from (select 1 from assignment group by conversation_id having count(*) <> 3)";
    assert_eq!(fixture.number(over).await, 0);
    assert_eq!(fixture.number("select count(*) from queue where takers <> 3").await, 0);
}

#[tokio::test]
async fn what_is_closed_stays_closed() {
    let fixture = Fixture::new(2).await;
    let [ada, ben] = [fixture.user("Ada").await, fixture.user("Ben").await];
    let first = fixture.assign(ada).await;
    let foreign = fixture.store.submit_assignment(first.id, ben, NOW).await;
    assert!(matches!(foreign, Err(StoreError::NotFound { .. })));
    fixture.store.submit_assignment(first.id, ada, NOW).await.unwrap();
    fixture.store.submit_assignment(first.id, ada, after(9)).await.unwrap();
    let skipped = fixture.store.skip_assignment(first.id, ada, "too late", NOW).await;
    assert!(matches!(skipped, Err(StoreError::Conflict { .. })));
    let second = fixture.assign(ada).await;
    fixture.store.skip_assignment(second.id, ada, "unreadable", NOW).await.unwrap();
    let submitted = fixture.store.submit_assignment(second.id, ada, NOW).await;
    assert!(matches!(submitted, Err(StoreError::Conflict { .. })));
}

#[tokio::test]
async fn progress_counts_what_was_done_and_what_is_left() {
    let fixture = Fixture::new(10).await;
    let [ada, ben] = [fixture.user("Ada").await, fixture.user("Ben").await];
    let other = fixture.assign(ben).await;
    let progress = async |user| fixture.store.label_progress(fixture.project, user).await.unwrap();
    let start = LabelProgress { left: 10, with_others: 1, ..LabelProgress::default() };
    assert_eq!(progress(ada).await, start);
    for seconds in [40, 60, 5_000] {
        let assignment = fixture.assign(ada).await;
        let closed = NOW + time::Duration::seconds(seconds);
        fixture.store.submit_assignment(assignment.id, ada, closed).await.unwrap();
        assert_eq!(progress(ada).await.median_seconds, None);
    }
    let assignment = fixture.assign(ada).await;
    let closed = NOW + time::Duration::seconds(50);
    fixture.store.submit_assignment(assignment.id, ada, closed).await.unwrap();
    let assignment = fixture.assign(ada).await;
    fixture.store.skip_assignment(assignment.id, ada, "unreadable", NOW).await.unwrap();
    fixture.assign(ada).await;
    fixture.store.submit_assignment(other.id, ben, NOW).await.unwrap();
    let expected =
        LabelProgress { submitted: 4, skipped: 1, left: 5, with_others: 0, median_seconds: Some(50) };
    assert_eq!(progress(ada).await, expected);
    let people = fixture.store.progress_by_person(fixture.project).await.unwrap();
    let counts: Vec<_> = people.iter().map(|p| (p.name.as_str(), p.submitted, p.skipped, p.open)).collect();
    assert_eq!(counts, [("Ada", 4, 1, 1), ("Ben", 1, 0, 0)]);
}

#[tokio::test]
async fn the_queue_is_walked_in_its_order() {
    let fixture = Fixture::new(3).await;
    let plan = fixture.plan(NEXT).await.join("\n");
    assert!(plan.contains("COVERING INDEX queue_by_takers (project_id=?"), "{plan}");
    assert!(!plan.contains("TEMP B-TREE"), "{plan}");
    let with_others = fixture.plan(WITH_OTHERS).await.join("\n");
    assert!(with_others.contains("assignment_by_state (project_id=? AND state=?)"), "{with_others}");
    for plan in [plan, fixture.plan(PROGRESS).await.join("\n"), with_others] {
        assert!(!plan.contains("SCAN q") && !plan.contains("SCAN own") && !plan.contains("SCAN a"), "{plan}");
    }
}
