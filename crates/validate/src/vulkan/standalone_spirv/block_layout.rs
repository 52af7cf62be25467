//! Explicit layouts of blocks (Vulkan, "Offset and Stride Assignment").
//!
//! A type has three alignments: *scalar* (its greatest component's size), *base* (vectors of two to twice, of
//! three and four to four times their component; arrays and structures as what they hold) and *extended*
//! (base, but arrays and structures to 16). Which one offsets and strides must be multiples of depends on the
//! storage class and on [`LayoutFeatures`]. Vectors need the scalar one only, if they
//! do not straddle 16 bytes.

use crate::context::Context;
use crate::environment::LayoutFeatures;
use pyro_spirv::layout::{LayoutKind, Layouts, MatrixLayout};
use pyro_spirv::spirv::{Capability, Decoration, Op, StorageClass};
use pyro_spirv::{Id, Instruction, Type};
use std::collections::{HashMap, HashSet};

/// The rule.
pub(crate) const RULE: &str = "VUID-StandaloneSpirv-None-10684";

/// The section whose sentences on ranges have no identifier.
const RANGE_RULE: &str = "Offset and Stride Assignment";

/// The members of a block lie within the greatest range that a descriptor can have.
fn within_range(cx: &Context<'_, '_>, ty: Id, class: StorageClass) -> Result<(), String> {
    let is_uniform = class == StorageClass::Uniform && cx.module.has_decoration(ty, Decoration::Block);
    let limit = match class {
        StorageClass::Uniform if is_uniform => "maxUniformBufferRange",
        // With indices of 64 bits, ranges may be larger.
        StorageClass::Uniform | StorageClass::StorageBuffer
            if !cx.has_capability(Capability::Shader64BitIndexingEXT) =>
        {
            "maxStorageBufferRange"
        }
        _ => return Ok(()),
    };
    let size = Layouts::new(&cx.constants, LayoutKind::Explicit).extent(ty).map_or(0, |extent| extent.size);
    cx.at_most(&format!("the size of the {class:?} block {ty}"), size, limit)
}

/// Checks the block of each variable, and what physical pointers point to.
pub(crate) fn check(cx: &Context<'_, '_>) {
    let mut checker =
        Checker { cx, features: &cx.environment.layout, sizes: HashMap::new(), done: HashSet::new() };
    for variable in cx.module.globals() {
        if cx.is_full() {
            return;
        }
        let Some(ty) = variable.value_type.map(|ty| cx.module.strip_arrays(ty)) else { continue };
        let is_block = [Decoration::Block, Decoration::BufferBlock]
            .iter()
            .any(|&kind| cx.module.has_decoration(ty, kind));
        if is_block && is_explicit(variable.class) {
            checker.block(variable.inst.index(), ty, variable.class);
            if let Err(message) = within_range(cx, ty, variable.class) {
                cx.report(RANGE_RULE, variable.inst.index(), message);
            }
        }
    }
    for inst in cx.module.global_insts() {
        let Some(Type::Pointer { class: StorageClass::PhysicalStorageBuffer, pointee }) =
            inst.result().map(|id| cx.ty(id))
        else {
            continue;
        };
        checker.block(inst.index(), pointee, StorageClass::PhysicalStorageBuffer);
    }
    for inst in cx.module.insts().filter(|inst| inst.op() == Op::Variable) {
        if cx.is_full() {
            return;
        }
        if let Err(message) = laid_out_in_vain(cx, inst) {
            cx.report(RULE, inst.index(), message);
        }
    }
}

/// Whether variables of a storage class may be of types with explicit layouts. Variables of a function or an
/// invocation alone lost this with SPIR-V 1.5 (Vulkan, "Shader Interfaces"); of what rays pass, SPIR-V does
/// not say.
fn may_be_explicit(cx: &Context<'_, '_>, class: StorageClass) -> bool {
    match class {
        StorageClass::Private | StorageClass::Function => cx.module.header().version() < (1, 5),
        StorageClass::Workgroup => cx.has_capability(Capability::WorkgroupMemoryExplicitLayoutKHR),
        StorageClass::UniformConstant => false,
        _ => true,
    }
}

