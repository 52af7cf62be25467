//! The commands, one function each, named as the command without `vk` in snake case.
//!
//! A body turns handles into objects and structures into arguments, calls `pyro-driver`, and turns the result
//! into a `VkResult`. Its parameters are the command's, where a command with pointers has what they point at
//! ([`pointers`](crate::pointers)); handles are checked by [`handle`](crate::handle). What remains of the
//! command's contract ("Valid Usage") are pointers that are valid under a condition: each is read in an
//! `unsafe` block that names the rule.

pub(crate) mod acceleration_structure;
pub(crate) mod binary;
pub(crate) mod checkpoint;
pub(crate) mod cluster;
pub(crate) mod command;
pub(crate) mod command2;
pub(crate) mod cooperative;
pub(crate) mod cuda;
pub(crate) mod data_graph;
pub(crate) mod debug;
pub(crate) mod debug_marker;
pub(crate) mod descriptor;
pub(crate) mod descriptor_buffer;
pub(crate) mod device;
pub(crate) mod device_address;
pub(crate) mod draw;
pub(crate) mod engines;
pub(crate) mod execution_graph;
pub(crate) mod external;
pub(crate) mod follow;
pub(crate) mod generated;
pub(crate) mod generated_nv;
pub(crate) mod graphics;
pub(crate) mod heap;
pub(crate) mod host_copy;
pub(crate) mod image;
pub(crate) mod instance;
pub(crate) mod instrumentation;
pub(crate) mod memory;
pub(crate) mod memory_report;
pub(crate) mod micromap;
pub(crate) mod module;
pub(crate) mod object;
pub(crate) mod objects;
pub(crate) mod partitioned;
pub(crate) mod performance;
pub(crate) mod pipeline;
pub(crate) mod present;
pub(crate) mod private_data;
pub(crate) mod ray_tracing_nv;
pub(crate) mod raytrace;
pub(crate) mod render;
pub(crate) mod sparse;
pub(crate) mod state;
pub(crate) mod sync;
pub(crate) mod tensor;
pub(crate) mod tile;
pub(crate) mod tools;
pub(crate) mod transfer;
pub(crate) mod transform_feedback;

#[rustfmt::skip]
pub(crate) use {
    acceleration_structure::*,
    binary::*,
    checkpoint::*,
    cluster::*,
    command::*,
    command2::*,
    cooperative::*,
    cuda::*,
    data_graph::*,
    debug::*,
    debug_marker::*,
    descriptor::*,
    descriptor_buffer::*,
    device::*,
    device_address::*,
    draw::*,
    execution_graph::*,
    external::*,
    external::sync::*,
    external::win32::*,
    generated::*,
    generated_nv::*,
    heap::*,
    host_copy::*,
    image::*,
    instance::*,
    instrumentation::*,
    memory::*,
    micromap::*,
    module::*,
    object::*,
    partitioned::*,
    performance::*,
    pipeline::*,
    present::*,
    present::progress::*,
    present::timing::*,
    private_data::*,
    ray_tracing_nv::*,
    raytrace::*,
    render::*,
    sparse::*,
    state::*,
    sync::*,
    tensor::*,
    tile::*,
    tools::*,
    transfer::*,
    transform_feedback::*,
};
