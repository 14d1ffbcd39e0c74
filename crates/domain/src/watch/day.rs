use serde::{Deserialize, Serialize};
use std::{fmt, ops, str::FromStr};
use time::{Date, OffsetDateTime, macros::format_description};

/// A day in UTC, as days since 1970-01-01. Written as `2026-11-30`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Day(pub i32);

/// The Julian day of 1970-01-01.
const EPOCH: i32 = 2_440_588;

impl Day {
    /// The day of a moment.
    #[must_use]
    pub fn of(moment: OffsetDateTime) -> Day {
        Day(moment.to_offset(time::UtcOffset::UTC).date().to_julian_day() - EPOCH)
    }

    /// How many days lie between an earlier day and this one.
    #[must_use]
    pub fn since(self, earlier: Day) -> i32 {
        self.0.saturating_sub(earlier.0)
    }
}

impl ops::Add<i32> for Day {
    type Output = Day;

    fn add(self, days: i32) -> Day {
        Day(self.0.saturating_add(days))
    }
}

impl ops::Sub<i32> for Day {
    type Output = Day;

    fn sub(self, days: i32) -> Day {
        Day(self.0.saturating_sub(days))
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A day that no calendar has is written as its number.
        match Date::from_julian_day(self.0.saturating_add(EPOCH)) {
            Ok(date) => write!(f, "{date}"),
            Err(_) => write!(f, "day {}", self.0),
        }
    }
}

impl From<Day> for String {
    fn from(day: Day) -> String {
        day.to_string()
    }
}

impl TryFrom<String> for Day {
    type Error = String;

    fn try_from(text: String) -> Result<Day, String> {
        text.parse()
    }
}

impl FromStr for Day {
    type Err = String;

    fn from_str(text: &str) -> Result<Day, String> {
        let date = Date::parse(text, format_description!("[year]-[month]-[day]"));
        let date =
            date.map_err(|_| format!("found {}, expected a day as 2026-11-30", crate::visible(text)))?;
        Ok(Day(date.to_julian_day() - EPOCH))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn a_day_is_that_of_utc_and_reads_as_it_is_written() {
        let day = Day::of(datetime!(2026-12-01 00:30 +1));
        assert_eq!(day.to_string(), "2026-11-30");
        assert_eq!("2026-11-30".parse(), Ok(day));
        assert_eq!(Day::of(datetime!(1970-01-02 00:00 UTC)), Day(1));
        assert_eq!((day + 3).since(day), 3);
        assert!("2026-13-01".parse::<Day>().is_err());
        assert_eq!(Day(i32::MAX).to_string(), format!("day {}", i32::MAX));
    }
}
