use super::*;
use crate::{HumanValue, JudgeValue, Observations, Rubric, Setting, SliceNamed};
use agreement::Undefined;
use std::sync::Arc;

const RUBRIC: &str = r#"
    name = "search"
    version = 1
    [[scale]]
    id = "four"
    kind = "ordinal"
    levels = [{ value = 0, name = "no" }, { value = 1, name = "related" }, { value = 2, name = "relevant" },
              { value = 3, name = "perfect" }]
    relevant_from = 2
    coarse = [0, 0, 1, 1]
    [[criterion]]
    id = "relevance"
    component = "retrieval"
    unit = "conversation"
    scale = "four"
    question = "Is it relevant?"
"#;

const ITEMS: u32 = 120;

/// Thirty clusters of four; two categories.
fn settings() -> Vec<Setting> {
    let category = |number: u32| Some(Arc::from(if number < 40 { "short" } else { "long" }));
    (0..ITEMS)
        .map(|number| Setting {
            conversation: format!("c{number}").into(),
            cluster: format!("k{}", number / 4).into(),
            category: category(number),
            corpus: None,
            system: None,
            language: None,
        })
        .collect()
}

fn truth(number: u32) -> u32 {
    (number * 7 + number / 5) % 4
}

fn label(annotator: &str, setting: u32, value: u32) -> HumanValue {
    HumanValue {
        annotator: annotator.into(),
        setting,
        unit: "conversation".into(),
        criterion: "relevance".into(),
        value: f64::from(value),
    }
}

fn verdict(judge: &str, setting: u32, repeat: u32, outcome: Result<u32, FailureKind>) -> JudgeValue {
    JudgeValue {
        judge: judge.into(),
        setting,
        unit: "conversation".into(),
        criterion: "relevance".into(),
        repeat,
        outcome: outcome.map(f64::from),
        fingerprint: "f".into(),
        cost_usd: None,
        latency_ms: Some(f64::from(setting)),
    }
}

/// Three people who err differently; `near` is seldom wrong, `high` is one level too high, `level` always says the same, `shaky` answers
/// twice and otherwise the second time on every tenth item, `gaps` fails on every fifth.
fn observations() -> Observations {
    let (mut labels, mut verdicts) = (Vec::new(), Vec::new());
    for number in 0..ITEMS {
        let level = truth(number);
        for (person, step) in [("ada", 11), ("ben", 7), ("cyd", 5)] {
            let said = if number % step == 0 { (level + 1) % 4 } else { level };
            labels.push(label(person, number, said));
        }
        let near = if number % 9 == 0 { level.saturating_sub(1) } else { level };
        verdicts.push(verdict("near", number, 0, Ok(near)));
        verdicts.push(verdict("high", number, 0, Ok((level + 1).min(3))));
        verdicts.push(verdict("level", number, 0, Ok(2)));
        verdicts.push(verdict("shaky", number, 0, Ok(level)));
        let second = if number % 10 == 0 { 3 - level } else { level };
        verdicts.push(verdict("shaky", number, 1, Ok(second)));
        let kept = if number % 5 == 0 { Err(FailureKind::Refused) } else { Ok(level) };
        verdicts.push(verdict("gaps", number, 0, kept));
    }
    Observations { settings: settings(), labels, verdicts, ..Observations::default() }
}

fn compared(observations: &Observations, choice: &ComparisonChoice) -> CriterionComparison {
    let rubric = Rubric::from_toml(RUBRIC).unwrap();
    let annotators = ["ada", "ben", "cyd"].map(str::to_owned).to_vec();
    let source = ReferenceSource { rule: ReferenceRule::Median, annotators, anchor_set: None };
    Comparison::of("p", &rubric, observations, source, choice).criteria.remove(0)
}

fn of<'a>(found: &'a CriterionComparison, judge: &str) -> &'a JudgeFigures {
    found.judges.iter().find(|figures| figures.judge == judge).unwrap()
}

fn against(incumbent: &str) -> ComparisonChoice {
    ComparisonChoice { incumbent: Some(incumbent.to_owned()), ..ComparisonChoice::default() }
}

