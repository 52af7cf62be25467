//! `vkCmdBuildClusterAccelerationStructureIndirectNV`: makes, moves or measures many objects.
//!
//! All arguments are in memory when the command runs. Each object that cannot be made (the address of a
//! template or a cluster names none) has no bytes, and the address zero where addresses are written.

pub use super::input::TriangleLimits;
use super::input::{InstantiateInfo, TriangleInfo, info_bytes};
use super::{
    BOTTOM_ALIGNMENT, CLUSTER_ALIGNMENT, CLUSTERS_MAX, TEMPLATE_ALIGNMENT, Template, bottom_bytes,
    cluster_bytes, input, template_bytes,
};
pub use super::{TRIANGLES_MAX, VERTICES_MAX};
use crate::build_reads::elements;
use crate::place::{self, Object};
use crate::{AccelerationStructure, Content, OneThread, Workers};
use pyro_abi::Memory;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// `VkClusterAccelerationStructureTypeNV`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectType {
    /// `CLUSTERS_BOTTOM_LEVEL`.
    Bottom,
    /// `TRIANGLE_CLUSTER`.
    Cluster,
    /// `TRIANGLE_CLUSTER_TEMPLATE`.
    Template,
}

impl ObjectType {
    fn of(object: &Object) -> Option<ObjectType> {
        match object {
            Object::Cluster(_) => Some(ObjectType::Cluster),
            Object::Template(_) => Some(ObjectType::Template),
            Object::Bottom(_) => Some(ObjectType::Bottom),
            Object::Partitioned(_) => None,
        }
    }

    fn alignment(self) -> u64 {
        match self {
            ObjectType::Bottom => BOTTOM_ALIGNMENT,
            ObjectType::Cluster => CLUSTER_ALIGNMENT,
            ObjectType::Template => TEMPLATE_ALIGNMENT,
        }
    }
}

/// `VkClusterAccelerationStructureOpTypeNV`, with what its input says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `MOVE_OBJECTS`.
    Move {
        /// Of what; other objects stay where they are.
        ty: ObjectType,
        /// `noMoveOverlap`: the sources stay too.
        keeps_sources: bool,
        /// `maxMovedBytes`.
        bytes_max: u64,
    },
    /// `BUILD_CLUSTERS_BOTTOM_LEVEL`.
    BuildBottom {
        /// `maxClusterCountPerAccelerationStructure`.
        clusters_max: u32,
        /// `maxTotalClusterCount`.
        total_max: u32,
    },
    /// `BUILD_TRIANGLE_CLUSTER`.
    BuildCluster(TriangleLimits),
    /// `BUILD_TRIANGLE_CLUSTER_TEMPLATE`.
    BuildTemplate(TriangleLimits),
    /// `INSTANTIATE_TRIANGLE_CLUSTER`.
    Instantiate(TriangleLimits),
    /// `GET_CLUSTER_TEMPLATE_INDICES`. The specification does not say how wide they are: they are bytes.
    GetIndices(TriangleLimits),
}

fn aligned(value: u64, alignment: u64) -> u64 {
    value.checked_next_multiple_of(alignment).unwrap_or(u64::MAX)
}

impl Operation {
    /// Bytes of its structures in `srcInfosArray`.
    fn info_bytes(self) -> u64 {
        match self {
            Operation::Move { .. } => info_bytes::MOVE,
            Operation::BuildBottom { .. } => info_bytes::BOTTOM,
            Operation::BuildCluster(_) => info_bytes::CLUSTER,
            Operation::BuildTemplate(_) => info_bytes::TEMPLATE,
            Operation::Instantiate(_) => info_bytes::INSTANTIATE,
            Operation::GetIndices(_) => info_bytes::INDICES,
        }
    }

    /// What an object of it is aligned to where the command says where it comes.
    fn alignment(self) -> u64 {
        match self {
            Operation::Move { ty, .. } => ty.alignment(),
            Operation::BuildBottom { .. } => BOTTOM_ALIGNMENT,
            Operation::BuildCluster(_) | Operation::Instantiate(_) => CLUSTER_ALIGNMENT,
            Operation::BuildTemplate(_) => TEMPLATE_ALIGNMENT,
            Operation::GetIndices(_) => 4,
        }
    }

