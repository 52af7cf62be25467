//! Faults on their way from the handler to the caller of the function that raised them.

use super::Fault;
use crate::primitives::{AtomicBool, AtomicI32, AtomicU64, FAULT_COUNT, Ordering, array_of, constructor};

struct Slot {
    used: AtomicBool,
    signal: AtomicI32,
    address: AtomicU64,
    instruction: AtomicU64,
}

/// Faults on their way.
pub(super) struct Faults([Slot; FAULT_COUNT]);

/// Stands for a fault whose details found no slot.
const NO_SLOT: u32 = u32::MAX;

impl Faults {
    constructor! {
        pub(super) fn new() -> Faults {
            Faults(array_of!(
                Slot {
                    used: AtomicBool::new(false),
                    signal: AtomicI32::new(0),
                    address: AtomicU64::new(0),
                    instruction: AtomicU64::new(0),
                };
                FAULT_COUNT
            ))
        }
    }

    /// Leaves a fault for [`Faults::take`] on the same thread; its number. Takes no lock.
    pub(super) fn put(&self, fault: Fault) -> u32 {
        for (slot, number) in self.0.iter().zip(0..) {
            if !slot.used.swap(true, Ordering::Acquire) {
                slot.signal.store(fault.signal, Ordering::Relaxed);
                slot.address.store(fault.address, Ordering::Relaxed);
                slot.instruction.store(fault.instruction, Ordering::Relaxed);
                return number;
            }
        }
        NO_SLOT
    }

    /// The fault of this number, which is free for others then.
    pub(super) fn take(&self, number: u32) -> Option<Fault> {
        let slot = self.0.get(number as usize)?;
        let fault = Fault {
            signal: slot.signal.load(Ordering::Relaxed),
            address: slot.address.load(Ordering::Relaxed),
            instruction: slot.instruction.load(Ordering::Relaxed),
        };
        slot.used.store(false, Ordering::Release);
        Some(fault)
    }
}