/// A variable that nothing outside of the shader sees has no use for blocks, offsets and strides.
fn laid_out_in_vain(cx: &Context<'_, '_>, inst: Instruction<'_>) -> Result<(), String> {
    let Some(Type::Pointer { class, pointee }) = inst.result_type().map(|ty| cx.ty(ty)) else {
        return Ok(());
    };
    if may_be_explicit(cx, class) {
        return Ok(());
    }
    let (mut pending, mut seen) = (vec![pointee], HashSet::new());
    while let Some(ty) = pending.pop() {
        if !seen.insert(ty) {
            continue;
        }
        let found = cx.module.all_decorations(ty).find(|found| {
            matches!(
                found.kind,
                Decoration::Block
                    | Decoration::BufferBlock
                    | Decoration::Offset
                    | Decoration::ArrayStride
                    | Decoration::MatrixStride
            )
        });
        if let Some(found) = found {
            return Err(format!(
                "{ty} is decorated {:?}, and its variable is of class {class:?}",
                found.kind
            ));
        }
        match cx.ty(ty) {
            Type::Struct { members } => pending.extend(members.iter()),
            Type::Array { element, .. } | Type::RuntimeArray { element } => pending.push(element),
            _ => {}
        }
    }
    Ok(())
}

fn is_explicit(class: StorageClass) -> bool {
    matches!(
        class,
        StorageClass::Uniform
            | StorageClass::StorageBuffer
            | StorageClass::PushConstant
            | StorageClass::Workgroup
            | StorageClass::ShaderRecordBufferKHR
    )
}

/// Which alignment offsets and strides are multiples of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Rule {
    Scalar,
    Base,
    Extended,
}

struct Checker<'c, 'a, 'm> {
    cx: &'c Context<'a, 'm>,
    features: &'c LayoutFeatures,
    /// Bytes by type and whether matrices in it are row-major, with their stride.
    sizes: HashMap<(Id, Option<MatrixLayoutKey>), u64>,
    done: HashSet<(Id, Rule)>,
}

type MatrixLayoutKey = (u32, bool);

fn key(matrix: Option<MatrixLayout>) -> Option<MatrixLayoutKey> {
    matrix.map(|matrix| (matrix.stride, matrix.row_major))
}

