//! Model providers: rendering prompts, calling, retrying. Nothing else in Touchstone connects to one.
//!
//! An [`Endpoint`] is operator configuration: where to call, with which key, how fast. A [`Prompt`] is what is said, rendered from a
//! declared template and a conversation whose texts are always delimited data. A [`Caller`] says it and gives back an [`Answered`], or a
//! [`Failed`] that tells whether asking again would be paying twice. Reading scores from the answer is `domain`'s.
#![deny(missing_docs)]

mod baseline;
mod caller;
mod endpoint;
pub mod library;
mod pace;
mod prompt;
mod provider;
mod template;

pub use baseline::{lexical_overlap, majority_level};
pub use caller::{Call, Caller, client_builder};
pub use endpoint::{Endpoint, EndpointError, EndpointKind, Endpoints, Price, is_loopback};
pub use prompt::{Example, Prompt, PromptError, check_templates, render};
pub use provider::{Answered, Failed, LONGEST_ANSWER};
