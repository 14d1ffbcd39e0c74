//! DeepEval: test runs (`testCases` with `metricsData`) and results (`test_results` with `metrics_data`), of one turn or of several.

use crate::{
    Findings, Place,
    dialogue::asked,
    input::Input,
    messages::{Speaker, Turn, messages},
    row, table,
    value::{elements, fields, first, id_of, opened, scalar, shown, text},
};
use domain::Fault;
use serde_json::{Map, Value, json};

const LISTS: [&str; 5] =
    ["testCases", "test_cases", "conversationalTestCases", "conversational_test_cases", "test_results"];
const METRICS: [&str; 2] = ["metricsData", "metrics_data"];

/// Whether a test run stands in the file.
pub(crate) fn wrote(input: &Input) -> bool {
    input.first().is_some_and(|first| {
        let has_metrics = |case: &Value| METRICS.iter().any(|name| case.get(*name).is_some());
        let listed = LISTS
            .iter()
            .filter_map(|name| first.get(*name))
            .any(|list| elements(list).iter().any(has_metrics));
        listed || has_metrics(first)
    })
}

/// Reads test cases.
pub(crate) fn read(input: Input, findings: &mut Findings) -> Result<(), Fault> {
    for (place, record) in input.records() {
        let lists: Vec<(&str, &[Value])> =
            LISTS.iter().filter_map(|name| record.get(*name).map(|list| (*name, elements(list)))).collect();
        if lists.is_empty() {
            one(&place, fields(&record), findings);
        }
        for (name, list) in lists {
            for (index, case) in list.iter().enumerate() {
                one(&place.within(&format!("{name}[{index}]")), fields(case), findings);
            }
        }
    }
    findings.must_hold("test cases with `input` and `actualOutput`")
}

const CASE: [(&str, &str); 22] = [
    ("name", "case"),
    ("input", "question"),
    ("actualOutput", "answer"),
    ("actual_output", "answer"),
    ("expectedOutput", "expected.answer"),
    ("expected_output", "expected.answer"),
    ("context", "context"),
    ("retrievalContext", "passages"),
    ("retrieval_context", "passages"),
    ("toolsCalled", "routing.tool_calls"),
    ("tools_called", "routing.tool_calls"),
    ("expectedTools", "expected.tools"),
    ("expected_tools", "expected.tools"),
    ("turns", "messages, question, answer"),
    ("metricsData", "verdicts"),
    ("metrics_data", "verdicts"),
    ("tags", "metadata"),
    ("comments", "metadata"),
    ("additionalMetadata", "metadata"),
    ("additional_metadata", "metadata"),
    ("metadata", "metadata"),
    ("conversational", "one turn or several"),
];

fn one(place: &Place, map: &Map<String, Value>, findings: &mut Findings) {
    findings.records += 1;
    findings.tally.record("test case", map, &CASE);
    let Some(mut conversation) = dialogue(map) else {
        let found = format!("the fields {}", map.keys().cloned().collect::<Vec<_>>().join(", "));
        let expected = "`input` and `actualOutput` (or `turns` that end in an answer), to be a conversation";
        return findings.refuse(place.clone(), Fault::new("", found, expected));
    };
    let name = text(map, &["name"]);
    let null = Value::Null;
    let parts =
        ["question", "messages", "answer", "passages"].map(|part| conversation.get(part).unwrap_or(&null));
    let id = id_of("deepeval", &parts);
    let metadata: Map<String, Value> =
        ["tags", "comments", "additionalMetadata", "additional_metadata", "metadata"]
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), first(map, &[name])?.clone())))
            .collect();
    conversation.extend(row([
        ("id", Some(id.clone().into())),
        ("case", name.map(Value::from)),
        ("metadata", (!metadata.is_empty()).then_some(Value::Object(metadata))),
    ]));
    findings.conversation(place.clone(), conversation);
    for metric in first(map, &METRICS).map(elements).unwrap_or_default() {
        verdict(place, &id, fields(metric), findings);
    }
}

