//! Contents as bytes: `VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR` and its inverse.
//!
//! Vulkan says how the bytes begin: the driver's UUID and that of compatibility, the size of it all, that of
//! the structure to be made of it, the number of bottom-level structures, and their device addresses; of a
//! bottom-level structure with micromaps, blocks with the addresses of these. Behind
//! these are primitives and not a tree, which is built anew: so bytes that somebody has changed make another
//! content, and never one that is not sound.

use crate::acceleration_structure::TriangleExtras;
use crate::input::Placement;
use crate::math::{Affine, Bounds};
use crate::micromap::{GeometryMicromap, Micromap, MicromapIndex, NO_MICROMAP};
use crate::motion::{Motion, ScaleRotateTranslate};
use crate::node::{BoxPrimitive, Triangle};
use crate::{AccelerationStructure, Content, Kind, Workers, sphere};
use pyro_util::codec::{ByteCodec, Reader};
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes of a UUID (`VK_UUID_SIZE`).
pub const UUID_BYTES: usize = 16;
/// Bytes before the bottom-level structures' addresses.
pub const HEADER_BYTES: usize = 2 * UUID_BYTES + 3 * 8;

/// What bytes must begin with to be understood here: the driver's UUID, and which form the rest has.
pub fn version(driver: [u8; UUID_BYTES]) -> [u8; 2 * UUID_BYTES] {
    let mut version = [0; 2 * UUID_BYTES];
    version[..UUID_BYTES].copy_from_slice(&driver);
    version[UUID_BYTES..].copy_from_slice(b"pyro-structure-3");
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

/// Bytes of a triangle's index in a micromap.
const MICROMAP_INDEX_BYTES: u64 = 4;

/// Of the kind that is written for triangles: they move.
const MOVES: u32 = 0x100;
/// They have micromaps.
const HAS_MICROMAPS: u32 = 0x200;
/// The first of these is that of all geometries.
const HAS_ONE_MICROMAP: u32 = 0x400;

/// The kind that is written for a content.
fn kind_word(content: &Content) -> u32 {
    let moves = if content.end_vertices.is_empty() { 0 } else { MOVES };
    let has_micromaps = if content.opacities.indices.is_empty() { 0 } else { HAS_MICROMAPS };
    let has_one = if content.opacities.is_one_for_all { HAS_ONE_MICROMAP } else { 0 };
    content.kind as u32 | moves | has_micromaps | has_one
}

/// Of a geometry: its micromap is the next of the references.
const BY_REFERENCE: u32 = u32::MAX;

/// The micromaps that a structure's serialized form holds, each once; and for each geometry, the number of
/// its own plus one, [`BY_REFERENCE`], or zero for none.
fn micromaps(content: &Content) -> (Vec<Arc<Micromap>>, Vec<u32>) {
    let (mut all, mut numbers) = (Vec::new(), HashMap::new());
    let mut number_of = |micromap: &GeometryMicromap| match micromap.reference {
        0 => *numbers.entry(Arc::as_ptr(&micromap.content)).or_insert_with(|| {
            all.push(micromap.content.clone());
            all.len() as u32
        }),
        _ => BY_REFERENCE,
    };
    let of_geometries = content.opacities.micromaps.iter();
    let of_geometries = of_geometries.map(|micromap| micromap.as_ref().map_or(0, &mut number_of)).collect();
    (all, of_geometries)
}

/// The addresses of the micromaps that a structure's serialized form names, in the order of geometries.
fn micromap_references(content: &Content) -> impl Iterator<Item = u64> + '_ {
    let all = content.opacities.micromaps.iter().flatten();
    all.map(|micromap| micromap.reference).filter(|&reference| reference != 0)
}

/// The high half of the header's last number where blocks follow it.
const BLOCKS: u64 = 0xffff_ffff;
/// `VK_ACCELERATION_STRUCTURE_SERIALIZED_BLOCK_TYPE_OPACITY_MICROMAP_KHR`.
const MICROMAP_BLOCK: u32 = 0;
/// Bytes of a block before its addresses.
const BLOCK_BYTES: u64 = 16;

