//! The descriptor sets of a bind point.
//!
//! Shaders check indices against the counts that their pipeline layout says, and take what lies there for
//! descriptors of the kinds that it says. So a set is shown to a shader only if its layout is what the
//! pipeline's has at that number; in place of others, and of sets that are not bound, there are null
//! descriptors.

use crate::caps::limits::HEAP_BYTES_MAX;
use crate::objects::descriptor::heap::EmbeddedSamplers;
use crate::objects::descriptor::{DescriptorSet, SetLayout};
use crate::objects::memory::mapped::Block;
use crate::pipeline::PipelineLayout;
use pyro_abi::SETS_MAX;
use pyro_abi::heap::{Heap, place};
use pyro_compile::cache::Digest;
use pyro_util::sync::Mutex;
use smallvec::SmallVec;
use std::sync::Arc;

/// Words that shaders for descriptor heaps find instead of sets' addresses.
const HEAP_WORDS: usize = place::EMBEDDED_SAMPLERS + 14;
const _: () = assert!(HEAP_WORDS <= SETS_MAX);

/// Addresses of sets that lie in buffers, and their layouts.
pub(in crate::command) type SetAddresses = SmallVec<[(u64, Arc<SetLayout>); 4]>;

/// The sets that are bound.
#[derive(Default)]
pub(in crate::command) struct Sets {
    bound: [Option<Bound>; SETS_MAX],
    /// Address and bytes of the resource heap and of the sampler heap, below 2^31; zeros where none is bound.
    heaps: [[u64; 2]; 2],
    /// Some have been bound that lie in memory of the application's: commands may write them.
    in_buffers: bool,
}

#[derive(Clone, Copy)]
struct Bound {
    address: u64,
    layout: Digest,
}

/// Null descriptors for sets that are not there. The memory stays for the process's life: it costs nothing
/// until it is read, and little then.
static NULL_SETS: Mutex<Vec<Block>> = Mutex::new(Vec::new());

/// Bytes of null descriptors that are made at least.
const NULL_BYTES: u64 = 1 << 20;
/// The alignment of sets' memory.
const SET_ALIGNMENT: usize = 64;

/// The address of so many bytes of null descriptors; zero when there is no memory.
fn null_set(bytes: u64) -> u64 {
    let mut blocks = NULL_SETS.lock();
    if blocks.last().is_none_or(|block| block.size() < bytes) {
        let size = bytes.next_power_of_two().max(NULL_BYTES);
        let Some(block) = Block::zeroed(size, SET_ALIGNMENT) else { return 0 };
        blocks.push(block);
    }
    blocks.last().map_or(0, Block::address)
}

impl Sets {
    /// Binds sets, or none where there are none, from number `first` on.
    pub(in crate::command) fn bind<'s>(
        &mut self,
        first: usize,
        sets: impl IntoIterator<Item = Option<&'s DescriptorSet>>,
    ) {
        for (to, set) in self.bound[first..].iter_mut().zip(sets) {
            *to = set.map(|set| Bound { address: set.address(), layout: set.layout().digest() });
        }
    }

    /// Binds sets that lie in buffers.
    pub(in crate::command) fn bind_addresses(&mut self, first: usize, sets: &SetAddresses) {
        self.in_buffers = true;
        for (to, (address, layout)) in self.bound[first..].iter_mut().zip(sets) {
            *to = Some(Bound { address: *address, layout: layout.digest() });
        }
    }

    /// Binds a descriptor heap of so many bytes.
    pub(in crate::command) fn bind_heap(&mut self, heap: Heap, address: u64, bytes: u64) {
        self.in_buffers = true;
        self.heaps[usize::from(heap == Heap::Sampler)] = [address, bytes.min(HEAP_BYTES_MAX)];
    }

    /// Whether descriptors may lie where commands write them.
    pub(in crate::command) fn are_in_buffers(&self) -> bool {
        self.in_buffers
    }

    /// What shaders for descriptor heaps find instead of sets' addresses.
    fn heap_words(&self, samplers: &EmbeddedSamplers) -> SmallVec<[u64; HEAP_WORDS]> {
        let [[resources, resource_bytes], [sampler_heap, sampler_bytes]] = self.heaps;
        let mut words = SmallVec::from_elem(0, HEAP_WORDS);
        words[place::RESOURCE_HEAP] = resources;
        words[place::RESOURCE_HEAP_BYTES] = resource_bytes;
        words[place::SAMPLER_HEAP] = sampler_heap;
        words[place::SAMPLER_HEAP_BYTES] = sampler_bytes;
        for (stage, table) in samplers.tables() {
            if let Some(word) = words.get_mut(place::EMBEDDED_SAMPLERS + stage as usize) {
                *word = table;
            }
        }
        words
    }

    /// Writes the addresses that a shader of this layout finds its sets at; none, and not all are written,
    /// when there is no memory for a null one.
    pub(in crate::command) fn show(&self, layout: &PipelineLayout, to: &mut [u64; SETS_MAX]) -> Option<()> {
        to.iter_mut().zip(self.addresses(layout)).try_for_each(|(to, address)| {
            *to = address?;
            Some(())
        })
    }

    /// The addresses that a shader of this layout finds its sets at; none where there is no memory for a null
    /// one.
    pub(in crate::command) fn addresses(&self, layout: &PipelineLayout) -> impl Iterator<Item = Option<u64>> {
        let heap = layout.heap().map_or_else(SmallVec::new, |samplers| self.heap_words(samplers));
        let sets = layout.sets().iter().zip(&self.bound).map(|(wanted, bound)| {
            let address = match bound {
                Some(bound) if bound.layout == wanted.digest() => bound.address,
                _ => null_set(wanted.size(None).into()),
            };
            (address != 0).then_some(address)
        });
        sets.chain(heap.into_iter().map(Some))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::descriptor::BindingInfo;
    use vulkanalia_sys as vk;

    fn layout(count: u32) -> Arc<SetLayout> {
        let info = BindingInfo {
            binding: 0,
            ty: vk::DescriptorType::STORAGE_BUFFER,
            count,
            flags: vk::DescriptorBindingFlags::empty(),
            mutable_types: Vec::new(),
            immutable_samplers: Vec::new(),
        };
        Arc::new(SetLayout::new(vec![info], false).unwrap())
    }

    #[test]
    fn only_sets_of_the_right_layout_are_shown() {
        let set = Arc::new(DescriptorSet::new(layout(2), None).unwrap());
        let mut sets = Sets::default();
        sets.bind(0, [Some(&*set), None]);
        // Of the same shape, made anew.
        let same = PipelineLayout::new(vec![layout(2), layout(2)], &[]).unwrap();
        let addresses: Vec<_> = sets.addresses(&same).flatten().collect();
        assert_eq!(addresses[0], set.address());
        assert_ne!(addresses[1], 0);
        assert_ne!(addresses[1], set.address());
        let larger = PipelineLayout::new(vec![layout(3)], &[]).unwrap();
        let address = sets.addresses(&larger).next().flatten();
        assert!(address.is_some_and(|address| address != set.address()));
    }

    #[test]
    fn null_sets_are_as_large_as_any() {
        let large = null_set(NULL_BYTES + 1);
        assert_ne!(large, 0);
        assert_eq!(null_set(8), large);
    }
}
