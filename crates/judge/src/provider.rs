//! The languages of providers: what is sent, and what comes back.

pub(crate) mod anthropic;
pub(crate) mod command;
pub(crate) mod http;
pub(crate) mod openai;

use domain::FailureKind;
use std::time::Duration;

/// Longest answer that is read, in bytes; the rest of a longer one stays with the provider.
pub const LONGEST_ANSWER: usize = 1 << 20;

/// What a model answered. Whether a score can be read from it, `domain` says.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The text of the answer.
    pub text: String,
    /// Whether the provider says that it was cut off at a limit.
    pub cut_off: bool,
    /// The provider's words where it says that the model declined.
    pub refusal: Option<String>,
    /// The model version that answered, by the provider's word.
    pub reported_model: Option<String>,
    /// Tokens read, by the provider's count.
    pub input_tokens: Option<u64>,
    /// Tokens written, by the provider's count.
    pub output_tokens: Option<u64>,
    /// US dollars, where tokens are counted and the endpoint has a price.
    pub cost: Option<f64>,
    /// From the beginning of the try that was answered to its end.
    pub latency: Duration,
    /// Tries, this one included.
    pub attempts: u32,
    /// All that came back, as it came.
    pub raw: String,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{says}")]
pub struct Failed {
    /// The kind, as the ledger counts it.
    pub kind: FailureKind,
    /// What happened, and what the provider said of it.
    pub says: String,
    /// What came back, as far as it was read.
    pub raw: Option<String>,
    /// Whether the same call must not be made again: the provider may have charged for it, or would say the same. Where false,
    /// nothing was answered and nothing is owed: the call can be made later.
    pub is_final: bool,
    /// From the beginning of the last try to its end.
    pub latency: Duration,
    /// Tries that were made.
    pub attempts: u32,
}

/// What one try brought.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    pub(crate) text: String,
    pub(crate) cut_off: bool,
    pub(crate) refusal: Option<String>,
    pub(crate) reported_model: Option<String>,
    pub(crate) input_tokens: Option<u64>,
    pub(crate) output_tokens: Option<u64>,
    pub(crate) raw: String,
}

/// Why one try brought nothing.
#[derive(Debug)]
pub(crate) struct Miss {
    pub(crate) kind: FailureKind,
    pub(crate) says: String,
    pub(crate) raw: Option<String>,
    pub(crate) then: Then,
}

/// What to do after a try that brought nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// Try again, after what the provider asks for.
    Retry(Option<Duration>),
    /// Nothing was answered or charged, and something must change before it will be.
    Later,
    /// It may have been charged, or would be the same.
    Never,
}

impl Miss {
    pub(crate) fn new(kind: FailureKind, then: Then, says: impl Into<String>) -> Miss {
        Miss { kind, says: says.into(), raw: None, then }
    }

    pub(crate) fn with(mut self, raw: impl Into<String>) -> Miss {
        self.raw = Some(raw.into());
        self
    }

    pub(crate) fn timed_out(limit: Duration) -> Miss {
        // The provider may still be at work, and charge for it.
        let says = format!("no whole answer within {} s", limit.as_secs_f64());
        Miss::new(FailureKind::TimedOut, Then::Never, says)
    }

    pub(crate) fn too_long() -> Miss {
        let says =
            format!("the answer is longer than {} MiB, which is all that is read", LONGEST_ANSWER >> 20);
        Miss::new(FailureKind::Unparsable, Then::Never, says)
    }
}

/// Bytes as text; what is no UTF-8 is a failure that keeps what can be shown.
pub(crate) fn text_of(bytes: Vec<u8>) -> Result<String, Miss> {
    String::from_utf8(bytes).map_err(|error| {
        let says = format!("the answer is no UTF-8: {}", error.utf8_error());
        Miss::new(FailureKind::Unparsable, Then::Never, says).with(String::from_utf8_lossy(error.as_bytes()))
    })
}

/// The JSON of an answer that a provider has given.
pub(crate) fn json_of(raw: &str) -> Result<serde_json::Value, Miss> {
    if raw.trim().is_empty() {
        return Err(Miss::new(FailureKind::Missing, Then::Never, "the provider's answer is empty"));
    }
    serde_json::from_str(raw).map_err(|error| {
        let kind = if error.is_eof() { FailureKind::Truncated } else { FailureKind::Unparsable };
        Miss::new(kind, Then::Never, format!("the provider's answer is no JSON: {error}")).with(raw)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_answer_of_a_provider_panics(
            bytes in proptest::collection::vec(any::<u8>(), 0..60),
            broken in r#"\{("(choices|message|content|error|usage|text|model)": ?[\[{]{0,2}("[a-z]{0,3}"|null|-?[0-9]{1,20}|\{\})?[\]}]{0,2},? ?){0,4}\}?"#,
        ) {
            for raw in text_of(bytes).into_iter().chain([broken]) {
                for read in [openai::read, anthropic::read, command::read] {
                    match read(raw.clone()) {
                        Ok(reply) => prop_assert_eq!(&reply.raw, &raw),
                        Err(miss) => prop_assert_eq!(miss.then, Then::Never),
                    }
                }
            }
        }
    }
}
