use super::*;
use agreement::{Estimate, Inference, with_known_error};
use proptest::prelude::*;
use time::macros::datetime;

const FIRST: Day = Day(20_000);

/// A day of 400 scores with this mean, half of them higher and half lower by 0.2.
fn day_of(mean: f64) -> Sums {
    let mut sums = Sums::default();
    for at in 0..400 {
        let share = mean + if at % 2 == 0 { 0.2 } else { -0.2 };
        sums.add(&Sums::of(ScaleShare::near(share).unwrap(), Some(share >= 0.5)));
    }
    sums
}

fn part(corpus: &str, judge: &str, days: Vec<(Day, Sums)>) -> ScoredSeries {
    ScoredSeries {
        dimension: "faithfulness".to_owned(),
        corpus: corpus.to_owned(),
        system: String::new(),
        fingerprint: judge.to_owned(),
        days,
    }
}

/// Days from `from` to `to` with a mean.
fn days(from: i32, to: i32, mean: f64) -> Vec<(Day, Sums)> {
    (from..to).map(|day| (FIRST + day, day_of(mean))).collect()
}

fn judge(fingerprint: &str) -> ScoringJudge {
    ScoringJudge {
        fingerprint: fingerprint.to_owned(),
        judge: "strict".to_owned(),
        version: "1".to_owned(),
        reported_model: Some(format!("model-{fingerprint}")),
    }
}

fn calibration(fingerprint: &str, day: i32, shift: f64) -> Calibration {
    Calibration {
        dimension: "faithfulness".to_owned(),
        judge: "strict".to_owned(),
        version: "1".to_owned(),
        reported_model: None,
        fingerprint: fingerprint.to_owned(),
        anchor_set: "gold@1".to_owned(),
        shift: with_known_error(shift, 0.01, 200, &Inference::analytic()),
        at: datetime!(1970-01-01 12:00 UTC) + time::Duration::days(i64::from((FIRST + day).0)),
    }
}

fn input(series: Vec<ScoredSeries>) -> WatchInput {
    WatchInput { series, judges: vec![judge("a"), judge("b")], ..WatchInput::default() }
}

fn report(input: &WatchInput) -> WatchReport {
    WatchReport::of(input, FIRST, FIRST + 1_000)
}

#[test]
fn nothing_to_watch_is_no_report() {
    let empty = report(&WatchInput::default());
    assert_eq!((empty.through, empty.dimensions), (None, Vec::new()));
    let later = WatchReport::of(&input(vec![part("", "a", days(5, 9, 0.7))]), FIRST, FIRST + 2);
    assert_eq!(later.through, None);
}

#[test]
fn a_fall_in_one_corpus_is_told_there_once_and_with_its_day() {
    let mut cloud = days(0, 30, 0.7);
    cloud.extend(days(30, 44, 0.6));
    let found = report(&input(vec![part("cloud", "a", cloud), part("govt", "a", days(0, 44, 0.7))]));
    let alarms: Vec<_> = found.alarms().map(|(_, line, alert)| (line.cut.clone(), alert.day)).collect();
    // After four of seven days the week is lower by 0.057.
    assert_eq!(alarms, [(Cut::Corpus("cloud".to_owned()), FIRST + 33)]);
    let (dimension, line, alert) = found.alarms().next().unwrap();
    let says = alert.in_words(&dimension.dimension, &line.cut);
    assert!(says.starts_with("faithfulness in corpus cloud fell by 0.06 ["), "{says}");
    assert_eq!(alert.moved.as_ref().unwrap().mover, Mover::Unknown);
    assert!(alert.moved.as_ref().unwrap().in_words().contains("strict@1 (model-a) was never calibrated"));
}

#[test]
fn a_fall_of_few_scores_is_within_noise() {
    let few = |mean: f64, from: i32, to: i32| {
        let score = move |day: i32, by: f64| {
            Sums::of(ScaleShare::near(mean + by * f64::from(day % 3 - 1)).unwrap(), None)
        };
        (from..to).map(move |day| (FIRST + day, score(day, 0.3))).collect::<Vec<_>>()
    };
    let mut days = few(0.65, 0, 10);
    days.extend(few(0.5, 10, 20));
    let found = report(&input(vec![part("", "a", days)]));
    let alerts = &found.dimensions[0].lines[0].alerts;
    assert!(!alerts.is_empty() && alerts.iter().all(|alert| alert.within_noise), "{alerts:?}");
    assert_eq!(found.alarms().count(), 0);
}

