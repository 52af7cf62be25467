//! Opacity micromaps: by `VK_EXT_opacity_micromap` and by `VK_KHR_opacity_micromap`.

use super::clusters::{self, FLOATS, Op, Place, halves};
use super::*;
use pyro_driver::registry_supplement as new;
use pyro_random::Random;
use vulkanalia::vk::ExtOpacityMicromapExtensionDeviceCommands as _;

const MICROMAP: Type = new::ACCELERATION_STRUCTURE_TYPE_OPACITY_MICROMAP_KHR;
const TWO_STATES: u32 = 1;
const FOUR_STATES: u32 = 2;

/// The centers of the microtriangles of a level, in the order of their states.
fn centers([a, b, c]: [[f32; 2]; 3], level: u32, to: &mut Vec<[f32; 2]>) {
    if level == 0 {
        to.push([0, 1].map(|axis| (a[axis] + b[axis] + c[axis]) / 3.0));
        return;
    }
    let middle = |p: [f32; 2], q: [f32; 2]| [0, 1].map(|axis| 0.5 * (p[axis] + q[axis]));
    let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
    for part in [[a, ab, ca], [ca, bc, ab], [ab, b, bc], [bc, ca, c]] {
        centers(part, level - 1, to);
    }
}

const WHOLE: [[f32; 2]; 3] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];

/// What a ray finds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Finds {
    Nothing,
    Candidate,
    Hit,
}

fn finds(found: &Found) -> Finds {
    match (found.candidates().0, found.kind()) {
        (0.0, 0.0) => Finds::Nothing,
        (1.0, 0.0) => Finds::Candidate,
        (0.0, 1.0) => Finds::Hit,
        other => panic!("{other:?}"),
    }
}

/// Ray flags and instance flags.
const OPAQUE: u32 = 1;
const NO_OPAQUE: u32 = 2;
const CULL_OPAQUE: u32 = 0x40;
const CULL_NO_OPAQUE: u32 = 0x80;
const FORCE_2_STATE: u32 = 0x400;
const INSTANCE_OPAQUE: u32 = 4;
const INSTANCE_NO_OPAQUE: u32 = 8;
const INSTANCE_2_STATE: u32 = 0x10;
const INSTANCE_DISABLE: u32 = 0x20;

/// What a state says under these flags; none where there is no micromap.
fn expected(state: Option<u32>, geometry_opaque: bool, ray: u32, instance: u32) -> Finds {
    let state = state.filter(|_| instance & INSTANCE_DISABLE == 0);
    let is_forced = ray & FORCE_2_STATE != 0 || instance & INSTANCE_2_STATE != 0;
    let state = state.map(|state| if is_forced { state & 1 } else { state });
    let opaque = match state {
        None => geometry_opaque,
        Some(0) => return Finds::Nothing,
        Some(state) => state == 1,
    };
    let opaque = match () {
        () if ray & OPAQUE != 0 => true,
        () if ray & NO_OPAQUE != 0 => false,
        () if instance & INSTANCE_OPAQUE != 0 => true,
        () if instance & INSTANCE_NO_OPAQUE != 0 => false,
        () => opaque,
    };
    match opaque {
        true if ray & CULL_OPAQUE != 0 => Finds::Nothing,
        false if ray & CULL_NO_OPAQUE != 0 => Finds::Nothing,
        true => Finds::Hit,
        false => Finds::Candidate,
    }
}

/// Bytes of the states of a triangle.
fn state_bytes(level: u32, format: u32) -> usize {
    ((format << (2 * level)) as usize).div_ceil(8)
}

fn state_of(states: &[u8], format: u32, index: usize) -> u32 {
    let bit = index * format as usize;
    u32::from(states[bit / 8]) >> (bit % 8) & ((1 << format) - 1)
}

/// Triangles of one micromap: level and format; and their states.
struct Map {
    triangles: Vec<(u32, u32, Vec<u8>)>,
}

