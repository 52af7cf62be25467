//! Dynamic state: what a command changes, and what a pipeline leaves alone.

use super::shading_rate_image::{CoarseSampleOrder, ShadingRatePalette};
use super::state::{
    AttachmentLocations, ColorBlend, CoverageModulationTable, DepthBias, DynamicStates, GraphicsState,
    SampleLocations, StencilFace, VertexInput,
};
use crate::caps::limits::{COLOR_ATTACHMENTS_MAX, VIEWPORTS_MAX};
use pyro_abi::graphics::{DISCARD_RECTANGLES_MAX, Rate};
use pyro_engine::graphics::Combiner;
use smallvec::SmallVec;
use vulkanalia_sys as vk;

/// A dynamic state command: the state it sets, and the value.
#[derive(Clone, Debug)]
pub enum StateChange {
    /// Viewports from number `.0` on (`vkCmdSetViewport`).
    Viewports(u32, SmallVec<[vk::Viewport; 1]>),
    /// All viewports (`vkCmdSetViewportWithCount`).
    AllViewports(SmallVec<[vk::Viewport; 1]>),
    /// Scissors from number `.0` on.
    Scissors(u32, SmallVec<[vk::Rect2D; 1]>),
    /// All scissors.
    AllScissors(SmallVec<[vk::Rect2D; 1]>),
    /// `vkCmdSetLineWidth`.
    LineWidth(f32),
    /// `vkCmdSetDepthBias`.
    DepthBias(DepthBias),
    /// `vkCmdSetBlendConstants`.
    BlendConstants([f32; 4]),
    /// `vkCmdSetDepthBounds`.
    DepthBounds([f32; 2]),
    /// `vkCmdSetStencilCompareMask`.
    StencilCompareMask(vk::StencilFaceFlags, u32),
    /// `vkCmdSetStencilWriteMask`.
    StencilWriteMask(vk::StencilFaceFlags, u32),
    /// `vkCmdSetStencilReference`.
    StencilReference(vk::StencilFaceFlags, u32),
    /// `vkCmdSetStencilOp`: operations and test; masks and reference of the value are not looked at.
    StencilOp(vk::StencilFaceFlags, StencilFace),
    /// `vkCmdSetCullMode`.
    CullMode(vk::CullModeFlags),
    /// `vkCmdSetFrontFace`.
    FrontFace(vk::FrontFace),
    /// `vkCmdSetPrimitiveTopology`.
    Topology(vk::PrimitiveTopology),
    /// `vkCmdSetPatchControlPointsEXT`.
    PatchControlPoints(u32),
    /// `vkCmdSetTessellationDomainOriginEXT`.
    TessellationLowerLeft(bool),
    /// `vkCmdSetDepthTestEnable`.
    DepthTest(bool),
    /// `vkCmdSetDepthWriteEnable`.
    DepthWrite(bool),
    /// `vkCmdSetDepthCompareOp`.
    DepthCompare(vk::CompareOp),
    /// `vkCmdSetDepthBoundsTestEnable`.
    DepthBoundsTest(bool),
    /// `vkCmdSetStencilTestEnable`.
    StencilTest(bool),
    /// `vkCmdSetRasterizerDiscardEnable`.
    RasterizerDiscard(bool),
    /// `vkCmdSetDepthBiasEnable`.
    DepthBiasEnable(bool),
    /// `vkCmdSetPrimitiveRestartEnable`.
    PrimitiveRestart(bool),
    /// `vkCmdSetLogicOpEXT`.
    LogicOp(vk::LogicOp),
    /// `vkCmdSetLogicOpEnableEXT`.
    LogicOpEnable(bool),
    /// `vkCmdSetColorWriteEnableEXT`.
    ColorWrite(SmallVec<[bool; 8]>),
    /// `vkCmdSetVertexInputEXT`.
    VertexInput(Box<VertexInput>),
    /// `vkCmdSetDepthClampEnableEXT`.
    DepthClamp(bool),
    /// `vkCmdSetDepthClampRangeEXT`; none: the viewport's.
    DepthClampRange(Option<[f32; 2]>),
    /// `vkCmdSetDepthClipEnableEXT`.
    DepthClip(bool),
    /// `vkCmdSetDepthClipNegativeOneToOneEXT`.
    NegativeOneToOne(bool),
    /// `vkCmdSetPolygonModeEXT`.
    PolygonMode(vk::PolygonMode),
    /// `vkCmdSetRasterizationSamplesEXT`.
    Samples(u32),
    /// `vkCmdSetSampleMaskEXT`.
    SampleMask([u32; 2]),
    /// `vkCmdSetAlphaToCoverageEnableEXT`.
    AlphaToCoverage(bool),
    /// `vkCmdSetAlphaToOneEnableEXT`.
    AlphaToOne(bool),
    /// `vkCmdSetColorBlendEnableEXT`, from the attachment `.0` on.
    BlendEnable(u32, SmallVec<[bool; 8]>),
    /// `vkCmdSetColorBlendEquationEXT` and `vkCmdSetColorBlendAdvancedEXT`, from the attachment `.0` on;
    /// enable and write mask are not looked at.
    BlendEquation(u32, SmallVec<[ColorBlend; 1]>),
    /// `vkCmdSetColorWriteMaskEXT`, from the attachment `.0` on.
    WriteMask(u32, SmallVec<[vk::ColorComponentFlags; 8]>),
    /// `vkCmdSetProvokingVertexModeEXT`.
    ProvokingLast(bool),
    /// The vertex stream that is rasterized.
    RasterStream(u32),
    /// `vkCmdSetConservativeRasterizationModeEXT`.
    Conservative(vk::ConservativeRasterizationModeEXT),
    /// `vkCmdSetLineRasterizationModeEXT`.
    LineMode(vk::LineRasterizationMode),
    /// `vkCmdSetLineStippleEnableEXT`.
    LineStippleEnable(bool),
    /// `vkCmdSetLineStipple`.
    LineStipple(u32, u16),
    /// `vkCmdSetDiscardRectangleEXT`, from number `.0` on.
    DiscardRectangles(u32, SmallVec<[vk::Rect2D; 1]>),
    /// `vkCmdSetDiscardRectangleEnableEXT`.
    DiscardRectangleEnable(bool),
    /// `vkCmdSetDiscardRectangleModeEXT`.
    DiscardRectangleMode(vk::DiscardRectangleModeEXT),
    /// `vkCmdSetExclusiveScissorNV`, from viewport `.0` on.
    ExclusiveScissors(u32, SmallVec<[vk::Rect2D; 1]>),
    /// `vkCmdSetExclusiveScissorEnableNV`, from viewport `.0` on.
    ExclusiveScissorEnable(u32, SmallVec<[bool; 8]>),
    /// `vkCmdSetViewportSwizzleNV`, from viewport `.0` on.
    ViewportSwizzles(u32, SmallVec<[vk::ViewportSwizzleNV; 1]>),
    /// `vkCmdSetViewportWScalingNV`, from viewport `.0` on.
    WScalings(u32, SmallVec<[vk::ViewportWScalingNV; 1]>),
    /// `vkCmdSetViewportWScalingEnableNV`.
    WScalingEnable(bool),
    /// `vkCmdSetCoverageToColorEnableNV`.
    CoverageToColorEnable(bool),
    /// `vkCmdSetCoverageToColorLocationNV`.
    CoverageToColorLocation(u32),
    /// `vkCmdSetShadingRateImageEnableNV`.
    ShadingRateImageEnable(bool),
    /// `vkCmdSetViewportShadingRatePaletteNV`, from viewport `.0` on.
    ShadingRatePalettes(u32, SmallVec<[ShadingRatePalette; 1]>),
    /// `vkCmdSetCoarseSampleOrderNV`.
    CoarseSampleOrder(Box<CoarseSampleOrder>),
    /// `vkCmdSetCoverageReductionModeNV`.
    CoverageReduction(vk::CoverageReductionModeNV),
    /// `vkCmdSetCoverageModulationModeNV`.
    CoverageModulation(vk::CoverageModulationModeNV),
    /// `vkCmdSetCoverageModulationTableEnableNV`.
    CoverageModulationTableEnable(bool),
    /// `vkCmdSetCoverageModulationTableNV`.
    CoverageModulationTable(Box<CoverageModulationTable>),
    /// `vkCmdSetFragmentShadingRateKHR`.
    FragmentShadingRate(Rate, [Combiner; 2]),
    /// `vkCmdSetSampleLocationsEnableEXT`.
    SampleLocationsEnable(bool),
    /// `vkCmdSetSampleLocationsEXT`.
    SampleLocations(Box<SampleLocations>),
    /// `vkCmdSetRenderingAttachmentLocations`.
    AttachmentLocations(Box<AttachmentLocations>),
}

