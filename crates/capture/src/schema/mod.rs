//! What Vulkan's commands and structures are made of, as data.
//!
//! The problem: there are some six hundred commands and a thousand structures; code that encodes each would
//! be larger than the driver's C ABI. The approach: the registry's facts as tables (made by
//! `testing/registry`), over which one interpreter walks ([`crate::encode`], [`crate::decode`]). Layouts are
//! those of 64-bit systems; a test compares them with the bindings'.
//!
//! *Must not know* what a command does.

mod commands;
#[macro_use]
mod signatures;
mod structures;

use std::collections::HashMap;
use std::sync::OnceLock;

/// A member of a structure or union, or a parameter of a command.
#[derive(Debug)]
pub struct Member {
    /// Its name in the registry.
    pub name: &'static str,
    /// Bytes from the start; parameters are in slots of eight bytes.
    pub offset: u32,
    /// Elements of an array that lies in the structure itself; else 1.
    pub count: u32,
    /// What it is.
    pub kind: Kind,
    /// In a union, the values of its selector for which it is the valid member.
    pub selections: &'static [i64],
}

/// What a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// So many bytes without pointers and handles.
    Bytes(u32),
    /// A floating-point number of so many bytes.
    Real(u32),
    /// A handle, with the number of its type.
    Handle(u16),
    /// A structure, with its number.
    Struct(u16),
    /// A union, with its number and the number of the member that selects.
    Union(u16, u16),
    /// `pNext`; whether the command writes to the chain.
    Chain(bool),
    /// A pointer that nobody may follow; it is null in a capture.
    Opaque,
    /// A function of the application.
    Function,
    /// A pointer: whether the command writes there, what it points at, how many, and when it is valid.
    Pointer(bool, &'static Kind, Length, When),
}

/// How many elements a pointer points at. Members are named by their number in the same structure or command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// So many.
    Constant(u32),
    /// Characters up to a zero.
    String,
    /// A member's value, or what it points at.
    Member(u16),
    /// A member's value divided by a number.
    Divided(u16, u32),
    /// Words of 32 bits of a mask with so many bits as a member says.
    Mask(u16),
    /// The 32-bit number at an offset in the structure that a parameter points at.
    Through(u16, u32),
    /// For pointers in an array: `geometryCount` of the build info of the same index, in the array of infos
    /// that a parameter points at.
    EachOf(u16),
}

/// When a pointer that is not null may be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Always.
    Always,
    /// When a member has one of these values.
    OneOf(u16, &'static [u32]),
    /// When a member has none of these bits.
    Without(u16, u32),
    /// When it points at readable memory with the right `sType`: where it is ignored it may be anything.
    Readable,
}

/// A structure or union.
#[derive(Debug)]
pub struct Structure {
    /// Its name, without `Vk`.
    pub name: &'static str,
    /// Its `sType`, or -1.
    pub s_type: i32,
    /// Bytes.
    pub size: u32,
    /// Its members.
    pub members: &'static [Member],
    /// Whether its members share their bytes.
    pub is_union: bool,
}

/// What a command returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// Nothing.
    Nothing,
    /// A `VkResult`.
    Result,
    /// 32 bits.
    Word,
    /// 64 bits.
    Long,
}

/// A command.
#[derive(Debug)]
pub struct Command {
    /// Its name.
    pub name: &'static str,
    /// Its other names.
    pub aliases: &'static [&'static str],
    /// What it returns.
    pub returns: Returns,
    /// Its parameters.
    pub parameters: &'static [Member],
}

/// A type of handles.
#[derive(Debug)]
pub struct HandleType {
    /// Its name, without `Vk`.
    pub name: &'static str,
    /// Its `VkObjectType`.
    pub object_type: i32,
    /// Whether its handles are pointers.
    pub is_dispatchable: bool,
}

/// A member or parameter.
const fn value(name: &'static str, offset: u32, count: u32, kind: Kind) -> Member {
    Member { name, offset, count, kind, selections: &[] }
}

