//! Which key does what.

use domain::{Level, Scale};

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Give the answer whose key this is.
    Digit(Digit),
    /// The unit after this one, or before it.
    Unit(Step),
    /// The criterion after this one, or before it.
    Criterion(Step),
    /// Take the last answer back.
    Undo,
    /// Leave the conversation to others.
    Skip,
    /// Mark the answer for a second look.
    Flag,
    /// Write a comment.
    Comment,
    /// Show the guideline.
    Guideline,
    /// Submit the conversation and go on.
    Submit,
    /// Show all keys.
    Help,
}

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// To the next.
    Forward,
    /// To the one before.
    Back,
}

/// A digit, alone or with Shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digit {
    /// 0 to 9.
    pub(crate) digit: u8,
    /// For the levels past nine.
    pub(crate) shift: bool,
}

impl Digit {
    /// What is printed on the key.
    pub(crate) fn printed(self) -> String {
        if self.shift { format!("⇧{}", self.digit) } else { self.digit.to_string() }
    }
}

/// All keys with what they do, in the order of the help.
pub(crate) const HELP: [(&str, &str); 11] = [
    ("0 … 9", "answer, by the digit printed on the key"),
    ("j / k", "next or previous unit"),
    ("h / l", "previous or next criterion"),
    ("u", "undo the last answer"),
    ("c", "comment on this answer"),
    ("f", "flag this answer for a second look"),
    ("g", "guideline"),
    ("s", "skip this conversation"),
    ("Enter", "submit and go on"),
    ("?", "all keys"),
    ("Esc", "close what is open"),
];

/// What a pressed key asks for: `key` and `code` as browsers report them, without Ctrl, Alt or Meta.
pub(crate) fn command(key: &str, code: &str, shift: bool) -> Option<Command> {
    if let Some(digit) = digit(key, code) {
        return Some(Command::Digit(Digit { digit, shift }));
    }
    match key {
        "j" => Some(Command::Unit(Step::Forward)),
        "k" => Some(Command::Unit(Step::Back)),
        "l" => Some(Command::Criterion(Step::Forward)),
        "h" => Some(Command::Criterion(Step::Back)),
        "u" => Some(Command::Undo),
        "s" => Some(Command::Skip),
        "f" => Some(Command::Flag),
        "c" => Some(Command::Comment),
        "g" => Some(Command::Guideline),
        "Enter" => Some(Command::Submit),
        "?" => Some(Command::Help),
        _ => None,
    }
}

/// With Shift a digit key reports another character, and on some layouts a digit needs Shift: the place of the key decides.
fn digit(key: &str, code: &str) -> Option<u8> {
    let place = code.strip_prefix("Digit").or_else(|| code.strip_prefix("Numpad"));
    let text = place.filter(|text| text.len() == 1).unwrap_or(key);
    match text.as_bytes() {
        [byte @ b'0'..=b'9'] => Some(byte - b'0'),
        _ => None,
    }
}

/// Levels with their keys, in the order of the scale. A level's digit is its value where all values are whole numbers from 0 to 9, or
/// to 19 with Shift from 10 on; else its place, from 1. What is past the keys has none and is pressed by hand.
pub(crate) fn keyed(scale: &Scale) -> Vec<(Option<Digit>, Level)> {
    let whole = |level: &Level| (0..20_u8).find(|digit| (f64::from(*digit) - level.value).abs() < 1e-9);
    let by_value: Option<Vec<u8>> = scale.levels.iter().map(whole).collect();
    let places = || (1..=u8::try_from(scale.levels.len()).unwrap_or(u8::MAX)).collect();
    let numbers = by_value.unwrap_or_else(places);
    let key = |number: u8| (number < 20).then_some(Digit { digit: number % 10, shift: number >= 10 });
    numbers.into_iter().map(key).chain(std::iter::repeat(None)).zip(scale.levels.iter().cloned()).collect()
}

/// The value of the level that a digit chooses. Where no level needs Shift, Shift is not asked for.
pub(crate) fn value_of(scale: &Scale, pressed: Digit) -> Option<f64> {
    let keys = keyed(scale);
    let shift_matters = keys.iter().any(|(key, _)| key.is_some_and(|key| key.shift));
    let wanted = Digit { shift: pressed.shift && shift_matters, ..pressed };
    keys.into_iter().find(|(key, _)| *key == Some(wanted)).map(|(_, level)| level.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ScaleKind;

    fn scale(values: &[f64]) -> Scale {
        let levels = values
            .iter()
            .map(|value| Level { value: *value, name: value.to_string(), means: None, not_applicable: false })
            .collect();
        Scale {
            id: "s".into(),
            kind: ScaleKind::Ordinal,
            levels,
            min: None,
            max: None,
            step: None,
            relevant_from: None,
            coarse: None,
        }
    }

    fn printed(values: &[f64]) -> Vec<String> {
        keyed(&scale(values)).iter().map(|(key, _)| key.map(Digit::printed).unwrap_or_default()).collect()
    }

    #[test]
    fn the_digit_on_the_key_is_the_value_where_that_is_a_digit() {
        assert_eq!(printed(&[0.0, 1.0, 2.0, 3.0]), ["0", "1", "2", "3"]);
        assert_eq!(printed(&[1.0, 2.0, 5.0]), ["1", "2", "5"]);
    }

    #[test]
    fn else_it_is_the_place() {
        assert_eq!(printed(&[-1.0, 0.0, 1.0]), ["1", "2", "3"]);
        assert_eq!(printed(&[0.0, 0.5, 1.0]), ["1", "2", "3"]);
        assert_eq!(value_of(&scale(&[0.0, 0.5, 1.0]), Digit { digit: 2, shift: false }), Some(0.5));
    }

    #[test]
    fn eleven_levels_need_shift_for_the_last() {
        let values: Vec<f64> = (0..=10).map(f64::from).collect();
        assert_eq!(printed(&values).last().unwrap(), "⇧0");
        assert_eq!(value_of(&scale(&values), Digit { digit: 0, shift: true }), Some(10.0));
        assert_eq!(value_of(&scale(&values), Digit { digit: 0, shift: false }), Some(0.0));
        assert_eq!(value_of(&scale(&values), Digit { digit: 5, shift: true }), None);
    }

    #[test]
    fn a_keyboard_on_which_digits_need_shift_answers_too() {
        assert_eq!(value_of(&scale(&[0.0, 1.0]), Digit { digit: 1, shift: true }), Some(1.0));
    }

    #[test]
    fn keys_ask_for_what_is_printed() {
        assert_eq!(command("3", "Digit3", false), Some(Command::Digit(Digit { digit: 3, shift: false })));
        assert_eq!(command("#", "Digit3", true), Some(Command::Digit(Digit { digit: 3, shift: true })));
        assert_eq!(command("&", "Digit1", false), Some(Command::Digit(Digit { digit: 1, shift: false })));
        assert_eq!(command("7", "Numpad7", false), Some(Command::Digit(Digit { digit: 7, shift: false })));
        assert_eq!(command("Enter", "NumpadEnter", false), Some(Command::Submit));
        assert_eq!(command("j", "KeyJ", false), Some(Command::Unit(Step::Forward)));
        assert_eq!(command("?", "Slash", true), Some(Command::Help));
        assert_eq!(command("J", "KeyJ", true), None);
        assert_eq!(command("Tab", "Tab", false), None);
    }
}
