//! Rules on execution modes.

use crate::context::{Verdict, ensure};
use crate::vulkan::entry_point::{Rule, Stage};
use pyro_spirv::Id;
use pyro_spirv::spirv::{Capability, ExecutionMode as Mode, ExecutionModel as Model, FPFastMathMode};

/// Rules on one entry point.
pub(crate) const RULES: &[(&str, Rule)] = &[
    ("VUID-RuntimeSpirv-denormBehaviorIndependence-06289", |s| {
        same_but_32(s, &DENORMS, "denormBehaviorIndependence")
    }),
    ("VUID-RuntimeSpirv-denormBehaviorIndependence-06290", |s| {
        same(s, &DENORMS, "denormBehaviorIndependence")
    }),
    ("VUID-RuntimeSpirv-roundingModeIndependence-06291", |s| {
        same_but_32(s, &ROUNDINGS, "roundingModeIndependence")
    }),
    ("VUID-RuntimeSpirv-roundingModeIndependence-06292", |s| same(s, &ROUNDINGS, "roundingModeIndependence")),
    ("VUID-RuntimeSpirv-shaderSignedZeroInfNanPreserveFloat16-06293", |s| {
        float_mode(s, Mode::SignedZeroInfNanPreserve, 16, "shaderSignedZeroInfNanPreserveFloat16")
    }),
    ("VUID-RuntimeSpirv-shaderSignedZeroInfNanPreserveFloat32-06294", |s| {
        float_mode(s, Mode::SignedZeroInfNanPreserve, 32, "shaderSignedZeroInfNanPreserveFloat32")
    }),
    ("VUID-RuntimeSpirv-shaderSignedZeroInfNanPreserveFloat64-06295", |s| {
        float_mode(s, Mode::SignedZeroInfNanPreserve, 64, "shaderSignedZeroInfNanPreserveFloat64")
    }),
    ("VUID-RuntimeSpirv-shaderDenormPreserveFloat16-06296", |s| {
        float_mode(s, Mode::DenormPreserve, 16, "shaderDenormPreserveFloat16")
    }),
    ("VUID-RuntimeSpirv-shaderDenormPreserveFloat32-06297", |s| {
        float_mode(s, Mode::DenormPreserve, 32, "shaderDenormPreserveFloat32")
    }),
    ("VUID-RuntimeSpirv-shaderDenormPreserveFloat64-06298", |s| {
        float_mode(s, Mode::DenormPreserve, 64, "shaderDenormPreserveFloat64")
    }),
    ("VUID-RuntimeSpirv-shaderDenormFlushToZeroFloat16-06299", |s| {
        float_mode(s, Mode::DenormFlushToZero, 16, "shaderDenormFlushToZeroFloat16")
    }),
    ("VUID-RuntimeSpirv-shaderDenormFlushToZeroFloat32-06300", |s| {
        float_mode(s, Mode::DenormFlushToZero, 32, "shaderDenormFlushToZeroFloat32")
    }),
    ("VUID-RuntimeSpirv-shaderDenormFlushToZeroFloat64-06301", |s| {
        float_mode(s, Mode::DenormFlushToZero, 64, "shaderDenormFlushToZeroFloat64")
    }),
    ("VUID-RuntimeSpirv-shaderRoundingModeRTEFloat16-06302", |s| {
        float_mode(s, Mode::RoundingModeRTE, 16, "shaderRoundingModeRTEFloat16")
    }),
    ("VUID-RuntimeSpirv-shaderRoundingModeRTEFloat32-06303", |s| {
        float_mode(s, Mode::RoundingModeRTE, 32, "shaderRoundingModeRTEFloat32")
    }),
    ("VUID-RuntimeSpirv-shaderRoundingModeRTEFloat64-06304", |s| {
        float_mode(s, Mode::RoundingModeRTE, 64, "shaderRoundingModeRTEFloat64")
    }),
    ("VUID-RuntimeSpirv-shaderRoundingModeRTZFloat16-06305", |s| {
        float_mode(s, Mode::RoundingModeRTZ, 16, "shaderRoundingModeRTZFloat16")
    }),
    ("VUID-RuntimeSpirv-shaderRoundingModeRTZFloat32-06306", |s| {
        float_mode(s, Mode::RoundingModeRTZ, 32, "shaderRoundingModeRTZFloat32")
    }),
    ("VUID-RuntimeSpirv-shaderRoundingModeRTZFloat64-06307", |s| {
        float_mode(s, Mode::RoundingModeRTZ, 64, "shaderRoundingModeRTZFloat64")
    }),
    ("VUID-RuntimeSpirv-shaderSignedZeroInfNanPreserveFloat16-09559", |s| fast_math(s, 16)),
    ("VUID-RuntimeSpirv-shaderSignedZeroInfNanPreserveFloat32-09561", |s| fast_math(s, 32)),
    ("VUID-RuntimeSpirv-shaderSignedZeroInfNanPreserveFloat64-09563", |s| fast_math(s, 64)),
    ("VUID-RuntimeSpirv-LocalSizeId-06433", early_local_size_id),
    ("VUID-RuntimeSpirv-LocalSizeId-06434", |s| needs(s, Mode::LocalSizeId, "maintenance4")),
    ("VUID-RuntimeSpirv-shaderEarlyAndLateFragmentTests-06767", |s| {
        needs(s, Mode::EarlyAndLateFragmentTestsAMD, "shaderEarlyAndLateFragmentTests")
    }),
    ("VUID-RuntimeSpirv-shaderEarlyAndLateFragmentTests-06768", |s| {
        needs(s, Mode::StencilRefUnchangedFrontAMD, "shaderEarlyAndLateFragmentTests")
    }),
    ("VUID-RuntimeSpirv-shaderEarlyAndLateFragmentTests-06769", |s| {
        needs(s, Mode::StencilRefUnchangedBackAMD, "shaderEarlyAndLateFragmentTests")
    }),
    ("VUID-RuntimeSpirv-shaderEarlyAndLateFragmentTests-06770", |s| {
        needs(s, Mode::StencilRefGreaterFrontAMD, "shaderEarlyAndLateFragmentTests")
    }),
    ("VUID-RuntimeSpirv-shaderEarlyAndLateFragmentTests-06771", |s| {
        needs(s, Mode::StencilRefGreaterBackAMD, "shaderEarlyAndLateFragmentTests")
    }),
    ("VUID-RuntimeSpirv-shaderEarlyAndLateFragmentTests-06772", |s| {
        needs(s, Mode::StencilRefLessFrontAMD, "shaderEarlyAndLateFragmentTests")
    }),
    ("VUID-RuntimeSpirv-shaderEarlyAndLateFragmentTests-06773", |s| {
        needs(s, Mode::StencilRefLessBackAMD, "shaderEarlyAndLateFragmentTests")
    }),
    ("VUID-RuntimeSpirv-SubgroupUniformControlFlowKHR-06379", |s| {
        needs(s, Mode::SubgroupUniformControlFlowKHR, "shaderSubgroupUniformControlFlow")
    }),
    ("VUID-RuntimeSpirv-meshAndTaskShaderDerivatives-10153", mesh_derivatives),
    ("VUID-RuntimeSpirv-tessellationShader-06326", |s| portable(s, Mode::Isolines, "tessellationIsolines")),
    ("VUID-RuntimeSpirv-tessellationShader-06327", |s| portable(s, Mode::PointMode, "tessellationPointMode")),
    ("VUID-RuntimeSpirv-TileShadingQCOM-10698", |s| tile_shading(s, Model::GLCompute, "tileShading")),
    ("VUID-RuntimeSpirv-TileShadingQCOM-10699", |s| {
        tile_shading(s, Model::Fragment, "tileShadingFragmentStage")
    }),
    ("VUID-RuntimeSpirv-ShaderEnqueueAMDX-09191", enqueue_stage),
    ("VUID-RuntimeSpirv-x-10702", |s| tile_rate(s, 0, "maxTileShadingRate.width")),
    ("VUID-RuntimeSpirv-y-10703", |s| tile_rate(s, 1, "maxTileShadingRate.height")),
    ("VUID-VkPipelineShaderStageCreateInfo-stage-00714", geometry_vertices),
    ("VUID-VkPipelineShaderStageCreateInfo-stage-00715", geometry_invocations),
    ("VUID-VkPipelineShaderStageCreateInfo-stage-00713", patch_vertices),
];

