//! Files that mean harm or are broken: each is taken and shown safely, or refused with file, line, field, what was found and what was
//! expected, and then nothing of it is stored.

use crate::program::{Run, Workplace};
use serde_json::{Value, json};

const RUBRIC: &str = r#"
    name = "r"
    version = 1
    [[scale]]
    id = "four"
    kind = "ordinal"
    levels = [{ value = 1, name = "no" }, { value = 2, name = "rather no" }, { value = 3, name = "rather yes" }, { value = 4, name = "yes" }]
    [[scale]]
    id = "share"
    kind = "continuous"
    min = 0.0
    max = 1.0
    [[criterion]]
    id = "helpful"
    component = "generation"
    unit = "conversation"
    scale = "four"
    question = "Does it help?"
    required = true
    [[criterion]]
    id = "supported"
    component = "generation"
    unit = "conversation"
    scale = "share"
    question = "How much of it is supported?"
    [[criterion]]
    id = "relevant"
    component = "retrieval"
    unit = "passage"
    scale = "four"
    question = "Is the passage relevant?"
"#;

const GOOD: &str =
    r#"{"id": "good", "question": "q", "passages": [{"id": "p1", "text": "t"}], "answer": {"text": "a"}}"#;

/// A place with a project `p` that has one conversation, `good`.
fn place() -> Workplace {
    let place = Workplace::new();
    place.file("rubric.toml", RUBRIC);
    place.done(&["project", "create", "p", "--rubric", "rubric.toml"]);
    place.file("good.jsonl", GOOD);
    place.done(&["import", "conversations", "--project", "p", "good.jsonl"]);
    place
}

fn import(place: &Workplace, kind: &str, file: &str) -> Run {
    place.run(&["import", kind, "--project", "p", file])
}

/// The file is refused with a message that holds every one of `says`, and nothing of it is stored.
#[track_caller]
fn refuse(place: &Workplace, kind: &str, file: &str, says: &[&str]) {
    let count = || ["conversations", "labels", "verdicts"].map(|table| place.rows(table));
    let before = count();
    let run = import(place, kind, file);
    assert_eq!(run.code, 3, "{run:?}");
    assert!(run.out.is_empty(), "{run:?}");
    for word in says.iter().chain(&["nothing was stored"]) {
        assert!(run.err.contains(word), "`{word}` is not in {}", run.err);
    }
    let is_plain = |character: char| character == '\n' || !character.is_control();
    assert!(run.err.chars().all(is_plain), "what is invisible must be made visible: {:?}", run.err);
    assert!(run.err.len() < 4_000, "a message is no copy of the file: {} bytes", run.err.len());
    assert_eq!(count(), before, "nothing half-written");
}

