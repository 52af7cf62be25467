//! The commands that destroy an object of a device, which differ in its type only.

/// A command that destroys an object of a device.
macro_rules! destroy_command {
    ($name:ident($handle:ident), $object:ty) => {
        pub(crate) fn $name(
            device: vulkanalia_sys::Device,
            object: vulkanalia_sys::$handle,
            allocator: $crate::pointers::Allocator,
        ) {
            $crate::call::guard_void($crate::registry::CommandId::$name, || {
                let object = vulkanalia_sys::Handle::as_raw(object);
                if object == 0 {
                    return Ok(());
                }
                let thread = $crate::handle::thread::here();
                $crate::handle::check_device(thread, vulkanalia_sys::Handle::as_raw(device))?;
                $crate::handle::remove::<$object>(object, allocator)
            });
        }
    };
}
pub(crate) use destroy_command;
