//! A figure with all that must be known of it.

use crate::component::number::{count, fixed, signed};
use domain::agreement::{Estimate, Flag, Method, Unit};
use leptos::prelude::*;

/// How the value of a figure is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// A coefficient or mean: `0.71`.
    #[default]
    Plain,
    /// A difference: `+0.14`.
    Difference,
}

impl Form {
    fn write(self, value: f64) -> String {
        match self {
            Form::Plain => fixed(value, 2),
            Form::Difference => signed(value, 2),
        }
    }
}

/// A figure: `0.71 [0.62, 0.78]`, or `undefined`. A press opens what it is made of.
#[component]
pub(crate) fn Figure(
    /// The figure.
    estimate: Estimate,
    /// What it is, for the heading of what opens: `κ of ada and ben on faithfulness`.
    name: String,
    /// An id that no other figure of the page has.
    id: String,
    /// How its value is written.
    #[prop(optional)]
    form: Form,
    /// Only the value, where the interval stands elsewhere in the row.
    #[prop(optional)]
    brief: bool,
) -> impl IntoView {
    let id = format!("how-{}", slug(&id));
    let value = estimate.value();
    let interval =
        estimate.interval().filter(|_| !brief).map(|interval| bounds(interval.low, interval.high, form));
    let flagged = (!estimate.flags().is_empty())
        .then(|| view! { <span class="mark" aria-label="with remarks">"◇"</span> });
    // Lines of one text and not a list: a report has hundreds of figures, and each element of each would be carried along.
    let facts: Vec<String> =
        facts(&estimate).into_iter().map(|(term, fact)| format!("{term}:\t{fact}")).collect();
    let remarks = remarks(&estimate).into_iter().map(|remark| view! { <p>{remark}</p> }).collect_view();
    let shown = match value {
        Some(value) => view! { <data value=value.to_string()>{form.write(value)}</data> }.into_any(),
        None => view! { <span class="none">"undefined"</span> }.into_any(),
    };
    view! {
        <button type="button" class="figure" popovertarget=id.clone()>
            {shown}
            {interval.map(|bounds| view! { " " <span class="interval">{bounds}</span> })}
            {flagged}
        </button>
        <div class="figure-how" popover="auto" id=id>
            <strong>{name}</strong>
            <p class="facts">{facts.join("\n")}</p>
            {remarks}
        </div>
    }
}

/// The figure as a text: for titles of charts and for what is read aloud.
pub(crate) fn in_words(estimate: &Estimate, form: Form) -> String {
    match (estimate.value(), estimate.interval()) {
        (Some(value), Some(interval)) => {
            format!("{} {}", form.write(value), bounds(interval.low, interval.high, form))
        }
        (Some(value), None) => form.write(value),
        (None, _) => format!("undefined: {}", estimate.says().unwrap_or("no reason given")),
    }
}

fn bounds(low: f64, high: f64, form: Form) -> String {
    format!("[{}, {}]", form.write(low), form.write(high))
}

/// What the figure is made of, term by term.
fn facts(estimate: &Estimate) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if let Some(value) = estimate.value() {
        facts.push(("value", fixed(value, 4)));
    }
    facts.push(("items", count(estimate.n())));
    facts.push(("left out", count(estimate.missing())));
    if let Some(interval) = estimate.interval() {
        let level = fixed(100.0 * interval.level, 0);
        facts.push((
            "interval",
            format!("[{}, {}], {level} %", fixed(interval.low, 4), fixed(interval.high, 4)),
        ));
        facts.push(("method", method(interval.method).to_owned()));
        let unit = match interval.unit {
            Unit::Item => "items",
            Unit::Cluster => "clusters",
        };
        facts.push(("independent", format!("{} {unit}", count(interval.clusters))));
        if let Some(resampling) = interval.resampling {
            facts.push(("resamples", count(u64::from(resampling.resamples))));
            facts.push(("seed", resampling.seed.to_string()));
            facts.push((
                "undefined in",
                format!("{} % of them", fixed(100.0 * resampling.undefined_share, 1)),
            ));
        }
    }
    facts
}

