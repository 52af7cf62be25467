//! Running compute shaders on buffers.
#![allow(unsafe_code)] // kernels access memory by address

use pyro_abi::{DispatchContext, Kernel, PipelineLayout};
use pyro_compile::{Backend, ComputeRequest, SubgroupSize, compile_compute_for, reflect};
use pyro_engine::{ComputeDispatch, Engine};
use std::sync::Arc;

const WORDS: usize = 1 << 14;
const GROUPS: u32 = 3;

/// A shader's kernel, and the layout that it has by itself.
fn compiled(words: &[u32], size: SubgroupSize, backend: Backend) -> (Arc<dyn Kernel>, PipelineLayout) {
    let module = pyro_spirv::Module::decode(words).expect("decodes");
    let layout = reflect::layout_of(&module).expect("has a layout");
    let request = ComputeRequest {
        module: &pyro_compile::ShaderModule::new(words),
        entry_point: "main",
        specialization: &[],
        layout: &layout,
        subgroup_size: size,
    };
    let kernel = compile_compute_for(&request, backend, None).unwrap_or_else(|error| panic!("{error}"));
    (kernel, layout)
}

/// What a shader that reads binding 0 and writes binding 1 makes of it, with a subgroup size, an backend and
/// a pitch, and the lanes of its kernel.
pub(crate) fn run(words: &[u32], size: SubgroupSize, backend: Backend, pitch: u32) -> (Vec<u32>, u32) {
    let (kernel, layout) = compiled(words, size, backend);
    let lanes = kernel.info().subgroup_size;
    let input: Vec<u32> = (0..WORDS as u32).map(|word| word.wrapping_mul(0x9e37_79b9)).collect();
    let mut output = vec![0_u32; WORDS];
    let mut set = vec![0_u64; 64];
    set[0] = 512;
    let addresses =
        [input.as_ptr().expose_provenance() as u64, output.as_mut_ptr().expose_provenance() as u64];
    for (binding, address) in (0..).zip(addresses) {
        let place = layout.sets[0].bindings[&binding].offset as usize / 8;
        (set[place], set[place + 1]) = (address, WORDS as u64 * 4);
    }
    let mut context = DispatchContext { num_workgroups: [GROUPS, 1, 1], ..DispatchContext::default() };
    context.sets[0] = set.as_ptr().expose_provenance() as u64;
    context.push_constants[..4].copy_from_slice(&pitch.to_le_bytes());
    // SAFETY: the buffers are as large as their descriptors say, and accesses are checked against those.
    unsafe { Engine::new(1).dispatch(&ComputeDispatch { kernel, context }) }.expect("runs");
    (output, lanes)
}

/// Whether the shader became machine code.
#[allow(dead_code)] // not every test asks
pub(crate) fn has_code(words: &[u32], backend: Backend) -> bool {
    let (kernel, _) = compiled(words, SubgroupSize::Default, backend);
    kernel.representations().iter().any(|(title, _)| title == "assembly")
}
