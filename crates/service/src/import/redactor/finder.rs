//! Where private data stand in a text.

use domain::PrivateKind;
use regex::{Regex, RegexBuilder};
use std::ops::Range;

/// Longest expression, in bytes, and largest program that one may become.
const LONGEST_EXPRESSION: usize = 500;
const LARGEST_PROGRAM: usize = 1 << 20;

/// Groups of digits that one number may have.
const MOST_GROUPS: usize = 10;

/// What finds one kind of private data.
#[derive(Debug)]
pub(super) enum Finder {
    /// By an expression; whether capital and small letters are the same value.
    Expression { regex: Regex, folds_case: bool },
    /// By the beginning of one, whose check digits decide how far it goes.
    Iban(Regex),
    /// By its digits.
    Card,
    /// By its digits and what stands between them.
    Phone,
}

impl Finder {
    /// What finds a kind that is known.
    pub(super) fn of(kind: PrivateKind) -> Result<Finder, regex::Error> {
        Ok(match kind {
            PrivateKind::EMail => {
                let address =
                    r"[\p{L}\p{N}%'+_.~-]+(?:@|%40)(?:[\p{L}\p{N}-]+\.)+(?:xn--[A-Za-z0-9-]+|\p{L}{2,})";
                Finder::Expression { regex: Regex::new(address)?, folds_case: true }
            }
            PrivateKind::Iban => Finder::Iban(Regex::new(
                r"\b[A-Za-z]{2}[0-9]{2}[A-Za-z0-9]{0,30}(?: [A-Za-z0-9]{1,30}){0,12}\b",
            )?),
            PrivateKind::Card => Finder::Card,
            PrivateKind::Phone => Finder::Phone,
        })
    }

    /// Where it stands, from left to right and apart.
    pub(super) fn find(&self, text: &str, numbers: &Numbers) -> Vec<Range<usize>> {
        match self {
            Finder::Expression { regex, .. } => regex.find_iter(text).map(|found| found.range()).collect(),
            Finder::Iban(regex) => ibans(regex, text),
            Finder::Card => numbers.find(text, &is_card_gap, &|_, _| true, &is_card),
            Finder::Phone => numbers.find(text, &is_phone_gap, &begins_phone, &is_phone),
        }
    }

    /// The value without what may be written in several ways.
    pub(super) fn normal(&self, value: &str) -> String {
        match self {
            Finder::Expression { folds_case: false, .. } => value.to_owned(),
            Finder::Expression { folds_case: true, .. } => value.to_lowercase().replace("%40", "@"),
            Finder::Iban(_) => compact(value).to_ascii_uppercase(),
            Finder::Card => value.chars().filter(char::is_ascii_digit).collect(),
            Finder::Phone => {
                let digits: String = value.chars().filter(char::is_ascii_digit).collect();
                digits
                    .strip_prefix("00")
                    .filter(|_| !value.starts_with('+'))
                    .map_or(digits.clone(), str::to_owned)
            }
        }
    }
}

/// An expression of a project's own. Expressions are matched in a time that grows with the text alone; here they are kept small.
pub(super) fn expression(text: &str) -> Result<Finder, String> {
    if text.len() > LONGEST_EXPRESSION {
        return Err(format!("found {} bytes, expected at most {LONGEST_EXPRESSION}", text.len()));
    }
    let built = RegexBuilder::new(text).size_limit(LARGEST_PROGRAM).nest_limit(50).build();
    let regex = built.map_err(|error| format!("expected a regular expression of moderate size ({error})"))?;
    if regex.is_match("") {
        return Err("expected an expression that does not match nothing at all".to_owned());
    }
    Ok(Finder::Expression { regex, folds_case: false })
}