#[test]
fn conversations_that_cannot_be_taken_are_refused_where_they_stand() {
    let passages =
        |count: usize| (0..count).map(|index| json!({"id": format!("p{index}")})).collect::<Vec<_>>();
    let long = json!({"id": "long", "question": "x".repeat(5 * 1024 * 1024)}).to_string();
    let many = json!({"id": "many", "question": "q", "passages": passages(10_000)}).to_string();
    let twice = json!({"id": "twice", "question": "q", "passages": [{"id": "a"}, {"id": "a"}]}).to_string();
    let cases: [(&[u8], &[&str]); 13] = [
        (b"{\"id\": \"a\", \"question\": \"\xff\xfe\"}", &["byte 26", "ff fe", "UTF-8"]),
        (
            b"{\"id\": \"a\", \"question\": \"q\", \"passages\": [{\"id\": \"p\", \"score\": 1e999}]}",
            &["1e999", "finite number"],
        ),
        (b"{\"id\": \"a\", \"question\": \"q\", \"trial\": 99999999999999999999}", &["trial", "2^53"]),
        (b"{\"id\": \"a\\u0000b\", \"question\": \"q\"}", &["id:", "U+0000"]),
        (b"{\"id\": \"a\xe2\x80\xae\", \"question\": 3}", &["question", "found 3", "expected"]),
        (b"{\"id\": \"a\", \"question\": \"q\"", &["valid JSON"]),
        (b"[1, 2]", &["[1,2]", "JSON object"]),
        (b"{\"question\": \"q\"}", &["id"]),
        (b"{\"id\": \"good\", \"question\": \"another text\"}", &["id: found good", "one text for one id"]),
        (b"{\"id\": \"a\", \"question\": \"q\", \"id\": \"b\"}", &["id"]),
        (long.as_bytes(), &["4194304 bytes"]),
        (many.as_bytes(), &["passages: found 10000 passages", "at most 2000"]),
        (twice.as_bytes(), &["passages[1].id: found a"]),
    ];
    let place = place();
    for (line, says) in cases {
        let fine = br#"{"id": "fine", "question": "q"}"#;
        place.file("bad.jsonl", [&fine[..], b"\n", line, b"\n"].concat());
        refuse(&place, "conversations", "bad.jsonl", &[says, &["bad.jsonl:2: "]].concat());
    }
    let nested = format!(
        "{{\"id\": \"a\", \"question\": \"q\", \"metadata\": {}{}}}",
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    place.file("nested.jsonl", nested);
    refuse(&place, "conversations", "nested.jsonl", &["nested.jsonl:1: "]);
}

#[test]
fn what_only_looks_dangerous_is_taken_as_the_text_that_it_is() {
    let place = place();
    let texts = [
        "<script>alert(1)</script>",
        "</textarea><script>alert(1)</script>",
        "\u{202e}gnp.exe\u{2066}",
        "nul \0 nul",
        "=HYPERLINK(\"x\")",
    ];
    let rows: Vec<String> = texts
        .iter()
        .enumerate()
        .map(|(index, text)| json!({"id": format!("c{index}"), "question": text, "answer": {"text": text}, "passages": [{"id": "p", "text": text}]}).to_string())
        .collect();
    place.file("odd.jsonl", rows.join("\n"));
    let run = import(&place, "conversations", "odd.jsonl");
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(place.rows("conversations"), 1 + texts.len() as u64);
    let again = place.done(&["import", "conversations", "--project", "p", "odd.jsonl", "--json"]).json();
    assert_eq!((&again["new"], &again["unchanged"]), (&json!(0), &json!(texts.len())));
}

#[test]
fn labels_that_cannot_be_taken_are_refused_where_they_stand() {
    let place = place();
    let cases: [(&str, &[&str]); 14] = [
        ("ada,good,conversation,helpful,7", &["value: found 7", "1", "4"]),
        ("ada,good,conversation,helpful,1e999", &["value: found 1e999"]),
        ("ada,good,conversation,helpful,NaN", &["value: found NaN"]),
        ("ada,good,conversation,helpful,inf", &["value: found inf"]),
        ("ada,good,conversation,helpful,2.5", &["value: found 2.5"]),
        ("ada,good,conversation,supported,1.5", &["value: found 1.5", "0", "1"]),
        ("ada,good,conversation,beauty,1", &["criterion: found beauty", "helpful, supported, relevant"]),
        ("ada,nowhere,conversation,helpful,1", &["conversation: found nowhere", "import it first"]),
        ("ada,good,passage:p9,relevant,1", &["unit: found passage:p9"]),
        ("ada,good,conversation,relevant,1", &["unit: found conversation", "passage"]),
        (",good,conversation,helpful,1", &["annotator: found nothing"]),
        ("\"a\nb\",good,conversation,helpful,1", &["annotator: found a"]),
        ("ada,good,conversation,helpful", &["4 cells", "5"]),
        ("ben,good,conversation,helpful,2", &["value: found 2", "pass"]),
    ];
    for (row, says) in cases {
        place.file(
            "bad.csv",
            format!("annotator,conversation,unit,criterion,value\nben,good,conversation,helpful,1\n{row}\n"),
        );
        refuse(&place, "labels", "bad.csv", &[says, &["bad.csv:3: "]].concat());
    }
    place.file(
        "latin.csv",
        b"annotator,conversation,unit,criterion,value\nZo\xeb,good,conversation,helpful,1\n",
    );
    refuse(&place, "labels", "latin.csv", &["latin.csv:2: ", "annotator", "UTF-8"]);
    place.file("head.csv", "annotator,conversation,value,value\nada,good,1,2\n");
    refuse(&place, "labels", "head.csv", &["head.csv:1: ", "found value"]);
    place.file("empty.csv", "");
    refuse(&place, "labels", "empty.csv", &["empty.csv", "header"]);
}

#[test]
fn a_table_keeps_its_quotes_and_line_ends() {
    let place = place();
    let comment = "says \"no\",\r\nthen yes; =1+1";
    let cell = format!("\"{}\"", comment.replace('"', "\"\""));
    let table = format!(
        "\u{feff}value,annotator,comment,criterion,conversation\r\nyes,ada,{cell},helpful,good\r\n,ben,,helpful,good\r\n"
    );
    place.file("labels.csv", table);
    let summary = place.done(&["import", "labels", "--project", "p", "labels.csv", "--json"]).json();
    assert_eq!(
        (&summary["new"], &summary["missing"]),
        (&json!(1), &json!(1)),
        "an empty value is missing, no category"
    );
    // The second file has its fault after a record of two lines: the line that is named is the file's.
    place.file(
        "later.csv",
        format!(
            "annotator,conversation,criterion,value,comment\nzoe,good,helpful,1,{cell}\nzoe,good,helpful,9,\n"
        ),
    );
    refuse(&place, "labels", "later.csv", &["later.csv:4: value: found 9"]);
}

#[test]
fn a_verdict_off_the_scale_is_kept_as_the_failure_that_it_is() {
    let place = place();
    let values = ["7", "1e999", "NaN", "very good", "2"];
    let rows: Vec<String> =
        values.iter().enumerate().map(|(repeat, value)| format!("j,good,helpful,{value},{repeat}")).collect();
    place.file("verdicts.csv", format!("judge,conversation,criterion,value,repeat\n{}\n", rows.join("\n")));
    let summary = place.done(&["import", "verdicts", "--project", "p", "verdicts.csv", "--json"]).json();
    assert_eq!((&summary["new"], &summary["failures"]), (&json!(5), &json!(4)));
    place.file("both.csv", "judge,conversation,criterion,value,error\nj,good,helpful,1,refused\n");
    refuse(&place, "verdicts", "both.csv", &["both.csv:2: value: found 1", "not both"]);
    place.file("negative.csv", "judge,conversation,criterion,value,latency_ms\nk,good,helpful,1,-5\n");
    refuse(&place, "verdicts", "negative.csv", &["negative.csv:2: latency_ms: found -5"]);
}

#[test]
fn keep_going_takes_the_good_rows_and_writes_the_others_beside_the_file() {
    let place = place();
    place.file("mixed.csv", "annotator,conversation,criterion,value\nada,good,helpful,9\nben,good,helpful,1\nchloe,nowhere,helpful,1\n");
    let summary =
        place.done(&["import", "labels", "--project", "p", "mixed.csv", "--keep-going", "--json"]).json();
    assert_eq!((&summary["new"], &summary["rejected"]), (&json!(1), &json!(2)));
    let rejected = std::fs::read_to_string(place.path("mixed.csv.rejected.jsonl")).unwrap();
    let rows: Vec<Value> = rejected.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 2);
    assert_eq!((&rows[0]["line"], &rows[0]["row"]["annotator"]), (&json!(2), &json!("ada")));
    assert!(rows[1]["reason"].as_str().unwrap().contains("nowhere"));
    assert_eq!(place.rows("labels"), 1);
    let dry = place
        .done(&["import", "labels", "--project", "p", "mixed.csv", "--keep-going", "--dry-run", "--json"])
        .json();
    assert_eq!(dry["dry_run"], true);
    assert_eq!(place.rows("labels"), 1);
}

