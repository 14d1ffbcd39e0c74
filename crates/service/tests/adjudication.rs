//! Decisions on real and made-up disagreements: the queue, the seal, what a decision saw, references that go elsewhere and back.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use domain::{
    AdjudicationCase, AdjudicationReason, Item, NewDecision, QueueOrder, ReferenceRule, Rubric, Unit,
};
use service::{
    AdjudicationQuery, ComparisonQuery, ProjectId, ReferenceChoice, Service, ServiceError, UserId, Viewer,
    import::{Kind, Options},
};
use std::path::{Path, PathBuf};
use store::NewUser;
use time::{OffsetDateTime, macros::datetime};

const RUBRIC: &str = r#"
    name = "shop"
    version = 1
    [[scale]]
    id = "four"
    kind = "ordinal"
    levels = [{ value = 1, name = "no" }, { value = 2, name = "rather no" }, { value = 3, name = "rather yes" }, { value = 4, name = "yes" }]
    [[criterion]]
    id = "helpful"
    component = "generation"
    unit = "conversation"
    scale = "four"
    question = "Does it help?"
"#;

const CONVERSATIONS: &str = concat!(
    r#"{"id": "first", "question": "Where is my order?", "answer": {"text": "On its way."}}"#,
    "\n",
    r#"{"id": "second", "question": "May I return it?", "answer": {"text": "Within 30 days."}}"#,
    "\n",
    r#"{"id": "third", "question": "Is it blue?", "answer": {"text": "Yes."}}"#,
);

const LABELS: &str = "annotator,conversation,unit,criterion,value,comment\n\
    nora,first,conversation,helpful,1,\n\
    ben,first,conversation,helpful,4,clear enough\n\
    nora,second,conversation,helpful,2,\n\
    ben,second,conversation,helpful,3,\n\
    nora,third,conversation,helpful,4,\n\
    ben,third,conversation,helpful,4,\n";

const VERDICTS: &str = "judge,conversation,unit,criterion,value\n\
    strict,first,conversation,helpful,4\n\
    strict,second,conversation,helpful,2\n\
    strict,third,conversation,helpful,1\n";

/// The present of the tests.
fn now() -> OffsetDateTime {
    datetime!(2026-11-30 12:00:00.5 UTC)
}

struct Place {
    service: Service,
    project: ProjectId,
    lead: UserId,
    _directory: tempfile::TempDir,
}

impl Place {
    async fn empty(rubric: &str) -> Place {
        let directory = tempfile::tempdir().unwrap();
        let store = store::Store::open(directory.path().join("t.db")).await.unwrap();
        let new = NewUser { name: "Lea".to_owned(), password_hash: "none".to_owned() };
        let lead = store.create_user(&new, false, now()).await.unwrap().id;
        let service = Service::new(store, now);
        let rubric = Rubric::from_toml(rubric).unwrap();
        let project = service.create_project("shop", Some(&rubric), None).await.unwrap().id;
        Place { service, project, lead, _directory: directory }
    }

    async fn with_conversations() -> Place {
        let place = Place::empty(RUBRIC).await;
        place.take(Kind::Conversations, "c.jsonl", CONVERSATIONS).await;
        place
    }

    async fn contested() -> Place {
        let place = Place::with_conversations().await;
        place.take(Kind::Labels, "l.csv", LABELS).await;
        place.take(Kind::Verdicts, "v.csv", VERDICTS).await;
        place
    }

    async fn take(&self, kind: Kind, name: &str, text: &str) {
        self.service.import_text(self.project, kind, name, text).await.unwrap();
    }

    fn viewer(&self) -> Viewer {
        Viewer::Member(self.lead)
    }

    async fn queue(&self, order: QueueOrder) -> Vec<String> {
        let query = AdjudicationQuery { order, judge: None };
        let queue = self.service.adjudication_queue(self.project, &query, self.viewer()).await.unwrap();
        queue.items.into_iter().map(|contested| contested.item.conversation).collect()
    }

    async fn case(&self, conversation: &str) -> AdjudicationCase {
        self.service.adjudication_case(self.project, &item(conversation), self.viewer()).await.unwrap()
    }

    async fn decide(&self, decision: NewDecision) -> Result<(), ServiceError> {
        self.service.adjudicate(self.project, decision, self.lead).await
    }

    async fn build(&self) -> domain::References {
        let built = self.service.build_references(self.project, ReferenceRule::Adjudicated, &[], None).await;
        built.unwrap()
    }

    async fn file(&self) -> String {
        self.service.reference_file(self.project, Viewer::Operator).await.unwrap()
    }
}

fn item(conversation: &str) -> Item {
    Item { conversation: conversation.to_owned(), unit: Unit::Conversation, criterion: "helpful".to_owned() }
}

