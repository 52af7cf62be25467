//! Acceleration structures, and the commands that make and ask about them.
//!
//! What a structure holds is in memory of `pyro_raytrace`; its buffer gives it a device address. Commands
//! find structures when they are recorded, and addresses in memory (instances, serialized structures) when
//! they run.

pub use crate::caps::limits::{ACCELERATION_STRUCTURE_ALIGNMENT, ACCELERATION_STRUCTURE_SCRATCH_ALIGNMENT};
use crate::caps::properties::driver_uuid;
use crate::error::{Error, Result};
use crate::objects::buffer::Buffer;
use crate::objects::device_core::DeviceCore;
use crate::objects::memory::DeviceMemory;
use crate::objects::memory::mapped::{DeviceAddresses, Range};
use crate::registry_supplement::ACCELERATION_STRUCTURE_TYPE_OPACITY_MICROMAP_KHR;
use crate::report::Severity;
use pyro_raytrace::check::{Finding, Problem, check_bottom, check_top};
pub use pyro_raytrace::cluster::operation as cluster_operation;
pub use pyro_raytrace::dense::{self, DenseTriangles};
pub use pyro_raytrace::input::{
    BuildRange, Component, Geometry, GeometryFlags, Instances, Spheres, SweptSpheres, Triangles, VertexFormat,
};
use pyro_raytrace::input::{Resolve, build_bottom, build_top};
use pyro_raytrace::{Content, Kind, OneThread, Workers, acceleration_structure, serial};
pub use pyro_raytrace::{MicromapInput, OpacityMap, partition};
use pyro_sanitizer::commands::resources::LiveStructure;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use vulkanalia_sys as vk;

/// Bytes of scratch memory that builds ask for: they have their own.
pub const SCRATCH_BYTES: u64 = 64;

/// What gives a structure its device address. Either may get its memory later.
enum Place {
    /// From an offset of a buffer on.
    Buffer(Arc<Buffer>, u64),
    /// From an address on (`VkAccelerationStructureCreateInfo2KHR`).
    Address(u64),
    /// From an offset of memory on, which the structure is bound to itself (`VK_NV_ray_tracing`).
    Memory(OnceLock<(Arc<DeviceMemory>, u64)>),
}

impl Place {
    fn address(&self) -> Result<u64> {
        match self {
            Place::Buffer(buffer, offset) => Ok(buffer.address()? + offset),
            Place::Address(address) => Ok(*address),
            Place::Memory(bound) => match bound.get() {
                Some((memory, offset)) => Ok(memory.block().address() + offset),
                None => Err(Error::misuse("the acceleration structure is not bound to memory")),
            },
        }
    }
}

/// A `VkAccelerationStructureNV`.
pub struct NvAccelerationStructure(pub Arc<AccelerationStructure>);

/// A `VkMicromapEXT`.
pub struct Micromap(pub Arc<AccelerationStructure>);

/// A `VkAccelerationStructureKHR`, or what is behind a [`NvAccelerationStructure`] or a [`Micromap`].
pub struct AccelerationStructure {
    place: Place,
    size: u64,
    ty: vk::AccelerationStructureTypeKHR,
    structure: OnceLock<Arc<acceleration_structure::AccelerationStructure>>,
    /// The sanitizer finds it by this.
    live: OnceLock<LiveStructure>,
    /// It is a `VkMicromapEXT`, which has a stage and accesses of its own.
    is_micromap: bool,
}

/// Bytes at the start of a structure that stand for all of them, as it is built and read whole.
const FOLLOWED_BYTES: u64 = 256;

