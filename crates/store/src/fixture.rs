//! A real file with a project in it, for tests.

use crate::{
    Adjudicated, AdjudicationId, Admission, Assignment, ConversationId, Import, LabelId, NewAdjudication,
    NewLabel, NewUser, Next, ProjectId, RubricVersionId, Saved, Store, UserId, Viewer,
};
use domain::{
    Adjudication, AdjudicationReason, ContentHash, Conversation, FailureKind, Item, LabelRow, Outcome,
    Rubric, Unit, VerdictRow,
};
use sqlx::AssertSqlSafe;
use tempfile::TempDir;
use time::{Duration, OffsetDateTime, macros::datetime};

/// The present of the tests.
pub(crate) const NOW: OffsetDateTime = datetime!(2026-11-30 12:00 UTC);

/// Some minutes after [`NOW`].
pub(crate) fn after(minutes: i64) -> OffsetDateTime {
    NOW + Duration::minutes(minutes)
}

const RUBRIC: &str = r#"
    name = "shop"
    version = 1
    [[scale]]
    id = "five"
    kind = "ordinal"
    levels = [{ value = 1, name = "bad" }, { value = 2, name = "poor" }, { value = 3, name = "fair" },
              { value = 4, name = "good" }, { value = 5, name = "great" }]
    [[criterion]]
    id = "helpfulness"
    component = "generation"
    unit = "conversation"
    scale = "five"
    question = "Does the answer help?"
    [[criterion]]
    id = "faithfulness"
    component = "generation"
    unit = "conversation"
    scale = "five"
    question = "Do the passages support the answer?"
"#;

pub(crate) struct Fixture {
    pub(crate) directory: TempDir,
    pub(crate) store: Store,
    pub(crate) project: ProjectId,
    pub(crate) rubric: RubricVersionId,
}

impl Fixture {
    /// A project with a rubric and so many conversations, `c1`, `c2`, …
    pub(crate) async fn new(conversations: u32) -> Fixture {
        let directory = TempDir::new().unwrap();
        let store = Store::open(directory.path().join("touchstone.db")).await.unwrap();
        let project = store.create_project("shop", NOW).await.unwrap().id;
        let rubric = store.publish_rubric(project, &rubric(1), NOW).await.unwrap().id();
        let fixture = Fixture { directory, store, project, rubric };
        let mut import = fixture.import().await;
        for number in 1..=conversations {
            let (conversation, hash, body) = conversation(&format!("c{number}"), "How long may I return it?");
            let admission = import.conversation(&conversation, &hash, &body).await.unwrap();
            assert_eq!(admission, Admission::New);
        }
        import.commit().await.unwrap();
        fixture
    }

    pub(crate) async fn import(&self) -> Import {
        self.store.begin_import(self.project, NOW).await.unwrap()
    }

    pub(crate) async fn user(&self, name: &str) -> UserId {
        let user = NewUser { name: name.to_owned(), password_hash: format!("$argon2id${name}") };
        self.store.create_user(&user, false, NOW).await.unwrap().id
    }

    pub(crate) async fn id(&self, external_id: &str) -> ConversationId {
        self.store.conversation(self.project, external_id).await.unwrap().id
    }

    /// Puts the next conversation on a user's desk.
    pub(crate) async fn assign(&self, user: UserId) -> Assignment {
        match self.store.next_assignment(self.project, user, NOW).await.unwrap() {
            Next::Assigned(assignment) => assignment,
            Next::Nothing { with_others } => panic!("nothing to assign, {with_others} with others"),
        }
    }

    /// A label of `helpfulness`, as a browser would send it.
    pub(crate) fn new_label(&self, user: UserId, conversation: ConversationId, value: f64) -> NewLabel {
        NewLabel {
            project: self.project,
            user,
            conversation,
            rubric_version: self.rubric,
            unit: Unit::Conversation,
            criterion: "helpfulness".to_owned(),
            pass: 0,
            value: Some(value),
            comment: None,
            flag: false,
            seconds: Some(7.5),
            supersedes: None,
            client_key: format!("{user}/{conversation}/{value}"),
            correction: false,
        }
    }

    pub(crate) async fn save(&self, label: &NewLabel) -> LabelId {
        match self.store.save_label(label, NOW).await.unwrap() {
            Saved::Stored { id, .. } => id,
            other => panic!("not saved: {other:?}"),
        }
    }

    /// Imports one label of `helpfulness`.
    pub(crate) async fn imported_label(&self, annotator: &str, conversation: &str, value: f64) {
        let mut import = self.import().await;
        let admission = import.label(&label_row(annotator, conversation, value), self.rubric).await.unwrap();
        assert_eq!(admission, Admission::New);
        import.commit().await.unwrap();
    }

