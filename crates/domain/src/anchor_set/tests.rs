use super::*;
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
    let of = |number: u32| Candidate {
        conversation: format!("c{number:03}"),
        cluster: format!("k{}", number / 3),
        category: Some(if number.is_multiple_of(2) { "tool" } else { "policy" }.to_owned()),
        unit: Unit::Conversation,
        criterion: "help".to_owned(),
        labels: vec![AnchorLabel { annotator: "p1".to_owned(), value: 4.0 }],
        reference: if number.is_multiple_of(50) { 1.0 } else { f64::from(3 + number % 3) },
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
        items: items
            .into_iter()
            .map(|(item, split)| AnchorItem {
                stratum: item.stratum(),
                conversation: item.conversation,
                unit: item.unit,
                criterion: item.criterion,
                labels: item.labels,
                reference: item.reference,
                provenance: item.provenance,
                split,
            })
            .collect(),
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
    assert!(!difference.rubric_changed);
}
