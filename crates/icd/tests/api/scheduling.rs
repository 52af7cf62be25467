//! How many cores queues have, and how many workgroups a core takes at a time
//! (`VK_ARM_scheduling_controls`).

use pyro_driver::registry_supplement as new;
use pyro_shadertext::Shader;
use pyro_test_kit::Client;
use pyro_test_kit::compute::{Buffer, Compute};
use std::collections::HashSet;
use std::ffi::c_void;
use std::mem::transmute;
use std::ptr::{from_mut, from_ref};
use vulkanalia::prelude::v1_3::*;

const V1_3: u32 = vk::make_version(1, 3, 0);
const EXTENSIONS: [&std::ffi::CStr; 2] = [c"VK_ARM_scheduling_controls", c"VK_ARM_shader_core_builtins"];
/// Workgroups of a dispatch, of one invocation each.
const GROUPS: u32 = 4096;
/// How far each workgroup counts, in the dispatches that each property is shown by.
const ROUNDS: [u32; 8] = [200; 8];

/// Each workgroup counts a while, and writes the number of its core.
fn cores() -> Shader {
    Shader::compute(
        [1, 1, 1],
        "%end = OpAccessChain %push_uint %push %uint_0
         %many = OpLoad %uint %end
         OpBranch %loop
         %loop = OpLabel
         %count = OpPhi %uint %uint_0 %entry %next %again
         OpLoopMerge %done %again None
         OpBranch %body
         %body = OpLabel
         %next = OpIAdd %uint %count %uint_1
         %goes_on = OpULessThan %bool %next %many
         OpBranch %again
         %again = OpLabel
         OpBranchConditional %goes_on %loop %done
         %done = OpLabel
         %ids = OpLoad %uint3 %id
         %gid = OpCompositeExtract %uint %ids 0
         %number = OpLoad %uint %core
         %rest = OpISub %uint %next %many
         %value = OpIAdd %uint %number %rest
         %at = OpAccessChain %buffer_uint %out %uint_0 %gid
         OpStore %at %value",
    )
    .capability("CoreBuiltinsARM")
    .extension("SPV_ARM_core_builtins")
    .input("id", "uint3", "BuiltIn GlobalInvocationId")
    .input("core", "uint", "BuiltIn CoreIDARM")
    .buffers(&["out"])
    .push_word()
}

/// A device, its features in front of this chain.
fn device(next: *mut c_void) -> Compute {
    let mut scheduling = vk::PhysicalDeviceSchedulingControlsFeaturesARM {
        scheduling_controls: vk::TRUE,
        next,
        ..Default::default()
    };
    let mut builtins = vk::PhysicalDeviceShaderCoreBuiltinsFeaturesARM::builder().shader_core_builtins(true);
    builtins.next = from_mut(&mut scheduling).cast();
    Compute::new(V1_3, &EXTENSIONS, from_mut(&mut builtins).cast())
}

/// The cores of the workgroups of several dispatches of one queue, which count so far each and have these
/// parameters in front.
fn cores_of(
    device: &Compute,
    queue: vk::Queue,
    parameters: Option<new::DispatchParametersARM>,
    rounds: &[u32],
) -> Vec<Vec<u32>> {
    let set_parameters: new::PFN_vkCmdSetDispatchParametersARM =
        unsafe { transmute(device.proc_address(c"vkCmdSetDispatchParametersARM")) };
    let memory: Buffer = device.buffer(GROUPS as usize);
    let set_layout = device
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let layout = device.layout(&[set_layout]);
    let pipeline = device.pipeline(layout, &cores().text());
    let set = device.set(set_layout);
    device.write(set, memory.buffer);
    let point = vk::PipelineBindPoint::COMPUTE;
    let rounds = rounds.iter().map(|&many| unsafe {
        let commands = device.record(|commands| {
            device.device.cmd_bind_pipeline(commands, point, pipeline);
            device.device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
            if let Some(parameters) = &parameters {
                set_parameters(commands, from_ref(parameters));
            }
            let stages = vk::ShaderStageFlags::COMPUTE;
            device.device.cmd_push_constants(commands, layout, stages, 0, &many.to_ne_bytes());
            device.device.cmd_dispatch(commands, GROUPS, 1, 1);
        });
        let list = [commands];
        let submit = vk::SubmitInfo::builder().command_buffers(&list);
        device.device.queue_submit(queue, &[submit], vk::Fence::null()).expect("submitted");
        device.device.queue_wait_idle(queue).expect("idle");
        memory.words()
    });
    rounds.collect()
}

fn distinct(cores: &[u32]) -> usize {
    cores.iter().collect::<HashSet<_>>().len()
}

/// Whether there are cores that a limit can take away.
fn has_several_cores() -> bool {
    std::thread::available_parallelism().is_ok_and(|count| count.get() > 1)
}