impl Map {
    fn random(seed: u64, triangles: &[(u32, u32)]) -> Map {
        let mut random = Random::new(seed);
        let triangle = |&(level, format): &(u32, u32)| {
            let bytes = (0..state_bytes(level, format)).map(|_| random.below(256) as u8).collect();
            (level, format, bytes)
        };
        Map { triangles: triangles.iter().map(triangle).collect() }
    }

    /// Addresses of the states and of the triangles.
    fn data(&self, rays: &Rays) -> [u64; 2] {
        let (mut bytes, mut triangles) = (vec![0xee], Vec::new());
        for (level, format, states) in &self.triangles {
            triangles.extend([bytes.len() as u32, level | format << 16]);
            bytes.extend(states);
        }
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        let words: Vec<u32> =
            bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four"))).collect();
        [rays.data(&words), rays.data(&triangles)]
    }

    fn usages(&self) -> Vec<vk::MicromapUsageEXT> {
        let usage = |(level, format, _): &(u32, u32, Vec<u8>)| vk::MicromapUsageEXT {
            count: 1,
            subdivision_level: *level,
            format: *format,
        };
        self.triangles.iter().map(usage).collect()
    }
}

/// A micromap of either extension.
#[derive(Clone, Copy)]
enum Micromap {
    Ext(vk::MicromapEXT),
    Khr(Structure),
    None,
}

impl Rays {
    fn empty_micromap(&self, size: u64) -> vk::MicromapEXT {
        let usage = vk::BufferUsageFlags::MICROMAP_STORAGE_EXT | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let buffer = self.context.buffer_with(size.div_ceil(4) as usize, usage);
        let mut info = vk::MicromapCreateInfoEXT::builder().buffer(buffer.buffer).size(size);
        info.type_ = vk::MicromapTypeEXT::OPACITY_MICROMAP;
        unsafe { self.context.device.create_micromap_ext(&info, None) }.expect("a micromap")
    }

    /// Builds by `VK_EXT_opacity_micromap`, on the device or the host.
    fn micromap(&self, map: &Map, on_host: bool) -> vk::MicromapEXT {
        let usages = map.usages();
        let [data, triangles] = map.data(self);
        let mut info = vk::MicromapBuildInfoEXT::builder()
            .mode(vk::BuildMicromapModeEXT::BUILD)
            .usage_counts(&usages)
            .data(at(data))
            .triangle_array(at(triangles))
            .triangle_array_stride(8);
        info.type_ = vk::MicromapTypeEXT::OPACITY_MICROMAP;
        let device = &self.context.device;
        let mut sizes = vk::MicromapBuildSizesInfoEXT::default();
        let ty = vk::AccelerationStructureBuildTypeKHR::DEVICE;
        unsafe { device.get_micromap_build_sizes_ext(ty, &info, &mut sizes) };
        let states: usize = map.triangles.iter().map(|(_, _, states)| states.len()).sum();
        assert!(sizes.micromap_size as usize >= states && sizes.build_scratch_size > 0);
        info.dst_micromap = self.empty_micromap(sizes.micromap_size);
        if on_host {
            // Addresses of the device are those of the host.
            unsafe { device.build_micromaps_ext(NO_OPERATION(), &[info]) }.expect("built");
        } else {
            self.context.run(|commands| unsafe { device.cmd_build_micromaps_ext(commands, &[info]) });
        }
        info.dst_micromap
    }

