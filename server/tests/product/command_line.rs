//! The contract of the command line: exit codes, and the JSON that scripts rely on.

use crate::program::{Run, Workplace, data};
use serde_json::Value;
use std::{io::Write, process::Stdio, sync::LazyLock};

/// The demo project, seeded once for all who only read or decide.
pub(crate) static DEMO: LazyLock<Workplace> = LazyLock::new(|| {
    let place = Workplace::new();
    place.done(&["demo"]);
    place
});

#[test]
fn wrong_usage_is_broken_and_help_is_an_answer() {
    let place = Workplace::new();
    for arguments in [
        &["--help"][..],
        &["--version"],
        &["gate", "--help"],
        &["import", "labels", "--help"],
        &["help", "compare"],
    ] {
        let run = place.run(arguments);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments:?}");
        assert!(!run.out.is_empty());
    }
    for arguments in [
        &[][..],
        &["conquer"],
        &["gate"],
        &["agreement", "--project", "p", "--by", "mood"],
        &["agreement", "--project", "p", "--format", "xml"],
        &["serve", "--listen", "nowhere"],
        &["compare", "--project", "p", "--rule", "best"],
    ] {
        let run = place.run(arguments);
        assert_eq!(run.code, 3, "{arguments:?}: {run:?}");
        assert!(run.out.is_empty() && !run.err.is_empty(), "{arguments:?}: {run:?}");
    }
}

#[test]
fn every_command_shows_an_example() {
    let place = Workplace::new();
    for command in [
        "serve",
        "demo",
        "project",
        "import",
        "export",
        "redaction",
        "agreement",
        "reference",
        "anchor-set",
        "compare",
        "gate",
        "policy",
        "threshold",
        "promote",
        "rollback",
        "slots",
        "log",
        "check",
        "diagnose",
        "user",
        "backup",
        "doctor",
    ] {
        let help = place.done(&[command, "--help"]).out;
        assert!(help.contains("touchstone "), "{command}: {help}");
        assert!(help.contains("Example"), "{command}: {help}");
    }
}

#[test]
fn what_is_not_there_is_broken() {
    let place = Workplace::new();
    for arguments in [
        &["agreement", "--project", "demo"][..],
        &["doctor"],
        &["backup", "copy.db"],
        &["import", "labels", "--project", "demo", "labels.csv"],
    ] {
        let run = place.run(arguments);
        assert_eq!(run.code, 3, "no database: {arguments:?}: {run:?}");
        assert!(run.err.contains("touchstone.db"), "{run:?}");
        assert!(!place.path("touchstone.db").exists(), "{arguments:?} must not make a database");
    }
    for arguments in [
        &["agreement", "--project", "nowhere"][..],
        &["compare", "--project", "nowhere"],
        &["compare", "--project", "demo", "--incumbent", "nobody"],
        &["agreement", "--project", "demo", "--criterion", "beauty"],
        &["import", "labels", "--project", "demo", "absent.csv"],
        &["import", "rubric", "--project", "demo", "absent.toml"],
        &["gate", "--project", "demo", "--candidate", "illustrative / claims", "--policy", "absent.toml"],
        &["user", "disable", "nobody"],
    ] {
        let run = DEMO.run(arguments);
        assert_eq!(run.code, 3, "{arguments:?}: {run:?}");
        assert!(run.out.is_empty(), "{arguments:?}: {run:?}");
        assert!(run.err.starts_with("touchstone: "), "{arguments:?}: {run:?}");
    }
}

#[test]
fn a_file_that_is_no_database_is_left_alone() {
    let place = Workplace::new();
    let text = "this is a letter, not a database\n".repeat(500);
    place.file("letter.txt", &text);
    for arguments in [&["doctor", "--db", "letter.txt"][..], &["demo", "--db", "letter.txt"]] {
        let run = place.run(arguments);
        assert_eq!(run.code, 3, "{run:?}");
        assert_eq!(std::fs::read_to_string(place.path("letter.txt")).unwrap(), text);
    }
}

