use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// A version of an anchor set, as people name it: `NAME@VERSION`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct AnchorSetName {
    /// Name, shared by all versions; the name of a folder as well.
    pub name: String,
    /// Counts up from 1.
    pub version: u32,
}

impl AnchorSetName {
    /// Whether a name can be that of a set: it is the name of a folder as well.
    #[must_use]
    pub fn is_allowed(name: &str) -> bool {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        (1..=100).contains(&name.len()) && name.bytes().all(allowed) && !name.starts_with('.')
    }

    /// What a name must be, in words.
    pub const EXPECTED: &str = "1 to 100 letters, digits, hyphens, underscores or dots";
}

impl fmt::Display for AnchorSetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.version)
    }
}

impl From<AnchorSetName> for String {
    fn from(name: AnchorSetName) -> String {
        name.to_string()
    }
}

impl TryFrom<String> for AnchorSetName {
    type Error = String;

    fn try_from(text: String) -> Result<AnchorSetName, String> {
        text.parse()
    }
}

impl FromStr for AnchorSetName {
    type Err = String;

    fn from_str(text: &str) -> Result<AnchorSetName, String> {
        let wrong = || {
            let text = crate::visible(text);
            format!("`{text}` names no version of an anchor set: expected NAME@VERSION, such as gold@1")
        };
        let (name, version) = text.split_once('@').ok_or_else(wrong)?;
        let digits = version.bytes().all(|byte| byte.is_ascii_digit());
        let version = version.parse().ok().filter(|version| digits && *version > 0).ok_or_else(wrong)?;
        if !AnchorSetName::is_allowed(name) {
            return Err(wrong());
        }
        Ok(AnchorSetName { name: name.to_owned(), version })
    }
}
