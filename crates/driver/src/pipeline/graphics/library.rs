//! Graphics pipeline libraries: parts of a pipeline, and what linking makes of them
//! (`VK_EXT_graphics_pipeline_library`; specification, "Graphics Pipelines").
//!
//! A library holds the stages and the state of its parts as they are; code depends on several parts at once,
//! so it is made when they are linked.

use super::key::TargetFormats;
use super::pipeline::GraphicsPipelineInfo;
use super::state::{AttachmentLocations, DynamicStates, GraphicsState};
use crate::error::{Error, Result};
use crate::pipeline::binary;
use crate::pipeline::cache::{self, PipelineCache};
use crate::pipeline::layout::PipelineLayout;
use crate::pipeline::stage::{ShaderStage, backend_of, find_words, keep_words};
use pyro_abi::ShaderOptions;
use std::sync::Arc;
use vulkanalia_sys as vk;

/// The parts of a graphics pipeline.
pub type Parts = vk::GraphicsPipelineLibraryFlagsEXT;

/// Some parts of a graphics pipeline.
#[derive(Clone)]
pub struct GraphicsLibrary {
    /// Which parts.
    pub parts: Parts,
    /// Flags.
    pub flags: vk::PipelineCreateFlags,
    /// The shaders.
    pub stages: Vec<ShaderStage>,
    /// The state of the parts, as far as it is not dynamic.
    pub state: GraphicsState,
    /// What is dynamic of the parts' state.
    pub dynamic: DynamicStates,
    /// Where resources lie, if it is known yet.
    pub layout: Option<Arc<PipelineLayout>>,
    /// What is drawn to.
    pub formats: TargetFormats,
    /// Which output goes to which colour attachment.
    pub locations: AttachmentLocations,
    /// The part of the fragment shader says how it is run for samples.
    pub has_sample_shading: bool,
    /// It is made to be a node of execution graphs (`VK_PIPELINE_CREATE_2_EXECUTION_GRAPH_BIT_AMDX`), of this
    /// name and index, as far as they are not what the shader says.
    pub node: Option<(Option<String>, Option<u32>)>,
}

/// The parts that look at a dynamic state.
pub fn parts_of(state: vk::DynamicState) -> Parts {
    use vk::DynamicState as D;
    match state {
        D::VERTEX_INPUT_EXT
        | D::VERTEX_INPUT_BINDING_STRIDE
        | D::PRIMITIVE_TOPOLOGY
        | D::PRIMITIVE_RESTART_ENABLE => Parts::VERTEX_INPUT_INTERFACE,
        D::DEPTH_BOUNDS
        | D::DEPTH_BOUNDS_TEST_ENABLE
        | D::DEPTH_TEST_ENABLE
        | D::DEPTH_WRITE_ENABLE
        | D::DEPTH_COMPARE_OP
        | D::STENCIL_COMPARE_MASK
        | D::STENCIL_OP
        | D::STENCIL_REFERENCE
        | D::STENCIL_TEST_ENABLE
        | D::STENCIL_WRITE_MASK => Parts::FRAGMENT_SHADER,
        D::BLEND_CONSTANTS
        | D::LOGIC_OP_EXT
        | D::LOGIC_OP_ENABLE_EXT
        | D::COLOR_BLEND_ENABLE_EXT
        | D::COLOR_BLEND_EQUATION_EXT
        | D::COLOR_BLEND_ADVANCED_EXT
        | D::COLOR_WRITE_MASK_EXT
        | D::COLOR_WRITE_ENABLE_EXT
        | D::ALPHA_TO_ONE_ENABLE_EXT
        | D::ATTACHMENT_FEEDBACK_LOOP_ENABLE_EXT => Parts::FRAGMENT_OUTPUT_INTERFACE,
        D::RASTERIZATION_SAMPLES_EXT
        | D::SAMPLE_MASK_EXT
        | D::SAMPLE_LOCATIONS_EXT
        | D::SAMPLE_LOCATIONS_ENABLE_EXT
        | D::COVERAGE_TO_COLOR_ENABLE_NV
        | D::COVERAGE_TO_COLOR_LOCATION_NV
        | D::COVERAGE_REDUCTION_MODE_NV
        | D::COVERAGE_MODULATION_MODE_NV
        | D::COVERAGE_MODULATION_TABLE_ENABLE_NV
        | D::COVERAGE_MODULATION_TABLE_NV
        | D::ALPHA_TO_COVERAGE_ENABLE_EXT => Parts::FRAGMENT_SHADER.union(Parts::FRAGMENT_OUTPUT_INTERFACE),
        _ => Parts::PRE_RASTERIZATION_SHADERS,
    }
}

impl GraphicsLibrary {
    /// No part yet.
    pub fn empty() -> GraphicsLibrary {
        GraphicsLibrary {
            parts: Parts::empty(),
            flags: vk::PipelineCreateFlags::empty(),
            stages: Vec::new(),
            state: GraphicsState::default(),
            dynamic: DynamicStates::default(),
            layout: None,
            formats: TargetFormats::default(),
            locations: AttachmentLocations::default(),
            has_sample_shading: false,
            node: None,
        }
    }

