use super::*;
use proptest::prelude::*;

fn five() -> Scale {
    let levels = "levels = [{ value = 1, name = \"bad\" }, { value = 2, name = \"poor\" }, { value = 3, name = \"fair\" }, \
                  { value = 4, name = \"good\" }, { value = 5, name = \"great\" }]";
    toml::from_str(&format!("id = \"five\"\nkind = \"ordinal\"\n{levels}")).unwrap()
}

fn share() -> Scale {
    toml::from_str("id = \"share\"\nkind = \"continuous\"\nmin = 0.0\nmax = 1.0").unwrap()
}

fn read(text: &str, scale: &Scale) -> Reading {
    let asked = [Asked { criterion: "help", scale }];
    read_answer(&Answer { text, ..Answer::default() }, Parser::Scores, &asked).remove(0)
}

#[track_caller]
fn fails(text: &str, kind: FailureKind) {
    match read(text, &five()).outcome {
        Outcome::Failure { kind: found, says } => assert_eq!(found, kind, "{text}: {says}"),
        Outcome::Value(value) => panic!("{text} was read as {value}"),
    }
}

#[test]
fn what_models_write_around_a_score_is_read() {
    for text in [
        r#"{"reason": "It helps.", "score": 4}"#,
        "```json\n{\"reason\": \"It helps.\", \"score\": 4}\n```",
        r#"Let me think {about it}. {"reason": "It helps.", "score": "4"} That is all."#,
        r#"{"reason": "It helps.", "score": 4.0}"#,
        r#"{"reason": "It helps.", "score": "good"}"#,
        r#"{"help": {"reason": "It helps.", "score": 4}}"#,
        r#"An example: {"colour": "red"} and the verdict: {"score": 4, "reason": "It helps.", "confidence": 1}"#,
        "Score: see below.\n{\"reason\": \"It helps.\", \"score\": 4}",
        "It helps.\nSCORE: 4",
        "It helps.\n**Score:** 4\n",
    ] {
        let reading = read(text, &five());
        assert_eq!(reading.outcome, Outcome::Value(4.0), "{text}");
        assert_eq!(reading.reason.as_deref(), Some("It helps."), "{text}");
    }
    assert_eq!(read("SCORE: 0.83", &share()).outcome, Outcome::Value(0.83));
}

