//! Addresses of pages: every part of a path or query is percent-encoded, whatever a project or judge is called.

/// The text as one part of a path or one value of a query.
#[must_use]
pub fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte))
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// The address of a page of a project: `page` is what stands after the project, `""` for its home.
pub(crate) fn of_project(project: &str, page: &str) -> String {
    let project = encoded(project);
    if page.is_empty() { format!("/p/{project}") } else { format!("/p/{project}/{page}") }
}

/// The address with a query; values that are empty are left out.
pub(crate) fn with_query(path: &str, query: &[(&str, &str)]) -> String {
    let pairs: Vec<String> = query
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{name}={}", encoded(value)))
        .collect();
    if pairs.is_empty() { path.to_owned() } else { format!("{path}?{}", pairs.join("&")) }
}

/// The project that a path is of.
pub(crate) fn project_of(path: &str) -> Option<&str> {
    path.strip_prefix("/p/")?.split('/').next().filter(|project| !project.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_encoded_whatever_they_hold() {
        assert_eq!(of_project("a b", "label"), "/p/a%20b/label");
        assert_eq!(
            with_query("/x", &[("judge", "gpt-4 / rts"), ("rule", ""), ("q", "é&=")]),
            "/x?judge=gpt-4%20%2F%20rts&q=%C3%A9%26%3D"
        );
        assert_eq!(with_query("/x", &[("rule", "")]), "/x");
    }

    #[test]
    fn the_project_is_read_from_the_path() {
        assert_eq!(project_of("/p/demo/label"), Some("demo"));
        assert_eq!(project_of("/p/demo"), Some("demo"));
        assert_eq!(project_of("/account"), None);
        assert_eq!(project_of("/p/"), None);
    }
}
