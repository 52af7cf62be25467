//! Types of 8 and 16 bits in modules that may store them but not compute with them: without `Int8`, `Int16`
//! or `Float16` values of these are loaded, stored, copied and converted only, and variables hold them where
//! a capability for their storage class is declared (SPIR-V, 3.2.31). Checked with
//! [`Environment::strict`](crate::Environment::strict).

use crate::capabilities::declared;
use crate::context::Context;
use pyro_spirv::spirv::{Capability, Decoration, Op, StorageClass};
use pyro_spirv::{Id, Type};
use std::collections::HashSet;

const RULE: &str = "Capabilities";

/// Which small types, for which there is no arithmetic, a type holds.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Held {
    bytes: bool,
    halves: bool,
}

impl Held {
    fn any(self) -> bool {
        self.bytes || self.halves
    }

    fn or(self, other: Held) -> Held {
        Held { bytes: self.bytes || other.bytes, halves: self.halves || other.halves }
    }
}

struct Small<'c, 'a, 'm> {
    cx: &'c Context<'a, 'm>,
    declared: HashSet<Capability>,
    /// By id of a type.
    held: Vec<Held>,
}

/// Looks at variables, and at what functions do with values.
pub(crate) fn check(cx: &Context<'_, '_>) {
    let mut small = Small { cx, declared: declared(cx), held: Vec::new() };
    if !small.find() {
        return;
    }
    for variable in cx.module.globals() {
        let Some(ty) = variable.value_type else { continue };
        if let (Some(inst), Some(needed)) =
            (cx.module.definition_index(variable.id), small.storage(variable.class, ty))
        {
            cx.report(RULE, inst, format!("the variable holds 8- or 16-bit types, which needs {needed:?}"));
        }
    }
    for inst in cx.module.insts().skip(cx.module.global_insts().len()) {
        if cx.is_full() {
            return;
        }
        let is_debug = inst.ext_inst().is_some_and(|(set, _)| set.is_non_semantic());
        let may_take =
            matches!(inst.op(), Op::Store | Op::CopyObject | Op::FConvert | Op::UConvert | Op::SConvert);
        if is_debug || may_take {
            continue;
        }
        if let Some(value) = inst.id_operands().find(|id| small.is_value(*id)) {
            let message = format!(
                "{value} holds 8- or 16-bit numbers, which are only stored and converted without {:?}, {:?} or {:?}",
                Capability::Int8,
                Capability::Int16,
                Capability::Float16
            );
            cx.report(RULE, inst.index(), message);
        }
    }
}

impl Small<'_, '_, '_> {
    /// Finds the types that hold small numbers without arithmetic; whether there are any.
    fn find(&mut self) -> bool {
        let module = self.cx.module;
        let has = |capability| self.declared.contains(&capability);
        let [int8, int16, float16] = [Capability::Int8, Capability::Int16, Capability::Float16].map(has);
        // Kernels have small integers without more ado.
        if int8 && int16 && float16 || !self.cx.is_shader() {
            return false;
        }
        let mut found = false;
        for inst in module.global_insts() {
            let Some(id) = inst.result() else { continue };
            let of = |ty: Id| self.held.get(ty.as_u32() as usize).copied().unwrap_or_default();
            let held = match module.ty(id) {
                Type::Int { width: 8, .. } => Held { bytes: !int8, halves: false },
                Type::Int { width: 16, .. } => Held { bytes: false, halves: !int16 },
                Type::Float { width: 16, encoding: None } => Held { bytes: false, halves: !float16 },
                Type::Vector { component: part, .. }
                | Type::Matrix { column: part, .. }
                | Type::Array { element: part, .. }
                | Type::RuntimeArray { element: part } => of(part),
                Type::Struct { members } => members.iter().map(of).fold(Held::default(), Held::or),
                _ => continue,
            };
            if held.any() {
                self.held.resize(module.bound(), Held::default());
                self.held[id.as_u32() as usize] = held;
                found = true;
            }
        }
        found
    }

    fn of(&self, ty: Id) -> Held {
        self.held.get(ty.as_u32() as usize).copied().unwrap_or_default()
    }

    fn is_value(&self, id: Id) -> bool {
        self.cx.module.type_of(id).is_some_and(|ty| self.of(ty).any())
    }

    /// The capability that a variable lacks to hold a type in a storage class.
    fn storage(&self, class: StorageClass, ty: Id) -> Option<Capability> {
        use Capability as C;
        let module = self.cx.module;
        let is_buffer = class == StorageClass::StorageBuffer
            || class == StorageClass::Uniform
                && module.has_decoration(module.strip_arrays(ty), Decoration::BufferBlock);
        let [byte, half] = match class {
            _ if is_buffer => [C::StorageBuffer8BitAccess, C::StorageBuffer16BitAccess],
            StorageClass::Uniform => {
                [C::UniformAndStorageBuffer8BitAccess, C::UniformAndStorageBuffer16BitAccess]
            }
            StorageClass::PushConstant => [C::StoragePushConstant8, C::StoragePushConstant16],
            StorageClass::Input | StorageClass::Output => [C::Int8, C::StorageInputOutput16],
            StorageClass::Workgroup => [
                C::WorkgroupMemoryExplicitLayout8BitAccessKHR,
                C::WorkgroupMemoryExplicitLayout16BitAccessKHR,
            ],
            _ => return None,
        };
        let held = self.of(ty);
        let lacks = |capability: &C| !self.declared.contains(capability);
        (held.bytes.then_some(byte).filter(lacks)).or(held.halves.then_some(half).filter(lacks))
    }
}
