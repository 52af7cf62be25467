//! Descriptors as bytes that applications put into buffers themselves (`VK_EXT_descriptor_buffer`).
//!
//! A set in a buffer lies there as one of a pool does in its memory, but that nobody writes its header: what
//! is looked up there is known from the layout (see [`super::SetLayout::for_buffers`]).

pub use crate::caps::limits::DESCRIPTOR_BYTES;
use crate::objects::buffer::BufferView;
use crate::objects::image::{ImageView, Sampler};
use crate::objects::tensor::TensorView;
use pyro_abi::BufferDescriptor;
use pyro_abi::descriptor::BUFFER_DESCRIPTOR_BYTES;
use pyro_abi::image::IMAGE_DESCRIPTOR_BYTES;
use pyro_abi::ray::UNRESOLVED;

const _: () = assert!(BUFFER_DESCRIPTOR_BYTES as usize == DESCRIPTOR_BYTES);
const _: () = assert!(IMAGE_DESCRIPTOR_BYTES as usize == DESCRIPTOR_BYTES);
const _: () = assert!(core::mem::offset_of!(pyro_abi::ImageDescriptor, sampler) == 8);

/// What a descriptor is of; nothing where it is a null descriptor.
pub enum DescriptorSource<'s> {
    /// A uniform or storage buffer: address and bytes.
    Buffer(u64, u64),
    /// A tensor.
    Tensor(Option<&'s TensorView>),
    /// A texel buffer.
    Texels(Option<&'s BufferView>),
    /// An image that is sampled or read as an attachment, a sampler, or both.
    Sampled(Option<&'s ImageView>, Option<&'s Sampler>),
    /// A storage image.
    Storage(Option<&'s ImageView>),
    /// An acceleration structure's device address.
    Structure(u64),
}

impl DescriptorSource<'_> {
    /// The descriptor.
    pub fn bytes(&self) -> [u8; DESCRIPTOR_BYTES] {
        let [first, second] = match self {
            DescriptorSource::Buffer(0, _) => [0; 2],
            &DescriptorSource::Buffer(address, size) => {
                let descriptor = BufferDescriptor::new(address, size);
                [descriptor.address, descriptor.size]
            }
            DescriptorSource::Tensor(view) => [view.map_or(0, TensorView::record_address), 0],
            DescriptorSource::Texels(view) => [view.map_or(0, BufferView::record_address), 0],
            DescriptorSource::Sampled(view, sampler) => {
                let view = view.map_or(0, ImageView::record_address);
                [view, sampler.map_or(0, Sampler::record_address)]
            }
            // It is looked up when it is used, by when it may be another structure's.
            DescriptorSource::Structure(0) => [0; 2],
            DescriptorSource::Structure(address) => [address | UNRESOLVED, 0],
            DescriptorSource::Storage(view) => [view.map_or(0, ImageView::storage_address), 0],
        };
        let mut bytes = [0; DESCRIPTOR_BYTES];
        bytes[..8].copy_from_slice(&first.to_ne_bytes());
        bytes[8..].copy_from_slice(&second.to_ne_bytes());
        bytes
    }
}
