//! State of draws, as a pipeline fixes it and as commands set it.

use std::slice;
use vulkanalia::prelude::v1_3::*;
use vulkanalia::vk::NvShadingRateImageExtensionDeviceCommands as _;
use vulkanalia::vk::{
    ExtColorWriteEnableExtensionDeviceCommands as _, ExtDepthBiasControlExtensionDeviceCommands as _,
    ExtDiscardRectanglesExtensionDeviceCommands as _, ExtLineRasterizationExtensionDeviceCommands as _,
    ExtSampleLocationsExtensionDeviceCommands as _, ExtShaderObjectExtensionDeviceCommands as _,
    KhrFragmentShadingRateExtensionDeviceCommands as _, NvClipSpaceWScalingExtensionDeviceCommands as _,
    NvScissorExclusiveExtensionDeviceCommands as _,
};

/// What a pipeline draws to, beside depth and stencil.
#[derive(Clone, Copy, Default)]
pub struct Targets<'a> {
    /// Of the colour attachments.
    pub formats: &'a [vk::Format],
    /// `viewMask`.
    pub view_mask: u32,
    /// `VkRenderingAttachmentLocationInfo`, unless each has its own number.
    pub locations: Option<&'a [u32]>,
    /// Colours are dithered.
    pub dither: bool,
    /// Other flags of the pipeline.
    pub flags: vk::PipelineCreateFlags2,
    /// There is an attachment of shading rates.
    pub rates: bool,
}

/// All state but vertex input, which is always the same.
#[derive(Clone)]
#[allow(missing_docs)] // named as in Vulkan
pub struct State {
    /// `topology` of the input assembly.
    pub topology: vk::PrimitiveTopology,
    /// Primitive restart.
    pub restart: bool,
    /// Of patches.
    pub patch_vertices: u32,
    /// The origin of the tessellation domain.
    pub lower_left: bool,
    /// Viewports.
    pub viewports: Vec<vk::Viewport>,
    /// Scissors.
    pub scissors: Vec<vk::Rect2D>,
    /// Clip space has depths from -1 to 1.
    pub negative_one_to_one: bool,
    /// Rasterizer discard.
    pub discard: bool,
    /// Depth clamp.
    pub depth_clamp: bool,
    /// The range that depths are clamped to, if not that of the viewport.
    pub clamp_range: Option<[f32; 2]>,
    /// Depth clip.
    pub depth_clip: bool,
    /// Polygon mode.
    pub polygon: vk::PolygonMode,
    /// Which faces are culled.
    pub cull: vk::CullModeFlags,
    /// Which winding is the front.
    pub front: vk::FrontFace,
    /// Depth bias: constant factor, clamp, slope factor.
    pub bias: Option<[f32; 3]>,
    /// The unit of the constant depth bias.
    pub bias_unit: vk::DepthBiasRepresentationEXT,
    /// Width of lines.
    pub line_width: f32,
    /// How lines are rasterized.
    pub line_mode: vk::LineRasterizationMode,
    /// Line stipple: factor and pattern.
    pub stipple: Option<(u32, u16)>,
    /// Which vertex is the provoking one.
    pub provoking: vk::ProvokingVertexModeEXT,
    /// The vertex stream that is rasterized.
    pub raster_stream: u32,
    /// Conservative rasterization.
    pub conservative: vk::ConservativeRasterizationModeEXT,
    /// Samples of a pixel.
    pub samples: u32,
    /// The sample mask.
    pub sample_mask: u32,
    /// Alpha to coverage.
    pub alpha_to_coverage: bool,
    /// Alpha to one.
    pub alpha_to_one: bool,
    /// Depth test.
    pub depth_test: bool,
    /// Depth writes.
    pub depth_write: bool,
    /// The comparison of the depth test.
    pub depth_compare: vk::CompareOp,
    /// Bounds of the depth bounds test.
    pub depth_bounds: Option<[f32; 2]>,
    /// Stencil operations of front and back faces.
    pub stencil: Option<[vk::StencilOpState; 2]>,
    /// The logic operation.
    pub logic_op: Option<vk::LogicOp>,
    /// Blending of each colour attachment.
    pub blend: vk::PipelineColorBlendAttachmentState,
    /// `VK_EXT_blend_operation_advanced` blends.
    pub advanced: bool,
    /// Blend constants.
    pub constants: [f32; 4],
    /// Colour writes.
    pub color_write: bool,
    /// Discard rectangles.
    pub discard_rectangles: Vec<vk::Rect2D>,
    /// Whether the rectangles include or exclude.
    pub discard_mode: vk::DiscardRectangleModeEXT,
    /// Sample locations, if not the standard ones.
    pub sample_locations: Vec<vk::SampleLocationEXT>,
    /// The exclusive scissor.
    pub exclusive_scissor: Option<vk::Rect2D>,
    /// The attachment that coverage is written to.
    pub coverage_to_color: Option<u32>,
    /// Samples of colour attachments, where there are fewer of them.
    pub color_samples: Option<u32>,
    /// How those take coverage.
    pub reduction: vk::CoverageReductionModeNV,
    /// What the share of covered samples multiplies.
    pub modulation: vk::CoverageModulationModeNV,
    /// The table of that; empty: none.
    pub modulation_table: Vec<f32>,
    /// The palette of all viewports, where a shading rate image says the rates.
    pub palette: Option<Vec<vk::ShadingRatePaletteEntryNV>>,
    /// Pipelines have palettes and tables that are not in use, until commands enable them.
    pub enabled_by_commands: bool,
    /// The order of the samples of fragments of several pixels.
    pub sample_order: vk::CoarseSampleOrderTypeNV,
    /// Custom orders: fragments' size, samples of a pixel, and the sample of each bit.
    pub custom_orders: Vec<(vk::ShadingRatePaletteEntryNV, u32, Vec<vk::CoarseSampleLocationNV>)>,
    /// The location of the second vector.
    pub second_location: u32,
    /// Of x and y.
    pub swizzle: [vk::ViewportCoordinateSwizzleNV; 2],
    /// Coefficients of `VkViewportWScalingNV`, of all viewports.
    pub w_scaling: Option<[f32; 2]>,
    /// Pixels of a fragment, and how rates are combined.
    pub fragment_size: vk::Extent2D,
    /// Combiners of the pipeline's shading rate with those of primitives and attachment.
    pub combiners: [vk::FragmentShadingRateCombinerOpKHR; 2],
    /// The size of fragments as a number, and whether pipelines take that
    /// (`VK_NV_fragment_shading_rate_enums`).
    pub rate_enum: Option<(bool, vk::FragmentShadingRateNV)>,
}

