//! Structures of clusters (`VK_NV_cluster_acceleration_structure`) beside ordinary ones of the same
//! triangles.

use super::*;
use vulkanalia::vk::NvClusterAccelerationStructureExtensionDeviceCommands as _;

pub(super) type Op = vk::ClusterAccelerationStructureOpTypeNV;
type Mode = vk::ClusterAccelerationStructureOpModeNV;
type Resolution = vk::ClusterAccelerationStructureAddressResolutionFlagsNV;

/// What a command makes at most.
#[derive(Clone, Copy)]
pub(super) enum Limits {
    Triangles(vk::Format),
    Bottom(u32),
    Move(vk::ClusterAccelerationStructureTypeNV, bool),
}

pub(super) const FLOATS: Limits = Limits::Triangles(vk::Format::R32G32B32_SFLOAT);

/// Where results go.
#[derive(Clone, Copy)]
pub(super) enum Place<'p> {
    Implicit,
    Explicit(&'p [u64]),
    Sizes,
}

/// What a command gives back: addresses and sizes.
pub(super) struct Made {
    pub(super) addresses: Vec<u64>,
    sizes: Vec<u32>,
}

pub(super) fn halves(address: u64) -> [u32; 2] {
    [address as u32, (address >> 32) as u32]
}

fn long(words: &[u32]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}

impl Rays {
    /// Its pipeline says the number of the cluster in place of an instance's custom index.
    fn of_clusters() -> Rays {
        let mut rays = Rays::new();
        let shader = include_str!("query.comp.spvasm")
            .replacen(
                "OpCapability RayQueryKHR",
                "OpCapability RayQueryKHR\nOpCapability RayTracingClusterAccelerationStructureNV",
                1,
            )
            .replacen("OpExtension", "OpExtension \"SPV_NV_cluster_acceleration_structure\"\nOpExtension", 1);
        let custom = "OpRayQueryGetIntersectionInstanceCustomIndexKHR %int %query %int_1";
        assert!(shader.contains(custom));
        let shader = shader.replace(custom, "OpRayQueryGetIntersectionClusterIdNV %int %query %int_1");
        rays.pipeline = rays.context.pipeline(rays.layout, &shader);
        rays
    }

    /// A buffer of so many bytes with what structures' memory is used for, and its address, a multiple of
    /// 256.
    pub(super) fn room(&self, bytes: u64) -> u64 {
        let usage = vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR
            | vk::BufferUsageFlags::STORAGE_BUFFER
            | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let buffer = self.context.buffer_with(bytes.div_ceil(4) as usize + 64, usage);
        self.address(&buffer).next_multiple_of(256)
    }

    fn with_input<R>(
        &self,
        op: Op,
        mode: Mode,
        (count, limits): (u32, Limits),
        body: impl FnOnce(&vk::ClusterAccelerationStructureInputInfoNV) -> R,
    ) -> R {
        let mut triangles = vk::ClusterAccelerationStructureTriangleClusterInputNV {
            max_geometry_index_value: 1000,
            max_cluster_unique_geometry_count: 8,
            max_cluster_triangle_count: 256,
            max_cluster_vertex_count: 256,
            max_total_triangle_count: 256 * count,
            max_total_vertex_count: 256 * count,
            ..Default::default()
        };
        let mut bottom = vk::ClusterAccelerationStructureClustersBottomLevelInputNV::default();
        let mut moved = vk::ClusterAccelerationStructureMoveObjectsInputNV {
            max_moved_bytes: 1 << 30,
            ..Default::default()
        };
        let op_input = match limits {
            Limits::Triangles(format) => {
                triangles.vertex_format = format;
                vk::ClusterAccelerationStructureOpInputNV { triangle_clusters: &mut triangles }
            }
            Limits::Bottom(clusters) => {
                bottom.max_total_cluster_count = clusters * count;
                bottom.max_cluster_count_per_acceleration_structure = clusters;
                vk::ClusterAccelerationStructureOpInputNV { clusters_bottom_level: &mut bottom }
            }
            Limits::Move(ty, keeps_sources) => {
                moved.type_ = ty;
                moved.no_move_overlap = keeps_sources.into();
                vk::ClusterAccelerationStructureOpInputNV { move_objects: &mut moved }
            }
        };
        let input = vk::ClusterAccelerationStructureInputInfoNV {
            max_acceleration_structure_count: count,
            flags: vk::BuildAccelerationStructureFlagsKHR::ALLOW_CLUSTER_OPACITY_MICROMAPS_NV,
            op_type: op,
            op_mode: mode,
            op_input,
            ..Default::default()
        };
        body(&input)
    }

