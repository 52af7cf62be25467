//! What the sanitizer is told of commands that order others: stages, accesses and layouts as the application
//! gives them. Nothing of it is called where the sanitizer follows no commands.

use crate::handle;
use crate::pointers::{In, Slice};
use pyro_driver::Result;
use pyro_driver::buffer::Buffer;
use pyro_driver::command::followed::{Followed, is_one_aspect, subresources};
use pyro_driver::command::{CommandBuffer, SyncCommand};
use pyro_driver::image::Image;
use pyro_driver::registry_supplement;
use pyro_sanitizer::commands::scope::Scope;
use pyro_sanitizer::commands::{Barrier, Dependency, ExpectedLayout, Transition, UNKNOWN_LAYOUT};
use vulkanalia_sys::{self as vk, Handle};

pub(crate) use pyro_driver::command::followed::is_on;

/// The stages and accesses of a barrier.
#[derive(Clone, Copy)]
struct Scopes {
    first: Scope,
    second: Scope,
}

fn scopes(stages: (u64, u64), accesses: (u64, u64)) -> Scopes {
    Scopes {
        first: Scope { stages: stages.0, accesses: accesses.0 },
        second: Scope { stages: stages.1, accesses: accesses.1 },
    }
}

/// What barriers of both generations have.
trait HasAccesses {
    /// The stages before and after, of barriers that name them.
    fn stages(&self) -> Option<(u64, u64)>;
    /// The accesses before and after.
    fn accesses(&self) -> (u64, u64);
}

trait BufferBarrier: HasAccesses {
    /// The buffer, an offset in it, and a number of bytes.
    fn range(&self) -> (vk::Buffer, u64, u64);
}

trait ImageBarrier: HasAccesses {
    fn image(&self) -> (vk::Image, &vk::ImageSubresourceRange);
    /// The old one and the new one.
    fn layouts(&self) -> (vk::ImageLayout, vk::ImageLayout);
    /// The queue families that give and get the image.
    fn families(&self) -> (u32, u32);
}

macro_rules! accesses {
    (first: $($first:ty),*; second: $($second:ty),*) => {
        $(impl HasAccesses for $first {
            fn stages(&self) -> Option<(u64, u64)> {
                None
            }

            fn accesses(&self) -> (u64, u64) {
                (self.src_access_mask.bits().into(), self.dst_access_mask.bits().into())
            }
        })*
        $(impl HasAccesses for $second {
            fn stages(&self) -> Option<(u64, u64)> {
                Some((self.src_stage_mask.bits(), self.dst_stage_mask.bits()))
            }

            fn accesses(&self) -> (u64, u64) {
                (self.src_access_mask.bits(), self.dst_access_mask.bits())
            }
        })*
    };
}

accesses! {
    first: vk::MemoryBarrier, vk::BufferMemoryBarrier, vk::ImageMemoryBarrier;
    second: vk::MemoryBarrier2, vk::BufferMemoryBarrier2, vk::ImageMemoryBarrier2,
        registry_supplement::MemoryRangeBarrierKHR
}

macro_rules! barriers {
    (buffers: $($buffer:ident)*; images: $($image:ident)*) => {
        $(impl BufferBarrier for vk::$buffer {
            fn range(&self) -> (vk::Buffer, u64, u64) {
                (self.buffer, self.offset, self.size)
            }
        })*
        $(impl ImageBarrier for vk::$image {
            fn image(&self) -> (vk::Image, &vk::ImageSubresourceRange) {
                (self.image, &self.subresource_range)
            }

            fn layouts(&self) -> (vk::ImageLayout, vk::ImageLayout) {
                (self.old_layout, self.new_layout)
            }

            fn families(&self) -> (u32, u32) {
                (self.src_queue_family_index, self.dst_queue_family_index)
            }
        })*
    };
}

barriers! {
    buffers: BufferMemoryBarrier BufferMemoryBarrier2;
    images: ImageMemoryBarrier ImageMemoryBarrier2
}

/// Barriers and transitions of one command.
#[derive(Default)]
pub(crate) struct Orders {
    barriers: Vec<Barrier>,
    transitions: Vec<Transition>,
}

impl Orders {
    fn memory(&mut self, scopes: Scopes) {
        self.barriers.push(Barrier { first: scopes.first, second: scopes.second, ranges: None });
    }

    fn buffer(&mut self, scopes: Scopes, (buffer, offset, size): (vk::Buffer, u64, u64)) {
        let range = handle::get::<Buffer>(buffer.as_raw()).and_then(|buffer| buffer.range(offset, size));
        self.range(scopes, range.ok().map(|range| range.address()..range.address() + range.size()));
    }

    /// Without a range execution is ordered all the same.
    fn range(&mut self, scopes: Scopes, range: Option<core::ops::Range<u64>>) {
        let ranges = range.into_iter().collect();
        self.barriers.push(Barrier { first: scopes.first, second: scopes.second, ranges: Some(ranges) });
    }