const DENORMS: [Mode; 2] = [Mode::DenormPreserve, Mode::DenormFlushToZero];

const ROUNDINGS: [Mode; 2] = [Mode::RoundingModeRTE, Mode::RoundingModeRTZ];

fn has_for_width(stage: &Stage<'_, '_, '_>, mode: Mode, width: u32) -> bool {
    let mut modes = stage.cx.module.execution_modes(stage.entry.function);
    modes.any(|found| found.mode == mode && found.operands.first() == Some(&width))
}

fn float_mode(stage: &Stage<'_, '_, '_>, mode: Mode, width: u32, property: &str) -> Verdict {
    let is_off = stage.cx.property(property) == Some(0);
    ensure!(!is_off || !has_for_width(stage, mode, width), "{mode:?} for {width} bits needs {property}");
    Ok(())
}

/// Which of the modes each of the widths has; none where neither is given.
fn of_widths(stage: &Stage<'_, '_, '_>, modes: &[Mode; 2], widths: &[u32]) -> Vec<Option<Mode>> {
    let of = |width: &u32| modes.iter().copied().find(|&mode| has_for_width(stage, mode, *width));
    widths.iter().map(of).collect()
}

/// `VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY` and `…_NONE`.
const INDEPENDENCE_32_ONLY: i64 = 0;

