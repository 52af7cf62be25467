//! What applications get wrong, or far out: sets that are missing or of another shape, absurd shaders, a
//! shader that does not end.

use pyro_test_environment::in_child;
use pyro_test_kit::compute::{Compute, shader};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ExtDeviceFaultExtensionDeviceCommands as _;

const V1_3: u32 = vk::make_version(1, 3, 0);
const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;

/// Adds one to the word at the invocation's place.
const COUNT: &str = "
    %place = OpAccessChain %word %buffer %uint_0 %gid
    %old   = OpAtomicIAdd %uint %place %uint_1 %uint_0 %uint_1";

fn plain() -> vk::DescriptorSetLayoutCreateFlags {
    vk::DescriptorSetLayoutCreateFlags::empty()
}

#[test]
fn missing_and_misshapen_sets_are_null() {
    let context = Compute::new(V1_3, &[], std::ptr::null_mut());
    let target = context.buffer(2);
    let storage = (vk::DescriptorType::STORAGE_BUFFER, 1);
    let right = context.set_layout(plain(), &[storage]);
    // Much larger than what is bound: 200,000 descriptors before the one.
    let wide = context.set_layout(plain(), &[storage, (vk::DescriptorType::STORAGE_BUFFER, 200_000)]);
    let text = shader(COUNT).replace("OpDecorate %buffer Binding 0", "OpDecorate %buffer Binding 1");
    let last = shader(COUNT);
    let (layout, wide_layout) = (context.layout(&[right]), context.layout(&[wide]));
    let set = context.set(right);
    context.write(set, target.buffer);
    for (pipeline_layout, text, bound, counted) in [
        (layout, &last, Some(layout), 1),
        (layout, &last, None, 0),
        (wide_layout, &text, Some(layout), 0),
        (wide_layout, &text, None, 0),
    ] {
        let pipeline = context.pipeline(pipeline_layout, text);
        target.put(0, 0);
        context.run(|commands| unsafe {
            context.device.cmd_bind_pipeline(commands, POINT, pipeline);
            if let Some(layout) = bound {
                context.device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
            }
            context.device.cmd_dispatch(commands, 1, 1, 1);
        });
        assert_eq!(target.words(), [counted, 0]);
    }
}

/// Adds the word of a uniform block at binding 1 to the word at the invocation's place.
fn add_uniform() -> String {
    let body = "
    %place = OpAccessChain %word %buffer %uint_0 %gid
    %from  = OpAccessChain %word %uniform %uint_0
    %by    = OpLoad %uint %from
    %old   = OpAtomicIAdd %uint %place %uint_1 %uint_0 %by";
    let decorations = "OpDecorate %uniform DescriptorSet 0
        OpDecorate %uniform Binding 1
        OpDecorate %constants Block";
    let variables = "%uniform_block = OpTypePointer Uniform %constants
        %uniform = OpVariable %uniform_block Uniform
        %uint_0 = OpConstant %uint 0";
    shader(body)
        .replace("OpDecorate %constants Block", decorations)
        .replace("%uint_0 = OpConstant %uint 0", variables)
}

/// Programs break VUID-VkComputePipelineCreateInfo-layout-07990 by binding a storage block through a uniform
/// buffer's descriptor, and the reverse; they get the sums that they expect.
#[test]
fn uniform_and_storage_descriptors_serve_both_kinds_of_blocks() {
    let context = Compute::new(V1_3, &[], std::ptr::null_mut());
    let (target, constant) = (context.buffer(2), context.buffer(1));
    constant.put(0, 5);
    let dynamic = |ty| {
        ty == vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC || ty == vk::DescriptorType::STORAGE_BUFFER_DYNAMIC
    };
    let types = [
        vk::DescriptorType::UNIFORM_BUFFER,
        vk::DescriptorType::STORAGE_BUFFER,
        vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC,
        vk::DescriptorType::STORAGE_BUFFER_DYNAMIC,
    ];
    for (first, second) in types.into_iter().flat_map(|first| types.map(|second| (first, second))) {
        let set_layout = context.set_layout(plain(), &[(first, 1), (second, 1)]);
        let layout = context.layout(&[set_layout]);
        let pipeline = context.pipeline(layout, &add_uniform());
        let set = context.set_of(set_layout, &types.map(|ty| (ty, 2)));
        for (binding, ty, buffer) in [(0, first, target.buffer), (1, second, constant.buffer)] {
            let info = vk::DescriptorBufferInfo { buffer, offset: 0, range: vk::WHOLE_SIZE };
            let write = vk::WriteDescriptorSet::builder()
                .dst_set(set)
                .dst_binding(binding)
                .descriptor_type(ty)
                .buffer_info(slice::from_ref(&info));
            unsafe { context.device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
        }
        let offsets = vec![0; [first, second].into_iter().filter(|&ty| dynamic(ty)).count()];
        target.put(0, 1);
        context.run(|commands| unsafe {
            context.device.cmd_bind_pipeline(commands, POINT, pipeline);
            context.device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &offsets);
            context.device.cmd_dispatch(commands, 3, 1, 1);
        });
        assert_eq!(target.words(), [6, 5], "{first:?} and {second:?}");
        target.put(1, 0);
    }
}

