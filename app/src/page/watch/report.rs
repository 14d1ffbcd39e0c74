//! How production stands, as markup.

use crate::{
    address::{encoded, of_project, with_query},
    component::{
        chart::rolling::{Rolling, Sparkline},
        figure::{Figure, Form},
        number::{counted, fixed},
        sentence::sentence,
    },
};
use domain::{Alert, CorrectedRate, Cut, DimensionWatch, Mover, SeriesWatch, WatchReport, visible};
use leptos::prelude::*;
use service::WorstConversation;

/// The name of the page.
pub(crate) const TITLE: &str = "Production";

/// Falls that are told in words before the rest is folded away.
const TOLD: usize = 6;

/// The whole page.
#[component]
pub(crate) fn Report(
    /// The project.
    project: String,
    /// The figures.
    report: WatchReport,
    /// The conversations to read.
    worst: Vec<WorstConversation>,
    /// Answers of the inline gate without a judge in the last week, by reason.
    inline: Vec<(String, u64)>,
    /// Days that are shown.
    days: u32,
) -> impl IntoView {
    let Some(through) = report.through else {
        return view! { <NothingYet project=project inline=inline/> }.into_any();
    };
    let lines: usize = report.dimensions.iter().map(|dimension| dimension.lines.len()).sum();
    let facts = format!(
        "through {through} · {} · 0 is the least value of a scale, 1 its greatest",
        counted(lines as u64, "line")
    );
    let alarms = format!(
        "A fall is told where its interval leaves out 0 at a level at which a year without any change gives {} false alarms at most.",
        report.false_alarms
    );
    let story = view! { <Story report=report.clone()/> };
    let dimensions = report
        .dimensions
        .into_iter()
        .enumerate()
        .map(|(at, dimension)| view! { <Dimension dimension=dimension at=at/> })
        .collect_view();
    view! {
        <div class="head">
            <div>
                <h1 tabindex="-1">{TITLE}</h1>
                <p class="num">{facts}</p>
            </div>
        </div>
        {story}
        <Chooser project=project.clone() days=days/>
        {dimensions}
        <Worst project=project worst=worst/>
        <Inline inline=inline/>
        <p class="soft">{alarms}</p>
    }
    .into_any()
}

/// What to do where nothing was scored.
#[component]
fn NothingYet(
    /// The project.
    project: String,
    /// Answers of the inline gate without a judge.
    inline: Vec<(String, u64)>,
) -> impl IntoView {
    let command = format!(
        "curl -H \"Authorization: Bearer $TOUCHSTONE_TOKEN\" -H \"Content-Type: application/json\" …/api/v1/scores \\\n  --data '{{\"project\": \"{}\", \"score\": {{\"key\": \"1\", \"dimension\": \"…\", \"judge\": \"NAME@VERSION\", \"score\": 1}}}}'",
        visible(&project)
    );
    view! {
        <h1 tabindex="-1">{TITLE}</h1>
        <section class="card empty">
            <h2>"No score of production yet"</h2>
            <p>"Send the scores that your judges give in production (docs/API.md), or have a sample of what is imported judged here: touchstone watch sample."</p>
            <pre tabindex="0" role="region" aria-label="Command">{command}</pre>
        </section>
        <Inline inline=inline/>
    }
}

/// What happened, in sentences: what stands first.
#[component]
fn Story(
    /// The figures.
    report: WatchReport,
) -> impl IntoView {
    let through = report.through;
    let stands = |alert: &Alert| through.is_some_and(|through| alert.is_on(through));
    let mut told: Vec<(bool, String, Option<String>)> = report
        .alarms()
        .map(|(dimension, line, alert)| {
            let why = alert.moved.as_ref().map(|moved| sentence(&moved.in_words()));
            (stands(alert), sentence(&alert.in_words(&dimension.dimension, &line.cut)), why)
        })
        .collect();
    told.sort_by_key(|(stands, ..)| !stands);
    let quiet = told.iter().all(|(stands, ..)| !stands);
    let drifts: Vec<String> = report
        .dimensions
        .iter()
        .filter_map(|dimension| {
            let line = dimension.lines.iter().find(|line| line.cut == Cut::All)?;
            let moves = matches!(line.moved.mover, Mover::Judge | Mover::Both);
            moves.then(|| sentence(&format!("{}: {}", visible(&dimension.dimension), line.moved.in_words())))
        })
        .collect();
    let first = if quiet { "Nothing has fallen beyond noise this week." } else { "Something has fallen." };
    let more = told.split_off(told.len().min(TOLD));
    let item = |(stands, says, why): (bool, String, Option<String>)| {
        let class = if stands { "stands" } else { "past" };
        let when = if stands { "now" } else { "over" };
        view! {
            <li class=class>
                <span class="word">{when}</span>
                <div><p>{says}</p>{why.map(|why| view! { <p class="soft">{why}</p> })}</div>
            </li>
        }
    };
    let rest = (!more.is_empty()).then(|| {
        let number = counted(more.len() as u64, "earlier fall");
        let items = more.into_iter().map(item).collect_view();
        view! { <details><summary>{number}</summary><ul class="plain falls">{items}</ul></details> }
    });
    let told = told.into_iter().map(item).collect_view();
    let drifts = drifts.into_iter().map(|says| view! { <p class="drift">{says}</p> }).collect_view();
    view! {
        <section class="card story" aria-labelledby="story">
            <h2 id="story">{first}</h2>
            <ul class="plain falls">{told}</ul>
            {rest}
            {drifts}
        </section>
    }
}

