//! Render passes with tile shading (`VK_QCOM_tile_shading`): the whole of one is a tile.

use pyro_test_kit::Client;
use pyro_test_kit::compute::{Buffer, Compute};
use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::{
    QcomTilePropertiesExtensionDeviceCommands as _, QcomTileShadingExtensionDeviceCommands as _,
};

const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
const COLOR: vk::ImageAspectFlags = vk::ImageAspectFlags::COLOR;
const COMPUTE: vk::PipelineBindPoint = vk::PipelineBindPoint::COMPUTE;
const GRAPHICS: vk::PipelineBindPoint = vk::PipelineBindPoint::GRAPHICS;
const FORMAT: vk::Format = vk::Format::R32_UINT;
/// Pixels of the attachments in x and y.
const PIXELS: [u32; 2] = [100, 70];
const LAYERS: u32 = 2;
/// The render area ends before the attachments do.
const AREA: vk::Rect2D =
    vk::Rect2D { offset: vk::Offset2D { x: 5, y: 3 }, extent: vk::Extent2D { width: 90, height: 60 } };
const APRON: [u32; 2] = [4, 2];
/// The render area, to multiples of the granularity.
const TILE: [u32; 2] = [128, 64];

const BINDINGS: [(vk::DescriptorType, u32); 5] = [
    (vk::DescriptorType::STORAGE_BUFFER, 1),
    (vk::DescriptorType::STORAGE_IMAGE, 1),
    (vk::DescriptorType::SAMPLED_IMAGE, 1),
    (vk::DescriptorType::INPUT_ATTACHMENT, 1),
    (vk::DescriptorType::STORAGE_IMAGE, 1),
];

/// The declarations of shaders that have the tile's built-ins at `%offset`, `%size` and `%apron`, the buffer
/// of binding 0, and tile attachments of these types by binding. `head`: capabilities and the entry point.
fn shader(head: &str, arrayed: u32, declarations: &str, body: &str) -> String {
    format!(
        "{head}
        OpDecorate %offset BuiltIn TileOffsetQCOM
        OpDecorate %size BuiltIn TileDimensionQCOM
        OpDecorate %apron BuiltIn TileApronSizeQCOM
        OpDecorate %array ArrayStride 4
        OpDecorate %block Block
        OpMemberDecorate %block 0 Offset 0
        OpDecorate %buffer DescriptorSet 0
        OpDecorate %buffer Binding 0
        OpDecorate %stored DescriptorSet 0
        OpDecorate %stored Binding 1
        OpDecorate %sampled DescriptorSet 0
        OpDecorate %sampled Binding 2
        OpDecorate %input DescriptorSet 0
        OpDecorate %input Binding 3
        OpDecorate %own DescriptorSet 0
        OpDecorate %own Binding 4
        %void = OpTypeVoid
        %fn = OpTypeFunction %void
        %bool = OpTypeBool
        %uint = OpTypeInt 32 0
        %int = OpTypeInt 32 1
        %float = OpTypeFloat 32
        %uint2 = OpTypeVector %uint 2
        %uint3 = OpTypeVector %uint 3
        %uint4 = OpTypeVector %uint 4
        %float4 = OpTypeVector %float 4
        %in_uint2 = OpTypePointer Input %uint2
        %in_uint3 = OpTypePointer Input %uint3
        %in_float4 = OpTypePointer Input %float4
        %out_uint = OpTypePointer Output %uint
        %offset = OpVariable %in_uint2 Input
        %size = OpVariable %in_uint2 Input
        %apron = OpVariable %in_uint2 Input
        %array = OpTypeRuntimeArray %uint
        %block = OpTypeStruct %array
        %blocks = OpTypePointer StorageBuffer %block
        %word = OpTypePointer StorageBuffer %uint
        %buffer = OpVariable %blocks StorageBuffer
        %storage = OpTypeImage %uint 2D 0 {arrayed} 0 2 R32ui
        %texture = OpTypeImage %uint 2D 0 {arrayed} 0 1 Unknown
        %stores = OpTypePointer TileAttachmentQCOM %storage
        %textures = OpTypePointer TileAttachmentQCOM %texture
        %texels = OpTypePointer Image %uint
        %stored = OpVariable %stores TileAttachmentQCOM
        %sampled = OpVariable %textures TileAttachmentQCOM
        %input = OpVariable %stores TileAttachmentQCOM
        %own = OpVariable %stores TileAttachmentQCOM
        %u0 = OpConstant %uint 0
        %u1 = OpConstant %uint 1
        %u2 = OpConstant %uint 2
        %u3 = OpConstant %uint 3
        %u4 = OpConstant %uint 4
        %u5 = OpConstant %uint 5
        %u6 = OpConstant %uint 6
        %u95 = OpConstant %uint 95
        %u63 = OpConstant %uint 63
        %u99 = OpConstant %uint 99
        %u100 = OpConstant %uint 100
        %u1000 = OpConstant %uint 1000
        %u100000 = OpConstant %uint 100000
        {declarations}
        %main = OpFunction %void None %fn
        %entry = OpLabel
        %tile_offset = OpLoad %uint2 %offset
        %tile_size = OpLoad %uint2 %size
        %tile_apron = OpLoad %uint2 %apron
        {body}
        OpReturn
        OpFunctionEnd"
    )
}

