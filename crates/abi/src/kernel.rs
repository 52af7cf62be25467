//! The face that every executor shows to the engine.

use crate::report::Sites;
use crate::shader_map::ShaderMap;
use crate::{DispatchContext, SubgroupContext};
use std::sync::Arc;

/// Why a call of a compiled shader came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Exit {
    /// All invocations of the subgroup ended.
    Done = 0,
    /// The subgroup waits at a workgroup barrier; call again once all subgroups have come to it.
    Barrier = 1,
    /// The shader saw [`DispatchContext::abort`] and gave up.
    Aborted = 2,
    /// Invocations of a ray tracing stage trace rays, call or report: see [`crate::raytrace`].
    Call = 3,
}

impl Exit {
    /// The exit with this code, if there is one.
    pub fn from_code(code: u32) -> Option<Exit> {
        [Exit::Done, Exit::Barrier, Exit::Aborted, Exit::Call].into_iter().find(|exit| *exit as u32 == code)
    }
}

/// The most bytes of the calling thread's stack that a kernel takes.
pub const KERNEL_STACK_BYTES_MAX: u32 = 4 << 20;

/// Bytes of the stacks of threads that run any kernel: kernels that call each other, and what the runtime
/// needs. Pages that are never touched cost nothing.
pub const THREAD_STACK_BYTES: usize = 4 * KERNEL_STACK_BYTES_MAX as usize;

/// Facts about a compiled compute shader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelInfo {
    /// Lanes of a subgroup.
    pub subgroup_size: u32,
    /// Invocations of a workgroup in x, y, z.
    pub workgroup_size: [u32; 3],
    /// Bytes of workgroup memory.
    pub shared_bytes: u32,
    /// How many of them are not the shader's variables: cooperative matrices pass through them.
    pub exchange_bytes: u32,
    /// The workgroup memory must be zeroed before the first subgroup runs.
    pub zero_shared: bool,
    /// The last bytes of workgroup memory, which must be zeroed even so: the sanitizer's
    /// ([`crate::shadow`]).
    pub shadow_bytes: u32,
    /// Bytes of private arrays of one subgroup.
    pub scratch_bytes: u32,
    /// Bytes kept across suspend points by one subgroup.
    pub frame_bytes: u32,
    /// Bytes of the task payload, in task and mesh shaders; in those of ray tracing, of the largest payload
    /// or callable data that comes or goes.
    pub payload_bytes: u32,
    /// Bytes of the calling thread's stack that machine code takes: [`KERNEL_STACK_BYTES_MAX`] at most.
    pub stack_bytes: u32,
    /// The shader has workgroup barriers.
    pub has_barriers: bool,
    /// One call runs all subgroups of [`crate::SubgroupContext::workgroup_count`] workgroups, those from
    /// [`crate::SubgroupContext::workgroup_id`] on with x running first. Where the shader has barriers, the
    /// call gets the first of the records of the workgroup's subgroups, which lie one behind the other.
    pub loops_over_workgroups: bool,
    /// The module has instructions that write memory which other invocations or the application may read, so
    /// that the order of invocations may decide what is there.
    pub writes_memory: bool,
    /// The module may ask which physical device of a group it runs on ([`DispatchContext::device_index`]).
    pub uses_device_index: bool,
    /// The module declares `TileShadingQCOM`.
    pub shades_tiles: bool,
    /// `TileShadingRateQCOM`: the pixels of one invocation in x and y, and its layers.
    pub tile_rate: Option<[u32; 3]>,
    /// Operations that one subgroup runs at most, where it repeats none and calls nothing; else unknown.
    pub subgroup_operations: Option<u32>,
    /// Set and binding of the single descriptors of images and samplers that image operations use.
    pub images: Vec<(u32, u32)>,
    /// Names for messages.
    pub source: Option<Arc<Source>>,
    /// Where it reports ([`crate::report`]), if anywhere.
    pub sites: Option<Sites>,
    /// Where in the shader its code comes from, where that is wanted ([`crate::ShaderOptions::map`]).
    pub map: Option<Arc<ShaderMap>>,
}

