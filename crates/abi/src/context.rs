//! The two records that a compiled shader is called with.

use crate::{PUSH_CONSTANT_BYTES_MAX, SETS_MAX};

/// What every subgroup of one dispatch shares. Entry argument 0 of a compiled shader is its address.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct DispatchContext {
    /// Address of each bound descriptor set's memory, which starts with a [`crate::SetHeader`]. An unbound
    /// set points at an empty set, never at null.
    pub sets: [u64; SETS_MAX],
    /// Address of an array of [`crate::BufferDescriptor`], one for each dynamic buffer descriptor of the
    /// pipeline layout ([`crate::BindingLayout::dynamic_index`]), with the dynamic offset already added.
    pub dynamic_buffers: u64,
    /// Address of a `u32` that becomes non-zero when the dispatch must stop (watchdog, device lost). Shaders
    /// poll it at loop back edges.
    pub abort: u64,
    /// Workgroups in x, y, z (`NumWorkgroups`).
    pub num_workgroups: [u32; 3],
    /// First workgroup (`vkCmdDispatchBase`); [`SubgroupContext::workgroup_id`] already includes it.
    pub base_workgroup: [u32; 3],
    /// The push constant bytes.
    pub push_constants: [u8; PUSH_CONSTANT_BYTES_MAX],
    /// Address of the [`crate::ImageRecord`] that stands in for null descriptors: reads give zero, writes are
    /// dropped.
    pub null_image: u64,
    /// Address of the [`crate::SamplerRecord`] that stands in for null descriptors and for operations without
    /// a sampler (row 0).
    pub null_sampler: u64,
    /// Address of the [`crate::Callable`] that ray queries call ([`crate::ray::query`]).
    pub ray_query: u64,
    /// Address of the [`crate::Callable`] that runs loops of products of matrices by the processor's tiles
    /// ([`crate::tiles`]). Zero: there are none, and no code for them.
    pub tile_loops: u64,
    /// The render area's first pixel, of a dispatch over one; else zeros.
    pub area_offset: [u32; 2],
    /// Not zero: the dispatch writes more than caches hold, so what it stores need not go through them.
    /// Filled in by the engine.
    pub streaming: u32,
    /// Address of a table of [`INSTRUMENTED_STAGES`] addresses, one for each bit of `VkShaderStageFlagBits`
    /// from the lowest on: where a stage's functions count (`u64`s, one for each basic block), zero where
    /// they do not. Zero: nobody counts.
    pub instrumentation: u64,
    /// Address of the [`crate::Callable`] that takes reports ([`crate::report`]). Zero: nobody takes them.
    pub reporter: u64,
    /// A number that no other dispatch or draw has at the same time, for reports.
    pub serial: u32,
    /// `DeviceIndex`: which physical device of the logical device runs it.
    pub device_index: u32,
    /// Address of [`crate::PUSH_BANKS_BYTES`] bytes: the banks of push constants behind the first.
    pub push_banks: u64,
    /// Address of the tables of buffers' shadow memory ([`crate::shadow::buffer`]). Zero: there is none.
    pub shadow: u64,
    /// The number of the dispatch's first invocation there.
    pub shadow_first: u32,
    /// Invocations of the dispatch.
    pub shadow_count: u32,
    /// Address of [`crate::report::TOLD_COUNT`] words, one for sites of each number modulo that: the serial
    /// of the command of which such sites tell no more accesses. Zero: all do.
    pub told: u64,
    /// A bit for each word of the push constants that no command has set, where the sanitizer asks for it.
    pub push_unset: u64,
    /// `TileOffsetQCOM`. Zeros where commands do not run for each tile, as are the next two.
    pub tile_offset: [u32; 2],
    /// `TileDimensionQCOM`.
    pub tile_size: [u32; 2],
    /// `TileApronSizeQCOM`.
    pub tile_apron: [u32; 2],
}

