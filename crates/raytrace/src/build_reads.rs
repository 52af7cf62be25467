//! Which bytes of the application's memory a build reads, for those who follow accesses.
//!
//! As [`crate::input`] reads them: bytes of vertices and boxes, not what lies between them. Builds of more
//! than [`PRIMITIVES_MAX`] primitives are told as far as their transform and indices.

use crate::dense::DenseTriangles;
use crate::input::{BuildRange, Geometry, Instances, Spheres, SweptSpheres, Triangles, instance_bytes};
use crate::micromap::MicromapInput;
use pyro_abi::Memory;
use std::collections::BTreeSet;
use std::ops::Range;

/// Primitives whose data is looked at one by one.
const PRIMITIVES_MAX: u32 = 1 << 16;
/// Bytes of the matrix of a geometry.
const TRANSFORM_BYTES: u64 = 48;
/// Bytes of a `VkMicromapTriangleKHR`.
const MICROMAP_TRIANGLE_BYTES: u64 = 8;
/// Bytes of a box.
const BOX_BYTES: u64 = 24;

/// Elements of the same size, by their numbers.
pub(crate) fn elements(start: u64, stride: u64, bytes: u64, mut numbers: Vec<u64>) -> Vec<Range<u64>> {
    numbers.sort_unstable();
    numbers.dedup();
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for number in numbers {
        let first = start.wrapping_add(number.wrapping_mul(stride));
        let range = first..first.wrapping_add(bytes);
        match ranges.last_mut() {
            Some(last) if (last.start..=last.end).contains(&range.start) => {
                last.end = last.end.max(range.end)
            }
            _ => ranges.push(range),
        }
    }
    ranges
}

/// An index of so many bytes.
fn index(memory: Memory, at: u64, bytes: u32) -> u64 {
    match bytes {
        1 => memory.load::<u8>(at).into(),
        2 => memory.load::<u16>(at).into(),
        _ => memory.load::<u32>(at).into(),
    }
}

fn triangles(triangles: &Triangles, memory: Memory, range: BuildRange) -> Vec<Range<u64>> {
    let mut ranges = Vec::new();
    if triangles.transform != 0 {
        let start = triangles.transform.wrapping_add(range.transform_offset.into());
        ranges.push(start..start + TRANSFORM_BYTES);
    }
    let (count, offset) = (3 * u64::from(range.primitive_count), u64::from(range.primitive_offset));
    let (indices, index_bytes) = (triangles.indices.wrapping_add(offset), triangles.index_bytes);
    if index_bytes != 0 {
        ranges.push(indices..indices + count * u64::from(index_bytes));
    }
    if range.primitive_count > PRIMITIVES_MAX {
        return ranges;
    }
    let numbers = (0..count).map(|place| match index_bytes {
        0 => place,
        _ => index(memory, indices + place * u64::from(index_bytes), index_bytes),
    });
    let is_there = |&number: &u64| index_bytes == 0 || number <= triangles.max_vertex.into();
    let numbers: Vec<u64> =
        numbers.filter(is_there).map(|number| number + u64::from(range.first_vertex)).collect();
    let data_offset = if index_bytes == 0 { offset } else { 0 };
    let bytes = triangles.format.component.bytes() * u64::from(triangles.format.count.min(3));
    for vertices in [triangles.vertices, triangles.end_vertices].into_iter().filter(|&start| start != 0) {
        let start = vertices.wrapping_add(data_offset);
        ranges.extend(elements(start, triangles.stride, bytes, numbers.clone()));
    }
    ranges
}

fn spheres(spheres: &Spheres, memory: Memory, range: BuildRange) -> Vec<Range<u64>> {
    let offset = u64::from(range.primitive_offset);
    let ends = if let Some(SweptSpheres::List { .. }) = spheres.swept { 2 } else { 1 };
    let count = ends * u64::from(range.primitive_count);
    let (indices, index_bytes) = (spheres.indices.wrapping_add(offset), spheres.index_bytes);
    let mut ranges = Vec::new();
    if range.primitive_count > PRIMITIVES_MAX {
        return ranges;
    }
    let mut numbers: Vec<u64> = (0..count).collect();
    if index_bytes != 0 {
        let places = numbers.clone();
        ranges = elements(indices, spheres.index_stride, index_bytes.into(), places);
        let at = |place: u64| indices.wrapping_add(place.wrapping_mul(spheres.index_stride));
        numbers.iter_mut().for_each(|number| *number = index(memory, at(*number), index_bytes));
    }
    if let Some(SweptSpheres::Successive { .. }) = spheres.swept {
        // The second end is the next one.
        numbers.extend(numbers.clone().into_iter().map(|number| number + 1));
    }
    numbers.iter_mut().for_each(|number| *number += u64::from(range.first_vertex));
    let data_offset = if index_bytes == 0 { offset } else { 0 };
    let bytes = spheres.format.component.bytes() * u64::from(spheres.format.count.min(3));
    let (centers, radii) = (spheres.centers, spheres.radii);
    let centers = (centers, spheres.center_stride, bytes);
    let radii = (radii, spheres.radius_stride, spheres.radius.bytes());
    for (start, stride, bytes) in [centers, radii] {
        ranges.extend(elements(start.wrapping_add(data_offset), stride, bytes, numbers.clone()));
    }
    ranges
}

