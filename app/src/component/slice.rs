//! Slices of the conversations: what they are called, how they are chosen, and how an address says one.

use domain::{SliceBy, visible};

/// What a slice is called: `corpus govt`, `path rag`.
pub(crate) fn slice_name(by: &str, slice: &str) -> String {
    let slice = if slice.is_empty() { "(none)".to_owned() } else { visible(slice) };
    format!("{by} {slice}")
}

/// By what conversations are cut, as a choice.
pub(crate) fn slice_options() -> Vec<(String, String)> {
    let slices = SliceBy::ALL.iter().filter(|by| **by != SliceBy::Annotator);
    let slices = slices.map(|by| (by.word().to_owned(), format!("by {}", by.word())));
    std::iter::once((String::new(), "all together".to_owned())).chain(slices).collect()
}

/// What an address says of a slice; one without a name is said to have none.
pub(crate) fn in_slice(value: &str) -> [(&'static str, &str); 2] {
    [("value", value), ("unsaid", if value.is_empty() { "1" } else { "" })]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_without_a_value_has_a_name() {
        assert_eq!(slice_name("corpus", ""), "corpus (none)");
    }
}
