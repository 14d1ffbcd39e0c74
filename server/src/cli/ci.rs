//! What the answers of `gate` and `check` share: the forms that CI systems and pull requests read.

use clap::ValueEnum;

/// How an answer is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// For machines
    Json,
    /// For CI systems: one test case for each rule or case
    Junit,
    /// For a pull request
    Markdown,
}

impl Format {
    /// `--json` is short for `--format json`.
    pub(super) fn or_json(self, json: bool) -> Format {
        if json { Format::Json } else { self }
    }
}

/// Text for a cell of a Markdown table.
pub(super) fn cell(text: &str) -> String {
    domain::visible(text).replace('|', "\\|").replace('<', "&lt;").replace('\n', " ")
}

/// Text for XML: what XML cannot carry is made visible first.
pub(super) fn escaped(text: &str) -> String {
    let text = domain::visible(text);
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\n', " ")
}
