/// Text of strangers as it may be shown: characters that cannot be seen or that turn the writing direction (controls other than
/// line feed and tab, bidirectional marks, zero-width characters, the byte order mark) are replaced by their code point, `⟨U+202E⟩`.
///
/// ```
/// assert_eq!(domain::visible("a\u{202e}b\0"), "a⟨U+202E⟩b⟨U+0000⟩");
/// assert_eq!(domain::visible("line\r\nline\tend"), "line\nline\tend");
/// ```
#[must_use]
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            // A carriage return before a line feed is a line end as some systems write it, nothing hidden.
            '\r' if characters.peek() == Some(&'\n') => {}
            '\n' | '\t' => shown.push(character),
            _ if is_invisible(character) => shown.push_str(&format!("⟨U+{:04X}⟩", u32::from(character))),
            _ => shown.push(character),
        }
    }
    shown
}

fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{00AD}' | '\u{061C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{2069}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}
