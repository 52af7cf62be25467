//! Shaders of every stage from files, with lines of source kept: for checking and reflection.

use crate::shader::temporary;
use crate::source_error::{SourceErrors, of_glslang, of_naga};
use crate::stage;
use anyhow::{Context, Result, bail};
use naga::ShaderStage;
use naga::back::spv;
use naga::front::{glsl, wgsl};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use pyro_spirv::spirv::{ExecutionModel as Model, SourceLanguage};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether the ending is that of a shader that [`load`] knows.
pub(crate) fn is_shader(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending
        .is_some_and(|ending| matches!(ending, "spv" | "wgsl" | "glsl") || stage::from_name(ending).is_some())
}

/// Every shader below a folder, by path.
pub(crate) fn find(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        let entries =
            std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            // Links are not followed, so that a circle of them ends.
            let kind = entry.file_type()?;
            if kind.is_dir() {
                pending.push(entry.path());
            } else if kind.is_file() && is_shader(&entry.path()) {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The bytes of a SPIR-V file, or of what WGSL or GLSL compile to, with lines of source in it. `model` overrides the
/// stage that the ending of a GLSL file says; `version` is the newest SPIR-V that may come out.
///
/// # Errors
/// When the file cannot be read, or does not compile: the compiler's message.
pub(crate) fn load(path: &Path, model: Option<Model>, version: (u8, u8)) -> Result<Vec<u8>> {
    let name = path.display();
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if ending == "spv" || bytes.starts_with(&0x0723_0203u32.to_le_bytes()) {
        return Ok(bytes);
    }
    let text = || std::str::from_utf8(&bytes).with_context(|| format!("{name} is not UTF-8"));
    let words = match (ending, model.or_else(|| stage::from_name(ending))) {
        ("wgsl", _) => from_wgsl(text()?, path, version)?,
        (_, Some(model)) => match with_glslang(&bytes, path, model, version) {
            Some(result) => result?,
            None => from_glsl(text()?, path, model, version)?,
        },
        ("glsl", None) => bail!("{name}: say the stage, as in --stage frag={name}"),
        _ => bail!("{name}: the ending must be .spv, .wgsl, or a stage's ({})", stage::short_names()),
    };
    Ok(words.into_iter().flat_map(u32::to_le_bytes).collect())
}

fn from_wgsl(source: &str, path: &Path, version: (u8, u8)) -> Result<Vec<u32>> {
    let module = wgsl::parse_str(source).map_err(|error| {
        let at = error.location(source);
        let found = of_naga(error.message().to_owned(), at, source, path);
        SourceErrors { language: "WGSL", errors: vec![found] }
    })?;
    write(&module, source, path, SourceLanguage::WGSL, version)
}

fn from_glsl(source: &str, path: &Path, model: Model, version: (u8, u8)) -> Result<Vec<u32>> {
    let stage = match model {
        Model::Vertex => ShaderStage::Vertex,
        Model::Fragment => ShaderStage::Fragment,
        Model::GLCompute => ShaderStage::Compute,
        _ => bail!(
            "{}: {model:?} shaders in GLSL need glslangValidator, which is not installed",
            path.display()
        ),
    };
    let module = glsl::Frontend::default().parse(&glsl::Options::from(stage), source).map_err(|found| {
        let errors = found.errors.iter();
        let errors =
            errors.map(|error| of_naga(error.kind.to_string(), error.location(source), source, path));
        SourceErrors { language: "GLSL", errors: errors.collect() }
    })?;
    write(&module, source, path, SourceLanguage::GLSL, version)
}

fn write(
    module: &naga::Module,
    source: &str,
    path: &Path,
    language: SourceLanguage,
    version: (u8, u8),
) -> Result<Vec<u32>> {
    let info =
        Validator::new(ValidationFlags::all(), Capabilities::all()).validate(module).map_err(|error| {
            // What is wrong in a function is told by the errors that it comes from.
            let mut message = error.as_inner().to_string();
            let mut cause = std::error::Error::source(error.as_inner());
            while let Some(inner) = cause {
                message += &format!(": {inner}");
                cause = inner.source();
            }
            let name = if language == SourceLanguage::WGSL { "WGSL" } else { "GLSL" };
            let found = of_naga(message, error.location(source), source, path);
            SourceErrors { language: name, errors: vec![found] }
        })?;
    let file_name = path.display().to_string();
    let options = spv::Options {
        lang_version: version.min((1, 3)),
        // What the shader says, and nothing that the compiler would add.
        flags: spv::WriterFlags::DEBUG | spv::WriterFlags::LABEL_VARYINGS,
        debug_info: Some(spv::DebugInfo {
            source_code: source,
            file_name: &file_name,
            language: naga_language(language),
        }),
        ..spv::Options::default()
    };
    Ok(spv::write_vec(module, &info, &options, None)?)
}

fn naga_language(language: SourceLanguage) -> spv::SourceLanguage {
    match language {
        SourceLanguage::WGSL => spv::SourceLanguage::WGSL,
        _ => spv::SourceLanguage::GLSL,
    }
}

/// Compiles with glslangValidator; `None` when it is not installed.
fn with_glslang(source: &[u8], path: &Path, model: Model, version: (u8, u8)) -> Option<Result<Vec<u32>>> {
    let target = match version {
        (1, 0..=2) => "vulkan1.0",
        (1, 3 | 4) => "vulkan1.1",
        (1, 5) => "vulkan1.2",
        _ => "vulkan1.3",
    };
    let out = temporary("spv");
    let output = Command::new("glslangValidator")
        .args(["-V", "-g", "--quiet", "--target-env", target, "-S", stage::short_name(model), "-o"])
        .arg(&out)
        .arg(path)
        .output()
        .ok()?;
    let result = if output.status.success() {
        std::fs::read(&out)
            .map_err(Into::into)
            .map(|bytes| bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect())
    } else {
        let source = String::from_utf8_lossy(source);
        let errors = of_glslang(&String::from_utf8_lossy(&output.stdout), &source, path);
        Err(SourceErrors { language: "GLSL", errors }.into())
    };
    let _ = std::fs::remove_file(&out);
    Some(result)
}
