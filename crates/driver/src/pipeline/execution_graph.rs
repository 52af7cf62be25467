//! Execution graph pipelines (`VK_AMDX_shader_enqueue`; specification, "Execution Graphs").
//!
//! Nodes are compiled when a graph is made, since which nodes there are is part of their code; libraries only
//! keep their shaders. Payloads lie in memory of the engine's, so the scratch memory that applications give
//! is asked for and left alone.

use crate::error::{Error, Result};
use crate::objects::device_core::DeviceCore;
use crate::objects::memory::mapped::DeviceAddresses;
use crate::objects::memory::words::{wide, word};
use crate::pipeline::binary;
use crate::pipeline::cache::{self, PipelineCache};
use crate::pipeline::graphics::{GraphicsLibrary, GraphicsPipeline, Parts};
use crate::pipeline::layout::PipelineLayout;
use crate::pipeline::stage::{
    CreationFeedback, Executable, ShaderStage, captures, check_limits, compile_error, compute_request,
    find_words, keep_words,
};
use crate::pipeline::successor::Successor;
use pyro_abi::node::{NodeInfo, NodeNames, PAYLOAD_COUNT_MAX};
use pyro_abi::{Kernel, ShaderOptions};
use pyro_compile::{compile_node_cached, node_info};
use pyro_engine::execution_graph::{Graph, GraphInput, GraphNode};
use pyro_util::sanitize::Kind;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;
use vulkanalia_sys as vk;

/// What a node runs.
#[derive(Clone)]
pub enum NodeShader {
    /// A compute shader.
    Compute(ShaderStage),
    /// A graphics pipeline with a mesh shader.
    Mesh(Arc<GraphicsLibrary>),
}

/// A node, before it is compiled.
#[derive(Clone)]
pub struct NodeStage {
    /// The shader.
    pub shader: NodeShader,
    /// Its name in the graph: the entry point's, unless another is said.
    pub name: Option<String>,
    /// Its index among the nodes of its name, unless the shader says it.
    pub index: Option<u32>,
}

impl NodeStage {
    /// Its shaders.
    pub fn stages_mut(&mut self) -> &mut [ShaderStage] {
        match &mut self.shader {
            NodeShader::Compute(stage) => std::slice::from_mut(stage),
            NodeShader::Mesh(library) => &mut Arc::make_mut(library).stages,
        }
    }
}

/// What an execution graph is made from.
#[derive(Clone)]
pub struct GraphPipelineInfo {
    /// Its nodes.
    pub nodes: Vec<NodeStage>,
    /// Where resources lie.
    pub layout: Arc<PipelineLayout>,
    /// Flags.
    pub flags: vk::PipelineCreateFlags,
}

/// Nodes for graphs.
pub struct GraphLibrary {
    /// In their order.
    pub stages: Vec<NodeStage>,
}

/// A `VkPipeline` for execution graphs.
pub struct GraphPipeline {
    graph: Graph,
    /// The pipelines of nodes that draw.
    meshes: HashMap<usize, Arc<GraphicsPipeline>>,
    /// Numbers of nodes.
    numbers: BTreeMap<(String, u32), usize>,
    layout: Arc<PipelineLayout>,
    capture: bool,
    pub(super) successor: Successor<GraphPipeline>,
}

/// The scratch memory that a graph asks for: as little as there can be, since it is not used.
pub const SCRATCH_BYTES: u64 = 64;

fn rule(text: impl Into<String>) -> Error {
    Error::misuse(text.into())
}

impl GraphPipeline {
    /// The key of graphs of these nodes (`vkGetPipelineKeyKHR`).
    pub fn key(nodes: &[NodeStage], layout: Option<&PipelineLayout>) -> [u8; 16] {
        let mut stages = Vec::new();
        let names = nodes.iter().map(|node| {
            let mesh = match &node.shader {
                NodeShader::Compute(stage) => {
                    stages.push(stage.clone());
                    None
                }
                NodeShader::Mesh(library) => Some(library.key()),
            };
            (&node.name, node.index, mesh)
        });
        let names: Vec<_> = names.collect();
        let layout = layout.map(|layout| layout.abi(&ShaderOptions::default()));
        binary::pipeline_key(&stages, (names, layout))
    }

