//! What generated code calls. The only `unsafe` of this crate: following the addresses that such calls bring.
//!
//! # Contract
//! The caller is generated code or an interpreter that follows [`pyro_abi::report`]: `callable` is the address
//! of a [`Hub`] that is alive, and the argument that of a call record with as many rows as its site has.
#![allow(unsafe_code)]

use crate::report::Record;
use pyro_abi::{Callable, Memory};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::with_exposed_provenance;

/// Takes reports. Behind the callable that shaders know.
pub(crate) trait Receiver: Send + Sync {
    /// Takes one.
    fn receive(&self, record: &Record);
}

/// The callable, and who takes its reports; the callable is first.
#[repr(C)]
pub(crate) struct Hub {
    callable: Callable,
    receiver: Box<dyn Receiver>,
}

const _: () = assert!(core::mem::offset_of!(Hub, callable) == 0);

impl Hub {
    pub(crate) fn new(receiver: Box<dyn Receiver>) -> Box<Hub> {
        Box::new(Hub { callable: Callable { entry, context: 0 }, receiver })
    }

    /// The callable's address.
    pub(crate) fn address(&self) -> u64 {
        (&raw const *self).expose_provenance() as u64
    }
}

/// # Safety
/// The module's contract.
unsafe extern "C" fn entry(callable: u64, record: u64) -> u32 {
    let result = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: by the module's contract the callable is a live `Hub`, and nobody has it mutably.
        let hub = unsafe { &*with_exposed_provenance::<Hub>(callable as usize) };
        // SAFETY: by the module's contract the record's header and rows are readable during the call.
        let memory = unsafe { Memory::new() };
        if let Some(record) = Record::read(memory, record) {
            hub.receiver.receive(&record);
        }
    }));
    result.is_err().into()
}
