//! What node shaders of execution graphs are called with, and what is known of them.
//!
//! Node functions are functions of workgroups, like those of compute. The workgroup's memory begins with a
//! [`NodeWorkgroup`], behind which its variables lie.
//!
//! # Outputs
//! What a workgroup allocates for other nodes lies in memory of its own, one array behind the other, each
//! with a header of [`ARRAY_HEADER_BYTES`]: the number of its type among [`NodeInfo::outputs`], how many
//! payloads it has, the index of the node, and whether it has been enqueued. Memory is zeros before, so the
//! list ends with an array of no payloads.

use std::collections::BTreeMap;

/// The start of the memory of a node's workgroup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct NodeWorkgroup {
    /// `NumWorkgroups`.
    pub num_workgroups: [u32; 3],
    /// `ShaderIndexAMDX`.
    pub shader_index: u32,
    /// `RemainingRecursionLevelsAMDX`.
    pub remaining_recursion: u32,
    /// Bytes of all input payloads.
    pub input_bytes: u32,
    /// Address of the first input payload.
    pub input: u64,
    /// Address of the outputs, 64-byte aligned.
    pub output: u64,
    /// Bytes that there are for outputs.
    pub output_bytes: u64,
    /// Bytes of outputs that have been asked for; may be more than there are.
    pub output_used: u64,
    /// Address of a `u32`: how many workgroups have not finished writing the input payload. Zero: nobody
    /// asks.
    pub unfinished: u64,
    /// For the shader's own use: where the array lies that the workgroup allocates, in its outputs.
    pub array: u64,
    /// For the shader's own use: whether it was the last to finish.
    pub finished: u32,
    /// `CoalescedInputCountAMDX`.
    pub input_count: u32,
    /// For the sanitizer: address of what says of each byte of the input payloads whether it has been
    /// written. Zero: nobody knows.
    pub input_written: u64,
    /// The same of outputs, as bytes from each to what says so. Zero: nobody asks.
    pub output_written: u64,
}

/// Bytes of [`NodeWorkgroup`]: where a workgroup's variables begin.
pub const NODE_WORKGROUP_BYTES: u32 = 128;
const _: () = assert!(size_of::<NodeWorkgroup>() == NODE_WORKGROUP_BYTES as usize);

/// Bytes in front of an array of output payloads: four `u32`s.
pub const ARRAY_HEADER_BYTES: u32 = 16;
/// Payloads begin at multiples of so many bytes.
pub const PAYLOAD_ALIGNMENT: u32 = 16;
/// `maxExecutionGraphDepth`
pub const GRAPH_DEPTH_MAX: u32 = 32;
/// `maxExecutionGraphShaderOutputNodes`
pub const OUTPUT_NODES_MAX: u32 = 256;
/// `maxExecutionGraphShaderPayloadSize`
pub const PAYLOAD_BYTES_MAX: u32 = 32_768;
/// `maxExecutionGraphShaderPayloadCount`
pub const PAYLOAD_COUNT_MAX: u32 = 1024;
/// `maxExecutionGraphWorkgroupCount`, in each dimension.
pub const NODE_WORKGROUP_COUNT_MAX: u32 = 65_535;
/// `maxExecutionGraphWorkgroups`
pub const NODE_WORKGROUPS_MAX: u32 = (1 << 24) - 1;

/// Byte offsets of the fields, for generated code.
pub mod offset {
    use super::NodeWorkgroup as N;
    use core::mem::offset_of;

