//! Files of each tool, read beside what they hold. The fixtures of promptfoo (0.121), Inspect (0.3.285) and DeepEval (4.3) were written by
//! those tools with mock models, and shortened by what is not read; the others are written by hand in the published formats.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use exchange::{Choice, Exchange, Format, Turns, is_ours, read};
use serde_json::{Map, Value, json};
use std::path::Path;

fn fixture(name: &str) -> Exchange {
    with(name, &Choice::default()).unwrap()
}

fn with(name: &str, choice: &Choice) -> Result<Exchange, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    read(name, &std::fs::read(path).unwrap(), choice).map_err(|fault| fault.to_string())
}

/// A file of the shared exports, or a word that its test is skipped.
fn export(name: &str) -> Option<Result<Exchange, String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/exports").join(name);
    let Ok(bytes) = std::fs::read(&path) else {
        println!("skipped: {} is not there", path.display());
        return None;
    };
    assert!(!is_ours(name, &bytes), "{name}");
    let exchange = read(name, &bytes, &Choice::default());
    if let Ok(exchange) = &exchange {
        well_formed(exchange);
    }
    Some(exchange.map_err(|fault| fault.to_string()))
}

/// Every conversation is one by our own rules.
fn well_formed(exchange: &Exchange) {
    for fields in exchange.conversations.iter().filter_map(|row| row.fields.as_ref().ok()) {
        domain::Conversation::from_json(Value::Object(fields.clone())).unwrap();
    }
}

fn conversations(exchange: &Exchange) -> Vec<&Map<String, Value>> {
    exchange.conversations.iter().map(|row| row.fields.as_ref().unwrap()).collect()
}

fn answer(fields: &Map<String, Value>) -> &str {
    fields.get("answer").and_then(|answer| answer["text"].as_str()).unwrap_or_default()
}

#[test]
fn every_langfuse_trace_gives_its_question_tools_and_answer() {
    // file, conversations, last answered question, tools of the first, beginning of its answer, verdicts
    type Golden = (&'static str, usize, &'static str, Vec<&'static str>, &'static str, usize);
    let golden: [Golden; 10] = [
        (
            "agno-2025-06-11",
            1,
            "What is currently trending on Twitter?",
            vec!["duckduckgo_search"],
            "To find out what's currently",
            0,
        ),
        (
            "beeai-2025-08-01",
            1,
            "I'm planning a trip to Barcelona",
            vec!["Wikipedia", "OpenMeteoTool"],
            "Barcelona is a vibrant city",
            2,
        ),
        (
            "crewai-2025-07-11",
            1,
            "\nCurrent Task: Define the HTML",
            vec![],
            "I now can give a great answer",
            2,
        ),
        ("google-adk-2025-08-28", 1, "hi", vec!["say_hello"], "Hello Langfuse", 2),
        (
            "koog-2025-08-26",
            1,
            "Greet and say goodbye",
            vec!["HelloTool", "ByeTool"],
            "Hello my darling Bob! And",
            0,
        ),
        (
            "langgraph-python-2025-08-22",
            1,
            "Search the web for 'example'",
            vec!["Web-Search"],
            "The search for",
            2,
        ),
        (
            "microsoft-agent-2025-12-17",
            1,
            "What's the weather in Tokyo?",
            vec!["get_weather"],
            "Current conditions in Tokyo",
            3,
        ),
        ("pydantic-ai-2025-06-06", 1, "What is Langfuse?", vec![], "Langfuse is a tool designed", 0),
        (
            "pydantic-ai-tools-2025-12-04",
            3,
            "Select and call THREE",
            vec!["get_pun_suggestion", "get_dad_joke_suggestion", "get_one_liner_suggestion"],
            "I gathered some great ideas",
            0,
        ),
        ("vercel-aisdk-2025-11-17", 1, "What is the weather like today", vec!["getWeather"], "", 2),
    ];
    for (name, count, question, tools, begins, verdicts) in golden {
        let Some(exchange) = export(&format!("langfuse/{name}.trace.json")) else { return };
        let exchange = exchange.unwrap();
        let found = conversations(&exchange);
        assert_eq!(
            (found.len(), exchange.verdicts.len(), exchange.labels.len()),
            (count, verdicts, 0),
            "{name}"
        );
        let first = found[0];
        assert!(first["question"].as_str().unwrap().starts_with(question), "{name}: {}", first["question"]);
        assert!(answer(first).starts_with(begins), "{name}: {}", answer(first));
        let empty = json!({});
        let calls =
            first.get("routing").unwrap_or(&empty)["tool_calls"].as_array().cloned().unwrap_or_default();
        let names: Vec<&str> = calls.iter().map(|call| call["name"].as_str().unwrap()).collect();
        assert_eq!(names, tools, "{name}");
        assert!(calls.iter().all(|call| !call["result"].is_null()), "{name}: every call has its result");
        assert!(!exchange.report.left_out.is_empty(), "{name}: what was left out is said");
    }
}