impl AccelerationStructure {
    /// An empty one of `size` bytes from `offset` on.
    ///
    /// # Errors
    /// When they are not all inside the buffer, or the offset is not aligned.
    pub fn new(
        buffer: Arc<Buffer>,
        offset: u64,
        size: u64,
        ty: vk::AccelerationStructureTypeKHR,
    ) -> Result<AccelerationStructure> {
        if !offset.is_multiple_of(ACCELERATION_STRUCTURE_ALIGNMENT) {
            return Err(Error::misuse(
                "the offset is not a multiple of 256 (VUID-VkAccelerationStructureCreateInfoKHR-offset-03734)",
            ));
        }
        if !buffer.usage().contains(vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR) {
            return Err(Error::misuse(
                "the buffer is not for acceleration structures (VUID-VkAccelerationStructureCreateInfoKHR-buffer-03614)",
            ));
        }
        if offset.checked_add(size).is_none_or(|end| end > buffer.size()) {
            return Err(Error::misuse(
                "the structure is not inside its buffer (VUID-VkAccelerationStructureCreateInfoKHR-offset-03616)",
            ));
        }
        AccelerationStructure::in_buffer(buffer, offset, size, ty)
    }

    /// An empty one for the content of a `VkMicromapEXT`.
    ///
    /// # Errors
    /// When its bytes are not all inside the buffer, or the offset is not aligned.
    pub fn new_micromap(buffer: Arc<Buffer>, offset: u64, size: u64) -> Result<AccelerationStructure> {
        if !offset.is_multiple_of(ACCELERATION_STRUCTURE_ALIGNMENT) {
            return Err(Error::misuse(
                "the offset is not a multiple of 256 (VUID-VkMicromapCreateInfoEXT-offset-07438)",
            ));
        }
        if !buffer.usage().contains(vk::BufferUsageFlags::MICROMAP_STORAGE_EXT) {
            return Err(Error::misuse(
                "the buffer is not for micromaps (VUID-VkMicromapCreateInfoEXT-buffer-07435)",
            ));
        }
        if offset.checked_add(size).is_none_or(|end| end > buffer.size()) {
            return Err(Error::misuse(
                "the micromap is not inside its buffer (VUID-VkMicromapCreateInfoEXT-offset-07437)",
            ));
        }
        let ty = ACCELERATION_STRUCTURE_TYPE_OPACITY_MICROMAP_KHR;
        let made = AccelerationStructure::in_buffer(buffer, offset, size, ty)?;
        Ok(AccelerationStructure { is_micromap: true, ..made })
    }

    /// One of nothing yet, for any kind of place.
    fn of_place(place: Place, size: u64, ty: vk::AccelerationStructureTypeKHR) -> AccelerationStructure {
        let (structure, live) = (OnceLock::new(), OnceLock::new());
        AccelerationStructure { place, size, ty, structure, live, is_micromap: false }
    }

    fn in_buffer(
        buffer: Arc<Buffer>,
        offset: u64,
        size: u64,
        ty: vk::AccelerationStructureTypeKHR,
    ) -> Result<AccelerationStructure> {
        let is_bound = buffer.bound_address().is_some();
        let place = Place::Buffer(buffer, offset);
        let made = AccelerationStructure::of_place(place, size, ty);
        if is_bound {
            made.structure()?;
        }
        Ok(made)
    }

    /// An empty one of `size` bytes from a device address on.
    ///
    /// # Errors
    /// When the address is 0 or not aligned.
    pub fn at_address(
        address: u64,
        size: u64,
        ty: vk::AccelerationStructureTypeKHR,
    ) -> Result<AccelerationStructure> {
        if address == 0 || !address.is_multiple_of(ACCELERATION_STRUCTURE_ALIGNMENT) {
            return Err(Error::misuse(format!(
                "the address {address:#x} of an acceleration structure is 0 or not a multiple of 256"
            )));
        }
        let place = Place::Address(address);
        let made = AccelerationStructure::of_place(place, size, ty);
        made.structure()?;
        Ok(made)
    }

    /// An empty one of `size` bytes that will be bound to memory itself.
    pub fn without_buffer(size: u64, ty: vk::AccelerationStructureTypeKHR) -> AccelerationStructure {
        let place = Place::Memory(OnceLock::new());
        AccelerationStructure::of_place(place, size, ty)
    }

    /// What memory it needs, if it has no buffer.
    pub fn requirements(&self) -> vk::MemoryRequirements {
        vk::MemoryRequirements {
            alignment: ACCELERATION_STRUCTURE_ALIGNMENT,
            ..crate::objects::buffer::requirements(
                self.size.next_multiple_of(ACCELERATION_STRUCTURE_ALIGNMENT),
            )
        }
    }

