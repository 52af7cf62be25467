//! Commands that build acceleration structures, copy them or ask about them.

use crate::objects::acceleration_structure::{
    AccelerationStructure, Build, BuildRange, Property, cluster_operation, copy, deserialize_with, partition,
    serialize_to,
};
use crate::objects::device_core::DeviceCore;
use crate::objects::memory::mapped::DeviceAddresses;
use crate::objects::query::QueryPool;
use pyro_engine::Engine;
use pyro_raytrace::input::Resolve;
use pyro_raytrace::{Workers, acceleration_structure};
use std::sync::Arc;

/// Engine threads as workers.
struct EngineWorkers<'e>(&'e Engine);

impl Workers for EngineWorkers<'_> {
    fn run(&self, count: u64, part: &(dyn Fn(u64) + Sync)) {
        self.0.for_each_part(count, part);
    }
}

/// Where the ranges of an indirect build are: address, bytes from one to the next, and the greatest counts of
/// primitives.
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
    /// Clusters, templates or structures of clusters are made, moved or measured.
    Clusters(cluster_operation::Command),
    /// A partitioned structure is built from another.
    Partitioned(partition::Command),
}

impl StructureCommand {
    /// Runs it.
    pub(crate) fn run(&self, device: &DeviceCore, engine: &Engine, memory: DeviceAddresses) {
        let workers = EngineWorkers(engine);
        let build = |build: &Build, ranges: &[BuildRange]| {
            let readers: (Resolve<'_>, &dyn Workers) = (&acceleration_structure::find, &workers);
            build.check(device, memory, ranges, readers, &workers);
            build.run(memory, ranges, readers, &workers);
        };
        match self {
            StructureCommand::Build(builds) => {
                builds.iter().for_each(|(input, ranges)| build(input, ranges));
            }
            StructureCommand::BuildIndirect(builds) => {
                builds.iter().for_each(|(input, ranges)| build(input, &indirect_ranges(memory, ranges)));
            }
            StructureCommand::Clusters(command) => command.run(memory.memory(), &workers),
            StructureCommand::Partitioned(command) => command.run(memory.memory(), &workers),
            StructureCommand::Copy(source, target) => copy(source, target),
            StructureCommand::Serialize(source, address) => serialize_to(source, memory, *address),
            StructureCommand::Deserialize(address, target) => {
                deserialize_with(memory, *address, target, &workers);
            }
            StructureCommand::WriteProperties(structures, property, pool, first) => {
                for (query, structure) in (*first..).zip(structures) {
                    pool.write(query, property.value(structure));
                }
            }
        }
    }
}

/// The ranges of a build as memory says them now.
pub(super) fn indirect_ranges(
    memory: DeviceAddresses,
    (address, stride, counts): &IndirectRanges,
) -> Vec<BuildRange> {
    let place = |number: u64| address + number * u64::from(*stride);
    (0..).zip(counts).map(|(number, &most)| indirect_range(memory, place(number), most)).collect()
}

/// The range at an address, with no more primitives than was said.
fn indirect_range(memory: DeviceAddresses, address: u64, most: u32) -> BuildRange {
    let [primitive_count, primitive_offset, first_vertex, transform_offset] =
        memory.range(address, 16).read_words();
    BuildRange {
        primitive_count: primitive_count.min(most),
        primitive_offset,
        first_vertex,
        transform_offset,
    }
}
