//! Dynamic state: the `vkCmdSet*` commands of the core versions and of extended dynamic state.

use crate::call::recording::record;
use crate::handle;
use crate::pointers::{self, Chain, In, Slice};
use crate::registry::CommandId;
use pyro_abi::graphics::{COVERAGE_SAMPLES_MAX, Rate};
use pyro_driver::Error;
use pyro_driver::command::RenderCommand;
use pyro_driver::graphics::{
    AdvancedBlend, AttachmentLocations, CoarseSampleOrder, ColorBlend, Combiner, CoverageModulationTable,
    CustomSampleOrder, DepthBias, DepthBiasUnit, SampleLocations, ShadingRatePalette, StateChange,
    StencilFace, VertexAttribute, VertexBinding, VertexInput, sample_count,
};
use pyro_driver::image::ImageView;
use pyro_driver::limits::VIEWPORTS_MAX;
use vulkanalia_sys::{self as vk, Handle};

/// Records a change of state.
fn set(command: CommandId, buffer: vk::CommandBuffer, change: StateChange) {
    record(command, buffer, |buffer| buffer.push(RenderCommand::SetState(Box::new(change))));
}

/// Commands that set one value.
macro_rules! setters {
    ($($name:ident($value:ident: $ty:ty) => $change:expr;)*) => {
        $(pub(crate) unsafe extern "system" fn $name(buffer: vk::CommandBuffer, $value: $ty) {
            set(CommandId::$name, buffer, $change);
        })*
    };
}

setters! {
    cmd_set_line_width(width: f32) => StateChange::LineWidth(width);
    cmd_set_cull_mode(mode: vk::CullModeFlags) => StateChange::CullMode(mode);
    cmd_set_front_face(face: vk::FrontFace) => StateChange::FrontFace(face);
    cmd_set_primitive_topology(topology: vk::PrimitiveTopology) => StateChange::Topology(topology);
    cmd_set_patch_control_points_ext(count: u32) => StateChange::PatchControlPoints(count);
    cmd_set_tessellation_domain_origin_ext(origin: vk::TessellationDomainOrigin)
        => StateChange::TessellationLowerLeft(origin == vk::TessellationDomainOrigin::LOWER_LEFT);
    cmd_set_depth_test_enable(on: vk::Bool32) => StateChange::DepthTest(on != 0);
    cmd_set_depth_write_enable(on: vk::Bool32) => StateChange::DepthWrite(on != 0);
    cmd_set_depth_compare_op(op: vk::CompareOp) => StateChange::DepthCompare(op);
    cmd_set_depth_bounds_test_enable(on: vk::Bool32) => StateChange::DepthBoundsTest(on != 0);
    cmd_set_stencil_test_enable(on: vk::Bool32) => StateChange::StencilTest(on != 0);
    cmd_set_viewport_w_scaling_enable_nv(on: vk::Bool32) => StateChange::WScalingEnable(on != 0);
    cmd_set_rasterizer_discard_enable(on: vk::Bool32) => StateChange::RasterizerDiscard(on != 0);
    cmd_set_depth_bias_enable(on: vk::Bool32) => StateChange::DepthBiasEnable(on != 0);
    cmd_set_primitive_restart_enable(on: vk::Bool32) => StateChange::PrimitiveRestart(on != 0);
    cmd_set_logic_op_ext(op: vk::LogicOp) => StateChange::LogicOp(op);
    cmd_set_logic_op_enable_ext(on: vk::Bool32) => StateChange::LogicOpEnable(on != 0);
    cmd_set_depth_clamp_enable_ext(on: vk::Bool32) => StateChange::DepthClamp(on != 0);
    cmd_set_depth_clip_enable_ext(on: vk::Bool32) => StateChange::DepthClip(on != 0);
    cmd_set_depth_clip_negative_one_to_one_ext(on: vk::Bool32) => StateChange::NegativeOneToOne(on != 0);
    cmd_set_polygon_mode_ext(mode: vk::PolygonMode) => StateChange::PolygonMode(mode);
    cmd_set_rasterization_samples_ext(samples: vk::SampleCountFlags) => StateChange::Samples(sample_count(samples));
    cmd_set_alpha_to_coverage_enable_ext(on: vk::Bool32) => StateChange::AlphaToCoverage(on != 0);
    cmd_set_alpha_to_one_enable_ext(on: vk::Bool32) => StateChange::AlphaToOne(on != 0);
    cmd_set_provoking_vertex_mode_ext(mode: vk::ProvokingVertexModeEXT)
        => StateChange::ProvokingLast(mode == vk::ProvokingVertexModeEXT::LAST_VERTEX);
    cmd_set_rasterization_stream_ext(stream: u32) => StateChange::RasterStream(stream);
    cmd_set_conservative_rasterization_mode_ext(mode: vk::ConservativeRasterizationModeEXT)
        => StateChange::Conservative(mode);
    cmd_set_line_rasterization_mode_ext(mode: vk::LineRasterizationMode) => StateChange::LineMode(mode);
    cmd_set_line_stipple_enable_ext(on: vk::Bool32) => StateChange::LineStippleEnable(on != 0);
    cmd_set_discard_rectangle_enable_ext(on: vk::Bool32) => StateChange::DiscardRectangleEnable(on != 0);
    cmd_set_discard_rectangle_mode_ext(mode: vk::DiscardRectangleModeEXT) => StateChange::DiscardRectangleMode(mode);
    cmd_set_coverage_to_color_enable_nv(on: vk::Bool32) => StateChange::CoverageToColorEnable(on != 0);
    cmd_set_coverage_to_color_location_nv(location: u32) => StateChange::CoverageToColorLocation(location);
    cmd_set_shading_rate_image_enable_nv(on: vk::Bool32) => StateChange::ShadingRateImageEnable(on != 0);
    cmd_set_coverage_reduction_mode_nv(mode: vk::CoverageReductionModeNV) => StateChange::CoverageReduction(mode);
    cmd_set_coverage_modulation_mode_nv(mode: vk::CoverageModulationModeNV) => StateChange::CoverageModulation(mode);
    cmd_set_coverage_modulation_table_enable_nv(on: vk::Bool32)
        => StateChange::CoverageModulationTableEnable(on != 0);
    cmd_set_sample_locations_enable_ext(on: vk::Bool32) => StateChange::SampleLocationsEnable(on != 0);
}

