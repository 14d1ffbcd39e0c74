//! Numbers as pages write them: no locale is asked. What only reports need is not sent to the browser.

/// The sign that typographers use for a number below zero.
const MINUS: char = '−';

/// A number with so many decimals, and a true minus sign. What rounds to zero has no sign.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(zero) if zero.chars().all(|digit| matches!(digit, '0' | '.')) => zero.to_owned(),
        Some(positive) => format!("{MINUS}{positive}"),
        None => text,
    }
}

/// A difference: with its sign, also where it is above zero.
#[cfg(feature = "ssr")]
pub(crate) fn signed(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    let is_zero = text.chars().all(|digit| matches!(digit, '0' | '.'));
    if text.starts_with(MINUS) || is_zero { text } else { format!("+{text}") }
}

/// A p value: three decimals, and never 0.
#[cfg(feature = "ssr")]
pub(crate) fn p_value(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { fixed(p, 3) }
}

/// A count in groups of thousands: `1,200`.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A count with its noun: `1 item`, `3 items`.
#[cfg(feature = "ssr")]
pub(crate) fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

/// A part of a whole; nothing where there is no whole.
#[cfg(feature = "ssr")]
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub(crate) fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// A share in per cent: `33 %`.
#[cfg(feature = "ssr")]
pub(crate) fn percent(share: f64) -> String {
    format!("{} %", fixed(100.0 * share, 0))
}

/// The value of a level: without decimals where it has none.
pub(crate) fn level(value: f64) -> String {
    let text = format!("{value}");
    text.strip_prefix('-').map(|positive| format!("{MINUS}{positive}")).unwrap_or(text)
}

/// A time in milliseconds, in the unit that reads best.
#[cfg(feature = "ssr")]
pub(crate) fn milliseconds(time: f64) -> String {
    if time < 1_000.0 { format!("{time:.0} ms") } else { format!("{:.1} s", time / 1_000.0) }
}

/// How long is left, roughly, as a person would say it.
pub(crate) fn about_minutes(seconds: u64) -> String {
    match seconds {
        0..=90 => "about a minute".to_owned(),
        91..=5_400 => format!("about {} min", seconds.div_ceil(60)),
        _ => format!("about {} h", seconds.div_ceil(3_600)),
    }
}

/// The day and minute of an RFC 3339 time in UTC: `2026-11-30 14:05`.
pub(crate) fn minute(time: &str) -> String {
    time.get(..16).unwrap_or(time).replace('T', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_a_true_minus_and_zero_has_no_sign() {
        assert_eq!(fixed(-0.126, 2), "−0.13");
        assert_eq!(fixed(-0.001, 2), "0.00");
        assert_eq!(signed(0.126, 2), "+0.13");
        assert_eq!(signed(-0.004, 2), "0.00");
        assert_eq!(level(-1.0), "−1");
        assert_eq!(level(0.25), "0.25");
    }

    #[test]
    fn a_p_value_is_never_zero() {
        assert_eq!(p_value(0.0), "< 0.001");
        assert_eq!(p_value(0.0416), "0.042");
    }

    #[test]
    fn a_share_of_nothing_is_not_said() {
        assert_eq!(share(1, 3).map(percent).as_deref(), Some("33 %"));
        assert_eq!(share(0, 0), None);
    }

    #[test]
    fn counts_are_grouped_and_have_their_noun() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(43_200), "43,200");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(counted(1, "item"), "1 item");
        assert_eq!(counted(1_200, "item"), "1,200 items");
    }

    #[test]
    fn times_read_as_people_say_them() {
        assert_eq!(milliseconds(431.2), "431 ms");
        assert_eq!(milliseconds(1_545.0), "1.5 s");
        assert_eq!(about_minutes(40), "about a minute");
        assert_eq!(about_minutes(1_500), "about 25 min");
        assert_eq!(about_minutes(9_000), "about 3 h");
        assert_eq!(minute("2026-11-30T14:05:09Z"), "2026-11-30 14:05");
    }
}
