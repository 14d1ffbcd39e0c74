//! Files of other tools through the service: all that they hold goes in, or nothing and the reason.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use domain::{ImportReport, PrivateKind, RedactionRules, Role, Rubric, Taken};
use service::{
    ExportFormat, ProjectId, Service, ServiceError, Viewer,
    import::{ImportFile, ImportRequest, Kind, Options, Writer},
};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{Seek, Write},
    path::{Path, PathBuf},
};
use store::{NewUser, Store};
use time::OffsetDateTime;

const RUBRIC: &str = r#"
    name = "r"
    version = 1
    [[scale]]
    id = "yes-no"
    kind = "binary"
    levels = [{ value = 0, name = "no" }, { value = 1, name = "yes" }]
    [[scale]]
    id = "five"
    kind = "ordinal"
    levels = [{ value = 1, name = "1" }, { value = 2, name = "2" }, { value = 3, name = "3" }, { value = 4, name = "4" }, { value = 5, name = "5" }]
    [[criterion]]
    id = "correctness"
    component = "generation"
    unit = "conversation"
    scale = "yes-no"
    question = "Is it correct?"
    [[criterion]]
    id = "helpful"
    component = "generation"
    unit = "conversation"
    scale = "five"
    question = "Does it help?"
"#;

struct Place {
    service: Service,
    project: ProjectId,
    directory: tempfile::TempDir,
}

impl Place {
    async fn new() -> Place {
        let place = Place::without_rubric().await;
        place.service.publish_rubric(place.project, &Rubric::from_toml(RUBRIC).unwrap(), None).await.unwrap();
        place
    }

    async fn without_rubric() -> Place {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path().join("touchstone.db")).await.unwrap();
        let service = Service::new(store, OffsetDateTime::now_utc);
        let project = service.create_project("shop", None, None).await.unwrap().id;
        Place { service, project, directory }
    }

    async fn import(&self, path: &Path, request: ImportRequest) -> Result<ImportReport, ServiceError> {
        self.service.import_file(self.project, ImportFile::at(path)?, request, Viewer::Operator, |_| {}).await
    }

    async fn text(
        &self,
        name: &str,
        text: impl AsRef<[u8]>,
        request: ImportRequest,
    ) -> Result<ImportReport, ServiceError> {
        let path = self.directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        self.import(&path, request).await
    }

    /// How many rows every table has.
    async fn rows(&self) -> Vec<(&'static str, u64)> {
        self.service.store().check().await.unwrap().rows
    }
}

fn dry() -> ImportRequest {
    ImportRequest { options: Options { dry_run: true, ..Options::default() }, ..ImportRequest::default() }
}

fn from(tool: &str) -> ImportRequest {
    ImportRequest { from: Some(tool.parse::<Writer>().unwrap()), ..ImportRequest::default() }
}

/// The files of the shared exports, in order; none, and a word about it, where they are not there.
fn exports() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/exports");
    let Ok(folders) = std::fs::read_dir(&root) else {
        println!("skipped: {} is not there", root.display());
        return Vec::new();
    };
    let folders = folders.map(|folder| folder.unwrap().path()).filter(|folder| folder.is_dir());
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

#[tokio::test(flavor = "multi_thread")]
async fn every_export_goes_in_whole_or_is_refused_with_the_reason() {
    let (mut taken, mut refused) = (0, 0);
    for file in exports() {
        let place = Place::new().await;
        let before = place.rows().await;
        let looked_at = place.import(&file, dry()).await;
        assert_eq!(place.rows().await, before, "a dry run stores nothing: {}", file.display());
        match place.import(&file, ImportRequest::default()).await {
            Ok(report) => {
                let looked_at = looked_at.unwrap();
                assert_eq!(ImportReport { dry_run: false, ..looked_at }, report, "{}", file.display());
                assert!(report.conversations.new > 0, "{}", file.display());
                assert!(report.first.is_some() && !report.read.is_empty(), "{}", file.display());
                let again = place.import(&file, ImportRequest::default()).await.unwrap();
                let counts = |report: &ImportReport| [report.conversations, report.labels, report.verdicts];
                for (again, first) in counts(&again).into_iter().zip(counts(&report)) {
                    let unchanged = Taken { new: 0, unchanged: first.total() };
                    assert_eq!(again, unchanged, "{} imported twice", file.display());
                }
                taken += 1;
            }
            Err(ServiceError::Faults(faults)) => {
                assert!(faults[0].to_string().contains("expected"), "{}", faults[0]);
                assert_eq!(place.rows().await, before, "nothing half-written: {}", file.display());
                refused += 1;
            }
            Err(other) => panic!("{}: {other}", file.display()),
        }
    }
    println!("{taken} taken, {refused} refused");
}

