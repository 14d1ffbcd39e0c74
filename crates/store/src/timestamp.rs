use crate::StoreError;
use time::OffsetDateTime;

/// A time as the database keeps it: milliseconds since 1970 in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, sqlx::Type)]
#[sqlx(transparent)]
pub(crate) struct Timestamp(i64);

impl From<OffsetDateTime> for Timestamp {
    fn from(time: OffsetDateTime) -> Timestamp {
        Timestamp(time.unix_timestamp() * 1_000 + i64::from(time.millisecond()))
    }
}

impl Timestamp {
    /// The time in UTC.
    pub(crate) fn time(self) -> Result<OffsetDateTime, StoreError> {
        OffsetDateTime::from_unix_timestamp_nanos(i128::from(self.0) * 1_000_000)
            .map_err(|_| StoreError::corrupt(format!("{} where a time in milliseconds should be", self.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn milliseconds_survive_on_both_sides_of_1970() {
        for time in [datetime!(2026-11-30 21:45:07.123 UTC), datetime!(1969-12-31 23:59:59.001 UTC)] {
            assert_eq!(Timestamp::from(time).time().unwrap(), time);
        }
        assert!(Timestamp(i64::MAX).time().is_err());
    }

    #[test]
    fn another_offset_is_the_same_moment() {
        let paris = datetime!(2026-06-01 12:00 +2);
        assert_eq!(Timestamp::from(paris), Timestamp::from(datetime!(2026-06-01 10:00 UTC)));
    }
}
