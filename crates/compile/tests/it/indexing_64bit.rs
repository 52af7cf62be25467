//! Storage buffers of more than 4 GiB (`VK_EXT_shader_64bit_indexing`), with every backend and subgroup size.
//! The memory is the kernel's zero pages until something is written, so that little of it is ever there.
#![allow(unsafe_code)] // kernels access memory by address

use pyro_abi::{BufferDescriptor, DispatchContext};
use pyro_compile::{Backend, ComputeRequest, SubgroupSize, compile_compute_for, reflect};
use pyro_engine::{ComputeDispatch, Engine};
use pyro_shadertext::Shader;

/// Bytes of the large buffer: no multiple of any stride.
const LARGE_BYTES: usize = (5 << 30) + 42;
const LARGE_WORDS: u64 = LARGE_BYTES as u64 / 4;
const LANES: u64 = 32;
/// Words from the place of one invocation to that of the next: some are past the end.
const SPREAD: u64 = 0x0400_0001;
const OUT_WORDS: usize = 512;

/// The shader, whose indices are of 64 bits by an execution mode or by the layout.
fn shader(is_by_mode: bool) -> String {
    let shader = Shader::compute(
        [32, 1, 1],
        "%i = OpLoad %uint %index
        %wide = OpUConvert %u64 %i
        %value = OpIAdd %uint %i %uint_1000
        ; Spread over the buffer and past its end: a store, an atomic, a load.
        %at = OpIMul %u64 %wide %spread
        %place = OpAccessChain %word_ptr %large %uint_0 %at
        OpStore %place %value
        %old = OpAtomicIAdd %uint %place %uint_1 %uint_0 %uint_3
        %loaded = OpLoad %uint %place
        %out_a = OpAccessChain %word_ptr %out %uint_0 %i
        OpStore %out_a %loaded
        ; An index whose bytes wrap is outside.
        %wrapped = OpIAdd %u64 %wide %wrapping
        %nowhere = OpAccessChain %word_ptr %large %uint_0 %wrapped
        OpStore %nowhere %uint_1
        %none = OpLoad %uint %nowhere
        %ib = OpIAdd %uint %i %uint_32
        %out_b = OpAccessChain %word_ptr %out %uint_0 %ib
        OpStore %out_b %none
        ; A constant index whose bytes need more than 32 bits, and a signed step from it.
        %constant = OpAccessChain %word_ptr %large %uint_0 %far
        OpStore %constant %uint_1000
        %before = OpPtrAccessChain %word_ptr %constant %int_m5
        OpStore %before %uint_3
        %again = OpLoad %uint %constant
        %ic = OpIAdd %uint %i %uint_64
        %out_c = OpAccessChain %word_ptr %out %uint_0 %ic
        OpStore %out_c %again
        ; Two dynamic indices.
        %row_at = OpIMul %uint %i %row_step
        %row_index = OpIAdd %uint %row_at %row_first
        %column = OpBitwiseAnd %uint %i %uint_3
        %cell = OpAccessChain %word_ptr %large_rows %uint_0 %row_index %column
        OpStore %cell %value
        %of_cell = OpLoad %uint %cell
        %id = OpIAdd %uint %i %uint_96
        %out_d = OpAccessChain %word_ptr %out %uint_0 %id
        OpStore %out_d %of_cell
        ; Pointers as values.
        %odd_bit = OpBitwiseAnd %uint %i %uint_1
        %odd = OpINotEqual %bool %odd_bit %uint_0
        %start = OpAccessChain %word_ptr %large %uint_0 %uint_0
        %tail_at = OpIAdd %u64 %wide %farther
        %tail = OpPtrAccessChain %word_ptr %start %tail_at
        %chosen = OpSelect %word_ptr %odd %tail %out_a
        %next = OpPtrAccessChain %word_ptr %chosen %uint_256
        OpStore %next %value
        %of_next = OpLoad %uint %next
        %ie = OpIAdd %uint %i %uint_128
        %out_e = OpAccessChain %word_ptr %out %uint_0 %ie
        OpStore %out_e %of_next
        ; The length.
        %length = OpArrayLength %u64 %large 0
        %low = OpUConvert %uint %length
        %high_bits = OpShiftRightLogical %u64 %length %uint_3
        %high = OpUConvert %uint %high_bits
        %if = OpIAdd %uint %i %uint_160
        %out_f = OpAccessChain %word_ptr %out %uint_0 %if
        OpStore %out_f %low
        %ig = OpIAdd %uint %i %uint_192
        %out_g = OpAccessChain %word_ptr %out %uint_0 %ig
        OpStore %out_g %high",
    )
    .capability("Int64 VariablePointersStorageBuffer Shader64BitIndexingEXT")
    .extension("SPV_EXT_shader_64bit_indexing")
    .input("index", "uint", "BuiltIn LocalInvocationIndex")
    .buffers(&["large", "out"])
    .decorate(
        "OpDecorate %rows ArrayStride 32
        OpDecorate %row ArrayStride 4
        OpDecorate %word_ptr ArrayStride 4
        OpMemberDecorate %row_block 0 Offset 8
        OpDecorate %row_block Block
        OpDecorate %large_rows DescriptorSet 0
        OpDecorate %large_rows Binding 0",
    )
    .declare(
        "%far = OpConstant %uint 1250000000
        %row_first = OpConstant %uint 100000000
        %row_step = OpConstant %uint 1000000
        %spread = OpConstant %u64 0x4000001
        %wrapping = OpConstant %u64 0x4000000000000000
        %farther = OpConstant %u64 1200000000
        %row = OpTypeArray %uint %uint_8
        %rows = OpTypeRuntimeArray %row
        %row_block = OpTypeStruct %rows
        %word_ptr = OpTypePointer StorageBuffer %uint
        %large_rows = OpVariable %buffer_row_block StorageBuffer",
    );
    if is_by_mode { shader.mode("Shader64BitIndexingEXT") } else { shader }.text()
}

