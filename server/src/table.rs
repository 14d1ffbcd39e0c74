//! Reports as tables: what CSV files hold.

use domain::{
    AgreementReport, Comparison, CriterionAgreement, Diagnosis, JudgeFigures, Panel, agreement::Estimate,
};

/// One row for each figure of a criterion: of all annotators, on the coarser scale too, of each pair, annotator, slice and period.
///
/// # Errors
/// Where a row cannot be written.
pub(crate) fn agreement(report: &AgreementReport) -> Result<String, csv::Error> {
    let mut rows = Rows::new(&["criterion", "measure", "a", "b"])?;
    for criterion in &report.criteria {
        for (measure, figure) in [
            ("alpha_nominal", &criterion.alpha.nominal),
            ("alpha_ordinal", &criterion.alpha.ordinal),
            ("alpha_interval", &criterion.alpha.interval),
            ("alpha_ratio", &criterion.alpha.ratio),
        ] {
            rows.figure(&[&criterion.id, measure, "", ""], figure)?;
        }
        panel(&mut rows, criterion)?;
        for pair in &criterion.pairs {
            for (measure, figure) in [
                ("quadratic", &pair.quadratic),
                ("linear", &pair.linear),
                ("unweighted", &pair.unweighted),
                ("exact", &pair.exact),
                ("within_one", &pair.within_one),
            ] {
                rows.figure(&[&criterion.id, measure, &pair.a, &pair.b], figure)?;
            }
            if let Some(coarse) = &pair.coarse {
                for (measure, figure) in [
                    ("coarse_quadratic", &coarse.quadratic),
                    ("coarse_unweighted", &coarse.unweighted),
                    ("coarse_exact", &coarse.exact),
                ] {
                    rows.figure(&[&criterion.id, measure, &pair.a, &pair.b], figure)?;
                }
            }
        }
        for one in &criterion.annotators {
            rows.figure(&[&criterion.id, "severity", &one.annotator, ""], &one.severity)?;
            if let Some(own) = &one.own {
                rows.figure(&[&criterion.id, "own_kappa", &one.annotator, ""], &own.kappa)?;
                rows.figure(&[&criterion.id, "own_exact", &one.annotator, ""], &own.exact)?;
            }
        }
        for slice in criterion.slices.iter().chain(&criterion.trend) {
            rows.figure(&[&criterion.id, "alpha_ordinal", &slice.by, &slice.value], &slice.alpha.ordinal)?;
            rows.figure(&[&criterion.id, "mean_quadratic", &slice.by, &slice.value], &slice.mean_quadratic)?;
        }
    }
    rows.finish()
}

/// All annotators together, on the declared scale and on its coarser form.
fn panel(rows: &mut Rows, criterion: &CriterionAgreement) -> Result<(), csv::Error> {
    let measures = |panel: &Panel| {
        let Panel { fleiss, ac1, ac2, icc, exact, within_one } = panel.clone();
        [
            ("fleiss", fleiss),
            ("ac1", ac1),
            ("ac2", ac2),
            ("icc", icc),
            ("exact", exact),
            ("within_one", within_one),
        ]
    };
    for (measure, figure) in measures(&criterion.panel) {
        rows.figure(&[&criterion.id, measure, "", ""], &figure)?;
    }
    if let Some(coarse) = &criterion.coarse {
        rows.figure(&[&criterion.id, "coarse_alpha_nominal", "", ""], &coarse.alpha_nominal)?;
        rows.figure(&[&criterion.id, "coarse_alpha_ordinal", "", ""], &coarse.alpha_ordinal)?;
        for (measure, figure) in measures(&coarse.panel) {
            rows.figure(&[&criterion.id, &format!("coarse_{measure}"), "", ""], &figure)?;
        }
    }
    Ok(())
}

/// One row for each criterion, judge and measure; `against` is the incumbent, the annotator, the baseline or the slice that it is beside.
///
/// # Errors
/// Where a row cannot be written.
pub(crate) fn comparison(report: &Comparison) -> Result<String, csv::Error> {
    let mut rows = Rows::new(&["criterion", "judge", "against", "measure"])?;
    for criterion in &report.criteria {
        for judge in &criterion.judges {
            for (against, measure, figure) in figures_of(judge) {
                rows.figure(&[&criterion.id, &judge.judge, against, measure], figure)?;
            }
        }
        for slice in &criterion.slices {
            let name = format!("{}={}", slice.by, slice.value);
            rows.figure(&[&criterion.id, "", &name, "ceiling"], &slice.ceiling)?;
            for judge in &slice.judges {
                rows.figure(&[&criterion.id, &judge.judge, &name, "quadratic"], &judge.quadratic)?;
            }
        }
    }
    rows.finish()
}

