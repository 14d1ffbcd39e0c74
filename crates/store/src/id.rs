use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr, sync::Mutex};
use time::OffsetDateTime;
use uuid::{ContextV7, Timestamp, Uuid};

/// Orders ids of the same millisecond as they were made, so that rows lie in the file in the order in which they came.
static SEQUENCE: Mutex<ContextV7> = Mutex::new(ContextV7::new());

fn next(now: OffsetDateTime) -> Uuid {
    let seconds = u64::try_from(now.unix_timestamp()).unwrap_or(0);
    Uuid::new_v7(Timestamp::from_unix(&SEQUENCE, seconds, now.nanosecond()))
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, sqlx::Type)]
        #[serde(transparent)]
        #[sqlx(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// A new identity, made at `now`.
            #[must_use]
            pub fn new(now: OffsetDateTime) -> $name {
                $name(next(now))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<$name, uuid::Error> {
                text.parse().map($name)
            }
        }
    )*};
}

ids! {
    /// Identity of a project.
    ProjectId;
    /// Identity of a user.
    UserId;
    /// Identity of an entry of the audit log.
    AuditId;
    /// Identity of a published rubric version.
    RubricVersionId;
    /// Identity of a conversation.
    ConversationId;
    /// Identity of a name under which labels stand.
    AnnotatorId;
    /// Identity of a batch.
    BatchId;
    /// Identity of an assignment.
    AssignmentId;
    /// Identity of a label.
    LabelId;
    /// Identity of a decision on an item.
    AdjudicationId;
    /// Identity of a set of references.
    ReferenceSetId;
    /// Identity of a frozen anchor set.
    AnchorSetId;
    /// Identity of a judge.
    JudgeId;
    /// Identity of a judge version.
    JudgeVersionId;
    /// Identity of a run.
    RunId;
    /// Identity of a recalibration.
    RecalibrationId;
    /// Identity of a decision.
    DecisionId;
    /// Identity of a version of a policy.
    PolicyVersionId;
    /// Identity of an accepted threshold.
    ThresholdId;
    /// Identity of a change of a slot.
    SlotChangeId;
    /// Identity of a calibration.
    CalibrationId;
    /// Identity of a version of what is watched.
    WatchSettingsId;
    /// Identity of an alarm.
    AlarmId;
    /// Identity of a sample of conversations.
    SamplingId;
}

#[cfg(test)]
mod tests {
    use super::*;
    use time::macros::datetime;

    #[test]
    fn ids_of_one_moment_sort_as_they_were_made() {
        let now = datetime!(2026-11-30 12:00 UTC);
        let ids: Vec<LabelId> = (0..1_000).map(|_| LabelId::new(now)).collect();
        assert!(ids.is_sorted());
        assert_eq!(ids[0].to_string().parse(), Ok(ids[0]));
    }
}
