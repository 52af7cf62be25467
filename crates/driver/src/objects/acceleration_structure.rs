//! Acceleration structures, and the commands that make and ask about them.
//!
//! What a structure holds is in memory of `pyro_raytrace`; its buffer gives it a device address. Commands find structures when
//! they are recorded, and addresses in memory (instances, serialized structures) when they run.

use crate::caps::properties::driver_uuid;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::objects::buffer::Buffer;
use crate::objects::memory::mapped;
use crate::objects::query::QueryPool;
use pyro_engine::Engine;
use pyro_raytrace::acceleration_structure;
pub use pyro_raytrace::input::{BuildRange, Geometry, GeometryFlags, Instances, Triangles, VertexFormat};
use pyro_raytrace::input::{Component, Resolve, build_bottom, build_top};
use pyro_raytrace::{Content, Kind, OneThread, Workers, serial};
use std::sync::{Arc, OnceLock};
use vulkanalia_sys as vk;

/// What the offset of a structure in its buffer is a multiple of.
pub const OFFSET_ALIGNMENT: u64 = 256;
/// `minAccelerationStructureScratchOffsetAlignment`.
pub const SCRATCH_ALIGNMENT: u32 = 64;
/// Bytes of scratch memory that builds ask for: they have their own.
pub const SCRATCH_BYTES: u64 = 64;

/// A `VkAccelerationStructureKHR`. Its buffer may get its memory later.
pub struct AccelerationStructure {
    buffer: Arc<Buffer>,
    offset: u64,
    size: u64,
    ty: vk::AccelerationStructureTypeKHR,
    structure: OnceLock<Arc<acceleration_structure::AccelerationStructure>>,
}

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
        if !offset.is_multiple_of(OFFSET_ALIGNMENT) {
            return Err(Error::misuse(
                "the offset is no multiple of 256 (VUID-VkAccelerationStructureCreateInfoKHR-offset-03734)",
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
        let made = AccelerationStructure { buffer, offset, size, ty, structure: OnceLock::new() };
        if made.buffer.bound_address().is_some() {
            made.structure()?;
        }
        Ok(made)
    }

    /// What it holds is kept there.
    ///
    /// # Errors
    /// When its buffer has no memory.
    pub fn structure(&self) -> Result<&Arc<acceleration_structure::AccelerationStructure>> {
        if let Some(structure) = self.structure.get() {
            return Ok(structure);
        }
        let address = self.buffer.address()? + self.offset;
        Ok(self.structure.get_or_init(|| acceleration_structure::AccelerationStructure::new(address)))
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
    /// When its buffer has no memory.
    pub fn address(&self) -> Result<u64> {
        Ok(self.structure()?.address())
    }

    /// What descriptors have of it.
    ///
    /// # Errors
    /// When its buffer has no memory.
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
}

/// A build, or an update, which is one too.
#[derive(Clone)]
pub struct Build {
    /// Where the result goes.
    pub target: Arc<AccelerationStructure>,
    /// Its geometries.
    pub input: BuildInput,
}

/// Engine threads as workers.
struct EngineWorkers<'e>(&'e Engine);

impl Workers for EngineWorkers<'_> {
    fn run(&self, count: u64, part: &(dyn Fn(u64) + Sync)) {
        self.0.for_each_part(count, part);
    }
}

/// A device's threads as workers.
struct DeviceWorkers<'d>(&'d Device);

impl Workers for DeviceWorkers<'_> {
    fn run(&self, count: u64, part: &(dyn Fn(u64) + Sync)) {
        self.0.for_each_part(count, part);
    }
}

