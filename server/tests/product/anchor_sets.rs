//! Frozen anchor sets, by the command line.

use crate::{command_line::DEMO, program::Workplace};
use serde_json::json;

const FREEZE: [&str; 13] = [
    "anchor-set",
    "freeze",
    "--project",
    "demo",
    "gold",
    "--size",
    "60",
    "--rule",
    "median",
    "--owner",
    "quality",
    "--expires",
    "2027-12-31",
];

/// A demo project of its own with a frozen set, and the set's file.
fn frozen() -> (Workplace, String) {
    let place = Workplace::new();
    place.done(&["demo"]);
    place.done(&FREEZE);
    let file = place.done(&["anchor-set", "export", "--project", "demo", "gold@1"]).out;
    (place, file)
}

#[test]
fn what_would_be_frozen_is_shown_and_not_stored() {
    let preview =
        DEMO.done(&["anchor-set", "build", "--project", "demo", "gold", "--size", "60", "--json"]).json();
    assert_eq!((preview["anchor_set"].as_str(), preview["items"].as_u64()), (Some("gold@1"), Some(60)));
    let [tune, confirm] = ["tune", "confirm"].map(|split| preview[split].as_u64().unwrap());
    assert_eq!(tune + confirm, 60);
    let parts = preview["precision"].as_array().unwrap();
    assert!(
        parts.iter().any(|part| part["half_width"].as_f64().is_some_and(|width| width > 0.0)),
        "{preview}"
    );
    let words = DEMO.done(&["anchor-set", "build", "--project", "demo", "gold", "--size", "60"]).out;
    assert!(words.contains("gold@1: 60 items") && words.contains("power"), "{words}");
    assert_eq!(DEMO.done(&["anchor-set", "list", "--project", "demo", "--json"]).json(), json!([]));
}

#[test]
fn a_file_goes_out_and_comes_back_byte_for_byte() {
    let (place, file) = frozen();
    assert!(file.ends_with("}\n") && !file.ends_with("\n\n"));
    let export = ["anchor-set", "export", "--project", "demo", "gold@1", "--to", "anchor-sets"];
    place.done(&export);
    place.done(&export);
    assert_eq!(std::fs::read_to_string(place.path("anchor-sets/gold/1.json")).unwrap(), file);
    let verified = place.done(&["anchor-set", "verify", "anchor-sets/gold/1.json", "--json"]).json();
    let listed = place.done(&["anchor-set", "list", "--project", "demo", "--json"]).json();
    assert_eq!((&verified["hash"], verified["items"].as_u64()), (&listed[0]["hash"], Some(60)));

    let elsewhere = Workplace::new();
    elsewhere.file("1.json", &file);
    elsewhere.done(&["anchor-set", "verify", "1.json"]);
    assert!(!elsewhere.path("touchstone.db").exists(), "a file is verified without a database");
    elsewhere.done(&["project", "create", "other"]);
    let import = ["anchor-set", "import", "--project", "other", "1.json", "--json"];
    assert_eq!(elsewhere.done(&import).json()["new"], true);
    assert_eq!(elsewhere.done(&import).json()["new"], false);
    assert_eq!(elsewhere.done(&["anchor-set", "export", "--project", "other", "gold@1"]).out, file);
}

#[test]
fn an_edited_file_is_refused_with_both_hashes() {
    let (place, file) = frozen();
    let hash = place.done(&["anchor-set", "list", "--project", "demo", "--json"]).json()[0]["hash"].clone();
    place.file("edited.json", file.replacen("quality", "qualify", 1));
    place.file("longer.json", format!("{file}\n"));
    place.file("cut.json", &file[..file.len() / 2]);
    place.done(&["project", "create", "other"]);
    for edited in ["edited.json", "longer.json", "cut.json", "absent.json"] {
        for arguments in
            [&["anchor-set", "verify", edited][..], &["anchor-set", "import", "--project", "other", edited]]
        {
            let run = place.run(arguments);
            assert_eq!((run.code, run.out.as_str()), (3, ""), "{arguments:?}: {run:?}");
            assert!(run.err.contains(edited), "{run:?}");
        }
    }
    let run = place.run(&["anchor-set", "verify", "edited.json"]);
    assert!(run.err.contains(hash.as_str().unwrap()), "{run:?}");
    assert_eq!(place.done(&["anchor-set", "list", "--project", "other", "--json"]).json(), json!([]));
}

