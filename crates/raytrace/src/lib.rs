//! Acceleration structures: how they are built, kept and traversed.
//!
//! A [`AccelerationStructure`] is what a `VkAccelerationStructureKHR` stands for: a place at a device
//! address, whose [`Content`] a build, a copy or a deserialization puts there. Contents never change once
//! they are made, and lie in memory of our own rather than in the application's buffer, so nothing that an
//! application writes anywhere can lead a traversal astray; a copy shares them. The registry
//! ([`acceleration_structure::find`]) knows the structures by their device addresses.
//!
//! A content is a tree of nodes with eight children ([`node`]), built by the surface area heuristic
//! ([`build`]). A leaf of a bottom-level structure is a block of up to eight triangles or spheres
//! ([`sphere`]), or one box, a leaf of a top-level structure one instance.
//!
//! Vertices and instances may move ([`motion`]); triangles may be opaque in parts ([`micromap`]). Structures
//! may be made of clusters of triangles, whose trees they share ([`cluster`]), or of instances that commands
//! change by their indices ([`partition`]).
//!
//! [`traverse`] follows one ray, whose state (`pyro_abi::ray::RayState`) says where to go on, so a traversal
//! stops at each candidate and goes on when somebody has decided about it. [`query`] does so for the ray
//! queries of a shader's lanes.
//!
//! Boxes and triangles are tested eight at a time ([`vector`]), with the same single operations on every
//! processor, so the results are the same bits.
#![deny(unsafe_code)]

pub mod acceleration_structure;
pub mod build;
pub mod build_reads;
pub mod check;
pub mod cluster;
pub mod dense;
pub mod input;
pub mod math;
pub mod micromap;
pub mod motion;
pub mod node;
pub mod partition;
pub mod place;
pub mod query;
pub mod serial;
pub mod sphere;
pub mod traverse;
mod vector;

pub use acceleration_structure::{AccelerationStructure, Content, Kind};
pub use input::{BuildRange, Geometry, GeometryFlags, Instances, Spheres, Triangles, VertexFormat};
pub use micromap::{Micromap, MicromapInput, OpacityMap};
pub use traverse::Step;

/// Runs a function for each number below a count, on as many threads as there are.
pub trait Workers: Sync {
    /// Calls `part` once for each number below `count`, in any order; returns when all have ended.
    fn run(&self, count: u64, part: &(dyn Fn(u64) + Sync));
}

/// The calling thread alone.
#[derive(Clone, Copy, Debug)]
pub struct OneThread;

impl Workers for OneThread {
    fn run(&self, count: u64, part: &(dyn Fn(u64) + Sync)) {
        (0..count).for_each(part);
    }
}
