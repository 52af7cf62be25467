//! Images of a replay as files.

use crate::exr;
use anyhow::{Context, Result};
use pyro_replay::{Image, Texels};
use pyro_shadertest::picture::Picture;
use std::path::Path;

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    Exr,
    Png,
}

impl Format {
    fn ending(self) -> &'static str {
        if self == Format::Exr { "exr" } else { "png" }
    }
}

/// Texels as a picture of 8 bits a channel; depth is grey.
fn picture(texels: &Texels) -> Picture {
    // NaN becomes 0.
    let byte = |value: f32| (value * 255.0).round() as u8;
    let pixels = match texels.channels {
        1 => texels.values.iter().map(|&depth| [byte(depth), byte(depth), byte(depth), 255]).collect(),
        _ => texels.values.as_chunks::<4>().0.iter().map(|pixel| pixel.map(byte)).collect(),
    };
    Picture { width: texels.width, height: texels.height, pixels }
}

/// Writes layers of images into a folder, and prints what they are.
pub(super) fn write(folder: &Path, images: &[(Image, u32, Texels)], format: Format) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    println!("{:>8} {:>6} {:>12} {:>8} format", "image", "layer", "size", "samples");
    for (image, layer, texels) in images {
        let ending = format.ending();
        let name = if image.layers > 1 {
            format!("image-{}-layer-{layer}.{ending}", image.number)
        } else {
            format!("image-{}.{ending}", image.number)
        };
        let path = folder.join(name);
        let names: &[&str] = if texels.channels == 1 { &["Z"] } else { &["R", "G", "B", "A"] };
        if format == Format::Png {
            picture(texels).write(&path)?;
        } else {
            let written = std::fs::File::create(&path).and_then(|file| {
                exr::write(std::io::BufWriter::new(file), texels.width, names, &texels.values)
            });
            written.with_context(|| format!("cannot write {}", path.display()))?;
        }
        println!(
            "{:>8} {layer:>6} {:>12} {:>8} {}",
            image.number,
            format!("{}x{}", texels.width, texels.height),
            image.samples,
            image.format_name()
        );
    }
    Ok(())
}
