//! A canvas, and mapped memory that commands find by its device address.

use pyro_test_kit::canvas::Canvas;
use std::ffi::CStr;
use std::ops::Deref;
use vulkanalia::prelude::v1_3::*;

/// The words of the memory.
pub(crate) const WORDS: usize = 512;

/// A canvas and [`WORDS`] words of vertices, indices and commands.
pub(crate) struct AddressedCanvas {
    canvas: Canvas,
    pub(crate) buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    pub(crate) words: *mut u32,
    pub(crate) address: u64,
}

impl AddressedCanvas {
    pub(crate) fn new(extensions: &[&CStr]) -> AddressedCanvas {
        let canvas = Canvas::with(extensions);
        let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
            | vk::BufferUsageFlags::VERTEX_BUFFER
            | vk::BufferUsageFlags::INDEX_BUFFER
            | vk::BufferUsageFlags::INDIRECT_BUFFER;
        let (buffer, memory, bytes) = canvas.mapped_buffer(4 * WORDS as u64, usage);
        let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer);
        let address = unsafe { canvas.device.get_buffer_device_address(&info) };
        AddressedCanvas { canvas, buffer, memory, words: bytes.cast(), address }
    }

    /// Writes words from a word on.
    pub(crate) fn put(&self, at: usize, words: &[u32]) {
        assert!(at + words.len() <= WORDS);
        words.iter().enumerate().for_each(|(index, &word)| unsafe { *self.words.add(at + index) = word });
    }
}

impl Deref for AddressedCanvas {
    type Target = Canvas;

    fn deref(&self) -> &Canvas {
        &self.canvas
    }
}

impl Drop for AddressedCanvas {
    fn drop(&mut self) {
        unsafe {
            self.canvas.device.destroy_buffer(self.buffer, None);
            self.canvas.device.free_memory(self.memory, None);
        }
    }
}
