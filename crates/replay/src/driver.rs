//! The commands of a driver, or of a loader, by instance.

use crate::call::{self, Address};
use pyro_capture::schema;
use std::collections::HashMap;
use std::ffi::{CString, c_char};
use vulkanalia_sys as vk;

/// `vkGetInstanceProcAddr`
pub type Lookup = unsafe extern "system" fn(vk::Instance, *const c_char) -> vk::PFN_vkVoidFunction;

/// Commands by instance and number.
pub(crate) struct Driver {
    lookup: Lookup,
    known: HashMap<(u64, u16), Option<Address>>,
}

impl Driver {
    pub(crate) fn new(lookup: Lookup) -> Driver {
        Driver { lookup, known: HashMap::new() }
    }

    /// A command of an instance, or for a null instance, a global one.
    fn command(&mut self, instance: u64, number: u16) -> Option<Address> {
        let lookup = self.lookup;
        *self.known.entry((instance, number)).or_insert_with(|| {
            let command = &schema::commands()[usize::from(number)];
            std::iter::once(command.name).chain(command.aliases.iter().copied()).find_map(|name| {
                let name = CString::new(name).ok()?;
                // SAFETY: the name ends in zero; the instance is null or was made by this driver.
                unsafe { lookup(vk::Handle::from_raw(instance as usize), name.as_ptr()) }
            })
        })
    }

    /// An instance is gone.
    pub(crate) fn forget(&mut self, instance: u64) {
        self.known.retain(|(of, _), _| *of != instance);
    }

    /// Calls a command of an instance; none where the driver does not have it.
    ///
    /// # Safety
    /// The slots are valid for the command.
    pub(crate) unsafe fn call(&mut self, instance: u64, number: u16, slots: &[u64]) -> Option<u64> {
        let command = self.command(instance, number)?;
        // SAFETY: the address is that of the command; the contract of this function.
        Some(unsafe { call::call(number, command, slots) })
    }

    /// Calls a command by its name.
    ///
    /// # Safety
    /// As of [`Driver::call`].
    pub(crate) unsafe fn call_by_name(&mut self, instance: u64, name: &str, slots: &[u64]) -> Option<u64> {
        let number = schema::command_number(name)?;
        // SAFETY: the contract of this function.
        unsafe { self.call(instance, number, slots) }
    }
}
