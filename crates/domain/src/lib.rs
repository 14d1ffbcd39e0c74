//! The words and rules of Touchstone as types: rubric, unit, conversation, label, verdict, reference, policy, decision.
//!
//! Nothing here does I/O, reads a clock or draws a random number: seeds and times are arguments. The crate compiles to wasm, so that
//! the browser and the server speak of the same things.
#![deny(missing_docs)]

mod canonical;
mod conversation;
mod fault;
mod label;
mod role;
mod rubric;
mod scale;
mod unit;
mod verdict;
mod visible;

pub use agreement;
pub use canonical::{ContentHash, NotCanonical, canonical_json, hash_of};
pub use conversation::{
    Answer, Conversation, Expected, ExpectedTool, MAXIMUM_PASSAGES, Message, Paragraph, Passage, Routing,
    ToolCall,
};
pub use fault::Fault;
pub use label::LabelRow;
pub use role::{Permission, Role};
pub use rubric::{Component, Criterion, Rubric, RubricError};
pub use scale::{Level, Scale, ScaleKind};
pub use unit::{Unit, UnitError, UnitKind};
pub use verdict::{FailureKind, Outcome, VerdictRow};
pub use visible::visible;
