//! Facts of the Vulkan registry, as data: which commands there are, who brings them, which rule says whose
//! their objects are.
//!
//! [`commands`] is generated (see its header); must know nothing of the rest of this crate.

mod commands;
mod members;
mod parameters;
mod parent_rules;
pub(crate) mod parent_vuids;

pub(crate) use commands::{for_each_command, for_each_provider};
pub(crate) use members::{for_each_chained_struct, for_each_pointer_member, for_each_selected_member};
pub(crate) use parameters::for_each_checked_command;

macro_rules! command_ids {
    ($($level:ident $id:ident $pfn:ident {
        $name:ident:$($by:ident)*; $($alias:ident:$($alias_by:ident)*;)*
    })*) => {
        /// A command, named as its body is, so that macros which make bodies need one name.
        #[allow(non_camel_case_types)]
        #[allow(dead_code)] // bodies that cannot fail do not say which command they are
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u16)]
        pub(crate) enum CommandId {
            $($id,)*
        }

        impl CommandId {
            /// The command's name; of several the one without an extension's suffix.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(CommandId::$id => stringify!($name),)*
                }
            }
        }
    };
}

for_each_command!(command_ids);

/// What brings a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Provider {
    /// A version of the core.
    Version(u32, u32),
    /// An extension, for instances or devices.
    Extension(&'static str),
}

macro_rules! providers {
    ($($id:ident $kind:ident($($value:literal),*))*) => {
        /// The number of a core version or extension in [`PROVIDERS`], by its name.
        #[allow(non_camel_case_types)]
        pub(crate) enum ProviderId {
            $($id,)*
        }

        /// The core versions and extensions that bring commands.
        pub(crate) const PROVIDERS: &[Provider] = &[$(Provider::$kind($($value),*)),*];
    };
}

for_each_provider!(providers);

const _: () = assert!(PROVIDERS.len() <= u8::MAX as usize, "numbers of providers are bytes");
