//! The `touchstone` program: the command line, the HTTP server, and the files that both write.
#![deny(missing_docs)]

mod cli;
pub mod http;
mod table;
mod wire;

pub use cli::run;
