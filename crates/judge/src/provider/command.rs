//! A program of the operator: one JSON object on its standard input, one on its standard output. No shell, no environment but what is
//! declared.

use super::{LONGEST_ANSWER, Miss, Reply, Then, json_of, text_of};
use crate::{Call, Endpoint};
use domain::FailureKind;
use serde::Deserialize;
use serde_json::json;
use std::process::{ExitStatus, Stdio};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy, sink},
    process::{Child, Command},
    time::timeout,
};

/// `EX_TEMPFAIL` of sysexits.h: the program asks to be tried again.
const TRY_AGAIN: i32 = 75;

/// What is kept of the program's complaints, in bytes.
const COMPLAINT: u64 = 2_000;

/// What a program answers. Nothing but `text` is required.
#[derive(Deserialize)]
struct Said {
    text: String,
    #[serde(default)]
    cut_off: bool,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    input_tokens: Option<u64>,
    #[serde(default)]
    output_tokens: Option<u64>,
}

/// Runs the program once. It is killed when the time is over.
pub(crate) async fn call(endpoint: &Endpoint, call: &Call<'_>) -> Result<Reply, Miss> {
    let child = start(endpoint)?;
    let said = timeout(endpoint.timeout(), converse(child, call)).await;
    let (status, output, complaint) = said.unwrap_or_else(|_| Err(Miss::timed_out(endpoint.timeout())))?;
    if !status.success() {
        let then = if status.code() == Some(TRY_AGAIN) { Then::Retry(None) } else { Then::Never };
        let says = format!("the program ended with {status}: {complaint}");
        return Err(Miss::new(FailureKind::Other, then, says).with(String::from_utf8_lossy(&output)));
    }
    read(text_of(output)?)
}

fn start(endpoint: &Endpoint) -> Result<Child, Miss> {
    let unusable = |says: String| Miss::new(FailureKind::Other, Then::Later, says);
    let Some((program, arguments)) = endpoint.command.split_first() else {
        return Err(unusable("the endpoint names no program".to_owned()));
    };
    let declared = endpoint.environment.iter();
    Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(declared.filter_map(|name| std::env::var_os(name).map(|value| (name, value))))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| unusable(format!("the program `{program}` cannot be started: {error}")))
}

async fn converse(mut child: Child, call: &Call<'_>) -> Result<(ExitStatus, Vec<u8>, String), Miss> {
    let broken =
        |error: std::io::Error| Miss::new(FailureKind::Other, Then::Never, format!("the program: {error}"));
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let say = async {
        if let Some(mut stdin) = stdin {
            // A program may answer without having read all: its answer counts.
            let _ = stdin.write_all(question(call).as_bytes()).await;
        }
        Ok(())
    };
    let hear = async {
        let mut output = Vec::new();
        if let Some(stdout) = stdout {
            stdout.take(LONGEST_ANSWER as u64 + 1).read_to_end(&mut output).await.map_err(broken)?;
        }
        if output.len() > LONGEST_ANSWER { Err(Miss::too_long()) } else { Ok(output) }
    };
    let heed = async {
        let mut complaint = Vec::new();
        if let Some(mut stderr) = stderr {
            (&mut stderr).take(COMPLAINT).read_to_end(&mut complaint).await.map_err(broken)?;
            copy(&mut stderr, &mut sink()).await.map_err(broken)?;
        }
        Ok(domain::visible(String::from_utf8_lossy(&complaint).trim()))
    };
    let ((), output, complaint) = tokio::try_join!(say, hear, heed)?;
    Ok((child.wait().await.map_err(broken)?, output, complaint))
}

fn question(call: &Call<'_>) -> String {
    json!({
        "model": call.model.model, "system": call.prompt.system, "prompt": call.prompt.user,
        "boundary": call.prompt.boundary, "schema": call.prompt.schema, "parameters": call.model.parameters,
    })
    .to_string()
}

/// What came back.
pub(crate) fn read(raw: String) -> Result<Reply, Miss> {
    let said: Said = serde_json::from_value(json_of(&raw)?).map_err(|error| {
        let says = format!("expected {{\"text\": …}} of the program: {error}");
        Miss::new(FailureKind::Unparsable, Then::Never, says).with(raw.clone())
    })?;
    Ok(Reply {
        text: said.text,
        cut_off: said.cut_off,
        refusal: said.refusal.filter(|words| !words.is_empty()),
        reported_model: said.model,
        input_tokens: said.input_tokens,
        output_tokens: said.output_tokens,
        raw,
    })
}