/// How far back.
#[component]
fn Chooser(
    /// The project.
    project: String,
    /// Days that are shown.
    days: u32,
) -> impl IntoView {
    let links = [(30, "30 days"), (90, "90 days"), (365, "a year")]
        .map(|(number, name)| {
            let href = with_query(&of_project(&project, "watch"), &[("days", &number.to_string())]);
            let current = (number == days).then_some("true");
            view! { <a href=href aria-current=current>{name}</a> }
        })
        .collect_view();
    view! { <p class="row spans">{links}</p> }
}

/// One dimension.
#[component]
fn Dimension(
    /// Its figures.
    dimension: DimensionWatch,
    /// Its place.
    at: usize,
) -> impl IntoView {
    let id = format!("dimension-{at}");
    let heading = id.clone();
    let name = visible(&dimension.dimension);
    let bound = dimension.settings.bound_share();
    let DimensionWatch { lines, events, corrected, uncorrected, .. } = dimension;
    let whole = lines.iter().find(|line| line.cut == Cut::All).cloned();
    let chart = whole.map(|line| {
        let moved = sentence(&line.moved.in_words());
        view! {
            <figure>
                <div class="scroll" tabindex="0" role="region" aria-label=format!("Picture of {name}")>
                    <Rolling name=format!("Rolling mean of {name}") points=line.points alerts=line.alerts events=events.clone()/>
                </div>
                <figcaption class="soft">
                    "Mean of seven days with its 95 % band. "
                    <span class="sign fall" aria-hidden="true">"▼"</span> " a fall that is told, "
                    <span class="sign noise" aria-hidden="true">"▽"</span> " a fall within noise, a rule: another judge or model."
                </figcaption>
            </figure>
            <p>{moved}</p>
        }
    });
    let began = events
        .iter()
        .map(|event| {
            let says = format!("{}: {} begins to score.", event.day, event.judge.in_words());
            view! { <li>{says}</li> }
        })
        .collect_view();
    let began = (!events.is_empty()).then(|| view! { <ul class="plain soft">{began}</ul> });
    let rows = lines
        .into_iter()
        .enumerate()
        .map(|(row, line)| view! { <Line line=line name=name.clone() id=format!("{at}-{row}")/> })
        .collect_view();
    view! {
        <section class="part watch" aria-labelledby=heading>
            <h2 id=id>{name.clone()}</h2>
            {chart}
            {began}
            <div class="scroll" tabindex="0" role="region" aria-label=format!("Lines of {name}")>
                <table>
                    <thead>
                        <tr>
                            <th scope="col">"Line"</th>
                            <th scope="col">"Rolling mean"</th>
                            <th scope="col" class="right">"This week"</th>
                            <th scope="col" class="right">"Against the week before"</th>
                            <th scope="col" class="right">{format!("Below {bound}")}</th>
                            <th scope="col" class="right">"Week before"</th>
                            <th scope="col">"Falls"</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            <Corrected corrected=corrected uncorrected=uncorrected name=name at=at/>
        </section>
    }
}

/// One line of a dimension.
#[component]
fn Line(
    /// Its figures.
    line: SeriesWatch,
    /// The dimension.
    name: String,
    /// An id of its own.
    id: String,
) -> impl IntoView {
    let which = match &line.cut {
        Cut::All => "all".to_owned(),
        cut => cut.in_words().trim().to_owned(),
    };
    let of = format!("{name}, {which}");
    let falls = falls(&line.alerts);
    view! {
        <tr>
            <th scope="row">{which}</th>
            <td><Sparkline name=of.clone() points=line.points alerts=line.alerts/></td>
            <td class="right"><Figure estimate=line.week name=format!("mean of {of} this week") id=format!("week-{id}")/></td>
            <td class="right"><Figure estimate=line.change name=format!("change of {of}") id=format!("change-{id}") form=Form::Difference/></td>
            <td class="right"><Figure estimate=line.tail name=format!("share of {of} in the tail") id=format!("tail-{id}") brief=true/></td>
            <td class="right"><Figure estimate=line.tail_before name=format!("share of {of} in the tail the week before") id=format!("before-{id}") brief=true/></td>
            <td>{falls}</td>
        </tr>
    }
}

