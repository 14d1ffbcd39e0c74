use super::*;
use proptest::prelude::*;
use serde_json::json;

fn rubric() -> Rubric {
    Rubric::from_toml(
        r#"
        name = "shop"
        version = 1
        [[scale]]
        id = "five"
        kind = "ordinal"
        levels = [{ value = 1, name = "a" }, { value = 2, name = "b" }, { value = 3, name = "c" }, { value = 4, name = "d" },
                  { value = 5, name = "e" }]
        [[criterion]]
        id = "help"
        component = "generation"
        unit = "conversation"
        scale = "five"
        question = "Does it help?"
        "#,
    )
    .unwrap()
}

/// Candidates of which few have the level 1.
fn candidates(count: u32) -> Vec<Candidate> {
    let level = |number: u32| if number.is_multiple_of(50) { 1.0 } else { f64::from(3 + number % 3) };
    let category = |number: u32| if number.is_multiple_of(2) { "tool" } else { "policy" };
    let of = |number: u32| Candidate {
        stratum: format!("help · {} · {}", category(number), level(number)),
        conversation: format!("c{number:03}"),
        cluster: format!("k{}", number / 3),
        unit: Unit::Conversation,
        criterion: "help".to_owned(),
        labels: vec![AnchorLabel { annotator: "p1".to_owned(), value: 4.0 }],
        reference: level(number),
        provenance: Provenance::Single,
    };
    (0..count).map(of).collect()
}

fn choice(size: usize, seed: u32) -> AnchorChoice {
    AnchorChoice { size: Some(size), confirm: 0.4, seed }
}

fn set(count: u32) -> AnchorSet {
    let (items, _) = choice(count as usize, 7).of(candidates(count));
    let conversation =
        |item: &Candidate| json!({ "id": item.conversation, "cluster": item.cluster, "question": "?" });
    AnchorSet {
        format: 1,
        name: "gold".to_owned(),
        version: 1,
        created_at: time::macros::datetime!(2026-11-30 12:00 UTC),
        owner: Some("quality".to_owned()),
        expires: Some("2027-12-31".to_owned()),
        seed: 7,
        rubric: rubric(),
        conversations: items.iter().map(|(item, _)| conversation(item)).collect(),
        items: items.into_iter().map(AnchorItem::from).collect(),
    }
}

#[test]
fn rare_levels_are_in_and_the_seed_decides() {
    let (taken, strata) = choice(60, 1).of(candidates(300));
    assert_eq!(taken.len(), 60);
    let rare: Vec<&Stratum> = strata.iter().filter(|stratum| stratum.name.ends_with("· 1")).collect();
    assert!(!rare.is_empty() && rare.iter().all(|stratum| stratum.taken == stratum.available), "{strata:?}");
    assert_eq!(taken, choice(60, 1).of(candidates(300)).0);
    assert_ne!(taken, choice(60, 2).of(candidates(300)).0);
}

#[test]
fn clusters_stay_whole_and_the_share_is_met() {
    let (taken, _) = choice(300, 3).of(candidates(300));
    let mut splits = std::collections::HashMap::new();
    for (item, split) in &taken {
        assert_eq!(splits.entry(&item.cluster).or_insert(*split), split);
    }
    let confirmed = taken.iter().filter(|(_, split)| *split == Split::Confirm).count();
    assert!((115..=125).contains(&confirmed), "{confirmed}");
}

#[test]
fn a_set_comes_back_byte_for_byte_and_every_changed_byte_is_refused() {
    let set = set(12);
    let file = set.to_file().unwrap();
    let (back, hash) = AnchorSet::from_file(file.as_bytes()).unwrap();
    assert_eq!((&back, &hash), (&set, &set.hash().unwrap()));
    assert_eq!(back.to_file().unwrap(), file);
    for at in 0..file.len() {
        let mut changed = file.clone().into_bytes();
        changed[at] = if changed[at] == b' ' { b'\n' } else { b' ' };
        assert!(AnchorSet::from_file(&changed).is_err(), "byte {at}");
        changed[at] = if file.as_bytes()[at] == b'1' { b'2' } else { b'1' };
        assert!(changed == file.as_bytes() || AnchorSet::from_file(&changed).is_err(), "byte {at}");
    }
    assert!(matches!(
        AnchorSet::from_file(format!("{file}\n").as_bytes()),
        Err(AnchorSetError::Bytes { .. })
    ));
    let edited = file.replace("quality", "qualitz");
    assert!(matches!(AnchorSet::from_file(edited.as_bytes()), Err(AnchorSetError::Hash { .. })));
}

