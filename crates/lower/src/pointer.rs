//! Pointers as data: a base, and a byte offset in it of a constant and dynamic terms.
//!
//! Must not know: the lowering context, which holds pointers. [`crate::memory`] makes and uses them.

use crate::error::{Result, invalid};
use pyro_ir::{Slot, Space, Value};
use pyro_spirv::Id;
use pyro_spirv::layout::MatrixLayout;
use smallvec::SmallVec;

/// Where a pointer points.
#[derive(Clone, Debug)]
pub(crate) enum PointerBase {
    /// A private variable.
    Slot {
        /// Which.
        slot: Slot,
        /// Its booleans are `i32`, since they may be addressed dynamically and so lie in memory.
        bools_in_memory: bool,
    },
    /// Memory from a base up to a size: every access is checked.
    Range(Range),
    /// A device address that the shader has computed: nothing is checked.
    Physical {
        /// The address, before the pointer's offset.
        address: Value,
    },
    /// An array of buffers, before one of them is chosen; images and samplers. Offsets count descriptors.
    Descriptors {
        /// Set number; of a shader for heaps, the number of the mapping.
        set: u32,
        /// Binding number.
        binding: u32,
        /// What the variable holds.
        resource: Resource,
    },
    /// A texel of a storage image, for atomic operations.
    Texel(Box<Texel>),
    /// Tile images: colour attachments. Offsets count locations.
    TileImages {
        /// The variable's location.
        location: u32,
    },
    /// Values of vertices or patches between stages. Offsets count columns.
    Soa(SoaPointer),
}

/// What a descriptor is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resource {
    /// A uniform buffer.
    Uniform,
    /// A storage buffer.
    Storage,
    /// A storage buffer that nothing writes.
    Input,
    /// An image, sampler or sampled image.
    Opaque,
    /// A tile attachment (`SPV_QCOM_tile_shading`): an image or sampled image.
    TileAttachment,
}

/// What `OpImageTexelPointer` points at.
#[derive(Clone, Debug)]
pub(crate) struct Texel {
    /// Address of the image record.
    pub(crate) image: Value,
    /// The address may differ from lane to lane.
    pub(crate) non_uniform: bool,
    /// Coordinates, then the layer, as `i32`.
    pub(crate) coordinate: SmallVec<[Value; 4]>,
    /// The sample number, of a multisampled image.
    pub(crate) sample: Option<Value>,
}

/// How values lie behind a pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryLayout {
    /// By decorations, where there are some.
    pub(crate) explicit: bool,
    /// Of matrices, from the member that holds them.
    pub(crate) matrix: Option<MatrixLayout>,
    /// Of a vector that is a column of a row-major matrix: bytes between its components.
    pub(crate) component_stride: Option<u32>,
    /// Word by word in SoA columns, as outputs of mesh shaders do.
    pub(crate) soa: Option<SoaLayout>,
}

/// How a value lies in SoA columns: a word of it in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SoaLayout {
    /// Bytes from one column to the next.
    pub(crate) pitch: u32,
    /// It is the array of all vertices or primitives, which lie side by side in the columns.
    pub(crate) is_whole: bool,
}

impl MemoryLayout {
    /// Our own layout.
    pub(crate) const LOGICAL: MemoryLayout =
        MemoryLayout { explicit: false, matrix: None, component_stride: None, soa: None };
    /// What decorations say.
    pub(crate) const EXPLICIT: MemoryLayout =
        MemoryLayout { explicit: true, matrix: None, component_stride: None, soa: None };
}

/// A dynamic part of an offset: `index * stride` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    /// `i32`; `i64` for device addresses and where storage buffers have 64-bit indices.
    pub(crate) index: Value,
    /// Bytes.
    pub(crate) stride: u64,
    /// The index is below this number, where that is known (slots: it has been limited).
    pub(crate) count: Option<u32>,
}

