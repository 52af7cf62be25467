//! Textures that compute shaders sample, for tests of what images and samplers are.

use pyro_shadertext::Shader;
use pyro_test_kit::compute::Compute;
use pyro_test_kit::graphics::GENERAL;
use std::slice;
use vulkanalia::prelude::v1_3::*;

const POINT: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const BINDINGS: [(vk::DescriptorType, u32); 3] = [
    (vk::DescriptorType::STORAGE_BUFFER, 1),
    (vk::DescriptorType::STORAGE_BUFFER, 1),
    (vk::DescriptorType::COMBINED_IMAGE_SAMPLER, 1),
];

/// What a texture is made from.
#[derive(Clone, Copy)]
pub(crate) struct TextureInfo<'a> {
    pub(crate) format: vk::Format,
    pub(crate) ty: vk::ImageType,
    pub(crate) extent: [u32; 3],
    pub(crate) flags: vk::ImageCreateFlags,
    /// The bytes of each level.
    pub(crate) levels: &'a [Vec<u8>],
    /// The extents of the levels.
    pub(crate) extents: &'a [[u32; 3]],
    pub(crate) sampler: vk::SamplerCreateInfo,
}

/// A sampler that clamps to edges, with one filter for all.
pub(crate) fn clamping(filter: vk::Filter, mipmap_mode: vk::SamplerMipmapMode) -> vk::SamplerCreateInfo {
    let edge = vk::SamplerAddressMode::CLAMP_TO_EDGE;
    vk::SamplerCreateInfo {
        mag_filter: filter,
        min_filter: filter,
        mipmap_mode,
        address_mode_u: edge,
        address_mode_v: edge,
        address_mode_w: edge,
        max_lod: vk::LOD_CLAMP_NONE,
        ..Default::default()
    }
}

/// The bytes of floats.
pub(crate) fn bytes(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(f32::to_le_bytes).collect()
}

/// An image with its texels, a view of all of it, and a sampler.
pub(crate) struct Texture {
    pub(crate) image: vk::Image,
    memory: vk::DeviceMemory,
    view: vk::ImageView,
    sampler: vk::Sampler,
}

impl Texture {
    pub(crate) fn new(compute: &Compute, info: &TextureInfo<'_>) -> Texture {
        let device = &compute.device;
        let [width, height, depth] = info.extent;
        let levels = info.levels.len() as u32;
        let usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
        let image_info = vk::ImageCreateInfo::builder()
            .flags(info.flags)
            .image_type(info.ty)
            .format(info.format)
            .extent(vk::Extent3D { width, height, depth })
            .mip_levels(levels)
            .array_layers(1)
            .samples(vk::SampleCountFlags::_1)
            .usage(usage | vk::ImageUsageFlags::SAMPLED);
        let is_3d = info.ty == vk::ImageType::_3D;
        let aspect_mask = vk::ImageAspectFlags::COLOR;
        let range = vk::ImageSubresourceRange {
            aspect_mask,
            level_count: levels,
            layer_count: 1,
            ..Default::default()
        };
        unsafe {
            let image = device.create_image(&image_info, None).expect("an image");
            let size = device.get_image_memory_requirements(image).size;
            let allocation = vk::MemoryAllocateInfo::builder().allocation_size(size);
            let memory = device.allocate_memory(&allocation, None).expect("memory");
            device.bind_image_memory(image, memory, 0).expect("bound");
            for (level, (texels, &[width, height, depth])) in (0..).zip(info.levels.iter().zip(info.extents))
            {
                let staging = compute.buffer(texels.len().div_ceil(4));
                std::ptr::copy_nonoverlapping(texels.as_ptr(), staging.words.cast(), texels.len());
                let region = vk::BufferImageCopy {
                    image_subresource: vk::ImageSubresourceLayers {
                        aspect_mask,
                        mip_level: level,
                        layer_count: 1,
                        ..Default::default()
                    },
                    image_extent: vk::Extent3D { width, height, depth },
                    ..Default::default()
                };
                compute.run(|commands| {
                    device.cmd_copy_buffer_to_image(commands, staging.buffer, image, GENERAL, &[region]);
                });
            }
            let view_info = vk::ImageViewCreateInfo::builder()
                .image(image)
                .view_type(if is_3d { vk::ImageViewType::_3D } else { vk::ImageViewType::_2D })
                .format(info.format)
                .subresource_range(range);
            let view = device.create_image_view(&view_info, None).expect("a view");
            let sampler = device.create_sampler(&info.sampler, None).expect("a sampler");
            Texture { image, memory, view, sampler }
        }
    }

