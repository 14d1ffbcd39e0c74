//! A paragraph and the passage that it cites side by side, with the words that both have marked.

use domain::visible;
use leptos::prelude::*;
use std::collections::HashSet;

/// Two texts side by side.
#[component]
pub(crate) fn Compared(
    /// What people call the paragraph, and its text.
    paragraph: (String, String),
    /// What people call the passage, and its text; no text where what is cited is no passage.
    passage: (String, Option<String>),
) -> impl IntoView {
    let cited = passage.1.as_deref().unwrap_or_default();
    let (of_paragraph, of_passage) = (words(&paragraph.1), words(cited));
    let shown = |text: &str, others: &HashSet<String>| {
        pieces(text, others)
            .into_iter()
            .map(|(piece, is_shared)| {
                let piece = visible(piece);
                if is_shared { view! { <mark>{piece}</mark> }.into_any() } else { piece.into_any() }
            })
            .collect_view()
    };
    let left = shown(&paragraph.1, &of_passage);
    let right = match &passage.1 {
        Some(text) => view! { <p class="text" dir="auto">{shown(text, &of_paragraph)}</p> }.into_any(),
        None => {
            view! { <p class="bad">"The answer cites this, and the conversation has no such passage."</p> }
                .into_any()
        }
    };
    view! {
        <div class="compared">
            <div tabindex="0" role="region" aria-label=paragraph.0>
                <h3>{paragraph.0.clone()}</h3>
                <p class="text" dir="auto">{left}</p>
            </div>
            <div tabindex="0" role="region" aria-label=passage.0>
                <h3>{passage.0.clone()}</h3>
                {right}
            </div>
        </div>
    }
}

/// A text in pieces that alternate between words and what stands between them, each with whether the word is one of these. Small words
/// are in every text, and tell nothing.
fn pieces<'a>(text: &'a str, words: &HashSet<String>) -> Vec<(&'a str, bool)> {
    let mut pieces: Vec<(&str, bool)> = Vec::new();
    let mut plain_from = 0;
    for (at, word) in split(text) {
        if words.contains(&word.to_lowercase()) {
            pieces.extend(
                text.get(plain_from..at).filter(|plain| !plain.is_empty()).map(|plain| (plain, false)),
            );
            pieces.push((word, true));
            plain_from = at + word.len();
        }
    }
    pieces.extend(text.get(plain_from..).filter(|plain| !plain.is_empty()).map(|plain| (plain, false)));
    pieces
}

/// The words of a text that can tell it from another: of four letters or more, or with a digit.
fn words(text: &str) -> HashSet<String> {
    const TELLING: usize = 4;
    let tells =
        |word: &str| word.chars().nth(TELLING - 1).is_some() || word.contains(|c: char| c.is_numeric());
    split(text).filter(|(_, word)| tells(word)).map(|(_, word)| word.to_lowercase()).collect()
}

/// The words of a text with where each begins.
fn split(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| (word.as_ptr().addr() - text.as_ptr().addr(), word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_both_texts_have_are_marked_and_nothing_is_lost() {
        let text = "Refunds within 30 days, for the refund of it. Réfunds!";
        let pieces = pieces(text, &words("REFUNDS are made in 30 days if the goods are réfunds"));
        let marked: Vec<&str> =
            pieces.iter().filter(|(_, shared)| *shared).map(|(piece, _)| *piece).collect();
        assert_eq!(marked, ["Refunds", "30", "days", "Réfunds"]);
        assert_eq!(pieces.iter().map(|(piece, _)| *piece).collect::<String>(), text);
    }

    #[test]
    fn a_text_that_shares_nothing_is_one_piece() {
        assert_eq!(pieces("nothing here", &words("else")), [("nothing here", false)]);
        assert_eq!(pieces("", &words("else")), []);
    }
}
