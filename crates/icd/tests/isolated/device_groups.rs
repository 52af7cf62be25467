//! Several physical devices in a group (`PYROCLAST_DEVICE_GROUP`): which of them run what.

use pyro_test_environment::in_child;
use pyro_test_kit::compute::{Buffer, Compute, shader};
use pyro_test_kit::graphics::{Context, SIZE};
use pyro_test_kit::{Client, Gpu, LinearImage};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::KhrDynamicRenderingExtensionDeviceCommands as _;

/// The physical devices of the tests.
const COUNT: u32 = 3;
/// A bit for each of them.
const ALL: u32 = (1 << COUNT) - 1;

/// Runs a test in processes with three physical devices, whose shaders machine code and the interpreter run.
fn everywhere(test: &str, run: impl Fn()) {
    let group = ("PYROCLAST_DEVICE_GROUP", "3");
    let interpreted = [group, ("PYROCLAST_CPU", "interpreter"), ("PYROCLAST_DETERMINISTIC", "1")];
    for environment in [&[group][..], &[group, ("PYROCLAST_THREADS", "4")], &interpreted] {
        if in_child(module_path!(), test, environment) {
            run();
            return;
        }
    }
}

fn client() -> Client {
    Client::new(vk::make_version(1, 3, 0), &[])
}

fn physical_devices(client: &Client) -> Vec<vk::PhysicalDevice> {
    unsafe { client.instance.enumerate_physical_devices() }.expect("devices")
}

/// A device of all physical devices.
fn gpu(extensions: &[&std::ffi::CStr]) -> Gpu {
    let client = client();
    let devices = physical_devices(&client);
    let mut rendering = vk::PhysicalDeviceDynamicRenderingFeatures::builder().dynamic_rendering(true).build();
    let mut group = vk::DeviceGroupDeviceCreateInfo::builder().physical_devices(&devices).build();
    group.next = (&raw mut rendering).cast();
    client.device(extensions, None, (&raw mut group).cast())
}

/// Adds 1 to the word of the device (`own`) or to word 0, and the pushed number to the word 8 behind it.
fn counting(own: bool) -> String {
    let text = shader(
        "%which = OpLoad %uint %device
         %index = OpIMul %uint %which %factor
         %at = OpAccessChain %word %buffer %uint_0 %index
         %counted = OpAtomicIAdd %uint %at %uint_1 %uint_0 %uint_1
         %behind = OpIAdd %uint %index %eight
         %there = OpAccessChain %word %buffer %uint_0 %behind
         %added = OpAtomicIAdd %uint %there %uint_1 %uint_0 %push",
    );
    let declared = "%eight = OpConstant %uint 8
                    %main = OpFunction %void None %fn";
    if !own {
        let text = text.replace("%which = OpLoad %uint %device", "").replace("%uint %which", "%uint %uint_1");
        let declared = format!("%factor = OpConstant %uint 0\n{declared}");
        return text.replace("%main = OpFunction %void None %fn", &declared);
    }
    let declared = format!(
        "%factor = OpConstant %uint 1
         %in_uint = OpTypePointer Input %uint
         %device = OpVariable %in_uint Input
         {declared}"
    );
    text.replace(
        "OpCapability Shader",
        "OpCapability Shader\nOpCapability DeviceGroup\nOpExtension \"SPV_KHR_device_group\"",
    )
    .replace("\"main\" %id", "\"main\" %id %device")
    .replace("OpDecorate %array", "OpDecorate %device BuiltIn DeviceIndex\nOpDecorate %array")
    .replace("%main = OpFunction %void None %fn", &declared)
}

/// A dispatch to come: a device, a buffer of 16 words that the pipeline counts in.
struct Counter {
    compute: Compute,
    buffer: Buffer,
    layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
}

impl Counter {
    fn new() -> Counter {
        let compute = Compute::from(gpu(&[]));
        let buffer = compute.buffer(16);
        let types = [(vk::DescriptorType::STORAGE_BUFFER, 1)];
        let set_layout = compute.set_layout(Default::default(), &types);
        let layout = compute.layout(&[set_layout]);
        let set = compute.set(set_layout);
        compute.write(set, buffer.buffer);
        Counter { compute, buffer, layout, set }
    }

    fn pipeline(&self, own: bool) -> vk::Pipeline {
        self.compute.pipeline(self.layout, &counting(own))
    }

