//! The parts that pages are made of.

pub(crate) mod announcer;
pub(crate) mod chart;
pub(crate) mod dialog;
pub(crate) mod figure;
pub(crate) mod form;
pub(crate) mod frame;
pub(crate) mod loaded;
pub(crate) mod number;
pub(crate) mod provenance;
pub(crate) mod reading;
pub(crate) mod text;
