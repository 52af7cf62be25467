//! Dynamic state: the `vkCmdSet*` commands of the core versions and of extended dynamic state.

use crate::command::record;
use crate::{find, slice};
use pyro_abi::graphics::Rate;
use pyro_driver::command::RenderCommand;
use pyro_driver::graphics::{
    AdvancedBlend, AttachmentLocations, ColorBlend, Combiner, DepthBias, DepthBiasUnit, SampleLocations,
    StateChange, StencilFace, VertexAttribute, VertexBinding, VertexInput, sample_count,
};
use vulkanalia_sys as vk;

/// Records a change of state.
unsafe fn set(buffer: vk::CommandBuffer, change: StateChange) {
    unsafe { record(buffer, |buffer| buffer.push(RenderCommand::SetState(Box::new(change)))) };
}

/// Commands that set one value.
macro_rules! setters {
    ($($name:ident($value:ident: $ty:ty) => $change:expr;)*) => {
        $(pub(crate) unsafe extern "system" fn $name(buffer: vk::CommandBuffer, $value: $ty) {
            unsafe { set(buffer, $change) };
        })*
    };
}

setters! {
    line_width(width: f32) => StateChange::LineWidth(width);
    cull_mode(mode: vk::CullModeFlags) => StateChange::CullMode(mode);
    front_face(face: vk::FrontFace) => StateChange::FrontFace(face);
    primitive_topology(topology: vk::PrimitiveTopology) => StateChange::Topology(topology);
    patch_control_points(count: u32) => StateChange::PatchControlPoints(count);
    tessellation_domain_origin(origin: vk::TessellationDomainOrigin)
        => StateChange::TessellationLowerLeft(origin == vk::TessellationDomainOrigin::LOWER_LEFT);
    depth_test_enable(on: vk::Bool32) => StateChange::DepthTest(on != 0);
    depth_write_enable(on: vk::Bool32) => StateChange::DepthWrite(on != 0);
    depth_compare_op(op: vk::CompareOp) => StateChange::DepthCompare(op);
    depth_bounds_test_enable(on: vk::Bool32) => StateChange::DepthBoundsTest(on != 0);
    stencil_test_enable(on: vk::Bool32) => StateChange::StencilTest(on != 0);
    viewport_w_scaling_enable(on: vk::Bool32) => StateChange::WScalingEnable(on != 0);
    rasterizer_discard_enable(on: vk::Bool32) => StateChange::RasterizerDiscard(on != 0);
    depth_bias_enable(on: vk::Bool32) => StateChange::DepthBiasEnable(on != 0);
    primitive_restart_enable(on: vk::Bool32) => StateChange::PrimitiveRestart(on != 0);
    logic_op(op: vk::LogicOp) => StateChange::LogicOp(op);
    logic_op_enable(on: vk::Bool32) => StateChange::LogicOpEnable(on != 0);
    depth_clamp_enable(on: vk::Bool32) => StateChange::DepthClamp(on != 0);
    depth_clip_enable(on: vk::Bool32) => StateChange::DepthClip(on != 0);
    depth_clip_negative_one_to_one(on: vk::Bool32) => StateChange::NegativeOneToOne(on != 0);
    polygon_mode(mode: vk::PolygonMode) => StateChange::PolygonMode(mode);
    rasterization_samples(samples: vk::SampleCountFlags) => StateChange::Samples(sample_count(samples));
    alpha_to_coverage_enable(on: vk::Bool32) => StateChange::AlphaToCoverage(on != 0);
    alpha_to_one_enable(on: vk::Bool32) => StateChange::AlphaToOne(on != 0);
    provoking_vertex_mode(mode: vk::ProvokingVertexModeEXT)
        => StateChange::ProvokingLast(mode == vk::ProvokingVertexModeEXT::LAST_VERTEX);
    rasterization_stream(stream: u32) => StateChange::RasterStream(stream);
    conservative_rasterization_mode(mode: vk::ConservativeRasterizationModeEXT)
        => StateChange::Conservative(mode);
    line_rasterization_mode(mode: vk::LineRasterizationMode) => StateChange::LineMode(mode);
    line_stipple_enable(on: vk::Bool32) => StateChange::LineStippleEnable(on != 0);
    discard_rectangle_enable(on: vk::Bool32) => StateChange::DiscardRectangleEnable(on != 0);
    discard_rectangle_mode(mode: vk::DiscardRectangleModeEXT) => StateChange::DiscardRectangleMode(mode);
    coverage_to_color_enable(on: vk::Bool32) => StateChange::CoverageToColorEnable(on != 0);
    coverage_to_color_location(location: u32) => StateChange::CoverageToColorLocation(location);
    sample_locations_enable(on: vk::Bool32) => StateChange::SampleLocationsEnable(on != 0);
}