    /// Builds by `VK_KHR_opacity_micromap`.
    fn micromap_structure(&self, map: &Map) -> Structure {
        let usages: Vec<new::MicromapUsageKHR> = map
            .triangles
            .iter()
            .map(|(level, format, _)| new::MicromapUsageKHR {
                count: 1,
                subdivision_level: *level,
                format: vk::OpacityMicromapFormatEXT::from_raw(*format as i32),
            })
            .collect();
        let [data, triangles] = map.data(self);
        let data = new::AccelerationStructureGeometryMicromapDataKHR {
            usage_counts_count: usages.len() as u32,
            usage_counts: usages.as_ptr(),
            data,
            triangle_array: triangles,
            triangle_array_stride: 8,
            ..Default::default()
        };
        let geometry = vk::AccelerationStructureGeometryKHR {
            next: (&raw const data).cast(),
            geometry_type: new::GEOMETRY_TYPE_MICROMAP_KHR,
            ..Default::default()
        };
        self.build(MICROMAP, &[geometry], &[range(usages.len() as u32)])
    }

    /// A structure of so many whole triangles, the number `n` at `x = n`, with a micromap.
    fn mapped(
        &self,
        triangle_count: u32,
        micromap: Micromap,
        (index_type, indices, base): (vk::IndexType, u64, u32),
        opaque: bool,
    ) -> Structure {
        let vertices = (0..triangle_count)
            .flat_map(|number| WHOLE.map(|[x, y]| [x + number as f32, y, 0.0]))
            .flatten()
            .collect::<Vec<_>>();
        let stride = match index_type {
            vk::IndexType::NONE_KHR => 0,
            vk::IndexType::UINT8 => 1,
            vk::IndexType::UINT16 => 2,
            _ => 4,
        };
        let mut ext = vk::AccelerationStructureTrianglesOpacityMicromapEXT {
            index_type,
            index_buffer: at(indices),
            index_stride: stride,
            base_triangle: base,
            ..Default::default()
        };
        let mut khr = new::AccelerationStructureTrianglesOpacityMicromapKHR {
            index_type,
            index_buffer: indices,
            index_stride: stride,
            base_triangle: base,
            ..Default::default()
        };
        let next = match micromap {
            Micromap::Khr(structure) => {
                khr.micromap = structure;
                (&raw const khr).cast()
            }
            Micromap::Ext(micromap) => {
                ext.micromap = micromap;
                (&raw mut ext).cast::<std::ffi::c_void>().cast_const()
            }
            Micromap::None => (&raw const ext).cast(),
        };
        let data = vk::AccelerationStructureGeometryTrianglesDataKHR {
            next,
            vertex_format: vk::Format::R32G32B32_SFLOAT,
            vertex_data: at(self.floats(&vertices)),
            vertex_stride: 12,
            max_vertex: 3 * triangle_count - 1,
            index_type: vk::IndexType::NONE_KHR,
            ..Default::default()
        };
        self.build(Type::BOTTOM_LEVEL, &[triangles(data, opaque)], &[range(triangle_count)])
    }

    /// The same as a structure of one cluster, with indices of so many bytes at an address, and the
    /// geometries' words: of the whole cluster, and of its triangles, if they have any. Gives its address.
    fn mapped_cluster(
        &self,
        triangle_count: u32,
        micromap: u64,
        (index_bytes, indices): (u32, u64),
        (base, geometries): (u32, u64),
    ) -> u64 {
        let corners: Vec<u32> = (0..3 * triangle_count).collect();
        let vertices = (0..triangle_count)
            .flat_map(|number| WHOLE.map(|[x, y]| [x + number as f32, y, 0.0]))
            .flatten()
            .collect::<Vec<_>>();
        let counts = triangle_count | (3 * triangle_count) << 9 | 4 << 24 | index_bytes << 28;
        let mut info = vec![1, 0, counts, base, 0, 0];
        for address in [self.data(&corners), self.floats(&vertices), geometries, micromap, indices] {
            info.extend(halves(address));
        }
        let made = self.clusters(Op::BUILD_TRIANGLE_CLUSTER, FLOATS, Place::Implicit, &[info]);
        self.bottom_of(&made.addresses)
    }

    fn with_flags(&self, bottom: u64, flags: u32) -> Structure {
        self.top(&[Rays::instance(IDENTITY, [0, 0xff, 0, flags], bottom)])
    }