#[test]
fn a_project_begins_with_a_template_that_can_be_changed_and_published() {
    let place = Workplace::new();
    let list = place.done(&["rubric", "list", "--json"]).json();
    let names: Vec<&str> = list.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    for name in names {
        place.done(&["project", "create", name, "--template", name]);
        let text = place.done(&["rubric", "show", name]).out;
        let next = text.replace("version = 1", "version = 2");
        place.done(&["import", "rubric", "--project", name, place.file("next.toml", next)]);
    }
    let run = place.run(&["project", "create", "x", "--template", "mood"]);
    assert_eq!(run.code, 3);
    assert!(run.err.contains("retrieval-11"), "{}", run.err);
}

#[test]
fn seeding_twice_changes_nothing() {
    let labels = DEMO.rows("labels");
    assert!(labels > 0);
    DEMO.done(&["demo"]);
    assert_eq!(DEMO.rows("labels"), labels);
}

/// A figure as it stands everywhere: a value with n, or the reason why there is none.
#[track_caller]
pub(crate) fn assert_estimate(estimate: &Value, what: &str) {
    assert!(estimate["n"].is_u64() && estimate["missing"].is_u64(), "{what}: {estimate}");
    assert!(estimate["flags"].is_array(), "{what}: {estimate}");
    if estimate["value"].is_null() {
        assert!(estimate["undefined"].is_string() && estimate["says"].is_string(), "{what}: {estimate}");
        return;
    }
    assert!(estimate["value"].as_f64().is_some_and(f64::is_finite), "{what}: {estimate}");
    if let Some(interval) = estimate.get("interval").filter(|interval| !interval.is_null()) {
        for bound in ["low", "high", "level"] {
            assert!(interval[bound].is_f64(), "{what}: {estimate}");
        }
        assert!(interval["method"].is_string() && interval["clusters"].is_u64(), "{what}: {estimate}");
        assert!(["item", "cluster"].map(Value::from).contains(&interval["unit"]), "{what}: {estimate}");
    }
}

#[test]
fn agreement_is_printed_in_its_shape() {
    let report = DEMO.done(&["agreement", "--project", "demo", "--json"]).json();
    assert_eq!(report["project"], "demo");
    assert_eq!(report["data_hash"].as_str().unwrap().len(), 64);
    for criterion in report["criteria"].as_array().unwrap() {
        assert!(criterion["id"].is_string() && criterion["scale"].is_string());
        assert!(criterion["labels"].as_u64().unwrap() > 0);
        for alpha in ["nominal", "ordinal", "interval"] {
            assert_estimate(&criterion["alpha"][alpha], alpha);
        }
        for pair in criterion["pairs"].as_array().unwrap() {
            assert!(pair["a"].is_string() && pair["b"].is_string() && pair["n"].is_u64());
            for figure in ["quadratic", "linear", "unweighted", "exact", "within_one"] {
                assert_estimate(&pair[figure], figure);
            }
        }
    }
    let coarse =
        report["criteria"].as_array().unwrap().iter().find(|found| found["id"] == "passage-relevance");
    let coarse = coarse.unwrap();
    assert_estimate(&coarse["coarse"]["alpha_nominal"], "coarse");
    assert_estimate(&coarse["pairs"][0]["coarse"]["quadratic"], "coarse");
    let one = DEMO.done(&[
        "agreement",
        "--project",
        "demo",
        "--criterion",
        "helpfulness",
        "--by",
        "category",
        "--json",
    ]);
    assert_eq!(one.json()["criteria"].as_array().unwrap().len(), 1);
}

