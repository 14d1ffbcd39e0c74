//! Judges without a model: one that does not beat them is worthless.

use domain::{Conversation, FailureKind, Outcome, Scale, ScaleKind, Unit};
use std::collections::BTreeSet;

/// The share of the question's words that the unit holds, cut into the levels of the scale. Of a citation, the paragraph is the question
/// and the passage the unit.
#[must_use]
pub fn lexical_overlap(conversation: &Conversation, unit: &Unit, scale: &Scale) -> Outcome {
    let fails = |kind, says: &str| Outcome::Failure { kind, says: says.to_owned() };
    if scale.kind == ScaleKind::Nominal {
        return fails(
            FailureKind::Other,
            "the levels of a nominal scale have no order to cut an overlap into",
        );
    }
    let paragraphs = conversation.paragraphs();
    let paragraph =
        |id: &str| paragraphs.iter().find(|paragraph| paragraph.id == id).map(|found| found.text.as_str());
    let passage = |id: &str| conversation.passage(id).map(|passage| passage.text.as_str());
    let question = conversation.question();
    let pair = match unit {
        Unit::Conversation => {
            Some((question, conversation.answer.as_ref().map_or("", |answer| answer.text.as_str())))
        }
        Unit::Passage(id) => passage(id).map(|text| (question, text)),
        Unit::Paragraph(id) => paragraph(id).map(|text| (question, text)),
        // A cited id that is no passage holds no word.
        Unit::Citation { paragraph: id, passage: cited } => {
            paragraph(id).map(|text| (text, passage(cited).unwrap_or_default()))
        }
        Unit::Justification { .. } => None,
    };
    match pair {
        None => fails(FailureKind::Missing, "the conversation does not have the unit"),
        Some((question, text)) => cut(share(question, text), scale),
    }
}

/// The level that most values have, of those that take part in rates; the lower one of two that as many have. `None` without a value.
#[must_use]
pub fn majority_level(values: impl IntoIterator<Item = f64>, scale: &Scale) -> Option<f64> {
    let mut values: Vec<f64> = values
        .into_iter()
        .filter_map(|value| scale.admit(value))
        .filter(|value| scale.is_applicable(*value))
        .collect();
    values.sort_by(f64::total_cmp);
    let runs = values.chunk_by(|a, b| a.total_cmp(b).is_eq());
    // `max_by_key` takes the last of equals, and so the lowest level.
    runs.rev().max_by_key(|run| run.len())?.first().copied()
}

/// The share of the distinct words of `question` that stand in `text`; 0 without a word.
fn share(question: &str, text: &str) -> f64 {
    let (asked, held) = (words(question), words(text));
    if asked.is_empty() {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "a text holds far fewer words than 2^53")]
    let share = asked.intersection(&held).count() as f64 / asked.len() as f64;
    share
}

fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Equal parts of the share, one for each level in order.
fn cut(share: f64, scale: &Scale) -> Outcome {
    let value = if scale.kind == ScaleKind::Continuous {
        let (low, high) = scale.bounds();
        let value = low + share * (high - low);
        scale.step.map_or(Some(value), |step| Some(low + ((value - low) / step).floor() * step))
    } else {
        let levels: Vec<f64> = scale.applicable().map(|level| level.value).collect();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a share of a handful of levels"
        )]
        let place = (share * levels.len() as f64) as usize;
        levels.get(place.min(levels.len().saturating_sub(1))).copied()
    };
    match value.and_then(|value| scale.admit(value)) {
        Some(value) => Outcome::Value(value),
        None => Outcome::Failure { kind: FailureKind::Other, says: "the scale has no level".to_owned() },
    }
}
