use super::*;
use crate::fixture::{Fixture, NOW, after};
use domain::{ContentHash, Policy, ReferenceRule, ReferenceSource};

pub(crate) fn decision(verdict: Verdict) -> Decision {
    Decision {
        decision: verdict,
        id: String::new(),
        project: "shop".to_owned(),
        candidate: "new".to_owned(),
        incumbent: Some("old".to_owned()),
        policy_hash: ContentHash("p".to_owned()),
        data_hash: ContentHash("d".to_owned()),
        reference: ReferenceSource { rule: ReferenceRule::Median, annotators: Vec::new(), anchor_set: None },
        decided_at: NOW,
        advice_only: true,
        opening: None,
        rules: Vec::new(),
        reasons: vec!["coherence: worse".to_owned()],
        policy: Policy::from_toml("name = \"upgrade\"\n[rules]\nminimum_n = 200").unwrap(),
        evidence: None,
    }
}

#[tokio::test]
async fn decisions_are_logged_under_an_identity_of_their_own() {
    let fixture = Fixture::new(0).await;
    let ada = fixture.user("Ada").await;
    let hold = fixture
        .store
        .append_decision(fixture.project, Some(ada), decision(Verdict::Hold), after(1))
        .await
        .unwrap();
    let promote = fixture
        .store
        .append_decision(fixture.project, None, decision(Verdict::Promote), after(2))
        .await
        .unwrap();
    assert_eq!(hold.decided_at, after(1));
    let id = hold.id.parse().unwrap();
    assert_eq!(fixture.store.decision(fixture.project, id).await.unwrap(), hold);
    assert_eq!(fixture.store.decisions(fixture.project, 10).await.unwrap(), [promote.clone(), hold]);
    assert_eq!(fixture.store.decisions(fixture.project, 1).await.unwrap(), [promote]);
    let other = fixture.store.create_project("other", NOW).await.unwrap().id;
    assert!(matches!(fixture.store.decision(other, id).await, Err(StoreError::NotFound { .. })));
}

#[tokio::test]
async fn a_decision_that_was_tampered_with_is_not_shown() {
    let fixture = Fixture::new(0).await;
    let decided =
        fixture.store.append_decision(fixture.project, None, decision(Verdict::Hold), NOW).await.unwrap();
    fixture.execute("drop trigger decision_is_append_only_on_update").await.unwrap();
    fixture.execute("update decision set body = replace(body, '\"hold\"', '\"promote\"')").await.unwrap();
    let found = fixture.store.decision(fixture.project, decided.id.parse().unwrap()).await;
    assert!(matches!(&found, Err(StoreError::Corrupt { what }) if what.contains(&decided.id)), "{found:?}");
}
