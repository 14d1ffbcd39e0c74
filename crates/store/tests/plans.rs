//! What desks, project homes and reports ask is found by indexes: every statement that the store runs for them is caught on its way to
//! SQLite, and its plan read. A process of its own, since the statements of other tests would be caught as well.

#![allow(missing_docs, clippy::unwrap_used, reason = "a test")]

use domain::{
    Conversation, Day, Item, LabelRow, Outcome, Rubric, ScaleShare, ScoringJudge, Unit, VerdictRow, hash_of,
};
use sqlx::{AssertSqlSafe, SqlitePool};
use std::{
    collections::BTreeSet,
    fmt::{Debug, Write as _},
    sync::{Arc, Mutex},
};
use store::{
    Assignment, NewAdjudication, NewBatch, NewLabel, NewScore, NewUser, Next, ProjectId, RubricVersionId,
    Store, UserId, VerdictKey, Viewer,
};
use tempfile::TempDir;
use time::{Duration, OffsetDateTime, macros::datetime};
use tracing::{Event, Subscriber, field::Visit};
use tracing_subscriber::{Layer, layer::Context, prelude::*};

const NOW: OffsetDateTime = datetime!(2026-11-30 12:00 UTC);

/// Tables that grow with the conversations of a project or with the days of an installation.
const LARGE: [&str; 11] = [
    "conversation",
    "assignment",
    "queue",
    "label",
    "verdict",
    "reference",
    "anchor_item",
    "adjudication",
    "report",
    "score",
    "score_day",
];

const RUBRIC: &str = r#"
    name = "shop"
    version = 1
    [[scale]]
    id = "two"
    kind = "binary"
    levels = [{ value = 0, name = "no" }, { value = 1, name = "yes" }]
    [[criterion]]
    id = "helpfulness"
    component = "generation"
    unit = "conversation"
    scale = "two"
    question = "Does the answer help?"
"#;

/// Catches the statements that go to SQLite.
#[derive(Clone, Default)]
struct Statements(Arc<Mutex<BTreeSet<String>>>);

impl<S: Subscriber> Layer<S> for Statements {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if event.metadata().target() == "sqlx::query" {
            let mut statement = Statement::default();
            event.record(&mut statement);
            self.0.lock().unwrap().insert(statement.sql());
        }
    }
}

/// A statement as it is logged: whole, where it has more than four words.
#[derive(Default)]
struct Statement {
    summary: String,
    whole: String,
}

impl Statement {
    fn sql(self) -> String {
        let sql = if self.whole.is_empty() { self.summary } else { self.whole };
        sql.trim().to_owned()
    }
}

impl Visit for Statement {
    fn record_str(&mut self, field: &tracing::field::Field, value: &str) {
        match field.name() {
            "summary" => value.clone_into(&mut self.summary),
            "db.statement" => value.clone_into(&mut self.whole),
            _ => {}
        }
    }

    fn record_debug(&mut self, _: &tracing::field::Field, _: &dyn Debug) {}
}

struct Shop {
    store: Store,
    project: ProjectId,
    rubric: RubricVersionId,
    ada: UserId,
    ben: UserId,
    _directory: TempDir,
}

impl Shop {
    /// Six conversations with an imported label and a verdict each, and two people.
    async fn new() -> Shop {
        let directory = TempDir::new().unwrap();
        let store = Store::open(directory.path().join("touchstone.db")).await.unwrap();
        let project = store.create_project("shop", NOW).await.unwrap().id;
        let rubric = Rubric::from_toml(RUBRIC).unwrap();
        let rubric = store.publish_rubric(project, &rubric, NOW).await.unwrap().id();
        let mut import = store.begin_import(project, NOW).await.unwrap();
        for number in 1..=6 {
            let id = format!("c{number}");
            let row = serde_json::json!({"id": id, "question": "May I?", "answer": {"text": "Yes."}});
            let (conversation, hash) = Conversation::from_json(row.clone()).unwrap();
            import.conversation(&conversation, &hash, &row.to_string()).await.unwrap();
            import.label(&label_row(&id), rubric).await.unwrap();
            let verdict = verdict_row(&id);
            import.verdict(&verdict, &hash_of(&verdict.judge).unwrap()).await.unwrap();
        }
        import.commit().await.unwrap();
        let user = async |name: &str| {
            let user = NewUser { name: name.to_owned(), password_hash: String::new() };
            store.create_user(&user, false, NOW).await.unwrap().id
        };
        let (ada, ben) = (user("ada").await, user("ben").await);
        Shop { store, project, rubric, ada, ben, _directory: directory }
    }

    async fn next(&self, user: UserId) -> Assignment {
        match self.store.next_assignment(self.project, user, NOW).await.unwrap() {
            Next::Assigned(assignment) => assignment,
            Next::Nothing { .. } => panic!("nothing to assign"),
        }
    }

