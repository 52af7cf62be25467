//! The commands that exist, by name: the registry's facts and the bodies together.

use crate::entry::device::Device;
use crate::entry::instance::Instance;
use crate::record;
use crate::registry::{PROVIDERS, Provider, ProviderId, for_each_checked_command, for_each_command};
use pyro_driver::caps::extensions;
use vulkanalia_sys as vk;

/// A command's first argument, which decides who may ask for it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Instance,
    PhysicalDevice,
    Device,
}

/// A command, under one of its names.
#[derive(Clone, Copy)]
struct Command {
    level: Level,
    body: unsafe extern "system" fn(),
    /// Who brings it under this name: numbers of [`PROVIDERS`]. None: Vulkan 1.0.
    providers: &'static [u8],
}

/// The commands' types.
mod types {
    pub(super) use pyro_driver::registry_supplement::*;
    // The bindings have them, too, with another mask.
    pub(super) use pyro_driver::registry_supplement::{
        DecompressMemoryInfoEXT, PFN_vkCmdDecompressMemoryEXT,
    };
    pub(super) use vulkanalia_sys::*;
}

/// The commands' bodies: those of C's parameters themselves, others behind their conversion, which goes
/// before what a glob imports.
pub(crate) mod bodies {
    pub(crate) use super::checked_names::*;
    pub(crate) use crate::loader::{get_device_proc_addr, get_instance_proc_addr};
}

macro_rules! checked_commands {
    ($($name:ident($($parameter:ident: $ty:ty),*) $(-> $result:ty)?
        => ($($argument:expr),*) requires ($($required:ident $(if $count:ident)? $rule:literal),*);)*) => {
        /// The commands whose bodies are safe functions, with C's parameters.
        #[allow(unused_unsafe)] // a few have values only
        mod checked {
            use super::types::*;
            use crate::call::refuse_null;
            use crate::entry;
            use crate::pointers;
            use crate::registry::CommandId;
            use std::ffi::*;

            $(pub(crate) unsafe extern "system" fn $name($($parameter: $ty),*) $(-> $result)? {
                $(if $required.is_null() $(&& $count != 0)? {
                    return refuse_null(CommandId::$name, $rule);
                })*
                // SAFETY: by the implicit valid usage of the command, from which the registry has the kind of
                // each pointer (`VUID-<command>-<parameter>-parameter`), until it returns.
                unsafe { entry::$name($($argument),*) }
            })*
        }

        mod checked_names {
            pub(crate) use crate::entry::*;
            $(pub(crate) use super::checked::$name;)*
        }
    };
}

for_each_checked_command!(checked_commands);

macro_rules! commands {
    ($($level:ident $id:ident $pfn:ident { $($name:ident:$($by:ident)*;)+ })*) => {
        static COMMANDS: &[Command] = &[$($(Command {
            level: Level::$level,
            body: {
                // The type checks that the body is what callers of this name will call.
                let body: types::$pfn = bodies::$id;
                // SAFETY: both are function pointers; callers cast it back to the command's type.
                unsafe { std::mem::transmute::<types::$pfn, unsafe extern "system" fn()>(body) }
            },
            providers: &[$(ProviderId::$by as u8),*],
        },)+)*];

        /// The names of all commands.
        const NAMES: &[&str] = &[$($(stringify!($name),)+)*];
    };
}

for_each_command!(commands);

/// The index's places; a power of two, several times the number of commands.
const PLACE_COUNT: usize = 2048;

/// From names to commands, by hashing with open addressing, made when the driver is compiled: programs look
/// up every name when they start. A place holds a command's number plus one.
static INDEX: [u16; PLACE_COUNT] = index();

