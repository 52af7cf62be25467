//! Modules of many shapes and any size, and how the time and memory to compile them grow with the size.
//!
//! # Problem
//! Compilation must take time and memory that are about proportional to a module's size, whatever
//! its shape. What is quadratic is found neither by ordinary shaders nor by random ones, which are small.
//!
//! # Approach
//! A [`Shape`] makes a module of any size `n` that repeats one thing: cases of a switch, values
//! alive at once, conditionals inside one another. [`measure`] compiles it step by step. The program prints a
//! table of the times of sizes n, 10 n and 100 n; the tests compare two small sizes.
#![forbid(unsafe_code)]

mod control;
mod data;
pub mod measure;
mod operations;
pub mod text;

use control as c;
use data as d;
use operations as o;
use text::Text;

/// One way to make a module large.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Its name.
    pub name: &'static str,
    /// The module of this size.
    pub make: fn(usize) -> Text,
    /// The largest size that the limits of SPIR-V and the driver allow.
    pub size_max: usize,
}

/// Levels of control flow that SPIR-V allows.
const NESTING: usize = 1023;
/// Members of a structure that SPIR-V allows.
const MEMBERS: usize = 16_383;
/// Levels of structures in one another that SPIR-V allows.
const STRUCTURES: usize = 255;
/// Cases of a switch that fit an instruction.
const CASES: usize = 32_000;
/// Variables of an interface that fit an instruction.
const VARIABLES: usize = 60_000;
/// Arrays of 16 words that fit the workgroup's memory.
const SHARED_ARRAYS: usize = 16_000;
/// Locations of a stage's interface that the driver has.
const LOCATIONS: usize = 128;
/// Calls in one another that the driver allows.
const CALLS: usize = 1000;
/// Vectors of four of a value that the driver allows.
const PAYLOAD: usize = 4096;
/// Nothing but the number of ids limits the size.
const ANY: usize = usize::MAX;

/// All shapes.
pub const SHAPES: &[Shape] = &[
    Shape { name: "straight", make: d::straight, size_max: ANY },
    Shape { name: "live_loads", make: d::live_loads, size_max: ANY },
    Shape { name: "live_products", make: d::live_products, size_max: ANY },
    Shape { name: "live_across_loop", make: d::live_across_loop, size_max: ANY },
    Shape { name: "selects", make: d::selects, size_max: ANY },
    Shape { name: "constants", make: d::constants, size_max: ANY },
    Shape { name: "constant_array", make: d::constant_array, size_max: CASES },
    Shape { name: "nested_constants", make: d::nested_constants, size_max: ANY },
    Shape { name: "spec_constants", make: d::spec_constants, size_max: ANY },
    Shape { name: "types", make: d::types, size_max: ANY },
    Shape { name: "members", make: d::members, size_max: MEMBERS },
    Shape { name: "buffer_members", make: d::buffer_members, size_max: MEMBERS },
    Shape { name: "nested_structures", make: d::nested_structures, size_max: STRUCTURES },
    Shape { name: "local_arrays", make: d::local_arrays, size_max: ANY },
    Shape { name: "promoted_arrays", make: d::promoted_arrays, size_max: ANY },
    Shape { name: "initialized_arrays", make: d::initialized_arrays, size_max: ANY },
    Shape { name: "indexed_array", make: d::indexed_array, size_max: ANY },
    Shape { name: "shared_variables", make: d::shared_variables, size_max: VARIABLES },
    Shape { name: "private_variables", make: d::private_variables, size_max: VARIABLES },
    Shape { name: "buffers", make: d::buffers, size_max: VARIABLES },
    Shape { name: "inputs", make: d::inputs, size_max: LOCATIONS },
    Shape { name: "outputs", make: o::outputs, size_max: LOCATIONS },
    Shape { name: "payload", make: d::payload, size_max: PAYLOAD },
    Shape { name: "rays", make: d::rays, size_max: ANY },
    Shape { name: "access_chains", make: d::access_chains, size_max: ANY },
    Shape { name: "dependent_loads", make: d::dependent_loads, size_max: ANY },
    Shape { name: "stores", make: d::stores, size_max: ANY },
    Shape { name: "copies", make: d::copies, size_max: ANY },
    Shape { name: "live_arrays", make: d::live_arrays, size_max: ANY },
    Shape { name: "copied_arrays", make: d::copied_arrays, size_max: ANY },
    Shape { name: "shared_arrays", make: d::shared_arrays, size_max: SHARED_ARRAYS },
    Shape { name: "entry_points", make: o::entry_points, size_max: ANY },
    Shape { name: "shuffles", make: o::shuffles, size_max: ANY },
    Shape { name: "insertions", make: d::insertions, size_max: ANY },
    Shape { name: "nested_ifs", make: c::nested_ifs, size_max: NESTING },
    Shape { name: "nested_loops", make: c::nested_loops, size_max: NESTING },
    Shape { name: "switch", make: c::switch, size_max: CASES },
    Shape { name: "switch_scattered", make: c::switch_scattered, size_max: CASES },
    Shape { name: "switch_phi", make: c::switch_phi, size_max: CASES },
    Shape { name: "switch_fall_through", make: c::switch_fall_through, size_max: CASES },
    Shape { name: "switch_uniform", make: c::switch_uniform, size_max: CASES },
    Shape { name: "switch_few_targets", make: c::switch_few_targets, size_max: CASES },
    Shape { name: "sequential_ifs", make: c::sequential_ifs, size_max: ANY },
    Shape { name: "sequential_uniform_ifs", make: c::sequential_uniform_ifs, size_max: ANY },
    Shape { name: "sequential_loops", make: c::sequential_loops, size_max: ANY },
    Shape { name: "breaks", make: c::breaks, size_max: ANY },
    Shape { name: "continues", make: c::continues, size_max: ANY },
    Shape { name: "returns", make: c::returns, size_max: ANY },
    Shape { name: "kills", make: c::kills, size_max: ANY },
    Shape { name: "unreachable_blocks", make: c::unreachable_blocks, size_max: ANY },
    Shape { name: "phi_web", make: c::phi_web, size_max: ANY },
    Shape { name: "if_phis", make: c::if_phis, size_max: ANY },
    Shape { name: "assigned_variables", make: c::assigned_variables, size_max: ANY },
    Shape { name: "functions", make: c::functions, size_max: ANY },
    Shape { name: "call_depth", make: c::call_depth, size_max: CALLS },
    Shape { name: "call_fan_out", make: c::call_fan_out, size_max: ANY },
    Shape { name: "barriers", make: c::barriers, size_max: ANY },
    Shape { name: "fetches", make: o::fetches, size_max: ANY },
    Shape { name: "samples", make: o::samples, size_max: ANY },
    Shape { name: "atomics", make: o::atomics, size_max: ANY },
    Shape { name: "reductions", make: o::reductions, size_max: ANY },
    Shape { name: "matrices", make: o::matrices, size_max: ANY },
    Shape { name: "functions_of_numbers", make: o::functions_of_numbers, size_max: ANY },
    Shape { name: "divisions", make: o::divisions, size_max: ANY },
    Shape { name: "names", make: o::names, size_max: ANY },
    Shape { name: "decorations", make: o::decorations, size_max: ANY },
    Shape { name: "decoration_groups", make: o::decoration_groups, size_max: ANY },
];

/// The shape of this name.
#[must_use]
pub fn shape(name: &str) -> Option<&'static Shape> {
    SHAPES.iter().find(|shape| shape.name == name)
}
