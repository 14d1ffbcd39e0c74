use super::*;
use serde_json::json;

fn checked(conversation: Value) -> Checked {
    let (conversation, _) = Conversation::from_json(conversation).unwrap();
    Checked::of(&conversation).unwrap()
}

/// A case of one expectation and what was called.
fn tools(expected: Value, calls: Value) -> (Option<bool>, Option<bool>) {
    let checked = checked(json!({"id": "1", "question": "q", "answer": {"text": "a"}, "expected": expected,
        "routing": {"tool_calls": calls}}));
    (checked.checks.tool_choice, checked.checks.tool_argument)
}

#[test]
fn numbers_are_equal_by_value_and_order_counts_in_arrays_alone() {
    for (a, b, same) in [
        (json!({"a": 1, "b": [1, 2]}), json!({"b": [1.0, 2], "a": 1.0}), true),
        (json!([1, 2]), json!([2, 1]), false),
        (json!(true), json!(1), false),
        (json!("1"), json!(1), false),
        (json!({"a": null}), json!({}), false),
        (json!(-0.0), json!(0), true),
    ] {
        assert_eq!(same_json(&a, &b), same, "{a} {b}");
        assert_eq!(same_json(&b, &a), same, "{b} {a}");
    }
}

#[test]
fn every_expected_call_must_be_met_and_one_call_may_meet_several() {
    let order = json!({"name": "order", "arguments": {"id": 1}});
    let twice = json!({"tools": [order, order]});
    assert_eq!(tools(twice.clone(), json!([order])), (Some(true), Some(true)));
    assert_eq!(tools(twice, json!([{"name": "order", "arguments": {"id": 2}}])), (Some(true), Some(false)));
    let both = json!({"tools": [order, {"name": "label"}]});
    assert_eq!(tools(both.clone(), json!([order])), (Some(false), Some(false)));
    let any = json!({"name": "label", "arguments": {"whatever": [1]}});
    assert_eq!(tools(both, json!([any, order])), (Some(true), Some(true)));
}

#[test]
fn where_none_is_expected_none_may_be_called() {
    for none in [json!({"tools": []}), json!({"tool": null})] {
        assert_eq!(tools(none.clone(), json!([])), (Some(true), None));
        assert_eq!(tools(none, json!([{"name": "order"}])), (Some(false), None));
    }
    assert_eq!(tools(json!({"answer": "a"}), json!([{"name": "order"}])), (None, None));
}

#[test]
fn the_short_forms_say_the_same() {
    let short = json!({"tool": "order", "tool_arguments": {"id": 1.0}, "source": "terms"});
    assert_eq!(
        tools(short.clone(), json!([{"name": "order", "arguments": {"id": 1}}])),
        (Some(true), Some(true))
    );
    let case = |passages: Value| {
        checked(json!({"id": "1", "question": "q", "answer": {"text": "a"}, "expected": {"source": "terms"},
            "passages": passages}))
        .checks
        .source
    };
    assert_eq!(case(json!([{"id": "p", "document": "terms"}])), Some(true));
    assert_eq!(case(json!([{"id": "terms"}])), Some(false));
    assert_eq!(case(json!(null)), Some(false));
}

#[test]
fn what_is_expected_and_cannot_be_checked_does_not_pass() {
    let checked =
        checked(json!({"id": "1", "question": "q", "answer": {"text": " "}, "expected": {"tool": "order"}}));
    assert_eq!(checked.checks.tool_choice, None);
    assert_eq!(checked.checks.answer_present, Some(false));
    assert_eq!(
        checked.reasons,
        ["there is no answer", "the trace has no routing record, so its tool calls cannot be checked"]
    );
}

#[test]
fn a_reason_names_what_was_called_instead() {
    let checked = checked(json!({"id": "1", "question": "q", "answer": {"text": "a"},
        "expected": {"tool": "order", "tool_arguments": {"id": "ORD-101"}},
        "routing": {"tool_calls": [{"name": "order", "arguments": {"id": "ORD-999"}}]}}));
    assert_eq!(
        checked.reasons,
        [r#"order was expected with {"id":"ORD-101"}, and called with {"id":"ORD-999"}"#]
    );
}