    /// What is decided of `helpfulness` of a conversation, as whoever sees its labels says it.
    pub(crate) async fn new_adjudication(&self, conversation: &str, value: f64) -> NewAdjudication {
        let id = self.id(conversation).await;
        let item = Item {
            conversation: conversation.to_owned(),
            unit: Unit::Conversation,
            criterion: "helpfulness".to_owned(),
        };
        let labels = self.store.labels_of_item(id, &item, Viewer::Operator).await.unwrap();
        NewAdjudication {
            project: self.project,
            conversation: id,
            adjudication: Adjudication {
                item,
                value,
                reason: AdjudicationReason::Slip,
                note: "a wrong key".to_owned(),
                labels: labels.into_iter().map(|label| label.label).collect(),
                rubric: "shop@1".to_owned(),
                by: "Lea".to_owned(),
                at: NOW,
            },
            rubric_version: self.rubric,
            user: None,
            supersedes: None,
        }
    }

    /// Decides `helpfulness` of a conversation for the first time.
    pub(crate) async fn adjudicated(&self, conversation: &str, value: f64) -> AdjudicationId {
        let new = self.new_adjudication(conversation, value).await;
        match self.store.adjudicate(&new).await.unwrap() {
            Adjudicated::Stored(id) => id,
            other => panic!("not decided: {other:?}"),
        }
    }

    /// Imports verdicts of one judge version and one instrument.
    pub(crate) async fn imported_verdicts(&self, rows: &[VerdictRow]) {
        let mut import = self.import().await;
        for row in rows {
            let hash = fingerprint(row);
            assert_eq!(import.verdict(row, &hash).await.unwrap(), Admission::New);
        }
        import.commit().await.unwrap();
    }

    /// Runs a statement of the test's own.
    pub(crate) async fn execute(&self, sql: impl Into<String>) -> Result<u64, sqlx::Error> {
        let mut transaction = self.store.write().await.unwrap();
        let done = sqlx::query(AssertSqlSafe(sql.into())).execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(done.rows_affected())
    }

    /// A number that a statement of the test's own gives.
    pub(crate) async fn number(&self, sql: impl Into<String>) -> i64 {
        sqlx::query_scalar(AssertSqlSafe(sql.into())).fetch_one(self.store.read()).await.unwrap()
    }

    /// How SQLite will carry a statement out, a line for each step.
    pub(crate) async fn plan(&self, sql: &'static str) -> Vec<String> {
        let explain = AssertSqlSafe(format!("explain query plan {sql}"));
        let rows: Vec<(i64, i64, i64, String)> =
            sqlx::query_as(explain).fetch_all(self.store.read()).await.unwrap();
        rows.into_iter().map(|(.., step)| step).collect()
    }
}

pub(crate) fn rubric(version: u32) -> Rubric {
    Rubric { version, ..Rubric::from_toml(RUBRIC).unwrap() }
}

/// A conversation with one passage, its hash and its text.
pub(crate) fn conversation(id: &str, question: &str) -> (Conversation, ContentHash, String) {
    let value = serde_json::json!({
        "id": id,
        "cluster": "customer-1",
        "category": "policy",
        "language": "en",
        "question": question,
        "passages": [{ "id": "p1", "text": "Returns are free for 30 days." }],
        "answer": { "text": "Thirty days." },
    });
    let body = value.to_string();
    let (conversation, hash) = Conversation::from_json(value).unwrap();
    (conversation, hash, body)
}

pub(crate) fn label_row(annotator: &str, conversation: &str, value: f64) -> LabelRow {
    LabelRow {
        annotator: annotator.to_owned(),
        conversation: conversation.to_owned(),
        unit: Unit::Conversation,
        criterion: "helpfulness".to_owned(),
        value,
        pass: 0,
        comment: None,
        flag: false,
        labelled_at: Some(NOW),
        seconds: None,
    }
}

pub(crate) fn verdict_row(judge: &str, conversation: &str, outcome: Outcome) -> VerdictRow {
    VerdictRow {
        judge: judge.to_owned(),
        judge_version: "1".to_owned(),
        model: Some("m-1".to_owned()),
        reported_model: Some("m-1-0301".to_owned()),
        conversation: conversation.to_owned(),
        unit: Unit::Conversation,
        criterion: "helpfulness".to_owned(),
        repeat: 0,
        outcome,
        reason: Some("It answers.".to_owned()),
        raw: Some("SCORE: 4".to_owned()),
        latency_ms: Some(420.5),
        input_tokens: Some(700),
        output_tokens: Some(9),
        total_tokens: Some(709),
        cost_usd: Some(0.002),
        judged_at: Some(NOW),
    }
}

pub(crate) fn refusal() -> Outcome {
    Outcome::Failure { kind: FailureKind::Refused, says: "refused".to_owned() }
}

/// A fingerprint that depends on what a provider reports.
pub(crate) fn fingerprint(row: &VerdictRow) -> ContentHash {
    domain::hash_of(&(&row.judge, &row.judge_version, &row.model, &row.reported_model)).unwrap()
}