/// Bytes of the references behind the header.
fn reference_bytes(content: &Content) -> u64 {
    let block = match micromap_references(content).count() as u64 {
        0 => 0,
        count => BLOCK_BYTES + 8 * count,
    };
    8 * content.instances.len() as u64 + block
}

/// Writes the header's last number and the references: of a structure with micromaps, as one block.
fn write_references(content: &Content, out: &mut Vec<u8>) {
    let micromap_count = micromap_references(content).count() as u64;
    if micromap_count == 0 {
        (content.instances.len() as u64).write(out);
        references(content).for_each(|address| address.write(out));
        return;
    }
    (BLOCKS << 32 | 1).write(out);
    [MICROMAP_BLOCK, 0].write(out);
    micromap_count.write(out);
    micromap_references(content).for_each(|address| address.write(out));
}

/// Reads what [`write_references`] has written; the addresses of several blocks are one list.
fn read_references(reader: &mut Reader<'_>) -> Option<Vec<u64>> {
    let addresses = |reader: &mut Reader<'_>, count: u64, to: &mut Vec<u64>| {
        (count <= reader.left() as u64 / 8).then_some(())?;
        for _ in 0..count {
            to.push(reader.value()?);
        }
        Some(())
    };
    let number = reader.value::<u64>()?;
    let mut all = Vec::new();
    if number >> 32 != BLOCKS {
        addresses(reader, number, &mut all)?;
        return Some(all);
    }
    for _ in 0..number & 0xffff_ffff {
        let [ty, _reserved] = reader.value::<[u32; 2]>()?;
        (ty == MICROMAP_BLOCK).then_some(())?;
        let count = reader.value()?;
        addresses(reader, count, &mut all)?;
    }
    Some(all)
}

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
        Kind::Triangles => {
            let word = kind_word(content);
            let end = if word & MOVES != 0 { END_BYTES } else { 0 };
            let (index, micromaps) = match word & HAS_MICROMAPS {
                0 => (0, 0),
                _ => (MICROMAP_INDEX_BYTES, micromap_bytes(content)),
            };
            content.primitive_count * (TRIANGLE_BYTES + end + index) + micromaps
        }
        Kind::Micromap => content.micromap.as_ref().map_or(0, |micromap| micromap.serialized_bytes()),
        Kind::Boxes => content.primitive_count * BOX_BYTES,
        Kind::Spheres | Kind::SweptSpheres => content.primitive_count * sphere::SERIALIZED_BYTES,
        // Those have no handle that a command of serialization could name.
        Kind::Clusters => 0,
        Kind::Instances => {
            let motions = content.instances.iter().map(|one| motion_floats(&one.placement).len() as u64);
            content.instances.len() as u64 * INSTANCE_BYTES + 4 * motions.sum::<u64>()
        }
    };
    HEADER_BYTES as u64 + reference_bytes(content) + 4 + 8 + primitives
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
    write_references(content, &mut out);
    kind_word(content).write(&mut out);
    let count = match content.kind {
        Kind::Instances => content.instances.len() as u64,
        _ => content.primitive_count,
    };
    count.write(&mut out);
    match content.kind {
        Kind::Triangles => write_triangles(content, &mut out),
        Kind::Micromap => content.micromap.iter().for_each(|micromap| micromap.write(&mut out)),
        Kind::Spheres | Kind::SweptSpheres => sphere::write(content, &mut out),
        Kind::Clusters => {}
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

/// Triangles, each with what it has beside its vertices; then the micromaps, if there are any.
fn write_triangles(content: &Content, out: &mut Vec<u8>) {
    for (number, block) in content.blocks.iter().enumerate() {
        for (lane, triangle) in block.triangles().enumerate() {
            write_floats(triangle.vertices.as_flattened(), out);
            [triangle.primitive, triangle.geometry].write(out);
            // A block's triangles are its first lanes.
            if let Some(rows) = content.end_vertices.get(number) {
                write_floats(&rows.map(|row| row[lane]), out);
            }
            if let Some(indices) = content.opacities.indices.get(number) {
                indices[lane].write(out);
            }
        }
    }
    if !content.opacities.indices.is_empty() {
        let (all, numbers) = micromaps(content);
        (all.len() as u64).write(out);
        all.iter().for_each(|micromap| micromap.write(out));
        (numbers.len() as u64).write(out);
        numbers.iter().for_each(|number| number.write(out));
    }
}

/// Bytes of a structure's micromaps.
fn micromap_bytes(content: &Content) -> u64 {
    let (all, numbers) = micromaps(content);
    16 + all.iter().map(|micromap| micromap.serialized_bytes()).sum::<u64>() + 4 * numbers.len() as u64
}

/// What [`write_triangles`] has written of so many triangles.
/// /// `next_reference` finds the micromap that the next of the references names.
fn read_triangles(
    reader: &mut Reader<'_>,
    word: u32,
    count: u64,
    mut next_reference: impl FnMut() -> Option<GeometryMicromap>,
) -> Option<(Vec<Triangle>, TriangleExtras)> {
    let finite = |values: &[f32]| values.iter().all(|value| value.is_finite());
    let corners = |reader: &mut Reader<'_>| -> Option<[[f32; 3]; 3]> {
        let [a, b, c, d, e, f, g, h, i] = floats(reader)?;
        Some([[a, b, c], [d, e, f], [g, h, i]])
    };
    let (mut triangles, mut extras) = (Vec::new(), TriangleExtras::default());
    // Every primitive takes some bytes, so a count that is too large ends where the bytes do.
    for _ in 0..count {
        let vertices = corners(reader)?;
        let [primitive, geometry] = reader.value()?;
        let end = if word & MOVES != 0 { Some(corners(reader)?) } else { None };
        let index = if word & HAS_MICROMAPS != 0 { reader.value::<MicromapIndex>()? } else { NO_MICROMAP };
        let is_finite =
            finite(vertices.as_flattened()) && end.as_ref().is_none_or(|end| finite(end.as_flattened()));
        if is_finite && geometry != u32::MAX {
            triangles.push(Triangle { vertices, primitive, geometry });
            extras.ends.extend(end);
            if word & HAS_MICROMAPS != 0 {
                extras.micromap_indices.push(index);
            }
        }
    }
    extras.have_one_micromap = word & HAS_ONE_MICROMAP != 0;
    if word & HAS_MICROMAPS != 0 {
        let micromap_count = reader.value::<u64>()?;
        let all: Vec<Arc<Micromap>> =
            (0..micromap_count).map(|_| Micromap::read(reader).map(Arc::new)).collect::<Option<_>>()?;
        let geometry_count = reader.value::<u64>()?;
        (geometry_count <= reader.left() as u64 / 4).then_some(())?;
        for _ in 0..geometry_count {
            let held = |number: u32| {
                let content = Arc::clone(all.get((number as usize).checked_sub(1)?)?);
                Some(GeometryMicromap { content, reference: 0 })
            };
            extras.micromaps.push(match reader.value::<u32>()? {
                BY_REFERENCE => next_reference(),
                number => held(number),
            });
        }
    }
    Some((triangles, extras))
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
    let references = read_references(&mut reader)?;
    let kind = reader.value::<u32>()?;
    let count = reader.value::<u64>()?;
    let finite = |values: &[f32]| values.iter().all(|value| value.is_finite());
    if kind & !(MOVES | HAS_MICROMAPS | HAS_ONE_MICROMAP) == Kind::Triangles as u32 {
        let mut references = references.iter();
        let micromap = || {
            let found = resolve(*references.next()?)?;
            GeometryMicromap::of(&found, true)
        };
        let (triangles, extras) = read_triangles(&mut reader, kind, count, micromap)?;
        return Some(Content::of_triangles_with(triangles, extras, workers));
    }
    if kind == Kind::Micromap as u32 {
        return Some(Content::of_micromap(Micromap::read(&mut reader)?));
    }
    if let Some(kind) = [Kind::Spheres, Kind::SweptSpheres].into_iter().find(|&of| of as u32 == kind) {
        return Some(Content::of_spheres(kind, sphere::read(&mut reader, kind, count)?, workers));
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
    (kind == Kind::Instances as u32 && count <= references.len() as u64).then_some(())?;
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
