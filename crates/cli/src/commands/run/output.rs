//! Pictures that a run writes.

use super::data::Slot;
use crate::client::draw::{Drawing, FORMAT};
use crate::client::image::Numbers;
use crate::exr;
use anyhow::{Context, Result, bail};
use pyro_shadertest::picture::Picture;
use std::path::{Path, PathBuf};
use vulkanalia::vk;

/// A picture that is wanted.
#[derive(Clone)]
pub(super) struct Output {
    /// The location of the fragment shader's output.
    pub(super) location: u32,
    pub(super) path: PathBuf,
}

impl Output {
    /// Whether it keeps 32 bits of each channel.
    pub(super) fn is_exr(&self) -> bool {
        has_ending(&self.path, "exr")
    }
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|own| own.eq_ignore_ascii_case(ending))
}

/// Whether a file of this name is a picture.
pub(super) fn is_picture(path: &Path) -> bool {
    has_ending(path, "png") || has_ending(path, "exr")
}

/// Reads `out.png`, `1=normals.exr`.
pub(super) fn parse(text: &str) -> Result<Output> {
    let numbered = text.split_once('=').and_then(|(at, path)| Some((at.parse().ok()?, path)));
    let (location, path) = numbered.unwrap_or((0, text));
    let path = PathBuf::from(path);
    if !is_picture(&path) {
        bail!("`{}` does not end in .png or .exr", path.display());
    }
    Ok(Output { location, path })
}

/// Whether all pictures that are wanted will be there.
pub(super) fn check(outputs: &[Output], drawing: Option<&Drawing>, image: Option<Slot>) -> Result<()> {
    for Output { location, path } in outputs {
        let file = path.display();
        match (drawing, image) {
            (Some(drawing), _) => {
                let format = drawing.colors.get(*location as usize).copied();
                if format.is_none_or(|format| format == vk::Format::UNDEFINED) {
                    bail!("{file}: there is no fragment shader with an output at location {location}");
                }
            }
            (None, Some(_)) if *location != 0 => bail!("{file}: only fragment shaders have locations"),
            (None, None) => bail!("{file}: the shaders have no storage image that it could be"),
            _ => {}
        }
    }
    Ok(())
}

/// What the bytes of pixels are.
#[derive(Clone, Copy)]
pub(super) enum Pixels {
    /// Four channels of 8 bits.
    Bytes,
    /// Four channels of 32 bits, or one of depth.
    Numbers(Numbers),
}

impl From<Numbers> for Pixels {
    fn from(numbers: Numbers) -> Pixels {
        Pixels::Numbers(numbers)
    }
}

impl Pixels {
    /// Those of a color that was drawn.
    pub(super) fn of(format: vk::Format) -> Pixels {
        match format {
            FORMAT => Pixels::Bytes,
            vk::Format::R32G32B32A32_UINT => Pixels::Numbers(Numbers::Unsigned),
            vk::Format::R32G32B32A32_SINT => Pixels::Numbers(Numbers::Signed),
            _ => Pixels::Numbers(Numbers::Float),
        }
    }
}

/// Writes pixels as the file's ending says. Layers are below each other. In a PNG, numbers from 0 to 1 become
/// 0 to 255, and integers are cut to that range.
///
/// # Errors
/// When the file cannot be written.
pub(super) fn write(path: &Path, width: u32, pixels: Pixels, bytes: &[u8]) -> Result<()> {
    let words = || bytes.as_chunks::<4>().0.iter();
    let values: Vec<f32> = match pixels {
        Pixels::Bytes => bytes.iter().map(|&byte| f32::from(byte) / 255.0).collect(),
        Pixels::Numbers(Numbers::Unsigned) => words().map(|&word| u32::from_le_bytes(word) as f32).collect(),
        Pixels::Numbers(Numbers::Signed) => words().map(|&word| i32::from_le_bytes(word) as f32).collect(),
        Pixels::Numbers(Numbers::Float | Numbers::Depth) => {
            words().map(|&word| f32::from_le_bytes(word)).collect()
        }
    };
    let is_depth = matches!(pixels, Pixels::Numbers(Numbers::Depth));
    if has_ending(path, "exr") {
        let names: &[&str] = if is_depth { &["Z"] } else { &["R", "G", "B", "A"] };
        let file = std::fs::File::create(path);
        let written = file.and_then(|file| exr::write(std::io::BufWriter::new(file), width, names, &values));
        return written.with_context(|| format!("cannot write {}", path.display()));
    }
    let is_integer = matches!(pixels, Pixels::Numbers(Numbers::Unsigned | Numbers::Signed));
    // NaN becomes 0.
    let byte = |value: f32| if is_integer { value as u8 } else { (value * 255.0).round() as u8 };
    let pixels: Vec<[u8; 4]> = match is_depth {
        true => values.iter().map(|&value| [byte(value), byte(value), byte(value), 255]).collect(),
        false => values.as_chunks::<4>().0.iter().map(|pixel| pixel.map(byte)).collect(),
    };
    let height = pixels.len().checked_div(width as usize).unwrap_or(0) as u32;
    Ok(Picture { width, height, pixels }.write(path)?)
}
