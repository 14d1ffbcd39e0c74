//! The comparison as markup.

use super::metrics::MetricsOfJudges;
use crate::{
    address::{of_project, with_query},
    component::{
        chart::{
            axis::Axis,
            dot_whisker::AxisLabels,
            forest::{Forest, ForestRow},
        },
        figure::{Figure, Form},
        form::Choice,
        number::{count, counted, fixed, milliseconds, p_value},
        provenance::Provenance,
        table::NamedTable,
    },
};
use domain::{
    Comparison, CriterionComparison, Diagnosis, JudgeFigures, ReferenceRule, ReferenceSource, visible,
};
use leptos::prelude::*;

/// Width of the plot within the table, and of the one that stands alone on a phone.
const IN_TABLE: f64 = 300.0;
const ALONE: f64 = 340.0;

/// The name of the page.
pub(crate) const TITLE: &str = "Judges against people";

/// What the address says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// The project.
    pub(crate) project: String,
    /// The criterion that is shown.
    pub(crate) criterion: String,
    /// The incumbent; empty for none.
    pub(crate) incumbent: String,
    /// The rule of the reference; empty for the project's own.
    pub(crate) rule: String,
    /// Whether the metrics of each judge are shown: empty where they are not.
    pub(crate) metrics: String,
}

impl Chosen {
    fn page(&self) -> String {
        of_project(&self.project, "compare")
    }

    /// The same page on another criterion.
    fn on(&self, criterion: &str) -> String {
        let query = [("criterion", criterion), ("incumbent", &self.incumbent), ("rule", &self.rule)];
        with_query(&self.page(), &[&query[..], &[("metrics", &self.metrics)]].concat())
    }

    /// The same page with the metrics of each judge.
    pub(super) fn with_metrics(&self) -> String {
        Chosen { metrics: "shown".to_owned(), ..self.clone() }.on(&self.criterion)
    }
}

/// The whole page.
#[component]
pub(crate) fn Report(
    /// The figures, cut down to the chosen criterion.
    comparison: Comparison,
    /// Every criterion that could be chosen.
    criteria: Vec<String>,
    /// Every judge, for the choice of the incumbent.
    judges: Vec<String>,
    /// The metrics of people beside each judge, where they were asked for.
    diagnoses: Option<Vec<Diagnosis>>,
    /// What the address says.
    chosen: Chosen,
) -> impl IntoView {
    let mut comparison = comparison;
    let found = comparison.criteria.pop();
    let source = source_in_words(&comparison.reference);
    let facts = found.as_ref().map(|found| {
        format!(
            "{} · {} in {} · reference: {source}",
            visible(&found.id),
            counted(found.references, "item"),
            counted(found.clusters, "cluster")
        )
    });
    let tabs = criteria
        .iter()
        .map(|id| {
            let current = (*id == chosen.criterion).then_some("page");
            view! { <a href=chosen.on(id) aria-current=current>{visible(id)}</a> }
        })
        .collect_view();
    let query = vec![
        ("criterion", chosen.criterion.clone()),
        ("incumbent", chosen.incumbent.clone()),
        ("rule", chosen.rule.clone()),
    ];
    let page = chosen.page();
    let body = match found {
        None => view! { <NothingYet project=chosen.project.clone()/> }.into_any(),
        Some(found) => view! {
            <Plot found=found incumbent=comparison.incumbent chosen=chosen.clone()/>
            <MetricsOfJudges diagnoses=diagnoses chosen=chosen.clone()/>
            <Provenance hash=comparison.data_hash page=page query=query/>
        }
        .into_any(),
    };
    view! {
        <div class="head">
            <div>
                <h1 tabindex="-1">{TITLE}</h1>
                <p class="num">{facts}</p>
            </div>
            <nav class="tabs" aria-label="Criterion">{tabs}</nav>
        </div>
        <Chooser chosen=chosen judges=judges/>
        {body}
    }
}

fn source_in_words(source: &ReferenceSource) -> String {
    let set = source
        .anchor_set
        .as_ref()
        .map(|set| format!(", anchor set {}", visible(&set.to_string())))
        .unwrap_or_default();
    let names: Vec<String> = source.annotators.iter().map(|name| visible(name)).collect();
    format!("{} of {}{set}", source.rule.word(), names.join(", "))
}

