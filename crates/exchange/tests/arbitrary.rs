//! No input makes a reader panic: any bytes, any JSON, and files of the tools in which something was exchanged for something else.

use exchange::{Choice, Format, Turns, is_ours, read};
use proptest::prelude::*;
use serde_json::{Map, Value};

const NAMES: [&str; 40] = [
    "trace",
    "observations",
    "id",
    "input",
    "output",
    "type",
    "role",
    "content",
    "parts",
    "messages",
    "spanContext",
    "traceId",
    "attributes",
    "startTime",
    "resourceSpans",
    "scopeSpans",
    "spans",
    "run_type",
    "inputs",
    "outputs",
    "user_input",
    "response",
    "retrieved_contexts",
    "results",
    "vars",
    "gradingResult",
    "eval",
    "samples",
    "scores",
    "testCases",
    "metricsData",
    "data",
    "annotations",
    "result",
    "value",
    "tasks",
    "evaluations",
    "models",
    "tool_calls",
    "function",
];

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
        proptest::sample::select(vec![
            "user",
            "assistant",
            "tool",
            "LLM",
            "[{\"role\":\"user\",\"content\":\"a\"}]",
            "{'a': 1}"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 6, |inner| {
        let name =
            prop_oneof![proptest::sample::select(NAMES.to_vec()).prop_map(str::to_owned), "[a-z]{1,4}"];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            proptest::collection::vec((name, inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn read_in_every_way(name: &str, bytes: &[u8]) {
    let _ = is_ours(name, bytes);
    for turns in [Turns::Each, Turns::Whole] {
        for format in Format::ALL.into_iter().map(Some).chain([None]) {
            // Only a panic fails here.
            let _ = read(name, bytes, &Choice { format, turns, ..Choice::default() });
        }
    }
}

proptest! {
    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        read_in_every_way("a.json", &bytes);
        read_in_every_way("a.csv", &bytes);
    }

    #[test]
    fn any_json(value in json()) {
        read_in_every_way("a.json", value.to_string().as_bytes());
    }

    #[test]
    fn files_of_tools_with_something_exchanged(file in 0usize..7, at in any::<proptest::sample::Index>(), other in json()) {
        let names = ["promptfoo.json", "inspect.json", "deepeval-test-run.json", "deepeval-result.json", "label-studio-two-annotators.json",
            "inspectorraget.json", "otlp-retriever.json"];
        let path = format!("{}/tests/fixtures/{}", env!("CARGO_MANIFEST_DIR"), names[file]);
        let mut value: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let mut places = 0;
        visit(&mut value, &mut |_| { places += 1; });
        let chosen = at.index(places);
        let mut here = 0;
        visit(&mut value, &mut |place| { if here == chosen { *place = other.clone(); } here += 1; });
        let text = value.to_string();
        let _ = read(names[file], text.as_bytes(), &Choice::default());
        let cut = chosen.min(text.len());
        let _ = read(names[file], &text.as_bytes()[..cut], &Choice::default());
    }
}

fn visit(value: &mut Value, act: &mut impl FnMut(&mut Value)) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| visit(value, act)),
        Value::Object(fields) => fields.values_mut().for_each(|value| visit(value, act)),
        _ => {}
    }
    act(value);
}
