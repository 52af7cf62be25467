//! Types, as views of the instructions that declare them.

use crate::id::{Id, Ids};
use crate::instruction::Instruction;
use crate::module::Module;
use crate::spirv::FPEncoding;
use spirv::{AccessQualifier, Dim, ImageFormat, Op, StorageClass};

/// A type. The components are ids of types, but where said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type<'m> {
    /// `OpTypeVoid`
    Void,
    /// `OpTypeBool`
    Bool,
    /// `OpTypeInt`
    Int {
        /// Bits.
        width: u32,
        /// Signedness of 1.
        signed: bool,
    },
    /// `OpTypeFloat`
    Float {
        /// Bits.
        width: u32,
        /// None is IEEE 754.
        encoding: Option<FPEncoding>,
    },
    /// `OpTypeVector`
    Vector {
        /// Component.
        component: Id,
        /// Components.
        count: u32,
    },
    /// `OpTypeVectorIdEXT` and `OpTypeCooperativeVectorNV`: a vector whose count is a constant.
    CooperativeVector {
        /// Component.
        component: Id,
        /// A constant: the count of components.
        count: Id,
    },
    /// `OpTypeMatrix`
    Matrix {
        /// A column: a vector.
        column: Id,
        /// Columns.
        count: u32,
    },
    /// `OpTypeArray`
    Array {
        /// Element.
        element: Id,
        /// A constant: the count of elements.
        len: Id,
    },
    /// `OpTypeRuntimeArray`
    RuntimeArray {
        /// Element.
        element: Id,
    },
    /// `OpTypeStruct`
    Struct {
        /// Members.
        members: Ids<'m>,
    },
    /// `OpTypePointer`
    Pointer {
        /// Storage class.
        class: StorageClass,
        /// What is pointed to.
        pointee: Id,
    },
    /// `OpTypeUntypedPointerKHR`
    UntypedPointer {
        /// Storage class.
        class: StorageClass,
    },
    /// `OpTypeFunction`
    Function {
        /// What it returns.
        result: Id,
        /// Parameters.
        parameters: Ids<'m>,
    },
    /// `OpTypeImage`
    Image(ImageType),
    /// `OpTypeSampler`
    Sampler,
    /// `OpTypeSampledImage`
    SampledImage {
        /// The image.
        image: Id,
    },
    /// `OpTypeAccelerationStructureKHR`
    AccelerationStructure,
    /// `OpTypeRayQueryKHR`
    RayQuery,
    /// `OpTypeHitObjectNV` (`ext` false) and `OpTypeHitObjectEXT`
    HitObject {
        /// Of the EXT extension.
        ext: bool,
    },
    /// `OpTypeCooperativeMatrixKHR`
    CooperativeMatrixKhr {
        /// Component.
        component: Id,
        /// A constant: the scope.
        scope: Id,
        /// A constant: rows.
        rows: Id,
        /// A constant: columns.
        columns: Id,
        /// A constant: the use.
        usage: Id,
    },
    /// `OpTypeCooperativeMatrixNV`
    CooperativeMatrixNv {
        /// Component.
        component: Id,
        /// A constant: the scope.
        scope: Id,
        /// A constant: rows.
        rows: Id,
        /// A constant: columns.
        columns: Id,
    },
    /// `OpTypeTensorARM`
    Tensor {
        /// Element.
        element: Id,
        /// A constant: the rank.
        rank: Option<Id>,
        /// A constant composite: the shape.
        shape: Option<Id>,
    },
    /// `OpTypeTensorLayoutNV`
    TensorLayout {
        /// A constant: dimensions.
        dim: Id,
        /// A constant: the clamp mode.
        clamp_mode: Id,
    },
    /// `OpTypeTensorViewNV`
    TensorView {
        /// A constant: dimensions.
        dim: Id,
        /// A constant: whether it has dimensions of its own.
        has_dimensions: Id,
        /// Constants: the permutation.
        permutation: Ids<'m>,
    },
    /// `OpTypeNodePayloadArrayAMDX`
    NodePayloadArray {
        /// One payload.
        payload: Id,
    },
    /// `OpTypeBufferEXT`: a buffer descriptor in a heap.
    Buffer {
        /// Storage class.
        class: StorageClass,
    },
    /// Any other type, or, for an id that declares no type, the opcode that defines it (`OpNop` when
    /// none does).
    Other(Op),
}

