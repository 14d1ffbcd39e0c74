//! `touchstone agreement`, `compare` and `reference`.

use super::{print, print_json, say, source::Source, text};
use crate::table;
use clap::ValueEnum;
use domain::{AgreementReport, Comparison, CriterionComparison, ReferenceRule, SliceBy};
use serde_json::json;
use service::{AgreementQuery, ComparisonQuery, Service, Viewer};

/// How a report is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// For machines
    Json,
    /// For spreadsheets
    Csv,
}

impl Format {
    /// `--json` is short for `--format json`.
    pub(super) fn or_json(self, json: bool) -> Format {
        if json { Format::Json } else { self }
    }
}

pub(super) async fn agreement(
    source: &Source,
    project: &str,
    criterion: Option<String>,
    by: Option<SliceBy>,
    format: Format,
) -> anyhow::Result<u8> {
    let report = source.agreement(project, &AgreementQuery { criterion, by }).await?;
    print(&written_agreement(&report, format)?)?;
    Ok(0)
}

/// The report as it is printed and answered.
pub(crate) fn written_agreement(report: &AgreementReport, format: Format) -> anyhow::Result<String> {
    Ok(match format {
        Format::Json => serde_json::to_string_pretty(report)?,
        Format::Csv => table::agreement(report)?,
        Format::Text => agreement_in_words(report),
    })
}

fn agreement_in_words(report: &AgreementReport) -> String {
    let mut words = format!("{}   data {}\n", report.project, report.data_hash.short());
    if report.criteria.is_empty() {
        words.push_str("\nNo labels yet: `touchstone import labels`, or label in the browser.\n");
    }
    for criterion in &report.criteria {
        let labels =
            format!("{} labels, {} items with two or more", criterion.labels, criterion.shared_items);
        words.push_str(&format!("\n{} on {}: {labels}\n", criterion.id, criterion.scale));
        for (name, alpha) in [
            ("nominal", &criterion.alpha.nominal),
            ("ordinal", &criterion.alpha.ordinal),
            ("interval", &criterion.alpha.interval),
            ("ratio", &criterion.alpha.ratio),
        ] {
            words.push_str(&format!("  α {name:<9}{}\n", text::figure(alpha)));
        }
        let panel = &criterion.panel;
        for (name, figure) in [
            ("Fleiss' κ", &panel.fleiss),
            ("AC1", &panel.ac1),
            ("AC2", &panel.ac2),
            ("ICC(A,1)", &panel.icc),
            ("exact", &panel.exact),
            ("within one", &panel.within_one),
        ] {
            words.push_str(&format!("  {name:<11}{}\n", text::figure(figure)));
        }
        if let Some(chance) = criterion.chance.as_ref().filter(|chance| chance.hides_disagreement()) {
            words.push_str(&format!("  {}\n", chance.in_words()));
        }
        let mut rows = vec![
            ["  pair", "n", "κ quadratic", "κ linear", "κ", "exact", "within one"]
                .map(str::to_owned)
                .to_vec(),
        ];
        for pair in &criterion.pairs {
            let figures = [&pair.quadratic, &pair.linear, &pair.unweighted, &pair.exact, &pair.within_one];
            let mut row = vec![format!("  {} × {}", pair.a, pair.b), pair.n.to_string()];
            row.extend(figures.iter().map(|figure| text::figure(figure)));
            rows.push(row);
        }
        words.push_str(&text::columns(&rows));
        let mut rows = Vec::new();
        for one in &criterion.annotators {
            let own = one
                .own
                .as_ref()
                .map_or_else(String::new, |own| format!("κ with oneself {}", text::figure(&own.kappa)));
            let severity = format!("severity {}", text::figure(&one.severity));
            rows.push(vec![format!("  {}", one.annotator), format!("{} labels", one.labels), severity, own]);
        }
        words.push_str(&text::columns(&rows));
        let mut rows = Vec::new();
        for slice in criterion.slices.iter().chain(&criterion.trend) {
            let name = if slice.value.is_empty() { "(none)" } else { &slice.value };
            let figures = [
                format!("α {}", text::figure(&slice.alpha.ordinal)),
                format!("mean κ {}", text::figure(&slice.mean_quadratic)),
            ];
            let mut row = vec![format!("  {} {name}", slice.by), format!("{} labels", slice.labels)];
            row.extend(figures);
            rows.push(row);
        }
        words.push_str(&text::columns(&rows));
    }
    words
}

pub(super) async fn comparison(
    source: &Source,
    project: &str,
    query: &ComparisonQuery,
    format: Format,
) -> anyhow::Result<u8> {
    print(&written_comparison(&source.comparison(project, query).await?, format)?)?;
    Ok(0)
}

/// The report as it is printed and answered.
pub(crate) fn written_comparison(report: &Comparison, format: Format) -> anyhow::Result<String> {
    Ok(match format {
        Format::Json => serde_json::to_string_pretty(report)?,
        Format::Csv => table::comparison(report)?,
        Format::Text => comparison_in_words(report),
    })
}

