//! The scenes' shaders, from WGSL to SPIR-V.

use naga::back::spv;
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// The words of the module that holds every entry point, for float or unsigned integer targets.
pub(crate) fn words(is_integer: bool) -> Result<Vec<u32>, String> {
    let (texel, color) =
        if is_integer { ("u32", "vec4<u32>(color * 15.0 + 0.5) * 17u") } else { ("f32", "color") };
    let source = include_str!("shaders/scene.wgsl").replace("TEXEL", texel).replace("COLOR", color);
    let module = naga::front::wgsl::parse_str(&source).map_err(|error| error.emit_to_string(&source))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|error| error.emit_to_string(&source))?;
    let mut options = spv::Options { lang_version: (1, 3), ..spv::Options::default() };
    options.flags |= spv::WriterFlags::FORCE_POINT_SIZE;
    options.flags -= spv::WriterFlags::ADJUST_COORDINATE_SPACE;
    spv::write_vec(&module, &info, &options, None).map_err(|error| error.to_string())
}