#[test]
fn what_cannot_stand_is_refused_with_its_place() {
    let says = |change: &dyn Fn(&mut AnchorSet)| {
        let mut set = set(12);
        change(&mut set);
        AnchorSet::from_file(set.to_file().unwrap().as_bytes()).unwrap_err().to_string()
    };
    assert!(says(&|set| set.items[0].reference = 9.0).contains("one of 1 (a)"));
    assert!(says(&|set| set.items[0].conversation = "x".to_owned()).contains("a conversation of the set"));
    assert!(says(&|set| set.name = "../etc".to_owned()).contains("name: found ../etc"));
    assert!(says(&|set| set.items.push(set.items[0].clone())).contains("each item once"));
    assert!(says(&|set| set.expires = Some("soon".to_owned())).contains("a day like"));
    let flip = |set: &mut AnchorSet| {
        set.items[0].split = if set.items[0].split == Split::Tune { Split::Confirm } else { Split::Tune };
    };
    assert!(says(&flip).contains("all items of a cluster in one split"));
}

#[test]
fn a_later_version_is_told_apart() {
    let (old, mut new) = (set(12), set(12));
    let gone = new.items.remove(0).key();
    new.items[0].reference = 2.0;
    new.conversations[3] = json!({ "id": "c003", "cluster": "k1", "question": "??" });
    let difference = old.difference(&new);
    assert_eq!(difference.removed, [gone]);
    assert_eq!((difference.changed.len(), difference.added.len(), difference.rewritten.len()), (1, 0, 1));
    assert_eq!(difference.changed[0].after.to_string(), "2");
    assert!(!difference.rubric_changed);
}

#[test]
fn a_mark_before_the_file_is_a_changed_byte() {
    let file = set(6).to_file().unwrap();
    let marked = [b"\xef\xbb\xbf", file.as_bytes()].concat();
    assert!(AnchorSet::from_file(&marked).is_err());
}

#[test]
fn what_cites_a_changed_document_and_what_has_expired_is_to_review() {
    let mut set = set(6);
    let passage = json!({ "id": "p", "document": "returns.md", "text": "30 days" });
    set.conversations[0] = json!({ "id": "c000", "cluster": "k0", "question": "?", "passages": [passage] });
    set.conversations[1] =
        json!({ "id": "c001", "cluster": "k0", "question": "?", "expected": { "source": "returns.md" } });
    let expected = json!({ "expires": "2026-11-30", "owner": "ada" });
    set.conversations[2] = json!({ "id": "c002", "cluster": "k0", "question": "?", "expected": expected });
    let today = time::macros::date!(2026 - 11 - 30);
    let review = set.review(&["returns.md".to_owned()], today).unwrap();
    let cites = ReviewReason::Document { document: "returns.md".to_owned() };
    let expired = ReviewReason::Expired { on: "2026-11-30".to_owned(), owner: Some("ada".to_owned()) };
    let found: Vec<_> =
        review.items.iter().map(|item| (item.conversation.as_str(), &item.reasons[..])).collect();
    assert_eq!(found, [("c000", &[cites.clone()][..]), ("c001", &[cites]), ("c002", &[expired])]);
    assert!(!review.expired);
    assert_eq!(set.review(&[], today - time::Duration::DAY).unwrap().items, []);
    assert!(set.review(&[], time::macros::date!(2027 - 12 - 31)).unwrap().expired);
}

