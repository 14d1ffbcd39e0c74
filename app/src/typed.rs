//! What people type into the fields of a form, as values.

use crate::error::AppError;
use std::str::FromStr;

/// Names with commas or line ends between them.
pub(crate) fn names(text: &str) -> Vec<String> {
    text.split([',', '\n']).map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// A number that may be absent.
pub(crate) fn number<T: FromStr>(field: &str, text: &str) -> Result<Option<T>, AppError> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| {
        let expected = if text.parse::<f64>().is_ok() { "a whole number, at least 0" } else { "a number" };
        let reason = format!("found {}, expected {expected}", domain::visible(text));
        AppError::Invalid { field: field.to_owned(), reason }
    })
}

/// One of the words that the type knows.
pub(crate) fn word<T: FromStr<Err = String>>(field: &str, text: &str) -> Result<T, AppError> {
    text.trim().parse().map_err(|reason| AppError::Invalid { field: field.to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_between_commas_and_line_ends() {
        assert_eq!(names(" ada, ben\r\n,,cyd "), ["ada", "ben", "cyd"]);
        assert!(names(" , ").is_empty());
    }

    #[test]
    fn a_number_is_read_absent_or_named_as_wrong() {
        assert_eq!(number::<u32>("each", " 7 "), Ok(Some(7)));
        assert_eq!(number::<u32>("each", " "), Ok(None));
        let says = |text: &str| number::<u32>("each", text).unwrap_err().to_string();
        assert!(says("1.5").contains("found 1.5, expected a whole number"), "{}", says("1.5"));
        assert!(says("ten").contains("found ten, expected a number"), "{}", says("ten"));
    }
}
