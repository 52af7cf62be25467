//! Create infos of pipelines, libraries and shader objects with values that nobody should give. Pointers are
//! valid, as the API asks, and what they point at has the size that is said.

use crate::number;
use crate::victim::Outcome;
use pyro_digests::launches::{self, Change, Region};
use pyro_random::Random;
use pyro_spirv::asm::assemble;
use pyro_test_kit::compute::{self, Compute};
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ShaderStageFlags as Stages;

/// A node that does nothing.
const NODE: &str = "
    OpCapability Shader
    OpCapability ShaderEnqueueAMDX
    OpExtension \"SPV_AMDX_shader_enqueue\"
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main \"main\"
    OpExecutionMode %main LocalSize 1 1 1
    OpExecutionModeId %main StaticNumWorkgroupsAMDX %one %one %one
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %uint = OpTypeInt 32 0
    %one = OpConstant %uint 1
    %main = OpFunction %void None %fn
    %entry = OpLabel
    OpReturn
    OpFunctionEnd
";

/// Names of entry points: the shader's, and others.
const NAMES: [&CStr; 5] = [c"main", c"main", c"main", c"other", c""];
const EXTENSIONS: [&CStr; 4] =
    [c"VK_AMDX_shader_enqueue", c"VK_EXT_shader_object", c"VK_KHR_maintenance5", c"VK_KHR_pipeline_library"];

/// A device with all of these, and one set layout with one layout of it.
struct Context {
    compute: Compute,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
}

/// Values that constants get, and where they lie.
struct Constants {
    entries: Vec<vk::SpecializationMapEntry>,
    data: Vec<u8>,
}

impl Constants {
    fn new(random: &mut Random) -> Constants {
        let size = random.below(40_usize);
        let entry = |random: &mut Random| vk::SpecializationMapEntry {
            constant_id: number(random),
            offset: random.below(48),
            size: random.pick(&[4, 4, 0, 1, 2, 8, 16, 40, usize::MAX]),
        };
        let entries = (0..random.below(5)).map(|_| entry(random)).collect();
        Constants { entries, data: (0..size).map(|_| random.word() as u8).collect() }
    }

    fn info(&self) -> vk::SpecializationInfo {
        *vk::SpecializationInfo::builder().map_entries(&self.entries).data(&self.data)
    }
}

