//! Who said what of which item: on a declared scale, and matched item by item.

pub(crate) mod builder;
pub(crate) mod column;
pub(crate) mod confusion;
pub(crate) mod pairs;
pub(crate) mod ratings;
pub(crate) mod scale;
