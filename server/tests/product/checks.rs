//! `touchstone check` and `touchstone diagnose`, as scripts and CI jobs call them: exit codes, shapes, formats.

use crate::{
    command_line::{DEMO, assert_estimate},
    program::{Workplace, data},
};
use serde_json::Value;

fn check(rest: &[&str]) -> crate::program::Run {
    DEMO.run(&[&["check", "--project", "demo"], rest].concat())
}

#[test]
fn the_exit_code_of_a_check_is_its_answer() {
    for (rest, code) in [
        (&["--category", "edge"][..], 0),
        (&["--category", "tool"], 1),
        (&["--category", "edge,tool"], 1),
        (&[], 1),
        (&["--category", "egde"], 2),
        (&["--category", "edge,egde"], 2),
        (&["--judge", "nobody", "--criterion", "correctness"], 3),
        (&["--judge", "illustrative / claims"], 3),
        (&["--judge", "illustrative / claims", "--criterion", "beauty"], 3),
        (&["--format", "csv"], 3),
    ] {
        let run = check(rest);
        assert_eq!(run.code, code, "{rest:?}: {run:?}");
        assert_eq!(run.out.is_empty(), code == 3, "{rest:?}: {run:?}");
        if code != 3 {
            for format in ["json", "junit", "markdown"] {
                assert_eq!(check(&[rest, &["--format", format]].concat()).code, code, "{rest:?} as {format}");
            }
        }
    }
}

#[test]
fn a_check_is_printed_in_its_shape() {
    let report = check(&["--json"]).json();
    assert_eq!(report["project"], "demo");
    let cases = report["cases"].as_array().unwrap();
    let totals = &report["totals"];
    assert_eq!(totals["cases"], cases.len());
    assert_eq!(totals["passed"].as_u64().unwrap() + totals["failed"].as_u64().unwrap(), cases.len() as u64);
    for case in cases {
        assert!(case["conversation"].is_string() && case["passed"].is_boolean(), "{case}");
        for check in ["answer_present", "tool_choice", "tool_argument", "source"] {
            assert!(case["checks"][check].is_boolean() || case["checks"][check].is_null(), "{case}");
        }
        assert_eq!(case["scores"].as_object().unwrap().len(), 0, "no judge was asked");
        assert_eq!(case["passed"], case["reason"] == "", "{case}");
    }
    for (category, totals) in report["by_category"].as_object().unwrap() {
        let failed = totals["failed_ids"].as_array().unwrap().len() as u64;
        let (cases, passed) = (totals["cases"].as_u64().unwrap(), totals["passed"].as_u64().unwrap());
        assert_eq!(cases, passed + failed, "{category}: {totals}");
    }
    let unstable = &report["unstable"][0];
    assert!(unstable["case"].is_string() && unstable["passed"] == 1 && unstable["trials"] == 3, "{unstable}");
    let tool = check(&["--category", "tool", "--json"]).json();
    assert!(tool["cases"].as_array().unwrap().iter().all(|case| case["category"] == "tool"));
    assert_eq!(tool["by_category"].as_object().unwrap().len(), 1);
}

#[test]
fn a_judge_that_failed_fails_the_case() {
    let asked = [
        "--judge",
        "illustrative / few-words",
        "--criterion",
        "correctness",
        "--criterion",
        "faithfulness=3",
    ];
    let run = check(&[&asked[..], &["--json"]].concat());
    assert_eq!(run.code, 1);
    let report = run.json();
    let cases = report["cases"].as_array().unwrap();
    let missing = |case: &&Value| case["scores"].as_object().unwrap().values().any(Value::is_null);
    assert!(cases.iter().any(|case| missing(&case)), "the judge has failures");
    for case in cases {
        let reached = case["scores"]["correctness"].as_f64().is_some_and(|score| score >= 4.0)
            && case["scores"]["faithfulness"].as_f64().is_some_and(|score| score >= 3.0);
        let checked = case["checks"].as_object().unwrap().values().all(|check| *check != Value::Bool(false));
        assert_eq!(case["passed"].as_bool().unwrap(), reached && checked, "{case}");
    }
}