impl Checker<'_, '_, '_> {
    fn rule(&self, ty: Id, class: StorageClass) -> Rule {
        let is_uniform =
            class == StorageClass::Uniform && self.cx.module.has_decoration(ty, Decoration::Block);
        let is_scalar = match class {
            StorageClass::Workgroup => self.features.workgroup_scalar,
            _ => self.features.scalar,
        };
        if is_scalar {
            Rule::Scalar
        } else if is_uniform && !self.features.uniform_standard {
            Rule::Extended
        } else {
            Rule::Base
        }
    }

    fn block(&mut self, place: pyro_spirv::Inst, ty: Id, class: StorageClass) {
        let rule = self.rule(ty, class);
        // Structures in it are laid out by the same rule; each is looked at once.
        let mut pending = vec![ty];
        while let Some(ty) = pending.pop() {
            if !self.done.insert((ty, rule)) {
                continue;
            }
            match self.cx.ty(ty) {
                Type::Struct { members } => {
                    if let Err(message) = self.structure(ty, rule) {
                        self.cx.report(
                            RULE,
                            place,
                            format!("the structure {ty} of a {class:?} block: {message}"),
                        );
                        return;
                    }
                    pending.extend(members.iter());
                }
                Type::Array { element, .. } | Type::RuntimeArray { element } => pending.push(element),
                _ => {}
            }
        }
    }

    fn structure(&mut self, ty: Id, rule: Rule) -> Result<(), String> {
        let module = self.cx.module;
        let Type::Struct { members } = module.ty(ty) else { return Ok(()) };
        let mut places = Vec::with_capacity(members.len());
        for (index, member) in members.iter().enumerate() {
            if matches!(
                module.ty(module.strip_arrays(member)),
                Type::Image(_) | Type::Sampler | Type::SampledImage { .. }
            ) {
                return Ok(());
            }
            let Some(layout) = module.member_layout(ty, index as u32) else {
                // Offsets may also come from constants.
                let is_by_id = module.member_decoration(ty, index as u32, Decoration::OffsetIdEXT).is_some();
                return if is_by_id { Ok(()) } else { Err(format!("member {index} has no Offset")) };
            };
            let offset = u64::from(layout.offset);
            self.member(index, member, offset, layout.matrix, rule)?;
            places.push((offset, index, member, layout.matrix));
        }
        places.sort_unstable_by_key(|&(offset, index, ..)| (offset, index));
        for pair in places.windows(2) {
            let ((offset, index, member, matrix), (next, next_index, ..)) = (pair[0], pair[1]);
            if matches!(module.ty(member), Type::RuntimeArray { .. }) {
                return Err(format!(
                    "member {next_index} at {next} lies in the runtime array that begins at {offset}"
                ));
            }
            let mut end = offset.saturating_add(self.size(member, matrix));
            let is_composite =
                matches!(module.ty(member), Type::Struct { .. } | Type::Array { .. } | Type::Matrix { .. });
            if is_composite && rule != Rule::Scalar {
                end = end.checked_next_multiple_of(self.align(member, matrix, rule)).unwrap_or(u64::MAX);
            }
            if next < end {
                return Err(format!(
                    "member {next_index} at {next} overlaps member {index}, which ends at {end}"
                ));
            }
        }
        Ok(())
    }

    fn member(
        &mut self,
        index: usize,
        ty: Id,
        offset: u64,
        matrix: Option<MatrixLayout>,
        rule: Rule,
    ) -> Result<(), String> {
        let module = self.cx.module;
        let align = match module.ty(ty) {
            // SPIR-V 1.3's relaxed block layout, which Vulkan 1.1 has always.
            Type::Vector { .. } if self.features.relaxed => self.align(ty, None, Rule::Scalar),
            _ => self.align(ty, matrix, rule),
        };
        if !offset.is_multiple_of(align) {
            return Err(format!("member {index} at offset {offset} is not aligned to {align}"));
        }
        if let (Type::Vector { .. }, Rule::Base | Rule::Extended) = (module.ty(ty), rule) {
            let size = self.size(ty, None);
            // What has no size here, such as booleans, other rules refuse.
            let last = (offset + size).saturating_sub(1);
            let straddles =
                if size <= 16 { size != 0 && offset / 16 != last / 16 } else { !offset.is_multiple_of(16) };
            if straddles {
                return Err(format!("member {index} at offset {offset} straddles a multiple of 16"));
            }
        }
        // Arrays and matrices at any depth have their strides.
        let mut ty = ty;
        loop {
            match module.ty(ty) {
                Type::Array { element, .. } | Type::RuntimeArray { element } => {
                    let Some(stride) = module.array_stride(ty) else {
                        let is_by_id = module.has_decoration(ty, Decoration::ArrayStrideIdEXT);
                        return if is_by_id {
                            Ok(())
                        } else {
                            Err(format!("the array {ty} has no ArrayStride"))
                        };
                    };
                    let align = self.align(ty, matrix, rule);
                    let size = self.size(element, matrix);
                    if stride == 0 || !u64::from(stride).is_multiple_of(align) {
                        return Err(format!(
                            "the array {ty} has stride {stride}, which is not aligned to {align}"
                        ));
                    }
                    if u64::from(stride) < size {
                        return Err(format!(
                            "the array {ty} has stride {stride} for elements of {size} bytes"
                        ));
                    }
                    ty = element;
                }
                Type::Matrix { .. } => {
                    let Some(layout) = matrix else {
                        return Err(format!("member {index} has no MatrixStride"));
                    };
                    let align = self.align(ty, matrix, rule);
                    if layout.stride == 0 || !u64::from(layout.stride).is_multiple_of(align) {
                        let stride = layout.stride;
                        return Err(format!(
                            "the matrix has stride {stride}, which is not aligned to {align}"
                        ));
                    }
                    return Ok(());
                }
                _ => return Ok(()),
            }
        }
    }

    /// Bytes of a value.
    fn size(&mut self, ty: Id, matrix: Option<MatrixLayout>) -> u64 {
        if let Some(&size) = self.sizes.get(&(ty, key(matrix))) {
            return size;
        }
        let module = self.cx.module;
        // As deep as types nest, which decoding limits; each type is computed once.
        let size = match module.ty(ty) {
            Type::Int { width, .. } | Type::Float { width, .. } => u64::from(width / 8),
            Type::Pointer { .. } | Type::UntypedPointer { .. } | Type::AccelerationStructure => 8,
            Type::Vector { component, count } => self.size(component, None) * u64::from(count),
            Type::Matrix { column, count } => match (matrix, module.ty(column)) {
                (Some(layout), Type::Vector { component, count: rows }) => {
                    let (lines, each) = if layout.row_major { (rows, count) } else { (count, rows) };
                    u64::from(lines - 1) * u64::from(layout.stride)
                        + u64::from(each) * self.size(component, None)
                }
                _ => 0,
            },
            Type::Array { element, .. } => {
                let count = self.cx.constants.array_len(ty).unwrap_or(1);
                let stride = u64::from(module.array_stride(ty).unwrap_or(0));
                stride.saturating_mul(count - 1).saturating_add(self.size(element, matrix))
            }
            Type::Struct { members } => {
                let mut end = 0u64;
                for (index, member) in members.iter().enumerate() {
                    if let Some(layout) = module.member_layout(ty, index as u32) {
                        let size = self.size(member, layout.matrix);
                        end = end.max(u64::from(layout.offset).saturating_add(size));
                    }
                }
                end
            }
            _ => 0,
        };
        self.sizes.insert((ty, key(matrix)), size);
        size
    }

    /// What offsets of the type are multiples of: at least 1.
    fn align(&mut self, ty: Id, matrix: Option<MatrixLayout>, rule: Rule) -> u64 {
        let mut seen = HashMap::new();
        align(self.cx, ty, matrix.is_some_and(|matrix| matrix.row_major), rule, &mut seen)
    }
}