    /// What `vkGetClusterAccelerationStructureBuildSizesNV` says.
    fn cluster_sizes(&self, op: Op, mode: Mode, count: u32, limits: Limits) -> u64 {
        let mut sizes = vk::AccelerationStructureBuildSizesInfoKHR::default();
        self.with_input(op, mode, (count, limits), |input| unsafe {
            self.context.device.get_cluster_acceleration_structure_build_sizes_nv(input, &mut sizes);
        });
        sizes.acceleration_structure_size
    }

    /// Runs a command for infos of so many words each.
    pub(super) fn clusters(&self, op: Op, limits: Limits, place: Place<'_>, infos: &[Vec<u32>]) -> Made {
        self.clusters_with(op, limits, place, infos, (0, Resolution::empty()))
    }

    /// The same with `srcInfosCount`, and addresses that lie in memory.
    fn clusters_with(
        &self,
        op: Op,
        limits: Limits,
        place: Place<'_>,
        infos: &[Vec<u32>],
        (info_count, resolution): (u64, Resolution),
    ) -> Made {
        let count = infos.len();
        let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let addresses = self.context.buffer_with(2 * count, usage);
        let sizes = self.context.buffer_with(count, usage);
        (0..count).for_each(|index| sizes.put(index, 99));
        let mode = match place {
            Place::Implicit => Mode::IMPLICIT_DESTINATIONS,
            Place::Explicit(places) => {
                let words = places.iter().flat_map(|&place| halves(place));
                words.enumerate().for_each(|(index, word)| addresses.put(index, word));
                Mode::EXPLICIT_DESTINATIONS
            }
            Place::Sizes => Mode::COMPUTE_SIZES,
        };
        let bytes = match limits {
            Limits::Move(..) => 1 << 20,
            _ => {
                let bytes = self.cluster_sizes(op, mode, count as u32, limits);
                assert_eq!(bytes == 0, matches!(place, Place::Sizes));
                bytes
            }
        };
        let destination = if mode == Mode::IMPLICIT_DESTINATIONS { self.room(bytes) } else { 0 };
        let (info_bytes, words) = (4 * infos[0].len() as u64, infos.concat());
        let region = |address: u64, stride: u64| vk::StridedDeviceAddressRegionKHR {
            device_address: address,
            stride,
            size: stride * count as u64,
        };
        let resolved = |address: u64, flag: Resolution| match resolution.contains(flag) {
            true => self.data(&halves(address)),
            false => address,
        };
        self.with_input(op, mode, (count as u32, limits), |input| {
            let info = vk::ClusterAccelerationStructureCommandsInfoNV {
                input: *input,
                dst_implicit_data: resolved(destination, Resolution::INDIRECTED_DST_IMPLICIT_DATA),
                scratch_data: self.room(1 << 16),
                dst_addresses_array: region(
                    resolved(self.address(&addresses), Resolution::INDIRECTED_DST_ADDRESS_ARRAY),
                    8,
                ),
                dst_sizes_array: region(
                    resolved(self.address(&sizes), Resolution::INDIRECTED_DST_SIZES_ARRAY),
                    4,
                ),
                src_infos_array: region(
                    resolved(self.data(&words), Resolution::INDIRECTED_SRC_INFOS_ARRAY),
                    info_bytes,
                ),
                src_infos_count: match info_count {
                    0 => 0,
                    address => resolved(address, Resolution::INDIRECTED_SRC_INFOS_COUNT),
                },
                address_resolution_flags: resolution,
                ..Default::default()
            };
            self.context.run(|commands| unsafe {
                self.context.device.cmd_build_cluster_acceleration_structure_indirect_nv(commands, &info);
            });
        });
        let addresses = addresses.words().chunks(2).map(long).collect();
        Made { addresses, sizes: sizes.words() }
    }