/// Patterns of numbers: `#` is a digit, `?` a letter, all else itself.
pub(super) fn orders(patterns: &[String]) -> Result<Finder, String> {
    let one = |pattern: &String| {
        let wild = pattern.chars().filter(|character| matches!(character, '#' | '?')).count();
        if wild < 3 || pattern.chars().count() > 40 {
            let found = domain::visible(pattern);
            return Err(format!(
                "found {found}, expected at most 40 characters with at least three # (digit) or ? (letter)"
            ));
        }
        let parts = pattern.chars().map(|character| match character {
            '#' => "[0-9]".to_owned(),
            '?' => r"\p{L}".to_owned(),
            other => regex::escape(&other.to_string()),
        });
        let is_word = |character: Option<char>| {
            character.is_some_and(|c| c.is_alphanumeric() || matches!(c, '#' | '?'))
        };
        let edge = |character| if is_word(character) { r"\b" } else { "" };
        let (before, after) = (edge(pattern.chars().next()), edge(pattern.chars().last()));
        Ok(format!("{before}{}{after}", parts.collect::<String>()))
    };
    let all: Vec<String> = patterns.iter().map(one).collect::<Result<_, _>>()?;
    let built = RegexBuilder::new(&all.join("|")).case_insensitive(true).size_limit(LARGEST_PROGRAM).build();
    Ok(Finder::Expression { regex: built.map_err(|error| error.to_string())?, folds_case: true })
}

/// The groups of digits of a text.
pub(super) struct Numbers(Vec<Range<usize>>);

impl Numbers {
    /// Finds them.
    pub(super) fn of(text: &str) -> Numbers {
        let mut groups: Vec<Range<usize>> = Vec::new();
        for (at, _) in text.bytes().enumerate().filter(|(_, byte)| byte.is_ascii_digit()) {
            match groups.last_mut() {
                Some(last) if last.end == at => last.end = at + 1,
                _ => groups.push(at..at + 1),
            }
        }
        Numbers(groups)
    }

    /// The longest runs of groups that are a number of a kind: what may stand between groups, what one may begin with, what one is.
    fn find(
        &self,
        text: &str,
        is_gap: &dyn Fn(&str) -> bool,
        begins: &dyn Fn(&str, &Range<usize>) -> bool,
        is_one: &dyn Fn(&str, &[&str]) -> bool,
    ) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut first = 0;
        while let Some(group) = self.0.get(first) {
            let run = self.run(text, first, is_gap);
            let longest = (begins(text, group) && stands_alone(text, group.start))
                .then(|| {
                    (1..=run.len()).rev().find(|length| {
                        let groups: Vec<&str> =
                            run.iter().take(*length).filter_map(|range| text.get(range.clone())).collect();
                        let end = run.get(length - 1).map_or(0, |range| range.end);
                        ends_alone(text, end) && is_one(prefix(text, group.start), &groups)
                    })
                })
                .flatten();
            match longest.and_then(|length| run.get(length - 1).map(|last| (length, last.end))) {
                Some((length, end)) => {
                    found.push(group.start - sign(text, group.start)..end);
                    first += length;
                }
                None => first += 1,
            }
        }
        found
    }

    /// The groups from one on that only gaps part.
    fn run(&self, text: &str, first: usize, is_gap: &dyn Fn(&str) -> bool) -> Vec<Range<usize>> {
        let mut run: Vec<Range<usize>> = Vec::new();
        for group in self.0.iter().skip(first).take(MOST_GROUPS) {
            if let Some(last) = run.last()
                && !text.get(last.end..group.start).is_some_and(is_gap)
            {
                break;
            }
            run.push(group.clone());
        }
        run
    }
}

/// `+` or nothing.
fn prefix(text: &str, at: usize) -> &str {
    text.get(at - sign(text, at)..at).unwrap_or_default()
}

/// Bytes of the sign before a number: `+`, or a bracket that belongs to it.
fn sign(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    usize::from(before.ends_with('+')) + if before.ends_with("+(") { 2 } else { 0 }
}