#[test]
fn a_figure_stands_beside_the_counts_that_it_is_of() {
    let found = compared(&observations(), &ComparisonChoice::default());
    let near = of(&found, "near");
    let total: u64 = near.confusion.iter().flatten().sum();
    assert_eq!((total, found.levels.len()), (u64::from(ITEMS), 4));
    let equal: u64 = (0..4).map(|level| near.confusion[level][level]).sum();
    #[expect(clippy::cast_precision_loss, reason = "few items")]
    let share = equal as f64 / total as f64;
    assert!((near.exact.value().unwrap() - share).abs() < 1e-12);
    let counts = near.pass_fail.as_ref().unwrap().counts;
    let cells = |people: std::ops::Range<usize>, judge: std::ops::Range<usize>| -> u64 {
        people.map(|row| near.confusion[row][judge.clone()].iter().sum::<u64>()).sum()
    };
    assert_eq!(counts.true_pass, cells(2..4, 2..4));
    assert_eq!(counts.false_fail, cells(2..4, 0..2));
    assert_eq!(counts.true_fail, cells(0..2, 0..2));
    assert_eq!(counts.false_pass, cells(0..2, 2..4));
    assert_eq!(near.latency_p95_ms, Some(113.05));
}

#[test]
fn rates_of_passing_have_an_interval_by_cluster() {
    let found = compared(&observations(), &ComparisonChoice::default());
    let rates = of(&found, "high").pass_fail.as_ref().unwrap();
    assert_eq!(rates.true_pass_rate.value(), Some(1.0));
    let counts = &rates.counts;
    #[expect(clippy::cast_precision_loss, reason = "few items")]
    let share = counts.true_fail as f64 / (counts.true_fail + counts.false_pass) as f64;
    let interval = rates.true_fail_rate.interval().unwrap();
    assert_eq!(rates.true_fail_rate.value(), Some(share));
    assert!(interval.low < share && share < interval.high && interval.unit == agreement::Unit::Cluster);
}

#[test]
fn steadiness_is_of_repeats_and_undefined_without_them() {
    let found = compared(&observations(), &ComparisonChoice::default());
    let shaky = &of(&found, "shaky").stability;
    assert_eq!(shaky.flip_rate.value(), Some(0.1));
    assert!(shaky.flip_rate.interval().is_some() && shaky.range.unwrap() > 0.0);
    assert!(shaky.intra_judge_kappa.value().unwrap() < 1.0);
    let once = &of(&found, "near").stability;
    assert_eq!(once.flip_rate.undefined(), Some(Undefined::TooFewRepeats));
    assert_eq!((once.range, once.standard_deviation), (None, None));
}

#[test]
fn failures_move_the_fills_and_nothing_else_does() {
    let found = compared(&observations(), &ComparisonChoice::default());
    let gaps = of(&found, "gaps");
    assert_eq!((gaps.failures, gaps.coverage.value()), (24, Some(0.8)));
    let [low, kappa, high] = [&gaps.fill.pessimistic, &gaps.quadratic, &gaps.fill.optimistic]
        .map(|figure| figure.value().unwrap());
    assert!(low < kappa && kappa <= high, "{low} {kappa} {high}");
    assert_eq!(gaps.fill.pessimistic.n(), u64::from(ITEMS));
    let near = of(&found, "near");
    assert_eq!((&near.fill.pessimistic, &near.fill.optimistic), (&near.quadratic, &near.quadratic));
}

#[test]
fn each_annotator_is_a_reference_and_the_test_is_over_all() {
    let found = compared(&observations(), &ComparisonChoice::default());
    let near = of(&found, "near");
    let names: Vec<&str> = near.annotators.iter().map(|own| own.annotator.as_str()).collect();
    assert_eq!(names, ["ada", "ben", "cyd"]);
    assert!(near.annotators.iter().all(|own| own.quadratic.interval().is_some()));
    assert_eq!(near.alt_test.winning_rate.n(), 3);
    assert!(near.alt_test.passes && !of(&found, "level").alt_test.passes);

    let mut alone = observations();
    alone.labels.retain(|label| &*label.annotator == "ada");
    let found = compared(&alone, &ComparisonChoice::default());
    let near = of(&found, "near");
    assert_eq!(near.annotators[0].quadratic, near.quadratic);
    assert_eq!(near.alt_test.winning_rate.undefined(), Some(Undefined::SingleAnnotator));
}

