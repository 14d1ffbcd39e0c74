use super::*;
use crate::{
    FailureKind, HumanValue, JudgeValue, Provenance, ReferenceRule, ReferenceSource, References, Rubric,
    Setting,
};
use proptest::prelude::*;
use std::collections::HashSet;
use time::macros::datetime;

const RUBRIC: &str = r#"
    name = "shop"
    version = 1
    [[scale]]
    id = "five"
    kind = "ordinal"
    levels = [{ value = 1, name = "bad" }, { value = 2, name = "poor" }, { value = 3, name = "fair" },
              { value = 4, name = "good" }, { value = 5, name = "great" },
              { value = 9, name = "n/a", not_applicable = true }]
    [[scale]]
    id = "tone"
    kind = "nominal"
    levels = [{ value = 0, name = "warm" }, { value = 1, name = "cold" }, { value = 7, name = "odd" }]
    [[criterion]]
    id = "helpful"
    component = "generation"
    unit = "conversation"
    scale = "five"
    question = "Does it help?"
    [[criterion]]
    id = "tone"
    component = "generation"
    unit = "conversation"
    scale = "tone"
    question = "Which tone?"
"#;

fn rubric() -> Rubric {
    Rubric::from_toml(RUBRIC).unwrap()
}

fn label(setting: u32, criterion: &str, annotator: &str, value: f64) -> HumanValue {
    HumanValue {
        annotator: annotator.into(),
        setting,
        unit: "conversation".into(),
        criterion: criterion.into(),
        value,
    }
}

fn verdict(judge: &str, setting: u32, repeat: u32, outcome: Result<f64, FailureKind>) -> JudgeValue {
    JudgeValue {
        judge: judge.into(),
        setting,
        unit: "conversation".into(),
        criterion: "helpful".into(),
        repeat,
        outcome,
        fingerprint: "f".into(),
        cost_usd: None,
        latency_ms: None,
    }
}

fn observations(conversations: u32, labels: Vec<HumanValue>, verdicts: Vec<JudgeValue>) -> Observations {
    let setting = |number| Setting {
        conversation: format!("c{number}").into(),
        cluster: "k".into(),
        category: None,
        corpus: None,
        system: None,
        language: None,
    };
    Observations {
        settings: (0..conversations).map(setting).collect(),
        labels,
        verdicts,
        ..Observations::default()
    }
}

fn item(conversation: &str) -> Item {
    Item { conversation: conversation.to_owned(), unit: Unit::Conversation, criterion: "helpful".to_owned() }
}

fn decision(conversation: &str, value: f64, labels: &[(&str, f64)]) -> Adjudication {
    let label =
        |(annotator, value): &(&str, f64)| SeenLabel { annotator: (*annotator).to_owned(), value: *value };
    Adjudication {
        item: item(conversation),
        value,
        reason: AdjudicationReason::GuidelineGap,
        note: "what is helpful?".to_owned(),
        labels: labels.iter().map(label).collect(),
        rubric: "shop@1".to_owned(),
        by: "Lea".to_owned(),
        at: datetime!(2026-11-30 12:00 UTC),
    }
}

fn queue(observations: &Observations, decisions: &[Adjudication], order: QueueOrder) -> AdjudicationQueue {
    AdjudicationQueue::of(&rubric(), observations, decisions, &HashSet::new(), order, "seed")
}

fn names(queue: &AdjudicationQueue) -> Vec<&str> {
    queue.items.iter().map(|contested| contested.item.conversation.as_str()).collect()
}

#[test]
fn who_lie_farthest_apart_come_first_and_who_agree_not_at_all() {
    let labels = vec![
        label(0, "helpful", "ada", 3.0),
        label(0, "helpful", "ben", 4.0),
        label(1, "helpful", "ada", 1.0),
        label(1, "helpful", "ben", 5.0),
        label(2, "helpful", "ada", 2.0),
        label(2, "helpful", "ben", 2.0),
        label(3, "helpful", "ada", 2.0),
        // The same distance as in c0, but more people stand apart.
        label(4, "helpful", "ada", 1.0),
        label(4, "helpful", "ben", 5.0),
        label(4, "helpful", "cleo", 3.0),
    ];
    let queue = queue(&observations(5, labels, Vec::new()), &[], QueueOrder::People);
    assert_eq!(names(&queue), ["c1", "c4", "c0"]);
    assert!((queue.items[0].distance - 1.0).abs() < 1e-12 && (queue.items[2].distance - 0.25).abs() < 1e-12);
}