fn dialogue(map: &Map<String, Value>) -> Option<Map<String, Value>> {
    if let Some(turns) = map.get("turns").filter(|turns| !elements(turns).is_empty()) {
        let asked = asked(&messages(turns, Speaker::User), crate::Turns::Whole).pop()?;
        return asked.is_answered().then(|| asked.fields());
    }
    let turns = [
        Turn::of_text(Speaker::User, text(map, &["input"])?),
        Turn::of_text(Speaker::Assistant, text(map, &["actualOutput", "actual_output"])?),
    ];
    let mut conversation = asked(&turns, crate::Turns::Whole).pop()?.fields();
    let context = first(map, &["context"]).map(|context| match context {
        Value::Array(texts) => texts.iter().filter_map(scalar).collect::<Vec<_>>().join("\n\n"),
        other => shown(other),
    });
    let tools =
        |names: [&str; 2]| map.get(names[0]).or_else(|| map.get(names[1])).filter(|tools| tools.is_array());
    let calls = tools(["toolsCalled", "tools_called"])
        .map(|tools| elements(tools).iter().map(call).collect::<Value>());
    let mut expected = row([("answer", text(map, &["expectedOutput", "expected_output"]).map(Value::from))]);
    if let Some(tools) = tools(["expectedTools", "expected_tools"]) {
        expected.insert("tools".to_owned(), elements(tools).iter().map(expected_tool).collect());
    }
    let passages = map
        .get("retrievalContext")
        .or_else(|| map.get("retrieval_context"))
        .filter(|passages| passages.is_array());
    conversation.extend(row([
        ("context", context.filter(|context| !context.is_empty()).map(Value::from)),
        ("routing", calls.map(|calls| json!({ "tool_calls": calls }))),
        ("expected", (!expected.is_empty()).then_some(Value::Object(expected))),
        ("passages", passages.map(table::passages)),
    ]));
    Some(conversation)
}

fn call(tool: &Value) -> Value {
    let map = fields(tool);
    json!({
        "name": text(map, &["name"]).unwrap_or_default(),
        "arguments": first(map, &["inputParameters", "input_parameters"]).map_or(Value::Null, opened),
        "result": first(map, &["output"]).map_or(Value::Null, opened),
    })
}

fn expected_tool(tool: &Value) -> Value {
    let map = fields(tool);
    let arguments = first(map, &["inputParameters", "input_parameters"]).map(opened);
    Value::Object(row([("name", text(map, &["name"]).map(Value::from)), ("arguments", arguments)]))
}

const METRIC: [(&str, &str); 8] = [
    ("name", "criterion"),
    ("score", "value"),
    ("reason", "reason"),
    ("error", "error"),
    ("evaluationModel", "model"),
    ("evaluation_model", "model"),
    ("evaluationCost", "cost_usd"),
    ("evaluation_cost", "cost_usd"),
];

fn verdict(place: &Place, conversation: &str, map: &Map<String, Value>, findings: &mut Findings) {
    findings.tally.record("metric", map, &METRIC);
    let criterion = text(map, &["name"]);
    let score = first(map, &["score"]).cloned();
    let error = match (&score, text(map, &["error"])) {
        (Some(_), _) => None,
        (None, Some(error)) => Some(error),
        (None, None) => Some("missing: the metric has no score".to_owned()),
    };
    let place = place.within(&format!("metric {}", criterion.as_deref().unwrap_or("without a name")));
    let verdict = row([
        ("judge", Some("deepeval".into())),
        ("conversation", Some(conversation.into())),
        ("criterion", criterion.map(Value::from)),
        ("value", score),
        ("error", error.map(Value::from)),
        ("reason", text(map, &["reason"]).map(Value::from)),
        ("model", text(map, &["evaluationModel", "evaluation_model"]).map(Value::from)),
        ("cost_usd", first(map, &["evaluationCost", "evaluation_cost"]).cloned()),
    ]);
    findings.verdict(place, verdict);
}
