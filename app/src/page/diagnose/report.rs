//! The diagnosis as markup.

use super::{failing::Causes, flow::Flow, metrics::MetricTables};
use crate::{
    address::{encoded, of_project, with_query},
    component::{form::Choice, number::counted, provenance::Provenance, slice::slice_options},
};
use domain::{Diagnosis, LABELS, visible};
use leptos::prelude::*;
use service::DiagnosisQuery;

/// The name of the page.
pub(crate) const TITLE: &str = "Where it fails";

/// What the address says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    project: String,
    from: String,
    judge: String,
    by: String,
    k: String,
}

impl Asked {
    /// What the address of a page with this query says.
    pub(crate) fn new(project: String, query: &DiagnosisQuery) -> Asked {
        Asked {
            project,
            from: Some(query.from.clone()).filter(|from| from != LABELS).unwrap_or_default(),
            judge: query.judge.clone().unwrap_or_default(),
            by: query.by.map(|by| by.word().to_owned()).unwrap_or_default(),
            k: query.k.to_string(),
        }
    }

    fn page(&self) -> String {
        of_project(&self.project, "diagnose")
    }

    fn query(&self) -> [(&'static str, &str); 4] {
        [("from", &self.from), ("judge", &self.judge), ("by", &self.by), ("k", &self.k)]
    }

    /// The address of this page, to come back to.
    pub(crate) fn here(&self) -> String {
        with_query(&self.page(), &self.query())
    }

    /// The address of a conversation.
    pub(super) fn conversation(&self, id: &str) -> String {
        of_project(&self.project, &format!("conversation/{}", encoded(id)))
    }

    /// The address of a conversation at what lowers a metric in it.
    pub(super) fn at_fault(&self, id: &str, metric: &str) -> String {
        let [from, judge, by, k] = self.query();
        with_query(&self.conversation(id), &[("metric", metric), from, judge, by, k])
    }
}

/// The whole page.
#[component]
pub(crate) fn Report(
    /// The figures.
    report: Diagnosis,
    /// Every judge.
    judges: Vec<String>,
    /// What the address says.
    asked: Asked,
) -> impl IntoView {
    let facts = facts(&report);
    let Diagnosis { data_hash, from, metrics, failed_at, failed_at_by, causes, failures, .. } = report;
    let query = asked.query().map(|(name, value)| (name, value.to_owned())).to_vec();
    let page = asked.page();
    let is_empty = report.conversations == 0;
    let body = if is_empty {
        view! { <NothingYet project=asked.project.clone()/> }.into_any()
    } else {
        view! {
            <Flow all=failed_at by=failed_at_by is_cut=!asked.by.is_empty()/>
            <Causes causes=causes failures=failures asked=asked.clone()/>
            <MetricTables metrics=metrics from=from asked=asked.clone()/>
            <Provenance hash=data_hash page=page query=query/>
        }
        .into_any()
    };
    view! {
        <div class="head">
            <div>
                <h1 tabindex="-1">{TITLE}</h1>
                <p class="num">{facts}</p>
            </div>
        </div>
        {(!is_empty).then(|| view! { <Chooser asked=asked judges=judges/> })}
        {body}
    }
}

/// Of how much the figures are, and whose word they are.
fn facts(report: &Diagnosis) -> String {
    let other = report.metrics.iter().find_map(|metric| metric.paired.as_ref());
    let beside = other.map(|paired| format!(" beside {}", side_in_words(&paired.judge))).unwrap_or_default();
    let names: Vec<String> = report.reference.annotators.iter().map(|name| visible(name)).collect();
    let people = if names.is_empty() {
        String::new()
    } else {
        format!(" · people: {} of {}", report.reference.rule.word(), names.join(", "))
    };
    format!(
        "{} · from {}{beside}{people}",
        counted(report.conversations, "conversation"),
        side_in_words(&report.from)
    )
}

/// What a side is called on the page.
pub(super) fn side_in_words(side: &str) -> String {
    if side == LABELS { "people".to_owned() } else { visible(side) }
}

/// What to do where there is no conversation.
#[component]
fn NothingYet(
    /// The project.
    project: String,
) -> impl IntoView {
    let command =
        format!("touchstone import conversations --project {} conversations.jsonl", visible(&project));
    view! {
        <section class="card empty">
            <h2>"Nothing to diagnose yet"</h2>
            <p>"A diagnosis needs conversations, and labels, verdicts or golden expectations on them. What you have on your own desk is left out until you submit it."</p>
            <pre tabindex="0" role="region" aria-label="Command">{command}</pre>
        </section>
    }
}

/// Whose figures, what stands beside them, the slices, and k.
#[component]
fn Chooser(
    /// What the address says.
    asked: Asked,
    /// Every judge.
    judges: Vec<String>,
) -> impl IntoView {
    let each = || judges.iter().map(|judge| (judge.clone(), visible(judge)));
    let people = (String::new(), "people".to_owned());
    let from: Vec<(String, String)> = std::iter::once(people).chain(each()).collect();
    let usual = (String::new(), "the judge with most verdicts".to_owned());
    let beside: Vec<(String, String)> = std::iter::once(usual).chain(each()).collect();
    let page = asked.page();
    view! {
        <form method="get" action=page>
            <div class="controls">
                <Choice name="from" label="From" options=from chosen=asked.from/>
                <Choice name="judge" label="Judge beside people" options=beside chosen=asked.judge/>
                <Choice name="by" label="Slices" options=slice_options() chosen=asked.by/>
                <div class="field">
                    <label for="field-k">"Passages (k)"</label>
                    <input id="field-k" name="k" type="number" min="1" max="1000" inputmode="numeric" value=asked.k/>
                </div>
                <button type="submit" class="button">"Diagnose"</button>
            </div>
        </form>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_the_fault_keeps_what_was_asked() {
        let query = DiagnosisQuery { judge: Some("j / x".into()), ..DiagnosisQuery::default() };
        let asked = Asked::new("p".into(), &query);
        assert_eq!(asked.here(), "/p/p/diagnose?judge=j%20%2F%20x&k=5");
        assert_eq!(
            asked.at_fault("c 1", "ndcg_lin@5"),
            "/p/p/conversation/c%201?metric=ndcg_lin%405&judge=j%20%2F%20x&k=5"
        );
    }
}
