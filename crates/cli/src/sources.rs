//! Shaders of every stage from files, with lines of source kept.

use crate::compilers::{self, Job};
use crate::constants::{self, Constant};
use crate::source_error::{SourceError, SourceErrors, line_of_bytes, of_naga};
use crate::stage;
use anyhow::{Context, Result, anyhow, bail};
use naga::ShaderStage;
use naga::back::{pipeline_constants::process_overrides, spv};
use naga::front::{glsl, wgsl};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use pyro_spirv::Module;
use pyro_spirv::asm::{self, InstPosition};
use pyro_spirv::spirv::{ExecutionModel as Model, SourceLanguage};
use pyro_validate::Place;
use std::path::{Path, PathBuf};

/// The stage that a file's ending names, also before the ending of a language: `a.frag`, `a.frag.glsl`,
/// `a.frag.hlsl`.
fn stage_of(path: &Path) -> Option<Model> {
    let ending = |name: &Path| name.extension().and_then(|ending| ending.to_str()).and_then(stage::from_name);
    ending(path).or_else(|| ending(Path::new(path.file_stem()?)))
}

/// Whether the file of a folder is a shader that [`load`] knows. What other sources include is none.
pub(crate) fn is_shader(path: &Path) -> bool {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("spv" | "spvasm" | "wgsl") => true,
        // Modules without entry points are for import only.
        Some("slang") => std::fs::read(path).is_ok_and(|text| {
            text.windows(compilers::SLANG_ENTRY.len()).any(|at| at == compilers::SLANG_ENTRY)
        }),
        Some("glsl" | "hlsl") => stage_of(path).is_some(),
        Some(ending) => stage::from_name(ending).is_some(),
        None => false,
    }
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

/// A module's bytes, and the text that they were assembled from.
pub(crate) struct Source {
    pub(crate) bytes: Vec<u8>,
    pub(crate) assembly: Option<Assembly>,
    /// The keys of the [`Request::constants`] that overrides of WGSL have taken.
    pub(crate) overridden: Vec<String>,
}

/// A module that is to run, decoded.
pub(crate) struct Decoded {
    /// The file's.
    pub(crate) name: String,
    pub(crate) words: Vec<u32>,
    pub(crate) module: Module,
    /// See [`Source::overridden`].
    pub(crate) overridden: Vec<String>,
}

/// What a source is compiled for.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    /// The stage, in place of the one that the ending of the file says.
    pub(crate) model: Option<Model>,
    /// The function to begin with, where the language lets one choose.
    pub(crate) entry: Option<&'a str>,
    /// The newest SPIR-V that may come out.
    pub(crate) version: (u8, u8),
    /// Values of overrides of WGSL, which are not in the module any more; of others, [`constants::resolve`]
    /// finds the specialization constants.
    pub(crate) constants: &'a [Constant],
    /// Whether an override without a value gets one, so that the rest can be checked.
    pub(crate) is_check: bool,
}

impl Request<'_> {
    /// The newest SPIR-V that the driver knows.
    pub(crate) const NEWEST: (u8, u8) = (1, 6);

    /// What the commands that run shaders compile: Vulkan 1.2's.
    pub(crate) const TO_RUN: Self =
        Request { model: None, entry: None, version: (1, 5), constants: &[], is_check: false };
}

/// SPIR-V assembly, with the place of each instruction.
pub(crate) struct Assembly {
    file: String,
    text: String,
    positions: Vec<InstPosition>,
}

impl Assembly {
    /// Gives a place the line of its instruction, unless debug information says one of another language.
    pub(crate) fn locate(&self, place: &mut Place) {
        let at = |position: &InstPosition| position.word_offset;
        if place.source.is_none()
            && let Ok(found) = self.positions.binary_search_by_key(&place.word_offset, at)
        {
            let InstPosition { line, column, .. } = self.positions[found];
            place.source = Some(line_of_bytes(&self.text, Path::new(&self.file), line, column));
        }
    }
}