    /// Runs workgroups of a shader with the buffers `%in` and `%out` and the texture at binding 2; what it
    /// leaves in `%out`.
    pub(crate) fn run(
        &self,
        compute: &Compute,
        shader: &Shader,
        input: &[u32],
        count: usize,
        groups: u32,
    ) -> Vec<u32> {
        let device = &compute.device;
        let (given, found) = (compute.buffer(input.len().max(1)), compute.buffer(count));
        (0..).zip(input).for_each(|(index, &word)| given.put(index, word));
        let set_layout = compute.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &BINDINGS);
        let set = compute.set_of(set_layout, &BINDINGS);
        compute.write_range(set, 0, given.buffer, 0);
        compute.write_range(set, 1, found.buffer, 0);
        let image =
            vk::DescriptorImageInfo { sampler: self.sampler, image_view: self.view, image_layout: GENERAL };
        let write = vk::WriteDescriptorSet::builder()
            .dst_set(set)
            .dst_binding(2)
            .descriptor_type(BINDINGS[2].0)
            .image_info(slice::from_ref(&image));
        unsafe { device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
        let layout = compute.layout(&[set_layout]);
        let pipeline = compute.pipeline(layout, &shader.text());
        compute.run(|commands| unsafe {
            device.cmd_bind_pipeline(commands, POINT, pipeline);
            device.cmd_bind_descriptor_sets(commands, POINT, layout, 0, &[set], &[]);
            device.cmd_dispatch(commands, groups, 1, 1);
        });
        found.words()
    }

    pub(crate) fn destroy(self, compute: &Compute) {
        unsafe {
            compute.device.destroy_sampler(self.sampler, None);
            compute.device.destroy_image_view(self.view, None);
            compute.device.destroy_image(self.image, None);
            compute.device.free_memory(self.memory, None);
        }
    }
}

/// A shader around a body, with the buffers `%in` and `%out` of words, the texture `%texture` of floats
/// (`%sampled`) and `%x`, the invocation's number.
pub(crate) fn sampling([x, y]: [u32; 2], dim: &str, body: &str) -> Shader {
    let head = "%ids = OpLoad %uint3 %id
                %x = OpCompositeExtract %uint %ids 0\n";
    Shader::compute([x, y, 1], &(head.to_owned() + body))
        .input("id", "uint3", "BuiltIn GlobalInvocationId")
        .buffers(&["in", "out"])
        .decorate("OpDecorate %texture DescriptorSet 0\nOpDecorate %texture Binding 2")
        .declare(&format!(
            "%image = OpTypeImage %float {dim} 0 0 0 1 Unknown
             %sampled = OpTypeSampledImage %image
             %texture = OpVariable %handle_sampled UniformConstant"
        ))
}

/// Code that reads floats number `first` on of the invocation's `stride` words of `%in` as `%name`, a vector
/// of `count`.
pub(crate) fn floats(name: &str, first: u32, count: u32, stride: u32) -> String {
    let parts: String = (0..count)
        .map(|index| {
            let at = first + index;
            format!(
                "%{name}_row{index} = OpIMul %uint %x %uint_{stride}
                 %{name}_at{index} = OpIAdd %uint %{name}_row{index} %uint_{at}
                 %{name}_cell{index} = OpAccessChain %buffer_uint %in %uint_0 %{name}_at{index}
                 %{name}_word{index} = OpLoad %uint %{name}_cell{index}
                 %{name}_{index} = OpBitcast %float %{name}_word{index}\n"
            )
        })
        .collect();
    let names: Vec<String> = (0..count).map(|index| format!("%{name}_{index}")).collect();
    format!("{parts}%{name} = OpCompositeConstruct %float{count} {}\n", names.join(" "))
}

/// Code that leaves words in the invocation's part of `%out`.
pub(crate) fn leave(words: &[&str]) -> String {
    let count = words.len();
    (0..count)
        .zip(words)
        .map(|(index, word)| {
            format!(
                "%out_row{index} = OpIMul %uint %x %uint_{count}
                 %out_at{index} = OpIAdd %uint %out_row{index} %uint_{index}
                 %out_cell{index} = OpAccessChain %buffer_uint %out %uint_0 %out_at{index}
                 OpStore %out_cell{index} {word}\n"
            )
        })
        .collect()
}
