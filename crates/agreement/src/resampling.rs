//! The bootstrap: sums over independent units, draws of them, and intervals from the draws.

pub(crate) mod bootstrap;
pub(crate) mod cells;
pub(crate) mod couple_rows;
pub(crate) mod couples;
pub(crate) mod draws;
pub(crate) mod kinds;
pub(crate) mod multinomial;
pub(crate) mod packed;
pub(crate) mod poisson;
pub(crate) mod quantile;
pub(crate) mod sums;