/// Each invocation is for two pixels beside each other in both layers. Adds 1000 times its x and 100,000
/// times its y to the first, by a load and a store, and one to the second, by an atomic; the first invocation
/// writes the built-ins to the buffer.
fn blocks() -> String {
    let head = "; Version: 1.4
        OpCapability Shader
        OpCapability TileShadingQCOM
        OpExtension \"SPV_QCOM_tile_shading\"
        OpMemoryModel Logical GLSL450
        OpEntryPoint GLCompute %main \"main\" %id %offset %size %apron %buffer %stored %sampled %input %own
        OpExecutionMode %main TileShadingRateQCOM 2 1 2
        OpDecorate %id BuiltIn GlobalInvocationId";
    let layer = |layer: u32| {
        format!(
            "%at{layer} = OpCompositeConstruct %uint3 %px %py %u{layer}
             %image{layer} = OpLoad %storage %stored
             %old{layer} = OpImageRead %uint4 %image{layer} %at{layer}
             %red{layer} = OpCompositeExtract %uint %old{layer} 0
             %more{layer} = OpIAdd %uint %red{layer} %xs
             %all{layer} = OpIAdd %uint %more{layer} %ys
             %new{layer} = OpCompositeConstruct %uint4 %all{layer} %u0 %u0 %u0
             OpImageWrite %image{layer} %at{layer} %new{layer}
             %next{layer} = OpCompositeConstruct %uint3 %px1 %py %u{layer}
             %texel{layer} = OpImageTexelPointer %texels %stored %next{layer} %u0
             %before{layer} = OpAtomicIAdd %uint %texel{layer} %u1 %u0 %u1\n"
        )
    };
    let word = |index: u32, vector: &str, component: u32| {
        format!(
            "%value{index} = OpCompositeExtract %uint {vector} {component}
             %cell{index} = OpAccessChain %word %buffer %u0 %u{index}
             OpStore %cell{index} %value{index}\n"
        )
    };
    let words: String = (0..6)
        .map(|index| {
            let vector = ["%tile_offset", "%tile_size", "%tile_apron"][index as usize / 2];
            word(index, vector, index % 2)
        })
        .collect();
    let body = format!(
        "%ids = OpLoad %uint3 %id
        %x = OpCompositeExtract %uint %ids 0
        %y = OpCompositeExtract %uint %ids 1
        %z = OpCompositeExtract %uint %ids 2
        %xy = OpIAdd %uint %x %y
        %xyz = OpIAdd %uint %xy %z
        %is_first = OpIEqual %bool %xyz %u0
        OpSelectionMerge %behind None
        OpBranchConditional %is_first %first %behind
        %first = OpLabel
        {words}
        OpBranch %behind
        %behind = OpLabel
        %x0 = OpCompositeExtract %uint %tile_offset 0
        %y0 = OpCompositeExtract %uint %tile_offset 1
        %double = OpIMul %uint %x %u2
        %px = OpIAdd %uint %x0 %double
        %px1 = OpIAdd %uint %px %u1
        %py = OpIAdd %uint %y0 %y
        %xs = OpIMul %uint %x %u1000
        %ys = OpIMul %uint %y %u100000
        %is_left = OpULessThan %bool %px %u95
        %is_above = OpULessThan %bool %py %u63
        %is_inside = OpLogicalAnd %bool %is_left %is_above
        OpSelectionMerge %end None
        OpBranchConditional %is_inside %inside %end
        %inside = OpLabel
        {}{}
        OpBranch %end
        %end = OpLabel",
        layer(0),
        layer(1)
    );
    shader(head, 1, "%id = OpVariable %in_uint3 Input", &body)
}

