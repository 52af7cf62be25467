//! Acceleration structures and ray queries.
//!
//! The shader is `rays/NAME.spvasm`, made of the GLSL in `NAME` beside it by `glslangValidator` and
//! `spirv-dis`.

mod clusters;
mod dense;
mod late;
mod micromaps;
mod partitioned;
mod spheres;
mod validation;

use pyro_test_kit::compute::{Buffer, Compute};
use std::cell::RefCell;
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    KhrAccelerationStructureExtensionDeviceCommands as _,
    KhrDeferredHostOperationsExtensionDeviceCommands as _,
};

type Structure = vk::AccelerationStructureKHR;
type Type = vk::AccelerationStructureTypeKHR;
const V1_3: u32 = vk::make_version(1, 3, 0);
const NO_OPERATION: fn() -> vk::DeferredOperationKHR = vk::DeferredOperationKHR::null;

/// A device with ray queries, the pipeline of the shader, and what was made.
struct Rays {
    context: Compute,
    layout: vk::PipelineLayout,
    set_layout: vk::DescriptorSetLayout,
    pipeline: vk::Pipeline,
    structures: RefCell<Vec<Structure>>,
}

/// A ray as the shader reads it.
#[derive(Clone, Copy)]
#[repr(C)]
struct Ray {
    origin: [f32; 3],
    t_min: f32,
    direction: [f32; 3],
    t_max: f32,
    flags: u32,
    mask: u32,
    mode: u32,
    value: f32,
    address: u64,
    element: u32,
    structure: u32,
}

const CONFIRM: u32 = 1;
const GENERATE: u32 = 2;
const TERMINATE: u32 = 4;
const BY_ADDRESS: u32 = 8;
const EVEN: u32 = 16;

/// Downwards from above a place in the plane.
fn down(x: f32, y: f32) -> Ray {
    Ray {
        origin: [x, y, 10.0],
        t_min: 0.0,
        direction: [0.0, 0.0, -2.0],
        t_max: 100.0,
        flags: 0,
        mask: 0xff,
        mode: 0,
        value: 0.0,
        address: 0,
        element: 0,
        structure: 0,
    }
}

/// What the shader says of a ray.
struct Found(Vec<f32>);

impl Found {
    fn candidates(&self) -> (f32, f32) {
        (self.0[0], self.0[1])
    }

    /// 0: nothing, 1: a triangle, 2: a box.
    fn kind(&self) -> f32 {
        self.0[5]
    }

    fn t(&self) -> f32 {
        self.0[6]
    }

    /// Custom index, number of the instance, offset into the shader binding table, geometry, primitive.
    fn numbers(&self) -> [f32; 5] {
        self.0[7..12].try_into().expect("five")
    }
}

impl Drop for Rays {
    fn drop(&mut self) {
        for structure in self.structures.take() {
            unsafe { self.context.device.destroy_acceleration_structure_khr(structure, None) };
        }
    }
}

/// Positions of a unit square's corners in the plane z = 0.
const SQUARE: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
/// Its two triangles.
const CORNERS: [u32; 6] = [0, 1, 2, 0, 2, 3];
const IDENTITY: [[f32; 4]; 3] = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

/// Moves by so much.
fn moved(x: f32, y: f32, z: f32) -> [[f32; 4]; 3] {
    [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]]
}

impl Rays {
    fn new() -> Rays {
        let mut fetch =
            vk::PhysicalDeviceRayTracingPositionFetchFeaturesKHR::builder().ray_tracing_position_fetch(true);
        let mut micromaps = vk::PhysicalDeviceOpacityMicromapFeaturesEXT::builder()
            .micromap(true)
            .micromap_host_commands(true);
        fetch.next = (&raw mut micromaps).cast();
        let mut spheres = vk::PhysicalDeviceRayTracingLinearSweptSpheresFeaturesNV::builder()
            .spheres(true)
            .linear_swept_spheres(true);
        micromaps.next = (&raw mut spheres).cast();
        let mut clusters = vk::PhysicalDeviceClusterAccelerationStructureFeaturesNV::builder()
            .cluster_acceleration_structure(true);
        spheres.next = (&raw mut clusters).cast();
        let mut partitioned = vk::PhysicalDevicePartitionedAccelerationStructureFeaturesNV::builder()
            .partitioned_acceleration_structure(true);
        clusters.next = (&raw mut partitioned).cast();
        let mut dense = vk::PhysicalDeviceDenseGeometryFormatFeaturesAMDX {
            dense_geometry_format: vk::TRUE,
            ..Default::default()
        };
        partitioned.next = (&raw mut dense).cast();
        let mut query = vk::PhysicalDeviceRayQueryFeaturesKHR::builder().ray_query(true);
        query.next = (&raw mut fetch).cast();
        let mut structures = vk::PhysicalDeviceAccelerationStructureFeaturesKHR::builder()
            .acceleration_structure(true)
            .acceleration_structure_indirect_build(true)
            .acceleration_structure_host_commands(true)
            .descriptor_binding_acceleration_structure_update_after_bind(true);
        structures.next = (&raw mut query).cast();
        let mut robustness = vk::PhysicalDeviceRobustness2FeaturesEXT::builder().null_descriptor(true);
        robustness.next = (&raw mut structures).cast();
        let mut features = vk::PhysicalDeviceVulkan12Features::builder().buffer_device_address(true);
        features.next = (&raw mut robustness).cast();
        let extensions = [
            c"VK_KHR_acceleration_structure",
            c"VK_KHR_deferred_host_operations",
            c"VK_KHR_ray_query",
            c"VK_KHR_ray_tracing_maintenance1",
            c"VK_KHR_ray_tracing_position_fetch",
            c"VK_EXT_opacity_micromap",
            c"VK_EXT_robustness2",
            c"VK_KHR_device_address_commands",
            c"VK_KHR_opacity_micromap",
            c"VK_KHR_ray_tracing_pipeline",
            c"VK_NV_ray_tracing_linear_swept_spheres",
            c"VK_NV_cluster_acceleration_structure",
            c"VK_NV_partitioned_acceleration_structure",
            c"VK_AMDX_dense_geometry_format",
            c"VK_KHR_maintenance5",
        ];
        let context = Compute::new(V1_3, &extensions, (&raw mut features).cast());
        let set_layout = context.set_layout(
            vk::DescriptorSetLayoutCreateFlags::empty(),
            &[
                (vk::DescriptorType::STORAGE_BUFFER, 1),
                (vk::DescriptorType::STORAGE_BUFFER, 1),
                (vk::DescriptorType::ACCELERATION_STRUCTURE_KHR, 2),
            ],
        );
        let layout = context.layout(&[set_layout]);
        let pipeline = context.pipeline(layout, include_str!("rays/query.comp.spvasm"));
        Rays { context, layout, set_layout, pipeline, structures: RefCell::default() }
    }

