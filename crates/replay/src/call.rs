//! How each command is called, from slots.

use std::ffi::c_void;

/// A command's address.
pub(crate) type Address = unsafe extern "system" fn();

trait OfSlot {
    fn of(slot: u64) -> Self;
}

impl OfSlot for u64 {
    fn of(slot: u64) -> u64 {
        slot
    }
}

impl OfSlot for usize {
    fn of(slot: u64) -> usize {
        slot as usize
    }
}

impl OfSlot for u32 {
    fn of(slot: u64) -> u32 {
        slot as u32
    }
}

impl OfSlot for f32 {
    fn of(slot: u64) -> f32 {
        f32::from_bits(slot as u32)
    }
}

impl OfSlot for *const c_void {
    fn of(slot: u64) -> *const c_void {
        std::ptr::with_exposed_provenance(slot as usize)
    }
}

trait Bits {
    fn bits(self) -> u64;
}

impl Bits for () {
    fn bits(self) -> u64 {
        0
    }
}

impl Bits for i32 {
    fn bits(self) -> u64 {
        i64::from(self) as u64
    }
}

impl Bits for u64 {
    fn bits(self) -> u64 {
        self
    }
}

macro_rules! callers {
    ($($number:literal $name:ident $body:ident ($($parameter:ident: $ty:ty),*) -> $result:ty;)*) => {
        /// The callers, named as the commands.
        mod caller {
            use super::{Address, Bits, OfSlot, c_void};

            $(pub(super) unsafe fn $body(command: Address, slots: &[u64]) -> u64 {
                let [$($parameter),*] = *slots else { return 0 };
                // SAFETY: the command has parameters of these machine types, which are valid, by the contract
                // of `call`.
                unsafe {
                    let command = std::mem::transmute::<
                        Address,
                        unsafe extern "system" fn($($ty),*) -> $result,
                    >(command);
                    command($(OfSlot::of($parameter)),*).bits()
                }
            })*
        }

        static CALLERS: &[unsafe fn(Address, &[u64]) -> u64] = &[$(caller::$body),*];
    };
}

pyro_capture::for_each_signature!(callers);

/// Calls a command; nothing happens unless there are as many slots as parameters.
///
/// # Safety
/// `command` is the command of this number, and the slots are valid for it.
pub(crate) unsafe fn call(number: u16, command: Address, slots: &[u64]) -> u64 {
    match CALLERS.get(usize::from(number)) {
        // SAFETY: the contract of this function.
        Some(caller) => unsafe { caller(command, slots) },
        None => 0,
    }
}
