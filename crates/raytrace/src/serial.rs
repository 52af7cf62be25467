//! Contents as bytes: `VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR` and its inverse.
//!
//! Vulkan says how the bytes begin: the driver's UUID and that of compatibility, the size of it all, that of
//! the structure to be made of it, the number of bottom-level structures, and their device addresses. Behind
//! these are primitives and not a tree, which is built anew: so bytes that somebody has changed make another
//! content, and never one that is not sound.

use crate::input::Placement;
use crate::math::{Affine, Bounds};
use crate::motion::{Motion, ScaleRotateTranslate};
use crate::node::{BoxPrimitive, Triangle};
use crate::{AccelerationStructure, Content, Kind, Workers};
use pyro_util::codec::{ByteCodec, Reader};
use std::sync::Arc;

/// Bytes of a UUID (`VK_UUID_SIZE`).
pub const UUID_BYTES: usize = 16;
/// Bytes before the bottom-level structures' addresses.
pub const HEADER_BYTES: usize = 2 * UUID_BYTES + 3 * 8;

/// What bytes must begin with to be understood here: the driver's UUID, and which form the rest has.
pub fn version(driver: [u8; UUID_BYTES]) -> [u8; 2 * UUID_BYTES] {
    let mut version = [0; 2 * UUID_BYTES];
    version[..UUID_BYTES].copy_from_slice(&driver);
    version[UUID_BYTES..].copy_from_slice(b"pyro-structure-2");
    version
}

/// The bottom-level structures of a top-level one, in the order of its instances.
pub fn references(content: &Content) -> impl Iterator<Item = u64> + '_ {
    content.instances.iter().map(|instance| instance.placement.structure.address())
}

/// Bytes of a triangle, a box and an instance.
const TRIANGLE_BYTES: u64 = 4 * 11;
const BOX_BYTES: u64 = 4 * 8;
const INSTANCE_BYTES: u64 = 4 * 18;
/// Bytes of a triangle's vertices at time 1.
const END_BYTES: u64 = 4 * 9;

/// The kind that is written for triangles that move.
const MOVING_TRIANGLES: u32 = 3;

/// The floats of an instance's motion, as many as its type has.
fn motion_floats(placement: &Placement) -> Vec<f32> {
    match placement.motion.as_deref() {
        None => Vec::new(),
        Some(Motion::Matrix(end)) => end.as_flattened().to_vec(),
        Some(Motion::ScaleRotateTranslate(ends)) => ends.iter().flat_map(|srt| srt.floats()).collect(),
    }
}

/// The number of a motion's type.
fn motion_type(placement: &Placement) -> u32 {
    match placement.motion.as_deref() {
        None => 0,
        Some(Motion::Matrix(_)) => 1,
        Some(Motion::ScaleRotateTranslate(_)) => 2,
    }
}

/// Bytes of a content's serialized form.
pub fn bytes(content: &Content) -> u64 {
    let primitives = match content.kind {
        Kind::Triangles if !content.end_vertices.is_empty() => {
            content.primitive_count * (TRIANGLE_BYTES + END_BYTES)
        }
        Kind::Triangles => content.primitive_count * TRIANGLE_BYTES,
        Kind::Boxes => content.primitive_count * BOX_BYTES,
        Kind::Instances => {
            let motions = content.instances.iter().map(|one| motion_floats(&one.placement).len() as u64);
            content.instances.len() as u64 * (INSTANCE_BYTES + 8) + 4 * motions.sum::<u64>()
        }
    };
    HEADER_BYTES as u64 + 4 + 8 + primitives
}

fn write_floats(values: &[f32], out: &mut Vec<u8>) {
    values.iter().for_each(|value| value.to_bits().write(out));
}

/// The serialized form; `size`: of a structure that the content fits into.
pub fn write(content: &Content, driver: [u8; UUID_BYTES], size: u64) -> Vec<u8> {
    let total = bytes(content);
    let mut out = Vec::with_capacity(total as usize);
    out.extend(version(driver));
    total.write(&mut out);
    size.write(&mut out);
    (content.instances.len() as u64).write(&mut out);
    references(content).for_each(|address| address.write(&mut out));
    let moves = !content.end_vertices.is_empty();
    (if moves { MOVING_TRIANGLES } else { content.kind as u32 }).write(&mut out);
    let count = match content.kind {
        Kind::Instances => content.instances.len() as u64,
        _ => content.primitive_count,
    };
    count.write(&mut out);
    match content.kind {
        Kind::Triangles => {
            for (number, block) in content.blocks.iter().enumerate() {
                for (lane, triangle) in block.triangles().enumerate() {
                    write_floats(triangle.vertices.as_flattened(), &mut out);
                    [triangle.primitive, triangle.geometry].write(&mut out);
                    // A block's triangles are its first lanes.
                    if let Some(rows) = content.end_vertices.get(number) {
                        write_floats(&rows.map(|row| row[lane]), &mut out);
                    }
                }
            }
        }
        Kind::Boxes => {
            for primitive in &content.boxes {
                write_floats(&primitive.bounds.lower, &mut out);
                write_floats(&primitive.bounds.upper, &mut out);
                [primitive.primitive, primitive.geometry].write(&mut out);
            }
        }
        Kind::Instances => {
            for instance in &content.instances {
                let placement = &instance.placement;
                write_floats(placement.transform.as_flattened(), &mut out);
                let Placement { index, custom_index, mask, sbt_offset, flags, .. } = *placement;
                [index, custom_index, mask, sbt_offset, flags, motion_type(placement)].write(&mut out);
                write_floats(&motion_floats(placement), &mut out);
            }
        }
    }
    out
}

