//! What is wrong with what structures are built from, for applications that ask
//! (`VK_NV_ray_tracing_validation`): builds leave such primitives out, or take them as they are, and nobody
//! above the driver sees them, as they lie in device memory.

use crate::Workers;
use crate::input::{
    BuildRange, Geometry, Instances, Resolve, Spheres, Triangles, collect, load_motion, place_of,
};
use crate::math::{Affine, inverse};
use crate::motion::Motion;
use pyro_abi::Memory;
use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};

/// A kind of problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// An index is above `maxVertex`.
    Index,
    /// Coordinates are NaN, other than the first one, which alone makes a primitive inactive.
    NotANumber,
    /// Coordinates, or radii, are infinite.
    Infinite,
    /// A radius is negative.
    Radius,
    /// A box ends before it begins.
    Box,
    /// The matrix of triangles or of an instance has no inverse.
    Transform,
    /// An instance names no structure that is there.
    Reference,
    /// An instance has no address, or moves in no way that there is.
    Instance,
}

impl Problem {
    const ALL: [Problem; 8] = [
        Problem::Index,
        Problem::NotANumber,
        Problem::Infinite,
        Problem::Radius,
        Problem::Box,
        Problem::Transform,
        Problem::Reference,
        Problem::Instance,
    ];
}

impl fmt::Display for Problem {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Problem::Index => "an index above maxVertex",
            Problem::NotANumber => "NaN in other places than the first coordinate: the results are undefined",
            Problem::Infinite => "infinite coordinates or radii",
            Problem::Radius => "a negative radius",
            Problem::Box => {
                "a side that ends before it begins (VUID-VkAabbPositionsKHR-minX-03546 and those that follow)"
            }
            Problem::Transform => "a matrix without an inverse (VUID-VkTransformMatrixKHR-matrix-03799)",
            Problem::Reference => "a reference to no acceleration structure",
            Problem::Instance => "no address, or a type of motion that does not exist",
        })
    }
}

/// Primitives of a geometry that have the same problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The geometry's number; `None`: of instances.
    pub geometry: Option<u32>,
    /// How many primitives have it.
    pub count: u32,
    /// The first one's number.
    pub first: u32,
    /// What they have.
    pub problem: Problem,
}

impl fmt::Display for Finding {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.geometry.is_some() { "primitive" } else { "instance" };
        write!(to, "{} {what}s have {}; the first is {what} {}", self.count, self.problem, self.first)?;
        self.geometry.map_or(Ok(()), |geometry| write!(to, " of geometry {geometry}"))
    }
}

/// Looks at so many primitives.
fn look(
    geometry: Option<u32>,
    count: u32,
    workers: &dyn Workers,
    problem: &(dyn Fn(u32) -> Option<Problem> + Sync),
    to: &mut Vec<Finding>,
) {
    let tally = Problem::ALL.map(|_| (AtomicU32::new(0), AtomicU32::new(u32::MAX)));
    let read = |primitive: u32| -> Option<()> {
        let (count, first) = &tally[problem(primitive)? as usize];
        count.fetch_add(1, Ordering::Relaxed);
        first.fetch_min(primitive, Ordering::Relaxed);
        None
    };
    collect(count, workers, &read, &mut Vec::new());
    for (problem, (count, first)) in Problem::ALL.into_iter().zip(tally) {
        let (count, first) = (count.into_inner(), first.into_inner());
        if count != 0 {
            to.push(Finding { geometry, count, first, problem });
        }
    }
}

/// What is wrong with numbers none of which may be NaN.
fn numbers(values: &[f32]) -> Option<Problem> {
    if values.iter().any(|value| value.is_nan()) {
        return Some(Problem::NotANumber);
    }
    values.iter().any(|value| value.is_infinite()).then_some(Problem::Infinite)
}

fn has_inverse(map: &Affine) -> bool {
    inverse(map).as_flattened().iter().chain(map.as_flattened()).all(|value| value.is_finite())
}