const VERTEX: &str = "
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint Vertex %main \"main\" %index %position
    OpDecorate %index BuiltIn VertexIndex
    OpDecorate %position BuiltIn Position
    %void = OpTypeVoid
    %fn = OpTypeFunction %void
    %float = OpTypeFloat 32
    %int = OpTypeInt 32 1
    %bool = OpTypeBool
    %vec4 = OpTypeVector %float 4
    %in_int = OpTypePointer Input %int
    %out_vec4 = OpTypePointer Output %vec4
    %index = OpVariable %in_int Input
    %position = OpVariable %out_vec4 Output
    %int_1 = OpConstant %int 1
    %int_2 = OpConstant %int 2
    %zero = OpConstant %float 0
    %one = OpConstant %float 1
    %three = OpConstant %float 3
    %minus = OpConstant %float -1
    %main = OpFunction %void None %fn
    %entry = OpLabel
    %i = OpLoad %int %index
    %is_right = OpIEqual %bool %i %int_1
    %is_low = OpIEqual %bool %i %int_2
    %x = OpSelect %float %is_right %three %minus
    %y = OpSelect %float %is_low %three %minus
    %p = OpCompositeConstruct %vec4 %x %y %zero %one
    OpStore %position %p
    OpReturn
    OpFunctionEnd";

/// A fragment shader with outputs `%first` and `%second`, of the pixel `%px`, `%py`.
fn fragment(body: &str) -> String {
    let head = "; Version: 1.4
        OpCapability Shader
        OpCapability TileShadingQCOM
        OpExtension \"SPV_QCOM_tile_shading\"
        OpMemoryModel Logical GLSL450
        OpEntryPoint Fragment %main \"main\" %coord %first %second %offset %size %apron %buffer %stored %sampled %input %own
        OpExecutionMode %main OriginUpperLeft
        OpDecorate %coord BuiltIn FragCoord
        OpDecorate %first Location 0
        OpDecorate %second Location 1";
    let declarations = "%coord = OpVariable %in_float4 Input
        %first = OpVariable %out_uint Output
        %second = OpVariable %out_uint Output";
    let body = format!(
        "%place = OpLoad %float4 %coord
        %fx = OpCompositeExtract %float %place 0
        %fy = OpCompositeExtract %float %place 1
        %px = OpConvertFToU %uint %fx
        %py = OpConvertFToU %uint %fy
        %width = OpCompositeExtract %uint %tile_size 0
        {body}"
    );
    shader(head, 0, declarations, &body)
}

/// The pixel's x plus 100 times its y plus one to the first attachment; five and the tile's width to the
/// second.
fn numbers() -> String {
    fragment(
        "%row = OpIMul %uint %py %u100
        %at = OpIAdd %uint %row %px
        %one = OpIAdd %uint %at %u1
        OpStore %first %one
        %five = OpIAdd %uint %width %u5
        OpStore %second %five",
    )
}

