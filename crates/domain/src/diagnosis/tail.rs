//! How the conversations of a metric are distributed, and the worst of them.

use crate::{
    Better,
    metric::{Fault, ProjectMetric},
};
use agreement::Estimate;
use serde::{Deserialize, Serialize};

/// The distribution of a metric over conversations, and its bad end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tail {
    /// The pass level of the scale, a half of a share, or 0 of what should not be there.
    pub bound: f64,
    /// Share of the conversations on the bad side of the bound.
    pub beyond: Estimate,
    /// The same among those whose question has several parts.
    pub beyond_multi_part: Estimate,
    /// Conversations in ten equal steps from the least to the greatest value that there can be.
    pub histogram: Vec<Bin>,
    /// The worst conversations, worst first; none with the best value that there is.
    pub worst: Vec<WorstConversation>,
}

/// One step of a histogram: from `low` up to, but for the last, not including `high`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// From here.
    pub low: f64,
    /// To here.
    pub high: f64,
    /// Conversations in it.
    pub count: u64,
}

/// A conversation with its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorstConversation {
    /// Id in the source system.
    pub conversation: String,
    /// Its value.
    pub value: f64,
    /// The unit that lowers the value most, where there is one to go to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// What is wrong with that unit, as a clause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub says: Option<String>,
}

/// How many of the worst are listed.
const LISTED: usize = 10;

/// How many steps a histogram has.
const STEPS: u32 = 10;

impl Tail {
    /// `mean` is that over the conversations with its interval; `name` gives the id of a conversation by position, `multi_part` whether
    /// its question has several parts, and `fault` the unit that lowers its value most.
    pub(super) fn of<'a>(
        metric: &ProjectMetric,
        values: &[Option<f64>],
        mean: impl Fn(&[Option<f64>]) -> Estimate,
        name: impl Fn(usize) -> &'a str,
        multi_part: impl Fn(usize) -> bool,
        fault: impl Fn(usize) -> Option<Fault>,
    ) -> Tail {
        let high = metric.metric.better == Better::High;
        let is_beyond = |value: f64| if high { value < metric.bound } else { value > metric.bound };
        let beyond = |value: Option<f64>| value.map(|value| if is_beyond(value) { 1.0 } else { 0.0 });
        let all: Vec<Option<f64>> = values.iter().map(|value| beyond(*value)).collect();
        let parts = all.iter().enumerate().map(|(at, value)| value.filter(|_| multi_part(at)));
        let parts: Vec<Option<f64>> = parts.collect();
        let mut worst: Vec<(usize, f64)> =
            values.iter().enumerate().filter_map(|(at, value)| Some((at, (*value)?))).collect();
        worst.sort_by(|(_, a), (_, b)| if high { a.total_cmp(b) } else { b.total_cmp(a) });
        let (least, greatest) = metric.range;
        let is_flawed = |value: f64| if high { value < greatest } else { value > least };
        let worst = worst.into_iter().filter(|(_, value)| is_flawed(*value)).take(LISTED);
        Tail {
            bound: metric.bound,
            beyond: mean(&all),
            beyond_multi_part: mean(&parts),
            histogram: histogram(values, metric.range),
            worst: worst
                .map(|(at, value)| {
                    let fault = fault(at);
                    WorstConversation {
                        conversation: name(at).to_owned(),
                        value,
                        unit: fault.as_ref().map(|fault| fault.unit.to_string()),
                        says: fault.map(|fault| fault.says),
                    }
                })
                .collect(),
        }
    }
}

fn histogram(values: &[Option<f64>], (low, high): (f64, f64)) -> Vec<Bin> {
    let step = (high - low) / f64::from(STEPS);
    let mut bins: Vec<Bin> = (0..STEPS)
        .map(|at| Bin { low: low + f64::from(at) * step, high: low + f64::from(at + 1) * step, count: 0 })
        .collect();
    for value in values.iter().flatten() {
        // A value on an edge may have been rounded to either side of it.
        let at = bins.partition_point(|bin| bin.high <= value + 1e-9).min(bins.len() - 1);
        bins[at].count += 1;
    }
    bins
}
