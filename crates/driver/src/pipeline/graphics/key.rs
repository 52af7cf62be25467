//! State as the compiler's keys and the engine's records have it.

use super::draw::VertexBuffer;
use super::state::{AttachmentLocations, ColorBlend, GraphicsState, VertexInput};
use crate::caps::limits::COLOR_ATTACHMENTS_MAX;
use crate::error::{Error, Result};
use crate::objects::image::format;
use pyro_abi::graphics::{DrawExtra, GeometryOutput, PATCH_VERTICES_MAX, Rate, VERTEX_ATTRIBUTES_MAX};
use pyro_engine::graphics::{self as engine, RateTexels};
use pyro_fixed::state::{
    AdvancedBlend, AdvancedOp, BlendEquation, BlendFactor, BlendOp, BlendOverlap, ColorAttachmentKey,
    CompareOp, CoverageModulation, CoverageReduction, DepthStencilKey, DiscardRectangles, FragmentOutputKey,
    InputRate, LogicOp, StencilFaceKey, StencilOp, VertexAttribute, VertexInputState, dithers,
};
use pyro_image::Format;
use smallvec::SmallVec;
use vulkanalia_sys as vk;

/// What draws render to, as far as code depends on it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TargetFormats {
    /// Colour attachments; undefined where there is none.
    pub colors: SmallVec<[vk::Format; COLOR_ATTACHMENTS_MAX]>,
    /// The depth attachment's format.
    pub depth: vk::Format,
    /// The stencil attachment's format.
    pub stencil: vk::Format,
    /// How many samples they have, where that is known.
    pub samples: TargetSamples,
    /// Views; zero: no multiview.
    pub view_mask: u32,
    /// Colours are dithered (`VK_EXT_legacy_dithering`).
    pub dither: bool,
    /// There is a fragment shading rate attachment, or a fragment density map.
    pub shading_rate: Option<RateTexels>,
    /// Samples lie elsewhere than the pipeline says: the attachments are turned.
    pub moves_samples: bool,
}

/// Samples of a pixel of attachments; 0, or none: as many as are rasterized.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TargetSamples {
    /// Of colour attachments.
    pub colors: SmallVec<[u8; COLOR_ATTACHMENTS_MAX]>,
    /// Of the depth and stencil attachment.
    pub depth_stencil: u8,
}

impl TargetFormats {
    /// What a pipeline made for `pipeline` uses of these attachments: where it has no format it writes
    /// nothing (`VK_EXT_dynamic_rendering_unused_attachments`).
    pub fn used_by(&self, pipeline: &TargetFormats) -> TargetFormats {
        let undefined = vk::Format::UNDEFINED;
        let used = |format: vk::Format, own: vk::Format| if own == undefined { undefined } else { format };
        TargetFormats {
            colors: self.colors.iter().zip(&pipeline.colors).map(|(&one, &own)| used(one, own)).collect(),
            depth: used(self.depth, pipeline.depth),
            stencil: used(self.stencil, pipeline.stencil),
            samples: self.samples.clone(),
            view_mask: self.view_mask,
            dither: self.dither,
            shading_rate: self.shading_rate,
            moves_samples: self.moves_samples,
        }
    }
}

/// The rectangles of the discard rectangle test, where it is on.
fn discard_rectangles(state: &GraphicsState) -> Option<&[vk::Rect2D]> {
    let count = state.discard_rectangles.len().min(state.discard_rectangle_count as usize);
    let list = &state.discard_rectangles[..count];
    (state.discard_rectangle_enable && !list.is_empty()).then_some(list)
}

/// Whether samples lie elsewhere than usual.
fn has_sample_locations(state: &GraphicsState) -> bool {
    state.sample_locations_enable && state.samples > 1
}

/// Whether an exclusive scissor is on.
fn has_exclusive_scissors(state: &GraphicsState) -> bool {
    state.exclusive_scissor_enable.iter().zip(&state.exclusive_scissors).any(|(&on, _)| on)
}

