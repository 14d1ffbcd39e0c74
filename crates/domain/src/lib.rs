//! The words and rules of Touchstone as types: rubric, unit, conversation, label, verdict, reference, policy, decision.
//!
//! Nothing here does I/O, reads a clock or draws a random number: seeds and times are arguments. The crate compiles to wasm, so that
//! the browser and the server speak of the same things.
#![deny(missing_docs)]

mod adjudication;
mod agreement_report;
mod anchor_set;
mod answer;
mod batch;
mod canonical;
mod checks;
mod comparison;
mod conversation;
mod declaration;
mod diagnosis;
mod fault;
mod gate;
mod home;
mod import_report;
mod justification;
mod label;
mod labelling;
mod metric;
mod observations;
mod policy;
mod promotion;
mod recalibration;
mod redaction;
mod references;
mod release_log;
mod role;
mod rubric;
mod run;
mod scale;
mod scope;
mod susceptibility;
mod threshold;
mod trace;
mod unit;
mod verdict;
mod visible;
mod watch;

pub use adjudication::{
    Adjudication, AdjudicationCase, AdjudicationQueue, AdjudicationReason, AnonymousLabel, ContestedItem,
    Decided, DecidedBefore, GuidelineGap, Item, ItemLabel, NewDecision, QueueOrder, ReferenceEntry,
    ReferenceFile, ReferenceFileError, SeenLabel, labels_by_item,
};
pub use agreement;
pub use agreement_report::{
    AgreementReport, Alphas, AnnotatorSeverity, ChanceAgreement, CoarseAlpha, CoarsePair, CriterionAgreement,
    LevelName, PairAgreement, PairItem, PairItems, Panel, SelfAgreement, SliceAgreement, periods,
};
pub use anchor_set::{
    AnchorChoice, AnchorItem, AnchorLabel, AnchorReview, AnchorSet, AnchorSetDifference, AnchorSetError,
    AnchorSetName, Candidate, ChangedReference, Precision, Provenance, ReviewItem, ReviewReason, Split,
    Stratum, pseudonym,
};
pub use answer::{Answer as JudgeAnswer, Asked, Reading, answer_schema, read_answer};
pub use batch::{
    BatchChoice, BatchMember, BatchProgress, LabellingRules, PersonPace, draw_by_slice, in_drawn_order,
};
pub use canonical::{ContentHash, NotCanonical, canonical_json, hash_of};
pub use checks::{
    CaseOutcome, CaseRule, CaseScores, CaseTotals, CheckAnswer, CheckReport, Checked, Checks, ExpiredCase,
    UnstableCase,
};
pub use comparison::{
    AltTestFigures, AnchorSource, AnnotatorKappa, Answers, BestOfSeveral, CoarseFigures, Comparison,
    ComparisonChoice, Contrast, ContrastChoice, ContrastCounts, ContrastItem, ContrastOutcome,
    CriterionComparison, Delta, Filled, JudgeFigures, LedgerEntry, OverBaseline, PassFailFigures,
    ReferenceRule, ReferenceSource, RepeatAnswer, SliceComparison, SliceFigures, Stability,
};
pub use conversation::{
    Answer, Conversation, Expected, ExpectedTool, MAXIMUM_PASSAGES, Message, Paragraph, Passage, Routing,
    ToolCall,
};
pub use declaration::{
    Declaration, DeclarationError, Instrument, Model, Parser, RubricUsed, fingerprint, is_floating,
};
pub use diagnosis::{
    Bin, Cause, CauseCount, Diagnosis, DiagnosisChoice, DiagnosisInput, FailedAt, FailedConversation, LABELS,
    MetricFigures, Paired, Stage, Tail, WorstConversation,
};
pub use fault::Fault;
pub use gate::{
    Applied, ConfirmOpening, Decision, Evidence, GatedJudge, HashedInput, RuleOutcome, RuleVerdict,
    SliceNamed, Verdict,
};
pub use home::{ApiTokenEntry, Member, OwnSession, ProjectFigures, ProjectMembership};
pub use import_report::{FieldUse, ImportReport, Redacted, Taken};
pub use justification::JustificationGrade;
pub use label::LabelRow;
pub use labelling::{LabelProgress, LabelTask, NewAnswer, OwnAnswer, SaveOutcome};
pub use metric::{Better, Metric};
pub use observations::{HumanValue, JudgeValue, Observations, Setting, SliceBy};
pub use policy::{Bound, BoundOn, MetricRules, Policy, PolicyError, PolicyVersion, Rules, WorstSlice};
pub use promotion::{PromotedJudge, Purpose, SlotAct, SlotChange, to_roll_back};
pub use recalibration::{
    CriterionRecalibration, Recalibrated, Recalibration, Steadiness, SteadinessCheck, Then,
};
pub use redaction::{ORDER, OwnRule, PrivateKind, RedactionRules};
pub use references::{ReferenceItem, References};
pub use release_log::{ReleaseEvent, ReleaseLogEntry};
pub use role::{Permission, Role};
pub use rubric::{
    Component, Criterion, CriterionChange, CriterionDifference, FieldChange, Rubric, RubricDifference,
    RubricError, RubricTemplate,
};
pub use run::{RunCounts, RunPlan, RunScope, RunState, Spending};
pub use scale::{Level, Scale, ScaleKind};
pub use scope::Scope;
pub use susceptibility::{Demand, InjectionAnswer, InjectionPair, KindMoved, Susceptibility};
pub use threshold::{AcceptedThreshold, NoThreshold, ThresholdProposal};
pub use trace::{CitedParagraph, CitedPassage, Trace};
pub use unit::{Unit, UnitError, UnitKind};
pub use verdict::{FailureKind, Outcome, VerdictRow};
pub use visible::visible;
pub use watch::{
    Alert, AnchorPairs, BINS, Calibration, CorrectedRate, Cut, Day, DimensionSettings, DimensionWatch,
    ModelEvent, Moved, Mover, OnFailure, PARTS, RollingPoint, ScaleShare, ScoredSeries, ScoringJudge,
    SeriesWatch, Sums, WatchInput, WatchReport, WatchSettings,
};