#[test]
fn levels_without_an_order_and_what_is_not_applicable_lie_wholly_apart() {
    let rubric = rubric();
    let (five, tone) = (rubric.scale("five").unwrap(), rubric.scale("tone").unwrap());
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    near(tone.distance(0.0, 1.0), 1.0);
    near(tone.distance(1.0, 7.0), 1.0);
    near(five.distance(5.0, 9.0), 1.0);
    near(five.distance(9.0, 9.0), 0.0);
    near(five.distance(2.0, 3.0), 0.25);
}

#[test]
fn judges_come_before_people_where_that_is_asked() {
    let labels = vec![
        label(0, "helpful", "ada", 1.0),
        label(0, "helpful", "ben", 5.0),
        label(1, "helpful", "ada", 4.0),
        label(1, "helpful", "ben", 4.0),
        label(2, "helpful", "ada", 2.0),
    ];
    let verdicts = vec![
        // Agrees with one of the two: no conflict.
        verdict("a", 0, 0, Ok(5.0)),
        // A judge that repeats itself weighs no more than another.
        verdict("a", 1, 0, Ok(1.0)),
        verdict("a", 1, 1, Ok(1.0)),
        verdict("b", 1, 0, Ok(4.0)),
        verdict("a", 2, 0, Err(FailureKind::Refused)),
        verdict("b", 2, 0, Ok(3.0)),
    ];
    let queue = queue(&observations(3, labels, verdicts), &[], QueueOrder::Judges);
    assert_eq!(names(&queue), ["c1", "c2"]);
    assert_eq!(queue.items[0].judges_distance, Some(0.375));
    assert_eq!(queue.items[1].judges_distance, Some(0.25));
}

#[test]
fn a_decision_stands_until_a_label_changes_what_was_decided() {
    let two = vec![label(0, "helpful", "ben", 5.0), label(0, "helpful", "ada", 1.0)];
    let decided = [decision("c0", 4.0, &[("ada", 1.0), ("ben", 5.0)])];
    let standing = queue(&observations(1, two.clone(), Vec::new()), &decided, QueueOrder::People);
    assert_eq!((standing.items.len(), standing.decided), (0, 1));
    let later = [two, vec![label(0, "helpful", "cleo", 4.0)]].concat();
    let stale = queue(&observations(1, later, Vec::new()), &decided, QueueOrder::Judges);
    assert_eq!((names(&stale), stale.decided), (vec!["c0"], 0));
    assert!(stale.items[0].stale);
}

#[test]
fn what_lies_on_a_desk_waits() {
    let labels = vec![label(0, "helpful", "ben", 5.0), label(0, "helpful", "ada", 1.0)];
    let on_desks = ["c0".to_owned()].into();
    let observations = observations(1, labels, Vec::new());
    let queue = AdjudicationQueue::of(&rubric(), &observations, &[], &on_desks, QueueOrder::People, "seed");
    assert_eq!((queue.items.len(), queue.on_desks), (0, 1));
}