    unsafe fn bind(&self, commands: vk::CommandBuffer, pipeline: vk::Pipeline) {
        let device = &self.compute.device;
        let point = vk::PipelineBindPoint::COMPUTE;
        unsafe {
            device.cmd_bind_pipeline(commands, point, pipeline);
            device.cmd_bind_descriptor_sets(commands, point, self.layout, 0, &[self.set], &[]);
        }
    }

    unsafe fn push(&self, commands: vk::CommandBuffer, number: u32) {
        let stages = vk::ShaderStageFlags::COMPUTE;
        let bytes = number.to_ne_bytes();
        unsafe { self.compute.device.cmd_push_constants(commands, self.layout, stages, 0, &bytes) };
    }

    /// What was counted on each device, and the sums of pushed numbers.
    fn counts(&self) -> ([u32; COUNT as usize], [u32; COUNT as usize]) {
        let words = self.buffer.words();
        let at = |first: usize| std::array::from_fn(|index| words[first + index]);
        (at(0), at(8))
    }

    fn clear(&self) {
        (0..16).for_each(|index| self.buffer.put(index, 0));
    }
}

/// Submits a command buffer to these devices, by both commands, and waits.
unsafe fn submit(gpu: &Gpu, commands: vk::CommandBuffer, mask: u32, second: bool) {
    unsafe {
        if second {
            let info = vk::CommandBufferSubmitInfo::builder().command_buffer(commands).device_mask(mask);
            let info = vk::SubmitInfo2::builder().command_buffer_infos(slice::from_ref(&info));
            gpu.device
                .queue_submit2(gpu.queue, slice::from_ref(&info), vk::Fence::null())
                .expect("submitted");
        } else {
            let mut group =
                vk::DeviceGroupSubmitInfo::builder().command_buffer_device_masks(slice::from_ref(&mask));
            let info =
                vk::SubmitInfo::builder().command_buffers(slice::from_ref(&commands)).push_next(&mut group);
            gpu.device.queue_submit(gpu.queue, slice::from_ref(&info), vk::Fence::null()).expect("submitted");
        }
        gpu.device.queue_wait_idle(gpu.queue).expect("idle");
    }
}

#[test]
fn physical_devices_are_one_group_and_share_memory() {
    everywhere("physical_devices_are_one_group_and_share_memory", || {
        let client = client();
        let devices = physical_devices(&client);
        assert_eq!(devices.len(), COUNT as usize);
        let groups = unsafe { client.instance.enumerate_physical_device_groups() }.expect("groups");
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].physical_devices[..groups[0].physical_device_count as usize], devices);
        assert_eq!(groups[0].subset_allocation, vk::FALSE);
        let identity = |device: &vk::PhysicalDevice| unsafe {
            let mut identity = vk::PhysicalDeviceIDProperties::default();
            let next = (&raw mut identity).cast();
            let mut core = vk::PhysicalDeviceVulkan11Properties { next, ..Default::default() };
            let next = (&raw mut core).cast();
            let mut all = vk::PhysicalDeviceProperties2 { next, ..Default::default() };
            client.instance.get_physical_device_properties2(*device, &mut all);
            assert_eq!(identity.device_uuid, core.device_uuid);
            *identity.device_uuid
        };
        let mut identities: Vec<_> = devices.iter().map(identity).collect();
        assert_eq!(identities[0], *b"pyroclast-device");
        identities.sort_unstable();
        identities.dedup();
        assert_eq!(identities.len(), devices.len());
        for &device in &devices {
            let memory = unsafe { client.instance.get_physical_device_memory_properties(device) };
            let flags = memory.memory_heaps[0].flags;
            assert!(!flags.contains(vk::MemoryHeapFlags::MULTI_INSTANCE), "an allocation has one instance");
        }
        let gpu = gpu(&[]);
        let features = unsafe { gpu.device.get_device_group_peer_memory_features(0, 0, 2) };
        assert_eq!(features, vk::PeerMemoryFeatureFlags::all());
    });
}

