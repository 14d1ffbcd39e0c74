use super::*;
use crate::fixture::{Fixture, NOW};
use futures_util::future::join_all;

/// One first label for each of `people`, each on the conversation that stands on that person's desk.
async fn first_labels(fixture: &Fixture, people: u32) -> Vec<NewLabel> {
    let mut labels = Vec::new();
    for person in 0..people {
        let user = fixture.user(&format!("person {person}")).await;
        let conversation = fixture.assign(user).await.conversation;
        let client_key = format!("key {person}");
        labels.push(NewLabel { client_key, ..fixture.new_label(user, conversation, 4.0) });
    }
    labels
}

/// Sends all while the writer is taken, so that they wait together.
async fn save_together(fixture: &Fixture, labels: &[NewLabel]) -> Vec<Result<Saved, StoreError>> {
    let writer = fixture.store.write().await.unwrap();
    let all = join_all(labels.iter().map(|label| fixture.store.save_label(label, NOW)));
    let release = async {
        while fixture.store.saves.waiting.lock().await.len() + 1 < labels.len() {
            tokio::task::yield_now().await;
        }
        drop(writer);
    };
    tokio::join!(all, release).0
}

async fn stored(fixture: &Fixture) -> i64 {
    fixture.number("select count(*) from label").await
}

#[tokio::test]
async fn saves_that_wait_together_are_each_stored_once() {
    let fixture = Fixture::new(1).await;
    fixture.execute("update project set overlap = 40").await.unwrap();
    let mut labels = first_labels(&fixture, 40).await;
    labels.extend(labels.clone());
    let outcomes = save_together(&fixture, &labels).await;
    let replays = outcomes.iter().filter(|one| matches!(one, Ok(Saved::Stored { replayed: true, .. })));
    assert_eq!(replays.count(), 40);
    assert!(outcomes.iter().all(|one| matches!(one, Ok(Saved::Stored { .. }))));
    assert_eq!(stored(&fixture).await, 40);
}

#[tokio::test]
async fn of_many_answers_to_one_question_one_is_stored_and_the_others_are_conflicts() {
    let fixture = Fixture::new(1).await;
    let label = first_labels(&fixture, 1).await.remove(0);
    let labels: Vec<NewLabel> =
        (0..10).map(|number| NewLabel { client_key: format!("answer {number}"), ..label.clone() }).collect();
    let outcomes = save_together(&fixture, &labels).await;
    let conflicts = outcomes.iter().filter(|one| matches!(one, Ok(Saved::Conflict { current: Some(_) })));
    assert_eq!(conflicts.count(), 9);
    assert_eq!(stored(&fixture).await, 1);
}

#[tokio::test]
async fn a_save_that_fails_leaves_its_neighbours_alone() {
    let fixture = Fixture::new(1).await;
    fixture.execute("update project set overlap = 5").await.unwrap();
    let mut labels = first_labels(&fixture, 5).await;
    labels[2].value = Some(1.0);
    let refuse = "create trigger refuse before insert on label when new.value = 1 \
                  begin select raise(abort, 'refused'); end";
    fixture.execute(refuse).await.unwrap();
    let outcomes = save_together(&fixture, &labels).await;
    let failed: Vec<usize> = (0..5).filter(|&at| outcomes[at].is_err()).collect();
    assert_eq!(failed, [2]);
    assert_eq!(stored(&fixture).await, 4);
    // What the failed save had written before it failed is undone too.
    assert_eq!(fixture.number("select count(*) from annotator").await, 4);
}

#[tokio::test]
async fn nothing_is_acknowledged_when_the_transaction_is_lost_and_sending_again_stores_each_once() {
    let fixture = Fixture::new(1).await;
    fixture.execute("update project set overlap = 5").await.unwrap();
    let mut labels = first_labels(&fixture, 5).await;
    labels[4].value = Some(1.0);
    let lose = "create trigger lose before insert on label when new.value = 1 \
                begin select raise(rollback, 'lost'); end";
    fixture.execute(lose).await.unwrap();
    let outcomes = save_together(&fixture, &labels).await;
    let acknowledged = outcomes.iter().filter(|one| one.is_ok()).count();
    assert_eq!(i64::try_from(acknowledged).unwrap(), stored(&fixture).await);
    assert!(acknowledged < 4);
    fixture.execute("drop trigger lose").await.unwrap();
    assert!(save_together(&fixture, &labels).await.iter().all(|one| matches!(one, Ok(Saved::Stored { .. }))));
    assert_eq!(stored(&fixture).await, 5);
}
