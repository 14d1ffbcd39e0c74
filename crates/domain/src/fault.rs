use serde::{Deserialize, Serialize};
use std::fmt;

/// One thing that is wrong with an input, said so that its author can mend it: where, what was found, what was expected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Name of the file as the caller gave it.
    pub file: String,
    /// Line, counted from 1; 0 where the fault is of the whole file.
    pub line: u64,
    /// Column of a table or path of a JSON field (`passages[3].id`); empty where the fault is of the whole line.
    pub field: String,
    /// What stands there, shortened and with control characters made visible.
    pub found: String,
    /// What would have been right.
    pub expected: String,
}

/// Longest excerpt of a wrong value that a message repeats, in characters.
const EXCERPT: usize = 80;

impl Fault {
    /// A fault in a field. The file and the line are filled in by whoever reads the file ([`Fault::at`]).
    pub fn new(field: impl Into<String>, found: impl AsRef<str>, expected: impl Into<String>) -> Fault {
        let found = crate::visible(found.as_ref());
        let mut excerpt: String = found.chars().take(EXCERPT).collect();
        if excerpt.len() < found.len() {
            excerpt.push('…');
        }
        Fault { file: String::new(), line: 0, field: field.into(), found: excerpt, expected: expected.into() }
    }

    /// The same fault, placed in a file.
    #[must_use]
    pub fn at(mut self, file: &str, line: u64) -> Fault {
        file.clone_into(&mut self.file);
        self.line = line;
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}", self.file)?;
            if self.line > 0 {
                write!(f, ":{}", self.line)?;
            }
            f.write_str(": ")?;
        }
        if !self.field.is_empty() {
            write!(f, "{}: ", self.field)?;
        }
        write!(
            f,
            "found {}, expected {}",
            if self.found.is_empty() { "nothing" } else { &self.found },
            self.expected
        )
    }
}

impl std::error::Error for Fault {}
