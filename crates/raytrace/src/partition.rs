//! Partitioned top-level structures (`VK_NV_partitioned_acceleration_structure`).
//!
//! What was written to one stays: its instances by their indices, and the translations of its partitions. A
//! build ([`Command`]) changes some of that, and makes an ordinary content of all instances, with the boxes
//! that they have: bounding boxes that the application gives are not asked for. As the structures of
//! [`crate::cluster`] it has no handle; its address is where the application says that it is
//! ([`crate::place`]), and that is what shaders have of it.

use crate::acceleration_structure::{self, Content, Kind};
use crate::build_reads::elements;
use crate::cluster::operation::Accesses;
use crate::input::{Placement, load_affine};
use crate::math::Affine;
use crate::place::{self, Object};
use crate::{AccelerationStructure, Workers};
use pyro_abi::Memory;
use pyro_util::sync::Mutex;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The most partitions, those of the instances of the global one included (`maxPartitionCount`).
pub const PARTITIONS_MAX: u32 = (1 << 24) - 1;

/// `VK_PARTITIONED_ACCELERATION_STRUCTURE_PARTITION_INDEX_GLOBAL_NV`.
const GLOBAL: u32 = u32::MAX;

/// `VkPartitionedAccelerationStructureOpTypeNV`.
mod operation {
    pub(super) const WRITE_INSTANCE: u32 = 0;
    pub(super) const UPDATE_INSTANCE: u32 = 1;
    pub(super) const WRITE_TRANSLATION: u32 = 2;
    /// Each stands once in a command (VUID-VkBuildPartitionedAccelerationStructureInfoNV-srcInfos-10564).
    pub(super) const COUNT: u32 = 3;
}

/// Of `VkPartitionedAccelerationStructureInstanceFlagsNV`, those that instances of other structures have too,
/// as the same bits.
const INSTANCE_FLAGS: u32 = 0xf;

/// An instance as it was written.
#[derive(Clone, Debug)]
struct Written {
    transform: Affine,
    custom_index: u32,
    mask: u32,
    sbt_offset: u32,
    flags: u32,
    partition: u32,
    /// Device address of its structure; zero for none.
    structure: u64,
}

#[derive(Clone, Debug, Default)]
struct State {
    instances: BTreeMap<u32, Written>,
    translations: HashMap<u32, [f32; 3]>,
}

/// A partitioned structure.
#[derive(Debug)]
pub struct Partitioned {
    structure: Arc<AccelerationStructure>,
    state: Mutex<State>,
}

impl Partitioned {
    pub(crate) fn structure(&self) -> &Arc<AccelerationStructure> {
        &self.structure
    }
}

/// `VkPartitionedAccelerationStructureInstancesInputNV`, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// `instanceCount`.
    pub instance_count: u32,
    /// `partitionCount`.
    pub partition_count: u32,
    /// `enablePartitionTranslation`.
    pub has_translations: bool,
}

impl Input {
    /// Bytes of the structure, as far as its tree is not very uneven.
    pub fn bytes(&self) -> u64 {
        Content::bytes_for(Kind::Instances, self.instance_count.into())
    }
}

/// `VkBuildPartitionedAccelerationStructureInfoNV`. Scratch memory is the driver's own.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// `input`.
    pub input: Input,
    /// `srcAccelerationStructureData`.
    pub source: u64,
    /// `dstAccelerationStructureData`.
    pub destination: u64,
    /// `srcInfos`.
    pub infos: u64,
    /// `srcInfosCount`.
    pub count: u64,
}

/// Bytes of a `VkBuildPartitionedAccelerationStructureIndirectCommandNV`, and of what it may name.
const INFO_BYTES: u64 = 24;
const WRITE_BYTES: u64 = 104;
const UPDATE_BYTES: u64 = 16;
const TRANSLATION_BYTES: u64 = 16;

/// Arguments of an indirect command that are looked at one by one.
const ARGUMENTS_FOLLOWED_MAX: u32 = 1 << 16;

fn partitioned_at(address: u64) -> Option<Arc<Partitioned>> {
    match place::find(address)?.0 {
        Object::Partitioned(partitioned) => Some(partitioned),
        _ => None,
    }
}