/// Devices that cannot be made, and masks and indices of devices that there are not.
#[test]
fn devices_that_there_are_not_are_refused() {
    everywhere("devices_that_there_are_not_are_refused", || unsafe {
        let client = client();
        let [first, second, ..] = physical_devices(&client)[..] else { panic!("too few devices") };
        let queue = vk::DeviceQueueCreateInfo::builder().queue_family_index(0).queue_priorities(&[1.0]);
        let make = |devices: &[vk::PhysicalDevice]| {
            let mut group = vk::DeviceGroupDeviceCreateInfo::builder().physical_devices(devices);
            let info = vk::DeviceCreateInfo::builder()
                .queue_create_infos(slice::from_ref(&queue))
                .push_next(&mut group);
            client.instance.create_device(first, &info, None)
        };
        let refused = |devices: &[_]| make(devices).map(drop).expect_err("no such device");
        assert_eq!(refused(&[first, first]), vk::ErrorCode::VALIDATION_FAILED);
        assert_eq!(refused(&[second]), vk::ErrorCode::VALIDATION_FAILED);
        make(&[second, first]).expect("a device").destroy_device(None);
        make(&[]).expect("a device").destroy_device(None);

        let gpu = gpu(&[]);
        let commands = gpu.record(|_| ());
        let info = vk::CommandBufferSubmitInfo::builder().command_buffer(commands).device_mask(ALL + 1);
        let info = vk::SubmitInfo2::builder().command_buffer_infos(slice::from_ref(&info));
        let refused = gpu.device.queue_submit2(gpu.queue, slice::from_ref(&info), vk::Fence::null());
        assert_eq!(refused, Err(vk::ErrorCode::VALIDATION_FAILED));
        let allocate = |mask| {
            let mut flags = vk::MemoryAllocateFlagsInfo::builder()
                .flags(vk::MemoryAllocateFlags::DEVICE_MASK)
                .device_mask(mask);
            let info = vk::MemoryAllocateInfo::builder().allocation_size(64).push_next(&mut flags);
            gpu.device.allocate_memory(&info, None)
        };
        for mask in [0, ALL + 1, u32::MAX] {
            assert_eq!(allocate(mask), Err(vk::ErrorCode::VALIDATION_FAILED), "{mask:#x}");
        }
        gpu.device.free_memory(allocate(ALL).expect("memory"), None);
    });
}

#[test]
fn shaders_run_on_the_devices_of_the_mask() {
    everywhere("shaders_run_on_the_devices_of_the_mask", || unsafe {
        let counter = Counter::new();
        let device = &counter.compute.device;
        let pipeline = counter.pipeline(true);
        let commands = counter.compute.record(|commands| {
            counter.bind(commands, pipeline);
            counter.push(commands, 1);
            device.cmd_dispatch(commands, 1000, 1, 1);
            for mask in [0b010, 0b110, 0b001] {
                device.cmd_set_device_mask(commands, mask);
                device.cmd_dispatch_base(commands, 7, 0, 0, 100, 1, 1);
            }
        });
        for (mask, second) in [(ALL, false), (ALL, true), (0, true), (0b110, false), (0b100, true)] {
            counter.clear();
            submit(&counter.compute, commands, mask, second);
            let has = |index: u32| u32::from(mask == 0 || mask >> index & 1 != 0);
            let expected = [1100 * has(0), 1200 * has(1), 1100 * has(2)];
            assert_eq!(counter.counts(), (expected, expected), "mask {mask:#b}");
        }
    });
}

/// What all devices do alike is done once: memory has one instance, and nobody can tell which device did it.
#[test]
fn what_devices_do_alike_is_done_once() {
    everywhere("what_devices_do_alike_is_done_once", || unsafe {
        let counter = Counter::new();
        let device = &counter.compute.device;
        let pipeline = counter.pipeline(false);
        counter.compute.run(|commands| {
            counter.bind(commands, pipeline);
            counter.push(commands, 2);
            device.cmd_dispatch(commands, 100, 1, 1);
            device.cmd_set_device_mask(commands, 0b011);
            device.cmd_dispatch(commands, 10, 1, 1);
            device.cmd_set_device_mask(commands, 0b100);
            device.cmd_dispatch(commands, 1, 1, 1);
        });
        assert_eq!(counter.counts(), ([111, 0, 0], [222, 0, 0]));
    });
}

