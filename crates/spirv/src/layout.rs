//! Sizes and alignments of types, as laid out in memory.
//!
//! *Explicit* layout is what decorations say (`Offset`, `ArrayStride`, `MatrixStride`): blocks, and
//! pointers to physical storage. *Logical* layout is ours to choose, for storage whose layout Vulkan
//! leaves open (`Function`, `Private`, undecorated `Workgroup`, payloads): each component at a multiple
//! of its own size, nothing padded beyond that, booleans as 4 bytes.

use crate::constant::ConstantValues;
use crate::id::Id;
use crate::module::Module;
use crate::types::Type;
use spirv::{Decoration, StorageClass};
use std::collections::HashMap;

/// A matrix's layout: from the member that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixLayout {
    /// Bytes from a column (from a row, when row-major) to the next.
    pub stride: u32,
    /// Whether rows, not columns, are consecutive.
    pub row_major: bool,
}

/// Bytes that a type takes, and what its address must be a multiple of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Bytes; of a runtime array none, so of a structure that ends in one the bytes before it.
    pub size: u64,
    /// Alignment in bytes: the greatest of its scalars' sizes.
    pub align: u32,
}

/// Why a type has no size in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// The type holds no data of a known size (images, samplers, void, …).
    #[error("{0} has no size in memory")]
    NoSize(Id),
    /// A decoration is missing.
    #[error("{0} lacks the decoration {1:?}")]
    Missing(Id, Decoration),
    /// The array's length is not known or not positive.
    #[error("the length of the array {0} is not a positive number")]
    ArrayLen(Id),
    /// Sizes overflow 64 bits.
    #[error("{0} is too large")]
    TooLarge(Id),
}

/// By which rule a type is laid out in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutKind {
    /// By decorations: `Offset`, `ArrayStride`, `MatrixStride`. What the application sees.
    Explicit,
    /// Our own, for memory that only shaders see: see the module's documentation.
    Logical,
}

/// The layout of a member by its structure's decorations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberLayout {
    /// `Offset`: bytes from the start of the structure.
    pub offset: u32,
    /// For matrices, and arrays of them.
    pub matrix: Option<MatrixLayout>,
}

impl Module {
    /// The explicit layout of a member of a structure; none without `Offset`.
    pub fn member_layout(&self, ty: Id, member: u32) -> Option<MemberLayout> {
        let mut layout = MemberLayout { offset: 0, matrix: None };
        let (mut has_offset, mut row_major, mut stride) = (false, false, None);
        for decoration in self.member_decorations(ty, member) {
            match decoration.kind {
                Decoration::Offset => {
                    has_offset = true;
                    layout.offset = decoration.literal();
                }
                Decoration::MatrixStride => stride = Some(decoration.literal()),
                Decoration::RowMajor => row_major = true,
                _ => {}
            }
        }
        layout.matrix = stride.map(|stride| MatrixLayout { stride, row_major });
        has_offset.then_some(layout)
    }

    /// `ArrayStride` of an array or pointer type, in bytes.
    pub fn array_stride(&self, ty: Id) -> Option<u32> {
        self.decoration_literal(ty, Decoration::ArrayStride)
    }

    /// Whether variables of the class have the layout that decorations say.
    ///
    /// Workgroup memory has it for structures decorated `Block`
    /// (`SPV_KHR_workgroup_memory_explicit_layout`); ask [`Module::has_decoration`] for those.
    pub fn is_explicit_class(class: StorageClass) -> bool {
        matches!(
            class,
            StorageClass::Uniform
                | StorageClass::StorageBuffer
                | StorageClass::PushConstant
                | StorageClass::PhysicalStorageBuffer
                | StorageClass::ShaderRecordBufferKHR
        )
    }
}

/// Sizes of types, each computed once.
pub struct Layouts<'a, 'm> {
    constants: &'a ConstantValues<'m>,
    kind: LayoutKind,
    known: HashMap<Id, Result<Extent, LayoutError>>,
}

impl<'a, 'm> Layouts<'a, 'm> {
    /// An empty cache of extents; array lengths are those of `constants`.
    pub fn new(constants: &'a ConstantValues<'m>, kind: LayoutKind) -> Self {
        Layouts { constants, kind, known: HashMap::new() }
    }

    /// Bytes of a value of the type. A matrix in explicit layout that is not a member of a structure has
    /// tightly packed columns.
    ///
    /// # Errors
    /// See [`LayoutError`].
    pub fn extent(&mut self, ty: Id) -> Result<Extent, LayoutError> {
        if let Some(&known) = self.known.get(&ty) {
            return known;
        }
        // As deep as types nest, which decoding limits; each type is computed once.
        let extent = self.compute(ty, None);
        self.known.insert(ty, extent);
        extent
    }

    /// Bytes of a value of the type as a member with this matrix layout.
    ///
    /// # Errors
    /// See [`LayoutError`].
    pub fn member_extent(&mut self, ty: Id, matrix: Option<MatrixLayout>) -> Result<Extent, LayoutError> {
        match matrix {
            Some(_) => self.compute(ty, matrix),
            None => self.extent(ty),
        }
    }

