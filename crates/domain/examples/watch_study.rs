//! How soon a fall in production is told, how often a year in which nothing happens gives a false alarm, and whether a judge that moved is
//! told from an assistant that did, by simulation; writes a page.
//!
//! `cargo run -p domain --release --example watch_study -- [FILE [SEEDS]]`

use domain::agreement::{Inference, with_known_error};
use domain::{
    Calibration, Cut, Day, Mover, ScaleShare, ScoredSeries, ScoringJudge, Sums, WatchInput, WatchReport,
    WatchSettings,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write as _;
use std::process::ExitCode;
use time::{Duration, macros::datetime};

const DIMENSIONS: usize = 3;
const CORPORA: usize = 4;
const FIRST: Day = Day(20_000);
/// Shares of the levels 0, 0.25, 0.5, 0.75 and 1: their mean is 0.80.
const USUAL: [f64; 5] = [0.03, 0.05, 0.12, 0.29, 0.51];
/// Items of the anchor set, and the standard deviation of the difference of a judge to itself on one.
const ITEMS: u32 = 100;
const NOISE: f64 = 0.12;

/// What is simulated.
#[derive(Clone, Copy)]
struct Scenario {
    name: &'static str,
    days: i32,
    /// Scores a day in all dimensions and corpora together.
    scores: u32,
    /// By how much days differ beside sampling: the standard deviation of their means.
    between: f64,
    /// On which day something happens.
    begins: i32,
    /// How far the assistant falls then in the first corpus of the first dimension.
    falls: f64,
    /// How much more lenient the judge becomes then, everywhere.
    lenient: f64,
    /// Whether the provider says that another model answers since.
    reported: bool,
}

const QUIET: Scenario = Scenario {
    name: "quiet",
    days: 365,
    scores: 2_000,
    between: 0.0,
    begins: 365,
    falls: 0.0,
    lenient: 0.0,
    reported: false,
};

fn uniform(random: &mut ChaCha8Rng) -> f64 {
    (random.next_u64() >> 11) as f64 * 0.5_f64.powi(53)
}

/// A standard normal number (Box & Muller 1958).
fn normal(random: &mut ChaCha8Rng) -> f64 {
    let radius = (-2.0 * (1.0 - uniform(random)).ln()).sqrt();
    radius * (std::f64::consts::TAU * uniform(random)).cos()
}

/// One score of a mean that lies `shift` beside the usual one: with the probability that this takes, a score moves by one level.
fn score(shift: f64, random: &mut ChaCha8Rng) -> f64 {
    let mut left = uniform(random);
    let level = USUAL.iter().position(|share| {
        left -= share;
        left < 0.0
    });
    let level = level.unwrap_or(4);
    // Of the levels that can move at all, so many do.
    let movable = if shift < 0.0 { 1.0 - USUAL[0] } else { 1.0 - USUAL[4] };
    let moves = uniform(random) < shift.abs() / (0.25 * movable);
    let moved = match (moves, shift < 0.0) {
        (false, _) => level,
        (true, true) => level.saturating_sub(1),
        (true, false) => (level + 1).min(4),
    };
    moved as f64 / 4.0
}

fn judge(after: bool) -> ScoringJudge {
    let model = if after { "model-2026-09-01" } else { "model-2026-03-01" };
    ScoringJudge {
        fingerprint: model.to_owned(),
        judge: "strict".to_owned(),
        version: "1".to_owned(),
        reported_model: Some(model.to_owned()),
    }
}

fn dimension(at: usize) -> String {
    ["answer completeness", "context relevance", "faithfulness"][at].to_owned()
}

/// A year, or a part of it.
fn simulated(scenario: &Scenario, seed: u64) -> WatchInput {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let each = scenario.scores / (DIMENSIONS * CORPORA) as u32;
    let mut series = Vec::new();
    for at in 0..DIMENSIONS {
        for corpus in 0..CORPORA {
            let mut halves = [Vec::new(), Vec::new()];
            for day in 0..scenario.days {
                let since = day >= scenario.begins;
                let falls = if since && at == 0 && corpus == 0 { scenario.falls } else { 0.0 };
                let lenient = if since { scenario.lenient } else { 0.0 };
                let shift = lenient - falls + scenario.between * normal(&mut random);
                let mut sums = Sums::default();
                for _ in 0..each {
                    if let Some(share) = ScaleShare::near(score(shift, &mut random)) {
                        sums.add(&Sums::of(share, None));
                    }
                }
                halves[usize::from(since && scenario.reported)].push((FIRST + day, sums));
            }
            for (half, days) in halves.into_iter().enumerate().filter(|(_, days)| !days.is_empty()) {
                series.push(ScoredSeries {
                    dimension: dimension(at),
                    corpus: format!("corpus {corpus}"),
                    system: String::new(),
                    fingerprint: judge(half == 1).fingerprint,
                    days,
                });
            }
        }
    }
    let calibrations = calibrations(scenario, &mut random);
    let settings = WatchSettings::default();
    WatchInput {
        series,
        judges: vec![judge(false), judge(true)],
        calibrations,
        settings,
        ..WatchInput::default()
    }
}

/// The judge is run on its anchor set every night.
fn calibrations(scenario: &Scenario, random: &mut ChaCha8Rng) -> Vec<Calibration> {
    let error = NOISE / f64::from(ITEMS).sqrt();
    let mut found = Vec::new();
    for at in 0..DIMENSIONS {
        for day in 0..scenario.days {
            let since = day >= scenario.begins;
            let true_shift = if since { scenario.lenient } else { 0.0 };
            let shift = true_shift + error * normal(random);
            let ScoringJudge { fingerprint, judge, version, reported_model } =
                judge(since && scenario.reported);
            found.push(Calibration {
                dimension: dimension(at),
                judge,
                version,
                reported_model,
                fingerprint,
                anchor_set: "gold@1".to_owned(),
                shift: with_known_error(shift, error, u64::from(ITEMS), &Inference::analytic()),
                at: datetime!(1970-01-01 04:00 UTC) + Duration::days(i64::from((FIRST + day).0)),
            });
        }
    }
    found
}

/// What came of all seeds.
#[derive(Default)]
struct Counts {
    /// Alarms of lines in which nothing fell, and the years that had more than the declared number.
    false_alarms: u32,
    years_beyond: u32,
    /// Falls of more than 0.05 that were not told: within noise.
    noise: u32,
    /// Falls that were told within seven days, and the days that it took.
    detected: u32,
    delay: i32,
    /// What was said a week after.
    movers: [u32; 5],
}

fn counts(scenario: &Scenario, seeds: u64) -> Counts {
    let mut counts = Counts::default();
    for seed in 0..seeds {
        let input = simulated(scenario, seed);
        let report = WatchReport::of(&input, FIRST + scenario.days, FIRST + scenario.days);
        let fell = Cut::Corpus("corpus 0".to_owned());
        let begins = FIRST + scenario.begins;
        let mut wrong = 0;
        let mut told: Option<i32> = None;
        for (dimension, line, alert) in report.alarms() {
            let is_right = scenario.falls > 0.0
                && dimension.dimension == self::dimension(0)
                && (line.cut == fell || line.cut == Cut::All)
                && alert.day >= begins;
            // A judge that became stricter lowers all lines, and the alarm says that it is the judge.
            let by_judge = scenario.lenient < 0.0 && alert.day >= begins;
            if is_right && line.cut == fell {
                let days = alert.day.since(begins) + 1;
                told = Some(told.map_or(days, |before| before.min(days)));
            }
            if !is_right && !by_judge {
                wrong += 1;
            }
        }
        let lines = report.dimensions.iter().flat_map(|dimension| &dimension.lines);
        counts.noise += lines
            .map(|line| line.alerts.iter().filter(|alert| alert.within_noise).count() as u32)
            .sum::<u32>();
        counts.false_alarms += wrong;
        counts.years_beyond += u32::from(f64::from(wrong) > report.false_alarms);
        if let Some(days) = told.filter(|days| *days <= 7) {
            counts.detected += 1;
            counts.delay += days;
        }
        if scenario.begins < scenario.days {
            let week = WatchReport::of(&input, begins + 6, begins + 6);
            let moved = week.dimensions.iter().find(|found| found.dimension == dimension(0));
            let line = moved.and_then(|found| {
                found
                    .lines
                    .iter()
                    .find(|line| if scenario.falls > 0.0 { line.cut == fell } else { line.cut == Cut::All })
            });
            if let Some(line) = line {
                let at = match line.moved.mover {
                    Mover::Judge => 0,
                    Mover::Assistant => 1,
                    Mover::Both => 2,
                    Mover::Neither => 3,
                    Mover::Unknown => 4,
                };
                counts.movers[at] += 1;
            }
        }
    }
    counts
}

fn introduction(seeds: u64) -> String {
    format!(
        "\
# What watching tells, and when

Made by `make watch-study`: {seeds} simulated projects for each row, on the code of the product. {DIMENSIONS} dimensions, {CORPORA} corpora,
scores on five levels used in the shares {USUAL:?} (mean 0.80), one false alarm a year declared, {lines} lines looked at each day. *Days
differ* means that the mean of each day and corpus lies off by a normal number of that standard deviation, which no sample of the day can
tell. The judge is run on {ITEMS} anchor items every night; the difference of a judge to itself on one item has a standard deviation of {NOISE}.

",
        lines = DIMENSIONS * (CORPORA + 1),
    )
}

const QUIET_HEAD: &str = "\
## A year in which nothing happens

- **false alarms**: falls that were told, of a year, on average; at most 1 is declared.
- **years beyond**: share of years with more than the declared number.
- **within noise**: weekly means that were lower by more than 0.05 and were *not* told, of a year: what a rule that only looks at the
  difference would have told.

| scores a day | days differ by | false alarms | years beyond | within noise |
|---|---|---|---|---|
";

const FALL_HEAD: &str = "
## A fall of 0.10 in one corpus of one dimension

- **within 7 days**: share of the falls that were told by the seventh day, this one included, and the **days** that it took on average.
- **elsewhere**: alarms of lines in which nothing fell, in the 63 days, on average.
- **said**: what the page says of the corpus after a week: the assistant fell, the judge moved, both, neither, or it cannot be told.

| scores a day | days differ by | within 7 days | days | elsewhere | assistant | judge | both | neither |
|---|---|---|---|---|---|---|---|---|
";

const JUDGE_HEAD: &str = "
## A judge that moves overnight

What the page says of the first dimension after a week: all scores, or those of the corpus that fell.

| what happens | model is reported | judge | assistant | both | neither | cannot be told |
|---|---|---|---|---|---|---|
";

fn page(seeds: u64) -> Option<String> {
    let mut page = introduction(seeds);
    let share = |count: u32| f64::from(count) / seeds as f64;
    page.push_str(QUIET_HEAD);
    for (scores, between) in
        [(24_000, 0.0), (2_000, 0.0), (2_000, 0.02), (2_000, 0.04), (500, 0.0), (200, 0.0)]
    {
        // Twelve times as many scores take twelve times as long.
        let found = counts(&Scenario { scores, between, ..QUIET }, seeds);
        writeln!(
            page,
            "| {scores} | {between:.2} | {:.3} | {:.3} | {:.1} |",
            share(found.false_alarms),
            share(found.years_beyond),
            share(found.noise)
        )
        .ok()?;
        eprintln!("quiet, {scores} a day, {between}");
    }
    page.push_str(FALL_HEAD);
    let fall = Scenario { name: "fall", days: 63, begins: 50, falls: 0.1, ..QUIET };
    for (scores, between) in
        [(24_000, 0.0), (2_000, 0.0), (2_000, 0.02), (2_000, 0.04), (1_000, 0.0), (500, 0.0)]
    {
        let found = counts(&Scenario { scores, between, ..fall }, seeds);
        let [judge, assistant, both, neither, _] = found.movers.map(share);
        writeln!(
            page,
            "| {scores} | {between:.2} | {:.3} | {:.1} | {:.3} | {assistant:.3} | {judge:.3} | {both:.3} | {neither:.3} |",
            share(found.detected),
            f64::from(found.delay) / f64::from(found.detected.max(1)),
            share(found.false_alarms)
        )
        .ok()?;
    }
    page.push_str(JUDGE_HEAD);
    let moves = Scenario { days: 63, begins: 50, ..QUIET };
    for scenario in [
        Scenario { name: "the judge is more lenient by 0.06", lenient: 0.06, reported: true, ..moves },
        Scenario { name: "the judge is more lenient by 0.06", lenient: 0.06, ..moves },
        Scenario { name: "the judge is stricter by 0.06", lenient: -0.06, reported: true, ..moves },
        Scenario {
            name: "more lenient by 0.06 while the assistant falls by 0.10",
            lenient: 0.06,
            falls: 0.1,
            reported: true,
            ..moves
        },
        Scenario { name: "nothing", ..moves },
    ] {
        let found = counts(&scenario, seeds);
        let [judge, assistant, both, neither, unknown] = found.movers.map(share);
        let reported = if scenario.reported { "yes" } else { "no" };
        writeln!(
            page,
            "| {} | {reported} | {judge:.3} | {assistant:.3} | {both:.3} | {neither:.3} | {unknown:.3} |",
            scenario.name
        )
        .ok()?;
    }
    page.push_str(WHAT_TO_SEE);
    Some(page)
}

const WHAT_TO_SEE: &str = "
What to see: where sampling is all that makes weekly means differ, the level that counts all lines and days keeps a quiet year within what was
declared, also with so few scores that weekly means differ by more than 0.05 all the time; what that costs is time, so that with few scores a fall
is told late or not within a week. Where days differ beside sampling, four weeks of one line tell too little of by how much: at 0.02 a year has about
as many false alarms as declared, and every fourth has more; at 0.04 it has seven. Such a project should declare fewer, or be told of greater falls
only. \"Moved\" is said at 99 %, so that about one in a hundred is said in error for each of the two.
";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next();
    let seeds = arguments.next().and_then(|seeds| seeds.parse().ok()).unwrap_or(200);
    let Some(page) = page(seeds) else { return ExitCode::FAILURE };
    match file {
        None => print!("{page}"),
        Some(file) => {
            if let Err(error) = std::fs::write(&file, page) {
                eprintln!("{file}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
