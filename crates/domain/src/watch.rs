//! Production: what judges scored day by day, whether it fell, and whether the assistant or the judge is what moved.
//!
//! Everything here is on one axis, the share of a scale's range: 0 is its least value, 1 its greatest. A fall of 0.05 then means the same on
//! every scale.

mod alert;
mod calibration;
mod corrected;
mod day;
mod moved;
mod report;
mod series;
mod settings;
mod sums;
mod words;

#[cfg(test)]
mod tests;

pub use alert::Alert;
pub use calibration::Calibration;
pub use corrected::{AnchorPairs, CorrectedRate};
pub use day::Day;
pub use moved::{Moved, Mover};
pub use report::{
    Cut, DimensionWatch, ModelEvent, RollingPoint, ScoredSeries, ScoringJudge, SeriesWatch, WatchInput,
    WatchReport,
};
pub use settings::{DimensionSettings, OnFailure, WatchSettings};
pub use sums::{BINS, PARTS, ScaleShare, Sums};