pub(crate) unsafe extern "system" fn viewport(
    buffer: vk::CommandBuffer,
    first: u32,
    count: u32,
    viewports: *const vk::Viewport,
) {
    unsafe { set(buffer, StateChange::Viewports(first, slice(viewports, count).into())) };
}

/// There is no extra size but none (`maxExtraPrimitiveOverestimationSize`).
pub(crate) unsafe extern "system" fn extra_primitive_overestimation_size(
    _buffer: vk::CommandBuffer,
    _size: f32,
) {
}

pub(crate) unsafe extern "system" fn viewport_with_count(
    buffer: vk::CommandBuffer,
    count: u32,
    viewports: *const vk::Viewport,
) {
    unsafe { set(buffer, StateChange::AllViewports(slice(viewports, count.min(16)).into())) };
}

pub(crate) unsafe extern "system" fn scissor(
    buffer: vk::CommandBuffer,
    first: u32,
    count: u32,
    scissors: *const vk::Rect2D,
) {
    unsafe { set(buffer, StateChange::Scissors(first, slice(scissors, count).into())) };
}

pub(crate) unsafe extern "system" fn scissor_with_count(
    buffer: vk::CommandBuffer,
    count: u32,
    scissors: *const vk::Rect2D,
) {
    unsafe { set(buffer, StateChange::AllScissors(slice(scissors, count.min(16)).into())) };
}

pub(crate) unsafe extern "system" fn depth_bias(
    buffer: vk::CommandBuffer,
    constant: f32,
    clamp: f32,
    slope: f32,
) {
    let unit = DepthBiasUnit::default();
    unsafe { set(buffer, StateChange::DepthBias(DepthBias { constant, clamp, slope, unit })) };
}

/// The depth bias representation in a chain.
pub(crate) unsafe fn depth_bias_unit(next: *const std::ffi::c_void) -> DepthBiasUnit {
    let s_type = vk::StructureType::DEPTH_BIAS_REPRESENTATION_INFO_EXT;
    let info = unsafe { find::<vk::DepthBiasRepresentationInfoEXT>(next, s_type) };
    info.map_or(DepthBiasUnit::default(), |info| DepthBiasUnit {
        representation: info.depth_bias_representation,
        exact: info.depth_bias_exact != 0,
    })
}

pub(crate) unsafe extern "system" fn depth_bias2(
    buffer: vk::CommandBuffer,
    info: *const vk::DepthBiasInfoEXT,
) {
    unsafe {
        let info = &*info;
        let bias = DepthBias {
            constant: info.depth_bias_constant_factor,
            clamp: info.depth_bias_clamp,
            slope: info.depth_bias_slope_factor,
            unit: depth_bias_unit(info.next),
        };
        set(buffer, StateChange::DepthBias(bias));
    }
}

/// The range that depths are clamped to; none: the viewport's.
pub(crate) unsafe fn clamp_range(
    mode: vk::DepthClampModeEXT,
    range: *const vk::DepthClampRangeEXT,
) -> Option<[f32; 2]> {
    let range = unsafe { range.as_ref() }.filter(|_| mode == vk::DepthClampModeEXT::USER_DEFINED_RANGE);
    range.map(|range| [range.min_depth_clamp, range.max_depth_clamp])
}

pub(crate) unsafe extern "system" fn depth_clamp_range(
    buffer: vk::CommandBuffer,
    mode: vk::DepthClampModeEXT,
    range: *const vk::DepthClampRangeEXT,
) {
    unsafe { set(buffer, StateChange::DepthClampRange(clamp_range(mode, range))) };
}

/// Attachments are plain memory, so feedback loops need no preparation.
pub(crate) unsafe extern "system" fn attachment_feedback_loop_enable(
    _buffer: vk::CommandBuffer,
    _aspects: vk::ImageAspectFlags,
) {
}

/// The fragment output locations of colour attachments.
pub(crate) unsafe fn attachment_locations(
    info: Option<&vk::RenderingAttachmentLocationInfo>,
) -> AttachmentLocations {
    let locations = info.map_or(&[][..], |info| unsafe {
        slice(info.color_attachment_locations, info.color_attachment_count)
    });
    let used = |&location: &u32| (location != vk::ATTACHMENT_UNUSED).then_some(location);
    AttachmentLocations(locations.iter().map(used).collect())
}

/// Pipelines drawn with have the same locations (VUID-vkCmdDraw-None-09548); shader objects have these.
pub(crate) unsafe extern "system" fn rendering_attachment_locations(
    buffer: vk::CommandBuffer,
    info: *const vk::RenderingAttachmentLocationInfo,
) {
    unsafe {
        let locations = attachment_locations(info.as_ref());
        set(buffer, StateChange::AttachmentLocations(Box::new(locations)));
    }
}

