use super::*;
use crate::fixture::{Fixture, NOW, fingerprint, verdict_row};
use domain::{
    Outcome, ReferenceRule, ReferenceSource,
    agreement::{PassFail, ThresholdPoint},
};

pub(crate) fn proposal(fingerprint: &str) -> ThresholdProposal {
    let counts = PassFail { true_pass: 3, false_fail: 1, true_fail: 2, false_pass: 0 };
    let point = |threshold| ThresholdPoint::of(threshold, counts).unwrap();
    ThresholdProposal {
        criterion: "helpfulness".to_owned(),
        judge: "a".to_owned(),
        fingerprint: fingerprint.to_owned(),
        reference: ReferenceSource { rule: ReferenceRule::Median, annotators: Vec::new(), anchor_set: None },
        data_hash: ContentHash("d".to_owned()),
        pass_level: 4.0,
        before: point(4.0),
        proposed: point(3.0),
        sweep: vec![point(3.0), point(4.0)],
        kappas: Vec::new(),
    }
}

#[tokio::test]
async fn a_threshold_is_of_an_instrument_that_answered() {
    let fixture = Fixture::new(1).await;
    let row = verdict_row("a", "c1", Outcome::Value(4.0));
    fixture.imported_verdicts(std::slice::from_ref(&row)).await;
    let accept = async |judge: &str, hash: &str| {
        let proposal = proposal(hash);
        fixture.store.accept_threshold(fixture.project, (judge, "1"), &proposal, "moved", None, NOW).await
    };
    let hash = fingerprint(&row).0;
    let accepted = accept("a", &hash).await.unwrap();
    assert_eq!(
        (accepted.before, accepted.threshold, accepted.fingerprint.as_str()),
        (4.0, 3.0, hash.as_str())
    );
    assert_eq!((accepted.data_hash.0.as_str(), accepted.reason.as_str()), ("d", "moved"));
    assert!(matches!(accept("a", "another").await, Err(StoreError::NotFound { .. })));
    assert!(matches!(accept("b", &hash).await, Err(StoreError::NotFound { .. })));
    assert_eq!(fixture.store.thresholds(fixture.project).await.unwrap(), [accepted]);
}
