//! Anchor sets of real labels: frozen, exported, imported elsewhere, edited, compared on and decided on.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use domain::{AnchorChoice, AnchorSet, AnchorSetName, ReferenceRule, Split};
use service::{
    AnchorPreview, AnchorRequest, ComparisonQuery, DiagnosisQuery, GateRequest, ProjectId, ReferenceChoice,
    Service, ServiceError, Viewer,
    import::{Kind, Options},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};
use time::{OffsetDateTime, macros::datetime};

/// The present of the tests.
fn now() -> OffsetDateTime {
    datetime!(2026-11-30 12:00:00.5 UTC)
}

/// The folder of a data set, or a word that the test is skipped.
fn data(set: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(set);
    if !folder.is_dir() {
        println!("skipped: {} is not there", folder.display());
        return None;
    }
    Some(folder)
}

struct Place {
    service: Service,
    project: ProjectId,
    _directory: tempfile::TempDir,
}

impl Place {
    async fn empty(name: &str) -> Place {
        let directory = tempfile::tempdir().unwrap();
        let store = store::Store::open(directory.path().join("t.db")).await.unwrap();
        let service = Service::new(store, now);
        let project = service.create_project(name, None, None).await.unwrap().id;
        Place { service, project, _directory: directory }
    }

    async fn of(folder: &Path) -> Place {
        let place = Place::empty("anchored").await;
        let rubric = std::fs::read_to_string(folder.join("rubric.toml")).unwrap();
        let rubric = domain::Rubric::from_toml(&rubric).unwrap();
        place.service.publish_rubric(place.project, &rubric, None).await.unwrap();
        for (kind, file) in [
            (Kind::Conversations, "conversations.jsonl"),
            (Kind::Labels, "labels.csv"),
            (Kind::Verdicts, "verdicts.csv"),
        ] {
            place.import(kind, &folder.join(file)).await;
        }
        place
    }

    async fn import(&self, kind: Kind, file: &Path) -> service::import::Summary {
        let files = [file.to_owned()];
        let done = self.service.import(self.project, kind, &files, Options::default(), |_| {});
        done.await.unwrap()
    }

    async fn preview(&self, request: &AnchorRequest) -> AnchorPreview {
        self.service.preview_anchor_set(self.project, request, Viewer::Operator).await.unwrap()
    }

    async fn file(&self, name: &AnchorSetName) -> String {
        self.service.anchor_set_file(self.project, name, Viewer::Operator).await.unwrap()
    }
}

fn request(annotators: &[&str], confirm: f64) -> AnchorRequest {
    AnchorRequest {
        name: "gold".to_owned(),
        choice: AnchorChoice { size: Some(300), confirm, seed: 1 },
        rule: Some(ReferenceRule::Median),
        annotators: annotators.iter().map(|name| (*name).to_owned()).collect(),
        criteria: Vec::new(),
        owner: Some("quality".to_owned()),
        expires: Some("2027-11-30".to_owned()),
    }
}

fn gold(version: u32) -> AnchorSetName {
    AnchorSetName { name: "gold".to_owned(), version }
}

fn on(split: Split) -> ReferenceChoice {
    ReferenceChoice::AnchorSet { name: gold(1), split, why: None }
}

const EXPERTS: [&str; 3] = ["expert0", "expert1", "expert2"];