/// The bytes of a SPIR-V file, or of what a source compiles to, with lines of source in it.
///
/// # Errors
/// When the file cannot be read, or does not compile: the compiler's messages.
pub(crate) fn load(path: &Path, wanted: &Request<'_>) -> Result<Source> {
    let &Request { model, entry, version, .. } = wanted;
    let name = path.display();
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if ending == "spv" || bytes.starts_with(&0x0723_0203u32.to_le_bytes()) {
        return Ok(Source { bytes, assembly: None, overridden: Vec::new() });
    }
    let to_bytes = |words: Vec<u32>| words.into_iter().flat_map(u32::to_le_bytes).collect();
    let text = || std::str::from_utf8(&bytes).with_context(|| format!("{name} is not UTF-8"));
    if ending == "spvasm" {
        let (words, positions) = asm::assemble_with_positions(text()?).map_err(|error| {
            let place = line_of_bytes(text().unwrap_or_default(), path, error.line, error.column);
            let errors = vec![SourceError { message: error.message, place: Some(place) }];
            SourceErrors { language: "SPIR-V assembly", errors }
        })?;
        let assembly = Assembly { file: name.to_string(), text: text()?.to_owned(), positions };
        return Ok(Source { bytes: to_bytes(words), assembly: Some(assembly), overridden: Vec::new() });
    }
    let job = |model, language| Job { source: &bytes, path, model, entry, version, language };
    let stage = model.or_else(|| stage_of(path));
    let mut overridden = Vec::new();
    let words = match (ending, stage) {
        ("wgsl", _) => {
            let (words, taken) = from_wgsl(text()?, path, wanted)?;
            overridden = taken;
            words
        }
        ("slang", _) => match compilers::with_slang(&job(stage, "Slang")) {
            Some(result) => result?,
            None => bail!("{name}: Slang needs slangc, which is not installed"),
        },
        ("hlsl", Some(_)) => {
            let job = job(stage, "HLSL");
            match compilers::with_glslang(&job).or_else(|| compilers::with_slang(&job)) {
                Some(result) => result?,
                None => bail!("{name}: HLSL needs glslangValidator or slangc, and neither is installed"),
            }
        }
        ("glsl" | "hlsl", None) => {
            bail!("{name}: say the stage, by the name as in a.frag.{ending} or as in --stage frag={name}")
        }
        (_, Some(model)) => match compilers::with_glslang(&job(stage, "GLSL")) {
            Some(result) => result?,
            None => from_glsl(text()?, path, model, version)?,
        },
        _ => bail!(
            "{name}: the ending must be .spv, .spvasm, .wgsl, .slang, .glsl, .hlsl, or a stage's ({})",
            stage::short_names()
        ),
    };
    Ok(Source { bytes: to_bytes(words), assembly: None, overridden })
}

/// Loads a module and decodes it.
///
/// # Errors
/// As of [`load`], or when it is not SPIR-V.
pub(crate) fn decode(path: &Path, wanted: &Request<'_>) -> Result<Decoded> {
    let name = path.display().to_string();
    let Source { bytes, overridden, .. } = load(path, wanted)?;
    let module = Module::decode_bytes(&bytes).map_err(|error| anyhow!("{name}: {error}"))?;
    let words = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
    Ok(Decoded { name, words, module, overridden })
}

/// The words of WGSL that is part of this program, with the lines of a file of this name.
pub(crate) fn of_own_wgsl(name: &str, source: &str) -> Result<Vec<u32>> {
    let path = PathBuf::from(format!("{name}.wgsl"));
    Ok(from_wgsl(source, &path, &Request::TO_RUN)?.0)
}

fn parse_wgsl(source: &str, path: &Path) -> Result<naga::Module> {
    wgsl::parse_str(source).map_err(|error| {
        let at = error.location(source);
        let found = of_naga(error.message().to_owned(), at, source, path);
        SourceErrors { language: "WGSL", errors: vec![found] }.into()
    })
}

/// Words, and the keys of the constants that are overrides.
fn from_wgsl(source: &str, path: &Path, wanted: &Request<'_>) -> Result<(Vec<u32>, Vec<String>)> {
    let module = parse_wgsl(source, path)?;
    let info = validate(&module, source, path, SourceLanguage::WGSL)?;
    let values = constants::of_overrides(wanted.constants, &module, wanted.is_check)?;
    let (module, info) = process_overrides(&module, &info, None, &values.all)
        .with_context(|| format!("{}: an override", path.display()))?;
    let words = write(&module, &info, source, path, SourceLanguage::WGSL, wanted.version)?;
    Ok((words, values.given))
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
    let info = validate(&module, source, path, SourceLanguage::GLSL)?;
    write(&module, &info, source, path, SourceLanguage::GLSL, version)
}

fn validate(
    module: &naga::Module,
    source: &str,
    path: &Path,
    language: SourceLanguage,
) -> Result<ModuleInfo> {
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
        SourceErrors { language: name, errors: vec![found] }.into()
    })
}

fn write(
    module: &naga::Module,
    info: &ModuleInfo,
    source: &str,
    path: &Path,
    language: SourceLanguage,
    version: (u8, u8),
) -> Result<Vec<u32>> {
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
    Ok(spv::write_vec(module, info, &options, None)?)
}

fn naga_language(language: SourceLanguage) -> spv::SourceLanguage {
    match language {
        SourceLanguage::WGSL => spv::SourceLanguage::WGSL,
        _ => spv::SourceLanguage::GLSL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_in_names() {
        let of = |name: &str| stage_of(Path::new(name));
        for name in ["a.frag", "a.frag.glsl", "b/c.frag.hlsl", "x.vert.frag"] {
            assert_eq!(of(name), Some(Model::Fragment), "{name}");
        }
        for name in ["a.glsl", "frag", "a.frag.d/b.hlsl", "a"] {
            assert_eq!(of(name), None, "{name}");
        }
        assert!(
            is_shader(Path::new("a.comp.hlsl"))
                && is_shader(Path::new("a.spvasm"))
                && !is_shader(Path::new("common.hlsl"))
        );
    }
}
