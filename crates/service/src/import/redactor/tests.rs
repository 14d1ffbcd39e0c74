use super::*;
use domain::{OwnRule, PrivateKind};
use serde_json::json;

fn rules() -> RedactionRules {
    RedactionRules {
        kinds: PrivateKind::ALL.to_vec(),
        orders: vec!["ORD-######".to_owned()],
        own: vec![OwnRule { name: "customer".to_owned(), expression: "K[0-9]{4}".to_owned() }],
    }
}

fn redactor() -> Redactor {
    Redactor::new(&StoredRedaction { rules: rules(), secret: [7; 32] }, Vec::new()).unwrap()
}

fn clean(text: &str) -> String {
    redactor().text(text).unwrap_or_else(|| text.to_owned())
}

#[test]
fn private_data_become_placeholders() {
    for (text, expected) in [
        ("mail ada@example.com, please", "mail [e-mail 1], please"),
        ("<Ada.Löwe+shop@post.example.co.uk>", "<[e-mail 1]>"),
        ("https://x.example/?to=ada%40example.com&n=1", "https://x.example/?to=[e-mail 1]&n=1"),
        ("call +49 (0)170 123 45 67 now", "call [phone 1] now"),
        ("0170/1234567 or 0049 170 1234567", "[phone 1] or [phone 2]"),
        ("Tel.: 06 12 34 56 78.", "Tel.: [phone 1]."),
        ("(415) 555-2671 and 1-415-555-2671", "([phone 1] and [phone 2]"),
        ("DE89 3704 0044 0532 0130 00 is mine", "[iban 1] is mine"),
        ("GB82WEST12345698765432", "[iban 1]"),
        ("card 4111 1111 1111 1111 12/27", "card [card 1] 12/27"),
        ("nr 12 4111-1111-1111-1111", "nr 12 [card 1]"),
        ("order ORD-123456 of K1234", "order [order 1] of [customer 1]"),
        ("ord-123456", "[order 1]"),
    ] {
        assert_eq!(clean(text), expected, "{text}");
    }
}

#[test]
fn what_only_looks_like_it_stays() {
    for text in [
        "4111 1111 1111 1112 has a wrong check digit",
        "GB82WEST12345698765433 has a wrong remainder",
        "on 2026-11-30 at 08:15:00, or 05.12.2026, or 11/30/2026",
        "0.1234567890123456 and 3.14159265358979",
        "550e8400-e29b-41d4-a716-446655440000",
        "019b2f6e-0000-7000-8000-000000000001",
        "10.0.0.1 costs 12.50 for 1 000 000 people",
        "version 1.02.003, chapter 7, 100 % of 200",
        "ada at example dot com, user@localhost",
        "XORD-1234567",
        "[e-mail 3] wrote to [order 12]",
    ] {
        assert_eq!(clean(text), text);
    }
}

#[test]
fn a_value_has_one_placeholder_however_it_is_written() {
    let redactor = redactor();
    for (text, expected) in [
        ("ada@example.com", "[e-mail 1]"),
        ("ben@example.com", "[e-mail 2]"),
        ("ADA@Example.com", "[e-mail 1]"),
        ("+49 170 1234567", "[phone 1]"),
        ("0049-170-1234567", "[phone 1]"),
        ("DE89370400440532013000", "[iban 1]"),
        ("de89 3704 0044 0532 0130 00", "[iban 1]"),
        ("4111111111111111", "[card 1]"),
        ("4111-1111-1111-1111", "[card 1]"),
    ] {
        assert_eq!(redactor.text(text).unwrap(), expected, "{text}");
    }
    let (new, counts) = redactor.finish();
    assert_eq!(new.len(), 5);
    assert_eq!(counts[0], Redacted { rule: "e-mail".to_owned(), values: 2, places: 3 });
    let later = Redactor::new(&StoredRedaction { rules: rules(), secret: [7; 32] }, new).unwrap();
    assert_eq!(later.text("cyd@example.com, ben@example.com").unwrap(), "[e-mail 3], [e-mail 2]");
    let elsewhere = Redactor::new(&StoredRedaction { rules: rules(), secret: [8; 32] }, Vec::new()).unwrap();
    elsewhere.text("ada@example.com").unwrap();
    assert_ne!(elsewhere.finish().0[0].value_hash, later.hash("e-mail", "ada@example.com"));
}

