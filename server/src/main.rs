//! The `touchstone` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    server::run()
}
