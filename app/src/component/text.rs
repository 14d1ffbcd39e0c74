//! Texts of strangers: escaped, invisible characters made visible, in their own writing direction, long ones folded.

use crate::component::number::count;
use domain::visible;
use leptos::prelude::*;

/// From how many characters on a text is folded.
const LONG: usize = 1_200;

/// How much of a folded text is shown, in characters.
const SHOWN: usize = 700;

/// A text with its line breaks. One that is long shows its beginning; the rest opens with one key and is never cut.
#[component]
pub(crate) fn Text(
    /// The text as it was given.
    text: String,
) -> impl IntoView {
    let text = visible(&text);
    let rest = fold(&text).map(|at| {
        let (shown, rest) = text.split_at(at);
        (shown.to_owned(), rest.to_owned())
    });
    match rest {
        None if text.is_empty() => view! { <p class="text soft">"(empty)"</p> }.into_any(),
        None => view! { <p class="text" dir="auto">{text}</p> }.into_any(),
        Some((shown, rest)) => {
            let all = count(text.chars().count() as u64);
            view! {
                <p class="text" dir="auto">{shown}</p>
                <details class="rest">
                    <summary>
                        <span class="more">{format!("… show all {all} characters")}</span>
                        <span class="less">"show less"</span>
                    </summary>
                    <p class="text" dir="auto">{rest}</p>
                </details>
            }
            .into_any()
        }
    }
}

/// Where to fold a text: at the last space before [`SHOWN`] characters, if it is longer than [`LONG`].
fn fold(text: &str) -> Option<usize> {
    // Characters are at most as many as bytes: most texts need no counting.
    if text.len() <= LONG || text.chars().nth(LONG).is_none() {
        return None;
    }
    let (end, _) = text.char_indices().nth(SHOWN)?;
    let at = text[..end].rfind(char::is_whitespace).filter(|at| *at > end / 2).unwrap_or(end);
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_folded_at_a_word_and_nothing_is_lost() {
        let text = "word ".repeat(300);
        let at = fold(&text).unwrap();
        assert!(at <= SHOWN);
        assert!(text[at..].starts_with(' '));
        assert_eq!(format!("{}{}", &text[..at], &text[at..]), text);
    }

    #[test]
    fn a_short_text_and_one_of_many_bytes_are_whole() {
        assert_eq!(fold("short"), None);
        assert_eq!(fold(&"é".repeat(LONG)), None);
    }

    #[test]
    fn a_text_without_spaces_is_folded_between_characters() {
        let text = "é".repeat(LONG + 1);
        let at = fold(&text).unwrap();
        assert_eq!(text[..at].chars().count(), SHOWN);
    }
}
