//! A graphics device behind the Khronos validation layer, over `ash`.
#![allow(unsafe_code)] // The Vulkan API is foreign functions; this file is the only one that calls it.

use ash::vk;
use pyro_pairs::Stage;
use pyro_test_loader::Driver;
use std::collections::BTreeSet;
use std::ffi::{CStr, c_void};
use std::sync::Mutex;

const LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

/// What the layer said since it was last asked.
type Messages = Mutex<BTreeSet<String>>;

/// A device that creates pipelines and says what the layer found.
pub(crate) struct Device {
    debug: ash::ext::debug_utils::Instance,
    messenger: vk::DebugUtilsMessengerEXT,
    device: pyro_test_loader::Device,
    layout: vk::PipelineLayout,
    /// Boxed, because the layer holds its address.
    messages: Box<Messages>,
    has_meshes: bool,
}

fn text(error: vk::Result) -> String {
    error.to_string()
}

/// Notes an error by its identifier. True lets the layer leave out the call, so that no driver sees what is
/// wrong.
unsafe extern "system" fn note(
    _severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    _kind: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    messages: *mut c_void,
) -> vk::Bool32 {
    // SAFETY: the layer gives live data, and `messages` is the box that the device keeps.
    let (data, messages) = unsafe { (&*data, &*messages.cast_const().cast::<Messages>()) };
    let id = if data.p_message_id_name.is_null() {
        "?".to_owned()
    } else {
        // SAFETY: the name ends in zero.
        unsafe { CStr::from_ptr(data.p_message_id_name) }.to_string_lossy().into_owned()
    };
    messages.lock().unwrap_or_else(|poison| poison.into_inner()).insert(id);
    vk::TRUE
}

impl Device {
    /// Opens the loader's first device below the layer.
    pub(crate) fn open(maintenance4: bool) -> Result<Device, String> {
        let driver = Driver::open(pyro_test_loader::load()?, &[LAYER], &[ash::ext::debug_utils::NAME])?;
        let messages: Box<Messages> = Box::default();
        let debug = ash::ext::debug_utils::Instance::new(&driver.entry, &driver.instance);
        let info = vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(vk::DebugUtilsMessageSeverityFlagsEXT::ERROR)
            .message_type(vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION)
            .pfn_user_callback(Some(note))
            .user_data((&raw const *messages).cast_mut().cast());
        // SAFETY: the box outlives the messenger, which `drop` destroys first.
        let messenger = unsafe { debug.create_debug_utils_messenger(&info, None) }.map_err(text)?;
        let features = vk::PhysicalDeviceFeatures::default()
            .geometry_shader(true)
            .tessellation_shader(true)
            .sample_rate_shading(true)
            .shader_float64(true);
        let mesh = ash::ext::mesh_shader::NAME;
        let has_meshes = driver.has(mesh);
        let mut meshes = vk::PhysicalDeviceMeshShaderFeaturesEXT::default()
            .mesh_shader(has_meshes)
            .task_shader(has_meshes);
        let names: Vec<_> = has_meshes.then_some(mesh.as_ptr()).into_iter().collect();
        let mut newer =
            vk::PhysicalDeviceVulkan13Features::default().dynamic_rendering(true).maintenance4(maintenance4);
        let mut info = vk::DeviceCreateInfo::default()
            .enabled_features(&features)
            .enabled_extension_names(&names)
            .push_next(&mut newer);
        if has_meshes {
            info = info.push_next(&mut meshes);
        }
        let device = driver.device(0, info).map_err(text)?;
        // SAFETY: `device` is live.
        let layout = unsafe { device.create_pipeline_layout(&Default::default(), None) }.map_err(text)?;
        let device = Device { debug, messenger, device, layout, messages, has_meshes };
        device.take();
        Ok(device)
    }

    /// Whether pipelines of mesh shaders can be made.
    pub(crate) fn has_meshes(&self) -> bool {
        self.has_meshes
    }