#[test]
fn mutable_descriptors_become_what_is_written() {
    let mut feature =
        vk::PhysicalDeviceMutableDescriptorTypeFeaturesEXT::builder().mutable_descriptor_type(true);
    let extensions = [c"VK_EXT_mutable_descriptor_type"];
    let context = Compute::new(V1_3, &extensions, std::ptr::from_mut(&mut feature).cast());
    let device = &context.device;
    let target = context.buffer(2);
    let types = [vk::DescriptorType::STORAGE_BUFFER, vk::DescriptorType::STORAGE_IMAGE];
    let make = |types: &[vk::DescriptorType]| unsafe {
        let list = vk::MutableDescriptorTypeListEXT::builder().descriptor_types(types);
        let mut lists = vk::MutableDescriptorTypeCreateInfoEXT::builder()
            .mutable_descriptor_type_lists(slice::from_ref(&list));
        let binding = vk::DescriptorSetLayoutBinding::builder()
            .descriptor_type(vk::DescriptorType::MUTABLE_EXT)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::COMPUTE);
        let info = vk::DescriptorSetLayoutCreateInfo::builder()
            .bindings(slice::from_ref(&binding))
            .push_next(&mut lists);
        device.create_descriptor_set_layout(&info, None)
    };
    assert!(make(&[vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC]).is_err());
    let set_layout = make(&types).expect("a set layout");
    unsafe {
        let size = vk::DescriptorPoolSize { type_: vk::DescriptorType::MUTABLE_EXT, descriptor_count: 1 };
        let info = vk::DescriptorPoolCreateInfo::builder().max_sets(1).pool_sizes(slice::from_ref(&size));
        let pool = device.create_descriptor_pool(&info, None).expect("a pool");
        let info = vk::DescriptorSetAllocateInfo::builder()
            .descriptor_pool(pool)
            .set_layouts(slice::from_ref(&set_layout));
        let set = device.allocate_descriptor_sets(&info).expect("a set")[0];
        context.write(set, target.buffer);
        let layout = context.layout(&[set_layout]);
        let pipeline = context.pipeline(layout, &shader(COUNT));
        context.run(|commands| {
            device.cmd_bind_pipeline(commands, POINT, pipeline);
            device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
            device.cmd_dispatch(commands, 2, 1, 1);
        });
        assert_eq!(target.words(), [1, 1]);
        device.destroy_descriptor_pool(pool, None);
        device.destroy_descriptor_set_layout(set_layout, None);
    }
}

/// The result of making a pipeline of these words.
fn pipeline_of(context: &Compute, words: &[u32]) -> Result<(), vk::ErrorCode> {
    let layout = context.layout(&[]);
    let device = &context.device;
    unsafe {
        let info = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(words);
        let module = device.create_shader_module(&info, None)?;
        let stage = vk::PipelineShaderStageCreateInfo::builder()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(b"main\0");
        let info = vk::ComputePipelineCreateInfo::builder().stage(stage).layout(layout);
        let made = device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
        device.destroy_shader_module(module, None);
        made.map(|(pipelines, _)| pipelines.iter().for_each(|&one| device.destroy_pipeline(one, None)))
    }
}