    /// Compiles the nodes of a graph.
    ///
    /// # Errors
    /// `VK_ERROR_INVALID_SHADER_NV` for a bad module, `VK_ERROR_FEATURE_NOT_PRESENT` for one that needs what
    /// the compiler lacks, `VK_PIPELINE_COMPILE_REQUIRED` when a node would have to be compiled and must not;
    /// and when nodes do not fit together.
    pub fn new(
        info: GraphPipelineInfo,
        cache: Option<&PipelineCache>,
        device: &DeviceCore,
    ) -> Result<(GraphPipeline, CreationFeedback)> {
        let GraphPipelineInfo { mut nodes, layout, flags } = info;
        let start = Instant::now();
        let fail = vk::PipelineCreateFlags::FAIL_ON_PIPELINE_COMPILE_REQUIRED;
        let session = cache::session(cache, device.backend()).must_not_compile(flags.contains(fail));
        let mut known = Vec::new();
        for node in &mut nodes {
            let (stage, is_mesh) = match &mut node.shader {
                NodeShader::Compute(stage) => {
                    find_words(std::slice::from_mut(stage), &session)?;
                    (&*stage, false)
                }
                NodeShader::Mesh(library) => (mesh_stage(library)?, true),
            };
            let layout = layout.abi(&stage.options);
            let facts = node_info(&compute_request(stage, &layout)?, is_mesh)
                .map_err(|error| compile_error("node", error))?;
            let name = node.name.clone().unwrap_or_else(|| stage.entry_point.clone());
            let index = node.index.or(facts.shader_index).unwrap_or(0);
            known.push(Known { name, index, is_mesh, facts });
        }
        let numbers = numbers(&known)?;
        let names = names(&numbers);
        let targets = known.iter().map(|node| targets(&node.facts, &known, &numbers));
        let targets = targets.collect::<Result<Vec<_>>>()?;
        let mut compiled = Vec::new();
        let mut meshes = HashMap::new();
        for (number, ((node, known), targets)) in nodes.iter().zip(&known).zip(targets).enumerate() {
            let kernel = match &node.shader {
                NodeShader::Compute(stage) => {
                    let layout = layout.abi(&stage.options);
                    let kernel = compile_node_cached(&compute_request(stage, &layout)?, &names, &session);
                    let kernel = kernel.map_err(|error| compile_error("node", error))?;
                    check_limits(kernel.info())?;
                    keep_words(std::slice::from_ref(stage), &session);
                    Some(kernel)
                }
                NodeShader::Mesh(library) => {
                    let mut whole = GraphicsLibrary::empty();
                    whole.link(library)?;
                    for stage in &mut whole.stages {
                        stage.options.node_index = node.index;
                    }
                    whole.layout.get_or_insert_with(|| Arc::clone(&layout));
                    let (pipeline, _) = GraphicsPipeline::new(whole.complete()?, cache, device)?;
                    meshes.insert(number, Arc::new(pipeline));
                    None
                }
            };
            let (facts, index) = (known.facts.clone(), known.index);
            compiled.push(GraphNode { kernel, info: facts, index, sharers: Vec::new(), targets });
        }
        for (number, node) in known.iter().enumerate() {
            let Some(with) = &node.facts.shares_with else { continue };
            let with = numbers.get(with).copied().filter(|&with| with != number);
            if let Some(with) = with {
                compiled[with].sharers.push(number);
            }
        }
        let feedback = CreationFeedback { cache_hit: session.hit(), duration: start.elapsed() };
        let follows_written = nodes.iter().any(|node| match &node.shader {
            NodeShader::Compute(stage) => stage.options.sanitize.contains(Kind::UninitializedVariable),
            NodeShader::Mesh(_) => false,
        });
        let graph = Graph { nodes: compiled, follows_written };
        let capture = captures(flags);
        let successor = Successor::default();
        Ok((GraphPipeline { graph, meshes, numbers, layout, capture, successor }, feedback))
    }

    /// The nodes' code, for tools.
    pub(crate) fn executables(&self) -> Vec<Executable> {
        let executable = |kernel: &Arc<dyn Kernel>| Executable {
            stages: vk::ShaderStageFlags::COMPUTE,
            name: "node",
            description: "A node's shader, for one workgroup at a time",
            kernel: Arc::clone(kernel),
        };
        self.graph.nodes.iter().filter_map(|node| node.kernel.as_ref()).map(executable).collect()
    }

    /// Whether the application wants to see what it was compiled to.
    pub(crate) fn captures(&self) -> bool {
        self.capture
    }

