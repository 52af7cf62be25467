//! Random sequences of calls, valid and not: with null, stale, foreign and wrong handles, sizes and
//! enumerants out of range. Whatever comes back, nothing may crash, hang or take the process's memory.
//! Pointers are valid, as the API asks: what stands behind them is not.

mod absurd;
mod objects;
mod record;

use absurd::Random;
use pyro_test_kit::Client;
use std::ptr::null_mut;
use vulkanalia::prelude::v1_3::*;

/// The kinds of handles that calls make and use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
enum Kind {
    Buffer,
    Memory,
    Image,
    ImageView,
    BufferView,
    Sampler,
    SetLayout,
    DescriptorPool,
    Set,
    Layout,
    Module,
    Pipeline,
    Cache,
    RenderPass,
    Framebuffer,
    Fence,
    Semaphore,
    Event,
    QueryPool,
    CommandPool,
}

const KIND_COUNT: usize = Kind::CommandPool as usize + 1;
/// Handles of a kind that are remembered, destroyed ones too.
const REMEMBERED: usize = 24;

/// The device under fire, and every handle it gave.
struct World {
    random: Random,
    device: Device,
    /// Devices that calls name now and then: another of the instance, and one of another.
    others: [vk::Device; 2],
    queue: vk::Queue,
    /// The queues of the others.
    other_queues: [vk::Queue; 2],
    handles: [Vec<u64>; KIND_COUNT],
    buffers: Vec<vk::CommandBuffer>,
    words: Vec<u32>,
}

impl World {
    /// Remembers a handle.
    fn keep(&mut self, kind: Kind, handle: u64) {
        let place = self.random.below(REMEMBERED);
        let list = &mut self.handles[kind as usize];
        if list.len() < REMEMBERED { list.push(handle) } else { list[place] = handle }
    }

    /// A handle where one of this kind is wanted: mostly one of that kind, living or not.
    fn any(&mut self, kind: Kind) -> u64 {
        let other = self.random.below(KIND_COUNT);
        let from = match self.random.below(20) {
            0 => return 0,
            1 => return self.random.bits(),
            2 => &self.handles[other],
            _ => &self.handles[kind as usize],
        };
        if from.is_empty() { 0 } else { from[self.random.below(from.len())] }
    }

    /// The device's handle; rarely something else.
    fn device(&mut self) -> vk::Device {
        match self.random.below(200) {
            0 => vk::Device::null(),
            1 => vk::Device::from_raw(self.random.bits() as usize),
            2 => vk::Device::from_raw(self.queue.as_raw()),
            3..20 => self.others[self.random.below(2)],
            _ => self.device.handle(),
        }
    }

    /// The device's queue, mostly.
    fn queue(&mut self) -> vk::Queue {
        match self.random.below(20) {
            0 => self.other_queues[self.random.below(2)],
            _ => self.queue,
        }
    }

    /// A command buffer, or not.
    fn command_buffer(&mut self) -> vk::CommandBuffer {
        match self.random.below(100) {
            0 => vk::CommandBuffer::null(),
            1 => vk::CommandBuffer::from_raw(self.random.bits() as usize),
            _ if self.buffers.is_empty() => vk::CommandBuffer::null(),
            _ => self.buffers[self.random.below(self.buffers.len())],
        }
    }
}

/// Makes so many calls, or as many as the bytes say that the numbers come from.
pub fn run(random: Random, calls: u32) {
    // SAFETY: pointers are valid; handles and what stands behind pointers is for the driver to check.
    unsafe {
        let [client, foreign] = [(); 2].map(|()| Client::new(vk::make_version(1, 3, 0), &[]));
        let [device, other, theirs] =
            [&client, &client, &foreign].map(|client| client.bare_device(&[], None, null_mut()));
        let others = [other, theirs];
        let queue = device.get_device_queue(0, 0);
        let words = pyro_spirv::asm::assemble(&pyro_test_kit::compute::shader("")).expect("assembly");
        let is_of_bytes = !random.is_used_up();
        let mut world = World {
            random,
            device,
            others: others.each_ref().map(Device::handle),
            queue,
            other_queues: others.each_ref().map(|device| device.get_device_queue(0, 0)),
            handles: Default::default(),
            buffers: Vec::new(),
            words,
        };
        for _ in 0..calls {
            if is_of_bytes && world.random.is_used_up() {
                break;
            }
            if world.random.below(2) == 0 { world.make_or_destroy() } else { world.record_or_run() }
        }
        // Whatever waits for a signal that never comes ends with the device.
        world.device.destroy_device(None);
        others.iter().for_each(|device| device.destroy_device(None));
    }
}
