//! Data graph pipelines and their sessions (`VK_ARM_data_graph`; specification, "Data Graphs").
//!
//! A pipeline is a program of tensor operators. Nothing in it depends on the processor, so no code is
//! compiled: caches keep what a program is built from, and an identifier is the digest of that. A session
//! gives the values between operators their memory.

use crate::caps::limits::MEMORY_TYPE_BITS;
use crate::error::{Error, Result};
use crate::objects::memory::DeviceMemory;
use crate::objects::memory::mapped::Range;
use crate::pipeline::cache::{self, Digest, PipelineCache};
use crate::pipeline::layout::PipelineLayout;
use crate::pipeline::shader::ShaderModule;
use crate::pipeline::stage::{CreationFeedback, compile_error};
use pyro_compile::SpecConstant;
use pyro_compile::data_graph::{BoundTensor, DataGraph, GraphBinding, Recipe};
pub use pyro_compile::data_graph::{Constant, Resource, TensorDescription, TensorFormat};
use pyro_tosa::Program;
use pyro_util::sync::{Mutex, MutexGuard};
use std::fmt::Write;
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use vulkanalia_sys as vk;

/// The name of the operators' instruction set.
pub const INSTRUCTION_SET: &str = "TOSA.001000.1";
/// The profiles of TOSA that are there in full.
pub const PROFILES: [&str; 2] = ["PRO-INT", "PRO-FP"];
/// The extensions of TOSA that are there in full: those that the instruction set has operators and types for.
pub const EXTENSIONS: [&str; 7] =
    ["EXT-INT16", "EXT-BF16", "EXT-FP8E4M3", "EXT-FP8E5M2", "EXT-FFT", "EXT-DOUBLEROUND", "EXT-INEXACTROUND"];

/// What a data graph pipeline is made from.
pub struct DataGraphInfo {
    /// Flags.
    pub flags: vk::PipelineCreateFlags2,
    /// Where resources lie.
    pub layout: Arc<PipelineLayout>,
    /// The graph.
    pub source: GraphSource,
}

/// Where a graph comes from.
pub enum GraphSource {
    /// A module.
    Module(GraphModule),
    /// What a cache has by this identifier.
    Identifier(Vec<u8>),
}

/// A graph in a module.
pub struct GraphModule {
    /// The module.
    pub module: Arc<ShaderModule>,
    /// The graph's name.
    pub entry_point: String,
    /// Specialization constants.
    pub specialization: Vec<SpecConstant>,
    /// The constants of the graph.
    pub constants: Vec<Constant>,
    /// The tensors of the graph.
    pub resources: Vec<Resource>,
}

/// Where a tensor's descriptor is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The set.
    pub(crate) set: usize,
    /// Bytes from the start of the set.
    pub(crate) offset: u32,
}

/// A `VkPipeline` for data graphs.
pub struct DataGraphPipeline {
    program: Program,
    inputs: Vec<Place>,
    outputs: Vec<Place>,
    layout: Arc<PipelineLayout>,
    identifier: Digest,
}

/// The bindings of a layout.
fn bindings(layout: &PipelineLayout) -> Vec<GraphBinding> {
    let sets = layout.sets().iter().enumerate();
    let bindings = sets.flat_map(|(set, layout)| layout.bindings().iter().map(move |binding| (set, binding)));
    let one = |(set, binding): (usize, &crate::objects::descriptor::Binding)| GraphBinding {
        set: set as u32,
        binding: binding.info.binding,
        is_tensor: binding.info.ty == vk::DescriptorType::TENSOR_ARM,
        count: binding.info.count,
    };
    bindings.map(one).collect()
}

fn place(layout: &PipelineLayout, tensor: &BoundTensor) -> Result<Place> {
    let set = layout.sets().get(tensor.set as usize);
    let binding = set.and_then(|set| set.bindings().get(tensor.binding));
    let binding = binding.filter(|binding| {
        binding.info.ty == vk::DescriptorType::TENSOR_ARM && tensor.element < binding.info.count
    });
    let binding = binding.ok_or_else(|| {
        Error::misuse(format!(
            "the layout has no tensor {} at set {}, binding {} (VUID-VkDataGraphPipelineCreateInfoARM-layout-09769)",
            tensor.element, tensor.set, tensor.binding
        ))
    })?;
    Ok(Place { set: tensor.set as usize, offset: binding.offset + tensor.element * binding.stride })
}