/// Whether fragments may be of several pixels, given the sources of rates that there are beside the
/// pipeline's.
pub(super) fn may_be_coarse(
    state: &GraphicsState,
    from_primitive: bool,
    attachment: Option<RateTexels>,
) -> bool {
    use engine::Combiner as C;
    if attachment == Some(RateTexels::Densities) || state.shading_rate_image_enable {
        return true;
    }
    // None: not known before the draw.
    let combine = |op: C, a: Option<Rate>, is_there: bool| match (op, a) {
        (C::Keep, a) => a,
        (C::Min, Some(Rate::PIXEL)) => Some(Rate::PIXEL),
        (C::Replace | C::Min, _) => (!is_there).then_some(Rate::PIXEL),
        (C::Max | C::Mul, a) => a.filter(|_| !is_there),
    };
    let both = combine(state.rate_combiners[0], Some(state.fragment_size), from_primitive);
    combine(state.rate_combiners[1], both, attachment.is_some()) != Some(Rate::PIXEL)
}

/// Coverage modulation, where it changes colours.
fn coverage_modulation(state: &GraphicsState) -> Option<CoverageModulation> {
    use vk::CoverageModulationModeNV as Mode;
    let (rgb, alpha) = match state.coverage_modulation {
        Mode::RGB => (true, false),
        Mode::ALPHA => (false, true),
        Mode::RGBA => (true, true),
        _ => return None,
    };
    Some(CoverageModulation { rgb, alpha, table: state.coverage_modulation_table_enable })
}

/// How coverage of more samples than colour attachments have is reduced.
fn coverage_reduction(state: &GraphicsState) -> CoverageReduction {
    let default = if state.truncates_coverage {
        vk::CoverageReductionModeNV::TRUNCATE
    } else {
        vk::CoverageReductionModeNV::MERGE
    };
    match state.coverage_reduction.unwrap_or(default) {
        vk::CoverageReductionModeNV::TRUNCATE => CoverageReduction::Truncate,
        _ => CoverageReduction::Merge,
    }
}

/// Whether masks of samples have another order.
pub(super) fn has_sample_order(state: &GraphicsState) -> bool {
    !state.coarse_sample_order.is_default()
}

/// How positions are swizzled, by viewport.
fn swizzles(state: &GraphicsState) -> Vec<engine::Swizzle> {
    let one = |coordinate: vk::ViewportCoordinateSwizzleNV| {
        let number = coordinate.as_raw();
        ((number >> 1 & 3) as u8, number & 1 != 0)
    };
    let all = state.viewport_swizzles.iter();
    let all: Vec<_> =
        all.map(|swizzle| [one(swizzle.x), one(swizzle.y), one(swizzle.z), one(swizzle.w)]).collect();
    let identity = [(0, false), (1, false), (2, false), (3, false)];
    if all.iter().all(|swizzle| *swizzle == identity) { Vec::new() } else { all }
}

/// How w of clip coordinates is scaled, by viewport.
fn w_scalings(state: &GraphicsState) -> Vec<[f32; 2]> {
    let all = state.w_scalings.iter().map(|one| [one.xcoeff, one.ycoeff]);
    all.filter(|_| state.w_scaling_enable).collect()
}