    /// What was made in its place, if anything was.
    pub(crate) fn newest(&self) -> Option<Arc<GraphPipeline>> {
        self.successor.get()
    }

    /// The graph.
    pub(crate) fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Whether nodes draw.
    pub(crate) fn draws(&self) -> bool {
        !self.meshes.is_empty()
    }

    /// The pipeline of a node that draws.
    pub(crate) fn mesh(&self, node: usize) -> Option<&Arc<GraphicsPipeline>> {
        self.meshes.get(&node)
    }

    /// Its layout.
    pub fn layout(&self) -> &Arc<PipelineLayout> {
        &self.layout
    }

    /// The number of a node (`vkGetExecutionGraphPipelineNodeIndexAMDX`).
    ///
    /// # Errors
    /// When there is none of this name and index.
    pub fn node(&self, name: &str, index: u32) -> Result<u32> {
        let number = self.numbers.get(&(name.to_owned(), index)).ok_or_else(|| {
            rule("no such node (VUID-vkGetExecutionGraphPipelineNodeIndexAMDX-executionGraph-09142)")
        })?;
        Ok(*number as u32)
    }

    /// Bytes of a node's payload that commands give.
    fn payload_bytes(&self, node: u32) -> Option<usize> {
        let node = self.graph.nodes.get(node as usize).filter(|node| !node.info.is_internal)?;
        Some(node.info.input.map_or(0, |input| input.bytes as usize))
    }
}

/// What is known of a node.
struct Known {
    name: String,
    index: u32,
    is_mesh: bool,
    facts: NodeInfo,
}

/// The mesh shader of a graphics pipeline that is a node.
fn mesh_stage(library: &GraphicsLibrary) -> Result<&ShaderStage> {
    let stage = library.stages.iter().find(|stage| stage.stage == vk::ShaderStageFlags::MESH_EXT);
    let is_whole = library.parts.contains(Parts::all());
    match stage.filter(|_| library.node.is_some() && is_whole) {
        Some(stage) if !library.stages.iter().any(|one| one.stage == vk::ShaderStageFlags::TASK_EXT) => {
            Ok(stage)
        }
        _ => Err(rule(
            "a graphics pipeline that is not a complete library of a mesh node \
             (VUID-VkExecutionGraphPipelineCreateInfoAMDX-pLibraryInfo-10181, \
             VUID-VkExecutionGraphPipelineCreateInfoAMDX-pLibraryInfo-10183, \
             VUID-VkGraphicsPipelineCreateInfo-flags-10190)",
        )),
    }
}

/// Checks that nodes of a name are alike, and gives the nodes by name and index.
fn numbers(nodes: &[Known]) -> Result<BTreeMap<(String, u32), usize>> {
    let mut numbers = BTreeMap::new();
    let mut first: HashMap<&str, &Known> = HashMap::new();
    for (number, node) in nodes.iter().enumerate() {
        let Known { name, index, facts, .. } = node;
        if numbers.insert((name.clone(), *index), number).is_some() {
            return Err(rule(format!(
                "two nodes '{name}' with the index {index} (VUID-VkExecutionGraphPipelineCreateInfoAMDX-None-09134)"
            )));
        }
        let same = *first.entry(name).or_insert(node);
        let one = &same.facts;
        if same.is_mesh != node.is_mesh {
            return Err(rule(format!(
                "of nodes '{name}' some draw (VUID-VkExecutionGraphPipelineCreateInfoAMDX-None-09136)"
            )));
        }
        let bytes = |facts: &NodeInfo| facts.input.map(|input| input.bytes);
        if bytes(one) != bytes(facts) {
            return Err(rule(format!(
                "nodes '{name}' have payloads of different sizes (VUID-VkExecutionGraphPipelineCreateInfoAMDX-None-09135)"
            )));
        }
        if one.coalesces != facts.coalesces {
            return Err(rule(format!(
                "of nodes '{name}' some coalesce \
                 (VUID-VkExecutionGraphPipelineCreateInfoAMDX-CoalescedInputCountAMDX-09137)"
            )));
        }
        if one.static_workgroups.is_some() != facts.static_workgroups.is_some() {
            return Err(rule(format!(
                "of nodes '{name}' some have a fixed number of workgroups \
                 (VUID-VkExecutionGraphPipelineCreateInfoAMDX-StaticNumWorkgroupsAMDX-09138)"
            )));
        }
    }
    Ok(numbers)
}

