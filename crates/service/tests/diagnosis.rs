//! Metrics and failing stages through the service: the demo's failure patterns, real labels and verdicts, a judge that copies people.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use domain::{Cause, Diagnosis, FailedAt, MetricFigures, SliceBy, Stage};
use service::{DiagnosisQuery, ProjectId, ReferenceChoice, Service, Viewer, import::Kind};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use time::OffsetDateTime;

const RUBRIC: &str = include_str!("../../../server/demo/rubric.toml");
const CONVERSATIONS: &str = include_str!("../../../server/demo/conversations.jsonl");
const LABELS: &str = include_str!("../../../server/demo/labels.csv");
const VERDICTS: &str = include_str!("../../../server/demo/verdicts.csv");

struct Imported {
    service: Service,
    project: ProjectId,
    _directory: tempfile::TempDir,
}

impl Imported {
    async fn new(rubric: Option<&str>, files: &[(Kind, &str)]) -> Imported {
        let directory = tempfile::tempdir().unwrap();
        let store = store::Store::open(directory.path().join("t.db")).await.unwrap();
        let service = Service::new(store, OffsetDateTime::now_utc);
        let rubric = rubric.map(|text| domain::Rubric::from_toml(text).unwrap());
        let project = service.create_project("p", rubric.as_ref(), None).await.unwrap().id;
        for (kind, text) in files {
            let name = if *kind == Kind::Conversations { "c.jsonl" } else { "v.csv" };
            service.import_text(project, *kind, name, text).await.unwrap();
        }
        Imported { service, project, _directory: directory }
    }

    async fn demo() -> Imported {
        let files =
            [(Kind::Conversations, CONVERSATIONS), (Kind::Labels, LABELS), (Kind::Verdicts, VERDICTS)];
        Imported::new(Some(RUBRIC), &files).await
    }

