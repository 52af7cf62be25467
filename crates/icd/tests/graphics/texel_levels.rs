//! Texels by level and by fragment: `VK_AMD_shader_image_load_store_lod`, `VK_AMD_shader_fragment_mask`.

use pyro_test_kit::Client;
use pyro_test_kit::compute::{Buffer, Compute};
use std::ffi::CStr;
use std::slice;
use vulkanalia::prelude::v1_3::*;

const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const SIDE: u32 = 8;
const LEVELS: u32 = 3;
const BINDINGS: [(vk::DescriptorType, u32); 3] = [
    (vk::DescriptorType::STORAGE_BUFFER, 1),
    (vk::DescriptorType::STORAGE_IMAGE, 1),
    (vk::DescriptorType::SAMPLED_IMAGE, 1),
];

/// A compute shader with the invocation's number at `%x`, the buffer of binding 0, and the image of bindings
/// 1 and 2, which has several samples or not.
fn shader(head: &str, samples: u32, body: &str) -> String {
    format!(
        "{head}
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\" %id
        OpExecutionMode %main LocalSize 1 1 1
        OpDecorate %id BuiltIn GlobalInvocationId
        OpDecorate %array ArrayStride 4
        OpDecorate %block BufferBlock
        OpMemberDecorate %block 0 Offset 0
        OpDecorate %buffer DescriptorSet 0
        OpDecorate %buffer Binding 0
        OpDecorate %stored DescriptorSet 0
        OpDecorate %stored Binding 1
        OpDecorate %sampled DescriptorSet 0
        OpDecorate %sampled Binding 2
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %uint = OpTypeInt 32 0
        %uint2 = OpTypeVector %uint 2
        %uint3 = OpTypeVector %uint 3
        %uint4 = OpTypeVector %uint 4
        %in_uint3 = OpTypePointer Input %uint3
        %id = OpVariable %in_uint3 Input
        %array = OpTypeRuntimeArray %uint
        %block = OpTypeStruct %array
        %blocks = OpTypePointer Uniform %block
        %word = OpTypePointer Uniform %uint
        %buffer = OpVariable %blocks Uniform
        %storage = OpTypeImage %uint 2D 0 0 {samples} 2 R32ui
        %texture = OpTypeImage %uint 2D 0 0 {samples} 1 Unknown
        %stores = OpTypePointer UniformConstant %storage
        %textures = OpTypePointer UniformConstant %texture
        %stored = OpVariable %stores UniformConstant
        %sampled = OpVariable %textures UniformConstant
        %u0 = OpConstant %uint 0
        %u1 = OpConstant %uint 1
        %u2 = OpConstant %uint 2
        %u3 = OpConstant %uint 3
        %u4 = OpConstant %uint 4
        %u15 = OpConstant %uint 15
        %u100 = OpConstant %uint 100
        %main = OpFunction %void None %fn
        %entry = OpLabel
        %ids = OpLoad %uint3 %id
        %x = OpCompositeExtract %uint %ids 0
        %place = OpCompositeConstruct %uint2 %x %u1
        {body}
        OpReturn
        OpFunctionEnd"
    )
}

/// An image with storage, and a view of all of its levels.
struct Target {
    image: vk::Image,
    memory: vk::DeviceMemory,
    view: vk::ImageView,
}

impl Target {
    fn new(device: &Device, levels: u32, samples: vk::SampleCountFlags) -> Target {
        let info = vk::ImageCreateInfo::builder()
            .image_type(vk::ImageType::_2D)
            .format(vk::Format::R32_UINT)
            .extent(vk::Extent3D { width: SIDE, height: SIDE, depth: 1 })
            .mip_levels(levels)
            .array_layers(1)
            .samples(samples)
            .usage(
                vk::ImageUsageFlags::STORAGE
                    | vk::ImageUsageFlags::SAMPLED
                    | vk::ImageUsageFlags::TRANSFER_SRC,
            );
        unsafe {
            let image = device.create_image(&info, None).expect("an image");
            let size = device.get_image_memory_requirements(image).size;
            let info = vk::MemoryAllocateInfo::builder().allocation_size(size);
            let memory = device.allocate_memory(&info, None).expect("memory");
            device.bind_image_memory(image, memory, 0).expect("bound");
            let range = vk::ImageSubresourceRange {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                level_count: levels,
                layer_count: 1,
                ..Default::default()
            };
            let info = vk::ImageViewCreateInfo::builder()
                .image(image)
                .view_type(vk::ImageViewType::_2D)
                .format(vk::Format::R32_UINT)
                .subresource_range(range);
            let view = device.create_image_view(&info, None).expect("a view");
            Target { image, memory, view }
        }
    }

    /// The first texels of row 1 of a level.
    fn texels(&self, compute: &Compute, level: u32, count: u32) -> Vec<u32> {
        let words = compute.buffer(count as usize);
        let region = vk::BufferImageCopy {
            image_subresource: vk::ImageSubresourceLayers {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                mip_level: level,
                layer_count: 1,
                ..Default::default()
            },
            image_offset: vk::Offset3D { x: 0, y: 1, z: 0 },
            image_extent: vk::Extent3D { width: count, height: 1, depth: 1 },
            ..Default::default()
        };
        compute.run(|commands| unsafe {
            compute.device.cmd_copy_image_to_buffer(commands, self.image, GENERAL, words.buffer, &[region]);
        });
        words.words()
    }

    fn destroy(self, device: &Device) {
        unsafe {
            device.destroy_image_view(self.view, None);
            device.destroy_image(self.image, None);
            device.free_memory(self.memory, None);
        }
    }
}

