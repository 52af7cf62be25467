//! What structures are built from, read out of the application's memory.
//!
//! Addresses are the application's promise, as those in its shaders are; what they lead to is not: numbers
//! that make no sense (indices above `maxVertex`, coordinates that are no numbers) make a primitive inactive.

use crate::acceleration_structure::TriangleExtras;
use crate::dense::DenseTriangles;
use crate::math::{Affine, Bounds, transform_point};
use crate::micromap::{MicromapIndex, NO_MICROMAP, OpacityMap};
use crate::motion::{Motion, ScaleRotateTranslate};
use crate::node::{BoxPrimitive, GEOMETRY_OPAQUE, Triangle};
use crate::sphere::Sphere;
use crate::{AccelerationStructure, Content, Kind, Workers};
use half::f16;
use pyro_abi::Memory;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// `VkGeometryFlagsKHR`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GeometryFlags {
    /// `VK_GEOMETRY_OPAQUE_BIT_KHR`.
    pub opaque: bool,
}

/// How a vertex' components lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// `SFLOAT` of 32 bits.
    Float32,
    /// `SFLOAT` of 16 bits.
    Float16,
    /// `SFLOAT` of 64 bits.
    Float64,
    /// `SNORM` of 16 bits.
    Snorm16,
    /// `UNORM` of 16 bits.
    Unorm16,
    /// `SNORM` of 8 bits.
    Snorm8,
    /// `UNORM` of 8 bits.
    Unorm8,
}

impl Component {
    /// Bytes of one.
    pub fn bytes(self) -> u64 {
        match self {
            Component::Float64 => 8,
            Component::Float32 => 4,
            Component::Float16 | Component::Snorm16 | Component::Unorm16 => 2,
            Component::Snorm8 | Component::Unorm8 => 1,
        }
    }

    fn load(self, memory: Memory, address: u64) -> f32 {
        match self {
            Component::Float32 => f32::from_bits(memory.load(address)),
            Component::Float64 => f64::from_bits(memory.load(address)) as f32,
            Component::Float16 => f16::from_bits(memory.load(address)).to_f32(),
            Component::Snorm16 => (f32::from(memory.load::<u16>(address) as i16) / 32767.0).max(-1.0),
            Component::Unorm16 => f32::from(memory.load::<u16>(address)) / 65535.0,
            Component::Snorm8 => (f32::from(memory.load::<u8>(address) as i8) / 127.0).max(-1.0),
            Component::Unorm8 => f32::from(memory.load::<u8>(address)) / 255.0,
        }
    }
}

/// A vertex format: so many components of a kind; a third that is missing is zero, a fourth is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexFormat {
    /// Of all of them.
    pub component: Component,
    /// 2 to 4.
    pub count: u32,
}

impl VertexFormat {
    pub(crate) fn load(self, memory: Memory, address: u64) -> [f32; 3] {
        let bytes = self.component.bytes();
        [0, 1, 2].map(|axis| {
            if axis >= u64::from(self.count) {
                return 0.0;
            }
            self.component.load(memory, address.wrapping_add(axis * bytes))
        })
    }
}

/// `VkAccelerationStructureGeometryTrianglesDataKHR`.
#[derive(Clone, Debug)]
pub struct Triangles {
    /// `vertexFormat`.
    pub format: VertexFormat,
    /// Host address of the vertices.
    pub vertices: u64,
    /// Host address of the vertices at time 1 (`VkAccelerationStructureGeometryMotionTrianglesDataNV`); zero
    /// for those that do not move.
    pub end_vertices: u64,
    /// Bytes from one vertex to the next.
    pub stride: u64,
    /// The greatest index.
    pub max_vertex: u32,
    /// Bytes of an index: 1, 2 or 4; 0 where there are none.
    pub index_bytes: u32,
    /// Host address of the indices.
    pub indices: u64,
    /// Host address of twelve floats, the rows of a matrix; zero for none.
    pub transform: u64,
    /// The triangles' micromaps, if they have any.
    pub opacity_map: Option<OpacityMap>,
}

