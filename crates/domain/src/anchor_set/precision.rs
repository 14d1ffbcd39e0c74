//! What a size buys: how wide the interval of a judge's κ will be, and whether a candidate can be shown to be no worse.

use super::{Candidate, Split};
use crate::{Rubric, Scale, ScaleKind};
use agreement::{Confusion, KappaAnalysis, Weights, non_inferiority_power};
use serde::Serialize;
use std::collections::BTreeSet;

/// What the items of a criterion in one split are worth, for a judge of an assumed κ whose other verdicts are chance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Precision {
    /// Id of the criterion.
    pub criterion: String,
    /// The split.
    pub split: Split,
    /// Items.
    pub items: u64,
    /// What shares nothing with another: between these and the items lies what the items are worth.
    pub clusters: u64,
    /// The κ that is assumed.
    pub assumed_kappa: f64,
    /// Half the width of the 95 % interval of κ if items of a cluster had nothing in common; absent where it is undefined.
    pub half_width: Option<f64>,
    /// The same if the items of a cluster told no more than one.
    pub half_width_by_cluster: Option<f64>,
    /// The power to show that an equal candidate is no worse by [`Precision::MARGIN`], items of a cluster having nothing in common.
    pub power: Option<f64>,
}

/// Normal quantile of a two-sided 95 % interval.
const Z_INTERVAL: f64 = 1.959_963_984_540_054;

/// Items of the table that the standard error is computed on: enough for whole counts to hold the shares.
const TABLE: f64 = 1e6;

impl Precision {
    /// The κ that is assumed: that of a judge which one would want to promote.
    pub const ASSUMED_KAPPA: f64 = 0.8;

    /// The margin of the usual policy.
    pub const MARGIN: f64 = 0.05;

    /// What each criterion gets, split by split, in the order of the rubric.
    #[must_use]
    pub fn of(rubric: &Rubric, taken: &[(Candidate, Split)]) -> Vec<Precision> {
        let mut found = Vec::new();
        for criterion in &rubric.criteria {
            let Some(scale) = rubric.scale(&criterion.scale) else { continue };
            for split in [Split::Tune, Split::Confirm] {
                let of = |(item, of): &&(Candidate, Split)| *of == split && item.criterion == criterion.id;
                let items: Vec<&Candidate> = taken.iter().filter(of).map(|(item, _)| item).collect();
                if !items.is_empty() {
                    found.push(Precision::of_items(&criterion.id, scale, split, &items));
                }
            }
        }
        found
    }

    fn of_items(criterion: &str, scale: &Scale, split: Split, items: &[&Candidate]) -> Precision {
        let clusters: BTreeSet<&str> = items.iter().map(|item| item.cluster.as_str()).collect();
        let (items, clusters, of_one) = (items.len(), clusters.len(), standard_error_of_one(scale, items));
        #[expect(clippy::cast_precision_loss, reason = "counts of items are far below 2^53")]
        let half_width = |n: usize| of_one.map(|error| Z_INTERVAL * error / (n as f64).sqrt());
        // Two equal judges whose errors correlate by one half differ with the standard error that each of them has.
        let power =
            of_one.and_then(|error| non_inferiority_power(error, 1, items as u64, Precision::MARGIN, 0.025));
        Precision {
            criterion: criterion.to_owned(),
            split,
            items: items as u64,
            clusters: clusters as u64,
            assumed_kappa: Precision::ASSUMED_KAPPA,
            half_width: half_width(items),
            half_width_by_cluster: half_width(clusters),
            power,
        }
    }
}

/// The standard error of κ (Fleiss, Cohen & Everitt 1969) times √n, for a judge that gives the reference in a share κ of the items and
/// draws from the same levels otherwise: p_ij = κ·[i = j]·p_i + (1 − κ)·p_i·p_j, whose κ is κ under any weights.
fn standard_error_of_one(scale: &Scale, items: &[&Candidate]) -> Option<f64> {
    let mut levels: Vec<f64> = match scale.kind {
        ScaleKind::Continuous => items.iter().map(|item| item.reference).collect(),
        _ => scale.applicable().map(|level| level.value).collect(),
    };
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    let levels_in_order = agreement::Scale::ordinal(levels.clone()).ok()?;
    #[expect(clippy::cast_precision_loss, reason = "counts of items are far below 2^53")]
    let share = |level: &f64| {
        let of_level = |item: &&&Candidate| item.reference.total_cmp(level).is_eq();
        items.iter().filter(of_level).count() as f64 / items.len() as f64
    };
    let shares: Vec<f64> = levels.iter().map(share).collect();
    let kappa = Precision::ASSUMED_KAPPA;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a million")]
    let cell = |i: usize, j: usize| {
        let by_chance = (1.0 - kappa) * shares[i] * shares[j];
        let equal = if i == j { kappa * shares[i] } else { 0.0 };
        (TABLE * (by_chance + equal)).round() as u64
    };
    let row = |i: usize| (0..levels.len()).map(|j| cell(i, j)).collect();
    let table = Confusion::from_rows(&(0..levels.len()).map(row).collect::<Vec<Vec<u64>>>());
    let weights = if scale.kind == ScaleKind::Nominal { Weights::Unweighted } else { Weights::quadratic() };
    let analysis = KappaAnalysis::of_table(table, &levels_in_order, &weights).ok()?;
    let error = analysis.standard_error() * TABLE.sqrt();
    (error.is_finite() && error > 0.0).then_some(error)
}