impl Build {
    /// Builds from these ranges, one for each geometry.
    fn run(
        &self,
        ranges: &[BuildRange],
        (resolve, readers): (Resolve<'_>, &dyn Workers),
        workers: &dyn Workers,
    ) {
        let memory = mapped::application_memory();
        let content = match &self.input {
            BuildInput::Bottom(geometries) => {
                let both: Vec<_> = geometries.iter().copied().zip(ranges.iter().copied()).collect();
                build_bottom(memory, &both, workers)
            }
            BuildInput::Top(instances) => {
                let range = ranges.first().copied().unwrap_or_default();
                build_top(memory, *instances, range, (resolve, readers), workers)
            }
        };
        self.target.set_content(Arc::new(content));
    }

    /// Builds as a command of the host: structures are found on the calling thread.
    pub fn run_on_host(&self, device: &Device, ranges: &[BuildRange], resolve: Resolve<'_>) {
        self.run(ranges, (resolve, &OneThread), &DeviceWorkers(device));
    }
}

/// How vertices of a format lie in memory, where structures can be built from them.
pub fn vertex_format(format: vk::Format) -> Option<VertexFormat> {
    use vk::Format as F;
    let (component, count) = match format {
        F::R32G32_SFLOAT => (Component::Float32, 2),
        F::R32G32B32_SFLOAT => (Component::Float32, 3),
        F::R32G32B32A32_SFLOAT => (Component::Float32, 4),
        F::R64G64_SFLOAT => (Component::Float64, 2),
        F::R64G64B64_SFLOAT => (Component::Float64, 3),
        F::R64G64B64A64_SFLOAT => (Component::Float64, 4),
        F::R16G16_SFLOAT => (Component::Float16, 2),
        F::R16G16B16_SFLOAT => (Component::Float16, 3),
        F::R16G16B16A16_SFLOAT => (Component::Float16, 4),
        F::R16G16_SNORM => (Component::Snorm16, 2),
        F::R16G16B16_SNORM => (Component::Snorm16, 3),
        F::R16G16B16A16_SNORM => (Component::Snorm16, 4),
        F::R16G16_UNORM => (Component::Unorm16, 2),
        F::R16G16B16_UNORM => (Component::Unorm16, 3),
        F::R16G16B16A16_UNORM => (Component::Unorm16, 4),
        F::R8G8_SNORM => (Component::Snorm8, 2),
        F::R8G8B8_SNORM => (Component::Snorm8, 3),
        F::R8G8B8A8_SNORM => (Component::Snorm8, 4),
        F::R8G8_UNORM => (Component::Unorm8, 2),
        F::R8G8B8_UNORM => (Component::Unorm8, 3),
        F::R8G8B8A8_UNORM => (Component::Unorm8, 4),
        _ => return None,
    };
    Some(VertexFormat { component, count })
}

/// What `vkGetAccelerationStructureBuildSizesKHR` says for so many primitives of each geometry.
pub fn build_size(input: &BuildInput, counts: &[u32]) -> u64 {
    let count: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    let kind = match input {
        BuildInput::Top(_) => Kind::Instances,
        BuildInput::Bottom(geometries) => match geometries.first() {
            Some(Geometry::Boxes(..)) => Kind::Boxes,
            _ => Kind::Triangles,
        },
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
            vk::QueryType::ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR => Property::CompactedSize,
            vk::QueryType::ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR => Property::SerializationSize,
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
                let bytes = content.bytes().next_multiple_of(OFFSET_ALIGNMENT);
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
pub fn serialize_to(source: &AccelerationStructure, address: u64) {
    let bytes = serialize(source);
    mapped::at_address(address, bytes.len() as u64).write(0, &bytes);
}

/// Makes a structure from the serialized form at an address. False when that is none.
pub fn deserialize_from(address: u64, target: &AccelerationStructure) -> bool {
    deserialize_with(address, target, &OneThread)
}

fn deserialize_with(address: u64, target: &AccelerationStructure, workers: &dyn Workers) -> bool {
    let mut header = [0; serial::HEADER_BYTES];
    mapped::at_address(address, header.len() as u64).read(0, &mut header);
    let Some(size) = serialized_bytes(&header).and_then(|size| usize::try_from(size).ok()) else {
        return false;
    };
    let mut bytes = Vec::new();
    if bytes.try_reserve_exact(size).is_err() {
        return false;
    }
    bytes.resize(size, 0);
    mapped::at_address(address, size as u64).read(0, &mut bytes);
    deserialize(&bytes, target, workers)
}

/// Whether serialized structures of a version (`VkAccelerationStructureVersionInfoKHR`) can be read.
pub fn is_compatible(version: &[u8; 2 * vk::UUID_SIZE]) -> bool {
    *version == serial::version(driver_uuid())
}

/// Where the ranges of an indirect build are: address, bytes from one to the next, and the greatest counts of primitives.
pub type IndirectRanges = (u64, u32, Vec<u32>);

/// A command about structures.
pub enum StructureCommand {
    /// Builds, each with its ranges.
    Build(Vec<(Build, Vec<BuildRange>)>),
    /// Builds whose ranges are in memory.
    BuildIndirect(Vec<(Build, IndirectRanges)>),
    /// A copy, compacted or not.
    Copy(Arc<AccelerationStructure>, Arc<AccelerationStructure>),
    /// The serialized form goes to an address.
    Serialize(Arc<AccelerationStructure>, u64),
    /// It comes from one.
    Deserialize(u64, Arc<AccelerationStructure>),
    /// Queries get properties, from a number on.
    WriteProperties(Vec<Arc<AccelerationStructure>>, Property, Arc<QueryPool>, u32),
}

impl StructureCommand {
    /// Runs it.
    pub(crate) fn run(&self, engine: &Engine) {
        let workers = EngineWorkers(engine);
        match self {
            StructureCommand::Build(builds) => {
                for (build, ranges) in builds {
                    build.run(ranges, (&acceleration_structure::find, &workers), &workers);
                }
            }
            StructureCommand::BuildIndirect(builds) => {
                for (build, (address, stride, counts)) in builds {
                    let ranges: Vec<BuildRange> = (0..)
                        .zip(counts)
                        .map(|(number, &most)| indirect_range(address + number * u64::from(*stride), most))
                        .collect();
                    build.run(&ranges, (&acceleration_structure::find, &workers), &workers);
                }
            }
            StructureCommand::Copy(source, target) => copy(source, target),
            StructureCommand::Serialize(source, address) => serialize_to(source, *address),
            StructureCommand::Deserialize(address, target) => {
                deserialize_with(*address, target, &workers);
            }
            StructureCommand::WriteProperties(structures, property, pool, first) => {
                for (query, structure) in (*first..).zip(structures) {
                    pool.write(query, property.value(structure));
                }
            }
        }
    }
}

/// The range at an address, with no more primitives than was said.
fn indirect_range(address: u64, most: u32) -> BuildRange {
    let mut words = [[0; 4]; 4];
    mapped::at_address(address, 16).read(0, words.as_flattened_mut());
    let [primitive_count, primitive_offset, first_vertex, transform_offset] = words.map(u32::from_ne_bytes);
    BuildRange {
        primitive_count: primitive_count.min(most),
        primitive_offset,
        first_vertex,
        transform_offset,
    }
}
