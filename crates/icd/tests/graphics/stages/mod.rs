//! The stages of graphics pipelines as an application sees them: their built-ins and interfaces, the state
//! around them, and what they read of what they draw to. Pipelines and shader objects must do the same.

mod assembly;
mod attachments;
mod cluster;
mod commands;
mod custom_resolve;
mod fragment;
mod geometry;
mod interface;
mod mesh;
mod mixed_samples;
mod passthrough;
mod quads;
mod rates;
mod rectangles;
mod samples;
mod shading_rate_image;
mod single_sampled;
mod states;
mod subpass;
mod tessellation;
mod tiles;
mod vertex;
mod viewports;