    /// Gives it memory.
    ///
    /// # Errors
    /// When it has some already, or the memory does not suffice.
    pub fn bind(&self, memory: Arc<DeviceMemory>, offset: u64) -> Result<()> {
        if !offset.is_multiple_of(ACCELERATION_STRUCTURE_ALIGNMENT) {
            return Err(Error::misuse(
                "memoryOffset breaks the alignment \
                 (VUID-VkBindAccelerationStructureMemoryInfoNV-memoryOffset-03623)",
            ));
        }
        memory.check_use(false, "VUID-VkBindAccelerationStructureMemoryInfoNV-memory-03621")?;
        if Range::new(memory.block(), offset, self.size).is_none() {
            return Err(Error::misuse(
                "the structure does not fit into the memory \
                 (VUID-VkBindAccelerationStructureMemoryInfoNV-size-03624)",
            ));
        }
        let bound = match &self.place {
            Place::Memory(bound) => bound.set((memory, offset)).is_ok(),
            Place::Buffer(..) | Place::Address(_) => false,
        };
        if !bound {
            return Err(Error::misuse(
                "the structure is bound already \
                 (VUID-VkBindAccelerationStructureMemoryInfoNV-accelerationStructure-03620)",
            ));
        }
        self.structure().map(|_| ())
    }

    /// What it holds is kept there.
    ///
    /// # Errors
    /// When it has no memory.
    pub fn structure(&self) -> Result<&Arc<acceleration_structure::AccelerationStructure>> {
        if let Some(structure) = self.structure.get() {
            return Ok(structure);
        }
        let address = self.place.address()?;
        let structure =
            self.structure.get_or_init(|| acceleration_structure::AccelerationStructure::new(address));
        if crate::objects::followed::is_on() {
            self.live.get_or_init(|| LiveStructure::new(structure.record_address(), self.followed(address)));
        }
        Ok(structure)
    }

    fn followed(&self, address: u64) -> std::ops::Range<u64> {
        address..address + self.size.min(FOLLOWED_BYTES)
    }

    /// The addresses that stand for its bytes in what the sanitizer follows; none where it has no memory.
    pub(crate) fn followed_range(&self) -> Option<std::ops::Range<u64>> {
        Some(self.followed(self.address().ok()?))
    }

    /// Whether it is a `VkMicromapEXT`.
    pub(crate) fn is_micromap(&self) -> bool {
        self.is_micromap
    }

    fn content(&self) -> Option<Arc<Content>> {
        self.structure.get()?.content()
    }

    fn set_content(&self, content: Arc<Content>) {
        if let Ok(structure) = self.structure() {
            structure.set_content(content);
        }
    }

    /// Its device address.
    ///
    /// # Errors
    /// When it has no memory.
    pub fn address(&self) -> Result<u64> {
        Ok(self.structure()?.address())
    }

    /// What descriptors have of it.
    ///
    /// # Errors
    /// When it has no memory.
    pub fn record_address(&self) -> Result<u64> {
        Ok(self.structure()?.record_address())
    }

    /// Whether it may hold what is of this type.
    pub fn takes(&self, ty: vk::AccelerationStructureTypeKHR) -> bool {
        let generic = vk::AccelerationStructureTypeKHR::GENERIC;
        self.ty == generic || ty == generic || self.ty == ty
    }
}

/// What is built from.
#[derive(Clone)]
pub enum BuildInput {
    /// A bottom-level structure.
    Bottom(Vec<Geometry>),
    /// A top-level one.
    Top(Instances),
    /// A micromap, which needs no ranges.
    Micromap(MicromapInput),
}

/// A build, or an update, which is one too.
#[derive(Clone)]
pub struct Build {
    /// Where the result goes.
    pub target: Arc<AccelerationStructure>,
    /// Its geometries.
    pub input: BuildInput,
    /// Address of the application's scratch memory, for those who follow accesses: the build has its own.
    pub scratch: u64,
}

