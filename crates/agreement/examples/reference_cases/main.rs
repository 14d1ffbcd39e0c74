//! Runs a file of reference cases: inputs, the right values, the package that gave them, and a tolerance for each.
//!
//! `cargo run -p agreement --release --example reference_cases -- FILE` prints, for each statistic, how many cases
//! passed, failed and are not supported, and exits with 0 only if all passed.

use std::process::ExitCode;

mod cases;

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: reference_cases FILE");
        return ExitCode::from(3);
    };
    match cases::run_file(&path) {
        Ok(report) => {
            println!("{report}");
            if report.all_passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(problem) => {
            eprintln!("{path}: {problem}");
            ExitCode::from(3)
        }
    }
}