    fn address(&self, buffer: &Buffer) -> u64 {
        let info = vk::BufferDeviceAddressInfo::builder().buffer(buffer.buffer);
        unsafe { self.context.device.get_buffer_device_address(&info) }
    }

    /// A buffer of these words; its device address, which is the host's too.
    fn data(&self, words: &[u32]) -> u64 {
        let buffer = self.context.buffer_with(
            words.len().max(1),
            vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS
                | vk::BufferUsageFlags::ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_KHR,
        );
        words.iter().enumerate().for_each(|(index, &word)| buffer.put(index, word));
        self.address(&buffer)
    }

    fn floats(&self, values: &[f32]) -> u64 {
        self.data(&values.iter().map(|value| value.to_bits()).collect::<Vec<_>>())
    }

    fn empty(&self, ty: Type, size: u64) -> Structure {
        let usage = vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR
            | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let buffer = self.context.buffer_with(size.div_ceil(4) as usize + 64, usage);
        self.empty_in(buffer, ty, size)
    }

    /// A structure at the start of a buffer.
    fn empty_in(&self, buffer: Buffer, ty: Type, size: u64) -> Structure {
        let mut info = vk::AccelerationStructureCreateInfoKHR::builder().buffer(buffer.buffer).size(size);
        info.type_ = ty;
        let structure = unsafe { self.context.device.create_acceleration_structure_khr(&info, None) };
        let structure = structure.expect("a structure");
        self.structures.borrow_mut().push(structure);
        structure
    }

    fn structure_address(&self, structure: Structure) -> u64 {
        let info = vk::AccelerationStructureDeviceAddressInfoKHR::builder().acceleration_structure(structure);
        unsafe { self.context.device.get_acceleration_structure_device_address_khr(&info) }
    }

    /// A structure built by the device from these geometries of so many primitives each.
    fn build(
        &self,
        ty: Type,
        geometries: &[vk::AccelerationStructureGeometryKHR],
        ranges: &[vk::AccelerationStructureBuildRangeInfoKHR],
    ) -> Structure {
        let mut info = vk::AccelerationStructureBuildGeometryInfoKHR::builder()
            .geometries(geometries)
            .flags(vk::BuildAccelerationStructureFlagsKHR::ALLOW_COMPACTION)
            .mode(vk::BuildAccelerationStructureModeKHR::BUILD);
        info.type_ = ty;
        let structure = self.empty(ty, self.size(&info, ranges));
        self.build_into(structure, ty, geometries, ranges);
        structure
    }

    /// Builds into a structure that is there.
    fn build_into(
        &self,
        structure: Structure,
        ty: Type,
        geometries: &[vk::AccelerationStructureGeometryKHR],
        ranges: &[vk::AccelerationStructureBuildRangeInfoKHR],
    ) {
        let mut info = vk::AccelerationStructureBuildGeometryInfoKHR::builder()
            .geometries(geometries)
            .flags(vk::BuildAccelerationStructureFlagsKHR::ALLOW_COMPACTION)
            .mode(vk::BuildAccelerationStructureModeKHR::BUILD);
        info.type_ = ty;
        info.dst_acceleration_structure = structure;
        self.context.run(|commands| unsafe {
            self.context.device.cmd_build_acceleration_structures_khr(commands, &[info], &[ranges]);
        });
    }

    fn size(
        &self,
        info: &vk::AccelerationStructureBuildGeometryInfoKHR,
        ranges: &[vk::AccelerationStructureBuildRangeInfoKHR],
    ) -> u64 {
        let counts: Vec<u32> = ranges.iter().map(|range| range.primitive_count).collect();
        let mut sizes = vk::AccelerationStructureBuildSizesInfoKHR::default();
        let ty = vk::AccelerationStructureBuildTypeKHR::HOST_OR_DEVICE;
        unsafe {
            self.context.device.get_acceleration_structure_build_sizes_khr(ty, info, &counts, &mut sizes);
        }
        assert!(sizes.acceleration_structure_size > 0 && sizes.build_scratch_size > 0);
        sizes.acceleration_structure_size
    }