    fn label(&self, on: &Assignment, value: f64) -> NewLabel {
        NewLabel {
            project: self.project,
            user: self.ada,
            conversation: on.conversation,
            rubric_version: self.rubric,
            unit: Unit::Conversation,
            criterion: "helpfulness".to_owned(),
            pass: on.pass,
            value: Some(value),
            comment: None,
            flag: false,
            seconds: Some(3.0),
            supersedes: None,
            client_key: format!("{}/{value}", on.external_id),
            correction: false,
        }
    }

    /// What an annotator's desk asks: the next conversation and the one after it, a save, one that is in conflict, submitting, skipping,
    /// how far one is, and coming back after the places have expired.
    async fn desk(&self) {
        let (store, project, ada) = (&self.store, self.project, self.ada);
        let first = self.next(ada).await;
        store.conversation_by_id(project, first.conversation).await.unwrap();
        store.conversation(project, &first.external_id).await.unwrap();
        store.assignment_ahead(project, ada, &first.external_id, NOW).await.unwrap();
        store.assignment_of(project, ada, &first.external_id).await.unwrap();
        store.save_label(&self.label(&first, 1.0), NOW).await.unwrap();
        store.save_label(&self.label(&first, 0.0), NOW).await.unwrap();
        store.own_labels(ada, first.conversation, 0).await.unwrap();
        store.submit_assignment(first.id, ada, NOW).await.unwrap();
        store.skip_assignment(self.next(ada).await.id, ada, "unclear", NOW).await.unwrap();
        self.next(self.ben).await;
        self.next(ada).await;
        let later = NOW + Duration::days(30);
        for user in [ada, self.ben] {
            store.next_assignment(project, user, later).await.unwrap();
            store.label_progress(project, user).await.unwrap();
        }
    }

    /// The same where batches and repeats are asked for.
    async fn rounds(&self) {
        let (store, project, ada) = (&self.store, self.project, self.ada);
        let rules = store.labelling_rules(project).await.unwrap();
        let rules = domain::LabellingRules { repeat_every: Some(2), order_seed: Some(1), ..rules };
        store.set_labelling_rules(project, &rules).await.unwrap();
        let taken = store.conversations_in_batches(project).await.unwrap();
        let all = store.conversation_slices(project, Viewer::Operator).await.unwrap();
        let conversations: Vec<_> =
            all.iter().map(|slices| slices.id).filter(|id| !taken.contains(id)).collect();
        let batch = NewBatch {
            project,
            name: "first",
            overlap: 2,
            seed: 1,
            anchor_set: None,
            conversations: &conversations,
            people: &[ada],
        };
        store.create_batch(&batch, NOW).await.unwrap();
        store.join_batch(project, "first", self.ben).await.unwrap();
        for user in [ada, self.ben] {
            store.next_assignment(project, user, NOW).await.unwrap();
            store.label_progress(project, user).await.unwrap();
        }
        store.batches(project).await.unwrap();
        store.progress_by_person(project, Viewer::Member(ada)).await.unwrap();
        store.leave_batch(project, "first", self.ben, NOW).await.unwrap();
        store.close_batch(project, "first", NOW).await.unwrap();
    }

    /// What the home of a project and its reports read.
    async fn reports(&self) {
        let (store, project) = (&self.store, self.project);
        for viewer in [Viewer::Member(self.ben), Viewer::Operator] {
            store.project_figures(project, viewer).await.unwrap();
            store.sealed_to(project, viewer).await.unwrap();
            store.judges(project).await.unwrap();
            store.verdict_counts(project, viewer).await.unwrap();
            store.adjudications(project, viewer).await.unwrap();
            for criterion in [None, Some("helpfulness")] {
                store.labels(project, criterion, viewer).await.unwrap();
                store.verdicts(project, criterion, None, viewer).await.unwrap();
                store.failures(project, "plain", "1", criterion, viewer).await.unwrap();
            }
            let unit = Unit::Conversation;
            let key = VerdictKey {
                judge: "plain",
                version: "1",
                conversation: "c6",
                unit: &unit,
                criterion: "helpfulness",
                repeat: 0,
            };
            store.verdict(project, &key, viewer).await.unwrap();
        }
        store.revision(project).await.unwrap();
        store.conversations_on_desks(project).await.unwrap();
        self.adjudicate().await;
    }

    /// What production writes, and what its page and its alarms read.
    async fn production(&self) {
        let (store, project) = (&self.store, self.project);
        store.add_scores(project, &[score("c1"), score("c6")], NOW).await.unwrap();
        for viewer in [Viewer::Member(self.ben), Viewer::Operator] {
            store.scored_series(project, Day(0), viewer).await.unwrap();
            store.worst_scores(project, (Day::of(NOW), Day::of(NOW)), 5, viewer).await.unwrap();
        }
        store.scoring_judges(project).await.unwrap();
        store.calibrations(project).await.unwrap();
    }