pyro_util::codec_struct!(KernelInfo {
    subgroup_size,
    workgroup_size,
    shared_bytes,
    exchange_bytes,
    zero_shared,
    shadow_bytes,
    scratch_bytes,
    frame_bytes,
    payload_bytes,
    stack_bytes,
    has_barriers,
    loops_over_workgroups,
    writes_memory,
    uses_device_index,
    shades_tiles,
    tile_rate,
    subgroup_operations,
    images,
    source,
    sites,
    map,
});
pyro_util::codec_struct!(Source { shader, loops, places });

/// What a kernel was made from, for messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The shader.
    pub shader: String,
    /// Where each loop is; of the loop that saw [`DispatchContext::abort`], the number from 1 is in
    /// [`SubgroupContext::resume_point`] behind [`Exit::Aborted`]. Empty texts for loops without a place.
    pub loops: Vec<String>,
    /// Places in the source by the numbers that machine code is attributed to; empty texts for none.
    pub places: Vec<String>,
}

impl Source {
    /// What to say of a shader that was stopped in the loop of this number (0: nobody knows where).
    pub fn stopped(&self, number: u32) -> String {
        let place = (number as usize).checked_sub(1).and_then(|index| self.loops.get(index));
        match place.map(String::as_str) {
            None | Some("") => format!("shader \"{}\" was stopped", self.shader),
            Some(place) => format!("shader \"{}\" was stopped in the loop at {place}", self.shader),
        }
    }
}

impl KernelInfo {
    /// The bytes of workgroup memory that must be zeroed before a workgroup runs.
    pub fn zeroed(&self) -> std::ops::Range<usize> {
        let end = self.shared_bytes as usize;
        match (self.zero_shared, self.shadow_bytes) {
            (true, _) => 0..end,
            (false, 0) => 0..0,
            (false, shadow) => end.saturating_sub(shadow as usize)..end,
        }
    }

    /// Invocations of one workgroup.
    pub fn invocation_count(&self) -> u32 {
        self.workgroup_size.iter().product()
    }

    /// Lanes of subgroup `index` that hold an invocation, as bits.
    pub fn active_lanes(&self, index: u32) -> u64 {
        let lanes = self.subgroup_size.min(64);
        let left = self.invocation_count().saturating_sub(index.saturating_mul(lanes)).min(lanes);
        if left == 0 { 0 } else { u64::MAX >> (64 - left) }
    }

    /// Subgroups of one workgroup.
    pub fn subgroup_count(&self) -> u32 {
        self.invocation_count().div_ceil(self.subgroup_size.max(1))
    }
}

/// Something that runs one subgroup of a compiled compute shader.
pub trait Kernel: Send + Sync {
    /// Facts for the engine.
    fn info(&self) -> &KernelInfo;

    /// Runs one subgroup until it ends or suspends, or all of some workgroups
    /// ([`KernelInfo::loops_over_workgroups`]).
    ///
    /// # Safety
    /// Every address in `dispatch`, in `subgroup`, and in the descriptor sets reached from them, must be
    /// valid for the bytes it stands for during the call, and `subgroup`'s shared, scratch and frame memory
    /// at least as large as [`Kernel::info`] says. Device addresses that the shader computes itself are the
    /// application's promise.
    #[allow(unsafe_code)]
    unsafe fn run(&self, dispatch: &DispatchContext, subgroup: &mut SubgroupContext) -> Exit;

    /// Figures about what was compiled, by name, for tools.
    fn statistics(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// The kernel as bytes that another process of the same build can load, for caches; none when it has no
    /// such form.
    fn portable(&self) -> Option<Vec<u8>> {
        None
    }

    /// A readable form of what was compiled (IR, machine code), for tools.
    fn representations(&self) -> Vec<(String, String)> {
        Vec::new()
    }
}