/// Whether nothing before a number makes it a part of something else, as a decimal or an identifier.
fn stands_alone(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().chars().next_back();
    before.is_none_or(|character| !character.is_alphanumeric() && !matches!(character, '_' | '.' | '-' | '#'))
}

fn ends_alone(text: &str, at: usize) -> bool {
    let after = text.get(at..).unwrap_or_default().chars().next();
    after.is_none_or(|character| !character.is_alphanumeric() && character != '_')
}

fn is_card_gap(gap: &str) -> bool {
    matches!(gap, " " | "-" | "\u{a0}")
}

/// 13 to 19 digits with a check digit (Luhn).
fn is_card(_: &str, groups: &[&str]) -> bool {
    let digits = groups.concat();
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let digit = u32::from(digit - b'0');
            if place % 2 == 0 { digit } else { digit * 2 / 10 + digit * 2 % 10 }
        })
        .sum();
    (13..=19).contains(&digits.len()) && sum.is_multiple_of(10) && digits.bytes().any(|digit| digit != b'0')
}

fn is_phone_gap(gap: &str) -> bool {
    let is_separator =
        |character: char| matches!(character, ' ' | '(' | ')' | '.' | '/' | '-' | '\u{a0}' | '\u{2011}');
    gap.chars().count() <= 3 && gap.chars().all(is_separator)
}

/// Whether a telephone number may begin here.
fn begins_phone(text: &str, group: &Range<usize>) -> bool {
    let digits = text.get(group.clone()).unwrap_or_default();
    let is_area = |digits: &str| digits.len() == 3 && digits.starts_with(|c: char| ('2'..='9').contains(&c));
    sign(text, group.start) > 0 || digits.starts_with('0') || is_area(digits) || digits == "1"
}

/// International with `+` or `00`; national with a leading zero; three, three and four digits.
fn is_phone(prefix: &str, groups: &[&str]) -> bool {
    let digits = groups.concat();
    let first = groups.first().copied().unwrap_or_default();
    let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
    if prefix.starts_with('+') {
        return (8..=15).contains(&digits.len());
    }
    if let Some(rest) = digits.strip_prefix("00") {
        return first.len() >= 3 && !rest.starts_with('0') && (8..=15).contains(&rest.len());
    }
    if digits.starts_with('0') {
        let is_by_pairs = lengths == [2; 5];
        let is_in_one = groups.len() == 1 && (9..=13).contains(&digits.len());
        let has_area = groups.len() > 1 && first.len() >= 3 && (7..=13).contains(&digits.len());
        return is_by_pairs || is_in_one || has_area;
    }
    lengths == [3, 3, 4] || (first == "1" && lengths == [1, 3, 3, 4])
}

/// Account numbers: the longest beginning at a word's end whose remainder is right.
fn ibans(regex: &Regex, text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(candidate) = regex.find_at(text, from) {
        let ends =
            candidate.as_str().char_indices().filter(|(_, character)| *character == ' ').map(|(at, _)| at);
        let ends: Vec<usize> = ends.chain([candidate.len()]).collect();
        let is_right = |end: &&usize| candidate.as_str().get(..**end).is_some_and(is_iban);
        match ends.iter().rev().find(is_right) {
            Some(end) => {
                from = candidate.start() + end;
                found.push(candidate.start()..from);
            }
            // Two letters and two digits: one character on is a boundary of characters.
            None => from = candidate.start() + 1,
        }
    }
    found
}

/// ISO 13616: the remainder by 97 is 1, the first four characters put last and letters read as 10 to 35.
fn is_iban(text: &str) -> bool {
    let compact = compact(text);
    if !(15..=34).contains(&compact.len()) {
        return false;
    }
    let (head, tail) = compact.split_at(4);
    let digits = tail.chars().chain(head.chars()).filter_map(|character| character.to_digit(36));
    digits.fold(0, |rest, digit| (rest * if digit < 10 { 10 } else { 100 } + digit) % 97) == 1
}

fn compact(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).collect()
}