/// What code looks at through `DrawContext::extra`; none when it does not.
pub(crate) fn extra(state: &GraphicsState) -> Option<DrawExtra> {
    let rectangles = discard_rectangles(state);
    let modulates = coverage_modulation(state).is_some_and(|modulation| modulation.table);
    let is_rare =
        has_sample_locations(state) || has_exclusive_scissors(state) || modulates || has_sample_order(state);
    if rectangles.is_none() && !is_rare {
        return None;
    }
    let coverage_modulation = state.coverage_modulation_table.0;
    let mut extra = DrawExtra { coverage_modulation, ..DrawExtra::default() };
    if has_sample_order(state) {
        extra.sample_orders = state.coarse_sample_order.places(state.samples.max(1));
    }
    for (to, &(x, y)) in extra.sample_locations.iter_mut().zip(&state.sample_locations.0) {
        *to = [x, y].map(|value| f32::from(value) / 16.0);
    }
    for (to, rectangle) in extra.discard_rectangles.iter_mut().zip(rectangles.unwrap_or_default()) {
        let rectangle = rect(rectangle);
        *to = [rectangle.x0, rectangle.y0, rectangle.x1, rectangle.y1];
    }
    let exclusive = state.exclusive_scissor_enable.iter().zip(&state.exclusive_scissors);
    for (to, (_, scissor)) in extra.exclusive_scissors.iter_mut().zip(exclusive).filter(|(_, (on, _))| **on) {
        let scissor = rect(scissor);
        *to = [scissor.x0, scissor.y0, scissor.x1, scissor.y1];
    }
    Some(extra)
}

fn known(format: vk::Format) -> Option<Format> {
    if format == vk::Format::UNDEFINED { None } else { format::find(format).ok() }
}

/// An enumeration of the compiler's by Vulkan's number; what it does not know is its default.
macro_rules! convert {
    ($ty:ident, $value:expr) => {
        $ty::from_raw($value.as_raw()).unwrap_or_default()
    };
}

fn blend(blend: &ColorBlend) -> Option<BlendEquation> {
    blend.enable.then(|| BlendEquation {
        src_color: convert!(BlendFactor, blend.source_color),
        dst_color: convert!(BlendFactor, blend.target_color),
        color_op: convert!(BlendOp, blend.color_op),
        src_alpha: convert!(BlendFactor, blend.source_alpha),
        dst_alpha: convert!(BlendFactor, blend.target_alpha),
        alpha_op: convert!(BlendOp, blend.alpha_op),
        advanced: AdvancedOp::from_raw(blend.color_op.as_raw()).map(|op| AdvancedBlend {
            op,
            src_premultiplied: blend.advanced.source_premultiplied,
            dst_premultiplied: blend.advanced.target_premultiplied,
            overlap: convert!(BlendOverlap, blend.advanced.overlap),
        }),
    })
}

/// Whether primitives come to the rasterizer as lines.
fn draws_lines(state: &GraphicsState) -> bool {
    use vk::PrimitiveTopology as T;
    match state.topology {
        T::LINE_LIST | T::LINE_STRIP | T::LINE_LIST_WITH_ADJACENCY | T::LINE_STRIP_WITH_ADJACENCY => true,
        T::POINT_LIST => false,
        _ => state.polygon_mode == vk::PolygonMode::LINE,
    }
}

/// Whether what a stage makes comes to the rasterizer as smooth lines.
pub(super) fn smooth_lines(state: &GraphicsState, output: GeometryOutput) -> bool {
    state.line_mode == vk::LineRasterizationMode::RECTANGULAR_SMOOTH
        && match output {
            GeometryOutput::Points => false,
            GeometryOutput::LineStrip => true,
            GeometryOutput::TriangleStrip => state.polygon_mode == vk::PolygonMode::LINE,
        }
}

/// Whether a dynamic state decides what code is compiled; false only for what [`output_key`],
/// [`vertex_input_key`] and [`may_be_coarse`] do not look at.
pub(super) fn decides_code(state: vk::DynamicState) -> bool {
    use vk::DynamicState as D;
    !matches!(
        state,
        D::VIEWPORT
            | D::VIEWPORT_WITH_COUNT
            | D::SCISSOR
            | D::SCISSOR_WITH_COUNT
            | D::LINE_WIDTH
            | D::DEPTH_BIAS
            | D::DEPTH_BIAS_ENABLE
            | D::DEPTH_BOUNDS
            | D::BLEND_CONSTANTS
            | D::STENCIL_COMPARE_MASK
            | D::STENCIL_WRITE_MASK
            | D::STENCIL_REFERENCE
            | D::CULL_MODE
            | D::FRONT_FACE
            | D::PRIMITIVE_RESTART_ENABLE
            | D::VERTEX_INPUT_BINDING_STRIDE
    )
}

