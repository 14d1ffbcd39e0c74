//! From a decision to a release, on real judgements of summaries: what is held, what is promoted, what is moved, and that it can all be
//! decided again.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use domain::{
    AnchorChoice, AnchorSetName, Decision, Purpose, ReferenceRule, ReleaseEvent, RuleVerdict, SlotAct, Split,
    Verdict,
};
use service::{
    AnchorRequest, GateRequest, ProjectId, PromotionRequest, ReferenceChoice, Service, ServiceError,
    ThresholdChoice, ThresholdQuery, Viewer,
    import::{Kind, Options},
};
use std::path::Path;
use time::OffsetDateTime;

const CANDIDATE: &str = "gpt-4-0314 / rts";
const INCUMBENT: &str = "gpt-3.5-turbo-0301 / rts";

const CONSISTENCY: &str =
    "name = \"consistency\"\ncriteria = [\"consistency\"]\n[rules]\nnon_inferiority = 0.05\n";

struct Place {
    service: Service,
    project: ProjectId,
    _directory: tempfile::TempDir,
}

/// The project, with so many items frozen in `gold@1`, or all; or a word that the test is skipped.
async fn summeval(size: Option<usize>) -> Option<Place> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/summeval");
    if !folder.is_dir() {
        println!("skipped: {} is not there", folder.display());
        return None;
    }
    let directory = tempfile::tempdir().unwrap();
    let store = store::Store::open(directory.path().join("t.db")).await.unwrap();
    let service = Service::new(store, OffsetDateTime::now_utc);
    let rubric = std::fs::read_to_string(folder.join("rubric.toml")).unwrap();
    let rubric = domain::Rubric::from_toml(&rubric).unwrap();
    let project = service.create_project("summeval", Some(&rubric), None).await.unwrap().id;
    for (kind, file) in [
        (Kind::Conversations, "conversations.jsonl"),
        (Kind::Labels, "labels.csv"),
        (Kind::Verdicts, "verdicts.csv"),
    ] {
        let files = [folder.join(file)];
        service.import(project, kind, &files, Options::default(), |_| {}).await.unwrap();
    }
    let request = AnchorRequest {
        name: "gold".to_owned(),
        choice: AnchorChoice { size, confirm: 0.0, seed: 1 },
        rule: Some(ReferenceRule::Median),
        annotators: ["expert0", "expert1", "expert2"].map(str::to_owned).to_vec(),
        criteria: Vec::new(),
        owner: None,
        expires: None,
    };
    service.freeze_anchor_set(project, &request, None).await.unwrap();
    Some(Place { service, project, _directory: directory })
}

fn gold() -> ReferenceChoice {
    let name = AnchorSetName { name: "gold".to_owned(), version: 1 };
    ReferenceChoice::AnchorSet { name, split: Split::Tune, why: None }
}

impl Place {
    async fn gate(&self, candidate: &str, incumbent: Option<&str>, policy: &str) -> Decision {
        let request = GateRequest {
            candidate: candidate.to_owned(),
            incumbent: incumbent.map(str::to_owned),
            policy: Some(policy.to_owned()),
            reference: gold(),
        };
        self.service.gate(self.project, request, None, Viewer::Operator).await.unwrap()
    }

    async fn promote(&self, decision: &Decision) -> Result<(), ServiceError> {
        let request = PromotionRequest {
            decision: decision.id.clone(),
            purpose: Purpose::Routine,
            criteria: Vec::new(),
            reason: "no worse, and cheaper".to_owned(),
            floating_reason: None,
        };
        self.service.promote(self.project, &request, None).await.map(|_| ())
    }

    async fn refused(&self, decision: &Decision) -> String {
        self.promote(decision).await.unwrap_err().to_string()
    }

    async fn standing(&self) -> Option<String> {
        let slots = self.service.slots(self.project).await.unwrap();
        slots.first()?.stands.as_ref().map(|judge| judge.judge.clone())
    }