/// The falls of a line, told and not.
fn falls(alerts: &[Alert]) -> String {
    let told = alerts.iter().filter(|alert| !alert.within_noise);
    let told: Vec<String> = told.map(|alert| format!("▼ {}", alert.day)).collect();
    let noise = alerts.len() - told.len();
    let noise = (noise > 0).then(|| format!("▽ {} within noise", counted(noise as u64, "fall")));
    let all: Vec<String> = told.into_iter().chain(noise).collect();
    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
}

/// The pass rate as people would see it.
#[component]
fn Corrected(
    /// The figures.
    corrected: Option<CorrectedRate>,
    /// Why there are none.
    uncorrected: Option<String>,
    /// The dimension.
    name: String,
    /// Its place.
    at: usize,
) -> impl IntoView {
    let Some(rate) = corrected else {
        let says = format!("No corrected pass rate: {}.", uncorrected.unwrap_or_default());
        return view! { <p class="soft">{says}</p> }.into_any();
    };
    let origin = format!(
        "Its errors were counted on {} of {} (tune), and are taken to be the same in production.",
        counted(rate.items, "item"),
        visible(&rate.anchor_set)
    );
    view! {
        <h3>"Pass rate of this week"</h3>
        <dl class="pairs num">
            <dt>{format!("{} passes", visible(&rate.judge))}</dt>
            <dd><Figure estimate=rate.observed name=format!("pass rate of {name} by the judge") id=format!("observed-{at}")/></dd>
            <dt>"people would pass, its errors undone"</dt>
            <dd><Figure estimate=rate.rogan_gladen name=format!("pass rate of {name}, Rogan and Gladen") id=format!("rogan-{at}")/></dd>
            <dt>"people would pass, prediction-powered"</dt>
            <dd><Figure estimate=rate.prediction_powered name=format!("pass rate of {name}, prediction-powered") id=format!("powered-{at}")/></dd>
        </dl>
        <p class="soft">{origin}</p>
    }
    .into_any()
}

/// The conversations to read.
#[component]
fn Worst(
    /// The project.
    project: String,
    /// Lowest first.
    worst: Vec<WorstConversation>,
) -> impl IntoView {
    let rows = worst
        .into_iter()
        .map(|score| {
            let href = of_project(&project, &format!("conversation/{}", encoded(&score.conversation)));
            let name = visible(&score.conversation);
            let name = match score.is_imported {
                true => view! { <a href=href>{name}</a> }.into_any(),
                false => name.into_any(),
            };
            let day = score.at.get(..10).unwrap_or_default().to_owned();
            let text: String = score.text.unwrap_or_default().chars().take(200).collect();
            view! {
                <tr>
                    <th scope="row">{name}</th>
                    <td class="right num">{fixed(score.share, 2)}</td>
                    <td>{visible(&score.dimension)}</td>
                    <td>{visible(&score.corpus)}</td>
                    <td>{day}</td>
                    <td class="wrap">{visible(&text)}</td>
                </tr>
            }
        })
        .collect::<Vec<_>>();
    (!rows.is_empty()).then(|| {
        view! {
            <section class="part" aria-labelledby="worst">
                <h2 id="worst">"Lowest of the week"</h2>
                <div class="scroll" tabindex="0" role="region" aria-label="Lowest scores">
                    <table>
                        <thead>
                            <tr>
                                <th scope="col">"Conversation"</th>
                                <th scope="col" class="right">"Score"</th>
                                <th scope="col">"Dimension"</th>
                                <th scope="col">"Corpus"</th>
                                <th scope="col">"Day"</th>
                                <th scope="col">"Text"</th>
                            </tr>
                        </thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
            </section>
        }
    })
}

/// What the inline gate answered without its judge.
#[component]
fn Inline(
    /// By reason.
    inline: Vec<(String, u64)>,
) -> impl IntoView {
    let total: u64 = inline.iter().map(|(_, number)| number).sum();
    let reasons: Vec<String> =
        inline.into_iter().map(|(reason, number)| format!("{number} {}", reason.replace('_', " "))).collect();
    let says = format!(
        "The inline gate gave {} without its judge in the last seven days ({}).",
        counted(total, "answer"),
        reasons.join(", ")
    );
    (total > 0).then(|| view! { <p class="card">{says}</p> })
}
