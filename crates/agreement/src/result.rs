//! What every figure has: its value with an interval or the reason why there is none, how that interval is asked for,
//! and p values of several figures at once.

pub(crate) mod adjust;
pub(crate) mod estimate;
pub(crate) mod inference;