/// A device's threads as workers.
struct DeviceWorkers<'d>(&'d DeviceCore);

impl Workers for DeviceWorkers<'_> {
    fn run(&self, count: u64, part: &(dyn Fn(u64) + Sync)) {
        self.0.for_each_part(count, part);
    }
}

/// Rays meet what is infinitely large as far as its numbers allow; the others break rules.
fn severity(finding: &Finding) -> Severity {
    match finding.problem {
        Problem::Infinite => Severity::Warning,
        _ => Severity::Error,
    }
}

impl Build {
    /// Builds from these ranges, one for each geometry.
    pub(crate) fn run(
        &self,
        memory: DeviceAddresses,
        ranges: &[BuildRange],
        (resolve, readers): (Resolve<'_>, &dyn Workers),
        workers: &dyn Workers,
    ) {
        let memory = memory.memory();
        let content = match &self.input {
            BuildInput::Bottom(geometries) => {
                let both: Vec<_> = geometries.iter().cloned().zip(ranges.iter().copied()).collect();
                build_bottom(memory, &both, workers)
            }
            BuildInput::Top(instances) => {
                let range = ranges.first().copied().unwrap_or_default();
                build_top(memory, *instances, range, (resolve, readers), workers)
            }
            BuildInput::Micromap(input) => {
                Content::of_micromap(pyro_raytrace::Micromap::build(memory, input))
            }
        };
        self.target.set_content(Arc::new(content));
    }

    /// Tells the application what is wrong with the input, where it asks (`rayTracingValidation`).
    pub(crate) fn check(
        &self,
        device: &DeviceCore,
        memory: DeviceAddresses,
        ranges: &[BuildRange],
        (resolve, readers): (Resolve<'_>, &dyn Workers),
        workers: &dyn Workers,
    ) {
        if !device.checks_builds.load(Ordering::Relaxed) {
            return;
        }
        let memory = memory.memory();
        let findings = match &self.input {
            BuildInput::Bottom(geometries) => {
                let both: Vec<_> = geometries.iter().cloned().zip(ranges.iter().copied()).collect();
                check_bottom(memory, &both, workers)
            }
            BuildInput::Top(instances) => {
                let range = ranges.first().copied().unwrap_or_default();
                check_top(memory, *instances, range, (resolve, readers))
            }
            BuildInput::Micromap(_) => Vec::new(),
        };
        let address = self.target.address().unwrap_or_default();
        for finding in findings {
            let message = format!("the acceleration structure at {address:#x}: {finding}");
            device.reporter().report(severity(&finding), &message, None);
        }
    }

    /// Builds as a command of the host: structures are found on the calling thread.
    pub fn run_on_host(
        &self,
        device: &DeviceCore,
        memory: DeviceAddresses,
        ranges: &[BuildRange],
        resolve: Resolve<'_>,
    ) {
        let workers = DeviceWorkers(device);
        self.check(device, memory, ranges, (resolve, &OneThread), &workers);
        self.run(memory, ranges, (resolve, &OneThread), &workers);
    }
}

/// What `vkGetAccelerationStructureBuildSizesKHR` says for so many primitives of each geometry.
pub fn build_size(input: &BuildInput, counts: &[u32]) -> u64 {
    let counted: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    let count = match input {
        BuildInput::Bottom(geometries) => {
            let dense = |geometry: &Geometry| match geometry {
                Geometry::Dense(data) => Some(u64::from(data.triangle_count)),
                _ => None,
            };
            geometries.first().and_then(dense).unwrap_or(counted)
        }
        _ => counted,
    };
    let kind = match input {
        BuildInput::Top(_) => Kind::Instances,
        BuildInput::Micromap(input) => return input.bytes(),
        BuildInput::Bottom(geometries) => geometries.first().map_or(Kind::Triangles, Geometry::kind),
    };
    Content::bytes_for(kind, count)
}

/// What can be asked of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// Bytes that its compacted copy needs.
    CompactedSize,
    /// Bytes of its serialized form.
    SerializationSize,
    /// Bottom-level structures named there.
    BottomLevelPointers,
    /// Bytes that a copy needs.
    Size,
}

impl Property {
    /// That of a query type.
    pub fn of(ty: vk::QueryType) -> Option<Property> {
        Some(match ty {
            vk::QueryType::ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR
            | vk::QueryType::ACCELERATION_STRUCTURE_COMPACTED_SIZE_NV
            | vk::QueryType::MICROMAP_COMPACTED_SIZE_EXT => Property::CompactedSize,
            vk::QueryType::ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR
            | vk::QueryType::MICROMAP_SERIALIZATION_SIZE_EXT => Property::SerializationSize,
            vk::QueryType::ACCELERATION_STRUCTURE_SERIALIZATION_BOTTOM_LEVEL_POINTERS_KHR => {
                Property::BottomLevelPointers
            }
            vk::QueryType::ACCELERATION_STRUCTURE_SIZE_KHR => Property::Size,
            _ => return None,
        })
    }