/// Puts values into a list from `first` on, which grows up to `limit`.
fn put<T: Clone + Default, A: smallvec::Array<Item = T>>(
    list: &mut SmallVec<A>,
    first: u32,
    values: &[T],
    limit: usize,
) {
    let first = (first as usize).min(limit);
    let values = &values[..values.len().min(limit - first)];
    if list.len() < first + values.len() {
        list.resize(first + values.len(), T::default());
    }
    list[first..first + values.len()].clone_from_slice(values);
}

impl GraphicsState {
    /// The faces that a mask names.
    fn faces(&mut self, mask: vk::StencilFaceFlags, change: impl Fn(&mut StencilFace)) {
        if mask.contains(vk::StencilFaceFlags::FRONT) {
            change(&mut self.stencil[0]);
        }
        if mask.contains(vk::StencilFaceFlags::BACK) {
            change(&mut self.stencil[1]);
        }
    }

    /// Attachments from `first` on, with a value each.
    fn attachments<T>(&mut self, first: u32, values: &[T], change: impl Fn(&mut ColorBlend, &T)) {
        let blend = self.blend.iter_mut().skip(first as usize);
        blend.zip(values).for_each(|(blend, value)| change(blend, value));
    }

    /// Applies a dynamic state command.
    pub fn set(&mut self, change: &StateChange) {
        use StateChange as C;
        match change {
            C::Viewports(first, list) => put(&mut self.viewports, *first, list, VIEWPORTS_MAX),
            // Those behind them stay: applications draw to more than they have counted, if some were set
            // before.
            C::AllViewports(list) => put(&mut self.viewports, 0, list, VIEWPORTS_MAX),
            C::Scissors(first, list) => put(&mut self.scissors, *first, list, VIEWPORTS_MAX),
            C::AllScissors(list) => put(&mut self.scissors, 0, list, VIEWPORTS_MAX),
            C::LineWidth(width) => self.line_width = *width,
            C::DepthBias(bias) => self.depth_bias = *bias,
            C::BlendConstants(constants) => self.blend_constants = *constants,
            C::DepthBounds(bounds) => self.depth_bounds = *bounds,
            C::StencilCompareMask(faces, mask) => self.faces(*faces, |face| face.compare_mask = *mask),
            C::StencilWriteMask(faces, mask) => self.faces(*faces, |face| face.write_mask = *mask),
            C::StencilReference(faces, value) => self.faces(*faces, |face| face.reference = *value),
            C::StencilOp(faces, value) => self.faces(*faces, |face| face.take_ops(value)),
            C::CullMode(mode) => self.cull_mode = *mode,
            C::FrontFace(face) => self.front_face = *face,
            C::Topology(topology) => self.topology = *topology,
            C::PatchControlPoints(count) => self.patch_control_points = *count,
            C::TessellationLowerLeft(on) => self.tessellation_lower_left = *on,
            C::DepthTest(on) => self.depth_test = *on,
            C::DepthWrite(on) => self.depth_write = *on,
            C::DepthCompare(op) => self.depth_compare = *op,
            C::DepthBoundsTest(on) => self.depth_bounds_test = *on,
            C::StencilTest(on) => self.stencil_test = *on,
            C::RasterizerDiscard(on) => self.rasterizer_discard = *on,
            C::DepthBiasEnable(on) => self.depth_bias_enable = *on,
            C::PrimitiveRestart(on) => self.primitive_restart = *on,
            C::LogicOp(op) => self.logic_op = *op,
            C::LogicOpEnable(on) => self.logic_op_enable = *on,
            C::ColorWrite(on) => self.color_write.iter_mut().zip(on).for_each(|(to, on)| *to = *on),
            C::VertexInput(input) => {
                self.vertex_input = (**input).clone();
                self.strides = GraphicsState::default().strides;
            }
            C::DepthClamp(on) => self.depth_clamp = *on,
            C::DepthClampRange(range) => self.depth_clamp_range = *range,
            C::DepthClip(on) => self.depth_clip = Some(*on),
            C::NegativeOneToOne(on) => self.negative_one_to_one = *on,
            C::PolygonMode(mode) => self.polygon_mode = *mode,
            C::Samples(samples) => self.samples = *samples,
            C::SampleMask(mask) => self.sample_mask = *mask,
            C::AlphaToCoverage(on) => self.alpha_to_coverage = *on,
            C::AlphaToOne(on) => self.alpha_to_one = *on,
            C::BlendEnable(first, on) => self.attachments(*first, on, |blend, on| blend.enable = *on),
            C::BlendEquation(first, list) => self.attachments(*first, list, ColorBlend::take_equation),
            C::WriteMask(first, list) => {
                self.attachments(*first, list, |blend, mask| blend.write_mask = *mask)
            }
            C::ProvokingLast(last) => self.provoking_last = *last,
            C::RasterStream(stream) => self.raster_stream = *stream,
            C::Conservative(mode) => self.conservative = *mode,
            C::LineMode(mode) => self.line_mode = *mode,
            C::LineStippleEnable(on) => self.line_stipple_enable = *on,
            C::LineStipple(factor, pattern) => self.line_stipple = (*factor, *pattern),
            C::DiscardRectangles(first, list) => {
                put(&mut self.discard_rectangles, *first, list, DISCARD_RECTANGLES_MAX);
            }
            C::DiscardRectangleEnable(on) => self.discard_rectangle_enable = *on,
            C::DiscardRectangleMode(mode) => {
                self.discard_rectangle_inclusive = *mode == vk::DiscardRectangleModeEXT::INCLUSIVE;
            }
            C::ExclusiveScissors(first, list) => {
                put(&mut self.exclusive_scissors, *first, list, VIEWPORTS_MAX);
            }
            C::ExclusiveScissorEnable(first, list) => {
                put(&mut self.exclusive_scissor_enable, *first, list, VIEWPORTS_MAX);
            }
            C::ViewportSwizzles(first, list) => {
                put(&mut self.viewport_swizzles, *first, list, VIEWPORTS_MAX);
            }
            C::WScalings(first, list) => put(&mut self.w_scalings, *first, list, VIEWPORTS_MAX),
            C::WScalingEnable(on) => self.w_scaling_enable = *on,
            C::CoverageToColorEnable(on) => self.coverage_to_color_enable = *on,
            C::CoverageToColorLocation(location) => self.coverage_to_color_location = *location,
            C::ShadingRateImageEnable(on) => self.shading_rate_image_enable = *on,
            C::ShadingRatePalettes(first, list) => {
                put(&mut self.shading_rate_palettes, *first, list, VIEWPORTS_MAX);
            }
            C::CoarseSampleOrder(order) => self.coarse_sample_order.clone_from(order),
            C::CoverageReduction(mode) => self.coverage_reduction = Some(*mode),
            C::CoverageModulation(mode) => self.coverage_modulation = *mode,
            C::CoverageModulationTableEnable(on) => self.coverage_modulation_table_enable = *on,
            C::CoverageModulationTable(table) => self.coverage_modulation_table = **table,
            C::FragmentShadingRate(size, combiners) => {
                (self.fragment_size, self.rate_combiners) = (*size, *combiners);
            }
            C::SampleLocationsEnable(on) => self.sample_locations_enable = *on,
            C::SampleLocations(locations) => self.sample_locations = **locations,
            C::AttachmentLocations(locations) => self.attachment_locations.clone_from(locations),
        }
    }