fn comparison_in_words(report: &Comparison) -> String {
    let source = &report.reference;
    let mut reference = format!("{} of {}", source.rule.word(), source.annotators.join(", "));
    if let Some(set) = &source.anchor_set {
        let opening = report.opening.as_ref().map(text::opening).unwrap_or_default();
        reference = format!("{set}{opening}, {reference}");
    }
    let mut words =
        format!("{}   reference: {reference}   data {}\n", report.project, report.data_hash.short());
    if report.criteria.is_empty() {
        words
            .push_str("\nNo criterion has both references and verdicts: import labels and verdicts first.\n");
    }
    for criterion in &report.criteria {
        let items = format!("{} items in {} clusters", criterion.references, criterion.clusters);
        words.push_str(&format!(
            "\n{}: {items}, {} without a reference\n",
            criterion.id, criterion.without_reference
        ));
        let header = [
            "  judge",
            "n",
            "κ quadratic",
            "ceiling",
            "Δ to incumbent",
            "p (Holm)",
            "bias",
            "MAE",
            "failures",
        ];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        for judge in &criterion.judges {
            let mixed = if judge.mixed { " (mixed)" } else { "" };
            let baseline = if judge.baseline { " (baseline)" } else { "" };
            let delta = judge.delta.as_ref();
            rows.push(vec![
                format!("  {}{mixed}{baseline}", judge.judge),
                judge.n.to_string(),
                text::figure(&judge.quadratic),
                text::number(judge.ceiling.value(), 2),
                delta.map_or_else(|| "–".to_owned(), |delta| text::figure(&delta.quadratic)),
                text::p_value(delta.and_then(|delta| delta.p_holm)),
                text::number(judge.bias.value(), 2),
                text::number(judge.mae.value(), 2),
                judge.failures.to_string(),
            ]);
        }
        words.push_str(&text::columns(&rows));
        words.push_str(&luck_in_words(criterion));
        words.push_str(&slices_in_words(criterion));
    }
    words
}

/// What of the lead of the best is chance, and which judges are not shown to be better than a baseline.
fn luck_in_words(criterion: &CriterionComparison) -> String {
    let mut words = String::new();
    if let Some(luck) = &criterion.luck {
        words.push_str(&format!(
            "  The best of {} equal judges would look better than it is by about {:.2}; {} stays first in {:.0} % of the resamples.\n",
            luck.judges,
            luck.expected,
            luck.best,
            100.0 * luck.stays_first
        ));
    }
    for judge in &criterion.judges {
        for over in judge.over_baselines.iter().filter(|over| !over.is_shown()) {
            words.push_str(&format!("  {} is not shown to be above {}.\n", judge.judge, over.baseline));
        }
    }
    words
}

fn slices_in_words(criterion: &CriterionComparison) -> String {
    let mut rows = Vec::new();
    for slice in &criterion.slices {
        let name = if slice.value.is_empty() { "(none)" } else { &slice.value };
        for judge in &slice.judges {
            rows.push(vec![
                format!("  {} {name}: {}", slice.by, judge.judge),
                judge.n.to_string(),
                text::figure(&judge.quadratic),
                format!("ceiling {}", text::number(slice.ceiling.value(), 2)),
            ]);
        }
    }
    text::columns(&rows)
}

pub(super) async fn build_references(
    service: &Service,
    project: &str,
    rule: ReferenceRule,
    annotators: &[String],
    criterion: Option<&str>,
    json: bool,
) -> anyhow::Result<u8> {
    let project = service.project(project).await?.id;
    let references = service.build_references(project, rule, annotators, criterion).await?;
    let (with, without) = (references.items.len(), references.without);
    if json {
        print_json(
            &json!({"rule": rule, "references": with, "without": without, "data_hash": references.data_hash}),
        )?;
    } else {
        say(&format!("{with} references by {}; {without} items have none (to adjudicate)", rule.word()));
    }
    Ok(0)
}

pub(super) async fn export_references(service: &Service, project: &str) -> anyhow::Result<u8> {
    let project = service.project(project).await?.id;
    let file = service.reference_file(project, Viewer::Operator).await?;
    service.record_export(project, "references", Viewer::Operator).await?;
    print(&file)?;
    Ok(0)
}

pub(super) async fn import_references(
    service: &Service,
    project: &str,
    text: &str,
    json: bool,
) -> anyhow::Result<u8> {
    let project = service.project(project).await?.id;
    let imported = service.import_references(project, text).await?;
    if json {
        print_json(&json!({"references": imported.references, "new": imported.new}))?;
    } else if imported.new {
        say(&format!("{} references are taken, and are the last built ones now", imported.references));
    } else {
        say(&format!("{} references; nothing has changed", imported.references));
    }
    Ok(0)
}