    /// The byte offset of each member in the structure.
    ///
    /// # Errors
    /// See [`LayoutError`].
    pub fn member_offsets(&mut self, ty: Id) -> Result<Vec<u64>, LayoutError> {
        let module = self.constants.module();
        let Type::Struct { members } = module.ty(ty) else { return Err(LayoutError::NoSize(ty)) };
        let mut offsets = Vec::with_capacity(members.len());
        let mut end = 0u64;
        for (index, member) in members.iter().enumerate() {
            match self.kind {
                LayoutKind::Explicit => {
                    let layout = module.member_layout(ty, index as u32);
                    let layout = layout.ok_or(LayoutError::Missing(ty, Decoration::Offset))?;
                    offsets.push(u64::from(layout.offset));
                }
                LayoutKind::Logical => {
                    let extent = self.extent(member)?;
                    let offset = align_up(end, extent.align).ok_or(LayoutError::TooLarge(ty))?;
                    offsets.push(offset);
                    end = offset.checked_add(extent.size).ok_or(LayoutError::TooLarge(ty))?;
                }
            }
        }
        Ok(offsets)
    }

    /// The distance between elements of an array type, in bytes.
    ///
    /// # Errors
    /// See [`LayoutError`].
    pub fn element_stride(&mut self, ty: Id, matrix: Option<MatrixLayout>) -> Result<u64, LayoutError> {
        let module = self.constants.module();
        match module.ty(ty) {
            Type::Array { element, .. } | Type::RuntimeArray { element } => match self.kind {
                LayoutKind::Explicit => match module.array_stride(ty) {
                    Some(stride) => Ok(u64::from(stride)),
                    None => Err(LayoutError::Missing(ty, Decoration::ArrayStride)),
                },
                LayoutKind::Logical => {
                    let extent = self.member_extent(element, matrix)?;
                    align_up(extent.size, extent.align).ok_or(LayoutError::TooLarge(ty))
                }
            },
            _ => Err(LayoutError::NoSize(ty)),
        }
    }

    fn compute(&mut self, ty: Id, matrix: Option<MatrixLayout>) -> Result<Extent, LayoutError> {
        let module = self.constants.module();
        let too_large = LayoutError::TooLarge(ty);
        match module.ty(ty) {
            Type::Bool => Ok(Extent { size: 4, align: 4 }),
            Type::Int { width, .. } | Type::Float { width, .. } => {
                let size = width.div_ceil(8);
                Ok(Extent { size: u64::from(size), align: size.max(1).next_power_of_two() })
            }
            Type::Vector { component, count } => {
                let component = self.extent(component)?;
                Ok(Extent { size: component.size * u64::from(count), align: component.align })
            }
            Type::CooperativeVector { component, count } => {
                let component = self.extent(component)?;
                let count = self.constants.unsigned(count).ok_or(LayoutError::ArrayLen(ty))?;
                Ok(Extent { size: component.size * u64::from(count), align: component.align })
            }
            Type::Matrix { column, count } => {
                let column_extent = self.extent(column)?;
                let Type::Vector { component, count: rows } = module.ty(column) else {
                    return Err(LayoutError::NoSize(ty));
                };
                let component = self.extent(component)?;
                let size = match matrix {
                    Some(MatrixLayout { stride, row_major }) => {
                        let (lines, per_line) = if row_major { (rows, count) } else { (count, rows) };
                        let last = u64::from(lines.saturating_sub(1)) * u64::from(stride);
                        last + component.size * u64::from(per_line)
                    }
                    None => column_extent.size.checked_mul(u64::from(count)).ok_or(too_large)?,
                };
                Ok(Extent { size, align: column_extent.align })
            }
            Type::Array { element, .. } => {
                let len = self.constants.array_len(ty).ok_or(LayoutError::ArrayLen(ty))?;
                let stride = self.element_stride(ty, matrix)?;
                let extent = self.member_extent(element, matrix)?;
                let size = stride.checked_mul(len - 1).and_then(|size| size.checked_add(extent.size));
                Ok(Extent { size: size.ok_or(too_large)?, align: extent.align })
            }
            Type::RuntimeArray { element } => {
                Ok(Extent { size: 0, align: self.member_extent(element, matrix)?.align })
            }
            Type::Struct { members } => {
                let offsets = self.member_offsets(ty)?;
                let mut extent = Extent { size: 0, align: 1 };
                for (index, (member, offset)) in members.iter().zip(offsets).enumerate() {
                    let matrix = match self.kind {
                        LayoutKind::Explicit => {
                            module.member_layout(ty, index as u32).and_then(|layout| layout.matrix)
                        }
                        LayoutKind::Logical => None,
                    };
                    let member = self.member_extent(member, matrix)?;
                    let end = offset.checked_add(member.size).ok_or(too_large)?;
                    extent.size = extent.size.max(end);
                    extent.align = extent.align.max(member.align);
                }
                Ok(extent)
            }
            Type::Pointer { class: StorageClass::PhysicalStorageBuffer, .. }
            | Type::UntypedPointer { class: StorageClass::PhysicalStorageBuffer }
            | Type::AccelerationStructure => Ok(Extent { size: 8, align: 8 }),
            _ => Err(LayoutError::NoSize(ty)),
        }
    }
}

fn align_up(offset: u64, align: u32) -> Option<u64> {
    offset.checked_next_multiple_of(u64::from(align))
}
