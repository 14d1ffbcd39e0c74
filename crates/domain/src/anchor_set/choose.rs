//! Which items make a set: drawn by stratum, split by cluster, both by lots that the seed decides.

use super::{Candidate, Split};
use crate::ContentHash;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// How many items to take, and how to part them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AnchorChoice {
    /// At most so many; all where absent.
    pub size: Option<usize>,
    /// The share of `confirm`, from 0 to 1.
    pub confirm: f64,
    /// Decides the lots.
    pub seed: u32,
}

/// How many of a stratum were taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stratum {
    /// Criterion × category × level.
    pub name: String,
    /// Items that have a reference.
    pub available: usize,
    /// Items taken.
    pub taken: usize,
}

impl AnchorChoice {
    /// Takes items in rounds, one of each stratum a round, until there are enough: rare levels are in. Gives what was taken, ordered by
    /// conversation, criterion and unit, each with its split, and how many of each stratum.
    #[must_use]
    pub fn of(&self, candidates: Vec<Candidate>) -> (Vec<(Candidate, Split)>, Vec<Stratum>) {
        let mut strata: BTreeMap<String, Vec<Candidate>> = BTreeMap::new();
        for candidate in candidates {
            strata.entry(candidate.stratum.clone()).or_default().push(candidate);
        }
        let mut counts: BTreeMap<String, Stratum> = BTreeMap::new();
        let mut drawn: Vec<(usize, String, Candidate)> = Vec::new();
        for (name, mut items) in strata {
            items.sort_by_cached_key(|item| self.lot("item", &item.key()));
            let available = items.len();
            let round = |(round, item)| (round, self.lot("stratum", &format!("{round} {name}")), item);
            drawn.extend(items.into_iter().enumerate().map(round));
            counts.insert(name.clone(), Stratum { name, available, taken: 0 });
        }
        drawn.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
        drawn.truncate(self.size.unwrap_or(usize::MAX));
        let taken: Vec<Candidate> = drawn.into_iter().map(|(_, _, item)| item).collect();
        for item in &taken {
            if let Some(stratum) = counts.get_mut(&item.stratum) {
                stratum.taken += 1;
            }
        }
        (self.part(taken), counts.into_values().collect())
    }

    /// Whole clusters go to `confirm`, in the order of their lots, wherever it is short of its share.
    fn part(&self, taken: Vec<Candidate>) -> Vec<(Candidate, Split)> {
        let mut sizes: BTreeMap<String, u32> = BTreeMap::new();
        for item in &taken {
            *sizes.entry(item.cluster.clone()).or_default() += 1;
        }
        let mut clusters: Vec<(String, u32)> = sizes.into_iter().collect();
        clusters.sort_by_cached_key(|(cluster, _)| self.lot("cluster", cluster));
        let (mut seen, mut confirmed) = (0_u32, 0_u32);
        let mut confirm: BTreeSet<String> = BTreeSet::new();
        for (cluster, size) in clusters {
            seen += size;
            let short = self.confirm * f64::from(seen) - f64::from(confirmed);
            if short > 0.0 && short >= f64::from(size) / 2.0 {
                confirmed += size;
                confirm.insert(cluster);
            }
        }
        let placed = |item: Candidate| {
            let split = if confirm.contains(&item.cluster) { Split::Confirm } else { Split::Tune };
            (item, split)
        };
        let mut parted: Vec<(Candidate, Split)> = taken.into_iter().map(placed).collect();
        parted.sort_by(|(a, _), (b, _)| {
            (&a.conversation, &a.criterion, &a.unit).cmp(&(&b.conversation, &b.criterion, &b.unit))
        });
        parted
    }

    /// A lot that depends on the seed and the name alone: what else is there moves nobody.
    fn lot(&self, what: &str, name: &str) -> String {
        ContentHash::of_bytes(format!("{} {what} {name}", self.seed).as_bytes()).0
    }
}
