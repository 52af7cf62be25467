//! The driver through its API, in this process: objects, memory, descriptors, compute, rays.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // every Vulkan call is unsafe; handles are made here and alive

mod binaries;
mod caches;
mod capture_addresses;
mod captures;
mod command_arguments;
mod cooperative;
mod cooperative_arrays;
mod cooperative_flexible;
mod cooperative_loops;
mod cooperative_vector;
mod cuda;
mod data_graphs;
mod decompression;
mod deep_frames;
mod degamma;
mod descriptor_buffers;
mod descriptors;
mod device_address_commands;
mod execution_graphs;
mod extension_commands;
#[cfg(target_os = "linux")]
mod external_images;
mod generated_commands;
mod generated_streams;
mod groups;
mod handles;
mod heaps;
mod hints;
mod indirect_copies;
mod instrumentation;
mod known_handles;
mod maintenance11;
mod memory_extensions;
mod modules;
mod object_flags;
mod objects;
mod padded_formats;
mod pass_feedback;
mod performance_hints;
mod performance_queries;
mod poison;
mod processing;
mod property_structs;
mod push_banks;
mod queues;
mod ray_calls;
mod ray_pipelines;
mod rays;
mod registry_facts;
mod reloads;
#[path = "../replayed/mod.rs"]
mod replayed;
mod revisions;
mod robustness;
mod scheduling;
mod services;
mod small_floats;
mod sparse;
mod sparse_space;
mod split_barriers;
mod tensors;
mod tile_memory;
#[path = "../traced/mod.rs"]
mod traced;
mod versions;