/// A pointer.
#[derive(Clone, Debug)]
pub(crate) struct Pointer {
    /// Where.
    pub(crate) base: PointerBase,
    /// The type of what it points to; for untyped pointers what the access chain or variable said.
    pub(crate) pointee: Option<Id>,
    /// How that lies in memory.
    pub(crate) layout: MemoryLayout,
    /// Constant bytes, wrapping.
    pub(crate) offset: u64,
    /// Dynamic bytes.
    pub(crate) terms: SmallVec<[Term; 2]>,
    /// Accesses through it are volatile.
    pub(crate) volatile: bool,
    /// The descriptor may differ from lane to lane (`NonUniform`).
    pub(crate) non_uniform: bool,
    /// Pointers to other memory objects do not reach what it points to ([`pyro_ir::MemoryOp::apart`]).
    pub(crate) apart: bool,
    /// Bounds are checked for each component of a vector by itself.
    pub(crate) checks_components: bool,
}

/// An index of an access chain.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Index {
    /// Known.
    Constant(i64),
    /// A value of any integer type.
    Dynamic(Value),
}

impl Pointer {
    /// To the start of a base.
    pub(crate) fn new(base: PointerBase, pointee: Option<Id>, layout: MemoryLayout) -> Pointer {
        Pointer {
            base,
            pointee,
            layout,
            offset: 0,
            terms: SmallVec::new(),
            volatile: false,
            non_uniform: false,
            apart: false,
            checks_components: false,
        }
    }
}

/// Bytes of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Size {
    /// Known while compiling.
    Known(u32),
    /// An `i32`; an `i64` where the buffer may be larger than 4 GiB (`Lowerer::indexing_64bit`).
    Value(Value),
}

/// Memory from `base` up to `size` bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    /// Address.
    pub(crate) base: Value,
    /// Bytes.
    pub(crate) size: Size,
    /// Base and size are of the prologue.
    pub(crate) hoisted: bool,
    /// Which memory.
    pub(crate) space: Space,
    /// Reads that pass the check are safe in every lane, active or not: base and size come straight from a
    /// descriptor that is valid whenever the shader runs. Not so where they went through phis or memory,
    /// since an inactive lane may hold anything, nor in arrays of descriptors, since those that are not used
    /// may be stale (`PARTIALLY_BOUND`).
    pub(crate) speculatable: bool,
}

impl Range {
    /// Fails for uniform buffers and push constants.
    pub(crate) fn expect_writable(&self) -> Result {
        if self.space.is_read_only() { invalid("a write to memory that is read-only") } else { Ok(()) }
    }
}

/// Where the SoA columns of a stage's vertices lie, as an invocation sees them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SoaSource {
    /// The address that offsets count from, `i64`.
    pub(crate) base: Value,
    /// Bytes from column to column.
    pub(crate) column_bytes: u32,
    /// Where vertex 0 of the invocation's primitive, or its patch, begins: bytes, `i32`.
    pub(crate) first: Value,
    /// Where the other vertices begin.
    pub(crate) vertices: VertexPlaces,
    /// How many there are, `i32`.
    pub(crate) vertex_count: Value,
    /// [`Space::Constant`] where this stage only reads them.
    pub(crate) space: Space,
    /// Columns from each to the one that says whether it has been written, where that is followed.
    pub(crate) written: Option<u32>,
}

/// Where the vertices of a primitive begin.
#[derive(Clone, Copy, Debug)]
pub(crate) enum VertexPlaces {
    /// One behind the other, in consecutive lanes.
    Consecutive,
    /// Where a table says.
    Table {
        /// Its address, `i64`; in it, `SoaSource::first` is the offset of the `u32` of vertex 0.
        table: Value,
        /// Bytes from a vertex's to the next one's.
        stride: u32,
    },
}

/// How far a pointer has come.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SoaLevel {
    /// At all vertices: the next index chooses one.
    Vertices,
    /// At a block whose members have places of their own.
    Block,
    /// At values. Those of built-ins are arrays without padding to locations.
    Value {
        /// Whether they are.
        is_built_in: bool,
    },
}

/// A pointer to SoA columns. The pointer's offset and terms count columns.
#[derive(Clone, Debug)]
pub(crate) struct SoaPointer {
    pub(crate) source: SoaSource,
    pub(crate) variable: Id,
    pub(crate) at: SoaLevel,
    /// Where the vertex or patch begins, once it is known: bytes, `i32`.
    pub(crate) place: Option<Value>,
    /// Nobody writes it: zeros.
    pub(crate) is_missing: bool,
}

/// Where a variable, or a member of a block, begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SoaLocation {
    /// None where nobody writes it.
    pub(crate) column: Option<u32>,
    pub(crate) is_built_in: bool,
}