/// How linear swept spheres name their ends (`VkRayTracingLssIndexingModeNV`), and which have caps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweptSpheres {
    /// By two indices each.
    List {
        /// Both ends have caps.
        has_caps: bool,
    },
    /// By one index, of the first end; the second is the next one. Those that begin where the one before
    /// ends go on with its chain.
    Successive {
        /// The ends of each chain, and the places where its spheres meet, have caps.
        has_caps: bool,
    },
}

/// `VkAccelerationStructureGeometrySpheresDataNV`, or
/// `VkAccelerationStructureGeometryLinearSweptSpheresDataNV`.
#[derive(Clone, Copy, Debug)]
pub struct Spheres {
    /// `vertexFormat`.
    pub format: VertexFormat,
    /// Host address of the centers.
    pub centers: u64,
    /// Bytes from one center to the next.
    pub center_stride: u64,
    /// `radiusFormat`.
    pub radius: Component,
    /// Host address of the radii.
    pub radii: u64,
    /// Bytes from one radius to the next.
    pub radius_stride: u64,
    /// Bytes of an index: 1, 2 or 4; 0 where there are none.
    pub index_bytes: u32,
    /// Host address of the indices.
    pub indices: u64,
    /// Bytes from one index to the next.
    pub index_stride: u64,
    /// Of linear swept spheres.
    pub swept: Option<SweptSpheres>,
}

impl Spheres {
    /// What a content of them is of.
    pub fn kind(&self) -> Kind {
        if self.swept.is_some() { Kind::SweptSpheres } else { Kind::Spheres }
    }

    /// The number of a center and a radius, by its place among the indices.
    fn number(&self, memory: Memory, indices: u64, place: u64) -> u64 {
        let at = indices.wrapping_add(place.wrapping_mul(self.index_stride));
        match self.index_bytes {
            0 => place,
            1 => memory.load::<u8>(at).into(),
            2 => memory.load::<u16>(at).into(),
            _ => memory.load::<u32>(at).into(),
        }
    }

    /// A primitive, active or not.
    pub(crate) fn sphere(&self, memory: Memory, geometry: u32, range: BuildRange, primitive: u32) -> Sphere {
        let offset = u64::from(range.primitive_offset);
        let (indices, data_offset) = match self.index_bytes {
            0 => (0, offset),
            _ => (self.indices.wrapping_add(offset), 0),
        };
        let (centers, radii) = (self.centers.wrapping_add(data_offset), self.radii.wrapping_add(data_offset));
        let end = |number: u64| {
            let number = number + u64::from(range.first_vertex);
            let at = centers.wrapping_add(number.wrapping_mul(self.center_stride));
            let radius = radii.wrapping_add(number.wrapping_mul(self.radius_stride));
            (self.format.load(memory, at), self.radius.load(memory, radius))
        };
        let place = u64::from(primitive);
        let (numbers, caps) = match self.swept {
            None => ([self.number(memory, indices, place); 2], [true; 2]),
            Some(SweptSpheres::List { has_caps }) => {
                ([2 * place, 2 * place + 1].map(|at| self.number(memory, indices, at)), [has_caps; 2])
            }
            Some(SweptSpheres::Successive { has_caps }) => {
                let first = self.number(memory, indices, place);
                let goes_on = place != 0 && self.number(memory, indices, place - 1).wrapping_add(1) == first;
                ([first, first + 1], [has_caps && !goes_on, has_caps])
            }
        };
        let [first, second] = numbers.map(end);
        let (centers, radii) = ([first.0, second.0], [first.1, second.1]);
        Sphere { centers, radii, caps, primitive, geometry }
    }

    fn read(
        &self,
        memory: Memory,
        geometry: u32,
        range: BuildRange,
        workers: &dyn Workers,
        to: &mut Vec<Sphere>,
    ) {
        let read = |primitive: u32| {
            let sphere = self.sphere(memory, geometry, range, primitive);
            sphere.is_active().then_some(sphere)
        };
        collect(range.primitive_count, workers, &read, to);
    }
}

