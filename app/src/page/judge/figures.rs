//! Every figure of a judge on one criterion.

use crate::component::{
    figure::{Figure, Form},
    number::{count, fixed, level, milliseconds, p_value, percent},
    table::NamedTable,
};
use domain::{JudgeFigures, PassFailFigures, agreement::Estimate, visible};
use leptos::prelude::*;

/// The figures, in groups.
#[component]
pub(super) fn Figures(
    /// The figures.
    figures: JudgeFigures,
) -> impl IntoView {
    let stands_in = stands_in(&figures);
    let costs = costs(&figures);
    let JudgeFigures {
        quadratic,
        linear,
        unweighted,
        alpha_ordinal,
        ceiling,
        exact,
        bias,
        mae,
        coverage,
        delta,
        fill,
        stability,
        over_baselines,
        annotators,
        coarse,
        pass_fail,
        repeats,
        ..
    } = figures;
    let plain = |name: &str, estimate| (name.to_owned(), estimate, Form::Plain);
    let difference = |name: String, estimate| (name, estimate, Form::Difference);
    let mut to_people = vec![
        plain("κ quadratic", quadratic),
        plain("ceiling", ceiling),
        plain("κ linear", linear),
        plain("κ unweighted", unweighted),
        plain("α ordinal", alpha_ordinal),
        plain("exact", exact),
        difference("bias".to_owned(), bias),
        plain("mean absolute error", mae),
    ];
    to_people.extend(
        annotators
            .into_iter()
            .map(|one| plain(&format!("κ with {}", visible(&one.annotator)), one.quadratic)),
    );
    if let Some(coarse) = coarse {
        to_people.extend([
            plain("κ on the coarser scale", coarse.quadratic),
            plain("κ unweighted on the coarser scale", coarse.unweighted),
            plain("ceiling on the coarser scale", coarse.ceiling),
        ]);
    }
    let (mut to_others, mut p) = (Vec::new(), None);
    if let Some(delta) = delta {
        let against = visible(&delta.against);
        p = delta.p_holm.map(|p| {
            format!(
                "Adjusted for the family of judges (Holm), p of no difference to {against} is {}.",
                p_value(p)
            )
        });
        to_others.push(difference(format!("Δκ to {against}"), delta.quadratic));
        to_others.push(difference(format!("mean shift to {against}, share of the range"), delta.mean_shift));
    }
    to_others.extend(
        over_baselines
            .into_iter()
            .map(|one| difference(format!("Δκ to {}", visible(&one.baseline)), one.quadratic)),
    );
    let mut instrument = vec![
        plain("coverage", coverage),
        plain("κ if failures were worst", fill.pessimistic),
        plain("κ if failures were right", fill.optimistic),
    ];
    if repeats > 1 {
        instrument.push(plain("flip rate", stability.flip_rate));
        instrument.push(plain("κ with itself", stability.intra_judge_kappa));
    }
    view! {
        <section class="part" aria-labelledby="to-people">
            <h2 id="to-people">"How close it is to people"</h2>
            <Group figures=to_people/>
            <p class="note">{stands_in}</p>
        </section>
        {(!to_others.is_empty()).then(|| view! {
            <section class="part" aria-labelledby="to-others">
                <h2 id="to-others">"Against other judges, on the items that both answered"</h2>
                <Group figures=to_others/>
                {p.map(|p| view! { <p class="note">{p}</p> })}
            </section>
        })}
        {pass_fail.map(|pass_fail| view! { <PassAndFail pass_fail=pass_fail/> })}
        <section class="part" aria-labelledby="instrument">
            <h2 id="instrument">"As an instrument"</h2>
            <Group figures=instrument/>
            <p class="note">{costs}</p>
        </section>
    }
}

/// Figures beside each other, each under its name.
#[component]
fn Group(
    /// Name, figure, and how it is written.
    figures: Vec<(String, Estimate, Form)>,
) -> impl IntoView {
    let shown = figures
        .into_iter()
        .map(|(name, estimate, form)| {
            view! { <div><dt>{name.clone()}</dt><dd><Figure estimate=estimate name=name.clone() id=format!("own-{name}") form=form/></dd></div> }
        })
        .collect_view();
    view! { <dl class="figures">{shown}</dl> }
}

/// What the alternative annotator test says, in words.
fn stands_in(figures: &JudgeFigures) -> String {
    let test = &figures.alt_test;
    let Some(rate) = test.winning_rate.value() else {
        let reason = test.winning_rate.says().unwrap_or("no reason given");
        return format!("Whether it may stand in for an annotator cannot be said: {reason}.");
    };
    let may = if test.passes { "may" } else { "may not" };
    format!(
        "It {may} stand in for an annotator (alternative annotator test, Calderon et al. 2025): it holds against {} of {}, where a half is asked, \
         with an advantage of {} that it need not have.",
        percent(rate),
        crate::component::number::counted(test.winning_rate.n(), "annotator"),
        fixed(test.epsilon, 2)
    )
}

/// How often it was asked, what that costs and how long it takes.
fn costs(figures: &JudgeFigures) -> String {
    let mut facts = vec![match figures.repeats {
        0 | 1 => "It was asked once for each item, so that its steadiness is not known.".to_owned(),
        several => format!("It was asked up to {several} times for each item."),
    }];
    if let Some(range) = figures.stability.range {
        facts.push(format!("Its answers to one item lie {} apart in the mean.", fixed(range, 2)));
    }
    if let Some(cost) = figures.cost_per_1000 {
        facts.push(format!("A thousand verdicts cost {} US dollars.", fixed(cost, 2)));
    }
    if let Some((half, most)) = figures.latency_p50_ms.zip(figures.latency_p95_ms) {
        facts.push(format!(
            "Half of the answers came within {}, 95 % within {}.",
            milliseconds(half),
            milliseconds(most)
        ));
    }
    facts.join(" ")
}

/// What people and the judge pass and fail.
#[component]
fn PassAndFail(
    /// The counts and rates.
    pass_fail: PassFailFigures,
) -> impl IntoView {
    let PassFailFigures { pass_level, counts, true_pass_rate, true_fail_rate } = pass_fail;
    let row = |name: &'static str, pass: u64, fail: u64, rate: Estimate, of: &'static str| {
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td class="right num">{count(pass)}</td>
                <td class="right num">{count(fail)}</td>
                <td class="right"><Figure estimate=rate name=of.to_owned() id=of.to_owned()/></td>
            </tr>
        }
    };
    view! {
        <section class="part" aria-labelledby="pass">
            <h2 id="pass">{format!("Pass and fail: a pass is {} or more", level(pass_level))}</h2>
            <NamedTable label="Pass and fail" caption="What people and the judge pass and fail">
                <thead>
                    <tr>
                        <th scope="col">"People"</th>
                        <th scope="col" class="right">"judge passes"</th>
                        <th scope="col" class="right">"judge fails"</th>
                        <th scope="col" class="right">"as people do"</th>
                    </tr>
                </thead>
                <tbody>
                    {row("pass", counts.true_pass, counts.false_fail, true_pass_rate, "True pass rate")}
                    {row("fail", counts.false_pass, counts.true_fail, true_fail_rate, "True fail rate")}
                </tbody>
            </NamedTable>
        </section>
    }
}