fn compute(extension: &'static CStr) -> Compute {
    Client::new(vk::make_version(1, 3, 0), &[]).device(&[extension], None, std::ptr::null_mut()).into()
}

/// Runs shaders one after the other, each for so many invocations, with a buffer and an image.
fn run(compute: &Compute, words: Buffer, target: &Target, shaders: &[(&str, u32)]) {
    let device = &compute.device;
    let set_layout = compute.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &BINDINGS);
    let set = compute.set_of(set_layout, &BINDINGS);
    compute.write(set, words.buffer);
    for (binding, &(ty, _)) in (0..).zip(&BINDINGS).skip(1) {
        let image =
            vk::DescriptorImageInfo { image_view: target.view, image_layout: GENERAL, ..Default::default() };
        let write = vk::WriteDescriptorSet::builder()
            .dst_set(set)
            .dst_binding(binding)
            .descriptor_type(ty)
            .image_info(slice::from_ref(&image));
        unsafe { device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
    }
    let layout = compute.layout(&[set_layout]);
    for (text, invocations) in shaders {
        let pipeline = compute.pipeline(layout, text);
        compute.run(|commands| unsafe {
            device.cmd_bind_pipeline(commands, POINT, pipeline);
            device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
            device.cmd_dispatch(commands, *invocations, 1, 1);
        });
    }
}

#[test]
fn storage_images_are_read_and_written_by_level() {
    let compute = compute(c"VK_AMD_shader_image_load_store_lod");
    let target = Target::new(&compute.device, LEVELS, vk::SampleCountFlags::_1);
    let words = compute.buffer(16);
    let head = "OpCapability Shader
        OpCapability ImageReadWriteLodAMD
        OpExtension \"SPV_AMD_shader_image_load_store_lod\"";
    // The level times 100, plus x plus 1; of the level that is not there, too.
    let write: String = (0..4)
        .map(|level| {
            format!(
                "%image{level} = OpLoad %storage %stored
                 %hundreds{level} = OpIMul %uint %u{level} %u100
                 %sum{level} = OpIAdd %uint %hundreds{level} %x
                 %more{level} = OpIAdd %uint %sum{level} %u1
                 %texel{level} = OpCompositeConstruct %uint4 %more{level} %u0 %u0 %u0
                 OpImageWrite %image{level} %place %texel{level} Lod %u{level}\n"
            )
        })
        .collect();
    let read: String = (0..4)
        .map(|level| {
            format!(
                "%image{level} = OpLoad %storage %stored
                 %texel{level} = OpImageRead %uint4 %image{level} %place Lod %u{level}
                 %red{level} = OpCompositeExtract %uint %texel{level} 0
                 %row{level} = OpIMul %uint %u{level} %u4
                 %at{level} = OpIAdd %uint %row{level} %x
                 %cell{level} = OpAccessChain %word %buffer %u0 %at{level}
                 OpStore %cell{level} %red{level}\n"
            )
        })
        .collect();
    run(&compute, words, &target, &[(&shader(head, 0, &write), 4), (&shader(head, 0, &read), 4)]);
    assert_eq!(target.texels(&compute, 0, 4), [1, 2, 3, 4]);
    assert_eq!(target.texels(&compute, 1, 4), [101, 102, 103, 104]);
    assert_eq!(target.texels(&compute, 2, 2), [201, 202]);
    assert_eq!(words.words(), [1, 2, 3, 4, 101, 102, 103, 104, 201, 202, 0, 0, 0, 0, 0, 0]);
    target.destroy(&compute.device);
}

#[test]
fn each_sample_has_a_fragment() {
    let compute = compute(c"VK_AMD_shader_fragment_mask");
    for (samples, expected) in [(2_u32, 0x10), (4, 0x3210), (8, 0x7654_3210)] {
        let target = Target::new(&compute.device, 1, vk::SampleCountFlags::from_bits_truncate(samples));
        let words = compute.buffer(9);
        let write = "OpCapability Shader OpCapability StorageImageMultisample";
        let write = shader(
            write,
            1,
            "%image = OpLoad %storage %stored
             %zero = OpCompositeConstruct %uint2 %u3 %u1
             %hundreds = OpIMul %uint %x %u100
             %value = OpIAdd %uint %hundreds %u1
             %texel = OpCompositeConstruct %uint4 %value %u0 %u0 %u0
             OpImageWrite %image %zero %texel Sample %x",
        );
        let head = "OpCapability Shader
            OpCapability FragmentMaskAMD
            OpExtension \"SPV_AMD_shader_fragment_mask\"";
        let read = shader(
            head,
            1,
            "%image = OpLoad %texture %sampled
             %zero = OpCompositeConstruct %uint2 %u3 %u1
             %mask = OpFragmentMaskFetchAMD %uint %image %zero
             %bits = OpIMul %uint %x %u4
             %shifted = OpShiftRightLogical %uint %mask %bits
             %fragment = OpBitwiseAnd %uint %shifted %u15
             %texel = OpFragmentFetchAMD %uint4 %image %zero %fragment
             %red = OpCompositeExtract %uint %texel 0
             %behind = OpIAdd %uint %x %u1
             %first = OpAccessChain %word %buffer %u0 %u0
             %cell = OpAccessChain %word %buffer %u0 %behind
             OpStore %first %mask
             OpStore %cell %red",
        );
        run(&compute, words, &target, &[(&write, samples), (&read, samples)]);
        let found = words.words();
        assert_eq!(found[0], expected, "{samples}");
        let values: Vec<u32> = (0..samples).map(|sample| 100 * sample + 1).collect();
        assert_eq!(found[1..=samples as usize], values, "{samples}");
        target.destroy(&compute.device);
    }
}