const INDEPENDENCE_NONE: i64 = 2;

/// The widths in use: those whose capabilities are declared, and 32.
fn used(stage: &Stage<'_, '_, '_>, widths: &[u32]) -> Vec<u32> {
    let is_used = |width: &&u32| match width {
        16 => stage.cx.has_capability(Capability::Float16),
        64 => stage.cx.has_capability(Capability::Float64),
        _ => true,
    };
    widths.iter().filter(is_used).copied().collect()
}

fn same_but_32(stage: &Stage<'_, '_, '_>, modes: &[Mode; 2], property: &str) -> Verdict {
    if stage.cx.property(property) != Some(INDEPENDENCE_32_ONLY) {
        return Ok(());
    }
    let found = of_widths(stage, modes, &used(stage, &[16, 64]));
    ensure!(
        found.windows(2).all(|pair| pair[0] == pair[1]),
        "16 and 64 bits have different modes of {modes:?}"
    );
    Ok(())
}

fn same(stage: &Stage<'_, '_, '_>, modes: &[Mode; 2], property: &str) -> Verdict {
    if stage.cx.property(property) != Some(INDEPENDENCE_NONE) {
        return Ok(());
    }
    let found = of_widths(stage, modes, &used(stage, &[16, 32, 64]));
    ensure!(found.windows(2).all(|pair| pair[0] == pair[1]), "widths have different modes of {modes:?}");
    Ok(())
}

fn fast_math(stage: &Stage<'_, '_, '_>, width: u32) -> Verdict {
    let property = format!("shaderSignedZeroInfNanPreserveFloat{width}");
    if stage.cx.property(&property) != Some(0) {
        return Ok(());
    }
    let needed = FPFastMathMode::NSZ | FPFastMathMode::NOT_INF | FPFastMathMode::NOT_NAN;
    for mode in stage.cx.module.execution_modes(stage.entry.function) {
        let [ty, flags] = *mode.operands else { continue };
        if mode.mode != Mode::FPFastMathDefault || stage.cx.ty(Id::from_u32(ty)).width() != Some(width) {
            continue;
        }
        let flags = stage.cx.constants.unsigned(Id::from_u32(flags)).map(FPFastMathMode::from_bits_retain);
        let is_fine = flags.is_none_or(|flags| flags.contains(needed));
        ensure!(is_fine, "FPFastMathDefault of {width} bits lacks NSZ, NotInf or NotNaN without {property}");
    }
    Ok(())
}

fn early_local_size_id(stage: &Stage<'_, '_, '_>) -> Verdict {
    let is_early = stage.cx.is_before(1, 3, "VK_KHR_maintenance4");
    ensure!(!is_early || !stage.has_mode(Mode::LocalSizeId), "LocalSizeId needs Vulkan 1.3 or maintenance4");
    Ok(())
}

