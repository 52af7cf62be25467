//! Decoded SPIR-V modules.
//!
//! [`Module::decode`] reads the words once and keeps them, with indices beside them: where each
//! instruction lies, which one defines each id, decorations sorted by target, functions and blocks.
//! Everything else is a *view* that is made from the words when asked for ([`Instruction`], [`Type`],
//! [`Decoration`], [`Terminator`], …); views are `Copy` and cost a few loads.
//!
//! # What decoding promises
//! - Each instruction's operands follow the grammar: required operands are there, enumerants are known,
//!   literals have their type's width, strings end.
//! - Each id operand is from 1 to below the bound (it need not be *defined*: see [`Module::definition`]);
//!   no id is defined twice.
//! - A type contains only types declared before it (pointers contain nothing), nested at most
//!   [`limits::TYPE_NESTING_DEPTH_MAX`] deep, so walks over types end.
//! - Functions and blocks are properly delimited: each block has a label and ends in its only terminator,
//!   directly before which its merge instruction stands if it has one.
//!
//! Everything else that a consumer needs (operand types, dominance, structured control flow) is for
//! validation to check. No input makes this crate panic, loop or allocate beyond a multiple of its size.
#![forbid(unsafe_code)]

pub mod asm;
pub mod constant;
mod debug;
mod dis;
mod number;

mod decode;
mod decoration;
mod enumeration;
mod error;
mod ext;
pub mod facts;
mod float16;
mod float8;
mod function;
pub mod grammar;
mod id;
mod instruction;
pub mod layout;
pub mod limits;
mod microscaling;
mod module;
mod string;
mod type_name;
mod types;

pub use constant::{
    ConstantError, ConstantValues, HEAP_DESCRIPTOR_BYTES, Specialization, SpecializedModule, TILE_WORKGROUP,
    Value,
};
pub use debug::SourceLocation;
pub use decoration::Decoration;
pub use dis::{disassemble, disassemble_named, instruction_text};
pub use error::{DecodeError, DecodeErrorKind};
pub use ext::ExtInstSet;
pub use float8::Float8;
pub use function::{Block, Function, Merge, SwitchCases, Terminator, is_terminator};
pub use grammar::supplement::NewerOp;
pub use id::{BlockIndex, FunctionIndex, Id, Ids, Inst};
pub use instruction::{Instruction, TensorAddressing};
pub use microscaling::Microscaling;
pub use module::{EntryPoint, GlobalVariable, Header, Mode, Module};
pub use number::parse_number;
pub use string::{literal_string, literal_string_eq, literal_string_len, string_words};
pub use type_name::{short_name, type_name};
pub use types::{Component, ImageType, Type};

/// SPIR-V's enumerations.
pub mod spirv {
    pub use crate::enumeration::{BuiltIn, ExecutionModel, FPEncoding};
    pub use ::spirv::*;
}
