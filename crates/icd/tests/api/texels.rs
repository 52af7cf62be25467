//! Texels as shaders see them through views, borders, address modes, formats and atomics.

mod atomics;
mod formats;
mod sampling;

use pyro_test_kit::Client;
use pyro_test_kit::compute::Compute;
use std::ffi::c_void;
use std::ptr::from_mut;
use std::slice;
use vulkanalia::prelude::v1_3::*;

const V1_3: u32 = vk::make_version(1, 3, 0);
const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
/// A two-dimensional image that is sampled.
const FLAT: &str = "2D 0 0 0 1 Unknown";

fn context(extensions: &[&std::ffi::CStr], next: *mut c_void) -> Compute {
    let features = vk::PhysicalDeviceFeatures {
        image_cube_array: vk::TRUE,
        shader_image_gather_extended: vk::TRUE,
        shader_resource_min_lod: vk::TRUE,
        shader_storage_image_extended_formats: vk::TRUE,
        shader_storage_image_read_without_format: vk::TRUE,
        shader_storage_image_write_without_format: vk::TRUE,
        shader_int64: vk::TRUE,
        ..Default::default()
    };
    Client::new(V1_3, &[]).device(extensions, Some(&features), next).into()
}

/// An image with one view; destroyed with [`Picture::destroy`].
struct Picture {
    image: vk::Image,
    memory: vk::DeviceMemory,
    info: vk::ImageCreateInfo,
}

const fn whole() -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        base_mip_level: 0,
        level_count: vk::REMAINING_MIP_LEVELS,
        base_array_layer: 0,
        layer_count: vk::REMAINING_ARRAY_LAYERS,
    }
}

/// Of one level and layer, to be sampled, stored to and copied.
fn flat(format: vk::Format, width: u32, height: u32) -> vk::ImageCreateInfo {
    vk::ImageCreateInfo {
        image_type: vk::ImageType::_2D,
        format,
        extent: vk::Extent3D { width, height, depth: 1 },
        mip_levels: 1,
        array_layers: 1,
        samples: vk::SampleCountFlags::_1,
        usage: vk::ImageUsageFlags::SAMPLED
            | vk::ImageUsageFlags::STORAGE
            | vk::ImageUsageFlags::TRANSFER_DST
            | vk::ImageUsageFlags::TRANSFER_SRC,
        ..Default::default()
    }
}

impl Picture {
    fn new(context: &Compute, info: vk::ImageCreateInfo) -> Picture {
        let device = &context.device;
        unsafe {
            let image = device.create_image(&info, None).expect("an image");
            let (memory, _) = context.mapped_memory(device.get_image_memory_requirements(image));
            device.bind_image_memory(image, memory, 0).expect("bound");
            Picture { image, memory, info }
        }
    }

    /// Writes or reads all texels of a level, in the order of buffers.
    fn copy(&self, context: &Compute, level: u32, words: &[u32], is_upload: bool) -> Vec<u32> {
        let buffer = context.buffer(words.len());
        words.iter().enumerate().for_each(|(index, &word)| buffer.put(index, word));
        let extent = self.info.extent;
        let part = |size: u32| (size >> level).max(1);
        let region = vk::BufferImageCopy::builder()
            .image_subresource(vk::ImageSubresourceLayers {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                mip_level: level,
                base_array_layer: 0,
                layer_count: self.info.array_layers,
            })
            .image_extent(vk::Extent3D {
                width: part(extent.width),
                height: part(extent.height),
                depth: part(extent.depth),
            })
            .build();
        let general = vk::ImageLayout::GENERAL;
        context.run(|commands| unsafe {
            let device = &context.device;
            if is_upload {
                device.cmd_copy_buffer_to_image(commands, buffer.buffer, self.image, general, &[region]);
            } else {
                device.cmd_copy_image_to_buffer(commands, self.image, general, buffer.buffer, &[region]);
            }
        });
        buffer.words()
    }

    fn put(&self, context: &Compute, level: u32, words: &[u32]) {
        self.copy(context, level, words, true);
    }

    fn texels(&self, context: &Compute, words: usize) -> Vec<u32> {
        self.copy(context, 0, &vec![0; words], false)
    }

    fn view(&self, context: &Compute, view_type: vk::ImageViewType) -> vk::ImageView {
        self.view_with(context, view_type, whole(), vk::ComponentMapping::default(), std::ptr::null_mut())
    }

