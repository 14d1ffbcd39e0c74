use super::*;
use crate::fixture::{Fixture, NOW, after, fingerprint, verdict_row};
use domain::{AnchorSource, ContentHash, Decision, Outcome, ReleaseEvent, Split, Verdict};

async fn decided(fixture: &Fixture) -> Decision {
    let mut decision = crate::decision::tests::decision(Verdict::Promote);
    decision.reference.anchor_set = Some(AnchorSource {
        name: "gold".to_owned(),
        version: 1,
        hash: ContentHash("s".to_owned()),
        split: Split::Confirm,
    });
    fixture.store.append_decision(fixture.project, None, decision, NOW).await.unwrap()
}

fn promotion(decision: &Decision, fingerprint: &str, supersedes: Option<&str>) -> NewSlotChange {
    NewSlotChange {
        criterion: "helpfulness".to_owned(),
        purpose: Purpose::Routine,
        act: SlotAct::Promote,
        stands: Some(NewStanding {
            decision: decision.id.clone(),
            judge: "a".to_owned(),
            version: "1".to_owned(),
            fingerprint: fingerprint.to_owned(),
            threshold: Some(4.0),
        }),
        reason: "closer to people".to_owned(),
        floating_reason: None,
        supersedes: supersedes.map(str::to_owned),
    }
}

#[tokio::test]
async fn a_slot_is_changed_by_who_has_seen_its_last_change() {
    let fixture = Fixture::new(1).await;
    let ada = fixture.user("Ada").await;
    let row = verdict_row("a", "c1", Outcome::Value(4.0));
    fixture.imported_verdicts(std::slice::from_ref(&row)).await;
    let (decision, hash) = (decided(&fixture).await, fingerprint(&row).0);
    let change = async |new: NewSlotChange, minutes| {
        fixture.store.change_slots(fixture.project, &[new], Some(ada), after(minutes)).await
    };
    change(promotion(&decision, &hash, None), 1).await.unwrap();
    let first = fixture.store.slot_changes(fixture.project).await.unwrap().remove(0);
    let stands = first.stands.clone().unwrap();
    assert_eq!((stands.full_name().as_str(), stands.threshold), ("a@1", Some(4.0)));
    assert_eq!((stands.decision_hash, stands.model.as_deref()), (decision.hash().unwrap(), Some("m-1")));
    assert_eq!((first.by.as_deref(), first.act), (Some("Ada"), SlotAct::Promote));
    let blind = change(promotion(&decision, &hash, None), 2).await;
    assert!(matches!(&blind, Err(StoreError::Conflict { what }) if what.contains("meanwhile")), "{blind:?}");
    let back = NewSlotChange {
        act: SlotAct::RollBack,
        stands: None,
        ..promotion(&decision, &hash, Some(&first.id))
    };
    change(back, 3).await.unwrap();
    let changes = fixture.store.slot_changes(fixture.project).await.unwrap();
    assert_eq!((changes.len(), &changes[1].stands), (2, &None));
    let unknown = change(promotion(&decision, "another", Some(&changes[1].id)), 4).await;
    assert!(matches!(unknown, Err(StoreError::NotFound { .. })), "{unknown:?}");
    let log = fixture.store.release_log(fixture.project, 10).await.unwrap();
    assert_eq!(log.len(), 3);
    assert!(matches!(&log[0].event, ReleaseEvent::Slot(change) if change.act == SlotAct::RollBack));
    assert!(matches!(&log[2].event, ReleaseEvent::Gate { outcome: Verdict::Promote, .. }));
}

#[tokio::test]
async fn slots_are_changed_all_or_none() {
    let fixture = Fixture::new(1).await;
    let row = verdict_row("a", "c1", Outcome::Value(4.0));
    fixture.imported_verdicts(std::slice::from_ref(&row)).await;
    let (decision, hash) = (decided(&fixture).await, fingerprint(&row).0);
    let good = promotion(&decision, &hash, None);
    let bad = NewSlotChange { purpose: Purpose::Inline, ..promotion(&decision, "another", None) };
    assert!(fixture.store.change_slots(fixture.project, &[good, bad], None, NOW).await.is_err());
    assert_eq!(fixture.store.slot_changes(fixture.project).await.unwrap(), []);
}
