use super::*;
use crate::NewLabel;
use crate::fixture::{Fixture, NOW, after};
use domain::{LabelProgress, LabellingRules};
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
    let people = fixture.store.progress_by_person(fixture.project, Viewer::Operator).await.unwrap();
    let counts: Vec<_> = people.iter().map(|p| (p.name.as_str(), p.submitted, p.skipped, p.open)).collect();
    assert_eq!(counts, [("Ada", 4, 1, 1), ("Ben", 1, 0, 0)]);
}

/// Submits what is on the desk until nothing is left; gives what it was, in order.
async fn labelled(fixture: &Fixture, user: UserId) -> Vec<String> {
    let mut order = Vec::new();
    while let Next::Assigned(assignment) = next(fixture, user).await {
        fixture.store.submit_assignment(assignment.id, user, NOW).await.unwrap();
        order.push(assignment.external_id);
    }
    order
}

async fn set_rules(fixture: &Fixture, change: impl FnOnce(&mut LabellingRules)) {
    let mut rules = fixture.store.labelling_rules(fixture.project).await.unwrap();
    change(&mut rules);
    fixture.store.set_labelling_rules(fixture.project, &rules).await.unwrap();
}

#[tokio::test]
async fn each_person_has_an_order_of_their_own_that_the_seed_decides() {
    let order = async |seed, name| {
        let fixture = Fixture::new(60).await;
        set_rules(&fixture, |rules| rules.order_seed = seed).await;
        let user = fixture.user(name).await;
        labelled(&fixture, user).await
    };
    let imported: Vec<String> = (1..=60).map(|number| format!("c{number}")).collect();
    assert_eq!(order(None, "Ada").await, imported);
    let ada = order(Some(1), "Ada").await;
    assert_eq!(order(Some(1), "Ada").await, ada, "the same seed and name, the same order");
    assert_ne!(order(Some(1), "Ben").await, ada);
    assert_ne!(order(Some(2), "Ada").await, ada);
    let mut all = ada.clone();
    all.sort_by_key(|name| name[1..].parse::<u32>().unwrap());
    assert_eq!(all, imported, "each comes once");
    let block = |names: &[String]| names.iter().filter(|name| name[1..].parse::<u32>().unwrap() < 50).count();
    assert_eq!(
        block(&ada[..49]),
        49,
        "block follows block, so that conversations get all their annotators soon"
    );
}

const HOUR: i64 = 60;

#[tokio::test]
async fn a_reservation_expires_and_what_was_begun_is_not_lost() {
    let fixture = Fixture::new(1).await;
    fixture.store.set_overlap(fixture.project, 1).await.unwrap();
    let [ada, ben] = [fixture.user("Ada").await, fixture.user("Ben").await];
    let desk = async |user, minutes| match fixture
        .store
        .next_assignment(fixture.project, user, after(minutes))
        .await
        .unwrap()
    {
        Next::Assigned(assignment) => Some(assignment),
        Next::Nothing { .. } => None,
    };
    let first = desk(ada, 0).await.unwrap();
    fixture.save(&fixture.new_label(ada, first.conversation, 4.0)).await;
    assert_eq!(desk(ben, 23 * HOUR).await, None, "the place is kept");
    let taken = desk(ben, 25 * HOUR).await.unwrap();
    assert_eq!(taken.conversation, first.conversation);
    assert_eq!(fixture.number("select takers from queue").await, 1);
    let sealed = fixture.store.sealed_to(fixture.project, Viewer::Member(ada)).await.unwrap();
    assert_eq!(sealed, [first.conversation], "the seal stays for as long as she can go on");

    let back = desk(ada, 26 * HOUR).await.unwrap();
    assert_eq!(back.id, first.id, "what was begun is gone on with");
    assert_eq!(fixture.store.own_labels(ada, first.conversation, 0).await.unwrap().len(), 1);
    fixture.store.submit_assignment(back.id, ada, after(26 * HOUR)).await.unwrap();
    fixture.store.submit_assignment(taken.id, ben, after(26 * HOUR)).await.unwrap();
    let counted = fixture.store.labels(fixture.project, None, Viewer::Operator).await.unwrap();
    assert_eq!(counted.len(), 1);
}

#[tokio::test]
async fn what_was_never_begun_goes_back_and_may_come_again() {
    let fixture = Fixture::new(1).await;
    fixture.store.set_overlap(fixture.project, 1).await.unwrap();
    let [ada, ben] = [fixture.user("Ada").await, fixture.user("Ben").await];
    let at = async |user, minutes| {
        fixture.store.next_assignment(fixture.project, user, after(minutes)).await.unwrap()
    };
    let Next::Assigned(first) = at(ada, 0).await else { panic!("nothing to label") };
    let Next::Assigned(taken) = at(ben, 25 * HOUR).await else { panic!("the place is not given back") };
    assert_eq!(at(ada, 26 * HOUR).await, Next::Nothing { with_others: 1 });
    let sealed = fixture.store.sealed_to(fixture.project, Viewer::Member(ada)).await.unwrap();
    assert_eq!(sealed, []);
    fixture.store.skip_assignment(taken.id, ben, "in Welsh", after(26 * HOUR)).await.unwrap();
    assert!(matches!(at(ada, 27 * HOUR).await, Next::Assigned(again) if again.id == first.id));
}