/// To the second attachment: twice what is there, what the pixel of the first that is mirrored at the middle
/// has, by each way to read it, and the tile's width times 100,000.
fn mirrored() -> String {
    fragment(
        "%mx = OpISub %uint %u99 %px
        %there = OpCompositeConstruct %uint2 %mx %py
        %here = OpCompositeConstruct %uint2 %px %py
        %image1 = OpLoad %storage %stored
        %texel1 = OpImageRead %uint4 %image1 %there
        %red1 = OpCompositeExtract %uint %texel1 0
        %image2 = OpLoad %texture %sampled
        %texel2 = OpImageFetch %uint4 %image2 %there
        %red2 = OpCompositeExtract %uint %texel2 0
        %image3 = OpLoad %storage %input
        %texel3 = OpImageRead %uint4 %image3 %there
        %red3 = OpCompositeExtract %uint %texel3 0
        %image4 = OpLoad %storage %own
        %texel4 = OpImageRead %uint4 %image4 %here
        %red4 = OpCompositeExtract %uint %texel4 0
        %twice = OpIMul %uint %red4 %u2
        %sum1 = OpIAdd %uint %twice %red1
        %sum2 = OpIAdd %uint %sum1 %red2
        %sum3 = OpIAdd %uint %sum2 %red3
        %wide = OpIMul %uint %width %u100000
        %sum4 = OpIAdd %uint %sum3 %wide
        OpStore %first %u0
        OpStore %second %sum4",
    )
}

/// An attachment that shaders read in every way, and a view of all its layers.
struct Target {
    image: vk::Image,
    memory: vk::DeviceMemory,
    view: vk::ImageView,
    layers: u32,
}

