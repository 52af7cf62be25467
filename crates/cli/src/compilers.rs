//! Compilers of shaders that are programs of their own: glslangValidator (GLSL, HLSL) and slangc (Slang,
//! HLSL).

use crate::source_error::{SourceErrors, of_glslang, of_slang};
use crate::stage;
use crate::temporary::temporary;
use anyhow::Result;
use pyro_spirv::spirv::ExecutionModel as Model;
use std::path::Path;
use std::process::Command;

/// What is before the stage of an entry point in Slang.
pub(crate) const SLANG_ENTRY: &[u8] = b"[shader(";

/// A source to compile.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub(crate) source: &'a [u8],
    pub(crate) path: &'a Path,
    pub(crate) model: Option<Model>,
    pub(crate) entry: Option<&'a str>,
    /// The newest SPIR-V that may come out.
    pub(crate) version: (u8, u8),
    /// `GLSL`, `HLSL` or `Slang`.
    pub(crate) language: &'static str,
}

/// The words that a compiler wrote to a file, which is removed.
fn take(path: &Path) -> Result<Vec<u32>> {
    let bytes = std::fs::read(path);
    let _ = std::fs::remove_file(path);
    Ok(bytes?.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect())
}

/// Compiles GLSL or HLSL of a known stage with glslangValidator; `None` when it is not installed.
pub(crate) fn with_glslang(job: &Job<'_>) -> Option<Result<Vec<u32>>> {
    // Of HLSL it makes storage buffers as SPIR-V had them up to version 1.3.
    let version = if job.language == "HLSL" { job.version.min((1, 3)) } else { job.version };
    let target = match version {
        (1, 0..=2) => "vulkan1.0",
        (1, 3 | 4) => "vulkan1.1",
        (1, 5) => "vulkan1.2",
        _ => "vulkan1.3",
    };
    let out = temporary("spv");
    let mut command = Command::new("glslangValidator");
    command.args(["-V", "-g", "--quiet", "--target-env", target, "-S", stage::short_name(job.model?)]);
    if job.language == "HLSL" {
        command.args(["-D", "-e", job.entry.unwrap_or("main")]);
    }
    let output = command.arg("-o").arg(&out).arg(job.path).output().ok()?;
    if output.status.success() {
        return Some(take(&out));
    }
    let _ = std::fs::remove_file(&out);
    let text = String::from_utf8_lossy(&output.stdout);
    let mut errors = of_glslang(&text, &String::from_utf8_lossy(job.source), job.path);
    if job.language == "HLSL" {
        // It stops at the first; what follows is told of the same place.
        errors.truncate(1);
    }
    Some(Err(SourceErrors { language: job.language, errors }.into()))
}

/// The names of stages in Slang.
fn slang_stage(model: Model) -> &'static str {
    match model {
        Model::Vertex => "vertex",
        Model::TessellationControl => "hull",
        Model::TessellationEvaluation => "domain",
        Model::Geometry => "geometry",
        Model::GLCompute => "compute",
        Model::TaskEXT => "amplification",
        Model::MeshEXT => "mesh",
        Model::RayGenerationKHR => "raygeneration",
        Model::IntersectionKHR => "intersection",
        Model::AnyHitKHR => "anyhit",
        Model::ClosestHitKHR => "closesthit",
        Model::MissKHR => "miss",
        Model::CallableKHR => "callable",
        _ => "fragment",
    }
}

/// Compiles Slang or HLSL with slangc; `None` when it is not installed. All entry points that the source
/// marks come out, of one that marks none the function that is asked for.
pub(crate) fn with_slang(job: &Job<'_>) -> Option<Result<Vec<u32>>> {
    let profile = match job.version {
        (1, 0..=3) => "spirv_1_3",
        (1, 4) => "spirv_1_4",
        (1, 5) => "spirv_1_5",
        _ => "spirv_1_6",
    };
    let out = temporary("spv");
    let mut command = Command::new("slangc");
    command.arg(job.path).args(["-target", "spirv", "-profile", profile, "-g2", "-O0"]);
    command.args(["-fvk-use-entrypoint-name", "-enable-machine-readable-diagnostics"]);
    let is_marked = job.source.windows(SLANG_ENTRY.len()).any(|at| at == SLANG_ENTRY);
    if let (false, Some(model)) = (is_marked, job.model) {
        command.args(["-entry", job.entry.unwrap_or("main"), "-stage", slang_stage(model)]);
    }
    let output = command.arg("-o").arg(&out).output().ok()?;
    if output.status.success() {
        return Some(take(&out));
    }
    let _ = std::fs::remove_file(&out);
    let errors = of_slang(&String::from_utf8_lossy(&output.stderr), job.path);
    Some(Err(SourceErrors { language: job.language, errors }.into()))
}