/// The operands of `OpTypeImage`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageType {
    /// Type of a component that a sample gives, or void.
    pub sampled_type: Id,
    /// Dimensionality.
    pub dim: Dim,
    /// 0 no depth image, 1 depth image, 2 either.
    pub depth: u32,
    /// Whether it has layers.
    pub arrayed: bool,
    /// Whether it has samples.
    pub multisampled: bool,
    /// 0 known at run time only, 1 used with a sampler, 2 storage.
    pub sampled: u32,
    /// Texel format, or `Unknown`.
    pub format: ImageFormat,
    /// Access (kernels only).
    pub access: Option<AccessQualifier>,
}

impl<'m> Type<'m> {
    #[inline]
    pub(crate) fn of(inst: Instruction<'m>) -> Type<'m> {
        let class = |position| StorageClass::from_u32(inst.word(position)).unwrap_or(StorageClass::Private);
        match inst.op() {
            Op::TypeVoid => Type::Void,
            Op::TypeBool => Type::Bool,
            Op::TypeInt => Type::Int { width: inst.word(0), signed: inst.word(1) != 0 },
            Op::TypeFloat => {
                Type::Float { width: inst.word(0), encoding: inst.get_word(1).and_then(FPEncoding::from_u32) }
            }
            Op::TypeVector => Type::Vector { component: inst.id(0), count: inst.word(1) },
            Op::TypeVectorIdEXT => Type::CooperativeVector { component: inst.id(0), count: inst.id(1) },
            Op::TypeMatrix => Type::Matrix { column: inst.id(0), count: inst.word(1) },
            Op::TypeArray => Type::Array { element: inst.id(0), len: inst.id(1) },
            Op::TypeRuntimeArray => Type::RuntimeArray { element: inst.id(0) },
            Op::TypeStruct => Type::Struct { members: inst.ids_from(0) },
            Op::TypePointer => Type::Pointer { class: class(0), pointee: inst.id(1) },
            Op::TypeUntypedPointerKHR => Type::UntypedPointer { class: class(0) },
            Op::TypeFunction => Type::Function { result: inst.id(0), parameters: inst.ids_from(1) },
            Op::TypeImage => Type::Image(ImageType {
                sampled_type: inst.id(0),
                dim: Dim::from_u32(inst.word(1)).unwrap_or(Dim::Dim1D),
                depth: inst.word(2),
                arrayed: inst.word(3) != 0,
                multisampled: inst.word(4) != 0,
                sampled: inst.word(5),
                format: ImageFormat::from_u32(inst.word(6)).unwrap_or(ImageFormat::Unknown),
                access: inst.get_word(7).and_then(AccessQualifier::from_u32),
            }),
            Op::TypeSampler => Type::Sampler,
            Op::TypeSampledImage => Type::SampledImage { image: inst.id(0) },
            Op::TypeAccelerationStructureKHR => Type::AccelerationStructure,
            Op::TypeRayQueryKHR => Type::RayQuery,
            Op::TypeHitObjectNV => Type::HitObject { ext: false },
            Op::TypeHitObjectEXT => Type::HitObject { ext: true },
            Op::TypeCooperativeMatrixKHR => Type::CooperativeMatrixKhr {
                component: inst.id(0),
                scope: inst.id(1),
                rows: inst.id(2),
                columns: inst.id(3),
                usage: inst.id(4),
            },
            Op::TypeCooperativeMatrixNV => Type::CooperativeMatrixNv {
                component: inst.id(0),
                scope: inst.id(1),
                rows: inst.id(2),
                columns: inst.id(3),
            },
            Op::TypeTensorARM => {
                Type::Tensor { element: inst.id(0), rank: inst.get_id(1), shape: inst.get_id(2) }
            }
            Op::TypeTensorLayoutNV => Type::TensorLayout { dim: inst.id(0), clamp_mode: inst.id(1) },
            Op::TypeTensorViewNV => Type::TensorView {
                dim: inst.id(0),
                has_dimensions: inst.id(1),
                permutation: inst.ids_from(2),
            },
            Op::TypeNodePayloadArrayAMDX => Type::NodePayloadArray { payload: inst.id(0) },
            Op::TypeBufferEXT => Type::Buffer { class: class(0) },
            other => Type::Other(other),
        }
    }

    /// Whether it is a boolean, an integer or a float.
    pub fn is_scalar(self) -> bool {
        matches!(self, Type::Bool | Type::Int { .. } | Type::Float { .. })
    }

    /// Whether it is an integer or a float.
    pub fn is_numeric_scalar(self) -> bool {
        matches!(self, Type::Int { .. } | Type::Float { .. })
    }

    /// Whether it is made of parts that `OpCompositeExtract` can name.
    pub fn is_composite(self) -> bool {
        matches!(
            self,
            Type::Vector { .. }
                | Type::CooperativeVector { .. }
                | Type::Matrix { .. }
                | Type::Array { .. }
                | Type::RuntimeArray { .. }
                | Type::Struct { .. }
                | Type::CooperativeMatrixKhr { .. }
                | Type::CooperativeMatrixNv { .. }
        )
    }

    /// Bits of a number.
    pub fn width(self) -> Option<u32> {
        match self {
            Type::Int { width, .. } | Type::Float { width, .. } => Some(width),
            _ => None,
        }
    }
}

/// The component of a scalar type (itself), of a vector or of a cooperative matrix type, the operands of most
/// arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component<'m> {
    /// Its type.
    pub ty: Type<'m>,
    /// The type's id.
    pub id: Id,
}

