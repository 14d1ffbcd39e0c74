//! Every reference case, through the public interface, at its own tolerance.

#[path = "../examples/reference_cases/cases.rs"]
mod cases;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/reference/agreement_cases.json");

#[test]
fn every_reference_case_passes() {
    if !std::path::Path::new(FILE).exists() {
        println!("skipped: there is no {FILE}");
        return;
    }
    let report = cases::run_file(FILE).unwrap();
    println!("{report}");
    assert!(report.all_passed(), "{report}");
    assert_eq!(report.count(), 93);
}