/// The palettes of viewports.
pub(crate) fn palettes(palettes: Slice<'_, vk::ShadingRatePaletteNV>) -> Vec<ShadingRatePalette> {
    let palettes = palettes.first_values(VIEWPORTS_MAX).into_iter();
    palettes.map(|palette| ShadingRatePalette::new(palette.shading_rate_palette_entries().get())).collect()
}

pub(crate) fn cmd_set_viewport_shading_rate_palette_nv(
    buffer: vk::CommandBuffer,
    first: u32,
    list: Slice<'_, vk::ShadingRatePaletteNV>,
) {
    set(
        CommandId::cmd_set_viewport_shading_rate_palette_nv,
        buffer,
        StateChange::ShadingRatePalettes(first, palettes(list).into()),
    );
}

/// An order of the samples of fragments of several pixels.
pub(crate) fn coarse_sample_order(
    kind: vk::CoarseSampleOrderTypeNV,
    custom: Slice<'_, vk::CoarseSampleOrderCustomNV>,
) -> CoarseSampleOrder {
    let one = |order: In<'_, vk::CoarseSampleOrderCustomNV>| {
        use vk::ShadingRatePaletteEntryNV as Entry;
        let rate = match order.shading_rate {
            Entry::_1_INVOCATION_PER_2X1_PIXELS => Rate::from_size(2, 1),
            Entry::_1_INVOCATION_PER_1X2_PIXELS => Rate::from_size(1, 2),
            Entry::_1_INVOCATION_PER_2X2_PIXELS => Rate::from_size(2, 2),
            Entry::_1_INVOCATION_PER_4X2_PIXELS => Rate::from_size(4, 2),
            Entry::_1_INVOCATION_PER_2X4_PIXELS => Rate::from_size(2, 4),
            Entry::_1_INVOCATION_PER_4X4_PIXELS => Rate::from_size(4, 4),
            _ => return None,
        };
        let locations = order.sample_locations().first_values(COVERAGE_SAMPLES_MAX as usize);
        let locations = locations.get().iter().map(|one| [one.pixel_x, one.pixel_y, one.sample]).collect();
        Some(CustomSampleOrder { rate, samples: order.sample_count, locations })
    };
    // Others than custom orders have none.
    let custom = if kind == vk::CoarseSampleOrderTypeNV::CUSTOM { custom } else { Slice::empty() };
    CoarseSampleOrder { kind, custom: custom.into_iter().filter_map(one).collect() }
}