impl Context {
    fn new() -> Context {
        let mut enqueue =
            vk::PhysicalDeviceShaderEnqueueFeaturesAMDX { shader_enqueue: vk::TRUE, ..Default::default() };
        let mut objects = vk::PhysicalDeviceShaderObjectFeaturesEXT::builder().shader_object(true);
        objects.next = (&raw mut enqueue).cast();
        let mut maintenance = vk::PhysicalDeviceMaintenance5Features::builder().maintenance5(true);
        maintenance.next = (&raw mut objects).cast();
        let mut core = vk::PhysicalDeviceVulkan13Features::builder()
            .dynamic_rendering(true)
            .subgroup_size_control(true)
            .compute_full_subgroups(true);
        core.next = (&raw mut maintenance).cast();
        let mut features = vk::PhysicalDeviceFeatures2::default();
        features.features.robust_buffer_access = vk::TRUE;
        features.next = (&raw mut core).cast();
        let next = (&raw mut features).cast::<c_void>();
        let compute = Compute::new(vk::make_version(1, 3, 0), &EXTENSIONS, next);
        let bindings = [(vk::DescriptorType::STORAGE_BUFFER, 1)];
        let set_layout = compute.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &bindings);
        let layout = compute.layout(&[set_layout]);
        Context { compute, set_layout, layout }
    }

    /// A handle, or none.
    fn layout(&self, random: &mut Random) -> vk::PipelineLayout {
        if random.one_in(12) { vk::PipelineLayout::null() } else { self.layout }
    }

    fn module(&self, words: &[u32], random: &mut Random) -> vk::ShaderModule {
        if random.one_in(16) { vk::ShaderModule::null() } else { self.compute.module_of(words) }
    }

    /// A compute pipeline, which is dispatched when there is one.
    fn compute_pipeline(&self, random: &mut Random) -> Outcome {
        let device = &self.compute.device;
        let constants = Constants::new(random);
        let specialization = constants.info();
        let words = assemble(&compute::adding()).expect("assembly");
        let (module, layout) = (self.module(&words, random), self.layout(random));
        let mut size = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo {
            required_subgroup_size: number(random),
            ..Default::default()
        };
        let behavior = |random: &mut Random| {
            vk::PipelineRobustnessBufferBehaviorEXT::from_raw(random.pick(&[0, 1, 2, 3, -1, 99]))
        };
        let robustness = vk::PipelineRobustnessCreateInfoEXT {
            next: if random.one_in(2) { (&raw mut size).cast() } else { null_mut() },
            storage_buffers: behavior(random),
            uniform_buffers: behavior(random),
            vertex_inputs: behavior(random),
            ..Default::default()
        };
        let chains = [null(), null(), (&raw const size).cast(), (&raw const robustness).cast()];
        let stage = vk::PipelineShaderStageCreateInfo {
            next: random.pick(&chains),
            flags: flags(random, vk::PipelineShaderStageCreateFlags::from_bits_truncate),
            stage: if random.one_in(8) {
                Stages::from_bits_truncate(number(random))
            } else {
                Stages::COMPUTE
            },
            module,
            name: random.pick(&NAMES).as_ptr(),
            specialization_info: if random.one_in(2) { &raw const specialization } else { null() },
            ..Default::default()
        };
        let info = vk::ComputePipelineCreateInfo {
            flags: flags(random, vk::PipelineCreateFlags::from_bits_truncate),
            stage,
            layout,
            base_pipeline_index: random.pick(&[-1, 0, 1, i32::MAX]),
            ..Default::default()
        };
        // SAFETY: the structures live until the calls return, and the objects until the queue is idle.
        unsafe {
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            device.destroy_shader_module(module, None);
            let pipeline = match made {
                Ok((pipelines, _)) => pipelines[0],
                Err(error) => return Err(error).into(),
            };
            let is_library = info.flags.contains(vk::PipelineCreateFlags::LIBRARY_KHR);
            let done = if pipeline.is_null() || is_library { Ok(()) } else { self.dispatch(pipeline) };
            device.destroy_pipeline(pipeline, None);
            done.into()
        }
    }

    /// Runs a pipeline once, on a buffer.
    unsafe fn dispatch(&self, pipeline: vk::Pipeline) -> Result<(), vk::ErrorCode> {
        let device = &self.compute.device;
        let set = self.compute.set(self.set_layout);
        self.compute.write(set, self.compute.buffer(16).buffer);
        let point = vk::PipelineBindPoint::COMPUTE;
        let commands = self.compute.command_buffer();
        // SAFETY: the objects live until the queue is idle.
        unsafe {
            device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())?;
            device.cmd_bind_pipeline(commands, point, pipeline);
            device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[set], &[]);
            device.cmd_push_constants(commands, self.layout, Stages::COMPUTE, 0, &[1, 0, 0, 0]);
            device.cmd_dispatch(commands, 2, 1, 1);
            // A pipeline of other commands, or without some of its state, is refused here.
            device.end_command_buffer(commands)?;
        }
        self.compute.try_submit_and_wait(commands)
    }

    /// An execution graph, perhaps of a library.
    fn graph(&self, random: &mut Random) -> Outcome {
        let device = &self.compute.device;
        let words = assemble(NODE).expect("assembly");
        let (module, layout) = (self.module(&words, random), self.layout(random));
        let node = vk::PipelineShaderStageNodeCreateInfoAMDX {
            name: random.pick(&NAMES).as_ptr(),
            index: number(random),
            ..Default::default()
        };
        let stages = [(); 2].map(|()| vk::PipelineShaderStageCreateInfo {
            next: if random.one_in(2) { (&raw const node).cast() } else { null() },
            stage: if random.one_in(8) { Stages::MESH_EXT } else { Stages::COMPUTE },
            module,
            name: random.pick(&NAMES).as_ptr(),
            ..Default::default()
        });
        let mut library = vk::Pipeline::null();
        let create = |flags, count, libraries: &[vk::Pipeline], made: &mut vk::Pipeline| {
            let library_info = *vk::PipelineLibraryCreateInfoKHR::builder().libraries(libraries);
            let info = vk::ExecutionGraphPipelineCreateInfoAMDX {
                flags,
                stage_count: count,
                stages: stages.as_ptr(),
                library_info: &raw const library_info,
                layout,
                ..Default::default()
            };
            let create = device.commands().create_execution_graph_pipelines_amdx;
            let cache = vk::PipelineCache::null();
            // SAFETY: the structures live until the call returns.
            unsafe { create(device.handle(), cache, 1, &raw const info, null(), made) }
        };
        if random.one_in(2) {
            let _ = create(vk::PipelineCreateFlags::LIBRARY_KHR, 1, &[], &mut library);
        }
        let mut graph = vk::Pipeline::null();
        let wanted = flags(random, vk::PipelineCreateFlags::from_bits_truncate);
        let code = create(wanted, random.below(3), &[library], &mut graph);
        // SAFETY: nothing uses the objects.
        unsafe {
            device.destroy_shader_module(module, None);
            [library, graph].iter().for_each(|&pipeline| device.destroy_pipeline(pipeline, None));
        }
        if code == vk::Result::SUCCESS { Outcome::Drawn } else { Outcome::Refused }
    }

    /// A shader object of code or of a binary.
    fn shader_object(&self, random: &mut Random) -> Outcome {
        let device = &self.compute.device;
        let constants = Constants::new(random);
        let specialization = constants.info();
        let words = assemble(&compute::adding()).expect("assembly");
        let set_layouts = [self.set_layout, vk::DescriptorSetLayout::null()];
        let range = vk::PushConstantRange {
            stage_flags: Stages::COMPUTE,
            offset: random.pick(&[0, 0, 0, 4, 128]),
            size: random.pick(&[4, 4, 4, 0, 256]),
        };
        let cut = random.pick(&[0, 0, 0, 0, 1, 4, 20, 100]);
        let info = vk::ShaderCreateInfoEXT {
            flags: flags(random, vk::ShaderCreateFlagsEXT::from_bits_truncate),
            stage: match random.below(8) {
                0 => Stages::from_bits_truncate(number(random)),
                _ => Stages::COMPUTE,
            },
            next_stage: flags(random, Stages::from_bits_truncate),
            code_type: vk::ShaderCodeTypeEXT::from_raw(random.pick(&[1, 1, 1, 1, 0, 7])),
            code_size: 4 * words.len() - cut,
            code: words.as_ptr().cast(),
            name: random.pick(&NAMES).as_ptr(),
            set_layout_count: random.pick(&[1, 1, 1, 0, 2]),
            set_layouts: set_layouts.as_ptr(),
            push_constant_range_count: 1,
            push_constant_ranges: &raw const range,
            specialization_info: if random.one_in(2) { &raw const specialization } else { null() },
            ..Default::default()
        };
        let mut made = vk::ShaderEXT::null();
        let commands = device.commands();
        // SAFETY: the structures live until the calls return, and nothing uses the shader.
        unsafe {
            let code =
                (commands.create_shaders_ext)(device.handle(), 1, &raw const info, null(), &raw mut made);
            (commands.destroy_shader_ext)(device.handle(), made, null());
            if code == vk::Result::SUCCESS { Outcome::Drawn } else { Outcome::Refused }
        }
    }
}