#[test]
fn references_are_what_was_decided_or_what_all_say() {
    let labels = vec![
        label(0, "helpful", "ada", 1.0),
        label(0, "helpful", "ben", 5.0),
        label(1, "helpful", "ada", 3.0),
        label(1, "helpful", "ben", 3.0),
        label(2, "helpful", "ada", 2.0),
        label(3, "helpful", "ada", 2.0),
        label(3, "helpful", "ben", 4.0),
        label(4, "helpful", "ada", 2.0),
        label(4, "helpful", "ben", 4.0),
        label(5, "helpful", "ada", 2.0),
        label(5, "helpful", "ben", 4.0),
        // Everybody agrees by now, and yet the decision was of something else.
        label(6, "helpful", "ada", 2.0),
        label(6, "helpful", "ben", 2.0),
    ];
    let decisions = [
        decision("c0", 4.0, &[("ada", 1.0), ("ben", 5.0)]),
        decision("c3", 4.0, &[("ada", 1.0), ("ben", 4.0)]),
        decision("c5", 9.0, &[("ada", 2.0), ("ben", 4.0)]),
        decision("c6", 3.0, &[("ada", 2.0)]),
        decision("gone", 3.0, &[("ada", 2.0)]),
    ];
    let source =
        ReferenceSource { rule: ReferenceRule::Adjudicated, annotators: Vec::new(), anchor_set: None };
    let observations = observations(7, labels, Vec::new());
    let references = References::adjudicated(&rubric(), &observations, &source, &decisions);
    let found: Vec<_> =
        references.items.iter().map(|item| (item.setting, item.value, item.provenance)).collect();
    let expected =
        [(0, 4.0, Provenance::Adjudicated), (1, 3.0, Provenance::Unanimous), (2, 2.0, Provenance::Single)];
    assert_eq!(found, expected);
    assert_eq!(references.without, 3, "c3, c4 and c6; c5 is not applicable");
    let others = References::adjudicated(&rubric(), &observations, &source, &decisions[1..]);
    assert_ne!(references.data_hash, others.data_hash);
}

#[test]
fn a_gap_lists_the_items_to_label_again() {
    let slip = Adjudication { reason: AdjudicationReason::Slip, ..decision("c9", 1.0, &[]) };
    let gaps = GuidelineGap::of(&[decision("c2", 1.0, &[]), slip, decision("c1", 1.0, &[])]);
    let note = "what is helpful?".to_owned();
    assert_eq!(gaps.len(), 1);
    assert_eq!(gaps[0].items, [(item("c1"), note.clone()), (item("c2"), note)]);
}

fn item_label(annotator: &str, value: f64) -> ItemLabel {
    ItemLabel { label: SeenLabel { annotator: annotator.to_owned(), value }, comment: None, flag: false }
}

#[test]
fn one_person_has_other_letters_on_other_items() {
    let letters: HashSet<String> = (0..40)
        .map(|number| {
            let labels = vec![item_label("ada", 1.0), item_label("ben", 5.0)];
            let shown = item(&format!("c{number}")).anonymous("seed", labels);
            shown.into_iter().find(|label| label.value < 2.0).unwrap().letter
        })
        .collect();
    assert_eq!(letters.len(), 2);
}

#[test]
fn what_was_seen_changes_with_each_label_and_with_the_decision_before() {
    let labels = |values: &[f64]| -> Vec<SeenLabel> {
        let label = |(index, value): (usize, &f64)| SeenLabel { annotator: index.to_string(), value: *value };
        values.iter().enumerate().map(label).collect()
    };
    let seen = |labels: &[SeenLabel], previous| item("c0").seen("seed", labels, previous);
    let first = seen(&labels(&[1.0, 2.0]), None);
    assert_eq!(first, seen(&labels(&[1.0, 2.0]), None));
    assert_ne!(first, seen(&labels(&[1.0, 3.0]), None));
    assert_ne!(first, seen(&labels(&[1.0, 2.0]), Some("d")));
    assert_ne!(first, item("c0").seen("other", &labels(&[1.0, 2.0]), None));
}

fn file() -> ReferenceFile {
    let entry = ReferenceEntry {
        conversation: "c0".to_owned(),
        unit: Unit::Conversation,
        criterion: "helpful".to_owned(),
        labels: decision("c0", 4.0, &[("ada", 1.0), ("ben", 5.0)]).labels,
        reference: 4.0,
        provenance: Provenance::Adjudicated,
        adjudicated: Some(Decided {
            by: "Lea".to_owned(),
            at: datetime!(2026-11-30 12:00:00.125 UTC),
            reason: AdjudicationReason::Slip,
            note: "“é”\n".to_owned(),
            rubric: "shop@1".to_owned(),
        }),
    };
    ReferenceFile {
        format: 1,
        rule: ReferenceRule::Adjudicated,
        annotators: vec!["ada".to_owned(), "ben".to_owned()],
        rubric: "shop@1".to_owned(),
        data_hash: ContentHash("h".to_owned()),
        built_at: datetime!(2026-11-30 12:00 UTC),
        references: vec![entry],
    }
}