pub(crate) unsafe extern "system" fn discard_rectangle(
    buffer: vk::CommandBuffer,
    first: u32,
    count: u32,
    rectangles: *const vk::Rect2D,
) {
    unsafe { set(buffer, StateChange::DiscardRectangles(first, slice(rectangles, count).into())) };
}

pub(crate) unsafe extern "system" fn exclusive_scissor(
    buffer: vk::CommandBuffer,
    first: u32,
    count: u32,
    scissors: *const vk::Rect2D,
) {
    unsafe { set(buffer, StateChange::ExclusiveScissors(first, slice(scissors, count).into())) };
}

pub(crate) unsafe extern "system" fn exclusive_scissor_enable(
    buffer: vk::CommandBuffer,
    first: u32,
    count: u32,
    enables: *const vk::Bool32,
) {
    let enables = unsafe { slice(enables, count) }.iter().map(|&on| on != 0);
    unsafe { set(buffer, StateChange::ExclusiveScissorEnable(first, enables.collect())) };
}

pub(crate) unsafe extern "system" fn viewport_w_scaling(
    buffer: vk::CommandBuffer,
    first: u32,
    count: u32,
    scalings: *const vk::ViewportWScalingNV,
) {
    unsafe { set(buffer, StateChange::WScalings(first, slice(scalings, count).into())) };
}

/// How two rates are combined; an operation that there is not keeps the first.
pub(crate) fn combiner(op: vk::FragmentShadingRateCombinerOpKHR) -> Combiner {
    match op {
        vk::FragmentShadingRateCombinerOpKHR::REPLACE => Combiner::Replace,
        vk::FragmentShadingRateCombinerOpKHR::MIN => Combiner::Min,
        vk::FragmentShadingRateCombinerOpKHR::MAX => Combiner::Max,
        vk::FragmentShadingRateCombinerOpKHR::MUL => Combiner::Mul,
        _ => Combiner::Keep,
    }
}

pub(crate) unsafe extern "system" fn fragment_shading_rate(
    buffer: vk::CommandBuffer,
    size: *const vk::Extent2D,
    combiners: *const vk::FragmentShadingRateCombinerOpKHR,
) {
    unsafe {
        let size = Rate::from_size((*size).width, (*size).height);
        let combiners = [*combiners, *combiners.add(1)].map(combiner);
        set(buffer, StateChange::FragmentShadingRate(size, combiners));
    }
}

pub(crate) unsafe extern "system" fn viewport_swizzle(
    buffer: vk::CommandBuffer,
    first: u32,
    count: u32,
    swizzles: *const vk::ViewportSwizzleNV,
) {
    unsafe { set(buffer, StateChange::ViewportSwizzles(first, slice(swizzles, count).into())) };
}

/// All fragments of a primitive represent it.
pub(crate) unsafe extern "system" fn representative_fragment_test_enable(
    _buffer: vk::CommandBuffer,
    _on: vk::Bool32,
) {
}

/// What `VkSampleLocationsInfoEXT` says.
pub(crate) unsafe fn sample_locations(info: &vk::SampleLocationsInfoEXT) -> SampleLocations {
    if info.sample_locations.is_null() {
        return SampleLocations::default();
    }
    SampleLocations::new(unsafe { slice(info.sample_locations, info.sample_locations_count) })
}

pub(crate) unsafe extern "system" fn set_sample_locations(
    buffer: vk::CommandBuffer,
    info: *const vk::SampleLocationsInfoEXT,
) {
    unsafe { set(buffer, StateChange::SampleLocations(Box::new(sample_locations(&*info)))) };
}

/// Input attachments are read through their descriptors, which name the views.
pub(crate) unsafe extern "system" fn rendering_input_attachment_indices(
    _buffer: vk::CommandBuffer,
    _info: *const vk::RenderingInputAttachmentIndexInfo,
) {
}

pub(crate) unsafe extern "system" fn blend_constants(buffer: vk::CommandBuffer, constants: *const f32) {
    unsafe { set(buffer, StateChange::BlendConstants(*constants.cast())) };
}

pub(crate) unsafe extern "system" fn depth_bounds(buffer: vk::CommandBuffer, min: f32, max: f32) {
    unsafe { set(buffer, StateChange::DepthBounds([min, max])) };
}

pub(crate) unsafe extern "system" fn stencil_compare_mask(
    buffer: vk::CommandBuffer,
    faces: vk::StencilFaceFlags,
    mask: u32,
) {
    unsafe { set(buffer, StateChange::StencilCompareMask(faces, mask)) };
}

pub(crate) unsafe extern "system" fn stencil_write_mask(
    buffer: vk::CommandBuffer,
    faces: vk::StencilFaceFlags,
    mask: u32,
) {
    unsafe { set(buffer, StateChange::StencilWriteMask(faces, mask)) };
}

