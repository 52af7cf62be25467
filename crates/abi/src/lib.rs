//! What generated code and the runtime agree on.
//!
//! A compiled shader is a function of two records: the [`DispatchContext`], shared by every subgroup of a
//! dispatch, and the [`SubgroupContext`] of the one subgroup that runs. Both executors (the interpreter and
//! the machine code) read them with ordinary loads at the offsets given here, so their layout is fixed
//! (`repr(C)`) and checked at compile time.
//!
//! Descriptor sets are plain memory ([`descriptor`]); a pipeline layout ([`layout`]) says where in it each
//! binding lies. [`kernel`] is the face that an executor shows to the engine.
//!
//! Vertex and fragment functions have records of their own, which start with those two ([`graphics`]).
//! Image operations are calls of separately compiled functions ([`image`]); so are reports ([`report`]).
//!
//! All addresses are host addresses as `u64`; zero is null.
#![deny(unsafe_code)]

pub mod calling_convention;
pub mod context;
pub mod descriptor;
pub mod fault;
pub mod graphics;
pub mod heap;
pub mod image;
pub mod kernel;
pub mod layout;
pub mod memory;
pub mod node;
pub mod ray;
pub mod raytrace;
pub mod report;
pub mod shader_map;
pub mod shadow;
pub mod sparse;
pub mod tensor;
pub mod tiles;
pub mod trace;
pub mod vector_matrix;

pub use context::{DispatchContext, SubgroupContext};
pub use descriptor::{BufferDescriptor, SetHeader};
pub use graphics::{DrawContext, FragmentSubgroup, VertexSubgroup};
pub use image::{Callable, ImageDescriptor, ImageOp, ImageRecord, SamplerRecord};
pub use kernel::{Exit, KERNEL_STACK_BYTES_MAX, Kernel, KernelInfo, THREAD_STACK_BYTES};
pub use layout::{BindingLayout, DescriptorKind, KnownImage, PipelineLayout, SetLayout, ShaderOptions};
pub use memory::{Memory, Word};
pub use raytrace::RaySubgroup;

/// Descriptor sets that a pipeline layout can hold (`maxBoundDescriptorSets`).
pub const SETS_MAX: usize = 32;
/// Bytes of push constants (`maxPushConstantsSize`).
pub const PUSH_CONSTANT_BYTES_MAX: usize = 256;
/// Banks of push constants (`VK_NV_push_constant_bank`), each of [`PUSH_CONSTANT_BYTES_MAX`] bytes. The first
/// is in the context of a dispatch or draw, the others in memory that it points to.
pub const PUSH_BANK_COUNT: usize = 8;
/// Bytes of the banks behind the first.
pub const PUSH_BANKS_BYTES: usize = (PUSH_BANK_COUNT - 1) * PUSH_CONSTANT_BYTES_MAX;
/// The subgroup size used when nothing asks for another.
pub const DEFAULT_SUBGROUP_SIZE: u32 = 16;
/// Subgroups that a thread may have begun at one time: those of a workgroup (`shaderWarpsPerSM`).
pub const WARPS_PER_CORE: u32 = 1024 / SUBGROUP_SIZE_MIN;
/// The smallest subgroup size that can be asked for.
pub const SUBGROUP_SIZE_MIN: u32 = 4;
/// The largest subgroup size that can be asked for.
pub const SUBGROUP_SIZE_MAX: u32 = 64;