#[test]
fn an_import_that_is_killed_leaves_nothing_half_written() {
    let place = place();
    let rows: Vec<String> = (0..60_000)
        .map(|index| json!({"id": format!("c{index}"), "question": "q".repeat(500)}).to_string())
        .collect();
    place.file("many.jsonl", rows.join("\n"));
    let mut child =
        place.command(&["import", "conversations", "--project", "p", "many.jsonl"]).spawn().unwrap();
    // Long enough to have begun, and far from long enough to end.
    let begun = std::time::Instant::now();
    while begun.elapsed().as_millis() < 300 {
        assert!(
            child.try_wait().unwrap().is_none(),
            "the import was too quick to be killed: give it more rows"
        );
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(place.rows("conversations"), 1);
}

#[test]
fn rubrics_that_cannot_stand_are_refused() {
    let place = place();
    for (from, to, says) in [
        ("kind = \"ordinal\"", "kind = \"vague\"", "vague"),
        ("scale = \"share\"", "scale = \"none\"", "none"),
        ("max = 1.0", "max = nan", "max"),
        ("version = 1", "version = -1", "version"),
        ("id = \"helpful\"", "id = \"relevant\"", "relevant"),
    ] {
        let rubric = RUBRIC.replacen(from, to, 1);
        assert_ne!(rubric, RUBRIC);
        place.file("other.toml", rubric);
        let run = place.run(&["import", "rubric", "--project", "p", "other.toml"]);
        assert_eq!(run.code, 3, "{to}: {run:?}");
        assert!(run.err.contains("other.toml") && run.err.contains(says), "{to}: {run:?}");
    }
    place.file("changed.toml", RUBRIC.replace("Does it help?", "Is it nice?"));
    let run = place.run(&["import", "rubric", "--project", "p", "changed.toml"]);
    assert_eq!(run.code, 3, "a published version never changes: {run:?}");
}