fn decision(case: &AdjudicationCase, value: f64) -> NewDecision {
    NewDecision {
        item: case.item.clone(),
        value,
        reason: AdjudicationReason::GuidelineGap,
        note: "is a date needed?".to_owned(),
        rubric_version: case.rubric_version,
        seen: case.seen.clone(),
    }
}

#[tokio::test]
async fn the_queue_begins_where_people_or_judges_lie_farthest_apart() {
    let place = Place::contested().await;
    assert_eq!(place.queue(QueueOrder::People).await, ["first", "second"]);
    assert_eq!(place.queue(QueueOrder::Judges).await, ["third"]);
    let query = AdjudicationQuery { order: QueueOrder::Judges, judge: Some("nobody".to_owned()) };
    let refused = place.service.adjudication_queue(place.project, &query, place.viewer()).await;
    assert!(matches!(refused, Err(ServiceError::NotFound { .. })));
}

#[tokio::test]
async fn what_whoever_decides_is_shown_has_no_names() {
    let place = Place::contested().await;
    let case = place.case("first").await;
    let mut shown: Vec<(f64, Option<&str>)> =
        case.labels.iter().map(|label| (label.value, label.comment.as_deref())).collect();
    shown.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert_eq!(shown, [(1.0, None), (4.0, Some("clear enough"))]);
    place.decide(decision(&case, 3.0)).await.unwrap();
    let again = serde_json::to_string(&place.case("first").await).unwrap();
    // None of them can be part of a hash.
    for name in ["nora", "ben", "strict"] {
        assert!(!again.contains(name), "{name} is in {again}");
    }
}

#[tokio::test]
async fn a_decision_leaves_the_queue_and_comes_back_when_a_label_changes_it() {
    let place = Place::contested().await;
    let case = place.case("first").await;
    place.decide(decision(&case, 3.0)).await.unwrap();
    place.decide(decision(&case, 3.0)).await.unwrap();
    let other = place.decide(decision(&case, 2.0)).await;
    assert!(matches!(other, Err(ServiceError::Conflict { .. })), "what was seen is not what stands there");
    assert_eq!(place.queue(QueueOrder::People).await, ["second"]);
    let gaps = place.service.guideline_gaps(place.project, place.viewer()).await.unwrap();
    assert_eq!(gaps[0].items, [(item("first"), "is a date needed?".to_owned())]);
    assert_eq!(gaps[0].rubric, "shop@1");

    let later = "annotator,conversation,criterion,value\ncleo,first,helpful,2\n";
    place.take(Kind::Labels, "later.csv", later).await;
    assert_eq!(place.queue(QueueOrder::People).await, ["first", "second"]);
    let case = place.case("first").await;
    assert!(case.before.as_ref().is_some_and(|before| before.stale));
    place.decide(decision(&case, 2.0)).await.unwrap();
    assert_eq!(place.queue(QueueOrder::People).await, ["second"]);
}

#[tokio::test]
async fn what_cannot_be_decided_is_refused() {
    let place = Place::contested().await;
    let case = place.case("second").await;
    for wrong in [
        NewDecision { value: 2.5, ..decision(&case, 2.0) },
        NewDecision { note: "x".repeat(10_001), ..decision(&case, 2.0) },
    ] {
        assert!(matches!(place.decide(wrong).await, Err(ServiceError::Invalid { .. })));
    }
    let mut nowhere = decision(&case, 2.0);
    nowhere.item.unit = Unit::Passage("p1".to_owned());
    assert!(matches!(place.decide(nowhere).await, Err(ServiceError::NotFound { .. })));
    let old = NewDecision { rubric_version: 7, ..decision(&case, 2.0) };
    assert!(matches!(place.decide(old).await, Err(ServiceError::Conflict { .. })));
}

#[tokio::test]
async fn who_labels_a_conversation_neither_sees_nor_decides_it() {
    let place = Place::contested().await;
    place.service.set_overlap(place.project, 3, None).await.unwrap();
    let seen = place.case("first").await;
    let desk = place.service.label_task(place.project, place.lead).await.unwrap().unwrap();
    assert_eq!(desk.conversation.id, "first");
    assert_eq!(place.queue(QueueOrder::People).await, ["second"]);
    let sealed = place.service.adjudication_case(place.project, &item("first"), place.viewer()).await;
    assert!(matches!(sealed, Err(ServiceError::NotFound { .. })));
    assert!(place.decide(decision(&seen, 3.0)).await.is_err());

    // Others wait until it is submitted.
    let store = place.service.store();
    let new = NewUser { name: "Lou".to_owned(), password_hash: "none".to_owned() };
    let other = store.create_user(&new, false, now()).await.unwrap().id;
    let waiting = place.service.adjudicate(place.project, decision(&seen, 3.0), other).await;
    assert!(matches!(waiting, Err(ServiceError::Conflict { .. })));
    let query = AdjudicationQuery::default();
    let queue = place.service.adjudication_queue(place.project, &query, Viewer::Member(other)).await.unwrap();
    assert_eq!((queue.items.len(), queue.on_desks), (1, 1));
}