impl Target {
    fn new(device: &Device, layers: u32) -> Target {
        let info = vk::ImageCreateInfo::builder()
            .image_type(vk::ImageType::_2D)
            .format(FORMAT)
            .extent(vk::Extent3D { width: PIXELS[0], height: PIXELS[1], depth: 1 })
            .mip_levels(1)
            .array_layers(layers)
            .samples(vk::SampleCountFlags::_1)
            .usage(
                vk::ImageUsageFlags::COLOR_ATTACHMENT
                    | vk::ImageUsageFlags::INPUT_ATTACHMENT
                    | vk::ImageUsageFlags::STORAGE
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
                aspect_mask: COLOR,
                level_count: 1,
                layer_count: layers,
                ..Default::default()
            };
            let ty = if layers > 1 { vk::ImageViewType::_2D_ARRAY } else { vk::ImageViewType::_2D };
            let info = vk::ImageViewCreateInfo::builder()
                .image(image)
                .view_type(ty)
                .format(FORMAT)
                .subresource_range(range);
            let view = device.create_image_view(&info, None).expect("a view");
            Target { image, memory, view, layers }
        }
    }

    /// It as an attachment that is cleared to this value.
    fn attachment(&self, value: u32) -> vk::RenderingAttachmentInfo {
        vk::RenderingAttachmentInfo::builder()
            .image_view(self.view)
            .image_layout(GENERAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)
            .clear_value(vk::ClearValue { color: vk::ClearColorValue { uint32: [value; 4] } })
            .build()
    }

    /// Its pixels, layer by layer.
    fn pixels(&self, compute: &Compute) -> Vec<u32> {
        let words = compute.buffer((PIXELS[0] * PIXELS[1] * self.layers) as usize);
        let region = vk::BufferImageCopy {
            image_subresource: vk::ImageSubresourceLayers {
                aspect_mask: COLOR,
                layer_count: self.layers,
                ..Default::default()
            },
            image_extent: vk::Extent3D { width: PIXELS[0], height: PIXELS[1], depth: 1 },
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

fn compute() -> Compute {
    let mut tiles = vk::PhysicalDeviceTileShadingFeaturesQCOM::builder()
        .tile_shading(true)
        .tile_shading_fragment_stage(true)
        .tile_shading_color_attachments(true)
        .tile_shading_input_attachments(true)
        .tile_shading_sampled_attachments(true)
        .tile_shading_per_tile_draw(true)
        .tile_shading_per_tile_dispatch(true)
        .tile_shading_dispatch_tile(true)
        .tile_shading_apron(true)
        .tile_shading_anisotropic_apron(true)
        .tile_shading_atomic_ops(true);
    let mut properties = vk::PhysicalDeviceTilePropertiesFeaturesQCOM::builder().tile_properties(true);
    let mut dynamic = vk::PhysicalDeviceDynamicRenderingFeatures::builder().dynamic_rendering(true);
    properties.next = (&raw mut tiles).cast();
    dynamic.next = (&raw mut properties).cast();
    let extensions = [c"VK_QCOM_tile_properties", c"VK_QCOM_tile_shading"];
    let next = (&raw mut dynamic).cast();
    Client::new(vk::make_version(1, 3, 0), &[]).device(&extensions, None, next).into()
}

/// A set of [`BINDINGS`] with its layout, where bindings 1 to 3 show one target and the last another.
fn set(
    compute: &Compute,
    words: Buffer,
    shown: &Target,
    own: &Target,
) -> (vk::PipelineLayout, vk::DescriptorSet) {
    let set_layout = compute.set_layout(vk::DescriptorSetLayoutCreateFlags::empty(), &BINDINGS);
    let set = compute.set_of(set_layout, &BINDINGS);
    compute.write(set, words.buffer);
    for (binding, &(ty, _)) in (0..).zip(&BINDINGS).skip(1) {
        let image_view = if binding == 4 { own.view } else { shown.view };
        let image = vk::DescriptorImageInfo { image_view, image_layout: GENERAL, ..Default::default() };
        let write = vk::WriteDescriptorSet::builder()
            .dst_set(set)
            .dst_binding(binding)
            .descriptor_type(ty)
            .image_info(slice::from_ref(&image));
        unsafe { compute.device.update_descriptor_sets(&[write], &[] as &[vk::CopyDescriptorSet]) };
    }
    (compute.layout(&[set_layout]), set)
}

fn shading(flags: vk::TileShadingRenderPassFlagsQCOM) -> vk::RenderPassTileShadingCreateInfoQCOM {
    vk::RenderPassTileShadingCreateInfoQCOM {
        flags: vk::TileShadingRenderPassFlagsQCOM::ENABLE | flags,
        tile_apron_size: vk::Extent2D { width: APRON[0], height: APRON[1] },
        ..Default::default()
    }
}

#[test]
fn dispatches_over_the_tile_write_attachments() {
    let compute = compute();
    let device = &compute.device;
    let target = Target::new(device, LAYERS);
    let words = compute.buffer(6);
    let (layout, set) = set(&compute, words, &target, &target);
    let pipeline = compute.pipeline(layout, &blocks());
    let per_tile = vk::TileShadingRenderPassFlagsQCOM::PER_TILE_EXECUTION;
    let dispatch = |commands| unsafe {
        device.cmd_bind_pipeline(commands, COMPUTE, pipeline);
        device.cmd_bind_descriptor_sets(commands, COMPUTE, layout, 0, &[set], &[]);
        device.cmd_dispatch_tile_qcom(commands, &vk::DispatchTileInfoQCOM::default());
    };
    for by_secondary in [false, true] {
        let attachment = target.attachment(7);
        let mut tiles = shading(Default::default());
        let info = vk::RenderingInfo::builder()
            .flags(match by_secondary {
                true => vk::RenderingFlags::CONTENTS_SECONDARY_COMMAND_BUFFERS,
                false => vk::RenderingFlags::empty(),
            })
            .render_area(AREA)
            .layer_count(LAYERS)
            .color_attachments(slice::from_ref(&attachment))
            .push_next(&mut tiles);
        let mut shown = vk::TilePropertiesQCOM::default();
        unsafe { device.get_dynamic_rendering_tile_properties_qcom(&info, &mut shown) }.expect("a tile");
        assert_eq!((shown.tile_size.width, shown.tile_size.height, shown.tile_size.depth), (128, 64, 2));
        assert_eq!((shown.apron_size.width, shown.apron_size.height), (APRON[0], APRON[1]));
        assert_eq!((shown.origin.x, shown.origin.y), (5, 3));
        let secondary = by_secondary.then(|| unsafe {
            let info = vk::CommandBufferAllocateInfo::builder()
                .command_pool(compute.pool)
                .level(vk::CommandBufferLevel::SECONDARY)
                .command_buffer_count(1);
            let secondary = device.allocate_command_buffers(&info).expect("a command buffer")[0];
            let mut tiles = shading(per_tile);
            let formats = [FORMAT];
            let mut rendering =
                vk::CommandBufferInheritanceRenderingInfo::builder().color_attachment_formats(&formats);
            let inherited =
                vk::CommandBufferInheritanceInfo::builder().push_next(&mut rendering).push_next(&mut tiles);
            let info = vk::CommandBufferBeginInfo::builder()
                .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
                .inheritance_info(&inherited);
            device.begin_command_buffer(secondary, &info).expect("begun");
            dispatch(secondary);
            device.end_command_buffer(secondary).expect("recorded");
            secondary
        });
        compute.run(|commands| unsafe {
            device.cmd_begin_rendering(commands, &info);
            device.cmd_begin_per_tile_execution_qcom(commands, &vk::PerTileBeginInfoQCOM::default());
            match secondary {
                Some(secondary) => device.cmd_execute_commands(commands, &[secondary]),
                None => dispatch(commands),
            }
            device.cmd_end_per_tile_execution_qcom(commands, &vk::PerTileEndInfoQCOM::default());
            device.cmd_end_rendering(commands);
        });
        assert_eq!(words.words(), [5, 3, TILE[0], TILE[1], APRON[0], APRON[1]], "{by_secondary}");
        let pixels = target.pixels(&compute);
        for (z, y, x) in (0..LAYERS).flat_map(|z| (3..63).flat_map(move |y| (5..95).map(move |x| (z, y, x))))
        {
            let (dx, dy) = (x - 5, y - 3);
            let expected = if dx % 2 == 0 { 7 + 1000 * (dx / 2) + 100_000 * dy } else { 8 };
            let found = pixels[((z * PIXELS[1] + y) * PIXELS[0] + x) as usize];
            assert_eq!(found, expected, "{by_secondary} {x} {y} {z}");
        }
    }
    target.destroy(device);
}

/// A pipeline of two attachments, of which the first is written or is not.
fn graphics_pipeline(
    compute: &Compute,
    layout: vk::PipelineLayout,
    text: &str,
    writes_first: bool,
) -> vk::Pipeline {
    let device = &compute.device;
    let modules = [compute.shader_module(VERTEX), compute.shader_module(text)];
    let stage = |stage, module| {
        vk::PipelineShaderStageCreateInfo::builder().stage(stage).module(module).name(b"main\0")
    };
    let stages =
        [stage(vk::ShaderStageFlags::VERTEX, modules[0]), stage(vk::ShaderStageFlags::FRAGMENT, modules[1])];
    let input = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::builder().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let [width, height] = PIXELS;
    let viewport =
        vk::Viewport { width: width as f32, height: height as f32, max_depth: 1.0, ..Default::default() };
    let scissor = vk::Rect2D { extent: vk::Extent2D { width, height }, ..Default::default() };
    let viewports = vk::PipelineViewportStateCreateInfo::builder()
        .viewports(slice::from_ref(&viewport))
        .scissors(slice::from_ref(&scissor));
    let rasterization = vk::PipelineRasterizationStateCreateInfo::builder().line_width(1.0);
    let samples =
        vk::PipelineMultisampleStateCreateInfo::builder().rasterization_samples(vk::SampleCountFlags::_1);
    let mask = |is_written| vk::PipelineColorBlendAttachmentState {
        color_write_mask: if is_written { vk::ColorComponentFlags::R } else { Default::default() },
        ..Default::default()
    };
    let masks = [mask(writes_first), mask(true)];
    let blend = vk::PipelineColorBlendStateCreateInfo::builder().attachments(&masks);
    let formats = [FORMAT; 2];
    let mut rendering = vk::PipelineRenderingCreateInfo::builder().color_attachment_formats(&formats);
    let info = vk::GraphicsPipelineCreateInfo::builder()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewports)
        .rasterization_state(&rasterization)
        .multisample_state(&samples)
        .color_blend_state(&blend)
        .layout(layout)
        .push_next(&mut rendering);
    unsafe {
        let made = device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None);
        modules.iter().for_each(|&module| device.destroy_shader_module(module, None));
        made.expect("a pipeline").0[0]
    }
}

