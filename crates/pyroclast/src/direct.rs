//! The structures of `VK_LUNARG_direct_driver_loading`: the system's loader takes this driver from the
//! program, without a manifest, and layers work as for an installed one.
//!
//! A program enables the instance extension [`EXTENSION`] and chains a [`DriverList`] to its
//! `VkInstanceCreateInfo`. Loaders know it since 2023 (that of Debian 12 is older); they say so in
//! `vkEnumerateInstanceExtensionProperties`.
//!
//! ```no_run
//! use ash::vk;
//! use pyroclast::direct::{Driver, DriverList, Mode};
//!
//! let drivers = [Driver::pyroclast()];
//! let list = DriverList::new(Mode::Exclusive, &drivers);
//! let extensions = [pyroclast::direct::EXTENSION.as_ptr()];
//! let mut info = vk::InstanceCreateInfo::default().enabled_extension_names(&extensions);
//! info.p_next = std::ptr::from_ref(&list).cast();
//! // Then vkCreateInstance of the loader (`ash::Entry::load`).
//! ```

use crate::{GetInstanceProcAddr, get_instance_proc_addr};
use std::ffi::{CStr, c_void};
use std::marker::PhantomData;
use std::ptr::null;

/// The instance extension to enable.
pub const EXTENSION: &CStr = c"VK_LUNARG_direct_driver_loading";

/// `VK_STRUCTURE_TYPE_DIRECT_DRIVER_LOADING_INFO_LUNARG`
const DRIVER_STRUCTURE: i32 = 1_000_459_000;
/// `VK_STRUCTURE_TYPE_DIRECT_DRIVER_LOADING_LIST_LUNARG`
const LIST_STRUCTURE: i32 = 1_000_459_001;

/// `VkDirectDriverLoadingModeLUNARG`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Mode {
    /// Only the drivers of the list.
    Exclusive = 0,
    /// Those besides the ones that the loader finds.
    Inclusive = 1,
}

/// `VkDirectDriverLoadingInfoLUNARG`: one driver.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Driver {
    structure_type: i32,
    next: *const c_void,
    flags: u32,
    get_instance_proc_addr: GetInstanceProcAddr,
}

impl Driver {
    /// The driver that is linked into this program.
    #[must_use]
    pub fn pyroclast() -> Driver {
        Driver { structure_type: DRIVER_STRUCTURE, next: null(), flags: 0, get_instance_proc_addr }
    }
}

/// `VkDirectDriverLoadingListLUNARG`, to be chained to `VkInstanceCreateInfo`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct DriverList<'drivers> {
    structure_type: i32,
    /// The next structure of the chain, or null.
    pub next: *const c_void,
    mode: Mode,
    driver_count: u32,
    drivers: *const Driver,
    lifetime: PhantomData<&'drivers [Driver]>,
}

impl<'drivers> DriverList<'drivers> {
    /// A list of these drivers.
    ///
    /// # Panics
    /// With more drivers than a 32-bit number counts.
    #[must_use]
    pub fn new(mode: Mode, drivers: &'drivers [Driver]) -> DriverList<'drivers> {
        DriverList {
            structure_type: LIST_STRUCTURE,
            next: null(),
            mode,
            driver_count: u32::try_from(drivers.len()).expect("fewer than four billion drivers"),
            drivers: drivers.as_ptr(),
            lifetime: PhantomData,
        }
    }
}
