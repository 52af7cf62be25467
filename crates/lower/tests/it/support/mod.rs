//! Shaders from files to results: lowered, verified, through the passes, on the interpreter.
//!
//! A shader is `tests/shaders/NAME.spvasm`, mostly made of the GLSL in `NAME.comp` beside it. With
//! `PYRO_BLESS=1` the assembly is written anew from the GLSL, which needs `glslangValidator`.
#![allow(unsafe_code)] // dispatches

use pyro_abi::image::IMAGE_DESCRIPTOR_BYTES;
pub(crate) mod checked;
pub(crate) mod elementwise;
pub(crate) mod image;
pub(crate) mod layout;

use pyro_abi::descriptor::{BUFFER_DESCRIPTOR_BYTES, SET_HEADER_BYTES};
use pyro_abi::{
    BindingLayout, BufferDescriptor, DescriptorKind, DispatchContext, PUSH_CONSTANT_BYTES_MAX,
    PipelineLayout, SETS_MAX, SetHeader, SetLayout,
};
use pyro_engine::{ComputeDispatch, Engine};
use pyro_interp::Interpreter;
use pyro_lower::{LowerError, Lowered};
use pyro_passes::pipeline;
use pyro_spirv::{Module, Specialization, asm, disassemble_named};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shaders")
}

/// The words of a shader by name.
pub(crate) fn shader(name: &str) -> Vec<u32> {
    let assembly = folder().join(format!("{name}.spvasm"));
    // Those of other stages have the stage in their name.
    let source = match name.contains('.') {
        true => folder().join(name),
        false => folder().join(format!("{name}.comp")),
    };
    if pyro_test_environment::bless() && source.exists() {
        let binary = std::env::temp_dir().join(format!("pyro-lower-{}-{name}.spv", std::process::id()));
        let output = std::process::Command::new("glslangValidator")
            .args(["-V", "--target-env", "vulkan1.3", "-o"])
            .arg(&binary)
            .arg(source)
            .output()
            .expect("glslangValidator runs");
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stdout));
        let bytes = std::fs::read(&binary).expect("it wrote a module");
        drop(std::fs::remove_file(&binary));
        let module = Module::decode_bytes(&bytes).expect("a valid module");
        std::fs::write(&assembly, disassemble_named(&module)).expect("the folder can be written");
    }
    let text = std::fs::read_to_string(&assembly).unwrap_or_else(|error| panic!("{name}: {error}"));
    asm::assemble(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// How a buffer is bound.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binding {
    /// By a descriptor in the set.
    Plain,
    /// Its bytes lie in the set.
    Inline,
    /// By a descriptor beside the set.
    Dynamic,
    /// By descriptors of an array at the set's end, fewer than the layout allows.
    Variable,
    /// Not a buffer: the words are descriptors of images or samplers.
    Resource,
}

/// A buffer of set 0; its place in the list is its binding.
#[derive(Clone)]
pub(crate) struct Buffer {
    pub(crate) kind: DescriptorKind,
    pub(crate) words: Vec<u32>,
    /// Descriptors in the binding, each of them this buffer's words from `index * words / count` on.
    pub(crate) count: u32,
    pub(crate) binding: Binding,
}

/// A storage buffer.
pub(crate) fn storage(words: impl IntoIterator<Item = u32>) -> Buffer {
    Buffer {
        kind: DescriptorKind::StorageBuffer,
        words: words.into_iter().collect(),
        count: 1,
        binding: Binding::Plain,
    }
}

/// A uniform buffer.
pub(crate) fn uniform(words: impl IntoIterator<Item = u32>) -> Buffer {
    Buffer {
        kind: DescriptorKind::UniformBuffer,
        words: words.into_iter().collect(),
        count: 1,
        binding: Binding::Plain,
    }
}

/// Floats as words.
pub(crate) fn floats(values: impl IntoIterator<Item = f32>) -> Vec<u32> {
    values.into_iter().map(f32::to_bits).collect()
}

