//! The three storage buffers that generated shaders use: input, output and a counter.

use pyro_abi::descriptor::SET_HEADER_BYTES;
use pyro_abi::{
    BindingLayout, BufferDescriptor, DescriptorKind, PipelineLayout, SETS_MAX, SetHeader, SetLayout,
};

/// A descriptor set of three storage buffers.
#[repr(C)]
pub struct Set {
    header: SetHeader,
    buffers: [BufferDescriptor; 3],
}

impl Set {
    /// The set of these buffers, which it names by their addresses.
    pub fn new(input: &[u32], output: &mut [u32], counter: &mut [u32; 1]) -> Set {
        Set {
            header: SetHeader { size: size_of::<Set>() as u64, reserved: 0 },
            buffers: [
                BufferDescriptor { address: input.as_ptr() as u64, size: size_of_val(input) as u64 },
                BufferDescriptor { address: output.as_mut_ptr() as u64, size: size_of_val(output) as u64 },
                BufferDescriptor { address: counter.as_mut_ptr() as u64, size: 4 },
            ],
        }
    }

    /// The addresses of all sets of a dispatch, of which this is the first.
    pub fn addresses(&self) -> [u64; SETS_MAX] {
        let mut sets = [0; SETS_MAX];
        sets[0] = &raw const *self as u64;
        sets
    }
}

/// The layout of a pipeline with that set.
pub fn layout() -> PipelineLayout {
    let binding = |index: u32| BindingLayout {
        kind: DescriptorKind::StorageBuffer,
        offset: SET_HEADER_BYTES + 16 * index,
        count: 1,
        stride: 16,
        dynamic_index: None,
        variable_count: false,
        known: None,
    };
    let bindings = (0..3).map(|index| (index, binding(index))).collect();
    PipelineLayout { sets: vec![SetLayout { bindings }], push_constant_bytes: 0, ..PipelineLayout::default() }
}
