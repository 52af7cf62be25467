//! Rules on execution modes.

use crate::context::{Verdict, ensure};
use crate::vulkan::entry_point::{Rule, Stage};
use pyro_spirv::spirv::{Capability, ExecutionMode as Mode, ExecutionModel as Model};

/// Rules on one entry point.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("VUID-StandaloneSpirv-TileShadingQCOM-10686", tile_shading_stage),
    ("VUID-StandaloneSpirv-Execution-10687", |s| {
        only_in(s, Mode::NonCoherentTileAttachmentReadQCOM, Model::Fragment)
    }),
    ("VUID-StandaloneSpirv-Execution-10688", |s| only_in(s, Mode::TileShadingRateQCOM, Model::GLCompute)),
    ("VUID-StandaloneSpirv-NonCoherentTileAttachmentReadQCOM-10690", |s| {
        tile_capability(s, Mode::NonCoherentTileAttachmentReadQCOM)
    }),
    ("VUID-StandaloneSpirv-TileShadingRateQCOM-10691", |s| tile_capability(s, Mode::TileShadingRateQCOM)),
    ("VUID-StandaloneSpirv-TileShadingRateQCOM-10692", tile_rate_alone),
    ("VUID-StandaloneSpirv-DerivativeGroupQuadsNV-04684", quads_nv),
    ("VUID-StandaloneSpirv-DerivativeGroupLinearNV-04778", linear_nv),
];

fn tile_shading_stage(stage: &Stage<'_, '_, '_>) -> Verdict {
    let is_used = stage.cx.has_capability(Capability::TileShadingQCOM);
    let is_allowed = matches!(stage.model(), Model::GLCompute | Model::Fragment);
    ensure!(!is_used || is_allowed, "TileShadingQCOM is declared in a {:?} shader's module", stage.model());
    Ok(())
}

fn only_in(stage: &Stage<'_, '_, '_>, mode: Mode, model: Model) -> Verdict {
    ensure!(!stage.has_mode(mode) || stage.model() == model, "{mode:?} is for {model:?} shaders");
    Ok(())
}

fn tile_capability(stage: &Stage<'_, '_, '_>, mode: Mode) -> Verdict {
    let is_declared = stage.cx.has_capability(Capability::TileShadingQCOM);
    ensure!(!stage.has_mode(mode) || is_declared, "{mode:?} needs TileShadingQCOM");
    Ok(())
}

fn tile_rate_alone(stage: &Stage<'_, '_, '_>) -> Verdict {
    let has_size = stage.has_mode(Mode::LocalSize) || stage.has_mode(Mode::LocalSizeId);
    ensure!(
        !stage.has_mode(Mode::TileShadingRateQCOM) || !has_size,
        "TileShadingRateQCOM stands beside LocalSize or LocalSizeId"
    );
    Ok(())
}

// The modes of the older extension have the numbers of the newer one.
fn quads_nv(stage: &Stage<'_, '_, '_>) -> Verdict {
    let Some([x, y, _]) = stage.interface.workgroup_size else { return Ok(()) };
    let is_quads = stage.has_mode(Mode::DerivativeGroupQuadsKHR) && is_nv(stage);
    let is_even = x.is_multiple_of(2) && y.is_multiple_of(2);
    ensure!(!is_quads || is_even, "a workgroup of {x} by {y} invocations is not a whole number of quads");
    Ok(())
}

fn linear_nv(stage: &Stage<'_, '_, '_>) -> Verdict {
    let Some(size) = stage.interface.workgroup_size else { return Ok(()) };
    let count = size.iter().map(|&size| u64::from(size)).fold(1, u64::saturating_mul);
    let is_linear = stage.has_mode(Mode::DerivativeGroupLinearKHR) && is_nv(stage);
    ensure!(!is_linear || count.is_multiple_of(4), "{count} invocations are not a multiple of four");
    Ok(())
}

fn is_nv(stage: &Stage<'_, '_, '_>) -> bool {
    stage.cx.module.has_extension("SPV_NV_compute_shader_derivatives")
}