#[test]
fn another_model_that_is_more_lenient_is_the_judge_and_not_the_assistant() {
    let series = vec![part("", "a", days(0, 30, 0.7)), part("", "b", days(30, 37, 0.76))];
    let mut input = input(series);
    input.calibrations = vec![calibration("a", 29, 0.0), calibration("b", 31, 0.06)];
    let found = report(&input);
    let dimension = &found.dimensions[0];
    assert_eq!(dimension.events, [ModelEvent { day: FIRST + 30, judge: judge("b") }]);
    let moved = &dimension.lines[0].moved;
    assert_eq!(moved.mover, Mover::Judge, "{moved:?}");
    assert!((moved.judge.value().unwrap() - 0.06).abs() < 1e-9);
    assert!(
        moved.in_words().starts_with("the judge became more lenient by 0.06 [0.02, 0.10] on the anchor set;"),
        "{}",
        moved.in_words()
    );
}

#[test]
fn a_lenient_judge_does_not_hide_an_assistant_that_fell() {
    let series = vec![part("", "a", days(0, 30, 0.7)), part("", "b", days(30, 37, 0.7))];
    let mut input = input(series);
    input.calibrations = vec![calibration("a", 29, 0.0), calibration("b", 31, 0.1)];
    let moved = report(&input).dimensions[0].lines[0].moved.clone();
    assert_eq!(moved.mover, Mover::Both, "{moved:?}");
    assert!((moved.assistant.value().unwrap() + 0.1).abs() < 1e-9);
}

#[test]
fn a_silent_drift_is_dated_by_the_calibrations_around_it() {
    let mut scores = days(0, 30, 0.7);
    scores.extend(days(30, 37, 0.76));
    let mut input = input(vec![part("", "a", scores)]);
    input.calibrations =
        (20..37).map(|day| calibration("a", day, if day < 30 { 0.0 } else { 0.06 })).collect();
    assert_eq!(report(&input).dimensions[0].lines[0].moved.mover, Mover::Judge);
    // Two calibrations that lie far apart do not tell when it came: before both weeks, or between them.
    input.calibrations = vec![calibration("a", 2, 0.0), calibration("a", 36, 0.06)];
    let moved = report(&input).dimensions[0].lines[0].moved.clone();
    let interval = moved.judge.interval().unwrap();
    assert!(interval.low <= 0.0 && interval.high > 0.06, "{moved:?}");
    assert_eq!(moved.mover, Mover::Neither);
}

#[test]
fn an_old_calibration_tells_nothing_of_this_week() {
    let mut input = input(vec![part("", "a", days(0, 30, 0.7))]);
    input.calibrations = vec![calibration("a", 10, 0.0)];
    let moved = report(&input).dimensions[0].lines[0].moved.clone();
    assert_eq!(moved.mover, Mover::Unknown);
    assert!(moved.in_words().contains("before this week"), "{}", moved.in_words());
}

#[test]
fn the_corrected_rate_undoes_what_the_judge_passes_too_much() {
    let mut input = input(vec![part("", "a", days(0, 30, 0.6))]);
    let key = ("faithfulness".to_owned(), "a".to_owned());
    let missing = report(&input).dimensions[0].uncorrected.clone().unwrap();
    assert!(missing.contains("strict@1"), "{missing}");
    let passes = (0..200).map(|at| (at < 80, at < 120)).collect();
    input.anchors.insert(key, AnchorPairs { anchor_set: "gold@1".to_owned(), passes });
    let corrected = report(&input).dimensions[0].corrected.clone().unwrap();
    let (observed, people) = (corrected.observed.value().unwrap(), corrected.rogan_gladen.value().unwrap());
    assert!((observed - 0.5).abs() < 1e-9 && people < 0.3, "{corrected:?}");
    assert!(corrected.prediction_powered.interval().is_some());
    assert_eq!(corrected.items, 200);
}

#[test]
fn a_report_reads_as_it_was_written() {
    let found =
        report(&input(vec![part("cloud", "a", days(0, 30, 0.7)), part("govt", "b", days(3, 30, 0.7))]));
    let text = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<WatchReport>(&text).unwrap(), found);
    assert_eq!(found.dimensions[0].lines.len(), 3);
    let estimates: Vec<&Estimate> = found.dimensions[0].lines.iter().map(|line| &line.change).collect();
    assert!(estimates.iter().all(|change| change.interval().is_some()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn in_which_order_parts_and_days_come_does_not_matter(
        means in proptest::collection::vec(0.3..0.7_f64, 20..40),
        turn in 0_usize..40,
    ) {
        let scores: Vec<(Day, Sums)> =
            (0..).zip(&means).map(|(day, mean)| (FIRST + day, day_of(*mean))).collect();
        let (even, odd): (Vec<_>, Vec<_>) = scores.iter().copied().partition(|(day, _)| day.0 % 2 == 0);
        let whole = report(&input(vec![part("", "a", scores.clone())]));
        let mut turned = scores;
        let middle = turn % turned.len();
        turned.rotate_left(middle);
        prop_assert_eq!(&report(&input(vec![part("", "a", turned)])), &whole);
        prop_assert_eq!(&report(&input(vec![part("", "a", odd), part("", "a", even)])), &whole);
    }
}