#[test]
fn a_check_can_be_read_by_ci_and_by_people() {
    let junit = check(&["--category", "tool", "--format", "junit"]).out;
    assert!(junit.starts_with("<?xml") && junit.contains("classname=\"tool\" name=\"shop-04\""), "{junit}");
    assert!(junit.contains("ORD-101") && junit.contains("<failure"), "{junit}");
    let nothing = check(&["--category", "egde", "--format", "junit"]).out;
    assert!(nothing.contains("failures=\"1\""), "nothing to check fails closed: {nothing}");
    let markdown = check(&["--category", "tool", "--format", "markdown"]).out;
    assert!(markdown.starts_with("## ") && markdown.contains("| category | cases |"), "{markdown}");
    let text = check(&["--category", "tool"]).out;
    assert!(text.contains("FAIL shop-03") && text.contains("unstable:"), "{text}");
}

/// Real tool traces, checked through the program, come out as computed elsewhere.
#[test]
fn real_tool_traces_come_out_as_computed_elsewhere() {
    let Some(folder) = data("tau-airline") else { return };
    let place = Workplace::new();
    place.done(&["project", "create", "tau"]);
    let conversations = folder.join("conversations.jsonl").display().to_string();
    place.done(&["import", "conversations", "--project", "tau", &conversations]);
    let run = place.run(&["check", "--project", "tau", "--json"]);
    assert_eq!(run.code, 1, "{}", run.err);
    let report = run.json();
    let golden: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("golden.json")).unwrap()).unwrap();
    let cases = report["cases"].as_array().unwrap();
    assert_eq!(cases.len(), golden["cases"].as_object().unwrap().len());
    for case in cases {
        let expected = &golden["cases"][case["conversation"].as_str().unwrap()];
        for check in ["answer_present", "tool_choice", "tool_argument"] {
            assert_eq!(case["checks"][check], expected[check], "{check} of {case}");
        }
    }
    assert_eq!(report["disagreements"]["tool_argument"].as_array().unwrap().len(), 17);
    let diagnosis = place.done(&["diagnose", "--project", "tau", "--json"]).json();
    let failed = &diagnosis["failed_at"];
    let of = |stage: &str| failed[stage].as_u64().unwrap();
    assert_eq!(
        of("routing") + of("retrieval") + of("generation"),
        report["totals"]["failed"].as_u64().unwrap()
    );
}

#[test]
fn a_diagnosis_is_printed_in_its_shape() {
    let report = DEMO.done(&["diagnose", "--project", "demo", "--by", "corpus", "--json"]).json();
    assert_eq!((&report["project"], &report["from"]), (&"demo".into(), &"labels".into()));
    assert_eq!(report["data_hash"].as_str().unwrap().len(), 64);
    let metrics = report["metrics"].as_array().unwrap();
    for id in ["collections_ok", "ndcg_lin@5", "faithfulness_to_cited", "appropriate_abstention"] {
        assert!(metrics.iter().any(|metric| metric["id"] == id), "{id} is missing");
    }
    for metric in metrics {
        let components = ["routing", "retrieval", "generation"].map(Value::from);
        assert!(components.contains(&metric["component"]), "{metric}");
        assert!(metric["formula"].is_string() && metric["edges"].is_string(), "{metric}");
        assert_estimate(&metric["estimate"], "estimate");
        for (slice, figure) in metric["by"]["corpus"].as_object().into_iter().flatten() {
            assert_estimate(figure, slice);
        }
        let paired = &metric["paired"];
        assert!(paired["judge"].is_string(), "{metric}");
        for figure in ["estimate", "difference", "correlation"] {
            assert_estimate(&paired[figure], figure);
        }
        assert_estimate(&metric["tail"]["beyond"], "beyond");
    }
    let failed = report["failed_at"].as_object().unwrap();
    let all: u64 = failed.values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(all, report["conversations"].as_u64().unwrap());
}