    /// A top-level structure of one instance of what is at an address.
    fn single_at(&self, address: u64, flags: u32) -> Structure {
        self.top(&[Rays::instance(IDENTITY, [77, 0xff, 0, flags], address)])
    }

    /// The structure of some clusters, and a top-level one of it.
    pub(super) fn bottom_of(&self, clusters: &[u64]) -> u64 {
        let references: Vec<u32> = clusters.iter().flat_map(|&cluster| halves(cluster)).collect();
        let [low, high] = halves(self.data(&references));
        let info = vec![clusters.len() as u32, 8, low, high];
        let limits = Limits::Bottom(clusters.len() as u32);
        self.clusters(Op::BUILD_CLUSTERS_BOTTOM_LEVEL, limits, Place::Implicit, &[info]).addresses[0]
    }
}

/// Flags of a geometry, in the high bits of its word.
const CULL_DISABLE: u32 = 1 << 29;
pub(super) const OPAQUE: u32 = 4 << 29;

/// A cluster of triangles in a strip along x at a height, each of its own geometry.
struct Strip {
    id: u32,
    x: f32,
    z: f32,
    triangles: u32,
    base: u32,
}

impl Strip {
    fn vertices(&self) -> Vec<[f32; 3]> {
        let vertex = |number: u32| [self.x + (number / 2) as f32, (number % 2) as f32, self.z];
        (0..self.triangles + 2).map(vertex).collect()
    }

    fn corners(&self) -> Vec<[u32; 3]> {
        // All of one winding.
        let corners = |first: u32| match first % 2 {
            0 => [first, first + 2, first + 1],
            _ => [first, first + 1, first + 2],
        };
        (0..self.triangles).map(corners).collect()
    }

    fn info(&self, rays: &Rays, index_bytes: u32, has_vertices: bool) -> Vec<u32> {
        let mut bytes: Vec<u8> = Vec::new();
        for corner in self.corners().as_flattened() {
            bytes.extend(&corner.to_le_bytes()[..index_bytes as usize]);
        }
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let words: Vec<u32> =
            bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four"))).collect();
        let counts = self.triangles | (self.triangles + 2) << 9 | index_bytes << 24;
        let vertices = if has_vertices { rays.floats(self.vertices().as_flattened()) } else { 0 };
        let mut info = vec![self.id, 0, counts, self.base, 0, 0];
        for address in [rays.data(&words), vertices, 0, 0, 0] {
            info.extend(halves(address));
        }
        info
    }
}

/// A row of places above the strips.
fn row() -> Vec<Ray> {
    (0..24).flat_map(|step| [down(step as f32 + 0.2, 0.3), down(step as f32 + 0.7, 0.6)]).collect()
}

/// Kinds of intersections, parameters and all numbers but the first.
fn facts(found: &[Found]) -> Vec<[u32; 7]> {
    let one = |found: &Found| {
        let [_, instance, offset, geometry, primitive] = found.numbers();
        let (candidates, _) = found.candidates();
        [found.kind(), found.t(), instance, offset, geometry, primitive, candidates].map(f32::to_bits)
    };
    found.iter().map(one).collect()
}

/// Of each hit, which strip it is of by the number of the cluster.
fn ids(found: &[Found]) -> Vec<Option<u32>> {
    found.iter().map(|found| (found.kind() == 1.0).then(|| found.numbers()[0] as u32)).collect()
}

const STRIPS: [Strip; 3] = [
    Strip { id: 9, x: 0.0, z: 0.0, triangles: 16, base: OPAQUE },
    Strip { id: 70_000, x: 10.0, z: 1.0, triangles: 5, base: 3 | OPAQUE },
    Strip { id: 0, x: 3.0, z: -2.0, triangles: 40, base: 5 },
];