    fn square(
        &self,
        opaque: bool,
    ) -> (vk::AccelerationStructureGeometryKHR, vk::AccelerationStructureBuildRangeInfoKHR) {
        let data = vk::AccelerationStructureGeometryTrianglesDataKHR {
            vertex_format: vk::Format::R32G32B32_SFLOAT,
            vertex_data: at(self.floats(SQUARE.as_flattened())),
            vertex_stride: 12,
            max_vertex: 3,
            index_type: vk::IndexType::UINT32,
            index_data: at(self.data(&CORNERS)),
            ..Default::default()
        };
        (triangles(data, opaque), range(2))
    }

    /// Boxes side by side along x, all of unit size with their lower sides at z = 0.
    fn boxes(&self, count: u32) -> Structure {
        let sides = (0..count).flat_map(|index| {
            let x = 2.0 * index as f32;
            [x, 0.0, 0.0, x + 1.0, 1.0, 1.0]
        });
        let data = self.floats(&sides.collect::<Vec<_>>());
        let aabbs = vk::AccelerationStructureGeometryAabbsDataKHR {
            data: at(data),
            stride: 24,
            ..Default::default()
        };
        let geometry = vk::AccelerationStructureGeometryKHR {
            geometry_type: vk::GeometryTypeKHR::AABBS,
            geometry: vk::AccelerationStructureGeometryDataKHR { aabbs },
            ..Default::default()
        };
        self.build(Type::BOTTOM_LEVEL, &[geometry], &[range(count)])
    }

    /// The words of an instance.
    fn instance(
        transform: [[f32; 4]; 3],
        [custom, mask, offset, flags]: [u32; 4],
        reference: u64,
    ) -> Vec<u32> {
        let mut words: Vec<u32> = transform.as_flattened().iter().map(|value| value.to_bits()).collect();
        words.extend([custom | mask << 24, offset | flags << 24, reference as u32, (reference >> 32) as u32]);
        words
    }

    fn top(&self, instances: &[Vec<u32>]) -> Structure {
        let data = self.data(&instances.concat());
        self.build(Type::TOP_LEVEL, &[instance_geometry(data, false)], &[range(instances.len() as u32)])
    }

    /// A top-level structure of one instance with nothing special about it.
    fn single(&self, bottom: Structure) -> Structure {
        self.top(&[Rays::instance(IDENTITY, [0, 0xff, 0, 0], self.structure_address(bottom))])
    }

    fn trace(&self, structures: [Structure; 2], rays: &[Ray]) -> Vec<Found> {
        let words: Vec<u32> = rays
            .iter()
            .flat_map(|ray| {
                // SAFETY: both are sixteen words.
                unsafe { std::mem::transmute::<Ray, [u32; 16]>(*ray) }
            })
            .collect();
        let count = rays.len().next_multiple_of(8);
        let input = self.context.buffer(16 * count);
        words.iter().enumerate().for_each(|(index, &word)| input.put(index, word));
        let output = self.context.buffer(64 * count);
        let set = self.context.set_of(
            self.set_layout,
            &[(vk::DescriptorType::STORAGE_BUFFER, 2), (vk::DescriptorType::ACCELERATION_STRUCTURE_KHR, 2)],
        );
        self.context.write_range(set, 0, input.buffer, 0);
        self.context.write_range(set, 1, output.buffer, 0);
        let mut info =
            vk::WriteDescriptorSetAccelerationStructureKHR::builder().acceleration_structures(&structures);
        let mut write = vk::WriteDescriptorSet::builder()
            .dst_set(set)
            .dst_binding(2)
            .descriptor_type(vk::DescriptorType::ACCELERATION_STRUCTURE_KHR)
            .push_next(&mut info);
        write.descriptor_count = 2;
        let device = &self.context.device;
        unsafe { device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
        self.context.run(|commands| unsafe {
            let point = vk::PipelineBindPoint::COMPUTE;
            device.cmd_bind_pipeline(commands, point, self.pipeline);
            device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[set], &[]);
            device.cmd_dispatch(commands, count as u32 / 8, 1, 1);
        });
        let words = output.words();
        let found = words.chunks(64).take(rays.len());
        let found = found.map(|words| Found(words.iter().map(|&word| f32::from_bits(word)).collect()));
        let found: Vec<Found> = found.collect();
        // The query that has no ray has found nothing.
        assert!(found.iter().all(|found| found.0[63] == 0.0));
        found
    }

    /// What one structure says to rays.
    fn trace_one(&self, structure: Structure, rays: &[Ray]) -> Vec<Found> {
        self.trace([structure, Structure::null()], rays)
    }
}

fn at(device_address: u64) -> vk::DeviceOrHostAddressConstKHR {
    vk::DeviceOrHostAddressConstKHR { device_address }
}

fn range(primitive_count: u32) -> vk::AccelerationStructureBuildRangeInfoKHR {
    vk::AccelerationStructureBuildRangeInfoKHR { primitive_count, ..Default::default() }
}

fn triangles(
    triangles: vk::AccelerationStructureGeometryTrianglesDataKHR,
    opaque: bool,
) -> vk::AccelerationStructureGeometryKHR {
    vk::AccelerationStructureGeometryKHR {
        geometry_type: vk::GeometryTypeKHR::TRIANGLES,
        geometry: vk::AccelerationStructureGeometryDataKHR { triangles },
        flags: if opaque { vk::GeometryFlagsKHR::OPAQUE } else { vk::GeometryFlagsKHR::empty() },
        ..Default::default()
    }
}