/// Mostly no flags, or a few of them.
fn flags<F>(random: &mut Random, of: impl Fn(u32) -> F) -> F {
    of(match random.below(6) {
        0 => random.word(),
        1 | 2 => 1 << random.below(31),
        _ => 0,
    })
}

/// Changes of ray tracing pipelines' create infos.
struct CreateInfos(Random);

impl Change for CreateInfos {
    fn create_info(
        &mut self,
        stages: &mut [vk::PipelineShaderStageCreateInfo],
        groups: &mut [vk::RayTracingShaderGroupCreateInfoKHR],
        info: &mut vk::RayTracingPipelineCreateInfoKHR,
    ) {
        let CreateInfos(random) = self;
        let (stage, group) = (random.below(stages.len()), random.below(groups.len()));
        let (stage, group) = (&mut stages[stage], &mut groups[group]);
        let shader = |random: &mut Random| match random.below(4) {
            0 => number(random),
            1 => vk::SHADER_UNUSED_KHR,
            _ => random.below(10),
        };
        match random.below(12) {
            0 | 1 => group.general_shader = shader(random),
            2 => group.closest_hit_shader = shader(random),
            3 => group.any_hit_shader = shader(random),
            4 => group.intersection_shader = shader(random),
            5 => {
                let raw = random.pick(&[0, 1, 2, 3, -1]);
                group.type_ = vk::RayTracingShaderGroupTypeKHR::from_raw(raw);
            }
            6 => info.max_pipeline_ray_recursion_depth = number(random),
            7 => info.flags |= flags(random, vk::PipelineCreateFlags::from_bits_truncate),
            8 => stage.stage = Stages::from_bits_truncate(1 << random.below(16)),
            9 => stage.name = random.pick(&NAMES).as_ptr(),
            10 => info.library_interface = null(),
            _ => info.base_pipeline_index = random.pick(&[0, 1, i32::MAX, i32::MIN]),
        }
    }
}