/// The digest that an identifier is: hexadecimal digits.
fn digest_of(identifier: &[u8]) -> Option<Digest> {
    let text = std::str::from_utf8(identifier).ok().filter(|text| text.len() == 32)?;
    let is_plain = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let number = u128::from_str_radix(text, 16).ok().filter(|_| is_plain)?;
    Some(Digest::from_bytes(number.to_le_bytes()))
}

impl DataGraphPipeline {
    /// Builds the program of a graph.
    ///
    /// # Errors
    /// `VK_PIPELINE_COMPILE_REQUIRED` when no cache has it and one must; `VK_ERROR_INVALID_SHADER_NV` for a
    /// bad module, or one that does not fit constants, tensors or layout.
    pub fn new(
        info: DataGraphInfo,
        cache: Option<&PipelineCache>,
    ) -> Result<(DataGraphPipeline, CreationFeedback)> {
        let start = Instant::now();
        let DataGraphInfo { flags, layout, source } = info;
        let fails = flags.contains(vk::PipelineCreateFlags2::FAIL_ON_PIPELINE_COMPILE_REQUIRED);
        let session = cache::application_session(cache);
        let bindings = bindings(&layout);
        let error = |error| compile_error("data graph's", error);
        let (identifier, graph) = match source {
            GraphSource::Identifier(identifier) => {
                let digest = digest_of(&identifier).ok_or_else(|| {
                    let message = "the pipeline's identifier is not one of this driver's";
                    Error::new(vk::Result::PIPELINE_COMPILE_REQUIRED, message)
                })?;
                let session = session.must_not_compile(true);
                let recipe = Recipe::find(digest, &session).map_err(error)?;
                let graph = recipe.build(None, &bindings).map_err(error)?;
                (digest, (graph, session.hit()))
            }
            GraphSource::Module(source) => {
                let session = session.must_not_compile(fails || !source.module.has_words());
                let recipe = Recipe {
                    words: Arc::clone(&source.module.kept().0),
                    entry_point: source.entry_point,
                    specialization: source.specialization,
                    constants: source.constants,
                    resources: source.resources,
                };
                let identifier = recipe.digest();
                let graph = recipe
                    .build_cached(&session, Some(&**source.module.for_compiler()), &bindings)
                    .map_err(error)?;
                (identifier, (graph, session.hit()))
            }
        };
        let (DataGraph { program, inputs, outputs }, cache_hit) = graph;
        let inputs = inputs.iter().map(|tensor| place(&layout, tensor)).collect::<Result<_>>()?;
        let outputs = outputs.iter().map(|tensor| place(&layout, tensor)).collect::<Result<_>>()?;
        let feedback = CreationFeedback { cache_hit, duration: start.elapsed() };
        Ok((DataGraphPipeline { program, inputs, outputs, layout, identifier }, feedback))
    }

    /// The program.
    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// Where the descriptors of the inputs are.
    pub(crate) fn inputs(&self) -> &[Place] {
        &self.inputs
    }

    /// Where the descriptors of the outputs are.
    pub(crate) fn outputs(&self) -> &[Place] {
        &self.outputs
    }

    /// Where resources lie.
    pub(crate) fn layout(&self) -> &PipelineLayout {
        &self.layout
    }

    /// What it is known by (`VK_DATA_GRAPH_PIPELINE_PROPERTY_IDENTIFIER_ARM`).
    pub fn identifier(&self) -> String {
        format!("{:032x}", u128::from_le_bytes(self.identifier.to_bytes()))
    }

    /// What was made of the graph (`VK_DATA_GRAPH_PIPELINE_PROPERTY_CREATION_LOG_ARM`).
    pub fn creation_log(&self) -> String {
        let mut log = format!("{} bytes of session memory\n", self.program.memory_bytes());
        for (opcode, ty) in self.program.operators() {
            let _ = writeln!(log, "{}: {ty}", opcode.name());
        }
        log
    }
}

/// A `VkDataGraphPipelineSessionARM`.
pub struct DataGraphSession {
    pipeline: Arc<DataGraphPipeline>,
    bound: OnceLock<(Arc<DeviceMemory>, Range)>,
    running: Mutex<()>,
}

