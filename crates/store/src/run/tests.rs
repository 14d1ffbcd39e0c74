use super::*;
use crate::{
    StoreError, Viewer,
    fixture::{Fixture, NOW, after},
};
use domain::{ContentHash, Declaration, FailureKind, Outcome, Reading, RunScope, fingerprint};

const JUDGE: &str = r#"
    name = "strict"
    version = "1"
    criteria = ["helpfulness", "faithfulness"]
    [instrument.model]
    endpoint = "local"
    model = "m-2026-08-01"
    prompt = "{{ question }}"
"#;

async fn begun(fixture: &Fixture, calls: u64) -> (RunId, JudgeVersionId) {
    let declaration = Declaration::from_toml(JUDGE).unwrap();
    let version = fixture.store.declare_judge(fixture.project, &declaration, NOW).await.unwrap().id;
    let plan = RunPlan::once(RunScope::Project);
    let new =
        NewRun { project: fixture.project, judge_version: version, plan: &plan, calls, requested_by: None };
    (fixture.store.begin_run(&new, NOW).await.unwrap(), version)
}

async fn call(fixture: &Fixture, conversation: &str, model: &str, outcome: Outcome) -> JudgedCall {
    let conversation = fixture.store.conversation(fixture.project, conversation).await.unwrap().id;
    let reading = |criterion: &str| Reading {
        criterion: criterion.to_owned(),
        outcome: outcome.clone(),
        reason: Some("because".to_owned()),
    };
    JudgedCall {
        conversation,
        unit: "conversation".to_owned(),
        repeat: 0,
        fingerprint: fingerprint(&ContentHash::of_bytes(b"strict"), Some(model)),
        model: Some("m-2026-08-01".to_owned()),
        reported_model: Some(model.to_owned()),
        readings: vec![reading("helpfulness"), reading("faithfulness")],
        raw: Some("{}".to_owned()),
        latency_ms: Some(20.0),
        input_tokens: Some(101),
        output_tokens: Some(10),
        cost_usd: Some(0.5),
        attempts: 2,
        judged_at: NOW,
    }
}

#[tokio::test]
async fn calls_are_kept_with_their_counts_or_not_at_all() {
    let fixture = Fixture::new(2).await;
    let (run, version) = begun(&fixture, 2).await;
    let failure = Outcome::Failure { kind: FailureKind::OffScale, says: "found 7".to_owned() };
    let calls =
        [call(&fixture, "c1", "m", Outcome::Value(4.0)).await, call(&fixture, "c2", "m", failure).await];
    let counts = fixture.store.save_judged_calls(run, version, &calls, 40, after(1)).await.unwrap();
    assert_eq!((counts.calls, counts.answered, counts.failures, counts.attempts), (2, 2, 1, 4));
    assert_eq!((counts.input_tokens, counts.output_tokens, counts.active_ms), (202, 20, 40));
    assert!((counts.cost_usd - 1.0).abs() < 1e-9);
    let verdicts = fixture.store.verdicts(fixture.project, None, None, Viewer::Operator).await.unwrap();
    let tokens: u64 = verdicts.iter().filter_map(|verdict| verdict.total_tokens).sum();
    let cost: f64 = verdicts.iter().filter_map(|verdict| verdict.cost_usd).sum();
    assert_eq!((verdicts.len(), tokens), (4, 222), "parts add up to the whole");
    assert!((cost - 1.0).abs() < 1e-9, "{cost}");

    let again = fixture.store.save_judged_calls(run, version, &calls[..1], 10, after(2)).await;
    assert!(matches!(again, Err(StoreError::Database(_))), "{again:?}");
    let run = fixture.store.run(fixture.project, run).await.unwrap();
    assert_eq!(run.counts, counts);
    assert_eq!((run.judge.as_str(), run.version.as_str(), run.state), ("strict", "1", RunState::Running));
    let answered = fixture.store.answered_units(version).await.unwrap();
    assert_eq!(answered.len(), 2);
    assert!(answered.values().all(|criteria| *criteria == 2));
}

#[tokio::test]
async fn a_model_that_changes_half_way_makes_two_instruments() {
    let fixture = Fixture::new(2).await;
    let (run, version) = begun(&fixture, 2).await;
    let calls = [
        call(&fixture, "c1", "m-1", Outcome::Value(4.0)).await,
        call(&fixture, "c2", "m-2", Outcome::Value(4.0)).await,
    ];
    fixture.store.save_judged_calls(run, version, &calls, 0, NOW).await.unwrap();
    let judges = fixture.store.judges(fixture.project).await.unwrap();
    let reported: Vec<_> =
        judges[0].versions[0].fingerprints.iter().map(|f| f.reported_model.as_deref()).collect();
    assert_eq!(reported, [Some("m-1"), Some("m-2")]);
}

#[tokio::test]
async fn a_run_that_has_ended_stays_so() {
    let fixture = Fixture::new(1).await;
    let (run, _) = begun(&fixture, 1).await;
    let store = &fixture.store;
    assert_eq!(store.running_runs().await.unwrap(), [(fixture.project, run)]);
    store.set_run_state(run, RunState::Paused, Some("the budget of $1 is spent"), after(1)).await.unwrap();
    assert_eq!(store.running_runs().await.unwrap(), []);
    let paused = store.run(fixture.project, run).await.unwrap();
    assert_eq!((paused.state, paused.says.as_deref()), (RunState::Paused, Some("the budget of $1 is spent")));
    store.set_run_state(run, RunState::Running, None, after(2)).await.unwrap();
    store.set_run_state(run, RunState::Cancelled, None, after(3)).await.unwrap();
    let again = store.set_run_state(run, RunState::Running, None, after(4)).await;
    assert!(matches!(again, Err(StoreError::Conflict { .. })), "{again:?}");
    let elsewhere = store.create_project("other", NOW).await.unwrap().id;
    assert!(matches!(store.run(elsewhere, run).await, Err(StoreError::NotFound { .. })));
    assert_eq!(store.runs(fixture.project).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_version_never_changes() {
    let fixture = Fixture::new(1).await;
    let (store, project) = (&fixture.store, fixture.project);
    let declaration = Declaration::from_toml(JUDGE).unwrap();
    let first = store.declare_judge(project, &declaration, NOW).await.unwrap();
    let same = store.declare_judge(project, &declaration, after(1)).await.unwrap();
    assert_eq!((first.new, same.new, same.id), (true, false, first.id));
    let edited = Declaration::from_toml(&JUDGE.replace("{{ question }}", "{{ question }}!")).unwrap();
    let refused = store.declare_judge(project, &edited, after(2)).await.unwrap_err();
    assert!(refused.to_string().contains("strict@1 is another judge"), "{refused}");
    let second = Declaration { version: "2".to_owned(), ..edited };
    store.declare_judge(project, &second, after(3)).await.unwrap();
    assert_eq!(store.declared_judge(project, "strict", None).await.unwrap().declaration, second);
    let named = store.declared_judge(project, "strict", Some("1")).await.unwrap();
    assert_eq!(named.declaration, declaration);
    let missing = store.declared_judge(project, "strict", Some("3")).await.unwrap_err();
    assert_eq!(missing.to_string(), "there is no judge `strict@3` in this project");
}

#[tokio::test]
async fn judges_are_run_by_one_process_at_a_time() {
    let fixture = Fixture::new(1).await;
    let held = fixture.store.lock_for_judging().unwrap();
    let refused = fixture.store.lock_for_judging().unwrap_err();
    assert!(refused.to_string().contains("has judges run on it by another process"), "{refused}");
    drop(held);
    fixture.store.lock_for_judging().unwrap();
}