    fn view_with(
        &self,
        context: &Compute,
        view_type: vk::ImageViewType,
        range: vk::ImageSubresourceRange,
        components: vk::ComponentMapping,
        next: *mut c_void,
    ) -> vk::ImageView {
        let mut info = vk::ImageViewCreateInfo::builder()
            .image(self.image)
            .view_type(view_type)
            .format(self.info.format)
            .components(components)
            .subresource_range(range);
        info.next = next;
        unsafe { context.device.create_image_view(&info, None) }.expect("a view")
    }

    fn destroy(self, context: &Compute) {
        unsafe {
            context.device.destroy_image(self.image, None);
            context.device.free_memory(self.memory, None);
        }
    }
}

/// What a shader asks of an image.
#[derive(Clone, Copy)]
struct Question<'a> {
    /// Lines behind `OpCapability Shader`.
    head: &'a str,
    /// `Dim` and what follows it in the image's type.
    image: &'a str,
    /// `float`, `uint` or another type that is declared.
    component: &'a str,
    /// Further declarations.
    types: &'a str,
    /// Gives `%r0` to `%r3`, words, of `%image` (or `%both`, with its sampler) and of `%all`, its variable.
    body: &'a str,
}

impl Question<'_> {
    fn text(&self, has_sampler: bool) -> String {
        let Question { head, image, component, types, body } = *self;
        let is_uint = component == "uint";
        let four = if is_uint { "" } else { "%uint4 = OpTypeVector %uint 4" };
        let (variable, both, load) = match has_sampler {
            true => ("both", "%both_type = OpTypeSampledImage %image_type", "%both = OpLoad %both_type %all"),
            false => ("image", "", "%image = OpLoad %image_type %all"),
        };
        let text = format!(
            "OpCapability Shader
            {head}
            OpMemoryModel Logical GLSL450
            OpEntryPoint GLCompute %main \"main\" %id
            OpExecutionMode %main LocalSize 16 1 1
            OpDecorate %id BuiltIn GlobalInvocationId
            OpDecorate %words ArrayStride 4
            OpDecorate %block BufferBlock
            OpMemberDecorate %block 0 Offset 0
            OpDecorate %buffer DescriptorSet 0
            OpDecorate %buffer Binding 0
            OpDecorate %all DescriptorSet 0
            OpDecorate %all Binding 1
            %void = OpTypeVoid
            %fn = OpTypeFunction %void
            %uint = OpTypeInt 32 0
            %int = OpTypeInt 32 1
            %float = OpTypeFloat 32
            {types}
            %texel = OpTypeVector %{component} 4
            %uint2 = OpTypeVector %uint 2
            %uint3 = OpTypeVector %uint 3
            {four}
            %int2 = OpTypeVector %int 2
            %float2 = OpTypeVector %float 2
            %float3 = OpTypeVector %float 3
            %in_uint3 = OpTypePointer Input %uint3
            %id = OpVariable %in_uint3 Input
            %words = OpTypeRuntimeArray %uint
            %block = OpTypeStruct %words
            %blocks = OpTypePointer Uniform %block
            %word = OpTypePointer Uniform %uint
            %buffer = OpVariable %blocks Uniform
            %uint_0 = OpConstant %uint 0
            %uint_1 = OpConstant %uint 1
            %uint_2 = OpConstant %uint 2
            %uint_3 = OpConstant %uint 3
            %uint_4 = OpConstant %uint 4
            %zero = OpConstant %float 0
            %origin = OpConstantNull %uint2
            %nothing = OpConstantNull %texel
            %image_type = OpTypeImage %{component} {image}
            {both}
            %pointer = OpTypePointer UniformConstant %{variable}_type
            %all = OpVariable %pointer UniformConstant
            %main = OpFunction %void None %fn
            %entry = OpLabel
            %ids = OpLoad %uint3 %id
            %gid = OpCompositeExtract %uint %ids 0
            {load}
            {body}
            %p0 = OpAccessChain %word %buffer %uint_0 %uint_0
            %p1 = OpAccessChain %word %buffer %uint_0 %uint_1
            %p2 = OpAccessChain %word %buffer %uint_0 %uint_2
            %p3 = OpAccessChain %word %buffer %uint_0 %uint_3
            OpStore %p0 %r0
            OpStore %p1 %r1
            OpStore %p2 %r2
            OpStore %p3 %r3
            OpReturn
            OpFunctionEnd"
        );
        // A vector of four is declared once.
        if is_uint { text.replace("%uint4", "%texel") } else { text }
    }

    /// The answer through this view, sampled if there is a sampler.
    fn ask(&self, context: &Compute, view: vk::ImageView, sampler: Option<vk::Sampler>) -> [u32; 4] {
        ask_text(context, &self.text(sampler.is_some()), view, sampler)
    }

    /// The same as floats.
    fn floats(&self, context: &Compute, view: vk::ImageView, sampler: Option<vk::Sampler>) -> [f32; 4] {
        self.ask(context, view, sampler).map(f32::from_bits)
    }
}

