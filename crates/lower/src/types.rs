//! Types as lists of scalars, and the layout of memory that is ours to lay out.
//!
//! Our own layout (slots, and workgroup memory without explicit layout): every scalar at a multiple of its
//! size, nothing padded beyond that, booleans in four bytes, pointers as their scalars.

use crate::error::{LowerError, Result, invalid, limit, unsupported};
use crate::limits::{HIT_OBJECT_WORDS, VALUE_SCALAR_COUNT_MAX};
use pyro_abi::ray::STATE_WORDS;
use pyro_ir::Scalar;
use pyro_spirv::spirv::{Capability, Decoration, Op, StorageClass};
use pyro_spirv::{ConstantValues, Id, Module, Type};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Bytes and alignment in our own layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) size: u64,
    pub(crate) align: u64,
}

impl Extent {
    /// Bytes from one array element to the next.
    pub(crate) fn stride(self) -> u64 {
        self.size.next_multiple_of(self.align)
    }
}

/// What is known of types, each computed once.
pub(crate) struct Types<'m> {
    module: &'m Module,
    /// Pointers to storage buffers have sizes and offsets of 64 bits.
    indexing_64bit: bool,
    scalars: FxHashMap<Id, Rc<[Scalar]>>,
    extents: FxHashMap<Id, Extent>,
    /// Where the members of structures begin in our own layout.
    member_offsets: FxHashMap<Id, Rc<[u64]>>,
}