/// Bytes of this process that are in memory.
fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).map_or(0, |pages| pages * 4096)
}

fn expected() -> Vec<u32> {
    let mut out = vec![0; OUT_WORDS];
    for i in 0..LANES {
        let at = i as usize;
        let inside = i * SPREAD < LARGE_WORDS;
        out[at] = if inside { i as u32 + 1003 } else { 0 };
        out[64 + at] = 1000;
        out[96 + at] = 1000 + i as u32;
        out[128 + at] = 1000 + i as u32;
        out[160 + at] = LARGE_WORDS as u32;
        out[192 + at] = (LARGE_WORDS >> 3) as u32;
        if i % 2 == 0 {
            out[256 + at] = 1000 + i as u32;
        }
    }
    out
}

/// What is in the large buffer, by word.
fn expected_words() -> Vec<(u64, u32)> {
    let mut words = vec![(1_250_000_000, 1000), (1_250_000_000 - 5, 3)];
    for i in 0..LANES {
        if i * SPREAD < LARGE_WORDS {
            words.push((i * SPREAD, i as u32 + 1003));
        }
        words.push((2 + (100_000_000 + 1_000_000 * i) * 8 + (i & 3), 1000 + i as u32));
        if i % 2 == 1 {
            words.push((1_200_000_256 + i, 1000 + i as u32));
        }
    }
    words
}

#[test]
fn buffers_of_more_than_4_gib_are_indexed() {
    let by_mode = pyro_spirv::asm::assemble(&shader(true)).unwrap_or_else(|e| panic!("{e}"));
    let by_layout = pyro_spirv::asm::assemble(&shader(false)).unwrap_or_else(|e| panic!("{e}"));
    let mut large = vec![0_u8; LARGE_BYTES + 3];
    let start = large.as_ptr().align_offset(4);
    let before = resident_bytes();
    for (name, backend) in Backend::all() {
        for lanes in [4, 8, 16, 32, 64] {
            let by_mode_now = lanes != 8;
            let words = if by_mode_now { &by_mode } else { &by_layout };
            let module = pyro_spirv::Module::decode(words).expect("decodes");
            let mut layout = reflect::layout_of(&module).expect("has a layout");
            layout.options.indexing_64bit = !by_mode_now;
            let request = ComputeRequest {
                module: &pyro_compile::ShaderModule::new(words),
                entry_point: "main",
                specialization: &[],
                layout: &layout,
                subgroup_size: SubgroupSize::Required(lanes),
            };
            let kernel = compile_compute_for(&request, backend, None);
            let kernel = kernel.unwrap_or_else(|error| panic!("{error}"));
            let mut out = vec![0_u32; OUT_WORDS];
            let large_address = large[start..].as_mut_ptr().expose_provenance() as u64;
            let out_address = out.as_mut_ptr().expose_provenance() as u64;
            let descriptors = [
                BufferDescriptor::new(large_address, LARGE_BYTES as u64),
                BufferDescriptor::new(out_address, OUT_WORDS as u64 * 4),
            ];
            let mut set = vec![0_u64; 64];
            set[0] = 512;
            for (binding, descriptor) in (0..).zip(descriptors) {
                let place = layout.sets[0].bindings[&binding].offset as usize / 8;
                (set[place], set[place + 1]) = (descriptor.address, descriptor.size);
            }
            let mut context = DispatchContext { num_workgroups: [1, 1, 1], ..DispatchContext::default() };
            context.sets[0] = set.as_ptr().expose_provenance() as u64;
            // SAFETY: the buffers are as large as their descriptors say, and accesses are checked against
            // those.
            unsafe { Engine::new(1).dispatch(&ComputeDispatch { kernel, context }) }.expect("runs");
            assert_eq!(out, expected(), "{name}, {lanes} lanes");
            for (word, value) in expected_words() {
                let place = start + word as usize * 4;
                let bytes = &mut large[place..place + 4];
                assert_eq!(bytes, value.to_le_bytes(), "{name}, {lanes} lanes: word {word}");
                bytes.fill(0);
            }
        }
    }
    let grown = resident_bytes().saturating_sub(before);
    assert!(grown < 64 << 20, "{grown} bytes were touched");
}

#[test]
fn sizes_of_descriptors_come_back() {
    let low = |descriptor: BufferDescriptor| descriptor.size as u32;
    for size in [0, 1, 4096, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, LARGE_BYTES as u64, 1 << 39] {
        let descriptor = BufferDescriptor::new(64, size);
        assert_eq!(descriptor.bytes(), size);
        // Without 64-bit indexing only the low half is looked at, and never more than there is.
        assert!(u64::from(low(descriptor)) <= size.min(BufferDescriptor::SMALL_MAX));
        assert!(u64::from(low(descriptor)) + 255 >= size.min(BufferDescriptor::SMALL_MAX));
    }
}