pub(crate) fn layout(buffers: &[Buffer]) -> PipelineLayout {
    let mut bindings = std::collections::BTreeMap::new();
    let mut offset = SET_HEADER_BYTES;
    let mut dynamic_count = 0;
    for (index, buffer) in buffers.iter().enumerate() {
        let is_inline = buffer.binding == Binding::Inline;
        let mut place = BindingLayout {
            kind: if is_inline { DescriptorKind::InlineUniformBlock } else { buffer.kind },
            offset,
            count: if is_inline { buffer.words.len() as u32 * 4 } else { buffer.count },
            stride: BUFFER_DESCRIPTOR_BYTES,
            dynamic_index: None,
            variable_count: buffer.binding == Binding::Variable,
            known: None,
        };
        match buffer.binding {
            Binding::Plain => offset += BUFFER_DESCRIPTOR_BYTES * buffer.count,
            Binding::Inline => offset += place.count.next_multiple_of(16),
            Binding::Dynamic => {
                place.dynamic_index = Some(dynamic_count);
                dynamic_count += buffer.count;
            }
            Binding::Variable => place.count = 1000,
            Binding::Resource => offset += IMAGE_DESCRIPTOR_BYTES * buffer.count,
        }
        bindings.insert(index as u32, place);
    }
    PipelineLayout {
        sets: vec![SetLayout { bindings }],
        push_constant_bytes: 128,
        ..PipelineLayout::default()
    }
}

/// Lowers and verifies.
pub(crate) fn lower(
    words: &[u32],
    specialization: &Specialization,
    layout: &PipelineLayout,
    lanes: u32,
) -> Result<Lowered, LowerError> {
    let module = Module::decode(words).expect("the module decodes");
    let checked = checked::check(&module, specialization).unwrap_or_else(|found| panic!("{found}"));
    let lowered = checked::lower_compute(&checked, layout, lanes)?;
    if let Err(errors) = pyro_ir::verify::verify(&lowered.function) {
        panic!("lowering made a malformed function:\n{errors}");
    }
    Ok(lowered)
}

/// A kernel of a lowered function, verified and through the passes.
pub(crate) fn interpreter(lowered: Lowered) -> Interpreter {
    finish(lowered, pipeline::Options::default())
}

fn finish(lowered: Lowered, options: pipeline::Options) -> Interpreter {
    let (mut function, mut info) = (lowered.function, lowered.info);
    if let Err(errors) = pyro_ir::verify::verify(&function) {
        panic!("lowering made a malformed function:\n{errors}\n{function}");
    }
    let options = pipeline::Options { verify: true, ..options };
    pipeline::run(&mut function, &options, None).unwrap_or_else(|error| panic!("{error}"));
    info.scratch_bytes = function.scratch_bytes;
    info.frame_bytes = function.frame_bytes;
    Interpreter::new(function, info).expect("finished mask form")
}

/// Where words lie, for a kernel.
pub(crate) fn address<T>(words: &[T]) -> u64 {
    words.as_ptr().expose_provenance() as u64
}

/// Pointers `%o0` to `%o3` to the first words of the buffer `%out` ([`pyro_shadertext::Shader::buffers`]).
pub(crate) const OUT_WORDS: &str = "%o0 = OpAccessChain %buffer_uint %out %uint_0 %uint_0
    %o1 = OpAccessChain %buffer_uint %out %uint_0 %uint_1
    %o2 = OpAccessChain %buffer_uint %out %uint_0 %uint_2
    %o3 = OpAccessChain %buffer_uint %out %uint_0 %uint_3
    ";

/// A shader with what it runs on.
pub(crate) struct Test {
    pub(crate) words: Vec<u32>,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) push_constants: Vec<u32>,
    pub(crate) specialization: Specialization,
    pub(crate) groups: [u32; 3],
    /// Addresses of the null image's and null sampler's records.
    pub(crate) null_records: [u64; 2],
}