/// What the code around the fragment shader depends on.
pub fn output_key(
    state: &GraphicsState,
    formats: &TargetFormats,
    locations: &AttachmentLocations,
    count_samples: bool,
) -> FragmentOutputKey {
    let mut colors = [None; COLOR_ATTACHMENTS_MAX];
    let mut fewer_color_samples = [0; COLOR_ATTACHMENTS_MAX];
    // What is rasterized: tests happen for those.
    let samples = state.samples.max(1);
    for (index, &format) in formats.colors.iter().enumerate().take(COLOR_ATTACHMENTS_MAX) {
        let Some(location) = locations.location(index) else { continue };
        let one = &state.blend[index];
        colors[location] = known(format).map(|format| ColorAttachmentKey {
            format,
            blend: blend(one),
            write_mask: if state.color_write[index] { one.write_mask.bits() as u8 } else { 0 },
        });
        let own = formats.samples.colors.get(index).copied().filter(|&own| u32::from(own) < samples);
        fewer_color_samples[location] = own.unwrap_or(0);
    }
    let (mut depth, mut stencil) = (known(formats.depth), known(formats.stencil));
    if (1..samples).contains(&formats.samples.depth_stencil.into()) {
        // Nothing tests samples that are not there
        // (VUID-VkGraphicsPipelineCreateInfo-multisampledRenderToSingleSampled-06853).
        (depth, stencil) = (None, None);
    }
    let depth = depth.filter(|format| format.has_depth());
    let stencil = stencil.filter(|format| format.has_stencil());
    let face = |index: usize| {
        let face = &state.stencil[index];
        StencilFaceKey {
            fail_op: convert!(StencilOp, face.fail_op),
            pass_op: convert!(StencilOp, face.pass_op),
            depth_fail_op: convert!(StencilOp, face.depth_fail_op),
            compare_op: convert!(CompareOp, face.compare_op),
        }
    };
    let all_samples = ((1_u64 << samples) - 1) as u32;
    FragmentOutputKey {
        colors,
        logic_op: state.logic_op_enable.then(|| convert!(LogicOp, state.logic_op)),
        depth_stencil_format: depth.or(stencil),
        depth_stencil: DepthStencilKey {
            depth_test: (state.depth_test && depth.is_some())
                .then(|| convert!(CompareOp, state.depth_compare)),
            depth_write: state.depth_test && state.depth_write && depth.is_some(),
            depth_bounds_test: state.depth_bounds_test && depth.is_some(),
            stencil: (state.stencil_test && stencil.is_some()).then(|| [face(0), face(1)]),
        },
        depth_clamp: state.depth_clamp,
        depth_unrestricted: is_unrestricted(state, depth),
        samples,
        fewer_color_samples,
        coverage_reduction: if fewer_color_samples == [0; COLOR_ATTACHMENTS_MAX] {
            CoverageReduction::default()
        } else {
            coverage_reduction(state)
        },
        coverage_modulation: coverage_modulation(state),
        sample_shading: state.sample_shading && state.min_sample_shading * state.samples as f32 > 1.0,
        coarse: false,
        invocations_vary: false,
        sample_order: false,
        full_coverage: false,
        sample_mask: state.sample_mask[0] & all_samples != all_samples,
        alpha_to_coverage: state.alpha_to_coverage,
        smooth_lines: state.line_mode == vk::LineRasterizationMode::RECTANGULAR_SMOOTH && draws_lines(state),
        alpha_to_one: state.alpha_to_one,
        count_samples,
        sample_locations: has_sample_locations(state),
        discard_rectangles: discard_rectangles(state).map(|list| DiscardRectangles {
            inclusive: state.discard_rectangle_inclusive,
            count: list.len() as u8,
        }),
        coverage_to_color: state
            .coverage_to_color_enable
            .then(|| state.coverage_to_color_location.min(u32::from(u8::MAX)) as u8),
        exclusive_scissor: has_exclusive_scissors(state),
        dither: formats.dither && colors.iter().flatten().any(|color| dithers(color.format)),
    }
}