pub(crate) unsafe extern "system" fn stencil_reference(
    buffer: vk::CommandBuffer,
    faces: vk::StencilFaceFlags,
    reference: u32,
) {
    unsafe { set(buffer, StateChange::StencilReference(faces, reference)) };
}

pub(crate) unsafe extern "system" fn stencil_op(
    buffer: vk::CommandBuffer,
    faces: vk::StencilFaceFlags,
    fail_op: vk::StencilOp,
    pass_op: vk::StencilOp,
    depth_fail_op: vk::StencilOp,
    compare_op: vk::CompareOp,
) {
    let face = StencilFace { fail_op, pass_op, depth_fail_op, compare_op, ..StencilFace::default() };
    unsafe { set(buffer, StateChange::StencilOp(faces, face)) };
}

pub(crate) unsafe extern "system" fn line_stipple(buffer: vk::CommandBuffer, factor: u32, pattern: u16) {
    unsafe { set(buffer, StateChange::LineStipple(factor, pattern)) };
}

pub(crate) unsafe extern "system" fn sample_mask(
    buffer: vk::CommandBuffer,
    samples: vk::SampleCountFlags,
    mask: *const vk::SampleMask,
) {
    let words = unsafe { slice(mask, sample_count(samples).div_ceil(32)) };
    let word = |index: usize| words.get(index).copied().unwrap_or(u32::MAX);
    unsafe { set(buffer, StateChange::SampleMask([word(0), word(1)])) };
}

pub(crate) unsafe extern "system" fn color_write_enable(
    buffer: vk::CommandBuffer,
    count: u32,
    enables: *const vk::Bool32,
) {
    let enables = unsafe { slice(enables, count) };
    unsafe { set(buffer, StateChange::ColorWrite(enables.iter().map(|&on| on != 0).collect())) };
}

pub(crate) unsafe extern "system" fn color_blend_enable(
    buffer: vk::CommandBuffer,
    first: u32,
    count: u32,
    enables: *const vk::Bool32,
) {
    let enables = unsafe { slice(enables, count) };
    unsafe { set(buffer, StateChange::BlendEnable(first, enables.iter().map(|&on| on != 0).collect())) };
}

pub(crate) unsafe extern "system" fn color_blend_equation(
    buffer: vk::CommandBuffer,
    first: u32,
    count: u32,
    equations: *const vk::ColorBlendEquationEXT,
) {
    let equations = unsafe { slice(equations, count) }.iter().map(|equation| ColorBlend {
        source_color: equation.src_color_blend_factor,
        target_color: equation.dst_color_blend_factor,
        color_op: equation.color_blend_op,
        source_alpha: equation.src_alpha_blend_factor,
        target_alpha: equation.dst_alpha_blend_factor,
        alpha_op: equation.alpha_blend_op,
        ..ColorBlend::default()
    });
    unsafe { set(buffer, StateChange::BlendEquation(first, equations.collect())) };
}

pub(crate) unsafe extern "system" fn color_blend_advanced(
    buffer: vk::CommandBuffer,
    first: u32,
    count: u32,
    list: *const vk::ColorBlendAdvancedEXT,
) {
    let list = unsafe { slice(list, count) }.iter().map(|one| ColorBlend {
        color_op: one.advanced_blend_op,
        alpha_op: one.advanced_blend_op,
        advanced: AdvancedBlend {
            source_premultiplied: one.src_premultiplied != 0,
            target_premultiplied: one.dst_premultiplied != 0,
            overlap: one.blend_overlap,
        },
        ..ColorBlend::default()
    });
    unsafe { set(buffer, StateChange::BlendEquation(first, list.collect())) };
}

pub(crate) unsafe extern "system" fn color_write_mask(
    buffer: vk::CommandBuffer,
    first: u32,
    count: u32,
    masks: *const vk::ColorComponentFlags,
) {
    unsafe { set(buffer, StateChange::WriteMask(first, slice(masks, count).into())) };
}

pub(crate) unsafe extern "system" fn vertex_input(
    buffer: vk::CommandBuffer,
    binding_count: u32,
    bindings: *const vk::VertexInputBindingDescription2EXT,
    attribute_count: u32,
    attributes: *const vk::VertexInputAttributeDescription2EXT,
) {
    let bindings = unsafe { slice(bindings, binding_count) }.iter().map(|binding| VertexBinding {
        binding: binding.binding,
        stride: binding.stride,
        per_instance: binding.input_rate == vk::VertexInputRate::INSTANCE,
        divisor: binding.divisor,
    });
    let attributes = unsafe { slice(attributes, attribute_count) }.iter().map(|attribute| VertexAttribute {
        location: attribute.location,
        binding: attribute.binding,
        format: attribute.format,
        offset: attribute.offset,
    });
    let input = VertexInput { bindings: bindings.collect(), attributes: attributes.collect() };
    unsafe { set(buffer, StateChange::VertexInput(Box::new(input))) };
}