#[test]
fn a_comparison_is_printed_in_its_shape() {
    let arguments = [
        "compare",
        "--project",
        "demo",
        "--rule",
        "median",
        "--incumbent",
        "illustrative / lenient",
        "--json",
    ];
    let report = DEMO.done(&arguments).json();
    assert_eq!((&report["project"], &report["reference"]["rule"]), (&"demo".into(), &"median".into()));
    assert!(report["reference"]["annotators"].as_array().unwrap().len() > 1);
    let criteria = report["criteria"].as_array().unwrap();
    assert!(!criteria.is_empty());
    for criterion in criteria {
        for judge in criterion["judges"].as_array().unwrap() {
            assert!(judge["judge"].is_string() && judge["fingerprint"].is_string(), "{judge}");
            assert!(judge["n"].is_u64() && judge["failures"].is_u64(), "{judge}");
            for figure in
                ["ceiling", "quadratic", "linear", "unweighted", "alpha_ordinal", "bias", "mae", "exact"]
            {
                assert_estimate(&judge[figure], figure);
            }
            if let Some(delta) = judge.get("delta").filter(|delta| !delta.is_null()) {
                assert_eq!(delta["against"], "illustrative / lenient");
                assert_estimate(&delta["quadratic"], "delta");
                for p in ["p", "p_holm"] {
                    assert!(delta[p].as_f64().is_none_or(|p| (0.0..=1.0).contains(&p)), "{delta}");
                }
            }
        }
    }
}

/// What the gate answers under a policy of one rule.
fn gate(rules: &str, format: &str) -> Run {
    let place = Workplace::new();
    place.file("policy.toml", format!("name = \"p\"\ncriteria = [\"helpfulness\"]\n[rules]\n{rules}\n"));
    let policy = place.path("policy.toml").display().to_string();
    DEMO.run(&[
        "gate",
        "--project",
        "demo",
        "--candidate",
        "illustrative / claims",
        "--policy",
        &policy,
        "--format",
        format,
    ])
}

#[test]
fn the_exit_code_of_the_gate_is_its_answer() {
    for (rules, code, word) in [
        ("minimum_n = 1\nkappa_at_least = -1.0", 0, "promote"),
        ("kappa_at_least = { value = 0.999, on = \"point\" }", 1, "hold"),
        ("minimum_n = 1000000", 2, "inconclusive"),
        ("kappa_at_least = -1.0", 2, "inconclusive"),
    ] {
        let run = gate(rules, "json");
        assert_eq!((run.code, &run.json()["decision"]), (code, &word.into()), "{rules}: {run:?}");
        assert_eq!(gate(rules, "text").code, code);
    }
}

#[test]
fn a_gate_that_broke_never_looks_like_one_that_decided() {
    for rules in
        ["kappa_at_least = \"high\"", "kapa_at_least = 0.3", "kappa_at_least = nan", "minimum_n = -1", "[["]
    {
        let run = gate(rules, "json");
        assert_eq!(run.code, 3, "{rules}: {run:?}");
        assert!(run.out.is_empty() && run.err.contains("policy"), "{rules}: {run:?}");
    }
    for (candidate, incumbent) in [
        ("nobody", ""),
        ("illustrative / claims", "nobody"),
        ("illustrative / claims", "illustrative / claims"),
    ] {
        let place = Workplace::new();
        place.file("policy.toml", "name = \"p\"\n[rules]\nkappa_at_least = -1.0\n");
        let policy = place.path("policy.toml").display().to_string();
        let mut arguments = vec!["gate", "--project", "demo", "--candidate", candidate, "--policy", &policy];
        if !incumbent.is_empty() {
            arguments.extend(["--incumbent", incumbent]);
        }
        let run = DEMO.run(&arguments);
        assert_eq!((run.code, run.out.as_str()), (3, ""), "{candidate} against {incumbent}: {run:?}");
    }
}