#[test]
fn spans_that_record_one_answer_twice_give_one_conversation() {
    let Some(exchange) = export("openinference/all-spans.json") else { return };
    let exchange = exchange.unwrap();
    let questions: Vec<&str> =
        conversations(&exchange).iter().map(|c| c["question"].as_str().unwrap()).collect();
    let expected = [
        "Write a haiku about programming.",
        "What is 2 + 2?",
        "And what is 3 + 3?",
        "Generate a simple recipe for scrambled eggs.",
        "Write a short poem about TypeScript.",
    ];
    assert_eq!(questions, expected);
    assert!(exchange.report.left_out.iter().any(|field| field.what.contains("earlier record")));
    for (file, count) in [("ai-generateText.json", 3), ("ai-streamText.json", 1)] {
        let Some(exchange) = export(&format!("openinference/{file}")) else { return };
        assert_eq!(exchange.unwrap().conversations.len(), count, "{file}");
    }
}

#[test]
fn runs_and_sessions_of_langsmith_are_read() {
    let Some(exchange) = export("langsmith/langsmith_py_wrap_openai_.json") else { return };
    let exchange = exchange.unwrap();
    let one = conversations(&exchange)[0];
    assert_eq!((&one["question"], answer(one)), (&json!("howdy"), "Howdy! How can I assist you today?"));
    let Some(exchange) = export("langsmith/anthropic_managed_mcp_tools.jsonl") else { return };
    let exchange = exchange.unwrap();
    let one = conversations(&exchange)[0];
    assert!(answer(one).contains("936 stars"));
    assert_eq!(one["routing"]["tool_calls"][0]["name"], "web_search_exa");
    assert!(one["routing"]["tool_calls"][0]["result"].as_str().unwrap().contains("Stars: 917"));
}

#[test]
fn ragas_files_are_read_or_refused_for_what_they_lack() {
    let Some(exchange) = export("ragas/annotated_data.json") else { return };
    let exchange = exchange.unwrap();
    // Five verdicts were refused by the person, who gave none of their own: no label.
    assert_eq!((exchange.conversations.len(), exchange.verdicts.len()), (21, 21));
    assert_eq!(exchange.labels.len(), 16);
    for file in ["hf_doc_qa_eval.csv", "support_triage.csv"] {
        let refused = export(&format!("ragas/{file}")).unwrap().unwrap_err();
        assert!(refused.contains("expected a question and its answer"), "{refused}");
    }
    let exchange = fixture("ragas.csv");
    well_formed(&exchange);
    let first = conversations(&exchange)[0];
    assert_eq!(first["passages"][1]["text"], "It's so.");
    assert_eq!(conversations(&exchange)[1]["passages"], json!([]));
    assert_eq!((first["expected"]["answer"].as_str(), exchange.verdicts.len()), (Some("30 days"), 2));
}

#[test]
fn label_studio_keeps_annotators_apart() {
    let exchange = fixture("label-studio-two-annotators.json");
    well_formed(&exchange);
    let one = conversations(&exchange)[0];
    assert_eq!((one["passages"].as_array().unwrap().len(), &one["metadata"]["shop"]), (1, &json!("north")));
    let labels: Vec<(&str, &str, &Value)> = exchange
        .labels
        .iter()
        .map(|row| row.fields.as_ref().unwrap())
        .map(|label| {
            (label["annotator"].as_str().unwrap(), label["criterion"].as_str().unwrap(), &label["value"])
        })
        .collect();
    let expected = [
        ("ada@example.org", "correctness", &json!("right")),
        ("5", "correctness", &json!("wrong")),
        ("5", "tone", &json!(4)),
    ];
    assert_eq!(labels, expected);
    assert_eq!(exchange.verdicts.len(), 1);
    assert!(exchange.report.left_out.iter().any(|field| field.field == "annotation" && field.count == 1));

    let Some(exchange) = export("label-studio/test_export_json_min__chat_data.json") else { return };
    assert_eq!(exchange.unwrap().conversations.len(), 2);
    let Some(exchange) = export("label-studio/test_export_csv__csv_test_history.json") else { return };
    let exchange = exchange.unwrap();
    let refused = exchange.conversations[0].fields.as_ref().unwrap_err();
    assert!(refused.found.contains("text") && refused.expected.contains("question"), "{refused}");
    assert_eq!(exchange.labels[0].fields.as_ref().unwrap()["value"], "Positive");
}

