//! `touchstone contrast`: the items that a judge wins and loses.

use super::{print, print_json, source::Source, text};
use domain::{Answers, Contrast, ContrastItem, visible};
use service::ContrastQuery;

/// Longest reason in a line of a table, in characters.
const LONGEST_REASON: usize = 60;

pub(super) async fn run(
    source: &Source,
    project: &str,
    query: &ContrastQuery,
    json: bool,
) -> anyhow::Result<u8> {
    let contrast = source.contrast(project, query).await?;
    if json {
        print_json(&contrast)?
    } else {
        print(&in_words(&contrast))?
    }
    Ok(0)
}

fn in_words(contrast: &Contrast) -> String {
    let counts = contrast.counts;
    let mut words = format!("{} on {}", visible(&contrast.judge), visible(&contrast.criterion));
    if let Some(against) = &contrast.against {
        words.push_str(&format!(
            " against {}: {} won, {} lost, {} as near, {} without a value of both",
            visible(against),
            counts.won,
            counts.lost,
            counts.even,
            counts.unanswered
        ));
    }
    words.push_str("\n\n");
    let mut heads = vec!["conversation", "unit", "people", "judge"];
    heads.extend(contrast.against.as_ref().map(|_| "other"));
    heads.extend(["", "reason"]);
    let mut rows = vec![heads.into_iter().map(str::to_owned).collect::<Vec<String>>()];
    rows.extend(contrast.items.iter().map(row));
    words.push_str(&text::columns(&rows));
    words
}

fn row(item: &ContrastItem) -> Vec<String> {
    let mut row = vec![
        visible(&item.conversation),
        visible(&item.unit),
        item.reference.to_string(),
        values(&item.judge),
    ];
    row.extend(item.against.as_ref().map(values));
    row.push(if item.against.is_some() { item.outcome.word().to_owned() } else { String::new() });
    let reason = item.judge.repeats.iter().find_map(|answer| answer.reason.as_deref()).unwrap_or_default();
    row.push(visible(reason).lines().next().unwrap_or_default().chars().take(LONGEST_REASON).collect());
    row
}

/// The values of the repeats, `–` for a failure.
fn values(answers: &Answers) -> String {
    let value = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| value.to_string());
    let values: Vec<String> = answers.repeats.iter().map(|answer| value(answer.value)).collect();
    if values.is_empty() { "–".to_owned() } else { values.join(" ") }
}