/// What a build reads of a geometry.
pub fn of_geometry(geometry: &Geometry, memory: Memory, range: BuildRange) -> Vec<Range<u64>> {
    match geometry {
        Geometry::Triangles(data, _) => triangles(data, memory, range),
        Geometry::Spheres(data, _) => spheres(data, memory, range),
        Geometry::Dense(data) => vec![data.bytes()],
        Geometry::Boxes(..) if range.primitive_count > PRIMITIVES_MAX => Vec::new(),
        Geometry::Boxes(data, stride, _) => {
            let start = data.wrapping_add(range.primitive_offset.into());
            elements(start, *stride, BOX_BYTES, (0..range.primitive_count.into()).collect())
        }
    }
}

/// What a build reads of instances, and the addresses of the structures that they name.
pub fn of_instances(
    instances: &Instances,
    memory: Memory,
    range: BuildRange,
) -> (Vec<Range<u64>>, BTreeSet<u64>) {
    let (mut ranges, mut structures): (Vec<Range<u64>>, _) = (Vec::new(), BTreeSet::new());
    if range.primitive_count > PRIMITIVES_MAX {
        return (ranges, structures);
    }
    let data = instances.data.wrapping_add(range.primitive_offset.into());
    for index in 0..range.primitive_count {
        let Some((bytes, structure)) = instance_bytes(memory, instances, data, index) else { continue };
        structures.insert(structure);
        match ranges.last_mut() {
            Some(last) if last.end == bytes.start => last.end = bytes.end,
            _ => ranges.push(bytes),
        }
    }
    // Zero is no structure.
    structures.remove(&0);
    if instances.are_pointers && range.primitive_count > 0 {
        ranges.push(data..data + 8 * u64::from(range.primitive_count));
    }
    (ranges, structures)
}

/// What a build of triangles reads of their micromap's indices, and the address of the micromap.
pub fn of_micromap_indices(geometry: &Geometry, range: BuildRange) -> (Vec<Range<u64>>, Option<u64>) {
    let map = match geometry {
        Geometry::Triangles(Triangles { opacity_map: Some(map), .. }, _) => map,
        // Blocks say which indices are read.
        Geometry::Dense(DenseTriangles { opacity_map: Some(map), .. }) => {
            return (Vec::new(), map.micromap.as_ref().map(|micromap| micromap.address()));
        }
        _ => return (Vec::new(), None),
    };
    let micromap = map.micromap.as_ref().map(|micromap| micromap.address());
    if map.index_bytes == 0 || range.primitive_count > PRIMITIVES_MAX {
        return (Vec::new(), micromap);
    }
    let numbers = (0..range.primitive_count.into()).collect();
    (elements(map.indices, map.stride, map.index_bytes.into(), numbers), micromap)
}

/// What a build of a micromap reads: its triangles and their states.
pub fn of_micromap(input: &MicromapInput, memory: Memory) -> Vec<Range<u64>> {
    if input.triangle_count > PRIMITIVES_MAX.into() {
        return Vec::new();
    }
    let mut ranges =
        elements(input.triangles, input.stride, MICROMAP_TRIANGLE_BYTES, (0..input.triangle_count).collect());
    ranges.extend(input.states(memory));
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_range() {
        assert_eq!(elements(100, 12, 12, vec![2, 0, 1, 5, 1]), [100..136, 160..172]);
        assert_eq!(elements(100, 16, 12, vec![0, 1]), [100..112, 116..128]);
        assert_eq!(elements(100, 0, 12, vec![0, 1, 2]), vec![100..112; 1]);
    }
}