/// A command that sets state sets that of its devices.
#[test]
fn devices_have_their_own_state() {
    everywhere("devices_have_their_own_state", || unsafe {
        let counter = Counter::new();
        let device = &counter.compute.device;
        let (own, shared) = (counter.pipeline(true), counter.pipeline(false));
        let secondary = {
            let info = vk::CommandBufferAllocateInfo::builder()
                .command_pool(counter.compute.pool)
                .level(vk::CommandBufferLevel::SECONDARY)
                .command_buffer_count(1);
            device.allocate_command_buffers(&info).expect("a command buffer")[0]
        };
        let inheritance = vk::CommandBufferInheritanceInfo::default();
        let mut group = vk::DeviceGroupCommandBufferBeginInfo::builder().device_mask(0b101);
        let info = vk::CommandBufferBeginInfo::builder().inheritance_info(&inheritance).push_next(&mut group);
        device.begin_command_buffer(secondary, &info).expect("begins");
        counter.bind(secondary, own);
        counter.push(secondary, 1000);
        device.cmd_dispatch(secondary, 1, 1, 1);
        device.end_command_buffer(secondary).expect("ends");
        counter.compute.run(|commands| {
            counter.bind(commands, own);
            for (mask, number) in [(0b001, 1), (0b010, 10), (0b100, 100)] {
                device.cmd_set_device_mask(commands, mask);
                counter.push(commands, number);
            }
            device.cmd_set_device_mask(commands, ALL);
            device.cmd_dispatch(commands, 2, 1, 1);
            device.cmd_execute_commands(commands, &[secondary]);
        });
        assert_eq!(counter.counts(), ([3, 2, 3], [1002, 20, 1200]));
        // Of shaders that do not ask for the device, too.
        counter.clear();
        counter.compute.run(|commands| {
            counter.bind(commands, shared);
            counter.push(commands, 1);
            device.cmd_set_device_mask(commands, 0b100);
            counter.push(commands, 10);
            device.cmd_set_device_mask(commands, ALL);
            device.cmd_dispatch(commands, 1, 1, 1);
        });
        assert_eq!(counter.counts().1, [11, 0, 0]);
    });
}

/// Draws the pushed colour with the device in its first component.
const FRAGMENT: &str = "
    OpCapability Shader
    OpCapability DeviceGroup
    OpExtension \"SPV_KHR_device_group\"
    OpMemoryModel Logical GLSL450
    OpEntryPoint Fragment %main \"main\" %color %device
    OpExecutionMode %main OriginUpperLeft
    OpDecorate %color Location 0
    OpDecorate %device BuiltIn DeviceIndex
    OpDecorate %device Flat
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %uint = OpTypeInt 32 0
    %float = OpTypeFloat 32
    %vec4 = OpTypeVector %float 4
    %in_uint = OpTypePointer Input %uint
    %out_vec4 = OpTypePointer Output %vec4
    %device = OpVariable %in_uint Input
    %color = OpVariable %out_vec4 Output
    %one = OpConstant %float 1
    %main = OpFunction %void None %fn
    %entry = OpLabel
    %index = OpLoad %uint %device
    %first = OpConvertUToF %float %index
    %value = OpCompositeConstruct %vec4 %first %one %one %one
    OpStore %color %value
    OpReturn
    OpFunctionEnd";

const FLOATS: vk::Format = vk::Format::R32G32B32A32_SFLOAT;

fn rows(first: u32, count: u32) -> vk::Rect2D {
    vk::Rect2D {
        offset: vk::Offset2D { x: 0, y: first as i32 },
        extent: vk::Extent2D { width: SIZE, height: count },
    }
}

/// What a frame's draws are: to these areas by these devices, behind a clear to -1.
unsafe fn frame(
    context: &Context,
    view: vk::ImageView,
    (mask, areas): (u32, &[vk::Rect2D]),
    draws: impl FnOnce(vk::CommandBuffer),
) {
    let clear = vk::ClearValue { color: vk::ClearColorValue { float32: [-1.0; 4] } };
    let attachment = vk::RenderingAttachmentInfo::builder()
        .image_view(view)
        .image_layout(vk::ImageLayout::GENERAL)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
        .clear_value(clear);
    let mut group =
        vk::DeviceGroupRenderPassBeginInfo::builder().device_mask(mask).device_render_areas(areas);
    let info = vk::RenderingInfo::builder()
        .render_area(rows(0, SIZE))
        .layer_count(1)
        .color_attachments(slice::from_ref(&attachment))
        .push_next(&mut group);
    context.run(|commands| unsafe {
        context.device.cmd_begin_rendering_khr(commands, &info);
        draws(commands);
        context.device.cmd_end_rendering_khr(commands);
    });
}