    /// [`super::NodeWorkgroup::num_workgroups`].
    pub const NUM_WORKGROUPS: u32 = offset_of!(N, num_workgroups) as u32;
    /// [`super::NodeWorkgroup::shader_index`].
    pub const SHADER_INDEX: u32 = offset_of!(N, shader_index) as u32;
    /// [`super::NodeWorkgroup::remaining_recursion`].
    pub const REMAINING_RECURSION: u32 = offset_of!(N, remaining_recursion) as u32;
    /// [`super::NodeWorkgroup::input_bytes`].
    pub const INPUT_BYTES: u32 = offset_of!(N, input_bytes) as u32;
    /// [`super::NodeWorkgroup::input`].
    pub const INPUT: u32 = offset_of!(N, input) as u32;
    /// [`super::NodeWorkgroup::output`].
    pub const OUTPUT: u32 = offset_of!(N, output) as u32;
    /// [`super::NodeWorkgroup::output_bytes`].
    pub const OUTPUT_BYTES: u32 = offset_of!(N, output_bytes) as u32;
    /// [`super::NodeWorkgroup::output_used`].
    pub const OUTPUT_USED: u32 = offset_of!(N, output_used) as u32;
    /// [`super::NodeWorkgroup::unfinished`].
    pub const UNFINISHED: u32 = offset_of!(N, unfinished) as u32;
    /// [`super::NodeWorkgroup::array`].
    pub const ARRAY: u32 = offset_of!(N, array) as u32;
    /// [`super::NodeWorkgroup::finished`].
    pub const FINISHED: u32 = offset_of!(N, finished) as u32;
    /// [`super::NodeWorkgroup::input_count`].
    pub const INPUT_COUNT: u32 = offset_of!(N, input_count) as u32;
    /// [`super::NodeWorkgroup::input_written`].
    pub const INPUT_WRITTEN: u32 = offset_of!(N, input_written) as u32;
    /// [`super::NodeWorkgroup::output_written`].
    pub const OUTPUT_WRITTEN: u32 = offset_of!(N, output_written) as u32;
}

/// Which nodes a graph has: for each name the indices, as sorted runs of the first and the last.
pub type NodeNames = BTreeMap<String, Vec<[u32; 2]>>;

/// Where a payload says how many workgroups it is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PayloadGroups {
    /// Bytes from the payload's start.
    pub offset: u32,
    /// Bytes of each number: 1, 2 or 4.
    pub component_bytes: u32,
    /// Numbers: x, then y, then z; those that are missing are 1.
    pub count: u32,
}

/// The payload that a node takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeInput {
    /// Bytes.
    pub bytes: u32,
    /// Bytes from one to the next, where several lie side by side.
    pub stride: u32,
    /// Where it says how many workgroups there are.
    pub groups: Option<PayloadGroups>,
    /// Workgroups may ask whether all have finished writing it (`TrackFinishWritingAMDX`).
    pub tracks_finish: bool,
}

/// Payloads that a node allocates for others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeOutput {
    /// The name of the nodes that they are for (`PayloadNodeNameAMDX`).
    pub name: String,
    /// One past the greatest index of these, where it is said (`PayloadNodeArraySizeAMDX`).
    pub array_size: Option<u32>,
    /// Not all of these need to be there (`PayloadNodeSparseArrayAMDX`).
    pub is_sparse: bool,
    /// Payloads of a workgroup at most (`NodeMaxPayloadsAMDX`).
    pub max_count: u32,
    /// Bytes of one.
    pub bytes: u32,
    /// Bytes from one to the next.
    pub stride: u32,
}

/// What is known of a node's shader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeInfo {
    /// `ShaderIndexAMDX`, where it is said.
    pub shader_index: Option<u32>,
    /// Each invocation is for a payload of its own (`CoalescingAMDX`).
    pub coalesces: bool,
    /// `StaticNumWorkgroupsAMDX`
    pub static_workgroups: Option<[u32; 3]>,
    /// `MaxNumWorkgroupsAMDX`
    pub max_workgroups: Option<[u32; 3]>,
    /// `MaxNodeRecursionAMDX`
    pub max_recursion: u32,
    /// It cannot be dispatched by commands (`IsApiEntryAMDX`).
    pub is_internal: bool,
    /// The node with which it shares its input (`SharesInputWithAMDX`).
    pub shares_with: Option<(String, u32)>,
    /// What it takes.
    pub input: Option<NodeInput>,
    /// What it makes, by the numbers in headers.
    pub outputs: Vec<NodeOutput>,
    /// Bytes that the outputs of one workgroup take at most, a multiple of 64.
    pub output_bytes: u32,
}