/// Alignment by a rule; `seen` holds that of structures, which may share members' types many times over.
fn align(cx: &Context<'_, '_>, ty: Id, row_major: bool, rule: Rule, seen: &mut HashMap<Id, u64>) -> u64 {
    let vector = |component: Id, count: u32, seen: &mut HashMap<Id, u64>| {
        let scalar = align(cx, component, false, rule, seen);
        match (rule, count) {
            (Rule::Scalar, _) | (_, 1) => scalar,
            (_, 2) => 2 * scalar,
            _ => 4 * scalar,
        }
    };
    match cx.ty(ty) {
        Type::Int { width, .. } | Type::Float { width, .. } => u64::from(width / 8).max(1),
        Type::Pointer { .. } | Type::UntypedPointer { .. } | Type::AccelerationStructure => 8,
        Type::Vector { component, count } => vector(component, count, seen),
        Type::Matrix { column, count } => {
            let Type::Vector { component, count: rows } = cx.ty(column) else { return 1 };
            let line = vector(component, if row_major { count } else { rows }, seen);
            if rule == Rule::Extended { line.next_multiple_of(16) } else { line }
        }
        Type::Array { element, .. } | Type::RuntimeArray { element } => {
            let element = align(cx, element, row_major, rule, seen);
            if rule == Rule::Extended { element.next_multiple_of(16) } else { element }
        }
        Type::Struct { members } => {
            if let Some(&known) = seen.get(&ty) {
                return known;
            }
            let mut greatest = 1;
            for (index, member) in members.iter().enumerate() {
                let layout = cx.module.member_layout(ty, index as u32);
                let row_major =
                    layout.and_then(|layout| layout.matrix).is_some_and(|matrix| matrix.row_major);
                greatest = greatest.max(align(cx, member, row_major, rule, seen));
            }
            let is_empty = members.is_empty();
            let smallest = if cx.has_capability(Capability::StorageBuffer8BitAccess) { 1 } else { 4 };
            let known = match rule {
                Rule::Extended => greatest.next_multiple_of(16),
                _ if is_empty && rule == Rule::Base => smallest,
                _ => greatest,
            };
            seen.insert(ty, known);
            known
        }
        _ => 1,
    }
}
