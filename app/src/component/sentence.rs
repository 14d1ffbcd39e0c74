//! Reasons as sentences.

/// A reason as a sentence: it begins with a capital and ends with a point.
pub(crate) fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first: String = characters.next().into_iter().flat_map(char::to_uppercase).collect();
    let end = if text.ends_with(['.', '!', '?', ':']) { "" } else { "." };
    format!("{first}{}{end}", characters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_shown_as_a_sentence() {
        assert_eq!(sentence("too short"), "Too short.");
        assert_eq!(sentence("Wait a minute."), "Wait a minute.");
    }
}