#[test]
fn a_shift_is_a_share_of_the_range() {
    let found = compared(&observations(), &against("shaky"));
    let delta = of(&found, "high").delta.as_ref().unwrap();
    // The mean of shaky's two answers, and one level more on three of four levels.
    let expected = |number: u32| {
        let level = truth(number);
        let second = if number.is_multiple_of(10) { 3 - level } else { level };
        f64::from((level + 1).min(3)) - f64::midpoint(f64::from(level), f64::from(second))
    };
    let shift = (0..ITEMS).map(expected).sum::<f64>() / f64::from(ITEMS) / 3.0;
    assert!((delta.mean_shift.value().unwrap() - shift).abs() < 1e-12);
    assert!(delta.mean_shift.interval().unwrap().low < shift);
}

#[test]
fn a_judge_must_be_shown_to_beat_the_baselines() {
    let baselines = ["level".to_owned()].into();
    let found = compared(&observations(), &ComparisonChoice { baselines, ..against("shaky") });
    assert!(of(&found, "level").baseline && of(&found, "level").over_baselines.is_empty());
    let over = &of(&found, "near").over_baselines;
    assert_eq!(over.len(), 1);
    assert!(over[0].is_shown());
    // The baseline is constant: its κ is the point 0.
    assert_eq!(over[0].quadratic.value(), of(&found, "near").quadratic.value());
}

#[test]
fn slices_are_the_whole_cut_into_pieces() {
    let choice = ComparisonChoice { by: Some(SliceBy::Category), ..ComparisonChoice::default() };
    let found = compared(&observations(), &choice);
    let names: Vec<(&str, u64)> =
        found.slices.iter().map(|slice| (slice.value.as_str(), slice.clusters)).collect();
    assert_eq!(names, [("long", 20), ("short", 10)]);
    assert_eq!(found.slices.iter().map(|slice| slice.references).sum::<u64>(), found.references);
    for slice in &found.slices {
        let order: Vec<&str> = slice.judges.iter().map(|judge| judge.judge.as_str()).collect();
        let whole: Vec<&str> = found.judges.iter().map(|judge| judge.judge.as_str()).collect();
        assert_eq!(order, whole);
        assert!(slice.ceiling.value().is_some());
    }
    let mut short = observations();
    short.verdicts.retain(|verdict| verdict.setting < 40);
    short.labels.retain(|label| label.setting < 40);
    let alone = compared(&short, &ComparisonChoice::default());
    let of_slice = found.slices[1].judges.iter().find(|figures| figures.judge == "near").unwrap();
    assert_eq!(of_slice.quadratic, of(&alone, "near").quadratic);
}

#[test]
fn the_luck_of_the_best_leaves_out_who_never_varies() {
    let mut observations = observations();
    // It stands before all others.
    observations
        .verdicts
        .iter_mut()
        .filter(|said| *said.judge == *"level")
        .for_each(|said| said.judge = "a".into());
    let found = compared(&observations, &ComparisonChoice::default());
    let luck = found.luck.as_ref().unwrap();
    assert_eq!(luck.best, found.judges[0].judge);
    assert!(luck.judges < 5 && luck.expected > 0.0 && luck.stays_first > 0.0, "{luck:?}");
}

fn contrasted(judge: &str, against: Option<&str>, slice: Option<SliceNamed>) -> Contrast {
    let rubric = Rubric::from_toml(RUBRIC).unwrap();
    let annotators = ["ada", "ben", "cyd"].map(str::to_owned).to_vec();
    let source = ReferenceSource { rule: ReferenceRule::Median, annotators, anchor_set: None };
    let choice = ContrastChoice {
        criterion: "relevance".to_owned(),
        judge: judge.to_owned(),
        against: against.map(str::to_owned),
        slice,
    };
    Contrast::of("p", &rubric, &observations(), source, &choice).unwrap()
}