impl DataGraphSession {
    /// A session of a pipeline, without memory.
    pub fn new(pipeline: Arc<DataGraphPipeline>) -> DataGraphSession {
        DataGraphSession { pipeline, bound: OnceLock::new(), running: Mutex::new(()) }
    }

    /// The pipeline.
    pub fn pipeline(&self) -> &Arc<DataGraphPipeline> {
        &self.pipeline
    }

    /// Bytes of memory for the values between operators; of none there is nothing to bind.
    pub fn transient_bytes(&self) -> u64 {
        self.pipeline.program.memory_bytes() as u64
    }

    /// What memory its values ask for.
    pub fn requirements(&self) -> vk::MemoryRequirements {
        vk::MemoryRequirements {
            size: self.transient_bytes(),
            alignment: pyro_tosa::MEMORY_ALIGNMENT,
            memory_type_bits: MEMORY_TYPE_BITS,
        }
    }

    /// Gives it memory.
    ///
    /// # Errors
    /// When it has some already, or the memory does not suffice.
    pub fn bind(&self, memory: Arc<DeviceMemory>, offset: u64) -> Result<()> {
        if !offset.is_multiple_of(pyro_tosa::MEMORY_ALIGNMENT) {
            return Err(Error::misuse(
                "memoryOffset breaks the alignment \
                 (VUID-VkBindDataGraphPipelineSessionMemoryInfoARM-memoryOffset-09789)",
            ));
        }
        let range = Range::new(memory.block(), offset, self.transient_bytes()).ok_or_else(|| {
            Error::misuse(
                "the session does not fit into the memory \
                 (VUID-VkBindDataGraphPipelineSessionMemoryInfoARM-size-09790)",
            )
        })?;
        self.bound.set((memory, range)).map_err(|_| {
            Error::misuse(
                "the session is bound already (VUID-VkBindDataGraphPipelineSessionMemoryInfoARM-session-09785)",
            )
        })
    }

    /// Its memory; none when it is not bound.
    pub(crate) fn memory(&self) -> Option<&Range> {
        self.bound.get().map(|(_, range)| range)
    }

    /// Keeps other dispatches out of its memory.
    pub(crate) fn lock(&self) -> MutexGuard<'_, ()> {
        self.running.lock()
    }
}

/// The packed elements of a constant, from what an application gives by a description.
///
/// # Errors
/// When the description is of no tensor that there could be.
pub fn packed_constant(
    info: &crate::objects::tensor::TensorInfo<'_>,
    data: impl FnOnce(usize) -> Result<Vec<u8>>,
) -> Result<Arc<[u8]>> {
    let tensor = crate::objects::tensor::Tensor::new(info)?;
    let bytes = data(tensor.size() as usize)?;
    Ok(tensor.packed(&bytes).into())
}

/// A format of tensors as graphs tell them apart.
pub fn tensor_format(format: vk::Format) -> Option<TensorFormat> {
    Some(match format {
        vk::Format::R8_BOOL_ARM => TensorFormat::Bool,
        vk::Format::R8_UINT => TensorFormat::Unsigned(8),
        vk::Format::R8_SINT => TensorFormat::Signed(8),
        vk::Format::R16_UINT => TensorFormat::Unsigned(16),
        vk::Format::R16_SINT => TensorFormat::Signed(16),
        vk::Format::R32_UINT => TensorFormat::Unsigned(32),
        vk::Format::R32_SINT => TensorFormat::Signed(32),
        vk::Format::R64_UINT => TensorFormat::Unsigned(64),
        vk::Format::R64_SINT => TensorFormat::Signed(64),
        vk::Format::R16_SFLOAT => TensorFormat::Float(16),
        vk::Format::R32_SFLOAT => TensorFormat::Float(32),
        vk::Format::R64_SFLOAT => TensorFormat::Float(64),
        vk::Format::R16_SFLOAT_FPENCODING_BFLOAT16_ARM => TensorFormat::BFloat16,
        vk::Format::R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM => TensorFormat::Float8E4M3,
        vk::Format::R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM => TensorFormat::Float8E5M2,
        _ => return None,
    })
}