    /// The most bytes of one object.
    fn bytes_max(self) -> u64 {
        match self {
            Operation::Move { bytes_max, .. } => bytes_max,
            Operation::BuildBottom { clusters_max, total_max } => {
                bottom_bytes(clusters_max.min(total_max).into())
            }
            Operation::BuildCluster(limits) | Operation::Instantiate(limits) => {
                cluster_bytes(limits.triangles)
            }
            Operation::BuildTemplate(limits) => template_bytes(limits.triangles, limits.vertices),
            Operation::GetIndices(limits) => 3 * u64::from(limits.triangles),
        }
    }

    /// Bytes that `count` objects take at most, of one or of all
    /// (`vkGetClusterAccelerationStructureBuildSizesNV`).
    pub fn size(self, mode: Mode, count: u32) -> u64 {
        let one = aligned(self.bytes_max(), self.alignment());
        match (mode, self) {
            (Mode::ComputeSizes, _) => 0,
            (Mode::Explicit, _) | (Mode::Implicit, Operation::Move { .. }) => one,
            (Mode::Implicit, Operation::BuildBottom { total_max, clusters_max }) => {
                // Each has something for itself, and all of them something for each cluster.
                let all = bottom_bytes(total_max.into()).saturating_sub(bottom_bytes(0));
                let empty = (bottom_bytes(0) + BOTTOM_ALIGNMENT).saturating_mul(u64::from(count) + 1);
                let each = bottom_bytes(clusters_max.into()).saturating_mul(count.into());
                each.min(all.saturating_add(empty))
            }
            (Mode::Implicit, _) => one.saturating_mul(count.into()),
        }
    }
}

/// `VkClusterAccelerationStructureOpModeNV`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `IMPLICIT_DESTINATIONS`.
    Implicit,
    /// `EXPLICIT_DESTINATIONS`.
    Explicit,
    /// `COMPUTE_SIZES`.
    ComputeSizes,
}

/// `VkStridedDeviceAddressRegionKHR`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Region {
    /// Where it begins; zero for none.
    pub address: u64,
    /// Bytes from one element to the next.
    pub stride: u64,
    /// All bytes.
    pub size: u64,
}

impl Region {
    fn at(&self, index: u64, element: u64) -> u64 {
        let stride = if self.stride == 0 { element } else { self.stride };
        self.address.wrapping_add(index.wrapping_mul(stride))
    }

    /// How many elements of so many bytes it has; as many as there may be where it does not say.
    fn count(&self, element: u64) -> u64 {
        let stride = if self.stride == 0 { element } else { self.stride };
        match self.size {
            0 => u64::MAX,
            size if size < element => 0,
            size => (size - element) / stride + 1,
        }
    }
}

/// Bits of `VkClusterAccelerationStructureAddressResolutionFlagBitsNV`: what is at an address is the address.
mod indirect {
    pub(super) const DESTINATION: u32 = 1;
    pub(super) const ADDRESSES: u32 = 4;
    pub(super) const SIZES: u32 = 8;
    pub(super) const INFOS: u32 = 0x10;
    pub(super) const COUNT: u32 = 0x20;
}

/// `VkClusterAccelerationStructureCommandsInfoNV`. Scratch memory is the driver's own.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// `input.opType`.
    pub operation: Operation,
    /// `input.opMode`.
    pub mode: Mode,
    /// `input.maxAccelerationStructureCount`.
    pub count_max: u32,
    /// `dstImplicitData`.
    pub destination: u64,
    /// `dstAddressesArray`.
    pub addresses: Region,
    /// `dstSizesArray`.
    pub sizes: Region,
    /// `srcInfosArray`.
    pub infos: Region,
    /// `srcInfosCount`.
    pub count: u64,
    /// `addressResolutionFlags`.
    pub resolution: u32,
}

/// What an operation has made.
enum Made {
    /// An object of so many bytes.
    Object(Object, u64),
    /// What is written at its destination.
    Bytes(Vec<u8>),
    /// A content, whose structure is made with its address.
    Content(Arc<Content>, u64),
    /// Only its size is asked for.
    Size(u64),
}

