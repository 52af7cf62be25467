//! A wrapper for every command: the same parameters, by their machine types.
#![allow(unsafe_code)] // FFI

use super::Returned;
use crate::dispatch_table::bodies;
use std::ffi::c_void;

/// A parameter in a slot of eight bytes.
trait Slot: Copy {
    fn to_slot(self) -> u64;
    fn of_slot(slot: u64) -> Self;
}

impl Slot for u64 {
    fn to_slot(self) -> u64 {
        self
    }
    fn of_slot(slot: u64) -> u64 {
        slot
    }
}

impl Slot for usize {
    fn to_slot(self) -> u64 {
        self as u64
    }
    fn of_slot(slot: u64) -> usize {
        slot as usize
    }
}

impl Slot for u32 {
    fn to_slot(self) -> u64 {
        u64::from(self)
    }
    fn of_slot(slot: u64) -> u32 {
        slot as u32
    }
}

impl Slot for f32 {
    fn to_slot(self) -> u64 {
        u64::from(self.to_bits())
    }
    fn of_slot(slot: u64) -> f32 {
        f32::from_bits(slot as u32)
    }
}

impl Slot for *const c_void {
    fn to_slot(self) -> u64 {
        self.expose_provenance() as u64
    }
    fn of_slot(slot: u64) -> *const c_void {
        std::ptr::with_exposed_provenance(slot as usize)
    }
}

macro_rules! wrappers {
    ($($number:literal $name:ident $body:ident ($($parameter:ident: $ty:ty),*) -> $result:ty;)*) => {
        /// The wrappers, named as the bodies.
        mod wrapper {
            use super::{Returned, Slot, bodies, c_void};

            $(pub(super) unsafe extern "system" fn $body($($parameter: $ty),*) -> $result {
                let mut slots = [$(Slot::to_slot($parameter)),*];
                let mut run = |slots: &[u64]| {
                    let [$($parameter),*] = *slots else { unreachable!("as many slots as parameters") };
                    // SAFETY: the body of this command, whose parameters have these machine types.
                    let body = unsafe {
                        std::mem::transmute::<*const (), unsafe extern "system" fn($($ty),*) -> $result>(
                            bodies::$body as *const (),
                        )
                    };
                    // SAFETY: the caller's parameters, or what the recorder replaced them by.
                    Returned::bits(unsafe { body($(Slot::of_slot($parameter)),*) })
                };
                Returned::of_bits(crate::record::call($number, &mut slots, &mut run))
            })*
        }

        /// The wrappers, by the commands' numbers.
        static WRAPPERS: &[unsafe extern "system" fn()] = &[$({
            let wrapper: unsafe extern "system" fn($($ty),*) -> $result = wrapper::$body;
            // SAFETY: both are function pointers; callers cast it back to the command's type.
            unsafe {
                std::mem::transmute::<
                    unsafe extern "system" fn($($ty),*) -> $result,
                    unsafe extern "system" fn(),
                >(wrapper)
            }
        }),*];
    };
}

pyro_capture::for_each_signature!(wrappers);

/// What to call instead of the command of this name.
pub(crate) fn wrapper(name: &str) -> Option<unsafe extern "system" fn()> {
    let by_alias = || {
        let commands = pyro_capture::schema::commands().iter();
        let found = commands.zip(0..).find(|(command, _)| command.aliases.contains(&name));
        found.map(|(_, number)| number)
    };
    let number = pyro_capture::schema::command_number(name).or_else(by_alias)?;
    WRAPPERS.get(usize::from(number)).copied()
}