/// An ordinary structure of the strips, each a geometry.
fn plain(rays: &Rays) -> Structure {
    let geometry = |number: u32| {
        let strip = STRIPS.iter().find(|strip| strip.base & 0xff == number);
        let empty = Strip { id: 0, x: 0.0, z: 0.0, triangles: 0, base: 0 };
        let strip = strip.unwrap_or(&empty);
        let data = vk::AccelerationStructureGeometryTrianglesDataKHR {
            vertex_format: vk::Format::R32G32B32_SFLOAT,
            vertex_data: at(rays.floats(strip.vertices().as_flattened())),
            vertex_stride: 12,
            max_vertex: strip.triangles + 1,
            index_type: vk::IndexType::UINT32,
            index_data: at(rays.data(strip.corners().as_flattened())),
            ..Default::default()
        };
        (triangles(data, strip.base & OPAQUE != 0), range(strip.triangles))
    };
    let (geometries, ranges): (Vec<_>, Vec<_>) = (0..6).map(geometry).unzip();
    rays.single(rays.build(Type::BOTTOM_LEVEL, &geometries, &ranges))
}

fn expected_ids(rays: &Rays, plain: Structure, places: &[Ray]) -> Vec<Option<u32>> {
    let found = rays.trace_one(plain, places);
    let id = |found: &Found| {
        let geometry = found.numbers()[3] as u32;
        STRIPS.iter().find(|strip| strip.base & 0xff == geometry).map(|strip| strip.id)
    };
    found.iter().map(|found| if found.kind() == 1.0 { id(found) } else { None }).collect()
}

