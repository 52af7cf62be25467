//! Creation flags of compute shader objects: base workgroups, execution sets, subgroups.

use pyro_test_kit::compute::{Compute, shader};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::ExtShaderObjectExtensionDeviceCommands as _;

const COMPUTE: vk::ShaderStageFlags = vk::ShaderStageFlags::COMPUTE;

#[test]
fn flags_of_compute_shaders_are_honoured() {
    use vk::ShaderCreateFlagsEXT as Flags;
    let mut objects =
        vk::PhysicalDeviceShaderObjectFeaturesEXT { shader_object: vk::TRUE, ..Default::default() };
    let extensions = [
        c"VK_EXT_device_generated_commands",
        c"VK_EXT_shader_64bit_indexing",
        c"VK_EXT_shader_object",
        c"VK_KHR_maintenance5",
    ];
    let context = Compute::new(vk::make_version(1, 3, 0), &extensions, (&raw mut objects).cast());
    let device = &context.device;
    let set_layout = context
        .set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &[(vk::DescriptorType::STORAGE_BUFFER, 1)]);
    let (layout, set) = (context.layout(&[set_layout]), context.set(set_layout));
    let text = shader(
        "%to = OpAccessChain %word %buffer %uint_0 %gid
         %value = OpIAdd %uint %gid %uint_1
         OpStore %to %value",
    );
    let words = pyro_spirv::asm::assemble(&text).expect("assembles");
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let ranges = [vk::PushConstantRange { stage_flags: COMPUTE, offset: 0, size: 4 }];
    for flags in [
        Flags::DISPATCH_BASE,
        Flags::DISPATCH_BASE | Flags::ALLOW_VARYING_SUBGROUP_SIZE,
        Flags::DISPATCH_BASE | Flags::INDIRECT_BINDABLE,
        Flags::DISPATCH_BASE | Flags::_64_BIT_INDEXING,
    ] {
        let info = vk::ShaderCreateInfoEXT::builder()
            .flags(flags)
            .stage(COMPUTE)
            .code_type(vk::ShaderCodeTypeEXT::SPIRV)
            .code(&bytes)
            .name(b"main\0")
            .set_layouts(slice::from_ref(&set_layout))
            .push_constant_ranges(&ranges);
        let made = unsafe { device.create_shaders_ext(slice::from_ref(&info), None) };
        let object = made.expect("a shader").0[0];
        let buffer = context.buffer(8);
        (0..8).for_each(|index| buffer.put(index, 0));
        context.write(set, buffer.buffer);
        context.run(|commands| unsafe {
            let point = vk::PipelineBindPoint::COMPUTE;
            device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
            device.cmd_push_constants(commands, layout, COMPUTE, 0, &[0; 4]);
            device.cmd_bind_shaders_ext(commands, &[COMPUTE], &[object]);
            device.cmd_dispatch_base(commands, 4, 0, 0, 2, 1, 1);
        });
        assert_eq!(buffer.words(), [0, 0, 0, 0, 5, 6, 0, 0], "{flags:?}");
        unsafe { device.destroy_shader_ext(object, None) };
    }
}
