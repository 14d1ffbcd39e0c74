use super::*;
use crate::{Conversation, Rubric, Trace, Unit};
use agreement::Undefined;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const RUBRIC: &str = include_str!("../../../../server/demo/rubric.toml");

fn terms(relevant_from: f64, k: usize) -> Terms {
    let mut rubric = Rubric::from_toml(RUBRIC).unwrap();
    let relevance = rubric.scales.iter_mut().find(|scale| scale.id == "relevance-4").unwrap();
    relevance.relevant_from = Some(relevant_from);
    Terms::new(&rubric, k)
}

/// A conversation, and what one side said of it: (criterion, unit, value).
fn measured(
    terms: &Terms,
    conversation: Value,
    said: &[(&str, Unit, f64)],
    id: &str,
) -> Result<f64, Undefined> {
    let (conversation, _) = Conversation::from_json(conversation).unwrap();
    reading(terms, &Trace::of(&conversation), said, id)
}

fn reading(terms: &Terms, trace: &Trace, said: &[(&str, Unit, f64)], id: &str) -> Result<f64, Undefined> {
    let mut said: Vec<Said> = said
        .iter()
        .map(|(criterion, unit, value)| Said {
            criterion: terms.criterion(criterion).unwrap(),
            unit: unit.to_string().into(),
            value: *value,
        })
        .collect();
    said.sort_by(|a, b| (a.criterion, &a.unit).cmp(&(b.criterion, &b.unit)));
    let metrics = ProjectMetric::all(terms);
    let metric = metrics.iter().find(|metric| metric.id == id).unwrap_or_else(|| panic!("no metric {id}"));
    match metric.measure(&Seen::new(terms, trace, &said)).reading {
        Reading::Value(value) => Ok(value),
        Reading::Undefined(reason) => Err(reason),
        Reading::NotAsked => panic!("{id} is not about this conversation"),
    }
}

fn passage(id: &str) -> Unit {
    Unit::Passage(id.to_owned())
}

/// A retrieval path with these passages, of which the answer cites some.
fn retrieved(ranking: &[&str], cited: &[&str]) -> Trace {
    let unit = |id: &str| -> std::sync::Arc<str> { passage(id).to_string().into() };
    let citation = |id: &&str| crate::CitedPassage {
        unit: Unit::Citation { paragraph: "a1".to_owned(), passage: (*id).to_owned() }.to_string().into(),
        passage: unit(id),
        exists: ranking.contains(id),
    };
    let paragraph = crate::CitedParagraph {
        unit: "paragraph:a1".into(),
        citations: cited.iter().map(citation).collect(),
    };
    Trace {
        passages: Some(ranking.iter().map(|id| unit(id)).collect()),
        paragraphs: vec![paragraph],
        ..Trace::default()
    }
}