#[tokio::test]
async fn references_are_built_from_decisions_and_judges_compared_with_them() {
    let place = Place::contested().await;
    let refused = place.service.build_references(place.project, ReferenceRule::Adjudicated, &[], None).await;
    assert!(refused.unwrap_err().to_string().contains("nothing has been adjudicated yet"));
    place.decide(decision(&place.case("first").await, 3.0)).await.unwrap();
    let references = place.build().await;
    assert_eq!((references.items.len(), references.without), (2, 1));
    // The rule of the last built references is the rule of reports.
    let report =
        place.service.comparison(place.project, &ComparisonQuery::default(), Viewer::Operator).await.unwrap();
    assert_eq!(report.reference.rule, ReferenceRule::Adjudicated);
    assert_eq!(report.criteria[0].references, 2);
    let bias = report.criteria[0].judges[0].bias.value().unwrap();
    assert!((bias - (1.0 - 3.0) / 2.0).abs() < 1e-12, "(4 − 3 + 1 − 4) ÷ 2, found {bias}");
    let median = ComparisonQuery {
        reference: ReferenceChoice::Labels { rule: Some(ReferenceRule::Median), annotators: Vec::new() },
        ..ComparisonQuery::default()
    };
    let median = place.service.comparison(place.project, &median, Viewer::Operator).await.unwrap();
    assert_eq!(median.criteria[0].references, 1);
}

#[tokio::test]
async fn references_go_elsewhere_and_back_byte_for_byte() {
    let from = Place::contested().await;
    from.decide(decision(&from.case("first").await, 3.0)).await.unwrap();
    from.build().await;
    let file = from.file().await;
    for known in [
        "\"provenance\":\"adjudicated\"",
        "\"by\":\"Lea\"",
        "\"reason\":\"guideline_gap\"",
        "\"rubric\":\"shop@1\"",
    ] {
        assert!(file.contains(known), "{known} is missing in {file}");
    }
    let again = from.service.import_references(from.project, &file).await.unwrap();
    assert!(!again.new, "what is here already changes nothing");
    let to = Place::with_conversations().await;
    assert!(to.service.import_references(to.project, &file).await.unwrap().new);
    assert_eq!(to.file().await, file);
    assert!(!to.service.import_references(to.project, &file).await.unwrap().new);
    for (from, into, says) in [
        ("shop@1", "shop@9", "rubric shop@9"),
        ("\"conversation\":\"first\"", "\"conversation\":\"gone\"", "gone"),
        ("\"unit\":\"conversation\"", "\"unit\":\"passage:p9\"", "passage:p9"),
        ("\"reference\":3", "\"reference\":3.5", "expected one of 1 (no)"),
        ("\"format\":1", "\"format\":1,\"more\":2", "unknown field `more`"),
    ] {
        let refused = to.service.import_references(to.project, &file.replacen(from, into, 1)).await;
        assert!(refused.as_ref().is_err_and(|error| error.to_string().contains(says)), "{says}: {refused:?}");
    }
    assert_eq!(to.file().await, file, "what is refused changes nothing");
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

#[tokio::test]
async fn real_disagreements_are_decided_and_taken_elsewhere() {
    let Some(folder) = data("mtrag") else { return };
    let rubric = std::fs::read_to_string(folder.join("rubric.toml")).unwrap();
    let [from, to] = [Place::empty(&rubric).await, Place::empty(&rubric).await];
    for (place, kinds) in [(&from, &[Kind::Conversations, Kind::Labels][..]), (&to, &[Kind::Conversations])] {
        for kind in kinds {
            let name = if *kind == Kind::Conversations { "conversations.jsonl" } else { "labels.csv" };
            let files = [folder.join(name)];
            let options = Options::default();
            place.service.import(place.project, *kind, &files, options, |_| {}).await.unwrap();
        }
    }
    let query = AdjudicationQuery::default();
    let queue = from.service.adjudication_queue(from.project, &query, from.viewer()).await.unwrap();
    let distances: Vec<f64> = queue.items.iter().map(|contested| contested.distance).collect();
    assert!(distances.len() > 20 && distances.is_sorted_by(|a, b| a >= b), "{} items", distances.len());
    for contested in queue.items.iter().take(20) {
        let case =
            from.service.adjudication_case(from.project, &contested.item, from.viewer()).await.unwrap();
        from.decide(decision(&case, case.labels[0].value)).await.unwrap();
    }
    let left = from.service.adjudication_queue(from.project, &query, from.viewer()).await.unwrap();
    assert_eq!((left.items.len(), left.decided), (queue.items.len() - 20, 20));
    from.build().await;
    let file = from.file().await;
    assert!(to.service.import_references(to.project, &file).await.unwrap().new);
    assert_eq!(to.file().await, file);
}