/// `VkAccelerationStructureGeometryKHR` of a bottom-level structure.
#[derive(Clone, Debug)]
pub enum Geometry {
    /// Triangles.
    Triangles(Triangles, GeometryFlags),
    /// Boxes: host address of the first one's six floats, and bytes from one to the next.
    Boxes(u64, u64, GeometryFlags),
    /// Triangles in blocks, each with the number and flags of a geometry. There is no other geometry, and
    /// ranges do not matter.
    Dense(DenseTriangles),
    /// Spheres or linear swept spheres.
    Spheres(Spheres, GeometryFlags),
}

impl Geometry {
    /// What a content of it is of.
    pub fn kind(&self) -> Kind {
        match self {
            Geometry::Triangles(..) | Geometry::Dense(_) => Kind::Triangles,
            Geometry::Boxes(..) => Kind::Boxes,
            Geometry::Spheres(spheres, _) => spheres.kind(),
        }
    }
}

/// `VkAccelerationStructureGeometryInstancesDataKHR`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Instances {
    /// Host address of the instances, or of their addresses.
    pub data: u64,
    /// `arrayOfPointers`.
    pub are_pointers: bool,
    /// They are `VkAccelerationStructureMotionInstanceNV`.
    pub may_move: bool,
}

/// `VkAccelerationStructureBuildRangeInfoKHR`, as it lies in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct BuildRange {
    /// How many primitives.
    pub primitive_count: u32,
    /// Bytes to where the first one's data begins.
    pub primitive_offset: u32,
    /// Added to each index.
    pub first_vertex: u32,
    /// Bytes to the transform.
    pub transform_offset: u32,
}

/// Primitives that are read in one go.
const CHUNK: u64 = 1 << 14;

/// Reads `count` primitives on all threads; those that are inactive are left out.
pub(crate) fn collect<T: Send + Sync>(
    count: u32,
    workers: &dyn Workers,
    read: &(dyn Fn(u32) -> Option<T> + Sync),
    to: &mut Vec<T>,
) {
    let chunk_count = u64::from(count).div_ceil(CHUNK);
    if chunk_count <= 1 {
        to.extend((0..count).filter_map(read));
        return;
    }
    let chunks: Vec<OnceLock<Vec<T>>> = (0..chunk_count).map(|_| OnceLock::new()).collect();
    workers.run(chunk_count, &|chunk| {
        let end = ((chunk + 1) * CHUNK).min(count.into());
        let _ = chunks[chunk as usize].set(((chunk * CHUNK) as u32..end as u32).filter_map(read).collect());
    });
    to.extend(chunks.into_iter().flat_map(|chunk| chunk.into_inner().unwrap_or_default()));
}

fn geometry_word(number: usize, flags: GeometryFlags) -> u32 {
    number as u32 | if flags.opaque { GEOMETRY_OPAQUE } else { 0 }
}

pub(crate) fn load_affine(memory: Memory, address: u64) -> Affine {
    let mut map = Affine::default();
    for (at, value) in map.as_flattened_mut().iter_mut().enumerate() {
        *value = f32::from_bits(memory.load(address.wrapping_add(4 * at as u64)));
    }
    map
}

/// A triangle as it is read.
struct ReadTriangle {
    triangle: Triangle,
    /// Its vertices at time 1, where it moves.
    end: Option<[[f32; 3]; 3]>,
    micromap_index: MicromapIndex,
}

impl Triangles {
    pub(crate) fn vertex(&self, memory: Memory, address: u64, index: u64) -> [f32; 3] {
        self.format.load(memory, address.wrapping_add(index.wrapping_mul(self.stride)))
    }

    /// The index at a place among the indices of [`Triangles::places`].
    pub(crate) fn index(&self, memory: Memory, indices: u64, place: u64) -> u64 {
        let at = indices.wrapping_add(place * u64::from(self.index_bytes));
        match self.index_bytes {
            0 => place,
            1 => memory.load::<u8>(at).into(),
            2 => memory.load::<u16>(at).into(),
            _ => memory.load::<u32>(at).into(),
        }
    }