/// What the code before the vertex shader depends on, the attributes in order.
///
/// # Errors
/// For formats that attributes cannot have.
pub fn vertex_input_key(input: &VertexInput) -> Result<VertexInputState> {
    let attributes = input.attributes.iter().map(|attribute| {
        let binding = input.bindings.iter().find(|binding| binding.binding == attribute.binding);
        let rate = match binding {
            Some(binding) if binding.per_instance => InputRate::Instance { divisor: binding.divisor },
            _ => InputRate::Vertex,
        };
        if attribute.location as usize >= VERTEX_ATTRIBUTES_MAX {
            return Err(Error::misuse(format!(
                "a vertex attribute at location {} (VUID-VkVertexInputAttributeDescription-location-00620)",
                attribute.location
            )));
        }
        let format = format::find(attribute.format)?;
        if !format.features().vertex_buffer {
            return Err(Error::misuse(format!(
                "{format:?} is not a vertex attribute format \
                 (VUID-VkVertexInputAttributeDescription-format-00623)"
            )));
        }
        let (location, binding, offset) = (attribute.location, attribute.binding, attribute.offset);
        Ok(VertexAttribute { location, binding, format, offset, rate })
    });
    let mut attributes = attributes.collect::<Result<Vec<_>>>()?;
    attributes.sort_by_key(|attribute| attribute.location);
    Ok(VertexInputState { attributes })
}

/// A bound vertex buffer as the attributes' records want it.
pub(crate) fn vertex_buffer(
    state: &GraphicsState,
    binding: u32,
    buffer: Option<&VertexBuffer>,
) -> pyro_fixed::state::VertexBuffer {
    let fixed = state.vertex_input.bindings.iter().find(|one| one.binding == binding);
    let stride = state.strides.get(binding as usize).copied().flatten();
    let stride = stride.or(fixed.map(|binding| binding.stride)).unwrap_or(0);
    match buffer.and_then(|buffer| buffer.range.as_ref()) {
        Some(range) => {
            pyro_fixed::state::VertexBuffer { address: range.address(), size: range.size(), stride }
        }
        None => pyro_fixed::state::VertexBuffer { stride, ..Default::default() },
    }
}

/// How vertices make primitives.
pub(crate) fn topology(state: &GraphicsState) -> Result<engine::Topology> {
    use engine::Topology as T;
    Ok(match state.topology {
        vk::PrimitiveTopology::POINT_LIST => T::PointList,
        vk::PrimitiveTopology::LINE_LIST => T::LineList,
        vk::PrimitiveTopology::LINE_STRIP => T::LineStrip,
        vk::PrimitiveTopology::TRIANGLE_LIST => T::TriangleList,
        vk::PrimitiveTopology::TRIANGLE_STRIP => T::TriangleStrip,
        vk::PrimitiveTopology::TRIANGLE_FAN => T::TriangleFan,
        vk::PrimitiveTopology::LINE_LIST_WITH_ADJACENCY => T::LineListWithAdjacency,
        vk::PrimitiveTopology::LINE_STRIP_WITH_ADJACENCY => T::LineStripWithAdjacency,
        vk::PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY => T::TriangleListWithAdjacency,
        vk::PrimitiveTopology::TRIANGLE_STRIP_WITH_ADJACENCY => T::TriangleStripWithAdjacency,
        vk::PrimitiveTopology::PATCH_LIST => {
            T::PatchList(state.patch_control_points.clamp(1, PATCH_VERTICES_MAX))
        }
        other => return Err(Error::unsupported(format!("the topology {other:?}"))),
    })
}