/// Clusters that are built or instantiated, with destinations of either kind, have the hits of the same
/// triangles, and sizes are those that were said before.
#[test]
fn cluster_structures_have_the_hits_of_their_triangles() {
    let rays = Rays::of_clusters();
    let plain = plain(&rays);
    let mut places = row();
    places.extend(row().into_iter().map(|ray| Ray { mode: CONFIRM, ..ray }));
    places.extend(row().into_iter().map(|ray| Ray { flags: 0x10, mode: CONFIRM, ..ray }));
    places.extend(row().into_iter().map(|ray| Ray { flags: 0x20, mode: CONFIRM, ..ray }));
    let expected = (facts(&rays.trace_one(plain, &places)), expected_ids(&rays, plain, &places));
    assert!(expected.1.iter().filter(|id| id.is_some()).count() > 60);
    assert!(expected.0.iter().any(|facts| facts[6] != 0), "candidates");
    let check = |clusters: &[u64], what: &str| {
        let top = rays.single_at(rays.bottom_of(clusters), 0);
        let found = rays.trace_one(top, &places);
        assert_eq!(facts(&found), expected.0, "{what}");
        assert_eq!(ids(&found), expected.1, "{what}");
    };
    for index_bytes in [1, 2, 4] {
        let infos: Vec<_> = STRIPS.iter().map(|strip| strip.info(&rays, index_bytes, true)).collect();
        let op = Op::BUILD_TRIANGLE_CLUSTER;
        let sizes = rays.clusters(op, FLOATS, Place::Sizes, &infos).sizes;
        let built = rays.clusters(op, FLOATS, Place::Implicit, &infos);
        assert_eq!(built.sizes, sizes);
        assert!(sizes[1] < sizes[0] && sizes[0] < sizes[2]);
        let places: Vec<_> = built.addresses.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(places, [u64::from(sizes[0]), u64::from(sizes[1])], "tightly packed");
        assert!(sizes.iter().all(|size| size % 128 == 0));
        check(&built.addresses, "implicit");
        let one = rays.cluster_sizes(op, Mode::EXPLICIT_DESTINATIONS, 3, FLOATS);
        assert!(u64::from(sizes[2]) <= one);
        let explicit = [0; 3].map(|_| rays.room(one));
        let made = rays.clusters(op, FLOATS, Place::Explicit(&explicit), &infos);
        assert_eq!(made.sizes, [99; 3], "these are the application's");
        check(&explicit, "explicit");
        // Vertices that the template has, or that it gets.
        for has_vertices in [true, false] {
            let info = |strip: &Strip| [strip.info(&rays, index_bytes, has_vertices), vec![0; 2]].concat();
            let infos: Vec<_> = STRIPS.iter().map(info).collect();
            let op = Op::BUILD_TRIANGLE_CLUSTER_TEMPLATE;
            let sizes = rays.clusters(op, FLOATS, Place::Sizes, &infos).sizes;
            let templates = rays.clusters(op, FLOATS, Place::Implicit, &infos);
            assert_eq!(templates.sizes, sizes);
            let info = |(strip, &template): (&Strip, &u64)| {
                let vertices = if has_vertices { 0 } else { rays.floats(strip.vertices().as_flattened()) };
                let mut info = vec![0, 0];
                [template, vertices, 12].iter().for_each(|&value| info.extend(halves(value)));
                info
            };
            let infos: Vec<_> = STRIPS.iter().zip(&templates.addresses).map(info).collect();
            let op = Op::INSTANTIATE_TRIANGLE_CLUSTER;
            let sizes = rays.clusters(op, FLOATS, Place::Sizes, &infos).sizes;
            let made = rays.clusters(op, FLOATS, Place::Implicit, &infos);
            assert_eq!(made.sizes, sizes);
            assert_eq!(sizes, built.sizes);
            check(&made.addresses, "instantiated");
            // The numbers of the vertices, a byte each.
            let infos: Vec<_> = templates.addresses.iter().map(|&at| halves(at).to_vec()).collect();
            let op = Op::GET_CLUSTER_TEMPLATE_INDICES;
            let sizes = rays.clusters(op, FLOATS, Place::Sizes, &infos).sizes;
            assert_eq!(sizes, STRIPS.each_ref().map(|strip| 3 * strip.triangles));
            let usage = vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
            let buffers = [0; 3].map(|_| rays.context.buffer_with(64, usage));
            let to = buffers.each_ref().map(|buffer| rays.address(buffer));
            rays.clusters(op, FLOATS, Place::Explicit(&to), &infos);
            for (buffer, strip) in buffers.iter().zip(&STRIPS) {
                let bytes: Vec<u8> = buffer.words().iter().flat_map(|word| word.to_le_bytes()).collect();
                let expected: Vec<u8> =
                    strip.corners().as_flattened().iter().map(|&corner| corner as u8).collect();
                assert_eq!(bytes[..expected.len()], expected);
            }
        }
        // Copies, then moves.
        let infos: Vec<_> = built.addresses.iter().map(|&at| halves(at).to_vec()).collect();
        let ty = vk::ClusterAccelerationStructureTypeNV::TRIANGLE_CLUSTER;
        let op = Op::MOVE_OBJECTS;
        assert_eq!(rays.clusters(op, Limits::Move(ty, true), Place::Sizes, &infos).sizes, built.sizes);
        let copies = rays.clusters(op, Limits::Move(ty, true), Place::Implicit, &infos);
        assert_eq!(copies.sizes, built.sizes);
        check(&copies.addresses, "copied");
        check(&built.addresses, "still there");
        let to = [0; 3].map(|_| rays.room(one));
        rays.clusters(op, Limits::Move(ty, false), Place::Explicit(&to), &infos);
        check(&to, "moved");
        let none = rays.trace_one(rays.single_at(rays.bottom_of(&built.addresses), 0), &row());
        assert!(none.iter().all(|found| found.kind() == 0.0), "they are elsewhere");
    }
}

