//! Addresses of pages: every part of a path or query is percent-encoded, whatever a project or judge is called.

#[cfg(feature = "ssr")]
use crate::param::Query;

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

/// A page with what its address says. Its links change a part of that and keep the rest.
#[cfg(feature = "ssr")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Here {
    project: String,
    page: &'static str,
    query: Query,
}

#[cfg(feature = "ssr")]
impl Here {
    /// The page of a project with those values of the query that are known to it.
    pub(crate) fn new(project: String, page: &'static str, mut query: Query, known: &[&str]) -> Here {
        query.retain(|name, _| known.contains(&name.as_str()));
        Here { project, page, query }
    }

    /// The project.
    pub(crate) fn project(&self) -> &str {
        &self.project
    }

    /// A value of the query, `""` where it says nothing.
    pub(crate) fn said(&self, name: &str) -> &str {
        self.query.get(name).map_or("", String::as_str)
    }

    /// The path without the query.
    pub(crate) fn path(&self) -> String {
        of_project(&self.project, self.page)
    }

    /// The same page where these values are others; one that is empty goes.
    pub(crate) fn with(&self, changed: &[(&str, &str)]) -> String {
        self.to(self.page, changed)
    }

    /// Another page of the project that is told the same, but for these values.
    pub(crate) fn to(&self, page: &str, changed: &[(&str, &str)]) -> String {
        let is_changed = |name: &str| changed.iter().any(|(other, _)| *other == name);
        let kept = self.query.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let query: Vec<(&str, &str)> =
            kept.filter(|(name, _)| !is_changed(name)).chain(changed.iter().copied()).collect();
        with_query(&of_project(&self.project, page), &query)
    }
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
    fn a_link_changes_a_part_and_keeps_the_rest() {
        let query = [("criterion", "a"), ("incumbent", "j / x"), ("evil", "1")];
        let query = query.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let here = Here::new("p".into(), "compare", query, &["criterion", "incumbent", "rule"]);
        assert_eq!(here.with(&[("criterion", "b")]), "/p/p/compare?incumbent=j%20%2F%20x&criterion=b");
        assert_eq!(
            here.with(&[("incumbent", ""), ("rule", "median")]),
            "/p/p/compare?criterion=a&rule=median"
        );
        assert_eq!(here.said("evil"), "");
    }

    #[test]
    fn the_project_is_read_from_the_path() {
        assert_eq!(project_of("/p/demo/label"), Some("demo"));
        assert_eq!(project_of("/p/demo"), Some("demo"));
        assert_eq!(project_of("/account"), None);
        assert_eq!(project_of("/p/"), None);
    }
}
