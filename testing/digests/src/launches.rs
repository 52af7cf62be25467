//! Launches of ray tracing pipelines: all six stages, shader binding tables, libraries, recursion, callable
//! shaders, in random scenes.

use crate::canonical;
use crate::rays::{Geometry, Rays, Structure, Type};
use pyro_random::Random;
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{KhrRayTracingPipelineExtensionDeviceCommands as _, ShaderStageFlags as Stages};

/// A table of records.
pub type Region = vk::StridedDeviceAddressRegionKHR;

/// The assembly of a shader of the tests of ray tracing pipelines, whose GLSL lies beside it.
macro_rules! shader {
    ($name:literal) => {
        include_str!(concat!("../../../crates/icd/tests/api/ray_pipelines/", $name, ".spvasm"))
    };
}

/// The shaders of all stages, by number.
pub const SHADERS: [(Stages, &str); 8] = [
    (Stages::RAYGEN_KHR, shader!("main.rgen")),
    (Stages::MISS_KHR, shader!("main.rmiss")),
    (Stages::MISS_KHR, shader!("shadow.rmiss")),
    (Stages::CLOSEST_HIT_KHR, shader!("main.rchit")),
    (Stages::ANY_HIT_KHR, shader!("main.rahit")),
    (Stages::INTERSECTION_KHR, shader!("main.rint")),
    (Stages::CALLABLE_KHR, shader!("double.rcall")),
    (Stages::CALLABLE_KHR, shader!("add.rcall")),
];

const UNUSED: u32 = vk::SHADER_UNUSED_KHR;
/// General shader, closest-hit, any-hit and intersection shader of each group.
const GROUPS: [[u32; 4]; 8] = [
    [0, UNUSED, UNUSED, UNUSED],
    [1, UNUSED, UNUSED, UNUSED],
    [2, UNUSED, UNUSED, UNUSED],
    [6, UNUSED, UNUSED, UNUSED],
    [7, UNUSED, UNUSED, UNUSED],
    [UNUSED, 3, 4, UNUSED],
    [UNUSED, 3, UNUSED, UNUSED],
    [UNUSED, 3, 4, 5],
];
/// Where the groups of callable shaders and of hits begin.
const CALLABLE: usize = 3;
const HITS: usize = 5;

const HANDLE_WORDS: usize = 8;
const RECORD_WORDS: usize = 16;
/// Words that an invocation writes.
const RESULT_WORDS: usize = 12;
const PUSHED: Stages = Stages::from_bits_truncate(Stages::RAYGEN_KHR.bits() | Stages::CLOSEST_HIT_KHR.bits());

/// Makes something of a launch otherwise than it should be.
pub trait Change {
    /// The create info of a pipeline or library; `info` points at what the slices hold.
    fn create_info(
        &mut self,
        _stages: &mut [vk::PipelineShaderStageCreateInfo],
        _groups: &mut [vk::RayTracingShaderGroupCreateInfoKHR],
        _info: &mut vk::RayTracingPipelineCreateInfoKHR,
    ) {
    }

    /// The words of a table of records.
    fn records(&mut self, _words: &mut [u32]) {}

    /// Ray generation, miss, hit and callable tables.
    fn tables(&mut self, _tables: &mut [Region; 4]) {}
}

/// Nothing is changed.
pub struct Unchanged;

impl Change for Unchanged {}

/// What a launch needs.
struct Launches<'c> {
    change: &'c mut dyn Change,
    rays: Rays,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    pipelines: Vec<vk::Pipeline>,
    shaders: [String; 8],
}

impl Drop for Launches<'_> {
    fn drop(&mut self) {
        let device = &self.rays.context.device;
        // SAFETY: the queue is idle, and the objects are the device's.
        unsafe {
            self.pipelines.iter().for_each(|&pipeline| device.destroy_pipeline(pipeline, None));
            device.destroy_pipeline_layout(self.layout, None);
        }
    }
}

