//! Judges beside people: against one reference, against each other, and against the ceiling that people set.

pub(crate) mod alt_test;
pub(crate) mod ceiling;
pub(crate) mod comparison;
pub(crate) mod fill;
pub(crate) mod luck;
pub(crate) mod permutation;
pub(crate) mod power;
pub(crate) mod reference;
pub(crate) mod repeats;
pub(crate) mod shift;
pub(crate) mod threshold;
