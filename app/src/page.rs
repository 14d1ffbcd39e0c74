//! The pages, one file each.

pub(crate) mod account;
pub(crate) mod adjudicate;
pub(crate) mod agreement;
pub(crate) mod anchor_sets;
pub(crate) mod assignments;
pub(crate) mod compare;
pub(crate) mod conversation;
pub(crate) mod decision;
pub(crate) mod diagnose;
pub(crate) mod failures;
pub(crate) mod gate;
pub(crate) mod home;
pub(crate) mod import;
pub(crate) mod invitation;
pub(crate) mod judge;
pub(crate) mod judges;
pub(crate) mod label;
pub(crate) mod not_found;
pub(crate) mod pair;
pub(crate) mod people;
pub(crate) mod projects;
pub(crate) mod reasons;
pub(crate) mod rubric;
pub(crate) mod sign_in;
pub(crate) mod threshold;
pub(crate) mod watch;
