//! Pass and fail at a threshold: how often a judge passes what people pass, and fails what they fail.

use serde::{Deserialize, Serialize};

use crate::input::pairs::Pairs;
use crate::input::scale::SNAP;
use crate::rate::proportion::{ProportionInterval, proportion};
use crate::result::estimate::{Estimate, Undefined};

/// Counts of judged items by what people and the judge said. The positive class is *pass*.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassFail {
    /// People pass, the judge passes.
    pub true_pass: u64,
    /// People pass, the judge fails.
    pub false_fail: u64,
    /// People fail, the judge fails.
    pub true_fail: u64,
    /// People fail, the judge passes.
    pub false_pass: u64,
}

impl PassFail {
    /// Counts matched answers, `a` being people: a value at or above the threshold passes. 0 is a threshold too.
    ///
    /// ```
    /// use agreement::{PassFail, Pairs, Scale};
    /// let scale = Scale::ordinal([1.0, 2.0, 3.0, 4.0, 5.0])?;
    /// let pairs = Pairs::from_values(scale, &[5.0, 4.0, 2.0, 1.0].map(Some), &[4.0, 3.0, 4.0, 1.0].map(Some))?;
    /// let counts = PassFail::at(&pairs, 4.0);
    /// assert_eq!(counts, PassFail { true_pass: 1, false_fail: 1, true_fail: 1, false_pass: 1 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn at(pairs: &Pairs, threshold: f64) -> PassFail {
        let mut counts = PassFail::default();
        for (person, judge) in pairs.values() {
            let passes = |value: f64| value >= threshold - SNAP;
            match (passes(person), passes(judge)) {
                (true, true) => counts.true_pass += 1,
                (true, false) => counts.false_fail += 1,
                (false, false) => counts.true_fail += 1,
                (false, true) => counts.false_pass += 1,
            }
        }
        counts
    }

    /// Items that people pass.
    pub fn passes(&self) -> u64 {
        self.true_pass.saturating_add(self.false_fail)
    }

    /// Items that people fail.
    pub fn fails(&self) -> u64 {
        self.true_fail.saturating_add(self.false_pass)
    }

    /// Share of what people pass that the judge passes (sensitivity). Undefined [`Undefined::NoPositives`].
    pub fn true_pass_rate(&self, confidence: f64, interval: ProportionInterval) -> Estimate {
        proportion(self.true_pass, self.passes(), confidence, interval, Undefined::NoPositives)
    }

    /// Share of what people fail that the judge fails (specificity). Undefined [`Undefined::NoNegatives`].
    pub fn true_fail_rate(&self, confidence: f64, interval: ProportionInterval) -> Estimate {
        proportion(self.true_fail, self.fails(), confidence, interval, Undefined::NoNegatives)
    }
}
