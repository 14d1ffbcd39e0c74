use crate::loopback::Question;
use domain::FailureKind;
use judge::{Answered, Caller, Endpoints, Failed};
use serde_json::json;
use std::{
    fs,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// Asks a program that is a shell script; `settings` follow it in the endpoint's table.
async fn ask(script: &str, settings: &str) -> (Result<Answered, Failed>, TempDir) {
    let directory = TempDir::new().unwrap();
    let program = directory.path().join("judge.sh");
    fs::write(&program, script).unwrap();
    let place = directory.path().display();
    let text = format!(
        "[endpoint.e]\nkind = \"command\"\ncommand = [\"/bin/sh\", {program:?}, \"{place}\", \"$HOME; echo\"]\nbackoff_ms = 1\n{settings}"
    );
    let caller = Caller::new(&Endpoints::from_toml(&text).unwrap(), "e").unwrap();
    (Question::new().ask(&caller).await, directory)
}

#[tokio::test]
async fn a_program_reads_the_question_and_writes_the_answer() {
    let script = r#"cat > "$1/question"; env > "$1/environment"; printf '%s' "$2" > "$1/argument"
        echo '{"text": "SCORE: 4", "model": "encoder-1", "input_tokens": 12, "output_tokens": 3}'"#;
    let settings = "environment = [\"CARGO_PKG_NAME\", \"NOT_THERE\"]\nprice = { input = 1.0, output = 1.0 }";
    let (answer, directory) = ask(script, settings).await;
    let answered = answer.unwrap();
    assert_eq!((answered.text.as_str(), answered.reported_model.as_deref()), ("SCORE: 4", Some("encoder-1")));
    assert!((answered.cost.unwrap() - 15e-6).abs() < 1e-12);
    let read = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
    let (question, prompt) =
        (serde_json::from_str::<serde_json::Value>(&read("question")).unwrap(), Question::new().prompt);
    assert_eq!(
        question,
        json!({ "model": "m", "system": prompt.system, "prompt": prompt.user, "boundary": prompt.boundary,
                "schema": prompt.schema, "parameters": { "temperature": 0, "seed": 7 } })
    );
    let environment = read("environment");
    assert!(
        environment.contains("CARGO_PKG_NAME=judge") && !environment.contains("CARGO_MANIFEST_DIR"),
        "{environment}"
    );
    assert_eq!(read("argument"), "$HOME; echo", "no shell reads the arguments");
}

#[tokio::test]
async fn a_program_that_does_not_end_is_killed() {
    let begun = Instant::now();
    let script = r#"echo $$ > "$1/process"; exec sleep 60"#;
    let (answer, directory) = ask(script, "timeout_seconds = 0.5\nenvironment = [\"PATH\"]").await;
    let failed = answer.unwrap_err();
    assert_eq!((failed.kind, failed.is_final), (FailureKind::TimedOut, true));
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    let process = fs::read_to_string(directory.path().join("process")).unwrap();
    let state = || fs::read_to_string(format!("/proc/{}/stat", process.trim()));
    for _ in 0..100 {
        // Gone, or a zombie that nobody has looked at yet.
        if state().map_or(true, |state| state.contains(") Z ")) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the program still runs: {:?}", state());
}

#[tokio::test]
async fn what_a_program_gets_wrong_is_a_failure_of_its_kind() {
    for (script, kind, is_final, says) in [
        ("echo no weights >&2; exit 1", FailureKind::Other, true, "exit status: 1: no weights"),
        ("exit 75", FailureKind::Other, false, "exit status: 75"),
        ("exit 0", FailureKind::Missing, true, "empty"),
        ("echo hello", FailureKind::Unparsable, true, "no JSON"),
        ("echo '{\"text\": \"SCO'", FailureKind::Unparsable, true, "no JSON"),
        ("printf '{\"text\": '", FailureKind::Truncated, true, "no JSON"),
        ("echo '{\"score\": 4}'", FailureKind::Unparsable, true, "missing field `text`"),
        ("printf '\\377'", FailureKind::Unparsable, true, "no UTF-8"),
        (
            "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done",
            FailureKind::Unparsable,
            true,
            "longer than 1 MiB",
        ),
    ] {
        let failed = ask(script, "timeout_seconds = 20").await.0.unwrap_err();
        assert_eq!((failed.kind, failed.is_final), (kind, is_final), "{script}: {failed}");
        assert!(failed.says.contains(says), "{script}: {failed}");
    }
    let missing = "[endpoint.e]\nkind = \"command\"\ncommand = [\"/nowhere/judge\"]";
    let caller = Caller::new(&Endpoints::from_toml(missing).unwrap(), "e").unwrap();
    let failed = Question::new().ask(&caller).await.unwrap_err();
    assert!(!failed.is_final && failed.says.contains("/nowhere/judge"), "{failed}");
}

#[tokio::test]
async fn a_program_that_asks_to_be_tried_again_is_and_complains_at_length() {
    let script = r#"
        if [ ! -e "$1/tried" ]; then echo > "$1/tried"; exit 75; fi
        i=0; while [ $i -lt 20000 ]; do echo "warning $i" >&2; i=$((i+1)); done
        echo '{"text": "SCORE: 4"}'"#;
    assert_eq!(ask(script, "").await.0.unwrap().attempts, 2);
}
