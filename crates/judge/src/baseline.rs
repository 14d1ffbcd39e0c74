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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn scale(text: &str) -> Scale {
        toml::from_str(text).unwrap()
    }

    fn levels() -> Scale {
        let levels = "[{ value = 0, name = \"a\" }, { value = 1, name = \"b\" }, { value = 2, name = \"c\" }, { value = 3, name = \"d\" }, \
                      { value = 9, name = \"n/a\", not_applicable = true }]";
        scale(&format!("id = \"four\"\nkind = \"ordinal\"\nlevels = {levels}"))
    }

    fn conversation(passage: &str) -> Conversation {
        let row = json!({
            "id": "c", "question": "Return the GREEN kettle?", "passages": [{ "id": "p", "text": passage }],
            "answer": { "text": "green", "paragraphs": [{ "id": "a", "text": "Thirty days", "citations": ["p", "gone"] }] },
        });
        Conversation::from_json(row).unwrap().0
    }

    #[test]
    fn the_share_of_the_questions_words_is_cut_into_levels() {
        for (text, level) in [
            ("", 0.0),
            ("opening hours", 0.0),
            ("a green one", 1.0),
            ("Kettle, green.", 2.0),
            ("the green kettle", 3.0),
            ("Return the green kettle, the green kettle!", 3.0),
        ] {
            let outcome = lexical_overlap(&conversation(text), &Unit::Passage("p".to_owned()), &levels());
            assert_eq!(outcome, Outcome::Value(level), "{text}");
        }
        let of = |unit: Unit, scale: &Scale| lexical_overlap(&conversation("thirty nights"), &unit, scale);
        let share = scale("id = \"s\"\nkind = \"continuous\"\nmin = 0.0\nmax = 1.0");
        assert_eq!(of(Unit::Conversation, &share), Outcome::Value(0.25));
        let tenths = scale("id = \"s\"\nkind = \"continuous\"\nmin = 1.0\nmax = 2.0\nstep = 0.1");
        assert_eq!(of(Unit::Conversation, &tenths), Outcome::Value(1.2));
        let cited = |passage: &str| Unit::Citation { paragraph: "a".to_owned(), passage: passage.to_owned() };
        assert_eq!(of(cited("p"), &share), Outcome::Value(0.5));
        assert_eq!(of(cited("gone"), &share), Outcome::Value(0.0));
        assert!(of(Unit::Passage("q".to_owned()), &share).value().is_none());
        let nominal = scale(
            "id = \"n\"\nkind = \"nominal\"\nlevels = [{ value = 0, name = \"a\" }, { value = 1, name = \"b\" }]",
        );
        assert!(of(Unit::Conversation, &nominal).value().is_none());
    }

    #[test]
    fn the_majority_is_of_levels_that_count_and_a_tie_takes_the_lower() {
        assert_eq!(majority_level([1.0, 2.0, 2.0, 9.0, 9.0, 9.0], &levels()), Some(2.0));
        assert_eq!(majority_level([3.0, 1.0, 3.0, 1.0, 0.0], &levels()), Some(1.0));
        assert_eq!(majority_level([9.0, 7.0, f64::NAN], &levels()), None);
        assert_eq!(majority_level([], &levels()), None);
    }
}
