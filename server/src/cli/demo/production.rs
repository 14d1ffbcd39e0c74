//! Eight weeks of illustrative production: on the tenth day before today another version of the assistant answers about servicing, and invents more.

use domain::ContentHash;
use service::{MOST_SCORES, ProjectId, ScoreRequest, Service};
use time::{Duration, OffsetDateTime};

const DAYS: i64 = 56;
const SCORES_OF_A_DAY: u32 = 20;
const DIMENSIONS: [&str; 3] = ["helpfulness", "correctness", "faithfulness"];
const CORPORA: [&str; 2] = ["servicing", "shop"];

/// The days before today on which the model behind the judge and the assistant became others.
const NEW_MODEL: i64 = 24;
const NEW_ASSISTANT: i64 = 10;

/// How many of a hundred answers score 1, at most 2, 3 and 4; the rest score 5.
const USUAL: [u32; 4] = [2, 7, 22, 55];
const FALLEN: [u32; 4] = [8, 22, 48, 78];

/// Sends the scores as a program would.
pub(super) async fn send(service: &Service, project: ProjectId) -> anyhow::Result<()> {
    let now = OffsetDateTime::now_utc();
    let scores: Vec<ScoreRequest> = (0..DAYS).rev().flat_map(|days_ago| day(now, days_ago)).collect();
    for batch in scores.chunks(MOST_SCORES) {
        service.add_scores(project, batch).await?;
    }
    Ok(())
}

fn day(now: OffsetDateTime, days_ago: i64) -> impl Iterator<Item = ScoreRequest> {
    let at = now - Duration::days(days_ago);
    CORPORA.into_iter().flat_map(move |corpus| {
        let numbers = 1..=SCORES_OF_A_DAY;
        numbers.flat_map(move |number| {
            DIMENSIONS.map(|dimension| score(at, days_ago, corpus, number, dimension))
        })
    })
}

fn score(at: OffsetDateTime, days_ago: i64, corpus: &str, number: u32, dimension: &str) -> ScoreRequest {
    let is_new = corpus == "servicing" && days_ago < NEW_ASSISTANT;
    let levels = if is_new && dimension == "faithfulness" { FALLEN } else { USUAL };
    let conversation = format!("{corpus}-{}-{number:02}", at.date());
    let key = format!("{conversation}/{dimension}");
    let drawn = percent(&key);
    let value = 1.0 + f64::from(levels.map(|most| u8::from(drawn >= most)).iter().sum::<u8>());
    ScoreRequest {
        text: (value < 2.0)
            .then(|| format!("An illustrative answer about {corpus} that scored 1 on {dimension}.")),
        key,
        dimension: dimension.to_owned(),
        value,
        judge: Some("illustrative / claims@2".to_owned()),
        reported_model: Some(
            if days_ago < NEW_MODEL {
                "illustrative-model-2-2026-11"
            } else {
                "illustrative-model-2-2026-08"
            }
            .to_owned(),
        ),
        corpus: Some(corpus.to_owned()),
        system: Some(if is_new { "assistant-2026.4" } else { "assistant-2026.3" }.to_owned()),
        at: Some(at),
        conversation: Some(conversation),
        ..ScoreRequest::default()
    }
}

/// A number from 0 to 99 that is always the same for a text.
fn percent(text: &str) -> u32 {
    let hash = ContentHash::of_bytes(text.as_bytes()).0;
    hash.get(..8).and_then(|digits| u32::from_str_radix(digits, 16).ok()).unwrap_or_default() % 100
}
