//! Shares and means, and what a judge of known errors tells about them.

pub(crate) mod known_error;
pub(crate) mod mcnemar;
pub(crate) mod mean;
pub(crate) mod pass_fail;
pub(crate) mod ppi;
pub(crate) mod proportion;
pub(crate) mod rogan_gladen;