impl<'m> Types<'m> {
    pub(crate) fn new(module: &'m Module, indexing_64bit: bool) -> Types<'m> {
        let (scalars, extents, member_offsets) = Default::default();
        Types { module, indexing_64bit, scalars, extents, member_offsets }
    }

    /// The scalars of a logical pointer, with where they lie in memory: base and size of the range, and the
    /// offset in it.
    pub(crate) fn range_pointer(&self, class: StorageClass) -> [(Scalar, u64); 3] {
        if self.indexing_64bit && class == StorageClass::StorageBuffer {
            [(Scalar::I64, 0), (Scalar::I64, 8), (Scalar::I64, 16)]
        } else {
            [(Scalar::I64, 0), (Scalar::I32, 8), (Scalar::I32, 12)]
        }
    }

    /// The scalars of a value of the type.
    pub(crate) fn scalars(&mut self, constants: &ConstantValues<'m>, ty: Id) -> Result<Rc<[Scalar]>> {
        if let Some(known) = self.scalars.get(&ty) {
            return Ok(known.clone());
        }
        let mut list = Vec::new();
        self.flatten(constants, ty, &mut list)?;
        let list: Rc<[Scalar]> = list.into();
        self.scalars.insert(ty, list.clone());
        Ok(list)
    }

    /// How many scalars a value of the type has.
    pub(crate) fn count(&mut self, constants: &ConstantValues<'m>, ty: Id) -> Result<usize> {
        Ok(self.scalars(constants, ty)?.len())
    }

    /// As deep as types nest, which decoding limits.
    fn flatten(&mut self, constants: &ConstantValues<'m>, ty: Id, list: &mut Vec<Scalar>) -> Result {
        if let Some(known) = self.scalars.get(&ty) {
            list.extend_from_slice(known);
            return check_count(ty, list.len() as u64);
        }
        match self.module.ty(ty) {
            Type::Vector { .. }
            | Type::CooperativeVector { .. }
            | Type::CooperativeMatrixKhr { .. }
            | Type::CooperativeMatrixNv { .. }
            | Type::Matrix { .. }
            | Type::Array { .. } => {
                let count = element_count(constants, ty)?;
                let element = element_type(self.module, ty)?;
                let one = self.scalars(constants, element)?;
                check_count(ty, count.saturating_mul(one.len() as u64).saturating_add(list.len() as u64))?;
                for _ in 0..if one.is_empty() { 0 } else { count } {
                    list.extend_from_slice(&one);
                }
            }
            Type::Struct { members } => {
                for member in members.iter() {
                    self.flatten(constants, member, list)?;
                    check_count(ty, list.len() as u64)?;
                }
            }
            Type::Pointer { class, .. } | Type::UntypedPointer { class } => match class {
                StorageClass::PhysicalStorageBuffer => list.push(Scalar::I64),
                _ => list.extend(self.range_pointer(class).map(|(scalar, _)| scalar)),
            },
            Type::Void => {}
            Type::TensorLayout { .. } | Type::TensorView { .. } => {
                let count = tensor_words(constants, ty)?;
                list.extend(std::iter::repeat_n(Scalar::I32, count as usize));
            }
            // Addresses of records.
            Type::Image(_) | Type::Sampler | Type::AccelerationStructure | Type::Tensor { .. } => {
                list.push(Scalar::I64);
            }
            Type::SampledImage { .. } => list.extend([Scalar::I64; 2]),
            Type::RayQuery => list.extend([Scalar::I32; STATE_WORDS]),
            _ => list.push(scalar_of(self.module, ty)?),
        }
        Ok(())
    }

    /// Bytes of the type in our own layout.
    pub(crate) fn extent(&mut self, constants: &ConstantValues<'m>, ty: Id) -> Result<Extent> {
        if let Some(&known) = self.extents.get(&ty) {
            return Ok(known);
        }
        let too_large = || LowerError::limit(format!("type {ty} is too large for private or shared memory"));
        let extent = match self.module.ty(ty) {
            Type::Vector { .. }
            | Type::CooperativeVector { .. }
            | Type::CooperativeMatrixKhr { .. }
            | Type::CooperativeMatrixNv { .. }
            | Type::Matrix { .. }
            | Type::Array { .. } => {
                let count = element_count(constants, ty)?;
                let element = self.extent(constants, element_type(self.module, ty)?)?;
                let size = element.stride().checked_mul(count).ok_or_else(too_large)?;
                Extent { size, align: element.align }
            }
            Type::Struct { members } => {
                let mut extent = Extent { size: 0, align: 1 };
                for member in members.iter() {
                    let member = self.extent(constants, member)?;
                    let start = extent.size.checked_next_multiple_of(member.align).ok_or_else(too_large)?;
                    extent.size = start.checked_add(member.size).ok_or_else(too_large)?;
                    extent.align = extent.align.max(member.align);
                }
                extent
            }
            Type::TensorLayout { .. } | Type::TensorView { .. } => {
                Extent { size: 4 * u64::from(tensor_words(constants, ty)?), align: 4 }
            }
            Type::Pointer { class, .. } | Type::UntypedPointer { class } => match class {
                StorageClass::PhysicalStorageBuffer => Extent { size: 8, align: 8 },
                _ => {
                    let [.., (scalar, start)] = self.range_pointer(class);
                    Extent { size: start + u64::from(scalar.bytes()), align: 8 }
                }
            },
            Type::RayQuery => Extent { size: 4 * STATE_WORDS as u64, align: 8 },
            Type::HitObject { .. } => Extent { size: (4 * HIT_OBJECT_WORDS).into(), align: 4 },
            _ => {
                let size = memory_bytes(scalar_of(self.module, ty)?).into();
                Extent { size, align: size }
            }
        };
        self.extents.insert(ty, extent);
        Ok(extent)
    }

    /// Where a member of a structure begins in our own layout.
    pub(crate) fn member_offset(
        &mut self,
        constants: &ConstantValues<'m>,
        ty: Id,
        member: usize,
    ) -> Result<u64> {
        let offsets = match self.member_offsets.get(&ty) {
            Some(offsets) => offsets,
            None => {
                let offsets = self.find_member_offsets(constants, ty)?;
                self.member_offsets.entry(ty).or_insert(offsets)
            }
        };
        match offsets.get(member) {
            Some(&offset) => Ok(offset),
            None => invalid(format!("structure {ty} has no member {member}")),
        }
    }

    fn find_member_offsets(&mut self, constants: &ConstantValues<'m>, ty: Id) -> Result<Rc<[u64]>> {
        let Type::Struct { members } = self.module.ty(ty) else {
            return invalid(format!("{ty} is not a structure"));
        };
        let mut offset = 0u64;
        let mut offsets = Vec::with_capacity(members.len());
        for ty in members.iter() {
            let extent = self.extent(constants, ty)?;
            offset = offset.next_multiple_of(extent.align);
            offsets.push(offset);
            offset = offset.saturating_add(extent.size).min(u64::MAX / 2);
        }
        Ok(offsets.into())
    }
}

/// Whether workgroup memory is laid out by decorations.
pub(crate) fn has_shared_blocks(module: &Module) -> bool {
    let is_block = |ty: Option<Id>| ty.is_some_and(|ty| module.has_decoration(ty, Decoration::Block));
    module.has_capability(Capability::WorkgroupMemoryExplicitLayoutKHR)
        && module
            .globals()
            .any(|variable| variable.class == StorageClass::Workgroup && is_block(variable.value_type))
}

fn check_count(ty: Id, count: u64) -> Result {
    if count > VALUE_SCALAR_COUNT_MAX {
        return limit(format!("a value of type {ty} has more than {VALUE_SCALAR_COUNT_MAX} scalars"));
    }
    Ok(())
}

/// Bytes that a scalar takes in memory: booleans four.
pub(crate) fn memory_bytes(scalar: Scalar) -> u32 {
    if scalar == Scalar::I1 { 4 } else { scalar.bytes() }
}

/// Elements of a vector, matrix or array type.
pub(crate) fn element_count(constants: &ConstantValues<'_>, ty: Id) -> Result<u64> {
    match constants.element_count(ty) {
        Some(count) => Ok(count),
        None => invalid(format!("type {ty} has no known number of elements")),
    }
}

/// The type of the elements of a vector, matrix, array or cooperative matrix type.
pub(crate) fn element_type(module: &Module, ty: Id) -> Result<Id> {
    match module.ty(ty) {
        Type::Vector { component, .. }
        | Type::CooperativeVector { component, .. }
        | Type::CooperativeMatrixKhr { component, .. }
        | Type::CooperativeMatrixNv { component, .. } => Ok(component),
        Type::Matrix { column, .. } => Ok(column),
        Type::Array { element, .. } | Type::RuntimeArray { element } => Ok(element),
        _ => invalid(format!("type {ty} has no elements")),
    }
}

/// Words of a tensor layout: its blocks' sizes, dimensions, strides, offsets and spans, and the clamp value.
/// Of a view: its dimensions, strides, and rows and columns of its clip region, offset and span of each.
pub(crate) fn tensor_words(constants: &ConstantValues<'_>, ty: Id) -> Result<u32> {
    let (dim, each, rest) = match constants.module().ty(ty) {
        Type::TensorLayout { dim, .. } => (dim, 5, 1),
        Type::TensorView { dim, .. } => (dim, 2, 4),
        _ => return invalid(format!("{ty} is not a tensor layout or view")),
    };
    match constants.unsigned(dim) {
        Some(dim @ 1..=5) => Ok(dim * each + rest),
        _ => invalid(format!("{ty} has not from 1 to 5 dimensions")),
    }
}

/// The scalar of a scalar type. Floats that the IR has no type for are integers of their width, and those
/// of less than a byte bytes, whose upper bits do not count.
pub(crate) fn scalar_of(module: &Module, ty: Id) -> Result<Scalar> {
    let scalar = match module.ty(ty) {
        Type::Bool => Some(Scalar::I1),
        Type::Int { width, .. } if width > 1 => Scalar::int(width),
        Type::Float { width, encoding: None } => Scalar::float(width),
        Type::Float { width, encoding: Some(encoding) } if width == encoding.width() => {
            Scalar::int(width.next_multiple_of(8))
        }
        Type::Other(Op::Nop) => return invalid(format!("{ty} is not a type")),
        _ => None,
    };
    match scalar {
        Some(scalar) => Ok(scalar),
        None => unsupported(format!("values of {}", type_text(module, ty))),
    }
}

/// A type's instruction, for messages.
pub(crate) fn type_text(module: &Module, ty: Id) -> String {
    match module.definition(ty) {
        Some(inst) => format!("Op{:?} ({ty})", inst.op()),
        None => format!("{ty}"),
    }
}