impl Command {
    /// Runs it.
    pub fn run(&self, memory: Memory, workers: &dyn Workers) {
        let source = if self.source == 0 { None } else { partitioned_at(self.source) };
        let mut state = match source {
            None => State::default(),
            Some(source) if self.source == self.destination => std::mem::take(&mut *source.state.lock()),
            Some(source) => source.state.lock().clone(),
        };
        state.instances.split_off(&self.input.instance_count);
        let count = memory.load::<u32>(self.count).min(operation::COUNT);
        for number in 0..u64::from(count) {
            self.change(memory, self.infos.wrapping_add(number * INFO_BYTES), &mut state);
        }
        let placements = state.instances.iter().filter_map(|(&index, written)| {
            let structure = acceleration_structure::find(written.structure);
            let structure = structure.filter(|_| written.structure != 0)?;
            let mut transform = written.transform;
            if let Some(translation) = state.translations.get(&written.partition) {
                transform.iter_mut().zip(translation).for_each(|(row, &value)| row[3] += value);
            }
            let Written { custom_index, mask, sbt_offset, flags, .. } = *written;
            Some(Placement {
                index,
                transform,
                custom_index,
                mask,
                sbt_offset,
                flags,
                structure,
                motion: None,
            })
        });
        let content = Arc::new(Content::of_instances(placements.collect(), workers));
        // One that is built in its place stays the same for those who have it.
        let structure = match partitioned_at(self.destination) {
            Some(partitioned) => Arc::clone(&partitioned.structure),
            None => AccelerationStructure::new(self.destination),
        };
        structure.set_content(content);
        let partitioned = Arc::new(Partitioned { structure, state: Mutex::new(state) });
        place::put([(self.destination, self.input.bytes(), Object::Partitioned(partitioned))]);
    }

    /// What it reads and writes of memory, for those who follow accesses. It has not run.
    pub fn accesses(&self, memory: Memory) -> Accesses {
        let mut accesses = Accesses::default();
        accesses.inputs.push(self.count..self.count + 4);
        let count = u64::from(memory.load::<u32>(self.count).min(operation::COUNT));
        accesses.inputs.push(self.infos..self.infos + count * INFO_BYTES);
        for number in 0..count {
            let info = self.infos.wrapping_add(number * INFO_BYTES);
            let Some((ty, data, stride, count, bytes)) = self.indirect(memory, info) else { continue };
            if count > ARGUMENTS_FOLLOWED_MAX {
                continue;
            }
            accesses.inputs.extend(elements(data, stride, bytes, (0..count.into()).collect()));
            let structure = match ty {
                operation::WRITE_INSTANCE => 96,
                operation::UPDATE_INSTANCE => 8,
                _ => continue,
            };
            let reference = |number: u64| data.wrapping_add(number * stride).wrapping_add(structure);
            accesses.read.extend((0..count.into()).map(|number| memory.load::<u64>(reference(number))));
        }
        accesses.read.insert(self.source);
        accesses.read.remove(&0);
        accesses.written.insert(self.destination);
        accesses
    }

    /// What the indirect command at an address says: its type, where its arguments begin, how far they lie
    /// apart, how many there are, and how long each is.
    fn indirect(&self, memory: Memory, at: u64) -> Option<(u32, u64, u64, u32, u64)> {
        let [ty, count] = [0, 4].map(|offset| memory.load::<u32>(at.wrapping_add(offset)));
        let [data, stride] = [8, 16].map(|offset| memory.load::<u64>(at.wrapping_add(offset)));
        let Input { instance_count, partition_count, has_translations } = self.input;
        let (count, bytes) = match ty {
            // No instance stands twice in them.
            operation::WRITE_INSTANCE => (count.min(instance_count), WRITE_BYTES),
            operation::UPDATE_INSTANCE => (count.min(instance_count), UPDATE_BYTES),
            operation::WRITE_TRANSLATION if has_translations => {
                (count.min(partition_count.saturating_add(1)), TRANSLATION_BYTES)
            }
            _ => return None,
        };
        let stride = if stride & 0xffff_ffff == 0 { bytes } else { stride & 0xffff_ffff };
        Some((ty, data, stride, count, bytes))
    }

    /// Does what the indirect command at an address says.
    fn change(&self, memory: Memory, at: u64, state: &mut State) {
        let Some((ty, data, stride, count, _)) = self.indirect(memory, at) else { return };
        let Input { instance_count, partition_count, .. } = self.input;
        for number in 0..u64::from(count) {
            let at = data.wrapping_add(number * stride);
            let word = |offset: u64| memory.load::<u32>(at.wrapping_add(offset));
            match ty {
                operation::WRITE_INSTANCE if word(88) < instance_count => {
                    let written = Written {
                        transform: load_affine(memory, at),
                        custom_index: word(72),
                        mask: word(76) & 0xff,
                        sbt_offset: word(80) & 0xff_ffff,
                        flags: word(84) & INSTANCE_FLAGS,
                        partition: word(92),
                        structure: memory.load(at.wrapping_add(96)),
                    };
                    state.instances.insert(word(88), written);
                }
                operation::UPDATE_INSTANCE => {
                    // Those that were never written have no place.
                    if let Some(written) = state.instances.get_mut(&word(0)) {
                        written.sbt_offset = word(4) & 0xff_ffff;
                        written.structure = memory.load(at.wrapping_add(8));
                    }
                }
                operation::WRITE_TRANSLATION if word(0) < partition_count || word(0) == GLOBAL => {
                    let translation = [4, 8, 12].map(|offset| f32::from_bits(word(offset)));
                    state.translations.insert(word(0), translation);
                }
                _ => {}
            }
        }
    }
}