#[tokio::test]
async fn an_answer_that_was_on_its_way_brings_what_was_returned_back() {
    let fixture = Fixture::new(1).await;
    fixture.store.set_overlap(fixture.project, 1).await.unwrap();
    let [ada, ben] = [fixture.user("Ada").await, fixture.user("Ben").await];
    let first = fixture.assign(ada).await;
    for (user, hours) in [(ben, 25), (ada, 26)] {
        fixture.store.next_assignment(fixture.project, user, after(hours * HOUR)).await.unwrap();
    }
    assert_eq!(fixture.number("select count(*) from assignment where state = 'returned'").await, 1);
    fixture.save(&fixture.new_label(ada, first.conversation, 4.0)).await;
    assert_eq!(fixture.assign(ada).await.id, first.id);
}

#[tokio::test]
async fn whoever_works_keeps_the_place() {
    let fixture = Fixture::new(1).await;
    fixture.store.set_overlap(fixture.project, 1).await.unwrap();
    let [ada, ben] = [fixture.user("Ada").await, fixture.user("Ben").await];
    let first = fixture.assign(ada).await;
    let label = fixture.new_label(ada, first.conversation, 4.0);
    fixture.store.save_label(&label, after(20 * HOUR)).await.unwrap();
    let ben_at = async |hours: i64| {
        fixture.store.next_assignment(fixture.project, ben, after(hours * HOUR)).await.unwrap()
    };
    assert!(matches!(ben_at(30).await, Next::Nothing { .. }), "something was said in the last 24 hours");
    fixture.store.next_assignment(fixture.project, ada, after(43 * HOUR)).await.unwrap();
    assert!(matches!(ben_at(50).await, Next::Nothing { .. }), "she came back to it");
    assert!(matches!(ben_at(70).await, Next::Assigned(_)));
}

#[tokio::test]
async fn a_member_who_comes_back_finds_the_draft() {
    let fixture = Fixture::new(1).await;
    let ada = fixture.user("Ada").await;
    let role = domain::Role::Annotator;
    fixture.store.set_role(fixture.project, ada, role, NOW).await.unwrap();
    let first = fixture.assign(ada).await;
    fixture.save(&fixture.new_label(ada, first.conversation, 4.0)).await;
    fixture.store.remove_member(fixture.project, ada, NOW).await.unwrap();
    assert_eq!(fixture.number("select takers from queue").await, 0);
    fixture.store.set_role(fixture.project, ada, role, NOW).await.unwrap();
    assert_eq!(fixture.assign(ada).await.id, first.id);
    assert_eq!(fixture.number("select takers from queue").await, 1);
}

#[tokio::test]
async fn repeats_come_later_in_the_queue_and_are_not_told_apart() {
    let fixture = Fixture::new(8).await;
    let ada = fixture.user("Ada").await;
    set_rules(&fixture, |rules| rules.repeat_every = Some(4)).await;
    let (mut order, mut all) = (Vec::new(), HashSet::new());
    loop {
        let progress = fixture.store.label_progress(fixture.project, ada).await.unwrap();
        all.insert(progress.submitted + progress.left);
        let Next::Assigned(assignment) = next(&fixture, ada).await else { break };
        let label = NewLabel {
            pass: assignment.pass,
            client_key: format!("{} {}", assignment.external_id, assignment.pass),
            ..fixture.new_label(ada, assignment.conversation, 4.0)
        };
        fixture.save(&label).await;
        fixture.store.submit_assignment(assignment.id, ada, NOW).await.unwrap();
        order.push((assignment.external_id, assignment.pass));
    }
    assert_eq!(all, HashSet::from([10]), "the count does not change when one comes again");
    let repeats: Vec<usize> = (0..order.len()).filter(|at| order[*at].1 == 1).collect();
    assert_eq!(repeats, [4, 9]);
    for repeat in repeats {
        let first = order.iter().position(|(name, pass)| *name == order[repeat].0 && *pass == 0).unwrap();
        assert!(repeat - first > 2, "{order:?}");
    }
    assert_eq!(fixture.number("select count(*) from queue where takers <> 1").await, 0);
    let labels = fixture.store.labels(fixture.project, None, Viewer::Operator).await.unwrap();
    assert_eq!(labels.iter().filter(|label| label.pass == 1).count(), 2);
}

#[tokio::test]
async fn what_every_desk_asks_is_found_by_indexes() {
    let fixture = Fixture::new(3).await;
    for sql in [
        ON_THE_DESK,
        RESERVED,
        OF_CONVERSATION,
        queue::NEXT,
        queue::AVAILABLE,
        queue::WITH_OTHERS,
        queue::SINCE_REPEAT,
        queue::REPEATABLE,
        reservation::EXPIRE,
        reservation::RETURN,
        reservation::KEEP,
        progress::DONE,
        progress::BY_PERSON,
        crate::figures::COUNTS,
        crate::figures::REFERENCES,
        crate::batch::BATCHES,
        crate::batch::MEMBERS,
    ] {
        // What a subquery has gathered is read whole; a table never is.
        let gathered = ["SCAN said", "SCAN labelled", "SCAN judged", "SCAN d", "SCAN b", "SCAN CONSTANT ROW"];
        for step in fixture.plan(sql).await {
            let is_scan =
                step.starts_with("SCAN") && !gathered.iter().any(|allowed| step.starts_with(allowed));
            assert!(!is_scan, "{step} in {sql}");
        }
    }
    let next = fixture.plan(queue::NEXT).await.join("\n");
    assert!(next.contains("INDEX queue_by_place (project_id=? AND batch_id=?)"), "{next}");
    assert!(!next.contains("TEMP B-TREE"), "{next}");
}
