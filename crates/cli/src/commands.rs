//! One module for each subcommand.

pub(crate) mod asm;
pub(crate) mod capture;
mod capture_info;
pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod coverage;
pub(crate) mod debug;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod exec;
pub(crate) mod export;
pub(crate) mod farm;
mod images;
pub(crate) mod info;
pub(crate) mod install;
pub(crate) mod manifest;
pub(crate) mod profile;
pub(crate) mod reduce;
pub(crate) mod reflect;
pub(crate) mod replay;
pub(crate) mod run;
pub(crate) mod sanitize;
pub(crate) mod shell;
pub(crate) mod test;
pub(crate) mod trim;