#[test]
fn a_row_is_searched_everywhere_but_where_the_format_speaks() {
    let redactor = redactor();
    let mut row = json!({
        "id": "c: ada@example.com", "at": "2026-11-30T08:15:00Z", "trial": 4_111_111_111_111_111_u64,
        "messages": [{"role": "user", "content": "I am ada@example.com"}],
        "routing": {"tool_calls": [{"name": "find", "arguments": {"card": 4_111_111_111_111_111_u64, "amount": 12.5},
            "result": {"ada@example.com": true}}]},
        "passages": [{"id": "p1", "rank": 1, "text": "K1234"}],
        "metadata": {"who": {"deep": ["ben@example.com"]}}, "ben@example.com": "x"
    })
    .as_object()
    .unwrap()
    .clone();
    redactor.row(Kind::Conversations, &mut row);
    let expected = json!({
        "id": "c: [e-mail 1]", "at": "2026-11-30T08:15:00Z", "trial": 4_111_111_111_111_111_u64,
        "messages": [{"role": "user", "content": "I am [e-mail 1]"}],
        "routing": {"tool_calls": [{"name": "find", "arguments": {"card": "[card 1]", "amount": 12.5},
            "result": {"[e-mail 1]": true}}]},
        "passages": [{"id": "p1", "rank": 1, "text": "[customer 1]"}],
        "metadata": {"who": {"deep": ["[e-mail 2]"]}}, "[e-mail 2]": "x"
    });
    // Numbers are given in the order in which values are met, which is that of the names.
    let one_number = |text: String| {
        ["1", "2"].iter().fold(text, |text, number| text.replace(&format!("[e-mail {number}]"), "[e-mail N]"))
    };
    assert_eq!(one_number(Value::Object(row).to_string()), one_number(expected.to_string()));
    let mut label =
        json!({"annotator": "ada@example.com", "conversation": "c", "criterion": "helpful", "value": 4,
        "comment": "ask K1234", "labelled_at": "2026-11-30T08:15:00Z"})
        .as_object()
        .unwrap()
        .clone();
    redactor.row(Kind::Labels, &mut label);
    assert!(label["annotator"].as_str().unwrap().starts_with("[e-mail"));
    assert_eq!((&label["value"], &label["comment"]), (&json!(4), &json!("ask [customer 1]")));
}

#[test]
fn rules_that_cannot_stand_are_refused() {
    let own = |name: &str, expression: &str| RedactionRules {
        own: vec![OwnRule { name: name.to_owned(), expression: expression.to_owned() }],
        ..RedactionRules::default()
    };
    for (rules, says) in [
        (own("x", "("), "regular expression"),
        (own("x", "a*"), "match nothing"),
        (own("x", "(((a{100}){100}){100}){100}"), "regular expression of moderate size"),
        (own("x", &"a".repeat(501)), "at most 500"),
        (own("e-mail", "a"), "a name of its own"),
        (own("a]b", "a"), "a name of its own"),
        (RedactionRules { orders: vec!["#".to_owned()], ..RedactionRules::default() }, "at least three"),
        (
            RedactionRules {
                own: vec![OwnRule { name: "x".to_owned(), expression: "a".to_owned() }; 21],
                ..RedactionRules::default()
            },
            "more than 20",
        ),
    ] {
        let refused = check(&rules).unwrap_err().to_string();
        assert!(refused.contains(says), "{refused}");
    }
    assert!(check(&rules()).is_ok());
}

#[test]
fn a_long_text_is_searched_in_little_more_than_its_length() {
    for part in ["1 ", "a@", "+1(", "DE89 ", "ada@example.com ", "[e-mail 1]", "0170 1234567 "] {
        let long = part.repeat(200_000 / part.len());
        let clean = clean(&long);
        assert!(clean.len() <= long.len() * 2, "{part}");
    }
}