impl Made {
    fn bytes(&self) -> u64 {
        match self {
            Made::Object(_, bytes) | Made::Content(_, bytes) | Made::Size(bytes) => *bytes,
            Made::Bytes(bytes) => bytes.len() as u64,
        }
    }
}

/// What a command reads and writes of memory.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    /// Bytes of its arguments, and of what these lead to.
    pub inputs: Vec<Range<u64>>,
    /// Bytes of addresses and sizes that it writes.
    pub outputs: Vec<Range<u64>>,
    /// Addresses of objects and structures that it reads.
    pub read: BTreeSet<u64>,
    /// Addresses of micromaps that it reads.
    pub micromaps: BTreeSet<u64>,
    /// Addresses of objects that it writes.
    pub written: BTreeSet<u64>,
}

/// Objects of a command that are looked at one by one.
const OBJECTS_FOLLOWED_MAX: u64 = 1 << 14;

/// Objects that are made in one go.
const CHUNK: u64 = 1 << 12;

fn template_at(address: u64) -> Option<Arc<Template>> {
    match place::find(address)?.0 {
        Object::Template(template) => Some(template),
        _ => None,
    }
}

impl Command {
    /// Runs it.
    pub fn run(&self, memory: Memory, workers: &dyn Workers) {
        let command = self.resolved(memory);
        let count = command.object_count(memory);
        if let Operation::Move { .. } = command.operation {
            return command.move_objects(memory, count);
        }
        let mut end = command.destination;
        let mut first = 0;
        while first < count {
            let indices = first..count.min(first + CHUNK);
            let made = command.make(memory, first, indices.end - first, workers);
            command.put(memory, indices.zip(made), &mut end);
            first += CHUNK;
        }
    }

    /// How many objects there are; its addresses are resolved.
    fn object_count(&self, memory: Memory) -> u64 {
        let count = match self.count {
            0 => self.count_max,
            at => memory.load::<u32>(at).min(self.count_max),
        };
        u64::from(count).min(self.infos.count(self.operation.info_bytes()))
    }

    /// What it reads and writes of memory, for those who follow accesses. It has not run. Of objects their
    /// first byte counts.
    pub fn accesses(&self, memory: Memory) -> Accesses {
        let command = self.resolved(memory);
        let count = command.object_count(memory);
        let mut accesses = Accesses::default();
        for (bit, at) in [
            (indirect::DESTINATION, self.destination),
            (indirect::ADDRESSES, self.addresses.address),
            (indirect::SIZES, self.sizes.address),
            (indirect::INFOS, self.infos.address),
            (indirect::COUNT, self.count),
        ] {
            if self.resolution & bit != 0 && at != 0 {
                accesses.inputs.push(at..at + 8);
            }
        }
        if command.count != 0 {
            accesses.inputs.push(command.count..command.count + 4);
        }
        if count > OBJECTS_FOLLOWED_MAX {
            return accesses;
        }
        let list = |region: &Region, bytes: u64| {
            let stride = if region.stride == 0 { bytes } else { region.stride };
            elements(region.address, stride, bytes, (0..count).collect())
        };
        accesses.inputs.extend(list(&command.infos, command.operation.info_bytes()));
        for index in 0..count {
            command.object_reads(memory, index, &mut accesses);
        }
        if command.mode != Mode::Explicit {
            let results =
                [(&command.sizes, 4, true), (&command.addresses, 8, command.mode == Mode::Implicit)];
            for (region, bytes, is_written) in results {
                if is_written && region.address != 0 {
                    accesses.outputs.extend(list(region, bytes));
                }
            }
        }
        match command.mode {
            Mode::ComputeSizes => {}
            Mode::Explicit => {
                accesses.inputs.extend(list(&command.addresses, 8));
                let targets = (0..count).map(|index| memory.load::<u64>(command.addresses.at(index, 8)));
                accesses.written.extend(targets.filter(|&address| address != 0));
            }
            Mode::Implicit if command.destination != 0 && count != 0 => {
                accesses.written.insert(aligned(command.destination, command.operation.alignment()));
            }
            Mode::Implicit => {}
        }
        accesses
    }