/// Stages whose functions can count how often their blocks run: all before those of rays.
pub const INSTRUMENTED_STAGES: usize = 8;

/// Nothing bound, no workgroups: all zeros.
impl Default for DispatchContext {
    fn default() -> DispatchContext {
        DispatchContext {
            sets: [0; SETS_MAX],
            dynamic_buffers: 0,
            abort: 0,
            num_workgroups: [0; 3],
            base_workgroup: [0; 3],
            area_offset: [0; 2],
            push_constants: [0; PUSH_CONSTANT_BYTES_MAX],
            null_image: 0,
            null_sampler: 0,
            ray_query: 0,
            tile_loops: 0,
            streaming: 0,
            instrumentation: 0,
            reporter: 0,
            serial: 0,
            device_index: 0,
            push_banks: 0,
            shadow: 0,
            shadow_first: 0,
            shadow_count: 0,
            told: 0,
            push_unset: 0,
            tile_offset: [0; 2],
            tile_size: [0; 2],
            tile_apron: [0; 2],
        }
    }
}

/// The state of one subgroup. Entry argument 1 of a compiled shader is its address.
#[derive(Clone, Debug, Default)]
#[repr(C, align(64))]
pub struct SubgroupContext {
    /// `WorkgroupId` in x, y, z.
    pub workgroup_id: [u32; 3],
    /// `SubgroupId`: index within the workgroup.
    pub subgroup_id: u32,
    /// Bit `i` is set when lane `i` holds an invocation at the start of the shader.
    pub active_lanes: u64,
    /// Where to go on: 0 at the start, else what the shader stored here before it suspended. Of a kernel that
    /// does not loop over workgroups, the engine sets it to 0 once for each workgroup and leaves it alone
    /// after that.
    pub resume_point: u32,
    /// How many workgroups a call runs, of a kernel that loops over them
    /// ([`crate::KernelInfo::loops_over_workgroups`]); at least 1.
    pub workgroup_count: u32,
    /// Address of the workgroup's shared memory ([`crate::KernelInfo::shared_bytes`]), 64-byte aligned.
    pub shared: u64,
    /// Address of this subgroup's private arrays ([`crate::KernelInfo::scratch_bytes`]), 64-byte aligned.
    pub scratch: u64,
    /// Address of what lives across suspend points ([`crate::KernelInfo::frame_bytes`]), 64-byte aligned.
    pub frame: u64,
    /// For the shader's own use in the first record of a workgroup: how many of its subgroups have ended.
    pub ended_count: u32,
    /// The thread that runs the subgroup, among all that may run some at one time, in the lower half; how
    /// many these are in the upper half.
    pub core: u32,
}

/// Byte offsets of the fields, for generated code.
pub mod offset {
    use super::{DispatchContext as D, SubgroupContext as S};
    use core::mem::offset_of;

