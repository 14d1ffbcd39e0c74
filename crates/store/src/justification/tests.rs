use super::*;
use crate::{
    NewLabel, Saved,
    fixture::{Fixture, NOW, refusal, verdict_row},
};
use domain::{Outcome, VerdictRow};

/// Two conversations, of which two judges said something, one of them without a reason of the second.
async fn judged() -> Fixture {
    let fixture = Fixture::new(2).await;
    let of = |judge: &str, conversation: &str| verdict_row(judge, conversation, Outcome::Value(4.0));
    fixture
        .imported_verdicts(&[
            of("plain", "c1"),
            of("plain", "c2"),
            VerdictRow { reason: None, ..of("strict", "c1") },
        ])
        .await;
    fixture.imported_verdicts(&[verdict_row("lenient", "c1", refusal())]).await;
    fixture
}

fn unit(judge: &str) -> Unit {
    format!("justification:{judge}@1/0/conversation/helpfulness").parse().unwrap()
}

async fn grade(fixture: &Fixture, user: UserId, conversation: ConversationId, unit: Unit) -> Saved {
    let key = format!("{user}/{unit}");
    let label = NewLabel { unit, client_key: key, ..fixture.new_label(user, conversation, 2.0) };
    fixture.store.save_label(&label, NOW).await.unwrap()
}

#[tokio::test]
async fn a_reason_is_offered_once_ones_own_label_on_the_item_is_submitted() {
    let fixture = judged().await;
    let ada = fixture.user("Ada").await;
    let next = async |behind| fixture.store.next_reason(fixture.project, ada, behind).await.unwrap();
    assert_eq!(next(0).await, (None, 0), "nothing is on the desk yet");
    let desk = fixture.assign(ada).await;
    fixture.save(&fixture.new_label(ada, desk.conversation, 5.0)).await;
    assert_eq!(next(0).await, (None, 0), "it is not submitted");
    assert_eq!(grade(&fixture, ada, desk.conversation, unit("plain")).await, Saved::NotAssigned);

    fixture.store.submit_assignment(desk.id, ada, NOW).await.unwrap();
    let (Some(reason), 0) = next(0).await else { panic!("nothing is offered") };
    assert_eq!((reason.conversation, &reason.unit), (desk.conversation, &unit("plain")));
    assert_eq!((reason.value, reason.text.as_str()), (4.0, "It answers."));
    assert_eq!(next(1).await.0, None, "no reason, and a failure: there is nothing to grade");

    let other = fixture.id("c2").await;
    for (conversation, unit) in
        [(other, unit("plain")), (desk.conversation, unit("strict")), (desk.conversation, unit("lenient"))]
    {
        assert_eq!(grade(&fixture, ada, conversation, unit).await, Saved::NotAssigned);
    }
    assert!(matches!(grade(&fixture, ada, desk.conversation, unit("plain")).await, Saved::Stored { .. }));
    assert_eq!(next(0).await, (None, 1));
    let labels = fixture.store.labels(fixture.project, None, crate::Viewer::Operator).await.unwrap();
    assert_eq!(
        labels.iter().filter(|label| label.unit.starts_with("justification:")).count(),
        1,
        "it counts"
    );
}

#[tokio::test]
async fn what_was_skipped_or_not_answered_gives_no_reason_to_grade() {
    let fixture = judged().await;
    let ada = fixture.user("Ada").await;
    let first = fixture.assign(ada).await;
    fixture.store.skip_assignment(first.id, ada, "unclear", NOW).await.unwrap();
    let second = fixture.assign(ada).await;
    let other =
        NewLabel { criterion: "faithfulness".to_owned(), ..fixture.new_label(ada, second.conversation, 4.0) };
    fixture.save(&other).await;
    fixture.store.submit_assignment(second.id, ada, NOW).await.unwrap();
    assert_eq!(fixture.store.next_reason(fixture.project, ada, 0).await.unwrap(), (None, 0));
}

#[tokio::test]
async fn a_repeat_on_the_desk_seals_the_reason_again() {
    let fixture = judged().await;
    let ada = fixture.user("Ada").await;
    let desk = fixture.assign(ada).await;
    fixture.save(&fixture.new_label(ada, desk.conversation, 5.0)).await;
    fixture.store.submit_assignment(desk.id, ada, NOW).await.unwrap();
    let again = "insert into assignment (id, project_id, conversation_id, user_id, pass, state, assigned_at, reserved_at) \
                 select x'01', project_id, conversation_id, user_id, 1, 'open', 0, 0 from assignment";
    fixture.execute(again).await.unwrap();
    assert_eq!(fixture.store.next_reason(fixture.project, ada, 0).await.unwrap(), (None, 0));
    assert_eq!(grade(&fixture, ada, desk.conversation, unit("plain")).await, Saved::NotAssigned);
}