#[test]
fn fragments_read_other_pixels_of_tile_attachments() {
    let compute = compute();
    let device = &compute.device;
    let (first, second) = (Target::new(device, 1), Target::new(device, 1));
    let words = compute.buffer(1);
    let (layout, set) = set(&compute, words, &first, &second);
    let pipelines = [
        graphics_pipeline(&compute, layout, &numbers(), true),
        graphics_pipeline(&compute, layout, &mirrored(), false),
    ];
    let attachments = [first.attachment(0), second.attachment(0)];
    let mut tiles = shading(Default::default());
    let [width, height] = PIXELS;
    let area = vk::Rect2D { extent: vk::Extent2D { width, height }, ..Default::default() };
    let info = vk::RenderingInfo::builder()
        .render_area(area)
        .layer_count(1)
        .color_attachments(&attachments)
        .push_next(&mut tiles);
    compute.run(|commands| unsafe {
        device.cmd_begin_rendering(commands, &info);
        device.cmd_bind_descriptor_sets(commands, GRAPHICS, layout, 0, &[set], &[]);
        device.cmd_bind_pipeline(commands, GRAPHICS, pipelines[0]);
        device.cmd_draw(commands, 3, 1, 0, 0);
        let barrier = vk::MemoryBarrier2::builder()
            .src_stage_mask(vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT)
            .src_access_mask(vk::AccessFlags2::COLOR_ATTACHMENT_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::FRAGMENT_SHADER)
            .dst_access_mask(vk::AccessFlags2::SHADER_TILE_ATTACHMENT_READ_QCOM);
        let order = vk::DependencyInfo::builder()
            .dependency_flags(vk::DependencyFlags::BY_REGION)
            .memory_barriers(slice::from_ref(&barrier));
        device.cmd_pipeline_barrier2(commands, &order);
        device.cmd_begin_per_tile_execution_qcom(commands, &vk::PerTileBeginInfoQCOM::default());
        device.cmd_bind_pipeline(commands, GRAPHICS, pipelines[1]);
        // The second instance reads what the first has written to its pixel.
        device.cmd_draw(commands, 3, 2, 0, 0);
        device.cmd_end_per_tile_execution_qcom(commands, &vk::PerTileEndInfoQCOM::default());
        device.cmd_end_rendering(commands);
    });
    let pixels = second.pixels(&compute);
    for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
        let there = 100 * y + (99 - x) + 1;
        let once = |old: u32| 2 * old + 3 * there + 100_000 * 128;
        // Outside of the execution by tiles their size is zero.
        assert_eq!(pixels[(y * width + x) as usize], once(once(5)), "{x} {y}");
    }
    pipelines.iter().for_each(|&pipeline| unsafe { device.destroy_pipeline(pipeline, None) });
    first.destroy(device);
    second.destroy(device);
}

