//! Where to go after signing in. The address comes from the visitor, so that only a path of this site is taken.

/// The path to go to: `wanted` if it is a path within this site, else the start page.
///
/// A path begins with one `/`: `//host` and `/\host` lead browsers to another site.
#[cfg(any(feature = "ssr", test))]
pub(crate) fn safe_next(wanted: Option<&str>) -> &str {
    match wanted {
        Some(path) if is_local(path) => path,
        _ => "/",
    }
}

#[cfg(any(feature = "ssr", test))]
fn is_local(path: &str) -> bool {
    let mut characters = path.chars();
    characters.next() == Some('/')
        && !matches!(characters.next(), Some('/' | '\\'))
        && !path.chars().any(|character| character.is_control() || character == '\\')
}

/// The sign-in page that leads back to `path`.
pub(crate) fn sign_in_for(path: &str) -> String {
    format!("/sign-in?next={}", crate::address::encoded(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_path_of_this_site_is_taken() {
        for path in ["/", "/p/demo/label", "/p/demo/compare?criterion=a%20b"] {
            assert_eq!(safe_next(Some(path)), path);
        }
        for path in [
            "",
            "p/demo",
            "//host",
            "/\\host",
            "https://host/",
            "javascript:alert(1)",
            "/a\n/b",
            "/\t/host",
            "/a\\b",
        ] {
            assert_eq!(safe_next(Some(path)), "/", "{path:?}");
        }
        assert_eq!(safe_next(None), "/");
    }

    #[test]
    fn the_way_back_is_one_value_of_the_query() {
        assert_eq!(sign_in_for("/p/a?b=c&d=e"), "/sign-in?next=%2Fp%2Fa%3Fb%3Dc%26d%3De");
    }
}