/// A structure that is moved, its address in several levels of memory, and its infos' count there too.
#[test]
fn cluster_commands_read_addresses_and_counts_at_execution() {
    let rays = Rays::of_clusters();
    let infos: Vec<_> = STRIPS.iter().map(|strip| strip.info(&rays, 2, true)).collect();
    let op = Op::BUILD_TRIANGLE_CLUSTER;
    let indirect = Resolution::INDIRECTED_DST_IMPLICIT_DATA
        | Resolution::INDIRECTED_DST_ADDRESS_ARRAY
        | Resolution::INDIRECTED_DST_SIZES_ARRAY
        | Resolution::INDIRECTED_SRC_INFOS_ARRAY
        | Resolution::INDIRECTED_SRC_INFOS_COUNT;
    let all = rays.clusters_with(op, FLOATS, Place::Implicit, &infos, (rays.data(&[3]), indirect));
    let bottom = rays.bottom_of(&all.addresses);
    let plain = plain(&rays);
    let expected = expected_ids(&rays, plain, &row());
    assert_eq!(ids(&rays.trace_one(rays.single_at(bottom, 0), &row())), expected);
    // Two of three, and no more than there are.
    let two = rays.clusters_with(op, FLOATS, Place::Implicit, &infos, (rays.data(&[2]), Resolution::empty()));
    assert_eq!((two.sizes[2], two.addresses[2]), (99, 0));
    assert_eq!(two.sizes[..2], all.sizes[..2]);
    let count = rays.data(&[u32::MAX]);
    let most = rays.clusters_with(op, FLOATS, Place::Implicit, &infos, (count, Resolution::empty()));
    assert_eq!(most.sizes, all.sizes);
    // The structure at another place, where the instances of another top-level one find it.
    let ty = vk::ClusterAccelerationStructureTypeNV::CLUSTERS_BOTTOM_LEVEL;
    let infos = [halves(bottom).to_vec()];
    let moved = rays.clusters(Op::MOVE_OBJECTS, Limits::Move(ty, false), Place::Implicit, &infos);
    assert_ne!(moved.addresses[0], bottom);
    let top = rays.single_at(moved.addresses[0], 0);
    assert_eq!(ids(&rays.trace_one(top, &row())), expected);
    let gone = rays.trace_one(rays.single_at(bottom, 0), &row());
    assert!(gone.iter().all(|found| found.kind() == 0.0));
    // Addresses of nothing, and of other objects than clusters, are left out.
    let wrong = [all.addresses[0], 0, 12_345, moved.addresses[0], all.addresses[2]];
    let found = rays.trace_one(rays.single_at(rays.bottom_of(&wrong), 0), &row());
    let some: Vec<_> = ids(&found).into_iter().flatten().collect();
    assert!(some.contains(&9) && !some.contains(&70_000), "{some:?}");
    let top = rays.single_at(all.addresses[0], 0);
    let found = rays.trace_one(top, &row());
    assert!(found.iter().all(|found| found.kind() == 0.0), "a cluster is no structure");
    // Another object where one was.
    let to = [all.addresses[0] + 128];
    let strip = [STRIPS[1].info(&rays, 1, true)];
    rays.clusters(op, FLOATS, Place::Explicit(&to), &strip);
    let found = rays.trace_one(rays.single_at(rays.bottom_of(&[all.addresses[0], to[0]]), 0), &row());
    let some: Vec<_> = ids(&found).into_iter().flatten().collect();
    assert!(some.contains(&70_000) && !some.contains(&9), "{some:?}");
}