impl Launches<'_> {
    fn new(shaders: [String; 8], is_robust: bool, change: &mut dyn Change) -> Launches<'_> {
        let rays = Rays::new(is_robust);
        let bindings =
            [(vk::DescriptorType::ACCELERATION_STRUCTURE_KHR, 1), (vk::DescriptorType::STORAGE_BUFFER, 1)];
        let set_layout = rays.context.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &bindings);
        let range = vk::PushConstantRange { stage_flags: PUSHED, offset: 0, size: 8 };
        let info = vk::PipelineLayoutCreateInfo::builder()
            .set_layouts(slice::from_ref(&set_layout))
            .push_constant_ranges(slice::from_ref(&range));
        // SAFETY: the structures live until the call returns.
        let layout = unsafe { rays.context.device.create_pipeline_layout(&info, None) }.expect("a layout");
        Launches { change, rays, set_layout, layout, pipelines: Vec::new(), shaders }
    }

    /// A pipeline, or a library, of these groups and their shaders, with libraries.
    fn pipeline(
        &mut self,
        groups: &[[u32; 4]],
        is_library: bool,
        libraries: &[vk::Pipeline],
    ) -> Result<vk::Pipeline, vk::ErrorCode> {
        let (context, mut used) = (&self.rays.context, groups.concat());
        used.retain(|&shader| shader != UNUSED);
        used.sort_unstable();
        used.dedup();
        let texts: Vec<&str> = used.iter().map(|&shader| &*self.shaders[shader as usize]).collect();
        let modules = context.try_modules(&texts)?;
        let mut stages: Vec<vk::PipelineShaderStageCreateInfo> = used
            .iter()
            .zip(&modules)
            .map(|(&shader, &module)| {
                let stage = SHADERS[shader as usize].0;
                *vk::PipelineShaderStageCreateInfo::builder().stage(stage).module(module).name(b"main\0")
            })
            .collect();
        let place = |shader: u32| used.iter().position(|&of| of == shader).map_or(UNUSED, |at| at as u32);
        let mut groups: Vec<vk::RayTracingShaderGroupCreateInfoKHR> = groups
            .iter()
            .map(|group| {
                let [general, closest_hit, any_hit, intersection] = group.map(place);
                let mut group = vk::RayTracingShaderGroupCreateInfoKHR::builder()
                    .general_shader(general)
                    .closest_hit_shader(closest_hit)
                    .any_hit_shader(any_hit)
                    .intersection_shader(intersection);
                group.type_ = match (general, intersection) {
                    (UNUSED, UNUSED) => vk::RayTracingShaderGroupTypeKHR::TRIANGLES_HIT_GROUP,
                    (UNUSED, _) => vk::RayTracingShaderGroupTypeKHR::PROCEDURAL_HIT_GROUP,
                    _ => vk::RayTracingShaderGroupTypeKHR::GENERAL,
                };
                *group
            })
            .collect();
        let linked = vk::PipelineLibraryCreateInfoKHR::builder().libraries(libraries);
        let interface = vk::RayTracingPipelineInterfaceCreateInfoKHR::builder()
            .max_pipeline_ray_payload_size(32)
            .max_pipeline_ray_hit_attribute_size(8);
        let mut info = *vk::RayTracingPipelineCreateInfoKHR::builder()
            .max_pipeline_ray_recursion_depth(2)
            .library_info(&linked)
            .library_interface(&interface)
            .layout(self.layout);
        if is_library {
            info.flags = vk::PipelineCreateFlags::LIBRARY_KHR;
        }
        (info.stage_count, info.stages) = (stages.len() as u32, stages.as_ptr());
        (info.group_count, info.groups) = (groups.len() as u32, groups.as_ptr());
        self.change.create_info(&mut stages, &mut groups, &mut info);
        let (operation, cache) = (vk::DeferredOperationKHR::null(), vk::PipelineCache::null());
        // SAFETY: the structures live until the call returns.
        let made =
            unsafe { context.device.create_ray_tracing_pipelines_khr(operation, cache, &[info], None) };
        context.destroy_modules(modules);
        let made = made?.0[0];
        self.pipelines.push(made);
        Ok(made)
    }

    /// The handles of all groups.
    fn handles(&self, pipeline: vk::Pipeline) -> Result<Vec<[u32; HANDLE_WORDS]>, vk::ErrorCode> {
        let mut bytes = vec![0; 4 * HANDLE_WORDS * GROUPS.len()];
        let (device, count) = (&self.rays.context.device, GROUPS.len() as u32);
        // SAFETY: the pipeline has so many groups.
        unsafe { device.get_ray_tracing_shader_group_handles_khr(pipeline, 0, count, &mut bytes) }?;
        let words: Vec<u32> = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        Ok(words.as_chunks().0.to_vec())
    }

    /// A table of records: a handle and a word each.
    fn table(&mut self, records: &[([u32; HANDLE_WORDS], u32)]) -> Region {
        let mut words = Vec::new();
        for (handle, word) in records {
            words.extend(handle);
            words.push(*word);
            words.resize(words.len().next_multiple_of(RECORD_WORDS), 0);
        }
        self.change.records(&mut words);
        let (stride, size) = (4 * RECORD_WORDS as u64, 4 * words.len() as u64);
        Region { device_address: self.rays.data(&words), stride, size }
    }

    /// A scene where the rays go: instances of bottom-level structures, which have a number of the first
    /// record of their hits.
    fn scene(&mut self, random: &mut Random) -> Structure {
        let mut bottoms = Vec::new();
        for _ in 0..1 + random.below(3) {
            let (geometries, record): (Vec<Geometry>, u32) = match random.below(3) {
                0 => (vec![self.rays.boxes(random)], 2),
                1 => (vec![self.rays.triangles(random), self.rays.triangles(random)], 0),
                _ => (vec![self.rays.triangles(random)], 0),
            };
            let structure = self.rays.build(Type::BOTTOM_LEVEL, &geometries);
            bottoms.push((self.rays.reference(structure), record));
        }
        let mut words = Vec::new();
        for _ in 0..1 + random.below(6) {
            let (reference, record) = random.pick(&bottoms);
            // The rays come down on a field of 4 x 1.
            let place = [random.float(0.0, 4.0), random.float(0.0, 1.0), random.float(-15.0, 6.0)];
            for (row, place) in place.into_iter().enumerate() {
                let scale = |column| f32::from(u8::from(row == column));
                words.extend([0, 1, 2].map(|column| (scale(column) + random.float(-0.5, 0.5)).to_bits()));
                words.push(place.to_bits());
            }
            let mask = random.pick(&[0xff_u32, 0xff, 0x0f]);
            let offset = record + random.pick(&[0, 4]);
            words.extend([random.below(1 << 10) | mask << 24, offset | random.below(16) << 24]);
            words.extend([reference as u32, (reference >> 32) as u32]);
        }
        self.rays.instances(&words)
    }

    /// Ray generation, miss, hit and callable tables.
    fn tables(&mut self, pipeline: vk::Pipeline, random: &mut Random) -> Result<[Region; 4], vk::ErrorCode> {
        let handles = self.handles(pipeline)?;
        let word = random.float(-9.0, 9.0).to_bits();
        let raygen = self.table(&[(handles[0], word)]);
        let miss = self.table(&[(handles[1], random.float(0.0, 9.0).to_bits()), (handles[2], 0)]);
        let triangles = |random: &mut Random| (handles[HITS + random.below(2_usize)], 0);
        let hits: Vec<_> =
            (0..8).map(|at| if at & 2 == 0 { triangles(random) } else { (handles[HITS + 2], 0) }).collect();
        // The first calls one of the others.
        let adding = |random: &mut Random| (handles[CALLABLE + 1], random.float(-4.0, 4.0).to_bits());
        let mut callable = vec![(handles[CALLABLE], 1 + random.below(5_u32))];
        callable.extend((0..5).map(|_| adding(random)));
        let mut tables = [raygen, miss, self.table(&hits), self.table(&callable)];
        self.change.tables(&mut tables);
        Ok(tables)
    }

    /// What a launch of this size writes.
    fn run(
        &self,
        pipeline: vk::Pipeline,
        scene: Structure,
        flags: u32,
        [raygen, miss, hit, callable]: [Region; 4],
        size: [u32; 3],
        is_indirect: bool,
    ) -> Result<Vec<u32>, vk::ErrorCode> {
        let context = &self.rays.context;
        let device = &context.device;
        let output = context.buffer(size.iter().product::<u32>() as usize * RESULT_WORDS);
        let structure = vk::DescriptorType::ACCELERATION_STRUCTURE_KHR;
        let set = context.set_of(self.set_layout, &[(vk::DescriptorType::STORAGE_BUFFER, 1), (structure, 1)]);
        context.write_range(set, 1, output.buffer, 0);
        let mut info = vk::WriteDescriptorSetAccelerationStructureKHR::builder()
            .acceleration_structures(slice::from_ref(&scene));
        let mut write =
            vk::WriteDescriptorSet::builder().dst_set(set).descriptor_type(structure).push_next(&mut info);
        write.descriptor_count = 1;
        let point = vk::PipelineBindPoint::RAY_TRACING_KHR;
        let ([x, y, z], indirect) = (size, self.rays.data(&size));
        // SAFETY: all objects are the device's, and live until the queue is idle.
        unsafe {
            device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]);
            let commands = context.command_buffer();
            device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
            device.cmd_bind_pipeline(commands, point, pipeline);
            device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[set], &[]);
            let bytes = [flags, 0].map(u32::to_le_bytes);
            device.cmd_push_constants(commands, self.layout, PUSHED, 0, bytes.as_flattened());
            if is_indirect {
                device.cmd_trace_rays_indirect_khr(commands, &raygen, &miss, &hit, &callable, indirect);
            } else {
                device.cmd_trace_rays_khr(commands, &raygen, &miss, &hit, &callable, x, y, z);
            }
            device.end_command_buffer(commands)?;
            context.try_submit_and_wait(commands)?;
        }
        Ok(output.words())
    }
}