    /// Takes the viewports, scissors and discard rectangles that another state has
    /// (`VkCommandBufferInheritanceViewportScissorInfoNV`).
    pub(crate) fn take_viewports(&mut self, from: &GraphicsState) {
        if !from.viewports.is_empty() {
            self.viewports.clone_from(&from.viewports);
        }
        if !from.scissors.is_empty() {
            self.scissors.clone_from(&from.scissors);
        }
        if !from.discard_rectangles.is_empty() {
            self.discard_rectangles.clone_from(&from.discard_rectangles);
            self.discard_rectangle_enable = from.discard_rectangle_enable;
            self.discard_rectangle_inclusive = from.discard_rectangle_inclusive;
        }
    }

    /// Takes everything from a pipeline's state but what is dynamic in it.
    pub fn overwrite(&mut self, from: &GraphicsState, dynamic: &DynamicStates) {
        use vk::DynamicState as D;
        let fixed = |state: vk::DynamicState| !dynamic.contains(state);
        /// Copies fields unless one of the states is dynamic.
        macro_rules! take {
            ($($state:ident)|+ : $($field:ident)+) => {
                if $(fixed(D::$state))&&+ { $(self.$field.clone_from(&from.$field);)+ }
            };
        }
        take!(VERTEX_INPUT_EXT: vertex_input);
        if fixed(D::VERTEX_INPUT_EXT) && fixed(D::VERTEX_INPUT_BINDING_STRIDE) {
            self.strides = from.strides;
        }
        take!(PRIMITIVE_TOPOLOGY: topology);
        take!(PRIMITIVE_RESTART_ENABLE: primitive_restart);
        take!(PATCH_CONTROL_POINTS_EXT: patch_control_points);
        take!(TESSELLATION_DOMAIN_ORIGIN_EXT: tessellation_lower_left);
        take!(VIEWPORT | VIEWPORT_WITH_COUNT: viewports);
        take!(SCISSOR | SCISSOR_WITH_COUNT: scissors);
        take!(DEPTH_CLIP_NEGATIVE_ONE_TO_ONE_EXT: negative_one_to_one);
        take!(RASTERIZER_DISCARD_ENABLE: rasterizer_discard);
        take!(DEPTH_CLAMP_ENABLE_EXT: depth_clamp);
        take!(DEPTH_CLAMP_RANGE_EXT: depth_clamp_range);
        self.depth_unrestricted = from.depth_unrestricted;
        take!(DEPTH_CLIP_ENABLE_EXT: depth_clip);
        take!(POLYGON_MODE_EXT: polygon_mode);
        take!(CULL_MODE: cull_mode);
        take!(FRONT_FACE: front_face);
        take!(DEPTH_BIAS_ENABLE: depth_bias_enable);
        take!(DEPTH_BIAS: depth_bias);
        take!(LINE_WIDTH: line_width);
        take!(CONSERVATIVE_RASTERIZATION_MODE_EXT: conservative);
        take!(LINE_RASTERIZATION_MODE_EXT: line_mode);
        take!(LINE_STIPPLE_ENABLE_EXT: line_stipple_enable);
        take!(LINE_STIPPLE: line_stipple);
        take!(PROVOKING_VERTEX_MODE_EXT: provoking_last);
        take!(RASTERIZATION_STREAM_EXT: raster_stream);
        take!(RASTERIZATION_SAMPLES_EXT: samples);
        self.sample_shading = from.sample_shading;
        self.min_sample_shading = from.min_sample_shading;
        take!(SAMPLE_MASK_EXT: sample_mask);
        take!(ALPHA_TO_COVERAGE_ENABLE_EXT: alpha_to_coverage);
        take!(ALPHA_TO_ONE_ENABLE_EXT: alpha_to_one);
        take!(DEPTH_TEST_ENABLE: depth_test);
        take!(DEPTH_WRITE_ENABLE: depth_write);
        take!(DEPTH_COMPARE_OP: depth_compare);
        take!(DEPTH_BOUNDS_TEST_ENABLE: depth_bounds_test);
        take!(DEPTH_BOUNDS: depth_bounds);
        take!(STENCIL_TEST_ENABLE: stencil_test);
        for (face, from) in self.stencil.iter_mut().zip(&from.stencil) {
            if fixed(D::STENCIL_OP) {
                face.take_ops(from);
            }
            if fixed(D::STENCIL_COMPARE_MASK) {
                face.compare_mask = from.compare_mask;
            }
            if fixed(D::STENCIL_WRITE_MASK) {
                face.write_mask = from.write_mask;
            }
            if fixed(D::STENCIL_REFERENCE) {
                face.reference = from.reference;
            }
        }
        take!(LOGIC_OP_ENABLE_EXT: logic_op_enable);
        take!(LOGIC_OP_EXT: logic_op);
        for index in 0..COLOR_ATTACHMENTS_MAX {
            let (blend, from) = (&mut self.blend[index], &from.blend[index]);
            if fixed(D::COLOR_BLEND_ENABLE_EXT) {
                blend.enable = from.enable;
            }
            if fixed(D::COLOR_BLEND_EQUATION_EXT) && fixed(D::COLOR_BLEND_ADVANCED_EXT) {
                blend.take_equation(from);
            }
            if fixed(D::COLOR_WRITE_MASK_EXT) {
                blend.write_mask = from.write_mask;
            }
        }
        take!(COLOR_WRITE_ENABLE_EXT: color_write);
        take!(BLEND_CONSTANTS: blend_constants);
        take!(DISCARD_RECTANGLE_ENABLE_EXT: discard_rectangle_enable);
        take!(DISCARD_RECTANGLE_MODE_EXT: discard_rectangle_inclusive);
        take!(DISCARD_RECTANGLE_EXT: discard_rectangles);
        self.discard_rectangle_count = from.discard_rectangle_count;
        take!(EXCLUSIVE_SCISSOR_NV: exclusive_scissors);
        take!(EXCLUSIVE_SCISSOR_ENABLE_NV: exclusive_scissor_enable);
        take!(VIEWPORT_SWIZZLE_NV: viewport_swizzles);
        take!(VIEWPORT_W_SCALING_NV: w_scalings);
        take!(VIEWPORT_W_SCALING_ENABLE_NV: w_scaling_enable);
        take!(COVERAGE_TO_COLOR_ENABLE_NV: coverage_to_color_enable);
        take!(COVERAGE_TO_COLOR_LOCATION_NV: coverage_to_color_location);
        take!(SHADING_RATE_IMAGE_ENABLE_NV: shading_rate_image_enable);
        take!(VIEWPORT_SHADING_RATE_PALETTE_NV: shading_rate_palettes);
        take!(VIEWPORT_COARSE_SAMPLE_ORDER_NV: coarse_sample_order);
        take!(COVERAGE_REDUCTION_MODE_NV: coverage_reduction);
        self.truncates_coverage = from.truncates_coverage;
        take!(COVERAGE_MODULATION_MODE_NV: coverage_modulation);
        take!(COVERAGE_MODULATION_TABLE_ENABLE_NV: coverage_modulation_table_enable);
        take!(COVERAGE_MODULATION_TABLE_NV: coverage_modulation_table);
        take!(FRAGMENT_SHADING_RATE_KHR: fragment_size rate_combiners);
        take!(SAMPLE_LOCATIONS_ENABLE_EXT: sample_locations_enable);
        take!(SAMPLE_LOCATIONS_EXT: sample_locations);
    }
}