/// Whether depths outside of [0, 1] stay as they are: only floats can.
fn is_unrestricted(state: &GraphicsState, depth: Option<Format>) -> bool {
    state.depth_unrestricted && !depth.is_some_and(Format::is_fixed_point_depth)
}

/// Rasterization state.
pub(crate) fn raster_state(state: &GraphicsState, depth: Option<Format>) -> engine::RasterState {
    let representation = state.depth_bias.unit.representation;
    let unit = match depth {
        _ if representation == vk::DepthBiasRepresentationEXT::FLOAT => engine::DepthBiasUnit::Constant(1.0),
        Some(Format::D16_UNORM | Format::D16_UNORM_S8_UINT) => {
            engine::DepthBiasUnit::Constant(2_f32.powi(-16))
        }
        Some(Format::X8_D24_UNORM_PACK32 | Format::D24_UNORM_S8_UINT) => {
            engine::DepthBiasUnit::Constant(2_f32.powi(-24))
        }
        // As many bits as the mantissa has, and one.
        _ if representation == vk::DepthBiasRepresentationEXT::LEAST_REPRESENTABLE_VALUE_FORCE_UNORM => {
            engine::DepthBiasUnit::Constant(2_f32.powi(-24))
        }
        _ => engine::DepthBiasUnit::FloatExponent,
    };
    engine::RasterState {
        samples: state.samples.max(1),
        sample_locations: has_sample_locations(state).then_some(state.sample_locations.0),
        polygon_mode: match state.polygon_mode {
            vk::PolygonMode::LINE => engine::PolygonMode::Line,
            vk::PolygonMode::POINT => engine::PolygonMode::Point,
            vk::PolygonMode::FILL_RECTANGLE_NV => engine::PolygonMode::FillRectangle,
            _ => engine::PolygonMode::Fill,
        },
        cull: engine::CullMode {
            front: state.cull_mode.contains(vk::CullModeFlags::FRONT),
            back: state.cull_mode.contains(vk::CullModeFlags::BACK),
        },
        front_clockwise: state.front_face == vk::FrontFace::CLOCKWISE,
        depth_bias: state.depth_bias_enable.then_some(engine::DepthBias {
            constant: state.depth_bias.constant,
            clamp: state.depth_bias.clamp,
            slope: state.depth_bias.slope,
            unit,
        }),
        depth_clip: state.depth_clip.unwrap_or(!state.depth_clamp),
        depth_clamp: state.depth_clamp,
        depth_unrestricted: is_unrestricted(state, depth),
        depth_clamp_range: state.depth_clamp_range,
        negative_one_to_one: state.negative_one_to_one,
        line_mode: match state.line_mode {
            vk::LineRasterizationMode::BRESENHAM => engine::LineMode::Bresenham,
            vk::LineRasterizationMode::RECTANGULAR_SMOOTH => engine::LineMode::Smooth,
            _ => engine::LineMode::Rectangular,
        },
        conservative: match state.conservative {
            vk::ConservativeRasterizationModeEXT::OVERESTIMATE => engine::Conservative::Overestimate,
            vk::ConservativeRasterizationModeEXT::UNDERESTIMATE => engine::Conservative::Underestimate,
            _ => engine::Conservative::Disabled,
        },
        line_width: state.line_width,
        line_stipple: state
            .line_stipple_enable
            .then_some(engine::LineStipple { factor: state.line_stipple.0, pattern: state.line_stipple.1 }),
        provoking_last: state.provoking_last,
        discard: state.rasterizer_discard,
        w_scalings: w_scalings(state),
        swizzles: swizzles(state),
    }
}

