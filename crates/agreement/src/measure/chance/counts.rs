//! The ratings of each item, counted by level.

use crate::input::ratings::Ratings;
use crate::input::scale::Level;

/// The ratings of one item: how many at each level that occurs.
pub(super) struct Item {
    pub(super) position: usize,
    pub(super) levels: Vec<(Level, f64)>,
    pub(super) total: f64,
}

/// The items that take part.
pub(super) struct Counts {
    pub(super) items: Vec<Item>,
}

impl Counts {
    /// Items with at least so many ratings.
    pub(super) fn of(ratings: &Ratings, at_least: usize) -> Counts {
        let (ends, levels) = ratings.levels_by_item();
        let mut items = Vec::new();
        for (position, ends) in ends.windows(2).enumerate() {
            let mut given = levels[ends[0]..ends[1]].to_vec();
            if given.len() < at_least {
                continue;
            }
            given.sort_unstable();
            let levels =
                given.chunk_by(|left, right| left == right).map(|run| (run[0], run.len() as f64)).collect();
            items.push(Item { position, levels, total: given.len() as f64 });
        }
        Counts { items }
    }

    pub(super) fn pairable(&self) -> usize {
        self.items.iter().filter(|item| item.total >= 2.0).count()
    }

    pub(super) fn only_level(&self) -> bool {
        let mut levels = self.items.iter().flat_map(|item| &item.levels).map(|(level, _)| level);
        let first = levels.next();
        levels.all(|level| Some(level) == first)
    }

    /// Mean over items of each level's share of the item's ratings.
    pub(super) fn pooled_shares(&self, levels: usize) -> Vec<f64> {
        let mut shares = vec![0.0; levels];
        for item in &self.items {
            for (level, count) in &item.levels {
                shares[*level as usize] += count / item.total;
            }
        }
        shares.iter().map(|share| share / self.items.len() as f64).collect()
    }
}
