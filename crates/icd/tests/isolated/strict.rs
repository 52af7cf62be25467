//! Strict mode: what modules and pipelines break comes to the messengers of the instance.

use pyro_test_kit::InProcess;
use std::ffi::{CStr, c_void};
use std::sync::Mutex;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{ExtDebugUtilsExtensionInstanceCommands, ExtShaderObjectExtensionDeviceCommands};

/// The identities of the messages so far.
type Heard = Mutex<Vec<String>>;

unsafe extern "system" fn hear(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    types: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT,
    user_data: *mut c_void,
) -> vk::Bool32 {
    unsafe {
        assert_eq!(types, vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION);
        let id = CStr::from_ptr((*data).message_id_name).to_string_lossy().into_owned();
        (*user_data.cast::<Heard>()).lock().expect("not poisoned").push(id);
    }
    vk::FALSE
}

const SHADER: &str = "
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main \"main\"
    OpExecutionMode %main LocalSize 1 1 1
    %void = OpTypeVoid
    %uint = OpTypeInt 32 0
    %fn = OpTypeFunction %void
    %main = OpFunction %void None %fn
    %entry = OpLabel
    OpReturn
    OpFunctionEnd";

unsafe fn module(device: &Device, text: &str) -> vk::ShaderModule {
    let words = pyro_spirv::asm::assemble(text).expect("assembly");
    let info = vk::ShaderModuleCreateInfo::builder().code_size(words.len() * 4).code(&words);
    unsafe { device.create_shader_module(&info, None) }.expect("a module")
}

#[test]
fn findings_come_to_messengers() {
    unsafe {
        // The only test of this process, before anything looks.
        std::env::set_var("PYROCLAST_STRICT", "1");
        let heard = Heard::default();
        let take = || std::mem::take(&mut *heard.lock().expect("not poisoned"));
        let entry = Entry::new(InProcess).expect("the driver");
        let application = vk::ApplicationInfo::builder().api_version(vk::make_version(1, 3, 0));
        let names = [c"VK_EXT_debug_utils".as_ptr()];
        let info =
            vk::InstanceCreateInfo::builder().application_info(&application).enabled_extension_names(&names);
        let instance = entry.create_instance(&info, None).expect("an instance");
        let info = vk::DebugUtilsMessengerCreateInfoEXT {
            message_severity: vk::DebugUtilsMessageSeverityFlagsEXT::ERROR,
            message_type: vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION,
            user_callback: Some(hear),
            user_data: std::ptr::from_ref(&heard).cast_mut().cast(),
            ..Default::default()
        };
        let messenger = instance.create_debug_utils_messenger_ext(&info, None).expect("a messenger");
        let physical_device = instance.enumerate_physical_devices().expect("devices")[0];
        let queue = vk::DeviceQueueCreateInfo::builder().queue_family_index(0).queue_priorities(&[1.0]);
        let names = [c"VK_EXT_shader_object".as_ptr()];
        let info = vk::DeviceCreateInfo::builder()
            .queue_create_infos(std::slice::from_ref(&queue))
            .enabled_extension_names(&names);
        let device = instance.create_device(physical_device, &info, None).expect("a device");

        // A module that keeps the rules, and one with a storage class that Vulkan has not.
        let good = module(&device, SHADER);
        assert_eq!(take(), [] as [&str; 0]);
        let bad = SHADER.replace(
            "%main = OpFunction",
            "%odd = OpTypePointer CrossWorkgroup %uint\n%stray = OpVariable %odd CrossWorkgroup\n%main = OpFunction",
        );
        let bad = module(&device, &bad);
        assert!(take().contains(&"VUID-StandaloneSpirv-None-04643".to_owned()));

        // The same module in pipelines whose creation says something wrong of it.
        let layout = device.create_pipeline_layout(&Default::default(), None).expect("a layout");
        let create = |name: &CStr, size: Option<u32>| {
            let mut required = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::builder()
                .required_subgroup_size(size.unwrap_or(0));
            let stage = vk::PipelineShaderStageCreateInfo::builder()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(good)
                .name(name.to_bytes_with_nul());
            let stage = if size.is_some() { stage.push_next(&mut required) } else { stage };
            let info = vk::ComputePipelineCreateInfo::builder().stage(stage).layout(layout);
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            made.into_iter().for_each(|made| device.destroy_pipeline(made.0[0], None));
            take()
        };
        assert_eq!(create(c"main", None), [] as [&str; 0]);
        let found = create(c"other", None);
        assert!(found.contains(&"VUID-VkPipelineShaderStageCreateInfo-pName-00707".to_owned()), "{found:?}");
        let rule = "VUID-VkPipelineShaderStageRequiredSubgroupSizeCreateInfo-requiredSubgroupSize-02760";
        let found = create(c"main", Some(12));
        assert!(found.contains(&rule.to_owned()), "{found:?}");

        // And in shader objects, by the names of their rules.
        let words = pyro_spirv::asm::assemble(SHADER).expect("assembly");
        let create = |name: &CStr| {
            let info = vk::ShaderCreateInfoEXT {
                stage: vk::ShaderStageFlags::COMPUTE,
                code_type: vk::ShaderCodeTypeEXT::SPIRV,
                code_size: 4 * words.len(),
                code: words.as_ptr().cast(),
                name: name.as_ptr(),
                ..Default::default()
            };
            let made = device.create_shaders_ext(&[info], None);
            made.into_iter().for_each(|made| device.destroy_shader_ext(made.0[0], None));
            take()
        };
        assert_eq!(create(c"main"), [] as [&str; 0]);
        let found = create(c"other");
        assert!(found.contains(&"VUID-VkShaderCreateInfoEXT-pName-08440".to_owned()), "{found:?}");
        assert!(found.iter().all(|rule| !rule.contains("Pipeline")), "{found:?}");

        device.destroy_pipeline_layout(layout, None);
        device.destroy_shader_module(good, None);
        device.destroy_shader_module(bad, None);
        device.destroy_device(None);
        instance.destroy_debug_utils_messenger_ext(messenger, None);
        instance.destroy_instance(None);
    }
}