impl State {
    /// The state of a pipeline that draws filled triangles over a target of `size` pixels a side.
    pub fn new(size: u32) -> State {
        let side = size as f32;
        State {
            topology: vk::PrimitiveTopology::TRIANGLE_LIST,
            restart: false,
            patch_vertices: 1,
            lower_left: false,
            viewports: vec![vk::Viewport { width: side, height: side, max_depth: 1.0, ..Default::default() }],
            scissors: vec![vk::Rect2D {
                extent: vk::Extent2D { width: size, height: size },
                ..Default::default()
            }],
            negative_one_to_one: false,
            discard: false,
            depth_clamp: false,
            clamp_range: None,
            depth_clip: true,
            polygon: vk::PolygonMode::FILL,
            cull: vk::CullModeFlags::NONE,
            front: vk::FrontFace::COUNTER_CLOCKWISE,
            bias: None,
            bias_unit: vk::DepthBiasRepresentationEXT::LEAST_REPRESENTABLE_VALUE_FORMAT,
            line_width: 1.0,
            line_mode: vk::LineRasterizationMode::RECTANGULAR,
            stipple: None,
            provoking: vk::ProvokingVertexModeEXT::FIRST_VERTEX,
            raster_stream: 0,
            conservative: vk::ConservativeRasterizationModeEXT::DISABLED,
            samples: 1,
            sample_mask: u32::MAX,
            alpha_to_coverage: false,
            alpha_to_one: false,
            depth_test: false,
            depth_write: false,
            depth_compare: vk::CompareOp::ALWAYS,
            depth_bounds: None,
            stencil: None,
            logic_op: None,
            blend: vk::PipelineColorBlendAttachmentState {
                src_color_blend_factor: vk::BlendFactor::ONE,
                src_alpha_blend_factor: vk::BlendFactor::ONE,
                color_write_mask: vk::ColorComponentFlags::all(),
                ..Default::default()
            },
            advanced: false,
            constants: [0.0; 4],
            color_write: true,
            discard_rectangles: Vec::new(),
            discard_mode: vk::DiscardRectangleModeEXT::INCLUSIVE,
            sample_locations: Vec::new(),
            exclusive_scissor: None,
            coverage_to_color: None,
            palette: None,
            enabled_by_commands: false,
            sample_order: vk::CoarseSampleOrderTypeNV::DEFAULT,
            custom_orders: Vec::new(),
            color_samples: None,
            reduction: vk::CoverageReductionModeNV::MERGE,
            modulation: vk::CoverageModulationModeNV::NONE,
            modulation_table: Vec::new(),
            second_location: 1,
            swizzle: [
                vk::ViewportCoordinateSwizzleNV::POSITIVE_X,
                vk::ViewportCoordinateSwizzleNV::POSITIVE_Y,
            ],
            w_scaling: None,
            fragment_size: vk::Extent2D { width: 1, height: 1 },
            combiners: [vk::FragmentShadingRateCombinerOpKHR::KEEP; 2],
            rate_enum: None,
        }
    }

