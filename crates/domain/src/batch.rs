use crate::{AnchorSetName, ContentHash, SliceBy};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a project's conversations are given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabellingRules {
    /// How many annotators each conversation wants, where no batch says otherwise.
    pub overlap: u32,
    /// How many hours a place is kept for whoever has a conversation on the desk and says nothing.
    pub reservation_hours: u32,
    /// Decides each annotator's own order; absent: the order of import, the same for all.
    pub order_seed: Option<u32>,
    /// After so many conversations one comes again, unmarked; absent: never.
    pub repeat_every: Option<u32>,
    /// Whether people see what others said of a conversation that they submitted.
    pub shows_others: bool,
}

impl LabellingRules {
    /// Longest reservation, in hours: a year.
    pub const LONGEST_RESERVATION: u32 = 8_760;
    /// Rarest repeat.
    pub const RAREST_REPEAT: u32 = 1_000;

    /// What a rule is that cannot stand: the field, what was found and what is expected.
    #[must_use]
    pub fn fault(&self) -> Option<crate::Fault> {
        let found = [
            (!(1..=100).contains(&self.overlap), "overlap", self.overlap, "1 to 100 annotators"),
            (
                !(1..=Self::LONGEST_RESERVATION).contains(&self.reservation_hours),
                "reservation_hours",
                self.reservation_hours,
                "1 to 8760 hours",
            ),
            (
                self.repeat_every.is_some_and(|every| !(2..=Self::RAREST_REPEAT).contains(&every)),
                "repeat_every",
                self.repeat_every.unwrap_or_default(),
                "a repeat after 2 to 1000 conversations, or none",
            ),
        ];
        let wrong = found.into_iter().find(|(wrong, ..)| *wrong);
        wrong.map(|(_, field, found, expected)| crate::Fault::new(field, found.to_string(), expected))
    }
}

/// Which conversations a batch is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchChoice {
    /// These, by their ids in the source system.
    Listed(Vec<String>),
    /// So many of each slice, of those that are in no batch, by lot.
    Drawn {
        /// What slices are by.
        by: SliceBy,
        /// How many of each.
        each: u32,
    },
    /// All that are in no batch.
    Rest,
    /// Those of a frozen anchor set: a qualification round, at whose end each person sees the references.
    AnchorSet(AnchorSetName),
}

/// How far a batch is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchProgress {
    /// Its name.
    pub name: String,
    /// The anchor set of a qualification round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor_set: Option<AnchorSetName>,
    /// Conversations in it.
    pub conversations: u64,
    /// How many of its people each of them wants.
    pub overlap: u32,
    /// Conversations with so many submissions or more.
    pub complete: u64,
    /// Whether nothing is given out any more.
    pub closed: bool,
    /// Its people, by account.
    pub people: Vec<BatchMember>,
}

/// How far a person is in a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchMember {
    /// The name that the person goes by.
    pub name: String,
    /// The name that the person signs in with.
    pub account: String,
    /// Conversations of it submitted.
    pub submitted: u64,
    /// Whether the person was taken out; what was submitted counts.
    pub left: bool,
}

/// How far a person is in a project, and how fast.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PersonPace {
    /// The name that the person goes by.
    pub name: String,
    /// The name that the person signs in with.
    pub account: String,
    /// Conversations submitted.
    pub submitted: u64,
    /// Conversations skipped.
    pub skipped: u64,
    /// Conversations on the desk.
    pub open: u64,
    /// Labels whose time is known.
    pub timed_labels: u64,
    /// Seconds of activity in which they were given.
    pub active_seconds: f64,
}

impl PersonPace {
    /// Labels in an hour of activity; `None` where no time is known.
    #[must_use]
    pub fn labels_per_hour(&self) -> Option<f64> {
        let hours = self.active_seconds / 3_600.0;
        (hours > 0.0).then(|| self.timed_labels as f64 / hours)
    }
}

/// Draws `each` conversations of every slice by lot. The lots depend on the seed and the id alone: what else is there moves nobody.
/// Gives ids in the order of their lots, so that whoever stops early has labelled a random sample.
#[must_use]
pub fn draw_by_slice<'a>(
    conversations: impl IntoIterator<Item = (&'a str, &'a str)>,
    each: u32,
    seed: u32,
) -> Vec<&'a str> {
    let mut slices: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (conversation, slice) in conversations {
        slices.entry(slice).or_default().push(conversation);
    }
    let drawn = slices.into_values().flat_map(|slice| {
        let mut slice = in_drawn_order(slice, seed);
        slice.truncate(each as usize);
        slice
    });
    in_drawn_order(drawn.collect(), seed)
}

/// The ids in the order of their lots.
#[must_use]
pub fn in_drawn_order(mut conversations: Vec<&str>, seed: u32) -> Vec<&str> {
    let lot = |name: &&str| ContentHash::of_bytes(format!("{seed} batch {name}").as_bytes()).0;
    conversations.sort_by_cached_key(lot);
    conversations
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slice_gives_as_many_and_a_seed_gives_the_same() {
        let names: Vec<String> = (0..30).map(|number| format!("c{number}")).collect();
        let slice = |at: usize| if at < 25 { "common" } else { "rare" };
        let all: Vec<(&str, &str)> =
            names.iter().enumerate().map(|(at, name)| (name.as_str(), slice(at))).collect();
        let drawn = draw_by_slice(all.clone(), 4, 7);
        let rare =
            |drawn: &[&str]| drawn.iter().filter(|name| names[25..].iter().any(|n| n == **name)).count();
        assert_eq!((drawn.len(), rare(&drawn)), (8, 4));
        assert_eq!(draw_by_slice(all.iter().rev().copied(), 4, 7), drawn);
        assert_ne!(draw_by_slice(all.clone(), 4, 8), drawn);
        assert_eq!(draw_by_slice(all, 100, 7).len(), 30);
    }

    #[test]
    fn a_rule_that_cannot_stand_is_named() {
        let rules = LabellingRules {
            overlap: 2,
            reservation_hours: 24,
            order_seed: None,
            repeat_every: Some(10),
            shows_others: false,
        };
        assert_eq!(rules.fault(), None);
        let field = |rules: LabellingRules| rules.fault().map(|fault| fault.field);
        assert_eq!(field(LabellingRules { overlap: 0, ..rules }).as_deref(), Some("overlap"));
        assert_eq!(
            field(LabellingRules { reservation_hours: 0, ..rules }).as_deref(),
            Some("reservation_hours")
        );
        assert_eq!(field(LabellingRules { repeat_every: Some(1), ..rules }).as_deref(), Some("repeat_every"));
    }
}