pub(crate) fn cmd_set_coarse_sample_order_nv(
    buffer: vk::CommandBuffer,
    kind: vk::CoarseSampleOrderTypeNV,
    custom: Slice<'_, vk::CoarseSampleOrderCustomNV>,
) {
    set(
        CommandId::cmd_set_coarse_sample_order_nv,
        buffer,
        StateChange::CoarseSampleOrder(Box::new(coarse_sample_order(kind, custom))),
    );
}

pub(crate) fn cmd_bind_shading_rate_image_nv(
    buffer: vk::CommandBuffer,
    view: vk::ImageView,
    _layout: vk::ImageLayout,
) {
    record(CommandId::cmd_bind_shading_rate_image_nv, buffer, |buffer| {
        let view = match view.is_null() {
            true => None,
            false => {
                let view = handle::get::<ImageView>(view.as_raw())?;
                if view.format().block_bytes() != 1 {
                    return Err(Error::misuse(
                        "a shading rate image of another format than R8_UINT \
                         (VUID-vkCmdBindShadingRateImageNV-imageView-02060)",
                    ));
                }
                Some(view)
            }
        };
        buffer.push(RenderCommand::ShadingRateImage(view))
    });
}

pub(crate) fn cmd_set_coverage_modulation_table_nv(buffer: vk::CommandBuffer, table: Slice<'_, f32>) {
    let table = CoverageModulationTable::new(table.get());
    set(
        CommandId::cmd_set_coverage_modulation_table_nv,
        buffer,
        StateChange::CoverageModulationTable(Box::new(table)),
    );
}

#[inline] // into its stub, which is in another module
pub(crate) fn cmd_set_viewport(buffer: vk::CommandBuffer, first: u32, viewports: Slice<'_, vk::Viewport>) {
    set(CommandId::cmd_set_viewport, buffer, StateChange::Viewports(first, viewports.get().into()));
}

/// There is no extra size but none (`maxExtraPrimitiveOverestimationSize`).
pub(crate) fn cmd_set_extra_primitive_overestimation_size_ext(_buffer: vk::CommandBuffer, _size: f32) {}

pub(crate) fn cmd_set_viewport_with_count(buffer: vk::CommandBuffer, viewports: Slice<'_, vk::Viewport>) {
    set(
        CommandId::cmd_set_viewport_with_count,
        buffer,
        StateChange::AllViewports(viewports.first_values(VIEWPORTS_MAX).get().into()),
    );
}

#[inline] // into its stub, which is in another module
pub(crate) fn cmd_set_scissor(buffer: vk::CommandBuffer, first: u32, scissors: Slice<'_, vk::Rect2D>) {
    set(CommandId::cmd_set_scissor, buffer, StateChange::Scissors(first, scissors.get().into()));
}

pub(crate) fn cmd_set_scissor_with_count(buffer: vk::CommandBuffer, scissors: Slice<'_, vk::Rect2D>) {
    set(
        CommandId::cmd_set_scissor_with_count,
        buffer,
        StateChange::AllScissors(scissors.first_values(VIEWPORTS_MAX).get().into()),
    );
}

pub(crate) fn cmd_set_depth_bias(buffer: vk::CommandBuffer, constant: f32, clamp: f32, slope: f32) {
    let unit = DepthBiasUnit::default();
    set(
        CommandId::cmd_set_depth_bias,
        buffer,
        StateChange::DepthBias(DepthBias { constant, clamp, slope, unit }),
    );
}

/// The depth bias representation in a chain.
pub(crate) fn depth_bias_unit(chain: Chain) -> DepthBiasUnit {
    let info = chain.find::<vk::DepthBiasRepresentationInfoEXT>();
    info.map_or(DepthBiasUnit::default(), |info| DepthBiasUnit {
        representation: info.depth_bias_representation,
        exact: info.depth_bias_exact != 0,
    })
}

pub(crate) fn cmd_set_depth_bias2_ext(buffer: vk::CommandBuffer, info: In<'_, vk::DepthBiasInfoEXT>) {
    let bias = DepthBias {
        constant: info.depth_bias_constant_factor,
        clamp: info.depth_bias_clamp,
        slope: info.depth_bias_slope_factor,
        unit: depth_bias_unit(info.chain()),
    };
    set(CommandId::cmd_set_depth_bias2_ext, buffer, StateChange::DepthBias(bias));
}