    /// Where the indices, the vertices, and those at time 1 of a range begin.
    pub(crate) fn places(&self, range: BuildRange) -> (u64, u64, Option<u64>) {
        let (indices, offset) = match self.index_bytes {
            0 => (0, range.primitive_offset.into()),
            _ => (self.indices.wrapping_add(range.primitive_offset.into()), 0),
        };
        let ends = (self.end_vertices != 0).then(|| self.end_vertices.wrapping_add(offset));
        (indices, self.vertices.wrapping_add(offset), ends)
    }

    /// The matrix that places them.
    pub(crate) fn transform(&self, memory: Memory, range: BuildRange) -> Option<Affine> {
        (self.transform != 0)
            .then(|| load_affine(memory, self.transform.wrapping_add(range.transform_offset.into())))
    }

    fn read(
        &self,
        memory: Memory,
        number: usize,
        flags: GeometryFlags,
        range: BuildRange,
        workers: &dyn Workers,
        to: &mut Vec<ReadTriangle>,
    ) {
        let map = self.transform(memory, range);
        let (indices, vertices, ends) = self.places(range);
        let read = |primitive: u32| {
            let (mut corners, mut end) = ([[0.0; 3]; 3], ends.map(|_| [[0.0; 3]; 3]));
            for (corner, to) in corners.iter_mut().enumerate() {
                let index = self.index(memory, indices, 3 * u64::from(primitive) + corner as u64);
                if self.index_bytes != 0 && index > u64::from(self.max_vertex) {
                    return None;
                }
                let index = index + u64::from(range.first_vertex);
                let place = |vertices| {
                    let vertex = self.vertex(memory, vertices, index);
                    let vertex = map.as_ref().map_or(vertex, |map| transform_point(map, vertex));
                    vertex.iter().all(|component| component.is_finite()).then_some(vertex)
                };
                *to = place(vertices)?;
                if let (Some(ends), Some(end)) = (ends, &mut end) {
                    end[corner] = place(ends)?;
                }
            }
            let geometry = geometry_word(number, flags);
            let micromap_index =
                self.opacity_map.as_ref().map_or(NO_MICROMAP, |map| map.index(memory, primitive));
            let triangle = Triangle { vertices: corners, primitive, geometry };
            Some(ReadTriangle { triangle, end, micromap_index })
        };
        collect(range.primitive_count, workers, &read, to);
    }
}

impl DenseTriangles {
    fn read(&self, memory: Memory, workers: &dyn Workers, to: &mut Vec<ReadTriangle>) {
        let read = |number: u32| Some(self.block(memory, number));
        let mut blocks = Vec::new();
        collect(self.block_count, workers, &read, &mut blocks);
        let map = self.opacity_map.as_ref();
        to.extend(blocks.into_iter().flatten().map(|triangle| {
            let map = map.filter(|_| triangle.primitive <= self.max_primitive);
            let micromap_index = map.map_or(NO_MICROMAP, |map| map.index(memory, triangle.primitive));
            ReadTriangle { triangle, end: None, micromap_index }
        }));
    }
}