#[test]
fn four_times_the_items_halve_the_width() {
    let width = |count: u32| {
        let taken: Vec<_> = candidates(count).into_iter().map(|item| (item, Split::Tune)).collect();
        Precision::of(&rubric(), &taken).remove(0)
    };
    let (small, large) = (width(300), width(1200));
    assert_eq!((small.items, small.clusters, small.split), (300, 100, Split::Tune));
    let ratio = small.half_width.unwrap() / large.half_width.unwrap();
    assert!((ratio - 2.0).abs() < 1e-6, "{ratio}");
    let by_cluster = small.half_width_by_cluster.unwrap() / small.half_width.unwrap();
    assert!((by_cluster - 3.0_f64.sqrt()).abs() < 1e-9, "{by_cluster}");
    assert!(small.power.unwrap() < large.power.unwrap());
}

/// Two levels used equally: κ = 2 p_o − 1, so its standard error is that of a share, 2 √(p_o (1 − p_o) ÷ n).
#[test]
fn the_width_of_two_even_levels_is_that_of_a_share() {
    let even = |number: u32, item: Candidate| Candidate {
        reference: if number.is_multiple_of(2) { 1.0 } else { 5.0 },
        ..item
    };
    let taken = (0..100).zip(candidates(100)).map(|(number, item)| (even(number, item), Split::Confirm));
    let found = Precision::of(&rubric(), &taken.collect::<Vec<_>>()).remove(0);
    let expected = 1.959_963_984_540_054 * 2.0 * (0.9_f64 * 0.1 / 100.0).sqrt();
    assert!((found.half_width.unwrap() - expected).abs() < 1e-6, "{found:?} is not {expected}");
}

#[test]
fn pseudonyms_are_stable_and_depend_on_the_key() {
    assert_eq!(pseudonym("k", "ada"), pseudonym("k", "ada"));
    assert_ne!(pseudonym("k", "ada"), pseudonym("l", "ada"));
    assert_ne!(pseudonym("k", "ada"), pseudonym("k", "ben"));
    assert!(!pseudonym("k", "ada").contains("ada"));
}

#[test]
fn a_version_is_named_in_one_way() {
    let name: AnchorSetName = "gold@12".parse().unwrap();
    assert_eq!((name.name.as_str(), name.version, name.to_string().as_str()), ("gold", 12, "gold@12"));
    for text in [
        "gold",
        "gold@",
        "gold@0",
        "gold@+1",
        "gold@-1",
        "@1",
        "../x@1",
        "gold@1@2",
        ".gold@1",
        "gold@99999999999",
    ] {
        assert!(text.parse::<AnchorSetName>().is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn equal_inputs_are_equal_bytes_and_no_cluster_is_torn(
        count in 1_u32..200, size in 1_usize..200, confirm in 0.0..=1.0_f64, seed: u32,
    ) {
        let choice = AnchorChoice { size: Some(size), confirm, seed };
        let (taken, strata) = choice.of(candidates(count));
        let mut backwards = candidates(count);
        backwards.reverse();
        prop_assert_eq!(&taken, &choice.of(backwards).0, "the order in which items were read plays no part");
        prop_assert_eq!(taken.len(), size.min(count as usize));
        prop_assert_eq!(strata.iter().map(|stratum| stratum.taken).sum::<usize>(), taken.len());
        let mut splits = BTreeMap::new();
        for (item, split) in &taken {
            prop_assert_eq!(splits.entry(&item.cluster).or_insert(*split), split);
        }
    }

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(AnchorSet::from_file(&bytes).is_err());
    }

    #[test]
    fn every_set_comes_back(count in 0_u32..20, owner in proptest::option::of(".{0,20}"), seed: u32) {
        let set = AnchorSet { owner, seed, ..set(count) };
        let file = set.to_file().unwrap();
        let (back, _) = AnchorSet::from_file(file.as_bytes()).unwrap();
        prop_assert_eq!(back.to_file().unwrap(), file);
        prop_assert_eq!(back, set);
    }
}