/// Every figure of a judge: what it is beside, its measure and itself.
fn figures_of(judge: &JudgeFigures) -> Vec<(&str, &'static str, &Estimate)> {
    let mut figures = vec![
        ("", "quadratic", &judge.quadratic),
        ("", "linear", &judge.linear),
        ("", "unweighted", &judge.unweighted),
        ("", "alpha_ordinal", &judge.alpha_ordinal),
        ("", "ceiling", &judge.ceiling),
        ("", "bias", &judge.bias),
        ("", "mae", &judge.mae),
        ("", "exact", &judge.exact),
        ("", "coverage", &judge.coverage),
        ("", "winning_rate", &judge.alt_test.winning_rate),
        ("", "advantage_probability", &judge.alt_test.advantage_probability),
        ("", "flip_rate", &judge.stability.flip_rate),
        ("", "intra_judge_kappa", &judge.stability.intra_judge_kappa),
        ("", "pessimistic_quadratic", &judge.fill.pessimistic),
        ("", "optimistic_quadratic", &judge.fill.optimistic),
    ];
    if let Some(pass_fail) = &judge.pass_fail {
        figures.push(("", "true_pass_rate", &pass_fail.true_pass_rate));
        figures.push(("", "true_fail_rate", &pass_fail.true_fail_rate));
    }
    if let Some(coarse) = &judge.coarse {
        figures.push(("", "coarse_quadratic", &coarse.quadratic));
        figures.push(("", "coarse_unweighted", &coarse.unweighted));
        figures.push(("", "coarse_ceiling", &coarse.ceiling));
    }
    if let Some(delta) = &judge.delta {
        figures.push((&delta.against, "delta_quadratic", &delta.quadratic));
        figures.push((&delta.against, "mean_shift", &delta.mean_shift));
    }
    figures.extend(judge.annotators.iter().map(|own| (own.annotator.as_str(), "quadratic", &own.quadratic)));
    figures.extend(
        judge.over_baselines.iter().map(|over| (over.baseline.as_str(), "over_baseline", &over.quadratic)),
    );
    figures
}

/// One row for each metric, and for each of its slices; those of the other side and the difference beside them.
///
/// # Errors
/// Where a row cannot be written.
pub(crate) fn diagnosis(report: &Diagnosis) -> Result<String, csv::Error> {
    let mut rows = Rows::new(&["metric", "from", "figure", "by", "slice"])?;
    for metric in &report.metrics {
        rows.figure(&[&metric.id, &report.from, "mean", "", ""], &metric.estimate)?;
        for (by, slices) in &metric.by {
            for (slice, figure) in slices {
                rows.figure(&[&metric.id, &report.from, "mean", by, slice], figure)?;
            }
        }
        rows.figure(&[&metric.id, &report.from, "beyond", "", ""], &metric.tail.beyond)?;
        if let Some(paired) = &metric.paired {
            rows.figure(&[&metric.id, &paired.judge, "mean", "", ""], &paired.estimate)?;
            rows.figure(&[&metric.id, &paired.judge, "difference", "", ""], &paired.difference)?;
            rows.figure(&[&metric.id, &paired.judge, "correlation", "", ""], &paired.correlation)?;
        }
    }
    rows.finish()
}

/// Columns that every figure has.
const FIGURE: [&str; 9] = ["value", "low", "high", "level", "method", "unit", "n", "missing", "undefined"];

struct Rows(csv::Writer<Vec<u8>>);

impl Rows {
    fn new(keys: &[&str]) -> Result<Rows, csv::Error> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(keys.iter().chain(&FIGURE))?;
        Ok(Rows(writer))
    }

    fn figure(&mut self, keys: &[&str], figure: &Estimate) -> Result<(), csv::Error> {
        let number = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
        let word = |word: serde_json::Result<serde_json::Value>| {
            word.ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
        };
        let interval = figure.interval();
        let cells = [
            number(figure.value()),
            number(interval.map(|interval| interval.low)),
            number(interval.map(|interval| interval.high)),
            number(interval.map(|interval| interval.level)),
            interval.map(|interval| word(serde_json::to_value(interval.method))).unwrap_or_default(),
            interval.map(|interval| word(serde_json::to_value(interval.unit))).unwrap_or_default(),
            figure.n().to_string(),
            figure.missing().to_string(),
            figure.undefined().map(|reason| word(serde_json::to_value(reason))).unwrap_or_default(),
        ];
        self.0.write_record(keys.iter().map(|key| harmless(key)).chain(cells))
    }

    fn finish(self) -> Result<String, csv::Error> {
        let bytes = self.0.into_inner().map_err(|error| error.into_error())?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// A text cell that a spreadsheet would take for a formula begins with an apostrophe.
fn harmless(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\0']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_never_a_formula() {
        assert_eq!(harmless("=1+1"), "'=1+1");
        assert_eq!(harmless("a=1"), "a=1");
    }
}