fn instance_geometry(data: u64, are_pointers: bool) -> vk::AccelerationStructureGeometryKHR {
    let instances = vk::AccelerationStructureGeometryInstancesDataKHR {
        array_of_pointers: are_pointers.into(),
        data: at(data),
        ..Default::default()
    };
    vk::AccelerationStructureGeometryKHR {
        geometry_type: vk::GeometryTypeKHR::INSTANCES,
        geometry: vk::AccelerationStructureGeometryDataKHR { instances },
        ..Default::default()
    }
}

/// Everything that can be asked of a hit is that of the instance, the geometry and the triangle; null
/// structures and structures by address; queries in an array and several lanes with different ones.
#[test]
fn hits_are_described() {
    let rays = Rays::new();
    let (square, count) = rays.square(true);
    let bottom = rays.build(Type::BOTTOM_LEVEL, &[square, square], &[count, count]);
    let address = rays.structure_address(bottom);
    let turned = [[0.0, -2.0, 0.0, 5.0], [2.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 3.0]];
    let top = rays.top(&[
        Rays::instance(moved(-50.0, 0.0, 0.0), [1, 0xff, 1, 0], 0),
        Rays::instance(turned, [0x123456, 0x0f, 0x654321, 0], address),
        Rays::instance(IDENTITY, [7, 0xf0, 9, 0], address),
    ]);
    let other = rays.single(bottom);
    let all = [
        down(4.5, 1.5),
        Ray { mask: 0xf0, ..down(4.5, 1.5) },
        Ray { element: 1, mask: 0xf0, ..down(0.75, 0.25) },
        Ray { structure: 1, ..down(0.25, 0.75) },
        Ray { mode: BY_ADDRESS, address: rays.structure_address(top), ..down(4.5, 1.5) },
        Ray { mode: BY_ADDRESS, address: 0, ..down(4.5, 1.5) },
        Ray { mode: BY_ADDRESS, address: 0x1000, ..down(4.5, 1.5) },
        Ray { t_max: 3.0, ..down(4.5, 1.5) },
        Ray { t_min: 4.0, ..down(4.5, 1.5) },
        Ray { mask: 0xf0, structure: 1, flags: 1, ..down(0.1, 0.2) },
    ];
    let found = rays.trace([top, other], &all);
    for found in [&found[0], &found[4]] {
        // Turned: x = 5 - 2 v, y = 1 + 2 u of the square's u and v.
        assert_eq!((found.kind(), found.t()), (1.0, 3.5));
        let [custom, instance, offset, geometry, primitive] = found.numbers();
        assert_eq!([custom, instance, offset], [0x123456 as f32, 1.0, 0x654321 as f32]);
        assert!(geometry < 2.0 && primitive < 2.0);
        let values = &found.0;
        assert_eq!(values[12..15], [0.25, 0.25, 7.0]);
        assert_eq!(values[15..18], [0.0, 0.0, -2.0]);
        // Four columns of three.
        let columns: Vec<f32> = (0..4).flat_map(|column| turned.map(|row| row[column])).collect();
        assert_eq!(values[18..30], columns);
        let back = [0.0, -0.5, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 1.0, -0.5, 2.5, -3.0];
        assert!(
            values[30..42].iter().zip(back).all(|(value, back)| (value - back).abs() < 1e-6),
            "{values:?}"
        );
        let positions: Vec<f32> =
            (0..3).flat_map(|corner| SQUARE[CORNERS[3 * primitive as usize + corner] as usize]).collect();
        assert_eq!(values[45..54], positions);
        assert_eq!(values[54..56], [0.0, 0.0]);
        assert_eq!(values[56..62], [4.5, 1.5, 10.0, 0.0, 0.0, -2.0]);
    }
    let kinds: Vec<f32> = found.iter().map(Found::kind).collect();
    assert_eq!(kinds, [1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    // The first triangle is that of the corners 0, 1, 2: weights of the second and third.
    assert_eq!((found[2].numbers()[0], found[2].numbers()[4], found[2].t()), (7.0, 0.0, 5.0));
    assert_eq!(found[2].0[42..45], [0.5, 0.25, 1.0]);
    assert_eq!((found[3].numbers()[0], found[3].numbers()[4]), (0.0, 1.0));
    assert_eq!(found[3].0[42..45], [0.25, 0.5, 1.0]);
    assert_eq!(found[9].0[55], 1.0);
    // From below it is the other face.
    let up = Ray { origin: [0.5, 0.25, -1.0], direction: [0.0, 0.0, 1.0], ..down(0.0, 0.0) };
    let culls = |flags| Ray { flags, ..up };
    let found =
        rays.trace_one(other, &[up, culls(0x10), culls(0x20), culls(0x40), culls(0x100), culls(0x200)]);
    assert_eq!(found[0].0[44], 0.0);
    assert_eq!(found.iter().map(Found::kind).collect::<Vec<_>>(), [1.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
}

/// Triangles that are not opaque, and boxes, are candidates: what is confirmed or generated is committed, the
/// closest stays.
#[test]
fn unbuilt_acceleration_structure_does_not_hide_a_built_one() {
    let rays = Rays::new();
    let (geometry, primitives) = rays.square(true);
    let usage = vk::BufferUsageFlags::ACCELERATION_STRUCTURE_STORAGE_KHR
        | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
    let buffer = rays.context.buffer_with(1 << 12, usage);
    let (built, other) = {
        let create = || rays.empty_in(buffer, Type::BOTTOM_LEVEL, 1 << 13);
        let built = create();
        rays.build_into(built, Type::BOTTOM_LEVEL, &[geometry], &[primitives]);
        (built, create())
    };
    assert_eq!(rays.structure_address(built), rays.structure_address(other));
    let hit = |bottom: Structure| rays.trace_one(rays.single(bottom), &[down(0.25, 0.25)])[0].kind() != 0.0;
    assert!(hit(built));
    // Building the other one puts it in the place of the first.
    let far = rays.floats(&[100.0, 100.0, 0.0, 101.0, 100.0, 0.0, 100.0, 101.0, 0.0]);
    let data = vk::AccelerationStructureGeometryTrianglesDataKHR {
        vertex_format: vk::Format::R32G32B32_SFLOAT,
        vertex_data: at(far),
        vertex_stride: 12,
        max_vertex: 2,
        index_type: vk::IndexType::NONE_KHR,
        ..Default::default()
    };
    rays.build_into(other, Type::BOTTOM_LEVEL, &[triangles(data, true)], &[range(1)]);
    assert!(!hit(other));
}

#[test]
fn candidates_are_decided_about() {
    let rays = Rays::new();
    let (square, count) = rays.square(false);
    let bottom = rays.build(Type::BOTTOM_LEVEL, &[square], &[count]);
    let address = rays.structure_address(bottom);
    let stack = |flags: u32| {
        let instances =
            (0..40).map(|z| Rays::instance(moved(0.0, 0.0, -(z as f32)), [z, 0xff, 0, flags], address));
        rays.top(&instances.collect::<Vec<_>>())
    };
    let layers = stack(0);
    // In the second triangle alone, whose number is 1.
    let ray = down(0.25, 0.5);
    let all = [
        ray,
        Ray { mode: CONFIRM, ..ray },
        Ray { mode: CONFIRM, flags: 4, ..ray },
        Ray { mode: TERMINATE, ..ray },
        Ray { mode: CONFIRM | TERMINATE, ..ray },
        Ray { mode: CONFIRM | EVEN, ..ray },
        Ray { flags: 1, ..ray },
        Ray { mode: CONFIRM, flags: 0x80, ..ray },
        Ray { mode: CONFIRM, flags: 0x40, ..ray },
        Ray { mode: CONFIRM, t_min: 10.0, ..ray },
    ];
    let found = rays.trace_one(layers, &all);
    assert_eq!(found[0].candidates(), (40.0, 40.0));
    assert_eq!(found[0].kind(), 0.0);
    assert_eq!((found[1].kind(), found[1].t(), found[1].numbers()[0]), (1.0, 5.0, 0.0));
    assert!(found[1].candidates().0 >= 1.0);
    assert_eq!((found[2].kind(), found[2].candidates().0), (1.0, 1.0));
    assert_eq!((found[3].kind(), found[3].candidates().0), (0.0, 1.0));
    assert_eq!((found[4].kind(), found[4].candidates().0), (1.0, 1.0));
    assert_eq!((found[5].kind(), found[5].candidates()), (0.0, (40.0, 40.0)));
    // Taken as opaque, none is a candidate.
    assert_eq!((found[6].kind(), found[6].t(), found[6].candidates().0), (1.0, 5.0, 0.0));
    assert_eq!((found[7].kind(), found[7].candidates().0), (0.0, 0.0));
    assert_eq!((found[8].kind(), found[8].t()), (1.0, 5.0));
    assert_eq!((found[9].kind(), found[9].t(), found[9].numbers()[0]), (1.0, 10.0, 10.0));
    // What instances say: opaque; not opaque; no culling by faces; faces flipped.
    let found = rays.trace_one(stack(4), &[ray, Ray { flags: 2, ..ray }]);
    assert_eq!((found[0].kind(), found[1].kind(), found[1].candidates().0), (1.0, 0.0, 40.0));
    let found = rays.trace(
        [stack(5), stack(6)],
        &[
            Ray { flags: 0x20, ..ray },
            Ray { flags: 0x20, structure: 1, ..ray },
            Ray { flags: 0x10, structure: 1, ..ray },
        ],
    );
    assert_eq!(found.iter().map(Found::kind).collect::<Vec<_>>(), [1.0, 1.0, 0.0]);
    // Boxes: a ray along x through all of them.
    let boxes = rays.single(rays.boxes(30));
    let along = Ray { origin: [-3.0, 0.5, 0.5], direction: [1.0, 0.0, 0.0], ..down(0.0, 0.0) };
    let found = rays.trace_one(
        boxes,
        &[
            along,
            Ray { mode: GENERATE, value: 20.0, ..along },
            Ray { mode: GENERATE, value: 200.0, ..along },
            Ray { flags: 0x200, ..along },
            Ray { flags: 1, ..along },
            Ray { t_max: 7.5, ..along },
        ],
    );
    assert_eq!(found[0].candidates(), (30.0, (0..30).sum::<u32>() as f32));
    assert_eq!((found[1].kind(), found[1].t(), found[1].numbers()[4]), (2.0, 20.0, 0.0));
    // Behind the ray's end.
    assert_eq!((found[2].kind(), found[3].candidates().0), (0.0, 0.0));
    assert_eq!((found[4].0[2], found[0].0[2]), (30.0, 0.0));
    assert_eq!(found[5].candidates(), (3.0, 3.0));
}

/// The same squares in all formats of vertices and indices, with offsets, strides and a transform.
#[test]
fn vertices_and_indices_of_all_formats() {
    let rays = Rays::new();
    let bytes = |bytes: Vec<u8>| {
        let mut bytes = bytes;
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        rays.data(&bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect::<Vec<_>>())
    };
    let half = |value: f32| if value == 0.0 { 0u16 } else { 0x3c00 };
    type Encode<'e> = &'e dyn Fn(f32) -> Vec<u8>;
    let formats: [(vk::Format, usize, Encode<'_>); 8] = [
        (vk::Format::R32G32B32_SFLOAT, 3, &|value| value.to_le_bytes().to_vec()),
        (vk::Format::R32G32_SFLOAT, 2, &|value| value.to_le_bytes().to_vec()),
        (vk::Format::R32G32B32A32_SFLOAT, 4, &|value| value.to_le_bytes().to_vec()),
        (vk::Format::R16G16_SFLOAT, 2, &|value| half(value).to_le_bytes().to_vec()),
        (vk::Format::R16G16B16A16_SFLOAT, 4, &|value| half(value).to_le_bytes().to_vec()),
        (vk::Format::R16G16_SNORM, 2, &|value| ((value * 32767.0) as i16).to_le_bytes().to_vec()),
        (vk::Format::R16G16B16A16_SNORM, 4, &|value| ((value * 32767.0) as i16).to_le_bytes().to_vec()),
        (vk::Format::R8G8B8A8_UNORM, 4, &|value| vec![(value * 255.0) as u8]),
    ];
    let transform =
        rays.floats(&[[9.0; 4], [2.0, 0.0, 0.0, 1.0], [0.0, 3.0, 0.0, 0.0], [0.0, 0.0, 1.0, 4.0]].concat());
    for (format, count, encode) in formats {
        let properties = unsafe {
            rays.context.instance.get_physical_device_format_properties(rays.context.physical_device, format)
        };
        assert!(
            properties
                .buffer_features
                .contains(vk::FormatFeatureFlags::ACCELERATION_STRUCTURE_VERTEX_BUFFER_KHR)
        );
        // A vertex that is not used comes first, and four bytes behind each.
        let mut vertices = Vec::new();
        for corner in [[9.0, 9.0, 9.0]].iter().chain(&SQUARE) {
            let mut values = corner.to_vec();
            values.resize(count, 1.0);
            vertices.extend(values.into_iter().flat_map(encode));
            vertices.extend([0xff; 4]);
        }
        let stride = vertices.len() / 5;
        let vertices = bytes(vertices);
        let index_types = [
            (vk::IndexType::NONE_KHR, 0),
            (vk::IndexType::UINT8, 1),
            (vk::IndexType::UINT16, 2),
            (vk::IndexType::UINT32, 4),
        ];
        for (index_type, index_bytes) in index_types {
            // One index that is not used, too.
            let indices = bytes(
                [7].iter()
                    .chain(&CORNERS)
                    .flat_map(|index| index.to_le_bytes()[..index_bytes].to_vec())
                    .collect(),
            );
            let data = vk::AccelerationStructureGeometryTrianglesDataKHR {
                vertex_format: format,
                vertex_data: at(vertices),
                vertex_stride: stride as u64,
                max_vertex: 4,
                index_type,
                index_data: at(indices),
                transform_data: at(transform),
                ..Default::default()
            };
            let range = vk::AccelerationStructureBuildRangeInfoKHR {
                primitive_count: if index_bytes == 0 { 1 } else { 2 },
                primitive_offset: if index_bytes == 0 { stride } else { index_bytes } as u32,
                first_vertex: if index_bytes == 0 { 0 } else { 1 },
                transform_offset: 16,
            };
            let bottom = rays.build(Type::BOTTOM_LEVEL, &[triangles(data, true)], &[range]);
            let found =
                rays.trace_one(rays.single(bottom), &[down(2.5, 1.0), down(1.25, 2.5), down(0.5, 0.5)]);
            let second = if index_bytes == 0 { 0.0 } else { 1.0 };
            let kinds: Vec<f32> = found.iter().map(Found::kind).collect();
            assert_eq!(kinds, [1.0, second, 0.0], "{format:?} {index_type:?}");
            assert!((found[0].t() - 3.0).abs() < 1e-5);
        }
    }
    // Vertices that are no numbers, and indices that nobody may use, make inactive triangles.
    let mut vertices = SQUARE;
    vertices[3][0] = f32::NAN;
    let data = vk::AccelerationStructureGeometryTrianglesDataKHR {
        vertex_format: vk::Format::R32G32B32_SFLOAT,
        vertex_data: at(rays.floats(vertices.as_flattened())),
        vertex_stride: 12,
        max_vertex: 3,
        index_type: vk::IndexType::UINT32,
        index_data: at(rays.data(&[0, 2, 3, 0, 1, u32::MAX, 0, 1, 2])),
        ..Default::default()
    };
    let bottom = rays.build(Type::BOTTOM_LEVEL, &[triangles(data, true)], &[range(3)]);
    let found = rays.trace_one(rays.single(bottom), &[down(0.25, 0.75), down(0.75, 0.25)]);
    assert_eq!((found[0].kind(), found[1].kind(), found[1].numbers()[4]), (0.0, 1.0, 2.0));
}

/// What the device says of serialized structures that begin with these words.
fn compatibility(device: &Device, words: &[u32]) -> vk::AccelerationStructureCompatibilityKHR {
    let data: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let info = vk::AccelerationStructureVersionInfoKHR { version_data: data.as_ptr(), ..Default::default() };
    unsafe { device.get_device_acceleration_structure_compatibility_khr(&info) }
}

/// A square at a height is hit where it is.
fn check_square(rays: &Rays, top: Structure, z: f32, what: &str) {
    let found = rays.trace_one(top, &[down(0.25, 0.75), down(2.0, 0.5)]);
    assert_eq!((found[0].kind(), found[1].kind()), (1.0, 0.0), "{what}");
    assert_eq!(found[0].t(), (10.0 - z) / 2.0, "{what}");
}

/// Properties (compacted size, serialized size, number of bottom-level pointers, size) of a bottom-level and
/// a top-level structure, of which the host says the same as the device.
fn properties(rays: &Rays, structures: [Structure; 2]) -> Vec<[u64; 2]> {
    let device = &rays.context.device;
    use vk::QueryType as Q;
    let types = [
        Q::ACCELERATION_STRUCTURE_COMPACTED_SIZE_KHR,
        Q::ACCELERATION_STRUCTURE_SERIALIZATION_SIZE_KHR,
        Q::ACCELERATION_STRUCTURE_SERIALIZATION_BOTTOM_LEVEL_POINTERS_KHR,
        Q::ACCELERATION_STRUCTURE_SIZE_KHR,
    ];
    types
        .iter()
        .map(|&ty| {
            let info = vk::QueryPoolCreateInfo::builder().query_type(ty).query_count(3);
            let mut values = [0u64; 2];
            unsafe {
                let pool = device.create_query_pool(&info, None).expect("a pool");
                rays.context.run(|commands| {
                    device.cmd_reset_query_pool(commands, pool, 0, 3);
                    device.cmd_write_acceleration_structures_properties_khr(
                        commands,
                        &structures,
                        ty,
                        pool,
                        1,
                    );
                });
                let bytes = slice::from_raw_parts_mut(values.as_mut_ptr().cast::<u8>(), 16);
                device
                    .get_query_pool_results(pool, 1, 2, bytes, 8, vk::QueryResultFlags::_64)
                    .expect("results");
                device.destroy_query_pool(pool, None);
                let mut host = [0u8; 16];
                device
                    .write_acceleration_structures_properties_khr(&structures, ty, &mut host, 8)
                    .expect("properties");
                assert_eq!(host, bytemuck_of(values));
            }
            values
        })
        .collect()
}

/// Builds structures on the host, whose instances name handles; the operation is not deferred.
fn build_on_host(rays: &Rays, high: &vk::AccelerationStructureGeometryKHR, sizes: [u64; 2]) {
    let device = &rays.context.device;
    unsafe {
        let operation = device.create_deferred_operation_khr(None).expect("an operation");
        let host_bottom = rays.empty(Type::BOTTOM_LEVEL, sizes[0]);
        let mut info =
            vk::AccelerationStructureBuildGeometryInfoKHR::builder().geometries(slice::from_ref(high));
        info.type_ = Type::BOTTOM_LEVEL;
        info.dst_acceleration_structure = host_bottom;
        let ranges = [range(2)];
        let code = device.build_acceleration_structures_khr(operation, &[info], &[&ranges]).expect("built");
        assert_eq!(code, vk::SuccessCode::OPERATION_NOT_DEFERRED_KHR);
        assert_eq!(device.deferred_operation_join_khr(operation).expect("done"), vk::SuccessCode::SUCCESS);
        assert_eq!(device.get_deferred_operation_max_concurrency_khr(operation), 0);
        device.destroy_deferred_operation_khr(operation, None);
        let instance = Rays::instance(IDENTITY, [0, 0xff, 0, 0], host_bottom.as_raw());
        let pointers = [instance.as_ptr() as u64];
        let geometry = [instance_geometry(pointers.as_ptr() as u64, true)];
        let host_top = rays.empty(Type::TOP_LEVEL, sizes[1]);
        let mut info = vk::AccelerationStructureBuildGeometryInfoKHR::builder().geometries(&geometry);
        info.type_ = Type::TOP_LEVEL;
        info.dst_acceleration_structure = host_top;
        let ranges = [range(1)];
        device.build_acceleration_structures_khr(NO_OPERATION(), &[info], &[&ranges]).expect("built");
        check_square(rays, host_top, 2.0, "built by the host");
    }
}

/// Builds a structure anew or as an update; the device reads the build's range.
fn build_indirectly(
    rays: &Rays,
    high: &vk::AccelerationStructureGeometryKHR,
    bottom: Structure,
    is_update: bool,
) {
    let device = &rays.context.device;
    rays.context.run(|commands| unsafe {
        let mut info =
            vk::AccelerationStructureBuildGeometryInfoKHR::builder().geometries(slice::from_ref(high));
        info.type_ = Type::BOTTOM_LEVEL;
        if is_update {
            info.mode = vk::BuildAccelerationStructureModeKHR::UPDATE;
            info.src_acceleration_structure = bottom;
        }
        info.dst_acceleration_structure = bottom;
        let place = rays.data(&[100, 0, 0, 0]);
        let counts = [2u32];
        let (places, strides): ([u64; 1], [u32; 1]) = ([place], [16]);
        device.cmd_build_acceleration_structures_indirect_khr(
            commands,
            &[info],
            &places,
            &strides,
            &[&counts],
        );
    });
}

/// Copies, compacted copies, serialized ones, builds of the host, indirect builds, updates: all find what the
/// first did.
#[test]
fn all_ways_to_make_structures() {
    let rays = Rays::new();
    let device = &rays.context.device;
    let (square, count) = rays.square(true);
    let bottom = rays.build(Type::BOTTOM_LEVEL, &[square], &[count]);
    let check = |top: Structure, z: f32, what: &str| check_square(&rays, top, z, what);
    let top = rays.single(bottom);
    check(top, 0.0, "built");

    let values = properties(&rays, [bottom, top]);
    assert_eq!(values[2], [0, 1]);
    assert!(values.iter().zip([0, 1]).all(|(value, _)| value[1] > 0));
    assert!(values[0][0] <= values[3][0] && values[1][0] > 56);

    // Copies.
    let compact = rays.empty(Type::BOTTOM_LEVEL, values[0][0]);
    let clone = rays.empty(Type::GENERIC, values[3][1]);
    rays.context.run(|commands| unsafe {
        use vk::CopyAccelerationStructureModeKHR as Mode;
        let info =
            |src, dst, mode| vk::CopyAccelerationStructureInfoKHR { src, dst, mode, ..Default::default() };
        device.cmd_copy_acceleration_structure_khr(commands, &info(bottom, compact, Mode::COMPACT));
        device.cmd_copy_acceleration_structure_khr(commands, &info(top, clone, Mode::CLONE));
    });
    check(clone, 0.0, "cloned");
    check(rays.single(compact), 0.0, "compacted");

    // Serialized by the device, made anew by the host, with another bottom-level structure than before.
    let high = vk::AccelerationStructureGeometryTrianglesDataKHR {
        vertex_format: vk::Format::R32G32B32_SFLOAT,
        vertex_data: at(rays.floats(SQUARE.map(|[x, y, z]| [x, y, z + 2.0]).as_flattened())),
        vertex_stride: 12,
        max_vertex: 3,
        index_type: vk::IndexType::UINT32,
        index_data: at(rays.data(&CORNERS)),
        ..Default::default()
    };
    let high = triangles(high, true);
    let high_bottom = rays.build(Type::BOTTOM_LEVEL, &[high], &[range(2)]);
    let words = (values[1][1] as usize).div_ceil(4);
    let bytes = rays.context.buffer_with(words, vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS);
    let place = rays.address(&bytes);
    rays.context.run(|commands| unsafe {
        let dst = vk::DeviceOrHostAddressKHR { device_address: place };
        let mode = vk::CopyAccelerationStructureModeKHR::SERIALIZE;
        let info = vk::CopyAccelerationStructureToMemoryInfoKHR { src: top, dst, mode, ..Default::default() };
        device.cmd_copy_acceleration_structure_to_memory_khr(commands, &info);
    });
    let header = bytes.words();
    assert_eq!(u64::from(header[8]) | u64::from(header[9]) << 32, values[1][1]);
    assert_eq!([header[12], header[13]], [1, 0]);
    let address = rays.structure_address(bottom);
    assert_eq!([header[14], header[15]], [address as u32, (address >> 32) as u32]);
    assert_eq!(compatibility(device, &header[..8]), vk::AccelerationStructureCompatibilityKHR::COMPATIBLE);
    assert_eq!(compatibility(device, &[1; 8]), vk::AccelerationStructureCompatibilityKHR::INCOMPATIBLE);
    let read = rays.empty(Type::TOP_LEVEL, values[3][1]);
    let deserialize = || unsafe {
        let mode = vk::CopyAccelerationStructureModeKHR::DESERIALIZE;
        let info = vk::CopyMemoryToAccelerationStructureInfoKHR {
            src: at(place),
            dst: read,
            mode,
            ..Default::default()
        };
        device.copy_memory_to_acceleration_structure_khr(NO_OPERATION(), &info)
    };
    deserialize().expect("read");
    check(read, 0.0, "read");
    let address = rays.structure_address(high_bottom);
    bytes.put(14, address as u32);
    bytes.put(15, (address >> 32) as u32);
    deserialize().expect("read again");
    check(read, 2.0, "read with another structure");
    // Whatever is wrong with the bytes, nothing else happens.
    for index in 8..words {
        for word in [0, 1, u32::MAX] {
            let before = bytes.words()[index];
            // The size says how many bytes are there.
            if index == 8 || index == 9 {
                continue;
            }
            bytes.put(index, word);
            let _ = deserialize();
            rays.trace_one(read, &[down(0.25, 0.75)]);
            bytes.put(index, before);
        }
    }
    bytes.put(0, 0);
    deserialize().expect_err("another driver's");

    build_on_host(&rays, &high, [values[3][0], values[3][1]]);

    for is_update in [true, false] {
        build_indirectly(&rays, &high, bottom, is_update);
        check(rays.single(bottom), 2.0, "updated");
    }
}

fn bytemuck_of(values: [u64; 2]) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&values[0].to_ne_bytes());
    bytes[8..].copy_from_slice(&values[1].to_ne_bytes());
    bytes
}
