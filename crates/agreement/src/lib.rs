//! Inter-rater agreement.

mod estimate;

pub use estimate::{Estimate, EstimateError, Flag, Interval, Method, Resamples, Undefined, Unit};