    /// Takes the parts of another.
    ///
    /// # Errors
    /// When a part comes twice.
    pub fn link(&mut self, other: &GraphicsLibrary) -> Result<()> {
        if self.parts.intersects(other.parts) {
            return Err(Error::misuse(
                "a part of a graphics pipeline twice (VUID-VkGraphicsPipelineCreateInfo-pLibraries-06611)",
            ));
        }
        let (from, to) = (&other.state, &mut self.state);
        /// Copies fields.
        macro_rules! take {
            ($($field:ident)+) => { $(to.$field.clone_from(&from.$field);)+ };
        }
        if other.parts.contains(Parts::VERTEX_INPUT_INTERFACE) {
            take!(vertex_input strides topology primitive_restart);
        }
        if other.parts.contains(Parts::PRE_RASTERIZATION_SHADERS) {
            take!(viewports scissors negative_one_to_one rasterizer_discard depth_clamp depth_clamp_range);
            take!(depth_unrestricted conservative patch_control_points tessellation_lower_left);
            take!(depth_clip polygon_mode cull_mode front_face depth_bias_enable depth_bias line_width);
            take!(line_mode line_stipple_enable line_stipple provoking_last raster_stream);
            take!(discard_rectangle_enable discard_rectangle_inclusive discard_rectangle_count);
            take!(shading_rate_image_enable shading_rate_palettes coarse_sample_order);
            take!(fragment_size rate_combiners w_scaling_enable w_scalings);
            take!(discard_rectangles exclusive_scissors exclusive_scissor_enable viewport_swizzles);
            self.formats.view_mask = other.formats.view_mask;
        }
        if other.parts.contains(Parts::FRAGMENT_SHADER) {
            take!(depth_test depth_write depth_compare depth_bounds_test depth_bounds stencil_test stencil);
        }
        if other.has_sample_shading
            || (other.parts.contains(Parts::FRAGMENT_OUTPUT_INTERFACE) && !self.has_sample_shading)
        {
            take!(sample_shading min_sample_shading);
        }
        if other.parts.contains(Parts::FRAGMENT_OUTPUT_INTERFACE) {
            take!(samples sample_mask alpha_to_coverage alpha_to_one logic_op_enable logic_op);
            take!(blend color_write blend_constants sample_locations_enable sample_locations);
            take!(coverage_to_color_enable coverage_to_color_location coverage_reduction truncates_coverage);
            take!(coverage_modulation coverage_modulation_table_enable coverage_modulation_table);
            self.formats = TargetFormats { view_mask: other.formats.view_mask, ..other.formats.clone() };
            self.locations = other.locations.clone();
        }
        self.has_sample_shading |= other.has_sample_shading;
        self.stages.extend(other.stages.iter().cloned());
        self.dynamic.extend(&other.dynamic);
        self.layout = match (self.layout.take(), &other.layout) {
            (Some(own), Some(theirs)) => Some(own.union(theirs)?),
            (own, theirs) => own.or_else(|| theirs.clone()),
        };
        if let Some(node) =
            other.node.clone().filter(|_| other.parts.contains(Parts::PRE_RASTERIZATION_SHADERS))
        {
            self.node = Some(node);
        }
        self.parts |= other.parts;
        Ok(())
    }

    /// Finds and keeps the words of its shaders in the caches.
    ///
    /// # Errors
    /// `VK_PIPELINE_COMPILE_REQUIRED` when only the identifier of one is known, and no cache has its words.
    pub fn resolve(&mut self, cache: Option<&PipelineCache>) -> Result<()> {
        let session = cache::session(cache, backend_of(&self.stages));
        find_words(&mut self.stages, &session)?;
        keep_words(&self.stages, &session);
        Ok(())
    }

    /// The key of pipelines made from these parts (`vkGetPipelineKeyKHR`).
    pub fn key(&self) -> [u8; 16] {
        let layout = self.layout.as_ref().map(|layout| layout.abi(&ShaderOptions::default()));
        let rest = (
            (self.parts, layout, &self.state, &self.dynamic),
            (&self.formats, &self.locations, self.has_sample_shading),
        );
        binary::pipeline_key(&self.stages, rest)
    }

    /// All of a pipeline.
    ///
    /// # Errors
    /// When there is no layout.
    pub fn complete(self) -> Result<GraphicsPipelineInfo> {
        let layout = self.layout.ok_or_else(|| {
            Error::misuse("a pipeline without a layout (VUID-VkGraphicsPipelineCreateInfo-layout-06602)")
        })?;
        Ok(GraphicsPipelineInfo {
            flags: self.flags,
            stages: self.stages,
            state: self.state,
            dynamic: self.dynamic,
            layout,
            formats: self.formats,
            locations: self.locations,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn library_parts_contribute_their_state_subsets() {
        let state = |width, depth_test, samples| GraphicsState {
            line_width: width,
            depth_test,
            samples,
            ..GraphicsState::default()
        };
        let library = |parts, state| GraphicsLibrary { parts, state, ..GraphicsLibrary::empty() };
        let mut linked = GraphicsLibrary::empty();
        linked.link(&library(Parts::FRAGMENT_SHADER, state(9.0, true, 2))).unwrap();
        linked.link(&library(Parts::FRAGMENT_OUTPUT_INTERFACE, state(8.0, false, 4))).unwrap();
        linked.link(&library(Parts::PRE_RASTERIZATION_SHADERS, state(3.0, false, 8))).unwrap();
        assert_eq!((linked.state.line_width, linked.state.depth_test, linked.state.samples), (3.0, true, 4));
        let twice = linked.link(&library(Parts::FRAGMENT_SHADER, state(1.0, true, 1)));
        assert!(twice.is_err());
        assert!(linked.complete().is_err());
    }
}