/// Changes of shader binding tables, which stay in their memory.
struct Tables(Random);

impl Change for Tables {
    fn records(&mut self, words: &mut [u32]) {
        let Tables(random) = self;
        for _ in 0..random.below(4) {
            let (at, other) = (random.below(words.len()), random.below(words.len()));
            words[at] = match random.below(3) {
                0 => number(random),
                1 => random.word(),
                _ => words[other],
            };
        }
    }

    fn tables(&mut self, tables: &mut [Region; 4]) {
        let Tables(random) = self;
        for _ in 0..1 + random.below(3) {
            let other = tables[random.below(4_usize)];
            // The ray generation shader is there, mostly.
            let place = if random.one_in(8) { 0 } else { 1 + random.below(3_usize) };
            let table = &mut tables[place];
            match random.below(5) {
                0 => *table = other,
                1 => *table = Region::default(),
                2 => table.stride = random.pick(&[0, 1, 4, 32, 64, 128, 4096, 1 << 40, u64::MAX]),
                3 => table.size = random.below(table.size + 1),
                _ => {
                    let cut = 32 * random.below(table.size / 32 + 1);
                    table.device_address += cut;
                    table.size -= cut;
                }
            }
        }
    }
}

fn working() -> [String; 8] {
    launches::SHADERS.map(|(_, text)| text.to_owned())
}

/// A ray tracing pipeline or library whose create info is wrong, launched where there is one.
fn ray_pipeline(random: &mut Random) -> Outcome {
    let mut changes = CreateInfos(random.split());
    launches::launch_changed(working(), true, random, &mut changes).map(|_| ()).into()
}

/// A launch with tables that are wrong.
pub fn tables(random: &mut Random) -> Outcome {
    let mut changes = Tables(random.split());
    launches::launch_changed(working(), true, random, &mut changes).map(|_| ()).into()
}

/// A pipeline or shader object of any kind but graphics, which [`mod@crate::states`] has.
pub fn create(random: &mut Random) -> Outcome {
    let kind = random.below(4);
    if kind == 0 {
        return ray_pipeline(random);
    }
    let context = Context::new();
    match kind {
        1 => context.compute_pipeline(random),
        2 => context.graph(random),
        _ => context.shader_object(random),
    }
}