#[test]
fn a_decision_is_printed_in_its_shape_and_stays_on_record() {
    let before = DEMO.rows("decisions");
    let decision = gate("kappa_at_least = 0.999\nminimum_n = 1", "json").json();
    assert!(DEMO.rows("decisions") > before);
    assert!(decision["id"].is_string());
    for hash in ["policy_hash", "data_hash"] {
        assert_eq!(decision[hash].as_str().unwrap().len(), 64, "{decision}");
    }
    let rules = decision["rules"].as_array().unwrap();
    assert!(!rules.is_empty());
    for rule in rules {
        assert!(rule["rule"].is_string() && rule["criterion"].is_string() && rule["required"].is_string());
        assert_estimate(&rule["found"], "found");
        let verdicts = ["pass", "fail", "inconclusive", "undefined"].map(Value::from);
        assert!(verdicts.contains(&rule["verdict"]), "{rule}");
    }
    let reasons = decision["reasons"].as_array().unwrap();
    assert!(reasons.iter().any(|reason| reason.as_str().unwrap().contains("helpfulness")), "{decision}");
}

#[test]
fn a_decision_can_be_read_by_ci_and_by_people() {
    let junit = gate("kappa_at_least = 0.999", "junit").out;
    assert!(
        junit.starts_with("<?xml") && junit.contains("<testsuite") && junit.contains("<failure"),
        "{junit}"
    );
    let markdown = gate("kappa_at_least = 0.999", "markdown").out;
    assert!(markdown.starts_with("## ") && markdown.contains("| criterion |"), "{markdown}");
}

#[test]
fn a_password_comes_by_standard_input_and_is_never_shown() {
    let place = Workplace::new();
    let create = |name: &str, password: &str| -> Run {
        let mut child = place
            .command(&["user", "create", name])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(password.as_bytes()).unwrap();
        child.wait_with_output().unwrap().into()
    };
    assert_eq!(create("ada", "short\n").code, 3);
    let made = create("ada", "a stone on which gold is rubbed\n");
    assert_eq!(made.code, 0, "{made:?}");
    assert!(!format!("{made:?}").contains("rubbed"));
    assert_eq!(create("Ada ", "a stone on which gold is rubbed\n").code, 3, "the account is taken");
    let users = place.done(&["user", "list", "--json"]).json();
    assert_eq!((users.as_array().unwrap().len(), &users[0]["account"]), (1, &"ada".into()));
}

#[test]
fn a_copy_is_sound_and_replaces_nothing() {
    let place = Workplace::new();
    let copy = place.path("copy.db").display().to_string();
    DEMO.done(&["backup", &copy]);
    assert_eq!(place.done(&["doctor", "--db", "copy.db", "--json"]).json()["sound"], true);
    let again = DEMO.run(&["backup", &copy]);
    assert_eq!(again.code, 3, "{again:?}");
}