    /// Those of a structure with a handle.
    fn check(&self, bottom: Structure, map: &Map, flags: &[(u32, u32)], geometry_opaque: bool, what: &str) {
        self.check_at(self.structure_address(bottom), map, flags, geometry_opaque, what);
    }

    /// Every microtriangle of a map's triangles, the number `n` at `x = n`, has the state of the map.
    fn check_at(&self, bottom: u64, map: &Map, flags: &[(u32, u32)], geometry_opaque: bool, what: &str) {
        for &(ray_flags, instance_flags) in flags {
            let (mut all, mut states) = (Vec::new(), Vec::new());
            for (number, (level, format, bytes)) in map.triangles.iter().enumerate() {
                let mut places = Vec::new();
                centers(WHOLE, *level, &mut places);
                for (index, [x, y]) in places.into_iter().enumerate() {
                    all.push(Ray { flags: ray_flags, ..down(x + number as f32, y) });
                    states.push(state_of(bytes, *format, index));
                }
            }
            let found = self.trace_one(self.with_flags(bottom, instance_flags), &all);
            for (index, (found, state)) in found.iter().zip(states).enumerate() {
                let expected = expected(Some(state), geometry_opaque, ray_flags, instance_flags);
                let flags = format!("{what}: ray flags {ray_flags:#x}, instance flags {instance_flags:#x}");
                assert_eq!(finds(found), expected, "{flags}, {index}: state {state}");
            }
        }
    }
}

/// Ray flags and instance flags, each alone and some together.
const FLAGS: [(u32, u32); 14] = [
    (0, 0),
    (OPAQUE, 0),
    (NO_OPAQUE, 0),
    (CULL_OPAQUE, 0),
    (CULL_NO_OPAQUE, 0),
    (FORCE_2_STATE, 0),
    (OPAQUE | FORCE_2_STATE, 0),
    (CULL_NO_OPAQUE | FORCE_2_STATE, INSTANCE_OPAQUE),
    (0, INSTANCE_2_STATE),
    (0, INSTANCE_DISABLE),
    (FORCE_2_STATE, INSTANCE_DISABLE),
    (0, INSTANCE_OPAQUE),
    (NO_OPAQUE, INSTANCE_NO_OPAQUE | INSTANCE_2_STATE),
    (OPAQUE, INSTANCE_DISABLE | INSTANCE_NO_OPAQUE),
];

fn map() -> Map {
    let formats = [TWO_STATES, FOUR_STATES];
    let triangles = (0..=4).flat_map(|level| formats.map(|format| (level, format)));
    Map::random(5, &triangles.collect::<Vec<_>>())
}

#[test]
fn opacity_micromaps_decide_for_each_microtriangle() {
    let rays = Rays::new();
    let map = map();
    let count = map.triangles.len() as u32;
    let by_number = (vk::IndexType::NONE_KHR, 0, 0);
    for on_host in [false, true] {
        let micromap = rays.micromap(&map, on_host);
        for opaque in [false, true] {
            let bottom = rays.mapped(count, Micromap::Ext(micromap), by_number, opaque);
            rays.check(bottom, &map, &FLAGS, opaque, if on_host { "host" } else { "device" });
        }
        unsafe { rays.context.device.destroy_micromap_ext(micromap, None) };
    }
    let structure = rays.micromap_structure(&map);
    let bottom = rays.mapped(count, Micromap::Khr(structure), by_number, false);
    rays.check(bottom, &map, &FLAGS, false, "KHR");
}