#[tokio::test(flavor = "multi_thread")]
async fn three_hundred_items_go_out_and_come_back_byte_for_byte() {
    for (set, annotators) in [("summeval", &EXPERTS[..]), ("llmjudge", &[])] {
        let Some(folder) = data(set) else { return };
        let place = Place::of(&folder).await;
        let request = request(annotators, 0.5);
        let preview = place.preview(&request).await;
        let frozen = place.service.freeze_anchor_set(place.project, &request, None).await.unwrap();
        assert_eq!((frozen.tune + frozen.confirm, frozen.version), (300, 1), "{set}");
        assert_eq!((preview.tune, preview.confirm), (frozen.tune, frozen.confirm), "{set}");
        let file = place.file(&gold(1)).await;
        let (read, hash) = AnchorSet::from_file(file.as_bytes()).unwrap();
        assert_eq!((&hash, read.items.len()), (&frozen.hash, 300), "{set}");
        let named = annotators.iter().any(|name| file.contains(&format!("\"annotator\":\"{name}\"")));
        assert!(!named, "{set}: annotators stand under pseudonyms");

        let elsewhere = Place::empty("elsewhere").await;
        let import = |bytes: Vec<u8>| {
            let (service, project) = (elsewhere.service.clone(), elsewhere.project);
            async move { service.import_anchor_set(project, &bytes, None).await }
        };
        let mut edited = file.clone().into_bytes();
        let at = file.find("\"reference\":").unwrap() + "\"reference\":".len();
        edited[at] = if edited[at] == b'1' { b'2' } else { b'1' };
        let refused = import(edited).await.unwrap_err().to_string();
        assert!(refused.contains(&frozen.hash.0), "{set}: {refused}");
        assert!(elsewhere.service.rubric(elsewhere.project).await.unwrap().is_none(), "nothing half-written");

        let brought = import(file.clone().into_bytes()).await.unwrap();
        assert_eq!((brought.new, brought.items), (true, 300), "{set}");
        assert_eq!(brought.new_conversations, read.conversations.len() as u64, "{set}");
        assert!(!import(file.clone().into_bytes()).await.unwrap().new, "{set}: the same again");
        assert_eq!(elsewhere.file(&gold(1)).await, file, "{set}");
        let summary = elsewhere.import(Kind::Conversations, &folder.join("conversations.jsonl")).await;
        assert_eq!(summary.unchanged, brought.new_conversations, "{set}: the same conversations");
        assert!(!place.service.import_anchor_set(place.project, file.as_bytes(), None).await.unwrap().new);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_is_compared_and_decided_on_the_frozen_items_alone() {
    let Some(folder) = data("summeval") else { return };
    let place = Place::of(&folder).await;
    let (service, project) = (&place.service, place.project);
    service.freeze_anchor_set(project, &request(&EXPERTS, 0.5), None).await.unwrap();
    let (source, items) =
        service.anchor_items(project, &gold(1), Split::Tune, Viewer::Operator).await.unwrap();
    let mut by_criterion: BTreeMap<&str, u64> = BTreeMap::new();
    for item in &items {
        *by_criterion.entry(&item.criterion).or_default() += 1;
    }
    let query = ComparisonQuery { reference: on(Split::Tune), ..ComparisonQuery::default() };
    let report = service.comparison(project, &query, Viewer::Operator).await.unwrap();
    assert_eq!(report.reference.anchor_set, Some(source));
    assert_eq!(report.opening, None, "tune may be looked at as often as one likes");
    assert_eq!(report.criteria.len(), by_criterion.len());
    for criterion in &report.criteria {
        assert_eq!(criterion.references, by_criterion[criterion.id.as_str()], "{}", criterion.id);
        assert_eq!(criterion.without_reference, 0);
        for judge in &criterion.judges {
            assert_eq!(judge.n + judge.failures, criterion.references, "{} {}", criterion.id, judge.judge);
        }
    }
    let gate = async |why: Option<&str>| {
        let reference =
            ReferenceChoice::AnchorSet { name: gold(1), split: Split::Confirm, why: why.map(str::to_owned) };
        let request = GateRequest {
            candidate: "gpt-4-0314 / rts".to_owned(),
            incumbent: Some("gpt-3.5-turbo-0301 / rts".to_owned()),
            policy: Some(include_str!("../../../docs/examples/summeval-policy.toml").to_owned()),
            reference,
        };
        service.gate(project, request, None, Viewer::Operator).await.unwrap()
    };
    let decision = gate(None).await;
    assert!(!decision.advice_only);
    let source = decision.reference.anchor_set.clone().unwrap();
    assert_eq!((source.name.as_str(), source.version, source.split), ("gold", 1, Split::Confirm));
    assert_eq!(source.hash, service.anchor_sets(project, Viewer::Operator).await.unwrap()[0].hash);
    assert_eq!(decision.opening.clone().unwrap().look, 1);
    let again = gate(Some("the log was lost")).await;
    let opening = again.opening.unwrap();
    assert_eq!((opening.look, opening.why.as_deref()), (2, Some("the log was lost")));
    assert_eq!((again.decision, again.data_hash), (decision.decision, decision.data_hash));
}

#[tokio::test(flavor = "multi_thread")]
async fn later_labels_and_rubrics_do_not_move_what_is_frozen() {
    let Some(folder) = data("summeval") else { return };
    let place = Place::of(&folder).await;
    let (service, project) = (&place.service, place.project);
    service.freeze_anchor_set(project, &request(&EXPERTS, 0.5), None).await.unwrap();
    let query = ComparisonQuery { reference: on(Split::Tune), ..ComparisonQuery::default() };
    let before = service.comparison(project, &query, Viewer::Operator).await.unwrap();
    let conversation =
        service.anchor_items(project, &gold(1), Split::Tune, Viewer::Operator).await.unwrap().1[0]
            .conversation
            .clone();
    let labels = format!(
        "annotator,conversation,unit,criterion,value\nlate,{conversation},conversation,coherence,1\n"
    );
    service.import_text(project, Kind::Labels, "late.csv", &labels).await.unwrap();
    let mut rubric = service.rubric(project).await.unwrap().unwrap();
    rubric.version += 1;
    rubric.criteria.truncate(1);
    service.publish_rubric(project, &rubric, None).await.unwrap();
    let after = service.comparison(project, &query, Viewer::Operator).await.unwrap();
    assert_eq!(after, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn clusters_stay_whole_and_every_level_is_there() {
    let Some(folder) = data("summeval") else { return };
    let place = Place::of(&folder).await;
    let request = request(&EXPERTS, 0.4);
    place.service.freeze_anchor_set(place.project, &request, None).await.unwrap();
    let (set, _) = AnchorSet::from_file(place.file(&gold(1)).await.as_bytes()).unwrap();
    let conversations = set.read_conversations().unwrap();
    let mut splits: BTreeMap<&str, BTreeSet<Split>> = BTreeMap::new();
    for item in &set.items {
        splits.entry(conversations[&item.conversation].0.cluster()).or_default().insert(item.split);
    }
    assert!(splits.values().all(|splits| splits.len() == 1));
    let preview = place.preview(&request).await;
    assert!(preview.strata.iter().all(|stratum| stratum.taken > 0), "{:?}", preview.strata);
    for part in &preview.precision {
        println!("{} {}: {part:?}", part.criterion, part.split.word());
        assert!(part.half_width.unwrap() <= part.half_width_by_cluster.unwrap());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_diagnosis_on_a_set_is_of_its_conversations() {
    let Some(folder) = data("llmjudge") else { return };
    let place = Place::of(&folder).await;
    let (service, project) = (&place.service, place.project);
    service.freeze_anchor_set(project, &request(&[], 0.5), None).await.unwrap();
    let items = service.anchor_items(project, &gold(1), Split::Tune, Viewer::Operator).await.unwrap().1;
    let conversations: BTreeSet<&str> = items.iter().map(|item| item.conversation.as_str()).collect();
    let query = DiagnosisQuery { reference: on(Split::Tune), ..DiagnosisQuery::default() };
    let report = service.diagnosis(project, &query, Viewer::Operator).await.unwrap();
    assert_eq!(report.conversations, conversations.len() as u64);
    assert!(report.reference.anchor_set.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_differ_by_what_changed_and_bad_requests_say_what_is_wrong() {
    let Some(folder) = data("llmjudge") else { return };
    let place = Place::of(&folder).await;
    let (service, project) = (&place.service, place.project);
    let first = request(&[], 0.5);
    service.freeze_anchor_set(project, &first, None).await.unwrap();
    let choice = AnchorChoice { size: Some(200), ..first.choice };
    let second = AnchorRequest { choice, ..first.clone() };
    assert_eq!(service.freeze_anchor_set(project, &second, None).await.unwrap().version, 2);
    let found = service.anchor_set_difference(project, &gold(1), &gold(2), Viewer::Operator).await.unwrap();
    assert_eq!((found.removed.len(), found.added.len(), found.changed.len()), (100, 0, 0));
    assert!(!found.rubric_changed && found.rewritten.is_empty());
    let field = async |request: AnchorRequest| match service.freeze_anchor_set(project, &request, None).await
    {
        Err(ServiceError::Invalid { field, .. }) => field,
        other => panic!("{other:?}"),
    };
    assert_eq!(field(AnchorRequest { name: "../gold".to_owned(), ..first.clone() }).await, "name");
    assert_eq!(
        field(AnchorRequest { criteria: vec!["beauty".to_owned()], ..first.clone() }).await,
        "criterion"
    );
    assert_eq!(
        field(AnchorRequest { annotators: vec!["nobody".to_owned()], ..first.clone() }).await,
        "annotators"
    );
    assert_eq!(
        field(AnchorRequest { expires: Some("soon".to_owned()), ..first.clone() }).await,
        "anchor set"
    );
    let choice = AnchorChoice { confirm: 1.5, ..first.choice };
    assert_eq!(field(AnchorRequest { choice, ..first.clone() }).await, "confirm");
    let choice = AnchorChoice { size: Some(1), ..first.choice };
    assert_eq!(field(AnchorRequest { choice, ..first }).await, "confirm");
    assert_eq!(service.anchor_sets(project, Viewer::Operator).await.unwrap().len(), 2);
    let absent = service.anchor_items(project, &gold(9), Split::Tune, Viewer::Operator).await;
    assert!(matches!(absent, Err(ServiceError::NotFound { .. })), "{absent:?}");
}