    /// Sets everything by commands.
    pub unsafe fn record(&self, device: &Device, commands: vk::CommandBuffer, colors: usize) {
        unsafe {
            self.record_vertices(device, commands);
            self.record_rasterization(device, commands);
            self.record_tests(device, commands);
            device.cmd_set_logic_op_enable_ext(commands, self.logic_op.is_some());
            device.cmd_set_logic_op_ext(commands, self.logic_op.unwrap_or(vk::LogicOp::CLEAR));
            let all = 0..colors;
            let blend = &self.blend;
            let enables: Vec<_> = all.clone().map(|_| blend.blend_enable).collect();
            device.cmd_set_color_blend_enable_ext(commands, 0, &enables);
            if self.advanced {
                let advanced = vk::ColorBlendAdvancedEXT {
                    advanced_blend_op: blend.color_blend_op,
                    src_premultiplied: vk::TRUE,
                    dst_premultiplied: vk::TRUE,
                    ..Default::default()
                };
                device.cmd_set_color_blend_advanced_ext(commands, 0, &vec![advanced; colors]);
            } else {
                let equation = vk::ColorBlendEquationEXT {
                    src_color_blend_factor: blend.src_color_blend_factor,
                    dst_color_blend_factor: blend.dst_color_blend_factor,
                    color_blend_op: blend.color_blend_op,
                    src_alpha_blend_factor: blend.src_alpha_blend_factor,
                    dst_alpha_blend_factor: blend.dst_alpha_blend_factor,
                    alpha_blend_op: blend.alpha_blend_op,
                };
                device.cmd_set_color_blend_equation_ext(commands, 0, &vec![equation; colors]);
            }
            device.cmd_set_color_write_mask_ext(commands, 0, &vec![blend.color_write_mask; colors]);
            device.cmd_set_blend_constants(commands, self.constants);
            let enables: Vec<_> = all.map(|_| u32::from(self.color_write)).collect();
            device.cmd_set_color_write_enable_ext(commands, &enables);
        }
    }

    unsafe fn record_vertices(&self, device: &Device, commands: vk::CommandBuffer) {
        unsafe {
            let binding = vk::VertexInputBindingDescription2EXT::builder().stride(32).divisor(1);
            let attributes = [(0, 0), (self.second_location, 16)].map(|(location, offset)| {
                vk::VertexInputAttributeDescription2EXT::builder()
                    .location(location)
                    .offset(offset)
                    .format(vk::Format::R32G32B32A32_SFLOAT)
            });
            device.cmd_set_vertex_input_ext(commands, &[binding], &attributes);
            device.cmd_set_primitive_topology(commands, self.topology);
            device.cmd_set_primitive_restart_enable(commands, self.restart);
            device.cmd_set_viewport_with_count(commands, &self.viewports);
            device.cmd_set_scissor_with_count(commands, &self.scissors);
            device.cmd_set_depth_clip_negative_one_to_one_ext(commands, self.negative_one_to_one);
            // Every fragment may represent its primitive.
            device.cmd_set_representative_fragment_test_enable_nv(commands, true);
            let enables = vec![u32::from(self.exclusive_scissor.is_some()); self.viewports.len()];
            device.cmd_set_exclusive_scissor_enable_nv(commands, 0, &enables);
            let scissor = self.exclusive_scissor.unwrap_or_default();
            device.cmd_set_exclusive_scissor_nv(commands, 0, &vec![scissor; self.viewports.len()]);
            device.cmd_set_viewport_w_scaling_enable_nv(commands, self.w_scaling.is_some());
            device.cmd_set_viewport_w_scaling_nv(commands, 0, &self.w_scalings());
            device.cmd_set_fragment_shading_rate_khr(commands, &self.fragment_size, self.combiners);
            device.cmd_set_viewport_swizzle_nv(commands, 0, &vec![self.swizzles(); self.viewports.len()]);
        }
    }