    /// What one object is made from.
    fn object_reads(&self, memory: Memory, index: u64, to: &mut Accesses) {
        let at = self.infos.at(index, self.operation.info_bytes());
        match self.operation {
            Operation::Move { .. } | Operation::GetIndices(_) => {
                to.read.insert(memory.load(at));
            }
            Operation::BuildBottom { clusters_max, total_max } => {
                let count = memory.load::<u32>(at).min(clusters_max).min(total_max);
                let stride = u64::from(memory.load::<u32>(at.wrapping_add(4)));
                let references = Region { address: memory.load(at.wrapping_add(8)), stride, size: 0 };
                let numbers = (0..u64::from(count)).take(CLUSTERS_MAX);
                let stride = if stride == 0 { 8 } else { stride };
                to.inputs.extend(elements(references.address, stride, 8, numbers.clone().collect()));
                if self.mode != Mode::ComputeSizes {
                    to.read.extend(numbers.map(|index| memory.load::<u64>(references.at(index, 8))));
                }
            }
            Operation::BuildCluster(limits) | Operation::BuildTemplate(limits) => {
                if self.mode != Mode::ComputeSizes {
                    let (ranges, micromap) = TriangleInfo::read(memory, at, &limits).reads(limits.format);
                    to.inputs.extend(ranges);
                    to.micromaps.insert(micromap);
                }
            }
            Operation::Instantiate(limits) => {
                let info = InstantiateInfo::read(memory, at);
                to.read.insert(info.template);
                if let Some(template) = template_at(info.template)
                    && self.mode != Mode::ComputeSizes
                {
                    to.inputs.extend(info.reads(&template, limits.format));
                }
            }
        }
        // Zero is no object.
        to.read.remove(&0);
        to.micromaps.remove(&0);
    }

    /// With the addresses that are at its addresses.
    fn resolved(&self, memory: Memory) -> Command {
        let mut command = *self;
        let places = [
            (indirect::DESTINATION, &mut command.destination),
            (indirect::ADDRESSES, &mut command.addresses.address),
            (indirect::SIZES, &mut command.sizes.address),
            (indirect::INFOS, &mut command.infos.address),
            (indirect::COUNT, &mut command.count),
        ];
        for (bit, address) in places {
            if self.resolution & bit != 0 && *address != 0 {
                *address = memory.load(*address);
            }
        }
        command
    }

    /// Makes some of the objects, on all threads.
    fn make(&self, memory: Memory, first: u64, count: u64, workers: &dyn Workers) -> Vec<Option<Made>> {
        // A single structure has something for all threads.
        if count == 1 {
            return vec![self.make_one(memory, first, workers)];
        }
        let made: Vec<OnceLock<Option<Made>>> = (0..count).map(|_| OnceLock::new()).collect();
        workers.run(count, &|index| {
            let _ = made[index as usize].set(self.make_one(memory, first + index, &OneThread));
        });
        made.into_iter().map(|one| one.into_inner().flatten()).collect()
    }