const RAGAS: &str = r#"[{"user_input": "May I return it?", "response": "Within 30 days.", "retrieved_contexts": ["Thirty days."],
    "correctness": 1, "helpful": 7, "toxicity": 0.1}]"#;

#[tokio::test(flavor = "multi_thread")]
async fn what_the_rubric_does_not_ask_is_left_out_and_said() {
    let place = Place::new().await;
    let report = place.text("ragas.json", RAGAS, ImportRequest::default()).await.unwrap();
    assert_eq!((report.from.as_str(), report.records, report.passages), ("ragas", 1, 1));
    // Off the scale is a failure of the instrument, and never left out.
    assert_eq!((report.verdicts.new, report.failures), (2, 1));
    let said: Vec<(&str, u64)> =
        report.left_out.iter().map(|field| (field.field.as_str(), field.count)).collect();
    assert_eq!(said, [("verdict of `toxicity`", 1)]);
    let audit = place.service.store().audit(place.project, 1).await.unwrap();
    assert_eq!(audit[0].action, "import");
    assert!(audit[0].detail.contains("ragas.json from ragas: 1 new conversations"), "{}", audit[0].detail);
    let bare = Place::without_rubric().await;
    let report = bare.text("ragas.json", RAGAS, ImportRequest::default()).await.unwrap();
    assert_eq!((report.conversations.new, report.verdicts.total(), report.left_out.len()), (1, 0, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_ours_are_known_by_their_first_line() {
    let place = Place::new().await;
    let conversations =
        r#"{"id": "c1", "question": "criterion of a conversation?", "answer": {"text": "a"}}"#;
    let report = place.text("c.jsonl", conversations, ImportRequest::default()).await.unwrap();
    assert_eq!((report.from.as_str(), report.conversations.new), ("touchstone", 1));
    let labels = "annotator,conversation,criterion,value\nada,c1,helpful,4\nben,c1,helpful,\n";
    let report = place.text("l.csv", labels, ImportRequest::default()).await.unwrap();
    assert_eq!((report.labels.new, report.missing, report.records), (1, 1, 2));
    let verdicts = r#"{"judge": "j", "conversation": "c1", "criterion": "helpful", "value": 4}"#;
    let report = place.text("v.jsonl", verdicts, ImportRequest::default()).await.unwrap();
    assert_eq!(report.verdicts.new, 1);
    // A file of ours asks for its rubric's criteria: a name that is none is a mistake, not a field too many.
    let wrong = "annotator,conversation,criterion,value\nada,c1,toxicity,4\n";
    let refused = place.text("w.csv", wrong, ImportRequest::default()).await.unwrap_err().to_string();
    assert!(refused.contains("w.csv:2: criterion: found toxicity"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_goes_in_by_its_mapping_and_one_kind_of_rows_alone() {
    let place = Place::new().await;
    let table = "Frage,Antwort,Laden\nDarf ich?,Ja.,Nord\n";
    let refused = place.text("faq.csv", table, ImportRequest::default()).await.unwrap_err().to_string();
    assert!(refused.contains("found the columns Frage, Antwort, Laden"), "{refused}");
    let columns = [("question", "Frage"), ("answer", "Antwort")];
    let columns = columns.map(|(ours, theirs)| (ours.to_owned(), theirs.to_owned())).into();
    let report =
        place.text("faq.csv", table, ImportRequest { columns, ..ImportRequest::default() }).await.unwrap();
    let first = report.first.unwrap();
    assert_eq!((report.from.as_str(), first.question()), ("csv", "Darf ich?"));
    assert_eq!(first.metadata.unwrap()["Laden"], "Nord");
    let only = ImportRequest { only: Some(Kind::Conversations), ..ImportRequest::default() };
    let report = place.text("ragas.json", RAGAS, only).await.unwrap();
    assert_eq!((report.conversations.new, report.verdicts.total()), (1, 0));
    assert_eq!((report.left_out[0].field.as_str(), report.left_out[0].count), ("verdicts", 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_cannot_be_taken_leaves_nothing() {
    let place = Place::new().await;
    let before = place.rows().await;
    let cut_off = &RAGAS[..RAGAS.len() - 20];
    let bad_label = r#"[{"id": 7, "data": {"question": "q", "answer": "a"}, "annotations": [{"completed_by": 1,
        "result": [{"type": "choices", "from_name": "helpful", "value": {"choices": ["9"]}}]}]}]"#;
    let half = r#"[{"user_input": "q", "response": "a"}, {"user_input": "lonely"}]"#;
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let cases: [(&str, &[u8], &str); 10] = [
        ("empty.json", b"", "found an empty file"),
        ("blank.json", b" \n\n", "found an empty file"),
        ("cut.json", cut_off.as_bytes(), "cut off"),
        ("bytes.json", b"{\"traces\": \"\xff\xfe\"}", "UTF-8"),
        ("archive.eval", b"PK\x03\x04....", "zip archive"),
        ("strange.json", br#"{"colour": "red"}"#, "found the fields colour"),
        ("deep.json", deep.as_bytes(), "recursion limit"),
        ("label.json", bad_label.as_bytes(), "task 7, helpful: value: found 9"),
        ("half.json", half.as_bytes(), "record 2"),
        ("twice.csv", b"question,question\nq,a\n", "a name of its own"),
    ];
    for (name, text, says) in cases {
        let refused = place.text(name, text, ImportRequest::default()).await.unwrap_err().to_string();
        assert!(refused.contains(says) && refused.contains(name), "`{says}` is not in {refused}");
        assert!(refused.len() < 1_500, "a message is no copy of the file: {refused}");
        assert_eq!(place.rows().await, before, "nothing half-written: {name}");
    }
    // A dry run says beside the reason what was understood.
    let report = place.text("half.json", half, dry()).await.unwrap();
    assert_eq!((report.conversations.new, report.refused, report.faults.len()), (1, 1, 1));
    let good = ImportRequest {
        options: Options { keep_going: true, ..Options::default() },
        ..ImportRequest::default()
    };
    let report = place.text("half.json", half, good).await.unwrap();
    assert_eq!((report.conversations.new, report.refused), (1, 1));
    let rejected = std::fs::read_to_string(&report.refused_to[0]).unwrap();
    assert!(rejected.contains("record 2"), "{rejected}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_enormous_file_is_refused_before_it_is_read() {
    let place = Place::new().await;
    let before = place.rows().await;
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(b"[").unwrap();
    file.set_len(service::import::LARGEST_FILE as u64 + 1).unwrap();
    file.rewind().unwrap();
    let file = ImportFile::sent("huge.json", file);
    let refused =
        place.service.import_file(place.project, file, from("langfuse"), Viewer::Operator, |_| {}).await;
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("huge.json") && refused.contains("export it in parts"), "{refused}");
    assert_eq!(place.rows().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_learns_by_importing_what_is_sealed() {
    let place = Place::new().await;
    let conversation = r#"{"id": "c1", "question": "q", "answer": {"text": "a"}}"#;
    place.text("c.jsonl", conversation, ImportRequest::default()).await.unwrap();
    let labels = "annotator,conversation,criterion,value\nada,c1,helpful,4\n";
    place.text("l.csv", labels, ImportRequest::default()).await.unwrap();
    let now = OffsetDateTime::now_utc();
    let new = NewUser { name: "lead".to_owned(), password_hash: "none".to_owned() };
    let lead = place.service.store().create_user(&new, false, now).await.unwrap();
    let invitation = place.service.invite(place.project, Role::Lead, None).await.unwrap();
    place.service.join(&invitation, lead.id).await.unwrap();
    assert!(place.service.label_task(place.project, lead.id).await.unwrap().is_some());
    let mut answers = Vec::new();
    for value in [3, 4] {
        let mut file: File = tempfile::tempfile().unwrap();
        write!(file, "annotator,conversation,criterion,value\nada,c1,helpful,{value}\n").unwrap();
        file.rewind().unwrap();
        let file = ImportFile::sent("guess.csv", file);
        let viewer = Viewer::Member(lead.id);
        let answer =
            place.service.import_file(place.project, file, ImportRequest::default(), viewer, |_| {}).await;
        answers.push(answer.unwrap_err().to_string());
    }
    assert_eq!(answers[0], answers[1], "a right guess is answered like a wrong one");
    assert!(answers[0].contains("sealed to you"), "{}", answers[0]);
}

/// All that the database keeps, in its file and beside it.
fn bytes_of(place: &Place) -> Vec<u8> {
    let files = std::fs::read_dir(place.directory.path()).unwrap().map(|file| file.unwrap().path());
    let kept = files.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("touchstone.db"));
    kept.flat_map(|path| std::fs::read(path).unwrap()).collect()
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_redaction_takes_out_is_nowhere_in_the_file() {
    let place = Place::new().await;
    let rules = RedactionRules {
        kinds: PrivateKind::ALL.to_vec(),
        orders: vec!["ORD-####".to_owned()],
        own: vec!["customer = K[0-9]{4}".parse().unwrap()],
    };
    place.service.set_redaction_rules(place.project, &rules, None).await.unwrap();
    let private = [
        "ada.lovelace@example.com",
        "0170/7654321",
        "DE89 3704 0044 0532 0130 00",
        "4111 1111 1111 1111",
        "ORD-4711",
        "K0815",
    ];
    let text = format!("I am {}", private.join(" and "));
    let conversation = serde_json::json!({"id": format!("c {}", private[0]), "question": text, "answer": {"text": text},
        "passages": [{"id": "p1", "document": private[0], "text": text}], "context": text, "metadata": {private[0]: [text], "order": text},
        "routing": {"agent": private[0], "tool_calls": [{"name": "f", "arguments": {"who": text}, "result": text, "error": text}]},
        "expected": {"answer": text, "owner": private[0]}, "messages": [{"role": "user", "content": text}], "surprise": text});
    let label = format!(
        "annotator,conversation,criterion,value,comment\n{0},c {0},helpful,4,\"{text}\"\n",
        private[0]
    );
    let verdict = serde_json::json!({"judge": "j", "conversation": format!("c {}", private[0]), "criterion": "helpful", "value": text,
        "reason": text, "raw": text});
    let failure = serde_json::json!({"judge": "j", "conversation": format!("c {}", private[0]), "criterion": "correctness", "error": text});
    let ragas = serde_json::json!([{"user_input": text, "response": text, "retrieved_contexts": [text], "reference": text}]).to_string();
    let label_studio = serde_json::json!([{"id": 1, "data": {"question": text, "answer": text, "shop": text}, "annotations": [
        {"completed_by": {"email": private[0]}, "result": [{"type": "rating", "from_name": "helpful", "value": {"rating": 4}}]}]}]).to_string();
    let table = format!("question,answer\n\"{text}\",\"{text}\"\n");
    let mut counted = 0;
    for (name, text) in [
        ("conversations.jsonl", conversation.to_string()),
        ("labels.csv", label),
        ("verdicts.jsonl", format!("{verdict}\n{failure}\n")),
        ("ragas.json", ragas),
        ("tasks.json", label_studio),
        ("ada.lovelace@example.com.csv", table),
    ] {
        let mapped = [("question".to_owned(), "question".to_owned())].into();
        let columns = if name.contains('@') { mapped } else { Default::default() };
        let request = ImportRequest { columns, ..ImportRequest::default() };
        let looked_at =
            ImportRequest { options: Options { dry_run: true, ..Options::default() }, ..request.clone() };
        let looked_at = place.text(name, &text, looked_at).await.unwrap();
        let report = place.text(name, &text, request.clone()).await.unwrap();
        assert_eq!(looked_at.redacted, report.redacted, "{name}");
        assert!(
            report.redacted.iter().any(|redacted| redacted.rule == "e-mail"),
            "{name}: {:?}",
            report.redacted
        );
        counted += report.redacted.iter().map(|redacted| redacted.places).sum::<u64>();
        if let Some(first) = report.first {
            let shown = serde_json::to_string(&first).unwrap();
            assert!(private.iter().all(|private| !shown.contains(private)), "{name}: {shown}");
        }
        let again = place.text(name, &text, request).await.unwrap();
        assert_eq!(
            again.conversations.new + again.labels.new + again.verdicts.new,
            0,
            "{name} imported twice"
        );
    }
    assert!(counted > 80, "{counted}");
    let kept = bytes_of(&place);
    for private in private {
        assert!(!holds(&kept, private), "{private} is in the file");
    }
    assert!(
        holds(&kept, "[e-mail 1]") && holds(&kept, "[order 1]"),
        "the same value has the same placeholder"
    );
    assert!(!holds(&kept, "[phone 2]") && !holds(&kept, "[card 2]"));
    // What is no rule any more stays in.
    place.service.set_redaction_rules(place.project, &RedactionRules::default(), None).await.unwrap();
    place
        .text("plain.jsonl", r#"{"id": "p", "question": "ben@example.com"}"#, ImportRequest::default())
        .await
        .unwrap();
    assert!(holds(&bytes_of(&place), "ben@example.com"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mapping_is_remembered_by_its_name_once_its_import_stands() {
    let place = Place::new().await;
    let table = "Frage,Antwort\nDarf ich?,Ja.\n";
    let columns: BTreeMap<String, String> = [("question", "Frage"), ("answer", "Antwort")]
        .map(|(ours, theirs)| (ours.to_owned(), theirs.to_owned()))
        .into();
    let named = |columns: &BTreeMap<String, String>, options| ImportRequest {
        columns: columns.clone(),
        mapping: Some("faq".to_owned()),
        options,
        ..ImportRequest::default()
    };
    let none = BTreeMap::new();
    let unknown =
        place.text("faq.csv", table, named(&none, Options::default())).await.unwrap_err().to_string();
    assert!(unknown.contains("there are none yet"), "{unknown}");
    place.text("faq.csv", table, named(&columns, dry().options)).await.unwrap();
    assert!(place.service.column_mappings(place.project).await.unwrap().is_empty());
    place.text("faq.csv", table, named(&columns, Options::default())).await.unwrap();
    assert_eq!(place.service.column_mappings(place.project).await.unwrap()["faq"], columns);
    let report = place
        .text("more.csv", "Frage,Antwort\nWann?,Jetzt.\n", named(&none, Options::default()))
        .await
        .unwrap();
    assert_eq!(report.conversations.new, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_to_label_studio_is_read_back_with_the_same_labels() {
    let place = Place::new().await;
    let conversations = concat!(
        r#"{"id": "c1", "question": "May I?", "answer": {"text": "Yes."}, "passages": [{"id": "p1", "text": "You may."}], "metadata": {"shop": "north"}}"#,
        "\n",
        r#"{"id": "c2", "messages": [{"role": "user", "content": "When?"}], "answer": {"text": "Now."}, "expected": {"answer": "Today."}}"#,
    );
    place.text("c.jsonl", conversations, ImportRequest::default()).await.unwrap();
    let labels = "annotator,conversation,criterion,value,pass,comment\nada,c1,helpful,4,0,good\nada,c1,correctness,1,0,\n\
                  ada,c1,helpful,5,1,\nben,c1,helpful,2,0,\nben,c2,correctness,0,0,no\n";
    place.text("l.csv", labels, ImportRequest::default()).await.unwrap();
    let export = async |format| place.service.export(place.project, format, Viewer::Operator).await.unwrap();
    let tasks = export(ExportFormat::LabelStudio).await;
    let other = Place::new().await;
    let report = other.text("tasks.json", &tasks, ImportRequest::default()).await.unwrap();
    assert_eq!((report.from.as_str(), report.conversations.new, report.labels.new), ("label-studio", 2, 5));
    assert_eq!(labels_of(&other).await, labels_of(&place).await);
    let samples = export(ExportFormat::Ragas).await;
    let report = Place::new().await.text("ragas.json", &samples, ImportRequest::default()).await.unwrap();
    assert_eq!((report.from.as_str(), report.conversations.new, report.passages), ("ragas", 2, 1));
    let lines = export(ExportFormat::HuggingFace).await;
    let lines: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names = |line: &serde_json::Value| line.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!((lines.len(), names(&lines[0])), (2, names(&lines[1])));
    assert_eq!(
        (lines[0]["labels"].as_array().unwrap().len(), &lines[1]["expected_answer"]),
        (4, &"Today.".into())
    );
    let audit = place.service.store().audit(place.project, 10).await.unwrap();
    let exports: Vec<&str> =
        audit.iter().filter(|entry| entry.action == "export").map(|entry| entry.detail.as_str()).collect();
    assert_eq!(
        exports,
        ["huggingface: 2 conversations", "ragas: 2 conversations", "label-studio: 2 conversations"]
    );
}

async fn labels_of(place: &Place) -> Vec<String> {
    let mut known = BTreeMap::new();
    let each = |stored: store::StoredConversation| {
        known.insert(stored.id, stored.conversation.id);
    };
    place.service.store().visit_conversations(place.project, Viewer::Operator, each).await.unwrap();
    let labels = place.service.store().labels(place.project, None, Viewer::Operator).await.unwrap();
    let mut said: Vec<String> = labels
        .iter()
        .map(|label| {
            let conversation = &known[&label.conversation];
            format!(
                "{} {conversation} {} {} {} {} {:?}",
                label.annotator, label.unit, label.criterion, label.pass, label.value, label.comment
            )
        })
        .collect();
    said.sort();
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_that_is_viewed_is_in_the_audit_log_once_a_day() {
    let place = Place::new().await;
    place.text("c.jsonl", r#"{"id": "c1", "question": "q"}"#, ImportRequest::default()).await.unwrap();
    let new = NewUser { name: "lead".to_owned(), password_hash: "none".to_owned() };
    let lead = place.service.store().create_user(&new, false, OffsetDateTime::now_utc()).await.unwrap();
    for _ in 0..3 {
        place.service.view_conversation(place.project, "c1", lead.id).await.unwrap();
    }
    let audit = place.service.store().audit(place.project, 10).await.unwrap();
    let views =
        audit.iter().filter(|entry| entry.action == "view_conversation" && entry.detail == "c1").count();
    // Where midnight falls between them there are two.
    assert!((1..=2).contains(&views), "{views}");
    assert!(place.service.view_conversation(place.project, "none", lead.id).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_waits_is_its_persons_alone_and_imported_once() {
    let place = Place::new().await;
    let now = OffsetDateTime::now_utc();
    let mut people = Vec::new();
    for name in ["lead", "other"] {
        let new = NewUser { name: name.to_owned(), password_hash: "none".to_owned() };
        people.push(place.service.store().create_user(&new, false, now).await.unwrap().id);
    }
    let [lead, other] = people.try_into().unwrap();
    let sent = |text: &str| {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        file
    };
    let empty = place.service.stage(place.project, lead, "a.csv", sent("")).await.unwrap_err().to_string();
    assert!(empty.contains("the file is empty"), "{empty}");
    let id =
        place.service.stage(place.project, lead, "a.csv", sent("\"Fra,ge\",Antwort\nq,a\n")).await.unwrap();
    assert!(place.service.staged(place.project, other, &id).is_err());
    let waiting = place.service.staged(place.project, lead, &id).unwrap();
    assert_eq!(waiting.columns, ["Fra,ge", "Antwort"]);
    let columns: BTreeMap<String, String> = [("question", "Fra,ge"), ("answer", "Antwort")]
        .map(|(ours, theirs)| (ours.to_owned(), theirs.to_owned()))
        .into();
    let request = ImportRequest {
        columns: columns.clone(),
        mapping: Some("faq".to_owned()),
        ..ImportRequest::default()
    };
    place.service.choose_import(place.project, lead, &id, request).unwrap();
    let before = place.rows().await;
    let looked_at = place.service.import_staged(place.project, lead, &id, true).await.unwrap();
    assert_eq!((looked_at.conversations.new, place.rows().await), (1, before));
    let report = place.service.import_staged(place.project, lead, &id, false).await.unwrap();
    assert_eq!(place.service.staged(place.project, lead, &id).unwrap().done, Some(report));
    let again = place.service.import_staged(place.project, lead, &id, false).await.unwrap_err().to_string();
    assert!(again.contains("imported already"), "{again}");
    let next =
        place.service.stage(place.project, lead, "b.csv", sent("\"Fra,ge\",Antwort\nr,b\n")).await.unwrap();
    let chosen = place.service.staged(place.project, lead, &next).unwrap().request;
    assert_eq!((chosen.mapping.as_deref(), chosen.columns), (Some("faq"), columns));
    assert!(place.service.staged(place.project, lead, &id).is_err(), "the last file makes room for the next");
}