/// Ordinary structures have no clusters, and each triangle of a cluster its geometry, flags and truncated
/// vertices.
#[test]
fn triangles_of_clusters_have_geometries_and_truncated_vertices() {
    let rays = Rays::of_clusters();
    let (geometry, count) = rays.square(true);
    let square = rays.single(rays.build(Type::BOTTOM_LEVEL, &[geometry], &[count]));
    let found = rays.trace_one(square, &[down(0.25, 0.75), down(5.0, 0.75)]);
    assert_eq!(found[0].numbers()[0], -1.0);
    let strip = Strip { id: 4, x: 0.0, z: 1.4, triangles: 4, base: 100 };
    let mut info = strip.info(&rays, 2, true);
    // All but the first eight bits after the point: 1.4 becomes 1.25 where only two are left.
    info[2] |= 21 << 18;
    // Geometries three words apart.
    let words = [1 | OPAQUE, 0, 0, 2, 0, 0, 0xff_ffff | CULL_DISABLE, 0, 0, 7 | OPAQUE | CULL_DISABLE];
    info[5] = 12;
    info[10..12].copy_from_slice(&halves(rays.data(&words)));
    let cluster = rays.clusters(Op::BUILD_TRIANGLE_CLUSTER, FLOATS, Place::Implicit, &[info]).addresses[0];
    let top = rays.single_at(rays.bottom_of(&[cluster]), 0);
    let places = [(0.2, 0.3), (0.7, 0.6), (1.2, 0.3), (1.7, 0.6)].map(|(x, y)| down(x, y));
    let all = |flags: u32| {
        let rays_of = places.map(|ray| Ray { flags, mode: CONFIRM, ..ray });
        let found = rays.trace_one(top, &rays_of);
        let fact = |found: &Found| (found.kind(), found.candidates().0, found.numbers()[3], found.t());
        found.iter().map(fact).collect::<Vec<_>>()
    };
    let t = (10.0 - 1.25) / 2.0;
    let every = [(1.0, 0.0, 101.0, t), (1.0, 1.0, 102.0, t), (1.0, 1.0, 99.0, t), (1.0, 0.0, 107.0, t)];
    assert_eq!(all(0), every);
    let none = (0.0, 0.0, 0.0, 0.0);
    let culled = [0x10, 0x20].map(all);
    let has_culled = culled.iter().position(|found| found[0].0 == 0.0).expect("one of the faces");
    let found = &culled[has_culled];
    assert_eq!([found[0].0, found[1].0], [none.0; 2]);
    assert_eq!(found[2..], every[2..], "faces of these are not culled");
    assert_eq!(culled[1 - has_culled], every);
    // Vertices of sixteen bits, with room between them.
    let half = |value: f32| -> u32 {
        let bits = value.to_bits();
        if value == 0.0 {
            0
        } else {
            (bits >> 16 & 0x8000) | ((bits >> 23 & 0xff) - 112) << 10 | (bits >> 13 & 0x3ff)
        }
    };
    let vertices: Vec<u32> = Strip { z: 2.5, ..strip }
        .vertices()
        .iter()
        .flat_map(|&[x, y, z]| [half(x) | half(y) << 16, half(z), 0xffff_ffff])
        .collect();
    let strip = Strip { id: 4, x: 0.0, z: 2.5, triangles: 4, base: OPAQUE };
    let mut info = strip.info(&rays, 4, false);
    info[4] = 12 << 16;
    info[8..10].copy_from_slice(&halves(rays.data(&vertices)));
    let halves_only = Limits::Triangles(vk::Format::R16G16B16A16_SFLOAT);
    let op = Op::BUILD_TRIANGLE_CLUSTER;
    let cluster = rays.clusters(op, halves_only, Place::Implicit, &[info]).addresses[0];
    let found = rays.trace_one(rays.single_at(rays.bottom_of(&[cluster]), 0), &places);
    let found: Vec<_> = found.iter().map(|found| (found.kind(), found.t())).collect();
    assert!(found.iter().all(|&(kind, t)| kind == 1.0 && (t - 3.75).abs() < 1e-5), "{found:?}");
}

/// Memory that is freed has no clusters any more: what comes there is not one.
#[test]
fn freed_memory_has_no_clusters() {
    let rays = Rays::of_clusters();
    let device = &rays.context.device;
    let info = STRIPS[0].info(&rays, 1, true);
    let op = Op::BUILD_TRIANGLE_CLUSTER;
    let bytes = rays.cluster_sizes(op, Mode::EXPLICIT_DESTINATIONS, 1, FLOATS);
    let buffer = vk::BufferCreateInfo::builder().size(bytes).usage(
        vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR
            | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS,
    );
    let mut flags = vk::MemoryAllocateFlagsInfo::builder().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
    let (buffer, memory, address) = unsafe {
        let buffer = device.create_buffer(&buffer, None).expect("a buffer");
        let needs = device.get_buffer_memory_requirements(buffer);
        let info = vk::MemoryAllocateInfo::builder().allocation_size(needs.size).push_next(&mut flags);
        let memory = device.allocate_memory(&info, None).expect("memory");
        device.bind_buffer_memory(buffer, memory, 0).expect("bound");
        let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer);
        (buffer, memory, device.get_buffer_device_address(&info))
    };
    rays.clusters(op, FLOATS, Place::Explicit(&[address]), &[info]);
    let hits = || {
        let found = rays.trace_one(rays.single_at(rays.bottom_of(&[address]), 0), &row());
        found.iter().filter(|found| found.kind() == 1.0).count()
    };
    assert!(hits() > 0);
    unsafe {
        device.destroy_buffer(buffer, None);
        device.free_memory(memory, None);
    }
    assert_eq!(hits(), 0);
}