/// What a launch of these shaders in a random scene writes; `is_robust` says that accesses of buffers are.
///
/// # Errors
/// Those of the creation of modules and pipelines, and of the submission.
pub fn launch_of(
    shaders: [String; 8],
    is_robust: bool,
    random: &mut Random,
) -> Result<Vec<u32>, vk::ErrorCode> {
    launch_changed(shaders, is_robust, random, &mut Unchanged)
}

/// The same where something is changed.
///
/// # Errors
/// As of [`launch_of`].
pub fn launch_changed(
    shaders: [String; 8],
    is_robust: bool,
    random: &mut Random,
    change: &mut dyn Change,
) -> Result<Vec<u32>, vk::ErrorCode> {
    let mut launches = Launches::new(shaders, is_robust, change);
    let pipeline = if random.one_in(2) {
        launches.pipeline(&GROUPS, false, &[])?
    } else {
        let hits = launches.pipeline(&GROUPS[HITS..], true, &[])?;
        launches.pipeline(&GROUPS[..HITS], false, &[hits])?
    };
    let scene = launches.scene(random);
    let tables = launches.tables(pipeline, random)?;
    // Opaque or not, the first hit, culled faces or kinds of geometry.
    let flags = random.pick(&[0, 0, 0, 1, 2]) | random.pick(&[0, 0, 0, 4]);
    let flags = flags | random.pick(&[0, 0, 0, 0x10, 0x20, 0x100, 0x200]);
    let size = [1 + random.below(48), 1 + random.below(10), 1 + random.below(2)];
    launches.run(pipeline, scene, flags, tables, size, random.one_in(3))
}

/// What the launch of a number writes.
pub(crate) fn launch(number: u64) -> Result<Vec<u8>, String> {
    let shaders = SHADERS.map(|(_, text)| text.to_owned());
    let found = launch_of(shaders, false, &mut Random::new(number)).map_err(|error| format!("{error:?}"))?;
    Ok(found.into_iter().map(canonical).flat_map(u32::to_le_bytes).collect())
}
