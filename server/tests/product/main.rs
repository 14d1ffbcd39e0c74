//! The product as others meet it: its doors over HTTP, and the `touchstone` program with its files and exit codes.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

mod anchor_sets;
mod api;
mod checks;
mod command_line;
mod doors;
mod hostile_input;
mod imports;
mod judging;
mod program;
mod protection;
mod readme;
mod seal;
mod serving;
mod sessions;
mod site;
mod watch;
