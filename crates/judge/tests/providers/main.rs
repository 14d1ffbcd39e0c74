//! Callers against real servers on the loopback and real programs, well behaved and not.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod anthropic;
mod command;
mod loopback;
mod misbehaving;
mod openai;
