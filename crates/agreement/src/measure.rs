//! How far raters agree: two of them, or any number.

pub(crate) mod agreeing;
pub(crate) mod alpha;
pub(crate) mod chance;
pub(crate) mod correlation;
pub(crate) mod differences;
pub(crate) mod icc;
pub(crate) mod kappa;
pub(crate) mod mean_kappa;
pub(crate) mod panel;
pub(crate) mod term;
pub(crate) mod weights;