#[test]
fn the_worst_conversation_names_what_is_unsupported() {
    let report = DEMO.done(&["diagnose", "--project", "demo", "--json"]).json();
    let metrics = report["metrics"].as_array().unwrap();
    let faithfulness = metrics.iter().find(|metric| metric["id"] == "faithfulness_to_cited").unwrap();
    let worst = faithfulness["tail"]["worst"].as_array().unwrap();
    assert!(!worst.is_empty());
    for conversation in worst {
        let unit = conversation["unit"].as_str().unwrap();
        assert!(unit.starts_with("citation:"), "{conversation}");
        assert!(conversation["says"].as_str().unwrap().contains("passage"), "{conversation}");
    }
}

#[test]
fn a_diagnosis_has_its_formats_and_refuses_nonsense() {
    let csv = DEMO.done(&["diagnose", "--project", "demo", "--format", "csv"]).out;
    assert!(csv.starts_with("metric,from,figure,by,slice,value,"), "{csv}");
    assert!(csv.contains("ndcg_lin@5,labels,mean,"), "{csv}");
    let text = DEMO.done(&["diagnose", "--project", "demo", "--from", "illustrative / claims"]).out;
    assert!(text.contains("from illustrative / claims beside labels"), "{text}");
    for rest in [
        &["--by", "annotator"][..],
        &["--by", "mood"],
        &["--k", "0"],
        &["--from", "nobody"],
        &["--from", "illustrative / claims", "--judge", "illustrative / strict"],
        &["--format", "junit"],
    ] {
        let run = DEMO.run(&[&["diagnose", "--project", "demo"], rest].concat());
        assert_eq!((run.code, run.out.as_str()), (3, ""), "{rest:?}: {run:?}");
    }
}

/// What the gate answers to a policy about one metric.
fn gate(metric: &str, rules: &str) -> crate::program::Run {
    let place = Workplace::new();
    place.file("policy.toml", format!("name = \"p\"\n[metric.\"{metric}\"]\n{rules}\n"));
    let policy = place.path("policy.toml").display().to_string();
    let candidate = "illustrative / claims";
    DEMO.run(&["gate", "--project", "demo", "--candidate", candidate, "--policy", &policy, "--json"])
}

#[test]
fn a_policy_may_ask_that_a_metric_is_as_people_have_it() {
    let report =
        DEMO.done(&["diagnose", "--project", "demo", "--judge", "illustrative / claims", "--json"]).json();
    let metrics = report["metrics"].as_array().unwrap();
    let metric = metrics.iter().find(|metric| metric["id"] == "ndcg_lin@5").unwrap();
    let difference = &metric["paired"]["difference"];
    for (rules, code) in [
        ("difference_at_most = 1.0", 0),
        ("difference_at_most = { value = 0.0, on = \"point\" }", 1),
        ("difference_at_most = 1.0\nminimum_n = 1000000", 2),
        ("difference_at_most = -0.1", 3),
        ("differnce_at_most = 0.1", 3),
    ] {
        let run = gate("ndcg_lin@5", rules);
        assert_eq!(run.code, code, "{rules}: {run:?}");
        if code != 3 {
            let decision = run.json();
            let rules = decision["rules"].as_array().unwrap();
            let found = rules.iter().find(|rule| rule["rule"] == "difference_at_most").unwrap();
            assert_eq!((&found["criterion"], &found["found"]), (&"ndcg_lin@5".into(), difference));
        }
    }
    let unknown = gate("beauty", "difference_at_most = 0.1");
    assert_eq!(unknown.code, 3);
    assert!(unknown.err.contains("no metric `beauty`") && unknown.err.contains("ndcg_lin@5"), "{unknown:?}");
    assert_eq!(gate("ndcg_lin@3", "difference_at_most = 1.0").code, 0, "k stands in the id");
}