impl Test {
    /// A shader of `tests/shaders`.
    pub(crate) fn new(name: &str, buffers: Vec<Buffer>) -> Test {
        Test::of_words(shader(name), buffers)
    }

    /// A shader of assembly.
    pub(crate) fn of_text(text: &str, buffers: Vec<Buffer>) -> Test {
        Test::of_words(asm::assemble(text).unwrap_or_else(|error| panic!("{error}")), buffers)
    }

    fn of_words(words: Vec<u32>, buffers: Vec<Buffer>) -> Test {
        Test {
            words,
            buffers,
            push_constants: Vec::new(),
            specialization: Specialization::new(),
            groups: [1; 3],
            null_records: [0; 2],
        }
    }

    pub(crate) fn groups(mut self, x: u32, y: u32, z: u32) -> Test {
        self.groups = [x, y, z];
        self
    }

    /// The buffers' words afterwards.
    pub(crate) fn run(&self, lanes: u32) -> Vec<Vec<u32>> {
        let layout = layout(&self.buffers);
        let lowered = lower(&self.words, &self.specialization, &layout, lanes)
            .unwrap_or_else(|error| panic!("{error}"));
        let options = pipeline::Options {
            full_subgroups: lowered.info.invocation_count().is_multiple_of(lanes),
            safepoints: pipeline::Safepoints::Plain,
            ..pipeline::Options::default()
        };
        let kernel = Arc::new(finish(lowered, options));

        let mut memory: Vec<Vec<u32>> = self.buffers.iter().map(|buffer| buffer.words.clone()).collect();
        let mut set = vec![0u64; SET_HEADER_BYTES as usize / 8];
        let mut dynamic_buffers: Vec<u64> = Vec::new();
        for (words, buffer) in memory.iter_mut().zip(&self.buffers) {
            if matches!(buffer.binding, Binding::Inline | Binding::Resource) {
                let pairs = words
                    .chunks(2)
                    .map(|pair| u64::from(pair[0]) | u64::from(pair.get(1).copied().unwrap_or(0)) << 32);
                set.extend(pairs);
                set.resize(set.len().next_multiple_of(2), 0);
                continue;
            }
            let table = if buffer.binding == Binding::Dynamic { &mut dynamic_buffers } else { &mut set };
            let bytes = words.len() as u64 * 4 / u64::from(buffer.count);
            for index in 0..u64::from(buffer.count) {
                let descriptor =
                    BufferDescriptor { address: words.as_mut_ptr() as u64 + index * bytes, size: bytes };
                table.extend([descriptor.address, descriptor.size]);
            }
        }
        let header = SetHeader { size: set.len() as u64 * 8, reserved: 0 };
        set[0] = header.size;
        let mut sets = [0; SETS_MAX];
        sets[0] = set.as_ptr() as u64;
        let mut push_constants = [0; PUSH_CONSTANT_BYTES_MAX];
        for (bytes, word) in push_constants.chunks_exact_mut(4).zip(&self.push_constants) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        let context = DispatchContext {
            sets,
            dynamic_buffers: dynamic_buffers.as_ptr() as u64,
            null_image: self.null_records[0],
            null_sampler: self.null_records[1],
            num_workgroups: self.groups,
            push_constants,
            ..DispatchContext::default()
        };
        let engine = Engine::new(1);
        // SAFETY: the set, the buffers and their sizes are right, and live through the call.
        unsafe { engine.dispatch(&ComputeDispatch { kernel, context }) }.expect("it ends");
        memory
    }

    /// The words of one buffer afterwards, which every subgroup size gives.
    pub(crate) fn result(&self, binding: usize) -> Vec<u32> {
        let result = self.run(16).swap_remove(binding);
        for lanes in [4, 8, 32, 64] {
            assert_eq!(self.run(lanes)[binding], result, "{lanes} lanes");
        }
        result
    }
}
