//! The stages of graphics pipelines as an application sees them: their built-ins and interfaces, the state around them,
//! and what they read of what they draw to. Pipelines and shader objects must do the same.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)] // every Vulkan call is; handles are made here and alive

#[path = "../support/compute.rs"]
mod compute;
#[path = "../support/scene.rs"]
mod scene;
#[path = "../support/mod.rs"]
mod support;

mod assembly;
mod attachments;
mod commands;
mod fragment;
mod geometry;
mod interface;
mod mesh;
mod passthrough;
mod quads;
mod rates;
mod samples;
mod states;
mod subpass;
mod tessellation;
mod vertex;
mod viewports;

use support::InProcess;