/// The range that depths are clamped to; none: the viewport's.
pub(crate) fn clamp_range(
    mode: vk::DepthClampModeEXT,
    range: Option<In<'_, vk::DepthClampRangeEXT>>,
) -> Option<[f32; 2]> {
    let range = range.filter(|_| mode == vk::DepthClampModeEXT::USER_DEFINED_RANGE);
    range.map(|range| [range.min_depth_clamp, range.max_depth_clamp])
}

pub(crate) fn cmd_set_depth_clamp_range_ext(
    buffer: vk::CommandBuffer,
    mode: vk::DepthClampModeEXT,
    range: Option<In<'_, vk::DepthClampRangeEXT>>,
) {
    set(
        CommandId::cmd_set_depth_clamp_range_ext,
        buffer,
        StateChange::DepthClampRange(clamp_range(mode, range)),
    );
}

/// Attachments are plain memory, so feedback loops need no preparation.
pub(crate) fn cmd_set_attachment_feedback_loop_enable_ext(
    _buffer: vk::CommandBuffer,
    _aspects: vk::ImageAspectFlags,
) {
}

/// The fragment output locations of colour attachments.
pub(crate) fn attachment_locations(
    info: Option<In<'_, vk::RenderingAttachmentLocationInfo>>,
) -> AttachmentLocations {
    // SAFETY: it is null or has a location for each attachment (`VkRenderingAttachmentLocationInfo`).
    let locations = info.map_or(Slice::empty(), |info| unsafe { info.color_attachment_locations() });
    let used = |&location: &u32| (location != vk::ATTACHMENT_UNUSED).then_some(location);
    AttachmentLocations(locations.iter().map(used).collect())
}

/// Pipelines drawn with have the same locations (VUID-vkCmdDraw-None-09548); shader objects have these.
pub(crate) fn cmd_set_rendering_attachment_locations(
    buffer: vk::CommandBuffer,
    info: In<'_, vk::RenderingAttachmentLocationInfo>,
) {
    let locations = attachment_locations(Some(info));
    set(
        CommandId::cmd_set_rendering_attachment_locations,
        buffer,
        StateChange::AttachmentLocations(Box::new(locations)),
    );
}

pub(crate) fn cmd_set_discard_rectangle_ext(
    buffer: vk::CommandBuffer,
    first: u32,
    rectangles: Slice<'_, vk::Rect2D>,
) {
    set(
        CommandId::cmd_set_discard_rectangle_ext,
        buffer,
        StateChange::DiscardRectangles(first, rectangles.get().into()),
    );
}

pub(crate) fn cmd_set_exclusive_scissor_nv(
    buffer: vk::CommandBuffer,
    first: u32,
    scissors: Slice<'_, vk::Rect2D>,
) {
    set(
        CommandId::cmd_set_exclusive_scissor_nv,
        buffer,
        StateChange::ExclusiveScissors(first, scissors.get().into()),
    );
}

pub(crate) fn cmd_set_exclusive_scissor_enable_nv(
    buffer: vk::CommandBuffer,
    first: u32,
    enables: Slice<'_, vk::Bool32>,
) {
    let enables = enables.iter().map(|&on| on != 0);
    set(
        CommandId::cmd_set_exclusive_scissor_enable_nv,
        buffer,
        StateChange::ExclusiveScissorEnable(first, enables.collect()),
    );
}

pub(crate) fn cmd_set_viewport_w_scaling_nv(
    buffer: vk::CommandBuffer,
    first: u32,
    scalings: Slice<'_, vk::ViewportWScalingNV>,
) {
    set(
        CommandId::cmd_set_viewport_w_scaling_nv,
        buffer,
        StateChange::WScalings(first, scalings.get().into()),
    );
}

/// How two rates are combined; an unknown operation keeps the first.
pub(crate) fn combiner(op: vk::FragmentShadingRateCombinerOpKHR) -> Combiner {
    match op {
        vk::FragmentShadingRateCombinerOpKHR::REPLACE => Combiner::Replace,
        vk::FragmentShadingRateCombinerOpKHR::MIN => Combiner::Min,
        vk::FragmentShadingRateCombinerOpKHR::MAX => Combiner::Max,
        vk::FragmentShadingRateCombinerOpKHR::MUL => Combiner::Mul,
        _ => Combiner::Keep,
    }
}

pub(crate) fn cmd_set_fragment_shading_rate_khr(
    buffer: vk::CommandBuffer,
    size: In<'_, vk::Extent2D>,
    combiners: In<'_, [vk::FragmentShadingRateCombinerOpKHR; 2]>,
) {
    let size = Rate::from_size(size.width, size.height);
    let combiners = combiners.map(combiner);
    set(
        CommandId::cmd_set_fragment_shading_rate_khr,
        buffer,
        StateChange::FragmentShadingRate(size, combiners),
    );
}