#[test]
fn what_one_judge_wins_the_other_loses() {
    let (ours, theirs) = (contrasted("near", Some("high"), None), contrasted("high", Some("near"), None));
    assert!(ours.counts.won > ours.counts.lost && ours.counts.lost > 0, "{:?}", ours.counts);
    assert_eq!(
        (ours.counts.won, ours.counts.lost, ours.counts.even),
        (theirs.counts.lost, theirs.counts.won, theirs.counts.even)
    );
    let first = theirs.items.first().unwrap();
    assert_eq!(first.outcome, ContrastOutcome::Lost);
    let near = first.against.as_ref().unwrap();
    assert!(first.judge.distance > near.distance, "what is lost by most comes first");
    assert_eq!(first.labels.len(), 3);
    let nobody = contrasted("near", None, None);
    assert_eq!(nobody.counts.unanswered, nobody.items.len() as u64);
    assert!(nobody.items.is_sorted_by(|x, y| x.judge.distance >= y.judge.distance));
}

#[test]
fn a_failure_is_neither_won_nor_lost() {
    let gaps = contrasted("gaps", Some("near"), None);
    assert_eq!(gaps.counts.unanswered, u64::from(ITEMS) / 5);
    let failed = gaps.items.iter().find(|item| item.outcome == ContrastOutcome::Unanswered).unwrap();
    assert_eq!(failed.judge.repeats.first().unwrap().failure, Some(FailureKind::Refused));
    assert_eq!(failed.judge.distance, None);
}

#[test]
fn items_of_a_slice_are_those_of_its_conversations() {
    let slice = SliceNamed { by: SliceBy::Category, value: "short".to_owned() };
    let short = contrasted("shaky", Some("near"), Some(slice));
    assert_eq!(short.items.len(), 40);
    let twice = short.items.iter().find(|item| item.conversation == "c10").unwrap();
    assert_eq!(twice.judge.repeats.len(), 2);
    let said: Vec<f64> = twice.judge.repeats.iter().filter_map(|answer| answer.value).collect();
    let apart = said.iter().map(|value| (value - twice.reference).abs()).sum::<f64>() / 2.0;
    assert!((twice.judge.distance.unwrap() - apart).abs() < 1e-12);
}

#[test]
fn the_coarse_figures_are_those_of_coarse_answers() {
    let choice = against("high");
    let found = compared(&observations(), &choice);
    let coarse_rubric = RUBRIC
        .replace("coarse = [0, 0, 1, 1]", "")
        .replace("relevant_from = 2", "")
        .replace("levels = [{ value = 0, name = \"no\" }, { value = 1, name = \"related\" }, { value = 2, name = \"relevant\" },", "levels = [")
        .replace("{ value = 3, name = \"perfect\" }]", "{ value = 0, name = \"no\" }, { value = 1, name = \"yes\" }]");
    let mut binary = observations();
    let coarse = |value: f64| f64::from(u8::from(value >= 2.0));
    binary.labels.iter_mut().for_each(|label| label.value = coarse(label.value));
    binary.verdicts.iter_mut().for_each(|verdict| verdict.outcome = verdict.outcome.map(coarse));
    let rubric = Rubric::from_toml(&coarse_rubric).unwrap();
    let annotators = ["ada", "ben", "cyd"].map(str::to_owned).to_vec();
    let source = ReferenceSource { rule: ReferenceRule::Median, annotators, anchor_set: None };
    let expected = Comparison::of("p", &rubric, &binary, source, &choice).criteria.remove(0);
    for figures in &found.judges {
        let (coarse, expected) = (figures.coarse.as_ref().unwrap(), of(&expected, &figures.judge));
        assert_eq!(coarse.quadratic.value(), expected.quadratic.value(), "{}", figures.judge);
        assert_eq!(coarse.unweighted.value(), expected.unweighted.value(), "{}", figures.judge);
        assert_eq!(coarse.ceiling.value(), expected.ceiling.value(), "{}", figures.judge);
        let delta = expected.delta.as_ref().map(|delta| delta.quadratic.value());
        assert_eq!(coarse.delta.as_ref().map(|delta| delta.value()), delta, "{}", figures.judge);
        assert!(expected.coarse.is_none());
    }
}