/// The reason of an undefined figure, and every flag, in sentences.
fn remarks(estimate: &Estimate) -> Vec<String> {
    let undefined = estimate.says().map(|says| format!("Undefined: {says}."));
    let flags = estimate.flags().iter().map(|flag| flag_in_words(*flag).to_owned());
    undefined.into_iter().chain(flags).collect()
}

fn method(method: Method) -> &'static str {
    match method {
        Method::Wald => "Wald: estimate ± z standard errors",
        Method::FisherZ => "Wald on Fisher's z scale",
        Method::StudentT => "Student's t",
        Method::F => "quantiles of F",
        Method::Wilson => "Wilson score",
        Method::ClopperPearson => "Clopper–Pearson, exact",
        Method::Percentile => "percentile bootstrap",
        Method::Basic => "basic bootstrap",
        Method::Bca => "bias-corrected and accelerated bootstrap (BCa)",
        Method::Jackknife => "jackknife",
    }
}

fn flag_in_words(flag: Flag) -> &'static str {
    match flag {
        Flag::OneRaterConstant => {
            "One of the two used one level only, so that κ is 0 whatever the other did."
        }
        Flag::BothRatersConstant => "Both used one level only, and not the same one.",
        Flag::ZeroWidthInterval => "Nothing varies, so that an interval would have no width; none is given.",
        Flag::FewClusters => "Fewer than 30 independent clusters: the true interval may be wider.",
        Flag::SingleCluster => "All items belong to one cluster, so that no interval can be given.",
        Flag::NoVariation => "Only one value occurs: the figure is defined, but says little.",
        Flag::SmallSample => "Fewer than 30 items.",
        Flag::LowCoverage => {
            "Fewer than 100 items: an interval that is called 95 % holds the truth in 80 to 90 % of cases."
        }
        Flag::BcaUndefined => {
            "The bias-corrected bootstrap had no value here; the percentile interval stands in its place."
        }
        Flag::ResamplesUndefined => {
            "More than 5 % of the resamples had no value, so that no interval is given."
        }
        Flag::Clipped => "The value or a bound was cut to the possible range.",
        Flag::MissingRatings => {
            "The raters rated different numbers of items; the form for missing ratings was used."
        }
        Flag::PartlyUndefined => "Some of what is averaged is undefined and left out of the mean.",
    }
}

/// Letters and digits of a text, as an id may have them.
pub(crate) fn slug(text: &str) -> String {
    text.chars().map(|character| if character.is_alphanumeric() { character } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::agreement::{Interval, Resamples, Undefined};

    fn figure() -> Estimate {
        Estimate::defined(0.7131, 114, 2)
            .with_interval(Interval {
                low: -0.02,
                high: 0.78,
                level: 0.95,
                method: Method::Bca,
                unit: Unit::Cluster,
                clusters: 20,
                resampling: Some(Resamples { resamples: 10_000, seed: 1, undefined_share: 0.0 }),
            })
            .with_flag(Flag::FewClusters)
    }

    #[test]
    fn a_figure_reads_as_value_and_interval() {
        assert_eq!(in_words(&figure(), Form::Plain), "0.71 [−0.02, 0.78]");
        assert_eq!(in_words(&figure(), Form::Difference), "+0.71 [−0.02, +0.78]");
        let undefined =
            Estimate::undefined_because(Undefined::NoVariation, "both used one level only (4)", 24, 0);
        assert_eq!(in_words(&undefined, Form::Plain), "undefined: both used one level only (4)");
    }

    #[test]
    fn what_a_figure_is_made_of_is_told_in_full() {
        let facts = facts(&figure());
        let terms: Vec<&str> = facts.iter().map(|(term, _)| *term).collect();
        assert_eq!(
            terms,
            [
                "value",
                "items",
                "left out",
                "interval",
                "method",
                "independent",
                "resamples",
                "seed",
                "undefined in"
            ]
        );
        assert_eq!(facts[5].1, "20 clusters");
        assert!(remarks(&figure())[0].starts_with("Fewer than 30 independent clusters"));
    }

    #[test]
    fn an_id_has_no_spaces() {
        assert_eq!(slug("gpt-4 / rts"), "gpt-4---rts");
    }
}