pub(crate) fn cmd_set_fragment_shading_rate_enum_nv(
    buffer: vk::CommandBuffer,
    rate: vk::FragmentShadingRateNV,
    combiners: In<'_, [vk::FragmentShadingRateCombinerOpKHR; 2]>,
) {
    set(
        CommandId::cmd_set_fragment_shading_rate_enum_nv,
        buffer,
        StateChange::FragmentShadingRate(rate_of_enum(rate), combiners.map(combiner)),
    );
}

/// The size of fragments by its number, which is that of shaders (`PrimitiveShadingRateKHR`). Numbers beyond
/// the sizes are those of features that there are not.
pub(super) fn rate_of_enum(rate: vk::FragmentShadingRateNV) -> Rate {
    match rate.as_raw() {
        bits @ 0..=10 => Rate::from_bits(bits as u32),
        _ => Rate::PIXEL,
    }
}

pub(crate) fn cmd_set_viewport_swizzle_nv(
    buffer: vk::CommandBuffer,
    first: u32,
    swizzles: Slice<'_, vk::ViewportSwizzleNV>,
) {
    set(
        CommandId::cmd_set_viewport_swizzle_nv,
        buffer,
        StateChange::ViewportSwizzles(first, swizzles.get().into()),
    );
}

/// All fragments of a primitive represent it.
pub(crate) fn cmd_set_representative_fragment_test_enable_nv(_buffer: vk::CommandBuffer, _on: vk::Bool32) {}

/// What `VkSampleLocationsInfoEXT` says.
pub(crate) fn sample_locations(info: In<'_, vk::SampleLocationsInfoEXT>) -> SampleLocations {
    if info.sample_locations.is_null() {
        return SampleLocations::default();
    }
    SampleLocations::new(&info.sample_locations())
}

pub(crate) fn cmd_set_sample_locations_ext(
    buffer: vk::CommandBuffer,
    info: In<'_, vk::SampleLocationsInfoEXT>,
) {
    set(
        CommandId::cmd_set_sample_locations_ext,
        buffer,
        StateChange::SampleLocations(Box::new(sample_locations(info))),
    );
}

/// Input attachments are read through their descriptors, which name the views.
pub(crate) fn cmd_set_rendering_input_attachment_indices(
    _buffer: vk::CommandBuffer,
    _info: In<'_, vk::RenderingInputAttachmentIndexInfo>,
) {
}

pub(crate) fn cmd_set_blend_constants(buffer: vk::CommandBuffer, constants: In<'_, [f32; 4]>) {
    set(CommandId::cmd_set_blend_constants, buffer, StateChange::BlendConstants(*constants));
}

pub(crate) fn cmd_set_depth_bounds(buffer: vk::CommandBuffer, min: f32, max: f32) {
    set(CommandId::cmd_set_depth_bounds, buffer, StateChange::DepthBounds([min, max]));
}

pub(crate) fn cmd_set_stencil_compare_mask(
    buffer: vk::CommandBuffer,
    faces: vk::StencilFaceFlags,
    mask: u32,
) {
    set(CommandId::cmd_set_stencil_compare_mask, buffer, StateChange::StencilCompareMask(faces, mask));
}

pub(crate) fn cmd_set_stencil_write_mask(buffer: vk::CommandBuffer, faces: vk::StencilFaceFlags, mask: u32) {
    set(CommandId::cmd_set_stencil_write_mask, buffer, StateChange::StencilWriteMask(faces, mask));
}

pub(crate) fn cmd_set_stencil_reference(
    buffer: vk::CommandBuffer,
    faces: vk::StencilFaceFlags,
    reference: u32,
) {
    set(CommandId::cmd_set_stencil_reference, buffer, StateChange::StencilReference(faces, reference));
}

pub(crate) fn cmd_set_stencil_op(
    buffer: vk::CommandBuffer,
    faces: vk::StencilFaceFlags,
    fail_op: vk::StencilOp,
    pass_op: vk::StencilOp,
    depth_fail_op: vk::StencilOp,
    compare_op: vk::CompareOp,
) {
    let face = StencilFace { fail_op, pass_op, depth_fail_op, compare_op, ..StencilFace::default() };
    set(CommandId::cmd_set_stencil_op, buffer, StateChange::StencilOp(faces, face));
}

