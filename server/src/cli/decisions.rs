//! `touchstone decisions`: the record of the gate.

use super::{ci::Format, gate, print, print_json, source::Source, text};
use domain::Decision;

pub(super) async fn run(
    source: &Source,
    project: &str,
    id: Option<&str>,
    format: Format,
) -> anyhow::Result<u8> {
    match id {
        Some(id) => print(&gate::written(&source.decision(project, id).await?, format)?)?,
        None => {
            let decisions = source.decisions(project).await?;
            match format {
                Format::Json => print_json(&decisions)?,
                Format::Text => print(&in_words(&decisions))?,
                Format::Junit | Format::Markdown => {
                    anyhow::bail!(
                        "a list of decisions is text or JSON: name one decision for the other formats"
                    )
                }
            }
        }
    }
    Ok(0)
}

fn in_words(decisions: &[Decision]) -> String {
    let header = ["decision", "answer", "candidate", "incumbent", "decided (UTC)"];
    let mut rows = vec![header.map(str::to_owned).to_vec()];
    rows.extend(decisions.iter().map(|decision| {
        let at = decision.decided_at;
        let incumbent = decision.incumbent.as_deref().map_or_else(|| "–".to_owned(), domain::visible);
        vec![
            decision.id.clone(),
            decision.decision.word().to_owned(),
            domain::visible(&decision.candidate),
            incumbent,
            format!("{} {:02}:{:02}", at.date(), at.hour(), at.minute()),
        ]
    }));
    text::columns(&rows)
}