/// Clusters have micromaps as other triangles do, and an index for those that have none, whose opacity is
/// that of the whole cluster.
#[test]
fn opacity_micromaps_of_clusters_decide_for_each_microtriangle() {
    let rays = Rays::new();
    let map = map();
    let count = map.triangles.len() as u32;
    let structure = rays.micromap_structure(&map);
    let micromap = rays.structure_address(structure);
    for opaque in [false, true] {
        let base = if opaque { clusters::OPAQUE } else { 0 };
        let bottom = rays.mapped_cluster(count, micromap, (1, 0), (base, 0));
        rays.check_at(bottom, &map, &FLAGS, opaque, "cluster");
    }
    // Transparent, opaque, unknown; none; one that does not exist.
    let numbers: [i32; 6] = [-1, -2, -3, -4, -5, 99];
    let own = rays.data(&[clusters::OPAQUE; 6]);
    for bytes in [1, 2, 4] {
        let mut indices: Vec<u8> =
            numbers.iter().flat_map(|number| number.to_le_bytes()[..bytes].to_vec()).collect();
        indices.resize(24, 0);
        let words: Vec<u32> =
            indices.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four"))).collect();
        let bottom = rays.mapped_cluster(6, micromap, (bytes as u32, rays.data(&words)), (0, own));
        let all: Vec<Ray> = (0..6).map(|number| down(number as f32 + 0.3, 0.3)).collect();
        let found = rays.trace_one(rays.with_flags(bottom, 0), &all);
        let found: Vec<Finds> = found.iter().map(finds).collect();
        let expected =
            [Finds::Nothing, Finds::Hit, Finds::Candidate, Finds::Candidate, Finds::Candidate, Finds::Hit];
        assert_eq!(found, expected, "indices of {bytes} bytes");
        let found = rays.trace_one(rays.with_flags(bottom, INSTANCE_DISABLE), &all);
        let found: Vec<Finds> = found.iter().map(finds).collect();
        assert_eq!(found[..4], [Finds::Hit; 4], "without micromaps");
    }
}

/// A level of 4^12 microtriangles, of which a ray finds the one that it goes through.
#[test]
fn opacity_micromaps_of_the_greatest_level() {
    let rays = Rays::new();
    let mut properties = vk::PhysicalDeviceOpacityMicromapPropertiesEXT::default();
    let mut khr = new::PhysicalDeviceOpacityMicromapPropertiesKHR {
        next: (&raw mut properties).cast(),
        ..Default::default()
    };
    let mut all = vk::PhysicalDeviceProperties2 { next: (&raw mut khr).cast(), ..Default::default() };
    unsafe {
        let instance = &rays.context.instance;
        let physical_device = instance.enumerate_physical_devices().expect("devices")[0];
        instance.get_physical_device_properties2(physical_device, &mut all);
    }
    let level = properties.max_opacity2_state_subdivision_level;
    assert!(level >= 3 && level == khr.max_opacity2_state_subdivision_level);
    assert_eq!(level, khr.max_opacity_lossy4_state_subdivision_level);
    assert!(khr.max_micromap_triangles >= 1 << 22);
    let map = Map::random(9, &[(level, FOUR_STATES)]);
    let micromap = rays.micromap(&map, false);
    let bottom = rays.mapped(1, Micromap::Ext(micromap), (vk::IndexType::NONE_KHR, 0, 0), false);
    let mut random = Random::new(1);
    let (mut all, mut states) = (Vec::new(), Vec::new());
    for _ in 0..200 {
        // Down the curve: each digit of the index is a part of the triangle.
        let mut corners = WHOLE;
        let mut index = 0;
        for _ in 0..level {
            let [a, b, c] = corners;
            let middle = |p: [f32; 2], q: [f32; 2]| [0, 1].map(|axis| 0.5 * (p[axis] + q[axis]));
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            let digit = random.below(4);
            corners = [[a, ab, ca], [ca, bc, ab], [ab, b, bc], [bc, ca, c]][digit];
            index = 4 * index + digit;
        }
        let [x, y] = [0, 1].map(|axis| corners.iter().map(|corner| corner[axis]).sum::<f32>() / 3.0);
        all.push(down(x, y));
        states.push(state_of(&map.triangles[0].2, FOUR_STATES, index));
    }
    let found = rays.trace_one(rays.single(bottom), &all);
    for (found, state) in found.iter().zip(states) {
        assert_eq!(finds(found), expected(Some(state), false, 0, 0));
    }
    unsafe { rays.context.device.destroy_micromap_ext(micromap, None) };
}