#[test]
fn absurd_modules_are_errors() {
    let context = Compute::new(V1_3, &[], std::ptr::null_mut());
    let good = pyro_spirv::asm::assemble(&shader("")).expect("assembly");
    // 2³¹ ids; a length that goes past the end; half a module; nothing but the header.
    let mut ids = good.clone();
    ids[3] = 1 << 31;
    assert!(pipeline_of(&context, &ids).is_err());
    let mut long = good.clone();
    long[5] |= 0xffff_0000;
    assert!(pipeline_of(&context, &long).is_err());
    assert!(pipeline_of(&context, &good[..good.len() / 2]).is_err());
    assert!(pipeline_of(&context, &good[..5]).is_err());
    // Private arrays of 2⁴⁰ words.
    let arrays = "
        %big = OpConstant %uint 1048576
        %one = OpTypeArray %uint %big
        %two = OpTypeArray %one %big
        %private = OpTypePointer Private %two
        %private_word = OpTypePointer Private %uint
        %huge = OpVariable %private Private
        %main = OpFunction";
    let text = shader(
        "%at = OpAccessChain %private_word %huge %gid %gid
              OpStore %at %gid",
    );
    let words = pyro_spirv::asm::assemble(&text.replacen("%main = OpFunction", arrays, 1)).expect("assembly");
    assert!(pipeline_of(&context, &words).is_err());
}

/// Selections in selections, ten thousand deep: made, or refused, in bounded time and stack.
#[test]
fn deeply_nested_blocks_are_accepted_or_refused() {
    let context = Compute::new(V1_3, &[], std::ptr::null_mut());
    let depth = 10_000;
    let mut body = String::from("%condition = OpIEqual %bool %gid %uint_1\n");
    for level in 0..depth {
        body += &format!(
            "OpSelectionMerge %merge{level} None\nOpBranchConditional %condition %then{level} %merge{level}\n\
             %then{level} = OpLabel\n"
        );
    }
    for level in (0..depth).rev() {
        body += &format!("OpBranch %merge{level}\n%merge{level} = OpLabel\n");
    }
    let words = pyro_spirv::asm::assemble(&shader(&body)).expect("assembly");
    let _ = pipeline_of(&context, &words);
}

