//! Shaders from files: SPIR-V, WGSL and GLSL.

use anyhow::{Context, Result, anyhow, bail};
use naga::ShaderStage;
use naga::back::spv;
use naga::front::{glsl, wgsl};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use pyro_spirv::Module;
use pyro_spirv::spirv::BuiltIn;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

/// The SPIR-V words of the shader in a file; the ending tells the language: `.spv`, `.wgsl`, or GLSL
/// (`.vert`, `.frag`; compute shaders `.comp`, `.glsl`), which glslangValidator compiles where naga's GLSL
/// does not suffice.
pub(crate) fn load(path: &Path) -> Result<Vec<u32>> {
    let name = path.display();
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {name}"))?;
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("spv") => {
            if bytes.len() % 4 != 0 {
                bail!("{name}: {} bytes are not a whole number of 32-bit words", bytes.len());
            }
            Ok(bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect())
        }
        Some("wgsl") => {
            let source = std::str::from_utf8(&bytes).with_context(|| format!("{name} is not UTF-8"))?;
            wgsl_with_lines(source, Some(path)).with_context(|| format!("{name} is not valid WGSL"))
        }
        Some("comp" | "glsl") => {
            let source = std::str::from_utf8(&bytes).with_context(|| format!("{name} is not UTF-8"))?;
            from_glsl(source, path).or_else(|error| {
                with_glslang(path)
                    .unwrap_or_else(|| Err(error.context(format!("{name} is not GLSL that naga knows"))))
            })
        }
        Some("vert" | "frag") => {
            with_glslang(path).unwrap_or_else(|| bail!("{name} needs glslangValidator, which is not there"))
        }
        _ => bail!("{name}: the ending must be .spv, .wgsl, .comp, .glsl, .vert or .frag"),
    }
}

/// Whether a variable of the module is this built-in. A module that cannot be decoded has none: whoever uses
/// it says what is wrong.
pub(crate) fn uses_built_in(words: &[u32], built_in: BuiltIn) -> bool {
    let is_such =
        |module: &Module| module.globals().any(|global| module.built_in(global.id) == Some(built_in));
    Module::decode(words).is_ok_and(|module| is_such(&module))
}

/// Compiles WGSL.
pub(crate) fn from_wgsl(source: &str) -> Result<Vec<u32>> {
    wgsl_with_lines(source, None)
}

/// Compiles WGSL, with the lines of its file in it.
fn wgsl_with_lines(source: &str, path: Option<&Path>) -> Result<Vec<u32>> {
    let module = wgsl::parse_str(source).map_err(|error| anyhow!("{}", error.emit_to_string(source)))?;
    from_naga(&module, source, path.map(|path| (path, spv::SourceLanguage::WGSL)))
}

fn from_glsl(source: &str, path: &Path) -> Result<Vec<u32>> {
    let options = glsl::Options::from(ShaderStage::Compute);
    let module = glsl::Frontend::default()
        .parse(&options, source)
        .map_err(|error| anyhow!("{}", error.emit_to_string(source)))?;
    from_naga(&module, source, Some((path, spv::SourceLanguage::GLSL)))
}

/// `file`: where lines are of, if they are wanted, and its language.
fn from_naga(
    module: &naga::Module,
    source: &str,
    file: Option<(&Path, spv::SourceLanguage)>,
) -> Result<Vec<u32>> {
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(module)
        .map_err(|error| anyhow!("{}", error.emit_to_string(source)))?;
    let file_name = file.map(|(path, _)| path.display().to_string()).unwrap_or_default();
    let debug_info =
        file.map(|(_, language)| spv::DebugInfo { source_code: source, file_name: &file_name, language });
    let mut options = spv::Options { lang_version: (1, 3), debug_info, ..spv::Options::default() };
    // Names, and the lines of `debug_info`; otherwise they are written in builds with assertions only.
    options.flags.set(spv::WriterFlags::DEBUG, file.is_some());
    Ok(spv::write_vec(module, &info, &options, None)?)
}

/// A path in the temporary folder that no other call of any process gets.
pub(crate) fn temporary(ending: &str) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("pyroclast-{}-{count}.{ending}", std::process::id()))
}

/// Compiles with glslangValidator; `None` when it is not installed.
fn with_glslang(path: &Path) -> Option<Result<Vec<u32>>> {
    let out = temporary("spv");
    let ending = path.extension().and_then(|ending| ending.to_str());
    let stage = ending.filter(|ending| matches!(*ending, "vert" | "frag")).unwrap_or("comp");
    let output = Command::new("glslangValidator")
        .args(["-V", "-g", "--target-env", "vulkan1.2", "-S", stage, "-o"])
        .arg(&out)
        .arg(path)
        .output()
        .ok()?;
    let result = if output.status.success() {
        load(&out)
    } else {
        Err(anyhow!("glslangValidator: {}", String::from_utf8_lossy(&output.stdout).trim()))
    };
    let _ = std::fs::remove_file(&out);
    Some(result)
}