    async fn diagnosis(&self, query: &DiagnosisQuery) -> Diagnosis {
        self.service.diagnosis(self.project, query, Viewer::Operator).await.unwrap()
    }
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

async fn shared(set: &str) -> Option<Imported> {
    let folder = data(set)?;
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let (conversations, labels, verdicts) =
        (read("conversations.jsonl"), read("labels.csv"), read("verdicts.csv"));
    let files =
        [(Kind::Conversations, &*conversations), (Kind::Labels, &labels), (Kind::Verdicts, &verdicts)];
    Some(Imported::new(Some(&read("rubric.toml")), &files).await)
}

fn metric<'a>(report: &'a Diagnosis, id: &str) -> &'a MetricFigures {
    let ids: Vec<&str> = report.metrics.iter().map(|metric| metric.id.as_str()).collect();
    report.metrics.iter().find(|metric| metric.id == id).unwrap_or_else(|| panic!("no {id} in {ids:?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn each_failure_pattern_of_the_demo_is_found_in_its_stage() {
    let report = Imported::demo().await.diagnosis(&DiagnosisQuery::default()).await;
    let found: BTreeMap<&str, (Stage, Cause)> = report
        .failures
        .iter()
        .map(|failure| (failure.conversation.as_str(), (failure.stage, failure.cause)))
        .collect();
    for (conversations, stage, cause) in [
        (&["shop-03", "servicing-07"][..], Stage::Routing, Cause::Guessed),
        (&["shop-04", "servicing-08"], Stage::Routing, Cause::WrongArgument),
        (&["shop-09", "servicing-09"], Stage::Routing, Cause::NeedlessTool),
        (&["servicing-19"], Stage::Routing, Cause::WrongTool),
        (&["servicing-20"], Stage::Routing, Cause::WrongCollection),
        (&["servicing-21"], Stage::Routing, Cause::QueryNotRefined),
        (&["shop-06", "servicing-04"], Stage::Retrieval, Cause::WrongSource),
        (&["shop-07", "servicing-05", "servicing-22", "shop-20"], Stage::Generation, Cause::WrongAnswer),
        (&["shop-08", "servicing-06", "servicing-02"], Stage::Generation, Cause::UnsupportedAddition),
        (&["shop-13", "servicing-14"], Stage::Generation, Cause::WrongAbstention),
        (&["servicing-12"], Stage::Generation, Cause::InventedAnswer),
        (&["shop-11"], Stage::Generation, Cause::HiddenOutage),
        (&["servicing-15"], Stage::Generation, Cause::WrongLanguage),
        (&["servicing-18"], Stage::Generation, Cause::HallucinatedCitation),
        (&["shop-18", "shop-14"], Stage::Generation, Cause::Incomplete),
    ] {
        for conversation in conversations {
            assert_eq!(found.get(conversation), Some(&(stage, cause)), "{conversation}");
        }
    }
    for sound in [
        "servicing-01",
        "servicing-03",
        "shop-01",
        "shop-02",
        "shop-05",
        "shop-10",
        "servicing-11",
        "servicing-10",
        "shop-12",
        "shop-15",
        "shop-16",
        "shop-17",
        "servicing-16",
        "servicing-17",
        "shop-21",
        "shop-23",
    ] {
        assert_eq!(found.get(sound), None, "{sound}");
    }
    assert_eq!(found["shop-19"].0, Stage::Generation);
    let FailedAt { routing, retrieval, generation, none, unjudged } = report.failed_at;
    assert_eq!(routing + retrieval + generation + none + unjudged, 46);
    assert_eq!((routing, retrieval, unjudged), (9, 2, 3));
    let causes: u64 = report.causes.iter().map(|cause| cause.count).sum();
    assert_eq!(causes, report.failures.len() as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_demo_has_every_metric_with_its_cells_and_slices() {
    let query = DiagnosisQuery { by: Some(SliceBy::Corpus), ..DiagnosisQuery::default() };
    let demo = Imported::demo().await;
    let report = demo.diagnosis(&query).await;
    let collections = metric(&report, "collections_ok");
    let (yes, no) = (collections.cells["yes"], collections.cells["no"]);
    #[expect(clippy::cast_precision_loss, reason = "a few conversations")]
    let rate = yes as f64 / (yes + no) as f64;
    assert!((collections.estimate.value().unwrap() - rate).abs() < 1e-12);
    assert!(collections.by["path"].contains_key("rag") && collections.cells["not_applicable"] > 0);
    let abstention = metric(&report, "appropriate_abstention");
    assert_eq!(abstention.cells.values().sum::<u64>(), abstention.estimate.n());
    assert!(abstention.cells["wrong_abstention"] >= 2 && abstention.cells["wrong_answer"] >= 1);
    let relevance = metric(&report, "ndcg_lin@5");
    assert_eq!(relevance.by["corpus"].len(), 2);
    assert!(relevance.estimate.interval().is_some() && relevance.paired.is_some());
    assert_eq!(relevance.undefined.values().sum::<u64>(), relevance.estimate.missing());
    let completeness = metric(&report, "completeness");
    assert_eq!(
        completeness.tail.histogram.iter().map(|bin| bin.count).sum::<u64>(),
        completeness.estimate.n()
    );
    let worst: Vec<f64> = completeness.tail.worst.iter().map(|worst| worst.value).collect();
    assert!(worst.windows(2).all(|pair| pair[0] <= pair[1]) && worst[0] < 4.0);
    let kept = demo.diagnosis(&query).await;
    assert_eq!(kept, report, "the kept report is the same");
    let text = serde_json::to_string(&report).unwrap();
    assert!(!text.contains("NaN"));
}

/// The labels of one person as the verdicts of a judge.
fn copied() -> String {
    let mut rows = String::from("judge,conversation,unit,criterion,value\n");
    for line in LABELS.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        if cells[0] == "ada" {
            rows.push_str(&format!("copy,{},{},{},{}\n", cells[1], cells[2], cells[3], cells[4]));
        }
    }
    rows
}

#[tokio::test(flavor = "multi_thread")]
async fn from_a_judge_that_copies_a_person_every_metric_is_the_same() {
    let demo =
        Imported::new(Some(RUBRIC), &[(Kind::Conversations, CONVERSATIONS), (Kind::Labels, LABELS)]).await;
    let reference = ReferenceChoice::Labels { rule: None, annotators: vec!["ada".to_owned()] };
    let query = DiagnosisQuery { reference: reference.clone(), ..DiagnosisQuery::default() };
    let people = demo.diagnosis(&query).await;
    assert!(people.metrics.iter().all(|metric| metric.paired.is_none()));
    demo.service.import_text(demo.project, Kind::Verdicts, "v.csv", &copied()).await.unwrap();
    let judge = demo
        .diagnosis(&DiagnosisQuery { from: "copy".to_owned(), reference, ..DiagnosisQuery::default() })
        .await;
    assert_eq!(judge.failed_at, people.failed_at);
    assert_eq!(judge.failures, people.failures);
    for (from_people, from_judge) in people.metrics.iter().zip(&judge.metrics) {
        assert_eq!(from_people.estimate, from_judge.estimate, "{}", from_people.id);
        assert_eq!(from_people.cells, from_judge.cells, "{}", from_people.id);
        let paired = from_judge.paired.as_ref().unwrap();
        assert_eq!(paired.judge, "labels");
        if paired.difference.n() > 0 {
            assert!(paired.difference.value().unwrap().abs() < 1e-12, "{}", from_people.id);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_labels_the_checks_alone_speak() {
    let Some(folder) = data("tau-airline") else { return };
    let conversations = std::fs::read_to_string(folder.join("conversations.jsonl")).unwrap();
    let tau = Imported::new(None, &[(Kind::Conversations, &conversations)]).await;
    let report = tau.diagnosis(&DiagnosisQuery::default()).await;
    let checks =
        tau.service.check(tau.project, &service::CheckQuery::default(), Viewer::Operator).await.unwrap();
    let failed = report.failed_at;
    assert_eq!(failed.routing + failed.retrieval + failed.generation, checks.totals.failed);
    assert_eq!((failed.none, failed.unjudged), (0, checks.totals.passed));
}

#[tokio::test(flavor = "multi_thread")]
async fn tails_are_cut_by_what_is_asked() {
    let Some(mtrag) = shared("mtrag").await else { return };
    let query = DiagnosisQuery { by: Some(SliceBy::Category), ..DiagnosisQuery::default() };
    let report = mtrag.diagnosis(&query).await;
    let faithfulness = metric(&report, "faithfulness");
    assert!(faithfulness.by["category"].len() > 1);
    assert!(faithfulness.tail.beyond.value().is_some() && !faithfulness.tail.worst.is_empty());
    assert_eq!(faithfulness.estimate.interval().unwrap().clusters, 20);
    assert!(faithfulness.tail.worst.iter().all(|worst| worst.value < 3.0));
}

/// nDCG@10 with linear gain of one question, written down once more.
fn ndcg(ranked: &[f64], judged: &[f64]) -> Option<f64> {
    let gain = |grades: &[f64]| -> f64 {
        grades.iter().take(10).zip(2_u32..).map(|(grade, place)| grade / f64::from(place).log2()).sum()
    };
    let mut ideal = judged.to_vec();
    ideal.sort_by(|a, b| b.total_cmp(a));
    (gain(&ideal) > 0.0).then(|| gain(ranked) / gain(&ideal))
}

#[tokio::test(flavor = "multi_thread")]
async fn passages_in_the_order_of_one_judge_are_measured_by_another() {
    let Some(llmjudge) = shared("llmjudge").await else { return };
    let (ranker, other) = ("willia-umbrela1", "h2oloo-fewself");
    let query = DiagnosisQuery {
        k: 10,
        judge: Some(other.to_owned()),
        ranked_by: Some(ranker.to_owned()),
        ..DiagnosisQuery::default()
    };
    let report = llmjudge.diagnosis(&query).await;
    let found = metric(&report, "ndcg_lin@10");
    let folder = data("llmjudge").unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let mut grades: BTreeMap<(String, String, String), f64> = BTreeMap::new();
    for line in read("labels.csv").lines().skip(1).chain(read("verdicts.csv").lines().skip(1)) {
        let cells: Vec<&str> = line.split(',').collect();
        let who = if cells[0] == "assessor" { "labels" } else { cells[0] };
        if let Some(Ok(value)) = cells.get(4).map(|cell| cell.parse::<f64>()) {
            grades.insert((who.to_owned(), cells[1].to_owned(), cells[2].to_owned()), value);
        }
    }
    let mean = |who: &str| {
        let values: Vec<f64> = read("conversations.jsonl")
            .lines()
            .filter_map(|line| {
                let conversation: serde_json::Value = serde_json::from_str(line).unwrap();
                let id = conversation["id"].as_str().unwrap().to_owned();
                let of = |who: &str, unit: &str| {
                    grades.get(&(who.to_owned(), id.clone(), unit.to_owned())).copied()
                };
                let mut units: Vec<String> = conversation["passages"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|passage| format!("passage:{}", passage["id"].as_str().unwrap()))
                    .collect();
                units.sort_by(|a, b| of(ranker, b).unwrap().total_cmp(&of(ranker, a).unwrap()));
                let ranked: Vec<f64> = units.iter().map(|unit| of(who, unit).unwrap()).collect();
                ndcg(&ranked, &ranked)
            })
            .collect();
        #[expect(clippy::cast_precision_loss, reason = "25 questions")]
        let count = values.len() as f64;
        values.iter().sum::<f64>() / count
    };
    assert!((found.estimate.value().unwrap() - mean("labels")).abs() < 1e-12);
    let paired = found.paired.as_ref().unwrap();
    assert_eq!((paired.judge.as_str(), paired.difference.n()), (other, 25));
    assert!((paired.estimate.value().unwrap() - mean(other)).abs() < 1e-12);
    assert!(paired.correlation.value().is_some() && paired.difference.interval().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_worst_conversation_is_shown_at_what_lowers_it() {
    let demo = Imported::demo().await;
    let query = DiagnosisQuery::default();
    let worst = async |metric: &str, conversation: &str| {
        let found = demo.service.worst_of(demo.project, &query, metric, conversation, Viewer::Operator).await;
        found.unwrap().map(|(_, worst)| (worst.unit.unwrap_or_default(), worst.says.unwrap_or_default()))
    };
    for metric in ["citation_correctness", "faithfulness_to_cited"] {
        let (unit, says) = worst(metric, "shop-08").await.unwrap();
        assert_eq!(
            (unit.as_str(), says.as_str()),
            ("citation:a2/p1", "the cited passage does not support it")
        );
    }
    let (_, says) = worst("hallucinated_citations", "servicing-18").await.unwrap();
    assert_eq!(says, "it cites a passage that does not exist");
    assert_eq!(worst("citation_correctness", "servicing-01").await, None, "nothing is wrong there");
    assert_eq!(worst("beauty", "shop-08").await, None);
}

/// What a person may see changes with every assignment that is opened or submitted, and a kept report never outlives that.
#[tokio::test(flavor = "multi_thread")]
async fn a_kept_report_is_not_shown_once_the_seal_has_changed() {
    let demo = Imported::demo().await;
    let (store, now) = (demo.service.store(), OffsetDateTime::now_utc());
    let user = |name: &str| store::NewUser { name: name.to_owned(), password_hash: "$".to_owned() };
    let lead = store.create_user(&user("Lead"), false, now).await.unwrap().id;
    let other = store.create_user(&user("Other"), false, now).await.unwrap().id;
    let query = DiagnosisQuery::default();
    let seen = async |viewer: Viewer| demo.service.diagnosis(demo.project, &query, viewer).await.unwrap();
    let everything = seen(Viewer::Operator).await;
    assert_eq!(seen(Viewer::Member(lead)).await, everything, "nothing is sealed to the lead");

    let task = demo.service.label_task(demo.project, lead).await.unwrap().unwrap();
    let sealed = seen(Viewer::Member(lead)).await;
    assert_eq!(sealed.conversations, everything.conversations - 1);
    let named = |report: &Diagnosis| {
        serde_json::to_string(report).unwrap().contains(&format!("\"{}\"", task.conversation.id))
    };
    assert!(!named(&sealed), "the sealed conversation is in the report");
    assert_eq!(seen(Viewer::Member(lead)).await, sealed, "also when it is asked for again");
    assert_eq!(seen(Viewer::Member(other)).await, everything, "the seal is one person's");
    assert_eq!(seen(Viewer::Operator).await, everything);

    demo.service.skip(demo.project, lead, &task.conversation.id, "too long").await.unwrap();
    assert_eq!(seen(Viewer::Member(lead)).await, everything, "the seal has opened");
    let before = everything.data_hash;
    let row = "annotator,conversation,unit,criterion,value\nzoe,servicing-01,conversation,coherence,1\n";
    demo.service.import_text(demo.project, Kind::Labels, "l.csv", row).await.unwrap();
    assert_ne!(seen(Viewer::Operator).await.data_hash, before, "a new label is in the report");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_is_read_from_an_address() {
    let asked = |from: &str, judge: &str, by: &str, k: &str| {
        DiagnosisQuery::asked(Some(from.to_owned()), Some(judge.to_owned()), Some(by), Some(k))
    };
    assert_eq!(asked("", "", "", "").unwrap(), DiagnosisQuery::default());
    let query = asked("j", "other", "corpus", "3").unwrap();
    assert_eq!((query.from.as_str(), query.judge, query.by, query.k), ("j", None, Some(SliceBy::Corpus), 3));
    assert!(asked("", "", "mood", "").unwrap_err().to_string().contains("mood"));
    assert!(asked("", "", "", "-1").unwrap_err().to_string().contains("found -1"));
}