/// The indices of each name, as runs.
fn names(numbers: &BTreeMap<(String, u32), usize>) -> NodeNames {
    let mut names = NodeNames::new();
    for (name, index) in numbers.keys() {
        let runs = names.entry(name.clone()).or_default();
        match runs.last_mut() {
            Some([_, last]) if last.checked_add(1) == Some(*index) => *last = *index,
            _ => runs.push([*index; 2]),
        }
    }
    names
}

/// The nodes that a node's outputs are for.
fn targets(
    facts: &NodeInfo,
    nodes: &[Known],
    numbers: &BTreeMap<(String, u32), usize>,
) -> Result<Vec<HashMap<u32, usize>>> {
    let of = |output: &pyro_abi::node::NodeOutput| {
        let all = (output.name.clone(), 0)..=(output.name.clone(), u32::MAX);
        let targets: HashMap<u32, usize> =
            numbers.range(all).map(|((_, index), &number)| (*index, number)).collect();
        for &number in targets.values() {
            let bytes = nodes[number].facts.input.map_or(0, |input| input.bytes);
            if bytes != output.bytes {
                return Err(rule(format!(
                    "a payload of {} bytes for the node '{}', whose payload has {bytes} \
                     (VUID-VkExecutionGraphPipelineCreateInfoAMDX-PayloadNodeNameAMDX-09139)",
                    output.bytes, output.name
                )));
            }
        }
        let size = output.array_size.filter(|_| !output.is_sparse).unwrap_or(0);
        // As many as there are can be there at most.
        if (0..size).take(nodes.len() + 1).any(|index| !targets.contains_key(&index)) {
            return Err(rule(format!(
                "{size} nodes '{}' are named, and not all are there \
                 (VUID-VkExecutionGraphPipelineCreateInfoAMDX-flags-10184)",
                output.name
            )));
        }
        Ok(targets)
    };
    facts.outputs.iter().map(of).collect()
}

/// Payloads for a node, which a command brings with it.
pub struct HostPayloads {
    node: u32,
    count: u32,
    bytes: Box<[u8]>,
}

impl HostPayloads {
    /// The node, how many payloads there are, and all of them one behind the other.
    pub fn parts(&self) -> (u32, u32, &[u8]) {
        (self.node, self.count, &self.bytes)
    }
}

/// What a graph begins with.
pub enum GraphDispatch {
    /// Payloads that were copied when the command was recorded.
    Host(Box<[HostPayloads]>),
    /// `VkDispatchGraphInfoAMDX`s in memory: how many, the first one's address, and how far they lie apart.
    Device {
        /// How many.
        count: u32,
        /// The first one's address.
        infos: u64,
        /// Bytes from one to the next.
        stride: u64,
    },
    /// A `VkDispatchGraphCountInfoAMDX` in memory: its address.
    DeviceCount(u64),
}

/// Bytes of `VkDispatchGraphInfoAMDX`.
const INFO_BYTES: u64 = size_of::<vk::DispatchGraphInfoAMDX>() as u64;
/// Bytes of `VkDispatchGraphCountInfoAMDX`.
const COUNT_INFO_BYTES: u64 = size_of::<vk::DispatchGraphCountInfoAMDX>() as u64;

fn too_many() -> Error {
    rule(
        "more payloads than maxExecutionGraphShaderPayloadCount (VUID-VkDispatchGraphInfoAMDX-payloadCount-09171)",
    )
}

impl GraphPipeline {
    /// The payloads that a command brings for a node. `read` fills bytes with the payload of a number.
    ///
    /// # Errors
    /// When there is no such node for commands, or there are too many payloads.
    pub fn host_payloads(
        &self,
        node: u32,
        count: u32,
        read: impl Fn(usize, &mut [u8]),
    ) -> Result<HostPayloads> {
        let size = self.payload_bytes(node).ok_or_else(|| {
            rule("no node that commands dispatch (VUID-vkCmdDispatchGraphAMDX-pCountInfo-09148)")
        })?;
        if count > PAYLOAD_COUNT_MAX {
            return Err(too_many());
        }
        let mut bytes = vec![0; size * count as usize];
        if size != 0 {
            bytes.chunks_exact_mut(size).enumerate().for_each(|(number, bytes)| read(number, bytes));
        }
        Ok(HostPayloads { node, count, bytes: bytes.into() })
    }