/// What a shader of this text says of a view.
fn ask_text(context: &Compute, text: &str, view: vk::ImageView, sampler: Option<vk::Sampler>) -> [u32; 4] {
    let ty = match sampler {
        Some(_) => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
        None if text.contains(" 1 Unknown") => vk::DescriptorType::SAMPLED_IMAGE,
        None => vk::DescriptorType::STORAGE_IMAGE,
    };
    let bindings = [(vk::DescriptorType::STORAGE_BUFFER, 1), (ty, 1)];
    let set_layout = context.set_layout(Default::default(), &bindings);
    let (layout, set) = (context.layout(&[set_layout]), context.set_of(set_layout, &bindings));
    let target = context.buffer(4);
    context.write(set, target.buffer);
    let info = vk::DescriptorImageInfo {
        sampler: sampler.unwrap_or_default(),
        image_view: view,
        image_layout: vk::ImageLayout::GENERAL,
    };
    let write = vk::WriteDescriptorSet::builder()
        .dst_set(set)
        .dst_binding(1)
        .descriptor_type(ty)
        .image_info(slice::from_ref(&info));
    unsafe { context.device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
    let pipeline = context.pipeline(layout, text);
    context.run(|commands| unsafe {
        context.device.cmd_bind_pipeline(commands, POINT, pipeline);
        context.device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
        context.device.cmd_dispatch(commands, 1, 1, 1);
    });
    target.words().try_into().expect("four words")
}

/// What makes `%r0` to `%r3` of the components of `%t`.
fn components(of_floats: bool) -> String {
    let name = if of_floats { "f" } else { "r" };
    let component = if of_floats { "float" } else { "uint" };
    let mut text: String =
        (0..4).map(|at| format!("%{name}{at} = OpCompositeExtract %{component} %t {at}\n")).collect();
    if of_floats {
        text.extend((0..4).map(|at| format!("%r{at} = OpBitcast %uint %f{at}\n")));
    }
    text
}

/// A sample at these coordinates, of the type of this name.
fn sample(vector: &str, coordinates: &[f32], operands: &str) -> (String, String) {
    let names: Vec<String> = (0..coordinates.len()).map(|at| format!("%c{at}")).collect();
    let mut types: String = names
        .iter()
        .zip(coordinates)
        .map(|(name, at)| format!("{name} = OpConstant %float {at:?}\n"))
        .collect();
    types += "%float_2 = OpConstant %float 2\n";
    let body = format!(
        "%at = OpCompositeConstruct %{vector} {}
        %t = OpImageSampleExplicitLod %texel %both %at {operands}
        {}",
        names.join(" "),
        components(true)
    );
    (types, body)
}

fn sampled(
    context: &Compute,
    [head, image, vector, operands]: [&str; 4],
    view: vk::ImageView,
    sampler: vk::Sampler,
    coordinates: &[f32],
) -> [f32; 4] {
    let (types, body) = sample(vector, coordinates, operands);
    let question = Question { head, image, component: "float", types: &types, body: &body };
    question.floats(context, view, Some(sampler))
}

fn sampler(
    context: &Compute,
    mode: vk::SamplerAddressMode,
    change: impl FnOnce(&mut vk::SamplerCreateInfo),
) -> vk::Sampler {
    let mut info = vk::SamplerCreateInfo {
        address_mode_u: mode,
        address_mode_v: mode,
        address_mode_w: mode,
        max_lod: vk::LOD_CLAMP_NONE,
        ..Default::default()
    };
    change(&mut info);
    unsafe { context.device.create_sampler(&info, None) }.expect("a sampler")
}

/// Views and samplers of one test.
fn destroy(context: &Compute, views: &[vk::ImageView], samplers: &[vk::Sampler]) {
    unsafe {
        views.iter().for_each(|&view| context.device.destroy_image_view(view, None));
        samplers.iter().for_each(|&sampler| context.device.destroy_sampler(sampler, None));
    }
}