/// All queues of a device have as many cores as it is created with, all of them without a number.
#[test]
fn devices_have_cores() {
    let all = device(std::ptr::null_mut());
    // Other cores come when a dispatch takes long enough.
    let several = (8..17).any(|shift| distinct(&cores_of(&all, all.queue, None, &[1 << shift])[0]) > 1);
    assert!(several || !has_several_cores());
    for limit in [1, 2] {
        let mut control =
            vk::DeviceQueueShaderCoreControlCreateInfoARM { shader_core_count: limit, ..Default::default() };
        let few = device(from_mut(&mut control).cast());
        for queue in 0..2 {
            let queue = unsafe { few.device.get_device_queue(0, queue) };
            let counts: Vec<_> =
                cores_of(&few, queue, None, &ROUNDS).iter().map(|cores| distinct(cores)).collect();
            assert!(counts.iter().all(|&count| count <= limit as usize), "{limit}: {counts:?}");
        }
    }
}

/// Queues have numbers of their own. None and more than there are, and a number of the device beside one of a
/// queue, are errors.
#[test]
fn queues_have_cores() {
    let client = Client::new(V1_3, &[]);
    let mut builtins = vk::PhysicalDeviceShaderCoreBuiltinsPropertiesARM::default();
    let mut properties = vk::PhysicalDeviceProperties2::builder().push_next(&mut builtins);
    unsafe {
        client.instance.get_physical_device_properties2(client.physical_device, &mut properties);
    }
    let most = builtins.shader_core_count;
    let create = |of_queue: Option<u32>, of_device: Option<u32>| unsafe {
        let control = |count: Option<u32>| {
            count.map(|shader_core_count| vk::DeviceQueueShaderCoreControlCreateInfoARM {
                shader_core_count,
                ..Default::default()
            })
        };
        let (queue_control, device_control) = (control(of_queue), control(of_device));
        let chain = |control: &Option<vk::DeviceQueueShaderCoreControlCreateInfoARM>| {
            control.as_ref().map_or(std::ptr::null(), |control| from_ref(control).cast())
        };
        let priorities = [1.0];
        let mut queue =
            vk::DeviceQueueCreateInfo::builder().queue_family_index(0).queue_priorities(&priorities);
        queue.next = chain(&queue_control);
        let extensions = EXTENSIONS.map(|name| name.as_ptr());
        let mut info = vk::DeviceCreateInfo::builder()
            .queue_create_infos(std::slice::from_ref(&queue))
            .enabled_extension_names(&extensions);
        info.next = chain(&device_control);
        client.instance.create_device(client.physical_device, &info, None)
    };
    for (of_queue, of_device, is_fine) in [
        (Some(1), None, true),
        (Some(most), None, true),
        (None, Some(most), true),
        (Some(0), None, false),
        (Some(most + 1), None, false),
        (None, Some(0), false),
        (None, Some(u32::MAX), false),
        (Some(1), Some(1), false),
    ] {
        let made = create(of_queue, of_device);
        assert_eq!(made.is_ok(), is_fine, "queue {of_queue:?}, device {of_device:?}");
        made.into_iter().for_each(|device| unsafe { device.destroy_device(None) });
    }
}

/// A core takes workgroups in batches of the size that is asked for; sizes and numbers beyond the limits are
/// errors when the recording ends.
#[test]
fn cores_take_batches() {
    let device = device(std::ptr::null_mut());
    for size in [64, 1000, GROUPS] {
        let parameters = new::DispatchParametersARM {
            work_group_batch_size: size,
            max_queued_work_group_batches: 1,
            max_warps_per_shader_core: 1,
            ..Default::default()
        };
        let rounds = cores_of(&device, device.queue, Some(parameters), &ROUNDS);
        for (round, batch) in rounds.iter().flat_map(|round| round.chunks(size as usize)).enumerate() {
            assert_eq!(distinct(batch), 1, "batches of {size}, number {round}");
        }
    }
    let mut limits = new::PhysicalDeviceSchedulingControlsDispatchParametersPropertiesARM::default();
    let mut properties =
        vk::PhysicalDeviceProperties2 { next: from_mut(&mut limits).cast(), ..Default::default() };
    unsafe {
        device.instance.get_physical_device_properties2(device.physical_device, &mut properties);
    }
    let set_parameters: new::PFN_vkCmdSetDispatchParametersARM =
        unsafe { transmute(device.proc_address(c"vkCmdSetDispatchParametersARM")) };
    let most = [
        limits.scheduling_controls_max_work_group_batch_size,
        limits.scheduling_controls_max_queued_batches_count,
        limits.scheduling_controls_max_warps_count,
    ];
    assert!(most[0] >= GROUPS && most[1] >= 1 && most[2] >= 1, "{most:?}");
    for beyond in [None, Some(0), Some(1), Some(2)] {
        let value = |index: usize| most[index] + u32::from(beyond == Some(index));
        let parameters = new::DispatchParametersARM {
            work_group_batch_size: value(0),
            max_queued_work_group_batches: value(1),
            max_warps_per_shader_core: value(2),
            ..Default::default()
        };
        let commands = device.command_buffer();
        unsafe {
            device
                .device
                .begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())
                .expect("begun");
            set_parameters(commands, from_ref(&parameters));
            assert_eq!(device.device.end_command_buffer(commands).is_ok(), beyond.is_none(), "{beyond:?}");
        }
    }
}