/// Special indices give a whole triangle one state, with or without a micromap; indices of no triangle, and
/// triangles of no format, have none.
#[test]
fn opacity_micromap_indices() {
    let rays = Rays::new();
    let mut map = Map::random(2, &[(1, FOUR_STATES), (2, TWO_STATES)]);
    map.triangles.push((0, 7, vec![1]));
    map.triangles.push((13, FOUR_STATES, vec![1]));
    let micromap = rays.micromap(&map, false);
    // The last four: beyond the micromap, an overflow, a format and a level that do not exist.
    let indices: [i32; 9] = [-1, -2, -3, -4, 0, 1000, -6, 1, 2];
    let first = state_of(&map.triangles[1].2, TWO_STATES, 0);
    let states = [Some(0), Some(1), Some(2), Some(3), Some(first), None, None, None, None];
    let bytes = indices.map(|index| index.clamp(-128, 120) as u8);
    let word = |bytes: &[u8]| {
        let mut word = [0; 4];
        word[..bytes.len()].copy_from_slice(bytes);
        u32::from_le_bytes(word)
    };
    let bytes: Vec<u32> = bytes.chunks(4).map(word).collect();
    let halves: Vec<u32> = indices
        .chunks(2)
        .map(|pair| pair.iter().rev().fold(0, |word, &index| word << 16 | index as u32 & 0xffff))
        .collect();
    let words: Vec<u32> = indices.iter().map(|&index| index as u32).collect();
    // Above the middle of the first microtriangle of each.
    let all: Vec<Ray> = (0..9).map(|number| down(number as f32 + 0.1, 0.1)).collect();
    for (ty, data) in
        [(vk::IndexType::UINT8, bytes), (vk::IndexType::UINT16, halves), (vk::IndexType::UINT32, words)]
    {
        let indices = rays.data(&data);
        for opaque in [false, true] {
            let bottom = rays.mapped(9, Micromap::Ext(micromap), (ty, indices, 1), opaque);
            let found = rays.trace_one(rays.single(bottom), &all);
            for (number, found) in found.iter().enumerate() {
                let expected = expected(states[number], opaque, 0, 0);
                assert_eq!(finds(found), expected, "{ty:?}, opaque: {opaque}, triangle {number}");
            }
            let bottom = rays.mapped(4, Micromap::None, (ty, indices, 1), opaque);
            let found = rays.trace_one(rays.single(bottom), &all[..4]);
            for (number, found) in found.iter().enumerate() {
                assert_eq!(finds(found), expected(states[number], opaque, 0, 0), "without a micromap");
            }
        }
    }
    unsafe { rays.context.device.destroy_micromap_ext(micromap, None) };
}