fn needs(stage: &Stage<'_, '_, '_>, mode: Mode, feature: &str) -> Verdict {
    ensure!(!stage.has_mode(mode) || !stage.cx.lacks(feature), "{mode:?} needs the feature {feature}");
    Ok(())
}

fn portable(stage: &Stage<'_, '_, '_>, mode: Mode, feature: &str) -> Verdict {
    // Only with the extension for incomplete devices can this be off.
    let device = stage.cx.environment.device.as_ref();
    let is_subset = device
        .is_some_and(|device| device.names_extensions() && device.has_extension("VK_KHR_portability_subset"));
    if is_subset { needs(stage, mode, feature) } else { Ok(()) }
}

const MESH_AND_TASK: [Model; 4] = [Model::TaskEXT, Model::MeshEXT, Model::TaskNV, Model::MeshNV];

fn mesh_derivatives(stage: &Stage<'_, '_, '_>) -> Verdict {
    let is_grouped = [Mode::DerivativeGroupLinearKHR, Mode::DerivativeGroupQuadsKHR]
        .iter()
        .any(|&mode| stage.has_mode(mode));
    let is_off = stage.cx.property("meshAndTaskShaderDerivatives") == Some(0);
    ensure!(
        !(is_grouped && is_off && MESH_AND_TASK.contains(&stage.model())),
        "{:?} shaders have no derivatives on this device",
        stage.model()
    );
    Ok(())
}

fn tile_shading(stage: &Stage<'_, '_, '_>, model: Model, feature: &str) -> Verdict {
    let is_used = stage.model() == model && stage.cx.has_capability(Capability::TileShadingQCOM);
    ensure!(!is_used || !stage.cx.lacks(feature), "TileShadingQCOM in a {model:?} shader needs {feature}");
    Ok(())
}

fn enqueue_stage(stage: &Stage<'_, '_, '_>) -> Verdict {
    let is_used = stage.cx.has_capability(Capability::ShaderEnqueueAMDX);
    let is_allowed = matches!(stage.model(), Model::GLCompute | Model::MeshEXT);
    ensure!(!is_used || is_allowed, "ShaderEnqueueAMDX is declared in a {:?} shader's module", stage.model());
    Ok(())
}

fn tile_rate(stage: &Stage<'_, '_, '_>, dimension: usize, limit: &str) -> Verdict {
    let mode = stage.cx.module.execution_mode(stage.entry.function, Mode::TileShadingRateQCOM);
    let size = mode.and_then(|mode| mode.operands.get(dimension).copied()).unwrap_or(0);
    stage.cx.at_most("the tile shading rate", size.into(), limit)
}

/// The first operand of a mode.
fn operand(stage: &Stage<'_, '_, '_>, mode: Mode) -> Option<u32> {
    let found = stage.cx.module.execution_mode(stage.entry.function, mode)?;
    found.operands.first().copied()
}

fn geometry_vertices(stage: &Stage<'_, '_, '_>) -> Verdict {
    if stage.model() != Model::Geometry {
        return Ok(());
    }
    let count = operand(stage, Mode::OutputVertices).unwrap_or(0);
    ensure!(count > 0, "a geometry shader does not say how many vertices it makes at most");
    stage.cx.at_most("the count of vertices", count.into(), "maxGeometryOutputVertices")
}

fn geometry_invocations(stage: &Stage<'_, '_, '_>) -> Verdict {
    if stage.model() != Model::Geometry {
        return Ok(());
    }
    // One when it is not said.
    let count = operand(stage, Mode::Invocations).unwrap_or(1);
    ensure!(count > 0, "a geometry shader has no invocations");
    stage.cx.at_most("the count of invocations", count.into(), "maxGeometryShaderInvocations")
}

fn patch_vertices(stage: &Stage<'_, '_, '_>) -> Verdict {
    if !matches!(stage.model(), Model::TessellationControl | Model::TessellationEvaluation) {
        return Ok(());
    }
    let Some(count) = operand(stage, Mode::OutputVertices) else { return Ok(()) };
    ensure!(count > 0, "a patch has no vertices");
    stage.cx.at_most("the size of a patch", count.into(), "maxTessellationPatchSize")
}