fn triangles(
    data: &Triangles,
    number: u32,
    (memory, range): (Memory, BuildRange),
    workers: &dyn Workers,
    to: &mut Vec<Finding>,
) {
    let (indices, vertices, ends) = data.places(range);
    let problem = |primitive: u32| {
        let mut found = None;
        for corner in 0..3 {
            let index = data.index(memory, indices, 3 * u64::from(primitive) + corner);
            if data.index_bytes != 0 && index > u64::from(data.max_vertex) {
                return Some(Problem::Index);
            }
            for vertices in [Some(vertices), ends].into_iter().flatten() {
                let vertex = data.vertex(memory, vertices, index + u64::from(range.first_vertex));
                if vertex[0].is_nan() {
                    return None;
                }
                found = found.or(numbers(&vertex));
            }
        }
        found
    };
    look(Some(number), range.primitive_count, workers, &problem, to);
    if data.transform(memory, range).is_some_and(|map| !has_inverse(&map)) {
        let (geometry, count) = (Some(number), range.primitive_count);
        to.push(Finding { geometry, count, first: 0, problem: Problem::Transform });
    }
}

fn boxes(
    (data, stride): (u64, u64),
    number: u32,
    (memory, range): (Memory, BuildRange),
    workers: &dyn Workers,
    to: &mut Vec<Finding>,
) {
    let data = data.wrapping_add(range.primitive_offset.into());
    let problem = |primitive: u32| {
        let at = data.wrapping_add(u64::from(primitive).wrapping_mul(stride));
        let sides =
            [0, 1, 2, 3, 4, 5].map(|side: u64| f32::from_bits(memory.load(at.wrapping_add(4 * side))));
        if sides[0].is_nan() {
            return None;
        }
        // Sides without an end are those of a box that is everywhere.
        if sides.iter().any(|side| side.is_nan()) {
            return Some(Problem::NotANumber);
        }
        (0..3).any(|axis| sides[axis] > sides[axis + 3]).then_some(Problem::Box)
    };
    look(Some(number), range.primitive_count, workers, &problem, to);
}

fn spheres(
    data: &Spheres,
    number: u32,
    (memory, range): (Memory, BuildRange),
    workers: &dyn Workers,
    to: &mut Vec<Finding>,
) {
    let problem = |primitive: u32| {
        let sphere = data.sphere(memory, 0, range, primitive);
        let values = sphere.centers.as_flattened().iter().chain(&sphere.radii);
        // Any NaN makes one inactive.
        if values.clone().any(|value| value.is_nan()) {
            return None;
        }
        if values.clone().any(|value| value.is_infinite()) {
            return Some(Problem::Infinite);
        }
        sphere.radii.iter().any(|&radius| radius < 0.0).then_some(Problem::Radius)
    };
    look(Some(number), range.primitive_count, workers, &problem, to);
}

/// What is wrong with the geometries of a bottom-level structure.
pub fn check_bottom(
    memory: Memory,
    geometries: &[(Geometry, BuildRange)],
    workers: &dyn Workers,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, (geometry, range)) in (0..).zip(geometries) {
        let from = (memory, *range);
        match geometry {
            Geometry::Triangles(data, _) => triangles(data, number, from, workers, &mut findings),
            Geometry::Boxes(data, stride, _) => {
                boxes((*data, *stride), number, from, workers, &mut findings);
            }
            // Blocks have no numbers that make no sense: what cannot be is inactive.
            Geometry::Dense(_) => {}
            Geometry::Spheres(data, _) => spheres(data, number, from, workers, &mut findings),
        }
    }
    findings
}

/// What is wrong with the instances of a top-level structure; `resolve`, called by `readers`, finds the
/// structure that a reference names.
pub fn check_top(
    memory: Memory,
    instances: Instances,
    range: BuildRange,
    (resolve, readers): (Resolve<'_>, &dyn Workers),
) -> Vec<Finding> {
    let data = instances.data.wrapping_add(range.primitive_offset.into());
    let problem = |index: u32| {
        let place = place_of(memory, &instances, data, index);
        let Some((transform, motion, rest)) = place.and_then(|place| load_motion(memory, place)) else {
            return Some(Problem::Instance);
        };
        let end = match motion.as_deref() {
            Some(Motion::Matrix(end)) => Some(end),
            _ => None,
        };
        match memory.load::<u64>(rest.wrapping_add(8)) {
            0 => None,
            reference if resolve(reference).is_none() => Some(Problem::Reference),
            _ => (!end.into_iter().chain([&transform]).all(has_inverse)).then_some(Problem::Transform),
        }
    };
    let mut findings = Vec::new();
    look(None, range.primitive_count, readers, &problem, &mut findings);
    findings
}