/// The content of a bottom-level structure. Geometries are all of one kind
/// (VUID-VkAccelerationStructureBuildGeometryInfoKHR-type-03792); those of another kind than the first are
/// left out.
pub fn build_bottom(memory: Memory, geometries: &[(Geometry, BuildRange)], workers: &dyn Workers) -> Content {
    if let Some((Geometry::Spheres(first, _), _)) = geometries.first() {
        let mut spheres = Vec::new();
        for (number, (geometry, range)) in geometries.iter().enumerate() {
            if let Geometry::Spheres(data, flags) = geometry
                && data.kind() == first.kind()
            {
                data.read(memory, geometry_word(number, *flags), *range, workers, &mut spheres);
            }
        }
        return Content::of_spheres(first.kind(), spheres, workers);
    }
    if let Some((Geometry::Boxes(..), _)) = geometries.first() {
        let mut boxes = Vec::new();
        for (number, (geometry, range)) in geometries.iter().enumerate() {
            let Geometry::Boxes(data, stride, flags) = *geometry else { continue };
            let data = data.wrapping_add(range.primitive_offset.into());
            let read = |primitive: u32| {
                let at = data.wrapping_add(u64::from(primitive).wrapping_mul(stride));
                let side = |index: u64| f32::from_bits(memory.load(at.wrapping_add(4 * index)));
                let limit = |value: f32| value.clamp(-f32::MAX, f32::MAX);
                let sides = [0, 1, 2, 3, 4, 5].map(side);
                let bounds = Bounds {
                    lower: [sides[0], sides[1], sides[2]].map(limit),
                    upper: [sides[3], sides[4], sides[5]].map(limit),
                };
                let is_active = (0..3).all(|axis| bounds.lower[axis] <= bounds.upper[axis]);
                is_active.then_some(BoxPrimitive {
                    bounds,
                    primitive,
                    geometry: geometry_word(number, flags),
                })
            };
            collect(range.primitive_count, workers, &read, &mut boxes);
        }
        return Content::of_boxes(boxes, workers);
    }
    let mut triangles = Vec::new();
    let mut extras = TriangleExtras::default();
    for (number, (geometry, range)) in geometries.iter().enumerate() {
        if let Geometry::Triangles(data, flags) = geometry {
            data.read(memory, number, *flags, *range, workers, &mut triangles);
            if let Some(map) = &data.opacity_map {
                extras.micromaps.resize(number + 1, None);
                extras.micromaps[number] = map.current();
            }
        }
        if let Geometry::Dense(data) = geometry {
            data.read(memory, workers, &mut triangles);
            // Its triangles' geometries are not those of the build.
            extras.micromaps = vec![data.opacity_map.as_ref().and_then(OpacityMap::current)];
            extras.have_one_micromap = true;
        }
    }
    if triangles.iter().any(|read| read.end.is_some()) {
        let end = |read: &ReadTriangle| read.end.unwrap_or(read.triangle.vertices);
        extras.ends = triangles.iter().map(end).collect();
    }
    if triangles.iter().any(|read| read.micromap_index != NO_MICROMAP) {
        extras.micromap_indices = triangles.iter().map(|read| read.micromap_index).collect();
    }
    let triangles = triangles.into_iter().map(|read| read.triangle).collect();
    Content::of_triangles_with(triangles, extras, workers)
}

/// `VkAccelerationStructureInstanceKHR`, with the structure found.
#[derive(Clone, Debug)]
pub struct Placement {
    /// `InstanceId`.
    pub index: u32,
    /// Rows of the matrix from object to world.
    pub transform: Affine,
    /// `instanceCustomIndex`.
    pub custom_index: u32,
    /// `mask`.
    pub mask: u32,
    /// `instanceShaderBindingTableRecordOffset`.
    pub sbt_offset: u32,
    /// `flags`.
    pub flags: u32,
    /// `accelerationStructureReference`.
    pub structure: Arc<AccelerationStructure>,
    /// How it moves, if it does.
    pub motion: Option<Box<Motion>>,
}

/// Bytes of a `VkAccelerationStructureInstanceKHR`.
pub const INSTANCE_BYTES: u64 = 64;

/// Bytes of a `VkAccelerationStructureMotionInstanceNV` in an array.
pub const MOTION_INSTANCE_BYTES: u64 = 160;

/// `VkAccelerationStructureMotionInstanceTypeNV`.
mod motion_type {
    pub(super) const STATIC: u32 = 0;
    pub(super) const MATRIX: u32 = 1;
    pub(super) const SCALE_ROTATE_TRANSLATE: u32 = 2;
}

/// Where an instance's own structure lies, and its type ([`motion_type`]); none for a null pointer.
pub(crate) fn place_of(memory: Memory, instances: &Instances, data: u64, index: u32) -> Option<(u64, u32)> {
    let index = u64::from(index);
    if instances.are_pointers {
        let pointer = memory.load::<u64>(data.wrapping_add(8 * index));
        // Pointers to instances that may move hold the type in their low four bits.
        let low = if instances.may_move { 0xf } else { 0 };
        let (at, ty) = (pointer & !low, (pointer & low) as u32);
        return (at != 0).then_some((at, ty));
    }
    if !instances.may_move {
        return Some((data.wrapping_add(INSTANCE_BYTES * index), motion_type::STATIC));
    }
    let at = data.wrapping_add(MOTION_INSTANCE_BYTES * index);
    Some((at.wrapping_add(8), memory.load(at)))
}