/// What to do where there is nothing to compare.
#[component]
fn NothingYet(
    /// The project.
    project: String,
) -> impl IntoView {
    let command = format!("touchstone import verdicts --project {} verdicts.csv", visible(&project));
    view! {
        <section class="card empty">
            <h2>"Nothing to compare yet"</h2>
            <p>"A comparison needs items that people labelled and judges answered. What you have on your own desk is left out until you submit it."</p>
            <pre tabindex="0" role="region" aria-label="Command">{command}</pre>
            <p><a class="button" href=of_project(&project, "label")>"Label"</a></p>
        </section>
    }
}

/// The incumbent and the rule of the reference.
#[component]
fn Chooser(
    /// What the address says.
    chosen: Chosen,
    /// Every judge.
    judges: Vec<String>,
) -> impl IntoView {
    let mut incumbents = vec![(String::new(), "none".to_owned())];
    incumbents.extend(judges.into_iter().map(|judge| (judge.clone(), visible(&judge))));
    let mut rules = vec![(String::new(), "as the project has it".to_owned())];
    rules.extend(ReferenceRule::ALL.iter().map(|rule| (rule.word().to_owned(), rule.word().to_owned())));
    let page = chosen.page();
    view! {
        <form method="get" action=page>
            <input type="hidden" name="criterion" value=chosen.criterion/>
            <input type="hidden" name="metrics" value=chosen.metrics/>
            <div class="controls">
                <Choice name="incumbent" label="Incumbent" options=incumbents chosen=chosen.incumbent/>
                <Choice name="rule" label="Rule of the reference" options=rules chosen=chosen.rule/>
                <button type="submit" class="button">"Compare"</button>
            </div>
        </form>
    }
}

/// The table with the plot in it.
#[component]
fn Plot(
    /// The judges on the criterion.
    found: CriterionComparison,
    /// The judge that the others are compared with.
    incumbent: Option<String>,
    /// What the address says.
    chosen: Chosen,
) -> impl IntoView {
    let is_incumbent = |judge: &str| incumbent.as_deref() == Some(judge);
    let rows: Vec<ForestRow> = found
        .judges
        .iter()
        .map(|judge| ForestRow {
            name: judge.judge.clone(),
            estimate: judge.quadratic.clone(),
            ceiling: judge.ceiling.clone(),
            incumbent: is_incumbent(&judge.judge),
        })
        .collect();
    let figures = || rows.iter().flat_map(|row| [&row.estimate, &row.ceiling]);
    let axis = Axis::of_coefficients(figures(), IN_TABLE);
    let axis_alone = Axis::of_coefficients(figures(), ALONE);
    let span = rows.len().to_string();
    let alone = rows.clone();
    let mut plot = Some(rows);
    let table_rows = found
        .judges
        .into_iter()
        .map(|judge| {
            let forest = plot.take().map(|rows| {
                view! { <td class="forest-cell" rowspan=span.clone()><Forest rows=rows axis=axis width=IN_TABLE/></td> }.into_any()
            });
            let marked = is_incumbent(&judge.judge);
            view! { <JudgeRow judge=judge forest=forest incumbent=marked chosen=chosen.clone()/> }
        })
        .collect_view();
    let without = (found.without_reference > 0).then(|| {
        view! { <p class="note">{format!("{} have labels that give no reference under this rule, and are left out.", counted(found.without_reference, "item"))}</p> }
    });
    view! {
        <figure class="card forest-alone">
            <Forest rows=alone axis=axis_alone width=ALONE named=true/>
            <AxisLabels axis=axis_alone width=ALONE/>
        </figure>
        <NamedTable label="Judges" caption="Each judge against the reference, closest to people first" class="pinned compare">
            <thead>
                <tr>
                    <th scope="col">"Judge"</th>
                    <th scope="col" class="forest-cell">"κ with its interval, and what people reach" <AxisLabels axis=axis width=IN_TABLE/></th>
                    <th scope="col" class="right">"κ"</th>
                    <th scope="col" class="right">"ceiling"</th>
                    <th scope="col" class="right">"Δ to incumbent"</th>
                    <th scope="col" class="right">"p (Holm)"</th>
                    <th scope="col" class="right">"bias"</th>
                    <th scope="col" class="right">"MAE"</th>
                    <th scope="col" class="right">"n"</th>
                    <th scope="col" class="right">"failures"</th>
                    <th scope="col" class="right">"repeats"</th>
                    <th scope="col" class="right">"$ / 1,000"</th>
                    <th scope="col" class="right">"p50"</th>
                </tr>
            </thead>
            <tbody>{table_rows}</tbody>
        </NamedTable>
        {without}
        <p class="note">
            "The gold band is the ceiling: how well one person agrees with the others on the same items, the most that a judge can be asked for. "
            "Δ is on the items that both answered, so that it is not the difference of two columns. Bias is judge minus reference. "
            "Press a figure for its items, method, interval and remarks."
        </p>
    }
}

