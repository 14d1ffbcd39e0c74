//! Callers against real servers on the loopback and real programs, well behaved and not.

mod anthropic;
mod command;
mod loopback;
mod misbehaving;
mod openai;