fn graded(grades: &[(&'static str, f64)]) -> Vec<(&'static str, Unit, f64)> {
    grades.iter().map(|(id, grade)| ("passage-relevance", passage(id), *grade)).collect()
}

#[test]
fn the_reference_cases_of_retrieval_come_out_of_the_registry() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference/agreement_cases.json");
    let Ok(text) = std::fs::read_to_string(path) else {
        println!("skipped: {path} is not there");
        return;
    };
    let cases: Value = serde_json::from_str(&text).unwrap();
    let mut compared = 0;
    for case in cases["cases"].as_array().unwrap() {
        if case["statistic"] == "retrieval_metrics" {
            compared += ranking_case(case);
        } else if case["statistic"] == "cited_chunks" {
            compared += cited_case(case);
        }
    }
    assert!(compared > 30, "{compared}");
}

#[track_caller]
fn assert_same(found: Result<f64, Undefined>, expected: &Value, what: &str) {
    match (found, expected.as_f64()) {
        (Ok(found), Some(expected)) => {
            assert!((found - expected).abs() < 1e-12, "{what}: {found} {expected}")
        }
        (Err(_), None) => {}
        (found, expected) => panic!("{what}: {found:?} is not {expected:?}"),
    }
}

/// Mean and maximum are of everything that was retrieved, so the list is cut at k for them.
fn ranking_case(case: &Value) -> usize {
    let k = usize::try_from(case["params"]["k"].as_u64().unwrap()).unwrap();
    let from = case["params"]["relevant_if_grade_at_least"].as_f64().unwrap();
    let terms = terms(from, k);
    let names: Vec<&str> =
        case["input"]["ranking"].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect();
    let said: Vec<(&str, Unit, f64)> = case["input"]["qrels"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(id, grade)| ("passage-relevance", passage(id), grade.as_f64().unwrap()))
        .collect();
    let (whole, top) = (retrieved(&names, &[]), retrieved(&names[..k.min(names.len())], &[]));
    let mut compared = 0;
    for (field, metric, trace) in [
        ("ndcg_linear_gain", "ndcg_lin_unjudged_as_zero", &whole),
        ("ndcg_exponential_gain", "ndcg_exp_unjudged_as_zero", &whole),
        ("precision_at_k_fixed_k", "precision_unjudged_as_zero", &whole),
        ("recall_at_k", "recall", &whole),
        ("mean_relevance_unjudged_as_zero", "mean_relevance_unjudged_as_zero", &top),
        ("mean_relevance_judged_only", "mean_relevance", &top),
        ("max_relevance", "max_relevance_unjudged_as_zero", &top),
    ] {
        let Some(expected) = case["expected"].get(field) else { continue };
        let id = if metric.contains("relevance") { metric.to_owned() } else { format!("{metric}@{k}") };
        assert_same(reading(&terms, trace, &said, &id), expected, &format!("{} {field}", case["id"]));
        compared += 1;
    }
    compared
}

fn cited_case(case: &Value) -> usize {
    let list = |name: &str| -> Vec<&str> {
        case["input"][name].as_array().unwrap().iter().map(|id| id.as_str().unwrap()).collect()
    };
    let (context, relevant) = (list("context"), list("relevant"));
    let said: Vec<(&str, Unit, f64)> = context
        .iter()
        .map(|id| ("passage-relevance", passage(id), f64::from(u8::from(relevant.contains(id)))))
        .collect();
    let trace = retrieved(&context, &list("cited"));
    for (field, metric) in [("precision", "cited_precision"), ("recall", "cited_recall")] {
        assert_same(
            reading(&terms(1.0, 5), &trace, &said, metric),
            &case["expected"][field],
            &case["id"].to_string(),
        );
    }
    2
}

#[test]
fn an_unjudged_passage_is_not_an_irrelevant_one() {
    let terms = terms(2.0, 3);
    let trace = retrieved(&["p1", "p2", "p3"], &["p1", "p2", "p9"]);
    let said = graded(&[("p1", 3.0), ("p3", 0.0)]);
    let of = |id: &str| reading(&terms, &trace, &said, id);
    assert_eq!(of("mean_relevance"), Ok(1.5));
    assert_eq!(of("mean_relevance_unjudged_as_zero"), Ok(1.0));
    assert_eq!(of("precision@3"), Ok(0.5));
    assert_eq!(of("mean_relevance_of_cited"), Ok(3.0));
    // p2 is left out, p9 is no passage.
    assert_eq!(of("cited_precision"), Ok(0.5));
    assert_eq!(of("cited_precision_of_retrieved"), Ok(0.5));
    assert_eq!(of("cited_recall"), Ok(1.0));
    assert_eq!(reading(&terms, &trace, &[], "precision@3"), Err(Undefined::NoLabels));
}

#[test]
fn where_nothing_was_retrieved_precision_is_zero_and_the_means_are_undefined() {
    let terms = terms(2.0, 3);
    let of = |id: &str| reading(&terms, &retrieved(&[], &[]), &[], id);
    assert_eq!(of("precision@3"), Ok(0.0));
    for id in ["mean_relevance", "max_relevance", "cited_precision_of_retrieved"] {
        assert_eq!(of(id), Err(Undefined::NoLabels), "{id}");
    }
    assert_eq!(of("ndcg_lin@3"), Err(Undefined::IdealDcgZero));
    assert_eq!(of("cited_precision"), Err(Undefined::NothingCited));
}

/// An answer of three paragraphs: the first cites p1 and p2, the second p9 (no passage), the third nothing.
fn answer() -> Value {
    json!({"id": "1", "question": "q", "passages": [{"id": "p1"}, {"id": "p2"}], "answer": {"text": "a", "paragraphs": [
        {"id": "a1", "text": "x", "citations": ["p1", "p2", "p1"]}, {"id": "a2", "text": "y", "citations": ["p9"]},
        {"id": "a3", "text": "z"}]}})
}

fn need(id: &str, needed: f64) -> (&'static str, Unit, f64) {
    ("needs_source", Unit::Paragraph(id.to_owned()), needed)
}

fn support(paragraph: &str, passage: &str, level: f64) -> (&'static str, Unit, f64) {
    ("support", Unit::Citation { paragraph: paragraph.to_owned(), passage: passage.to_owned() }, level)
}

#[test]
fn generation_is_computed_as_it_is_written() {
    let terms = terms(2.0, 5);
    // support-4: 0 contradicts, 1 none, 2 partial, 3 full.
    let mut said = vec![
        need("a1", 1.0),
        need("a2", 1.0),
        need("a3", 1.0),
        support("a1", "p1", 2.0),
        support("a1", "p2", 3.0),
    ];
    let of = |said: &[(&str, Unit, f64)], id: &str| measured(&terms, answer(), said, id);
    assert_eq!(of(&said, "faithfulness_to_cited"), Ok(0.5));
    assert_eq!(of(&said, "citation_correctness"), Ok(1.0));
    assert_eq!(of(&said, "citation_recall"), Ok(1.0 / 3.0));
    assert_eq!(of(&said, "citation_precision"), Ok(1.0 / 3.0));
    assert_eq!(of(&said, "hallucinated_citations"), Ok(1.0 / 3.0));
    // Without a full one both partial ones are needed.
    said[4] = support("a1", "p2", 2.0);
    assert_eq!(of(&said, "citation_precision"), Ok(2.0 / 3.0));
    assert_eq!(of(&said, "faithfulness_to_cited"), Ok(0.25));
    // One contradiction undoes the support of the other.
    said[4] = support("a1", "p2", 0.0);
    assert_eq!(of(&said, "faithfulness_to_cited"), Ok(0.0));
    assert_eq!(of(&said, "citation_correctness"), Ok(0.5));
    // A pair that nobody judged leaves numerator and denominator.
    said.truncate(4);
    assert_eq!(of(&said, "citation_correctness"), Ok(1.0));
    assert_eq!(of(&said, "citation_precision"), Ok(0.5));
    // Where nothing needs a source, recall has no denominator.
    let none = [need("a1", 0.0), need("a2", 0.0), need("a3", 0.0), support("a1", "p1", 3.0)];
    assert_eq!(of(&none, "citation_recall"), Err(Undefined::NoPositives));
    assert_eq!(of(&none, "faithfulness_to_cited"), Err(Undefined::NothingCited));
    assert_eq!(of(&[], "citation_recall"), Err(Undefined::NoLabels));
}

#[test]
fn abstention_and_routing_count_their_cells() {
    let terms = terms(2.0, 5);
    let trace = retrieved(&[], &[]);
    let cell = |said: &[(&str, f64)], id: &str| {
        let mut said: Vec<Said> = said
            .iter()
            .map(|(criterion, value)| Said {
                criterion: terms.criterion(criterion).unwrap(),
                unit: "conversation".into(),
                value: *value,
            })
            .collect();
        said.sort_by_key(|said| said.criterion);
        let metrics = ProjectMetric::all(&terms);
        let measured =
            metrics.iter().find(|m| m.id == id).unwrap().measure(&Seen::new(&terms, &trace, &said));
        (measured.cell, measured.value())
    };
    for (should, did, expected) in [
        (0.0, 0.0, (Some("right_answer"), Some(1.0))),
        (1.0, 1.0, (Some("right_abstention"), Some(1.0))),
        (0.0, 1.0, (Some("wrong_abstention"), Some(0.0))),
        (1.0, 0.0, (Some("wrong_answer"), Some(0.0))),
    ] {
        assert_eq!(
            cell(&[("should_abstain", should), ("abstained", did)], "appropriate_abstention"),
            expected
        );
    }
    assert_eq!(cell(&[("abstained", 1.0)], "appropriate_abstention"), (None, None));
    assert_eq!(cell(&[("tools_ok", 2.0)], "tools_ok"), (Some("not_applicable"), None));
    assert_eq!(cell(&[("missing_resource", 1.0)], "missing_resource"), (Some("yes"), Some(1.0)));
    assert_eq!(cell(&[("correctness", 3.0)], "correctness"), (None, Some(3.0)));
    assert_eq!(cell(&[("correctness", 3.0)], "correctness_passed"), (Some("no"), Some(0.0)));
}

#[test]
fn no_metric_is_declared_twice_and_each_is_described_in_the_methods() {
    let methods = include_str!("../../../../docs/METHODS.md");
    let mut ids = BTreeSet::new();
    for metric in Metric::all() {
        assert!(ids.insert(metric.id), "{} is declared twice", metric.id);
        let row = format!("| `{}` | {} | {} | {} |", metric.id, metric.name, metric.formula, metric.edges);
        assert!(methods.contains(&row), "docs/METHODS.md lacks this row:\n{row}");
    }
    assert_eq!(ids.len(), 30);
}

#[test]
fn a_project_has_the_metrics_whose_inputs_its_rubric_has() {
    let ids = |rubric: &str| -> Vec<String> {
        let terms = Terms::new(&Rubric::from_toml(rubric).unwrap(), 10);
        ProjectMetric::all(&terms).into_iter().map(|metric| metric.id).collect()
    };
    let all = ids(RUBRIC);
    for id in
        ["collections_ok", "ndcg_lin@10", "completeness", "faithfulness_passed", "appropriate_abstention"]
    {
        assert!(all.iter().any(|own| own == id), "{id} in {all:?}");
    }
    let few = ids(
        "name = \"n\"\nversion = 1\n[[scale]]\nid = \"s\"\nkind = \"continuous\"\nmin = 0.0\nmax = 1.0\n[[criterion]]\nid = \"quality\"\n\
         component = \"generation\"\nunit = \"conversation\"\nscale = \"s\"\nquestion = \"q\"",
    );
    assert_eq!(few, ["hallucinated_citations", "quality"]);
}

/// Some passages with grades, of which the first may be unjudged.
fn grades() -> impl Strategy<Value = Vec<f64>> {
    proptest::collection::vec((0_u8..4).prop_map(f64::from), 1..12)
}

fn on_grades(grades: &[f64], k: usize, id: &str) -> Result<f64, Undefined> {
    let names: Vec<String> = (0..grades.len()).map(|at| format!("p{at}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let said: Vec<(&str, Unit, f64)> =
        names.iter().zip(grades).map(|(id, grade)| ("passage-relevance", passage(id), *grade)).collect();
    reading(&terms(2.0, k), &retrieved(&names, &[]), &said, &format!("{id}@{k}"))
}

proptest! {
    #[test]
    fn ndcg_lies_between_0_and_1_and_does_not_see_the_order_of_equals(grades in grades(), k in 1_usize..12) {
        for id in ["ndcg_lin", "ndcg_exp"] {
            if let Ok(found) = on_grades(&grades, k, id) {
                prop_assert!((0.0..=1.0 + 1e-12).contains(&found), "{found}");
                let equal = vec![grades[0]; grades.len()];
                prop_assert!(on_grades(&equal, k, id).is_err() || (on_grades(&equal, k, id).unwrap() - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn the_best_order_has_an_ndcg_of_1(mut grades in grades(), k in 1_usize..12) {
        grades.sort_by(|a, b| b.total_cmp(a));
        if let Ok(found) = on_grades(&grades, k, "ndcg_exp") {
            prop_assert!((found - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn an_irrelevant_passage_at_the_end_never_raises_precision(grades in grades(), k in 1_usize..12) {
        let before = on_grades(&grades, k, "precision").unwrap();
        let mut longer = grades;
        longer.push(0.0);
        prop_assert!(on_grades(&longer, k, "precision").unwrap() <= before + 1e-12);
    }
}
