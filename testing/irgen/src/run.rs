//! The memory that generated functions run on, and running them there.

use crate::random::Random;
use pyro_abi::context::offset;
use pyro_abi::{BufferDescriptor, DispatchContext, Exit, Kernel, KernelInfo, SubgroupContext};
use pyro_ir::{Function, Scalar};

/// Bytes of each region but the output.
pub const REGION_BYTES: usize = 1024;
/// Bytes of one stored value in the output: 64 lanes of 8 bytes.
pub const OUTPUT_STRIDE: usize = 512;
/// Values that the output has room for.
pub const OUTPUT_COUNT: usize = 64;

/// What a generated function may access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    /// A storage buffer (set 0, descriptor 0).
    Global,
    /// A buffer that is only read (descriptor 1).
    Constant,
    /// Floats for atomic operations (descriptor 2): see [`float_area`].
    Floats,
    /// Where results go (descriptor 3).
    Output,
    /// Workgroup memory.
    Shared,
    /// Private arrays.
    Scratch,
    /// Frame memory.
    Frame,
}

impl Region {
    /// All regions.
    pub const ALL: [Region; 7] = [
        Region::Global,
        Region::Constant,
        Region::Floats,
        Region::Output,
        Region::Shared,
        Region::Scratch,
        Region::Frame,
    ];

    /// Its size.
    pub const fn bytes(self) -> usize {
        match self {
            Region::Output => OUTPUT_COUNT * OUTPUT_STRIDE,
            _ => REGION_BYTES,
        }
    }
}

/// Where in [`Region::Floats`] the atomics on this type work: first byte and size.
pub const fn float_area(scalar: Scalar) -> (u32, u32) {
    match scalar {
        Scalar::F16 => (0, 256),
        Scalar::F32 => (256, 256),
        _ => (512, 512),
    }
}

/// The bytes of all regions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// By [`Region::ALL`], as 64-bit words.
    pub regions: Vec<Vec<u64>>,
    /// `SubgroupContext::subgroup_id`.
    pub subgroup_id: u32,
    /// `SubgroupContext::active_lanes`.
    pub active_lanes: u64,
}

impl Image {
    /// Contents from a seed, for a subgroup of `lanes`.
    pub fn new(seed: u64, lanes: u32) -> Image {
        let mut random = Random::new(seed ^ 0x6d65_6d6f_7279);
        let regions = Region::ALL.map(|region| {
            let words = region.bytes() / 8;
            if region == Region::Output {
                return vec![0; words];
            }
            let mut word = || {
                let width = random.choose(&[8, 16, 32, 64]);
                let parts = 64 / width;
                (0..parts).fold(0, |word, part| word | random.interesting(width) << (part * width))
            };
            (0..words).map(|_| word()).collect()
        });
        let active_lanes = random.bits() | random.bits();
        let active_lanes = if random.once_in(2) { u64::MAX } else { active_lanes };
        Image {
            regions: regions.to_vec(),
            subgroup_id: random.below(4) as u32,
            active_lanes: active_lanes & (u64::MAX >> (64 - lanes)),
        }
    }

    /// A region's bytes.
    pub fn bytes(&self, region: Region) -> Vec<u8> {
        self.regions[region as usize].iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// The descriptor set's memory: a header and four descriptors.
pub(crate) fn descriptor_set(address: impl Fn(Region) -> u64) -> Vec<u64> {
    let mut set = vec![80, 0];
    for region in [Region::Global, Region::Constant, Region::Floats, Region::Output] {
        let descriptor = BufferDescriptor { address: address(region), size: region.bytes() as u64 };
        set.extend([descriptor.address, descriptor.size]);
    }
    set
}

/// Bytes from the start of the set to a region's descriptor.
pub(crate) fn descriptor_offset(region: Region) -> i32 {
    16 + 16 * region as i32
}

/// Where the subgroup context holds a region's address.
pub(crate) fn context_offset(region: Region) -> Option<u32> {
    match region {
        Region::Shared => Some(offset::SHARED),
        Region::Scratch => Some(offset::SCRATCH),
        Region::Frame => Some(offset::FRAME),
        _ => None,
    }
}

/// Facts that executors want to know about a generated function.
pub fn kernel_info(function: &Function) -> KernelInfo {
    KernelInfo {
        subgroup_size: function.lanes,
        workgroup_size: [function.lanes, 1, 1],
        shared_bytes: REGION_BYTES as u32,
        zero_shared: false,
        scratch_bytes: REGION_BYTES as u32,
        frame_bytes: REGION_BYTES as u32,
        has_barriers: false,
    }
}

/// Runs a kernel once on a copy of the image, and gives what it left.
///
/// The kernel must access nothing but the image: generated functions do not.
#[allow(unsafe_code)]
pub fn run(kernel: &dyn Kernel, image: &Image) -> (Exit, Image) {
    let mut after = image.clone();
    let addresses: Vec<u64> = after.regions.iter_mut().map(|region| address(region)).collect();
    let at = |region: Region| addresses[region as usize];
    let mut set = descriptor_set(at);
    let mut abort = vec![0u64];
    let mut dispatch = DispatchContext {
        sets: [0; pyro_abi::MAX_SETS],
        dynamic_buffers: 0,
        abort: address(&mut abort),
        num_workgroups: [1; 3],
        base_workgroup: [0; 3],
        push_constants: [0; pyro_abi::MAX_PUSH_CONSTANT_BYTES],
    };
    dispatch.sets[0] = address(&mut set);
    let mut subgroup = SubgroupContext {
        subgroup_id: image.subgroup_id,
        active_lanes: image.active_lanes,
        shared: at(Region::Shared),
        scratch: at(Region::Scratch),
        frame: at(Region::Frame),
        ..SubgroupContext::default()
    };
    // SAFETY: all addresses are those of vectors that live until the end of this function and are not used
    // during the call; generated functions stay inside them (the plain evaluator checks every access).
    let exit = unsafe { kernel.run(&dispatch, &mut subgroup) };
    (exit, after)
}

fn address(words: &mut [u64]) -> u64 {
    words.as_mut_ptr().expose_provenance() as u64
}