    /// [`super::DispatchContext::sets`].
    pub const SETS: u32 = offset_of!(D, sets) as u32;
    /// [`super::DispatchContext::dynamic_buffers`].
    pub const DYNAMIC_BUFFERS: u32 = offset_of!(D, dynamic_buffers) as u32;
    /// [`super::DispatchContext::abort`].
    pub const ABORT: u32 = offset_of!(D, abort) as u32;
    /// [`super::DispatchContext::null_image`].
    pub const NULL_IMAGE: u32 = offset_of!(D, null_image) as u32;
    /// [`super::DispatchContext::null_sampler`].
    pub const NULL_SAMPLER: u32 = offset_of!(D, null_sampler) as u32;
    /// [`super::DispatchContext::ray_query`].
    pub const RAY_QUERY: u32 = offset_of!(D, ray_query) as u32;
    /// [`super::DispatchContext::tile_loops`].
    pub const TILE_LOOPS: u32 = offset_of!(D, tile_loops) as u32;
    /// [`super::DispatchContext::num_workgroups`].
    pub const NUM_WORKGROUPS: u32 = offset_of!(D, num_workgroups) as u32;
    /// [`super::DispatchContext::base_workgroup`].
    pub const BASE_WORKGROUP: u32 = offset_of!(D, base_workgroup) as u32;
    /// [`super::DispatchContext::area_offset`].
    pub const AREA_OFFSET: u32 = offset_of!(D, area_offset) as u32;
    /// [`super::DispatchContext::streaming`].
    pub const STREAMING: u32 = offset_of!(D, streaming) as u32;
    /// [`super::DispatchContext::instrumentation`].
    pub const INSTRUMENTATION: u32 = offset_of!(D, instrumentation) as u32;
    /// [`super::DispatchContext::reporter`].
    pub const REPORTER: u32 = offset_of!(D, reporter) as u32;
    /// [`super::DispatchContext::serial`].
    pub const SERIAL: u32 = offset_of!(D, serial) as u32;
    /// [`super::DispatchContext::device_index`].
    pub const DEVICE_INDEX: u32 = offset_of!(D, device_index) as u32;
    /// [`super::DispatchContext::push_banks`].
    pub const PUSH_BANKS: u32 = offset_of!(D, push_banks) as u32;
    /// `DispatchContext::shadow`
    pub const SHADOW: u32 = offset_of!(D, shadow) as u32;
    /// `DispatchContext::shadow_first`
    pub const SHADOW_FIRST: u32 = offset_of!(D, shadow_first) as u32;
    /// `DispatchContext::shadow_count`
    pub const SHADOW_COUNT: u32 = offset_of!(D, shadow_count) as u32;
    /// [`super::DispatchContext::told`].
    pub const TOLD: u32 = offset_of!(D, told) as u32;
    /// [`super::DispatchContext::push_unset`].
    pub const PUSH_UNSET: u32 = offset_of!(D, push_unset) as u32;
    /// [`super::DispatchContext::tile_offset`].
    pub const TILE_OFFSET: u32 = offset_of!(D, tile_offset) as u32;
    /// [`super::DispatchContext::tile_size`].
    pub const TILE_SIZE: u32 = offset_of!(D, tile_size) as u32;
    /// [`super::DispatchContext::tile_apron`].
    pub const TILE_APRON: u32 = offset_of!(D, tile_apron) as u32;
    /// [`super::DispatchContext::push_constants`].
    pub const PUSH_CONSTANTS: u32 = offset_of!(D, push_constants) as u32;
    /// [`super::SubgroupContext::workgroup_id`].
    pub const WORKGROUP_ID: u32 = offset_of!(S, workgroup_id) as u32;
    /// [`super::SubgroupContext::subgroup_id`].
    pub const SUBGROUP_ID: u32 = offset_of!(S, subgroup_id) as u32;
    /// [`super::SubgroupContext::active_lanes`].
    pub const ACTIVE_LANES: u32 = offset_of!(S, active_lanes) as u32;
    /// [`super::SubgroupContext::resume_point`].
    pub const RESUME_POINT: u32 = offset_of!(S, resume_point) as u32;
    /// [`super::SubgroupContext::workgroup_count`].
    pub const WORKGROUP_COUNT: u32 = offset_of!(S, workgroup_count) as u32;
    /// [`super::SubgroupContext::shared`].
    pub const SHARED: u32 = offset_of!(S, shared) as u32;
    /// [`super::SubgroupContext::scratch`].
    pub const SCRATCH: u32 = offset_of!(S, scratch) as u32;
    /// [`super::SubgroupContext::ended_count`].
    pub const ENDED_COUNT: u32 = offset_of!(S, ended_count) as u32;
    /// [`super::SubgroupContext::core`].
    pub const CORE: u32 = offset_of!(S, core) as u32;
    /// [`super::SubgroupContext::frame`].
    pub const FRAME: u32 = offset_of!(S, frame) as u32;
}