#[test]
fn a_decision_names_the_set_and_marks_a_second_look() {
    let (place, _) = frozen();
    let hash = place.done(&["anchor-set", "list", "--project", "demo", "--json"]).json()[0]["hash"].clone();
    place.file("policy.toml", "name = \"any\"\n[rules]\nminimum_n = 1\n");
    let gate = |more: &[&str]| {
        let mut arguments = vec![
            "gate",
            "--project",
            "demo",
            "--candidate",
            "illustrative / claims",
            "--policy",
            "policy.toml",
        ];
        arguments.extend(["--anchor-set", "gold@1", "--json"]);
        arguments.extend(more);
        let run = place.run(&arguments);
        assert!((0..3).contains(&run.code), "{run:?}");
        run.json()
    };
    let first = gate(&[]);
    let set = json!({"name": "gold", "version": 1, "hash": hash, "split": "confirm"});
    assert_eq!(first["reference"]["anchor_set"], set);
    assert_eq!(first["advice_only"], false);
    assert_eq!(first["opening"], json!({"look": 1}));
    let second = gate(&["--why", "the log was lost"]);
    assert_eq!(second["opening"], json!({"look": 2, "why": "the log was lost"}));
    let tune = gate(&["--split", "tune"]);
    assert!(tune["opening"].is_null());
    assert_eq!(tune["reference"]["anchor_set"]["split"], "tune");
    let compared = place.done(&["compare", "--project", "demo", "--anchor-set", "gold@1", "--json"]).json();
    assert_eq!(compared["reference"]["anchor_set"]["split"], "tune");
    place.done(&["diagnose", "--project", "demo", "--anchor-set", "gold@1"]);
}

#[test]
fn versions_are_told_apart_and_what_cites_a_document_is_listed() {
    let (place, _) = frozen();
    place.done(&["anchor-set", "freeze", "--project", "demo", "gold", "--size", "40"]);
    let words = place.done(&["anchor-set", "diff", "--project", "demo", "gold@1", "gold@2"]).out;
    assert!(words.contains("removed: ") && words.contains("the same rubric"), "{words}");
    let review = place.done(&["anchor-set", "review", "--project", "demo", "gold@1", "--json"]).json();
    assert_eq!(review["anchor_set"], "gold@1");
    assert_eq!(review["owner"], "quality");
    for arguments in [
        &["anchor-set", "diff", "--project", "demo", "gold@1", "gold@9"][..],
        &["anchor-set", "review", "--project", "demo", "gold"],
        &["anchor-set", "freeze", "--project", "demo", "../gold"],
        &["compare", "--project", "demo", "--anchor-set", "gold@1", "--rule", "median"],
        &["compare", "--project", "demo", "--split", "tune"],
        &["compare", "--project", "demo", "--anchor-set", "gold@1", "--split", "both"],
    ] {
        let run = place.run(arguments);
        assert_eq!((run.code, run.out.as_str()), (3, ""), "{arguments:?}: {run:?}");
    }
}

#[test]
fn the_set_that_comes_along_is_as_it_was_frozen_and_of_the_demo_project() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../anchor-sets/demo/1.json");
    let place = Workplace::new();
    place.done(&["anchor-set", "verify", file]);
    place.done(&["demo"]);
    let words = place.done(&["anchor-set", "import", "--project", "demo", file]).err;
    assert!(words.contains("demo@1 is imported: 60 items, 0 new conversations"), "{words}");
    place.done(&["compare", "--project", "demo", "--anchor-set", "demo@1"]);
}