/// In a process of its own, since the watchdog's limit is the environment's.
#[test]
fn a_lost_device_says_why() {
    if !in_child(module_path!(), "a_lost_device_says_why", &[("PYROCLAST_WATCHDOG_SECONDS", "0.2")]) {
        return;
    }
    let mut feature = vk::PhysicalDeviceFaultFeaturesEXT::builder().device_fault(true);
    let extensions = [c"VK_EXT_device_fault"];
    let context = Compute::new(V1_3, &extensions, std::ptr::from_mut(&mut feature).cast());
    let device = &context.device;
    let mut counts = vk::DeviceFaultCountsEXT::default();
    unsafe {
        assert!(device.get_device_fault_info_ext(&mut counts, None).is_err(), "not lost yet");
        let set_layout = context.set_layout(plain(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
        let layout = context.layout(&[set_layout]);
        let endless = "
                OpBranch %loop
            %loop = OpLabel
                OpLoopMerge %after %continue None
                OpBranch %continue
            %continue = OpLabel
            %place = OpAccessChain %word %buffer %uint_0 %gid
            %old = OpAtomicIAdd %uint %place %uint_1 %uint_0 %uint_1
            %never = OpIEqual %bool %push %uint_4
                OpBranchConditional %never %after %loop
            %after = OpLabel";
        let pipeline = context.pipeline(layout, &shader(endless));
        let (set, target) = (context.set(set_layout), context.buffer(1));
        context.write(set, target.buffer);
        let commands = context.record(|commands| {
            device.cmd_bind_pipeline(commands, POINT, pipeline);
            device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
            device.cmd_dispatch(commands, 1, 1, 1);
        });
        let submit = vk::SubmitInfo::builder().command_buffers(slice::from_ref(&commands));
        device.queue_submit(context.queue, slice::from_ref(&submit), vk::Fence::null()).expect("submitted");
        assert_eq!(device.queue_wait_idle(context.queue), Err(vk::ErrorCode::DEVICE_LOST));
        let mut info = vk::DeviceFaultInfoEXT::default();
        device.get_device_fault_info_ext(&mut counts, Some(&mut info)).expect("the fault");
        let text = info.description.to_string();
        assert!(text.contains("main"), "{text}");
        assert_eq!((counts.address_info_count, counts.vendor_binary_size), (0, 0));
    }
}

const NO_FLAGS: vk::PipelineCreateFlags = vk::PipelineCreateFlags::empty();

/// Makes a pipeline of assembly text with a chain of structures on its info.
fn pipeline_with(
    context: &Compute,
    layout: vk::PipelineLayout,
    text: &str,
    next: *const std::ffi::c_void,
    flags: vk::PipelineCreateFlags,
) -> vk::Pipeline {
    let words = pyro_spirv::asm::assemble(text).expect("assembly");
    let info = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(&words);
    unsafe {
        let module = context.device.create_shader_module(&info, None).expect("a module");
        let stage = vk::PipelineShaderStageCreateInfo::builder()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module)
            .name(b"main\0");
        let mut info =
            vk::ComputePipelineCreateInfo::builder().flags(flags).stage(stage).layout(layout).build();
        info.next = next;
        let made = context.device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
        context.device.destroy_shader_module(module, None);
        made.expect("a pipeline").0[0]
    }
}

/// Stores behind the end of a buffer go nowhere and loads give zero, whatever a pipeline says of robustness;
/// a volatile load is not answered by the invocation's own store.
#[test]
fn nothing_lies_behind_a_buffer_in_any_mode() {
    let extensions = [c"VK_EXT_pipeline_robustness", c"VK_EXT_robustness2"];
    let mut feature =
        vk::PhysicalDevicePipelineRobustnessFeaturesEXT::builder().pipeline_robustness(true).build();
    let context = Compute::new(V1_3, &extensions, (&raw mut feature).cast());
    let storage = (vk::DescriptorType::STORAGE_BUFFER, 1);
    let set_layout = context.set_layout(plain(), &[storage]);
    let layout = context.layout(&[set_layout]);
    let (set, target) = (context.set(set_layout), context.buffer(64));
    // The last of what the descriptor holds is word 3; the rest belongs to the buffer, not to the shader.
    let info = vk::DescriptorBufferInfo { buffer: target.buffer, offset: 0, range: 16 };
    let write = vk::WriteDescriptorSet::builder()
        .dst_set(set)
        .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
        .buffer_info(slice::from_ref(&info));
    unsafe { context.device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
    let text = shader(
        "%behind = OpAccessChain %word %buffer %uint_0 %push
        OpStore %behind %push Volatile
        %again = OpLoad %uint %behind Volatile
        %first = OpAccessChain %word %buffer %uint_0 %uint_0
        OpStore %first %again",
    );
    use vk::PipelineRobustnessBufferBehaviorEXT as Behavior;
    for behavior in [
        Behavior::DEVICE_DEFAULT,
        Behavior::DISABLED,
        Behavior::ROBUST_BUFFER_ACCESS,
        Behavior::ROBUST_BUFFER_ACCESS_2,
    ] {
        let mut modes = vk::PipelineRobustnessCreateInfoEXT::builder()
            .storage_buffers(behavior)
            .uniform_buffers(behavior)
            .vertex_inputs(behavior)
            .build();
        let pipeline = pipeline_with(&context, layout, &text, (&raw mut modes).cast(), NO_FLAGS);
        for place in [1u32, 3, 4, 5, 63, 64, 0x1000_0000, 0x3fff_ffff, 0x4000_0001, u32::MAX] {
            (0..64).for_each(|index| target.put(index, 900 + index as u32));
            context.run(|commands| unsafe {
                context.device.cmd_bind_pipeline(commands, POINT, pipeline);
                context.device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
                let stages = vk::ShaderStageFlags::COMPUTE;
                context.device.cmd_push_constants(commands, layout, stages, 0, &place.to_ne_bytes());
                context.device.cmd_dispatch(commands, 1, 1, 1);
            });
            let mut expected: Vec<u32> = (900..964).collect();
            expected[0] = 0;
            if place < 4 {
                (expected[0], expected[place as usize]) = (place, place);
            }
            assert_eq!(target.words(), expected, "{behavior:?}, word {place}");
        }
        unsafe { context.device.destroy_pipeline(pipeline, None) };
    }
}

/// No memory of the device is protected, so a pipeline that must not touch such memory runs like any other,
/// whichever of the two words of flags says so.
#[test]
fn pipelines_run_without_access_to_protected_memory() {
    let mut feature = vk::PhysicalDevicePipelineProtectedAccessFeaturesEXT::builder()
        .pipeline_protected_access(true)
        .build();
    let context = Compute::new(V1_3, &[c"VK_EXT_pipeline_protected_access"], (&raw mut feature).cast());
    let storage = (vk::DescriptorType::STORAGE_BUFFER, 1);
    let set_layout = context.set_layout(plain(), &[storage]);
    let layout = context.layout(&[set_layout]);
    let (set, target) = (context.set(set_layout), context.buffer(4));
    context.write(set, target.buffer);
    let text = shader(
        "%place = OpAccessChain %word %buffer %uint_0 %uint_0
        OpStore %place %push",
    );
    let narrow = vk::PipelineCreateFlags::NO_PROTECTED_ACCESS;
    let mut wide = vk::PipelineCreateFlags2CreateInfo::builder()
        .flags(vk::PipelineCreateFlags2::NO_PROTECTED_ACCESS)
        .build();
    for (value, flags, next) in
        [(5u32, narrow, std::ptr::null_mut()), (6, NO_FLAGS, (&raw mut wide).cast::<std::ffi::c_void>())]
    {
        let pipeline = pipeline_with(&context, layout, &text, next, flags);
        context.run(|commands| unsafe {
            context.device.cmd_bind_pipeline(commands, POINT, pipeline);
            context.device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
            let stages = vk::ShaderStageFlags::COMPUTE;
            context.device.cmd_push_constants(commands, layout, stages, 0, &value.to_ne_bytes());
            context.device.cmd_dispatch(commands, 1, 1, 1);
        });
        assert_eq!(target.words()[0], value);
        unsafe { context.device.destroy_pipeline(pipeline, None) };
    }
}

/// Programs break VUID-VkComputePipelineCreateInfo-layout-07988 by using bindings that the pipeline layout
/// lacks, or sets; they read zeros.
#[test]
fn bindings_that_the_layout_lacks_are_null() {
    let context = Compute::new(V1_3, &[], std::ptr::null_mut());
    let target = context.buffer(2);
    let set_layout = context.set_layout(plain(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let layout = context.layout(&[set_layout]);
    let set = context.set_of(set_layout, &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    context.write(set, target.buffer);
    let uniform = add_uniform();
    let uniform_of_set = uniform.replace("%uniform DescriptorSet 0", "%uniform DescriptorSet 5");
    let fetch = "
    %place = OpAccessChain %word %buffer %uint_0 %gid
    %image = OpLoad %sampled %texture
    %texel = OpImageFetch %vec4_uint %image %gid
    %by    = OpCompositeExtract %uint %texel 0
    %old   = OpAtomicIAdd %uint %place %uint_1 %uint_0 %by";
    let decorations = "OpDecorate %texture DescriptorSet 1
        OpDecorate %texture Binding 3
        OpDecorate %constants Block";
    let variables = "%sampled = OpTypeImage %uint Buffer 0 0 0 1 Unknown
        %sampled_pointer = OpTypePointer UniformConstant %sampled
        %texture = OpVariable %sampled_pointer UniformConstant
        %vec4_uint = OpTypeVector %uint 4
        %uint_0 = OpConstant %uint 0";
    let texture = shader(fetch)
        .replace("OpCapability Shader", "OpCapability Shader\nOpCapability SampledBuffer")
        .replace("OpDecorate %constants Block", decorations)
        .replace("%uint_0 = OpConstant %uint 0", variables);
    for text in [uniform, uniform_of_set, texture] {
        let pipeline = context.pipeline(layout, &text);
        target.put(0, 3);
        context.run(|commands| unsafe {
            context.device.cmd_bind_pipeline(commands, POINT, pipeline);
            context.device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
            context.device.cmd_dispatch(commands, 1, 1, 1);
        });
        assert_eq!(target.words()[0], 3, "{text}");
    }
}