#[test]
fn results_of_evaluation_tools_are_conversations_with_verdicts() {
    for (file, criterion, values, judge) in [
        ("promptfoo.json", "correctness", [json!(1), json!(0)], "promptfoo llm-rubric"),
        ("inspect.json", "model_graded_qa", [json!(1), json!(0)], "model_graded_qa"),
        ("deepeval-test-run.json", "Faithfulness", [json!(1.0), json!(0.25)], "deepeval"),
        ("deepeval-result.json", "Faithfulness", [json!(1.0), json!(0.25)], "deepeval"),
    ] {
        let exchange = fixture(file);
        well_formed(&exchange);
        let questions: Vec<&Value> = conversations(&exchange).iter().map(|c| &c["question"]).collect();
        assert_eq!(questions, ["How long may I return a lamp?", "When do you open on Sunday?"], "{file}");
        assert_eq!(answer(conversations(&exchange)[1]), "We open at ten on Sunday.", "{file}");
        let verdicts: Vec<_> = exchange.verdicts.iter().map(|row| row.fields.as_ref().unwrap()).collect();
        let found: Vec<&Value> = verdicts.iter().map(|verdict| &verdict["value"]).collect();
        assert_eq!(found, [&values[0], &values[1]], "{file}");
        let said = (verdicts[0]["criterion"].as_str(), verdicts[0]["judge"].as_str());
        assert_eq!(said, (Some(criterion), Some(judge)), "{file}");
    }
    let exchange = fixture("deepeval-test-run.json");
    assert_eq!(conversations(&exchange)[0]["routing"]["tool_calls"][0]["arguments"]["query"], "return lamp");
}

#[test]
fn inspectorraget_gives_labels_of_people_and_verdicts_of_algorithms() {
    let exchange = fixture("inspectorraget.json");
    well_formed(&exchange);
    let one = conversations(&exchange)[0];
    assert_eq!(
        (one["messages"].as_array().unwrap().len(), &one["passages"][0]["document"]),
        (3, &json!("Returns"))
    );
    assert_eq!((exchange.labels.len(), exchange.verdicts.len()), (2, 1));
}

#[test]
fn retriever_spans_are_passages_and_tool_spans_calls() {
    let exchange = fixture("otlp-retriever.json");
    well_formed(&exchange);
    let one = conversations(&exchange)[0];
    assert_eq!(one["refined_query"], "return period lamp");
    let passages = json!([
        { "id": "d1", "document": "returns.md", "score": 0.9, "text": "Lamps may be returned within 30 days." },
        { "id": "d2", "text": "Lamps are sold in two sizes." }
    ]);
    assert_eq!(one["passages"], passages);
    let call = &one["routing"]["tool_calls"][0];
    assert_eq!(
        (&call["arguments"]["item"], &call["error"]),
        (&json!("lamp"), &json!("warehouse unavailable"))
    );
    assert_eq!((&one["system"], &one["cluster"]), (&json!("returns-desk"), &json!("s-1")));
}

#[test]
fn a_table_is_read_by_its_mapping() {
    let columns = [("question", "Customer asks"), ("answer", "We said"), ("corpus", "Shop")];
    let columns = columns.map(|(field, column)| (field.to_owned(), column.to_owned())).into();
    let exchange =
        with("faq.csv", &Choice { format: Some(Format::Csv), columns, ..Choice::default() }).unwrap();
    well_formed(&exchange);
    let first = conversations(&exchange)[0];
    assert_eq!(
        (answer(first), &first["corpus"], &first["metadata"]["Nr"]),
        ("Within 30 days.", &json!("north"), &json!("1"))
    );
    let columns = [("question".to_owned(), "Nobody".to_owned())].into();
    let refused =
        with("faq.csv", &Choice { format: Some(Format::Csv), columns, ..Choice::default() }).unwrap_err();
    assert!(refused.contains("Customer asks"), "{refused}");
}

#[test]
fn a_dialogue_can_stay_whole() {
    let text = r#"[{"id":"t","timestamp":"2026-03-01T09:00:00Z","projectId":"p","input":[{"role":"user","content":"One?"},
        {"role":"assistant","content":"1"},{"role":"user","content":"Two?"}],"output":"2"}]"#;
    let count = |turns| read("t.json", text.as_bytes(), &Choice { turns, ..Choice::default() }).unwrap();
    assert_eq!(count(Turns::Each).conversations.len(), 2);
    let whole = count(Turns::Whole);
    assert_eq!((whole.conversations.len(), &conversations(&whole)[0]["question"]), (1, &json!("Two?")));
    assert_eq!(conversations(&whole)[0]["messages"].as_array().unwrap().len(), 2);
}

#[test]
fn broken_files_are_refused_with_their_place() {
    let refusal = |name: &str, bytes: &[u8]| read(name, bytes, &Choice::default()).unwrap_err().to_string();
    assert!(refusal("a.json", b" \n").contains("a.json: found an empty file"));
    let cut = refusal("a.json", b"[\n {\"trace\": {\"id\": \"x\",\n");
    assert!(cut.starts_with("a.json:3") && cut.contains("cut off"), "{cut}");
    let wrong = refusal("a.jsonl", b"{\"run_type\":\"llm\",\"id\":\"1\"}\n{\"run_type\" \"llm\"}\n");
    assert!(wrong.starts_with("a.jsonl:2"), "{wrong}");
    assert!(refusal("a.json", &[b'[', 0xFF, b']']).contains("UTF-8"));
    assert!(refusal("log.eval", b"PK\x03\x04").contains("inspect log dump"));
    let deep = format!("{{\"trace\":{}", "[".repeat(100_000));
    assert!(refusal("a.json", deep.as_bytes()).contains("recursion"), "{deep:.20}");
    assert!(refusal("a.json", b"{\"weather\": \"fine\"}").contains("the fields weather"));
}