/// Copies, compacted copies and serialized forms of micromaps, and of structures with micromaps, find what
/// the first one did; by queries, sizes are those that serialization needs.
#[test]
fn opacity_micromaps_are_copied_and_serialized() {
    let rays = Rays::new();
    let device = &rays.context.device;
    let map = map();
    let count = map.triangles.len() as u32;
    let by_number = (vk::IndexType::NONE_KHR, 0, 0);
    let first = rays.micromap(&map, false);
    let value = |ty| {
        let mut value = [0u8; 8];
        unsafe { device.write_micromaps_properties_ext(&[first], ty, &mut value, 8) }.expect("a property");
        u64::from_ne_bytes(value)
    };
    let compacted = value(vk::QueryType::MICROMAP_COMPACTED_SIZE_EXT);
    let serialized = value(vk::QueryType::MICROMAP_SERIALIZATION_SIZE_EXT);
    let pool = |ty| {
        let info = vk::QueryPoolCreateInfo::builder().query_type(ty).query_count(1);
        unsafe { device.create_query_pool(&info, None) }.expect("a pool")
    };
    let sizes = pool(vk::QueryType::MICROMAP_SERIALIZATION_SIZE_EXT);
    let copies = [rays.empty_micromap(compacted), rays.empty_micromap(compacted)];
    let copy = |mode, dst| vk::CopyMicromapInfoEXT { src: first, dst, mode, ..Default::default() };
    let bytes = rays
        .context
        .buffer_with(serialized.div_ceil(4) as usize, vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS);
    let place = rays.address(&bytes);
    rays.context.run(|commands| unsafe {
        device.cmd_copy_micromap_ext(commands, &copy(vk::CopyMicromapModeEXT::COMPACT, copies[0]));
        let ty = vk::QueryType::MICROMAP_SERIALIZATION_SIZE_EXT;
        device.cmd_write_micromaps_properties_ext(commands, &[first], ty, sizes, 0);
        let info = vk::CopyMicromapToMemoryInfoEXT {
            src: first,
            dst: vk::DeviceOrHostAddressKHR { device_address: place },
            mode: vk::CopyMicromapModeEXT::SERIALIZE,
            ..Default::default()
        };
        device.cmd_copy_micromap_to_memory_ext(commands, &info);
    });
    let mut asked = [0u8; 8];
    let flags = vk::QueryResultFlags::_64 | vk::QueryResultFlags::WAIT;
    unsafe { device.get_query_pool_results(sizes, 0, 1, &mut asked, 8, flags) }.expect("a result");
    assert_eq!(u64::from_ne_bytes(asked), serialized);
    unsafe { device.destroy_query_pool(sizes, None) };
    unsafe { device.copy_micromap_ext(NO_OPERATION(), &copy(vk::CopyMicromapModeEXT::CLONE, copies[1])) }
        .expect("copied");
    let read = rays.empty_micromap(compacted);
    let info = vk::CopyMemoryToMicromapInfoEXT {
        src: at(place),
        dst: read,
        mode: vk::CopyMicromapModeEXT::DESERIALIZE,
        ..Default::default()
    };
    rays.context.run(|commands| unsafe { device.cmd_copy_memory_to_micromap_ext(commands, &info) });
    let version: Vec<u8> = bytes.words()[..8].iter().flat_map(|word| word.to_ne_bytes()).collect();
    let version = vk::MicromapVersionInfoEXT { version_data: version.as_ptr().cast(), ..Default::default() };
    let found = unsafe { device.get_device_micromap_compatibility_ext(&version) };
    assert_eq!(found, vk::AccelerationStructureCompatibilityKHR::COMPATIBLE);
    for micromap in [copies[0], copies[1], read] {
        let bottom = rays.mapped(count, Micromap::Ext(micromap), by_number, false);
        rays.check(bottom, &map, &[(0, 0)], false, "a copy");
        // The content is the structure's own.
        unsafe { device.destroy_micromap_ext(micromap, None) };
        rays.check(bottom, &map, &[(FORCE_2_STATE, 0)], false, "destroyed");
        let copied = rays.serialized_copy(bottom, |_| {});
        rays.check(copied, &map, &[(0, 0)], false, "a structure's serialized copy");
    }
    unsafe { device.destroy_micromap_ext(first, None) };
}