#[test]
fn execution_by_tiles_outside_of_tile_shading_is_refused() {
    let compute = compute();
    let device = &compute.device;
    let target = Target::new(device, 1);
    let attachment = target.attachment(7);
    let begin = |commands, shades_tiles: bool| unsafe {
        let mut tiles = shading(Default::default());
        let mut info = vk::RenderingInfo::builder()
            .render_area(AREA)
            .layer_count(1)
            .color_attachments(slice::from_ref(&attachment));
        if shades_tiles {
            info = info.push_next(&mut tiles);
        }
        device.cmd_begin_rendering(commands, &info);
    };
    let begin_tiles = |commands| unsafe {
        device.cmd_begin_per_tile_execution_qcom(commands, &vk::PerTileBeginInfoQCOM::default());
    };
    let end_tiles = |commands| unsafe {
        device.cmd_end_per_tile_execution_qcom(commands, &vk::PerTileEndInfoQCOM::default());
    };
    let records = |record: &dyn Fn(vk::CommandBuffer)| unsafe {
        let commands = compute.command_buffer();
        device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default()).expect("begun");
        record(commands);
        device.end_command_buffer(commands).is_ok()
    };
    let whole = |record: &dyn Fn(vk::CommandBuffer)| {
        records(&|commands| {
            begin(commands, true);
            begin_tiles(commands);
            record(commands);
            end_tiles(commands);
            unsafe { device.cmd_end_rendering(commands) };
        })
    };
    assert!(whole(&|_| {}));
    assert!(!records(&|commands| {
        begin(commands, false);
        begin_tiles(commands);
    }));
    assert!(!records(&|commands| {
        begin(commands, true);
        end_tiles(commands);
    }));
    assert!(!records(&|commands| {
        begin(commands, true);
        begin_tiles(commands);
        unsafe { device.cmd_end_rendering(commands) };
    }));
    assert!(!records(&|commands| unsafe {
        device.cmd_dispatch_tile_qcom(commands, &vk::DispatchTileInfoQCOM::default());
    }));
    assert!(!whole(&|commands| unsafe {
        let clear = vk::ClearAttachment { aspect_mask: COLOR, ..Default::default() };
        let rect = vk::ClearRect { rect: AREA, base_array_layer: 0, layer_count: 1 };
        device.cmd_clear_attachments(commands, &[clear], &[rect]);
    }));
    // What only secondary command buffers say, and an apron that is too large.
    for (flags, apron) in [
        (
            vk::TileShadingRenderPassFlagsQCOM::ENABLE
                | vk::TileShadingRenderPassFlagsQCOM::PER_TILE_EXECUTION,
            0,
        ),
        (vk::TileShadingRenderPassFlagsQCOM::ENABLE, 33),
        (vk::TileShadingRenderPassFlagsQCOM::empty(), 1),
    ] {
        assert!(!records(&|commands| unsafe {
            let mut tiles = vk::RenderPassTileShadingCreateInfoQCOM {
                flags,
                tile_apron_size: vk::Extent2D { width: apron, height: apron },
                ..Default::default()
            };
            let info = vk::RenderingInfo::builder().render_area(AREA).layer_count(1).push_next(&mut tiles);
            device.cmd_begin_rendering(commands, &info);
        }));
    }
    target.destroy(device);
}

/// A dispatch whose shader shades tiles does nothing where commands do not run for each tile, and says so.
#[test]
fn tile_shaders_run_for_tiles_only() {
    let compute = compute();
    let device = &compute.device;
    let target = Target::new(device, LAYERS);
    let words = compute.buffer(6);
    words.put(0, 77);
    let (layout, set) = set(&compute, words, &target, &target);
    let pipeline = compute.pipeline(layout, &blocks());
    compute.run(|commands| unsafe {
        device.cmd_bind_pipeline(commands, COMPUTE, pipeline);
        device.cmd_bind_descriptor_sets(commands, COMPUTE, layout, 0, &[set], &[]);
        device.cmd_dispatch(commands, 1, 1, 1);
    });
    assert_eq!(words.words(), [77, 0, 0, 0, 0, 0]);
    target.destroy(device);
}
