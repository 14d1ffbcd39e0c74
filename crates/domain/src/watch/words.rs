//! What happened, in sentences: the same on the page, in the weekly report and in a chat.

use super::{Alert, Cut, Moved, Mover};
use agreement::Estimate;

/// Two decimals, with a true minus.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    match text.strip_prefix('-') {
        Some("0.00") => "0.00".to_owned(),
        Some(positive) => format!("−{positive}"),
        None => text,
    }
}

/// A difference by its size, with the interval turned where it is below zero: `0.06 [0.03, 0.09]`.
fn size(estimate: &Estimate) -> String {
    let Some(value) = estimate.value() else { return "an unknown part".to_owned() };
    let Some(interval) = estimate.interval() else { return number(value.abs()) };
    let (low, high) =
        if value < 0.0 { (-interval.high, -interval.low) } else { (interval.low, interval.high) };
    format!("{} [{}, {}]", number(value.abs()), number(low), number(high))
}

/// A figure as it is: `−0.01 [−0.03, 0.02]`.
fn figure(estimate: &Estimate) -> String {
    let Some(value) = estimate.value() else { return "unknown".to_owned() };
    match estimate.interval() {
        Some(interval) => {
            format!("{} [{}, {}]", number(value), number(interval.low), number(interval.high))
        }
        None => number(value),
    }
}

impl Alert {
    /// What fell, by how much and when; and whether that may be chance.
    #[must_use]
    pub fn in_words(&self, dimension: &str, cut: &Cut) -> String {
        let dimension = crate::visible(dimension);
        let noise = if self.within_noise { "; within noise" } else { "" };
        format!(
            "{dimension}{} fell by {} in the week to {}, against the week before{noise}",
            cut.in_words(),
            size(&self.change),
            self.day
        )
    }
}

impl Moved {
    /// Which of the two moved, by how much, as far as that is known.
    #[must_use]
    pub fn in_words(&self) -> String {
        let judge = || {
            let more =
                if self.judge.value().is_some_and(|value| value < 0.0) { "stricter" } else { "more lenient" };
            format!("the judge became {more} by {} on the anchor set", size(&self.judge))
        };
        let assistant = || {
            let fell = self.assistant.value().is_some_and(|value| value < 0.0);
            let what = if fell { "fell" } else { "rose" };
            format!("the assistant {what} by {}", size(&self.assistant))
        };
        match self.mover {
            Mover::Judge => {
                format!(
                    "{}; the assistant, corrected for it, did not move beyond noise: {}",
                    judge(),
                    figure(&self.assistant)
                )
            }
            Mover::Assistant => {
                format!("{}; the judge did not move beyond noise: {}", assistant(), figure(&self.judge))
            }
            Mover::Both => format!("{}; corrected for it, {}", judge(), assistant()),
            Mover::Neither => format!(
                "neither moved beyond noise: the judge {}, the assistant {}",
                figure(&self.judge),
                figure(&self.assistant)
            ),
            Mover::Unknown => {
                let why = self.judge.says().or(self.assistant.says()).unwrap_or("there is no calibration");
                format!("whether the judge or the assistant moved cannot be told: {why}")
            }
        }
    }
}
