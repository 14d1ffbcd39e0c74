use std::sync::Arc;
use time::OffsetDateTime;

/// With fewer months than this, a trend is by week.
const MONTHS: usize = 3;

/// The period of each time: its month (`2026-11`), or its ISO week (`2026-W48`) where the times lie within few months.
#[must_use]
pub fn periods(times: &[Option<OffsetDateTime>]) -> Vec<Option<Arc<str>>> {
    let month = |time: &OffsetDateTime| format!("{:04}-{:02}", time.year(), u8::from(time.month()));
    let week = |time: &OffsetDateTime| {
        let (year, week, _) = time.to_iso_week_date();
        format!("{year:04}-W{week:02}")
    };
    let mut months: Vec<String> = times.iter().flatten().map(month).collect();
    months.sort_unstable();
    months.dedup();
    let name = |time: &OffsetDateTime| if months.len() < MONTHS { week(time) } else { month(time) };
    times.iter().map(|time| time.as_ref().map(|time| name(time).into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    fn names(times: &[OffsetDateTime]) -> Vec<String> {
        let times: Vec<Option<OffsetDateTime>> = times.iter().copied().map(Some).collect();
        periods(&times).into_iter().map(|name| name.unwrap().to_string()).collect()
    }

    #[test]
    fn few_months_are_told_by_week() {
        let times = [
            datetime!(2026-11-30 12:00 UTC),
            datetime!(2026-12-06 12:00 UTC),
            datetime!(2027-01-01 0:00 UTC),
        ];
        assert_eq!(names(&times[..2]), ["2026-W49", "2026-W49"]);
        assert_eq!(names(&times), ["2026-11", "2026-12", "2027-01"]);
        assert_eq!(names(&times[2..]), ["2026-W53"]);
        assert_eq!(periods(&[None]), [None]);
    }
}
