//! What Touchstone does, once, for every door: the command line, the pages and the API call the same functions.
//!
//! A [`Service`] holds the store and a clock. Authorisation is the door's: it asks [`Service::role_in`] before anything else. The seal is
//! not: it is in the store's queries, by the [`Viewer`] that every reading function takes.
#![deny(missing_docs)]

mod accounts;
mod adjudicating;
mod anchoring;
mod api_tokens;
mod assigning;
mod checking;
mod contrasting;
mod diagnosing;
mod error;
mod exporting;
mod gating;
pub mod import;
mod judging;
mod labelling;
mod password;
mod projects;
mod reasons;
mod redacting;
mod references;
mod releasing;
mod reports;
mod rubrics;
mod thresholds;
mod token;
mod watching;
mod webhook;

pub use accounts::InvitationSeen;
pub use adjudicating::{AdjudicationQuery, ImportedReferences};
pub use anchoring::{AnchorPreview, AnchorRequest, AnchorSetEntry, ImportedAnchorSet};
pub use api_tokens::{ApiTokenRequest, Caller};
pub use assigning::{BatchRequest, Rounds};
pub use checking::{CheckQuery, CriterionAsked};
pub use contrasting::{ContrastQuery, Contrasted};
pub use diagnosing::DiagnosisQuery;
pub use error::ServiceError;
pub use exporting::ExportFormat;
pub use gating::GateRequest;
pub use judging::{
    DeclaredVersion, InlineAnswer, InlineRequest, InstrumentEntry, JudgeEntry, JudgePreview, JudgeRun,
    JudgeSusceptibility, PreviewedAnswer, RecalibrationRequest, RunEntry, RunEstimate, SampleTaken, Template,
    library,
};
pub use reasons::{ReasonTask, Reasons};
pub use references::ReferenceChoice;
pub use releasing::PromotionRequest;
pub use reports::{AgreementQuery, ComparisonQuery};
pub use rubrics::{StaleLabels, read_rubric};
pub use store::{ProjectId, RubricVersion, ScoresStored, User, UserId, Viewer};
pub use thresholds::{ThresholdChoice, ThresholdQuery};
pub use token::random_token;
pub use watching::{MOST_SCORES, ScoreRequest, WeeklyFigure, WeeklyReport, WorstConversation};
pub use webhook::{Webhook, WebhookError};

use std::{fmt, sync::Arc};
use store::Store;
use time::OffsetDateTime;

/// All that Touchstone can do with one database.
#[derive(Clone)]
pub struct Service {
    store: Store,
    clock: fn() -> OffsetDateTime,
    hasher: Arc<password::Hasher>,
    throttle: Arc<accounts::Throttle>,
    wrong_tokens: Arc<api_tokens::WrongTokens>,
    computing: Arc<tokio::sync::Mutex<()>>,
    endpoints: Arc<judge::Endpoints>,
    lines: Arc<judging::Lines>,
    runs: Arc<judging::Runs>,
    inline: Arc<judging::InlineGate>,
    webhook: Option<Arc<Webhook>>,
    stage: Arc<import::Stage>,
}

impl Service {
    /// A service over a store; `clock` tells the time.
    #[must_use]
    pub fn new(store: Store, clock: fn() -> OffsetDateTime) -> Service {
        Service {
            store,
            clock,
            hasher: Arc::default(),
            throttle: Arc::default(),
            wrong_tokens: Arc::default(),
            computing: Arc::default(),
            endpoints: Arc::default(),
            lines: Arc::default(),
            runs: Arc::default(),
            inline: Arc::default(),
            webhook: None,
            stage: Arc::default(),
        }
    }

    /// The store behind it, for sessions, backup and health.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    fn now(&self) -> OffsetDateTime {
        (self.clock)()
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("store", &self.store).finish_non_exhaustive()
    }
}