/// FNV-1a.
const fn hash(name: &[u8]) -> usize {
    let (mut hash, mut at) = (0x811c_9dc5_u32, 0);
    while at < name.len() {
        hash = (hash ^ name[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    (hash ^ hash >> 15) as usize % PLACE_COUNT
}

const fn same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

const fn index() -> [u16; PLACE_COUNT] {
    let (mut index, mut number) = ([0; PLACE_COUNT], 0);
    while number < NAMES.len() {
        let mut place = hash(NAMES[number].as_bytes());
        while index[place] != 0 {
            assert!(!same(NAMES[index[place] as usize - 1].as_bytes(), NAMES[number].as_bytes()));
            place = (place + 1) % PLACE_COUNT;
        }
        number += 1;
        index[place] = number as u16;
    }
    index
}

/// A command's number.
const fn number(index: &[u16; PLACE_COUNT], name: &[u8]) -> Option<usize> {
    let mut place = hash(name);
    while index[place] != 0 {
        let number = index[place] as usize - 1;
        if same(NAMES[number].as_bytes(), name) {
            return Some(number);
        }
        place = (place + 1) % PLACE_COUNT;
    }
    None
}

/// Whether one of those who bring a command is there.
fn provided(command: &Command, version: impl Fn(u32, u32) -> bool, extension: impl Fn(&str) -> bool) -> bool {
    let is_there = |&provider: &u8| match PROVIDERS[usize::from(provider)] {
        Provider::Version(major, minor) => version(major, minor),
        Provider::Extension(name) => extension(name),
    };
    command.providers.is_empty() || command.providers.iter().any(is_there)
}

fn look_up(name: &[u8]) -> Option<&'static Command> {
    number(&INDEX, name).map(|number| &COMMANDS[number])
}

/// The address of a command: its body, or while a capture is made, what records it.
fn address(name: &[u8], command: &Command) -> vk::PFN_vkVoidFunction {
    if !record::is_on() {
        return Some(command.body);
    }
    std::str::from_utf8(name).ok().and_then(record::wrapper).or(Some(command.body))
}

/// The command of this name that needs no instance.
pub(crate) fn global(name: &[u8]) -> vk::PFN_vkVoidFunction {
    let global = [
        "vkGetInstanceProcAddr",
        "vkCreateInstance",
        "vkEnumerateInstanceVersion",
        "vkEnumerateInstanceExtensionProperties",
        "vkEnumerateInstanceLayerProperties",
    ];
    let is_global = global.iter().any(|global| global.as_bytes() == name);
    look_up(name).filter(|_| is_global).and_then(|command| address(name, command))
}

/// The command of this name for an instance: of the core, of an enabled instance extension, or of a device
/// extension that there is (specification, `vkGetInstanceProcAddr`).
pub(crate) fn for_instance(instance: &Instance, name: &[u8]) -> vk::PFN_vkVoidFunction {
    let command = look_up(name)?;
    let extension =
        |name: &str| instance.extensions.contains(&name) || extensions::of_devices(name).is_some();
    provided(command, |_, _| true, extension).then(|| address(name, command)).flatten()
}

/// The command of this name on a device: of a version that the application uses, or of an enabled extension
/// (specification, `vkGetDeviceProcAddr`).
pub(crate) fn for_device(instance: &Instance, device: &Device, name: &[u8]) -> vk::PFN_vkVoidFunction {
    let command = look_up(name)?;
    let version = |major, minor| device.api_version >= vk::make_version(major, minor, 0);
    let extension = |name: &str| device.extensions.contains(&name) || instance.extensions.contains(&name);
    let is_there = command.level == Level::Device && provided(command, version, extension);
    is_there.then(|| address(name, command)).flatten()
}

/// Whether its first argument is a physical device.
pub(crate) fn is_physical_device_command(name: &[u8]) -> bool {
    look_up(name).is_some_and(|command| command.level == Level::PhysicalDevice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found() {
        for (expected, name) in NAMES.iter().enumerate() {
            assert_eq!(number(&INDEX, name.as_bytes()), Some(expected));
        }
        for name in ["", "vk", "vkCmdDrawX", "vkCmdDra", "vkNotThere"] {
            assert_eq!(number(&INDEX, name.as_bytes()), None, "{name}");
        }
    }

    #[test]
    fn commands_of_extensions_have_providers() {
        for (command, name) in COMMANDS.iter().zip(NAMES) {
            let of_extension = name.ends_with(|last: char| last.is_ascii_uppercase());
            assert!(!of_extension || !command.providers.is_empty(), "{name}");
        }
    }

    /// All commands that the registry's extract has for Vulkan 1.0 to 1.4 and for exposed extensions, whose
    /// condition is met, have addresses.
    #[test]
    fn every_exposed_command_has_an_address() {
        let is_there = |name: &str| {
            name.starts_with("VK_VERSION_")
                || extensions::of_instances(name).or_else(|| extensions::of_devices(name)).is_some()
        };
        let mut seen = 0;
        for line in include_str!("../../../testing/registry/registry.tsv").lines() {
            let columns: Vec<&str> = line.split('\t').collect();
            let ["command", name, level, _, providers] = columns[..] else { continue };
            // A condition of one name is decided here, others by the generator.
            let holds = |by: &str| match by.split_once('?') {
                Some((owner, condition)) if !condition.contains(['+', ',', '(']) => {
                    is_there(owner) && is_there(condition)
                }
                Some(_) => false,
                None => is_there(by),
            };
            if !providers.split(' ').any(holds) {
                continue;
            }
            let command = look_up(name.as_bytes()).unwrap_or_else(|| panic!("{name} has no address"));
            let same = match command.level {
                Level::Instance => "Instance",
                Level::PhysicalDevice => "PhysicalDevice",
                Level::Device => "Device",
            };
            assert_eq!(level, same, "{name}");
            seen += 1;
        }
        assert!(seen > 450, "{seen}");
    }
}