/// The pixels of a rectangle.
pub(crate) fn rect(rect: &vk::Rect2D) -> engine::Rect {
    let end = |offset: i32, extent: u32| {
        i64::from(offset).saturating_add(extent.into()).clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
    };
    engine::Rect {
        x0: rect.offset.x,
        y0: rect.offset.y,
        x1: end(rect.offset.x, rect.extent.width),
        y1: end(rect.offset.y, rect.extent.height),
    }
}

/// A viewport.
pub(crate) fn viewport(viewport: &vk::Viewport) -> engine::Viewport {
    engine::Viewport {
        x: viewport.x,
        y: viewport.y,
        width: viewport.width,
        height: viewport.height,
        min_depth: viewport.min_depth,
        max_depth: viewport.max_depth,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_need_their_aspects() {
        let state = GraphicsState {
            depth_test: true,
            depth_write: true,
            stencil_test: true,
            depth_compare: vk::CompareOp::LESS,
            samples: 4,
            sample_mask: [0xF, 0],
            ..GraphicsState::default()
        };
        let mut formats = TargetFormats { depth: vk::Format::D24_UNORM_S8_UINT, ..Default::default() };
        let key = output_key(&state, &formats, &AttachmentLocations::default(), false);
        assert_eq!(key.depth_stencil.depth_test, Some(CompareOp::Less));
        assert!(key.depth_stencil.stencil.is_none() && !key.sample_mask && key.depth_stencil.depth_write);
        formats.stencil = formats.depth;
        formats.depth = vk::Format::UNDEFINED;
        let key = output_key(&state, &formats, &AttachmentLocations::default(), false);
        assert!(key.depth_stencil.stencil.is_some() && key.depth_stencil.depth_test.is_none());
        assert_eq!(key.depth_stencil_format, Some(Format::D24_UNORM_S8_UINT));
    }

    /// What is dynamic without deciding code may have any value.
    #[test]
    fn code_is_the_same_for_values_of_other_dynamic_states() {
        use crate::pipeline::graphics::{DepthBias, StateChange as C};
        use vk::DynamicState as D;
        let both = vk::StencilFaceFlags::FRONT_AND_BACK;
        let viewport = vk::Viewport { width: 5.0, height: 7.0, ..Default::default() };
        let changes = [
            (D::VIEWPORT, C::Viewports(0, SmallVec::from_elem(viewport, 1))),
            (D::VIEWPORT_WITH_COUNT, C::AllViewports(SmallVec::from_elem(viewport, 3))),
            (D::SCISSOR, C::Scissors(0, SmallVec::from_elem(vk::Rect2D::default(), 1))),
            (D::SCISSOR_WITH_COUNT, C::AllScissors(SmallVec::from_elem(vk::Rect2D::default(), 3))),
            (D::LINE_WIDTH, C::LineWidth(3.0)),
            (D::DEPTH_BIAS, C::DepthBias(DepthBias { constant: 3.0, ..DepthBias::default() })),
            (D::DEPTH_BIAS_ENABLE, C::DepthBiasEnable(true)),
            (D::DEPTH_BOUNDS, C::DepthBounds([0.25, 0.5])),
            (D::BLEND_CONSTANTS, C::BlendConstants([0.5; 4])),
            (D::STENCIL_COMPARE_MASK, C::StencilCompareMask(both, 3)),
            (D::STENCIL_WRITE_MASK, C::StencilWriteMask(both, 0)),
            (D::STENCIL_REFERENCE, C::StencilReference(both, 9)),
            (D::CULL_MODE, C::CullMode(vk::CullModeFlags::FRONT_AND_BACK)),
            (D::FRONT_FACE, C::FrontFace(vk::FrontFace::CLOCKWISE)),
            (D::PRIMITIVE_RESTART_ENABLE, C::PrimitiveRestart(true)),
        ];
        let formats = TargetFormats {
            colors: SmallVec::from_elem(vk::Format::R8G8B8A8_UNORM, 2),
            depth: vk::Format::D32_SFLOAT_S8_UINT,
            stencil: vk::Format::D32_SFLOAT_S8_UINT,
            ..Default::default()
        };
        let mut state = GraphicsState {
            depth_test: true,
            depth_bounds_test: true,
            stencil_test: true,
            samples: 4,
            line_mode: vk::LineRasterizationMode::RECTANGULAR_SMOOTH,
            ..GraphicsState::default()
        };
        state.blend[0].enable = true;
        let key = |state: &GraphicsState| {
            let output = output_key(state, &formats, &AttachmentLocations::default(), false);
            let coarse = may_be_coarse(state, false, None);
            (output, coarse, vertex_input_key(&state.vertex_input).expect("it has no attributes"))
        };
        for (dynamic, change) in changes {
            assert!(!decides_code(dynamic), "{dynamic:?}");
            let mut changed = state.clone();
            changed.set(&change);
            assert_eq!(key(&changed), key(&state), "{dynamic:?}");
        }
        let mut changed = state.clone();
        changed.set(&C::DepthTest(false));
        assert!(decides_code(D::DEPTH_TEST_ENABLE) && key(&changed) != key(&state));
    }

    #[test]
    fn attachments_have_locations() {
        let colors =
            SmallVec::from_slice(&[vk::Format::R8_UNORM, vk::Format::R32_SFLOAT, vk::Format::R8_SINT]);
        let formats = TargetFormats { colors, ..Default::default() };
        let locations = AttachmentLocations(SmallVec::from_slice(&[Some(2), None, Some(0)]));
        let mut own = formats.clone();
        own.colors[2] = vk::Format::UNDEFINED;
        let key = output_key(&GraphicsState::default(), &formats, &locations, false);
        let format = |location: usize| key.colors[location].map(|color| color.format);
        assert_eq!([format(0), format(1), format(2)], [Some(Format::R8_SINT), None, Some(Format::R8_UNORM)]);
        let used = formats.used_by(&own);
        assert_eq!(used.colors.as_slice(), [formats.colors[0], formats.colors[1], vk::Format::UNDEFINED]);
        own.colors.truncate(1);
        assert_eq!(formats.used_by(&own).colors.len(), 1);
    }

    #[test]
    fn fragments_are_of_one_pixel_where_no_rate_says_otherwise() {
        use engine::Combiner as C;
        let two = Rate { x: 1, y: 1 };
        let state = |fragment_size, first, second| GraphicsState {
            fragment_size,
            rate_combiners: [first, second],
            ..GraphicsState::default()
        };
        let coarse = |state, primitive, attachment| may_be_coarse(&state, primitive, attachment);
        let (rates, densities) = (Some(RateTexels::Rates), Some(RateTexels::Densities));
        assert!(!coarse(state(Rate::PIXEL, C::Keep, C::Keep), true, rates));
        assert!(coarse(state(two, C::Keep, C::Keep), false, None));
        assert!(!coarse(state(two, C::Replace, C::Keep), false, rates));
        assert!(coarse(state(Rate::PIXEL, C::Replace, C::Keep), true, None));
        assert!(coarse(state(Rate::PIXEL, C::Keep, C::Max), false, rates));
        assert!(!coarse(state(Rate::PIXEL, C::Max, C::Mul), false, None));
        assert!(!coarse(state(two, C::Min, C::Mul), false, None));
        assert!(coarse(state(two, C::Max, C::Min), false, rates));
        assert!(coarse(state(Rate::PIXEL, C::Keep, C::Keep), false, densities));
    }

    #[test]
    fn rectangles_saturate() {
        let huge = vk::Rect2D {
            offset: vk::Offset2D { x: 5, y: i32::MAX },
            extent: vk::Extent2D { width: u32::MAX, height: 7 },
        };
        assert_eq!(rect(&huge), engine::Rect { x0: 5, y0: i32::MAX, x1: i32::MAX, y1: i32::MAX });
    }
}
