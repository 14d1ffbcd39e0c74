//! What a run of a judge covers, and how far it came.

use crate::{AnchorSetName, Split};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What is judged, how often, and within which limits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunPlan {
    /// Which units.
    pub scope: RunScope,
    /// At most so many units, by lots that the seed decides; all where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u32>,
    /// Decides which units are drawn.
    #[serde(default)]
    pub seed: u32,
    /// How often each unit is asked about, from 1 on.
    pub repeats: u32,
    /// The run pauses before it spends more, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_usd: Option<f64>,
    /// The run pauses before it spends more tokens, sent and received.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_tokens: Option<u64>,
}

/// Which units a run is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunScope {
    /// Every unit of the project that the judge's criteria are asked of.
    Project,
    /// The items of a frozen anchor set.
    AnchorSet {
        /// The set.
        name: AnchorSetName,
        /// One split; both where absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        split: Option<Split>,
    },
}

impl fmt::Display for RunScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunScope::Project => f.write_str("all conversations"),
            RunScope::AnchorSet { name, split: None } => write!(f, "anchor set {name}"),
            RunScope::AnchorSet { name, split: Some(split) } => {
                write!(f, "anchor set {name}, {}", split.word())
            }
        }
    }
}

/// Most repeats of one run.
const MOST_REPEATS: u32 = 100;

impl RunPlan {
    /// One pass over everything, without limits.
    #[must_use]
    pub fn once(scope: RunScope) -> RunPlan {
        RunPlan { scope, size: None, seed: 1, repeats: 1, most_usd: None, most_tokens: None }
    }

    /// The field that cannot stand, with what was found and what was expected.
    ///
    /// # Errors
    /// The field, and the sentence about it.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        let expected = |field, found: &dyn fmt::Display, expected: &str| {
            Err((field, format!("found {found}, expected {expected}")))
        };
        if !(1..=MOST_REPEATS).contains(&self.repeats) {
            return expected("repeats", &self.repeats, "1 to 100");
        }
        if self.size == Some(0) {
            return expected("size", &0, "a number of units from 1 on");
        }
        match self.most_usd {
            Some(most) if !(most > 0.0 && most.is_finite()) => {
                expected("most_usd", &most, "an amount above 0")
            }
            _ => Ok(()),
        }
    }

    /// Why the next call must not be made, where what was spent and what is under way reach a limit. `under_way` is what the calls that are
    /// being made are likely to cost.
    #[must_use]
    pub fn limit_reached(&self, spent: &RunCounts, under_way: Spending) -> Option<String> {
        let tokens = spent.input_tokens + spent.output_tokens + under_way.tokens;
        if let Some(most) = self.most_tokens
            && tokens >= most
        {
            return Some(format!("the budget of {most} tokens is spent"));
        }
        match self.most_usd {
            Some(most) if spent.cost_usd + under_way.usd >= most => {
                Some(format!("the budget of ${most} is spent"))
            }
            _ => None,
        }
    }
}

/// Money and tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spending {
    /// US dollars.
    pub usd: f64,
    /// Tokens, sent and received.
    pub tokens: u64,
}

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Calls are made, or will be as soon as a process serves the file.
    Running,
    /// It stands still, and can go on where it stopped.
    Paused,
    /// It was given up; what was answered stays.
    Cancelled,
    /// Every unit has its answers or its failures.
    Done,
}

impl RunState {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            RunState::Running => "running",
            RunState::Paused => "paused",
            RunState::Cancelled => "cancelled",
            RunState::Done => "done",
        }
    }
}

impl std::str::FromStr for RunState {
    type Err = String;

    fn from_str(text: &str) -> Result<RunState, String> {
        [RunState::Running, RunState::Paused, RunState::Cancelled, RunState::Done]
            .into_iter()
            .find(|state| state.word() == text)
            .ok_or_else(|| format!("`{text}` is no state of a run"))
    }
}

/// How far a run came and what it spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunCounts {
    /// Calls that the plan needs.
    pub calls: u64,
    /// Of them, those that were answered or failed for good.
    pub answered: u64,
    /// Of these, calls with an instrument failure.
    pub failures: u64,
    /// Requests made, those that were made again included.
    pub attempts: u64,
    /// US dollars.
    pub cost_usd: f64,
    /// Tokens sent.
    pub input_tokens: u64,
    /// Tokens received.
    pub output_tokens: u64,
    /// Milliseconds in which the run was under way.
    pub active_ms: u64,
}

impl RunCounts {
    /// Calls a second, while the run was under way; none before the first answer.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    pub fn rate(&self) -> Option<f64> {
        (self.answered > 0 && self.active_ms > 0)
            .then(|| self.answered as f64 * 1_000.0 / self.active_ms as f64)
    }

    /// Seconds that the rest will take at the rate so far.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "an estimate for people")]
    pub fn seconds_left(&self) -> Option<f64> {
        self.rate().map(|rate| self.calls.saturating_sub(self.answered) as f64 / rate)
    }

    /// What one call has cost so far, on average.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "an average")]
    pub fn usual(&self) -> Option<(f64, f64)> {
        let tokens = (self.input_tokens + self.output_tokens) as f64;
        (self.answered > 0).then(|| (self.cost_usd / self.answered as f64, tokens / self.answered as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_counts_what_is_under_way() {
        let plan =
            RunPlan { most_usd: Some(1.0), most_tokens: Some(1_000), ..RunPlan::once(RunScope::Project) };
        let spent =
            RunCounts { cost_usd: 0.6, input_tokens: 300, output_tokens: 100, ..RunCounts::default() };
        assert_eq!(plan.limit_reached(&spent, Spending { usd: 0.3, tokens: 500 }), None);
        let says = plan.limit_reached(&spent, Spending { usd: 0.4, tokens: 500 });
        assert_eq!(says.as_deref(), Some("the budget of $1 is spent"));
        let says = plan.limit_reached(&spent, Spending { usd: 0.0, tokens: 600 });
        assert_eq!(says.as_deref(), Some("the budget of 1000 tokens is spent"));
        let free = RunPlan::once(RunScope::Project);
        assert_eq!(free.limit_reached(&spent, Spending { usd: 1e9, tokens: 1 << 40 }), None);
    }

    #[test]
    fn what_cannot_stand_is_named() {
        let plan = RunPlan::once(RunScope::Project);
        assert_eq!(plan.check(), Ok(()));
        for (plan, field) in [
            (RunPlan { repeats: 0, ..plan.clone() }, "repeats"),
            (RunPlan { repeats: 101, ..plan.clone() }, "repeats"),
            (RunPlan { size: Some(0), ..plan.clone() }, "size"),
            (RunPlan { most_usd: Some(f64::NAN), ..plan.clone() }, "most_usd"),
            (RunPlan { most_usd: Some(0.0), ..plan }, "most_usd"),
        ] {
            assert_eq!(plan.check().unwrap_err().0, field);
        }
    }

    #[test]
    fn the_rest_takes_as_long_as_the_rate_says() {
        let counts = RunCounts { calls: 100, answered: 25, active_ms: 5_000, ..RunCounts::default() };
        assert_eq!(counts.rate(), Some(5.0));
        assert_eq!(counts.seconds_left(), Some(15.0));
        assert_eq!(RunCounts::default().seconds_left(), None);
    }
}