#[test]
fn what_is_no_value_is_a_failure_of_its_kind() {
    use FailureKind::{Missing, OffScale, Refused, Truncated, Unparsable};
    fails(r#"{"reason": "x", "score": 7}"#, OffScale);
    fails(r#"{"reason": "x", "score": 4.5}"#, OffScale);
    fails(r#"{"reason": "x", "score": "NaN"}"#, OffScale);
    fails("SCORE: NaN", OffScale);
    fails("SCORE: -1", OffScale);
    fails(r#"{"reason": "x", "score": NaN}"#, Unparsable);
    fails(r#"{"reason": "x", "score": "rather good"}"#, Unparsable);
    fails(r#"{"reason": "x", "score": [4]}"#, Unparsable);
    fails(r#"{"reason": "x", "score": null}"#, Unparsable);
    fails(r#"{"reason": "x", "score": true}"#, Unparsable);
    fails(r#"{"reason": "x", "score": 4} {"reason": "y", "score": 4}"#, Unparsable);
    fails(r#"{"reason": "x", "score": 4, "score": 5}"#, Unparsable);
    fails("SCORE: 4\nSCORE: 5", Unparsable);
    fails("SCORE: 4/5", Unparsable);
    fails(r#"{"score": 4}"#, Unparsable);
    fails(r#"{"reason": 4, "score": 4}"#, Unparsable);
    fails(r#"{"reason": "  ", "score": 4}"#, Unparsable);
    fails(r#"{"help": {"reason": "x"}}"#, Missing);
    fails(r#"{"reason": "x", "sco"#, Truncated);
    fails("{", Truncated);
    fails(r#"{"help": {"reason": "x", "score": 4}"#, Truncated);
    fails(r#"{"reason": "x", "score": 4} {"reason": "y", "sc"#, Truncated);
    fails("{\"reason\": \"x\", \"score\": 4}\nSCORE: 5", Unparsable);
    fails(r#"{"reason": "x", "score": 1e999}"#, Unparsable);
    fails(r#"{"reason": "x", "score": "inf"}"#, OffScale);
    fails("I'm sorry, but I can't help with that.", Refused);
    fails("The answer is good.", Unparsable);
    fails("", Missing);
    fails(" \n ", Missing);
}

#[test]
fn what_the_provider_says_of_the_answer_counts() {
    let asked = [Asked { criterion: "help", scale: &five() }];
    let of = |answer: &Answer<'_>| match read_answer(answer, Parser::Scores, &asked).remove(0).outcome {
        Outcome::Failure { kind, .. } => kind,
        Outcome::Value(value) => panic!("{value}"),
    };
    let refused = Answer { text: "", refusal: Some("no"), cut_off: false };
    assert_eq!(of(&refused), FailureKind::Refused);
    let cut = Answer { text: "The answer helps because", refusal: None, cut_off: true };
    assert_eq!(of(&cut), FailureKind::Truncated);
    // A score that was reached before the limit stands.
    let whole = Answer { text: "{\"reason\": \"x\", \"score\": 2}\nAnd so", refusal: None, cut_off: true };
    assert_eq!(read_answer(&whole, Parser::Scores, &asked)[0].outcome, Outcome::Value(2.0));
}

#[test]
fn several_criteria_stand_in_one_answer_and_fail_one_by_one() {
    let scale = five();
    let asked = ["help", "truth", "tone"].map(|criterion| Asked { criterion, scale: &scale });
    let text = r#"{"help": {"reason": "a", "score": 5}, "truth": {"reason": "b", "score": 9}}"#;
    let readings = read_answer(&Answer { text, ..Answer::default() }, Parser::Scores, &asked);
    assert_eq!(readings[0].outcome, Outcome::Value(5.0));
    assert!(matches!(&readings[1].outcome, Outcome::Failure { kind: FailureKind::OffScale, .. }));
    assert!(matches!(&readings[2].outcome, Outcome::Failure { kind: FailureKind::Missing, .. }));
    let schema = answer_schema(Parser::Scores, &asked);
    assert_eq!(schema["properties"]["truth"]["properties"]["score"]["enum"], json!([1, 2, 3, 4, 5]));
}

#[test]
fn the_share_of_supported_claims_is_computed_by_code() {
    let scale = share();
    let asked = [Asked { criterion: "faithfulness", scale: &scale }];
    let of = |text| read_answer(&Answer { text, ..Answer::default() }, Parser::Claims, &asked).remove(0);
    let two_of_three = r#"{"claims": [{"claim": "a", "supported": true}, {"claim": "b", "supported": false},
                           {"claim": "c", "supported": true}]}"#;
    assert_eq!(of(two_of_three).outcome, Outcome::Value(2.0 / 3.0));
    assert_eq!(of(two_of_three).reason.as_deref(), Some("2 of 3 claims are supported; not: b"));
    assert_eq!(of(r#"{"claims": []}"#).outcome, Outcome::Value(1.0));
    for text in [
        r#"{"claims": 3}"#,
        r#"{"claims": [{"claim": "a"}]}"#,
        r#"{"claims": [{"claim": "a", "supported": "yes"}]}"#,
    ] {
        assert!(matches!(of(text).outcome, Outcome::Failure { kind: FailureKind::Unparsable, .. }), "{text}");
    }
}

fn is_on(outcome: &Outcome, scale: &Scale) -> bool {
    outcome.value().is_none_or(|value| scale.admit(value) == Some(value))
}

proptest! {
    #[test]
    fn no_text_panics_and_every_criterion_gets_a_reading(text in ".{0,200}", cut_off: bool) {
        let (scale, share) = (five(), share());
        let asked = [Asked { criterion: "a", scale: &scale }, Asked { criterion: "b", scale: &share }];
        for parser in [Parser::Scores, Parser::Claims] {
            for asked in [&asked[..], &asked[..1], &[]] {
                let answer = Answer { text: &text, cut_off, refusal: None };
                let readings = read_answer(&answer, parser, asked);
                prop_assert_eq!(readings.len(), asked.len());
                for (reading, asked) in readings.iter().zip(asked) {
                    prop_assert!(is_on(&reading.outcome, asked.scale), "{:?}", reading);
                }
            }
        }
    }

    #[test]
    fn no_broken_json_gives_a_value_off_the_scale(text in r#"[{}\[\]":,a-c0-9. scoreSCORE\\n-]{0,120}"#) {
        prop_assert!(is_on(&read(&text, &five()).outcome, &five()));
    }

    #[test]
    fn no_score_is_read_off_the_scale(score in any::<f64>(), level in -20..20_i32, quoted: bool, line: bool) {
        for score in [score.to_string(), level.to_string(), (f64::from(level) / 10.0).to_string()] {
            let object = if quoted { json!({ "reason": "x", "score": score }).to_string() } else { format!("{{\"reason\": \"x\", \"score\": {score}}}") };
            let text = if line { format!("SCORE: {score}") } else { object };
            for scale in [five(), share()] {
                let outcome = read(&text, &scale).outcome;
                prop_assert!(is_on(&outcome, &scale), "{text}: {outcome:?}");
                let is_there = score.parse().ok().and_then(|score| scale.admit(score)).is_some();
                prop_assert_eq!(outcome.value().is_some(), is_there, "{}: {:?}", text, outcome);
            }
        }
    }

    #[test]
    fn a_well_formed_answer_reads_back_its_own_score(level in 1..=5_u8, share_of in 0.0..=1.0_f64, reason in "[^\0]{0,80}", before in "[^{}]{0,40}") {
        prop_assume!(!reason.trim().is_empty() && score_lines(&before).is_empty());
        let whole = json!({ "reason": reason, "score": level }).to_string();
        for text in [whole.clone(), format!("{before}\n```json\n{whole}\n```"), json!({ "score": level.to_string(), "reason": reason }).to_string()] {
            let reading = read(&text, &five());
            prop_assert_eq!(reading.outcome, Outcome::Value(f64::from(level)));
            prop_assert_eq!(reading.reason.as_deref(), Some(reason.as_str()));
        }
        let text = json!({ "reason": reason, "score": share_of }).to_string();
        prop_assert_eq!(read(&text, &share()).outcome, Outcome::Value(share_of));
    }
}
