//! The language of templates: MiniJinja that shows, asks and repeats. It has no way to make a text grow but to print it, where it is
//! counted: a template of a few lines could otherwise double a text until the memory is full, in very few steps.

use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior, Value, filters, tests};
use std::io::{self, Write};

/// Steps that a template may take.
const FUEL: u64 = 200_000;

/// Longest prompt, in bytes.
const LONGEST_PROMPT: usize = 32 << 20;

/// The tags that there are.
const TAGS: [&str; 6] = ["if", "elif", "else", "endif", "for", "endfor"];

/// Checks that a template is of the language, and names only what is there; else says what is wrong.
pub(crate) fn check(template: &str, names: &[&str]) -> Result<(), String> {
    for code in codes(template) {
        check_code(template, &code)?;
    }
    let environment = environment();
    let parsed = environment.template_from_str(template).map_err(|error| words(&error))?;
    let mut unknown: Vec<String> = parsed.undeclared_variables(false).into_iter().collect();
    unknown.retain(|name| !names.contains(&name.as_str()));
    unknown.sort();
    match unknown.first() {
        Some(name) => Err(format!("there is no `{}`; there are {}", domain::visible(name), names.join(", "))),
        None => Ok(()),
    }
}

/// Renders a template.
pub(crate) fn render(template: &str, facts: &Value) -> Result<String, String> {
    let environment = environment();
    let mut out = Capped::default();
    let parsed = environment.template_from_str(template).map_err(|error| words(&error))?;
    let rendered = parsed.render_captured_to(facts, &mut out).map(|_| ());
    if out.is_full {
        return Err(format!("the prompt is longer than {} MiB", LONGEST_PROMPT >> 20));
    }
    rendered.map_err(|error| words(&error))?;
    String::from_utf8(out.text).map_err(|error| error.to_string())
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::empty();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_fuel(Some(FUEL));
    environment.add_filter("length", filters::length);
    environment.add_test("none", tests::is_none);
    environment
}

fn words(error: &Error) -> String {
    let line = error.line().map(|line| format!(" (line {line})")).unwrap_or_default();
    let cause = error.detail().map(|detail| format!(": {detail}")).unwrap_or_default();
    format!("{}{cause}{line}", error.kind())
}

/// What stands between `{{` and `}}` or `{%` and `%}`.
struct Code<'a> {
    /// Where it begins, in bytes.
    at: usize,
    is_tag: bool,
    /// Its text without the texts in quotes.
    parts: Vec<&'a str>,
}

fn check_code(template: &str, code: &Code<'_>) -> Result<(), String> {
    let wrong = |found: &str, expected: &str| {
        let line = template[..code.at].lines().count().max(1);
        Err(format!("found `{}`, expected {expected} (line {line})", domain::visible(found)))
    };
    // `{%-`, `{%+`, `-%}` and `+%}` are about white space.
    let bare = |part: &'_ str| -> String { part.trim_matches(['-', '+']).to_owned() };
    let whole = bare(&code.parts.join(" \"\" "));
    let tag = whole.split_whitespace().next().unwrap_or_default();
    if code.is_tag && !TAGS.contains(&tag) {
        return wrong(tag, &format!("one of {}", TAGS.join(", ")));
    }
    if let Some(operator) = whole.chars().find(|character| "~+*".contains(*character)) {
        return wrong(&operator.to_string(), "a template that shows, asks and repeats: it does not compute");
    }
    if code.is_tag && whole.split_whitespace().any(|word| word == "recursive") {
        return wrong("recursive", "a loop over a list");
    }
    Ok(())
}

/// The codes of a template. Texts in quotes are passed over as the language does it: what ends a code in one does not end it.
fn codes(template: &str) -> Vec<Code<'_>> {
    let mut codes = Vec::new();
    let mut at = 0;
    while let Some(begin) = template[at..].find('{').map(|found| at + found) {
        let end = match template.as_bytes().get(begin + 1) {
            Some(b'{') => "}}",
            Some(b'%') => "%}",
            Some(b'#') => {
                at = template[begin + 2..].find("#}").map_or(template.len(), |found| begin + 2 + found + 2);
                continue;
            }
            _ => {
                at = begin + 1;
                continue;
            }
        };
        let (parts, after) = code_parts(template, begin + 2, end);
        codes.push(Code { at: begin, is_tag: end == "%}", parts });
        at = after;
    }
    codes
}

/// The parts of a code outside quotes, and where the code ends.
fn code_parts<'a>(template: &'a str, start: usize, end: &str) -> (Vec<&'a str>, usize) {
    let (mut parts, mut from, mut quote, mut escaped) = (Vec::new(), start, None, false);
    for (at, character) in template[start..].char_indices().map(|(at, character)| (start + at, character)) {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if character == '\\' => escaped = true,
            Some(open) if character == open => {
                (quote, from) = (None, at + 1);
            }
            Some(_) => {}
            None if template[at..].starts_with(end) => {
                parts.push(&template[from..at]);
                return (parts, at + end.len());
            }
            None if matches!(character, '"' | '\'') => {
                parts.push(&template[from..at]);
                quote = Some(character);
            }
            None => {}
        }
    }
    // It does not end: the language says so.
    parts.push(if quote.is_some() { "" } else { &template[from..] });
    (parts, template.len())
}

/// Takes text up to a length.
#[derive(Default)]
struct Capped {
    text: Vec<u8>,
    is_full: bool,
}

impl Write for Capped {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.text.len() + bytes.len() > LONGEST_PROMPT {
            self.is_full = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