fn floats<const N: usize>(reader: &mut Reader<'_>) -> Option<[f32; N]> {
    Some(reader.value::<[u32; N]>()?.map(f32::from_bits))
}

/// How many bytes a serialized form says it has, from its first [`HEADER_BYTES`]; none when it is not one of
/// this version.
pub fn size_in(header: &[u8], driver: [u8; UUID_BYTES]) -> Option<u64> {
    let mut reader = Reader::new(header);
    (reader.take(2 * UUID_BYTES)? == version(driver)).then_some(())?;
    reader.value()
}

/// The content of a serialized form. `resolve` finds the structures that its addresses name; instances of
/// none are inactive.
pub fn read(
    bytes: &[u8],
    driver: [u8; UUID_BYTES],
    resolve: &dyn Fn(u64) -> Option<Arc<AccelerationStructure>>,
    workers: &dyn Workers,
) -> Option<Content> {
    size_in(bytes, driver)?;
    let mut reader = Reader::new(&bytes[2 * UUID_BYTES..]);
    let (_total, _size) = (reader.value::<u64>()?, reader.value::<u64>()?);
    let reference_count = reader.value::<u64>()?;
    (reference_count <= reader.left() as u64 / 8).then_some(())?;
    let references: Vec<u64> = (0..reference_count).map(|_| reader.value()).collect::<Option<_>>()?;
    let kind = reader.value::<u32>()?;
    let count = reader.value::<u64>()?;
    let finite = |values: &[f32]| values.iter().all(|value| value.is_finite());
    // Every primitive takes some bytes, so a count that is too large ends where the bytes do.
    if kind == Kind::Triangles as u32 || kind == MOVING_TRIANGLES {
        let (mut triangles, mut ends) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let [a, b, c, d, e, f, g, h, i] = floats(&mut reader)?;
            let vertices = [[a, b, c], [d, e, f], [g, h, i]];
            let [primitive, geometry] = reader.value()?;
            let end = match kind {
                MOVING_TRIANGLES => {
                    let [a, b, c, d, e, f, g, h, i] = floats(&mut reader)?;
                    Some([[a, b, c], [d, e, f], [g, h, i]])
                }
                _ => None,
            };
            let is_finite = finite(vertices.as_flattened())
                && end.as_ref().is_none_or(|end: &[[f32; 3]; 3]| finite(end.as_flattened()));
            if is_finite && geometry != u32::MAX {
                triangles.push(Triangle { vertices, primitive, geometry });
                ends.extend(end);
            }
        }
        return Some(Content::of_moving_triangles(triangles, &ends, workers));
    }
    if kind == Kind::Boxes as u32 {
        let mut boxes = Vec::new();
        for _ in 0..count {
            let bounds = Bounds { lower: floats(&mut reader)?, upper: floats(&mut reader)? };
            let [primitive, geometry] = reader.value()?;
            let is_finite = finite(&bounds.lower) && finite(&bounds.upper);
            if is_finite && !bounds.is_empty() {
                boxes.push(BoxPrimitive { bounds, primitive, geometry });
            }
        }
        return Some(Content::of_boxes(boxes, workers));
    }
    (kind == Kind::Instances as u32 && count <= reference_count).then_some(())?;
    let mut placements = Vec::new();
    for &reference in references.iter().take(count as usize) {
        let numbers: [f32; 12] = floats(&mut reader)?;
        let mut transform = Affine::default();
        transform.as_flattened_mut().copy_from_slice(&numbers);
        let [index, custom_index, mask, sbt_offset, flags, motion_type] = reader.value()?;
        let motion = match motion_type {
            0 => None,
            1 => {
                let mut end = Affine::default();
                end.as_flattened_mut().copy_from_slice(&floats::<12>(&mut reader)?);
                Some(Motion::Matrix(end))
            }
            2 => {
                let [start, end] = [floats(&mut reader)?, floats(&mut reader)?];
                Some(Motion::ScaleRotateTranslate([start, end].map(ScaleRotateTranslate::from_floats)))
            }
            _ => return None,
        };
        if let Some(structure) = resolve(reference).filter(|_| reference != 0) {
            let motion = motion.map(Box::new);
            placements.push(Placement {
                index,
                transform,
                custom_index,
                mask,
                sbt_offset,
                flags,
                structure,
                motion,
            });
        }
    }
    Some(Content::of_instances(placements, workers))
}
