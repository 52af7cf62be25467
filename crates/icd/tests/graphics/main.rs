//! The driver through its API, in this process: images, pipelines of graphics, pictures.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // every Vulkan call is unsafe; handles are made here and alive

mod addressed_canvas;
mod captures;
mod corner_sampled;
mod draw_extensions;
mod draw_features;
mod draws;
mod draws_by_address;
mod dynamic_states;
mod features;
mod footprints;
mod gather_levels;
mod generated_commands;
mod generated_streams;
mod hints;
mod hostile_draws;
mod hostile_texels;
mod images;
mod limits;
mod overlapped_draws;
mod pass_features;
mod present_timing;
mod progress;
mod pvrtc;
mod region_counters;
mod reloads;
#[path = "../replayed/mod.rs"]
mod replayed;
mod rotated_copies;
mod shader_objects;
mod sparse_attachments;
mod sparse_samples;
mod stages;
mod texel_levels;
mod textures;
#[path = "../traced/mod.rs"]
mod traced;
mod transform_feedback;
mod turned_layers;
mod turned_passes;
mod view_areas;