    fn make_one(&self, memory: Memory, index: u64, workers: &dyn Workers) -> Option<Made> {
        let at = self.infos.at(index, self.operation.info_bytes());
        let sizes_only = self.mode == Mode::ComputeSizes;
        Some(match self.operation {
            Operation::Move { .. } => return None,
            Operation::BuildBottom { clusters_max, total_max } => {
                let count = memory.load::<u32>(at).min(clusters_max).min(total_max);
                let bytes = bottom_bytes(count.into());
                if sizes_only {
                    return Some(Made::Size(bytes));
                }
                let stride = u64::from(memory.load::<u32>(at.wrapping_add(4)));
                let references = Region { address: memory.load(at.wrapping_add(8)), stride, size: 0 };
                let addresses = (0..count.into()).map(|index| memory.load(references.at(index, 8)));
                let addresses = addresses.take(CLUSTERS_MAX);
                let clusters = place::clusters(addresses);
                Made::Content(Arc::new(Content::of_clusters(clusters, workers)), bytes)
            }
            Operation::BuildCluster(limits) => {
                let bytes = cluster_bytes(TriangleInfo::read(memory, at, &limits).triangle_count);
                if sizes_only {
                    return Some(Made::Size(bytes));
                }
                Made::Object(Object::Cluster(Arc::new(input::cluster(memory, at, &limits))), bytes)
            }
            Operation::BuildTemplate(limits) => {
                let info = TriangleInfo::read(memory, at, &limits);
                let bytes = template_bytes(info.triangle_count, info.vertex_count);
                if sizes_only {
                    return Some(Made::Size(bytes));
                }
                Made::Object(Object::Template(Arc::new(input::template(memory, at, &limits))), bytes)
            }
            Operation::Instantiate(limits) => {
                let info = InstantiateInfo::read(memory, at);
                let template = template_at(info.template)?;
                let bytes = cluster_bytes(template.triangle_count());
                if sizes_only {
                    return Some(Made::Size(bytes));
                }
                let cluster = info.cluster(memory, &template, limits.format)?;
                Made::Object(Object::Cluster(Arc::new(cluster)), bytes)
            }
            Operation::GetIndices(_) => {
                let template = template_at(memory.load(at))?;
                match sizes_only {
                    true => Made::Size(3 * u64::from(template.triangle_count())),
                    false => Made::Bytes(template.index_bytes()),
                }
            }
        })
    }

    /// Moves objects: all are taken before the first is put somewhere.
    fn move_objects(&self, memory: Memory, count: u64) {
        let Operation::Move { ty, keeps_sources, bytes_max } = self.operation else { return };
        let mut left = bytes_max;
        let mut sources = Vec::new();
        let taken = (0..count).map(|index| {
            let source = memory.load::<u64>(self.infos.at(index, info_bytes::MOVE));
            let (object, bytes) =
                place::find(source).filter(|(object, _)| ObjectType::of(object) == Some(ty))?;
            left = left.checked_sub(bytes)?;
            if self.mode == Mode::ComputeSizes {
                return Some(Made::Size(bytes));
            }
            sources.push(source);
            Some(match object {
                Object::Bottom(structure) => Made::Content(structure.content()?, bytes),
                other => Made::Object(other, bytes),
            })
        });
        let taken: Vec<Option<Made>> = taken.collect();
        if !keeps_sources {
            sources.into_iter().for_each(|source| place::forget(source..source + 1));
        }
        let mut end = self.destination;
        self.put(memory, (0..).zip(taken), &mut end);
    }

    /// Puts objects where they are to be, and says where that is, and how large they are. `end`: where the
    /// next one goes that has no address of its own.
    fn put(&self, memory: Memory, made: impl Iterator<Item = (u64, Option<Made>)>, end: &mut u64) {
        let mut objects = Vec::new();
        for (index, made) in made {
            let bytes = made.as_ref().map_or(0, Made::bytes);
            let address = match self.mode {
                Mode::ComputeSizes => 0,
                Mode::Explicit => memory.load(self.addresses.at(index, 8)),
                Mode::Implicit if made.is_none() => 0,
                Mode::Implicit => {
                    let address = aligned(*end, self.operation.alignment());
                    *end = address.saturating_add(bytes);
                    address
                }
            };
            if self.mode == Mode::Implicit && self.addresses.address != 0 {
                memory.store(self.addresses.at(index, 8), address);
            }
            if self.mode != Mode::Explicit && self.sizes.address != 0 {
                memory.store(self.sizes.at(index, 4), u32::try_from(bytes).unwrap_or(u32::MAX));
            }
            if address == 0 {
                continue;
            }
            match made {
                None | Some(Made::Size(_)) => {}
                Some(Made::Bytes(values)) => {
                    for (place, value) in (address..).zip(values) {
                        memory.store(place, value);
                    }
                }
                Some(Made::Object(object, bytes)) => objects.push((address, bytes, object)),
                Some(Made::Content(content, bytes)) => {
                    let structure = AccelerationStructure::new(address);
                    structure.set_content(content);
                    objects.push((address, bytes, Object::Bottom(structure)));
                }
            }
        }
        place::put(objects);
    }
}