    async fn adjudicate(&self) {
        let (store, project) = (&self.store, self.project);
        let item = Item {
            conversation: "c6".to_owned(),
            unit: Unit::Conversation,
            criterion: "helpfulness".to_owned(),
        };
        let conversation = store.conversation(project, "c6").await.unwrap().id;
        let labels = store.labels_of_item(conversation, &item, Viewer::Operator).await.unwrap();
        let adjudication = domain::Adjudication {
            item,
            value: 1.0,
            reason: domain::AdjudicationReason::Slip,
            note: String::new(),
            labels: labels.into_iter().map(|label| label.label).collect(),
            rubric: "shop@1".to_owned(),
            by: "Lea".to_owned(),
            at: NOW,
        };
        let new = NewAdjudication {
            project,
            conversation,
            adjudication,
            rubric_version: self.rubric,
            user: None,
            supersedes: None,
        };
        store.adjudicate(&new).await.unwrap();
    }
}

fn label_row(conversation: &str) -> LabelRow {
    LabelRow {
        annotator: "imported".to_owned(),
        conversation: conversation.to_owned(),
        unit: Unit::Conversation,
        criterion: "helpfulness".to_owned(),
        value: 1.0,
        pass: 0,
        comment: None,
        flag: false,
        labelled_at: None,
        seconds: None,
    }
}

fn verdict_row(conversation: &str) -> VerdictRow {
    VerdictRow {
        judge: "plain".to_owned(),
        judge_version: "1".to_owned(),
        model: None,
        reported_model: None,
        conversation: conversation.to_owned(),
        unit: Unit::Conversation,
        criterion: "helpfulness".to_owned(),
        repeat: 0,
        outcome: Outcome::Value(1.0),
        reason: None,
        raw: None,
        latency_ms: None,
        input_tokens: None,
        output_tokens: None,
        total_tokens: None,
        cost_usd: None,
        judged_at: None,
    }
}

fn score(conversation: &str) -> NewScore {
    NewScore {
        client_key: conversation.to_owned(),
        dimension: "helpfulness".to_owned(),
        corpus: String::new(),
        system: String::new(),
        judge: ScoringJudge {
            fingerprint: "f".to_owned(),
            judge: "plain".to_owned(),
            version: "1".to_owned(),
            reported_model: None,
        },
        value: 1.0,
        share: ScaleShare::near(1.0).unwrap(),
        passed: Some(true),
        at: NOW,
        is_dated: true,
        conversation: Some(conversation.to_owned()),
        excerpt: None,
    }
}

/// The large tables that `name` may stand for in a statement: itself, or what it is another name of there or in a view that is read.
fn tables(name: &str, sql: &str, views: &[(String, String)]) -> Vec<&'static str> {
    let mut text = sql.to_lowercase();
    for (view, definition) in views {
        if sql.contains(view) {
            let _ = write!(text, " {}", definition.to_lowercase());
        }
    }
    let words: Vec<&str> = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let is_named = |table: &str| words.windows(2).any(|pair| pair == [table, name]);
    LARGE.into_iter().filter(|table| *table == name || is_named(table)).collect()
}

#[tokio::test]
async fn no_statement_of_a_desk_a_home_a_report_or_production_reads_a_large_table_whole() {
    let caught = Statements::default();
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(caught.clone())).unwrap();
    let shop = Shop::new().await;
    caught.0.lock().unwrap().clear();
    shop.desk().await;
    shop.rounds().await;
    shop.reports().await;
    shop.production().await;
    let statements = std::mem::take(&mut *caught.0.lock().unwrap());
    assert!(statements.len() > 40, "only {} statements were caught", statements.len());

    let connection = SqlitePool::connect(&format!("sqlite:{}", shop.store.path().display())).await.unwrap();
    let views: Vec<(String, String)> =
        sqlx::query_as("select name, sql from sqlite_master where type = 'view'")
            .fetch_all(&connection)
            .await
            .unwrap();
    let mut read_whole = Vec::new();
    // The plan of an insert of one row lists what its foreign keys would read if one were violated already, which none is.
    for sql in statements.into_iter().filter(|sql| !sql.starts_with("insert") || sql.contains("select")) {
        let explain = AssertSqlSafe(format!("explain query plan {sql}"));
        let steps: Vec<(i64, i64, i64, String)> =
            sqlx::query_as(explain).fetch_all(&connection).await.unwrap_or_default();
        for (.., step) in steps {
            let name = step.strip_prefix("SCAN ").and_then(|rest| rest.split(' ').next());
            if let Some(name) = name
                && !tables(name, &sql, &views).is_empty()
            {
                read_whole.push(format!("{step}\n    {sql}"));
            }
        }
    }
    assert!(read_whole.is_empty(), "\n{}", read_whole.join("\n"));
}