    fn image(
        &mut self,
        scopes: Scopes,
        (image, range): (vk::Image, &vk::ImageSubresourceRange),
        (old, new): (vk::ImageLayout, vk::ImageLayout),
        families: (u32, u32),
    ) {
        let Ok(image) = handle::get::<Image>(image.as_raw()) else { return };
        let Some(resource) = image.resource() else {
            // Of planes, all memory is ordered.
            return self.memory(scopes);
        };
        let subresources = subresources(&image, range);
        let ranges = resource.ranges(subresources).into();
        let barrier = Barrier { first: scopes.first, second: scopes.second, ranges: Some(ranges) };
        self.barriers.push(barrier.clone());
        if old != new {
            // Aspects in two layouts are not followed.
            let (old, new) = match is_one_aspect(&image, range.aspect_mask) {
                true => (UNKNOWN_LAYOUT, UNKNOWN_LAYOUT),
                false => (old.as_raw(), new.as_raw()),
            };
            let image = resource.clone();
            let is_ownership = families.0 != families.1 && families.0 != vk::QUEUE_FAMILY_IGNORED;
            self.transitions.push(Transition { image, subresources, old, new, barrier, is_ownership });
        }
    }

    /// Those of the first generation, which names the stages once for all.
    pub(crate) fn of_first(
        (source, target): (vk::PipelineStageFlags, vk::PipelineStageFlags),
        memory: Slice<'_, vk::MemoryBarrier>,
        buffers: Slice<'_, vk::BufferMemoryBarrier>,
        images: Slice<'_, vk::ImageMemoryBarrier>,
    ) -> Orders {
        let stages = (u64::from(source.bits()), u64::from(target.bits()));
        let mut orders = Orders::default();
        // Stages order execution also where no memory is named.
        orders.memory(scopes(stages, (0, 0)));
        orders.add(memory, buffers, images, Some(stages));
        orders
    }

    /// Those of a `VkDependencyInfo`.
    pub(crate) fn of_second(info: In<'_, vk::DependencyInfo>) -> Orders {
        let mut orders = Orders::default();
        let (buffers, images) = (info.buffer_memory_barriers(), info.image_memory_barriers());
        orders.add(info.memory_barriers(), buffers, images, None);
        let ranges = info.find::<registry_supplement::MemoryRangeBarriersInfoKHR>();
        for one in ranges.iter().flat_map(|ranges| ranges.memory_range_barriers()) {
            let scopes = scopes(one.stages().unwrap_or((0, 0)), one.accesses());
            let end = one.address_range.address.saturating_add(one.address_range.size);
            orders.range(scopes, Some(one.address_range.address..end));
        }
        orders
    }

    /// Barriers of either generation; `stages` are those of barriers that name none.
    fn add<M: HasAccesses, B: BufferBarrier, I: ImageBarrier>(
        &mut self,
        memory: Slice<'_, M>,
        buffers: Slice<'_, B>,
        images: Slice<'_, I>,
        stages: Option<(u64, u64)>,
    ) {
        let none = (0, 0);
        for one in memory.iter() {
            self.memory(scopes(one.stages().or(stages).unwrap_or(none), one.accesses()));
        }
        for one in buffers.iter() {
            let scopes = scopes(one.stages().or(stages).unwrap_or(none), one.accesses());
            self.buffer(scopes, one.range());
        }
        for one in images.iter() {
            let scopes = scopes(one.stages().or(stages).unwrap_or(none), one.accesses());
            self.image(scopes, one.image(), one.layouts(), one.families());
        }
    }

    /// The stages before any of them.
    pub(crate) fn first_stages(&self) -> u64 {
        self.barriers.iter().fold(0, |stages, barrier| stages | barrier.first.stages)
    }

    /// Records them as a pipeline barrier.
    pub(crate) fn record(self, buffer: &mut CommandBuffer, name: &'static str) -> Result<()> {
        push(buffer, Followed::Order(Dependency::Barriers(self.barriers, self.transitions), name))
    }

    /// Records them as a wait for events.
    pub(crate) fn record_wait(self, buffer: &mut CommandBuffer, events: Vec<u64>) -> Result<()> {
        let order = Dependency::WaitEvents(events, self.barriers, self.transitions);
        push(buffer, Followed::Order(order, "vkCmdWaitEvents"))
    }
}

/// Records something for the sanitizer.
pub(crate) fn push(buffer: &mut CommandBuffer, followed: Followed) -> Result<()> {
    buffer.push(SyncCommand::Followed(Box::new(followed)))
}

/// Records the layouts that the next command's images must be in.
pub(crate) fn layouts(
    buffer: &mut CommandBuffer,
    layouts: impl IntoIterator<Item = Option<ExpectedLayout>>,
) -> Result<()> {
    let layouts: Vec<_> = layouts.into_iter().flatten().collect();
    if layouts.is_empty() { Ok(()) } else { push(buffer, Followed::Layouts(layouts)) }
}