/// One judge in a line.
#[component]
fn JudgeRow(
    /// The judge.
    judge: JudgeFigures,
    /// The plot of all rows, in the first one.
    forest: Option<AnyView>,
    /// Whether it is the incumbent.
    incumbent: bool,
    /// What the address says.
    chosen: Chosen,
) -> impl IntoView {
    let name = visible(&judge.judge);
    let whole = |what: &'static str, estimate, form| {
        view! { <Figure estimate=estimate name=format!("{what} of {name}") id=format!("{what}-{name}") form=form/> }
    };
    // The interval of these is one press away: the row holds what is compared at a glance.
    let brief = |what: &'static str, estimate, form| {
        view! { <Figure estimate=estimate name=format!("{what} of {name}") id=format!("{what}-{name}") form=form brief=true/> }
    };
    let failures = failures(&judge, &chosen);
    let mixed = judge.mixed.then(|| view! { " " <span class="tag" title="Verdicts of more than one model version: not one instrument, and not to be gated.">"mixed"</span> });
    let (delta, p) = match judge.delta {
        _ if incumbent => (view! { <span class="tag gold">"incumbent"</span> }.into_any(), String::new()),
        None => (view! { <span class="soft">"–"</span> }.into_any(), "–".to_owned()),
        Some(delta) => {
            let class = direction(delta.quadratic.interval().map(|interval| (interval.low, interval.high)));
            let shown = whole("Δκ to the incumbent", delta.quadratic, Form::Difference);
            (
                view! { <span class=class>{shown}</span> }.into_any(),
                delta.p_holm.map_or_else(|| "undefined".to_owned(), p_value),
            )
        }
    };
    let cost = judge.cost_per_1000.map_or_else(|| "–".to_owned(), |cost| fixed(cost, 2));
    let latency = judge.latency_p50_ms.map_or_else(|| "–".to_owned(), milliseconds);
    view! {
        <tr class:chosen=incumbent>
            <th scope="row">{name.clone()} {mixed}</th>
            {forest}
            <td class="right">{whole("κ", judge.quadratic, Form::Plain)}</td>
            <td class="right">{brief("Ceiling on the items", judge.ceiling, Form::Plain)}</td>
            <td class="right">{delta}</td>
            <td class="right num">{p}</td>
            <td class="right">{brief("Bias", judge.bias, Form::Difference)}</td>
            <td class="right">{brief("Mean absolute error", judge.mae, Form::Plain)}</td>
            <td class="right num">{count(judge.n)}</td>
            <td class="right num">{failures}</td>
            <td class="right num">{count(u64::from(judge.repeats))}</td>
            <td class="right num">{cost}</td>
            <td class="right num">{latency}</td>
        </tr>
    }
}

/// The failures as a link to the ledger.
fn failures(judge: &JudgeFigures, chosen: &Chosen) -> AnyView {
    if judge.failures == 0 {
        return "0".into_any();
    }
    let page = of_project(&chosen.project, "compare/failures");
    let href = with_query(&page, &[("judge", &judge.judge), ("criterion", &chosen.criterion)]);
    let kinds: Vec<String> =
        judge.failures_by_kind.iter().map(|(kind, number)| format!("{number} {kind}")).collect();
    let name =
        format!("{} of {}: {}", counted(judge.failures, "failure"), visible(&judge.judge), kinds.join(", "));
    view! { <a href=href aria-label=name>{count(judge.failures)}</a> }.into_any()
}

/// Whether a difference is shown to be above or below zero.
fn direction(interval: Option<(f64, f64)>) -> &'static str {
    match interval {
        Some((low, _)) if low > 0.0 => "good",
        Some((_, high)) if high < 0.0 => "bad",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_shown_difference_has_a_direction() {
        assert_eq!(direction(Some((0.06, 0.22))), "good");
        assert_eq!(direction(Some((-0.22, -0.06))), "bad");
        assert_eq!(direction(Some((-0.06, 0.10))), "");
        assert_eq!(direction(None), "");
    }

    #[test]
    fn another_criterion_keeps_incumbent_and_rule() {
        let chosen = Chosen {
            project: "p".into(),
            criterion: "a".into(),
            incumbent: "j / x".into(),
            rule: String::new(),
            metrics: String::new(),
        };
        assert_eq!(chosen.on("b"), "/p/p/compare?criterion=b&incumbent=j%20%2F%20x");
        assert_eq!(chosen.with_metrics(), "/p/p/compare?criterion=a&incumbent=j%20%2F%20x&metrics=shown");
    }
}
