//! All SQL of Touchstone, and nothing else that knows SQL.
//!
//! A [`Store`] is one SQLite file: one writer, several readers, a commit that survives a power cut. The functions are methods of
//! [`Store`], one module for each aggregate. They take and give the types of `domain` and ids of their own; rows never leave.
//!
//! Two rules hold in every module:
//! - **No clock.** Times are arguments (`now`), kept as milliseconds UTC.
//! - **The seal.** Whatever returns labels, verdicts, references or counts of them takes a [`Viewer`], and the query itself leaves out the
//!   conversations on which that viewer has an open assignment.
#![deny(missing_docs)]

mod adjudication;
mod anchor_set;
mod api_token;
mod assignment;
mod audit;
mod batch;
mod conversation;
mod database;
mod decision;
mod error;
mod figures;
#[cfg(test)]
mod fixture;
mod id;
mod import;
mod injection;
mod inline_answer;
mod invitation;
mod judge;
mod justification;
mod label;
mod people;
mod policy;
mod project;
mod recalibration;
mod redaction;
mod reference;
mod release_log;
mod report;
mod rubric;
mod run;
mod sampling;
mod score;
mod seal;
mod session;
mod slot;
mod texts;
mod threshold;
mod timestamp;
mod token;
mod verdict;
mod watch;

pub use adjudication::{Adjudicated, NewAdjudication, StoredAdjudication};
pub use anchor_set::{FrozenAnchorSet, NewAnchorSet, NewOpening, OnDesks};
pub use api_token::{ApiToken, NewApiToken};
pub use assignment::{Assignment, Next, PersonProgress};
pub use audit::{AuditEntry, NewAuditEntry};
pub use batch::NewBatch;
pub use conversation::{ConversationSlices, StoredConversation};
pub use database::{Health, ProcessLock, Store};
pub use error::StoreError;
pub use id::{
    AdjudicationId, AlarmId, AnchorSetId, AnnotatorId, AssignmentId, AuditId, BatchId, CalibrationId,
    ConversationId, DecisionId, JudgeId, JudgeVersionId, LabelId, PolicyVersionId, ProjectId,
    RecalibrationId, ReferenceSetId, RubricVersionId, RunId, SamplingId, SlotChangeId, ThresholdId, UserId,
    WatchSettingsId,
};
pub use import::{Admission, Import};
pub use inline_answer::{InlineAnswer, Standing};
pub use invitation::{Invitation, NewInvitation};
pub use judge::{CriterionVerdicts, DeclaredVersion, Fingerprint, Judge, JudgeVersion};
pub use justification::Reason;
pub use label::{NewLabel, OwnLabel, Saved, StoredLabel};
pub use people::{Credentials, NewUser, User};
pub use project::Project;
pub use recalibration::{NewRecalibration, RecalibrationAnswer};
pub use redaction::{Placeholder, StoredRedaction};
pub use reference::{NewReferenceSet, ReferenceRow, ReferenceSet};
pub use rubric::{LabelsUnderVersion, Publication, RubricVersion};
pub use run::{JudgeRun, JudgedCall, NewRun};
pub use sampling::{SampledConversation, Sampling};
pub use score::{NewScore, ScoresStored, WorstScore};
pub use seal::Viewer;
pub use session::{ActiveSession, SessionKey, Sessions};
pub use slot::{NewSlotChange, NewStanding};
pub use token::TokenHash;
pub use verdict::{Failure, StoredVerdict, VerdictDetail, VerdictKey};
pub use watch::{Alarm, NewAlarm};