    pub(crate) fn name(&self) -> &str {
        &self.device.driver.name
    }

    fn take(&self) -> BTreeSet<String> {
        std::mem::take(&mut self.messages.lock().unwrap_or_else(|poison| poison.into_inner()))
    }

    /// What the layer says of a pipeline of these modules.
    pub(crate) fn messages(&self, modules: &[(Stage, Vec<u32>)]) -> Result<BTreeSet<String>, String> {
        let mut made = Vec::new();
        for (stage, words) in modules {
            let info = vk::ShaderModuleCreateInfo::default().code(words);
            // SAFETY: `info` lives until the call returns; the layer checks the words.
            match unsafe { self.device.create_shader_module(&info, None) } {
                Ok(module) => made.push((*stage, module)),
                Err(error) if self.messages.lock().is_ok_and(|found| found.is_empty()) => {
                    return Err(format!("{stage:?}: {error}"));
                }
                Err(_) => {}
            }
        }
        if made.len() == modules.len() {
            self.create_pipeline(&made);
        }
        for (_, module) in made {
            // SAFETY: nothing uses it any more.
            unsafe { self.device.destroy_shader_module(module, None) };
        }
        Ok(self.take())
    }

    fn create_pipeline(&self, modules: &[(Stage, vk::ShaderModule)]) {
        let stages: Vec<_> = modules
            .iter()
            .map(|(stage, module)| {
                let flag = match stage {
                    Stage::Vertex => vk::ShaderStageFlags::VERTEX,
                    Stage::Control => vk::ShaderStageFlags::TESSELLATION_CONTROL,
                    Stage::Evaluation => vk::ShaderStageFlags::TESSELLATION_EVALUATION,
                    Stage::Geometry => vk::ShaderStageFlags::GEOMETRY,
                    Stage::Task => vk::ShaderStageFlags::TASK_EXT,
                    Stage::Mesh => vk::ShaderStageFlags::MESH_EXT,
                    Stage::Fragment => vk::ShaderStageFlags::FRAGMENT,
                };
                vk::PipelineShaderStageCreateInfo::default().stage(flag).module(*module).name(c"main")
            })
            .collect();
        let is_mesh = modules.iter().any(|(stage, _)| *stage == Stage::Mesh);
        let is_patches = modules.iter().any(|(stage, _)| *stage == Stage::Control);
        let vertices = vk::PipelineVertexInputStateCreateInfo::default();
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(if is_patches {
            vk::PrimitiveTopology::PATCH_LIST
        } else {
            vk::PrimitiveTopology::TRIANGLE_LIST
        });
        let tessellation = vk::PipelineTessellationStateCreateInfo::default().patch_control_points(3);
        let viewports = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
        let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let blend = vk::PipelineColorBlendStateCreateInfo::default();
        let dynamic = vk::PipelineDynamicStateCreateInfo::default()
            .dynamic_states(&[vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR]);
        let mut rendering = vk::PipelineRenderingCreateInfo::default();
        let mut info = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .viewport_state(&viewports)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(self.layout)
            .push_next(&mut rendering);
        if !is_mesh {
            info = info.vertex_input_state(&vertices).input_assembly_state(&assembly);
        }
        if is_patches {
            info = info.tessellation_state(&tessellation);
        }
        // SAFETY: `info` and what it names live until the call returns.
        let made = unsafe { self.device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
        let pipelines = match made {
            Ok(pipelines) => pipelines,
            Err((pipelines, _)) => pipelines,
        };
        for pipeline in pipelines {
            // SAFETY: nothing uses it; null is fine.
            unsafe { self.device.destroy_pipeline(pipeline, None) };
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: all that was made from these is gone, and each is destroyed once, children first.
        unsafe {
            self.device.destroy_pipeline_layout(self.layout, None);
            self.device.destroy_device(None);
            self.debug.destroy_debug_utils_messenger(self.messenger, None);
            self.device.driver.instance.destroy_instance(None);
        }
    }
}