/// A member of a union with a selector.
const fn item(name: &'static str, count: u32, kind: Kind, selections: &'static [i64]) -> Member {
    Member { name, offset: 0, count, kind, selections }
}

const fn row(name: &'static str, s_type: i32, size: u32, members: &'static [Member]) -> Structure {
    Structure { name, s_type, size, members, is_union: false }
}

const fn choice(name: &'static str, s_type: i32, size: u32, members: &'static [Member]) -> Structure {
    Structure { name, s_type, size, members, is_union: true }
}

/// Changes with every change of the tables: a capture made by other tables may be encoded otherwise.
pub const FINGERPRINT: u64 = commands::FINGERPRINT;

/// All commands.
pub fn commands() -> &'static [Command] {
    commands::COMMANDS
}

/// The structure of a number in [`Kind`].
pub fn structure(number: u16) -> &'static Structure {
    &structures::STRUCTURES[usize::from(number)]
}

/// All structures and unions.
pub fn structures() -> &'static [Structure] {
    structures::STRUCTURES
}

/// All handle types.
pub fn handle_types() -> &'static [HandleType] {
    structures::HANDLE_TYPES
}

/// A command's number.
pub fn command_number(name: &str) -> Option<u16> {
    let found = commands::COMMANDS.binary_search_by(|command| command.name.cmp(name)).ok();
    found.and_then(|number| u16::try_from(number).ok())
}

/// A structure's number.
pub fn structure_number(name: &str) -> Option<u16> {
    let found = structures::STRUCTURES.binary_search_by(|structure| structure.name.cmp(name)).ok();
    found.and_then(|number| u16::try_from(number).ok())
}

/// A handle type's number, by its name.
pub fn handle_type(name: &str) -> Option<u16> {
    let found = structures::HANDLE_TYPES.iter().position(|one| one.name == name);
    found.and_then(|number| u16::try_from(number).ok())
}

/// A handle type's number, by its `VkObjectType`.
pub fn handle_type_of(object_type: i32) -> Option<u16> {
    let found = structures::HANDLE_TYPES.iter().position(|one| one.object_type == object_type);
    found.and_then(|number| u16::try_from(number).ok())
}

/// The structure that begins with an `sType`, by number.
pub fn chained(s_type: i32) -> Option<u16> {
    static BY_TYPE: OnceLock<HashMap<i32, u16>> = OnceLock::new();
    let by_type = BY_TYPE.get_or_init(|| {
        let all = structures::STRUCTURES.iter().zip(0..);
        all.filter(|(one, _)| one.s_type >= 0).map(|(one, number)| (one.s_type, number)).collect()
    });
    by_type.get(&s_type).copied()
}

/// Whether a kind has neither pointers nor handles.
pub fn is_plain(kind: Kind) -> bool {
    static PLAIN: OnceLock<Vec<bool>> = OnceLock::new();
    fn plain(kind: Kind) -> bool {
        match kind {
            Kind::Bytes(_) | Kind::Real(_) => true,
            Kind::Struct(number) => structure(number).members.iter().all(|member| plain(member.kind)),
            _ => false,
        }
    }
    match kind {
        Kind::Struct(number) => {
            let all = PLAIN.get_or_init(|| {
                (0..structures::STRUCTURES.len()).map(|number| plain(Kind::Struct(number as u16))).collect()
            });
            all[usize::from(number)]
        }
        kind => plain(kind),
    }
}

/// Bytes of a value of a kind.
pub fn size(kind: Kind) -> u32 {
    match kind {
        Kind::Bytes(size) | Kind::Real(size) => size,
        Kind::Struct(number) | Kind::Union(number, _) => structure(number).size,
        _ => 8,
    }
}

/// Whether a structure has a function of the application, which nobody else can call: such structures are
/// left out of captures.
pub fn has_functions(structure: &Structure) -> bool {
    structure.members.iter().any(|member| member.kind == Kind::Function)
}