    unsafe fn record_rasterization(&self, device: &Device, commands: vk::CommandBuffer) {
        unsafe {
            device.cmd_set_patch_control_points_ext(commands, self.patch_vertices);
            device.cmd_set_tessellation_domain_origin_ext(commands, self.origin());
            device.cmd_set_rasterizer_discard_enable(commands, self.discard);
            device.cmd_set_depth_clamp_enable_ext(commands, self.depth_clamp);
            let [min_depth_clamp, max_depth_clamp] = self.clamp_range.unwrap_or_default();
            let range = vk::DepthClampRangeEXT { min_depth_clamp, max_depth_clamp };
            device.cmd_set_depth_clamp_range_ext(commands, self.clamp_mode(), Some(&range));
            device.cmd_set_depth_clip_enable_ext(commands, self.depth_clip);
            device.cmd_set_polygon_mode_ext(commands, self.polygon);
            device.cmd_set_cull_mode(commands, self.cull);
            device.cmd_set_front_face(commands, self.front);
            device.cmd_set_depth_bias_enable(commands, self.bias.is_some());
            let [constant, clamp, slope] = self.bias.unwrap_or_default();
            let mut unit = self.unit();
            let info = vk::DepthBiasInfoEXT::builder()
                .depth_bias_constant_factor(constant)
                .depth_bias_clamp(clamp)
                .depth_bias_slope_factor(slope)
                .push_next(&mut unit);
            device.cmd_set_depth_bias2_ext(commands, &info);
            device.cmd_set_line_width(commands, self.line_width);
            device.cmd_set_line_rasterization_mode_ext(commands, self.line_mode);
            device.cmd_set_line_stipple_enable_ext(commands, self.stipple.is_some());
            let (factor, pattern) = self.stipple.unwrap_or((1, 0));
            device.cmd_set_line_stipple_ext(commands, factor, pattern);
            device.cmd_set_provoking_vertex_mode_ext(commands, self.provoking);
            device.cmd_set_rasterization_stream_ext(commands, self.raster_stream);
            device.cmd_set_conservative_rasterization_mode_ext(commands, self.conservative);
            device.cmd_set_extra_primitive_overestimation_size_ext(commands, 0.0);
            let samples = vk::SampleCountFlags::from_bits_truncate(self.samples);
            device.cmd_set_rasterization_samples_ext(commands, samples);
            device.cmd_set_sample_mask_ext(commands, samples, Some(&self.sample_mask));
            device.cmd_set_alpha_to_coverage_enable_ext(commands, self.alpha_to_coverage);
            device.cmd_set_alpha_to_one_enable_ext(commands, self.alpha_to_one);
            device.cmd_set_discard_rectangle_enable_ext(commands, !self.discard_rectangles.is_empty());
            device.cmd_set_discard_rectangle_mode_ext(commands, self.discard_mode);
            if !self.discard_rectangles.is_empty() {
                device.cmd_set_discard_rectangle_ext(commands, 0, &self.discard_rectangles);
            }
            device.cmd_set_coverage_to_color_enable_nv(commands, self.coverage_to_color.is_some());
            device.cmd_set_coverage_to_color_location_nv(commands, self.coverage_to_color.unwrap_or(0));
            self.enable(device, commands);
            let palettes = self.palettes();
            if !palettes.is_empty() {
                device.cmd_set_viewport_shading_rate_palette_nv(commands, 0, &palettes);
            }
            device.cmd_set_coarse_sample_order_nv(commands, self.sample_order, &self.orders());
            device.cmd_set_coverage_reduction_mode_nv(commands, self.reduction);
            device.cmd_set_coverage_modulation_mode_nv(commands, self.modulation);
            let table = &self.modulation_table;
            if !table.is_empty() {
                device.cmd_set_coverage_modulation_table_nv(commands, table);
            }
            device.cmd_set_sample_locations_enable_ext(commands, !self.sample_locations.is_empty());
            device.cmd_set_sample_locations_ext(commands, &self.locations());
        }
    }

