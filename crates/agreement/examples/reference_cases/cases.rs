//! Reads cases, has each computed, and compares every expected field.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

#[path = "found.rs"]
mod found;
#[path = "input.rs"]
mod input;
#[path = "statistics.rs"]
mod statistics;
#[path = "student.rs"]
mod student;

/// What became of one case.
#[derive(Debug)]
pub(crate) enum Outcome {
    Passed,
    Failed(String),
    NotSupported(String),
}

/// What became of all cases, by statistic.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) cases: BTreeMap<String, Vec<(String, Outcome)>>,
}

impl Report {
    pub(crate) fn all_passed(&self) -> bool {
        self.count() > 0 && self.outcomes().all(|outcome| matches!(outcome, Outcome::Passed))
    }

    pub(crate) fn count(&self) -> usize {
        self.outcomes().count()
    }

    fn outcomes(&self) -> impl Iterator<Item = &Outcome> {
        self.cases.values().flatten().map(|(_, outcome)| outcome)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{:<32}{:>8}{:>8}{:>15}", "statistic", "passed", "failed", "not supported")?;
        let mut totals = [0; 3];
        for (statistic, cases) in &self.cases {
            let mut counts = [0; 3];
            for (_, outcome) in cases {
                counts[match outcome {
                    Outcome::Passed => 0,
                    Outcome::Failed(_) => 1,
                    Outcome::NotSupported(_) => 2,
                }] += 1;
            }
            writeln!(out, "{statistic:<32}{:>8}{:>8}{:>15}", counts[0], counts[1], counts[2])?;
            totals.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
        }
        writeln!(out, "{:<32}{:>8}{:>8}{:>15}", "all", totals[0], totals[1], totals[2])?;
        for (id, outcome) in self.cases.values().flatten() {
            match outcome {
                Outcome::Passed => {}
                Outcome::Failed(why) => writeln!(out, "failed         {id}: {why}")?,
                Outcome::NotSupported(why) => writeln!(out, "not supported  {id}: {why}")?,
            }
        }
        Ok(())
    }
}

pub(crate) fn run_file(path: &str) -> Result<Report, String> {
    let text = std::fs::read_to_string(path).map_err(|problem| problem.to_string())?;
    let file: Value = serde_json::from_str(&text).map_err(|problem| problem.to_string())?;
    let cases =
        file.get("cases").unwrap_or(&file).as_array().ok_or("expected an object with a list `cases`")?;
    let mut report = Report::default();
    for case in cases {
        let text = |key: &str| case.get(key).and_then(Value::as_str).unwrap_or("?").to_owned();
        report.cases.entry(text("statistic")).or_default().push((text("id"), run(case)));
    }
    Ok(report)
}

fn run(case: &Value) -> Outcome {
    let (Some(statistic), Some(expected)) =
        (case.get("statistic").and_then(Value::as_str), case.get("expected").and_then(Value::as_object))
    else {
        return Outcome::NotSupported("a case needs `statistic` and `expected`".to_owned());
    };
    let tolerance = case.get("tolerance_abs").and_then(Value::as_f64).unwrap_or(1e-12);
    let found = match statistics::compute(statistic, case) {
        Ok(found) => found,
        Err(why) => return Outcome::NotSupported(why),
    };
    let mut failures = Vec::new();
    let mut unsupported = Vec::new();
    for (path, value) in leaves(&Value::Object(expected.clone())) {
        match found.compare(&path, &value, tolerance) {
            found::Comparison::Equal => {}
            found::Comparison::Different(found) => {
                failures.push(format!("{path}: expected {value}, found {found}"))
            }
            found::Comparison::Unknown => unsupported.push(path),
        }
    }
    if !failures.is_empty() {
        Outcome::Failed(failures.join("; "))
    } else if !unsupported.is_empty() {
        Outcome::NotSupported(format!("fields {}", unsupported.join(", ")))
    } else {
        Outcome::Passed
    }
}

/// Every value below an object with its dotted path; elements of lists are numbered.
fn leaves(value: &Value) -> Vec<(String, Value)> {
    let below = |key: String, value: &Value| -> Vec<(String, Value)> {
        match value {
            Value::Object(_) | Value::Array(_) => {
                leaves(value).into_iter().map(|(path, value)| (format!("{key}.{path}"), value)).collect()
            }
            leaf => vec![(key, leaf.clone())],
        }
    };
    match value {
        Value::Object(fields) => fields.iter().flat_map(|(key, value)| below(key.clone(), value)).collect(),
        Value::Array(list) => {
            list.iter().enumerate().flat_map(|(at, value)| below(at.to_string(), value)).collect()
        }
        leaf => vec![(String::new(), leaf.clone())],
    }
}