    /// Calls `run` with what a command begins with. Addresses are taken at their word, as those that shaders
    /// follow are.
    pub(crate) fn begin(
        &self,
        memory: DeviceAddresses,
        dispatch: &GraphDispatch,
        run: &mut dyn FnMut(&[GraphInput<'_>]) -> bool,
    ) {
        match dispatch {
            GraphDispatch::Host(all) => {
                let reads: Vec<_> = all
                    .iter()
                    .map(|payloads| {
                        move |number: u64, out: &mut [u8]| {
                            let start = number as usize * out.len();
                            out.copy_from_slice(&payloads.bytes[start..start + out.len()]);
                        }
                    })
                    .collect();
                let inputs: Vec<_> = all
                    .iter()
                    .zip(&reads)
                    .map(|(payloads, read)| GraphInput {
                        node: payloads.node as usize,
                        count: payloads.count.into(),
                        read,
                    })
                    .collect();
                run(&inputs);
            }
            GraphDispatch::Device { count, infos, stride } => {
                self.begin_at(memory, *infos, *count, *stride, run)
            }
            GraphDispatch::DeviceCount(address) => {
                let mut bytes = [0; COUNT_INFO_BYTES as usize];
                memory.range(*address, COUNT_INFO_BYTES).read(0, &mut bytes);
                self.begin_at(memory, wide(&bytes, 8), word(&bytes, 0), wide(&bytes, 16), run);
            }
        }
    }

    /// The bytes of what a command in memory begins with, for those who follow accesses.
    pub(crate) fn followed_inputs(
        &self,
        memory: DeviceAddresses,
        dispatch: &GraphDispatch,
    ) -> Vec<Range<u64>> {
        let mut ranges = Vec::new();
        let (infos, count, stride) = match *dispatch {
            GraphDispatch::Host(_) => return ranges,
            GraphDispatch::Device { count, infos, stride } => (infos, count, stride),
            GraphDispatch::DeviceCount(address) => {
                let mut bytes = [0; COUNT_INFO_BYTES as usize];
                memory.range(address, COUNT_INFO_BYTES).read(0, &mut bytes);
                ranges.push(address..address + COUNT_INFO_BYTES);
                (wide(&bytes, 8), word(&bytes, 0), wide(&bytes, 16))
            }
        };
        for number in 0..u64::from(count) {
            let at = infos.wrapping_add(number.wrapping_mul(stride));
            if at == 0 {
                break;
            }
            let mut bytes = [0; INFO_BYTES as usize];
            memory.range(at, INFO_BYTES).read(0, &mut bytes);
            ranges.push(at..at + INFO_BYTES);
            let (node, count) = (word(&bytes, 0), word(&bytes, 4));
            let (payloads, payload_stride) = (wide(&bytes, 8), wide(&bytes, 16));
            let Some(size) = self.payload_bytes(node) else { continue };
            if size == 0 || payloads == 0 || count > PAYLOAD_COUNT_MAX {
                continue;
            }
            let payload = |number: u64| payloads.wrapping_add(number.wrapping_mul(payload_stride));
            ranges.extend((0..count.into()).map(|number| payload(number)..payload(number) + size as u64));
        }
        ranges
    }

    fn begin_at(
        &self,
        memory: DeviceAddresses,
        infos: u64,
        count: u32,
        stride: u64,
        run: &mut dyn FnMut(&[GraphInput<'_>]) -> bool,
    ) {
        for number in 0..u64::from(count) {
            let at = infos.wrapping_add(number.wrapping_mul(stride));
            if at == 0 {
                return;
            }
            let mut bytes = [0; INFO_BYTES as usize];
            memory.range(at, INFO_BYTES).read(0, &mut bytes);
            let (node, count) = (word(&bytes, 0), word(&bytes, 4));
            let (payloads, payload_stride) = (wide(&bytes, 8), wide(&bytes, 16));
            // What no valid command says is left out.
            if self.payload_bytes(node).is_none() || count > PAYLOAD_COUNT_MAX {
                continue;
            }
            let read = |number: u64, out: &mut [u8]| {
                let at = payloads.wrapping_add(number.wrapping_mul(payload_stride));
                if !out.is_empty() && at != 0 {
                    memory.range(at, out.len() as u64).read(0, out);
                }
            };
            if !run(&[GraphInput { node: node as usize, count: count.into(), read: &read }]) {
                return;
            }
        }
    }
}
