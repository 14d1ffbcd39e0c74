//! Server functions: public endpoints under `/rpc`, `POST` only. Each authorises in its first line, calls the service and maps the
//! refusal; nothing else is decided here.

pub(crate) mod account;
pub(crate) mod adjudicate;
pub(crate) mod agreement;
pub(crate) mod anchor_set;
pub(crate) mod assign;
pub(crate) mod comparison;
pub(crate) mod conversation;
pub(crate) mod diagnosis;
pub(crate) mod gate;
pub(crate) mod import;
pub(crate) mod invitation;
pub(crate) mod judge;
pub(crate) mod label;
pub(crate) mod packed;
pub(crate) mod people;
pub(crate) mod project;
pub(crate) mod reason;
pub(crate) mod release;
pub(crate) mod rubric;
pub(crate) mod watch;