impl Module {
    /// The type that an id declares; [`Type::Other`] when it declares none.
    #[inline]
    pub fn ty(&self, id: Id) -> Type<'_> {
        match self.definition(id) {
            Some(inst) => Type::of(inst),
            None => Type::Other(Op::Nop),
        }
    }

    /// The id of the type of a value: its definition's result type.
    #[inline]
    pub fn type_of(&self, value: Id) -> Option<Id> {
        self.definition(value)?.result_type()
    }

    /// The type of a value.
    #[inline]
    pub fn value_type(&self, value: Id) -> Option<Type<'_>> {
        self.type_of(value).map(|id| self.ty(id))
    }

    /// The storage class and pointee of a pointer type.
    #[inline]
    pub fn pointer(&self, ty: Id) -> Option<(StorageClass, Id)> {
        match self.ty(ty) {
            Type::Pointer { class, pointee } => Some((class, pointee)),
            _ => None,
        }
    }

    /// The component of a scalar, vector or cooperative matrix type.
    /// [`crate::ConstantValues::component_count`] says how many there are.
    pub fn component(&self, ty: Id) -> Option<Component<'_>> {
        match self.ty(ty) {
            scalar if scalar.is_scalar() => Some(Component { ty: scalar, id: ty }),
            Type::Vector { component, .. }
            | Type::CooperativeVector { component, .. }
            | Type::CooperativeMatrixKhr { component, .. }
            | Type::CooperativeMatrixNv { component, .. } => {
                Some(Component { ty: self.ty(component), id: component })
            }
            _ => None,
        }
    }

    /// The type without its outer arrays.
    pub fn strip_arrays(&self, ty: Id) -> Id {
        let mut ty = ty;
        while let Type::Array { element, .. } | Type::RuntimeArray { element } = self.ty(ty) {
            ty = element;
        }
        ty
    }
}