impl Rays {
    /// What is read of the serialized form of a bottom-level structure, after a change to its words.
    pub(super) fn serialized_copy(&self, structure: Structure, change: impl FnOnce(&Buffer)) -> Structure {
        let device = &self.context.device;
        let mut size = [0u8; 8];
        let ty = vk::QueryType::ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR;
        unsafe { device.write_acceleration_structures_properties_khr(&[structure], ty, &mut size, 8) }
            .expect("a size");
        let words = u64::from_ne_bytes(size).div_ceil(4) as usize;
        let bytes = self.context.buffer_with(words, vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS);
        let place = self.address(&bytes);
        let out = vk::CopyAccelerationStructureToMemoryInfoKHR {
            src: structure,
            dst: vk::DeviceOrHostAddressKHR { device_address: place },
            mode: vk::CopyAccelerationStructureModeKHR::SERIALIZE,
            ..Default::default()
        };
        self.context
            .run(|commands| unsafe { device.cmd_copy_acceleration_structure_to_memory_khr(commands, &out) });
        change(&bytes);
        let copy = self.empty(Type::BOTTOM_LEVEL, 1 << 16);
        let back = vk::CopyMemoryToAccelerationStructureInfoKHR {
            src: at(place),
            dst: copy,
            mode: vk::CopyAccelerationStructureModeKHR::DESERIALIZE,
            ..Default::default()
        };
        self.context
            .run(|commands| unsafe { device.cmd_copy_memory_to_acceleration_structure_khr(commands, &back) });
        copy
    }
}

/// A serialized structure names its micromaps in a block of its header, where a program puts the addresses of
/// others.
#[test]
fn serialized_structures_name_micromaps() {
    let rays = Rays::new();
    let (map, other) = (Map::random(1, &[(2, FOUR_STATES)]), Map::random(99, &[(2, FOUR_STATES)]));
    let [micromap, other_micromap] = [&map, &other].map(|map| rays.micromap_structure(map));
    let [address, other_address] = [micromap, other_micromap].map(|one| rays.structure_address(one));
    let bottom = rays.mapped(1, Micromap::Khr(micromap), (vk::IndexType::NONE_KHR, 0, 0), false);
    let copied = rays.serialized_copy(bottom, |bytes| {
        let words = bytes.words();
        // One block: of micromaps, reserved, one address.
        assert_eq!(words[12..14], [1, u32::MAX]);
        assert_eq!(words[14..18], [0, 0, 1, 0]);
        assert_eq!(words[18..20], [address as u32, (address >> 32) as u32]);
        bytes.put(18, other_address as u32);
        bytes.put(19, (other_address >> 32) as u32);
    });
    rays.check(copied, &other, &[(0, 0)], false, "by another's address");
    let again = rays.serialized_copy(copied, |bytes| {
        assert_eq!(bytes.words()[18..20], [other_address as u32, (other_address >> 32) as u32]);
        // Of no structure.
        bytes.put(18, 8);
        bytes.put(19, 0);
    });
    let found = rays.trace_one(rays.single(again), &[down(0.25, 0.25)]);
    assert_eq!(finds(&found[0]), Finds::Candidate);
}

/// Shaders say by `OpacityMicromapIdKHR` that their queries meet micromaps.
#[test]
fn shaders_with_the_execution_mode_of_micromaps() {
    let mut rays = Rays::new();
    let source = include_str!("query.comp.spvasm");
    let capabilities = "OpCapability RayQueryKHR\n               OpCapability RayTracingOpacityMicromapKHR\n               \
                        OpCapability RayTracingOpacityMicromapExecutionModeKHR";
    let mode = "OpExecutionModeId %main OpacityMicromapIdKHR %true\n               OpSource GLSL 460";
    let source =
        source.replace("OpCapability RayQueryKHR", capabilities).replace("OpSource GLSL 460", mode).replace(
            "OpExtension \"SPV_KHR_ray_query\"",
            "OpExtension \"SPV_KHR_ray_query\"\n               OpExtension \"SPV_KHR_opacity_micromap\"",
        );
    rays.pipeline = rays.context.pipeline(rays.layout, &source);
    let map = map();
    let structure = rays.micromap_structure(&map);
    let by_number = (vk::IndexType::NONE_KHR, 0, 0);
    let bottom = rays.mapped(map.triangles.len() as u32, Micromap::Khr(structure), by_number, false);
    rays.check(bottom, &map, &[(0, 0)], false, "with the mode");
}