    /// Enables what pipelines with `enabled_by_commands` have not enabled.
    pub fn enable(&self, device: &Device, commands: vk::CommandBuffer) {
        unsafe {
            device.cmd_set_shading_rate_image_enable_nv(commands, self.palette.is_some());
            device.cmd_set_coverage_modulation_table_enable_nv(commands, !self.modulation_table.is_empty());
        }
    }

    /// The palettes of the viewports.
    fn palettes(&self) -> Vec<vk::ShadingRatePaletteNV> {
        let Some(palette) = &self.palette else { return Vec::new() };
        let palette = vk::ShadingRatePaletteNV::builder().shading_rate_palette_entries(palette).build();
        vec![palette; self.viewports.len()]
    }

    /// The custom orders of samples.
    fn orders(&self) -> Vec<vk::CoarseSampleOrderCustomNV> {
        let order = |(rate, samples, locations): &(vk::ShadingRatePaletteEntryNV, u32, Vec<_>)| {
            vk::CoarseSampleOrderCustomNV::builder()
                .shading_rate(*rate)
                .sample_count(*samples)
                .sample_locations(locations)
                .build()
        };
        self.custom_orders.iter().map(order).collect()
    }

    unsafe fn record_tests(&self, device: &Device, commands: vk::CommandBuffer) {
        unsafe {
            device.cmd_set_depth_test_enable(commands, self.depth_test);
            device.cmd_set_depth_write_enable(commands, self.depth_write);
            device.cmd_set_depth_compare_op(commands, self.depth_compare);
            device.cmd_set_depth_bounds_test_enable(commands, self.depth_bounds.is_some());
            let [min, max] = self.depth_bounds.unwrap_or_default();
            device.cmd_set_depth_bounds(commands, min, max);
            device.cmd_set_stencil_test_enable(commands, self.stencil.is_some());
            let faces = [vk::StencilFaceFlags::FRONT, vk::StencilFaceFlags::BACK];
            for (face, ops) in faces.into_iter().zip(self.stencil.unwrap_or_default()) {
                let (fail, pass, depth_fail) = (ops.fail_op, ops.pass_op, ops.depth_fail_op);
                device.cmd_set_stencil_op(commands, face, fail, pass, depth_fail, ops.compare_op);
                device.cmd_set_stencil_compare_mask(commands, face, ops.compare_mask);
                device.cmd_set_stencil_write_mask(commands, face, ops.write_mask);
                device.cmd_set_stencil_reference(commands, face, ops.reference);
            }
        }
    }

    fn locations(&self) -> vk::SampleLocationsInfoEXT {
        vk::SampleLocationsInfoEXT::builder()
            .sample_locations_per_pixel(vk::SampleCountFlags::from_bits_truncate(self.samples))
            .sample_location_grid_size(vk::Extent2D { width: 1, height: 1 })
            .sample_locations(&self.sample_locations)
            .build()
    }

    fn origin(&self) -> vk::TessellationDomainOrigin {
        match self.lower_left {
            true => vk::TessellationDomainOrigin::LOWER_LEFT,
            false => vk::TessellationDomainOrigin::UPPER_LEFT,
        }
    }

    fn w_scalings(&self) -> Vec<vk::ViewportWScalingNV> {
        let [xcoeff, ycoeff] = self.w_scaling.unwrap_or_default();
        vec![vk::ViewportWScalingNV { xcoeff, ycoeff }; self.viewports.len()]
    }