#[test]
fn frames_are_split_by_devices() {
    everywhere("frames_are_split_by_devices", || unsafe {
        let context = Context::from(gpu(&[c"VK_KHR_dynamic_rendering"]));
        let device = &context.device;
        let (pipeline, layout) = context.pipeline_with(FLOATS, FRAGMENT, &[]);
        let image = LinearImage::new(&context, FLOATS, [SIZE; 2], vk::ImageUsageFlags::COLOR_ATTACHMENT);
        let draw = |commands| {
            device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
            device.cmd_draw(commands, 3, 1, 0, 0);
        };
        // The triangle covers the pixels below the diagonal: none of row 0, for which row 1 stands.
        let devices = || -> [f32; SIZE as usize] {
            std::array::from_fn(|y| f32::from_ne_bytes(image.texel(0, y.max(1) as u32, 16)))
        };
        let by_rows = |values: [f32; 4]| -> [f32; SIZE as usize] { std::array::from_fn(|y| values[y / 4]) };
        let areas = [rows(0, 4), rows(4, 4), rows(8, 4)];
        // The last rows are in no area, and keep what is there.
        frame(&context, image.view, (ALL, &[]), |_| ());
        assert_eq!(devices(), [-1.0; SIZE as usize]);
        frame(&context, image.view, (ALL, &areas), draw);
        assert_eq!(devices(), by_rows([0.0, 1.0, 2.0, -1.0]));
        // The mask of a draw; of the others the clears alone.
        frame(&context, image.view, (ALL, &areas), |commands| {
            device.cmd_set_device_mask(commands, 0b101);
            draw(commands);
        });
        assert_eq!(devices(), by_rows([0.0, -1.0, 2.0, -1.0]));
        // The mask of the instance.
        frame(&context, image.view, (0b010, &areas), draw);
        assert_eq!(devices(), by_rows([0.0, 1.0, 2.0, -1.0]));
        // Each device draws the same pixels, one after another.
        frame(&context, image.view, (0b011, &[]), draw);
        assert_eq!(devices(), [1.0; SIZE as usize]);
        // A device draws behind the clear of all.
        frame(&context, image.view, (ALL, &[]), |commands| {
            device.cmd_set_device_mask(commands, 0b001);
            draw(commands);
        });
        assert_eq!(devices(), [0.0; SIZE as usize]);
        image.destroy(&context);
        device.destroy_pipeline(pipeline, None);
        device.destroy_pipeline_layout(layout, None);
    });
}

/// Samples that all devices have drawn count, each once.
#[test]
fn queries_count_what_all_devices_do() {
    everywhere("queries_count_what_all_devices_do", || unsafe {
        let context = Context::from(gpu(&[c"VK_KHR_dynamic_rendering"]));
        let device = &context.device;
        let (pipeline, layout) = context.pipeline_with(FLOATS, FRAGMENT, &[]);
        let image = LinearImage::new(&context, FLOATS, [SIZE; 2], vk::ImageUsageFlags::COLOR_ATTACHMENT);
        let info = vk::QueryPoolCreateInfo::builder().query_type(vk::QueryType::OCCLUSION).query_count(1);
        let pool = device.create_query_pool(&info, None).expect("a pool");
        let samples = |mask: u32, areas: &[vk::Rect2D]| {
            context.run(|commands| device.cmd_reset_query_pool(commands, pool, 0, 1));
            frame(&context, image.view, (ALL, areas), |commands| {
                device.cmd_begin_query(commands, pool, 0, vk::QueryControlFlags::PRECISE);
                device.cmd_set_device_mask(commands, mask);
                device.cmd_bind_pipeline(commands, vk::PipelineBindPoint::GRAPHICS, pipeline);
                device.cmd_draw(commands, 3, 1, 0, 0);
                device.cmd_set_device_mask(commands, ALL);
                device.cmd_end_query(commands, pool, 0);
            });
            let mut count = [0; 4];
            let flags = vk::QueryResultFlags::WAIT;
            device.get_query_pool_results(pool, 0, 1, &mut count, 4, flags).expect("a result");
            u32::from_ne_bytes(count)
        };
        let whole = samples(0b001, &[]);
        assert!(whole > SIZE * SIZE / 2 - SIZE);
        let thirds = [rows(0, 5), rows(5, 5), rows(10, 6)];
        assert_eq!(samples(ALL, &thirds), whole);
        assert_eq!(samples(0b011, &thirds) + samples(0b100, &thirds), whole);
        device.destroy_query_pool(pool, None);
        image.destroy(&context);
        device.destroy_pipeline(pipeline, None);
        device.destroy_pipeline_layout(layout, None);
    });
}

/// Without the variable the machine is one device.
#[test]
fn the_machine_is_one_device_unless_asked() {
    for value in ["", "1", "0", "two"] {
        if in_child(
            module_path!(),
            "the_machine_is_one_device_unless_asked",
            &[("PYROCLAST_DEVICE_GROUP", value)],
        ) {
            let client = client();
            assert_eq!(physical_devices(&client).len(), 1);
            return;
        }
    }
}
