//! The memory that generated functions run on, and running them there.

use crate::interesting::interesting;
use pyro_abi::context::offset;
use pyro_abi::{BufferDescriptor, DispatchContext, Exit, Kernel, KernelInfo, SubgroupContext};
use pyro_ir::{Function, Scalar};
use pyro_random::Random;

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
                let width = random.pick(&[8, 16, 32, 64]);
                let parts = 64 / width;
                (0..parts).fold(0, |word, part| word | interesting(&mut random, width) << (part * width))
            };
            (0..words).map(|_| word()).collect()
        });
        let active_lanes = random.bits() | random.bits();
        let active_lanes = if random.one_in(2) { u64::MAX } else { active_lanes };
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
fn descriptor_set(address: impl Fn(Region) -> u64) -> Vec<u64> {
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
        loops_over_workgroups: false,
        ..KernelInfo::default()
    }
}

/// An image in memory, with the records that a kernel is called with. The plain evaluator and the executors
/// work on the same addresses, so that even functions that compute with addresses do the same.
pub struct Arena {
    image: Image,
    set: Vec<u64>,
    dispatch: Box<DispatchContext>,
    subgroup: Box<SubgroupContext>,
    /// By [`Region::ALL`].
    addresses: Vec<u64>,
    set_address: u64,
    /// Of the two records.
    record_addresses: [u64; 2],
    /// What `DispatchContext::abort` points to.
    _abort: Box<[u64]>,
}

impl Arena {
    /// A copy of an image.
    pub fn new(image: &Image) -> Arena {
        let mut image = image.clone();
        let addresses: Vec<u64> = image.regions.iter_mut().map(|region| address(region)).collect();
        let at = |region: Region| addresses[region as usize];
        let mut set = descriptor_set(at);
        let set_address = address(&mut set);
        let mut abort = vec![0u64].into_boxed_slice();
        let mut dispatch = Box::new(DispatchContext {
            abort: address(&mut abort),
            num_workgroups: [1; 3],
            streaming: image.subgroup_id & 1,
            ..DispatchContext::default()
        });
        dispatch.sets[0] = set_address;
        let mut subgroup = Box::new(SubgroupContext {
            subgroup_id: image.subgroup_id,
            active_lanes: image.active_lanes,
            shared: at(Region::Shared),
            scratch: at(Region::Scratch),
            frame: at(Region::Frame),
            ..SubgroupContext::default()
        });
        let record_addresses = [
            (&raw mut *dispatch).expose_provenance() as u64,
            (&raw mut *subgroup).expose_provenance() as u64,
        ];
        Arena { image, set, dispatch, subgroup, addresses, set_address, record_addresses, _abort: abort }
    }

    /// The image as it is now.
    pub fn image(&self) -> &Image {
        &self.image
    }

    /// Address and contents of everything that a function may read, the regions first; those alone may be
    /// written. Of the records only what generated functions read is there.
    pub(crate) fn memory(&self) -> Vec<(u64, Vec<u8>)> {
        let mut memory: Vec<(u64, Vec<u8>)> =
            Region::ALL.map(|region| (self.addresses[region as usize], self.image.bytes(region))).to_vec();
        memory.push((self.set_address, self.set.iter().flat_map(|word| word.to_le_bytes()).collect()));
        let mut dispatch = vec![0; size_of::<DispatchContext>()];
        put(&mut dispatch, offset::SETS, &self.set_address.to_le_bytes());
        memory.push((self.record_addresses[0], dispatch));
        let mut subgroup = vec![0; size_of::<SubgroupContext>()];
        put(&mut subgroup, offset::SUBGROUP_ID, &self.subgroup.subgroup_id.to_le_bytes());
        put(&mut subgroup, offset::ACTIVE_LANES, &self.subgroup.active_lanes.to_le_bytes());
        for region in Region::ALL {
            if let Some(offset) = context_offset(region) {
                put(&mut subgroup, offset, &self.addresses[region as usize].to_le_bytes());
            }
        }
        memory.push((self.record_addresses[1], subgroup));
        memory
    }

    /// The entry arguments.
    pub(crate) fn args(&self) -> [u64; 2] {
        self.record_addresses
    }

    /// Runs a kernel once.
    ///
    /// The kernel must access nothing but this memory: [`crate::evaluate()`] says of a function whether it
    /// does.
    #[allow(unsafe_code)]
    pub fn run(&mut self, kernel: &dyn Kernel) -> Exit {
        // SAFETY: all addresses are those of memory that this owns and that is not used during the call;
        // that functions stay inside is the caller's promise, which the plain evaluator has checked.
        unsafe { kernel.run(&self.dispatch, &mut self.subgroup) }
    }
}

fn put(record: &mut [u8], offset: u32, bytes: &[u8]) {
    record[offset as usize..][..bytes.len()].copy_from_slice(bytes);
}

fn address(words: &mut [u64]) -> u64 {
    words.as_mut_ptr().expose_provenance() as u64
}