    fn swizzles(&self) -> vk::ViewportSwizzleNV {
        let [x, y] = self.swizzle;
        let z = vk::ViewportCoordinateSwizzleNV::POSITIVE_Z;
        vk::ViewportSwizzleNV { x, y, z, w: vk::ViewportCoordinateSwizzleNV::POSITIVE_W }
    }

    fn clamp_mode(&self) -> vk::DepthClampModeEXT {
        match self.clamp_range {
            Some(_) => vk::DepthClampModeEXT::USER_DEFINED_RANGE,
            None => vk::DepthClampModeEXT::VIEWPORT_RANGE,
        }
    }

    fn unit(&self) -> vk::DepthBiasRepresentationInfoEXTBuilder {
        vk::DepthBiasRepresentationInfoEXT::builder().depth_bias_representation(self.bias_unit)
    }

    /// A pipeline that fixes it.
    pub fn pipeline(
        &self,
        device: &Device,
        stages: &[vk::PipelineShaderStageCreateInfo],
        layout: vk::PipelineLayout,
        targets: &Targets<'_>,
    ) -> vk::Pipeline {
        self.try_pipeline(device, stages, layout, targets).expect("a pipeline")
    }

    /// The same where it may fail.
    ///
    /// # Errors
    /// Those of `vkCreateGraphicsPipelines`.
    #[allow(clippy::too_many_lines, reason = "the structures of a creation info, one after the other")]
    pub fn try_pipeline(
        &self,
        device: &Device,
        stages: &[vk::PipelineShaderStageCreateInfo],
        layout: vk::PipelineLayout,
        targets: &Targets<'_>,
    ) -> Result<vk::Pipeline, vk::ErrorCode> {
        let binding = vk::VertexInputBindingDescription { stride: 32, ..Default::default() };
        let attributes = [(0, 0), (self.second_location, 16)].map(|(location, offset)| {
            let format = vk::Format::R32G32B32A32_SFLOAT;
            vk::VertexInputAttributeDescription { location, binding: 0, format, offset }
        });
        let input = vk::PipelineVertexInputStateCreateInfo::builder()
            .vertex_binding_descriptions(slice::from_ref(&binding))
            .vertex_attribute_descriptions(&attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::builder()
            .topology(self.topology)
            .primitive_restart_enable(self.restart);
        let mut origin =
            vk::PipelineTessellationDomainOriginStateCreateInfo::builder().domain_origin(self.origin());
        let tessellation = vk::PipelineTessellationStateCreateInfo::builder()
            .patch_control_points(self.patch_vertices)
            .push_next(&mut origin);
        let mut control = vk::PipelineViewportDepthClipControlCreateInfoEXT::builder()
            .negative_one_to_one(self.negative_one_to_one);
        let [min_depth_clamp, max_depth_clamp] = self.clamp_range.unwrap_or_default();
        let range = vk::DepthClampRangeEXT { min_depth_clamp, max_depth_clamp };
        let mut clamp = vk::PipelineViewportDepthClampControlCreateInfoEXT::builder()
            .depth_clamp_mode(self.clamp_mode())
            .depth_clamp_range(&range);
        let scissors: Vec<_> = self.viewports.iter().filter_map(|_| self.exclusive_scissor).collect();
        let mut exclusive =
            vk::PipelineViewportExclusiveScissorStateCreateInfoNV::builder().exclusive_scissors(&scissors);
        let swizzles = vec![self.swizzles(); self.viewports.len()];
        let mut swizzle =
            vk::PipelineViewportSwizzleStateCreateInfoNV::builder().viewport_swizzles(&swizzles);
        let scalings = self.w_scalings();
        let mut scaling = vk::PipelineViewportWScalingStateCreateInfoNV::builder()
            .viewport_w_scaling_enable(self.w_scaling.is_some())
            .viewport_w_scalings(&scalings);
        let (palettes, orders) = (self.palettes(), self.orders());
        let mut rate_image = vk::PipelineViewportShadingRateImageStateCreateInfoNV::builder()
            .shading_rate_image_enable(self.palette.is_some() && !self.enabled_by_commands)
            .shading_rate_palettes(&palettes);
        let mut order = vk::PipelineViewportCoarseSampleOrderStateCreateInfoNV::builder()
            .sample_order_type(self.sample_order)
            .custom_sample_orders(&orders);
        let viewports = vk::PipelineViewportStateCreateInfo::builder()
            .push_next(&mut rate_image)
            .push_next(&mut order)
            .push_next(&mut scaling)
            .push_next(&mut exclusive)
            .push_next(&mut swizzle)
            .viewports(&self.viewports)
            .scissors(&self.scissors)
            .push_next(&mut control)
            .push_next(&mut clamp);
        let [constant, bias_clamp, slope] = self.bias.unwrap_or_default();
        let (factor, pattern) = self.stipple.unwrap_or((1, 0));
        let mut unit = self.unit();
        let mut lines = vk::PipelineRasterizationLineStateCreateInfo::builder()
            .line_rasterization_mode(self.line_mode)
            .stippled_line_enable(self.stipple.is_some())
            .line_stipple_factor(factor)
            .line_stipple_pattern(pattern);
        let mut provoking = vk::PipelineRasterizationProvokingVertexStateCreateInfoEXT::builder()
            .provoking_vertex_mode(self.provoking);
        let mut stream = vk::PipelineRasterizationStateStreamCreateInfoEXT::builder()
            .rasterization_stream(self.raster_stream);
        let mut conservative = vk::PipelineRasterizationConservativeStateCreateInfoEXT::builder()
            .conservative_rasterization_mode(self.conservative);
        let mut clip = vk::PipelineRasterizationDepthClipStateCreateInfoEXT::builder()
            .depth_clip_enable(self.depth_clip);
        let raster = vk::PipelineRasterizationStateCreateInfo::builder()
            .depth_clamp_enable(self.depth_clamp)
            .rasterizer_discard_enable(self.discard)
            .polygon_mode(self.polygon)
            .cull_mode(self.cull)
            .front_face(self.front)
            .depth_bias_enable(self.bias.is_some())
            .depth_bias_constant_factor(constant)
            .depth_bias_clamp(bias_clamp)
            .depth_bias_slope_factor(slope)
            .line_width(self.line_width)
            .push_next(&mut unit)
            .push_next(&mut lines)
            .push_next(&mut provoking)
            .push_next(&mut stream)
            .push_next(&mut conservative)
            .push_next(&mut clip);
        let mut locations = vk::PipelineSampleLocationsStateCreateInfoEXT::builder()
            .sample_locations_enable(!self.sample_locations.is_empty())
            .sample_locations_info(self.locations());
        let mut discard = vk::PipelineDiscardRectangleStateCreateInfoEXT::builder()
            .discard_rectangle_mode(self.discard_mode)
            .discard_rectangles(&self.discard_rectangles);
        let mut coverage = vk::PipelineCoverageToColorStateCreateInfoNV::builder()
            .coverage_to_color_enable(self.coverage_to_color.is_some())
            .coverage_to_color_location(self.coverage_to_color.unwrap_or(0));
        let mut reduction =
            vk::PipelineCoverageReductionStateCreateInfoNV::builder().coverage_reduction_mode(self.reduction);
        let mut modulation = vk::PipelineCoverageModulationStateCreateInfoNV::builder()
            .coverage_modulation_mode(self.modulation)
            .coverage_modulation_table_enable(!self.modulation_table.is_empty() && !self.enabled_by_commands)
            .coverage_modulation_table(&self.modulation_table);
        let samples = vk::PipelineMultisampleStateCreateInfo::builder()
            .push_next(&mut coverage)
            .push_next(&mut reduction)
            .push_next(&mut modulation)
            .push_next(&mut locations)
            .rasterization_samples(vk::SampleCountFlags::from_bits_truncate(self.samples))
            .sample_mask(slice::from_ref(&self.sample_mask))
            .alpha_to_coverage_enable(self.alpha_to_coverage)
            .alpha_to_one_enable(self.alpha_to_one);
        let [front, back] = self.stencil.unwrap_or_default();
        let [min, max] = self.depth_bounds.unwrap_or_default();
        let depth = vk::PipelineDepthStencilStateCreateInfo::builder()
            .depth_test_enable(self.depth_test)
            .depth_write_enable(self.depth_write)
            .depth_compare_op(self.depth_compare)
            .depth_bounds_test_enable(self.depth_bounds.is_some())
            .min_depth_bounds(min)
            .max_depth_bounds(max)
            .stencil_test_enable(self.stencil.is_some())
            .front(front)
            .back(back);
        let Targets { formats, view_mask, locations, dither, flags, rates } = *targets;
        let blends = vec![self.blend; formats.len()];
        let enables = vec![u32::from(self.color_write); formats.len()];
        let mut write = vk::PipelineColorWriteCreateInfoEXT::builder().color_write_enables(&enables);
        let mut advanced = vk::PipelineColorBlendAdvancedStateCreateInfoEXT::builder()
            .src_premultiplied(true)
            .dst_premultiplied(true);
        let blend = vk::PipelineColorBlendStateCreateInfo::builder()
            .logic_op_enable(self.logic_op.is_some())
            .logic_op(self.logic_op.unwrap_or(vk::LogicOp::CLEAR))
            .attachments(&blends)
            .blend_constants(self.constants)
            .push_next(&mut write)
            .push_next(&mut advanced);
        let mut rendering = vk::PipelineRenderingCreateInfo::builder()
            .view_mask(view_mask)
            .color_attachment_formats(formats)
            .depth_attachment_format(vk::Format::D32_SFLOAT_S8_UINT)
            .stencil_attachment_format(vk::Format::D32_SFLOAT_S8_UINT);
        let color_samples =
            vec![
                vk::SampleCountFlags::from_bits_truncate(self.color_samples.unwrap_or(self.samples));
                formats.len()
            ];
        let mut counts = vk::AttachmentSampleCountInfoAMD::builder()
            .color_attachment_samples(&color_samples)
            .depth_stencil_attachment_samples(vk::SampleCountFlags::from_bits_truncate(self.samples));
        let identity: Vec<u32> = (0..formats.len() as u32).collect();
        let mut locations = vk::RenderingAttachmentLocationInfo::builder()
            .color_attachment_locations(locations.unwrap_or(&identity));
        let mut representative = vk::PipelineRepresentativeFragmentTestStateCreateInfoNV::builder()
            .representative_fragment_test_enable(true);
        let dithers = vk::PipelineCreateFlags2::ENABLE_LEGACY_DITHERING_EXT;
        let has_rates = vk::PipelineCreateFlags2::RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_KHR;
        let none = vk::PipelineCreateFlags2::empty();
        let mut flags = vk::PipelineCreateFlags2CreateInfo::builder()
            .flags(flags | if dither { dithers } else { none } | if rates { has_rates } else { none });
        let mut rate = vk::PipelineFragmentShadingRateStateCreateInfoKHR::builder()
            .fragment_size(self.fragment_size)
            .combiner_ops(self.combiners);
        let (is_enum, rate_enum) = self.rate_enum.unwrap_or_default();
        let mut rate_enum = vk::PipelineFragmentShadingRateEnumStateCreateInfoNV::builder()
            .shading_rate_type(match is_enum {
                true => vk::FragmentShadingRateTypeNV::ENUMS,
                false => vk::FragmentShadingRateTypeNV::FRAGMENT_SIZE,
            })
            .shading_rate(rate_enum)
            .combiner_ops(self.combiners);
        let dynamics = [
            vk::DynamicState::SHADING_RATE_IMAGE_ENABLE_NV,
            vk::DynamicState::COVERAGE_MODULATION_TABLE_ENABLE_NV,
        ];
        let dynamics = if self.enabled_by_commands { &dynamics[..] } else { &[] };
        let dynamic = vk::PipelineDynamicStateCreateInfo::builder().dynamic_states(dynamics);
        let info = vk::GraphicsPipelineCreateInfo::builder()
            .dynamic_state(&dynamic)
            .stages(stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .tessellation_state(&tessellation)
            .viewport_state(&viewports)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .layout(layout)
            .push_next(&mut rendering)
            .push_next(&mut counts)
            .push_next(&mut locations)
            .push_next(&mut flags)
            .push_next(&mut rate)
            .push_next(&mut rate_enum)
            .push_next(&mut representative)
            .push_next(&mut discard);
        let null = vk::PipelineCache::null();
        let made = unsafe { device.create_graphics_pipelines(null, slice::from_ref(&info), None) };
        made.map(|(pipelines, _)| pipelines[0])
    }
}
