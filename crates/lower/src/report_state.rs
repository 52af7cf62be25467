//! What is kept of reports while an entry point is lowered ([`crate::report`]).
//!
//! Must not know: the lowering context, which holds it.

use crate::value::Scalars;
use pyro_abi::report::{AbortMessage, Site, SiteValue, ValueType};
use pyro_ir::{Inst, Slot, Value};

/// The sites of the entry point that is being lowered.
#[derive(Default)]
pub(crate) struct Reports {
    pub(crate) sites: Vec<Site>,
    pub(crate) ids: Option<Vec<SiteValue>>,
    pub(crate) strings: Vec<String>,
    pub(crate) aborts: Vec<AbortMessage>,
    /// The call record of all sites, once one needs it.
    pub(crate) slot: Option<Slot>,
    /// The constants that hold the table's number.
    pub(crate) numbers: Vec<Inst>,
}

impl Reports {
    /// The number of a string among the table's.
    pub(crate) fn string(&mut self, text: &str) -> u32 {
        let known = self.strings.iter().position(|other| other == text);
        known.unwrap_or_else(|| {
            self.strings.push(text.to_owned());
            self.strings.len() - 1
        }) as u32
    }
}

/// A value for a report.
#[derive(Clone, Debug)]
pub(crate) struct Reported {
    pub(crate) name: String,
    pub(crate) ty: ValueType,
    /// Components, of the type's width or narrower.
    pub(crate) scalars: Scalars,
}

impl Reported {
    /// A single scalar.
    pub(crate) fn new(name: &str, ty: ValueType, value: Value) -> Reported {
        Reported { name: name.to_owned(), ty, scalars: smallvec::smallvec![value] }
    }
}