impl StencilFace {
    /// Operations and test of another.
    fn take_ops(&mut self, from: &StencilFace) {
        *self = StencilFace {
            compare_mask: self.compare_mask,
            write_mask: self.write_mask,
            reference: self.reference,
            ..*from
        };
    }
}

impl ColorBlend {
    /// Factors and operations of another.
    fn take_equation(&mut self, from: &ColorBlend) {
        *self = ColorBlend { enable: self.enable, write_mask: self.write_mask, ..*from };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipelines_leave_dynamic_state_alone() {
        let mut current = GraphicsState::default();
        current.set(&StateChange::LineWidth(3.0));
        current.set(&StateChange::StencilReference(vk::StencilFaceFlags::BACK, 7));
        current.set(&StateChange::Viewports(
            1,
            SmallVec::from_elem(vk::Viewport { width: 5.0, ..Default::default() }, 1),
        ));
        assert_eq!(current.viewports.len(), 2);
        let pipeline = GraphicsState { depth_test: true, line_width: 2.0, ..GraphicsState::default() };
        let states = [vk::DynamicState::STENCIL_REFERENCE, vk::DynamicState::VIEWPORT];
        current.overwrite(&pipeline, &DynamicStates::new(&states));
        assert!(current.depth_test);
        assert_eq!(current.line_width, 2.0);
        assert_eq!((current.stencil[0].reference, current.stencil[1].reference), (0, 7));
        assert_eq!(current.viewports[1].width, 5.0);
    }

    #[test]
    fn lists_stay_within_their_limits() {
        let mut current = GraphicsState::default();
        current.set(&StateChange::Viewports(u32::MAX, SmallVec::from_elem(vk::Viewport::default(), 3)));
        assert_eq!(current.viewports.len(), VIEWPORTS_MAX);
        current.set(&StateChange::BlendEnable(7, SmallVec::from_elem(true, 4)));
        assert!(current.blend[7].enable && !current.blend[6].enable);
    }
}