pub(crate) fn cmd_set_line_stipple(buffer: vk::CommandBuffer, factor: u32, pattern: u16) {
    set(CommandId::cmd_set_line_stipple, buffer, StateChange::LineStipple(factor, pattern));
}

pub(crate) fn cmd_set_sample_mask_ext(
    buffer: vk::CommandBuffer,
    samples: vk::SampleCountFlags,
    mask: *const vk::SampleMask,
) {
    // SAFETY: it has a word for each 32 samples (VUID-vkCmdSetSampleMaskEXT-pSampleMask-parameter).
    let words = unsafe { pointers::array(mask, sample_count(samples).div_ceil(32)) }.get();
    let word = |index: usize| words.get(index).copied().unwrap_or(u32::MAX);
    set(CommandId::cmd_set_sample_mask_ext, buffer, StateChange::SampleMask([word(0), word(1)]));
}

pub(crate) fn cmd_set_color_write_enable_ext(buffer: vk::CommandBuffer, enables: Slice<'_, vk::Bool32>) {
    let enables = enables.get();
    set(
        CommandId::cmd_set_color_write_enable_ext,
        buffer,
        StateChange::ColorWrite(enables.iter().map(|&on| on != 0).collect()),
    );
}

pub(crate) fn cmd_set_color_blend_enable_ext(
    buffer: vk::CommandBuffer,
    first: u32,
    enables: Slice<'_, vk::Bool32>,
) {
    let enables = enables.get();
    set(
        CommandId::cmd_set_color_blend_enable_ext,
        buffer,
        StateChange::BlendEnable(first, enables.iter().map(|&on| on != 0).collect()),
    );
}

pub(crate) fn cmd_set_color_blend_equation_ext(
    buffer: vk::CommandBuffer,
    first: u32,
    equations: Slice<'_, vk::ColorBlendEquationEXT>,
) {
    let equations = equations.iter().map(|equation| ColorBlend {
        source_color: equation.src_color_blend_factor,
        target_color: equation.dst_color_blend_factor,
        color_op: equation.color_blend_op,
        source_alpha: equation.src_alpha_blend_factor,
        target_alpha: equation.dst_alpha_blend_factor,
        alpha_op: equation.alpha_blend_op,
        ..ColorBlend::default()
    });
    set(
        CommandId::cmd_set_color_blend_equation_ext,
        buffer,
        StateChange::BlendEquation(first, equations.collect()),
    );
}

pub(crate) fn cmd_set_color_blend_advanced_ext(
    buffer: vk::CommandBuffer,
    first: u32,
    list: Slice<'_, vk::ColorBlendAdvancedEXT>,
) {
    let list = list.iter().map(|one| ColorBlend {
        color_op: one.advanced_blend_op,
        alpha_op: one.advanced_blend_op,
        advanced: AdvancedBlend {
            source_premultiplied: one.src_premultiplied != 0,
            target_premultiplied: one.dst_premultiplied != 0,
            overlap: one.blend_overlap,
        },
        ..ColorBlend::default()
    });
    set(
        CommandId::cmd_set_color_blend_advanced_ext,
        buffer,
        StateChange::BlendEquation(first, list.collect()),
    );
}

pub(crate) fn cmd_set_color_write_mask_ext(
    buffer: vk::CommandBuffer,
    first: u32,
    masks: Slice<'_, vk::ColorComponentFlags>,
) {
    set(CommandId::cmd_set_color_write_mask_ext, buffer, StateChange::WriteMask(first, masks.get().into()));
}

pub(crate) fn cmd_set_vertex_input_ext(
    buffer: vk::CommandBuffer,
    bindings: Slice<'_, vk::VertexInputBindingDescription2EXT>,
    attributes: Slice<'_, vk::VertexInputAttributeDescription2EXT>,
) {
    let bindings = bindings.into_iter().map(|binding| VertexBinding {
        binding: binding.binding,
        stride: binding.stride,
        per_instance: binding.input_rate == vk::VertexInputRate::INSTANCE,
        divisor: binding.divisor,
    });
    let attributes = attributes.into_iter().map(|attribute| VertexAttribute {
        location: attribute.location,
        binding: attribute.binding,
        format: attribute.format,
        offset: attribute.offset,
    });
    let input = VertexInput { bindings: bindings.collect(), attributes: attributes.collect() };
    set(CommandId::cmd_set_vertex_input_ext, buffer, StateChange::VertexInput(Box::new(input)));
}