/// The bytes of an instance, and the reference that it has to a structure, for those who follow accesses;
/// none for a null pointer and for a type that does not exist.
pub(crate) fn instance_bytes(
    memory: Memory,
    instances: &Instances,
    data: u64,
    index: u32,
) -> Option<(Range<u64>, u64)> {
    let (at, ty) = place_of(memory, instances, data, index)?;
    let bytes = match ty {
        motion_type::STATIC => INSTANCE_BYTES,
        motion_type::MATRIX => INSTANCE_BYTES + 48,
        motion_type::SCALE_ROTATE_TRANSLATE => INSTANCE_BYTES + 80,
        _ => return None,
    };
    let end = at.wrapping_add(bytes);
    // In arrays their type lies before them.
    let has_type = instances.may_move && !instances.are_pointers;
    let start = if has_type { at.wrapping_sub(8) } else { at };
    Some((start..end, memory.load(end.wrapping_sub(8))))
}

fn load_srt(memory: Memory, address: u64) -> ScaleRotateTranslate {
    let mut floats = [0.0; 16];
    for (at, value) in floats.iter_mut().enumerate() {
        *value = f32::from_bits(memory.load(address.wrapping_add(4 * at as u64)));
    }
    ScaleRotateTranslate::from_floats(floats)
}

/// The map of an instance at a place of [`place_of`], how it moves, and where the rest of it lies; none for a
/// type that does not exist.
pub(crate) fn load_motion(
    memory: Memory,
    (at, ty): (u64, u32),
) -> Option<(Affine, Option<Box<Motion>>, u64)> {
    let (transform, motion, bytes) = match ty {
        motion_type::STATIC => (load_affine(memory, at), None, 48),
        motion_type::MATRIX => {
            let end = load_affine(memory, at.wrapping_add(48));
            (load_affine(memory, at), Some(Box::new(Motion::Matrix(end))), 96)
        }
        motion_type::SCALE_ROTATE_TRANSLATE => {
            let [start, end] = [0, 64].map(|offset| load_srt(memory, at.wrapping_add(offset)));
            let motion = Motion::ScaleRotateTranslate([start, end]);
            (Motion::start(&start), Some(Box::new(motion)), 128)
        }
        _ => return None,
    };
    Some((transform, motion, at.wrapping_add(bytes)))
}

/// Finds the structure that an instance's reference names.
pub type Resolve<'r> = &'r (dyn Fn(u64) -> Option<Arc<AccelerationStructure>> + Sync);

/// The content of a top-level structure. `resolve` finds the structure that a reference names, called by
/// `readers`; instances of none are inactive.
pub fn build_top(
    memory: Memory,
    instances: Instances,
    range: BuildRange,
    (resolve, readers): (Resolve<'_>, &dyn Workers),
    workers: &dyn Workers,
) -> Content {
    let data = instances.data.wrapping_add(range.primitive_offset.into());
    let read = |index: u32| {
        let (transform, motion, at) = load_motion(memory, place_of(memory, &instances, data, index)?)?;
        let reference = memory.load::<u64>(at.wrapping_add(8));
        if reference == 0 {
            return None;
        }
        let [custom_and_mask, offset_and_flags] =
            [0, 4].map(|offset| memory.load::<u32>(at.wrapping_add(offset)));
        Some(Placement {
            index,
            transform,
            custom_index: custom_and_mask & 0xff_ffff,
            mask: custom_and_mask >> 24,
            sbt_offset: offset_and_flags & 0xff_ffff,
            flags: offset_and_flags >> 24,
            structure: resolve(reference)?,
            motion,
        })
    };
    let mut placements = Vec::new();
    collect(range.primitive_count, readers, &read, &mut placements);
    Content::of_instances(placements, workers)
}
