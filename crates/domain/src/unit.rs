use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// What a label or a verdict is about. Its text form is the one of the interchange files: `passage:p1`, `citation:a1/p2`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub enum Unit {
    /// The conversation as a whole.
    Conversation,
    /// One retrieved passage, by its id.
    Passage(String),
    /// One paragraph of the answer, by its id.
    Paragraph(String),
    /// A paragraph together with one passage that it cites.
    Citation {
        /// Id of the paragraph.
        paragraph: String,
        /// Id of the cited passage.
        passage: String,
    },
    /// The reason that a judge gave for one verdict, which people grade.
    Justification {
        /// The judge version that gave it.
        judge_version: String,
        /// Which of its repeats.
        repeat: u32,
        /// The unit that the verdict was about.
        unit: Box<Unit>,
        /// The criterion of the verdict.
        criterion: String,
    },
}

/// The kinds of unit, as a rubric names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnitKind {
    /// The conversation as a whole.
    Conversation,
    /// Each retrieved passage.
    Passage,
    /// Each paragraph of the answer.
    Paragraph,
    /// Each pair of a paragraph and a passage that it cites.
    Citation,
    /// Each reason that a judge gave.
    Justification,
}

impl UnitKind {
    /// The word that rubrics use.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            UnitKind::Conversation => "conversation",
            UnitKind::Passage => "passage",
            UnitKind::Paragraph => "paragraph",
            UnitKind::Citation => "citation",
            UnitKind::Justification => "justification",
        }
    }
}

impl Unit {
    /// Which kind of unit this is.
    #[must_use]
    pub fn kind(&self) -> UnitKind {
        match self {
            Unit::Conversation => UnitKind::Conversation,
            Unit::Passage(_) => UnitKind::Passage,
            Unit::Paragraph(_) => UnitKind::Paragraph,
            Unit::Citation { .. } => UnitKind::Citation,
            Unit::Justification { .. } => UnitKind::Justification,
        }
    }

    /// The passage id of a citation.
    #[must_use]
    pub fn cited(&self) -> Option<&str> {
        match self {
            Unit::Citation { passage, .. } => Some(passage),
            _ => None,
        }
    }
}

/// Ids inside a unit are percent-encoded, so that every unit parses in one way.
fn encoded(id: &str) -> String {
    id.replace('%', "%25").replace('/', "%2F").replace(':', "%3A")
}

fn decoded(part: &str) -> Result<String, UnitError> {
    let mut id = String::with_capacity(part.len());
    let mut rest = part;
    while let Some((before, after)) = rest.split_once('%') {
        id.push_str(before);
        id.push(match after.get(..2) {
            Some("25") => '%',
            Some("2F" | "2f") => '/',
            Some("3A" | "3a") => ':',
            _ => return Err(UnitError(part.to_owned())),
        });
        rest = &after[2..];
    }
    id.push_str(rest);
    if id.is_empty() || id.chars().any(char::is_control) { Err(UnitError(part.to_owned())) } else { Ok(id) }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unit::Conversation => f.write_str("conversation"),
            Unit::Passage(id) => write!(f, "passage:{}", encoded(id)),
            Unit::Paragraph(id) => write!(f, "paragraph:{}", encoded(id)),
            Unit::Citation { paragraph, passage } => {
                write!(f, "citation:{}/{}", encoded(paragraph), encoded(passage))
            }
            Unit::Justification { judge_version, repeat, unit, criterion } => {
                write!(
                    f,
                    "justification:{}/{repeat}/{}/{}",
                    encoded(judge_version),
                    encoded(&unit.to_string()),
                    encoded(criterion)
                )
            }
        }
    }
}

/// A text that names no unit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no unit: expected conversation, passage:ID, paragraph:ID, citation:PARAGRAPH/PASSAGE or justification:JUDGE/REPEAT/UNIT/CRITERION, with `%`, `/` and `:` in ids written %25, %2F, %3A"
)]
pub struct UnitError(pub String);

impl FromStr for Unit {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Unit, UnitError> {
        let wrong = || UnitError(text.to_owned());
        if text == "conversation" {
            return Ok(Unit::Conversation);
        }
        let (kind, rest) = text.split_once(':').ok_or_else(wrong)?;
        if rest.contains(':') {
            return Err(wrong());
        }
        let parts: Vec<&str> = rest.split('/').collect();
        match (kind, parts.as_slice()) {
            ("passage", [id]) => Ok(Unit::Passage(decoded(id)?)),
            ("paragraph", [id]) => Ok(Unit::Paragraph(decoded(id)?)),
            ("citation", [paragraph, passage]) => {
                Ok(Unit::Citation { paragraph: decoded(paragraph)?, passage: decoded(passage)? })
            }
            ("justification", [judge_version, repeat, unit, criterion]) => {
                let unit: Unit = decoded(unit)?.parse()?;
                // A justification of a justification would have no end.
                if unit.kind() == UnitKind::Justification || repeat.starts_with('+') {
                    return Err(wrong());
                }
                Ok(Unit::Justification {
                    judge_version: decoded(judge_version)?,
                    repeat: repeat.parse().map_err(|_| wrong())?,
                    unit: Box::new(unit),
                    criterion: decoded(criterion)?,
                })
            }
            _ => Err(wrong()),
        }
    }
}

impl From<Unit> for String {
    fn from(unit: Unit) -> String {
        unit.to_string()
    }
}

impl TryFrom<String> for Unit {
    type Error = UnitError;

    fn try_from(text: String) -> Result<Unit, UnitError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn id() -> impl Strategy<Value = String> {
        "[ -~é%/:]{1,12}"
    }

    proptest! {
        #[test]
        fn every_unit_parses_back_to_itself(a in id(), b in id(), repeat: u32) {
            let citation = Unit::Citation { paragraph: a.clone(), passage: b.clone() };
            let justification = Unit::Justification { judge_version: a.clone(), repeat, unit: Box::new(citation.clone()), criterion: b };
            for unit in [Unit::Conversation, Unit::Passage(a.clone()), Unit::Paragraph(a), citation, justification] {
                prop_assert_eq!(unit.to_string().parse::<Unit>(), Ok(unit));
            }
        }

        #[test]
        fn no_text_panics(text in ".{0,40}") {
            let _ = text.parse::<Unit>();
        }
    }

    #[test]
    fn what_is_no_unit_is_refused() {
        for text in [
            "",
            "passage",
            "passage:",
            "passage:a/b",
            "citation:a",
            "passage:a%",
            "passage:a%zz",
            "passage:a:b",
            "Passage:p1",
            "conversation:1",
        ] {
            assert!(text.parse::<Unit>().is_err(), "{text}");
        }
    }
}