    async fn roll_back(&self) -> Result<(), ServiceError> {
        let (criterion, purpose) = ("consistency", Purpose::Routine);
        self.service.roll_back(self.project, criterion, purpose, "drifts", None).await.map(|_| ())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upgrade_is_held_for_what_got_worse_and_for_a_threshold_that_did_not_move() {
    let Some(place) = summeval(None).await else { return };
    let policy = include_str!("../../../docs/examples/summeval-policy.toml");
    let held = place.gate(CANDIDATE, Some(INCUMBENT), policy).await;
    assert_eq!(held.decision, Verdict::Hold);
    let failed: Vec<&str> = held
        .rules
        .iter()
        .filter(|rule| rule.verdict == RuleVerdict::Fail)
        .map(|rule| rule.criterion.as_str())
        .collect();
    assert_eq!(failed, ["coherence", "relevance"], "{:#?}", held.reasons);
    assert!(place.refused(&held).await.contains("only PROMOTE"));

    let promoted = place.gate(CANDIDATE, Some(INCUMBENT), CONSISTENCY).await;
    assert_eq!(promoted.decision, Verdict::Promote, "{:#?}", promoted.reasons);

    let with_shift = format!("{CONSISTENCY}mean_shift = 0.05\n");
    let shifted = place.gate(CANDIDATE, Some(INCUMBENT), &with_shift).await;
    assert_eq!(shifted.decision, Verdict::Hold, "{:#?}", shifted.reasons);
    let shift = shifted.rules.iter().find(|rule| rule.rule == "mean_shift").unwrap();
    assert!((shift.found.value().unwrap() - 0.15).abs() < 0.005, "{:?}", shift.found);
    assert!(shifted.reasons[0].contains("+0.15 of the range, towards people"), "{:#?}", shifted.reasons);

    let query = ThresholdQuery {
        judge: CANDIDATE.to_owned(),
        criterion: "consistency".to_owned(),
        reference: gold(),
    };
    let proposal = place.service.propose_threshold(place.project, &query, Viewer::Operator).await.unwrap();
    assert_eq!((proposal.sweep.len(), proposal.before.threshold), (4, 4.0));
    let best = proposal.sweep.iter().filter_map(|point| point.kappa).fold(f64::MIN, f64::max);
    assert_eq!(proposal.proposed.kappa.map(|kappa| kappa.total_cmp(&best).is_eq()), Some(true));
    println!("{:?} → {:?}", proposal.before, proposal.proposed);
    let choice = |reason: &str, seen| ThresholdChoice {
        query: query.clone(),
        threshold: None,
        seen,
        reason: reason.to_owned(),
    };
    let accept =
        async |choice| place.service.accept_threshold(place.project, &choice, None, Viewer::Operator).await;
    assert!(accept(choice("  ", None)).await.is_err(), "a reason is asked for");
    let stale = accept(choice("stricter", Some(domain::ContentHash("other".to_owned())))).await;
    assert!(matches!(stale, Err(ServiceError::Conflict { .. })), "{stale:?}");
    let accepted =
        accept(choice("the new model is less strict", Some(proposal.data_hash.clone()))).await.unwrap();
    assert_eq!((accepted.before, accepted.threshold), (4.0, proposal.proposed.threshold));

    let released = place.gate(CANDIDATE, Some(INCUMBENT), &with_shift).await;
    assert_eq!(released.decision, Verdict::Promote, "{:#?}", released.reasons);
    place.promote(&released).await.unwrap();
    let slot = place.service.slots(place.project).await.unwrap().remove(0);
    let stands = slot.stands.unwrap();
    assert_eq!((stands.judge.as_str(), stands.threshold), (CANDIDATE, Some(accepted.threshold)));
    assert_eq!(stands.decision_hash, released.hash().unwrap());
    for (decision, threshold) in [(&shifted, false), (&released, true)] {
        let again = place.service.replay(place.project, &decision.id).await.unwrap();
        assert_eq!(
            serde_json::to_string_pretty(&again).unwrap(),
            serde_json::to_string_pretty(decision).unwrap()
        );
        assert_eq!(!again.evidence.unwrap().thresholds.is_empty(), threshold, "as it was then");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn slots_are_given_to_who_was_decided_against_what_stands_there() {
    let Some(place) = summeval(Some(300)).await else { return };
    let kappa = "name = \"first\"\ncriteria = [\"consistency\"]\n[rules]\nminimum_n = 50\nkappa_at_least = { value = 0.0, on = \"point\" }\n";
    let live = GateRequest {
        candidate: INCUMBENT.to_owned(),
        incumbent: None,
        policy: Some(kappa.to_owned()),
        reference: ReferenceChoice::default(),
    };
    let advice = place.service.gate(place.project, live, None, Viewer::Operator).await.unwrap();
    assert!(place.refused(&advice).await.contains("advice"));
    assert!(place.roll_back().await.unwrap_err().to_string().contains("nothing stands"));

    let first = place.gate(INCUMBENT, None, kappa).await;
    place.promote(&first).await.unwrap();
    assert!(place.refused(&first).await.contains("stands there already"));
    let blind = place.gate(CANDIDATE, None, kappa).await;
    assert!(place.refused(&blind).await.contains("as incumbent"), "the one in the slot was not asked about");
    let second = place.gate(CANDIDATE, Some(INCUMBENT), kappa).await;
    place.promote(&second).await.unwrap();
    assert_eq!(place.standing().await.as_deref(), Some(CANDIDATE));
    place.roll_back().await.unwrap();
    assert_eq!(place.standing().await.as_deref(), Some(INCUMBENT));
    place.roll_back().await.unwrap();
    assert_eq!(place.standing().await, None);
    let log = place.service.release_log(place.project).await.unwrap();
    let acts: Vec<SlotAct> = log
        .iter()
        .filter_map(|entry| match &entry.event {
            ReleaseEvent::Slot(change) => Some(change.act),
            _ => None,
        })
        .collect();
    assert_eq!(
        acts,
        [SlotAct::RollBack, SlotAct::RollBack, SlotAct::Promote, SlotAct::Promote],
        "newest first"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_came_later_does_not_change_what_is_decided_again() {
    let Some(place) = summeval(Some(300)).await else { return };
    let (service, project) = (&place.service, place.project);
    let frozen = place.gate(CANDIDATE, Some(INCUMBENT), CONSISTENCY).await;
    let live = GateRequest {
        candidate: CANDIDATE.to_owned(),
        incumbent: Some(INCUMBENT.to_owned()),
        policy: Some(CONSISTENCY.to_owned()),
        reference: ReferenceChoice::default(),
    };
    let advice = service.gate(project, live, None, Viewer::Operator).await.unwrap();
    assert_eq!(service.replay(project, &advice.id).await.unwrap(), advice);
    let conversation = &service
        .anchor_items(
            project,
            &AnchorSetName { name: "gold".to_owned(), version: 1 },
            Split::Tune,
            Viewer::Operator,
        )
        .await
        .unwrap()
        .1[0]
        .conversation
        .clone();
    // A second repeat of the candidate, a second version of the incumbent, and a late label.
    let verdicts = format!(
        "judge,judge_version,conversation,unit,criterion,repeat,value\n\
         {CANDIDATE},1,{conversation},conversation,consistency,7,1\n\
         {INCUMBENT},later,{conversation},conversation,consistency,0,1\n"
    );
    service.import_text(project, Kind::Verdicts, "later.csv", &verdicts).await.unwrap();
    let label = format!(
        "annotator,conversation,unit,criterion,value\nlate,{conversation},conversation,consistency,1\n"
    );
    service.import_text(project, Kind::Labels, "late.csv", &label).await.unwrap();
    assert!(service.judges(project).await.unwrap().contains(&format!("{INCUMBENT}@later")));
    assert_eq!(service.replay(project, &frozen.id).await.unwrap(), frozen);
    assert_eq!(service.replay(project, &advice.id).await.unwrap(), advice, "of the annotators of then");
    let mut rubric = service.rubric(project).await.unwrap().unwrap();
    rubric.version += 1;
    service.publish_rubric(project, &rubric, None).await.unwrap();
    let moved = service.replay(project, &advice.id).await.unwrap_err().to_string();
    assert!(moved.ends_with("cannot be decided again: changed since then: the rubric"), "{moved}");
    assert_eq!(service.replay(project, &frozen.id).await.unwrap(), frozen, "a frozen set has its own rubric");
}
