//! Values as Python prints them: some tools record `str(value)` where JSON was meant.

use serde_json::{Map, Number, Value};
use std::{iter::Peekable, str::Chars};

/// Deepest nesting that is read.
const DEEPEST: usize = 64;

/// The value of a Python literal of dictionaries, lists, tuples, texts, numbers, `True`, `False` and `None`; nothing for any other text.
pub(crate) fn literal(text: &str) -> Option<Value> {
    let mut rest = text.trim().chars().peekable();
    let value = value(&mut rest, 0)?;
    skip_space(&mut rest);
    rest.next().is_none().then_some(value)
}

fn value(rest: &mut Peekable<Chars<'_>>, depth: usize) -> Option<Value> {
    if depth > DEEPEST {
        return None;
    }
    skip_space(rest);
    match *rest.peek()? {
        '{' => dictionary(rest, depth),
        '[' => list(rest, ']', depth),
        '(' => list(rest, ')', depth),
        '\'' | '"' => quoted(rest).map(Value::String),
        _ => word(rest),
    }
}

fn skip_space(rest: &mut Peekable<Chars<'_>>) {
    while rest.next_if(|c| c.is_whitespace()).is_some() {}
}

fn dictionary(rest: &mut Peekable<Chars<'_>>, depth: usize) -> Option<Value> {
    rest.next();
    let mut fields = Map::new();
    loop {
        skip_space(rest);
        if rest.next_if_eq(&'}').is_some() {
            return Some(Value::Object(fields));
        }
        let name = quoted(rest)?;
        skip_space(rest);
        rest.next_if_eq(&':')?;
        fields.insert(name, value(rest, depth + 1)?);
        skip_space(rest);
        if rest.next_if_eq(&',').is_none() && rest.peek() != Some(&'}') {
            return None;
        }
    }
}

fn list(rest: &mut Peekable<Chars<'_>>, end: char, depth: usize) -> Option<Value> {
    rest.next();
    let mut values = Vec::new();
    loop {
        skip_space(rest);
        if rest.next_if_eq(&end).is_some() {
            return Some(Value::Array(values));
        }
        values.push(value(rest, depth + 1)?);
        skip_space(rest);
        if rest.next_if_eq(&',').is_none() && rest.peek() != Some(&end) {
            return None;
        }
    }
}

fn quoted(rest: &mut Peekable<Chars<'_>>) -> Option<String> {
    let quote = rest.next_if(|c| matches!(c, '\'' | '"'))?;
    let mut text = String::new();
    loop {
        match rest.next()? {
            '\\' => text.push(escaped(rest)?),
            end if end == quote => return Some(text),
            other => text.push(other),
        }
    }
}

fn escaped(rest: &mut Peekable<Chars<'_>>) -> Option<char> {
    let digits = match rest.next()? {
        'n' => return Some('\n'),
        't' => return Some('\t'),
        'r' => return Some('\r'),
        'x' => 2,
        'u' => 4,
        'U' => 8,
        other => return Some(other),
    };
    let code: String = rest.take(digits).collect();
    char::from_u32(u32::from_str_radix(&code, 16).ok()?)
}

fn word(rest: &mut Peekable<Chars<'_>>) -> Option<Value> {
    let mut word = String::new();
    while let Some(c) = rest.next_if(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '+' | '_')) {
        word.push(c);
    }
    match word.as_str() {
        "None" => Some(Value::Null),
        "True" => Some(true.into()),
        "False" => Some(false.into()),
        number => number.parse::<Number>().ok().map(Value::Number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_python_prints_is_read() {
        let text = r#"{'a': "it's", 'b': ['x\n\u00e9', 1, -2.5, None, True], 'c': ()}"#;
        let json = serde_json::json!({ "a": "it's", "b": ["x\né", 1, -2.5, null, true], "c": [] });
        assert_eq!(literal(text).unwrap(), json);
    }

    #[test]
    fn what_is_no_literal_is_left_alone() {
        for text in ["", "{", "{'a'}", "['a' 'b']", "Agent(name='x')", "{'a': <object>}", "[1] and [2]"] {
            assert_eq!(literal(text), None, "{text}");
        }
        assert_eq!(literal(&"[".repeat(100_000)), None);
    }
}