/// What follows a decision: it is decided again to the byte, its candidate is promoted and rolled back, and the log has it all.
#[test]
fn a_release_goes_from_the_decision_to_the_log() {
    let place = Workplace::new();
    place.done(&["demo"]);
    place.done(&["anchor-set", "freeze", "--project", "demo", "gold", "--confirm", "0.5"]);
    let on_gold = ["--anchor-set", "gold@1"];
    place.file("policy.toml", "name = \"p\"\ncriteria = [\"helpfulness\"]\n[rules]\nminimum_n = 1\n");
    let gate = ["gate", "--project", "demo", "--candidate", "illustrative / claims", "--json"];
    let without = place.run(&[&gate[..], &on_gold].concat());
    assert_eq!(without.code, 3, "{without:?}");
    assert!(without.err.contains("has no policy yet"), "{without:?}");
    let saved = place.done(&["policy", "save", "--project", "demo", "policy.toml", "--json"]).json();
    assert_eq!(saved["version"], 1);
    let decided = place.run(&[&gate[..], &on_gold].concat());
    assert_eq!(decided.code, 0, "{decided:?}");
    let decision = decided.json();
    let id = decision["id"].as_str().unwrap();
    let again = place.run(&["gate", "--project", "demo", "--replay", id, "--json"]);
    assert_eq!((again.code, &again.out), (0, &decided.out), "the same bytes");
    assert_eq!(place.run(&["gate", "--project", "demo", "--replay", "none"]).code, 3);

    let asked = ["--project", "demo", "--judge", "illustrative / strict", "--criterion", "helpfulness"];
    let proposal = place.done(&[&["threshold", "propose", "--json"], &asked[..], &on_gold].concat()).json();
    assert!(proposal["sweep"].as_array().is_some_and(|sweep| sweep.len() > 1), "{proposal}");
    let accept = ["threshold", "accept", "--json", "--reason", "the judge is strict"];
    let accepted = place.done(&[&accept[..], &asked, &on_gold].concat()).json();
    assert_eq!(accepted["threshold"], proposal["proposed"]["threshold"]);

    let promote =
        ["promote", "--project", "demo", id, "--purpose", "routine", "--reason", "a first judge", "--json"];
    let floating = place.run(&promote);
    assert!(floating.code == 3 && floating.err.contains("is a floating name"), "{floating:?}");
    let promote = [&promote[..], &["--floating-reason", "a demo"]].concat();
    let promoted = place.run(&promote);
    assert_eq!(promoted.code, 0, "{promoted:?}");
    assert_eq!(promoted.json()[0]["stands"]["decision"], id);
    assert_eq!(place.run(&promote).code, 3, "it stands there already");
    let slot =
        ["--project", "demo", "--criterion", "helpfulness", "--purpose", "routine", "--reason", "drifts"];
    place.done(&[&["rollback"], &slot[..]].concat());
    assert_eq!(place.run(&[&["rollback"], &slot[..]].concat()).code, 3, "nothing stands there any more");
    assert!(place.done(&["slots", "--project", "demo"]).out.contains("nothing"));
    let log = place.done(&["log", "--project", "demo", "--json"]).json();
    let kinds: Vec<&str> =
        log.as_array().unwrap().iter().map(|entry| entry["event"]["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["slot", "slot", "threshold", "gate", "confirm", "policy"]);
    let words = place.done(&["log", "--project", "demo"]).out;
    for part in ["rollback", "promote", "PROMOTE illustrative / claims", "the judge is strict", "look 1"] {
        assert!(words.contains(part), "{part}: {words}");
    }
}

/// The whole loop of real judges: the upgrade is held, and the reasons name where it is worse.
#[test]
fn the_upgrade_of_the_real_judges_is_held() {
    let Some(folder) = data("summeval") else { return };
    let place = Workplace::new();
    let path = |name: &str| folder.join(name).display().to_string();
    place.done(&["project", "create", "summeval", "--rubric", &path("rubric.toml")]);
    for kind in ["conversations", "labels", "verdicts"] {
        let file = path(&format!("{kind}.{}", if kind == "conversations" { "jsonl" } else { "csv" }));
        place.done(&["import", kind, "--project", "summeval", &file]);
        let again = place.done(&["import", kind, "--project", "summeval", &file, "--json"]).json();
        assert_eq!(again["new"], 0, "{kind} imported twice");
    }
    let policy = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/examples/summeval-policy.toml");
    let arguments = [
        "gate",
        "--project",
        "summeval",
        "--candidate",
        "gpt-4-0314 / rts",
        "--incumbent",
        "gpt-3.5-turbo-0301 / rts",
        "--rule",
        "median",
        "--annotators",
        "expert0,expert1,expert2",
        "--policy",
        policy,
        "--json",
    ];
    let run = place.run(&arguments);
    assert_eq!(run.code, 1, "{}", run.err);
    let reasons = run.json()["reasons"].to_string();
    for criterion in ["coherence", "relevance"] {
        assert!(reasons.contains(criterion), "{reasons}");
    }
    for criterion in ["fluency", "consistency"] {
        assert!(!reasons.contains(criterion), "{reasons}");
    }
}
