//! The parts that pages are made of.

pub(crate) mod announcer;
#[cfg(feature = "ssr")]
pub(crate) mod chart;
pub(crate) mod dialog;
#[cfg(feature = "ssr")]
pub(crate) mod figure;
pub(crate) mod form;
pub(crate) mod frame;
pub(crate) mod loaded;
pub(crate) mod markup;
pub(crate) mod number;
#[cfg(feature = "ssr")]
pub(crate) mod provenance;
#[cfg(feature = "ssr")]
pub(crate) mod reading;
pub(crate) mod sentence;
#[cfg(feature = "ssr")]
pub(crate) mod slice;
pub(crate) mod table;
#[cfg(feature = "ssr")]
pub(crate) mod text;