    /// Its value for a structure; zero for one that was never built.
    pub fn value(self, structure: &AccelerationStructure) -> u64 {
        let Some(content) = structure.content() else { return 0 };
        match self {
            Property::CompactedSize => {
                let bytes = content.bytes().next_multiple_of(ACCELERATION_STRUCTURE_ALIGNMENT);
                bytes.min(structure.size)
            }
            Property::Size => structure.size,
            Property::SerializationSize => serial::bytes(&content),
            Property::BottomLevelPointers => serial::references(&content).count() as u64,
        }
    }
}

/// A copy: the content is the same one. Nothing of a source that was never built.
pub fn copy(source: &AccelerationStructure, target: &AccelerationStructure) {
    if let Some(content) = source.content() {
        target.set_content(content);
    }
}

/// The serialized form; empty for a structure that was never built.
pub fn serialize(source: &AccelerationStructure) -> Vec<u8> {
    let content = source.content();
    content.map_or(Vec::new(), |content| serial::write(&content, driver_uuid(), source.size))
}

/// How many bytes the serialized form has that begins like this; none when it is of another version.
pub fn serialized_bytes(header: &[u8; serial::HEADER_BYTES]) -> Option<u64> {
    serial::size_in(header, driver_uuid())
}

/// Makes a structure from its serialized form. False, and nothing changes, when that is none.
fn deserialize(bytes: &[u8], target: &AccelerationStructure, workers: &dyn Workers) -> bool {
    let content = serial::read(bytes, driver_uuid(), &acceleration_structure::find, workers);
    content.is_some_and(|content| {
        target.set_content(Arc::new(content));
        true
    })
}

/// Writes the serialized form to an address.
pub fn serialize_to(source: &AccelerationStructure, memory: DeviceAddresses, address: u64) {
    let bytes = serialize(source);
    memory.range(address, bytes.len() as u64).write(0, &bytes);
}

/// Makes a structure from the serialized form at an address. False when that is none.
pub fn deserialize_from(memory: DeviceAddresses, address: u64, target: &AccelerationStructure) -> bool {
    deserialize_with(memory, address, target, &OneThread)
}

pub(crate) fn deserialize_with(
    memory: DeviceAddresses,
    address: u64,
    target: &AccelerationStructure,
    workers: &dyn Workers,
) -> bool {
    let mut header = [0; serial::HEADER_BYTES];
    memory.range(address, header.len() as u64).read(0, &mut header);
    let Some(size) = serialized_bytes(&header).and_then(|size| usize::try_from(size).ok()) else {
        return false;
    };
    let mut bytes = Vec::new();
    if bytes.try_reserve_exact(size).is_err() {
        return false;
    }
    bytes.resize(size, 0);
    memory.range(address, size as u64).read(0, &mut bytes);
    deserialize(&bytes, target, workers)
}

/// Whether serialized structures of a version (`VkAccelerationStructureVersionInfoKHR`) can be read.
pub fn is_compatible(version: &[u8; 2 * vk::UUID_SIZE]) -> bool {
    *version == serial::version(driver_uuid())
}