#[test]
fn a_file_is_read_as_it_was_written() {
    let text = file().to_file().unwrap();
    let read = ReferenceFile::from_file(&text).unwrap();
    assert_eq!(read, file());
    assert_eq!(read.to_file().unwrap(), text);
    assert_eq!(read.check(&rubric()), Ok(()));
}

#[test]
fn what_cannot_stand_in_a_file_is_named() {
    let mut nobody = file();
    nobody.references[0].adjudicated = None;
    let mut off = file();
    off.references[0].reference = 6.0;
    let mut twice = file();
    twice.references.push(twice.references[0].clone());
    let mut unsorted = file();
    unsorted.references[0].labels.reverse();
    for (file, says) in [
        (nobody, "found adjudicated, expected `adjudicated`, who decided"),
        (off, "found 6, expected one of 1 (bad)"),
        (twice, "the item twice"),
        (unsorted, "labels by annotator"),
    ] {
        let message = file.check(&rubric()).unwrap_err().to_string();
        assert!(message.contains(says), "{message}");
    }
    for text in ["", "[]", "{}", &file().to_file().unwrap().replace("\"format\":1", "\"format\":2")] {
        assert!(ReferenceFile::from_file(text).is_err(), "{text}");
    }
}

fn arbitrary_labels() -> impl Strategy<Value = Vec<HumanValue>> {
    let one = (0..8_u32, 0..4_u8, 1..=5_u8);
    proptest::collection::vec(one, 0..40).prop_map(|labels| {
        let mut seen = HashSet::new();
        let kept = labels.into_iter().filter(|(setting, annotator, _)| seen.insert((*setting, *annotator)));
        kept.map(|(setting, annotator, value)| {
            label(setting, "helpful", &format!("a{annotator}"), f64::from(value))
        })
        .collect()
    })
}

proptest! {
    #[test]
    fn neither_queue_nor_letters_hang_on_the_order_of_what_is_read(
        labels in arbitrary_labels(),
        judged in proptest::collection::vec((0..8_u32, 0..3_u8, 1..=5_u8), 0..30),
        turn in 0..40_usize,
    ) {
        let verdicts: Vec<JudgeValue> = (0..).zip(judged)
            .map(|(repeat, (setting, judge, value))| verdict(&format!("j{judge}"), setting, repeat, Ok(f64::from(value))))
            .collect();
        let straight = observations(8, labels.clone(), verdicts.clone());
        let mut turned = observations(8, labels, verdicts);
        let (by, of) = (turn % turned.labels.len().max(1), turn % turned.verdicts.len().max(1));
        turned.labels.rotate_left(by);
        turned.labels.reverse();
        turned.verdicts.rotate_left(of);
        turned.verdicts.reverse();
        for order in QueueOrder::ALL {
            prop_assert_eq!(queue(&straight, &[], order), queue(&turned, &[], order));
        }
        let shown = |observations: &Observations| {
            let labels = observations.labels.iter().filter(|label| label.setting == 0);
            item("c0").anonymous("seed", labels.map(|label| item_label(&label.annotator, label.value)).collect())
        };
        prop_assert_eq!(shown(&straight), shown(&turned));
    }

    #[test]
    fn ties_stand_in_an_order_that_the_seed_draws(seed in "[a-z]{4,8}", other in "[A-Z]{4,8}") {
        let labels: Vec<HumanValue> = (0..30)
            .flat_map(|setting| [label(setting, "helpful", "ada", 1.0), label(setting, "helpful", "ben", 2.0)])
            .collect();
        let observations = observations(30, labels, Vec::new());
        let drawn = |seed: &str| {
            AdjudicationQueue::of(&rubric(), &observations, &[], &HashSet::new(), QueueOrder::People, seed)
        };
        prop_assert_eq!(drawn(&seed), drawn(&seed));
        prop_assert_ne!(drawn(&seed), drawn(&other));
    }

    #[test]
    fn no_text_panics_as_a_file_of_references(text in ".{0,60}") {
        let _ = ReferenceFile::from_file(&text);
        let _ = text.parse::<AdjudicationReason>();
    }
}
